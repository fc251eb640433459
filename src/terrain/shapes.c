/* Shapes with a closed-form distance; all are exact. */
#include "terrain/sdf.h"

#include "base/error.h"
#include "base/maths.h"

typedef struct plane {
    rn_sdf node;
    rn_vec3 point, normal;
} plane;

/* The signed distance (m) to a plane. */
static double plane_distance(const rn_sdf *self, rn_vec3 at) {
    const plane *shape = (const plane *)self;
    return rn_dot(rn_minus(at, shape->point), shape->normal);
}

rn_sdf *rn_sdf_plane(rn_vec3 point, rn_vec3 normal) {
    static const rn_sdf_class type = {plane_distance, plane_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_place(point, "point of the plane")) return NULL;
    double most = rn_max(rn_max(fabs(normal.x), fabs(normal.y)), fabs(normal.z));
    if (!(most > 0) || !isfinite(normal.x) || !isfinite(normal.y) || !isfinite(normal.z)) {
        rn_shape_fail(RN_INVALID, "the normal of the plane is (%g, %g, %g); it must be finite and not zero", normal.x,
                      normal.y, normal.z);
        return NULL;
    }
    normal = (rn_vec3){normal.x / most, normal.y / most, normal.z / most}; /* squares below cannot overflow */
    double length = rn_length3(normal.x, normal.y, normal.z);
    plane *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->point = point;
    shape->normal = (rn_vec3){normal.x / length, normal.y / length, normal.z / length};
    double offset = rn_dot(shape->normal, point);
    rn_sdf_set_slab(&shape->node, shape->normal, offset, offset, 1);
    return &shape->node;
}

typedef struct box {
    rn_sdf node;
    rn_vec3 inner; /* half the size of the box around which the rounding is added */
    double rounding;
} box;

/* The signed distance (m) to a box with rounded edges. */
static double box_distance(const rn_sdf *self, rn_vec3 at) {
    const box *shape = (const box *)self;
    double x = fabs(at.x) - shape->inner.x, y = fabs(at.y) - shape->inner.y, z = fabs(at.z) - shape->inner.z;
    double outside = rn_length3(rn_max(x, 0), rn_max(y, 0), rn_max(z, 0));
    return outside + rn_min(rn_max(rn_max(x, y), z), 0) - shape->rounding;
}

rn_sdf *rn_sdf_rounded_box(rn_vec3 size, double rounding) {
    static const rn_sdf_class type = {box_distance, box_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_size(size.x, "x size of the box") || !rn_sdf_check_size(size.y, "y size of the box") ||
        !rn_sdf_check_size(size.z, "z size of the box"))
        return NULL;
    double most = rn_min(rn_min(size.x, size.y), size.z) / 2;
    if (!(rounding >= 0 && rounding <= most)) {
        rn_shape_fail(RN_INVALID,
                      "the rounding of the box is %g m; it must lie between 0 and half its least size, %g m", rounding,
                      most);
        return NULL;
    }
    box *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    rn_vec3 half = {size.x / 2, size.y / 2, size.z / 2};
    shape->inner = (rn_vec3){half.x - rounding, half.y - rounding, half.z - rounding};
    shape->rounding = rounding;
    shape->node.bounds = (rn_box){{-half.x, -half.y, -half.z}, half};
    return &shape->node;
}

rn_sdf *rn_sdf_box(rn_vec3 size) { return rn_sdf_rounded_box(size, 0); }

typedef struct sphere {
    rn_sdf node;
    double radius;
} sphere;

/* The signed distance (m) to a sphere. */
static double sphere_distance(const rn_sdf *self, rn_vec3 at) {
    return rn_length3(at.x, at.y, at.z) - ((const sphere *)self)->radius;
}

rn_sdf *rn_sdf_sphere(double radius) {
    static const rn_sdf_class type = {sphere_distance, sphere_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_size(radius, "radius of the sphere")) return NULL;
    sphere *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->radius = radius;
    shape->node.bounds = (rn_box){{-radius, -radius, -radius}, {radius, radius, radius}};
    return &shape->node;
}

typedef struct cylinder {
    rn_sdf node;
    double radius, half; /* half the height */
} cylinder;

/* The signed distance (m) to a cylinder along z. */
static double cylinder_distance(const rn_sdf *self, rn_vec3 at) {
    const cylinder *shape = (const cylinder *)self;
    double r = rn_length2(at.x, at.y) - shape->radius, z = fabs(at.z) - shape->half;
    return rn_length2(rn_max(r, 0), rn_max(z, 0)) + rn_min(rn_max(r, z), 0);
}

