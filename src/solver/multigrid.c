/* Conjugate gradients with a multigrid V-cycle as preconditioner (solver/multigrid.h has the equations).

   Interface and order of calls: rn_multigrid_fit (solver/multigrid_fit.c) after the graph has changed; then for every
   system rn_multigrid_clear, rn_multigrid_strip for every run of unknowns, the caller fills `own`, the links and `b` of
   level 0, and rn_multigrid_solve. Callers: solver/duct_fluxes.c for the heads of passages, solver/implicit.c for
   those of all columns.

   A solve: prepare_levels sums coarse levels from fine ones; every iteration takes one V-cycle (Jacobi relaxation
   down and up, 2 x 2 columns to one) and two dot products. Dot products are the same for any number of threads and
   any vector width: blocks of RN_BLOCK_COLUMNS columns are summed by halves, and sum_tree adds the blocks in a fixed
   tree.

   On a GPU all lanes of a block solve together (base/lanes.h): ranks share strips, lanes their columns, and irregular
   links are gathered by column. The other blocks help with large levels (rn_lanes_spread). On a CPU threads share
   strips, if these are long enough. */
#include "solver/multigrid.h"

#include "base/error.h"
#include "base/lanes.h"
#include "base/memory.h"
#include "solver/graph.h"

#include <string.h>

/* Two steps of Jacobi, at the Chebyshev points of [1/2, 2], damp the errors that the coarser grid cannot represent. */
#define STEP_ONE 0.5616f
#define STEP_TWO 1.3903f
enum { SHARED = 1 << 15, COARSEST_SWEEPS = 4 }; /* with fewer slots than this, waking threads does not pay */
enum { SPREAD = 1 << 13 }; /* with fewer slots than this, the lanes of one block of a GPU work alone */
/* Columns of a part of a block: strips consist of whole parts. */
enum { PART = RN_LANES_MOST };

/* ---- Systems ------------------------------------------------------------------------------------------------- */

/* Sets the values of all strips of a level to 0. By lanes, which do not wait for each other. */
static void clear_strips(const rn_level *level, float *values) {
    RN_FOR_ROWS (i, 0, level->strip_count) {
        const rn_strip *strip = &level->strips[i];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count) rn_store(values + c, rn_splat(0.0f));
    }
}

/* Sets all values of a multigrid to 0, by lanes. context: its address. */
static void clear_values(const void *context) {
    rn_multigrid *m = *(rn_multigrid *const *)context;
    for (int l = 0; l < m->count; l++) {
        rn_level *level = &m->levels[l];
        float *const arrays[] = {level->own, level->link_x, level->link_y, level->x,
                                 level->b,   level->r,      level->inverse};
        for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) clear_strips(level, arrays[k]);
        RN_FOR_ITEMS (n, 0, level->irregular_count) level->irregular_link[n] = 0.0f;
    }
    clear_strips(&m->levels[0], m->solution);
    clear_strips(&m->levels[0], m->along);
    clear_strips(&m->levels[0], m->image);
}

void rn_multigrid_clear(rn_multigrid *m) {
    if (m->count > 0) rn_lanes_run(clear_values, &m);
    for (int l = 0; l < m->count; l++) m->levels[l].strip_count = m->levels[l].slots = 0;
    m->listed = false;
}

/* Whether two strips lie in the same row of the same layer. */
static bool same_row(const rn_strip *a, const rn_strip *b) { return a->layer == b->layer && a->y == b->y; }

/* The x at which a strip begins. */
static int strip_begin(const rn_level *level, const rn_strip *strip) {
    return strip->slot - rn_slot(&level->grid, strip->layer, strip->y, 0);
}

/* Adds columns `from` to `to` - 1 of a row, rounded out to whole vectors, in order; close strips are merged. */
static void add_strip(rn_level *level, int layer, int y, int from, int to) {
    from = from / RN_LANES_MOST * RN_LANES_MOST; /* the same strips for every vector width */
    to = (to + RN_LANES_MOST - 1) / RN_LANES_MOST * RN_LANES_MOST;
    rn_strip *last = level->strip_count ? &level->strips[level->strip_count - 1] : NULL;
    const int32_t row = rn_slot(&level->grid, layer, y, 0);
    if (last && last->layer == layer && last->y == y && from <= last->slot - row + last->count + RN_STRIPS_APART) {
        const int was_to = last->slot - row + last->count;
        from = last->slot - row;
        to = to > was_to ? to : was_to;
        level->slots -= last->count;
    } else {
        last = &level->strips[level->strip_count++];
    }
    *last = (rn_strip){row + from, to - from, layer, y};
    level->slots += to - from;
}

