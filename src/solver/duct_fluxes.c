/* Heads and fluxes of flooded passages (docs/passages.md). Fluxes are not whole quanta yet: solver/passages.c rounds
   them.

   Interface (solver/duct_fluxes.h): rn_duct_look finds the height of a duct and the level and loss at its portal;
   rn_ducts_start gives heads to columns that have just been flooded; rn_ducts_drive finds all fluxes.

   Order of calls: rn_passages_drive calls rn_ducts_drive in explicit substeps, after rn_flood_find has made the
   lists and rn_passages_hold has filled last_flux. Implicit substeps find fluxes by themselves, and use only
   rn_ducts_start (rn_passages_init_heads) and rn_duct_look (rn_passages_take).

   Algorithm of unified-long, the default: the change of each flux is proportional to the difference of heads, and
   inflow equals outflow in every flooded column. This is a discrete Laplace equation for the heads, solved by
   solver/multigrid.c for all passages at once. The unknown is the change of heads since the last substep. A column
   whose head falls below its ceiling is released: air enters. axis and unified use the paper's pipes, one for each
   run of flooded columns (Dagenais 2018, section 3.3), or one for each passage (Eq. 8 and 9). */
#include "solver/duct_fluxes.h"

#include "base/lanes.h"
#include "base/threads.h"
#include "kernels/duct.h"
#include "solver/multigrid.h"

#define ACCURACY 3e-4f /* of the largest transfer: columns with a smaller imbalance are not corrected */

/* ---- Ducts ------------------------------------------------------------------------------------------------------- */

/* The ends of a duct's pipe; b's heights are lowered by the duct's drop. */
static rn_ends duct_ends(const rn_state *s, const rn_duct *duct) {
    return rn_state_ends(s, duct->a, duct->b, duct->drop);
}

/* Friction (1/s) of the ground in a duct: the mean of both columns, or that of all ground. */
static float duct_friction(const rn_state *s, const rn_step_params *params, const rn_duct *duct) {
    return s->columns.kappa ? 0.5f * (s->columns.kappa[duct->a] + s->columns.kappa[duct->b]) : params->kappa;
}

/* Levels count from a's datum, so b's are lower by `drop`. Bodies that shut a part of an irregular pipe lower its
   height in proportion. */
void rn_duct_look(const rn_state *s, const rn_step_params *params, rn_duct *duct, bool paper) {
    const rn_ends p = duct_ends(s, duct);
    duct->height = rn_duct_height(&p)[0];
    if (duct->way == 2 && s->columns.partial)
        duct->height *= rn_partial_open(fmaxf(p.bi[0], p.bj[0]), duct->height, s->graph.irregular_low[duct->pipe],
                                        s->graph.irregular_high[duct->pipe], s->graph.irregular_shut[duct->pipe]);
    if (duct->portal < 0) return;
    const bool b = duct->node_b < 0;
    const int32_t portal = b ? duct->b : duct->a;
    const float level = rn_column_level(&s->columns, portal) - (b ? duct->drop : 0.0f);
    const float out = paper ? 0.0f : -rn_duct_inward(duct, duct->last_flux);
    const rn_portal_state end = rn_duct_portal(params, &p, rn_splat(level), rn_splat(out));
    duct->level = end.level[0];
    const rn_spot at = rn_slot_place(&s->columns.grid, portal);
    duct->tilt_rise = params->tilt[0] * (float)at.x + params->tilt[1] * (float)at.y;
    duct->loss = end.loss[0];
}

/* ---- Heads of columns that have just been flooded ------------------------------------------------------------- */

/* Whether a column can have this head: not below its ceiling. */
static bool is_possible_head(const rn_state *s, int32_t slot, float head) { return head >= s->columns.ceil[slot]; }

/* The head at one end of a duct (m), converted for the column at the other end; `to_b`: that is b. */
static float brought_head(const rn_duct *duct, bool to_b, float head) {
    return to_b ? head + duct->drop : head - duct->drop;
}

/* Gives a flooded column the level of a portal beside it as its head, if that level reaches the column's ceiling; of
   several portals, the level of the one with the lowest slot. Otherwise its head stays. */
static void start_beside(const rn_flood *flood, rn_state *s, const rn_node *node) {
    int32_t least = INT32_MAX;
    for (int32_t k = node->begin; k < node->end; k++) {
        const rn_duct *duct = &flood->ducts[flood->ends[k] / 2];
        if (duct->portal < 0) continue;
        const int32_t portal = flood->portals[duct->portal].slot;
        const float head = brought_head(duct, flood->ends[k] % 2, s->columns.base[portal] + s->columns.depth[portal]);
        if (portal >= least || !is_possible_head(s, node->slot, head)) continue;
        least = portal;
        s->graph.head[node->slot] = head;
    }
}

