/* Moves liquid that is in the way of solid to the nearest columns that it could have flowed to.

   Interface: rn_displace (solver/reshaping.h). solver/reshape.c and solver/packets_ground.c call it once per batch
   of changed columns, after rn_reshape_write has written all of them and r->loses says whether any liquid has lost
   its place. solver/reshape.c then wakes the tiles of the columns in r->fills.

   Algorithm: liquid whose column is gone spreads ring by ring from its place, through the ranges that were open
   before, below its own level and that of the columns it has reached. Each column on the way takes some. The first
   rounds spread thinly, because a heap on one column would splash. Liquid of neighbouring columns is spread
   together. Liquid that finds no room is put on top of solid that came from below, and spreads from there. The rest
   is counted as trapped.

   With `give` between 0 and 1 a part is held back (rn_pending_displacement) and placed in later batches, so that a
   passing body does not leave a wave. All amounts are whole quanta, and cells are visited in order: the result does
   not depend on threads. If memory runs out, the liquid concerned is counted as trapped, so the ledger stays exact. */
#include "solver/reshaping.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { OUTSIDE = -1, RINGS = 16, FEW = 256 /* quanta, too few to hold back */ };

typedef struct pushing {
    rn_reshaping *r;
    rn_columns *c;
    int64_t quanta; /* still to be placed */
    float most;     /* m, most that a column may take in this round */
    int64_t leaves; /* quanta that may leave over open edges, one allowance for each place where the ring meets one */
    bool failed;    /* out of memory */
} pushing;

/* The i-th node reached. The pointer is valid until the next add_node. */
static rn_displacement_node *node_at(const pushing *p, size_t i) { return p->r->nodes + i; }
/* Whether a node is a current column, not a former range: ids below the number of slots are slots. */
static bool is_live(const pushing *p, int32_t id) { return id < p->c->grid.slots; }
/* Whether a range overlaps the one from `base` to `ceil` (m); touching ends do not count. */
static bool overlaps(rn_column_shape a, float base, float ceil) { return base < a.ceil && ceil > a.base; }

/* Quanta that a column can take now: limited by its room, which a sink always has, and by p->most less what it got in
   this batch; never negative. */
static int64_t room_in(const pushing *p, int32_t slot) {
    const rn_columns *c = p->c;
    const float may = p->most - p->r->filled[slot], room = rn_column_room(c, slot);
    const double most = c->base[slot] < 0.0f ? may : fminf(room, may); /* a sink is never full */
    return most > 0.0 ? (int64_t)(most / c->quantum) : 0;
}

/* Appends a node and marks it as seen; the caller has checked that it was not. If memory runs out, returns false, with
   a message, and sets p->failed. */
static bool add_node(pushing *p, rn_displacement_node n) {
    rn_reshaping *r = p->r;
    if (!rn_grow(&p->c->hooks, &r->nodes, &r->node_capacity, r->node_count, sizeof n)) {
        p->failed = true;
        return false;
    }
    *node_at(p, r->node_count++) = n;
    r->seen[n.id] = true;
    return true;
}

/* Adds the former ranges of a cell that overlap `reach` below their level and are not seen yet; does nothing if the
   cell has not changed. `lost_only`: only those whose liquid is lost. */
static void reach_former(pushing *p, int x, int y, rn_column_shape reach, bool lost_only) {
    const rn_reshaping *r = p->r;
    if (!r->again[(size_t)y * (size_t)p->c->grid.nx + (size_t)x]) return;
    const rn_change *change = rn_change_of(r, x, y);
    for (int l = 0; l < change->was_count; l++) {
        const size_t at = change->was + (size_t)l;
        const int32_t id = p->c->grid.slots + (int32_t)at;
        const rn_column_shape was = r->gaps[change->was + (size_t)l];
        const float level = r->lost[at] > 0 ? r->levels[at] : fminf(was.ceil, reach.ceil);
        if (r->seen[id] || (lost_only && r->lost[at] == 0) || !overlaps(reach, was.base, level)) continue;
        add_node(p, (rn_displacement_node){id, x, y, was, level});
    }
}

