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

/* Opens the temporary file for writing, through file->stream. RN_FILE: it cannot be opened, or the name is too long;
   then there is nothing to keep or drop. */
rn_result rn_whole_file_open(rn_whole_file *file, const char *path);
/* Makes only the temporary name, without opening the file, for a library that opens files itself and closes them before
   they are kept or dropped. RN_FILE: the name is too long. */
rn_result rn_whole_file_name(rn_whole_file *file, const char *path);
/* Closes the file and gives it its own name, replacing an older one. If that fails, or if a write failed before
   (RN_FILE), the temporary file is removed and an older file stays. */
rn_result rn_whole_file_keep(rn_whole_file *file);
/* Closes and removes the temporary file, for a writer that has failed. An older file under the name stays. */
void rn_whole_file_drop(rn_whole_file *file);

/* Whether `name` is a temporary name of rn_whole_file_open, of any process; *length: length of the original name,
   unchanged if false. Such a file remains if a program is killed while writing. */
bool rn_whole_file_is_part(const char *name, size_t *length);

#endif
