/* Rows edits, edits-wading, save and restore of `runnel bench`; and bench_rolling(), bench_on_rolling() and
   bench_world(), which make the worlds of many rows. */
#include "bench/bench.h"
#include "common/commands.h"
#include "common/options.h"
#include "common/progress.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Worlds ------------------------------------------------------------------------------------------------ */

/* Creates a world on this ground and destroys the terrain again. def->terrain dangles afterwards. Exits on failure. */
static rn_world *make_on_ground(const rn_terrain_def *ground, rn_world_def *def) {
    rn_terrain *terrain = NULL;
    rn_world *world = NULL;
    bench_must(rn_terrain_create(ground, &terrain));
    def->terrain = terrain;
    bench_must(rn_world_create(def, &world));
    rn_terrain_destroy(terrain);
    return world;
}

rn_world *bench_on_rolling(int cells, double cell, double level, rn_world_def *def) {
    rn_terrain_def ground = rn_terrain_default();
    const double size = cells * cell;
    ground.cells_x = ground.cells_y = cells;
    ground.cell_size = cell;
    ground.bottom = -0.2 * size;
    ground.lid = 0.3 * size;
    ground.threads = def->threads;
    ground.solid = rn_sdf_noise(0.04 * size, 0.3 * size, 3, 5);
    def->dig = 0.05 * size;
    rn_world *world = make_on_ground(&ground, def);
    bench_must(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}));
    return world;
}

rn_world *bench_rolling(int cells, double cell, double level, flow_method passages, int threads) {
    rn_world_def def = rn_world_default();
    def.threads = threads;
    choose_method(&def, passages);
    return bench_on_rolling(cells, cell, level, &def);
}

/* Fills every column, in all layers, to the level (m) that the scene gives there, at most to its ceiling, and commits;
   exits on failure. */
static void set_levels(rn_world *world, const bench_scene *scene) {
    const double datum = rn_world_describe(world).datum;
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH), base = rn_world_view(world, RN_FIELD_BASE),
                  ceil = rn_world_view(world, RN_FIELD_CEIL);
    for (int l = 0; l < depth.layers; l++)
        for (int y = 0; y < depth.cells_y; y++)
            for (int x = 0; x < depth.cells_x; x++) {
                const ptrdiff_t at = l * depth.layer_stride + y * depth.row_stride + x;
                if (base.data[at] >= RN_NO_COLUMN) continue;
                const rn_column column = {-INFINITY, datum + base.data[at], datum + ceil.data[at]};
                const double top = fmin(scene->level(scene->cells, x, y, &column), column.ceil);
                depth.data[at] = (float)fmax(top - column.base, 0.0);
            }
    bench_must(rn_world_commit(world));
}

rn_world *bench_world(const bench_scene *scene, flow_method passages, double courant, int threads) {
    const int cells = scene->cells;
    rn_column *columns = calloc((size_t)cells * (size_t)cells * MOST_STACK, sizeof *columns);
    int32_t *counts = calloc((size_t)cells * (size_t)cells, sizeof *counts);
    if (!columns || !counts) exit(complain("runnel bench: there is not enough memory"));
    size_t found = 0;
    for (int i = 0; i < cells * cells; i++) {
        counts[i] = scene->stack(cells, i % cells, i / cells, columns + found);
        found += (size_t)counts[i];
    }
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = ground.cells_y = cells;
    ground.cell_size = scene->cell;
    ground.lid = scene->lid;
    ground.columns = columns;
    ground.columns_per_cell = counts;
    rn_world_def def = rn_world_default();
    def.liquid.viscosity = scene->viscosity;
    def.friction = scene->friction;
    choose_method(&def, passages);
    if (courant > 0.0) def.courant = courant;
    def.threads = threads;
    rn_world *world = make_on_ground(&ground, &def);
    free(columns);
    free(counts);
    set_levels(world, scene);
    return world;
}

/* ---- Edits -------------------------------------------------------------------------------------------------- */

/* A ball in the liquid that covers a twentieth of all cells: it stays, moves up and down, or moves in a circle. */
typedef enum ball_kind { BALL_STILL, BALL_HEAVES, BALL_WADES } ball_kind;

/* Moves the ball and steps the world by 1/60 s for this many frames; the motion begins afresh in each call. `ball`:
   number of the solid. Returns the mean duration of a frame (s). */
static double ball_frames(rn_world *world, int ball, ball_kind kind, int frames) {
    const double start = clock_now();
    for (int i = 0; i < frames; i++) {
        const double turn = kind == BALL_WADES ? 0.004 * i : 0.0;
        const double rise = kind == BALL_HEAVES ? 2e-4 * sin(0.1 * (i + 1)) : 0.0;
        const rn_vec3 at = {0.05 + 0.03 * cos(turn), 0.05 + 0.03 * sin(turn), -0.002 + rise};
        bench_must(rn_world_move_solid(world, ball, at, (rn_quat){0}));
        bench_must(rn_world_step(world, 1.0 / 60.0));
    }
    return (clock_now() - start) / frames;
}

enum { BALL_FRAMES = 60 };

/* Two kinds of motion that are compared. */
typedef struct ball_game {
    ball_kind kinds[2];
    rn_world *world;    /* of the last run */
    double substeps[2]; /* in a frame, of each kind */
    int threads;
} ball_game;

