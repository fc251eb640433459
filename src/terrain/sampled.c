/* Fields from samples: heights (bilinear) and distances (trilinear).

   The square of the slope of such an interpolant is convex along each axis of a cell, so its maximum over the cell
   is at one of the corners, given by the differences along the edges that meet there. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"

#include <string.h>

static const int64_t most_samples = INT64_C(1) << 31;

/* The index of the sample before a position (m) along one axis, at most count - 2 if there are two or more; *part: how
   far the position is towards the next, 0 to 1. Both are clamped to the samples. */
static int64_t locate_sample(double place, double origin, double spacing, int count, double *part) {
    double t = rn_clamp((place - origin) / spacing, 0, count - 1);
    int64_t before = (int64_t)t;
    if (before > count - 2) before = count > 1 ? count - 2 : 0;
    *part = t - (double)before;
    return before;
}

static double lerp(double a, double b, double t) { return a + t * (b - a); }

static double square(double x) { return x * x; }

/* The difference along the edge from sample i of a row of `count` to the next one (`ahead`) or from the previous one to
   i; 0 if there is none. `sample` points to sample i; samples of the row are `stride` apart. */
static double edge_difference(const float *sample, int i, int count, size_t stride, int ahead) {
    if (ahead ? i + 1 >= count : i == 0) return 0;
    return ahead ? (double)sample[stride] - (double)sample[0] : (double)sample[0] - (double)*(sample - stride);
}

/* Returns false, with an error text that names `what`, unless all `count` samples are finite and within RN_SDF_REACH
   (m). */
static bool check_samples(const float *samples, int64_t count, const char *what) {
    for (int64_t i = 0; i < count; i++)
        if (!(fabs((double)samples[i]) <= RN_SDF_REACH)) {
            rn_shape_fail(RN_INVALID, "%s %lld is %g m; all must lie between %g and %g m", what, (long long)i,
                          (double)samples[i], -RN_SDF_REACH, RN_SDF_REACH);
            return false;
        }
    return true;
}

typedef struct heightmap {
    rn_sdf node;
    float *heights;
    int nx, ny;
    double spacing, origin_x, origin_y;
    double stretch; /* sqrt(1 + G^2), G the steepest slope */
} heightmap;

/* The height (m) of a point above the ground, negative in solid: bilinear between samples and constant beyond them. */
static double heightmap_rise(const rn_sdf *self, rn_vec3 at) {
    const heightmap *map = (const heightmap *)self;
    double u, v;
    int64_t column = locate_sample(at.x, map->origin_x, map->spacing, map->nx, &u);
    int64_t row = locate_sample(at.y, map->origin_y, map->spacing, map->ny, &v);
    size_t right = map->nx > 1, up = map->ny > 1 ? (size_t)map->nx : 0;
    const float *h = map->heights + row * map->nx + column;
    double low = lerp((double)h[0], (double)h[right], u), high = lerp((double)h[up], (double)h[up + right], u);
    return at.z - lerp(low, high, v);
}

/* The rise (m) divided by the largest stretch, which is no more than the distance. */
static double heightmap_distance(const rn_sdf *self, rn_vec3 at) {
    return heightmap_rise(self, at) / ((const heightmap *)self)->stretch;
}

/* Frees the copy of the heights; rn_sdf_destroy frees the node itself. */
static void heightmap_release(rn_sdf *self) { rn_free(NULL, ((heightmap *)self)->heights); }

/* The length of the steepest gradient of the heights, as if samples were 1 m apart: divide by the spacing. */
static double steepest_slope(const float *heights, int nx, int ny) {
    double most = 0;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const float *h = heights + (size_t)y * (size_t)nx + x;
            for (int corner = 0; corner < 4; corner++)
                most = rn_max(most, square(edge_difference(h, x, nx, 1, corner & 1)) +
                                        square(edge_difference(h, y, ny, (size_t)nx, corner >> 1 & 1)));
        }
    return sqrt(most);
}

