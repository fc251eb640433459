/* Rigid bodies that block liquid, float on it, dam it and are swept away. docs/bodies.md has the method.

   runnel moves no bodies: whoever does, a rigid-body engine or a script, says before each rn_world_step where they are
   going to be and how fast, and asks afterwards what the liquid does to them. */
#ifndef RUNNEL_BODIES_H
#define RUNNEL_BODIES_H

#include <runnel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Shapes --------------------------------------------------------------------------------------------

   A shape is a closed surface of triangles around its own origin, z up, whatever it was made of. A constructor that
   fails returns NULL with an error text. Bodies copy their shapes. */
typedef struct rn_shape rn_shape;

RN_API rn_shape *rn_shape_box(rn_vec3 size);     /* m, full sizes */
RN_API rn_shape *rn_shape_sphere(double radius); /* m */
/* m, along z. The length of a capsule is that between the centres of its ends. */
RN_API rn_shape *rn_shape_cylinder(double radius, double length);
RN_API rn_shape *rn_shape_capsule(double radius, double length);
/* The convex hull of points: x y z of each (m). */
RN_API rn_shape *rn_shape_hull(const float *positions, size_t count);
/* A closed mesh: x y z of each vertex (m), three indices per triangle. One that is inside out is turned, with a
   warning; one with open edges, edges of three triangles or no volume is refused. */
RN_API rn_shape *rn_shape_mesh(const float *positions, uint32_t vertex_count, const uint32_t *indices,
                               uint32_t triangle_count, const rn_hooks *hooks);
/* Adds a copy of another shape, turned and then moved: a truck is a box on wheels. Parts may touch; where they overlap
   they count twice. */
RN_API rn_result rn_shape_add(rn_shape *shape, const rn_shape *part, rn_vec3 at, rn_quat turn);
/* A copy of a shape, turned and then moved. */
RN_API rn_shape *rn_shape_transform(const rn_shape *shape, rn_vec3 at, rn_quat turn);
/* Gives the parts of a shape that have no colour yet this one: linear RGB from 0 to 1, for renderers. */
RN_API void rn_shape_paint(rn_shape *shape, rn_vec3 colour);
RN_API void rn_shape_destroy(rn_shape *shape); /* NULL is allowed */

/* What the parts of a shape were made of, for engines that know such things. */
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
    rn_vec3 size;          /* m: of a box; radius in x and length in z of what is round */
    rn_vec3 at;            /* m, where it is in the shape, */
    rn_quat turn;          /* and how it is turned */
    uint32_t first, count; /* its triangles */
    rn_vec3 colour;        /* linear RGB from 0 to 1, for renderers; all 0: that of the body */
} rn_shape_part;

typedef struct rn_shape_info {
    double volume;        /* m^3 */
    rn_vec3 centre;       /* m, of mass, of even density */
    double inertia[3][3]; /* m^5, about the centre, of density 1 */
    rn_vec3 low, high;    /* m, corners of the box around it */
    double radius;        /* m, of the ball around the centre that holds it */
    uint32_t vertex_count, triangle_count;
    const float *positions;  /* x y z (m); as long as the shape */
    const uint32_t *indices; /* seen counter-clockwise from outside */
    const rn_shape_part *parts;
    int part_count;
} rn_shape_info;

RN_API rn_shape_info rn_shape_describe(const rn_shape *shape);

/* ---- Bodies ------------------------------------------------------------------------------------------------ */

typedef enum rn_body_mode {
    RN_BODY_AUTO,   /* floats if it is lighter than the liquid, blocks otherwise; one that floats and runs aground
                       blocks until it is afloat again */
    RN_BODY_BLOCKS, /* is solid: liquid flows around, over and under it (Kellomaki 2014) */
    RN_BODY_FLOATS, /* rides on the liquid and stirs it, which flows on as if it were not there (Thuerey 2007) */
} rn_body_mode;

