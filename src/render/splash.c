/* Finds the columns around the feet of falling sheets, and makes them churn (splash.h). */
#include "render/splash.h"

#include "base/memory.h"

#include <math.h>

enum { REACH = 5 }; /* cells */

/* Whether a vertex is the last of its row of a falling sheet: rows follow each other in the mesh. */
static bool is_foot(const rn_mesh *m, const rn_surface_columns *c, uint32_t v) {
    return rn_surface_sheet_row(c, m->ids[v]) > 0 && (v + 1 == m->vertex_count || m->ids[v + 1] != m->ids[v] + 1);
}

/* The radius (m) of a jet at its foot, the vertex in the middle of its last ring; 0 for a sheet. */
static float foot_radius(const rn_mesh *m, const rn_surface_columns *c, uint32_t foot) {
    if (m->ids[foot] < rn_surface_first_jet(c) || foot == 0) return 0.0f;
    const float *at = m->positions + 3 * (size_t)foot, *side = at - 3;
    return hypotf(side[0] - at[0], side[1] - at[1]);
}

/* How much liquid churns (1/s) that a sheet falls into at this speed (m/s, downwards). Reaches its limit at five times
   the speed of waves on liquid as deep as a cell, with the Earth's gravity. */
static float churn_of(const rn_surface_columns *c, float speed) {
    const float wave = sqrtf(9.81f * c->cell_size);
    return 0.5f * sqrtf(9.81f / c->cell_size) * fminf(0.2f * speed / wave, 1.0f);
}

/* Raises the churning around `foot`, the vertex at the foot of a sheet, as rn_splash_add describes. vertex_of: for each
   slot of the columns, the number of its vertex plus 1, or 0 if it has none. */
static void splash(const rn_mesh *m, const rn_surface_columns *c, const uint32_t *vertex_of, uint32_t foot,
                   float *churn) {
    const float *at = m->positions + 3 * (size_t)foot;
    const int x = (int)floorf((at[0] - c->origin_x) / c->cell_size);
    const int y = (int)floorf((at[1] - c->origin_y) / c->cell_size);
    const float most = churn_of(c, -m->velocities[3 * (size_t)foot + 2]), radius = foot_radius(m, c, foot);
    const int reach = REACH + (int)fminf(radius / c->cell_size, 8.0f * REACH);
    for (int layer = 0; layer < c->layers; layer++)
        for (int j = y - reach; j <= y + reach; j++)
            for (int i = x - reach; i <= x + reach; i++) {
                if (i < 0 || j < 0 || i >= c->cells_x || j >= c->cells_y) continue;
                const size_t slot = ((size_t)layer * (size_t)c->cells_y + (size_t)j) * (size_t)c->cells_x + (size_t)i;
                if (!vertex_of[slot]) continue;
                const uint32_t v = vertex_of[slot] - 1;
                const float *there = m->positions + 3 * (size_t)v;
                if (fabsf(there[2] - at[2]) > 1.5f * c->cell_size + radius) continue;
                const float beyond = fmaxf(hypotf(there[0] - at[0], there[1] - at[1]) - radius, 0.0f);
                const float far = beyond / ((REACH + 0.5f) * c->cell_size);
                churn[v] = fmaxf(churn[v], most * (1.0f - far * far));
            }
}

rn_result rn_splash_add(const rn_mesh *surface, const rn_surface_columns *columns, float *churn) {
    const size_t slots = rn_surface_slots(columns);
    uint32_t *vertex_of = rn_alloc(NULL, slots, sizeof *vertex_of);
    if (!vertex_of) return RN_MEMORY;
    for (uint32_t v = 0; v < surface->vertex_count; v++)
        if (surface->ids[v] < slots) vertex_of[surface->ids[v]] = v + 1;
    for (uint32_t v = 0; v < surface->vertex_count; v++)
        if (is_foot(surface, columns, v)) splash(surface, columns, vertex_of, v, churn);
    rn_free(NULL, vertex_of);
    return RN_OK;
}
