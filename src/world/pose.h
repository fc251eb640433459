/* Poses of bodies during a step. */
#ifndef RN_WORLD_POSE_H
#define RN_WORLD_POSE_H

#include "world/world.h"

#define RN_FARTHEST 1e9 /* m, largest coordinate of a body */
#define RN_FASTEST  1e4 /* m/s, and rad/s for the spin */

/* Whether all coordinates lie within +-most; false also for NaN. */
static inline bool rn_within(rn_vec3 v, double most) {
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

/* The distance (m) between two points. */
static inline double rn_distance(rn_vec3 a, rn_vec3 b) { return rn_length3(a.x - b.x, a.y - b.y, a.z - b.z); }

/* How far (m) any point of a body can move from now to the end of the step. */
double rn_body_reach(const rn_body *body);
/* The number of parts that the next rn_world_step is split into, so that no blocking body moves more than a quarter
   of a cell in one, as far as 64 parts allow; 1 without such bodies. */
int rn_bodies_parts(const rn_world *world);
/* Sets all bodies to their poses after `share` (0 to 1) of this rn_world_step, marks those that moved, and notes that
   time has advanced (bodies.advanced). Columns stay as they are. */
void rn_bodies_advance(rn_world *world, double share);
/* The cells that the bounding box of a body at a pose overlaps, and `around` more on every side, within the grid; at
   least one cell, the nearest. The body must have a shape. */
rn_cells rn_body_cells(const rn_world *world, const rn_body *body, const rn_pose *pose, int around);
/* Whether position (RN_FARTHEST), velocities (RN_FASTEST) and rotation (each number within 1) of a pose are within the
   limits of stored poses; poses from hosts are refused or corrected first. Returns false for NaN. */
bool rn_pose_kept(const rn_pose *pose);
/* The pose at `share` (0 to 1) of the way between two, with the velocities of the second; exactly `to` at 1. */
rn_pose rn_pose_between(const rn_pose *from, const rn_pose *to, double share);
/* Whether two poses have the same position and rotation, bit for bit; velocities do not matter. */
bool rn_pose_same(const rn_pose *a, const rn_pose *b);
/* Whether a body blocks by its mode, or with RN_BODY_AUTO by its density (at least that of the liquid), regardless of
   being aground. RN_BODY_AUTO never blocks where the solver does not support it; no body blocks columns of a 3D
   liquid. */
bool rn_body_blocks(const rn_world *world, const rn_body *body);

#endif
