/* The explicit substep that carries momentum, and what the implicit one shares with it (kernels/face.h;
   docs/model.md).

   Interface (solver/momentum.h): rn_momentum_step takes a substep, after rn_flood_find (solver/pipe_solver.c).
   rn_momentum_predict is the first part of an implicit one. rn_momentum_measure finds the extremes again
   after changes from outside; rn_momentum_show and rn_momentum_take convert speeds to the fluxes that hosts see, and
   back. rn_momentum_dilute is in solver/dilute.c.

   The passes of rn_momentum_step, in order:

     hold      pipes of flooded passages are marked, and left to solver/passages.c
     list      which connections are wet
     contact   heads of surface tension and wetting, where contact angles act (solver/contact.c)
     kick      tile by tile: slopes, forces and transport, from speeds to next speeds; and steps over sides of junctions
     kick      connections: forces and transport of faces between layers and at their columns
     cross     tile by tile: transfers, and the speeds that are kept; and next speeds of split sides
     cross     connections: their transfers, and the speeds that are kept
     move      passages, limits and depths (solver/pipes.c)

   Each pass reads only what earlier passes have written, so threads may divide the tiles in any way. */
#include "solver/momentum.h"

#include "solver/connections.h"
#include "solver/contact.h"
#include "solver/face_sweeps.h"
#include "solver/pipes.h"
#include "solver/tiles.h"

typedef struct tile_pass {
    substep step;
    const rn_face_sweeps *sweeps;
    bool retimed; /* tiles came to rest under other parameters */
    int stack;    /* number of tiles above each other that one thread kicks together */
    int first;    /* index of the first group of junctions, after the stacks or tiles */
} tile_pass;

enum { READ_AHEAD = 4 }; /* columns past the end of a tile that the loops read */

/* Whether the loops over the faces of a tile read past the upper edges of the grid. The last tile along an axis may
   have fewer columns than they read ahead: then this holds for the tile before it, too. */
static bool reads_past_grid(const rn_grid *g, rn_tile_place at) {
    return (at.x + 1) * RN_TILE_X + READ_AHEAD > g->nx || (at.y + 1) * RN_TILE_Y + READ_AHEAD > g->ny;
}

/* The cases that the loops over the faces of tile `index` must handle: those of this tile and of the eight around it,
   into which the loops read. The edge of the grid and places near the lid count as restricted. */
static rn_face_kind tile_kind(const rn_state *s, const rn_step_params *params, int32_t index) {
    const rn_grid *g = &s->columns.grid;
    const int across = rn_tiles_x(g), along = rn_tiles_y(g);
    const rn_tile_place at = rn_tile_at(g, index);
    rn_face_kind kind = {.tilted = params->tilt[0] != 0.0f || params->tilt[1] != 0.0f};
    float highest = 0.0f, deepest = 0.0f;
    for (int y = at.y - 1; y <= at.y + 1; y++)
        for (int x = at.x - 1; x <= at.x + 1; x++) {
            const bool outside = x < 0 || y < 0 || x >= across || y >= along;
            const rn_tile *tile = outside ? NULL : &s->schedule.tiles[index + (y - at.y) * across + (x - at.x)];
            kind.restricted = kind.restricted || outside || tile->gaps || tile->restricted || tile->junction;
            kind.falls = kind.falls || (tile && tile->falls);
            kind.sloped = kind.sloped || (tile && tile->bumpy);
            if (tile) raise(&highest, tile->highest), raise(&deepest, tile->deepest);
        }
    kind.restricted = kind.restricted || reads_past_grid(g, at) || !rn_is_far_from_lid(s, highest, deepest);
    kind.sloped = kind.sloped || s->columns.periodic_x || s->columns.periodic_y;
    return kind;
}

/* The part of tile `index` that spans `area`, the faces that may carry something or did so a substep ago: elsewhere all
   speeds and transfers are 0. Has at least one row, even if `area` is empty. */
static rn_patch active_patch(rn_state *s, int32_t index, rn_tile_mask area) {
    rn_patch patch = rn_tile_patch(s, index);
    rn_patch_narrow(&patch, area.blocks);
    int first = 0, end = patch.rows;
    while (first + 1 < end && !(area.lines >> first & 1u)) first++;
    while (end - 1 > first && !(area.lines >> (end - 1) & 1u)) end--;
    patch.first += first * s->columns.grid.stride;
    patch.rows = end - first;
    return patch;
}

