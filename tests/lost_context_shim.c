/* Preloaded by tests: the graphics driver reports a reset from the tenth time that it is asked, $LOST_TIMES times or,
   if that is not set, every time. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);

function glfwGetProcAddress(const char *name);

static unsigned status(void) {
    static int asked;
    const char *times = getenv("LOST_TIMES");
    asked++;
    return asked < 10 || (times && asked >= 10 + atoi(times)) ? 0 : 0x8255; /* GL_UNKNOWN_CONTEXT_RESET */
}

function glfwGetProcAddress(const char *name) {
    function (*find)(const char *) = NULL;
    *(void **)&find = dlsym(RTLD_NEXT, "glfwGetProcAddress");
    return strcmp(name, "glGetGraphicsResetStatusARB") == 0 ? (function)status : find(name);
}
