/* The passes of a surface build in order, once for CPU and GPU (surface/build.c says what each does).

   Interface: rn_surface_passes. On a CPU one thread calls it, and rn_surface_pass shares rows among threads. On a GPU
   all lanes call it together, and rn_surface_pass shares words of rows among them and waits for all
   (src/cuda/surface_program.c). What is done by one thread is done between two barriers there. */
#include "surface/meniscus.h"
#include "surface/surface.h"

#include <string.h>

#if !defined(RN_GPU)

void rn_surface_pass(const rn_surface_state *w, int rows, rn_task task) {
    if (w->def->threads) rn_parallel_for(w->def->threads, rows, task, (void *)w);
    else task((void *)w, 0, rows, 0);
}

uint64_t rn_surface_sum(const rn_surface_state *w, uint32_t *counts, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t here = counts[i];
        counts[i] = (uint32_t)sum;
        sum += here;
    }
    counts[count] = (uint32_t)sum;
    (void)w;
    return sum;
}

#endif

/* ---- Tasks ------------------------------------------------------------------------------------------------------ */

/* A task over rows from -1: clears the sets that neighbours read in the rows just outside the domain, -1 and ny, and
   empties the sets of layers of these rows. On a GPU also what words of a row have together. */
static void clear_rows(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    const rn_links *t = &w->t;
    uint64_t *const by_layer[] = {t->wet, t->interior, w->used, w->traces};
    uint64_t *const by_row[] = {t->near, w->pouring, w->weak, w->traced};
    for (int y = begin - 1; y < end - 1; y++) {
        RN_APART RN_ONE_LANE {
            rn_surface_state_row(w, w->ends, 0, y)[worker] = 0;
            w->row_extras[rn_part(w, y, worker)] = 0;
            if (worker == 0) w->row_vertices[y + 1] = 0;
            if (worker == 0) w->row_stacked[y + 1] = 0; /* others set it only to 1 */
            if (worker == 0) t->wet_layers[y + 1] = w->used_layers[y + 1] = 0;
        }
        if (y >= 0 && y < t->ny) continue;
        RN_EACH_WORD (i, t->words, worker) RN_ONE_LANE
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < t->layers; l++) rn_surface_state_row(w, by_layer[k], l, y)[i] = 0;
            rn_surface_state_row(w, by_row[k], 0, y)[i] = 0;
        }
        RN_ALONE t->wet_layers[y + 1] = w->used_layers[y + 1] = w->row_stacked[y + 1] = 0;
    }
}

/* A task over rows: links dry columns and, if edges are smooth, begins with the contact line (if contact angles act) or
   with the fronts. Passes that read the same rows are done together while these are in the cache. */
static void close_and_expect(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) {
        rn_links_close(work, y, y + 1, worker);
        if (w->per_foot > 0.0f) rn_line_mark(work, y, y + 1, worker);
        else if (w->smooth) rn_fronts_expect(work, y, y + 1, worker);
    }
}

/* A task over rows from -1 (item i is row i - 1): sets the drawn depths at the edge (if edges are smooth), marks the
   outline for menisci (if there are any), then counts vertices and extra vertices of each row and estimates its
   triangles. */
static void raise_and_count(void *work, int begin, int end, int worker) { /* rows from -1 */
    const rn_surface_state *w = work;
    for (int i = begin; i < end; i++) {
        if (w->smooth && i > 0 && i <= w->t.ny)
            (w->per_foot > 0.0f ? rn_line_raise : rn_fronts_raise)(work, i - 1, i, worker);
        if (w->meniscus && i > 0 && i <= w->t.ny) rn_meniscus_outline(w->meniscus, &w->t, i - 1, worker);
        rn_vertices_count(work, i, i + 1, worker);
        rn_extras_count(work, i, i + 1, worker);
        RN_ALONE if (i <= w->t.ny) rn_triangles_expect(work, i, i + 1, worker);
    }
}

/* A task over rows: starts the distances from boundaries; only if outlines have changed. */
static void begin_menisci(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) rn_meniscus_begin(w->meniscus, &w->t, y, worker);
}

/* Fills the vertices of a row, from row -1 on, and finds the contact line there if there are menisci. */
static void fill_and_touch(const rn_surface_state *w, int y, int worker) {
    rn_vertices_fill((void *)w, y + 1, y + 2, worker);
    if (w->meniscus && y >= 0 && y < w->t.ny)
        rn_meniscus_touch(w->meniscus, &w->t, w->smooth ? w->reach : NULL, y, worker);
}

