/* Flow through flooded passages in whole quanta (docs/passages.md).

   Interface and order of calls in an explicit substep (solver/passages.h; solver/momentum.c and solver/pipes.c call
   them):
   - rn_passages_hold, before pipes find their fluxes: ducts take their fluxes from their pipes, and the pipes are
     marked as held;
   - rn_passages_drive: releases the pipes again; solver/duct_fluxes.c finds the new fluxes, and round_passage turns
     them into quanta;
   - rn_passages_move, once the transfers of ordinary pipes are limited: limits the transfers of passages;
   - rn_passages_end, once depths have changed: returns the fluxes to the pipes.

   These four need the lists of rn_flood_find. The implicit step solves for heads itself and uses the functions at
   the end of this file: rn_passages_init_heads before its solve, the others in rn_newton_repair.

   Rounding: the fluxes at the portals of a passage are rounded by a running sum, so that inflow equals outflow to
   the quantum. Inside, the ducts of a spanning tree absorb the differences, from the outermost columns inwards, so
   that inflow equals outflow in every flooded column.

   Limits: a portal that cannot give or take all of its quanta reduces the flow of the whole passage: the portals on
   the other side are reduced by the same amount. Where all portals are level and almost nothing flows, the passage
   comes to rest. */
#include "solver/passages.h"

#include "kernels/duct.h"
#include "solver/duct_fluxes.h"
#include "solver/graph.h"
#include "solver/tiles.h"

enum { COUNTABLE = 1 << 22 }; /* most quanta through all ducts of a sink, besides those through its pipes */

/* ---- Pipes and ducts --------------------------------------------------------------------------------------------- */

/* The address of the value of a duct's pipe, in the array of its kind: x, y or irregular. */
static float *pipe_value(const rn_duct *duct, float *x, float *y, float *irregular) {
    return (duct->way == 0 ? x : duct->way == 1 ? y : irregular) + duct->pipe;
}

/* Writes the value of a duct's pipe, and of its copy across a periodic edge. */
static void write_value(const rn_duct *duct, float *x, float *y, float *irregular, float value) {
    *pipe_value(duct, x, y, irregular) = value;
    if (duct->copy >= 0) (duct->way == 0 ? x : y)[duct->copy] = value;
}

/* Marks the pipes of all ducts as held, or releases them. */
static void mark_ducts(const rn_flood *flood, rn_state *s, bool held) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        uint8_t *flags = duct->way == 0 ? s->graph.pipe_x : duct->way == 1 ? s->graph.pipe_y : s->graph.irregular_kind;
        flags[duct->pipe] = (uint8_t)(held ? flags[duct->pipe] | RN_PIPE_DUCT : flags[duct->pipe] & ~RN_PIPE_DUCT);
        if (duct->copy >= 0) flags[duct->copy] = flags[duct->pipe];
    }
}

/* The cross-section (m^2) of a duct, from its current columns; 0 if it is closed. Shut parts count as open. */
static float duct_section(const rn_state *s, const rn_step_params *params, const rn_duct *duct) {
    const rn_ends p = rn_state_ends(s, duct->a, duct->b, duct->drop);
    return params->cell * rn_duct_height(&p)[0];
}

/* The flux (m^3/s) of a duct's pipe; with momentum, from its speed. */
static float duct_flux(const rn_state *s, const rn_step_params *params, const rn_duct *duct) {
    if (!s->graph.momentum) return *pipe_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux);
    return *pipe_value(duct, s->graph.speed_x, s->graph.speed_y, s->graph.irregular_speed) *
           duct_section(s, params, duct);
}

void rn_passages_hold(rn_flood *flood, rn_state *s, const rn_step_params *params) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = duct->last_flux = duct_flux(s, params, duct);
        if (duct->way < 2) rn_tile_touch(&s->schedule.tiles[duct->tile], duct->spot, s->columns.depth[duct->pipe]);
    }
    mark_ducts(flood, s, true);
}

/* ---- Whole quanta -------------------------------------------------------------------------------------------- */

/* Quanta that the columns of a passage should gain in this substep, all together. */
static int64_t passage_fill(const rn_flood *flood, const rn_passage *passage) {
    int64_t fill = 0;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) fill += flood->nodes[i].fill;
    return fill;
}

/* Reduces the quanta that columns of a passage should gain by `less`, as far as they go, in order of nodes; returns
   what remains of `less`. */
