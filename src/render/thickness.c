/* Averages the thickness of each vertex with that of its neighbours (thickness.h). */
#include "render/thickness.h"

#include "base/memory.h"

enum { PASSES = 6 };

rn_result rn_thickness_smooth(const rn_mesh *surface, float *thick) {
    const size_t count = surface->vertex_count;
    float(*sums)[2] = rn_alloc(NULL, count, sizeof *sums);
    if (!sums) return RN_MEMORY;
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t v = 0; v < count; v++) sums[v][0] = thick[v], sums[v][1] = 1.0f;
        for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) { /* each edge belongs to two triangles */
            const uint32_t a = surface->indices[i], b = surface->indices[i % 3 == 2 ? i - 2 : i + 1];
            sums[a][0] += thick[b], sums[a][1] += 1.0f;
        }
        for (size_t v = 0; v < count; v++) thick[v] = sums[v][0] / sums[v][1];
    }
    rn_free(NULL, sums);
    return RN_OK;
}
