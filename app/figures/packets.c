/* Charts of figures in Lee & O'Sullivan 2007. Entry points: chart_adaptive() (Fig. 4), chart_reflections() (section 4),
   chart_checkerboard() (section 3.4), chart_updates() (section 5). */
#include "bench/bench.h"
#include "figures/chart.h"
#include "figures/figures.h"
#include "physics/adaptive.h"
#include "physics/collocated.h"
#include "physics/physics.h"

#include <math.h>

/* ---- A wave at a jump of resolution (Fig. 4) ----------------------------------------------------------------- */

enum { MOST_CELLS = 1200 };

/* Part of a canal for a chart: positions (m), and height of the surface above its mean, in % of the wave height. */
typedef struct stretch {
    double x[MOST_CELLS], y[MOST_CELLS];
    int count;
} stretch;

/* Copies the cells of the canal between `from` and `to` (m), at most MOST_CELLS, into `s`. */
static void copy_stretch(const canal *c, double from, double to, stretch *s) {
    s->count = 0;
    for (int i = 0; i < c->def.cells && s->count < MOST_CELLS; i++) {
        if (c->middle[i] < from || c->middle[i] > to) continue;
        s->x[s->count] = c->middle[i];
        s->y[s->count++] = 100.0 * (c->h[i] - 1.0) / TRAIN_HEIGHT;
    }
}

static const char *const gradient_names[] = {"from the sides", "parabola", "Losasso et al. 2004"};
static const char *const gradient_colours[] = {CHART_GREY, CHART_BLUE, CHART_ORANGE};

/* Draws Fig. 4: a wave crosses from cells of 1 m into cells of 2 m, after 300 s. `quick` changes nothing. Always
   returns RN_OK. */
rn_result chart_adaptive(FILE *file, bool quick) {
    static stretch fine, coarse;
    (void)quick;
    canal c = train_create(CANAL_SIDES, 32.0);
    train_run(&c, 300.0);
    copy_stretch(&c, TRAIN_JUMP - 44.0, TRAIN_JUMP, &fine);
    copy_stretch(&c, TRAIN_JUMP, TRAIN_JUMP + 44.0, &coarse);
    canal_free(&c);
    const chart_series series[] = {
        {"cells of 1 m", CHART_BLUE, CHART_CIRCLE, false, false, fine.x, fine.y, fine.count},
        {"cells of 2 m", CHART_ORANGE, CHART_SQUARE, false, false, coarse.x, coarse.y, coarse.count}};
    chart_write(file, &(chart){.title = "A wave runs from cells of 1 m into cells of 2 m",
                               .x = {"distance (m)", TRAIN_JUMP - 45.0, TRAIN_JUMP + 45.0, false, NULL, 0},
                               .y = {"height (% of that of the wave)", -150.0, 110.0, false, NULL, 0},
                               .series = series,
                               .series_count = 2,
                               .legend_right = true});
    return RN_OK;
}

/* Draws what a jump of resolution reflects, with each of three ways to compute gradients. `quick` changes nothing.
   Always returns RN_OK. */
rn_result chart_reflections(FILE *file, bool quick) {
    static stretch left[3];
    chart_series series[3];
    (void)quick;
    for (int by = 0; by < 3; by++) {
        canal c = train_create((canal_gradient)by, 16.0);
        train_run(&c, TRAIN_CROSSED);
        copy_stretch(&c, 130.0, 570.0, &left[by]);
        canal_free(&c);
        series[2 - by] = (chart_series){gradient_names[by], gradient_colours[by], CHART_NONE,    false, false,
                                        left[by].x,         left[by].y,           left[by].count};
    }
    chart_write(file, &(chart){.title = "Waves reflected by a jump in resolution",
                               .x = {"position (m); the jump is at 700 m, and waves are 8 coarse cells long", 130.0,
                                     570.0, false, NULL, 0},
                               .y = {"height (% of that of the wave)", -9.0, 7.0, false, NULL, 0},
                               .series = series,
                               .series_count = 3,
                               .legend_right = true});
    return RN_OK;
}

/* ---- The checkerboard (section 3) ------------------------------------------------------------------------------ */

enum { ROW = 48 };

