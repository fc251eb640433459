/* The second half of a substep, from transfers to depths, and the whole substep of `"model": "paper"`.

   Interface: rn_pipes_step takes a substep of the paper's model. rn_momentum_step (solver/momentum.c) finds
   transfers differently and calls rn_pipes_move and rn_pipes_end for the rest. The implicit step uses
   rn_pipes_limit, rn_pipes_free_shares, rn_pipes_depths and rn_pipes_end (solver/rows.h).

   Order of calls in rn_pipes_move, after the flow through passages is found and irregular pipes are checked:
   - reached_depths: makes all transfers at once, run by run of tiles. Each run marks the rows in which a column has
     given more than it had, or got more than it has room for;
   - undo_tiles, only around such rows: takes their transfers back, which is exact because depths are whole quanta;
   - limit_all, for these tiles: inflows first, then outflows. The share of a column is what it can take or give,
     divided by what it should. Every transfer is multiplied by the share of its column and cut to whole quanta;
   - listed_depths makes the transfers of these tiles again;
   - finish_substep: adds irregular pipes, and finds which rows are wet, and what the next substep needs to know of
     tiles.

   Few columns ever run dry or over, so it is faster to undo their transfers than to check all of them first. Where
   passages are flooded or edges are periodic, limits are found (check_tiles) before depths (move_with_passages),
   because a passage moves exactly what its columns get. The limits are those of docs/model.md, step 6; docs/paper.md
   has the fluxes of the paper's model. */
#include "solver/pipes.h"

#include "base/lanes.h"
#include "solver/irregular.h"
#include "solver/tiles.h"

/* The passes of one substep, in order. Each runs over tiles and reads only what earlier passes have written, so
   threads may divide the tiles in any way. */

/* ---- Fluxes (docs/paper.md) ----------------------------------------------------------------------------------- */

typedef struct wake_task {
    substep step;
    bool retimed; /* tiles came to rest under other parameters, for example another length of substep */
} wake_task;

enum { SMALL = 256 }; /* tiles */

/* A task over tiles: examines the columns of changed tiles again. `context`: the state. */
static void refresh_tiles(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int i = begin; i < end; i++) rn_tile_refresh(context, i);
}

/* The number of adjacent tiles per task: long rows suit caches, but a small world has few. */
static int tiles_per_task(const rn_state *s) {
    return rn_tile_count(&s->columns.grid) <= SMALL ? 1 : rn_tiles_x(&s->columns.grid);
}

/* The number of tasks of tiles_per_task tiles that cover all layers. */
static int task_count(const rn_state *s) { return rn_tile_count(&s->columns.grid) / tiles_per_task(s); }

/* Returns the pipes of tile `index` that may carry something now, which become tile->active, and those that did a
   substep ago, whose fluxes must be set to 0; only where the tile has columns. */
static rn_tile_mask update_active(rn_state *s, int32_t index) {
    const rn_tile_mask active = rn_tile_active(s, index), was = s->schedule.tiles[index].active,
                       some = s->schedule.tiles[index].columns;
    s->schedule.tiles[index].active = active;
    return (rn_tile_mask){(active.lines | was.lines) & some.lines, (active.blocks | was.blocks) & some.blocks};
}

/* A task over tiles: decides which rest, and finds fluxes and transfers of the others, as if no column could run dry or
   over. Raises the worker's highest speed. */
static void find_tile_fluxes(void *context, int begin, int end, int worker) {
    const wake_task *a = context;
    const substep *step = &a->step;
    rn_state *s = step->s;
    for (int32_t i = begin; i < end; i++) {
        rn_tile *tile = &s->schedule.tiles[i];
        tile->limited[0] = tile->limited[1] = 0;
        tile->listed = false;
        tile->awake = !rn_tile_rests(step, i, a->retimed);
        tile->transfer = tile->awake ? INFINITY : 0.0f; /* not known */
        if (!tile->awake) continue;
        const rn_tile_mask area = update_active(s, i);
        rn_patch patch = rn_tile_patch(s, i);
        rn_patch_narrow(&patch, area.blocks);
        patch.lines = area.lines;
        rn_swept found = {0};
        step->sweeps->fluxes(step, &patch, &found);
        tile->flows = found.flows;
        raise(&s->schedule.extremes[worker].speed, found.speed);
    }
}