/* The faces of tile `index` that may carry something now, or did so before (`was`); only where it has columns. */
static rn_tile_mask find_area(rn_state *s, int32_t index, rn_tile_mask was) {
    const rn_tile_mask some = s->schedule.tiles[index].columns, now = rn_tile_active(s, index);
    return (rn_tile_mask){(now.lines | was.lines) & some.lines, (now.blocks | was.blocks) & some.blocks};
}

/* ---- Stacks of tiles ----------------------------------------------------------------------------------------------

   A kick recomputes some rows around its patch. To save this, tiles above each other are kicked as one, as long as
   there are enough for all threads. */

enum { MOST_STACKED = 4, FEW = 64 }; /* most tiles in a stack; least tiles per thread */

/* The number of tiles above each other that are kicked as one: 1 or MOST_STACKED. */
static int stack_size(const rn_state *s, const rn_pool *pool) {
    const int threads = rn_pool_size(pool);
    return threads <= 2 || rn_tile_count(&s->columns.grid) >= FEW * threads ? MOST_STACKED : 1;
}

/* The number of stacks that cover the grid along y. */
static int stacks_along(const rn_grid *g, int stack) { return (rn_tiles_y(g) + stack - 1) / stack; }

/* Whether the same loops serve both kinds. */
static bool same_loops(rn_face_kind a, rn_face_kind b) {
    const bool any_a = a.restricted || a.falls || a.tilted, any_b = b.restricted || b.falls || b.tilted;
    return any_a == any_b && (any_a || a.sloped == b.sloped);
}

/* Prepares tile `index` for this substep: clears its limits, and decides whether it is stepped (awake) or rests. */
static void begin_tile(const tile_pass *pass, int32_t index) {
    rn_tile *tile = &pass->step.s->schedule.tiles[index];
    tile->limited[0] = tile->limited[1] = 0;
    tile->listed = false;
    tile->awake = !rn_tile_rests(&pass->step, index, pass->retimed);
}

/* The cost of kicking a patch, in columns, including those around it. */
static int patch_cost(const rn_patch *p) { return (p->rows + 4) * (p->columns + 6); }

/* Joins the patch with that of the tile above it, `more`, if this costs no more than both. Returns true if joined,
   otherwise *patch stays. */
static bool join_patches(const rn_grid *g, rn_patch *patch, const rn_patch *more) {
    const rn_spot a = rn_slot_place(g, patch->first), b = rn_slot_place(g, more->first);
    const int x = a.x < b.x ? a.x : b.x, end_a = a.x + patch->columns, end_b = b.x + more->columns;
    rn_patch both = *patch;
    both.first = rn_slot(g, a.layer, a.y, x);
    both.columns = (end_a > end_b ? end_a : end_b) - x;
    both.rows = b.y + more->rows - a.y;
    if (patch_cost(&both) > patch_cost(patch) + patch_cost(more)) return false;
    *patch = both;
    return true;
}

/* Kicks tile `index`, which is awake, and up to `most` - 1 tiles above it that are awake, of the same kind and worth
   joining; returns how many. */
static int kick_some(const tile_pass *pass, int32_t index, int most) {
    rn_state *s = pass->step.s;
    const int across = rn_tiles_x(&s->columns.grid);
    const rn_face_kind kind = tile_kind(s, pass->step.params, index);
    rn_patch patch = active_patch(s, index, find_area(s, index, s->schedule.tiles[index].active));
    int count = 1;
    for (; count < most; count++) {
        const int32_t next = index + count * across;
        if (!s->schedule.tiles[next].awake || !same_loops(kind, tile_kind(s, pass->step.params, next))) break;
        const rn_patch more = active_patch(s, next, find_area(s, next, s->schedule.tiles[next].active));
        if (!join_patches(&s->columns.grid, &patch, &more)) break;
    }
    pass->sweeps->kick(&pass->step, &patch, kind);
    return count;
}

/* A task over stacks: decides which tiles rest, and kicks the others: writes their next speeds. */
static void kick_stacks(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    const rn_grid *g = &pass->step.s->columns.grid;
    const int across = rn_tiles_x(g), along = rn_tiles_y(g), stacks = stacks_along(g, pass->stack);
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int layer = i / (stacks * across), y = i / across % stacks * pass->stack, x = i % across;
        const int32_t first = (layer * along + y) * across + x;
        const int count = along - y < pass->stack ? along - y : pass->stack;
        for (int k = 0; k < count; k++) begin_tile(pass, first + k * across);
        for (int k = 0; k < count;) {
            const int32_t index = first + k * across;
            k += pass->step.s->schedule.tiles[index].awake ? kick_some(pass, index, count - k) : 1;
        }
    }
}

