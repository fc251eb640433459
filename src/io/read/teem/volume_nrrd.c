/* Reads volumes in NRRD files (volume_import.h). Failures leave the reason, with the path, in rn_last_error(). */
#include "io/read/volume_import.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <teem/nrrd.h>

static const signed char no_flip[3] = {1, 1, 1}, from_las[3] = {-1, 1, 1}, from_lps[3] = {-1, -1, 1};

/* Returns RN_FORMAT, with the last line of the library's own message, which is nearest to the cause. Clears the
   library's errors. */
static rn_result fail_with_message(const char *path) {
    char *words = biffGetDone(NRRD);
    char *end = words ? words + strlen(words) : NULL;
    while (end && end > words && (end[-1] == '\n' || end[-1] == ' ')) *--end = 0;
    char *line = words ? strrchr(words, '\n') : NULL;
    char *text = line ? line + 1 : words;
    const char *colon = text ? strstr(text, ": ") : NULL;
    rn_result result = rn_fail(RN_FORMAT, "%s: cannot be read as NRRD: %s", path,
                               colon  ? colon + 2
                               : text ? text
                                      : "the reader does not say why");
    free(words);
    return result;
}

/* Returns RN_FORMAT unless the file of samples named in a line of the header (`line`: the name, perhaps after blanks)
   is in the same folder: a header may not refer elsewhere. Whether it exists is not checked. */
static rn_result check_data_file(const char *path, const char *line) {
    const char *name = line + strspn(line, " \t");
    if (!strpbrk(name, "/\\")) return RN_OK;
    return rn_fail(RN_FORMAT, "%s: its samples are in another folder, %.200s; they must be beside it", path, name);
}

/* Reads a line into `line`, which has room for `size` bytes, without its end: "\n", "\r" or both, like the library.
   Sets *whole to whether it fitted; otherwise only its beginning is there. Returns false if the file has ended. */
static bool next_line(FILE *file, char *line, size_t size, bool *whole) {
    size_t length = 0;
    int c = getc(file);
    if (c == EOF) return false;
    for (; c != EOF && c != '\n' && c != '\r' && length + 1 < size; c = getc(file)) line[length++] = (char)c;
    line[length] = 0;
    *whole = c == EOF || c == '\n' || c == '\r';
    if (c == '\r' && (c = getc(file)) != '\n' && c != EOF) ungetc(c, file);
    return true;
}

/* Returns the rest of a line after `key` (in lower case) and blanks; NULL: the line begins with something else. Ignores
   the case of the line, like the library. */
static const char *after_key(const char *line, const char *key) {
    for (; *key; key++, line++)
        if (tolower((unsigned char)*line) != *key) return NULL;
    return line + strspn(line, " \t");
}

/* Checks what the library does not: the magic number (RN_FORMAT), the length of lines (RN_LIMIT: 64 KiB or more), and
   that the files named in the header are in its folder (RN_FORMAT). Reads up to the first empty line, or to the end of
   the file if the header ends with a list of files. */
static rn_result check_header(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return rn_fail(RN_FILE, "%s: cannot be read", path);
    char line[1 << 16];
    bool list = false, first = true, whole = true;
    rn_result result = RN_OK;
    while (result == RN_OK && next_line(file, line, sizeof line, &whole) && (list || line[0])) {
        const char *name = after_key(line, "data file:");
        if (!name) name = after_key(line, "datafile:");
        if (first && strncmp(line, "NRRD000", 7) != 0)
            result = rn_fail(RN_FORMAT, "%s: does not begin with NRRD000, as NRRD files do", path);
        else if (!whole)
            result = rn_fail(RN_LIMIT, "%s: a line of its header is longer than %zu bytes", path, sizeof line - 1);
        else if (list) result = check_data_file(path, line); /* names, up to the end of the file */
        else if (name) result = check_data_file(path, name);
        list = list || (name && strncmp(name, "LIST", 4) == 0);
        first = false;
    }
    fclose(file);
    return result;
}

