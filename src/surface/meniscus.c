/* The shape of menisci: how the surface bends near a boundary (Dagenais 2018, section 5).

   Interface (surface/meniscus.h): rn_meniscus_bytes, rn_meniscus_place and rn_meniscus_ask set up a field;
   rn_meniscus_find does everything at once, for tests; build.c calls its parts between other passes. Order of calls,
   after nearest.c has found the nearest boundary of every column:
   - rn_meniscus_touch: how far the contact line is from the centre of the boundary cell;
   - rn_meniscus_near: the distance of each column to that centre, and psi of its nearest boundary;
   - rn_meniscus_even: smooths distances and psi, and the position of the contact line along the boundary;
   - rn_meniscus_shape: the direction to the boundary, from the slope of the distances, and the share of psi that
     remains at the distance from the contact line; with `meniscus_rise` also how far the exact profile lifts the
     surface;
   - rn_meniscus_bend and rn_meniscus_bend_run tilt normals by these (kernels/meniscus.h), rn_meniscus_tell passes
     them to a shader.

   psi is the slope of the surface at the contact line (radians): the slope of the solid less the contact angle. The
   rise is the two-dimensional meniscus of Young and Laplace, solved by Newton's method (rn_meniscus_rise).

   Distances, psi and directions depend only on the outline of the liquid and the ground along it. Both are hashed:
   while the hash is unchanged, only the contact line, shares and rise are found again. */
#include "surface/meniscus.h"

#include "base/maths.h"
#include "kernels/meniscus.h"

#include <string.h>

static const float steepest = 1.5f; /* radians: beyond this normals would be horizontal */
static const double inverse[9] = {0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8};

/* The number of slots, and of 64-bit words in a set of cells by layer with its rim (surface/links.h). */
static size_t slots_of(const rn_links *t) { return (size_t)t->layers * (size_t)t->layer_stride; }
static size_t words_of(const rn_links *t) { return (size_t)t->layers * (size_t)(t->ny + 2) * (size_t)t->words; }

size_t rn_meniscus_bytes(const rn_links *t) {
    return (5 * words_of(t) + (size_t)t->ny + 2 * ((size_t)t->ny + 2)) * sizeof(uint64_t) +
           slots_of(t) * (12 * sizeof(float) + sizeof(rn_nearest) + sizeof(uint16_t)) + (size_t)t->ny;
}

void rn_meniscus_place(rn_meniscus *m, const rn_links *t, void *memory) {
    const size_t slots = slots_of(t), words = words_of(t);
    *m = (rn_meniscus){.words = t->words, .anew = true};
    m->band = memory;
    m->beside = m->band + words;
    m->first = m->beside + words;
    m->open = m->first + words;
    m->crossing = m->open + words;
    m->outlines = m->crossing + words;
    m->rings = m->outlines + t->ny;
    m->distance = (float *)(m->rings + 2 * (t->ny + 2));
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
    m->nearest = (rn_nearest *)(m->own + slots);
    m->ways = (uint16_t *)(m->nearest + slots);
    m->mixed = (uint8_t *)(m->ways + slots);
    m->offers = (rn_offer *)(void *)m->direction;
}

/* ---- Tilts ----------------------------------------------------------------------------------------------------- */

/* Writes the values of a field of distances (m) in the columns around one, by direction: 0 beyond a boundary, and the
   value of the column itself where none is known. */
static void look_around(const rn_meniscus *m, const rn_links *t, const float *field, int layer, int32_t slot,
                        float around[RN_AROUND]) {
    const float here = field[slot];
    const unsigned ends = rn_ends_of(m, slot), on = rn_goes_on(m, slot);
    RN_EACH_WAY
    for (int d = 0; d < RN_AROUND; d++) {
        const float there = field[on >> d & 1 ? rn_column_at(t, slot, layer, d) : slot];
        const float known = there < INFINITY ? there : here;
        around[d] = ends >> d & 1 ? 0.0f : known;
    }
}

/* The mean of psi (radians; m->own) over a column near a boundary, with weight 4, and the wet columns around it that
   are near one too: 2 at its sides, 1 at its corners. */
static float mean_psi(const rn_meniscus *m, const rn_links *t, int layer, int32_t slot) {
    float sum = 4.0f * m->own[slot], weights = 4.0f;
    for (unsigned on = rn_goes_on(m, slot); on;) {
        const int d = rn_take_way(&on);
        const int32_t to = rn_column_at(t, slot, layer, d);
        if (!(m->distance[to] < INFINITY)) continue;
        const float weight = d & 1 ? 1.0f : 2.0f;
        sum += weight * m->own[to];
        weights += weight;
    }
    return sum / weights;
}

