/* Definitions shared by the files of the implicit step: solver/implicit.c, solver/newton_system.c and
   solver/newton_repair.c. Private to them. */
#ifndef RN_SOLVER_NEWTON_H
#define RN_SOLVER_NEWTON_H

#include "base/hash.h"
#include "kernels/duct.h"
#include "solver/implicit_memory.h"
#include "solver/passages.h"
#include "solver/sweeps.h"

enum { KIND_FREE, KIND_DRY, KIND_FULL, KIND_TOPPED, KIND_NONE }; /* topped: full, but missing some quanta */

typedef struct newton {
    rn_implicit *implicit;
    rn_multigrid *grid;
    substep step;
    float per_flux;                            /* m of depth moved by 1 m^3/s */
    enum { FIRST, SINGLE, INNER, OUTER } pass; /* which kinds of columns are decided again */
    float residual, enough;                    /* m, largest of a column, and the limit to accept */
} newton;

/* A row that all lanes of a block work on. */
typedef struct row_work {
    newton n;
    row_ref at;
    int32_t first, end; /* slots of its columns */
    int worker;         /* whose extremes the row raises */
} row_work;

/* Row `r` of all layers, for this worker. */
static inline row_work row_work_at(const newton *n, int r, int worker) {
    const row_ref at = row_at(n->step.s, r);
    const int32_t first = rn_slot(&n->step.s->columns.grid, at.layer, at.y, 0);
    return (row_work){*n, at, first, first + n->step.s->columns.grid.nx, worker};
}

/* The work of newton_mirror, by lanes. */
static inline void newton_mirror_by_lanes(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    mirror_pipes_by_lanes(s, s->graph.transfer_x, s->graph.transfer_y);
}

/* Copies transfers across periodic edges to the slots before the first (mirror_pipes). */
static inline void newton_mirror(rn_state *s) {
    if (s->columns.periodic_x || s->columns.periodic_y) rn_lanes_run(newton_mirror_by_lanes, &s);
}

/* Kinds of columns are compared by marks: sums of hashes of eight kinds each, which lanes add in any order. */
enum { MARKED = 8 };

/* The mark of the kinds of up to MARKED columns of a row from slot `c` on. */
static inline uint64_t kinds_mark(const uint8_t *kinds, int32_t c, int32_t end) {
    uint64_t word = 0;
    if (end - c >= MARKED) memcpy(&word, kinds + c, MARKED);
    else
        for (int32_t k = c; k < end; k++) word = word << 8 | kinds[k];
    return rn_hash_long(rn_hash_long(RN_HASH_START, (uint64_t)c), word);
}

/* Whether something lies outside the rows: irregular pipes, or copies beyond periodic edges. */
static inline bool has_more(const rn_state *s) {
    return s->graph.irregular_count > 0 || s->columns.periodic_x || s->columns.periodic_y;
}

/* Which lanes from slot `c` on lie within the row that begins at slot `row`; lanes past its end are padding. */
RN_INLINE rn_mask lanes_in(const rn_state *s, int32_t row, int32_t c) {
    rn_mask mask;
    for (int lane = 0; lane < RN_LANES; lane++) mask[lane] = c - row + lane < s->columns.grid.nx ? -1 : 0;
    return mask;
}

/* The head (m above the datum) of a flooded column, or else the level that acts on its pipes. */
static inline float head_at(const rn_state *s, int32_t c) {
    return s->graph.head[c] > 0.0f ? s->graph.head[c] : s->columns.base[c] + rn_column_acting_level(&s->columns, c);
}

/* The depth (m) that partial solids take from RN_LANES columns from slot `c` on; 0 without any. */
RN_INLINE rn_wide taken_at(const rn_state *s, int32_t c) {
    return s->columns.partial ? rn_load(s->columns.solid_depth + c) : rn_splat(0.0f);
}

/* The height (m) of liquid above the bases of columns from slot `c` on, as it acts on pipes. */
RN_INLINE rn_wide stand_at(const rn_state *s, int32_t c) {
    rn_wide stand = rn_load(s->columns.depth + c);
    if (s->columns.partial && rn_any(taken_at(s, c) > 0.0f))
        for (int lane = 0; lane < RN_LANES; lane++) stand[lane] = rn_column_acting_level(&s->columns, c + lane);
    return stand;
}

/* The depth (m) of columns from slot `c` on that corresponds to the height that acts on pipes: their depth, unless
   solid has just moved in them. */
