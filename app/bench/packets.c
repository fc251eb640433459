/* Rows packets-... of `runnel bench`. packets-25 to packets-400: updates per second with 2 x 2 packets in a cell, for
   each model and number of threads, beside those published by Lee & O'Sullivan 2007 for a Xeon of 3.6 GHz. Results with
   one thread must be ten times the published ones.
   packets-adaptive: tiles of different resolution against cells of one size. */
#include "bench/bench.h"
#include "common/progress.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODELS = 2, ROUNDS = 15 };

/* Worlds that are timed in turn: for each model one per crew. */
typedef struct contest {
    rn_world *worlds[MODELS * MOST_CREWS];
    int substeps; /* steps in a run */
    double dt;    /* s, of a step */
} contest;

/* Creates a pond of cells x cells cells of 1 m, 1 m deep, crossed by waves 2 cm high, for the packets solver. Exits on
   failure; the caller destroys the world. */
static rn_world *make_pond(int cells, rn_model model, int threads) {
    rn_world *world = make_world(&(setup){.nx = cells,
                                          .ny = cells,
                                          .cell = 1.0,
                                          .lid = 3.0,
                                          .model = model,
                                          .passages = FLOW_PACKETS,
                                          .threads = threads});
    double *depths = malloc((size_t)cells * (size_t)cells * sizeof *depths);
    if (!depths) bench_must(RN_MEMORY);
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++) depths[y * cells + x] = 1.0 + 0.02 * sin(0.3 * x) * cos(0.21 * y);
    set_depths(world, depths);
    free(depths);
    return world;
}

/* Takes c->substeps steps of world `lane`, on from its last state. Returns the duration of a substep (s). */
static double time_updates(void *context, int lane) {
    contest *c = context;
    rn_world *world = c->worlds[lane];
    const uint64_t before = rn_world_get_stats(world).steps;
    const double start = clock_now();
    for (int i = 0; i < c->substeps; i++) bench_must(rn_world_step(world, c->dt));
    return (clock_now() - start) / (double)(rn_world_get_stats(world).steps - before);
}

/* Runs one row for both models and all crews: first the physical model with each crew, then the paper's. `paper`:
   updates per second in the paper; 0: none published, and no bar. Returns the number of results, MODELS times the
   crews. */
static int run_row(int cells, double paper, const bench_crews *crews, bench_result *results) {
    contest c = {.substeps = 1 + 600000 / (cells * cells), .dt = 0.1};
    timing t[MODELS * MOST_CREWS] = {{.rounds = 0}};
    const int lanes = MODELS * crews->count;
    for (int i = 0; i < lanes; i++)
        c.worlds[i] = make_pond(cells, (rn_model)(i / crews->count), crews->threads[i % crews->count]);
    bench_interleave(lanes, ROUNDS, time_updates, &c, t);
    for (int i = 0; i < lanes; i++) {
        bench_result *b = &results[i];
        const int first = i / crews->count * crews->count, threads = crews->threads[i % crews->count];
        *b = bench_duration(c.worlds[i], &t[i], SUBSTEP_BYTES);
        b->median = 1.0 / timing_median(&t[i]), b->best = 1.0 / timing_best(&t[i]);
        b->threads = threads;
        b->model = (rn_model)(i / crews->count);
        if (crews->threads[0] == 1) b->speedup = timing_ratio(&t[first], &t[i]);
        char more[64] = "", table[64] = "";
        if (threads > 1 && b->speedup > 0.0) snprintf(more, sizeof more, "%.2f x one thread; ", b->speedup);
        if (paper > 0.0) snprintf(table, sizeof table, "%.1f x the paper's %.1f; ", b->median / paper, paper);
        snprintf(b->note, sizeof b->note, "%s%sthe best run is %.1f x the median", table, more, b->best / b->median);
        if (paper > 0.0 && threads == 1) b->bar = 10.0 * paper;
        rn_world_destroy(c.worlds[i]);
    }
    return lanes;
}

/* Measures row packets-25: a pond of 25 x 25 cells; the paper has 3185.7 updates per second. All rows packets-25 to
   packets-400 write a result for each model and crew and return their number. */
