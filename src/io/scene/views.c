/* Reads the views of a scene and adds the built-in ones (views.h). */
#include "io/scene/views.h"

#include "io/scene/scene_values.h"

#include <stdio.h>
#include <string.h>

static const rn_scene_view built_in[RN_BUILT_IN_VIEWS] = {
    {"orbit", {.azimuth = 30, .elevation = 35}},
    {"top", {.elevation = 90, .angle = -1}},
    {"turntable", {.azimuth = 30, .elevation = 30, .turn = 12}},
};

/* Returns the index of the view with this name among the first `count`, or -1 if there is none. */
static int find_view(const rn_scene_view *views, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(views[i].name, name) == 0) return i;
    return -1;
}

/* Names views[count] "v" and its number, from 1, or the next number that no earlier view has. */
static void number_view(rn_scene_view *views, int count) {
    rn_scene_view *view = &views[count];
    int number = count + 1;
    do snprintf(view->name, sizeof view->name, "v%d", number++);
    while (find_view(views, count, view->name) >= 0);
}

/* Whether a name contains control characters, such as a line break. */
static bool has_control(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name < 0x20 || *name == 0x7f) return true;
    return false;
}

/* Sets the name of views[count]. Returns RN_LIMIT if it is too long; or RN_INVALID if an earlier view has it, it is
   "map", or not usable on a command line. rn_last_error() names the place. */
static rn_result name_view(const char *name, const rn_json_path *place, rn_scene_view *views, int count) {
    const rn_json_path at = {place->document, place, "name", 0};
    rn_scene_view *view = &views[count];
    if (strlen(name) >= sizeof view->name)
        return rn_document_fail(&at, RN_LIMIT, "is longer than the %zu bytes that a name may have",
                                sizeof view->name - 1);
    if (strcmp(name, "map") == 0)
        return rn_document_fail(&at, RN_INVALID, "is \"map\", which every scene has already; give it another");
    if (*name == '-')
        return rn_document_fail(&at, RN_INVALID, "begins with \"-\", as options do; begin it with a letter");
    if (has_control(name))
        return rn_document_fail(&at, RN_INVALID, "has a line break or another control character; leave it out");
    const int same = find_view(views, count, name);
    if (same >= 0)
        return rn_document_fail(&at, RN_INVALID, "names \"views.%d\" too; give each view a name of its own", same);
    snprintf(view->name, sizeof view->name, "%s", name);
    return RN_OK;
}

rn_result rn_views_read(const json_t *object, const rn_json_path *place, rn_scene_view *views, int *count) {
    rn_eye_values values = {0};
    rn_result result = rn_table_read(&rn_eye_table, object, place, &values);
    if (result != RN_OK) return result;
    if (*count == RN_MOST_VIEWS)
        return rn_document_fail(place, RN_LIMIT, "is one view too many; at most %d are allowed", RN_MOST_VIEWS);
    if (*values.name) result = name_view(values.name, place, views, *count);
    else number_view(views, *count);
    if (result != RN_OK) return result;
    views[(*count)++].orbit = (rn_orbit){.azimuth = values.azimuth,
                                         .elevation = values.elevation,
                                         .angle = values.angle > 0 ? values.angle : -1,
                                         .zoom = values.zoom,
                                         .aimed = json_object_get(object, "target") != NULL,
                                         .target = {values.target[0], values.target[1], values.target[2]},
                                         .turn = values.turn};
    return RN_OK;
}

int rn_views_complete(rn_scene_view *views, int count) {
    const int own = count;
    for (int i = 0; i < RN_BUILT_IN_VIEWS; i++)
        if (find_view(views, own, built_in[i].name) < 0) views[count++] = built_in[i];
    return count;
}
