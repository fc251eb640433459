/* The explicit step in plain loops (naive.h), in the order and with the names of docs/model.md: z base, h depth, u
   speed, S slope of the bed, Z slope of the surface, l and r the two columns of a face. naive_step() at the end calls
   the passes in turn: find_slope(), find_force(), find_speed(), find_falls(), find_transfer(), limit_all(). `c` is a
   column; a face has the index of its column l; axis 0 is x, 1 is y; `k` holds the constants of the substep. */
#include "physics/naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without inlining, a call for every face would make the plain loops needlessly slow. */
#define INLINED static inline __attribute__((always_inline))

INLINED float lesser(float a, float b) { return a < b ? a : b; }
INLINED float greater(float a, float b) { return a > b ? a : b; }
/* Returns a, or 0 if it is negative. */
INLINED float or_zero(float a) { return a > 0.0f ? a : 0.0f; }
INLINED float clamped(float value, float least, float most) { return lesser(most, greater(least, value)); }
/* Returns the argument with the smaller magnitude, or 0 if the signs differ. */
INLINED float minmod(float a, float b) { return a * b > 0.0f ? copysignf(lesser(fabsf(a), fabsf(b)), a) : 0.0f; }

/* ---- Set-up ------------------------------------------------------------------------------------------------ */

/* Copies layer 0 of a view of the world into `to`; the rim of `to` stays as it is. */
static void copy_view(const naive *n, float *to, rn_view from) {
    for (int y = 0; y < n->ny; y++)
        memcpy(to + naive_at(n, 0, y), from.data + y * from.row_stride, (size_t)n->nx * sizeof *to);
}

/* Returns true if the face between columns l and r is a fall: its step is a cliff, |Dz| > Dx + 2 * rise, all in m,
   rounded to whole quanta. rise: by how much the bed behind the upper of the two is higher than the upper one; 0 if it
   is lower, or a wall is there. behind_l, behind_r: the next columns beyond l and r, away from the face; -1: a wall. */
static bool is_fall(const naive *n, int l, int r, int behind_l, int behind_r) {
    const float *z = n->base;
    const int upper = z[l] > z[r] ? l : r, behind = z[l] > z[r] ? behind_l : behind_r;
    const float rise = behind >= 0 ? or_zero(z[behind] - z[upper]) : 0.0f;
    const float cell = rintf(n->cell / n->quantum) * n->quantum;
    return fabsf(z[l] - z[r]) > cell + 2.0f * rise;
}

/* Classifies all faces as plain or fall; those at the edges stay walls (0). */
static void find_kinds(naive *n) {
    const int size[2] = {n->nx, n->ny}, next[2] = {1, n->stride};
    for (int y = 0; y < n->ny; y++)
        for (int x = 0; x < n->nx; x++)
            for (int axis = 0; axis < 2; axis++) {
                const int c = naive_at(n, x, y), d = next[axis], place = axis == 0 ? x : y;
                if (place + 1 == size[axis]) continue;
                const bool fall = is_fall(n, c, c + d, place > 0 ? c - d : -1, place + 2 < size[axis] ? c + 2 * d : -1);
                n->kind[axis][c] = fall ? NAIVE_FALL : NAIVE_PLAIN;
            }
}

/* Allocates all arrays, zeroed, for the size set in `n`. Returns false, and prints nothing, if memory is lacking; what
   was allocated stays for naive_destroy(). */
static bool allocate(naive *n) {
    const size_t cells = (size_t)n->stride * (size_t)(n->ny + 2 * NAIVE_RIM);
    float **floats[] = {&n->base,    &n->ceil,    &n->depth,   &n->speed[0], &n->speed[1], &n->move[0],
                        &n->move[1], &n->e,       &n->bed[0],  &n->bed[1],   &n->part[0],  &n->part[1],
                        &n->next[0], &n->next[1], &n->fall[0], &n->fall[1],  &n->share};
    bool memory = true;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        memory &= (*floats[i] = calloc(cells, sizeof(float))) != NULL;
    for (int axis = 0; axis < 2; axis++) {
        memory &= (n->kind[axis] = calloc(cells, sizeof *n->kind[axis])) != NULL;
        memory &= (n->force[axis] = calloc(cells, sizeof *n->force[axis])) != NULL;
    }
    return memory;
}

