/* Memory and irregular links of a multigrid (solver/multigrid.h): rn_multigrid_fit and rn_multigrid_fit_some.

   Each level lists its links twice: by columns, and by the coarser links that they become. On the next level links
   between the same two columns are one. */
#include "base/memory.h"
#include "solver/graph.h"
#include "solver/multigrid.h"

#include <stdlib.h>
#include <string.h>

/* The number of links across periodic edges, one for each row of cells that meets one, in every layer. */
static size_t wrap_count(const rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    return (size_t)g->layers *
           ((s->columns.periodic_x ? (size_t)g->ny : 0) + (s->columns.periodic_y ? (size_t)g->nx : 0));
}

int32_t rn_multigrid_wrap(const rn_state *s, int axis, int32_t slot) {
    const rn_grid *g = &s->columns.grid;
    const rn_spot at = rn_slot_place(g, slot);
    if (axis == 0) return s->graph.irregular_count + at.layer * g->ny + at.y;
    return s->graph.irregular_count + (s->columns.periodic_x ? g->layers * g->ny : 0) + at.layer * g->nx + at.x;
}

/* Makes room for a number of irregular links; drops old ones. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result fit_links(rn_multigrid *m, rn_level *level, size_t irregular) {
    level->irregular_count = (int32_t)irregular;
    if (irregular <= level->irregular_capacity && level->irregular_a) return RN_OK;
    int32_t **const ends[] = {&level->irregular_a, &level->irregular_b, &level->irregular_parent};
    const size_t room = irregular + irregular / 4;
    bool fine = true;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        rn_free(&m->hooks, *ends[i]);
        fine = (*ends[i] = rn_alloc(&m->hooks, room, sizeof(int32_t))) && fine;
    }
    rn_free(&m->hooks, level->irregular_link);
    fine = (level->irregular_link = rn_alloc(&m->hooks, room, sizeof(float))) && fine;
    rn_free(&m->hooks, level->linked);
    fine = (level->linked = rn_alloc(&m->hooks, 2 * room, sizeof(int32_t))) && fine;
    level->irregular_capacity = room;
    return fine ? RN_OK : RN_MEMORY;
}

/* The largest number of strips that a level of this grid can have. */
static size_t most_strips(const rn_grid *g) {
    return (size_t)g->layers * (size_t)g->ny * ((size_t)g->nx / (RN_STRIPS_APART + RN_LANES_MOST) + 1);
}

/* The largest number of blocks that this grid can have. */
static size_t most_blocks(const rn_grid *g) {
    return (size_t)g->layers * (size_t)g->ny * (size_t)((g->nx + RN_BLOCK_COLUMNS - 1) / RN_BLOCK_COLUMNS);
}

/* Allocates the arrays of a level, but no links. Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result allocate_level(rn_multigrid *m, rn_level *level) {
    const size_t slots = (size_t)level->grid.slots;
    float **const arrays[] = {&level->own, &level->link_x, &level->link_y, &level->x,
                              &level->b,   &level->r,      &level->inverse};
    bool fine = true;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        fine = (*arrays[i] = rn_alloc(&m->hooks, slots, sizeof(float))) && fine;
    level->strips = rn_alloc(&m->hooks, most_strips(&level->grid), sizeof *level->strips);
    return fine && level->strips ? RN_OK : RN_MEMORY;
}

/* Frees the arrays of a level, whose pointers stay as they are. */
static void free_level(const rn_hooks *hooks, rn_level *level) {
    void *const arrays[] = {
        level->own,
        level->link_x,
        level->link_y,
        level->x,
        level->b,
        level->r,
        level->inverse,
        level->irregular_a,
        level->irregular_b,
        level->strips,
        level->linked,
        level->irregular_link,
        level->ends.target,
        level->ends.begin,
        level->ends.links,
        level->irregular_parent,
        level->merged.target,
        level->merged.begin,
        level->merged.links,
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) rn_free(hooks, arrays[i]);
}

