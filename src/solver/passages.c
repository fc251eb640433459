/* This is one long file on purpose: what explicit and implicit substeps do with ducts shares nearly all of its helpers.
 */
#include "solver/passages.h"

#include "kernels/duct.h"
#include "solver/graph.h"
#include "solver/tiles.h"

enum { COUNTABLE = 1 << 22 }; /* quanta through all ducts of a sink, beside as many and more through its pipes */
#define ACCURACY 3e-4f        /* of the largest transfer: how far columns may be from even before they are made so */

/* ---- Pipes and ducts --------------------------------------------------------------------------------------------- */

static float *pipe_value(const rn_duct *duct, float *x, float *y, float *loose) {
    return (duct->way == 0 ? x : duct->way == 1 ? y : loose) + duct->pipe;
}

static void write_value(const rn_duct *duct, float *x, float *y, float *loose, float value) {
    *pipe_value(duct, x, y, loose) = value;
    if (duct->copy >= 0) (duct->way == 0 ? x : y)[duct->copy] = value;
}

static void mark_ducts(const rn_flood *flood, rn_state *s, bool held) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        uint8_t *flags = duct->way == 0 ? s->graph.pipe_x : duct->way == 1 ? s->graph.pipe_y : s->graph.loose_kind;
        flags[duct->pipe] = (uint8_t)(held ? flags[duct->pipe] | RN_PIPE_DUCT : flags[duct->pipe] & ~RN_PIPE_DUCT);
        if (duct->copy >= 0) flags[duct->copy] = flags[duct->pipe];
    }
}

/* The cross-section (m^2) of a duct. */
static float section_of(const rn_state *s, const rn_law *law, const rn_duct *duct) {
    const rn_ends p = rn_state_ends(s, duct->a, duct->b, duct->drop);
    return law->cell * rn_duct_height(&p)[0];
}

/* Flux (m^3/s) through a duct, as its pipe has it. */
static float flux_of(const rn_state *s, const rn_law *law, const rn_duct *duct) {
    if (!s->graph.momentum) return *pipe_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.loose_flux);
    return *pipe_value(duct, s->graph.speed_x, s->graph.speed_y, s->graph.loose_speed) * section_of(s, law, duct);
}

void rn_passages_hold(rn_flood *flood, rn_state *s, const rn_law *law) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = duct->was = flux_of(s, law, duct);
        if (duct->way < 2) rn_tile_touch(&s->schedule.tiles[duct->tile], duct->spot, s->columns.depth[duct->pipe]);
    }
    mark_ducts(flood, s, true);
}

/* Its two columns, b counting as much lower as it does. */
static rn_ends ends_of(const rn_state *s, const rn_duct *duct) {
    return rn_state_ends(s, duct->a, duct->b, duct->drop);
}

static float kappa_of(const rn_state *s, const rn_law *law, const rn_duct *duct) {
    return s->columns.kappa ? 0.5f * (s->columns.kappa[duct->a] + s->columns.kappa[duct->b]) : law->kappa;
}

/* Into the passage. */
static float inward(const rn_duct *duct, float value) { return duct->node_a < 0 ? value : -value; }

/* How high a duct is, and what its gate is like; levels count from a's datum, so b's are lower by its drop. The paper
   knows neither jets nor losses. */
static void look_at(const rn_state *s, const rn_law *law, rn_duct *duct, bool paper) {
    const rn_ends p = ends_of(s, duct);
    duct->height = rn_duct_height(&p)[0];
    if (duct->way == 2 && s->columns.parted)
        duct->height *= rn_part_open(fmaxf(p.bi[0], p.bj[0]), duct->height, s->graph.loose_low[duct->pipe],
                                     s->graph.loose_high[duct->pipe], s->graph.loose_shut[duct->pipe]);
    if (duct->gate < 0) return;
    const bool b = duct->node_b < 0;
    const int32_t gate = b ? duct->b : duct->a;
    const float level = rn_column_level(&s->columns, gate) - (b ? duct->drop : 0.0f);
    const rn_mouth mouth = rn_duct_mouth(law, &p, rn_splat(level), rn_splat(paper ? 0.0f : -inward(duct, duct->was)));
    duct->level = mouth.level[0];
    const rn_spot at = rn_slot_place(&s->columns.grid, gate);
    duct->lean = law->tilt[0] * (float)at.x + law->tilt[1] * (float)at.y;
    duct->loss = mouth.loss[0];
}

