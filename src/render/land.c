/* Makes the land around the ground (land.h). Each ring is the outline of the domain, enlarged about its middle. Heights
   begin with the profile of the ground along the edge and its slope outwards. The profile becomes smoother from ring to
   ring, until only its mean is left, and hills grow with distance. */
#include "render/land.h"

#include "base/memory.h"
#include "render/mottle.h"

#include <math.h>
#include <string.h>

enum { POINTS = RN_LAND_POINTS, SIDE = RN_LAND_SIDE, RINGS = RN_LAND_RINGS, EDGE = RN_LAND_EDGE };

/* By how much a ring is wider than the domain. The first two lie inside, at land->inset: there the mesh of the ground
   is bevelled. The very first lies below the ground, so that no gap is seen. */
static float wider(int ring) { return ring > EDGE ? 0.01f * powf(1.38f, (float)(ring - EDGE - 1)) : 0; }

/* Every how many points of a ring have vertices of their own; the others are interpolated. */
static int stride_of(int ring) { return ring < 9 ? 1 : ring < 13 ? 2 : 4; }

/* A point (m) of a ring. */
static void point_along(const rn_land *land, int ring, float along, float point[2]) {
    const float t = along / SIDE, part = 2 * (t - floorf(t)) - 1;
    const float square[4][2] = {{part, -1}, {1, part}, {-part, 1}, {-1, -part}};
    for (int k = 0; k < 2; k++) {
        const float half = 0.5f * (land->high[k] - land->low[k]) - (ring < EDGE ? land->inset : 0);
        point[k] = 0.5f * (land->low[k] + land->high[k]) + (1 + wider(ring)) * half * square[(int)t % 4][k];
    }
}

float rn_land_along(const rn_land *land, const float point[3]) {
    const float size[2] = {land->high[0] - land->low[0], land->high[1] - land->low[1]};
    const float x = (point[0] - land->low[0]) / size[0], y = (point[1] - land->low[1]) / size[1];
    const float near = 1e-4f, inside_x = fminf(fmaxf(x, 0), 1), inside_y = fminf(fmaxf(y, 0), 1);
    if (y < near) return SIDE * inside_x;
    if (x > 1 - near) return SIDE * (1 + inside_y);
    if (y > 1 - near) return SIDE * (3 - inside_x);
    return x < near ? SIDE * (4 - inside_y) : -1;
}

void rn_land_point(const rn_land *land, int ring, float along, float point[3]) {
    const int first = (int)along % POINTS, next = (first + 1) % POINTS;
    const float part = along - floorf(along), *row = land->positions + 3 * (size_t)ring * POINTS;
    point_along(land, ring, fmodf(along, POINTS), point);
    point[2] = row[3 * first + 2] + part * (row[3 * next + 2] - row[3 * first + 2]);
}

/* Raises the profile to a line between two points on one side of a rectangle. */
static void raise_profile(const rn_land *rectangle, const float a[3], const float b[3], float *profile) {
    float from = rn_land_along(rectangle, a), to = rn_land_along(rectangle, b);
    if (from < 0 || to < 0) return;
    if (fabsf(to - from) > 2 * SIDE) *(from < to ? &from : &to) += POINTS; /* across the first point */
    if (fabsf(to - from) > 1.01f * SIDE) return;
    const float step = from < to ? 1.0f : -1.0f, length = fmaxf(fabsf(to - from), 1e-6f);
    for (float at = step > 0 ? ceilf(from) : floorf(from); (to - at) * step >= 0; at += step) {
        float *height = &profile[(int)at % POINTS];
        *height = fmaxf(*height, a[2] + fabsf(at - from) / length * (b[2] - a[2]));
    }
}

