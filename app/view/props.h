/* The bodies that the tool "drop" offers: box, duck, log and car. prop_write writes one as JSON, in the form of an
   entry of the list "bodies" of a scene; rn_scene_add_body adds it to a running scene. */
#ifndef VIEW_PROPS_H
#define VIEW_PROPS_H

#include <runnel/base.h>

enum { PROP_TEXT = 8192 }; /* bytes, enough for every body */

/* Writes the body of this name (box, duck, log, car) at a place (m) and `size` (m) long as JSON, into `room` bytes.
   False: there is no such body, or the text does not fit. */
bool prop_write(const char *name, rn_vec3 at, double size, char *json, size_t room);

#endif