rn_sdf *rn_sdf_heightmap(const float *heights, int nx, int ny, double spacing, double origin_x, double origin_y) {
    static const rn_sdf_class type = {heightmap_distance, heightmap_rise, rn_sdf_leaf_heights, heightmap_release};
    if (!heights || nx < 1 || ny < 1) {
        rn_shape_fail(RN_INVALID, "the heightmap has %d x %d heights%s; it must have at least 1 x 1", nx, ny,
                      heights ? "" : " at NULL");
        return NULL;
    }
    if ((int64_t)nx * ny > most_samples) {
        rn_shape_fail(RN_LIMIT, "the heightmap has %d x %d heights; at most 2^31 are allowed", nx, ny);
        return NULL;
    }
    rn_vec3 first = {origin_x, origin_y, 0}, last = {origin_x + spacing * (nx - 1), origin_y + spacing * (ny - 1), 0};
    if (!rn_sdf_check_size(spacing, "spacing of the heightmap") ||
        !rn_sdf_check_place(first, "first corner of the heightmap") ||
        !rn_sdf_check_place(last, "last corner of the heightmap"))
        return NULL;
    size_t count = (size_t)nx * (size_t)ny;
    if (!check_samples(heights, (int64_t)count, "height")) return NULL;
    heightmap *map = rn_sdf_new(&type, sizeof *map);
    if (!map) return NULL;
    map->heights = rn_alloc(NULL, count, sizeof *map->heights);
    if (!map->heights) {
        rn_sdf_destroy(&map->node);
        return NULL;
    }
    memcpy(map->heights, heights, count * sizeof *heights);
    map->nx = nx;
    map->ny = ny;
    map->spacing = spacing;
    map->origin_x = origin_x;
    map->origin_y = origin_y;
    map->stretch = sqrt(1 + square(steepest_slope(heights, nx, ny) / spacing));
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = rn_min(low, (double)heights[i]);
        high = rn_max(high, (double)heights[i]);
    }
    rn_sdf_set_slab(&map->node, (rn_vec3){0, 0, 1}, low, high, map->stretch);
    return &map->node;
}

typedef struct grid {
    rn_sdf node;
    float *distances;
    int nx, ny, nz;
    double spacing;
    rn_vec3 origin;
    rn_box box;         /* around the samples */
    double shrink;      /* makes samples that are not distances 1-Lipschitz: 1 or less */
    double rim_deepest; /* m, lowest value on the faces of the box after shrinking, at most 0 */
} grid;

/* The field (m): inside the box the samples, trilinear. Outside, with the value v at the nearest point p of the box,
   the distance d to p and the lowest possible value m, the field is m + sqrt(d^2 + (v - m)^2). It continues v, and
   because v changes only at right angles to d, it stays 1-Lipschitz (v + d would not). */
static double grid_distance(const rn_sdf *self, rn_vec3 at) {
    const grid *field = (const grid *)self;
    double u, v, w;
    int64_t x = locate_sample(at.x, field->origin.x, field->spacing, field->nx, &u);
    int64_t y = locate_sample(at.y, field->origin.y, field->spacing, field->ny, &v);
    int64_t z = locate_sample(at.z, field->origin.z, field->spacing, field->nz, &w);
    int64_t row = field->nx, layer = row * field->ny;
    const float *d = field->distances + z * layer + y * row + x;
    double low = lerp(lerp((double)d[0], (double)d[1], u), lerp((double)d[row], (double)d[row + 1], u), v);
    d += layer;
    double high = lerp(lerp((double)d[0], (double)d[1], u), lerp((double)d[row], (double)d[row + 1], u), v);
    double value = lerp(low, high, w) * field->shrink;
    double off_x = rn_max(rn_max(field->box.low.x - at.x, at.x - field->box.high.x), 0);
    double off_y = rn_max(rn_max(field->box.low.y - at.y, at.y - field->box.high.y), 0);
    double off_z = rn_max(rn_max(field->box.low.z - at.z, at.z - field->box.high.z), 0);
    double off = rn_length3(off_x, off_y, off_z);
    return off > 0 ? field->rim_deepest + rn_length2(off, value - field->rim_deepest) : value;
}

