/* Turns the input log of a session into entries of a scene. Interface: view/saved_scene.h.

   Actions are taken in order. Those of one kind, radius and rate that follow each other form a stroke, which becomes
   one entry with a path. Bodies and settings are already in the scene's document. */
#include "view/saved_scene.h"

#include "base/error.h"
#include "base/platform.h"
#include "io/file/whole_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A stroke that is not complete yet: a source, a drain or a brush that moves along a path. */
typedef struct stroke {
    action_kind kind;
    json_t *path;                     /* NULL: none is open */
    double start, last, radius, rate; /* s, of its first and latest place; m; m^3/s */
} stroke;

typedef struct writing {
    json_t *root;
    double frame_time;            /* s */
    double first;                 /* s, time of step 0 */
    stroke hand;                  /* the stroke that is open */
    double rain_rate, rain_start; /* m/s, 0: no rain; s */
    bool fits;                    /* there was enough memory */
} writing;

/* Appends an object to a list of the scene, and makes that list if it is missing. Takes the object over. Out of memory,
   or `object` NULL: clears `fits`. */
static void append(writing *w, const char *list, json_t *object) {
    json_t *to = json_object_get(w->root, list);
    if (!to && !json_object_set_new(w->root, list, json_array())) to = json_object_get(w->root, list);
    if (!to || !object || json_array_append_new(to, object)) w->fits = false;
}

/* Adds the open stroke, if there is one, to the scene. It stops at `time` (s), but at least one frame after its start,
   because a scene needs that. */
static void end_stroke(writing *w, double time) {
    stroke *h = &w->hand;
    if (!h->path) return;
    const double stop = fmax(time, h->start + w->frame_time);
    const bool brush = h->kind == ACTION_DIG || h->kind == ACTION_RAISE;
    if (brush)
        append(w, "solids",
               json_pack("{s:{s:s, s:f}, s:b, s:b, s:o, s:f, s:f}", "shape", "type", "sphere", "radius", h->radius,
                         "carve", h->kind == ACTION_DIG, "lasting", 1, "path", h->path, "start", h->start, "stop",
                         stop));
    else
        append(w, h->kind == ACTION_SUCK ? "drains" : "sources",
               json_pack("{s:o, s:f, s:f, s:f, s:f}", "path", h->path, "radius", h->radius, "rate", h->rate, "start",
                         h->start, "stop", stop));
    h->path = NULL;
}

/* Adds the place of an action at `time` (s) to the open stroke. If that is of another kind, radius or rate, ends it and
   starts a new one. */
static void extend(writing *w, const action *what, double time) {
    stroke *h = &w->hand;
    const double *n = what->numbers;
    const bool same = h->path && h->kind == what->kind && h->radius == n[3] && h->rate == n[4];
    if (!same) {
        end_stroke(w, time);
        *h = (stroke){what->kind, json_array(), time, time - 1, n[3], n[4]};
    }
    if (h->last >= time) return; /* one place for each step */
    h->last = time;
    if (!h->path || json_array_append_new(h->path, json_pack("[f, f, f, f]", time, n[0], n[1], n[2]))) w->fits = false;
}

/* Adds the rain that fell until `time` (s), if any, to the scene. */
static void end_rain(writing *w, double time) {
    if (w->rain_rate > 0 && time > w->rain_start)
        append(w, "rain", json_pack("{s:f, s:f, s:f}", "rate", w->rain_rate, "start", w->rain_start, "stop", time));
    w->rain_rate = 0;
}

/* Adds a push from `time` until `until` (s), at least for a frame. n: the numbers of the action. */
static void add_push(writing *w, const double *n, double time, double until) {
    append(w, "forces",
           json_pack("{s:[f, f], s:f, s:[f, f], s:f, s:f}", "at", n[0], n[1], "radius", n[2], "push", n[3], n[4],
                     "start", time, "stop", fmax(until, time + w->frame_time)));
}

/* Adds one action at `time` (s) to the scene; `next` (s) is the time of the action after it. Bodies and settings are in
   the document already. */
static void add_input(writing *w, const input *in, double time, double next) {
    switch (in->what.kind) {
    case ACTION_POUR:
    case ACTION_SUCK:
    case ACTION_DIG:
    case ACTION_RAISE: extend(w, &in->what, time); break;
    case ACTION_RELEASE: end_stroke(w, time); break;
    case ACTION_PUSH: add_push(w, in->what.numbers, time, next); break;
    case ACTION_RAIN:
        end_rain(w, time);
        w->rain_rate = in->what.numbers[0], w->rain_start = time;
        break;
    case ACTION_DROP:
    case ACTION_DRAG:
    case ACTION_SET:
    case ACTION_KINDS: break;
    }
}

/* Makes the paths of files in a JSON value and all values in it absolute, because the copy may be in another folder.
   folder: the scene's path, of which the first `length` bytes are its folder with the slash. */
static void name_from_root(json_t *value, const char *folder, size_t length) {
    static const char *const keys[] = {"file", "raster", "cache", "map"};
    const char *key;
    json_t *child;
    size_t index;
    json_array_foreach(value, index, child) name_from_root(child, folder, length);
    json_object_foreach(value, key, child) {
        name_from_root(child, folder, length);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const char *file = json_string_value(child);
            char path[INPUT_PATH], whole[INPUT_PATH];
            if (!file || strcmp(key, keys[i]) != 0) continue;
            snprintf(path, sizeof path, "%.*s%s", file[0] == '/' ? 0 : (int)length, folder, file);
            if (rn_path_from_root(path, whole, sizeof whole)) json_string_set(child, whole);
        }
    }
}

/* Adds all actions of the session's log to the scene. */
static void add_inputs(writing *w, const session *s) {
    const inputs *log = &s->log;
    const double end = w->first + (double)s->steps * w->frame_time;
    for (size_t i = 0; i < log->count; i++) {
        const double time = w->first + (double)log->list[i].step * w->frame_time;
        const double next = i + 1 < log->count ? w->first + (double)log->list[i + 1].step * w->frame_time : end;
        add_input(w, &log->list[i], time, next);
    }
    end_stroke(w, end);
    end_rain(w, end);
}

/* Writes the scene's document as JSON. */
static rn_result write_file(const writing *w, const char *path) {
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    char *text = json_dumps(w->root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    if (text) fprintf(file.stream, "%s\n", text);
    free(text);
    return rn_whole_file_keep(&file);
}

rn_result saved_scene_write(session *s, const char *path) {
    const rn_scene_info info = rn_scene_describe(s->scene);
    char *text = NULL;
    rn_result result = rn_scene_text(s->scene, &text);
    if (result != RN_OK) return result;
    writing w = {.root = json_loads(text, 0, NULL),
                 .frame_time = info.frame_time,
                 .first = (info.frame - (double)s->steps) * info.frame_time,
                 .fits = true};
    rn_scene_text_free(text);
    if (!w.root) return rn_fail(RN_MEMORY, "there is not enough memory");
    const char *scene = rn_scene_path(s->scene);
    name_from_root(w.root, scene, (size_t)(rn_path_name(scene) - scene));
    json_object_del(w.root, "$schema");
    add_inputs(&w, s);
    result = w.fits ? write_file(&w, path) : rn_fail(RN_MEMORY, "there is not enough memory");
    json_decref(w.root);
    return result;
}
