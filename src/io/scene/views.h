/* The views of a scene: its own, and those that all scenes have. */
#ifndef RN_IO_SCENE_VIEWS_H
#define RN_IO_SCENE_VIEWS_H

#include "io/scene/document.h"

#include <runnel/io.h>

enum { RN_MOST_VIEWS = 64, RN_BUILT_IN_VIEWS = 3 };

/* Reads one element of "views" into views[*count], and increments *count on success. Returns RN_LIMIT if there are
   RN_MOST_VIEWS already or its name is too long, or RN_INVALID, with a message that names the place. */
rn_result rn_views_read(const json_t *object, const rn_json_path *place, rn_scene_view *views, int *count);

/* Appends the built-in views whose names are not taken; there must be room for RN_BUILT_IN_VIEWS more. Returns the new
   number of views. */
int rn_views_complete(rn_scene_view *views, int count);

#endif
