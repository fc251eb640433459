/* Follows rays through the columns and the bodies of a frame. Interface: view/window/pick.h.

   pick_surface walks along the ray in steps of a quarter of a cell until it leaves the air. pick_body tests all
   triangles of all bodies. */
#include "view/window/pick.h"

#include "render/camera.h"

#include <math.h>

/* Returns half the height (m) of what the picture shows at a distance of 1 m; for parallel rays, at any distance. */
static double half_height(const rn_camera *camera) {
    return camera->angle > 0 ? tan(0.5 * camera->angle * 0.017453292519943295769) : 0.5 * camera->span;
}

pick_ray pick_ray_at(const rn_camera *camera, double x, double y, double width, double height) {
    const rn_frame axes = rn_camera_frame(camera);
    const double half = half_height(camera), right = (2 * x - width) / height * half, up = (1 - 2 * y / height) * half;
    const rn_vec3 aside = rn_sum(rn_times(axes.right, right), rn_times(axes.up, up));
    if (camera->angle > 0) return (pick_ray){camera->eye, rn_unit(rn_sum(axes.forward, aside))};
    return (pick_ray){rn_sum(camera->eye, aside), axes.forward};
}

bool pick_pixel(const rn_camera *camera, rn_vec3 at, double width, double height, double pixel[2]) {
    const rn_frame axes = rn_camera_frame(camera);
    const rn_vec3 to = rn_difference(at, camera->eye);
    const double depth = rn_inner(to, axes.forward), half = half_height(camera) * (camera->angle > 0 ? depth : 1);
    if (depth <= 0) return false;
    pixel[0] = 0.5 * (width + rn_inner(to, axes.right) / half * height);
    pixel[1] = 0.5 * height * (1 - rn_inner(to, axes.up) / half);
    return true;
}

/* Returns the value of a field in a column; layer 0 is the lowest. */
static double field_at(const rn_surface_field *f, int x, int y, int layer) {
    return (double)f->data[layer * f->layer_stride + y * f->row_stride + x];
}

/* Returns whether height z (m above the datum) is in air in cell (x, y): above the liquid and below the ceiling of a
   column. A ceiling at the lid of the world counts as open sky. */
static bool is_air(const rn_surface_columns *c, int x, int y, double z) {
    for (int layer = 0; layer < c->layers; layer++) {
        const double base = field_at(&c->base, x, y, layer);
        if (base >= (double)RN_NO_COLUMN) break;
        const double ceil = field_at(&c->ceil, x, y, layer);
        const double lid = c->lid > 0 && ceil >= (double)c->lid * (1 - 1e-6) ? INFINITY : ceil;
        if (z >= base + field_at(&c->depth, x, y, layer) && z < lid) return true;
    }
    return false;
}

/* Narrows the part *from to *to (m along a ray) to where one coordinate is between low and high (m). at, along: that
   coordinate of the ray's origin and direction. Returns false if nothing is left. */
static bool narrow_to_slab(double at, double along, double low, double high, double *from, double *to) {
    if (fabs(along) < 1e-12) return at >= low && at <= high;
    const double a = (low - at) / along, b = (high - at) / along;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
    return *from < *to;
}

bool pick_surface(const rn_surface_columns *c, const pick_ray *ray, rn_vec3 *hit) {
    const double cell = (double)c->cell_size, x0 = (double)c->origin_x, y0 = (double)c->origin_y;
    const rn_vec3 p = ray->from, d = ray->along;
    double from = 0, to = 1e9;
    if (c->cells_x == 0 || !narrow_to_slab(p.x, d.x, x0, x0 + cell * c->cells_x, &from, &to) ||
        !narrow_to_slab(p.y, d.y, y0, y0 + cell * c->cells_y, &from, &to))
        return false;
    const double steepness = fmax(hypot(d.x, d.y), 0.25), step = 0.25 * cell / steepness;
    const double most = fmin(to, from + 4.0 * step * 4.0 * (c->cells_x + c->cells_y));
    const int steps = (int)ceil((most - from) / step);
    for (int i = 0; i < steps; i++) {
        const rn_vec3 at = rn_sum(p, rn_times(d, from + i * step));
        const int x = (int)fmin(fmax((at.x - x0) / cell, 0), c->cells_x - 1),
                  y = (int)fmin(fmax((at.y - y0) / cell, 0), c->cells_y - 1);
        const double z = at.z - (double)c->datum;
        if (z < -2 * cell) return false;
        if (is_air(c, x, y, z)) continue;
        *hit = at;
        return true;
    }
    return false;
}

/* Returns the distance (m) along a ray to a triangle with these corners (Moller & Trumbore 1997), or INFINITY if it
   misses. */
static double distance_to_triangle(const float *a, const float *b, const float *c, const pick_ray *ray) {
    const rn_vec3 o = {(double)a[0], (double)a[1], (double)a[2]};
    const rn_vec3 u = {(double)b[0] - o.x, (double)b[1] - o.y, (double)b[2] - o.z},
                  v = {(double)c[0] - o.x, (double)c[1] - o.y, (double)c[2] - o.z}, d = ray->along;
    const rn_vec3 p = {d.y * v.z - d.z * v.y, d.z * v.x - d.x * v.z, d.x * v.y - d.y * v.x};
    const double det = rn_inner(u, p);
    if (fabs(det) < 1e-300) return INFINITY;
    const rn_vec3 t = rn_difference(ray->from, o);
    const double s = rn_inner(t, p) / det;
    const rn_vec3 q = {t.y * u.z - t.z * u.y, t.z * u.x - t.x * u.z, t.x * u.y - t.y * u.x};
    const double w = rn_inner(d, q) / det, far = rn_inner(v, q) / det;
    return s >= 0 && w >= 0 && s + w <= 1 && far > 0 ? far : INFINITY;
}

int pick_body(const rn_mesh *bodies, const pick_ray *ray, double *distance) {
    int found = -1;
    *distance = INFINITY;
    for (uint32_t i = 0; i < bodies->triangle_count && bodies->ids; i++) {
        const uint32_t *corner = bodies->indices + 3 * (size_t)i;
        const double far =
            distance_to_triangle(bodies->positions + 3 * (size_t)corner[0], bodies->positions + 3 * (size_t)corner[1],
                                 bodies->positions + 3 * (size_t)corner[2], ray);
        if (far >= *distance) continue;
        *distance = far;
        found = (int)bodies->ids[corner[0]];
    }
    return found;
}
