/* The solid around a 3D liquid: the ground, the world's solids, which may move, and bodies.

   Interface (world/mac.h): rn_world_mac_place_solids passes all of it to the liquid, as a distance and a velocity at
   the nodes of the grid; rn_world_mac_keep_poses, has_changed, restore_solids and archive_poses deal with poses
   between steps and in snapshots; rn_world_mac_still_distance is the distance without bodies, for mac_aground.c.

   Order of calls (mac_step.c): rn_world_mac_place_solids before the liquid advances, in every part of a step, and
   when the liquid is made or filled; rn_world_mac_keep_poses after the last part, so that the next step knows how far
   solids have come. While nothing moves, only the bodies are handed over again.

   The distance to the ground is stored at the nodes (mac_step.c samples it once); solids and bodies are added by
   minimum, or carved out by maximum, at each query. The velocity at a point is that of the nearest solid there: the
   way that its material has come since the last step, for solids, or the last part, for bodies, divided by that time.
   One more call without motion follows the last moving step, because the liquid still has the old velocities
   (m->moving). */
#include "base/memory.h"
#include "base/quat.h"
#include "terrain/placement.h"
#include "world/mac.h"

#include <math.h>
#include <string.h>

/* The context of meet_distance and meet_velocity. */
typedef struct meeting {
    const rn_world *world;
    double seconds; /* s, length of the step, in which solids move; 0: nothing moves */
    double part;    /* s, length of its part, in which bodies move */
} meeting;

/* The solid nearest to a point: one of the world's solids, or a body; neither: the ground. */
typedef struct nearest {
    const rn_solid *solid;
    int body; /* -1: none */
} nearest;

/* The distance (m) to the ground as stored at the node nearest to a point, which is relative to the box; without stored
   ground, to a floor one cell below the box. */
static double ground_distance(const rn_world_mac *m, rn_vec3 at) {
    if (!m->ground) return at.z + m->def.cell_size; /* the floor of the box: it cuts no cell */
    size_t n[3];
    const double place[3] = {at.x, at.y, at.z};
    for (int a = 0; a < 3; a++) n[a] = (size_t)rn_clamp(rint(place[a] / m->def.cell_size), 0.0, m->nodes[a] - 1);
    return m->ground[n[0] + (size_t)m->nodes[0] * (n[1] + (size_t)m->nodes[1] * n[2])];
}

/* The distance (m) from a node (m, relative to the box) to the ground and solids. Sets *found to the solid that decides
   it, which may be a carved one, or to NULL if the ground does. */
static double fixed_distance(const rn_world *world, rn_vec3 at, const rn_solid **found) {
    const rn_world_mac *m = world->mac;
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    double distance = ground_distance(m, at);
    *found = NULL;
    for (size_t i = 0; i < world->solids.count; i++) {
        const rn_solid *solid = &world->solids.list[i];
        if (!solid->shape || solid->hidden) continue;
        const double to = solid->shape->type->distance(solid->shape, p);
        const double with = solid->carve ? rn_max(distance, -to) : rn_min(distance, to);
        if (with != distance) *found = solid;
        distance = with;
    }
    return distance;
}

/* The distance (m) from a node to all solid; *found: the nearest solid. */
static double distance_at(const rn_world *world, rn_vec3 at, nearest *found) {
    const rn_world_mac *m = world->mac;
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    int body;
    *found = (nearest){NULL, -1};
    const double distance = fixed_distance(world, at, &found->solid);
    const double to = rn_world_mac_body_distance(world, p, &body);
    if (to < distance) *found = (nearest){NULL, body};
    return rn_min(distance, to);
}

double rn_world_mac_still_distance(const rn_world *world, rn_vec3 at) {
    const rn_solid *found;
    return rn_min(fixed_distance(world, at, &found), at.z);
}

/* The body to which the solid at a point belongs, -1: none. See rn_mac_nearest. */
static int nearest_body(const rn_world *world, rn_vec3 at) {
    nearest found;
    distance_at(world, at, &found);
    return found.body;
}

/* The distance (m) to all solid, for the 3D liquid. */
static double meet_distance(void *user, rn_vec3 at) {
    nearest found;
    return distance_at(((const meeting *)user)->world, at, &found);
}

/* The velocity (m/s) of the nearest solid at a point, from the position of its material there before the step; 0 for
   the ground. */
static rn_vec3 meet_velocity(void *user, rn_vec3 at) {
    const meeting *meet = user;
    const rn_world_mac *m = meet->world->mac;
    nearest found;
    distance_at(meet->world, at, &found);
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    if (found.body >= 0) return rn_world_mac_body_velocity(meet->world, found.body, p, meet->part);
    const rn_solid *solid = found.solid;
    if (!solid || !(meet->seconds > 0.0)) return (rn_vec3){0.0, 0.0, 0.0};
    const size_t i = (size_t)(solid - meet->world->solids.list);
    const rn_placement now = m->solids[i].now, before = m->solids[i].before;
    const rn_vec3 own = rn_rotate_back(now.turn, rn_minus(p, solid->at)), was = rn_rotate(before.turn, own);
    const rn_vec3 from = {was.x + m->solids[i].at.x, was.y + m->solids[i].at.y, was.z + m->solids[i].at.z};
    return (rn_vec3){(p.x - from.x) / meet->seconds, (p.y - from.y) / meet->seconds, (p.z - from.z) / meet->seconds};
}

/* The current pose of a solid, without the rotations of a step. */
static rn_solid_pose pose_of(const rn_solid *solid) {
    return (rn_solid_pose){.at = solid->at, .turn = solid->turn, .hidden = solid->hidden, .bends = solid->bends};
}

