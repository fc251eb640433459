/* The loops of the momentum-carrying step over a patch of columns, compiled once for each instruction set and for
   GPUs.

   Interface: the table rn_face_sweeps (solver/face_sweeps.h). kick finds the next speeds, cross the transfers and
   the speeds that are kept, widths the depths that cross in an implicit substep.

   Order of calls: solver/momentum.c kicks all tiles that are awake, then connections, then crosses tiles; contact
   heads must be known before the kick. A kick reads the speeds and transfers of the last substep, a cross the next
   speeds.

   Algorithm: kernels/face.h has the equations, the scheme of Stelling and Duinmeijer (2003). A kick walks up the
   rows of a patch. Row by row it finds slopes of columns, then forces on the faces of that row, and two rows behind
   these the transport, which looks two faces to each side. The rows in between are kept in a ring that fits into the
   first-level cache. On a GPU the ranks of a block work on all rows of a piece of the patch at once: slopes of all
   rows, then forces, then transport. Rows and columns just outside the patch are computed again by each neighbouring
   patch.

   The loops exist for several kinds of ground (rn_face_kind), and each patch takes the simplest that suit it. Loops
   take RN_LANES columns at a time; lanes past a row's end process the padding, where no face is open. */
#include "solver/face_sweeps.h"

#include "solver/brink.h"
#include "solver/drag.h"
#include "solver/face_rows.h"

/* Forces on a row of faces; [EDGE] is the patch's first column. */
typedef struct force_row {
    float half[ROOM], along[ROOM], pushed[ROOM], kept[ROOM], lo[ROOM], hi[ROOM];
    float gain[ROOM]; /* only in an implicit substep */
    float held[ROOM]; /* only with dynamic contact */
} force_row;

typedef struct slope_row {
    float e[ROOM], bed_x[ROOM], bed_y[ROOM], part_x[ROOM], part_y[ROOM];
} slope_row;

/* Flows (m) past the centres of columns, or past their corners, and the speeds that they carry. */
typedef struct flow_row {
    float Q[ROOM], u[ROOM];
} flow_row;

typedef struct kick_work {
    force_row faces[2][RING]; /* along x and y */
    slope_row slopes[SLOPE_ROWS];
    flow_row beside[2][BESIDE_ROWS]; /* between faces of one row: along x past columns, along y past corners */
    flow_row below[2][BELOW_ROWS];   /* between faces of a row and the row before: along x past corners, along y past
                                        columns */
} kick_work;

static const rn_face_kind any_kind = {.sloped = true, .restricted = true, .falls = true, .tilted = true};
static const rn_face_kind any_contact = {
    .sloped = true, .restricted = true, .falls = true, .tilted = true, .contact = true};
static const rn_face_kind open_contact = {.sloped = true, .contact = true};

/* Whether a kind needs the general loops, not only those for level or sloped ground. */
static bool is_general(rn_face_kind kind) { return kind.restricted || kind.falls || kind.tilted; }

/* The forces of a row in the ring. Lines count from the patch's first row, and may be as low as -RING. */
static force_row *force_row_at(kick_work *work, int axis, int line) { return &work->faces[axis][(line + RING) % RING]; }
/* The slopes of a row. */
static slope_row *slope_row_at(kick_work *work, int line) {
    return &work->slopes[(line + 2 * SLOPE_ROWS) % SLOPE_ROWS];
}
/* The flows between the faces of a row, and between these and the faces of the row before. */
static flow_row *beside_at(kick_work *work, int axis, int line) { return &work->beside[axis][line % BESIDE_ROWS]; }
static flow_row *below_at(kick_work *work, int axis, int line) { return &work->below[axis][line % BELOW_ROWS]; }

/* ---- Slopes ----------------------------------------------------------------------------------------------------- */

/* Finds slopes of the columns of row `line` of a patch, counted from its first row, and of HALO columns on each side.
   Columns that are dry, like all around them, get S = 0. */
RN_INLINE void slope_lanes(const substep *step, const rn_patch *patch, const face_rows *in, int line, slope_row *to,
                           const rn_face_kind kind) {
    RN_STEP_PARAMS(params, step);
    const int32_t up = in->up, row = line * up;
    const float *const base = in->base + row, *const depth = in->depth + row;
    const uint8_t *const pipe_x = in->pipes[0] + row, *const pipe_y = in->pipes[1] + row;
    RN_FOR_LANES (n, -HALO, patch->columns + HALO + 1) {
        const int to_n = n + EDGE;
        const rn_wide h = rn_load(depth + n), z = rn_load(base + n);
        const rn_wide hw = rn_load(depth + n - 1), he = rn_load(depth + n + 1);
        const rn_wide hs = rn_load(depth + n - up), hn = rn_load(depth + n + up);
        if (!rn_any((rn_mask)h | (rn_mask)hw | (rn_mask)he | (rn_mask)hs | (rn_mask)hn)) { /* dry: not used */
            rn_store(to->e + to_n, rn_splat(1.0f));
            rn_store(to->bed_x + to_n, (rn_wide){0}), rn_store(to->bed_y + to_n, (rn_wide){0});
            rn_store(to->part_x + to_n, (rn_wide){0}), rn_store(to->part_y + to_n, (rn_wide){0});
            continue;
        }
        const rn_wide zw = rn_load(base + n - 1), ze = rn_load(base + n + 1);
        const rn_wide zs = rn_load(base + n - up), zn = rn_load(base + n + up);
        rn_differences x = rn_column_differences(z, h, zw, hw, ze, he, params->tilt[0], kind);
        rn_differences y = rn_column_differences(z, h, zs, hs, zn, hn, params->tilt[1], kind);
        if (kind.restricted || kind.falls) {
            x.back = load_plain(pipe_x + n - 1), x.ahead = load_plain(pipe_x + n);
            y.back = load_plain(pipe_y + n - up), y.ahead = load_plain(pipe_y + n);
        }
        const rn_wide deepest = rn_greater(h, rn_greater(rn_greater(hw, he), rn_greater(hs, hn)));
        const rn_slopes found = rn_column_slopes(params, deepest, &x, &y);
        rn_store(to->e + to_n, found.e);
        rn_store(to->bed_x + to_n, found.bed_x), rn_store(to->bed_y + to_n, found.bed_y);
        rn_store(to->part_x + to_n, found.part_x), rn_store(to->part_y + to_n, found.part_y);
    }
}

