/* Files that appear completely or not at all: written under a temporary name, NAME.PROCESS.part, and renamed. */
#ifndef RN_IO_WHOLE_FILE_H
#define RN_IO_WHOLE_FILE_H

#include <runnel/base.h>
#include <stdio.h>

typedef struct rn_whole_file {
    FILE *stream;
    const char *path; /* owned by the caller; must outlive this */
    char temporary[4096];
} rn_whole_file;

/* Opens the temporary file for writing. */
rn_result rn_whole_file_open(rn_whole_file *file, const char *path);
/* Makes only the temporary name, for a library that opens files itself and closes them before they are kept or
   dropped. */
rn_result rn_whole_file_name(rn_whole_file *file, const char *path);
/* Renames the file. If that fails, or if a write failed before, nothing new is left under either name. */
rn_result rn_whole_file_keep(rn_whole_file *file);
/* Removes the file, for a writer that has failed. */
void rn_whole_file_drop(rn_whole_file *file);

/* Whether `name` is a temporary name of rn_whole_file_open; *length: length of the original name. Such a file
   remains if a program is killed while writing. */
bool rn_whole_file_is_part(const char *name, size_t *length);

#endif
