/* The edge of a liquid that dynamic contact angles hold together (docs/contact.md), within its cells.

   Interface and order of calls (surface/surface.h): where columns have a contact foot, build.c runs these passes in
   place of the first ones of fronts.c, whose rn_fronts_close and rn_fronts_settle follow rn_line_part:
   - rn_line_mark: cells with columns that are shallower than the foot, or at the edge;
   - rn_line_sort: which columns are in the middle of a film (fill 1; all others 0);
   - rn_line_part: columns outside the line that belong to no film become traces, which are drawn as dry;
   - rn_line_raise: drawn depths, once traces are dry.
   rn_line_reach and rn_line_height then answer for fronts.c and vertices.c.

   The solver smears the edge over a foot of depth e. At rest the surface is inclined there by sqrt(t (2 - t)) times
   the contact angle, t = d/e, so the distance from where the liquid is as deep as the foot, in units of e over the
   angle, is

       x = asin(1 - t).

   A surface that keeps its angle ends at x = 1, where t = 1 - sin 1 = 0.16, whatever the angle is; beyond is the
   skirt. `rise` = 1 - x is linear in the distance: its zero is the contact line, and rise * e is the depth of the
   surface that keeps its angle. Deeper than the foot, rise is t, so both surfaces meet without a kink. */
#include "surface/surface.h"

#define SKIRT_ENDS -0.5707963f /* rise of dry ground: 1 - pi/2 */
#define LEAST_RISE 0.1f        /* columns with less are outside the line, so that triangles at it have an area */
#define THIN       0.05f       /* of the foot: thinner films are not drawn */

static float depth_of(const rn_surface_state *w, int32_t slot) { return w->t.level[slot] - w->t.base[slot]; }

/* The rise where the liquid is t times as deep as the foot: 1 - asin(1 - t) by the series of the arc cosine, whose last
   term makes it exact at t = 1; t itself from there on. */
static float rise_at(float t) {
    if (t >= 1.0f) return t;
    const float series = 1.0f + t * (1.0f / 12 + t * (3.0f / 160 + t * (5.0f / 896 + t * 0.0030570f)));
    return SKIRT_ENDS + sqrtf(2.0f * t) * series;
}

static float rise_of(const rn_surface_state *w, int32_t slot) { return rise_at(depth_of(w, slot) * w->per_foot); }

/* The wet column joined in direction d, or -1 if there is none. */
static int32_t wet_towards(const rn_surface_state *w, int32_t slot, int layer, int d) {
    const int32_t other = rn_links_joined(&w->t, slot, layer, d);
    return other >= 0 && rn_is_wet(w, other) ? other : -1;
}

/* The rise of a column that is drawn as dry, beside a wet one of the given rise in direction d: its own rise if it has
   some liquid. Ground that is quite dry lies at least where skirts end, and farther out if the surface behind is
   steep. */
static float rise_beyond(const rn_surface_state *w, int32_t wet, int layer, int d, int32_t dry, float rise) {
    if (depth_of(w, dry) > 0.0f) return rise_of(w, dry);
    const int32_t behind = wet_towards(w, wet, layer, (d + 4) & 7);
    return behind < 0 ? SKIRT_ENDS : fminf(SKIRT_ENDS, 2.0f * rise - rise_of(w, behind));
}

/* Like rn_line_reach, for a film, which ends where it is too thin to be drawn; 0.5 if it is too thin at `wet` already,
   or does not get thinner towards `dry`. */
static float film_reach(const rn_surface_state *w, int32_t wet, int32_t dry) {
    const float here = depth_of(w, wet) * w->per_foot - THIN, there = depth_of(w, dry) * w->per_foot - THIN;
    return here > 0.0f && here > there ? here / (here - there) : 0.5f;
}

float rn_line_reach(const rn_surface_state *w, int32_t wet, int layer, int d, int32_t dry) {
    const float rise = rise_of(w, wet);
    if (rise <= LEAST_RISE) return film_reach(w, wet, dry);
    const float beyond = rise_beyond(w, wet, layer, d, dry, rise);
    return beyond < rise ? rise / (rise - beyond) : 1.0f;
}

float rn_line_height(const rn_surface_state *w, int32_t wet, int layer, int d, int32_t dry) {
    const float rise = rise_of(w, wet);
    if (w->t.base[wet] - w->t.base[dry] > w->t.cell) return w->t.base[wet]; /* held by a brink */
    if (rise <= LEAST_RISE) return w->t.base[dry];
    return w->t.base[dry] + rise_beyond(w, wet, layer, d, dry, rise) / w->per_foot;
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

void rn_line_mark(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker) {
            uint64_t weak = 0;
            RN_EACH_LAYER (l, t->wet_layers[y + 1]) {
                weak |= rn_links_row(t, t->wet, l, y)[i] & ~rn_links_row(t, t->interior, l, y)[i];
                RN_EACH_BIT (bit, rn_links_row(t, t->wet, l, y)[i]) {
                    const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
                    weak |= (uint64_t)(depth_of(w, slot) * w->per_foot < 1.0f) << bit;
                    w->fill[slot] = 0.0f;
                    w->reach[slot] = 1.0f;
                }
            }
            weak = rn_bits_of_all(weak);
            RN_ONE_LANE rn_surface_state_row(w, w->weak, 0, y)[i] = weak;
        }
}

static float film_of(const rn_surface_state *w, int32_t slot) { return depth_of(w, slot) * w->per_foot; }

/* Whether a column is in the middle of a film: outside the contact line and not too thin to be drawn, like all eight
   columns around it, which must be wet and joined with it. */
