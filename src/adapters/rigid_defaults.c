/* Defaults of the rigid-body engine, in every build. */
#include <runnel/rigid.h>

rn_rigid_def rn_rigid_default(void) { return (rn_rigid_def){.substep = 0.005, .iterations = 40, .friction = 0.6}; }

rn_rigid_body rn_rigid_body_default(void) { return (rn_rigid_body){.friction = 0.6}; }