/* Offers of heads in a round, by node: slot of the offering column and duct; the smallest wins. */
#define NO_OFFER INT64_MAX

/* Offers the head of a node to its neighbours without a head, unless this head lies below their ceiling. Those without
   an earlier offer in this round are appended to `next`, which has *count entries. Offers are kept in
   flood->net_inflow, which is free at this time. */
static void offer_head(const rn_flood *flood, const rn_state *s, const rn_node *node, int32_t *next, int32_t *count) {
    for (int32_t k = node->begin; k < node->end; k++) {
        const int32_t at = flood->ends[k] / 2;
        const bool to_b = flood->ends[k] % 2 == 0;
        const rn_duct *duct = &flood->ducts[at];
        if (duct->portal >= 0) continue;
        const int32_t to = to_b ? duct->node_b : duct->node_a, slot = flood->nodes[to].slot;
        if (s->graph.head[slot] != 0.0f ||
            !is_possible_head(s, slot, brought_head(duct, to_b, s->graph.head[node->slot])))
            continue;
        if (rn_short_lower_64(&flood->net_inflow[to], (int64_t)node->slot << 32 | at) == NO_OFFER)
            next[rn_short_count(count)] = to;
    }
}

/* Gives node `to` the head of its smallest offer; there must be one. */
static void accept_head(const rn_flood *flood, rn_state *s, int32_t to) {
    const rn_duct *duct = &flood->ducts[flood->net_inflow[to] & INT32_MAX];
    const bool to_b = duct->node_b == to;
    const int32_t slot = flood->nodes[to].slot;
    s->graph.head[slot] = brought_head(duct, to_b, s->graph.head[to_b ? duct->a : duct->b]);
}

/* What lanes share that find heads. */
typedef struct starting {
    rn_flood *flood;
    rn_state *s;
} starting;

/* The work of rn_ducts_start, by lanes. */
static void start_by_lanes(const void *context) {
    rn_flood *flood = ((const starting *)context)->flood;
    rn_state *s = ((const starting *)context)->s;
    int32_t *from = flood->depth, *next = flood->label, count = 0;
    bool any = false;
    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count) any = any || s->graph.head[flood->nodes[i].slot] == 0.0f;
    if (!rn_lanes_any(any)) return;
    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count) {
        flood->net_inflow[i] = NO_OFFER;
        if (s->graph.head[flood->nodes[i].slot] == 0.0f) start_beside(flood, s, &flood->nodes[i]);
    }
    RN_FOR_ROUNDS (i, 0, (int32_t)flood->node_count) {
        const bool has = i < (int32_t)flood->node_count && s->graph.head[flood->nodes[i].slot] > 0.0f;
        const int32_t place = rn_lanes_place(has, &count);
        if (has) from[place] = i;
    }
    while (count > 0) {
        rn_lanes_meet();
        if (rn_lanes_own() == 0) flood->offered = 0;
        rn_lanes_meet();
        RN_FOR_ITEMS (i, 0, count) offer_head(flood, s, &flood->nodes[from[i]], next, &flood->offered);
        rn_lanes_meet();
        count = flood->offered;
        RN_FOR_ITEMS (i, 0, count) accept_head(flood, s, next[i]);
        int32_t *const swap = from;
        from = next;
        next = swap;
    }
}

/* Columns get the level of a portal or the head of a neighbour, so that passages below a lake are at rest from the
   beginning. Heads spread in rounds, from portals and from columns with heads; of several offers that of the lowest
   slot wins. The result does not depend on the order of the search. */
void rn_ducts_start(rn_flood *flood, rn_state *s) { rn_lanes_run(start_by_lanes, (&(starting){flood, s})); }

/* ---- Unified-long: potential flow -------------------------------------------------------------------------------- */

/* The address where the linear solver stores the link of a duct that is flooded at both ends. */
static float *duct_link(rn_flood *flood, const rn_duct *duct) {
    rn_level *level = &flood->grid.levels[0];
    if (duct->link >= 0) return &level->irregular_link[duct->link];
    return (duct->way == 0 ? level->link_x : level->link_y) + duct->pipe;
}

