/* A file that data wait in until it is known what comes before them: formats that tell first what they hold would
   otherwise need all of a run in memory. It lies beside the file that it is for, and is gone with this process. */
#ifndef RN_IO_SPOOL_H
#define RN_IO_SPOOL_H

#include <runnel/base.h>
#include <stdio.h>

typedef struct rn_spool {
    FILE *stream;   /* to append to, between rn_spool_begin and rn_spool_end */
    uint64_t bytes; /* that are in it for good */
    char path[4096];
    int for_length; /* of the name of the file that it is for, with which `path` begins */
} rn_spool;

rn_result rn_spool_open(rn_spool *spool, const char *for_path);
void rn_spool_close(rn_spool *spool);

/* What is appended counts once it has ended well; otherwise the next begin writes over it. */
rn_result rn_spool_begin(rn_spool *spool);
rn_result rn_spool_end(rn_spool *spool);
/* Where appending is now (bytes). */
uint64_t rn_spool_place(const rn_spool *spool);

/* Copies a part of it. Failures of `to` stay with it. */
rn_result rn_spool_copy(rn_spool *spool, uint64_t from, uint64_t length, FILE *to);

#endif
