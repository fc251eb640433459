/* Flow through flooded passages in whole quanta (docs/passages.md).

   Interface and order of calls in an explicit substep (solver/passages.h; solver/momentum.c and solver/pipes.c call
   them):
   - rn_passages_hold, before pipes find their fluxes: ducts take their fluxes from their pipes, and the pipes are
     marked as held;
   - rn_passages_drive: releases the pipes again; solver/duct_fluxes.c finds the new fluxes, and round_passages turns
     them into quanta;
   - rn_passages_move, once the transfers of ordinary pipes are limited: limits the transfers of passages;
   - rn_passages_end, once depths have changed: returns the fluxes to the pipes.

   These four need the lists of rn_flood_find. The implicit step solves for heads itself and uses the functions at
   the end of this file: rn_passages_init_heads before its solve, the others in rn_newton_repair.

   Rounding: the fluxes at the portals of a passage are rounded by a running sum, so that inflow equals outflow to
   the quantum. Inside, the ducts of a spanning tree absorb the differences, each those of the subtree behind it, so
   that inflow equals outflow in every flooded column.

   Limits: a portal that cannot give or take all of its quanta reduces the flow of the whole passage: the portals on
   the other side are reduced by the same amount. Where all portals are level and almost nothing flows, the passage
   comes to rest.

   All passages are rounded, and limited, at once. On a GPU the lanes of a block share ducts, portals and columns
   (base/lanes.h); the sums of a passage are integers, so they are the same in any order. */
#include "solver/passages.h"

#include "base/lanes.h"
#include "base/threads.h"
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

/* What the functions for lanes work on. */
typedef struct passing {
    rn_flood *flood;
    rn_state *s;
    const rn_step_params *params;
    rn_extremes *extremes;
    bool sets;                /* of set_marks: held or released */
    const float *give, *take; /* of rn_passages_repair: shares, by slot */
} passing;

/* Loops over all ducts, those with portals, nodes, portals and passages. By lanes. */
#define FOR_DUCTS(i)    RN_FOR_ITEMS (i, 0, (int32_t)flood->duct_count)
#define FOR_DOORS(i)    RN_FOR_ITEMS (i, 0, (int32_t)flood->door_count)
#define FOR_NODES(i)    RN_FOR_ITEMS (i, 0, (int32_t)flood->node_count)
#define FOR_PORTALS(i)  RN_FOR_ITEMS (i, 0, (int32_t)flood->portal_count)
#define FOR_PASSAGES(i) RN_FOR_ITEMS (i, 0, (int32_t)flood->passage_count)

/* Marks the pipes of all ducts as held, or releases them. By lanes. */
static void mark_ducts(const rn_flood *flood, rn_state *s, bool held) {
    FOR_DUCTS (i) {
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

/* The work of rn_passages_hold, by lanes. */
static void hold_by_lanes(const void *context) {
    const passing *job = context;
    rn_flood *flood = job->flood;
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = duct->last_flux = duct_flux(job->s, job->params, duct);
        if (duct->way >= 2) continue;
        rn_tile_touch(&job->s->schedule.tiles[duct->tile], duct->spot, job->s->columns.depth[duct->pipe]);
    }
    mark_ducts(flood, job->s, true);
}

void rn_passages_hold(rn_flood *flood, rn_state *s, const rn_step_params *params) {
    if (flood->duct_count > 0) rn_lanes_run(hold_by_lanes, (&(passing){.flood = flood, .s = s, .params = params}));
}

/* ---- Whole quanta -------------------------------------------------------------------------------------------- */

/* The passage of a duct. */
static rn_passage *passage_of(const rn_flood *flood, const rn_duct *duct) { return &flood->passages[duct->passage]; }
/* The quanta that a duct with a portal moves into its passage; those out of it count less than 0. */
static int64_t inward(const rn_duct *duct) { return duct->node_a < 0 ? duct->moved : -duct->moved; }

/* Sums the quanta that the columns of passages should gain in this substep. By lanes, which wait for each other. */
static void sum_fills(const rn_flood *flood) {
    FOR_PASSAGES (k) flood->passages[k].fill = 0;
    rn_lanes_meet();
    FOR_NODES (i)
        if (flood->nodes[i].fill != 0)
            rn_short_add(&flood->passages[flood->nodes[i].passage].fill, flood->nodes[i].fill);
    rn_lanes_meet();
}

/* Sums the quanta that come in at the portals of passages, and those that go out; both at least 0. By lanes, which wait
   for each other. */
static void sum_portals(const rn_flood *flood) {
    FOR_PASSAGES (k) flood->passages[k].in = flood->passages[k].out = 0;
    rn_lanes_meet();
    FOR_DOORS (i) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        const int64_t in = inward(duct);
        if (in > 0) rn_short_add(&passage_of(flood, duct)->in, in);
        if (in < 0) rn_short_add(&passage_of(flood, duct)->out, -in);
    }
    rn_lanes_meet();
}

