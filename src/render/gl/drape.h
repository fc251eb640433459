/* The texture over the ground: rn_look.texture. */
#ifndef RN_RENDER_GL_DRAPE_H
#define RN_RENDER_GL_DRAPE_H

#include "render/gl/shot.h"

/* Uploads a texture, unless it was uploaded already; NULL is allowed. Returns RN_LIMIT, with a message, if this GL
   cannot hold so large a texture. */
rn_result rn_drape_update(rn_renderer *renderer, const rn_texture *texture);
/* Gives the texture of the look, which there must be, to program p. */
void rn_drape_give(const rn_shot *f, GLuint p);

#endif
