/* The step that carries momentum, at connections: faces between layers, into holes, over open edges, and all other
   faces of columns that have such faces. kernels/face.h has the equations; this file gathers their inputs.
   It is one long file on purpose: instruction sets and GPUs compile the passes as one, and these hand on rows of
   values.

   Interface: the table rn_connection_sweeps. solver/connections.c calls its six passes in this order:
   - look (find_side_steps): steps of bed and surface on the sides of junctions, and shares of faces of split sides;
   - forces (find_forces): gathers a batch of connections, and finds pressure, gravity and drag (rn_face_force);
   - halves (average_split_halves): half speeds of split sides, as means over their faces;
   - carries (carry_momentum): momentum that neighbouring faces carry in (rn_face_speed), which gives the next
     speeds;
   - sum (average_split_speeds): the next speeds of split sides, as means over their faces;
   - crossings (find_crossings): transfers in quanta (rn_crossing_transfer), and signals, which bound the next
     substep.

   Connections are scattered in memory: passes over batches copy them into rows, and work on RN_LANES at a time. Sums
   run side by side and in the order of connections, so that results depend neither on threads nor on mirroring. */
#include "solver/connection_sweeps.h"

#include "kernels/face.h"
#include "solver/brink.h"
#include "solver/connection_links.h"
#include "solver/drag.h"

/* The kind that covers every case: connections have no simpler loops. Contact counts only if it acts. */
RN_INLINE rn_face_kind any_kind(const rn_step_params *params) {
    return (rn_face_kind){
        .sloped = true, .restricted = true, .falls = true, .tilted = true, .contact = params->contact};
}

/* ---- Values of faces -------------------------------------------------------------------------------------------- */

/* One quantity of all faces: one array for each kind of rn_face_ref. */
typedef struct face_values {
    float *of[4];
} face_values;

/* The array that holds the value of the face or split side that `ref` refers to. */
RN_INLINE float *array_of(const face_values *values, rn_face_ref ref) {
#if defined(RN_GPU) /* addresses stay in registers */
    return ref & 2 ? ref & 1 ? values->of[3] : values->of[2] : ref & 1 ? values->of[1] : values->of[0];
#else
    return values->of[ref & 3];
#endif
}
/* The value of the face or split side that `ref` refers to. */
RN_INLINE float value_at(const face_values *values, rn_face_ref ref) { return array_of(values, ref)[ref >> 2]; }
/* Sets this value. */
RN_INLINE void set_value(const face_values *values, rn_face_ref ref, float value) {
    array_of(values, ref)[ref >> 2] = value;
}

/* The transfers (m) of all faces. */
static face_values transfers_of(const rn_state *s) {
    return (face_values){
        {s->graph.transfer_x, s->graph.transfer_y, s->graph.irregular_transfer, s->connections.split_transfer}};
}
/* The speeds (m/s) of all faces. */
static face_values speeds_of(const rn_state *s) {
    return (face_values){{s->graph.speed_x, s->graph.speed_y, s->graph.irregular_speed, s->connections.split_speed}};
}
/* The next speeds (m/s) of all faces. */
static face_values nexts_of(const rn_state *s) {
    return (face_values){{s->graph.next_x, s->graph.next_y, s->graph.irregular_next, s->connections.split_next}};
}
/* The half speeds (m/s) of all faces. */
static face_values halves_of(const rn_state *s) {
    return (face_values){{s->graph.half_x, s->graph.half_y, s->graph.irregular_half, s->connections.split_half}};
}

/* The RN_PIPE_... bits of the connection's pipe. */
RN_INLINE uint8_t connection_kind(const rn_state *s, const rn_connection *connection) {
    return (connection->irregular   ? s->graph.irregular_kind
            : connection->axis == 0 ? s->graph.pipe_x
                                    : s->graph.pipe_y)[connection->pipe];
}

/* The mean of `values` over the faces of split side `number`, weighted by their shares. */
static float split_mean(const rn_state *s, int32_t number, const face_values *values) {
    const rn_split_side *split = &s->connections.split_sides[number];
    float mean = 0.0f;
    for (int32_t n = split->begin; n < split->end; n++) {
        const int32_t link = s->connections.split_links[n];
        mean += *rn_link_share(s, link) * value_at(values, rn_connection_ref(rn_link_connection(s, link)));
    }
    return mean;
}

/* Sets the values of the split sides of a junction to the means over their faces. */
static void average_splits(const rn_state *s, const rn_junction *junction, const face_values *values) {
    for (int32_t split = junction->split_sides; split < junction->split_end; split++)
        values->of[RN_FACE_SPLIT][split] = split_mean(s, split, values);
}

/* ---- Sides of junctions ------------------------------------------------------------------------------------------ */

/* Finds the share (0 to 1) of each face of a split side: by the sizes of transfers, or by heights of cross-sections if
   nothing transfers; all 0 if these are 0 too. split->through must be known. */
static void find_shares(const rn_state *s, const rn_split_side *split, const face_values *transfers) {
    float heights = 0.0f;
    for (int32_t n = split->begin; n < split->end; n++) {
        const int32_t link = s->connections.split_links[n];
        const rn_connection *connection = rn_link_connection(s, link);
        float *share = rn_link_share(s, link);
        if (split->through > 0.0f) {
            *share = fabsf(value_at(transfers, rn_connection_ref(connection))) / split->through;
            continue;
        }
        *share = rn_state_height(s, connection->l, connection->r, connection->drop);
        heights += *share;
    }
    for (int32_t n = split->begin; n < split->end && !(split->through > 0.0f); n++) {
        float *share = rn_link_share(s, s->connections.split_links[n]);
        *share = heights > 0.0f ? *share / heights : 0.0f;
    }
}

/* Step (m) of the bed over a face, from l to r, which counts `drop` (m) lower. */
RN_INLINE float bed_step(const rn_columns *c, int32_t l, int32_t r, float drop) {
    return (c->base[r] - drop) - c->base[l];
}
/* Step (m) of the surface over a face, l to r, minus sideways gravity along `axis`. `bed` (m): the step of the bed. */
RN_INLINE float level_step(const substep *step, int axis, int32_t l, int32_t r, float bed) {
    const rn_columns *c = &step->s->columns;
    return bed + (rn_column_height(c, r) - rn_column_height(c, l)) - step->params->tilt[axis];
}

