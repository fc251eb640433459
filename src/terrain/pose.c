/* Moving, rotating and scaling of shapes: consecutive ones are multiplied into one node. Mounted shapes (rn_sdf_mount)
   can be placed repeatedly. */
#include "terrain/mesh_solid.h"

#include "base/error.h"
#include "base/maths.h"

typedef struct posed {
    rn_sdf node;
    rn_placement pose;
    bool turned;  /* its rotation is not the identity */
    bool upright; /* its rotation keeps vertical lines vertical */
    rn_sdf *shape;
    rn_placement own; /* for mounted shapes: the pose that it had before */
} posed;

/* A point (m) in the coordinates of the shape inside the pose. */
static rn_vec3 to_local(const posed *self, rn_vec3 at) {
    rn_vec3 p = rn_minus(at, self->pose.by);
    if (self->turned) p = rn_rotate_back(self->pose.turn, p);
    double scale = self->pose.scale;
    return (rn_vec3){p.x / scale, p.y / scale, p.z / scale};
}

/* The distance (m) of the shape in its pose. */
static double posed_distance(const rn_sdf *self, rn_vec3 at) {
    const posed *node = (const posed *)self;
    return node->pose.scale * node->shape->type->distance(node->shape, to_local(node, at));
}

/* The shape's rise (m) if vertical lines stay vertical, otherwise the distance. */
static double posed_rise(const rn_sdf *self, rn_vec3 at) {
    const posed *node = (const posed *)self;
    if (!node->upright) return posed_distance(self, at);
    return node->pose.scale * node->shape->type->rise(node->shape, to_local(node, at));
}

/* The heights of the shape inside, with both poses composed. */
static rn_heights posed_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow) {
    const posed *node = (const posed *)self;
    rn_placement whole = rn_pose_compose(pose, &node->pose);
    return node->shape->type->heights(node->shape, &whole, over, grow);
}

/* Destroys the shape inside; rn_sdf_destroy frees the node itself. */
static void posed_release(rn_sdf *self) { rn_sdf_destroy(((posed *)self)->shape); }

static const rn_sdf_class posed_class = {posed_distance, posed_rise, posed_heights, posed_release};

const rn_sdf *rn_sdf_unpose(const rn_sdf *shape, const rn_placement **pose) {
    const posed *node = (const posed *)shape;
    if (shape->type != &posed_class || node->pose.turn[2][2] != 1) return NULL;
    *pose = &node->pose;
    return node->shape;
}

/* Creates a node that owns the shape, with the identity as its pose; the caller sets its bounds by set_pose. On failure
   returns NULL, with an error text; the shape is then destroyed. */
static posed *wrap_in_pose(rn_sdf *shape) {
    posed *node = NULL;
    if (shape->depth + 1 > RN_SDF_DEPTH)
        rn_shape_fail(RN_LIMIT,
                      "the solid is nested more than %d levels deep; move and turn its parts before they are joined",
                      RN_SDF_DEPTH);
    else node = rn_sdf_new(&posed_class, sizeof *node);
    if (!node) {
        rn_sdf_destroy(shape);
        return NULL;
    }
    node->shape = shape;
    node->node.depth = shape->depth + 1;
    node->pose = rn_pose_identity();
    return node;
}

/* The shape itself if it has a pose, so that the next step can be multiplied into it; otherwise wraps it. On failure
   returns NULL, with an error text and the shape destroyed. */
static posed *as_posed(rn_sdf *shape) { return shape->type == &posed_class ? (posed *)shape : wrap_in_pose(shape); }

/* Sets the pose, and the flags and bounds that follow from it and from the bounds of the shape inside. */
static void set_pose(posed *node, const rn_placement *pose) {
    node->pose = *pose;
    node->turned = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) node->turned |= pose->turn[i][j] != (i == j);
    node->upright = fabs(pose->turn[2][2]) == 1;
    node->node.bounds = rn_pose_box(pose, &node->shape->bounds);
}

