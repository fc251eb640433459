/* Cases of `runnel validate` about the 3D liquid (solver "mac"): a film (case_mac_nusselt), a spreading ridge
   (case_mac_huppert), a sloshing basin (case_mac_slosh), a pool at rest (case_mac_rest), and a drop on an incline
   compared with columns (case_mac_fig18). */
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Exits with status 1 after printing rn_last_error() unless `ok`. */
static void exit_unless(bool ok) {
    if (ok) return;
    fprintf(stderr, "runnel validate: %s\n", rn_last_error());
    exit(1);
}

/* A box of 3D cells on a level floor. */
typedef struct box {
    int cells[3];
    double cell;        /* m */
    rn_vec3 gravity;    /* m/s^2 */
    double viscosity;   /* m^2/s */
    bool periodic;      /* along x */
    const char *solver; /* NULL: "mac" */
} box;

/* Creates an empty world with level ground in this box; the caller destroys it. Exits on failure. */
static rn_world *make_box(const box *b) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = b->cells[0];
    ground.cells_y = b->cells[1];
    ground.cell_size = b->cell;
    ground.bottom = -2.0 * b->cell;
    ground.lid = b->cells[2] * b->cell;
    ground.solid = rn_sdf_plane((rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){0.0, 0.0, 1.0});
    rn_terrain *terrain = NULL;
    exit_unless(rn_terrain_create(&ground, &terrain) == RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.solver = b->solver ? b->solver : "mac";
    def.gravity = b->gravity;
    def.liquid.viscosity = b->viscosity;
    def.friction = 1.0;
    if (b->periodic) def.edges[RN_SIDE_WEST] = def.edges[RN_SIDE_EAST] = RN_EDGE_PERIODIC;
    rn_world *world = NULL;
    exit_unless(rn_world_create(&def, &world) == RN_OK);
    rn_terrain_destroy(terrain);
    return world;
}

/* Fills a block of this size (m) in the corner at the origin. Exits on failure. */
static void fill_box(rn_world *world, rn_vec3 size) {
    rn_sdf *shape = rn_sdf_move(rn_sdf_box(size), (rn_vec3){0.5 * size.x, 0.5 * size.y, 0.5 * size.z});
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = shape};
    exit_unless(rn_world_fill(world, &fill) == RN_OK);
    rn_sdf_destroy(shape);
}

/* A laminar film, eight cells deep, flows down a plane of 30 degrees. Theory: mean speed g S d^2 / (3 nu). measured[0]:
   error of the mean speed (%). Cells near the periodic edges are left out. */
void case_mac_nusselt(double measured[MOST_MEASURES]) {
    enum { N = 8 };
    const double cell = 1e-3, depth = N * cell, nu = 1e-4, slope = 0.05, down = 0.0866;
    const box b = {{16, 4, 16}, cell, {slope, 0.0, -down}, nu, true, NULL};
    rn_world *world = make_box(&b);
    fill_box(world, (rn_vec3){16 * cell, 4 * cell, depth});
    exit_unless(rn_world_step(world, 3.2) == RN_OK); /* s, five times d^2 / nu */
    const rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    double sum = 0.0, deep = 0.0;
    for (int y = 0; y < 4; y++)
        for (int x = 2; x < 14; x++) {
            sum += flux.data[y * flux.row_stride + x] / cell;
            deep += 0.5 * (depth_at(world, x, y) + depth_at(world, x + 1, y));
        }
    measured[0] = 100.0 * fabs(sum / deep / (slope * depth * depth / (3.0 * nu)) - 1.0);
    rn_world_destroy(world);
}

/* Half of a viscous ridge spreads from a wall on a table. Theory (Huppert 1982): the front grows with t^1/5. The front
   is the last column of at least half a cell's depth. measured[0], [1]: error of the front after 3 s and after 6 s
   (%). */
void case_mac_huppert(double measured[MOST_MEASURES]) {
    enum { N = 112, HIGH = 16 };
    const double cell = 1e-3, nu = 1e-3, side = HIGH * cell, area = side * side;
    const box b = {{N, 1, HIGH + 4}, cell, {0.0, 0.0, -9.81}, nu, false, NULL};
    rn_world *world = make_box(&b);
    fill_box(world, (rn_vec3){side, cell, side});
    measured[0] = 0.0;
    double time = 0.0;
    for (int look = 0; look < 2; look++) {
        const double until = look == 0 ? 3.0 : 6.0;
        exit_unless(rn_world_step(world, until - time) == RN_OK);
        time = until;
        const double tip = 1.411 * pow(9.81 * area * area * area / (3.0 * nu), 0.2) * pow(time, 0.2);
        double front = 0.0;
        for (int i = 0; i < N; i++)
            if (depth_at(world, i, 0) >= 0.5 * cell) front = (i + 1) * cell;
        measured[look] = 100.0 * fabs(front / tip - 1.0);
    }
    rn_world_destroy(world);
}

