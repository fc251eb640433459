/* A GL context without window or display. */
#ifndef RN_RENDER_CONTEXT_H
#define RN_RENDER_CONTEXT_H

#include <runnel/base.h>

#include "render/gl/gl.h"

typedef struct rn_context rn_context;

/* Opens a context, OpenGL 3.3 or OpenGL ES 3.0, and makes it current; hosted: uses the current one. */
rn_result rn_context_open(bool es, bool hosted, rn_context **context, rn_gl *gl);
/* Makes the context current, after others may have been. False if it fails. */
bool rn_context_use(rn_context *context);
void rn_context_close(rn_context *context);

#endif