/* Where inflow falls short of outflow and fill (passage->left is below 0), reduces the quanta that columns should gain
   by as much, as far as they go, in order of nodes; `left` becomes what is still missing, and `fill` what remains. By
   lanes, which wait for each other. */
static void reduce_fills(rn_flood *flood) {
    bool any = false;
    FOR_PASSAGES (k) any = any || (flood->passages[k].left < 0 && flood->passages[k].fill > 0);
    if (!rn_lanes_any(any)) return;
    FOR_NODES (i) flood->sums[i] = flood->nodes[i].fill;
    rn_lanes_meet();
    rn_lanes_sums(flood->sums, (int32_t)flood->node_count);
    FOR_NODES (i) {
        rn_node *node = &flood->nodes[i];
        const rn_passage *passage = &flood->passages[node->passage];
        const int64_t rest = -passage->left - (flood->sums[i] - flood->sums[passage->nodes]);
        if (rest > 0) node->fill -= node->fill < rest ? node->fill : rest;
    }
    rn_lanes_meet();
    FOR_PASSAGES (k) {
        rn_passage *passage = &flood->passages[k];
        if (passage->left >= 0) continue;
        const int64_t taken = passage->fill < -passage->left ? passage->fill : -passage->left;
        passage->fill -= taken;
        passage->left += taken;
    }
    rn_lanes_meet();
}

/* Makes the inflow at portals equal to the outflow plus the gain of columns, to the quantum. It only reduces: if too
   little comes in, first the gain, then the largest outflows; if too much, the largest inflows; of equal ones the
   first. By lanes. */
static void balance_portals(rn_flood *flood) {
    sum_fills(flood);
    sum_portals(flood);
    FOR_PASSAGES (k) {
        rn_passage *passage = &flood->passages[k];
        passage->left = passage->in - passage->out - passage->fill;
    }
    rn_lanes_meet();
    reduce_fills(flood);
    for (;;) { /* one portal of each passage in turn */
        bool any = false;
        FOR_PASSAGES (k) {
            flood->passages[k].best_key = 0;
            any = any || flood->passages[k].left != 0;
        }
        if (!rn_lanes_any(any)) return;
        FOR_DOORS (i) {
            const rn_duct *duct = &flood->ducts[flood->doors[i]];
            rn_passage *passage = passage_of(flood, duct);
            const int64_t size = passage->left > 0 ? inward(duct) : -inward(duct);
            if (passage->left != 0 && size > 0)
                rn_short_raise_64(&passage->best_key, (uint64_t)size << 32 | (uint32_t)(INT32_MAX - i));
        }
        rn_lanes_meet();
        FOR_PASSAGES (k) {
            rn_passage *passage = &flood->passages[k];
            if (passage->left == 0) continue;
            /* there is one: with an excess something comes in, and with a lack something goes out */
            rn_duct *duct = &flood->ducts[flood->doors[INT32_MAX - (int32_t)(uint32_t)passage->best_key]];
            const int64_t most = (int64_t)(passage->best_key >> 32), left = passage->left;
            const int64_t taken = most < (left > 0 ? left : -left) ? most : left > 0 ? left : -left;
            const int64_t change = left > 0 ? taken : -taken;
            duct->moved -= duct->node_a < 0 ? change : -change;
            passage->left -= change;
        }
        rn_lanes_meet();
    }
}

