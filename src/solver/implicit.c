/* For every column V(h) + T h = right-hand side: V is its volume as a function of its head h, cut off at its floor and
   its ceiling, and T the fluxes that head differences drive in this substep. Newton's method goes from kind to kind of
   columns, dry, free or full; between them the system is linear. All of it is written for the rise of heads since the
   last substep: heads themselves have too few digits. */
#include "solver/implicit.h"

#include "base/hash.h"
#include "base/memory.h"
#include "kernels/duct.h"
#include "solver/sweeps.h"

#define YIELD        1e-4f /* a full or dry column yields so much of what its links do: keeps what is sealed from floating */
#define NEAR_FULL    32.0f    /* quanta below its ceiling at which a full column is topped up, */
#define TOPPED       16.0f    /* and to how many below */
#define LOOSELY_FULL 65536.0f /* quanta below its ceiling at which a column under pressure still keeps its head */
#define WEIGHT       0.55f    /* of the heads to come in what drives a flux: 1/2 would keep every wave, 1 damps them */
#define LINEAR       1e-6f    /* accuracy of a solve, of the residual that it begins with */
#define NEWTON       1e-4f    /* and of the whole iteration, */
#define ENOUGH       4.0f     /* or so many quanta */
enum { NEWTONS = 12, NESTED = 60, SWEEPS = 60 };

enum { KIND_FREE, KIND_DRY, KIND_FULL, KIND_TOPPED, KIND_NONE }; /* topped: full, but for what it lacks */

typedef struct newton {
    rn_implicit *implicit;
    rn_multigrid *grid;
    substep step;
    float per_flux;                            /* m of depth moved by 1 m^3/s */
    enum { FIRST, SINGLE, INNER, OUTER } pass; /* which kinds of columns are decided anew */
    float residual, enough;                    /* m, the worst of a column, and when it is small enough */
} newton;

static rn_result make_room(rn_implicit *implicit, const rn_state *s, size_t slots, size_t rows) {
    rn_implicit_free(implicit, &s->columns.hooks);
    implicit->rise = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->rise);
    implicit->take = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->take);
    implicit->kind = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->kind);
    implicit->rows = rn_alloc(&s->columns.hooks, rows, sizeof *implicit->rows);
    if (s->columns.parted && !(implicit->open = rn_alloc(&s->columns.hooks, slots, sizeof *implicit->open)))
        return RN_MEMORY;
    if (!implicit->rise || !implicit->take || !implicit->kind || !implicit->rows) return RN_MEMORY;
    implicit->slots = slots;
    implicit->row_count = rows;
    return RN_OK;
}

rn_result rn_implicit_fit(rn_implicit *implicit, const rn_state *s) {
    const size_t slots = (size_t)s->columns.grid.slots, rows = (size_t)row_count(s);
    const bool fits =
        implicit->slots == slots && implicit->row_count == rows && s->columns.parted == (implicit->open != NULL);
    if (fits && implicit->shape == s->columns.shape) return RN_OK;
    const rn_result result = fits ? RN_OK : make_room(implicit, s, slots, rows);
    if (result != RN_OK) return result;
    /* columns that solid has left may have no loose pipes any more, and find_open would pass them over */
    for (size_t i = 0; implicit->open && i < slots; i++) implicit->open[i] = 1.0f;
    implicit->shape = s->columns.shape;
    return RN_OK;
}

void rn_implicit_free(rn_implicit *implicit, const rn_hooks *hooks) {
    rn_free(hooks, implicit->rise);
    rn_free(hooks, implicit->take);
    rn_free(hooks, implicit->kind);
    rn_free(hooks, implicit->rows);
    rn_free(hooks, implicit->open);
    implicit->rise = implicit->take = implicit->open = NULL;
    implicit->kind = NULL;
    implicit->rows = NULL;
    implicit->slots = implicit->row_count = 0;
}

size_t rn_implicit_bytes(const rn_implicit *implicit) {
    return implicit->slots * ((implicit->open ? 3 : 2) * sizeof *implicit->rise + sizeof *implicit->kind) +
           implicit->row_count * sizeof *implicit->rows;
}

/* ---- Heads as they are ------------------------------------------------------------------------------------------ */

/* Past a periodic edge a head counts as much lower as the ground does. */
static void mirror_heads(rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    for (int r = 0; (s->columns.periodic_x || s->columns.periodic_y) && r < row_count(s); r++) {
        const place p = row_place(s, r);
        mirror_row(s, s->graph.head, p.layer, p.y);
        float *row = s->graph.head + rn_slot(g, p.layer, p.y, 0);
        if (s->columns.periodic_x && row[-1] > 0.0f) row[-1] += s->columns.drop[0];
        if (s->columns.periodic_x && row[g->nx] > 0.0f) row[g->nx] -= s->columns.drop[0];
    }
    for (int l = 0; s->columns.periodic_y && s->columns.drop[1] != 0.0f && l < g->layers; l++)
        for (int x = 0; x < g->nx; x++) {
            float *low = s->graph.head + rn_slot(g, l, -1, x), *high = s->graph.head + rn_slot(g, l, g->ny, x);
            if (*low > 0.0f) *low += s->columns.drop[1];
            if (*high > 0.0f) *high -= s->columns.drop[1];
        }
}

/* Lanes within the row that begins at `row`: those past its end belong to nobody. */
RN_INLINE rn_mask lanes_in(const rn_state *s, int32_t row, int32_t c) {
    rn_mask mask;
    for (int lane = 0; lane < RN_LANES; lane++) mask[lane] = c - row + lane < s->columns.grid.nx ? -1 : 0;
    return mask;
}

static float head_at(const rn_state *s, int32_t c) {
    return s->graph.head[c] > 0.0f ? s->graph.head[c] : s->columns.base[c] + rn_column_felt(&s->columns, c);
}

RN_INLINE rn_wide taken_at(const rn_state *s, int32_t c) {
    return s->columns.parted ? rn_load(s->columns.solid_taken + c) : rn_splat(0.0f);
}

RN_INLINE rn_wide stand_at(const rn_state *s, int32_t c) {
    rn_wide stand = rn_load(s->columns.depth + c);
    if (s->columns.parted && rn_any(taken_at(s, c) > 0.0f))
        for (int lane = 0; lane < RN_LANES; lane++) stand[lane] = rn_column_felt(&s->columns, c + lane);
    return stand;
}

/* The depth that would stand as high as pipes feel it. */
RN_INLINE rn_wide felt_depth(const rn_state *s, int32_t c) {
    rn_wide depth = rn_load(s->columns.depth + c);
    if (!s->columns.parted || !rn_any(taken_at(s, c) > 0.0f)) return depth;
    for (int lane = 0; lane < RN_LANES; lane++) {
        const float felt = rn_column_felt(&s->columns, c + lane);
        if (felt == rn_column_stand(&s->columns, c + lane)) continue;
        const rn_part part = rn_column_part(&s->columns, c + lane);
        depth[lane] = rn_part_depth(&part, s->columns.base[c + lane], s->columns.base[c + lane] + felt);
    }
    return depth;
}

