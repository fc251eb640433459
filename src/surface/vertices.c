/* Vertices: positions, normals, opacity and velocities.

   Interface and order of calls (surface/surface.h, build.c): rn_vertices_count counts the vertices of each row once
   links are final; rn_vertices_fill, after the counts are summed, numbers them and writes those of wet columns;
   rn_vertices_close creates the extra vertices (extras.c) and writes these and the vertices of dry columns at the
   edge, as means of the wet columns they are joined with. Menisci bend wet vertices between the last two (bend.c).
   sheets.c writes the vertices of falling sheets.

   There is one vertex for each column that is wet or joined with a wet one, row by row and layer by layer, then the
   extra vertices of the row. Ids depend only on layer, cell and, for extra vertices, direction, so that a vertex has
   the same id in every build. Normals are central differences over joined columns, opacity is the depth over the full
   depth (Dagenais 2018, 4.2), and velocities come from the fluxes around a column (surface/velocity.h). At the edge
   liquid becomes clear where it thins out, and stays opaque at an upright front.

   Runs of columns inside the liquid are written an array at a time (fill_run), with the bits that wet_vertex would
   give; only the opacity always comes from the level. */
#include "surface/meniscus.h"
#include "surface/surface.h"
#include "surface/velocity.h"
#include "surface/vertex.h"

#include <string.h>

/* ---- Wet columns ----------------------------------------------------------------------------------------------- */

/* The height (m) of the column that a wet one is joined with in direction d, if it is wet or the surface goes on
   towards it at its contact angle; *has: there is one. Otherwise returns the height of the wet one itself. */
static float height_beside(const rn_surface_state *w, int32_t slot, int layer, int d, bool *has) {
    const int32_t other = rn_links_joined(&w->t, slot, layer, d);
    *has = other >= 0 && (rn_is_wet(w, other) || (w->per_foot > 0.0f && w->t.base[other] < w->t.level[slot]));
    if (!*has) return w->z[slot];
    return rn_is_wet(w, other) ? w->z[other] : rn_line_height(w, slot, layer, d, other);
}

/* The slope along an axis (0: x, 1: y) of a wet column, from the heights beside it on both sides, or on one; 0 if there
   are none. */
static float slope_along(const rn_surface_state *w, int32_t slot, int layer, int axis) {
    bool has_after, has_before;
    const float high = height_beside(w, slot, layer, 2 * axis, &has_after),
                low = height_beside(w, slot, layer, 2 * axis + 4, &has_before);
    return (high - low) * (has_after && has_before ? w->half_per_cell : 2.0f * w->half_per_cell);
}

/* The unit normal of a surface with these slopes. */
static void set_normal(float slope_x, float slope_y, float normal[3]) {
    const float scale = 1.0f / sqrtf(1.0f + slope_x * slope_x + slope_y * slope_y);
    normal[0] = -slope_x * scale;
    normal[1] = -slope_y * scale;
    normal[2] = scale;
}

/* The opacity of a wet column, 0 to 1: o = min((h - b) / depth_max, 1) (Dagenais 2018, 4.2). With contact angles h is
   the drawn height. */
static float opacity_of(const rn_surface_state *w, int32_t slot) {
    const float top = w->per_foot > 0.0f ? w->z[slot] : w->t.level[slot];
    const float share = (top - w->t.base[slot]) * w->per_full_depth;
    return fminf(fmaxf(share, 0.0f), 1.0f);
}

/* The vertex of a wet column, without id and meniscus. */
static rn_vertex wet_vertex(const rn_surface_state *w, int32_t slot, int l, int y, int x) {
    const rn_links *t = &w->t;
    rn_vertex v = {.at = {((float)x + 0.5f) * t->cell, ((float)y + 0.5f) * t->cell, w->z[slot]},
                   .opacity = opacity_of(w, slot)};
    if (w->chop.most) rn_chop_normal(w, slot, l, v.normal);
    else set_normal(slope_along(w, slot, l, 0), slope_along(w, slot, l, 1), v.normal);
    rn_column_velocity(w->columns, w->half_per_cell, w->per_area, l, y, x, v.velocity);
    return v;
}

/* ---- All others: means of wet columns ---------------------------------------------------------------------------- */

typedef struct mean {
    float normal[3], velocity[3], opacity;
    float towards[2], psi, sure; /* of menisci, weighted by their certainty */
    float z, depth;              /* m, sums over the columns */
    int count;
} mean;