/* Decides which tiles rest in this substep, finds fluxes and transfers of all ordinary pipes in the others by the
   paper's equations, not limited yet, and copies them across periodic edges. Examines changed tiles again and stores
   the parameters for the next substep to compare with: call it once per substep. */
static void find_fluxes(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    wake_task a = {*step, rn_pipes_retimed(step->params, &s->schedule.last_params)};
    s->schedule.last_params = *step->params;
    if (s->schedule.stale) rn_parallel_for(pool, rn_tile_count(&s->columns.grid), refresh_tiles, s);
    s->schedule.stale = false;
    rn_parallel_for(pool, rn_tile_count(&s->columns.grid), find_tile_fluxes, &a);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    mirror_pipes(s, s->graph.transfer_x, s->graph.transfer_y);
}

/* ---- Limits (docs/model.md, step 6) ----------------------------------------------------------------------- */

/* A pass over the first `count` tiles of schedule.tile_list, and which of their rows it works on. */
typedef struct tile_pass {
    substep step;
    int32_t count;
    bool all_lines; /* all rows of the tiles: it is not known where limits are needed */
    bool curbs;     /* only rows that need limits, or that these can change */
    bool in;        /* limits inflows, otherwise outflows */
} tile_pass;

/* Tiles of tile_list that lanes list together. */
typedef struct listing {
    rn_state *s;
    int32_t count;
} listing;

/* By lanes: clears the marks of listed tiles. */
static void unmark_by_lanes(const void *context) {
    const listing *job = context;
    const rn_schedule *schedule = &job->s->schedule;
    RN_FOR_ITEMS (i, 0, job->count) schedule->tiles[schedule->tile_list[i]].listed = 0;
}

/* Clears the marks of the first `count` listed tiles, so that they can be listed again. */
static void unmark_listed(rn_state *s, int32_t count) { rn_lanes_run(unmark_by_lanes, (&(listing){s, count})); }

/* The work of list_all_tiles, by lanes; context: the address of the state. */
static void all_by_lanes(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    RN_FOR_ITEMS (i, 0, rn_tile_count(&s->columns.grid)) s->schedule.tile_list[i] = i;
}

/* Lists all tiles without marking them, and returns their number. */
static int32_t list_all_tiles(rn_state *s) {
    rn_lanes_run(all_by_lanes, &s);
    return rn_tile_count(&s->columns.grid);
}

/* The i-th tile of the list. */
static const rn_tile *listed_tile(const tile_pass *pass, int i) {
    return &pass->step.s->schedule.tiles[pass->step.s->schedule.tile_list[i]];
}

/* The part of the i-th listed tile that a pass works on: all of it with `all_lines`, otherwise what transfers can have
   reached; with `curbs` only rows of `lines`. */
static rn_patch listed_patch(const tile_pass *pass, int i, uint32_t lines) {
    const rn_state *s = pass->step.s;
    rn_patch patch = rn_tile_patch(s, s->schedule.tile_list[i]);
    if (!pass->all_lines) {
        rn_patch_narrow(&patch, listed_tile(pass, i)->columns.blocks);
        patch.lines = rn_tile_reached(s, s->schedule.tile_list[i]).lines;
    }
    if (pass->curbs) patch.lines &= lines;
    return patch;
}

/* The rows of the i-th listed tile, as bits, whose depths are found again. */
static uint32_t redone_lines(const rn_state *s, int i) {
    const rn_tile *tile = &s->schedule.tiles[s->schedule.tile_list[i]];
    return tile->redone[0] | tile->redone[1];
}

/* A task over listed tiles: finds the shares of their columns, of inflows or outflows as pass->in says. In the pass
   over outflows, rows that only have shares of inflows are set back to 1. */
