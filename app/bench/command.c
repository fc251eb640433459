/* runnel bench: measures how fast this machine is. Entry point: command_bench(). It chooses the rows and the numbers of
   threads; run_rows() measures how fast memory can be copied, then runs and prints each row of `rows`. Everything is
   compared within one run, because machines are noisy. */
#include "bench/bench.h"

#include "base/platform.h"
#include "base/threads.h"
#include "base/words.h"
#include "common/commands.h"
#include "common/console.h"
#include "common/countdown.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *name;
    bench_row run;            /* the row has one result; else NULL, and: */
    bench_comparison compare; /* the row has several results; else NULL */
    const char *unit;
    double bar;     /* shown beside the result, but never fails; NAN: none */
    double seconds; /* wall time on a small machine, for the ETA */
    const char *what;
} row;

static const row rows[] = {
    {"pipes-200", NULL, bench_pipes_200, "Mcell/s", NAN, 3,
     "a substep of 200 x 200 cells of 1 mm, 10 mm of water with waves over rough ground, 4e-6 m^2/s"},
    {"pipes-1024", NULL, bench_pipes_1024, "Mcell/s", NAN, 6, "the same, 1024 x 1024"},
    {"pipes-4096", NULL, bench_pipes_4096, "Mcell/s", NAN, 20, "the same, 4096 x 4096"},
    {"pipes-16384", NULL, bench_pipes_16384, "Mcell/s", NAN, 200, "the same, 16384 x 16384"},
    {"pipes-64x200", NULL, bench_pipes_crowd, "Mcell/s", NAN, 6, "64 worlds of 200 x 200, stepped together"},
    {"pipes-4096-dry", NULL, bench_pipes_dry, "Mcell/s", NAN, 12,
     "4096 x 4096 of which a hundredth is a lake with waves"},
    {"pipes-4096-still", NULL, bench_pipes_still, "Mcell/s", NAN, 12, "4096 x 4096 under a settled lake"},
    {"film-1024", NULL, bench_film, "Mcell/s", NAN, 8,
     "1024 x 1024 cells, a film that runs down an incline, dominated by drag"},
    {"dam-1024", NULL, bench_dam, "Mcell/s", NAN, 6, "1024 x 1024, a radial dam break on level ground"},
    {"violent-1024", NULL, bench_violent, "Mcell/s", NAN, 8, "1024 x 1024, violent water over cliffs"},
    {"naive-200", NULL, bench_naive_200, "Mcell/s", NAN, 2, "pipes-200 with the plain loops of app/physics/naive.c"},
    {"naive-1024", NULL, bench_naive_1024, "Mcell/s", NAN, 3, "pipes-1024 with the plain loops of app/physics/naive.c"},
    {"packets-25", NULL, bench_packets_25, "updates/s", NAN, 2,
     "the packets solver on 25 x 25 cells, 2 x 2 packets each; the bar is ten times the paper's rate"},
    {"packets-50", NULL, bench_packets_50, "updates/s", NAN, 2, "the same, 50 x 50"},
    {"packets-100", NULL, bench_packets_100, "updates/s", NAN, 2, "the same, 100 x 100"},
    {"packets-200", NULL, bench_packets_200, "updates/s", NAN, 2, "the same, 200 x 200"},
    {"packets-250", NULL, bench_packets_250, "updates/s", NAN, 2,
     "the same, 250 x 250, where the paper is 1.8 times as fast with two threads"},
    {"packets-400", NULL, bench_packets_400, "updates/s", NAN, 2, "the same, 400 x 400"},
    {"packets-adaptive", bench_packets_adaptive, NULL, "x", 4, 12,
     "speed-up of tiles of four resolutions over fine cells alone, scene adaptive"},
    {"table1-viscosity", NULL, bench_table1_viscosity, "ms", NAN, 20,
     "steps of 3 ms of the scene incline, 200 x 200, all substeps included"},
    {"table1-three-layers", NULL, bench_table1_three_layers, "ms", NAN, 20,
     "steps of 9 ms of the scene three-layers, 100 x 100 x 3"},
    {"table1-passages", NULL, bench_table1_passages, "ms", NAN, 20,
     "steps of 9 ms of the scene passages, 100 x 100 x 3"},
    {"table1-surgery", NULL, bench_table1_surgery, "ms", NAN, 60,
     "steps of 3 ms of the scene vertebra, 200 x 200 x 5, while blood runs down"},
    {"surface-viscosity", NULL, bench_surface_viscosity, "ms", NAN, 8,
     "the surface of a frame of the scene incline, 200 x 200: links, mesh, boundaries, normals, meniscus"},
    {"surface-three-layers", NULL, bench_surface_three_layers, "ms", NAN, 8,
     "the same for three-layers, 100 x 100 x 3"},
    {"surface-passages", NULL, bench_surface_passages, "ms", NAN, 8, "the same for passages, 100 x 100 x 3"},
    {"surface-surgery", NULL, bench_surface_surgery, "ms", NAN, 30, "the same for vertebra, 200 x 200 x 5"},
    {"contact", bench_contact, NULL, "x", 1.7, 20,
     "the price of a wet column in a substep with contact angles, against one without: water runs down rough ground"},
    {"edits", bench_edits, NULL, "x", NAN, 8,
     "200 x 200 cells, the ground of a twentieth of them moving in each frame, against none"},
    {"edits-wading", bench_edits_wading, NULL, "x", NAN, 8,
     "the same, where a ball moves through the liquid and stirs it"},
    {"save", bench_save, NULL, "ms", NAN, 1, "a snapshot of 200 x 200 x 5 columns"},
    {"restore", bench_restore, NULL, "ms", NAN, 1, "restoring that snapshot"},
    {"mesh-15k", bench_mesh_15k, NULL, "ms", 2000, 4,
     "14750 triangles, as many as a scanned vertebra has, made into a solid, 200 x 200 columns and distances 0.5 mm "
     "apart"},
    {"mesh-100k", bench_mesh_100k, NULL, "ms", 6000, 8, "the same with 100000 triangles"},
    {"meshes", NULL, bench_meshes, "real time", 1, 60,
     "blood poured over every mesh in RUNNEL_DATA for 5 s, 200 x 200 cells in as many layers as the mesh needs"},
    {"mac-64", bench_mac_64, NULL, "ms", NAN, 30,
     "a frame of 1/30 s of a dam break of the 3D liquid in 64 x 64 x 64 cells, the mean of 60; volume in the same run"},
    {"mac-128", bench_mac_128, NULL, "ms", NAN, 300, "the same in 128 x 128 x 128 cells"},
    {"mac-threads", bench_mac_threads, NULL, "x", 1.8, 15,
     "how many times as fast two threads are as one, in frames of mac-64"},
    {"moving-rigid", bench_moving_rigid, NULL, "ms", 16.6, 6,
     "14964 triangles are turned, and 200 x 200 x 5 columns made from them again; without the step"},
    {"moving-soft", bench_moving_soft, NULL, "ms", 50, 6, "the same triangles deformed, every vertex moved each time"},
    {"bodies-raster", bench_bodies_raster, NULL, "ms", 2, 1,
     "100 balls of 1000 triangles, 5.5 cells across, rasterised into cells, in order; the bar is for two threads; for "
     "one it is 4"},
    {"bodies-256", bench_bodies_256, NULL, "ms", 2, 1,
     "a step of 20 ms, 256 x 256 cells of 1 m, 2 m of water, 50 crates and cars that move, half of them blocking, half "
     "floating; the bar is for two threads"},
    {"bodies-512", bench_bodies_512, NULL, "ms", 5, 2, "the same in 512 x 512 cells"},
    {"passages-idle", bench_passages_idle, NULL, "x", 1.02, 2,
     "a substep of 100 x 100 x 3 columns with tunnels, none full, against one without passages"},
    {"passages-open", bench_passages_open, NULL, "x", 1.02, 3, "the same with 512 x 512 cells under the open sky"},
    {"passages-step", bench_passages_step, NULL, "x", 1.5, 2, "the same where four full tunnels join two basins"},
    {"passages-implicit", bench_passages_implicit, NULL, "x", 3.0, 10,
     "a second of those tunnels: the implicit solver at 3 times the explicit substep, against the explicit one"},
    {"passages-deep", bench_passages_deep, NULL, "x", 1.0, 5,
     "deep, slow water, 200 x 200 x 20 m, partly roofed: the implicit solver at 10 times the explicit substep, against "
     "the explicit one"},
    {"passages-break-even", bench_passages_break_even, NULL, "courant", NAN, 20,
     "the smallest multiple of the explicit substep at which the implicit solver is faster there"},
    {"passages-iterations", bench_passages_iterations, NULL, "iterations", 15, 3,
     "the most iterations of a solve at 3 times the explicit substep, with half of the area full under a slab"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const char help[] =
    "runnel bench [--only NAME ...] [--threads N] [--backend NAME] [--json]: measures how fast this machine is.\n"
    "\n"
    "  --only NAME   this row, or all whose names begin with NAME and a dash (may be given more than once)\n"
    "  --threads N   0: one per core. Without it, rows from pipes to violent, of packets and of table1 run with one "
    "thread and with\n"
    "                one per core, and all others with one\n"
    "  --backend NAME  cpu, or cuda for a GPU: rows from pipes to violent, table1 and surface only\n"
    "  --json        {\"copy_gbs\", \"results\": [{\"name\", \"n\" (columns), \"threads\", \"model\", \"unit\", "
    "\"median\",\n"
    "                \"best\", \"ratio\", \"bar\", \"mcells_per_s\", \"ms_per_frame\", \"bytes_per_cell\", "
    "\"roofline\",\n"
    "                \"speedup\", \"against_naive\", \"substeps\", \"ms_per_step\",\n"
    "                \"ms_per_step_max\", \"ms_per_frame_max\", \"paper_ms\", \"paper_ms_max\", \"what\", \"note\"}]}, "
    "null\n"
    "                where something does not apply, and \"interrupted\": true at the end after Ctrl-C\n"
    "\n"
    "Each row prints the median and the best of several runs. Rows in \"x\" compare two things whose runs alternate; "
    "their\n"
    "times are those of the first. \"ms\" is the time of what the row measures: a substep, a frame, a snapshot, a "
    "simulated\n"
    "second. \"B/cell\" is the least memory traffic for each column (in a substep: depth, speeds, transfers and base "
    "are\n"
    "read, five of them written; with roofs the ceilings too). \"of copy\" compares that with copying memory with the "
    "same\n"
    "number of threads: 100 % is as fast as memory allows; more is possible if everything fits into caches. Bars are\n"
    "shown, but no row fails.\n"
    "docs/speed.md says more.\n"
    "\n"
    "Rows:\n";

/* ---- Copying --------------------------------------------------------------------------------------------- */

enum { COPY_PIECES = 128, COPY_PIECE = 1 << 20 }; /* pieces, and bytes in each: more than caches hold */

typedef struct copying {
    rn_pool *pool;
    char *to, *from;
} copying;

/* A task over pieces of memory: copies them. */
static void copy_pieces(void *context, int begin, int end, int worker) {
    (void)worker;
    const copying *c = context;
    const size_t first = (size_t)begin * COPY_PIECE;
    memcpy(c->to + first, c->from + first, (size_t)(end - begin) * COPY_PIECE);
}

/* Copies all pieces once and returns the duration (s). `variant`: unused, because there is only one. */
static double copy_once(void *context, int variant) {
    (void)variant;
    copying *c = context;
    const double start = clock_now();
    rn_parallel_for(c->pool, COPY_PIECES, copy_pieces, c);
    const double seconds = clock_now() - start;
    c->from[0] = (char)(c->from[0] + c->to[1]); /* keeps the compiler from removing the copy */
    return seconds;
}

/* Returns how many bytes per second are read and written, counted together, when 128 MiB are copied: the median of 10
   copies. Exits if memory is lacking. */
static double measure_copy(int threads) {
    const size_t size = (size_t)COPY_PIECES * COPY_PIECE;
    copying c = {rn_pool_create(NULL, threads), malloc(size), malloc(size)};
    if (!c.pool || !c.to || !c.from) exit(complain("runnel bench: there is not enough memory"));
    memset(c.from, 1, size);
    memset(c.to, 0, size);
    timing t = {.rounds = 0};
    bench_interleave(1, 10, copy_once, &c, &t);
    rn_pool_destroy(c.pool);
    free(c.to);
    free(c.from);
    return 2.0 * (double)size / timing_median(&t);
}

/* ---- The table -------------------------------------------------------------------------------------------- */

/* The options, and the speeds measured before the first row. */
typedef struct session {
    bool wanted[ROWS], json;
    int threads;               /* for rows with one result */
    bench_crews crews;         /* for rows with several results */
    double copies[MOST_CREWS]; /* bytes per second, of each crew; the first also serves rows with one result */
} session;

/* Returns the column updates per second of a result, or NAN if its substeps or seconds do not apply. */
static double cells_per_second(const bench_result *b) { return (double)b->columns * b->substeps / b->seconds; }

/* Returns the speed of copying memory with as many threads as the result has (bytes/s), or NAN if not measured. */
static double copy_speed(const session *s, const bench_result *b) {
    for (int i = 0; i < s->crews.count; i++)
        if (s->crews.threads[i] == b->threads) return s->copies[i];
    return NAN;
}

/* Returns a positive number unchanged, and NAN for any other. */
static double if_known(double number) { return number > 0.0 ? number : NAN; }

/* Returns the bar of a result, or of its row if the result has none, or NAN if neither has. */
static double bar_of(const row *r, const bench_result *b) { return b->bar > 0.0 ? b->bar : r->bar; }

/* Returns the name of a model for the table and JSON. */
static const char *model_name(rn_model model) { return model == RN_MODEL_PAPER ? "paper" : "physical"; }

/* Prints a space and a number right-aligned in `width` characters, or "-" if it is not finite. `format`: for one
   double, at most 31 characters long when printed. */
static void print_number(int width, const char *format, double number) {
    char text[32] = "-";
    if (isfinite(number)) snprintf(text, sizeof text, format, number);
    printf(" %*s", width, text);
}

/* Prints a result as a line of the table, and below it its note, if any. */
static void print_result(const session *s, const row *r, const bench_result *b) {
    printf("%-20s %3d %-8s", r->name, b->threads, model_name(b->model));
    print_number(9, "%.4g", b->median);
    print_number(9, "%.4g", b->best);
    printf(" %-10s", r->unit);
    print_number(5, "%g", bar_of(r, b));
    print_number(9, "%.4g", cells_per_second(b) * 1e-6);
    print_number(9, "%.4g", b->seconds * 1e3);
    print_number(7, "%.0f", b->bytes);
    print_number(8, "%.1f %%", 100.0 * b->bytes * cells_per_second(b) / copy_speed(s, b));
    printf("\n");
    if (*b->note) printf("    %s\n", b->note);
}

/* Prints , "key": number; null for a number that is not finite. */
static void print_key(const char *key, double number) {
    printf(", \"%s\": ", key);
    print_json_number(stdout, number);
}

/* Prints a result as a JSON object, without a newline after it. `first`: no comma before it. */
static void print_json_result(const session *s, const row *r, const bench_result *b, bool first) {
    printf("%s\n  {\"name\": \"%s\", \"n\": %lld, \"threads\": %d, \"model\": \"%s\", \"unit\": \"%s\"",
           first ? "" : ",", r->name, (long long)b->columns, b->threads, model_name(b->model), r->unit);
    print_key("median", b->median);
    print_key("best", b->best);
    print_key("ratio", strcmp(r->unit, "x") == 0 ? b->median : NAN);
    print_key("bar", bar_of(r, b));
    print_key("mcells_per_s", cells_per_second(b) * 1e-6);
    print_key("ms_per_frame", b->seconds * 1e3);
    print_key("bytes_per_cell", b->bytes);
    print_key("roofline", b->bytes * cells_per_second(b) / copy_speed(s, b));
    print_key("speedup", if_known(b->speedup));
    print_key("against_naive", if_known(b->naive));
    print_key("substeps", b->substeps);
    print_key("ms_per_step", if_known(b->step));
    print_key("ms_per_step_max", if_known(b->step_max));
    print_key("ms_per_frame_max", if_known(b->frame_max));
    print_key("paper_ms", if_known(b->paper_step));
    print_key("paper_ms_max", if_known(b->paper_max));
    printf(", \"what\": \"%s\", \"note\": ", r->what);
    print_json_text(stdout, b->note);
    printf("}");
}

/* Shows on the terminal the place and name of row `i` among the wanted ones, and the remaining time, scaled by how long
   the rows so far took compared with what they were expected to. `start`: clock before the first row (s). */
static void show_countdown(const bool *wanted, int i, double start) {
    int place = 0, count = 0;
    double before = 0, after = 0;
    for (int k = 0; k < ROWS; k++) {
        if (!wanted[k]) continue;
        count++;
        place += k <= i;
        before += k < i ? rows[k].seconds : 0;
        after += k > i ? rows[k].seconds : 0;
    }
    const double slowness = before > 0 ? (clock_now() - start) / before : 1;
    char text[96];
    snprintf(text, sizeof text, "[%d of %d] %s", place, count, rows[i].name);
    countdown_show(text, slowness * rows[i].seconds, slowness * after);
}

/* Runs row `r` with the threads of the session: all crews if it has several results. A row with one result is reported
   with the session's threads, whatever number it sets itself. Returns the number of results, at most MOST_RESULTS. */
static int measure_row(const session *s, const row *r, bench_result results[MOST_RESULTS]) {
    if (r->compare) return r->compare(&s->crews, results);
    results[0] = r->run(s->threads);
    results[0].threads = s->threads;
    return 1;
}

/* Measures how fast each crew copies memory, into s->copies (bytes/s), while a status line shows. */
static void measure_copies(session *s) {
    countdown_show("copying memory", 1, 0);
    for (int i = 0; i < s->crews.count; i++) s->copies[i] = measure_copy(s->crews.threads[i]);
    countdown_hide();
}

/* Prints how fast each crew copies memory, and the headings of the table. */
static void print_heading(const session *s) {
    for (int i = 0; i < s->crews.count; i++)
        printf("copying moves %.1f GB/s with %d thread%s\n", s->copies[i] * 1e-9, s->crews.threads[i],
               s->crews.threads[i] == 1 ? "" : "s");
    printf("%-20s %3s %-8s %9s %9s %-10s %5s %9s %9s %7s %8s\n", "name", "thr", "model", "median", "best", "unit",
           "bar", "Mcell/s", "ms", "B/cell", "of copy");
}

/* Measures the bandwidth of copying memory, then runs the chosen benchmarks and prints them, as a table or as JSON.
   From this call on, Ctrl-C ends the program at once; what was printed so far is then completed to a valid table or
   JSON. A benchmark that fails ends the program (bench_must). */
static void run_rows(session *s) {
    /* A row may take a while, so Ctrl-C ends at once: the rows so far have been printed, and the JSON is closed. */
    console_end_on_interrupt(s->json ? "{\"copy_gbs\": null, \"results\": [], \"interrupted\": true}\n"
                                     : "interrupted\n");
    countdown_start();
    measure_copies(s);
    const double start = clock_now();
    if (s->json) {
        printf("{\"copy_gbs\": ");
        print_json_number(stdout, s->copies[s->crews.count - 1] * 1e-9);
        printf(", \"results\": [");
        console_end_on_interrupt("\n], \"interrupted\": true}\n");
    } else {
        print_heading(s);
    }
    fflush(stdout);
    bool first = true;
    for (int i = 0; i < ROWS; i++) {
        if (!s->wanted[i]) continue;
        show_countdown(s->wanted, i, start);
        bench_result results[MOST_RESULTS] = {{0}};
        const int count = measure_row(s, &rows[i], results);
        countdown_hide();
        if (!s->json) printf("%s: %s\n", rows[i].name, rows[i].what);
        for (int k = 0; k < count; k++) {
            if (s->json) print_json_result(s, &rows[i], &results[k], first);
            else print_result(s, &rows[i], &results[k]);
            first = false;
        }
        fflush(stdout);
    }
    countdown_stop();
    if (s->json) printf("\n]}\n");
}

/* ---- The command ------------------------------------------------------------------------------------------ */

/* Returns true if a name consists of the name of the group, a dash, and anything or nothing more. */
static bool in_group(const char *name, const char *group) {
    const size_t length = strlen(group);
    return strncmp(name, group, length) == 0 && name[length] == '-';
}

/* Prints that no row has this name and suggests the most similar row or group, if one is similar. Returns the exit
   status of bad input. */
static int complain_unknown_row(const char *name) {
    const char *nearest = NULL;
    static char groups[ROWS][RN_WORD_LONGEST];
    for (int i = 0; i < ROWS; i++) {
        snprintf(groups[i], sizeof groups[i], "%.*s", (int)strcspn(rows[i].name, "-"), rows[i].name);
        rn_word_nearer(name, rows[i].name, &nearest);
        rn_word_nearer(name, groups[i], &nearest);
    }
    if (nearest) return complain("runnel bench: there is no row \"%.60s\"; did you mean \"%s\"?", name, nearest);
    return complain("runnel bench: there is no row \"%.60s\"; \"runnel bench --help\" lists them", name);
}

/* Marks the rows that --only names, as rows or groups, or all rows if it was not given. A name that is exactly a row's
   selects only that row. Returns EXIT_FINE, or EXIT_BAD_INPUT after an error. */
static int choose_rows(const option_texts *only, bool *wanted) {
    for (int i = 0; i < ROWS; i++) wanted[i] = only->count == 0;
    for (int k = 0; k < only->count; k++) {
        const char *name = only->texts[k];
        bool found = false;
        for (int i = 0; i < ROWS; i++)
            if (strcmp(rows[i].name, name) == 0) wanted[i] = found = true;
        for (int i = 0, exact = found; !exact && i < ROWS; i++)
            if (in_group(rows[i].name, name)) wanted[i] = found = true;
        if (!found) return complain_unknown_row(name);
    }
    return EXIT_FINE;
}

/* Sets the numbers of threads of a session whose rows are chosen. `asked`: -1: not given, 0: one per core. If not
   given, rows with several results run with one thread and with one per core (if there is more than one), all others
   with one. */
static void choose_threads(session *s, int asked) {
    const int all = rn_cores(), given = asked > 0 ? asked : asked == 0 ? all : 1;
    bool compares = false;
    for (int i = 0; i < ROWS; i++) compares |= s->wanted[i] && rows[i].compare != NULL;
    s->threads = given;
    s->crews = (bench_crews){.threads = {given, all}, .count = asked < 0 && compares && all > 1 ? 2 : 1};
}

/* Returns whether a row measures substeps: those run on a GPU too. */
static bool runs_on_gpu(const char *name) {
    static const char *const groups[] = {"pipes", "film", "dam", "violent", "table1", "surface"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (in_group(name, groups[i])) return true;
    return false;
}

/* Checks the name of the backend. With "cuda" it leaves only wanted rows of substeps and surfaces, and sets *threads to
   1; whether there is a GPU shows when a world is made. Returns false after printing an error if the name is unknown or
   no row is left. */
static bool choose_backend(session *s, const char *backend, int *threads) {
    if (strcmp(backend, "cpu") == 0) return true;
    if (strcmp(backend, "cuda") != 0) {
        complain("runnel bench: there is no backend \"%s\"; use \"cpu\" or \"cuda\"", backend);
        return false;
    }
    *threads = 1;
    int left = 0;
    for (int i = 0; i < ROWS; i++) {
        s->wanted[i] = s->wanted[i] && runs_on_gpu(rows[i].name);
        left += s->wanted[i];
    }
    if (left == 0)
        complain(
            "runnel bench: none of these rows runs on a GPU; those from pipes to violent do, such as pipes-1024, and "
            "those of table1 and surface");
    return left > 0;
}

/* Runs `runnel bench`: reads the options, chooses rows and threads, runs them, and returns the exit status;
   EXIT_BAD_INPUT, after printing an error, only for bad options. --help also lists the rows. */
int command_bench(int argc, char **argv) {
    session s = {.json = false};
    int threads = -1;
    const char *names[64];
    option_texts only = {names, 0};
    const char *backend = NULL;
    const option options[] = {{"--only", OPTION_NAMES, &only, 0, 0},
                              {"--backend", OPTION_TEXT, &backend, 0, 0},
                              {"--threads", OPTION_COUNT, &threads, 0, 1024},
                              {"--json", OPTION_FLAG, &s.json, 0, 0}};
    if (argc > 64) return complain("runnel bench: too many arguments; at most 64 are allowed");
    switch (options_read("bench", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP:
        fputs(help, stdout);
        for (int i = 0; i < ROWS; i++) printf("  %-20s %s\n", rows[i].name, rows[i].what);
        return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    const int chosen = choose_rows(&only, s.wanted);
    if (chosen != EXIT_FINE) return chosen;
    if (backend && !choose_backend(&s, backend, &threads)) return EXIT_BAD_INPUT;
    choose_threads(&s, threads);
    s.crews.backend = backend;
    run_rows(&s);
    return EXIT_FINE;
}
