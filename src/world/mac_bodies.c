/* Rigid bodies in a 3D liquid: their distance and velocity for the liquid, and the liquid's load on them.

   Interface: world/mac.h. Order of calls in a step (world/mac_step.c):
   - rn_world_mac_parts says into how many parts the step is split, and rn_world_mac_begin_loads clears the sums;
   - in each part rn_world_mac_place_bodies takes over the poses, rn_world_mac_body_distance and body_velocity answer
     for the nodes of the grid, and rn_world_mac_hand_bodies passes masses and sums to the liquid (all called by
     mac_solids.c);
   - after the liquid has advanced, rn_world_mac_take_bodies takes the sums back;
   - after the last part rn_world_mac_load_bodies makes the loads from them.

   The host moves bodies, as everywhere; to the liquid they are solid that moves. A body moves at most half a cell in
   each part (unless that needs more than MOST_PARTS), and its pose is interpolated. The velocity of its material is
   the way that a point has come in the part, divided by its length; this includes rotation. The liquid sums up the
   impulse of its pressure on each body (mac/bodies.c), and the mean over the step is the load that the host reads. A
   body that the host does not move in this step counts as held, with infinite mass. Loads are divided by the liquid's
   density on the way in and multiplied by it on the way out, because mac/ works without a density. */
#include "base/maths.h"
#include "base/memory.h"
#include "base/quat.h"
#include "bodies/shape.h"
#include "world/mac.h"
#include "world/pose.h"

#include <math.h>

#define PART       0.5 /* cells, that a body may move at once */
#define MOST_PARTS 32
#define FAR        4.0 /* cells from a body, beyond which its distance is only estimated */

/* ---- Shape and motion -------------------------------------------------------------------------------------------- */

/* The centre of mass (m) of a body at a pose. */
static rn_vec3 centre_of(const rn_body *body, const rn_pose *pose) {
    double rows[3][3];
    rn_quat_rows(pose->turn, rows);
    const rn_vec3 c = rn_rows_rotate(rows, body->shape->info.centre);
    return (rn_vec3){pose->at.x + c.x, pose->at.y + c.y, pose->at.z + c.z};
}

/* The distance (m) from a point to a body where it is now. Far away a lower bound. */
static double distance_to(const rn_world_mac *m, const rn_mac_actor *actor, const rn_body *body, rn_vec3 p) {
    const double outside = rn_distance(p, actor->centre) - body->shape->info.radius;
    if (outside > FAR * m->def.cell_size) return outside;
    return body->solid->type->distance(body->solid, rn_rotate_back(actor->now.turn, rn_minus(p, body->now.at)));
}

double rn_world_mac_one_distance(const rn_world *world, size_t number, rn_vec3 at) {
    const rn_world_mac *m = world->mac;
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    return distance_to(m, &m->actors[number], rn_body_at(&world->bodies, number), p);
}

double rn_world_mac_body_distance(const rn_world *world, rn_vec3 p, int *nearest) {
    const rn_world_mac *m = world->mac;
    double least = INFINITY;
    *nearest = -1;
    for (size_t i = 0; i < m->actor_count; i++) {
        const rn_body *body = rn_body_at(&world->bodies, i);
        const double distance = body->shape ? distance_to(m, &m->actors[i], body, p) : INFINITY;
        if (!(distance < least)) continue;
        least = distance;
        *nearest = (int)i;
    }
    return least;
}

rn_vec3 rn_world_mac_body_velocity(const rn_world *world, int number, rn_vec3 p, double seconds) {
    const rn_mac_actor *actor = &world->mac->actors[number];
    const rn_vec3 now = rn_body_at(&world->bodies, (size_t)number)->now.at, was = actor->at;
    const rn_vec3 turned = rn_rotate(actor->before.turn, rn_rotate_back(actor->now.turn, rn_minus(p, now)));
    const rn_vec3 from = {was.x + turned.x, was.y + turned.y, was.z + turned.z};
    return (rn_vec3){(p.x - from.x) / seconds, (p.y - from.y) / seconds, (p.z - from.z) / seconds};
}

/* ---- Parts of a step --------------------------------------------------------------------------------------------- */

int rn_world_mac_parts(const rn_world *world) {
    double most = 0.0;
    for (size_t i = 0; i < world->bodies.count; i++) {
        const rn_body *body = rn_body_at(&world->bodies, i);
        if (body->shape) most = rn_max(most, rn_body_reach(body));
    }
    return (int)rn_clamp(ceil(most / (PART * world->mac->def.cell_size)), 1.0, MOST_PARTS);
}

