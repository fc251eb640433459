/* Opening scenes: in the background, while the current one pauses and stays on screen. */
#ifndef VIEW_SCENES_H
#define VIEW_SCENES_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a scene by its name, or a file; an input log is replayed from the start of its scene. Refused with a notice
 * while another scene is being opened. */
void scenes_open(viewer *v, const char *what);
/* Opens a scene or file with changes "KEY=VALUE". Ignored while another scene is being opened. */
void scenes_open_with(viewer *v, const char *what, const char *const *set, int count);
/* Opens the scene of a log and replays the log, which must stay valid until the scene is open and is then empty.
   Refused with a notice while another scene is being opened. */
void scenes_open_replay(viewer *v, inputs *log);
/* Opens the current scene again, from its start, as it was opened. */
void scenes_reset(viewer *v);
/* Opens the current scene again, from its start, with the changes that it was opened with, those that the simulation
   has accepted since, and one more, "KEY=VALUE", which replaces those of the same key. Changes that do not suit the
   solver are kept for a later restart with one that they suit. Rain goes on. Ignored without a scene, or while one is
   being opened. */
void scenes_restart_with(viewer *v, const char *change);
/* Returns whether a scene is being opened, or is to be opened once the current one has paused. */
bool scenes_is_loading(const viewer *v);
/* Starts to open the wanted scene once the current one is paused; shows it, or the error, when opening has ended. Call
   it in every frame. */
void scenes_update(viewer *v);

#ifdef __cplusplus
}
#endif

#endif
