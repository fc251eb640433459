/* The visible surface and its light, for the view from above (relief.h). rn_relief_take merges columns into cells,
   finds slopes and cliffs of the ground, and shapes the liquid; rn_relief_light then finds the visible shares of sun
   and sky, and smooths. Most functions fill planes of the relief, one value per cell. */
#include "render/relief.h"

#include "base/memory.h"
#include "render/overhead.h"

#include <math.h>
#include <string.h>

enum { PLANES = 16, LONGEST_SHADOW = 160 };

static const float CLIFF = 1.5f; /* cells: a larger step from cell to cell is a wall */

/* Whether two neighbouring cells a and b belong to one surface of heights h (m): the step between them is no cliff. */
static bool is_joined(const rn_relief *relief, const float *h, size_t a, size_t b) {
    return fabsf(h[a] - h[b]) < CLIFF * (float)relief->cell;
}

/* The number of cells. */
static size_t cell_count(const rn_relief *relief) { return (size_t)relief->nx * (size_t)relief->ny; }

/* Fills raw, ground, depth and hole of the relief, all 0 before. Each of its cells is `merge` by `merge` cells of the
   columns, fewer at the edges; heights and depths are means over their highest columns, 0 without any; `hole` is the
   share of cells without a column. */
static void merge_columns(const rn_surface_columns *columns, int merge, rn_relief *relief) {
    const rn_surface_field base = columns->base, depth = columns->depth;
    for (int y = 0; y < columns->cells_y; y++) {
        for (int x = 0; x < columns->cells_x; x++) {
            ptrdiff_t at = y * base.row_stride + x;
            int layer = columns->layers - 1;
            while (layer >= 0 && base.data[layer * base.layer_stride + at] >= RN_NO_COLUMN) layer--;
            size_t to = (size_t)(y / merge) * (size_t)relief->nx + (size_t)(x / merge);
            if (layer < 0) {
                relief->hole[to] += 1;
                continue;
            }
            relief->raw[to] += base.data[layer * base.layer_stride + at];
            relief->depth[to] += depth.data[layer * depth.layer_stride + y * depth.row_stride + x];
        }
    }
    for (int y = 0; y < relief->ny; y++) {
        for (int x = 0; x < relief->nx; x++) {
            size_t at = (size_t)y * (size_t)relief->nx + (size_t)x;
            int wide = columns->cells_x - x * merge, high = columns->cells_y - y * merge;
            float cells = (float)((wide < merge ? wide : merge) * (high < merge ? high : merge));
            float present = cells - relief->hole[at];
            if (present > 0) {
                relief->raw[at] /= present;
                relief->depth[at] /= present;
            }
            relief->hole[at] /= cells;
            relief->ground[at] = relief->raw[at];
        }
    }
}

/* The depth (m) to draw at a dry cell beside wet ones, 0 or negative; level and colour must be continued there already.
   Against rising ground the outline is where the level meets it; a film on flat ground ends about half a cell out. */
static float shore_depth(const rn_relief *relief, size_t at) {
    float beside = relief->colour[at], under = relief->level[at] - relief->ground[at];
    float flatness = fminf(fmaxf(under / beside, 0), 1);
    return fmaxf(fminf(under, -0.6f * flatness * beside), -fmaxf(2 * beside, (float)relief->cell));
}

/* Continues level, depth, colour and slopes of the liquid into the cells beside known ones on the same ground, as means
   over up to eight neighbours. `known`: 1 for the cells to continue from, grows by one ring; `next` is scratch.
   `first`: the ring at the shore, which gets the depth of shore_depth. */
static void continue_ring(rn_relief *relief, unsigned char *known, unsigned char *next, bool first) {
    float *const planes[] = {relief->level, relief->depth, relief->colour, relief->film_x, relief->film_y};
    enum { COUNT = sizeof planes / sizeof planes[0] };
    memcpy(next, known, cell_count(relief));
    for (int y = 0; y < relief->ny; y++) {
        for (int x = 0; x < relief->nx; x++) {
            size_t at = (size_t)y * (size_t)relief->nx + (size_t)x;
            if (known[at]) continue;
            float sum[COUNT] = {0}, count = 0;
            for (int dy = y > 0 ? -1 : 0; dy <= (y + 1 < relief->ny); dy++) {
                for (int dx = x > 0 ? -1 : 0; dx <= (x + 1 < relief->nx); dx++) {
                    size_t beside = (size_t)(y + dy) * (size_t)relief->nx + (size_t)(x + dx);
                    if (!known[beside] || !is_joined(relief, relief->raw, at, beside)) continue;
                    float weight = dx && dy ? 0.5f : 1.0f;
                    for (int i = 0; i < COUNT; i++) sum[i] += weight * planes[i][beside];
                    count += weight;
                }
            }
            if (count == 0) continue;
            for (int i = 0; i < COUNT; i++) planes[i][at] = sum[i] / count;
            if (first) relief->depth[at] = shore_depth(relief, at);
            next[at] = 1;
        }
    }
    memcpy(known, next, cell_count(relief));
}

