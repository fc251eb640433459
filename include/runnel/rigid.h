/* A rigid-body engine for the bodies of a world: ODE, where it is installed. Hosts with an engine of their own need
   none of this: rn_bodies_move and rn_bodies_load are all that one has to call. docs/bodies.md has an example of
   either.

   In each frame: rn_rigid_step, then rn_world_step by the same time. */
#ifndef RUNNEL_RIGID_H
#define RUNNEL_RIGID_H

#include <runnel/bodies.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine beside a world. The same calls give the same motion, to the bit, on the same machine; elsewhere the
   libraries of C and ODE may round otherwise. Engines share numbers within ODE: step one at a time. */
typedef struct rn_rigid rn_rigid;

typedef struct rn_rigid_def {
    rn_vec3 gravity;         /* m/s^2; all 0, the default: straight down, as strong as that of the world */
    double substep;          /* s, the longest; default 0.005 */
    int iterations;          /* of the solver of contacts and joints in a substep; default 40 */
    double friction, bounce; /* of the ground; default 0.6, and 0 */
    const rn_sdf *solid;     /* that the world's terrain was made of, for a finer ground than columns have; may be NULL;
                                must outlive the engine */
    bool open[4];            /* by rn_side: bodies may leave there; otherwise they are held as by walls */
    rn_hooks hooks;
} rn_rigid_def;

RN_API rn_rigid_def rn_rigid_default(void);

/* RN_UNSUPPORTED where there is no ODE. The world must outlive the engine. */
RN_API rn_result rn_rigid_create(rn_world *world, const rn_rigid_def *def, rn_rigid **rigid);
RN_API void rn_rigid_destroy(rn_rigid *rigid); /* NULL is allowed */

typedef struct rn_rigid_body {
    bool driven; /* moves by rn_rigid_move_body alone, whatever it hits; otherwise weight, liquid and all that it
                    touches move it */
    double friction, bounce; /* default 0.6, and 0; of two that touch the mean (geometric) friction and the larger
                                bounce count */
} rn_rigid_body;

RN_API rn_rigid_body rn_rigid_body_default(void);

/* Has the engine move a body of the world from where it is. */
RN_API rn_result rn_rigid_add_body(rn_rigid *rigid, int body, const rn_rigid_body *how);
/* Where a driven body is going to be after the next rn_rigid_step. */
RN_API rn_result rn_rigid_move_body(rn_rigid *rigid, int body, const rn_pose *pose);
/* A force (N) at the centre of mass and a torque (N m), besides those of the liquid, throughout the next rn_rigid_step.
 */
RN_API rn_result rn_rigid_apply_force(rn_rigid *rigid, int body, rn_vec3 force, rn_vec3 torque);
/* Another gravity (m/s^2) from the next rn_rigid_step on, to go with rn_world_set_gravity. Wakes all bodies. */
RN_API rn_result rn_rigid_set_gravity(rn_rigid *rigid, rn_vec3 gravity);
/* Lets go of a body: after rn_bodies_remove, or to move it by other means. Its joints go with it. */
RN_API rn_result rn_rigid_remove_body(rn_rigid *rigid, int body);

typedef enum rn_joint_kind {
    RN_JOINT_BALL,   /* turns any way about a point */
    RN_JOINT_HINGE,  /* turns about a line */
    RN_JOINT_SLIDER, /* slides along a line */
    RN_JOINT_FIXED,  /* does neither */
} rn_joint_kind;

typedef struct rn_joint_def {
    rn_joint_kind kind;
    int body, to;     /* both taken; `to` -1: the ground */
    rn_vec3 at;       /* m, of a ball or a hinge, now */
    rn_vec3 axis;     /* of a hinge or a slider, of any length but 0 */
    bool limited;     /* a hinge or a slider goes no farther than */
    double low, high; /* rad from -pi to 0 and 0 to pi, or m: from how the bodies are now */
} rn_joint_def;

RN_API rn_result rn_rigid_add_joint(rn_rigid *rigid, const rn_joint_def *def);

/* Moves all of them on by as long as the next rn_world_step will take, and tells the world by rn_bodies_move. A body
   that is thrown out of this world by far, or to no number at all, is stopped where it was before, with one warning. */
RN_API rn_result rn_rigid_step(rn_rigid *rigid, double seconds);
/* Takes poses and speeds from the world anew: after rn_world_restore, or rn_bodies_teleport. */
RN_API void rn_rigid_follow(rn_rigid *rigid);
/* What the engine knows of a body besides: with its pose in the world restored, it goes on from there to the bit. 0 in
   all of them for one that is driven or not taken. */
enum { RN_RIGID_STATE = 28 };
RN_API void rn_rigid_save(const rn_rigid *rigid, int body, double state[RN_RIGID_STATE]);
/* After rn_rigid_follow. */
RN_API rn_result rn_rigid_restore(rn_rigid *rigid, int body, const double state[RN_RIGID_STATE]);
/* It was thrown out of the world, and has been stopped. */
RN_API bool rn_rigid_is_lost(const rn_rigid *rigid, int body);
/* It has come to rest, and costs nothing until something touches it or the liquid changes. */
RN_API bool rn_rigid_is_asleep(const rn_rigid *rigid, int body);

#ifdef __cplusplus
}
#endif

#endif
