/* Reduces samples as read by a library to those that a solid is made from (volume_import.h): finds what is solid, crops
   to the box around it, averages if there are too many samples, and converts to floats. Failures leave the reason, with
   the path, in rn_last_error(). */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "io/read/volume_import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const int64_t most_samples = INT64_C(1) << 30, most_bytes = INT64_C(2) << 30;
static const double largest = 1e36; /* largest value kept as a float */
enum { MARGIN = 4 };                /* samples kept around the solid: as far as smoothing reaches */

rn_result rn_volume_set_cells(const char *path, const int64_t cells[3], int bytes, rn_volume_info *info) {
    double count = 1;
    for (int axis = 0; axis < 3; axis++) count *= (double)cells[axis];
    for (int axis = 0; axis < 3; axis++) {
        if (cells[axis] < 2)
            return rn_fail(RN_FORMAT, "%s: has %lld x %lld x %lld samples; a volume has at least 2 along each axis",
                           path, (long long)cells[0], (long long)cells[1], (long long)cells[2]);
        if (cells[axis] > INT32_MAX || count > (double)most_samples || count * bytes > (double)most_bytes)
            return rn_fail(RN_LIMIT,
                           "%s: has %lld x %lld x %lld samples of %d bytes; at most 2^30, and 2 GiB, can be read", path,
                           (long long)cells[0], (long long)cells[1], (long long)cells[2], bytes);
        info->cells[axis] = (int)cells[axis];
    }
    return RN_OK;
}

