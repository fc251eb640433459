/* What keys do. The one list: the window, scripts and the page that ? shows all follow it. */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include "view/window/viewer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct view_key {
    const char *name;  /* as scripts and the page call it: "space", "F5", "?" */
    int code;          /* of GLFW */
    bool shift;        /* with shift only */
    const char *group; /* a heading */
    const char *help;
    void (*run)(viewer *v, int argument);
    int argument;
} view_key;

extern const view_key view_keys[];
extern const int view_key_count;

/* Does what a key does; false: nothing. */
bool keys_press(viewer *v, int code, bool shift);
/* The key of this name; NULL: none. */
const view_key *keys_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
