/* Saving, checking, restoring and hashing the pipe solvers.

   Interface: rn_pipes_archive (solver/pipes_archive.h), the member `archive` of both classes. world/snapshot.c calls
   it for each section and pass; the fluxes that hosts see are brought up to date first, except while checking or
   reading. After reading, the world reports RN_RESTORED, and the solver discards what it knows of rows, tiles and
   passages.

   Algorithm: there are two sections. RN_ARCHIVE_LIQUID holds columns with depths and fluxes, irregular pipes by the
   slots that they join, the number of substeps, heads of flooded columns, friction and contact angles, speeds,
   transfers and length of the last substep, and the wetness of the ground. RN_ARCHIVE_TIMING holds what determines
   the length of the next substep: the extremes, and whether they are out of date. A state of an older version lacks
   some of these; they are then measured again.

   Columns are restored first, because they determine the pipes. Irregular pipes then find their values by the
   columns that they join, since the order of pipes may differ from that of the state. The checks keep fluxes and
   speeds small enough to be squared in a float. The hash has an order of its own, which may never change. */
#include "solver/pipes_archive.h"

#include "base/hash.h"
#include "solver/momentum.h"
#include "solver/pipe_self.h"

#include <math.h>
#include <string.h>

/* ---- Irregular pipes --------------------------------------------------------------------------------------------- */

enum { PARTS = 4 };

#define MOST_SPEED 1e9f /* m/s: a step squares it, and must stay within the range of floats */
#define MOST_MOVE  1e9f /* m */

/* Irregular pipes as saved: arrays of `count`, with slots of the grid that they were saved from. */
typedef struct saved_pipes {
    int32_t stride, layer_stride, first; /* of that grid */
    int32_t count;
    size_t from, to, axes, fluxes; /* offsets of the arrays */
    size_t speeds, moves;          /* offsets of the arrays of faces with momentum */
    bool momentum;                 /* the state has these */
    size_t parts[PARTS];           /* offsets of the arrays for shut parts */
    bool partial;                  /* the state has these */
} saved_pipes;

/* Sets `arrays` to those that describe the shut parts of irregular pipes, in their saved order. */
static void part_arrays(const rn_graph *g, float *arrays[PARTS]) {
    int count = 0;
#define COLLECT_SHUT(name) arrays[count++] = g->name;
#define COLLECT_STATE(name)
#define COLLECT_SHAPE(name)
#define COLLECT_SCRATCH(name)
#define COLLECT(type, name, extent, role) COLLECT_##role(name)
    RN_GRAPH_ARRAYS(COLLECT)
#undef COLLECT
}

/* The axis of saved pipe i. */
static uint8_t axis_at(const rn_archive *a, const saved_pipes *p, int32_t i) { return a->bytes[p->axes + (size_t)i]; }

/* The slot in this grid that corresponds to a slot of the saved grid, by layer, row and x, its rim of one cell
   included; -1 if there is none. */
static int32_t slot_from(const saved_pipes *p, const rn_grid *g, int32_t slot) {
    const rn_grid then = {.stride = p->stride, .layer_stride = p->layer_stride, .first = p->first};
    if (slot < 0) return -1;
    const rn_spot at = rn_slot_place(&then, slot);
    if (at.x < -1 || at.y < -1 || at.x > g->nx || at.y > g->ny || at.layer >= g->layers) return -1;
    return rn_slot(g, at.layer, at.y, at.x);
}

/* Gives a saved irregular fall's flux to the ordinary fall from slot `from` to `to` that replaces it, if there is one:
   falls within a layer were irregular before version 0.2. */
static void restore_fall(const rn_archive *a, rn_state *s, const saved_pipes *p, int32_t i, int32_t from, int32_t to) {
    const bool along_x = axis_at(a, p, i) == 0;
    const uint8_t *pipes = along_x ? s->graph.pipe_x : s->graph.pipe_y;
    if (from < 0 || to != from + (along_x ? 1 : s->columns.grid.stride) || pipes[from] != RN_PIPE_FALL) return;
    (along_x ? s->columns.flux_x : s->columns.flux_y)[from] = rn_archive_float_at(a, p->fluxes, (size_t)i);
}

