/* Makes the lists of passages, nodes, ducts and portals (solver/flood.h) for the columns that solver/flood.c finds.

   Interface and order of calls: rn_flood_find runs before every explicit substep, and makes no lists if the same
   columns are flooded as before; rn_flood_list after an implicit solve, for the columns found full, and
   rn_flood_restored after a state was read. rn_flood_prepare makes memory for GPUs in advance.

   Algorithm: (1) label_passages floods from the lowest slot on, breadth first, and gives each passage its number and
   each column its distance from the first: the result does not depend on the order of the search. (2) number_nodes
   orders nodes by slots. (3) add_ducts goes around every node, west, east, south, north, then irregular pipes; a duct
   to a free surface ends at a portal, and the neighbour nearest to the first node becomes the parent. (4) rank_nodes
   numbers the nodes in a preorder of the trees of parents, so that sums over subtrees are differences of running sums,
   and list_doors lists the ducts with portals. With RN_PASSAGES_AXIS, connect_runs makes runs along x and y, as in the
   paper. On a GPU one lane makes the lists. */
#include "solver/flood.h"

#include "base/lanes.h"
#include "base/memory.h"
#include "solver/flood_pipes.h"
#include "solver/graph.h"
#include "solver/tiles.h"

#include <string.h>

/* Appends a value to a list, which grows if needed. Returns false, with an error text, if memory runs out. */
static bool add_int(const rn_hooks *hooks, int32_t **list, size_t *capacity, size_t *count, int32_t value) {
    if (!rn_grow(hooks, list, capacity, *count, sizeof value)) return false;
    (*list)[(*count)++] = value;
    return true;
}

/* ---- Passages: connected flooded columns ----------------------------------------------------------------------- */

typedef struct search {
    rn_flood *flood;
    const rn_state *s;
    int32_t node;    /* the current column: its index in `found`, later its node */
    int32_t reached; /* number of columns found to belong to a passage */
    int32_t passage; /* whose ducts are being listed */
    int32_t parent;  /* the best neighbour of the node so far */
    bool failed;
} search;

#define WAITING INT32_MAX /* mark of slots that are going to be nodes of runs */

/* Makes room for one more element of `size` bytes in a list of `count`. Returns false if look->failed is set. */
static bool has_room(search *look, void *list, size_t *capacity, size_t count, size_t size) {
    if (!rn_grow(&look->s->columns.hooks, list, capacity, count, size)) look->failed = true;
    return !look->failed;
}

/* Adds a node for `slot` to the last passage; returns its number, or -1 with look->failed set. `parent`: duct or -1. */
static int32_t add_node(search *look, int32_t slot, int32_t parent) {
    rn_flood *flood = look->flood;
    if (!has_room(look, &flood->nodes, &flood->node_capacity, flood->node_count, sizeof *flood->nodes)) return -1;
    flood->nodes[flood->node_count++] =
        (rn_node){.slot = slot, .parent = parent, .passage = (int32_t)flood->passage_count - 1};
    flood->place[slot] = (int32_t)flood->node_count;
    return (int32_t)flood->node_count - 1;
}

/* Appends a duct for this pipe, without nodes and portal. Returns NULL, with look->failed set, if memory runs out. */
static rn_duct *add_duct(search *look, const rn_pipe_ends *p) {
    rn_flood *flood = look->flood;
    const rn_state *s = look->s;
    const int32_t at = p->way < 2 ? p->pipe : p->a;
    if (!has_room(look, &flood->ducts, &flood->duct_capacity, flood->duct_count, sizeof *flood->ducts)) return NULL;
    rn_duct *duct = &flood->ducts[flood->duct_count++];
    *duct = (rn_duct){.a = p->a,
                      .b = p->b,
                      .node_a = -1,
                      .node_b = -1,
                      .portal = -1,
                      .passage = (int32_t)flood->passage_count - 1,
                      .pipe = p->pipe,
                      .copy = p->copy,
                      .link = p->link,
                      .tile = (int32_t)(rn_tile_of(s, at) - s->schedule.tiles),
                      .spot = rn_tile_spot(s, at),
                      .way = p->way,
                      .axis = p->axis,
                      .drop = p->drop};
    return duct;
}

