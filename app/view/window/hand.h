/* The mouse and its tools: pour, suck, push, drop, drag, dig, raise, and turning the view. Positions are in pixels of
   the picture; input over the panel does not come here. */
#ifndef VIEW_HAND_H
#define VIEW_HAND_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns why a tool cannot be used with the solver of the scene, or NULL if it can. */
const char *hand_why_not(const viewer *v, viewer_tool tool);
/* Chooses a tool; the one in use ends. Shows a notice instead if the solver does not have the tool. */
void hand_choose_tool(viewer *v, viewer_tool tool);
void hand_release(viewer *v);        /* ends the use of the tool and a turn, as if all buttons were released */
double hand_radius(const viewer *v); /* returns the radius of the brush (m) */
double hand_rate(const viewer *v);   /* returns the rate of pouring (m^3/s) */

void hand_move(viewer *v, double x, double y); /* the mouse has moved here: moves the camera, or uses the tool */
void hand_update(viewer *v); /* lets a pour or suck in use follow changes of its radius or rate; once per frame */
void hand_leave(viewer *v, double x, double y);              /* the mouse is over the panel */
void hand_press(viewer *v, viewer_button button, bool down); /* begins or ends the use of the tool (left) or a turn */

#ifdef __cplusplus
}
#endif

#endif
