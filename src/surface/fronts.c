/* The edge of the liquid within cells. An advancing front fills one column after another; the edge is drawn where it
   is within the cell, instead of jumping from cell to cell (a problem that Dagenais 2018, 7, leaves open).

   Interface (surface/surface.h), in the order in which build.c runs the passes after rn_links_close:
   rn_fronts_expect, fill, part, close, settle and raise; rn_fronts_place then answers for vertices.c and extras.c,
   and rn_fronts_ends for triangles.c. With contact angles, passes of contact_line.c replace expect, fill, part and
   raise.

   How far the liquid has come through a column's cell follows from its depth: behind it are columns of depth D1 and
   D2, and once the front has passed, its depth would continue theirs. A column with less is filled to the share t of
   its cell with e t - m t^2/2 = D, where m = D2 - D1 is how the depth changes from cell to cell and e = D1 - m/2 the
   depth at the face to the column behind: exact for a front that is an upright step, and for one that is a wedge.
   Columns on ground that rises out of level liquid are shallow because of the ground, not because liquid is missing:
   the column behind can only fill them to E = min(D1, h1 - base).

   Solvers smear a front over several columns: one is full, the next half full, the next has a trace. The distance of
   the edge from the centre of the last full column is the sum of these shares: reach = t - (share missing in the
   column behind). A column with a reach of 0 or less is drawn as if it were dry, and the vertices of dry columns move
   towards the wet ones, to where the liquid ends. Since shares are volumes, a front of constant speed has an edge of
   constant speed. */
#include "surface/surface.h"
#include "surface/velocity.h"

#define LEAST_REACH 0.02f /* cells: least distance of an edge from a wet column, so that triangles have an area */
#define BRINK       0.6f  /* cells: distance of an edge that a brink holds, so that the solid's own edge is covered */
#define EASED       0.3f  /* cells: most by which an edge moves to make the contour smooth */
#define RUNS        0.01f /* m/s: with contact angles, edges of liquid that is so fast are eased fully */
#define WEAK        0.5f  /* of the expected depth: columns with less are examined more closely */

static float depth_of(const rn_surface_state *w, int32_t slot) { return w->t.level[slot] - w->t.base[slot]; }

/* E: the depth (m) that a column would have if the liquid of a joined one continued into it. */
static float expected(const rn_surface_state *w, int32_t slot, int32_t from) {
    const float *base = w->t.base;
    return w->t.level[from] - (base[from] > base[slot] ? base[from] : base[slot]);
}

/* The wet column joined in direction d, or -1 if there is none. */
static int32_t joined_wet(const rn_surface_state *w, int32_t slot, int layer, int d) {
    const int32_t other = rn_links_joined(&w->t, slot, layer, d);
    return other >= 0 && rn_is_wet(w, other) ? other : -1;
}

/* ---- Missing liquid ---------------------------------------------------------------------------------------------- */

/* Sets the trend of a wet column: how much deeper (m) a neighbour could make it. Returns true if it is weak (below WEAK
   of that depth) or at the edge: joined with a dry column whose ground is below its level. */
static bool expect_column(const rn_surface_state *w, int32_t slot, int layer) {
    float most = 0.0f;
    bool edge = false;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = rn_links_joined(&w->t, slot, layer, d);
        if (other < 0) continue;
        if (rn_is_wet(w, other)) most = fmaxf(most, expected(w, slot, other));
        else edge |= w->t.base[other] < w->t.level[slot]; /* a bank ends the liquid by itself, see reach_to */
    }
    const float depth = depth_of(w, slot);
    w->trend[slot] = fmaxf(most - depth, 0.0f);
    return edge || depth < WEAK * most;
}

/* expect_column, without branches, for a run of columns inside the liquid, whose neighbours are all wet and of the same
   layer. Returns true if some are weak. */
static bool expect_run(const rn_surface_state *w, int32_t slot, int count) {
    const int32_t up = w->t.stride;
    const float *restrict level = w->t.level + slot, *restrict base = w->t.base + slot;
    float *restrict trend = w->trend + slot;
    int weak = 0;
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float ground = base[i];
        float most = 0.0f;
#define LOOK(n)                                                                                                        \
    do {                                                                                                               \
        const float would = level[n] - rn_larger(base[n], ground);                                                     \
        most = rn_larger(would, most);                                                                                 \
    } while (0)
        LOOK(i + 1);
        LOOK(i - 1);
        LOOK(i + up - 1);
        LOOK(i + up);
        LOOK(i + up + 1);
        LOOK(i - up - 1);
        LOOK(i - up);
        LOOK(i - up + 1);
#undef LOOK
        const float depth = level[i] - ground, more = most - depth;
        trend[i] = rn_larger(more, 0.0f);
        weak |= depth < WEAK * most;
    }
    return weak;
}

