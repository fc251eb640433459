#include "solver/passages.h"

#include "base/maths.h"
#include "base/memory.h"
#include "kernels/duct.h"
#include "solver/graph.h"
#include "solver/rows.h"

#include <string.h>

#define ACCURACY 3e-4f /* of the largest transfer: how far columns may be from even before they are made so */

static rn_node *nodes_of(const rn_flood *flood) { return flood->nodes; }
static rn_duct *ducts_of(const rn_flood *flood) { return flood->ducts; }
static rn_gate *gates_of(const rn_flood *flood) { return flood->gates; }
static rn_passage *passages_of(const rn_flood *flood) { return flood->passages; }

void rn_flood_free(rn_flood *flood, const rn_hooks *hooks) {
    void *const arrays[] = {flood->nodes,   flood->ducts, flood->gates, flood->passages,
                            flood->flooded, flood->found, flood->place, flood->even};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) rn_free(hooks, arrays[i]);
    rn_multigrid_free(&flood->grid);
}

size_t rn_flood_bytes(const rn_flood *flood) {
    return flood->node_capacity * sizeof(rn_node) + flood->duct_capacity * sizeof(rn_duct) +
           flood->gate_capacity * sizeof(rn_gate) + flood->passage_capacity * sizeof(rn_passage) +
           (flood->flooded_capacity + flood->found_capacity + flood->place_capacity) * sizeof(int32_t) +
           flood->even_capacity * sizeof(int64_t) + rn_multigrid_bytes(&flood->grid);
}

/* ---- What is flooded ----------------------------------------------------------------------------------------- */

#define STILL_FULL 64.0f /* quanta of room at which a column that was flooded still is */

static bool is_roofed(const rn_state *s, int32_t slot) {
    return s->base[slot] >= 0.0f && s->base[slot] < RN_NO_COLUMN && s->ceil[slot] < s->lid;
}

static float room_of(const rn_state *s, int32_t slot) { return s->ceil[slot] - s->base[slot] - s->depth[slot]; }

static bool is_full(const rn_state *s, int32_t slot) {
    if (!is_roofed(s, slot)) return false;
    const bool was = s->headed && s->head[slot] > 0.0f;
    return room_of(s, slot) <= (was ? STILL_FULL : RN_FULL) * s->quantum;
}

static bool row_has_full(const rn_state *s, int32_t row) {
    const float least = STILL_FULL * s->quantum;
    rn_mask full = {0};
    for (int32_t c = row; c < row + s->grid.nx; c += RN_LANES) {
        rn_wide ceil = rn_load(s->ceil + c), room = (ceil - rn_load(s->base + c)) - rn_load(s->depth + c);
        full |= (room <= least) & (ceil < s->lid);
    }
    return rn_any(full);
}

/* The pipes of a column, one after the other. */
typedef struct ends {
    int32_t a, b, pipe, link;
    uint8_t way, axis;
    float drop;
} ends;
typedef bool (*visitor)(void *context, const ends *pipe, int32_t other); /* false: no more */

/* An ordinary pipe between a column and the next along an axis, which may lie at the other end of the world. */
static ends ordinary(const rn_state *s, const rn_multigrid *m, int32_t a, int axis) {
    const rn_grid *g = &s->grid;
    const int32_t step = axis == 0 ? 1 : g->stride;
    ends p = {.a = a, .b = a + step, .pipe = a, .link = -1, .way = (uint8_t)axis, .axis = (uint8_t)axis};
    const rn_spot at = rn_slot_place(g, a);
    if ((axis == 0 ? at.x : at.y) != (axis == 0 ? g->nx : g->ny) - 1) return p;
    p.b = axis == 0 ? rn_slot(g, at.layer, at.y, 0) : rn_slot(g, at.layer, 0, at.x);
    p.drop = s->drop[axis];
    if (m->count) p.link = rn_multigrid_wrap(m, s, axis, a);
    return p;
}

static void visit_pipes(const rn_state *s, const rn_multigrid *m, int32_t c, visitor visit, void *context) {
    const rn_grid *g = &s->grid;
    for (int axis = 0; axis < 2; axis++) {
        const uint8_t *pipes = axis == 0 ? s->pipe_x : s->pipe_y;
        const int32_t step = axis == 0 ? 1 : g->stride;
        if (pipes[c - step]) {
            const rn_spot at = rn_slot_place(g, c);
            int32_t a = c - step;
            if ((axis == 0 ? at.x : at.y) == 0)
                a = axis == 0 ? rn_slot(g, at.layer, at.y, g->nx - 1) : rn_slot(g, at.layer, g->ny - 1, at.x);
            const ends p = ordinary(s, m, a, axis);
            if (!visit(context, &p, p.a)) return;
        }
        if (pipes[c]) {
            const ends p = ordinary(s, m, c, axis);
            if (!visit(context, &p, p.b)) return;
        }
    }
    const rn_special *special = rn_special_of(s, c);
    for (int32_t n = special ? special->begin : 0; special && n < special->end; n++) {
        const int32_t i = s->links[n] / 2;
        const ends p = {s->loose_a[i], s->loose_b[i], i, i, 2, s->loose_axis[i], s->loose_drop[i]};
        if (!visit(context, &p, s->links[n] % 2 ? p.a : p.b)) return;
    }
}

typedef struct low_search {
    const rn_state *s;
    int32_t slot;
    bool found;
} low_search;

/* A neighbour that is not full and lower than this column's ceiling. */
static bool look_low(void *context, const ends *p, int32_t other) {
    low_search *look = context;
    const rn_state *s = look->s;
    const float drop = other == p->b ? p->drop : -p->drop;
    look->found =
        !is_full(s, other) && s->base[other] + s->depth[other] - drop < s->ceil[look->slot] - RN_FULL * s->quantum;
    return !look->found;
}

