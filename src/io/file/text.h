/* A growing text. Running out of memory is recorded and reported at the end. */
#ifndef RN_IO_TEXT_H
#define RN_IO_TEXT_H

#include "base/platform.h"

#include <runnel/base.h>

typedef struct rn_text {
    char *bytes;
    size_t length, capacity;
    bool failed;
} rn_text;

RN_PRINTF(2, 3) void rn_text_add(rn_text *text, const char *format, ...);

/* Appends a JSON string, with its quotes. */
void rn_text_quote(rn_text *text, const char *string);

/* Hands the bytes over to the caller, who frees them with free(). */
rn_result rn_text_finish(rn_text *text, char **bytes);

#endif
