#include "physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool ok) {
    if (ok) return;
    fprintf(stderr, "runnel validate: %s\n", rn_last_error());
    exit(1);
}

rn_world *make_world_on(rn_terrain *terrain, const setup *s) {
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.liquid.viscosity = s->viscosity;
    def.friction = s->friction > 0.0 ? s->friction : 1.0;
    def.drop_x = s->drop_x;
    def.drop_y = s->drop_y;
    def.max_substeps = s->max_substeps;
    def.model = s->model;
    def.advection = s->advection;
    def.passages = s->passages;
    if (s->courant > 0.0) def.courant = s->courant;
    if (s->periodic_x) def.edges[RN_SIDE_WEST] = def.edges[RN_SIDE_EAST] = RN_EDGE_PERIODIC;
    if (s->periodic_y) def.edges[RN_SIDE_SOUTH] = def.edges[RN_SIDE_NORTH] = RN_EDGE_PERIODIC;
    if (s->open_west) def.edges[RN_SIDE_WEST] = RN_EDGE_OPEN;
    if (s->open_east) def.edges[RN_SIDE_EAST] = RN_EDGE_OPEN;
    rn_world *world = NULL;
    must(rn_world_create(&def, &world) == RN_OK);
    rn_terrain_destroy(terrain);
    return world;
}

rn_terrain *make_terrain(int nx, int ny, double cell, double lid, const rn_column *columns, const int32_t *counts) {
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = nx;
    def.cells_y = ny;
    def.cell_size = cell;
    def.lid = lid;
    def.columns = columns;
    def.columns_per_cell = counts;
    rn_terrain *terrain = NULL;
    must(rn_terrain_create(&def, &terrain) == RN_OK);
    return terrain;
}

rn_world *make_world(const setup *s) {
    int cells = s->nx * s->ny;
    rn_column *columns = calloc((size_t)cells, sizeof *columns);
    int32_t *counts = calloc((size_t)cells, sizeof *counts);
    must(columns && counts);
    for (int i = 0; i < cells; i++) {
        columns[i] = (rn_column){-INFINITY, s->heights ? s->heights[i] : 0.0, s->lid};
        counts[i] = 1;
    }
    rn_terrain *terrain = make_terrain(s->nx, s->ny, s->cell, s->lid, columns, counts);
    free(columns);
    free(counts);
    return make_world_on(terrain, s);
}

void set_depths(rn_world *world, const double *depths) {
    rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < view.cells_y; y++)
        for (int x = 0; x < view.cells_x; x++) view.data[y * view.row_stride + x] = (float)depths[y * view.cells_x + x];
    rn_world_commit(world);
}

double depth_at(rn_world *world, int x, int y) {
    rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
    return view.data[y * view.row_stride + x];
}

double random_unit(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* A cell's own random numbers, the same for its mirror images if wanted. */
static uint32_t cell_seed(int cells, int x, int y, uint32_t seed, stack_kind kind) {
    if (kind == STACKS_SYMMETRIC) {
        if (x > cells - 1 - x) x = cells - 1 - x;
        if (y > cells - 1 - y) y = cells - 1 - y;
        if (x < y) {
            int swap = x;
            x = y;
            y = swap;
        }
    }
    uint32_t state = seed * 2654435769u + (uint32_t)(y * cells + x) * 40503u;
    for (int i = 0; i < 4; i++) random_unit(&state);
    return state;
}

rn_terrain *random_stacks(int cells, int most, double cell, uint32_t seed, stack_kind kind) {
    const double lid = 0.045;
    rn_column *columns = calloc((size_t)(cells * cells * most), sizeof *columns);
    int32_t *counts = calloc((size_t)(cells * cells), sizeof *counts);
    must(columns && counts);
    int found = 0;
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++) {
            uint32_t state = cell_seed(cells, x, y, seed, kind);
            int count = 1 + (int)(random_unit(&state) * most);
            double z = 0.006 * random_unit(&state), under = -INFINITY;
            double odd = kind == STACKS_RAGGED ? random_unit(&state) : 1.0;
            if (odd < 0.06) count = 0;                      /* a hole */
            else if (odd < 0.14) count = 1, z = lid - 1e-8; /* a wall */
            else if (odd < 0.2) under = z - 0.002;          /* a solid over nothing */
            for (int layer = 0; layer < count; layer++) {
                double ceil = z + 0.0008 + 0.005 * random_unit(&state);
                columns[found++] = (rn_column){under, z, layer == count - 1 ? lid : ceil};
                under = ceil;
                z = ceil + 0.0005 + 0.002 * random_unit(&state);
            }
            counts[y * cells + x] = count;
        }
    rn_terrain *terrain = make_terrain(cells, cells, cell, lid, columns, counts);
    free(columns);
    free(counts);
    return terrain;
}

double worse(double a, double b) { return a >= b || isnan(a) ? a : b; }
