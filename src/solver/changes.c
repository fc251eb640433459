/* What pipe solvers do after depths or fluxes were changed between substeps.

   Interface (solver/pipes.h): rn_pipes_changed after columns of a row were changed, rn_pipes_row_wetted and
   rn_pipes_row_changed after a row was; rn_pipes_measure finds all extremes again. The first three are called by
   solver/pipe_solver.c, solver/push.c, solver/reshape.c and solver/reconnect.c, right after the change.
   solver/time_step.c calls rn_pipes_measure before a substep of the paper's model whose extremes are out of date;
   with momentum it calls rn_momentum_measure instead.

   Substeps skip tiles at rest and dry rows, so every change must wake its tile and mark its row. Marks of wet rows
   are only set by single changes; rn_pipes_measure and the end of a substep find them all again. */
#include "solver/pipes.h"

#include "solver/tiles.h"

/* ---- Changes -------------------------------------------------------------------------------------------------- */

/* After depths of row y of a layer have changed: updates its copies beyond periodic edges, and marks it as wet if
   `wet`. Marks are never cleared here: lanes of a GPU may call this at the same time. */
static void note_changed_row(rn_state *s, int layer, int y, bool wet) {
    const int ny = s->columns.grid.ny;
    mirror_row(s, s->columns.depth, layer, y);
    if (!wet) return;
    rn_row_at(s, layer, y)->wet = true;
    if (s->columns.periodic_y && y == ny - 1) rn_row_at(s, layer, -1)->wet = true;
    if (s->columns.periodic_y && y == 0) rn_row_at(s, layer, ny)->wet = true;
}

void rn_pipes_changed(rn_state *s, int32_t slot, int32_t count, float deepest) {
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    for (int32_t c = slot, next; c < slot + count; c = next) { /* block by block */
        next = c + RN_TILE_BLOCK - (at.x + (c - slot)) % RN_TILE_BLOCK;
        rn_tile_touch(rn_tile_of(s, c), rn_tile_spot(s, c), deepest);
    }
    note_changed_row(s, at.layer, at.y, deepest > 0.0f);
}

void rn_pipes_row_wetted(rn_state *s, int layer, int y) {
    rn_tiles_touch_row(s, layer, y);
    note_changed_row(s, layer, y, true);
}

void rn_pipes_row_changed(rn_state *s, int layer, int y) {
    const int32_t row = rn_slot(&s->columns.grid, layer, y, 0), nx = s->columns.grid.nx;
    unsigned wet = 0;
    rn_tiles_touch_row(s, layer, y);
    for (int32_t c = row; c < row + nx; c++) wet |= s->columns.depth[c] > 0.0f;
    note_changed_row(s, layer, y, wet);
    if (s->columns.periodic_x) s->columns.flux_x[row - 1] = s->columns.flux_x[row + nx - 1];
    if (s->columns.periodic_y && y == s->columns.grid.ny - 1)
        memcpy(s->columns.flux_y + rn_slot(&s->columns.grid, layer, -1, 0), s->columns.flux_y + row,
               (size_t)nx * sizeof *s->columns.flux_y);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------ */

/* Raises height and speed of *extremes to those of a pipe with flux `f` (m^3/s) from a to b, which counts `drop` (m)
   lower. A closed pipe is ignored; one of at most thin_depth raises only the height. */
static void measure_pipe(const rn_state *s, int32_t a, int32_t b, float drop, float f, const rn_step_params *params,
                         rn_extremes *extremes) {
    float H = rn_state_height(s, a, b, drop);
    if (H < RN_CLOSED) return;
    raise(&extremes->height, H);
    if (H > params->thin_depth) raise(&extremes->speed, fabsf(f) / (params->cell * H));
}

void rn_pipes_measure(rn_state *s, const rn_step_params *params, rn_extremes *extremes) {
    const rn_grid *g = &s->columns.grid;
    *extremes = (rn_extremes){0};
    rn_tiles_touch_all(s);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++) {
            rn_row *row = rn_row_at(s, layer, y);
            row->wet = row->zero_flux = row[-1].zero_flux = false;
            mirror_row(s, s->columns.depth, layer, y);
            for (int x = 0; x < g->nx; x++) {
                float depth = s->columns.depth[rn_slot(g, layer, y, x)];
                if (depth > 0.0f) row->wet = true;
                if (depth > 0.0f) raise(&extremes->top, rn_column_level(&s->columns, rn_slot(g, layer, y, x)));
                raise(&extremes->deepest, depth);
            }
        }
    mirror_wet(s);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                int32_t a = rn_slot(g, layer, y, x);
                if (s->graph.pipe_x[a]) measure_pipe(s, a, a + 1, 0.0f, s->columns.flux_x[a], params, extremes);
                if (s->graph.pipe_y[a]) measure_pipe(s, a, a + g->stride, 0.0f, s->columns.flux_y[a], params, extremes);
            }
    for (int32_t i = 0; i < s->graph.irregular_count; i++)
        measure_pipe(s, s->graph.irregular_a[i], s->graph.irregular_b[i], s->graph.irregular_drop[i],
                     s->graph.irregular_flux[i], params, extremes);
}
