/* Shapes from meshes of hosts and files.

   Interface: rn_shape_mesh (include/runnel/bodies.h). Scenes call it with meshes that they have read
   (io/scene/body_shape.c), hosts with their own, before rn_bodies_add.

   Order within: check_input checks numbers and indices; vertices at exactly the same place are joined, and triangles
   with two corners there are dropped; check_closed requires that every edge has exactly one triangle in each
   direction; measure_outward requires a volume, and reverses a mesh that is inside out, with a warning.

   All that follows, buoyancy as well as blocking, relies on closed surfaces: solid begins at triangles that face down
   and ends at those that face up. Nothing else is therefore repaired; the error message names the faulty vertex, or
   counts faulty edges. Vertices are joined without a tolerance. Vertices and edges are found by sorting with a total
   order, so the result does not depend on the qsort of the machine. */
#include "base/error.h"
#include "base/maths.h"
#include "bodies/shape.h"

#include <stdlib.h>
#include <string.h>

/* Relative to the cube of its size: below this a mesh has no inside. */
#define LEAST_VOLUME 1e-12

typedef struct spot {
    float at[3];
    uint32_t vertex;
} spot;

/* Compares by position, then by vertex number, for qsort. */
static int compare_spots(const void *a, const void *b) {
    const spot *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->at[k] != q->at[k]) return p->at[k] < q->at[k] ? -1 : 1;
    }
    return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

/* Finds, for each vertex, the first one at exactly the same position; returns their numbers in an array that the caller
   frees. Returns NULL, with a message, if memory runs out. */
static uint32_t *first_at_position(const float *positions, uint32_t count, const rn_hooks *hooks) {
    uint32_t *same = rn_alloc(hooks, count, sizeof *same);
    spot *spots = rn_alloc(hooks, count, sizeof *spots);
    for (uint32_t v = 0; same && spots && v < count; v++) {
        memcpy(spots[v].at, positions + 3 * (size_t)v, sizeof spots[v].at);
        spots[v].vertex = v;
    }
    if (same && spots) {
        qsort(spots, count, sizeof *spots, compare_spots);
        uint32_t first = 0;
        for (uint32_t i = 0; i < count; i++) {
            for (int k = 0; k < 3; k++) {
                if (spots[i].at[k] != spots[first].at[k]) first = i;
            }
            same[spots[i].vertex] = spots[first].vertex;
        }
    } else {
        rn_free(hooks, same);
        same = NULL;
    }
    rn_free(hooks, spots);
    return same;
}

/* Returns RN_INVALID, with a message, unless there are 4 vertices and triangles or more, with positions within
   RN_SHAPE_FARTHEST and valid indices. */
static rn_result check_input(const float *positions, uint32_t vertex_count, const uint32_t *indices,
                             uint32_t triangle_count) {
    if (vertex_count < 4 || triangle_count < 4) {
        return rn_fail(RN_INVALID, "a mesh of %u vertices and %u triangles cannot be closed; it needs 4 of each",
                       vertex_count, triangle_count);
    }
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++) {
        if (!(fabs((double)positions[i]) <= RN_SHAPE_FARTHEST)) {
            return rn_fail(RN_INVALID, "vertex %zu of a mesh has a coordinate that is not finite or is beyond %g m",
                           i / 3, RN_SHAPE_FARTHEST);
        }
    }
    for (size_t i = 0; i < 3 * (size_t)triangle_count; i++) {
        if (indices[i] >= vertex_count) {
            return rn_fail(RN_INVALID, "triangle %zu of a mesh names vertex %u; the mesh has %u, counted from 0", i / 3,
                           indices[i], vertex_count);
        }
    }
    return RN_OK;
}

/* Creates a new shape, not measured yet, from the mesh, with one vertex per position and without triangles that have
   two corners at the same position; the caller owns it. Returns NULL, with an error text, if no triangle is left or
   memory runs out. same: from first_at_position; number: scratch, one per vertex. */
static rn_shape *make_welded_shape(const float *positions, uint32_t vertex_count, const uint32_t *indices,
                                   uint32_t triangle_count, uint32_t *same, uint32_t *number, const rn_hooks *hooks) {
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t v = 0; v < vertex_count; v++) number[v] = same[v] == v ? vertices++ : 0;
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t a = same[indices[3 * t]], b = same[indices[3 * t + 1]], c = same[indices[3 * t + 2]];
        if (a != b && b != c && c != a) triangles++;
    }
    if (triangles == 0) {
        rn_fail(RN_INVALID, "all %u triangles of a mesh have corners in the same place", triangle_count);
        return NULL;
    }
    rn_shape *shape = rn_shape_new(hooks, RN_SHAPE_MESH, (rn_vec3){0, 0, 0}, vertices, triangles);
    if (!shape) return NULL;
    for (uint32_t v = 0; v < vertex_count; v++) {
        if (same[v] != v) continue;
        memcpy(shape->positions + 3 * (size_t)number[v], positions + 3 * (size_t)v, 3 * sizeof *positions);
    }
    uint32_t *to = shape->indices;
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t a = same[indices[3 * t]], b = same[indices[3 * t + 1]], c = same[indices[3 * t + 2]];
        if (a == b || b == c || c == a) continue;
        *to++ = number[a];
        *to++ = number[b];
        *to++ = number[c];
    }
    return shape;
}

