/* Shapes of bodies: closed triangle meshes with their volume, centre and inertia.

   Interface: rn_shape_add, rn_shape_transform, rn_shape_paint, rn_shape_describe and rn_shape_destroy
   (include/runnel/bodies.h) for hosts; rn_shape_new, rn_shape_measure and rn_shape_copy (bodies/shape.h) for
   constructors and the world.

   Order of calls: a constructor (shape_simple.c, shape_mesh.c, hull.c) allocates a shape with rn_shape_new, fills
   vertices and triangles, and calls rn_shape_measure. Hosts may then join and paint shapes. rn_bodies_add copies the
   shape, so the host may destroy its own; a shape of a body never changes.

   rn_shape_measure finds bounds, volume, centre and inertia, the last three as sums over the tetrahedra between the
   triangles and the middle of the bounds: each is exact, and the parts outside cancel. rn_shape_add joins two shapes
   by appending; overlapping parts count twice in volume and inertia. rn_shape_transform makes a rotated and moved
   copy, by adding to an empty shape. Parts keep their kind, size and pose, which collisions and the 3D liquid use
   instead of triangles. */
#include "bodies/shape.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/quat.h"

#include <string.h>

rn_shape *rn_shape_new(const rn_hooks *hooks, rn_shape_kind kind, rn_vec3 size, size_t vertices, size_t triangles) {
    if (vertices > RN_SHAPE_MOST || triangles > RN_SHAPE_MOST) {
        rn_fail(RN_LIMIT, "a shape of %zu vertices and %zu triangles is too large; %u of each are allowed", vertices,
                triangles, RN_SHAPE_MOST);
        return NULL;
    }
    rn_shape *shape = rn_alloc(hooks, 1, sizeof *shape);
    if (!shape) return NULL;
    if (hooks) shape->hooks = *hooks;
    shape->positions = rn_alloc(hooks, 3 * vertices, sizeof *shape->positions);
    shape->indices = rn_alloc(hooks, 3 * triangles, sizeof *shape->indices);
    shape->parts = rn_alloc(hooks, 1, sizeof *shape->parts);
    if (!shape->positions || !shape->indices || !shape->parts) {
        rn_shape_destroy(shape);
        return NULL;
    }
    shape->info.vertex_count = (uint32_t)vertices;
    shape->info.triangle_count = (uint32_t)triangles;
    shape->info.part_count = 1;
    shape->parts[0] = (rn_shape_part){.kind = kind, .size = size, .turn = {0, 0, 0, 1}, .count = (uint32_t)triangles};
    return shape;
}

void rn_shape_destroy(rn_shape *shape) {
    if (!shape) return;
    const rn_hooks hooks = shape->hooks;
    rn_free(&hooks, shape->positions);
    rn_free(&hooks, shape->indices);
    rn_free(&hooks, shape->parts);
    rn_free(&hooks, shape);
}

/* Sets the bounding box (m) of a shape, which must have vertices. */
static void find_bounds(rn_shape_info *info, const float *positions) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = high[k] = (double)positions[k];
    for (uint32_t v = 1; v < info->vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            low[k] = rn_min(low[k], (double)positions[3 * v + (uint32_t)k]);
            high[k] = rn_max(high[k], (double)positions[3 * v + (uint32_t)k]);
        }
    }
    info->low = (rn_vec3){low[0], low[1], low[2]};
    info->high = (rn_vec3){high[0], high[1], high[2]};
}

/* Volume, and its first and second moments about a point. */
typedef struct moments {
    double volume, first[3], second[3][3];
} moments;

/* Volume (m^3) and moments of a closed shape about the point `about` (m): the sum over the tetrahedra between the
   triangles and that point; each is exact, and the parts outside cancel. Negative if it is inside out. */
