/* Finds what "runnel view WORD" opens: WORD is the name of a scene, or a file of any kind that runnel reads.
   opening_find finds the path that a session opens (view/session.h). */
#ifndef VIEW_OPEN_H
#define VIEW_OPEN_H

#include "view/inputs.h"

/* What to open: a scene (JSON) or a checkpoint. */
typedef struct opening {
    char path[INPUT_PATH];
    bool is_checkpoint;
} opening;

/* Sets *found to the scene file or checkpoint for a word. For a mesh, a volume or a terrain it first writes a scene
   into the user's cache, as "runnel inspect" does. Returns false after printing an error. */
bool opening_find(const char *word, opening *found);

/* Creates the user's folder for runnel's own files and writes its path to `folder`: $variable/runnel (XDG_CACHE_HOME,
   for example) or, if that is not set, `otherwise`/runnel (.cache, for example) in the home folder. Returns false,
   without a message, if there is no home folder, the path is longer than `size`, or the folder cannot be made. */
bool opening_user_folder(const char *variable, const char *otherwise, char *folder, size_t size);
/* Creates a folder for files that are derived from the file `path`, and writes the folder's path to `folder` (of `size`
   bytes): kind/HASH in the user's cache, or in the current folder if there is no such cache. HASH follows from the
   file's absolute path, so that files of the same name in different folders do not share a cache folder. kind:
   "scenes", for example. If the folder cannot be made, its path is written all the same, without a message. */
void opening_cache_folder(const char *kind, const char *path, char *folder, size_t size);

#endif
