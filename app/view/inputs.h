/* The log of a session: the scene that was opened, and what was done to it before which step. Done again, it leads to
   the same bits. docs/view.md describes the file. */
#ifndef VIEW_INPUTS_H
#define VIEW_INPUTS_H

#include "view/action.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct input {
    uint64_t step; /* steps that had been taken */
    action what;
} input;

enum { INPUT_PATH = 4096 };

typedef struct inputs {
    char scene[INPUT_PATH]; /* a JSON file or a checkpoint */
    bool from_checkpoint;
    char **set; /* changes that it was opened with */
    int set_count;
    input *list;
    size_t count, room;
    uint64_t steps, hash; /* at the end; hash 0: not known */
} inputs;

bool inputs_add(inputs *log, uint64_t step, const action *what);
bool inputs_add_set(inputs *log, const char *change);
void inputs_free(inputs *log);

/* False: `error` has a sentence that names the file, and the line where it can. */
bool inputs_write(const inputs *log, const char *path, char *error, size_t size);
bool inputs_read(const char *path, inputs *log, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