/* Raises the profile to where a triangle crosses the plane in which coordinate `axis` is `at` (m). */
static void cross_plane(const rn_land *rectangle, const rn_mesh *ground, const uint32_t *corners, int axis, float at,
                        float *profile) {
    float crossings[3][3];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const float *a = ground->positions + 3 * (size_t)corners[i];
        const float *b = ground->positions + 3 * (size_t)corners[(i + 1) % 3];
        if ((a[axis] < at) == (b[axis] < at)) continue;
        const float part = (at - a[axis]) / (b[axis] - a[axis]);
        for (int k = 0; k < 3; k++) crossings[count][k] = a[k] + part * (b[k] - a[k]);
        crossings[count++][axis] = at;
    }
    if (count == 2) raise_profile(rectangle, crossings[0], crossings[1], profile);
}

/* Finds the highest points of the ground along a rectangle that lies this far (m) inside the domain. */
static void find_profile(const rn_land *land, const rn_mesh *ground, float inset, float lowest, float *profile) {
    rn_land rectangle = *land;
    for (int k = 0; k < 2; k++) {
        rectangle.low[k] += inset;
        rectangle.high[k] -= inset;
    }
    for (int i = 0; i < POINTS; i++) profile[i] = lowest;
    for (size_t t = 0; t < ground->triangle_count; t++)
        for (int side = 0; side < 4; side++) {
            const int axis = side / 2;
            const float at = side % 2 ? rectangle.high[axis] : rectangle.low[axis];
            cross_plane(&rectangle, ground, ground->indices + 3 * t, axis, at, profile);
        }
}

/* Replaces values along a ring by their means over `half` points to both sides. */
static void smooth_ring(float *values, int half) {
    float was[POINTS];
    double sum = 0;
    memcpy(was, values, sizeof was);
    for (int i = -half; i <= half; i++) sum += (double)was[(i + POINTS) % POINTS];
    for (int i = 0; i < POINTS; i++) {
        values[i] = (float)(sum / (2 * half + 1));
        sum += (double)(was[(i + half + 1) % POINTS] - was[(i - half + POINTS) % POINTS]);
    }
}

/* The height of hills (m) in this direction, in a ring. wide: m, half of the domain. */
static float hills_at(const float from_middle[2], float wide, float out) {
    const float far = sqrtf(from_middle[0] * from_middle[0] + from_middle[1] * from_middle[1]);
    const float at[3] = {3 * from_middle[0] / far, 3 * from_middle[1] / far, 2.2f * logf(1 + out)};
    return wide * 0.12f * out * out / ((0.7f + out) * (1 + 0.03f * out)) * rn_mottle(at, 1);
}

/* Sets the positions of all rings. */
static void place_rings(rn_land *land, float *profile, float *slopes) {
    const float wide = 0.25f * (land->high[0] - land->low[0] + land->high[1] - land->low[1]);
    smooth_ring(slopes, 1);
    for (int ring = 0; ring < RINGS; ring++) {
        float *row = land->positions + 3 * (size_t)ring * POINTS;
        const float out = wider(ring), sloping = 0.2f * wide * (1 - expf(-out / 0.2f));
        const float lift = land->inset * (ring == 0 ? -2 : ring == 1 ? 0.012f : 0.06f);
        const int half = ring > EDGE ? (int)fminf(1 + 0.05f * out * SIDE, 1.4f * SIDE) : 0, stride = stride_of(ring);
        smooth_ring(profile, half);
        smooth_ring(slopes, half);
        for (int i = 0; i < POINTS; i++) {
            float *p = row + 3 * i;
            point_along(land, ring, (float)i, p);
            const float from_middle[2] = {p[0] - 0.5f * (land->low[0] + land->high[0]),
                                          p[1] - 0.5f * (land->low[1] + land->high[1])};
            p[2] = profile[i] + hills_at(from_middle, wide, out) + lift;
            if (ring >= EDGE) p[2] += land->inset * slopes[i] + sloping * fminf(fmaxf(slopes[i], -0.5f), 0.4f);
        }
        for (int i = 0; i < POINTS; i++) {
            const int before = i - i % stride, after = (before + stride) % POINTS;
            const float part = (float)(i % stride) / (float)stride;
            if (i % stride) row[3 * i + 2] = row[3 * before + 2] + part * (row[3 * after + 2] - row[3 * before + 2]);
        }
    }
}

