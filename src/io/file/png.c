/* Writes PNG pictures (include/runnel). Failures leave the reason, with the path, in rn_last_error(). */
#include "base/error.h"
#include "io/file/whole_file.h"

#include <runnel/io.h>
#include <spng.h>

/* Level 1 with the UP filter is six times as fast as the usual settings, with a fifth more bytes. */
static const int quick_level = 1, small_level = 9;

/* Writes a picture to a stream: 3 bytes per pixel, rows from the top; `small`: slowly, but with fewer bytes. Returns 0,
   or an error of spng, without an error text. */
static int encode(FILE *file, const uint8_t *rgb, int width, int height, bool small) {
    spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
    if (!context) return SPNG_EMEM;
    struct spng_ihdr header = {
        .width = (uint32_t)width, .height = (uint32_t)height, .bit_depth = 8, .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
    int error = spng_set_png_file(context, file);
    if (!error) error = spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, small ? small_level : quick_level);
    const int filters = small ? SPNG_FILTER_CHOICE_ALL : SPNG_FILTER_CHOICE_UP;
    if (!error) error = spng_set_option(context, SPNG_FILTER_CHOICE, filters);
    if (!error) error = spng_set_ihdr(context, &header);
    if (!error) error = spng_set_srgb(context, 0);
    size_t bytes = 3 * (size_t)width * (size_t)height;
    if (!error) error = spng_encode_image(context, rgb, bytes, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    spng_ctx_free(context);
    return error;
}

/* Writes a picture to a file, completely or not at all: 3 bytes per pixel, rows from the top; `small`: slowly, but with
   fewer bytes. Returns RN_INVALID if width or height is less than 1, RN_MEMORY if memory runs out, or RN_FILE after any
   other failure. */
static rn_result write_picture(const char *path, const uint8_t *rgb, int width, int height, bool small) {
    if (width < 1 || height < 1)
        return rn_fail(RN_INVALID, "%s: a picture of %d by %d pixels cannot be written", path, width, height);
    rn_whole_file file;
    rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    int error = encode(file.stream, rgb, width, height, small);
    if (!error || ferror(file.stream)) return rn_whole_file_keep(&file);
    rn_whole_file_drop(&file);
    return rn_fail(error == SPNG_EMEM ? RN_MEMORY : RN_FILE, "%s: cannot be written: %s", path, spng_strerror(error));
}

rn_result rn_png_write(const char *path, const uint8_t *rgb, int width, int height) {
    return write_picture(path, rgb, width, height, false);
}

rn_result rn_png_write_small(const char *path, const uint8_t *rgb, int width, int height) {
    return write_picture(path, rgb, width, height, true);
}