typedef struct edge {
    uint32_t low, high; /* its vertices */
    uint32_t falls;     /* 1: the triangle goes from the higher to the lower vertex */
} edge;

/* Compares by vertices, then by direction, for qsort. */
static int compare_edges(const void *a, const void *b) {
    const edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return (int)p->falls - (int)q->falls;
}

/* Returns RN_INVALID, with a message, unless every edge, in sorted order, has one triangle in each direction.
   triangles: their number, for the message. */
static rn_result check_edges(const edge *edges, size_t count, uint32_t triangles) {
    uint32_t open = 0, crowded = 0, turned = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        uint32_t falls = 0;
        for (end = begin; end < count && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high;
             end++) {
            falls += edges[end].falls;
        }
        open += end - begin == 1;
        crowded += end - begin > 2;
        turned += end - begin == 2 && falls != 1;
    }
    if (open + crowded + turned == 0) return RN_OK;
    return rn_fail(RN_INVALID,
                   "a mesh of %u triangles is not the closed surface of a solid: %u edges belong to one triangle, %u "
                   "to more than two, and %u to two that disagree about which side is outside; each edge must belong "
                   "to two triangles that agree",
                   triangles, open, crowded, turned);
}

/* Returns RN_INVALID, with a message, unless the surface of a shape is closed; or RN_MEMORY, with a message, if memory
   runs out before that is known. */
static rn_result check_closed(const rn_shape *shape, const rn_hooks *hooks) {
    const size_t count = 3 * (size_t)shape->info.triangle_count;
    edge *edges = rn_alloc(hooks, count, sizeof *edges);
    if (!edges) return RN_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = shape->indices[i], to = shape->indices[i % 3 < 2 ? i + 1 : i - 2];
        edges[i] = from < to ? (edge){from, to, 0} : (edge){to, from, 1};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    const rn_result result = check_edges(edges, count, shape->info.triangle_count);
    rn_free(hooks, edges);
    return result;
}

/* Measures a shape, and flips it, with a warning, if it is inside out. Returns RN_INVALID, with a message, if it has no
   volume compared to its size. */
static rn_result measure_outward(rn_shape *shape, const rn_hooks *hooks) {
    rn_shape_measure(shape);
    const rn_shape_info *info = &shape->info;
    const double x = info->high.x - info->low.x, y = info->high.y - info->low.y, z = info->high.z - info->low.z;
    const double size = rn_max(x, rn_max(y, z));
    if (!(fabs(info->volume) > LEAST_VOLUME * size * size * size)) {
        return rn_fail(RN_INVALID,
                       "a mesh of %u triangles, %g by %g by %g m, has a volume of %g m^3; it must enclose some",
                       info->triangle_count, x, y, z, info->volume);
    }
    if (info->volume > 0) return RN_OK;
    rn_log(hooks, RN_LOG_WARNING, "a mesh of %u triangles was inside out; all of them were reversed",
           info->triangle_count);
    for (size_t t = 0; t < info->triangle_count; t++) {
        const uint32_t other = shape->indices[3 * t + 1];
        shape->indices[3 * t + 1] = shape->indices[3 * t + 2];
        shape->indices[3 * t + 2] = other;
    }
    rn_shape_measure(shape);
    return RN_OK;
}

rn_shape *rn_shape_mesh(const float *positions, uint32_t vertex_count, const uint32_t *indices, uint32_t triangle_count,
                        const rn_hooks *hooks) {
    if (!RN_REQUIRE(hooks, positions && indices)) return NULL;
    if (check_input(positions, vertex_count, indices, triangle_count) != RN_OK) return NULL;
    uint32_t *same = first_at_position(positions, vertex_count, hooks),
             *number = rn_alloc(hooks, vertex_count, sizeof *number);
    rn_shape *shape = NULL;
    if (same && number)
        shape = make_welded_shape(positions, vertex_count, indices, triangle_count, same, number, hooks);
    rn_free(hooks, same);
    rn_free(hooks, number);
    if (shape && (check_closed(shape, hooks) != RN_OK || measure_outward(shape, hooks) != RN_OK)) {
        rn_shape_destroy(shape);
        shape = NULL;
    }
    return shape;
}