static void share_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const uint32_t *limited = listed_tile(pass, i)->limited;
        const rn_patch patch = listed_patch(pass, i, limited[pass->in]);
        if (!pass->in && pass->curbs) {
            const rn_patch taken = listed_patch(pass, i, limited[1] & ~limited[0]);
            pass->step.sweeps->free_shares(&pass->step, &taken);
        }
        if (pass->step.sweeps->shares(&pass->step, &patch, pass->in))
            __atomic_store_n(&s->schedule.limited[pass->in], true, __ATOMIC_RELAXED);
    }
}

/* A task over listed tiles: multiplies their inflows or outflows, as pass->in says, by the shares of their columns. */
static void limit_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_patch patch = listed_patch(pass, i, listed_tile(pass, i)->redone[pass->in]);
        pass->step.sweeps->limits(&pass->step, &patch, pass->in);
    }
}

/* Copies shares of all rows across periodic edges. */
static void mirror_shares(rn_state *s) {
    for (int r = 0; (s->columns.periodic_x || s->columns.periodic_y) && r < row_count(s); r++)
        mirror_row(s, s->graph.share, row_at(s, r).layer, row_at(s, r).y);
}

/* Limits the inflows (`in`) or outflows of all listed tiles and of irregular pipes to what columns can take or give.
   Leaves the shares; the caller sets them back to 1. */
static void limit_flows(tile_pass *pass, rn_pool *pool, bool in) {
    rn_state *s = pass->step.s;
    pass->in = in;
    s->schedule.limited[in] = false;
    rn_parallel_for(pool, pass->count, share_tiles, pass);
    rn_irregular_shares(&pass->step, in, pass->all_lines);
    if (!s->schedule.limited[in]) return;
    mirror_shares(s);
    rn_parallel_for(pool, pass->count, limit_tiles, pass);
    rn_irregular_limits(&pass->step, in);
    if (s->graph.momentum) mirror_faces(s, s->graph.speed_x, s->graph.speed_y);
    else mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    mirror_pipes(s, s->graph.transfer_x, s->graph.transfer_y);
}

/* A task over listed tiles: sets the shares of limited rows back to 1. */
static void reset_tile_shares(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const uint32_t *limited = listed_tile(pass, i)->limited;
        const rn_patch patch = listed_patch(pass, i, limited[0] | limited[1]);
        pass->step.sweeps->free_shares(&pass->step, &patch);
    }
}

/* Sets all shares of listed tiles and junctions back to 1. */
static void reset_shares(tile_pass *pass, rn_pool *pool) {
    rn_parallel_for(pool, pass->count, reset_tile_shares, pass);
    rn_irregular_free_shares(pass->step.s);
    mirror_shares(pass->step.s);
}

void rn_pipes_limit(substep *step, rn_pool *pool, bool in) {
    tile_pass pass = {*step, list_all_tiles(step->s), .all_lines = true};
    limit_flows(&pass, pool, in);
}

/* ---- Depths (step 7) ------------------------------------------------------------------------------------------ */

/* All rows of a patch, as bits, whether they are to be processed or not. */
static uint32_t patch_lines(const rn_patch *patch) { return UINT32_MAX >> (32 - patch->rows); }

/* The room (m) below the lid that every column of a tile has at least; ceilings do not count. */
static float least_room(const rn_state *s, const rn_tile *tile) {
    return s->columns.lid - tile->highest - tile->deepest;
}

/* Whether a tile is so near the lid that the room of each column must be checked. Elsewhere it is enough to look at the
   deepest column afterwards. */
static bool is_near_lid(const rn_state *s, const rn_tile *tile) {
    const float room = least_room(s, tile);
    return !(room > 2.0f * RN_FULL * s->columns.quantum && room > 1.5f * tile->deepest);
}

/* The rows of a tile, as bits, that cannot run dry: all or none. */
static uint32_t lines_that_stay_wet(const rn_state *s, int32_t index) {
    return rn_tile_may_run_dry(s, index) ? 0 : UINT32_MAX;
}

/* The rows of a tile, as bits, whose room is checked column by column: all if the lid is near. */
static uint32_t gated_lines(const rn_state *s, int32_t index, bool near_lid) {
    return near_lid ? UINT32_MAX : s->schedule.tiles[index].restricted;
}

/* Marks the rows of `count` tiles from `first` on where limits are needed, as `found` says. Far from the lid the
   deepest column decides whether a tile may be overfilled. */