/* Gives the linear system one unknown for each flooded column, the change of its head, unless it has them already. */
static void set_strips(rn_flood *flood, const rn_state *s) {
    const int32_t *flooded = flood->flooded;
    const bool has_strips = flood->grid.count > 0 && flood->grid.levels[0].strip_count > 0;
    if (has_strips && flood->strips == flood->listing && !flood->implicit) return;
    rn_multigrid_clear(&flood->grid);
    for (size_t i = 0; i < flood->flooded_count; i++) {
        const rn_spot at = rn_slot_place(&s->columns.grid, flooded[i]);
        rn_multigrid_strip(&flood->grid, at.layer, at.y, at.x, at.x + 1);
    }
    flood->strips = flood->listing;
}

/* Sets the flux (m^3/s) of an open duct from the heads of the last substep, and its gain (m^2/s): the change per change
   of heads. The last flux is first capped by params->fastest. */
static void start_duct(const rn_state *s, const rn_step_params *params, rn_duct *duct) {
    const rn_ends p = duct_ends(s, duct);
    const rn_wide H = rn_splat(duct->height), e = duct->portal < 0 ? rn_duct_slope(params, &p) : rn_splat(1.0f);
    const rn_wide D = rn_duct_drag(params, rn_splat(duct_friction(s, params, duct) + duct->loss), H, e);
    rn_wide kept, gain;
    rn_duct_split(params, H, e, D, &kept, &gain);
    const float ha = duct->node_a >= 0 ? s->graph.head[duct->a] : duct->level,
                hb = duct->node_b >= 0 ? s->graph.head[duct->b] - duct->drop : duct->level;
    const float bound = params->fastest * params->cell * duct->height;
    duct->gain = gain[0];
    duct->flux =
        kept[0] * fmaxf(fminf(duct->last_flux, bound), -bound) + gain[0] * ((ha - hb) + params->tilt[duct->axis]);
}

/* Writes the equation of a node, adding its ducts in the order west, east, south, north, irregular ones, and sets
   node->fill. `open`: its passage is open, and a node that has room fills up in this substep. */
static void gather_node(rn_flood *flood, const rn_state *s, const rn_step_params *params, rn_node *node, bool open) {
    const float per_depth = params->dt / (params->cell * params->cell), room = rn_column_room(&s->columns, node->slot);
    const bool fills = open && room > RN_FULL * params->quantum;
    rn_level *level = &flood->grid.levels[0];
    float own = 0.0f, b = fills ? -room : 0.0f;
    node->fill = fills ? (int64_t)(room * params->per_quantum) : 0;
    for (int32_t k = node->begin; k < node->end; k++) {
        const rn_duct *duct = &flood->ducts[flood->ends[k] / 2];
        const float moved = duct->flux * per_depth;
        b = flood->ends[k] % 2 ? b + moved : b - moved;
        if (duct->portal >= 0) own += duct->gain * per_depth;
    }
    level->own[node->slot] = own;
    level->b[node->slot] = b;
}

/* Finds all fluxes from the heads of the last substep, and the equations for the change of heads. Returns the largest
   transfer (m). Closed ducts and all ducts of passages without an open portal get 0. By lanes. */
static float assemble(rn_flood *flood, const rn_state *s, const rn_step_params *params) {
    const float per_depth = params->dt / (params->cell * params->cell);
    float most = 0.0f;
    RN_FOR_ITEMS (k, 0, (int32_t)flood->passage_count) flood->passages[k].open = false;
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, (int32_t)flood->door_count) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        if (duct->height > 0.0f) flood->passages[duct->passage].open = true;
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, (int32_t)flood->duct_count) {
        rn_duct *duct = &flood->ducts[i];
        duct->gain = duct->flux = 0.0f;
        if (flood->passages[duct->passage].open && duct->height > 0.0f) start_duct(s, params, duct);
        if (duct->portal < 0) *duct_link(flood, duct) = duct->gain * per_depth;
        most = fmaxf(most, fabsf(duct->flux));
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count)
        gather_node(flood, s, params, &flood->nodes[i], flood->passages[flood->nodes[i].passage].open);
    return rn_lanes_greatest(most) * per_depth;
}

/* How far a node's head lies above its ceiling, and below which value it is released (m). */
static float head_above(const rn_state *s, int32_t slot) { return s->graph.head[slot] - s->columns.ceil[slot]; }
static float least_above(const rn_state *s) { return -RN_FULL * s->columns.quantum; }

/* A number that is smaller for a lower value and, of the same values, for a lower node. */
static int64_t value_key(float value, int32_t node) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int64_t)(bits < 0 ? bits ^ INT32_MAX : bits) * ((int64_t)1 << 32) + node;
}

/* Releases columns under suction: where the head is more than RN_FULL quanta below the ceiling, air enters. In every
   passage, first all such columns beside a free surface; if there are none, the one column whose head lies lowest below
   its ceiling. They get RN_HEAD_GONE. By lanes. */
