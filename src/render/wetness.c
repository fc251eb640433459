/* Keeps the wetness of each column, and the columns around each vertex of the ground (wetness.h). */
#include "render/wetness.h"

#include "base/memory.h"

#include <math.h>

#define NO_SLOT UINT32_MAX
#define DRYING  (1.0f / 60.0f) /* 1/s */

/* The address of a field's value for the column of this layer and cell. */
static const float *field_at(const rn_surface_field *f, int layer, int y, int x) {
    return f->data + layer * f->layer_stride + y * f->row_stride + x;
}

void rn_wetness_forget_ground(rn_wetness *wetness) {
    rn_free(NULL, wetness->vertices);
    wetness->vertices = NULL;
    wetness->vertex_count = 0;
}

void rn_wetness_free(rn_wetness *wetness) {
    rn_wetness_forget_ground(wetness);
    rn_free(NULL, wetness->wet);
    *wetness = (rn_wetness){0};
}

/* The slot of the column of cell (x, y) that stands on the ground at this height (m): the one with the nearest base.
   Returns NO_SLOT if none is within 1.2 cells, or the cell is outside the grid. */
static uint32_t slot_of(const rn_surface_columns *c, int x, int y, float height) {
    if (x < 0 || y < 0 || x >= c->cells_x || y >= c->cells_y) return NO_SLOT;
    float nearest = 1.2f * c->cell_size;
    uint32_t found = NO_SLOT;
    for (int layer = 0; layer < c->layers; layer++) {
        const float base = *field_at(&c->base, layer, y, x), away = fabsf(base + c->datum - height);
        if (base < 0 || base >= RN_NO_COLUMN || away >= nearest) continue;
        nearest = away;
        found = (uint32_t)((layer * c->cells_y + y) * c->cells_x + x);
    }
    return found;
}

/* The columns around a vertex of the ground at p (x y z, m): in each of the four cells whose centres are around it, the
   one that slot_of() finds at its height, or NO_SLOT (none near, or outside the grid), and the bilinear weights of the
   cells. Weights of missing columns are not given to the others, so that they count as dry. */
static rn_wet_vertex columns_around(const rn_surface_columns *c, const float *p) {
    const float u = (p[0] - c->origin_x) / c->cell_size - 0.5f, v = (p[1] - c->origin_y) / c->cell_size - 0.5f;
    const int x = (int)floorf(u), y = (int)floorf(v);
    const float part[2] = {u - (float)x, v - (float)y};
    rn_wet_vertex found;
    for (int i = 0; i < 4; i++) {
        found.slots[i] = slot_of(c, x + (i & 1), y + (i >> 1), p[2]);
        found.shares[i] = (i & 1 ? part[0] : 1 - part[0]) * (i >> 1 ? part[1] : 1 - part[1]);
    }
    return found;
}

/* Finds the columns around all `count` vertices of the ground, and frees former ones. positions: x y z (m). Returns
   RN_MEMORY, with a message, if memory runs out; then no vertex has columns. */
static rn_result find_slots(rn_wetness *w, const rn_surface_columns *columns, const float *positions, size_t count) {
    rn_wetness_forget_ground(w);
    w->vertices = rn_alloc(NULL, count, sizeof *w->vertices);
    if (!w->vertices) return RN_MEMORY;
    for (size_t v = 0; v < count; v++) w->vertices[v] = columns_around(columns, positions + 3 * v);
    w->vertex_count = count;
    return RN_OK;
}

rn_result rn_wetness_follow(rn_wetness *wetness, const rn_surface_columns *columns, const float *positions,
                            size_t vertex_count, float seconds) {
    const size_t slots = rn_surface_slots(columns);
    if (wetness->cells_x != columns->cells_x || wetness->cells_y != columns->cells_y ||
        wetness->layers != columns->layers) {
        rn_wetness_free(wetness);
        wetness->wet = rn_alloc(NULL, slots, sizeof *wetness->wet);
        if (!wetness->wet) return RN_MEMORY;
        wetness->slot_count = slots;
        wetness->cells_x = columns->cells_x;
        wetness->cells_y = columns->cells_y;
        wetness->layers = columns->layers;
    }
    if (wetness->vertex_count != vertex_count || !wetness->vertices) {
        if (find_slots(wetness, columns, positions, vertex_count) != RN_OK) return RN_MEMORY;
    }
    float *wet = wetness->wet;
    /* A skirt, which is not drawn, must not be seen as wet ground either. */
    const float enough = 1 / fmaxf(0.1f * columns->cell_size, columns->contact_foot);
    for (int layer = 0; layer < columns->layers; layer++)
        for (int y = 0; y < columns->cells_y; y++) {
            const float *depth = field_at(&columns->depth, layer, y, 0);
            for (int x = 0; x < columns->cells_x; x++, wet++) {
                const float now = fminf(depth[x] * enough, 1); /* a trace ahead of a front is barely wet */
                *wet = fmaxf(*wet - seconds * DRYING, now);
            }
        }
    return RN_OK;
}

float rn_wetness_of(const rn_wetness *wetness, size_t vertex) {
    if (!wetness->vertices || vertex >= wetness->vertex_count) return 0;
    const rn_wet_vertex *v = &wetness->vertices[vertex];
    float sum = 0;
    for (int i = 0; i < 4; i++)
        if (v->slots[i] != NO_SLOT) sum += v->shares[i] * wetness->wet[v->slots[i]];
    return sum;
}
