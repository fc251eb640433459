/* The initial liquid of the 3D liquid: rn_mac_add_liquid fills a box or shape with particles, rn_mac_spin adds a
   rotation to their velocities. Interface: mac/mac.h. */
#include "base/error.h"
#include "mac/particles.h"
#include "mac/solids.h"
#include "mac/state.h"

#include <math.h>

/* ---- Liquid ------------------------------------------------------------------------------------------------------ */

/* A number from 0 up to 1 for each site of the lattice and each axis. */
static float noise(uint32_t site, uint32_t axis) {
    uint32_t x = site * 3u + axis + 1u;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return (float)(x >> 8) / 16777216.0f;
}

/* A threshold from 0 to 1 for each site; those of sites close to each other are evenly spread (Roberts 2018). */
static double threshold(int i, int j, int k) {
    const double sum = 0.5 + 0.8191725133961645 * i + 0.6710436067037893 * j + 0.5497004779019703 * k;
    return sum - floor(sum);
}

/* A box of liquid. Each half of a cell along each axis is a site of one particle, a little off its middle. At the
   surface of the shape, sites are filled in part: of those, as many get a particle as fill the shape, in their filled
   part. */
typedef struct filling {
    rn_mac *mac;
    double low[3], high[3]; /* cells */
    rn_mac_distance distance;
    void *user;
    float velocity[3];
} filling;

#define SITE       0.5  /* cells */
#define JITTER     0.5f /* cells, width: of a whole site */
#define JITTER_TOP 0.1f /* the same near the surface, so that it is level */
#define TOP        2.5  /* cells, that count as near */

/* The distance (cells) from a place (cells) to the surface of what is to be filled, negative inside: the part of the
   shape that lies in the box of the filling and not in the solid. */
static double distance_to(const filling *f, const double at[3]) {
    const rn_mac *mac = f->mac;
    const double cell = mac->def.cell_size;
    double distance = -1e30;
    for (int a = 0; a < 3; a++) distance = fmax(distance, fmax(f->low[a] - at[a], at[a] - f->high[a]));
    if (f->distance)
        distance = fmax(distance, f->distance(f->user, (rn_vec3){cell * at[0], cell * at[1], cell * at[2]}) / cell);
    if (mac->nodes) {
        const float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
        float slope[3];
        distance = fmax(distance, -(double)rn_mac_solid_distance(mac, place, slope));
    }
    return distance;
}

/* Moves a place by `way` (cells) away from the surface, into the liquid. */
static void move_inwards(const filling *f, double at[3], double way) {
    const double near = 0.05;
    double slope[3], length = 1e-30;
    for (int a = 0; a < 3; a++) {
        double ahead[3] = {at[0], at[1], at[2]}, back[3] = {at[0], at[1], at[2]};
        ahead[a] += near;
        back[a] -= near;
        slope[a] = distance_to(f, ahead) - distance_to(f, back);
        length += slope[a] * slope[a];
    }
    for (int a = 0; a < 3; a++) at[a] -= way * slope[a] / sqrt(length);
}

/* How far particles may be off the middle of their site (cells, width): JITTER_TOP if the place TOP above the site is
   not to be filled, otherwise JITTER. Rows of particles in line would be torn apart by flow that stretches them, and
   leave gaps of whole cells. */
static float jitter_at(const filling *f, const double at[3]) {
    const double above[3] = {at[0], at[1], at[2] + TOP};
    return distance_to(f, above) < 0.0 ? JITTER : JITTER_TOP;
}

/* Whether a site of the lattice, counted in halves of cells, gets a particle. If so, sets `at` to the place of the
   particle (cells), at least 0.01 cells inside the box. */
static bool seed_site(const filling *f, const int site[3], double at[3]) {
    const uint32_t number = (uint32_t)site[0] + 2048u * ((uint32_t)site[1] + 2048u * (uint32_t)site[2]);
    for (int a = 0; a < 3; a++) at[a] = SITE * (site[a] + 0.5);
    const double filled = 0.5 - distance_to(f, at) / SITE;
    if (!(filled > threshold(site[0], site[1], site[2]))) return false;
    const float jitter = jitter_at(f, at);
    for (int a = 0; a < 3; a++) at[a] += (double)(jitter * (noise(number, (uint32_t)a) - 0.5f));
    if (filled < 1.0) move_inwards(f, at, 0.5 * SITE * (1.0 - filled));
    for (int a = 0; a < 3; a++) at[a] = fmin(fmax(at[a], 0.01), f->mac->grid.n[a] - 0.01);
    return true;
}

/* Writes the particles of row (j, k) of sites after the last particle, where there must be room, or with `add` false
   only counts them. Returns their number; p->count stays. */