/* Blurs `plane` slightly, each cell with the four beside it that belong to the same surface of `heights` (NULL: all do)
   and are marked in `among` (NULL: all are): smooths outlines and edges of shadows that follow cells too closely, and
   keeps cliffs sharp. Overwrites relief->scratch. */
static void blur_joined(const rn_relief *relief, const float *heights, const unsigned char *among, float *plane) {
    for (int pass = 0; pass < 2; pass++) { /* along x into scratch, along y back */
        const float *from = pass ? relief->scratch : plane;
        float *to = pass ? plane : relief->scratch;
        size_t step = pass ? (size_t)relief->nx : 1;
        for (int y = 0; y < relief->ny; y++) {
            for (int x = 0; x < relief->nx; x++) {
                size_t at = (size_t)y * (size_t)relief->nx + (size_t)x;
                bool first = pass ? y == 0 : x == 0, last = pass ? y + 1 == relief->ny : x + 1 == relief->nx;
                float sum = 2 * from[at], weight = 2;
                if (!first && (!heights || is_joined(relief, heights, at, at - step)) && (!among || among[at - step])) {
                    sum += from[at - step];
                    weight++;
                }
                if (!last && (!heights || is_joined(relief, heights, at, at + step)) && (!among || among[at + step])) {
                    sum += from[at + step];
                    weight++;
                }
                to[at] = sum / weight;
            }
        }
    }
}

/* The slope (m/m) of the liquid at a cell along one axis, `step` cells apart in memory: the mean over both sides that
   are wet and not a fall; 0 if there is none. first, last: the cell is the first or last one along the axis. */
static float film_slope(const rn_relief *relief, const unsigned char *wet, size_t at, size_t step, bool first,
                        bool last) {
    float sum = 0, count = 0;
    if (!first && wet[at - step] && is_joined(relief, relief->level, at, at - step)) {
        sum += relief->level[at] - relief->level[at - step];
        count++;
    }
    if (!last && wet[at + step] && is_joined(relief, relief->level, at, at + step)) {
        sum += relief->level[at + step] - relief->level[at];
        count++;
    }
    return count > 0 ? sum / (count * (float)relief->cell) : 0;
}

/* Sets film_x and film_y, both 0 before, to the slopes (m/m) of the liquid's surface at wet cells, smoothed. Dry cells
   right beside wet ones of about the same level get slopes too; all others stay 0. Needs level; overwrites scratch. */
static void find_film_slopes(const rn_relief *relief, const unsigned char *wet) {
    for (int y = 0; y < relief->ny; y++) {
        for (int x = 0; x < relief->nx; x++) {
            size_t at = (size_t)y * (size_t)relief->nx + (size_t)x, row = (size_t)relief->nx;
            if (!wet[at]) continue;
            relief->film_x[at] = film_slope(relief, wet, at, 1, x == 0, x + 1 == relief->nx);
            relief->film_y[at] = film_slope(relief, wet, at, row, y == 0, y + 1 == relief->ny);
        }
    }
    for (int pass = 0; pass < 4; pass++) {
        blur_joined(relief, relief->level, wet, relief->film_x);
        blur_joined(relief, relief->level, wet, relief->film_y);
    }
}

/* Gives cells with a stain above `least` (m), which are under liquid, the largest stain of the other cells among the
   eight around them, or 0. Overwrites relief->scratch. */
static void continue_stain(rn_relief *relief, float least) {
    for (int y = 0; y < relief->ny; y++) {
        for (int x = 0; x < relief->nx; x++) {
            size_t at = (size_t)y * (size_t)relief->nx + (size_t)x;
            if (relief->stain[at] <= least) continue;
            float beside = 0;
            for (int dy = y > 0 ? -1 : 0; dy <= (y + 1 < relief->ny); dy++) {
                for (int dx = x > 0 ? -1 : 0; dx <= (x + 1 < relief->nx); dx++) {
                    float stain = relief->stain[(size_t)(y + dy) * (size_t)relief->nx + (size_t)(x + dx)];
                    if (stain <= least) beside = fmaxf(beside, stain);
                }
            }
            relief->scratch[at] = beside;
        }
    }
    for (size_t i = 0; i < cell_count(relief); i++)
        if (relief->stain[i] > least) relief->stain[i] = relief->scratch[i];
}

