/* Bodies to drop, as the list "bodies" of a scene has them. */
#ifndef VIEW_PROPS_H
#define VIEW_PROPS_H

#include <runnel/base.h>

enum { PROP_TEXT = 8192 };

/* Writes the body of this name at a place (m), `size` (m) long, as JSON. False: there is none of this name. */
bool prop_write(const char *name, rn_vec3 at, double size, char *json, size_t room);

#endif
