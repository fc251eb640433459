/* A growing text. Running out of memory is recorded, and reported by rn_text_finish. */
#ifndef RN_IO_TEXT_H
#define RN_IO_TEXT_H

#include "base/platform.h"

#include <runnel/base.h>

typedef struct rn_text {
    char *bytes;
    size_t length, capacity;
    bool failed;
} rn_text;

/* Appends formatted text, and a zero that does not count. Does nothing after memory has run out. Begin with rn_text set
   to 0. */
RN_PRINTF(2, 3) void rn_text_add(rn_text *text, const char *format, ...);

/* Appends a string as JSON: in quotes, with ", \ and control characters escaped. */
void rn_text_quote(rn_text *text, const char *string);

/* Hands the bytes, with a zero at the end, over to the caller, who frees them with free(); NULL if nothing was added.
   Do not use `text` afterwards. Returns RN_MEMORY, with an error text, if memory ran out earlier; then everything is
   freed and *bytes is NULL. */
rn_result rn_text_finish(rn_text *text, char **bytes);

#endif