/* Connects the last duct to the portal in `slot`, which becomes a portal if it is not one yet. `here`: number of the
   duct's passage, from 1. Sets portal and again of the duct, or look->failed if memory runs out. */
static void add_portal(search *look, int32_t slot, int32_t here) {
    rn_flood *flood = look->flood;
    rn_duct *duct = &flood->ducts[flood->duct_count - 1];
    if (flood->place[slot] >= 0) {
        const rn_junction *junction = rn_junction_of(look->s, slot);
        if (!has_room(look, &flood->portals, &flood->portal_capacity, flood->portal_count, sizeof *flood->portals))
            return;
        flood->portals[flood->portal_count++] = (rn_portal){.slot = slot, .sink = junction && junction->sink};
        flood->place[slot] = -(int32_t)flood->portal_count;
    }
    duct->portal = -1 - flood->place[slot];
    duct->again = flood->portals[duct->portal].passage == here;
    flood->portals[duct->portal].passage = here;
}

/* Appends a passage from the next node and duct on. Returns NULL, with look->failed set, if memory runs out. */
static rn_passage *begin_passage(search *look) {
    rn_flood *flood = look->flood;
    if (!has_room(look, &flood->passages, &flood->passage_capacity, flood->passage_count, sizeof *flood->passages))
        return NULL;
    rn_passage *passage = &flood->passages[flood->passage_count++];
    *passage = (rn_passage){.nodes = (int32_t)flood->node_count, .ducts = (int32_t)flood->duct_count};
    return passage;
}

/* Ends the last passage with the last node and duct. */
static void end_passage(rn_flood *flood) {
    rn_passage *passage = &flood->passages[flood->passage_count - 1];
    passage->node_end = (int32_t)flood->node_count;
    passage->duct_end = (int32_t)flood->duct_count;
}

enum { UNSEEN = -1 };

/* A visitor; context: the search. A flooded column beside the current one belongs to the same passage, one duct
   further, and joins the queue `order` unless seen. Columns are identified by their index in `found`. Returns true. */
static bool look_further(void *context, const rn_pipe_ends *p, int32_t other) {
    search *look = context;
    rn_flood *flood = look->flood;
    const int32_t there = flood->place[other] - 1;
    (void)p;
    if (there < 0 || flood->depth[there] != UNSEEN) return true;
    flood->depth[there] = flood->depth[look->node] + 1;
    flood->label[there] = flood->label[look->node];
    flood->order[look->reached++] = there;
    return true;
}

/* Gives flooded columns their passage and distance (ducts), ring by ring from the lowest slot of every passage. `order`
   then holds indices into `found`, passage by passage. Sets look->failed if memory runs out. */
static void label_passages(search *look) {
    rn_flood *flood = look->flood;
    const int32_t count = (int32_t)flood->found_count;
    for (int32_t i = 0; i < count; i++) {
        flood->place[flood->found[i]] = i + 1;
        flood->depth[i] = UNSEEN;
    }
    for (int32_t i = 0; i < count; i++) {
        if (flood->depth[i] != UNSEEN) continue;
        int32_t next = look->reached;
        if (!begin_passage(look)) return;
        flood->depth[i] = 0;
        flood->label[i] = (int32_t)flood->passage_count - 1;
        flood->order[look->reached++] = i;
        for (; next < look->reached; next++) {
            look->node = flood->order[next];
            rn_visit_pipes(look->s, flood->found[look->node], look_further, look);
        }
    }
}

/* Creates the nodes, in order of passages and slots; there is room. Then `depth` is by node and `order` holds nodes. */
static void number_nodes(rn_flood *flood) {
    const int32_t count = (int32_t)flood->found_count;
    int32_t *const label = flood->label, *const order = flood->order;
    for (int32_t i = 0; i < count; i++) flood->passages[label[i]].node_end++;
    for (size_t k = 0, first = 0; k < flood->passage_count; k++) {
        rn_passage *passage = &flood->passages[k];
        const size_t size = (size_t)passage->node_end;
        passage->nodes = passage->node_end = (int32_t)first;
        first += size;
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t node = flood->passages[label[i]].node_end++;
        flood->nodes[node] =
            (rn_node){.slot = flood->found[i], .parent = -1, .passage = label[i], .fill = flood->depth[i]};
        flood->place[flood->found[i]] = node + 1;
    }
    flood->node_count = flood->found_count;
    for (int32_t i = 0; i < count; i++) order[i] = flood->place[flood->found[order[i]]] - 1;
    for (int32_t i = 0; i < count; i++) {
        flood->depth[i] = (int32_t)flood->nodes[i].fill;
        flood->nodes[i].fill = 0;
    }
}