/* A basin 1 m long and 0.5 m deep sloshes, starting from a cosine of 2 cm. Theory: omega^2 = g k tanh(k h).
   measured[0]: error of the time of the eighth zero crossing, at 3.75 periods (%). */
void case_mac_slosh(double measured[MOST_MEASURES]) {
    enum { N = 64, SAMPLES = N + 1 };
    const double cell = 1.0 / N, deep = 0.5, k = 3.14159265358979323846, amplitude = 0.02;
    const box b = {{N, 2, N}, cell, {0.0, 0.0, -9.81}, 0.0, false, NULL};
    rn_world *world = make_box(&b);
    float heights[2 * SAMPLES];
    for (int i = 0; i < 2 * SAMPLES; i++) heights[i] = (float)(deep + amplitude * cos(k * (i % SAMPLES) * cell));
    rn_sdf *surface = rn_sdf_heightmap(heights, SAMPLES, 2, cell, 0.0, 0.0);
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = surface};
    exit_unless(surface && rn_world_fill(world, &fill) == RN_OK);
    rn_sdf_destroy(surface);
    const double period = 2.0 * k / sqrt(9.81 * k * tanh(k * deep)), step = period / 100.0;
    double before = 0.0, last = 0.0;
    int crossings = 0;
    for (int i = 1; i < 1000 && crossings < 8; i++) {
        exit_unless(rn_world_step(world, step) == RN_OK);
        double sum = 0.0;
        for (int x = 0; x < N; x++) sum += (depth_at(world, x, 0) + depth_at(world, x, 1)) * cos(k * (x + 0.5) * cell);
        if (i > 1 && sum * before < 0.0) {
            last = (i - sum / (sum - before)) * step;
            crossings++;
        }
        before = sum;
    }
    measured[0] = 100.0 * fabs(last / (3.75 * period) - 1.0);
    rn_world_destroy(world);
}

/* A pool at rest. measured[0]: the fastest speed left after 2 s (m/s); [1]: how far the volume within the surface is
   from what was poured (%). */
void case_mac_rest(double measured[MOST_MEASURES]) {
    const box b = {{24, 24, 20}, 1.0 / 24.0, {0.0, 0.0, -9.81}, 0.0, false, NULL};
    rn_world *world = make_box(&b);
    fill_box(world, (rn_vec3){1.0, 1.0, 0.5});
    exit_unless(rn_world_step(world, 2.0) == RN_OK);
    const rn_audit audit = rn_world_audit(world);
    measured[0] = rn_world_get_stats(world).fastest;
    measured[1] = 100.0 * fabs(audit.present / audit.poured - 1.0);
    rn_world_destroy(world);
}

/* ---- Fig. 18 of Dagenais et al. 2018 ----------------------------------------------------------------------------- */

/* Finds how far down the plane, along x (front, from x = 0), and how wide along y (width) the liquid reaches, in m,
   counting columns from half a cell of depth on. A dry world has front 0. */
static void measure_spread(rn_world *world, double cell, double *front, double *width) {
    const rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
    int low = view.cells_y, high = -1, far = 0;
    for (int y = 0; y < view.cells_y; y++)
        for (int x = 0; x < view.cells_x; x++) {
            if (depth_at(world, x, y) < 0.5 * cell) continue;
            low = y < low ? y : low;
            high = y > high ? y : high;
            far = x + 1 > far ? x + 1 : far;
        }
    *front = far * cell;
    *width = (high + 1 - low) * cell;
}

/* 1 cm^3 flows for 2 s on a plane of 18 degrees, over columns and as a 3D liquid, with the same viscosity and cells.
   measured[0]: the difference of the distance that the front has run (%); [1]: the difference of the width (%). */
void case_mac_fig18(double measured[MOST_MEASURES]) {
    const double cell = 1e-3, middle = 0.014;
    double front[2], width[2];
    for (int deep = 0; deep < 2; deep++) {
        const box b = {{56, 40, 9}, cell, {3.0315, 0.0, -9.3299}, 0.01, false, deep ? "mac" : "explicit"};
        rn_world *world = make_box(&b);
        rn_sdf *drop = rn_sdf_move(rn_sdf_cylinder(0.0079788, 0.005), (rn_vec3){middle, 0.02, 0.0025});
        const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = drop};
        exit_unless(drop && rn_world_fill(world, &fill) == RN_OK);
        rn_sdf_destroy(drop);
        exit_unless(rn_world_step(world, 2.0) == RN_OK);
        measure_spread(world, cell, &front[deep], &width[deep]);
        rn_world_destroy(world);
    }
    measured[0] = 100.0 * fabs((front[0] - middle) / (front[1] - middle) - 1.0);
    measured[1] = 100.0 * fabs(width[0] / width[1] - 1.0);
}
