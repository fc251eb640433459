/* Sources and drains: particles that are added and removed, one by one.

   In each substep a source owes another rate dt / particle volume, and adds whole particles. Those of a jet leave
   its disc one after the other, evenly over the substep, and have moved on since. Their positions in the disc or
   ball follow the sequence of Roberts 2018, which spreads points evenly: a jet whose rate is its area times its
   speed is as dense as liquid at rest. */
#include "mac/sources.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "mac/particle_sweeps.h"
#include "mac/particles.h"
#include "mac/solids.h"

#include <string.h>

enum {
    CROWDED = RN_MAC_REST * 3 / 2, /* particles in a cell that takes no more from sources */
    TRIES = 4,                     /* per particle, and FIRST_TRIES more */
    FIRST_TRIES = 64,
    RINGS = 256, /* shells of equal d^2 around a drain */
};

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Fails with a message unless the value is from `least` to `most`. */
static rn_result check_number(const char *name, double value, double least, double most, const char *unit) {
    if (value >= least && value <= most) return RN_OK;
    return rn_fail(RN_INVALID, "\"%s\" of a source is %g; it must be from %g to %g %s", name, value, least, most, unit);
}

rn_result rn_mac_check_source(const rn_mac *mac, const rn_mac_source_def *def) {
    const double at[3] = {def->position.x, def->position.y, def->position.z}, cell = mac->def.cell_size;
    const double velocity[3] = {def->velocity.x, def->velocity.y, def->velocity.z};
    rn_result result = RN_OK;
    for (int a = 0; a < 3 && result == RN_OK; a++) {
        result = check_number((const char *[]){"position.x", "position.y", "position.z"}[a], at[a], 0.0,
                              cell * mac->grid.n[a], "m, inside the box");
        if (result == RN_OK)
            result = check_number((const char *[]){"velocity.x", "velocity.y", "velocity.z"}[a], velocity[a], -1e4, 1e4,
                                  "m/s");
    }
    if (result == RN_OK) result = check_number("radius", def->radius, 1e-9, 1e5, "m");
    if (result == RN_OK) result = check_number("rate", def->rate, -1e9, 1e9, "m^3/s");
    return result;
}

rn_result rn_mac_add_source(rn_mac *mac, const rn_mac_source_def *def, int *source) {
    const rn_result result = rn_mac_check_source(mac, def);
    if (result != RN_OK) return result;
    rn_mac_sources *s = &mac->sources;
    if (!rn_grow(&mac->hooks, &s->all, &s->room, (size_t)s->count, sizeof *s->all)) return RN_MEMORY;
    s->all[s->count] = (rn_mac_source){.def = *def};
    *source = s->count++;
    return RN_OK;
}

/* The source with this number, or NULL, with a message, if it does not exist, or was removed. */
static rn_mac_source *find_source(rn_mac *mac, int source) {
    rn_mac_source *found = source >= 0 && source < mac->sources.count ? &mac->sources.all[source] : NULL;
    if (found && !found->removed) return found;
    rn_fail(RN_INVALID, "there is no source %d; sources count from 0, and %d were added", source, mac->sources.count);
    return NULL;
}

/* Replaces the definition of a source if the new one is valid; otherwise returns RN_INVALID, with a message. */
static rn_result redefine(const rn_mac *mac, rn_mac_source *source, const rn_mac_source_def *def) {
    const rn_result result = rn_mac_check_source(mac, def);
    if (result == RN_OK) source->def = *def;
    return result;
}

rn_result rn_mac_set_source_rate(rn_mac *mac, int source, double rate) {
    rn_mac_source *found = find_source(mac, source);
    if (!found) return RN_INVALID;
    rn_mac_source_def def = found->def;
    def.rate = rate;
    const bool turns = (rate < 0.0) != (found->def.rate < 0.0);
    const rn_result result = redefine(mac, found, &def);
    if (result == RN_OK && turns) found->owed = 0.0; /* no drain owes what a source did */
    return result;
}

rn_result rn_mac_move_source(rn_mac *mac, int source, rn_vec3 position, rn_vec3 velocity) {
    rn_mac_source *found = find_source(mac, source);
    if (!found) return RN_INVALID;
    rn_mac_source_def def = found->def;
    def.position = position;
    def.velocity = velocity;
    return redefine(mac, found, &def);
}

