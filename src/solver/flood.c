/* Finds flooded columns (solver/flood.h): rn_flood_look before the lists of passages are made (solver/flood_lists.c),
   rn_flood_press once inflows are limited, and rn_flood_is_new for implicit substeps.

   The full columns under ceilings are flooded, with hysteresis: a column with a head stays flooded up to RN_STILL_FULL
   quanta of room. They are found by rows, then parts of rows, blocks of columns and columns; on a GPU lanes share each
   of these. */
#include "solver/flood.h"

#include "base/lanes.h"
#include "base/memory.h"
#include "solver/flood_pipes.h"
#include "solver/graph.h"
#include "solver/tiles.h"

#include <string.h>

void rn_flood_free(rn_flood *flood, const rn_hooks *hooks) {
    void *const arrays[] = {flood->nodes, flood->ducts, flood->portals,    flood->passages, flood->flooded,
                            flood->found, flood->place, flood->net_inflow, flood->numbers,  flood->order,
                            flood->ends,  flood->depth, flood->label,      flood->doors,    flood->sums,
                            flood->parts, flood->blocks};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) rn_free(hooks, arrays[i]);
    rn_multigrid_free(&flood->grid);
}

size_t rn_flood_bytes(const rn_flood *flood) {
    return flood->node_capacity * sizeof(rn_node) + flood->duct_capacity * sizeof(rn_duct) +
           flood->portal_capacity * sizeof(rn_portal) + flood->passage_capacity * sizeof(rn_passage) +
           (flood->flooded_capacity + flood->found_capacity + flood->place_capacity + flood->number_capacity +
            flood->order_capacity + flood->end_capacity + flood->depth_capacity + flood->label_capacity +
            flood->door_capacity + flood->part_capacity + 2 * flood->block_capacity) *
               sizeof(int32_t) +
           (flood->net_inflow_capacity + flood->sum_capacity) * sizeof(int64_t) + rn_multigrid_bytes(&flood->grid);
}

/* Whether some column of a row from slot `first` to before `end` may be flooded: a quick test, which may be true for
   others (whole vectors, past `end` too). */
static bool may_be_flooded(const rn_state *s, int32_t first, int32_t end) {
    const float least = RN_STILL_FULL * s->columns.quantum;
    rn_mask full = {0};
    for (int32_t c = first; c < end; c += RN_LANES) {
        const rn_wide ceil = rn_load(s->columns.ceil + c),
                      room = (ceil - rn_load(s->columns.base + c)) - rn_load(s->columns.depth + c);
        const rn_wide taken = s->columns.partial ? rn_load(s->columns.solid_depth + c) : rn_splat(0.0f);
        full |= (room - taken <= least) & (ceil < s->columns.lid);
    }
    return rn_any(full);
}

typedef struct low_search {
    const rn_state *s;
    int32_t slot;
    bool found;
} low_search;

/* A visitor; context: a low_search. Looks for a neighbour that is not full and whose level is below this column's
   ceiling; sets `found` and stops at the first. */
static bool look_low(void *context, const rn_pipe_ends *p, int32_t other) {
    low_search *look = context;
    const rn_state *s = look->s;
    const float drop = other == p->b ? p->drop : -p->drop;
    look->found = !rn_flood_is_full(s, other) && rn_column_level(&s->columns, other) - drop <
                                                     s->columns.ceil[look->slot] - RN_FULL * s->columns.quantum;
    return !look->found;
}

/* Whether a column counts as flooded: full, or pressed and wet. With heads, a column that was released is not, for this
   substep. The paper's methods have no pressure: liquid above a free surface beside it drains, so a column with a lower
   neighbour is not. Clears RN_HEAD_PRESSED, and RN_HEAD_GONE of full columns. */
static bool is_flooded(rn_state *s, int32_t slot) {
    if (s->graph.headed && s->graph.head[slot] == RN_HEAD_PRESSED) {
        s->graph.head[slot] = 0.0f;
        return rn_column_is_roofed(&s->columns, slot) && s->columns.depth[slot] > 0.0f;
    }
    if (!rn_flood_is_full(s, slot)) return false;
    if (s->graph.headed) {
        if (s->graph.head[slot] >= 0.0f) return true;
        s->graph.head[slot] = 0.0f; /* released for one substep; if it does not drain, it is flooded again */
        return false;
    }
    low_search look = {.s = s, .slot = slot};
    rn_visit_pipes(s, slot, look_low, &look);
    return !look.found;
}

