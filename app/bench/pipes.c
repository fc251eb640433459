/* Rows pipes-..., film-1024, dam-1024, violent-1024 and naive-... of `runnel bench`: substeps of one layer, with one
   thread, with all threads, and with the plain loops of physics/naive.c. run_course() runs most rows;
   bench_pipes_16384() runs one world at a time, because two may not fit in memory; run_naive() times the plain loops
   alone. */
#include "base/platform.h"
#include "bench/bench.h"
#include "common/commands.h"
#include "common/options.h"
#include "common/progress.h"
#include "physics/naive.h"
#include "physics/waters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a row is timed. Larger grids take fewer substeps. */
typedef struct course {
    water_kind kind;
    int cells;            /* along each side */
    int warm;             /* substeps before the first timed one */
    int substeps, rounds; /* in a run; number of runs */
    bool with_naive;      /* also time the plain loops */
} course;

enum { MOST_WARM = 32, MOST_LANES = MOST_CREWS + 1, CROWD = 64 };

/* Worlds of the same water that take the same substeps and differ only in threads. Lane `crews` is the plain loops. */
typedef struct contest {
    const course *course;
    rn_world *worlds[MOST_CREWS];
    naive plain;
    int crews;                 /* number of worlds */
    const char *backend;       /* of all worlds */
    double dts[MOST_WARM], dt; /* s, lengths of the warm-up substeps, and of the timed ones */
} contest;

bool bench_on_gpu(const char *backend) { return backend && strcmp(backend, "cuda") == 0; }

/* Takes the warm-up substeps of world `crew`. World 0 chooses their lengths, c->dts, and that of the timed ones, c->dt:
   0.9 times the longest stable one, but 1 µs for the first. All others, warmed up later, take the same. */
static void warm_up(contest *c, int crew) {
    rn_world *world = c->worlds[crew];
    for (int i = 0; i < c->course->warm; i++) {
        if (crew == 0) c->dts[i] = i == 0 ? 1e-6 : 0.9 * rn_world_get_stats(world).limit;
        bench_must(rn_world_step(world, c->dts[i]));
    }
    if (crew == 0) c->dt = 0.9 * rn_world_get_stats(world).limit;
}

/* Creates and warms up the world of a crew (a number of threads to compare), and with crew 0 also the plain loops of
   app/physics/naive.c if the course compares with them. Exits on failure; end_contest() frees both. */
static void add_world(contest *c, int crew, int threads) {
    const course *on = c->course;
    rn_world_def def;
    bench_must(water_create(on->kind, on->cells, on->cells, threads, c->backend, &c->worlds[crew], &def));
    if (crew == 0 && on->with_naive && !naive_create(&c->plain, c->worlds[crew], &def))
        exit(complain("runnel bench: there is not enough memory"));
    warm_up(c, crew);
    for (int i = 0; crew == 0 && on->with_naive && i < on->warm; i++) naive_step(&c->plain, c->dts[i]);
}

/* Destroys all worlds of the contest and the plain loops, where there are any. */
static void end_contest(contest *c) {
    for (int i = 0; i < MOST_CREWS; i++) rn_world_destroy(c->worlds[i]);
    naive_destroy(&c->plain);
}

/* Takes c->course->substeps steps of a lane, a world or (lane c->crews) the plain loops, on from its last state, and
   returns the duration of a substep (s). */
static double time_substeps(void *context, int lane) {
    contest *c = context;
    const int substeps = c->course->substeps;
    if (lane == c->crews) {
        const double start = clock_now();
        for (int i = 0; i < substeps; i++) naive_step(&c->plain, c->dt);
        return (clock_now() - start) / substeps;
    }
    rn_world *world = c->worlds[lane];
    const uint64_t before = rn_world_get_stats(world).steps;
    const double start = clock_now();
    if (bench_on_gpu(c->backend)) bench_must(rn_world_step(world, substeps * c->dt)); /* one job for the GPU */
    else
        for (int i = 0; i < substeps; i++) bench_must(rn_world_step(world, c->dt));
    return (clock_now() - start) / (double)(rn_world_get_stats(world).steps - before);
}

/* Returns the share, 0 to 1, of columns of the lowest layer through whose east or north face liquid flows. */
static double moving_share(const rn_world *world) {
    const rn_view x = rn_world_view(world, RN_FIELD_FLUX_X), y = rn_world_view(world, RN_FIELD_FLUX_Y);
    int64_t count = 0;
    for (int row = 0; row < x.cells_y; row++)
        for (int i = 0; i < x.cells_x; i++) {
            const ptrdiff_t at = row * x.row_stride + i;
            count += x.data[at] != 0.0f || y.data[at] != 0.0f;
        }
    return (double)count / ((double)x.cells_x * x.cells_y);
}

/* Writes the note of a result: speed relative to one thread and to plain loops where known, share of moving columns,
   memory. Reads the result's other values. */
