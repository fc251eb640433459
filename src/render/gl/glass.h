/* Solid that is drawn as clear glass (rn_look.glass): the liquid inside it, which has no triangles at its sides, and
   the surfaces of the glass. draw.c draws the rest of the scene. */
#ifndef RN_RENDER_GLASS_H
#define RN_RENDER_GLASS_H

#include "render/gl/shot.h"

/* The height (m) above which solid is glass; far above everything without any. */
double rn_glass_height(const rn_shot *f);
/* Draws the sides of the liquid that are seen through glass over the scene, whose copy is in targets.seen, and stores
   the depth of the walls behind the liquid. Without glass nothing. Call it before the surface of the liquid is drawn.
   Returns RN_MEMORY, with a message, if memory runs out. */
rn_result rn_glass_draw_contents(const rn_shot *f);
/* Draws the surfaces of the glass over everything else; without glass nothing. */
void rn_glass_draw_surfaces(const rn_shot *f);

#endif
