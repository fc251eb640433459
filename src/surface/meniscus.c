#include "surface/meniscus.h"

#include "base/hash.h"
#include "base/maths.h"
#include "kernels/meniscus.h"

#include <string.h>

static const float steepest = 1.5f; /* radians: beyond this normals would lie down */
static const int32_t far = INT32_MAX / 4;
static const double inverse[9] = {0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8};

/* How far (m) menisci matter: what is lifted falls off as far as three capillary lengths. */
static float reach_of(const rn_meniscus_def *def) { return fmaxf(def->length, 3.0f * def->capillary); }

static size_t slots_of(const rn_links *t) { return (size_t)t->layers * (size_t)t->layer_stride; }
static size_t words_of(const rn_links *t) { return (size_t)t->layers * (size_t)(t->ny + 2) * (size_t)t->words; }

size_t rn_meniscus_bytes(const rn_links *t) {
    return (2 * words_of(t) + 3 * (size_t)t->words) * sizeof(uint64_t) +
           slots_of(t) * (13 * sizeof(float) + sizeof(rn_nearest) + sizeof(uint16_t));
}

void rn_meniscus_place(rn_meniscus *m, const rn_links *t, void *memory) {
    const size_t slots = slots_of(t), words = words_of(t);
    *m = (rn_meniscus){.words = t->words};
    m->band = memory;
    m->grown = m->band + words;
    m->rows = m->grown + words;
    m->distance = (float *)(m->rows + 3 * t->words);
    m->psi = m->distance + slots;
    m->share = m->psi + slots;
    m->direction = m->share + slots;
    m->rise = m->direction + 2 * slots;
    m->raw = m->rise + slots;
    m->smooth = m->raw + slots;
    m->sure = m->smooth + slots;
    m->offset = m->sure + slots;
    m->even = m->offset + slots;
    m->own = m->even + slots;
    m->seed = (int32_t *)(m->own + slots);
    m->nearest = (rn_nearest *)(m->seed + slots);
    m->ways = (uint16_t *)(m->nearest + slots);
}

/* ---- The band: wet columns within so many links of one that is not surrounded ---------------------------------- */

static uint64_t *band_row(const rn_links *t, uint64_t *set, int layer, int y) {
    return set + ((size_t)layer * (size_t)(t->ny + 2) + (size_t)(y + 1)) * (size_t)t->words;
}

/* A row and its neighbours to both sides. */
static void spread_row(const uint64_t *from, uint64_t *to, int words) {
    for (int w = 0; w < words; w++) {
        const uint64_t before = w > 0 ? from[w - 1] >> 63 : 0, after = w + 1 < words ? from[w + 1] << 63 : 0;
        to[w] = from[w] | from[w] << 1 | from[w] >> 1 | before | after;
    }
}

/* From `set` to its wet neighbours, in `to`, which may be the same. */
static void spread(rn_meniscus *m, const rn_links *t, uint64_t *set, uint64_t *to) {
    for (int layer = 0; layer < t->layers; layer++) {
        uint64_t *rows[3]; /* of the set, spread to both sides: the one below, this, the one above */
        for (int i = 0; i < 3; i++) rows[i] = m->rows + i * t->words;
        spread_row(band_row(t, set, layer, -1), rows[0], t->words);
        spread_row(band_row(t, set, layer, 0), rows[1], t->words);
        for (int y = 0; y < t->ny; y++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y);
            spread_row(band_row(t, set, layer, y + 1), rows[2], t->words);
            uint64_t *row = band_row(t, to, layer, y), *below = rows[0];
            for (int w = 0; w < t->words; w++) row[w] = (rows[0][w] | rows[1][w] | rows[2][w]) & wet[w];
            rows[0] = rows[1];
            rows[1] = rows[2];
            rows[2] = below;
        }
    }
}

