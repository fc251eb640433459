/* A rigid-body engine for the bodies of a world: ODE, where it is installed. Hosts with their own engine need only
   rn_bodies_move and rn_bodies_load. docs/bodies.md has examples of both.

   In each frame: rn_rigid_step, then rn_world_step with the same time. */
#ifndef RUNNEL_RIGID_H
#define RUNNEL_RIGID_H

#include <runnel/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine beside a world. The same calls give the same motion, to the bit, on the same machine; elsewhere the C
   library and ODE may round differently. Engines share state within ODE: step only one at a time. */
typedef struct rn_rigid rn_rigid;

typedef struct rn_rigid_def {
    rn_vec3 gravity;         /* m/s^2; all 0, the default: straight down with the strength of the world's gravity */
    double substep;          /* s, longest substep; default 0.005 */
    int iterations;          /* of the solver for contacts and joints per substep; default 40 */
    double friction, bounce; /* of the ground; default 0.6 and 0 */
    const rn_sdf *solid; /* the solid that the world's terrain was made of, for a finer ground than its columns; may be
                            NULL; must outlive the engine */
    bool open[4];        /* by rn_side: bodies may leave there; otherwise an invisible wall holds them */
    rn_hooks hooks;
} rn_rigid_def;

/* A definition with all defaults. */
RN_API rn_rigid_def rn_rigid_default(void);

/* Starts an engine for a world, which must outlive it, without bodies. Returns RN_UNSUPPORTED where there is no ODE.
   Returns RN_INVALID if substep or iterations are not above 0, or friction or bounce are negative. On failure *rigid is
   NULL. */
RN_API rn_result rn_rigid_create(rn_world *world, const rn_rigid_def *def, rn_rigid **rigid);
RN_API void rn_rigid_destroy(rn_rigid *rigid); /* NULL is allowed */

typedef struct rn_rigid_body {
    bool driven; /* only rn_rigid_move_body moves it, whatever it hits; otherwise weight, liquid and contacts do */
    double friction,
        bounce; /* default 0.6 and 0; a contact uses the geometric mean of the frictions and the larger bounce */
} rn_rigid_body;

/* A free body with default friction and bounce. */
RN_API rn_rigid_body rn_rigid_body_default(void);

/* Lets the engine move a body of the world, starting from its pose. Returns RN_INVALID if there is no such body, it is
   in the engine already, friction or bounce are negative, or its size or mass does not suit an engine. */
RN_API rn_result rn_rigid_add_body(rn_rigid *rigid, int body, const rn_rigid_body *how);
/* Sets where a driven body will be after the next rn_rigid_step. Returns RN_INVALID if the body is not driven or not in
   the engine, or the pose is not finite. */
RN_API rn_result rn_rigid_move_body(rn_rigid *rigid, int body, const rn_pose *pose);
/* Adds a force (N) at the centre of mass and a torque (N m) to those of the liquid, for the whole of the next
   rn_rigid_step. Several calls add up. Wakes the body. Has no effect on a body that is driven or lost. Returns
   RN_INVALID if the body is not in the engine, or a number is not finite. */
RN_API rn_result rn_rigid_apply_force(rn_rigid *rigid, int body, rn_vec3 force, rn_vec3 torque);
/* Sets gravity (m/s^2) from the next rn_rigid_step on, to go with rn_world_set_gravity. Wakes all bodies. Returns
   RN_INVALID if a component is not from -10000 to 10000. */
RN_API rn_result rn_rigid_set_gravity(rn_rigid *rigid, rn_vec3 gravity);
/* Takes a body out of the engine: after rn_bodies_remove, or to move it by other means. Its joints are removed too. The
   body stays in the world. Returns RN_INVALID if it is not in the engine. */
RN_API rn_result rn_rigid_remove_body(rn_rigid *rigid, int body);

typedef enum rn_joint_kind {
    RN_JOINT_BALL,   /* rotates freely about a point */
    RN_JOINT_HINGE,  /* rotates about a line */
    RN_JOINT_SLIDER, /* slides along a line */
    RN_JOINT_FIXED,  /* no relative motion */
} rn_joint_kind;

typedef struct rn_joint_def {
    rn_joint_kind kind;
    int body, to;     /* both must be in the engine; `to` -1: the ground */
    rn_vec3 at;       /* m, current position of a ball or a hinge */
    rn_vec3 axis;     /* of a hinge or a slider, any length but 0 */
    bool limited;     /* a hinge or a slider is limited to low..high */
    double low, high; /* relative to the current poses: rad from -pi to 0 and 0 to pi for a hinge, m for a slider */
} rn_joint_def;

/* Connects two bodies, or a body and the ground, in their current poses. The joint lasts until one of its bodies is
   removed. Returns RN_INVALID if a body is not in the engine, both are the same, or axis, position or limits are
   invalid. */
RN_API rn_result rn_rigid_add_joint(rn_rigid *rigid, const rn_joint_def *def);

/* Moves all bodies by `seconds`, the time of the next rn_world_step, and passes their poses to rn_bodies_move. A body
   that ends up far outside the world, or with a pose that is not finite, is stopped where it was before; the first one
   is logged as a warning. Bodies that the world no longer has are dropped. `seconds` must be above 0. On failure bodies
   may have moved, some of them only in the engine. */
RN_API rn_result rn_rigid_step(rn_rigid *rigid, double seconds);
/* Takes poses and velocities of all bodies from the world and wakes them: after rn_world_restore or
   rn_bodies_teleport. Lost bodies count as found again. */
RN_API void rn_rigid_follow(rn_rigid *rigid);
/* The number of values in the state of a body. */
enum { RN_RIGID_STATE = 28 };
/* Writes what the engine knows of a body beyond its pose in the world, so that a restored run continues to the bit.
   Writes all 0 for a body that is driven or not in the engine. */
RN_API void rn_rigid_save(const rn_rigid *rigid, int body, double state[RN_RIGID_STATE]);
/* Takes the state that rn_rigid_save wrote; call it after rn_rigid_follow. Returns RN_FORMAT if the state is damaged.
   Does nothing for driven and unknown bodies, or if the state is all 0. */
RN_API rn_result rn_rigid_restore(rn_rigid *rigid, int body, const double state[RN_RIGID_STATE]);
/* Whether the body was thrown out of the world and has been stopped; false if it is not in the engine. */
RN_API bool rn_rigid_is_lost(const rn_rigid *rigid, int body);
/* Whether the body is at rest and not simulated until something touches it or the liquid changes; false if it is driven
   or not in the engine. */
RN_API bool rn_rigid_is_asleep(const rn_rigid *rigid, int body);

#ifdef __cplusplus
}
#endif

#endif