/* Adds the columns of a cell that overlap `reach` and are not seen yet. `slot` is the cell's slot of layer 0. */
static void reach_columns(pushing *p, int32_t slot, int x, int y, rn_column_shape reach) {
    const rn_columns *c = p->c;
    for (int l = 0; l < c->grid.layers && c->base[slot] < RN_NO_COLUMN; l++, slot += c->grid.layer_stride) {
        if (p->r->seen[slot] || !overlaps(reach, c->base[slot], c->ceil[slot])) continue;
        add_node(p, (rn_displacement_node){slot, x, y, {.base = c->base[slot], .ceil = c->ceil[slot]}, 0.0f});
    }
}

/* Adds everything that liquid can reach from node number `from`, from its base up to its level, through its four sides.
   At an open edge p->leaves grows by p->most. `lost_only`: as in reach_former, and no columns. */
static void reach_beside(pushing *p, size_t from, bool lost_only) {
    const rn_columns *c = p->c;
    const rn_displacement_node here = *node_at(p, from);
    const float level = is_live(p, here.id) ? rn_column_level(c, here.id) : here.level;
    for (int side = 0; side < 4; side++) {
        float drop;
        const int32_t slot = rn_cell_beside(c, here.x, here.y, (rn_side)side, &drop);
        if (slot < 0) {
            if (c->edges[side] == RN_EDGE_OPEN) p->leaves += (int64_t)((double)p->most / c->quantum);
            continue;
        }
        const rn_spot at = rn_slot_place(&c->grid, slot);
        const rn_column_shape reach = {.base = here.gap.base + drop, .ceil = level + drop};
        reach_former(p, at.x, at.y, reach, lost_only);
        if (!lost_only) reach_columns(p, slot, at.x, at.y, reach);
    }
}

/* ---- Placing ------------------------------------------------------------------------------------------------- */

/* Lists a column that liquid was pushed into. If memory runs out, all columns are cleared at the end of the batch. */
static void note_filled(pushing *p, int32_t slot) {
    rn_reshaping *r = p->r;
    if (rn_grow(&p->c->hooks, &r->fills, &r->fill_capacity, r->fill_count, sizeof slot))
        r->fills[r->fill_count++] = slot;
    else r->unlisted = true;
}

/* Puts quanta into a column, whose room the caller has checked; into a sink, they leave the world. Updates what the
   batch reports of depths and levels. */
static void give_to_column(pushing *p, int32_t id, int64_t quanta) {
    rn_columns *c = p->c;
    rn_reshaping *r = p->r;
    p->quanta -= quanta;
    const float more = (float)((double)quanta * c->quantum);
    if (quanta > 0 && r->filled[id] == 0.0f) note_filled(p, id);
    r->filled[id] += more;
    if (c->base[id] < 0.0f) {
        r->left += quanta;
        return;
    }
    c->depth[id] += more;
    r->added = fmaxf(r->added, more);
    r->deepest = fmaxf(r->deepest, c->depth[id]);
    r->top = fmaxf(r->top, rn_column_level(c, id));
}

/* Lets up to `most` quanta leave over open edges, but no more than are still to be placed. */
static void leave_over_edges(pushing *p, int64_t most) {
    const int64_t quanta = most < p->quanta ? most : p->quanta;
    p->quanta -= quanta;
    p->r->left += quanta;
}

/* Gives each column among nodes `begin` to `end` - 1, and the open edges, as much as they have room for, or their share
   of the liquid to be placed if that is less. Former ranges get nothing. Sets p->leaves to 0. */