/* Runs a periodic square of ROW x ROW cells of 1 m for 20 steps of 0.15 s from a ridge two cells wide, and writes the
   depths (m) in its middle row. `way`: the blur and the pressure; the amount of smoothing, 1.05, and the grid are set
   here. */
static void run_row(const lab_def *way, double depths[ROW]) {
    lab_def def = *way;
    def.cells = ROW, def.cell = 1.0, def.gravity = GRAVITY, def.smoothing = 1.05, def.periodic = true;
    lab l = lab_create(&def);
    for (int i = 0; i < ROW * ROW; i++) l.h[i] = i % ROW == ROW / 2 || i % ROW == ROW / 2 + 1 ? 1.05 : 1.0;
    for (int i = 0; i < 20; i++) lab_step(&l, 0.15);
    for (int x = 0; x < ROW; x++) depths[x] = l.h[ROW * (ROW / 2) + x];
    lab_free(&l);
}

/* Draws how a ridge leaves a zigzag with central differences alone, and none with widened packets or Rhie-Chow. `quick`
   changes nothing. Always returns RN_OK. */
rn_result chart_checkerboard(FILE *file, bool quick) {
    static const struct {
        const char *name, *colour;
        bool dashed;
        lab_def way;
    } ways[] = {{"central differences alone", CHART_ORANGE, false, {.blur = LAB_BLUR_NONE}},
                {"widened packets, s = 1.05", CHART_BLUE, false, {.blur = LAB_BLUR_BOX}},
                {"Rhie-Chow", CHART_GREY, true, {.blur = LAB_BLUR_NONE, .pressure = LAB_RHIE_CHOW}}};
    double x[ROW], depths[3][ROW];
    chart_series series[3];
    (void)quick;
    for (int i = 0; i < ROW; i++) x[i] = i + 0.5;
    for (int i = 0; i < 3; i++) {
        run_row(&ways[i].way, depths[i]);
        series[i] = (chart_series){ways[i].name, ways[i].colour, CHART_NONE, ways[i].dashed, false, x, depths[i], ROW};
    }
    chart_write(file, &(chart){.title = "A ridge of two cells, 20 steps after its release",
                               .x = {"position (m), cells of 1 m", 0.0, ROW, false, NULL, 0},
                               .y = {"depth (m)", 0.93, 1.06, false, NULL, 0},
                               .series = series,
                               .series_count = 3,
                               .legend_right = false});
    return RN_OK;
}

/* ---- Updates a second (section 5) -------------------------------------------------------------------------------- */

/* Draws the updates per second of the packets solver, the best of rows packets-25 to packets-400 of `runnel bench`,
   beside those of the paper. `quick`: two sizes. Always returns RN_OK. */
rn_result chart_updates(FILE *file, bool quick) {
    enum { SIZES = 5, MODELS = 2 };
    static const bench_comparison rows[SIZES] = {bench_packets_25, bench_packets_50, bench_packets_100,
                                                 bench_packets_200, bench_packets_400};
    const double sizes[SIZES] = {25, 50, 100, 200, 400}, paper[SIZES] = {3185.7, 736.0, 177.5, 43.7, 10.2};
    const int count = quick ? 2 : SIZES;
    double updates[MODELS][SIZES];
    for (int i = 0; i < count; i++) {
        bench_result results[MOST_RESULTS];
        rows[i](&(bench_crews){.threads = {1}, .count = 1}, results);
        for (int k = 0; k < MODELS; k++) updates[k][i] = results[k].best;
    }
    const chart_series series[] = {
        {"runnel on one core", CHART_BLUE, CHART_CIRCLE, false, false, sizes, updates[0], count},
        {"runnel on one core, the paper's model", CHART_GREY, CHART_SQUARE, true, false, sizes, updates[1], count},
        {"paper on a 3.6 GHz Xeon", CHART_ORANGE, CHART_DIAMOND, false, false, sizes, paper, SIZES}};
    chart_write(file, &(chart){.title = "Updates per second, 2 × 2 packets in a cell",
                               .x = {"cells along a side", 22, 450, true, sizes, SIZES},
                               .y = {"updates a second", 1, 1e6, true, NULL, 0},
                               .series = series,
                               .series_count = 3,
                               .legend_right = false});
    return RN_OK;
}
