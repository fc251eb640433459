/* runnel bench: how fast this machine is. Everything is compared within one run, because machines are noisy. */
#include "bench.h"

#include "base/platform.h"
#include "base/threads.h"
#include "base/words.h"
#include "commands.h"
#include "console.h"
#include "countdown.h"
#include "options.h"
#include "progress.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *name;
    bench_row run;
    const char *unit;
    double bar;     /* NAN: none; it is shown, and never fails */
    double seconds; /* it took on a small machine, for the ETA */
    const char *what;
} row;

static const row rows[] = {
    {"step-wet", bench_step_wet, "Mcell/s", NAN, 1, "a substep of 1024 x 1024 cells under water"},
    {"step-half-dry", bench_step_half_dry, "Mcell/s", NAN, 1, "the same where half of the ground is dry"},
    {"edits", bench_edits, "x", NAN, 8, "200 x 200 cells, a twentieth of them heaving each frame, against none"},
    {"edits-wading", bench_edits_wading, "x", NAN, 8, "the same where a ball wades through the liquid and stirs it"},
    {"save", bench_save, "ms", NAN, 1, "a snapshot of 200 x 200 x 5 columns"},
    {"restore", bench_restore, "ms", NAN, 1, "and going back to it"},
    {"passages-idle", bench_passages_idle, "x", 1.02, 2,
     "a substep of 100 x 100 x 3 columns with tunnels, none full, against one without passages"},
    {"passages-open", bench_passages_open, "x", 1.02, 3, "the same with 512 x 512 cells under the open sky"},
    {"passages-step", bench_passages_step, "x", 1.5, 2, "the same where four full tunnels join two basins"},
    {"passages-implicit", bench_passages_implicit, "x", 3.0, 10,
     "a second of those tunnels, implicit at 3 times the explicit substep, against explicit"},
    {"passages-deep", bench_passages_deep, "x", 1.0, 5,
     "deep and slow, 200 x 200 x 20 m with a roofed part, implicit at 10 times the explicit substep, against explicit"},
    {"passages-break-even", bench_passages_break_even, "courant", NAN, 20,
     "the least multiple of the explicit substep from which implicit is faster there"},
    {"passages-iterations", bench_passages_iterations, "iterations", 15, 3,
     "the most that a solve takes at 3 times the explicit substep, half of the area full under a slab"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const char help[] =
    "runnel bench [--only NAME ...] [--threads N] [--json]: measures how fast this machine is.\n"
    "\n"
    "  --only NAME   this row, or all whose names begin with NAME and a dash (may be given more than once)\n"
    "  --threads N   1, the default; 0: one per core\n"
    "  --json        {\"copy_gbs\", \"results\": [{\"name\", \"n\" (columns), \"threads\", \"model\", \"unit\", "
    "\"median\",\n"
    "                \"best\", \"ratio\", \"bar\", \"mcells_per_s\", \"ms_per_frame\", \"bytes_per_cell\", "
    "\"roofline\",\n"
    "                \"what\", \"note\"}]}, null where something does not apply, and \"interrupted\": true at the end\n"
    "                after Ctrl-C\n"
    "\n"
    "Each row prints the median and the best of several runs. Rows in \"x\" compare two things whose runs alternate; "
    "their\n"
    "times are those of the first. \"ms\" is of what is timed: a substep, a frame, a snapshot, a simulated second. "
    "\"B/cell\"\n"
    "is what must at least move for each column (in a substep: depth, two fluxes, base and ceiling are read, three of "
    "them\n"
    "written), \"of copy\" how fast that is against copying memory with as many threads: 100 % is as fast as memory\n"
    "allows, more is possible where all fits into caches. A bar is shown, but nothing fails.\n"
    "\n"
    "Rows:\n";

/* ---- Measuring ------------------------------------------------------------------------------------------- */

void bench_must(rn_result result) {
    if (result == RN_OK) return;
    countdown_hide();
    complain("runnel bench: %s", rn_last_error());
    exit(EXIT_BAD_INPUT);
}

/* Back and forth, so that no variant always comes first while the machine slows down. */
void bench_interleave(int variants, int rounds, timed_run run, void *context, timing *timings) {
    for (int v = 0; v < variants; v++) run(context, v);
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < variants; k++) {
            const int v = i % 2 ? variants - 1 - k : k;
            timings[v].seconds[timings[v].rounds++] = run(context, v);
        }
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(const timing *t) {
    timing sorted = *t;
    qsort(sorted.seconds, (size_t)t->rounds, sizeof sorted.seconds[0], compare);
    return 0.5 * (sorted.seconds[(t->rounds - 1) / 2] + sorted.seconds[t->rounds / 2]);
}

double timing_best(const timing *t) {
    double best = INFINITY;
    for (int i = 0; i < t->rounds; i++) best = fmin(best, t->seconds[i]);
    return best;
}

bench_result bench_duration(const rn_world *world, const timing *t, double bytes) {
    return (bench_result){.median = timing_median(t) * 1e3,
                          .best = timing_best(t) * 1e3,
                          .seconds = timing_median(t),
                          .substeps = 1,
                          .bytes = bytes,
                          .columns = rn_world_describe(world).columns};
}

bench_result bench_speed(const rn_world *world, const timing *t) {
    bench_result result = bench_duration(world, t, SUBSTEP_BYTES);
    result.median = (double)result.columns / timing_median(t) * 1e-6;
    result.best = (double)result.columns / timing_best(t) * 1e-6;
    return result;
}

/* The median of ratios within a round: what slows down both for a while does not show. */
bench_result bench_ratio(const rn_world *world, const timing *t, const timing *against, double substeps) {
    bench_result result = bench_duration(world, t, SUBSTEP_BYTES);
    timing ratios = *t;
    for (int i = 0; i < t->rounds; i++) ratios.seconds[i] /= against->seconds[i];
    result.median = timing_median(&ratios);
    result.best = timing_best(t) / timing_best(against);
    result.substeps = substeps;
    return result;
}

/* ---- Copying --------------------------------------------------------------------------------------------- */

enum { COPY_PIECES = 128, COPY_PIECE = 1 << 20 }; /* bytes; more than caches hold */

typedef struct copying {
    rn_pool *pool;
    char *to, *from;
} copying;

static void copy_pieces(void *context, int begin, int end, int worker) {
    (void)worker;
    const copying *c = context;
    const size_t first = (size_t)begin * COPY_PIECE;
    memcpy(c->to + first, c->from + first, (size_t)(end - begin) * COPY_PIECE);
}

static double copy_once(void *context, int variant) {
    (void)variant;
    copying *c = context;
    const double start = clock_now();
    rn_parallel_for(c->pool, COPY_PIECES, copy_pieces, c);
    const double seconds = clock_now() - start;
    c->from[0] = (char)(c->from[0] + c->to[1]); /* so that no copy is left out */
    return seconds;
}

/* Bytes read and written in a second by copying memory. */
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
    return 2.0 * (double)size / timing_best(&t);
}

/* ---- The table -------------------------------------------------------------------------------------------- */

static double cells_per_second(const bench_result *b) { return (double)b->columns * b->substeps / b->seconds; }

static void print_number(int width, const char *format, double number) {
    char text[32] = "-";
    if (isfinite(number)) snprintf(text, sizeof text, format, number);
    printf(" %*s", width, text);
}

static void print_row(const row *r, const bench_result *b, double copy) {
    printf("%-20s", r->name);
    print_number(9, "%.4g", b->median);
    print_number(9, "%.4g", b->best);
    printf(" %-10s", r->unit);
    print_number(5, "%g", r->bar);
    print_number(9, "%.4g", cells_per_second(b) * 1e-6);
    print_number(9, "%.4g", b->seconds * 1e3);
    print_number(7, "%.0f", b->bytes);
    print_number(8, "%.1f %%", 100.0 * b->bytes * cells_per_second(b) / copy);
    printf("\n    %s%s%s\n", r->what, *b->note ? ": " : "", b->note);
}

static void print_key(const char *key, double number) {
    printf(", \"%s\": ", key);
    print_json_number(stdout, number);
}

static void print_json_row(const row *r, const bench_result *b, double copy, int threads, bool first) {
    printf("%s\n  {\"name\": \"%s\", \"n\": %lld, \"threads\": %d, \"model\": \"physical\", \"unit\": \"%s\"",
           first ? "" : ",", r->name, (long long)b->columns, threads, r->unit);
    print_key("median", b->median);
    print_key("best", b->best);
    print_key("ratio", strcmp(r->unit, "x") == 0 ? b->median : NAN);
    print_key("bar", r->bar);
    print_key("mcells_per_s", cells_per_second(b) * 1e-6);
    print_key("ms_per_frame", b->seconds * 1e3);
    print_key("bytes_per_cell", b->bytes);
    print_key("roofline", b->bytes * cells_per_second(b) / copy);
    printf(", \"what\": \"%s\", \"note\": ", r->what);
    print_json_text(stdout, b->note);
    printf("}");
}

/* Says which row it is and how long the rest will take, from how long the rows so far have taken. */
static void announce(const bool *wanted, int i, double start) {
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

static void run(const bool *wanted, int threads, bool json) {
    /* A row may take a while, so Ctrl-C ends at once: the rows so far have been printed, and the JSON is closed. */
    console_end_on_interrupt(json ? "{\"copy_gbs\": null, \"results\": [], \"interrupted\": true}\n" : "interrupted\n");
    countdown_start();
    const double copy = measure_copy(threads), start = clock_now();
    if (json) {
        printf("{\"copy_gbs\": ");
        print_json_number(stdout, copy * 1e-9);
        printf(", \"results\": [");
        console_end_on_interrupt("\n], \"interrupted\": true}\n");
    } else {
        printf("copying moves %.1f GB/s with %d thread%s\n", copy * 1e-9, threads, threads == 1 ? "" : "s");
        printf("%-20s %9s %9s %-10s %5s %9s %9s %7s %8s\n", "name", "median", "best", "unit", "bar", "Mcell/s", "ms",
               "B/cell", "of copy");
    }
    fflush(stdout);
    bool first = true;
    for (int i = 0; i < ROWS; i++) {
        if (!wanted[i]) continue;
        announce(wanted, i, start);
        const bench_result found = rows[i].run(threads);
        countdown_hide();
        if (json) print_json_row(&rows[i], &found, copy, threads, first);
        else print_row(&rows[i], &found, copy);
        fflush(stdout);
        first = false;
    }
    countdown_stop();
    if (json) printf("\n]}\n");
}

/* ---- The command ------------------------------------------------------------------------------------------ */

static bool in_group(const char *name, const char *group) {
    const size_t length = strlen(group);
    return strncmp(name, group, length) == 0 && name[length] == '-';
}

static int refuse(const char *name) {
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

/* A row of that name is meant alone, even where others begin like it. */
static int choose(const option_texts *only, bool *wanted) {
    for (int i = 0; i < ROWS; i++) wanted[i] = only->count == 0;
    for (int k = 0; k < only->count; k++) {
        const char *name = only->texts[k];
        bool found = false;
        for (int i = 0; i < ROWS; i++)
            if (strcmp(rows[i].name, name) == 0) wanted[i] = found = true;
        for (int i = 0, exact = found; !exact && i < ROWS; i++)
            if (in_group(rows[i].name, name)) wanted[i] = found = true;
        if (!found) return refuse(name);
    }
    return EXIT_FINE;
}

int command_bench(int argc, char **argv) {
    bool wanted[ROWS], json = false;
    int threads = 1;
    const char *names[64];
    option_texts only = {names, 0};
    const option options[] = {{"--only", OPTION_NAMES, &only, 0, 0},
                              {"--threads", OPTION_COUNT, &threads, 0, 1024},
                              {"--json", OPTION_FLAG, &json, 0, 0}};
    if (argc > 64) return complain("runnel bench: too many arguments; 64 are enough");
    switch (options_read("bench", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP:
        fputs(help, stdout);
        for (int i = 0; i < ROWS; i++) printf("  %-20s %s\n", rows[i].name, rows[i].what);
        return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    const int chosen = choose(&only, wanted);
    if (chosen != EXIT_FINE) return chosen;
    run(wanted, threads > 0 ? threads : rn_cores(), json);
    return EXIT_FINE;
}