void rn_multigrid_strip(rn_multigrid *m, int layer, int y, int from, int to) {
    add_strip(&m->levels[0], layer, y, from, to);
    m->listed = false;
}

typedef struct job {
    rn_level *level, *other;
    float factor;
    const float *from;
    float *to;
} job;

#if defined(RN_GPU)
/* A task over strips, `size` of which are an item. */
typedef struct strip_items {
    job job;
    rn_task task;
    int size;
} strip_items;

/* The number of strips of an item, a multiple of the ranks of a block: two items or fewer for each block. */
static int item_size(const rn_level *level) {
    const int ranks = rn_rank_count(), most = 2 * rn_pool_size(NULL) * ranks;
    return (level->strip_count + most - 1) / most * ranks;
}
/* The number of items of this size. */
static int item_count(int count, int size) { return (count + size - 1) / size; }
/* One past the last strip of an item. */
static int item_end(int item, int size, int count) { return (item + 1) * size < count ? (item + 1) * size : count; }

/* By lanes: an item of a task over strips. */
static void run_item(const void *context, int item) {
    const strip_items *items = context;
    const int size = items->size;
    items->task((void *)&items->job, item * size, item_end(item, size, items->job.level->strip_count), 0);
}
#endif

/* Runs a task over the strips of the job's level, on all threads only if it has at least SHARED slots; on a GPU by all
   lanes, which wait for each other at the end, of all blocks if it has at least SPREAD slots. */
static void run_strips(const job *j, rn_pool *pool, rn_task task) {
#if defined(RN_GPU)
    if (j->level->slots >= SPREAD) {
        const int size = item_size(j->level);
        rn_lanes_spread(item_count(j->level->strip_count, size), run_item, (&(strip_items){*j, task, size}));
        return;
    }
#else
    if (j->level->slots >= SHARED) {
        rn_parallel_for(pool, j->level->strip_count, task, (job *)j);
        return;
    }
#endif
    (void)pool;
    task((void *)j, 0, j->level->strip_count, 0);
    rn_lanes_meet();
}

/* A task over strips: turns `inverse`, the sum of irregular links, into 1/diagonal; 0 where the diagonal is 0. */
static void invert_diagonals(void *context, int begin, int end, int worker) {
    const rn_level *level = ((const job *)context)->level;
    const int32_t up = level->grid.stride;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count) {
            rn_wide links = (rn_load(level->link_x + c - 1) + rn_load(level->link_x + c)) +
                            (rn_load(level->link_y + c - up) + rn_load(level->link_y + c));
            rn_wide diagonal = rn_load(level->own + c) + (links + rn_load(level->inverse + c));
            rn_store(level->inverse + c, rn_keep(diagonal > 0.0f, 1.0f / diagonal));
        }
    }
}

/* A task over strips of the coarser level: fills its `own` and ordinary links from the finer one. */
static void coarsen(void *context, int begin, int end, int worker) {
    const job *j = context;
    const rn_level *fine = j->other;
    rn_level *coarse = j->level;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &coarse->strips[s];
        const int32_t row = rn_slot(&coarse->grid, strip->layer, strip->y, 0), from = strip_begin(coarse, strip);
        const int32_t low = rn_slot(&fine->grid, strip->layer, 2 * strip->y, 0), up = fine->grid.stride;
        const int32_t to = from + strip->count < coarse->grid.nx ? from + strip->count : coarse->grid.nx;
        RN_FOR_COLUMNS (x, from, to) {
            const int32_t a = low + 2 * x, b = a + up;
            coarse->own[row + x] = (fine->own[a] + fine->own[a + 1]) + (fine->own[b] + fine->own[b + 1]);
            coarse->link_x[row + x] = 0.5f * (fine->link_x[a + 1] + fine->link_x[b + 1]);
            coarse->link_y[row + x] = 0.5f * (fine->link_y[b] + fine->link_y[b + 1]);
        }
    }
}