/* Sets *kind to the sample kind of an NRRD type. Returns false if it is not a number. */
static bool sample_kind(int type, rn_sample_kind *kind) {
    static const rn_sample_kind known[] = {
        [nrrdTypeChar] = RN_SAMPLE_INT8,     [nrrdTypeUChar] = RN_SAMPLE_UINT8,   [nrrdTypeShort] = RN_SAMPLE_INT16,
        [nrrdTypeUShort] = RN_SAMPLE_UINT16, [nrrdTypeInt] = RN_SAMPLE_INT32,     [nrrdTypeUInt] = RN_SAMPLE_UINT32,
        [nrrdTypeLLong] = RN_SAMPLE_INT64,   [nrrdTypeULLong] = RN_SAMPLE_UINT64, [nrrdTypeFloat] = RN_SAMPLE_FLOAT,
        [nrrdTypeDouble] = RN_SAMPLE_DOUBLE};
    if (type < nrrdTypeChar || type > nrrdTypeDouble) return false;
    *kind = known[type];
    return true;
}

/* Whether samples along an axis of this kind are separate numbers, not components of a vector. */
static bool holds_one_number(int kind) {
    return kind == nrrdKindUnknown || kind == nrrdKindStub || kind == nrrdKindScalar || kind == nrrdKindList ||
           nrrdKindIsDomain(kind);
}

/* Finds the three spatial axes: those with a direction if the file has a space, otherwise the first three whose samples
   are separate numbers. *volumes: number of volumes along the others. Returns RN_FORMAT if there are not exactly three,
   or samples are vectors. */
static rn_result find_axes(const char *path, const Nrrd *nrrd, unsigned axes[3], int64_t *volumes) {
    unsigned found = 0;
    bool lies[NRRD_DIM_MAX] = {false};
    *volumes = 1;
    for (unsigned axis = 0; axis < nrrd->dim; axis++) {
        lies[axis] = nrrd->spaceDim > 0 ? AIR_EXISTS(nrrd->axis[axis].spaceDirection[0])
                                        : found < 3 && holds_one_number(nrrd->axis[axis].kind);
        if (!lies[axis]) continue;
        if (found < 3) axes[found] = axis;
        found++;
    }
    for (unsigned axis = 0; axis < nrrd->dim; axis++) {
        if (lies[axis] || nrrd->axis[axis].size == 1) continue;
        if (!holds_one_number(nrrd->axis[axis].kind))
            return rn_fail(RN_FORMAT, "%s: holds colours or vectors; a volume needs one number per sample", path);
        *volumes *= (int64_t)nrrd->axis[axis].size;
    }
    if (found == 3 && (nrrd->spaceDim == 0 || nrrd->spaceDim >= 3)) return RN_OK;
    return rn_fail(RN_FORMAT, "%s: has %u axes in space; a volume has 3", path, found);
}

/* Returns the unit of lengths (m): that of the space, or without one that of this axis; mm if unknown. */
static double unit_of(const Nrrd *nrrd, const NrrdAxisInfo *axis) {
    const char *name = nrrd->spaceDim > 0 ? nrrd->spaceUnits[0] : axis->units;
    if (name && (strcmp(name, "m") == 0 || strcmp(name, "meter") == 0)) return 1;
    if (name && strcmp(name, "cm") == 0) return 1e-2;
    if (name && (strcmp(name, "um") == 0 || strcmp(name, "micron") == 0)) return 1e-6;
    return 1e-3; /* mm for scanners that do not say */
}

/* Returns three signs, for x, y and z, that convert coordinates of an NRRD space to right, anterior and superior; all 1
   for spaces other than LAS, LPS and that of the scanner. */
static const signed char *signs_of(int space) {
    if (space == nrrdSpaceLeftAnteriorSuperior || space == nrrdSpaceLeftAnteriorSuperiorTime) return from_las;
    if (space == nrrdSpaceLeftPosteriorSuperior || space == nrrdSpaceLeftPosteriorSuperiorTime ||
        space == nrrdSpaceScannerXYZ || space == nrrdSpaceScannerXYZTime)
        return from_lps;
    return no_flip;
}

/* Sets transform, unit and up axis of a volume, and whether the file states its orientation. Without a space: spacings
   (1 if missing) along the axes. Returns RN_FORMAT as rn_volume_set_transform does. */