/* The number of the duct that `node`, the other end of a pipe, has made of this pipe, or -1 if there is none. */
static int32_t duct_at(const rn_flood *flood, int32_t node, const rn_pipe_ends *p) {
    for (int32_t k = flood->nodes[node].begin; k < flood->nodes[node].end; k++) {
        const rn_duct *duct = &flood->ducts[flood->ends[k] / 2];
        if (duct->way == p->way && duct->pipe == p->pipe) return flood->ends[k] / 2;
    }
    return -1;
}

/* A visitor. Lists a pipe among the ends of the current node; every pipe is met from both ends, and becomes a duct at
   the lower node. Keeps the best parent. Returns false, with look->failed set, if memory runs out. */
static bool look_around(void *context, const rn_pipe_ends *p, int32_t other) {
    search *look = context;
    rn_flood *flood = look->flood;
    const int32_t here = look->node, slot = flood->nodes[here].slot, there = flood->place[other] - 1;
    if (other == slot) return true; /* a periodic world one cell wide */
    int32_t at = there >= 0 && there < here ? duct_at(flood, there, p) : -1;
    if (at < 0) {
        if (!add_duct(look, p)) return false;
        at = (int32_t)flood->duct_count - 1;
        flood->ducts[at].passage = look->passage;
        if (there < 0) add_portal(look, other, look->passage + 1);
        flood->ducts[at].node_a = p->a == slot ? here : there < 0 ? -1 : there;
        flood->ducts[at].node_b = p->a == slot ? (there < 0 ? -1 : there) : here;
    }
    if (!has_room(look, &flood->ends, &flood->end_capacity, flood->end_count, sizeof *flood->ends)) return false;
    flood->ends[flood->end_count++] = 2 * at + (p->a != slot);
    if (there < 0) return !look->failed;
    const bool nearer = look->parent < 0 || flood->depth[there] < flood->depth[look->parent] ||
                        (flood->depth[there] == flood->depth[look->parent] && there < look->parent);
    if (nearer) look->parent = there, flood->nodes[here].parent = at;
    return !look->failed;
}

/* Lists ducts and portals of all passages; nodes but the first get a parent. Sets look->failed if memory runs out. */
static void add_ducts(search *look) {
    rn_flood *flood = look->flood;
    for (look->passage = 0; look->passage < (int32_t)flood->passage_count; look->passage++) {
        rn_passage *passage = &flood->passages[look->passage];
        passage->ducts = (int32_t)flood->duct_count;
        for (look->node = passage->nodes; look->node < passage->node_end && !look->failed; look->node++) {
            rn_node *node = &flood->nodes[look->node];
            node->begin = node->end = (int32_t)flood->end_count;
            look->parent = -1;
            rn_visit_pipes(look->s, node->slot, look_around, look);
            node->end = (int32_t)flood->end_count;
            if (look->node == passage->nodes) node->parent = -1;
            else if (!look->failed) flood->ducts[node->parent].absorbs_rounding = true;
        }
        if (look->failed) return;
        passage->duct_end = (int32_t)flood->duct_count;
    }
}

/* Creates the lists of passages, nodes, ducts and portals from `found`. Sets look->failed if memory runs out. */
static void connect_found(search *look) {
    rn_flood *flood = look->flood;
    const rn_hooks *hooks = &look->s->columns.hooks;
    const size_t count = flood->found_count;
    flood->end_count = 0;
    look->failed = !rn_renew(hooks, &flood->nodes, &flood->node_capacity, count, sizeof *flood->nodes) ||
                   !rn_renew(hooks, &flood->order, &flood->order_capacity, count, sizeof *flood->order) ||
                   !rn_renew(hooks, &flood->depth, &flood->depth_capacity, count, sizeof *flood->depth) ||
                   !rn_renew(hooks, &flood->label, &flood->label_capacity, count, sizeof *flood->label);
    if (!look->failed) label_passages(look);
    if (look->failed) return;
    number_nodes(flood);
    add_ducts(look);
}