static void release_under_suction(rn_flood *flood, rn_state *s) {
    const float least = least_above(s);
    RN_FOR_ITEMS (k, 0, (int32_t)flood->passage_count) {
        flood->passages[k].beside = false;
        flood->passages[k].lowest_key = INT64_MAX;
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, (int32_t)flood->door_count) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        const int32_t slot = duct->node_a >= 0 ? duct->a : duct->b;
        if (!(duct->height > 0.0f) || head_above(s, slot) >= least) continue;
        s->graph.head[slot] = RN_HEAD_GONE;
        flood->passages[duct->passage].beside = true;
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count) {
        rn_passage *passage = &flood->passages[flood->nodes[i].passage];
        const float above = head_above(s, flood->nodes[i].slot);
        if (!passage->beside && above < least) rn_short_lower_64(&passage->lowest_key, value_key(above, i));
    }
    rn_lanes_meet();
    RN_FOR_ITEMS (k, 0, (int32_t)flood->passage_count) {
        const int64_t lowest = flood->passages[k].lowest_key;
        if (lowest != INT64_MAX) s->graph.head[flood->nodes[lowest & INT32_MAX].slot] = RN_HEAD_GONE;
    }
}

typedef struct driving {
    rn_flood *flood;
    rn_state *s;
    const rn_step_params *params;
    rn_pool *pool;
} driving;

/* Finds new heads (m) of all flooded columns and fluxes (m^3/s) of all ducts, and releases columns under suction.
   Columns without a head start from that of rn_ducts_start, or from their ceiling. If the solve fails, sets
   flood->failed and counts it in flood->failures; fluxes are then those of the old heads. By lanes. */
static void find_heads(const driving *job) {
    rn_flood *flood = job->flood;
    rn_state *s = job->s;
    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count) {
        const int32_t slot = flood->nodes[i].slot;
        if (!(s->graph.head[slot] > 0.0f)) s->graph.head[slot] = s->columns.ceil[slot];
    }
    const float most = assemble(flood, s, job->params);
    const float tolerance = fmaxf(0.25f * job->params->quantum, ACCURACY * most);
    const rn_solve solve = rn_multigrid_solve(&flood->grid, job->pool, tolerance, flood->most);
    if (rn_lanes_own() == 0) {
        if (solve.iterations > flood->iterations) flood->iterations = solve.iterations;
        if (!solve.converged && flood->failures++ == 0) flood->residual = solve.residual;
        flood->failed = !solve.converged;
        if (flood->failed) flood->strips = flood->listing - 1; /* what is left in the solver may be no number */
    }
    rn_lanes_meet();
    if (!solve.converged) return;
    const float *change = flood->grid.solution;
    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count) {
        const int32_t slot = flood->nodes[i].slot;
        s->graph.head[slot] = fmaxf(s->graph.head[slot] + change[slot], 0x1p-100f);
    }
    RN_FOR_ITEMS (i, 0, (int32_t)flood->duct_count) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux +=
            duct->gain * ((duct->node_a >= 0 ? change[duct->a] : 0.0f) - (duct->node_b >= 0 ? change[duct->b] : 0.0f));
    }
    rn_lanes_meet();
    release_under_suction(flood, s);
}

/* ---- The paper's methods ------------------------------------------------------------------------------------- */

/* Sets the factors of the new flux kept*f + gain*dh of a duct, as if it had this height (m, above 0), with the paper's
   or the physical drag. */
static void paper_split(const rn_state *s, const rn_step_params *params, const rn_duct *duct, float height, float *kept,
                        float *gain) {
    const rn_wide H = rn_splat(height), one = rn_splat(1.0f);
    rn_wide k, g;
    if (params->paper) rn_duct_paper(params, H, &k, &g);
    else rn_duct_split(params, H, one, rn_duct_drag(params, rn_splat(duct_friction(s, params, duct)), H, one), &k, &g);
    *kept = k[0];
    *gain = g[0];
}

/* The height (m) of the narrowest open duct of a passage; INFINITY if all are closed. */
static float least_height(const rn_flood *flood, const rn_passage *passage) {
    float least = INFINITY;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++)
        if (flood->ducts[i].height > 0.0f) least = fminf(least, flood->ducts[i].height);
    return least;
}

/* Sets the fluxes of a run's ducts by Dagenais 2018, 3.3: one pipe from end to end, as long as a cell. That pipe starts
   without flux, and is a new one as soon as its ends change: the last fluxes of the ducts then differ. All are 0 if a
   duct is closed or an end has no portal. */