/* Applies a step after the shape's present pose. Consumes the shape. Returns NULL, with an error text, if the position
   or scale that results is out of range or memory runs out. */
static rn_sdf *apply_step(const rn_placement *step, rn_sdf *shape) {
    posed *node = as_posed(shape);
    if (!node) return NULL;
    rn_placement pose = rn_pose_compose(step, &node->pose);
    if (!rn_sdf_check_place(pose.by, "position of a shape") ||
        !rn_sdf_check_size(pose.scale, "length that 1 m of a shape is scaled to")) {
        rn_sdf_destroy(&node->node);
        return NULL;
    }
    set_pose(node, &pose);
    return &node->node;
}

rn_sdf *rn_sdf_move(rn_sdf *shape, rn_vec3 by) {
    if (!shape) return NULL;
    if (!rn_sdf_check_place(by, "displacement of a shape")) {
        rn_sdf_destroy(shape);
        return NULL;
    }
    rn_placement step = rn_pose_identity();
    step.by = by;
    return apply_step(&step, shape);
}

/* Returns false, with an error text, unless all four numbers are finite. */
static bool check_turn(rn_quat turn) {
    if (isfinite(turn.x) && isfinite(turn.y) && isfinite(turn.z) && isfinite(turn.w)) return true;
    rn_shape_fail(RN_INVALID, "a shape is turned by the quaternion (%g, %g, %g, %g); all four must be finite", turn.x,
                  turn.y, turn.z, turn.w);
    return false;
}

rn_sdf *rn_sdf_turn(rn_sdf *shape, rn_quat turn) {
    if (!shape) return NULL;
    if (!check_turn(turn)) {
        rn_sdf_destroy(shape);
        return NULL;
    }
    rn_placement step = rn_pose_turned(turn);
    return apply_step(&step, shape);
}

rn_sdf *rn_sdf_mount(rn_sdf *shape) {
    if (!shape) return NULL;
    const bool posed_mesh = shape->type == &posed_class && rn_mesh_solid_of(((posed *)shape)->shape);
    posed *node = posed_mesh ? (posed *)shape : wrap_in_pose(shape);
    if (!node) return NULL;
    node->own = node->pose;
    set_pose(node, &node->pose);
    return &node->node;
}

bool rn_sdf_place(rn_sdf *mounted, rn_vec3 at, rn_quat turn) {
    if (!check_turn(turn) || !rn_sdf_check_place(at, "position of a solid")) {
        rn_error_held(); /* reported at once */
        return false;
    }
    posed *node = (posed *)mounted;
    rn_mesh_solid *mesh = rn_mesh_solid_of(node->shape);
    const rn_placement none = rn_pose_identity();
    rn_placement pose = rn_pose_turned(turn);
    pose.by = at;
    pose = rn_pose_compose(&pose, &node->own);
    if (mesh && !rn_mesh_solid_place(mesh, &pose)) return false;
    set_pose(node, mesh ? &none : &pose);
    return true;
}

rn_result rn_sdf_bend(rn_sdf *mounted, const float *positions, size_t vertex_count) {
    posed *node = (posed *)mounted;
    const rn_result result = rn_sdf_mesh_deform(node->shape, positions, vertex_count);
    if (result == RN_OK) set_pose(node, &node->pose);
    return result;
}

rn_sdf *rn_sdf_scale(rn_sdf *shape, double factor) {
    if (!shape) return NULL;
    if (!(factor >= RN_SDF_LEAST && factor <= RN_SDF_REACH)) {
        rn_shape_fail(RN_INVALID, "a shape is scaled by %g; the factor must lie between %g and %g", factor,
                      RN_SDF_LEAST, RN_SDF_REACH);
        rn_sdf_destroy(shape);
        return NULL;
    }
    rn_placement step = rn_pose_identity();
    step.scale = factor;
    return apply_step(&step, shape);
}
