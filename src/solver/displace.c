/* Liquid in the way of solid: where it goes.

   It spreads through the ranges that were open before, and through columns without room, as water pushes water, until
   it reaches columns that have room. Rounds of a breadth-first search: each hands everything towards the nearest room,
   and what does not fit goes on in the next. Every round fills at least one column, so they end. It moves sideways,
   below its own level; what finds no room there rides on top of solid that came from below, and moves on from there. */
#include "solver/pipes.h"
#include "solver/reshape.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A column, or a range that a changed cell had before. */
typedef struct node {
    int32_t id; /* slot, or slots + place of the former range */
    int x, y;
    rn_gap gap;       /* open range */
    float level;      /* m, up to which it moves sideways */
    int32_t distance; /* in cells to the nearest room, from 1; 0: not known */
    int64_t quanta;   /* to be handed on */
} node;

/* The nearer places of a node: at most a stack of columns and a former one on each of four sides. */
typedef struct receivers {
    int32_t ids[4 * 2 * RN_MOST_LAYERS];
    int count;
} receivers;

typedef struct pusher {
    rn_reshaping *r;
    rn_state *s;
    receivers nearer;
    int32_t *order; /* nodes by rising distance */
    int32_t order_count;
    float most;      /* m, that a column may take for now */
    bool progressed; /* something has found its place in this round */
    bool failed;     /* out of memory */
} pusher;

static node *node_at(const pusher *p, size_t i) { return (node *)p->r->nodes + i; }

/* Quanta that a column can take: what it has room for, and no more at a time than others take too. */
static int64_t room_in(const pusher *p, int32_t slot) {
    const rn_state *s = p->s;
    if (s->base[slot] < 0.0f) return INT64_MAX; /* a sink */
    const float room = s->ceil[slot] - s->base[slot] - s->depth[slot], may = p->most - p->r->filled[slot];
    return (int64_t)((double)fminf(room, may) / s->quantum);
}

static bool is_live(const pusher *p, int32_t id) { return id < p->s->grid.slots; }

static bool meets(rn_gap a, float base, float ceil) { return base < a.ceil && ceil > a.base; }

enum { OUTSIDE = -1, RINGS = 16 };

static bool is_room(const pusher *p, int32_t id) { return id == OUTSIDE || (is_live(p, id) && room_in(p, id) > 0); }

/* Calls visit for each place that liquid can get to from a node, and for OUTSIDE past an open edge. */
static void visit_beside(pusher *p, size_t from, void (*visit)(pusher *, size_t from, node beside)) {
    const rn_state *s = p->s;
    const rn_reshaping *r = p->r;
    const node here = *node_at(p, from);
    const rn_gap reach = {here.gap.base, here.level};
    for (int side = 0; side < 4; side++) {
        float drop;
        int32_t slot = rn_cell_beside(s, here.x, here.y, (rn_side)side, &drop);
        if (slot < 0) {
            if (s->edges[side] == RN_EDGE_OPEN) visit(p, from, (node){.id = OUTSIDE});
            continue;
        }
        const rn_spot at = rn_slot_place(&s->grid, slot);
        for (int l = 0; l < s->grid.layers && s->base[slot] < RN_NO_COLUMN; l++, slot += s->grid.layer_stride) {
            const rn_gap gap = {s->base[slot], s->ceil[slot]};
            const float level =
                gap.base + s->depth[slot]; /* liquid falls into room, and pushes on where there is none */
            if (meets(reach, gap.base - drop, (is_room(p, slot) ? gap.ceil : level) - drop))
                visit(p, from, (node){slot, at.x, at.y, gap, level, 0, 0});
        }
        const bool changed = r->again[(size_t)at.y * (size_t)s->grid.nx + (size_t)at.x];
        const rn_change *change = changed ? rn_change_of(r, at.x, at.y) : NULL;
        for (int l = 0; change && l < change->was_count; l++) {
            const rn_gap was = rn_gaps_at(r, change->was)[l];
            const float level = r->levels[change->was + (size_t)l];
            if (meets(reach, was.base - drop, level - drop))
                visit(p, from, (node){s->grid.slots + (int32_t)change->was + l, at.x, at.y, was, level, 0, 0});
        }
    }
}