/* Sets the transfers of the tree's ducts, which absorb the imbalance of the others, so that every column gains its
   `fill`: the duct towards the first column takes what the subtree behind it has too much. Portals must balance.
   Overwrites flood->net_inflow. By lanes, which wait for each other. */
static void balance_columns(rn_flood *flood) {
    int64_t *even = flood->net_inflow;
    FOR_NODES (i) even[flood->nodes[i].rank] = -flood->nodes[i].fill;
    rn_lanes_meet();
    FOR_DUCTS (i) {
        const rn_duct *duct = &flood->ducts[i];
        if (duct->absorbs_rounding || duct->moved == 0) continue;
        if (duct->node_a >= 0) rn_short_add(&even[flood->nodes[duct->node_a].rank], -duct->moved);
        if (duct->node_b >= 0) rn_short_add(&even[flood->nodes[duct->node_b].rank], duct->moved);
    }
    rn_lanes_meet();
    rn_lanes_sums(even, (int32_t)flood->node_count);
    FOR_NODES (i) {
        const rn_node *node = &flood->nodes[i];
        if (node->parent < 0) continue;
        rn_duct *duct = &flood->ducts[node->parent];
        const int64_t much = even[node->rank + node->span] - even[node->rank];
        duct->moved = duct->node_a == i ? much : -much;
    }
    rn_lanes_meet();
}

