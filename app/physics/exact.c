/* Cases of `runnel validate` that must hold to the last bit: rest (case_lake, case_settle), volume and bounds
   (case_volume), symmetry (case_symmetry). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns a step (s) that is stable for water of this depth (m) in cells of this size (m). */
static double stable_step(double cell, double depth) { return 0.8 * cell / sqrt(2.0 * GRAVITY * depth); }

/* Copies a field of all layers into `to`, which has room, layer by layer and row by row without gaps. */
static void copy_field(rn_world *world, rn_field field, float *to) {
    rn_view d = rn_world_view(world, field);
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++) *to++ = d.data[l * d.layer_stride + y * d.row_stride + x];
}

/* Fills thousands of rough columns to one level, many of them to their ceilings, and takes 1,000 steps or, with
   RUNNEL_LONG set, 20,000. Returns how many columns differ from the start and how many faces flow, summed over 20
   looks. Returns NaN if fewer than 1000 columns were full. */
static double count_lake_moves(rn_model model) {
    enum { CELLS = 64, LOOKS = 20 };
    const int steps = getenv("RUNNEL_LONG") ? 20000 : 1000;
    const double cell = 5e-4;
    rn_world *world = make_world_on(random_stacks(CELLS, 3, cell, 5, STACKS_PLAIN),
                                    &(setup){.model = model, .viscosity = 4e-6, .friction = 0.5});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.012});
    size_t count = (size_t)(CELLS * CELLS * rn_world_describe(world).layers), flooded = 0;
    float *before = calloc(count, sizeof *before), *after = calloc(count, sizeof *after),
          *ceil = calloc(count, sizeof *ceil), *base = calloc(count, sizeof *base);
    copy_field(world, RN_FIELD_DEPTH, before);
    copy_field(world, RN_FIELD_BASE, base);
    copy_field(world, RN_FIELD_CEIL, ceil);
    for (size_t i = 0; i < count; i++) flooded += base[i] < RN_NO_COLUMN && before[i] == ceil[i] - base[i];
    double moves = flooded > 1000 ? 0.0 : NAN;
    for (int look = 0; look < LOOKS; look++) {
        for (int i = 0; i < steps / LOOKS; i++) rn_world_step(world, stable_step(cell, 0.012));
        copy_field(world, RN_FIELD_DEPTH, after);
        for (size_t i = 0; i < count; i++) moves += before[i] != after[i];
        for (rn_field field = RN_FIELD_FLUX_X; field <= RN_FIELD_FLUX_Y; field++) {
            copy_field(world, field, after);
            for (size_t i = 0; i < count; i++) moves += after[i] != 0.0f;
        }
    }
    free(before);
    free(after);
    free(base);
    free(ceil);
    rn_world_destroy(world);
    return moves;
}

/* Runs the lake with the physical model (i = 0) or the paper's (i = 1), and stores the result of count_lake_moves() in
   entry `i` of the array `context`. Called in parallel. */
static void run_lake(void *context, int i) {
    ((double *)context)[i] = count_lake_moves(i == 1 ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL);
}

/* A rough, partly flooded lake at rest must stay so. measured[0]: columns that changed and faces that flowed, with both
   models. */
void case_lake(double measured[MOST_MEASURES]) {
    double moves[2];
    side_by_side(2, run_lake, moves);
    measured[0] = moves[0] + moves[1];
}

/* A stirred basin over rough ground must come to rest within 30 s. measured[0]: spread of the levels (quanta); [1]:
   faces that still flow. */
