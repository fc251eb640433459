/* Turns the input log of a session into entries of a scene. Interface: view/saved_scene.h.

   Actions are taken in order. A pour becomes a source with a path, a suck a drain; each stroke of a brush becomes a
   solid of its own, each push a force. Bodies and settings are already in the scene's document. */
#include "view/saved_scene.h"

#include "base/error.h"
#include "base/platform.h"
#include "io/file/whole_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double jump = 1e-3; /* share of a frame that a source takes from one position to the next, and by which
                                    pushes begin and end early */

/* A source or drain, of "pour" or "suck", that has not ended yet. */
typedef struct stream {
    json_t *path;               /* its waypoints: [s, x, y, z] (m); NULL: there is no source */
    double start, rate, radius; /* s; m^3/s; m */
} stream;

/* A push that has not ended yet. */
typedef struct push {
    bool on;
    double start;      /* s */
    double numbers[5]; /* of the action */
} push;

/* A scene being written. */
typedef struct writing {
    json_t *root;
    double frame_time; /* s */
    double first;      /* s, time of step 0 */
    double lowest;     /* m, the lowest ground: nothing is dug below it */
    stream pour, suck;
    push push;
    double rain_rate, rain_start; /* m/s, 0: no rain; s */
    bool fits;                    /* there was enough memory */
} writing;

/* Appends an object to a list of the scene, and makes that list if it is missing. Takes the object over. Clears `fits`
   if memory runs out or `object` is NULL. */
static void append_to_list(writing *w, const char *list, json_t *object) {
    json_t *to = json_object_get(w->root, list);
    if (!to && !json_object_set_new(w->root, list, json_array())) to = json_object_get(w->root, list);
    if (!to || !object || json_array_append_new(to, object)) w->fits = false;
}

/* Ends a source or drain at `time` (s) and appends it to the scene's list `list`, "sources" or "drains". Drops a stream
   that has not started before `time`. Does nothing if there is none. */
static void end_stream(writing *w, stream *h, const char *list, double time) {
    if (!h->path) return;
    if (time > h->start)
        append_to_list(w, list,
                       json_pack("{s:o, s:f, s:f, s:f, s:f}", "path", h->path, "radius", h->radius, "rate", h->rate,
                                 "start", h->start, "stop", time));
    else json_decref(h->path); /* it never flowed */
    h->path = NULL;
}

/* Appends a waypoint at `at` (x, y, z in m) and `time` (s) to a path. */
static void add_waypoint(writing *w, json_t *path, double time, const double *at) {
    if (!path || json_array_append_new(path, json_pack("[f, f, f, f]", time, at[0], at[1], at[2]))) w->fits = false;
}

/* Moves a source or drain to where an action at `time` (s) puts it (n: x, y, z, radius in m, rate in m^3/s); if the
   radius or rate has changed, the stream ends and a new one starts. A path is straight between its waypoints, but the
   mouse jumps between steps: the last position is held until `time`. A substep uses the position at its end, so the new
   position begins a little later. */
static void move_stream(writing *w, stream *h, const char *list, const double *n, double time) {
    if (h->path && (h->radius != n[3] || h->rate != n[4])) end_stream(w, h, list, time);
    if (!h->path) *h = (stream){json_array(), time, n[4], n[3]};
    const size_t count = json_array_size(h->path);
    const json_t *last = count ? json_array_get(h->path, count - 1) : NULL;
    double held[4];
    for (size_t i = 0; i < 4 && last; i++) held[i] = json_real_value(json_array_get(last, i));
    if (last && held[0] >= time) json_array_remove(h->path, count - 1); /* only the last position of a step counts */
    else if (last) add_waypoint(w, h->path, time, held + 1);
    add_waypoint(w, h->path, count ? time + jump * w->frame_time : time, n);
}

/* Returns the shape of a brush at height z (m): a ball. A brush that digs (`carve`) is cut off at the lowest ground of
   the session, so that the saved scene gets no deeper. Returns NULL if memory runs out. */
static json_t *brush_shape(const writing *w, double z, double radius, bool carve) {
    json_t *ball = json_pack("{s:s, s:f}", "type", "sphere", "radius", radius);
    const double bottom = w->lowest - z; /* from the middle of the ball */
    if (!carve || bottom <= -radius) return ball;
    return json_pack("{s:s, s:[o, {s:s, s:[f, f, f], s:[f, f, f]}]}", "type", "intersect", "of", ball, "type", "box",
                     "size", 3 * radius, 3 * radius, 4 * radius, "at", 0.0, 0.0, bottom + 2 * radius);
}

/* Appends a stroke of a brush, made before the step that begins at `time` (s), to "solids". n: x, y, z and radius (m);
   `carve`: it digs. A scene applies brushes at the end of a step's time, so the stroke is dated one frame later. */
static void add_stroke(writing *w, const double *n, bool carve, double time) {
    const double at = time + w->frame_time, half = 0.5 * w->frame_time;
    append_to_list(w, "solids",
                   json_pack("{s:o, s:b, s:b, s:[[f, f, f, f]], s:f, s:f}", "shape", brush_shape(w, n[2], n[3], carve),
                             "carve", carve, "lasting", 1, "path", at, n[0], n[1], n[2], "start", at - half, "stop",
                             at + half));
}

/* Ends the push at `time` (s), if there is one, and appends it to "forces" if it started before `time`. A force acts in
   the substeps that begin between its start and its stop; both are a little early, so that rounding moves neither by a
   substep. */
