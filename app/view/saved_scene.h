/* Saves a session as a scene: the JSON of its scene, with sources, drains, rain, forces, bodies and brushes added that
   repeat what the user did, at the same times. */
#ifndef VIEW_SAVED_SCENE_H
#define VIEW_SAVED_SCENE_H

#include "view/session.h"

/* Writes the scene to a file; its "frames" cover at least the steps taken. A scene cannot express everything, so
   settings are those of now, drags are left out, and each push stays where it is until the next push or release
   (docs/view.md). On failure returns RN_FILE or RN_MEMORY, with a reason in rn_last_error(). */
rn_result saved_scene_write(session *s, const char *path);

#endif
