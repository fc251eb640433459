/* runnel bench: how fast this machine is. Ratios are taken within one run, because machines are noisy. */
#include "base/words.h"
#include "commands.h"
#include "options.h"
#include "physics.h"
#include "progress.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct measured {
    double value;
    char note[96];
} measured;

/* ---- Scenes --------------------------------------------------------------------------------------------- */

static void must(rn_result result) {
    if (result == RN_OK) return;
    complain("runnel bench: %s", rn_last_error());
    exit(EXIT_BAD_INPUT);
}

/* Rolling ground of `cells` squared, half a millimetre each, under a film and puddles. */
static rn_world *rolling(int cells, double cell, double level, int threads) {
    rn_terrain_def ground = rn_terrain_default();
    const double size = cells * cell;
    ground.cells_x = ground.cells_y = cells;
    ground.cell_size = cell;
    ground.bottom = -0.2 * size;
    ground.lid = 0.3 * size;
    ground.threads = threads;
    ground.solid = rn_sdf_noise(0.04 * size, 0.3 * size, 3, 5);
    rn_terrain *terrain;
    rn_world *world;
    must(rn_terrain_create(&ground, &terrain));
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.threads = threads;
    def.dig = 0.05 * size;
    must(rn_world_create(&def, &world));
    rn_terrain_destroy(terrain);
    must(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}));
    return world;
}

/* ---- Rows -------------------------------------------------------------------------------------------------- */

static measured step_speed(double level) {
    enum { CELLS = 1024 };
    rn_world *world = rolling(CELLS, 0.01, level, 1);
    must(rn_world_step(world, 1e-3));
    double best = INFINITY, dt = rn_world_progress(world).limit;
    for (int i = 0; i < 24; i++) {
        const uint64_t before = rn_world_progress(world).steps;
        const double start = clock_now();
        must(rn_world_step(world, dt));
        best = fmin(best, (clock_now() - start) / (double)(rn_world_progress(world).steps - before));
    }
    rn_world_destroy(world);
    measured row = {CELLS * CELLS / best * 1e-6, ""};
    snprintf(row.note, sizeof row.note, "%.1f ms a substep", best * 1e3);
    return row;
}

static measured run_step_wet(void) { return step_speed(2.0); }
static measured run_step_half_dry(void) { return step_speed(0.0); }

/* A ball of a twentieth of all cells in the liquid: it stays, heaves up and down, or wades around. */
typedef enum ball_kind { BALL_STILL, BALL_HEAVES, BALL_WADES } ball_kind;

static double ball_frames(rn_world *world, int ball, ball_kind kind, int frames) {
    const double start = clock_now();
    for (int i = 0; i < frames; i++) {
        const double turn = kind == BALL_WADES ? 0.004 * i : 0.0;
        const double rise = kind == BALL_HEAVES ? 2e-4 * sin(0.1 * (i + 1)) : 0.0;
        const rn_vec3 at = {0.05 + 0.03 * cos(turn), 0.05 + 0.03 * sin(turn), -0.002 + rise};
        must(rn_world_move_solid(world, ball, at, (rn_vec3){0, 0, 0}));
        must(rn_world_step(world, 1.0 / 60.0));
    }
    return (clock_now() - start) / frames;
}

static measured edit_ratio(ball_kind kind) {
    double best[2] = {INFINITY, INFINITY};
    uint64_t steps[2] = {0, 0};
    for (int i = 0; i < 6; i++) {
        rn_world *world = rolling(200, 5e-4, 0.001, 2);
        rn_solid_def def = {.shape = rn_sdf_sphere(0.0125), .at = {0.08, 0.05, -0.002}};
        const int ball = rn_world_solid(world, &def);
        ball_frames(world, ball, BALL_STILL, 60);
        const uint64_t before = rn_world_progress(world).steps;
        best[i % 2] = fmin(best[i % 2], ball_frames(world, ball, i % 2 ? kind : BALL_STILL, 60));
        steps[i % 2] = rn_world_progress(world).steps - before;
        rn_world_destroy(world);
    }
    measured row = {best[1] / best[0], ""};
    snprintf(row.note, sizeof row.note, "%.2f ms a frame of %.1f substeps against %.2f of %.1f", best[1] * 1e3,
             (double)steps[1] / 60.0, best[0] * 1e3, (double)steps[0] / 60.0);
    return row;
}

static measured run_edits(void) { return edit_ratio(BALL_HEAVES); }
static measured run_wading(void) { return edit_ratio(BALL_WADES); }