bool naive_create(naive *n, const rn_world *world, const rn_world_def *def) {
    const rn_world_info info = rn_world_describe(world);
    const double g = -def->gravity.z, nu = def->liquid.viscosity, thin = 300.0 * cbrt(nu * nu / g);
    *n = (naive){.nx = info.cells_x, .ny = info.cells_y, .stride = info.cells_x + 2 * NAIVE_RIM};
    n->cell = (float)info.cell_size;
    n->per_cell = (float)(1.0 / info.cell_size);
    n->gravity = (float)g;
    n->half_per_g = (float)(0.5 / g);
    n->kappa = (float)-log(def->friction); /* kappa = -ln omega */
    n->manning = (float)((double)n->gravity * def->manning * def->manning);
    n->chezy = def->chezy > 0.0 ? (float)((double)n->gravity / (def->chezy * def->chezy)) : 0.0f;
    n->nu3 = (float)(3.0 * nu);
    n->viscous = (float)(thin * thin + 1e-30);
    n->quantum = (float)info.quantum;
    n->step = rn_world_get_stats(world).steps;
    if (!allocate(n)) {
        naive_destroy(n);
        return false;
    }
    copy_view(n, n->base, rn_world_view(world, RN_FIELD_BASE));
    copy_view(n, n->ceil, rn_world_view(world, RN_FIELD_CEIL));
    copy_view(n, n->depth, rn_world_view(world, RN_FIELD_DEPTH));
    find_kinds(n);
    return true;
}

void naive_destroy(naive *n) {
    void *all[] = {n->base,    n->ceil,    n->depth,  n->speed[0], n->speed[1], n->move[0],  n->move[1],
                   n->e,       n->bed[0],  n->bed[1], n->part[0],  n->part[1],  n->next[0],  n->next[1],
                   n->fall[0], n->fall[1], n->share,  n->kind[0],  n->kind[1],  n->force[0], n->force[1]};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    *n = (naive){0};
}

/* The constants of one substep. They are passed by value, so that no store can change them and the compiler keeps them
   in registers. */
typedef struct law {
    float g, dx, q, kappa, manning, chezy, nu3, viscous;
    float per_dx, per_q, half_per_g;
    float dt;     /* Dt */
    float kick;   /* tau = (Dt0 + Dt)/2 */
    float carry;  /* tau/Dt0, 0 in the first substep */
    float drift;  /* Dt0/2Dx */
    float lambda; /* Dt/Dx */
    float push;   /* g tau/Dx */
    float cap;    /* 0.9 Dx/Dt */
    float dither; /* xi, in [0, 1) */
} law;

/* Returns xi, a hash of the step number in [0, 1): the last steps of MurmurHash3. */
static float hash_of_step(uint64_t step) {
    uint32_t x = (uint32_t)step * 0x9E3779B9u;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return (float)((x ^ x >> 16) >> 8) * 0x1p-24f;
}

/* Returns the constants of a substep of length dt (s), which depend on the length of the last one, n->last, and on
   n->step. */
static law substep_law(const naive *n, double dt) {
    const double dx = (double)n->cell, tau = 0.5 * (n->last + dt);
    law k = {.g = n->gravity, .dx = n->cell, .q = n->quantum, .kappa = n->kappa, .nu3 = n->nu3};
    k.manning = n->manning, k.chezy = n->chezy, k.viscous = n->viscous;
    k.per_dx = n->per_cell, k.half_per_g = n->half_per_g;
    k.per_q = 1.0f / n->quantum;
    k.dt = (float)dt;
    k.kick = (float)tau;
    k.carry = n->last > 0.0 ? (float)(tau / n->last) : 0.0f;
    k.drift = (float)(0.5 * n->last / dx);
    k.lambda = (float)(dt / dx);
    k.push = (float)((double)n->gravity * tau / dx);
    k.cap = (float)((double)0.9f * dx / dt);
    k.dither = hash_of_step(n->step);
    return k;
}

/* ---- 1. Slopes --------------------------------------------------------------------------------------------- */

/* Steps of bed and surface (m) over the faces behind a column and ahead of it, and which of the two faces are plain. */
typedef struct steps {
    float bed_back, bed_ahead, level_back, level_ahead;
    bool back, ahead;
} steps;