static moments find_moments(const rn_shape *shape, const double about[3]) {
    moments m = {.volume = 0};
    for (uint32_t t = 0; t < shape->info.triangle_count; t++) {
        double p[3][3], sum[3];
        for (int c = 0; c < 3; c++) {
            const float *at = shape->positions + 3 * (size_t)shape->indices[3 * (size_t)t + (size_t)c];
            for (int k = 0; k < 3; k++) p[c][k] = (double)at[k] - about[k];
        }
        for (int k = 0; k < 3; k++) sum[k] = p[0][k] + p[1][k] + p[2][k];
        const double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                           p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        m.volume += det / 6;
        for (int i = 0; i < 3; i++) {
            m.first[i] += det / 24 * sum[i];
            for (int j = 0; j < 3; j++) {
                m.second[i][j] +=
                    det / 120 * (sum[i] * sum[j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
            }
        }
    }
    return m;
}

void rn_shape_measure(rn_shape *shape) {
    rn_shape_info *info = &shape->info;
    find_bounds(info, shape->positions);
    const double about[3] = {(info->low.x + info->high.x) / 2, (info->low.y + info->high.y) / 2,
                             (info->low.z + info->high.z) / 2};
    const moments m = find_moments(shape, about);
    info->volume = m.volume;
    double centre[3], spread[3][3];
    for (int k = 0; k < 3; k++) centre[k] = m.volume != 0 ? m.first[k] / m.volume : 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) spread[i][j] = m.second[i][j] - m.volume * centre[i] * centre[j];
    }
    const double trace = spread[0][0] + spread[1][1] + spread[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) info->inertia[i][j] = (i == j ? trace : 0) - spread[i][j];
    }
    info->centre = (rn_vec3){about[0] + centre[0], about[1] + centre[1], about[2] + centre[2]};
    double radius = 0;
    for (uint32_t v = 0; v < info->vertex_count; v++) {
        const float *at = shape->positions + 3 * (size_t)v;
        const double x = (double)at[0] - info->centre.x, y = (double)at[1] - info->centre.y;
        const double z = (double)at[2] - info->centre.z;
        radius = rn_max(radius, x * x + y * y + z * z);
    }
    info->radius = sqrt(radius);
}

rn_shape *rn_shape_copy(const rn_shape *shape, const rn_hooks *hooks) {
    const rn_shape_info *info = &shape->info;
    rn_shape *copy = rn_shape_new(hooks, RN_SHAPE_MESH, (rn_vec3){0, 0, 0}, info->vertex_count, info->triangle_count);
    rn_shape_part *parts = rn_alloc(hooks, (size_t)info->part_count, sizeof *parts);
    if (!copy || !parts) {
        rn_free(hooks, parts);
        rn_shape_destroy(copy);
        return NULL;
    }
    memcpy(copy->positions, shape->positions, 3 * (size_t)info->vertex_count * sizeof *copy->positions);
    memcpy(copy->indices, shape->indices, 3 * (size_t)info->triangle_count * sizeof *copy->indices);
    memcpy(parts, shape->parts, (size_t)info->part_count * sizeof *parts);
    rn_free(hooks, copy->parts);
    copy->parts = parts;
    copy->info = *info;
    return copy;
}

/* Writes vertices, triangles and parts of `shape`, and then those of `part`, rotated and moved (m), to `whole`, whose
   arrays have room for both. Does not set the counts of `whole`. */
static void append_part(const rn_shape *shape, const rn_shape *part, rn_vec3 at, rn_quat turn, rn_shape *whole) {
    const rn_shape_info *had = &shape->info, *more = &part->info;
    double rows[3][3];
    rn_quat_rows(turn, rows);
    memcpy(whole->positions, shape->positions, 3 * (size_t)had->vertex_count * sizeof *whole->positions);
    memcpy(whole->indices, shape->indices, 3 * (size_t)had->triangle_count * sizeof *whole->indices);
    memcpy(whole->parts, shape->parts, (size_t)had->part_count * sizeof *whole->parts);
    float *to = whole->positions + 3 * (size_t)had->vertex_count;
    for (size_t v = 0; v < more->vertex_count; v++) {
        const float *p = part->positions + 3 * v;
        const rn_vec3 q = rn_rows_rotate(rows, (rn_vec3){(double)p[0], (double)p[1], (double)p[2]});
        *to++ = (float)(q.x + at.x);
        *to++ = (float)(q.y + at.y);
        *to++ = (float)(q.z + at.z);
    }
    uint32_t *index = whole->indices + 3 * (size_t)had->triangle_count;
    for (size_t i = 0; i < 3 * (size_t)more->triangle_count; i++) index[i] = part->indices[i] + had->vertex_count;
    for (int i = 0; i < more->part_count; i++) {
        rn_shape_part p = part->parts[i];
        const rn_vec3 moved = rn_rows_rotate(rows, p.at);
        p.at = (rn_vec3){moved.x + at.x, moved.y + at.y, moved.z + at.z};
        p.turn = rn_quat_multiply(rn_quat_unit(turn), p.turn);
        p.first += had->triangle_count;
        whole->parts[had->part_count + i] = p;
    }
}