/* Gives irregular pipe `k` the values of saved pipe `i`; speed and transfer are 0 if the state has none. */
static void restore_pipe(const rn_archive *a, rn_state *s, const saved_pipes *p, int32_t i, int32_t k) {
    float *arrays[PARTS];
    part_arrays(&s->graph, arrays);
    s->graph.irregular_flux[k] = rn_archive_float_at(a, p->fluxes, (size_t)i);
    for (int n = 0; p->partial && n < PARTS; n++) arrays[n][k] = rn_archive_float_at(a, p->parts[n], (size_t)i);
    s->graph.irregular_speed[k] = p->momentum ? rn_archive_float_at(a, p->speeds, (size_t)i) : 0.0f;
    s->graph.irregular_transfer[k] = p->momentum ? rn_archive_float_at(a, p->moves, (size_t)i) : 0.0f;
}

/* Gives the values of saved pipe `i` to the irregular pipe that joins the same columns now, if there is one, and its
   flux to an ordinary fall that has replaced it (restore_fall). */
static void restore_matching(const rn_archive *a, rn_state *s, const saved_pipes *p, int32_t i) {
    const rn_graph *g = &s->graph;
    const int32_t from = slot_from(p, &s->columns.grid, rn_archive_int_at(a, p->from, (size_t)i)),
                  to = slot_from(p, &s->columns.grid, rn_archive_int_at(a, p->to, (size_t)i));
    const rn_junction *junction = from >= 0 ? rn_junction_of(s, from) : NULL;
    for (int32_t n = junction ? junction->begin : 0; junction && n < junction->end; n++) {
        const int32_t k = g->links[n] / 2;
        if (g->irregular_a[k] == from && g->irregular_b[k] == to && g->irregular_axis[k] == axis_at(a, p, i))
            restore_pipe(a, s, p, i, k);
    }
    restore_fall(a, s, p, i, from, to);
}

/* Whether the saved irregular pipes are those of the world, in the same order. */
static bool same_pipes(const rn_archive *a, const rn_state *s, const saved_pipes *p) {
    const rn_graph *g = &s->graph;
    const rn_grid *grid = &s->columns.grid;
    const size_t ints = (size_t)g->irregular_count * sizeof(int32_t);
    return p->count == g->irregular_count && p->stride == grid->stride && p->layer_stride == grid->layer_stride &&
           p->first == grid->first && memcmp(a->bytes + p->from, g->irregular_a, ints) == 0 &&
           memcmp(a->bytes + p->to, g->irregular_b, ints) == 0 &&
           memcmp(a->bytes + p->axes, g->irregular_axis, (size_t)g->irregular_count) == 0;
}

/* Restores the values of irregular pipes, matched by the columns that they join. Pipes that were not saved get 0, but
   keep their shut parts. */
static void restore_irregular(const rn_archive *a, rn_state *s, const saved_pipes *p) {
    if (same_pipes(a, s, p)) {
        for (int32_t i = 0; i < p->count; i++) restore_pipe(a, s, p, i, i);
        return;
    }
    memset(s->graph.irregular_flux, 0, (size_t)s->graph.irregular_count * sizeof *s->graph.irregular_flux);
    memset(s->graph.irregular_speed, 0, (size_t)s->graph.irregular_count * sizeof *s->graph.irregular_speed);
    memset(s->graph.irregular_transfer, 0, (size_t)s->graph.irregular_count * sizeof *s->graph.irregular_transfer);
    for (int32_t i = 0; i < p->count; i++) restore_matching(a, s, p, i);
}

/* Breaks the archive unless all saved values of irregular pipes are finite and small enough to step with. Trusted bytes
   are not checked. */
