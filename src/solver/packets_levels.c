/* Between levels of the adaptive packets solver: ghost cells, transfers at connections, and tiles that change their
   level.

   Interface (solver/packets_tiling.h), in the order of a substep (solver/packets_tiled.c): rn_tiles_fill fills
   ghosts; rn_tile_refine and rn_tile_coarsen, called by rn_tiles_choose, write a tile's liquid to the next level;
   rn_tiles_settle corrects coarse cells once all rows were gathered; rn_tiles_fill_depths fills the ghosts that the
   kick reads. The lists of connections and ghosts (solver/packets_lists.c) must match the levels of tiles.

   Algorithm: at a connection a coarse cell C meets fine cells f. The value on the side between them is (2 f + C) /
   3, by its distance from both centres, and ghosts are chosen so that the mean of a cell and its ghost has this
   value: (f + 2 C) / 3 for a fine cell, (4 f - C) / 3 for a coarse one, f being the mean of two. Both sides thus see
   the same value. A wave then leaves one level at the rate at which the other accepts it, and almost nothing is
   reflected: docs/packets.md, "A jump of resolution".

   Only the packets of the finer level pass a connection: rn_tiles_settle takes back what the coarse level sent
   there. A tile that changes its level keeps its mass to the quantum, and its momentum. */
#include "solver/packets_tiling.h"

#include <string.h>

/* One field of a level: surfaces above its ground, or velocities. */
typedef struct field {
    float *values;
    const float *ground;
} field;

/* The surface (m above the datum) or the velocity (m/s) at a slot. */
RN_INLINE float value_at(const field *f, int32_t slot, const bool surface) {
    return surface ? f->ground[slot] + f->values[slot] : f->values[slot];
}

/* The value to store at a slot: for a surface (m above the datum) the depth that it makes there, not below 0; for a
   velocity the velocity itself. The reverse of value_at. */
RN_INLINE float stored_value(const field *f, int32_t slot, float value, const bool surface) {
    const float depth = surface ? value - f->ground[slot] : value;
    return surface && depth < 0.0f ? 0.0f : depth;
}

/* ---- Ghosts of coarse cells -------------------------------------------------------------------------------------- */

/* Fills the ghosts of a level's coarse cells in finer tiles. A ghost that two cells see is the mean of the values for
   each. */
RN_INLINE void fill_coarse(const rn_packet_level *level, const field *coarse, const field *fine, const bool surface) {
    for (int n = 0; n < level->ghost_count; n++) {
        const rn_packet_ghost *g = &level->ghosts[n];
        const float f = 0.25f * ((value_at(fine, g->fine[0], surface) + value_at(fine, g->fine[1], surface)) +
                                 (value_at(fine, g->fine[2], surface) + value_at(fine, g->fine[3], surface)));
        const float value = g->corner ? f : f + (f - value_at(coarse, g->cell, surface)) * (1.0f / 3.0f);
        const float made = stored_value(coarse, g->slot, value, surface), before = coarse->values[g->home];
        coarse->values[g->home] = g->is_again ? 0.5f * (before + made) : made;
    }
}

/* ---- Ghosts of fine cells ---------------------------------------------------------------------------------------- */

/* A coarse cell and the cells beside it; beyond a wall, the cell itself. */
typedef struct cross {
    float here, west, east, south, north;
} cross;

/* The values of a cell and of those beside it; beyond a wall, which `ground` shows, the cell's own. */
RN_INLINE cross look_around(const field *f, const float *ground, int32_t slot, int32_t stride, const bool surface) {
    const float here = value_at(f, slot, surface);
    return (cross){here, ground[slot - 1] < RN_NO_COLUMN ? value_at(f, slot - 1, surface) : here,
                   ground[slot + 1] < RN_NO_COLUMN ? value_at(f, slot + 1, surface) : here,
                   ground[slot - stride] < RN_NO_COLUMN ? value_at(f, slot - stride, surface) : here,
                   ground[slot + stride] < RN_NO_COLUMN ? value_at(f, slot + stride, surface) : here};
}

/* The value in a coarse cell's quarter towards (sx, sy), each -1 or 1, as a ghost of fine cells: from the cell and the
   fine cell beyond each side that lies in a finer tile, or if there is none from the coarse cells beside it. `c`:
   values around the cell; `child`: slot of the quarter in the finer level, whose rows are `stride` slots long. */
