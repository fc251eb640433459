/* From a word to what a session opens: the name of a scene, or a file of any kind that runnel reads. */
#ifndef VIEW_OPEN_H
#define VIEW_OPEN_H

#include "view/inputs.h"

typedef struct opening {
    char path[INPUT_PATH];
    bool is_checkpoint;
} opening;

/* A mesh, a volume or a terrain gets a scene of its own in the user's cache, as "runnel inspect" writes it. False after
   a sentence. */
bool opening_find(const char *word, opening *found);

/* A folder of the user for runnel's own files: of `variable` (XDG_CACHE_HOME), or `otherwise` (.cache) in the home.
   False: there is no home, or the folder cannot be made. */
bool opening_user_folder(const char *variable, const char *otherwise, char *folder, size_t size);

#endif