/* ---- Heads of columns that have just been flooded ------------------------------------------------------------- */

/* A head that cannot be: below the ceiling. */
static bool can_have(const rn_state *s, int32_t slot, float head) { return head >= s->columns.ceil[slot]; }

/* The head at the other end of a duct as one of its columns would take it on. */
static float brought_head(const rn_duct *duct, bool to_b, float head) {
    return to_b ? head + duct->drop : head - duct->drop;
}

/* The level of a gate beside a column; of several that reach its ceiling that of the least slot. */
static void start_beside(const rn_flood *flood, rn_state *s, const rn_node *node) {
    int32_t least = INT32_MAX;
    for (int32_t k = node->begin; k < node->end; k++) {
        const rn_duct *duct = &flood->ducts[flood->ends[k] / 2];
        if (duct->gate < 0) continue;
        const int32_t gate = flood->gates[duct->gate].slot;
        const float head = brought_head(duct, flood->ends[k] % 2, s->columns.base[gate] + s->columns.depth[gate]);
        if (gate >= least || !can_have(s, node->slot, head)) continue;
        least = gate;
        s->graph.head[node->slot] = head;
    }
}

/* What columns without heads are offered in a round, by node: the slot of who offers and the duct, least first. */
#define NO_OFFER INT64_MAX

/* Offers the head of a node to its neighbours that have none; those that have had no other offer join `next`. */
static int32_t offer_head(const rn_flood *flood, const rn_state *s, const rn_node *node, int32_t *next, int32_t count) {
    for (int32_t k = node->begin; k < node->end; k++) {
        const int32_t at = flood->ends[k] / 2;
        const bool to_b = flood->ends[k] % 2 == 0;
        const rn_duct *duct = &flood->ducts[at];
        if (duct->gate >= 0) continue;
        const int32_t to = to_b ? duct->node_b : duct->node_a, slot = flood->nodes[to].slot;
        if (s->graph.head[slot] != 0.0f || !can_have(s, slot, brought_head(duct, to_b, s->graph.head[node->slot])))
            continue;
        const int64_t offer = (int64_t)node->slot << 32 | at;
        if (flood->even[to] == NO_OFFER) next[count++] = to;
        if (offer < flood->even[to]) flood->even[to] = offer;
    }
    return count;
}

static void accept_head(const rn_flood *flood, rn_state *s, int32_t to) {
    const rn_duct *duct = &flood->ducts[flood->even[to] & INT32_MAX];
    const bool to_b = duct->node_b == to;
    const int32_t slot = flood->nodes[to].slot;
    s->graph.head[slot] = brought_head(duct, to_b, s->graph.head[to_b ? duct->a : duct->b]);
}

/* The level of the gates, or the head next to them: a lake under which they lie is then at rest from the beginning. In
   rounds from gates and from columns that have heads already: in each, columns beside those that got theirs in the last
   one take them on, of several the one of the least slot. No order of search shows. */
static void start_heads(const rn_flood *flood, rn_state *s) {
    int32_t *from = flood->depth, *next = flood->label, count = 0;
    bool any = false;
    for (size_t i = 0; i < flood->node_count && !any; i++) any = s->graph.head[flood->nodes[i].slot] == 0.0f;
    if (!any) return;
    for (int32_t i = 0; i < (int32_t)flood->node_count; i++) {
        const rn_node *node = &flood->nodes[i];
        flood->even[i] = NO_OFFER;
        if (s->graph.head[node->slot] == 0.0f) start_beside(flood, s, node);
        if (s->graph.head[node->slot] > 0.0f) from[count++] = i;
    }
    while (count > 0) {
        int32_t offered = 0;
        for (int32_t i = 0; i < count; i++) offered = offer_head(flood, s, &flood->nodes[from[i]], next, offered);
        for (int32_t i = 0; i < offered; i++) accept_head(flood, s, next[i]);
        int32_t *const swap = from;
        from = next;
        next = swap;
        count = offered;
    }
}

rn_result rn_passages_greet(rn_flood *flood, rn_state *s) {
    if (!rn_flood_is_new(s)) return RN_OK;
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
        const rn_spot at = rn_slot_place(&s->columns.grid, flooded[i]);
        rn_multigrid_strip(&flood->grid, at.layer, at.y, at.x, at.x + 1);
    }
}