rn_result rn_volume_set_transform(const char *path, double rows[3][4], rn_volume_info *info) {
    static const char names[] = "xyz";
    double product = 1;
    for (int axis = 0; axis < 3; axis++) {
        double square = 0;
        for (int i = 0; i < 3; i++) square += rows[i][axis] * rows[i][axis];
        info->spacing[axis] = sqrt(square);
        product *= info->spacing[axis];
        if (!(square > 1e-24 && square < 1e24 && fabs(rows[axis][3]) < 1e12))
            return rn_fail(RN_FORMAT,
                           "%s: its samples are %g apart along %c, starting at %g; the distance must be more than 0, "
                           "and both must be finite",
                           path, info->spacing[axis], names[axis], rows[axis][3]);
    }
    memcpy(info->transform, rows, sizeof info->transform);
    if (fabs(rn_determinant((const double(*)[4])info->transform)) > 1e-4 * product) return RN_OK;
    return rn_fail(RN_FORMAT, "%s: its axes lie in one plane", path);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

#define CONVERT(type)                                                                                                  \
    for (int i = 0; i < count; i++) out[i] = (double)((const type *)raw->samples)[at + i * step];                      \
    break

/* Writes the values of the row of samples along x at (y, z) to `out`: converted to double, with slope and intercept
   applied. */
static void read_row(const rn_raw_volume *raw, int y, int z, double *out) {
    const int count = raw->info.cells[0];
    const int64_t step = raw->strides[0], at = y * raw->strides[1] + z * raw->strides[2];
    switch (raw->kind) {
    case RN_SAMPLE_INT8: CONVERT(int8_t);
    case RN_SAMPLE_UINT8: CONVERT(uint8_t);
    case RN_SAMPLE_INT16: CONVERT(int16_t);
    case RN_SAMPLE_UINT16: CONVERT(uint16_t);
    case RN_SAMPLE_INT32: CONVERT(int32_t);
    case RN_SAMPLE_UINT32: CONVERT(uint32_t);
    case RN_SAMPLE_INT64: CONVERT(int64_t);
    case RN_SAMPLE_UINT64: CONVERT(uint64_t);
    case RN_SAMPLE_FLOAT: CONVERT(float);
    case RN_SAMPLE_DOUBLE: CONVERT(double);
    }
    if (raw->slope == 1 && raw->intercept == 0) return;
    for (int i = 0; i < count; i++) out[i] = raw->slope * out[i] + raw->intercept;
}

/* The rule for what is solid. */
typedef struct rule {
    const int32_t *labels;
    int label_count;
    double iso;
    bool below;
    double emptiest; /* field_value of samples that are not finite */
} rule;

/* Whether a value equals one of the labels of the rule. */
static bool has_label(const rule *r, double value) {
    for (int i = 0; i < r->label_count; i++)
        if (value == r->labels[i]) return true;
    return false;
}

/* Whether a value counts as solid: it has a label, or lies on the solid side of the iso-value or on it. Values that are
   not finite do not. */
static bool is_solid(const rule *r, double value) {
    if (!isfinite(value)) return false;
    if (r->label_count) return has_label(r, value);
    return r->below ? value <= r->iso : value >= r->iso;
}

/* Returns the contribution of a sample to a mean. With labels that is 1 if the sample has one of them, else 0. Without
   labels it is the distance in value from the iso-value, 0 or less in solid; r->emptiest if the sample is not
   finite. */
static double field_value(const rule *r, double value) {
    if (r->label_count) return is_solid(r, value);
    if (!isfinite(value)) return r->emptiest;
    return r->below ? value - r->iso : r->iso - value;
}

/* Makes the rule from the request and the file (a level set is solid at its iso-value, 0 unless given, and below).
   Returns false if neither an iso-value nor labels are given. Without ask->def nothing is solid. r->emptiest is left
   0. */
static bool make_rule(const rn_volume_ask *ask, const rn_volume_info *info, rule *r) {
    *r = (rule){.iso = NAN};
    if (!ask->def) return true;
    *r = (rule){ask->def->labels, ask->def->label_count, ask->def->iso, ask->def->below || info->level_set, 0};
    if (info->level_set && isnan(r->iso)) r->iso = 0;
    return r->label_count > 0 || !isnan(r->iso);
}

/* ---- The survey -------------------------------------------------------------------------------------------------- */

typedef struct survey {
    int64_t finite, solid; /* samples */
    int low[3], high[3];   /* the box around the solid ones, both ends included */
} survey;

/* Adds the row of values at (y, z) to the survey (numbers and box of solid samples) and to the information (range,
   whether all are whole numbers, how many are not finite). */
static void survey_row(const rule *r, const double *row, int y, int z, rn_volume_info *info, survey *s) {
    for (int x = 0; x < info->cells[0]; x++) {
        if (!isfinite(row[x])) {
            info->non_finite++;
            continue;
        }
        s->finite++;
        info->least = rn_min(info->least, row[x]);
        info->most = rn_max(info->most, row[x]);
        info->whole = info->whole && row[x] == rint(row[x]);
        if (!is_solid(r, row[x])) continue;
        const int at[3] = {x, y, z};
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] < s->low[axis]) s->low[axis] = at[axis];
            if (at[axis] > s->high[axis]) s->high[axis] = at[axis];
        }
        s->solid++;
    }
}

/* Surveys all samples: sets `s`, and in the information least, most, whole and non_finite. `row` has room for a row. If
   nothing is solid the box is empty: low above high. */
static void survey_all(const rn_raw_volume *raw, const rule *r, double *row, rn_volume_info *info, survey *s) {
    *s = (survey){.low = {INT32_MAX, INT32_MAX, INT32_MAX}, .high = {-1, -1, -1}};
    info->least = INFINITY;
    info->most = -INFINITY;
    info->non_finite = 0;
    info->whole = true;
    for (int z = 0; z < info->cells[2]; z++)
        for (int y = 0; y < info->cells[1]; y++) {
            read_row(raw, y, z, row);
            survey_row(r, row, y, z, info, s);
        }
}

