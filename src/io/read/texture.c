/* Textures from PNG pictures. */
#include "base/memory.h"
#include "io/read/png_input.h"

#include <runnel/io.h>

enum { LONGEST_SIDE = 8192 };

rn_result rn_texture_load(const char *path, rn_texture *texture) {
    *texture = (rn_texture){0};
    rn_png_input input;
    rn_result result = rn_png_input_open(path, LONGEST_SIDE, (int64_t)LONGEST_SIDE * LONGEST_SIDE, &input);
    if (result == RN_OK) {
        const size_t pixels = (size_t)input.header.width * input.header.height;
        uint8_t *rgba = rn_alloc(NULL, pixels, 4);
        int error = rgba ? 0 : SPNG_EMEM;
        if (!error) error = spng_decode_image(input.context, rgba, 4 * pixels, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS);
        if (error) {
            result = rn_png_input_refuse(&input, error);
            rn_free(NULL, rgba);
        } else
            *texture =
                (rn_texture){.pixels = rgba, .width = (int)input.header.width, .height = (int)input.header.height};
    }
    rn_png_input_close(&input);
    return result;
}

void rn_texture_free(rn_texture *texture) {
    rn_free(NULL, (void *)(uintptr_t)texture->pixels);
    *texture = (rn_texture){0};
}
