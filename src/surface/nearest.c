/* The nearest boundary of every wet column, by dead reckoning over links (Grevera 2004; Dagenais 2018, section 5.1).

   Interface (surface/nearest.h), in the order of calls; outline and begin are done for all rows, on any threads:
   - rn_meniscus_outline: the wet columns that are not surrounded by wet ones of their layer, and a hash of them;
   - rn_meniscus_has_changed: whether the rest is needed, or the last result is still valid;
   - rn_meniscus_begin: the first ring, columns linked with a dry one, a wall or the edge of the domain;
   - rn_meniscus_sweep: all further rings, by one thread, while others write vertices (build.c).
   meniscus.c then turns the result into distances.

   Boundaries spread ring by ring: in each round a column takes the nearest boundary that its neighbours knew when the
   round began. True distances are compared; of equal ones the column's own wins, then that of the first direction.
   The result does not depend on the order of columns. Neighbours are those that links lead to, also in other layers,
   so a meniscus never reaches through a floor.

   Only a band along the boundary is searched, as wide as menisci reach, and only columns beside one that improved in
   the last round look again. New finds of a row are stored once the rows beside it have looked. */
#include "surface/nearest.h"

#include "base/hash.h"
#include "kernels/meniscus.h"

#include <string.h>

static const float steepest = 1.5f; /* radians: beyond this normals would be horizontal */

/* Like rn_links_row, but writable. */
static uint64_t *row_of(const rn_links *t, uint64_t *set, int layer, int y) {
    return set + ((size_t)layer * (size_t)(t->ny + 2) + (size_t)(y + 1)) * (size_t)t->words;
}

/* ---- The outline: wet columns that are not surrounded by others of their layer ----------------------------------- */

#if !defined(RN_GPU)

/* Adds a column at the boundary to a hash: its links, and the bases of all columns that it is linked with. Bases are
   summed with different factors, which is faster than hashing them one after another. */
static uint64_t hash_column(const rn_links *t, int layer, int32_t slot, uint64_t hash) {
    uint64_t sum = 0, factor = UINT64_C(0x9e3779b97f4a7c15);
    uint32_t bits;
    memcpy(&bits, &t->base[slot], sizeof bits);
    sum += bits * factor;
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t to = rn_links_joined(t, slot, layer, d);
        factor = factor * UINT64_C(0xd1342543de82ef95) + 2;
        if (to < 0) continue;
        memcpy(&bits, &t->base[to], sizeof bits);
        sum += ((uint64_t)t->kind[to] << 32 | bits) * factor;
    }
    return rn_hash_long(rn_hash_long(rn_hash_long(hash, (uint64_t)slot), t->links[slot]), sum);
}

/* Adds the neighbours on both sides to a row of a set. */
static void spread_row(uint64_t *row, int words) {
    uint64_t before = 0;
    for (int w = 0; w < words; w++) {
        const uint64_t here = row[w], after = w + 1 < words ? row[w + 1] << 63 : 0;
        row[w] = here | here << 1 | here >> 1 | before >> 63 | after;
        before = here;
    }
}
#endif

/* The width of the band in cells, at most 200. */
static int width_of(const rn_meniscus *m, const rn_links *t) {
    return (int)fminf(200.0f, ceilf(rn_meniscus_reach(&m->def) / t->cell));
}

#if defined(RN_GPU) /* row_of and width_of are above */

/* Whether some column of the outline is at most `width` cells from that of a bit, in a row of words. */
static bool is_near_outline(const uint64_t *wet, const uint64_t *inner, int words, int bit, int width) {
    const int from = bit > width ? bit - width : 0, to = bit + width < 64 * words ? bit + width : 64 * words - 1;
    uint64_t found = 0;
    for (int w = from / 64; w <= to / 64; w++) {
        uint64_t edge = wet[w] & ~inner[w];
        if (w == from / 64) edge &= rn_bits_from(from % 64);
        if (w == to / 64) edge &= ~rn_bits_from(to % 64 + 1);
        found |= edge;
    }
    return found;
}

/* As below, for a word, and without the hash: nothing is kept between builds. */
void rn_meniscus_outline(rn_meniscus *m, const rn_links *t, int y, int worker) {
    const int width = width_of(m, t);
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        uint64_t beside;
        RN_BITS_WHERE(beside, bit, 64, is_near_outline(wet, inner, t->words, 64 * worker + bit, width));
        RN_ONE_LANE row_of(t, m->beside, layer, y)[worker] = beside;
    }
}

