#include "solver/advection.h"

static void look_rows(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_state *s = step->s;
    const rn_law law = *step->law;
    (void)worker;
    for (int r = begin; r < end; r++) {
        place p = row_place(s, r);
        if (rn_row_at(s, p.layer, p.y)->still) continue;
        const int32_t row = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t i = row; i < row + s->columns.grid.nx; i += RN_LANES) {
            rn_store(s->graph.carried_x + i,
                     rn_pipe_speed(&law, rn_load(s->graph.carried_x + i), rn_load(s->columns.flux_x + i)));
            rn_store(s->graph.carried_y + i,
                     rn_pipe_speed(&law, rn_load(s->graph.carried_y + i), rn_load(s->columns.flux_y + i)));
        }
    }
}

void rn_advection_look(substep *step, rn_pool *pool) { rn_parallel_for(pool, row_count(step->s), look_rows, step); }

/* Ordinary pipes along a row, each to the slot `next` further on; `side` leads to the pipe beside. */
typedef struct carry_run {
    int32_t first, next, side;
    const float *speed, *move, *across; /* speeds and transfers of these pipes, transfers of those across */
    const uint8_t *pipes;
    float *flux;
} carry_run;

/* Falls and pipes between layers bring no momentum along: what comes through them counts as having come to rest. */
RN_INLINE void carry_lanes(const substep *step, const carry_run *run, rn_wide *pace, const bool roofed) {
    const rn_state *s = step->s;
    const rn_law law = *step->law;
    const float half_pace = 0.5f * law.cell / law.dt, wave = 2.0f * law.gravity;
    const int32_t end = run->first + s->columns.grid.nx, next = run->next, side = run->side;
    const float *const speed = run->speed, *const move = run->move, *const across = run->across;
    rn_wide most = *pace;
    for (int32_t i = run->first; i < end; i += RN_LANES) {
        const int32_t j = i + next;
        rn_wide u = rn_load(speed + i), behind = rn_load(speed + i - next), ahead = rn_load(speed + j);
        rn_wide right = rn_load(speed + i - side), left = rn_load(speed + i + side);
        if (!rn_any((rn_mask)u | (rn_mask)behind | (rn_mask)ahead | (rn_mask)right | (rn_mask)left)) continue;
        rn_ends p = {.bi = rn_load(s->columns.base + i), .di = rn_load(s->columns.depth + i), .ci = rn_splat(INFINITY)};
        p.bj = rn_load(s->columns.base + j), p.dj = rn_load(s->columns.depth + j), p.cj = p.ci;
        if (roofed) p.ci = rn_load(s->columns.ceil + i), p.cj = rn_load(s->columns.ceil + j);
        rn_wide H = rn_pipe_height(&p), sum = p.di + p.dj, t = rn_load(move + i);
        if (roofed) H = rn_keep(load_plain(run->pipes + i), H);
        rn_wide from_right = rn_load(across + i - side) + rn_load(across + j - side);
        rn_wide to_left = rn_load(across + i) + rn_load(across + j);
        const rn_inflow along[2] = {{rn_positive(rn_load(move + i - next) + t), behind},
                                    {rn_positive(-(t + rn_load(move + j))), ahead}};
        const rn_inflow beside[2] = {{rn_positive(from_right), right}, {rn_positive(-to_left), left}};
        u = rn_pipe_mix(u, sum, along, beside);
        rn_store(run->flux + i, rn_keep(H >= RN_CLOSED, law.cell * H * u + 0.0f));
        rn_wide drift = rn_size(from_right + to_left) * half_pace / sum;
        rn_wide felt = rn_keep(H > law.felt, rn_root(wave * H) + rn_size(u) + drift);
        most = rn_greater(felt, most);
    }
    *pace = most;
}

static void carry_rows(void *context, int begin, int end, int worker) {
    const substep *step = context;
    rn_state *s = step->s;
    rn_wide pace = {0};
    for (int r = begin; r < end; r++) {
        place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        if (!row[0].wet && !row[1].wet) continue;
        row->still = false;
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0), up = s->columns.grid.stride;
        const carry_run runs[2] = {
            {first, 1, up, s->graph.carried_x, s->graph.move_x, s->graph.move_y, s->graph.pipe_x, s->columns.flux_x},
            {first, up, 1, s->graph.carried_y, s->graph.move_y, s->graph.move_x, s->graph.pipe_y, s->columns.flux_y}};
        for (int axis = 0; axis < 2; axis++) {
            if (row->gaps || s->columns.periodic_x) carry_lanes(step, &runs[axis], &pace, true);
            else carry_lanes(step, &runs[axis], &pace, false);
        }
    }
    raise(&s->schedule.peaks[worker].pace, rn_greatest(pace));
}

void rn_advection_step(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    for (int r = 0; (s->columns.periodic_x || s->columns.periodic_y) && r < row_count(s); r++) {
        place p = row_place(s, r);
        mirror_row(s, s->graph.carried_x, p.layer, p.y);
        mirror_row(s, s->graph.carried_y, p.layer, p.y);
        mirror_row(s, s->graph.move_x, p.layer, p.y);
        mirror_row(s, s->graph.move_y, p.layer, p.y);
    }
    rn_parallel_for(pool, row_count(s), carry_rows, step);
}
