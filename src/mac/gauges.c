/* Gauges.

   A gauge is a chain of faces between columns of cells. Before particles are sorted, each is still listed under its
   old cell, while its position gives the new one. It counts as going along x first and then along y. Which way it
   really went does not matter: what passes the border of a region is the change of the number of particles within, for
   any way. Particles that leave the box are not counted. */
#include "mac/gauges.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct counting {
    const rn_mac *mac;
    const rn_mac_gauge *gauge;
} counting;

/* The sign of the face on the high side of column (i, j) along an axis; 0 if the gauge does not have that face, or the
   column lies outside the box. If x is periodic, i may be any number. */
static int sign_of(const counting *c, int axis, int i, int j) {
    const int nx = c->mac->grid.n[0], ny = c->mac->grid.n[1];
    if (c->mac->def.periodic_x) i = (i % nx + nx) % nx;
    if (i < 0 || i >= nx || j < 0 || j >= ny) return 0;
    return c->gauge->signs[axis][i + nx * j];
}

/* What a particle that goes from column (i, j) to column (to_i, to_j) adds to the count: the signs of the faces on the
   way, reversed where it goes down an axis. */
static int passage(const counting *c, int i, int j, int to_i, int to_j) {
    int sum = 0;
    for (; i < to_i; i++) sum += sign_of(c, 0, i, j);
    for (; i > to_i; i--) sum -= sign_of(c, 0, i - 1, j);
    for (; j < to_j; j++) sum += sign_of(c, 1, i, j);
    for (; j > to_j; j--) sum -= sign_of(c, 1, i, j - 1);
    return sum;
}

/* The sum of `passage` over the particles that were in cell i of a row when last sorted and are not gone. If x is
   periodic, they take the shorter way round. */
static int count_cell(const counting *c, const rn_mac_row *row, int i) {
    const rn_mac *mac = c->mac;
    const float *x = mac->particles.value[RN_MAC_AT], *y = mac->particles.value[RN_MAC_AT + 1];
    const int nx = mac->grid.n[0];
    int sum = 0;
    for (int32_t n = mac->start[row->at + i]; n < mac->start[row->at + i + 1]; n++) {
        if (!(y[n] >= 0.0f)) continue; /* gone */
        int to_i = (int)x[n];
        const int to_j = (int)y[n];
        if (mac->def.periodic_x && to_i - i > nx / 2) to_i -= nx;
        if (mac->def.periodic_x && i - to_i > nx / 2) to_i += nx;
        if (to_i != i || to_j != row->j) sum += passage(c, i, row->j, to_i, to_j);
    }
    return sum;
}

/* A task over rows: writes the sum of count_cell over each row to mac->sums. */
static void count_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const counting *c = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&c->mac->grid, r);
        int sum = 0;
        for (int i = 0; row.inside && i < c->mac->grid.n[0]; i++) sum += count_cell(c, &row, i);
        c->mac->sums[r] = sum;
    }
}

void rn_mac_count_gauges(rn_mac *mac) {
    for (int n = 0; n < mac->gauges.count; n++) {
        rn_mac_gauge *gauge = &mac->gauges.all[n];
        if (!gauge->signs[0]) continue;
        counting c = {mac, gauge};
        rn_parallel_for(mac->pool, mac->grid.rows, count_rows, &c);
        for (int r = 0; r < mac->grid.rows; r++) gauge->passed += (int64_t)mac->sums[r];
    }
}

/* ---- Adding and removing ----------------------------------------------------------------------------------------- */

/* Frees the signs of a gauge, which then counts nothing more; `passed` stays. */
static void release(rn_mac *mac, rn_mac_gauge *gauge) {
    for (int a = 0; a < 2; a++) {
        rn_free(&mac->hooks, gauge->signs[a]);
        gauge->signs[a] = NULL;
    }
}

/* Returns RN_INVALID, with a message, unless all faces have a valid axis and sign. */
static rn_result check_sides(const rn_mac_side *sides, int count) {
    for (int n = 0; n < count; n++) {
        if (sides[n].axis != 0 && sides[n].axis != 1)
            return rn_fail(RN_INVALID, "face %d of a gauge has axis %d; it must be 0 (x) or 1 (y)", n, sides[n].axis);
        if (sides[n].sign != 1 && sides[n].sign != -1)
            return rn_fail(RN_INVALID, "face %d of a gauge has sign %d; it must be 1 or -1", n, sides[n].sign);
    }
    return RN_OK;
}

rn_result rn_mac_add_gauge(rn_mac *mac, const rn_mac_side *sides, int count, int *gauge) {
    const rn_result fine = check_sides(sides, count);
    if (fine != RN_OK) return fine;
    rn_mac_gauges *all = &mac->gauges;
    const size_t nx = (size_t)mac->grid.n[0], columns = nx * (size_t)mac->grid.n[1];
    rn_mac_gauge made = {0};
    if (!rn_grow(&mac->hooks, &all->all, &all->room, (size_t)all->count, sizeof made)) return RN_MEMORY;
    for (int a = 0; a < 2; a++)
        if (!(made.signs[a] = rn_alloc(&mac->hooks, columns, 1))) {
            release(mac, &made);
            return RN_MEMORY;
        }
    for (int n = 0; n < count; n++) {
        const rn_mac_side *s = &sides[n];
        if (s->i < 0 || s->j < 0 || s->i >= mac->grid.n[0] || s->j >= mac->grid.n[1]) continue;
        made.signs[s->axis][(size_t)s->i + nx * (size_t)s->j] = (int8_t)s->sign;
    }
    *gauge = all->count;
    all->all[all->count++] = made;
    return RN_OK;
}

void rn_mac_remove_gauge(rn_mac *mac, int gauge) { release(mac, &mac->gauges.all[gauge]); }

int64_t rn_mac_take_gauge(rn_mac *mac, int gauge) {
    const int64_t passed = mac->gauges.all[gauge].passed;
    mac->gauges.all[gauge].passed = 0;
    return passed;
}

void rn_mac_gauges_free(rn_mac *mac) {
    for (int n = 0; n < mac->gauges.count; n++) release(mac, &mac->gauges.all[n]);
    rn_free(&mac->hooks, mac->gauges.all);
}
