/* Transfers velocities between particles and faces.

   Particles add to the faces around them in blocks of BLOCK x BLOCK rows. Blocks of one of four colours have no
   common face, so they run at the same time; colours follow each other. Each face thus sums its particles in one
   order, whatever the number of threads. */
#include "mac/transfer.h"

#include "mac/particle_sweeps.h"

#include <string.h>

enum { BLOCK = 4 };
#define LEAST_WEIGHT 1e-3f /* of particles: least weight for a face to be known */

typedef struct scattering {
    rn_mac *mac;
    const rn_mac_particle_sweeps *sweeps;
    float *sums[3]; /* pairs of momentum and weight, x, y and z */
    float *density; /* NULL: sums momentum */
    int colour_y, colour_z, blocks_y;
} scattering;

/* A task over rows: clears the pairs of momentum and weight of active faces in scratch. */
static void clear_sums(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        if (row.last < row.first) continue;
        for (int a = 0; a < 3; a++)
            memset(mac->scratch + 2 * ((size_t)a * (size_t)mac->grid.cells + (size_t)(row.at + row.first)), 0,
                   2 * (size_t)(row.last - row.first + 1) * sizeof(float));
    }
}

/* Adds the particles of one block of rows to the faces, or if s->density is set, to the density of cells. */
static void scatter_block(const scattering *s, int block_y, int block_z) {
    const rn_mac *mac = s->mac;
    const int ny = mac->grid.n[1], nz = mac->grid.n[2];
    for (int k = block_z * BLOCK; k < nz && k < (block_z + 1) * BLOCK; k++)
        for (int j = block_y * BLOCK; j < ny && j < (block_y + 1) * BLOCK; j++) {
            const int32_t at = rn_mac_cell(&mac->grid, 0, j, k);
            const int32_t first = mac->start[at], last = mac->start[at + mac->grid.n[0]];
            if (s->density) s->sweeps->weigh_cells(mac, s->density, first, last);
            else s->sweeps->scatter(mac, s->sums, first, last);
        }
}

/* A task over the blocks of one colour. */
static void scatter_blocks(void *context, int begin, int end, int worker) {
    (void)worker;
    const scattering *s = context;
    for (int b = begin; b < end; b++)
        scatter_block(s, 2 * (b % s->blocks_y) + s->colour_y, 2 * (b / s->blocks_y) + s->colour_z);
}

/* Adds up the values of faces at and beyond both ends of a periodic box, which are the same faces, and gives both the
   sum. */
static void fold_ends(scattering *s) {
    const rn_mac_grid *g = &s->mac->grid;
    for (int r = 0; r < g->rows; r++) {
        if (s->mac->idle[r]) continue;
        const size_t low = (size_t)rn_mac_row_of(g, r).at, high = low + (size_t)g->n[0];
        for (int a = 0; a < 3; a++)
            for (int h = 0; h < 2; h++) {
                float *sums = s->sums[a] + h, here = sums[2 * low] + sums[2 * high];
                sums[2 * low] = sums[2 * high] = here;
                if (a == 0) continue;
                here = sums[2 * (low - 1)] + sums[2 * (high - 1)];
                sums[2 * (low - 1)] = sums[2 * (high - 1)] = here;
            }
    }
}

/* Finds velocities (m/s) of component a from momentum and weight, in the active part of a row. Faces with little weight
   or wholly in solids get one too, but are unknown. */
static void divide_row(rn_mac *mac, const rn_mac_row *row, int a) {
    const float *sums = mac->scratch + 2 * (size_t)a * (size_t)mac->grid.cells;
    for (int32_t c = row->at + row->first; c <= row->at + row->last; c++) {
        const float *pair = sums + 2 * (size_t)c, weight = pair[1];
        mac->velocity[a][c] = weight > 1e-12f ? pair[0] / weight : 0.0f;
        /* faces in solids get weight from particles nearby but no pressure */
        mac->known[a][c] = weight > LEAST_WEIGHT && mac->open[a][c] > 0.0f;
    }
}

/* A task over rows: divide_row for all components; inactive faces get 0 and are unknown. Clears known_to. FLIP keeps a
   copy of the velocity in `before`. */
