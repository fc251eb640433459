/* From one level of the adaptive packets solver to the next: ghosts, what passes at joints, and tiles that change their
   level.

   At a joint a coarse cell C meets fine cells f. The value on the side between them is (2 f + C) / 3, by its distance
   from both middles, and ghosts are such that the mean of a cell and its ghost is just that: (f + 2 C) / 3 for a fine
   cell, (4 f - C) / 3 for a coarse one, f being the mean of two. So both sides see one value there. A wave then
   leaves one level at the rate at which the other takes it up, and next to nothing comes back: docs/packets.md.

   All that passes a joint is what the packets of the finer level bring. */
#include "solver/packets_tiles.h"

#include <string.h>

/* One field of a level: surfaces, where it has ground, and otherwise the values themselves. */
typedef struct field {
    float *values;
    const float *ground;
} field;

static inline float at(const field *f, int32_t slot) {
    return f->ground ? f->ground[slot] + f->values[slot] : f->values[slot];
}

static inline void put(const field *f, int32_t slot, int32_t ground_slot, float value) {
    if (!f->ground) f->values[slot] = value;
    else f->values[slot] = fmaxf(value - f->ground[ground_slot], 0.0f);
}

static inline bool is_finer(const rn_packet_joint *j, int dx, int dy) {
    return j->finer >> (3 * (dy + 1) + dx + 1) & 1;
}

/* ---- Ghosts of coarse cells ----------------------------------------------------------------------------------------
 */

/* A ghost past a periodic edge is written where it is a copy of. */
static int32_t home_of(const rn_packets *solver, const rn_grid *g, int x, int y) {
    if (solver->columns.periodic_x) x = x < 0 ? x + g->nx : x >= g->nx ? x - g->nx : x;
    if (solver->columns.periodic_y) y = y < 0 ? y + g->ny : y >= g->ny ? y - g->ny : y;
    return rn_slot(g, 0, y, x);
}

/* The mean of the two fine cells on the other side of a side, which lie (dx, dy) from the coarse cell. */
static float beside(const field *fine, const rn_grid *g, const rn_packet_joint *j, int dx, int dy) {
    const int x = 2 * j->x + (dx < 0 ? -1 : dx > 0 ? 2 : 0), y = 2 * j->y + (dy < 0 ? -1 : dy > 0 ? 2 : 0);
    const int32_t first = rn_slot(g, 0, y, x);
    return 0.5f * (at(fine, first) + at(fine, first + (dx ? g->stride : 1)));
}

/* The mean of the four fine cells in the coarse one at a corner. */
static float cornering(const field *fine, const rn_grid *g, const rn_packet_joint *j, int dx, int dy) {
    const int32_t first = rn_slot(g, 0, 2 * (j->y + dy), 2 * (j->x + dx));
    return 0.25f *
           ((at(fine, first) + at(fine, first + 1)) + (at(fine, first + g->stride) + at(fine, first + g->stride + 1)));
}

/* Two coarse cells may see the same ghost over two sides of it: it is the mean of what it should be for each. */
static void fill_coarse(const rn_packets *solver, int l, const field *coarse, const field *fine) {
    const rn_packet_level *level = &solver->tiles->at[l], *below = level - 1;
    const rn_grid *g = &level->grid;
    const int count = level->first_joint[g->ny];
    for (int pass = 0; pass < 3; pass++)
        for (int n = 0; n < count; n++) {
            const rn_packet_joint *j = &level->joints[n];
            for (int k = 0; k < RN_AROUND; k++) {
                const int dx = k % 3 - 1, dy = k / 3 - 1;
                if (!(j->finer >> k & 1)) continue;
                const int32_t home = home_of(solver, g, j->x + dx, j->y + dy), ghost = j->slot + dy * g->stride + dx;
                if (pass == 0) coarse->values[home] = NAN;
                if (pass == 1 && (dx == 0 || dy == 0)) {
                    const float f = beside(fine, &below->grid, j, dx, dy), before = coarse->values[home];
                    put(coarse, home, ghost, f + (f - at(coarse, j->slot)) / 3.0f);
                    if (!isnan(before)) coarse->values[home] = 0.5f * (before + coarse->values[home]);
                }
                if (pass == 2 && isnan(coarse->values[home]))
                    put(coarse, home, ghost, cornering(fine, &below->grid, j, dx, dy));
            }
        }
}

/* ---- Ghosts of fine cells ------------------------------------------------------------------------------------------
 */

/* A coarse cell and those beside it; past a wall it is itself. */
typedef struct cross {
    float here, side[3][3]; /* as side[dy + 1][dx + 1] */
} cross;

