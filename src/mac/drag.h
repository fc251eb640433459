/* Rigid bodies in the viscosity solve: viscous liquid sticks to the faces that a body closes, and drags it. */
#ifndef RN_MAC_DRAG_H
#define RN_MAC_DRAG_H

#include "mac/state.h"

/* Whether the lower face of cell c along axis a belongs to the solid in the viscosity solve: if less than half of the
   face is open, or, where liquid may slip along solids, if none of it is. True also in walls of the box. */
static inline bool rn_mac_is_stuck(const rn_mac *mac, int a, int32_t c) {
    return mac->def.no_slip & RN_MAC_SOLIDS ? mac->open[a][c] < 0.5f : mac->open[a][c] == 0.0f;
}

/* The impulse on the lower face of cell c along axis a in a substep, divided by the volume of a cell (m/s), by the
   stresses t (xx, yy, zz, xy, xz, yz; m/s in the same way) around the face. */
static inline float rn_mac_stress_force(const rn_mac_grid *g, float *const t[6], int a, int32_t c) {
    const int32_t sy = g->step[1], sz = g->step[2];
    if (a == 0) return (t[0][c] - t[0][c - 1]) + (t[3][c + sy] - t[3][c]) + (t[4][c + sz] - t[4][c]);
    if (a == 1) return (t[1][c] - t[1][c - sy]) + (t[3][c + 1] - t[3][c]) + (t[5][c + sz] - t[5][c]);
    return (t[2][c] - t[2][c - sz]) + (t[4][c + 1] - t[4][c]) + (t[5][c + sy] - t[5][c]);
}

/* Sets x of each body to its `velocity` and `spin`, and adds the resulting speeds (m/s) to the body's faces in the
   array x, which must hold the velocity of the solid there. Call it first. */
void rn_mac_drag_begin(rn_mac *mac, float *const x[3]);
/* Finds the first r and direction of each body from the stresses of x, which must still be as rn_mac_drag_begin left
   it, for a substep of dt (s). Returns the sum of squares of the residuals, in the norm of the preconditioner. */
double rn_mac_drag_start(rn_mac *mac, float *const stress[6], double dt);
/* Sets the faces of bodies in the array `direction` to their speeds by the directions of the bodies. */
void rn_mac_drag_aim(rn_mac *mac, float *const direction[3]);
/* Sets `image` of each body to its rows of A direction, from the stresses of `direction`. Returns the sum over bodies
   of direction image. */
double rn_mac_drag_apply(rn_mac *mac, float *const stress[6]);
/* x += scale direction, r -= scale image, for bodies. Returns the sum of squares of the new residuals, in the norm of
   the preconditioner. */
double rn_mac_drag_advance(rn_mac *mac, double scale);
/* direction = preconditioned r + scale direction, for bodies. */
void rn_mac_drag_turn(rn_mac *mac, double scale);
/* Sets `velocity` and `spin` of bodies to the solution x. Adds the impulse of the stresses of x, which acted for dt
   (s), to drag_impulse and drag_twist, and dt to `dragged`. */
void rn_mac_drag_end(rn_mac *mac, float *const stress[6], double dt);

#endif