/* Heads as a pipe feels them where one of its columns is full, and what is lost on the way out. */
typedef struct felt {
    rn_wide hi, hj;
    rn_wide loss; /* 1/s */
} felt;

RN_INLINE felt feel(const newton *n, const rn_ends *p, rn_wide hi, rn_wide hj, rn_mask full_i, rn_mask full_j,
                    rn_wide f) {
    const rn_mask at_j = full_i & ~full_j, at_i = full_j & ~full_i;
    const rn_wide ceil = rn_select(at_j, p->cj, p->ci), base = rn_select(at_j, p->bj, p->bi);
    const rn_wide most = rn_keep(ceil < n->step.s->columns.lid, ceil - base), out = rn_keep(at_j, f) - rn_keep(at_i, f);
    const rn_mouth mouth = rn_duct_mouth(n->step.law, p, rn_select(at_j, hj, hi), most, out);
    return (felt){rn_select(at_i, mouth.level, hi), rn_select(at_j, mouth.level, hj), mouth.loss};
}

/* ---- Fluxes: what is kept, and what a head difference adds ------------------------------------------------------- */

typedef struct wide_gauge {
    rn_wide height, fast_speed;
} wide_gauge;

/* Leaves what is kept of a flux in `move`, as m of depth, and what 1 m of head adds in `link`. */
static void start_lanes(const newton *n, int32_t row, int axis, wide_gauge *peak) {
    const rn_state *s = n->step.s;
    const rn_law law = *n->step.law;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    const float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y, *const across = axis == 0
                                                                                                     ? s->graph.slope_y
                                                                                                     : s->graph.slope_x;
    const uint8_t *const pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    float *const move = axis == 0 ? s->graph.move_x : s->graph.move_y;
    float *const link = axis == 0 ? n->grid->levels[0].link_x : n->grid->levels[0].link_y;
    const float tilt = law.tilt[axis], tilt_across = law.tilt[1 - axis];
    const rn_wide zero = {0}, one = rn_splat(1.0f);
    for (int32_t i = row; i < row + s->columns.grid.nx; i += RN_LANES) {
        const int32_t j = i + next;
        rn_ends p = {.di = rn_load(s->columns.depth + i), .dj = rn_load(s->columns.depth + j)};
        rn_store(link + i, zero);
        rn_store(move + i, zero);
        if (!rn_any((rn_mask)p.di | (rn_mask)p.dj)) continue;
        p.bi = rn_load(s->columns.base + i), p.bj = rn_load(s->columns.base + j);
        p.ci = rn_load(s->columns.ceil + i), p.cj = rn_load(s->columns.ceil + j);
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j);
        const rn_mask full_i = head_i > 0.0f, full_j = head_j > 0.0f, duct = full_i | full_j;
        const rn_wide hi = rn_select(full_i, head_i, p.bi + p.di), hj = rn_select(full_j, head_j, p.bj + p.dj);
        const rn_wide dh = hi - hj + tilt;
        rn_wide f = rn_load(flux + i);
        rn_wide H = rn_select(duct, rn_pipe_room(&p), rn_pipe_height(&p));
        H = rn_keep(load_plain(pipes + i), H);
        rn_wide e = upper_slope(dh, rn_load(s->graph.slope + i), rn_load(s->graph.slope + j));
        rn_wide gt = rn_select(dh > 0.0f, rn_load(across + i), rn_load(across + j)) + tilt_across;
        rn_wide kappa = rn_splat(law.kappa), m = one, kept, gain;
        if (s->columns.kappa) kappa = 0.5f * (rn_load(s->columns.kappa + i) + rn_load(s->columns.kappa + j));
        rn_wide D = rn_pipe_drag(&law, kappa, H, e);
        if (rn_any(duct)) {
            e = rn_select(duct, rn_select(full_i & full_j, rn_duct_slope(&law, &p), one), e);
            const rn_wide loss = feel(n, &p, hi, hj, full_i, full_j, f).loss;
            D = rn_select(duct, rn_duct_drag(&law, kappa + loss, H, e), D);
        }
        const rn_wide bound = rn_keep(H > 0.0f, law.fastest * law.cell * H);
        f = rn_lesser(rn_greater(f, -bound), bound);
        if (rn_any(rn_pipe_is_fast(&law, H, e, rn_splat(4.0f), f) & ~duct)) {
            const rn_wide phi = rn_pipe_diagonal(dh, gt);
            const rn_mask fast = rn_pipe_is_fast(&law, H, e, phi, f) & (H >= RN_CLOSED) & ~duct;
            m = rn_select(fast, rn_pipe_inertia(&law, H, dh, e, D, phi, f), one);
            peak->fast_speed = rn_greater(rn_keep(fast & (m > 1.0f), rn_size(rn_pipe_speed(&law, H, f)) * rn_root(phi)),
                                          peak->fast_speed);
        }
        rn_pipe_split(&law, H, e, D, m, &kept, &gain);
        rn_store(move + i, kept * f * n->per_flux);
        rn_store(link + i, gain * n->per_flux);
        peak->height = rn_greater(H, peak->height);
    }
}

static bool is_idle(const newton *n, const place *p) {
    return n->implicit->rows[p->layer * n->step.s->columns.grid.ny + p->y].idle;
}

static bool is_wet(const rn_state *s, int layer, int y) {
    if (s->columns.periodic_y) y = (y + s->columns.grid.ny) % s->columns.grid.ny;
    if (y < 0 || y >= s->columns.grid.ny || !rn_row_at(s, layer, y)->wet) return false;
    const int32_t row = rn_slot(&s->columns.grid, layer, y, 0);
    for (int32_t c = row; c < row + s->columns.grid.nx; c++)
        if (s->columns.depth[c] > 0.0f) return true;
    return false;
}

/* From the depths themselves: a row's own flag may be a substep late, and bits must not depend on that. */
static void find_idle(const newton *n) {
    const rn_state *s = n->step.s;
    bool below = false, here = false, above = false;
    for (int l = 0; l < s->columns.grid.layers; l++) {
        below = below || is_wet(s, l, -1);
        here = here || is_wet(s, l, 0);
    }
    for (int y = 0; y < s->columns.grid.ny; y++) {
        above = false;
        for (int l = 0; l < s->columns.grid.layers && !above; l++) above = is_wet(s, l, y + 1);
        for (int l = 0; l < s->columns.grid.layers; l++)
            n->implicit->rows[l * s->columns.grid.ny + y].idle = !below && !here && !above;
        below = here;
        here = above;
    }
}

