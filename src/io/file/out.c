/* Little-endian binary output, and numbers as text that do not depend on the locale (out.h). */
#include "io/file/out.h"

#include <math.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { AS_IN_FILES = 1 };
#else
enum { AS_IN_FILES = 0 };
#endif

void rn_out_flush(rn_out *out) {
    fwrite(out->bytes, 1, out->used, out->stream);
    out->used = 0;
}

void rn_out_byte(rn_out *out, unsigned byte) {
    if (out->used == sizeof out->bytes) rn_out_flush(out);
    out->bytes[out->used++] = (unsigned char)byte;
}

void rn_out_word(rn_out *out, uint32_t word) {
    for (int i = 0; i < 4; i++) rn_out_byte(out, word >> (8 * i) & 0xff);
}

void rn_out_long(rn_out *out, uint64_t number) {
    rn_out_word(out, (uint32_t)number);
    rn_out_word(out, (uint32_t)(number >> 32));
}

void rn_out_words(rn_out *out, const void *words, size_t count) {
    const size_t bytes = 4 * count;
    if (AS_IN_FILES && bytes > sizeof out->bytes) {
        rn_out_flush(out);
        fwrite(words, 1, bytes, out->stream);
    } else if (AS_IN_FILES) {
        if (out->used + bytes > sizeof out->bytes) rn_out_flush(out);
        if (bytes > 0) memcpy(out->bytes + out->used, words, bytes);
        out->used += bytes;
    } else {
        for (size_t i = 0; i < count; i++) {
            uint32_t word;
            memcpy(&word, (const char *)words + 4 * i, sizeof word);
            rn_out_word(out, word);
        }
    }
}

void rn_out_vectors(rn_out *out, const rn_axes *axes, float scale, const float *vectors, size_t count) {
    if (!axes->y_up && scale == 1.0f) {
        rn_out_words(out, vectors, 3 * count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float turned[3];
        rn_axes_turn(axes, scale, vectors + 3 * i, turned);
        rn_out_words(out, turned, 3);
    }
}

/* Writes a number with at most `digits` significant digits into `text`, with a point in any locale, and returns
   `text`. */
static const char *number_text(double number, int digits, char text[RN_FLOAT_TEXT]) {
    snprintf(text, RN_FLOAT_TEXT, "%.*g", digits, number);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    return text;
}

const char *rn_float_text(float number, char text[RN_FLOAT_TEXT]) { return number_text((double)number, 9, text); }
const char *rn_double_text(double number, char text[RN_FLOAT_TEXT]) { return number_text(number, 12, text); }
const char *rn_exact_text(double number, char text[RN_FLOAT_TEXT]) { return number_text(number, 17, text); }

void rn_print_float(FILE *stream, float number) {
    char text[RN_FLOAT_TEXT];
    fputs(rn_float_text(number, text), stream);
}

void rn_print_floats(FILE *stream, const char *first, const float *numbers, int count, const char *joint,
                     const char *last) {
    fputs(first, stream);
    for (int i = 0; i < count; i++) {
        if (i) fputs(joint, stream);
        rn_print_float(stream, numbers[i]);
    }
    fputs(last, stream);
}

unsigned rn_srgb_byte(float linear) {
    const float c = fminf(fmaxf(linear, 0.0f), 1.0f);
    return (unsigned)lrintf(255.0f * (c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f));
}
