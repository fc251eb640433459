/* The viewer. Interface: view/window/viewer.h.

   Functions of the section "The thread of the simulation" up to run_save run on that thread, with the session as their
   data; everything else runs on the window's thread. Commands to the simulation are counted in `sent`, so that the
   window knows from a frame's `commands` which of them are done. */
#include "view/window/viewer.h"

#include "base/platform.h"
#include "render/camera.h"
#include "view/saved_scene.h"
#include "view/window/pick.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const viewer_tool_names[TOOLS] = {"look", "pour", "suck", "push", "drop", "drag", "dig", "raise"};
const char *const viewer_prop_names[VIEWER_PROPS] = {"box", "duck", "log", "car"};

static const double degree = 0.017453292519943295769;
static const double film_rate = 30; /* pictures per second of simulated time */

/* Places in rn_live_frame.values: real time of the step (s), then levels (m) at HISTORY_PROBES probes. */
enum { VALUE_SPENT, VALUE_PROBES };

void viewer_tell(viewer *v, bool bad, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->notice, sizeof v->notice, format, arguments);
    va_end(arguments);
    v->notice_is_bad = bad;
    v->notice_time = rn_clock();
}

void viewer_start(viewer *v, const viewer_settings *settings) {
    *v = (viewer){.settings = *settings, .playing = true, .body = -1, .view = -1};
    v->orbit = rn_orbit_default();
}

/* ---- The thread of the simulation -------------------------------------------------------------------------------- */

/* The step of rn_live: one step of the session, with the replay. user: the session. */
static rn_result step_session(void *user, rn_world *world, double seconds) {
    (void)world, (void)seconds;
    return session_step(user);
}

/* The measurement of rn_live: how long the step took, and the levels at the first probes. user: the session. */
static void measure(void *user, const rn_world *world, double values[RN_LIVE_VALUES]) {
    const session *s = user;
    const rn_scene_info info = rn_scene_describe(s->scene);
    int count = 0;
    values[VALUE_SPENT] = s->spent;
    for (int i = 0; i < info.probe_count && count < HISTORY_PROBES; i++)
        if (!info.probes[i].is_section)
            values[VALUE_PROBES + count++] = rn_world_sample(world, info.probes[i].at).level;
}

/* The data of run_action. */
typedef struct sent_action {
    session *session;
    action what;
} sent_action;

/* A command of rn_live: performs and logs an action. data: a sent_action. */
static rn_result run_action(rn_world *world, void *data) {
    (void)world;
    sent_action *sent = data;
    return session_act(sent->session, &sent->what);
}

/* The data of run_save. */
typedef struct sent_save {
    session *session;
    viewer_file kind;
    char *path; /* the command's own, which it frees */
} sent_save;

/* A command of rn_live: writes a file. data: a sent_save. */
static rn_result run_save(rn_world *world, void *data) {
    (void)world;
    const sent_save *save = data;
    rn_result result = RN_OK;
    switch (save->kind) {
    case FILE_CHECKPOINT: result = session_save_checkpoint(save->session, save->path); break;
    case FILE_INPUTS: result = session_save_inputs(save->session, save->path); break;
    case FILE_SCENE: result = saved_scene_write(save->session, save->path); break;
    }
    free(save->path);
    return result;
}

/* Sends a command to the simulation and counts it. False: no scene is open, or the queue is full (with a notice). */
static bool send(viewer *v, rn_live_command command, const void *data, size_t size) {
    if (!v->live) return false;
    if (rn_live_send(v->live, command, data, size) != RN_OK) {
        viewer_tell(v, true, "%s", rn_last_error());
        return false;
    }
    v->sent++;
    return true;
}

/* Whether the simulation is so slow that commands pile up. Never with a script, which waits for the simulation. */
static bool is_crowded(const viewer *v) { return !v->scripted && v->frame && v->sent - v->frame->commands > 8; }

/* Whether an action may be held back, because a later one of its kind replaces it. A setting may wait only if none of
   another key waits. */
static bool may_wait(const viewer *v, const action *what) {
    const action *other = &v->waiting[ACTION_SET];
    switch (what->kind) {
    case ACTION_POUR:
    case ACTION_SUCK:
    case ACTION_PUSH:
    case ACTION_DRAG:
    case ACTION_RAIN: return true;
    case ACTION_SET:
        return !v->waits[ACTION_SET] || strncmp(other->text, what->text, strcspn(what->text, "=") + 1) == 0;
    case ACTION_RELEASE:
    case ACTION_DROP:
    case ACTION_DIG:
    case ACTION_RAISE:
    case ACTION_KINDS: break;
    }
    return false;
}

