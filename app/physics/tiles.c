/* Cases of `runnel validate` about the adaptive packets solver on tiles (docs/packets.md): its error against cells of
   one size (case_tiles_error), reflection where tiles of different levels meet (case_tiles_reflection), and
   conservation of volume (case_tiles_mass). */
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* Creates a dry world of nx x ny cells of 1 m with these settings of the packets solver, periodic along y. The caller
   destroys it. */
static rn_world *tiled_world(int nx, int ny, const rn_packets_def *packets) {
    return make_world(&(setup){.nx = nx,
                               .ny = ny,
                               .cell = 1.0,
                               .lid = 4.0,
                               .periodic_y = true,
                               .passages = FLOW_PACKETS,
                               .packets = *packets});
}

/* ---- Error ------------------------------------------------------------------------------------------------------- */

/* A ring wave spreads over a basin. measured[0]: the largest difference from cells of one size, in % of the highest
   wave; [1]: share of tiles that have the finest level (%). */
void case_tiles_error(double measured[MOST_MEASURES]) {
    enum { N = 384, STEPS = 28 };
    const rn_packets_def defs[] = {{.count = 2, .smoothing = 1.05, .courant = 0.5, .levels = 3, .tolerance = 3e-4},
                                   {.count = 2, .smoothing = 1.05, .courant = 0.5}};
    rn_world *worlds[2];
    double *depths = malloc(N * N * sizeof *depths), worst = 0.0, highest = 0.0;
    for (int i = 0; i < N * N; i++) {
        const double x = i % N + 0.5 - 0.5 * N, y = i / N + 0.5 - 0.5 * N;
        depths[i] = 1.0 + 0.1 * exp(-(x * x + y * y) / 64.0);
    }
    for (int k = 0; k < 2; k++) {
        worlds[k] = tiled_world(N, N, &defs[k]);
        set_depths(worlds[k], depths);
        for (int i = 0; i < STEPS; i++) rn_world_step(worlds[k], 1.0);
    }
    for (int i = 0; i < N * N; i++) {
        const double level = depth_at(worlds[1], i % N, i / N);
        worst = fmax(worst, fabs(depth_at(worlds[0], i % N, i / N) - level));
        highest = fmax(highest, fabs(level - 1.0));
    }
    const rn_tiles tiles = rn_world_tiles(worlds[0]);
    int fine = 0;
    for (int i = 0; i < tiles.tiles_x * tiles.tiles_y; i++) fine += tiles.levels[i] == 0;
    measured[0] = 100.0 * worst / highest;
    measured[1] = 100.0 * fine / (tiles.tiles_x * tiles.tiles_y);
    for (int k = 0; k < 2; k++) rn_world_destroy(worlds[k]);
    free(depths);
}

/* ---- Reflection -------------------------------------------------------------------------------------------------- */

enum { CANAL = 1536, BANKS = 48, JOINT = 768 };

/* Runs a train of waves along a canal whose cells double in size at its middle. Returns the height that is left before
   the joint afterwards, which has been reflected, in % of the wave height. Wave length: 2 * coarse_cells (m).
   `into_fine`: it comes from the coarse side. Cells within 8 m of the joint do not count. */
static double reflected_share(double coarse_cells, bool into_fine) {
    const double length = 96.0, height = 1e-3, wave = 2.0 * PI / (2.0 * coarse_cells), speed = sqrt(GRAVITY);
    const double from = into_fine ? JOINT + 3.2 * length : JOINT - 3.2 * length, sign = into_fine ? -1.0 : 1.0;
    rn_packets_def def = {.count = 2, .smoothing = 1.05, .courant = 0.5, .levels = 1, .tolerance = 1.0};
    def.fine[2] = JOINT, def.fine[3] = BANKS;
    rn_world *world = tiled_world(CANAL, BANKS, &def);
    double *depths = malloc(CANAL * BANKS * sizeof *depths);
    for (int i = 0; i < CANAL * BANKS; i++) {
        const double x = i % CANAL + 0.5 - from;
        depths[i] = 1.0 + height * exp(-x * x / (length * length)) * cos(wave * x);
    }
    set_depths(world, depths);
    rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int y = 0; y < BANKS; y++)
        for (int i = 0; i + 1 < CANAL;
             i++) { /* half a substep ahead, as velocities are; that of a cell is the mean of both sides */
            const double x = i + 1.0 - from - sign * 0.25;
            flux.data[y * flux.row_stride + i] =
                (float)(sign * speed * height * exp(-x * x / (length * length)) * cos(wave * x) / cos(0.5 * wave));
        }
    rn_world_commit(world);
    double back = 0.0;
    for (double gone = 0.0; gone < 7.4 * length; gone += 4.0) rn_world_step(world, 4.0 / speed);
    for (int i = 0; i < CANAL; i++)
        if (into_fine ? i > JOINT + 8 : i < JOINT - 8) back = worse(back, fabs(depth_at(world, i, BANKS / 2) - 1.0));
    free(depths);
    rn_world_destroy(world);
    return 100.0 * back / height;
}

/* Waves of 8, 16 and 32 coarse cells cross the joint; in theory nothing is reflected. measured[0]: the largest
   reflection of waves from the fine side (%); [1]: from the coarse side (%). */
void case_tiles_reflection(double measured[MOST_MEASURES]) {
    measured[0] = measured[1] = 0.0;
    for (int cells = 8; cells <= 32; cells *= 2) {
        measured[0] = worse(measured[0], reflected_share(cells, false));
        measured[1] = worse(measured[1], reflected_share(cells, true));
    }
}

/* ---- Mass -------------------------------------------------------------------------------------------------------- */

/* Waves, a spring and a drain over a rough bed with an island, for 10,000 substeps or, with RUNNEL_LONG set, 20,000.
   measured[0]: the largest drift of the volume (m³); [1]: the largest number of columns out of bounds. */
void case_tiles_mass(double measured[MOST_MEASURES]) {
    enum { N = 112 };
    const uint64_t steps = getenv("RUNNEL_LONG") ? 20000 : 10000;
    double *heights = malloc(N * N * sizeof *heights);
    uint32_t seed = 4;
    for (int i = 0; i < N * N; i++) {
        const double x = i % N - 30.0, y = i / N - 70.0;
        heights[i] = 0.1 * random_unit(&seed) + 3.0 * exp(-(x * x + y * y) / 90.0);
    }
    rn_world *world = make_world(
        &(setup){.nx = N,
                 .ny = N,
                 .cell = 1.0,
                 .heights = heights,
                 .lid = 6.0,
                 .open_east = true,
                 .passages = FLOW_PACKETS,
                 .packets = {.count = 2, .smoothing = 1.05, .courant = 0.5, .levels = 3, .tolerance = 0.01}});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 2.0});
    rn_world_pour(world, (rn_vec3){90.0, 90.0, 5.0}, 4.0, 3.0);
    rn_world_drain(world, (rn_vec3){20.0, 20.0, 5.0}, 4.0, 0.5);
    measured[0] = measured[1] = measured[2] = 0.0;
    for (uint64_t i = 0; rn_world_get_stats(world).steps < steps && i < steps; i++) {
        rn_world_step(world, 2.0);
        measured[0] = worse(measured[0], fabs(rn_world_audit(world).drift));
        measured[1] = worse(measured[1], broken_columns(world));
    }
    free(heights);
    rn_world_destroy(world);
}
