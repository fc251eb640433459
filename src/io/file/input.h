/* Opens files to be read. */
#ifndef RN_IO_INPUT_H
#define RN_IO_INPUT_H

#include <runnel/base.h>
#include <stdio.h>

/* Opens a file for reading, as bytes. RN_FILE, with *file NULL: there is none, it may not be read, or it is a folder, a
   pipe or a device: reading from those could wait forever. The caller closes it with fclose. */
rn_result rn_input_open(const char *path, FILE **file);

/* A whole file in memory. */
typedef struct rn_file_bytes {
    const char *path;
    const char *bytes; /* followed by a 0 */
    size_t size;
} rn_file_bytes;

/* Reads a whole file of at most `most` bytes into memory. `kind`: what it is, for the message of RN_LIMIT: "a mesh".
   RN_FORMAT: it is empty. Free it with rn_input_free, also after a failure. */
rn_result rn_input_load(const char *path, int64_t most, const char *kind, rn_file_bytes *file);
void rn_input_free(rn_file_bytes *file);

#endif