static int64_t reduce_fill(rn_flood *flood, const rn_passage *passage, int64_t less) {
    for (int32_t i = passage->nodes; less > 0 && i < passage->node_end; i++) {
        rn_node *node = &flood->nodes[i];
        const int64_t taken = node->fill < less ? node->fill : less;
        node->fill -= taken;
        less -= taken;
    }
    return less;
}

/* Makes the inflow at portals equal to the outflow plus the gain of columns, to the quantum. It only reduces: if too
   little comes in, first the gain, then the largest outflows; if too much, the largest inflows. */
static void balance_portals(rn_flood *flood, const rn_passage *passage) {
    int64_t left = -passage_fill(flood, passage);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->portal >= 0) left += duct->node_a < 0 ? duct->moved : -duct->moved;
    }
    if (left < 0) left = -reduce_fill(flood, passage, -left);
    while (left != 0) {
        rn_duct *largest = NULL;
        int64_t most = 0;
        for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
            rn_duct *duct = &flood->ducts[i];
            const int64_t in = duct->node_a < 0 ? duct->moved : -duct->moved, size = left > 0 ? in : -in;
            if (duct->portal < 0 || size <= most) continue;
            most = size;
            largest = duct;
        }
        const int64_t taken = most < (left > 0 ? left : -left) ? most : (left > 0 ? left : -left);
        const int64_t change = left > 0 ? taken : -taken;
        largest->moved -= largest->node_a < 0 ? change : -change;
        left -= change;
    }
}

/* Sets the transfers of the tree's ducts, which absorb the imbalance of the others, from the outermost columns to the
   first, so that every column gains its `fill`. Portals must balance. Overwrites flood->net_inflow. */
static void balance_columns(rn_flood *flood, const rn_passage *passage) {
    int64_t *even = flood->net_inflow;
    for (int32_t i = passage->nodes; i < passage->node_end; i++) even[i] = -flood->nodes[i].fill;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->absorbs_rounding) continue;
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

/* Whether a passage comes to rest as a whole: its portals are level, almost nothing flows, and no column has to gain
   anything. */
static bool comes_to_rest(const rn_flood *flood, const rn_step_params *params, const rn_passage *passage) {
    const float least = RN_ASLEEP * params->quantum, per_depth = params->dt / (params->cell * params->cell);
    float low = INFINITY, high = -INFINITY;
    if (passage_fill(flood, passage) > 0) return false;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (fabsf(duct->flux) * per_depth > least) return false;
        if (duct->portal < 0 || !(duct->height > 0.0f)) continue;
        low = fminf(low, duct->level - duct->tilt_rise);
        high = fmaxf(high, duct->level - duct->tilt_rise);
    }
    return high - low <= least;
}

/* Quanta in fixed point, whose sums are exact in any order: 2^21 quanta through each of 2^24 portals stay below
   2^62. */
enum { FRACTION = 16 };
#define MOST_FILL (INT64_C(1) << 44) /* quanta: 2^60 in fixed point */

/* The inflow of a duct at a portal into its passage in a substep, in fixed point, at most RN_MOST quanta either way.
   per_flux: quanta per m^3/s. */
static int64_t fixed_inward(const rn_duct *duct, double per_flux) {
    const double most = (double)RN_MOST, quanta = (double)rn_duct_inward(duct, duct->flux) * per_flux;
    return (int64_t)rint(fmin(fmax(quanta, -most), most) * (double)(1 << FRACTION));
}

/* Fixed point to whole quanta, rounded down. */
static int64_t whole_quanta(int64_t fixed) { return fixed >> FRACTION; }

/* Sets the transfers at portals in whole quanta, at most RN_MOST each; needs `fill` of the nodes. The imbalance of
   inflow, outflow and fill that the solve has left is removed from all portals in proportion to their fluxes. Then each
   portal takes the growth of the running sum in whole quanta, so that together they balance to within a quantum. The
   running sum is a prefix sum of integers: every way to compute it gives the same result. */
