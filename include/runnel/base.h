/* Results, error text, hooks and vectors: what every other header stands on. */
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

/* The one list of what can go wrong. X(name, text) */
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

/* The general meaning of a result code. */
RN_API const char *rn_result_text(rn_result result);

/* The last failure of this thread as a sentence a user can act on; "" if none yet.
   Valid until the next failing call on the same thread. */
RN_API const char *rn_last_error(void);

/* "0.1.0" */
RN_API const char *rn_version(void);

typedef enum rn_log_level { RN_LOG_INFO, RN_LOG_WARNING } rn_log_level;

/* Does the items from begin to end - 1 of something that threads share. */
typedef void (*rn_task)(void *context, int begin, int end, int worker);

/* What the library asks of its host. A zeroed struct means: libc memory, no log, abort on misuse, threads of its own.
   The hooks are copied; `user` must outlive every object created with them. */
typedef struct rn_hooks {
    void *user;
    /* Returns size bytes aligned to 64, or NULL. */
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *memory);
    void (*log)(void *user, rn_log_level level, const char *text);
    /* Called when the program breaks a rule of the API. May return: the call then does nothing. */
    void (*misuse)(void *user, const char *rule, const char *file, int line);

    /* The host's own threads instead of the library's; `threads` of a world or a terrain then counts for nothing. Give
       all three or none. Results are the same to the bit however the work is split. */
    /* How many calls of a task may run at once, from 1 to 1024. */
    int workers;
    /* Has task(context, begin, end, worker) called for ranges that make up 0 to count - 1, each item once, on any
       threads and in any order; ranges shorter than `least` items cost more than they bring. `worker` is below
       `workers`, and no two calls that run at once have the same. Returns what task_wait gets, or NULL if all is done.
     */
    void *(*task_start)(void *user, rn_task task, int count, int least, void *context);
    /* Returns once the whole of it is done, and what the tasks wrote can be read. The library starts nothing else for
       the same world in between; little work runs on the calling thread, as worker 0, without being started. */
    void (*task_wait)(void *user, void *started);
} rn_hooks;

/* A place or direction in metres, z up. */
typedef struct rn_vec3 {
    double x, y, z;
} rn_vec3;

/* A rotation, as a quaternion of any length. All 0: no rotation. */
typedef struct rn_quat {
    double x, y, z, w;
} rn_quat;

/* Turns about the x, then the y, then the z axis (degrees). */
RN_API rn_quat rn_quat_from_degrees(rn_vec3 degrees);
/* Turns about an axis of any length but 0 (degrees, counter-clockwise seen from where the axis points). */
RN_API rn_quat rn_quat_from_axis(rn_vec3 axis, double degrees);
/* Turns by `b` first, then by `a`. */
RN_API rn_quat rn_quat_multiply(rn_quat a, rn_quat b);
RN_API rn_vec3 rn_quat_rotate(rn_quat turn, rn_vec3 point);

#ifdef __cplusplus
}
#endif

#endif