static int32_t fill_row(const filling *f, int j, int k, bool add) {
    rn_mac_particles *p = &f->mac->particles;
    int32_t count = 0;
    for (int i = (int)(f->low[0] / SITE); i < 2 * f->mac->grid.n[0] && i < f->high[0] / SITE; i++) {
        double at[3];
        if (!seed_site(f, (const int[3]){i, j, k}, at)) continue;
        for (int a = 0; add && a < 3; a++) {
            p->value[RN_MAC_AT + a][p->count + count] = (float)at[a];
            p->value[RN_MAC_SPEED + a][p->count + count] = f->velocity[a];
            for (int v = RN_MAC_AFFINE + 3 * a; v < p->values && v < RN_MAC_AFFINE + 3 * a + 3; v++)
                p->value[v][p->count + count] = 0.0f;
        }
        count++;
    }
    return count;
}

/* Adds all particles of the filling, for which there must be room, and raises particles.count; with `add` false only
   counts them. Returns their number. */
static int64_t fill_box(const filling *f, bool add) {
    const int *n = f->mac->grid.n;
    int64_t total = 0;
    for (int k = (int)(f->low[2] / SITE); k < 2 * n[2] && k < f->high[2] / SITE; k++)
        for (int j = (int)(f->low[1] / SITE); j < 2 * n[1] && j < f->high[1] / SITE; j++) {
            const int32_t count = fill_row(f, j, k, add);
            if (add) f->mac->particles.count += count;
            total += count;
        }
    return total;
}

rn_result rn_mac_add_liquid(rn_mac *mac, rn_vec3 low, rn_vec3 high, rn_mac_distance distance, void *user,
                            rn_vec3 velocity) {
    const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    filling f = {.mac = mac, .distance = distance, .user = user};
    f.velocity[0] = (float)velocity.x, f.velocity[1] = (float)velocity.y, f.velocity[2] = (float)velocity.z;
    for (int a = 0; a < 3; a++) {
        if (!(isfinite(from[a]) && isfinite(to[a]) && fabsf(f.velocity[a]) < 1e6f))
            return rn_fail(RN_INVALID, "liquid from %g to %g m at %g m/s along %c: these must be finite numbers",
                           from[a], to[a], (double)f.velocity[a], "xyz"[a]);
        f.low[a] = fmin(fmax(from[a] / mac->def.cell_size, 0.0), mac->grid.n[a]);
        f.high[a] = fmin(fmax(to[a] / mac->def.cell_size, 0.0), mac->grid.n[a]);
    }
    const int64_t count = fill_box(&f, false);
    if (count > INT32_MAX)
        return rn_fail(RN_LIMIT, "the liquid would have %lld particles; at most %d are possible", (long long)count,
                       INT32_MAX);
    const rn_result result = rn_mac_particles_reserve(mac, (int32_t)count);
    if (result != RN_OK) return result;
    mac->tally.poured += fill_box(&f, true);
    mac->fresh = true;
    rn_mac_particles_sort(mac);
    return RN_OK;
}

rn_result rn_mac_spin(rn_mac *mac, rn_vec3 centre, rn_vec3 omega) {
    const double size = fabs(centre.x) + fabs(centre.y) + fabs(centre.z);
    const double turns = fabs(omega.x) + fabs(omega.y) + fabs(omega.z);
    if (!(size < 1e6 && turns < 1e6))
        return rn_fail(RN_INVALID, "a spin of (%g, %g, %g) 1/s about (%g, %g, %g) m: all must be finite and below 1e6",
                       omega.x, omega.y, omega.z, centre.x, centre.y, centre.z);
    rn_mac_particles *p = &mac->particles;
    const double cell = mac->def.cell_size;
    mac->fresh = true;
    /* Rows of the gradient of omega x r. */
    const double turn[3][3] = {{0.0, -omega.z, omega.y}, {omega.z, 0.0, -omega.x}, {-omega.y, omega.x, 0.0}};
    for (int32_t n = 0; n < p->count; n++) {
        const double r[3] = {cell * (double)p->value[RN_MAC_AT][n] - centre.x,
                             cell * (double)p->value[RN_MAC_AT + 1][n] - centre.y,
                             cell * (double)p->value[RN_MAC_AT + 2][n] - centre.z};
        for (int a = 0; a < 3; a++) {
            p->value[RN_MAC_SPEED + a][n] += (float)(turn[a][0] * r[0] + turn[a][1] * r[1] + turn[a][2] * r[2]);
            for (int b = 0; b < 3 && p->values == RN_MAC_VALUES; b++)
                p->value[RN_MAC_AFFINE + 3 * a + b][n] += (float)(turn[a][b] * cell);
        }
    }
    return RN_OK;
}