rn_result rn_mac_remove_source(rn_mac *mac, int source) {
    rn_mac_source *found = find_source(mac, source);
    if (!found) return RN_INVALID;
    *found = (rn_mac_source){.removed = true};
    return RN_OK;
}

/* ---- Positions of new particles ---------------------------------------------------------------------------------- */

/* The geometry of a source for placing particles. */
typedef struct nozzle {
    double at[3], radius;            /* cells */
    double side[2][3];               /* unit vectors across the jet */
    double speed[3], length, flight; /* m/s; its absolute value; cells that the jet crosses in the substep */
} nozzle;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* to = the cross product of a and b. */
static void cross(const double a[3], const double b[3], double to[3]) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* The nozzle of a source for a substep of dt (s). Without velocity its `side` is 0 and unused. */
static nozzle nozzle_of(const rn_mac *mac, const rn_mac_source_def *def, double dt) {
    const double cell = mac->def.cell_size;
    nozzle z = {.at = {def->position.x / cell, def->position.y / cell, def->position.z / cell},
                .radius = def->radius / cell,
                .speed = {def->velocity.x, def->velocity.y, def->velocity.z}};
    z.length = sqrt(dot(z.speed, z.speed));
    z.flight = z.length * dt / cell;
    if (!(z.length > 0.0)) return z;
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(z.speed[a]) < fabs(z.speed[least])) least = a;
    double axis[3] = {0.0, 0.0, 0.0};
    axis[least] = 1.0;
    for (int n = 0; n < 2; n++) {
        cross(z.speed, n ? z.side[0] : axis, z.side[n]);
        const double size = sqrt(dot(z.side[n], z.side[n]));
        for (int a = 0; a < 3; a++) z.side[n][a] /= size;
    }
    return z;
}

/* The n-th number of a sequence that fills -1 to 1 evenly; `step` is the step of the sequence on a circle of length 1.
   Repeats after 2^30 numbers. */
static double spread(uint64_t n, double step) {
    const double sum = 0.5 + step * (double)(n % 0x40000000u);
    return 2.0 * (sum - floor(sum)) - 1.0;
}

/* Sets `at` to the n-th position of a source (cells); a particle of a jet left the disc a part `age`, 0 to 1, of a
   substep ago. Returns false if that position is outside the disc or ball. */
static bool place(const nozzle *z, uint64_t n, double age, double at[3]) {
    if (z->length > 0.0) {
        const double u = spread(n, 0.7548776662466927), v = spread(n, 0.5698402909980532);
        for (int a = 0; a < 3; a++)
            at[a] = z->at[a] + z->radius * (u * z->side[0][a] + v * z->side[1][a]) +
                    age * z->flight * z->speed[a] / z->length;
        return u * u + v * v <= 1.0;
    }
    const double offset[3] = {spread(n, 0.8191725133961645), spread(n, 0.6710436067037893),
                              spread(n, 0.5497004779019703)};
    for (int a = 0; a < 3; a++) at[a] = z->at[a] + z->radius * offset[a];
    return dot(offset, offset) <= 1.0;
}

/* The cell of a place (cells) inside the box. */
static int32_t cell_at(const rn_mac *mac, const double at[3]) {
    return rn_mac_cell(&mac->grid, (int)at[0], (int)at[1], (int)at[2]);
}

/* Whether a place (cells) lies more than RN_MAC_MARGIN inside the box, and more than RN_MAC_CLEARANCE outside the
   solid. */
static bool is_free(const rn_mac *mac, const double at[3]) {
    for (int a = 0; a < 3; a++)
        if (!(at[a] > (double)RN_MAC_MARGIN && at[a] < mac->grid.n[a] - (double)RN_MAC_MARGIN)) return false;
    if (!mac->nodes) return true;
    const float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
    float slope[3];
    return rn_mac_solid_distance(mac, place, slope) > RN_MAC_CLEARANCE;
}

/* The number of particles, with fractions, that a source or drain moves in a substep of dt (s). */
static double particles_of(const rn_mac *mac, const rn_mac_source *s, double dt) {
    return fabs(s->def.rate) * dt / rn_mac_particle_volume(mac);
}

/* ---- Sources ----------------------------------------------------------------------------------------------------- */

