/* Triangles while a file is being read (soup.h): vertices, corners, polygons cut into triangles, and the reply. */
#include "io/read/triangles/soup.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_EARS = 1000 }; /* corners of a polygon that is cut with care: the work grows with their square or more */
enum { MOST_FORCED = 16 }; /* cuts at corners that are no ears, in polygons that cross themselves */

/* A mesh is moved to the origin if it lies this many times its own size away: floats would round it by more than a
   millionth of that size. */
static const double far_away = 16;

rn_result rn_soup_vertex(rn_soup *soup, const double at[3]) {
    if (soup->vertex_count >= 3 * (size_t)RN_MOST_TRIANGLES)
        return rn_fail(RN_LIMIT, "%s: holds more than the %d vertices allowed", soup->path, 3 * RN_MOST_TRIANGLES);
    if (!rn_grow(NULL, &soup->positions, &soup->vertex_capacity, soup->vertex_count, 3 * sizeof *at)) return RN_MEMORY;
    memcpy(soup->positions + 3 * soup->vertex_count++, at, 3 * sizeof *at);
    return RN_OK;
}

rn_result rn_soup_triangle(rn_soup *soup, uint32_t a, uint32_t b, uint32_t c) {
    if (soup->triangle_count >= RN_MOST_TRIANGLES)
        return rn_fail(RN_LIMIT, "%s: holds more than the %d triangles allowed", soup->path, RN_MOST_TRIANGLES);
    const uint32_t ends[3] = {a < soup->vertex_count ? a : UINT32_MAX, b < soup->vertex_count ? b : UINT32_MAX,
                              c < soup->vertex_count ? c : UINT32_MAX};
    if (!rn_grow(NULL, &soup->indices, &soup->triangle_capacity, soup->triangle_count, sizeof ends)) return RN_MEMORY;
    memcpy(soup->indices + 3 * soup->triangle_count++, ends, sizeof ends);
    return RN_OK;
}

rn_result rn_soup_corner(rn_soup *soup, uint32_t vertex) {
    if (!rn_grow(NULL, &soup->corners, &soup->corner_capacity, soup->corner_count, sizeof vertex)) return RN_MEMORY;
    soup->corners[soup->corner_count++] = vertex;
    return RN_OK;
}

/* ---- Polygons ---- */

/* The plane in which a polygon is cut: the axes u and v, with u × v along the polygon's normal if `sign` is 1, and
   against it if -1. */
typedef struct plane {
    const rn_soup *soup;
    int u, v;
    double sign;
} plane;

/* Returns the plane of two axes in which the polygon being read has its largest area, by Newell's normal. */
static plane flatten(const rn_soup *soup) {
    double normal[3] = {0};
    for (size_t i = 0; i < soup->corner_count; i++) {
        const double *a = soup->positions + 3 * (size_t)soup->corners[i];
        const double *b = soup->positions + 3 * (size_t)soup->corners[(i + 1) % soup->corner_count];
        for (int axis = 0; axis < 3; axis++) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            normal[axis] += (a[u] - b[u]) * (a[v] + b[v]);
        }
    }
    int largest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (fabs(normal[axis]) > fabs(normal[largest])) largest = axis;
    return (plane){soup, (largest + 1) % 3, (largest + 2) % 3, normal[largest] < 0 ? -1 : 1};
}

/* Returns twice the area of the triangle of three vertices in the plane: above 0 if it turns the same way as the
   polygon. */
static double twice_area(const plane *p, uint32_t a, uint32_t b, uint32_t c) {
    const double *at = p->soup->positions;
    const double *pa = at + 3 * (size_t)a, *pb = at + 3 * (size_t)b, *pc = at + 3 * (size_t)c;
    return p->sign * ((pb[p->u] - pa[p->u]) * (pc[p->v] - pa[p->v]) - (pb[p->v] - pa[p->v]) * (pc[p->u] - pa[p->u]));
}

/* Whether no corner of the polygon is reflex. */
static bool is_convex(const plane *p) {
    const rn_soup *soup = p->soup;
    const size_t n = soup->corner_count;
    for (size_t i = 0; i < n; i++)
        if (twice_area(p, soup->corners[i], soup->corners[(i + 1) % n], soup->corners[(i + 2) % n]) < 0) return false;
    return true;
}

/* Whether the triangle at corner i can be cut off: it turns the same way as the polygon, and no other corner lies in
   it. */
static bool is_ear(const plane *p, size_t i) {
    const uint32_t *corners = p->soup->corners;
    const size_t n = p->soup->corner_count, before = (i + n - 1) % n, after = (i + 1) % n;
    const uint32_t a = corners[before], b = corners[i], c = corners[after];
    if (!(twice_area(p, a, b, c) > 0)) return false;
    for (size_t k = 0; k < n; k++) {
        const uint32_t at = corners[k];
        if (at == a || at == b || at == c) continue;
        if (twice_area(p, a, b, at) >= 0 && twice_area(p, b, c, at) >= 0 && twice_area(p, c, a, at) >= 0) return false;
    }
    return true;
}