/* Sets the trend of the columns at set bits, run by run, bit 0 at slot `first`; returns the weak ones. */
static uint64_t expect_inside(const rn_surface_state *w, int32_t first, uint64_t inside) {
    uint64_t weak = 0;
    RN_EACH_RUN (from, count, inside)
        if (expect_run(w, first + from, count))
            for (int i = from; i < from + count; i++) {
                const float depth = depth_of(w, first + i), most = w->trend[first + i] + depth;
                weak |= (uint64_t)(depth < WEAK * most) << i;
            }
    return weak;
}

void rn_fronts_expect(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker) {
            uint64_t weak = 0;
            RN_EACH_LAYER (l, t->wet_layers[y + 1]) {
                const uint64_t wet = rn_links_row(t, t->wet, l, y)[i], inside = rn_links_row(t, t->interior, l, y)[i];
                weak |= expect_inside(w, rn_links_slot(t, l, y, 64 * i - 1), inside);
                RN_EACH_BIT (bit, wet & ~inside)
                    weak |= (uint64_t)expect_column(w, rn_links_slot(t, l, y, 64 * i + bit - 1), l) << bit;
            }
            weak = rn_bits_of_all(weak);
            RN_ONE_LANE rn_surface_state_row(w, w->weak, 0, y)[i] = weak;
        }
}

/* The cells of word i of a row that are in a set or beside a cell of it. */
static uint64_t around(const rn_surface_state *w, uint64_t *set, int y, int i) {
    uint64_t cells = 0;
    for (int r = y - 1; r <= y + 1; r++) {
        const uint64_t *row = rn_surface_state_row(w, set, 0, r);
        cells |= row[i] | row[i] << 1 | row[i] >> 1;
        if (i > 0) cells |= row[i - 1] >> 63;
        if (i + 1 < w->t.words) cells |= row[i + 1] << 63;
    }
    return cells;
}

/* The share t of a wedge of exactly the depth D (m), where the slope behind would end the liquid earlier: m solves
   (E - m/2)^2 = 2 m D, and t = 2 D/e. `would` is E (m). */
static float wedge_of(float would, float depth) {
    const float m = 2.0f * (would + 2.0f * depth - 2.0f * sqrtf(depth * (would + depth)));
    return 2.0f * depth / (would - 0.5f * m);
}

/* The share (0 to 1) of its cell that a column's liquid fills: the smallest t of e t - m t^2/2 = D over the wet
   neighbours that could make it deeper (for one without a solution, wedge_of); 1 if there are none. */
static float fill_of(const rn_surface_state *w, int32_t slot, int layer) {
    const float depth = depth_of(w, slot);
    float least = 1.0f;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = joined_wet(w, slot, layer, d);
        if (other < 0) continue;
        const float would = expected(w, slot, other);
        if (would <= depth) continue;
        const float m = w->trend[other], e = would - 0.5f * m, rest = e * e - 2.0f * m * depth;
        const float share = e > 0.0f && rest >= 0.0f ? 2.0f * depth / (e + sqrtf(rest)) : wedge_of(would, depth);
        least = fminf(least, share);
    }
    return least;
}

void rn_fronts_fill(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker) {
            const uint64_t cells = around(w, w->weak, y, i);
            RN_EACH_LAYER (l, t->wet_layers[y + 1])
                RN_EACH_BIT (bit, cells & rn_links_row(t, t->wet, l, y)[i]) {
                    const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
                    if (w->trend[slot] > 0.0f) w->fill[slot] = fill_of(w, slot, l); /* else none is deeper */
                }
        }
}

/* ---- Columns reached by the front -------------------------------------------------------------------------------- */

/* The share (0 to 1) missing in the fullest of the columns behind. A column counts as behind in proportion to how
   much deeper it is. */
static float lack_behind(const rn_surface_state *w, int32_t slot, int layer) {
    const float depth = depth_of(w, slot);
    float fullest = 0.0f, deepest = 0.0f;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = joined_wet(w, slot, layer, d);
        if (other < 0) continue;
        const float behind = fminf(fmaxf(2.0f * (expected(w, slot, other) - depth), 0.0f), depth) / depth;
        deepest = fmaxf(deepest, behind);
        fullest = fmaxf(fullest, behind * w->fill[other]);
    }
    return deepest - fullest;
}