static void start_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    rn_state *s = n->step.s;
    wide_gauge peak = {0};
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        if (is_idle(n, &p) && row->still) continue;
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        row->still = false;
        start_lanes(n, first, 0, &peak);
        start_lanes(n, first, 1, &peak);
    }
    raise(&s->schedule.peaks[worker].height, rn_greatest(peak.height));
    raise(&s->schedule.peaks[worker].fast_speed, rn_greatest(peak.fast_speed));
}

/* Liquid that leaves a brink does not feel what waits below: its flux is known. */
static void start_fall(const newton *n, int32_t i, const rn_ends *p, float dh, float ledge, float slope, rn_wide e,
                       rn_wide kappa, float f) {
    rn_state *s = n->step.s;
    const rn_law *law = n->step.law;
    const rn_wide room = rn_pipe_room(p), brake = rn_pipe_brake(law, kappa, room * room, e);
    const rn_flow flow =
        rn_pipe_fall(law, p, room, rn_splat(dh), rn_splat(ledge), rn_splat(slope), e, brake, rn_splat(f));
    s->graph.loose_move[i] = flow.f[0] * n->per_flux;
    n->grid->levels[0].loose_link[i] = 0.0f;
}

/* The ends of a loose pipe, b counting as much lower as it does. */
static rn_ends loose_ends(const newton *n, int32_t i) {
    const rn_state *s = n->step.s;
    const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
    const float drop = s->graph.loose_drop[i], ha = head_at(s, a), hb = head_at(s, b);
    return (rn_ends){rn_splat(s->columns.base[a]),
                     rn_splat(fminf(ha, s->columns.ceil[a]) - s->columns.base[a]),
                     rn_splat(s->columns.ceil[a]),
                     rn_splat(s->columns.base[b] - drop),
                     rn_splat(fminf(hb, s->columns.ceil[b]) - s->columns.base[b]),
                     rn_splat(s->columns.ceil[b] - drop)};
}

static void start_loose(const newton *n, int32_t i, rn_peak *peak) {
    rn_state *s = n->step.s;
    const rn_law *law = n->step.law;
    const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
    const int axis = s->graph.loose_axis[i];
    const float drop = s->graph.loose_drop[i], tilt = law->tilt[axis];
    float *link = &n->grid->levels[0].loose_link[i];
    float f = s->graph.loose_flux[i];
    s->graph.loose_move[i] = *link = 0.0f;
    if (!(s->columns.depth[a] > 0.0f || s->columns.depth[b] > 0.0f)) return;
    const bool full_a = s->graph.head[a] > 0.0f, full_b = s->graph.head[b] > 0.0f, duct = full_a || full_b;
    const float ha = head_at(s, a), hb = head_at(s, b) - drop;
    const rn_ends p = loose_ends(n, i);
    const float sill = fmaxf(p.bi[0], p.bj[0]), dh = ha - hb + tilt;
    const float *along = axis == 0 ? s->graph.slope_x : s->graph.slope_y,
                *across = axis == 0 ? s->graph.slope_y : s->graph.slope_x;
    const int32_t upper = dh > 0.0f ? a : b;
    const float e = dh != 0.0f ? s->graph.slope[upper] : fminf(s->graph.slope[a], s->graph.slope[b]);
    const rn_wide kappa = rn_splat(s->columns.kappa ? 0.5f * (s->columns.kappa[a] + s->columns.kappa[b]) : law->kappa);
    const bool sink = n->grid->levels[0].loose_a[i] < 0 || n->grid->levels[0].loose_b[i] < 0;
    if (!duct && (s->graph.loose_kind[i] & RN_PIPE_FALL) && (sink || fminf(ha, hb) <= sill)) {
        start_fall(n, i, &p, dh, fmaxf(ha, sill) - fmaxf(hb, sill) + tilt, along[upper], rn_splat(e), kappa, f);
    } else {
        const rn_wide room = rn_pipe_room(&p), one = rn_splat(1.0f);
        rn_wide H = duct || (s->graph.loose_kind[i] & RN_PIPE_FALL) ? room : rn_pipe_height(&p);
        if (s->columns.parted)
            H *= rn_part_open(sill, room[0], s->graph.loose_low[i], s->graph.loose_high[i], s->graph.loose_shut[i]);
        const rn_wide ee = full_a && full_b ? rn_duct_slope(law, &p) : duct ? one : rn_splat(e);
        const rn_wide loss = feel(n, &p, rn_splat(ha), rn_splat(hb), rn_splat(s->graph.head[a]) > 0.0f,
                                  rn_splat(s->graph.head[b]) > 0.0f, rn_splat(f))
                                 .loss;
        const rn_wide D = duct ? rn_duct_drag(law, kappa + loss, H, ee) : rn_pipe_drag(law, kappa, H, ee);
        const float bound = H[0] > 0.0f ? law->fastest * law->cell * H[0] : 0.0f;
        rn_wide kept, gain, m = one;
        f = fmaxf(fminf(f, bound), -bound);
        if (!duct && !(s->graph.loose_kind[i] & RN_PIPE_FALL)) {
            const rn_wide phi = rn_pipe_diagonal(rn_splat(dh), rn_splat(across[upper] + law->tilt[1 - axis]));
            if (rn_any(rn_pipe_is_fast(law, H, ee, phi, rn_splat(f))) && H[0] >= RN_CLOSED)
                m = rn_pipe_inertia(law, H, rn_splat(dh), ee, D, phi, rn_splat(f));
        }
        rn_pipe_split(law, H, ee, D, m, &kept, &gain);
        s->graph.loose_move[i] = kept[0] * f * n->per_flux;
        *link = gain[0] * n->per_flux;
        raise(&peak->height, H[0]);
    }
}

/* The level difference that drives a loose pipe; liquid below the sill between cannot pull. */
static float loose_fall_of(const newton *n, int32_t i) {
    const rn_state *s = n->step.s;
    const int32_t a = s->graph.loose_a[i], b = s->graph.loose_b[i];
    const rn_ends p = loose_ends(n, i);
    const float sill = fmaxf(p.bi[0], p.bj[0]);
    const rn_level *level = &n->grid->levels[0];
    const float ha = level->loose_a[i] < 0 ? sill : head_at(s, a),
                hb = level->loose_b[i] < 0 ? sill : head_at(s, b) - s->graph.loose_drop[i];
    const felt out = feel(n, &p, rn_splat(ha), rn_splat(hb), rn_splat(s->graph.head[a]) > 0.0f,
                          rn_splat(s->graph.head[b]) > 0.0f, rn_splat(s->graph.loose_flux[i]));
    return out.hi[0] - out.hj[0] + n->step.law->tilt[s->graph.loose_axis[i]];
}

/* ---- What is kept must be there to give ------------------------------------------------------------------------- */