/* A level (m) as an integer that is larger for a higher one. */
static int64_t level_key(float level) {
    int32_t bits;
    level += 0.0f;
    memcpy(&bits, &level, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

/* The level of a key. */
static float key_level(int64_t key) {
    const int32_t bits = key < 0 ? (int32_t)key ^ INT32_MAX : (int32_t)key;
    float level;
    memcpy(&level, &bits, sizeof level);
    return level;
}

/* Finds which passages come to rest as a whole: their portals are level, almost nothing flows, and no column has to
   gain anything. Needs their `fill`. By lanes, which wait for each other. */
static void find_resting(rn_flood *flood, const rn_step_params *params) {
    const float least = RN_ASLEEP * params->quantum, per_depth = params->dt / (params->cell * params->cell);
    FOR_PASSAGES (k) {
        flood->passages[k].flows = false;
        flood->passages[k].low_key = level_key(INFINITY);
        flood->passages[k].high_key = -level_key(-INFINITY); /* negated: lanes lower both */
    }
    rn_lanes_meet();
    FOR_DUCTS (i) {
        const rn_duct *duct = &flood->ducts[i];
        rn_passage *passage = passage_of(flood, duct);
        if (fabsf(duct->flux) * per_depth > least) passage->flows = true;
        if (duct->portal < 0 || !(duct->height > 0.0f)) continue;
        const int64_t key = level_key(duct->level - duct->tilt_rise);
        rn_short_lower_64(&passage->low_key, key);
        rn_short_lower_64(&passage->high_key, -key);
    }
    rn_lanes_meet();
    FOR_PASSAGES (k) {
        rn_passage *passage = &flood->passages[k];
        const float low = key_level(passage->low_key), high = key_level(-passage->high_key);
        passage->rests = passage->fill <= 0 && !passage->flows && high - low <= least;
    }
    rn_lanes_meet();
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

/* Sets the transfers at portals in whole quanta, at most RN_MOST each, but for passages at rest; needs `fill` of the
   passages. The imbalance of inflow, outflow and fill that the solve has left is removed from all portals of a passage
   in proportion to their fluxes. Then each portal takes the growth of the running sum in whole quanta, so that together
   they balance to within a quantum. The running sum is a prefix sum of integers: every way to compute it gives the same
   result. By lanes, which wait for each other. */
static void round_portals(rn_flood *flood, const rn_step_params *params) {
    const double per_flux = (double)params->dt / ((double)params->cell * params->cell) * params->per_quantum;
    const int64_t dither = (int64_t)((double)params->dither * (double)(1 << FRACTION)), most = (int64_t)RN_MOST;
    int64_t *const sums = flood->sums;
    FOR_PASSAGES (k) {
        const int64_t fill = flood->passages[k].fill;
        flood->passages[k].left = -(fill < MOST_FILL ? fill : MOST_FILL) * (1 << FRACTION);
        flood->passages[k].all = 0;
    }
    rn_lanes_meet();
    FOR_DOORS (i) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        const int64_t in = fixed_inward(duct, per_flux);
        rn_short_add(&passage_of(flood, duct)->left, in);
        rn_short_add(&passage_of(flood, duct)->all, in < 0 ? -in : in);
    }
    rn_lanes_meet();
    FOR_DOORS (i) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        const rn_passage *passage = passage_of(flood, duct);
        const double less = passage->all > 0 ? (double)passage->left / (double)passage->all : 0.0;
        const int64_t in = fixed_inward(duct, per_flux);
        sums[i] = in - (int64_t)rint(less * fabs((double)in));
    }
    rn_lanes_meet();
    rn_lanes_sums(sums, (int32_t)flood->door_count);
    FOR_DOORS (i) {
        rn_duct *duct = &flood->ducts[flood->doors[i]];
        const rn_passage *passage = passage_of(flood, duct);
        if (passage->rests) continue;
        const int64_t before = dither + (sums[i] - sums[passage->doors]), here = sums[i + 1] - sums[i];
        const int64_t grown = whole_quanta(before + here) - whole_quanta(before);
        const int64_t quanta = grown > most ? most : grown < -most ? -most : grown;
        duct->moved = duct->node_a < 0 ? quanta : -quanta;
    }
    rn_lanes_meet();
}

/* Finds the transfers of all ducts in whole quanta, so that every column gains its `fill`, or less if too little comes
   in. Nothing comes from sinks. Fluxes stay as they are, except in a passage that comes to rest: there they become
   those of the whole quanta. Sets passage->share to 1. By lanes, which wait for each other. */
static void round_passages(rn_flood *flood, const rn_step_params *params) {
    sum_fills(flood);
    find_resting(flood, params);
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        duct->moved = rn_duct_quanta(params, duct->flux, passage_of(flood, duct)->rests);
    }
    rn_lanes_meet();
    round_portals(flood, params);
    FOR_DOORS (i) {
        rn_duct *duct = &flood->ducts[flood->doors[i]];
        if (inward(duct) > 0 && flood->portals[duct->portal].sink)
            duct->moved = 0; /* rounding must not draw liquid from a sink */
    }
    FOR_PASSAGES (k) flood->passages[k].share = 1.0f;
    rn_lanes_meet();
    balance_portals(flood);
    balance_columns(flood);
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        if (passage_of(flood, duct)->rests)
            duct->flux = (float)duct->moved * params->quantum * (params->cell * params->cell / params->dt) + 0.0f;
    }
    rn_lanes_meet();
}

/* By lanes: releases the pipes of ducts, or holds them. */
static void set_marks(const void *context) {
    const passing *job = context;
    mark_ducts(job->flood, job->s, job->sets);
}

/* By lanes: round_passages. */
static void round_by_lanes(const void *context) {
    const passing *job = context;
    round_passages(job->flood, job->params);
}

