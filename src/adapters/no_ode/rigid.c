/* Replaces the ODE adapter in builds without ODE: no engine can be made. */
#include "base/error.h"

#include <runnel/rigid.h>

rn_result rn_rigid_create(rn_world *world, const rn_rigid_def *def, rn_rigid **rigid) {
    (void)world, (void)def;
    *rigid = NULL;
    return rn_fail(RN_UNSUPPORTED, "bodies cannot be simulated: this build of runnel lacks ODE (libode-dev); script "
                                   "them, replay their poses or move them with your own engine");
}

/* These cannot be called, because there is no engine. */

void rn_rigid_destroy(rn_rigid *rigid) { (void)rigid; }

rn_result rn_rigid_add_body(rn_rigid *rigid, int body, const rn_rigid_body *how) {
    (void)rigid, (void)body, (void)how;
    return RN_UNSUPPORTED;
}

rn_result rn_rigid_move_body(rn_rigid *rigid, int body, const rn_pose *pose) {
    (void)rigid, (void)body, (void)pose;
    return RN_UNSUPPORTED;
}

rn_result rn_rigid_apply_force(rn_rigid *rigid, int body, rn_vec3 force, rn_vec3 torque) {
    (void)rigid, (void)body, (void)force, (void)torque;
    return RN_UNSUPPORTED;
}

rn_result rn_rigid_set_gravity(rn_rigid *rigid, rn_vec3 gravity) {
    (void)rigid, (void)gravity;
    return RN_UNSUPPORTED;
}

rn_result rn_rigid_remove_body(rn_rigid *rigid, int body) {
    (void)rigid, (void)body;
    return RN_UNSUPPORTED;
}

rn_result rn_rigid_add_joint(rn_rigid *rigid, const rn_joint_def *def) {
    (void)rigid, (void)def;
    return RN_UNSUPPORTED;
}

rn_result rn_rigid_step(rn_rigid *rigid, double seconds) {
    (void)rigid, (void)seconds;
    return RN_UNSUPPORTED;
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
    return RN_UNSUPPORTED;
}