/* A task over tiles: transfers and kept speeds of those that are awake; raises the worker's extremes. Tiles at rest
   raise only the speed of their waves. */
static void cross_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    rn_state *s = pass->step.s;
    rn_extremes *extremes = &s->schedule.extremes[worker];
    for (int32_t i = begin; i < end; i++) {
        rn_tile *tile = &s->schedule.tiles[i];
        tile->transfer = 0.0f;
        if (!tile->awake) {
            if (tile->height > 0.0f)
                raise_signal(extremes, sqrtf(pass->step.params->wave_factor * tile->height), tile->height, 0.0f);
            continue;
        }
        const rn_patch patch = active_patch(s, i, find_area(s, i, tile->active));
        tile->active = rn_tile_active(s, i);
        rn_face_maxima found;
        pass->sweeps->cross(&pass->step, &patch, tile_kind(s, pass->step.params, i), &found);
        tile->flows = found.flows;
        tile->transfer = found.transfer;
        raise_signal(extremes, found.signal, found.signal_depth, found.signal_speed);
        raise(&extremes->speed, found.speed);
        raise(&extremes->height, found.deepest);
    }
}

/* A task over stacks, then groups of junctions: kick and look. They are independent, and one pass saves a wait for
   all threads. */
static void kick_and_look(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    const int first = pass->first;
    if (begin < first) kick_stacks(context, begin, end < first ? end : first, worker);
    if (end > first) rn_connections_look(&pass->step, begin > first ? begin - first : 0, end - first);
}

/* A task over tiles, then groups of junctions: transfers, and sums over sides. */
static void cross_and_sum(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    const int first = pass->first;
    if (begin < first) cross_tiles(context, begin, end < first ? end : first, worker);
    if (end > first) rn_connections_sum(&pass->step, begin > first ? begin - first : 0, end - first);
}

/* A task over tiles: examines the columns of changed tiles again. `context`: the state. */
static void refresh_tiles(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; i++) rn_tile_refresh(context, i);
}

void rn_momentum_step(rn_state *s, const rn_step_params *params, rn_flood *flood, rn_pool *pool,
                      rn_extremes *extremes) {
    substep step = {s, params, RN_ISA_CHOSEN(rn_sweeps)};
    const bool retimed = rn_pipes_retimed(params, &s->schedule.last_params);
    tile_pass pass = {step, RN_ISA_CHOSEN(rn_face_sweeps), retimed, stack_size(s, pool), 0};
    const rn_grid *g = &s->columns.grid;
    const int32_t tiles = rn_tile_count(g);
    s->schedule.last_params = *params;
#if defined(RN_GPU)
    if (rn_gpu_step(&step, retimed, extremes)) return;
#endif
    if (s->schedule.stale) rn_parallel_for(pool, tiles, refresh_tiles, s);
    s->schedule.stale = false;
    rn_passages_hold(flood, s, params);
    const int groups = rn_connections_list(s);
    pass.first = g->layers * stacks_along(g, pass.stack) * rn_tiles_x(g);
    if (params->contact) rn_contact_find(&step, pool);
    rn_parallel_for(pool, pass.first + groups, kick_and_look, &pass);
    rn_connections_kick(&step, pool);
    mirror_faces(s, s->graph.next_x, s->graph.next_y);
    pass.first = tiles;
    rn_parallel_for(pool, tiles + groups, cross_and_sum, &pass);
    rn_connections_cross(&step, pool);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.transfer_x, s->graph.transfer_y);
    rn_pipes_move(&step, flood, pool);
    rn_passages_end(flood, s, params);
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.transfer_x, s->graph.transfer_y);
    rn_pipes_end(&step, pool, extremes);
}

/* ---- For the implicit step --------------------------------------------------------------------------------------- */

/* A task over tiles: kicks all that have columns, whole tiles, for an implicit substep. */
static void predict_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        if (!pass->step.s->schedule.tiles[i].columns.lines) continue;
        const rn_patch patch = rn_tile_patch(pass->step.s, i);
        pass->sweeps->kick(&pass->step, &patch, tile_kind(pass->step.s, pass->step.params, i));
    }
}

