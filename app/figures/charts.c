/* Charts of figures in Dagenais et al. 2018: what the library does when run, beside theory and the paper. Entry points:
   chart_coefficient() (Fig. 3), chart_stable_step() (Fig. 16), chart_frame_time() (Fig. 22). */
#include "base/error.h"
#include "common/progress.h"
#include "figures/chart.h"
#include "figures/figures.h"
#include "kernels/pipe.h"
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ---- The viscosity coefficient (Fig. 3) ------------------------------------------------------------------ */

/* Returns the share, 0 to 1, of its flux that a pipe between level columns keeps in a step of `dt` (s) in the paper's
   model, computed by the same function that steps call. `H`: depth (m); viscosity in m²/s. */
static double share_kept(double H, double viscosity, double dt) {
    const rn_step_params params = {.cell = 0.01f,
                                   .dt = (float)dt,
                                   .gravity = 9.81f,
                                   .nu3 = (float)(3 * viscosity),
                                   .quantum = 1e-12f,
                                   .per_quantum = 1e12f,
                                   .friction_factor = 1.0f,
                                   .fastest = INFINITY};
    const rn_wide h = rn_splat((float)H), none = rn_splat(0.0f), f = rn_splat(1e-3f);
    const rn_ends level = {none, h, rn_splat(1.0f), none, h, rn_splat(1.0f)};
    return (double)rn_pipe_paper(&params, &level, none, f).f[0] / 1e-3;
}

/* A position on the picture (pixels). The chart of Fig. 3 is a block seen from a corner: depth runs to the lower right,
   the logarithm of viscosity to the upper right. */
typedef struct place {
    double x, y;
} place;

static const double most_depth = 5e-3, least_power = -6, most_power = -1, dt = 3e-3; /* m, log10 of m^2/s, s */

/* Returns where a point of the block lies on the picture (pixels). u, v, w: 0 to 1 along depth, viscosity and share. */
static place project(double u, double v, double w) {
    return (place){92 + 262 * u + 214 * v, 288 + 78 * u - 74 * v - 165 * w};
}

/* Sets the colour of a share: from dark blue (0) through light blue to orange (1). */
static void colour_of(double share, int rgb[3]) {
    static const double low[3] = {8, 48, 107}, middle[3] = {116, 169, 207}, high[3] = {253, 200, 120};
    for (int i = 0; i < 3; i++) {
        const double t = share < 0.5 ? 2 * share : 2 * share - 1;
        const double mixed = share < 0.5 ? low[i] + t * (middle[i] - low[i]) : middle[i] + t * (high[i] - middle[i]);
        rgb[i] = (int)mixed;
    }
}

/* Returns the share kept at (u, v) of the block, each 0 to 1; 0 where there is no liquid (u = 0). */
static double share_at(double u, double v) {
    return u > 0 ? share_kept(most_depth * u, pow(10, least_power + v * (most_power - least_power)), dt) : 0;
}

/* Draws the share as a surface over depth and viscosity, in pieces x pieces quads, from back to front, so that nearer
   ones cover farther ones. */
static void draw_share_surface(FILE *file, int pieces) {
    for (int j = pieces - 1; j >= 0; j--)
        for (int i = 0; i < pieces; i++) {
            const double u[4] = {i, i + 1, i + 1, i}, v[4] = {j, j, j + 1, j + 1};
            double w[4], mean = 0;
            place p[4];
            int rgb[3];
            for (int k = 0; k < 4; k++) {
                w[k] = share_at(u[k] / pieces, v[k] / pieces);
                p[k] = project(u[k] / pieces, v[k] / pieces, w[k]);
                mean += w[k] / 4;
            }
            colour_of(mean, rgb);
            fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fz\" fill=\"#%02x%02x%02x\"/>\n", p[0].x,
                    p[0].y, p[1].x, p[1].y, p[2].x, p[2].y, p[3].x, p[3].y, (unsigned)rgb[0], (unsigned)rgb[1],
                    (unsigned)rgb[2]);
        }
}

/* Draws a straight line from `a` to `b`. */
static void draw_edge(FILE *file, place a, place b, const char *colour) {
    fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>\n", a.x, a.y, b.x, b.y, colour);
}

/* Labels a position with a value. dx, dy: offset of the text (pixels); `anchor`: which end of the text is there, as in
   chart_text; `format`: for one double. */
static void label_tick(FILE *file, place at, double dx, double dy, const char *anchor, const char *format,
                       double value) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    chart_say(file, &(chart_text){.x = at.x + dx, .y = at.y + dy, .size = 12, .anchor = anchor, .colour = CHART_PALE},
              text);
}

