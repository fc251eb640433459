/* Builds a surface: the order of its passes, and their memory.

   Interface: rn_surface_bound gives the memory for any depths in these columns; rn_surface_build fills the mesh and
   allocates nothing.

   Passes of rn_surface_build, each shared by threads row by row:
   - rn_links_scan, gather, find, close (find_links.c): which columns are wet, and which are joined;
   - rn_fronts_... (fronts.c): how far the edge of the liquid extends into dry cells;
   - rn_extras_count, make (extras.c): vertices at walls, ledges and the edge of the domain;
   - rn_chop_... (choppy.c), optional: vertices move up the slope;
   - rn_vertices_count, fill, close (vertices.c): positions, normals, opacity, velocities;
   - rn_meniscus_... (nearest.c, meniscus.c, bend.c), optional: distances to boundaries, and the shape of menisci;
   - rn_triangles_find, fill (triangles.c), then rn_sheets_find, fill (sheets.c): triangles between vertices, and
     falling sheets;
   - rn_jets_fill (jets.c), optional: thin streams and drops.
   Every pass writes only to its own row, and counts are summed between passes. The mesh is therefore
   the same for any number of threads. */
#include "base/error.h"
#include "surface/meniscus.h"
#include "surface/surface.h"

#include <string.h>

enum { MOST_LAYERS = 63, ALIGN = 64 };

rn_surface_def rn_surface_default(void) { return (rn_surface_def){0}; }

/* ---- Room ----------------------------------------------------------------------------------------------------- */

/* Takes arrays from a block of memory one after another; without a block it only counts. */
typedef struct carver {
    char *block;
    size_t at;
} carver;

/* Returns the next `count` elements of `size` bytes in the block, aligned, not cleared, or NULL if the block is only
   measured. That the block is large enough is not checked. */
static void *carve(carver *c, size_t count, size_t size) {
    void *here = c->block ? c->block + c->at : NULL;
    c->at += (count * size + ALIGN - 1) / ALIGN * ALIGN;
    return here;
}

/* Sets sizes and strides of the links, and takes all arrays of the build except those of the meniscus and the extra
   vertices; w->columns and w->def must be set. With a carver without a block all arrays become NULL, and c->at the
   bytes they need. */
static void lay_out(carver *c, rn_surface_state *w) {
    const rn_surface_columns *columns = w->columns;
    rn_links *t = &w->t;
    t->nx = columns->cells_x;
    t->ny = columns->cells_y;
    t->layers = columns->layers;
    t->cell = columns->cell_size;
    t->open_sides = w->def->no_sheets ? 0 : columns->open_sides;
    t->stride = (t->nx + 2 + 15) / 16 * 16;
    t->layer_stride = t->stride * (t->ny + 2);
    t->words = (t->nx + 2 + 63) / 64;
    for (int d = 0; d < RN_AROUND; d++) t->step[d] = rn_links_step(t, d);
    const size_t slots = (size_t)t->layer_stride * (size_t)t->layers, rows = (size_t)t->ny + 3;
    const size_t sets = (size_t)t->words * (size_t)(t->ny + 2);
    t->links = carve(c, slots, sizeof *t->links);
    t->kind = carve(c, slots, sizeof *t->kind);
    t->level = carve(c, slots, sizeof *t->level);
    t->base = carve(c, slots, sizeof *t->base);
    t->low = carve(c, slots, sizeof *t->low);
    t->high = carve(c, slots, sizeof *t->high);
    w->z = carve(c, slots, sizeof *w->z);
    w->fill = carve(c, slots, sizeof *w->fill);
    w->reach = carve(c, slots, sizeof *w->reach);
    w->trend = carve(c, slots, sizeof *w->trend);
    w->moved = carve(c, 2 * slots, sizeof *w->moved);
    w->index = carve(c, slots, sizeof *w->index);
    w->first = carve(c, (size_t)t->layer_stride, sizeof *w->first);
    for (int k = 0; w->def->choppiness != 0.0f && k < 2; k++) {
        w->chop.low[k] = carve(c, slots, sizeof(float));
        w->chop.high[k] = carve(c, slots, sizeof(float));
    }
    w->chop.most = w->def->choppiness != 0.0f ? carve(c, slots, sizeof(float)) : NULL;
    t->wet = carve(c, sets * (size_t)t->layers, sizeof *t->wet);
    t->interior = carve(c, sets * (size_t)t->layers, sizeof *t->interior);
    w->used = carve(c, sets * (size_t)t->layers, sizeof *w->used);
    t->near = carve(c, sets, sizeof *t->near);
    t->wet_layers = carve(c, rows, sizeof *t->wet_layers);
    w->used_layers = carve(c, rows, sizeof *w->used_layers);
    w->pouring = carve(c, sets, sizeof *w->pouring);
    w->ends = carve(c, sets, sizeof *w->ends);
    w->weak = carve(c, sets, sizeof *w->weak);
    w->traces = carve(c, sets * (size_t)t->layers, sizeof *w->traces);
    w->traced = carve(c, sets, sizeof *w->traced);
    w->row_stacked = carve(c, rows, sizeof *w->row_stacked);
    w->row_vertices = carve(c, rows, sizeof(uint32_t));
    w->parts = 1;
    w->row_extras = carve(c, rows * (size_t)w->parts + 1, sizeof(uint32_t));
    w->row_triangles = carve(c, rows, sizeof(uint32_t));
    w->row_found = carve(c, rows * (size_t)w->parts + 1, sizeof(uint32_t));
}

