/* A temporary file that holds data until it is known what comes before them: formats that begin with a summary would
   otherwise need a whole run in memory. It lies beside the file that it is for, and vanishes with this process. */
#ifndef RN_IO_SPOOL_H
#define RN_IO_SPOOL_H

#include <runnel/base.h>
#include <stdio.h>

typedef struct rn_spool {
    FILE *stream;   /* for appending, between rn_spool_begin and rn_spool_end */
    uint64_t bytes; /* bytes of completed appends */
    char path[4096];
    int for_length; /* length of the name of the file that it is for, with which `path` begins */
} rn_spool;

/* Makes an empty spool beside the file `for_path`. It is deleted when closed. */
rn_result rn_spool_open(rn_spool *spool, const char *for_path);
void rn_spool_close(rn_spool *spool);

/* Begins an append. It counts once rn_spool_end succeeds; otherwise the next begin overwrites it. */
rn_result rn_spool_begin(rn_spool *spool);
/* Completes an append. RN_FILE: a write has failed. */
rn_result rn_spool_end(rn_spool *spool);
/* The present position of appending (bytes). */
uint64_t rn_spool_place(const rn_spool *spool);

/* Copies a part of the spool. Failures of `to` stay with it. */
rn_result rn_spool_copy(rn_spool *spool, uint64_t from, uint64_t length, FILE *to);

#endif
