/* Preloaded by tests: the graphics driver reports a reset from the tenth time that it is asked, $LOST_TIMES times or,
   if that is not set, every time. A frame begins when it is cleared. What is read back in the tenth frame, before the
   reset is reported, is black. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);

function glfwGetProcAddress(const char *name);

static int asked, cleared;
static function read_pixels, clear_buffers;

static unsigned status(void) {
    const char *times = getenv("LOST_TIMES");
    asked++;
    return asked < 10 || (times && asked >= 10 + atoi(times)) ? 0 : 0x8255; /* GL_UNKNOWN_CONTEXT_RESET */
}

static void clear(unsigned which) {
    cleared++;
    ((void (*)(unsigned))clear_buffers)(which);
}

static void read_back(int x, int y, int width, int height, unsigned format, unsigned type, void *pixels) {
    if (cleared >= 10 && asked < 10) memset(pixels, 0, 4 * (size_t)width * (size_t)height);
    else
        ((void (*)(int, int, int, int, unsigned, unsigned, void *))read_pixels)(x, y, width, height, format, type,
                                                                                pixels);
}

function glfwGetProcAddress(const char *name) {
    function (*find)(const char *) = NULL;
    *(void **)&find = dlsym(RTLD_NEXT, "glfwGetProcAddress");
    if (strcmp(name, "glGetGraphicsResetStatusARB") == 0) return (function)status;
    const function found = find(name);
    if (strcmp(name, "glReadPixels") == 0 && (read_pixels = found)) return (function)read_back;
    if (strcmp(name, "glClear") == 0 && (clear_buffers = found)) return (function)clear;
    return found;
}
