#include "surface/meniscus.h"

#include "base/hash.h"
#include "base/maths.h"
#include "kernels/meniscus.h"

#include <string.h>

static const float steepest = 1.5f; /* radians: beyond this normals would lie down */
static const int32_t far = INT32_MAX / 4;

static size_t slots_of(const rn_links *t) { return (size_t)t->layers * (size_t)t->layer_stride; }
static size_t words_of(const rn_links *t) { return (size_t)t->layers * (size_t)(t->ny + 2) * (size_t)t->words; }

size_t rn_meniscus_bytes(const rn_links *t) {
    return (2 * words_of(t) + 3 * (size_t)t->words) * sizeof(uint64_t) +
           slots_of(t) * (7 * sizeof(float) + 2 * sizeof(int16_t)) + 8;
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
    m->square = (int32_t *)(m->rise + slots);
    m->nearest = (int16_t *)(m->square + slots);
}

/* ---- The band: wet columns within so many links of one that is not surrounded -------------------------------------
 */

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
            const uint64_t *row = band_row(t, m->grown, layer, y);
            for (int w = 0; w < t->words; w++)
                for (uint64_t left = row[w]; left; left &= left - 1)
                    m->square[rn_links_slot(t, layer, y, 64 * w + __builtin_ctzll(left) - 1)] = far;
        }
}

/* ---- What it is made of -------------------------------------------------------------------------------------------
 */

typedef void (*visit)(void *context, int layer, int y, int x, int32_t slot);

static void visit_row(const rn_links *t, const uint64_t *row, int layer, int y, visit call, void *context) {
    for (int w = 0; w < t->words; w++)
        for (uint64_t left = row[w]; left; left &= left - 1) {
            const int x = 64 * w + __builtin_ctzll(left) - 1;
            call(context, layer, y, x, rn_links_slot(t, layer, y, x));
        }
}

typedef struct hashing {
    const rn_links *t;
    uint64_t hash;
} hashing;

/* A column at the boundary: how it is linked, and the grounds of all that it is linked with. */
static void hash_column(void *context, int layer, int y, int x, int32_t slot) {
    hashing *h = context;
    const rn_links *t = h->t;
    (void)y;
    (void)x;
    h->hash = rn_hash_long(rn_hash_long(h->hash, (uint64_t)slot), t->links[slot]);
    h->hash = rn_hash_floats(h->hash, &t->base[slot], 1);
    for (int d = 0; d < RN_AROUND; d++) {
        const int32_t to = rn_links_joined(t, slot, layer, d);
        if (to >= 0) h->hash = rn_hash_word(rn_hash_floats(h->hash, &t->base[to], 1), t->kind[to]);
    }
}

static uint64_t hash_outline(const rn_links *t, uint64_t *row) {
    hashing h = {t, RN_HASH_START};
    for (int layer = 0; layer < t->layers; layer++)
        for (int y = 0; y < t->ny; y++) {
            const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
            for (int w = 0; w < t->words; w++) {
                h.hash = rn_hash_long(h.hash, wet[w]);
                row[w] = wet[w] & ~inner[w];
            }
            visit_row(t, row, layer, y, hash_column, &h);
        }
    return h.hash ? h.hash : 1;
}

/* ---- Distances
 * ------------------------------------------------------------------------------------------------------- */

typedef struct finding {
    rn_meniscus *m;
    const rn_links *t;
    int32_t *square; /* of the distance, in cells */
    float contact;   /* radians */
} finding;

/* The tilt of the solid at a boundary: upright at walls and at ground that rises like one (a cliff, not an even slope
   that was steep before: compare falls in docs/model.md), otherwise the slope from base to base. */
static float solid_tilt(const rn_links *t, int32_t slot, int layer, int direction, int32_t dry) {
    const float upright = 0.5f * RN_HALF_TURN;
    if (dry < 0) return upright;
    const float way = direction & 1 ? 1.41421356f * t->cell : t->cell, up = t->base[dry] - t->base[slot];
    const int32_t behind = rn_links_joined(t, slot, layer, (direction + 4) & 7);
    const float before = behind >= 0 ? t->base[slot] - t->base[behind] : 0.0f;
    if (up > way + 2.0f * (before > 0.0f ? before : 0.0f)) return upright;
    return rn_angle_of(up, way);
}