/* Adds the meniscus of a wet column to a mean, weighted by the certainty of its direction. */
static void add_meniscus(const rn_meniscus *menisci, int32_t slot, const float meniscus[4], mean *m) {
    const float sure = meniscus[3] > 0.0f ? menisci->sure[slot] : 0.0f;
    m->towards[0] += sure * meniscus[0];
    m->towards[1] += sure * meniscus[1];
    m->psi += sure * meniscus[2];
    m->sure += sure;
}

/* The mean meniscus, with a unit direction; unchanged if there is none. At the contact line the whole psi remains. */
static void take_meniscus(const mean *m, float meniscus[4]) {
    const float square = m->towards[0] * m->towards[0] + m->towards[1] * m->towards[1];
    if (!(square > 0.0f) || !(m->sure > 0.0f)) return;
    const float scale = 1.0f / sqrtf(square);
    meniscus[0] = m->towards[0] * scale;
    meniscus[1] = m->towards[1] * scale;
    meniscus[2] = m->psi / m->sure;
    meniscus[3] = m->sure / (float)m->count;
}

/* Adds the vertex of a wet column, which must be written already, to a mean. */
static void add_column(const rn_surface_state *w, int32_t slot, mean *m) {
    const rn_mesh *mesh = w->mesh;
    const uint32_t index = w->index[slot];
    for (uint32_t k = 0; k < 3; k++) {
        if (mesh->normals) m->normal[k] += mesh->normals[3 * (size_t)index + k];
        if (mesh->velocities) m->velocity[k] += mesh->velocities[3 * (size_t)index + k];
    }
    if (mesh->opacity) m->opacity += mesh->opacity[index];
    m->z += w->z[slot];
    m->depth += w->z[slot] - w->t.base[slot];
    if (mesh->menisci && w->meniscus) add_meniscus(w->meniscus, slot, mesh->menisci + 4 * (size_t)index, m);
    m->count++;
}

/* Sets everything of a vertex except position and id from a mean of at least one column. */
static void take_mean(const mean *m, rn_vertex *v) {
    const float *n = m->normal, square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const float scale = square > 0.0f ? 1.0f / sqrtf(square) : 0.0f, share = 1.0f / (float)m->count;
    for (int k = 0; k < 3; k++) {
        v->normal[k] = n[k] * scale;
        v->velocity[k] = m->velocity[k] * share;
    }
    v->opacity = m->opacity * share;
    take_meniscus(m, v->meniscus);
}

/* The factor of opacity at the edge of the liquid: 0, clear, where it thins out; 1 where an upright front is seen
   from the side. drop: m that the liquid itself falls off to the edge, without what the ground falls; at: the edge's
   position relative to the cell's centre (m). */
static float steepness(const rn_links *t, float drop, const float at[4]) {
    const float away = rn_larger(t->cell - sqrtf(at[0] * at[0] + at[1] * at[1]), 0.02f * t->cell);
    return rn_smaller(rn_larger(0.5f * (drop / away - 1.0f), 0.0f), 1.0f);
}

/* The vertex of a dry column at the edge of the liquid, without id; sets its trend to how far (m) it is below the
   ground. It is less opaque than the wet columns, and clear with contact angles. */
static rn_vertex dry_vertex(const rn_surface_state *w, int32_t slot, int l, int y, int x) {
    const rn_links *t = &w->t;
    rn_vertex v = {0};
    mean m = {0};
    const uint64_t links = t->links[slot];
    for (uint64_t joins = rn_joins_of(links); joins;)
        add_column(w, rn_links_at(t, slot, l, links, rn_take_join(&joins)), &m);
    take_mean(&m, &v);
    float at[4];
    rn_fronts_place(w, slot, l, at);
    const float drop = rn_smaller(m.z / (float)m.count - at[2], m.depth / (float)m.count);
    v.opacity *= w->per_foot > 0.0f ? 0.0f : steepness(t, drop, at);
    w->trend[slot] = at[3];
    v.at[0] = ((float)x + 0.5f) * t->cell + at[0];
    v.at[1] = ((float)y + 0.5f) * t->cell + at[1];
    v.at[2] = at[2];
    return v;
}

/* An extra vertex at its own position, with everything else but the id as the mean of its members; *first: the first
   direction with a member. */
static rn_vertex extra_vertex(const rn_surface_state *w, const rn_extra_vertex *e, int *first) {
    const rn_links *t = &w->t;
    rn_vertex v = {.at = {e->at[0], e->at[1], e->at[2]}};
    mean m = {0};
    for (int d = RN_AROUND - 1; d >= 0; d--) {
        if (e->members[d] == RN_NO_MEMBER) continue;
        add_column(w, e->cell + rn_links_step(t, d) + e->members[d] * t->layer_stride, &m);
        *first = d;
    }
    take_mean(&m, &v);
    return v;
}

