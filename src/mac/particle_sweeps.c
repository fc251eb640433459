/* Loops over particles: weights around a point, particles to faces, faces to particles, and motion.

   A sum over particles is the same for any vector width: it has RN_MAC_GROUP parts, which are added at the end.
   Contributions to faces are added in the order of particles, with all values of a face's row at once. */
#include "mac/particle_sweeps.h"

#include "mac/four.h"

/* ---- Weights around a point -------------------------------------------------------------------------------------- */

enum { PARTS = RN_MAC_GROUP / RN_LANES };

/* The sum of all lanes of all parts, in their order. */
static float total(const rn_wide parts[PARTS]) {
    float sum = 0.0f;
    for (int q = 0; q < PARTS; q++)
        for (int lane = 0; lane < RN_LANES; lane++) sum += parts[q][lane];
    return sum;
}

/* The sum of weights (1 - s^2)^3 of the particles in `ranges` around a point (cells), and of their weighted offsets
   along x, y and z (Zhu & Bridson 2005). */
static void weigh(const rn_mac_particles *p, const float at[3], const rn_mac_range *ranges, int count, float sums[4]) {
    rn_wide w[PARTS] = {{0}}, wx[PARTS] = {{0}}, wy[PARTS] = {{0}}, wz[PARTS] = {{0}};
    for (int r = 0; r < count; r++) {
        const float x0 = at[0] - ranges[r].shift;
        for (int32_t group = ranges[r].begin; group < ranges[r].end; group += RN_MAC_GROUP)
            for (int q = 0; q < PARTS; q++) {
                const int32_t first = group + q * RN_LANES;
                const rn_wide dx = rn_load(p->value[RN_MAC_AT] + first) - x0;
                const rn_wide dy = rn_load(p->value[RN_MAC_AT + 1] + first) - at[1];
                const rn_wide dz = rn_load(p->value[RN_MAC_AT + 2] + first) - at[2];
                const rn_wide s =
                    rn_positive(1.0f - (dx * dx + dy * dy + dz * dz) * (1.0f / (RN_MAC_RADIUS * RN_MAC_RADIUS)));
                const rn_wide weight = rn_keep(rn_lane_numbers() < ranges[r].end - first, s * s * s);
                w[q] += weight;
                wx[q] += weight * dx;
                wy[q] += weight * dy;
                wz[q] += weight * dz;
            }
    }
    sums[0] = total(w);
    sums[1] = total(wx);
    sums[2] = total(wy);
    sums[3] = total(wz);
}

/* ---- Particles to faces ------------------------------------------------------------------------------------------ */

enum { AHEAD = 96 }; /* particles: how far ahead their values are fetched */

/* Where four particles add one component of their velocity. */
typedef struct footprint {
    rn_four corner[4][4]; /* [face row][particle]: momentum and weight of two adjacent faces along x. Face rows: the
                             lowest, the next along y, the next along z, the one across */
    rn_four_ints at;      /* index of the lowest face */
} footprint;

/* What four particles with component v (m/s) and affine part c give the faces around them. Positions count from the
   face (0, 0, 0) of the rim. Jiang et al. 2015, Eq. 8: m (v + C (x_face - x_particle)), by trilinear weights. */
RN_INLINE footprint footprint_of(const rn_mac_grid *g, const rn_four at[3], rn_four v, const rn_four c[3]) {
    footprint f;
    const rn_four_ints i = __builtin_convertvector(at[0], rn_four_ints),
                       j = __builtin_convertvector(at[1], rn_four_ints);
    const rn_four_ints k = __builtin_convertvector(at[2], rn_four_ints);
    const rn_four a = at[0] - __builtin_convertvector(i, rn_four), b = at[1] - __builtin_convertvector(j, rn_four);
    const rn_four d = at[2] - __builtin_convertvector(k, rn_four), a0 = 1.0f - a, b0 = 1.0f - b, d0 = 1.0f - d;
    const rn_four low = v - c[0] * a - c[1] * b - c[2] * d, east = low + c[0], up = low + c[2], east_up = east + c[2];
    const rn_four west[4] = {low, low + c[1], up, up + c[1]}, right[4] = {east, east + c[1], east_up, east_up + c[1]};
    const rn_four share[4] = {b0 * d0, b * d0, b0 * d, b * d};
    RN_UNROLL for (int row = 0; row < 4; row++) {
        rn_four *to = f.corner[row];
        to[1] = a0 * share[row];
        to[3] = a * share[row];
        to[0] = to[1] * west[row];
        to[2] = to[3] * right[row];
        rn_four_transpose(to);
    }
    f.at = i + j * g->step[1] + k * g->step[2];
    return f;
}

