/* Queries on the 3D liquid. */
#include "base/hash.h"
#include "mac/state.h"
#include "mac/surface.h"

#include <math.h>

double rn_mac_time(const rn_mac *mac) { return mac->time; }
int64_t rn_mac_particle_count(const rn_mac *mac) { return mac->particles.count; }

/* Three values of particle n in consecutive arrays, from `value` on, times `scale`. */
static rn_vec3 three(const rn_mac_particles *p, int value, int64_t n, double scale) {
    return (rn_vec3){scale * (double)p->value[value][n], scale * (double)p->value[value + 1][n],
                     scale * (double)p->value[value + 2][n]};
}

rn_mac_particle rn_mac_particle_at(const rn_mac *mac, int64_t n) {
    const rn_mac_particles *p = &mac->particles;
    const double cell = mac->def.cell_size;
    rn_mac_particle one = {.position = three(p, RN_MAC_AT, n, cell), .velocity = three(p, RN_MAC_SPEED, n, 1.0)};
    for (int a = 0; a < 3 && p->values == RN_MAC_VALUES; a++)
        one.gradient[a] = three(p, RN_MAC_AFFINE + 3 * a, n, 1.0 / cell);
    return one;
}

static double cell_volume(const rn_mac *mac) { return mac->def.cell_size * mac->def.cell_size * mac->def.cell_size; }

double rn_mac_volume(const rn_mac *mac) { return rn_mac_particle_volume(mac) * mac->particles.count; }

rn_mac_ledger rn_mac_audit(const rn_mac *mac) {
    const double each = rn_mac_particle_volume(mac);
    const rn_mac_tally *t = &mac->tally;
    rn_mac_ledger ledger = {.poured = each * (double)t->poured,
                            .drained = each * (double)t->drained,
                            .left = each * (double)t->left,
                            .present = each * mac->particles.count,
                            .drift = t->poured - t->drained - t->left - mac->particles.count};
    for (int n = 0; n < mac->sources.count; n++) {
        const rn_mac_source *s = &mac->sources.all[n];
        if (s->def.rate < 0.0) continue;
        ledger.owed += each * s->owed;
        ledger.blocked += each * floor(s->owed);
    }
    return ledger;
}

double rn_mac_filled_volume(const rn_mac *mac) {
    double cells = 0.0;
    if (!mac->particles.count) return 0.0; /* kinds are those of the last substep that had particles */
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int32_t c = row.at; row.inside && c < row.at + mac->grid.n[0]; c++)
            if (rn_mac_is_wet(mac->kind[c])) cells += mac->room ? (double)mac->room[c] : 1.0;
    }
    return cells * cell_volume(mac);
}

double rn_mac_density(const rn_mac *mac) {
    double particles = 0.0, room = 0.0;
    if (!mac->particles.count) return 1.0;
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int32_t c = row.at; row.inside && c < row.at + mac->grid.n[0]; c++) {
            if (!rn_mac_is_deep(mac, c)) continue;
            particles += mac->start[c + 1] - mac->start[c];
            room += mac->room ? (double)mac->room[c] : 1.0;
        }
    }
    return room > 0.0 ? particles / (room * RN_MAC_REST) : 1.0;
}

double rn_mac_fastest(const rn_mac *mac) {
    double most = 0.0;
    for (int32_t n = 0; n < mac->particles.count; n++) {
        const rn_vec3 v = three(&mac->particles, RN_MAC_SPEED, n, 1.0);
        const double squared = v.x * v.x + v.y * v.y + v.z * v.z;
        if (squared > most) most = squared; /* gcc 12 for ARM fails on fmax in this loop. */
    }
    return sqrt(most);
}

/* Adds all values of a source to a hash. */
static uint64_t hash_source(uint64_t hash, const rn_mac_source *s) {
    const rn_mac_source_def *d = &s->def;
    const double values[] = {d->position.x, d->position.y, d->position.z, d->velocity.x, d->velocity.y,
                             d->velocity.z, d->radius,     d->rate,       s->owed};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) hash = rn_hash_double(hash, values[i]);
    return rn_hash_word(rn_hash_long(hash, s->serial), s->removed);
}

uint64_t rn_mac_hash(const rn_mac *mac) {
    uint64_t hash = rn_hash_double(rn_hash_double(RN_HASH_START, mac->time), mac->last_dt);
    hash = rn_hash_long(rn_hash_long(hash, (uint64_t)mac->tally.poured), (uint64_t)mac->tally.drained);
    hash = rn_hash_word(rn_hash_long(hash, (uint64_t)mac->tally.left), mac->fresh);
    for (int n = 0; n < mac->sources.count; n++) hash = hash_source(hash, &mac->sources.all[n]);
    for (int a = 0; a < 3 && mac->def.transfer == RN_MAC_MARKERS; a++)
        hash = rn_hash_floats(hash, mac->before[a], (size_t)mac->grid.cells);
    for (int v = 0; v < mac->particles.values; v++)
        hash = rn_hash_floats(hash, mac->particles.value[v], (size_t)mac->particles.count);
    return hash;
}