static void give_ring(pushing *p, size_t begin, size_t end) {
    const int64_t all = p->quanta;
    int64_t room = p->leaves;
    for (size_t i = begin; i < end; i++)
        if (is_live(p, node_at(p, i)->id)) room += room_in(p, node_at(p, i)->id);
    const double share = room > all ? (double)all / (double)room : 1.0;
    leave_over_edges(p, (int64_t)(share * (double)p->leaves));
    for (size_t i = begin; i < end; i++) {
        const int32_t id = node_at(p, i)->id;
        if (is_live(p, id)) give_to_column(p, id, (int64_t)(share * (double)room_in(p, id)));
    }
    /* rounding has left less than one quantum per column */
    for (size_t i = begin; i < end && room >= all && p->quanta > 0; i++) {
        const int32_t id = node_at(p, i)->id;
        if (!is_live(p, id)) continue;
        const int64_t rest = room_in(p, id);
        give_to_column(p, id, rest < p->quanta ? rest : p->quanta);
    }
    p->leaves = 0;
}

/* Places liquid ring by ring around the first `sources` nodes, until all is placed or no more columns can be reached.
   Only these nodes remain listed and seen. */
static void spread_once(pushing *p, size_t sources) {
    size_t begin = 0, end = sources;
    while (begin < end && p->quanta > 0 && !p->failed) {
        for (size_t i = begin; i < end; i++) reach_beside(p, i, false);
        begin = end;
        end = p->r->node_count;
        give_ring(p, begin, end);
    }
    for (size_t i = sources; i < p->r->node_count; i++) p->r->seen[node_at(p, i)->id] = false;
    p->r->node_count = sources;
}

/* Places liquid around the first `sources` nodes in rounds of growing heaps, thin ones first, because a heap on one
   column would splash. Larger volumes are heaped higher, so that they need about RINGS rings. What finds no room stays
   in p->quanta. */
static void spread_in_rounds(pushing *p, size_t sources) {
    const double around = 4.0 * sqrt((double)sources) + 4.0;
    p->most = fmaxf(p->c->cell, (float)((double)p->quanta * p->c->quantum / (RINGS * around)));
    for (;;) {
        spread_once(p, sources);
        if (p->quanta == 0 || p->failed || p->most > 2.0f * p->c->lid) return;
        p->most *= 8.0f;
    }
}

/* The slot of the lowest column on top of solid that rose into a former range, if that overlaps the range; -1 if there
   is none, or if the range is still open further down, because the solid then came from above. */
static int32_t column_above(const pushing *p, const rn_displacement_node *n) {
    const rn_columns *c = p->c;
    for (int l = 0; l < c->grid.layers; l++) {
        const int32_t slot = rn_slot(&c->grid, l, n->y, n->x);
        if (c->base[slot] >= RN_NO_COLUMN || c->base[slot] < n->gap.base) break;
        if (overlaps(n->gap, c->base[slot], c->ceil[slot])) return slot;
    }
    return -1;
}

/* Replaces the first `sources` nodes by the columns on top of their solid, which take equal parts as far as they have
   room; returns their number, 0 if there are none. They stay marked as seen. */
static size_t move_on_top(pushing *p, size_t sources) {
    rn_reshaping *r = p->r;
    size_t count = 0;
    for (size_t i = 0; i < sources; i++) {
        const rn_displacement_node n = *node_at(p, i);
        const int32_t slot = column_above(p, &n);
        if (slot < 0 || r->seen[slot]) continue;
        *node_at(p, count++) =
            (rn_displacement_node){slot, n.x, n.y, {.base = p->c->base[slot], .ceil = p->c->ceil[slot]}, 0.0f};
        r->seen[slot] = true;
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t room = room_in(p, node_at(p, i)->id), part = p->quanta / (int64_t)(count - i);
        give_to_column(p, node_at(p, i)->id, room < part ? room : part);
    }
    r->node_count = count;
    return count;
}

/* Holds back the share 1 - give of the liquid to be placed, for later batches, at the place of node `first`; returns
   how many quanta. Holds none back without `give`, if they would be fewer than FEW, or if memory runs out. */