/* Returns the steps around column c along an axis. */
INLINED steps steps_at(const naive *n, int axis, int c) {
    const int d = axis == 0 ? 1 : n->stride;
    const float *z = n->base, *h = n->depth, level = z[c] + h[c];
    return (steps){.bed_back = z[c] - z[c - d],
                   .bed_ahead = z[c + d] - z[c],
                   .level_back = level - (z[c - d] + h[c - d]),
                   .level_ahead = (z[c + d] + h[c + d]) - level,
                   .back = n->kind[axis][c - d] == NAIVE_PLAIN,
                   .ahead = n->kind[axis][c] == NAIVE_PLAIN};
}

/* Returns the monotonised central difference of the bed (m per cell): half the sum, at most twice the smaller, 0 if the
   signs differ. If one side is missing, the other is used. */
INLINED float bed_slope(const steps *s) {
    if (!s->back || !s->ahead) return s->back ? s->bed_back : s->ahead ? s->bed_ahead : 0.0f;
    if (!(s->bed_back * s->bed_ahead > 0.0f)) return 0.0f;
    const float mean = 0.5f * (s->bed_back + s->bed_ahead);
    return copysignf(lesser(fabsf(mean), 2.0f * lesser(fabsf(s->bed_back), fabsf(s->bed_ahead))), mean);
}

/* Returns the central difference of the surface (m per cell), without a limit. If one side is missing, the other is
   used. */
INLINED float level_slope(const steps *s) {
    if (!s->back || !s->ahead) return s->back ? s->level_back : s->ahead ? s->level_ahead : 0.0f;
    return 0.5f * (s->level_back + s->level_ahead);
}

/* Returns the curvature of the bed (m per cell), less what rounding to quanta may cause; 0 next to a wall or a fall. */
INLINED float bed_curvature(const law k, const steps *s) {
    return s->back && s->ahead ? or_zero(fabsf(s->bed_ahead - s->bed_back) - 2.0f * k.q) : 0.0f;
}

/* Step 1: k = 1 - x^2/(1 + x^2) h^2/(h^2 + l^2), x = 10^4 h * curvature; e = 1 + k S^2; S <- k S. Sets e, S and the
   parts of S.Z in column c. */
INLINED void find_slope(naive *n, const law k, int c) {
    const float *h = n->depth;
    const steps x = steps_at(n, 0, c), y = steps_at(n, 1, c);
    const float sides = greater(greater(h[c - 1], h[c + 1]), greater(h[c - n->stride], h[c + n->stride]));
    const float deepest = greater(h[c], sides), h2 = deepest * deepest;
    const float Sx = bed_slope(&x) * k.per_dx, Sy = bed_slope(&y) * k.per_dx;
    const float bend_x = bed_curvature(k, &x), bend_y = bed_curvature(k, &y), per_dx2 = k.per_dx * k.per_dx;
    const float x2 = 1e8f * per_dx2 * per_dx2 * h2 * (bend_x * bend_x + bend_y * bend_y);
    const float keep = 1.0f - x2 * h2 / ((1.0f + x2) * (h2 + k.viscous));
    n->e[c] = 1.0f + keep * (Sx * Sx + Sy * Sy);
    n->bed[0][c] = keep * Sx;
    n->bed[1][c] = keep * Sy;
    n->part[0][c] = n->bed[0][c] * (level_slope(&x) * k.per_dx);
    n->part[1][c] = n->bed[1][c] * (level_slope(&y) * k.per_dx);
}

/* ---- 2. Opening, 3. Forces --------------------------------------------------------------------------------- */

/* A face and the columns around it. */
typedef struct face {
    int l, r, behind, ahead;    /* columns: both ends, and those beyond them */
    float zl, hl, zr, hr;       /* m */
    float level_l, level_r;     /* m */
    float sill;                 /* m, the higher of both bases */
    float u, u_behind, u_ahead; /* m/s, of this face and of the next faces on both sides */
    bool fall;
} face;