static rn_result set_transform(const char *path, const Nrrd *nrrd, const unsigned axes[3], rn_volume_info *info) {
    const signed char *turn = signs_of(nrrd->space);
    double rows[3][4] = {{0}};
    for (int j = 0; j < 3; j++) {
        const NrrdAxisInfo *axis = &nrrd->axis[axes[j]];
        for (int i = 0; i < 3 && nrrd->spaceDim > 0; i++) rows[i][j] = turn[i] * axis->spaceDirection[i];
        if (nrrd->spaceDim == 0) rows[j][j] = AIR_EXISTS(axis->spacing) ? axis->spacing : 1;
        const double first = nrrd->spaceDim > 0 ? nrrd->spaceOrigin[j] : axis->min;
        rows[j][3] = AIR_EXISTS(first) ? turn[j] * first : 0;
    }
    info->oriented = nrrd->spaceDim > 0 && (nrrd->space == nrrdSpaceRightAnteriorSuperior ||
                                            nrrd->space == nrrdSpaceRightAnteriorSuperiorTime || turn != no_flip);
    info->unit = unit_of(nrrd, &nrrd->axis[axes[0]]);
    info->up = RN_UP_Z;
    return rn_volume_set_transform(path, rows, info);
}

/* Fills in kind, strides and information of a volume, but no samples, from the header alone, so that nothing is read
   that would be refused. On failure returns RN_FORMAT or RN_LIMIT. */
static rn_result describe_volume(const char *path, const Nrrd *nrrd, rn_raw_volume *raw) {
    unsigned axes[3];
    rn_volume_info *info = &raw->info;
    snprintf(info->format, sizeof info->format, "NRRD");
    raw->slope = 1;
    if (!sample_kind(nrrd->type, &raw->kind))
        return rn_fail(RN_FORMAT, "%s: holds blocks of bytes; a volume needs one number per sample", path);
    rn_result result = find_axes(path, nrrd, axes, &info->volumes);
    if (result != RN_OK) return result;
    int64_t cells[3], all = 1;
    for (int i = 0; i < 3; i++) cells[i] = (int64_t)nrrd->axis[axes[i]].size;
    for (unsigned axis = 0; axis < nrrd->dim; axis++) {
        for (int i = 0; i < 3; i++)
            if (axes[i] == axis) raw->strides[i] = all;
        if (nrrd->axis[axis].size > (size_t)(INT64_MAX / 16 / all))
            return rn_fail(RN_LIMIT, "%s: has more samples than can be counted", path);
        all *= (int64_t)nrrd->axis[axis].size;
    }
    result = rn_volume_set_cells(path, cells, (int)nrrdElementSize(nrrd), info);
    if (result == RN_OK && all > INT64_C(1) << 30) /* the library reads all volumes at once */
        result = rn_fail(RN_LIMIT, "%s: has %lld samples; at most 2^30 can be read", path, (long long)all);
    return result == RN_OK ? set_transform(path, nrrd, axes, info) : result;
}

rn_result rn_nrrd_import(const rn_volume_ask *ask, rn_reply *reply) {
    rn_result result = check_header(ask->path);
    if (result != RN_OK) return result;
    rn_raw_volume raw = {0};
    Nrrd *nrrd = nrrdNew();
    NrrdIoState *how = nrrdIoStateNew();
    if (!nrrd || !how) result = rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", ask->path);
    if (result == RN_OK) nrrdIoStateSet(how, nrrdIoStateSkipData, AIR_TRUE);
    if (result == RN_OK && nrrdLoad(nrrd, ask->path, how)) result = fail_with_message(ask->path);
    if (result == RN_OK) result = describe_volume(ask->path, nrrd, &raw);
    if (result == RN_OK && nrrdLoad(nrrd, ask->path, NULL)) result = fail_with_message(ask->path);
    raw.samples = nrrd ? nrrd->data : NULL;
    if (result == RN_OK) result = rn_volume_reduce(ask, &raw, reply);
    if (how) nrrdIoStateNix(how);
    if (nrrd) nrrdNuke(nrrd);
    return result;
}
