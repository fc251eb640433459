/* Files that appear completely or not at all: written under a temporary name, NAME.PROCESS.part, and renamed. An older
   file at the path is left alone until then. Failures leave the reason, with the path, in rn_last_error(). */
#ifndef RN_IO_WHOLE_FILE_H
#define RN_IO_WHOLE_FILE_H

#include <runnel/base.h>
#include <stdio.h>

typedef struct rn_whole_file {
    FILE *stream;
    const char *path; /* owned by the caller; must outlive this */
    char temporary[4096];
} rn_whole_file;

/* Opens the temporary file for writing through file->stream. An older file at the path is left alone. Returns RN_FILE
   if it cannot be opened, or the name is too long; then there is nothing to keep or drop. */
rn_result rn_whole_file_open(rn_whole_file *file, const char *path);
/* Makes only the temporary name, file->temporary, for a library that opens and closes the file itself; it must be
   closed before rn_whole_file_keep or rn_whole_file_drop. Creates no file, and leaves an older one at the path alone.
   Returns RN_FILE if the name is too long. */
rn_result rn_whole_file_name(rn_whole_file *file, const char *path);
/* Closes the file and renames it to its path, replacing an older file there. Returns RN_FILE if that or an earlier
   write failed; then the temporary file is removed, and an older file at the path is left alone. */
rn_result rn_whole_file_keep(rn_whole_file *file);
/* Closes and removes the temporary file, for a writer that has failed. An older file at the path is left alone. */
void rn_whole_file_drop(rn_whole_file *file);

/* Whether `name` is a temporary name of rn_whole_file_open, of any process; *length: length of the original name,
   unchanged if false. Such a file remains if a program is killed while writing. */
bool rn_whole_file_is_part(const char *name, size_t *length);

#endif
