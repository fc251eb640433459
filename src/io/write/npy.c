/* Writes NumPy's .npy, version 1.0: a header that is a Python dictionary, and the bytes of one array. */
#include "io/file/whole_file.h"
#include "io/write/writer.h"

#include <string.h>

/* Writes an array of `count` floats to a file, completely or not at all; `shape`: its sizes separated by commas, at
   most 47 characters. On failure returns RN_FILE, with a reason in rn_last_error(). */
static rn_result write_array(const char *path, const char *shape, const float *values, size_t count) {
    rn_whole_file file;
    const rn_result result = rn_whole_file_open(&file, path);
    if (result != RN_OK) return result;
    char header[128]; /* with the ten bytes before it, a multiple of 64, as the format requires */
    const int room = 118;
    const int length =
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape);
    memset(header + length, ' ', (size_t)(room - length - 1));
    header[room - 1] = '\n';
    rn_out out = {.stream = file.stream};
    const unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)room, 0};
    for (size_t i = 0; i < sizeof magic; i++) rn_out_byte(&out, magic[i]);
    for (int i = 0; i < room; i++) rn_out_byte(&out, (unsigned char)header[i]);
    rn_out_words(&out, values, count);
    rn_out_flush(&out);
    return rn_whole_file_keep(&file);
}

/* Writes the four arrays of a frame, as rn_export_writer.add, each to a separate file. On failure returns RN_FILE, with
   a message; files written before the failure stay. */
static rn_result add_frame(const rn_export_job *job, void *state, const rn_export_moment *moment) {
    (void)state;
    const rn_export_grid *g = moment->grid;
    const struct {
        const char *name;
        const float *values;
        bool vector;
    } arrays[] = {{"depth", g->depth, false},
                  {"base", g->base, false},
                  {"level", g->level, false},
                  {"velocity", g->velocity, true}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        char path[RN_EXPORT_PATH], shape[48];
        snprintf(shape, sizeof shape, "%s%d, %d, %d", arrays[i].vector ? "2, " : "", g->place.layers, g->place.cells_y,
                 g->place.cells_x);
        rn_result result = rn_export_path(job, arrays[i].name, moment->frame.number, "npy", path);
        if (result == RN_OK)
            result = write_array(path, shape, arrays[i].values, arrays[i].vector ? 2 * g->slots : g->slots);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

const rn_export_writer rn_writer_npy = {
    .kind = {.name = "npy",
             .about = "NumPy arrays of columns: depth, base, level (layers, y, x), velocity (2, layers, y, x)",
             .files = "depth-#.npy base-#.npy level-#.npy velocity-#.npy",
             .needs = RN_EXPORT_COLUMNS},
    .add = add_frame,
};