RN_INLINE rn_wide flow_in(const rn_state *s, int32_t c) {
    const int32_t up = s->columns.grid.stride;
    return (rn_positive(rn_load(s->graph.move_x + c - 1)) + rn_positive(-rn_load(s->graph.move_x + c))) +
           (rn_positive(rn_load(s->graph.move_y + c - up)) + rn_positive(-rn_load(s->graph.move_y + c)));
}

RN_INLINE rn_wide flow_out(const rn_state *s, int32_t c) {
    const int32_t up = s->columns.grid.stride;
    return (rn_positive(-rn_load(s->graph.move_x + c - 1)) + rn_positive(rn_load(s->graph.move_x + c))) +
           (rn_positive(-rn_load(s->graph.move_y + c - up)) + rn_positive(rn_load(s->graph.move_y + c)));
}

/* Gross sums over loose pipes, by special: out of it, and into it. */
static void loose_sums(const rn_state *s, const rn_special *special, float *out, float *in) {
    *out = *in = 0.0f;
    for (int32_t k = special->begin; k < special->end; k++) {
        const float t = s->graph.loose_move[s->graph.links[k] / 2], leaves = s->graph.links[k] % 2 ? -t : t;
        if (leaves > 0.0f) *out += leaves;
        else *in -= leaves;
    }
}

static void kept_shares(void *context, int begin, int end, int worker) {
    const newton *n = context;
    rn_state *s = n->step.s;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        if (is_idle(n, &p)) continue;
        const int32_t row = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
            const rn_wide out = flow_out(s, c), depth = rn_load(s->columns.depth + c);
            const rn_mask short_of = (out > depth) & (rn_load(s->graph.head + c) <= 0.0f);
            rn_store(s->graph.share + c, rn_select(short_of, depth / out, rn_splat(1.0f)));
        }
        mirror_row(s, s->graph.share, p.layer, p.y);
    }
}

static void special_kept(const newton *n) {
    rn_state *s = n->step.s;
    for (int32_t i = 0; i < s->graph.special_count; i++) {
        const int32_t c = s->graph.specials[i].slot;
        if (s->graph.specials[i].sink) {
            s->graph.share[c] = 1.0f;
            continue;
        }
        float out, in;
        loose_sums(s, &s->graph.specials[i], &out, &in);
        out += flow_out(s, c)[0];
        /* what solid closes in on flows on with what comes in, in the same substep */
        const float there =
            rn_column_is_parted(&s->columns, c) ? s->columns.depth[c] + (in + flow_in(s, c)[0]) : s->columns.depth[c];
        s->graph.share[c] = out > there && !(s->graph.head[c] > 0.0f) ? there / out : 1.0f;
        const place p = {rn_slot_place(&s->columns.grid, c).layer, rn_slot_place(&s->columns.grid, c).y};
        mirror_row(s, s->graph.share, p.layer, p.y);
    }
}

/* Falls push where nothing can push back, so no more may come down than there is room for. */
static void limit_falls(const newton *n) {
    rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    float *const coming = n->implicit->take;
    for (int32_t i = 0; i < s->graph.loose; i++) coming[s->graph.loose_a[i]] = coming[s->graph.loose_b[i]] = 0.0f;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < s->graph.loose; i++) {
            const float v = s->graph.loose_move[i];
            const int32_t to = v > 0.0f ? s->graph.loose_b[i] : s->graph.loose_a[i];
            if (v == 0.0f || level->loose_link[i] > 0.0f) continue;
            if ((v > 0.0f ? level->loose_b : level->loose_a)[i] < 0) continue; /* sinks take all */
            const float room = rn_column_room(&s->columns, to);
            if (pass == 0) coming[to] += fabsf(v);
            else if (coming[to] > room) s->graph.loose_move[i] = v * (room / coming[to]);
        }
}

/* What is kept, limited, and what the heads of the last substep add. */
RN_INLINE void add_heads(const newton *n, int32_t row, int axis) {
    const rn_state *s = n->step.s;
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    float *const move = axis == 0 ? s->graph.move_x : s->graph.move_y;
    const float *const link = axis == 0 ? n->grid->levels[0].link_x : n->grid->levels[0].link_y;
    const float *const flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y;
    const float tilt = n->step.law->tilt[axis];
    for (int32_t i = row; i < row + s->columns.grid.nx; i += RN_LANES) {
        const int32_t j = i + next;
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j), v = rn_load(move + i),
                      g = rn_load(link + i);
        const rn_mask full_i = head_i > 0.0f, full_j = head_j > 0.0f;
        rn_ends p = {.bi = rn_load(s->columns.base + i),
                     .di = rn_load(s->columns.depth + i),
                     .ci = rn_load(s->columns.ceil + i)};
        p.bj = rn_load(s->columns.base + j), p.dj = rn_load(s->columns.depth + j), p.cj = rn_load(s->columns.ceil + j);
        rn_wide hi = rn_select(full_i, head_i, p.bi + p.di), hj = rn_select(full_j, head_j, p.bj + p.dj);
        if (rn_any(full_i ^ full_j)) {
            const felt out = feel(n, &p, hi, hj, full_i, full_j, rn_load(flux + i));
            hi = out.hi, hj = out.hj;
        }
        const rn_wide share = rn_select(v > 0.0f, rn_load(s->graph.share + i), rn_load(s->graph.share + j));
        rn_store(move + i, v * share + rn_keep(g > 0.0f, g * ((hi - hj) + tilt)));
    }
}

static void head_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        if (is_idle(n, &p)) continue;
        add_heads(n, rn_slot(&s->columns.grid, p.layer, p.y, 0), 0);
        add_heads(n, rn_slot(&s->columns.grid, p.layer, p.y, 0), 1);
    }
}

/* Links over periodic edges are loose ones to the solver. */
static void move_wraps(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_grid *g = &s->columns.grid;
    rn_level *level = &n->grid->levels[0];
    for (int l = 0; l < g->layers; l++) {
        for (int y = 0; s->columns.periodic_x && y < g->ny; y++) {
            const int32_t c = rn_slot(g, l, y, g->nx - 1);
            level->loose_link[rn_multigrid_wrap(s, 0, c)] = level->link_x[c];
            level->link_x[c] = 0.0f;
        }
        for (int x = 0; s->columns.periodic_y && x < g->nx; x++) {
            const int32_t c = rn_slot(g, l, g->ny - 1, x);
            level->loose_link[rn_multigrid_wrap(s, 1, c)] = level->link_y[c];
            level->link_y[c] = 0.0f;
        }
    }
}

/* All links of a column together, in `share`: one without any follows from what comes and goes. */
static void sum_links(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const int32_t up = s->columns.grid.stride;
    for (int32_t i = 0; i < level->strip_count; i++)
        for (int32_t c = level->strips[i].slot; c < level->strips[i].slot + level->strips[i].count; c += RN_LANES)
            rn_store(s->graph.share + c, (rn_load(level->link_x + c - 1) + rn_load(level->link_x + c)) +
                                             (rn_load(level->link_y + c - up) + rn_load(level->link_y + c)));
    for (int32_t i = 0; i < level->loose; i++) {
        if (level->loose_a[i] >= 0) s->graph.share[level->loose_a[i]] += level->loose_link[i];
        if (level->loose_b[i] >= 0) s->graph.share[level->loose_b[i]] += level->loose_link[i];
    }
}