/* ---- The paper's first method: runs along x and along y ------------------------------------------------------ */

typedef struct stride_search {
    const search *look;
    int axis;
    bool ahead;
    int32_t from;
    rn_pipe_ends pipe;
    int32_t other; /* -1: none */
    bool flooded;
} stride_search;

/* A visitor. Keeps the first pipe on the side that is searched, preferring one to a flooded column without a run;
   columns of other runs count as walls. Always returns true. */
static bool look_along(void *context, const rn_pipe_ends *p, int32_t other) {
    stride_search *step = context;
    if (p->axis != step->axis || (p->a == step->from) != step->ahead) return true;
    const int32_t mark = step->look->flood->place[other];
    const bool flooded = mark == WAITING;
    if (mark > 0 && !flooded) return true; /* part of another run: no way through */
    if (step->other >= 0 && (step->flooded || !flooded)) return true;
    step->pipe = *p;
    step->other = other;
    step->flooded = flooded;
    return true;
}

/* The pipe by which a run continues from a column, ahead along the axis or back. In the result `other` is -1 if there
   is none, and `flooded` is false if a portal is there. */
static stride_search step_along(const search *look, int32_t from, int axis, bool ahead) {
    stride_search step = {.look = look, .axis = axis, .ahead = ahead, .from = from, .other = -1};
    rn_visit_pipes(look->s, from, look_along, &step);
    return step;
}

/* Creates a run from `start` on along an axis, with portals at its ends. Sets look->failed if memory runs out. */
static void add_run(search *look, int32_t start, int axis) {
    rn_flood *flood = look->flood;
    if (!begin_passage(look)) return;
    stride_search behind = step_along(look, start, axis, false);
    int32_t node = add_node(look, start, -1);
    rn_duct *duct;
    if (behind.other >= 0 && !behind.flooded && (duct = add_duct(look, &behind.pipe))) {
        duct->node_b = node;
        add_portal(look, behind.other, (int32_t)flood->passage_count);
    }
    while (!look->failed) {
        stride_search next = step_along(look, flood->nodes[node].slot, axis, true);
        if (next.other < 0 || !add_duct(look, &next.pipe)) break;
        const int32_t at = (int32_t)flood->duct_count - 1;
        flood->ducts[at].node_a = node;
        if (!next.flooded) {
            add_portal(look, next.other, (int32_t)flood->passage_count);
            break;
        }
        node = add_node(look, next.other, at);
        flood->ducts[at].node_b = node;
        flood->ducts[at].absorbs_rounding = true;
    }
    if (!look->failed) end_passage(flood);
}

/* Creates the runs along x, then along y: each flooded column is in one of each. The start of a run is found by going
   back from any of its columns; a closed run begins anywhere. Sets look->failed if memory runs out. */
static void connect_runs(search *look) {
    rn_flood *flood = look->flood;
    const int32_t *found = flood->found;
    for (int axis = 0; axis < 2; axis++) {
        for (size_t i = 0; i < flood->found_count; i++) flood->place[found[i]] = WAITING;
        for (size_t i = 0; i < flood->found_count && !look->failed; i++) {
            if (flood->place[found[i]] != WAITING) continue;
            int32_t start = found[i];
            for (size_t k = 0; k < flood->found_count; k++) {
                const stride_search back = step_along(look, start, axis, false);
                if (back.other < 0 || !back.flooded || back.other == found[i]) break;
                start = back.other;
            }
            add_run(look, start, axis);
            if (!look->failed && flood->place[found[i]] == WAITING) add_run(look, found[i], axis); /* still to do */
        }
    }
    const rn_hooks *hooks = &look->s->columns.hooks;
    if (!rn_renew(hooks, &flood->order, &flood->order_capacity, flood->node_count, sizeof *flood->order))
        look->failed = true;
    for (int32_t i = 0; !look->failed && i < (int32_t)flood->node_count; i++) flood->order[i] = i;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

/* The node at the other end of the duct towards the first column of its passage; -1 at that column. */
static int32_t parent_of(const rn_flood *flood, int32_t node) {
    if (flood->nodes[node].parent < 0) return -1;
    const rn_duct *duct = &flood->ducts[flood->nodes[node].parent];
    return duct->node_a == node ? duct->node_b : duct->node_a;
}

/* Numbers the nodes in a preorder of the trees, and counts those of subtrees; `order` has parents before children. */
static void rank_nodes(rn_flood *flood) {
    rn_node *const nodes = flood->nodes;
    int64_t *const next = flood->net_inflow; /* the rank of the next child */
    for (size_t i = 0; i < flood->node_count; i++) nodes[i].span = 1;
    for (size_t k = flood->node_count; k-- > 0;) {
        const int32_t i = flood->order[k], parent = parent_of(flood, i);
        if (parent >= 0) nodes[parent].span += nodes[i].span;
    }
    for (size_t k = 0; k < flood->node_count; k++) {
        const int32_t i = flood->order[k], parent = parent_of(flood, i);
        nodes[i].rank = parent < 0 ? flood->passages[nodes[i].passage].nodes : (int32_t)next[parent];
        next[i] = nodes[i].rank + 1;
        if (parent >= 0) next[parent] += nodes[i].span;
    }
}

/* Lists the ducts with portals, passage by passage. */
static void list_doors(rn_flood *flood) {
    flood->door_count = 0;
    for (size_t k = 0; k < flood->passage_count; k++) {
        rn_passage *passage = &flood->passages[k];
        passage->doors = (int32_t)flood->door_count;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++)
            if (flood->ducts[i].portal >= 0) flood->doors[flood->door_count++] = i;
    }
}