void case_settle(double measured[MOST_MEASURES]) {
    enum { N = 64 };
    const double cell = 0.01;
    double heights[N * N], depth[N * N];
    uint32_t random = 7;
    for (int i = 0; i < N * N; i++) {
        int x = i % N, y = i / N;
        heights[i] = 0.01 * random_unit(&random);
        depth[i] = 0.05 + 0.008 * cos(0.1 * x) * sin(0.13 * y) + 0.004 * random_unit(&random) - heights[i];
    }
    rn_world *world = make_world(
        &(setup){.nx = N, .ny = N, .cell = cell, .heights = heights, .lid = 0.1, .friction = 0.3, .viscosity = 1e-6});
    set_depths(world, depth);
    for (int i = 0; i < 1800; i++) rn_world_step(world, 1.0 / 60.0);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE);
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    double low = INFINITY, high = -INFINITY;
    measured[1] = 0.0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            ptrdiff_t i = y * d.row_stride + x;
            low = fmin(low, b.data[i] + d.data[i]);
            high = fmax(high, b.data[i] + d.data[i]);
            measured[1] += (fx.data[i] != 0.0f) + (fy.data[i] != 0.0f);
        }
    measured[0] = (high - low) / rn_world_describe(world).quantum;
    rn_world_destroy(world);
}

enum { SEEDS = 10 };

/* Creates random stacks of cells x cells cells of size `cell` (m); model, viscosity, edges and ground depend on the
   seed. At most one substep in a step. The caller destroys the world. */
static rn_world *rough_world(uint32_t seed, int cells, double cell) {
    const setup s = {.model = seed % 3 == 1 ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL,
                     .viscosity = seed % 3 ? 4e-6 : 0.0,
                     .friction = 0.5,
                     .max_substeps = 1,
                     .periodic_x = seed % 4 == 1,
                     .periodic_y = seed % 4 >= 2,
                     .open_west = seed % 4 == 2,
                     .open_east = seed % 4 == 2,
                     .drop_y = seed % 4 == 3 ? 1e-3 : 0.0};
    return make_world_on(random_stacks(cells, 4, cell, seed, seed % 2 ? STACKS_RAGGED : STACKS_PLAIN), &s);
}

/* Fills the world to a random level of 4 to 14 mm and adds 4 sources and 4 drains at random places, one of unlimited
   rate. `length`: side of the world (m). Advances `random`. */
static void fill_and_pour(rn_world *world, double length, double cell, uint32_t *random) {
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.004 + 0.01 * random_unit(random)});
    for (int i = 0; i < 8; i++) {
        rn_vec3 at = {length * random_unit(random), length * random_unit(random), 0.03 * random_unit(random)};
        double rate = 10.0 * cell * cell * pow(10.0, -4.0 * random_unit(random));
        if (i == 7) rn_world_drain(world, at, 0.0, INFINITY);
        else if (i % 2) rn_world_drain(world, at, 2.0 * cell, rate);
        else rn_world_pour(world, at, 2.0 * cell, rate);
    }
}

/* The result of one rough world. */
typedef struct rough_result {
    double drift;  /* m^3, the largest */
    double broken; /* columns out of bounds, summed over steps */
} rough_result;

/* Runs rough world `i`: random stacks with walls and holes, sources and drains, all kinds of edges, and fluxes set at
   random, for 3,000 steps or, with RUNNEL_LONG set, 10,000. Stores its rough_result in entry `i` of the array
   `context`. Called in parallel. */
static void run_rough(void *context, int i) {
    const uint32_t seed = (uint32_t)(SEEDS - i); /* the largest first, so that all cores finish together */
    const int cells = 12 + (int)seed;
    const double cell = seed > SEEDS / 2 ? 1e-2 : 1e-3; /* with wide cells, few pipes are falls */
    rn_world *world = rough_world(seed, cells, cell);
    uint32_t random = seed * 77u;
    fill_and_pour(world, cells * cell, cell, &random);
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X);
    rough_result result = {0};
    const int steps = getenv("RUNNEL_LONG") ? 10000 : 3000;
    for (int step = 0; step < steps; step++) {
        rn_world_step(world, 3.0 * stable_step(cell, 0.02));
        result.drift = worse(result.drift, fabs(rn_world_audit(world).drift));
        result.broken += broken_columns(world);
        if (step % 11 != 0) continue;
        for (int k = 0; k < 20; k++) {
            int x = (int)(random_unit(&random) * (cells - 1)), y = (int)(random_unit(&random) * cells);
            fx.data[y * fx.row_stride + x] =
                (float)((2.0 * random_unit(&random) - 1.0) * 1e-4 * pow(10.0, -6.0 * random_unit(&random)));
        }
        rn_world_commit(world);
    }
    rn_world_destroy(world);
    ((rough_result *)context)[i] = result;
}