/* ---- Newton -------------------------------------------------------------------------------------------------- */

/* What a full column holds, as m over the whole cell: what it has, so that nothing moves for the sake of a few quanta.
 */
RN_INLINE rn_wide full_depth(const rn_law *law, rn_wide depth, rn_wide most) {
    return rn_select(depth < most - NEAR_FULL * law->quantum, most - TOPPED * law->quantum, depth);
}

/* The kinds of columns for the heads so far, and how far each is from balance. */
static void balance_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    const rn_law law = *n->step.law;
    rn_level *level = &n->grid->levels[0];
    const float *const rise = n->implicit->rise, *const open = n->implicit->open;
    uint8_t *const kinds = n->implicit->kind;
    const int32_t up = s->columns.grid.stride;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        rn_newton_row *found = &n->implicit->rows[r];
        found->mark = RN_HASH_START;
        if (is_idle(n, &p)) continue;
        const int32_t row = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
            const rn_wide base = rn_load(s->columns.base + c), head = rn_load(s->graph.head + c), e = rn_load(rise + c);
            const rn_wide depth = rn_load(s->columns.depth + c), share = open ? rn_load(open + c) : rn_splat(1.0f);
            const rn_mask column = (base < RN_NO_COLUMN) & (base >= 0.0f) & lanes_in(s, row, c), flooded = head > 0.0f;
            const rn_wide most = rn_load(s->columns.ceil + c) - base - taken_at(s, c);
            const rn_wide steep = share * (1.0f / WEIGHT), ceil = rn_load(s->columns.ceil + c);
            const rn_wide whole = full_depth(&law, depth, most);
            const rn_wide start = rn_select(flooded, whole + (head - ceil) * steep, felt_depth(s, c)),
                          v = start + e * steep;
            rn_mask was_full, was_dry;
            for (int lane = 0; lane < RN_LANES; lane++) {
                was_full[lane] = kinds[c + lane] == KIND_FULL || kinds[c + lane] == KIND_TOPPED ? -1 : 0;
                was_dry[lane] = kinds[c + lane] == KIND_DRY ? -1 : 0;
            }
            const rn_wide links = rn_load(s->graph.share + c);
            rn_mask full = v >= whole, dry = ~full & (v <= 0.0f);
            if (n->pass == FIRST) dry = (rn_mask){0};
            if (n->pass == INNER) full = was_full, dry = ~full & (was_dry | (v <= 0.0f));
            if (n->pass == OUTER) dry = (rn_mask){0};
            const rn_mask alone = links == 0.0f;
            full &= ~alone;
            dry &= ~alone;
            const rn_mask free_kind = ~(full | dry);
            const rn_wide gap = rn_select(full, depth - whole, rn_select(dry, depth, (depth - start) - e * steep));
            const rn_wide x = rn_load(rise + c);
            const rn_wide west = rn_load(s->graph.move_x + c - 1) +
                                 rn_load(level->link_x + c - 1) * (rn_load(rise + c - 1) - x),
                          east =
                              rn_load(s->graph.move_x + c) + rn_load(level->link_x + c) * (x - rn_load(rise + c + 1)),
                          south = rn_load(s->graph.move_y + c - up) +
                                  rn_load(level->link_y + c - up) * (rn_load(rise + c - up) - x),
                          north =
                              rn_load(s->graph.move_y + c) + rn_load(level->link_y + c) * (x - rn_load(rise + c + up));
            const rn_wide left = rn_keep(column, gap + ((west - east) + (south - north)));
            rn_store(level->b + c, left);
            rn_store(level->own + c, rn_keep(column, rn_select(free_kind, steep, YIELD * (links + 1.0f))));
            for (int lane = 0; lane < RN_LANES; lane++)
                kinds[c + lane] = (uint8_t)(!column[lane] ? KIND_NONE
                                            : full[lane]  ? (depth[lane] < whole[lane] ? KIND_TOPPED : KIND_FULL)
                                            : dry[lane]   ? KIND_DRY
                                                          : KIND_FREE);
        }
        for (int32_t c = row; c < row + s->columns.grid.nx; c += 8) {
            uint64_t eight;
            memcpy(&eight, kinds + c, sizeof eight);
            found->mark = (found->mark ^ eight) * 0x9e3779b97f4a7c15u;
            found->mark ^= found->mark >> 29;
        }
    }
}

static void add_loose_balance(const newton *n) {
    const rn_state *s = n->step.s;
    rn_level *level = &n->grid->levels[0];
    const float *rise = n->implicit->rise;
    for (int32_t i = 0; i < level->loose; i++) {
        const int32_t a = level->loose_a[i], b = level->loose_b[i];
        const float known =
            i < s->graph.loose ? s->graph.loose_move[i] : 0.0f; /* over periodic edges it has been counted */
        const float v = known + level->loose_link[i] * ((a < 0 ? 0.0f : rise[a]) - (b < 0 ? 0.0f : rise[b]));
        if (a >= 0) level->b[a] -= v;
        if (b >= 0) level->b[b] += v;
    }
}

/* Returns a mark of all kinds; the same again means the same kinds. */
static uint64_t balance(newton *n, rn_pool *pool) {
    rn_parallel_for(pool, row_count(n->step.s), balance_rows, n);
    add_loose_balance(n);
    uint64_t mark = RN_HASH_START;
    for (size_t r = 0; r < n->implicit->row_count; r++) mark = rn_hash_long(mark, n->implicit->rows[r].mark);
    return mark;
}

static void add_rise(void *context, int begin, int end, int worker) {
    const newton *n = context;
    const rn_level *level = &n->grid->levels[0];
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_strip *strip = &level->strips[i];
        for (int32_t c = strip->slot; c < strip->slot + strip->count; c += RN_LANES)
            rn_store(n->implicit->rise + c, rn_load(n->implicit->rise + c) + rn_load(n->grid->solution + c));
    }
}

static float worst_balance(const newton *n) { return rn_multigrid_largest(&n->grid->levels[0], n->grid->levels[0].b); }

typedef enum outcome { BALANCED, CIRCLES, FAILED } outcome;

/* Solves for the kinds and residuals that `balance` has left. */
static bool solve_once(newton *n, rn_flood *flood, rn_pool *pool) {
    const float tolerance = fmaxf(0.25f * n->step.law->quantum, LINEAR * worst_balance(n));
    const rn_solve solve = rn_multigrid_solve(n->grid, pool, tolerance, flood->most);
    if (solve.iterations > flood->iterations) flood->iterations = solve.iterations;
    n->residual = solve.residual;
    if (!solve.converged) return false;
    rn_parallel_for(pool, n->grid->levels[0].strip_count, add_rise, n);
    return true;
}