static void note_limits(rn_state *s, int32_t first, int count, bool near_lid, const rn_swept *found) {
    for (int i = 0; i < count; i++) {
        rn_tile *tile = &s->schedule.tiles[first + i];
        const float room = least_room(s, tile),
                    most = found->under[i] ? rn_tile_inflow(s, first + i) : found->deepest[i];
        const bool may_be_over = !near_lid && !(most < room);
        rn_tile_limit(s, tile, found->under[i], may_be_over ? UINT32_MAX : found->over[i]);
    }
}

/* Makes the transfers of all pipes but irregular ones in `count` tiles from `first` on along x, for the rows of
   `patch`, which covers them; rows of patch->look_only are only examined. Marks the rows of each tile in which
   transfers were, or may have been, too large (rn_tile_limit), and sets deepest, shallowest and wet of the tiles. All
   must be near the lid, or none (is_near_lid). */
static void depth_run(const substep *step, rn_patch *patch, int32_t first, int count) {
    rn_state *s = step->s;
    const bool near_lid = is_near_lid(s, &s->schedule.tiles[first]);
    patch->cannot_dry = UINT32_MAX;
    patch->restricted = 0;
    for (int i = 0; i < count; i++) {
        patch->cannot_dry &= lines_that_stay_wet(s, first + i);
        patch->restricted |= gated_lines(s, first + i, near_lid);
    }
    patch->restricted &= patch_lines(patch);
    rn_swept found = {0};
    step->sweeps->depths(step, patch, &found);
    note_limits(s, first, count, near_lid, &found);
    for (int i = 0; i < count; i++) {
        rn_tile *tile = &s->schedule.tiles[first + i];
        tile->deepest = found.deepest[i];
        tile->shallowest = patch->lines == UINT32_MAX && !patch->narrow ? found.shallowest[i] : 0.0f;
        tile->wet = found.wet[i];
    }
}

/* A task over runs of tiles: makes the transfers of all tiles that transfers may have reached, similar neighbours
   together. */
static void reached_depths(void *context, int begin, int end, int worker) {
    const substep *step = context;
    const rn_state *s = step->s;
    const int per_task = tiles_per_task(s), across = rn_tiles_x(&s->columns.grid);
    (void)worker;
    for (int32_t first = begin * per_task, stop; first < end * per_task; first = stop) {
        stop = first + 1;
        if (!rn_tile_is_reached(s, first)) continue;
        const bool near = is_near_lid(s, &s->schedule.tiles[first]), restricted = s->schedule.tiles[first].restricted;
        const rn_tile_mask area = rn_tile_reached(s, first);
        uint32_t lines = area.lines;
        rn_patch patch = rn_run_patch(s, first, 1);
        rn_patch_narrow(&patch, area.blocks);
        while (!patch.narrow && stop < end * per_task && stop % across && stop - first < RN_RUN &&
               rn_tile_is_reached(s, stop) && is_near_lid(s, &s->schedule.tiles[stop]) == near &&
               !s->schedule.tiles[stop].restricted == !restricted)
            lines |= rn_tile_reached(s, stop++).lines;
        if (stop > first + 1) patch = rn_run_patch(s, first, stop - first);
        patch.lines = lines | ~patch_lines(&patch);
        depth_run(step, &patch, first, stop - first);
    }
}

/* A task over listed tiles: makes their transfers. A pass that curbs changes only the rows to be redone, and only
   examines the others. */
static void listed_depths(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    const rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        rn_patch patch = listed_patch(pass, i, redone_lines(s, i));
        if (pass->curbs) patch.look_only = ~patch.lines;
        if (!pass->all_lines) patch.lines = rn_tile_reached(s, s->schedule.tile_list[i]).lines;
        patch.lines |= ~patch_lines(&patch);
        depth_run(&pass->step, &patch, s->schedule.tile_list[i], 1);
    }
}

