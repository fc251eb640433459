/* Where the liquid stands, in boxes (contents.h): columns first, then the solid beside and above them. */
#include "render/contents.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_TALL = 160, MOST_WIDE = 512, MOST_BOXES = 1 << 25, LINES = 4 };

/* A column with less liquid than this share of a cell looks dry. */
static const float film = 0.03f;

void rn_spans_read(const rn_surface_columns *c, rn_span *spans) {
    for (int layer = 0; layer < c->layers; layer++)
        for (int y = 0; y < c->cells_y; y++)
            for (int x = 0; x < c->cells_x; x++, spans++) {
                const float base = c->base.data[layer * c->base.layer_stride + y * c->base.row_stride + x];
                const float ceil = c->ceil.data[layer * c->ceil.layer_stride + y * c->ceil.row_stride + x];
                const float depth = c->depth.data[layer * c->depth.layer_stride + y * c->depth.row_stride + x];
                *spans = (rn_span){0};
                if (base < 0 || base >= RN_NO_COLUMN) continue;
                spans->floor = spans->surface = base + c->datum;
                spans->ceiling = ceil + c->datum;
                if (depth > film * c->cell_size) spans->surface += depth;
            }
}

/* The value of a box whose middle is `up` boxes above a surface. */
static uint8_t value_at(float up) { return (uint8_t)(255 * fminf(fmaxf(0.5f - up / RN_CONTENTS_RAMP, 0), 1) + 0.5f); }

/* Whether there are more boxes than there may be, in all or along x or y. */
static bool are_too_many(const rn_boxes *c, int most) {
    return c->nx > most || c->ny > most || (double)c->nx * c->ny * c->nz > MOST_BOXES;
}

/* Writes the boxes of one column, and those of the solid right below and above it if it is full: there the ramp goes
   on. Marks boxes in the column as open. */
static void put_column(const rn_boxes *c, const rn_span *span, int x, int y, uint8_t *open) {
    const float bottom = (span->floor - c->low[2]) / c->tall, top = (span->ceiling - c->low[2]) / c->tall;
    const float surface = (span->surface - c->low[2]) / c->tall;
    const bool wet = span->surface > span->floor;
    const int reach = wet ? RN_CONTENTS_RAMP / 2 : 0;
    const int first = (int)fmaxf(floorf(bottom) - (float)reach, 0);
    const int last = (int)fminf(ceilf(top) + (float)reach, (float)c->nz) - 1;
    for (int z = first; z <= last; z++) {
        const size_t box = ((size_t)z * (size_t)c->ny + (size_t)y) * (size_t)c->nx + (size_t)x;
        const float middle = (float)z + 0.5f;
        const bool within = middle >= bottom && middle <= top;
        if (open[box] && !within) continue; /* another column of this cell */
        open[box] |= within;
        if (wet) c->of[box] = value_at(middle - surface);
    }
}

/* The mean of the open boxes around a solid one, in the same layer of boxes; 0 if there are none. */
static uint8_t mean_beside(const rn_boxes *c, const uint8_t *open, const uint8_t *of, int x, int y) {
    int sum = 0, count = 0;
    for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < c->ny; j++)
        for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < c->nx; i++) {
            const size_t box = (size_t)j * (size_t)c->nx + (size_t)i;
            sum += open[box] ? of[box] : 0;
            count += open[box];
        }
    return (uint8_t)(count ? sum / count : 0);
}

/* Fills solid boxes beside open ones. */
static void widen(const rn_boxes *c, const uint8_t *open) {
    const size_t layer = (size_t)c->nx * (size_t)c->ny;
    for (int z = 0; z < c->nz; z++) {
        const uint8_t *is_open = open + (size_t)z * layer;
        uint8_t *of = c->of + (size_t)z * layer;
        for (int y = 0; y < c->ny; y++)
            for (int x = 0; x < c->nx; x++) {
                const size_t box = (size_t)y * (size_t)c->nx + (size_t)x;
                const uint8_t mean = is_open[box] ? 0 : mean_beside(c, is_open, of, x, y);
                if (!is_open[box] && mean > of[box]) of[box] = mean;
            }
    }
}

rn_result rn_contents_make(const rn_span *spans, const int cells[2], int layers, const float low[3], float high,
                           float cell, int most, rn_boxes *contents) {
    rn_boxes *c = contents;
    int every = 0; /* cells */
    rn_boxes_free(c);
    c->tall = fmaxf(0.5f * cell, (high - low[2]) / MOST_TALL);
    c->nz = (int)fminf(ceilf(fmaxf(high - low[2], c->tall) / c->tall), MOST_TALL);
    do {
        every++;
        c->nx = (cells[0] + every - 1) / every;
        c->ny = (cells[1] + every - 1) / every;
    } while (are_too_many(c, most));
    c->wide = cell * (float)every;
    memcpy(c->low, low, sizeof c->low);
    const size_t count = (size_t)c->nx * (size_t)c->ny * (size_t)c->nz;
    c->of = rn_alloc(NULL, count, 1);
    uint8_t *open = c->of ? rn_alloc(NULL, count, 1) : NULL;
    if (!open) {
        rn_boxes_free(c);
        return RN_MEMORY;
    }
    for (int layer = 0; layer < layers; layer++)
        for (int y = 0; y < c->ny; y++)
            for (int x = 0; x < c->nx; x++) {
                const rn_span *span =
                    spans + ((size_t)layer * (size_t)cells[1] + (size_t)y * (size_t)every) * (size_t)cells[0] +
                    (size_t)x * (size_t)every;
                if (span->ceiling > span->floor) put_column(c, span, x, y, open);
            }
    widen(c, open);
    rn_free(NULL, open);
    return RN_OK;
}

