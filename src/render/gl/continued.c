/* Continues the liquid outside the domain (continued.h). */
#include "render/gl/continued.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { WET_RINGS = 20 }; /* of the land, that liquid reaches */

/* Writes the continuation of a vertex: one per ring. It is level, and falls where the land falls, no deeper than at the
   edge. full_depth: m; 0: liquid as deep as at the edge is opaque. */
static void continue_vertex(const rn_land *land, const rn_liquid_vertex *from, float full_depth,
                            rn_liquid_vertex to[WET_RINGS]) {
    const float along = rn_land_along(land, from->position);
    float level = from->position[2], at[3];
    rn_land_point(land, RN_LAND_EDGE, along, at);
    const float deep = fmaxf(level - at[2], 0), opaque = full_depth > 0 ? full_depth : fmaxf(deep, 1e-9f);
    for (int ring = 0; ring < WET_RINGS; ring++) {
        rn_liquid_vertex *v = &to[ring];
        *v = *from;
        if (ring == 0) continue;
        rn_land_point(land, RN_LAND_EDGE + ring, along, at);
        level = fminf(level, at[2] + deep);
        const float share = 1 / (1 + 0.5f * (float)ring); /* of the waves at the edge */
        memcpy(v->position, at, sizeof at);
        v->position[2] = level;
        for (int k = 0; k < 2; k++) v->normal[k] *= share;
        v->normal[2] = sqrtf(fmaxf(1 - v->normal[0] * v->normal[0] - v->normal[1] * v->normal[1], 0));
        v->depth = fmaxf(level - at[2], 0);
        v->inside[0] = fminf(v->depth / opaque, 1);
        v->inside[3] = 1;
        v->flow[2] *= share;
        memset(v->ring, 0, sizeof v->ring);
        memset(v->meniscus, 0, sizeof v->meniscus);
    }
}

/* Whether liquid is above the land somewhere between two continuations, from a ring to the next. */
static bool is_wet(const rn_liquid_vertex *a, const rn_liquid_vertex *b) {
    return a[0].depth > 0 || a[1].depth > 0 || b[0].depth > 0 || b[1].depth > 0;
}

/* Adds the triangles between the continuations that begin at vertices a and b, as far as they are wet. Returns the new
   number of indices. */
static size_t join_strips(const rn_liquid_vertex *vertices, uint32_t a, uint32_t b, uint32_t *indices, size_t count) {
    for (uint32_t ring = 0; ring + 1 < WET_RINGS && is_wet(vertices + a + ring, vertices + b + ring); ring++) {
        const uint32_t quad[6] = {a + ring, a + ring + 1, b + ring + 1, a + ring, b + ring + 1, b + ring};
        memcpy(indices + count, quad, sizeof quad);
        count += 6;
    }
    return count;
}

/* Whether an edge of lying liquid lies on one side of the domain, and so is its outline there. */
static bool is_outer(const rn_land *land, const rn_liquid_vertex *a, const rn_liquid_vertex *b) {
    bool same_side = false;
    for (int k = 0; k < 2; k++) {
        const float near = 1e-4f * (land->high[k] - land->low[k]);
        same_side |= fmaxf(a->position[k], b->position[k]) < land->low[k] + near;
        same_side |= fminf(a->position[k], b->position[k]) > land->high[k] - near;
    }
    return same_side && a->flow[3] == 0 && b->flow[3] == 0;
}

/* Sets starts[v] to 1 for vertices on edges that are continued; returns the number of these edges. */
static size_t find_outer(const rn_land *land, const rn_mesh *surface, const rn_liquid_vertex *vertices,
                         uint32_t *starts) {
    size_t edges = 0;
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) {
        const uint32_t a = surface->indices[i], b = surface->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (!is_outer(land, &vertices[a], &vertices[b])) continue;
        starts[a] = starts[b] = 1;
        edges++;
    }
    return edges;
}

/* The depth (m) at which liquid is opaque, estimated from vertices that are not opaque; 0 if there are none. */
static float opaque_depth(const rn_liquid_vertex *vertices, size_t count) {
    double depth = 0, opacity = 0;
    for (size_t v = 0; v < count; v++) {
        const rn_liquid_vertex *of = &vertices[v];
        if (of->inside[0] <= 0 || of->inside[0] > 0.95f || of->inside[2] < 0 || of->flow[3] != 0) continue;
        depth += (double)of->depth;
        opacity += (double)of->inside[0];
    }
    return opacity > 0 ? (float)(depth / opacity) : 0;
}

/* Gives each vertex that is continued a place in liquid->vertices: starts[v] becomes 1 more than its first, or 0.
   Returns the number of edges that are continued. */
static size_t place_continuations(const rn_land *land, const rn_mesh *surface, const rn_liquid_vertex *vertices,
                                  uint32_t *starts, rn_continuation *liquid) {
    const size_t edges = find_outer(land, surface, vertices, starts);
    for (size_t v = 0; v < surface->vertex_count; v++) {
        if (!starts[v]) continue;
        starts[v] = 1 + (uint32_t)liquid->vertex_count;
        liquid->vertex_count += WET_RINGS;
    }
    return edges;
}

rn_result rn_land_continue(const rn_renderer *r, const rn_mesh *surface, const rn_liquid_vertex *vertices,
                           rn_continuation *liquid) {
    const size_t count = surface->vertex_count;
    *liquid = (rn_continuation){0};
    if (r->closed || !r->around.count) return RN_OK;
    uint32_t *starts = rn_alloc(NULL, count, sizeof *starts);
    if (!starts) return RN_MEMORY;
    const size_t edges = place_continuations(&r->land, surface, vertices, starts, liquid);
    liquid->vertices = rn_alloc(NULL, liquid->vertex_count, sizeof *liquid->vertices);
    liquid->indices = rn_alloc(NULL, edges * WET_RINGS, 6 * sizeof *liquid->indices);
    const bool fine = liquid->vertices && liquid->indices;
    const float full_depth = opaque_depth(vertices, count);
    for (size_t v = 0; v < count && fine; v++)
        if (starts[v]) continue_vertex(&r->land, &vertices[v], full_depth, liquid->vertices + starts[v] - 1);
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count && fine; i++) {
        const uint32_t a = surface->indices[i], b = surface->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (starts[a] && starts[b] && is_outer(&r->land, &vertices[a], &vertices[b]))
            liquid->index_count =
                join_strips(liquid->vertices, starts[a] - 1, starts[b] - 1, liquid->indices, liquid->index_count);
    }
    rn_free(NULL, starts);
    return fine ? RN_OK : RN_MEMORY;
}