/* Sums the irregular links of a level into those of the coarser one, by ascending number (multigrid.h), and links to
   known ends into its `own`. A link to another cell is twice as long there; a link within a cell keeps its length. By
   lanes. */
static void coarsen_irregular(const rn_level *fine, rn_level *coarse) {
    const int32_t layer = coarse->grid.layer_stride;
    const rn_link_sums *merged = &coarse->merged;
    RN_FOR_ITEMS (k, 0, merged->count) {
        const int32_t to = merged->target[k];
        const bool same_cell = to >= 0 && (coarse->irregular_b[to] - coarse->irregular_a[to]) % layer == 0;
        const float share = to < 0 || same_cell ? 1.0f : 0.5f;
        float sum = to < 0 ? coarse->own[-2 - to] : 0.0f;
        for (int32_t n = merged->begin[k]; n < merged->begin[k + 1]; n++)
            sum += share * fine->irregular_link[merged->links[n]];
        *(to < 0 ? &coarse->own[-2 - to] : &coarse->irregular_link[to]) = sum;
    }
}

/* The first strip after this one that lies in another row. */
static const rn_strip *row_end(const rn_strip *strip, const rn_strip *end) {
    const rn_strip *next = strip + 1;
    while (next < end && same_row(next, strip)) next++;
    return next;
}

/* Adds the columns of a fine strip to the strips of the coarse level. */
static void add_coarse(const rn_level *fine, const rn_strip *strip, rn_level *coarse) {
    const int from = strip_begin(fine, strip);
    add_strip(coarse, strip->layer, strip->y / 2, from / 2, (from + strip->count + 1) / 2);
}

/* Finds the strips of the coarser level. Strips of two rows that are merged are taken in order of their beginnings. */
static void coarsen_strips(const rn_level *fine, rn_level *coarse) {
    const rn_strip *low = fine->strips, *const end = low + fine->strip_count;
    coarse->strip_count = coarse->slots = 0;
    while (low < end) {
        const rn_strip *const middle = row_end(low, end), *high = middle;
        const bool both = middle < end && middle->layer == low->layer && middle->y / 2 == low->y / 2;
        const rn_strip *const last = both ? row_end(middle, end) : middle;
        while (low < middle || high < last) {
            const bool take_low = high == last || (low < middle && strip_begin(fine, low) <= strip_begin(fine, high));
            add_coarse(fine, take_low ? low++ : high++, coarse);
        }
        low = last;
    }
}

/* Adds the irregular links of columns to `inverse`, and lists those columns that have any but 0. By lanes, which wait
   for each other at the end. */
static void sum_links(rn_level *level) {
    const rn_link_sums *ends = &level->ends;
    int32_t count = 0;
    RN_FOR_ROUNDS (k, 0, ends->count) {
        bool any = false;
        float sum = 0.0f;
        for (int32_t n = k < ends->count ? ends->begin[k] : 0; k < ends->count && n < ends->begin[k + 1]; n++) {
            const float link = level->irregular_link[ends->links[n] / 2];
            any = any || link != 0.0f;
            sum += link;
        }
        if (any) level->inverse[ends->target[k]] = sum;
        const int32_t place = rn_lanes_place(any, &count);
        if (any) level->linked[place] = k;
    }
    if (rn_lanes_own() == 0) level->linked_count = count;
    rn_lanes_meet();
}

/* A task over strips: to = 0. */
static void clear_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &j->level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count) rn_store(j->to + c, rn_splat(0.0f));
    }
}

/* Fills in values and links of the coarser levels from level 0, and the inverse diagonals of all levels. By lanes. */
static void prepare_levels(rn_multigrid *m, rn_pool *pool) {
    for (int l = 0; l < m->count; l++) {
        rn_level *level = &m->levels[l];
        if (l > 0) {
            run_strips(&(job){.level = level, .other = level - 1}, pool, coarsen);
            coarsen_irregular(level - 1, level);
        }
        run_strips(&(job){.level = level, .to = level->inverse}, pool, clear_rows);
        sum_links(level);
        run_strips(&(job){.level = level}, pool, invert_diagonals);
    }
}