void rn_multigrid_free(rn_multigrid *m) {
    for (int l = 0; l < m->count; l++) free_level(&m->hooks, &m->levels[l]);
    rn_free(&m->hooks, m->solution);
    rn_free(&m->hooks, m->along);
    rn_free(&m->hooks, m->image);
    rn_free(&m->hooks, m->blocks);
    rn_free(&m->hooks, m->sums);
    rn_free(&m->hooks, m->largest);
    rn_free(&m->hooks, m->sum_order);
    rn_free(&m->hooks, m->sum_into);
    rn_free(&m->hooks, m->levels);
    *m = (rn_multigrid){.hooks = m->hooks};
}

size_t rn_multigrid_bytes(const rn_multigrid *m) {
    size_t bytes = m->count > 0 ? RN_MOST_LEVELS * sizeof *m->levels : 0;
    for (int l = 0; l < m->count; l++) {
        const rn_level *level = &m->levels[l];
        bytes += (size_t)level->grid.slots * (l ? 7 : 10) * sizeof(float) + level->irregular_capacity * 24 +
                 (level->ends.capacity + level->merged.capacity) * 12 +
                 most_strips(&level->grid) * sizeof *level->strips +
                 (l ? 0 : most_strips(&level->grid) * sizeof *m->largest) +
                 (l ? 0 : most_blocks(&level->grid) * (sizeof *m->blocks + sizeof *m->sums + 2 * sizeof(int32_t)));
    }
    return bytes;
}

/* The slot of a junction, or -1 if its value is known to be 0: at sinks, beyond open edges and in holes. */
static int32_t unknown_slot(const rn_state *s, int32_t slot) { return rn_junction_of(s, slot)->sink ? -1 : slot; }

/* Lists the links of level 0 other than those to the next column: all irregular pipes, or only those with numbers[i]
   not 0, which becomes the number of the link; then links across periodic edges. */
static void list_links(const rn_state *s, rn_level *level, int32_t *numbers) {
    const rn_grid *g = &s->columns.grid;
    int32_t n = 0;
    for (int32_t i = 0; i < s->graph.irregular_count; i++) {
        if (numbers && numbers[i] == 0) continue;
        if (numbers) numbers[i] = n;
        level->irregular_a[n] = unknown_slot(s, s->graph.irregular_a[i]);
        level->irregular_b[n++] = unknown_slot(s, s->graph.irregular_b[i]);
    }
    for (int l = 0; s->columns.periodic_x && l < g->layers; l++)
        for (int y = 0; y < g->ny; y++, n++)
            level->irregular_a[n] = rn_slot(g, l, y, g->nx - 1), level->irregular_b[n] = rn_slot(g, l, y, 0);
    for (int l = 0; s->columns.periodic_y && l < g->layers; l++)
        for (int x = 0; x < g->nx; x++, n++)
            level->irregular_a[n] = rn_slot(g, l, g->ny - 1, x), level->irregular_b[n] = rn_slot(g, l, 0, x);
}

typedef struct pair {
    int32_t a, b, from; /* coarse ends; number of the finer link */
} pair;

/* Compares by ends, then by number, for qsort. */
static int compare_pairs(const void *left, const void *right) {
    const pair *p = left, *q = right;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return p->from < q->from ? -1 : p->from > q->from;
}

/* Finds which links are added to which targets, from `count` pairs of a target (a) and a link (b), which are sorted.
   Returns RN_MEMORY, with a message, if memory runs out. */
static rn_result sort_links(const rn_hooks *hooks, rn_link_sums *sums, pair *pairs, size_t count) {
    if (count > sums->capacity || !sums->begin) {
        const size_t room = count + count / 4;
        int32_t **const arrays[] = {&sums->target, &sums->begin, &sums->links};
        bool fine = true;
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
            rn_free(hooks, *arrays[i]);
            fine = (*arrays[i] = rn_alloc(hooks, room + 1, sizeof(int32_t))) && fine;
        }
        sums->capacity = fine ? room : 0;
        sums->count = 0;
        if (!fine) return RN_MEMORY;
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    sums->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || pairs[i].a != pairs[i - 1].a) {
            sums->target[sums->count] = pairs[i].a;
            sums->begin[sums->count++] = (int32_t)i;
        }
        sums->links[i] = pairs[i].b;
    }
    sums->begin[sums->count] = (int32_t)count;
    return RN_OK;
}