static void make_band(rn_meniscus *m, const rn_links *t, int reach) {
    const size_t all = words_of(t);
    for (size_t i = 0; i < all; i++) m->band[i] = m->grown[i] = 0;
    for (int layer = 0; layer < t->layers; layer++)
        for (int y = 0; y < t->ny; y++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
            uint64_t *to = band_row(t, m->band, layer, y);
            for (int w = 0; w < t->words; w++) to[w] = wet[w] & ~inner[w];
        }
    for (int step = 0; step < reach; step++) spread(m, t, m->band, m->band);
    /* The ring around is asked by those inside and has nothing to say. */
    spread(m, t, m->band, m->grown);
    for (int layer = 0; layer < t->layers; layer++)
        for (int y = 0; y < t->ny; y++) {
            const uint64_t *row = band_row(t, m->grown, layer, y), *inner = band_row(t, m->band, layer, y);
            const int32_t start = rn_links_slot(t, layer, y, -1);
            for (int w = 0; w < t->words; w++) {
                for (uint64_t left = row[w]; left; left &= left - 1)
                    m->nearest[start + 64 * w + __builtin_ctzll(left)].square = far;
                for (uint64_t left = row[w] & ~inner[w]; left; left &= left - 1) {
                    const int32_t slot = start + 64 * w + __builtin_ctzll(left);
                    m->distance[slot] = m->smooth[slot] = INFINITY;
                    m->own[slot] = 0.0f;
                }
            }
        }
}

/* ---- What it is made of ---------------------------------------------------------------------------------------- */

/* Takes the lowest bit off a word of a row's set: the cell that it stands for. */
static inline int take_cell(uint64_t *word, int w) {
    const int x = 64 * w + __builtin_ctzll(*word) - 1;
    *word &= *word - 1;
    return x;
}

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

static uint64_t hash_outline(const rn_links *t) {
    uint64_t hash = RN_HASH_START;
    for (int layer = 0; layer < t->layers; layer++)
        for (int y = 0; y < t->ny; y++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
            for (int w = 0; w < t->words; w++) {
                hash = rn_hash_long(hash, wet[w]);
                for (uint64_t left = wet[w] & ~inner[w]; left;)
                    hash = hash_column(t, layer, rn_links_slot(t, layer, y, take_cell(&left, w)), hash);
            }
        }
    return hash ? hash : 1;
}

/* ---- Distances ------------------------------------------------------------------------------------------------- */

/* The tilt of the solid at a boundary: upright at walls and at ground that rises like one (a cliff, not an even slope
   that was steep before: compare falls in docs/model.md), otherwise the slope from base to base. */
static bool is_upright(const rn_links *t, int32_t slot, int layer, int direction, int32_t dry) {
    if (dry < 0) return true;
    const float way = direction & 1 ? 1.41421356f * t->cell : t->cell, up = t->base[dry] - t->base[slot];
    const int32_t behind = rn_links_joined(t, slot, layer, (direction + 4) & 7);
    const float before = behind >= 0 ? t->base[slot] - t->base[behind] : 0.0f;
    return up > way + 2.0f * (before > 0.0f ? before : 0.0f);
}

static float solid_tilt(const rn_links *t, int32_t slot, int layer, int direction, int32_t dry) {
    if (is_upright(t, slot, layer, direction, dry)) return 0.5f * RN_HALF_TURN;
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

static inline unsigned ends_of(const rn_meniscus *m, int32_t slot) { return m->ways[slot] & 0xffu; }
static inline unsigned goes_on(const rn_meniscus *m, int32_t slot) { return m->ways[slot] >> 8; }

/* Takes the lowest direction off a set of them. */
static inline int take_way(unsigned *ways) {
    const int d = __builtin_ctz(*ways);
    *ways &= *ways - 1;
    return d;
}

/* The column that one goes on to. */
static inline int32_t column_at(const rn_links *t, int32_t slot, int layer, int direction) {
    return slot + rn_links_step(t, direction) +
           ((rn_link_of(t->links[slot], direction) & RN_LINK_LAYER) - layer) * t->layer_stride;
}

/* The first ring: wet columns that are linked with a dry one, or next to a wall or the edge of the domain. */
static void start_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot, float contact) {
    m->seed[slot] = slot;
    m->ways[slot] = (uint16_t)find_ways(t, slot, layer);
    const unsigned ends = ends_of(m, slot), sides = ends & 0x55;
    if (!ends) return;
    const int d = __builtin_ctz(sides ? sides : ends); /* a side is nearer than a corner; of those the first */
    m->nearest[slot] = (rn_nearest){rn_around_x[d], rn_around_y[d], d & 1 ? 2 : 1};
    m->raw[slot] =
        fmaxf(-steepest, fminf(steepest, solid_tilt(t, slot, layer, d, rn_links_joined(t, slot, layer, d)) - contact));
}