/* Full, and kept so. The paper's methods know no pressure: what stands above a free surface beside it drains. */
static bool is_flooded(const rn_flood *flood, rn_state *s, int32_t slot) {
    if (s->headed && s->head[slot] == RN_HEAD_PRESSED) {
        s->head[slot] = 0.0f;
        return true;
    }
    if (!is_full(s, slot)) return false;
    if (s->headed) {
        if (s->head[slot] >= 0.0f) return true;
        s->head[slot] = 0.0f; /* it is let go for one substep; if it does not drain, it is tried again */
        return false;
    }
    low_search look = {.s = s, .slot = slot};
    visit_pipes(s, &flood->grid, slot, look_low, &look);
    return !look.found;
}

static bool add_int(const rn_hooks *hooks, void **list, size_t *capacity, size_t *count, int32_t value) {
    if (!rn_grow(hooks, list, capacity, *count, sizeof value)) return false;
    ((int32_t *)*list)[(*count)++] = value;
    return true;
}

static rn_result find_flooded(rn_flood *flood, rn_state *s) {
    flood->found_count = 0;
    for (int r = 0; r < row_count(s); r++) {
        const place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        const int32_t first = rn_slot(&s->grid, p.layer, p.y, 0);
        if (!row->roofed || !(row->pressed || (row->wet && row_has_full(s, first)))) continue;
        row->pressed = false;
        for (int32_t c = first; c < first + s->grid.nx; c++)
            if (is_flooded(flood, s, c) &&
                !add_int(&s->hooks, &flood->found, &flood->found_capacity, &flood->found_count, c))
                return RN_MEMORY;
    }
    return RN_OK;
}

/* Liquid that leaves in the same substep keeps a column from ever being found full. If more wants in than there is room
   for, it is as good as full. */
void rn_flood_press(rn_state *s) {
    for (int r = 0; s->headed && r < row_count(s); r++) {
        const place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        if (!row->limited || !row->roofed) continue;
        const int32_t first = rn_slot(&s->grid, p.layer, p.y, 0);
        for (int32_t c = first; c < first + s->grid.nx; c++) {
            if (s->share[c] >= 1.0f || s->head[c] != 0.0f || !is_roofed(s, c) || is_full(s, c)) continue;
            s->head[c] = RN_HEAD_PRESSED;
            row->pressed = true;
        }
    }
}

/* ---- Passages: flooded columns that hang together -------------------------------------------------------------- */

typedef struct search {
    rn_flood *flood;
    const rn_state *s;
    int32_t node; /* the column looked from, */
    int axis;     /* only along this axis; -1: all around */
    bool ahead, any, failed;
} search;

static void *add(search *look, void **list, size_t *capacity, size_t *count, size_t size) {
    if (!rn_grow(&look->s->hooks, list, capacity, *count, size)) {
        look->failed = true;
        return NULL;
    }
    return (char *)*list + size * (*count)++;
}

static int32_t add_node(search *look, int32_t slot, int32_t parent) {
    rn_flood *flood = look->flood;
    rn_node *node = add(look, &flood->nodes, &flood->node_capacity, &flood->node_count, sizeof *node);
    if (!node) return -1;
    *node = (rn_node){.slot = slot, .parent = parent};
    flood->place[slot] = (int32_t)flood->node_count;
    return (int32_t)flood->node_count - 1;
}

static int32_t add_gate(search *look, int32_t slot) {
    rn_flood *flood = look->flood;
    if (flood->place[slot] < 0) return -1 - flood->place[slot];
    rn_gate *gate = add(look, &flood->gates, &flood->gate_capacity, &flood->gate_count, sizeof *gate);
    if (!gate) return -1;
    const rn_special *special = rn_special_of(look->s, slot);
    *gate = (rn_gate){.slot = slot, .sink = special && special->sink};
    flood->place[slot] = -(int32_t)flood->gate_count;
    return (int32_t)flood->gate_count - 1;
}

static rn_duct *add_duct(search *look, const ends *p) {
    rn_flood *flood = look->flood;
    rn_duct *duct = add(look, &flood->ducts, &flood->duct_capacity, &flood->duct_count, sizeof *duct);
    if (duct)
        *duct = (rn_duct){.a = p->a,
                          .b = p->b,
                          .node_a = -1,
                          .node_b = -1,
                          .gate = -1,
                          .pipe = p->pipe,
                          .link = p->link,
                          .way = p->way,
                          .axis = p->axis,
                          .drop = p->drop};
    return duct;
}

/* Slots that are going to be nodes carry this until they are. */
#define WAITING INT32_MAX

/* Every pipe is met from both of its ends, and becomes a duct at the first. */
static bool look_around(void *context, const ends *p, int32_t other) {
    search *look = context;
    rn_flood *flood = look->flood;
    const int32_t slot = nodes_of(flood)[look->node].slot, mark = flood->place[other];
    if (mark > 0 && mark != WAITING && mark - 1 < look->node) return true;
    if (other == slot) return true; /* a world one cell wide that goes on at its other end */
    rn_duct *duct = add_duct(look, p);
    if (!duct) return false;
    const int32_t here = look->node;
    int32_t there = -1;
    if (mark <= 0) duct->gate = add_gate(look, other);
    else if (mark != WAITING) there = mark - 1;
    else {
        duct->tree = true;
        there = add_node(look, other, (int32_t)flood->duct_count - 1);
    }
    duct = &ducts_of(flood)[flood->duct_count - 1];
    duct->node_a = p->a == slot ? here : there;
    duct->node_b = p->a == slot ? there : here;
    return !look->failed;
}

static rn_passage *begin_passage(search *look) {
    rn_flood *flood = look->flood;
    rn_passage *passage = add(look, &flood->passages, &flood->passage_capacity, &flood->passage_count, sizeof *passage);
    if (passage) *passage = (rn_passage){.nodes = (int32_t)flood->node_count, .ducts = (int32_t)flood->duct_count};
    return passage;
}

static void end_passage(rn_flood *flood) {
    rn_passage *passage = &passages_of(flood)[flood->passage_count - 1];
    passage->node_end = (int32_t)flood->node_count;
    passage->duct_end = (int32_t)flood->duct_count;
}

