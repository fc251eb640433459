/* Conjugate gradients with a multigrid V-cycle (McAdams, Sifakis & Teran 2010, with other parts).

   Smoothing passes over rows of one colour, even or odd j + k, then over the other: rows of a colour do not touch,
   and within a row every cell uses the old values of its neighbours. Down in the order even, odd and up in the order
   odd, even the V-cycle is symmetric, as conjugate gradients need. A coarse cell contains eight fine ones; it gets
   the sum of their residuals, and its solution is added to all of them. Its links are halved, because the distance
   between centres is twice that of fine cells.

   Sums are added up span by span and then in the order of spans, so the number of threads does not matter. Numbers are
   floats, sums are doubles. */
#include "mac/multigrid.h"

#include "base/memory.h"
#include "mac/bodies.h"
#include "mac/solve_sweeps.h"

#include <string.h>

enum {
    COARSEST = 4, /* cells along each axis at which coarsening ends */
    SWEEPS = 2,
    COARSEST_SWEEPS = 8,
    MOST_ITERATIONS = 100,
    FEW = 4096, /* number of unknowns that one thread processes faster alone */
};

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Sets *coarse to the grid of half as many cells along each axis, rounded up; `coarse` may be `fine`. Returns false,
   without a coarser grid, if no axis has more than COARSEST cells, or a periodic x cannot be halved. */
static bool coarsen(const rn_mac_grid *fine, bool periodic, rn_mac_grid *coarse) {
    const int *n = fine->n;
    if (n[0] <= COARSEST && n[1] <= COARSEST && n[2] <= COARSEST) return false;
    if (periodic && (n[0] % 2 != 0 || n[0] <= 2)) return false;
    *coarse = rn_mac_grid_of((n[0] + 1) / 2, (n[1] + 1) / 2, (n[2] + 1) / 2);
    return true;
}

/* The largest number of spans of one colour. A span takes at least one cell and the RN_MAC_GAP - 1 cells after it. */
static size_t most_spans(const rn_mac_grid *g) {
    return ((size_t)g->rows / 2 + 1) * (size_t)(g->n[0] / RN_MAC_GAP + 1);
}

/* Allocates the arrays of a level; x, b and r of the finest are elsewhere. Returns false if memory runs out. */
static bool create_level(rn_mac *mac, rn_mac_level *l, bool finest) {
    const size_t cells = (size_t)l->grid.cells, spans = most_spans(&l->grid);
    float **arrays[] = {&l->link[0], &l->link[1], &l->link[2], &l->diagonal, &l->inverse, &l->x, &l->b, &l->r};
    const int count = finest ? 5 : 8;
    for (int i = 0; i < count; i++)
        if (!(*arrays[i] = rn_alloc(&mac->hooks, cells, sizeof(float)))) return false;
    for (int colour = 0; colour < 2; colour++)
        if (!(l->spans[colour] = rn_alloc(&mac->hooks, spans, sizeof(rn_mac_span)))) return false;
    return true;
}

bool rn_mac_multigrid_create(rn_mac *mac) {
    rn_mac_grid grid = mac->grid;
    const size_t cells = (size_t)grid.cells;
    rn_mac_level *finest = &mac->level[0];
    do {
        rn_mac_level *l = &mac->level[mac->levels++];
        l->grid = grid;
        if (!create_level(mac, l, l == finest)) return false;
    } while (mac->levels < RN_MAC_LEVELS && coarsen(&mac->level[mac->levels - 1].grid, mac->def.periodic_x, &grid));
    finest->x = mac->scratch;
    finest->b = mac->scratch + cells;
    finest->r = mac->scratch + 2 * cells;
    mac->pressure = mac->scratch + 3 * cells;
    mac->direction = mac->scratch + 4 * cells;
    mac->image = mac->scratch + 5 * cells;
    mac->sums = rn_alloc(&mac->hooks, 2 * most_spans(&mac->grid), sizeof *mac->sums);
    return mac->sums != NULL;
}

