/* The passes of a substep over connections, junctions and contact heads (cuda/linked_step.h), one item a thread. They
   do what solver/connections.c, contact.c, irregular.c and flood.c do on the CPU, with the same sweeps and bits.
   plain_step.c has the order of the passes. */
#include "cuda/linked_step.h"

#include "cuda/machine.h"

#include "solver/contact.h"
#include "solver/contact_sweeps.h"
#include "solver/flood.h"
#include "solver/irregular.h"

/* The number of this thread in its block, and of threads in a block. */
static int own_thread(void) { return rn_rank() * rn_lane_count() + rn_lane(); }
static int thread_count(void) { return rn_rank_count() * rn_lane_count(); }

/* The first item of this thread, and how far it is to the next. Threads that run together take items in a row, and
   blocks take turns, so that few items keep all multiprocessors busy. */
static int first_item(void) {
    const int size = machine_group_size(), own = own_thread();
    return (own / size * machine_blocks() + machine_block()) * size + own % size;
}
static int item_step(void) { return thread_count() * machine_blocks(); }

/* ---- Connections ------------------------------------------------------------------------------------------------- */

/* Whether a connection has liquid at an end. */
static bool is_wet(const rn_state *s, int32_t connection) {
    const int32_t *ends = s->connections.ends + 2 * connection;
    return s->columns.depth[ends[0]] > 0.0f || s->columns.depth[ends[1]] > 0.0f;
}

/* Whether some connection of a junction is wet. */
static bool is_busy(const rn_state *s, const rn_junction *junction) {
    for (int32_t n = junction->connections; n < junction->connection_end; n++)
        if (is_wet(s, s->connections.links[n] / 4)) return true;
    return false;
}

void rn_links_begin(rn_plain *plain, const substep *step) {
    rn_state *s = step->s;
    rn_lanes_meet();
    if (own_thread() == 0) s->connections.wet_count = s->connections.count, s->graph.sink_count = 0;
    rn_lanes_meet();
    for (int32_t i = first_item(); i < s->connections.count; i += item_step()) s->connections.wet[i] = i;
    for (int r = first_item(); plain->watches && r < row_count(s); r += item_step()) {
        const rn_row *row = rn_row_at(s, row_at(s, r).layer, row_at(s, r).y);
        if (row->roofed && row->pressed) machine_or(&plain->full, 1);
    }
}

void rn_links_stop(const substep *step) {
    rn_graph *g = &step->s->graph;
    for (int32_t i = first_item(); i < step->s->connections.count; i += item_step()) {
        if (is_wet(step->s, i)) continue;
        const rn_connection *connection = &step->s->connections.faces[i];
        if (connection->irregular)
            g->irregular_speed[i] = g->irregular_next[i] = g->irregular_transfer[i] = g->irregular_half[i] = 0.0f;
        else (connection->axis == 0 ? g->half_x : g->half_y)[connection->pipe] = 0.0f;
    }
}

/* Sets transfers and speeds of the split sides of a junction without liquid to 0. */
static void clear_splits(const rn_state *s, const rn_junction *junction) {
    const rn_connections *c = &s->connections;
    for (int32_t n = junction->split_sides; n < junction->split_end; n++)
        c->split_transfer[n] = c->split_speed[n] = c->split_next[n] = c->split_half[n] = 0.0f;
}

void rn_links_pass(const substep *step, rn_connection_pass pass, rn_extremes *most) {
    const rn_state *s = step->s;
    const bool junctions = rn_is_over_junctions(pass);
    const int32_t count = junctions ? s->graph.junction_count : s->connections.count;
    for (int32_t i = first_item(); i < count; i += item_step())
        if (junctions ? is_busy(s, &s->graph.junctions[i]) : is_wet(s, i))
            rn_connection_item(&RN_ISA(rn_connection_sweeps), step, pass, i, most);
        else if (pass == RN_LOOK) clear_splits(s, &s->graph.junctions[i]);
}

/* ---- Contact heads ----------------------------------------------------------------------------------------------- */

/* The passes over columns. */
typedef enum contact_pass { HEADS, DIFFUSE, FILTER, FINISH } contact_pass;

/* Whether a column or one beside it is wet: no other contact head is ever read. */
static bool is_near_liquid(const rn_state *s, int32_t c) {
    const float *const depth = s->columns.depth + c;
    const int32_t up = s->columns.grid.stride;
    return depth[0] > 0.0f || depth[-1] > 0.0f || depth[1] > 0.0f || depth[-up] > 0.0f || depth[up] > 0.0f;
}

