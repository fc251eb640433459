/* The placement of a solid: rotated, scaled and moved. */
#ifndef RN_TERRAIN_PLACEMENT_H
#define RN_TERRAIN_PLACEMENT_H

#include <runnel/terrain.h>

/* From a node's own coordinates to world coordinates: p -> scale * turn * p + by. */
typedef struct rn_placement {
    double turn[3][3];
    rn_vec3 by; /* m */
    double scale;
} rn_placement;

/* Applies the rotation of a pose to a vector. */
static inline rn_vec3 rn_rotate(const double m[3][3], rn_vec3 p) {
    return (rn_vec3){m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z, m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z,
                     m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z};
}
/* Applies the inverse rotation of a pose, its transpose, to a vector. */
static inline rn_vec3 rn_rotate_back(const double m[3][3], rn_vec3 p) {
    return (rn_vec3){m[0][0] * p.x + m[1][0] * p.y + m[2][0] * p.z, m[0][1] * p.x + m[1][1] * p.y + m[2][1] * p.z,
                     m[0][2] * p.x + m[1][2] * p.y + m[2][2] * p.z};
}

/* Applies a pose to a point (m): scaled, rotated, moved. */
static inline rn_vec3 rn_pose_point(const rn_placement *pose, rn_vec3 p) {
    const rn_vec3 q = rn_rotate(pose->turn, p);
    return (rn_vec3){pose->scale * q.x + pose->by.x, pose->scale * q.y + pose->by.y, pose->scale * q.z + pose->by.z};
}

/* The pose that changes nothing. */
rn_placement rn_pose_identity(void);
/* The pose that applies `inner` first, then `outer`. */
rn_placement rn_pose_compose(const rn_placement *outer, const rn_placement *inner);
/* The pose of a rotation alone; the quaternion need not have unit length, and one of all 0 is no rotation. Elements
   very near to -1, 0 or 1 are exactly that. */
rn_placement rn_pose_turned(rn_quat turn);

#endif
