/* The passes over a piece (cuda/plain_piece.h). Each has phases, and the threads of the block meet between them:

     kick    copy the piece; slopes of columns; forces on faces; flows past columns and corners; next speeds
     cross   copy the piece; falls of columns; transfers, kept speeds and signals

   A phase takes as many columns around the piece as the next one reads. Arrays in memory of the block have rows of
   UP entries; entry `c` is a column, or the face from it along x or y. */
#include "cuda/plain_piece.h"

#include "cuda/machine.h"
#include "solver/brink.h"
#include "solver/drag.h"

enum { WIDE = RN_PIECE_X, HIGH = RN_PIECE_Y };
enum { SIDE = 4, BELOW = 3, UP = WIDE + 2 * SIDE, ROWS = HIGH + 2 * BELOW + 1, NEAR = UP * ROWS, OWN = WIDE * HIGH };
enum { FLOW_UP = WIDE + 1, FLOWS = FLOW_UP * (HIGH + 1) };

/* Values of a piece and the columns around it. */
typedef struct near_columns {
    _Alignas(16) float base[NEAR], depth[NEAR], speed[2][NEAR];
} near_columns;

/* Slopes of columns, until the forces are known. */
typedef struct near_slopes {
    float e[NEAR], bed[2][NEAR], part[2][NEAR];
} near_slopes;

/* Flows and the speeds that they carry: along x past columns and corners (beside), and along y (below); of the faces
   along x and y. */
typedef struct near_flows {
    float beside_Q[2][FLOWS], beside_u[2][FLOWS], below_Q[2][FLOWS], below_u[2][FLOWS];
} near_flows;

/* The memory of a block during a kick. */
typedef struct kick_memory {
    near_columns in;
    float move[2][NEAR], half[2][NEAR];
    union {
        near_slopes slope;
        near_flows flow;
    };
    float along[2][OWN], pushed[2][OWN], kept[2][OWN], lo[2][OWN], hi[2][OWN];
#if !defined(RN_UNLINKED)
    float held[2][OWN];
#endif
} kick_memory;

/* And while transfers are found. */
typedef struct cross_memory {
    near_columns in;
    float fall[2][NEAR]; /* m, of columns, for faces along x and y */
} cross_memory;

#if defined(RN_UNLINKED)
_Static_assert(sizeof(kick_memory) <= RN_PLAIN_SHARED - RN_BLOCK_BYTES, "the memory of a block is too small");
#else
_Static_assert(sizeof(kick_memory) <= RN_LINKED_SHARED - RN_BLOCK_BYTES, "the memory of a block is too small");
#endif

/* The entry of a column of the piece, or around it. */
RN_INLINE int entry(int x, int y) { return (y + BELOW) * UP + x + SIDE; }

/* Runs the block for all columns from (x0, y0) on, `across` by `along` of them: x and y are those of this thread. */
#define FOR_COLUMNS(x, y, x0, y0, across, along)                                                                       \
    for (int i_ = own_thread(), x = i_ % (across) + (x0), y = i_ / (across) + (y0); i_ < (across) * (along);           \
         i_ += thread_count(), x = i_ % (across) + (x0), y = i_ / (across) + (y0))

/* The number of this thread in its block, and of threads in a block. */
RN_INLINE int own_thread(void) { return rn_rank() * rn_lane_count() + rn_lane(); }
RN_INLINE int thread_count(void) { return rn_rank_count() * rn_lane_count(); }

/* A float as a vector of one lane. */
RN_INLINE rn_wide one(float value) { return (rn_wide){value}; }

/* Copies bases, depths and speeds of the piece and of BELOW columns around it to memory of the block, and unless `move`
   is NULL, transfers along x and y to move[0] and move[NEAR] on. Threads must meet before they read the copies. Copies
   four columns at a time: a piece starts at a slot that is a multiple of RN_PAD, and rows have padding. */
