/* Foam and rings of waves where falling sheets and jets meet the liquid below. */
#ifndef RN_RENDER_SPLASH_H
#define RN_RENDER_SPLASH_H

#include <runnel/liquid.h>
#include <runnel/surface.h>

/* The numbers of a ring at a vertex: the largest slope along x and along y, and the phase (radians). At the foot of a
   falling sheet itself, which has no rings, the first number is 1 instead; elsewhere in sheets it is 0.
   In jets, which have no rings either, the renderer sets it to how clear the jet is: 1 at a top that hangs in the
   air. In 3D liquids, which have no rings at all, the renderer sets it to how much liquid lies above (m). */
enum {
    RN_RING_X,
    RN_RING_Y,
    RN_RING_PHASE,
    RN_RING_NUMBERS,
    RN_RING_IS_FOOT = RN_RING_X,
    RN_RING_IS_CLEAR = RN_RING_X,
    RN_RING_ABOVE = RN_RING_X /* m, of 3D liquids only */
};

/* Raises how much the liquid churns (1/s, per vertex, as rn_churn_find finds it) around the feet of falling sheets and
   jets: at vertices of columns within five cells of a foot, and 1.5 cells of its height, both beyond the radius of a
   jet; more near the foot, and the faster the liquid falls, up to a limit, but not at all if it takes in no air
   (rn_foam_air). Sets the rings of waves around the nearest foot: the slope at a time is the largest times
   sin(phase - pace * time). Viscosity damps rings, and films have hardly any. The surface must have ids and velocities
   and be made of these columns. Returns RN_MEMORY, with a message, if memory runs out; then nothing has changed. */
rn_result rn_splash_add(const rn_mesh *surface, const rn_surface_columns *columns, const rn_liquid *liquid,
                        float *churn, float (*rings)[RN_RING_NUMBERS]);

/* The pace (radians per second) of the phase of rings. */
float rn_splash_pace(const rn_liquid *liquid, const rn_surface_columns *columns);

#endif
