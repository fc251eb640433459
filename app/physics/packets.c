/* Cases of `runnel validate` about the packets solver (docs/packets.md): wave speed, conservation of volume and
   momentum, rotation compared with semi-Lagrangian transport (collocated.h), a lake at rest, and decay of a
   checkerboard. */
#include "physics/collocated.h"
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ---- Waves ------------------------------------------------------------------------------------------------------- */

/* Returns the error (%) of the period of a small standing wave of 64 cells on water of depth H (m), over four periods,
   against the given wave speed (m/s). `s`: a periodic canal of 64 cells. Returns NaN if it did not swing. */
static double standing_error(const setup *s, double H, double speed) {
    enum { N = 64, CROSSINGS = 9 };
    const double a = 1e-3 * H, dt = 0.2 * s->cell / speed;
    rn_world *world = make_world(s);
    double depth[N], crossing[CROSSINGS], time = 0.0, before = 1.0;
    for (int i = 0; i < N; i++) depth[i] = H + a * cos(2.0 * PI * (i + 0.5) / N);
    set_depths(world, depth);
    for (int count = 0, steps = 0; count < CROSSINGS; steps++) {
        if (steps > 1000000) crossing[count++] = NAN;
        rn_world_step(world, dt);
        time += dt;
        double mode = 0.0;
        for (int i = 0; i < N; i++) mode += (depth_at(world, i, 0) - H) * cos(2.0 * PI * (i + 0.5) / N);
        if ((mode > 0.0) != (before > 0.0)) crossing[count++] = time - dt * mode / (mode - before);
        before = mode;
    }
    rn_world_destroy(world);
    const double period = (crossing[CROSSINGS - 1] - crossing[0]) / 4.0;
    return 100.0 * fabs(N * s->cell / (speed * period) - 1.0);
}

/* Small standing waves with several numbers and widths s of packets. measured[0]: the largest error of the speed
   against sqrt(gH) (%); [1]: with the paper's model, for s of 1.05 and more, against sqrt(2gH/s) (%). */
void case_packets_wave(double measured[MOST_MEASURES]) {
    const struct {
        int count;
        double smoothing;
    } ways[] = {{2, 1.05}, {3, 1.05}, {4, 1.05}, {2, 1.2}, {2, 1.01}, {3, 1.5}};
    measured[0] = measured[1] = 0.0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) {
            const double H = k ? 0.1 : 10.0, cell = k ? 0.02 : 5.0, s = ways[i].smoothing;
            setup of = {.nx = 64,
                        .ny = 1,
                        .cell = cell,
                        .lid = 2.0 * H,
                        .periodic_x = true,
                        .periodic_y = true,
                        .passages = FLOW_PACKETS};
            of.packets = (rn_packets_def){.count = ways[i].count, .smoothing = s, .courant = 0.5};
            measured[0] = worse(measured[0], standing_error(&of, H, sqrt(GRAVITY * H)));
            of.model = RN_MODEL_PAPER; /* it counts overlapping packets twice on both sides of a face */
            if (s < 1.05) continue;    /* these waves travel further in a step than such packets overlap */
            measured[1] = worse(measured[1], standing_error(&of, H, sqrt(2.0 * GRAVITY * H / s)));
        }
}

/* ---- Conservation ------------------------------------------------------------------------------------------------ */

/* Runs 1e5 substeps over rough ground with a pillar, rain, a spring and a drain. Raises *drift to the largest drift of
   the volume (m³; NaN if it took too few substeps) and *broken to the largest number of columns out of bounds. */
static void rough_steps(rn_model model, double *drift, double *broken) {
    enum { N = 24, STEPS = 100000 };
    double heights[N * N];
    uint32_t seed = 21;
    for (int i = 0; i < N * N; i++) heights[i] = 0.02 * random_unit(&seed);
    heights[7 * N + 9] = heights[8 * N + 9] = 0.5;
    rn_world *world = make_world(&(setup){.nx = N,
                                          .ny = N,
                                          .cell = 0.05,
                                          .heights = heights,
                                          .lid = 0.6,
                                          .model = model,
                                          .open_east = true,
                                          .passages = FLOW_PACKETS});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.05});
    rn_world_pour(world, (rn_vec3){0.3, 0.4, 0.6}, 0.1, 0.003);
    rn_world_drain(world, (rn_vec3){0.8, 0.7, 0.6}, 0.1, 0.0005);
    rn_world_add_source(world, &(rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 1e-4});
    for (int i = 0; rn_world_get_stats(world).steps < STEPS && i < STEPS; i++) {
        rn_world_step(world, 0.05);
        if (i % 16) continue;
        *drift = worse(*drift, fabs(rn_world_audit(world).drift));
        *broken = worse(*broken, broken_columns(world));
    }
    *drift = worse(*drift, rn_world_get_stats(world).steps < STEPS ? NAN : fabs(rn_world_audit(world).drift));
    rn_world_destroy(world);
}

