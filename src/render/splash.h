/* Foam and rings of waves where falling sheets and jets meet the liquid below. */
#ifndef RN_RENDER_SPLASH_H
#define RN_RENDER_SPLASH_H

#include <runnel/liquid.h>
#include <runnel/surface.h>

/* Raises how much the liquid churns (1/s, per vertex, as rn_churn_find finds it) around the feet of falling sheets and
   jets: at vertices of columns within five cells of a foot, and 1.5 cells of its height, both beyond the radius of a
   jet; more near the foot, and the faster the liquid falls, up to a limit. Sets the rings of waves around the nearest
   foot: per vertex the largest slope along x and along y, and the phase. The slope at a time is the largest times
   sin(phase - pace * time). Sets the first number of the feet of sheets themselves to 1. Viscosity damps rings, and
   films have hardly any. The surface must have ids and velocities and be made of these columns. Returns RN_MEMORY, with
   a message, if memory runs out; then nothing has changed. */
rn_result rn_splash_add(const rn_mesh *surface, const rn_surface_columns *columns, const rn_liquid *liquid,
                        float *churn, float (*rings)[3]);

/* The pace (radians per second) of the phase of rings. */
float rn_splash_pace(const rn_liquid *liquid, const rn_surface_columns *columns);

#endif
