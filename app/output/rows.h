/* A CSV table that grows during a run: a header, then one row per frame. The file contains only whole rows at any time,
   whatever goes wrong. Usage: rows_open(); rows_print() for parts of a row and rows_end() to write it; rows_close(). */
#ifndef ROWS_H
#define ROWS_H

#include "base/platform.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct rows {
    FILE *file; /* NULL: not open */
    char path[4096];
    int64_t bytes; /* length of the file so far: whole rows */
    char *text;    /* the current row */
    size_t used, room;
    bool failed;  /* there was not enough memory for the row */
    bool resumed; /* the file already has the header and earlier rows */
} rows;

/* Opens the table. If `kept` > 0 and the file exists, its header and the rows of frames up to `kept` remain, and
   `resumed` is set if there is at least a whole header; otherwise the file is emptied. Returns false after printing an
   error. */
bool rows_open(rows *r, const char *path, int kept);
/* Closes the file and frees the row; what is not ended is lost. Also for a zeroed table. */
void rows_close(rows *r);

/* Adds to the current row, in memory. Lack of memory is reported by rows_end(). */
RN_PRINTF(2, 3) void rows_print(rows *r, const char *format, ...);
/* Writes the row and a line break. On failure, prints an error, removes what was written of the row, closes the file,
   and returns false; only rows_close() may follow then. */
bool rows_end(rows *r);

#endif