/* Sets the smoothed distance and psi of a column; INFINITY and 0 if its boundary is too far to matter. The distance to
   a straight wall is unchanged, but steps of the outline show less. */
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

/* smooth_column for a run of columns with wet ones of the same layer all around. */
static void smooth_run(rn_meniscus *m, const rn_links *t, int32_t first, int count) {
    const int32_t up = t->stride;
    const float *restrict d = m->distance + first, *restrict p = m->own + first;
    float *restrict psi = m->psi + first, *restrict smooth = m->smooth + first;
    /* All values are loaded first, so that the choices between them can be vectorised. */
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

typedef struct tilt {
    float sure, x, y; /* certainty of the direction, 0 to 1, and the direction: a horizontal unit vector, or 0 */
} tilt;

/* The direction to the boundary, down the slope of the distances d (m) around a column, and its certainty; both are 0
   if the distance `here` is `most` (m) or more. The slope is found by central differences, with half the weight for the
   rows beside (Sobel). Midway between two boundaries there is no slope, and the surface is flat. */
static inline tilt find_tilt(const float d[RN_AROUND], float here, float cell, float most) {
    const float gx = 0.25f * (d[4] - d[0]) + 0.125f * ((d[3] - d[1]) + (d[5] - d[7]));
    const float gy = 0.25f * (d[6] - d[2]) + 0.125f * ((d[7] - d[1]) + (d[5] - d[3]));
    const float steep = sqrtf(gx * gx + gy * gy), share = 2.0f * steep / cell;
    const float by = ((steep > 1e-3f * cell) & (here < most)) ? steep : INFINITY;
    return (tilt){by < INFINITY ? rn_smaller(share, 1.0f) : 0.0f, gx / by, gy / by};
}

/* The distance (m) from which nothing is tilted. */
static float tilted_up_to(const rn_meniscus *m, const rn_links *t) {
    return rn_meniscus_reach(&m->def) + 2.0f * t->cell;
}

/* Sets direction and certainty of a column from the smoothed distances around it. */
static void tilt_column(rn_meniscus *m, const rn_links *t, int layer, int32_t slot) {
    float d[RN_AROUND] = {0};
    if (m->smooth[slot] < INFINITY) look_around(m, t, m->smooth, layer, slot, d);
    const tilt found = find_tilt(d, m->smooth[slot], t->cell, tilted_up_to(m, t));
    m->sure[slot] = found.sure;
    m->direction[2 * slot] = found.x;
    m->direction[2 * slot + 1] = found.y;
}

/* tilt_column for a run of columns with wet ones of the same layer all around. */
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

/* The distance (m) of the contact line from the centre of the boundary cell in a direction: half a cell at upright
   solid, or if levels are not known; on ground that rises above the level, to where it meets the level; otherwise less
   the further the liquid has advanced (`reach`; NULL: halfway). dry: the column there; -1: a wall. */
static float offset_towards(const rn_links *t, const float *reach, int32_t slot, int layer, int direction,
                            int32_t dry) {
    if (!t->level || rn_is_upright(t, slot, layer, direction, dry)) return 0.5f * t->cell;
    const float way = direction & 1 ? 1.41421356f * t->cell : t->cell;
    const float depth = t->level[slot] - t->base[slot], rise = t->base[dry] - t->base[slot];
    if (rise >= depth) return rise > 0.0f ? way * (1.0f - depth / rise) : way;
    const float come = reach ? fminf(fmaxf(reach[slot], 0.0f), 1.0f) : 0.5f, bank = fmaxf(rise / depth, 0.0f);
    return way * (1.0f - come) * (1.0f - bank * bank * (3.0f - 2.0f * bank));
}

/* The mean of offset_towards (m) over the sides of a column at boundaries, or over its corners if it has no such side;
   half a cell if it is at no boundary. */
static float contact_offset(const rn_meniscus *m, const rn_links *t, const float *reach, int32_t slot, int layer) {
    const unsigned ends = rn_ends_of(m, slot), sides = ends & 0x55;
    float sum = 0.0f;
    int count = 0;
    for (unsigned left = sides ? sides : ends; left; count++) {
        const int d = rn_take_way(&left);
        sum += offset_towards(t, reach, slot, layer, d, rn_links_joined(t, slot, layer, d));
    }
    return count ? sum / (float)count : 0.5f * t->cell;
}

void rn_meniscus_near(rn_meniscus *m, const rn_links *t, int y, int worker) {
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *row = rn_links_row(t, m->band, layer, y);
        RN_EACH_WORD (w, t->words, worker)
            RN_EACH_BIT (bit, row[w]) {
                const int32_t slot = rn_links_slot(t, layer, y, 64 * w + bit - 1);
                const int32_t square = m->nearest[slot].square;
                m->distance[slot] = square < RN_FAR ? t->cell * sqrtf((float)square) : INFINITY;
                m->own[slot] = square < RN_FAR ? m->raw[m->nearest[slot].seed] : 0.0f;
            }
    }
}

