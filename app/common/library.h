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

/* Searches $RUNNEL_SCENES, ./scenes, and ../scenes and ../share/runnel/scenes relative to the folder of the program. */
library library_open(void);
void library_close(library *scenes);

/* Writes the path of the scene file that `word`, a name or a path, stands for. Returns false after printing an error
   that suggests the most similar name; `command` is the command that asks. */
bool library_find(const char *command, const char *word, char *path, size_t size);

#endif
