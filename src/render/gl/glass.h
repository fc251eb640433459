/* Solid that is drawn as clear glass (rn_look.glass): the liquid inside it, which has no triangles at its sides, and
   the surfaces of the glass. draw.c draws the rest of the scene. */
#ifndef RN_RENDER_GLASS_H
#define RN_RENDER_GLASS_H

#include "render/gl/shot.h"

/* Makes and uploads what glass contains and where its walls are, unless neither ground nor liquid has changed. Call it
   before anything of a picture with glass is drawn. Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_glass_prepare(const rn_shot *f);
/* The height (m) above which solid is glass; far above everything without any. */
double rn_glass_height(const rn_shot *f);
/* Gives the uniforms of shaders/contents.glsl to program p, which must be in use. */
void rn_glass_give(const rn_shot *f, GLuint p);
/* Draws the sides of the liquid that are seen through glass over the scene, whose copy is in targets.seen. Call it
   before the surface of the liquid is drawn. */
void rn_glass_draw_contents(const rn_shot *f);
/* Draws walls behind the liquid where its surface ends before them, and the surfaces of the glass over everything else.
 */
void rn_glass_draw_surfaces(const rn_shot *f);

#endif