/* Whether a column is joined with one of another layer. */
static bool changes_layer(const rn_links *t, int32_t slot, int layer) {
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const uint8_t link = rn_link_of(t->links[slot], d);
        if ((link & RN_LINK_KIND) == RN_LINK_JOIN && (link & RN_LINK_LAYER) != layer) return true;
    }
    return false;
}

/* True if liquid goes from layer to layer somewhere. */
static bool start(rn_meniscus *m, const rn_links *t) {
    const float contact = m->def.contact_angle * (RN_HALF_TURN / 180.0f);
    bool changes = false;
    for (int layer = 0; layer < t->layers; layer++)
        for (int y = 0; y < t->ny; y++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
            for (int w = 0; w < t->words; w++)
                for (uint64_t left = wet[w] & ~inner[w]; left;) {
                    const int32_t slot = rn_links_slot(t, layer, y, take_cell(&left, w));
                    start_column(m, t, layer, slot, contact);
                    changes = changes || (t->layers > 1 && changes_layer(t, slot, layer));
                }
        }
    return changes;
}

/* What is known of a column on the way: its nearest boundary, and the column that it was found from. */
typedef struct guess {
    int x, y;
    int32_t square, from;
} guess;

static inline guess guess_at(const rn_meniscus *m, int32_t slot) {
    const rn_nearest n = m->nearest[slot];
    return (guess){n.x, n.y, n.square, slot};
}

static inline void keep_guess(rn_meniscus *m, int32_t slot, const guess *g) {
    m->nearest[slot] = (rn_nearest){(int16_t)g->x, (int16_t)g->y, g->square};
    m->seed[slot] = m->seed[g->from];
}

/* Dead reckoning (Grevera 2004): what a neighbour's nearest boundary is from here. The true distances are compared
   rather than the neighbour's plus a step; between whole cells that is exact, and no slower. */
static inline void take_from(guess *here, guess there, int direction) {
    const int x = there.x + rn_around_x[direction], y = there.y + rn_around_y[direction];
    const int32_t square = there.square < far ? x * x + y * y : far;
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
static void sweep_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot, int first, int last) {
    guess here = guess_at(m, slot);
    if (here.square <= 2) return; /* at a boundary: there is none nearer */
    for (int d = first; d < first + 3; d++) take_along(m, t, layer, slot, d, &here);
    take_along(m, t, layer, slot, last, &here);
    keep_guess(m, slot, &here);
}

/* The same where all around is wet and of the same layer, along a row: what the next column needs is at hand. */
static inline void sweep_run(rn_meniscus *m, const rn_links *t, int32_t slot, int count, int first, int last) {
    const int32_t way = first == 1 ? 1 : -1, row = first == 1 ? t->stride : -t->stride; /* to where they were found */
    guess before = guess_at(m, slot + way), corner = guess_at(m, slot + row + way), side = guess_at(m, slot + row);
    for (int i = 0; i < count; i++, slot -= way) {
        const guess next = guess_at(m, slot + row - way);
        guess here = guess_at(m, slot);
        if (here.square > 2) {
            take_from(&here, corner, first);
            take_from(&here, side, first + 1);
            take_from(&here, next, first + 2);
            take_from(&here, before, last);
            keep_guess(m, slot, &here);
            here.from = slot;
        }
        before = here;
        corner = side;
        side = next;
    }
}