/* A task over listed tiles: marks the rows where transfers are too large, without making them. */
static void check_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    rn_state *s = pass->step.s;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const int32_t tile = s->schedule.tile_list[i];
        const float room = least_room(s, &s->schedule.tiles[tile]);
        rn_patch patch = listed_patch(pass, i, UINT32_MAX);
        rn_swept found = {0};
        patch.cannot_dry = lines_that_stay_wet(s, tile);
        patch.restricted =
            gated_lines(s, tile, !(room > RN_FULL * s->columns.quantum && rn_tile_inflow(s, tile) < room));
        pass->step.sweeps->check(&pass->step, &patch, &found);
        note_limits(s, tile, 1, true, &found);
    }
}

/* A task over listed tiles: takes back the transfers of the rows to be redone. */
static void undo_tiles(void *context, int begin, int end, int worker) {
    const tile_pass *pass = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_patch patch = listed_patch(pass, i, redone_lines(pass->step.s, i));
        pass->step.sweeps->undo(&pass->step, &patch);
    }
}

/* ---- After the transfers ---------------------------------------------------------------------------------------- */

#if defined(RN_GPU)
enum { BANDS = INT32_MAX };
#else
enum { BANDS = 64 };
#endif
/* Rows of tiles: with at most BANDS, one thread, or the lanes of a block, settle them faster than several. */

/* A task over rows of tiles: finds which tiles come to rest, how deep they are, and marks their rows as wet or not, a
   whole row of tiles alike. Clears `touched` of tiles and zero_flux of rows. Raises the worker's deepest. */
static void settle_bands(void *context, int begin, int end, int worker) {
    rn_state *s = context;
    const rn_grid *g = &s->columns.grid;
    const int across = rn_tiles_x(g), along = rn_tiles_y(g);
    for (int band = begin; band < end; band++) {
        bool wet = false;
        for (int i = band * across; i < (band + 1) * across; i++) {
            rn_tile *tile = &s->schedule.tiles[i];
            if (tile->awake) tile->rest = tile->flows ? 0 : tile->rest < 2 ? (uint8_t)(tile->rest + 1) : 2;
            if (tile->touched) tile->rest = 0;
            if (tile->rest == 0 || tile->awake) tile->looked = false;
            tile->touched = false;
            if (!(tile->stale.lines | tile->columns.lines)) tile->deepest = 0.0f, tile->wet = (rn_tile_mask){0};
            wet = wet || tile->deepest > 0.0f;
            rn_short_raise(&s->schedule.extremes[worker].deepest, tile->deepest);
        }
        const int layer = band / along, first = band % along * RN_TILE_Y;
        for (int y = first; y < first + RN_TILE_Y && y < g->ny; y++) {
            rn_row_at(s, layer, y)->wet = wet;
            rn_row_at(s, layer, y)->zero_flux = false;
        }
    }
}

/* Adds the transfers of irregular pipes, then finds which rows are wet and which tiles rest, and copies depths across
   periodic edges. */
static void finish_substep(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    rn_irregular_depths(step, pool);
    const int bands = s->columns.grid.layers * rn_tiles_y(&s->columns.grid);
    if (bands <= BANDS) rn_short_for(pool, bands, settle_bands, s);
    else rn_parallel_for(pool, bands, settle_bands, s);
    for (int r = 0; (s->columns.periodic_x || s->columns.periodic_y) && r < row_count(s); r++)
        mirror_row(s, s->columns.depth, row_at(s, r).layer, row_at(s, r).y);
    mirror_wet(s);
}

/* By lanes: wakes all tiles; context: the address of the state. */
static void wake_by_lanes(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    RN_FOR_ITEMS (i, 0, rn_tile_count(&s->columns.grid)) {
        s->schedule.tiles[i].touched = true;
        s->schedule.tiles[i].active = (rn_tile_mask){UINT32_MAX, UINT32_MAX};
    }
}

void rn_pipes_depths(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    tile_pass pass = {*step, list_all_tiles(s), .all_lines = true};
    rn_parallel_for(pool, pass.count, listed_depths, &pass);
    rn_lanes_run(wake_by_lanes, &s);
    finish_substep(step, pool);
}

typedef struct gathering {
    rn_state *s;
    const rn_pool *pool;
    rn_extremes *extremes;
} gathering;

