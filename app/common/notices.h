/* What opening a scene has to say besides: the faults of files that it names, each once, on stderr. */
#ifndef NOTICES_H
#define NOTICES_H

#include <runnel/base.h>

typedef struct notices {
    char **told;
    size_t count;
    bool closed;
} notices;

/* For rn_scene_def. `n` must outlive the scene. */
rn_hooks notices_hooks(notices *n);
/* Once the scene is open: commands tell by themselves what comes later. */
void notices_close(notices *n);

#endif