/* Newton's own iteration. Kinds that stay as they were are right, for then the system was linear. */
static outcome go_straight(newton *n, rn_flood *flood, rn_pool *pool) {
    uint64_t marks[NEWTONS];
    for (int i = 0; i < NEWTONS; i++) {
        n->pass = i == 0 ? FIRST : SINGLE;
        marks[i] = balance(n, pool);
        n->residual = worst_balance(n);
        if (i == 0) n->enough = fmaxf(ENOUGH * n->step.law->quantum, NEWTON * n->residual);
        if (n->residual <= (i == 0 ? 0.25f * n->step.law->quantum : n->enough)) return BALANCED;
        if (i > 0 && marks[i] == marks[i - 1]) return BALANCED;
        for (int k = 0; k + 1 < i; k++)
            if (marks[k] == marks[i]) return CIRCLES;
        if (!solve_once(n, flood, pool)) return FAILED;
    }
    return CIRCLES;
}

/* Newton may go round in circles. This never does (Brugnano and Casulli 2009): first without ceilings, columns falling
   dry one after the other; then with the ceilings that were passed, and so on. */
static outcome go_nested(newton *n, rn_flood *flood, rn_pool *pool) {
    memset(n->implicit->kind, KIND_FREE, n->implicit->slots);
    n->pass = INNER;
    uint64_t mark = balance(n, pool);
    for (int i = 0; i < NESTED; i++) {
        if (!solve_once(n, flood, pool)) return FAILED;
        n->pass = INNER;
        const uint64_t before = mark;
        mark = balance(n, pool);
        if (mark != before && worst_balance(n) > n->enough) continue;
        n->pass = SINGLE;
        balance(n, pool);
        n->residual = worst_balance(n);
        if (n->residual <= n->enough) return BALANCED;
        n->pass = OUTER;
        mark = balance(n, pool);
    }
    n->residual = worst_balance(n);
    return FAILED;
}

/* Heads that leave every column in balance. */
static bool find_heads(newton *n, rn_flood *flood, rn_pool *pool) {
    outcome how = go_straight(n, flood, pool);
    if (how == CIRCLES) how = go_nested(n, flood, pool);
    if (how == BALANCED) return true;
    if (flood->failures++ == 0) flood->residual = n->residual;
    return false;
}

/* ---- Transfers ----------------------------------------------------------------------------------------------- */

/* Whole quanta, as an ordinary pipe has them. */
RN_INLINE rn_flow take(const newton *n, rn_wide v, rn_wide dh, rn_mask open) {
    rn_flow flow = {.f = v * (1.0f / n->per_flux)};
    rn_pipe_quantise(n->step.law, open, dh, v, &flow);
    return flow;
}

RN_INLINE void finish_lanes(const newton *n, int32_t row, int axis, rn_wide *speed) {
    const rn_state *s = n->step.s;
    const rn_law *law = n->step.law;
    const rn_level *level = &n->grid->levels[0];
    const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
    float *const move = axis == 0 ? s->graph.move_x : s->graph.move_y, *const flux = axis == 0 ? s->columns.flux_x
                                                                                               : s->columns.flux_y;
    const float *const link = axis == 0 ? level->link_x : level->link_y, *const rise = n->implicit->rise;
    const uint8_t *const pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    const float tilt = law->tilt[axis];
    for (int32_t i = row; i < row + s->columns.grid.nx; i += RN_LANES) {
        const int32_t j = i + next;
        const rn_wide e = rn_load(rise + i) - rn_load(rise + j), v = rn_load(move + i) + rn_load(link + i) * e;
        const rn_wide head_i = rn_load(s->graph.head + i), head_j = rn_load(s->graph.head + j);
        rn_ends p = {.bi = rn_load(s->columns.base + i),
                     .di = rn_load(s->columns.depth + i),
                     .ci = rn_load(s->columns.ceil + i)};
        p.bj = rn_load(s->columns.base + j), p.dj = rn_load(s->columns.depth + j), p.cj = rn_load(s->columns.ceil + j);
        const rn_wide hi = rn_select(head_i > 0.0f, head_i, p.bi + p.di),
                      hj = rn_select(head_j > 0.0f, head_j, p.bj + p.dj);
        const rn_flow flow = take(n, v, (hi - hj) + tilt + e, load_plain(pipes + i));
        const rn_wide H = rn_pipe_room(&p);
        *speed = rn_greater(rn_keep(H > law->felt, rn_size(rn_pipe_speed(law, H, flow.f))), *speed);
        rn_store(flux + i, flow.f);
        rn_store(move + i, flow.t);
    }
}

/* Pipes over periodic edges, whose links the solver has among the loose ones: first those along x. */
static void finish_wraps(const newton *n) {
    const rn_state *s = n->step.s;
    const rn_level *level = &n->grid->levels[0];
    const float *rise = n->implicit->rise;
    const int32_t along_y = s->graph.loose + (s->columns.periodic_x ? s->columns.grid.layers * s->columns.grid.ny : 0);
    for (int32_t i = s->graph.loose; i < level->loose; i++) {
        const int32_t a = level->loose_a[i], b = level->loose_b[i];
        (i < along_y ? s->graph.move_x : s->graph.move_y)[a] += level->loose_link[i] * (rise[a] - rise[b]);
    }
}

static void finish_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    rn_state *s = n->step.s;
    rn_wide speed = {0};
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        if (row->still) continue;
        finish_lanes(n, first, 0, &speed);
        finish_lanes(n, first, 1, &speed);
        row->still = is_idle(n, &p);
    }
    raise(&s->schedule.peaks[worker].speed, rn_greatest(speed));
}

static void finish_loose(const newton *n, rn_peak *peak) {
    rn_state *s = n->step.s;
    const rn_law *law = n->step.law;
    const rn_level *level = &n->grid->levels[0];
    const float *rise = n->implicit->rise;
    for (int32_t i = 0; i < s->graph.loose; i++) {
        const int32_t a = level->loose_a[i], b = level->loose_b[i];
        const float e = (a < 0 ? 0.0f : rise[a]) - (b < 0 ? 0.0f : rise[b]),
                    v = s->graph.loose_move[i] + level->loose_link[i] * e;
        const float *const open = n->implicit->open,
                           slow = open ? fminf(open[s->graph.loose_a[i]], open[s->graph.loose_b[i]]) : 1.0f;
        const rn_flow flow = take(n, rn_splat(v), rn_splat((loose_fall_of(n, i) + e) * slow), rn_splat(1.0f) > 0.0f);
        const float H =
            rn_state_height(s, s->graph.loose_a[i], s->graph.loose_b[i], s->graph.loose_drop[i]) * rn_loose_open(s, i);
        s->graph.loose_flux[i] = flow.f[0];
        s->graph.loose_move[i] = flow.t[0];
        if (H > law->felt) raise(&peak->speed, fabsf(flow.f[0]) / (law->cell * H));
    }
}

