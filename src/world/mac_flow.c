/* What comes into a 3D liquid and what it meets: fills, sources, and solids that move. */
#include "base/error.h"
#include "base/memory.h"
#include "mac/state.h"
#include "terrain/placement.h"
#include "world/limits.h"
#include "world/mac.h"
#include "world/source.h"

#include <math.h>

#define PI 3.14159265358979323846

/* ---- Fills ------------------------------------------------------------------------------------------------------- */

typedef struct filling {
    const rn_world *world;
    const rn_fill_def *fill;
} filling;

/* Height (m) of the highest ground of the cell at a place. */
static double ground_at(const rn_world *world, rn_vec3 at) {
    const rn_columns *c = world->columns;
    const double cell = world->ground.cell_size;
    const int x = (int)rn_clamp(at.x / cell, 0.0, c->grid.nx - 1), y = (int)rn_clamp(at.y / cell, 0.0, c->grid.ny - 1);
    double base = 0.0;
    for (int layer = 0; layer < c->grid.layers; layer++) {
        const float here = c->base[rn_slot(&c->grid, layer, y, x)];
        if (here < RN_NO_COLUMN) base = (double)here;
    }
    return base + world->datum;
}

/* m, from a place of the box to what is to be filled. Cells that hold liquid already are left alone. */
static double distance_to_fill(void *user, rn_vec3 at) {
    const filling *f = user;
    const rn_world_mac *m = f->world->mac;
    const double cell = m->def.cell_size;
    const int i = (int)rn_clamp(at.x / cell, 0.0, m->def.cells_x - 1),
              j = (int)rn_clamp(at.y / cell, 0.0, m->def.cells_y - 1);
    const int k = (int)rn_clamp(at.z / cell, 0.0, m->def.cells_z - 1);
    const int32_t c = rn_mac_cell(&m->mac->grid, i, j, k);
    if (m->mac->start[c] != m->mac->start[c + 1]) return cell;
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    double distance = f->fill->shape ? f->fill->shape->type->distance(f->fill->shape, p) : -INFINITY;
    if (f->fill->kind == RN_FILL_LEVEL) distance = rn_max(distance, p.z - f->fill->value);
    if (f->fill->kind == RN_FILL_DEPTH) distance = rn_max(distance, p.z - ground_at(f->world, at) - f->fill->value);
    return distance;
}

/* The box that a fill reaches, in metres from the corner of the 3D liquid's box. */
static rn_box box_of(const rn_world_mac *m, const rn_fill_def *fill) {
    const double cell = m->def.cell_size;
    rn_box box = {{0.0, 0.0, 0.0}, {cell * m->def.cells_x, cell * m->def.cells_y, cell * m->def.cells_z}};
    if (fill->shape) {
        const rn_box shape = rn_sdf_bounds(fill->shape);
        box.low.x = rn_max(box.low.x, shape.low.x - m->low.x), box.high.x = rn_min(box.high.x, shape.high.x - m->low.x);
        box.low.y = rn_max(box.low.y, shape.low.y - m->low.y), box.high.y = rn_min(box.high.y, shape.high.y - m->low.y);
        box.low.z = rn_max(box.low.z, shape.low.z - m->low.z), box.high.z = rn_min(box.high.z, shape.high.z - m->low.z);
    }
    if (fill->kind == RN_FILL_LEVEL) box.high.z = rn_min(box.high.z, fill->value - m->low.z);
    return box;
}

rn_result rn_world_mac_fill(rn_world *world, const rn_fill_def *fill) {
    rn_world_mac *m = world->mac;
    const rn_box box = box_of(m, fill);
    const rn_vec3 rest = {0.0, 0.0, 0.0};
    if (box.low.x >= box.high.x || box.low.y >= box.high.y || box.low.z >= box.high.z) return rn_world_mac_show(world);
    filling f = {world, fill};
    rn_result result = rn_world_mac_check_memory(m, (box.high.x - box.low.x) * (box.high.y - box.low.y) *
                                                        (box.high.z - box.low.z) / pow(m->def.cell_size, 3.0) * 8.0);
    if (result == RN_OK) result = rn_mac_add_liquid(m->mac, box.low, box.high, distance_to_fill, &f, rest);
    return result == RN_OK ? rn_world_mac_show(world) : result;
}

/* ---- Sources ----------------------------------------------------------------------------------------------------- */

