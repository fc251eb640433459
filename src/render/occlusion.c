/* Ambient occlusion (occlusion.h): makes the grids of solid shares from the ground's mesh, then looks through them
   along cones. */
#include "render/occlusion.h"

#include "base/memory.h"

#include <math.h>

enum { LONGEST = 128 };

/* The solid share of box (x, y, z) of a level, which must be within it. */
static float *box_share(const rn_occlusion *o, int level, int x, int y, int z) {
    return o->solid[level] + ((size_t)z * (size_t)o->ny[level] + (size_t)y) * (size_t)o->nx[level] + x;
}

/* Counts a triangle that crosses the vertical line through the centre of the stack of boxes (x, y) at `height` (m):
   with sign 1 everything below is solid, with -1 open. Stores differences from box to box, which sum_downwards adds up;
   the box at that height gets a part. A crossing above the highest box fills that box too; one below the lowest box is
   ignored. */
static void count_crossing(rn_occlusion *o, int x, int y, float height, float sign) {
    const float z = (height - o->low[2]) / o->step;
    const int whole = (int)floorf(z);
    if (whole < 0) return;
    const float part = z - (float)whole;
    const int top = o->nz[0] - 1;
    if (whole > top) {
        *box_share(o, 0, x, y, top) += sign;
        return;
    }
    *box_share(o, 0, x, y, whole) += sign * part;
    if (whole > 0) *box_share(o, 0, x, y, whole - 1) += sign * (1 - part);
}

/* Counts a triangle with these corners (m) on all vertical lines through the centres of boxes that cross it: as the top
   of solid if the triangle faces up, as the underside of solid if the triangle faces down. Vertical triangles do not
   count. */
static void count_triangle(rn_occlusion *o, const float *a, const float *b, const float *c) {
    const float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (fabsf(area) < 1e-12f * o->step * o->step) return;
    int first[2], last[2];
    const int most[2] = {o->nx[0] - 1, o->ny[0] - 1};
    for (int i = 0; i < 2; i++) {
        const float low = fminf(a[i], fminf(b[i], c[i])) - o->low[i], high = fmaxf(a[i], fmaxf(b[i], c[i])) - o->low[i];
        first[i] = (int)fmaxf(ceilf(low / o->step - 0.5f), 0);
        last[i] = (int)fminf(floorf(high / o->step - 0.5f), (float)most[i]);
    }
    for (int y = first[1]; y <= last[1]; y++)
        for (int x = first[0]; x <= last[0]; x++) {
            const float px = o->low[0] + ((float)x + 0.5f) * o->step, py = o->low[1] + ((float)y + 0.5f) * o->step;
            const float u = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / area;
            const float v = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / area;
            const float w = 1 - u - v;
            if (u < 0 || v < 0 || w < 0) continue;
            count_crossing(o, x, y, u * a[2] + v * b[2] + w * c[2], area > 0 ? 1.0f : -1.0f);
        }
}

/* Turns the differences of the finest level into solid shares, clamped to 0..1, from the top down. */
static void sum_downwards(rn_occlusion *o) {
    for (int y = 0; y < o->ny[0]; y++)
        for (int x = 0; x < o->nx[0]; x++) {
            float sum = 0;
            for (int z = o->nz[0] - 1; z >= 0; z--) {
                float *here = box_share(o, 0, x, y, z);
                sum += *here;
                *here = fminf(fmaxf(sum, 0), 1);
            }
        }
}

/* Fills a level, 1 or more, from the finer one before it: means of eight boxes. */
static void make_coarser(rn_occlusion *o, int level) {
    const int fine = level - 1;
    for (int z = 0; z < o->nz[level]; z++)
        for (int y = 0; y < o->ny[level]; y++)
            for (int x = 0; x < o->nx[level]; x++) {
                float sum = 0;
                for (int i = 0; i < 8; i++) {
                    const int u = 2 * x + (i & 1), v = 2 * y + (i >> 1 & 1), w = 2 * z + (i >> 2);
                    sum += *box_share(o, fine, u, v, w);
                }
                *box_share(o, level, x, y, z) = sum / 8;
            }
}

/* Sets position and size (m) of boxes, and their number on each level, so that they cover this ground, which must have
   vertices: 128 along its longest side, or a few more. Allocates nothing. */
static void measure_boxes(rn_occlusion *o, const rn_mesh *ground) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    for (size_t v = 0; v < ground->vertex_count; v++)
        for (int i = 0; i < 3; i++) {
            low[i] = fminf(low[i], ground->positions[3 * v + (size_t)i]);
            high[i] = fmaxf(high[i], ground->positions[3 * v + (size_t)i]);
        }
    for (int i = 0; i < 3; i++) longest = fmaxf(longest, high[i] - low[i]);
    o->step = fmaxf(longest / LONGEST, 1e-9f);
    int *const sizes[3] = {o->nx, o->ny, o->nz};
    for (int i = 0; i < 3; i++) {
        o->low[i] = low[i];
        const int needed = (int)((high[i] - low[i]) / o->step) + 1, coarsest = 1 << (RN_OCCLUSION_LEVELS - 1);
        sizes[i][0] = (needed + coarsest - 1) / coarsest * coarsest; /* each level is exactly half of the one before */
        for (int level = 1; level < RN_OCCLUSION_LEVELS; level++) sizes[i][level] = sizes[i][level - 1] / 2;
    }
}

