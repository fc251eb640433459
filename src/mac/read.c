/* What can be read from the 3D liquid. */
#include "base/hash.h"
#include "mac/state.h"
#include "mac/surface.h"

#include <math.h>

double rn_mac_time(const rn_mac *mac) { return mac->time; }
int64_t rn_mac_particle_count(const rn_mac *mac) { return mac->particles.count; }

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

double rn_mac_volume(const rn_mac *mac) { return cell_volume(mac) * mac->particles.count / RN_MAC_REST; }

double rn_mac_filled_volume(const rn_mac *mac) {
    double cells = 0.0;
    for (int r = 0; r < mac->grid.rows; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        for (int32_t c = row.at; row.inside && c < row.at + mac->grid.n[0]; c++)
            if (rn_mac_is_wet(mac->kind[c])) cells += mac->room ? (double)mac->room[c] : 1.0;
    }
    return cells * cell_volume(mac);
}

double rn_mac_density(const rn_mac *mac) {
    double particles = 0.0, room = 0.0;
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
        most = fmax(most, v.x * v.x + v.y * v.y + v.z * v.z);
    }
    return sqrt(most);
}

uint64_t rn_mac_hash(const rn_mac *mac) {
    uint64_t hash = rn_hash_double(RN_HASH_START, mac->time);
    for (int v = 0; v < mac->particles.values; v++)
        hash = rn_hash_floats(hash, mac->particles.value[v], (size_t)mac->particles.count);
    return hash;
}
