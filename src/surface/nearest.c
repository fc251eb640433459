/* The nearest boundary of wet columns, by dead reckoning over links (Grevera 2004; Dagenais 2018, 5.1). */
#include "surface/nearest.h"

#include "base/hash.h"
#include "kernels/meniscus.h"

#include <string.h>

static const float steepest = 1.5f; /* radians: beyond this normals would lie down */

static uint64_t *row_of(const rn_links *t, uint64_t *set, int layer, int y) {
    return set + ((size_t)layer * (size_t)(t->ny + 2) + (size_t)(y + 1)) * (size_t)t->words;
}

/* ---- The outline: wet columns that are not surrounded by others of their layer ------------------------------------
 */

/* A column at the boundary: how it is linked, and the grounds of all that it is linked with. These are summed up, each
   with a factor of its own, since a hash of one after another would wait for the one before. */
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

/* A row of a set and its neighbours to both sides. */
static void spread_row(uint64_t *row, int words) {
    uint64_t before = 0;
    for (int w = 0; w < words; w++) {
        const uint64_t here = row[w], after = w + 1 < words ? row[w + 1] << 63 : 0;
        row[w] = here | here << 1 | here >> 1 | before >> 63 | after;
        before = here;
    }
}

/* How many links the band is wide. */
static int width_of(const rn_meniscus *m, const rn_links *t) {
    return (int)fminf(200.0f, ceilf(rn_meniscus_reach(&m->def) / t->cell));
}

/* What changes if the outline does or the ground along it, and where the outline and what is beside it in its row are.
 */
void rn_meniscus_outline(rn_meniscus *m, const rn_links *t, int y) {
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

bool rn_meniscus_has_changed(rn_meniscus *m, const rn_links *t) {
    uint64_t hash = RN_HASH_START;
    for (int y = 0; y < t->ny && !m->passing; y++) hash = rn_hash_long(hash, m->outlines[y]);
    const bool changed = m->passing || m->anew || hash != m->seen;
    m->seen = hash;
    m->anew = false;
    return changed;
}

/* ---- The first ring ------------------------------------------------------------------------------------------------
 */

static float solid_tilt(const rn_links *t, int32_t slot, int layer, int direction, int32_t dry) {
    if (rn_is_upright(t, slot, layer, direction, dry)) return 0.5f * RN_HALF_TURN;
    return rn_angle_of(t->base[dry] - t->base[slot], direction & 1 ? 1.41421356f * t->cell : t->cell);
}

/* Where the surface ends around a column, and where it goes on, for all that ask later. */
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

/* The first ring: wet columns that are linked with a dry one, or next to a wall or the edge of the domain. */
static void start_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot, float contact) {
    m->ways[slot] = (uint16_t)find_ways(t, slot, layer);
    const unsigned ends = rn_ends_of(m, slot), sides = ends & 0x55;
    if (!ends) return;
    const int d = __builtin_ctz(sides ? sides : ends); /* a side is nearer than a corner; of those the first */
    m->nearest[slot] = (rn_nearest){rn_around_x[d], rn_around_y[d], d & 1 ? 2 : 1};
    m->raw[slot] =
        fmaxf(-steepest, fminf(steepest, solid_tilt(t, slot, layer, d, rn_links_joined(t, slot, layer, d)) - contact));
}

/* Whether a column is joined with one of another layer. */
static bool changes_layer(uint64_t links, int layer) {
    const uint64_t same = UINT64_C(0x0101010101010101) * (uint64_t)layer;
    return ((links ^ same) & (rn_joins_of(links) >> 6) * RN_LINK_LAYER) != 0;
}

/* The band of a row: what is wet within so many cells of the outline. The ring around it is asked by those inside and
   has nothing to say. */
void rn_meniscus_begin(rn_meniscus *m, const rn_links *t, int y) {
    const float contact = m->def.contact_angle * (RN_HALF_TURN / 180.0f);
    const int width = width_of(m, t);
    m->mixed[y] = 0;
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        uint64_t *band = row_of(t, m->band, layer, y), *around = row_of(t, m->around, layer, y);
        const int32_t start = rn_links_slot(t, layer, y, -1);
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
        for (int w = 0; w < t->words; w++) {
            band[w] &= wet[w];
            around[w] &= wet[w] & ~band[w];
            for (uint64_t left = band[w]; left; left &= left - 1) {
                const int32_t slot = start + 64 * w + __builtin_ctzll(left);
                m->nearest[slot].square = RN_FAR;
                m->seed[slot] = slot;
            }
            for (uint64_t left = around[w]; left; left &= left - 1) {
                const int32_t slot = start + 64 * w + __builtin_ctzll(left);
                m->nearest[slot].square = RN_FAR;
                m->distance[slot] = m->smooth[slot] = INFINITY;
                m->own[slot] = 0.0f;
            }
            for (uint64_t left = wet[w] & ~inner[w]; left;) {
                const int32_t slot = rn_links_slot(t, layer, y, rn_take_cell(&left, w));
                start_column(m, t, layer, slot, contact);
                m->mixed[y] |= t->layers > 1 && changes_layer(t->links[slot], layer);
            }
        }
    }
}

/* ---- Distances -----------------------------------------------------------------------------------------------------
 */