/* Whether a solid is at the position of an earlier pose, whatever its rotation. */
static bool is_at(const rn_solid *solid, const rn_solid_pose *pose) {
    return memcmp(&solid->at, &pose->at, sizeof pose->at) == 0;
}

/* Whether a solid's rotation differs from that of an earlier pose. */
static bool is_turned(const rn_solid *solid, const rn_solid_pose *pose) {
    return memcmp(&solid->turn, &pose->turn, sizeof pose->turn) != 0;
}

void rn_world_mac_keep_poses(rn_world *world) {
    rn_world_mac *m = world->mac;
    for (size_t i = 0; i < m->solid_count; i++) m->solids[i] = pose_of(&world->solids.list[i]);
}

/* Whether solids differ from those that the liquid has. */
static bool solids_have_changed(const rn_world *world) {
    const rn_world_mac *m = world->mac;
    if (m->solid_count != world->solids.count) return true;
    for (size_t i = 0; i < m->solid_count; i++) {
        const rn_solid *solid = &world->solids.list[i];
        const rn_solid_pose *was = &m->solids[i];
        if (solid->hidden != was->hidden || solid->bends != was->bends || !is_at(solid, was) || is_turned(solid, was))
            return true;
    }
    return false;
}

bool rn_world_mac_has_changed(const rn_world *world) {
    const rn_world_mac *m = world->mac;
    if (m->changed || solids_have_changed(world)) return true;
    for (size_t i = 0; i < m->actor_count; i++)
        if (m->actors[i].there && !rn_body_at(&world->bodies, i)->shape) return true;
    return false;
}

rn_result rn_world_mac_place_solids(rn_world *world, double seconds, double part) {
    rn_world_mac *m = world->mac;
    const rn_solids *all = &world->solids;
    bool moved = m->changed || solids_have_changed(world);
    while (m->solid_count < all->count) {
        const rn_solid *solid = &all->list[m->solid_count];
        if (!rn_grow(&world->hooks, &m->solids, &m->solid_room, m->solid_count, sizeof *m->solids)) return RN_MEMORY;
        m->solids[m->solid_count++] = pose_of(solid);
    }
    rn_result result = rn_world_mac_place_bodies(world, &moved);
    const bool first = !m->has_solid && (m->ground || all->count > 0 || m->actor_count > 0);
    if (result != RN_OK) return result;
    if (!moved && !m->moving && !first) return rn_world_mac_hand_bodies(world, nearest_body);
    for (size_t i = 0; i < all->count; i++) {
        m->solids[i].now = rn_pose_turned(all->list[i].turn);
        m->solids[i].before = rn_pose_turned(m->solids[i].turn);
    }
    meeting meet = {world, moved ? seconds : 0.0, part};
    const bool still = !moved || !(seconds > 0.0);
    result = first ? rn_mac_set_solid(m->mac, meet_distance, &meet)
                   : rn_mac_move_solid(m->mac, meet_distance, still ? NULL : meet_velocity, &meet);
    if (result != RN_OK) return result;
    m->has_solid = true;
    m->moving = !still;
    m->changed = false;
    return rn_world_mac_hand_bodies(world, nearest_body);
}

rn_result rn_world_mac_restore_solids(rn_world *world, bool moving) {
    rn_world_mac *m = world->mac;
    const rn_solids *all = &world->solids;
    m->solid_count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!rn_grow(&world->hooks, &m->solids, &m->solid_room, i, sizeof *m->solids)) return RN_MEMORY;
        m->solids[m->solid_count++] = pose_of(&all->list[i]);
    }
    m->moving = moving;
    m->changed = false;
    bool moved = false;
    const rn_result result = rn_world_mac_place_bodies(world, &moved);
    if (result != RN_OK) return result;
    for (size_t i = 0; i < m->actor_count; i++) m->actors[i].drag_torque = (rn_vec3){0.0, 0.0, 0.0};
    for (size_t i = 0; i < world->bodies.count; i++) {
        rn_body *body = rn_body_at(&world->bodies, i);
        body->placed = body->restored;
        body->restored = false;
    }
    if (!m->has_solid && !m->ground && all->count == 0 && m->actor_count == 0) return RN_OK;
    meeting meet = {world, 0.0, 0.0};
    m->has_solid = true;
    return rn_mac_set_solid(m->mac, meet_distance, &meet);
}

void rn_world_mac_archive_poses(rn_world *world, rn_archive *a) {
    rn_world_mac *m = world->mac;
    uint64_t count = world->solids.count; /* a state may have fewer than the world that it is checked against */
    RN_ARCHIVE_VALUE(a, count);
    if (count > world->solids.count) a->broken = true;
    for (size_t i = 0; i < count && !a->broken; i++) {
        rn_solid_pose pose = i < m->solid_count ? m->solids[i] : pose_of(&world->solids.list[i]);
        int32_t hidden = pose.hidden;
        double *const parts[] = {&pose.at.x,   &pose.at.y,   &pose.at.z,  &pose.turn.x,
                                 &pose.turn.y, &pose.turn.z, &pose.turn.w};
        for (int n = 0; n < 7; n++) rn_archive_within(a, parts[n], -1e12, 1e12);
        RN_ARCHIVE_VALUE(a, hidden);
        if (hidden != 0 && hidden != 1) a->broken = true;
        if (a->pass != RN_READ || a->broken) continue;
        pose.hidden = hidden != 0;
        m->solids[i] = pose;
    }
    if (a->pass == RN_READ) m->changed = true;
}
