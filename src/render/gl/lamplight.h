/* What liquid does to the light of the lamp: lying liquid focuses it on the ground (caustics), falling sheets, jets and
   drops tint it (coloured shadows). */
#ifndef RN_RENDER_LAMPLIGHT_H
#define RN_RENDER_LAMPLIGHT_H

#include "render/gl/shot.h"

/* Draws targets.lamp, as seen from the lamp: colours are the share of light that falling liquid lets through, alpha is
   a quarter of the light that lying liquid focuses on the ground, which is 1 below a level surface. Does nothing if
   neither lamp nor liquid have changed, or if no liquid changes the light. The shadow map and the table of layers must
   be up to date. Binds another framebuffer and changes the viewport if it draws. */
void rn_lamplight_draw(const rn_shot *f);
/* Whether lying liquid focuses light: it must be clear, and there must be shadows. */
bool rn_lamplight_focuses(const rn_shot *f);
/* Whether falling liquid tints the light. */
bool rn_lamplight_tints(const rn_shot *f);
/* Marks the patches of the picture with falling liquid, and with the light behind it, down to the floor. */
void rn_lamplight_mark(const rn_shot *f, rn_patches *patches);
/* Tints what falling liquid shades in the scene without liquid, in the patches of rn_lamplight_mark. `picture` is the
   texture with a copy of the bound scene. Does nothing if there is nothing to tint. */
void rn_lamplight_cast(const rn_shot *f, GLuint picture, const rn_patches *patches);

#endif