/* Breadth first from every column that no passage has reached yet. */
static void connect(search *look) {
    rn_flood *flood = look->flood;
    const int32_t *found = flood->found;
    for (size_t i = 0; i < flood->found_count && !look->failed; i++) {
        if (flood->place[found[i]] != WAITING) continue;
        if (!begin_passage(look)) return;
        look->node = add_node(look, found[i], -1);
        for (; !look->failed && look->node < (int32_t)flood->node_count; look->node++)
            visit_pipes(look->s, &flood->grid, nodes_of(flood)[look->node].slot, look_around, look);
        if (!look->failed) end_passage(flood);
    }
}

/* ---- The paper's first way: runs along x and along y --------------------------------------------------------- */

typedef struct stride_search {
    const search *look;
    int axis;
    bool ahead;
    int32_t from;
    ends pipe;
    int32_t other; /* -1: none */
    bool flooded;
} stride_search;

/* The first pipe on one side; one to a flooded column before any other. */
static bool look_along(void *context, const ends *p, int32_t other) {
    stride_search *step = context;
    if (p->axis != step->axis || (p->a == step->from) != step->ahead) return true;
    const bool flooded = step->look->flood->place[other] == WAITING;
    if (step->other >= 0 && (step->flooded || !flooded)) return true;
    step->pipe = *p;
    step->other = other;
    step->flooded = flooded;
    return true;
}

static stride_search step_along(const search *look, int32_t from, int axis, bool ahead) {
    stride_search step = {.look = look, .axis = axis, .ahead = ahead, .from = from, .other = -1};
    visit_pipes(look->s, &look->flood->grid, from, look_along, &step);
    return step;
}

static void add_run(search *look, int32_t start, int axis) {
    rn_flood *flood = look->flood;
    if (!begin_passage(look)) return;
    stride_search behind = step_along(look, start, axis, false);
    int32_t node = add_node(look, start, -1);
    rn_duct *duct;
    if (behind.other >= 0 && !behind.flooded && (duct = add_duct(look, &behind.pipe))) {
        duct->node_b = node;
        const int32_t gate = add_gate(look, behind.other);
        ducts_of(flood)[flood->duct_count - 1].gate = gate;
    }
    while (!look->failed) {
        stride_search next = step_along(look, nodes_of(flood)[node].slot, axis, true);
        if (next.other < 0 || !add_duct(look, &next.pipe)) break;
        const int32_t at = (int32_t)flood->duct_count - 1;
        ducts_of(flood)[at].node_a = node;
        if (!next.flooded) {
            const int32_t gate = add_gate(look, next.other);
            ducts_of(flood)[at].gate = gate;
            break;
        }
        node = add_node(look, next.other, at);
        ducts_of(flood)[at].node_b = node;
        ducts_of(flood)[at].tree = true;
    }
    if (!look->failed) end_passage(flood);
}

/* Starts are found by going back from any column; a run that closes on itself begins anywhere. */
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
        }
    }
}

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

static void clear_lists(rn_flood *flood) {
    for (size_t i = 0; i < flood->node_count; i++) flood->place[nodes_of(flood)[i].slot] = 0;
    for (size_t i = 0; i < flood->gate_count; i++) flood->place[gates_of(flood)[i].slot] = 0;
    flood->node_count = flood->duct_count = flood->gate_count = flood->passage_count = flood->flooded_count = 0;
}

/* Fluxes of ducts that are none any more stay with their pipes; heads go. */
static void forget(rn_flood *flood, rn_state *s) {
    const int32_t *flooded = flood->flooded;
    for (size_t i = 0; flood->method == RN_PASSAGES_UNIFIED_LONG && i < flood->flooded_count; i++)
        if (flooded[i] < s->grid.slots && !is_full(s, flooded[i])) s->head[flooded[i]] = 0.0f;
    clear_lists(flood);
}

static bool reserve(const rn_hooks *hooks, void **array, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return true;
    void *more = rn_alloc(hooks, count, size);
    if (!more) return false;
    rn_free(hooks, *array);
    *array = more;
    *capacity = count;
    return true;
}

static bool is_unchanged(const rn_flood *flood, const rn_state *s) {
    return flood->shape == s->shape && flood->found_count == flood->flooded_count &&
           (flood->found_count == 0 || memcmp(flood->found, flood->flooded, flood->found_count * sizeof(int32_t)) == 0);
}

static rn_result make_lists(rn_flood *flood, rn_state *s) {
    forget(flood, s);
    void *places = flood->place, *even = flood->even;
    bool fine = reserve(&s->hooks, &places, &flood->place_capacity, (size_t)s->grid.slots, sizeof *flood->place);
    flood->place = places;
    if (!fine) return RN_MEMORY;
    if (s->headed && flood->found_count) {
        const rn_result result = rn_multigrid_fit(&flood->grid, s);
        if (result != RN_OK) return result;
    }
    const int32_t *found = flood->found;
    for (size_t i = 0; i < flood->found_count; i++) flood->place[found[i]] = WAITING;
    search look = {.flood = flood, .s = s};
    if (flood->method == RN_PASSAGES_AXIS) connect_runs(&look);
    else connect(&look);
    fine = !look.failed && reserve(&s->hooks, &even, &flood->even_capacity, flood->node_count, sizeof *flood->even);
    flood->even = even;
    for (size_t i = 0; i < flood->found_count && fine; i++)
        fine = add_int(&s->hooks, &flood->flooded, &flood->flooded_capacity, &flood->flooded_count, found[i]);
    flood->shape = s->shape;
    if (fine) return RN_OK;
    for (size_t i = 0; i < flood->found_count; i++) flood->place[found[i]] = 0;
    forget(flood, s);
    return RN_MEMORY;
}

/* As long as the same columns are flooded, the lists are good. */
rn_result rn_flood_find(rn_flood *flood, rn_state *s) {
    if (flood->method == RN_PASSAGES_NONE) return RN_OK;
    rn_result result = find_flooded(flood, s);
    if (result != RN_OK || is_unchanged(flood, s)) return result;
    return make_lists(flood, s);
}

