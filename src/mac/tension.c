/* Surface tension.

   The curvature is the divergence of the unit normal of a smooth field: the filled part of each cell, from its distance
   to the surface, after PASSES of (1 2 1)/4 along each axis. Smoothing keeps balls round, so their curvature is right
   where the surface is; it weakens ripples of a few cells, among them the noise of particles. Walls and solids take
   the values of the cells beside them: the surface meets them at a right angle.

   The pressure at the surface is tension times curvature (Laplace), and the pressure solve takes it as the value where
   the surface crosses the line between two centres (Gibou et al. 2002). */
#include "mac/tension.h"

#include <math.h>
#include <string.h>

enum { PASSES = 4 };
#define LEAST_SLOPE    0.02f /* 1/cells, of the smooth field: elsewhere there is no surface */
#define MOST_CURVATURE 1.0f  /* 1/cells: that of a ball of two cells' radius */
/* Cells^2: smoothing moves the surface inward by this times its curvature, as heat would. */
#define SHRUNK (0.25f * PASSES)
/* Of sqrt(cell^3 / tension): less than the period of the shortest wave (Brackbill et al. 1992). */
#define LONGEST 0.28

typedef struct smoothing {
    rn_mac *mac;
    const float *from;
    float *to;
    int axis;
} smoothing;

/* The filled part of a cell, from its distance to the surface. */
static float filled(float distance) { return distance < -0.5f ? 1.0f : distance > 0.5f ? 0.0f : 0.5f - distance; }

/* A task over rows: sets s->to of their cells to the filled shares (0 to 1). */
static void fill_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const smoothing *s = context;
    const int32_t length = s->mac->grid.step[1];
    for (int32_t c = begin * length; c < end * length; c++) s->to[c] = filled(s->mac->distance[c]);
}

/* The weight of a cell when its neighbours are smoothed: none for solid, and for the rim except beyond open sides and
   periodic ends. */
static float weight_of(const rn_mac *mac, int32_t c) { return mac->kind[c] == RN_MAC_SOLID ? 0.0f : 1.0f; }

/* The mean of a cell, with weight 2, and its two neighbours `step` away; solid does not count. If all three are solid,
   the cell's own value. */
static float mean_of(const smoothing *s, int32_t c, int32_t step) {
    const float low = weight_of(s->mac, c - step), here = 2.0f * weight_of(s->mac, c),
                high = weight_of(s->mac, c + step), all = low + here + high;
    if (!(all > 0.0f)) return s->from[c];
    return (low * s->from[c - step] + here * s->from[c] + high * s->from[c + step]) / all;
}

/* A task over rows: smooths `from` along s->axis into `to`. Cells beyond the sides of that axis take the old value of
   the cell beside them; beyond periodic ends, the new one at the other end. */
static void smooth_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const smoothing *s = context;
    const rn_mac_grid *g = &s->mac->grid;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(g, r);
        for (int i = -1; i <= g->n[0]; i++) {
            const int at[3] = {i, row.j, row.k};
            const int32_t c = row.at + i, step = g->step[s->axis];
            if (at[s->axis] >= 0 && at[s->axis] < g->n[s->axis]) s->to[c] = mean_of(s, c, step);
            else s->to[c] = s->from[at[s->axis] < 0 ? c + step : c - step]; /* a mirror */
        }
        if (!s->mac->def.periodic_x) continue;
        s->to[row.at - 1] = s->to[row.at + g->n[0] - 1];
        s->to[row.at + g->n[0]] = s->to[row.at];
    }
}

/* A task over rows: cells of the rim beyond the sides of an axis take the values of the cells beside them, in `to`.
   While the field is smoothed they lag behind, which would bend it at walls. */
static void mirror_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const smoothing *s = context;
    const rn_mac_grid *g = &s->mac->grid;
    const int32_t step = g->step[s->axis];
    if (s->axis == 0 && s->mac->def.periodic_x) return;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(g, r);
        for (int i = -1; i <= g->n[0]; i++) {
            const int at[3] = {i, row.j, row.k};
            if (at[s->axis] < 0) s->to[row.at + i] = s->to[row.at + i + step];
            else if (at[s->axis] >= g->n[s->axis]) s->to[row.at + i] = s->to[row.at + i - step];
        }
    }
}

/* A task over rows: cells of solid in the box take the mean of the cells beside them that are not solid, in `to`; they
   keep their value if all are. */