/* ---- Passes --------------------------------------------------------------------------------------------------- */

/* A times `from` at the columns from slot `c` on, without irregular links. */
RN_INLINE rn_wide image_of(const rn_level *level, const float *from, int32_t c) {
    const int32_t up = level->grid.stride;
    rn_wide x = rn_load(from + c);
    rn_wide west = rn_load(level->link_x + c - 1) * (x - rn_load(from + c - 1)),
            east = rn_load(level->link_x + c) * (x - rn_load(from + c + 1)),
            south = rn_load(level->link_y + c - up) * (x - rn_load(from + c - up)),
            north = rn_load(level->link_y + c) * (x - rn_load(from + c + up));
    return rn_load(level->own + c) * x + ((west + east) + (south + north));
}

/* A task over strips: to = A from, without irregular links. */
static void multiply_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    const rn_level *level = j->level;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count) rn_store(j->to + c, image_of(level, j->from, c));
    }
}

/* A task over strips: r = b - A x, without irregular links. */
static void residual_rows(void *context, int begin, int end, int worker) {
    const rn_level *level = ((const job *)context)->level;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count)
            rn_store(level->r + c, rn_load(level->b + c) - image_of(level, level->x, c));
    }
}

/* Adds `sign` times the product of irregular links with `from` to `to`, by ascending number: see multigrid.h. By lanes,
   which wait for each other at the end. */
static void add_irregular(const rn_level *level, const float *from, float *to, float sign) {
    const rn_link_sums *ends = &level->ends;
    RN_FOR_ITEMS (i, 0, level->linked_count) {
        const int32_t k = level->linked[i], c = ends->target[k];
        float sum = to[c];
        for (int32_t n = ends->begin[k]; n < ends->begin[k + 1]; n++) {
            const int32_t link = ends->links[n] / 2, a = level->irregular_a[link], b = level->irregular_b[link];
            if (level->irregular_link[link] == 0.0f) continue;
            const float flow =
                sign * level->irregular_link[link] * ((a < 0 ? 0.0f : from[a]) - (b < 0 ? 0.0f : from[b]));
            sum = ends->links[n] % 2 ? sum - flow : sum + flow;
        }
        to[c] = sum;
    }
    rn_lanes_meet();
}

/* Computes r = b - A x of a level, irregular links included. */
static void find_residual(rn_level *level, rn_pool *pool) {
    run_strips(&(job){.level = level}, pool, residual_rows);
    if (level->linked_count > 0) add_irregular(level, level->x, level->r, -1.0f);
}

/* A task over strips: x += factor/diagonal * from. */
static void relax_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    const rn_level *level = j->level;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count) {
            rn_wide change = j->factor * rn_load(level->inverse + c) * rn_load(j->from + c);
            rn_store(level->x + c, rn_load(level->x + c) + change);
        }
    }
}

/* A task over strips: the first step of Jacobi, starting from x = 0. */
static void start_rows(void *context, int begin, int end, int worker) {
    const rn_level *level = ((const job *)context)->level;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count)
            rn_store(level->x + c, STEP_ONE * rn_load(level->inverse + c) * rn_load(level->b + c));
    }
}

/* Takes one step of Jacobi: finds the residual r, then x += factor * r / diagonal. */
static void relax(rn_level *level, rn_pool *pool, float factor) {
    find_residual(level, pool);
    run_strips(&(job){.level = level, .factor = factor, .from = level->r}, pool, relax_rows);
}

/* A task over strips of the coarse level: its b, the sums of the residuals of two by two fine columns. */
static void gather_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    const rn_level *fine = j->other, *coarse = j->level;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &coarse->strips[s];
        const int32_t from = strip_begin(coarse, strip);
        const float *low = fine->r + rn_slot(&fine->grid, strip->layer, 2 * strip->y, 2 * from),
                    *high = low + fine->grid.stride;
        float *b = coarse->b + strip->slot;
        const int32_t count = strip->count < coarse->grid.nx - from ? strip->count : coarse->grid.nx - from;
        RN_FOR_COLUMNS (i, 0, count) b[i] = (low[2 * i] + low[2 * i + 1]) + (high[2 * i] + high[2 * i + 1]);
    }
}

