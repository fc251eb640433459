/* Replaces the ODE adapter in builds without ODE: no engine can be made. */
#include "base/error.h"

#include <runnel/rigid.h>

/* Returns RN_UNSUPPORTED, with a message. */
static rn_result refuse(void) {
    return rn_fail(RN_UNSUPPORTED, "bodies cannot be simulated: this build of runnel lacks ODE (libode-dev); script "
                                   "them, replay their poses or move them with your own engine");
}

rn_result rn_rigid_create(rn_world *world, const rn_rigid_def *def, rn_rigid **rigid) {
    (void)world, (void)def;
    *rigid = NULL;
    return refuse();
}

/* These cannot be called, because there is no engine. */

void rn_rigid_destroy(rn_rigid *rigid) { (void)rigid; }

rn_result rn_rigid_add_body(rn_rigid *rigid, int body, const rn_rigid_body *how) {
    (void)rigid, (void)body, (void)how;
    return refuse();
}

rn_result rn_rigid_move_body(rn_rigid *rigid, int body, const rn_pose *pose) {
    (void)rigid, (void)body, (void)pose;
    return refuse();
}

rn_result rn_rigid_apply_force(rn_rigid *rigid, int body, rn_vec3 force, rn_vec3 torque) {
    (void)rigid, (void)body, (void)force, (void)torque;
    return refuse();
}

rn_result rn_rigid_set_gravity(rn_rigid *rigid, rn_vec3 gravity) {
    (void)rigid, (void)gravity;
    return refuse();
}

rn_result rn_rigid_remove_body(rn_rigid *rigid, int body) {
    (void)rigid, (void)body;
    return refuse();
}

rn_result rn_rigid_add_joint(rn_rigid *rigid, const rn_joint_def *def) {
    (void)rigid, (void)def;
    return refuse();
}

rn_result rn_rigid_step(rn_rigid *rigid, double seconds) {
    (void)rigid, (void)seconds;
    return refuse();
}

void rn_rigid_follow(rn_rigid *rigid) { (void)rigid; }

bool rn_rigid_is_lost(const rn_rigid *rigid, int body) {
    (void)rigid, (void)body;
    return false;
}

bool rn_rigid_is_asleep(const rn_rigid *rigid, int body) {
    (void)rigid, (void)body;
    return false;
}

void rn_rigid_save(const rn_rigid *rigid, int body, double state[RN_RIGID_STATE]) {
    (void)rigid, (void)body, (void)state;
}

rn_result rn_rigid_restore(rn_rigid *rigid, int body, const double state[RN_RIGID_STATE]) {
    (void)rigid, (void)body, (void)state;
    return refuse();
}
