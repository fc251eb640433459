/* One frame of the 3D liquid, in substeps. rn_mac_substep reads as the algorithm:

   surface and kinds of cells -> particles to faces -> gravity -> viscosity -> pressure -> faces beyond the liquid ->
   density -> faces to particles and motion -> sources and drains -> sorting

   Velocities are staggered half a substep before positions (leapfrog): gravity acts for half of the last and half of
   this substep, and free fall is exact. */
#include "mac/step.h"

#include "base/error.h"
#include "mac/advect.h"
#include "mac/density.h"
#include "mac/faces.h"
#include "mac/gauges.h"
#include "mac/particles.h"
#include "mac/pressure.h"
#include "mac/solids.h"
#include "mac/sources.h"
#include "mac/surface.h"
#include "mac/tension.h"
#include "mac/transfer.h"
#include "mac/viscosity.h"

#include <math.h>
#include <string.h>

enum {
    MOST_SUBSTEPS = 100000,
    LEAST_LAYERS = 3, /* of faces beyond the liquid: from a cell to all faces of the one across its corner */
};

/* The share of particles that may cross more than `courant` cells in a substep, but at most twice as many. A few drops
   of spray would otherwise shorten the substeps of all the liquid. The velocity is read at the midpoint of their path,
   which still lies within `courant` cells. */
#define OUTLIERS 1e-3

/* Longest substep with bodies in a viscous liquid, in times of diffusion over a cell. Viscosity and pressure are solved
   one after the other, so in longer ones the liquid around a body moves along with it instead of past it. */
#define BODY_DIFFUSION 1.0

/* Adds the velocity that gravity gives in this many seconds to all known faces. */
static void add_gravity(rn_mac *mac, double seconds) {
    const rn_vec3 *g = &mac->def.gravity;
    const float gain[3] = {(float)(g->x * seconds), (float)(g->y * seconds), (float)(g->z * seconds)};
    rn_mac_add_to_faces(mac, gain);
}

/* Finds velocities of faces for a substep of dt (s): from particles or, with markers, from the grid itself, unless
   particles have a new velocity (`fresh`). Clears `fresh`. */
static void find_velocity(rn_mac *mac, double dt) {
    if (mac->def.transfer == RN_MAC_MARKERS && !mac->fresh) rn_mac_advect(mac, (float)dt);
    else rn_mac_to_faces(mac);
    mac->fresh = false;
}

/* Gives `layers` of faces beyond the liquid a velocity, as far as particles may move in a substep; then applies the
   conditions at walls and solids. */
static void extend_velocity(rn_mac *mac, int layers) {
    rn_mac_set_spray_apart(mac);
    rn_mac_close_walls(mac);
    rn_mac_extrapolate(mac, 1);
    rn_mac_take_spray_back(mac);
    rn_mac_extrapolate(mac, layers);
    if (mac->nodes && mac->def.periodic_x) rn_mac_close_walls(mac); /* sliding reads beyond the ends */
    if (mac->nodes) rn_mac_slide_along(mac);
    rn_mac_close_walls(mac);
    if (mac->viscous) rn_mac_stick_to_walls(mac);
}

/* Counts particles that passed gauges or left, runs sources and drains for dt (s), and sorts all particles, also if
   sources fail. Returns the result of sources. */
static rn_result sort_and_exchange(rn_mac *mac, double dt) {
    bool changed = false;
    rn_result result = RN_OK;
    rn_mac_count_gauges(mac);
    rn_mac_particles_order(mac);
    mac->tally.left += mac->particles.count - mac->start[mac->grid.cells];
    if (mac->sources.count) result = rn_mac_run_sources(mac, dt, &changed);
    if (changed) rn_mac_particles_order(mac);
    rn_mac_particles_permute(mac);
    return result;
}

/* Whether a body that is free to move closes faces. Always false unless the liquid is viscous: only then are faces of
   bodies found. */
static bool has_free_bodies(const rn_mac *mac) {
    for (int i = 0; i < mac->bodies.count; i++)
        if (mac->bodies.list[i].face_count > 0 && !isinf(mac->bodies.list[i].body.mass)) return true;
    return false;
}

/* Viscosity for dt (s) and pressure for `push` (s). With free bodies that viscosity drags, pressure is solved before
   viscosity and, for 0 s, after it. Before it alone is not enough: viscosity causes divergence. After it alone is not
   either: the liquid around a body would not yet know its weight, move along with it, and drag it too little. */
static void solve_forces(rn_mac *mac, double dt, double push) {
    const bool twice = mac->viscous && has_free_bodies(mac);
    if (twice) {
        rn_mac_project(mac, push);
        rn_mac_close_walls(mac);
    }
    if (mac->viscous) rn_mac_viscosity(mac, dt);
    rn_mac_close_walls(mac);
    rn_mac_project(mac, twice ? 0.0 : push);
}