/* 200 x 200 cells of five storeys each. */
static rn_world *storeys(void) {
    enum { CELLS = 200, LAYERS = 5 };
    rn_column *columns = calloc((size_t)CELLS * CELLS * LAYERS, sizeof *columns);
    int32_t *counts = calloc((size_t)CELLS * CELLS, sizeof *counts);
    if (!columns || !counts) exit(complain("runnel bench: there is not enough memory"));
    uint32_t random = 1;
    for (int i = 0; i < CELLS * CELLS; i++) {
        counts[i] = LAYERS;
        for (int l = 0; l < LAYERS; l++) {
            const double floor = 0.008 * l + 0.001 * random_unit(&random);
            columns[i * LAYERS + l] =
                (rn_column){l ? 0.008 * l - 0.001 : -INFINITY, floor, l == LAYERS - 1 ? 0.05 : 0.008 * (l + 1) - 0.001};
        }
    }
    setup how = {.nx = CELLS, .ny = CELLS, .cell = 5e-4, .viscosity = 1e-6, .friction = 0.5};
    rn_world *world = make_world_on(make_terrain(CELLS, CELLS, 5e-4, 0.05, columns, counts), &how);
    free(columns);
    free(counts);
    must(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02}));
    must(rn_world_step(world, 0.01));
    return world;
}

static measured snapshot_time(bool restore) {
    rn_world *world = storeys();
    rn_snapshot *snapshot = NULL;
    must(rn_world_save(world, &snapshot));
    double best = INFINITY;
    for (int i = 0; i < 30; i++) {
        must(rn_world_step(world, 1e-4));
        const double start = clock_now();
        must(restore ? rn_world_restore(world, snapshot) : rn_world_save(world, &snapshot));
        best = fmin(best, clock_now() - start);
    }
    size_t bytes;
    rn_snapshot_bytes(snapshot, &bytes);
    measured row = {best * 1e3, ""};
    snprintf(row.note, sizeof row.note, "%.1f MB", (double)bytes * 1e-6);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
    return row;
}

static measured run_save(void) { return snapshot_time(false); }
static measured run_restore(void) { return snapshot_time(true); }

typedef struct row {
    const char *name, *unit, *what;
    measured (*run)(void);
} row;

static const row rows[] = {
    {"step-wet", "Mcell/s", "a substep of 1024 x 1024 cells under water, one thread", run_step_wet},
    {"step-half-dry", "Mcell/s", "the same where half of the ground is dry", run_step_half_dry},
    {"edits", "x", "200 x 200 cells, a twentieth of them heaving each frame, against none", run_edits},
    {"edits-wading", "x", "the same where a ball wades through the liquid and stirs it", run_wading},
    {"save", "ms", "a snapshot of 200 x 200 x 5 columns", run_save},
    {"restore", "ms", "and going back to it", run_restore},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const char help[] =
    "runnel bench [options]: measures how fast this machine steps, edits, saves and restores worlds.\n"
    "\n"
    "  --only NAME   one row alone\n"
    "  --json        prints the table as JSON\n"
    "\n"
    "Rows: step-wet, step-half-dry, edits, edits-wading, save, restore.\n"
    "Times are the best of several; rows in \"x\" compare two measurements of the same run.\n";

static bool is_known(const char *name) {
    const char *nearest = NULL;
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(name, rows[i].name) == 0) return true;
        rn_word_nearer(name, rows[i].name, &nearest);
    }
    if (nearest) complain("runnel bench: there is no row \"%.60s\"; did you mean \"%s\"?", name, nearest);
    else complain("runnel bench: there is no row \"%.60s\"; \"runnel bench --help\" lists them", name);
    return false;
}

static void print_row(const row *r, const measured *m, bool json, bool first) {
    if (!json) {
        printf("%-14s %9.3g %-8s %s (%s)\n", r->name, m->value, r->unit, r->what, m->note);
    } else {
        printf("%s  {\"name\": \"%s\", \"value\": ", first ? "" : ",\n", r->name);
        print_json_number(stdout, m->value);
        printf(", \"unit\": \"%s\", \"what\": \"%s\", \"note\": \"%s\"}", r->unit, r->what, m->note);
    }
    fflush(stdout);
}

int command_bench(int argc, char **argv) {
    const char *only = NULL;
    bool json = false, first = true;
    const option options[] = {{"--only", OPTION_TEXT, &only, 0, 0}, {"--json", OPTION_FLAG, &json, 0, 0}};
    switch (options_read("bench", argc, argv, options, sizeof options / sizeof options[0])) {
    case OPTIONS_BAD: return EXIT_BAD_INPUT;
    case OPTIONS_HELP: fputs(help, stdout); return EXIT_FINE;
    case OPTIONS_READ: break;
    }
    if (only && !is_known(only)) return EXIT_BAD_INPUT;
    if (json) puts("[");
    for (int i = 0; i < ROWS; i++) {
        if (only && strcmp(only, rows[i].name) != 0) continue;
        measured m = rows[i].run();
        print_row(&rows[i], &m, json, first);
        first = false;
    }
    if (json) puts("\n]");
    return EXIT_FINE;
}
