/* Changes columns of the pipe solvers while there is liquid in them.

   Interface (solver/reshape.h): rn_reshape_apply applies a batch of changed cells (solver/reshaping.h);
   rn_reshape_shut shuts and opens irregular pipes beside partly solid columns. solver/pipe_solver.c calls them as
   members of its classes, and solver/pipes_archive.c applies a batch when a state is read.

   Order of calls: the world calls rn_reshape_apply between substeps when solids or bodies have moved
   (world/apply.c), and rn_reshape_shut right after it. rn_reshape_apply adds layers, reserves memory and records
   pipes before it writes the first column, so a failure changes nothing but the number of layers; then it writes
   columns, moves displaced liquid and joins pipes.

   Algorithm: liquid stays where its space stays open, rises with ground that rises by no more than a cell, falls
   with ground that sinks, and is pushed aside by anything else; pipes that persist keep their fluxes. Only the
   changed cells and their neighbours are joined again. A pipe that solid shuts in part carries less in proportion; a
   part that opens moves with the solid, so that liquid follows a body that withdraws. */
#include "solver/reshape.h"

#include "solver/rows.h"

#include <math.h>

/* ---- The batch --------------------------------------------------------------------------------------------- */

typedef struct writing {
    rn_reshaping *r;
    rn_state *s;
} writing;

/* Writes the changed cell number `index`, clears its heads, dries ground that moved by more than half a cell's width,
   and updates the flags of its rows. */
static void write_cell(rn_reshaping *r, rn_state *s, size_t index) {
    const rn_columns *c = &s->columns;
    const rn_change *change = &r->changes[index];
    bool was_roofed[RN_MOST_LAYERS];
    float was_base[RN_MOST_LAYERS];
    for (int l = 0; l < c->grid.layers; l++) {
        const int32_t slot = rn_slot(&c->grid, l, change->y, change->x);
        was_roofed[l] = rn_column_is_roofed(c, slot);
        was_base[l] = c->base[slot];
    }
    rn_reshape_write(r, &s->columns, index);
    for (int l = 0; l < c->grid.layers; l++) {
        const int32_t slot = rn_slot(&c->grid, l, change->y, change->x);
        rn_row *row = rn_row_at(s, l, change->y);
        if (s->graph.headed) s->graph.head[slot] = 0.0f;
        if (s->graph.touching && fabsf(c->base[slot] - was_base[l]) > 0.5f * c->width)
            s->graph.wet[slot] = 0.0f; /* other ground, instead of the same that moves */
        if (c->depth[slot] > 0.0f) __atomic_store_n(&row->wet, true, __ATOMIC_RELAXED);
        __atomic_fetch_add(&row->roofed, rn_column_is_roofed(c, slot) - was_roofed[l], __ATOMIC_RELAXED);
    }
}

/* A task over changed cells: writes their columns and updates rows. Other cells of the same row may be written at the
   same time. */
static void write_cells(void *context, int begin, int end, int worker) {
    const writing *job = context;
    (void)worker;
    for (int i = begin; i < end; i++) write_cell(job->r, job->s, (size_t)i);
}

/* Finds a new place for displaced liquid, and wakes the tiles that it reaches, or all tiles if the columns that it
   reaches could not be listed. */
static void displace_liquid(rn_reshaping *r, rn_state *s) {
    rn_displace(r, &s->columns);
    for (size_t i = 0; i < r->fill_count; i++)
        if (s->columns.base[r->fills[i]] >= 0.0f) rn_pipes_changed(s, r->fills[i], 1, s->columns.depth[r->fills[i]]);
    for (int row = 0; r->unlisted && row < row_count(s); row++)
        rn_pipes_row_changed(s, row_at(s, row).layer, row_at(s, row).y);
}

rn_result rn_reshape_apply(rn_reshaping *r, rn_reconnection *seams, rn_state *s, rn_pool *pool) {
    if (r->change_count == 0 && !(r->held_count > 0 && r->give > 0.0)) return RN_OK;
    rn_result result = rn_graph_grow(s, rn_reshape_layers(r));
    if (result == RN_OK) result = rn_reshape_reserve(r, &s->columns);
    if (r->change_count == 0) {
        if (result == RN_OK) displace_liquid(r, s);
        return result;
    }
    if (result == RN_OK) result = rn_reconnect_begin(seams, r, s, pool);
    if (result != RN_OK) return result;
    rn_parallel_for(pool, (int)r->change_count, write_cells, &(writing){r, s});
    for (size_t i = 0; i < r->gap_count; i++) r->loses |= r->lost[i] > 0;
    displace_liquid(r, s);
    return rn_reconnect_finish(seams, r, s, pool);
}

