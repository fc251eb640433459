/* Applies menisci to a surface that was built flat.

   Interface (surface/surface.h): rn_bend_wet tilts and lifts the vertices of wet columns, and rn_bend_edges lifts
   those at the edge, whose normals are means of these. Order of calls (build.c): rn_vertices_fill, rn_meniscus_shape,
   rn_bend_wet, rn_vertices_close, rn_bend_edges. Normals must be bent before rn_vertices_close takes their means;
   edges are lifted after it, because it writes their positions.

   If the mesh has an array `menisci`, normals stay as they are, and a shader bends them from that array. At the edge
   the lift is the rise at the contact line itself. A surface that is pushed down keeps at least half of its drawn
   depth; lips of falls stay where they are. */
#include "surface/meniscus.h"
#include "surface/surface.h"

/* How far (m) a column's vertex is lifted for a meniscus of `rise` (m); lowered by at most half of the drawn depth. */
static float lift_of(const rn_surface_state *w, int32_t slot, float rise) {
    return rise < 0.0f ? fmaxf(rise, -0.5f * fmaxf(w->z[slot] - w->t.base[slot], 0.0f)) : rise;
}

void rn_bend_wet(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    rn_mesh *mesh = w->mesh;
    const bool lifts = w->meniscus->def.capillary > 0.0f;
    for (int y = begin; y < end; y++)
        RN_EACH_LAYER (l, t->wet_layers[y + 1]) {
            const uint64_t *band = rn_links_row(t, w->meniscus->band, l, y), *used = rn_links_row(t, w->used, l, y);
            RN_EACH_WORD (i, t->words, worker)
                RN_EACH_RUN (bit, count, band[i] & used[i]) { /* consecutive columns have consecutive vertices */
                    const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
                    const uint32_t index = w->index[slot];
                    if (mesh->menisci) rn_meniscus_tell(w->meniscus, slot, count, mesh->menisci + 4 * (size_t)index);
                    else if (mesh->normals)
                        rn_meniscus_bend_run(w->meniscus, slot, count, mesh->normals + 3 * (size_t)index);
                    for (int k = 0; lifts && k < count; k++)
                        mesh->positions[3 * ((size_t)index + (size_t)k) + 2] +=
                            lift_of(w, slot + k, w->meniscus->rise[slot + k]);
                }
        }
}

/* How far (m) a vertex at the edge is lifted by the wet column beside it, at `slot`, which is (layer, y, x): the rise
   at the contact line itself, limited by lift_of. 0 if that column is outside the band or has no direction (`sure` is
   0). */
static float edge_lift(const rn_surface_state *w, int32_t slot, int layer, int y, int x) {
    if (!rn_meniscus_has(w->meniscus, &w->t, layer, y, x) || !(w->meniscus->sure[slot] > 0.0f)) return 0.0f;
    return lift_of(w, slot, rn_meniscus_rise(w->meniscus->psi[slot], 0.0f, w->meniscus->def.capillary));
}

/* Lifts the extra vertices of a row by the mean over the wet columns that they are joined with; lips of falls stay. */
static void lift_extras(const rn_surface_state *w, int y, int worker) {
    const rn_links *t = &w->t;
    RN_EACH_ITEM (i, w->row_extras[rn_part(w, y, worker)], w->row_extras[rn_part(w, y, worker) + 1]) {
        const rn_extra_vertex *e = &w->extras[i];
        const int x = e->cell - (y + 1) * t->stride - 1;
        float sum = 0.0f;
        int count = 0;
        for (int d = 0; d < RN_AROUND; d++) {
            if (e->members[d] == RN_NO_MEMBER) continue;
            const int l = e->members[d];
            sum += edge_lift(w, e->cell + rn_links_step(t, d) + l * t->layer_stride, l, y + rn_around_y[d],
                             x + rn_around_x[d]);
            count++;
        }
        if (count && !e->falls) w->mesh->positions[3 * (size_t)e->vertex + 2] += sum / (float)count;
    }
}

void rn_bend_edges(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin - 1; y < end - 1; y++) {
        RN_EACH_LAYER (l, w->used_layers[y + 1]) {
            const uint64_t *used = rn_links_row(t, w->used, l, y), *wet = rn_links_row(t, t->wet, l, y);
            RN_EACH_WORD (i, t->words, worker)
                RN_EACH_BIT (bit, used[i] & ~wet[i]) {
                    const int x = 64 * i + bit - 1;
                    const int32_t slot = rn_links_slot(t, l, y, x);
                    float sum = 0.0f;
                    int count = 0;
                    for (int d = 0; d < RN_AROUND; d++) {
                        const int32_t to = rn_links_joined(t, slot, l, d);
                        if (to < 0) continue;
                        const int layer = rn_link_of(t->links[slot], d) & RN_LINK_LAYER;
                        sum += edge_lift(w, to, layer, y + rn_around_y[d], x + rn_around_x[d]);
                        count++;
                    }
                    if (count) w->mesh->positions[3 * (size_t)w->index[slot] + 2] += sum / (float)count;
                }
        }
        lift_extras(w, y, worker);
    }
}
