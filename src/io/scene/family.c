/* Finds the type of an object of a family (family.h). */
#include "io/scene/family.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

/* Sets the error text for an object without "type", without which its other keys cannot be checked; if a key is one
   letter away from "type", names that one. */
static void fail_without_type(const rn_family *family, const json_t *object, const rn_json_path *place) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        rn_json_path at = {place->document, place, name, 0};
        if (rn_word_distance(name, "type") > 1) continue;
        rn_document_fail(&at, RN_INVALID, "is not a known key; did you mean \"type\"?");
        return;
    }
    rn_document_fail(place, RN_INVALID, "has no \"type\", such as %s", family->examples);
}

int rn_family_find(const rn_family *family, const json_t *object, const rn_json_path *place) {
    const json_t *name = json_object_get(object, "type");
    const char *nearest = NULL;
    char shown[64], names[256] = "";
    if (!name) {
        fail_without_type(family, object, place);
        return -1;
    }
    for (int i = 0; family->table(i) && json_is_string(name); i++) {
        if (strcmp(json_string_value(name), family->table(i)->name) == 0) return i;
        rn_word_nearer(json_string_value(name), family->table(i)->name, &nearest);
    }
    for (int i = 0; family->table(i); i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", family->table(i)->name);
    }
    rn_json_path at = {place->document, place, "type", 0};
    rn_document_show(name, shown, sizeof shown);
    if (nearest) rn_document_fail(&at, RN_INVALID, "is %s; did you mean \"%s\"?", shown, nearest);
    else rn_document_fail(&at, RN_INVALID, "is %s; the types are %s", shown, names);
    return -1;
}