static bool add_node(pusher *p, node n) {
    rn_reshaping *r = p->r;
    if (!rn_grow(&p->s->hooks, &r->nodes, &r->node_capacity, r->node_count, sizeof n)) {
        p->failed = true;
        return false;
    }
    *node_at(p, r->node_count++) = n;
    r->seen[n.id] = (int32_t)r->node_count;
    return true;
}

static void explore(pusher *p, size_t from, node beside) {
    if (is_room(p, beside.id)) node_at(p, from)->distance = 1;
    else if (!p->r->seen[beside.id]) add_node(p, beside);
}

static void set_distance(pusher *p, size_t from, node beside) {
    if (is_room(p, beside.id)) return;
    node *next = node_at(p, (size_t)p->r->seen[beside.id] - 1);
    if (next->distance) return;
    next->distance = node_at(p, from)->distance + 1;
    p->order[p->order_count++] = p->r->seen[beside.id] - 1;
}

/* ---- Handing on ---------------------------------------------------------------------------------------------- */

static bool is_nearer(const pusher *p, const node *from, int32_t id) {
    if (from->distance == 1) return is_room(p, id);
    return !is_room(p, id) && p->r->seen[id] && node_at(p, (size_t)p->r->seen[id] - 1)->distance == from->distance - 1;
}

/* A column takes what it has room for. Returns how much. */
static int64_t take(pusher *p, int32_t id, int64_t quanta) {
    rn_state *s = p->s;
    p->progressed |= quanta > 0;
    if (id == OUTSIDE || s->base[id] < 0.0f) {
        p->r->left += quanta;
        return quanta;
    }
    const int64_t room = room_in(p, id), taken = quanta < room ? quanta : room;
    const float more = (float)((double)taken * s->quantum);
    s->depth[id] += more;
    p->r->filled[id] += more;
    p->r->added = fmaxf(p->r->added, more);
    p->r->deepest = fmaxf(p->r->deepest, s->depth[id]);
    rn_pipes_changed(s, id);
    return taken;
}

static void collect_nearer(pusher *p, size_t from, node beside) {
    if (is_nearer(p, node_at(p, from), beside.id)) p->nearer.ids[p->nearer.count++] = beside.id;
}

/* In equal parts. */
static void hand_on(pusher *p, size_t from) {
    const bool to_room = node_at(p, from)->distance == 1;
    p->nearer.count = 0;
    visit_beside(p, from, collect_nearer);
    int64_t quanta = node_at(p, from)->quanta;
    for (int i = 0; i < p->nearer.count; i++) {
        const int64_t part = quanta / (p->nearer.count - i);
        if (to_room) {
            quanta -= take(p, p->nearer.ids[i], part);
        } else {
            node_at(p, (size_t)p->r->seen[p->nearer.ids[i]] - 1)->quanta += part;
            quanta -= part;
        }
    }
    node_at(p, from)->quanta = quanta;
}

/* What rides on top of solid that has come from below. A range that stays open further down means that it came from
   above. */
static void ride(pusher *p, node *n) {
    const rn_state *s = p->s;
    for (int l = 0; l < s->grid.layers && n->quanta > 0; l++) {
        const int32_t slot = rn_slot(&s->grid, l, n->y, n->x);
        if (s->base[slot] >= RN_NO_COLUMN || s->base[slot] < n->gap.base) break;
        if (!meets(n->gap, s->base[slot], s->ceil[slot])) continue;
        n->quanta -= take(p, slot, n->quanta);
        p->r->seen[n->id] = 0;
        *n = (node){slot, n->x, n->y, {s->base[slot], s->ceil[slot]}, s->base[slot] + s->depth[slot], 0, n->quanta};
    }
}