void rn_mac_multigrid_free(rn_mac *mac) {
    for (int k = 0; k < mac->levels; k++) {
        rn_mac_level *l = &mac->level[k];
        float *arrays[] = {l->link[0], l->link[1], l->link[2], l->diagonal, l->inverse, l->x, l->b, l->r};
        for (int i = 0; i < (k == 0 ? 5 : 8); i++) rn_free(&mac->hooks, arrays[i]);
        for (int colour = 0; colour < 2; colour++) rn_free(&mac->hooks, l->spans[colour]);
    }
    rn_free(&mac->hooks, mac->sums);
}

uint64_t rn_mac_multigrid_bytes(const rn_mac_grid *grid, bool periodic) {
    uint64_t bytes = 2 * (uint64_t)most_spans(grid) * sizeof(double);
    rn_mac_grid g = *grid;
    int levels = 0;
    do {
        bytes += (levels == 0 ? 5u : 8u) * (uint64_t)g.cells * sizeof(float);
        bytes += 2 * (uint64_t)most_spans(&g) * sizeof(rn_mac_span);
        levels++;
    } while (levels < RN_MAC_LEVELS && coarsen(&g, periodic, &g));
    return bytes;
}

/* ---- Work shared by threads -------------------------------------------------------------------------------------- */

/* A loop over the spans of one colour of a level. */
typedef struct sweep {
    rn_mac *mac;
    rn_mac_level *level;
    const rn_mac_solve_sweeps *sweeps;
    int colour;
    float scale;
} sweep;

/* Runs `task` on all spans of one colour of s->level, on one thread if the level is small. */
static void share_spans(sweep *s, rn_task task, int colour) {
    s->colour = colour;
    if (s->level->unknowns < FEW) task(s, 0, s->level->span_count[colour], 0);
    else rn_parallel_for(s->mac->pool, s->level->span_count[colour], task, s);
}

/* Runs `task` on all spans of both colours of s->level. */
static void share_all_spans(sweep *s, rn_task task) {
    share_spans(s, task, 0);
    share_spans(s, task, 1);
}

/* Where a span of s->colour stores its sum or largest value. The order does not depend on threads. */
static double *sum_of(const sweep *s, int span) {
    return &s->mac->sums[span + (s->colour ? s->level->span_count[0] : 0)];
}

/* The sum of the values of all spans of level 0 in mac->sums, in the order of spans. */
static double add_sums(const rn_mac *mac) {
    double sum = 0.0;
    for (int i = 0; i < mac->level[0].span_count[0] + mac->level[0].span_count[1]; i++) sum += mac->sums[i];
    return sum;
}

/* The largest of the values that spans of level 0 have left in mac->sums; 0 if all are below 0. */
static double largest_sum(const rn_mac *mac) {
    double most = 0.0;
    for (int i = 0; i < mac->level[0].span_count[0] + mac->level[0].span_count[1]; i++)
        most = mac->sums[i] > most ? mac->sums[i] : most;
    return most;
}

/* If x is periodic, copies the array x to the cells beyond both ends of the span, which is then a whole row. */
static void join_ends(const sweep *s, rn_mac_span span, float *x) {
    if (!s->mac->def.periodic_x) return;
    x[span.begin - 1] = x[span.end - 1];
    x[span.end] = x[span.begin];
}

/* ---- The V-cycle ------------------------------------------------------------------------------------------------- */

/* A task over spans: one step of Jacobi in each. */
static void relax_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    float row[RN_MAC_LONGEST];
    for (int i = begin; i < end; i++) {
        rn_mac_span span = s->level->spans[s->colour][i];
        join_ends(s, span, s->level->x);
        s->sweeps->relax(s->level, span, row);
        join_ends(s, span, s->level->x);
    }
}

/* A task over spans: x = 0. */
static void zero_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = s->level->spans[s->colour][i];
        memset(s->level->x + span.begin, 0, (size_t)(span.end - span.begin) * sizeof(float));
        join_ends(s, span, s->level->x);
    }
}

/* A task over spans: one step of Jacobi in each from x = 0 everywhere. */
static void first_relax_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    const rn_mac_level *l = s->level;
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = l->spans[s->colour][i];
        for (int32_t c = span.begin; c < span.end; c++) l->x[c] = l->inverse[c] * l->b[c];
        join_ends(s, span, l->x);
    }
}

/* A task over spans: r = b - A x. */
static void residual_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    for (int i = begin; i < end; i++) s->sweeps->residual(s->level, s->level->spans[s->colour][i]);
}