/* The first ring: wet columns that are linked with a dry one, or next to a wall or the edge of the domain. */
static void start_column(void *context, int layer, int y, int x, int32_t slot) {
    finding *f = context;
    const rn_links *t = f->t;
    (void)y;
    (void)x;
    for (int d = 0; d < RN_AROUND; d++) {
        const uint8_t link = rn_link_of(t->links[slot], d), kind = link & RN_LINK_KIND;
        if (kind != RN_LINK_JOIN && kind != RN_LINK_WALL) continue;
        const int32_t to = rn_links_joined(t, slot, layer, d);
        if (to >= 0 && t->kind[to] != RN_SURFACE_DRY) continue;
        const int32_t square = d & 1 ? 2 : 1;
        if (square >= f->square[slot]) continue;
        f->square[slot] = square;
        f->m->nearest[2 * slot] = rn_around_x[d];
        f->m->nearest[2 * slot + 1] = rn_around_y[d];
        f->m->psi[slot] = fmaxf(-steepest, fminf(steepest, solid_tilt(t, slot, layer, d, to) - f->contact));
    }
}

/* Dead reckoning (Grevera 2004) along links: what a neighbour's nearest boundary is from here. The true distances are
   compared rather than the neighbour's plus a step; between whole cells that is exact, and no slower. */
static void take_from(finding *f, int layer, int32_t slot, int direction) {
    const int32_t from = rn_links_joined(f->t, slot, layer, direction);
    if (from < 0 || f->t->kind[from] != RN_SURFACE_WET || f->square[from] >= far) return;
    int16_t *nearest = f->m->nearest;
    const int x = nearest[2 * from] + rn_around_x[direction], y = nearest[2 * from + 1] + rn_around_y[direction];
    if (x * x + y * y >= f->square[slot]) return;
    f->square[slot] = x * x + y * y;
    nearest[2 * slot] = (int16_t)x;
    nearest[2 * slot + 1] = (int16_t)y;
    f->m->psi[slot] = f->m->psi[from];
}

static void from_below(void *context, int layer, int y, int x, int32_t slot) {
    finding *f = context;
    (void)y;
    (void)x;
    take_from(f, layer, slot, 5);
    take_from(f, layer, slot, 6);
    take_from(f, layer, slot, 7);
    take_from(f, layer, slot, 4);
}

static void from_above(void *context, int layer, int y, int x, int32_t slot) {
    finding *f = context;
    (void)y;
    (void)x;
    take_from(f, layer, slot, 1);
    take_from(f, layer, slot, 2);
    take_from(f, layer, slot, 3);
    take_from(f, layer, slot, 4);
}

static void from_right(finding *f, const uint64_t *row, int layer, int y) {
    for (int w = f->t->words - 1; w >= 0; w--)
        for (uint64_t left = row[w]; left;) {
            const int bit = 63 - __builtin_clzll(left);
            left &= ~(UINT64_C(1) << bit);
            take_from(f, layer, rn_links_slot(f->t, layer, y, 64 * w + bit - 1), 0);
        }
}

/* Up through the rows and down again; in each row both ways. Links from layer to layer need a second round only where
   liquid changes its layer within a row. */
static void sweep(finding *f) {
    const rn_links *t = f->t;
    const int rounds = t->layers > 1 ? 2 : 1;
    for (int round = 0; round < rounds; round++)
        for (int way = 0; way < 2; way++)
            for (int i = 0; i < t->ny; i++)
                for (int layer = 0; layer < t->layers; layer++) {
                    const int y = way ? t->ny - 1 - i : i;
                    const uint64_t *row = band_row(t, f->m->band, layer, y);
                    visit_row(t, row, layer, y, way ? from_above : from_below, f);
                    from_right(f, row, layer, y);
                }
}

/* ---- Tilts
 * --------------------------------------------------------------------------------------------------------------- */

