/* WebGL 2 in place of EGL (render/gl/context.h). The page makes the context and makes it current; a renderer here is
   always hosted. */
#include <GLES3/gl3.h> /* first, with prototypes */
#undef GL_GLES_PROTOTYPES

#include "render/gl/context.h"

#include "base/error.h"

struct rn_context {
    int unused;
};

static rn_context the_page;

rn_result rn_context_open(bool es, bool hosted, rn_context **context, rn_gl *gl) {
    (void)es;
    if (!hosted) return rn_fail(RN_DEVICE, "in a browser the page makes the WebGL context: set hosted");
#define GL_TAKE(type, name) gl->name = gl##name;
    RN_GL_FUNCTIONS(GL_TAKE)
#undef GL_TAKE
    if (!gl->GetString(GL_VERSION)) return rn_fail(RN_DEVICE, "there is no current WebGL 2 context");
    gl->es = true;
    *context = &the_page;
    return RN_OK;
}

bool rn_context_use(rn_context *context) {
    (void)context;
    return true;
}

void rn_context_close(rn_context *context) { (void)context; }