/* 1e5 substeps with each of the two models, over rough ground with sources; volume must be exact. measured[0]: the
   largest drift (m³), NAN if there were too few substeps; [1]: the largest number of columns out of bounds at once. */
void case_packets_volume(double measured[MOST_MEASURES]) {
    measured[0] = measured[1] = 0.0;
    rough_steps(RN_MODEL_PHYSICAL, &measured[0], &measured[1]);
    rough_steps(RN_MODEL_PAPER, &measured[0], &measured[1]);
}

/* Returns the momentum of all liquid along an axis (0: x, 1: y), divided by the density (m^4/s). */
static double momentum_along(const rn_world *world, int axis) {
    const rn_view flux = rn_world_view(world, axis ? RN_FIELD_FLUX_Y : RN_FIELD_FLUX_X);
    double sum = 0.0;
    for (int y = 0; y < flux.cells_y; y++)
        for (int x = 0; x < flux.cells_x; x++) sum += flux.data[y * flux.row_stride + x];
    return sum * rn_world_describe(world).cell_size;
}

/* A choppy current of uneven depth and speed in a doubly periodic domain must keep its momentum. measured[0]: how
   much it has changed after 2000 substeps, along x or y, whichever is more (% of the initial |px| + |py|). */
void case_packets_momentum(double measured[MOST_MEASURES]) {
    enum { N = 64, STEPS = 2000 };
    rn_world *world = make_world(&(setup){
        .nx = N, .ny = N, .cell = 1.0, .lid = 4.0, .periodic_x = true, .periodic_y = true, .passages = FLOW_PACKETS});
    double depth[N * N], before[2], scale = 0.0;
    uint32_t seed = 5;
    for (int i = 0; i < N * N; i++) depth[i] = 1.0 + 0.5 * random_unit(&seed);
    set_depths(world, depth);
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            fx.data[y * fx.row_stride + x] = (float)(1.0 + sin(2.0 * PI * y / N) + random_unit(&seed));
            fy.data[y * fy.row_stride + x] = (float)(0.5 + cos(4.0 * PI * x / N) + random_unit(&seed));
        }
    rn_world_commit(world);
    rn_world_step(world, 1e-6);
    for (int axis = 0; axis < 2; axis++) scale += fabs(before[axis] = momentum_along(world, axis));
    while (rn_world_get_stats(world).steps < STEPS) rn_world_step(world, 0.05);
    measured[0] = 0.0;
    for (int axis = 0; axis < 2; axis++)
        measured[0] = worse(measured[0], 100.0 * fabs(momentum_along(world, axis) - before[axis]) / scale);
    rn_world_destroy(world);
}

/* ---- Rotation ---------------------------------------------------------------------------------------------------- */

enum { POOL = 100, POOL_STEPS = 1500 };
static const double pool_speed = 0.8, pool_depth = 1.0, pool_dt = 0.15; /* m/s, m, s; cells of 1 m */

/* Returns the velocity along x (m/s), at a position in cells, of one eddy that fills a square basin. */
static double whirl_x(double x, double y) { return -pool_speed * sin(PI * x / POOL) * cos(PI * y / POOL); }
/* Returns the velocity along y (m/s), at a position in cells, of one eddy that fills a square basin. */
static double whirl_y(double x, double y) { return pool_speed * cos(PI * x / POOL) * sin(PI * y / POOL); }

/* Returns the angular momentum of the water about the middle, divided by the density (m^5/s). */
static double world_turn(const rn_world *world) {
    double sum = 0.0;
    for (int y = 0; y < POOL; y++)
        for (int x = 0; x < POOL; x++) {
            const rn_sample s = rn_world_sample_layer(world, x + 0.5, y + 0.5, 0);
            sum += s.depth * ((x + 0.5 - 0.5 * POOL) * s.velocity_y - (y + 0.5 - 0.5 * POOL) * s.velocity_x);
        }
    return sum;
}