RN_INLINE float quarter_value(const cross *c, const rn_packet_connection *j, const field *fine, int32_t stride,
                              int32_t child, const int sx, const int sy, const bool surface) {
    const bool by_x = j->finer >> (RN_STAYS + sx) & 1, by_y = j->finer >> (RN_STAYS + 3 * sy) & 1;
    float sum = 0.0f;
    if (by_x) {
        const float middle = c->here + 0.125f * (float)sy * (c->north - c->south);
        sum += middle + (value_at(fine, child + sx, surface) - middle) * (1.0f / 3.0f);
    }
    if (by_y) {
        const float middle = c->here + 0.125f * (float)sx * (c->east - c->west);
        sum += middle + (value_at(fine, child + sy * stride, surface) - middle) * (1.0f / 3.0f);
    }
    if (by_x || by_y) return by_x && by_y ? 0.5f * sum : sum;
    return c->here + 0.25f * (((sx < 0 ? c->west : c->east) - c->here) + ((sy < 0 ? c->south : c->north) - c->here));
}

/* Fills the ghosts of fine cells in the coarse cells at all connections of a level above 0, four in each. */
RN_INLINE void fill_fine(const rn_packet_level *level, const field *coarse, const field *fine, const bool surface) {
    const int count = level->first_connection[level->grid.ny];
    const int32_t stride = level[-1].grid.stride;
    for (int n = 0; n < count; n++) {
        const rn_packet_connection *j = &level->connections[n];
        const cross c = look_around(coarse, level->ground, j->slot, level->grid.stride, surface);
        RN_UNROLL
        for (int k = 0; k < 4; k++) {
            const int32_t child = j->child + k / 2 * stride + k % 2;
            const float value = quarter_value(&c, j, fine, stride, child, k % 2 ? 1 : -1, k / 2 ? 1 : -1, surface);
            fine->values[child] = stored_value(fine, child, value, surface);
        }
    }
}

/* ---- All ghosts -------------------------------------------------------------------------------------------------- */

/* Fills all ghosts of one field: coarse ones from the finest level up, then fine ones from the coarsest down. */
RN_INLINE void fill_field(rn_packets *solver, const field fields[], const bool surface) {
    const rn_packet_tiles *t = solver->tiles;
    const rn_columns *c = &solver->columns;
    for (int l = 0; l <= t->levels; l++) rn_packets_mirror(c, &t->at[l].grid, fields[l].values);
    for (int l = 1; l <= t->levels; l++) {
        fill_coarse(&t->at[l], &fields[l], &fields[l - 1], surface);
        rn_packets_mirror(c, &t->at[l].grid, fields[l].values);
    }
    for (int l = t->levels; l > 0; l--) {
        fill_fine(&t->at[l], &fields[l], &fields[l - 1], surface);
        rn_packets_mirror(c, &t->at[l - 1].grid, fields[l - 1].values);
    }
}

typedef struct filling {
    rn_packets *solver;
    field fields[3][RN_PACKETS_LEVELS + 1];
} filling;

/* A task over fields: 0 surfaces, 1 and 2 velocities. */
static void fill_fields(void *context, int begin, int end, int worker) {
    const filling *job = context;
    (void)worker;
    for (int k = begin; k < end; k++)
        if (k == 0) fill_field(job->solver, job->fields[k], true);
        else fill_field(job->solver, job->fields[k], false);
}

/* Fills the ghosts of the first `fields` of depth, u and v on all levels. `midway`: depths are those in the middle of a
   substep. */
static void fill_levels(rn_packets *solver, bool midway, int fields) {
    filling job = {.solver = solver};
    for (int l = 0; l <= solver->tiles->levels; l++) {
        const rn_packet_level *level = &solver->tiles->at[l];
        job.fields[0][l] = (field){midway ? level->h1 : level->h, level->ground};
        job.fields[1][l] = (field){level->u, NULL};
        job.fields[2][l] = (field){level->v, NULL};
    }
    rn_parallel_for(solver->pool, fields, fill_fields, &job);
}

void rn_tiles_fill(rn_packets *solver) { fill_levels(solver, false, 3); }
void rn_tiles_fill_depths(rn_packets *solver, bool midway) { fill_levels(solver, midway, 1); }

/* ---- Connections ------------------------------------------------------------------------------------------------- */

