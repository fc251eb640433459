/* Readers of files that others wrote, each in a process of its own: whatever a damaged file makes a library do, the
   host gets a sentence. */
#ifndef RN_IO_APART_H
#define RN_IO_APART_H

#include <runnel/base.h>

/* What a reader hands over. `bytes` is from rn_alloc(NULL, …), and so is what the caller gets, whose pages are its own:
   pointers in it mean nothing. */
typedef struct rn_reply {
    void *bytes;
    size_t size;
} rn_reply;

/* Fails through rn_fail, and the sentence reaches the caller. */
typedef rn_result (*rn_apart_work)(void *context, rn_reply *reply);

/* 0 means default. */
typedef struct rn_apart_limits {
    const char *path;    /* of the file, for sentences */
    const char *kind;    /* of what is read, for sentences: "meshes" */
    double seconds;      /* of processor time that it may take, rounded up to whole ones; default 10 */
    size_t memory;       /* bytes that it may take besides what the host has; default 1 GiB */
    size_t reply_size;   /* bytes that its reply may have; default 1 GiB */
    double wall_seconds; /* seconds by the clock, for a reader that waits and does nothing; default 60 times as many */
    double (*now)(void); /* that clock, for tests; default: the system's (s) */
} rn_apart_limits;

/* Calls work(context, reply) in a forked process: it reads what the host has, changes nothing there, prints nothing,
   and must start no threads. What the reply holds has yet to be checked: a reader that was led astray may write
   anything. Free reply->bytes with rn_free(NULL, …). Where there is no fork the work is done in this process, without
   limits. */
rn_result rn_apart(rn_apart_work work, void *context, const rn_apart_limits *limits, rn_reply *reply);

#endif
