/* The camera of the window: the scene's views, and moves by hand. Each function also sets v->camera; moves by hand set
   v->view to -1. */
#ifndef VIEW_CAMERA_H
#define VIEW_CAMERA_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shows the scene's view of this number, modulo their count. Does nothing without a scene. */
void camera_look(viewer *v, int view);
/* Turns the camera around the scene, for a mouse move of dx, dy pixels. The elevation is kept between 2 and 90
   degrees. */
void camera_turn(viewer *v, double dx, double dy);
/* Moves the scene by dx, dy pixels. From then on the orbit has a fixed target. */
void camera_pan(viewer *v, double dx, double dy);
/* Zooms by 12 % per click of the wheel, closer if `clicks` is above 0. The zoom is kept between 0.2 and 50. */
void camera_zoom(viewer *v, double clicks);
/* Sets v->camera from v->orbit and the size of the picture. */
void camera_aim(viewer *v);

#ifdef __cplusplus
}
#endif

#endif