/* Ten rough worlds take 3,000 steps each or, with RUNNEL_LONG set, 10,000. Theory: volume is exact. measured[0]: the
   largest drift of the volume (m³); [1]: columns out of bounds, summed over all steps. */
void case_volume(double measured[MOST_MEASURES]) {
    rough_result results[SEEDS];
    side_by_side(SEEDS, run_rough, results);
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < SEEDS; i++) {
        measured[0] = worse(measured[0], results[i].drift);
        measured[1] += results[i].broken;
    }
}

/* Disturbs the middle of a symmetric stack every 500 steps, of which it takes 2,000 or, with RUNNEL_LONG set, 6,000.
   Returns how many columns differ from their two mirror images and transpose, summed over looks every 1,000 steps.
   `cell` (m). Returns NaN if nothing moved. */
static double asymmetry(rn_model model, double cell) {
    enum { CELLS = 41 };
    const int steps = getenv("RUNNEL_LONG") ? 6000 : 2000;
    rn_world *world = make_world_on(random_stacks(CELLS, 3, cell, 3, STACKS_SYMMETRIC),
                                    &(setup){.model = model,
                                             .viscosity = 4e-6,
                                             .friction = 0.5,
                                             .passages = FLOW_NONE}); /* passages round asymmetrically */
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.008});
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    float before[CELLS], after[CELLS];
    memcpy(before, d.data + CELLS / 3 * d.row_stride, sizeof before);
    double differing = 0.0;
    for (int step = 0; step < steps; step++) {
        if (step % 500 == 0) {
            for (int l = d.layers - 1; l >= 0; l--) {
                ptrdiff_t middle = l * d.layer_stride + CELLS / 2 * d.row_stride + CELLS / 2;
                if (rn_world_view(world, RN_FIELD_BASE).data[middle] >= RN_NO_COLUMN) continue;
                d.data[middle] += 5e-3f;
                break;
            }
            rn_world_commit(world);
        }
        rn_world_step(world, stable_step(cell, 0.02));
        if (step % 1000 != 999) continue;
        for (int l = 0; l < d.layers; l++)
            for (int y = 0; y < CELLS; y++)
                for (int x = 0; x < CELLS; x++) {
                    const float *layer = d.data + l * d.layer_stride;
                    const float *here = &layer[y * d.row_stride + x];
                    const float *images[] = {&layer[y * d.row_stride + CELLS - 1 - x],
                                             &layer[(CELLS - 1 - y) * d.row_stride + x], &layer[x * d.row_stride + y]};
                    for (int i = 0; i < 3; i++) differing += memcmp(here, images[i], sizeof *here) != 0;
                }
    }
    memcpy(after, d.data + CELLS / 3 * d.row_stride, sizeof after);
    if (memcmp(before, after, sizeof before) == 0) differing = NAN; /* nothing has moved, so nothing is proved */
    rn_world_destroy(world);
    return differing;
}

/* A symmetric world must stay symmetric to the bit. measured[0]: columns that differ from a mirror image, in three
   runs. */
void case_symmetry(double measured[MOST_MEASURES]) {
    measured[0] =
        asymmetry(RN_MODEL_PHYSICAL, 1e-3) + asymmetry(RN_MODEL_PHYSICAL, 1e-2) + asymmetry(RN_MODEL_PAPER, 1e-3);
}
