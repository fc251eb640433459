/* Opens PNG pictures for decoding. Failures leave the reason, with the path, in rn_last_error(). */
#ifndef RN_IO_PNG_INPUT_H
#define RN_IO_PNG_INPUT_H

#include <runnel/base.h>
#include <spng.h>
#include <stdio.h>

/* A picture that is being decoded. The path is the caller's. */
typedef struct rn_png_input {
    const char *path;
    FILE *file;
    spng_ctx *context;
    struct spng_ihdr header;
    int longest; /* pixels, that a side may have */
} rn_png_input;

/* Opens a picture and reads its header. Returns RN_LIMIT if a side is longer than `longest`, or there are more than
   `most` pixels; or RN_FILE, RN_FORMAT or RN_MEMORY. Close it with rn_png_input_close, also after a failure. */
rn_result rn_png_input_open(const char *path, int longest, int64_t most, rn_png_input *input);
/* Fails with a sentence for an error of spng, which must not be 0. */
rn_result rn_png_input_refuse(const rn_png_input *input, int error);
/* Closes the file and frees what decoding needs. */
void rn_png_input_close(rn_png_input *input);

#endif
