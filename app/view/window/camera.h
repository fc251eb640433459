/* The camera of the window: the scene's views, and moves by hand. Each function also sets v->camera; moves by hand set
   v->view to -1. */
#ifndef VIEW_CAMERA_H
#define VIEW_CAMERA_H

#include "view/window/state.h"

#ifdef __cplusplus
extern "C" {
#endif

void camera_look(viewer *v, int view);             /* shows the scene's view of this number, modulo their count; does
                                                      nothing without a scene */
void camera_turn(viewer *v, double dx, double dy); /* turns the camera around the scene, for a mouse move of dx, dy
                                                      pixels; its elevation stays from 2 to 90 degrees */
void camera_pan(viewer *v, double dx, double dy);  /* moves the scene by dx, dy pixels */
void camera_zoom(
    viewer *v,
    double clicks);         /* zooms by 12 % per click of the wheel, above 0: closer; the zoom stays from 0.2 to 50 */
void camera_aim(viewer *v); /* sets `camera` from `orbit` and the size of the picture */

#ifdef __cplusplus
}
#endif

#endif
