/* Poses of bodies during a step. */
#ifndef RN_WORLD_POSE_H
#define RN_WORLD_POSE_H

#include "world/world.h"

#define RN_FARTHEST 1e9 /* m, largest coordinate of a body */
#define RN_FASTEST  1e4 /* m/s, and rad/s for the spin */

/* Whether all coordinates lie within +-most. */
static inline bool rn_within(rn_vec3 v, double most) {
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

static inline double rn_distance(rn_vec3 a, rn_vec3 b) { return rn_length3(a.x - b.x, a.y - b.y, a.z - b.z); }

/* How far (m) any point of a body can move from now to the end of the step. */
double rn_body_reach(const rn_body *body);
/* The number of parts that the next rn_world_step is split into, so that no blocking body moves more than a quarter
   of a cell in one; 1 to 64. */
int rn_bodies_parts(const rn_world *world);
/* Sets all bodies to their poses after `share` of this rn_world_step. */
void rn_bodies_advance(rn_world *world, double share);
/* The cells around a body at a pose, and `around` more on every side; at least one cell, the nearest. */
rn_cells rn_body_cells(const rn_world *world, const rn_body *body, const rn_pose *pose, int around);
/* Whether a pose is within the limits of stored poses; poses from hosts are refused or corrected first. */
bool rn_pose_kept(const rn_pose *pose);
/* Interpolates between two poses, with the velocities of the second. */
rn_pose rn_pose_between(const rn_pose *from, const rn_pose *to, double share);
/* Whether two poses put a body at the same place. */
bool rn_pose_same(const rn_pose *a, const rn_pose *b);
/* Whether a body blocks by its mode and density alone, regardless of being aground. */
bool rn_body_blocks(const rn_world *world, const rn_body *body);

#endif