/* Sets the steps of bed and surface (m) over split side `k`: the smallest among its plain faces, or 0 where their signs
   differ or there are none. sides->plain tells whether there are any. */
static void find_split_steps(const substep *step, const rn_split_side *split, rn_sides *sides, int k) {
    const rn_state *s = step->s;
    sides->plain[k] = 0;
    sides->bed[k] = sides->level[k] = 0.0f;
    for (int32_t n = split->begin; n < split->end; n++) {
        const rn_connection *connection = rn_link_connection(s, s->connections.split_links[n]);
        if (!(connection_kind(s, connection) & RN_PIPE_PLAIN)) continue;
        const float bed = bed_step(&s->columns, connection->l, connection->r, connection->drop);
        const float level = level_step(step, k / 2, connection->l, connection->r, bed);
        const bool more = sides->plain[k];
        sides->bed[k] = more ? rn_minmod(rn_splat(sides->bed[k]), rn_splat(bed))[0] : bed;
        sides->level[k] = more ? rn_minmod(rn_splat(sides->level[k]), rn_splat(level))[0] : level;
        sides->plain[k] = -1;
    }
}

/* Finds transfer, shares and speed of split side `number`, and the steps of bed and surface on its side of `sides`. */
static void look_at_split(const substep *step, int32_t number, rn_sides *sides) {
    const rn_state *s = step->s;
    const face_values transfers = transfers_of(s), speeds = speeds_of(s);
    rn_split_side *split = &s->connections.split_sides[number];
    float move = 0.0f, through = 0.0f;
    for (int32_t n = split->begin; n < split->end; n++) {
        const float t = value_at(&transfers, rn_connection_ref(rn_link_connection(s, s->connections.split_links[n])));
        move += t, through += fabsf(t);
    }
    s->connections.split_transfer[number] = move;
    split->through = through;
    find_shares(s, split, &transfers);
    find_split_steps(step, split, sides, rn_link_side(s->connections.split_links[split->begin]));
    s->connections.split_speed[number] = split_mean(s, number, &speeds);
}

/* Steps along an axis, of RN_LANES columns or for all lanes the same, from those of sides `k` and `k` + 1. */
RN_INLINE rn_differences both_steps(rn_wide bed[4], rn_wide level[4], rn_mask plain[4], int k) {
    return (rn_differences){bed[k], bed[k + 1], level[k], level[k + 1], plain[k], plain[k + 1]};
}

/* What the slopes of columns follow from, from the steps on their four sides. */
RN_INLINE rn_slope_parts parts_of(const rn_step_params *params, rn_wide bed[4], rn_wide level[4], rn_mask plain[4]) {
    const rn_differences x = both_steps(bed, level, plain, 0), y = both_steps(bed, level, plain, 2);
    return rn_column_parts(params, &x, &y);
}

/* Finds sides->parts from the steps on the sides of a junction. */
static void find_junction_parts(const rn_step_params *params, rn_sides *sides) {
    const rn_mask none = {0};
    rn_wide bed[4], level[4];
    rn_mask plain[4];
    for (int k = 0; k < 4; k++)
        bed[k] = rn_splat(sides->bed[k]), level[k] = rn_splat(sides->level[k]), plain[k] = none + sides->plain[k];
    const rn_slope_parts p = parts_of(params, bed, level, plain);
    sides->parts[0] = p.bed_x[0], sides->parts[1] = p.bed_y[0], sides->parts[2] = p.bent[0];
    sides->parts[3] = p.level_x[0], sides->parts[4] = p.level_y[0];
}

/* First pass, over the sides of junction `index`: finds transfers, shares and speeds of split sides, steps of bed and
   surface of all sides, and sides->parts. Links the sides first if needed. */
static void find_side_steps(const substep *step, int32_t index) {
    const rn_state *s = step->s;
    const rn_junction *junction = &s->graph.junctions[index];
    rn_sides *sides = &s->connections.sides[index];
    if (!sides->linked) rn_sides_link(s, index);
    for (int32_t split = junction->split_sides; split < junction->split_end; split++) look_at_split(step, split, sides);
    const float stand = rn_column_height(&s->columns, junction->slot);
    for (int k = 0; k < 4; k++) {
        if (sides->beyond[k] < 0 || !sides->plain[k]) continue;
        const float there = rn_column_height(&s->columns, sides->beyond[k]);
        sides->level[k] = sides->bed[k] + (k % 2 ? there - stand : stand - there) - step->params->tilt[k / 2];
    }
    find_junction_parts(step->params, sides);
}

/* Speed times depth (m^2/s, towards +x or +y) through side k, with the depth upwind. `h` (m) is the column's own depth,
   which also counts for a split side or a wall (`beyond` -1). */
RN_INLINE float carried_over(const rn_columns *c, int32_t beyond, int k, float speed, float h) {
    if ((k % 2 != 0) == (speed > 0.0f) || beyond < 0) return speed * h;
    return speed * c->depth[beyond];
}

/* Sets *spread, the divergence of speed along `axis` (m/s), and *left, the net outflow across it (m^2/s), of a column
   of depth h (m). `beyond` and `next`: slots and next speeds (m/s) on its four sides. */
RN_INLINE void find_spread(const rn_columns *c, const int32_t beyond[4], const float next[4], float h, int axis,
                           float *spread, float *left) {
    const int k = 2 * (1 - axis);
    *spread = next[2 * axis + 1] - next[2 * axis];
    *left = carried_over(c, beyond[k + 1], k + 1, next[k + 1], h) - carried_over(c, beyond[k], k, next[k], h);
}

/* Fourth pass, over junction `index`: finds the next speeds of its split sides, and `spread` and `left` of rn_sides. */
static void average_split_speeds(const substep *step, int32_t index) {
    const rn_state *s = step->s;
    const rn_junction *junction = &s->graph.junctions[index];
    const face_values nexts = nexts_of(s);
    rn_sides *sides = &s->connections.sides[index];
    float next[4];
    average_splits(s, junction, &nexts);
    for (int k = 0; k < 4; k++) next[k] = value_at(&nexts, sides->faces[k]);
    for (int axis = 0; axis < 2; axis++)
        find_spread(&s->columns, sides->beyond, next, s->columns.depth[junction->slot], axis, &sides->spread[axis],
                    &sides->left[axis]);
}