/* Separates wet cells from dry ones, and shapes the liquid for drawing. Needs raw, ground and depth (m, the real depth
   of liquid); `deepest`, film_x and film_y must be 0. Sets deepest, typical and thinnest, and the planes level, colour,
   stain, film_x and film_y; changes depth to the signed depth that rn_relief describes, negative where dry. Except for
   stain, these planes continue three cells beyond the shore. A film below `thinnest` would break into drops, so it
   counts only as a stain. Overwrites scratch. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result shape_liquid(rn_relief *relief) {
    double volume = 0, squares = 0;
    for (size_t i = 0; i < cell_count(relief); i++) {
        volume += relief->depth[i];
        squares += (double)relief->depth[i] * relief->depth[i];
        relief->deepest = fmax(relief->deepest, relief->depth[i]);
    }
    relief->typical = volume > 0 ? squares / volume : 0;
    relief->thinnest = fmin(0.1 * relief->cell, 0.06 * relief->typical);
    unsigned char *known = rn_alloc(NULL, cell_count(relief), 2);
    if (!known) return RN_MEMORY;
    float least = (float)relief->thinnest;
    for (size_t i = 0; i < cell_count(relief); i++) {
        float depth = relief->depth[i];
        known[i] = depth > least;
        relief->level[i] = relief->ground[i] + depth;
        relief->stain[i] = depth;
        relief->colour[i] = known[i] ? depth : 0;
        relief->depth[i] = known[i] ? depth - least : (float)(-0.5 * relief->typical);
    }
    find_film_slopes(relief, known);
    for (int ring = 0; ring < 3; ring++) continue_ring(relief, known, known + cell_count(relief), ring == 0);
    for (int pass = 0; pass < 2; pass++) blur_joined(relief, relief->raw, NULL, relief->depth);
    blur_joined(relief, relief->raw, NULL, relief->colour);
    continue_stain(relief, least);
    for (size_t i = 0; i < cell_count(relief); i++) { /* a trace is not visible */
        float share = least > 0 ? relief->stain[i] / least : 0;
        relief->stain[i] *= share * share;
    }
    for (int pass = 0; pass < 2; pass++) blur_joined(relief, relief->raw, NULL, relief->stain);
    rn_free(NULL, known);
    return RN_OK;
}

/* Writes the slope of the ground (m/m) from cell (x, y) to the one at (dx, dy) from it. Returns false if that cell is
   outside, or exactly one of the two is a hole; do not use *out then. */
static bool slope_to(const rn_relief *relief, int x, int y, int dx, int dy, float *out) {
    int tx = x + dx, ty = y + dy;
    if (tx < 0 || ty < 0 || tx >= relief->nx || ty >= relief->ny) return false;
    size_t from = (size_t)y * (size_t)relief->nx + (size_t)x, to = (size_t)ty * (size_t)relief->nx + (size_t)tx;
    *out = (relief->raw[to] - relief->raw[from]) / (float)relief->cell;
    return (relief->hole[from] > 0.5f) == (relief->hole[to] > 0.5f);
}

/* The slope of the ground (m/m) along an axis, (dx, dy) = (1, 0) or (0, 1): the mean of both sides, or that of the only
   one; at a cliff that of the gentler side, at most CLIFF, or 0 between steep cliffs. */
static float slope_along(const rn_relief *relief, int x, int y, int dx, int dy) {
    float ahead = 0, behind = 0;
    bool both = slope_to(relief, x, y, dx, dy, &ahead), other = slope_to(relief, x, y, -dx, -dy, &behind);
    if (!both) ahead = -behind;
    if (!other) behind = -ahead;
    if (fabsf(ahead) < CLIFF && fabsf(behind) < CLIFF) return 0.5f * (ahead - behind);
    float gentler = fabsf(ahead) < fabsf(behind) ? ahead : -behind;
    return fabsf(gentler) > 3 * CLIFF ? 0 : fminf(fmaxf(gentler, -CLIFF), CLIFF);
}

/* If the step between heights a and b (m) is larger than *step, stores it there, and its middle height in *middle. */
static void keep_larger_step(float a, float b, float *step, float *middle) {
    if (fabsf(a - b) <= *step) return;
    *step = fabsf(a - b);
    *middle = 0.5f * (a + b);
}

/* A task over rows: sets east, north, middle and cliff: the slopes of the ground, and the middle height of the largest
   step within two cells of each cell, and how much that is a wall. Two cells is the distance over which edges are
   smoothed. */