/* The cells of a word within the width of the outline of a layer, and on `more` sides. */
static uint64_t band_of(const rn_meniscus *m, const rn_links *t, int layer, int y, int word, int more) {
    const int width = width_of(m, t) + more;
    uint64_t cells = 0;
    for (int k = rn_lane() - width; k <= width; k += rn_lane_count())
        if (word >= 0 && word < t->words && y + k >= 0 && y + k < t->ny && (t->wet_layers[y + k + 1] >> layer & 1))
            cells |= row_of(t, m->beside, layer, y + k)[word];
    return rn_bits_of_all(cells);
}

/* Sets the cells of a word that may be in the band, and those that may be in or just outside it. */
static void find_band(const rn_meniscus *m, const rn_links *t, int layer, int y, int worker, uint64_t *band,
                      uint64_t *around) {
    const uint64_t before = band_of(m, t, layer, y, worker - 1, 1), here = band_of(m, t, layer, y, worker, 1),
                   after = band_of(m, t, layer, y, worker + 1, 1), inside = band_of(m, t, layer, y, worker, 0);
    RN_ONE_LANE band[worker] = inside;
    RN_ONE_LANE around[worker] = here | here << 1 | here >> 1 | before >> 63 | after << 63;
    rn_bits_of_all(0); /* all lanes read them */
}

#else

/* Hashes the outline of a row and the ground along it, and marks the cells of the row within the band's width of it. */
void rn_meniscus_outline(rn_meniscus *m, const rn_links *t, int y, int worker) {
    (void)worker;
    const int width = width_of(m, t);
    uint64_t hash = RN_HASH_START;
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        uint64_t *beside = row_of(t, m->beside, layer, y), any = 0;
        for (int w = 0; w < t->words; w++) {
            any |= beside[w] = wet[w] & ~inner[w];
            if (m->passing) continue;
            hash = rn_hash_long(hash, wet[w]);
            for (uint64_t left = beside[w]; left;)
                hash = hash_column(t, layer, rn_links_slot(t, layer, y, rn_take_cell(&left, w)), hash);
        }
        for (int i = 0; any && i < width; i++) spread_row(beside, t->words);
    }
    m->outlines[y] = hash;
}

/* Sets the cells of a row that may be in the band, and those that may be in or just outside it. */
static void find_band(const rn_meniscus *m, const rn_links *t, int layer, int y, int worker, uint64_t *band,
                      uint64_t *around) {
    const int width = width_of(m, t);
    (void)worker;
    memset(band, 0, (size_t)t->words * sizeof *band);
    memset(around, 0, (size_t)t->words * sizeof *around);
    for (int k = -width - 1; k <= width + 1; k++) {
        if (y + k < 0 || y + k >= t->ny || !(t->wet_layers[y + k + 1] >> layer & 1)) continue;
        const uint64_t *from = row_of(t, m->beside, layer, y + k);
        uint64_t *to = k < -width || k > width ? around : band;
        for (int w = 0; w < t->words; w++) to[w] |= from[w];
    }
    for (int w = 0; w < t->words; w++) around[w] |= band[w];
    spread_row(around, t->words);
}

#endif

bool rn_meniscus_has_changed(rn_meniscus *m, const rn_links *t) {
    uint64_t hash = RN_HASH_START;
    for (int y = 0; y < t->ny && !m->passing; y++) hash = rn_hash_long(hash, m->outlines[y]);
    const bool changed = m->passing || m->anew || hash != m->seen;
    m->seen = hash;
    m->anew = false;
    return changed;
}

/* ---- The first ring ---------------------------------------------------------------------------------------------- */

/* The angle (radians) of the solid at the boundary in a direction; dry: the column there, -1: a wall. */
static float solid_tilt(const rn_links *t, int32_t slot, int layer, int direction, int32_t dry) {
    if (rn_is_upright(t, slot, layer, direction, dry)) return 0.5f * RN_HALF_TURN;
    return rn_angle_of(t->base[dry] - t->base[slot], direction & 1 ? 1.41421356f * t->cell : t->cell);
}

/* Bits of the directions in which the surface ends around a column, at dry ground or a wall; from bit 8 on, of those in
   which it continues to a wet column. Falls are neither. */
