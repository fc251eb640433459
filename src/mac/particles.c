/* Particles and their order.

   A stable counting sort in two passes: by row, in chunks that are counted separately, then by cell within each row.
   Both keep the order of equal particles. Particles that are gone form a row after the last one. The values of
   particles are then permuted one array at a time, through one spare array. */
#include "mac/particles.h"

#include "base/error.h"
#include "base/memory.h"
#include "mac/particle_sweeps.h"

#include <string.h>

#define CHUNKS RN_MAC_SORT_CHUNKS

size_t rn_mac_particle_bytes(const rn_mac_def *def) {
    return ((size_t)rn_mac_values_of(def) + 1) * sizeof(float) + 2 * sizeof(uint32_t);
}

/* Moves the first `count` values to a new array with room for `room`. Returns false if memory runs out; then the old
   array stays. */
static bool grow(const rn_mac *mac, float **values, int32_t count, size_t room) {
    float *more = rn_alloc(&mac->hooks, room, sizeof *more);
    if (!more) return false;
    if (count) memcpy(more, *values, (size_t)count * sizeof *more);
    rn_free(&mac->hooks, *values);
    *values = more;
    return true;
}

/* Like grow, but keeps no values. */
static bool renew(const rn_mac *mac, uint32_t **values, size_t room) {
    uint32_t *more = rn_alloc(&mac->hooks, room, sizeof *more);
    if (!more) return false;
    rn_free(&mac->hooks, *values);
    *values = more;
    return true;
}

/* Fails with a message that says how much memory `room` particles need. */
static rn_result refuse(const rn_mac *mac, int32_t room) {
    const double bytes = (double)rn_mac_particle_bytes(&mac->def) * room;
    return rn_fail(RN_MEMORY, "a 3D liquid of %d particles needs %.3g GB of memory for them, which is not there", room,
                   1e-9 * bytes);
}

rn_result rn_mac_particles_reserve(rn_mac *mac, int32_t count) {
    rn_mac_particles *p = &mac->particles;
    if (count > INT32_MAX - RN_MAC_SLACK - p->count)
        return rn_fail(RN_LIMIT, "the liquid would have more than %d particles", INT32_MAX - RN_MAC_SLACK);
    if (p->count + count <= p->room) return RN_OK;
    const int32_t room = p->count + count;
    const size_t all = (size_t)room + RN_MAC_SLACK;
    bool fits = true;
    for (int v = 0; v < p->values && fits; v++) fits = grow(mac, &p->value[v], p->count, all);
    fits = fits && grow(mac, &p->spare, 0, all) && renew(mac, &p->by_row, all) && renew(mac, &p->order, all) &&
           grow(mac, &mac->fastest, 0, (size_t)room / RN_MAC_CHUNK + 1) &&
           grow(mac, &mac->speeds, 0, RN_MAC_SPEED_LEVELS * ((size_t)room / RN_MAC_CHUNK + 1));
    if (!fits) return refuse(mac, room);
    p->room = room;
    return RN_OK;
}

void rn_mac_particles_free(rn_mac *mac) {
    rn_mac_particles *p = &mac->particles;
    for (int v = 0; v < RN_MAC_VALUES; v++) rn_free(&mac->hooks, p->value[v]);
    rn_free(&mac->hooks, p->spare);
    rn_free(&mac->hooks, p->by_row);
    rn_free(&mac->hooks, p->order);
    rn_free(&mac->hooks, mac->fastest);
    rn_free(&mac->hooks, mac->speeds);
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

/* The row of cells that a particle lies in; for one that is gone, the row after the last. */
static int row_of(const rn_mac *mac, int32_t particle) {
    const int j = (int)mac->particles.value[RN_MAC_AT + 1][particle],
              k = (int)mac->particles.value[RN_MAC_AT + 2][particle];
    return (j + 1) + (k + 1) * (mac->grid.n[1] + 2);
}

/* The first particle of a chunk. */
static int32_t chunk_begin(const rn_mac *mac, int chunk) {
    return (int32_t)((int64_t)mac->particles.count * chunk / CHUNKS);
}

/* The counts of a chunk: one for each row, then one for particles that are gone. */
static int32_t *tally_of(const rn_mac *mac, int chunk) {
    return mac->particles.tally + (size_t)chunk * ((size_t)mac->grid.rows + 1);
}

/* A task over chunks: counts the particles of each row. */
static void count_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int c = begin; c < end; c++) {
        int32_t *tally = tally_of(mac, c);
        memset(tally, 0, ((size_t)mac->grid.rows + 1) * sizeof *tally);
        for (int32_t p = chunk_begin(mac, c); p < chunk_begin(mac, c + 1); p++) tally[row_of(mac, p)]++;
    }
}