static void round_portals(rn_flood *flood, const rn_step_params *params, const rn_passage *passage) {
    const double per_flux = (double)params->dt / ((double)params->cell * params->cell) * params->per_quantum;
    const int64_t dither = (int64_t)((double)params->dither * (double)(1 << FRACTION));
    const int64_t fill = passage_fill(flood, passage);
    int64_t left = -(fill < MOST_FILL ? fill : MOST_FILL) * (1 << FRACTION), all = 0, sum = dither;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        if (flood->ducts[i].portal < 0) continue;
        const int64_t in = fixed_inward(&flood->ducts[i], per_flux);
        left += in;
        all += in < 0 ? -in : in;
    }
    const double less = all > 0 ? (double)left / (double)all : 0.0;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        if (duct->portal < 0) continue;
        const int64_t in = fixed_inward(duct, per_flux), was = whole_quanta(sum);
        sum += in - (int64_t)rint(less * fabs((double)in));
        const int64_t most = (int64_t)RN_MOST, grown = whole_quanta(sum) - was;
        const int64_t quanta = grown > most ? most : grown < -most ? -most : grown;
        duct->moved = duct->node_a < 0 ? quanta : -quanta;
    }
}

/* Finds the transfers of all ducts of a passage in whole quanta, so that every column gains its `fill`, or less if too
   little comes in. Nothing comes from sinks. Fluxes stay as they are, except in a passage that comes to rest: there
   they become those of the whole quanta. Sets passage->share to 1. */
static void round_passage(rn_flood *flood, const rn_step_params *params, rn_passage *passage) {
    const bool sleeps = comes_to_rest(flood, params, passage);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++)
        flood->ducts[i].moved = rn_duct_quanta(params, flood->ducts[i].flux, sleeps);
    if (!sleeps) round_portals(flood, params, passage);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        const bool comes_in = (duct->node_a < 0) == (duct->moved > 0);
        if (duct->portal >= 0 && comes_in && flood->portals[duct->portal].sink)
            duct->moved = 0; /* rounding must not draw liquid from a sink */
    }
    balance_portals(flood, passage);
    balance_columns(flood, passage);
    for (int32_t i = passage->ducts; sleeps && i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = (float)duct->moved * params->quantum * (params->cell * params->cell / params->dt) + 0.0f;
    }
    passage->share = 1.0f;
}

void rn_passages_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool) {
    flood->failed = false;
    if (flood->duct_count == 0) return;
    mark_ducts(flood, s, false);
    rn_ducts_drive(flood, s, params, pool);
    for (size_t i = 0; i < flood->passage_count && !flood->failed; i++)
        round_passage(flood, params, &flood->passages[i]);
}

/* ---- Limits -------------------------------------------------------------------------------------------------- */

/* The net quanta that all pipes bring to a column in this substep. Ducts do not count: their transfers are not stored
   in the pipes yet. */
static int64_t brought_quanta(const rn_state *s, const rn_step_params *params, int32_t c) {
    const int32_t up = s->columns.grid.stride;
    float sum =
        (s->graph.transfer_x[c - 1] - s->graph.transfer_x[c]) + (s->graph.transfer_y[c - up] - s->graph.transfer_y[c]);
    const rn_junction *junction = rn_junction_of(s, c);
    for (int32_t n = junction ? junction->begin : 0; junction && n < junction->end; n++) {
        const float t = s->graph.irregular_transfer[s->graph.links[n] / 2];
        sum += s->graph.links[n] % 2 ? t : -t;
    }
    return (int64_t)(sum * params->per_quantum);
}

/* Sums the quanta that ducts bring to every portal (in) and take from it (out), both at least 0. */
static void count_portals(rn_flood *flood) {
    for (size_t i = 0; i < flood->portal_count; i++) flood->portals[i].in = flood->portals[i].out = 0;
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->portal < 0) continue;
        rn_portal *portal = &flood->portals[duct->portal];
        const int64_t out = duct->node_a < 0 ? duct->moved : -duct->moved;
        if (out > 0) portal->out += out;
        else portal->in -= out;
    }
}

/* Sets `in` and `out` of every portal from the transfers of its ducts, and `give` and `take`: the shares (0 to 1) of
   these that the portal can give and take once ordinary pipes have had theirs. Returns true if some portal cannot give
   or take all. */
static bool find_shares(rn_flood *flood, const rn_state *s, const rn_step_params *params) {
    bool limited = false;
    count_portals(flood);
    for (size_t i = 0; i < flood->portal_count; i++) {
        rn_portal *portal = &flood->portals[i];
        portal->give = portal->take = 1.0f;
        if (portal->sink && portal->in > COUNTABLE) portal->take = (float)COUNTABLE / (float)portal->in * RN_SAFE;
        limited = limited || portal->take < 1.0f;
        if (portal->sink) continue;
        const int32_t c = portal->slot;
        const int64_t now = (int64_t)(s->columns.depth[c] * params->per_quantum) + brought_quanta(s, params, c);
        const int64_t room = (int64_t)(rn_column_capacity(&s->columns, c) * params->per_quantum) - now;
        if (now < portal->out) portal->give = now > 0 ? (float)now / (float)portal->out * RN_SAFE : 0.0f;
        if (room < portal->in) portal->take = room > 0 ? (float)room / (float)portal->in * RN_SAFE : 0.0f;
        limited = limited || portal->give < 1.0f || portal->take < 1.0f;
    }
    return limited;
}