/* Creates a new world (the one of the last run is destroyed), lets it settle with the ball at rest for 60 frames, then
   times 60 with the motion `variant`. Returns the duration of a frame (s). */
static double time_ball(void *context, int variant) {
    ball_game *game = context;
    rn_world_destroy(game->world);
    rn_world *world = game->world = bench_rolling(200, 5e-4, 0.001, FLOW_DEFAULT, game->threads);
    rn_solid_def def = {.shape = rn_sdf_sphere(0.0125), .at = {0.08, 0.05, -0.002}};
    const int ball = rn_world_add_solid(world, &def);
    ball_frames(world, ball, BALL_STILL, BALL_FRAMES);
    const uint64_t before = rn_world_get_stats(world).steps;
    const double seconds = ball_frames(world, ball, game->kinds[variant], BALL_FRAMES);
    game->substeps[variant] = (double)(rn_world_get_stats(world).steps - before) / BALL_FRAMES;
    return seconds;
}

/* Compares frames with a ball that moves as `kind` says with frames in which it rests; "x" is their ratio. */
static bench_result edit_ratio(ball_kind kind, int threads) {
    ball_game game = {.kinds = {kind, BALL_STILL}, .threads = threads};
    timing t[2] = {{.rounds = 0}};
    bench_interleave(2, 5, time_ball, &game, t);
    bench_result result = bench_ratio(game.world, &t[0], &t[1], game.substeps[0]);
    snprintf(result.note, sizeof result.note, "%.2f ms per frame of %.1f substeps, against %.2f ms of %.1f",
             timing_median(&t[0]) * 1e3, game.substeps[0], timing_median(&t[1]) * 1e3, game.substeps[1]);
    rn_world_destroy(game.world);
    return result;
}

/* Measures row edits: a ball that moves up and down, against one that rests. */
bench_result bench_edits(int threads) { return edit_ratio(BALL_HEAVES, threads); }
/* Measures row edits-wading: a ball that moves in a circle, against one that rests. */
bench_result bench_edits_wading(int threads) { return edit_ratio(BALL_WADES, threads); }

/* ---- Snapshots ---------------------------------------------------------------------------------------------- */

enum { STOREYS = 5 };

/* Writes five storeys of rough floors, 8 mm apart, as the columns of cell (x, y). Returns their number, 5. */
static int storeys_stack(int cells, int x, int y, rn_column *columns) {
    uint32_t random = (uint32_t)(y * cells + x) * 2654435761u + 1u;
    for (int l = 0; l < STOREYS; l++)
        columns[l] = (rn_column){l ? 0.008 * l - 0.001 : -INFINITY, 0.008 * l + 0.001 * random_unit(&random),
                                 l == STOREYS - 1 ? 0.05 : 0.008 * (l + 1) - 0.001};
    return STOREYS;
}

/* Returns the level up to which the storeys are filled (m): 2 cm everywhere. */
static double storeys_level(int cells, int x, int y, const rn_column *column) {
    (void)cells, (void)x, (void)y, (void)column;
    return 0.02;
}

/* A world that is saved, or restored (`restore`), again and again. */
typedef struct keeping {
    rn_world *world;
    rn_snapshot *snapshot;
    bool restore;
} keeping;

/* Steps the world by 0.1 ms, then saves or restores once; a save writes over the same snapshot. Returns the duration of
   the save or restore (s). `variant`: unused, because there is only one. */
static double time_snapshot(void *context, int variant) {
    (void)variant;
    keeping *k = context;
    bench_must(rn_world_step(k->world, 1e-4));
    const double start = clock_now();
    bench_must(k->restore ? rn_world_restore(k->world, k->snapshot) : rn_world_save(k->world, &k->snapshot));
    return clock_now() - start;
}

/* Runs row save or row restore (`restore`) with five storeys of 200 x 200 cells; `median` is in ms. */
static bench_result run_snapshots(bool restore, int threads) {
    const bench_scene scene = {200, 5e-4, 0.05, 1e-6, 0.5, storeys_stack, storeys_level};
    keeping k = {.world = bench_world(&scene, FLOW_DEFAULT, 0, threads), .restore = restore};
    bench_must(rn_world_step(k.world, 0.01));
    bench_must(rn_world_save(k.world, &k.snapshot));
    timing t = {.rounds = 0};
    bench_interleave(1, 30, time_snapshot, &k, &t);
    size_t bytes;
    rn_snapshot_bytes(k.snapshot, &bytes);
    bench_result result = bench_duration(k.world, &t, 0);
    result.bytes = 2.0 * (double)bytes / (double)result.columns; /* read and written */
    snprintf(result.note, sizeof result.note, "%.1f MB", (double)bytes * 1e-6);
    rn_snapshot_destroy(k.snapshot);
    rn_world_destroy(k.world);
    return result;
}

/* Measures row save: the time to take a snapshot (ms). */
bench_result bench_save(int threads) { return run_snapshots(false, threads); }
/* Measures row restore: the time to restore a snapshot of the same world as row save (ms). */
bench_result bench_restore(int threads) { return run_snapshots(true, threads); }