static void write_note(const rn_world *world, bench_result *b) {
    char more[64] = "", plain[64] = "";
    if (b->speedup > 0.0 && b->threads > 1) snprintf(more, sizeof more, "%.2f x one thread; ", b->speedup);
    if (b->naive > 0.0) snprintf(plain, sizeof plain, "%.2f x naive; ", b->naive);
    snprintf(b->note, sizeof b->note, "%s%s%.3g %% of the columns move; %.1f B of memory per column", more, plain,
             100.0 * moving_share(world), (double)rn_world_describe(world).bytes / (double)b->columns);
}

/* Returns the course for a GPU: with 5 to 50 times as many substeps in a run, which take it some milliseconds, and
   without the plain loops. */
static course course_for_gpu(const course *given) {
    course fit = *given;
    fit.substeps *= given->cells < 512 ? 50 : given->cells < 8192 ? 25 : 5;
    fit.with_naive = false;
    return fit;
}

/* Runs one row with all crews: makes the worlds, times them in turn, and destroys them. Returns the number of results,
   one per crew; the plain loops only appear in their `naive`. */
static int run_course(const course *given, const bench_crews *crews, bench_result *results) {
    const course fit = bench_on_gpu(crews->backend) ? course_for_gpu(given) : *given, *on = &fit;
    contest c = {.course = on, .crews = crews->count, .backend = crews->backend};
    timing t[MOST_LANES] = {{.rounds = 0}};
    for (int i = 0; i < crews->count; i++) add_world(&c, i, crews->threads[i]);
    bench_interleave(crews->count + on->with_naive, on->rounds, time_substeps, &c, t);
    for (int i = 0; i < crews->count; i++) {
        results[i] = bench_speed(c.worlds[i], &t[i]);
        results[i].threads = crews->threads[i];
        if (crews->threads[0] == 1) results[i].speedup = timing_ratio(&t[0], &t[i]);
        if (on->with_naive) results[i].naive = timing_ratio(&t[crews->count], &t[i]);
        write_note(c.worlds[i], &results[i]);
    }
    end_contest(&c);
    return crews->count;
}

/* Measures row pipes-200: waves over rough ground, 200 x 200 cells, also against the plain loops. Fields of a course:
   kind, cells, warm-up, substeps in a run, runs, plain loops. Writes a result for each crew and returns their
   number. */
int bench_pipes_200(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_ROUGH, 200, 32, 40, 21, true}, crews, results);
}

/* Measures row pipes-1024: waves over rough ground, 1024 x 1024 cells, also against the plain loops. Writes a result
   for each crew and returns their number. */
int bench_pipes_1024(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_ROUGH, 1024, 16, 4, 11, true}, crews, results);
}

/* Measures row pipes-4096: waves over rough ground, 4096 x 4096 cells, without the plain loops. Writes a result for
   each crew and returns their number. */
int bench_pipes_4096(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_ROUGH, 4096, 4, 2, 9, false}, crews, results);
}

/* Measures row pipes-4096-dry: a lake with waves that covers a hundredth of the ground, 4096 x 4096 cells. Writes a
   result for each crew and returns their number. */
int bench_pipes_dry(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_HOLLOW, 4096, 4, 8, 9, false}, crews, results);
}

/* Measures row pipes-4096-still: a settled lake, 4096 x 4096 cells. Writes a result for each crew and returns their
   number. */
int bench_pipes_still(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_STILL, 4096, 4, 8, 9, false}, crews, results);
}

/* Worlds that are stepped together. */
typedef struct crowd {
    rn_world *worlds[CROWD];
    double dt;    /* s, of a substep */
    int substeps; /* in a run */
} crowd;

/* Takes a step of about c->substeps substeps of all worlds, and returns the duration of a substep (s). */
static double time_crowd(void *context, int lane) {
    crowd *c = context;
    (void)lane;
    const uint64_t before = rn_world_get_stats(c->worlds[0]).steps;
    const double start = clock_now();
    bench_must(rn_worlds_step(c->worlds, CROWD, c->substeps * c->dt));
    return (clock_now() - start) / (double)(rn_world_get_stats(c->worlds[0]).steps - before);
}

/* Measures row pipes-64x200: 64 worlds of pipes-200, stepped together. Writes a result for the first crew alone, for
   all columns of all worlds, and returns 1. */
int bench_pipes_crowd(const bench_crews *crews, bench_result *results) {
    crowd c = {.substeps = bench_on_gpu(crews->backend) ? 400 : 2};
    timing t = {.rounds = 0};
    rn_world_def def;
    for (int i = 0; i < CROWD; i++) {
        bench_must(water_create(WATER_ROUGH, 200, 200, crews->threads[0], crews->backend, &c.worlds[i], &def));
        bench_must(rn_world_step(c.worlds[i], 0.02));
    }
    c.dt = 0.9 * rn_world_get_stats(c.worlds[0]).limit;
    bench_interleave(1, 5, time_crowd, &c, &t);
    results[0] = bench_speed(c.worlds[0], &t);
    results[0].columns *= CROWD;
    results[0].median *= CROWD, results[0].best *= CROWD;
    results[0].threads = crews->threads[0];
    snprintf(results[0].note, sizeof results[0].note, "%d worlds, one rn_worlds_step", (int)CROWD);
    for (int i = 0; i < CROWD; i++) rn_world_destroy(c.worlds[i]);
    return 1;
}

