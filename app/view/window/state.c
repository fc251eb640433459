/* The names of tools, and the notice of the window. Interface: view/window/state.h. */
#include "view/window/state.h"

#include <stdarg.h>
#include <stdio.h>

const char *const viewer_tool_names[TOOLS] = {
#define TOOL_NAME(tool, name, title, digit, help) name,
    TOOL_LIST(TOOL_NAME)
#undef TOOL_NAME
};

void viewer_tell(viewer *v, bool bad, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->notice, sizeof v->notice, format, arguments);
    va_end(arguments);
    v->notice_is_bad = bad;
    v->notice_time = rn_clock();
}