/* Whether each coordinate of a position is within +-RN_SHAPE_FARTHEST, and a rotation is finite. The rotation need not
   have unit length; even 0 is allowed, and means no rotation. */
static bool is_valid_placement(rn_vec3 at, rn_quat turn) {
    const double most = RN_SHAPE_FARTHEST;
    return fabs(at.x) <= most && fabs(at.y) <= most && fabs(at.z) <= most && isfinite(turn.x) && isfinite(turn.y) &&
           isfinite(turn.z) && isfinite(turn.w);
}

rn_result rn_shape_add(rn_shape *shape, const rn_shape *part, rn_vec3 at, rn_quat turn) {
    if (!RN_REQUIRE(shape ? &shape->hooks : NULL, shape && part)) return RN_INVALID;
    if (!is_valid_placement(at, turn)) {
        return rn_fail(RN_INVALID,
                       "a part has the position (%g, %g, %g) m and the rotation (%g, %g, %g, %g); all must be finite, "
                       "and coordinates at most %g m",
                       at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w, RN_SHAPE_FARTHEST);
    }
    const size_t part_count = (size_t)shape->info.part_count + (size_t)part->info.part_count;
    const size_t vertices = (size_t)shape->info.vertex_count + part->info.vertex_count;
    const size_t triangles = (size_t)shape->info.triangle_count + part->info.triangle_count;
    rn_shape *whole = rn_shape_new(&shape->hooks, RN_SHAPE_MESH, (rn_vec3){0, 0, 0}, vertices, triangles);
    if (!whole) return vertices > RN_SHAPE_MOST || triangles > RN_SHAPE_MOST ? RN_LIMIT : RN_MEMORY;
    rn_free(&shape->hooks, whole->parts);
    whole->parts = rn_alloc(&shape->hooks, part_count, sizeof *whole->parts);
    if (!whole->parts) {
        rn_shape_destroy(whole);
        return RN_MEMORY;
    }
    append_part(shape, part, at, turn, whole);
    whole->info.part_count = (int)part_count;
    rn_shape_measure(whole);
    const rn_shape old = *shape;
    *shape = *whole;
    *whole = old;
    rn_shape_destroy(whole);
    return RN_OK;
}

rn_shape *rn_shape_transform(const rn_shape *shape, rn_vec3 at, rn_quat turn) {
    if (!RN_REQUIRE(NULL, shape)) return NULL;
    rn_shape *whole = rn_shape_new(&shape->hooks, RN_SHAPE_MESH, (rn_vec3){0, 0, 0}, 0, 0);
    if (!whole) return NULL;
    whole->info.part_count = 0;
    if (rn_shape_add(whole, shape, at, turn) == RN_OK) return whole;
    rn_shape_destroy(whole);
    return NULL;
}

/* Whether a colour is not all 0, which means none. */
static bool is_painted(rn_vec3 colour) { return colour.x != 0 || colour.y != 0 || colour.z != 0; }

void rn_shape_paint(rn_shape *shape, rn_vec3 colour) {
    if (!RN_REQUIRE(NULL, shape)) return;
    for (int i = 0; i < shape->info.part_count; i++)
        if (!is_painted(shape->parts[i].colour)) shape->parts[i].colour = colour;
}

rn_shape_info rn_shape_describe(const rn_shape *shape) {
    if (!RN_REQUIRE(NULL, shape)) return (rn_shape_info){.volume = 0};
    rn_shape_info info = shape->info;
    info.positions = shape->positions;
    info.indices = shape->indices;
    info.parts = shape->parts;
    return info;
}
