/* A solver in which nothing flows: what one needs at the least to stand behind the seam (solver/solver.h). */
#ifndef DUMMY_SOLVER_H
#define DUMMY_SOLVER_H

#include "base/error.h"
#include "base/memory.h"
#include "solver/solver.h"

typedef struct dummy {
    rn_columns columns;
    float deepest; /* m, of what was changed from outside */
} dummy;

static rn_result dummy_check(const rn_world_def *def) {
    const bool none = def->passages == RN_PASSAGES_DEFAULT;
    return none ? RN_OK : rn_fail(RN_INVALID, "passages are asked for, but in the dummy solver nothing flows");
}

static void dummy_destroy(void *self) {
    dummy *d = self;
    const rn_hooks hooks = d->columns.hooks;
    rn_columns_free(&d->columns);
    rn_free(&hooks, d);
}

static rn_result dummy_create(const rn_solver_def *def, void **self, rn_columns **columns) {
    dummy *d = rn_alloc(&def->hooks, 1, sizeof *d);
    if (!d) return RN_MEMORY;
    const rn_result result = rn_columns_build(&def->columns, &d->columns);
    if (result != RN_OK) {
        dummy_destroy(d);
        return result;
    }
    *self = d;
    *columns = &d->columns;
    return RN_OK;
}

static rn_solver_info dummy_describe(const void *self) {
    return (rn_solver_info){.bytes = rn_columns_bytes(&((const dummy *)self)->columns)};
}

static double dummy_stable_dt(void *self, const rn_forcing *forcing) {
    (void)self;
    const double longest = forcing->longest(forcing->context);
    return longest < 0.01 ? longest : 0.01;
}

static rn_result dummy_advance(void *self, double seconds, int most, const rn_forcing *forcing,
                               rn_step_report *report) {
    double left = seconds;
    for (; left > 0.0 && report->substeps < most; report->substeps++) {
        const double limit = dummy_stable_dt(self, forcing), dt = left < limit * (1.0 + 1e-9) ? left : limit;
        forcing->substep(forcing->context, dt, 0);
        report->least = dt < report->least ? dt : report->least;
        left -= dt;
    }
    report->slowed = report->slowed || left > 0.0;
    return RN_OK;
}

static void dummy_progress(const void *self, const rn_forcing *forcing, rn_world_stats *stats) {
    (void)forcing;
    stats->deepest = ((const dummy *)self)->deepest;
}

static void dummy_changed(void *self, const rn_disturbance *what) {
    dummy *d = self;
    if (what->deepest > d->deepest) d->deepest = what->deepest;
}

static rn_result dummy_sync(void *self) {
    (void)self;
    return RN_OK;
}

/* Its ground never changes, and so states have the columns that it has. */
static rn_result dummy_shape(void *self, rn_archive *a, bool parted) {
    (void)self, (void)a, (void)parted;
    return RN_OK;
}

static rn_result dummy_archive(void *self, rn_archive *a, rn_archive_section section) {
    rn_columns *c = &((dummy *)self)->columns;
    if (section != RN_ARCHIVE_LIQUID) return RN_OK;
    if (a->pass != RN_HASH) return rn_columns_archive(c, a, dummy_shape, self);
    for (int layer = 0; layer < c->grid.layers; layer++)
        for (int y = 0; y < c->grid.ny; y++) rn_columns_hash_row(c, a, layer, y);
    return RN_OK;
}

static void dummy_column_flow(const void *self, int32_t slot, double flow[2]) {
    (void)self, (void)slot;
    flow[0] = flow[1] = 0.0;
}

static rn_face_flow dummy_face_flow(const void *self, int32_t cell, int axis) {
    (void)self, (void)cell, (void)axis;
    return (rn_face_flow){0};
}

static const rn_solver_class dummy_solver = {
    .name = "dummy",
    .backend = "cpu",
    .meaning = "nothing flows",
    .check = dummy_check,
    .create = dummy_create,
    .destroy = dummy_destroy,
    .describe = dummy_describe,
    .stable_dt = dummy_stable_dt,
    .advance = dummy_advance,
    .progress = dummy_progress,
    .changed = dummy_changed,
    .sync = dummy_sync,
    .archive = dummy_archive,
    .column_flow = dummy_column_flow,
    .face_flow = dummy_face_flow,
};

#endif
