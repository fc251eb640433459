/* A GL context without window or display. */
#ifndef RN_RENDER_CONTEXT_H
#define RN_RENDER_CONTEXT_H

#include <runnel/base.h>

#include "render/gl/gl.h"

typedef struct rn_context rn_context;

/* Opens a context, OpenGL 3.3 or with `es` OpenGL ES 3.0, makes it current and loads the functions of GL; hosted: uses
   the one that is current, of either kind. The caller closes it with rn_context_close. On failure returns RN_DEVICE
   (there is no such GL) or RN_MEMORY, with a message; *context is not set. */
rn_result rn_context_open(bool es, bool hosted, rn_context **context, rn_gl *gl);
/* Makes the context current again, since others may have been current in between; does nothing for that of a host.
   Returns false, without a message, on failure. */
bool rn_context_use(rn_context *context);
/* Destroys the context, unless it is that of a host, and frees `context`; NULL is allowed. After a context has been
   destroyed, none is current. */
void rn_context_close(rn_context *context);

#endif
