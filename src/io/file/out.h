/* Buffered output to a file, little-endian on every machine. Failures stay in the stream, where rn_whole_file_keep
   finds them. */
#ifndef RN_IO_OUT_H
#define RN_IO_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A buffer before a stream. Begin with `stream` set and `used` 0; the caller closes the stream. */
typedef struct rn_out {
    FILE *stream;
    size_t used;
    unsigned char bytes[1 << 15];
} rn_out;

/* Hands the buffered bytes to the stream; needed after the last of the calls below. Does not flush the stream
   itself. */
void rn_out_flush(rn_out *out);
/* Writes the lowest 8 bits. */
void rn_out_byte(rn_out *out, unsigned byte);
/* Writes `count` floats, or integers of 32 bits, each with its lowest byte first. */
void rn_out_words(rn_out *out, const void *words, size_t count);
/* Writes 32 bits, lowest byte first. */
void rn_out_word(rn_out *out, uint32_t word);
/* Writes 64 bits, lowest byte first. */
void rn_out_long(rn_out *out, uint64_t number);

/* How the coordinates of a file relate to runnel's, which are metres with z up. */
typedef struct rn_axes {
    float per_metre; /* units of the file per metre */
    bool y_up;       /* x, z, -y instead of x, y, z */
} rn_axes;

/* Converts a vector to the axes of the file, multiplied by `scale`: axes->per_metre for positions and speeds, 1 for
   directions. The factor of the axes itself is not applied. */
static inline void rn_axes_turn(const rn_axes *axes, float scale, const float *from, float to[3]) {
    to[0] = scale * from[0];
    to[1] = scale * (axes->y_up ? from[2] : from[1]);
    to[2] = scale * (axes->y_up ? -from[1] : from[2]);
}
/* Writes `count` vectors of three floats each, converted by rn_axes_turn. */
void rn_out_vectors(rn_out *out, const rn_axes *axes, float scale, const float *vectors, size_t count);

/* Numbers as text, with a point in any locale. Nine digits give a float to the bit. A double gets twelve, so that
   0.001 is written as typed, or seventeen, which are exact. */
enum { RN_FLOAT_TEXT = 32 };
/* Writes a float with 9 digits into `text` and returns that; reading it back gives the same bits. */
const char *rn_float_text(float number, char text[RN_FLOAT_TEXT]);
/* Writes a double with at most 12 digits into `text` and returns that: for people, not exact. */
const char *rn_double_text(double number, char text[RN_FLOAT_TEXT]);
/* Writes a double with up to 17 digits into `text` and returns that; reading it back gives the same bits. */
const char *rn_exact_text(double number, char text[RN_FLOAT_TEXT]);
/* Prints a number as rn_float_text writes it. */
void rn_print_float(FILE *stream, float number);
/* Prints `first`, `count` numbers (0: none) with `joint` between them, and `last`: "(1, 2, 3)". */
void rn_print_floats(FILE *stream, const char *first, const float *numbers, int count, const char *joint,
                     const char *last);

/* Converts a linear value, clamped to 0 to 1, to an sRGB byte from 0 to 255. */
unsigned rn_srgb_byte(float linear);

#endif