void rn_passages_drive(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_pool *pool) {
    const passing job = {.flood = flood, .s = s, .params = params};
    flood->failed = false;
    if (flood->duct_count == 0) return;
    rn_lanes_run(set_marks, &job);
    rn_ducts_drive(flood, s, params, pool);
    if (!flood->failed) rn_lanes_run(round_by_lanes, &job);
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

/* Sums the quanta that ducts bring to every portal (in) and take from it (out), both at least 0. By lanes, which wait
   for each other. */
static void count_portals(const rn_flood *flood) {
    FOR_PORTALS (i) flood->portals[i].in = flood->portals[i].out = 0;
    rn_lanes_meet();
    FOR_DOORS (i) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        rn_portal *portal = &flood->portals[duct->portal];
        const int64_t out = inward(duct);
        if (out > 0) rn_short_add(&portal->out, out);
        if (out < 0) rn_short_add(&portal->in, -out);
    }
    rn_lanes_meet();
}

/* Sets `in` and `out` of every portal from the transfers of its ducts, and `give` and `take`: the shares (0 to 1) of
   these that the portal can give and take once ordinary pipes have had theirs. Returns true if some portal cannot give
   or take all. By lanes. */
static bool find_shares(rn_flood *flood, const rn_state *s, const rn_step_params *params) {
    bool limited = false;
    count_portals(flood);
    FOR_PORTALS (i) {
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
    return rn_lanes_any(limited);
}

/* A share of a transfer, in whole quanta towards 0. */
static int64_t shared_quanta(int64_t moved, double share) { return (int64_t)((double)moved * share); }

/* The share of its transfers that a passage keeps because no duct moves more than RN_MOST quanta. */
static double bound_of(const rn_passage *passage) {
    const uint64_t most = (uint64_t)RN_MOST;
    return passage->largest > most ? (double)most / (double)passage->largest * (double)RN_SAFE : 1.0;
}

/* Cuts the transfers at portals to what these give and take, and finds what is limited so. By lanes, which wait for
   each other. */
static void limit_portals(rn_flood *flood) {
    FOR_PASSAGES (k) {
        rn_passage *passage = &flood->passages[k];
        passage->before = passage->in;
        passage->largest = 0;
        passage->limited = passage->short_of = false;
    }
    rn_lanes_meet();
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        rn_passage *passage = passage_of(flood, duct);
        rn_short_raise_64(&passage->largest, (uint64_t)(duct->moved < 0 ? -duct->moved : duct->moved));
        if (duct->portal < 0 || duct->moved == 0) continue;
        const rn_portal *portal = &flood->portals[duct->portal];
        const bool gives = inward(duct) > 0;
        const float share = gives ? portal->give : portal->take;
        if (share >= 1.0f) continue;
        duct->moved = shared_quanta(duct->moved, (double)share);
        passage->limited = true;
        if (gives) passage->short_of = true;
    }
    rn_lanes_meet();
    FOR_PASSAGES (k)
        if (bound_of(&flood->passages[k]) < 1.0) flood->passages[k].limited = true;
    rn_lanes_meet();
}

/* Limits the transfers of passages: every portal gives and takes what its `give` and `take` allow, the other portals
   and the gain of columns are reduced to match, and no duct moves more than RN_MOST quanta. If anything in a passage is
   limited, passage->share becomes the share (0 to 1) of the inflow that remains. Fluxes are multiplied by it if a
   portal cannot give enough, but not if only room is missing: the column ahead is about to be flooded. By lanes, which
   wait for each other. */
