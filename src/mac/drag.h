/* Rigid bodies in the viscosity solve: viscous liquid sticks to the faces that a body closes, and drags it. */
#ifndef RN_MAC_DRAG_H
#define RN_MAC_DRAG_H

#include "mac/state.h"

/* Whether viscous liquid sticks to a solid at a face: where the solid covers more than half of it. Where liquid may
   slip, only faces without any flow belong to the solid. */
static inline bool rn_mac_is_stuck(const rn_mac *mac, int a, int32_t c) {
    return mac->def.no_slip & RN_MAC_SOLIDS ? mac->open[a][c] < 0.5f : mac->open[a][c] == 0.0f;
}

/* The force on the lower face of cell c along axis a, by stresses (xx, yy, zz, xy, xz, yz) that surround it. */
static inline float rn_mac_stress_force(const rn_mac_grid *g, float *const t[6], int a, int32_t c) {
    const int32_t sy = g->step[1], sz = g->step[2];
    if (a == 0) return (t[0][c] - t[0][c - 1]) + (t[3][c + sy] - t[3][c]) + (t[4][c + sz] - t[4][c]);
    if (a == 1) return (t[1][c] - t[1][c - sy]) + (t[3][c + 1] - t[3][c]) + (t[5][c + sz] - t[5][c]);
    return (t[2][c] - t[2][c - sz]) + (t[4][c + 1] - t[4][c]) + (t[5][c + sy] - t[5][c]);
}

/* Adds the velocities of bodies beyond that of the solid to their faces in x. Call it first. */
void rn_mac_drag_begin(rn_mac *mac, float *const x[3]);
/* Finds the first residuals and directions of bodies from the stresses of x, for a substep of dt (s). Returns the sum
   of squares of the residuals, in the norm of the preconditioner. */
double rn_mac_drag_start(rn_mac *mac, float *const stress[6], double dt);
/* Gives the faces of bodies in `direction` their speed by the directions of the bodies. */
void rn_mac_drag_aim(rn_mac *mac, float *const direction[3]);
/* Finds the rows of A direction that belong to bodies, from its stresses. Returns their sum of direction image. */
double rn_mac_drag_apply(rn_mac *mac, float *const stress[6]);
/* x += scale direction, r -= scale image, for bodies. Returns the same as rn_mac_drag_start. */
double rn_mac_drag_advance(rn_mac *mac, double scale);
/* direction = r in the norm of the preconditioner + scale direction, for bodies. */
void rn_mac_drag_turn(rn_mac *mac, double scale);
/* Accelerates bodies by the solution, with the stresses of x, which acted for dt (s). */
void rn_mac_drag_end(rn_mac *mac, float *const stress[6], double dt);

#endif