/* Adds what the first `count` of four particles give to the faces around them, one particle after the other. */
RN_INLINE void add_footprint(float *sums, const rn_mac_grid *g, const footprint *f, int count) {
    const size_t y1 = 2 * (size_t)g->step[1], z1 = 2 * (size_t)g->step[2];
    RN_UNROLL for (int p = 0; p < count; p++) {
        float *at = sums + 2 * (size_t)f->at[p];
        rn_four_add(at, f->corner[0][p]);
        rn_four_add(at + y1, f->corner[1][p]);
        rn_four_add(at + z1, f->corner[2][p]);
        rn_four_add(at + y1 + z1, f->corner[3][p]);
    }
}

/* Adds `count` particles from n on, four at most, to the faces around them. Reads four. */
RN_INLINE void scatter_some(const rn_mac_grid *g, const float *const *value, float *const sums[3], int32_t n, int count,
                            bool affine) {
    RN_UNROLL for (int a = 0; a < 3; a++) {
        rn_four at[3], c[3] = {{0}};
        for (int b = 0; b < 3; b++) at[b] = rn_four_load(value[RN_MAC_AT + b] + n) + (a == b ? 1.0f : 0.5f);
        for (int b = 0; affine && b < 3; b++) c[b] = rn_four_load(value[RN_MAC_AFFINE + 3 * a + b] + n);
        const footprint f = footprint_of(g, at, rn_four_load(value[RN_MAC_SPEED + a] + n), c);
        add_footprint(sums[a], g, &f, count);
    }
}

/* Like scatter, with or without affine parts. Works on copies of all addresses, because for the compiler a sum that
   is written could change the originals. There are more arrays than processors fetch ahead on their own. */
RN_INLINE void scatter_values(const rn_mac *mac, float *const sums[3], int32_t begin, int32_t end, bool affine) {
    const rn_mac_grid grid = mac->grid;
    const float *value[RN_MAC_VALUES];
    float *const to[3] = {sums[0], sums[1], sums[2]};
    for (int v = 0; v < RN_MAC_VALUES; v++) value[v] = mac->particles.value[v];
    int32_t n = begin;
    for (; n + 4 <= end; n += 4) {
        for (int v = 0; v < (affine ? RN_MAC_VALUES : RN_MAC_VALUES_PLAIN); v++)
            __builtin_prefetch(value[v] + n + AHEAD);
        scatter_some(&grid, value, to, n, 4, affine);
    }
    if (n < end) scatter_some(&grid, value, to, n, end - n, affine);
}

/* Adds momentum and weight of particles `begin` to `end` - 1 to the faces around them: pairs in `sums`. */
static void scatter(const rn_mac *mac, float *const sums[3], int32_t begin, int32_t end) {
    if (mac->particles.values == RN_MAC_VALUES) scatter_values(mac, sums, begin, end, true);
    else scatter_values(mac, sums, begin, end, false);
}

/* ---- Density ----------------------------------------------------------------------------------------------------- */

typedef float two __attribute__((vector_size(8)));

/* Adds two floats to the two at `to`, at once. */
static inline void add_two(float *to, two value) {
    two old;
    __builtin_memcpy(&old, to, sizeof old);
    value = old + value;
    __builtin_memcpy(to, &value, sizeof value);
}

/* Adds the trilinear weights of particles `begin` to `end` - 1 to the cells around them. */
static void weigh_cells(const rn_mac *mac, float *density, int32_t begin, int32_t end) {
    const float *px = mac->particles.value[RN_MAC_AT], *py = mac->particles.value[RN_MAC_AT + 1];
    const float *pz = mac->particles.value[RN_MAC_AT + 2];
    const int32_t sy = mac->grid.step[1], sz = mac->grid.step[2];
    for (int32_t n = begin; n < end; n++) {
        const float x = px[n] + 0.5f, y = py[n] + 0.5f, z = pz[n] + 0.5f;
        const int i = (int)x, j = (int)y, k = (int)z;
        const float a = x - (float)i, b = y - (float)j, c = z - (float)k;
        const two along = {1.0f - a, a};
        float *at = density + i + j * sy + k * sz;
        add_two(at, along * ((1.0f - b) * (1.0f - c)));
        add_two(at + sy, along * (b * (1.0f - c)));
        add_two(at + sz, along * ((1.0f - b) * c));
        add_two(at + sy + sz, along * (b * c));
    }
}