/* Gates that liquid can pass; a sealed passage has none, and nothing to solve. */
static bool is_open(const rn_flood *flood, const rn_passage *passage) {
    for (int32_t i = passage->ducts; i < passage->duct_end; i++)
        if (flood->ducts[i].gate >= 0 && flood->ducts[i].height > 0.0f) return true;
    return false;
}

/* The flux of a duct that the heads of the last substep give, and what a change of heads adds. */
static void start_duct(rn_flood *flood, const rn_state *s, const rn_law *law, rn_duct *duct) {
    const rn_ends p = ends_of(s, duct);
    const rn_wide H = rn_splat(duct->height), e = duct->gate < 0 ? rn_duct_slope(law, &p) : rn_splat(1.0f);
    const rn_wide D = rn_duct_drag(law, rn_splat(kappa_of(s, law, duct) + duct->loss), H, e);
    rn_wide kept, gain;
    rn_duct_split(law, H, e, D, &kept, &gain);
    const float ha = duct->node_a >= 0 ? s->graph.head[duct->a] : duct->level,
                hb = duct->node_b >= 0 ? s->graph.head[duct->b] - duct->drop : duct->level;
    const float bound = law->fastest * law->cell * duct->height;
    duct->gain = gain[0];
    duct->flux = kept[0] * fmaxf(fminf(duct->was, bound), -bound) + gain[0] * ((ha - hb) + law->tilt[duct->axis]);
    if (duct->gate < 0) *link_of(flood, duct) = duct->gain * (law->dt / (law->cell * law->cell));
}

/* A node takes what its ducts bring from the west, the east, the south and the north, and then by loose ones. */
static void gather_node(rn_flood *flood, const rn_state *s, const rn_law *law, rn_node *node, bool open) {
    const float per_depth = law->dt / (law->cell * law->cell), room = rn_column_room(&s->columns, node->slot);
    const bool fills = open && room > RN_FULL * law->quantum;
    rn_level *level = &flood->grid.levels[0];
    float own = 0.0f, b = fills ? -room : 0.0f;
    node->fill = fills ? (int64_t)(room * law->per_quantum) : 0;
    for (int32_t k = node->begin; k < node->end; k++) {
        const rn_duct *duct = &flood->ducts[flood->ends[k] / 2];
        const float moved = duct->flux * per_depth;
        b = flood->ends[k] % 2 ? b + moved : b - moved;
        if (duct->gate >= 0) own += duct->gain * per_depth;
    }
    level->own[node->slot] = own;
    level->b[node->slot] = b;
}

/* Fluxes as the heads of the last substep give them, and the system for how heads change. Returns the largest transfer
   (m). */
static float assemble(rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    const bool open = is_open(flood, passage);
    float most = 0.0f;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->gain = duct->flux = 0.0f;
        if (open && duct->height > 0.0f) start_duct(flood, s, law, duct);
        most = fmaxf(most, fabsf(duct->flux));
    }
    for (int32_t i = passage->nodes; i < passage->node_end; i++) gather_node(flood, s, law, &flood->nodes[i], open);
    return most * (law->dt / (law->cell * law->cell));
}

/* No column can pull: where the head is below the ceiling, air comes in, first beside a free surface, or else where the
   head is lowest. */
static void let_go(rn_flood *flood, rn_state *s, const rn_passage *passage) {
    bool beside = false;
    int32_t lowest = -1;
    float least = -RN_FULL * s->columns.quantum;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->gate < 0 || !(duct->height > 0.0f)) continue;
        const int32_t slot = duct->node_a >= 0 ? duct->a : duct->b;
        if (s->graph.head[slot] - s->columns.ceil[slot] >= least) continue;
        s->graph.head[slot] = RN_HEAD_GONE;
        beside = true;
    }
    for (int32_t i = passage->nodes; !beside && i < passage->node_end; i++) {
        const int32_t slot = flood->nodes[i].slot;
        if (s->graph.head[slot] - s->columns.ceil[slot] >= least) continue;
        least = s->graph.head[slot] - s->columns.ceil[slot];
        lowest = slot;
    }
    if (lowest >= 0) s->graph.head[lowest] = RN_HEAD_GONE;
}