void rn_fronts_part(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker) {
            const uint64_t cells = around(w, w->weak, y, i);
            uint64_t all = 0;
            RN_EACH_LAYER (l, w->used_layers[y + 1]) {
                uint64_t traces = 0;
                RN_EACH_BIT (bit, cells & rn_links_row(t, t->wet, l, y)[i]) {
                    const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
                    if (w->trend[slot] > 0.0f) w->reach[slot] = w->fill[slot] - lack_behind(w, slot, l);
                    if (w->reach[slot] <= 0.0f) traces |= UINT64_C(1) << bit;
                }
                traces = rn_bits_of_all(traces);
                RN_ONE_LANE rn_surface_state_row(w, w->traces, l, y)[i] = traces;
                all |= traces;
            }
            RN_ONE_LANE rn_surface_state_row(w, w->traced, 0, y)[i] = all;
        }
}

/* Whether a column is wet but not yet reached by the front. */
static bool is_trace(const rn_surface_state *w, int32_t slot) { return rn_is_wet(w, slot) && w->reach[slot] <= 0.0f; }

/* The links of a column once traces count as dry: all of them if it stays wet, otherwise only joins to columns that
   do. Sets *beside if it is joined with a trace. */
static uint64_t without_traces(const rn_surface_state *w, int32_t slot, int layer, bool wet, bool *beside) {
    const uint64_t links = w->t.links[slot];
    uint64_t kept = 0;
    for (uint64_t joins = rn_joins_of(links); joins;) {
        const int d = rn_take_join(&joins);
        const int32_t to = rn_links_at(&w->t, slot, layer, links, d);
        const bool trace = is_trace(w, to);
        *beside |= trace;
        kept |= (uint64_t)(rn_is_wet(w, to) & !trace) << (8 * d);
    }
    return wet ? links : links & kept * 0xff;
}

void rn_fronts_close(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker) {
            const uint64_t cells = around(w, w->traced, y, i) & rn_links_row(t, t->near, 0, y)[i];
            uint64_t walled = 0;
            RN_EACH_LAYER (l, w->used_layers[y + 1]) {
                const uint64_t wet = rn_links_row(t, t->wet, l, y)[i] & ~rn_links_row(t, w->traces, l, y)[i];
                uint64_t *interior = rn_surface_state_row(w, t->interior, l, y) + i;
                uint64_t *used = rn_surface_state_row(w, w->used, l, y) + i;
                uint64_t outer = 0, unused = 0; /* columns that are not inside, or not used, any more */
                RN_EACH_BIT (bit, cells & *used) {
                    const uint64_t mask = UINT64_C(1) << bit;
                    const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
                    const bool stays = wet & mask;
                    bool beside = false;
                    const uint64_t links = without_traces(w, slot, l, stays, &beside);
                    t->links[slot] = links;
                    if (beside || !stays) outer |= mask;
                    if (!stays && !links) unused |= mask;
                    if (stays && links & UINT64_C(0x8080808080808080)) walled |= mask;
                }
                outer = rn_bits_of_all(outer);
                unused = rn_bits_of_all(unused);
                RN_ONE_LANE {
                    *interior &= ~outer;
                    *used &= ~unused;
                }
            }
            walled = rn_bits_of_all(walled);
            uint64_t *pouring = rn_surface_state_row(w, w->pouring, 0, y) + i;
            RN_ONE_LANE *pouring = (*pouring & ~cells) | (w->def->raw_boundaries ? 0 : walled);
        }
}

/* ---- Position of the edge ---------------------------------------------------------------------------------------- */

/* Smooth step from 0 to 1 for x from 0 to 1. */
static float smooth(float x) { return x * x * (3.0f - 2.0f * x); }

/* How far (cells) the surface continues up a bank from a wet column, with `behind` the column on its other side, or -1.
   Still liquid ends in the bank, at most a cell away. A film that clings to the bank above the level of the liquid
   behind ends where it has thinned to nothing. */