/* ---- Faces to particles ------------------------------------------------------------------------------------------ */

/* from[at[lane]] in each lane. */
RN_INLINE rn_wide pick(const float *from, rn_mask at) {
#if defined(RN_WIDE_AVX2)
    return (rn_wide)_mm256_i32gather_ps(from, (__m256i)at, 4);
#else
    rn_wide value;
    for (int lane = 0; lane < RN_LANES; lane++) value[lane] = from[at[lane]];
    return value;
#endif
}

/* from[at[lane]] and from[at[lane] + 1] in each lane. */
RN_INLINE void pick_pair(const float *from, rn_mask at, rn_wide *low, rn_wide *high) {
#if defined(RN_WIDE_NEON)
    const float32x4_t a = vcombine_f32(vld1_f32(from + at[0]), vld1_f32(from + at[1]));
    const float32x4_t b = vcombine_f32(vld1_f32(from + at[2]), vld1_f32(from + at[3]));
    *low = (rn_wide)vuzp1q_f32(a, b);
    *high = (rn_wide)vuzp2q_f32(a, b);
#else
    *low = pick(from, at);
    *high = pick(from + 1, at);
#endif
}

/* Where positions lie in a lattice of values at integer positions: the lowest of the eight values around each, and the
   shares of the way to the next along x, y and z. */
typedef struct spot {
    rn_mask at;
    rn_wide a, b, c;
} spot;

/* The spot of positions, which must be 0 or more, in a lattice whose values are `step` apart along y and z. */
RN_INLINE spot spot_of(const int32_t step[3], rn_wide x, rn_wide y, rn_wide z) {
    const rn_mask i = __builtin_convertvector(x, rn_mask), j = __builtin_convertvector(y, rn_mask);
    const rn_mask k = __builtin_convertvector(z, rn_mask);
    return (spot){.at = i + j * step[1] + k * step[2],
                  .a = x - __builtin_convertvector(i, rn_wide),
                  .b = y - __builtin_convertvector(j, rn_wide),
                  .c = z - __builtin_convertvector(k, rn_wide)};
}

/* The four rows along x around a spot: the lowest, the next along y, the next along z, the one across. */
typedef struct rows {
    rn_wide at[4], slope[4]; /* interpolated along x; and the difference of the two values along x */
} rows;

/* Interpolates one of the four rows around a spot along x, of values `step` apart along y and z. */
RN_INLINE void take_row(rows *r, int row, const float *f, const int32_t step[3], const spot *s) {
    rn_wide low, high;
    pick_pair(f + (row & 1 ? step[1] : 0) + (row & 2 ? step[2] : 0), s->at, &low, &high);
    r->slope[row] = high - low;
    r->at[row] = low + s->a * r->slope[row];
}

/* The trilinear interpolation from the four rows around a spot; and its slope unless NULL. */
RN_INLINE rn_wide join_rows(const rows *r, const spot *s, rn_wide slope[3]) {
    const rn_wide b = s->b, c = s->c, *v = r->at, *x = r->slope;
    const rn_wide y0 = v[1] - v[0], y1 = v[3] - v[2], w0 = v[0] + b * y0, w1 = v[2] + b * y1;
    if (slope) {
        const rn_wide s0 = x[0] + b * (x[1] - x[0]), s1 = x[2] + b * (x[3] - x[2]);
        slope[0] = s0 + c * (s1 - s0);
        slope[1] = y0 + c * (y1 - y0);
        slope[2] = w1 - w0;
    }
    return w0 + c * (w1 - w0);
}

/* Trilinear interpolation at a spot, of values `step` apart along y and z; and its slope unless NULL. */
RN_INLINE rn_wide sample(const float *f, const int32_t step[3], const spot *s, rn_wide slope[3]) {
    rows r;
    RN_UNROLL for (int row = 0; row < 4; row++) take_row(&r, row, f, step, s);
    return join_rows(&r, s, slope);
}

/* Like sample of f, with a slope; also samples g. Each has to wait for memory and for its own sums, so both are found
   together. */
RN_INLINE rn_wide sample_both(const float *f, const float *g, const int32_t step[3], const spot *s, rn_wide slope[3],
                              rn_wide *of_g) {
    rows r, q;
    RN_UNROLL for (int row = 0; row < 4; row++) {
        take_row(&r, row, f, step, s);
        take_row(&q, row, g, step, s);
    }
    *of_g = join_rows(&q, s, (rn_wide *)0);
    return join_rows(&r, s, slope);
}