/* Collects the values of the face from column l; `speed` holds the speeds of all faces of this axis. */
INLINED face face_at(const naive *n, int axis, int l, const float *speed) {
    const int d = axis == 0 ? 1 : n->stride, r = l + d;
    face f = {.l = l, .r = r, .behind = l - d, .ahead = r + d, .fall = n->kind[axis][l] == NAIVE_FALL};
    f.zl = n->base[l], f.hl = n->depth[l], f.zr = n->base[r], f.hr = n->depth[r];
    f.level_l = f.zl + f.hl, f.level_r = f.zr + f.hr;
    f.sill = greater(f.zl, f.zr);
    f.u = speed[l], f.u_behind = speed[f.behind], f.u_ahead = speed[r];
    return f;
}

/* Returns the height between the sill and the lower ceiling of both columns (m); below 0 if closed. */
INLINED float gap_at(const naive *n, const face *f) { return lesser(n->ceil[f->l], n->ceil[f->r]) - f->sill; }

/* Returns the height H for drag (m): min(up, (hl + hr + |Dz|)/2, gap), at least 1e-7. If a column feeds one of less
   than a quarter of its depth, and is itself fed faster than sqrt(g h) by the column behind it, of depth h, H is at
   least the depths of both, but not more than the gap. */
INLINED float drag_height(const naive *n, const law k, const face *f) {
    const float up = or_zero(greater(f->level_l, f->level_r) - f->sill);
    float H = lesser(up, 0.5f * (f->hl + f->hr + fabsf(f->zl - f->zr)));
    const float h_behind = n->depth[f->behind], h_ahead = n->depth[f->ahead];
    if (f->u_behind > 0.0f && f->u_behind * f->u_behind > k.g * h_behind && 4.0f * f->hr < f->hl)
        H = greater(H, greater(f->hl, h_behind));
    if (f->u_ahead < 0.0f && f->u_ahead * f->u_ahead > k.g * h_ahead && 4.0f * f->hl < f->hr)
        H = greater(H, greater(f->hr, h_ahead));
    return greater(lesser(H, gap_at(n, f)), 1e-7f);
}

/* Returns the step of the surface (m) that drives a fall: `step`, limited to what stands above its brink plus the fall
   of the bed per cell there, or 0 if nothing stands above the brink. */
INLINED float fall_step(const naive *n, const law k, int axis, const face *f, float step) {
    const float above = greater(f->level_r, f->sill) - greater(f->level_l, f->sill);
    const float slope = fabsf(n->bed[axis][above < 0.0f ? f->l : f->r]) * k.dx;
    return above != 0.0f ? copysignf(lesser(fabsf(step), fabsf(above) + slope), above) : 0.0f;
}

/* Returns the highest speed of a fall (m/s): that of the liquid that arrives, or critical speed if that is more. */
INLINED float fall_speed(const law k, const face *f) {
    const bool forward = greater(f->level_l, f->sill) > greater(f->level_r, f->sill);
    const float came = fabsf(forward ? f->u_behind : f->u_ahead);
    return greater(came, sqrtf(k.g * (forward ? f->hl : f->hr)));
}

/* Returns r, the factor by which a sloping bed reduces the pressure: 1/(1 + G), or its tangent where G > 1.5 (e -
   1). */
INLINED float pressure_factor(float G, float e) {
    const float G1 = 1.5f * (e - 1.0f), m = 1.0f + G1;
    return G > G1 ? (G1 * G1 + G) / (G * m * m) : 1.0f / (1.0f + G);
}

/* Returns x^(-1/3): a guess from the bits of x, which are nearly its logarithm, and three Newton steps. */
static float inverse_cube_root(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t third = (bits >> 2) + (bits >> 4);
    third += third >> 4;
    third += third >> 8;
    bits = 0x54a21d2a - third;
    float y;
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 3; i++) y = y + (1.0f / 3.0f) * y * (1.0f - x * (y * y * y));
    return y;
}

/* Returns the rate of drag without viscosity, kappa + |u| (g n^2/H^(4/3) + g/(C^2 H)) (1/s). */
INLINED float drag_rate(const law k, float u, float H) {
    if (!(k.manning > 0.0f || k.chezy > 0.0f)) return k.kappa;
    return k.kappa + fabsf(u) * ((k.manning * inverse_cube_root(H) + k.chezy) / H);
}

/* Steps 2 and 3: returns whether the face from column l is open (bounds of 0 if not), and the pressure and drag on
   it. */