/* Stores e and S.Z of a row of the patch itself, without halo, in the graph, for signals and connections. */
RN_INLINE void keep_slopes(const substep *step, const rn_patch *patch, int line, const slope_row *from) {
    const rn_state *s = step->s;
    const int32_t row = patch->first + line * s->columns.grid.stride;
    rn_lanes_copy(s->graph.wedge + row, from->e + EDGE, patch->columns);
    RN_FOR_LANES (n, 0, patch->columns)
        rn_store(s->graph.wedge_part + row + n, rn_load(from->part_x + EDGE + n) + rn_load(from->part_y + EDGE + n));
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* A row of faces along one axis. */
typedef struct face_row {
    int32_t slot,
        apart;        /* of the patch's first column; from there to the slot of the column at the other end of a face */
    int32_t at, next; /* the same within the arrays of face_rows */
    int axis;
    const slope_row *here, *there; /* slopes of the columns at both ends, the latter shifted by `shift` entries */
    int shift;
} face_row;

/* Loads slopes of the columns on both sides of the faces from entry `n` on into f: e, S along the face's axis, and S.Z
   across it. */
RN_INLINE void load_slopes(const face_row *row, int n, rn_face *f) {
    const slope_row *l = row->here, *r = row->there;
    const int a = n + EDGE, b = a + row->shift;
    f->el = rn_load(l->e + a), f->er = rn_load(r->e + b);
    f->bed_l = rn_load((row->axis == 0 ? l->bed_x : l->bed_y) + a);
    f->bed_r = rn_load((row->axis == 0 ? r->bed_x : r->bed_y) + b);
    f->part_l = rn_load((row->axis == 0 ? l->part_y : l->part_x) + a);
    f->part_r = rn_load((row->axis == 0 ? r->part_y : r->part_x) + b);
}

/* Loads the gap (m) of faces from entry `n` on, the room (m; INFINITY for columns that will join a passage) of their
   columns, and their kinds of pipes into f, which has beds and depths. */
RN_INLINE void load_gates(const rn_state *s, const face_rows *in, const face_row *row, int n, rn_face *f) {
    const float *const ceil = in->ceil + row->at + n;
    const uint8_t *const pipes = in->pipes[row->axis] + row->at + n;
    const rn_wide cl = rn_load(ceil), cr = rn_load(ceil + row->next);
    f->gap = rn_lesser(cl, cr) - rn_greater(f->zl, f->zr);
    f->room_l = cl - f->zl - f->hl, f->room_r = cr - f->zr - f->hr;
    if (s->graph.headed) { /* a full column under a ceiling is about to join a passage, which keeps its speed */
        f->room_l = rn_select(cl < s->columns.lid, rn_splat(INFINITY), f->room_l);
        f->room_r = rn_select(cr < s->columns.lid, rn_splat(INFINITY), f->room_r);
    }
    f->open = load_any(pipes), f->fall = load_falls(pipes), f->duct = load_ducts(pipes);
}

/* Loads the step of contact heads and the hold (m) of faces from entry `n` on. They act only within a surface: both are
   0 over falls, and where a passage has the face or there is no pipe. */
RN_INLINE void load_contact(const rn_state *s, const face_rows *in, const face_row *row, int n, rn_face *f) {
    const float *const head = s->graph.contact + row->slot + n, *const hold = s->graph.hold + row->slot + n;
    const rn_mask plain = load_open(in->pipes[row->axis] + row->at + n);
    f->contact = rn_keep(plain, rn_load(head + row->apart) - rn_load(head));
    f->hold = rn_keep(plain, rn_face_hold(rn_load(hold), rn_load(hold + row->apart)));
}

/* Whether all RN_LANES faces from entry `n` on are open by their levels, with no edge of a film, ceiling or lid nearby;
   most faces are. f must have beds and depths. */
RN_INLINE bool are_calm(const rn_state *s, const rn_step_params *params, const face_rows *in, const face_row *row,
                        int n, const rn_face *f, const rn_face_kind kind) {
    const rn_wide level = rn_greater(f->zl + f->hl, f->zr + f->hr), above = level - rn_greater(f->zl, f->zr);
    rn_mask calm = (above > RN_DRY * params->quantum) & (4.0f * f->hr >= f->hl) & (4.0f * f->hl >= f->hr);
    if (kind.restricted) {
        const float *const ceil = in->ceil + row->at + n;
        const rn_wide lowest = rn_lesser(rn_load(ceil), rn_load(ceil + row->next));
        calm &= load_open(in->pipes[row->axis] + row->at + n) & (lowest >= s->columns.lid) &
                (level + 2.0f * RN_FULL * params->quantum < lowest);
    }
    return rn_all(calm);
}

/* Finds the forces on a row of faces and HALO faces on each side; 0 where both columns are dry. `own`: the row is part
   of the patch; for rows around it only half speeds are stored. */
RN_INLINE void force_lanes(const substep *step, const rn_patch *patch, const face_rows *in, const face_row *row,
                           bool own, force_row *to, const rn_face_kind kind) {
    const rn_state *s = step->s;
    RN_STEP_PARAMS(params, step);
    const float *const base = in->base + row->at, *const depth = in->depth + row->at;
    const float *const speed = in->speed[row->axis] + row->at;
    const int32_t next = row->next;
    const rn_wide zero = {0};
    /* as far as transport reads, in whole vectors from the first column */
    const int whole = (patch->columns + RN_LANES - 1) / RN_LANES * RN_LANES;
    const int end = whole > patch->columns + HALO ? whole : patch->columns + HALO;
    RN_FOR_LANES (n, -HALO, end) {
        const int to_n = n + EDGE;
        rn_face f = {.hl = rn_load(depth + n), .hr = rn_load(depth + n + next)};
        if (!rn_any((rn_mask)f.hl | (rn_mask)f.hr)) {
            rn_store(to->half + to_n, zero);
            if (!own) continue;
            rn_store(to->pushed + to_n, zero), rn_store(to->kept + to_n, zero);
            rn_store(to->lo + to_n, zero), rn_store(to->hi + to_n, zero), rn_store(to->along + to_n, zero);
            if (kind.contact) rn_store(to->held + to_n, zero);
            if (params->implicit) rn_store(to->gain + to_n, zero);
            continue;
        }
        f.zl = rn_load(base + n), f.zr = rn_load(base + n + next), f.u = rn_load(speed + n);
        if (kind.sloped) load_slopes(row, n, &f);
        const rn_drag drag = rn_drag_between(&s->columns, params, row->slot + n, row->slot + n + row->apart);
        f.kappa = drag.kappa, f.manning = drag.manning, f.chezy = drag.chezy;
        if (kind.contact) load_contact(s, in, row, n, &f);
        rn_force out;
        if (are_calm(s, params, in, row, n, &f, kind)) {
            const rn_face_kind calm = {
                .sloped = kind.sloped, .tilted = kind.tilted, .contact = kind.contact, .calm = true};
            out = rn_face_force(params, &f, rn_splat(params->tilt[row->axis]), calm);
        } else {
            f.behind = rn_load(speed + n - next), f.ahead = rn_load(speed + n + next);
            f.h_behind = rn_load(depth + n - next), f.h_ahead = rn_load(depth + n + 2 * next);
            if (kind.restricted) load_gates(s, in, row, n, &f);
            if (kind.contact && kind.falls)
                rn_brink_between(&s->columns, params, row->slot + n, row->slot + n + row->apart, &f);
            out = rn_face_force(params, &f, rn_splat(params->tilt[row->axis]), kind);
        }
        rn_store(to->half + to_n, out.half);
        if (!own) continue;
        rn_store(to->pushed + to_n, out.pushed), rn_store(to->kept + to_n, out.kept);
        rn_store(to->lo + to_n, out.lo), rn_store(to->hi + to_n, out.hi), rn_store(to->along + to_n, out.along);
        if (params->implicit) rn_store(to->gain + to_n, out.gain);
        if (kind.contact) rn_store(to->held + to_n, out.held);
    }
}

/* ---- Transport --------------------------------------------------------------------------------------------------- */

/* The flow between two rows, or two columns, of faces, and the half speeds that it carries. */
typedef struct flow_line {
    const float *move, *speed; /* of the flow, at its two faces: [a] and [b] from the first entry on */
    int32_t a, b;
    const float
        *half[4]; /* half speeds of the face before, of the two faces between which it flows, and of the face after */
    const float *depth; /* NULL: flow along the faces' axis; otherwise [c] and [d] are the columns of the first face,
                           [0] and [e] */
    int32_t c, d, e;    /* those of the second */
} flow_line;

/* Writes the first `columns` flows (m, mean of two transfers) of a line, and the speeds (m/s) that they carry; 0 where
   nothing flows. */
RN_INLINE void flow_lanes(const rn_step_params *params, const flow_line *line, int columns, flow_row *to) {
    const float *const move = line->move, *const speed = line->speed, *const depth = line->depth;
    const int32_t a = line->a, b = line->b;
    RN_FOR_LANES (n, 0, columns) {
        const rn_wide Q = 0.5f * (rn_load(move + n + a) + rn_load(move + n + b));
        rn_wide u = {0};
        if (rn_any(Q != 0.0f)) {
            const rn_wide before = rn_load(line->half[0] + n), first = rn_load(line->half[1] + n);
            const rn_wide second = rn_load(line->half[2] + n), beyond = rn_load(line->half[3] + n);
            const rn_wide c = params->half_last_per_cell * rn_size(rn_load(speed + n + a) + rn_load(speed + n + b));
            if (depth)
                u = rn_carried_across(params, before, first, second, beyond, Q, c,
                                      rn_load(depth + n + line->c) + rn_load(depth + n + line->d),
                                      rn_load(depth + n) + rn_load(depth + n + line->e));
            else u = rn_carried(before, first, second, beyond, Q, c);
        }
        rn_store(to->Q + n, Q), rn_store(to->u + n, u);
    }
}

/* The flow along x between neighbouring faces of row `line`, for work->beside: past the columns for faces along x, past
   the corners between them for faces along y. */
RN_INLINE flow_line line_beside(const face_rows *in, kick_work *work, int line, const int axis) {
    const int32_t up = in->up, row = line * up;
    const float *const half = force_row_at(work, axis, line)->half + EDGE;
    flow_line flow = {.move = in->move[0] + row,
                      .speed = in->speed[0] + row,
                      .a = -1,
                      .b = axis == 0 ? 0 : up - 1,
                      .half = {half - 2, half - 1, half, half + 1}};
    if (axis == 1) flow.depth = in->depth + row, flow.c = -1, flow.d = up - 1, flow.e = up;
    return flow;
}

/* The flow along y between the faces of row `line` and those of the row below, for work->below: past the columns for
   faces along y, past the corners below the row for faces along x. */
RN_INLINE flow_line line_below(const face_rows *in, kick_work *work, int line, const int axis) {
    const int32_t up = in->up, row = line * up;
    flow_line flow = {.move = in->move[1] + row, .speed = in->speed[1] + row, .a = -up, .b = axis == 1 ? 0 : 1 - up};
    for (int k = 0; k < 4; k++) flow.half[k] = force_row_at(work, axis, line + k - 2)->half + EDGE;
    if (axis == 0) flow.depth = in->depth + row, flow.c = -up, flow.d = 1 - up, flow.e = 1;
    return flow;
}

/* Writes the next speeds (m/s) of a row of faces along one axis, after forces and transport; 0 for closed faces. Forces
   and flows around the row must be in `work`. */
RN_INLINE void carry_lanes(const substep *step, const rn_patch *patch, const face_rows *in, kick_work *work, int line,
                           const int axis, const rn_face_kind kind) {
    const rn_state *s = step->s;
    RN_STEP_PARAMS(params, step);
    const int32_t d = axis == 0 ? 1 : in->up, row = line * in->up;
    const float *const depth = in->depth + row, *const base = in->base + row, *const ceil = in->ceil + row;
    const float *const u = in->speed[axis] + row;
    const force_row *const own = force_row_at(work, axis, line);
    const flow_row *const beside = beside_at(work, axis, line), *const below = below_at(work, axis, line),
                          *const above = below_at(work, axis, line + 1);
    float *const to = (axis == 0 ? s->graph.next_x : s->graph.next_y) + patch->first + line * s->columns.grid.stride;
    RN_FOR_LANES (n, 0, patch->columns) {
        const rn_wide lo = rn_load(own->lo + EDGE + n), hi = rn_load(own->hi + EDGE + n);
        if (!rn_any((rn_mask)lo | (rn_mask)hi)) {
            rn_store(to + n, (rn_wide){0});
            continue;
        }
        rn_face f = {.hl = rn_load(depth + n), .hr = rn_load(depth + n + d)};
        const rn_wide mean = 0.5f * (f.hl + f.hr);
        const flow_row *const along[2] = {axis == 0 ? beside : below, axis == 0 ? beside : above};
        const flow_row *const across[2] = {axis == 0 ? below : beside, axis == 0 ? above : beside};
        const int next = n + (axis == 0), other = n + (axis == 1);
        const rn_transport t = {.west = rn_load(along[0]->Q + n),
                                .east = rn_load(along[1]->Q + next),
                                .south = rn_load(across[0]->Q + n),
                                .north = rn_load(across[1]->Q + other),
                                .u_west = rn_load(along[0]->u + n),
                                .u_east = rn_load(along[1]->u + next),
                                .u_south = rn_load(across[0]->u + n),
                                .u_north = rn_load(across[1]->u + other)};
        if (kind.sloped || kind.restricted)
            f.zl = rn_load(base + n), f.zr = rn_load(base + n + d), f.u = rn_load(u + n);
        if (kind.restricted) f.gap = rn_lesser(rn_load(ceil + n), rn_load(ceil + n + d)) - rn_greater(f.zl, f.zr);
        const rn_momentum_flux sum = rn_transported(&t, rn_load(own->along + EDGE + n));
        rn_force force = {
            .pushed = rn_load(own->pushed + EDGE + n), .kept = rn_load(own->kept + EDGE + n), .lo = lo, .hi = hi};
        if (kind.contact) force.held = rn_load(own->held + EDGE + n);
        rn_store(to + n,
                 rn_face_speed(params, &sum, &force, rn_face_mass(params, &f, &t, mean, f.hl, f.hr, kind), mean, kind));
    }
}

/* Writes the next speeds of a row of faces along one axis; stores half speeds and gains where they are needed later.
   Forces and flows around the row must be in `work`. */
RN_INLINE void carry_line(const substep *step, const rn_patch *patch, const face_rows *in, kick_work *work, int line,
                          const int axis, const rn_face_kind kind) {
    const rn_graph *g = &step->s->graph;
    carry_lanes(step, patch, in, work, line, axis, kind);
    if (g->junction_count > 0)
        rn_lanes_copy((axis == 0 ? g->half_x : g->half_y) + patch->first + line * step->s->columns.grid.stride,
                      force_row_at(work, axis, line)->half + EDGE, patch->columns);
    if (step->params->implicit)
        rn_lanes_copy((axis == 0 ? g->gain_x : g->gain_y) + patch->first + line * step->s->columns.grid.stride,
                      force_row_at(work, axis, line)->gain + EDGE, patch->columns);
}

/* ---- A kick ------------------------------------------------------------------------------------------------------ */

/* Finds forces on the faces of row `line` along one axis, into the ring of `work`, which has the slopes of the row and
   of the one above. */
RN_INLINE void kick_forces(const substep *step, const rn_patch *patch, const face_rows *in, kick_work *work, int line,
                           const int axis, const rn_face_kind kind) {
    const int32_t stride = step->s->columns.grid.stride;
    const slope_row *const here = slope_row_at(work, line), *const there = slope_row_at(work, line + axis);
    const face_row row = {patch->first + line * stride,
                          axis == 0 ? 1 : stride,
                          line * in->up,
                          axis == 0 ? 1 : in->up,
                          axis,
                          here,
                          there,
                          axis == 0};
    const bool own = line >= 0 && line < patch->rows;
    force_lanes(step, patch, in, &row, own, force_row_at(work, axis, line), kind);
}

#if defined(RN_GPU)

/* Finds the flows along x (`beside`) or y between faces of one axis. There is one copy of the loop for all: programs of
   GPUs must be short, so that they stay in the cache of instructions. */
RN_INLINE void find_flow(const substep *step, const rn_patch *patch, const face_rows *in, kick_work *work, int line,
                         int axis, bool beside) {
    RN_STEP_PARAMS(params, step);
    const flow_line flow = beside ? line_beside(in, work, line, axis) : line_below(in, work, line, axis);
    flow_lanes(params, &flow, patch->columns + beside,
               beside ? beside_at(work, axis, line) : below_at(work, axis, line));
}

/* Writes the next speeds of a piece of a patch with the cases of `kind`, a constant; all ranks work on it together. */
RN_INLINE void kick_rows(const substep *step, const rn_patch *patch, const rn_face_kind kind) {
    typedef struct piece_work {
        kick_work kick;
        near_rows near;
    } piece_work;
    RN_LANES_MEMORY(piece_work, all);
    kick_work *const work = &all->kick;
    const face_rows from = rows_of_state(step->s, patch->first, step->s->graph.speed_x, step->s->graph.speed_y);
    const face_rows near = copy_rows(patch, &from, &all->near, kind, true), *const in = &near;
    rn_lanes_meet();
    if (kind.sloped)
        RN_FOR_ROWS (line, -HALO, patch->rows + HALO + 1)
            slope_lanes(step, patch, in, line, slope_row_at(work, line), kind);
    rn_lanes_meet();
    if (kind.sloped)
        RN_FOR_ROWS (line, 0, patch->rows) keep_slopes(step, patch, line, slope_row_at(work, line));
    RN_FOR_ROWS (i, 2 * -HALO, 2 * (patch->rows + HALO)) kick_forces(step, patch, in, work, i >> 1, i & 1, kind);
    rn_lanes_meet();
    RN_FOR_ROWS (i, 0, 4 * patch->rows + 2) find_flow(step, patch, in, work, i >> 2, i & 1, i >> 1 & 1);
    rn_lanes_meet();
    RN_FOR_ROWS (i, 0, 2 * patch->rows) carry_line(step, patch, in, work, i >> 1, i & 1, kind);
    rn_lanes_meet();
}

#else

/* Finds the flows around a row of faces along one axis, then their next speeds. */
RN_INLINE void flow_and_carry(const substep *step, const rn_patch *patch, const face_rows *in, kick_work *work,
                              int line, const int axis, const rn_face_kind kind) {
    RN_STEP_PARAMS(params, step);
    const flow_line first = line_below(in, work, 0, axis), above = line_below(in, work, line + 1, axis);
    const flow_line beside = line_beside(in, work, line, axis);
    if (line == 0) flow_lanes(params, &first, patch->columns, below_at(work, axis, 0));
    flow_lanes(params, &above, patch->columns, below_at(work, axis, line + 1));
    flow_lanes(params, &beside, patch->columns + 1, beside_at(work, axis, line));
    carry_line(step, patch, in, work, line, axis, kind);
}

/* Writes the next speeds of a patch with the cases of `kind`: a constant, so that the compiler drops the others. */
RN_INLINE void kick_rows(const substep *step, const rn_patch *patch, const rn_face_kind kind) {
    RN_LANES_MEMORY(kick_work, work);
    const face_rows rows = rows_of_state(step->s, patch->first, step->s->graph.speed_x, step->s->graph.speed_y);
    const face_rows *const in = &rows;
    if (kind.sloped) slope_lanes(step, patch, in, -HALO, slope_row_at(work, -HALO), kind);
    for (int line = -HALO; line < patch->rows + HALO; line++) {
        const int carried = line - HALO;
        if (kind.sloped) slope_lanes(step, patch, in, line + 1, slope_row_at(work, line + 1), kind);
        if (kind.sloped && line >= 0 && line < patch->rows) keep_slopes(step, patch, line, slope_row_at(work, line));
        kick_forces(step, patch, in, work, line, 0, kind);
        kick_forces(step, patch, in, work, line, 1, kind);
        if (carried < 0) continue;
        flow_and_carry(step, patch, in, work, carried, 0, kind);
        flow_and_carry(step, patch, in, work, carried, 1, kind);
    }
}

#endif

/* Writes the next speeds (m/s) of the faces of a patch or, on a GPU, of a piece of a patch: after forces and transport.
   Stores what later passes need: slopes, half speeds at junctions, and gains in an implicit substep. Chooses the
   simplest loops that handle `kind`, which covers every kind of face in the patch. */
static void kick_patch(const substep *step, const rn_patch *patch, rn_face_kind kind) {
    if (step->params->contact && is_general(kind)) kick_rows(step, patch, any_contact);
    else if (step->params->contact) kick_rows(step, patch, open_contact);
    else if (is_general(kind)) kick_rows(step, patch, any_kind);
    else if (kind.sloped) kick_rows(step, patch, (rn_face_kind){.sloped = true});
    else kick_rows(step, patch, (rn_face_kind){0});
}

/* ---- Transfers --------------------------------------------------------------------------------------------------- */

typedef struct cross_row {
    int32_t slot, apart; /* as in face_row */
    int32_t at, next;
    int axis;
    float *to, *move;             /* [0] is the patch's first column */
    const float *fall_l, *fall_r; /* [0] is the patch's first column */
} cross_row;

/* Running maxima. */
typedef struct wide_found {
    rn_wide signal, speed, deepest, transfer;
    rn_wide signal_depth, signal_speed; /* of the fastest signal */
    rn_mask flows;
} wide_found;

/* The fall of the depths of a row in half a substep, for faces along x and for faces along y. */
typedef struct fall_row {
    float x[ROOM], y[ROOM];
} fall_row;

/* Fills `to` for row `line` of a patch and one column past its end: rn_half_fall of their depths (m). */
RN_INLINE void fall_lanes(const substep *step, const rn_patch *patch, const face_rows *in, int line, fall_row *to) {
    RN_STEP_PARAMS(params, step);
    const int32_t up = in->up, row = line * up;
    const float *const x = in->speed[0] + row, *const y = in->speed[1] + row, *const depth = in->depth + row;
    RN_FOR_LANES (n, 0, patch->columns + 1) {
        const rn_wide w = rn_load(x + n - 1), e = rn_load(x + n), so = rn_load(y + n - up), no = rn_load(y + n);
        const rn_wide h = rn_load(depth + n);
        const rn_wide left_x =
            rn_carried_depth(e, h, rn_load(depth + n + 1)) - rn_carried_depth(w, rn_load(depth + n - 1), h);
        const rn_wide left_y =
            rn_carried_depth(no, h, rn_load(depth + n + up)) - rn_carried_depth(so, rn_load(depth + n - up), h);
        rn_store(to->x + n, rn_half_fall(params, h, e - w, left_y));
        rn_store(to->y + n, rn_half_fall(params, h, no - so, left_x));
    }
}

/* Writes transfers (m) and kept speeds (m/s) of a row of faces along one axis, from the next speeds, both 0 where these
   are 0; raises the largest transfer and `flows` of `found`. */
RN_INLINE void cross_lanes(const substep *step, const rn_patch *patch, const face_rows *in, const cross_row *row,
                           wide_found *found, const rn_face_kind kind) {
    RN_STEP_PARAMS(params, step);
    const int32_t d = row->next;
    const float *const depth = in->depth + row->at, *const base = in->base + row->at;
    const float *const ceil = in->ceil + row->at, *const speed = in->speed[row->axis] + row->at;
    const uint8_t *const pipes = in->pipes[row->axis] + row->at;
    float *const to = row->to, *const move = row->move;
    const float *const head = kind.contact ? step->s->graph.contact + row->slot : NULL;
    rn_wide most = found->transfer;
    rn_mask flows = found->flows;
    RN_FOR_LANES (n, 0, patch->columns) {
        const rn_wide u = rn_load(speed + n);
        if (!rn_any(u != 0.0f)) {
            rn_store(to + n, (rn_wide){0}), rn_store(move + n, (rn_wide){0});
            continue;
        }
        rn_crossing f = {.hl = rn_load(depth + n), .hr = rn_load(depth + n + d), .u = u};
        f.zl = rn_load(base + n), f.zr = rn_load(base + n + d);
        const rn_wide level_l = f.zl + f.hl, level_r = f.zr + f.hr;
        const rn_wide z_behind = rn_load(base + n - d), z_ahead = rn_load(base + n + 2 * d);
        f.step_behind = level_l - (z_behind + rn_load(depth + n - d));
        f.step_ahead = (z_ahead + rn_load(depth + n + 2 * d)) - level_r;
        f.rise_l = f.zl - z_behind, f.rise_r = f.zr - z_ahead;
        f.fall_l = rn_load(row->fall_l + n), f.fall_r = rn_load(row->fall_r + n);
        if (kind.restricted) {
            f.gap = rn_lesser(rn_load(ceil + n), rn_load(ceil + n + d)) - rn_greater(f.zl, f.zr);
            f.open = load_any(pipes + n), f.fall = load_falls(pipes + n);
            f.plain_behind = load_plain(pipes + n - d), f.plain_ahead = load_plain(pipes + n + d);
        }
        rn_wide step_here = level_r - level_l, kept, t;
        const rn_wide hf = rn_crossing_depth(params, &f, step_here, kind);
        if (kind.tilted) step_here -= params->tilt[row->axis];
        if (kind.contact) step_here += rn_load(head + n + row->apart) - rn_load(head + n);
        rn_crossing_transfer(params, &f, hf, step_here, kind, &kept, &t);
        rn_store(to + n, kept), rn_store(move + n, t);
        most = rn_greater(rn_size(t), most);
        flows |= (kept != 0.0f) | (t != 0.0f);
    }
    found->transfer = most;
    found->flows = flows;
}

/* Writes the depths (m) that cross a row of faces, with the speeds that the levels before an implicit substep would
   give them, capped by most_speed; 0 where dry or without an open pipe. */
RN_INLINE void width_lanes(const substep *step, const rn_patch *patch, const face_rows *in, const cross_row *row) {
    RN_STEP_PARAMS(params, step);
    const rn_graph *g = &step->s->graph;
    const int32_t d = row->next;
    const float *const depth = in->depth + row->at, *const base = in->base + row->at;
    const float *const ceil = in->ceil + row->at, *const speed = in->speed[row->axis] + row->at;
    const float *const gain = (row->axis == 0 ? g->gain_x : g->gain_y) + row->slot;
    const uint8_t *const pipes = in->pipes[row->axis] + row->at;
    float *const to = row->to;
    RN_FOR_LANES (n, 0, patch->columns) {
        rn_crossing f = {.hl = rn_load(depth + n), .hr = rn_load(depth + n + d)};
        rn_store(to + n, (rn_wide){0});
        if (!rn_any((rn_mask)f.hl | (rn_mask)f.hr)) continue;
        f.zl = rn_load(base + n), f.zr = rn_load(base + n + d);
        const rn_wide level_l = f.zl + f.hl, level_r = f.zr + f.hr, here = level_r - level_l;
        f.u = rn_clamped(rn_load(speed + n) - rn_load(gain + n) * (here - params->tilt[row->axis]),
                         rn_splat(-params->most_speed), rn_splat(params->most_speed));
        const rn_wide z_behind = rn_load(base + n - d), z_ahead = rn_load(base + n + 2 * d);
        f.step_behind = level_l - (z_behind + rn_load(depth + n - d));
        f.step_ahead = (z_ahead + rn_load(depth + n + 2 * d)) - level_r;
        f.rise_l = f.zl - z_behind, f.rise_r = f.zr - z_ahead;
        f.gap = rn_lesser(rn_load(ceil + n), rn_load(ceil + n + d)) - rn_greater(f.zl, f.zr);
        f.open = load_any(pipes + n), f.fall = load_falls(pipes + n);
        f.plain_behind = load_plain(pipes + n - d), f.plain_ahead = load_plain(pipes + n + d);
        rn_store(to + n, rn_keep(f.open, rn_crossing_depth(params, &f, here, any_kind)));
    }
}

/* Writes the depths (m) that cross all faces of a patch, for an implicit substep. Needs the next speeds and the
   gains. */
static void find_widths(const substep *step, const rn_patch *patch) {
    const rn_graph *g = &step->s->graph;
    const face_rows in = rows_of_state(step->s, patch->first, g->next_x, g->next_y);
    RN_FOR_ROWS (line, 0, patch->rows) {
        const int32_t at = line * in.up, slot = patch->first + at;
        const cross_row x = {.slot = slot, .apart = 1, .at = at, .next = 1, .axis = 0, .to = g->width_x + slot};
        const cross_row y = {.slot = slot, .apart = in.up, .at = at, .next = in.up, .axis = 1, .to = g->width_y + slot};
        width_lanes(step, patch, &in, &x);
        width_lanes(step, patch, &in, &y);
    }
}

/* Raises signal, speed and depth of `found` to those of the columns of row `line`, from the next speeds. Columns not
   deeper than thin_depth do not count. */
RN_INLINE void signal_lanes(const substep *step, const rn_patch *patch, const face_rows *in, int line,
                            wide_found *found, const rn_face_kind kind) {
    const rn_state *s = step->s;
    RN_STEP_PARAMS(params, step);
    const int32_t up = in->up, at = line * up, row = patch->first + line * s->columns.grid.stride;
    const float *const x = in->speed[0] + at, *const y = in->speed[1] + at;
    wide_found most = *found;
    RN_FOR_LANES (n, 0, patch->columns) {
        rn_wide h = rn_load(in->depth + at + n);
        if (n + RN_LANES > patch->columns) h = rn_keep(first_lanes(patch->columns - n), h); /* drop those past it */
        const rn_mask counts = h > params->thin_depth;
        if (!rn_any(counts)) continue;
        const rn_wide a = rn_greater(rn_size(rn_load(x + n)), rn_size(rn_load(x + n - 1)));
        const rn_wide b = rn_greater(rn_size(rn_load(y + n)), rn_size(rn_load(y + n - up)));
        rn_wide e = rn_splat(1.0f), part = {0};
        if (kind.sloped) e = rn_load(s->graph.wedge + row + n), part = rn_load(s->graph.wedge_part + row + n);
        const rn_wide signal = rn_column_signal(params, h, e, part, a, b);
        const rn_mask faster = signal > most.signal;
        most.signal = rn_select(faster, signal, most.signal);
        most.signal_depth = rn_select(faster, h, most.signal_depth);
        most.signal_speed = rn_select(faster, a + b, most.signal_speed);
        most.speed = rn_greater(rn_keep(counts, rn_greater(a, b)), most.speed);
        most.deepest = rn_greater(h, most.deepest);
    }
    *found = most;
}

/* Rows of falls: of a piece on a GPU, otherwise of the current row and the next. */
typedef struct fall_rows {
    fall_row line[FALL_ROWS];
} fall_rows;

/* Writes transfers (m) and kept speeds (m/s) of the faces along one axis of row `line` of a patch, and raises `found`,
   once per row also to its signals; needs the falls of the row and of the next. */
RN_INLINE void cross_line(const substep *step, const rn_patch *patch, const face_rows *in, const fall_rows *falls,
                          int line, const int axis, wide_found *found, const rn_face_kind kind) {
    const rn_graph *g = &step->s->graph;
    const int32_t stride = step->s->columns.grid.stride, slot = patch->first + line * stride;
    const fall_row *const here = &falls->line[line % FALL_ROWS], *const above = &falls->line[(line + 1) % FALL_ROWS];
    const cross_row row = {slot,
                           axis == 0 ? 1 : stride,
                           line * in->up,
                           axis == 0 ? 1 : in->up,
                           axis,
                           (axis == 0 ? g->speed_x : g->speed_y) + slot,
                           (axis == 0 ? g->transfer_x : g->transfer_y) + slot,
                           axis == 0 ? here->x : here->y,
                           axis == 0 ? here->x + 1 : above->y};
    cross_lanes(step, patch, in, &row, found, kind);
    if (axis == 0) signal_lanes(step, patch, in, line, found, kind);
}

/* Writes transfers (m) and kept speeds (m/s) of a patch, and raises `found`, with the cases of `kind`: a constant. On a
   GPU all ranks work on the piece together. */
RN_INLINE void cross_rows(const substep *step, const rn_patch *patch, wide_found *found, const rn_face_kind kind) {
    const face_rows rows = rows_of_state(step->s, patch->first, step->s->graph.next_x, step->s->graph.next_y);
#if defined(RN_GPU)
    typedef struct piece_work {
        fall_rows falls;
        near_rows near;
    } piece_work;
    RN_LANES_MEMORY(piece_work, all);
    const face_rows near = copy_rows(patch, &rows, &all->near, kind, false);
    rn_lanes_meet();
    RN_FOR_ROWS (line, 0, patch->rows + 1) fall_lanes(step, patch, &near, line, &all->falls.line[line]);
    rn_lanes_meet();
    RN_FOR_ROWS (i, 0, 2 * patch->rows) cross_line(step, patch, &near, &all->falls, i >> 1, i & 1, found, kind);
    rn_lanes_meet();
#else
    fall_rows falls;
    fall_lanes(step, patch, &rows, 0, &falls.line[0]);
    for (int line = 0; line < patch->rows; line++) {
        fall_lanes(step, patch, &rows, line + 1, &falls.line[(line + 1) % FALL_ROWS]);
        cross_line(step, patch, &rows, &falls, line, 0, found, kind);
        cross_line(step, patch, &rows, &falls, line, 1, found, kind);
    }
#endif
}

/* Writes transfers (m) and kept velocities (m/s) of a patch. Chooses the simplest loops that handle `kind`, which
   covers every kind of face in the patch. Sets *out to the maxima found on the way. */
static void cross_patch(const substep *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *out) {
    wide_found found = {0};
    if (step->params->contact && is_general(kind)) cross_rows(step, patch, &found, any_contact);
    else if (step->params->contact) cross_rows(step, patch, &found, open_contact);
    else if (is_general(kind)) cross_rows(step, patch, &found, any_kind);
    else if (kind.sloped) cross_rows(step, patch, &found, (rn_face_kind){.sloped = true});
    else cross_rows(step, patch, &found, (rn_face_kind){0});
    rn_extremes extremes = {0};
    for (int lane = 0; lane < RN_LANES; lane++)
        raise_signal(&extremes, found.signal[lane], found.signal_depth[lane], found.signal_speed[lane]);
    out->signal = extremes.signal_speed, out->signal_depth = extremes.signal_depth,
    out->signal_speed = extremes.signal_flow;
    out->speed = rn_greatest(found.speed);
    out->deepest = rn_greatest(found.deepest);
    out->transfer = rn_greatest(found.transfer);
    out->flows = rn_any(found.flows);
}

const rn_face_sweeps RN_ISA(rn_face_sweeps) = {.kick = kick_patch, .cross = cross_patch, .widths = find_widths};