static void find_heads(rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool) {
    float most = 0.0f;
    start_heads(flood, s);
    for (size_t i = 0; i < flood->node_count; i++) {
        const int32_t slot = flood->nodes[i].slot;
        if (!(s->graph.head[slot] > 0.0f)) s->graph.head[slot] = s->columns.ceil[slot];
    }
    set_strips(flood, s);
    for (size_t i = 0; i < flood->passage_count; i++) most = fmaxf(most, assemble(flood, s, law, &flood->passages[i]));
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
        const int32_t slot = flood->nodes[i].slot;
        s->graph.head[slot] = fmaxf(s->graph.head[slot] + change[slot], 0x1p-100f);
    }
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux +=
            duct->gain * ((duct->node_a >= 0 ? change[duct->a] : 0.0f) - (duct->node_b >= 0 ? change[duct->b] : 0.0f));
    }
    for (size_t i = 0; i < flood->passage_count; i++) let_go(flood, s, &flood->passages[i]);
}

/* ---- The paper's ways ---------------------------------------------------------------------------------------- */

static void paper_split(const rn_state *s, const rn_law *law, const rn_duct *duct, float height, float *kept,
                        float *gain) {
    const rn_wide H = rn_splat(height), one = rn_splat(1.0f);
    rn_wide k, g;
    if (law->paper) rn_duct_paper(law, H, &k, &g);
    else rn_duct_split(law, H, one, rn_duct_drag(law, rn_splat(kappa_of(s, law, duct)), H, one), &k, &g);
    *kept = k[0];
    *gain = g[0];
}

static float least_height(const rn_flood *flood, const rn_passage *passage) {
    float least = INFINITY;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++)
        if (flood->ducts[i].height > 0.0f) least = fminf(least, flood->ducts[i].height);
    return least;
}

/* Dagenais 2018, 3.3: one pipe from end to end, as long as a cell. It begins without flux, and is another one as soon
   as its ends are others: its ducts then differ. */
static void drive_run(rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    rn_duct *first = &flood->ducts[passage->ducts], *last = &flood->ducts[passage->duct_end - 1];
    const bool passes = passage->duct_end > passage->ducts + 1 && first->gate >= 0 && last->gate >= 0;
    float f = 0.0f, drop = 0.0f;
    bool same = true;
    bool closed = false;
    for (rn_duct *duct = first; passage->duct_end > passage->ducts && duct <= last; duct++) {
        if (duct == first) f = duct->was;
        same = same && duct->was == f;
        drop += duct->drop;
        duct->flux = 0.0f;
        closed = closed || !(duct->height > 0.0f);
    }
    if (closed) return;
    if (!passes) return;
    const float height = least_height(flood, passage);
    float kept, gain;
    paper_split(s, law, first, height, &kept, &gain);
    /* every level counts from the datum of its own duct's first column */
    const float dh = first->level - (last->level - (drop - last->drop)) +
                     law->tilt[first->axis] * (float)(passage->duct_end - passage->ducts);
    f = (same ? f : 0.0f) * kept + gain * dh;
    for (rn_duct *duct = first; duct <= last; duct++) duct->flux = f;
}

/* Gates as Eq. 8 counts them: each column once. A dry one above the mean level has nothing to give. */
static bool counts(const rn_flood *flood, const rn_state *s, const rn_duct *duct, float mean) {
    if (duct->gate < 0 || duct->again || !(duct->height > 0.0f)) return false;
    const int32_t slot = flood->gates[duct->gate].slot;
    return s->columns.depth[slot] > 0.0f || s->columns.base[slot] - duct->lean < mean;
}

/* Dagenais 2018, Eq. 8 and 9. */
static void drive_unified(rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    const float height = least_height(flood, passage);
    float mean = INFINITY, flux = 0.0f;
    int count = 0, before = -1;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = duct->gate >= 0 ? duct->was : 0.0f;
    }
    while (count != before) { /* without some gates the mean is another */
        float sum = 0.0f;
        before = count;
        count = 0;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
            if (!counts(flood, s, &flood->ducts[i], mean)) continue;
            sum += flood->ducts[i].level - flood->ducts[i].lean;
            count++;
        }
        mean = count ? sum / (float)count : INFINITY;
        if (before >= 0 && count > before) break;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        if (count < 2 || !counts(flood, s, &flood->ducts[i], mean)) continue;
        float kept, gain;
        paper_split(s, law, duct, height, &kept, &gain);
        const float f = kept * inward(duct, duct->flux) + gain * (duct->level - duct->lean - mean);
        duct->flux = inward(duct, f);
        flux += f;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        if (count < 2 || !counts(flood, s, &flood->ducts[i], mean)) duct->flux = 0.0f;
        else duct->flux = inward(duct, inward(duct, duct->flux) - flux / (float)count);
    }
}