static unsigned find_ways(const rn_links *t, int32_t slot, int layer) {
    const uint64_t links = t->links[slot];
    unsigned ways = 0;
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const uint8_t link = rn_link_of(links, d);
        const bool joined = (link & RN_LINK_KIND) == RN_LINK_JOIN;
        const int32_t to = slot + rn_links_step(t, d) + (joined ? (link & RN_LINK_LAYER) - layer : 0) * t->layer_stride;
        const uint8_t kind = t->kind[joined ? to : slot];
        ways |= (unsigned)(joined ? kind == RN_SURFACE_DRY : (link & RN_LINK_KIND) == RN_LINK_WALL) << d;
        ways |= (unsigned)(joined & (kind == RN_SURFACE_WET)) << (d + 8);
    }
    return ways;
}

/* Sets `ways` of a column, and if it is in the first ring its nearest boundary and psi there (0 at ground that is not
   upright, with walls_only). contact: contact angle (radians). */
static void start_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot, float contact) {
    m->ways[slot] = (uint16_t)find_ways(t, slot, layer);
    const unsigned ends = rn_ends_of(m, slot), sides = ends & 0x55;
    if (!ends) return;
    const int d = __builtin_ctz(sides ? sides : ends); /* a side is nearer than a corner; of several, the first */
    m->nearest[slot] = (rn_nearest){rn_around_x[d], rn_around_y[d], d & 1 ? 2 : 1, slot};
    const int32_t dry = rn_links_joined(t, slot, layer, d);
    const bool flat = m->def.walls_only && !rn_is_upright(t, slot, layer, d, dry);
    m->raw[slot] = flat ? 0.0f : fmaxf(-steepest, fminf(steepest, solid_tilt(t, slot, layer, d, dry) - contact));
}

/* Whether a column is joined with one of another layer. */
static bool changes_layer(uint64_t links, int layer) {
    const uint64_t same = UINT64_C(0x0101010101010101) * (uint64_t)layer;
    return ((links ^ same) & (rn_joins_of(links) >> 6) * RN_LINK_LAYER) != 0;
}

/* Sets the band of a row, the wet columns within the width of the outline, and starts its first ring. Columns just
   outside the band, which it reads, are set to have no boundary. */
void rn_meniscus_begin(rn_meniscus *m, const rn_links *t, int y, int worker) {
    const float contact = m->def.contact_angle * (RN_HALF_TURN / 180.0f);
    RN_ALONE m->mixed[y] = 0;
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        uint64_t *band = row_of(t, m->band, layer, y), *open = row_of(t, m->open, layer, y);
        uint64_t *first = row_of(t, m->first, layer, y), *crossing = row_of(t, m->crossing, layer, y);
        find_band(m, t, layer, y, worker, band, open);
        RN_EACH_WORD (w, t->words, worker) {
            const int32_t start = rn_links_slot(t, layer, y, -1) + 64 * w;
            const uint64_t inside = band[w] & wet[w], around = open[w] & wet[w] & ~inside;
            uint64_t ring = 0;
            RN_EACH_BIT (bit, inside) {
                m->nearest[start + bit].square = RN_FAR;
                m->nearest[start + bit].seed = start + bit;
            }
            RN_EACH_BIT (bit, around) {
                m->nearest[start + bit].square = RN_FAR;
                m->distance[start + bit] = m->smooth[start + bit] = INFINITY;
                m->own[start + bit] = 0.0f;
            }
            RN_EACH_BIT (bit, wet[w] & ~inner[w]) {
                const int32_t slot = start + bit;
                start_column(m, t, layer, slot, contact);
                if (rn_ends_of(m, slot)) ring |= UINT64_C(1) << bit;
                RN_ALONE m->mixed[y] |= t->layers > 1 && changes_layer(t->links[slot], layer);
            }
            RN_APART {
                RN_EACH_BIT (bit, inside | around) m->other[start + bit] = m->nearest[start + bit];
            }
            ring = rn_bits_of_all(ring);
            RN_ONE_LANE {
                band[w] = inside;
                first[w] = ring;
                crossing[w] = wet[w] & ~inner[w] & ~ring;
                open[w] = inside & ~ring;
            }
        }
    }
}

/* ---- Distances --------------------------------------------------------------------------------------------------- */

/* An rn_nearest with members of full register width. */
typedef struct guess {
    int x, y;
    int32_t square, seed;
} guess;

/* Widens an rn_nearest. */
static inline guess guess_of(const rn_nearest *n) { return (guess){n->x, n->y, n->square, n->seed}; }

/* Takes a neighbour's nearest boundary if it is nearer (dead reckoning, Grevera 2004); direction: where the
   neighbour is. True distances are compared, not the neighbour's plus a step; this is exact between whole cells, and
   no slower. */
