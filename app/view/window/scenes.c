/* Opens scenes in the window. Interface: view/window/scenes.h. */
#include "view/window/scenes.h"

#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/runner.h"
#include "view/window/simulation.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295769;

bool scenes_is_loading(const viewer *v) { return v->loading.wanted || v->loading.running; }

/* Asks the loader to open a scene or file without changes, and closes the choice of scenes; scenes_update pauses the
   current scene first. replay: a log to replay, or NULL. Shows a notice if a scene is being opened already. */
static void request_scene(viewer *v, const char *what, inputs *replay) {
    loader *l = &v->loading;
    if (scenes_is_loading(v)) {
        viewer_tell(v, true, "%s is still being opened; try again when it is open", l->what);
        return;
    }
    snprintf(l->what, sizeof l->what, "%s", what);
    texts_free(&l->set);
    texts_free(&l->aside);
    texts_free(&v->restart);
    l->replay = replay;
    l->wanted = true;
    v->later_rain = 0;
    v->page = PAGE_NONE;
}

/* Gives up opening a scene: shows a notice that tells why, and returns to the current scene, which plays on if it
   played, or to the choice of scenes if there is none. */
static void stay(viewer *v, const char *why) {
    viewer_tell(v, true, "%s", why);
    v->loading.wanted = false;
    texts_free(&v->restart);
    if (v->live && !v->scripted) rn_live_pause(v->live, !v->playing);
    if (!v->live) v->page = PAGE_SCENES;
}

/* Returns whether a file begins as an input log does. */
static bool is_input_log(const char *path) {
    char line[16] = "";
    FILE *file = fopen(path, "r");
    const bool is = file && fgets(line, sizeof line, file) && strncmp(line, "runnel input ", 13) == 0;
    if (file) fclose(file);
    return is;
}

/* Reads an input log, and opens its scene to replay it. Shows a notice if it cannot be read. */
static void open_log(viewer *v, const char *path) {
    char error[512];
    inputs_free(&v->opened_log);
    if (!inputs_read(path, &v->opened_log, error, sizeof error)) viewer_tell(v, true, "%s", error);
    else scenes_open_replay(v, &v->opened_log);
}

void scenes_open(viewer *v, const char *what) {
    if (!scenes_is_loading(v) && is_input_log(what)) open_log(v, what);
    else request_scene(v, what, NULL);
}

void scenes_open_replay(viewer *v, inputs *log) { request_scene(v, log->scene, log); }

/* Adds a change "KEY=VALUE" to what is opened. If memory runs out, nothing is opened, and a notice is shown. */
static void add_change(viewer *v, const char *change) {
    if (!texts_add(&v->loading.set, change)) stay(v, "there is not enough memory");
}

void scenes_open_with(viewer *v, const char *what, const char *const *set, int count) {
    if (scenes_is_loading(v)) return;
    request_scene(v, what, NULL);
    for (int i = 0; i < count; i++) add_change(v, set[i]);
}

/* Returns whether a scene with this solver takes a change that was made by hand with another one. */
static bool suits_solver(const char *change, const char *solver) {
    const bool courant = strncmp(change, "courant=", 8) == 0, packets = strncmp(change, "packets.", 8) == 0;
    if (courant) return strcmp(solver, "implicit") == 0;
    if (packets) return strcmp(solver, "packets") == 0;
    static const char *const not_for_mac[] = {"friction=", "passages=", "max_substeps="};
    for (size_t i = 0; i < sizeof not_for_mac / sizeof *not_for_mac && strcmp(solver, "mac") == 0; i++)
        if (strncmp(change, not_for_mac[i], strlen(not_for_mac[i])) == 0) return false;
    return true;
}

/* Adds those of some changes to what is opened that have another key than `change`: to its settings those that suit
   the solver, and the others to those that are kept for another one. */
static void add_changes(viewer *v, const texts *changes, const char *change, const char *solver) {
    loader *l = &v->loading;
    const size_t key = strcspn(change, "=") + 1;
    for (int i = 0; i < changes->count; i++) {
        const char *next = changes->list[i];
        const bool wanted = strncmp(next, change, key) != 0;
        if (wanted && !texts_set(suits_solver(next, solver) ? &l->set : &l->aside, next))
            stay(v, "there is not enough memory");
    }
}

void scenes_restart_with(viewer *v, const char *change) {
    if (!v->current || scenes_is_loading(v)) return;
    request_scene(v, v->current->log.scene, NULL); /* `scene` and `set` of the log do not change while it runs */
    if (!texts_add(&v->restart, change)) stay(v, "there is not enough memory");
    else if (!simulation_ask_accepted(v)) stay(v, rn_last_error());
}

/* Chooses the settings of a restart, if one waits, once the simulation has said what it accepted. Returns false while
   it has not, or, with a notice, if it could not; then nothing is opened. */