/* Draws the grid lines on the floor and the two back walls of the block. */
static void draw_walls(FILE *file) {
    for (int i = 0; i <= 5; i++) {
        const double s = i / 5.0;
        draw_edge(file, project(s, 1, 0), project(s, 1, 1), CHART_GRID);
        draw_edge(file, project(0, s, 0), project(0, s, 1), CHART_GRID);
        draw_edge(file, project(0, 0, s), project(0, 1, s), CHART_GRID);
        draw_edge(file, project(0, 1, s), project(1, 1, s), CHART_GRID);
        draw_edge(file, project(s, 0, 0), project(s, 1, 0), CHART_GRID);
        draw_edge(file, project(0, s, 0), project(1, s, 0), CHART_GRID);
    }
}

/* Draws the front edges of the block, with six values along each and axis titles. */
static void draw_front(FILE *file) {
    for (int i = 0; i <= 5; i++) {
        const double s = i / 5.0;
        label_tick(file, project(s, 0, 0), -4, 18, "end", "%g", 1e3 * most_depth * s);
        label_tick(file, project(1, s, 0), 8, 14, "start", "1e%g", least_power + s * (most_power - least_power));
        label_tick(file, project(0, 0, s), -8, 4, "end", "%.1f", s);
    }
    draw_edge(file, project(0, 0, 0), project(1, 0, 0), CHART_PALE);
    draw_edge(file, project(1, 0, 0), project(1, 1, 0), CHART_PALE);
    draw_edge(file, project(0, 0, 0), project(0, 0, 1), CHART_PALE);
    chart_say(file, &(chart_text){.x = 190, .y = 378, .size = 13, .turn = 16.6}, "depth H (mm)");
    chart_say(file, &(chart_text){.x = 512, .y = 372, .size = 13, .turn = -19.1}, "viscosity ν (m²/s)");
    chart_say(file, &(chart_text){.x = 40, .y = 206, .size = 13, .turn = -90}, "share of the flux kept");
}

/* Draws Fig. 3 as a surface over depth and viscosity. `quick`: in fewer pieces. Always returns RN_OK. */
rn_result chart_coefficient(FILE *file, bool quick) {
    chart_begin(file);
    chart_say(file, &(chart_text){.x = 32, .y = 28, .size = 16, .anchor = "start", .bold = true},
              "Share of a flux that viscosity leaves after 3 ms, H²/(H² + 3Δtν)");
    draw_walls(file);
    fputs("<g stroke=\"white\" stroke-opacity=\"0.45\" stroke-width=\"0.5\">\n", file);
    draw_share_surface(file, quick ? 12 : 32);
    fputs("</g>\n", file);
    draw_front(file);
    chart_end(file);
    return RN_OK;
}

/* ---- The largest stable step (Fig. 16) --------------------------------------------------------------------- */

enum { SIZES = 7 };
static const double sizes[SIZES] = {25, 50, 100, 150, 200, 300, 400};

/* Finds the largest stable step (ms) of a square of 10 cm with this many cells along a side and liquid 1 cm deep, after
   one step of 1 µs. On failure rn_last_error() says why; `limit` is written all the same. Exits if the world cannot be
   made. */
static rn_result stable_step(rn_model model, int cells, double *limit) {
    const double side = 0.1, depth = 0.01; /* m */
    rn_world *world = make_world(&(setup){.nx = cells, .ny = cells, .cell = side / cells, .lid = 0.05, .model = model});
    rn_result result = rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = depth});
    if (result == RN_OK) result = rn_world_step(world, 1e-6);
    *limit = 1e3 * rn_world_get_stats(world).limit;
    rn_world_destroy(world);
    return result;
}

/* Draws Fig. 16: the stable step of both models by number of cells, beside Table 1. `quick`: four sizes. On failure
   nothing is drawn, and rn_last_error() says why. */
rn_result chart_stable_step(FILE *file, bool quick) {
    double limits[2][SIZES], inverse[SIZES];
    const double table_cells[2] = {100, 200}, table_steps[2] = {9, 3}; /* ms, Table 1 */
    const int count = quick ? 4 : SIZES;
    for (int model = 0; model < 2; model++)
        for (int i = 0; i < count; i++) {
            const rn_result result = stable_step((rn_model)model, (int)sizes[i], &limits[model][i]);
            if (result != RN_OK) return result;
        }
    for (int i = 0; i < count; i++) inverse[i] = limits[RN_MODEL_PHYSICAL][0] * sizes[0] / sizes[i];
    const chart_series series[] = {
        {"inversely proportional", CHART_GREY, CHART_NONE, true, false, sizes, inverse, count},
        {"physical model", CHART_BLUE, CHART_CIRCLE, false, true, sizes, limits[RN_MODEL_PHYSICAL], count},
        {"paper's model", CHART_ORANGE, CHART_SQUARE, false, false, sizes, limits[RN_MODEL_PAPER], count},
        {"Table 1 of the paper", CHART_INK, CHART_DIAMOND, false, true, table_cells, table_steps, 2}};
    const double marks[] = {25, 50, 100, 200, 400};
    chart_write(file, &(chart){.title = "Largest stable step, on 10 cm of liquid 1 cm deep",
                               .x = {"cells along a side", 22, 450, true, marks, 5},
                               .y = {"step (ms)", 0.25, 20, true, NULL, 0},
                               .series = series,
                               .series_count = 4,
                               .legend_right = false});
    return RN_OK;
}