/* What is flooded is known by its head; let go of all else. */
rn_result rn_flood_restored(rn_flood *flood, rn_state *s) {
    clear_lists(flood);
    flood->shape = s->shape - 1;
    for (int r = 0; r < row_count(s); r++) rn_row_at(s, row_place(s, r).layer, row_place(s, r).y)->pressed = s->headed;
    for (int32_t slot = 0; s->headed && slot < s->grid.slots; slot++)
        if (s->head[slot] != 0.0f &&
            !add_int(&s->hooks, &flood->flooded, &flood->flooded_capacity, &flood->flooded_count, slot))
            return RN_MEMORY;
    return RN_OK;
}

rn_result rn_flood_list(rn_flood *flood, rn_state *s, const uint8_t *kinds, uint8_t full) {
    flood->found_count = 0;
    for (int r = 0; r < row_count(s); r++) {
        const place p = row_place(s, r);
        const rn_row *row = rn_row_at(s, p.layer, p.y);
        const int32_t first = rn_slot(&s->grid, p.layer, p.y, 0);
        if (!row->roofed || !row->wet) continue;
        for (int32_t c = first; c < first + s->grid.nx; c++)
            if (kinds[c] == full && s->ceil[c] < s->lid &&
                !add_int(&s->hooks, &flood->found, &flood->found_capacity, &flood->found_count, c))
                return RN_MEMORY;
    }
    return is_unchanged(flood, s) ? RN_OK : make_lists(flood, s);
}

/* ---- Pipes and ducts --------------------------------------------------------------------------------------------- */

/* The other copy of an ordinary pipe over a periodic edge; -1 if there is none. */
static int32_t copy_of(const rn_state *s, const rn_duct *duct) {
    if (duct->way == 2 || duct->link < 0) {
        const rn_spot at = rn_slot_place(&s->grid, duct->a);
        const bool last = duct->way == 0 ? s->periodic_x && at.x == s->grid.nx - 1
                                         : duct->way == 1 && s->periodic_y && at.y == s->grid.ny - 1;
        if (!last) return -1;
    }
    return duct->b - (duct->way == 0 ? 1 : s->grid.stride);
}

static float *pipe_value(const rn_duct *duct, float *x, float *y, float *loose) {
    return (duct->way == 0 ? x : duct->way == 1 ? y : loose) + duct->pipe;
}

static void write_value(const rn_state *s, const rn_duct *duct, float *x, float *y, float *loose, float value) {
    *pipe_value(duct, x, y, loose) = value;
    const int32_t copy = copy_of(s, duct);
    if (copy >= 0) (duct->way == 0 ? x : y)[copy] = value;
}

static void mark_ducts(const rn_flood *flood, rn_state *s, bool held) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        uint8_t *flags = duct->way == 0 ? s->pipe_x : duct->way == 1 ? s->pipe_y : s->loose_fall;
        const int32_t copy = copy_of(s, duct);
        flags[duct->pipe] = (uint8_t)(held ? flags[duct->pipe] | RN_HELD : flags[duct->pipe] & ~RN_HELD);
        if (copy >= 0) flags[copy] = flags[duct->pipe];
    }
}

void rn_flood_hold(rn_flood *flood, rn_state *s) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        duct->flux = duct->was = *pipe_value(duct, s->flux_x, s->flux_y, s->loose_flux);
    }
    mark_ducts(flood, s, true);
}

/* What gives the flow room: between the higher floor and the lower ceiling. */
static float opening(const rn_state *s, const rn_duct *duct) {
    const float height =
        fminf(s->ceil[duct->a], s->ceil[duct->b] - duct->drop) - fmaxf(s->base[duct->a], s->base[duct->b] - duct->drop);
    return height >= RN_CLOSED ? height : 0.0f;
}

/* e = 1 + S^2 of the line half-way between floor and ceiling. */
static float slope_of(const rn_state *s, const rn_duct *duct) {
    if (duct->gate >= 0) return 1.0f;
    const float S =
        0.5f * ((s->base[duct->a] + s->ceil[duct->a]) - (s->base[duct->b] + s->ceil[duct->b] - 2.0f * duct->drop)) /
        s->cell;
    return 1.0f + S * S;
}

static float kappa_of(const rn_state *s, const rn_law *law, const rn_duct *duct) {
    return s->kappa ? 0.5f * (s->kappa[duct->a] + s->kappa[duct->b]) : law->kappa;
}

/* The level of a gate. Liquid below the sill between cannot pull, and a jet leaves with what stands up to its top. */
static float gate_level(const rn_state *s, const rn_duct *duct) {
    const bool b = duct->node_b < 0;
    const int32_t gate = b ? duct->b : duct->a, node = b ? duct->a : duct->b;
    const float drop = b ? -duct->drop : duct->drop;
    const float sill = fmaxf(s->base[gate], s->base[node] - drop), top = fminf(s->ceil[gate], s->ceil[node] - drop);
    return fmaxf(s->base[gate] + s->depth[gate], duct->jet ? top : sill);
}

/* Liquid that comes out of a duct loses what it is faster than where it comes to (Borda and Carnot): the rate (1/s) at
   which that slows the flow through this last cell. */
static float exit_loss(const rn_state *s, const rn_law *law, const rn_duct *duct, float flux) {
    if (duct->gate < 0 || (duct->node_a < 0) == (flux > 0.0f)) return 0.0f;
    const bool b = duct->node_b < 0;
    const int32_t gate = b ? duct->b : duct->a, node = b ? duct->a : duct->b;
    const float sill = fmaxf(s->base[gate], s->base[node] + (b ? duct->drop : -duct->drop));
    const float above = s->base[gate] + s->depth[gate] - sill;
    float narrower = 0.0f; /* than the liquid it comes to; a jet through the air comes to none */
    if (is_roofed(s, gate)) narrower = duct->height / (s->ceil[gate] - s->base[gate]);
    else if (above > duct->height) narrower = duct->height / above;
    const float lost = 1.0f - fminf(narrower, 1.0f);
    return 0.5f * lost * lost * fabsf(flux) / (law->cell * law->cell * duct->height);
}

static bool is_jet(const rn_law *law, const rn_duct *duct, float flux) {
    if (duct->gate < 0 || (duct->node_a < 0) == (flux > 0.0f)) return false;
    const float H = duct->height, critical = 0.99f * RN_OVERFALL * law->cell * H; /* times sqrt(gH) */
    return flux * flux >= critical * critical * law->gravity * H;
}

