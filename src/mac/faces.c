/* Gravity on known faces, and velocities of faces that get none from particles or pressure.

   Faces that have a velocity from particles but touch no liquid cell got gravity and no pressure. Beside liquid they
   must move with it, otherwise the layer at the surface would slide off: extrapolation gives them the liquid's
   velocity. Only far from liquid do they keep their own: spray, which flies freely. */
#include "mac/faces.h"

#include "kernels/gates.h"
#include "mac/surface.h"

#include <string.h>

/* ---- Gravity ----------------------------------------------------------------------------------------------------- */

typedef struct push_task {
    rn_mac *mac;
    const float *gain;
} push_task;

/* A task over rows: adds task->gain (m/s) to known faces. */
static void add_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const push_task *task = context;
    rn_mac *mac = task->mac;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        for (int a = 0; a < 3; a++)
            if (task->gain[a] != 0.0f)
                for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
                    mac->velocity[a][c] += mac->known[a][c] ? task->gain[a] : 0.0f;
    }
}

void rn_mac_add_to_faces(rn_mac *mac, const float gain[3]) {
    push_task task = {.mac = mac, .gain = gain};
    rn_parallel_for(mac->pool, mac->grid.rows, add_rows, &task);
}

/* ---- Extrapolation ----------------------------------------------------------------------------------------------- */

typedef struct layer_task {
    rn_mac *mac;
    int layer; /* from 1 */
} layer_task;

/* Sets *mean to the mean of the neighbours of face c that were known before this layer. Returns their number; 0:
 *mean is unchanged. */
static int mean_of_known(const float *velocity, const uint8_t *known, const int32_t *around, int count, int layer,
                         int32_t c, float *mean) {
    float sum = 0.0f;
    int found = 0;
    for (int n = 0; n < count; n++) {
        const uint8_t how = known[c + around[n]];
        if (how == RN_MAC_UNKNOWN || how > layer) continue;
        sum += velocity[c + around[n]];
        found++;
    }
    if (found) *mean = sum / (float)found;
    return found;
}

/* Steps from a face at (i, j, k) to its neighbours that exist. Returns their number. */
static int neighbours_of(const rn_mac_grid *g, const rn_mac_row *row, int i, int32_t around[6]) {
    const int at[3] = {i, row->j, row->k};
    int count = 0;
    for (int a = 0; a < 3; a++) {
        if (at[a] > -1) around[count++] = -g->step[a];
        if (at[a] < g->n[a]) around[count++] = g->step[a];
    }
    return count;
}

/* Whether eight faces in a row are known, none of them as spray. */
static bool all_known(const uint8_t *known) {
    uint64_t eight;
    memcpy(&eight, known, sizeof eight);
    return ((eight - 0x0101010101010101u) & ~eight & 0x8080808080808080u) == 0 && (eight & 0x8080808080808080u) == 0;
}

/* Whether eight faces in a row, and all their neighbours, are unknown. sy, sz: steps to the next along y and z. */
static bool none_known_near(const uint8_t *known, int32_t sy, int32_t sz) {
    const int32_t around[] = {-1, 1, -sy, sy, -sz, sz};
    uint64_t any = 0;
    for (int n = 0; n < 6; n++) {
        uint64_t eight;
        memcpy(&eight, known + around[n], sizeof eight);
        any |= eight;
    }
    return any == 0;
}

/* Gives unknown faces and spray of component a the mean of known neighbours, and marks them as known from this
   layer. */
static void extrapolate_row(const layer_task *task, const rn_mac_row *row, int a) {
    rn_mac *mac = task->mac;
    const uint8_t *known = mac->known[a] + row->at;
    uint8_t *to = mac->known_to[a] + row->at;
    memcpy(to + row->first, known + row->first, (size_t)(row->last - row->first + 1));
    for (int i = row->first; i <= row->last; i++) {
        const bool eight = i + 8 <= row->last;
        if (eight && (all_known(known + i) ||
                      (row->inside && none_known_near(known + i, mac->grid.step[1], mac->grid.step[2])))) {
            i += 7;
            continue;
        }
        if (known[i] != RN_MAC_UNKNOWN && known[i] != RN_MAC_SPRAY) continue;
        int32_t around[6];
        const int count = neighbours_of(&mac->grid, row, i, around);
        if (mean_of_known(mac->velocity[a], mac->known[a], around, count, task->layer, row->at + i,
                          &mac->velocity[a][row->at + i]))
            to[i] = (uint8_t)(task->layer + 1);
    }
}

