/* Liquid that sources add at rest slows the flow of the faces beside it, so that momentum stays.

   Interface: rn_momentum_dilute (solver/momentum.h). solver/pipe_solver.c calls it after a substep in which sources
   have changed columns; the depth that each column got is in graph.gained, and its row is marked as poured. Plain
   worlds on a GPU call rn_dilute_row and rn_dilute_pipe instead (cuda/plain_step.c). */
#include "solver/momentum.h"

#include "base/lanes.h"
#include "solver/rows.h"

/* The speed (m/s) of a face whose two columns gained `gained` of liquid at rest and hold `sum` now (m, both together);
   unchanged if they gained nothing. */
RN_INLINE rn_wide dilute_speed(rn_wide speed, rn_wide sum, rn_wide gained) {
    const rn_wide share = (sum - gained) / rn_greater(sum, rn_splat(1e-30f));
    return rn_select(gained > 0.0f, speed * rn_positive(share), speed);
}

/* Slows faces along one axis of a row whose columns gained liquid at rest: RN_LANES of them from column `first` on, and
   as many from every `apart` columns further on. `row`: slot of its first column. */
static void dilute_faces(const rn_state *s, int32_t row, int axis, int32_t first, int32_t apart) {
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    const float *const gained = s->graph.gained, *const depth = s->columns.depth;
    float *const speed = axis == 0 ? s->graph.speed_x : s->graph.speed_y;
    for (int32_t c = row + first; c < row + s->columns.grid.nx; c += apart) {
        const rn_wide added = rn_load(gained + c) + rn_load(gained + c + next);
        if (!rn_any(added > 0.0f)) continue;
        rn_store(speed + c, dilute_speed(rn_load(speed + c), rn_load(depth + c) + rn_load(depth + c + next), added));
    }
}

/* Whether a row gained liquid in this substep, and whether the next one along y did. */
static bool is_poured(const rn_state *s, row_ref p) { return rn_row_at(s, p.layer, p.y)->poured; }
static bool is_next_poured(const rn_state *s, row_ref p) {
    if (p.y + 1 < s->columns.grid.ny) return rn_row_at(s, p.layer, p.y + 1)->poured;
    return s->columns.periodic_y && rn_row_at(s, p.layer, 0)->poured;
}

void rn_dilute_row(const rn_state *s, int row, int32_t first, int32_t apart) {
    const row_ref p = row_at(s, row);
    const int32_t slot = rn_slot(&s->columns.grid, p.layer, p.y, 0);
    const bool here = is_poured(s, p);
    if (here) dilute_faces(s, slot, 0, first, apart);
    if (here || is_next_poured(s, p)) dilute_faces(s, slot, 1, first, apart);
}

void rn_dilute_pipe(const rn_state *s, int32_t pipe) {
    const int32_t a = s->graph.irregular_a[pipe], b = s->graph.irregular_b[pipe];
    const float added = s->graph.gained[a] + s->graph.gained[b];
    if (!(added > 0.0f)) return;
    const float sum = s->columns.depth[a] + s->columns.depth[b];
    float *const speed = &s->graph.irregular_speed[pipe];
    *speed = dilute_speed(rn_splat(*speed), rn_splat(sum), rn_splat(added))[0];
}

typedef struct dilution {
    rn_state *s;
    int32_t *rows; /* those with faces to slow down; room for all rows of all layers */
    int count;
} dilution;

#if !defined(RN_GPU)
/* A task over listed rows. */
static void dilute_rows(void *context, int begin, int end, int worker) {
    const dilution *job = context;
    (void)worker;
    for (int i = begin; i < end; i++) rn_dilute_row(job->s, job->rows[i], 0, RN_LANES);
}

enum { PIPES = 4096 };

/* A task over groups of PIPES irregular pipes. */
static void dilute_irregular(void *context, int begin, int end, int worker) {
    const rn_state *s = ((const dilution *)context)->s;
    (void)worker;
    for (int32_t i = begin * PIPES; i < end * PIPES && i < s->graph.irregular_count; i++) rn_dilute_pipe(s, i);
}
#endif

/* Slows the faces of listed rows and irregular pipes: on a CPU by threads, on a GPU by lanes, which wait for each
   other. */
static void dilute_all(dilution *job, rn_pool *pool) {
#if defined(RN_GPU)
    (void)pool;
    RN_FOR_ROWS (i, 0, job->count) rn_dilute_row(job->s, job->rows[i], rn_lane(), rn_lane_count());
    RN_FOR_ITEMS (i, 0, job->s->graph.irregular_count) rn_dilute_pipe(job->s, i);
    rn_lanes_meet();
#else
    rn_parallel_for(pool, job->count, dilute_rows, job);
    rn_parallel_for(pool, (job->s->graph.irregular_count + PIPES - 1) / PIPES, dilute_irregular, job);
#endif
}

typedef struct diluting {
    rn_state *s;
    rn_pool *pool;
} diluting;

/* The work of rn_momentum_dilute, by lanes. */
static void dilute_by_lanes(const void *context) {
    rn_state *s = ((const diluting *)context)->s;
    float *const gained = s->graph.gained;
    dilution job = {.s = s, .rows = s->schedule.row_list};
    RN_FOR_ROUNDS (r, 0, row_count(s)) {
        const bool there = r < row_count(s) && (is_poured(s, row_at(s, r)) || is_next_poured(s, row_at(s, r)));
        const int32_t place = rn_lanes_place(there, &job.count);
        if (there) job.rows[place] = r;
    }
    if (job.count == 0) return;
    rn_lanes_meet();
    mirror_by_lanes(s, gained);
    mirror_by_lanes(s, s->columns.depth);
    rn_lanes_meet();
    dilute_all(&job, ((const diluting *)context)->pool);
    RN_FOR_ROWS (i, 0, job.count) {
        const row_ref p = row_at(s, job.rows[i]);
        if (!is_poured(s, p)) continue;
        float *const row = gained + rn_slot(&s->columns.grid, p.layer, p.y, 0);
        RN_FOR_COLUMNS (x, 0, s->columns.grid.nx) row[x] = 0.0f;
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, job.count) {
        const row_ref p = row_at(s, job.rows[i]);
        rn_row_at(s, p.layer, p.y)->poured = false;
    }
    mirror_by_lanes(s, gained);
    mirror_by_lanes(s, s->graph.speed_x);
    mirror_by_lanes(s, s->graph.speed_y);
}

void rn_momentum_dilute(rn_state *s, rn_pool *pool) { rn_lanes_run(dilute_by_lanes, (&(diluting){s, pool})); }
