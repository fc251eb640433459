/* rn_sdf_intervals: solid ranges of a vertical line, by sphere tracing (Hart 1996) and a bracketing secant. */
#include "terrain/mesh_solid.h"

#include "base/error.h"
#include "base/maths.h"

#include <float.h>

typedef struct line {
    const rn_sdf *shape;
    double x, y;
} line;

/* The shape's rise (m) on the line at height z (m). */
static double field_at(const line *ray, double z) {
    return ray->shape->type->rise(ray->shape, (rn_vec3){ray->x, ray->y, z});
}

/* The height (m) between a and b, with values of different sign there, where the sign changes, to `tolerance` (m):
   regula falsi with the Illinois rule, which halves the value at an end that stays twice in a row, so that the bracket
   closes from both sides. */
static double find_crossing(const line *ray, double a, double value_a, double b, double value_b, double tolerance) {
    if (value_a == 0) return a;
    if (value_b == 0) return b;
    bool solid_a = value_a <= 0;
    double best = fabs(value_a) < fabs(value_b) ? a : b, best_value = rn_min(fabs(value_a), fabs(value_b));
    tolerance = rn_max(tolerance, 2 * DBL_EPSILON * rn_max(fabs(a), fabs(b)));
    int stayed = 0; /* 1: a stayed the last time, -1: b did */
    for (int i = 0; i < 200 && b - a > tolerance; i++) {
        double z = rn_clamp(a - value_a * (b - a) / (value_b - value_a), a, b);
        double value = field_at(ray, z);
        if (value == 0) return z;
        if (fabs(value) < best_value) {
            best = z;
            best_value = fabs(value);
        }
        if ((value <= 0) == solid_a) {
            a = z;
            value_a = value;
            if (stayed < 0) value_b /= 2;
            stayed = -1;
        } else {
            b = z;
            value_b = value;
            if (stayed > 0) value_a /= 2;
            stayed = 1;
        }
    }
    return best;
}

/* Collects intervals; the last one is held back because the next may join it. */
typedef struct collector {
    rn_interval *out;
    int max, count;
    rn_interval last;
    double z0, z1, step;
} collector;

/* Adds a solid range (m) above the last one, joined to it if the gap is less than a step; ranges thinner than a step
   and away from the ends of the line are dropped. Counts on beyond all->max without writing. */
static void collect_range(collector *all, double low, double high) {
    bool joins = all->count > 0 && low - all->last.high < all->step;
    bool sliver = high - low < all->step && low > all->z0 && high < all->z1;
    if (sliver && !joins) return;
    if (joins) {
        all->last.high = high;
    } else {
        all->last = (rn_interval){low, high};
        all->count++;
    }
    if (all->count <= all->max) all->out[all->count - 1] = all->last;
}

/* Collects the ranges of a mesh on the line through x, y (m) without tracing. Returns their number; -1, with nothing
   collected, if there are too many, or if it is a sheet. */
static int cut_mesh(const rn_mesh_solid *mesh, double x, double y, collector *all) {
    enum { MOST = 32 };
    rn_interval solid[MOST];
    const int count = mesh->crossings.shell ? rn_crossings_spans(&mesh->crossings, x, y, solid, MOST) : -1;
    for (int i = 0; i < count; i++) {
        const double low = rn_max(solid[i].low, all->z0), high = rn_min(solid[i].high, all->z1);
        if (low < high) collect_range(all, low, high);
    }
    return count < 0 ? -1 : all->count;
}

/* Writes the solid ranges of the vertical line through (x, y) from z0 to z1 (m), bottom to top, and returns their
   number: rn_sdf_intervals (sdf.h), without looking through a pose. */
static int trace_line(const rn_sdf *shape, double x, double y, double z0, double z1, double step, rn_interval *out,
                      int max) {
    collector all = {.out = out, .max = max, .z0 = z0, .z1 = z1, .step = step};
    const rn_mesh_solid *mesh = rn_mesh_solid_in(shape);
    const int cut = mesh ? cut_mesh(mesh, x, y, &all) : -1;
    if (cut >= 0) return cut;
    rn_fold_entry room[RN_FOLD_ROOM];
    rn_fold part;
    line ray = {shape, x, y};
    if (rn_fold_on_line(shape, x, y, room, &part)) ray.shape = &part.node;
    double z = z0, value = field_at(&ray, z), low = z0;
    while (z < z1) {
        double next = rn_max(z + rn_max(fabs(value), step), nextafter(z, INFINITY));
        next = rn_min(next, z1);
        double next_value = field_at(&ray, next);
        if ((value <= 0) != (next_value <= 0)) {
            double at = find_crossing(&ray, z, value, next, next_value, 1e-9 * step);
            if (value <= 0) collect_range(&all, low, at);
            else low = at;
        }
        z = next;
        value = next_value;
    }
    if (value <= 0) collect_range(&all, low, z1);
    return all.count;
}

int rn_sdf_intervals(const rn_sdf *shape, double x, double y, double z0, double z1, double step, rn_interval *out,
                     int max) {
    if (!RN_REQUIRE(NULL, shape && step > 0 && z0 <= z1 && (out || max == 0))) return 0;
    const rn_placement *pose;
    const rn_sdf *inside = rn_sdf_unpose(shape, &pose);
    if (!inside) return trace_line(shape, x, y, z0, z1, step, out, max);

    /* in the coordinates of the posed shape, so that a scene that is moved as a whole can still be narrowed */
    double scale = pose->scale;
    rn_vec3 p = rn_rotate_back(pose->turn, (rn_vec3){x - pose->by.x, y - pose->by.y, 0});
    double low = (z0 - pose->by.z) / scale, high = (z1 - pose->by.z) / scale;
    int count = trace_line(inside, p.x / scale, p.y / scale, low, high, step / scale, out, max);
    for (int i = 0; i < count && i < max; i++) {
        out[i].low = out[i].low == low ? z0 : rn_clamp(pose->by.z + scale * out[i].low, z0, z1);
        out[i].high = out[i].high == high ? z1 : rn_clamp(pose->by.z + scale * out[i].high, z0, z1);
    }
    return count;
}