/* Upwards from the row below and from left to right, downwards from the row above and from right to left. */
static void sweep_row(rn_meniscus *m, const rn_links *t, int layer, int y, bool down) {
    const uint64_t *row = rn_links_row(t, m->band, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
    const int32_t start = rn_links_slot(t, layer, y, -1);
    for (int i = 0; i < t->words; i++) {
        const int w = down ? t->words - 1 - i : i;
        for (uint64_t left = row[w]; left;) {
            const int bit = down ? 63 - __builtin_clzll(left) : __builtin_ctzll(left);
            const int32_t slot = start + 64 * w + bit;
            const uint64_t run = left & inner[w];
            int count = 1;
            if (!(run >> bit & 1)) {
                if (down) sweep_column(m, t, layer, slot, 1, 0);
                else sweep_column(m, t, layer, slot, 5, 4);
            } else if (down) {
                const uint64_t gaps = ~(run << (63 - bit));
                count = gaps ? __builtin_clzll(gaps) : 64;
                sweep_run(m, t, slot, count, 1, 0);
            } else {
                const uint64_t gaps = ~(run >> bit);
                count = gaps ? __builtin_ctzll(gaps) : 64;
                sweep_run(m, t, slot, count, 5, 4);
            }
            const uint64_t mask = count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
            left &= ~(down ? mask << (bit + 1 - count) : mask << bit);
        }
    }
}

/* Where liquid changes its layer within a row, a second round is needed. */
static void sweep(rn_meniscus *m, const rn_links *t, int rounds) {
    for (int round = 0; round < rounds; round++)
        for (int way = 0; way < 2; way++)
            for (int i = 0; i < t->ny; i++)
                for (int layer = 0; layer < t->layers; layer++) sweep_row(m, t, layer, way ? t->ny - 1 - i : i, way);
}

/* ---- Tilts ----------------------------------------------------------------------------------------------------- */

/* The values of a field of distances in all directions: 0 at the boundary; as here where nothing is known. */
static void look_around(const rn_meniscus *m, const rn_links *t, const float *field, int layer, int32_t slot,
                        float around[RN_AROUND]) {
    const float here = field[slot];
    const unsigned ends = ends_of(m, slot), on = goes_on(m, slot);
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const float there = field[on >> d & 1 ? column_at(t, slot, layer, d) : slot];
        const float known = there < INFINITY ? there : here;
        around[d] = ends >> d & 1 ? 0.0f : known;
    }
}

/* The mean of psi here and of what is near a boundary, too. */
static float mean_psi(const rn_meniscus *m, const rn_links *t, int layer, int32_t slot) {
    float sum = 4.0f * m->own[slot], weights = 4.0f;
    for (unsigned on = goes_on(m, slot); on;) {
        const int d = take_way(&on);
        const int32_t to = column_at(t, slot, layer, d);
        if (!(m->distance[to] < INFINITY)) continue;
        const float weight = d & 1 ? 1.0f : 2.0f;
        sum += weight * m->own[to];
        weights += weight;
    }
    return sum / weights;
}

/* Smoothed over its neighbours, the distance to a straight wall stays what it is, and the steps of the outline show
   less. */
static void smooth_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot) {
    float d[RN_AROUND];
    m->psi[slot] = 0.0f;
    m->smooth[slot] = INFINITY;
    if (!(m->distance[slot] < INFINITY)) return;
    look_around(m, t, m->distance, layer, slot, d);
    m->psi[slot] = mean_psi(m, t, layer, slot);
    m->smooth[slot] = 0.25f * m->distance[slot] + 0.125f * ((d[0] + d[4]) + (d[2] + d[6])) +
                      0.0625f * ((d[1] + d[5]) + (d[3] + d[7]));
}