static void check_irregular(rn_archive *a, const saved_pipes *p) {
    if (a->trusted) return;
    rn_archive_check_floats(a, p->fluxes, (size_t)p->count, 1e16f, false); /* a step squares them */
    if (p->momentum) {
        rn_archive_check_floats(a, p->speeds, (size_t)p->count, MOST_SPEED, false);
        rn_archive_check_floats(a, p->moves, (size_t)p->count, MOST_MOVE, false);
    }
    const float most[PARTS] = {1e9f, 1e9f, 1.0f, 1e9f};
    for (int n = 0; p->partial && n < PARTS; n++)
        rn_archive_check_floats(a, p->parts[n], (size_t)p->count, most[n], false);
}

/* Measures, writes, checks or reads irregular pipes. Sets a->broken if counts or values are invalid. */
static void archive_irregular(rn_archive *a, rn_state *s) {
    rn_graph *g = &s->graph;
    const rn_grid *grid = &s->columns.grid;
    saved_pipes p = {.stride = grid->stride, .layer_stride = grid->layer_stride, .first = grid->first};
    float *parts[PARTS];
    part_arrays(g, parts);
    p.count = g->irregular_count;
    p.partial = a->version >= RN_ARCHIVE_BODIES;
    p.momentum = a->version >= RN_ARCHIVE_MOMENTUM;
    RN_ARCHIVE_VALUE(a, p.stride);
    RN_ARCHIVE_VALUE(a, p.layer_stride);
    RN_ARCHIVE_VALUE(a, p.first);
    RN_ARCHIVE_VALUE(a, p.count);
    if (p.count < 0 || p.stride < 1 || p.first < p.stride || p.layer_stride < p.first) a->broken = true;
    if (a->broken) return;
    const size_t count = (size_t)p.count;
    p.from = rn_archive_stretch(a, g->irregular_a, count * sizeof *g->irregular_a);
    p.to = rn_archive_stretch(a, g->irregular_b, count * sizeof *g->irregular_b);
    p.axes = rn_archive_stretch(a, g->irregular_axis, count * sizeof *g->irregular_axis);
    p.fluxes = rn_archive_stretch(a, g->irregular_flux, count * sizeof *g->irregular_flux);
    for (int n = 0; p.partial && n < PARTS; n++) p.parts[n] = rn_archive_stretch(a, parts[n], count * sizeof *parts[n]);
    if (p.momentum) p.speeds = rn_archive_stretch(a, g->irregular_speed, count * sizeof *g->irregular_speed);
    if (p.momentum) p.moves = rn_archive_stretch(a, g->irregular_transfer, count * sizeof *g->irregular_transfer);
    if (a->broken) return;
    if (a->pass == RN_CHECK) check_irregular(a, &p);
    if (a->pass == RN_READ) restore_irregular(a, s, &p);
}

/* ---- The liquid ------------------------------------------------------------------------------------------------ */

/* Measures, writes, checks or reads the heads of flooded columns; before version 2 there were none. Layers that the
   state lacks get 0. Sets a->broken if only one of world and state has heads, or a head is invalid. */
static void archive_heads(rn_archive *a, rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    const bool none = a->version < RN_ARCHIVE_HEADS;
    const int32_t kept = none ? 0 : a->layers * g->layer_stride; /* slots that are read below */
    float *head = s->graph.head;
    if (a->pass == RN_READ && s->graph.headed) memset(head + kept, 0, (size_t)(g->slots - kept) * sizeof *head);
    if (none) return;
    rn_archive_same(a, s->graph.headed);
    const size_t rows = a->at, count = (size_t)a->layers * (size_t)g->ny * (size_t)g->nx;
    if (!s->graph.headed || a->broken) return;
    rn_archive_bounded_rows(a, g, head, RN_HEAD_PRESSED, 1e6f);
    for (size_t i = 0; a->pass == RN_CHECK && !a->trusted && !a->broken && i < count; i++) {
        const float value = rn_archive_float_at(a, rows, i);
        if (value < 0.0f && value != RN_HEAD_GONE && value != RN_HEAD_PRESSED) a->broken = true;
    }
}

