/* The viewer: the window without its toolkit. Order of calls: viewer_start; set `renderer`, `grab` and `window`;
   scenes_open...; then in each frame input (hand.h, keys.h), viewer_update and viewer_draw; viewer_end.

   The viewer runs on the window's thread. The simulation runs on its own (rn_live) and gets actions as commands; the
   viewer shows its newest frame. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the state at the start: no scene. The caller then sets `renderer`, `grab` and `window`. */
void viewer_start(viewer *v, const viewer_settings *settings);
/* Ends the simulation, completes all files, the input log among them if that was asked for, and frees everything. */
void viewer_end(viewer *v);

/* Takes the simulation's newest frame, shows a scene that has been opened, sends what was held back, adds to the plots,
   and shows finished files and new errors as notices. Call it before drawing. */
void viewer_update(viewer *v);
/* Draws the scene into the current OpenGL context. Ends the film if the window was resized. Returns the result of the
   renderer, with a reason in rn_last_error(), or RN_OK without a scene. */
rn_result viewer_draw(viewer *v);
/* Takes a picture of the film, if one is due, and one that was asked for (files_save_picture), of the scene that
   viewer_draw has drawn; not if the context was lost meanwhile. Ends the film if its picture fails. */
void viewer_take_pictures(viewer *v);
/* Writes one line to `text` (of `size` bytes): simulated time, speed, and the substep with what bounds it; "no scene"
   if none is open. */
void viewer_status(const viewer *v, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