static void find_cliffs(void *context, int begin, int end, int worker) {
    enum { REACH = 2 };
    rn_relief *relief = context;
    (void)worker;
    for (int y = begin; y < end; y++) {
        for (int x = 0; x < relief->nx; x++) {
            size_t at = (size_t)y * (size_t)relief->nx + (size_t)x;
            int west = x < REACH ? 0 : x - REACH, east = x + REACH < relief->nx ? x + REACH : relief->nx - 1;
            int south = y < REACH ? 0 : y - REACH, north = y + REACH < relief->ny ? y + REACH : relief->ny - 1;
            float high = relief->raw[at], low = high, step = 0, middle = high;
            for (int sy = south; sy <= north; sy++) {
                const float *row = relief->raw + (size_t)sy * (size_t)relief->nx, *above = row + relief->nx;
                for (int sx = west; sx <= east; sx++) {
                    high = fmaxf(high, row[sx]);
                    low = fminf(low, row[sx]);
                    if (sx < east) keep_larger_step(row[sx], row[sx + 1], &step, &middle);
                    if (sy < north) keep_larger_step(row[sx], above[sx], &step, &middle);
                }
            }
            relief->middle[at] = middle;
            /* On a slope that is merely steep the largest step is only a part of the whole rise. */
            float share = high > low ? fminf(fmaxf(6 * step / (high - low) - 2.4f, 0), 1) : 0;
            relief->cliff[at] = share * fminf(fmaxf(2 * step / (float)relief->cell - 2.4f, 0), 1);
            relief->east[at] = slope_along(relief, x, y, 1, 0);
            relief->north[at] = slope_along(relief, x, y, 0, 1);
        }
    }
}

/* The height (m) at a position (cells, from 0 to below nx - 1 and ny - 1), bilinear. */
static float height_at(const rn_relief *relief, const float *heights, float x, float y) {
    int ix = (int)x, iy = (int)y;
    float tx = x - (float)ix, ty = y - (float)iy;
    const float *row = heights + (size_t)iy * (size_t)relief->nx + ix;
    const float *above = row + relief->nx;
    return (1 - ty) * ((1 - tx) * row[0] + tx * row[1]) + ty * ((1 - tx) * above[0] + tx * above[1]);
}

/* The share (0 to 1) of the sun's disk that is visible from a cell over these heights (m), up to LONGEST_SHADOW cells
   away. The disk is made large for soft shadows. `highest` (m): no height is above it. */
static float sun_share(const rn_relief *relief, const float *heights, int x, int y, float highest) {
    const float half_disk = 0.22f, cell = (float)relief->cell;
    /* raised by a cell, so that the steps of a slanted edge do not shade each other */
    float here = heights[(size_t)y * (size_t)relief->nx + (size_t)x] + cell, horizon = 0;
    for (int i = 1; i < LONGEST_SHADOW; i++) {
        float sx = (float)x + (float)i * RN_SUN_X, sy = (float)y + (float)i * RN_SUN_Y;
        if (sx < 0 || sy < 0 || sx >= (float)(relief->nx - 1) || sy >= (float)(relief->ny - 1)) break;
        float away = (float)i * cell;
        if (here + (RN_SUN_TAN - half_disk) * away > highest) break;
        horizon = fmaxf(horizon, (height_at(relief, heights, sx, sy) - here) / away);
    }
    float t = (RN_SUN_TAN + half_disk - horizon) / (2 * half_disk);
    t = fminf(fmaxf(t, 0), 1);
    return t * t * (3 - 2 * t);
}

/* The share (0 to 1) of the sky that is visible from a cell over these heights (m), the mean over eight directions, up
   to 12 cells away. */
static float sky_share(const rn_relief *relief, const float *heights, int x, int y) {
    static const int step_x[] = {1, 1, 0, -1, -1, -1, 0, 1}, step_y[] = {0, 1, 1, 1, 0, -1, -1, -1};
    static const int reach[] = {1, 2, 4, 7, 12};
    float cell = (float)relief->cell, here = heights[(size_t)y * (size_t)relief->nx + (size_t)x] + 0.5f * cell,
          open = 0;
    for (int direction = 0; direction < 8; direction++) {
        float horizon = 0, stretch = direction % 2 ? 1.41421356f : 1.0f;
        for (int i = 0; i < 5; i++) {
            int sx = x + reach[i] * step_x[direction], sy = y + reach[i] * step_y[direction];
            if (sx < 0 || sy < 0 || sx >= relief->nx || sy >= relief->ny) break;
            float higher = heights[(size_t)sy * (size_t)relief->nx + (size_t)sx] - here;
            horizon = fmaxf(horizon, higher / ((float)reach[i] * stretch * cell));
        }
        open += 1 - horizon / sqrtf(1 + horizon * horizon);
    }
    return open / 8;
}

