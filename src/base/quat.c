/* Rotations from angles, their product, and points rotated by them. Quarter turns are split off before libm is called,
   so that multiples of 90 degrees are exact. */
#include "base/quat.h"

#include <math.h>

/* Finds sine and cosine of an angle in degrees: exact for multiples of 90; NAN beyond 1e9 degrees. */
static void sine_and_cosine(double degrees, double *sine, double *cosine) {
    if (!(fabs(degrees) <= 1e9)) { /* for callers to refuse */
        *sine = *cosine = NAN;
        return;
    }
    double turn = degrees - 360 * floor(degrees / 360);
    int quarters = (int)floor(turn / 90 + 0.5);
    double rest = (turn - 90 * quarters) * 0.017453292519943295769;
    double s = sin(rest), c = cos(rest);
    switch (quarters & 3) {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}

/* Multiplies a rotation about an axis (0: x, 1: y, 2: z; degrees) onto rows: rows := rotation * rows. */
static void rotate_rows(int axis, double degrees, double rows[3][3]) {
    double s, c;
    sine_and_cosine(degrees, &s, &c);
    const int a = (axis + 1) % 3, b = (axis + 2) % 3; /* the axes that rotate, a towards b */
    for (int j = 0; j < 3; j++) {
        const double along_a = rows[a][j], along_b = rows[b][j];
        rows[a][j] = c * along_a - s * along_b;
        rows[b][j] = s * along_a + c * along_b;
    }
}

void rn_rows_from_degrees(rn_vec3 degrees, double rows[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rows[i][j] = i == j;
    rotate_rows(0, degrees.x, rows);
    rotate_rows(1, degrees.y, rows);
    rotate_rows(2, degrees.z, rows);
}

/* Divides by a large component of the result, never by one near 0. */
rn_quat rn_quat_from_degrees(rn_vec3 degrees) {
    double m[3][3];
    rn_rows_from_degrees(degrees, m);
    const double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0) {
        const double s = 2 * sqrt(1 + trace);
        return (rn_quat){(m[2][1] - m[1][2]) / s, (m[0][2] - m[2][0]) / s, (m[1][0] - m[0][1]) / s, 0.25 * s};
    }
    const int i = m[0][0] > m[1][1] ? (m[0][0] > m[2][2] ? 0 : 2) : (m[1][1] > m[2][2] ? 1 : 2);
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double s = 2 * sqrt(1 + m[i][i] - m[j][j] - m[k][k]);
    double q[3];
    q[i] = 0.25 * s;
    q[j] = (m[j][i] + m[i][j]) / s;
    q[k] = (m[k][i] + m[i][k]) / s;
    return (rn_quat){q[0], q[1], q[2], (m[k][j] - m[j][k]) / s};
}

rn_quat rn_quat_from_axis(rn_vec3 axis, double degrees) {
    double s, c;
    sine_and_cosine(0.5 * degrees, &s, &c);
    const rn_quat unit = rn_quat_unit((rn_quat){axis.x, axis.y, axis.z, 0});
    return (rn_quat){s * unit.x, s * unit.y, s * unit.z, c};
}

rn_quat rn_quat_multiply(rn_quat a, rn_quat b) {
    return (rn_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

rn_vec3 rn_quat_rotate(rn_quat turn, rn_vec3 point) {
    double rows[3][3];
    rn_quat_rows(turn, rows);
    return rn_rows_rotate(rows, point);
}
