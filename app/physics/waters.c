/* Standard states of water (waters.h). water_create() makes the terrain from base_at(), the world from water_def(), and
   fills it to level_at(). */
#include "physics/waters.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

#define TURN 6.28318530717959

/* Returns a random number in [0, 1) that depends only on the arguments. */
static double random_at(int x, int y, uint32_t salt) {
    uint32_t bits = (uint32_t)x * 2654435769u ^ ((uint32_t)y * 2246822519u + salt * 3266489917u);
    bits = (bits ^ (bits >> 15)) * 2246822519u;
    bits = (bits ^ (bits >> 13)) * 3266489917u;
    return (double)((bits ^ (bits >> 16)) >> 8) / 16777216.0;
}

/* Which state, and its size in cells. */
typedef struct ground {
    water_kind kind;
    int nx, ny;
} ground;

#define INCLINE 0.2 /* m down for each m along x */
#define BANK    20  /* cells; the slope is less than 1, so that banks are not cliffs */

/* Returns how many cells (x, y) lies outside the hollow, which with its banks is a hundredth of the ground; below 0
   within. */
static double outside_hollow(const ground *g, int x, int y) {
    const double dx = fabs(x + 0.5 - 0.5 * g->nx) - 0.05 * g->nx, dy = fabs(y + 0.5 - 0.5 * g->ny) - 0.05 * g->ny;
    return fmax(dx, dy) + 0.5 * BANK;
}

/* Returns the height of random bumps lower than a cell of 1 mm (m), so that the steps between them are not falls. */
static double bump_height(int x, int y) { return 0.0009 * random_at(x, y, 1); }

/* Returns the height of the ground in cell (x, y) (m). */
static double base_at(const ground *g, int x, int y) {
    switch (g->kind) {
    case WATER_ROUGH:
    case WATER_STILL: return bump_height(x, y);
    case WATER_FILM: return INCLINE * (g->nx - 1 - x) * 1e-3;
    case WATER_DAM: return 0.0;
    case WATER_HALF_DRY: return 0.010 + 0.006 * sin(TURN * x / 100) * sin(TURN * y / 80) + 0.0005 * random_at(x, y, 1);
    case WATER_VIOLENT:
    case WATER_BRIMMING: return 0.0019 * random_at(x, y, 1);
    case WATER_HOLLOW: return 0.8e-3 * fmin(fmax(outside_hollow(g, x, y), 0.0), BANK) + 0.1 * bump_height(x, y);
    }
    return 0.0;
}

/* Returns the level of the water (m) in cell (x, y) on ground of height `base` (m); below `base` it is dry. */
static double level_at(const ground *g, int x, int y, double base) {
    const double waves = 0.010 + 0.001 * sin(TURN * x / 50) * cos(TURN * y / 40) + 0.0002 * random_at(x, y, 2);
    switch (g->kind) {
    case WATER_ROUGH: return waves;
    case WATER_STILL: return 0.010;
    case WATER_FILM:
        return base + 0.0004 * (1 + 0.1 * sin(TURN * x / 60) + 0.05 * sin(TURN * y / 45) + 0.02 * random_at(x, y, 2));
    case WATER_DAM: return hypot(x + 0.5 - 0.5 * g->nx, y + 0.5 - 0.5 * g->ny) < 0.1 * g->nx ? 2.0 : 1.0;
    case WATER_HALF_DRY: return 0.010 + 0.001 * sin(TURN * (x + y) / 70);
    case WATER_VIOLENT:
    case WATER_BRIMMING: return (x / 13 + y / 17) % 3 == 0 ? base + 0.012 * random_at(x, y, 2) : 0.0;
    case WATER_HOLLOW: return outside_hollow(g, x, y) < BANK ? waves : 0.0;
    }
    return 0.0;
}

/* Returns the definition of the world: viscosity, friction and passages; the terrain is left to the caller. */
static rn_world_def water_def(const ground *g) {
    rn_world_def def = rn_world_default();
    def.liquid.viscosity = 4e-6;
    def.friction = 1.0;
    if (g->kind == WATER_BRIMMING) def.passages = RN_PASSAGES_NONE;
    switch (g->kind) {
    case WATER_ROUGH:
    case WATER_STILL:
    case WATER_HOLLOW:
    case WATER_FILM: break;
    case WATER_DAM: def.liquid.viscosity = 0.0, def.friction = 0.95; break;
    case WATER_HALF_DRY: def.liquid.viscosity = 1e-6, def.friction = 0.8; break;
    case WATER_VIOLENT:
    case WATER_BRIMMING: def.liquid.viscosity = 1e-7, def.friction = 0.6; break;
    }
    return def;
}

/* Returns the height of the lid (m). */
static double lid_height(const ground *g) {
    switch (g->kind) {
    case WATER_FILM: return INCLINE * g->nx * 1e-3 + 0.01;
    case WATER_DAM: return 4.0;
    case WATER_BRIMMING: return 0.006;
    default: return 0.05;
    }
}

/* Creates the terrain from base_at() with one column in each cell; the caller destroys it. On failure rn_last_error()
   says why. */
static rn_result make_terrain_of(const ground *g, int threads, rn_terrain **terrain) {
    const size_t cells = (size_t)g->nx * (size_t)g->ny;
    const double lid = lid_height(g);
    rn_column *columns = calloc(cells, sizeof *columns);
    int32_t *counts = calloc(cells, sizeof *counts);
    rn_result result = RN_OK;
    if (!columns || !counts) result = rn_fail(RN_MEMORY, "there is not enough memory for the ground");
    else {
        for (size_t i = 0; i < cells; i++) {
            const int x = (int)(i % (size_t)g->nx), y = (int)(i / (size_t)g->nx);
            columns[i] = (rn_column){-INFINITY, base_at(g, x, y), lid};
            counts[i] = 1;
        }
        rn_terrain_def def = rn_terrain_default();
        def.cells_x = g->nx;
        def.cells_y = g->ny;
        def.cell_size = g->kind == WATER_DAM ? 1.0 : 1e-3;
        def.lid = lid;
        def.columns = columns;
        def.columns_per_cell = counts;
        def.threads = threads;
        result = rn_terrain_create(&def, terrain);
    }
    free(columns);
    free(counts);
    return result;
}

/* Fills the world to level_at() and commits. Returns the result of rn_world_fill() or rn_world_commit(), with a reason
   in rn_last_error(). */
static rn_result fill_water(const ground *g, rn_world *world) {
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH), base = rn_world_view(world, RN_FIELD_BASE);
    const double datum = rn_world_describe(world).datum;
    if (g->kind == WATER_STILL)
        return rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level_at(g, 0, 0, 0.0)});
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) {
            const ptrdiff_t at = y * depth.row_stride + x;
            const double bed = datum + (double)base.data[at];
            depth.data[at] = (float)fmax(level_at(g, x, y, bed) - bed, 0.0);
        }
    return rn_world_commit(world);
}

rn_result water_create(water_kind kind, int nx, int ny, int threads, const char *backend, rn_world **world,
                       rn_world_def *def) {
    const ground g = {kind, nx, ny};
    rn_terrain *terrain = NULL;
    rn_result result = make_terrain_of(&g, threads, &terrain);
    if (result != RN_OK) return result;
    *def = water_def(&g);
    def->terrain = terrain;
    def->threads = threads;
    def->backend = backend;
    result = rn_world_create(def, world);
    rn_terrain_destroy(terrain);
    def->terrain = NULL;
    if (result == RN_OK) result = fill_water(&g, *world);
    return result;
}
