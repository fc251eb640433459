/* The renderer of builds without GL, in place of src/render/gl: every function that can fail returns RN_DEVICE. */
#include "base/error.h"

#include <runnel/render.h>

/* Returns RN_DEVICE, with a message that this build has no OpenGL. */
static rn_result fail_without_gl(void) {
    return rn_fail(RN_DEVICE, "this runnel was built without OpenGL; rn_top_view needs none");
}

rn_renderer_def rn_renderer_default(void) { return (rn_renderer_def){.width = 1280, .height = 720, .samples = 1}; }

rn_result rn_renderer_create(const rn_renderer_def *def, rn_renderer **renderer) {
    (void)def;
    *renderer = NULL;
    return fail_without_gl();
}

void rn_renderer_destroy(rn_renderer *renderer) { (void)renderer; }

rn_result rn_renderer_resize(rn_renderer *renderer, int width, int height) {
    (void)renderer, (void)width, (void)height;
    return fail_without_gl();
}

const char *rn_renderer_device(const rn_renderer *renderer) {
    (void)renderer;
    return "";
}

rn_result rn_renderer_set_ground(rn_renderer *renderer, const rn_mesh *ground) {
    (void)renderer, (void)ground;
    return fail_without_gl();
}

rn_result rn_renderer_set_liquid(rn_renderer *renderer, const rn_mesh *surface, const rn_liquid *liquid,
                                 const rn_surface_columns *columns) {
    (void)renderer, (void)surface, (void)liquid, (void)columns;
    return fail_without_gl();
}

rn_result rn_renderer_set_bodies(rn_renderer *renderer, const rn_mesh *bodies) {
    (void)renderer, (void)bodies;
    return fail_without_gl();
}

rn_result rn_renderer_draw(rn_renderer *renderer, const rn_camera *camera, const rn_look *look, uint8_t *pixels) {
    (void)renderer, (void)camera, (void)look, (void)pixels;
    return fail_without_gl();
}
