/* Writes files under a temporary name and renames them (whole_file.h). */
#include "io/file/whole_file.h"

#include "base/error.h"
#include "base/platform.h"

#include <errno.h>
#include <string.h>

static const char ending[] = ".part";

rn_result rn_whole_file_name(rn_whole_file *file, const char *path) {
    *file = (rn_whole_file){.path = path};
    int length = snprintf(file->temporary, sizeof file->temporary, "%s.%ld%s", path, rn_process_number(), ending);
    if (length >= (int)sizeof file->temporary) return rn_fail(RN_FILE, "%.200s…: the name is too long", path);
    return RN_OK;
}

rn_result rn_whole_file_open(rn_whole_file *file, const char *path) {
    const rn_result result = rn_whole_file_name(file, path);
    if (result != RN_OK) return result;
    file->stream = fopen(file->temporary, "wb");
    if (file->stream) return RN_OK;
    return rn_fail(RN_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

void rn_whole_file_drop(rn_whole_file *file) {
    if (file->stream) fclose(file->stream);
    file->stream = NULL;
    remove(file->temporary);
}

rn_result rn_whole_file_keep(rn_whole_file *file) {
    bool failed = file->stream && ferror(file->stream) != 0;
    int reason = errno; /* of the write that failed, if any */
    if (file->stream && fclose(file->stream) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    file->stream = NULL;
    if (!failed && rn_rename_over(file->temporary, file->path)) return RN_OK;
    if (!failed) reason = errno;
    remove(file->temporary);
    return rn_fail(RN_FILE, "%s: cannot be written: %s", file->path, strerror(reason));
}

bool rn_whole_file_is_part(const char *name, size_t *length) {
    size_t all = strlen(name), end = strlen(ending);
    if (all <= end || strcmp(name + all - end, ending) != 0) return false;
    size_t digits = 0, at = all - end;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') {
        at--;
        digits++;
    }
    if (digits == 0 || at < 2 || name[at - 1] != '.') return false;
    *length = at - 1;
    return true;
}
