/* A GL of one's own, without window or display. */
#ifndef RN_RENDER_CONTEXT_H
#define RN_RENDER_CONTEXT_H

#include <runnel/base.h>

#include "render/gl/gl.h"

typedef struct rn_context rn_context;

/* Opens a context, OpenGL 3.3 or OpenGL ES 3.0, and makes it current; hosted: takes the one that is. */
rn_result rn_context_open(bool es, bool hosted, rn_context **context, rn_gl *gl);
/* Makes it current, where others have been in between. False if it can no longer be. */
bool rn_context_use(rn_context *context);
void rn_context_close(rn_context *context);

#endif
