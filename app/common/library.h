/* Finds scenes by name. library_open() lists all scenes, to be freed with library_close(); library_find() looks up one
   scene by its name or path. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct library_scene {
    char *name, *path;
} library_scene;

typedef struct library {
    library_scene *scenes; /* sorted by name; if folders share a name, the scene of the first folder */
    int count;
} library;

/* Searches $RUNNEL_SCENES, ./scenes, and ../scenes and ../share/runnel/scenes relative to the folder of the program,
   for files that end in .json, except hidden ones and schema.json. Files are not opened; missing folders are ignored,
   and so are scenes for which memory is lacking. Free the result with library_close(). */
library library_open(void);
/* Frees the list and its texts, and empties `scenes`. */
void library_close(library *scenes);

/* Writes the path of the scene file that `word` stands for: a path with a folder or ".json" as it is, else a scene by
   name, else a file in the current folder. Returns false after printing an error if there is none (it suggests the most
   similar name) or if `size` bytes are too few. A path that does not exist is an error only if a scene has a similar
   name; otherwise whoever reads the file reports that. `command`: the command that asks, for the message. */
bool library_find(const char *command, const char *word, char *path, size_t size);

#endif