/* ---- Whole quanta -------------------------------------------------------------------------------------------- */

static int64_t fill_of(const rn_flood *flood, const rn_passage *passage) {
    int64_t fill = 0;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) fill += flood->nodes[i].fill;
    return fill;
}

/* Columns do without what does not come in. */
static int64_t fill_less(rn_flood *flood, const rn_passage *passage, int64_t less) {
    for (int32_t i = passage->nodes; less > 0 && i < passage->node_end; i++) {
        rn_node *node = &flood->nodes[i];
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
        const rn_duct *duct = &flood->ducts[i];
        if (duct->gate >= 0) left += duct->node_a < 0 ? duct->moved : -duct->moved;
    }
    if (left < 0) left = -fill_less(flood, passage, -left);
    while (left != 0) {
        rn_duct *largest = NULL;
        int64_t most = 0;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
            rn_duct *duct = &flood->ducts[i];
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

/* Ducts of the tree carry what the others leave, from the outermost columns to the first. */
static void even_out(rn_flood *flood, const rn_passage *passage) {
    int64_t *even = flood->even;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) even[i] = -flood->nodes[i].fill;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->tree) continue;
        if (duct->node_a >= 0) even[duct->node_a] -= duct->moved;
        if (duct->node_b >= 0) even[duct->node_b] += duct->moved;
    }
    for (int32_t k = passage->node_end - 1; k > passage->nodes; k--) {
        const int32_t i = flood->order[k];
        rn_duct *duct = &flood->ducts[flood->nodes[i].parent];
        duct->moved = duct->node_a == i ? even[i] : -even[i];
        even[duct->node_a == i ? duct->node_b : duct->node_a] += even[i];
    }
}

/* Level gates and next to no flow: the passage falls asleep as a whole. */
static bool is_sleepy(const rn_flood *flood, const rn_law *law, const rn_passage *passage) {
    const float least = RN_ASLEEP * law->quantum, per_depth = law->dt / (law->cell * law->cell);
    float low = INFINITY, high = -INFINITY;
    if (fill_of(flood, passage) > 0) return false;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (fabsf(duct->flux) * per_depth > least) return false;
        if (duct->gate < 0 || !(duct->height > 0.0f)) continue;
        low = fminf(low, duct->level - duct->lean);
        high = fmaxf(high, duct->level - duct->lean);
    }
    return high - low <= least;
}

/* Quanta in fixed point, whose sums are exact in any order: 2^21 quanta through each of 2^24 gates stay below 2^62. */
enum { FRACTION = 16 };
#define MOST_FILL (INT64_C(1) << 44) /* quanta, for the same reason */

/* What a flux brings into the passage in a substep, no more than RN_MOST quanta. */
static int64_t fixed_inward(const rn_duct *duct, double per_flux) {
    const double most = (double)RN_MOST, quanta = (double)inward(duct, duct->flux) * per_flux;
    return (int64_t)rint(fmin(fmax(quanta, -most), most) * (double)(1 << FRACTION));
}

/* In whole quanta, towards lower ones; >> rounds down. */
static int64_t whole(int64_t fixed) { return fixed >> FRACTION; }

/* Rounds the fluxes at gates. What the solve has left is taken from all gates alike, by as much of each flux. Then
   gates take what the running sum of all before and this one has grown by in whole quanta, so that together they are
   even to within a quantum. The running sum is a prefix sum of integers: any way of taking it gives the same. */
static void round_gates(rn_flood *flood, const rn_law *law, const rn_passage *passage) {
    const double per_flux = (double)law->dt / ((double)law->cell * law->cell) * law->per_quantum;
    const int64_t dither = (int64_t)((double)law->dither * (double)(1 << FRACTION));
    const int64_t fill = fill_of(flood, passage);
    int64_t left = -(fill < MOST_FILL ? fill : MOST_FILL) * (1 << FRACTION), all = 0, sum = dither;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        if (flood->ducts[i].gate < 0) continue;
        const int64_t in = fixed_inward(&flood->ducts[i], per_flux);
        left += in;
        all += in < 0 ? -in : in;
    }
    const double less = all > 0 ? (double)left / (double)all : 0.0;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        if (duct->gate < 0) continue;
        const int64_t in = fixed_inward(duct, per_flux), was = whole(sum);
        sum += in - (int64_t)rint(less * fabs((double)in));
        const int64_t most = (int64_t)RN_MOST, grown = whole(sum) - was;
        const int64_t quanta = grown > most ? most : grown < -most ? -most : grown;
        duct->moved = duct->node_a < 0 ? quanta : -quanta;
    }
}

