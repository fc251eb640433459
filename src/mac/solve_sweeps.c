/* Loops of the pressure solver over cells of one row. Compilers vectorise them: every cell is computed
   independently, and sums have four parts, so any width gives the same bits. */
#include "mac/solve_sweeps.h"

#include "mac/four.h"

#include <string.h>

/* One step of Jacobi within the span; `row` has room for it. See solve_sweeps.h, also for the functions below. */
static void relax(const rn_mac_level *l, rn_mac_span span, float *restrict row) {
    const int32_t sy = l->grid.step[1], sz = l->grid.step[2], count = span.end - span.begin;
    const float *restrict x = l->x + span.begin, *restrict b = l->b + span.begin,
                          *restrict inverse = l->inverse + span.begin;
    const float *restrict cx = l->link[0] + span.begin, *restrict cy = l->link[1] + span.begin;
    const float *restrict cz = l->link[2] + span.begin;
    if (l->plain)
        for (int32_t i = 0; i < count; i++)
            row[i] = inverse[i] * (b[i] + ((x[i - 1] + x[i + 1]) + (x[i - sy] + x[i + sy]) + (x[i - sz] + x[i + sz])));
    else
        for (int32_t i = 0; i < count; i++)
            row[i] = inverse[i] *
                     (b[i] + ((cx[i] * x[i - 1] + cx[i + 1] * x[i + 1]) + (cy[i] * x[i - sy] + cy[i + sy] * x[i + sy]) +
                              (cz[i] * x[i - sz] + cz[i + sz] * x[i + sz])));
    memcpy(l->x + span.begin, row, (size_t)count * sizeof *row);
}

/* to = A from, for the cells of the span; `to` counts from its beginning. Outside unknowns `from` must be 0, and so
   is the result. */
static inline void multiply(const rn_mac_level *l, rn_mac_span span, const float *from, float *restrict to) {
    const int32_t sy = l->grid.step[1], sz = l->grid.step[2], count = span.end - span.begin;
    const float *restrict x = from + span.begin, *restrict d = l->diagonal + span.begin;
    const float *restrict cx = l->link[0] + span.begin, *restrict cy = l->link[1] + span.begin;
    const float *restrict cz = l->link[2] + span.begin;
    if (l->plain)
        for (int32_t i = 0; i < count; i++) {
            const float around = (x[i - 1] + x[i + 1]) + (x[i - sy] + x[i + sy]) + (x[i - sz] + x[i + sz]);
            to[i] = d[i] * x[i] - (d[i] != 0.0f ? around : 0.0f);
        }
    else
        for (int32_t i = 0; i < count; i++)
            to[i] = d[i] * x[i] -
                    ((cx[i] * x[i - 1] + cx[i + 1] * x[i + 1]) + (cy[i] * x[i - sy] + cy[i + sy] * x[i + sy]) +
                     (cz[i] * x[i - sz] + cz[i + sz] * x[i + sz]));
}

/* The sum of a b over the span. */
static double dot(rn_mac_span span, const float *a, const float *b) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int32_t i = span.begin;
    for (; i + 4 <= span.end; i += 4)
        for (int part = 0; part < 4; part++) sum[part] += (double)a[i + part] * (double)b[i + part];
    for (; i < span.end; i++) sum[0] += (double)a[i] * (double)b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* to = A x for the cells of the span; both arrays cover the whole level, and x must be 0 outside unknowns. Returns the
   dot product of x and `to` over the span. */
static double apply(const rn_mac_level *l, rn_mac_span span, const float *x, float *to) {
    multiply(l, span, x, to + span.begin);
    return dot(span, x, to);
}

/* r = b - A x. */
static void residual(const rn_mac_level *l, rn_mac_span span) {
    multiply(l, span, l->x, l->r + span.begin);
    for (int32_t i = span.begin; i < span.end; i++) l->r[i] = l->b[i] - l->r[i];
}

/* to = a + scale to. */
static void turn(rn_mac_span span, float *restrict to, const float *restrict a, float scale) {
    for (int32_t i = span.begin; i < span.end; i++) to[i] = a[i] + scale * to[i];
}

/* The largest |r| of the span. Four at a time: a single maximum would have to wait for each cell in turn. */
static float largest(rn_mac_span span, const float *r) {
    rn_four most = {0.0f, 0.0f, 0.0f, 0.0f};
    int32_t i = span.begin;
    float all = 0.0f;
    for (; i + 4 <= span.end; i += 4) most = rn_four_largest(most, rn_four_load(r + i));
    for (int part = 0; part < 4; part++) all = most[part] > all ? most[part] : all;
    for (; i < span.end; i++) {
        const float size = r[i] < 0.0f ? -r[i] : r[i];
        all = size > all ? size : all;
    }
    return all;
}

/* x += scale direction, r -= scale image. Returns the largest |r|. */
static float advance(rn_mac_span span, float scale, float *restrict x, const float *restrict direction,
                     float *restrict r, const float *restrict image) {
    for (int32_t i = span.begin; i < span.end; i++) {
        x[i] += scale * direction[i];
        r[i] -= scale * image[i];
    }
    return largest(span, r);
}

const rn_mac_solve_sweeps RN_ISA(rn_mac_solve_sweeps) = {relax, apply, residual, dot, turn, advance, largest};