INLINED naive_force find_force(const naive *n, const law k, int axis, int l) {
    const face f = face_at(n, axis, l, n->speed[axis]);
    const float dry = 16.0f * k.q, full = 8.0f * k.q;
    naive_force out = {0};
    if (n->kind[axis][l] == NAIVE_WALL) return out;

    /* The face is opened by the levels, or by the kinetic head of liquid that flows towards it. */
    const float from_l = f.hl > dry ? greater(f.u_behind, 0.0f) : 0.0f;
    const float from_r = f.hr > dry ? lesser(f.u_ahead, 0.0f) : 0.0f;
    const float head_l = f.level_l + k.half_per_g * (from_l * from_l);
    const float head_r = f.level_r + k.half_per_g * (from_r * from_r);
    const bool level = greater(f.level_l, f.level_r) - f.sill > dry;
    if (f.fall ? !level : !(greater(head_l, head_r) - f.sill > dry)) return out;

    const float H = drag_height(n, k, &f);
    float step = f.level_r - f.level_l;
    if (f.fall) step = fall_step(n, k, axis, &f, step);

    /* p = g tau/Dx r Dzeta, with S and e of the column with the higher surface. */
    const int upper = step < 0.0f ? f.l : f.r;
    const float e = step != 0.0f ? n->e[upper] : lesser(n->e[f.l], n->e[f.r]);
    const float *S = n->bed[axis], *across = n->part[1 - axis];
    const float G = S[upper] * (step * k.per_dx) + 0.5f * (across[f.l] + across[f.r]);
    const float p = k.push * step * pressure_factor(or_zero(G), e);
    const float sigma = sqrtf(1.0f + 0.5f * (S[f.l] * S[f.l] + S[f.r] * S[f.r]));

    /* phi = brake/H^2 */
    const float H2 = H * H, brake = k.kick * (drag_rate(k, f.u, H) * H2 + k.nu3 * e);
    out.along = sigma * f.u;
    out.pushed = sigma * (f.u - p);
    out.kept = H2 / (sigma * (H2 + brake));

    /* If only kinetic head opens the face, it is no faster than the incoming liquid. Nothing enters full columns. */
    const float most = f.fall ? fall_speed(k, &f) : k.cap;
    out.lo = greater(level ? -k.cap : from_r, -most);
    out.hi = lesser(level ? k.cap : from_l, most);
    if (n->ceil[f.r] - f.zr - f.hr <= full) out.hi = lesser(out.hi, 0.0f);
    if (n->ceil[f.l] - f.zl - f.hl <= full) out.lo = greater(out.lo, 0.0f);
    out.half = sigma * clamped((f.u - 0.5f * p) * (H2 / (H2 + 0.5f * brake)), out.lo, out.hi);
    return out;
}

/* ---- 4. Transport -------------------------------------------------------------------------------------------- */

/* Returns the speed along the slope (m/s) that a flow Q carries past the point between faces a and a + d (d: index step
   to the next face): upwind, with a limited slope. c: its Courant number. */
INLINED float carried_speed(const naive_force *force, int a, int d, float Q, float c) {
    const int b = a + d;
    const float between = force[b].half - force[a].half;
    if (Q >= 0.0f) return force[a].half + 0.5f * (1.0f - c) * minmod(force[a].half - force[a - d].half, between);
    return force[b].half - 0.5f * (1.0f - c) * minmod(force[b + d].half - force[b].half, between);
}

/* Returns the speed that a flow Q across the axis of the faces carries past the point between faces a and a + d. c: its
   Courant number. Thin fast sheets are upwinded to first order. `along`: index step from l to r of a face. */
INLINED float carried_across(const naive *n, const law k, const naive_force *force, int a, int d, int along, float Q,
                             float c) {
    const int donor = Q >= 0.0f ? a : a + d;
    const float w = force[donor].half, deep = n->depth[donor] + n->depth[donor + along];
    return w * w > k.g * deep ? w : carried_speed(force, a, d, Q, c);
}

/* Returns M, the depth that moves with a face (m). came, gone: what transport brought and took away. Q, w: the flow
   that comes from behind, in the direction of the face's own flow, and its speed. M is the mean of both depths, less at
   a step higher than that, up which energy is conserved, at most twice the gap, and at least tau/Dt0 times `came`
   (where M was lowered, times the larger of `came` and `gone`). */