/* Returns the share of its angular momentum that the eddy keeps for 225 s with the packets solver. */
static double whirl_in_world(void) {
    rn_world *world = make_world(&(setup){.nx = POOL, .ny = POOL, .cell = 1.0, .lid = 3.0, .passages = FLOW_PACKETS});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = pool_depth});
    rn_view fx = rn_world_view(world, RN_FIELD_FLUX_X), fy = rn_world_view(world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < POOL; y++)
        for (int x = 0; x < POOL; x++) {
            if (x + 1 < POOL) fx.data[y * fx.row_stride + x] = (float)(pool_depth * whirl_x(x + 1.0, y + 0.5));
            if (y + 1 < POOL) fy.data[y * fy.row_stride + x] = (float)(pool_depth * whirl_y(x + 0.5, y + 1.0));
        }
    rn_world_commit(world);
    const double before = world_turn(world);
    for (int i = 0; i < POOL_STEPS; i++) rn_world_step(world, pool_dt);
    const double kept = world_turn(world) / before;
    rn_world_destroy(world);
    return kept;
}

/* Returns the share of its angular momentum that the eddy keeps for 225 s with the method of `def`. */
static double whirl_in_lab(const lab_def *def) {
    lab l = lab_create(def);
    const double at = def->staggered ? 0.0 : 0.5;
    for (int y = 0; y < POOL; y++)
        for (int x = 0; x < POOL; x++) {
            l.h[y * POOL + x] = pool_depth;
            l.u[y * POOL + x] = whirl_x(x + at, y + 0.5);
            l.v[y * POOL + x] = whirl_y(x + 0.5, y + at);
        }
    const double before = lab_turn(&l);
    for (int i = 0; i < POOL_STEPS; i++) lab_step(&l, pool_dt);
    const double kept = lab_turn(&l) / before;
    lab_free(&l);
    return kept;
}

/* An eddy fills a basin for 225 s, without friction. measured[0]: the share of its angular momentum that it keeps; [1],
   [2]: how much more that is than with semi-Lagrangian transport on a collocated grid with the same smoothing, and on a
   staggered grid. */
void case_packets_whirlpool(double measured[MOST_MEASURES]) {
    lab_def def = {
        .cells = POOL, .cell = 1.0, .gravity = GRAVITY, .transport = LAB_SEMI_LAGRANGIAN, .divergence = true};
    measured[0] = whirl_in_world();
    def.blur = LAB_BLUR_BOX;
    def.smoothing = 1.05;
    measured[1] = measured[0] - whirl_in_lab(&def);
    def.staggered = true;
    measured[2] = measured[0] - whirl_in_lab(&def);
}

/* ---- Rest -------------------------------------------------------------------------------------------------------- */

/* A lake at rest over rough ground with islands must stay at rest. measured[0]: columns whose depth differs after 2000
   substeps. */
void case_packets_lake(double measured[MOST_MEASURES]) {
    enum { N = 48, STEPS = 2000 };
    double heights[N * N], *before = malloc(N * N * sizeof *before);
    uint32_t seed = 3;
    for (int i = 0; i < N * N; i++) heights[i] = 0.12 * random_unit(&seed);
    rn_world *world =
        make_world(&(setup){.nx = N, .ny = N, .cell = 0.05, .heights = heights, .lid = 0.3, .passages = FLOW_PACKETS});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.1});
    for (int i = 0; i < N * N; i++) before[i] = depth_at(world, i % N, i / N);
    while (rn_world_get_stats(world).steps < STEPS) rn_world_step(world, 0.05);
    measured[0] = 0.0;
    for (int i = 0; i < N * N; i++) measured[0] += depth_at(world, i % N, i / N) != before[i];
    free(before);
    rn_world_destroy(world);
}

/* A checkerboard of 1 % of the depth must be smoothed away. measured[0]: the share of it that is left after 200
   substeps. */
void case_packets_checkerboard(double measured[MOST_MEASURES]) {
    enum { N = 32 };
    rn_world *world = make_world(&(setup){
        .nx = N, .ny = N, .cell = 1.0, .lid = 3.0, .periodic_x = true, .periodic_y = true, .passages = FLOW_PACKETS});
    double depth[N * N], left = 0.0;
    for (int i = 0; i < N * N; i++) depth[i] = 1.0 + ((i % N + i / N) % 2 ? 0.01 : -0.01);
    set_depths(world, depth);
    while (rn_world_get_stats(world).steps < 200) rn_world_step(world, 0.05);
    for (int i = 0; i < N * N; i++) left = fmax(left, fabs(depth_at(world, i % N, i / N) - 1.0));
    measured[0] = left / 0.01;
    rn_world_destroy(world);
}
