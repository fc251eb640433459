/* Rows bodies-256 and bodies-512 of `runnel bench`: a step of water in which bodies move, against a step of the same
   water without them. Entry points: bench_bodies_256(), bench_bodies_512(). */
#include "bench/bench.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>

enum { SWIMMERS = 50, LAPS = 20, ROUNDS = 15 };
#define STEP 0.02 /* s */

/* The two worlds, and the bodies of the first. */
typedef struct splash {
    rn_world *worlds[2];       /* with bodies; without */
    rn_vec3 middles[SWIMMERS]; /* m, around which the bodies circle */
    double time;               /* s */
} splash;

/* Writes the one column of every cell: level ground under a lid at 12 m. Returns 1. */
static int floor_stack(int cells, int x, int y, rn_column *columns) {
    (void)cells, (void)x, (void)y;
    columns[0] = (rn_column){-INFINITY, 0.0, 12.0};
    return 1;
}

/* Returns the level of 2 m deep water with waves 10 cm high (m) in cell (x, y). */
static double wave_level(int cells, int x, int y, const rn_column *column) {
    (void)cells, (void)column;
    return 2.0 + 0.1 * sin(0.21 * x) * cos(0.17 * y);
}

/* Creates a car: a box with a smaller box on top. `length` (m). Exits on failure; the caller destroys the shape. */
static rn_shape *make_car(double length) {
    rn_shape *car = rn_shape_box((rn_vec3){length, 0.45 * length, 0.2 * length});
    rn_shape *cabin = rn_shape_box((rn_vec3){0.5 * length, 0.4 * length, 0.15 * length});
    if (!car || !cabin) bench_must(RN_MEMORY);
    bench_must(rn_shape_add(car, cabin, (rn_vec3){0.0, 0.0, 0.175 * length}, (rn_quat){0, 0, 0, 1}));
    rn_shape_destroy(cabin);
    return car;
}

/* Returns the pose and velocity of a body at the current time. It circles around its middle; bodies with an odd number,
   which float, also bob. */
static rn_pose pose_at(const splash *s, int body) {
    const double turn = 0.7 * s->time + body, slow = 0.7 * 2.0;
    rn_pose pose = {.at = s->middles[body],
                    .turn = {0.05 * sin(turn), 0.04 * cos(turn), sin(0.5 * turn), cos(0.5 * turn)}};
    pose.at.x += 2.0 * cos(turn);
    pose.at.y += 2.0 * sin(turn);
    pose.at.z += body % 2 ? 0.2 * sin(2.0 * turn) : 0.0;
    pose.velocity = (rn_vec3){-slow * sin(turn), slow * cos(turn), body % 2 ? 0.28 * cos(2.0 * turn) : 0.0};
    pose.spin.z = 0.7;
    return pose;
}

/* Adds all bodies to the first world: crates and cars, 2 m to 5 m long, of which those with even numbers block the
   water and those with odd ones float. Sets s->middles. Exits on failure. */
static void add_swimmers(splash *s, int cells) {
    for (int i = 0; i < SWIMMERS; i++) {
        const double size = 2.0 + 3.0 * (i % 13) / 12.0, apart = cells / 8.0;
        const bool floats = i % 2, is_car = i / 2 % 2;
        rn_shape *shape = is_car ? make_car(size) : rn_shape_box((rn_vec3){size, 0.8 * size, 0.7 * size});
        rn_body_def def = rn_body_default();
        def.shape = shape;
        def.mode = floats ? RN_BODY_FLOATS : RN_BODY_BLOCKS;
        s->middles[i] =
            (rn_vec3){apart * (i % 8 + 0.53), apart * (i / 8 + 0.71), floats ? 2.1 : (is_car ? 0.1 : 0.35) * size};
        def.pose = pose_at(s, i);
        if (!shape || rn_bodies_add(s->worlds[0], &def) != i) bench_must(RN_INVALID);
        rn_shape_destroy(shape);
    }
}

/* Takes LAPS steps of world `variant`, moving the bodies before each step if it has them (0). Returns the duration of a
   step (s), moving included. */
static double time_steps(void *context, int variant) {
    splash *s = context;
    double seconds = 0.0;
    for (int lap = 0; lap < LAPS; lap++) {
        if (variant == 0) s->time += STEP;
        const double start = clock_now();
        for (int i = 0; variant == 0 && i < SWIMMERS; i++) {
            const rn_pose pose = pose_at(s, i);
            bench_must(rn_bodies_move(s->worlds[0], i, &pose));
        }
        bench_must(rn_world_step(s->worlds[variant], STEP));
        seconds += clock_now() - start;
    }
    return seconds / LAPS;
}

/* Runs one row with and without bodies; the result is of a step with them (ms). `most`: the bar (ms), unless 1.3 times
   the step without bodies plus 1 ms is less. */
static bench_result run_splash(int cells, double most, int threads) {
    const bench_scene scene = {cells, 1.0, 12.0, 1e-6, 0.8, floor_stack, wave_level};
    splash s = {.time = 0.0};
    for (int i = 0; i < 2; i++) s.worlds[i] = bench_world(&scene, FLOW_DEFAULT, 1.0, threads);
    add_swimmers(&s, cells);
    timing t[2] = {{.rounds = 0}, {.rounds = 0}};
    bench_interleave(2, ROUNDS, time_steps, &s, t);
    bench_result b = bench_duration(s.worlds[0], t, NAN);
    const double bare = timing_median(&t[1]) * 1e3;
    b.bar = fmin(most, 1.3 * bare + 1.0);
    snprintf(
        b.note, sizeof b.note,
        "%d bodies: %.3g ms of %.3g, in %d substeps; the bar is 1.3 times the step without them and 1 ms, or %g ms",
        SWIMMERS, b.median - bare, b.median, rn_world_get_stats(s.worlds[0]).substeps, most);
    for (int i = 0; i < 2; i++) rn_world_destroy(s.worlds[i]);
    return b;
}

/* Measures row bodies-256: 50 bodies in 256 x 256 cells; the time of a step with them (ms). */
bench_result bench_bodies_256(int threads) { return run_splash(256, 2.0, threads); }

/* Measures row bodies-512: 50 bodies in 512 x 512 cells; the time of a step with them (ms). */
bench_result bench_bodies_512(int threads) { return run_splash(512, 5.0, threads); }