static void round_passage(rn_flood *flood, const rn_law *law, rn_passage *passage) {
    const bool sleeps = is_sleepy(flood, law, passage);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++)
        flood->ducts[i].moved = rn_duct_quanta(law, flood->ducts[i].flux, sleeps);
    if (!sleeps) round_gates(flood, law, passage);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        const bool comes_in = (duct->node_a < 0) == (duct->moved > 0);
        if (duct->gate >= 0 && comes_in && flood->gates[duct->gate].sink) duct->moved = 0; /* nor for rounding's sake */
    }
    balance(flood, passage);
    even_out(flood, passage);
    for (int32_t i = passage->ducts; sleeps && i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = (float)duct->moved * law->quantum * (law->cell * law->cell / law->dt) + 0.0f;
    }
    passage->share = 1.0f;
}

void rn_passages_drive(rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool) {
    flood->failed = false;
    if (flood->duct_count == 0) return;
    mark_ducts(flood, s, false);
    for (size_t i = 0; i < flood->duct_count; i++) look_at(s, law, &flood->ducts[i], !s->graph.headed);
    if (s->graph.headed) find_heads(flood, s, law, pool);
    if (flood->failed) return;
    for (size_t i = 0; i < flood->passage_count; i++) {
        rn_passage *passage = &flood->passages[i];
        if (flood->method == RN_PASSAGES_AXIS) drive_run(flood, s, law, passage);
        else if (flood->method == RN_PASSAGES_UNIFIED) drive_unified(flood, s, law, passage);
        round_passage(flood, law, passage);
    }
}

/* ---- Limits -------------------------------------------------------------------------------------------------- */

/* Quanta that ordinary pipes bring to a column. */
static int64_t brought(const rn_state *s, const rn_law *law, int32_t c) {
    const int32_t up = s->columns.grid.stride;
    float sum = (s->graph.move_x[c - 1] - s->graph.move_x[c]) + (s->graph.move_y[c - up] - s->graph.move_y[c]);
    const rn_special *special = rn_special_of(s, c);
    for (int32_t n = special ? special->begin : 0; special && n < special->end; n++) {
        const float t = s->graph.loose_move[s->graph.links[n] / 2];
        sum += s->graph.links[n] % 2 ? t : -t;
    }
    return (int64_t)(sum * law->per_quantum);
}

static void count_gates(rn_flood *flood) {
    for (size_t i = 0; i < flood->gate_count; i++) flood->gates[i].in = flood->gates[i].out = 0;
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->gate < 0) continue;
        rn_gate *gate = &flood->gates[duct->gate];
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
        rn_gate *gate = &flood->gates[i];
        gate->give = gate->take = 1.0f;
        if (gate->sink && gate->in > COUNTABLE) gate->take = (float)COUNTABLE / (float)gate->in * RN_SAFE;
        limited = limited || gate->take < 1.0f;
        if (gate->sink) continue;
        const int32_t c = gate->slot;
        const int64_t now = (int64_t)(s->columns.depth[c] * law->per_quantum) + brought(s, law, c);
        const int64_t room = (int64_t)(rn_column_capacity(&s->columns, c) * law->per_quantum) - now;
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
        const rn_duct *duct = &flood->ducts[i];
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
        rn_duct *duct = &flood->ducts[i];
        largest = duct->moved > largest ? duct->moved : -duct->moved > largest ? -duct->moved : largest;
        if (duct->gate < 0 || duct->moved == 0) continue;
        const rn_gate *gate = &flood->gates[duct->gate];
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
        rn_duct *duct = &flood->ducts[i];
        const bool gives = (duct->node_a < 0) == (duct->moved > 0);
        duct->moved = shared(duct->moved, duct->gate < 0 ? (double)passage->share : gives ? in_share : out_share);
        if (short_of) duct->flux = duct->flux * passage->share + 0.0f;
    }
    balance(flood, passage);
    even_out(flood, passage);
}

static void raise_gates(const rn_flood *flood, const rn_law *law, rn_peak *peak) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->gate < 0 || !(duct->height > 0.0f)) continue;
        raise(&peak->height, duct->height);
        if (duct->height > law->felt) raise(&peak->speed, fabsf(duct->flux) / (law->cell * duct->height));
    }
}

