/* Cases of `runnel validate` about waves that run up a shore, compared at gauges: case_bp01, the solitary wave on a
   plane beach of the NTHMP's first benchmark (BP01, solution of Synolakis 1987), and case_monai, the model of the
   valley of Monai (BP07, Matsuyama and Tanaka 2001). Their data are not in the repository; without them the cases are
   skipped. */
#include "physics/physics.h"
#include "physics/shared_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables of numbers ------------------------------------------------------------------------------------------- */

/* Numbers from a text file. */
typedef struct table {
    double *values; /* row by row; NULL: the file does not exist */
    int rows, columns;
} table;

/* Reads a data file, found by shared_file(), into memory as text, which the caller frees. Returns NULL if the file does
   not exist. Aborts if memory is lacking. */
static char *read_text(const char *name) {
    const char *path = shared_file(name);
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) return NULL;
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    if (!text) abort();
    for (size_t got; (got = fread(text + size, 1, room - size - 1, file)) > 0;) {
        size += got;
        if (room - size > 1) continue;
        text = realloc(text, room *= 2);
        if (!text) abort();
    }
    fclose(file);
    text[size] = '\0';
    return text;
}

/* Reads lines of `columns` numbers, after `skipped` lines of text. Missing numbers are NaN; lines without a first
   number are left out. `values` is NULL if the file does not exist; the caller frees it. Aborts if memory is
   lacking. */
static table read_table(const char *name, int skipped, int columns) {
    table t = {.columns = columns};
    char *text = read_text(name), *line = text;
    if (!text) return t;
    int lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    t.values = calloc((size_t)lines * (size_t)columns, sizeof *t.values);
    if (!t.values) abort();
    for (int number = 0; line && *line; number++) {
        char *end = strchr(line, '\n');
        if (end) *end++ = '\0';
        double *row = t.values + (size_t)t.rows * (size_t)columns;
        char *rest = line;
        for (int k = 0; number >= skipped && k < columns; k++) {
            char *after = rest;
            const double value = strtod(rest, &after);
            row[k] = after == rest ? NAN : value;
            rest = after;
        }
        if (number >= skipped && isfinite(row[0])) t.rows++;
        line = end;
    }
    free(text);
    return t;
}

/* Returns a number of the table; row and column are not checked. */
static double value_at(const table *t, int row, int column) { return t->values[row * t->columns + column]; }

/* Returns the root mean square difference between the readings of a gauge and its record, in % of the range of the
   record. times, column: columns of the table; readings are `every` apart, from 0, in the unit of the times. Times must
   not be below 0; records after the last reading and missing ones do not count. Returns NaN if none does. */
static double gauge_error(const table *t, int times, int column, const double *readings, int count, double every) {
    double sum = 0.0, low = INFINITY, high = -INFINITY;
    int compared = 0;
    for (int row = 0; row < t->rows; row++) {
        const double recorded = value_at(t, row, column);
        const int k = (int)lround(value_at(t, row, times) / every);
        if (isnan(recorded) || isnan(value_at(t, row, times)) || k >= count) continue;
        sum += (readings[k] - recorded) * (readings[k] - recorded);
        low = fmin(low, recorded);
        high = fmax(high, recorded);
        compared++;
    }
    return compared ? 100.0 * sqrt(sum / compared) / (high - low) : NAN;
}

/* ---- BP01: a wave of height 0.019 d on water of depth d = 1 m, up a beach of 1:19.85 ----------------------------- */

enum { BEACH = 1600, BEACH_LOOKS = 2400 };
static const double beach_cell = 0.05, dry_beach = 5.0, cotangent = 19.85, wave = 0.019; /* m, m, none, m */

/* Returns x (m), the distance from the still-water shore towards the sea, for a position in cells from the west
   edge. */
static double beach_place(double cells) { return cells * beach_cell - dry_beach; }
/* Returns the height of the bed at x (m): a slope down to -1 m, then level. */
static double beach_bed(double x) { return fmax(-x / cotangent, -1.0); }

/* Returns the initial height of the wave at x (m). Its crest is half a wave length from the foot of the beach, and it
   runs towards the shore. */
static double first_wave(double x) {
    const double steep = sqrt(0.75 * wave), crest = cotangent + acosh(sqrt(20.0)) / steep;
    const double over = 1.0 / cosh(steep * (x - crest));
    return wave * over * over;
}

/* Creates the beach with the solitary wave and its velocity. The caller destroys the world. */
static rn_world *fill_beach(void) {
    double heights[BEACH], depth[BEACH];
    for (int i = 0; i < BEACH; i++) {
        const double x = beach_place(i + 0.5);
        heights[i] = beach_bed(x);
        depth[i] = fmax(first_wave(x) - heights[i], 0.0);
    }
    rn_world *world = make_world(&(setup){.nx = BEACH, .ny = 1, .cell = beach_cell, .heights = heights, .lid = 0.9});
    set_depths(world, depth);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), f = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int i = 0; i < BEACH - 1; i++)
        f.data[i] =
            (float)(-sqrt(GRAVITY) * first_wave(beach_place(i + 1.0)) * 0.5 * (d.data[i] + d.data[i + 1]) * beach_cell);
    rn_world_commit(world);
    return world;
}

/* Returns the level at (x, y) (m above 0, the still water); on dry ground, the height of the ground. */
static double level_at(const rn_world *world, double x, double y) {
    return rn_world_sample_layer(world, x, y, 0).level;
}