/* Creates and writes the extra vertices of a row, numbered from `vertices` on. */
static void fill_extras(const rn_surface_state *w, int y, int worker, uint32_t vertices) {
    const rn_links *t = &w->t;
    const uint32_t columns = (uint32_t)rn_surface_slots(w->columns);
    const size_t part = rn_part(w, y, worker);
    rn_extras_make(w, y, worker, vertices);
    rn_bits_of_all(0); /* all are made */
    RN_EACH_ITEM (i, w->row_extras[part], w->row_extras[part + 1]) {
        const rn_extra_vertex *e = &w->extras[i];
        const int x = e->cell - (y + 1) * t->stride - 1;
        int first = 0;
        rn_vertex v = extra_vertex(w, e, &first);
        const uint32_t cell = (uint32_t)(y + 1) * (uint32_t)(t->nx + 2) + (uint32_t)(x + 1);
        const uint32_t number = (cell * RN_AROUND + (uint32_t)first) * (uint32_t)t->layers + e->members[first];
        v.id = columns + (1 + RN_SHEET_ROWS) * number;
        rn_vertex_put(w, e->vertex, &v);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* The id of a column's vertex: the same in every build. */
static uint32_t column_id(const rn_links *t, int l, int y, int x) {
    return (uint32_t)(((size_t)l * (size_t)t->ny + (size_t)y) * (size_t)t->nx + (size_t)x);
}

void rn_vertices_count(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    for (int y = begin - 1; y < end - 1; y++) {
        uint32_t count = 0;
        RN_EACH_LAYER (l, w->used_layers[y + 1])
            RN_EACH_WORD (i, w->t.words, worker)
                count += (uint32_t)__builtin_popcountll(rn_links_row(&w->t, w->used, l, y)[i]);
        RN_ALONE w->row_vertices[y + 1] = 0;
        RN_ONE_LANE rn_put_count(&w->row_vertices[y + 1], count);
    }
}

/* The number of the first vertex in word i of a row and layer. row_vertices must have been summed. */
static uint32_t first_in_word(const rn_surface_state *w, int l, int y, int i) {
    uint32_t count = 0, all;
    RN_EACH_LAYER (k, w->used_layers[y + 1] & ((UINT64_C(2) << l) - 1))
        RN_EACH_ITEM (n, 0, (uint32_t)(k < l ? w->t.words : i))
            count += (uint32_t)__builtin_popcountll(rn_links_row(&w->t, w->used, k, y)[n]);
    rn_count_before(count, &all);
    return w->row_vertices[y + 1] + all;
}

/* Velocities (m/s) of a run of columns with neighbours on all sides, as in rn_column_velocity. */
static void run_velocities(const rn_surface_state *w, int l, int y, int x, int count, float *restrict to) {
    const rn_surface_columns *c = w->columns;
    if (!c->flux_x.data || !c->flux_y.data) {
        memset(to, 0, 3 * (size_t)count * sizeof *to);
        return;
    }
    const float *restrict fx = &c->flux_x.data[l * c->flux_x.layer_stride + y * c->flux_x.row_stride + x];
    const float *restrict fy = &c->flux_y.data[l * c->flux_y.layer_stride + y * c->flux_y.row_stride + x];
    const float *restrict d = &c->depth.data[l * c->depth.layer_stride + y * c->depth.row_stride + x];
    const ptrdiff_t row = c->depth.row_stride, flux_row = c->flux_y.row_stride;
    const float half = w->half_per_cell, per_area = w->per_area;
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float across = rn_larger(rn_larger(d[i], d[i - 1]), d[i + 1]),
                    along = rn_larger(rn_larger(d[i], d[i - row]), d[i + row]);
        to[3 * i] = half * (fx[i - 1] + fx[i]) / across;
        to[3 * i + 1] = half * (fy[i - flux_row] + fy[i]) / along;
        to[3 * i + 2] = (fx[i - 1] - fx[i] + (fy[i - flux_row] - fy[i])) * per_area;
    }
}

/* Numbers and writes a run of columns inside the liquid, from vertex `first` on: like wet_vertex, but moved by choppy
   waves, and with opacity always from the level. */
static void fill_run(const rn_surface_state *w, int l, int y, int x, int count, uint32_t first) {
    const rn_links *t = &w->t;
    const rn_mesh *m = w->mesh;
    const int32_t slot = rn_links_slot(t, l, y, x), up = t->stride;
    const float *restrict z = w->z + slot, *restrict level = t->level + slot, *restrict base = t->base + slot;
    const float half = w->half_per_cell, cell = t->cell, datum = w->columns->datum, left = w->columns->origin_x;
    const float at_y = ((float)y + 0.5f) * cell + w->columns->origin_y, per_depth = w->per_full_depth;
    float *restrict to = m->positions + 3 * (size_t)first;
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        w->index[slot + i] = first + (uint32_t)i;
        to[3 * i] = ((float)(x + i) + 0.5f) * cell + left;
        to[3 * i + 1] = at_y;
        to[3 * i + 2] = z[i] + datum;
    }
    RN_APART if (m->menisci) memset(m->menisci + 4 * (size_t)first, 0, 4 * sizeof(float) * (size_t)count);
    if (w->chop.most) rn_chop_run(w, slot, count, first);
    else if (m->normals) {
        float *restrict normal = m->normals + 3 * (size_t)first;
        RN_EACH_ALONE
        for (int i = 0; i < count; i++) {
            const float sx = (z[i + 1] - z[i - 1]) * half, sy = (z[i + up] - z[i - up]) * half;
            const float scale = 1.0f / sqrtf(1.0f + sx * sx + sy * sy);
            normal[3 * i] = -sx * scale;
            normal[3 * i + 1] = -sy * scale;
            normal[3 * i + 2] = scale;
        }
    }
    if (m->opacity) {
        float *restrict opacity = m->opacity + first;
        RN_EACH_ALONE
        for (int i = 0; i < count; i++)
            opacity[i] = rn_smaller(rn_larger((level[i] - base[i]) * per_depth, 0.0f), 1.0f);
    }
    if (m->ids) {
        const uint32_t id = column_id(t, l, y, x);
        uint32_t *restrict ids = m->ids + first;
        RN_EACH_ALONE
        for (int i = 0; i < count; i++) ids[i] = id + (uint32_t)i;
    }
    if (m->velocities) run_velocities(w, l, y, x, count, m->velocities + 3 * (size_t)first);
}