/* The distance in cells of what lies in a direction: 0 at the boundary; here itself where nothing is known. */
static float distance_towards(const finding *f, int layer, int32_t slot, int direction, float here) {
    const rn_links *t = f->t;
    const uint8_t link = rn_link_of(t->links[slot], direction);
    if ((link & RN_LINK_KIND) == RN_LINK_WALL) return 0.0f;
    const int32_t to = rn_links_joined(t, slot, layer, direction);
    if (to < 0) return here;
    if (t->kind[to] == RN_SURFACE_DRY) return 0.0f;
    if (t->kind[to] != RN_SURFACE_WET || f->square[to] >= far) return here;
    return sqrtf((float)f->square[to]);
}

static void tilt_column(void *context, int layer, int y, int x, int32_t slot) {
    finding *f = context;
    rn_meniscus *m = f->m;
    (void)y;
    (void)x;
    m->share[slot] = 0.0f;
    m->rise[slot] = 0.0f;
    m->direction[2 * slot] = m->direction[2 * slot + 1] = 0.0f;
    m->distance[slot] = INFINITY;
    if (f->square[slot] >= far) return;
    const float here = sqrtf((float)f->square[slot]);
    m->distance[slot] = here * f->t->cell;
    /* The contact line is half-way to the middle of the boundary cell. */
    const float away = fmaxf(0.0f, (here - 0.5f) * f->t->cell);
    const float share = 1.0f - away / m->def.length;
    if (!(share > 0.0f)) return;
    /* Central differences, those of the rows beside with half the weight (Sobel): the steps of the outline show less.
     */
    float d[RN_AROUND];
    for (int i = 0; i < RN_AROUND; i++) d[i] = distance_towards(f, layer, slot, i, here);
    const float gx = 0.25f * (d[4] - d[0]) + 0.125f * ((d[3] - d[1]) + (d[5] - d[7]));
    const float gy = 0.25f * (d[6] - d[2]) + 0.125f * ((d[7] - d[1]) + (d[5] - d[3]));
    const float steep = sqrtf(gx * gx + gy * gy);
    /* Between two boundaries that are equally near, distances have no slope and the surface lies flat. */
    const float sure = fminf(1.0f, 2.0f * steep);
    if (!(steep > 1e-3f)) return;
    m->share[slot] = share * sure;
    m->direction[2 * slot] = gx / steep;
    m->direction[2 * slot + 1] = gy / steep;
    if (m->def.capillary > 0.0f) m->rise[slot] = sure * rn_meniscus_rise(m->psi[slot], away, m->def.capillary);
}

static void each(finding *f, visit call) {
    for (int layer = 0; layer < f->t->layers; layer++)
        for (int y = 0; y < f->t->ny; y++) visit_row(f->t, band_row(f->t, f->m->band, layer, y), layer, y, call, f);
}

bool rn_meniscus_find(rn_meniscus *m, const rn_links *t, const rn_meniscus_def *def) {
    const uint64_t outline = hash_outline(t, m->grown);
    if (outline == m->seen && memcmp(def, &m->def, sizeof *def) == 0) return false;
    m->seen = outline;
    m->def = *def;
    const int reach = (int)fminf(200.0f, ceilf(def->length / t->cell) + 1.0f);
    make_band(m, t, reach);
    finding f = {.m = m, .t = t, .contact = def->contact_angle * (RN_HALF_TURN / 180.0f)};
    f.square = m->square;
    each(&f, start_column);
    sweep(&f);
    each(&f, tilt_column);
    return true;
}

/* ---- Rise
 * ------------------------------------------------------------------------------------------------------------------ */

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
    for (int i = 0; i < 6; i++) {
        u = u0 * rn_decay(y);
        const double u2 = u * u, q = 1.0 + u2, cosine = (1.0 - u2) / q;
        y -= (y + 2.0 * (c - cosine) - x) / rn_max(1.0 - 8.0 * u2 / (q * q), 1e-3);
        if (!(y > 0.0)) y = 0.0;
    }
    u = u0 * rn_decay(y);
    const double height = 4.0 * capillary * u / (1.0 + u * u);
    return (float)(psi < 0.0f ? -height : height);
}