/* Measures row film-1024: a film down an incline, 1024 x 1024 cells, also against the plain loops. Writes a result for
   each crew and returns their number. */
int bench_film(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_FILM, 1024, 16, 4, 11, true}, crews, results);
}

/* Measures row dam-1024: a radial dam break, 1024 x 1024 cells, also against the plain loops. Writes a result for each
   crew and returns their number. */
int bench_dam(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_DAM, 1024, 16, 4, 11, true}, crews, results);
}

/* Measures row violent-1024: water thrown about over cliffs, 1024 x 1024 cells, also against the plain loops. Writes a
   result for each crew and returns their number. */
int bench_violent(const bench_crews *crews, bench_result *results) {
    return run_course(&(course){WATER_VIOLENT, 1024, 16, 4, 11, true}, crews, results);
}

/* ---- As much as fits ---------------------------------------------------------------------------------------- */

/* Returns the bytes of memory that are available (Linux), or the machine's total where that is not known. */
static double free_memory(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    double found = 0.0;
    while (file && found == 0.0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &found) == 1) found *= 1024.0;
    if (file) fclose(file);
    return found > 0.0 ? found : rn_memory_total();
}

/* Returns the largest number of bytes per column in use while a world is created, the terrain's columns included. Takes
   the world's own bytes from a world of 1024 x 1024 columns. Exits on failure. */
static double bytes_to_make(void) {
    rn_world *world = NULL;
    rn_world_def def;
    bench_must(water_create(WATER_ROUGH, 1024, 1024, 1, NULL, &world, &def));
    const rn_world_info info = rn_world_describe(world);
    rn_world_destroy(world);
    const double terrain = sizeof(rn_column) + sizeof(int32_t);
    return fmax((double)info.bytes / (double)info.columns + terrain, 2.0 * terrain);
}

/* Measures row pipes-16384: waves over rough ground, 16384 x 16384 cells. Runs one world at a time, because two may not
   fit in memory; these runs do not alternate. If one would need more than 95 % of the free memory, there is one result
   of NAN with a note. Returns the number of results. */
int bench_pipes_16384(const bench_crews *crews, bench_result *results) {
    static const course on = {WATER_ROUGH, 16384, 2, 1, 3, false};
    const double needed = bytes_to_make() * on.cells * on.cells, available = free_memory();
    if (needed > 0.95 * available) {
        results[0] =
            (bench_result){.median = NAN, .best = NAN, .seconds = NAN, .substeps = NAN, .bytes = SUBSTEP_BYTES};
        results[0].columns = (int64_t)on.cells * on.cells;
        results[0].threads = crews->threads[0];
        snprintf(results[0].note, sizeof results[0].note, "left out: it needs %.1f GB of memory, and %.1f GB are free",
                 needed * 1e-9, available * 1e-9);
        return 1;
    }
    for (int i = 0; i < crews->count; i++) {
        const bench_crews one = {{crews->threads[i]}, 1, crews->backend};
        run_course(&on, &one, &results[i]);
        if (crews->threads[0] == 1) results[i].speedup = results[0].seconds / results[i].seconds;
    }
    return crews->count;
}

/* ---- The plain loops ------------------------------------------------------------------------------------------ */

/* Times the plain loops: returns the duration of a substep (s). `variant`: unused, because there is only one. */
static double time_naive(void *context, int variant) {
    (void)variant;
    contest *c = context;
    return time_substeps(c, c->crews);
}

/* Runs a row with the plain loops only; its course must have them. Returns the number of results, 1, with one
   thread. */
static int run_naive(const course *on, bench_result *results) {
    contest c = {.course = on};
    timing t = {.rounds = 0};
    add_world(&c, 0, 1);
    bench_interleave(1, on->rounds, time_naive, &c, &t);
    results[0] = bench_speed(c.worlds[0], &t);
    results[0].threads = 1;
    end_contest(&c);
    return 1;
}

/* Measures row naive-200: pipes-200 with the plain loops alone. `crews` is not needed: they have one thread. Returns
   the number of results, 1. */
int bench_naive_200(const bench_crews *crews, bench_result *results) {
    (void)crews;
    return run_naive(&(course){WATER_ROUGH, 200, 32, 10, 21, true}, results);
}

/* Measures row naive-1024: pipes-1024 with the plain loops alone. `crews` is not needed: they have one thread. Returns
   the number of results, 1. */
int bench_naive_1024(const bench_crews *crews, bench_result *results) {
    (void)crews;
    return run_naive(&(course){WATER_ROUGH, 1024, 4, 2, 9, true}, results);
}
