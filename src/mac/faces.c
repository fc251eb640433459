/* Gravity on known faces, and velocities of faces that get none from particles or pressure.

   Faces that have a velocity from particles but touch no liquid cell got gravity and no pressure. Beside liquid they
   must move with it, otherwise the layer at the surface would slide off: extrapolation gives them the liquid's
   velocity. Only far from liquid do they keep their own: spray, which flies freely. */
#include "mac/faces.h"

#include "kernels/gates.h"
#include "mac/solids.h"
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

/* Gives face c of component a the mean of those neighbours, at `count` steps `around`, that were known before this
   layer, and marks the face in known_to as filled by this layer. Nothing changes if no neighbour was known. */
static void extrapolate_face(const layer_task *task, int a, int32_t c, const int32_t *around, int count) {
    const rn_mac *mac = task->mac;
    float sum = 0.0f;
    int found = 0;
    for (int n = 0; n < count; n++) {
        const uint8_t how = mac->known[a][c + around[n]];
        if (how == RN_MAC_UNKNOWN || how > task->layer) continue;
        sum += mac->velocity[a][c + around[n]];
        found++;
    }
    if (!found) return;
    mac->velocity[a][c] = sum / (float)found;
    mac->known_to[a][c] = (uint8_t)(task->layer + 1);
}

/* Steps from face i of a row to those of its six neighbours that the grid with its rim has. Returns their number. */
static int neighbours_of(const rn_mac_grid *g, const rn_mac_row *row, int i, int32_t around[6]) {
    const int at[3] = {i, row->j, row->k};
    int count = 0;
    for (int a = 0; a < 3; a++) {
        if (at[a] > -1) around[count++] = -g->step[a];
        if (at[a] < g->n[a]) around[count++] = g->step[a];
    }
    return count;
}

/* extrapolate_face for faces `first` to `last` of a row that are unknown or spray. */
static void extrapolate_faces(const layer_task *task, const rn_mac_row *row, int a, int first, int last) {
    for (int i = first; i <= last; i++) {
        const uint8_t how = task->mac->known[a][row->at + i];
        int32_t around[6];
        if (how != RN_MAC_UNKNOWN && how != RN_MAC_SPRAY) continue;
        const int count = neighbours_of(&task->mac->grid, row, i, around);
        extrapolate_face(task, a, row->at + i, around, count);
    }
}

/* Eight marks of faces in a row. */
static uint64_t load_eight(const uint8_t *known) {
    uint64_t eight;
    memcpy(&eight, known, sizeof eight);
    return eight;
}

/* The highest bit of each of eight bytes: set if the mark is neither unknown nor spray. */
static uint64_t known_of_eight(uint64_t eight) {
    return ((eight & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) & 0x8080808080808080u;
}

/* extrapolate_face for eight faces in a row, which all have neighbours `around`. Most faces are known or have no known
   neighbour, so all eight are checked at once. Faces that another call has done already get the same values again. */
static void extrapolate_eight(const layer_task *task, int a, int32_t c, const int32_t *around, int count) {
    const uint8_t *known = task->mac->known[a] + c;
    const uint64_t here = known_of_eight(load_eight(known));
    uint64_t beside = 0;
    uint8_t wanted[8];
    if (here == 0x8080808080808080u) return;
    for (int n = 0; n < count; n++) beside |= known_of_eight(load_eight(known + around[n]));
    beside &= ~here;
    if (beside == 0) return;
    memcpy(wanted, &beside, sizeof wanted);
    for (int n = 0; n < 8; n++)
        if (wanted[n]) extrapolate_face(task, a, c + n, around, count);
}

/* Copies `known` of the active part of a row to known_to. Then gives unknown faces and spray of component a that have
   known neighbours the mean of these, and marks them in known_to as filled by this layer. */
static void extrapolate_row(const layer_task *task, const rn_mac_row *row, int a) {
    const rn_mac *mac = task->mac;
    const int low = row->first > 0 ? row->first : 0, high = row->last < mac->grid.n[0] ? row->last : mac->grid.n[0] - 1;
    memcpy(mac->known_to[a] + row->at + row->first, mac->known[a] + row->at + row->first,
           (size_t)(row->last - row->first + 1));
    if (high - low < 7) {
        extrapolate_faces(task, row, a, row->first, row->last);
        return;
    }
    int32_t around[6];
    const int count = neighbours_of(&mac->grid, row, low, around);
    extrapolate_faces(task, row, a, row->first, low - 1);
    for (int i = low; i <= high; i += 8)
        extrapolate_eight(task, a, row->at + (i < high - 7 ? i : high - 7), around, count);
    extrapolate_faces(task, row, a, high + 1, row->last);
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
        if (mac->def.periodic_x) rn_mac_close_walls(mac); /* faces beyond the ends lack neighbours farther on */
    }
}

/* ---- Spray ------------------------------------------------------------------------------------------------------- */

/* A task over rows: known faces that touch no liquid cell become spray; faces from extrapolation become unknown. */
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

/* Sets the faces of a free cell towards air by Gates' rules, and marks them as known. Each face between liquid and air
   belongs to one liquid cell, so cells may be processed in any order. Gravity was added to all faces before. */
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

/* A task over rows: free_cell for all free cells. If the last cell of a periodic row sets its high face, copies that
   face to the low end. */
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
