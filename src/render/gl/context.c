/* GL contexts without a window, through EGL (context.h). */
#include "render/gl/context.h"

#include "base/error.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <string.h>

#define ELSEWHERE "; rn_top_view needs none"

/* libEGL is opened when needed: without it, runnel does everything except rendering. */
#define EGL_FUNCTIONS(X)                                                                                               \
    X(PFNEGLBINDAPIPROC, BindAPI)                                                                                      \
    X(PFNEGLCHOOSECONFIGPROC, ChooseConfig)                                                                            \
    X(PFNEGLCREATECONTEXTPROC, CreateContext)                                                                          \
    X(PFNEGLDESTROYCONTEXTPROC, DestroyContext)                                                                        \
    X(PFNEGLGETCURRENTCONTEXTPROC, GetCurrentContext)                                                                  \
    X(PFNEGLGETPROCADDRESSPROC, GetProcAddress)                                                                        \
    X(PFNEGLINITIALIZEPROC, Initialize)                                                                                \
    X(PFNEGLMAKECURRENTPROC, MakeCurrent)

struct rn_context {
    void *library;
    EGLDisplay display;
    EGLContext context; /* EGL_NO_CONTEXT: that of the host */
#define EGL_MEMBER(type, name) type name;
    EGL_FUNCTIONS(EGL_MEMBER)
#undef EGL_MEMBER
};

/* Copies the address of a library function to the function pointer at `function`, of `size` bytes, through memory:
   POSIX guarantees that a data pointer can hold it, ISO C does not. Returns false, with the pointer set to NULL, if the
   library does not have the function. */
static bool find_function(void *library, const char *name, void *function, size_t size) {
    void *found = dlsym(library, name);
    memcpy(function, &found, size);
    return found != NULL;
}

/* Opens libEGL, which stays open, and finds its functions. Returns false, without a message, if the library or a
   function is missing. */
static bool load_egl(rn_context *c) {
    c->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->library) return false;
    bool all = true;
#define EGL_FIND(type, name) all = find_function(c->library, "egl" #name, &c->name, sizeof c->name) && all;
    EGL_FUNCTIONS(EGL_FIND)
#undef EGL_FIND
    return all;
}

/* Finds all functions of OpenGL; a context must be current. On failure returns RN_DEVICE, with a message that names the
   first missing one. */
static rn_result load_gl(const rn_context *c, rn_gl *gl) {
#define GL_FIND(type, name)                                                                                            \
    gl->name = (type)c->GetProcAddress("gl" #name);                                                                    \
    if (!gl->name) return rn_fail(RN_DEVICE, "this OpenGL has no gl" #name ELSEWHERE);
    RN_GL_FUNCTIONS(GL_FIND)
#undef GL_FIND
    return RN_OK;
}

/* Gets the display of Mesa's surfaceless platform, which needs no screen. It is not initialised yet. Returns
   EGL_NO_DISPLAY if this EGL does not have that platform. */
static EGLDisplay find_display(const rn_context *c) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)c->GetProcAddress("eglGetPlatformDisplayEXT");
    return get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
}

/* Opens a context of our own, not the host's, without a surface: OpenGL ES 3.0 with `es`, otherwise OpenGL 3.3 core;
   makes it current. Returns RN_DEVICE, with a message, if EGL fails; the caller closes `c`. */
static rn_result open_own_context(rn_context *c, bool es) {
    static const EGLint desktop[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    static const EGLint embedded[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE};
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT,
                             EGL_NONE};
    const char *name = es ? "OpenGL ES 3.0" : "OpenGL 3.3";
    c->display = find_display(c);
    if (c->display == EGL_NO_DISPLAY || !c->Initialize(c->display, NULL, NULL))
        return rn_fail(RN_DEVICE, "no OpenGL works without a display: install Mesa (libgl1-mesa-dri)" ELSEWHERE);
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!c->BindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
        !c->ChooseConfig(c->display, wanted, &config, 1, &count) || count < 1)
        return rn_fail(RN_DEVICE, "%s is missing: install Mesa (libgl1-mesa-dri)" ELSEWHERE, name);
    c->context = c->CreateContext(c->display, config, EGL_NO_CONTEXT, es ? embedded : desktop);
    if (c->context == EGL_NO_CONTEXT) return rn_fail(RN_DEVICE, "the OpenGL here is older than %s" ELSEWHERE, name);
    if (!rn_context_use(c)) return rn_fail(RN_DEVICE, "%s cannot be used without a display" ELSEWHERE, name);
    return RN_OK;
}

rn_result rn_context_open(bool es, bool hosted, rn_context **context, rn_gl *gl) {
    rn_context *c = rn_alloc(NULL, 1, sizeof *c);
    if (!c) return RN_MEMORY;
    rn_result result = RN_OK;
    c->context = EGL_NO_CONTEXT;
    if (!load_egl(c))
        result = rn_fail(RN_DEVICE, "OpenGL needs libEGL.so.1: install libegl1 and Mesa (libgl1-mesa-dri)" ELSEWHERE);
    if (result == RN_OK && !hosted) result = open_own_context(c, es);
    if (result == RN_OK) result = load_gl(c, gl);
    if (result != RN_OK) {
        rn_context_close(c);
        return result;
    }
    const char *version = (const char *)gl->GetString(GL_VERSION);
    if (!version) {
        rn_context_close(c);
        return rn_fail(RN_DEVICE, "a hosted renderer needs an OpenGL context that is current on its thread" ELSEWHERE);
    }
    gl->es = strstr(version, "OpenGL ES") != NULL;
    *context = c;
    return RN_OK;
}

bool rn_context_use(rn_context *context) {
    if (context->context == EGL_NO_CONTEXT || context->GetCurrentContext() == context->context) return true;
    return context->MakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context);
}

/* The display stays open: others in this process may use the same one, and EGL does not count references. So does
   the library: drivers leave threads and exit handlers behind. */
void rn_context_close(rn_context *context) {
    if (!context) return;
    if (context->context != EGL_NO_CONTEXT) {
        context->MakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        context->DestroyContext(context->display, context->context);
    }
    rn_free(NULL, context);
}