/* Whether a slot with this base (m) has a column; false for holes. */
static bool is_column(float base) { return base >= 0.0f && base < RN_NO_COLUMN; }

/* The number of columns of a cell, 0 outside the domain. *roofed: whether the highest column has a ceiling below the
   lid, or no lid is given; false without columns. */
static int count_columns(const rn_surface_columns *c, int y, int x, bool *roofed) {
    int count = 0;
    *roofed = false;
    if (x < 0 || y < 0 || x >= c->cells_x || y >= c->cells_y) return 0;
    for (int l = 0; l < c->layers && is_column(rn_field_at(&c->base, l, y, x)); l++) count++;
    if (count) *roofed = !(c->lid > 0.0f && rn_field_at(&c->ceil, count - 1, y, x) >= c->lid);
    return count;
}

/* The number of columns of a cell, of `columns` in all, that may end at a wall or fall in the cell at x, y, inside or
   outside the domain. Single columns under the open sky on both sides never do. */
static int count_pairs(const rn_surface_columns *c, int columns, bool roofed, int y, int x) {
    bool other_roofed;
    const int others = count_columns(c, y, x, &other_roofed);
    return columns == 1 && others == 1 && !roofed && !other_roofed ? 0 : columns;
}

/* Returns RN_INVALID, with a message, if the columns of some cell overlap or are out of order: links rely on their
   order. */
static rn_result check_shape(const rn_surface_columns *c) {
    for (int y = 0; y < c->cells_y; y++)
        for (int x = 0; x < c->cells_x; x++) {
            float top = 0.0f;
            for (int l = 0; l < c->layers && is_column(rn_field_at(&c->base, l, y, x)); l++) {
                const float base = rn_field_at(&c->base, l, y, x), ceil = rn_field_at(&c->ceil, l, y, x);
                if (!(base >= top && ceil >= base))
                    return rn_fail(RN_INVALID,
                                   "the column at x %d, y %d in layer %d is open from %g to %g m; it must begin above "
                                   "the one below, which ends at %g m, and end above that",
                                   x, y, l, (double)base, (double)ceil, (double)top);
                top = ceil;
            }
        }
    return RN_OK;
}

/* Whether a number of the definition is finite. */
static bool is_wish(float value) { return value > -INFINITY && value < INFINITY; }