static float reach_up(const rn_surface_state *w, int32_t from, int32_t behind) {
    const rn_links *t = &w->t;
    if (behind < 0 || !(w->fill[behind] > 0.0f && w->reach[behind] > 0.0f)) return 1.0f;
    const float drop = t->level[from] - t->level[behind], fall = t->base[from] - t->base[behind];
    const float thinner = depth_of(w, behind) - depth_of(w, from);
    if (!(drop > 0.0f && fall > 0.0f && thinner > 0.0f)) return 1.0f;
    const float film = fminf(depth_of(w, from) / thinner, 1.0f);
    return 1.0f + (film - 1.0f) * smooth(fminf(2.0f * drop / fall, 1.0f));
}

/* reach_up with the column behind a wet one in a direction. If there is none at a corner, for instance because the
   domain ends there, the columns beside that corner take its place, and the lesser reach counts. */
static float reach_up_from(const rn_surface_state *w, int32_t from, int layer, int direction) {
    const int32_t behind = rn_links_joined(&w->t, from, layer, direction);
    if (behind >= 0 || direction % 2 == 0) return reach_up(w, from, behind);
    const int32_t one = rn_links_joined(&w->t, from, layer, direction - 1);
    const int32_t other = rn_links_joined(&w->t, from, layer, (direction + 1) & 7);
    return fminf(reach_up(w, from, one), reach_up(w, from, other));
}

/* How far (cells) liquid has come from a wet column towards a dry one on level ground; `direction` leads from the dry
   column to the wet one. A trace in the dry column counts once the liquid moves towards it, so that the edge does not
   jump when the trace becomes wet. With contact angles the result is that of rn_line_reach. */
static float came_through(const rn_surface_state *w, int32_t from, int layer, int direction, int32_t dry) {
    if (w->per_foot > 0.0f) return rn_line_reach(w, from, layer, (direction + 4) & 7, dry);
    return w->reach[from] + w->fill[dry] * fminf(2.0f * w->reach[from], 1.0f);
}

/* Whether contact angles hold the liquid of a wet column on a brink, at the edge of the ground that it stands on. */
static bool is_at_brink(const rn_surface_state *w, int32_t from, int32_t dry) {
    return w->per_foot > 0.0f && w->t.base[from] - w->t.base[dry] > w->t.cell;
}

/* How far (cells) the edge is from a wet column towards a dry one, at least LEAST_REACH; `direction` leads from the dry
   column to the wet one. Ground that rises to the level ends the liquid by itself; a brink holds it at BRINK. */
static float reach_to(const rn_surface_state *w, int32_t from, int layer, int direction, int32_t dry) {
    if (is_at_brink(w, from, dry)) return BRINK;
    const float reach = fminf(fmaxf(came_through(w, from, layer, direction, dry), LEAST_REACH), 1.0f);
    const float depth = depth_of(w, from), rise = w->t.base[dry] - w->t.base[from];
    const float bank = depth > 0.0f ? fminf(fmaxf(rise / depth, 0.0f), 1.0f) : 1.0f;
    if (bank == 0.0f) return reach;
    const float up = reach_up_from(w, from, layer, direction);
    return fmaxf(reach + (up - reach) * smooth(bank), LEAST_REACH);
}

/* How much the edge of the liquid beside a wet column may be eased, 0 to 1. */
static float ease_beside(const rn_surface_state *w, int32_t wet, int layer) {
    const int32_t cell = wet - layer * w->t.layer_stride;
    float u[3];
    if (!(w->per_foot > 0.0f)) return 1.0f;
    rn_column_velocity(w->columns, w->half_per_cell, w->per_area, layer, cell / w->t.stride - 1, cell % w->t.stride - 1,
                       u);
    return fminf(sqrtf(u[0] * u[0] + u[1] * u[1]) / RUNS, 1.0f);
}

/* Sets `by` to how far (m along x and y) the edge of the liquid in a dry column moves so that the contour is smooth:
   halfway to the middle between the edges in the two dry columns beside it along the contour, at most EASED cells;
   nowhere if there are not two. With contact angles, the edge of liquid at rest is known exactly and stays; only that
   of running liquid moves. `moved` of all columns must be set. A contour across the cells leads through columns beside
   the liquid and columns at its corners in turn, whose edges are found from different neighbours: without this it has a
   tooth in every cell. */