/* A task over strips of the fine level: adds the coarse solution to its x, at unknowns. */
static void spread_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    const rn_level *fine = j->level, *coarse = j->other;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &fine->strips[s];
        const int32_t from = strip_begin(fine, strip);
        const float *up = coarse->x + rn_slot(&coarse->grid, strip->layer, strip->y / 2, from / 2);
        const float *inverse = fine->inverse + strip->slot;
        float *x = fine->x + strip->slot;
        RN_FOR_COLUMNS (i, 0, strip->count) x[i] += inverse[i] > 0.0f ? up[i / 2] : 0.0f;
    }
}

/* One V-cycle: approximates x = A^-1 b on level 0, by a linear and symmetric map. Needs prepare_levels. */
static void run_v_cycle(rn_multigrid *m, rn_pool *pool) {
    for (int l = 0; l < m->count; l++) {
        rn_level *level = &m->levels[l];
        run_strips(&(job){.level = level}, pool, start_rows);
        relax(level, pool, STEP_TWO);
        if (l + 1 == m->count) break;
        find_residual(level, pool);
        run_strips(&(job){.level = level + 1, .other = level}, pool, gather_rows);
    }
    rn_level *last = &m->levels[m->count - 1];
    for (int i = 0; i < COARSEST_SWEEPS; i++) {
        relax(last, pool, STEP_ONE);
        relax(last, pool, STEP_TWO);
    }
    for (int l = m->count - 1; l >= 0; l--) {
        rn_level *level = &m->levels[l];
        if (l + 1 < m->count) run_strips(&(job){.level = level, .other = level + 1}, pool, spread_rows);
        relax(level, pool, STEP_TWO);
        relax(level, pool, STEP_ONE);
    }
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* Products are summed over blocks of 32 columns by a binary tree in floats, and over all blocks of the grid by a
   binary tree in doubles, where blocks without unknowns count 0. The result is the same for any number of threads,
   any vector width, and on a GPU. */

typedef struct product {
    const rn_block *blocks;
    const float *a, *b;
    double *sums;
} product;

/* The sum of a block's products a*b: one half is added to the other until one is left. */
static double block_product(const rn_block *block, const float *a, const float *b) {
    float v[RN_BLOCK_COLUMNS];
    for (int part = 0; part < RN_BLOCK_COLUMNS / PART; part++) {
        const bool there = block->parts >> part & 1;
        const int32_t c = block->slot + part * PART;
        for (int k = 0; k < PART; k++) v[part * PART + k] = there ? a[c + k] * b[c + k] : 0.0f;
    }
    for (int k = 0; k < 16; k++) v[k] += v[k + 16];
    for (int k = 0; k < 8; k++) v[k] += v[k + 8];
    for (int k = 0; k < 4; k++) v[k] += v[k + 4];
    return (double)((v[0] + v[2]) + (v[1] + v[3]));
}

/* A task over blocks: writes the sum of products of each to `sums`. */
static void product_blocks(void *context, int begin, int end, int worker) {
    const product *p = context;
    (void)worker;
    RN_FOR_ITEMS (i, begin, end) p->sums[i] = block_product(&p->blocks[i], p->a, p->b);
}

#if defined(RN_GPU)
/* Products of many blocks of columns. */
typedef struct product_items {
    product product;
    int32_t count, size; /* blocks of columns, and of an item */
} product_items;

/* By lanes: an item of these. */
static void product_item(const void *context, int item) {
    const product_items *items = context;
    product_blocks((void *)&items->product, item * items->size, item_end(item, items->size, items->count), 0);
}
#endif

/* Lists the blocks with unknowns from the strips of level 0; strips of one row may share a block. */
static void list_blocks(rn_multigrid *m) {
    const rn_level *level = &m->levels[0];
    const rn_grid *g = &level->grid;
    const int in_row = (g->nx + RN_BLOCK_COLUMNS - 1) / RN_BLOCK_COLUMNS;
    m->block_count = 0;
    for (int32_t s = 0; s < level->strip_count; s++) {
        const rn_strip *strip = &level->strips[s];
        const int from = strip_begin(level, strip), row = (strip->layer * g->ny + strip->y) * in_row;
        for (int x = from; x < from + strip->count; x += PART) {
            const int32_t index = row + x / RN_BLOCK_COLUMNS;
            rn_block *last = m->block_count ? &m->blocks[m->block_count - 1] : NULL;
            if (!last || last->index != index) {
                last = &m->blocks[m->block_count++];
                *last = (rn_block){.slot = strip->slot + (x - from) - x % RN_BLOCK_COLUMNS, .index = index};
            }
            last->parts |= 1 << x % RN_BLOCK_COLUMNS / PART;
        }
    }
}

/* Block k is added to the first block that lies in the same part of the tree as the block before it, at the level where
   both parts meet. Returns that level; *into: the number of that block. */
static int tree_level(const rn_multigrid *m, int32_t k, int32_t *into) {
    const int level = 31 - __builtin_clz((uint32_t)(m->blocks[k].index ^ m->blocks[k - 1].index));
    const int32_t least = m->blocks[k].index >> (level + 1) << (level + 1);
    int32_t low = 0, high = k - 1; /* the answer is one of these */
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (m->blocks[middle].index < least) low = middle + 1;
        else high = middle;
    }
    *into = low;
    return level;
}

