/* What both windows show: a scene that runs on its own thread, drawn by runnel's renderer. Space pauses, P pours over
   the middle, the mouse turns the view, and its wheel zooms. */
#ifndef LIVE_H
#define LIVE_H

#include <runnel/runnel.h>
#include <stdio.h>

typedef struct show {
    rn_scene *scene;
    rn_scene_info info; /* as it was before the simulation began: the scene itself belongs to that */
    rn_liquid liquid;
    rn_live *live;
    rn_renderer *renderer;
    rn_orbit orbit;
    uint64_t drawn, ground; /* numbers of what the renderer has */
    bool paused;
} show;

static rn_result step_scene(void *user, rn_world *world, double seconds) {
    (void)world, (void)seconds;
    return rn_scene_step(user);
}

/* Runs between two steps, on the thread of the simulation. */
static rn_result pour_in_the_middle(rn_world *world, void *data) {
    const rn_world_info info = rn_world_describe(world);
    const double half = 0.5 * info.cell_size, radius = 0.1 * half * info.cells_x;
    const rn_vec3 at = {info.origin_x + half * info.cells_x, info.origin_y + half * info.cells_y, info.lid};
    return rn_world_pour(world, at, radius, *(const double *)data * radius * radius) < 0 ? RN_INVALID : RN_OK;
}

/* The GL of a window is current. */
static rn_result show_open(show *s, const char *path) {
    const rn_scene_def scene = {.path = path, .keep_solid = true};
    rn_result result = rn_scene_open(&scene, &s->scene);
    if (result != RN_OK) return result;
    s->info = rn_scene_describe(s->scene);
    s->liquid = rn_world_liquid(rn_scene_world(s->scene));
    s->orbit = rn_orbit_default();
    rn_live_def def = rn_live_default(rn_scene_world(s->scene));
    def.skin = rn_scene_skin(s->scene);
    def.frame_time = s->info.frame_time;
    def.step = step_scene, def.user = s->scene;
    result = rn_live_create(&def, &s->live);
    rn_renderer_def renderer = rn_renderer_default();
    renderer.hosted = true;
    return result == RN_OK ? rn_renderer_create(&renderer, &s->renderer) : result;
}

/* Draws the newest frame, and writes the title of the window. It never waits for the simulation. */
static rn_result show_draw(show *s, int width, int height, char title[128]) {
    const rn_live_frame *f = rn_live_latest(s->live);
    rn_result result = rn_renderer_resize(s->renderer, width, height);
    if (f->ground_number != s->ground && result == RN_OK) result = rn_renderer_set_ground(s->renderer, &f->ground);
    if (f->number != s->drawn && result == RN_OK)
        result = rn_renderer_set_liquid(s->renderer, &f->surface, &s->liquid, &f->columns);
    if (f->number != s->drawn && result == RN_OK) result = rn_renderer_set_bodies(s->renderer, &f->bodies);
    s->drawn = f->number, s->ground = f->ground_number;
    snprintf(title, 128, "runnel: %.2f s, %.4g ml, %s", f->stats.time, 1e6 * f->audit.present,
             s->paused ? "paused" : "playing");
    const rn_camera camera = rn_camera_orbit(&s->orbit, s->info.low, s->info.high, (double)width / height, 0);
    return result == RN_OK ? rn_renderer_draw(s->renderer, &camera, &s->info.look, NULL) : result;
}

static void show_key(show *s, char key) {
    const double rate = 0.2; /* m/s */
    if (key == ' ') rn_live_pause(s->live, s->paused = !s->paused);
    if (key == 'P') rn_live_send(s->live, pour_in_the_middle, &rate, sizeof rate);
}

/* x, y: how far the mouse has moved, in pixels. */
static void show_turn(show *s, double x, double y) {
    const double up = s->orbit.elevation + 0.2 * y;
    s->orbit.azimuth -= 0.2 * x;
    s->orbit.elevation = up < 5 ? 5 : up > 90 ? 90 : up;
}

static void show_zoom(show *s, double clicks) {
    const double zoom = (s->orbit.zoom > 0 ? s->orbit.zoom : 1) * (1 + 0.1 * clicks);
    s->orbit.zoom = zoom < 0.5 ? 0.5 : zoom > 20 ? 20 : zoom;
}

static int show_close(show *s, int status) {
    if (status) fprintf(stderr, "%s\n", rn_last_error());
    rn_renderer_destroy(s->renderer);
    rn_live_destroy(s->live);
    if (s->scene) rn_scene_close(s->scene);
    return status;
}

#endif