/* The same along a row of columns that have wet ones of the same layer all around. */
static void smooth_run(rn_meniscus *m, const rn_links *t, int32_t first, int count) {
    const int32_t up = t->stride;
    const float *restrict d = m->distance + first, *restrict p = m->own + first;
    float *restrict psi = m->psi + first, *restrict smooth = m->smooth + first;
    /* Loaded first, all of them: choices between values, unlike those between places, are made for many at once. */
#define KNOWN(v)     ((v) < INFINITY ? (v) : c)
#define WEIGHT(v, w) ((v) < INFINITY ? (w) : 0.0f)
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float c = d[i], de = d[i + 1], dn = d[i + up], dw = d[i - 1], ds = d[i - up];
        const float dne = d[i + up + 1], dnw = d[i + up - 1], dsw = d[i - up - 1], dse = d[i - up + 1];
        const float sides = (KNOWN(de) + KNOWN(dw)) + (KNOWN(dn) + KNOWN(ds));
        const float corners = (KNOWN(dne) + KNOWN(dsw)) + (KNOWN(dnw) + KNOWN(dse));
        const float e = WEIGHT(de, 2.0f), n = WEIGHT(dn, 2.0f), w = WEIGHT(dw, 2.0f), s = WEIGHT(ds, 2.0f);
        const float ne = WEIGHT(dne, 1.0f), nw = WEIGHT(dnw, 1.0f), sw = WEIGHT(dsw, 1.0f), se = WEIGHT(dse, 1.0f);
        const float sum =
            ((((((((4.0f * p[i] + e * p[i + 1]) + ne * p[i + up + 1]) + n * p[i + up]) + nw * p[i + up - 1]) +
                w * p[i - 1]) +
               sw * p[i - up - 1]) +
              s * p[i - up]) +
             se * p[i - up + 1]);
        const float mean = sum / ((((((((4.0f + e) + ne) + n) + nw) + w) + sw) + s) + se);
        const float even = 0.25f * c + 0.125f * sides + 0.0625f * corners;
        psi[i] = mean;
        smooth[i] = even;
    }
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) psi[i] = d[i] < INFINITY ? psi[i] : 0.0f;
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) smooth[i] = d[i] < INFINITY ? smooth[i] : INFINITY;
#undef WEIGHT
#undef KNOWN
}

/* Central differences, the rows beside with half the weight (Sobel). Between two boundaries that are equally near,
   distances have no slope and the surface lies flat. */
typedef struct tilt {
    float sure, x, y;
} tilt;

static inline tilt find_tilt(const float d[RN_AROUND], float here, float cell, float most) {
    const float gx = 0.25f * (d[4] - d[0]) + 0.125f * ((d[3] - d[1]) + (d[5] - d[7]));
    const float gy = 0.25f * (d[6] - d[2]) + 0.125f * ((d[7] - d[1]) + (d[5] - d[3]));
    const float steep = sqrtf(gx * gx + gy * gy), share = 2.0f * steep / cell;
    const float by = ((steep > 1e-3f * cell) & (here < most)) ? steep : INFINITY;
    return (tilt){by < INFINITY ? rn_lesser(share, 1.0f) : 0.0f, gx / by, gy / by};
}

/* m: farther away nothing is tilted. */
static float tilted_up_to(const rn_meniscus *m, const rn_links *t) { return reach_of(&m->def) + 2.0f * t->cell; }

static void tilt_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot) {
    float d[RN_AROUND] = {0};
    if (m->smooth[slot] < INFINITY) look_around(m, t, m->smooth, layer, slot, d);
    const tilt found = find_tilt(d, m->smooth[slot], t->cell, tilted_up_to(m, t));
    m->sure[slot] = found.sure;
    m->direction[2 * slot] = found.x;
    m->direction[2 * slot + 1] = found.y;
}

static void tilt_run(rn_meniscus *m, const rn_links *t, int32_t first, int count) {
    const int32_t up = t->stride;
    const float *restrict f = m->smooth + first;
    const float cell = t->cell, most = tilted_up_to(m, t);
    float *restrict sure = m->sure + first, *restrict direction = m->direction + 2 * first;
#define KNOWN(v) ((v) < INFINITY ? (v) : c)
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float c = f[i], de = f[i + 1], dn = f[i + up], dw = f[i - 1], ds = f[i - up];
        const float dne = f[i + up + 1], dnw = f[i + up - 1], dsw = f[i - up - 1], dse = f[i - up + 1];
        const float d[RN_AROUND] = {KNOWN(de), KNOWN(dne), KNOWN(dn), KNOWN(dnw),
                                    KNOWN(dw), KNOWN(dsw), KNOWN(ds), KNOWN(dse)};
        const tilt found = find_tilt(d, c, cell, most);
        sure[i] = found.sure;
        direction[2 * i] = found.x;
        direction[2 * i + 1] = found.y;
    }
#undef KNOWN
}

/* ---- The contact line ------------------------------------------------------------------------------------------ */

/* How far (m) the contact line is before the middle of the boundary cell: half a cell at walls, which stand anywhere
   between; or where the ground rises above the level; or as far as the liquid has come on its way. */