/* ---- Heads of columns that have just been flooded ------------------------------------------------------------- */

static void start_head(rn_state *s, int32_t slot, float head) {
    if (s->head[slot] == 0.0f && head >= s->ceil[slot]) s->head[slot] = head;
}

/* The level of the gates, or the head next to them. A lake under which they lie is then at rest from the beginning. */
static void start_heads(const rn_flood *flood, rn_state *s) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->gate < 0) continue;
        if (duct->node_a >= 0) start_head(s, duct->a, gate_level(s, duct) - duct->drop);
        else start_head(s, duct->b, gate_level(s, duct) + duct->drop);
    }
    for (int pass = 0; pass < 2; pass++) /* as passages were found, and back */
        for (size_t i = 0; i < flood->duct_count; i++) {
            const rn_duct *duct = &ducts_of(flood)[pass ? flood->duct_count - 1 - i : i];
            if (duct->gate >= 0) continue;
            if (s->head[duct->b] > 0.0f) start_head(s, duct->a, s->head[duct->b] - duct->drop);
            if (s->head[duct->a] > 0.0f) start_head(s, duct->b, s->head[duct->a] + duct->drop);
        }
}

static bool any_new(const rn_state *s) {
    for (int r = 0; r < row_count(s); r++) {
        const place p = row_place(s, r);
        const rn_row *row = rn_row_at(s, p.layer, p.y);
        const int32_t first = rn_slot(&s->grid, p.layer, p.y, 0);
        if (!row->roofed || !row->wet || !row_has_full(s, first)) continue;
        for (int32_t c = first; c < first + s->grid.nx; c++)
            if (s->head[c] == 0.0f && is_full(s, c)) return true;
    }
    return false;
}

rn_result rn_flood_greet(rn_flood *flood, rn_state *s) {
    if (!any_new(s)) return RN_OK;
    const rn_result result = rn_flood_find(flood, s);
    if (result == RN_OK) start_heads(flood, s);
    return result;
}

/* ---- Unified-long: potential flow -------------------------------------------------------------------------------- */

static float *link_of(rn_flood *flood, const rn_duct *duct) {
    rn_level *level = &flood->grid.levels[0];
    if (duct->link >= 0) return &level->loose_link[duct->link];
    return (duct->way == 0 ? level->link_x : level->link_y) + duct->pipe;
}

static void set_strips(rn_flood *flood, const rn_state *s) {
    const int32_t *flooded = flood->flooded;
    rn_multigrid_clear(&flood->grid);
    for (size_t i = 0; i < flood->flooded_count; i++) {
        const rn_spot at = rn_slot_place(&s->grid, flooded[i]);
        rn_multigrid_strip(&flood->grid, at.layer, at.y, at.x, at.x + 1);
    }
}

/* Gates that liquid can pass; a sealed passage has none, and nothing to solve. */
static bool is_open(const rn_flood *flood, const rn_state *s, const rn_passage *passage) {
    for (int32_t i = passage->ducts; i < passage->duct_end; i++)
        if (ducts_of(flood)[i].gate >= 0 && opening(s, &ducts_of(flood)[i]) > 0.0f) return true;
    return false;
}

/* The flux that the heads of the last substep give, and what links it makes. Returns the largest transfer (m). */
static float assemble(rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    const float per_depth = law->dt / (law->cell * law->cell);
    const bool open = is_open(flood, s, passage);
    rn_level *level = &flood->grid.levels[0];
    float most = 0.0f;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) {
        rn_node *node = &nodes_of(flood)[i];
        const float room = room_of(s, node->slot);
        const bool fills = open && room > RN_FULL * law->quantum;
        node->fill = fills ? (int64_t)(room * law->per_quantum) : 0;
        if (fills) level->b[node->slot] -= room;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        const float was = duct->was;
        duct->height = open ? opening(s, duct) : 0.0f;
        duct->gain = duct->flux = 0.0f;
        if (!(duct->height > 0.0f)) continue;
        duct->jet = is_jet(law, duct, was);
        const rn_drive drive =
            rn_duct_drive(law, duct->height, slope_of(s, duct), kappa_of(s, law, duct) + exit_loss(s, law, duct, was));
        const float ha = duct->node_a >= 0 ? s->head[duct->a] : gate_level(s, duct),
                    hb = duct->node_b >= 0 ? s->head[duct->b] : gate_level(s, duct);
        const float bound = law->fastest * law->cell * duct->height;
        duct->gain = drive.gain;
        duct->flux = drive.kept * fmaxf(fminf(was, bound), -bound) +
                     drive.gain * ((ha - hb) + duct->drop + law->tilt[duct->axis]);
        const float moved = duct->flux * per_depth, link = drive.gain * per_depth;
        most = fmaxf(most, fabsf(moved));
        if (duct->node_a >= 0) level->b[duct->a] -= moved;
        if (duct->node_b >= 0) level->b[duct->b] += moved;
        if (duct->gate < 0) *link_of(flood, duct) += link;
        else level->own[duct->node_a >= 0 ? duct->a : duct->b] += link;
    }
    return most;
}

/* No column can pull: where the head is below the ceiling, air comes in, first beside a free surface, or else where the
   head is lowest. */
static void let_go(rn_flood *flood, rn_state *s, const rn_passage *passage) {
    bool beside = false;
    int32_t lowest = -1;
    float least = -RN_FULL * s->quantum;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->gate < 0 || !(duct->height > 0.0f)) continue;
        const int32_t slot = duct->node_a >= 0 ? duct->a : duct->b;
        if (s->head[slot] - s->ceil[slot] >= least) continue;
        s->head[slot] = RN_HEAD_GONE;
        beside = true;
    }
    for (int32_t i = passage->nodes; !beside && i < passage->node_end; i++) {
        const int32_t slot = nodes_of(flood)[i].slot;
        if (s->head[slot] - s->ceil[slot] >= least) continue;
        least = s->head[slot] - s->ceil[slot];
        lowest = slot;
    }
    if (lowest >= 0) s->head[lowest] = RN_HEAD_GONE;
}