static inline void take_from(guess *here, const rn_nearest *there, int direction) {
    const int x = there->x + rn_around_x[direction], y = there->y + rn_around_y[direction];
    const int32_t square = there->square < RN_FAR ? x * x + y * y : RN_FAR;
    const bool nearer = square < here->square;
    here->x = nearer ? x : here->x;
    here->y = nearer ? y : here->y;
    here->seed = nearer ? there->seed : here->seed;
    here->square = nearer ? square : here->square;
}

/* ---- Rings -----------------------------------------------------------------------------------------------------

   Boundaries spread in rounds, ring by ring. In each round every column compares the boundaries that its neighbours
   knew when the round began, and takes the nearest; of equal ones its own, then that of the first direction. The
   result does not depend on the order of columns, and any number of threads could share a round. Only neighbours
   that found a nearer boundary in the last round matter, and only columns that can still improve look: a boundary
   that spreads in round n (from 2) is at least n cells away along x or y, so a column whose boundary is no farther is
   settled, and keeps it even where one comes late around a corner. */

/* The nearest boundary that a column or its neighbours know, if all neighbours are wet and of the same layer. */
static inline guess ask_around(const rn_meniscus *m, const rn_links *t, int32_t slot) {
    guess here = guess_of(&m->nearest[slot]);
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) take_from(&here, &m->nearest[slot + rn_links_step(t, d)], d);
    return here;
}

/* ask_around for a column whose neighbours may be in other layers. */
static guess ask_all_around(const rn_meniscus *m, const rn_links *t, int layer, int32_t slot) {
    guess here = guess_of(&m->nearest[slot]);
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t from = rn_links_joined(t, slot, layer, d);
        if (from >= 0 && t->kind[from] == RN_SURFACE_WET) take_from(&here, &m->nearest[from], d);
    }
    return here;
}

#if defined(RN_GPU)

/* The columns of a word that are in a set, or beside one that is, if these are of the same layer. */
static uint64_t beside_word(const rn_links *t, const uint64_t *set, int layer, int y, int word) {
    uint64_t cells = 0;
    for (int k = y > 0 ? y - 1 : y; k <= y + 1 && k < t->ny; k++) {
        const uint64_t *row = rn_links_row(t, set, layer, k);
        if (!(t->wet_layers[k + 1] >> layer & 1)) continue;
        cells |= row[word] | row[word] << 1 | row[word] >> 1;
        if (word > 0) cells |= row[word - 1] >> 63;
        if (word + 1 < t->words) cells |= row[word + 1] << 63;
    }
    return cells;
}

bool rn_meniscus_round(const rn_meniscus *m, const rn_links *t, int y, int worker, int n) {
    uint64_t any = 0;
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t crossing = rn_links_row(t, m->crossing, layer, y)[worker];
        const uint64_t open = rn_links_row(t, m->open, layer, y)[worker];
        const uint64_t look = open & (beside_word(t, n & 1 ? m->beside : m->first, layer, y, worker) | crossing);
        const int32_t start = rn_links_slot(t, layer, y, -1) + 64 * worker;
        uint64_t found = 0;
        RN_EACH_BIT (bit, look) {
            const int32_t slot = start + bit;
            guess best = guess_of(&m->nearest[slot]);
            if (best.square > n * n) /* else it is settled, as below */
                best = crossing >> bit & 1 ? ask_all_around(m, t, layer, slot) : ask_around(m, t, slot);
            if (best.square != m->nearest[slot].square) found |= UINT64_C(1) << bit;
            m->other[slot] = (rn_nearest){(int16_t)best.x, (int16_t)best.y, best.square, best.seed};
        }
        if (look) found = rn_bits_of_all(found);
        RN_ONE_LANE row_of(t, n & 1 ? m->first : m->beside, layer, y)[worker] = found;
        any |= found;
    }
    return any;
}

#else

typedef struct rings {
    uint64_t *set, *next_set; /* by layer: columns that found a nearer boundary in the last round, and in this one */
    uint64_t *layers, *next_layers; /* by row, from -1 to ny: layers with such columns */
    const uint64_t *none;           /* an empty row */
    int from, to;                   /* rows with such columns lie between these */
} rings;

/* The state before the first round. Needs rn_meniscus_begin for all rows; from here on `first` and `beside` serve as
   the two buffers of rounds. */