/* The part of a substep that moves liquid, for dt (s): from finding the surface to moving the particles. Needs sorted
   particles, at least one; leaves them unsorted. */
static void flow(rn_mac *mac, double dt) {
    const int reach = (int)ceil(mac->def.courant) + 1;
    const int layers = reach > LEAST_LAYERS ? reach : LEAST_LAYERS;
    rn_mac_find_rows(mac, layers + 1);
    rn_mac_find_surface(mac);
    if (mac->curvature) rn_mac_find_curvature(mac);
    find_velocity(mac, dt);
    add_gravity(mac, 0.5 * (mac->last_dt + dt));
    rn_mac_close_walls(mac);
    rn_mac_extrapolate(mac, mac->viscous ? 2 : 1); /* faces of liquid cells without particles nearby */
    rn_mac_close_walls(mac);
    solve_forces(mac, dt, 0.5 * (mac->last_dt + dt));
    if (mac->def.surface == RN_MAC_GATES) rn_mac_free_faces(mac);
    extend_velocity(mac, layers);
    if (mac->def.transfer == RN_MAC_MARKERS) rn_mac_keep_velocity(mac);
    if (mac->def.density_time > 0.0)
        rn_mac_restore_density(mac, mac->def.density_time > dt ? mac->def.density_time : dt);
    rn_mac_carry(mac, (float)dt);
}

rn_result rn_mac_substep(rn_mac *mac, double dt) {
    if (mac->particles.count) flow(mac, dt);
    const rn_result result = sort_and_exchange(mac, dt);
    mac->last_dt = mac->particles.count ? dt : 0.0;
    mac->time += dt;
    return result;
}

/* ---- Length of substeps ------------------------------------------------------------------------------------------ */

/* A task over chunks: writes the largest squared speed of the particles of each to mac->fastest. */
static void fastest_of_chunk(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const rn_mac_particles *p = &mac->particles;
    for (int chunk = begin; chunk < end; chunk++) {
        float most = 0.0f;
        const int32_t first = chunk * RN_MAC_CHUNK, rest = p->count - first;
        const int32_t last = rest < RN_MAC_CHUNK ? p->count : first + RN_MAC_CHUNK;
        for (int32_t n = first; n < last; n++) {
            const float u = p->value[RN_MAC_SPEED][n], v = p->value[RN_MAC_SPEED + 1][n],
                        w = p->value[RN_MAC_SPEED + 2][n];
            const float square = u * u + v * v + w * w;
            most = square > most ? square : most;
        }
        mac->fastest[chunk] = most;
    }
}

double rn_mac_find_fastest(rn_mac *mac) {
    const int chunks = (mac->particles.count + RN_MAC_CHUNK - 1) / RN_MAC_CHUNK;
    rn_parallel_for(mac->pool, chunks, fastest_of_chunk, mac);
    float most = 0.0f;
    for (int i = 0; i < chunks; i++) most = mac->fastest[i] > most ? mac->fastest[i] : most;
    return sqrt((double)most);
}

/* A count of particles in each chunk, by speed. */
typedef struct speed_count {
    rn_mac *mac;
    float fastest; /* m/s, of all particles */
} speed_count;

/* The speed (m/s) at which a level of speeds begins: level 0 at half of the fastest, RN_MAC_SPEED_LEVELS at all of it.
 */
static float level_speed(float fastest, int level) {
    return fastest * (0.5f + 0.5f * (float)level / (float)RN_MAC_SPEED_LEVELS);
}

/* Adds the particles `first` to `last` - 1 that are faster than level 0 to the count of their level. */
static void count_levels(const speed_count *s, int32_t first, int32_t last, float count[RN_MAC_SPEED_LEVELS]) {
    const rn_mac_particles *p = &s->mac->particles;
    float above[RN_MAC_SPEED_LEVELS];
    for (int i = 0; i < RN_MAC_SPEED_LEVELS; i++) above[i] = level_speed(s->fastest, i) * level_speed(s->fastest, i);
    for (int32_t n = first; n < last; n++) {
        const float u = p->value[RN_MAC_SPEED][n], v = p->value[RN_MAC_SPEED + 1][n], w = p->value[RN_MAC_SPEED + 2][n];
        const float square = u * u + v * v + w * w;
        if (!(square > above[0])) continue;
        int level = 0;
        while (level + 1 < RN_MAC_SPEED_LEVELS && square > above[level + 1]) level++;
        count[level] += 1.0f;
    }
}

