/* Vectors, the axes of a camera's picture, cameras on an orbit that show a whole box, and the matrices of cameras and
   lights (camera.h, runnel/render.h). */
#include "render/camera.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180.0)

rn_vec3 rn_sum(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
rn_vec3 rn_difference(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
rn_vec3 rn_times(rn_vec3 a, double s) { return (rn_vec3){a.x * s, a.y * s, a.z * s}; }
double rn_inner(rn_vec3 a, rn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double rn_length(rn_vec3 a) { return sqrt(rn_inner(a, a)); }

/* The cross product. */
static rn_vec3 cross_product(rn_vec3 a, rn_vec3 b) {
    return (rn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

rn_vec3 rn_unit(rn_vec3 a) {
    const double length = rn_length(a);
    return length > 0 ? rn_times(a, 1 / length) : (rn_vec3){0, 0, 1};
}

/* Whether all components are 0, which means that the vector was not given. */
static bool is_zero(rn_vec3 a) { return a.x == 0 && a.y == 0 && a.z == 0; }

rn_frame rn_camera_frame(const rn_camera *camera) {
    rn_frame f;
    f.forward = rn_unit(rn_difference(camera->target, camera->eye));
    const bool along_z = fabs(f.forward.z) > 0.9999;
    rn_vec3 up = camera->up;
    if (is_zero(up) || rn_length(cross_product(f.forward, up)) < 1e-6 * rn_length(up))
        up = along_z ? (rn_vec3){0, 1, 0} : (rn_vec3){0, 0, 1};
    f.right = rn_unit(cross_product(f.forward, up));
    f.up = cross_product(f.right, f.forward);
    return f;
}

/* The extent of a box in a picture, from the centre of the picture: offsets divided by the distance in front of the eye
   (tangents), or in m in a parallel projection. */
typedef struct extent {
    double left, right, below, above;
} extent;

/* The extent of the box from low to high (m) in the picture of a camera with this frame; corners behind the eye count
   as just in front of it. */
static extent extent_of(const rn_camera *c, rn_frame f, rn_vec3 low, rn_vec3 high) {
    extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int corner = 0; corner < 8; corner++) {
        const rn_vec3 p = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z};
        const rn_vec3 d = rn_difference(p, c->eye);
        const double depth = c->angle > 0 ? fmax(rn_inner(d, f.forward), 1e-9) : 1;
        const double x = rn_inner(d, f.right) / depth, y = rn_inner(d, f.up) / depth;
        if (x < e.left) e.left = x;
        if (x > e.right) e.right = x;
        if (y < e.below) e.below = y;
        if (y > e.above) e.above = y;
    }
    return e;
}

/* Whether a picture with this half height (tangent of half the angle) and aspect (width / height) contains an extent.
 */
static bool contains_extent(extent e, double tangent, double aspect) {
    return fmax(-e.below, e.above) <= tangent && fmax(-e.left, e.right) <= tangent * aspect;
}

/* Places a camera so that the box from low to high (m) fills its picture, of this aspect (width / height). `towards` is
   the unit vector from the target to the eye; c->eye must already lie in that direction. In perspective, finds the
   distance of the eye, in a few rounds, and then moves the eye back until the whole box is visible. In a parallel
   projection (angle 0), sets c->span (m); the distance does not matter. With `centred`, leaves the target where it is;
   otherwise moves the target so that the box appears in the centre of the picture. */
static void fit_box(rn_camera *c, rn_vec3 towards, rn_vec3 low, rn_vec3 high, double aspect, bool centred) {
    const rn_frame f = rn_camera_frame(c);
    const double radius = fmax(0.5 * rn_length(rn_difference(high, low)), 1e-6);
    const double tangent = tan(0.5 * c->angle * DEGREE);
    double distance = c->angle > 0 ? radius / sin(0.5 * c->angle * DEGREE) : 4 * radius;
    for (int round = 0; round < 24; round++) {
        c->eye = rn_sum(c->target, rn_times(towards, distance));
        const extent e = extent_of(c, f, low, high);
        const double depth = c->angle > 0 ? distance : 1;
        if (!centred) {
            const rn_vec3 aside = rn_times(f.right, 0.5 * (e.left + e.right) * depth);
            c->target = rn_sum(c->target, rn_sum(aside, rn_times(f.up, 0.5 * (e.below + e.above) * depth)));
        }
        const double half = 0.5 * fmax(e.above - e.below, (e.right - e.left) / aspect);
        if (c->angle > 0) distance *= 0.5 + 0.5 * half / tangent;
        else c->span = 2 * half;
    }
    for (int round = 0; round < 200 && c->angle > 0; round++) {
        c->eye = rn_sum(c->target, rn_times(towards, distance));
        if (contains_extent(extent_of(c, f, low, high), tangent, aspect)) break;
        distance *= 1.01;
    }
    c->eye = rn_sum(c->target, rn_times(towards, distance));
}

rn_orbit rn_orbit_default(void) { return (rn_orbit){.azimuth = 30, .elevation = 35, .angle = 32, .zoom = 1}; }

rn_camera rn_camera_orbit(const rn_orbit *orbit, rn_vec3 low, rn_vec3 high, double aspect, double time) {
    const double azimuth = (orbit->azimuth + orbit->turn * time) * DEGREE;
    const double elevation = orbit->elevation * DEGREE;
    const double angle = orbit->angle == 0 ? rn_orbit_default().angle : orbit->angle;
    const double zoom = (orbit->zoom > 0 ? orbit->zoom : 1) / 1.08; /* with a margin */
    const rn_vec3 away = {sin(azimuth), -cos(azimuth), 0};
    const rn_vec3 towards = {away.x * cos(elevation), away.y * cos(elevation), sin(elevation)};
    const rn_vec3 middle = rn_times(rn_sum(low, high), 0.5);
    rn_camera c = {.target = middle, .angle = angle > 0 ? fmin(angle, 150) : 0};
    c.eye = rn_sum(c.target, towards);
    if (elevation > 89.9 * DEGREE) c.up = rn_times(away, -1);
    fit_box(&c, towards, low, high, aspect, orbit->aimed);
    if (orbit->aimed) c.target = orbit->target;
    c.span /= zoom;
    const double distance = rn_inner(rn_difference(c.eye, orbit->aimed ? middle : c.target), towards);
    c.eye = rn_sum(c.target, rn_times(towards, c.angle > 0 ? distance / zoom : distance));
    return c;
}

/* The matrix product a b: applies b first. */
static rn_matrix matrix_product(const rn_matrix *a, const rn_matrix *b) {
    rn_matrix c;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) sum += a->m[4 * k + row] * b->m[4 * column + k];
            c.m[4 * column + row] = sum;
        }
    return c;
}

/* The matrix from world coordinates (m) to those of a camera at `eye` (m): x to the right, y up, z backwards, out of
   the picture. */
static rn_matrix view_matrix(rn_frame f, rn_vec3 eye) {
    const rn_vec3 rows[3] = {f.right, f.up, rn_times(f.forward, -1)};
    rn_matrix view = {0};
    for (int i = 0; i < 3; i++) {
        view.m[i] = (float)rows[i].x;
        view.m[4 + i] = (float)rows[i].y;
        view.m[8 + i] = (float)rows[i].z;
        view.m[12 + i] = (float)-rn_inner(rows[i], eye);
    }
    view.m[15] = 1;
    return view;
}

/* A parallel projection from camera coordinates to clip space, for a picture of this half size (m), between two
   distances (m) in front of the camera. */
static rn_matrix parallel_projection(double half_width, double half_height, double nearest, double farthest) {
    rn_matrix p = {0};
    p.m[0] = (float)(1 / half_width);
    p.m[5] = (float)(1 / half_height);
    p.m[10] = (float)(-2 / (farthest - nearest));
    p.m[14] = (float)(-(farthest + nearest) / (farthest - nearest));
    p.m[15] = 1;
    return p;
}

rn_matrix rn_camera_matrix(const rn_camera *camera, double aspect, double nearest, double farthest) {
    const rn_matrix view = view_matrix(rn_camera_frame(camera), camera->eye);
    rn_matrix p = {0};
    if (camera->angle > 0) {
        const double height = 1 / tan(0.5 * camera->angle * DEGREE);
        p.m[0] = (float)(height / aspect);
        p.m[5] = (float)height;
        p.m[10] = (float)(-(farthest + nearest) / (farthest - nearest));
        p.m[11] = -1;
        p.m[14] = (float)(-2 * farthest * nearest / (farthest - nearest));
    } else {
        const double half = 0.5 * (camera->span > 0 ? camera->span : 1);
        p = parallel_projection(half * aspect, half, nearest, farthest);
    }
    return matrix_product(&p, &view);
}

rn_matrix rn_light_matrix(rn_vec3 from, rn_vec3 middle, double radius) {
    const rn_camera lamp = {.eye = rn_sum(middle, rn_times(rn_unit(from), 2 * radius)), .target = middle};
    const rn_matrix view = view_matrix(rn_camera_frame(&lamp), lamp.eye);
    const rn_matrix p = parallel_projection(radius, radius, 0.5 * radius, 3.5 * radius);
    return matrix_product(&p, &view);
}