static void fill_solid_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const smoothing *s = context;
    const rn_mac *mac = s->mac;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int i = 0; row.inside && i < mac->grid.n[0]; i++) {
            const int32_t c = row.at + i;
            if (mac->kind[c] != RN_MAC_SOLID) continue;
            float sum = 0.0f, count = 0.0f;
            for (int k = 0; k < 6; k++) {
                const int32_t other = k % 2 ? c + mac->grid.step[k / 2] : c - mac->grid.step[k / 2];
                sum += weight_of(mac, other) * s->to[other];
                count += weight_of(mac, other);
            }
            if (count > 0.0f) s->to[c] = sum / count;
        }
    }
}

/* The value, limited to -most and most. */
static float limit(float value, float most) { return value < -most ? -most : value > most ? most : value; }

/* The curvature (1/cells) of the surface near cell c, where a field f is 1/2; above 0 for a ball in which f is large, 0
   where f is level. It is first found for the level of f through the centre of c. Of that, a ball makes curvature / (1
   + depth curvature / 2), `depth` (cells) being the depth of the centre below the surface. Without this step, short
   waves would grow on drops: smoothing takes their own curvature away, but not that of the drop, which is larger
   farther in. */
static float curvature_at(const rn_mac *mac, const float *f, int32_t c) {
    float g[3], second[3], sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        const int32_t s = mac->grid.step[a];
        g[a] = 0.5f * (f[c + s] - f[c - s]);
        second[a] = (f[c + s] - f[c]) + (f[c - s] - f[c]);
    }
    const float square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    if (!(square > LEAST_SLOPE * LEAST_SLOPE)) return 0.0f;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        const int32_t s = mac->grid.step[a], t = mac->grid.step[b];
        const float mixed = 0.25f * ((f[c + s + t] - f[c + s - t]) - (f[c - s + t] - f[c - s - t]));
        sum += second[a] * (square - g[a] * g[a]) - 2.0f * g[a] * g[b] * mixed;
    }
    const float slope = sqrtf(square), bent = -sum / (square * slope),
                depth = limit((f[c] - 0.5f) / slope, 1.0f) + SHRUNK * bent;
    return limit(bent / (1.0f + 0.5f * depth * bent), MOST_CURVATURE);
}

/* A task over rows: copies the smooth field, `from`, to mac->filled, and finds mac->curvature from it: 0 where the
   field is 0 and in the rim, except beyond periodic ends. */
static void curve_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const smoothing *s = context;
    rn_mac *mac = s->mac;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        memset(mac->curvature + row.at - 1, 0, (size_t)mac->grid.step[1] * sizeof(float));
        memcpy(mac->filled + row.at - 1, s->from + row.at - 1, (size_t)mac->grid.step[1] * sizeof(float));
        for (int i = 0; row.inside && i < mac->grid.n[0]; i++)
            if (s->from[row.at + i] > 0.0f) mac->curvature[row.at + i] = curvature_at(mac, s->from, row.at + i);
        if (!mac->def.periodic_x || !row.inside) continue;
        mac->curvature[row.at - 1] = mac->curvature[row.at + mac->grid.n[0] - 1];
        mac->curvature[row.at + mac->grid.n[0]] = mac->curvature[row.at];
    }
}

void rn_mac_find_curvature(rn_mac *mac) {
    float *fields[2] = {mac->scratch, mac->scratch + mac->grid.cells};
    smoothing s = {.mac = mac, .to = fields[0]};
    int now = 0;
    rn_parallel_for(mac->pool, mac->grid.rows, fill_rows, &s);
    for (int pass = 0; pass < PASSES; pass++)
        for (s.axis = 0; s.axis < 3; s.axis++, now = 1 - now) {
            s.from = fields[now], s.to = fields[1 - now];
            rn_parallel_for(mac->pool, mac->grid.rows, smooth_rows, &s);
        }
    s.to = fields[now];
    rn_parallel_for(mac->pool, mac->grid.rows, fill_solid_rows, &s);
    for (s.axis = 0; s.axis < 3; s.axis++) rn_parallel_for(mac->pool, mac->grid.rows, mirror_rows, &s);
    s.from = fields[now];
    rn_parallel_for(mac->pool, mac->grid.rows, curve_rows, &s);
}

double rn_mac_capillary_substep(const rn_mac *mac) {
    const double cell = mac->def.cell_size, tension = mac->def.surface_tension;
    return tension > 0.0 ? LONGEST * sqrt(cell * cell * cell / tension) : INFINITY;
}
