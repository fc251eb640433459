/* Moves the camera on its orbit. Interface: view/window/camera.h. */
#include "view/window/camera.h"

#include "render/camera.h"

#include <math.h>

static const double degree = 0.017453292519943295769;

void camera_aim(viewer *v) {
    v->camera = rn_camera_orbit(&v->orbit, v->info.low, v->info.high, (double)v->width / fmax(v->height, 1), 0);
}

void camera_look(viewer *v, int view) {
    if (!v->current || v->info.view_count == 0) return;
    v->view = (view % v->info.view_count + v->info.view_count) % v->info.view_count;
    v->orbit = v->info.views[v->view].orbit;
    v->orbit.turn = 0;
    camera_aim(v);
}

void camera_turn(viewer *v, double dx, double dy) {
    v->view = -1;
    v->orbit.azimuth -= 180 * dx / fmax(v->width, 1);
    v->orbit.elevation = fmin(fmax(v->orbit.elevation + 120 * dy / fmax(v->height, 1), 2), 90);
    camera_aim(v);
}

/* Makes the point that the camera looks at the fixed target of the orbit, with the camera at the same distance. Does
   nothing if the orbit has a fixed target already. */
static void hold_target(viewer *v) {
    if (v->orbit.aimed) return;
    const double before = rn_length(rn_difference(v->camera.eye, v->camera.target));
    v->orbit.target = v->camera.target;
    v->orbit.aimed = true;
    camera_aim(v);
    const double now = rn_length(rn_difference(v->camera.eye, v->camera.target));
    v->orbit.zoom = (v->orbit.zoom > 0 ? v->orbit.zoom : 1) * now / fmax(before, 1e-12);
}

void camera_pan(viewer *v, double dx, double dy) {
    hold_target(v);
    v->view = -1;
    const rn_frame axes = rn_camera_frame(&v->camera);
    const double distance = rn_length(rn_difference(v->camera.eye, v->camera.target));
    const double tall = v->camera.angle > 0 ? 2 * distance * tan(0.5 * v->camera.angle * degree) : v->camera.span;
    const double metres = tall / fmax(v->height, 1);
    v->orbit.target =
        rn_sum(v->orbit.target, rn_sum(rn_times(axes.right, -dx * metres), rn_times(axes.up, dy * metres)));
    camera_aim(v);
}

void camera_zoom(viewer *v, double clicks) {
    const double zoom = (v->orbit.zoom > 0 ? v->orbit.zoom : 1) * pow(1.12, clicks);
    v->view = -1;
    v->orbit.zoom = fmin(fmax(zoom, 0.2), 50);
    camera_aim(v);
}