static void find_heads(rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool) {
    float most = 0.0f;
    start_heads(flood, s);
    for (size_t i = 0; i < flood->node_count; i++) {
        const int32_t slot = nodes_of(flood)[i].slot;
        if (!(s->head[slot] > 0.0f)) s->head[slot] = s->ceil[slot];
    }
    set_strips(flood, s);
    for (size_t i = 0; i < flood->passage_count; i++)
        most = fmaxf(most, assemble(flood, s, law, &passages_of(flood)[i]));
    const float tolerance = fmaxf(0.25f * law->quantum, ACCURACY * most);
    const rn_solve solve = rn_multigrid_solve(&flood->grid, pool, tolerance, flood->most);
    if (solve.iterations > flood->iterations) flood->iterations = solve.iterations;
    if (!solve.converged) {
        if (flood->failures++ == 0) flood->residual = solve.residual;
        flood->failed = true;
        return;
    }
    const float *change = flood->grid.solution;
    for (size_t i = 0; i < flood->node_count; i++) {
        const int32_t slot = nodes_of(flood)[i].slot;
        s->head[slot] = fmaxf(s->head[slot] + change[slot], 0x1p-100f);
    }
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        duct->flux +=
            duct->gain * ((duct->node_a >= 0 ? change[duct->a] : 0.0f) - (duct->node_b >= 0 ? change[duct->b] : 0.0f));
    }
    for (size_t i = 0; i < flood->passage_count; i++) let_go(flood, s, &passages_of(flood)[i]);
}

/* ---- The paper's ways ---------------------------------------------------------------------------------------- */

static rn_drive paper_drive(const rn_state *s, const rn_law *law, const rn_duct *duct, float height) {
    return law->paper ? rn_duct_paper(law, height) : rn_duct_drive(law, height, 1.0f, kappa_of(s, law, duct));
}

static float least_height(const rn_flood *flood, const rn_state *s, const rn_passage *passage) {
    float least = INFINITY;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const float height = opening(s, &ducts_of(flood)[i]);
        if (height > 0.0f) least = fminf(least, height);
    }
    return least;
}

/* Dagenais 2018, 3.3: one pipe from end to end, as long as a cell. It begins without flux, and is another one as soon
   as its ends are others: its ducts then differ. */
static void drive_run(rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    rn_duct *first = &ducts_of(flood)[passage->ducts], *last = &ducts_of(flood)[passage->duct_end - 1];
    const bool passes = passage->duct_end > passage->ducts + 1 && first->gate >= 0 && last->gate >= 0;
    float f = 0.0f, drop = 0.0f;
    bool same = true;
    for (rn_duct *duct = first; passage->duct_end > passage->ducts && duct <= last; duct++) {
        if (duct == first) f = duct->was;
        same = same && duct->was == f;
        drop += duct->drop;
        duct->flux = 0.0f;
        duct->height = opening(s, duct);
        if (!(duct->height > 0.0f)) return;
    }
    if (!passes) return;
    const float height = least_height(flood, s, passage);
    const rn_drive drive = paper_drive(s, law, first, height);
    const float dh = gate_level(s, first) - gate_level(s, last) + drop +
                     law->tilt[first->axis] * (float)(passage->duct_end - passage->ducts);
    f = (same ? f : 0.0f) * drive.kept + drive.gain * dh;
    for (rn_duct *duct = first; duct <= last; duct++) duct->flux = f;
}

/* Into the passage. */
static float inward(const rn_duct *duct, float value) { return duct->node_a < 0 ? value : -value; }

/* Gates as Eq. 8 counts them: each column once. A dry one above the mean level has nothing to give. */
static bool counts(const rn_flood *flood, const rn_state *s, const rn_passage *passage, int32_t i, float mean) {
    const rn_duct *duct = &ducts_of(flood)[i];
    if (duct->gate < 0 || !(duct->height > 0.0f)) return false;
    const int32_t slot = gates_of(flood)[duct->gate].slot;
    if (!(s->depth[slot] > 0.0f) && s->base[slot] >= mean) return false;
    for (int32_t k = passage->ducts; k < i; k++)
        if (ducts_of(flood)[k].gate == duct->gate && ducts_of(flood)[k].height > 0.0f) return false;
    return true;
}

/* Dagenais 2018, Eq. 8 and 9. */
static void drive_unified(rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    const float height = least_height(flood, s, passage);
    float mean = INFINITY, flux = 0.0f;
    int count = 0, before = -1;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        duct->height = opening(s, duct);
        duct->flux = duct->gate >= 0 ? duct->was : 0.0f;
    }
    while (count != before) { /* without some gates the mean is another */
        float sum = 0.0f;
        before = count;
        count = 0;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
            if (!counts(flood, s, passage, i, mean)) continue;
            sum += gate_level(s, &ducts_of(flood)[i]);
            count++;
        }
        mean = count ? sum / (float)count : INFINITY;
        if (before >= 0 && count > before) break;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        if (count < 2 || !counts(flood, s, passage, i, mean)) continue;
        const rn_drive drive = paper_drive(s, law, duct, height);
        const float f = drive.kept * inward(duct, duct->flux) + drive.gain * (gate_level(s, duct) - mean);
        duct->flux = inward(duct, f);
        flux += f;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        if (count < 2 || !counts(flood, s, passage, i, mean)) duct->flux = 0.0f;
        else duct->flux = inward(duct, inward(duct, duct->flux) - flux / (float)count);
    }
}

/* ---- Whole quanta -------------------------------------------------------------------------------------------- */

static int64_t fill_of(const rn_flood *flood, const rn_passage *passage) {
    int64_t fill = 0;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) fill += nodes_of(flood)[i].fill;
    return fill;
}

/* Columns do without what does not come in. */
static int64_t fill_less(rn_flood *flood, const rn_passage *passage, int64_t less) {
    for (int32_t i = passage->nodes; less > 0 && i < passage->node_end; i++) {
        rn_node *node = &nodes_of(flood)[i];
        const int64_t taken = node->fill < less ? node->fill : less;
        node->fill -= taken;
        less -= taken;
    }
    return less;
}

