/* Opens files for reading, and loads whole files. Failures leave the reason, with the path, in rn_last_error(). */
#ifndef RN_IO_INPUT_H
#define RN_IO_INPUT_H

#include <runnel/base.h>
#include <stdio.h>

/* Opens a file for reading, as bytes. Returns RN_FILE, with *file NULL, if the file does not exist, may not be read, or
   is a folder, a pipe or a device, because reading from those could wait forever. The caller closes it with fclose. */
rn_result rn_input_open(const char *path, FILE **file);

/* A whole file in memory. The path is the caller's. */
typedef struct rn_file_bytes {
    const char *path;
    const char *bytes; /* followed by a 0 */
    size_t size;
} rn_file_bytes;

/* Reads a whole file of at most `most` bytes into memory. `path` must outlive `file`, which points to it. Returns
   RN_FILE if the file cannot be read, RN_FORMAT if it is empty, RN_LIMIT if it is larger (`kind`, such as "a mesh",
   says in the message what it is), or RN_MEMORY if memory runs out. Free it with rn_input_free, also after a
   failure. */
rn_result rn_input_load(const char *path, int64_t most, const char *kind, rn_file_bytes *file);
/* Frees the bytes and empties `file`; not the struct itself. */
void rn_input_free(rn_file_bytes *file);

#endif