/* Empties all lists except `found`, and clears the entries of their columns in `place`. Keeps the memory. */
static void clear_lists(rn_flood *flood) {
    for (size_t i = 0; i < flood->node_count; i++) flood->place[flood->nodes[i].slot] = 0;
    for (size_t i = 0; i < flood->portal_count; i++) flood->place[flood->portals[i].slot] = 0;
    flood->node_count = flood->duct_count = flood->portal_count = flood->passage_count = flood->flooded_count = 0;
    flood->door_count = 0;
}

/* Clears the head, or mark, of a column that is not full any more. */
static void forget_head(rn_state *s, int32_t slot) {
    if (s->graph.head[slot] != 0.0f && !rn_flood_is_full(s, slot)) s->graph.head[slot] = 0.0f;
}

/* Empties the lists. Fluxes of ducts stay in their pipes. With heads, clears those of formerly flooded columns, or of
   all columns if the state was restored, that are not full; clears flood->restored. */
static void forget_lists(rn_flood *flood, rn_state *s) {
    const int32_t *flooded = flood->flooded;
    const bool heads = flood->method == RN_PASSAGES_UNIFIED_LONG;
    for (size_t i = 0; heads && !flood->restored && i < flood->flooded_count; i++)
        if (flooded[i] < s->columns.grid.slots) forget_head(s, flooded[i]);
    for (int32_t slot = 0; heads && flood->restored && slot < s->columns.grid.slots; slot++) forget_head(s, slot);
    flood->restored = false;
    clear_lists(flood);
}

/* Counts the columns that could be flooded, and roughly (never too few) the pipes that could be ducts, unless columns
   have not changed since it last did. */
static void count_roofed(rn_flood *flood, const rn_state *s) {
    const int32_t up = s->columns.grid.stride;
    if (flood->counted == s->columns.shape) return;
    flood->counted = s->columns.shape;
    flood->roofed_columns = flood->roofed_pipes = 0;
    for (int r = 0; r < row_count(s); r++) {
        const row_ref p = row_at(s, r);
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t c = first; rn_row_at(s, p.layer, p.y)->roofed && c < first + s->columns.grid.nx; c++) {
            if (!rn_column_is_roofed(&s->columns, c)) continue;
            const rn_junction *junction = rn_junction_of(s, c);
            flood->roofed_columns++;
            int32_t here = (s->graph.pipe_x[c] != 0) + (s->graph.pipe_y[c] != 0);
            here += (s->graph.pipe_x[c - 1] && !rn_column_is_roofed(&s->columns, c - 1)) +
                    (s->graph.pipe_y[c - up] && !rn_column_is_roofed(&s->columns, c - up));
            flood->roofed_pipes += (size_t)(here + (junction ? junction->end - junction->begin : 0));
        }
    }
}