/* The work of gather_peaks, by lanes. Of the fastest signals the deepest counts, then the one with the fastest flow. */
static void gather_by_lanes(const void *context) {
    const gathering *job = context;
    rn_extremes own = {0}, all = {0};
    RN_FOR_ITEMS (i, 0, rn_pool_size(job->pool)) {
        rn_extremes *found = &job->s->schedule.extremes[i];
        raise(&own.height, found->height);
        raise(&own.speed, found->speed);
        raise(&own.flow_sum, found->flow_sum);
        raise(&own.deepest, found->deepest);
        raise_signal(&own, found->signal_speed, found->signal_depth, found->signal_flow);
        *found = (rn_extremes){0};
    }
    all.height = rn_lanes_greatest(own.height);
    all.speed = rn_lanes_greatest(own.speed);
    all.flow_sum = rn_lanes_greatest(own.flow_sum);
    all.deepest = rn_lanes_greatest(own.deepest);
    all.signal_speed = rn_lanes_greatest(own.signal_speed);
    if (own.signal_speed < all.signal_speed) own.signal_depth = own.signal_flow = 0.0f;
    all.signal_depth = rn_lanes_greatest(own.signal_depth);
    if (own.signal_depth < all.signal_depth) own.signal_flow = 0.0f;
    all.signal_flow = rn_lanes_greatest(own.signal_flow);
    if (rn_lanes_own() == 0) *job->extremes = all;
}

/* Sets *extremes to the largest of all threads, and clears theirs. */
static void gather_peaks(rn_state *s, const rn_pool *pool, rn_extremes *extremes) {
    rn_lanes_run(gather_by_lanes, (&(gathering){s, pool, extremes}));
}

/* Clears the levels from before solid moved: liquid has found its own. Only junctions can be partly solid. By lanes;
   context: the address of the state. */
static void clear_pre_move_levels(const void *context) {
    const rn_state *s = *(rn_state *const *)context;
    RN_FOR_ITEMS (i, 0, s->graph.junction_count) s->columns.pre_move_level[s->graph.junctions[i].slot] = 0.0f;
}

void rn_pipes_end(substep *step, rn_pool *pool, rn_extremes *extremes) {
    if (step->s->columns.partial) rn_lanes_run(clear_pre_move_levels, &step->s);
    gather_peaks(step->s, pool, extremes);
    step->s->graph.step++;
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* The work of list_reached, by lanes; context: the address of the state. */
static void reached_by_lanes(const void *context) {
    rn_schedule *schedule = &(*(rn_state *const *)context)->schedule;
    const int32_t tiles = rn_tile_count(&(*(rn_state *const *)context)->columns.grid);
    int32_t count = 0;
    RN_FOR_ROUNDS (i, 0, tiles) {
        const bool there = i < tiles && rn_tile_is_reached(*(rn_state *const *)context, i);
        const int32_t place = rn_lanes_place(there, &count);
        if (!there) continue;
        schedule->tiles[i].listed = 1;
        schedule->tile_list[place] = i;
    }
    if (rn_lanes_own() == 0) schedule->tile_count = count;
}

/* Lists and marks the tiles that a transfer may have reached, of which none must be marked; returns their number. */
static int32_t list_reached(rn_state *s) {
    rn_lanes_run(reached_by_lanes, &s);
    return s->schedule.tile_count;
}

/* The work of list_limited, by lanes; context: the address of the state. */
static void limited_by_lanes(const void *context) {
    rn_state *s = *(rn_state *const *)context;
    rn_schedule *schedule = &s->schedule;
    const int across = rn_tiles_x(&s->columns.grid), along = rn_tiles_y(&s->columns.grid);
    if (rn_lanes_own() == 0) schedule->tile_count = 0;
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, rn_tile_count(&s->columns.grid)) {
        if (!(schedule->tiles[i].limited[0] | schedule->tiles[i].limited[1])) continue;
        const rn_tile_place at = rn_tile_at(&s->columns.grid, i);
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                if (at.x + dx < 0 || at.x + dx >= across || at.y + dy < 0 || at.y + dy >= along) continue;
                const int32_t tile = i + dy * across + dx;
                if (!rn_short_claim(&schedule->tiles[tile].listed)) continue;
                schedule->tile_list[rn_short_count(&schedule->tile_count)] = tile;
            }
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, schedule->tile_count)
        for (int in = 0; in < 2; in++)
            schedule->tiles[schedule->tile_list[i]].redone[in] = rn_tile_curbed(s, schedule->tile_list[i], in);
}