/* ---- Batches ----------------------------------------------------------------------------------------------------- */

/* A batch of connections. Its rows have whole vectors: lanes past the last connection repeat it. */
typedef struct batch {
    rn_connection_batch *rows;
    const int32_t *connections;
    int count, padded;
} batch;

/* Batch `number` of the list of wet connections. */
RN_INLINE batch batch_at(const rn_state *s, int32_t number) {
    const int32_t first = number * RN_BATCH, left = s->connections.wet_count - first;
    batch b = {&s->connections.batches[number], s->connections.wet + first, left < RN_BATCH ? left : RN_BATCH, 0};
    b.padded = (b.count + RN_LANES - 1) / RN_LANES * RN_LANES;
    return b;
}

/* The numbers of connections and of entries of a batch. On a GPU both are 1 when it is compiled, so loops vanish. */
RN_INLINE int batch_count(const batch *b) { return RN_BATCH == 1 ? 1 : b->count; }
RN_INLINE int batch_padded(const batch *b) { return RN_BATCH == 1 ? 1 : b->padded; }

/* The i-th connection of the batch. */
RN_INLINE rn_connection *connection_in(const rn_state *s, const batch *b, int i) {
    return &s->connections.faces[b->connections[i]];
}

/* Whether, in an implicit substep, liquid stands above a fall's brink on both sides: the fall is then an ordinary face.
   Returns false in an explicit substep. */