static bool prepare_restart(viewer *v) {
    if (v->restart.count == 0) return true;
    if (v->frame->commands < v->answered) return false;
    if (v->accepted_lost) {
        stay(v, "there is not enough memory");
        return false;
    }
    texts restart = v->restart;
    v->restart = (texts){0};
    const char *change = restart.list[0];
    const char *solver = strncmp(change, "solver=", 7) == 0 ? change + 7 : v->solver;
    add_changes(v, &v->current->log.set, change, solver);
    add_changes(v, &v->aside, change, solver);
    add_changes(v, &v->accepted, change, solver);
    add_change(v, change);
    v->later_rain = fmax(3.6e6 * v->frame->values[VALUE_RAIN], v->aside_rain);
    texts_free(&restart);
    return true;
}

void scenes_reset(viewer *v) {
    if (!v->current || scenes_is_loading(v)) return;
    const inputs *log = &v->current->log;
    request_scene(v, log->scene, NULL);
    for (int i = 0; i < log->set.count; i++) add_change(v, log->set.list[i]);
    for (int i = 0; i < v->aside.count; i++) texts_add(&v->loading.aside, v->aside.list[i]);
    v->later_rain = v->aside_rain;
}

/* Copies the text of a key of the scene to `word`, or `otherwise` if it has none. */
static void copy_word(const json_t *root, const char *key, const char *otherwise, char word[16]) {
    const char *given = json_string_value(json_object_get(root, key));
    snprintf(word, 16, "%s", given ? given : otherwise);
}

/* Sets the values of the viewer that the panel shows from the current scene, before its simulation starts, with v->tilt
   from its gravity and without rain. Keys that the scene lacks have their defaults. */
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
    v->opened_friction = v->friction, v->opened_courant = v->courant;
    v->gravity[0] = g.x, v->gravity[1] = g.y, v->gravity[2] = g.z;
    v->tilt[0] = atan2(g.x, -g.z) / degree, v->tilt[1] = atan2(g.y, -g.z) / degree;
    v->rain = 0;
    json_decref(root);
}

/* Sets the default brush radius (m), pour rate (m^3/s) and body size (m) from the size of the scene, v->info, and from
   v->gravity. */
static void set_defaults(viewer *v) {
    const double side = fmin(v->info.high.x - v->info.low.x, v->info.high.y - v->info.low.y);
    v->default_radius = 0.05 * side;
    v->default_rate = 3.14159 * v->default_radius * v->default_radius * 0.3 * sqrt(-v->gravity[2] * v->default_radius);
    v->default_size = 0.1 * side;
}

/* Makes a session the current one, and sets the title, the values, the defaults and v->info of the viewer from its
   scene; the title and description in v->info are left empty. */
static void show_session(viewer *v, session *s) {
    v->current = s;
    v->info = rn_scene_describe(s->scene);
    snprintf(v->title, sizeof v->title, "%s", *v->info.title ? v->info.title : v->info.name);
    v->info.title = v->info.about = "";
    read_values(v);
    set_defaults(v);
}

/* Takes over an opened scene and its simulation, and shows them in place of the current ones, which are closed in the
   background. Ends the film and the use of the tool, and empties the plots; the camera stays if the scene is the same
   file. */
static void show_opened(viewer *v, session *s, rn_live *live) {
    const bool same = v->current && strcmp(v->current->log.scene, s->log.scene) == 0;
    files_end_film(v);
    if (v->live) loader_retire(&v->loading, v->live, v->current);
    v->live = live;
    show_session(v, s);
    v->drawn = v->ground = v->errors = v->sent = 0;
    memset(v->waits, 0, sizeof v->waits);
    v->working = false;
    v->frame = rn_live_latest(v->live);
    v->from_checkpoint = s->log.from_checkpoint;
    history_clear(&v->plots);
    v->waited = 0, v->blocked = v->exchanges = 0;
    texts_free(&v->aside);
    v->aside = v->loading.aside;
    v->loading.aside = (texts){0};
    const bool has_rain = strcmp(v->solver, "mac") != 0, was_aside = v->aside_rain > 0;
    v->aside_rain = has_rain ? 0 : v->later_rain;
    if (v->later_rain > 0 && (has_rain || !was_aside)) /* a notice about rain aside is shown once */
        simulation_set_rain(v, v->later_rain);
    if (hand_why_not(v, v->tool)) v->tool = TOOL_LOOK;
    if (!same) camera_look(v, 0);
    rn_live_set_speed(v->live, v->settings.speed);
    rn_live_pause(v->live, v->scripted || !v->playing);
}

void scenes_update(viewer *v) {
    loader *l = &v->loading;
    loader_join(l);
    const bool rests = !v->live || v->scripted || (v->frame && v->frame->paused);
    if (l->wanted && !rests) rn_live_pause(v->live, true); /* also if the user has played on meanwhile */
    if (l->wanted && rests && prepare_restart(v) && l->wanted && !loader_begin(l))
        stay(v, "the scene cannot be opened: no thread could be started for it");
    if (!loader_is_done(l)) return;
    if (l->result) show_opened(v, l->result, l->live);
    else stay(v, l->error);
    l->result = NULL;
}
