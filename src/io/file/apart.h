/* Runs readers of foreign files in separate processes: whatever a damaged file makes a library do, the host only
   gets an error message. */
#ifndef RN_IO_APART_H
#define RN_IO_APART_H

#include <runnel/base.h>

/* The result of a reader. `bytes` comes from rn_alloc(NULL, …); the caller gets a copy, so pointers in it are
   meaningless. */
typedef struct rn_reply {
    void *bytes;
    size_t size;
} rn_reply;

/* The work of a reader. `reply` is empty at first. It fails through rn_fail, whose message reaches the caller; its
   reply is then ignored. */
typedef rn_result (*rn_apart_work)(void *context, rn_reply *reply);

/* 0 or NULL means default; path and kind are required. */
typedef struct rn_apart_limits {
    const char *path;    /* of the file, for messages */
    const char *kind;    /* of files, for messages: "meshes" */
    double seconds;      /* most processor time, rounded up to whole seconds; default 10 */
    size_t memory;       /* bytes that it may use in addition to the host's; default 1 GiB */
    size_t reply_size;   /* most bytes of its reply; default 1 GiB */
    double wall_seconds; /* most wall time (s), for a reader that hangs; default 60 times `seconds` */
    double (*now)(void); /* clock for tests (s); default: that of the system */
} rn_apart_limits;

/* Calls work(context, reply) in a forked process, waits for it and copies its reply; after a failure the reply is
   empty. The work can read the memory of the host but not change it, prints nothing, and must not start threads. The
   caller must check the content of the reply: a misled reader may write anything. Free reply->bytes with rn_free(NULL,
   …). Returns the result of the work, or RN_LIMIT (too much time, or too large a reply), RN_MEMORY (the work takes too
   much memory, or the host has none left), RN_FORMAT (the work crashed), RN_INTERRUPTED (a signal ended it) or RN_FILE
   (no process could be started). The reason is in rn_last_error(). Without fork (Windows, WebAssembly) the work is done
   in this process, without limits. */
rn_result rn_apart(rn_apart_work work, void *context, const rn_apart_limits *limits, rn_reply *reply);

#endif
