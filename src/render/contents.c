/* Where the liquid stands, in boxes (contents.h): columns first, then the solid beside and above them. */
#include "render/contents.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_TALL = 160 };

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

/* Writes the boxes of one column, and those of the solid right below and above it if it is full: there the ramp goes
   on. Marks boxes in the column as open. */
static void put_column(const rn_contents *c, const rn_span *span, int x, int y, uint8_t *open) {
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
static uint8_t mean_beside(const rn_contents *c, const uint8_t *open, const uint8_t *of, int x, int y) {
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
static void widen(const rn_contents *c, const uint8_t *open) {
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
                           float cell, rn_contents *contents) {
    rn_contents *c = contents;
    rn_contents_free(c);
    const float tall = fmaxf(0.5f * cell, (high - low[2]) / MOST_TALL);
    c->nx = cells[0], c->ny = cells[1];
    c->nz = (int)ceilf(fmaxf(high - low[2], tall) / tall);
    c->wide = cell;
    c->tall = tall;
    memcpy(c->low, low, sizeof c->low);
    const size_t count = (size_t)c->nx * (size_t)c->ny * (size_t)c->nz;
    c->of = rn_alloc(NULL, count, 1);
    uint8_t *open = c->of ? rn_alloc(NULL, count, 1) : NULL;
    if (!open) {
        rn_contents_free(c);
        return RN_MEMORY;
    }
    for (int layer = 0; layer < layers; layer++)
        for (int y = 0; y < c->ny; y++)
            for (int x = 0; x < c->nx; x++, spans++)
                if (spans->ceiling > spans->floor) put_column(c, spans, x, y, open);
    widen(c, open);
    rn_free(NULL, open);
    return RN_OK;
}

void rn_contents_free(rn_contents *contents) {
    rn_free(NULL, contents->of);
    memset(contents, 0, sizeof *contents);
}