/* The number of columns and ducts that lists need for all that could be flooded, and one more. */
static void count_needed(const rn_flood *flood, size_t *columns, size_t *ducts) {
    const bool runs = flood->method == RN_PASSAGES_AXIS; /* along both axes */
    *columns = (runs ? 2 * flood->roofed_columns : flood->roofed_columns) + 1;
    *ducts = (runs ? 4 * flood->roofed_columns : flood->roofed_pipes) + 1;
}

/* Memory for everything that could be flooded is made in the first step, so that later steps allocate nothing. Worlds
   that would need more than this, or whose columns change, allocate when more is flooded than before; on a GPU, before
   a frame. */
#define ROOMY ((size_t)48 << 20) /* bytes */

/* Makes room for so many flooded columns and ducts. What is in the lists is kept. Returns false, with a message, if
   memory runs out; then a part may have been allocated. */
static bool reserve_lists(rn_flood *flood, const rn_state *s, size_t columns, size_t ducts) {
    const rn_hooks *hooks = &s->columns.hooks;
    const size_t parts = (size_t)row_count(s) * (size_t)rn_tiles_x(&s->columns.grid);
    const size_t sums = (columns > ducts ? columns : ducts) + 1;
    const bool fine =
        rn_reserve(hooks, &flood->nodes, &flood->node_capacity, columns, flood->node_count, sizeof(rn_node)) &&
        rn_reserve(hooks, &flood->ducts, &flood->duct_capacity, ducts, flood->duct_count, sizeof(rn_duct)) &&
        rn_reserve(hooks, &flood->portals, &flood->portal_capacity, ducts, flood->portal_count, sizeof(rn_portal)) &&
        rn_reserve(hooks, &flood->passages, &flood->passage_capacity, columns, flood->passage_count,
                   sizeof(rn_passage)) &&
        rn_reserve(hooks, &flood->flooded, &flood->flooded_capacity, columns, flood->flooded_count, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->found, &flood->found_capacity, columns, flood->found_count, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->parts, &flood->part_capacity, parts, 0, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->blocks, &flood->block_capacity, columns, 0, 2 * sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->doors, &flood->door_capacity, ducts, flood->door_count, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->sums, &flood->sum_capacity, sums, 0, sizeof(int64_t)) &&
        rn_reserve(hooks, &flood->net_inflow, &flood->net_inflow_capacity, columns, 0, sizeof(int64_t)) &&
        rn_reserve(hooks, &flood->order, &flood->order_capacity, columns, flood->node_count, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->depth, &flood->depth_capacity, columns, 0, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->label, &flood->label_capacity, columns, 0, sizeof(int32_t)) &&
        rn_reserve(hooks, &flood->ends, &flood->end_capacity, 2 * ducts, flood->end_count, sizeof(int32_t));
    if (fine) flood->reserved_columns = columns, flood->reserved_ducts = ducts;
    return fine;
}

/* Whether lists for so many flooded columns and ducts, and the linear solver, take at most ROOMY bytes. The implicit
   step needs the linear solver anyway. */
static bool is_roomy(const rn_state *s, size_t columns, size_t ducts) {
    const size_t parts = (size_t)row_count(s) * (size_t)rn_tiles_x(&s->columns.grid) * sizeof(int32_t);
    const size_t lists = parts +
                         columns * (sizeof(rn_node) + sizeof(rn_passage) + 7 * sizeof(int32_t) + sizeof(int64_t)) +
                         ducts * (sizeof(rn_duct) + sizeof(rn_portal) + 3 * sizeof(int32_t) + sizeof(int64_t));
    const size_t solver = (size_t)s->columns.grid.slots * 13 * sizeof(float) + (size_t)s->graph.irregular_count * 96;
    return lists + (s->graph.headed && !s->graph.implicit ? solver : 0) <= ROOMY;
}

/* Allocates `place`, and room for all that could be flooded unless that is more than ROOMY bytes; does nothing if
   `place` covers all slots already. Returns RN_MEMORY, with a message, if memory runs out; then a part may have been
   allocated. */
static rn_result make_room(rn_flood *flood, rn_state *s) {
    const size_t slots = (size_t)s->columns.grid.slots;
    size_t columns, ducts;
    if (flood->place_capacity >= slots) return RN_OK;
    count_roofed(flood, s);
    count_needed(flood, &columns, &ducts);
    if (!rn_reserve(&s->columns.hooks, &flood->place, &flood->place_capacity, slots, flood->place_capacity,
                    sizeof *flood->place))
        return RN_MEMORY;
    if (flood->roofed_columns == 0 || !is_roomy(s, columns, ducts)) return RN_OK;
    if (!reserve_lists(flood, s, columns, ducts)) return RN_MEMORY;
    return s->graph.headed ? rn_multigrid_fit(&flood->grid, s) : RN_OK;
}