rn_result rn_world_mac_place_bodies(rn_world *world, bool *moved) {
    rn_world_mac *m = world->mac;
    const rn_bodies *all = &world->bodies;
    for (size_t i = 0; i < all->count; i++) {
        const rn_body *body = rn_body_at(all, i);
        const bool fresh = i == m->actor_count;
        if (fresh && !rn_grow(&world->hooks, &m->actors, &m->actor_room, i, sizeof *m->actors)) return RN_MEMORY;
        rn_mac_actor *actor = &m->actors[i];
        if (fresh) *actor = (rn_mac_actor){.there = false}, m->actor_count++;
        const bool there = body->shape != NULL, leaps = body->placed || !actor->there;
        *moved |= there != actor->there || (there && (body->placed || !rn_pose_same(&actor->pose, &body->now)));
        actor->there = there;
        if (!there) continue;
        const rn_pose was = leaps ? body->from : actor->pose;
        actor->before = rn_pose_turned(was.turn);
        actor->now = rn_pose_turned(body->now.turn);
        actor->at = was.at;
        actor->pose = body->now;
        actor->centre = centre_of(body, &body->now);
        rn_body_at(all, i)->placed = false;
    }
    return RN_OK;
}

/* ---- Loads ------------------------------------------------------------------------------------------------------- */

static rn_vec3 scaled(rn_vec3 v, double by) { return (rn_vec3){by * v.x, by * v.y, by * v.z}; }

/* Sets `turned` to R I R^T times `by`: the inertia of a shape in a rotation. */
static void turn_inertia(const rn_placement *pose, const rn_shape_info *shape, double by, double turned[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            turned[i][j] = 0.0;
            for (int k = 0; k < 9; k++)
                turned[i][j] += by * pose->turn[i][k / 3] * shape->inertia[k / 3][k % 3] * pose->turn[j][k % 3];
        }
}

/* A body for the liquid, with the load of the last step as its force, everything divided by the liquid's density; a
   held body has infinite mass and no inertia. */
static rn_mac_body describe(const rn_world *world, size_t number) {
    const rn_world_mac *m = world->mac;
    const rn_mac_actor *actor = &m->actors[number];
    const rn_body *body = rn_body_at(&world->bodies, number);
    const double density = world->liquid.density, reach = body->shape->info.radius + m->def.cell_size;
    const rn_vec3 c = rn_minus(actor->centre, m->low);
    rn_mac_body made = {.low = {c.x - reach, c.y - reach, c.z - reach},
                        .high = {c.x + reach, c.y + reach, c.z + reach},
                        .centre = c,
                        .mass = actor->held ? INFINITY : body->mass / density,
                        .force = scaled(body->load.buoyancy, 1.0 / density),
                        .torque = scaled(rn_minus(body->load.torque, actor->drag_torque), 1.0 / density),
                        .drag = scaled(body->load.drag, 1.0 / density),
                        .drag_torque = scaled(actor->drag_torque, 1.0 / density),
                        .velocity = actor->velocity,
                        .spin = actor->spin,
                        .impulse = actor->impulse,
                        .twist = actor->twist,
                        .pushed = actor->pushed,
                        .drag_impulse = actor->drag_impulse,
                        .drag_twist = actor->drag_twist,
                        .dragged = actor->dragged};
    if (actor->held) return made;
    turn_inertia(&actor->now, &body->shape->info, body->density / density, made.inertia);
    return made;
}

/* The context of owner_at. */
typedef struct owning {
    const rn_world *world;
    rn_mac_nearest nearest;
    const int *numbers; /* of bodies: their numbers in the liquid */
} owning;

/* The body that the solid at a point of the box belongs to, as a number in the liquid; -1: ground, or a solid. */
static int owner_at(void *user, rn_vec3 at) {
    const owning *o = user;
    const int body = o->nearest(o->world, at);
    return body < 0 ? -1 : o->numbers[body];
}

