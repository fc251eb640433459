/* The bodies that the tool "drop" offers, in one list. prop_write writes one as JSON, as an element of a scene's
   "bodies"; rn_scene_add_body adds it to a running scene. */
#ifndef VIEW_PROPS_H
#define VIEW_PROPS_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PROP_TEXT = 8192 }; /* bytes, enough for every body */

/* All bodies: X(name, name on the panel). */
#define PROPS(X)                                                                                                       \
    X(box, "Box")                                                                                                      \
    X(duck, "Duck")                                                                                                    \
    X(log, "Log")                                                                                                      \
    X(car, "Car")

enum {
#define PROP_ENUM(name, title) PROP_##name,
    PROPS(PROP_ENUM)
#undef PROP_ENUM
        PROP_COUNT
};

extern const struct prop { const char *name, *title; /* in scripts and logs; on the panel */ } prop_list[PROP_COUNT];

/* Returns the index in prop_list of the body of this name, or -1 if there is none. */
int prop_find(const char *name);
/* Writes the names of all bodies to `text` (of `size` bytes, cut off if longer): "box, duck, log and car". */
void prop_names(char *text, size_t size);
/* Writes the body of this name as JSON, `size` m long and with its origin at `at` (m), to `json` (of `room` bytes).
   Returns false, without a message, if there is no such body, or the text does not fit. */
bool prop_write(const char *name, rn_vec3 at, double size, char *json, size_t room);

#ifdef __cplusplus
}
#endif

#endif
