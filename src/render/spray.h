/* What light a 3D liquid receives from above, and where it is white with air. Both are only drawn. */
#ifndef RN_RENDER_SPRAY_H
#define RN_RENDER_SPRAY_H

#include <runnel/surface.h>

/* Writes to above[v] how far each vertex of a closed surface lies below the highest vertex of the same cell (m),
   smoothed. Air between the two counts as liquid. Vertices less opaque than `sheer` belong to drops and thin sheets:
   they shade nothing, but get a value themselves. cell: side of a cell (m); if it is not above 0, a 200th of the width
   of the surface. Cells are wider if there were more than about 2000 along a side. All are 0 if a position or the size
   of the surface is not finite. Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_spray_above(const rn_mesh *surface, float cell, float sheer, float *above);
/* Writes to white[v] how white each vertex of a closed surface is with air, 0 to 1: where it is fast and churns, and
   more where it is thinner than about three times `sheer`, an opacity. rn_churn_find weighs triangles by their area
   seen from above, so upright walls of liquid never churn. All are 0 if the surface has no velocities. Returns
   RN_MEMORY, with a message, if memory runs out. */
rn_result rn_spray_white(const rn_mesh *surface, float cell, float sheer, float *white);

#endif