typedef void (*do_column)(rn_meniscus *m, const rn_links *t, int layer, int32_t slot);
typedef void (*do_run)(rn_meniscus *m, const rn_links *t, int32_t first, int count);

/* Applies `run` to runs of columns of the band in a row that are inside the liquid, and `column` to the others one
   by one. */
static inline void do_row(rn_meniscus *m, const rn_links *t, int y, int worker, do_column column, do_run run) {
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *row = rn_links_row(t, m->band, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        const int32_t start = rn_links_slot(t, layer, y, -1);
        RN_EACH_WORD (w, t->words, worker) {
            RN_EACH_BIT (bit, row[w] & ~inner[w]) column(m, t, layer, start + 64 * w + bit);
            RN_EACH_RUN (first, count, row[w] & inner[w]) run(m, t, start + 64 * w + first, count);
        }
    }
}

/* Sets `offset` of the wet columns of a row that are not surrounded by liquid. rn_meniscus_even then averages it along
   the boundary. */
void rn_meniscus_touch(rn_meniscus *m, const rn_links *t, const float *reach, int y, int worker) {
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        RN_EACH_WORD (w, t->words, worker)
            RN_EACH_BIT (bit, wet[w] & ~inner[w]) {
                const int32_t slot = rn_links_slot(t, layer, y, 64 * w + bit - 1);
                m->offset[slot] = contact_offset(m, t, reach, slot, layer);
            }
    }
}

void rn_meniscus_even(rn_meniscus *m, const rn_links *t, bool changed, int y, int worker) {
    if (changed) do_row(m, t, y, worker, smooth_column, smooth_run);
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *wet = rn_links_row(t, t->wet, layer, y), *inner = rn_links_row(t, t->interior, layer, y);
        RN_EACH_WORD (w, t->words, worker)
            RN_EACH_BIT (bit, wet[w] & ~inner[w]) {
                const int32_t slot = rn_links_slot(t, layer, y, 64 * w + bit - 1);
                float sum = 2.0f * m->offset[slot], weights = 2.0f;
                for (unsigned on = rn_goes_on(m, slot); on;) {
                    const int32_t to = rn_column_at(t, slot, layer, rn_take_way(&on));
                    if (m->nearest[to].square > 2 || m->nearest[to].seed != to) continue;
                    sum += m->offset[to]; /* the neighbour is at a boundary too */
                    weights += 1.0f;
                }
                m->even[slot] = sum / weights;
            }
    }
}

/* The rise (m) of a column that is `away` (m) from the contact line. It fades to 0 between two and three capillary
   lengths, where menisci end. */
static float lift(const rn_meniscus *m, int32_t slot, float away) {
    const float l = m->def.capillary, fade = fminf(fmaxf(3.0f - away / l, 0.0f), 1.0f);
    return fade > 0.0f ? fade * fade * (3.0f - 2.0f * fade) * rn_meniscus_rise(m->psi[slot], away, l) : 0.0f;
}

/* Sets share and, with a capillary length, rise of a run of columns of the band, at most 64; both are multiplied by the
   certainty of the direction. */
static void share_run(rn_meniscus *m, int32_t slot, int count) {
    const float *restrict sure = m->sure + slot, *restrict smooth = m->smooth + slot;
    const float length = m->def.length;
    float *restrict share = m->share + slot;
    float even[64];
    for (int i = 0; i < count; i++) even[i] = m->even[m->nearest[slot + i].seed];
    RN_EACH_ALONE
    for (int i = 0; i < count; i++) {
        const float sureness = sure[i], distance = smooth[i], contact = even[i];
        const float away = rn_larger(distance - contact, 0.0f);
        const float left = sureness * rn_larger(1.0f - away / length, 0.0f);
        share[i] = sureness > 0.0f ? left : 0.0f;
    }
    for (int i = 0; i < count && m->def.capillary > 0.0f; i++) {
        const float away = fmaxf(smooth[i] - even[i], 0.0f);
        m->rise[slot + i] = sure[i] > 0.0f ? sure[i] * lift(m, slot + i, away) : 0.0f;
    }
}

