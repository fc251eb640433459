/* Reads and writes saved states: one walk over the values serves measuring, writing, checking and reading.

   Interface: solver/archive.h lists the functions in the order from single values to rows of arrays. The pass of the
   archive decides what most of them do: RN_MEASURE counts bytes, RN_WRITE copies values out, RN_CHECK compares the
   saved bytes with the limits of values, RN_READ copies values in.

   Order of calls: world/snapshot.c makes the archive, and calls the parts of the world one after the other; solvers
   follow through rn_solver_class.archive. Saving runs RN_MEASURE, then RN_WRITE. Restoring runs RN_CHECK over the
   whole state before RN_READ, so a broken file changes nothing. In RN_HASH each part adds to a->hash by itself and
   calls no function of this file.

   Algorithm: each part names its values once, in one order, so that writing and reading cannot drift apart. An
   invalid value or a lack of bytes sets a->broken; later calls then copy nothing, and callers need to look at
   a->broken only where a count decides what follows. RN_CHECK leaves values of the world as they are: what decides
   the layout of later bytes must go through rn_archive_value with a copy. Numbers are little-endian. */
#include "solver/archive.h"

#include <math.h>
#include <string.h>

void rn_archive_data(rn_archive *a, void *data, size_t size) {
    if (a->pass != RN_MEASURE && size > a->size - a->at) a->broken = true;
    if (a->broken) return;
    if (a->pass == RN_WRITE) memcpy(a->bytes + a->at, data, size);
    if (a->pass == RN_READ) memcpy(data, a->bytes + a->at, size);
    a->at += size;
}

void rn_archive_value(rn_archive *a, void *value, size_t size) {
    if (a->pass != RN_CHECK) {
        rn_archive_data(a, value, size);
        return;
    }
    if (size > a->size - a->at) a->broken = true;
    if (a->broken) return;
    memcpy(value, a->bytes + a->at, size);
    a->at += size;
}

void rn_archive_within(rn_archive *a, double *value, double low, double high) {
    double copy = *value;
    RN_ARCHIVE_VALUE(a, copy);
    if (!(copy >= low && copy <= high)) a->broken = true;
    if (a->pass == RN_READ && !a->broken) *value = copy;
}

void rn_archive_double(rn_archive *a, double *value) { rn_archive_within(a, value, -1e30, 1e30); }

void rn_archive_size(rn_archive *a, float *value) {
    double wide = *value;
    rn_archive_within(a, &wide, 0.0, 1e30);
    if (a->pass == RN_READ) *value = (float)wide;
}

void rn_archive_point(rn_archive *a, rn_vec3 *value) {
    rn_archive_double(a, &value->x);
    rn_archive_double(a, &value->y);
    rn_archive_double(a, &value->z);
}

void rn_archive_same(rn_archive *a, int64_t is) {
    int64_t was = is;
    RN_ARCHIVE_VALUE(a, was);
    if (was != is) a->broken = true;
}

void rn_archive_same_double(rn_archive *a, double is) {
    double was = is;
    RN_ARCHIVE_VALUE(a, was);
    if (was != is) a->broken = true;
}

size_t rn_archive_stretch(rn_archive *a, void *data, size_t size) {
    const size_t at = a->at;
    if (!rn_archive_is_reading(a)) rn_archive_data(a, data, size);
    else if (size > a->size - a->at) a->broken = true;
    else a->at += size;
    return at;
}

float rn_archive_float_at(const rn_archive *a, size_t array, size_t index) {
    float value;
    memcpy(&value, a->bytes + array + index * sizeof value, sizeof value);
    return value;
}

int32_t rn_archive_int_at(const rn_archive *a, size_t array, size_t index) {
    int32_t value;
    memcpy(&value, a->bytes + array + index * sizeof value, sizeof value);
    return value;
}

void rn_archive_check_floats(rn_archive *a, size_t array, size_t count, float most, bool nan) {
    for (size_t i = 0; i < count && !a->broken; i++) {
        const float value = rn_archive_float_at(a, array, i);
        if (!(fabsf(value) <= most) && !(nan && isnan(value))) a->broken = true;
    }
}

void rn_archive_rows(rn_archive *a, const rn_grid *g, float *values) {
    for (int l = 0; l < a->layers; l++)
        for (int y = 0; y < g->ny; y++)
            rn_archive_data(a, values + rn_slot(g, l, y, 0), (size_t)g->nx * sizeof *values);
}

void rn_archive_bounded_rows(rn_archive *a, const rn_grid *g, float *values, float least, float most) {
    const size_t rows = a->at, count = (size_t)a->layers * (size_t)g->ny * (size_t)g->nx;
    rn_archive_rows(a, g, values);
    for (size_t i = 0; a->pass == RN_CHECK && !a->trusted && !a->broken && i < count; i++) {
        const float value = rn_archive_float_at(a, rows, i);
        if (!(value >= least && value <= most)) a->broken = true;
    }
}

void rn_archive_slot(rn_archive *a, const rn_grid *g, int32_t *slot) {
    const rn_spot at = rn_slot_place(g, *slot);
    int32_t cell = at.y * g->nx + at.x, layer = at.layer;
    RN_ARCHIVE_VALUE(a, cell);
    RN_ARCHIVE_VALUE(a, layer);
    if (cell < 0 || cell >= g->nx * g->ny || layer < 0 || layer >= RN_MOST_LAYERS) a->broken = true;
    if (a->pass == RN_READ && layer >= g->layers) layer = g->layers - 1;
    if (a->pass == RN_READ && !a->broken) *slot = rn_slot(g, layer, cell / g->nx, cell % g->nx);
}