static void ease_edge(const rn_surface_state *w, int32_t slot, int layer, float by[2]) {
    const rn_links *t = &w->t;
    const float *own = w->moved + (ptrdiff_t)2 * slot;
    float x = 0.0f, y = 0.0f;
    uint32_t found = 0; /* bit 3*(dy + 1) + dx + 1 */
    int count = 0;
    float ease = 0.0f;
    by[0] = by[1] = 0.0f;
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t wet = rn_links_joined(t, slot, layer, d);
        if (wet < 0) continue;
        const int there = rn_link_of(t->links[slot], d) & RN_LINK_LAYER;
        ease = fmaxf(ease, ease_beside(w, wet, there));
        for (int side = 3; side <= 5; side += 2) {
            const int e = (d + side) & 7;
            const int32_t beside = rn_links_joined(t, wet, there, e);
            const int dx = rn_around_x[d] + rn_around_x[e], dy = rn_around_y[d] + rn_around_y[e];
            const uint32_t bit = UINT32_C(1) << (3 * (dy + 1) + dx + 1);
            if (beside < 0 || rn_is_wet(w, beside) || found & bit) continue;
            found |= bit;
            count++;
            x += t->cell * (float)dx + w->moved[(ptrdiff_t)2 * beside] - own[0];
            y += t->cell * (float)dy + w->moved[(ptrdiff_t)2 * beside + 1] - own[1];
        }
    }
    if (count != 2 || !(ease > 0.0f)) return;
    const float far = 0.25f * sqrtf(x * x + y * y), most = EASED * t->cell;
    const float share = ease * (far > most ? 0.25f * most / far : 0.25f);
    by[0] = share * x;
    by[1] = share * y;
}

/* The height (m) to which the surface of a wet column leads, `reach` (cells) towards a dry one; `direction` leads from
   the dry column to the wet one. A pool goes on level. A film on a bank rises with the ground, as it does up to the wet
   column, but by at most twice the rise of the ground behind, so that it does not climb a wall. z: drawn heights. */
static float height_ahead(const rn_surface_state *w, int32_t from, int layer, int direction, int32_t dry, float reach,
                          const float *z) {
    const float *base = w->t.base, ahead = base[dry] - base[from];
    const int32_t behind = rn_links_joined(&w->t, from, layer, direction);
    if (w->per_foot > 0.0f || ahead <= 0.0f || behind < 0 || !rn_is_wet(w, behind)) return z[from];
    const float ground = base[from] - base[behind], rise = z[from] - z[behind];
    if (ground <= 0.0f || rise <= 0.0f) return z[from];
    return z[from] + reach * fminf(ahead, 2.0f * ground) * fminf(rise / ground, 1.0f);
}

/* Finds the edge of the liquid in a dry column that is joined with a wet one; `at` as for rn_fronts_place. Wet
   neighbours are weighted by their reach, so that one that was just reached has no effect yet. z: drawn heights; NULL:
   at[2] and at[3] are not valid, and the edge is not eased. */
static void place_edge(const rn_surface_state *w, int32_t slot, int layer, const float *z, float at[4]) {
    const rn_links *t = &w->t;
    float sum = 0.0f, dx = 0.0f, dy = 0.0f, rise = 0.0f, level = 0.0f, by[2] = {0.0f, 0.0f};
    float slope[2] = {0.0f, 0.0f}, squares[2] = {0.0f, 0.0f};
    if (z) ease_edge(w, slot, layer, by);
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = rn_links_joined(t, slot, layer, d);
        if (other < 0) continue;
        const int there = rn_link_of(t->links[slot], d) & RN_LINK_LAYER;
        const float reach = reach_to(w, other, there, d, slot), back = reach * (1.0f - reach);
        sum += reach;
        dx += back * (float)rn_around_x[d];
        dy += back * (float)rn_around_y[d];
        rise += (is_at_brink(w, other, slot) ? reach : back) * (t->base[other] - t->base[slot]);
        if (z) level += reach * height_ahead(w, other, there, d, slot, reach, z);
        const float x = (float)rn_around_x[d], y = (float)rn_around_y[d];
        slope[0] += x * (t->base[other] - t->base[slot]);
        slope[1] += y * (t->base[other] - t->base[slot]);
        squares[0] += x * x;
        squares[1] += y * y;
    }
    at[0] = t->cell * (dx / sum) + by[0];
    at[1] = t->cell * (dy / sum) + by[1];
    float ground = t->base[slot] + rise / sum;
    for (int k = 0; k < 2; k++)
        if (squares[k] > 0.0f) ground += by[k] * slope[k] / (squares[k] * t->cell);
    at[2] = fminf(ground, level / sum);
    at[3] = ground - at[2];
}