rn_result rn_world_mac_check_source(const rn_source_def *def) {
    if (def->kind != RN_SOURCE_RATE && def->kind != RN_SOURCE_DRAIN)
        return rn_fail(RN_INVALID, "the 3D liquid has sources and drains of a rate only: no level, head, rain or loss");
    if (def->shape || def->along_side)
        return rn_fail(RN_INVALID,
                       "sources and drains of the 3D liquid are round: give \"at\" or \"path\", and \"radius\"");
    const rn_vec3 v = def->velocity;
    if (fabs(v.x) < 1e6 && fabs(v.y) < 1e6 && fabs(v.z) < 1e6) return RN_OK;
    return rn_fail(RN_INVALID, "the source's velocity is (%g, %g, %g); it must be finite (m/s)", v.x, v.y, v.z);
}

/* Not less than a cell has room for. */
static double radius_of(const rn_world_mac *m, const rn_source *source) {
    return rn_max(source->radius, 0.5 * m->def.cell_size);
}

static rn_vec3 position_of(const rn_world_mac *m, const rn_source *source, double time) {
    const rn_vec3 at = source->path ? rn_path_at(source->path, source->path_count, time) : source->at;
    return (rn_vec3){at.x - m->low.x, at.y - m->low.y, at.z - m->low.z};
}

/* m^3/s, the mean over the seconds from now on, below 0 for a drain. One without a rate takes all that its ball holds.
 */
static double rate_of(const rn_world_mac *m, const rn_source *source, double now, double seconds) {
    const double from = rn_max(now, source->start);
    const double to = source->stop != 0.0 ? rn_min(now + seconds, source->stop) : now + seconds;
    if (source->removed || to <= from) return 0.0;
    if (source->kind == RN_SOURCE_RATE) return rn_series_integral(&source->value, from, to) / seconds;
    const double r = radius_of(m, source), all = 4.0 * r * r * r / seconds * (to - from) / seconds;
    const double rate = rn_series_at(&source->value, from);
    return -(isfinite(rate) ? rn_min(rate * (to - from) / seconds, all) : all);
}

static rn_vec3 velocity_of(const rn_world_mac *m, const rn_source *source, rn_vec3 given, double rate) {
    if (given.x != 0.0 || given.y != 0.0 || given.z != 0.0 || source->kind == RN_SOURCE_DRAIN) return given;
    const double r = radius_of(m, source);
    return (rn_vec3){0.0, 0.0, -rate / (PI * r * r)};
}

rn_result rn_world_mac_add_source(rn_world *world, const rn_source *source, const rn_source_def *def) {
    rn_world_mac *m = world->mac;
    const rn_hooks *hooks = &world->hooks;
    if (!rn_grow(hooks, &m->sources, &m->source_room, m->source_count, sizeof *m->sources) ||
        !rn_grow(hooks, &m->speeds, &m->speed_room, m->source_count, sizeof *m->speeds))
        return RN_MEMORY;
    const rn_mac_source_def made = {.position = position_of(m, source, world->stats.time),
                                    .radius = radius_of(m, source),
                                    .rate = 0.0,
                                    .velocity = def->velocity};
    const double top = m->def.cell_size * m->def.cells_z;
    if (!(made.position.z >= 0.0 && made.position.z <= top))
        return rn_fail(RN_INVALID,
                       "the source is at z %g m; the box of the 3D liquid reaches from %g to %g m: see \"lid\"",
                       made.position.z + m->low.z, m->low.z, m->low.z + top);
    const rn_result result = rn_mac_add_source(m->mac, &made, &m->sources[m->source_count]);
    if (result == RN_OK) m->speeds[m->source_count++] = def->velocity;
    return result;
}

rn_result rn_world_mac_set_sources(rn_world *world, double seconds) {
    rn_world_mac *m = world->mac;
    rn_result result = RN_OK;
    for (size_t i = 0; i < m->source_count && i < world->sources.count && result == RN_OK; i++) {
        const rn_source *source = &world->sources.list[i];
        const double now = world->stats.time, rate = rate_of(m, source, now, seconds);
        result = rn_mac_set_source_rate(m->mac, m->sources[i], rate);
        if (result == RN_OK)
            result = rn_mac_move_source(m->mac, m->sources[i], position_of(m, source, now + 0.5 * seconds),
                                        velocity_of(m, source, m->speeds[i], rate));
    }
    return result;
}

/* ---- Solids ------------------------------------------------------------------------------------------------------ */

