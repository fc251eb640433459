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

/* The most nodes from the root to a leaf: limits the recursion of every walk over a tree. */
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
    /* The same sign as the distance, and 1-Lipschitz along z alone: allows longer steps for vertical rays. */
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

/* Allocates a node of `size` bytes with infinite bounds; NULL with an error text without memory. */
void *rn_sdf_new(const rn_sdf_class *type, size_t size);

/* Sets the slab of an infinite leaf, and its bounds where the normal is an axis. */
void rn_sdf_set_slab(rn_sdf *leaf, rn_vec3 normal, double low, double high, double stretch);
/* The heights of a leaf, from its bounds and slab; for rn_sdf_class. */
rn_heights rn_sdf_leaf_heights(const rn_sdf *self, const rn_placement *pose, const rn_box *over, double grow);

/* False, with an error text that names `what`, if a value is not acceptable. */
bool rn_sdf_check_size(double size, const char *what);
bool rn_sdf_check_place(rn_vec3 place, const char *what);

/* The box around the solid; infinite where the solid is. */
rn_box rn_sdf_bounds(const rn_sdf *shape);
/* Heights of the solid and of its surface above the x and y of `over`. */
rn_heights rn_sdf_heights(const rn_sdf *shape, const rn_box *over);

typedef struct rn_interval {
    double low, high; /* m */
} rn_interval;

/* The solid ranges of the vertical line through (x, y) from z0 to z1, bottom to top; writes at most `max`. Solid and
   gaps thinner than `step` (m) are dropped, except at the ends of the line. Returns their number, which may exceed
   `max`. */
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

/* The part of a fold that has the same sign as the whole on the vertical line through (x, y): a ray can skip shapes
   beside it. `room` has RN_FOLD_ROOM entries. False if the shape is not a fold or the part does not fit. */
bool rn_fold_on_line(const rn_sdf *shape, double x, double y, rn_fold_entry *room, rn_fold *part);

/* Removes a pose that only moves, scales and rotates about z: returns the shape inside and the pose, or NULL. */
const rn_sdf *rn_sdf_unpose(const rn_sdf *shape, const rn_placement **pose);

/* A shape that can be placed repeatedly: rotated about its own origin, then moved. Consumes the shape; NULL on
   failure. The points of a mesh are moved themselves, because vertical rays through a rotated mesh are slow. */
rn_sdf *rn_sdf_mount(rn_sdf *shape);
/* Places a mounted shape; false, with an error text, if a number is not finite or memory ran out. */
bool rn_sdf_place(rn_sdf *mounted, rn_vec3 at, rn_quat turn);
/* Deforms a mounted mesh; fails for other shapes. */
rn_result rn_sdf_bend(rn_sdf *mounted, const float *positions, size_t vertex_count);

static inline double rn_length2(double x, double y) { return sqrt(x * x + y * y); }
static inline double rn_length3(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }
static inline double rn_dot(rn_vec3 a, rn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline rn_vec3 rn_minus(rn_vec3 a, rn_vec3 b) { return (rn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }

/* The box around a box in a pose. */
rn_box rn_pose_box(const rn_placement *pose, const rn_box *box);
/* The box, larger by `by` (m) on every side. */
rn_box rn_box_grow(rn_box box, double by);

#endif
