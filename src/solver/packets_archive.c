/* The outside view of the packets solver: fluxes that hosts see, flows for sections, and saved states.

   Interface (solver/packets_self.h): rn_packets_show and rn_packets_take convert velocities to fluxes and back;
   rn_packets_archive, rn_packets_column_flow and rn_packets_face_flow are members of the class.

   Order of calls: rn_packets_show runs when a host asks for the arrays (sync) and before a state is saved or hashed.
   rn_packets_take runs after a host has written fluxes, and only while they are shown. rn_packets_face_flow needs a
   substep in which transfers were counted (forcing->gauged).

   Algorithm: the solver stores velocities at the centres of columns. Hosts see fluxes through sides: rn_packets_show
   writes the mean of what both columns carry, and rn_packets_take adds what hosts have changed to the velocities,
   half to each column of a side. A flux is a mean, from which velocities cannot be recovered, so only differences of
   fluxes count. Archives hold the depths and velocities of all columns; with tiles also the level of each tile, from
   which its cells follow (solver/packets_shown.c). */
#include "base/error.h"
#include "base/hash.h"
#include "solver/packets_tiling.h"

#include <string.h>

#define MOST_SPEED 1e9f /* m/s: a step squares it, and must stay within the range of floats */

/* ---- Flows ------------------------------------------------------------------------------------------------------- */

void rn_packets_column_flow(const void *self, int32_t slot, double flow[2]) {
    const rn_packets *solver = self;
    const bool counts = solver->columns.depth[slot] > rn_film(solver->cell);
    const float *u = solver->u, *v = solver->v;
    if (solver->tiles) {
        const rn_packet_level *level = rn_tiles_find(solver, slot, &slot);
        u = level->u, v = level->v;
    }
    flow[0] = counts ? (double)u[slot] : 0.0;
    flow[1] = counts ? (double)v[slot] : 0.0;
}

/* The height (m) of the side between two columns, as far as liquid stands above both grounds; 0 at walls and where none
   does. */
static float side_height(const rn_packets *solver, int32_t a, int32_t b) {
    const float za = solver->ground[a], zb = solver->ground[b];
    const float level = fmaxf(za + solver->columns.depth[a], zb + solver->columns.depth[b]),
                height = level - fmaxf(za, zb);
    return za < RN_NO_COLUMN && zb < RN_NO_COLUMN && height > 0.0f ? height : 0.0f;
}

rn_face_flow rn_packets_face_flow(const void *self, int32_t cell, int axis) {
    const rn_packets *solver = self;
    const float moved = (axis == 0 ? solver->transfer_x : solver->transfer_y)[cell];
    const int32_t next = cell + (axis == 0 ? 1 : solver->columns.grid.stride);
    return (rn_face_flow){(int64_t)(moved / solver->columns.quantum), (double)side_height(solver, cell, next)};
}

/* The flux (m^3/s) through the side between two columns: the mean of what both carry at `speed`, u or v; 0 if the side
   has no height. */
static float side_flux(const rn_packets *solver, const float *speed, int32_t a, int32_t b) {
    const float *h = solver->columns.depth;
    if (!(side_height(solver, a, b) > 0.0f)) return 0.0f;
    return 0.5f * (speed[a] * h[a] + speed[b] * h[b]) * solver->columns.width + 0.0f;
}

void rn_packets_show(rn_packets *solver) {
    rn_columns *c = &solver->columns;
    const rn_grid *g = &c->grid;
    if (solver->shown) return;
    if (solver->tiles) {
        rn_tiles_show(solver);
        rn_tiles_show_speeds(solver);
    }
    rn_packets_mirror(c, g, c->depth);
    rn_packets_mirror(c, g, solver->u);
    rn_packets_mirror(c, g, solver->v);
    for (int y = -1; y < g->ny; y++)
        for (int x = -1; x < g->nx; x++) {
            const int32_t slot = rn_slot(g, 0, y, x);
            c->flux_x[slot] = side_flux(solver, solver->u, slot, slot + 1);
            c->flux_y[slot] = side_flux(solver, solver->v, slot, slot + g->stride);
        }
    solver->shown = true;
}

/* Writes to u1 and v1, which the next substep overwrites, by how much the fluxes that hosts see differ from what depths
   and velocities now carry (m^3/s). */