/* Frees the copy of the distances; rn_sdf_destroy frees the node itself. */
static void grid_release(rn_sdf *self) { rn_free(NULL, ((grid *)self)->distances); }

/* Sets from all samples how much to shrink them, the lowest value on the faces, and the bounds of the solid, which are
   the box if nothing is solid. */
static void measure_grid(grid *field) {
    double most = 0, deepest = 0, spacing = field->spacing;
    rn_box solid = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    size_t row = (size_t)field->nx, layer = row * (size_t)field->ny;
    const float *d = field->distances;
    for (int z = 0; z < field->nz; z++)
        for (int y = 0; y < field->ny; y++)
            for (int x = 0; x < field->nx; x++, d++) {
                for (int corner = 0; corner < 8; corner++)
                    most = rn_max(most, square(edge_difference(d, x, field->nx, 1, corner & 1)) +
                                            square(edge_difference(d, y, field->ny, row, corner >> 1 & 1)) +
                                            square(edge_difference(d, z, field->nz, layer, corner >> 2 & 1)));
                if (*d > 0) continue;
                bool face =
                    x == 0 || y == 0 || z == 0 || x == field->nx - 1 || y == field->ny - 1 || z == field->nz - 1;
                if (face) deepest = rn_min(deepest, (double)*d);
                rn_vec3 at = {field->origin.x + x * spacing, field->origin.y + y * spacing,
                              field->origin.z + z * spacing};
                solid.low = (rn_vec3){rn_min(solid.low.x, at.x), rn_min(solid.low.y, at.y), rn_min(solid.low.z, at.z)};
                solid.high =
                    (rn_vec3){rn_max(solid.high.x, at.x), rn_max(solid.high.y, at.y), rn_max(solid.high.z, at.z)};
            }
    field->shrink = 1 / rn_max(1, sqrt(most) / spacing);
    field->rim_deepest = deepest * field->shrink;
    if (deepest < 0) field->node.bounds = rn_box_grow(field->box, -field->rim_deepest);
    else if (solid.low.x <= solid.high.x) field->node.bounds = rn_box_grow(solid, spacing);
    else field->node.bounds = field->box;
}

rn_sdf *rn_sdf_grid(const float *distances, int nx, int ny, int nz, double spacing, rn_vec3 origin) {
    static const rn_sdf_class type = {grid_distance, grid_distance, rn_sdf_leaf_heights, grid_release};
    if (!distances || nx < 2 || ny < 2 || nz < 2) {
        rn_shape_fail(RN_INVALID, "the distance grid has %d x %d x %d samples%s; it must have at least 2 x 2 x 2", nx,
                      ny, nz, distances ? "" : " at NULL");
        return NULL;
    }
    if ((int64_t)nx * ny > most_samples / nz) {
        rn_shape_fail(RN_LIMIT, "the distance grid has %d x %d x %d samples; at most 2^31 are allowed", nx, ny, nz);
        return NULL;
    }
    rn_vec3 last = {origin.x + spacing * (nx - 1), origin.y + spacing * (ny - 1), origin.z + spacing * (nz - 1)};
    if (!rn_sdf_check_size(spacing, "spacing of the distance grid") ||
        !rn_sdf_check_place(origin, "first corner of the distance grid") ||
        !rn_sdf_check_place(last, "last corner of the distance grid"))
        return NULL;
    size_t count = (size_t)nx * (size_t)ny * (size_t)nz;
    if (!check_samples(distances, (int64_t)count, "distance")) return NULL;
    grid *field = rn_sdf_new(&type, sizeof *field);
    if (!field) return NULL;
    field->distances = rn_alloc(NULL, count, sizeof *field->distances);
    if (!field->distances) {
        rn_sdf_destroy(&field->node);
        return NULL;
    }
    memcpy(field->distances, distances, count * sizeof *distances);
    field->nx = nx;
    field->ny = ny;
    field->nz = nz;
    field->spacing = spacing;
    field->origin = origin;
    field->box = (rn_box){origin, last};
    measure_grid(field);
    return &field->node;
}