/* Splits the mass of a cell (quanta of columns, including its debt) into a depth (m), which is returned, and a
   remainder, which is stored in `rest`. Negative mass gives 0 and is kept as a negative rest. */
static float split_mass(const rn_packet_level *level, int32_t slot, int64_t all, float quantum) {
    const int64_t whole = all > 0 ? all / level->share : 0;
    level->rest[slot] = (int32_t)(all - whole * level->share);
    return (float)((double)whole * (double)quantum);
}

/* The mass of a cell of any level with depths h (m), in quanta of columns, including its debt. */
static int64_t cell_mass(const rn_packet_level *level, const float *h, int32_t slot, float quantum) {
    const int64_t whole = (int64_t)(h[slot] / quantum); /* exact: quanta are powers of two */
    return level->rest ? whole * level->share + level->rest[slot] : whole;
}

/* Undoes the coarse level's transfers between a cell and finer tiles, and adds those of the finer level: updates h1, u1
   and v1 of the cell, which is at rest if it counts as dry. */
static void settle_connection(const rn_packets *solver, const rn_packet_level *level, const rn_packet_connection *j) {
    const rn_packet_level *below = level - 1;
    const float quantum = solver->columns.quantum, before = level->h1[j->slot];
    float mass = 0.0f, mu = 0.0f, mv = 0.0f;
    for (int k = 0; k < 4; k++) {
        const int32_t child = j->child + k / 2 * below->grid.stride + k % 2;
        if (!j->quarter_finer[k]) continue;
        mass += below->h1[child];
        mu += below->u1[child], mv += below->v1[child];
    }
    const int64_t gained = (int64_t)(mass / quantum) * below->share + (int64_t)(j->more[0] / quantum) * level->share;
    const float h = split_mass(level, j->slot, cell_mass(level, level->h1, j->slot, quantum) + gained, quantum);
    const float mu1 = level->u1[j->slot] * before + (j->more[1] + 0.25f * mu),
                mv1 = level->v1[j->slot] * before + (j->more[2] + 0.25f * mv);
    level->h1[j->slot] = h;
    level->u1[j->slot] = h > level->params.dry ? mu1 / h + 0.0f : 0.0f;
    level->v1[j->slot] = h > level->params.dry ? mv1 / h + 0.0f : 0.0f;
}

void rn_tiles_settle(rn_packets *solver) {
    for (int l = 1; l <= solver->tiles->levels; l++) {
        const rn_packet_level *level = &solver->tiles->at[l];
        for (int n = 0; n < level->first_connection[level->grid.ny]; n++)
            settle_connection(solver, level, &level->connections[n]);
    }
}

/* ---- Tiles that change their level ------------------------------------------------------------------------------- */

/* The limited slope of a field along one direction: its change over a quarter of the cell; 0 at an extremum. */
static float quarter_lean(float before, float here, float after) {
    const float back = here - before, ahead = after - here;
    const float least = fminf(fabsf(back), fabsf(ahead)), mean = 0.5f * fabsf(back + ahead);
    return back * ahead > 0.0f ? copysignf(0.25f * fminf(2.0f * least, mean), back) : 0.0f;
}

/* Makes the depths of a cell's four quarters whole: each keeps its mass, and the first also gets `rest` (quanta).
   `first`: slot of the first quarter. A quarter whose ground is above the surface is dry; its deficit is taken from the
   others. */
static void settle_quarters(const rn_packet_level *below, int32_t first, int32_t rest, float quantum) {
    int64_t mass[4], lack = 0;
    for (int n = 0; n < 4; n++) {
        const int32_t child = first + n / 2 * below->grid.stride + n % 2;
        mass[n] = cell_mass(below, below->h, child, quantum) - (below->rest ? below->debt[child] : 0) + (n ? 0 : rest);
    }
    for (int n = 0; n < 4; n++)
        if (mass[n] < 0) lack -= mass[n], mass[n] = 0;
    for (int n = 0; n < 4; n++) {
        const int64_t taken = lack < mass[n] ? lack : mass[n];
        mass[n] -= taken, lack -= taken;
    }
    mass[0] -= lack; /* 0, unless the cell itself owes liquid */
    for (int n = 0; n < 4; n++) {
        const int32_t child = first + n / 2 * below->grid.stride + n % 2;
        below->h[child] = below->rest ? split_mass(below, child, mass[n] + below->debt[child], quantum)
                                      : (float)((double)mass[n] * (double)quantum);
    }
}

