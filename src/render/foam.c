/* Carries foam with the liquid (foam.h). Foam is a number per column. In each step, the foam of a column comes from the
   place where its liquid was before (semi-Lagrangian), interpolated between the wet columns of the same layer there. */
#include "render/foam.h"

#include "base/memory.h"
#include "render/optics.h"

#include <math.h>
#include <string.h>

#define HALF_LIFE 1.2f /* s */

float rn_foam_air(float speed) { return rn_smooth_step(0.4f, 1.2f, speed); }

void rn_foam_free(rn_foam *foam) {
    rn_free(NULL, foam->share);
    rn_free(NULL, foam->next);
    rn_free(NULL, foam->velocity);
    *foam = (rn_foam){0};
}

/* Makes room for the columns, without foam, unless there is. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result fit(rn_foam *f, const rn_surface_columns *c) {
    const size_t slots = rn_surface_slots(c);
    if (f->share && f->cells_x == c->cells_x && f->cells_y == c->cells_y && f->layers == c->layers) return RN_OK;
    rn_foam_free(f);
    f->share = rn_alloc(NULL, slots, sizeof *f->share);
    f->next = rn_alloc(NULL, slots, sizeof *f->next);
    f->velocity = rn_alloc(NULL, slots, 2 * sizeof *f->velocity);
    if (!f->share || !f->next || !f->velocity) {
        rn_foam_free(f);
        return RN_MEMORY;
    }
    f->cells_x = c->cells_x;
    f->cells_y = c->cells_y;
    f->layers = c->layers;
    return RN_OK;
}

/* The depth (m) of the column of this layer and cell. */
static float depth_at(const rn_surface_columns *c, int layer, int y, int x) {
    return c->depth.data[layer * c->depth.layer_stride + y * c->depth.row_stride + x];
}

/* The foam at a position (cells, centres at whole numbers) of a layer: the mean of the wet columns around it. */
static float foam_at(const rn_foam *f, const rn_surface_columns *c, int layer, float x, float y) {
    const float u = fminf(fmaxf(x, 0), (float)(f->cells_x - 1)), v = fminf(fmaxf(y, 0), (float)(f->cells_y - 1));
    const int left = (int)u, below = (int)v;
    float sum = 0, weights = 0;
    for (int i = 0; i < 4; i++) {
        const int cx = left + (i & 1), cy = below + (i >> 1);
        if (cx >= f->cells_x || cy >= f->cells_y || !(depth_at(c, layer, cy, cx) > 0)) continue;
        const float part_x = i & 1 ? u - (float)left : 1 - u + (float)left;
        const float weight = part_x * (i >> 1 ? v - (float)below : 1 - v + (float)below);
        sum += weight * f->share[(layer * f->cells_y + cy) * f->cells_x + cx];
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

/* Moves and fades the foam of all columns; f->velocity must be set. */
static void carry(rn_foam *f, const rn_surface_columns *c, float seconds) {
    const float left = exp2f(-seconds / HALF_LIFE), cells = seconds / c->cell_size;
    size_t slot = 0;
    for (int layer = 0; layer < f->layers; layer++)
        for (int y = 0; y < f->cells_y; y++)
            for (int x = 0; x < f->cells_x; x++, slot++) {
                const float *u = f->velocity + 2 * slot;
                const float there = foam_at(f, c, layer, (float)x - cells * u[0], (float)y - cells * u[1]);
                const bool deep = depth_at(c, layer, y, x) > 0.2f * c->cell_size;
                f->next[slot] = deep && there > 1e-3f ? left * there : 0;
            }
    float *const old = f->share;
    f->share = f->next;
    f->next = old;
}

/* Sets the values of vertices that belong to no column to the largest of their triangles. */
static void spread(const rn_mesh *m, size_t slots, float *values) {
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) {
        const uint32_t to = m->indices[i], from = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (m->ids[to] >= slots && m->ids[from] < slots) values[to] = fmaxf(values[to], values[from]);
    }
}

rn_result rn_foam_follow(rn_foam *foam, const rn_mesh *surface, const rn_surface_columns *columns, float seconds,
                         float *churn) {
    const size_t slots = rn_surface_slots(columns);
    const float scale =
        sqrtf(columns->cell_size / 9.81f); /* churning is strong if it turns faster than waves of a cell */
    if (fit(foam, columns) != RN_OK) return RN_MEMORY;
    memset(foam->velocity, 0, 2 * slots * sizeof *foam->velocity);
    for (size_t v = 0; v < surface->vertex_count; v++)
        if (surface->ids[v] < slots)
            memcpy(foam->velocity + 2 * (size_t)surface->ids[v], surface->velocities + 3 * v, 2 * sizeof(float));
    carry(foam, columns, fmaxf(seconds, 0));
    const size_t cells = (size_t)columns->cells_x * (size_t)columns->cells_y;
    for (size_t v = 0; v < surface->vertex_count; v++) {
        const size_t slot = surface->ids[v];
        const float born = rn_smooth_step(0.1f, 0.6f, churn[v] * scale);
        churn[v] = 0;
        if (slot >= slots) continue;
        const int layer = (int)(slot / cells), cell = (int)(slot % cells);
        const float depth = depth_at(columns, layer, cell / columns->cells_x, cell % columns->cells_x);
        const float enough = rn_smooth_step(0.2f, 0.4f, depth / columns->cell_size);
        foam->share[slot] = fmaxf(foam->share[slot], born * enough);
        churn[v] = foam->share[slot];
    }
    spread(surface, slots, churn);
    return RN_OK;
}
