/* Rows mac-64, mac-128 and mac-threads of `runnel bench`: a dam break of the 3D liquid in a box of 1 m, in frames of
   1/30 s. Entry points: bench_mac_64(), bench_mac_128(), bench_mac_threads(). */
#include "bench/bench.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 60, RACE_FRAMES = 20 };

/* Creates a box of 1 m with cells x cells columns and a block of liquid, 0.4 m x 1 m x 0.42 m, at its west side, for
   the 3D solver `mac`. Exits on failure; the caller destroys the world. */
static rn_world *make_dam(int cells, int threads) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = ground.cells_y = cells;
    ground.cell_size = 1.0 / cells;
    ground.bottom = -0.1;
    ground.lid = 1.0;
    ground.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    rn_terrain *terrain = NULL;
    bench_must(rn_terrain_create(&ground, &terrain));
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.solver = "mac";
    def.threads = threads;
    rn_world *world = NULL;
    bench_must(rn_world_create(&def, &world));
    rn_terrain_destroy(terrain);
    const rn_vec3 size = {0.4, 1.0, 5.0 / 12.0};
    rn_sdf *dam = rn_sdf_move(rn_sdf_box(size), (rn_vec3){size.x / 2, size.y / 2, size.z / 2});
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = dam};
    bench_must(dam ? rn_world_fill(world, &fill) : RN_MEMORY);
    rn_sdf_destroy(dam);
    return world;
}

/* Makes the dam break, steps it by 60 frames, and the median of the result is in fact the mean time of a frame (ms),
   and its best the shortest. The note has the mean share of the poured volume that is within the surface, because a
   liquid that loses volume is faster to compute. */
static bench_result run_dam(int cells, int threads) {
    rn_world *world = make_dam(cells, threads);
    timing t = {.rounds = FRAMES};
    double sum = 0, held = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        const double start = clock_now();
        bench_must(rn_world_step(world, 1.0 / 30));
        t.seconds[frame] = clock_now() - start;
        const rn_audit audit = rn_world_audit(world);
        sum += t.seconds[frame] / FRAMES;
        held += audit.present / audit.poured / FRAMES;
    }
    bench_result result = bench_duration(world, &t, NAN);
    result.median = result.seconds = sum;
    result.median *= 1e3;
    snprintf(result.note, sizeof result.note,
             "the mean of 60 frames; volume within the surface %.3f of what was poured, on average", held);
    rn_world_destroy(world);
    return result;
}

/* Measures row mac-64: the dam break in 64 x 64 x 64 cells; the mean time of a frame (ms). */
bench_result bench_mac_64(int threads) { return run_dam(64, threads); }
/* Measures row mac-128: the dam break in 128 x 128 x 128 cells; the mean time of a frame (ms). */
bench_result bench_mac_128(int threads) { return run_dam(128, threads); }

/* Two worlds of one dam break: the first steps with one thread, the second with two. */
typedef struct race {
    rn_world *worlds[2];
} race;

/* Steps world `variant` by a frame and returns how long that took (s). */
static double time_frame(void *context, int variant) {
    const race *r = context;
    const double start = clock_now();
    bench_must(rn_world_step(r->worlds[variant], 1.0 / 30));
    return clock_now() - start;
}

/* Measures row mac-threads: how many times as long a frame of mac-64 takes with one thread as with two; `threads` is
   not used. */
bench_result bench_mac_threads(int threads) {
    (void)threads;
    race r = {{make_dam(64, 1), make_dam(64, 2)}};
    timing t[2] = {{.rounds = 0}};
    bench_interleave(2, RACE_FRAMES, time_frame, &r, t);
    bench_result result = bench_ratio(r.worlds[0], &t[0], &t[1], rn_world_get_stats(r.worlds[0]).substeps);
    result.threads = 2;
    for (int k = 0; k < 2; k++) rn_world_destroy(r.worlds[k]);
    return result;
}