/* A share of a transfer, in whole quanta towards 0. */
static int64_t shared_quanta(int64_t moved, double share) { return (int64_t)((double)moved * share); }

/* Sums the quanta that come in at all portals of a passage, and those that go out; both at least 0. */
static void portal_sums(const rn_flood *flood, const rn_passage *passage, int64_t *in, int64_t *out) {
    *in = *out = 0;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        const int64_t inwards = duct->node_a < 0 ? duct->moved : -duct->moved;
        if (duct->portal >= 0 && inwards > 0) *in += inwards;
        if (duct->portal >= 0 && inwards < 0) *out -= inwards;
    }
}

/* Limits the transfers of a passage: every portal gives and takes what its `give` and `take` allow, the other portals
   and the gain of columns are reduced to match, and no duct moves more than RN_MOST quanta. If anything is limited,
   passage->share becomes the share (0 to 1) of the inflow that remains. Fluxes are multiplied by it if a portal cannot
   give enough, but not if only room is missing: the column ahead is about to be flooded. */
static void limit_passage(rn_flood *flood, rn_passage *passage) {
    int64_t in, out, before, largest = 0;
    bool limited = false, short_of = false;
    portal_sums(flood, passage, &before, &out);
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        largest = duct->moved > largest ? duct->moved : -duct->moved > largest ? -duct->moved : largest;
        if (duct->portal < 0 || duct->moved == 0) continue;
        const rn_portal *portal = &flood->portals[duct->portal];
        const bool gives = (duct->node_a < 0) == (duct->moved > 0);
        const float share = gives ? portal->give : portal->take;
        if (share >= 1.0f) continue;
        duct->moved = shared_quanta(duct->moved, (double)share);
        limited = true;
        short_of = short_of || gives;
    }
    const double bound = largest > (int64_t)RN_MOST ? (double)RN_MOST / (double)largest * (double)RN_SAFE : 1.0;
    if (!limited && bound == 1.0) return;
    portal_sums(flood, passage, &in, &out);
    const int64_t fill = passage_fill(flood, passage);
    if (in < out + fill) reduce_fill(flood, passage, out + fill - in);
    out += passage_fill(flood, passage); /* including the gain of columns */
    const double in_share = bound * (in > out ? (double)out / (double)in : 1.0),
                 out_share = bound * (out > in ? (double)in / (double)out : 1.0);
    passage->share = before > 0 ? (float)(bound * (double)(in < out ? in : out) / (double)before) : 1.0f;
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        rn_duct *duct = &flood->ducts[i];
        const bool gives = (duct->node_a < 0) == (duct->moved > 0);
        duct->moved = shared_quanta(duct->moved, duct->portal < 0 ? (double)passage->share
                                                 : gives          ? in_share
                                                                  : out_share);
        if (short_of) duct->flux = duct->flux * passage->share + 0.0f;
    }
    balance_portals(flood, passage);
    balance_columns(flood, passage);
}

/* Raises the highest cross-section (m) and the highest speed (m/s) to those at open portals. */
static void raise_portals(const rn_flood *flood, const rn_step_params *params, rn_extremes *extremes) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->portal < 0 || !(duct->height > 0.0f)) continue;
        raise(&extremes->height, duct->height);
        if (duct->height > params->thin_depth)
            raise(&extremes->speed, fabsf(duct->flux) / (params->cell * duct->height));
    }
}

/* Marks portals under ceilings that are not full but have no room for all inflow as pressed: they count as full
   (rn_flood_press), even if another passage drains them in the same substep. Does nothing without heads or without
   momentum. */