static rings first_round(rn_meniscus *m, const rn_links *t) {
    uint64_t *none = row_of(t, m->open, 0, -1);
    const rings r = {m->first, m->beside, m->rings + 1, m->rings + t->ny + 3, none, 0, t->ny};
    memset(none, 0, (size_t)t->words * sizeof *none);
    r.layers[-1] = r.layers[t->ny] = r.next_layers[-1] = r.next_layers[t->ny] = 0;
    for (int y = 0; y < t->ny; y++) r.layers[y] = t->wet_layers[y + 1];
    return r;
}

/* The columns of a row that found a nearer boundary in the last round; an empty row if the layer has none there. */
static inline const uint64_t *learnt_row(const rings *r, const rn_links *t, int layer, int y) {
    return r->layers[y] >> layer & 1 ? rn_links_row(t, r->set, layer, y) : r->none;
}

/* Round n for a row of a layer: columns that find a nearer boundary write it to `offer`, to be stored once the rows
   beside it have looked. Returns the end of the offers. */
static rn_offer *look_along(rn_meniscus *m, const rn_links *t, const rings *r, int layer, int y, int n,
                            rn_offer *offer) {
    const int32_t settled = n * n, next_settled = (n + 1) * (n + 1), start = rn_links_slot(t, layer, y, -1);
    const uint64_t *crossing = rn_links_row(t, m->crossing, layer, y);
    const uint64_t *low = learnt_row(r, t, layer, y - 1), *row = learnt_row(r, t, layer, y),
                   *high = learnt_row(r, t, layer, y + 1);
    uint64_t *next = row_of(t, r->next_set, layer, y), *open = row_of(t, m->open, layer, y), any = 0;
    uint64_t before = 0, here = low[0] | row[0] | high[0], after;
    for (int w = 0; w < t->words; w++, before = here, here = after) {
        uint64_t found = 0, closed = 0;
        after = w + 1 < t->words ? low[w + 1] | row[w + 1] | high[w + 1] : 0;
        const uint64_t beside = here | here << 1 | here >> 1 | before >> 63 | after << 63;
        for (uint64_t look = open[w] & (beside | crossing[w]); look; look &= look - 1) {
            const uint64_t bit = look & -look;
            const int32_t slot = start + 64 * w + __builtin_ctzll(look), square = m->nearest[slot].square;
            if (square <= settled) {
                closed |= bit;
                continue;
            }
            const guess best = crossing[w] & bit ? ask_all_around(m, t, layer, slot) : ask_around(m, t, slot);
            if (best.square == square) continue;
            *offer++ = (rn_offer){slot, {(int16_t)best.x, (int16_t)best.y, best.square, best.seed}};
            found |= bit;
            if (best.square <= next_settled) closed |= bit;
        }
        open[w] &= ~closed;
        any |= next[w] = found;
    }
    if (any) r->next_layers[y] |= UINT64_C(1) << layer;
    return offer;
}

/* Runs round n and returns the state for the next one. Offers of a row are stored when the row after it has looked. */
static rings go_round(rn_meniscus *m, const rn_links *t, const rings *r, int n) {
    rings next = {r->next_set, r->set, r->next_layers, r->layers, r->none, t->ny, 0};
    const int from = r->from > 0 ? r->from - 1 : 0, to = r->to < t->ny ? r->to + 1 : t->ny;
    rn_offer *const half[2] = {m->offers, m->offers + (size_t)t->layers * (size_t)t->nx};
    rn_offer *end[2] = {half[0], half[1]};
    for (int y = 0; y < t->ny; y++) r->next_layers[y] = 0;
    for (int y = from; y <= to; y++) {
        const uint64_t around = y < to ? r->layers[y - 1] | r->layers[y] | r->layers[y + 1] : 0;
        end[y & 1] = half[y & 1];
        RN_EACH_LAYER (layer, around ? t->wet_layers[y + 1] : 0)
            if ((around >> layer & 1) || m->mixed[y]) end[y & 1] = look_along(m, t, r, layer, y, n, end[y & 1]);
        for (const rn_offer *o = half[~y & 1]; o < end[~y & 1]; o++) m->nearest[o->slot] = o->nearest;
        if (y == to || !r->next_layers[y]) continue;
        if (y < next.from) next.from = y;
        next.to = y + 1;
    }
    return next;
}

void rn_meniscus_sweep(rn_meniscus *m, const rn_links *t) {
    rings r = first_round(m, t);
    for (int n = 2; r.from < r.to; n++) r = go_round(m, t, &r, n);
}

#endif
