/* Smooths the thickness of a closed surface, such as that of a 3D liquid. */
#ifndef RN_RENDER_THICKNESS_H
#define RN_RENDER_THICKNESS_H

#include <runnel/surface.h>

/* Smooths the thickness at the vertices of a closed surface, which is measured along their normals and differs much
   between neighbours where a stream meets a pool. Returns RN_MEMORY, with a message, if memory runs out; then nothing
   has changed. */
rn_result rn_thickness_smooth(const rn_mesh *surface, float *thick);

#endif
