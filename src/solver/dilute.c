/* Liquid that sources add at rest slows the flow of the faces beside it, so that momentum stays.

   Interface: rn_momentum_dilute (solver/momentum.h). solver/pipe_solver.c calls it after a substep in which sources
   have changed columns; the depth that each column got is in graph.gained, and its row is marked as poured. */
#include "solver/momentum.h"

#include "solver/rows.h"

/* The speed (m/s) of a face whose two columns gained `gained` of liquid at rest and hold `sum` now (m, both together);
   unchanged if they gained nothing. */
RN_INLINE rn_wide dilute_speed(rn_wide speed, rn_wide sum, rn_wide gained) {
    const rn_wide share = (sum - gained) / rn_greater(sum, rn_splat(1e-30f));
    return rn_select(gained > 0.0f, speed * rn_positive(share), speed);
}

/* Slows the faces along one axis of a row whose columns gained liquid at rest. `row`: slot of its first column. */
static void dilute_row(const rn_state *s, int32_t row, int axis) {
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    const float *const gained = s->graph.gained, *const depth = s->columns.depth;
    float *const speed = axis == 0 ? s->graph.speed_x : s->graph.speed_y;
    for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
        const rn_wide added = rn_load(gained + c) + rn_load(gained + c + next);
        if (!rn_any(added > 0.0f)) continue;
        rn_store(speed + c, dilute_speed(rn_load(speed + c), rn_load(depth + c) + rn_load(depth + c + next), added));
    }
}

typedef struct dilution {
    rn_state *s;
    const int32_t *rows; /* 4 * row, + 1: its faces along x, + 2: along y */
} dilution;

/* A task over listed rows: slows their faces along x and y, as each entry says, because their columns gained liquid at
   rest. */
static void dilute_rows(void *context, int begin, int end, int worker) {
    const dilution *job = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_ref p = row_at(job->s, job->rows[i] / 4);
        const int32_t row = rn_slot(&job->s->columns.grid, p.layer, p.y, 0);
        if (job->rows[i] & 1) dilute_row(job->s, row, 0);
        if (job->rows[i] & 2) dilute_row(job->s, row, 1);
    }
}

/* Lists the rows with faces to slow down because sources added liquid in this substep, and returns their number.
   Entries are as in `dilution`: 4 * row + 3 if the row itself gained liquid (its faces along x and y), 4 * row + 2 if
   only the next row along y did (its faces along y). `rows` needs room for all rows of all layers. */
static int list_poured(const rn_state *s, int32_t *rows) {
    const rn_grid *g = &s->columns.grid;
    int count = 0;
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++) {
            const bool here = rn_row_at(s, layer, y)->poured;
            const bool next = y + 1 < g->ny ? rn_row_at(s, layer, y + 1)->poured
                                            : s->columns.periodic_y && rn_row_at(s, layer, 0)->poured;
            if (here || next) rows[count++] = 4 * (layer * g->ny + y) + (here ? 3 : 2);
        }
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
    for (int32_t i = 0; i < s->graph.irregular_count; i++) {
        const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
        const float added = gained[a] + gained[b];
        if (!(added > 0.0f)) continue;
        const float sum = s->columns.depth[a] + s->columns.depth[b];
        s->graph.irregular_speed[i] =
            dilute_speed(rn_splat(s->graph.irregular_speed[i]), rn_splat(sum), rn_splat(added))[0];
    }
    for (int i = 0; i < count; i++) {
        const row_ref p = row_at(s, job.rows[i] / 4);
        if (!(job.rows[i] & 1)) continue;
        memset(gained + rn_slot(&s->columns.grid, p.layer, p.y, 0), 0, (size_t)s->columns.grid.nx * sizeof *gained);
        rn_row_at(s, p.layer, p.y)->poured = false;
    }
    mirror_rows(s, gained);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
}