void viewer_act(viewer *v, const action *what) {
    if (what->kind == ACTION_RELEASE)
        v->waits[ACTION_POUR] = v->waits[ACTION_SUCK] = v->waits[ACTION_PUSH] = v->waits[ACTION_DRAG] = false;
    if (is_crowded(v) && may_wait(v, what)) {
        v->waiting[what->kind] = *what;
        v->waits[what->kind] = true;
        return;
    }
    const sent_action sent = {v->current, *what};
    send(v, run_action, &sent, sizeof sent);
}

/* Sends the actions that were held back, while there is room. */
static void send_waiting(viewer *v) {
    for (int i = 0; i < ACTION_KINDS && !is_crowded(v); i++) {
        if (!v->waits[i]) continue;
        v->waits[i] = false;
        viewer_act(v, &v->waiting[i]);
    }
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

bool viewer_is_loading(const viewer *v) { return v->loading.wanted || v->loading.running; }

/* Asks the loader to open a scene or file without changes, and pauses the current scene. replay: a log to replay, or
   NULL. A notice if a scene is being opened already. */
static void ask_for(viewer *v, const char *what, inputs *replay) {
    loader *l = &v->loading;
    if (viewer_is_loading(v)) {
        viewer_tell(v, true, "wait until %s is open", l->what);
        return;
    }
    snprintf(l->what, sizeof l->what, "%s", what);
    l->set_count = 0;
    l->replay = replay;
    l->wanted = true;
    v->choosing = false;
    if (v->live && !v->scripted) rn_live_pause(v->live, true);
}

void viewer_open(viewer *v, const char *what) { ask_for(v, what, NULL); }

void viewer_open_replay(viewer *v, inputs *log) { ask_for(v, log->scene, log); }

void viewer_open_with(viewer *v, const char *what, const char *const *set, int count) {
    if (viewer_is_loading(v)) return;
    ask_for(v, what, NULL);
    for (int i = 0; i < count && v->loading.set_count < LOADER_SET; i++)
        snprintf(v->loading.set[v->loading.set_count++], VIEWER_TEXT, "%s", set[i]);
}

void viewer_restart_with(viewer *v, const char *change) {
    if (!v->current || viewer_is_loading(v)) return;
    const inputs *log = &v->current->log; /* `scene` and `set` of the log do not change while the simulation runs */
    const char *set[LOADER_SET];
    int count = 0;
    const size_t key = change ? strcspn(change, "=") + 1 : 0;
    for (int i = 0; i < log->set_count && count < LOADER_SET - 1; i++)
        if (!change || strncmp(log->set[i], change, key) != 0) set[count++] = log->set[i];
    if (change) set[count++] = change;
    viewer_open_with(v, log->scene, set, count);
}

void viewer_reset(viewer *v) { viewer_restart_with(v, NULL); }

/* Copies the text of a key of the scene, or `otherwise` if it has none. */
static void copy_word(const json_t *root, const char *key, const char *otherwise, char word[16]) {
    const char *given = json_string_value(json_object_get(root, key));
    snprintf(word, 16, "%s", given ? given : otherwise);
}

/* Reads the values that the panel shows from the scene, before its simulation starts. */
static void read_values(viewer *v) {
    char *text = NULL;
    json_t *root = rn_scene_text(v->current->scene, &text) == RN_OK ? json_loads(text, 0, NULL) : NULL;
    rn_scene_text_free(text);
    const rn_vec3 g = rn_world_gravity(v->current->world);
    const rn_world_info info = rn_world_describe(v->current->world);
    const json_t *friction = json_object_get(root, "friction"), *courant = json_object_get(root, "courant");
    const bool packets = strcmp(info.solver, "packets") == 0;
    if (packets) courant = json_object_get(json_object_get(root, "packets"), "courant");
    snprintf(v->solver, sizeof v->solver, "%s", info.solver);
    copy_word(root, "model", "physical", v->model);
    copy_word(root, "passages", "default", v->passages);
    copy_word(root, "contact", "static", v->contact);
    v->liquid = rn_world_liquid(v->current->world);
    v->viscosity = v->liquid.viscosity;
    v->contact_angle = v->liquid.contact_angle;
    v->friction = friction ? json_number_value(friction) : 0.5;
    v->courant = courant ? json_number_value(courant) : packets ? 0.5 : 3.0;
    v->gravity[0] = g.x, v->gravity[1] = g.y, v->gravity[2] = g.z;
    v->tilt[0] = atan2(g.x, -g.z) / degree, v->tilt[1] = atan2(g.y, -g.z) / degree;
    v->rain = 0;
    json_decref(root);
}

/* Sets the brush radius (m), pour rate (m^3/s) and body size (m) that suit the size of the scene. */
static void suit(viewer *v) {
    const double side = fmin(v->info.high.x - v->info.low.x, v->info.high.y - v->info.low.y);
    v->suits_radius = 0.05 * side;
    v->suits_rate = 3.14159 * v->suits_radius * v->suits_radius * 0.3 * sqrt(-v->gravity[2] * v->suits_radius);
    v->suits_size = 0.1 * side;
}

/* Starts the simulation of a session. False: rn_last_error has a message, and v->live is as before. */
static bool start_live(viewer *v, session *s) {
    rn_live_def def = rn_live_default(s->world);
    def.skin = rn_scene_skin(s->scene);
    def.skin.menisci = true;
    def.frame_time = rn_scene_describe(s->scene).frame_time;
    def.speed = v->settings.speed;
    def.paused = v->scripted || !v->playing;
    def.step = step_session;
    def.measure = measure;
    def.user = s;
    rn_live *live;
    if (rn_live_create(&def, &live) != RN_OK) return false;
    v->live = live;
    return true;
}

/* Makes a session the current one: its title, views, probes and values are those of the window. */
static void show_session(viewer *v, session *s) {
    v->current = s;
    v->info = rn_scene_describe(s->scene);
    snprintf(v->title, sizeof v->title, "%s", *v->info.title ? v->info.title : v->info.name);
    v->info.title = v->info.about = "";
    read_values(v);
    suit(v);
}

/* Shows the opened scene in place of the current one, which is closed in the background. On failure closes the new one,
   with a notice. */
static void adopt(viewer *v, session *s) {
    rn_live *old_live = v->live;
    session *old = v->current;
    const bool same = old && strcmp(old->log.scene, s->log.scene) == 0;
    const viewer kept = *v;
    show_session(v, s);
    if (!start_live(v, s)) {
        *v = kept;
        viewer_tell(v, true, "%s", rn_last_error());
        session_close(s);
        free(s);
        if (v->live && !v->scripted) rn_live_pause(v->live, !v->playing);
        return;
    }
    v->drawn = v->ground = v->errors = v->sent = 0;
    memset(v->saves, 0, sizeof v->saves);
    memset(v->waits, 0, sizeof v->waits);
    v->working = false;
    v->frame = rn_live_latest(v->live);
    history_clear(&v->plots);
    if (!same) viewer_look(v, 0);
    if (old_live) loader_retire(&v->loading, old_live, old);
}

/* Starts to open the wanted scene once the current one is paused; shows it, or the error, when opening has ended. */
static void follow_loading(viewer *v) {
    loader *l = &v->loading;
    const bool rests = !v->live || v->scripted || (v->frame && v->frame->paused);
    if (l->wanted && rests && !loader_begin(l))
        viewer_tell(v, true, "%s cannot be opened: no thread could be started for it", l->what);
    if (!loader_is_done(l)) return;
    if (l->result) adopt(v, l->result);
    else {
        viewer_tell(v, true, "%s", l->error);
        if (v->live && !v->scripted) rn_live_pause(v->live, !v->playing);
        v->choosing = !v->live;
    }
    l->result = NULL;
}

void viewer_end(viewer *v) {
    film_end(&v->record);
    rn_renderer_destroy(v->renderer);
    if (v->live) {
        rn_live_destroy(v->live);
        if (*v->record_input && session_save_inputs(v->current, v->record_input) != RN_OK)
            fprintf(stderr, "%s\n", rn_last_error());
        session_close(v->current);
        free(v->current);
    }
    loader_finish(&v->loading);
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

void viewer_play(viewer *v, bool playing) {
    v->playing = playing;
    if (v->live && !v->scripted) rn_live_pause(v->live, !playing);
}

void viewer_step(viewer *v) {
    viewer_play(v, false);
    if (v->live && v->scripted) v->steps_asked++; /* the script takes it, and waits for it */
    else if (v->live) rn_live_advance(v->live);
}

void viewer_set_speed(viewer *v, double speed) {
    v->settings.speed = fmin(fmax(speed, 1.0 / 64), 64.0);
    if (v->live) rn_live_set_speed(v->live, v->settings.speed);
}

/* ---- By hand ----------------------------------------------------------------------------------------------------- */

double viewer_radius(const viewer *v) { return v->settings.radius * v->suits_radius; }

double viewer_rate(const viewer *v) { return v->settings.rate * v->suits_rate; }

void viewer_set(viewer *v, const char *change) {
    action what = {.kind = ACTION_SET};
    if (snprintf(what.text, sizeof what.text, "%s", change) >= (int)sizeof what.text) return;
    viewer_act(v, &what);
    if (strncmp(change, "liquid=", 7) == 0 && rn_liquid_find(change + 7, &v->liquid)) {
        v->viscosity = v->liquid.viscosity;
        v->contact_angle = v->liquid.contact_angle;
    }
}

void viewer_set_rain(viewer *v, double mm_per_hour) {
    v->rain = fmax(mm_per_hour, 0);
    const action what = {.kind = ACTION_RAIN, .numbers = {v->rain / 3.6e6}};
    viewer_act(v, &what);
}

void viewer_set_tilt(viewer *v, double x_degrees, double y_degrees) {
    const double strength =
        sqrt(v->gravity[0] * v->gravity[0] + v->gravity[1] * v->gravity[1] + v->gravity[2] * v->gravity[2]);
    v->tilt[0] = fmin(fmax(x_degrees, -45), 45), v->tilt[1] = fmin(fmax(y_degrees, -45), 45);
    const double x = tan(v->tilt[0] * degree), y = tan(v->tilt[1] * degree), down = strength / sqrt(1 + x * x + y * y);
    v->gravity[0] = x * down, v->gravity[1] = y * down, v->gravity[2] = -down;
    char text[ACTION_TEXT];
    snprintf(text, sizeof text, "gravity=[%.9g, %.9g, %.9g]", v->gravity[0], v->gravity[1], v->gravity[2]);
    viewer_set(v, text);
}

/* Ends the tool in use, if there is one. */
static void release(viewer *v) {
    const action what = {.kind = ACTION_RELEASE};
    if (v->working && v->tool != TOOL_DROP) viewer_act(v, &what);
    v->working = false;
    v->body = -1;
}

void viewer_choose_tool(viewer *v, viewer_tool tool) {
    release(v);
    v->tool = tool;
}

/* Drags the held body to the ray, at the distance from the camera where it was taken. */
static void drag_to(viewer *v, const pick_ray *ray) {
    const rn_vec3 to = rn_sum(ray->from, rn_times(ray->along, v->grip));
    const action what = {.kind = ACTION_DRAG, .numbers = {v->body, to.x, to.y, to.z}};
    viewer_act(v, &what);
}

/* Performs an action at the place under the mouse, raised by `lift` (m). fourth, fifth: its further numbers. */
static void act_at(viewer *v, action_kind kind, double lift, double fourth, double fifth) {
    const action what = {.kind = kind, .numbers = {v->hit.x, v->hit.y, v->hit.z + lift, fourth, fifth}};
    viewer_act(v, &what);
}

/* Pushes the liquid in the direction that the mouse has moved since the last push, once that is far enough. */
static void push_on(viewer *v) {
    const double dx = v->hit.x - v->pushed.x, dy = v->hit.y - v->pushed.y, way = hypot(dx, dy);
    if (way < 0.2 * viewer_radius(v)) return;
    const double strength = -0.5 * v->gravity[2];
    const action what = {
        .kind = ACTION_PUSH,
        .numbers = {v->hit.x, v->hit.y, 2 * viewer_radius(v), strength * dx / way, strength * dy / way}};
    viewer_act(v, &what);
    v->pushed = v->hit;
}

/* Digs or raises at the place under the mouse, unless the last place is near. first: the button was just pressed. */
static void brush(viewer *v, bool first) {
    const double far = hypot(hypot(v->hit.x - v->pushed.x, v->hit.y - v->pushed.y), v->hit.z - v->pushed.z);
    if (!first && far < 0.3 * viewer_radius(v)) return;
    act_at(v, v->tool == TOOL_DIG ? ACTION_DIG : ACTION_RAISE, 0, viewer_radius(v), 0);
    v->pushed = v->hit;
}

/* Drops the chosen body from one body size above the place under the mouse. */
static void drop(viewer *v) {
    const double size = v->suits_size * v->settings.radius;
    action what = {.kind = ACTION_DROP, .numbers = {v->hit.x, v->hit.y, v->hit.z + size, size}};
    snprintf(what.text, sizeof what.text, "%s", viewer_prop_names[v->prop]);
    viewer_act(v, &what);
}

/* Uses the tool at the place of the mouse. first: the button was just pressed; otherwise the mouse has moved. */
static void work(viewer *v, bool first) {
    if (!v->over && v->tool != TOOL_DRAG) return;
    const double cell = v->frame ? (double)v->frame->columns.cell_size : 0;
    switch (v->tool) {
    case TOOL_POUR: act_at(v, ACTION_POUR, 0.5 * cell, viewer_radius(v), viewer_rate(v)); break;
    case TOOL_SUCK: act_at(v, ACTION_SUCK, 0.5 * cell, viewer_radius(v), 2 * viewer_rate(v)); break;
    case TOOL_PUSH:
        if (first) v->pushed = v->hit;
        else push_on(v);
        break;
    case TOOL_DIG:
    case TOOL_RAISE: brush(v, first); break;
    case TOOL_DROP:
        if (first) drop(v);
        break;
    case TOOL_DRAG:
    case TOOL_LOOK:
    case TOOLS: break;
    }
}

/* Finds the place under the mouse: sets `over` and `hit`. */
static void find_hit(viewer *v, const pick_ray *ray) {
    v->over = v->frame && v->frame->columns.base.data && pick_surface(&v->frame->columns, ray, &v->hit);
}

/* The ray from the camera through the mouse. */
static pick_ray mouse_ray(const viewer *v) { return pick_ray_at(&v->camera, v->x, v->y, v->width, v->height); }

/* ---- The view ---------------------------------------------------------------------------------------------------- */

/* Sets the camera from the orbit and the size of the picture. */
static void aim(viewer *v) {
    v->camera = rn_camera_orbit(&v->orbit, v->info.low, v->info.high, (double)v->width / fmax(v->height, 1), 0);
}

void viewer_look(viewer *v, int view) {
    if (!v->current || v->info.view_count == 0) return;
    v->view = (view % v->info.view_count + v->info.view_count) % v->info.view_count;
    v->orbit = v->info.views[v->view].orbit;
    v->orbit.turn = 0;
    aim(v);
}

void viewer_orbit(viewer *v, double dx, double dy) {
    v->view = -1;
    v->orbit.azimuth -= 180 * dx / fmax(v->width, 1);
    v->orbit.elevation = fmin(fmax(v->orbit.elevation + 120 * dy / fmax(v->height, 1), 2), 90);
    aim(v);
}

/* Makes the place that the camera looks at the fixed target of the orbit, with the camera at the same distance. */
static void hold_target(viewer *v) {
    if (v->orbit.aimed) return;
    const double before = rn_length(rn_difference(v->camera.eye, v->camera.target));
    v->orbit.target = v->camera.target;
    v->orbit.aimed = true;
    aim(v);
    const double now = rn_length(rn_difference(v->camera.eye, v->camera.target));
    v->orbit.zoom = (v->orbit.zoom > 0 ? v->orbit.zoom : 1) * now / fmax(before, 1e-12);
}

void viewer_pan(viewer *v, double dx, double dy) {
    hold_target(v);
    v->view = -1;
    const rn_frame axes = rn_camera_frame(&v->camera);
    const double distance = rn_length(rn_difference(v->camera.eye, v->camera.target));
    const double tall = v->camera.angle > 0 ? 2 * distance * tan(0.5 * v->camera.angle * degree) : v->camera.span;
    const double metres = tall / fmax(v->height, 1);
    v->orbit.target =
        rn_sum(v->orbit.target, rn_sum(rn_times(axes.right, -dx * metres), rn_times(axes.up, dy * metres)));
    aim(v);
}

void viewer_zoom(viewer *v, double clicks) {
    const double zoom = (v->orbit.zoom > 0 ? v->orbit.zoom : 1) * pow(1.12, clicks);
    v->view = -1;
    v->orbit.zoom = fmin(fmax(zoom, 0.2), 50);
    aim(v);
}

/* ---- Mouse ------------------------------------------------------------------------------------------------------- */

void viewer_move(viewer *v, double x, double y) {
    const double dx = x - v->last_x, dy = y - v->last_y;
    v->x = v->last_x = x, v->y = v->last_y = y;
    if (!v->live) return;
    if (v->down[BUTTON_RIGHT] || (v->down[BUTTON_LEFT] && !v->working)) viewer_orbit(v, dx, dy);
    if (v->down[BUTTON_MIDDLE]) viewer_pan(v, dx, dy);
    const pick_ray ray = mouse_ray(v);
    find_hit(v, &ray);
    if (v->working && v->tool == TOOL_DRAG) drag_to(v, &ray);
    else if (v->working) work(v, false);
}

void viewer_leave(viewer *v, double x, double y) {
    v->x = v->last_x = x, v->y = v->last_y = y;
    v->over = false;
}

/* Takes hold of the body under the mouse. False: there is none. */
static bool take_body(viewer *v, const pick_ray *ray) {
    if (!v->frame) return false;
    v->body = pick_body(&v->frame->bodies, ray, &v->grip);
    if (v->body >= 0) drag_to(v, ray);
    return v->body >= 0;
}

void viewer_press(viewer *v, viewer_button button, bool down) {
    v->down[button] = down;
    if (button != BUTTON_LEFT || !v->live) return;
    if (!down) {
        release(v);
        return;
    }
    const pick_ray ray = mouse_ray(v);
    find_hit(v, &ray);
    if (v->tool == TOOL_LOOK) return;
    v->working = v->tool == TOOL_DRAG ? take_body(v, &ray) : v->over;
    if (v->working) work(v, true);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Writes a file name with the scene's name, the time of day and this ending: "bowl-153012.rnl". */
static void name_file(const viewer *v, const char *ending, char *path, size_t size) {
    char now[16];
    const time_t seconds = time(NULL);
    strftime(now, sizeof now, "%H%M%S", localtime(&seconds));
    snprintf(path, size, "%s-%s.%s", v->info.name, now, ending);
}

void viewer_save(viewer *v, viewer_file kind, const char *path) {
    static const char *const endings[] = {"rnl", "input.txt", "json"};
    if (!v->live) return;
    int i = 0;
    while (i < VIEWER_SAVES && *v->saves[i].path) i++;
    if (i == VIEWER_SAVES) {
        viewer_tell(v, true, "other files are still being written");
        return;
    }
    if (path) snprintf(v->saves[i].path, INPUT_PATH, "%s", path);
    else name_file(v, endings[kind], v->saves[i].path, INPUT_PATH);
    const sent_save save = {v->current, kind, strdup(v->saves[i].path)};
    v->saves[i].errors = v->frame ? v->frame->errors : 0;
    if (save.path && send(v, run_save, &save, sizeof save)) {
        if (kind == FILE_CHECKPOINT) v->rain = 0; /* which a checkpoint ends */
        v->saves[i].after = v->sent;
        return;
    }
    free(save.path);
    *v->saves[i].path = 0;
}

/* Shows a notice for each file that has been written since. */
static void follow_saves(viewer *v) {
    for (int i = 0; i < VIEWER_SAVES; i++) {
        if (!*v->saves[i].path || v->frame->commands < v->saves[i].after) continue;
        if (v->frame->errors == v->saves[i].errors) viewer_tell(v, false, "Saved %s", v->saves[i].path);
        *v->saves[i].path = 0;
    }
}

void viewer_film(viewer *v, const char *path) {
    char name[INPUT_PATH];
    const bool running = v->record.writer != NULL;
    if (running) {
        const bool fine = film_end(&v->record);
        viewer_tell(v, !fine, fine ? "Saved %s" : "%s", fine ? v->record.path : v->record.error);
        return;
    }
    if (!v->live) return;
    if (!path) name_file(v, "mp4", name, sizeof name);
    v->next_picture = v->frame->stats.time;
    if (!film_start(&v->record, path ? path : name, v->width, v->height, 30))
        viewer_tell(v, true, "%s", v->record.error);
}

bool viewer_screenshot(viewer *v, const char *path) {
    char name[INPUT_PATH];
    if (!path) name_file(v, "png", name, sizeof name);
    path = path ? path : name;
    uint8_t *pixels = malloc(3 * (size_t)v->width * (size_t)v->height);
    bool fine = pixels && v->renderer && v->live;
    rn_look look = v->info.look;
    look.overlay = v->overlay;
    fine = fine && rn_renderer_draw(v->renderer, &v->camera, &look, pixels) == RN_OK &&
           rn_png_write(path, pixels, v->width, v->height) == RN_OK;
    free(pixels);
    viewer_tell(v, !fine, fine ? "Saved %s" : "%s", fine ? path : rn_last_error());
    return fine;
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

/* Adds the values of the newest frame to the plots, if it has taken steps since `steps_before`. */
static void note_history(viewer *v, uint64_t steps_before) {
    const rn_live_frame *f = v->frame;
    if (f->steps == steps_before) return;
    double values[HISTORY_LINES] = {f->audit.present, f->speed, f->stats.substeps, 1000 * f->values[VALUE_SPENT],
                                    1000 * fmax(f->seconds - v->spent, 0)}; /* `seconds` belongs to the previous step */
    v->spent = f->values[VALUE_SPENT];
    for (int i = 0; i < HISTORY_PROBES; i++) values[HISTORY_LEVEL + i] = f->values[VALUE_PROBES + i];
    history_add(&v->plots, values);
}

void viewer_update(viewer *v) {
    follow_loading(v);
    if (!v->live) return;
    const uint64_t before = v->frame && v->plots.count ? v->frame->steps : 0;
    v->frame = rn_live_latest(v->live);
    send_waiting(v);
    aim(v);
    note_history(v, before);
    follow_saves(v);
    if (v->frame->errors != v->errors) viewer_tell(v, true, "%s", v->frame->error);
    v->errors = v->frame->errors;
}

/* Gives the renderer the ground, liquid and bodies of the newest frame, if it does not have them. */
static rn_result upload(viewer *v) {
    const rn_live_frame *f = v->frame;
    rn_result result = RN_OK;
    if (f->ground_number != v->ground) result = rn_renderer_set_ground(v->renderer, &f->ground);
    v->ground = f->ground_number;
    if (f->number != v->drawn && result == RN_OK)
        result = rn_renderer_set_liquid(v->renderer, &f->surface, &v->liquid, &f->columns);
    if (f->number != v->drawn && result == RN_OK) result = rn_renderer_set_bodies(v->renderer, &f->bodies);
    v->drawn = f->number;
    return result;
}

/* Whether the film needs a picture now, and moves on to the next one. Films follow simulated time, at any speed of the
   window. */
static bool is_picture_due(viewer *v) {
    const double time = v->frame->stats.time, pace = 1.0 / film_rate;
    if (!v->record.writer || time < v->next_picture) return false;
    v->next_picture = fmax(v->next_picture, time - pace) + pace;
    return true;
}

rn_result viewer_draw(viewer *v) {
    if (!v->live || v->width < 1 || v->height < 1) return RN_OK;
    rn_result result = rn_renderer_resize(v->renderer, v->width, v->height);
    if (result == RN_OK) result = upload(v);
    if (result != RN_OK) return result;
    aim(v);
    rn_look look = v->info.look;
    look.overlay = v->overlay;
    look.time = v->frame->stats.time;
    if (v->record.writer && (v->record.width != v->width || v->record.height != v->height))
        viewer_film(v, NULL); /* ends it: the window has another size now */
    uint8_t *pixels = is_picture_due(v) ? film_room(&v->record) : NULL;
    result = rn_renderer_draw(v->renderer, &v->camera, &look, pixels);
    if (pixels && result == RN_OK) film_give(&v->record);
    return result;
}

void viewer_status(const viewer *v, char *text, size_t size) {
    static const char *const bounds[RN_BOUNDS] = {"the frame", "waves", "the flow's speed", "drag", "sources"};
    if (!v->live) {
        snprintf(text, size, "no scene");
        return;
    }
    const rn_live_frame *f = v->frame;
    const rn_world_stats *s = &f->stats;
    char depth[64] = "";
    if (s->bound_depth > 0) snprintf(depth, sizeof depth, " at a depth of %.3g m", s->bound_depth);
    char pace[64] = "paused";
    if (v->playing && v->scripted) snprintf(pace, sizeof pace, "scripted");
    else if (v->playing) snprintf(pace, sizeof pace, "%.2f \xc3\x97 real time", f->speed);
    snprintf(text, size, "%.2f s  \xc2\xb7  %s  \xc2\xb7  %d substep%s of %.3g ms, bound by %s%s", s->time, pace,
             s->substeps, s->substeps == 1 ? "" : "s", 1000 * s->dt, bounds[s->bound < RN_BOUNDS ? s->bound : 0],
             depth);
}