RN_INLINE void copy_near(const rn_piece_step *step, const rn_patch *patch, RN_SHARED near_columns *to,
                         RN_SHARED float *move, const float *speed_x, const float *speed_y) {
    RN_SHARED const rn_state *const s = step->s;
    const float *const base = s->columns.base, *const depth = s->columns.depth;
    const float *const move_x = s->graph.transfer_x, *const move_y = s->graph.transfer_y;
    const int32_t first = patch->first, stride = s->columns.grid.stride;
    const int columns = patch->columns, rows = patch->rows;
    FOR_COLUMNS(four, y, 0, -BELOW, UP / 4, ROWS) {
        const int x = 4 * four - SIDE;
        if (x > columns + BELOW || y > rows + BELOW) continue;
        const int32_t slot = first + y * stride + x;
        const int c = entry(x, y);
        machine_fetch(&to->base[c], &base[slot]), machine_fetch(&to->depth[c], &depth[slot]);
        machine_fetch(&to->speed[0][c], &speed_x[slot]), machine_fetch(&to->speed[1][c], &speed_y[slot]);
        if (move) machine_fetch(&move[c], &move_x[slot]), machine_fetch(&move[NEAR + c], &move_y[slot]);
    }
    machine_fetched();
}

/* ---- Kick: slopes ------------------------------------------------------------------------------------------------ */

/* Finds the slopes of column c, into m->slope. If it and its four neighbours are dry, e is 1, and the rest 0. */
RN_INLINE void find_slope(const rn_step_params *params, RN_SHARED const rn_state *s, int32_t slot,
                          RN_SHARED kick_memory *m, int c, const rn_face_kind kind) {
    RN_SHARED const float *const depth = m->in.depth, *const base = m->in.base;
    const rn_wide h = one(depth[c]), hw = one(depth[c - 1]), he = one(depth[c + 1]), hs = one(depth[c - UP]),
                  hn = one(depth[c + UP]);
    rn_slopes found = {.e = one(1.0f)};
    if (rn_any((rn_mask)h | (rn_mask)hw | (rn_mask)he | (rn_mask)hs | (rn_mask)hn)) {
        const rn_wide z = one(base[c]);
        rn_differences x =
            rn_column_differences(z, h, one(base[c - 1]), hw, one(base[c + 1]), he, params->tilt[0], kind);
        rn_differences y =
            rn_column_differences(z, h, one(base[c - UP]), hs, one(base[c + UP]), hn, params->tilt[1], kind);
        if (kind.restricted || kind.falls) {
            const uint8_t *const pipe_x = s->graph.pipe_x + slot, *const pipe_y = s->graph.pipe_y + slot;
            x.back = load_plain(pipe_x - 1), x.ahead = load_plain(pipe_x);
            y.back = load_plain(pipe_y - s->columns.grid.stride), y.ahead = load_plain(pipe_y);
        }
        const rn_wide deepest = rn_greater(h, rn_greater(rn_greater(hw, he), rn_greater(hs, hn)));
        found = rn_column_slopes(params, deepest, &x, &y);
    }
    m->slope.e[c] = found.e[0];
    m->slope.bed[0][c] = found.bed_x[0], m->slope.bed[1][c] = found.bed_y[0];
    m->slope.part[0][c] = found.part_x[0], m->slope.part[1][c] = found.part_y[0];
}

/* Finds the slopes of the columns of a piece and two around it; stores e and S.Z of the piece itself in graph.wedge and
   wedge_part, for signals. */
RN_INLINE void find_slopes(const rn_piece_step *step, const rn_patch *patch, RN_SHARED kick_memory *m,
                           const rn_face_kind kind) {
    const rn_step_params params = *step->params;
    RN_SHARED const rn_state *const s = step->s;
    const int32_t first = patch->first, stride = s->columns.grid.stride;
    const int columns = patch->columns, rows = patch->rows;
    float *const wedge = s->graph.wedge, *const wedge_part = s->graph.wedge_part;
    FOR_COLUMNS(x, y, -2, -2, WIDE + 5, HIGH + 5) {
        if (x > columns + 2 || y > rows + 2) continue;
        const int32_t slot = first + y * stride + x;
        const int c = entry(x, y);
        find_slope(&params, s, slot, m, c, kind);
        if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
        wedge[slot] = m->slope.e[c], wedge_part[slot] = m->slope.part[0][c] + m->slope.part[1][c];
    }
}