/* Whether there is memory for all that could be flooded, without a look at the linear solver. */
static bool has_lists(const rn_flood *flood) {
    size_t columns, ducts;
    count_needed(flood, &columns, &ducts);
    return columns <= flood->reserved_columns && ducts <= flood->reserved_ducts;
}

/* Whether the linear solver has memory and links for all that could be flooded. */
static bool has_solver(const rn_flood *flood, const rn_state *s) {
    return !s->graph.headed || (flood->grid.count > 0 && flood->grid.shape == s->columns.shape && !flood->grid.partial);
}

/* Bodies, and whatever else changes columns, may give more of them a ceiling: then there is room for a quarter more. */
rn_result rn_flood_prepare(rn_flood *flood, rn_state *s, bool *enough) {
    size_t columns, ducts;
    *enough = true;
    if (flood->method == RN_PASSAGES_NONE) return RN_OK;
    rn_result result = make_room(flood, s);
    count_roofed(flood, s);
    if (flood->roofed_columns == 0) return result;
    count_needed(flood, &columns, &ducts);
    columns += columns / 4, ducts += ducts / 4;
    if (result == RN_OK && !has_lists(flood) && is_roomy(s, columns, ducts) && !reserve_lists(flood, s, columns, ducts))
        result = RN_MEMORY;
    if (result == RN_OK && has_lists(flood) && !has_solver(flood, s)) {
        result = rn_multigrid_fit(&flood->grid, s);
        flood->shape = s->columns.shape - 1; /* links have other numbers than those of the lists */
    }
    *enough = has_lists(flood) && has_solver(flood, s);
    return result;
}

/* Whether the flooded columns in `found`, and the shape of all columns, are the same as those of the lists. */
static bool is_unchanged(const rn_flood *flood, const rn_state *s) {
    return flood->shape == s->columns.shape && !flood->differs;
}

/* Fits the linear solver to the ducts; does nothing without heads or flooded columns. After a change of columns only
   irregular pipes flooded at both ends get links, and duct->link is set: fitting all of them would take long each time.
   Returns RN_MEMORY, with a message, if memory runs out; then the linear solver must not be used. */
static rn_result link_ducts(rn_flood *flood, const rn_state *s) {
    rn_multigrid *grid = &flood->grid;
    if (!s->graph.headed || flood->found_count == 0) return RN_OK;
    if (flood->implicit || s->columns.periodic_x || s->columns.periodic_y || grid->shape == s->columns.shape)
        return rn_multigrid_fit(grid, s);
    const bool fine = rn_renew(&s->columns.hooks, &flood->numbers, &flood->number_capacity,
                               (size_t)s->graph.irregular_count, sizeof(int32_t));
    if (!fine) return RN_MEMORY;
    memset(flood->numbers, 0, (size_t)s->graph.irregular_count * sizeof *flood->numbers);
    for (size_t i = 0; i < flood->duct_count; i++)
        if (flood->ducts[i].way == 2 && flood->ducts[i].portal < 0) flood->numbers[flood->ducts[i].pipe] = 1;
    const rn_result result = rn_multigrid_fit_some(grid, s, flood->numbers);
    for (size_t i = 0; i < flood->duct_count; i++)
        if (flood->ducts[i].way == 2) flood->ducts[i].link = flood->numbers[flood->ducts[i].pipe];
    return result;
}

/* Makes room for doors, and for what is summed over doors and nodes. Returns false, with a message, if memory runs
   out. */
static bool fit_sums(rn_flood *flood, const rn_hooks *hooks) {
    const size_t nodes = flood->node_count, doors = flood->duct_count;
    if (nodes == 0) return true;
    return rn_reserve(hooks, &flood->net_inflow, &flood->net_inflow_capacity, nodes + 1, 0, sizeof(int64_t)) &&
           rn_reserve(hooks, &flood->doors, &flood->door_capacity, doors, 0, sizeof(int32_t)) &&
           rn_reserve(hooks, &flood->sums, &flood->sum_capacity, (nodes > doors ? nodes : doors) + 1, 0,
                      sizeof(int64_t));
}

