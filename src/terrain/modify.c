/* Shapes made from one other shape: stretched, mirrored, roughened. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"
#include "terrain/noise.h"

/* A node around one other. */
typedef struct wrapper {
    rn_sdf node;
    rn_sdf *shape;
} wrapper;

/* The `release` of all wrappers: destroys the shape inside; rn_sdf_destroy frees the wrapper itself. */
static void release_inner(rn_sdf *self) { rn_sdf_destroy(((wrapper *)self)->shape); }

/* Creates a node of `size` bytes, a wrapper first, that owns the shape, with infinite bounds. On failure returns NULL,
   with an error text; the shape is then destroyed. */
static void *wrap_shape(const rn_sdf_class *type, size_t size, rn_sdf *shape) {
    wrapper *node = NULL;
    if (shape->depth + 1 > RN_SDF_DEPTH)
        rn_shape_fail(RN_LIMIT, "the solid is nested more than %d levels deep; change its parts before they are joined",
                      RN_SDF_DEPTH);
    else node = rn_sdf_new(type, size);
    if (!node) {
        rn_sdf_destroy(shape);
        return NULL;
    }
    node->shape = shape;
    node->node.depth = shape->depth + 1;
    return node;
}

/* Whether all coordinates of a box are finite. */
static bool is_finite_box(const rn_box *box) {
    return isfinite(box->low.x) && isfinite(box->low.y) && isfinite(box->low.z) && isfinite(box->high.x) &&
           isfinite(box->high.y) && isfinite(box->high.z);
}

typedef struct stretched {
    wrapper base;
    rn_vec3 factors;
    double least, most; /* of the factors */
} stretched;

/* A point (m) in the coordinates of the shape before stretching. */
static rn_vec3 before_stretch(const stretched *node, rn_vec3 at) {
    return (rn_vec3){at.x / node->factors.x, at.y / node->factors.y, at.z / node->factors.z};
}

/* The shape's distance (m) times the smallest factor: distances grow by at least that. */
static double stretched_distance(const rn_sdf *self, rn_vec3 at) {
    const stretched *node = (const stretched *)self;
    const rn_sdf *shape = node->base.shape;
    return node->least * shape->type->distance(shape, before_stretch(node, at));
}

/* The shape's rise (m) times the factor along z. */
static double stretched_rise(const rn_sdf *self, rn_vec3 at) {
    const stretched *node = (const stretched *)self;
    const rn_sdf *shape = node->base.shape;
    return node->factors.z * shape->type->rise(shape, before_stretch(node, at));
}

/* Heights of the stretched bounds. Along the most stretched axis the field is too flat by the ratio of the factors, so
   `grow` (m) extends further by that. */
static rn_heights stretched_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow) {
    const stretched *node = (const stretched *)self;
    return rn_sdf_leaf_heights(self, pose, over, grow * node->most / node->least);
}

/* Whether a shape may be stretched by this factor: 0.001 to 1000. */
static bool is_factor(double factor) { return factor >= 1e-3 && factor <= 1e3; }

rn_sdf *rn_sdf_stretch(rn_sdf *shape, rn_vec3 factors) {
    static const rn_sdf_class type = {stretched_distance, stretched_rise, stretched_heights, release_inner};
    if (!shape) return NULL;
    const double least = rn_min(rn_min(factors.x, factors.y), factors.z);
    const double most = rn_max(rn_max(factors.x, factors.y), factors.z);
    bool good = false;
    if (!is_factor(factors.x) || !is_factor(factors.y) || !is_factor(factors.z))
        rn_shape_fail(RN_INVALID, "a shape is stretched by (%g, %g, %g); each factor must lie between 0.001 and 1000",
                      factors.x, factors.y, factors.z);
    else if (!is_finite_box(&shape->bounds))
        rn_shape_fail(RN_INVALID, "an infinite shape cannot be stretched; only shapes of finite size can");
    else good = true;
    if (!good) {
        rn_sdf_destroy(shape);
        return NULL;
    }
    stretched *node = wrap_shape(&type, sizeof *node, shape);
    if (!node) return NULL;
    node->factors = factors;
    node->least = least;
    node->most = most;
    const rn_vec3 low = shape->bounds.low, high = shape->bounds.high;
    node->base.node.bounds = (rn_box){{low.x * factors.x, low.y * factors.y, low.z * factors.z},
                                      {high.x * factors.x, high.y * factors.y, high.z * factors.z}};
    return &node->base.node;
}

/* The point itself if x >= 0, otherwise its mirror image there. */
static rn_vec3 fold_to_positive_x(rn_vec3 at) { return (rn_vec3){fabs(at.x), at.y, at.z}; }