/* Takes what comes in too much or too little at the gates from the largest transfers of that sign. */
static void balance(rn_flood *flood, const rn_passage *passage) {
    int64_t left = -fill_of(flood, passage);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->gate >= 0) left += duct->node_a < 0 ? duct->moved : -duct->moved;
    }
    if (left < 0) left = -fill_less(flood, passage, -left);
    while (left != 0) {
        rn_duct *largest = NULL;
        int64_t most = 0;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
            rn_duct *duct = &ducts_of(flood)[i];
            const int64_t in = duct->node_a < 0 ? duct->moved : -duct->moved, size = left > 0 ? in : -in;
            if (duct->gate < 0 || size <= most) continue;
            most = size;
            largest = duct;
        }
        const int64_t taken = most < (left > 0 ? left : -left) ? most : (left > 0 ? left : -left);
        const int64_t change = left > 0 ? taken : -taken;
        largest->moved -= largest->node_a < 0 ? change : -change;
        left -= change;
    }
}

/* Ducts of the tree carry what the others leave, from the last column found to the first. */
static void even_out(rn_flood *flood, const rn_passage *passage) {
    int64_t *even = flood->even;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) even[i] = -nodes_of(flood)[i].fill;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->tree) continue;
        if (duct->node_a >= 0) even[duct->node_a] -= duct->moved;
        if (duct->node_b >= 0) even[duct->node_b] += duct->moved;
    }
    for (int32_t i = passage->node_end - 1; i > passage->nodes; i--) {
        rn_duct *duct = &ducts_of(flood)[nodes_of(flood)[i].parent];
        duct->moved = duct->node_a == i ? even[i] : -even[i];
        even[duct->node_a == i ? duct->node_b : duct->node_a] += even[i];
    }
}

/* Level gates and next to no flow: the passage falls asleep as a whole. */
static bool is_sleepy(const rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    const float least = RN_ASLEEP * law->quantum, per_depth = law->dt / (law->cell * law->cell);
    float low = INFINITY, high = -INFINITY;
    if (fill_of(flood, passage) > 0) return false;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (fabsf(duct->flux) * per_depth > least) return false;
        if (duct->gate < 0 || !(duct->height > 0.0f)) continue;
        low = fminf(low, gate_level(s, duct));
        high = fmaxf(high, gate_level(s, duct));
    }
    return high - low <= least;
}

/* Rounds the fluxes of a passage. What the solve has left is taken from all gates alike, and what a gate is rounded up
   is taken from the next, so that together they are even to within a quantum. */
static void round_passage(rn_flood *flood, const rn_state *s, const rn_law *law, rn_passage *passage) {
    const bool sleeps = is_sleepy(flood, s, law, passage);
    const double per_flux = (double)law->dt / ((double)law->cell * law->cell) * law->per_quantum;
    double left = -(double)fill_of(flood, passage) / per_flux, all = 0.0, sum = 0.0;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->gate < 0) continue;
        left += (double)inward(duct, duct->flux);
        all += fabs((double)duct->flux);
    }
    const double less = all > 0.0 ? left / all : 0.0;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        duct->moved = (int64_t)rn_duct_quanta(law, duct->flux, sleeps);
        if (duct->gate < 0 || sleeps) continue;
        const double in = (double)inward(duct, duct->flux), was = floor(sum + (double)law->dither);
        sum += (in - less * fabs(in)) * per_flux;
        const int64_t quanta = (int64_t)rn_clamp(floor(sum + (double)law->dither) - was, -RN_MOST, RN_MOST);
        duct->moved = duct->node_a < 0 ? quanta : -quanta;
    }
    balance(flood, passage);
    even_out(flood, passage);
    for (int32_t i = passage->ducts; sleeps && i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        duct->flux = (float)duct->moved * law->quantum * (law->cell * law->cell / law->dt) + 0.0f;
    }
    passage->share = 1.0f;
}

void rn_flood_drive(rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool) {
    flood->failed = false;
    if (flood->duct_count == 0) return;
    mark_ducts(flood, s, false);
    if (s->headed) find_heads(flood, s, law, pool);
    if (flood->failed) return;
    for (size_t i = 0; i < flood->passage_count; i++) {
        rn_passage *passage = &passages_of(flood)[i];
        if (flood->method == RN_PASSAGES_AXIS) drive_run(flood, s, law, passage);
        else if (flood->method == RN_PASSAGES_UNIFIED) drive_unified(flood, s, law, passage);
        round_passage(flood, s, law, passage);
    }
}

/* ---- Limits -------------------------------------------------------------------------------------------------- */

/* Quanta that ordinary pipes bring to a column. */
static int64_t brought(const rn_state *s, const rn_law *law, int32_t c) {
    const int32_t up = s->grid.stride;
    float sum = (s->move_x[c - 1] - s->move_x[c]) + (s->move_y[c - up] - s->move_y[c]);
    const rn_special *special = rn_special_of(s, c);
    for (int32_t n = special ? special->begin : 0; special && n < special->end; n++) {
        const float t = s->loose_move[s->links[n] / 2];
        sum += s->links[n] % 2 ? t : -t;
    }
    return (int64_t)(sum * law->per_quantum);
}

static void count_gates(rn_flood *flood) {
    for (size_t i = 0; i < flood->gate_count; i++) gates_of(flood)[i].in = gates_of(flood)[i].out = 0;
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->gate < 0) continue;
        rn_gate *gate = &gates_of(flood)[duct->gate];
        const int64_t out = duct->node_a < 0 ? duct->moved : -duct->moved;
        if (out > 0) gate->out += out;
        else gate->in -= out;
    }
}

/* Which share of its transfers every gate can give and take. True: some cannot do all. */
static bool find_shares(rn_flood *flood, const rn_state *s, const rn_law *law) {
    bool limited = false;
    count_gates(flood);
    for (size_t i = 0; i < flood->gate_count; i++) {
        rn_gate *gate = &gates_of(flood)[i];
        gate->give = gate->take = 1.0f;
        if (gate->sink) continue;
        const int32_t c = gate->slot;
        const int64_t now = (int64_t)(s->depth[c] * law->per_quantum) + brought(s, law, c);
        const int64_t room = (int64_t)((s->ceil[c] - s->base[c]) * law->per_quantum) - now;
        if (now < gate->out) gate->give = now > 0 ? (float)now / (float)gate->out * RN_SAFE : 0.0f;
        if (room < gate->in) gate->take = room > 0 ? (float)room / (float)gate->in * RN_SAFE : 0.0f;
        limited = limited || gate->give < 1.0f || gate->take < 1.0f;
    }
    return limited;
}

