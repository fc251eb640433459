/* Applies --set KEY=VALUE to a document (change.h). Failures leave the reason, with the argument, in
   rn_last_error(). */
#include "io/scene/change.h"

#include "base/error.h"
#include "io/scene/expression.h"

#include <stdlib.h>
#include <string.h>

/* Whether the first name of a dotted path is an index of a list, of up to 9 digits; *index: that index, unchanged if
   not. */
static bool list_index(const char *path, size_t *index) {
    size_t length = strcspn(path, ".");
    if (length == 0 || length > 9 || strspn(path, "0123456789") != length) return false;
    *index = (size_t)strtoul(path, NULL, 10);
    return true;
}

/* Sets the value at the dotted `path`, "sources.0.rate", below `root`; makes missing objects and lists on the way. An
   index may be one past the end of a list. Takes over `value`, also on failure, and overwrites `path`. `argument` is
   for messages. Returns RN_INVALID if the path leads into something that is neither object nor list, or RN_MEMORY if
   memory runs out. */
static rn_result put_value(json_t *root, char *path, json_t *value, const char *argument) {
    json_t *at = root;
    char *name = path;
    for (;;) {
        char *dot = strchr(name, '.');
        if (dot) *dot = 0;
        size_t index = 0, ignored;
        json_t *next = NULL;
        bool possible = *name != 0;
        if (json_is_object(at)) {
            next = json_object_get(at, name);
        } else if (json_is_array(at)) {
            possible = list_index(name, &index) && index <= json_array_size(at);
            next = possible ? json_array_get(at, index) : NULL;
        } else {
            possible = false;
        }
        if (!possible) {
            char shown[64];
            rn_document_show(at, shown, sizeof shown);
            json_decref(value);
            return rn_fail(RN_INVALID, "--set %.200s: \"%s\" cannot be set inside %s", argument, name, shown);
        }
        bool made = dot && !next;
        if (!dot) next = value;
        else if (made) next = list_index(dot + 1, &ignored) ? json_array() : json_object();
        if (!dot || made) {
            int failed = json_is_object(at)            ? json_object_set_new(at, name, next)
                         : index < json_array_size(at) ? json_array_set_new(at, index, next)
                                                       : json_array_append_new(at, next);
            if (failed) {
                if (dot) json_decref(value);
                return rn_fail(RN_MEMORY, "--set %.200s: there is not enough memory", argument);
            }
        }
        if (!dot) return RN_OK;
        at = next;
        name = dot + 1;
    }
}

rn_result rn_document_change(rn_document *document, const char *const *set, int index) {
    const char *argument = set[index], *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return rn_fail(RN_INVALID, "--set %.200s: write key=value, for example liquid.viscosity=4e-5", argument);
    /* anything that is not JSON is text: liquid=milk */
    json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    if (!value) value = json_string(equals + 1);
    if (!value) return rn_fail(RN_INVALID, "--set %.200s: the value is not valid UTF-8", argument);
    char *path = rn_text_copy(argument, (size_t)(equals - argument));
    if (!path) {
        json_decref(value);
        return rn_fail(RN_MEMORY, "there is not enough memory");
    }
    json_t *parameters = json_object_get(document->root, "parameters");
    if (strncmp(path, "parameters.", 11) == 0 && !json_object_get(parameters, path + 11)) {
        char names[400];
        rn_parameters_list(document, names, sizeof names);
        rn_fail(RN_INVALID, "--set %.200s: the scene has no parameter \"%.60s\"; %s%s", argument, path + 11,
                names[0] ? "it has " : "it has none", names);
        free(path);
        json_decref(value);
        return RN_INVALID;
    }
    rn_result result =
        put_value(json_object_get(parameters, path) ? parameters : document->root, path, value, argument);
    free(path);
    document->set = set;
    document->set_count = index + 1;
    return result;
}
