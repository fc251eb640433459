/* Volumes of known shapes as files, written byte by byte, and what is measured of the surfaces read from them. */
#ifndef VOLUME_FILES_H
#define VOLUME_FILES_H

#include "scratch.h"

#include <math.h>
#include <runnel/runnel.h>

typedef double (*volume_value)(const double at[3]);

/* Samples and where they lie: rows take indices to mm, x to the right, y to the front, z to the head. */
typedef struct lattice {
    int cells[3];
    double rows[3][4];
} lattice;

enum { NIFTI_UINT8 = 2, NIFTI_INT16 = 4, NIFTI_INT32 = 8, NIFTI_FLOAT = 16, NIFTI_DOUBLE = 64, NIFTI_RGB = 128 };

/* What a NIfTI header says besides the lattice. */
typedef struct nifti_form {
    int kind;
    bool big_endian;
    double slope, intercept;
    bool sform, qform;
    double quaternion[3]; /* b, c, d of the qform */
    double qfac, spacing[3];
    int units;   /* 1 m, 2 mm, 3 um; 0 unknown */
    int volumes; /* default 1 */
    bool pair;   /* a header alone, of samples in an .img beside it */
} nifti_form;

typedef struct writer {
    FILE *file;
    bool big_endian;
} writer;

static inline void put(writer *w, const void *value, size_t size) {
    const unsigned char *bytes = value;
    for (size_t i = 0; i < size; i++) fputc(bytes[w->big_endian ? size - 1 - i : i], w->file);
}

static inline void put_short(writer *w, int value) { put(w, &(int16_t){(int16_t)value}, 2); }
static inline void put_int(writer *w, int value) { put(w, &(int32_t){value}, 4); }
static inline void put_float(writer *w, double value) { put(w, &(float){(float)value}, 4); }

static inline void put_zeros(writer *w, long until) {
    while (ftell(w->file) < until) fputc(0, w->file);
}

static inline void place_of(const lattice *l, int x, int y, int z, double at[3]) {
    for (int i = 0; i < 3; i++) at[i] = l->rows[i][0] * x + l->rows[i][1] * y + l->rows[i][2] * z + l->rows[i][3];
}

static inline void put_sample(writer *w, int kind, double value) {
    if (kind == NIFTI_UINT8) fputc((int)value, w->file);
    else if (kind == NIFTI_INT16) put_short(w, (int)lrint(value));
    else if (kind == NIFTI_INT32) put_int(w, (int)lrint(value));
    else if (kind == NIFTI_FLOAT) put_float(w, value);
    else if (kind == NIFTI_DOUBLE) put(w, &value, 8);
    else
        for (int i = 0; i < 3; i++) fputc((int)value, w->file);
}

static inline void put_samples(writer *w, const lattice *l, int kind, volume_value value, double slope,
                               double intercept) {
    for (int z = 0; z < l->cells[2]; z++)
        for (int y = 0; y < l->cells[1]; y++)
            for (int x = 0; x < l->cells[0]; x++) {
                double at[3];
                place_of(l, x, y, z, at);
                put_sample(w, kind, (value(at) - intercept) / slope);
            }
}

static inline void put_nifti_header(writer *w, const lattice *l, const nifti_form *f) {
    const int bits[] = {[NIFTI_UINT8] = 8,  [NIFTI_INT16] = 16,  [NIFTI_INT32] = 32,
                        [NIFTI_FLOAT] = 32, [NIFTI_DOUBLE] = 64, [NIFTI_RGB] = 24};
    put_int(w, 348);
    put_zeros(w, 40);
    const int dims[8] = {f->volumes > 1 ? 4 : 3,          l->cells[0], l->cells[1], l->cells[2],
                         f->volumes > 1 ? f->volumes : 1, 1,           1,           1};
    for (int i = 0; i < 8; i++) put_short(w, dims[i]);
    put_zeros(w, 70);
    put_short(w, f->kind);
    put_short(w, bits[f->kind]);
    put_zeros(w, 76);
    put_float(w, f->qfac != 0 ? f->qfac : 1);
    for (int i = 0; i < 3; i++) put_float(w, f->spacing[i]);
    put_zeros(w, 108);
    put_float(w, f->pair ? 0 : 352);
    put_float(w, f->slope);
    put_float(w, f->intercept);
    put_zeros(w, 123);
    fputc(f->units, w->file);
    put_zeros(w, 252);
    put_short(w, f->qform);
    put_short(w, f->sform);
    for (int i = 0; i < 3; i++) put_float(w, f->quaternion[i]);
    for (int i = 0; i < 3; i++) put_float(w, l->rows[i][3]);
    for (int i = 0; i < 12; i++) put_float(w, f->sform ? l->rows[i / 4][i % 4] : 0);
    put_zeros(w, 344);
    fwrite(f->pair ? "ni1" : "n+1", 1, 4, w->file);
    if (!f->pair) put_zeros(w, 352);
}

/* `name` without an ending: writes name.nii, or name.hdr and name.img. */
static inline void write_nifti(const char *name, const lattice *l, const nifti_form *f, volume_value value) {
    char path[64];
    snprintf(path, sizeof path, "%s.%s", name, f->pair ? "hdr" : "nii");
    writer w = {fopen(in_folder(path), "wb"), f->big_endian};
    put_nifti_header(&w, l, f);
    if (f->pair) {
        fclose(w.file);
        snprintf(path, sizeof path, "%s.img", name);
        w.file = fopen(in_folder(path), "wb");
    }
    for (int i = 0; i < (f->volumes > 1 ? f->volumes : 1); i++)
        put_samples(&w, l, f->kind, value, f->slope != 0 ? f->slope : 1, f->slope != 0 ? f->intercept : 0);
    fclose(w.file);
}

/* A header of the lines given, and after it or in a file of its own the samples, as floats. */
static inline void write_nrrd(const char *name, const char *data_name, const lattice *l, const char *lines,
                              bool big_endian, volume_value value) {
    writer w = {fopen(in_folder(name), "wb"), big_endian};
    fprintf(w.file, "NRRD0005\ntype: float\ndimension: 3\nsizes: %d %d %d\nencoding: raw\nendian: %s\n%s", l->cells[0],
            l->cells[1], l->cells[2], big_endian ? "big" : "little", lines);
    if (data_name) {
        fprintf(w.file, "data file: %s\n", data_name);
        fclose(w.file);
        w.file = fopen(in_folder(data_name), "wb");
    } else fputc('\n', w.file);
    put_samples(&w, l, NIFTI_FLOAT, value, 1, 0);
    fclose(w.file);
}

typedef struct measures {
    double volume;          /* in the file's unit, cubed */
    double centre[3];       /* of that volume */
    double low[3], high[3]; /* corners of the box around it */
} measures;

/* By cones from the origin. */
static inline measures measure(const rn_mesh_file *mesh) {
    measures m = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], middle[3] = {0};
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < 3; i++) {
                p[k][i] = (double)mesh->positions[3 * (size_t)mesh->indices[3 * t + k] + i];
                middle[i] += p[k][i] / 4;
                m.low[i] = fmin(m.low[i], p[k][i]);
                m.high[i] = fmax(m.high[i], p[k][i]);
            }
        const double cone =
            (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
            6;
        m.volume += cone;
        for (int i = 0; i < 3; i++) m.centre[i] += cone * middle[i];
    }
    for (int i = 0; i < 3; i++) m.centre[i] /= m.volume;
    return m;
}

#endif