/* Turns counts into positions: where the next particle of a chunk goes in each row. Sets `start` of the first cell of
   each row, which lies in the rim; start[cells] becomes the number of particles that are not gone. */
static void place_rows(rn_mac *mac) {
    int32_t sum = 0;
    for (int r = 0; r <= mac->grid.rows; r++) {
        mac->start[(size_t)r * (size_t)mac->grid.step[1]] = sum; /* after the last row: start[cells] */
        for (int c = 0; c < CHUNKS; c++) {
            int32_t *tally = tally_of(mac, c) + r, here = *tally;
            *tally = sum;
            sum += here;
        }
    }
}

/* A task over chunks: writes each particle to its position in by_row. */
static void sort_by_row(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int c = begin; c < end; c++) {
        int32_t *tally = tally_of(mac, c);
        for (int32_t p = chunk_begin(mac, c); p < chunk_begin(mac, c + 1); p++)
            mac->particles.by_row[tally[row_of(mac, p)]++] = (uint32_t)p;
    }
}

/* Sorts the particles of row r by cell into `order`, and sets `start` of its cells but the first. Needs by_row. cell[i]
   is first the position of the next particle of cell i, and finally that of its first particle. */
static void sort_row(const rn_mac *mac, int r) {
    const int nx = mac->grid.n[0];
    const uint32_t *by_row = mac->particles.by_row;
    const float *x = mac->particles.value[RN_MAC_AT];
    int32_t *rim = &mac->start[r * mac->grid.step[1]], *cell = rim + 1;
    const int32_t begin = rim[0], end = rim[mac->grid.step[1]];
    memset(cell, 0, (size_t)(nx + 1) * sizeof *cell);
    for (int32_t p = begin; p < end; p++) cell[(int)x[by_row[p]]]++;
    int32_t sum = begin;
    for (int i = 0; i <= nx; i++) {
        const int32_t here = cell[i];
        cell[i] = sum;
        sum += here;
    }
    for (int32_t p = begin; p < end; p++) mac->particles.order[cell[(int)x[by_row[p]]]++] = by_row[p];
    for (int i = nx; i > 0; i--) cell[i] = cell[i - 1];
    cell[0] = begin;
}

/* A task over rows: sort_row for each. */
static void sort_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    for (int r = begin; r < end; r++) sort_row(context, r);
}

typedef struct permutation {
    float *to;
    const float *from;
    const uint32_t *order;
} permutation;

/* A task over particles: puts one array into order. */
static void permute(void *context, int begin, int end, int worker) {
    (void)worker;
    const permutation *p = context;
    RN_ISA_CHOSEN(rn_mac_particle_sweeps)->permute(p->to, p->from, p->order, begin, end);
}

void rn_mac_particles_order(rn_mac *mac) {
    rn_parallel_for(mac->pool, CHUNKS, count_rows, mac);
    place_rows(mac);
    rn_parallel_for(mac->pool, CHUNKS, sort_by_row, mac);
    rn_mac_each_row(mac, sort_rows);
}

void rn_mac_particles_permute(rn_mac *mac) {
    rn_mac_particles *p = &mac->particles;
    p->count = mac->start[mac->grid.cells];
    for (int v = 0; v < p->values; v++) {
        permutation all = {.to = p->spare, .from = p->value[v], .order = p->order};
        rn_parallel_for(mac->pool, p->count, permute, &all);
        memset(all.to + p->count, 0, RN_MAC_SLACK * sizeof(float)); /* vectors read these as positions in the box too */
        p->spare = p->value[v];
        p->value[v] = all.to;
    }
}