INLINED float moving_depth(const naive *n, const law k, const face *f, float Q, float w, float came, float gone) {
    const float mean = 0.5f * (f->hl + f->hr), climb = f->u > 0.0f ? f->zr - f->zl : f->zl - f->zr;
    float M = mean;
    if (mean < fabsf(climb)) {
        M = lesser(M, 2.0f * (f->u > 0.0f ? f->hl : f->u < 0.0f ? f->hr : lesser(f->hl, f->hr)));
        if (climb > 0.0f && Q > 0.0f && w > 0.0f && fabsf(f->u) > w) M = lesser(M, Q / (k.drift * (fabsf(f->u) + w)));
    }
    M = lesser(M, 2.0f * gap_at(n, f));
    return greater(M, k.carry * (M < mean ? greater(came, gone) : came));
}

/* Step 4: returns the new speed of the face from column l (m/s): u' = (sigma (u - p) - tau/Dt0 sum Q (w_half -
   w)/M)/(sigma (1 + phi)). */
INLINED float find_speed(const naive *n, const law k, int axis, int l) {
    const naive_force *force = n->force[axis], *own = &force[l];
    if (own->lo == 0.0f && own->hi == 0.0f) return 0.0f;
    const int d = axis == 0 ? 1 : n->stride, s = axis == 0 ? n->stride : 1;
    const float *T = n->move[axis], *X = n->move[1 - axis], *u = n->speed[axis], *v = n->speed[1 - axis];
    const float west = 0.5f * (T[l - d] + T[l]), east = 0.5f * (T[l] + T[l + d]);
    const float south = 0.5f * (X[l - s] + X[l + d - s]), north = 0.5f * (X[l] + X[l + d]);
    const float w_west = carried_speed(force, l - d, d, west, k.drift * fabsf(u[l - d] + u[l]));
    const float w_east = carried_speed(force, l, d, east, k.drift * fabsf(u[l] + u[l + d]));
    const float w_south = carried_across(n, k, force, l - s, s, d, south, k.drift * fabsf(v[l - s] + v[l + d - s]));
    const float w_north = carried_across(n, k, force, l, s, d, north, k.drift * fabsf(v[l] + v[l + d]));
    const float w = own->along;
    const float left = (east * (w_east - w) - west * (w_west - w)) + (north * (w_north - w) - south * (w_south - w));
    const float came = (or_zero(west) + or_zero(-east)) + (or_zero(south) + or_zero(-north));
    const float gone = (or_zero(-west) + or_zero(east)) + (or_zero(-south) + or_zero(north));
    const face f = face_at(n, axis, l, u);
    const bool forward = f.u > 0.0f;
    const float M = moving_depth(n, k, &f, forward ? west : -east, forward ? w_west : -w_east, came, gone);
    const float moved = M > 0.0f ? k.carry * left / greater(M, 1e-30f) : 0.0f;
    return clamped((own->pushed - moved) * own->kept, own->lo, own->hi) + 0.0f;
}

/* ---- 5. Transfer ---------------------------------------------------------------------------------------------- */

/* Returns the depth flux (m^2/s) of speed u between columns of depth `from` and `to`: upwind. */
INLINED float carried_depth(float u, float from, float to) { return u * (u > 0.0f ? from : to); }

/* Sets how far the depth of column c falls in half a substep, for faces along x and along y: by the divergence of the
   speeds along that axis, and by the flux across it. */
INLINED void find_falls(naive *n, const law k, int c) {
    const int up = n->stride;
    const float *h = n->depth, *u = n->next[0], *v = n->next[1];
    const float gone_x = carried_depth(u[c], h[c], h[c + 1]) - carried_depth(u[c - 1], h[c - 1], h[c]);
    const float gone_y = carried_depth(v[c], h[c], h[c + up]) - carried_depth(v[c - up], h[c - up], h[c]);
    n->fall[0][c] = 0.5f * k.lambda * (h[c] * (u[c] - u[c - 1]) + gone_y);
    n->fall[1][c] = 0.5f * k.lambda * (h[c] * (v[c] - v[c - up]) + gone_x);
}