/* Numbers the vertices of word i of a row from `next` on, and writes those of wet columns; returns the next number. */
static uint32_t fill_word(const rn_surface_state *w, int l, int y, int i, uint32_t next) {
    const rn_links *t = &w->t;
    const uint64_t used = rn_links_row(t, w->used, l, y)[i], inside = rn_links_row(t, t->interior, l, y)[i];
    RN_EACH_RUN (bit, count, inside)
        fill_run(w, l, y, 64 * i + bit - 1, count,
                 next + (uint32_t)__builtin_popcountll(used & ((UINT64_C(1) << bit) - 1)));
    RN_EACH_BIT (bit, used & ~inside) {
        const int x = 64 * i + bit - 1;
        const int32_t slot = rn_links_slot(t, l, y, x);
        const uint32_t index = next + (uint32_t)__builtin_popcountll(used & ((UINT64_C(1) << bit) - 1));
        w->index[slot] = index;
        if (!rn_is_wet(w, slot)) continue;
        rn_vertex v = wet_vertex(w, slot, l, y, x);
        v.id = column_id(t, l, y, x);
        rn_vertex_put(w, index, &v);
    }
    return next + (uint32_t)__builtin_popcountll(used);
}

void rn_vertices_fill(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    for (int y = begin - 1; y < end - 1; y++) {
        uint32_t next = w->row_vertices[y + 1];
        RN_ALONE if (w->mesh->menisci)
            memset(w->mesh->menisci + 4 * (size_t)next, 0, 4 * sizeof(float) * (w->row_vertices[y + 2] - next));
        RN_EACH_LAYER (l, w->used_layers[y + 1])
            RN_EACH_WORD (i, w->t.words, worker) {
                RN_APART next = first_in_word(w, l, y, i);
                next = fill_word(w, l, y, i, next);
            }
    }
}

void rn_vertices_close(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin - 1; y < end - 1; y++) {
        RN_EACH_LAYER (l, w->used_layers[y + 1])
            RN_EACH_WORD (i, t->words, worker)
                RN_EACH_BIT (bit, rn_links_row(t, w->used, l, y)[i] & ~rn_links_row(t, t->wet, l, y)[i]) {
                    const int x = 64 * i + bit - 1;
                    const int32_t slot = rn_links_slot(t, l, y, x);
                    rn_vertex v = dry_vertex(w, slot, l, y, x);
                    v.id = column_id(t, l, y, x);
                    rn_vertex_put(w, w->index[slot], &v);
                }
        const uint32_t extras = rn_extras_before(w, y + 1) - rn_extras_before(w, y);
        if (extras) fill_extras(w, y, worker, w->row_vertices[y + 2] - extras);
    }
}
