/* Files that are there whole or not at all: written under a temporary name, NAME.PROCESS.part, and renamed. */
#ifndef RN_IO_WHOLE_FILE_H
#define RN_IO_WHOLE_FILE_H

#include <runnel/base.h>
#include <stdio.h>

typedef struct rn_whole_file {
    FILE *stream;
    const char *path; /* the caller's; must outlive this */
    char temporary[4096];
} rn_whole_file;

rn_result rn_whole_file_open(rn_whole_file *file, const char *path);
/* The temporary name alone, for a library that opens files itself and has closed it before it is kept or dropped. */
rn_result rn_whole_file_name(rn_whole_file *file, const char *path);
/* Gives the file its name. If that fails, or if anything written before did, nothing is left under either name that
   was not there before. */
rn_result rn_whole_file_keep(rn_whole_file *file);
/* For a writer that has failed by itself. */
void rn_whole_file_drop(rn_whole_file *file);

/* Whether `name` is what rn_whole_file_open makes of another name; that name's length. A file like that is left when a
   program is killed while it writes. */
bool rn_whole_file_is_part(const char *name, size_t *length);

#endif