/* Keeps the nodes that still have something, for the next round. */
static void start_over(pusher *p) {
    rn_reshaping *r = p->r;
    size_t kept = 0;
    for (size_t i = 0; i < r->node_count; i++) {
        node n = *node_at(p, i);
        r->seen[n.id] = 0;
        n.distance = 0;
        if (n.quanta > 0) *node_at(p, kept++) = n;
    }
    r->node_count = kept;
    for (size_t i = 0; i < kept; i++) r->seen[node_at(p, i)->id] = (int32_t)i + 1;
}

/* One round. False if there is no room to be found. */
static bool push(pusher *p) {
    rn_reshaping *r = p->r;
    for (size_t i = 0; i < r->node_count; i++) visit_beside(p, i, explore);
    p->order = rn_alloc(&p->s->hooks, r->node_count, sizeof *p->order);
    p->order_count = 0;
    p->progressed = false;
    if (!p->order) p->failed = true;
    if (!p->failed) {
        for (size_t i = 0; i < r->node_count; i++)
            if (node_at(p, i)->distance == 1) p->order[p->order_count++] = (int32_t)i;
        for (int32_t i = 0; i < p->order_count; i++) visit_beside(p, (size_t)p->order[i], set_distance);
        for (int32_t i = p->order_count - 1; i >= 0; i--)
            if (node_at(p, (size_t)p->order[i])->quanta > 0) hand_on(p, (size_t)p->order[i]);
    }
    rn_free(&p->s->hooks, p->order);
    return !p->failed && p->progressed;
}

/* Spread thinly at first: a heap on one column would be a splash. Where there is much to spread, heaps are higher, so
   that it is done within about so many rings of columns around where it came from. */
static float first_heap(const pusher *p) {
    double sum = 0.0;
    for (size_t i = 0; i < p->r->node_count; i++) sum += (double)node_at(p, i)->quanta * p->s->quantum;
    const double around = 4.0 * sqrt((double)p->r->node_count) + 4.0;
    return fmaxf(p->s->cell, (float)(sum / (RINGS * around)));
}

static void push_all(pusher *p) {
    for (p->most = first_heap(p); p->r->node_count > 0 && !p->failed; p->most *= 8.0f) {
        while (p->r->node_count > 0 && push(p)) start_over(p);
        start_over(p);
        if (p->most > p->s->lid) break;
    }
}

/* The nodes to begin with. */
static void gather(pusher *p, size_t index) {
    const rn_change *c = rn_change_at(p->r, index);
    for (int l = 0; l < c->was_count; l++) {
        const size_t at = c->was + (size_t)l;
        const rn_gap was = rn_gaps_at(p->r, c->was)[l];
        const int64_t lost = p->r->lost[at];
        if (lost == 0) continue;
        const int32_t id = p->s->grid.slots + (int32_t)at;
        if (!add_node(p, (node){id, c->x, c->y, was, p->r->levels[at], 0, lost})) p->r->trapped += lost;
    }
}

static void mark_changes(pusher *p, uint8_t mark) {
    for (size_t i = 0; i < p->r->change_count; i++) {
        const rn_change *c = rn_change_at(p->r, i);
        p->r->again[(size_t)c->y * (size_t)p->s->grid.nx + (size_t)c->x] = mark;
    }
}

void rn_displace(rn_reshaping *r, rn_state *s) {
    pusher p = {.r = r, .s = s};
    if (!r->loses) return;
    memset(r->filled, 0, (size_t)s->grid.slots * sizeof *r->filled);
    mark_changes(&p, 1); /* most cells have not changed: a search would be wasted on them */
    for (size_t i = 0; i < r->change_count; i++) gather(&p, i);
    push_all(&p);
    for (size_t i = 0; i < r->node_count; i++)
        if (!is_live(&p, node_at(&p, i)->id)) ride(&p, node_at(&p, i));
    start_over(&p);
    push_all(&p);
    for (size_t i = 0; i < r->node_count; i++) {
        r->trapped += node_at(&p, i)->quanta;
        r->seen[node_at(&p, i)->id] = 0;
    }
    r->node_count = 0;
    mark_changes(&p, 0);
}