/* A task over rows: finds the distances to the nearest boundaries; only if outlines have changed. */
static void near_menisci(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) rn_meniscus_near(w->meniscus, &w->t, y, worker);
}

/* A task over rows: smooths the offsets of the contact line and, if outlines have changed, the distances. */
static void even_menisci(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) rn_meniscus_even(w->meniscus, &w->t, w->outlined, y, worker);
}

/* A task over rows: shapes their menisci and bends the vertices of their wet columns. */
static void shape_and_bend(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) {
        rn_meniscus_shape(w->meniscus, &w->t, w->outlined, y, worker);
        rn_bend_wet(work, y, y + 1, worker);
    }
}

/* ---- Vertices --------------------------------------------------------------------------------------------------- */

#if defined(RN_GPU)

/* A task over rows from -1: as its name says. */
static void fill_rows(void *work, int begin, int end, int worker) {
    for (int y = begin - 1; y < end - 1; y++) fill_and_touch(work, y, worker);
}

/* A task over rows: a round of distances. */
static void go_round(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    bool found = false;
    for (int y = begin; y < end; y++) found |= rn_meniscus_round(w->meniscus, &w->t, y, worker, w->round + 2);
    if (found) rn_surface_note(w->round);
}

/* Carries distances inwards, round by round; all of the band looks in each. The last round changes nothing. */
static void sweep_menisci(rn_surface_state *w) {
    for (bool again = true; again;) {
        rn_surface_pass(w, w->t.ny, go_round);
        again = rn_surface_next_round(w);
        rn_surface_swap(w);
    }
}

/* Writes the vertices of wet columns and, if there are menisci, finds these. Nothing is kept between builds. */
static void fill_and_find(rn_surface_state *w) {
    if (w->meniscus) rn_surface_pass(w, w->t.ny, begin_menisci);
    rn_surface_pass(w, w->t.ny + 2, fill_rows);
    if (w->meniscus) {
        sweep_menisci(w);
        rn_surface_pass(w, w->t.ny, near_menisci);
    }
}

#else

/* A task: item 0 is rn_meniscus_sweep (only if outlines have changed), which a single thread runs while others fill
   vertices; item i > 0 fills the vertices of row i - 2 and finds the contact line there (rn_meniscus_touch). */
static void fill_and_sweep(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    if (begin == 0 && end > 0 && w->outlined) rn_meniscus_sweep(w->meniscus, &w->t);
    for (int i = begin > 0 ? begin : 1; i < end; i++) fill_and_touch(w, i - 2, worker);
}

/* Writes the vertices of wet columns. If there are menisci, sets w->outlined, and finds these if they have changed. */
static void fill_and_find(rn_surface_state *w) {
    const int rows = w->t.ny;
    if (!w->meniscus) {
        rn_surface_pass(w, rows + 2, rn_vertices_fill);
        return;
    }
    w->outlined = rn_meniscus_has_changed(w->meniscus, &w->t);
    if (w->outlined) rn_surface_pass(w, rows, begin_menisci);
    rn_surface_pass(w, rows + 3, fill_and_sweep);
    if (w->outlined) rn_surface_pass(w, rows, near_menisci);
}

#endif

/* Writes the vertices of wet columns. If there are menisci, finds them and bends these vertices by them. */
static void fill_vertices(rn_surface_state *w) {
    fill_and_find(w);
    if (!w->meniscus) return;
    rn_surface_pass(w, w->t.ny, even_menisci);
    rn_surface_pass(w, w->t.ny, shape_and_bend);
}

/* ---- Triangles -------------------------------------------------------------------------------------------------- */

#if defined(RN_GPU)

/* Finds how many triangles there are, and where those of each word go, then writes them if all have room. */
static uint64_t fill_triangles(const rn_surface_state *w) {
    rn_surface_pass(w, w->t.ny + 1, rn_triangles_find);
    const uint64_t triangles = rn_surface_sum(w, w->row_found, (w->t.ny + 1) * w->parts);
    if (triangles <= w->mesh->triangle_capacity) rn_surface_pass(w, w->t.ny + 1, rn_triangles_fill);
    return triangles;
}

#else

/* Writes the triangles at estimated places, and closes the gaps; writes them again where an estimate was too small.
   Returns how many there are; those without room are left out. */