/* Rebuilds passages, nodes, ducts, portals and `flooded` from the columns in `found`, which must be filled in, and fits
   the linear solver. Clears heads as forget_lists does. Returns RN_MEMORY, with a message, if memory runs out; then
   these lists are empty. */
static rn_result make_lists(rn_flood *flood, rn_state *s) {
    forget_lists(flood, s);
    const int32_t *found = flood->found;
    search look = {.flood = flood, .s = s};
    if (flood->method == RN_PASSAGES_AXIS) connect_runs(&look);
    else connect_found(&look);
    bool fine = !look.failed && link_ducts(flood, s) == RN_OK;
    fine = fine && fit_sums(flood, &s->columns.hooks);
    if (fine) rank_nodes(flood), list_doors(flood);
    for (size_t i = 0; i < flood->found_count && fine; i++)
        fine = add_int(&s->columns.hooks, &flood->flooded, &flood->flooded_capacity, &flood->flooded_count, found[i]);
    flood->shape = s->columns.shape;
    flood->listing++;
    if (fine) return RN_OK;
    for (size_t i = 0; i < flood->found_count; i++) flood->place[found[i]] = 0;
    forget_lists(flood, s);
    return RN_MEMORY;
}

rn_result rn_flood_find(rn_flood *flood, rn_state *s) {
    if (flood->method == RN_PASSAGES_NONE) return RN_OK;
    rn_result result = make_room(flood, s);
    if (result == RN_OK) result = rn_flood_look(flood, s);
    if (result != RN_OK || is_unchanged(flood, s)) return result;
    return make_lists(flood, s);
}

/* Flooded columns are recognised by their heads when the lists are next made. */
void rn_flood_restored(rn_flood *flood, rn_state *s) {
    flood->shape = s->columns.shape - 1;
    flood->restored = true;
    for (int r = 0; r < row_count(s); r++) rn_row_at(s, row_at(s, r).layer, row_at(s, r).y)->pressed = s->graph.headed;
}

typedef struct listing {
    rn_flood *flood;
    rn_state *s;
    const uint8_t *kinds;
    uint8_t full;
} listing;

/* The work of rn_flood_list, by lanes: writes the columns to `found`, in order of slots. Sets flood->differs, and
   flood->missed if memory runs out. */
static void list_by_lanes(const void *context) {
    const listing *job = context;
    rn_flood *flood = job->flood;
    const rn_state *s = job->s;
    int32_t count = 0;
    bool fine = true;
    for (int r = 0; r < row_count(s); r++) {
        const row_ref p = row_at(s, r);
        const rn_row *row = rn_row_at(s, p.layer, p.y);
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0), end = first + s->columns.grid.nx;
        if (!row->roofed || !row->wet) continue;
        RN_FOR_ROUNDS (c, first, end) {
            const bool there = c < end && job->kinds[c] == job->full && s->columns.depth[c] > 0.0f &&
                               s->columns.ceil[c] < s->columns.lid;
            const int32_t place = rn_lanes_place(there, &count);
            if (!there) continue;
            fine = fine && rn_grow(&s->columns.hooks, &flood->found, &flood->found_capacity, (size_t)place,
                                   sizeof *flood->found);
            if (fine) flood->found[place] = c;
        }
    }
    fine = !rn_lanes_any(!fine);
    bool differs = (size_t)count != flood->flooded_count;
    RN_FOR_ITEMS (i, 0, differs || !fine ? 0 : count) differs = differs || flood->found[i] != flood->flooded[i];
    differs = rn_lanes_any(differs);
    if (rn_lanes_own() > 0) return;
    flood->found_count = fine ? (size_t)count : 0;
    flood->differs = differs;
    flood->missed = !fine;
}

rn_result rn_flood_list(rn_flood *flood, rn_state *s, const uint8_t *kinds, uint8_t full) {
    const rn_result room = make_room(flood, s);
    if (room != RN_OK) return room;
    rn_lanes_run(list_by_lanes, (&(listing){flood, s, kinds, full}));
    if (flood->missed) return RN_MEMORY;
    return is_unchanged(flood, s) ? RN_OK : make_lists(flood, s);
}