/* Returns RN_INVALID, with a message of the labels, of which no sample has any, and of the range of values. */
static rn_result fail_with_labels(const char *path, const rule *r, const rn_volume_info *info) {
    char list[96] = "";
    size_t used = 0;
    for (int i = 0; i < r->label_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", i ? " or " : "", (int)r->labels[i]);
    return rn_fail(RN_INVALID, "%s: no sample has the label %s; values go from %g to %g", path, list, info->least,
                   info->most);
}

/* Returns RN_FORMAT if no value is finite; or RN_INVALID if nothing is solid or, without labels, everything is: a
   surface needs both. */
static rn_result check_survey(const char *path, const rule *r, const rn_volume_info *info, const survey *s) {
    if (s->finite == 0)
        return rn_fail(RN_FORMAT, "%s: none of its %lld samples is finite", path, (long long)info->non_finite);
    if (r->label_count) return s->solid ? RN_OK : fail_with_labels(path, r, info);
    if (s->solid == 0 || s->solid == s->finite + info->non_finite)
        return rn_fail(RN_INVALID, "%s: %s lies %s the iso-value %g; values go from %g to %g", path,
                       s->solid ? "all of it" : "nothing of it", r->below ? "below" : "above", r->iso, info->least,
                       info->most);
    return RN_OK;
}

/* ---- Cropping and averaging -------------------------------------------------------------------------------------- */

typedef struct plan {
    int low[3];     /* first sample of the box */
    int cells[3];   /* after averaging */
    int factors[3]; /* samples averaged along each axis */
} plan;

/* Sets low and cells of the plan to the box around the solid, with a margin of 4 averaged samples but within the
   volume, for the factors of the plan. */
static void crop_to_solid(const rn_volume_info *info, const survey *s, plan *p) {
    for (int axis = 0; axis < 3; axis++) {
        const int margin = MARGIN * p->factors[axis], last = info->cells[axis] - 1;
        const int high = s->high[axis] < last - margin ? s->high[axis] + margin : last;
        p->low[axis] = s->low[axis] > margin ? s->low[axis] - margin : 0;
        p->cells[axis] = (high - p->low[axis]) / p->factors[axis] + 1;
    }
}

/* Chooses the box and how many samples are averaged: towards the requested spacing (file's unit; 0: none), and further
   until at most RN_MOST_KEPT are left, always along the axis with the smallest spacing. */
static void make_plan(const rn_volume_info *info, const survey *s, double spacing, plan *p) {
    for (int axis = 0; axis < 3; axis++)
        p->factors[axis] = (int)rn_clamp(rint(spacing / info->spacing[axis]), 1, info->cells[axis]);
    for (crop_to_solid(info, s, p); (double)p->cells[0] * p->cells[1] * p->cells[2] > RN_MOST_KEPT;
         crop_to_solid(info, s, p)) {
        int finest = 0;
        for (int axis = 1; axis < 3; axis++)
            if (info->spacing[axis] * p->factors[axis] < info->spacing[finest] * p->factors[finest]) finest = axis;
        p->factors[finest]++;
    }
}

/* Adds the field_value of a row of `count` samples to the sums, those of p->factors[0] neighbours to the same sum.
   Beyond the end of the row the last sample is repeated. */
static void add_row(const rule *r, const plan *p, const double *row, int count, double *sums) {
    for (int x = 0; x < p->cells[0]; x++)
        for (int k = 0; k < p->factors[0]; k++) {
            const int at = p->low[0] + x * p->factors[0] + k;
            sums[x] += field_value(r, row[at < count ? at : count - 1]);
        }
}

/* Fills `out` with the means of blocks of field values, clamped to -1e36 to 1e36, x fastest. Beyond the volume its last
   samples are repeated. `row` and `sums` have room for a row each. */
static void average_blocks(const rn_raw_volume *raw, const rule *r, const plan *p, double *row, double *sums,
                           float *out) {
    const int *n = raw->info.cells;
    const double share = 1.0 / ((double)p->factors[0] * p->factors[1] * p->factors[2]);
    for (int z = 0; z < p->cells[2]; z++)
        for (int y = 0; y < p->cells[1]; y++, out += p->cells[0]) {
            memset(sums, 0, (size_t)p->cells[0] * sizeof *sums);
            for (int k = 0; k < p->factors[1] * p->factors[2]; k++) {
                const int at_y = p->low[1] + y * p->factors[1] + k % p->factors[1];
                const int at_z = p->low[2] + z * p->factors[2] + k / p->factors[1];
                read_row(raw, at_y < n[1] ? at_y : n[1] - 1, at_z < n[2] ? at_z : n[2] - 1, row);
                add_row(r, p, row, n[0], sums);
            }
            for (int x = 0; x < p->cells[0]; x++) out[x] = (float)rn_clamp(share * sums[x], -largest, largest);
        }
}

/* Sets cells, mask and transform of the reduced samples in the header, and the factors in its information. */
static void describe_samples(const rule *r, const plan *p, rn_volume_header *head) {
    rn_volume_info *info = &head->info;
    head->mask = r->label_count > 0;
    for (int axis = 0; axis < 3; axis++) {
        head->cells[axis] = p->cells[axis];
        info->factors[axis] = p->factors[axis];
    }
    for (int i = 0; i < 3; i++) {
        head->transform[i][3] = info->transform[i][3];
        for (int j = 0; j < 3; j++) {
            head->transform[i][j] = info->transform[i][j] * p->factors[j];
            head->transform[i][3] += info->transform[i][j] * (p->low[j] + 0.5 * (p->factors[j] - 1));
        }
    }
}

/* Allocates a reply with the header and room for head->cells samples after it, which are 0. Returns RN_MEMORY if memory
   runs out. */
static rn_result make_reply(rn_reply *reply, const rn_volume_header *head) {
    const size_t count = (size_t)head->cells[0] * (size_t)head->cells[1] * (size_t)head->cells[2];
    reply->size = sizeof *head + count * sizeof(float);
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (!reply->bytes) return RN_MEMORY;
    memcpy(reply->bytes, head, sizeof *head);
    return RN_OK;
}

/* Does the work of rn_volume_reduce; `row` and `sums` have room for a row of values of the volume each. */
static rn_result reduce_with_rows(const rn_volume_ask *ask, const rn_raw_volume *raw, double *row, double *sums,
                                  rn_reply *reply) {
    rn_volume_header head = {.info = raw->info};
    rn_volume_info *info = &head.info;
    rule r;
    survey s;
    plan p;
    const bool ruled = make_rule(ask, info, &r);
    for (int axis = 0; axis < 3; axis++) info->factors[axis] = 1;
    survey_all(raw, &r, row, info, &s);
    if (!ask->def && s.finite > 0) return make_reply(reply, &head);
    if (!ruled && s.finite > 0)
        return rn_fail(RN_INVALID, "%s: needs an iso-value or labels to tell what is solid; values go from %g to %g",
                       ask->path, info->least, info->most);
    rn_result result = check_survey(ask->path, &r, info, &s);
    if (result != RN_OK) return result;
    r.emptiest = r.below ? info->most - r.iso : r.iso - info->least;
    const double unit = ask->def->unit > 0 ? ask->def->unit : info->unit > 0 ? info->unit : 1;
    make_plan(info, &s, ask->def->spacing / unit, &p);
    describe_samples(&r, &p, &head);
    result = make_reply(reply, &head);
    if (result == RN_OK) average_blocks(raw, &r, &p, row, sums, (float *)((char *)reply->bytes + sizeof head));
    return result;
}

rn_result rn_volume_reduce(const rn_volume_ask *ask, const rn_raw_volume *raw, rn_reply *reply) {
    double *row = rn_alloc(NULL, (size_t)raw->info.cells[0], sizeof *row);
    double *sums = rn_alloc(NULL, (size_t)raw->info.cells[0], sizeof *sums);
    rn_result result = row && sums ? reduce_with_rows(ask, raw, row, sums, reply) : RN_MEMORY;
    rn_free(NULL, row);
    rn_free(NULL, sums);
    return result;
}
