/* Helpers for the passes of a substep: rows, copies beyond periodic edges, kinds of pipes and extremes; and the passes
   that explicit and implicit substeps share. Private to the solver's own files. */
#ifndef RN_SOLVER_ROWS_H
#define RN_SOLVER_ROWS_H

#include "base/lanes.h"
#include "solver/state.h"

typedef struct substep {
    rn_state *s;
    const rn_step_params *params;
    const struct rn_sweeps *sweeps; /* solver/sweeps.h */
} substep;

/* RN_STEP_PARAMS(name, step); declares a pointer `name` to the parameters of a substep: on a CPU to a copy that stores
   cannot change, on a GPU to that of the block, which saves registers. */
#if defined(RN_GPU)
const rn_step_params *rn_block_params(void);
#define RN_STEP_PARAMS(name, step) const rn_step_params *const name = ((void)(step), rn_block_params())
#else
#define RN_STEP_PARAMS(name, step) const rn_step_params name##_copy = *(step)->params, *const name = &name##_copy
#endif

typedef struct row_ref {
    int layer, y;
} row_ref;

/* The number of rows of all layers, without the rim. */
static inline int row_count(const rn_state *s) { return s->columns.grid.layers * s->columns.grid.ny; }
/* The row of this number, counted layer by layer. */
static inline row_ref row_at(const rn_state *s, int row) {
    return (row_ref){row / s->columns.grid.ny, row % s->columns.grid.ny};
}

/* Copies a row across periodic edges into the rim: along x beyond its own ends, along y to the rows of the rim that
   continue it. Does nothing at other edges. */
static inline void mirror_row(const rn_state *s, float *array, int layer, int y) {
    const rn_grid *g = &s->columns.grid;
    float *row = array + rn_slot(g, layer, y, 0);
    for (int k = 0; s->columns.periodic_x && k < g->rim; k++) {
        row[-1 - k] = row[g->nx - 1 - k % g->nx];
        row[g->nx + k] = row[k % g->nx];
    }
    if (!s->columns.periodic_y) return;
    const size_t bytes = (size_t)(g->nx + 2 * g->rim) * sizeof *row;
    for (int to = y - g->ny; to >= -g->rim; to -= g->ny)
        memcpy(array + rn_slot(g, layer, to, -g->rim), row - g->rim, bytes);
    for (int to = y + g->ny; to < g->ny + g->rim; to += g->ny)
        memcpy(array + rn_slot(g, layer, to, -g->rim), row - g->rim, bytes);
}

/* Copies all rows of an array across periodic edges into the rim. Does nothing without periodic edges. */
static inline void mirror_rows(const rn_state *s, float *array) {
    if (!s->columns.periodic_x && !s->columns.periodic_y) return;
    for (int r = 0; r < row_count(s); r++) mirror_row(s, array, row_at(s, r).layer, row_at(s, r).y);
}

/* The same by lanes, which do not wait for each other. */
static inline void mirror_by_lanes(const rn_state *s, float *array) {
    RN_FOR_ITEMS (r, 0, s->columns.periodic_x || s->columns.periodic_y ? row_count(s) : 0)
        mirror_row(s, array, row_at(s, r).layer, row_at(s, r).y);
}

/* Copies the values of pipes across periodic edges, which are stored at both ends: those at the last column to the slot
   before the first. */
static inline void mirror_pipes(const rn_state *s, float *along_x, float *along_y) {
    const rn_grid *g = &s->columns.grid;
    for (int layer = 0; layer < g->layers; layer++) {
        for (int y = 0; s->columns.periodic_x && y < g->ny; y++)
            along_x[rn_slot(g, layer, y, -1)] = along_x[rn_slot(g, layer, y, g->nx - 1)];
        for (int x = 0; s->columns.periodic_y && x < g->nx; x++)
            along_y[rn_slot(g, layer, -1, x)] = along_y[rn_slot(g, layer, g->ny - 1, x)];
    }
}

/* The same by lanes, which do not wait for each other. */
static inline void mirror_pipes_by_lanes(const rn_state *s, float *along_x, float *along_y) {
    const rn_grid *g = &s->columns.grid;
    for (int layer = 0; layer < g->layers; layer++) {
        RN_FOR_ITEMS (y, 0, s->columns.periodic_x ? g->ny : 0)
            along_x[rn_slot(g, layer, y, -1)] = along_x[rn_slot(g, layer, y, g->nx - 1)];
        RN_FOR_ITEMS (x, 0, s->columns.periodic_y ? g->nx : 0)
            along_y[rn_slot(g, layer, -1, x)] = along_y[rn_slot(g, layer, g->ny - 1, x)];
    }
}

/* Copies the values of faces along x and y across periodic edges, into all of the rim, which a momentum-carrying
   substep reads. */
static inline void mirror_faces(const rn_state *s, float *along_x, float *along_y) {
    mirror_rows(s, along_x);
    mirror_rows(s, along_y);
}

