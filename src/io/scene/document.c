/* A parsed JSON file that finds the line and column of its values, for messages (document.h). Failures leave the reason
   in rn_last_error(). */
#include "io/scene/document.h"

#include "base/error.h"
#include "io/file/input.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parsed JSON takes up to fifty times the memory of its text, so this limits memory as well. Long lists of heights
   belong in a PNG. */
enum { LARGEST_FILE = 16 << 20, LONGEST_PATH = 240 };

/* Reads a whole file into document->text, without a zero at its end. On failure returns RN_FILE, RN_MEMORY, or RN_LIMIT
   if it has more than 16 MiB. On failure the document is unchanged. */
static rn_result read_text(const char *path, rn_document *document) {
    FILE *file;
    rn_result result = rn_input_open(path, &file);
    if (result != RN_OK) return result;
    size_t capacity = 1 << 16, length = 0;
    char *text = malloc(capacity);
    while (text) {
        length += fread(text + length, 1, capacity - length, file);
        if (length < capacity || length > LARGEST_FILE) break;
        char *longer = realloc(text, capacity *= 2);
        if (!longer) free(text);
        text = longer;
    }
    if (!text) result = rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    else if (ferror(file)) result = rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    else if (length > LARGEST_FILE)
        result = rn_fail(RN_LIMIT, "%s: is larger than the %d MiB that a scene may have", path, LARGEST_FILE >> 20);
    fclose(file);
    if (result != RN_OK) {
        free(text);
        return result;
    }
    document->text = text;
    document->length = length;
    return RN_OK;
}

/* Parses the text into document->root; integers become reals. Returns RN_FORMAT if it is not JSON, or no object; or
   RN_MEMORY if memory runs out. The caller closes the document after a failure. */
static rn_result parse_text(rn_document *document) {
    const char *path = document->path;
    json_error_t error;
    document->root =
        json_loadb(document->text, document->length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (!document->root && !error.text[0]) /* jansson has no message when memory runs out */
        return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    size_t first = 0;
    while (first < document->length && memchr(" \t\r\n", document->text[first], 4)) first++;
    if (!document->root && first < document->length && !memchr("{[", document->text[first], 2))
        return rn_fail(
            RN_FORMAT,
            "%s: this is not a scene, which is an object of JSON, { … }; if it is a mesh, an elevation model or a "
            "scan, \"runnel inspect\" makes a scene of it",
            path);
    if (!document->root)
        return rn_fail(RN_FORMAT, "%s:%d:%d: this is not valid JSON: %s", path, error.line > 0 ? error.line : 1,
                       error.column > 0 ? error.column : 1, error.text);
    if (!json_is_object(document->root))
        return rn_fail(RN_FORMAT, "%s:1:1: holds a list; a scene is an object, { … }", path);
    return RN_OK;
}

/* Makes `document` empty, with a copy of the path. Returns RN_MEMORY if memory runs out. */
static rn_result start_document(const char *path, rn_document *document) {
    *document = (rn_document){.path = rn_text_copy(path, strlen(path))};
    return document->path ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory");
}

rn_result rn_document_open(const char *path, rn_document *document) {
    rn_result result = start_document(path, document);
    if (result == RN_OK) result = read_text(path, document);
    if (result == RN_OK) result = parse_text(document);
    if (result != RN_OK) rn_document_close(document);
    return result;
}

rn_result rn_document_take(const char *path, const char *text, size_t length, rn_document *document) {
    rn_result result = start_document(path, document);
    if (result == RN_OK && !(document->text = rn_text_copy(text, length)))
        result = rn_fail(RN_MEMORY, "there is not enough memory");
    document->length = length;
    if (result == RN_OK) result = parse_text(document);
    if (result != RN_OK) rn_document_close(document);
    return result;
}

void rn_document_close(rn_document *document) {
    json_decref(document->root);
    free(document->text);
    free(document->path);
    *document = (rn_document){0};
}

/* ---- Positions of values in the text, which the parser has accepted ----- */

typedef struct span {
    const char *at, *end;
} span;

/* Returns the position of the next character that is not white space; the end if there is none. */
static const char *skip_space(span text) {
    while (text.at < text.end && strchr(" \t\r\n", *text.at)) text.at++;
    return text.at;
}

/* Returns the position after a string whose opening quote is here; the end if the string does not end. */
static const char *skip_string(span text) {
    for (text.at++; text.at < text.end && *text.at != '"'; text.at++)
        if (*text.at == '\\') text.at++;
    return text.at < text.end ? text.at + 1 : text.end;
}

/* Returns the position after a value of any kind that begins here; white space after a number or word may be
   included. */
static const char *skip_value(span text) {
    int depth = 0;
    while (text.at < text.end) {
        char c = *text.at;
        if (c == '"') {
            text.at = skip_string(text);
            if (depth == 0) return text.at;
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}')) return text.at;
        text.at++;
        if (c == '{' || c == '[') depth++;
        else if ((c == '}' || c == ']') && --depth == 0) return text.at;
    }
    return text.end;
}

/* Whether the text from `from` up to `to`, a string in quotes, is this key; escapes are decoded. */
static bool key_is(const char *from, const char *to, const char *key) {
    json_t *decoded = json_loadb(from, (size_t)(to - from), JSON_DECODE_ANY, NULL);
    bool same = json_is_string(decoded) && strcmp(json_string_value(decoded), key) == 0;
    json_decref(decoded);
    return same;
}

/* Returns where the key (or the element of a list) begins in the text, and sets *value to where the value itself
   begins. Returns NULL if the text has no such key or element, because --set or a default has made it. */
static const char *find_in_text(const rn_json_path *place, const char **value) {
    const rn_document *document = place->document;
    span text = {document->text, document->text + document->length};
    if (!place->parent) return *value = skip_space(text);
    if (!find_in_text(place->parent, &text.at) || text.at >= text.end) return NULL;
    if (*text.at != (place->key ? '{' : '[')) return NULL;
    for (size_t i = 0;; i++) {
        text.at++; /* past the bracket or the comma */
        text.at = skip_space(text);
        if (text.at >= text.end || *text.at == ']' || *text.at == '}') return NULL;
        const char *start = text.at;
        bool found = !place->key && i == place->index;
        if (place->key) {
            text.at = skip_string(text);
            found = key_is(start, text.at, place->key);
            text.at = skip_space(text) + 1;
            text.at = skip_space(text);
        }
        if (found) {
            *value = text.at;
            return start;
        }
        text.at = skip_value(text);
        text.at = skip_space(text);
        if (text.at >= text.end || *text.at != ',') return NULL;
    }
}

void rn_document_find(const rn_json_path *place, int *line, int *column) {
    const char *value, *at = find_in_text(place, &value);
    while (!at && place->parent) at = find_in_text(place = place->parent, &value);
    *line = *column = 1;
    for (const char *c = place->document->text; at && c < at; c++) {
        if (((unsigned char)*c & 0xc0) != 0x80) (*column)++; /* a character of several bytes is one column */
        if (*c == '\n') {
            (*line)++;
            *column = 1;
        }
    }
}

/* ---- Messages ---- */

/* Writes the dotted path of a place, "sources.0.rate", to `path`; "" for the root. Cut off if longer than `size` -
   1. */
static void write_path(const rn_json_path *place, char *path, size_t size) {
    if (!place->parent) {
        path[0] = 0;
        return;
    }
    write_path(place->parent, path, size);
    size_t used = strlen(path);
    const char *dot = used ? "." : "";
    if (place->key) snprintf(path + used, size - used, "%s%s", dot, place->key);
    else snprintf(path + used, size - used, "%s%zu", dot, place->index);
}

/* Whether a dotted path equals the first `length` characters of `outer`, or lies within that: "a.b" within "a", but not
   "ab". */
static bool is_within(const char *path, const char *outer, size_t length) {
    return strncmp(path, outer, length) == 0 && (path[length] == 0 || path[length] == '.');
}

/* Whether a dotted path is that of the parameter with this name, which may be set by its name alone. */
static bool is_parameter(const char *path, const char *name) {
    return strncmp(path, "parameters.", 11) == 0 && strcmp(path + 11, name) == 0;
}

/* Returns the last --set argument that set the value at `place`, whose dotted path is `path`, or something around it;
   or, if the text has no such value, something inside it. Returns NULL if there is none. */
static const char *find_set(const rn_json_path *place, const char *path) {
    const rn_document *document = place->document;
    const char *value;
    bool in_text = find_in_text(place, &value) != NULL;
    for (int i = document->set_count - 1; i >= 0; i--) {
        const char *set = document->set[i];
        char key[LONGEST_PATH];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(set, "="), set);
        if (is_within(path, key, strlen(key)) || is_parameter(path, key) ||
            (!in_text && path[0] && is_within(key, path, strlen(path))))
            return set;
    }
    return NULL;
}