/* Whether the columns of a row may be flooded, by what is known of the row. */
static bool is_likely_row(const rn_state *s, int32_t r) {
    const row_ref at = row_at(s, r);
    const rn_row *row = rn_row_at(s, at.layer, at.y);
    return row->roofed && (row->pressed || row->wet);
}

/* Whether the columns of a part, a row of a tile, may be flooded, by what is known of both. Parts are counted along
   rows. */
static bool is_likely(const rn_state *s, int32_t part) {
    const int across = rn_tiles_x(&s->columns.grid);
    const row_ref at = row_at(s, part / across);
    if (rn_row_at(s, at.layer, at.y)->pressed) return true;
    const rn_tile *tile = rn_tile_of(s, rn_slot(&s->columns.grid, at.layer, at.y, 0)) + part % across;
    const bool partial = s->columns.partial && tile->junction; /* headroom ignores partial solids */
    return tile->stale.lines || partial || !(tile->deepest < tile->headroom - RN_STILL_FULL * s->columns.quantum);
}

/* Columns that are examined together: by lanes of a GPU one by one, on a CPU only if some may be flooded. */
#if defined(RN_GPU)
enum { BLOCK = RN_TILE_BLOCK };
#else
enum { BLOCK = RN_TILE_X };
#endif
enum { BLOCKS = RN_TILE_X / BLOCK };

/* Whether a column from slot `first` to before `end` has a ceiling. Others are not pressed: columns that lose their
   ceiling lose their mark in `head` too (solver/reshape.c). */
static bool has_roof(const rn_state *s, int32_t first, int32_t end) {
    for (int32_t c = first; c < end; c++)
        if (rn_column_is_roofed(&s->columns, c)) return true;
    return false;
}

/* Whether a block of columns of a part may have flooded ones. Sets range[0] to its first slot and range[1] to one past
   its last. */
static bool is_likely_block(const rn_state *s, int32_t part, int block, int32_t range[2]) {
    const int across = rn_tiles_x(&s->columns.grid);
    const row_ref at = row_at(s, part / across);
    const int x = part % across * RN_TILE_X + block * BLOCK, left = s->columns.grid.nx - x;
    range[0] = rn_slot(&s->columns.grid, at.layer, at.y, x);
    range[1] = range[0] + (left < BLOCK ? left : BLOCK);
    if (left <= 0) return false;
    return rn_row_at(s, at.layer, at.y)->pressed ? has_roof(s, range[0], range[1])
                                                 : may_be_flooded(s, range[0], range[1]);
}

typedef struct finding {
    rn_flood *flood;
    rn_state *s;
} finding;

/* By lanes: writes the flooded columns to `found`, in order of slots: finds rows, their parts, blocks of these, and
   then columns. Clears `pressed` of rows, and marks in `head` as is_flooded does. Sets flood->missed; if it is true,
   `found` is empty. */
static void find_by_lanes(const void *context) {
    rn_flood *flood = ((const finding *)context)->flood;
    rn_state *s = ((const finding *)context)->s;
    const rn_hooks *hooks = &s->columns.hooks;
    const int across = rn_tiles_x(&s->columns.grid);
    int32_t *const list = s->schedule.row_list, rows = 0, parts = 0, blocks = 0, count = 0, range[2];
    bool fine = true;
    RN_FOR_ROUNDS (r, 0, row_count(s)) {
        const bool there = r < row_count(s) && is_likely_row(s, r);
        const int32_t place = rn_lanes_place(there, &rows);
        if (there) list[place] = r;
    }
    rn_lanes_meet();
    RN_FOR_ROUNDS (i, 0, rows * across) {
        const int32_t part = i < rows * across ? list[i / across] * across + i % across : 0;
        const bool there = i < rows * across && is_likely(s, part);
        const int32_t place = rn_lanes_place(there, &parts);
        if (!there) continue;
        fine = fine && rn_grow(hooks, &flood->parts, &flood->part_capacity, (size_t)place, sizeof *flood->parts);
        if (fine) flood->parts[place] = part;
    }
    if (rn_lanes_any(!fine)) parts = 0;
    RN_FOR_ROUNDS (i, 0, parts * BLOCKS) {
        const bool there = i < parts * BLOCKS && is_likely_block(s, flood->parts[i / BLOCKS], i % BLOCKS, range);
        const int32_t place = rn_lanes_place(there, &blocks);
        if (!there) continue;
        fine = fine && rn_grow(hooks, &flood->blocks, &flood->block_capacity, (size_t)place, sizeof range);
        if (fine) memcpy(flood->blocks + 2 * place, range, sizeof range);
    }
    if (rn_lanes_any(!fine)) blocks = 0;
    RN_FOR_ROUNDS (i, 0, blocks * BLOCK) {
        bool there = i < blocks * BLOCK;
        const int32_t *const block = flood->blocks + (there ? 2 * (i / BLOCK) : 0),
                             c = there ? block[0] + i % BLOCK : 0;
        there = there && c < block[1] && is_flooded(s, c);
        const int32_t place = rn_lanes_place(there, &count);
        if (!there) continue;
        fine = fine && rn_grow(hooks, &flood->found, &flood->found_capacity, (size_t)place, sizeof *flood->found);
        if (fine) flood->found[place] = c;
    }
    fine = !rn_lanes_any(!fine);
    bool differs = (size_t)count != flood->flooded_count;
    RN_FOR_ITEMS (i, 0, differs || !fine ? 0 : count) differs = differs || flood->found[i] != flood->flooded[i];
    differs = rn_lanes_any(differs);
    RN_FOR_ITEMS (i, 0, fine ? rows : 0) rn_row_at(s, row_at(s, list[i]).layer, row_at(s, list[i]).y)->pressed = false;
    if (rn_lanes_own() > 0) return;
    flood->found_count = fine ? (size_t)count : 0;
    flood->differs = differs;
    flood->missed = !fine;
}

