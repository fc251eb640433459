/* Folders for results. */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>

/* Creates a folder and all its parents; existing ones are kept. The name must not be empty, and is cut off after 4095
   bytes. Returns false after printing an error if a folder cannot be created; parents made before stay. */
bool make_folders(const char *folder);

#endif