/* Runs one pass over all columns near liquid; the ground of the others only dries. `pair`: of FILTER. */
static void sweep_contact(const substep *step, contact_pass pass, const rn_filter_pair *pair) {
    const rn_contact_sweeps *sweeps = &RN_ISA(rn_contact_sweeps);
    const rn_state *s = step->s;
    const int nx = s->columns.grid.nx;
    for (int i = first_item(); i < row_count(s) * nx; i += item_step()) {
        const row_ref at = row_at(s, i / nx);
        const int32_t c = rn_slot(&s->columns.grid, at.layer, at.y, i % nx);
        if (!is_near_liquid(s, c)) {
            if (pass == HEADS && step->params->drying > 0.0f) sweeps->dry(step, c, 1);
            continue;
        }
        if (pass == HEADS) sweeps->heads(step, c, 1, 1);
        if (pass == DIFFUSE) sweeps->diffuse(step, c, 1);
        if (pass == FILTER) sweeps->filter(step, c, 1, pair);
        if (pass == FINISH) sweeps->finish(step, c, 1);
    }
}

void rn_links_contact(const substep *step) {
    if (!step->params->contact) return;
    sweep_contact(step, HEADS, NULL);
    for (int k = 1; k <= step->params->filter / 2; k++) {
        const rn_filter_pair pair = rn_contact_roots(step->params->filter, k);
        rn_all_meet();
        sweep_contact(step, DIFFUSE, NULL);
        rn_all_meet();
        sweep_contact(step, FILTER, &pair);
    }
    rn_all_meet();
    sweep_contact(step, FINISH, NULL);
}

/* ---- Limits and depths ------------------------------------------------------------------------------------------- */

enum { UNDER = 1, OVER = 2 }; /* as in plain_step.c */

void rn_links_check(rn_plain *plain, const rn_plain_block *b, const substep *step) {
    const rn_graph *g = &step->s->graph;
    for (int32_t i = first_item(); i < g->junction_count; i += item_step()) {
        rn_junction *junction = &g->junctions[i];
        rn_irregular_check_one(step, junction);
        const int limited = (junction->limited[0] ? UNDER : 0) | (junction->limited[1] ? OVER : 0);
        if (!limited) continue;
        machine_or(&plain->tiles[junction->tile].limited, limited);
        machine_or(&plain->limited[b->count % 3], limited);
    }
}

void rn_links_shares(const substep *step, bool in) {
    const rn_graph *g = &step->s->graph;
    for (int32_t i = first_item(); i < g->junction_count; i += item_step())
        rn_irregular_share_one(step, &g->junctions[i], in, false);
}

void rn_links_limits(const substep *step, bool in) {
    const rn_graph *g = &step->s->graph;
    for (int32_t i = first_item(); i < g->junction_count; i += item_step())
        rn_irregular_limit_one(step, &g->junctions[i], in);
}

void rn_links_free_shares(const substep *step) {
    const rn_graph *g = &step->s->graph;
    for (int32_t i = first_item(); i < g->junction_count; i += item_step()) g->share[g->junctions[i].slot] = 1.0f;
}

/* Makes the transfers of a junction's irregular pipes, and wakes its tile. Returns its quanta if it is a sink, which
   becomes empty, otherwise 0. */
static int64_t fill_junction(rn_plain *plain, const rn_plain_block *b, rn_state *s, const rn_junction *junction) {
    float *const depth = &s->columns.depth[junction->slot];
    const float change = rn_irregular_change(s, junction);
    rn_plain_tile *t = &plain->tiles[junction->tile];
    rn_plain_rest *at = &t->at[(b->count + 1) & 1];
    if (change != 0.0f) {
        *depth += change;
        at->rest = 0;
        at->looked = false;
        if (t->any) machine_max((int *)&at->deepest, rn_float_bits(*depth));
    }
    if (!junction->sink) return 0;
    const int64_t left = (int64_t)(*depth / (double)s->columns.quantum);
    *depth = 0.0f;
    return left;
}

void rn_links_fill(rn_plain *plain, const rn_plain_block *b, const substep *step) {
    rn_state *s = step->s;
    int64_t left = 0;
    for (int32_t i = first_item(); i < s->graph.junction_count; i += item_step())
        left += fill_junction(plain, b, s, &s->graph.junctions[i]);
    if (left) machine_add_64(&plain->left, left);
}

/* ---- Full passages ----------------------------------------------------------------------------------------------- */

void rn_links_watch(rn_plain *plain, const substep *step, const rn_patch *patch, float headroom, float deepest) {
    const rn_state *s = step->s;
    if (!plain->watches || deepest < headroom - RN_STILL_FULL * s->columns.quantum) return;
    bool full = false;
    for (int i = own_thread(); i < patch->columns * patch->rows; i += thread_count())
        full |= rn_flood_is_full(s, patch->first + i / patch->columns * s->columns.grid.stride + i % patch->columns);
    if (full) machine_or(&plain->full, 1);
}

void rn_links_press(rn_plain *plain, const substep *step, const rn_patch *patch) {
    const rn_state *s = step->s;
    bool cut = false;
    for (int i = own_thread(); plain->watches && i < patch->columns * patch->rows; i += thread_count()) {
        const int32_t c = patch->first + i / patch->columns * s->columns.grid.stride + i % patch->columns;
        cut |= s->graph.share[c] < 1.0f && rn_column_is_roofed(&s->columns, c);
    }
    if (cut) machine_or(&plain->full, 1);
}