/* How a body that blocks does so while it moves. */
typedef enum rn_blocking {
    RN_BLOCKING_AUTO,   /* swept with the implicit solver, shares otherwise */
    RN_BLOCKING_SHARES, /* cells count the share that it covers */
    RN_BLOCKING_SWEPT,  /* and faces what it sweeps over; needs the implicit solver, otherwise shares */
    RN_BLOCKING_CELLS,  /* all of a cell or nothing, by its middle: the paper's, which throws waves */
} rn_blocking;

typedef struct rn_pose {
    rn_vec3 at; /* m, of the shape's origin */
    rn_quat turn;
    rn_vec3 velocity; /* m/s, of the centre of mass */
    rn_vec3 spin;     /* rad/s, about the world's axes */
} rn_pose;

typedef struct rn_body_def {
    const rn_shape *shape; /* copied */
    double density;        /* kg/m^3; default 500 */
    double mass;           /* kg, in place of the density; 0: as the density says */
    rn_body_mode mode;
    rn_blocking blocking;
    double drag;    /* C of the paper, 0 or more; default 1 */
    double damping; /* 1/s, of a submerged body's motion through the liquid; default 0.5 */
    rn_pose pose;
    rn_vec3 colour;   /* linear RGB from 0 to 1, for renderers; all 0: that of wood */
    const char *name; /* copied; NULL: none */
} rn_body_def;

RN_API rn_body_def rn_body_default(void);
/* Known by the number returned, from 0; -1 if refused. */
RN_API int rn_bodies_add(rn_world *world, const rn_body_def *def);
/* Where it is going to be at the end of the next rn_world_step, and how fast: in between it moves evenly. A pose that
   is not finite is refused, and the body stays where it was. */
RN_API rn_result rn_bodies_move(rn_world *world, int body, const rn_pose *pose);
/* Where it is at once, without having passed what lies between. */
RN_API rn_result rn_bodies_teleport(rn_world *world, int body, const rn_pose *pose);
/* Its number is not used again. */
RN_API rn_result rn_bodies_remove(rn_world *world, int body);
RN_API bool rn_bodies_has(const rn_world *world, int body);
RN_API rn_result rn_bodies_set_mode(rn_world *world, int body, rn_body_mode mode);
/* How many have been added; removed ones count. */
RN_API int rn_bodies_count(const rn_world *world);

/* What the liquid does to a body, as of the last rn_world_step. */
typedef struct rn_body_load {
    rn_vec3 force;    /* N: buoyancy, drag and damping, without weight */
    rn_vec3 torque;   /* N m, about the centre of mass */
    rn_vec3 buoyancy; /* N, its part of the force, */
    rn_vec3 drag;     /* N, and the rest */
    double submerged; /* m^3 */
    double share;     /* of its volume, that is submerged */
    rn_vec3 flow;     /* m/s, of the liquid around it */
    bool blocks;      /* now */
    bool aground;     /* rests on solid */
} rn_body_load;

RN_API rn_body_load rn_bodies_load(const rn_world *world, int body);

typedef struct rn_body_info {
    bool there;           /* false: no such body, or removed */
    double mass;          /* kg */
    double volume;        /* m^3 */
    rn_vec3 centre;       /* m, of mass, from the shape's origin, as the shape stands */
    double inertia[3][3]; /* kg m^2, about the centre, as the shape stands */
    rn_pose pose;         /* as last asked for: that after the next rn_world_step, if it moves */
    rn_body_mode mode;
    rn_blocking blocking; /* as asked for */
    rn_vec3 colour;
    const char *name; /* "" if it has none; these three as long as the body */
    const rn_shape *shape;
} rn_body_info;

RN_API rn_body_info rn_bodies_describe(const rn_world *world, int body);

/* The liquid's surface as it would be without bodies (m): level over the topmost liquid of each cell's ground, carried
   on under bodies from around them. For drawing: no dents. NAN where it is dry. */
RN_API double rn_bodies_effective_level(const rn_world *world, double x, double y);

#ifdef __cplusplus
}
#endif

#endif