static void find_flux_changes(rn_packets *solver) {
    const rn_columns *c = &solver->columns;
    const rn_grid *g = &c->grid;
    for (int y = -1; y < g->ny; y++)
        for (int x = -1; x < g->nx; x++) {
            const int32_t slot = rn_slot(g, 0, y, x);
            solver->u1[slot] = c->flux_x[slot] - side_flux(solver, solver->u, slot, slot + 1);
            solver->v1[slot] = c->flux_y[slot] - side_flux(solver, solver->v, slot, slot + g->stride);
        }
}

/* Half of the difference at a side goes to each of its columns, divided by depth and width; dry ones ignore it. */
void rn_packets_take(rn_packets *solver) {
    const rn_columns *c = &solver->columns;
    const rn_grid *g = &c->grid;
    find_flux_changes(solver);
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            const int32_t slot = rn_slot(g, 0, y, x);
            const float more_x = solver->u1[slot - 1] + solver->u1[slot],
                        more_y = solver->v1[slot - g->stride] + solver->v1[slot];
            if (!(c->depth[slot] > solver->params.dry)) continue;
            if (fabsf(more_x) > 0.0f) solver->u[slot] += 0.5f * more_x / (c->depth[slot] * c->width);
            if (fabsf(more_y) > 0.0f) solver->v[slot] += 0.5f * more_y / (c->depth[slot] * c->width);
        }
}

/* ---- Archives ---------------------------------------------------------------------------------------------------- */

/* Gives the world the columns of a->batch (an rn_archive_shape). Returns RN_INVALID, with a message, if this solver
   does not support them; or RN_MEMORY, with a message. */
static rn_result take_columns(void *self, rn_archive *a, bool partial) {
    if (a->layers > 1 || partial)
        return rn_fail(RN_INVALID, "the state has several columns in a cell, or bodies that block, and the solver "
                                   "\"packets\" (cpu) does not have those");
    return rn_packets_reshape(self, a->batch);
}

/* Measures, writes, checks or reads columns, friction, velocities and, with tiles, their levels. Invalid bytes set
   a->broken. On reading, returns a code, with a message, if the columns cannot be restored. */
static rn_result archive_liquid(rn_packets *solver, rn_archive *a) {
    rn_columns *c = &solver->columns;
    const rn_result result = rn_columns_archive(c, a, take_columns, solver);
    if (result != RN_OK || a->broken) return result;
    RN_ARCHIVE_DATA(a, solver->step);
    rn_archive_same(a, c->rough | c->laws << 1);
    if (!a->broken) rn_columns_archive_friction(c, a);
    if (!a->broken) rn_archive_bounded_rows(a, &c->grid, solver->u, -MOST_SPEED, MOST_SPEED);
    if (!a->broken) rn_archive_bounded_rows(a, &c->grid, solver->v, -MOST_SPEED, MOST_SPEED);
    if (!a->broken && solver->tiles) rn_tiles_archive(solver, a);
    return RN_OK;
}

/* Measures, writes, checks or reads the values that determine the length of the next substep, and a->slowed. */
static void archive_pace(rn_packets *solver, rn_archive *a) {
    rn_archive_size(a, &solver->peak_depth);
    rn_archive_size(a, &solver->peak_speed);
    rn_archive_size(a, &solver->added);
    int32_t flags = solver->touched | a->slowed << 1;
    RN_ARCHIVE_VALUE(a, flags);
    if (a->pass != RN_READ) return;
    solver->touched = flags & 1;
    a->slowed = flags >> 1 & 1;
}

/* Adds the number of substeps, columns, liquid and velocities to a->hash; friction and tiles do not count. */
static void hash_liquid(const rn_packets *solver, rn_archive *a) {
    const rn_columns *c = &solver->columns;
    a->hash = rn_hash_long(a->hash, solver->step);
    for (int y = 0; y < c->grid.ny; y++) {
        const int32_t row = rn_slot(&c->grid, 0, y, 0);
        if (rn_columns_hash_row(c, a, 0, y) == 0) continue;
        a->hash = rn_hash_floats(a->hash, solver->u + row, (size_t)c->grid.nx);
        a->hash = rn_hash_floats(a->hash, solver->v + row, (size_t)c->grid.nx);
    }
}

rn_result rn_packets_archive(void *self, rn_archive *a, rn_archive_section section) {
    rn_packets *solver = self;
    if (!rn_archive_is_reading(a)) rn_packets_show(solver);
    if (a->pass == RN_HASH) {
        if (section == RN_ARCHIVE_LIQUID) hash_liquid(solver, a);
        return RN_OK;
    }
    if (section == RN_ARCHIVE_LIQUID) return archive_liquid(solver, a);
    archive_pace(solver, a);
    return RN_OK;
}