static void limit_passages(rn_flood *flood) {
    sum_portals(flood);
    limit_portals(flood);
    bool any = false;
    FOR_PASSAGES (k) any = any || flood->passages[k].limited;
    if (!rn_lanes_any(any)) return;
    sum_portals(flood);
    sum_fills(flood);
    FOR_PASSAGES (k) {
        rn_passage *passage = &flood->passages[k];
        const int64_t missing = passage->out + passage->fill - passage->in;
        passage->left = passage->limited && missing > 0 ? -missing : 0;
    }
    rn_lanes_meet();
    reduce_fills(flood);
    FOR_PASSAGES (k) {
        rn_passage *passage = &flood->passages[k];
        if (!passage->limited) continue;
        const int64_t in = passage->in, out = passage->out += passage->fill; /* including the gain of columns */
        passage->share = passage->before > 0
                             ? (float)(bound_of(passage) * (double)(in < out ? in : out) / (double)passage->before)
                             : 1.0f;
    }
    rn_lanes_meet();
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        const rn_passage *passage = passage_of(flood, duct);
        if (!passage->limited) continue;
        const int64_t in = passage->in, out = passage->out;
        const double bound = bound_of(passage), in_share = bound * (in > out ? (double)out / (double)in : 1.0),
                     out_share = bound * (out > in ? (double)in / (double)out : 1.0);
        const bool gives = (duct->node_a < 0) == (duct->moved > 0);
        duct->moved = shared_quanta(duct->moved, duct->portal < 0 ? (double)passage->share
                                                 : gives          ? in_share
                                                                  : out_share);
        if (passage->short_of) duct->flux = duct->flux * passage->share + 0.0f;
    }
    rn_lanes_meet();
    balance_portals(flood);
    balance_columns(flood);
}

/* Raises the highest cross-section (m) and the highest speed (m/s) to those at open portals. By lanes. */
static void raise_portals(const rn_flood *flood, const rn_step_params *params, rn_extremes *extremes) {
    FOR_DOORS (i) {
        const rn_duct *duct = &flood->ducts[flood->doors[i]];
        if (!(duct->height > 0.0f)) continue;
        rn_short_raise(&extremes->height, duct->height);
        if (duct->height > params->thin_depth)
            rn_short_raise(&extremes->speed, fabsf(duct->flux) / (params->cell * duct->height));
    }
}

/* Marks portals under ceilings that are not full but have no room for all inflow as pressed: they count as full
   (rn_flood_press), even if another passage drains them in the same substep. Does nothing without heads or without
   momentum. By lanes. */
static void press_portals(const rn_flood *flood, rn_state *s) {
    if (!s->graph.headed || !s->graph.momentum) return;
    FOR_PORTALS (i) {
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

/* Whether some transfer exceeds RN_MOST quanta. By lanes. */
static bool any_too_large(const rn_flood *flood) {
    bool any = false;
    FOR_DUCTS (i) any = any || flood->ducts[i].moved > (int64_t)RN_MOST || flood->ducts[i].moved < -(int64_t)RN_MOST;
    return rn_lanes_any(any);
}

/* The work of rn_passages_move, by lanes. */
static void move_by_lanes(const void *context) {
    const passing *job = context;
    rn_flood *flood = job->flood;
    rn_state *s = job->s;
    const bool limited = find_shares(flood, s, job->params), large = any_too_large(flood);
    if (limited || large) limit_passages(flood);
    press_portals(flood, s);
    FOR_DUCTS (i) {
        const rn_duct *duct = &flood->ducts[i];
        write_value(duct, s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer,
                    (float)duct->moved * job->params->quantum);
        if (duct->way >= 2) continue;
        rn_tile_of(s, duct->pipe)->touched = true;
        rn_tile_of(s, duct->pipe + (duct->way == 0 ? 1 : s->columns.grid.stride))->touched = true;
    }
    raise_portals(flood, job->params, job->extremes);
}

void rn_passages_move(rn_flood *flood, rn_state *s, const rn_step_params *params, rn_extremes *extremes) {
    if (flood->failed || flood->duct_count == 0) return;
    rn_lanes_run(move_by_lanes, (&(passing){.flood = flood, .s = s, .params = params, .extremes = extremes}));
}

/* The work of rn_passages_end, by lanes. */
static void end_by_lanes(const void *context) {
    const passing *job = context;
    rn_state *s = job->s;
    const rn_flood *flood = job->flood;
    FOR_DUCTS (i) {
        const rn_duct *duct = &flood->ducts[i];
        const float flux = flood->failed ? duct->last_flux : duct->flux;
        if (s->graph.momentum) {
            const float section = duct_section(s, job->params, duct);
            write_value(duct, s->graph.speed_x, s->graph.speed_y, s->graph.irregular_speed,
                        section > 0.0f ? flux / section : 0.0f);
        } else {
            write_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux, flux);
        }
    }
}

void rn_passages_end(rn_flood *flood, rn_state *s, const rn_step_params *params) {
    if (flood->duct_count > 0) rn_lanes_run(end_by_lanes, (&(passing){.flood = flood, .s = s, .params = params}));
}

/* ---- For the implicit step --------------------------------------------------------------------------------------- */

rn_result rn_passages_init_heads(rn_flood *flood, rn_state *s) {
    if (!rn_flood_is_new(flood, s)) return RN_OK;
    const rn_result result = rn_flood_find(flood, s);
    if (result == RN_OK) rn_ducts_start(flood, s);
    return result;
}

/* Writes the transfers (m) and fluxes (m^3/s) of ducts to their pipes. By lanes. */
static void write_transfers(const rn_flood *flood, const rn_state *s, const rn_step_params *params) {
    FOR_DUCTS (i) {
        const rn_duct *duct = &flood->ducts[i];
        write_value(duct, s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer,
                    (float)duct->moved * params->quantum);
        write_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux, duct->flux);
    }
}