/* Adds a particle at a place (cells) with a velocity (m/s), and counts it as poured. There must be room. */
static void add_particle(rn_mac *mac, const double at[3], const double speed[3]) {
    rn_mac_particles *p = &mac->particles;
    for (int a = 0; a < 3; a++) {
        p->value[RN_MAC_AT + a][p->count] = (float)at[a];
        p->value[RN_MAC_SPEED + a][p->count] = (float)speed[a];
    }
    for (int v = RN_MAC_AFFINE; v < p->values; v++) p->value[v][p->count] = 0.0f;
    p->count++;
    mac->tally.poured++;
}

/* Gives the six faces of cell c, in `before`, the velocity of a jet (m/s), because markers pass none to the grid. */
static void push_faces(rn_mac *mac, int32_t c, const double speed[3]) {
    for (int a = 0; a < 3; a++) mac->before[a][c] = mac->before[a][c + mac->grid.step[a]] = (float)speed[a];
}

/* An estimate of the largest number of particles that could find a place in a substep. */
static double capacity(const nozzle *z) {
    const double across = 4.0 * (z->radius + 1.0) * (z->radius + 1.0);
    return CROWDED * across * (z->length > 0.0 ? z->flight + 2.0 : 2.0 * (z->radius + 1.0));
}

/* Adds the particles that a source owes and that find a place within a limited number of tries: in the box, outside the
   solid, in a cell that is not crowded. Lowers `owed` by their number. `added` counts new particles of each cell in
   this substep. There must be room (make_room). */
static void emit(rn_mac *mac, rn_mac_source *s, double dt, uint8_t *added) {
    const nozzle z = nozzle_of(mac, &s->def, dt);
    const double due = rn_min(s->owed, capacity(&z)), rate = rn_max(particles_of(mac, s, dt), due);
    const int64_t most = TRIES * (int64_t)due + FIRST_TRIES;
    int64_t done = 0;
    for (int64_t tries = 0; tries < most && done < (int64_t)due; tries++) {
        double at[3];
        if (!place(&z, s->serial++, (due - (double)(done + 1)) / rate, at) || !is_free(mac, at)) continue;
        const int32_t c = cell_at(mac, at);
        if (mac->start[c + 1] - mac->start[c] + added[c] >= CROWDED) continue;
        added[c]++;
        add_particle(mac, at, z.speed);
        if (mac->def.transfer == RN_MAC_MARKERS && z.length > 0.0) push_faces(mac, c, z.speed);
        done++;
    }
    s->owed -= (double)done;
}

/* ---- Drains ------------------------------------------------------------------------------------------------------ */

typedef struct hole {
    double at[3], radius; /* cells */
    int low[3], high[3];  /* cells that it may reach */
} hole;

/* The ball of a drain, in cells. */
static hole hole_of(const rn_mac *mac, const rn_mac_source_def *def) {
    const double cell = mac->def.cell_size, at[3] = {def->position.x, def->position.y, def->position.z};
    hole h = {.radius = def->radius / cell};
    for (int a = 0; a < 3; a++) {
        const double last = mac->grid.n[a] - 1;
        h.at[a] = at[a] / cell;
        h.low[a] = (int)rn_clamp(h.at[a] - h.radius, 0.0, last);
        h.high[a] = (int)rn_clamp(h.at[a] + h.radius, 0.0, last);
    }
    return h;
}

/* The number of the drain's shell that a particle is in, from 0 to RINGS - 1; RINGS if it is outside the drain, or
   gone. */
static int ring_of(const rn_mac *mac, const hole *h, uint32_t particle) {
    double squares = 0.0;
    for (int a = 0; a < 3; a++) {
        const double apart = (double)mac->particles.value[RN_MAC_AT + a][particle] - h->at[a];
        squares += apart * apart;
    }
    const double share = squares / (h->radius * h->radius);
    const bool gone = mac->particles.value[RN_MAC_AT + 1][particle] == RN_MAC_GONE_Y;
    return share < 1.0 && !gone ? (int)(share * RINGS) : RINGS;
}

/* Marks particles of row (j, k) as gone: those of the shells up to `last`, but of `last` itself at most *some, which
   drops by 1 with each. Returns their number. With `counts`, instead adds the particles of each shell to `counts`,
   marks none, and returns 0. Needs `order`. */