static cross look_around(const field *f, const float *ground, int32_t slot, int32_t stride) {
    cross c = {.here = at(f, slot)};
    for (int k = 1; k < RN_AROUND; k += 2) {
        const int32_t other = slot + (k / 3 - 1) * stride + k % 3 - 1;
        c.side[k / 3][k % 3] = ground[other] < RN_NO_COLUMN ? at(f, other) : c.here;
    }
    return c;
}

/* The quarter of a coarse cell towards (sx, sy). */
static float quarter(const cross *c, const rn_packet_joint *j, const field *fine, const rn_grid *g, int32_t child,
                     int sx, int sy) {
    const float along_x = 0.125f * (c->side[1][2] - c->side[1][0]), along_y = 0.125f * (c->side[2][1] - c->side[0][1]);
    float sum = 0.0f;
    const bool by_x = is_finer(j, sx, 0), by_y = is_finer(j, 0, sy);
    if (by_x) {
        const float middle = c->here + (float)sy * along_y;
        sum += middle + (at(fine, child + sx) - middle) / 3.0f;
    }
    if (by_y) {
        const float middle = c->here + (float)sx * along_x;
        sum += middle + (at(fine, child + sy * g->stride) - middle) / 3.0f;
    }
    if (by_x || by_y) return by_x && by_y ? 0.5f * sum : sum;
    return c->here + 0.25f * ((c->side[1][sx + 1] - c->here) + (c->side[sy + 1][1] - c->here));
}

static void fill_fine(const rn_packets *solver, int l, const field *coarse, const field *fine) {
    const rn_packet_level *level = &solver->tiles->at[l], *below = level - 1;
    const rn_grid *g = &below->grid;
    const int count = level->first_joint[level->grid.ny];
    for (int n = 0; n < count; n++) {
        const rn_packet_joint *j = &level->joints[n];
        const cross c = look_around(coarse, level->ground, j->slot, level->grid.stride);
        for (int k = 0; k < 4; k++) {
            const int32_t child = rn_slot(g, 0, 2 * j->y + k / 2, 2 * j->x + k % 2);
            put(fine, child, child, quarter(&c, j, fine, g, child, k % 2 ? 1 : -1, k / 2 ? 1 : -1));
        }
    }
}

/* ---- All ghosts ----------------------------------------------------------------------------------------------------
 */

static void fill_field(rn_packets *solver, const field fields[]) {
    const rn_packet_tiles *t = solver->tiles;
    for (int l = 0; l <= t->levels; l++) rn_packets_mirror(&solver->columns, &t->at[l].grid, fields[l].values);
    for (int l = 1; l <= t->levels; l++) {
        fill_coarse(solver, l, &fields[l], &fields[l - 1]);
        rn_packets_mirror(&solver->columns, &t->at[l].grid, fields[l].values);
    }
    for (int l = t->levels; l > 0; l--) {
        fill_fine(solver, l, &fields[l], &fields[l - 1]);
        rn_packets_mirror(&solver->columns, &t->at[l - 1].grid, fields[l - 1].values);
    }
}

typedef struct filling {
    rn_packets *solver;
    field fields[3][RN_PACKETS_LEVELS + 1];
} filling;

static void fill_fields(void *context, int begin, int end, int worker) {
    const filling *job = context;
    (void)worker;
    for (int k = begin; k < end; k++) fill_field(job->solver, job->fields[k]);
}

void rn_tiles_fill(rn_packets *solver, bool midway) {
    filling job = {.solver = solver};
    for (int l = 0; l <= solver->tiles->levels; l++) {
        const rn_packet_level *level = &solver->tiles->at[l];
        job.fields[0][l] = (field){midway ? level->h1 : level->h, level->ground};
        job.fields[1][l] = (field){level->u, NULL};
        job.fields[2][l] = (field){level->v, NULL};
    }
    if (midway) fill_fields(&job, 0, 1, 0);
    else rn_parallel_for(solver->pool, 3, fill_fields, &job);
}

/* ---- Joints --------------------------------------------------------------------------------------------------------
 */

/* A depth (m) and a rest from all that a cell has, in quanta of columns and with its debt added. */
static float split_mass(const rn_packet_level *level, int32_t slot, int64_t all, float quantum) {
    const int64_t whole = all > 0 ? all / level->share : 0;
    level->rest[slot] = (int32_t)(all - whole * level->share);
    return (float)((double)whole * (double)quantum);
}

/* What a cell of any level has, in quanta of columns, and without its debt if that is asked. */
static int64_t mass_of(const rn_packet_level *level, const float *h, int32_t slot, float quantum) {
    const int64_t whole = (int64_t)((double)h[slot] / (double)quantum);
    return level->rest ? whole * level->share + level->rest[slot] : whole;
}

