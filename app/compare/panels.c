/* Draws both scenes of a comparison side by side (compare.h): panels_open() once, panels_draw() for every frame,
   panels_close() at the end. */
#include "compare/compare.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

rn_result panels_open(panels *p, int threads) {
    rn_renderer_def def = rn_renderer_default();
    def.width = p->width;
    def.height = p->height;
    p->pixels = malloc(3 * (size_t)p->width * (size_t)p->height);
    rn_result result = p->pixels ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory for the pictures");
    for (int i = 0; i < BOTH && result == RN_OK; i++) {
        rn_skin_def skin = rn_scene_skin(p->scenes[i]);
        skin.menisci = true;
        skin.threads = threads;
        result = rn_renderer_create(&def, &p->renderers[i]);
        if (result == RN_OK) result = rn_skin_create(&skin, &p->skins[i]);
    }
    return result;
}

void panels_close(panels *p) {
    for (int i = 0; i < BOTH; i++) {
        rn_skin_destroy(p->skins[i]);
        rn_renderer_destroy(p->renderers[i]);
    }
    free(p->pixels);
    *p = (panels){0};
}

/* Updates the skin of scene `which`, and draws its current state into p->pixels. The ground is sent to the renderer
   only if it has changed or the renderer lacks it (p->has_ground, which is updated). `time`: the time in the film (s),
   which moves the camera and the look. On failure rn_last_error() says why. */
static rn_result draw_scene(panels *p, int which, double time) {
    rn_renderer *renderer = p->renderers[which];
    const rn_skin *skin = p->skins[which];
    const rn_scene_info info = rn_scene_describe(p->scenes[which]);
    const rn_liquid liquid = rn_world_liquid(rn_scene_world(p->scenes[which]));
    bool changed;
    rn_result result = rn_skin_update(p->skins[which], &changed);
    if (result != RN_OK) return result;
    const rn_mesh ground = rn_skin_ground(skin), surface = rn_skin_surface(skin), bodies = rn_skin_bodies(skin);
    const rn_surface_columns columns = rn_skin_columns(skin);
    const rn_camera camera = rn_camera_orbit(&p->view.orbit, info.low, info.high, (double)p->width / p->height, time);
    rn_look look = info.look;
    look.time = time;
    if (changed || !p->has_ground[which]) result = rn_renderer_set_ground(renderer, &ground);
    p->has_ground[which] = result == RN_OK;
    if (result == RN_OK) result = rn_renderer_set_liquid(renderer, &surface, &liquid, &columns);
    if (result == RN_OK) result = rn_renderer_set_bodies(renderer, &bodies);
    return result == RN_OK ? rn_renderer_draw(renderer, &camera, &look, p->pixels) : result;
}

rn_result panels_draw(panels *p, int frame, uint8_t *picture) {
    const size_t row = 3 * (size_t)p->width;
    for (int i = 0; i < BOTH; i++) {
        const rn_result result = draw_scene(p, i, frame * p->pace);
        if (result != RN_OK) return result;
        for (size_t y = 0; y < (size_t)p->height; y++)
            memcpy(picture + (2 * y + (size_t)i) * row, p->pixels + y * row, row);
    }
    return RN_OK;
}