/* A task over chunks: counts the particles of each by level in mac->speeds. Needs mac->fastest: chunks without fast
   particles are not read. */
static void count_chunk_speeds(void *context, int begin, int end, int worker) {
    (void)worker;
    const speed_count *s = context;
    const float least = level_speed(s->fastest, 0);
    for (int chunk = begin; chunk < end; chunk++) {
        float *count = s->mac->speeds + (size_t)chunk * RN_MAC_SPEED_LEVELS;
        const int32_t first = chunk * RN_MAC_CHUNK, rest = s->mac->particles.count - first;
        memset(count, 0, RN_MAC_SPEED_LEVELS * sizeof *count);
        if (s->mac->fastest[chunk] > least * least)
            count_levels(s, first, rest < RN_MAC_CHUNK ? s->mac->particles.count : first + RN_MAC_CHUNK, count);
    }
}

double rn_mac_find_bulk_speed(rn_mac *mac) {
    const double fastest = rn_mac_find_fastest(mac);
    const int chunks = (mac->particles.count + RN_MAC_CHUNK - 1) / RN_MAC_CHUNK;
    if (mac->def.transfer == RN_MAC_MARKERS || !(fastest > 0.0)) return fastest;
    speed_count s = {.mac = mac, .fastest = (float)fastest};
    rn_parallel_for(mac->pool, chunks, count_chunk_speeds, &s);
    double left = OUTLIERS * mac->particles.count;
    for (int level = RN_MAC_SPEED_LEVELS - 1; level >= 0; level--) {
        for (int chunk = 0; chunk < chunks; chunk++)
            left -= (double)mac->speeds[(size_t)chunk * RN_MAC_SPEED_LEVELS + (size_t)level];
        if (left < 0.0) return fmin(fastest, (double)level_speed(s.fastest, level + 1));
    }
    return 0.5 * fastest;
}

/* The longest substep (s), INFINITY if nothing limits it. The bulk of the particles and all jets, which gravity may
   accelerate, cross at most `courant` cells. Surface tension and, around free bodies, viscosity limit it too; and so
   does gravity, because volume is lost unless g dt^2 is small compared with a cell. */
static double longest_substep(rn_mac *mac) {
    const rn_vec3 *g = &mac->def.gravity;
    const double gravity = sqrt(g->x * g->x + g->y * g->y + g->z * g->z), cell = (double)mac->cell;
    const double speed =
        fmax(rn_mac_find_bulk_speed(mac), rn_mac_fastest_jet(mac)) + sqrt(gravity * cell * mac->def.courant);
    double dt = speed > 0.0 ? mac->def.courant * cell / speed : INFINITY;
    dt = fmin(dt, rn_mac_capillary_substep(mac));
    if (mac->viscous && has_free_bodies(mac)) dt = fmin(dt, BODY_DIFFUSION * cell * cell / mac->def.viscosity);
    const double by_viscosity = mac->def.viscosity > 0.0 ? 0.2 : 0.3;
    const double share = mac->def.gravity_courant > 0.0 ? mac->def.gravity_courant : by_viscosity;
    if (gravity > 0.0) dt = fmin(dt, share * sqrt(cell / gravity));
    return dt;
}

/* Whether nothing can happen in a step: there are no particles, and all sources are removed. */
static bool is_idle(const rn_mac *mac) {
    if (mac->particles.count) return false;
    for (int n = 0; n < mac->sources.count; n++)
        if (!mac->sources.all[n].removed) return false;
    return true;
}

rn_result rn_mac_step(rn_mac *mac, double seconds, rn_mac_report *report) {
    if (!(seconds >= 0.0 && seconds <= 1e6))
        return rn_fail(RN_INVALID, "a step of %g s: it must be from 0 to 1e6 s", seconds);
    mac->report = (rn_mac_report){0};
    const bool idle = is_idle(mac);
    double left = idle ? 0.0 : seconds;
    if (idle) mac->time += seconds;
    while (left > 1e-9 * seconds) {
        const double parts = ceil(left / longest_substep(mac) - 1e-6), dt = parts > 1.0 ? left / parts : left;
        if (mac->report.substeps++ == MOST_SUBSTEPS || !(dt > 0.0))
            return rn_fail(RN_LIMIT, "%g s took more than %d substeps: %s", seconds, MOST_SUBSTEPS,
                           mac->viscous && has_free_bodies(mac)
                               ? "the liquid moves too fast, or is too viscous for bodies on such small cells"
                               : "the liquid moves too fast");
        const rn_result result = rn_mac_substep(mac, dt);
        if (result != RN_OK) return result;
        left -= dt;
    }
    if (report) *report = mac->report;
    return RN_OK;
}