void rn_mac_particles_sort(rn_mac *mac) {
    rn_mac_particles_order(mac);
    rn_mac_particles_permute(mac);
}

/* ---- Active rows ------------------------------------------------------------------------------------------------- */

/* A task over rows: finds the first and last cell with particles, as narrow_first and narrow_last; last < first if
   none. */
static void find_occupied(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&mac->grid, r);
        const int32_t *start = &mac->start[row.at];
        int lo = 0, hi = mac->grid.n[0] - 1;
        while (lo <= hi && start[lo] == start[lo + 1]) lo++;
        while (hi >= lo && start[hi] == start[hi + 1]) hi--;
        mac->narrow_first[r] = lo;
        mac->narrow_last[r] = hi;
    }
}

static int lesser(int a, int b) { return a < b ? a : b; }
static int greater(int a, int b) { return a > b ? a : b; }

/* The range of cells that covers those of `count` rows from `from` on, `step` rows apart. If all are empty, *hi is -1,
   and *lo is INT32_MAX. */
static void join_rows(const int32_t *first, const int32_t *last, int from, int step, int count, int *lo, int *hi) {
    *lo = INT32_MAX;
    *hi = -1;
    for (int i = 0; i < count; i++) {
        const int r = from + i * step;
        if (last[r] < first[r]) continue;
        *lo = lesser(*lo, first[r]);
        *hi = greater(*hi, last[r]);
    }
}

/* Whether neither row (j, k), counted from the rim, nor one beside or across it has active cells. */
static bool is_idle(const rn_mac *mac, int j, int k) {
    const int wide = mac->grid.n[1] + 2, high = mac->grid.n[2] + 2;
    for (int z = greater(k - 1, 0); z <= lesser(k + 1, high - 1); z++)
        for (int y = greater(j - 1, 0); y <= lesser(j + 1, wide - 1); y++)
            if (mac->last[y + z * wide] >= mac->first[y + z * wide]) return false;
    return true;
}

/* A task over rows: finds those that are idle. With bodies none is: they touch cells that are not active. */
static void find_idle(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const int wide = mac->grid.n[1] + 2;
    for (int r = begin; r < end; r++) mac->idle[r] = mac->bodies.count == 0 && is_idle(mac, r % wide, r / wide);
}

void rn_mac_find_rows(rn_mac *mac, int reach) {
    const int wide = mac->grid.n[1] + 2, high = mac->grid.n[2] + 2, nx = mac->grid.n[0];
    rn_mac_each_row(mac, find_occupied);
    for (int r = 0; r < mac->grid.rows; r++) { /* along y */
        const int j = r % wide, from = greater(j - reach, 0), to = lesser(j + reach, wide - 1);
        join_rows(mac->narrow_first, mac->narrow_last, r - j + from, 1, to - from + 1, &mac->first[r], &mac->last[r]);
    }
    for (int r = 0; r < mac->grid.rows; r++) { /* along z; the narrow rows are no longer needed and take the result */
        const int k = r / wide, from = greater(k - reach, 0), to = lesser(k + reach, high - 1);
        int lo, hi;
        join_rows(mac->first, mac->last, r % wide + from * wide, wide, to - from + 1, &lo, &hi);
        const bool none = hi < 0;
        mac->narrow_first[r] = none ? 0 : mac->def.periodic_x ? -1 : greater(lo - reach, -1);
        mac->narrow_last[r] = none ? -2 : mac->def.periodic_x ? nx : lesser(hi + reach, nx);
    }
    memcpy(mac->first, mac->narrow_first, (size_t)mac->grid.rows * sizeof *mac->first);
    memcpy(mac->last, mac->narrow_last, (size_t)mac->grid.rows * sizeof *mac->last);
    rn_mac_each_row(mac, find_idle);
}