/* What is known of a column on the way: its nearest boundary, and the column that it was found from. */
typedef struct guess {
    int x, y;
    int32_t square, from;
} guess;

static inline guess guess_at(const rn_meniscus *m, int32_t slot) {
    const rn_nearest n = m->nearest[slot];
    return (guess){n.x, n.y, n.square, slot};
}

/* True if it is another one than before. */
static inline bool keep_guess(rn_meniscus *m, int32_t slot, const guess *g) {
    m->nearest[slot] = (rn_nearest){(int16_t)g->x, (int16_t)g->y, g->square};
    m->seed[slot] = m->seed[g->from];
    return g->from != slot;
}

/* Dead reckoning (Grevera 2004): what a neighbour's nearest boundary is from here. The true distances are compared
   rather than the neighbour's plus a step; between whole cells that is exact, and no slower. */
static inline void take_from(guess *here, guess there, int direction) {
    const int x = there.x + rn_around_x[direction], y = there.y + rn_around_y[direction];
    const int32_t square = there.square < RN_FAR ? x * x + y * y : RN_FAR;
    const bool nearer = square < here->square;
    here->x = nearer ? x : here->x;
    here->y = nearer ? y : here->y;
    here->from = nearer ? there.from : here->from;
    here->square = nearer ? square : here->square;
}

static inline void take_along(const rn_meniscus *m, const rn_links *t, int layer, int32_t slot, int direction,
                              guess *here) {
    const int32_t from = rn_links_joined(t, slot, layer, direction);
    if (from >= 0 && t->kind[from] == RN_SURFACE_WET) take_from(here, guess_at(m, from), direction);
}

/* From three directions of the row before, beginning with `first`, and from the column before. */
static bool sweep_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot, int first, int last) {
    guess here = guess_at(m, slot);
    if (here.square <= 2) return false; /* at a boundary: there is none nearer */
    for (int d = first; d < first + 3; d++) take_along(m, t, layer, slot, d, &here);
    take_along(m, t, layer, slot, last, &here);
    return keep_guess(m, slot, &here);
}

/* The same where all around is wet and of the same layer, along a row: what the next column needs is at hand. */
static inline bool sweep_run(rn_meniscus *m, const rn_links *t, int32_t slot, int count, int first, int last) {
    const int32_t way = first == 1 ? 1 : -1, row = first == 1 ? t->stride : -t->stride; /* to where they were found */
    guess before = guess_at(m, slot + way), corner = guess_at(m, slot + row + way), side = guess_at(m, slot + row);
    bool any = false;
    for (int i = 0; i < count; i++, slot -= way) {
        const guess next = guess_at(m, slot + row - way);
        guess here = guess_at(m, slot);
        if (here.square > 2) {
            take_from(&here, corner, first);
            take_from(&here, side, first + 1);
            take_from(&here, next, first + 2);
            take_from(&here, before, last);
            any |= keep_guess(m, slot, &here);
            here.from = slot;
        }
        before = here;
        corner = side;
        side = next;
    }
    return any;
}

/* Upwards from the row below and from left to right, downwards from the row above and from right to left. True if
   something nearer was found. */
static bool sweep_row(rn_meniscus *m, const rn_links *t, int layer, int y, bool down) {
    const uint64_t *row = rn_links_row(t, m->band, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
    const int32_t start = rn_links_slot(t, layer, y, -1);
    bool any = false;
    for (int i = 0; i < t->words; i++) {
        const int w = down ? t->words - 1 - i : i;
        for (uint64_t left = row[w]; left;) {
            const int bit = down ? 63 - __builtin_clzll(left) : __builtin_ctzll(left);
            const int32_t slot = start + 64 * w + bit;
            const uint64_t run = left & inner[w];
            int count = 1;
            if (!(run >> bit & 1)) {
                any |= down ? sweep_column(m, t, layer, slot, 1, 0) : sweep_column(m, t, layer, slot, 5, 4);
            } else if (down) {
                const uint64_t gaps = ~(run << (63 - bit));
                count = gaps ? __builtin_clzll(gaps) : 64;
                any |= sweep_run(m, t, slot, count, 1, 0);
            } else {
                const uint64_t gaps = ~(run >> bit);
                count = gaps ? __builtin_ctzll(gaps) : 64;
                any |= sweep_run(m, t, slot, count, 5, 4);
            }
            const uint64_t mask = count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
            left &= ~(down ? mask << (bit + 1 - count) : mask << bit);
        }
    }
    return any;
}

static bool sweep_layers(rn_meniscus *m, const rn_links *t, int y, bool down) {
    bool any = false;
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) any |= sweep_row(m, t, layer, y, down);
    return any;
}

/* Where liquid changes its layer within a row, a second round is needed, there and from there on. */
void rn_meniscus_sweep(rn_meniscus *m, const rn_links *t) {
    for (int round = 0; round < 2; round++)
        for (int down = 0; down < 2; down++) {
            bool any = false;
            for (int i = 0; i < t->ny; i++) {
                const int y = down ? t->ny - 1 - i : i;
                if (round == 0 || any || m->mixed[y]) any = sweep_layers(m, t, y, down);
            }
        }
}
