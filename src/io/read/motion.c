/* The motion of vertices (rn_motion in include/runnel/io.h): of point caches, and of animated mesh files. Failures
   leave the reason in rn_last_error(). */
#include "io/read/motion_data.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Reads an animation into the reply, as an rn_apart_work, in the reader's process; its context is the path. */
static rn_result import(void *path, rn_reply *reply) { return rn_motion_import(path, reply); }

/* Reads an animated mesh file in a separate process into `motion`, which the caller frees with rn_motion_free, also
   after a failure. On failure returns the result of rn_apart, rn_motion_import or rn_nodes_take. */
static rn_result read_nodes(const char *path, rn_motion *motion) {
    const rn_apart_limits limits = {.path = path, .kind = "meshes"};
    rn_reply reply;
    const rn_result result = rn_apart(import, (void *)path, &limits, &reply);
    return result == RN_OK ? rn_nodes_take(path, &reply, motion) : result;
}

rn_result rn_motion_read(const char *path, double frames_per_second, rn_motion **motion) {
    if (!RN_REQUIRE(NULL, path && motion)) return RN_INVALID;
    *motion = NULL;
    const double rate = frames_per_second == 0 ? 24 : frames_per_second;
    if (!(rate > 0 && rate <= 1e6))
        return rn_fail(RN_INVALID, "a point cache has %g frames per second; it must be more than 0, and at most 1e6",
                       rate);
    int64_t size;
    if (!rn_file_size(path, &size)) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(errno));
    rn_motion *made = rn_alloc(NULL, 1, sizeof *made);
    if (!made) return RN_MEMORY;
    const rn_result result = rn_point_cache_is(path) ? rn_point_cache_read(path, rate, made) : read_nodes(path, made);
    if (result == RN_OK) *motion = made;
    else rn_motion_free(made);
    return result;
}

void rn_motion_free(rn_motion *motion) {
    if (!motion) return;
    rn_free(NULL, motion->frames);
    rn_free(NULL, motion->memory);
    rn_free(NULL, motion->placed);
    rn_free(NULL, motion);
}

uint32_t rn_motion_vertex_count(const rn_motion *motion) { return motion->vertex_count; }

double rn_motion_duration(const rn_motion *motion) { return motion->duration; }

void rn_motion_sample(rn_motion *motion, double time, bool loop, float *positions) {
    if (!RN_REQUIRE(NULL, motion && positions && isfinite(time))) return;
    if (loop && motion->duration > 0) time -= motion->duration * floor(time / motion->duration);
    time = fmin(fmax(time, 0), motion->duration);
    if (motion->frames) rn_point_cache_at(motion, time, positions);
    else rn_nodes_at(motion, time, positions);
}
