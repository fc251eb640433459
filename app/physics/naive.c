#include "physics/naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Plain need not mean slow for no reason: as calls, pipes would take half as long again. */
#define INLINED static inline __attribute__((always_inline))

/* ---- Where it begins --------------------------------------------------------------------------------------- */

static void copy_view(float *to, rn_view from) {
    for (int y = 0; y < from.cells_y; y++)
        memcpy(to + (size_t)y * (size_t)from.cells_x, from.data + y * from.row_stride,
               (size_t)from.cells_x * sizeof *to);
}

/* A pipe is a fall if its step is a cliff: |Db| > Dx + 2 * (rise of the bed behind the brink). `behind_i` and
   `behind_j` are the columns behind its ends, or NULL past a wall. */
static bool is_fall(const naive *n, const float *i, const float *j, const float *behind_i, const float *behind_j) {
    const float *upper = *i > *j ? i : j, *behind = *i > *j ? behind_i : behind_j;
    float rise = behind ? fmaxf(*behind - *upper, 0.0f) : 0.0f;
    return fabsf(*i - *j) > n->cell + 2.0f * rise;
}

static void find_falls(naive *n) {
    const int nx = n->nx, ny = n->ny;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int c = y * nx + x;
            const float *b = n->base + c;
            if (x + 1 < nx) n->fall_x[c] = is_fall(n, b, b + 1, x > 0 ? b - 1 : NULL, x + 2 < nx ? b + 2 : NULL);
            if (y + 1 < ny) n->fall_y[c] = is_fall(n, b, b + nx, y > 0 ? b - nx : NULL, y + 2 < ny ? b + 2 * nx : NULL);
        }
}

bool naive_create(naive *n, const rn_world *world, const rn_world_def *def) {
    const rn_world_info info = rn_world_describe(world);
    *n = (naive){.nx = info.cells_x, .ny = info.cells_y, .cell = (float)info.cell_size};
    n->gravity = (float)-def->gravity.z;
    n->kappa = (float)-log(def->friction); /* kappa = -ln omega */
    n->nu3 = (float)(3.0 * def->liquid.viscosity);
    n->quantum = (float)info.quantum;
    n->step = rn_world_progress(world).steps;
    const size_t cells = (size_t)n->nx * (size_t)n->ny;
    float **floats[] = {&n->base,    &n->ceil,  &n->depth,  &n->flux_x, &n->flux_y, &n->slope_x,
                        &n->slope_y, &n->steep, &n->move_x, &n->move_y, &n->share};
    bool memory = true;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        memory &= (*floats[i] = calloc(cells, sizeof(float))) != NULL;
    memory &= (n->fall_x = calloc(cells, sizeof(bool))) != NULL;
    memory &= (n->fall_y = calloc(cells, sizeof(bool))) != NULL;
    if (!memory) {
        naive_destroy(n);
        return false;
    }
    copy_view(n->base, rn_world_view(world, RN_FIELD_BASE));
    copy_view(n->ceil, rn_world_view(world, RN_FIELD_CEIL));
    copy_view(n->depth, rn_world_view(world, RN_FIELD_DEPTH));
    copy_view(n->flux_x, rn_world_view(world, RN_FIELD_FLUX_X));
    copy_view(n->flux_y, rn_world_view(world, RN_FIELD_FLUX_Y));
    find_falls(n);
    /* 2.2 sqrt(g head): a dam break's front reaches 2 sqrt(g h). */
    float head = 0.0f;
    for (size_t i = 0; i < cells; i++)
        if (n->depth[i] > 0.0f) head = fmaxf(head, n->base[i] + n->depth[i]);
    n->fastest = (float)(2.2 * sqrt(n->gravity * (double)head));
    return true;
}

void naive_destroy(naive *n) {
    void *all[] = {n->base,    n->ceil,    n->depth, n->flux_x, n->flux_y, n->fall_x, n->fall_y,
                   n->slope_x, n->slope_y, n->steep, n->move_x, n->move_y, n->share};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    *n = (naive){0};
}

/* ---- 0. Slopes --------------------------------------------------------------------------------------------- */

