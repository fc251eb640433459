/* Rows table1-... of `runnel bench`: the examples in Table 1 of Dagenais et al. 2018, with the step lengths given
   there, beside the times that the paper gives for a GeForce GTX 970. run_row() runs a row; time_model() times one
   model with all crews. */
#include "bench/bench.h"
#include "common/library.h"
#include "common/options.h"
#include "common/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 16.6e-3 /* s */

enum { MOST_STEPS = 4000, TABLE1_ROUNDS = 3, MODELS = 2 };

/* A row of the table. */
typedef struct example {
    const char *scene;
    double dt;                    /* s, length of a step, as in the table */
    double warm, seconds;         /* simulated before the first timed step, and in timed steps */
    double paper_step, paper_max; /* ms, published in the table */
    double bars[MODELS];          /* ms, by rn_model */
} example;

/* The same world with different numbers of threads. Every run starts from the same snapshot, so that all runs do the
   same work; the shortest time of a step in several runs is what an idle machine would take. */
typedef struct rehearsal {
    const example *of;
    rn_scene *scenes[MOST_CREWS];
    rn_world *worlds[MOST_CREWS];
    rn_snapshot *starts[MOST_CREWS];
    double least[MOST_CREWS][MOST_STEPS]; /* s, shortest time of each step */
    double substeps;                      /* in a run */
} rehearsal;

/* Returns the number of timed steps in a run. */
static int step_count(const example *of) { return (int)(of->seconds / of->dt + 0.5); }

/* Opens the scene for this crew, steps it through the warm-up, saves a snapshot, and sets r->least of the crew to
   INFINITY; close_examples() frees scene and snapshot. Returns false after printing an error if the scene is not found;
   exits on other failures. */
static bool open_example(rehearsal *r, int crew, rn_model model, const bench_crews *crews) {
    char path[1024];
    const char *set[] = {model == RN_MODEL_PAPER ? "model=paper" : "model=physical",
                         bench_on_gpu(crews->backend) ? "backend=cuda" : "backend=cpu"};
    if (!library_find("bench", r->of->scene, path, sizeof path)) return false;
    const rn_scene_def def = {.path = path, .set = set, .set_count = 2, .threads = crews->threads[crew]};
    bench_must(rn_scene_open(&def, &r->scenes[crew]));
    r->worlds[crew] = rn_scene_world(r->scenes[crew]);
    for (int i = 0; i < MOST_STEPS; i++) r->least[crew][i] = INFINITY;
    for (double at = 0.0; at < r->of->warm; at += r->of->dt) bench_must(rn_world_step(r->worlds[crew], r->of->dt));
    bench_must(rn_world_save(r->worlds[crew], &r->starts[crew]));
    return true;
}

/* Closes the scenes of all crews, with their worlds, and destroys the snapshots, where there are any. */
static void close_examples(rehearsal *r) {
    for (int i = 0; i < MOST_CREWS; i++) {
        rn_snapshot_destroy(r->starts[i]);
        rn_scene_close(r->scenes[i]);
    }
}

/* Runs all steps of a crew's world from its snapshot; the context is a rehearsal. Returns the mean duration of a step
   (s), lowers the crew's `least` to the shortest time of each step so far, and sets `substeps`. */
static double time_example(void *context, int crew) {
    rehearsal *r = context;
    rn_world *world = r->worlds[crew];
    const int steps = step_count(r->of);
    bench_must(rn_world_restore(world, r->starts[crew]));
    const uint64_t before = rn_world_get_stats(world).steps;
    double sum = 0.0;
    for (int i = 0; i < steps; i++) {
        const double start = clock_now();
        bench_must(rn_world_step(world, r->of->dt));
        const double taken = clock_now() - start;
        r->least[crew][i] = fmin(r->least[crew][i], taken);
        sum += taken;
    }
    r->substeps = (double)(rn_world_get_stats(world).steps - before);
    return sum / steps;
}

/* Sets step_max and frame_max (ms) from the shortest time of each step; a frame of 16.6 ms has all steps that begin in
   it. Neither is set below the median, which other work on the machine may have raised; b->step and b->seconds are
   known. */
static void find_longest(const rehearsal *r, int crew, bench_result *b) {
    double frame = 0.0;
    b->step_max = b->step;
    b->frame_max = b->seconds * 1e3;
    int at = 0;
    for (int i = 0; i < step_count(r->of); i++) {
        const int next = (int)(i * r->of->dt / FRAME);
        frame = (next == at ? frame : 0.0) + r->least[crew][i];
        at = next;
        b->step_max = fmax(b->step_max, r->least[crew][i] * 1e3);
        b->frame_max = fmax(b->frame_max, frame * 1e3);
    }
}

/* Returns the result of a crew, from its timings: `median` is a step (ms), `seconds` and `substeps` are per frame of
   16.6 ms. Model, threads, bar and note are left to the caller. */