/* Lists the additions of sum_tree by levels. Neighbours by index are added in pairs; single ones are kept. */
static void list_sums(rn_multigrid *m) {
    int32_t into, count[RN_MOST_HEIGHT] = {0};
    for (int32_t k = 1; k < m->block_count; k++) count[tree_level(m, k, &into)]++;
    m->sum_level[0] = 0;
    for (int level = 0; level < RN_MOST_HEIGHT; level++) {
        m->sum_level[level + 1] = m->sum_level[level] + count[level];
        count[level] = m->sum_level[level];
    }
    for (int32_t k = 1; k < m->block_count; k++) {
        const int32_t at = count[tree_level(m, k, &into)]++;
        m->sum_order[at] = k;
        m->sum_into[at] = into;
    }
}

/* The sum of all `sums`, which are overwritten. By lanes. */
static double sum_tree(const rn_multigrid *m) {
    for (int level = 0; level < RN_MOST_HEIGHT; level++) {
        if (m->sum_level[level] == m->sum_level[level + 1]) continue;
        RN_FOR_ITEMS (i, m->sum_level[level], m->sum_level[level + 1])
            m->sums[m->sum_into[i]] += m->sums[m->sum_order[i]];
        rn_lanes_meet();
    }
    return m->block_count ? m->sums[0] : 0.0;
}

/* The dot product of two arrays over all unknowns of level 0; the same for any number of threads. By lanes. */
static double dot(rn_multigrid *m, rn_pool *pool, const float *a, const float *b) {
    product p = {m->blocks, a, b, m->sums};
    rn_lanes_meet(); /* all have read the last sum */
#if defined(RN_GPU)
    if (m->levels[0].slots >= SPREAD) {
        const int most = 2 * rn_pool_size(pool) * rn_lanes_all(),
                  size = (m->block_count + most - 1) / most * rn_lanes_all();
        rn_lanes_spread(item_count(m->block_count, size), product_item, (&(product_items){p, m->block_count, size}));
        return sum_tree(m);
    }
#else
    if (m->levels[0].slots >= SHARED) {
        rn_parallel_for(pool, m->block_count, product_blocks, &p);
        return sum_tree(m);
    }
#endif
    (void)pool;
    product_blocks(&p, 0, m->block_count, 0);
    rn_lanes_meet();
    return sum_tree(m);
}

/* The largest absolute value in strips `begin` to `end` - 1; NAN if any is NaN. By lanes. */
static float largest_of(const rn_level *level, const float *values, int begin, int end) {
    rn_wide most = {0};
    rn_mask lost = {0};
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count) {
            const rn_wide value = rn_load(values + c);
            most = rn_greater(rn_size(value), most);
            lost |= value != value;
        }
    }
    const float largest = rn_lanes_greatest(rn_greatest(most));
    return rn_lanes_any(rn_any(lost)) ? NAN : largest;
}

#if defined(RN_GPU)
typedef struct looking {
    const rn_multigrid *m;
    const float *values;
    int size; /* strips of an item */
} looking;