/* Writes the four quarters of cell (x, y) in the next finer level: along the limited slopes of its fields, with exactly
   its mass, in whole quanta, and its momentum. */
static void refine_cell(const rn_packets *solver, const rn_packet_level *level, int x, int y) {
    const rn_packet_level *below = level - 1;
    const int32_t slot = rn_slot(&level->grid, 0, y, x), stride = level->grid.stride;
    const double quantum = (double)solver->columns.quantum;
    const field fields[] = {{level->h, level->ground}, {level->u, NULL}, {level->v, NULL}};
    float *const to[] = {below->h, below->u, below->v};
    float slope[3][2], here[3], sums[3] = {0};
    for (int k = 0; k < 3; k++) {
        const cross c = look_around(&fields[k], level->ground, slot, stride, k == 0);
        slope[k][0] = quarter_lean(c.west, c.here, c.east), slope[k][1] = quarter_lean(c.south, c.here, c.north),
        here[k] = c.here;
    }
    for (int k = 0; k < 2; k++) slope[0][k] = (float)(trunc((double)slope[0][k] / quantum) * quantum);
    for (int n = 0; n < 4; n++) {
        const int32_t child = rn_slot(&below->grid, 0, 2 * y + n / 2, 2 * x + n % 2);
        const float sx = n % 2 ? 1.0f : -1.0f, sy = n / 2 ? 1.0f : -1.0f;
        for (int k = 0; k < 3; k++) to[k][child] = here[k] + (sx * slope[k][0] + sy * slope[k][1]);
        to[0][child] -= below->ground[child];
        if (below->rest) below->rest[child] = 0;
    }
    const int32_t first = rn_slot(&below->grid, 0, 2 * y, 2 * x);
    settle_quarters(below, first, level->rest[slot], solver->columns.quantum);
    for (int n = 0; n < 4; n++) {
        const int32_t child = first + n / 2 * below->grid.stride + n % 2;
        for (int k = 0; k < 3; k++) sums[k] += k ? to[0][child] * to[k][child] : to[0][child];
    }
    for (int k = 1; k < 3; k++) { /* they have the cell's momentum */
        const float more = sums[0] > 0.0f ? here[k] - sums[k] / sums[0] : 0.0f;
        for (int n = 0; n < 4; n++) to[k][first + n / 2 * below->grid.stride + n % 2] += more;
    }
}

void rn_tile_refine(rn_packets *solver, int number) {
    const rn_packet_tiles *t = solver->tiles;
    const int l = t->level[number];
    const rn_tile_cells e = rn_tile_extent(solver, number, l);
    for (int y = e.y0; y < e.y1; y++)
        for (int x = e.x0; x < e.x1; x++) refine_cell(solver, &t->at[l], x, y);
}

/* Gives cell (x, y) of a level exactly the mass and the momentum of its four quarters. */
static void coarsen_cell(const rn_packets *solver, const rn_packet_level *level, int x, int y) {
    const rn_packet_level *below = level - 1;
    const float quantum = solver->columns.quantum;
    const int32_t slot = rn_slot(&level->grid, 0, y, x);
    int64_t all = level->debt[slot];
    float sum = 0.0f, mu = 0.0f, mv = 0.0f;
    for (int n = 0; n < 4; n++) {
        const int32_t child = rn_slot(&below->grid, 0, 2 * y + n / 2, 2 * x + n % 2);
        const float h = below->h[child];
        all += cell_mass(below, below->h, child, quantum) - (below->debt ? below->debt[child] : 0);
        sum += h, mu += h * below->u[child], mv += h * below->v[child];
    }
    level->h[slot] = split_mass(level, slot, all, quantum);
    level->u[slot] = mu / fmaxf(sum, 1e-30f) + 0.0f;
    level->v[slot] = mv / fmaxf(sum, 1e-30f) + 0.0f;
}

void rn_tile_coarsen(rn_packets *solver, int number) {
    const rn_packet_tiles *t = solver->tiles;
    const int l = rn_tile_level(t, number) + 1;
    const rn_tile_cells e = rn_tile_extent(solver, number, l);
    for (int y = e.y0; y < e.y1; y++)
        for (int x = e.x0; x < e.x1; x++) coarsen_cell(solver, &t->at[l], x, y);
}
