/* Reads PC2 point caches (motion_data.h): a header of 32 bytes, then x y z of every vertex, frame after frame,
   little-endian. Failures leave the reason, with the path, in rn_last_error(). */
#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "io/file/input.h"
#include "io/read/motion_data.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char mark[12] = "POINTCACHE2"; /* including the zero at its end */

static const int64_t largest_file = (int64_t)512 << 20; /* bytes, all of which are loaded */

enum { HEADER = 32, VERTEX = 12 }; /* bytes */

typedef struct header {
    char mark[12];
    int32_t version, vertices;
    float start, rate; /* in frames: position of the first sample, and distance between samples */
    int32_t samples;
} header;

_Static_assert(sizeof(header) == HEADER, "the header has no gaps");

bool rn_point_cache_is(const char *path) {
    char begin[sizeof mark] = {0};
    FILE *file;
    if (rn_input_open(path, &file) != RN_OK) return false;
    const size_t got = fread(begin, 1, sizeof begin, file);
    fclose(file);
    return got == sizeof begin && memcmp(begin, mark, sizeof mark) == 0;
}

/* Checks that the header is valid and promises exactly the `size` bytes of the file (else RN_FORMAT), and at most 512
   MiB (else RN_LIMIT). Does not check its mark. */
static rn_result check_header(const char *path, const header *head, int64_t size) {
    if (head->version != 1)
        return rn_fail(RN_FORMAT, "%s: has version %d of the point cache format; version 1 can be read", path,
                       (int)head->version);
    if (head->vertices < 1 || head->samples < 1)
        return rn_fail(RN_FORMAT, "%s: has %d frames of %d vertices; there must be at least one of each", path,
                       (int)head->samples, (int)head->vertices);
    if (!(head->rate > 0 && head->rate <= 1e6f))
        return rn_fail(RN_FORMAT, "%s: has %g frames from one sample to the next; it must be more than 0", path,
                       (double)head->rate);
    if ((double)head->vertices * head->samples * VERTEX > (double)largest_file)
        return rn_fail(RN_LIMIT, "%s: promises %.0f MiB; a point cache may have at most %.0f", path,
                       (double)head->vertices * head->samples * VERTEX / (1 << 20), (double)largest_file / (1 << 20));
    const int64_t whole = HEADER + VERTEX * (int64_t)head->vertices * head->samples;
    if (whole != size)
        return rn_fail(RN_FORMAT, "%s: is %s: it has %lld bytes, its header promises %lld", path,
                       size < whole ? "cut short" : "too long", (long long)size, (long long)whole);
    return RN_OK;
}

/* Reads motion->frame_count frames of motion->vertex_count vertices into motion->frames. On failure returns RN_FILE,
   RN_MEMORY, or RN_FORMAT if a coordinate is not finite. The caller frees them with the motion, also after a
   failure. */
static rn_result read_frames(const char *path, FILE *file, rn_motion *motion) {
    const size_t per_frame = 3 * (size_t)motion->vertex_count, count = per_frame * motion->frame_count;
    motion->frames = rn_alloc(NULL, count, sizeof *motion->frames);
    if (!motion->frames) return RN_MEMORY;
    if (fread(motion->frames, sizeof *motion->frames, count, file) != count)
        return rn_fail(RN_FILE, "%s: cannot be read: %s", path, ferror(file) ? strerror(errno) : "it ends early");
    for (size_t i = 0; i < count; i++)
        if (!isfinite(motion->frames[i]))
            return rn_fail(RN_FORMAT, "%s: in frame %zu, vertex %zu has a coordinate that is not finite", path,
                           i / per_frame, i % per_frame / 3);
    return RN_OK;
}

/* Reads header and frames from a file of `size` bytes, and sets counts, frame time and duration of the motion. On
   failure returns the result of check_header or read_frames. */
static rn_result read_cache(const char *path, FILE *file, int64_t size, double frames_per_second, rn_motion *motion) {
    header head;
    if (fread(&head, 1, HEADER, file) != HEADER)
        return rn_fail(RN_FORMAT, "%s: is cut short: it has %lld bytes, a point cache at least %d", path,
                       (long long)size, HEADER);
    if (memcmp(head.mark, mark, sizeof mark) != 0) return rn_fail(RN_FORMAT, "%s: is not a point cache", path);
    rn_result result = check_header(path, &head, size);
    if (result != RN_OK) return result;
    motion->vertex_count = (uint32_t)head.vertices;
    motion->frame_count = (uint32_t)head.samples;
    motion->frame_time = (double)head.rate / frames_per_second;
    motion->duration = motion->frame_time * (motion->frame_count - 1);
    return read_frames(path, file, motion);
}

rn_result rn_point_cache_read(const char *path, double frames_per_second, rn_motion *motion) {
    int64_t size = -1;
    FILE *file;
    rn_result result = rn_input_open(path, &file);
    if (result != RN_OK) return result;
    if (!rn_file_size(path, &size)) result = rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (result == RN_OK) result = read_cache(path, file, size, frames_per_second, motion);
    fclose(file);
    return result;
}

void rn_point_cache_at(const rn_motion *motion, double time, float *positions) {
    const size_t count = 3 * (size_t)motion->vertex_count;
    const double at = time / motion->frame_time;
    const size_t last = motion->frame_count - 1, before = at < (double)last ? (size_t)at : last;
    const float *a = motion->frames + before * count, *b = before < last ? a + count : a;
    const float part = (float)(at - (double)before);
    for (size_t i = 0; i < count; i++) positions[i] = part > 0 && b != a ? a[i] + part * (b[i] - a[i]) : a[i];
}