static uint64_t fill_triangles(const rn_surface_state *w) {
    const int rows = w->t.ny;
    rn_surface_sum(w, w->row_triangles, rows + 1);
    rn_surface_pass(w, rows + 1, rn_triangles_find);
    const bool done = rn_triangles_close_up(w);
    const uint64_t triangles = rn_surface_sum(w, w->row_found, rows + 1);
    if (!done && triangles <= w->mesh->triangle_capacity) rn_surface_pass(w, rows + 1, rn_triangles_fill);
    return triangles;
}

#endif

/* Adds falling sheets to the vertices and triangles of the surface, as finely as there is room for beside the jets of
   pours, then all jets, and sets the counts of the mesh. n->vertices, n->triangles: numbers of the surface alone; where
   there is no room for them or for the coarsest sheets, they become what is needed, and the counts of the mesh stay. */
static rn_surface_end hang_sheets(const rn_surface_state *w, rn_surface_counts *n) {
    rn_mesh *mesh = w->mesh;
    uint32_t lips = 0, strips = 0;
    int rows = RN_SHEET_ROWS;
    size_t pour_vertices = 0, pour_triangles = 0;
    RN_ALONE rn_jets_room(w->def, &pour_vertices, &pour_triangles);
    if (n->triangles <= mesh->triangle_capacity) rn_sheets_find(w, &lips, &strips);
    while (rows > 1 && (n->vertices + (uint64_t)rows * lips + pour_vertices > mesh->vertex_capacity ||
                        n->triangles + 2 * (uint64_t)rows * strips + pour_triangles > mesh->triangle_capacity))
        rows--;
    const uint32_t vertices = (uint32_t)n->vertices, triangles = (uint32_t)n->triangles;
    n->vertices += (uint64_t)rows * lips;
    n->triangles += 2 * (uint64_t)rows * strips;
    if (n->vertices > mesh->vertex_capacity || n->triangles > mesh->triangle_capacity) return RN_SURFACE_NO_TRIANGLES;
    if (lips) rn_sheets_fill(w, rows, vertices, triangles);
    RN_ALONE {
        mesh->vertex_count = (uint32_t)n->vertices;
        mesh->triangle_count = (uint32_t)n->triangles;
        rn_jets_fill(w);
    }
    return RN_SURFACE_DONE;
}

rn_surface_end rn_surface_passes(rn_surface_state *w, rn_surface_counts *n) {
    const int rows = w->t.ny;
    *n = (rn_surface_counts){0};
    RN_ALONE {
        clear_rows(w, 0, 1, 0);
        clear_rows(w, rows + 1, rows + 2, 0);
    }
    RN_APART rn_surface_pass(w, rows + 2, clear_rows);
    rn_surface_pass(w, rows, rn_links_scan);
    rn_surface_pass(w, rows, rn_links_gather);
    rn_surface_pass(w, rows, rn_links_find);
    rn_surface_pass(w, rows, close_and_expect);
    if (w->smooth) {
        rn_surface_pass(w, rows, w->per_foot > 0.0f ? rn_line_sort : rn_fronts_fill);
        rn_surface_pass(w, rows, w->per_foot > 0.0f ? rn_line_part : rn_fronts_part);
        rn_surface_pass(w, rows, rn_fronts_close);
        rn_surface_pass(w, rows, rn_fronts_settle);
    }
    RN_APART rn_surface_pass(w, rows + 2, rn_extras_mark);
    rn_surface_pass(w, rows + 2, raise_and_count);
    n->vertices = rn_surface_sum(w, w->row_vertices, rows + 2);
    n->extras = rn_surface_sum(w, w->row_extras, (rows + 2) * w->parts);
    if (n->vertices > w->mesh->vertex_capacity || n->extras > w->extra_capacity) return RN_SURFACE_NO_VERTICES;
    RN_ALONE if (w->chop.most) {
        rn_surface_pass(w, rows, rn_chop_rows);
        rn_surface_pass(w, w->t.words, rn_chop_columns);
    }
    fill_vertices(w);
    rn_surface_pass(w, rows + 2, rn_vertices_close);
    if (w->meniscus && w->def->meniscus_rise) rn_surface_pass(w, rows + 2, rn_bend_edges);
    n->triangles = fill_triangles(w);
    RN_APART if (w->def->jets && rn_sheets_any(w)) return RN_SURFACE_HAS_JETS;
    return hang_sheets(w, n);
}