/* Measures, writes, checks or reads speeds of faces, transfers of the last substep and its length. States of older
   versions have none; speeds are then found from fluxes, and transfers are 0. Layers that the state lacks get 0. Sets
   a->broken if only one of world and state has momentum. */
static void archive_speeds(rn_archive *a, rn_pipe_solver *solver) {
    rn_state *s = &solver->state;
    const rn_grid *g = &s->columns.grid;
    const size_t kept = (size_t)(a->layers * g->layer_stride), rest = ((size_t)g->slots - kept) * sizeof(float);
    float *const arrays[] = {s->graph.speed_x, s->graph.speed_y, s->graph.transfer_x, s->graph.transfer_y};
    for (int i = 0; a->pass == RN_READ && s->graph.momentum && i < 4; i++) memset(arrays[i] + kept, 0, rest);
    if (a->version >= RN_ARCHIVE_MOMENTUM) {
        rn_archive_same(a, s->graph.momentum);
        if (a->broken) return;
        rn_archive_within(a, &solver->last, 0.0, 1e9);
        rn_archive_bounded_rows(a, g, s->graph.speed_x, -MOST_SPEED, MOST_SPEED);
        rn_archive_bounded_rows(a, g, s->graph.speed_y, -MOST_SPEED, MOST_SPEED);
        rn_archive_bounded_rows(a, g, s->graph.transfer_x, -MOST_MOVE, MOST_MOVE);
        rn_archive_bounded_rows(a, g, s->graph.transfer_y, -MOST_MOVE, MOST_MOVE);
    } else if (a->pass == RN_READ && s->graph.momentum) {
        solver->last = 0.0;
        memset(s->graph.transfer_x, 0, (size_t)g->slots * sizeof *s->graph.transfer_x);
        memset(s->graph.transfer_y, 0, (size_t)g->slots * sizeof *s->graph.transfer_y);
        rn_momentum_take(s);
    }
}

/* Measures, writes, checks or reads the wetness (0 to 1) of the ground under each column, which lowers what it costs
   liquid to spread where it has been (kernels/contact.h). Reading leaves layers that the state lacks dry. */
static void archive_wet(rn_archive *a, rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    const int32_t kept = a->layers * g->layer_stride;
    if (a->pass == RN_READ) memset(s->graph.wet + kept, 0, (size_t)(g->slots - kept) * sizeof *s->graph.wet);
    rn_archive_bounded_rows(a, g, s->graph.wet, 0.0f, 1.0f);
}

/* Gives the solver the columns of a->batch, and room for a->layers layers, with `partial` for partial solids too. On
   failure returns RN_MEMORY or RN_LIMIT, with a message. */
static rn_result take_columns(void *self, rn_archive *a, bool partial) {
    rn_pipe_solver *solver = self;
    rn_state *s = &solver->state;
    rn_result result = rn_graph_grow(s, a->layers);
    if (result == RN_OK && partial) result = rn_columns_allow_partial(&s->columns);
    if (result == RN_OK) result = rn_reshape_apply(a->batch, &solver->seams, s, solver->pool);
    return result;
}

/* Measures, writes, checks or reads the section RN_ARCHIVE_LIQUID. Invalid bytes break the archive and return RN_OK.
   Returns RN_MEMORY or RN_LIMIT, with a message, only while reading. */