/* Whether jets may be drawn: their numbers are finite, and their pours are there. */
static bool are_jets(const rn_surface_jets *jets) {
    if (!jets) return true;
    bool good = jets->time > -1e15 && jets->time < 1e15 && jets->tension >= 0.0f && is_wish(jets->tension) &&
                jets->viscosity >= 0.0f && is_wish(jets->viscosity) && jets->pour_count >= 0 &&
                (jets->pours || jets->pour_count == 0);
    for (int i = 0; good && i < jets->pour_count; i++) {
        const rn_surface_pour *p = &jets->pours[i];
        for (int k = 0; k < 3; k++) good &= p->at[k] > -1e9f && p->at[k] < 1e9f;
        good &= is_wish(p->radius) && is_wish(p->rate);
    }
    return good;
}

/* Checks sizes, fields and numbers of the definition, not the columns themselves. On failure returns RN_INVALID, or
   RN_LIMIT if there are too many layers or vertices. Both arguments may be NULL, which is refused. */
static rn_result check(const rn_surface_columns *c, const rn_surface_def *def) {
    if (!c || !def) return rn_fail(RN_INVALID, "a surface needs columns, and a def that begins as rn_surface_default");
    if (!is_wish(def->least_depth) || !is_wish(def->full_depth) || !is_wish(def->choppiness) ||
        !is_wish(def->meniscus_length) || !is_wish(def->contact_angle))
        return rn_fail(RN_INVALID,
                       "least_depth, full_depth, choppiness, meniscus_length and contact_angle of a surface "
                       "must be finite numbers");
    if (!are_jets(def->jets))
        return rn_fail(RN_INVALID, "time, tension and viscosity of a surface's jets, and place, radius and rate of its "
                                   "pours must be finite numbers, tension and viscosity not below 0");
    if (c->cells_x < 1 || c->cells_y < 1 || c->layers < 1 || !(c->cell_size > 0.0f && c->cell_size < INFINITY))
        return rn_fail(RN_INVALID, "columns of %d x %d cells of %g m in %d layers have no surface; all must be above 0",
                       c->cells_x, c->cells_y, (double)c->cell_size, c->layers);
    if (!c->base.data || !c->ceil.data || !c->depth.data)
        return rn_fail(RN_INVALID, "columns without base, ceiling or depth have no surface; give all three");
    if (c->layers > MOST_LAYERS)
        return rn_fail(RN_LIMIT, "columns are stacked in %d layers; a surface is made of at most %d", c->layers,
                       MOST_LAYERS);
    /* ids: one per column, and one for each row of a sheet towards each of 8 neighbours */
    const double ids = 1.0 + 8.0 * (1 + RN_SHEET_ROWS);
    if (((double)c->cells_x + 64) * ((double)c->cells_y + 2) * c->layers * ids > 2147483647.0 * 2.0 ||
        ((double)c->cells_x + 64) * ((double)c->cells_y + 2) * c->layers > 2147483647.0)
        return rn_fail(RN_LIMIT, "a surface of %d x %d cells in %d layers has more vertices than 32 bits can number",
                       c->cells_x, c->cells_y, c->layers);
    return RN_OK;
}

rn_result rn_surface_bound(const rn_surface_columns *c, const rn_surface_def *def, rn_surface_room *room) {
    rn_surface_state w = {.columns = c, .def = def};
    carver count = {0};
    size_t columns = 0, extras = 0, triangles = 0;
    *room = (rn_surface_room){0};
    rn_result result = check(c, def);
    if (result == RN_OK) result = check_shape(c);
    if (result != RN_OK) return result;
    lay_out(&count, &w);
    for (int y = -1; y < c->cells_y; y++)
        for (int x = -1; x < c->cells_x; x++) {
            bool roofed, other_roofed, many = false;
            const int here = count_columns(c, y, x, &roofed);
            int around = here;
            columns += (size_t)here;
            for (int d = 0; d < RN_AROUND && here; d++)
                extras += (size_t)count_pairs(c, here, roofed, y + rn_around_y[d], x + rn_around_x[d]);
            many = roofed || here > 1;
            for (int d = 0; d < 3; d++) {
                const int n = count_columns(c, y + rn_around_y[d], x + rn_around_x[d], &other_roofed);
                many |= n > 1 || other_roofed;
                around += n;
            }
            triangles += many ? 4 * (size_t)around : around ? 2 : 0; /* each column begins at most four */
        }
    room->kept = def->meniscus_length > 0.0f ? sizeof(rn_meniscus) + rn_meniscus_bytes(&w.t) : 0;
    room->scratch = count.at + extras * sizeof(rn_extra_vertex) + (def->kept ? 0 : room->kept) + ALIGN;
    size_t jet_vertices, jet_triangles;
    rn_jets_room(def, &jet_vertices, &jet_triangles);
    room->vertices = columns + 2 * extras + jet_vertices;
    room->triangles = triangles + 2 * extras + jet_triangles;
    return RN_OK;
}