rn_sdf *rn_sdf_cylinder(double radius, double height) {
    static const rn_sdf_class type = {cylinder_distance, cylinder_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_size(radius, "radius of the cylinder") || !rn_sdf_check_size(height, "height of the cylinder"))
        return NULL;
    cylinder *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->radius = radius;
    shape->half = height / 2;
    shape->node.bounds = (rn_box){{-radius, -radius, -height / 2}, {radius, radius, height / 2}};
    return &shape->node;
}

typedef struct capsule {
    rn_sdf node;
    rn_vec3 from, along;
    double square; /* of the length of `along` */
    double radius;
} capsule;

/* The signed distance (m) to a capsule. */
static double capsule_distance(const rn_sdf *self, rn_vec3 at) {
    const capsule *shape = (const capsule *)self;
    rn_vec3 p = rn_minus(at, shape->from), d = shape->along;
    double t = shape->square > 0 ? rn_clamp(rn_dot(p, d) / shape->square, 0, 1) : 0;
    return rn_length3(p.x - t * d.x, p.y - t * d.y, p.z - t * d.z) - shape->radius;
}

rn_sdf *rn_sdf_capsule_between(rn_vec3 a, rn_vec3 b, double radius) {
    static const rn_sdf_class type = {capsule_distance, capsule_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_place(a, "first end of the capsule") || !rn_sdf_check_place(b, "second end of the capsule") ||
        !rn_sdf_check_size(radius, "radius of the capsule"))
        return NULL;
    capsule *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->from = a;
    shape->along = rn_minus(b, a);
    shape->square = rn_dot(shape->along, shape->along);
    shape->radius = radius;
    rn_box segment = {{rn_min(a.x, b.x), rn_min(a.y, b.y), rn_min(a.z, b.z)},
                      {rn_max(a.x, b.x), rn_max(a.y, b.y), rn_max(a.z, b.z)}};
    shape->node.bounds = rn_box_grow(segment, radius);
    return &shape->node;
}

rn_sdf *rn_sdf_capsule(double radius, double length) {
    return rn_sdf_capsule_between((rn_vec3){0, 0, -0.5 * length}, (rn_vec3){0, 0, 0.5 * length}, radius);
}

typedef struct taper {
    rn_sdf node;
    rn_vec3 from, axis;  /* the axis has unit length */
    double length;       /* m, of the axis */
    double radius, to;   /* m, at both ends */
    double sine, cosine; /* of the angle between the side and the axis */
} taper;

/* The signed distance (m). In the (r, along) half-plane the side touches both balls: beyond its ends a ball is nearest,
   otherwise the side. */
static double taper_distance(const rn_sdf *self, rn_vec3 at) {
    const taper *shape = (const taper *)self;
    const rn_vec3 p = rn_minus(at, shape->from);
    const double along = rn_dot(p, shape->axis);
    const double r = sqrt(rn_max(rn_dot(p, p) - along * along, 0));
    const double foot =
        along * shape->cosine + r * shape->sine; /* position along the side, from where it leaves the first ball */
    if (foot <= 0) return rn_length2(r, along) - shape->radius;
    if (foot >= shape->length * shape->cosine) return rn_length2(r, along - shape->length) - shape->to;
    return r * shape->cosine - along * shape->sine - shape->radius;
}

rn_sdf *rn_sdf_taper(rn_vec3 a, rn_vec3 b, double radius_a, double radius_b) {
    static const rn_sdf_class type = {taper_distance, taper_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_place(a, "first end of the taper") || !rn_sdf_check_place(b, "second end of the taper") ||
        !rn_sdf_check_size(radius_a, "first radius of the taper") ||
        !rn_sdf_check_size(radius_b, "second radius of the taper"))
        return NULL;
    const rn_vec3 way = rn_minus(b, a);
    const double length = rn_length3(way.x, way.y, way.z);
    /* a ball inside the other has no effect */
    if (length <= fabs(radius_a - radius_b))
        return rn_sdf_move(rn_sdf_sphere(rn_max(radius_a, radius_b)), radius_a > radius_b ? a : b);
    taper *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->from = a;
    shape->axis = (rn_vec3){way.x / length, way.y / length, way.z / length};
    shape->length = length;
    shape->radius = radius_a;
    shape->to = radius_b;
    shape->sine = (radius_b - radius_a) / length;
    shape->cosine = sqrt(1 - shape->sine * shape->sine);
    shape->node.bounds = (rn_box){{rn_min(a.x - radius_a, b.x - radius_b), rn_min(a.y - radius_a, b.y - radius_b),
                                   rn_min(a.z - radius_a, b.z - radius_b)},
                                  {rn_max(a.x + radius_a, b.x + radius_b), rn_max(a.y + radius_a, b.y + radius_b),
                                   rn_max(a.z + radius_a, b.z + radius_b)}};
    return &shape->node;
}

typedef struct cone {
    rn_sdf node;
    double low, high, half; /* radii and half the height */
} cone;

/* The signed distance (m). In the (r, z) half-plane: the smaller distance to the nearer face and to the slanted
   side. */
