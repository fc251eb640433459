/* Rotations as quaternions, with only + - * / and sqrt, because columns are made from what they rotate and must have
   the same bits everywhere. */
#ifndef RN_BASE_QUAT_H
#define RN_BASE_QUAT_H

#include "base/maths.h"
#include <runnel/base.h>

/* The square of a quaternion's length. */
static inline double rn_quat_square(rn_quat q) { return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w; }

/* The rotation at unit length; no rotation if its length is 0. One that already has unit length, except for
   rounding, stays the same to the bit, so that a saved rotation is restored exactly. It must be finite. */
static inline rn_quat rn_quat_unit(rn_quat q) {
    if (fabs(rn_quat_square(q) - 1) < 2e-15) return q;
    const double most = rn_max(rn_max(fabs(q.x), fabs(q.y)), rn_max(fabs(q.z), fabs(q.w)));
    if (!(most > 0)) return (rn_quat){0, 0, 0, 1};
    const rn_quat near = {q.x / most, q.y / most, q.z / most, q.w / most};
    const double length = sqrt(rn_quat_square(near));
    return (rn_quat){near.x / length, near.y / length, near.z / length, near.w / length};
}

/* Writes a rotation, a quaternion of any length, as the rows of a matrix. */
static inline void rn_quat_rows(rn_quat turn, double rows[3][3]) {
    const rn_quat q = rn_quat_unit(turn);
    rows[0][0] = 1 - 2 * (q.y * q.y + q.z * q.z);
    rows[0][1] = 2 * (q.x * q.y - q.z * q.w);
    rows[0][2] = 2 * (q.x * q.z + q.y * q.w);
    rows[1][0] = 2 * (q.x * q.y + q.z * q.w);
    rows[1][1] = 1 - 2 * (q.x * q.x + q.z * q.z);
    rows[1][2] = 2 * (q.y * q.z - q.x * q.w);
    rows[2][0] = 2 * (q.x * q.z - q.y * q.w);
    rows[2][1] = 2 * (q.y * q.z + q.x * q.w);
    rows[2][2] = 1 - 2 * (q.x * q.x + q.y * q.y);
}

/* A point times a matrix given by its rows: rotated if that is a rotation. */
static inline rn_vec3 rn_rows_rotate(double rows[3][3], rn_vec3 p) {
    return (rn_vec3){
        rows[0][0] * p.x + rows[0][1] * p.y + rows[0][2] * p.z,
        rows[1][0] * p.x + rows[1][1] * p.y + rows[1][2] * p.z,
        rows[2][0] * p.x + rows[2][1] * p.y + rows[2][2] * p.z,
    };
}

/* Writes the rows of a rotation about the x, then the y, then the z axis (degrees); exact for multiples of 90, NAN
   beyond 1e9. */
void rn_rows_from_degrees(rn_vec3 degrees, double rows[3][3]);

#endif