/* Samples the three components of a velocity on faces at their spots, together. */
RN_INLINE void sample_velocity(float *const faces[3], const int32_t step[3], const spot s[3], rn_wide velocity[3]) {
    rows r[3];
    RN_UNROLL for (int row = 0; row < 4; row++) RN_UNROLL for (int a = 0; a < 3; a++)
        take_row(&r[a], row, faces[a], step, &s[a]);
    RN_UNROLL for (int a = 0; a < 3; a++) velocity[a] = join_rows(&r[a], &s[a], (rn_wide *)0);
}

/* The spot of positions (cells) among the faces of component a. */
RN_INLINE spot face_spot(const rn_mac *mac, int a, const rn_wide at[3]) {
    return spot_of(mac->grid.step, at[0] + (a == 0 ? 1.0f : 0.5f), at[1] + (a == 1 ? 1.0f : 0.5f),
                   at[2] + (a == 2 ? 1.0f : 0.5f));
}

/* Positions (cells) of RN_LANES particles from `first` on. */
RN_INLINE void load_place(const rn_mac *mac, int first, rn_wide at[3]) {
    for (int a = 0; a < 3; a++) at[a] = rn_load(mac->particles.value[RN_MAC_AT + a] + first);
}

/* Stores the positions (cells) of RN_LANES particles from `first` on. */
RN_INLINE void store_place(const rn_mac *mac, int first, const rn_wide at[3]) {
    for (int a = 0; a < 3; a++) rn_store(mac->particles.value[RN_MAC_AT + a] + first, at[a]);
}

/* APIC: gives RN_LANES particles from `first` on component a of the grid's velocity, and its slope. Returns that
   velocity (m/s), and in *shift the shift. */
RN_INLINE rn_wide gather_affine(const rn_mac *mac, int a, const spot *s, int first, rn_wide *shift) {
    rn_wide slope[3], speed;
    if (mac->shift[a]) speed = sample_both(mac->velocity[a], mac->shift[a], mac->grid.step, s, slope, shift);
    else speed = sample(mac->velocity[a], mac->grid.step, s, slope), *shift = rn_splat(0.0f);
    rn_store(mac->particles.value[RN_MAC_SPEED + a] + first, speed);
    for (int b = 0; b < 3; b++) rn_store(mac->particles.value[RN_MAC_AFFINE + 3 * a + b] + first, slope[b]);
    return speed;
}

/* Gives RN_LANES particles from `first` on component a of the grid's velocity. With FLIP adds flip_share of the
   difference between their old velocity and `before`, the grid's velocity before forces acted. Returns the velocity of
   the grid (m/s), and in *shift the shift. */
RN_INLINE rn_wide gather_plain(const rn_mac *mac, int a, const spot *s, int first, rn_wide *shift) {
    float *speed = mac->particles.value[RN_MAC_SPEED + a] + first;
    const rn_wide now = sample(mac->velocity[a], mac->grid.step, s, (rn_wide *)0);
    rn_wide kept = now;
    if (mac->def.transfer == RN_MAC_FLIP) {
        const rn_wide beyond = rn_load(speed) - sample(mac->before[a], mac->grid.step, s, (rn_wide *)0);
        kept = now + (float)mac->def.flip_share * beyond;
    }
    rn_store(speed, kept);
    *shift = mac->shift[a] ? sample(mac->shift[a], mac->grid.step, s, (rn_wide *)0) : rn_splat(0.0f);
    return now;
}

/* ---- Motion ------------------------------------------------------------------------------------------------------ */

/* Brings positions (cells) back into the box, to RN_MAC_MARGIN from its sides: beyond a periodic end first by one
   length of the box to the other end, otherwise to the nearest place in the box. */
RN_INLINE void keep_inside(const rn_mac *mac, rn_wide at[3]) {
    for (int a = 0; a < 3; a++) {
        const float n = (float)mac->grid.n[a];
        if (a == 0 && mac->def.periodic_x)
            at[0] = rn_select(at[0] < 0.0f, at[0] + n, rn_select(at[0] >= n, at[0] - n, at[0]));
        at[a] = rn_lesser(rn_greater(at[a], rn_splat(RN_MAC_MARGIN)), rn_splat(n - RN_MAC_MARGIN));
    }
}

/* Moves positions (cells) in the box that are nearer than RN_MAC_CLEARANCE to the solid, or in it, by one push along
   the slope of the distance; then keeps them in the box. Needs `nodes`. */
