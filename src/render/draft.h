/* A picture that is drawn before the programs of the usual one are compiled. */
#ifndef RN_RENDER_DRAFT_H
#define RN_RENDER_DRAFT_H

#include <runnel/render.h>

/* Draws ground, bodies and liquid with one small program, without shadows, floor, refraction and overlays, into the
   bound framebuffer, which must have a depth buffer and the size of the picture. For hosted renderers only. Where
   OpenGL runs on the processor, compiling the usual programs takes seconds, and this one some milliseconds. Fails as
   rn_renderer_draw does. */
rn_result rn_renderer_draw_draft(rn_renderer *renderer, const rn_camera *camera, const rn_look *look);

#endif
