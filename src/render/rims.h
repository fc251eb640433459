/* Smooth normals of the liquid, most of all along its rim, and smooth menisci. */
#ifndef RN_RENDER_RIMS_H
#define RN_RENDER_RIMS_H

#include <runnel/surface.h>

/* Smooths `normals` (three numbers for each vertex of the surface) along the rim of its first `triangles` triangles: at
   vertices on the rim, and at those one and two edges from it. Each is averaged with its neighbours; those as far from
   the rim as itself count most, so that most of the shape across the rim stays. Elsewhere only ripples of a few edges
   fade. All normals must have unit length, and have it afterwards. Smooths menisci, as in rn_mesh, in the same way, but
   only with neighbours as far from the rim; NULL: there are none. Returns RN_MEMORY, with a message, if memory runs
   out; then nothing has changed. */
rn_result rn_rims_smooth(const rn_mesh *surface, uint32_t triangles, float *normals, float *menisci);

#endif
