/* Reads volumes in NIfTI files (volume_import.h). Failures leave the reason, with the path, in rn_last_error(). */
#include "io/read/volume_import.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <nifti2_io.h>
#include <stdio.h>
#include <string.h>

/* Sets *kind to the sample kind of a NIfTI datatype. Returns false, without an error text, if it cannot be read. */
static bool sample_kind(int datatype, rn_sample_kind *kind) {
    static const struct {
        int datatype;
        rn_sample_kind kind;
    } known[] = {{DT_INT8, RN_SAMPLE_INT8},     {DT_UINT8, RN_SAMPLE_UINT8},   {DT_INT16, RN_SAMPLE_INT16},
                 {DT_UINT16, RN_SAMPLE_UINT16}, {DT_INT32, RN_SAMPLE_INT32},   {DT_UINT32, RN_SAMPLE_UINT32},
                 {DT_INT64, RN_SAMPLE_INT64},   {DT_UINT64, RN_SAMPLE_UINT64}, {DT_FLOAT32, RN_SAMPLE_FLOAT},
                 {DT_FLOAT64, RN_SAMPLE_DOUBLE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].datatype == datatype) {
            *kind = known[i].kind;
            return true;
        }
    return false;
}

/* Returns RN_FORMAT, with a message of the datatype, which cannot be read. */
static rn_result fail_with_kind(const char *path, int datatype) {
    if (datatype == DT_RGB24 || datatype == DT_RGBA32)
        return rn_fail(RN_FORMAT, "%s: holds colours; a volume needs one number per sample", path);
    return rn_fail(RN_FORMAT, "%s: holds samples of the kind %s; whole numbers, float and double can be read", path,
                   nifti_datatype_string(datatype));
}

/* Returns the length (m) of a unit code of NIfTI; mm if it is unknown. */
static double unit_of(int code) {
    return code == NIFTI_UNITS_METER ? 1 : code == NIFTI_UNITS_MICRON ? 1e-6 : 1e-3; /* mm if unknown */
}

/* Sets the transform of a volume, in the file's unit, and info->oriented: the sform if there is one, because it may be
   more than a rotation; otherwise the qform; otherwise only spacings. The library reads a spacing of 0 as 1, so
   spacings are read from the header again. Returns RN_FORMAT if a size is 0, or as rn_volume_set_transform does. */
static rn_result set_transform(const char *path, const nifti_image *image, rn_volume_info *info) {
    const nifti_dmat44 *m = image->sform_code > 0 ? &image->sto_xyz : &image->qto_xyz;
    double rows[3][4];
    info->oriented = image->sform_code > 0 || image->qform_code > 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) rows[i][j] = m->m[i][j];
    int version = 0;
    void *header = image->sform_code > 0 ? NULL : nifti_read_header(path, &version, 0);
    for (int axis = 0; axis < 3 && header; axis++) {
        const double spacing = version == 2 ? ((nifti_2_header *)header)->pixdim[1 + axis]
                                            : (double)((nifti_1_header *)header)->pixdim[1 + axis];
        for (int i = 0; i < 3 && spacing == 0; i++) rows[i][axis] = 0;
    }
    free(header);
    return rn_volume_set_transform(path, rows, info);
}

/* Returns RN_FILE if the file with the samples is missing, RN_FORMAT if it is too short for their `size` bytes: checked
   before memory is allocated. gzip compresses by at most a factor of 1032, so a longer promise is refused. */
static rn_result check_length(const char *path, const nifti_image *image, size_t size) {
    int64_t has = 0;
    if (!image->iname || !rn_file_size(image->iname, &has))
        return rn_fail(RN_FILE, "%s: the file with its samples does not exist", path);
    const double most = (double)has * (nifti_is_gzfile(image->iname) ? 1032 : 1);
    if (image->iname_offset >= 0 && (double)image->iname_offset + (double)size <= most) return RN_OK;
    return rn_fail(RN_FORMAT, "%s: is cut short: its %lld bytes cannot hold the %zu bytes of samples that it promises",
                   image->iname, (long long)has, size);
}