static bench_result describe_crew(const rehearsal *r, int crew, const timing *t) {
    const example *of = r->of;
    const double steps_in_frame = FRAME / of->dt;
    bench_result b = bench_duration(r->worlds[crew], t, ROOFED_SUBSTEP_BYTES);
    if (rn_world_describe(r->worlds[crew]).layers == 1) b.bytes = SUBSTEP_BYTES;
    b.step = b.median;
    b.seconds = timing_median(t) * steps_in_frame;
    b.substeps = r->substeps / step_count(of) * steps_in_frame;
    b.paper_step = of->paper_step;
    b.paper_max = of->paper_max;
    find_longest(r, crew, &b);
    return b;
}

/* Writes the note of a result from its other values, with the paper's times beside ours. */
static void write_example_note(const example *of, bench_result *b) {
    char more[64] = "";
    if (b->speedup > 0.0 && b->threads > 1) snprintf(more, sizeof more, "%.2f x one thread; ", b->speedup);
    snprintf(b->note, sizeof b->note,
             "%sa step of %g ms %.3g ms, at most %.3g (GTX 970: %.2f, at most %.2f); %.1f substeps; a frame of 16.6 ms "
             "%.3g ms, at most %.3g",
             more, of->dt * 1e3, b->step, b->step_max, of->paper_step, of->paper_max, b->substeps * of->dt / FRAME,
             b->seconds * 1e3, b->frame_max);
}

/* Times one model with all crews. If the scene is not found, which is also printed, the results are NAN with a note.
   Returns the number of results, one per crew. */
static int time_model(const example *of, rn_model model, const bench_crews *crews, bench_result *results) {
    static rehearsal r;
    timing t[MOST_CREWS] = {{.rounds = 0}};
    memset(&r, 0, sizeof r);
    r.of = of;
    bool found = true;
    for (int i = 0; found && i < crews->count; i++) found = open_example(&r, i, model, crews);
    if (found) bench_interleave(crews->count, TABLE1_ROUNDS, time_example, &r, t);
    for (int i = 0; i < crews->count; i++) {
        results[i] = (bench_result){.median = NAN, .best = NAN, .seconds = NAN, .substeps = NAN, .bytes = NAN};
        if (found) results[i] = describe_crew(&r, i, &t[i]);
        else snprintf(results[i].note, sizeof results[i].note, "left out: its scene was not found");
        results[i].model = model;
        if (model == RN_MODEL_PAPER) results[i].bytes -= SUBSTEP_BYTES - PAPER_SUBSTEP_BYTES;
        results[i].threads = crews->threads[i];
        results[i].bar = of->bars[model];
        if (!found) continue;
        if (crews->threads[0] == 1) results[i].speedup = timing_ratio(&t[0], &t[i]);
        write_example_note(of, &results[i]);
    }
    close_examples(&r);
    return crews->count;
}

/* Runs a row with the physical model and, after these results, with the paper's, but not on a GPU, where that takes
   minutes. Returns the number of results. */
static int run_row(const example *of, const bench_crews *crews, bench_result *results) {
    const int count = time_model(of, RN_MODEL_PHYSICAL, crews, results);
    return bench_on_gpu(crews->backend) ? count : count + time_model(of, RN_MODEL_PAPER, crews, results + count);
}

/* Measures row table1-viscosity: the scene incline. Writes a result for each model and crew and returns their number.
   Bars of all rows table1: for the physical model, the time that a game can spare; for the paper's model, the time
   given in the paper. */
int bench_table1_viscosity(const bench_crews *crews, bench_result *results) {
    static const example of = {
        "incline", 3e-3, 0.0, 3.0, 0.62, 1.03, {[RN_MODEL_PHYSICAL] = 1.0, [RN_MODEL_PAPER] = 0.61}};
    return run_row(&of, crews, results);
}

/* Measures row table1-three-layers: the scene three-layers. Writes a result for each model and crew and returns their
   number. */
int bench_table1_three_layers(const bench_crews *crews, bench_result *results) {
    static const example of = {
        "three-layers", 9e-3, 0.0, 4.5, 0.32, 0.68, {[RN_MODEL_PHYSICAL] = 1.8, [RN_MODEL_PAPER] = 0.32}};
    return run_row(&of, crews, results);
}

/* Measures row table1-passages: the scene passages. Writes a result for each model and crew and returns their
   number. */
int bench_table1_passages(const bench_crews *crews, bench_result *results) {
    static const example of = {
        "passages", 9e-3, 0.0, 6.0, 0.26, 0.50, {[RN_MODEL_PHYSICAL] = 1.8, [RN_MODEL_PAPER] = 0.26}};
    return run_row(&of, crews, results);
}

/* Measures row table1-surgery: the scene vertebra, timed after 2 s. Writes a result for each model and crew and returns
   their number. */
int bench_table1_surgery(const bench_crews *crews, bench_result *results) {
    static const example of = {
        "vertebra", 3e-3, 2.0, 0.9, 4.86, 5.43, {[RN_MODEL_PHYSICAL] = 3.0, [RN_MODEL_PAPER] = 4.86}};
    return run_row(&of, crews, results);
}