/* ---- Passes ----------------------------------------------------------------------------------------------------- */

/* Runs a task over items 0 to rows - 1, usually rows, on the threads of the definition if it has any. The task's
   context is the state. */
static void pass(const rn_surface_state *w, int rows, rn_task task) {
    if (w->def->threads) rn_parallel_for(w->def->threads, rows, task, (void *)w);
    else task((void *)w, 0, rows, 0);
}

/* Replaces the count of each row by the sum of the rows before it, and rows[count] by the sum of all, which is
   returned. */
static uint64_t sum_up(uint32_t *rows, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t here = rows[i];
        rows[i] = (uint32_t)sum;
        sum += here;
    }
    rows[count] = (uint32_t)sum;
    return sum;
}

/* Clears the sets that neighbours read in the rows just outside the domain, -1 and ny, and empties the sets of layers
   of these rows. */
static void clear_rims(rn_surface_state *w) {
    const rn_links *t = &w->t;
    uint64_t *const by_layer[] = {t->wet, t->interior, w->used, w->traces};
    uint64_t *const by_row[] = {t->near, w->pouring, w->weak, w->traced};
    for (int side = 0; side < 2; side++) {
        const int y = side ? t->ny : -1;
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < t->layers; l++)
                memset(rn_surface_state_row(w, by_layer[k], l, y), 0, (size_t)t->words * sizeof(uint64_t));
            memset(rn_surface_state_row(w, by_row[k], 0, y), 0, (size_t)t->words * sizeof(uint64_t));
        }
        t->wet_layers[y + 1] = w->used_layers[y + 1] = 0;
    }
}

/* The field of menisci, or NULL without menisci: in memory that the caller keeps between builds, or in scratch. It is
   laid out unless a kept one is already, and told what the definition asks for. */
static rn_meniscus *make_meniscus(const rn_surface_state *w, carver *room) {
    if (!(w->def->meniscus_length > 0.0f)) return NULL;
    rn_meniscus *m = w->def->kept ? w->def->kept : carve(room, 1, sizeof *m + rn_meniscus_bytes(&w->t));
    if (m && (!w->def->kept || !m->band)) rn_meniscus_place(m, &w->t, m + 1);
    if (!m) return NULL;
    m->passing = !w->def->kept;
    rn_meniscus_ask(m, &(rn_meniscus_def){.length = w->def->meniscus_length,
                                          .contact_angle = w->def->contact_angle,
                                          .walls_only = w->per_foot > 0.0f,
                                          .capillary = w->def->meniscus_rise ? w->def->meniscus_length : 0.0f});
    return m;
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
        if (w->meniscus && i > 0 && i <= w->t.ny) rn_meniscus_outline(w->meniscus, &w->t, i - 1);
        rn_vertices_count(work, i, i + 1, worker);
        rn_extras_count(work, i, i + 1, worker);
        if (i <= w->t.ny) rn_triangles_expect(work, i, i + 1, worker);
    }
}

/* A task over rows: starts the distances from boundaries; only if outlines have changed. */
static void begin_menisci(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    (void)worker;
    for (int y = begin; y < end; y++) rn_meniscus_begin(w->meniscus, &w->t, y);
}

/* A task: item 0 is rn_meniscus_sweep (only if outlines have changed), which a single thread runs while others fill
   vertices; item i > 0 fills the vertices of row i - 2 and finds the contact line there (rn_meniscus_touch). */