/* A solitary wave of 0.019 m on water of 1 m runs up a beach of 1:19.85, compared with Synolakis' solution.
   measured[0]: the largest rms error at two gauges, in % of their range. Skipped without the data, whose unit of
   time is sqrt(d/g); gauges are read every 0.05 of it. */
void case_bp01(double measured[MOST_MEASURES]) {
    const double gauges[] = {0.25, 9.95}, every = 0.05;
    table t = read_table("swe/bp01/canonical_ts.txt", 5, 4);
    if (!t.values) {
        skip_case(measured);
        return;
    }
    double *readings[2];
    for (int k = 0; k < 2; k++) readings[k] = calloc(BEACH_LOOKS + 1, sizeof(double));
    if (!readings[0] || !readings[1]) abort();
    rn_world *world = fill_beach();
    for (int i = 0; i <= BEACH_LOOKS; i++) {
        if (i > 0) rn_world_step(world, every / sqrt(GRAVITY));
        for (int k = 0; k < 2; k++) readings[k][i] = level_at(world, gauges[k] + dry_beach, 0.5 * beach_cell);
    }
    measured[0] = 0.0;
    for (int k = 0; k < 2; k++) {
        measured[0] = worse(measured[0], gauge_error(&t, 2 * k, 2 * k + 1, readings[k], BEACH_LOOKS + 1, every));
        free(readings[k]);
    }
    rn_world_destroy(world);
    free(t.values);
}

/* ---- BP07: the valley of Monai, 1:400, with the incoming wave as the level along its west edge ------------------- */

enum { MONAI_X = 196, MONAI_Y = 122, MONAI_LOOKS = 450, MONAI_COLUMNS = 393, MONAI_ROWS = 244 };
static const double monai_cell = 0.028, monai_every = 0.05; /* m, s */

/* Creates the valley with still water at level 0. Each cell is the mean of 2 x 2 points of the file, whose first row is
   the northernmost; `bed` has at least MONAI_ROWS rows. The caller destroys the world. Aborts if memory is lacking. */
static rn_world *fill_valley(const table *bed) {
    double *heights = calloc(MONAI_X * MONAI_Y, sizeof *heights), *depth = calloc(MONAI_X * MONAI_Y, sizeof *depth);
    if (!heights || !depth) abort();
    for (int i = 0; i < MONAI_X * MONAI_Y; i++) {
        const int x = 2 * (i % MONAI_X), row = MONAI_ROWS - 1 - 2 * (i / MONAI_X);
        heights[i] = 0.25 * (value_at(bed, row, x) + value_at(bed, row, x + 1) + value_at(bed, row - 1, x) +
                             value_at(bed, row - 1, x + 1));
        depth[i] = fmax(-heights[i], 0.0);
    }
    rn_world *world =
        make_world(&(setup){.nx = MONAI_X, .ny = MONAI_Y, .cell = monai_cell, .heights = heights, .lid = 0.4});
    set_depths(world, depth);
    free(heights);
    free(depth);
    return world;
}

/* Adds a source that holds the level along the west edge to the recorded incoming wave: times (s) and levels (m) in its
   first two columns. */
static void let_wave_in(rn_world *world, const table *wave_in) {
    rn_series_point *points = calloc((size_t)wave_in->rows, sizeof *points);
    if (!points) abort();
    for (int i = 0; i < wave_in->rows; i++)
        points[i] = (rn_series_point){value_at(wave_in, i, 0), value_at(wave_in, i, 1)};
    rn_source_def def = rn_source_default();
    def.kind = RN_SOURCE_LEVEL;
    def.series = points;
    def.series_count = wave_in->rows;
    def.along_side = true;
    def.side = RN_SIDE_WEST;
    rn_world_add_source(world, &def);
    free(points);
}

/* Runs the 22.5 s of the incoming wave and returns the largest rms error at gauges 5, 7 and 9, in % of their range.
   Records are in cm. */
static double run_valley(const table *bed, const table *wave_in, const table *records) {
    const rn_vec3 gauges[] = {{4.521, 1.196, 0.0}, {4.521, 1.696, 0.0}, {4.521, 2.196, 0.0}};
    double readings[3][MONAI_LOOKS + 1], error = 0.0;
    rn_world *world = fill_valley(bed);
    let_wave_in(world, wave_in);
    for (int i = 0; i <= MONAI_LOOKS; i++) {
        if (i > 0) rn_world_step(world, monai_every);
        for (int k = 0; k < 3; k++) readings[k][i] = 100.0 * level_at(world, gauges[k].x, gauges[k].y);
    }
    for (int k = 0; k < 3; k++)
        error = worse(error, gauge_error(records, 0, 1 + k, readings[k], MONAI_LOOKS + 1, monai_every));
    rn_world_destroy(world);
    return error;
}

/* A tsunami runs into the model of the valley of Monai, 1:400, compared with records of the experiment. measured[0]:
   the largest rms error at three gauges, in % of their range. */
void case_monai(double measured[MOST_MEASURES]) {
    table bed = read_table("swe/monai/Benchmark_2_Bathymetry.asc", 6, MONAI_COLUMNS),
          wave_in = read_table("swe/monai/Benchmark_2_input.txt", 1, 2),
          records = read_table("swe/monai/output_ch5-7-9.txt", 1, 4);
    if (bed.rows >= MONAI_ROWS && wave_in.rows > 1 && records.rows > 1)
        measured[0] = run_valley(&bed, &wave_in, &records);
    else skip_case(measured);
    free(bed.values);
    free(wave_in.values);
    free(records.values);
}
