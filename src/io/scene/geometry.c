/* Replaces the geometry file of a scene (geometry.h). */
#include "io/scene/geometry.h"

#include "base/error.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Whether the "type" of a JSON object is mesh, volume or heightmap, and it has the key "file". */
static bool has_file(const json_t *object) {
    const char *type = json_string_value(json_object_get(object, "type"));
    static const char *const types[] = {"mesh", "volume", "heightmap"};
    for (size_t i = 0; i < sizeof types / sizeof *types && type; i++)
        if (strcmp(type, types[i]) == 0) return json_object_get(object, "file") != NULL;
    return false;
}

/* Returns the value itself or the first one within it that is a shape with a file, in the order of the text, or NULL if
   there is none. Recursive: the JSON reader limits the depth. */
static json_t *find_file_shape(json_t *value) {
    if (json_is_object(value) && has_file(value)) return value;
    json_t *inner, *found = NULL;
    const char *key;
    size_t index;
    if (json_is_array(value)) {
        json_array_foreach(value, index, inner) if ((found = find_file_shape(inner))) return found;
    } else if (json_is_object(value)) {
        json_object_foreach(value, key, inner) if ((found = find_file_shape(inner))) return found;
    }
    return NULL;
}

rn_result rn_geometry_replace(rn_document *document, const char *path, const char **file_name, char *replaced,
                              size_t size) {
    char full[4096];
    json_t *shape = find_file_shape(document->root);
    if (!shape)
        return rn_fail(RN_INVALID, "%s: has no mesh, volume or heightmap with a \"file\" that %s could replace",
                       document->path, path);
    if (!rn_path_from_root(path, full, sizeof full))
        return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    json_t *file = json_string(full);
    if (!file) return rn_fail(RN_INVALID, "%s: the name must be UTF-8", path);
    const char *before = json_string_value(json_object_get(shape, "file"));
    if (snprintf(replaced, size, "%s", before ? before : "") >= (int)size) replaced[0] = 0;
    *file_name = json_string_value(file);
    return json_object_set_new(shape, "file", file) == 0 ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory");
}