static void fill_and_sweep(void *work, int begin, int end, int worker) {
    const rn_surface_state *w = work;
    if (begin == 0 && end > 0 && w->outlined) rn_meniscus_sweep(w->meniscus, &w->t);
    for (int i = begin > 0 ? begin : 1; i < end; i++) {
        rn_vertices_fill(work, i - 1, i, worker);
        if (i > 1 && i <= w->t.ny + 1) rn_meniscus_touch(w->meniscus, &w->t, w->smooth ? w->reach : NULL, i - 2);
    }
}

/* A task over rows: finds the distances to the nearest boundaries; only if outlines have changed. */
static void near_menisci(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    (void)worker;
    for (int y = begin; y < end; y++) rn_meniscus_near(w->meniscus, &w->t, y);
}

/* A task over rows: smooths the offsets of the contact line and, if outlines have changed, the distances. */
static void even_menisci(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    (void)worker;
    for (int y = begin; y < end; y++) rn_meniscus_even(w->meniscus, &w->t, w->outlined, y);
}

/* A task over rows: shapes their menisci and bends the vertices of their wet columns. */
static void shape_and_bend(void *work, int begin, int end, int worker) { /* rows from 0 */
    const rn_surface_state *w = work;
    for (int y = begin; y < end; y++) {
        rn_meniscus_shape(w->meniscus, &w->t, w->outlined, y);
        rn_bend_wet(work, y, y + 1, worker);
    }
}

/* Writes the vertices of wet columns. If there are menisci, sets w->outlined, finds the menisci and bends these
   vertices by them. */
static void fill_vertices(rn_surface_state *w) {
    const int rows = w->t.ny;
    if (!w->meniscus) {
        pass(w, rows + 2, rn_vertices_fill);
        return;
    }
    w->outlined = rn_meniscus_has_changed(w->meniscus, &w->t);
    if (w->outlined) pass(w, rows, begin_menisci);
    pass(w, rows + 3, fill_and_sweep);
    if (w->outlined) pass(w, rows, near_menisci);
    pass(w, rows, even_menisci);
    pass(w, rows, shape_and_bend);
}

/* Adds falling sheets to the vertices and triangles of the surface, as finely as there is room for beside the jets of
   pours, then all jets, and sets the counts of the mesh. `vertices`, `triangles`: numbers of the surface alone. Returns
   RN_LIMIT, with a message, if there is no room for the surface or for the coarsest sheets; the counts of the mesh are
   then unchanged. */
static rn_result hang_sheets(const rn_surface_state *w, uint64_t vertices, uint64_t triangles) {
    rn_mesh *mesh = w->mesh;
    uint32_t lips = 0, strips = 0;
    int rows = RN_SHEET_ROWS;
    size_t pour_vertices, pour_triangles;
    rn_jets_room(w->def, &pour_vertices, &pour_triangles);
    if (triangles <= mesh->triangle_capacity) rn_sheets_find(w, &lips, &strips);
    while (rows > 1 && (vertices + (uint64_t)rows * lips + pour_vertices > mesh->vertex_capacity ||
                        triangles + 2 * (uint64_t)rows * strips + pour_triangles > mesh->triangle_capacity))
        rows--;
    const uint64_t all_vertices = vertices + (uint64_t)rows * lips, all = triangles + 2 * (uint64_t)rows * strips;
    if (all_vertices > mesh->vertex_capacity || all > mesh->triangle_capacity)
        return rn_fail(RN_LIMIT, "a surface has %llu vertices and %llu triangles; there is room for %lu and %lu",
                       (unsigned long long)all_vertices, (unsigned long long)all, (unsigned long)mesh->vertex_capacity,
                       (unsigned long)mesh->triangle_capacity);
    rn_sheets_fill(w, rows, (uint32_t)vertices, (uint32_t)triangles);
    mesh->vertex_count = (uint32_t)all_vertices;
    mesh->triangle_count = (uint32_t)all;
    rn_jets_fill(w);
    return RN_OK;
}