void rn_fronts_settle(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker)
            RN_EACH_LAYER (l, w->used_layers[y + 1]) {
                const uint64_t traces = rn_links_row(t, w->traces, l, y)[i];
                const uint64_t wet = rn_links_row(t, t->wet, l, y)[i] & ~traces;
                rn_bits_of_all(0); /* all lanes have read the word */
                RN_ONE_LANE rn_surface_state_row(w, t->wet, l, y)[i] = wet;
                RN_EACH_BIT (bit, traces) t->kind[rn_links_slot(t, l, y, 64 * i + bit - 1)] = RN_SURFACE_DRY;
                RN_EACH_BIT (bit, rn_links_row(t, w->used, l, y)[i] & ~wet) {
                    const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
                    float at[4];
                    place_edge(w, slot, l, NULL, at);
                    w->moved[(ptrdiff_t)2 * slot] = at[0];
                    w->moved[(ptrdiff_t)2 * slot + 1] = at[1];
                }
            }
}

bool rn_fronts_ends(const rn_surface_state *w, int32_t slot) {
    return w->smooth && !rn_is_wet(w, slot) && w->trend[slot] <= 1e-3f * w->t.cell;
}

/* "The vertex height of dry columns is adjusted to the average height of their linked wet neighbors" (Dagenais 2018,
   4.3); with raw boundaries it is their base. */
static void place_mean(const rn_surface_state *w, int32_t slot, int layer, float at[4]) {
    const rn_links *t = &w->t;
    float sum = 0.0f;
    int count = 0;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = rn_links_joined(t, slot, layer, d);
        if (other < 0) continue;
        sum += w->z[other];
        count++;
    }
    at[0] = at[1] = at[3] = 0.0f;
    at[2] = w->def->raw_boundaries ? t->base[slot] : sum / (float)count;
}

void rn_fronts_place(const rn_surface_state *w, int32_t slot, int layer, float at[4]) {
    if (w->smooth) place_edge(w, slot, layer, w->z, at);
    else place_mean(w, slot, layer, at);
}

/* ---- Volume ------------------------------------------------------------------------------------------------------ */

/* The factor, at most 4, by which a wet column is drawn higher, because vertices beside it have moved towards it and
   the triangles around it are smaller: the ratio of the areas between the eight centres around it, before and after. */
static float squeeze_of(const rn_surface_state *w, int32_t slot, int layer) {
    const rn_links *t = &w->t;
    float x[RN_AROUND], y[RN_AROUND], area = 0.0f;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = rn_links_joined(t, slot, layer, d);
        x[d] = (float)rn_around_x[d];
        y[d] = (float)rn_around_y[d];
        if (other < 0 || rn_is_wet(w, other)) continue;
        float by[2];
        ease_edge(w, other, rn_link_of(t->links[slot], d) & RN_LINK_LAYER, by);
        x[d] += (w->moved[(ptrdiff_t)2 * other] + by[0]) / t->cell;
        y[d] += (w->moved[(ptrdiff_t)2 * other + 1] + by[1]) / t->cell;
    }
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int e = (d + 1) & 7;
        area += x[d] * y[e] - x[e] * y[d];
    }
    return fminf(8.0f / fmaxf(area, 1.0f), 4.0f);
}

/* Sets the drawn height of a wet column at the front: only liquid that is not needed to fill the column behind is
   drawn, raised where triangles have shrunk (squeeze_of), and never less than the least depth. */
static void raise_column(const rn_surface_state *w, int32_t slot, int layer, int y, int x) {
    const float share = fminf(w->reach[slot] / w->fill[slot], 1.0f), least = rn_least_depth(w, layer, y, x);
    const float depth = depth_of(w, slot) * share * squeeze_of(w, slot, layer);
    w->z[slot] = w->t.base[slot] + (depth > least ? depth : least);
}

void rn_fronts_raise(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker) {
            const uint64_t cells = around(w, w->weak, y, i);
            RN_EACH_LAYER (l, t->wet_layers[y + 1])
                RN_EACH_BIT (bit, cells & rn_links_row(t, t->wet, l, y)[i]) {
                    const int x = 64 * i + bit - 1;
                    const int32_t slot = rn_links_slot(t, l, y, x);
                    const bool inside = rn_links_row(t, t->interior, l, y)[i] >> bit & 1;
                    if (!inside || w->reach[slot] < w->fill[slot]) raise_column(w, slot, l, y, x);
                }
        }
}