RN_INLINE rn_wide acting_depth(const rn_state *s, int32_t c) {
    rn_wide depth = rn_load(s->columns.depth + c);
    if (!s->columns.partial || !rn_any(taken_at(s, c) > 0.0f)) return depth;
    for (int lane = 0; lane < RN_LANES; lane++) {
        const float level = rn_column_acting_level(&s->columns, c + lane);
        if (level == rn_column_height(&s->columns, c + lane)) continue;
        const rn_partial_solid part = rn_column_partial(&s->columns, c + lane);
        depth[lane] = rn_partial_depth(&part, s->columns.base[c + lane], s->columns.base[c + lane] + level);
    }
    return depth;
}

/* The ends of pipes, some of which are ducts: heads, and which ends are full. */
typedef struct rn_ducts {
    rn_wide hi, hj;
    rn_mask full_i, full_j;
} rn_ducts;

/* The levels that act on a pipe if one of its columns is full, and the loss at its exit. */
typedef struct acting_levels {
    rn_wide hi, hj;
    rn_wide loss; /* 1/s */
} acting_levels;

/* The levels (m) that act on a pipe with flux `f` (m^3/s), and the loss at its exit; its ends have heads or levels hi
   and hj (m): a free end (portal) opposite a full one counts as for a duct. Other ends keep their levels, with the loss
   0. */
RN_INLINE acting_levels act_on(const newton *n, const rn_ends *p, rn_wide hi, rn_wide hj, rn_mask full_i,
                               rn_mask full_j, rn_wide f) {
    const rn_mask at_j = full_i & ~full_j, at_i = full_j & ~full_i;
    const rn_wide out = rn_keep(at_j, f) - rn_keep(at_i, f);
    const rn_portal_state portal = rn_duct_portal(n->step.params, p, rn_select(at_j, hj, hi), out);
    return (acting_levels){rn_select(at_i, portal.level, hi), rn_select(at_j, portal.level, hj), portal.loss};
}

/* Whether a row has no liquid in it or next to it, in any layer. */
static inline bool is_idle(const newton *n, const row_ref *p) {
    return n->implicit->rows[p->layer * n->step.s->columns.grid.ny + p->y].idle;
}

/* ---- Sums of transfers ------------------------------------------------------------------------------------------- */

/* Inflow (m) through ordinary pipes into columns from slot `c` on. */
RN_INLINE rn_wide flow_in(const rn_state *s, int32_t c) {
    const int32_t up = s->columns.grid.stride;
    return (rn_positive(rn_load(s->graph.transfer_x + c - 1)) + rn_positive(-rn_load(s->graph.transfer_x + c))) +
           (rn_positive(rn_load(s->graph.transfer_y + c - up)) + rn_positive(-rn_load(s->graph.transfer_y + c)));
}

/* Outflow (m) through ordinary pipes from columns from slot `c` on. */
RN_INLINE rn_wide flow_out(const rn_state *s, int32_t c) {
    const int32_t up = s->columns.grid.stride;
    return (rn_positive(-rn_load(s->graph.transfer_x + c - 1)) + rn_positive(rn_load(s->graph.transfer_x + c))) +
           (rn_positive(-rn_load(s->graph.transfer_y + c - up)) + rn_positive(rn_load(s->graph.transfer_y + c)));
}

/* Sums the transfers of the irregular pipes of a junction: total outflow and total inflow (m, both at least 0). */
static inline void irregular_sums(const rn_state *s, const rn_junction *junction, float *out, float *in) {
    *out = *in = 0.0f;
    for (int32_t k = junction->begin; k < junction->end; k++) {
        const float t = s->graph.irregular_transfer[s->graph.links[k] / 2], leaves = s->graph.links[k] % 2 ? -t : t;
        if (leaves > 0.0f) *out += leaves;
        else *in -= leaves;
    }
}

/* Finds fluxes and links of all pipes for the current heads, from the results of rn_momentum_predict; writes them to
   the transfers (m), the flux arrays (kept fluxes, m^3/s) and the links of the linear solver (solver/newton_system.c).
   Sets the widths of ducts, raises the workers' height, and overwrites implicit->take. Leaves the sum of each column's
   links in `share`. */
void rn_newton_assemble(newton *n, rn_pool *pool);
/* The level difference (m, a minus b, with sideways gravity) that drives irregular pipe `i`; liquid below the sill
   between its columns cannot pull, and a sink counts as level with the sill. */
float rn_newton_irregular_drive(const newton *n, int32_t i);
/* Makes the transfers of ducts whole quanta, and limits all transfers and fluxes to what columns can give and take
   (solver/newton_repair.c). If too many rounds would be needed, ducts move nothing in this substep. Overwrites
   implicit->take. Releases the pipes of ducts. */
void rn_newton_repair(newton *n, rn_flood *flood, rn_pool *pool);

#endif
