/* Forces on the liquid: pushes, swirls and stresses by which hosts stir liquid or let wind blow.

   Interface: rn_force_default, rn_world_add_force, set, remove and has (include/runnel/world.h); rn_forces_act and
   rn_forces_free (world/forces.h).

   Order of calls: world/frame.c calls rn_forces_act at the beginning of every part of a step, after bodies have moved
   and before the solver advances. The solver must have RN_CAN_PUSH, which is checked when a force is added; a 3D
   liquid has no forces.

   Columns get impulses in the order of forces and of cells, through the solver's `push`, so results do not depend on
   threads. Only the topmost liquid of a cell is pushed. A push (m/s^2) acts on the whole depth, a stress (m^2/s^2,
   over the density) on the surface alone; both fall with the square of the distance, to 0 at the radius. Forces have
   no state: whether one acts follows from the time, so snapshots do not hold them. A removed force stays in the list
   and never starts. */
#include "world/forces.h"

#include "base/error.h"
#include "base/memory.h"
#include "world/limits.h"
#include "world/world.h"

rn_force_def rn_force_default(void) { return (rn_force_def){.stop = 0.0}; }

/* Returns RN_INVALID, with a message, unless all numbers of a force are within world/limits.h, a swirl has a radius,
   and the solver supports forces. */
static rn_result check_force(const rn_world *world, const rn_force_def *def) {
    const double numbers[] = {def->push[0], def->push[1], def->swirl, def->stress[0], def->stress[1]};
    for (int i = 0; i < 5; i++)
        if (!rn_within(numbers[i], RN_LIMIT_FORCE))
            return rn_fail(RN_INVALID, "a force has %g; its push, swirl and stress must be from %g to %g", numbers[i],
                           RN_LIMIT_FORCE);
    if (!rn_within(def->radius, RN_LIMIT_RADIUS))
        return rn_fail(RN_INVALID, "a force has the radius %g; it must be from %g to %g (m)", def->radius,
                       RN_LIMIT_RADIUS);
    if (def->swirl != 0.0 && !(def->radius > 0.0))
        return rn_fail(RN_INVALID, "a force has a swirl of %g but no radius; give it the radius within which it turns",
                       def->swirl);
    if (!(def->start >= 0.0 && isfinite(def->start)) || !(def->stop >= 0.0))
        return rn_fail(RN_INVALID, "a force acts from %g to %g s; both must be 0 or more", def->start, def->stop);
    return rn_world_needs(world, RN_CAN_PUSH, "forces on liquid");
}

int rn_world_add_force(rn_world *world, const rn_force_def *def) {
    rn_forces *all = &world->forces;
    if (check_force(world, def) != RN_OK) return -1;
    if (!rn_grow(&world->hooks, &all->list, &all->capacity, all->count, sizeof *all->list)) return -1;
    all->list[all->count] = *def;
    return (int)all->count++;
}

/* A removed force never starts. */
bool rn_world_has_force(const rn_world *world, int force) {
    return force >= 0 && (size_t)force < world->forces.count && isfinite(world->forces.list[force].start);
}

/* Returns RN_INVALID, with a message, unless there is a force of this number that has not been removed. */
static rn_result check_exists(const rn_world *world, int force) {
    if (rn_world_has_force(world, force)) return RN_OK;
    return rn_fail(RN_INVALID, "there is no force %d; %zu have been added", force, world->forces.count);
}

rn_result rn_world_remove_force(rn_world *world, int force) {
    if (check_exists(world, force) != RN_OK) return RN_INVALID;
    world->forces.list[force].start = INFINITY;
    return RN_OK;
}

rn_result rn_world_set_force(rn_world *world, int force, const rn_force_def *def) {
    if (check_exists(world, force) != RN_OK) return RN_INVALID;
    const rn_result result = check_force(world, def);
    if (result == RN_OK) world->forces.list[force] = *def;
    return result;
}

void rn_forces_free(rn_world *world) { rn_free(&world->hooks, world->forces.list); }

/* The slot of the topmost wet column of a cell, or -1 if all are dry. */
static int32_t topmost_wet(const rn_columns *c, int x, int y) {
    int32_t found = -1;
    for (int l = 0; l < c->grid.layers; l++) {
        const int32_t slot = rn_slot(&c->grid, l, y, x);
        if (c->base[slot] >= 0.0f && c->base[slot] < RN_NO_COLUMN && c->depth[slot] > 0.0f) found = slot;
    }
    return found;
}

/* Pushes the topmost liquid of a cell for `seconds`: with full strength at the centre of the force, falling with the
   square of the distance to 0 at its radius; without a radius (0) evenly. Does nothing in dry cells and beyond. */
static void push_cell(rn_world *world, const rn_force_def *f, int x, int y, double seconds) {
    const double cell = world->ground.cell_size, r = f->radius;
    const double dx = world->ground.origin_x + (x + 0.5) * cell - f->at.x,
                 dy = world->ground.origin_y + (y + 0.5) * cell - f->at.y;
    const double weight = r > 0.0 ? 1.0 - (dx * dx + dy * dy) / (r * r) : 1.0;
    const int32_t slot = weight > 0.0 ? topmost_wet(world->columns, x, y) : -1;
    if (slot < 0) return;
    const double depth = (double)world->columns->depth[slot], turn = r > 0.0 ? f->swirl / r : 0.0;
    const double along_x = depth * (f->push[0] - turn * dy) + f->stress[0],
                 along_y = depth * (f->push[1] + turn * dx) + f->stress[1];
    const double share = weight * seconds * cell * cell;
    world->solver->push(world->self, slot, (double[2]){share * along_x, share * along_y});
}

/* Finds the cells along an axis, from *from up to, not including, *to, that a force within `radius` (m) around `middle`
   (m) can reach; none if it lies outside. The axis has `cells` cells of size `cell` (m), from `origin` (m) on. */
static void cells_in_reach(double middle, double radius, double origin, double cell, int cells, int *from, int *to) {
    const double low = floor((middle - radius - origin) / cell), high = ceil((middle + radius - origin) / cell);
    *from = low > 0.0 ? (int)rn_min(low, cells) : 0;
    *to = high < cells ? (int)rn_max(high, 0.0) : cells;
}

void rn_forces_act(rn_world *world, double seconds) {
    const rn_terrain_info *g = &world->ground;
    const double now = world->stats.time;
    for (size_t i = 0; i < world->forces.count; i++) {
        const rn_force_def *f = &world->forces.list[i];
        if (now < f->start || (f->stop > 0.0 && now >= f->stop)) continue;
        int x0 = 0, y0 = 0, x1 = g->cells_x, y1 = g->cells_y;
        if (f->radius > 0.0) {
            cells_in_reach(f->at.x, f->radius, g->origin_x, g->cell_size, g->cells_x, &x0, &x1);
            cells_in_reach(f->at.y, f->radius, g->origin_y, g->cell_size, g->cells_y, &y0, &y1);
        }
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++) push_cell(world, f, x, y, seconds);
    }
}
