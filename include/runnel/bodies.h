/* Rigid bodies that block liquid, float on it, dam it and are swept away. docs/bodies.md has the method.

   runnel does not move bodies itself. The host, a rigid-body engine or a script, says before each rn_world_step
   where each body will be and how fast, and afterwards reads the forces of the liquid on it. */
#ifndef RUNNEL_BODIES_H
#define RUNNEL_BODIES_H

#include <runnel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes --------------------------------------------------------------------------------------------

   A shape is a closed surface of triangles in its own coordinates, z up. Sizes are from 1e-9 to 1e9 m, coordinates
   within 1e9 m. A constructor that fails returns NULL with an error text. Bodies copy their shapes; the caller destroys
   each with rn_shape_destroy. */
typedef struct rn_shape rn_shape;

RN_API rn_shape *rn_shape_box(rn_vec3 size);     /* m, full sizes, centred on the origin */
RN_API rn_shape *rn_shape_sphere(double radius); /* m, around the origin */
/* A cylinder along z, centred on the origin (m). */
RN_API rn_shape *rn_shape_cylinder(double radius, double length);
/* A capsule along z, centred on the origin (m). `length` is the distance between the centres of its round ends, and may
   be 0. */
RN_API rn_shape *rn_shape_capsule(double radius, double length);
/* The convex hull of `count` points, 4 or more and not all in one plane: x y z of each (m); copied. */
RN_API rn_shape *rn_shape_hull(const float *positions, size_t count);
/* A closed mesh: x y z of each vertex (m), three indices per triangle; copied. Vertices at the same place are merged. A
   mesh that is inside out is turned, with a warning. A mesh with open edges, edges of three or more triangles, or no
   volume is refused. hooks: for memory and the warning; NULL: libc and none. */
RN_API rn_shape *rn_shape_mesh(const float *positions, uint32_t vertex_count, const uint32_t *indices,
                               uint32_t triangle_count, const rn_hooks *hooks);
/* Adds a copy of another shape, rotated and then moved to `at` (m): a truck is a box on wheels. Parts may touch; where
   they overlap, their volume counts twice. On failure returns RN_LIMIT, RN_MEMORY, or RN_INVALID if position or
   rotation is not finite; then `shape` is unchanged. */
RN_API rn_result rn_shape_add(rn_shape *shape, const rn_shape *part, rn_vec3 at, rn_quat turn);
/* A copy of a shape, rotated and then moved to `at` (m), or NULL, with an error text, on failure. */
RN_API rn_shape *rn_shape_transform(const rn_shape *shape, rn_vec3 at, rn_quat turn);
/* Sets the colour of all parts of a shape that have none yet: linear RGB from 0 to 1, not checked, for renderers. */
RN_API void rn_shape_paint(rn_shape *shape, rn_vec3 colour);
RN_API void rn_shape_destroy(rn_shape *shape); /* NULL is allowed */

/* What a part of a shape was made of, for engines with primitives of their own. */
typedef enum rn_shape_kind {
    RN_SHAPE_BOX,
    RN_SHAPE_SPHERE,
    RN_SHAPE_CAPSULE,
    RN_SHAPE_CYLINDER,
    RN_SHAPE_HULL,
    RN_SHAPE_MESH,
} rn_shape_kind;

typedef struct rn_shape_part {
    rn_shape_kind kind;
    rn_vec3 size; /* m: full sizes of a box; of a sphere, capsule or cylinder the radius in x and the length in z */
    rn_vec3 at;   /* m, position within the shape */
    rn_quat turn; /* rotation within the shape */
    uint32_t first, count; /* range of its triangles */
    rn_vec3 colour;        /* linear RGB from 0 to 1, for renderers; all 0: the colour of the body */
} rn_shape_part;

typedef struct rn_shape_info {
    double volume;        /* m^3 */
    rn_vec3 centre;       /* m, centre of mass for uniform density */
    double inertia[3][3]; /* m^5, about the centre, for density 1 */
    rn_vec3 low, high;    /* m, corners of its bounding box */
    double radius;        /* m, of the smallest ball around the centre that holds the shape */
    uint32_t vertex_count, triangle_count;
    const float *positions;  /* x y z (m); valid as long as the shape */
    const uint32_t *indices; /* counter-clockwise seen from outside */
    const rn_shape_part *parts;
    int part_count;
} rn_shape_info;

/* Volume, mass properties, triangles and parts of a shape; its arrays are valid until the shape changes. */
RN_API rn_shape_info rn_shape_describe(const rn_shape *shape);

/* ---- Bodies ------------------------------------------------------------------------------------------------ */

typedef enum rn_body_mode {
    RN_BODY_AUTO, /* floats if it is lighter than the liquid, otherwise blocks; a floating body that runs aground blocks
                     until it is afloat again */
    RN_BODY_BLOCKS, /* is solid: liquid flows around, over and under it (Kellomaki 2014) */
    RN_BODY_FLOATS, /* rides on the liquid and stirs it; the liquid flows as if the body were not there (Thuerey 2007)
                     */
} rn_body_mode;

