/* A table that grows while the command runs: a header, then one row a frame, in a CSV file that holds whole rows only,
   whenever it is looked at and whatever goes wrong. */
#ifndef ROWS_H
#define ROWS_H

#include "base/platform.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct rows {
    FILE *file; /* NULL: not open */
    char path[4096];
    int64_t bytes; /* that hold whole rows */
    char *text;    /* the row so far */
    size_t used, room;
    bool failed;  /* there was no memory for it */
    bool resumed; /* the header and earlier rows are there already */
} rows;

/* Keeps the rows of earlier frames up to `kept`, if the file is there and `kept` is above 0. Complains if it fails. */
bool rows_open(rows *r, const char *path, int kept);
void rows_close(rows *r);

/* Adds to the row. */
RN_PRINTF(2, 3) void rows_print(rows *r, const char *format, ...);
/* Writes the row. Complains if that fails, and takes back what a full disk has taken of it. */
bool rows_end(rows *r);

#endif