const char *rn_document_set(const rn_json_path *place) {
    char path[LONGEST_PATH];
    write_path(place, path, sizeof path);
    return find_set(place, path);
}

/* Sets rn_last_error() to the position (or --set argument), the key followed by `joint` (no key for the root), and a
   text. Returns `result`. */
static rn_result fail_with(const rn_json_path *place, rn_result result, const char *joint, const char *text) {
    char path[LONGEST_PATH], key[LONGEST_PATH + 4] = "";
    write_path(place, path, sizeof path);
    if (path[0]) snprintf(key, sizeof key, "\"%s\"%s ", path, joint);
    const char *set = find_set(place, path);
    if (set) return rn_fail(result, "--set %.200s: %s%s", set, key, text);
    int line, column;
    rn_document_find(place, &line, &column);
    return rn_fail(result, "%s:%d:%d: %s%s", place->document->path, line, column, key, text);
}

rn_result rn_document_fail(const rn_json_path *place, rn_result result, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_with(place, result, "", text);
}

rn_result rn_document_pass(const rn_json_path *place, rn_result result) {
    char text[512];
    snprintf(text, sizeof text, "%s", rn_last_error());
    return fail_with(place, result, ":", text);
}

const char *rn_document_show(const json_t *value, char *buffer, size_t size) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: snprintf(buffer, size, "an object"); break;
    case JSON_ARRAY: snprintf(buffer, size, "a list of %zu", json_array_size(value)); break;
    case JSON_REAL:
    case JSON_INTEGER: snprintf(buffer, size, "%.10g", json_number_value(value)); break;
    default: {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        bool fits = text && strlen(text) <= 40;
        snprintf(buffer, size, "%.40s%s", text ? text : "", fits ? "" : "…");
        free(text);
    }
    }
    return buffer;
}

rn_result rn_document_beside(const rn_json_path *place, const char *file, char *path, size_t size) {
    const char *own = place->document->path;
    int folder = rn_path_is_absolute(file) ? 0 : (int)(rn_path_name(own) - own);
    if (snprintf(path, size, "%.*s%s", folder, own, file) < (int)size) return RN_OK;
    return rn_document_fail(place, RN_FILE, "is too long a name");
}

rn_result rn_document_object(const json_t *value, const rn_json_path *place) {
    char shown[64];
    if (json_is_object(value)) return RN_OK;
    return rn_document_fail(place, RN_INVALID, "is %s; it must be an object",
                            rn_document_show(value, shown, sizeof shown));
}