static double cone_distance(const rn_sdf *self, rn_vec3 at) {
    const cone *shape = (const cone *)self;
    double r = rn_length2(at.x, at.y), z = at.z;
    double face_r = rn_max(r - (z < 0 ? shape->low : shape->high), 0), face_z = fabs(z) - shape->half;
    double side_r = shape->high - shape->low, side_z = 2 * shape->half;
    double from_r = r - shape->low, from_z = z + shape->half; /* from the lower end of the side */
    double t = rn_clamp((from_r * side_r + from_z * side_z) / (side_r * side_r + side_z * side_z), 0, 1);
    double off_r = from_r - t * side_r, off_z = from_z - t * side_z;
    double nearest = rn_min(rn_length2(face_r, face_z), rn_length2(off_r, off_z));
    bool inside = face_z < 0 && from_r * side_z < from_z * side_r;
    return inside ? -nearest : nearest;
}

/* Whether a radius (m) is 0 or an acceptable size; if not, sets an error text that names `what`. */
static bool is_cone_radius(double radius, const char *what) { return radius == 0 || rn_sdf_check_size(radius, what); }

rn_sdf *rn_sdf_cone(double radius_low, double radius_high, double height) {
    static const rn_sdf_class type = {cone_distance, cone_distance, rn_sdf_leaf_heights, NULL};
    if (!is_cone_radius(radius_low, "lower radius of the cone") ||
        !is_cone_radius(radius_high, "upper radius of the cone") || !rn_sdf_check_size(height, "height of the cone"))
        return NULL;
    double most = rn_max(radius_low, radius_high);
    if (most == 0) {
        rn_shape_fail(RN_INVALID, "both radii of the cone are 0 m; at least one must be more than 0");
        return NULL;
    }
    cone *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->low = radius_low;
    shape->high = radius_high;
    shape->half = height / 2;
    shape->node.bounds = (rn_box){{-most, -most, -height / 2}, {most, most, height / 2}};
    return &shape->node;
}

typedef struct torus {
    rn_sdf node;
    double ring, tube;
} torus;

/* The signed distance (m) to a ring around the z axis. */
static double torus_distance(const rn_sdf *self, rn_vec3 at) {
    const torus *shape = (const torus *)self;
    return rn_length2(rn_length2(at.x, at.y) - shape->ring, at.z) - shape->tube;
}

rn_sdf *rn_sdf_torus(double ring_radius, double tube_radius) {
    static const rn_sdf_class type = {torus_distance, torus_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_size(ring_radius, "ring radius of the torus") ||
        !rn_sdf_check_size(tube_radius, "tube radius of the torus"))
        return NULL;
    torus *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->ring = ring_radius;
    shape->tube = tube_radius;
    double most = ring_radius + tube_radius;
    shape->node.bounds = (rn_box){{-most, -most, -tube_radius}, {most, most, tube_radius}};
    return &shape->node;
}

typedef struct bowl {
    rn_sdf node;
    double rim;            /* its radius */
    double radius, centre; /* of the sphere that is pressed in; height of its centre above z = 0 */
} bowl;

/* The signed distance (m). In the (r, z) half-plane the surface consists of the ground beyond the rim, the rim itself,
   and an arc, which is nearest for points in the sector that it spans with the sphere's centre. */
static double bowl_distance(const rn_sdf *self, rn_vec3 at) {
    const bowl *shape = (const bowl *)self;
    double r = rn_length2(at.x, at.y), below_centre = shape->centre - at.z;
    double from_arc = rn_length2(r, below_centre) - shape->radius;
    double nearest = r >= shape->rim ? fabs(at.z) : rn_length2(r - shape->rim, at.z);
    if (below_centre > 0 && r * shape->centre < shape->rim * below_centre) nearest = rn_min(nearest, fabs(from_arc));
    return at.z < 0 && from_arc > 0 ? -nearest : nearest;
}

rn_sdf *rn_sdf_bowl(double radius, double depth) {
    static const rn_sdf_class type = {bowl_distance, bowl_distance, rn_sdf_leaf_heights, NULL};
    if (!rn_sdf_check_size(radius, "radius of the bowl") || !rn_sdf_check_size(depth, "depth of the bowl")) return NULL;
    if (depth > radius) {
        rn_shape_fail(RN_INVALID, "the bowl is %g m deep; its depth may not exceed its radius, %g m", depth, radius);
        return NULL;
    }
    bowl *shape = rn_sdf_new(&type, sizeof *shape);
    if (!shape) return NULL;
    shape->rim = radius;
    shape->radius = (radius * radius + depth * depth) / (2 * depth);
    shape->centre = shape->radius - depth;
    rn_sdf_set_slab(&shape->node, (rn_vec3){0, 0, 1}, -depth, 0, 1);
    return &shape->node;
}
