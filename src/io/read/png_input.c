/* Opens PNG pictures for decoding (png_input.h). */
#include "io/read/png_input.h"

#include "base/error.h"
#include "io/file/input.h"

rn_result rn_png_input_refuse(const rn_png_input *input, int error) {
    const char *path = input->path;
    if (error == SPNG_EMEM) return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    if (error == SPNG_ESIGNATURE) return rn_fail(RN_FORMAT, "%s: is not a PNG picture", path);
    if (error == SPNG_EUSER_WIDTH || error == SPNG_EUSER_HEIGHT)
        return rn_fail(RN_LIMIT, "%s: a side is longer than %d pixels", path, input->longest);
    if (error == SPNG_IO_EOF || error == SPNG_EIDAT_TOO_SHORT)
        return rn_fail(RN_FORMAT, "%s: the picture is cut short", path);
    return rn_fail(RN_FORMAT, "%s: the picture is damaged (%s)", path, spng_strerror(error));
}

rn_result rn_png_input_open(const char *path, int longest, int64_t most, rn_png_input *input) {
    *input = (rn_png_input){.path = path, .longest = longest};
    const rn_result result = rn_input_open(path, &input->file);
    if (result != RN_OK) return result;
    input->context = spng_ctx_new(0);
    if (!input->context) return rn_png_input_refuse(input, SPNG_EMEM);
    int error = spng_set_png_file(input->context, input->file);
    if (!error) error = spng_set_image_limits(input->context, (uint32_t)longest, (uint32_t)longest);
    if (!error) error = spng_set_chunk_limits(input->context, 16 << 20, 64 << 20);
    if (!error) error = spng_get_ihdr(input->context, &input->header);
    if (error) return rn_png_input_refuse(input, error);
    if ((int64_t)input->header.width * input->header.height > most)
        return rn_fail(RN_LIMIT, "%s: %u by %u pixels are more than the %lld allowed", path, input->header.width,
                       input->header.height, (long long)most);
    return RN_OK;
}

void rn_png_input_close(rn_png_input *input) {
    spng_ctx_free(input->context);
    if (input->file) fclose(input->file);
    *input = (rn_png_input){0};
}