/* ---- Repair: no column may give more than it has and gets, nor get more than it has room for and gives ------- */

/* Shares: of outflows in `share`, of inflows in `take`. */
static void repair_shares(void *context, int begin, int end, int worker) {
    newton *n = context;
    rn_state *s = n->step.s;
    float *const in_share = n->implicit->take;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        rn_row *row = rn_row_at(s, p.layer, p.y);
        row->limited = false;
        if (is_idle(n, &p)) continue;
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        rn_mask limited = {0};
        for (int32_t c = first; c < first + s->columns.grid.nx; c += RN_LANES) {
            const rn_wide in = flow_in(s, c), out = flow_out(s, c), depth = rn_load(s->columns.depth + c),
                          base = rn_load(s->columns.base + c), most = rn_load(s->columns.ceil + c) - base,
                          now = (depth - out) + in;
            rn_mask special; /* these come after, with all of their pipes */
            memcpy(&special, s->graph.special_of + c, sizeof special);
            const rn_mask column = (base < RN_NO_COLUMN) & (special == 0), under = (now < 0.0f) & column,
                          over = (now > most) & column;
            rn_store(s->graph.share + c, rn_select(under, (depth + in) / out * RN_SAFE, rn_splat(1.0f)));
            rn_store(in_share + c, rn_select(over, rn_positive(((most - depth) + out) / in * RN_SAFE), rn_splat(1.0f)));
            limited |= under | over;
        }
        row->limited = rn_any(limited);
        mirror_row(s, s->graph.share, p.layer, p.y);
        mirror_row(s, in_share, p.layer, p.y);
    }
}

static void limited_at(rn_state *s, int32_t slot) {
    const rn_spot at = rn_slot_place(&s->columns.grid, slot);
    rn_row_at(s, at.layer, at.y)->limited = true;
}

static void repair_specials(newton *n) {
    rn_state *s = n->step.s;
    float *const in_share = n->implicit->take;
    for (int32_t i = 0; i < s->graph.special_count; i++) {
        const rn_special *special = &s->graph.specials[i];
        const int32_t c = special->slot;
        s->graph.share[c] = in_share[c] = 1.0f;
        float out, in;
        loose_sums(s, special, &out, &in);
        if (special->sink) { /* takes all, but as much as can be counted exactly */
            if (in > rn_most_at_once(n->step.law)) in_share[c] = rn_most_at_once(n->step.law) / in * RN_SAFE;
            if (in_share[c] < 1.0f) limited_at(s, c);
            continue;
        }
        out += flow_out(s, c)[0];
        in += flow_in(s, c)[0];
        const float most = rn_column_capacity(&s->columns, c), now = (s->columns.depth[c] - out) + in;
        if (now < 0.0f) s->graph.share[c] = (s->columns.depth[c] + in) / out * RN_SAFE;
        if (now > most) in_share[c] = fmaxf(((most - s->columns.depth[c]) + out) / in * RN_SAFE, 0.0f);
        const rn_spot at = rn_slot_place(&s->columns.grid, c);
        const float countable = rn_most_at_once(n->step.law);
        if (out > countable) s->graph.share[c] = fminf(s->graph.share[c], countable / out * RN_SAFE);
        if (in > countable) in_share[c] = fminf(in_share[c], countable / in * RN_SAFE);
        if (s->graph.share[c] < 1.0f || in_share[c] < 1.0f) limited_at(s, c);
        mirror_row(s, s->graph.share, at.layer, at.y);
        mirror_row(s, in_share, at.layer, at.y);
    }
}

static void repair_rows(void *context, int begin, int end, int worker) {
    const newton *n = context;
    rn_state *s = n->step.s;
    const rn_law law = *n->step.law;
    const float *const in_share = n->implicit->take, *const out_share = s->graph.share;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        const rn_row *row = rn_row_at(s, p.layer, p.y);
        if (row->still) continue;
        const int32_t first = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int axis = 0; axis < 2; axis++) {
            const int32_t next = axis == 0 ? 1 : s->columns.grid.stride;
            float *const move = axis == 0 ? s->graph.move_x : s->graph.move_y, *const flux = axis == 0
                                                                                                 ? s->columns.flux_x
                                                                                                 : s->columns.flux_y;
            const uint8_t *const pipes = axis == 0 ? s->graph.pipe_x : s->graph.pipe_y;
            for (int32_t i = first; i < first + s->columns.grid.nx; i += RN_LANES) {
                const rn_wide t = rn_load(move + i);
                const rn_mask ahead = t > 0.0f;
                const rn_wide share = rn_lesser(rn_select(ahead, rn_load(out_share + i), rn_load(out_share + i + next)),
                                                rn_select(ahead, rn_load(in_share + i + next), rn_load(in_share + i)));
                const rn_mask cut = (share < 1.0f) & (t != 0.0f) & load_open(pipes + i);
                if (!rn_any(cut)) continue;
                const rn_wide f = rn_load(flux + i);
                rn_store(move + i, rn_select(cut, rn_limit_transfer(&law, t, share), t));
                rn_store(flux + i, rn_select(cut, rn_limit_flux(f, share), f));
            }
        }
    }
}

static void repair_loose(const newton *n) {
    rn_state *s = n->step.s;
    const float *const in_share = n->implicit->take;
    for (int32_t i = 0; i < s->graph.loose; i++) {
        const float t = s->graph.loose_move[i];
        const int32_t from = t > 0.0f ? s->graph.loose_a[i] : s->graph.loose_b[i],
                      to = t > 0.0f ? s->graph.loose_b[i] : s->graph.loose_a[i];
        const float share = fminf(s->graph.share[from], in_share[to]);
        if (t == 0.0f || share >= 1.0f || (s->graph.loose_kind[i] & RN_PIPE_DUCT)) continue;
        s->graph.loose_move[i] = rn_limit_transfer(n->step.law, rn_splat(t), rn_splat(share))[0];
        s->graph.loose_flux[i] = rn_limit_flux(rn_splat(s->graph.loose_flux[i]), rn_splat(share))[0];
    }
}

/* Rows past the edges have sinks at most, which no pass over rows comes to. */
static void free_rims(const rn_state *s) {
    for (int l = 0; l < s->columns.grid.layers; l++)
        rn_row_at(s, l, -1)->limited = rn_row_at(s, l, s->columns.grid.ny)->limited = false;
}

static bool any_limited(const rn_state *s) {
    for (int i = 0; i < s->columns.grid.layers * (s->columns.grid.ny + 2); i++)
        if (s->schedule.rows[i].limited) return true;
    return false;
}

