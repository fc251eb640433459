/* Result codes, error text, host hooks and vectors: every other header uses these. */
#ifndef RUNNEL_BASE_H
#define RUNNEL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(RUNNEL_SHARED)
#ifdef RUNNEL_BUILD
#define RN_API __declspec(dllexport)
#else
#define RN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) && !defined(_WIN32)
#define RN_API __attribute__((visibility("default")))
#else
#define RN_API
#endif

#define RN_VERSION_MAJOR 0
#define RN_VERSION_MINOR 1
#define RN_VERSION_PATCH 0

/* All result codes: X(name, text). A function of runnel that returns any other than RN_OK leaves a message in
   rn_last_error(); nothing is printed. */
#define RN_RESULTS(X)                                                                                                  \
    X(RN_OK, "ok")                                                                                                     \
    X(RN_INVALID, "a value is outside what makes sense")                                                               \
    X(RN_MEMORY, "there is not enough memory")                                                                         \
    X(RN_LIMIT, "the request is larger than runnel allows")                                                            \
    X(RN_FILE, "a file cannot be read or written")                                                                     \
    X(RN_FORMAT, "a file does not hold what its format promises")                                                      \
    X(RN_INTERRUPTED, "the caller asked to stop")                                                                      \
    X(RN_DEVICE, "there is no graphics device")                                                                        \
    X(RN_DRIVER, "a graphics device cannot do what is asked, or has failed")                                           \
    X(RN_UNSUPPORTED, "this build of runnel cannot do it")

typedef enum rn_result {
#define RN_RESULT_ENUM(name, text) name,
    RN_RESULTS(RN_RESULT_ENUM)
#undef RN_RESULT_ENUM
} rn_result;

/* The general meaning of a result code, as static text, also for numbers that are no result. */
RN_API const char *rn_result_text(rn_result result);

/* The message of the last failure on this thread, written for users, one line of at most 1023 bytes; "" if nothing has
   failed yet. Success does not clear it. Valid until the next failing call on the same thread. */
RN_API const char *rn_last_error(void);

/* The version of the library as text, such as "0.1.0". */
RN_API const char *rn_version(void);

typedef enum rn_log_level { RN_LOG_INFO, RN_LOG_WARNING } rn_log_level;

/* A piece of parallel work: processes items begin to end - 1. `worker` is the number of the worker that runs it. */
typedef void (*rn_task)(void *context, int begin, int end, int worker);

/* Callbacks into the host. A zeroed struct means: libc memory, no log, abort on misuse, the library's own threads.
   The hooks are copied; `user` must outlive every object created with them. */
typedef struct rn_hooks {
    void *user;
    /* Returns size bytes aligned to 64, or NULL. */
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *memory);
    void (*log)(void *user, rn_log_level level, const char *text);
    /* Called when the program breaks a rule of the API. It may return; the offending call then does nothing. */
    void (*misuse)(void *user, const char *rule, const char *file, int line);

    /* The host's own threads in place of the library's; `threads` of a world or a terrain is then ignored. Give all
       three fields or none. Results are the same to the bit however the work is split. */
    /* How many calls of a task may run at once, 1 to 1024. */
    int workers;
    /* Calls task(context, begin, end, worker) for ranges that together cover 0 to count - 1, each item once, on any
       threads and in any order. Ranges shorter than `least` items are not worth splitting off. `worker` is below
       `workers`, and calls that run at the same time have different ones. Returns a handle for task_wait, or NULL if
       the work is already done. */
    void *(*task_start)(void *user, rn_task task, int count, int least, void *context);
    /* Returns once all of the work is done and its results are visible to the caller. The library starts no other
       work for the same world before that. It runs small pieces of work on the calling thread, as worker 0, without
       task_start. */
    void (*task_wait)(void *user, void *started);
} rn_hooks;

/* A position or direction in metres, z up. */
typedef struct rn_vec3 {
    double x, y, z;
} rn_vec3;

/* A rotation, as a quaternion of any length. All 0: no rotation. */
typedef struct rn_quat {
    double x, y, z, w;
} rn_quat;

/* A rotation about the x axis, then y, then z (degrees), of unit length; NAN beyond 1e9 degrees. */
RN_API rn_quat rn_quat_from_degrees(rn_vec3 degrees);
/* A rotation about an axis of any length but 0 (degrees, counter-clockwise when the axis points at the viewer), of unit
   length; NAN beyond 2e9 degrees. */
RN_API rn_quat rn_quat_from_axis(rn_vec3 axis, double degrees);
/* The rotation that applies `b` first, then `a`; its length is the product of theirs. If either is all 0, so is the
   product, which then stands for no rotation. */
RN_API rn_quat rn_quat_multiply(rn_quat a, rn_quat b);
/* A point (m) rotated about the origin, by a rotation of any length. */
RN_API rn_vec3 rn_quat_rotate(rn_quat turn, rn_vec3 point);

#ifdef __cplusplus
}
#endif

#endif