/* Lists and marks tiles with transfers to limit and those around them, which share their pipes; sets the rows to be
   redone in each. Returns the number of tiles. Does not look across periodic edges. */
static int32_t list_limited(rn_state *s) {
    rn_lanes_run(limited_by_lanes, &s);
    return s->schedule.tile_count;
}

/* Limits inflows, then outflows, of the listed tiles, each only if some column would run over or dry. Marks columns
   whose inflow was cut as pressed (rn_flood_press). Shares are 1 again afterwards. */
static void limit_all(tile_pass *pass, rn_pool *pool) {
    rn_state *s = pass->step.s;
    const bool under = s->schedule.limited[0], over = s->schedule.limited[1];
    if (over) {
        limit_flows(pass, pool, true);
        rn_flood_press(s, pass->count);
    }
    if (under) limit_flows(pass, pool, false);
    reset_shares(pass, pool);
}

/* Makes all transfers without passages and periodic edges. Few are ever limited: around tiles where some were too
   large, they are undone and made again. */
static void move_plainly(substep *step, rn_pool *pool) {
    rn_state *s = step->s;
    tile_pass pass = {.step = *step};
    rn_parallel_for(pool, task_count(s), reached_depths, step);
    if (!s->schedule.limited[0] && !s->schedule.limited[1]) return;
    pass.count = list_limited(s);
    pass.curbs = true;
    rn_parallel_for(pool, pass.count, undo_tiles, &pass);
    limit_all(&pass, pool);
    rn_parallel_for(pool, pass.count, listed_depths, &pass);
}

/* Makes all transfers if passages are full or edges periodic. Limits are found first, because the transfers of passages
   follow them, and because tiles at periodic edges have other neighbours. Also moves liquid through passages. */
static void move_with_passages(substep *step, rn_flood *flood, rn_pool *pool) {
    rn_state *s = step->s;
    tile_pass pass = {.step = *step, .count = list_reached(s)};
    rn_parallel_for(pool, pass.count, check_tiles, &pass);
    if (s->schedule.limited[0] || s->schedule.limited[1]) {
        unmark_listed(s, pass.count);
        const bool periodic = s->columns.periodic_x || s->columns.periodic_y;
        pass.count = periodic ? list_reached(s) : list_limited(s);
        pass.curbs = !periodic;
        limit_all(&pass, pool);
        pass.curbs = false;
        unmark_listed(s, pass.count);
        pass.count = list_reached(s);
    }
    rn_passages_move(flood, s, step->params, &s->schedule.extremes[0]);
    rn_parallel_for(pool, pass.count, listed_depths, &pass);
}

void rn_pipes_move(substep *step, rn_flood *flood, rn_pool *pool) {
    rn_state *s = step->s;
    rn_passages_drive(flood, s, step->params, pool);
    s->schedule.limited[0] = s->schedule.limited[1] = false;
    rn_irregular_check(step, pool);
    if (flood->duct_count > 0 || s->columns.periodic_x || s->columns.periodic_y) move_with_passages(step, flood, pool);
    else move_plainly(step, pool);
    finish_substep(step, pool);
}

void rn_pipes_step(rn_state *s, const rn_step_params *params, rn_flood *flood, rn_pool *pool, rn_extremes *extremes) {
    substep step = {s, params, RN_ISA_CHOSEN(rn_sweeps)};
    rn_irregular_look(&step);
    rn_passages_hold(flood, s, params);
    find_fluxes(&step, pool);
    rn_irregular_fluxes(&step, pool);
    rn_pipes_move(&step, flood, pool);
    rn_passages_end(flood, s, params);
    rn_pipes_end(&step, pool, extremes);
}

void rn_pipes_free_shares(substep *step, rn_pool *pool) {
    tile_pass pass = {*step, list_all_tiles(step->s), .all_lines = true};
    reset_shares(&pass, pool);
}