/* The upwind column of a face, as seen with the flow. */
typedef struct upwind {
    float h;     /* m, depth */
    float climb; /* m, from its bed up to that of the downwind column */
    float ramp;  /* m, from the bed behind it up to its own; 0 at a wall */
    float step;  /* m, rise of the surface over the face */
    float back;  /* m, rise of the surface over the face behind; equals `step` if that is not plain */
    float fall;  /* m, of its depth in half a substep */
} upwind;

/* Returns the upwind column of a face: the one that its flow comes from, l if the speed is 0. */
INLINED upwind upwind_of(const naive *n, int axis, const face *f) {
    const bool forward = f->u >= 0.0f;
    const int donor = forward ? f->l : f->r, behind = forward ? f->behind : f->ahead;
    const int kind = n->kind[axis][forward ? f->behind : f->r];
    const float *z = n->base, *h = n->depth;
    const float back = (z[donor] + h[donor]) - (z[behind] + h[behind]);
    upwind up = {.h = h[donor], .fall = n->fall[axis][donor]};
    up.climb = forward ? f->zr - f->zl : f->zl - f->zr;
    up.ramp = kind == NAIVE_WALL ? 0.0f : z[donor] - z[behind];
    up.step = forward ? f->level_r - f->level_l : f->level_l - f->level_r;
    up.back = kind == NAIVE_PLAIN ? back : up.step;
    return up;
}

/* Returns the depth at a face (m): h_f = h + (1 - lambda |u|)/2 (s - Dz) - fall of the upwind column, from 0 to 2 h (to
   h at a step higher than the mean depth). At a fall it is h; up a fall or a step without a ramp, at most what stands
   above the step. The gap limits it. */
INLINED float face_depth(const naive *n, const law k, int axis, const face *f) {
    const upwind up = upwind_of(n, axis, f);
    const float all = or_zero(up.h - up.climb), there = f->u >= 0.0f ? f->hr : f->hl, mean = 0.5f * (f->hl + f->hr);
    const float above =
        greater(lesser(all, there), (2.0f / 3.0f) * all); /* depth on top of the step, at least critical */
    if (f->fall) return lesser(up.climb > 0.0f ? lesser(up.h, above) : up.h, gap_at(n, f));
    const float s = minmod(up.back, up.step);
    const float wanted = up.h + 0.5f * (1.0f - fabsf(f->u * k.lambda)) * (s - up.climb) - up.fall;
    float depth = clamped(wanted, 0.0f, mean < fabsf(up.climb) ? up.h : 2.0f * up.h);
    /* Up a step without a ramp before it flows only what stands above the step, as at a fall. */
    if (up.climb > mean && up.climb > 2.0f * or_zero(up.ramp)) depth = lesser(depth, above);
    return lesser(depth, gap_at(n, f));
}

/* Step 5: sets the transfer through the face from column l, in whole quanta, 2^21 at most, and its speed: that of step
   4, or, where the liquid is nearly level or clings to the bed, only that of the quanta that move. */
INLINED void find_transfer(naive *n, const law k, int axis, int l) {
    const face f = face_at(n, axis, l, n->next[axis]);
    n->speed[axis][l] = n->move[axis][l] = 0.0f;
    if (f.u == 0.0f) return;
    const float depth = face_depth(n, k, axis, &f), v = depth * (f.u * k.lambda), size = fabsf(v);
    const bool level = fabsf(f.level_r - f.level_l) <= 4.0f * k.q && size <= 4.0f * k.q;
    const bool clings = (f.u > 0.0f ? f.hl : f.hr) <= 64.0f * k.q && size <= k.q / 64.0f, sleeps = level || clings;
    const bool deep = depth > 65536.0f * k.q && depth * depth > k.nu3 * k.dt;
    const float dither = sleeps ? 0.0f : deep ? 0.5f : k.dither;
    const float quanta = truncf(lesser(size * k.per_q + dither, 2097152.0f));
    const float t = copysignf(quanta * k.q, v) + 0.0f, width = depth * k.lambda;
    n->move[axis][l] = t;
    n->speed[axis][l] = !sleeps ? f.u : width > 0.0f ? t / greater(width, 1e-30f) + 0.0f : 0.0f;
}

/* ---- 6. Limits ----------------------------------------------------------------------------------------------- */

/* Step 6: returns the share of the transfers into (`in`) or out of column c that is allowed. In: 0 if room <= 8q, and
   room/sum (1 - 2^-21) if sum > room. Out: 0 if h = 0, and h/sum (1 - 2^-21) if sum > h. Sums are gross. */