/* A task over tiles: finds the depths that cross their faces. */
static void width_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        if (!pass->step.s->schedule.tiles[i].columns.lines) continue;
        const rn_patch patch = rn_tile_patch(pass->step.s, i);
        pass->sweeps->widths(&pass->step, &patch);
    }
}

void rn_momentum_predict(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    tile_pass pass = {.step = *step, .sweeps = RN_ISA_CHOSEN(rn_face_sweeps)};
    const int32_t tiles = rn_tile_count(&s->columns.grid);
    if (s->schedule.stale) rn_parallel_for(pool, tiles, refresh_tiles, s);
    s->schedule.stale = false;
    rn_connections_look(step, 0, rn_connections_list(s));
    rn_parallel_for(pool, tiles, predict_tiles, &pass);
    rn_connections_kick(step, pool);
    rn_parallel_for(pool, tiles, width_tiles, &pass);
    rn_connections_cross(step, pool);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------ */

void rn_momentum_measure(rn_state *s, const rn_step_params *params, rn_extremes *extremes) {
    const rn_grid *g = &s->columns.grid;
    *extremes = (rn_extremes){0};
    rn_tiles_touch_all(s);
    s->connections.listings = 0; /* speeds of dry connections are undefined */
    mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    mirror_faces(s, s->graph.transfer_x, s->graph.transfer_y);
    mirror_rows(s, s->columns.depth);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++) {
            rn_row *row = rn_row_at(s, layer, y);
            row->wet = false;
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                const float depth = s->columns.depth[c];
                if (!(depth > 0.0f)) continue;
                row->wet = true;
                raise(&extremes->top, rn_column_level(&s->columns, c));
                raise(&extremes->deepest, depth);
                if (depth <= params->thin_depth) continue;
                const float a = fmaxf(fabsf(s->graph.speed_x[c]), fabsf(s->graph.speed_x[c - 1]));
                const float b = fmaxf(fabsf(s->graph.speed_y[c]), fabsf(s->graph.speed_y[c - g->stride]));
                raise(&extremes->height, depth);
                raise(&extremes->speed, fmaxf(a, b));
                raise(&extremes->flow_sum, a + b);
                raise_signal(extremes, sqrtf(params->wave_factor * depth) + 2.0f * (a + b), depth, a + b);
            }
        }
    mirror_wet(s);
}

/* ---- Fluxes for hosts ----------------------------------------------------------------------------------------- */

/* The flux (m^3/s) from column a to b, which counts `drop` (m) lower, at this speed (m/s) through the current
   cross-section. */
static float shown_flux(const rn_state *s, int32_t a, int32_t b, float drop, float speed) {
    return speed == 0.0f ? 0.0f : speed * (s->columns.width * rn_state_height(s, a, b, drop));
}

/* Sets a face's speed (m/s) from a flux (m^3/s) that the host has changed, 0 if the pipe is closed; if the flux is as
   shown, the speed stays. */
static void take_face(const rn_state *s, int32_t a, int32_t b, float flux, float *speed) {
    if (flux == shown_flux(s, a, b, 0.0f, *speed)) return;
    const float height = rn_state_height(s, a, b, 0.0f);
    *speed = height >= RN_CLOSED ? flux / (s->columns.width * height) : 0.0f;
}

void rn_momentum_show(rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    mirror_rows(s, s->columns.depth);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                s->columns.flux_x[c] = s->graph.pipe_x[c] ? shown_flux(s, c, c + 1, 0.0f, s->graph.speed_x[c]) : 0.0f;
                s->columns.flux_y[c] =
                    s->graph.pipe_y[c] ? shown_flux(s, c, c + g->stride, 0.0f, s->graph.speed_y[c]) : 0.0f;
            }
    for (int32_t i = 0; i < s->graph.irregular_count; i++)
        s->graph.irregular_flux[i] = shown_flux(s, s->graph.irregular_a[i], s->graph.irregular_b[i],
                                                s->graph.irregular_drop[i], s->graph.irregular_speed[i]);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
}

void rn_momentum_take(rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    mirror_rows(s, s->columns.depth);
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++)
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                if (s->graph.pipe_x[c]) take_face(s, c, c + 1, s->columns.flux_x[c], &s->graph.speed_x[c]);
                if (s->graph.pipe_y[c]) take_face(s, c, c + g->stride, s->columns.flux_y[c], &s->graph.speed_y[c]);
            }
}