rn_result rn_surface_build(const rn_surface_columns *columns, const rn_surface_def *def, void *scratch, size_t bytes,
                           rn_mesh *mesh) {
    rn_surface_state w = {.columns = columns, .def = def, .mesh = mesh};
    carver room = {0};
    mesh->vertex_count = mesh->triangle_count = 0;
    const rn_result result = check(columns, def);
    if (result != RN_OK) return result;
    if (!mesh->positions || !mesh->indices)
        return rn_fail(RN_INVALID, "a mesh needs arrays for positions and indices; the others may be NULL");
    const size_t skip = (ALIGN - (uintptr_t)scratch % ALIGN) % ALIGN;
    lay_out(&room, &w);
    if (def->meniscus_length > 0.0f && !def->kept) carve(&room, 1, sizeof(rn_meniscus) + rn_meniscus_bytes(&w.t));
    if (bytes < room.at + skip)
        return rn_fail(RN_LIMIT, "a surface was given %zu bytes to work in; it needs %zu: ask rn_surface_bound", bytes,
                       room.at + ALIGN);
    room = (carver){.block = (char *)scratch + skip};
    lay_out(&room, &w);
    w.smooth = !def->whole_cells && !def->raw_boundaries;
    w.per_foot = w.smooth && columns->contact_foot > 0.0f ? 1.0f / columns->contact_foot : 0.0f;
    w.meniscus = make_meniscus(&w, &room);
    w.extras = (rn_extra_vertex *)(void *)(room.block + room.at);
    w.extra_capacity = (uint32_t)fmin((double)(bytes - skip - room.at) / sizeof(rn_extra_vertex), 2e9);
    w.least = def->least_depth > 0.0f ? def->least_depth : def->least_depth < 0.0f ? 0.0f : 0.05f * columns->cell_size;
    w.half_per_cell = 0.5f / columns->cell_size;
    w.per_area = 1.0f / (columns->cell_size * columns->cell_size);
    w.per_full_depth = 1.0f / (def->full_depth > 0.0f ? def->full_depth : 2.0f * columns->cell_size);
    const int rows = w.t.ny;
    w.row_stacked[0] = w.row_stacked[rows + 1] = 0;

    clear_rims(&w);
    pass(&w, rows, rn_links_scan);
    pass(&w, rows, rn_links_gather);
    pass(&w, rows, rn_links_find);
    pass(&w, rows, close_and_expect);
    if (w.smooth) {
        pass(&w, rows, w.per_foot > 0.0f ? rn_line_sort : rn_fronts_fill);
        pass(&w, rows, w.per_foot > 0.0f ? rn_line_part : rn_fronts_part);
        pass(&w, rows, rn_fronts_close);
        pass(&w, rows, rn_fronts_settle);
    }
    pass(&w, rows + 2, raise_and_count);
    const uint64_t vertices = sum_up(w.row_vertices, rows + 2), extras = sum_up(w.row_extras, (rows + 2) * w.parts);
    if (vertices > mesh->vertex_capacity || extras > w.extra_capacity)
        return rn_fail(RN_LIMIT,
                       "a surface has %llu vertices, %llu of them beyond columns; there is room for %lu and %lu",
                       (unsigned long long)vertices, (unsigned long long)extras, (unsigned long)mesh->vertex_capacity,
                       (unsigned long)w.extra_capacity);
    if (w.chop.most) {
        pass(&w, rows, rn_chop_rows);
        pass(&w, w.t.words, rn_chop_columns);
    }
    fill_vertices(&w);
    pass(&w, rows + 2, rn_vertices_close);
    if (w.meniscus && def->meniscus_rise) pass(&w, rows + 2, rn_bend_edges);
    sum_up(w.row_triangles, rows + 1);
    pass(&w, rows + 1, rn_triangles_find);
    const bool done = rn_triangles_close_up(&w);
    const uint64_t triangles = sum_up(w.row_found, (rows + 1) * w.parts);
    if (!done && triangles <= mesh->triangle_capacity) pass(&w, rows + 1, rn_triangles_fill);
    return hang_sheets(&w, vertices, triangles);
}