static float share_at(const naive *n, const law k, int c, bool in) {
    const float west = n->move[0][c - 1], east = n->move[0][c];
    const float south = n->move[1][c - n->stride], north = n->move[1][c];
    const float inflow = (or_zero(west) + or_zero(-east)) + (or_zero(south) + or_zero(-north));
    const float outflow = (or_zero(-west) + or_zero(east)) + (or_zero(-south) + or_zero(north));
    const float sum = in ? inflow : outflow, room = in ? (n->ceil[c] - n->base[c]) - n->depth[c] : n->depth[c];
    if (in ? room <= 8.0f * k.q : room <= 0.0f) return 0.0f;
    return sum > room ? room / sum * (1.0f - 0x1p-21f) : 1.0f;
}

/* Reduces the transfer through the face from column l to the share that the receiving (`in`) or giving column allows,
   in whole quanta, and counts it in n->limited. Where room limits it (`in`), the speed is reduced by the same share. */
static void limit_transfer(naive *n, const law k, int axis, int l, bool in) {
    float *t = &n->move[axis][l], *u = &n->speed[axis][l];
    const int r = l + (axis == 0 ? 1 : n->stride);
    const float share = *t == 0.0f ? 1.0f : n->share[(*t > 0.0f) == in ? r : l];
    if (share >= 1.0f) return;
    n->limited[in]++;
    *t = truncf(*t * share * k.per_q) * k.q + 0.0f;
    if (in) *u = *u * share + 0.0f;
}

/* ---- The substep ------------------------------------------------------------------------------------------------ */

/* A loop over all columns, x fastest. */
#define FOR_COLUMNS(n, c)                                                                                              \
    for (int row = 0; row < (n)->ny; row++)                                                                            \
        for (int c = naive_at(n, 0, row), end = c + (n)->nx; c < end; c++)

/* Step 6: limits all transfers by room (`in`) or by available depth, with the shares of all columns found first. */
static void limit_all(naive *n, const law k, bool in) {
    FOR_COLUMNS(n, c) n->share[c] = share_at(n, k, c, in);
    FOR_COLUMNS(n, c) limit_transfer(n, k, 0, c, in), limit_transfer(n, k, 1, c, in);
}

void naive_step(naive *n, double dt) {
    const law k = substep_law(n, dt);
    const int up = n->stride;
    FOR_COLUMNS(n, c) find_slope(n, k, c);
    FOR_COLUMNS(n, c) n->force[0][c] = find_force(n, k, 0, c), n->force[1][c] = find_force(n, k, 1, c);
    FOR_COLUMNS(n, c) n->next[0][c] = find_speed(n, k, 0, c), n->next[1][c] = find_speed(n, k, 1, c);
    FOR_COLUMNS(n, c) find_falls(n, k, c);
    FOR_COLUMNS(n, c) find_transfer(n, k, 0, c), find_transfer(n, k, 1, c);
    limit_all(n, k, true);
    limit_all(n, k, false);
    const float *x = n->move[0], *y = n->move[1];
    FOR_COLUMNS(n, c) n->depth[c] += (x[c - 1] - x[c]) + (y[c - up] - y[c]);
    n->last = dt;
    n->step++;
}

/* ---- Fluxes ----------------------------------------------------------------------------------------------------- */

/* Returns the cross-section height (m) of the face from column l that a world's views use: the H of step 3 without its
   bounds. */
static float shown_height(const naive *n, int axis, int l) {
    const face f = face_at(n, axis, l, n->speed[axis]);
    const float top = lesser(greater(f.level_l, f.level_r), lesser(n->ceil[f.l], n->ceil[f.r]));
    return lesser(or_zero(top - f.sill), 0.5f * (f.hl + f.hr + fabsf(f.zl - f.zr)));
}

float naive_flux(const naive *n, int axis, int column) {
    const float u = n->speed[axis][column];
    return u == 0.0f ? 0.0f : u * (n->cell * shown_height(n, axis, column));
}

void naive_push(naive *n, int axis, int column, float flux) {
    const float height = shown_height(n, axis, column);
    n->speed[axis][column] = height >= 1e-6f ? flux / (n->cell * height) : 0.0f;
}