/* The distance (m) of the shape at the point folded to x >= 0. */
static double mirrored_distance(const rn_sdf *self, rn_vec3 at) {
    const rn_sdf *shape = ((const wrapper *)self)->shape;
    return shape->type->distance(shape, fold_to_positive_x(at));
}

/* The rise (m) of the shape at the point folded to x >= 0. */
static double mirrored_rise(const rn_sdf *self, rn_vec3 at) {
    const rn_sdf *shape = ((const wrapper *)self)->shape;
    return shape->type->rise(shape, fold_to_positive_x(at));
}

/* Heights of the shape and of its mirror image together, which include the part of the shape at x < 0 that is not
   solid. */
static rn_heights mirrored_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow) {
    const rn_sdf *shape = ((const wrapper *)self)->shape;
    rn_placement image = *pose;
    for (int i = 0; i < 3; i++) image.turn[i][0] = -image.turn[i][0];
    const rn_heights a = shape->type->heights(shape, pose, over, grow);
    const rn_heights b = shape->type->heights(shape, &image, over, grow);
    return (rn_heights){rn_min(a.solid_low, b.solid_low), rn_max(a.solid_high, b.solid_high),
                        rn_min(a.surface_low, b.surface_low), rn_max(a.surface_high, b.surface_high)};
}

rn_sdf *rn_sdf_mirror(rn_sdf *shape) {
    static const rn_sdf_class type = {mirrored_distance, mirrored_rise, mirrored_heights, release_inner};
    if (!shape) return NULL;
    wrapper *node = wrap_shape(&type, sizeof *node, shape);
    if (!node) return NULL;
    node->node.bounds = shape->bounds;
    node->node.bounds.low.x = -shape->bounds.high.x;
    return &node->node;
}

/* Noise counts fully up to FULL amplitudes from the surface and fades to nothing at twice that, so that points far
   away need no noise; the fading adds 1/FULL to the slope. */
#define FULL 4.0

typedef struct roughened {
    wrapper base;
    rn_noise noise;
    double amplitude; /* m */
    double steepness; /* of the field before it is divided by this */
} roughened;

/* The shape's field (m), outside of its box raised to at least the distance from that: the field of a stretched shape
   may be less. */
static double field_at_least_box(const rn_sdf *shape, rn_vec3 at) {
    const rn_vec3 low = shape->bounds.low, high = shape->bounds.high;
    const double x = rn_max(rn_max(low.x - at.x, at.x - high.x), 0);
    const double y = rn_max(rn_max(low.y - at.y, at.y - high.y), 0);
    const double z = rn_max(rn_max(low.z - at.z, at.z - high.z), 0);
    const double value = shape->type->distance(shape, at), outside = rn_length3(x, y, z);
    return outside > 0 ? rn_max(value, outside) : value;
}

/* The shape's field (m) with noise near its surface, divided so that it stays 1-Lipschitz. */
static double roughened_distance(const rn_sdf *self, rn_vec3 at) {
    const roughened *node = (const roughened *)self;
    double value = field_at_least_box(node->base.shape, at);
    const double share = rn_min(2 - fabs(value) / (FULL * node->amplitude), 1);
    if (share > 0) value += node->amplitude * share * rn_noise_at(&node->noise, at);
    return value / node->steepness;
}

/* Heights of the shape inside, with the amplitude added to `grow` (m), the uncertainty of its surface. */
static rn_heights roughened_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow) {
    const roughened *node = (const roughened *)self;
    const rn_sdf *shape = node->base.shape;
    return shape->type->heights(shape, pose, over, grow * node->steepness + node->amplitude * pose->scale);
}

rn_sdf *rn_sdf_roughen(rn_sdf *shape, double amplitude, double wavelength, int octaves, uint32_t seed) {
    static const rn_sdf_class type = {roughened_distance, roughened_distance, roughened_heights, release_inner};
    if (!shape) return NULL;
    rn_noise noise;
    if (!rn_sdf_check_size(amplitude, "amplitude of the roughness") ||
        !rn_sdf_check_size(wavelength, "wavelength of the roughness") ||
        !rn_noise_set(&noise, wavelength, octaves, seed)) {
        rn_sdf_destroy(shape);
        return NULL;
    }
    roughened *node = wrap_shape(&type, sizeof *node, shape);
    if (!node) return NULL;
    node->noise = noise;
    node->amplitude = amplitude;
    node->steepness = 1 + 1 / FULL + amplitude * noise.slope;
    node->base.node.bounds = rn_box_grow(shape->bounds, amplitude);
    return &node->base.node;
}
