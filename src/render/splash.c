/* Finds the columns around the feet of falling sheets and jets, makes them churn, and finds the rings of waves that run
   out from the feet (splash.h). */
#include "render/splash.h"

#include "base/memory.h"
#include "render/foam.h"
#include "render/optics.h"

#include <math.h>

enum { REACH = 5 }; /* cells within which liquid churns */

#define STEEPEST 0.35f /* slope of the rings, at a foot */

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
   the speed of waves on liquid as deep as a cell, with the Earth's gravity. Slow liquid takes in no air. */
static float churn_of(const rn_surface_columns *c, float speed) {
    const float wave = sqrtf(9.81f * c->cell_size);
    return 0.5f * sqrtf(9.81f / c->cell_size) * fminf(0.2f * speed / wave, 1.0f) * rn_foam_air(speed);
}

/* The waves around feet. Their length is that of the slowest waves on the liquid, for which gravity and surface tension
   pull alike, and 4 to 10 cells. */
typedef struct waves {
    float number; /* 1/m, 2 pi over the length */
    float speed;  /* m/s, of crests */
    float fading; /* 1/m, by distance */
    float reach;  /* m */
} waves;

static waves waves_of(const rn_liquid *liquid, const rn_surface_columns *c) {
    const float gravity = c->gravity > 0 ? c->gravity : 9.81f;
    const float tension = (float)(liquid->surface_tension / fmax(liquid->density, 1));
    const float slowest = 6.2832f * sqrtf(tension / gravity);
    const float length = fminf(fmaxf(slowest, 4 * c->cell_size), 10 * c->cell_size), number = 6.2832f / length;
    const float speed = sqrtf(gravity / number + tension * number);
    return (waves){
        .number = number,
        .speed = speed,
        .fading = 0.8f / length + 2 * (float)liquid->viscosity * number * number / speed,
        .reach = 2 * length,
    };
}

float rn_splash_pace(const rn_liquid *liquid, const rn_surface_columns *columns) {
    const waves w = waves_of(liquid, columns);
    return w.number * w.speed;
}

/* A foot, and what it does around itself. */
typedef struct foot {
    float at[3], radius; /* m */
    float churn;         /* 1/s */
    float steep;         /* slope of the rings at the foot */
} foot;

static foot foot_of(const rn_mesh *m, const rn_surface_columns *c, const waves *w, uint32_t v) {
    const float speed = -m->velocities[3 * (size_t)v + 2], *at = m->positions + 3 * (size_t)v;
    const float thick = m->opacity ? fminf(3 * m->opacity[v], 1) : 1;
    return (foot){
        .at = {at[0], at[1], at[2]},
        .radius = foot_radius(m, c, v),
        .churn = churn_of(c, speed),
        .steep = STEEPEST * thick * rn_smooth_step(1, 4, speed / w->speed),
    };
}

/* Sets the ring at a vertex of liquid of this depth (m), which lies (x, y) (m) from a foot, `far` (m) beyond its
   radius. */
static void put_ring(const waves *w, const foot *from, float depth, float x, float y, float far,
                     float ring[RN_RING_NUMBERS]) {
    const float way = hypotf(x, y), edge = 1 - far / w->reach;
    const float most = from->steep * edge * tanhf(w->number * depth) * expf(-w->fading * far);
    ring[RN_RING_X] = way > 0 ? most * x / way : 0;
    ring[RN_RING_Y] = way > 0 ? most * y / way : 0;
    ring[RN_RING_PHASE] = w->number * far;
}

/* Raises the churning around a foot, and sets the rings to which it is nearest. vertex_of: for each slot of the
   columns, the number of its vertex plus 1, or 0 if it has none. */
static void splash(const rn_mesh *m, const rn_surface_columns *c, const uint32_t *vertex_of, const waves *w,
                   const foot *from, float *churn, float (*rings)[RN_RING_NUMBERS]) {
    const int x = (int)floorf((from->at[0] - c->origin_x) / c->cell_size);
    const int y = (int)floorf((from->at[1] - c->origin_y) / c->cell_size);
    const float churns = (REACH + 0.5f) * c->cell_size, widest = fmaxf(churns, w->reach);
    const int reach = (int)(widest / c->cell_size) + (int)fminf(from->radius / c->cell_size, 8.0f * REACH);
    for (int layer = 0; layer < c->layers; layer++)
        for (int j = y - reach; j <= y + reach; j++)
            for (int i = x - reach; i <= x + reach; i++) {
                if (i < 0 || j < 0 || i >= c->cells_x || j >= c->cells_y) continue;
                const size_t slot = ((size_t)layer * (size_t)c->cells_y + (size_t)j) * (size_t)c->cells_x + (size_t)i;
                if (!vertex_of[slot]) continue;
                const uint32_t v = vertex_of[slot] - 1;
                const float *there = m->positions + 3 * (size_t)v;
                if (fabsf(there[2] - from->at[2]) > 1.5f * c->cell_size + from->radius) continue;
                const float dx = there[0] - from->at[0], dy = there[1] - from->at[1];
                const float far = fmaxf(hypotf(dx, dy) - from->radius, 0.0f), part = far / churns;
                churn[v] = fmaxf(churn[v], from->churn * (1.0f - part * part));
                if (far >= w->reach || w->number * far >= rings[v][RN_RING_PHASE]) continue;
                const float depth = c->depth.data[layer * c->depth.layer_stride + j * c->depth.row_stride + i];
                put_ring(w, from, depth, dx, dy, far, rings[v]);
            }
}

rn_result rn_splash_add(const rn_mesh *surface, const rn_surface_columns *columns, const rn_liquid *liquid,
                        float *churn, float (*rings)[RN_RING_NUMBERS]) {
    const size_t slots = rn_surface_slots(columns);
    const waves w = waves_of(liquid, columns);
    uint32_t *vertex_of = rn_alloc(NULL, slots, sizeof *vertex_of);
    if (!vertex_of) return RN_MEMORY;
    for (uint32_t v = 0; v < surface->vertex_count; v++) {
        rings[v][RN_RING_X] = rings[v][RN_RING_Y] = 0;
        rings[v][RN_RING_PHASE] = w.number * w.reach;
        if (surface->ids[v] < slots) vertex_of[surface->ids[v]] = v + 1;
    }
    for (uint32_t v = 0; v < surface->vertex_count; v++) {
        if (!is_foot(surface, columns, v)) continue;
        const foot from = foot_of(surface, columns, &w, v);
        splash(surface, columns, vertex_of, &w, &from, churn, rings);
        rings[v][RN_RING_IS_FOOT] = surface->ids[v] < rn_surface_first_jet(columns) ? 1 : 0;
    }
    rn_free(NULL, vertex_of);
    return RN_OK;
}
