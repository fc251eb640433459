/* Liquid that sources add at rest slows the flow of the faces beside it, so that momentum stays.

   Interface: rn_momentum_dilute (solver/momentum.h). solver/pipe_solver.c calls it after a substep in which sources
   have changed columns; the depth that each column got is in graph.gained, and its row is marked as poured. Plain
   worlds on a GPU call rn_dilute_row and rn_dilute_pipe instead (cuda/plain_step.c). */
#include "solver/momentum.h"

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
    const int32_t *rows; /* those with faces to slow down */
} dilution;

/* A task over listed rows. */
static void dilute_rows(void *context, int begin, int end, int worker) {
    const dilution *job = context;
    (void)worker;
    for (int i = begin; i < end; i++) rn_dilute_row(job->s, job->rows[i], 0, RN_LANES);
}

#if defined(RN_GPU)
enum { PIPES = 1 }; /* irregular pipes that a thread takes at a time */
#else
enum { PIPES = 4096 };
#endif

/* A task over groups of PIPES irregular pipes. */
static void dilute_irregular(void *context, int begin, int end, int worker) {
    const rn_state *s = ((const dilution *)context)->s;
    (void)worker;
    for (int32_t i = begin * PIPES; i < end * PIPES && i < s->graph.irregular_count; i++) rn_dilute_pipe(s, i);
}

/* Lists the rows with faces to slow down because sources added liquid in this substep, and returns their number.
   `rows` needs room for all rows of all layers. */
static int list_poured(const rn_state *s, int32_t *rows) {
    int count = 0;
    for (int r = 0; r < row_count(s); r++)
        if (is_poured(s, row_at(s, r)) || is_next_poured(s, row_at(s, r))) rows[count++] = r;
    return count;
}

void rn_momentum_dilute(rn_state *s, rn_pool *pool) {
    float *const gained = s->graph.gained;
    dilution job = {s, s->schedule.row_list};
    const int count = list_poured(s, s->schedule.row_list);
    if (count == 0) return;
    mirror_rows(s, gained);
    mirror_rows(s, s->columns.depth);
    rn_parallel_for(pool, count, dilute_rows, &job);
    rn_parallel_for(pool, (s->graph.irregular_count + PIPES - 1) / PIPES, dilute_irregular, &job);
    for (int i = 0; i < count; i++) {
        const row_ref p = row_at(s, job.rows[i]);
        if (!is_poured(s, p)) continue;
        memset(gained + rn_slot(&s->columns.grid, p.layer, p.y, 0), 0, (size_t)s->columns.grid.nx * sizeof *gained);
        rn_row_at(s, p.layer, p.y)->poured = false;
    }
    mirror_rows(s, gained);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
}