RN_INLINE bool is_drowned(const substep *step, const rn_connection_batch *rows, int i) {
    const float sill = fmaxf(rows->zl[i], rows->zr[i]);
    return step->params->implicit && fminf(rows->zl[i] + rows->hl[i], rows->zr[i] + rows->hr[i]) > sill;
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

enum { L_END, R_END, ENDS, PARTS = 5 }; /* of a connection; fields of rn_slope_parts */

/* Steps of bed and surface on the sides of those ends of a batch that are not junctions, and where their parts go. */
typedef struct step_rows {
    float bed[4][ENDS * RN_BATCH], level[4][ENDS * RN_BATCH];
    int32_t plain[4][ENDS * RN_BATCH];
    int32_t place[ENDS * RN_BATCH]; /* end * RN_BATCH + entry; -1: unused */
    int count;
} step_rows;

typedef struct force_rows {
    float room_l[RN_BATCH], room_r[RN_BATCH], h_behind[RN_BATCH], h_ahead[RN_BATCH], tilt[RN_BATCH];
    float kappa[RN_BATCH], manning[RN_BATCH], chezy[RN_BATCH];
    float hold[RN_BATCH];
    float advancing[RN_BATCH], receding[RN_BATCH]; /* only where columns have contact angles of their own */
    int32_t open[RN_BATCH], fall[RN_BATCH], duct[RN_BATCH], along_y[RN_BATCH];
    float parts[PARTS][ENDS * RN_BATCH]; /* fields of rn_slope_parts of both ends */
    step_rows steps;
} force_rows;

/* Writes the parts of the slopes of column `c` to entry `place`, if it is a junction (`junction`, its index, >= 0);
   otherwise lists its steps, for find_parts. */
RN_INLINE void gather_parts(const substep *step, int32_t c, int32_t junction, int place, force_rows *to) {
    const rn_state *s = step->s;
    if (junction >= 0) {
        const float *parts = s->connections.sides[junction].parts;
        for (int k = 0; k < PARTS; k++) to->parts[k][place] = parts[k];
        return;
    }
    step_rows *steps = &to->steps;
    const int32_t up = s->columns.grid.stride, i = RN_BATCH == 1 ? place : steps->count++;
    const int32_t from[4] = {c - 1, c, c - up, c}, next[4] = {c, c + 1, c, c + up};
    for (int k = 0; k < 4; k++) {
        const bool plain = (k < 2 ? s->graph.pipe_x : s->graph.pipe_y)[from[k]] & RN_PIPE_PLAIN;
        const float bed = bed_step(&s->columns, from[k], next[k], 0.0f);
        steps->bed[k][i] = bed, steps->level[k][i] = level_step(step, k / 2, from[k], next[k], bed);
        steps->plain[k][i] = plain ? -1 : 0;
    }
    steps->place[i] = place;
}

/* Writes the parts of the slopes of all listed columns. */
RN_INLINE void find_parts(const rn_step_params *params, force_rows *rows) {
    const step_rows *steps = &rows->steps;
    for (int i = 0; i < (RN_BATCH == 1 ? ENDS : steps->count); i += RN_LANES) {
        if (RN_BATCH == 1 && steps->place[i] < 0) continue;
        rn_wide bed[4], level[4];
        rn_mask plain[4];
        for (int k = 0; k < 4; k++)
            bed[k] = rn_load(&steps->bed[k][i]), level[k] = rn_load(&steps->level[k][i]),
            plain[k] = load_mask(&steps->plain[k][i]);
        const rn_slope_parts p = parts_of(params, bed, level, plain);
        for (int lane = 0; lane < RN_LANES && (RN_BATCH == 1 || i + lane < steps->count); lane++) {
            const int place = RN_BATCH == 1 ? i : steps->place[i + lane];
            rows->parts[0][place] = p.bed_x[lane], rows->parts[1][place] = p.bed_y[lane];
            rows->parts[2][place] = p.bent[lane];
            rows->parts[3][place] = p.level_x[lane], rows->parts[4][place] = p.level_y[lane];
        }
    }
}

/* Writes entry `i`: beds, heights and gap (m) of the connection; speeds (m/s) of it and the sides before and after. */
RN_INLINE void gather_connection(const rn_state *s, const rn_connection *connection, const face_values *speeds,
                                 rn_connection_batch *to, int i) {
    const rn_columns *c = &s->columns;
    const int32_t l = connection->l, r = connection->r;
    /* all loads before all stores: a GPU then waits for memory once */
    const float zl = c->base[l], zr = c->base[r] - connection->drop;
    const float hl = rn_column_height(c, l), hr = rn_column_height(c, r);
    const float lower = fminf(c->ceil[l], c->ceil[r] - connection->drop), u = value_at(speeds, connection->own);
    const float behind = value_at(speeds, connection->back), ahead = value_at(speeds, connection->ahead);
    to->zl[i] = zl, to->zr[i] = zr, to->hl[i] = hl, to->hr[i] = hr;
    to->gap[i] = lower - fmaxf(zl, zr);
    to->u[i] = u, to->behind[i] = behind, to->ahead[i] = ahead;
}

/* Writes entry `i`: step of contact heads and hold (m), 0 but at ordinary plain faces of columns with limited room; and
   the contact angles of the upper column, if columns have their own. */
RN_INLINE void gather_contact(const rn_state *s, const rn_connection *connection, rn_connection_batch *rows,
                              force_rows *to, int i) {
    const bool plain = !connection->irregular && connection_kind(s, connection) == RN_PIPE_PLAIN &&
                       !connection->takes_l && !connection->takes_r;
    rows->contact[i] = plain ? s->graph.contact[connection->r] - s->graph.contact[connection->l] : 0.0f;
    if (s->columns.advancing) {
        const int32_t upper = rows->zl[i] > rows->zr[i] ? connection->l : connection->r;
        to->advancing[i] = s->columns.advancing[upper], to->receding[i] = s->columns.receding[upper];
    }
    to->hold[i] =
        plain ? rn_face_hold(rn_splat(s->graph.hold[connection->l]), rn_splat(s->graph.hold[connection->r]))[0] : 0.0f;
}

/* Writes entry `i` of what forces need besides `rows`: room (m; INFINITY if a column accepts any inflow), depths
   around, kind of pipe, friction, and steps. */
RN_INLINE void gather_force(const substep *step, const rn_connection *connection, const rn_connection_batch *rows,
                            force_rows *to, int i) {
    const rn_state *s = step->s;
    const rn_columns *c = &s->columns;
    const uint8_t kind = connection_kind(s, connection);
    to->room_l[i] = connection->takes_l ? INFINITY : rn_column_room(c, connection->l);
    to->room_r[i] = connection->takes_r ? INFINITY : rn_column_room(c, connection->r);
    to->h_behind[i] = connection->behind_slot < 0 ? 0.0f : c->depth[connection->behind_slot];
    to->h_ahead[i] = connection->past_slot < 0 ? 0.0f : c->depth[connection->past_slot];
    to->tilt[i] = step->params->tilt[connection->axis];
    to->along_y[i] = connection->axis == 0 ? 0 : -1;
    to->open[i] = kind & RN_PIPE_DUCT ? 0 : -1;
    to->fall[i] = kind & RN_PIPE_FALL && !is_drowned(step, rows, i) ? -1 : 0;
    to->duct[i] = kind & RN_PIPE_DUCT ? -1 : 0;
    if (c->kappa) to->kappa[i] = 0.5f * (c->kappa[connection->l] + c->kappa[connection->r]);
    if (c->manning) to->manning[i] = 0.5f * (c->manning[connection->l] + c->manning[connection->r]);
    if (c->chezy) to->chezy[i] = 0.5f * (c->chezy[connection->l] + c->chezy[connection->r]);
    gather_parts(step, connection->l, connection->sides_l, L_END * RN_BATCH + i, to);
    gather_parts(step, connection->r, connection->sides_r, R_END * RN_BATCH + i, to);
}

/* Slopes of the columns from entry `place` of the parts on; `deepest` (m): the height of the deeper end. */
RN_INLINE rn_slopes load_slopes(const rn_step_params *params, rn_wide deepest, const force_rows *rows, int place) {
    const float(*const parts)[ENDS * RN_BATCH] = rows->parts;
    const rn_slope_parts p = {rn_load(&parts[0][place]), rn_load(&parts[1][place]), rn_load(&parts[2][place]),
                              rn_load(&parts[3][place]), rn_load(&parts[4][place])};
    return rn_slopes_at(params, deepest, &p);
}

/* The values of gather_connection for RN_LANES connections from entry `i` on. */
RN_INLINE rn_face load_face(const rn_connection_batch *rows, int i) {
    rn_face f = {.zl = rn_load(rows->zl + i), .hl = rn_load(rows->hl + i)};
    f.zr = rn_load(rows->zr + i), f.hr = rn_load(rows->hr + i), f.gap = rn_load(rows->gap + i);
    f.u = rn_load(rows->u + i), f.behind = rn_load(rows->behind + i), f.ahead = rn_load(rows->ahead + i);
    return f;
}

/* Forces on RN_LANES connections from entry `i` on, written to `kept`; returns the speed per metre of level difference
   (1/s), or 0 in an explicit substep. */
RN_INLINE rn_wide force_lanes(const substep *step, const force_rows *rows, rn_connection_batch *kept, int i) {
    const rn_columns *c = &step->s->columns;
    rn_face f = load_face(kept, i);
    const rn_wide deepest = rn_greater(f.hl, f.hr);
    const rn_slopes l = load_slopes(step->params, deepest, rows, L_END * RN_BATCH + i),
                    r = load_slopes(step->params, deepest, rows, R_END * RN_BATCH + i);
    const rn_mask along_y = load_mask(rows->along_y + i);
    f.room_l = rn_load(rows->room_l + i), f.room_r = rn_load(rows->room_r + i);
    f.h_behind = rn_load(rows->h_behind + i), f.h_ahead = rn_load(rows->h_ahead + i);
    f.open = load_mask(rows->open + i), f.fall = load_mask(rows->fall + i), f.duct = load_mask(rows->duct + i);
    f.el = l.e, f.er = r.e;
    f.bed_l = rn_select(along_y, l.bed_y, l.bed_x), f.bed_r = rn_select(along_y, r.bed_y, r.bed_x);
    f.part_l = rn_select(along_y, l.part_x, l.part_y), f.part_r = rn_select(along_y, r.part_x, r.part_y);
    const rn_drag drag = rn_drag_even(step->params);
    f.kappa = c->kappa ? rn_load(rows->kappa + i) : drag.kappa;
    f.manning = c->manning ? rn_load(rows->manning + i) : drag.manning;
    f.chezy = c->chezy ? rn_load(rows->chezy + i) : drag.chezy;
    if (step->params->contact) {
        f.contact = rn_load(kept->contact + i), f.hold = rn_load(rows->hold + i);
        if (c->advancing) rn_brink_set(rn_load(rows->advancing + i), rn_load(rows->receding + i), &f);
        else rn_brink_even(step->params, &f);
    }
    const rn_force out = rn_face_force(step->params, &f, rn_load(rows->tilt + i), any_kind(step->params));
    if (step->params->contact) rn_store(kept->held + i, out.held);
    rn_store(kept->half + i, out.half), rn_store(kept->along + i, out.along), rn_store(kept->pushed + i, out.pushed);
    rn_store(kept->kept + i, out.kept), rn_store(kept->lo + i, out.lo), rn_store(kept->hi + i, out.hi);
    return step->params->implicit ? out.gain : (rn_wide){0};
}

/* Stores the gain (1/s), also in the arrays of ordinary pipes if the connection is one. */
static void give_gain(const rn_state *s, rn_connection *connection, float gain) {
    connection->gain = gain;
    if (!connection->irregular) (connection->axis == 0 ? s->graph.gain_x : s->graph.gain_y)[connection->pipe] = gain;
}

/* Second pass, over batch `number`: gathers its connections, links them if needed, and writes half speeds (m/s), and in
   an implicit substep gains. The rest stays in the batch for the third pass. */
static void find_forces(const substep *step, int32_t number) {
    const rn_state *s = step->s;
    const batch b = batch_at(s, number);
    const face_values speeds = speeds_of(s), halves = halves_of(s);
    force_rows rows;
    float gain[RN_BATCH];
    rows.steps.count = 0;
    for (int end = 0; end < ENDS && RN_BATCH == 1; end++) rows.steps.place[end] = -1;
    for (int i = 0; i < batch_padded(&b); i++) {
        rn_connection *connection = connection_in(s, &b, i);
        if (!connection->linked) rn_connection_link(s, connection);
        gather_connection(s, connection, &speeds, b.rows, i);
        gather_force(step, connection, b.rows, &rows, i);
        if (step->params->contact) gather_contact(s, connection, b.rows, &rows, i);
    }
    find_parts(step->params, &rows);
    for (int i = 0; i < batch_padded(&b); i += RN_LANES) rn_store(gain + i, force_lanes(step, &rows, b.rows, i));
    for (int i = 0; i < batch_count(&b); i++) set_value(&halves, connection_in(s, &b, i)->own, b.rows->half[i]);
    for (int i = 0; i < batch_count(&b) && step->params->implicit; i++) give_gain(s, connection_in(s, &b, i), gain[i]);
}

/* ---- Transport --------------------------------------------------------------------------------------------------- */

/* After the second pass, over junction `index`: finds the half speeds of its split sides. */
static void average_split_halves(const substep *step, int32_t index) {
    const face_values halves = halves_of(step->s);
    average_splits(step->s, &step->s->graph.junctions[index], &halves);
}

/* The effect of liquid that crosses into or out of one half of a connection on its speed. */
typedef struct crossflow_rows {
    float gain[RN_BATCH], came[RN_BATCH], gone[RN_BATCH];
} crossflow_rows;

typedef struct carry_rows {
    float move[RN_BATCH], share_l[RN_BATCH], share_r[RN_BATCH], dl[RN_BATCH], dr[RN_BATCH];
    float move_back[RN_BATCH], move_ahead[RN_BATCH];
    float west[RN_BATCH], east[RN_BATCH], before[RN_BATCH], beyond[RN_BATCH];
    float across[4][RN_BATCH], like[4][RN_BATCH]; /* transfers through sides across the connection, and speeds beyond */
    crossflow_rows split[4];                      /* through split sides */
    bool any_split;
} carry_rows;

/* Writes entry `i`: inflow and outflow through the faces of the split side number `side` across the connection, first
   order, as in cross_lanes. `u` is the connection's speed along the slope, `half` its half speed (m/s). */
RN_INLINE void cross_split(const rn_state *s, const face_values *transfers, const face_values *halves,
                           const rn_connection *connection, int side, float u, float half, int i, crossflow_rows *to) {
    const rn_split_side *split = &s->connections.split_sides[connection->across[side] >> 2];
    const bool of_l = side < 2, outer = side % 2;
    const int32_t c = of_l ? connection->l : connection->r;
    const int like = 2 * connection->axis + of_l;
    const float weight = 0.5f * (of_l ? connection->share_l : connection->share_r);
    float gain = 0.0f, came = 0.0f, gone = 0.0f;
    for (int32_t n = split->begin; n < split->end && split->through > 0.0f; n++) {
        const rn_connection *other = rn_link_connection(s, s->connections.split_links[n]);
        const float Q = weight * value_at(transfers, rn_connection_ref(other)), out = outer ? Q : -Q;
        if (out < 0.0f) {
            const rn_face_ref beyond = rn_side_ref(s, rn_connection_other(other, c), like);
            gain += out * (value_at(halves, beyond) - u);
            came -= out;
        } else {
            gain += out * (half - u);
            gone += out;
        }
    }
    to->gain[i] = gain, to->came[i] = came, to->gone[i] = gone;
}

/* Writes entry `i` for split sides across the connection, and sets their plain transfers to 0, so that none counts
   twice. Clears to->split first if this is the batch's first. */
RN_INLINE void gather_split(const rn_state *s, const face_values *transfers, const face_values *halves,
                            const rn_connection *connection, const batch *b, int i, carry_rows *to) {
    if (!to->any_split) memset(to->split, 0, sizeof to->split);
    to->any_split = true;
    for (int side = 0; side < 4; side++) {
        if (!(connection->split >> side & 1)) continue;
        cross_split(s, transfers, halves, connection, side, b->rows->along[i], b->rows->half[i], i, &to->split[side]);
        to->across[side][i] = 0.0f;
    }
}

/* Writes entry `i`: transfers, depths (m), shares, and half speeds (m/s) of sides along and across the connection. */
RN_INLINE void gather_carry(const rn_state *s, const rn_connection *connection, const face_values *transfers,
                            const face_values *halves, carry_rows *to, int i) {
    to->move[i] = value_at(transfers, connection->own);
    to->share_l[i] = connection->share_l, to->share_r[i] = connection->share_r;
    to->dl[i] = s->columns.depth[connection->l], to->dr[i] = s->columns.depth[connection->r];
    to->move_back[i] = value_at(transfers, connection->back),
    to->move_ahead[i] = value_at(transfers, connection->ahead);
    to->west[i] = value_at(halves, connection->back), to->east[i] = value_at(halves, connection->ahead);
    to->before[i] = value_at(halves, connection->before), to->beyond[i] = value_at(halves, connection->beyond);
    for (int side = 0; side < 4; side++) {
        to->across[side][i] = value_at(transfers, connection->across[side]);
        to->like[side][i] = value_at(halves, connection->like[side]);
    }
}

/* Inflow and outflow through side `side` of four across RN_LANES connections from entry `i` on, first order: the speed
   is that of the side like the connection. `weight`: half of the share of that end; `u`, `half`: its speeds. */
RN_INLINE rn_momentum_flux cross_lanes(const carry_rows *rows, int side, rn_wide weight, rn_wide u, rn_wide half,
                                       int i) {
    const rn_wide Q = weight * rn_load(&rows->across[side][i]), out = side % 2 ? Q : -Q;
    const rn_mask comes = out < 0.0f;
    rn_momentum_flux t = {out * (rn_select(comes, rn_load(&rows->like[side][i]), half) - u), rn_keep(comes, -out),
                          rn_keep(~comes, out)};
    if (!rows->any_split) return t;
    t.gain += rn_load(rows->split[side].gain + i);
    t.came += rn_load(rows->split[side].came + i), t.gone += rn_load(rows->split[side].gone + i);
    return t;
}

/* The sum of two fluxes. Sums run side by side, so that mirror images have the same bits. */
RN_INLINE rn_momentum_flux flux_sum(rn_momentum_flux a, rn_momentum_flux b) {
    return (rn_momentum_flux){a.gain + b.gain, a.came + b.came, a.gone + b.gone};
}

/* Next speeds (m/s) of RN_LANES connections from entry `i` on, after forces and transport. */
RN_INLINE rn_wide carry_lanes(const rn_step_params *params, const carry_rows *rows, const rn_connection_batch *kept,
                              int i) {
    const rn_face f = load_face(kept, i);
    const rn_force force = {.kept = rn_load(kept->kept + i),
                            .lo = rn_load(kept->lo + i),
                            .hi = rn_load(kept->hi + i),
                            .along = rn_load(kept->along + i),
                            .pushed = rn_load(kept->pushed + i),
                            .held = params->contact ? rn_load(kept->held + i) : (rn_wide){0}};
    const rn_wide T = rn_load(rows->move + i), wl = rn_load(rows->share_l + i), wr = rn_load(rows->share_r + i);
    const rn_wide own = rn_load(kept->half + i), west = rn_load(rows->west + i), east = rn_load(rows->east + i);
    const rn_wide dl = rn_load(rows->dl + i), dr = rn_load(rows->dr + i), mean = 0.5f * (dl + dr);
    rn_transport t = {.west = 0.5f * (wl * rn_load(rows->move_back + i) + T),
                      .east = 0.5f * (T + wr * rn_load(rows->move_ahead + i))};
    t.u_west = rn_carried(rn_load(rows->before + i), west, own, east, t.west,
                          params->half_last_per_cell * rn_size(f.behind + f.u));
    t.u_east = rn_carried(west, own, east, rn_load(rows->beyond + i), t.east,
                          params->half_last_per_cell * rn_size(f.u + f.ahead));
    const rn_wide half_l = 0.5f * wl, half_r = 0.5f * wr;
    const rn_momentum_flux across = flux_sum(
        flux_sum(cross_lanes(rows, 0, half_l, force.along, own, i), cross_lanes(rows, 1, half_l, force.along, own, i)),
        flux_sum(cross_lanes(rows, 2, half_r, force.along, own, i), cross_lanes(rows, 3, half_r, force.along, own, i)));
    const rn_momentum_flux all = flux_sum(rn_transported(&t, force.along), across);
    return rn_face_speed(params, &all, &force, rn_face_mass(params, &f, &t, mean, wl * dl, wr * dr, any_kind(params)),
                         mean, any_kind(params));
}

/* Third pass, over batch `number`, after half speeds of all faces: writes the next speeds (m/s). */
static void carry_momentum(const substep *step, int32_t number) {
    const rn_state *s = step->s;
    const batch b = batch_at(s, number);
    const face_values transfers = transfers_of(s), halves = halves_of(s), nexts = nexts_of(s);
    carry_rows rows;
    float next[RN_BATCH];
    rows.any_split = false;
    for (int i = 0; i < batch_padded(&b); i++) {
        const rn_connection *connection = connection_in(s, &b, i);
        gather_carry(s, connection, &transfers, &halves, &rows, i);
        if (connection->split) gather_split(s, &transfers, &halves, connection, &b, i, &rows);
    }
    for (int i = 0; i < batch_padded(&b); i += RN_LANES)
        rn_store(next + i, carry_lanes(step->params, &rows, b.rows, i));
    for (int i = 0; i < batch_count(&b); i++) set_value(&nexts, connection_in(s, &b, i)->own, next[i]);
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

typedef struct crossing_rows {
    float u[RN_BATCH], step_behind[RN_BATCH], step_ahead[RN_BATCH], dl[RN_BATCH], dr[RN_BATCH];
    float spread_l[RN_BATCH], left_l[RN_BATCH], spread_r[RN_BATCH], left_r[RN_BATCH];
    float rise[RN_BATCH], tilt[RN_BATCH], open_share[RN_BATCH], share[RN_BATCH]; /* share: open share of the face */
    int32_t plain_behind[RN_BATCH], plain_ahead[RN_BATCH], open[RN_BATCH], fall[RN_BATCH];
    int32_t several_l[RN_BATCH], several_r[RN_BATCH];
} crossing_rows;

/* The step (m) of the surface, without sideways gravity, over side k of column `c`, junction number `junction` (-1:
   none). Masks: *plain, the face is plain; *several, there are several faces, where the depth is first order. */
RN_INLINE float step_beyond(const substep *step, int32_t c, int32_t junction, int k, int32_t *plain, int32_t *several) {
    const rn_state *s = step->s;
    if (junction >= 0) {
        const rn_sides *sides = &s->connections.sides[junction];
        *several = sides->count[k] > 1 ? -1 : 0;
        *plain = sides->plain[k];
        return sides->level[k] + step->params->tilt[k / 2];
    }
    const int32_t d = k < 2 ? 1 : s->columns.grid.stride, l = k % 2 ? c : c - d;
    *several = 0;
    *plain = (k < 2 ? s->graph.pipe_x : s->graph.pipe_y)[l] & RN_PIPE_PLAIN ? -1 : 0;
    return rn_column_level(&s->columns, l + d) - rn_column_level(&s->columns, l);
}

/* Sets `spread` (m/s) and `left` (m^2/s) of column `c` along `axis`, as in rn_sides: as stored if it is a junction
   (`junction`, its index, >= 0), otherwise computed. */
RN_INLINE void gather_spread(const rn_state *s, int32_t c, int32_t junction, int axis, float *spread, float *left) {
    if (junction >= 0) {
        *spread = s->connections.sides[junction].spread[axis], *left = s->connections.sides[junction].left[axis];
        return;
    }
    const int32_t up = s->columns.grid.stride, beyond[4] = {c - 1, c + 1, c - up, c + up};
    const float next[4] = {s->graph.next_x[c - 1], s->graph.next_x[c], s->graph.next_y[c - up], s->graph.next_y[c]};
    find_spread(&s->columns, beyond, next, s->columns.depth[c], axis, spread, left);
}

/* The open share (0 to 1) of a column's area at the surface of its liquid; 1 without a partial solid there. */
static float open_column(const rn_columns *c, int32_t slot) {
    if (!rn_column_is_partial(c, slot)) return 1.0f;
    const rn_partial_solid part = rn_column_partial(c, slot);
    return rn_partial_slope(&part, c->base[slot], c->depth[slot]);
}

/* The rise of the surface from l to r of entry `i` (m), minus sideways gravity. */
static float step_over(const substep *step, const rn_connection *connection, const rn_connection_batch *rows, int i) {
    return (rows->zr[i] + rows->hr[i]) - (rows->zl[i] + rows->hl[i]) - step->params->tilt[connection->axis];
}

/* The speed (m/s, at most most_speed) of a face by the levels before an implicit substep; `next`: without pressure. */
static float predict_speed(const substep *step, const rn_connection *connection, const rn_connection_batch *rows, int i,
                           float next) {
    const float cap = step->params->most_speed;
    return fminf(cap, fmaxf(-cap, next - connection->gain * step_over(step, connection, rows, i)));
}

/* Lowers the gain of a drowned fall, entry `i`, if its levels drive liquid down over the brink faster than it arrives
   and than critical flow (rn_fall_head). Other connections stay. `next`: its speed without pressure (m/s). */
static void slow_drowned(const substep *step, rn_connection *connection, const rn_connection_batch *rows, int i,
                         float next) {
    if (!(connection_kind(step->s, connection) & RN_PIPE_FALL) || !is_drowned(step, rows, i)) return;
    const float step_here = step_over(step, connection, rows, i), speed = next - connection->gain * step_here;
    const bool forward = speed >= 0.0f, down = forward == (rows->zl[i] > rows->zr[i]);
    const float up = forward ? rows->hl[i] : rows->hr[i], came = fabsf(forward ? rows->behind[i] : rows->ahead[i]);
    const float most = fmaxf(came, sqrtf(step->params->gravity * up)), own = forward ? next : -next;
    if (!down || fabsf(speed) <= most || (step_here > 0.0f) == forward) return;
    give_gain(step->s, connection, fmaxf(most - own, 0.0f) / fabsf(step_here));
}

/* Writes entry `i` of the input of crossings; if implicit, lowers gains of drowned falls, unless `repeated`. */
RN_INLINE void gather_crossing(const substep *step, rn_connection *connection, const face_values *nexts,
                               const rn_connection_batch *rows, crossing_rows *to, int i, bool repeated) {
    const rn_state *s = step->s;
    const int back = 2 * connection->axis, ahead = back + 1;
    const uint8_t kind = connection_kind(s, connection);
    to->u[i] = value_at(nexts, connection->own);
    if (step->params->implicit) {
        if (!repeated) slow_drowned(step, connection, rows, i, to->u[i]);
        to->u[i] = predict_speed(step, connection, rows, i, to->u[i]);
    } else {
        gather_spread(s, connection->l, connection->sides_l, connection->axis, &to->spread_l[i], &to->left_l[i]);
        gather_spread(s, connection->r, connection->sides_r, connection->axis, &to->spread_r[i], &to->left_r[i]);
    }
    to->dl[i] = s->columns.depth[connection->l], to->dr[i] = s->columns.depth[connection->r];
    to->open[i] = kind & RN_PIPE_DUCT ? 0 : -1;
    to->fall[i] = kind & RN_PIPE_FALL && !is_drowned(step, rows, i) ? -1 : 0;
    to->step_behind[i] =
        step_beyond(step, connection->l, connection->sides_l, back, &to->plain_behind[i], &to->several_l[i]);
    to->step_ahead[i] =
        step_beyond(step, connection->r, connection->sides_r, ahead, &to->plain_ahead[i], &to->several_r[i]);
    /* a fall has no ramp, drowned or not; for other steps the rise is not known */
    to->rise[i] = kind & RN_PIPE_FALL ? 0.0f : INFINITY;
    to->tilt[i] = step->params->tilt[connection->axis];
    to->open_share[i] = to->share[i] = 1.0f;
    if (!s->columns.partial) return;
    to->open_share[i] = fminf(open_column(&s->columns, connection->l), open_column(&s->columns, connection->r));
    if (connection->irregular) to->share[i] = rn_irregular_open(s, connection->pipe);
}

/* RN_LANES connections from entry `i` on, as input of rn_crossing_depth. */
RN_INLINE rn_crossing load_crossing(const rn_step_params *params, const rn_connection_batch *kept,
                                    const crossing_rows *rows, int i) {
    rn_crossing f = {.zl = rn_load(kept->zl + i), .hl = rn_load(kept->hl + i)};
    f.zr = rn_load(kept->zr + i), f.hr = rn_load(kept->hr + i), f.gap = rn_load(kept->gap + i);
    f.u = rn_load(rows->u + i), f.open = load_mask(rows->open + i), f.fall = load_mask(rows->fall + i);
    f.step_behind = rn_load(rows->step_behind + i), f.step_ahead = rn_load(rows->step_ahead + i);
    f.plain_behind = load_mask(rows->plain_behind + i), f.plain_ahead = load_mask(rows->plain_ahead + i);
    f.rise_l = f.rise_r = rn_load(rows->rise + i);
    f.fall_l = f.fall_r = (rn_wide){0};
    if (params->implicit) return f;
    f.fall_l = rn_half_fall(params, rn_load(rows->dl + i), rn_load(rows->spread_l + i), rn_load(rows->left_l + i));
    f.fall_r = rn_half_fall(params, rn_load(rows->dr + i), rn_load(rows->spread_r + i), rn_load(rows->left_r + i));
    return f;
}

/* Raises the largest speed and signal to those of `count` lanes, at most RN_LANES; the signal sets the step size. A
   column partly filled by bodies rises 1/open_share times as fast, and its inflow is limited to the open share of the
   face. Waves there are as fast as in liquid share/open_share times as deep, and flow empties it as much sooner. */
RN_INLINE void raise_signals(const rn_step_params *params, const rn_crossing *f, rn_wide open_share, rn_wide share,
                             int count, rn_extremes *extremes) {
    const rn_wide faster = rn_greater(share / open_share, rn_splat(1.0f));
    const rn_wide h = rn_greater(f->hl, f->hr), a = rn_size(f->u), deeper = h * faster, flow = a * faster;
    const rn_wide fast = rn_column_signal(params, deeper, rn_splat(1.0f), (rn_wide){0}, flow, (rn_wide){0});
    const rn_wide signal = rn_keep(f->open & (f->u != 0.0f) & (h > params->thin_depth), fast);
    raise(&extremes->speed, rn_greatest(rn_keep(h > params->thin_depth, a)));
    if (!rn_any(signal >= rn_splat(extremes->signal_speed))) return;
    for (int lane = 0; lane < RN_LANES && lane < count; lane++)
        raise_signal(extremes, signal[lane], deeper[lane], flow[lane]);
}

/* Finds, for RN_LANES connections from entry `i` on, transfers (`moved`, m) and the speeds to keep (`kept`, m/s), and
   raises extremes. In an implicit substep it only sets `moved` to the depths that cross. */
RN_INLINE void cross_lanes_of(const substep *step, const batch *b, const crossing_rows *rows, int i,
                              rn_extremes *extremes, float *kept, float *moved) {
    const rn_step_params *params = step->params;
    const rn_crossing f = load_crossing(params, b->rows, rows, i);
    const rn_wide here = (f.zr + f.hr) - (f.zl + f.hl), up = rn_select(f.u >= 0.0f, f.hl, f.hr);
    const rn_wide open_share = rn_load(rows->open_share + i), share = rn_load(rows->share + i);
    const rn_mask several = (rn_mask)rn_select(f.u >= 0.0f, (rn_wide)load_mask(rows->several_l + i),
                                               (rn_wide)load_mask(rows->several_r + i));
    rn_wide hf = rn_crossing_depth(params, &f, here, any_kind(params)), speed, t;
    hf = rn_select(several & ~f.fall, rn_lesser(up, f.gap), hf);
    if (params->implicit) {
        rn_store(moved + i, hf * share);
        return;
    }
    rn_wide step_here = here - rn_load(rows->tilt + i);
    if (params->contact) step_here += rn_load(b->rows->contact + i);
    rn_crossing_transfer(params, &f, hf * share, open_share * step_here, any_kind(params), &speed, &t);
    rn_store(kept + i, speed), rn_store(moved + i, t);
    raise_signals(params, &f, open_share, share, batch_count(b) - i, extremes);
}

/* Stores the depth (m) that crosses, also in the arrays of ordinary pipes if the connection is one. */
static void give_width(const rn_state *s, rn_connection *connection, float width) {
    connection->width = width;
    if (!connection->irregular) (connection->axis == 0 ? s->graph.width_x : s->graph.width_y)[connection->pipe] = width;
}

/* Fifth pass, over batch `number`: transfers, kept speeds and extremes; if implicit only the depths that cross. */
static void find_crossings(const substep *step, int32_t number, rn_extremes *extremes) {
    const rn_state *s = step->s;
    const batch b = batch_at(s, number);
    const face_values nexts = nexts_of(s), speeds = speeds_of(s), transfers = transfers_of(s);
    crossing_rows rows;
    float kept[RN_BATCH], moved[RN_BATCH];
    for (int i = 0; i < batch_padded(&b); i++)
        gather_crossing(step, connection_in(s, &b, i), &nexts, b.rows, &rows, i, i >= batch_count(&b));
    for (int i = 0; i < batch_padded(&b); i += RN_LANES) cross_lanes_of(step, &b, &rows, i, extremes, kept, moved);
    for (int i = 0; i < batch_count(&b); i++) {
        rn_connection *connection = connection_in(s, &b, i);
        if (step->params->implicit) {
            give_width(s, connection, moved[i]);
            continue;
        }
        set_value(&speeds, connection->own, kept[i]);
        set_value(&transfers, connection->own, moved[i]);
    }
}

const rn_connection_sweeps RN_ISA(rn_connection_sweeps) = {find_side_steps,      average_split_speeds, find_forces,
                                                           average_split_halves, carry_momentum,       find_crossings};
