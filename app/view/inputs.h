/* The input log of a session: the scene that was opened, and the actions of the user with the step before which each
   happened. Replaying the log gives the same state, bit for bit. docs/view.md describes the file.

   A session fills a log with inputs_add_set and inputs_add; inputs_write saves it. inputs_read reads a file for a
   replay. inputs_free releases either. */
#ifndef VIEW_INPUTS_H
#define VIEW_INPUTS_H

#include "view/action.h"
#include "view/texts.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct input {
    uint64_t step; /* steps taken before the action */
    action what;
} input;

enum { INPUT_PATH = 4096 };

typedef struct inputs {
    char scene[INPUT_PATH]; /* a JSON file or a checkpoint */
    bool from_checkpoint;
    texts set; /* changes that the scene was opened with: "KEY=VALUE" */
    input *list;
    size_t count, room;
    uint64_t steps, hash; /* at the end of the session; hash 0: not known */
} inputs;

/* Appends an action that happens after `step` steps. Returns false, without a message, if memory runs out. */
bool inputs_add(inputs *log, uint64_t step, const action *what);
/* Appends a copy of a change, "KEY=VALUE", that the scene was opened with; line breaks become spaces. Returns false,
   without a message, if memory runs out. */
bool inputs_add_set(inputs *log, const char *change);
/* Frees the lists and empties the log. */
void inputs_free(inputs *log);

/* Writes the log to a file, completely or not at all. On failure returns false, and `error` (of `size` bytes) has a
   message that names the file. Prints nothing. */
bool inputs_write(const inputs *log, const char *path, char *error, size_t size);
/* Reads a file into *log, whose old content is not freed. On failure returns false, the log is empty, and `error` (of
   `size` bytes) has a message that names the file and, if possible, the line. Prints nothing. */
bool inputs_read(const char *path, inputs *log, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
