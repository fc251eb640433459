/* What both windows show: a scene that runs on its own thread, drawn by runnel's renderer. Space pauses, the mouse
   turns the view, and P pours water over the middle. */
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
    const double half = 0.5 * info.cell_size;
    const rn_vec3 at = {info.origin_x + half * info.cells_x, info.origin_y + half * info.cells_y, info.lid};
    const double radius = 0.1 * half * info.cells_x, rate = *(const double *)data * radius * radius;
    return rn_world_pour(world, at, radius, rate) < 0 ? RN_INVALID : RN_OK;
}

/* The GL of a window is current. */
static rn_result show_open(show *s, const char *path, int width, int height) {
    const rn_scene_def scene = {.path = path, .keep_solid = true};
    rn_result result = rn_scene_open(&scene, &s->scene);
    if (result != RN_OK) return result;
    s->info = rn_scene_describe(s->scene);
    s->liquid = rn_world_liquid(rn_scene_world(s->scene));
    rn_live_def def = rn_live_default(rn_scene_world(s->scene));
    def.skin = rn_scene_skin(s->scene);
    def.frame_time = s->info.frame_time;
    def.step = step_scene;
    def.user = s->scene;
    result = rn_live_create(&def, &s->live);
    if (result != RN_OK) return result;
    rn_renderer_def renderer = rn_renderer_default();
    renderer.width = width, renderer.height = height, renderer.hosted = true;
    s->orbit = rn_orbit_default();
    return rn_renderer_create(&renderer, &s->renderer);
}

/* Draws the newest frame. It never waits for the simulation. */
static rn_result show_draw(show *s, double aspect) {
    const rn_live_frame *frame = rn_live_latest(s->live);
    rn_result result = RN_OK;
    if (frame->ground_number != s->ground) result = rn_renderer_set_ground(s->renderer, &frame->ground);
    s->ground = frame->ground_number;
    if (frame->number != s->drawn && result == RN_OK)
        result = rn_renderer_set_liquid(s->renderer, &frame->surface, &s->liquid, &frame->columns);
    if (frame->number != s->drawn && result == RN_OK) result = rn_renderer_set_bodies(s->renderer, &frame->bodies);
    s->drawn = frame->number;
    const rn_camera camera = rn_camera_orbit(&s->orbit, s->info.low, s->info.high, aspect, 0);
    return result == RN_OK ? rn_renderer_draw(s->renderer, &camera, &s->info.look, NULL) : result;
}

static void show_title(show *s, char *text, size_t size) {
    const rn_live_frame *frame = rn_live_latest(s->live);
    snprintf(text, size, "runnel: %.2f s, %.4g ml, %.2f x real time", frame->stats.time, 1e6 * frame->audit.present,
             frame->speed);
}

static void show_pause(show *s) { rn_live_pause(s->live, s->paused = !s->paused); }

static void show_pour(show *s) {
    const double rate = 0.2; /* m/s */
    rn_live_send(s->live, pour_in_the_middle, &rate, sizeof rate);
}

static void show_close(show *s) {
    rn_renderer_destroy(s->renderer);
    rn_live_destroy(s->live);
    if (s->scene) rn_scene_close(s->scene);
}

#endif