/* ---- Partly shut pipes ----------------------------------------------------------------------------------------- */

/* The flux (m^3/s) of a pipe of this height and cell width (m), whose open share was `was` and is `is`: less in
   proportion, or more by the part that opens, which moves with the solid's speed (m/s). */
static float flux_after_change(float flux, float was, float is, float height, float cell, float speed) {
    if (is < was) return flux * (is / was);
    return flux + (is - was) * (height * cell * speed);
}

/* The height (m above its base, at least 0) of liquid in a column that solid has just left: the mean of the levels of
   wet columns at its irregular pipes; 0 if all are dry. */
static float mean_height_beside(const rn_state *s, const rn_junction *junction) {
    float sum = 0.0f, count = 0.0f;
    for (int32_t k = junction->begin; k < junction->end; k++) {
        const int32_t p = s->graph.links[k] / 2,
                      other = s->graph.links[k] % 2 ? s->graph.irregular_a[p] : s->graph.irregular_b[p];
        if (!(s->columns.depth[other] > 0.0f)) continue;
        sum += s->columns.base[other] + rn_column_acting_level(&s->columns, other) - s->columns.base[junction->slot];
        count += 1.0f;
    }
    return count > 0.0f ? fmaxf(sum / count, 0.0f) : 0.0f;
}

/* Shuts irregular pipe `i` as `is` says, or opens it (NULL), and changes its flux to match, or with momentum its speed
   where a part opens; neither if the pipe is new and open. Gaps of up to `chink` (m) below solid are shut too. */
static void shut_pipe(rn_state *s, int32_t i, const rn_face_blockage *is, float chink) {
    if (!is && s->graph.irregular_shut[i] == 0.0f) return;
    const float was = s->graph.irregular_shut[i] == RN_NEW ? 0.0f : rn_irregular_open(s, i);
    const bool known = s->graph.irregular_shut[i] != RN_NEW || is;
    const float floor = fmaxf(s->columns.base[s->graph.irregular_a[i]],
                              s->columns.base[s->graph.irregular_b[i]] - s->graph.irregular_drop[i]);
    s->graph.irregular_low[i] = !is ? 0.0f : is->low - floor <= chink ? fminf(is->low, floor) : is->low;
    s->graph.irregular_high[i] = is ? is->high : 0.0f;
    s->graph.irregular_shut[i] = is ? is->share : 0.0f;
    if (!known) return;
    const float height =
        rn_acting_height(s, s->graph.irregular_a[i], s->graph.irregular_b[i], s->graph.irregular_drop[i]);
    if (is) s->graph.irregular_push[i] = is->speed;
    if (s->graph.momentum) {
        const float is_open = rn_irregular_open(s, i);
        if (is_open > was && is_open > 0.0f) /* a part that opens moves with the solid */
            s->graph.irregular_speed[i] =
                (s->graph.irregular_speed[i] * was + (is_open - was) * s->graph.irregular_push[i]) / is_open;
        return;
    }
    s->graph.irregular_flux[i] = flux_after_change(s->graph.irregular_flux[i], was, rn_irregular_open(s, i), height,
                                                   s->columns.cell, s->graph.irregular_push[i]);
}

typedef struct shutting {
    rn_state *s;
    const rn_face_blockage *list;
    size_t count;
    float chink; /* m */
} shutting;

/* A task over irregular pipes within the grid: shuts each as its owner's entry in the list says, or opens it. */
static void shut_pipes(void *context, int begin, int end, int worker) {
    const shutting *job = context;
    size_t at = 0, high = job->count;
    (void)worker;
    while (at < high) {
        const size_t middle = (at + high) / 2;
        if (job->list[middle].owner < job->s->graph.irregular_owner[begin]) at = middle + 1;
        else high = middle;
    }
    for (int32_t i = begin; i < end; i++) {
        const int32_t owner = job->s->graph.irregular_owner[i];
        while (at < job->count && job->list[at].owner < owner) at++;
        shut_pipe(job->s, i, at < job->count && job->list[at].owner == owner ? &job->list[at] : NULL, job->chink);
    }
}

void rn_reshape_shut(rn_state *s, rn_pool *pool, const rn_face_blockage *list, size_t count, float chink) {
    for (int32_t i = 0; s->columns.partial && i < s->graph.junction_count; i++) {
        const int32_t c = s->graph.junctions[i].slot;
        if (rn_column_is_partial(&s->columns, c) && s->columns.pre_move_level[c] == RN_NEW)
            s->columns.pre_move_level[c] = mean_height_beside(s, &s->graph.junctions[i]);
    }
    rn_parallel_for(pool, s->graph.irregular_inner, shut_pipes, &(shutting){s, list, count, chink});
}