static void press_portals(const rn_flood *flood, rn_state *s) {
    for (size_t i = 0; s->graph.headed && s->graph.momentum && i < flood->portal_count; i++) {
        const rn_portal *portal = &flood->portals[i];
        const int32_t c = portal->slot;
        if (portal->sink || portal->take >= 1.0f || s->graph.head[c] != 0.0f || !rn_column_is_roofed(&s->columns, c))
            continue;
        if (rn_column_room(&s->columns, c) <= RN_FULL * s->columns.quantum) continue;
        const rn_spot at = rn_slot_place(&s->columns.grid, c);
        s->graph.head[c] = RN_HEAD_PRESSED;
        rn_row_at(s, at.layer, at.y)->pressed = true;
    }
}

/* Whether some transfer exceeds RN_MOST quanta. */
static bool any_too_large(const rn_flood *flood) {
    for (size_t i = 0; i < flood->duct_count; i++)
        if (flood->ducts[i].moved > (int64_t)RN_MOST || flood->ducts[i].moved < -(int64_t)RN_MOST) return true;
    return false;
}

void rn_passages_move(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_extremes *extremes) {
    if (flood->failed || flood->duct_count == 0) return;
    if (find_shares(flood, s, params) || any_too_large(flood))
        for (size_t i = 0; i < flood->passage_count; i++) limit_passage(flood, &flood->passages[i]);
    press_portals(flood, s);
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        write_value(duct, s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer,
                    (float)duct->moved * params->quantum);
        if (duct->way >= 2) continue;
        rn_tile_of(s, duct->pipe)->touched = true;
        rn_tile_of(s, duct->pipe + (duct->way == 0 ? 1 : s->columns.grid.stride))->touched = true;
    }
    raise_portals(flood, params, extremes);
}

void rn_passages_end(const rn_flood *flood, rn_state *s, const rn_step_params *params) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        const rn_duct *duct = &flood->ducts[i];
        const float flux = flood->failed ? duct->last_flux : duct->flux;
        if (s->graph.momentum) {
            const float section = duct_section(s, params, duct);
            write_value(duct, s->graph.speed_x, s->graph.speed_y, s->graph.irregular_speed,
                        section > 0.0f ? flux / section : 0.0f);
        } else {
            write_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux, flux);
        }
    }
}

/* ---- For the implicit step --------------------------------------------------------------------------------------- */

rn_result rn_passages_init_heads(rn_flood *flood, rn_state *s) {
    if (!rn_flood_is_new(s)) return RN_OK;
    const rn_result result = rn_flood_find(flood, s);
    if (result == RN_OK) rn_ducts_start(flood, s);
    return result;
}

/* Writes the transfers (m) and fluxes (m^3/s) of a passage's ducts to their pipes. */
static void write_transfers(const rn_flood *flood, const rn_state *s, const rn_step_params *params,
                            const rn_passage *passage) {
    for (int32_t i = passage->ducts; i < passage->duct_end; i++) {
        const rn_duct *duct = &flood->ducts[i];
        write_value(duct, s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer,
                    (float)duct->moved * params->quantum);
        write_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux, duct->flux);
    }
}

void rn_passages_take(rn_flood *flood, rn_state *s, const rn_step_params *params) {
    mark_ducts(flood, s, true);
    for (size_t i = 0; i < flood->passage_count; i++) {
        rn_passage *passage = &flood->passages[i];
        for (int32_t k = passage->nodes; k < passage->node_end; k++) flood->nodes[k].fill = 0;
        for (int32_t k = passage->ducts; k < passage->duct_end; k++) {
            rn_duct *duct = &flood->ducts[k];
            duct->flux = *pipe_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux);
            duct->last_flux = duct->flux;
            rn_duct_look(s, params, duct, false);
        }
        round_passage(flood, params, passage);
        write_transfers(flood, s, params, passage);
    }
}

void rn_passages_release(const rn_flood *flood, rn_state *s) { mark_ducts(flood, s, false); }

void rn_passages_repair(rn_flood *flood, rn_state *s, const rn_step_params *params, const float *give,
                        const float *take) {
    for (size_t i = 0; i < flood->portal_count; i++) {
        rn_portal *portal = &flood->portals[i];
        portal->give = give[portal->slot];
        portal->take = take[portal->slot];
    }
    for (size_t i = 0; i < flood->passage_count; i++) {
        limit_passage(flood, &flood->passages[i]);
        write_transfers(flood, s, params, &flood->passages[i]);
    }
}

void rn_passages_stop(rn_flood *flood, rn_state *s) {
    for (size_t i = 0; i < flood->duct_count; i++) {
        rn_duct *duct = &flood->ducts[i];
        duct->moved = 0;
        write_value(duct, s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer, 0.0f);
    }
}