/* The row of cells that a span lies in. */
static rn_mac_row row_of_span(const rn_mac_grid *g, rn_mac_span span) {
    return rn_mac_row_of(g, span.begin / g->step[1]);
}

/* A task over spans of s->level, the coarse one: b = the sum of the eight residuals below. Fine cells that are not
   unknowns must have r = 0. */
static void restrict_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    const rn_mac_level *coarse = s->level, *fine = s->level - 1;
    const int32_t sy = fine->grid.step[1], sz = fine->grid.step[2];
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = coarse->spans[s->colour][i];
        const rn_mac_row row = row_of_span(&coarse->grid, span);
        const float *r = fine->r + rn_mac_cell(&fine->grid, 2 * (span.begin - row.at), 2 * row.j, 2 * row.k);
        for (int32_t c = span.begin; c < span.end; c++, r += 2)
            coarse->b[c] =
                ((r[0] + r[1]) + (r[sy] + r[sy + 1])) + ((r[sz] + r[sz + 1]) + (r[sy + sz] + r[sy + sz + 1]));
    }
}

/* A task over spans of s->level, the fine one: x += x of the coarse cell above, for unknowns. */
static void prolong_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    const rn_mac_level *fine = s->level, *coarse = s->level + 1;
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = fine->spans[s->colour][i];
        const rn_mac_row row = row_of_span(&fine->grid, span);
        const float *x = coarse->x + rn_mac_cell(&coarse->grid, 0, row.j / 2, row.k / 2);
        for (int32_t c = span.begin; c < span.end; c++)
            fine->x[c] += fine->inverse[c] != 0.0f ? x[(c - row.at) / 2] : 0.0f;
        join_ends(s, span, fine->x);
    }
}

/* Relaxes all spans `times` times, those of colour `first` before the others. */
static void smooth(sweep *s, int times, int first) {
    for (int i = 0; i < times; i++) {
        share_spans(s, relax_spans, first);
        share_spans(s, relax_spans, 1 - first);
    }
}

/* Like smooth from x = 0, with the spans of colour 0 first. */
static void smooth_from_zero(sweep *s, int times) {
    share_spans(s, zero_spans, 1);
    share_spans(s, first_relax_spans, 0);
    share_spans(s, relax_spans, 1);
    smooth(s, times - 1, 0);
}

/* One V-cycle from `level` down and up again. Writes an approximate solution of A x = b, found from x = 0, to x of this
   level, which is then s->level. Overwrites r, and x, b and r of coarser levels. */
static void cycle(sweep *s, int level) {
    rn_mac_level *here = &s->mac->level[level];
    s->level = here;
    const bool coarsest = level == s->mac->levels - 1;
    const int times = coarsest ? COARSEST_SWEEPS : SWEEPS + (level > 0);
    smooth_from_zero(s, times);
    if (!coarsest) {
        share_all_spans(s, residual_spans);
        s->level = here + 1;
        share_all_spans(s, restrict_spans);
        cycle(s, level + 1);
        s->level = here;
        share_all_spans(s, prolong_spans);
    }
    smooth(s, times, 1);
}

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

/* Adds the spans of a row: unknowns less than RN_MAC_GAP cells apart share a span. With `whole` the span is the whole
   row, if the row has an unknown. Adds the cells of all spans, also those that are not unknowns, to l->unknowns. */
static void add_spans(rn_mac_level *l, const rn_mac_row *row, bool whole) {
    const int colour = (row->j + row->k) & 1, nx = l->grid.n[0];
    const float *diagonal = l->diagonal + row->at;
    for (int i = 0; i < nx; i++) {
        if (diagonal[i] == 0.0f) continue;
        int last = i;
        for (int n = i; n < nx && n - last < RN_MAC_GAP; n++)
            if (diagonal[n] != 0.0f) last = n;
        rn_mac_span *span = &l->spans[colour][l->span_count[colour]++];
        *span = whole ? (rn_mac_span){row->at, row->at + nx} : (rn_mac_span){row->at + i, row->at + last + 1};
        l->unknowns += span->end - span->begin;
        if (whole) return;
        i = last;
    }
}

