/* Files that others made, which the repository does not hold: $RUNNEL_DATA, or shared/data beside the repository. */
#ifndef SHARED_DATA_H
#define SHARED_DATA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The path of one of them, or NULL if it is not there; valid until the next call. */
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