int bench_packets_25(const bench_crews *crews, bench_result *results) { return run_row(25, 3185.7, crews, results); }
/* Measures row packets-50: 50 x 50 cells; the paper has 736 updates per second. */
int bench_packets_50(const bench_crews *crews, bench_result *results) { return run_row(50, 736.0, crews, results); }
/* Measures row packets-100: 100 x 100 cells; the paper has 177.5 updates per second. */
int bench_packets_100(const bench_crews *crews, bench_result *results) { return run_row(100, 177.5, crews, results); }
/* Measures row packets-200: 200 x 200 cells; the paper has 43.7 updates per second. */
int bench_packets_200(const bench_crews *crews, bench_result *results) { return run_row(200, 43.7, crews, results); }
/* Measures row packets-250: 250 x 250 cells; the paper has no number for it, and there is no bar. */
int bench_packets_250(const bench_crews *crews, bench_result *results) { return run_row(250, 0.0, crews, results); }
/* Measures row packets-400: 400 x 400 cells; the paper has 10.2 updates per second. Results as for packets-25. */
int bench_packets_400(const bench_crews *crews, bench_result *results) { return run_row(400, 10.2, crews, results); }

/* ---- Tiles ------------------------------------------------------------------------------------------------------- */

/* One basin in two worlds: with cells of one size and with tiles. */
typedef struct race {
    rn_world *worlds[2];       /* with cells of one size; with tiles */
    rn_snapshot *snapshots[2]; /* state at the start of each run */
} race;

enum { RING = 768, RING_ROUNDS = 12 };

/* Creates the scene `adaptive`, a drop above a basin 1 m deep and 76.8 m wide. `levels`: levels of tiles above the
   finest; 0: fine cells alone. Exits on failure; the caller destroys the world. */
static rn_world *make_ring_world(int levels, int threads) {
    rn_world *world = make_world(
        &(setup){.nx = RING,
                 .ny = RING,
                 .cell = 0.1,
                 .lid = 4.0,
                 .passages = FLOW_PACKETS,
                 .threads = threads,
                 .packets = {.count = 2, .smoothing = 1.05, .courant = 0.5, .levels = levels, .tolerance = 0.002}});
    double *depths = malloc((size_t)RING * RING * sizeof *depths);
    if (!depths) bench_must(RN_MEMORY);
    for (int i = 0; i < RING * RING; i++) {
        const double x = 0.1 * (i % RING - 0.5 * (RING - 1)), y = 0.1 * (i / RING - 0.5 * (RING - 1));
        depths[i] = fmax(1.0, sqrt(fmax(16.0 - x * x - y * y, 0.0)) - 2.5);
    }
    set_depths(world, depths);
    free(depths);
    return world;
}

/* Returns the percentage of tiles that have the finest level. Only for worlds with tiles. */
static double fine_share(const rn_world *world) {
    const rn_tiles tiles = rn_world_tiles(world);
    int fine = 0;
    for (int i = 0; i < tiles.tiles_x * tiles.tiles_y; i++) fine += tiles.levels[i] == 0;
    return 100.0 * fine / (tiles.tiles_x * tiles.tiles_y);
}

/* Restores world `lane` to its snapshot, steps it by 0.1 s, and returns the duration of the step (s) without that of
   the restore. */
static double time_ring(void *context, int lane) {
    race *r = context;
    bench_must(rn_world_restore(r->worlds[lane], r->snapshots[lane]));
    const double start = clock_now();
    bench_must(rn_world_step(r->worlds[lane], 0.1));
    return clock_now() - start;
}

/* Measures row packets-adaptive: steps both worlds from their own snapshots; that of the tiles is taken once at least
   15 % of them are fine, or after 400 steps of 0.05 s at the latest, that of fine cells alone at the start. Returns how
   many times as long fine cells alone take. */
bench_result bench_packets_adaptive(int threads) {
    race r = {.worlds = {make_ring_world(0, threads), make_ring_world(3, threads)}};
    timing t[2] = {{.rounds = 0}};
    bench_must(rn_world_step(r.worlds[1], 0.5)); /* all tiles are fine at first */
    for (int i = 0; fine_share(r.worlds[1]) < 15.0 && i < 400; i++) bench_must(rn_world_step(r.worlds[1], 0.05));
    for (int k = 0; k < 2; k++) bench_must(rn_world_save(r.worlds[k], &r.snapshots[k]));
    bench_interleave(2, RING_ROUNDS, time_ring, &r, t);
    const double active = (double)rn_world_tiles(r.worlds[1]).active, cells = (double)RING * RING;
    bench_result b = bench_ratio(r.worlds[1], &t[0], &t[1], rn_world_get_stats(r.worlds[1]).substeps);
    snprintf(b.note, sizeof b.note,
             "%.0f cells, %.0f active, %.1f %% of tiles fine: %.2f times fewer cells; the speed-up is %.2f of that",
             cells, active, fine_share(r.worlds[1]), cells / active, b.median * active / cells);
    for (int k = 0; k < 2; k++) {
        rn_snapshot_destroy(r.snapshots[k]);
        rn_world_destroy(r.worlds[k]);
    }
    return b;
}