/* w = sgn(Db) min(|Db|, 3|Dh|) */
static float bed_step(const naive *n, int i, int j) {
    float db = n->base[i] - n->base[j], dh = (n->base[i] + n->depth[i]) - (n->base[j] + n->depth[j]);
    return copysignf(fminf(fabsf(db), 3.0f * fabsf(dh)), db);
}

/* MC = sgn min(2|W|, 2|E|, |W + E|/2), 0 if signs differ, the other side if one is missing. */
static float bed_slope(float before, float after, bool has_before, bool has_after) {
    if (!has_before) return after;
    if (!has_after) return before;
    if (!(before * after > 0.0f)) return 0.0f;
    float mean = 0.5f * (before + after);
    return copysignf(fminf(2.0f * fminf(fabsf(before), fabsf(after)), fabsf(mean)), mean);
}

static void find_slopes(naive *n) {
    const int nx = n->nx, ny = n->ny;
    const float per_cell = 1.0f / n->cell;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int c = y * nx + x;
            const bool west = x > 0 && !n->fall_x[c - 1], east = x + 1 < nx && !n->fall_x[c];
            const bool south = y > 0 && !n->fall_y[c - nx], north = y + 1 < ny && !n->fall_y[c];
            n->slope_x[c] =
                bed_slope(west ? bed_step(n, c - 1, c) : 0.0f, east ? bed_step(n, c, c + 1) : 0.0f, west, east);
            n->slope_y[c] =
                bed_slope(south ? bed_step(n, c - nx, c) : 0.0f, north ? bed_step(n, c, c + nx) : 0.0f, south, north);
            float gx = n->slope_x[c] * per_cell, gy = n->slope_y[c] * per_cell;
            n->steep[c] = 1.0f + (gx * gx + gy * gy); /* e = 1 + gx^2 + gy^2 */
        }
}

/* ---- 1 to 6. Pipes ------------------------------------------------------------------------------------------ */

/* The constants of one substep, by value: no store can change them, so that compilers work them out once. */
typedef struct law {
    float dt, dx, g, kappa, nu3, q, fastest, dither;
    float pace;   /* Dt/Dx */
    float per_dx; /* 1/Dx */
    float raise;  /* Dt/Dx^2, from a flux to what a depth changes by */
    float flow;   /* Dx^2/Dt, and back */
    float per_q;  /* 1/q */
} law;

static law law_of(const naive *n, float dt) {
    const float dx = n->cell;
    law k = {.dt = dt, .dx = dx, .g = n->gravity, .kappa = n->kappa, .nu3 = n->nu3, .q = n->quantum};
    k.fastest = n->fastest;
    /* xi = ((step * 2654435769 mod 2^32) >> 8) 2^-24 */
    k.dither = (float)(((uint32_t)n->step * 2654435769u) >> 8) * 0x1p-24f;
    k.pace = dt / dx;
    k.per_dx = 1.0f / dx;
    k.raise = dt / (dx * dx);
    k.flow = dx * dx / dt;
    k.per_q = 1.0f / n->quantum;
    return k;
}

