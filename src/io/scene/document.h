/* A JSON file that knows the position of each of its values in the text. Failures leave the reason in
   rn_last_error(). */
#ifndef RN_IO_DOCUMENT_H
#define RN_IO_DOCUMENT_H

#include "base/platform.h"

#include <runnel/base.h>

#include <jansson.h>

typedef struct rn_document {
    char *path;
    char *text; /* of the file; not followed by a 0 */
    size_t length;
    json_t *root;
    const char *const *set; /* the changes made so far, for messages; not owned */
    int set_count;
} rn_document;

/* The path from the root to a value. Lives on the stack of the function that reads the value. */
typedef struct rn_json_path {
    const rn_document *document;
    const struct rn_json_path *parent; /* NULL: this is the root */
    const char *key;                   /* NULL: an element of a list, at `index` */
    size_t index;
} rn_json_path;

/* Reads and parses a file whose root must be an object; numbers all become reals. Close it with rn_document_close. On
   failure returns RN_FILE, RN_LIMIT (more than 16 MiB), RN_FORMAT (not JSON, or no object) or RN_MEMORY; then nothing
   needs to be closed. */
rn_result rn_document_open(const char *path, rn_document *document);
/* Parses a copy of `text`, `length` bytes of JSON whose root must be an object; numbers all become reals. `path` is for
   messages, and for files that the text names. Close it with rn_document_close. On failure returns RN_FORMAT or
   RN_MEMORY; then nothing needs to be closed. */
rn_result rn_document_take(const char *path, const char *text, size_t length, rn_document *document);
/* Frees what the document holds, and empties it; not the struct itself. Texts read from it are then invalid. */
void rn_document_close(rn_document *document);

/* Finds the line and column (from 1, in characters) of a value's key, or of its element in a list; of the nearest
   container if the text has no such key. */
void rn_document_find(const rn_json_path *place, int *line, int *column);

/* Sets rn_last_error() to `file:line:column: "key" <text>`, or to the --set argument instead of the position. The text
   is cut off at 511 bytes. Returns `result`. */
RN_PRINTF(3, 4) rn_result rn_document_fail(const rn_json_path *place, rn_result result, const char *format, ...);

/* Returns RN_OK if a value (not NULL) is an object, otherwise RN_INVALID with a message that names the place. */
rn_result rn_document_object(const json_t *value, const rn_json_path *place);

/* Returns the last --set argument that set the value at a place, or something around it, or, if the file has no such
   value, something inside it. Returns NULL if the value is the file's own, or a default. The caller of
   rn_document_change owns the argument. */
const char *rn_document_set(const rn_json_path *place);

/* Prefixes rn_last_error(), as a failed call has left it, with `file:line:column: "key": `, or with the --set argument
   instead of the position. Returns `result`, the result of that call. */
rn_result rn_document_pass(const rn_json_path *place, rn_result result);

/* Writes the path of a file that the document names to `path`: relative to the document's folder unless it is absolute.
   Returns RN_FILE if it does not fit into `size`. Whether the file exists is not checked. */
rn_result rn_document_beside(const rn_json_path *place, const char *file, char *path, size_t size);

/* Writes a value (not NULL) as shown in messages to `buffer`, cut off if long, and returns that: -3, "text", a list of
   4, an object. */
const char *rn_document_show(const json_t *value, char *buffer, size_t size);

#endif