/* Sets normals from the differences between neighbours. */
static void find_normals(rn_land *land) {
    for (int ring = 0; ring < RINGS; ring++)
        for (int i = 0; i < POINTS; i++) {
            const int in = ring > 1 ? ring - 1 : 1,
                      out = ring < 2           ? 2
                            : ring + 1 < RINGS ? ring + 1
                                               : ring,
                      stride = stride_of(ring);
            const float *p[4] = {land->positions + 3 * (size_t)(ring * POINTS + (i + POINTS - stride) % POINTS),
                                 land->positions + 3 * (size_t)(ring * POINTS + (i + stride) % POINTS),
                                 land->positions + 3 * (size_t)(in * POINTS + i),
                                 land->positions + 3 * (size_t)(out * POINTS + i)};
            float u[3], v[3], *n = land->normals + 3 * (size_t)(ring * POINTS + i);
            for (int k = 0; k < 3; k++) {
                u[k] = p[3][k] - p[2][k];
                v[k] = p[1][k] - p[0][k];
            }
            n[0] = u[1] * v[2] - u[2] * v[1];
            n[1] = u[2] * v[0] - u[0] * v[2];
            n[2] = u[0] * v[1] - u[1] * v[0];
            const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (int k = 0; k < 3; k++) n[k] /= fmaxf(length, 1e-12f);
        }
}

/* Joins each ring to the next, which may have half as many vertices. */
static void join_rings(rn_land *land) {
    uint32_t *to = land->indices;
    for (int ring = 0; ring + 1 < RINGS; ring++) {
        const int fine = stride_of(ring), coarse = stride_of(ring + 1);
        const uint32_t in = (uint32_t)(ring * POINTS), out = in + POINTS;
        for (int i = 0; i < POINTS; i += coarse) {
            const uint32_t a = (uint32_t)i, b = (uint32_t)((i + coarse) % POINTS);
            const uint32_t middle =
                fine < coarse ? a + (uint32_t)fine : a; /* between a and b, or no point of its own */
            const uint32_t fan[9] = {in + a, out + a, out + b, in + middle, out + b,
                                     in + b, in + a,  out + b, in + middle};
            const size_t count = fine < coarse ? 9 : 6;
            memcpy(to, fan, count * sizeof *fan);
            to += count;
        }
    }
    land->index_count = (size_t)(to - land->indices);
}

rn_result rn_land_make(const rn_mesh *ground, const float low[3], const float high[3], rn_land *land) {
    float profile[POINTS], slopes[POINTS];
    rn_land_free(land);
    memcpy(land->low, low, sizeof land->low);
    memcpy(land->high, high, sizeof land->high);
    if (!(high[0] > low[0] && high[1] > low[1])) return RN_OK;
    const float width = high[0] - low[0], depth = high[1] - low[1];
    const float triangle = 2 * width * depth / fmaxf((float)ground->triangle_count, 1);
    land->inset = fminf(1.2f * sqrtf(triangle), 0.04f * fminf(width, depth));
    land->positions = rn_alloc(NULL, (size_t)RINGS * POINTS, 3 * sizeof *land->positions);
    land->normals = rn_alloc(NULL, (size_t)RINGS * POINTS, 3 * sizeof *land->normals);
    land->indices = rn_alloc(NULL, (size_t)RINGS * POINTS, 9 * sizeof *land->indices);
    if (!land->positions || !land->normals || !land->indices) {
        rn_land_free(land);
        return RN_MEMORY;
    }
    find_profile(land, ground, land->inset, low[2], profile);
    find_profile(land, ground, 2 * land->inset, low[2], slopes);
    for (int i = 0; i < POINTS; i++) slopes[i] = fminf(fmaxf((profile[i] - slopes[i]) / land->inset, -0.7f), 0.7f);
    place_rings(land, profile, slopes);
    find_normals(land);
    join_rings(land);
    return RN_OK;
}

void rn_land_free(rn_land *land) {
    rn_free(NULL, land->positions);
    rn_free(NULL, land->normals);
    rn_free(NULL, land->indices);
    *land = (rn_land){0};
}