/* A task over rows: sets the planes sun and sky, the visible shares of each (0 to 1), over the heights in scratch. */
static void light_rows(void *context, int begin, int end, int worker) {
    rn_relief *relief = context;
    float highest = 0;
    (void)worker;
    for (size_t i = 0; i < cell_count(relief); i++) highest = fmaxf(highest, relief->scratch[i]);
    for (int y = begin; y < end; y++) {
        for (int x = 0; x < relief->nx; x++) {
            size_t at = (size_t)y * (size_t)relief->nx + (size_t)x;
            relief->sun[at] = sun_share(relief, relief->scratch, x, y, highest);
            relief->sky[at] = sky_share(relief, relief->scratch, x, y);
        }
    }
}

/* Raises the heights in scratch (m above the datum) to the tops of bodies, where these are higher. `columns` gives only
   origin and datum; the grid is that of the relief. bodies: one mesh of all (m, in the world), not NULL; without
   triangles nothing changes. Returns RN_MEMORY, with a message, if memory runs out; then nothing has changed. */
static rn_result raise_bodies(rn_relief *relief, const rn_surface_columns *columns, const rn_mesh *bodies) {
    rn_overhead seen = {.width = relief->nx,
                        .height = relief->ny,
                        .left = (double)columns->origin_x,
                        .below = (double)columns->origin_y,
                        .step = relief->cell};
    if (bodies->triangle_count == 0) return RN_OK;
    if (rn_overhead_take(bodies, &seen) != RN_OK) return RN_MEMORY;
    for (size_t i = 0; i < cell_count(relief); i++)
        if (seen.triangle[i] != RN_NO_TRIANGLE)
            relief->scratch[i] = fmaxf(relief->scratch[i], seen.top[i] - columns->datum);
    rn_overhead_free(&seen);
    return RN_OK;
}

rn_result rn_relief_light(rn_relief *relief, const rn_surface_columns *columns, const rn_mesh *bodies, rn_pool *pool) {
    for (size_t i = 0; i < cell_count(relief); i++) /* the surface that light meets */
        relief->scratch[i] = relief->depth[i] > 0 ? relief->level[i] : relief->raw[i];
    if (raise_bodies(relief, columns, bodies) != RN_OK) return RN_MEMORY;
    rn_parallel_for(pool, relief->ny, light_rows, relief);
    float *const lit[] = {relief->sun, relief->sky, relief->east, relief->north};
    for (int i = 0; i < 4; i++) blur_joined(relief, relief->raw, NULL, lit[i]);
    for (int pass = 0; pass < 2; pass++)
        blur_joined(relief, NULL, NULL, relief->ground); /* outlines of solids follow the cells too */
    blur_joined(relief, NULL, NULL, relief->middle);
    blur_joined(relief, NULL, NULL, relief->cliff);
    return RN_OK;
}

void rn_relief_free(rn_relief *relief) {
    rn_free(NULL, relief->ground);
    *relief = (rn_relief){0};
}

rn_result rn_relief_take(const rn_world *world, const rn_surface_columns *columns, int most_x, int most_y,
                         rn_pool *pool, rn_relief *relief) {
    rn_world_info info = rn_world_describe(world);
    int merge = 1;
    while ((info.cells_x + merge - 1) / merge > most_x || (info.cells_y + merge - 1) / merge > most_y) merge++;
    *relief = (rn_relief){.nx = (info.cells_x + merge - 1) / merge,
                          .ny = (info.cells_y + merge - 1) / merge,
                          .cell = info.cell_size * merge};
    float *planes = rn_alloc(NULL, cell_count(relief), PLANES * sizeof *planes);
    if (!planes) return RN_MEMORY;
    float **const each[PLANES] = {&relief->ground, &relief->raw,    &relief->level,  &relief->depth,
                                  &relief->colour, &relief->stain,  &relief->east,   &relief->north,
                                  &relief->film_x, &relief->film_y, &relief->middle, &relief->cliff,
                                  &relief->hole,   &relief->sun,    &relief->sky,    &relief->scratch};
    for (size_t i = 0; i < PLANES; i++) *each[i] = planes + i * cell_count(relief);
    merge_columns(columns, merge, relief);
    rn_parallel_for(pool, relief->ny, find_cliffs, relief);
    rn_result result = shape_liquid(relief);
    if (result != RN_OK) rn_relief_free(relief);
    return result;
}