rn_result rn_flood_look(rn_flood *flood, rn_state *s) {
    rn_lanes_run(find_by_lanes, (&(finding){flood, s}));
    return flood->missed ? RN_MEMORY : RN_OK;
}

typedef struct pressing {
    rn_state *s;
    int32_t tiles;
} pressing;

/* The work of rn_flood_press, by lanes. */
static void press_by_lanes(const void *context) {
    rn_state *s = ((const pressing *)context)->s;
    RN_FOR_ITEMS (i, 0, ((const pressing *)context)->tiles) {
        const rn_tile *tile = &s->schedule.tiles[s->schedule.tile_list[i]];
        if (!tile->limited[1] || !tile->restricted) continue;
        const rn_patch patch = rn_tile_patch(s, s->schedule.tile_list[i]);
        for (int y = 0; y < patch.rows; y++) {
            if (!(tile->limited[1] >> y & 1u)) continue;
            const int32_t first = patch.first + y * s->columns.grid.stride;
            const rn_spot at = rn_slot_place(&s->columns.grid, first);
            for (int32_t c = first; c < first + patch.columns; c++) {
                if (s->graph.share[c] >= 1.0f || s->graph.head[c] != 0.0f || !rn_column_is_roofed(&s->columns, c) ||
                    rn_flood_is_full(s, c))
                    continue;
                s->graph.head[c] = RN_HEAD_PRESSED;
                rn_row_at(s, at.layer, at.y)->pressed = true;
            }
        }
    }
}

/* A column that loses liquid in this substep is never found full: it counts as full if its inflow had to be limited. */
void rn_flood_press(rn_state *s, int32_t tiles) {
    if (s->graph.headed) rn_lanes_run(press_by_lanes, (&(pressing){s, tiles}));
}

/* The work of rn_flood_is_new, by lanes, a part of a row at a time: sets flood->newly. */
static void look_new(const void *context) {
    rn_flood *flood = ((const finding *)context)->flood;
    const rn_state *s = ((const finding *)context)->s;
    const int across = rn_tiles_x(&s->columns.grid);
    bool found = false;
    RN_FOR_ITEMS (part, 0, row_count(s) * across) {
        const row_ref at = row_at(s, part / across);
        const rn_row *row = rn_row_at(s, at.layer, at.y);
        const int x = part % across * RN_TILE_X, left = s->columns.grid.nx - x;
        const int32_t first = rn_slot(&s->columns.grid, at.layer, at.y, x),
                      end = first + (left < RN_TILE_X ? left : RN_TILE_X);
        if (found || !row->roofed || !row->wet || !may_be_flooded(s, first, end)) continue;
        for (int32_t c = first; c < end && !found; c++) found = s->graph.head[c] == 0.0f && rn_flood_is_full(s, c);
    }
    found = rn_lanes_any(found);
    if (rn_lanes_own() == 0) flood->newly = found;
}

bool rn_flood_is_new(rn_flood *flood, rn_state *s) {
    rn_lanes_run(look_new, (&(finding){flood, s}));
    return flood->newly;
}