/* ---- Kick: forces ------------------------------------------------------------------------------------------------ */

/* The pipes and ceilings of a face, in the world's arrays. */
typedef struct face_at {
    const uint8_t *pipe;
    float ceil_l, ceil_r, lid; /* m */
} face_at;

/* Loads pipe and ceilings of the face from `slot` along an axis; all 0 for kinds that do not need them. */
RN_INLINE face_at load_face(RN_SHARED const rn_state *s, int32_t slot, const int axis, const rn_face_kind kind) {
    if (!kind.restricted && !kind.falls) return (face_at){0};
    const float *const ceil = s->columns.ceil + slot;
    return (face_at){(axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + slot, ceil[0],
                     ceil[axis == 0 ? 1 : s->columns.grid.stride], s->columns.lid};
}

/* Whether face f, which has beds and depths, is open by its levels, with no edge of a film, ceiling or lid nearby, as
   are_calm of solver/face_sweeps.c. `at` is needed only for a restricted kind. */
RN_INLINE bool is_calm(const rn_step_params *params, const rn_face *f, const face_at *at, const rn_face_kind kind) {
    const rn_wide level = rn_greater(f->zl + f->hl, f->zr + f->hr), above = level - rn_greater(f->zl, f->zr);
    rn_mask calm = (above > RN_DRY * params->quantum) & (4.0f * f->hr >= f->hl) & (4.0f * f->hl >= f->hr);
    if (kind.restricted) {
        const rn_wide lowest = rn_lesser(one(at->ceil_l), one(at->ceil_r));
        calm &= load_open(at->pipe) & (lowest >= at->lid) & (level + 2.0f * RN_FULL * params->quantum < lowest);
    }
    return rn_all(calm);
}

/* Loads gap, room and kind of a face into f, which has beds and depths. There are no ducts. headed: a full column under
   a ceiling is about to join a passage, and has room for all. */
RN_INLINE void load_gate(const face_at *at, bool headed, rn_face *f) {
    const rn_wide cl = one(at->ceil_l), cr = one(at->ceil_r);
    f->gap = rn_lesser(cl, cr) - rn_greater(f->zl, f->zr);
    f->room_l = cl - f->zl - f->hl, f->room_r = cr - f->zr - f->hr;
    if (headed) {
        f->room_l = rn_select(cl < at->lid, rn_splat(INFINITY), f->room_l);
        f->room_r = rn_select(cr < at->lid, rn_splat(INFINITY), f->room_r);
    }
    f->open = load_any(at->pipe), f->fall = load_falls(at->pipe);
}

#if !defined(RN_UNLINKED)
/* Loads the step of contact heads and the hold (m) of a face; both are 0 unless its pipe is plain. */
RN_INLINE void load_contact(RN_SHARED const rn_state *s, int32_t slot, const int axis, rn_face *f) {
    const int32_t next = slot + (axis == 0 ? 1 : s->columns.grid.stride);
    const float *const head = s->graph.contact, *const hold = s->graph.hold;
    const rn_mask plain = load_open((axis == 0 ? s->graph.pipe_x : s->graph.pipe_y) + slot);
    f->contact = rn_keep(plain, one(head[next]) - one(head[slot]));
    f->hold = rn_keep(plain, rn_face_hold(one(hold[slot]), one(hold[next])));
}
#endif

/* The forces on the face from column `c` along an axis. f has the depths hl and hr, which must not both be 0. Needs the
   slopes, if the kind is sloped. ground: friction and contact angles of columns, if they have their own. */
RN_INLINE rn_force find_force(const rn_step_params *params, RN_SHARED const rn_state *s, const rn_columns *ground,
                              int32_t slot, RN_SHARED kick_memory *m, int c, const int axis, rn_face f,
                              const rn_face_kind kind) {
    const int next = axis == 0 ? 1 : UP;
    RN_SHARED const float *const speed = m->in.speed[axis], *const depth = m->in.depth;
    f.zl = one(m->in.base[c]), f.zr = one(m->in.base[c + next]), f.u = one(speed[c]);
    if (kind.sloped) {
        f.el = one(m->slope.e[c]), f.er = one(m->slope.e[c + next]);
        f.bed_l = one(m->slope.bed[axis][c]), f.bed_r = one(m->slope.bed[axis][c + next]);
        f.part_l = one(m->slope.part[!axis][c]), f.part_r = one(m->slope.part[!axis][c + next]);
    }
    const rn_drag drag = rn_drag_between(ground, params, slot, slot + (axis == 0 ? 1 : s->columns.grid.stride));
    f.kappa = drag.kappa, f.manning = drag.manning, f.chezy = drag.chezy;
    const face_at at = load_face(s, slot, axis, kind);
#if !defined(RN_UNLINKED)
    if (kind.contact) load_contact(s, slot, axis, &f);
#endif
    if (is_calm(params, &f, &at, kind)) {
        const rn_face_kind calm = {.sloped = kind.sloped, .tilted = kind.tilted, .contact = kind.contact, .calm = true};
        return rn_face_force(params, &f, rn_splat(params->tilt[axis]), calm);
    }
    f.behind = one(speed[c - next]), f.ahead = one(speed[c + next]);
    f.h_behind = one(depth[c - next]), f.h_ahead = one(depth[c + 2 * next]);
    if (kind.restricted) load_gate(&at, s->graph.headed, &f);
#if !defined(RN_UNLINKED)
    if (kind.contact && kind.falls)
        rn_brink_between(ground, params, slot, slot + (axis == 0 ? 1 : s->columns.grid.stride), &f);
#endif
    return rn_face_force(params, &f, rn_splat(params->tilt[axis]), kind);
}

/* Finds the forces on the face from column `c` along an axis, all 0 if both its columns are dry; `own`: number of the
   face in the piece, or -1 for faces around the piece, of which only the half speed is stored. */
RN_INLINE void push_face(const rn_step_params *params, RN_SHARED const rn_state *s, const rn_columns *ground,
                         int32_t slot, RN_SHARED kick_memory *m, int c, const int axis, int own,
                         const rn_face_kind kind) {
    const rn_face f = {.hl = one(m->in.depth[c]), .hr = one(m->in.depth[c + (axis == 0 ? 1 : UP)])};
    rn_force out = {0};
    if (rn_any((rn_mask)f.hl | (rn_mask)f.hr)) out = find_force(params, s, ground, slot, m, c, axis, f, kind);
    m->half[axis][c] = out.half[0];
    if (own < 0) return;
    m->along[axis][own] = out.along[0], m->pushed[axis][own] = out.pushed[0], m->kept[axis][own] = out.kept[0];
    m->lo[axis][own] = out.lo[0], m->hi[axis][own] = out.hi[0];
#if !defined(RN_UNLINKED)
    if (kind.contact) m->held[axis][own] = out.held[0];
#endif
}

/* Finds the forces on the faces of a piece and two around it. */
RN_INLINE void find_forces(const rn_piece_step *step, const rn_patch *patch, RN_SHARED kick_memory *m,
                           const rn_face_kind kind) {
    const rn_step_params params = *step->params;
    RN_SHARED const rn_state *const s = step->s;
    const int32_t first = patch->first, stride = s->columns.grid.stride;
    const int columns = patch->columns, rows = patch->rows;
    const rn_columns ground = {.kappa = s->columns.kappa,
                               .manning = s->columns.manning,
                               .chezy = s->columns.chezy,
                               .advancing = s->columns.advancing,
                               .receding = s->columns.receding};
    FOR_COLUMNS(x, y, -2, -2, WIDE + 4, HIGH + 4) {
        if (x > columns + 1 || y > rows + 1) continue;
        const int own = x < 0 || y < 0 || x >= columns || y >= rows ? -1 : y * WIDE + x;
        const int32_t slot = first + y * stride + x;
        push_face(&params, s, &ground, slot, m, entry(x, y), 0, own, kind);
        push_face(&params, s, &ground, slot, m, entry(x, y), 1, own, kind);
    }
}

/* ---- Kick: transport --------------------------------------------------------------------------------------------- */

/* Finds the flow Q from face c - apart along `axis` to face c: the mean of the transfers along axis `along` from
   entries c + a and c + b; and the speed that it carries, 0 if Q is 0. `across`: entries from one column of a face to
   the other if `along` differs from `axis`, otherwise 0. Needs the half speeds. */
RN_INLINE void find_flow(const rn_step_params *params, RN_SHARED kick_memory *m, int c, const int apart,
                         const int along, const int a, const int b, const int axis, const int across,
                         RN_SHARED float *to_Q, RN_SHARED float *to_u) {
    RN_SHARED const float *const move = m->move[along], *const speed = m->in.speed[along];
    RN_SHARED const float *const half = m->half[axis] + c, *const depth = m->in.depth + c;
    const rn_wide Q = 0.5f * (one(move[c + a]) + one(move[c + b]));
    rn_wide u = {0};
    if (rn_any(Q != 0.0f)) {
        const rn_wide before = one(half[-2 * apart]), first = one(half[-apart]);
        const rn_wide second = one(half[0]), beyond = one(half[apart]);
        const rn_wide courant = params->half_last_per_cell * rn_size(one(speed[c + a]) + one(speed[c + b]));
        if (across)
            u = rn_carried_across(params, before, first, second, beyond, Q, courant,
                                  one(depth[-apart]) + one(depth[across - apart]), one(depth[0]) + one(depth[across]));
        else u = rn_carried(before, first, second, beyond, Q, courant);
    }
    *to_Q = Q[0], *to_u = u[0];
}

/* Finds all flows past the columns and corners of a piece. */
RN_INLINE void find_flows(const rn_piece_step *step, const rn_patch *patch, RN_SHARED kick_memory *m) {
    const rn_step_params params = *step->params;
    const int columns = patch->columns, rows = patch->rows;
    RN_SHARED near_flows *const f = &m->flow;
    FOR_COLUMNS(x, y, 0, 0, FLOW_UP, HIGH + 1) {
        const int c = entry(x, y), q = y * FLOW_UP + x;
        if (x > columns || y > rows) continue;
        if (y < rows) {
            find_flow(&params, m, c, 1, 0, -1, 0, 0, 0, &f->beside_Q[0][q], &f->beside_u[0][q]);
            find_flow(&params, m, c, 1, 0, -1, UP - 1, 1, UP, &f->beside_Q[1][q], &f->beside_u[1][q]);
        }
        if (x < columns) {
            find_flow(&params, m, c, UP, 1, -UP, 1 - UP, 0, 1, &f->below_Q[0][q], &f->below_u[0][q]);
            find_flow(&params, m, c, UP, 1, -UP, 0, 1, 0, &f->below_Q[1][q], &f->below_u[1][q]);
        }
    }
}

/* The next speed (m/s) of the face from column (x, y) of the piece along an axis; 0 if its bounds lo and hi are. Needs
   forces and flows. */
RN_INLINE float next_speed(const rn_step_params *params, RN_SHARED const rn_state *s, int32_t slot,
                           RN_SHARED kick_memory *m, int x, int y, const int axis, const rn_face_kind kind) {
    const int c = entry(x, y), k = y * WIDE + x, q = y * FLOW_UP + x, d = axis == 0 ? 1 : UP;
    const rn_wide lo = one(m->lo[axis][k]), hi = one(m->hi[axis][k]);
    if (!rn_any((rn_mask)lo | (rn_mask)hi)) return 0.0f;
    RN_SHARED const float *const beside_Q = m->flow.beside_Q[axis] + q, *const beside_u = m->flow.beside_u[axis] + q;
    RN_SHARED const float *const below_Q = m->flow.below_Q[axis] + q, *const below_u = m->flow.below_u[axis] + q;
    rn_transport t = {one(beside_Q[0]), one(beside_Q[1]), one(below_Q[0]), one(below_Q[FLOW_UP]),
                      one(beside_u[0]), one(beside_u[1]), one(below_u[0]), one(below_u[FLOW_UP])};
    if (axis == 1) t = (rn_transport){t.south, t.north, t.west, t.east, t.u_south, t.u_north, t.u_west, t.u_east};
    rn_face f = {.hl = one(m->in.depth[c]), .hr = one(m->in.depth[c + d])};
    const rn_wide mean = 0.5f * (f.hl + f.hr);
    if (kind.sloped || kind.restricted)
        f.zl = one(m->in.base[c]), f.zr = one(m->in.base[c + d]), f.u = one(m->in.speed[axis][c]);
    if (kind.restricted) {
        const face_at at = load_face(s, slot, axis, kind);
        f.gap = rn_lesser(one(at.ceil_l), one(at.ceil_r)) - rn_greater(f.zl, f.zr);
    }
    const rn_momentum_flux sum = rn_transported(&t, one(m->along[axis][k]));
    rn_force force = {.pushed = one(m->pushed[axis][k]), .kept = one(m->kept[axis][k]), .lo = lo, .hi = hi};
#if !defined(RN_UNLINKED)
    if (kind.contact) force.held = one(m->held[axis][k]);
#endif
    const rn_wide mass = rn_face_mass(params, &f, &t, mean, f.hl, f.hr, kind);
    return rn_face_speed(params, &sum, &force, mass, mean, kind)[0];
}

/* Stores the next speeds of a piece. */
RN_INLINE void find_speeds(const rn_piece_step *step, const rn_patch *patch, RN_SHARED kick_memory *m,
                           const rn_face_kind kind) {
    const rn_step_params params = *step->params;
    RN_SHARED const rn_state *const s = step->s;
    const int32_t first = patch->first, stride = s->columns.grid.stride;
    const int columns = patch->columns, rows = patch->rows;
    float *const next_x = s->graph.next_x, *const next_y = s->graph.next_y;
    FOR_COLUMNS(x, y, 0, 0, WIDE, HIGH) {
        if (x >= columns || y >= rows) continue;
        const int32_t slot = first + y * stride + x;
        next_x[slot] = next_speed(&params, s, slot, m, x, y, 0, kind);
        next_y[slot] = next_speed(&params, s, slot, m, x, y, 1, kind);
#if !defined(RN_UNLINKED) /* connections read half speeds around them */
        if (s->graph.junction_count == 0) continue;
        s->graph.half_x[slot] = m->half[0][entry(x, y)], s->graph.half_y[slot] = m->half[1][entry(x, y)];
#endif
    }
}

/* A kick with the cases of `kind`, a constant. */
RN_INLINE void kick_piece(const rn_piece_step *step, const rn_patch *patch, const rn_face_kind kind) {
    RN_SHARED kick_memory *const m = machine_near(RN_BLOCK_BYTES);
    rn_lanes_meet();
    copy_near(step, patch, &m->in, m->move[0], step->s->graph.speed_x, step->s->graph.speed_y);
    rn_lanes_meet();
    if (kind.sloped) {
        find_slopes(step, patch, m, kind);
        rn_lanes_meet();
    }
    find_forces(step, patch, m, kind);
    rn_lanes_meet();
    find_flows(step, patch, m);
    rn_lanes_meet();
    find_speeds(step, patch, m, kind);
}

/* The cases that are compiled: everything; walls and lids, as at the edges of a world; and open ground. */
static const rn_face_kind any_kind = {.sloped = true, .restricted = true, .falls = true, .tilted = true};
static const rn_face_kind walled = {.sloped = true, .restricted = true};
static const rn_face_kind open_ground = {.sloped = true};

/* A kind as such, with contact if contact angles act: in linked worlds only. */
RN_INLINE rn_face_kind touching(const rn_piece_step *step, rn_face_kind kind) {
#if !defined(RN_UNLINKED)
    kind.contact = step->params->contact;
#else
    (void)step;
#endif
    return kind;
}

void rn_piece_kick(const rn_piece_step *step, const rn_patch *patch, rn_face_kind kind) {
    if (kind.falls || kind.tilted) kick_piece(step, patch, touching(step, any_kind));
    else if (kind.restricted) kick_piece(step, patch, touching(step, walled));
    else kick_piece(step, patch, touching(step, open_ground));
}

/* ---- Cross ------------------------------------------------------------------------------------------------------- */

/* Finds the falls of the columns of a piece and of those ahead of it. */
RN_INLINE void find_falls(const rn_piece_step *step, const rn_patch *patch, RN_SHARED cross_memory *m) {
    const rn_step_params params = *step->params;
    const int columns = patch->columns, rows = patch->rows;
    FOR_COLUMNS(x, y, 0, 0, WIDE + 1, HIGH + 1) {
        if (x > columns || y > rows) continue;
        const int c = entry(x, y);
        RN_SHARED const float *const depth = m->in.depth + c;
        const rn_wide h = one(depth[0]), w = one(m->in.speed[0][c - 1]), e = one(m->in.speed[0][c]);
        const rn_wide so = one(m->in.speed[1][c - UP]), no = one(m->in.speed[1][c]);
        const rn_wide left_x = rn_carried_depth(e, h, one(depth[1])) - rn_carried_depth(w, one(depth[-1]), h);
        const rn_wide left_y = rn_carried_depth(no, h, one(depth[UP])) - rn_carried_depth(so, one(depth[-UP]), h);
        m->fall[0][c] = rn_half_fall(&params, h, e - w, left_y)[0];
        m->fall[1][c] = rn_half_fall(&params, h, no - so, left_x)[0];
    }
}

/* The kept speed (m/s) and the transfer (m) of a face. */
typedef struct crossed {
    float speed, transfer;
} crossed;

/* Finds kept speed and transfer of the face from column `c` along an axis, from the next speeds; both are 0 if its next
   speed is. Needs the falls. */
RN_INLINE crossed cross_face(const rn_step_params *params, RN_SHARED const rn_state *s, int32_t slot,
                             RN_SHARED cross_memory *m, int c, const int axis, const rn_face_kind kind) {
    const int d = axis == 0 ? 1 : UP;
    const int32_t apart = axis == 0 ? 1 : s->columns.grid.stride;
    RN_SHARED const float *const depth = m->in.depth + c, *const base = m->in.base + c;
    rn_crossing f = {.hl = one(depth[0]), .hr = one(depth[d]), .u = one(m->in.speed[axis][c])};
    if (!rn_any(f.u != 0.0f)) return (crossed){0};
    f.zl = one(base[0]), f.zr = one(base[d]);
    const rn_wide level_l = f.zl + f.hl, level_r = f.zr + f.hr;
    const rn_wide z_behind = one(base[-d]), z_ahead = one(base[2 * d]);
    f.step_behind = level_l - (z_behind + one(depth[-d]));
    f.step_ahead = (z_ahead + one(depth[2 * d])) - level_r;
    f.rise_l = f.zl - z_behind, f.rise_r = f.zr - z_ahead;
    f.fall_l = one(m->fall[axis][c]), f.fall_r = one(m->fall[axis][c + d]);
    if (kind.restricted) {
        const face_at at = load_face(s, slot, axis, kind);
        f.gap = rn_lesser(one(at.ceil_l), one(at.ceil_r)) - rn_greater(f.zl, f.zr);
        f.open = load_any(at.pipe), f.fall = load_falls(at.pipe);
        f.plain_behind = load_plain(at.pipe - apart), f.plain_ahead = load_plain(at.pipe + apart);
    }
    rn_wide here = level_r - level_l, kept, t;
    const rn_wide hf = rn_crossing_depth(params, &f, here, kind);
    if (kind.tilted) here -= params->tilt[axis];
    if (kind.contact) here += one(s->graph.contact[slot + apart]) - one(s->graph.contact[slot]);
    rn_crossing_transfer(params, &f, hf, here, kind, &kept, &t);
    return (crossed){kept[0], t[0]};
}

/* Raises signal, speed and depth of `found` to those of column `c`, from the next speeds, unless the column is too thin
   to count. */
RN_INLINE void find_signal(const rn_step_params *params, RN_SHARED cross_memory *m, int c, float wedge, float part,
                           rn_face_maxima *found) {
    const rn_wide h = one(m->in.depth[c]);
    if (!rn_any(h > params->thin_depth)) return;
    RN_SHARED const float *const x = m->in.speed[0] + c, *const y = m->in.speed[1] + c;
    const rn_wide a = rn_greater(rn_size(one(x[0])), rn_size(one(x[-1])));
    const rn_wide b = rn_greater(rn_size(one(y[0])), rn_size(one(y[-UP])));
    rn_extremes most = {
        .signal_speed = found->signal, .signal_depth = found->signal_depth, .signal_flow = found->signal_speed};
    raise_signal(&most, rn_column_signal(params, h, one(wedge), one(part), a, b)[0], h[0], (a + b)[0]);
    found->signal = most.signal_speed, found->signal_depth = most.signal_depth, found->signal_speed = most.signal_flow;
    raise(&found->speed, rn_greater(a, b)[0]);
    raise(&found->deepest, h[0]);
}

/* Stores transfers and kept speeds of a piece, and sets *found, except `transfer`, to what this thread has found.
   `kind` is a constant. */
RN_INLINE void cross_piece(const rn_piece_step *step, const rn_patch *patch, rn_face_maxima *found,
                           const rn_face_kind kind) {
    RN_SHARED cross_memory *const m = machine_near(RN_BLOCK_BYTES);
    RN_SHARED const rn_state *const s = step->s;
    RN_SHARED const rn_graph *const g = &s->graph;
    rn_lanes_meet();
    copy_near(step, patch, &m->in, NULL, g->next_x, g->next_y);
    rn_lanes_meet();
    find_falls(step, patch, m);
    rn_lanes_meet();
    const rn_step_params params = *step->params;
    const int32_t first = patch->first, stride = s->columns.grid.stride;
    const int columns = patch->columns, rows = patch->rows;
    rn_face_maxima most = {0};
    FOR_COLUMNS(x, y, 0, 0, WIDE, HIGH) {
        if (x >= columns || y >= rows) continue;
        const int32_t slot = first + y * stride + x;
        const crossed a = cross_face(&params, s, slot, m, entry(x, y), 0, kind);
        const crossed b = cross_face(&params, s, slot, m, entry(x, y), 1, kind);
        g->speed_x[slot] = a.speed, g->transfer_x[slot] = a.transfer;
        g->speed_y[slot] = b.speed, g->transfer_y[slot] = b.transfer;
        if (a.speed != 0.0f || a.transfer != 0.0f || b.speed != 0.0f || b.transfer != 0.0f) most.flows = true;
        find_signal(&params, m, entry(x, y), g->wedge[slot], g->wedge_part[slot], &most);
    }
    *found = most;
}

void rn_piece_cross(const rn_piece_step *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *found) {
    if (kind.falls || kind.tilted) cross_piece(step, patch, found, touching(step, any_kind));
    else if (kind.restricted) cross_piece(step, patch, found, touching(step, walled));
    else cross_piece(step, patch, found, touching(step, open_ground));
}