static void divide(void *context, int begin, int end, int worker) {
    (void)worker;
    rn_mac *mac = context;
    const size_t length = (size_t)mac->grid.step[1];
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_active_row(mac, r);
        for (int a = 0; a < 3; a++) {
            memset(mac->known[a] + row.at - 1, 0, length);
            memset(mac->known_to[a] + row.at - 1, 0, length);
            memset(mac->velocity[a] + row.at - 1, 0, length * sizeof(float));
            if (row.last >= row.first) divide_row(mac, &row, a);
            if (mac->def.transfer == RN_MAC_FLIP)
                memcpy(mac->before[a] + row.at - 1, mac->velocity[a] + row.at - 1, length * sizeof(float));
        }
    }
}

/* Adds all particles, one colour of blocks after the other. */
static void scatter_all(scattering *s) {
    const int *n = s->mac->grid.n, blocks_y = (n[1] + BLOCK - 1) / BLOCK, blocks_z = (n[2] + BLOCK - 1) / BLOCK;
    s->sweeps = RN_ISA_CHOSEN(rn_mac_particle_sweeps);
    for (int colour = 0; colour < 4; colour++) {
        s->colour_y = colour & 1;
        s->colour_z = colour >> 1;
        s->blocks_y = (blocks_y + 1 - s->colour_y) / 2;
        rn_parallel_for(s->mac->pool, s->blocks_y * ((blocks_z + 1 - s->colour_z) / 2), scatter_blocks, s);
    }
}

void rn_mac_to_faces(rn_mac *mac) {
    scattering s = {.mac = mac};
    for (int a = 0; a < 3; a++) s.sums[a] = mac->scratch + 2 * (size_t)a * (size_t)mac->grid.cells;
    rn_mac_each_row(mac, clear_sums);
    scatter_all(&s);
    if (mac->def.periodic_x) fold_ends(&s);
    rn_mac_each_row(mac, divide);
}

typedef struct clearing {
    const rn_mac *mac;
    float *cells;
} clearing;

/* A task over rows: sets the cells of those that are not idle to 0. */
static void clear_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const clearing *c = context;
    const size_t row = (size_t)c->mac->grid.step[1];
    for (int r = begin; r < end; r++)
        if (!c->mac->idle[r]) memset(c->cells + (size_t)r * row, 0, row * sizeof(float));
}

void rn_mac_clear(const rn_mac *mac, float *cells) {
    clearing c = {mac, cells};
    rn_parallel_for(mac->pool, mac->grid.rows, clear_rows, &c);
}

/* Adds the density beyond each periodic end to the cell at the other end. */
static void fold_density(const rn_mac *mac, float *density) {
    for (int r = 0; r < mac->grid.rows; r++) {
        if (mac->idle[r]) continue;
        float *low = density + rn_mac_row_of(&mac->grid, r).at, *high = low + mac->grid.n[0] - 1;
        low[0] += high[1];
        high[0] += low[-1];
    }
}

void rn_mac_find_density(rn_mac *mac, float *density) {
    scattering s = {.mac = mac, .density = density};
    rn_mac_clear(mac, density);
    scatter_all(&s);
    if (mac->def.periodic_x) fold_density(mac, density);
}

/* The number of groups of particles, the last perhaps not full. */
static int groups(const rn_mac *mac) { return (mac->particles.count + RN_MAC_GROUP - 1) / RN_MAC_GROUP; }

typedef struct motion {
    const rn_mac *mac;
    float step;
} motion;

/* A task over groups of particles: gives them their velocity and moves them. `context`: a motion. */
static void carry_groups(void *context, int begin, int end, int worker) {
    (void)worker;
    const motion *m = context;
    RN_ISA_CHOSEN(rn_mac_particle_sweeps)->carry(m->mac, m->step, begin, end);
}

void rn_mac_carry(rn_mac *mac, float dt) {
    motion m = {.mac = mac, .step = dt / mac->cell};
    rn_parallel_for(mac->pool, groups(mac), carry_groups, &m);
}

/* A task over groups of particles: moves them out of the solid. `context`: the liquid. */
static void push_out_groups(void *context, int begin, int end, int worker) {
    (void)worker;
    RN_ISA_CHOSEN(rn_mac_particle_sweeps)->push_out(context, begin, end);
}

void rn_mac_push_out(rn_mac *mac) { rn_parallel_for(mac->pool, groups(mac), push_out_groups, mac); }