/* 2. Inertia scaling: m, which keeps the steady speed and stops false roll waves. `gt` is the slope across the pipe. */
INLINED float inertia(const law k, float H, float dh, float e, float D, float gt, float f) {
    const float g = k.g, dx = k.dx, H3 = H * H * H;
    /* If D = 0 or 10.89 e F <= g Dx^2 H^3 then m = 1, F = phi f^2; phi is at most 4, so most need not know it. */
    float calm = g * (dx * dx) * H3;
    if (!(D > 0.0f && 10.89f * e * (4.0f * (f * f)) > calm)) return 1.0f;
    /* phi = min(4, 1 + (gt Dx)^2/Dh^2) */
    float gt2 = gt * gt, dh2 = dh * dh, phi = gt2 < 3.0f * dh2 ? 1.0f + gt2 / dh2 : gt2 > 0.0f ? 4.0f : 1.0f;
    float F = phi * (f * f);
    if (!(10.89f * e * F > calm)) return 1.0f;
    /* X = e|f|D, Y = g|Dh|H^3, r = min(X, Y)/max(X, Y) */
    float X = e * fabsf(f) * D, Y = g * fabsf(dh) * H3, r = fminf(X, Y) / fmaxf(X, Y);
    /* c = 1.1 (1 + 6 nu e/D), m = clamp(c^2 e F r^2/(g Dx^2 H^3), 1, 1e6) */
    float c = 1.1f * (1.0f + 2.0f * k.nu3 * e / D);
    float m = fminf(fmaxf((c * c) * e * F * (r * r) / calm, 1.0f), 1e6f);
    /* Guard: B = 4gH Dt^2/(e Dx^2) - Dt D/H^2; if m B > 1.28 then m = max(1, 1.28/B). */
    float B = 4.0f * g * (k.pace * k.pace) * H / e - k.dt * D / (H * H);
    return m * B > 1.28f ? fmaxf(1.0f, 1.28f / B) : m;
}

static float minmod(float a, float b) { return a * b > 0.0f ? copysignf(fminf(fabsf(a), fabsf(b)), a) : 0.0f; }

/* The pipe from column i to column j; `along` and `across` are the slopes of columns along its axis and the other. */
INLINED void pipe(const naive *n, const law k, int i, int j, bool fall, const float *along, const float *across,
                  float *flux, float *move) {
    const float g = k.g, dx = k.dx, q = k.q, dt = k.dt, f = *flux;
    const float bi = n->base[i], bj = n->base[j], di = n->depth[i], dj = n->depth[j], hi = bi + di, hj = bj + dj;
    const float floor = fmaxf(bi, bj), lid = fminf(n->ceil[i], n->ceil[j]);
    float dh = hi - hj;
    *flux = *move = 0.0f;

    /* 1. up = max(0, min(max(hi, hj), ceil) - s_max), av = min((di + dj)/2, up), H = av + min(up - av, |Db|/2) */
    float up = fmaxf(fminf(fmaxf(hi, hj), lid) - floor, 0.0f), av = fminf(0.5f * (di + dj), up);
    float H = fall ? up : av + fminf(up - av, 0.5f * fabsf(bi - bj));
    if (H < 1e-6f) return;

    /* The e of the column with the higher surface; of two, the lesser. */
    const int upper = dh > 0.0f ? i : j;
    float e = dh != 0.0f ? n->steep[upper] : fminf(n->steep[i], n->steep[j]);
    float D = k.kappa * (H * H) + k.nu3 * e; /* 2. D = kappa H^2 + 3 nu e */
    float m = fall ? 1.0f : inertia(k, H, dh, e, D, across[upper], f);

    if (fall) { /* 4. a = max(hi, s_max) - max(hj, s_max), Dh = sgn(a) min(|Dh|, |a| + |g_axis| Dx) */
        float a = fmaxf(hi, floor) - fmaxf(hj, floor);
        dh = a != 0.0f ? copysignf(fminf(fabsf(dh), fabsf(a) + fabsf(along[upper])), a) : 0.0f;
    }

    /* 3. N = e f + m Dt g H Dh, R = N/(e (H^2 + m Dt D)), U = H R, f = H U; a dry column gives nothing */
    float N = e * f + m * (dt * g * H * dh), R = N / (e * (H * H + m * (dt * k.kappa * (H * H) + dt * k.nu3 * e))),
          U = H * R;
    float speed = fabsf(U) * k.per_dx, v;
    if (!fall && speed > k.fastest) U = U * (k.fastest / speed);
    if (!((U > 0.0f ? di : dj) > 0.0f)) return;
    float new_flux = U * H;

    if (fall) { /* 4. |f| <= 0.54 Dx H sqrt(g H) */
        float most = 0.54f * dx * H * sqrtf(g * H);
        new_flux = copysignf(fminf(fabsf(new_flux), most), new_flux);
        v = new_flux * k.raise;
    } else { /* 5. sigma = minmod(Dh, di - dj) within +-H, v = U (H + sigma sgn(U)/2) Dt/Dx^2 */
        float sigma = fminf(fmaxf(minmod(dh, di - dj), -H), H);
        v = U * (H + 0.5f * (sigma * copysignf(1.0f, U))) * k.raise;
    }

    /* 6. If |Dh| <= 4q and |v| <= 4q: t = trunc(v/q) q, f = t Dx^2/Dt; otherwise t = sgn(v) trunc(|v|/q + xi) q;
       7. |t| <= 2^21 q. */
    bool sleeps = fabsf(dh) <= 4.0f * q && fabsf(v) <= 4.0f * q;
    float t = fminf(truncf(fabsf(v) * k.per_q + (sleeps ? 0.0f : k.dither)), 2097152.0f) * q;
    *move = copysignf(t, v);
    *flux = sleeps ? *move * k.flow + 0.0f : new_flux;
}

