/* Data files made by others, which are not in the repository: they are looked for in the folder $RUNNEL_DATA or, if
   that is not set, in ../shared/data. */
#ifndef SHARED_DATA_H
#define SHARED_DATA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the path of a data file, or NULL if it does not exist. The path is valid until the next call. */
static inline const char *shared_file(const char *name) {
    static char path[1024];
    const char *place = getenv("RUNNEL_DATA");
    snprintf(path, sizeof path, "%s/%s", place ? place : "../shared/data", name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fclose(file);
    return path;
}

#endif