static int64_t hold_back(pushing *p, const rn_displacement_node *first) {
    rn_reshaping *r = p->r;
    const int64_t kept = (int64_t)((double)p->quanta * (1.0 - r->give));
    if (r->give <= 0.0 || kept < FEW) return 0;
    if (!rn_grow(&p->c->hooks, &r->held, &r->held_capacity, r->held_count, sizeof(rn_pending_displacement))) return 0;
    r->held[r->held_count++] = (rn_pending_displacement){first->x, first->y, first->gap, first->level, kept};
    r->newly_held += kept;
    return kept;
}

/* Places the liquid of the only node so far, a lost range or a held volume, and of all lost ranges connected to it,
   after holding back a part. What finds no room counts as trapped. Empties the list of nodes. */
static void place_group(pushing *p) {
    rn_reshaping *r = p->r;
    const rn_displacement_node first = *node_at(p, 0);
    p->quanta = 0;
    for (size_t i = 0; i < r->node_count; i++) {
        p->quanta += r->lost[node_at(p, i)->id - p->c->grid.slots];
        reach_beside(p, i, true);
    }
    p->leaves = 0;
    p->quanta -= hold_back(p, &first);
    spread_in_rounds(p, r->node_count);
    if (p->quanta > 0) {
        const size_t above = move_on_top(p, r->node_count);
        if (p->quanta > 0 && above > 0) spread_in_rounds(p, above);
        for (size_t i = 0; i < above; i++) r->seen[node_at(p, i)->id] = false;
    }
    r->trapped += p->quanta;
    r->node_count = 0;
}

/* Sets `again` of all changed cells to `mark`. */
static void mark_changes(const rn_reshaping *r, const rn_columns *c, uint8_t mark) {
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *change = &r->changes[i];
        r->again[(size_t)change->y * (size_t)c->grid.nx + (size_t)change->x] = mark;
    }
}

/* Places the first `count` volumes that were held back in earlier batches: the share `give` of each returns to columns
   now, and the rest is held again. If memory runs out, a volume counts as trapped. */
static void place_held(pushing *p, size_t count) {
    rn_reshaping *r = p->r;
    for (size_t i = 0; i < count; i++) {
        const rn_pending_displacement held = r->held[i];
        const int32_t id = p->c->grid.slots + (int32_t)(r->held_gap + i);
        p->failed = false;
        r->newly_held -= held.quanta;
        if (add_node(p, (rn_displacement_node){id, held.x, held.y, held.gap, held.level})) place_group(p);
        else r->trapped += held.quanta;
    }
    r->held_count -= count;
    if (r->held_count > 0) memmove(r->held, r->held + count, r->held_count * sizeof(rn_pending_displacement));
}

/* Clears `filled` and the marks `seen` of former ranges, as the next batch expects. */
static void clear_marks(const pushing *p) {
    rn_reshaping *r = p->r;
    for (size_t i = 0; i < r->fill_count; i++) r->filled[r->fills[i]] = 0.0f;
    if (r->unlisted) memset(r->filled, 0, r->filled_capacity * sizeof *r->filled);
    memset(r->seen + p->c->grid.slots, 0, r->gap_count * sizeof *r->seen); /* columns are cleared already */
}

void rn_displace(rn_reshaping *r, rn_columns *c) {
    pushing p = {.r = r, .c = c};
    if (!r->loses) return;
    const size_t held = r->give > 0.0 ? r->held_count : 0;
    mark_changes(r, c, 1); /* most cells have not changed: saves searching for them */
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *change = &r->changes[i];
        for (int l = 0; l < change->was_count; l++) {
            const size_t at = change->was + (size_t)l;
            const int32_t id = c->grid.slots + (int32_t)at;
            if (r->lost[at] == 0 || r->seen[id]) continue;
            p.failed = false;
            if (add_node(&p, (rn_displacement_node){id, change->x, change->y, r->gaps[change->was + (size_t)l],
                                                    r->levels[at]})) {
                place_group(&p);
            } else {
                r->trapped += r->lost[at];
                r->seen[id] = true;
            }
        }
    }
    place_held(&p, held);
    mark_changes(r, c, 0);
    clear_marks(&p);
}
