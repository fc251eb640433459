/* Choppy waves (Lee & O'Sullivan 2007, section 5): vertices move up the slope of the surface, which sharpens crests
   and widens troughs:

       x' = x + c dz/dx,   y' = y + c dz/dy

   Interface and order of calls (surface/surface.h): build.c runs rn_chop_rows and rn_chop_columns once drawn heights
   are final, if the definition has a choppiness c; vertices.c then calls rn_chop_run and rn_chop_normal.

   "It is also useful to clamp the gradient to avoid excessively large displacements which would result in mesh
   tangling." A clamp of the shift itself would have to be smaller than a cell. Here two rules replace it, and neither
   depends on the size of a cell.

   1. From a column to the next along an axis, the shift along that axis changes by at most ALONG of the distance, and
      the shift along the other axis by at most ACROSS. Every triangle between four columns has one edge along x and
      one along y, so it keeps (1 - ALONG)^2 - ACROSS^2 of its area or more, and never turns over. ALONG = 2 ACROSS
      treats waves of all directions alike.
   2. The shift is at most `most`. That is 0 in columns that are not inside the liquid: at shores, walls, ledges and
      the edge of the domain. Over sloping ground it is the shift that uses up half of the depth. From column to
      column it changes by at most ACROSS of the distance.

   For the first rule the shift is the mean of two fields, the largest one below c dz/dx that obeys the rule and the
   lowest one above it. Four sweeps find each of them and `most`: east and west through all rows, then north and south
   through all columns. The sweeps cross dry cells too, where all fields begin as 0: a field that obeys the rules
   everywhere obeys them in the liquid. The minimum and maximum of two fields that obey a rule obey it too, so the
   second rule does not break the first. */
#include "surface/surface.h"

#include <string.h>

#define ALONG  0.64f
#define ACROSS 0.32f

/* ---- Fields of a row --------------------------------------------------------------------------------------------- */

/* The shift (m) that uses up half of the depth over ground of this slope. Level ground has rises of 0. */
static float most_over_ground(float depth, float rise_x, float rise_y, float cell) {
    return 0.5f * depth * cell / (rise_x + rise_y + 1e-30f);
}

/* The larger difference (m) of the base to the columns at +step and -step. */
static float steepest(const float *base, ptrdiff_t step) {
    return rn_larger(fabsf(base[step] - base[0]), fabsf(base[0] - base[-step]));
}

/* Sets both bounds of a run of columns inside the liquid to c times the slope, limited to nx + ny cells either way, and
   `most` to what their depth allows. */
static void aim(const rn_surface_state *w, int32_t slot, int count) {
    const rn_chop *c = &w->chop;
    const ptrdiff_t up = w->t.stride;
    const float *restrict z = w->z + slot, *restrict base = w->t.base + slot;
    const float widest = w->t.cell * (float)(w->t.nx + w->t.ny), scale = w->def->choppiness * w->half_per_cell;
    for (int i = 0; i < count; i++) {
        const float shift[2] = {scale * (z[i + 1] - z[i - 1]), scale * (z[i + up] - z[i - up])};
        for (int k = 0; k < 2; k++)
            c->low[k][slot + i] = c->high[k][slot + i] = rn_smaller(rn_larger(shift[k], -widest), widest);
        c->most[slot + i] = most_over_ground(z[i] - base[i], steepest(base + i, 1), steepest(base + i, up), w->t.cell);
    }
}

