/* A JSON file that knows the position of each of its values in the text. */
#ifndef RN_IO_DOCUMENT_H
#define RN_IO_DOCUMENT_H

#include "base/platform.h"

#include <runnel/base.h>

#include <jansson.h>

typedef struct rn_document {
    char *path;
    char *text;
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

/* Reads and parses a file whose root must be an object; numbers all become reals. After a failure nothing needs to be
   closed. */
rn_result rn_document_open(const char *path, rn_document *document);
/* The same from a copy of the text of such a file, `length` bytes; `path` is for messages and for files it names. */
rn_result rn_document_take(const char *path, const char *text, size_t length, rn_document *document);
/* Frees what the document holds, and empties it; not the struct itself. Texts read from it are then invalid. */
void rn_document_close(rn_document *document);

/* Line and column (from 1, in characters) of a value's key, or of its element in a list; of the nearest container if
   the text has no such key. */
void rn_document_find(const rn_json_path *place, int *line, int *column);

/* Fails with `file:line:column: "key" <text>`, or with the --set argument instead of the position. The text is cut off
   at 511 bytes. Returns `result`. */
RN_PRINTF(3, 4) rn_result rn_document_fail(const rn_json_path *place, rn_result result, const char *format, ...);

/* Fails with RN_INVALID unless a value, an element of a list and not NULL, is an object. */
rn_result rn_document_object(const json_t *value, const rn_json_path *place);

/* The last --set argument that made the value at a place, or something around it; NULL if it is the file's own. */
const char *rn_document_set(const rn_json_path *place);

/* Adds the same prefix, with a colon after the key, to the message of a failed call. Returns `result`, the result of
   that call. */
rn_result rn_document_pass(const rn_json_path *place, rn_result result);

/* Writes the path of a file that the document names to `path`: relative to the document's folder unless it is absolute.
   RN_FILE: it does not fit into `size`. Whether the file exists is not checked. */
rn_result rn_document_beside(const rn_json_path *place, const char *file, char *path, size_t size);

/* Writes a value (not NULL) as shown in messages to `buffer`, cut off if long, and returns that: -3, "text", a list of
   4, an object. */
const char *rn_document_show(const json_t *value, char *buffer, size_t size);

#endif
