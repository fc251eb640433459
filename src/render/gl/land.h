/* The land around the ground outdoors, in GL. */
#ifndef RN_RENDER_GL_LAND_H
#define RN_RENDER_GL_LAND_H

#include "render/gl/batch.h"
#include "render/land.h"
#include "render/occlusion.h"

/* Makes the land around a ground, whose box has these corners (m), and uploads it. Returns RN_MEMORY, with a message,
   if memory runs out. */
rn_result rn_land_upload(const rn_gl *gl, const rn_mesh *ground, rn_vec3 low_corner, rn_vec3 high_corner,
                         const rn_occlusion *occlusion, rn_land *land, rn_batch *batch);

#endif