/* Sets the fields of a row: as in `aim` for columns inside the liquid, 0 elsewhere. */
static void begin_row(const rn_surface_state *w, int l, int y) {
    const rn_links *t = &w->t;
    const uint64_t *inside = rn_links_row(t, t->interior, l, y);
    const int32_t first = rn_links_slot(t, l, y, 0);
    const size_t bytes = (size_t)t->nx * sizeof(float);
    memset(w->chop.most + first, 0, bytes);
    for (int k = 0; k < 2; k++) {
        memset(w->chop.low[k] + first, 0, bytes);
        memset(w->chop.high[k] + first, 0, bytes);
    }
    for (int i = 0; i < t->words; i++)
        for (uint64_t rest = inside[i]; rest;) {
            const int bit = __builtin_ctzll(rest), count = rn_run_of(rest >> bit);
            aim(w, rn_links_slot(t, l, y, 64 * i + bit - 1), count);
            rest &= rn_bits_from(bit + count);
        }
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------ */

/* Limits how fast the fields change along a row, by both rules: sweeps `count` columns from `slot` on, towards +x (step
   1) or -x (-1). The five fields are independent and processed together. */
static void sweep_along(const rn_chop *c, int32_t slot, int step, int count, float cell) {
    const float along = ALONG * cell, across = ACROSS * cell;
    float most = c->most[slot], low_x = c->low[0][slot], high_x = c->high[0][slot], low_y = c->low[1][slot],
          high_y = c->high[1][slot];
    for (int i = 1; i < count; i++) {
        slot += step;
        c->most[slot] = most = rn_smaller(c->most[slot], most + across);
        c->low[0][slot] = low_x = rn_smaller(c->low[0][slot], low_x + along);
        c->high[0][slot] = high_x = rn_larger(c->high[0][slot], high_x - along);
        c->low[1][slot] = low_y = rn_smaller(c->low[1][slot], low_y + across);
        c->high[1][slot] = high_y = rn_larger(c->high[1][slot], high_y - across);
    }
}

void rn_chop_rows(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const int count = w->t.nx;
    (void)worker;
    for (int y = begin; y < end; y++)
        RN_EACH_LAYER (l, w->t.wet_layers[y + 1]) {
            begin_row(w, l, y);
            sweep_along(&w->chop, rn_links_slot(&w->t, l, y, 0), 1, count, w->t.cell);
            sweep_along(&w->chop, rn_links_slot(&w->t, l, y, count - 1), -1, count, w->t.cell);
        }
}

/* Limits each value to its neighbour's plus `change`. */
static void lower(float *restrict to, const float *restrict from, int count, float change) {
    for (int i = 0; i < count; i++) to[i] = rn_smaller(to[i], from[i] + change);
}

/* Raises each value to at least its neighbour's minus `change`. */
static void lift(float *restrict to, const float *restrict from, int count, float change) {
    for (int i = 0; i < count; i++) to[i] = rn_larger(to[i], from[i] - change);
}

/* Sweeps a run of columns from one row to the next, for all five fields. */
static void sweep_across(const rn_chop *c, int32_t to, int32_t from, int count, float cell) {
    const float along = ALONG * cell, across = ACROSS * cell;
    lower(c->most + to, c->most + from, count, across);
    lower(c->low[0] + to, c->low[0] + from, count, across);
    lift(c->high[0] + to, c->high[0] + from, count, across);
    lower(c->low[1] + to, c->low[1] + from, count, along);
    lift(c->high[1] + to, c->high[1] + from, count, along);
}

/* Combines both bounds into the shift, which replaces `low`. Written so that a 0 has the same sign on every machine. */
static void settle(const rn_chop *c, int32_t slot, int count) {
    const float *restrict most = c->most + slot;
    for (int k = 0; k < 2; k++) {
        float *restrict low = c->low[k] + slot;
        const float *restrict high = c->high[k] + slot;
        for (int i = 0; i < count; i++) {
            const float mean = 0.5f * (low[i] + high[i]);
            low[i] = mean > most[i] ? most[i] : mean < -most[i] ? -most[i] : mean;
        }
    }
}

static bool has_layer(const rn_surface_state *w, int l, int y) { return w->t.wet_layers[y + 1] >> l & 1; }

/* Sweeps `count` columns from x on through all rows, north and south, and then settles them. Rows without a wet
   column of the layer interrupt a sweep: no triangle reaches across them. */
static void sweep_columns(const rn_surface_state *w, int l, int x, int count) {
    const rn_links *t = &w->t;
    for (int y = 1; y < t->ny; y++)
        if (has_layer(w, l, y) && has_layer(w, l, y - 1))
            sweep_across(&w->chop, rn_links_slot(t, l, y, x), rn_links_slot(t, l, y - 1, x), count, t->cell);
    for (int y = t->ny - 2; y >= 0; y--)
        if (has_layer(w, l, y) && has_layer(w, l, y + 1))
            sweep_across(&w->chop, rn_links_slot(t, l, y, x), rn_links_slot(t, l, y + 1, x), count, t->cell);
    for (int y = 0; y < t->ny; y++)
        if (has_layer(w, l, y)) settle(&w->chop, rn_links_slot(t, l, y, x), count);
}

void rn_chop_columns(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const int x = 64 * begin, after = 64 * end < w->t.nx ? 64 * end : w->t.nx;
    (void)worker;
    for (int l = 0; l < w->t.layers && x < after; l++) sweep_columns(w, l, x, after - x);
}

/* ---- Vertices ---------------------------------------------------------------------------------------------------- */

/* The normal of a surface with tangents a and b, which are about (1, 0, .) and (0, 1, .). */
static inline void cross(const float a[3], const float b[3], float normal[3]) {
    const float x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    const float scale = 1.0f / sqrtf(x * x + y * y + z * z);
    normal[0] = x * scale;
    normal[1] = y * scale;
    normal[2] = z * scale;
}

void rn_chop_run(const rn_surface_state *w, int32_t slot, int count, uint32_t first) {
    const rn_mesh *m = w->mesh;
    const ptrdiff_t up = w->t.stride;
    const float *restrict z = w->z + slot, *restrict sx = w->chop.low[0] + slot, *restrict sy = w->chop.low[1] + slot;
    const float half = w->half_per_cell;
    float *restrict to = m->positions + 3 * (size_t)first;
    for (int i = 0; i < count; i++) {
        to[3 * i] += sx[i];
        to[3 * i + 1] += sy[i];
    }
    if (!m->normals) return;
    float *restrict normal = m->normals + 3 * (size_t)first;
    for (int i = 0; i < count; i++) {
        const float a[3] = {1.0f + half * (sx[i + 1] - sx[i - 1]), half * (sy[i + 1] - sy[i - 1]),
                            half * (z[i + 1] - z[i - 1])};
        const float b[3] = {half * (sx[i + up] - sx[i - up]), 1.0f + half * (sy[i + up] - sy[i - up]),
                            half * (z[i + up] - z[i - up])};
        cross(a, b, normal + 3 * i);
    }
}

/* The vector (cells) between the moved vertices of the wet columns joined on both sides along an axis (0: x, 1: y),
   towards +. This column replaces a missing one; if both are missing, the vector is one cell along the axis. */
static void tangent(const rn_surface_state *w, int32_t slot, int layer, int axis, float along[3]) {
    const rn_links *t = &w->t;
    int32_t ends[2] = {slot, slot};
    float distance = 0.0f;
    for (int side = 0; side < 2; side++) {
        const int32_t other = rn_links_joined(t, slot, layer, 2 * axis + (side ? 0 : 4));
        if (other < 0 || !rn_is_wet(w, other)) continue;
        ends[side] = other;
        distance += 1.0f;
    }
    const float per_cell = 2.0f * w->half_per_cell;
    for (int k = 0; k < 2; k++) along[k] = per_cell * (w->chop.low[k][ends[1]] - w->chop.low[k][ends[0]]);
    along[2] = per_cell * (w->z[ends[1]] - w->z[ends[0]]);
    along[axis] += distance > 0.0f ? distance : 1.0f;
}

void rn_chop_normal(const rn_surface_state *w, int32_t slot, int layer, float normal[3]) {
    float a[3], b[3];
    tangent(w, slot, layer, 0, a);
    tangent(w, slot, layer, 1, b);
    cross(a, b, normal);
}
