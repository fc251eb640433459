/* Reads interpolation modes of glTF animations (gltf_steps.h). */
#include "io/read/assimp/gltf_steps.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { GLB_HEADER = 20 }; /* bytes: of the file, and of its first chunk, which is the JSON */

static const uint32_t largest_text = UINT32_C(64) << 20; /* bytes */

json_t *rn_gltf_text(const char *path) {
    unsigned char head[GLB_HEADER];
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    json_t *text = NULL;
    if (fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, "glTF", 4) == 0) {
        uint32_t length = 0;
        for (int i = 3; i >= 0; i--) length = length << 8 | head[12 + i];
        char *bytes = length <= largest_text ? malloc(length + 1) : NULL;
        if (bytes && fread(bytes, 1, length, file) == length) text = json_loadb(bytes, length, 0, NULL);
        free(bytes);
    } else {
        rewind(file);
        text = json_loadf(file, 0, NULL);
    }
    fclose(file);
    return text;
}

/* Whether `index`, any JSON value, is the index of a node that has this name in the file. Returns false for a node
   without a name in the file, though assimp gives it one. */
static bool has_name(const json_t *nodes, const json_t *index, const char *name) {
    const json_t *node = json_is_integer(index) ? json_array_get(nodes, (size_t)json_integer_value(index)) : NULL;
    const char *own = json_string_value(json_object_get(node, "name"));
    return own && strcmp(own, name) == 0;
}

/* Returns the number of nodes in the file's list that have this name there. */
static size_t count_named(const json_t *nodes, const char *name) {
    size_t count = 0, i;
    const json_t *node;
    json_array_foreach(nodes, i, node) {
        const char *own = json_string_value(json_object_get(node, "name"));
        count += own && strcmp(own, name) == 0;
    }
    return count;
}

/* Sets `step` of the track that `moved` names ("translation", "rotation" or "scale") if `way`, its interpolation, is
   STEP. `way` NULL or LINEAR changes nothing. Returns RN_UNSUPPORTED, with a message, for any other, which is a spline.
   `path` is for messages. */
static rn_result mark_step(const char *path, const char *moved, const char *way, rn_track tracks[RN_TRACK_KINDS]) {
    static const char *const paths[RN_TRACK_KINDS] = {"translation", "rotation", "scale"};
    if (!moved || !way || strcmp(way, "LINEAR") == 0) return RN_OK;
    if (strcmp(way, "STEP") != 0)
        return rn_fail(RN_UNSUPPORTED, "%s: moves nodes along splines (%s); bake its animation to LINEAR keys", path,
                       way);
    for (int kind = 0; kind < RN_TRACK_KINDS; kind++)
        if (strcmp(moved, paths[kind]) == 0) tracks[kind].step = 1;
    return RN_OK;
}

rn_result rn_gltf_steps(const char *path, const json_t *gltf, const char *name, rn_track tracks[RN_TRACK_KINDS]) {
    const json_t *nodes = json_object_get(gltf, "nodes");
    const json_t *animation = json_array_get(json_object_get(gltf, "animations"), 0);
    const json_t *channels = json_object_get(animation, "channels"), *channel;
    rn_result result = RN_OK;
    size_t i;
    json_array_foreach(channels, i, channel) {
        const json_t *target = json_object_get(channel, "target"), *sampler = json_object_get(channel, "sampler");
        if (!json_is_integer(sampler)) continue;
        sampler = json_array_get(json_object_get(animation, "samplers"), (size_t)json_integer_value(sampler));
        const char *way = json_string_value(json_object_get(sampler, "interpolation"));
        const json_t *index = json_object_get(target, "node");
        const bool named = json_object_get(json_array_get(nodes, (size_t)json_integer_value(index)), "name") != NULL;
        if (way && strcmp(way, "LINEAR") != 0 && (!named || count_named(nodes, name) > 1))
            return rn_fail(RN_UNSUPPORTED, "%s: stepped keys (%s) need nodes with unique names", path, way);
        if (result == RN_OK && has_name(nodes, index, name))
            result = mark_step(path, json_string_value(json_object_get(target, "path")), way, tracks);
    }
    return result;
}
