/* Opens and loads files (input.h). Failures leave the reason, with the path, in rn_last_error(). */
#include "io/file/input.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <string.h>

rn_result rn_input_open(const char *path, FILE **file) {
    int64_t size;
    *file = NULL;
    if (!rn_file_size(path, &size)) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (size < 0) return rn_fail(RN_FILE, "%s: is not a file, but a folder, a pipe or a device", path);
    *file = fopen(path, "rb");
    return *file ? RN_OK : rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
}

/* Reads `size` bytes of the stream, and a 0 after them, into file->bytes; file->path must be set. On failure returns
   RN_MEMORY, or RN_FILE if fewer can be read; the caller frees file->bytes also then. */
static rn_result read_bytes(FILE *stream, int64_t size, rn_file_bytes *file) {
    char *bytes = rn_alloc(NULL, (size_t)size + 1, 1);
    if (!bytes) return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", file->path);
    file->bytes = bytes;
    file->size = fread(bytes, 1, (size_t)size, stream);
    if (file->size == (size_t)size) return RN_OK;
    return rn_fail(RN_FILE, "%s: cannot be read: %s", file->path, ferror(stream) ? strerror(errno) : "it has shrunk");
}

rn_result rn_input_load(const char *path, int64_t most, const char *kind, rn_file_bytes *file) {
    FILE *stream;
    int64_t size = 0;
    *file = (rn_file_bytes){.path = path};
    rn_result result = rn_input_open(path, &stream);
    if (result != RN_OK) return result;
    if (!rn_file_size(path, &size)) result = rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    else if (size == 0) result = rn_fail(RN_FORMAT, "%s: is empty", path);
    else if (size > most)
        result = rn_fail(RN_LIMIT, "%s: has %.0f MiB; %s may have at most %.0f", path, (double)size / (1 << 20), kind,
                         (double)most / (1 << 20));
    else result = read_bytes(stream, size, file);
    fclose(stream);
    return result;
}

void rn_input_free(rn_file_bytes *file) {
    rn_free(NULL, (void *)file->bytes);
    *file = (rn_file_bytes){0};
}
