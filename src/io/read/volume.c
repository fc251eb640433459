/* Reads volume files in a separate process, checks the replies, and makes the solid (rn_volume_read in
   include/runnel/io.h). Failures leave the reason, with the path, in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/words.h"
#include "io/read/volume_import.h"
#include "io/read/volume_solid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t largest_file = INT64_C(2) << 30; /* bytes */

typedef rn_result (*reader)(const rn_volume_ask *ask, rn_reply *reply);

/* Returns the reader for files with the extension of `path`; NULL: there is none. Does not look at the file. */
static reader reader_for(const char *path) {
    static const struct {
        const char *ending;
        reader read;
    } known[] = {{".nii", rn_nifti_import}, {".nii.gz", rn_nifti_import}, {".hdr", rn_nifti_import},
                 {".img", rn_nifti_import}, {".hdr.gz", rn_nifti_import}, {".img.gz", rn_nifti_import},
                 {".nrrd", rn_nrrd_import}, {".nhdr", rn_nrrd_import},    {".nvdb", rn_nanovdb_import}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (rn_ends_with(path, known[i].ending)) return known[i].read;
    return NULL;
}

bool rn_volume_is_named(const char *path) { return reader_for(path) != NULL; }

/* Sets *read to the reader for files with the extension of `path`. Returns RN_FORMAT, with a message, if there is
   none. */
static rn_result find_reader(const char *path, reader *read) {
    *read = reader_for(path);
    if (*read) return RN_OK;
    return rn_fail(RN_FORMAT,
                   "%s: is not a known kind of volume; .nii, .nii.gz, .hdr, .nrrd, .nhdr and .nvdb can be read", path);
}

/* Checks that `path` is a file (else RN_FILE), that it is not empty (RN_FORMAT), and that it has at most 2 GiB
   (RN_LIMIT). */
static rn_result check_file(const char *path) {
    int64_t size = 0;
    if (!rn_file_size(path, &size)) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (size < 0) return rn_fail(RN_FILE, "%s: is not a file", path);
    if (size == 0) return rn_fail(RN_FORMAT, "%s: is empty", path);
    if (size > largest_file)
        return rn_fail(RN_LIMIT, "%s: has %.0f MiB; a volume may have at most 2048", path, (double)size / (1 << 20));
    return RN_OK;
}

typedef struct job {
    const rn_volume_ask *ask;
    reader read;
} job;

/* Reads a volume into the reply, as an rn_apart_work, in the reader's process; its context is a job. */
static rn_result import(void *context, rn_reply *reply) {
    const job *j = context;
    return j->read(j->ask, reply);
}

/* Whether all `count` numbers are finite. */
static bool all_finite(const double *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

/* Whether all values of the information are valid: a misled reader may have written anything. */
static bool is_valid_info(const rn_volume_info *info) {
    for (int axis = 0; axis < 3; axis++)
        if (info->cells[axis] < 2 || info->factors[axis] < 1 || !(info->spacing[axis] > 0)) return false;
    return memchr(info->format, 0, sizeof info->format) && info->unit >= 0 && info->up >= RN_UP_UNKNOWN &&
           info->up <= RN_UP_MINUS_Z && info->volumes >= 1 && info->least <= info->most &&
           all_finite(info->transform[0], 12) && all_finite(info->spacing, 3) && all_finite(&info->unit, 1);
}

/* Whether a reply is valid, with samples or without: a misled reader may have written anything. `head`: a copy of its
   header, if the reply is long enough for one. All samples must be finite. */
static bool is_valid_reply(const rn_reply *reply, const rn_volume_header *head, bool samples) {
    if (reply->size < sizeof *head || !is_valid_info(&head->info)) return false;
    if (!samples) return reply->size == sizeof *head;
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (head->cells[axis] < 1 || head->cells[axis] > RN_MOST_KEPT) return false;
        count *= (uint64_t)head->cells[axis];
        if (count > RN_MOST_KEPT) return false;
    }
    if (reply->size != sizeof *head + count * sizeof(float) || !all_finite(head->transform[0], 12)) return false;
    const float *values = (const float *)((const char *)reply->bytes + sizeof *head);
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

/* Reads a file in a separate process, within 60 s and 3 GiB, and checks the reply; *head: a copy of its header. The
   caller frees the reply's bytes on success only. On failure returns the result of find_reader, check_file or rn_apart,
   or RN_FORMAT if the reply is invalid. */
static rn_result ask_reader(const rn_volume_ask *ask, rn_reply *reply, rn_volume_header *head) {
    job j = {.ask = ask};
    rn_result result = find_reader(ask->path, &j.read);
    if (result == RN_OK) result = check_file(ask->path);
    if (result != RN_OK) return result;
    const rn_apart_limits limits = {.path = ask->path, .kind = "volumes", .seconds = 60, .memory = (size_t)3 << 30};
    result = rn_apart(import, &j, &limits, reply);
    if (result != RN_OK) return result;
    if (reply->size >= sizeof *head) memcpy(head, reply->bytes, sizeof *head);
    if (is_valid_reply(reply, head, ask->def != NULL)) return RN_OK;
    rn_free(NULL, reply->bytes);
    return rn_fail(RN_FORMAT, "%s: the volume reader failed on it", ask->path);
}

rn_result rn_volume_inspect(const char *path, rn_volume_info *info) {
    if (!RN_REQUIRE(NULL, path != NULL && info != NULL)) return RN_INVALID;
    *info = (rn_volume_info){0};
    const rn_volume_ask ask = {.path = path};
    rn_volume_header head = {0};
    rn_reply reply;
    rn_result result = ask_reader(&ask, &reply, &head);
    if (result != RN_OK) return result;
    *info = head.info;
    rn_free(NULL, reply.bytes);
    return RN_OK;
}

rn_volume_def rn_volume_default(void) { return (rn_volume_def){.iso = NAN, .smoothing = 0.8}; }

/* Returns RN_INVALID if labels, iso-value or other values of the definition are invalid. That one of labels and
   iso-value is given is checked only by the reader. */
static rn_result check_def(const char *path, const rn_volume_def *def) {
    if (def->label_count < 0 || (def->label_count > 0 && !def->labels))
        return rn_fail(RN_INVALID, "%s: %d labels are asked for, and none given", path, def->label_count);
    if (def->label_count > 0 && !isnan(def->iso))
        return rn_fail(RN_INVALID, "%s: give an iso-value or labels, not both", path);
    if (!(def->smoothing >= 0 && def->smoothing <= 1))
        return rn_fail(RN_INVALID, "%s: smoothing is %g samples; it must lie between 0 and 1", path, def->smoothing);
    if (!(def->unit >= 0 && def->spacing >= 0 && def->least_part >= 0))
        return rn_fail(RN_INVALID, "%s: unit, spacing and least part must be 0 or more", path);
    return RN_OK;
}

rn_result rn_volume_read(const char *path, const rn_volume_def *def, rn_mesh_file *mesh, rn_volume_info *info) {
    if (!RN_REQUIRE(NULL, path != NULL && def != NULL && mesh != NULL)) return RN_INVALID;
    *mesh = (rn_mesh_file){0};
    if (info) *info = (rn_volume_info){0};
    const rn_volume_ask ask = {.path = path, .def = def};
    rn_volume_header head = {0};
    rn_reply reply;
    rn_result result = check_def(path, def);
    if (result == RN_OK) result = ask_reader(&ask, &reply, &head);
    if (result != RN_OK) return result;
    if (info) *info = head.info;
    result = rn_volume_solid(path, def, &head, (float *)((char *)reply.bytes + sizeof head), mesh);
    rn_free(NULL, reply.bytes);
    return result;
}

bool rn_volume_info_line(const rn_volume_info *info, int index, char *text, size_t size) {
    const int *f = info->factors;
    if (info->non_finite > 0 && index-- == 0)
        snprintf(text, size, "%lld sample%s not finite, and count%s as empty", (long long)info->non_finite,
                 info->non_finite == 1 ? " is" : "s are", info->non_finite == 1 ? "s" : "");
    else if (info->volumes > 1 && index-- == 0)
        snprintf(text, size, "holds %lld volumes, of which the first is taken", (long long)info->volumes);
    else if (!info->oriented && index-- == 0)
        snprintf(text, size, "does not state its orientation; its axes are taken as right, front and up");
    else if ((f[0] > 1 || f[1] > 1 || f[2] > 1) && index-- == 0)
        snprintf(text, size, "blocks of %d x %d x %d samples are averaged", f[0], f[1], f[2]);
    else return false;
    return true;
}