/* Reads the samples of one volume (image->nvox of them) from image->iname, in the byte order of this machine; `path` is
   only for messages. On failure returns RN_FILE, RN_FORMAT or RN_MEMORY; the caller sets *samples to NULL before, and
   frees it, also after a failure. The library's own reader is not used, because it replaces missing and non-finite
   samples by 0. */
static rn_result read_samples(const char *path, const nifti_image *image, void **samples) {
    const size_t size = (size_t)image->nvox * (size_t)image->nbyper;
    rn_result result = check_length(path, image, size);
    if (result != RN_OK) return result;
    znzFile file = znzopen(image->iname, "rb", nifti_is_gzfile(image->iname));
    if (znz_isnull(file)) return rn_fail(RN_FILE, "%s: its samples, in %s, cannot be read", path, image->iname);
    *samples = rn_alloc(NULL, size, 1);
    size_t got = 0;
    if (*samples && znzseek(file, (znz_off_t)image->iname_offset, SEEK_SET) >= 0)
        got = znzread(*samples, 1, size, file);
    znzclose(file);
    if (!*samples) return RN_MEMORY;
    if (got != size)
        return rn_fail(RN_FORMAT, "%s: is cut short: it has %zu of the %zu bytes of samples that it promises",
                       image->iname, got, size);
    if (image->swapsize > 1 && image->byteorder != nifti_short_order())
        nifti_swap_Nbytes((int64_t)(size / (size_t)image->swapsize), image->swapsize, *samples);
    return RN_OK;
}

/* Fills in the information, reads the samples of the first volume, and reduces them to the reply. Changes image->nvox;
   the image stays the caller's. Returns the result of what it calls. */
static rn_result load_volume(const rn_volume_ask *ask, nifti_image *image, rn_reply *reply) {
    rn_raw_volume raw = {.slope = 1};
    rn_volume_info *info = &raw.info;
    snprintf(info->format, sizeof info->format, "%s", image->nifti_type == 0 ? "Analyze" : "NIfTI");
    info->unit = unit_of(image->xyz_units);
    info->up = RN_UP_Z;
    info->volumes = 1;
    for (int axis = 4; axis <= 7; axis++)
        if (image->dim[0] >= axis && image->dim[axis] > 1) info->volumes *= image->dim[axis];
    if (!sample_kind(image->datatype, &raw.kind)) return fail_with_kind(ask->path, image->datatype);
    const int64_t cells[3] = {image->nx, image->ny, image->nz};
    rn_result result = rn_volume_set_cells(ask->path, cells, image->nbyper, info);
    if (result == RN_OK) result = set_transform(ask->path, image, info);
    if (result != RN_OK) return result;
    image->nvox = cells[0] * cells[1] * cells[2]; /* only the first volume */
    void *samples = NULL;
    result = read_samples(ask->path, image, &samples);
    raw.samples = samples;
    raw.strides[0] = 1;
    raw.strides[1] = cells[0];
    raw.strides[2] = cells[0] * cells[1];
    if (image->scl_slope != 0) {
        raw.slope = image->scl_slope;
        raw.intercept = image->scl_inter;
    }
    if (result == RN_OK) result = rn_volume_reduce(ask, &raw, reply);
    rn_free(NULL, samples);
    return result;
}

rn_result rn_nifti_import(const rn_volume_ask *ask, rn_reply *reply) {
    nifti_set_debug_level(0);
    nifti_image *image = nifti_image_read(ask->path, 0);
    if (!image) return rn_fail(RN_FORMAT, "%s: is cut short, damaged, or not a NIfTI volume", ask->path);
    rn_result result = load_volume(ask, image, reply);
    nifti_image_free(image);
    return result;
}
