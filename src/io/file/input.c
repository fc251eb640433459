/* Opens files to be read (input.h). */
#include "io/file/input.h"

#include "base/error.h"
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
