/* Foam where falling sheets and jets meet the liquid below. */
#ifndef RN_RENDER_SPLASH_H
#define RN_RENDER_SPLASH_H

#include <runnel/surface.h>

/* Raises how much the liquid churns (1/s, per vertex, as rn_churn_find finds it) around the feet of falling sheets and
   jets: at vertices of columns within five cells of a foot, and 1.5 cells of its height, both beyond the radius of a
   jet; more near the foot, and the faster the liquid falls, up to a limit. The surface must have ids and velocities and
   be made of these columns. Returns RN_MEMORY, with a message, if memory runs out; then nothing has changed. */
rn_result rn_splash_add(const rn_mesh *surface, const rn_surface_columns *columns, float *churn);

#endif
