/* The node tree behind rn_sdf.

   Every field is 1-Lipschitz, |f(p) - f(q)| <= |p - q|, so |f| never exceeds the distance to the surface
   and a ray may safely advance by it. Points with f <= 0 are solid. */
#ifndef RN_TERRAIN_SDF_H
#define RN_TERRAIN_SDF_H

#include "base/error.h"
#include "terrain/placement.h"

#include <runnel/terrain.h>

#include <math.h>

/* The failure of a constructor: rn_terrain_create reports it, however much later it sees the NULL. */
#define rn_shape_fail(...) (rn_fail(__VA_ARGS__), rn_error_hold())

/* Accepted sizes and positions (m): their squares and quotients stay far from overflow. */
#define RN_SDF_LEAST 1e-12
#define RN_SDF_REACH 1e12

/* The largest number of nodes from the root to a leaf: limits the recursion of every walk over a tree. */
#define RN_SDF_DEPTH 256

typedef struct rn_box {
    rn_vec3 low, high; /* m; low > high along some axis: empty */
} rn_box;

/* An infinite surface lies where low <= normal . p <= high, with its solid on the lower side. Where |f| <= v it lies
   at most v * stretch outside of that. A zero normal: the surface is not infinite. */
typedef struct rn_slab {
    rn_vec3 normal;
    double low, high; /* m */
    double stretch;
} rn_slab;

/* Conservative bounds of the heights of a node above a rectangle (m); low > high: nothing there. */
typedef struct rn_heights {
    double solid_low, solid_high;
    double surface_low, surface_high;
} rn_heights;

typedef struct rn_sdf_class {
    double (*distance)(const rn_sdf *self, rn_vec3 at);
    /* A value (m) with the sign of the distance that is 1-Lipschitz along z alone: allows longer steps for vertical
       rays. */
    double (*rise)(const rn_sdf *self, rn_vec3 at);
    /* Bounds over the x and y of `over`, in world coordinates given by `pose`, allowing for surfaces where |f| <=
       grow (m). */
    rn_heights (*heights)(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow);
    void (*release)(rn_sdf *self); /* frees what the node owns; NULL: nothing */
} rn_sdf_class;

/* The first member of every node. */
struct rn_sdf {
    const rn_sdf_class *type;
    rn_box bounds; /* of the solid */
    int depth;
    rn_slab slab;
};

/* Allocates a node of `size` bytes, an rn_sdf first, with infinite bounds, a depth of 1 and everything else 0. Returns
   NULL, with an error text, if memory runs out. Freed by rn_sdf_destroy. */
void *rn_sdf_new(const rn_sdf_class *type, size_t size);

/* Sets the slab of an infinite leaf, and the side of its bounds that the slab closes if the normal (unit length) is
   along an axis. low, high: m along the normal. */
void rn_sdf_set_slab(rn_sdf *leaf, rn_vec3 normal, double low, double high, double stretch);
/* The heights of a leaf, from its bounds and slab alone; for rn_sdf_class. */
rn_heights rn_sdf_leaf_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow);

/* Returns false, with an error text that names `what`, unless a size (m) lies between RN_SDF_LEAST and RN_SDF_REACH. */
bool rn_sdf_check_size(double size, const char *what);
/* Returns false, with an error text that names `what`, unless each coordinate (m) lies within RN_SDF_REACH of 0. */
bool rn_sdf_check_place(rn_vec3 place, const char *what);

/* The box (m) around the solid, perhaps larger; infinite where the solid is. The shape must not be NULL. */
rn_box rn_sdf_bounds(const rn_sdf *shape);
/* Bounds of the heights of the solid and of its surface above the x and y (m) of `over`; its z is ignored. */
rn_heights rn_sdf_heights(const rn_sdf *shape, const rn_box *over);

typedef struct rn_interval {
    double low, high; /* m */
} rn_interval;

/* Writes the solid ranges of the vertical line through (x, y) from z0 to z1 (m), bottom to top, at most `max`. Solid
   and gaps thinner than `step` (m) are dropped, except at the ends of the line. Returns their number, which may exceed
   `max`; 0 also if arguments are invalid. */
int rn_sdf_intervals(const rn_sdf *shape, double x, double y, double z0, double z1, double step, rn_interval *out,
                     int max);

typedef enum rn_fold_operation { RN_FOLD_UNION, RN_FOLD_SUBTRACT, RN_FOLD_INTERSECT } rn_fold_operation;

typedef struct rn_fold_entry {
    rn_sdf *shape;
    double blend; /* m */
    rn_fold_operation operation;
    rn_box bounds; /* of the shape: a copy that is faster to reach */
} rn_fold_entry;

/* Unions, subtractions and intersections, applied from the first entry to the last, starting with nothing. Chains of
   thousands of them stay one node deep. */
typedef struct rn_fold {
    rn_sdf node;
    rn_fold_entry *entries;
    size_t count, capacity;
    size_t plain; /* entries from here on have no blend: only the signs of their operands matter */
    bool only_plain_unions;
    rn_box sharp;                 /* bounds without blends */
    double blend_sum, blend_most; /* m */
} rn_fold;

#define RN_FOLD_ROOM 128

/* Creates the part of a fold that has the same sign as the whole on the vertical line through (x, y): a ray can skip
   shapes beside it. `room` has RN_FOLD_ROOM entries, which the part uses; it owns no shapes and is not destroyed.
   Returns false, without a message, if the shape is not a fold or the part does not fit. */
bool rn_fold_on_line(const rn_sdf *shape, double x, double y, rn_fold_entry *room, rn_fold *part);

/* Looks through a pose that only moves, scales and rotates about z: returns the shape inside, and in *pose its pose;
   both stay the shape's. Returns NULL if it has no such pose. */
const rn_sdf *rn_sdf_unpose(const rn_sdf *shape, const rn_placement **pose);

/* Creates a shape that rn_sdf_place can place repeatedly: rotated about its own origin, then moved. Consumes the shape.
   Returns NULL, with an error text, on failure, and NULL for NULL. The points of a mesh are moved themselves, because
   vertical rays through a rotated mesh are slow. */
rn_sdf *rn_sdf_mount(rn_sdf *shape);
/* Places a shape from rn_sdf_mount (not checked) at `at` (m), rotated by `turn`, in place of where it was before.
   Returns false, with an error text and nothing changed, if a number is out of range or memory ran out. */
bool rn_sdf_place(rn_sdf *mounted, rn_vec3 at, rn_quat turn);
/* Deforms a mounted mesh: as rn_sdf_mesh_deform. Returns RN_INVALID, with a message, for other shapes; failure leaves
   the mesh unchanged. */
rn_result rn_sdf_bend(rn_sdf *mounted, const float *positions, size_t vertex_count);

static inline double rn_length2(double x, double y) { return sqrt(x * x + y * y); }
static inline double rn_length3(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
static inline double rn_dot(rn_vec3 a, rn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline rn_vec3 rn_minus(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }

/* The box around a box (m) in a pose; larger than necessary if the pose rotates. Infinite sides stay so. */
rn_box rn_pose_box(const rn_placement *pose, const rn_box *box);
/* The box, larger by `by` (m) on every side; a negative value shrinks it. */
rn_box rn_box_grow(rn_box box, double by);

#endif