static rn_result archive_liquid(rn_pipe_solver *solver, rn_archive *a) {
    rn_state *s = &solver->state;
    const rn_result result = rn_columns_archive(&s->columns, a, take_columns, solver);
    if (result != RN_OK || a->broken) return result;
    archive_irregular(a, s);
    RN_ARCHIVE_DATA(a, s->graph.step);
    rn_archive_same(a, s->columns.rough | s->columns.laws << 1 | s->graph.touching << 2 | s->columns.angles << 3);
    if (!a->broken) archive_heads(a, s);
    if (!a->broken) rn_columns_archive_friction(&s->columns, a);
    if (!a->broken) archive_speeds(a, solver);
    if (!a->broken && s->graph.touching) archive_wet(a, s);
    return RN_OK;
}

/* Measures, writes, checks or reads the section RN_ARCHIVE_TIMING: the values that determine the length of the next
   substep, and a->slowed. After reading a state of a version before momentum, the extremes count as out of date. */
static void archive_timing(rn_pipe_solver *solver, rn_archive *a) {
    rn_extremes *extremes = &solver->extremes;
    float unused[2] = {0}; /* used by older versions */
    float *const values[] = {&extremes->height,  &extremes->flow_sum, &extremes->speed,        &unused[0],
                             &extremes->deepest, &extremes->top,      &extremes->signal_speed, &solver->top,
                             &solver->added,     &unused[1]};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) rn_archive_size(a, values[i]);
    int32_t flags = solver->touched | a->slowed << 1;
    RN_ARCHIVE_VALUE(a, flags);
    if (a->pass != RN_READ) return;
    solver->touched = (flags & 1) || a->version < RN_ARCHIVE_MOMENTUM;
    a->slowed = flags >> 1 & 1;
}

/* Adds the number of substeps, columns, heads, partial solids, speeds, transfers, wetness and irregular pipes to
   a->hash; friction does not count. */
static void hash_liquid(const rn_state *s, rn_archive *a) {
    const rn_columns *c = &s->columns;
    a->hash = rn_hash_long(a->hash, s->graph.step);
    for (int layer = 0; layer < c->grid.layers; layer++)
        for (int y = 0; y < c->grid.ny; y++) {
            const uint64_t name = rn_columns_hash_row(c, a, layer, y);
            const int32_t row = rn_slot(&c->grid, layer, y, 0);
            if (name == 0) continue;
            for (int x = 0; s->graph.headed && x < c->grid.nx; x++)
                if (s->graph.head[row + x] != 0.0f)
                    a->hash = rn_hash_floats(rn_hash_long(a->hash, name + (uint64_t)x), s->graph.head + row + x, 1);
            rn_columns_hash_parts(c, a, layer, y, name);
            const float *const speeds[] = {s->graph.speed_x, s->graph.speed_y, s->graph.transfer_x,
                                           s->graph.transfer_y};
            for (int i = 0; s->graph.momentum && i < 4; i++)
                a->hash = rn_hash_floats(a->hash, speeds[i] + row, (size_t)c->grid.nx);
            if (s->graph.touching) a->hash = rn_hash_floats(a->hash, s->graph.wet + row, (size_t)c->grid.nx);
        }
    a->hash = rn_hash_floats(a->hash, s->graph.irregular_flux, (size_t)s->graph.irregular_count);
    if (!s->graph.momentum) return;
    a->hash = rn_hash_floats(a->hash, s->graph.irregular_speed, (size_t)s->graph.irregular_count);
    a->hash = rn_hash_floats(a->hash, s->graph.irregular_transfer, (size_t)s->graph.irregular_count);
}

rn_result rn_pipes_archive(void *self, rn_archive *a, rn_archive_section section) {
    rn_pipe_solver *solver = self;
    if (solver->params.momentum && !solver->shown && a->pass != RN_READ && a->pass != RN_CHECK) {
        rn_momentum_show(&solver->state);
        solver->shown = true;
    }
    if (a->pass == RN_HASH) {
        if (section == RN_ARCHIVE_LIQUID) hash_liquid(&solver->state, a);
        return RN_OK;
    }
    if (section == RN_ARCHIVE_LIQUID) return archive_liquid(solver, a);
    archive_timing(solver, a);
    return RN_OK;
}
