/* Finds the topmost triangle at each sample, one triangle after the other (overhead.h). */
#include "render/overhead.h"

#include "base/maths.h"
#include "base/memory.h"

/* Position x y z (m) of a corner, 0 to 2, of a triangle of the mesh. */
static const float *corner_of(const rn_mesh *mesh, size_t triangle, size_t corner) {
    return mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + corner];
}

bool rn_overhead_shares(const rn_mesh *mesh, size_t triangle, double x, double y, float shares[3]) {
    double twice[3], sum = 0;
    for (size_t i = 0; i < 3; i++) {
        const float *a = corner_of(mesh, triangle, (i + 1) % 3), *b = corner_of(mesh, triangle, (i + 2) % 3);
        twice[i] = ((double)a[0] - x) * ((double)b[1] - y) - ((double)b[0] - x) * ((double)a[1] - y);
        sum += twice[i];
    }
    if (sum <= 0 || twice[0] < 0 || twice[1] < 0 || twice[2] < 0) return false; /* seen from below, or beside it */
    for (int i = 0; i < 3; i++) shares[i] = (float)(twice[i] / sum);
    return true;
}

/* Finds the samples along an axis whose centres lie between low and high (m from the corner of the first square),
   within the `count` samples, `step` (m) apart: *first to *end - 1; none if *end <= *first. */
static void find_samples(double low, double high, double step, int count, int *first, int *end) {
    *first = (int)rn_clamp(ceil(low / step - 0.5), 0, count);
    *end = (int)rn_clamp(floor(high / step - 0.5) + 1, 0, count);
}

/* Writes triangle t and its height (m) to all samples that it covers and where it is the highest so far, unless it
   faces down. */
static void put_triangle(const rn_mesh *mesh, size_t t, rn_overhead *o) {
    double low[2], high[2];
    int x0, x1, y0, y1;
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = high[axis] = (double)corner_of(mesh, t, 0)[axis];
        for (size_t i = 1; i < 3; i++) {
            low[axis] = rn_min(low[axis], (double)corner_of(mesh, t, i)[axis]);
            high[axis] = rn_max(high[axis], (double)corner_of(mesh, t, i)[axis]);
        }
    }
    find_samples(low[0] - o->left, high[0] - o->left, o->step, o->width, &x0, &x1);
    find_samples(low[1] - o->below, high[1] - o->below, o->step, o->height, &y0, &y1);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            float shares[3], z = 0;
            if (!rn_overhead_shares(mesh, t, o->left + (x + 0.5) * o->step, o->below + (y + 0.5) * o->step, shares))
                continue;
            const size_t at = (size_t)y * (size_t)o->width + (size_t)x;
            for (size_t i = 0; i < 3; i++) z += shares[i] * corner_of(mesh, t, i)[2];
            if (o->triangle[at] != RN_NO_TRIANGLE && z <= o->top[at]) continue;
            o->top[at] = z;
            o->triangle[at] = (uint32_t)t;
        }
}

rn_result rn_overhead_take(const rn_mesh *mesh, rn_overhead *overhead) {
    const size_t samples = (size_t)overhead->width * (size_t)overhead->height;
    overhead->top = rn_alloc(NULL, samples, sizeof *overhead->top);
    overhead->triangle = rn_alloc(NULL, samples, sizeof *overhead->triangle);
    if (!overhead->top || !overhead->triangle) {
        rn_overhead_free(overhead);
        return RN_MEMORY;
    }
    for (size_t i = 0; i < samples; i++) overhead->triangle[i] = RN_NO_TRIANGLE;
    for (size_t t = 0; t < mesh->triangle_count; t++) put_triangle(mesh, t, overhead);
    return RN_OK;
}

void rn_overhead_free(rn_overhead *overhead) {
    rn_free(NULL, overhead->top);
    rn_free(NULL, overhead->triangle);
    overhead->top = NULL;
    overhead->triangle = NULL;
}