/* ---- The time of a frame (Fig. 22) --------------------------------------------------------------------------- */

#define FRAME 16.6e-3 /* s */

/* Wall time (ms) of the fastest of several frames. Other programs on the machine can only add to it. */
typedef struct timing {
    double frame, step;
} timing;

/* Times frames of 16.6 ms of blood that sloshes in a square tray of 10 cm, divided into cells x cells (at most 400),
   after one untimed frame. `quick`: only two frames. `taken`: receives the shortest time of a frame and, of the means
   over the substeps of each frame, the shortest. On failure rn_last_error() says why; exits if the world cannot be
   made. */
static rn_result time_frame(int cells, bool quick, timing *taken) {
    enum { MOST = 400 };
    const double side = 0.1; /* m */
    double *depths = malloc((size_t)MOST * MOST * sizeof *depths);
    if (!depths) return rn_fail(RN_MEMORY, "there is not enough memory for %d by %d cells", cells, cells);
    rn_world *world = make_world(
        &(setup){.nx = cells, .ny = cells, .cell = side / cells, .lid = 0.05, .viscosity = 4e-6, .friction = 0.5});
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++)
            depths[y * cells + x] = 0.004 + 0.003 * cos(PI * (x + 0.5) / cells) * cos(2 * PI * (y + 0.5) / cells);
    set_depths(world, depths);
    free(depths);
    const int frames = quick ? 2 : cells > 200 ? 20 : 60;
    rn_result result = rn_world_step(world, FRAME);
    *taken = (timing){INFINITY, INFINITY};
    for (int i = 0; i < frames && result == RN_OK; i++) {
        const double before = clock_now();
        result = rn_world_step(world, FRAME);
        const double ms = 1e3 * (clock_now() - before);
        taken->frame = fmin(taken->frame, ms);
        taken->step = fmin(taken->step, ms / rn_world_get_stats(world).substeps);
    }
    rn_world_destroy(world);
    return result;
}

/* Draws Fig. 22: the wall time of a frame by number of cells, measured now with one thread. `quick`: three sizes. On
   failure nothing is drawn, and rn_last_error() says why. */
rn_result chart_frame_time(FILE *file, bool quick) {
    enum { COUNT = 6 };
    const double cells[COUNT] = {50, 100, 150, 200, 300, 400}, budget_x[2] = {45, 450}, budget[2] = {16.6, 16.6};
    const double at_200 = 0.61; /* ms, from Table 1, row Fig. 17(a) */
    double frame[COUNT], step[COUNT], paper[COUNT];
    const int count = quick ? 3 : COUNT;
    for (int i = 0; i < count; i++) {
        timing taken = {0};
        const rn_result result = time_frame((int)cells[i], quick, &taken);
        if (result != RN_OK) return result;
        frame[i] = taken.frame;
        step[i] = taken.step;
    }
    for (int i = 0; i < COUNT; i++) paper[i] = at_200 * (cells[i] / 200) * (cells[i] / 200);
    const chart_series series[] = {
        {"real time", CHART_GREY, CHART_NONE, true, false, budget_x, budget, 2},
        {"paper on a GeForce GTX 970", CHART_ORANGE, CHART_NONE, true, false, cells, paper, COUNT},
        {"runnel on one core, per frame", CHART_BLUE, CHART_CIRCLE, false, false, cells, frame, count},
        {"runnel on one core, per step", CHART_BLUE, CHART_DIAMOND, true, false, cells, step, count}};
    const double marks[] = {50, 100, 200, 400};
    chart_write(file, &(chart){.title = "Time to simulate a frame of 16.6 ms, 10 cm of blood",
                               .x = {"cells along a side", 45, 450, true, marks, 4},
                               .y = {"time (ms)", 0.003, 100, true, NULL, 0},
                               .series = series,
                               .series_count = 4,
                               .legend_right = true});
    return RN_OK;
}