/* A gate under a ceiling that has no room for all that comes out is as good as full (rn_flood_press), also if another
   passage drains it in the same substep. */
static void press_gates(const rn_flood *flood, rn_state *s) {
    for (size_t i = 0; s->graph.headed && s->graph.momentum && i < flood->gate_count; i++) {
        const rn_gate *gate = &flood->gates[i];
        const int32_t c = gate->slot;
        if (gate->sink || gate->take >= 1.0f || s->graph.head[c] != 0.0f || !rn_column_is_roofed(&s->columns, c))
            continue;
        if (rn_column_room(&s->columns, c) <= RN_FULL * s->columns.quantum) continue;
        const rn_spot at = rn_slot_place(&s->columns.grid, c);
        s->graph.head[c] = RN_HEAD_PRESSED;
        rn_row_at(s, at.layer, at.y)->pressed = true;
    }
}

static bool any_too_large(const rn_flood *flood) {
    for (size_t i = 0; i < flood->duct_count; i++)
        if (flood->ducts[i].moved > (int64_t)RN_MOST || flood->ducts[i].moved < -(int64_t)RN_MOST) return true;
    return false;
}

void rn_passages_move(rn_flood *flood, rn_state *s, const rn_law *law, rn_peak *peak) {
    if (flood->failed || flood->duct_count == 0) return;
    if (find_shares(flood, s, law) || any_too_large(flood))
        for (size_t i = 0; i < flood->passage_count; i++) limit(flood, &flood->passages[i]);
    press_gates(flood, s);
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        write_value(duct, s->graph.move_x, s->graph.move_y, s->graph.loose_move, (float)duct->moved * law->quantum);
        if (duct->way >= 2) continue;
        rn_tile_of(s, duct->pipe)->touched = true;
        rn_tile_of(s, duct->pipe + (duct->way == 0 ? 1 : s->columns.grid.stride))->touched = true;
    }
    raise_gates(flood, law, peak);
}

void rn_passages_end(const rn_flood *flood, rn_state *s, const rn_law *law) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        const float flux = flood->failed ? duct->was : duct->flux;
        if (s->graph.momentum) {
            const float section = section_of(s, law, duct);
            write_value(duct, s->graph.speed_x, s->graph.speed_y, s->graph.loose_speed,
                        section > 0.0f ? flux / section : 0.0f);
        } else {
            write_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.loose_flux, flux);
        }
    }
}

/* ---- For the implicit step --------------------------------------------------------------------------------------- */

static void write_moves(const rn_flood *flood, const rn_state *s, const rn_law *law, const rn_passage *passage) {
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        write_value(duct, s->graph.move_x, s->graph.move_y, s->graph.loose_move, (float)duct->moved * law->quantum);
        write_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.loose_flux, duct->flux);
    }
}

void rn_passages_take(rn_flood *flood, rn_state *s, const rn_law *law) {
    mark_ducts(flood, s, true);
    for (size_t i = 0; i < flood->passage_count; i++) {
        rn_passage *passage = &flood->passages[i];
        for (int32_t k = passage->nodes; k < passage->node_end; k++) flood->nodes[k].fill = 0;
        for (int32_t k = passage->ducts; k < passage->duct_end; k++) {
            rn_duct *duct = &flood->ducts[k];
            duct->flux = *pipe_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.loose_flux);
            duct->was = duct->flux;
            look_at(s, law, duct, false);
        }
        round_passage(flood, law, passage);
        write_moves(flood, s, law, passage);
    }
}

void rn_passages_release(const rn_flood *flood, rn_state *s) { mark_ducts(flood, s, false); }

void rn_passages_repair(rn_flood *flood, rn_state *s, const rn_law *law, const float *give, const float *take) {
    for (size_t i = 0; i < flood->gate_count; i++) {
        rn_gate *gate = &flood->gates[i];
        gate->give = give[gate->slot];
        gate->take = take[gate->slot];
    }
    for (size_t i = 0; i < flood->passage_count; i++) {
        limit(flood, &flood->passages[i]);
        write_moves(flood, s, law, &flood->passages[i]);
    }
}

void rn_passages_stop(rn_flood *flood, rn_state *s) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->moved = 0;
        write_value(duct, s->graph.move_x, s->graph.move_y, s->graph.loose_move, 0.0f);
    }
}