static int64_t take_row(rn_mac *mac, const hole *h, int j, int k, int64_t *counts, int last, int64_t *some) {
    const int32_t at = rn_mac_cell(&mac->grid, 0, j, k);
    int64_t taken = 0;
    for (int32_t n = mac->start[at + h->low[0]]; n < mac->start[at + h->high[0] + 1]; n++) {
        const uint32_t particle = mac->particles.order[n];
        const int ring = ring_of(mac, h, particle);
        if (ring == RINGS) continue;
        if (counts) counts[ring]++;
        if (counts || ring > last || (ring == last && (*some)-- <= 0)) continue;
        mac->particles.value[RN_MAC_AT + 1][particle] = RN_MAC_GONE_Y;
        mac->particles.value[RN_MAC_AT + 2][particle] = rn_mac_gone_z(&mac->grid);
        taken++;
    }
    return taken;
}

/* Marks the particles of a drain's shells up to `last` as gone, of `last` itself at most `some`. Returns their number.
   With `counts`, instead adds the particles of each shell to `counts`, marks none, and returns 0. Needs `order`. */
static int64_t take(rn_mac *mac, const hole *h, int64_t *counts, int last, int64_t some) {
    int64_t taken = 0;
    for (int k = h->low[2]; k <= h->high[2]; k++)
        for (int j = h->low[1]; j <= h->high[1]; j++) taken += take_row(mac, h, j, k, counts, last, &some);
    return taken;
}

/* Marks as many particles as gone as a drain owes, the nearest first: whole shells, and of the next shell as many as
   are left to take. Returns their number, and adds it to tally.drained. `owed` loses also those that were not there. */
static int64_t drain(rn_mac *mac, rn_mac_source *s) {
    const hole h = hole_of(mac, &s->def);
    int64_t counts[RINGS] = {0}, due = (int64_t)s->owed;
    int last = 0;
    s->owed -= (double)due; /* including those that are not there */
    take(mac, &h, counts, 0, 0);
    while (last < RINGS - 1 && counts[last] < due) due -= counts[last++];
    const int64_t taken = take(mac, &h, NULL, last, due);
    mac->tally.drained += taken;
    return taken;
}

/* ---- A substep --------------------------------------------------------------------------------------------------- */

/* Makes room for all particles that sources can add in a substep of dt (s). If it must allocate, it adds a quarter of
   the present number, so that steps seldom allocate. Fails as rn_mac_particles_reserve does. */
static rn_result make_room(rn_mac *mac, double dt) {
    double due = 1.0;
    for (int n = 0; n < mac->sources.count; n++) {
        const nozzle z = nozzle_of(mac, &mac->sources.all[n].def, dt);
        if (mac->sources.all[n].def.rate > 0.0) due += rn_min(mac->sources.all[n].owed, capacity(&z));
    }
    if (mac->particles.count + due <= mac->particles.room) return RN_OK;
    return rn_mac_particles_reserve(mac, (int32_t)rn_min(due + 0.25 * mac->particles.count, 2e9));
}

rn_result rn_mac_run_sources(rn_mac *mac, double dt, bool *changed) {
    const int32_t before = mac->particles.count, room = mac->particles.room;
    int64_t drained = 0;
    for (int n = 0; n < mac->sources.count; n++) {
        rn_mac_source *s = &mac->sources.all[n];
        s->owed = rn_min(s->owed + particles_of(mac, s, dt), RN_MAC_MOST_OWED);
        if (s->def.rate < 0.0 && s->owed >= 1.0) drained += drain(mac, s);
    }
    const rn_result result = make_room(mac, dt);
    uint8_t *added = mac->known_to[0]; /* free at the end of a substep */
    memset(added, 0, (size_t)mac->grid.cells);
    for (int n = 0; n < mac->sources.count && result == RN_OK; n++)
        if (mac->sources.all[n].def.rate > 0.0) emit(mac, &mac->sources.all[n], dt, added);
    *changed = drained > 0 || mac->particles.count > before || mac->particles.room != room || result != RN_OK;
    return result;
}

double rn_mac_fastest_jet(const rn_mac *mac) {
    double most = 0.0;
    for (int n = 0; n < mac->sources.count; n++) {
        const rn_mac_source_def *def = &mac->sources.all[n].def;
        const double square =
            def->velocity.x * def->velocity.x + def->velocity.y * def->velocity.y + def->velocity.z * def->velocity.z;
        if (def->rate > 0.0) most = rn_max(most, square);
    }
    return sqrt(most);
}