void rn_meniscus_shape(rn_meniscus *m, const rn_links *t, bool changed, int y, int worker) {
    if (changed) do_row(m, t, y, worker, tilt_column, tilt_run);
    RN_EACH_LAYER (layer, t->wet_layers[y + 1]) {
        const uint64_t *row = rn_links_row(t, m->band, layer, y);
        RN_EACH_WORD (w, t->words, worker)
            RN_EACH_RUN (first, count, row[w]) share_run(m, rn_links_slot(t, layer, y, 64 * w + first - 1), count);
    }
}

#if !defined(RN_GPU)
/* ---- Everything together ----------------------------------------------------------------------------------------- */

typedef struct finding {
    rn_meniscus *m;
    const rn_links *t;
    const float *reach;
    bool changed;
    int part;
} finding;

/* A task over rows: runs one part of rn_meniscus_find; f->part says which. */
static void find_rows(void *context, int begin, int end, int worker) {
    const finding *f = context;
    for (int y = begin; y < end; y++) switch (f->part) {
        case 0: rn_meniscus_outline(f->m, f->t, y, worker); break;
        case 1: rn_meniscus_begin(f->m, f->t, y, worker); break;
        case 2: rn_meniscus_touch(f->m, f->t, f->reach, y, worker); break;
        case 3: rn_meniscus_near(f->m, f->t, y, worker); break;
        case 4: rn_meniscus_even(f->m, f->t, f->changed, y, worker); break;
        default: rn_meniscus_shape(f->m, f->t, f->changed, y, worker); break;
        }
}

void rn_meniscus_ask(rn_meniscus *m, const rn_meniscus_def *def) {
    m->anew |= memcmp(def, &m->def, sizeof *def) != 0;
    m->def = *def;
}

bool rn_meniscus_find(rn_meniscus *m, const rn_links *t, const float *reach, const rn_meniscus_def *def,
                      rn_pool *pool) {
    finding f = {.m = m, .t = t, .reach = reach};
    rn_meniscus_ask(m, def);
    for (f.part = 0; f.part < 6; f.part++) {
        if (f.part == 1) f.changed = rn_meniscus_has_changed(m, t);
        if (!f.changed && (f.part == 1 || f.part == 3)) continue;
        if (f.part == 3) rn_meniscus_sweep(m, t);
        if (pool) rn_parallel_for(pool, t->ny, find_rows, &f);
        else find_rows(&f, 0, t->ny, 0);
    }
    return f.changed;
}
#endif

float rn_meniscus_bend(const rn_meniscus *m, const rn_links *t, int layer, int y, int x, float normal[3]) {
    if (!rn_meniscus_has(m, t, layer, y, x)) return 0.0f;
    const int32_t slot = rn_links_slot(t, layer, y, x);
    const float rise = m->def.capillary > 0.0f ? m->rise[slot] : 0.0f;
    if (!(m->share[slot] > 0.0f)) return rise;
    const rn_normal n = rn_meniscus_tilt(rn_normal_of(normal[0], normal[1], normal[2]), m->direction[2 * slot],
                                         m->direction[2 * slot + 1], m->psi[slot] * m->share[slot]);
    normal[0] = n.x;
    normal[1] = n.y;
    normal[2] = n.z;
    return rise;
}

void rn_meniscus_bend_run(const rn_meniscus *m, int32_t slot, int count, float *normals) {
    const float *restrict psi = m->psi + slot, *restrict share = m->share + slot;
    const float *restrict direction = m->direction + 2 * slot;
    float *restrict normal = normals;
    float bent[3][64]; /* first all of them, then the selected ones: two loops without branches */
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

void rn_meniscus_tell(const rn_meniscus *m, int32_t slot, int count, float *menisci) {
    for (int i = 0; i < count; i++, menisci += 4) {
        if (!(m->share[slot + i] > 0.0f)) continue;
        menisci[0] = m->direction[2 * (slot + i)];
        menisci[1] = m->direction[2 * (slot + i) + 1];
        menisci[2] = m->psi[slot + i];
        menisci[3] = m->share[slot + i];
    }
}

/* ---- Rise ------------------------------------------------------------------------------------------------------ */

/* e^-y for y >= 0, within 1e-7: a power of two times a polynomial. */
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

/* A surface with slope angle p stands h = 2 l sin(p/2) above the level; with u = tan(p/4) that is 4 l u/(1 + u^2). u
   falls with the distance x from where it was u0: x/l = y + 2 cos(psi/2) - 2 cos(p/2), y = ln(u0/u), cos(p/2) = (1 -
   u^2)/(1 + u^2). The right side is a convex, increasing function of y: Newton's method converges to the root from
   any larger y. */
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
