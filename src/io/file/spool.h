/* A temporary file that holds data until it is known what comes before them: formats that begin with a summary would
   otherwise need a whole run in memory. It lies beside the file that it is for. Failures leave the reason, with the
   name of that file, in rn_last_error(). */
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

/* Creates an empty spool beside the file `for_path`, whose name it keeps a copy of. It is deleted when closed, and
   where the system allows it vanishes with the process. After a failure (RN_FILE) there is nothing to close. */
rn_result rn_spool_open(rn_spool *spool, const char *for_path);
/* Closes and deletes the spool; does nothing if it is not open. Does not free the struct. */
void rn_spool_close(rn_spool *spool);

/* Begins an append after all completed ones; write to spool->stream. The bytes count once rn_spool_end succeeds;
   otherwise the next rn_spool_begin overwrites them. Returns RN_FILE if the position cannot be set. */
rn_result rn_spool_begin(rn_spool *spool);
/* Completes an append. Returns RN_FILE if a write has failed since rn_spool_begin. */
rn_result rn_spool_end(rn_spool *spool);
/* Returns where the next byte of this append goes: bytes from the start of the spool. */
uint64_t rn_spool_place(const rn_spool *spool);

/* Copies `length` bytes of the spool, from byte `from` on, to the stream `to`. Returns RN_FILE if the spool cannot be
   read. A failure of `to` ends the copy but is not returned: it stays with that stream. Do not call this between
   rn_spool_begin and rn_spool_end. */
rn_result rn_spool_copy(rn_spool *spool, uint64_t from, uint64_t length, FILE *to);

#endif