/* Copies the wet flags of rows across periodic edges along y. */
static inline void mirror_wet(const rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    for (int layer = 0; s->columns.periodic_y && layer < g->layers; layer++) {
        rn_row_at(s, layer, -1)->wet = rn_row_at(s, layer, g->ny - 1)->wet;
        rn_row_at(s, layer, g->ny)->wet = rn_row_at(s, layer, 0)->wet;
    }
}

/* A mask of the first `count` lanes of a vector, at most all. */
RN_INLINE rn_mask first_lanes(int count) {
    rn_mask first;
    for (int lane = 0; lane < RN_LANES; lane++) first[lane] = lane < count ? -1 : 0;
    return first;
}

/* RN_LANES numbers, 0 or -1, as a mask. */
RN_INLINE rn_mask load_mask(const int32_t *from) {
    rn_mask mask;
    __builtin_memcpy(&mask, from, sizeof mask);
    return mask;
}
/* A mask of RN_LANES pipes from `kinds` on: plain ones, ducts included. */
RN_INLINE rn_mask load_plain(const uint8_t *kinds) { return (rn_load_bytes(kinds) & RN_PIPE_PLAIN) != 0; }
/* A mask of RN_LANES pipes from `kinds` on: plain ones that are not ducts. */
RN_INLINE rn_mask load_open(const uint8_t *kinds) { return rn_load_bytes(kinds) == RN_PIPE_PLAIN; }
/* A mask of RN_LANES pipes from `kinds` on: falls that are not ducts. */
RN_INLINE rn_mask load_falls(const uint8_t *kinds) { return rn_load_bytes(kinds) == RN_PIPE_FALL; }
/* A mask of RN_LANES pipes from `kinds` on: ducts, plain ones or falls. */
RN_INLINE rn_mask load_ducts(const uint8_t *kinds) { return (rn_load_bytes(kinds) & RN_PIPE_DUCT) != 0; }
/* A mask of RN_LANES pipes from `kinds` on that are open to ordinary flow: plain ones and falls that are not ducts. */
RN_INLINE rn_mask load_any(const uint8_t *kinds) { return load_open(kinds) | load_falls(kinds); }

/* ---- Passes of solver/pipes.c that the implicit step uses too ---- */

/* Limits the inflows (`in`) of all columns to their room, or the outflows to their liquid; inflows and outflows of a
   column are not offset against each other. The shares stay set until rn_pipes_free_shares. */
void rn_pipes_limit(substep *step, rn_pool *pool, bool in);
/* Sets the shares of all columns and junctions to 1, as explicit steps do. */
void rn_pipes_free_shares(substep *step, rn_pool *pool);
/* Changes depths by all transfers, irregular pipes included, which must have been limited; wakes all tiles. */
void rn_pipes_depths(substep *step, rn_pool *pool);
/* Ends a substep: clears the levels from before solid moved, sets *extremes to those of all threads and clears theirs,
   and counts the substep. */
void rn_pipes_end(substep *step, rn_pool *pool, rn_extremes *extremes);
/* Whether two sets of parameters differ in a way that could wake tiles at rest: for example in the length of the
   substep. */
static inline bool rn_pipes_retimed(const rn_step_params *a, const rn_step_params *b) {
    return a->dt != b->dt || a->kick_dt != b->kick_dt || a->gravity != b->gravity || a->kappa != b->kappa ||
           a->nu3 != b->nu3 || a->tilt[0] != b->tilt[0] || a->tilt[1] != b->tilt[1] ||
           a->friction_factor != b->friction_factor;
}

/* Raises *largest to `value` if that is larger. */
static inline void raise(float *largest, float value) { *largest = value > *largest ? value : *largest; }

/* Raises the signal speed (m/s), and stores depth (m) and speed (m/s) of the column that has it. Of columns with the
   same signal speed the deepest counts, then the fastest, so that their order does not matter. */
static inline void raise_signal(rn_extremes *extremes, float signal_speed, float depth, float speed) {
    const bool more =
        depth > extremes->signal_depth || (depth == extremes->signal_depth && speed > extremes->signal_flow);
    if (!(signal_speed > extremes->signal_speed || (signal_speed == extremes->signal_speed && more))) return;
    extremes->signal_speed = signal_speed;
    extremes->signal_depth = depth;
    extremes->signal_flow = speed;
}

/* By lanes: raise_signal with what each lane has found (`own`, which is changed), which is 0 or more. */
static inline void raise_signal_by_lanes(rn_extremes *own, rn_extremes *extremes) {
    if (!rn_lanes_any(own->signal_speed > 0.0f)) return;
    const float speed = rn_lanes_greatest(own->signal_speed);
    if (own->signal_speed < speed) own->signal_depth = own->signal_flow = 0.0f;
    const float depth = rn_lanes_greatest(own->signal_depth);
    if (own->signal_depth < depth) own->signal_flow = 0.0f;
    const float flow = rn_lanes_greatest(own->signal_flow);
    if (rn_lanes_own() == 0) raise_signal(extremes, speed, depth, flow);
}

#endif
