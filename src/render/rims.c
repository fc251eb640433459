/* The rim of the liquid follows the cells, also where a wall or a shore runs across them, so normals beside it differ
   from cell to cell, and mirrored lamps break up into saw-teeth. Along the rim they are smoothed (rims.h). Ridges as
   narrow as a cell break up in the same way, and ripples as short as that flicker: everywhere else normals are smoothed
   a little.

   The triangles around a vertex inside the surface form a closed ring: each of the other corners ends one triangle and
   begins the next. So a sum over the triangles, plus a number of the corner that begins and minus one of the corner
   that ends, is 0, and at vertices of the rim it is not. */
#include "render/rims.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { RINGS = 3, INSIDE = 0xff };      /* rings of vertices along the rim, with the rim itself; all others */
enum { PASSES = 6, INSIDE_PASSES = 1 }; /* how often the normals of rings, and of all vertices, are smoothed */

/* A hash of a vertex: a sum of a few hashes, some of them negative, is 0 only if each cancels itself. The numbers of
   the vertices would not do: 1 + 3 - 2 - 2 is 0, too. */
static uint32_t number_of(uint32_t vertex) {
    uint32_t x = (vertex + 1) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}

/* Sets `ring` of each vertex: its number of edges from the rim, or INSIDE if that is RINGS or more. sums: room for a
   number per vertex, all 0. */
static void find_rings(const rn_mesh *m, uint32_t triangles, uint32_t *sums, uint8_t *ring) {
    for (uint32_t t = 0; t < triangles; t++) {
        const uint32_t *corners = m->indices + 3 * (size_t)t;
        for (int k = 0; k < 3; k++)
            sums[corners[k]] += number_of(corners[(k + 1) % 3]) - number_of(corners[(k + 2) % 3]);
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) ring[v] = sums[v] ? 0 : INSIDE;
    for (uint8_t next = 1; next < RINGS; next++)
        for (uint32_t i = 0; i < 3 * triangles; i++) {
            const uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
            if (ring[a] == next - 1 && ring[b] == INSIDE) ring[b] = next;
            if (ring[b] == next - 1 && ring[a] == INSIDE) ring[a] = next;
        }
}

/* Adds to the sums of two vertices the normals of each other. */
static void exchange(const float *normals, float *sums, uint32_t a, uint32_t b, float weight) {
    for (uint32_t k = 0; k < 3; k++) {
        sums[3 * (size_t)a + k] += weight * normals[3 * (size_t)b + k];
        sums[3 * (size_t)b + k] += weight * normals[3 * (size_t)a + k];
    }
}

/* One pass: each normal of a ring is replaced by the unit vector along the sum of itself and its neighbours' normals,
   of which those of other rings count less. Edges of the rim belong to one triangle, others to two, and count twice.
   inside: normals of no ring are replaced, too. */
static void smooth_once(const rn_mesh *m, uint32_t triangles, const uint8_t *ring, bool inside, float *sums,
                        float *normals) {
    memcpy(sums, normals, 3 * (size_t)m->vertex_count * sizeof *sums);
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (ring[a] == INSIDE && ring[b] == INSIDE && !inside) continue;
        exchange(normals, sums, a, b, ring[a] != ring[b] ? 0.15f : ring[a] ? 0.25f : 0.5f);
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        const float *s = sums + 3 * (size_t)v;
        const float size = sqrtf(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        if ((ring[v] == INSIDE && !inside) || !(size > 0.1f)) continue;
        for (uint32_t k = 0; k < 3; k++) normals[3 * (size_t)v + k] = s[k] / size;
    }
}

/* One pass for menisci, like smooth_once: directions and angles count by their share. The shares stay: they follow from
   the distance to the contact line, which differs along a ring. sums: three numbers per vertex and the share. */
static void smooth_menisci_once(const rn_mesh *m, uint32_t triangles, const uint8_t *ring, float *sums,
                                float *menisci) {
    for (size_t v = 0; v < m->vertex_count; v++) {
        const float *from = menisci + 4 * v, share = from[3];
        const float all[4] = {share * from[0], share * from[1], share * from[2], share};
        memcpy(sums + 4 * v, all, sizeof all);
    }
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (ring[a] != ring[b] || ring[a] == INSIDE) continue;
        const float *one = menisci + 4 * (size_t)a, *other = menisci + 4 * (size_t)b, weight = ring[a] ? 0.25f : 0.5f;
        float *to_one = sums + 4 * (size_t)a, *to_other = sums + 4 * (size_t)b;
        for (int k = 0; k < 4; k++) {
            to_one[k] += weight * other[3] * (k < 3 ? other[k] : 1);
            to_other[k] += weight * one[3] * (k < 3 ? one[k] : 1);
        }
    }
    for (size_t v = 0; v < m->vertex_count; v++) {
        const float *s = sums + 4 * v, size = sqrtf(s[0] * s[0] + s[1] * s[1]);
        if (ring[v] == INSIDE || !(size > 1e-6f) || !(s[3] > 1e-6f)) continue;
        const float mean[3] = {s[0] / size, s[1] / size, s[2] / s[3]};
        memcpy(menisci + 4 * v, mean, sizeof mean);
    }
}

rn_result rn_rims_smooth(const rn_mesh *surface, uint32_t triangles, float *normals, float *menisci) {
    const size_t count = surface->vertex_count;
    float *sums = rn_alloc(NULL, count, 4 * sizeof *sums + sizeof(uint32_t) + 1);
    if (!sums) return RN_MEMORY;
    uint32_t *numbers = (uint32_t *)(void *)(sums + 4 * count);
    uint8_t *ring = (uint8_t *)(numbers + count);
    find_rings(surface, triangles, numbers, ring);
    for (int pass = 0; pass < PASSES; pass++)
        smooth_once(surface, triangles, ring, pass < INSIDE_PASSES, sums, normals);
    for (int pass = 0; menisci && pass < PASSES; pass++) smooth_menisci_once(surface, triangles, ring, sums, menisci);
    rn_free(NULL, sums);
    return RN_OK;
}