/* Net sums, because liquid may pass through several columns in one substep. Passages give way as a whole. Gross sums,
   if that takes too long. */
static void repair(newton *n, rn_flood *flood, rn_pool *pool) {
    rn_state *s = n->step.s;
    rn_passages_take(flood, s, n->step.law);
    bool legal = false;
    for (int sweep = 0; sweep < SWEEPS && !legal; sweep++) {
        mirror_pipes(s, s->graph.move_x, s->graph.move_y);
        free_rims(s);
        rn_parallel_for(pool, row_count(s), repair_shares, n);
        repair_specials(n);
        legal = !any_limited(s);
        if (legal) break;
        rn_parallel_for(pool, row_count(s), repair_rows, n);
        repair_loose(n);
        rn_passages_repair(flood, s, n->step.law, s->graph.share, n->implicit->take);
    }
    rn_passages_release(flood, s);
    if (legal) return;
    rn_passages_stop(flood, s);
    mirror_pipes(s, s->graph.move_x, s->graph.move_y);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    rn_pipes_limit(&n->step, pool, true);
    rn_pipes_limit(&n->step, pool, false);
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* Heads follow from the depths before: `rise` becomes the head itself. */
static void sum_heads(void *context, int begin, int end, int worker) {
    const newton *n = context;
    const rn_state *s = n->step.s;
    float *rise = n->implicit->rise;
    (void)worker;
    for (int r = begin; r < end; r++) {
        const place p = row_place(s, r);
        if (is_idle(n, &p)) continue;
        const int32_t row = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
            const rn_wide was = rn_load(s->graph.head + c), level = rn_load(s->columns.base + c) + stand_at(s, c);
            rn_store(rise + c, rn_keep(lanes_in(s, row, c), rn_select(was > 0.0f, was, level) + rn_load(rise + c)));
        }
    }
}

/* A column that is about full and whose head is above its ceiling keeps it. */
RN_INLINE void keep_head(const newton *n, int32_t row, int32_t c, rn_wide head) {
    const rn_state *s = n->step.s;
    const rn_wide base = rn_load(s->columns.base + c), ceil = rn_load(s->columns.ceil + c);
    const rn_wide room = (ceil - base) - rn_load(s->columns.depth + c) - taken_at(s, c);
    const rn_mask full = (head >= ceil) & (base < RN_NO_COLUMN) & (base >= 0.0f) & (ceil < s->columns.lid) &
                         lanes_in(s, row, c) & (room <= LOOSELY_FULL * n->step.law->quantum) &
                         (room < 0.5f * (ceil - base));
    rn_store(s->graph.head + c, rn_keep(full, head));
}

static void keep_heads(void *context, int begin, int end, int worker) {
    const newton *n = context;
    (void)worker;
    for (int32_t i = begin; i < end; i++) {
        const rn_strip *strip = &n->grid->levels[0].strips[i];
        for (int32_t c = strip->slot; c < strip->slot + strip->count; c += RN_LANES)
            keep_head(n, strip->slot, c, rn_load(n->implicit->rise + c)); /* strips are whole rows */
    }
}

/* Sources, solids and the host may have emptied columns since their heads were found. */
static void begin_rows(const newton *n) {
    const rn_state *s = n->step.s;
    rn_multigrid_clear(n->grid);
    for (int r = 0; r < row_count(s); r++) {
        const place p = row_place(s, r);
        if (is_idle(n, &p)) continue;
        const int32_t row = rn_slot(&s->columns.grid, p.layer, p.y, 0);
        rn_multigrid_strip(n->grid, p.layer, p.y, 0, s->columns.grid.nx);
        for (int32_t c = row; c < row + s->columns.grid.nx; c += RN_LANES) {
            rn_store(n->implicit->rise + c, (rn_wide){0});
            keep_head(n, row, c, rn_load(s->graph.head + c));
        }
    }
}

/* All columns that are partly solid have loose pipes. */
static void find_open(const newton *n) {
    const rn_state *s = n->step.s;
    for (int32_t i = 0; n->implicit->open && i < s->graph.special_count; i++) {
        const int32_t c = s->graph.specials[i].slot;
        const rn_part part = rn_column_part(&s->columns, c);
        n->implicit->open[c] = part.taken > 0.0f ? rn_part_slope(&part, s->columns.base[c], s->columns.depth[c]) : 1.0f;
    }
}

rn_result rn_implicit_step(rn_implicit *implicit, rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool,
                           rn_peak *peak, bool *converged) {
    newton n = {.implicit = implicit, .grid = &flood->grid, .step = {s, law, RN_BODY_CHOSEN(rn_sweeps)}};
    n.per_flux = law->dt / (law->cell * law->cell);
    rn_result result = rn_passages_greet(flood, s);
    if (result != RN_OK) return result;
    rn_pipes_slopes(&n.step, pool);
    find_open(&n);
    find_idle(&n);
    begin_rows(&n);
    mirror_heads(s);
    rn_parallel_for(pool, row_count(s), start_rows, &n);
    for (int32_t i = 0; i < s->graph.loose; i++) start_loose(&n, i, &s->schedule.peaks[0]);
    mirror_pipes(s, s->graph.move_x, s->graph.move_y);
    rn_parallel_for(pool, row_count(s), kept_shares, &n);
    limit_falls(&n);
    special_kept(&n);
    rn_parallel_for(pool, row_count(s), head_rows, &n);
    for (int32_t i = 0; i < s->graph.loose; i++) {
        const float v = s->graph.loose_move[i],
                    share = s->graph.share[v > 0.0f ? s->graph.loose_a[i] : s->graph.loose_b[i]];
        const float link = n.grid->levels[0].loose_link[i];
        s->graph.loose_move[i] = v * share + (link > 0.0f ? link * loose_fall_of(&n, i) : 0.0f);
    }
    mirror_pipes(s, s->graph.move_x, s->graph.move_y);
    move_wraps(&n);
    sum_links(&n);
    *converged = find_heads(&n, flood, pool);
    if (!*converged) {
        rn_pipes_free_shares(&n.step, pool);
        return RN_OK;
    }
    result = rn_flood_list(flood, s, implicit->kind, KIND_FULL);
    if (result != RN_OK) return result;
    finish_wraps(&n);
    rn_parallel_for(pool, row_count(s), finish_rows, &n);
    finish_loose(&n, &s->schedule.peaks[0]);
    repair(&n, flood, pool);
    mirror_pipes(s, s->columns.flux_x, s->columns.flux_y);
    rn_parallel_for(pool, row_count(s), sum_heads, &n);
    rn_pipes_depths(&n.step, pool);
    rn_parallel_for(pool, n.grid->levels[0].strip_count, keep_heads, &n);
    rn_pipes_end(&n.step, pool, peak);
    return RN_OK;
}