/* By lanes: an item of strips. */
static void look_item(const void *context, int item) {
    const looking *look = context;
    const rn_level *level = &look->m->levels[0];
    const float largest =
        largest_of(level, look->values, item * look->size, item_end(item, look->size, level->strip_count));
    if (rn_lanes_own() == 0) look->m->largest[item] = largest;
}

/* As largest_of for all strips, by all blocks. */
static float largest_by_blocks(const rn_multigrid *m, const float *values) {
    const int size = item_size(&m->levels[0]), count = item_count(m->levels[0].strip_count, size);
    float most = 0.0f;
    bool lost = false;
    rn_lanes_spread(count, look_item, (&(looking){m, values, size}));
    RN_FOR_ITEMS (i, 0, count) {
        most = m->largest[i] > most ? m->largest[i] : most;
        lost = lost || m->largest[i] != m->largest[i];
    }
    most = rn_lanes_greatest(most);
    return rn_lanes_any(lost) ? NAN : most;
}
#endif

float rn_multigrid_largest(const rn_multigrid *m, const float *values) {
#if defined(RN_GPU)
    if (m->levels[0].slots >= SPREAD) return largest_by_blocks(m, values);
#endif
    return largest_of(&m->levels[0], values, 0, m->levels[0].strip_count);
}

/* A task over strips: to += factor * from. */
static void advance_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &j->level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count)
            rn_store(j->to + c, rn_load(j->to + c) + j->factor * rn_load(j->from + c));
    }
}

/* A task over strips: to = from + factor * to. */
static void turn_rows(void *context, int begin, int end, int worker) {
    const job *j = context;
    (void)worker;
    RN_FOR_ROWS (s, begin, end) {
        const rn_strip *strip = &j->level->strips[s];
        RN_FOR_LANES (c, strip->slot, strip->slot + strip->count)
            rn_store(j->to + c, rn_load(j->from + c) + j->factor * rn_load(j->to + c));
    }
}

/* Lists the strips of coarser levels, and blocks, unless those of level 0 are the same as before. By lanes. */
static void list_all(rn_multigrid *m) {
    if (m->listed) return;
    if (rn_lanes_own() == 0) {
        for (int l = 1; l < m->count; l++) coarsen_strips(&m->levels[l - 1], &m->levels[l]);
        list_blocks(m);
        list_sums(m);
    }
    rn_lanes_meet();
    if (rn_lanes_own() == 0) m->listed = true;
}

rn_solve rn_multigrid_solve(rn_multigrid *m, rn_pool *pool, float tolerance, int most) {
    rn_level *level = &m->levels[0];
    rn_solve solve = {.residual = rn_multigrid_largest(m, level->b)};
    run_strips(&(job){.level = level, .to = m->solution}, pool, clear_rows);
    run_strips(&(job){.level = level, .to = m->along}, pool, clear_rows);
    solve.converged = solve.residual <= tolerance;
    if (solve.converged) return solve;
    list_all(m);
    prepare_levels(m, pool);
    double before = 0.0;
    while (solve.iterations < most) {
        run_v_cycle(m, pool);
        const double now = dot(m, pool, level->b, level->x);
        if (!(now > 0.0)) break;
        const float turn = solve.iterations ? (float)(now / before) : 0.0f;
        run_strips(&(job){.level = level, .factor = turn, .from = level->x, .to = m->along}, pool, turn_rows);
        run_strips(&(job){.level = level, .from = m->along, .to = m->image}, pool, multiply_rows);
        add_irregular(level, m->along, m->image, 1.0f);
        const double bend = dot(m, pool, m->along, m->image);
        if (!(bend > 0.0)) break;
        const float way = (float)(now / bend);
        run_strips(&(job){.level = level, .factor = way, .from = m->along, .to = m->solution}, pool, advance_rows);
        run_strips(&(job){.level = level, .factor = -way, .from = m->image, .to = level->b}, pool, advance_rows);
        before = now;
        solve.iterations++;
        solve.residual = rn_multigrid_largest(m, level->b);
        if (!(solve.residual > tolerance)) break;
    }
    solve.converged = solve.residual <= tolerance;
    return solve;
}