/* A task over rows: one layer of extrapolation, all components. */
static void extrapolate_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const layer_task *task = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(task->mac, r);
        if (row.last >= row.first)
            for (int a = 0; a < 3; a++) extrapolate_row(task, &row, a);
    }
}

/* Makes known_to, which the last layer wrote, the current one. */
static void swap_known(rn_mac *mac) {
    for (int a = 0; a < 3; a++) {
        uint8_t *known = mac->known[a];
        mac->known[a] = mac->known_to[a];
        mac->known_to[a] = known;
    }
}

void rn_mac_extrapolate(rn_mac *mac, int layers) {
    for (int layer = 1; layer <= layers; layer++) {
        layer_task task = {.mac = mac, .layer = layer};
        rn_parallel_for(mac->pool, mac->grid.rows, extrapolate_rows, &task);
        swap_known(mac);
    }
}

/* ---- Spray ------------------------------------------------------------------------------------------------------- */

/* A task over rows: known faces that touch no liquid cell become spray; those from extrapolation become unknown. */
static void set_apart_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        for (int i = row.first; i <= row.last; i++)
            for (int a = 0; a < 3; a++) {
                const int at[3] = {i, row.j, row.k};
                const int32_t c = row.at + i, before = at[a] > -1 ? c - mac->grid.step[a] : c;
                const bool wet = rn_mac_is_wet(mac->kind[c]) || rn_mac_is_wet(mac->kind[before]);
                uint8_t *known = &mac->known[a][c];
                *known = *known != RN_MAC_KNOWN ? RN_MAC_UNKNOWN : wet ? RN_MAC_KNOWN : RN_MAC_SPRAY;
            }
    }
}

void rn_mac_set_spray_apart(rn_mac *mac) { rn_mac_each_row(mac, set_apart_rows); }

/* A task over rows: spray becomes known. */
static void take_back_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        for (int a = 0; a < 3; a++)
            for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
                if (mac->known[a][c] == RN_MAC_SPRAY) mac->known[a][c] = RN_MAC_KNOWN;
    }
}

void rn_mac_take_spray_back(rn_mac *mac) { rn_mac_each_row(mac, take_back_rows); }

/* ---- Gates' conditions ------------------------------------------------------------------------------------------- */

/* Sets the faces of a free cell towards air by Gates' rules. Each face between liquid and air belongs to one liquid
   cell, so cells may be processed in any order. Gravity was added to all faces before. */
static void free_cell(rn_mac *mac, int32_t c) {
    static const float sides[3] = {1.0f, 1.0f, 1.0f}, none[3] = {0.0f, 0.0f, 0.0f};
    float face[6];
    uint8_t empty[6];
    for (int n = 0; n < 6; n++) {
        const int32_t step = mac->grid.step[n / 2];
        face[n] = mac->velocity[n / 2][n % 2 ? c + step : c];
        empty[n] = mac->kind[n % 2 ? c + step : c - step] == RN_MAC_AIR;
    }
    rn_gates(face, empty, sides, none);
    for (int n = 0; n < 6; n++) {
        const int32_t at = n % 2 ? c + mac->grid.step[n / 2] : c;
        if (!empty[n]) continue;
        mac->velocity[n / 2][at] = face[n];
        mac->known[n / 2][at] = RN_MAC_KNOWN;
    }
}

/* A task over rows: free_cell for all free cells. The face at the high periodic end is copied to the low end. */
static void free_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_inside(mac, r);
        for (int32_t c = row.at + row.first; c <= row.at + row.last; c++)
            if (mac->kind[c] == RN_MAC_FREE) free_cell(mac, c);
        const int32_t high = row.at + mac->grid.n[0];
        if (mac->def.periodic_x && row.inside && mac->kind[high - 1] == RN_MAC_FREE && mac->kind[high] == RN_MAC_AIR) {
            mac->velocity[0][row.at] = mac->velocity[0][high];
            mac->known[0][row.at] = mac->known[0][high];
        }
    }
}

void rn_mac_free_faces(rn_mac *mac) { rn_mac_each_row(mac, free_rows); }