RN_INLINE void keep_outside(const rn_mac *mac, rn_wide at[3]) {
    const int32_t step[3] = {1, mac->grid.n[0] + 1, (mac->grid.n[0] + 1) * (mac->grid.n[1] + 1)};
    const spot here = spot_of(step, at[0], at[1], at[2]);
    rn_wide slope[3];
    const rn_wide distance = sample(mac->nodes, step, &here, slope);
    const rn_mask near = distance < RN_MAC_CLEARANCE;
    if (!rn_any(near)) return;
    const rn_wide length = rn_root(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]) + 1e-9f;
    const rn_wide way = rn_keep(near, (RN_MAC_CLEARANCE - distance) / length);
    for (int a = 0; a < 3; a++) at[a] = at[a] + way * slope[a];
    keep_inside(mac, at);
}

/* The lanes whose position (cells) is beyond an open side, or not a number along x. */
RN_INLINE rn_mask beyond_open_sides(const rn_mac *mac, const rn_wide at[3]) {
    rn_mask left = at[0] != at[0];
    for (int a = 0; a < 3; a++) {
        if (rn_mac_is_open(mac, a, false)) left = left | (at[a] < 0.0f);
        if (rn_mac_is_open(mac, a, true)) left = left | (at[a] > (float)mac->grid.n[a]);
    }
    return left;
}

/* Gives RN_LANES particles from `first` on the velocity of the faces around them, and moves them by the midpoint rule.
   The shift is taken where they start: it corrects the density that was found there. Marks particles beyond open sides
   as gone; keeps the others in the box and out of the solid. */
RN_INLINE void carry_some(const rn_mac *mac, float step, int first, bool affine) {
    rn_wide at[3], half[3], shift[3], velocity[3];
    spot s[3];
    load_place(mac, first, at);
    RN_UNROLL for (int a = 0; a < 3; a++) {
        const spot here = face_spot(mac, a, at);
        const rn_wide speed =
            affine ? gather_affine(mac, a, &here, first, &shift[a]) : gather_plain(mac, a, &here, first, &shift[a]);
        half[a] = at[a] + 0.5f * step * speed;
    }
    keep_inside(mac, half);
    RN_UNROLL for (int a = 0; a < 3; a++) s[a] = face_spot(mac, a, half);
    sample_velocity(mac->velocity, mac->grid.step, s, velocity);
    RN_UNROLL for (int a = 0; a < 3; a++) at[a] = at[a] + step * (velocity[a] + shift[a]);
    const rn_mask left = mac->def.open ? beyond_open_sides(mac, at) : at[0] != at[0];
    keep_inside(mac, at);
    if (mac->nodes) keep_outside(mac, at);
    if (mac->def.open) {
        at[1] = rn_select(left, rn_splat(RN_MAC_GONE_Y), at[1]);
        at[2] = rn_select(left, rn_splat(rn_mac_gone_z(&mac->grid)), at[2]);
    }
    store_place(mac, first, at);
}

/* Gives groups `begin` to `end` - 1 of particles their velocity and moves them; `step` is seconds divided by the cell
   size (m). */
static void carry(const rn_mac *mac, float step, int begin, int end) {
    for (int first = begin * RN_MAC_GROUP; first < end * RN_MAC_GROUP; first += RN_LANES)
        if (mac->def.transfer == RN_MAC_APIC) carry_some(mac, step, first, true);
        else carry_some(mac, step, first, false);
}

/* Moves groups `begin` to `end` - 1 of particles out of the solid, in PUSHES pushes: where the distance bends, one push
   along its slope may not suffice. */
static void push_out(const rn_mac *mac, int begin, int end) {
    enum { PUSHES = 3 };
    for (int first = begin * RN_MAC_GROUP; first < end * RN_MAC_GROUP; first += RN_LANES) {
        rn_wide at[3];
        load_place(mac, first, at);
        for (int n = 0; n < PUSHES; n++) keep_outside(mac, at);
        store_place(mac, first, at);
    }
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

/* to[i] = from[order[i]] for i from `begin` to `end` - 1. */
static void permute(float *to, const float *from, const uint32_t *order, int begin, int end) {
    int i = begin;
    for (; i + RN_LANES <= end; i += RN_LANES) {
        rn_mask at;
        __builtin_memcpy(&at, order + i, sizeof at);
        rn_store(to + i, pick(from, at));
    }
    for (; i < end; i++) to[i] = from[order[i]];
}

const rn_mac_particle_sweeps RN_ISA(rn_mac_particle_sweeps) = {weigh, scatter, weigh_cells, carry, push_out, permute};