static void settle_joint(const rn_packets *solver, const rn_packet_level *level, const rn_packet_joint *j) {
    const rn_packet_level *below = level - 1;
    const float quantum = solver->columns.quantum;
    double mass = 0.0;
    float mu = 0.0f, mv = 0.0f;
    for (int k = 0; k < 4; k++) {
        const int sx = k % 2 ? 1 : -1, sy = k / 2 ? 1 : -1;
        const int32_t child = rn_slot(&below->grid, 0, 2 * j->y + k / 2, 2 * j->x + k % 2);
        if (!is_finer(j, sx, 0) && !is_finer(j, 0, sy) && !is_finer(j, sx, sy)) continue;
        mass += (double)below->h1[child];
        mu += below->u1[child], mv += below->v1[child];
    }
    const float before = level->h1[j->slot];
    const int64_t gained = (int64_t)(mass / (double)quantum) * below->share;
    const float h = split_mass(level, j->slot, mass_of(level, level->h1, j->slot, quantum) + gained, quantum);
    level->h1[j->slot] = h;
    level->u1[j->slot] = h > level->law.dry ? (level->u1[j->slot] * before + 0.25f * mu) / h + 0.0f : 0.0f;
    level->v1[j->slot] = h > level->law.dry ? (level->v1[j->slot] * before + 0.25f * mv) / h + 0.0f : 0.0f;
}

void rn_tiles_settle(rn_packets *solver) {
    for (int l = 1; l <= solver->tiles->levels; l++) {
        const rn_packet_level *level = &solver->tiles->at[l];
        for (int n = 0; n < level->first_joint[level->grid.ny]; n++) settle_joint(solver, level, &level->joints[n]);
    }
}

/* ---- Tiles that change their level ---------------------------------------------------------------------------------
 */

/* The limited slope of a field along one direction: its change over a quarter of the cell. */
static float lean(const cross *c, int dx, int dy) {
    const float back = c->here - c->side[1 - dy][1 - dx], ahead = c->side[1 + dy][1 + dx] - c->here;
    const float least = fminf(fabsf(back), fabsf(ahead)), mean = 0.5f * fabsf(back + ahead);
    return back * ahead > 0.0f ? copysignf(0.25f * fminf(2.0f * least, mean), back) : 0.0f;
}

/* Its four quarters have whole quanta, and together what it has. */
static void refine_cell(const rn_packets *solver, const rn_packet_level *level, int x, int y) {
    const rn_packet_level *below = level - 1;
    const int32_t slot = rn_slot(&level->grid, 0, y, x), stride = level->grid.stride;
    const double quantum = (double)solver->columns.quantum;
    const field fields[] = {{level->h, level->ground}, {level->u, NULL}, {level->v, NULL}};
    float *const to[] = {below->h, below->u, below->v};
    float slope[3][2], here[3], sums[3] = {0};
    for (int k = 0; k < 3; k++) {
        const cross c = look_around(&fields[k], level->ground, slot, stride);
        slope[k][0] = lean(&c, 1, 0), slope[k][1] = lean(&c, 0, 1), here[k] = c.here;
    }
    for (int k = 0; k < 2; k++) slope[0][k] = (float)(trunc((double)slope[0][k] / quantum) * quantum);
    for (int n = 0; n < 4; n++) {
        const int32_t child = rn_slot(&below->grid, 0, 2 * y + n / 2, 2 * x + n % 2);
        const float sx = n % 2 ? 1.0f : -1.0f, sy = n / 2 ? 1.0f : -1.0f;
        for (int k = 0; k < 3; k++) to[k][child] = here[k] + (sx * slope[k][0] + sy * slope[k][1]);
        to[0][child] -= below->ground[child];
        if (below->rest) below->rest[child] = 0;
        for (int k = 0; k < 3; k++) sums[k] += k ? to[0][child] * to[k][child] : to[0][child];
    }
    const int32_t first = rn_slot(&below->grid, 0, 2 * y, 2 * x);
    if (below->rest) below->rest[first] = level->rest[slot];
    else below->h[first] += (float)((double)level->rest[slot] * quantum);
    for (int k = 1; k < 3; k++) { /* they have the momentum that it had */
        const float more = here[k] - sums[k] / fmaxf(sums[0], 1e-30f);
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

static void coarsen_cell(const rn_packets *solver, const rn_packet_level *level, int x, int y) {
    const rn_packet_level *below = level - 1;
    const float quantum = solver->columns.quantum;
    const int32_t slot = rn_slot(&level->grid, 0, y, x);
    int64_t all = level->debt[slot];
    float sum = 0.0f, mu = 0.0f, mv = 0.0f;
    for (int n = 0; n < 4; n++) {
        const int32_t child = rn_slot(&below->grid, 0, 2 * y + n / 2, 2 * x + n % 2);
        const float h = below->h[child];
        all += mass_of(below, below->h, child, quantum) - (below->debt ? below->debt[child] : 0);
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
