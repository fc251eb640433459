/* Samples from a file, read by libraries that may crash: volume.c runs them in a separate process. Failures leave the
   reason, with the path, in rn_last_error(). */
#ifndef RN_IO_VOLUME_IMPORT_H
#define RN_IO_VOLUME_IMPORT_H

#include "io/file/apart.h"

#include <runnel/io.h>

/* Whether a file of this name is read as a volume, by its extension alone. */
bool rn_volume_is_named(const char *path);

/* What to read from a file. */
typedef struct rn_volume_ask {
    const char *path;
    const rn_volume_def *def; /* NULL: only the information */
} rn_volume_ask;

typedef enum rn_sample_kind {
    RN_SAMPLE_INT8,
    RN_SAMPLE_UINT8,
    RN_SAMPLE_INT16,
    RN_SAMPLE_UINT16,
    RN_SAMPLE_INT32,
    RN_SAMPLE_UINT32,
    RN_SAMPLE_INT64,
    RN_SAMPLE_UINT64,
    RN_SAMPLE_FLOAT,
    RN_SAMPLE_DOUBLE,
} rn_sample_kind;

/* Samples in the memory of a library. */
typedef struct rn_raw_volume {
    const void *samples;
    rn_sample_kind kind;
    int64_t strides[3];      /* in samples, along each axis */
    double slope, intercept; /* turn a sample into a value */
    rn_volume_info info;     /* everything that does not depend on the values */
} rn_raw_volume;

/* A reply: this header, then the samples, if any were wanted. */
typedef struct rn_volume_header {
    rn_volume_info info;
    int32_t cells[3];       /* of the samples that follow; all 0: none */
    int32_t mask;           /* 1: samples are the labelled share; 0: samples are solid where 0 or less */
    double transform[3][4]; /* of those samples, to the file's unit */
} rn_volume_header;

enum { RN_MOST_KEPT = 1 << 26 }; /* most samples kept; larger volumes are averaged */

/* Checks the counts of samples along each axis, with `bytes` per sample, before memory is allocated, and copies them to
   info->cells. Returns RN_FORMAT if there are fewer than 2 along an axis, or RN_LIMIT if there are more than 2^30
   samples or 2 GiB. `path` is for messages. */
rn_result rn_volume_set_cells(const char *path, const int64_t cells[3], int bytes, rn_volume_info *info);

/* Checks and copies the transform (rows that turn sample indices and 1 into lengths of the file), and sets
   info->spacing from its columns. Returns RN_FORMAT if a spacing is not between 1e-12 and 1e12, the first sample is
   farther than 1e12 from 0, or the axes lie in one plane. */
rn_result rn_volume_set_transform(const char *path, double rows[3][4], rn_volume_info *info);

/* Creates the requested reply from raw samples: only the header if ask->def is NULL; else also the samples around the
   solid, averaged if required. Returns RN_INVALID if nothing is solid, without labels everything is, or neither labels
   nor an iso-value are given; RN_FORMAT if no sample is finite; or RN_MEMORY if memory runs out. The samples stay the
   caller's, who frees reply->bytes, also after a failure. */
rn_result rn_volume_reduce(const rn_volume_ask *ask, const rn_raw_volume *raw, rn_reply *reply);

/* Reads a NIfTI or Analyze file in this process, and reduces its first volume to the reply. Returns RN_UNSUPPORTED in a
   build without the library; otherwise, on failure, RN_FILE, RN_FORMAT, RN_LIMIT or the result of rn_volume_reduce. The
   caller frees reply->bytes with rn_free(NULL, …), also after a failure. */
rn_result rn_nifti_import(const rn_volume_ask *ask, rn_reply *reply);
/* Reads an NRRD file, whose samples may be in another file beside it, in this process, and reduces its first volume to
   the reply. Results and reply as of rn_nifti_import. */
rn_result rn_nrrd_import(const rn_volume_ask *ask, rn_reply *reply);
/* Reads the first level set of floats in a NanoVDB file, which may be zipped, in this process, and reduces it to the
   reply. Results and reply as of rn_nifti_import. */
rn_result rn_nanovdb_import(const rn_volume_ask *ask, rn_reply *reply);

#endif
