/* Functions common to all nodes: creation, checks, destruction, and the heights of a leaf above a rectangle. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"

static const rn_placement identity = {.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1};
static const rn_heights nothing = {INFINITY, -INFINITY, INFINITY, -INFINITY};

void *rn_sdf_new(const rn_sdf_class *type, size_t size) {
    rn_sdf *node = rn_alloc(NULL, 1, size);
    if (!node) return NULL;
    node->type = type;
    node->depth = 1;
    node->bounds = (rn_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    return node;
}

void rn_sdf_destroy(rn_sdf *shape) {
    if (!shape) return;
    if (shape->type->release) shape->type->release(shape);
    rn_free(NULL, shape);
}

double rn_sdf_distance(const rn_sdf *shape, rn_vec3 at) {
    if (!RN_REQUIRE(NULL, shape != NULL)) return INFINITY;
    if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z)) return NAN;
    return shape->type->distance(shape, at);
}

rn_box rn_sdf_bounds(const rn_sdf *shape) { return shape->bounds; }

rn_heights rn_sdf_heights(const rn_sdf *shape, const rn_box *over) {
    return shape->type->heights(shape, &identity, over, 0);
}

bool rn_sdf_check_size(double size, const char *what) {
    if (size >= RN_SDF_LEAST && size <= RN_SDF_REACH) return true;
    rn_shape_fail(RN_INVALID, "the %s is %g m; it must lie between %g and %g m", what, size, RN_SDF_LEAST,
                  RN_SDF_REACH);
    return false;
}

bool rn_sdf_check_place(rn_vec3 place, const char *what) {
    if (fabs(place.x) <= RN_SDF_REACH && fabs(place.y) <= RN_SDF_REACH && fabs(place.z) <= RN_SDF_REACH) return true;
    rn_shape_fail(RN_INVALID, "the %s is (%g, %g, %g) m; every coordinate must lie between %g and %g m", what, place.x,
                  place.y, place.z, -RN_SDF_REACH, RN_SDF_REACH);
    return false;
}

void rn_sdf_set_slab(rn_sdf *leaf, rn_vec3 normal, double low, double high, double stretch) {
    leaf->slab = (rn_slab){normal, low, high, stretch};
    if (normal.x == 1) leaf->bounds.high.x = high;
    if (normal.y == 1) leaf->bounds.high.y = high;
    if (normal.z == 1) leaf->bounds.high.z = high;
    if (normal.x == -1) leaf->bounds.low.x = -high;
    if (normal.y == -1) leaf->bounds.low.y = -high;
    if (normal.z == -1) leaf->bounds.low.z = -high;
}

rn_box rn_box_grow(rn_box box, double by) {
    return (rn_box){{box.low.x - by, box.low.y - by, box.low.z - by},
                    {box.high.x + by, box.high.y + by, box.high.z + by}};
}

/* Adds the range factor * [low, high] to the sums, where 0 * infinity is 0: an axis that does not contribute. A
   negative factor swaps the ends. */
static void add_side(double factor, double low, double high, double *sum_low, double *sum_high) {
    if (factor == 0) return;
    *sum_low += factor * (factor > 0 ? low : high);
    *sum_high += factor * (factor > 0 ? high : low);
}

rn_box rn_pose_box(const rn_placement *pose, const rn_box *box) {
    double low[3] = {pose->by.x, pose->by.y, pose->by.z}, high[3] = {pose->by.x, pose->by.y, pose->by.z};
    for (int i = 0; i < 3; i++) {
        const double *row = pose->turn[i];
        add_side(row[0] * pose->scale, box->low.x, box->high.x, &low[i], &high[i]);
        add_side(row[1] * pose->scale, box->low.y, box->high.y, &low[i], &high[i]);
        add_side(row[2] * pose->scale, box->low.z, box->high.z, &low[i], &high[i]);
    }
    return (rn_box){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/* Narrows `heights` (m) to those that a slab in a pose allows within the x and y of `over`: the solid lies below or
   above the slab's surface, and the surface within the slab, widened by `grow` (m) times slab->stretch. May leave a
   range empty. */
static void apply_slab(const rn_slab *slab, const rn_placement *pose, const rn_box *over, double grow,
                       rn_heights *heights) {
    rn_vec3 normal = rn_rotate(pose->turn, slab->normal);
    double offset = rn_dot(normal, pose->by);
    double low = pose->scale * slab->low + offset - grow * slab->stretch;
    double high = pose->scale * slab->high + offset + grow * slab->stretch;
    if (normal.z == 0) {
        /* no vertical ray crosses an upright plane; an upright rough surface could be met at any height */
        if (slab->low == slab->high) heights->surface_low = INFINITY, heights->surface_high = -INFINITY;
        return;
    }
    double side_low = 0, side_high = 0; /* bounds of normal.x * x + normal.y * y */
    add_side(normal.x, over->low.x, over->high.x, &side_low, &side_high);
    add_side(normal.y, over->low.y, over->high.y, &side_low, &side_high);
    double from = (low - side_high) / normal.z, to = (high - side_low) / normal.z;
    if (normal.z > 0) {
        heights->solid_high = rn_min(heights->solid_high, to);
    } else {
        heights->solid_low = rn_max(heights->solid_low, to);
    }
    heights->surface_low = rn_max(heights->surface_low, rn_min(from, to));
    heights->surface_high = rn_min(heights->surface_high, rn_max(from, to));
}

rn_heights rn_sdf_leaf_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow) {
    rn_box box = rn_box_grow(rn_pose_box(pose, &self->bounds), grow);
    if (box.high.x < over->low.x || box.low.x > over->high.x || box.high.y < over->low.y || box.low.y > over->high.y)
        return nothing;
    rn_heights heights = {box.low.z, box.high.z, box.low.z, box.high.z};
    bool endless = self->slab.normal.x != 0 || self->slab.normal.y != 0 || self->slab.normal.z != 0;
    if (endless) apply_slab(&self->slab, pose, over, grow, &heights);
    return heights;
}
