/* What was done by hand, as a scene: its JSON with sources, drains, rain, forces, bodies and brushes that do the same
   at the same times. */
#ifndef VIEW_SAVED_SCENE_H
#define VIEW_SAVED_SCENE_H

#include "view/session.h"

/* Writes the file. A scene cannot say that a setting changed half way, that a body was dragged, or how fast liquid that
   was pushed by a moving cursor went on the way: settings are as they are now, drags are left out, and pushes are held
   at each place until the next. docs/view.md says so too. */
rn_result saved_scene_write(session *s, const char *path);

#endif