static void find_fluxes(naive *n, const law k) {
    const int nx = n->nx, ny = n->ny;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int c = y * nx + x;
            if (x + 1 < nx) pipe(n, k, c, c + 1, n->fall_x[c], n->slope_x, n->slope_y, &n->flux_x[c], &n->move_x[c]);
            if (y + 1 < ny) pipe(n, k, c, c + nx, n->fall_y[c], n->slope_y, n->slope_x, &n->flux_y[c], &n->move_y[c]);
        }
}

/* ---- 7. Limits ----------------------------------------------------------------------------------------------- */

static float positive(float value) { return fmaxf(value, 0.0f); }

/* K_in: room <= 8q -> 0, I > room -> room/I (1 - 2^-21); K_out: d = 0 -> 0, O > d -> d/O (1 - 2^-21). Gross sums,
   (W + E) + (S + N). */
static void find_shares(naive *n, const law k, bool in) {
    const int nx = n->nx, ny = n->ny;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int c = y * nx + x;
            float west = x > 0 ? n->move_x[c - 1] : 0.0f, east = n->move_x[c];
            float south = y > 0 ? n->move_y[c - nx] : 0.0f, north = n->move_y[c];
            float inflow = (positive(west) + positive(-east)) + (positive(south) + positive(-north));
            float outflow = (positive(-west) + positive(east)) + (positive(-south) + positive(north));
            float sum = in ? inflow : outflow, room = in ? (n->ceil[c] - n->base[c]) - n->depth[c] : n->depth[c];
            n->share[c] = sum > room ? room / sum * (1.0f - 0x1p-21f) : 1.0f;
            if (in ? room <= 8.0f * k.q : room <= 0.0f) n->share[c] = 0.0f;
        }
}

/* Re-truncate t, and f times the factor of the column that takes, or gives. */
static void limit(const naive *n, const law k, int i, int j, bool in, float *flux, float *move) {
    float share = n->share[(*flux > 0.0f) == in ? j : i];
    if (share >= 1.0f) return;
    *move = truncf(*move * share * k.per_q) * k.q;
    *flux = *flux * share + 0.0f;
}

static void limit_all(naive *n, const law k, bool in) {
    const int nx = n->nx, ny = n->ny;
    find_shares(n, k, in);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int c = y * nx + x;
            if (x + 1 < nx) limit(n, k, c, c + 1, in, &n->flux_x[c], &n->move_x[c]);
            if (y + 1 < ny) limit(n, k, c, c + nx, in, &n->flux_y[c], &n->move_y[c]);
        }
}

/* ---- 8. Transfer ---------------------------------------------------------------------------------------------- */

static void transfer(naive *n) {
    const int nx = n->nx, ny = n->ny;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int c = y * nx + x;
            float from_x = (x > 0 ? n->move_x[c - 1] : 0.0f) - n->move_x[c];
            float from_y = (y > 0 ? n->move_y[c - nx] : 0.0f) - n->move_y[c];
            n->depth[c] += from_x + from_y;
        }
}

void naive_step(naive *n, float dt) {
    const law k = law_of(n, dt);
    find_slopes(n);
    find_fluxes(n, k);
    limit_all(n, k, true);
    limit_all(n, k, false);
    transfer(n);
    n->step++;
}
