/* Folders for results. */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>

/* Creates a folder and all its parents; those that exist are fine. The name must not be empty. */
bool make_folders(const char *folder);

#endif
