/* The land around the ground outdoors, and the liquid that continues there, in GL. */
#ifndef RN_RENDER_GL_LAND_H
#define RN_RENDER_GL_LAND_H

#include "render/gl/renderer.h"

/* Makes the land around the ground and uploads it. r->low and r->high must be set. Returns RN_MEMORY, with a message,
   if memory runs out. */
rn_result rn_renderer_set_land(rn_renderer *r, const rn_mesh *ground);
/* Continues liquid that stands at the edge of the domain over the land, as far as the land is lower, and uploads it.
   `vertices` are those of the surface. Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_renderer_continue_liquid(rn_renderer *r, const rn_mesh *surface, const rn_liquid_vertex *vertices);

#endif