/* Finds the spans of both colours of a level, and l->unknowns, the number of cells in spans, from the diagonal. */
static void find_spans(rn_mac *mac, rn_mac_level *l) {
    l->span_count[0] = l->span_count[1] = l->unknowns = 0;
    for (int r = 0; r < l->grid.rows; r++) {
        const rn_mac_row row = rn_mac_row_of(&l->grid, r);
        const bool idle = l == &mac->level[0] && mac->idle[r];
        if (row.inside && !idle) add_spans(l, &row, mac->def.periodic_x);
    }
}

/* Whether any of the eight fine cells in coarse cell (i, j, k) is unknown. *surface: the part of their diagonals
   that comes from the surface, not from links. */
static bool surface_below(const rn_mac_level *fine, int i, int j, int k, float *surface) {
    const rn_mac_grid *g = &fine->grid;
    bool any = false;
    *surface = 0.0f;
    for (int n = 0; n < 8; n++) {
        const int x = 2 * i + (n & 1), y = 2 * j + (n >> 1 & 1), z = 2 * k + (n >> 2);
        if (x >= g->n[0] || y >= g->n[1] || z >= g->n[2]) continue;
        const int32_t c = rn_mac_cell(g, x, y, z);
        if (fine->diagonal[c] == 0.0f) continue;
        any = true;
        float links = 0.0f;
        for (int a = 0; a < 3; a++) links += fine->link[a][c] + fine->link[a][c + g->step[a]];
        if (fine->diagonal[c] > links) *surface += fine->diagonal[c] - links;
    }
    return any;
}

/* The link through the lower face of coarse cell (i, j, k) along axis a: half the sum of the four fine ones. */
static float link_below(const rn_mac_level *fine, int a, int i, int j, int k) {
    const int32_t c = rn_mac_cell(&fine->grid, 2 * i, 2 * j, 2 * k);
    const int32_t s = fine->grid.step[a == 0 ? 1 : 0], t = fine->grid.step[a == 2 ? 1 : 2];
    const float *link = fine->link[a];
    return 0.5f * ((link[c] + link[c + s]) + (link[c + t] + link[c + s + t]));
}

/* Whether all four rows of the finest level in a row of level 1 are idle, so that it has no unknowns. */
static bool is_above_idle_rows(const sweep *s, const rn_mac_row *row) {
    const int wide = s->mac->grid.n[1] + 2,
              r = (2 * row->j + 1) + (2 * row->k + 1) * wide; /* the last may be the rim */
    const bool *idle = s->mac->idle + r;
    return s->level == &s->mac->level[1] && idle[0] && idle[1] && idle[wide] && idle[wide + 1];
}

/* A task over rows of coarse cells, s->level: clears all arrays, then finds links, and the link at the end of periodic
   rows. The diagonal gets only the part from the surface; cells with unknowns get `inverse` 1, which close_diagonals
   replaces. */
static void link_rows(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    rn_mac_level *coarse = s->level;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&coarse->grid, r);
        const size_t first = (size_t)(row.at - 1), length = (size_t)coarse->grid.step[1] * sizeof(float);
        float *all[] = {coarse->link[0], coarse->link[1], coarse->link[2], coarse->diagonal,
                        coarse->inverse, coarse->x,       coarse->b,       coarse->r};
        for (int i = 0; i < 8; i++) memset(all[i] + first, 0, length);
        if (!row.inside || is_above_idle_rows(s, &row)) continue;
        for (int i = 0; i < coarse->grid.n[0]; i++) {
            const int32_t c = row.at + i;
            float surface;
            if (!surface_below(coarse - 1, i, row.j, row.k, &surface)) continue;
            for (int a = 0; a < 3; a++) coarse->link[a][c] = link_below(coarse - 1, a, i, row.j, row.k);
            coarse->diagonal[c] = 0.5f * surface;
            coarse->inverse[c] = 1.0f;
        }
        if (s->mac->def.periodic_x) coarse->link[0][row.at + coarse->grid.n[0]] = coarse->link[0][row.at];
    }
}

/* A task over rows: adds the links to the diagonal of cells that link_rows marked, and inverts it. Below 1e-12 both
   become 0: the cell is no unknown. */
