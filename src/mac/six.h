/* Six numbers of a rigid body: velocity and spin, or impulse and angular impulse. */
#ifndef RN_MAC_SIX_H
#define RN_MAC_SIX_H

#include "mac/state.h"

/* The components of v, then of w, times `scale`. */
static inline rn_mac_six rn_mac_six_of(rn_vec3 v, rn_vec3 w, double scale) {
    return (rn_mac_six){{scale * v.x, scale * v.y, scale * v.z, scale * w.x, scale * w.y, scale * w.z}};
}

/* The dot product. */
static inline double rn_mac_six_dot(const rn_mac_six *a, const rn_mac_six *b) {
    double sum = 0.0;
    for (int i = 0; i < 6; i++) sum += a->of[i] * b->of[i];
    return sum;
}

/* to += what[0..2]. */
static inline void rn_mac_add3(rn_vec3 *to, const double *what) {
    to->x += what[0], to->y += what[1], to->z += what[2];
}

/* The change of velocity and spin of a body by an impulse. The velocity does not change if the mass is INFINITY, the
   spin does not if the inertia is 0. Needs b->inverse. */
static inline rn_mac_six rn_mac_body_respond(const rn_mac_body_cells *b, const rn_mac_six *impulse) {
    rn_mac_six v;
    for (int i = 0; i < 3; i++) {
        v.of[i] = impulse->of[i] / b->body.mass;
        v.of[3 + i] = 0.0;
        for (int j = 0; j < 3; j++) v.of[3 + i] += b->inverse[i][j] * impulse->of[3 + j];
    }
    return v;
}

#endif