static int64_t shared(int64_t moved, double share) { return (int64_t)((double)moved * share); }

/* Quanta that come in at all gates of a passage, and that go out. */
static void gate_sums(const rn_flood *flood, const rn_passage *passage, int64_t *in, int64_t *out) {
    *in = *out = 0;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        const int64_t inwards = duct->node_a < 0 ? duct->moved : -duct->moved;
        if (duct->gate >= 0 && inwards > 0) *in += inwards;
        if (duct->gate >= 0 && inwards < 0) *out -= inwards;
    }
}

/* Every gate does what it can, and the other side as much less. Fluxes keep their pace where there is only no room: the
   column ahead is about to be flooded itself. */
static void limit(rn_flood *flood, rn_passage *passage) {
    int64_t in, out, before, largest = 0;
    bool limited = false, short_of = false;
    gate_sums(flood, passage, &before, &out);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        largest = duct->moved > largest ? duct->moved : -duct->moved > largest ? -duct->moved : largest;
        if (duct->gate < 0 || duct->moved == 0) continue;
        const rn_gate *gate = &gates_of(flood)[duct->gate];
        const bool gives = (duct->node_a < 0) == (duct->moved > 0);
        const float share = gives ? gate->give : gate->take;
        if (share >= 1.0f) continue;
        duct->moved = shared(duct->moved, (double)share);
        limited = true;
        short_of = short_of || gives;
    }
    const double bound = largest > (int64_t)RN_MOST ? (double)RN_MOST / (double)largest * (double)RN_SAFE : 1.0;
    if (!limited && bound == 1.0) return;
    gate_sums(flood, passage, &in, &out);
    const int64_t fill = fill_of(flood, passage);
    if (in < out + fill) fill_less(flood, passage, out + fill - in);
    out += fill_of(flood, passage); /* together with what stays */
    const double in_share = bound * (in > out ? (double)out / (double)in : 1.0),
                 out_share = bound * (out > in ? (double)in / (double)out : 1.0);
    passage->share = before > 0 ? (float)(bound * (double)(in < out ? in : out) / (double)before) : 1.0f;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        const bool gives = (duct->node_a < 0) == (duct->moved > 0);
        duct->moved = shared(duct->moved, duct->gate < 0 ? (double)passage->share : gives ? in_share : out_share);
        if (short_of) duct->flux = duct->flux * passage->share + 0.0f;
    }
    balance(flood, passage);
    even_out(flood, passage);
}

static void raise_gates(const rn_flood *flood, const rn_law *law, rn_peak *peak) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        if (duct->gate < 0 || !(duct->height > 0.0f)) continue;
        raise(&peak->height, duct->height);
        if (duct->height > law->felt) raise(&peak->speed, fabsf(duct->flux) / (law->cell * duct->height));
    }
}

static bool any_too_large(const rn_flood *flood) {
    for (size_t i = 0; i < flood->duct_count; i++)
        if (ducts_of(flood)[i].moved > (int64_t)RN_MOST || ducts_of(flood)[i].moved < -(int64_t)RN_MOST) return true;
    return false;
}

void rn_flood_move(rn_flood *flood, rn_state *s, const rn_law *law, rn_peak *peak) {
    if (flood->failed || flood->duct_count == 0) return;
    if (find_shares(flood, s, law) || any_too_large(flood))
        for (size_t i = 0; i < flood->passage_count; i++) limit(flood, &passages_of(flood)[i]);
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        write_value(s, duct, s->move_x, s->move_y, s->loose_move, (float)duct->moved * law->quantum);
    }
    raise_gates(flood, law, peak);
}

void rn_flood_end(const rn_flood *flood, rn_state *s) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        write_value(s, duct, s->flux_x, s->flux_y, s->loose_flux, flood->failed ? duct->was : duct->flux);
    }
}

/* ---- For the implicit step --------------------------------------------------------------------------------------- */

static void write_moves(const rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &ducts_of(flood)[i];
        write_value(s, duct, s->move_x, s->move_y, s->loose_move, (float)duct->moved * law->quantum);
        write_value(s, duct, s->flux_x, s->flux_y, s->loose_flux, duct->flux);
    }
}

void rn_flood_take(rn_flood *flood, rn_state *s, const rn_law *law) {
    mark_ducts(flood, s, true);
    for (size_t i = 0; i < flood->passage_count; i++) {
        rn_passage *passage = &passages_of(flood)[i];
        for (int32_t k = passage->ducts; k < passage->duct_end; k++) {
            rn_duct *duct = &ducts_of(flood)[k];
            duct->flux = *pipe_value(duct, s->flux_x, s->flux_y, s->loose_flux);
            duct->height = opening(s, duct);
        }
        round_passage(flood, s, law, passage);
        write_moves(flood, s, law, passage);
    }
}

void rn_flood_release(const rn_flood *flood, rn_state *s) { mark_ducts(flood, s, false); }

void rn_flood_repair(rn_flood *flood, rn_state *s, const rn_law *law, const float *give, const float *take) {
    for (size_t i = 0; i < flood->gate_count; i++) {
        rn_gate *gate = &gates_of(flood)[i];
        gate->give = give[gate->slot];
        gate->take = take[gate->slot];
    }
    for (size_t i = 0; i < flood->passage_count; i++) {
        limit(flood, &passages_of(flood)[i]);
        write_moves(flood, s, law, &passages_of(flood)[i]);
    }
}

void rn_flood_stop(rn_flood *flood, rn_state *s) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &ducts_of(flood)[i];
        duct->moved = 0;
        write_value(s, duct, s->move_x, s->move_y, s->loose_move, 0.0f);
    }
}
