/* Folders for results. */
#ifndef FOLDERS_H
#define FOLDERS_H

#include <stdbool.h>

/* Creates a folder and all its parents; folders that exist are kept. The name must not be empty and is cut off after
   4095 bytes. Returns false after printing an error; parents made so far stay. */
bool make_folders(const char *folder);

#endif