typedef struct meeting {
    const rn_world *world;
    double seconds; /* of the step; 0: nothing moves */
} meeting;

static double ground_distance(const rn_world_mac *m, rn_vec3 at) {
    if (!m->ground) return at.z + m->def.cell_size; /* the floor of the box: no cell is cut */
    size_t n[3];
    const double place[3] = {at.x, at.y, at.z};
    for (int a = 0; a < 3; a++) n[a] = (size_t)rn_clamp(rint(place[a] / m->def.cell_size), 0.0, m->nodes[a] - 1);
    return m->ground[n[0] + (size_t)m->nodes[0] * (n[1] + (size_t)m->nodes[1] * n[2])];
}

/* m, from a corner of a cell to all solid; *nearest: the solid that is nearest, NULL for the ground. */
static double distance_at(const rn_world *world, rn_vec3 at, const rn_solid **nearest) {
    const rn_world_mac *m = world->mac;
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    double distance = ground_distance(m, at);
    *nearest = NULL;
    for (size_t i = 0; i < world->solids.count; i++) {
        const rn_solid *solid = &world->solids.list[i];
        if (!solid->shape || solid->hidden) continue;
        const double to = solid->shape->type->distance(solid->shape, p);
        const double with = solid->carve ? rn_max(distance, -to) : rn_min(distance, to);
        if (with != distance) *nearest = solid;
        distance = with;
    }
    return distance;
}

static double meet_distance(void *user, rn_vec3 at) {
    const rn_solid *nearest;
    return distance_at(((const meeting *)user)->world, at, &nearest);
}

/* How fast a solid's own point at this place came there, from where it was before the step. */
static rn_vec3 meet_velocity(void *user, rn_vec3 at) {
    const meeting *meet = user;
    const rn_world_mac *m = meet->world->mac;
    const rn_solid *solid;
    distance_at(meet->world, at, &solid);
    if (!solid || !(meet->seconds > 0.0)) return (rn_vec3){0.0, 0.0, 0.0};
    const size_t i = (size_t)(solid - meet->world->solids.list);
    const rn_vec3 p = {at.x + m->low.x, at.y + m->low.y, at.z + m->low.z};
    const rn_placement now = rn_pose_turned(solid->turn), before = rn_pose_turned(m->solids[i].turn);
    const rn_vec3 own = rn_rotate_back(now.turn, rn_minus(p, solid->at)), was = rn_rotate(before.turn, own);
    const rn_vec3 from = {was.x + m->solids[i].at.x, was.y + m->solids[i].at.y, was.z + m->solids[i].at.z};
    return (rn_vec3){(p.x - from.x) / meet->seconds, (p.y - from.y) / meet->seconds, (p.z - from.z) / meet->seconds};
}

static bool is_same(rn_vec3 a, rn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

rn_result rn_world_mac_place_solids(rn_world *world, double seconds) {
    rn_world_mac *m = world->mac;
    const rn_solids *all = &world->solids;
    const size_t had = m->solid_count;
    bool moved = had != all->count;
    while (m->solid_count < all->count) {
        const rn_solid *solid = &all->list[m->solid_count];
        if (!rn_grow(&world->hooks, &m->solids, &m->solid_room, m->solid_count, sizeof *m->solids)) return RN_MEMORY;
        m->solids[m->solid_count++] = (rn_solid_pose){solid->at, solid->turn, solid->hidden, solid->bends};
    }
    for (size_t i = 0; i < all->count; i++) {
        const rn_solid *solid = &all->list[i];
        const rn_solid_pose *was = &m->solids[i];
        moved = moved || solid->hidden != was->hidden || solid->bends != was->bends || !is_same(solid->at, was->at) ||
                !is_same(solid->turn, was->turn);
    }
    const bool first = !m->has_solid && (m->ground || all->count > 0);
    if (!moved && !m->moving && !first) return RN_OK;
    meeting meet = {world, moved ? seconds : 0.0};
    const bool still = !moved || !(seconds > 0.0);
    rn_result result = first ? rn_mac_set_solid(m->mac, meet_distance, &meet)
                             : rn_mac_move_solid(m->mac, meet_distance, still ? NULL : meet_velocity, &meet);
    for (size_t i = 0; i < all->count; i++)
        m->solids[i] = (rn_solid_pose){all->list[i].at, all->list[i].turn, all->list[i].hidden, all->list[i].bends};
    m->has_solid = true;
    m->moving = !still;
    return result;
}