static bool is_core(const rn_surface_state *w, int32_t slot, int layer) {
    if (rise_of(w, slot) > LEAST_RISE || film_of(w, slot) < THIN) return false;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = wet_towards(w, slot, layer, d);
        if (other < 0 || film_of(w, other) < THIN || rise_of(w, other) > LEAST_RISE) return false;
    }
    return true;
}

/* Whether a column and all eight around it are wet, joined and not too thin to be drawn. */
static bool is_covered(const rn_surface_state *w, int32_t slot, int layer) {
    if (film_of(w, slot) < THIN) return false;
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = wet_towards(w, slot, layer, d);
        if (other < 0 || film_of(w, other) < THIN) return false;
    }
    return true;
}

/* Whether that holds for a column and all eight around it: the liquid ends nowhere near. */
static bool is_inner(const rn_surface_state *w, int32_t slot, int layer) {
    if (!is_covered(w, slot, layer)) return false;
    for (int d = 0; d < RN_AROUND; d++)
        if (!is_covered(w, wet_towards(w, slot, layer, d), rn_link_of(w->t.links[slot], d) & RN_LINK_LAYER))
            return false;
    return true;
}

/* Whether a column is drawn: its rise is above LEAST_RISE (inside the contact line, with a margin), or it is in the
   middle of a film (fill, set by rn_line_sort), or beside such a column and not too thin, or inner: where deep liquid
   thins to a film, it does so in a few columns first. Anything else counts as a skirt. */
static bool is_drawn(const rn_surface_state *w, int32_t slot, int layer) {
    if (rise_of(w, slot) > LEAST_RISE || w->fill[slot] > 0.0f) return true;
    if (film_of(w, slot) < THIN) return false;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = wet_towards(w, slot, layer, d);
        if (other >= 0 && w->fill[other] > 0.0f) return true;
    }
    return is_inner(w, slot, layer);
}

/* What is done with a column, which is at (layer, y, x). */
typedef void (*column_task)(const rn_surface_state *w, int32_t slot, int layer, int y, int x);

/* Does `task` for all wet columns of the cells in rows `begin` to `end` - 1 that w->weak marks: only these can be near
   a contact line. */
static inline void each_weak(const rn_surface_state *w, int begin, int end, int worker, column_task task) {
    const rn_links *t = &w->t;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, t->words, worker)
            RN_EACH_LAYER (l, t->wet_layers[y + 1])
                RN_EACH_BIT (bit, rn_links_row(t, w->weak, 0, y)[i] & rn_links_row(t, t->wet, l, y)[i]) {
                    const int x = 64 * i + bit - 1;
                    task(w, rn_links_slot(t, l, y, x), l, y, x);
                }
}

/* Sets `fill` of a column: whether it is in the middle of a film. */
static void sort_column(const rn_surface_state *w, int32_t slot, int layer, int y, int x) {
    (void)y, (void)x;
    w->fill[slot] = is_core(w, slot, layer) ? 1.0f : 0.0f;
}

void rn_line_sort(void *work, int begin, int end, int worker) { each_weak(work, begin, end, worker, sort_column); }

/* Sets `reach` of the wet columns of word i whose cells are weak: how far (cells) the liquid goes on past their
   centres, 0 for columns that are not drawn. Returns the latter as bits. */
static uint64_t part_word(const rn_surface_state *w, int l, int y, int i) {
    const rn_links *t = &w->t;
    uint64_t traces = 0;
    RN_EACH_BIT (bit, rn_links_row(t, w->weak, 0, y)[i] & rn_links_row(t, t->wet, l, y)[i]) {
        const int32_t slot = rn_links_slot(t, l, y, 64 * i + bit - 1);
        const bool drawn = is_drawn(w, slot, l);
        w->reach[slot] = drawn ? fminf(fmaxf(rise_of(w, slot), LEAST_RISE), 1.0f) : 0.0f;
        traces |= (uint64_t)!drawn << bit;
    }
    return rn_bits_of_all(traces);
}

void rn_line_part(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++)
        RN_EACH_WORD (i, w->t.words, worker) {
            uint64_t all = 0;
            RN_EACH_LAYER (l, w->used_layers[y + 1]) {
                const bool wet = w->t.wet_layers[y + 1] >> l & 1;
                const uint64_t traces = wet ? part_word(w, l, y, i) : 0;
                RN_ONE_LANE rn_surface_state_row(w, w->traces, l, y)[i] = traces;
                all |= traces;
            }
            RN_ONE_LANE rn_surface_state_row(w, w->traced, 0, y)[i] = all;
        }
}

/* How much of the foot is drawn as if the surface kept its angle: all of it at dry ground, nothing beside films, which
   it must meet. */
static float sharpness(const rn_surface_state *w, int32_t slot, int layer) {
    float share = 1.0f;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t other = wet_towards(w, slot, layer, d);
        if (other >= 0 && rise_of(w, other) <= LEAST_RISE) share -= d & 1 ? 0.25f : 0.5f;
    }
    return fmaxf(share, 0.0f);
}

/* Sets the drawn height of a wet column, unless it is as deep as the foot or deeper. Inside the contact line it is
   lowered towards the surface that keeps its angle; it is never below the least depth. */
static void raise_column(const rn_surface_state *w, int32_t slot, int layer, int y, int x) {
    if (!(depth_of(w, slot) * w->per_foot < 1.0f)) return;
    const float depth = depth_of(w, slot), rise = rise_of(w, slot), least = rn_least_depth(w, layer, y, x);
    float drawn = depth;
    if (rise > LEAST_RISE) drawn += sharpness(w, slot, layer) * (fminf(rise / w->per_foot, depth) - depth);
    w->z[slot] = w->t.base[slot] + fmaxf(drawn, least);
}

void rn_line_raise(void *work, int begin, int end, int worker) { each_weak(work, begin, end, worker, raise_column); }
