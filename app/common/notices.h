/* Prints warnings about the files that a scene names on stderr, each only once. Usage: zero a `notices`, put
   notices_hooks() into the rn_scene_def, open the scene, call notices_close(). */
#ifndef NOTICES_H
#define NOTICES_H

#include <runnel/base.h>

typedef struct notices {
    char **told; /* texts printed so far */
    size_t count;
    bool closed;
    const char *only; /* NULL, or a text: warnings without it are not printed */
} notices;

/* Returns the hooks for rn_scene_def: warnings are printed on stderr, other log messages are not. `n` must outlive the
   scene. */
rn_hooks notices_hooks(notices *n);
/* From now on only warnings that contain this text, which must outlive `n`, are printed. */
void notices_keep(notices *n, const char *text);
/* Frees the texts, not `n`, and stops printing. Call it once the scene is open, because commands report later problems
   themselves; after notices_keep(), once the scene is closed; or once it has failed to open. */
void notices_close(notices *n);

#endif