static float offset_towards(const rn_links *t, const float *reach, int32_t slot, int layer, int direction,
                            int32_t dry) {
    if (!t->level || is_upright(t, slot, layer, direction, dry)) return 0.5f * t->cell;
    const float way = direction & 1 ? 1.41421356f * t->cell : t->cell;
    const float depth = t->level[slot] - t->base[slot], rise = t->base[dry] - t->base[slot];
    if (rise >= depth) return rise > 0.0f ? way * (1.0f - depth / rise) : way;
    const float come = reach ? fminf(fmaxf(reach[slot], 0.0f), 1.0f) : 0.5f, bank = fmaxf(rise / depth, 0.0f);
    return way * (1.0f - come) * (1.0f - bank * bank * (3.0f - 2.0f * bank));
}

/* The mean over the sides of a column, or if it has none over its corners. */
static float contact_offset(const rn_meniscus *m, const rn_links *t, const float *reach, int32_t slot, int layer) {
    const unsigned ends = ends_of(m, slot), sides = ends & 0x55;
    float sum = 0.0f;
    int count = 0;
    for (unsigned left = sides ? sides : ends; left; count++) {
        const int d = take_way(&left);
        sum += offset_towards(t, reach, slot, layer, d, rn_links_joined(t, slot, layer, d));
    }
    return count ? sum / (float)count : 0.5f * t->cell;
}

typedef struct tilting {
    rn_meniscus *m;
    const rn_links *t;
    const float *reach;
    bool traced;
} tilting;

static void root_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    const rn_links *t = job->t;
    rn_meniscus *m = job->m;
    (void)worker;
    for (int y = begin; y < end; y++)
        for (int layer = 0; layer < t->layers; layer++) {
            const uint64_t *row = rn_links_row(t, m->band, layer, y);
            for (int w = 0; w < t->words; w++)
                for (uint64_t left = row[w]; left;) {
                    const int32_t slot = rn_links_slot(t, layer, y, take_cell(&left, w));
                    const int32_t square = m->nearest[slot].square;
                    m->distance[slot] = square < far ? t->cell * sqrtf((float)square) : INFINITY;
                    m->own[slot] = square < far ? m->raw[m->seed[slot]] : 0.0f;
                }
        }
}

typedef void (*do_column)(rn_meniscus *m, const rn_links *t, int layer, int32_t slot);
typedef void (*do_run)(rn_meniscus *m, const rn_links *t, int32_t first, int count);

/* The columns of the band in some rows: runs of those inside the liquid, and the others one by one. */
static inline void do_rows(const tilting *job, int begin, int end, do_column column, do_run run) {
    const rn_links *t = job->t;
    for (int y = begin; y < end; y++)
        for (int layer = 0; layer < t->layers; layer++) {
            const uint64_t *row = rn_links_row(t, job->m->band, layer, y);
            const uint64_t *inner = rn_links_row(t, t->interior, layer, y);
            const int32_t start = rn_links_slot(t, layer, y, -1);
            for (int w = 0; w < t->words; w++) {
                for (uint64_t left = row[w] & ~inner[w]; left; left &= left - 1)
                    column(job->m, t, layer, start + 64 * w + __builtin_ctzll(left));
                for (uint64_t left = row[w] & inner[w]; left;) {
                    const int first = __builtin_ctzll(left);
                    const uint64_t after = ~(left >> first);
                    const int count = after ? __builtin_ctzll(after) : 64;
                    run(job->m, t, start + 64 * w + first, count);
                    left = first + count < 64 ? left >> (first + count) << (first + count) : 0;
                }
            }
        }
}

static void smooth_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    do_rows(context, begin, end, smooth_column, smooth_run);
}

static void tilt_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    do_rows(context, begin, end, tilt_column, tilt_run);
}

/* Of each column of the first ring; then the mean with those that it is joined with. */
static void offset_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    const rn_links *t = job->t;
    (void)worker;
    for (int y = begin; y < end; y++)
        for (int layer = 0; layer < t->layers; layer++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
            for (int w = 0; w < t->words; w++)
                for (uint64_t left = wet[w] & ~inner[w]; left;) {
                    const int32_t slot = rn_links_slot(t, layer, y, take_cell(&left, w));
                    job->m->offset[slot] = contact_offset(job->m, t, job->reach, slot, layer);
                }
        }
}