rn_result rn_world_mac_hand_bodies(rn_world *world, rn_mac_nearest nearest) {
    rn_world_mac *m = world->mac;
    int count = 0;
    for (size_t i = 0; i < m->actor_count; i++) {
        if (!rn_grow(&world->hooks, &m->bodies, &m->body_room, i, sizeof *m->bodies) ||
            !rn_grow(&world->hooks, &m->numbers, &m->number_room, i, sizeof *m->numbers))
            return RN_MEMORY;
        m->numbers[i] = m->actors[i].there ? count : -1;
        if (m->actors[i].there) m->bodies[count++] = describe(world, i);
    }
    owning o = {world, nearest, m->numbers};
    return rn_mac_set_bodies(m->mac, m->bodies, count, owner_at, &o);
}

void rn_world_mac_take_bodies(rn_world *world) {
    const rn_world_mac *m = world->mac;
    for (size_t i = 0; i < m->actor_count; i++) {
        if (!m->actors[i].there) continue;
        const rn_mac_body body = rn_mac_body_at(m->mac, m->numbers[i]);
        rn_mac_actor *actor = &m->actors[i];
        actor->velocity = body.velocity;
        actor->spin = body.spin;
        actor->impulse = body.impulse;
        actor->twist = body.twist;
        actor->pushed = body.pushed;
        actor->drag_impulse = body.drag_impulse;
        actor->drag_twist = body.drag_twist;
        actor->dragged = body.dragged;
    }
}

static rn_vec3 sum_of(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }

/* The load of a body after a step: the means of pressure and viscosity, over the times in which they acted;
   actor->pushed, the time of pressure, must be above 0. The submerged volume follows from the buoyancy. Sets
   actor->drag_torque. */
static rn_body_load load_of(const rn_world *world, const rn_body *body, rn_mac_actor *actor) {
    const double density = world->liquid.density, weight = density * (double)world->gravity;
    const double volume = body->shape->info.volume, by = density / actor->pushed,
                 drag = actor->dragged > 0.0 ? density / actor->dragged : 0.0;
    rn_body_load load = {
        .buoyancy = scaled(actor->impulse, by), .drag = scaled(actor->drag_impulse, drag), .blocks = true};
    load.submerged = weight > 0.0 ? rn_clamp(load.buoyancy.z / weight, 0.0, volume) : 0.0;
    load.share = load.submerged / volume;
    load.force = sum_of(load.buoyancy, load.drag);
    actor->drag_torque = scaled(actor->drag_twist, drag);
    load.torque = sum_of(scaled(actor->twist, by), actor->drag_torque);
    return load;
}

/* Sets everything that an actor sums up in a step to 0. */
static void forget_load(rn_mac_actor *actor) {
    actor->velocity = actor->spin = actor->impulse = actor->twist = (rn_vec3){0.0, 0.0, 0.0};
    actor->drag_impulse = actor->drag_twist = (rn_vec3){0.0, 0.0, 0.0};
    actor->pushed = actor->dragged = 0.0;
}

void rn_world_mac_begin_loads(rn_world *world) {
    for (size_t i = 0; i < world->mac->actor_count; i++) {
        const rn_body *body = rn_body_at(&world->bodies, i);
        rn_mac_actor *actor = &world->mac->actors[i];
        forget_load(actor);
        actor->held = body->shape && !body->placed && rn_pose_same(&body->now, &body->to);
    }
}

void rn_world_mac_load_bodies(rn_world *world) {
    const rn_world_mac *m = world->mac;
    for (size_t i = 0; i < m->actor_count; i++) {
        rn_body *body = rn_body_at(&world->bodies, i);
        rn_mac_actor *actor = &m->actors[i];
        if (!body->shape) continue;
        if (actor->pushed > 0.0) body->load = load_of(world, body, actor);
        else if (rn_mac_particle_count(m->mac) == 0) { /* all liquid is gone */
            body->load = (rn_body_load){.blocks = true};
            actor->drag_torque = (rn_vec3){0.0, 0.0, 0.0};
        }
        forget_load(actor);
        body->from = body->now;
    }
}

void rn_world_mac_archive_torques(rn_world *world, rn_archive *a) {
    for (size_t i = 0; i < world->bodies.count && !a->broken; i++) {
        rn_vec3 torque = {0.0, 0.0, 0.0};
        const bool known = i < world->mac->actor_count;
        if (known && !rn_archive_is_reading(a)) torque = world->mac->actors[i].drag_torque;
        double *const along[] = {&torque.x, &torque.y, &torque.z};
        for (int k = 0; k < 3; k++) rn_archive_within(a, along[k], -1e300, 1e300);
        if (known && a->pass == RN_READ) world->mac->actors[i].drag_torque = torque;
    }
}