/* The work of rn_passages_take, by lanes. */
static void take_by_lanes(const void *context) {
    const passing *job = context;
    rn_flood *flood = job->flood;
    rn_state *s = job->s;
    mark_ducts(flood, s, true);
    FOR_NODES (i) flood->nodes[i].fill = 0;
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        duct->flux = *pipe_value(duct, s->columns.flux_x, s->columns.flux_y, s->graph.irregular_flux);
        duct->last_flux = duct->flux;
        rn_duct_look(s, job->params, duct, false);
    }
    rn_lanes_meet();
    round_passages(flood, job->params);
    write_transfers(flood, s, job->params);
}

void rn_passages_take(rn_flood *flood, rn_state *s, const rn_step_params *params) {
    if (flood->duct_count > 0) rn_lanes_run(take_by_lanes, (&(passing){.flood = flood, .s = s, .params = params}));
}

void rn_passages_release(rn_flood *flood, rn_state *s) {
    if (flood->duct_count > 0) rn_lanes_run(set_marks, (&(passing){.flood = flood, .s = s}));
}

/* The work of rn_passages_repair, by lanes. */
static void repair_by_lanes(const void *context) {
    const passing *job = context;
    rn_flood *flood = job->flood;
    FOR_PORTALS (i) {
        rn_portal *portal = &flood->portals[i];
        portal->give = job->give[portal->slot];
        portal->take = job->take[portal->slot];
    }
    rn_lanes_meet();
    limit_passages(flood);
    write_transfers(flood, job->s, job->params);
}

void rn_passages_repair(rn_flood *flood, rn_state *s, const rn_step_params *params, const float *give,
                        const float *take) {
    const passing job = {.flood = flood, .s = s, .params = params, .give = give, .take = take};
    if (flood->duct_count > 0) rn_lanes_run(repair_by_lanes, &job);
}

/* The work of rn_passages_stop, by lanes. */
static void stop_by_lanes(const void *context) {
    const rn_flood *flood = ((const passing *)context)->flood;
    rn_state *s = ((const passing *)context)->s;
    FOR_DUCTS (i) {
        rn_duct *duct = &flood->ducts[i];
        duct->moved = 0;
        write_value(duct, s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer, 0.0f);
    }
}

void rn_passages_stop(rn_flood *flood, rn_state *s) {
    if (flood->duct_count > 0) rn_lanes_run(stop_by_lanes, (&(passing){.flood = flood, .s = s}));
}