/* Finds the links of columns of a level. `pairs` has room for two pairs per link. */
static rn_result sort_ends(const rn_hooks *hooks, rn_level *level, pair *pairs) {
    size_t count = 0;
    for (int32_t n = 0; n < level->irregular_count; n++) {
        if (level->irregular_a[n] >= 0) pairs[count++] = (pair){.a = level->irregular_a[n], .b = 2 * n};
        if (level->irregular_b[n] >= 0) pairs[count++] = (pair){.a = level->irregular_b[n], .b = 2 * n + 1};
    }
    return sort_links(hooks, &level->ends, pairs, count);
}

/* Finds the links of the finer level that are summed into those, or columns, of the coarse one. */
static rn_result sort_merged(const rn_hooks *hooks, const rn_level *fine, rn_level *coarse, pair *pairs) {
    size_t count = 0;
    for (int32_t n = 0; n < fine->irregular_count; n++)
        if (fine->irregular_parent[n] != -1) pairs[count++] = (pair){.a = fine->irregular_parent[n], .b = n};
    return sort_links(hooks, &coarse->merged, pairs, count);
}

/* The coarse column that a fine slot is part of; -1 stays -1. */
static int32_t coarse_slot(const rn_grid *fine, const rn_grid *coarse, int32_t slot) {
    if (slot < 0) return -1;
    const rn_spot at = rn_slot_place(fine, slot);
    return rn_slot(coarse, at.layer, at.y / 2, at.x / 2);
}

/* Lists the links of the coarse level in `pairs`, with room for those of `fine`, and returns their number; sets
   irregular_parent of fine links. Links between the same two columns are merged; those within one column vanish. */
static size_t merge_links(rn_level *fine, const rn_grid *coarse, pair *pairs) {
    size_t count = 0, merged = 0;
    for (int32_t n = 0; n < fine->irregular_count; n++) {
        const int32_t a = coarse_slot(&fine->grid, coarse, fine->irregular_a[n]),
                      b = coarse_slot(&fine->grid, coarse, fine->irregular_b[n]);
        fine->irregular_parent[n] = a < 0 ? -2 - b : b < 0 ? -2 - a : -1;
        if (a < 0 || b < 0 || a == b) continue;
        pairs[count++] = a < b ? (pair){a, b, n} : (pair){b, a, n};
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        const bool same = i > 0 && pairs[i].a == pairs[merged - 1].a && pairs[i].b == pairs[merged - 1].b;
        const int32_t from = pairs[i].from;
        if (!same) pairs[merged++] = pairs[i];
        fine->irregular_parent[from] = (int32_t)merged - 1;
    }
    return merged;
}

/* Allocates all levels of a grid, down to 1 x 1 cells, without links. Returns RN_MEMORY, with a message, if memory runs
   out; the caller frees what was allocated. */
