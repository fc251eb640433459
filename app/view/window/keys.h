/* The keys of the window and what they do. All keys are in one list, view_keys, which the window, scripts and the help
   page share. Keys that write a character are found by that character (keys_type), so that they are where the user's
   keyboard has them; the others are found by their code (keys_press). Scripts find keys by name. */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum key_modifier { KEY_ALONE, KEY_SHIFT, KEY_CONTROL } key_modifier;

typedef struct view_key {
    const char *name;  /* in scripts and on the help page: "space", "F5", "shift+left" */
    int code;          /* key code of GLFW */
    key_modifier with; /* held down with it */
    const char *group; /* heading on the help page */
    const char *help;  /* what the key does; NULL: the help of the key before covers it */
    void (*run)(viewer *v, int argument);
    int argument; /* for `run`; its meaning depends on the function */
    bool repeats; /* runs again while it is held down */
} view_key;

extern const view_key view_keys[];
extern const int view_key_count;

/* Runs what a key does. While a page is open (v->page), only keys for pages and files act on more than the page: arrows
   and Enter choose one of its entries, and other keys do nothing. */
void keys_run(viewer *v, const view_key *key);
/* Runs what the key with this code does. again: the key is held down and repeats. With KEY_SHIFT, a key without
   modifier serves if none has Shift. Returns false if no key has the code and the modifier, or it does not repeat. */
bool keys_press(viewer *v, int code, key_modifier with, bool again);
/* Runs what the key does that has written this character; shift: with Shift held down. "=" counts as "+", so that "+"
   needs no Shift where both share a key. Returns false if there is none, or `again` and it does not repeat. */
bool keys_type(viewer *v, unsigned character, bool shift, bool again);
/* Returns the key of this name, or NULL if there is none. */
const view_key *keys_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