/* The solid shares of boxes while triangles are counted. */
typedef struct shares {
    const rn_boxes *boxes;
    float *of;
} shares;

/* Counts a crossing of a vertical line with the solid's surface at `height` (boxes) in the stack of boxes (x, y): for
   sign 1 all that is below is solid, for -1 open. Stores differences from box to box. */
static void count_crossing(const shares *s, int x, int y, float height, float sign) {
    const rn_boxes *c = s->boxes;
    const float z = fminf(height, (float)c->nz);
    const int whole = (int)floorf(z), top = whole < c->nz ? whole : c->nz - 1;
    if (z < 0) return;
    const float part = (z - (float)top) * sign / (LINES * LINES);
    const size_t layer = (size_t)c->nx * (size_t)c->ny;
    float *box = s->of + (size_t)top * layer + (size_t)y * (size_t)c->nx + (size_t)x;
    *box += part;
    if (top > 0) *(box - layer) += sign / (LINES * LINES) - part;
}

/* Counts a triangle with these corners (m) on all vertical lines that cross it, LINES by LINES in each stack of boxes.
 */
static void count_triangle(const shares *s, const float *a, const float *b, const float *c) {
    const rn_boxes *o = s->boxes;
    const float step = o->wide / LINES;
    const float aside = 0.497f; /* of a step: edges between cells, and diagonals, meet no line */
    const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (fabsf(area) < 1e-9f * step * step) return;
    const int most[2] = {LINES * o->nx - 1, LINES * o->ny - 1};
    int first[2], last[2];
    for (int i = 0; i < 2; i++) {
        const float low = fminf(a[i], fminf(b[i], c[i])) - o->low[i], high = fmaxf(a[i], fmaxf(b[i], c[i])) - o->low[i];
        first[i] = (int)fmaxf(ceilf(low / step - 0.5f), 0);
        last[i] = (int)fminf(floorf(high / step - 0.5f), (float)most[i]);
    }
    for (int y = first[1]; y <= last[1]; y++)
        for (int x = first[0]; x <= last[0]; x++) {
            const float px = o->low[0] + ((float)x + 0.5f) * step, py = o->low[1] + ((float)y + aside) * step;
            const float u = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / area;
            const float v = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / area;
            if (u < 0 || v < 0 || u + v > 1) continue;
            const float z = u * a[2] + v * b[2] + (1 - u - v) * c[2];
            count_crossing(s, x / LINES, y / LINES, (z - o->low[2]) / o->tall, area > 0 ? 1.0f : -1.0f);
        }
}

/* Adds up the differences from the top down, as bytes. */
static void sum_downwards(const shares *s) {
    const rn_boxes *c = s->boxes;
    const size_t layer = (size_t)c->nx * (size_t)c->ny;
    for (size_t i = 0; i < layer; i++) {
        float sum = 0;
        for (size_t z = (size_t)c->nz; z-- > 0;) {
            sum += s->of[z * layer + i];
            c->of[z * layer + i] = (uint8_t)(255 * fminf(fmaxf(sum, 0), 1) + 0.5f);
        }
    }
}

/* How many boxes of this size fill a length, from 1 to `most`. */
static int whole_boxes(float length, float size, int most) {
    return (int)fminf(fmaxf(ceilf(length / size), 1), (float)most);
}

rn_result rn_walls_make(const float *positions, const uint32_t *triangles, size_t count, const float low[3],
                        const float high[3], float side, int most, rn_boxes *walls) {
    rn_boxes *c = walls;
    rn_boxes_free(c);
    const float longest = fmaxf(high[0] - low[0], high[1] - low[1]);
    int along = most < MOST_WIDE ? most : MOST_WIDE;
    c->tall = fmaxf(side, (high[2] - low[2]) / MOST_TALL);
    c->nz = whole_boxes(high[2] - low[2], c->tall, MOST_TALL);
    do {
        c->wide = fmaxf(side, longest / (float)along);
        c->nx = whole_boxes(high[0] - low[0], c->wide, along);
        c->ny = whole_boxes(high[1] - low[1], c->wide, along);
        along -= along / 8;
    } while (are_too_many(c, most));
    memcpy(c->low, low, sizeof c->low);
    const size_t boxes = (size_t)c->nx * (size_t)c->ny * (size_t)c->nz;
    const shares s = {c, rn_alloc(NULL, boxes, sizeof *s.of)};
    c->of = s.of ? rn_alloc(NULL, boxes, 1) : NULL;
    if (!c->of) {
        rn_free(NULL, s.of);
        rn_boxes_free(c);
        return RN_MEMORY;
    }
    for (size_t i = 0; i < count; i += 3)
        count_triangle(&s, positions + 3 * (size_t)triangles[i], positions + 3 * (size_t)triangles[i + 1],
                       positions + 3 * (size_t)triangles[i + 2]);
    sum_downwards(&s);
    rn_free(NULL, s.of);
    return RN_OK;
}

void rn_boxes_free(rn_boxes *contents) {
    rn_free(NULL, contents->of);
    memset(contents, 0, sizeof *contents);
}