/* Adds the triangle at corner i and removes the corner. On failure returns the result of rn_soup_triangle. */
static rn_result cut_corner(rn_soup *soup, size_t i) {
    const size_t n = soup->corner_count;
    const rn_result result =
        rn_soup_triangle(soup, soup->corners[(i + n - 1) % n], soup->corners[i], soup->corners[(i + 1) % n]);
    memmove(soup->corners + i, soup->corners + i + 1, (n - i - 1) * sizeof *soup->corners);
    soup->corner_count--;
    return result;
}

/* Cuts off ears until three corners are left, and adds all triangles. A polygon that crosses itself may have no ear:
   then any corner is cut off, and after 16 of those the rest becomes a fan. On failure returns the result of
   rn_soup_triangle. */
static rn_result cut_ears(rn_soup *soup, const plane *p) {
    rn_result result = RN_OK;
    size_t i = 0; /* goes on where the last ear was: from 0 each time would take the cube of the corners */
    int forced = 0;
    while (soup->corner_count > 3 && result == RN_OK && forced < MOST_FORCED) {
        const size_t n = soup->corner_count;
        size_t looked = 0;
        for (i %= n; looked < n && !is_ear(p, i); looked++) i = (i + 1) % n;
        forced += looked == n;
        result = cut_corner(soup, i);
    }
    for (i = 2; i < soup->corner_count && result == RN_OK; i++)
        result = rn_soup_triangle(soup, soup->corners[0], soup->corners[i - 1], soup->corners[i]);
    return result;
}

/* Whether all corners of the polygon being read are vertices with finite coordinates. */
static bool is_finite_polygon(const rn_soup *soup) {
    for (size_t i = 0; i < soup->corner_count; i++) {
        if (soup->corners[i] >= soup->vertex_count) return false;
        const double *at = soup->positions + 3 * (size_t)soup->corners[i];
        if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) return false;
    }
    return true;
}

rn_result rn_soup_polygon(rn_soup *soup) {
    rn_result result = RN_OK;
    const size_t n = soup->corner_count;
    bool fan = n <= 3 || n > MOST_EARS || !is_finite_polygon(soup);
    if (!fan) {
        const plane p = flatten(soup);
        fan = is_convex(&p);
        if (!fan) result = cut_ears(soup, &p);
    }
    for (size_t i = 2; fan && i < n && result == RN_OK; i++)
        result = rn_soup_triangle(soup, soup->corners[0], soup->corners[i - 1], soup->corners[i]);
    soup->corner_count = 0;
    return result;
}

/* ---- Messages and the reply ---- */

void rn_soup_warn(rn_soup *soup, const char *format, ...) {
    if (soup->warning[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(soup->warning, sizeof soup->warning, format, arguments);
    va_end(arguments);
}

rn_result rn_soup_refuse(const rn_soup *soup, int line, const char *format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return rn_fail(RN_FORMAT, "%s:%d: %s", soup->path, line, reason);
}

/* Sets the origin to whole numbers at or below the smallest coordinates of the vertices in use, if the mesh lies far
   from 0; to 0 otherwise. */
static void choose_origin(const rn_soup *soup, double origin[3]) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0, far = 0;
    for (size_t i = 0; i < 3 * soup->triangle_count; i++) {
        if (soup->indices[i] >= soup->vertex_count) continue;
        const double *at = soup->positions + 3 * (size_t)soup->indices[i];
        for (int axis = 0; axis < 3 && isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]); axis++) {
            low[axis] = fmin(low[axis], at[axis]);
            high[axis] = fmax(high[axis], at[axis]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        size = fmax(size, high[axis] - low[axis]);
        far = fmax(far, fmax(fabs(low[axis]), fabs(high[axis])));
    }
    const bool move = isfinite(far) && size > 0 && far > far_away * size && far < 1e12;
    for (int axis = 0; axis < 3; axis++) origin[axis] = move ? floor(low[axis]) : 0;
}

rn_result rn_soup_reply(const rn_soup *soup, rn_reply *reply) {
    rn_mesh_header head = {0};
    if (soup->triangle_count == 0) return rn_fail(RN_FORMAT, "%s: holds no triangles", soup->path);
    head.vertex_count = (uint32_t)soup->vertex_count;
    head.triangle_count = (uint32_t)soup->triangle_count;
    head.parts = soup->parts > 0 ? soup->parts : 1;
    choose_origin(soup, head.origin);
    snprintf(head.format, sizeof head.format, "%s", soup->format);
    snprintf(head.warning, sizeof head.warning, "%s", soup->warning);
    const size_t numbers = 3 * soup->vertex_count, ends = 3 * soup->triangle_count;
    reply->size = sizeof head + numbers * sizeof(float) + ends * sizeof(uint32_t);
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (!reply->bytes) return RN_MEMORY;
    memcpy(reply->bytes, &head, sizeof head);
    float *positions = (float *)((char *)reply->bytes + sizeof head);
    for (size_t i = 0; i < numbers; i++) positions[i] = (float)(soup->positions[i] - head.origin[i % 3]);
    memcpy(positions + numbers, soup->indices, ends * sizeof(uint32_t));
    return RN_OK;
}

void rn_soup_free(rn_soup *soup) {
    rn_free(NULL, soup->positions);
    rn_free(NULL, soup->indices);
    rn_free(NULL, soup->corners);
    *soup = (rn_soup){0};
}