static void even_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    const rn_links *t = job->t;
    rn_meniscus *m = job->m;
    (void)worker;
    for (int y = begin; y < end; y++)
        for (int layer = 0; layer < t->layers; layer++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
            for (int w = 0; w < t->words; w++)
                for (uint64_t left = wet[w] & ~inner[w]; left;) {
                    const int32_t slot = rn_links_slot(t, layer, y, take_cell(&left, w));
                    float sum = 2.0f * m->offset[slot], weights = 2.0f;
                    for (unsigned on = goes_on(m, slot); on;) {
                        const int32_t to = column_at(t, slot, layer, take_way(&on));
                        if (m->nearest[to].square > 2) continue;
                        sum += m->offset[to]; /* at a boundary, too */
                        weights += 1.0f;
                    }
                    m->even[slot] = sum / weights;
                }
        }
}

/* The last third fades to nothing: the band ends there. */
static float lift(const rn_meniscus *m, int32_t slot, float away) {
    const float l = m->def.capillary, fade = fminf(fmaxf(3.0f - away / l, 0.0f), 1.0f);
    return fade > 0.0f ? fade * fade * (3.0f - 2.0f * fade) * rn_meniscus_rise(m->psi[slot], away, l) : 0.0f;
}

static void bend_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    const rn_links *t = job->t;
    rn_meniscus *m = job->m;
    (void)worker;
    for (int y = begin; y < end; y++)
        for (int layer = 0; layer < t->layers; layer++) {
            const uint64_t *row = rn_links_row(t, m->band, layer, y);
            for (int w = 0; w < t->words; w++)
                for (uint64_t left = row[w]; left;) {
                    const int32_t slot = rn_links_slot(t, layer, y, take_cell(&left, w));
                    m->share[slot] = m->rise[slot] = 0.0f;
                    if (!(m->sure[slot] > 0.0f)) continue;
                    const float away = fmaxf(0.0f, m->smooth[slot] - m->even[m->seed[slot]]);
                    m->share[slot] = m->sure[slot] * fmaxf(0.0f, 1.0f - away / m->def.length);
                    if (m->def.capillary > 0.0f) m->rise[slot] = m->sure[slot] * lift(m, slot, away);
                }
        }
}

static void share_rows(rn_pool *pool, rn_task task, tilting *job) {
    if (pool) rn_parallel_for(pool, job->t->ny, task, job);
    else task(job, 0, job->t->ny, 0);
}

/* What needs nothing but what is known of its own row is done together, row by row, while that is at hand. */
static void begin_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    for (int y = begin; y < end; y++) {
        if (job->traced) root_rows(context, y, y + 1, worker);
        offset_rows(context, y, y + 1, worker);
    }
}

static void middle_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    for (int y = begin; y < end; y++) {
        if (job->traced) smooth_rows(context, y, y + 1, worker);
        even_rows(context, y, y + 1, worker);
    }
}

static void end_rows(void *context, int begin, int end, int worker) {
    const tilting *job = context;
    for (int y = begin; y < end; y++) {
        if (job->traced) tilt_rows(context, y, y + 1, worker);
        bend_rows(context, y, y + 1, worker);
    }
}

bool rn_meniscus_trace(rn_meniscus *m, const rn_links *t, const rn_meniscus_def *def) {
    const uint64_t outline = m->passing ? 0 : hash_outline(t);
    const bool changed = m->passing || outline != m->seen || memcmp(def, &m->def, sizeof *def) != 0;
    m->seen = outline;
    m->def = *def;
    if (!changed) return false;
    make_band(m, t, (int)fminf(200.0f, ceilf(reach_of(&m->def) / t->cell)));
    sweep(m, t, start(m, t) ? 2 : 1);
    return true;
}

void rn_meniscus_shape(rn_meniscus *m, const rn_links *t, const float *reach, bool traced, rn_pool *pool) {
    tilting job = {m, t, reach, traced};
    share_rows(pool, begin_rows, &job);
    share_rows(pool, middle_rows, &job);
    share_rows(pool, end_rows, &job);
}