static void drive_run(rn_flood *flood, const rn_state *s, const rn_step_params *params, const rn_passage *passage) {
    rn_duct *first = &flood->ducts[passage->ducts], *last = &flood->ducts[passage->duct_end - 1];
    const bool passes = passage->duct_end > passage->ducts + 1 && first->portal >= 0 && last->portal >= 0;
    float f = 0.0f, drop = 0.0f;
    bool same = true;
    bool closed = false;
    for (rn_duct *duct = first; passage->duct_end > passage->ducts && duct <= last; duct++) {
        if (duct == first) f = duct->last_flux;
        same = same && duct->last_flux == f;
        drop += duct->drop;
        duct->flux = 0.0f;
        closed = closed || !(duct->height > 0.0f);
    }
    if (closed) return;
    if (!passes) return;
    const float height = least_height(flood, passage);
    float kept, gain;
    paper_split(s, params, first, height, &kept, &gain);
    /* every level counts from the datum of its own duct's first column */
    const float dh = first->level - (last->level - (drop - last->drop)) +
                     params->tilt[first->axis] * (float)(passage->duct_end - passage->ducts);
    f = (same ? f : 0.0f) * kept + gain * dh;
    for (rn_duct *duct = first; duct <= last; duct++) duct->flux = f;
}

/* Whether a duct's portal takes part in Eq. 8. Returns false if the duct has no portal or is closed, if an earlier duct
   of the passage has the same portal, or if the portal has nothing to give: it is dry, and its bed is not below `mean`,
   the mean level (m) of the others. Beds and levels count less the duct's tilt_rise. */
static bool portal_counts(const rn_flood *flood, const rn_state *s, const rn_duct *duct, float mean) {
    if (duct->portal < 0 || duct->again || !(duct->height > 0.0f)) return false;
    const int32_t slot = flood->portals[duct->portal].slot;
    return s->columns.depth[slot] > 0.0f || s->columns.base[slot] - duct->tilt_rise < mean;
}

/* Sets the fluxes of a passage's ducts at portals that count (portal_counts) by Dagenais 2018, Eq. 8 and 9, so that
   they sum to 0; the fluxes of all other ducts are 0. If fewer than two portals count, all fluxes are 0. */
static void drive_unified(rn_flood *flood, const rn_state *s, const rn_step_params *params, const rn_passage *passage) {
    const float height = least_height(flood, passage);
    float mean = INFINITY, flux = 0.0f;
    int count = 0, before = -1;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = duct->portal >= 0 ? duct->last_flux : 0.0f;
    }
    while (count != before) { /* the mean changes when portals drop out */
        float sum = 0.0f;
        before = count;
        count = 0;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
            if (!portal_counts(flood, s, &flood->ducts[i], mean)) continue;
            sum += flood->ducts[i].level - flood->ducts[i].tilt_rise;
            count++;
        }
        mean = count ? sum / (float)count : INFINITY;
        if (before >= 0 && count > before) break;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        if (count < 2 || !portal_counts(flood, s, &flood->ducts[i], mean)) continue;
        float kept, gain;
        paper_split(s, params, duct, height, &kept, &gain);
        const float f = kept * rn_duct_inward(duct, duct->flux) + gain * (duct->level - duct->tilt_rise - mean);
        duct->flux = rn_duct_inward(duct, f);
        flux += f;
    }
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        if (count < 2 || !portal_counts(flood, s, &flood->ducts[i], mean)) duct->flux = 0.0f;
        else duct->flux = rn_duct_inward(duct, rn_duct_inward(duct, duct->flux) - flux / (float)count);
    }
}

/* The work of rn_ducts_drive, by lanes. */
static void drive_by_lanes(const void *context) {
    const driving *job = context;
    rn_flood *flood = job->flood;
    RN_FOR_ITEMS (i, 0, (int32_t)flood->duct_count)
        rn_duct_look(job->s, job->params, &flood->ducts[i], !job->s->graph.headed);
    rn_lanes_meet();
    if (job->s->graph.headed) {
        find_heads(job);
        return;
    }
    RN_FOR_ITEMS (i, 0, (int32_t)flood->passage_count) {
        const rn_passage *passage = &flood->passages[i];
        if (flood->method == RN_PASSAGES_AXIS) drive_run(flood, job->s, job->params, passage);
        else if (flood->method == RN_PASSAGES_UNIFIED) drive_unified(flood, job->s, job->params, passage);
    }
}

void rn_ducts_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool) {
    if (s->graph.headed) {
        rn_ducts_start(flood, s);
        set_strips(flood, s);
    }
    rn_lanes_run(drive_by_lanes, (&(driving){flood, s, params, pool}));
}