static rn_result allocate_levels(rn_multigrid *m, const rn_grid *grid) {
    rn_level *level = m->levels = rn_alloc(&m->hooks, RN_MOST_LEVELS, sizeof *level);
    if (!level) return RN_MEMORY;
    level->grid = *grid;
    m->count = 1;
    const size_t slots = (size_t)grid->slots;
    m->solution = rn_alloc(&m->hooks, slots, sizeof(float));
    m->along = rn_alloc(&m->hooks, slots, sizeof(float));
    m->image = rn_alloc(&m->hooks, slots, sizeof(float));
    m->blocks = rn_alloc(&m->hooks, most_blocks(grid), sizeof *m->blocks);
    m->sums = rn_alloc(&m->hooks, most_blocks(grid), sizeof *m->sums);
    m->largest = rn_alloc(&m->hooks, most_strips(grid), sizeof *m->largest);
    m->sum_order = rn_alloc(&m->hooks, most_blocks(grid), sizeof *m->sum_order);
    m->sum_into = rn_alloc(&m->hooks, most_blocks(grid), sizeof *m->sum_into);
    if (!m->solution || !m->along || !m->image || !m->blocks || !m->sums || !m->largest || !m->sum_order ||
        !m->sum_into)
        return RN_MEMORY;
    rn_result result = allocate_level(m, level);
    while (result == RN_OK && m->count < RN_MOST_LEVELS && (level->grid.nx > 1 || level->grid.ny > 1)) {
        rn_level *coarse = level + 1;
        coarse->grid = rn_grid_of((level->grid.nx + 1) / 2, (level->grid.ny + 1) / 2, level->grid.layers, 1);
        m->count++;
        result = allocate_level(m, coarse);
        level = coarse;
    }
    return result;
}

/* Lists the irregular links of all levels; `numbers`: from rn_multigrid_fit_some, or NULL. Fails with RN_MEMORY. */
static rn_result link_levels(rn_multigrid *m, const rn_state *s, int32_t *numbers) {
    rn_level *fine = &m->levels[0];
    size_t irregular = numbers ? 0 : (size_t)s->graph.irregular_count;
    for (int32_t i = 0; numbers && i < s->graph.irregular_count; i++) irregular += numbers[i] != 0;
    rn_result result = fit_links(m, fine, irregular + wrap_count(s));
    if (result != RN_OK) return result;
    list_links(s, fine, numbers);
    pair *pairs = rn_alloc(&m->hooks, 2 * (size_t)fine->irregular_count, sizeof *pairs);
    if (!pairs) return RN_MEMORY;
    result = sort_ends(&m->hooks, fine, pairs);
    for (int l = 1; result == RN_OK && l < m->count; l++, fine++) {
        rn_level *coarse = fine + 1;
        const size_t merged = merge_links(fine, &coarse->grid, pairs);
        result = fit_links(m, coarse, merged);
        for (size_t i = 0; result == RN_OK && i < merged; i++)
            coarse->irregular_a[i] = pairs[i].a, coarse->irregular_b[i] = pairs[i].b;
        if (result == RN_OK) result = sort_merged(&m->hooks, fine, coarse, pairs);
        if (result == RN_OK) result = sort_ends(&m->hooks, coarse, pairs);
    }
    rn_free(&m->hooks, pairs);
    return result;
}

/* Fits memory and links to the state; `numbers`: as in link_levels. Returns RN_MEMORY, with all memory freed. */
static rn_result fit_to(rn_multigrid *m, const rn_state *s, int32_t *numbers) {
    const rn_grid *was = m->count > 0 ? &m->levels[0].grid : NULL;
    const bool fits =
        was && was->nx == s->columns.grid.nx && was->ny == s->columns.grid.ny && was->layers == s->columns.grid.layers;
    rn_result result = RN_OK;
    if (fits) {
        rn_multigrid_clear(m); /* while its links are still those of the last system */
    } else {
        m->hooks = s->columns.hooks;
        rn_multigrid_free(m);
        result = allocate_levels(m, &s->columns.grid);
    }
    if (result == RN_OK) result = link_levels(m, s, numbers);
    m->shape = s->columns.shape;
    m->partial = numbers != NULL;
    if (result != RN_OK) rn_multigrid_free(m);
    return result;
}

rn_result rn_multigrid_fit(rn_multigrid *m, const rn_state *s) {
    return m->count > 0 && m->shape == s->columns.shape && !m->partial ? RN_OK : fit_to(m, s, NULL);
}

rn_result rn_multigrid_fit_some(rn_multigrid *m, const rn_state *s, int32_t *numbers) { return fit_to(m, s, numbers); }
