/* Reads the title, the text and the parameters of a scene, without building it. */
#include "io/scene/expression.h"

#include <runnel/io.h>
#include <stdio.h>

rn_result rn_scene_preview(const char *path, char *title, size_t title_size, char *about, size_t about_size) {
    rn_document document;
    rn_result result = rn_document_open(path, &document);
    if (result != RN_OK) return result;
    const char *line = json_string_value(json_object_get(document.root, "title"));
    const char *text = json_string_value(json_object_get(document.root, "about"));
    if (title_size) snprintf(title, title_size, "%s", line ? line : "");
    if (about_size) snprintf(about, about_size, "%s", text ? text : "");
    rn_document_close(&document);
    return RN_OK;
}

rn_result rn_scene_preview_parameters(const char *path, rn_parameter parameters[RN_MOST_PARAMETERS], int *count) {
    rn_document document;
    rn_result result = rn_document_open(path, &document);
    *count = result == RN_OK ? rn_parameters_copy(&document, parameters) : 0;
    if (result == RN_OK) rn_document_close(&document);
    return result;
}
