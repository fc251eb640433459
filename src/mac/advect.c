/* Marker and cell: the grid carries its own velocity, and particles only mark where liquid is (Harlow & Welch 1965;
   Foster & Metaxas 1996). Differences are upwind, as in Hirt & Nichols 1981: the centred ones of Foster & Metaxas
   are unstable without viscosity. */
#include "mac/advect.h"

#include "mac/surface.h"

#include <string.h>

typedef struct advect_task {
    rn_mac *mac;
    float step; /* s/m: dt divided by the cell size */
} advect_task;

/* Whether a cell is liquid or contains particles. */
static bool is_occupied(const rn_mac *mac, int32_t c) {
    return rn_mac_is_wet(mac->kind[c]) || mac->start[c] != mac->start[c + 1];
}

/* Speed along axis b (m/s) at the lower face of cell c along axis a. */
static float speed_at(float *const u[3], const int32_t step[3], int a, int b, int32_t c) {
    if (a == b) return u[a][c];
    const int32_t back = step[a], ahead = step[b];
    return 0.25f * ((u[b][c] + u[b][c + ahead]) + (u[b][c - back] + u[b][c - back + ahead]));
}

/* The new speed (m/s) of the lower face of cell c along axis a: `before`, advected with upwind differences. `place`:
   how many cells along a the face lies. What comes in through an open side is as fast as the face in that side. */
static float advected(const advect_task *task, int a, int32_t c, int place) {
    const rn_mac *mac = task->mac;
    const float *f = mac->before[a];
    float change = 0.0f;
    for (int b = 0; b < 3; b++) {
        const int32_t step = mac->grid.step[b];
        const float speed = speed_at(mac->before, mac->grid.step, a, b, c);
        if (b == a && !(a == 0 && mac->def.periodic_x) && place == (speed > 0.0f ? 0 : mac->grid.n[a])) continue;
        change += speed * (speed > 0.0f ? f[c] - f[c - step] : f[c + step] - f[c]);
    }
    return f[c] - task->step * change;
}

/* A task over rows: sets `velocity` of active open faces beside liquid or particles, also in open sides, and marks them
   as known. All others become 0 and unknown. Clears known_to. */
static void advect_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const advect_task *task = context;
    rn_mac *mac = task->mac;
    const size_t length = (size_t)mac->grid.step[1];
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r); /* faces at high open sides lie in the rim */
        const int first = row.first < 0 ? 0 : row.first,
                  last = mac->def.periodic_x && row.last == mac->grid.n[0] ? row.last - 1 : row.last;
        for (int a = 0; a < 3; a++) {
            memset(mac->known[a] + row.at - 1, 0, length);
            memset(mac->known_to[a] + row.at - 1, 0, length);
            memset(mac->velocity[a] + row.at - 1, 0, length * sizeof(float));
        }
        for (int i = first; i <= last; i++)
            for (int a = 0; a < 3; a++) {
                const int32_t c = row.at + i;
                if (!(mac->open[a][c] > 0.0f)) continue;
                if (!is_occupied(mac, c) && !is_occupied(mac, c - mac->grid.step[a])) continue;
                mac->velocity[a][c] = advected(task, a, c, (const int[3]){i, row.j, row.k}[a]);
                mac->known[a][c] = RN_MAC_KNOWN;
            }
    }
}

void rn_mac_advect(rn_mac *mac, float dt) {
    advect_task task = {.mac = mac, .step = dt / mac->cell};
    rn_parallel_for(mac->pool, mac->grid.rows, advect_rows, &task);
}

/* A task over rows: copies the velocity to `before`. */
static void keep_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const size_t first = (size_t)begin * (size_t)mac->grid.step[1];
    const size_t count = (size_t)(end - begin) * (size_t)mac->grid.step[1];
    for (int a = 0; a < 3; a++) memcpy(mac->before[a] + first, mac->velocity[a] + first, count * sizeof(float));
}

void rn_mac_keep_velocity(rn_mac *mac) { rn_mac_each_row(mac, keep_rows); }