static void end_push(writing *w, double time) {
    const double *n = w->push.numbers, early = jump * w->frame_time;
    if (w->push.on && time > w->push.start)
        append_to_list(w, "forces",
                       json_pack("{s:[f, f], s:f, s:[f, f], s:f, s:f}", "at", n[0], n[1], "radius", n[2], "push", n[3],
                                 n[4], "start", fmax(w->push.start - early, 0), "stop", time - early));
    w->push.on = false;
}

/* Ends the pour, the suck and the push, where there are any, at `time` (s). */
static void end_tools(writing *w, double time) {
    end_stream(w, &w->pour, "sources", time);
    end_stream(w, &w->suck, "drains", time);
    end_push(w, time);
}

/* Ends the rain at `time` (s), if there is any, and appends it to "rain" if it started before `time`. */
static void end_rain(writing *w, double time) {
    if (w->rain_rate > 0 && time > w->rain_start)
        append_to_list(w, "rain",
                       json_pack("{s:f, s:f, s:f}", "rate", w->rain_rate, "start", w->rain_start, "stop", time));
    w->rain_rate = 0;
}

/* Adds one action at `time` (s) to the scene; times must not decrease. A push or rain is only remembered here, and
   written once something ends it. Ignores actions on bodies and settings, which are in the document already. */
static void add_input(writing *w, const action *what, double time) {
    const double *n = what->numbers;
    switch (what->kind) {
    case ACTION_POUR: move_stream(w, &w->pour, "sources", n, time); break;
    case ACTION_SUCK: move_stream(w, &w->suck, "drains", n, time); break;
    case ACTION_DIG:
    case ACTION_RAISE: add_stroke(w, n, what->kind == ACTION_DIG, time); break;
    case ACTION_RELEASE: end_tools(w, time); break;
    case ACTION_PUSH:
        end_push(w, time);
        w->push = (push){true, time, {n[0], n[1], n[2], n[3], n[4]}};
        break;
    case ACTION_RAIN:
        end_rain(w, time);
        w->rain_rate = n[0], w->rain_start = time;
        break;
    case ACTION_DROP:
    case ACTION_DRAG:
    case ACTION_SET:
    case ACTION_KINDS: break;
    }
}

/* Makes paths of files absolute, the texts of "file", "raster", "cache" and "map" in a JSON value and in all values
   within it, because the saved scene may be in another folder. folder: the scene's path, of which the first `length`
   bytes are its folder with the slash. Paths that cannot be resolved are left as they are. */
static void make_paths_absolute(json_t *value, const char *folder, size_t length) {
    static const char *const keys[] = {"file", "raster", "cache", "map"};
    const char *key;
    json_t *child;
    size_t index;
    json_array_foreach(value, index, child) make_paths_absolute(child, folder, length);
    json_object_foreach(value, key, child) {
        make_paths_absolute(child, folder, length);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const char *file = json_string_value(child);
            char path[INPUT_PATH], whole[INPUT_PATH];
            if (!file || strcmp(key, keys[i]) != 0) continue;
            snprintf(path, sizeof path, "%.*s%s", file[0] == '/' ? 0 : (int)length, folder, file);
            if (rn_path_from_root(path, whole, sizeof whole)) json_string_set(child, whole);
        }
    }
}

/* Adds all actions of the session's log to the scene. What is held now ends now. */
static void add_inputs(writing *w, const session *s) {
    const double now = w->first + (double)s->steps * w->frame_time;
    for (size_t i = 0; i < s->log.count; i++)
        add_input(w, &s->log.list[i].what, w->first + (double)s->log.list[i].step * w->frame_time);
    end_tools(w, now);
    end_rain(w, now);
}

/* Writes the scene's document to a file as JSON, with all digits of its numbers. On failure returns RN_FILE or
   RN_MEMORY, with a reason in rn_last_error(). */
static rn_result write_file(const writing *w, const char *path) {
    char *text = json_dumps(w->root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    if (!text) return rn_fail(RN_MEMORY, "%s: cannot be written: there is not enough memory", path);
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result == RN_OK) {
        fprintf(file.stream, "%s\n", text);
        result = rn_whole_file_keep(&file);
    }
    free(text);
    return result;
}

rn_result saved_scene_write(session *s, const char *path) {
    const rn_scene_info info = rn_scene_describe(s->scene);
    char *text = NULL;
    rn_result result = rn_scene_text(s->scene, &text);
    if (result != RN_OK) return result;
    writing w = {.root = json_loads(text, 0, NULL),
                 .frame_time = info.frame_time,
                 .first = (info.frame - (double)s->steps) * info.frame_time,
                 .lowest = rn_world_describe(s->world).datum,
                 .fits = true};
    rn_scene_text_free(text);
    if (!w.root) return rn_fail(RN_MEMORY, "there is not enough memory");
    const char *scene = rn_scene_path(s->scene);
    make_paths_absolute(w.root, scene, (size_t)(rn_path_name(scene) - scene));
    json_object_del(w.root, "$schema");
    add_inputs(&w, s);
    if (info.frame > info.frames && json_object_set_new(w.root, "frames", json_integer(info.frame))) w.fits = false;
    result = w.fits ? write_file(&w, path) : rn_fail(RN_MEMORY, "there is not enough memory");
    json_decref(w.root);
    return result;
}