rn_result rn_occlusion_make(const rn_mesh *ground, rn_occlusion *occlusion) {
    rn_occlusion_free(occlusion);
    if (!ground->vertex_count) return RN_OK;
    measure_boxes(occlusion, ground);
    for (int level = 0; level < RN_OCCLUSION_LEVELS; level++) {
        const size_t count = (size_t)occlusion->nx[level] * (size_t)occlusion->ny[level] * (size_t)occlusion->nz[level];
        occlusion->solid[level] = rn_alloc(NULL, count, sizeof(float));
        if (!occlusion->solid[level]) {
            rn_occlusion_free(occlusion);
            return RN_MEMORY;
        }
    }
    for (size_t t = 0; t < ground->triangle_count; t++) {
        const uint32_t *i = ground->indices + 3 * t;
        const float *p = ground->positions;
        count_triangle(occlusion, p + 3 * (size_t)i[0], p + 3 * (size_t)i[1], p + 3 * (size_t)i[2]);
    }
    sum_downwards(occlusion);
    for (int level = 1; level < RN_OCCLUSION_LEVELS; level++) make_coarser(occlusion, level);
    return RN_OK;
}

void rn_occlusion_free(rn_occlusion *occlusion) {
    for (int level = 0; level < RN_OCCLUSION_LEVELS; level++) rn_free(NULL, occlusion->solid[level]);
    *occlusion = (rn_occlusion){0};
}

/* The solid share of a level at a point (m), linear between the centres of boxes; 0 outside of them. */
static float solid_at(const rn_occlusion *o, int level, float x, float y, float z) {
    const float scale = 1 / (o->step * (float)(1 << level));
    const float p[3] = {(x - o->low[0]) * scale - 0.5f, (y - o->low[1]) * scale - 0.5f, (z - o->low[2]) * scale - 0.5f};
    const int size[3] = {o->nx[level], o->ny[level], o->nz[level]};
    int at[3];
    float part[3];
    for (int i = 0; i < 3; i++) {
        const float whole = floorf(p[i]);
        if (!(whole >= -1) || !(whole < (float)size[i])) return 0;
        at[i] = (int)whole;
        part[i] = p[i] - whole;
    }
    float sum = 0;
    for (int i = 0; i < 8; i++) {
        const int u = at[0] + (i & 1), v = at[1] + (i >> 1 & 1), w = at[2] + (i >> 2);
        if (u < 0 || v < 0 || w < 0 || u >= size[0] || v >= size[1] || w >= size[2]) continue;
        sum += *box_share(o, level, u, v, w) * (i & 1 ? part[0] : 1 - part[0]) * (i & 2 ? part[1] : 1 - part[1]) *
               (i & 4 ? part[2] : 1 - part[2]);
    }
    return sum;
}

/* The share (0 to 1) of light that comes to `from` (m) through a cone along `direction` (unit vector), as wide as it is
   long. It samples boxes twice as large at every doubling of the distance. */
static float light_through_cone(const rn_occlusion *o, const float from[3], const float direction[3]) {
    float left = 1, far = 1.7f * o->step;
    for (int level = 0; level < RN_OCCLUSION_LEVELS; level++) {
        left *= 1 - solid_at(o, level, from[0] + far * direction[0], from[1] + far * direction[1],
                             from[2] + far * direction[2]);
        far *= 2;
    }
    return left;
}

/* Sets u and v to two unit vectors perpendicular to a normal of unit length and to each other. */
static void perpendicular_pair(const float n[3], float u[3], float v[3]) {
    const float s = n[2] < 0 ? -1.0f : 1.0f, a = -1 / (s + n[2]), b = n[0] * n[1] * a;
    u[0] = 1 + s * n[0] * n[0] * a;
    u[1] = s * b;
    u[2] = -s * n[0];
    v[0] = b;
    v[1] = s + n[1] * n[1] * a;
    v[2] = -n[1];
}

float rn_occlusion_open(const rn_occlusion *occlusion, const float position[3], const float normal[3]) {
    if (!occlusion->solid[0]) return 1;
    enum { AROUND = 5 };
    static const float turns[AROUND][2] = {
        {1, 0}, {0.309017f, 0.951057f}, {-0.809017f, 0.587785f}, {-0.809017f, -0.587785f}, {0.309017f, -0.951057f}};
    float u[3], v[3], from[3], sum;
    perpendicular_pair(normal, u, v);
    for (int i = 0; i < 3; i++) from[i] = position[i] + 0.6f * occlusion->step * normal[i];
    sum = light_through_cone(occlusion, from, normal);
    for (int k = 0; k < AROUND; k++) { /* at 60 degrees: each has half the weight of the one straight ahead */
        float d[3];
        for (int i = 0; i < 3; i++) d[i] = 0.5f * normal[i] + 0.866025f * (turns[k][0] * u[i] + turns[k][1] * v[i]);
        sum += 0.5f * light_through_cone(occlusion, from, d);
    }
    return sum / (1 + 0.5f * AROUND);
}

float rn_occlusion_ahead(const rn_occlusion *occlusion, const float position[3], const float normal[3]) {
    if (!occlusion->solid[0]) return 1;
    float left = 1, far = 2.5f * occlusion->step;
    for (int level = 1; level < RN_OCCLUSION_LEVELS - 1; level++) {
        left *= 1 - solid_at(occlusion, level, position[0] + far * normal[0], position[1] + far * normal[1],
                             position[2] + far * normal[2]);
        far *= 2;
    }
    return left;
}