/* How the grid represents a blocking body while it moves. */
typedef enum rn_blocking {
    RN_BLOCKING_AUTO,   /* swept with the implicit solver, shares otherwise */
    RN_BLOCKING_SHARES, /* each cell stores the share of its area that the body covers */
    RN_BLOCKING_SWEPT,  /* like shares, and faces also count the volume that the body sweeps; needs the implicit solver,
                           otherwise shares */
    RN_BLOCKING_CELLS,  /* a cell is covered wholly or not at all, by its centre: as in the paper; makes waves */
} rn_blocking;

typedef struct rn_pose {
    rn_vec3 at; /* m, position of the shape's origin */
    rn_quat turn;
    rn_vec3 velocity; /* m/s, of the centre of mass */
    rn_vec3 spin;     /* rad/s, about the axes of the world */
} rn_pose;

typedef struct rn_body_def {
    const rn_shape *shape; /* copied */
    double density;        /* kg/m^3; default 500 */
    double mass;           /* kg, in place of the density; 0: from the density */
    rn_body_mode mode;
    rn_blocking blocking;
    double drag;    /* C of the paper, 0 or more; default 1 */
    double damping; /* 1/s, rate at which a submerged body loses its speed relative to the liquid; default 0.5 */
    rn_pose pose;
    rn_vec3 colour;        /* linear RGB from 0 to 1, for renderers; all 0: wood */
    const char *name;      /* copied; NULL: none */
    const rn_shape *drawn; /* copied; what pictures and exports show in place of the shape; NULL: the shape */
} rn_body_def;

/* A definition with all defaults; only the shape is missing. */
RN_API rn_body_def rn_body_default(void);
/* Adds a body, at its pose from now on. Returns its number, counted from 0, or -1, with an error text, if a value of
   the definition is invalid, the world's solver does not support the mode, or memory ran out. */
RN_API int rn_bodies_add(rn_world *world, const rn_body_def *def);
/* Sets where the body will be at the end of the next rn_world_step and how fast it will move then; it moves evenly in
   between. A body that moves by more than 10 cells is teleported instead, with a warning the first time. Velocity and
   spin are limited to 1e4 m/s and rad/s along each axis. Returns RN_INVALID, and leaves the body where it is, if there
   is no such body, the pose is not finite, or a coordinate is beyond 1e9 m. */
RN_API rn_result rn_bodies_move(rn_world *world, int body, const rn_pose *pose);
/* Puts the body at a pose at once: it pushes no liquid on the way. Limits and failures are those of rn_bodies_move. */
RN_API rn_result rn_bodies_teleport(rn_world *world, int body, const rn_pose *pose);
/* Removes the body and frees its shape; liquid flows back in the next rn_world_step. Its number is not used again.
   Returns RN_INVALID if there is no such body. */
RN_API rn_result rn_bodies_remove(rn_world *world, int body);
/* Whether there is a body of this number that has not been removed. */
RN_API bool rn_bodies_has(const rn_world *world, int body);
/* Changes whether the body blocks or floats, from the next rn_world_step on. Returns RN_INVALID, with nothing changed,
   if there is no such body, no such mode, or the world's solver cannot do this. */
RN_API rn_result rn_bodies_set_mode(rn_world *world, int body, rn_body_mode mode);
/* The number of bodies added so far, including removed ones. */
RN_API int rn_bodies_count(const rn_world *world);

/* The forces of the liquid on a body, from the last rn_world_step. */
typedef struct rn_body_load {
    rn_vec3 force;    /* N: buoyancy, drag and damping, without weight */
    rn_vec3 torque;   /* N m, about the centre of mass */
    rn_vec3 buoyancy; /* N, the part of the force that is buoyancy */
    rn_vec3 drag;     /* N, the rest of the force */
    double submerged; /* m^3 */
    double share;     /* submerged share of its volume, 0 to 1 */
    rn_vec3 flow;     /* m/s, velocity of the liquid around it */
    bool blocks;      /* the body blocks now */
    bool aground;     /* rests on solid */
} rn_body_load;

/* The forces on a body; all 0 if there is no such body, or before the first rn_world_step. */
RN_API rn_body_load rn_bodies_load(const rn_world *world, int body);

typedef struct rn_body_info {
    bool there;           /* false: no such body, or removed */
    double mass;          /* kg */
    double volume;        /* m^3 */
    rn_vec3 centre;       /* m, centre of mass, from the shape's origin, before the pose is applied */
    double inertia[3][3]; /* kg m^2, about the centre, before the pose is applied */
    rn_pose pose;         /* the last one set: where the body will be after the next rn_world_step */
    rn_body_mode mode;
    rn_blocking blocking; /* as defined */
    rn_vec3 colour;
    const char *name; /* "" if it has none; name, shape and drawn are valid as long as the body */
    const rn_shape *shape;
    const rn_shape *drawn; /* what pictures and exports show: the shape, unless the definition has another */
} rn_body_info;

/* Everything that is known about a body; `there` is false if it does not exist. */
RN_API rn_body_info rn_bodies_describe(const rn_world *world, int body);

/* The level of the liquid (m) at (x, y) as it would be without bodies, for drawing without dents: that of the
   topmost liquid, continued under bodies from around them. NAN where it is dry or outside the domain. */
RN_API double rn_bodies_effective_level(const rn_world *world, double x, double y);

#ifdef __cplusplus
}
#endif

#endif