bool rn_meniscus_find(rn_meniscus *m, const rn_links *t, const float *reach, const rn_meniscus_def *def,
                      rn_pool *pool) {
    const bool traced = rn_meniscus_trace(m, t, def);
    rn_meniscus_shape(m, t, reach, traced, pool);
    return traced;
}

float rn_meniscus_bend(const rn_meniscus *m, const rn_links *t, int layer, int y, int x, float normal[3]) {
    if (!rn_meniscus_has(m, t, layer, y, x)) return 0.0f;
    const int32_t slot = rn_links_slot(t, layer, y, x);
    if (!(m->share[slot] > 0.0f)) return m->rise[slot];
    const rn_normal n = rn_meniscus_tilt(rn_normal_of(normal[0], normal[1], normal[2]), m->direction[2 * slot],
                                         m->direction[2 * slot + 1], m->psi[slot] * m->share[slot]);
    normal[0] = n.x;
    normal[1] = n.y;
    normal[2] = n.z;
    return m->rise[slot];
}

void rn_meniscus_bend_run(const rn_meniscus *m, int32_t slot, int count, float *normals) {
    const float *restrict psi = m->psi + slot, *restrict share = m->share + slot;
    const float *restrict direction = m->direction + 2 * slot;
    float *restrict normal = normals;
    float bent[3][64]; /* first all of them, then those that count: two loops, without a branch in either */
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const rn_normal n = rn_meniscus_tilt(rn_normal_of(normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]),
                                             direction[2 * i], direction[2 * i + 1], psi[i] * share[i]);
        bent[0][i] = n.x;
        bent[1][i] = n.y;
        bent[2][i] = n.z;
    }
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const bool bends = share[i] > 0.0f;
        const float x = normal[3 * i], y = normal[3 * i + 1], z = normal[3 * i + 2];
        const float to_x = bent[0][i], to_y = bent[1][i], to_z = bent[2][i];
        normal[3 * i] = bends ? to_x : x;
        normal[3 * i + 1] = bends ? to_y : y;
        normal[3 * i + 2] = bends ? to_z : z;
    }
}

/* ---- Rise ------------------------------------------------------------------------------------------------------ */

/* e^-y for y of 0 or more, within 1e-7: a power of two times a polynomial for the rest. */
static double decay(double y) {
    const double halvings = y * 1.4426950408889634, whole = floor(halvings);
    if (whole > 200.0) return 0.0;
    const double r = (halvings - whole) * -0.6931471805599453; /* from -ln 2 to 0 */
    double sum = 1.0 + r * (1.0 / 9.0);
    for (int n = 8; n > 0; n--) sum = 1.0 + r * inverse[n] * sum;
    const uint64_t bits = (uint64_t)(1023 - (int)whole) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

/* A surface that has the slope angle p at some point stands h = 2 l sin(p/2) above the level there; with u = tan(p/4)
   that is 4 l u/(1 + u^2), and u falls with the distance x from where it was u0 by
       x/l = y + 2 cos(psi/2) - 2 cos(p/2),  y = ln(u0/u),  cos(p/2) = (1 - u^2)/(1 + u^2).
   The right side grows with y, ever faster: Newton's steps from too large a y come down to the root. */
float rn_meniscus_rise(float psi, float distance, float capillary) {
    const double angle = fabs((double)fmaxf(-steepest, fminf(steepest, psi)));
    if (!(angle > 0.0) || !(capillary > 0.0f)) return 0.0f;
    const double s = rn_sine_of((float)(0.5 * angle)), c = rn_cosine_of((float)(0.5 * angle));
    const double u0 = s / (1.0 + c), x = rn_max(distance, 0.0) / capillary;
    double y = x + 2.0 * (1.0 - c), u = u0;
    for (int i = 0; i < 8; i++) {
        u = u0 * decay(y);
        const double u2 = u * u, q = 1.0 + u2, cosine = (1.0 - u2) / q;
        const double over = (y + 2.0 * (c - cosine) - x) / rn_max(1.0 - 8.0 * u2 / (q * q), 1e-3);
        y = rn_max(y - over, 0.0);
        if (over < 1e-7) break;
    }
    u = u0 * decay(y);
    const double height = 4.0 * capillary * u / (1.0 + u * u);
    return (float)(psi < 0.0f ? -height : height);
}