static void close_diagonals(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    rn_mac_level *l = s->level;
    for (int r = begin; r < end; r++) {
        const rn_mac_row row = rn_mac_row_of(&l->grid, r);
        if (!row.inside) continue;
        for (int32_t c = row.at; c < row.at + l->grid.n[0]; c++) {
            if (l->inverse[c] == 0.0f) continue;
            for (int a = 0; a < 3; a++) l->diagonal[c] += l->link[a][c] + l->link[a][c + l->grid.step[a]];
            if (l->diagonal[c] < 1e-12f) l->diagonal[c] = 0.0f;
            l->inverse[c] = l->diagonal[c] != 0.0f ? 1.0f / l->diagonal[c] : 0.0f;
        }
    }
}

void rn_mac_multigrid_prepare(rn_mac *mac) {
    find_spans(mac, &mac->level[0]);
    mac->level[0].plain = !mac->nodes;
    for (int k = 1; k < mac->levels; k++) {
        sweep s = {.mac = mac, .level = &mac->level[k]};
        rn_parallel_for(mac->pool, s.level->grid.rows, link_rows, &s);
        rn_parallel_for(mac->pool, s.level->grid.rows, close_diagonals, &s);
        find_spans(mac, s.level);
    }
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

/* A task over spans: sets pressure and direction to 0, only in these spans. Stores the largest |b| of each. */
static void start_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = s->level->spans[s->colour][i];
        for (int32_t c = span.begin; c < span.end; c++) s->mac->pressure[c] = s->mac->direction[c] = 0.0f;
        *sum_of(s, i) = (double)s->sweeps->largest(span, s->level->b);
    }
}

/* A task over spans: stores the sum of b x; here b is the residual and x the preconditioned one. */
static void dot_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    for (int i = begin; i < end; i++)
        *sum_of(s, i) = s->sweeps->dot(s->level->spans[s->colour][i], s->level->b, s->level->x);
}

/* A task over spans: direction = x + scale direction. */
static void turn_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = s->level->spans[s->colour][i];
        s->sweeps->turn(span, s->mac->direction, s->level->x, s->scale);
        join_ends(s, span, s->mac->direction);
    }
}

/* A task over spans: image = A direction. Stores the sum of direction image. */
static void apply_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    for (int i = begin; i < end; i++)
        *sum_of(s, i) = s->sweeps->apply(s->level, s->level->spans[s->colour][i], s->mac->direction, s->mac->image);
}

/* A task over spans: pressure += scale direction, b -= scale image. Stores the largest |b|. */
static void advance_spans(void *context, int begin, int end, int worker) {
    (void)worker;
    const sweep *s = context;
    rn_mac *mac = s->mac;
    for (int i = begin; i < end; i++) {
        const rn_mac_span span = s->level->spans[s->colour][i];
        *sum_of(s, i) =
            (double)s->sweeps->advance(span, s->scale, mac->pressure, mac->direction, s->level->b, mac->image);
        join_ends(s, span, mac->pressure);
    }
}

/* Runs `task` on all spans of level 0, which becomes s->level. Returns the result of `joined` on the values that the
   spans stored. */
static double after_spans(sweep *s, rn_task task, double (*joined)(const rn_mac *)) {
    s->level = &s->mac->level[0];
    share_all_spans(s, task);
    return joined(s->mac);
}

int rn_mac_multigrid_solve(rn_mac *mac, double tolerance, bool bodies, double *left) {
    sweep s = {.mac = mac, .sweeps = RN_ISA_CHOSEN(rn_mac_solve_sweeps)};
    const double most = after_spans(&s, start_spans, largest_sum);
    double last = 0.0, now = most;
    int iterations = 0;
    *left = 0.0;
    if (!(most > 1e-12)) return 0;
    while (iterations < MOST_ITERATIONS && now > tolerance * most) {
        cycle(&s, 0);
        const double size = after_spans(&s, dot_spans, add_sums);
        if (!(size > 0.0)) break;
        s.scale = iterations ? (float)(size / last) : 0.0f;
        s.level = &mac->level[0];
        share_all_spans(&s, turn_spans);
        double steepness = after_spans(&s, apply_spans, add_sums);
        if (bodies) steepness += rn_mac_bodies_apply(mac, mac->direction, mac->image);
        if (!(steepness > 0.0)) break;
        s.scale = (float)(size / steepness);
        now = after_spans(&s, advance_spans, largest_sum);
        last = size;
        iterations++;
    }
    *left = now / most;
    return iterations;
}
