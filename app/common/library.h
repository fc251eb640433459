/* Where scenes are found by name. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct library_scene {
    char *name, *path;
} library_scene;

typedef struct library {
    library_scene *scenes; /* by name; of scenes with the same name the first folder's */
    int count;
} library;

/* Looks into $RUNNEL_SCENES, ./scenes, the scenes beside the program, and those it was built with. */
library library_open(void);
void library_close(library *scenes);

/* The file that `word` means, a name or a path; false after a sentence that suggests the nearest name. `command`: who
   asks. */
bool library_find(const char *command, const char *word, char *path, size_t size);

#endif
