/* Builds a surface: what may be asked, and the memory for its passes (surface/passes.c).

   Interface: rn_surface_bound gives the memory for any depths in these columns; rn_surface_build fills the mesh and
   allocates nothing. Where the definition has a device, that runs the passes.

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
#include "base/memory.h"
#include "surface/device.h"
#include "surface/meniscus.h"
#include "surface/surface.h"

#include <string.h>

enum { ALIGN = 64 };

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
    w->parts = w->def->device ? t->words : 1;
    w->row_extras = carve(c, rows * (size_t)w->parts + 1, sizeof(uint32_t));
    w->row_triangles = carve(c, rows, sizeof(uint32_t));
    w->row_found = carve(c, rows * (size_t)w->parts + 1, sizeof(uint32_t));
    w->quads = w->def->device ? carve(c, (size_t)t->layer_stride, sizeof *w->quads) : NULL;
}

/* The bytes for each extra vertex; on a device it also has a number in w->ranks. */
static size_t extra_bytes(const rn_surface_def *def) {
    return sizeof(rn_extra_vertex) + (def->device ? sizeof(uint32_t) : 0);
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
    if (c->layers > RN_HOST_LAYERS)
        return rn_fail(RN_LIMIT, "columns are stacked in %d layers; a surface is made of at most %d", c->layers,
                       RN_HOST_LAYERS);
    /* ids: one per column, and one for each row of a sheet towards each of 8 neighbours */
    const double ids = 1.0 + 8.0 * (1 + RN_SHEET_ROWS);
    if (((double)c->cells_x + 64) * ((double)c->cells_y + 2) * c->layers * ids > 2147483647.0 * 2.0 ||
        ((double)c->cells_x + 64) * ((double)c->cells_y + 2) * c->layers > 2147483647.0)
        return rn_fail(RN_LIMIT, "a surface of %d x %d cells in %d layers has more vertices than 32 bits can number",
                       c->cells_x, c->cells_y, c->layers);
    return RN_OK;
}

/* The bytes of the field of menisci, so that another array may follow. */
static size_t field_bytes(const rn_surface_state *w) { return (rn_meniscus_bytes(&w->t) + ALIGN - 1) / ALIGN * ALIGN; }

/* The bytes of menisci that lie in scratch: on a device the field alone, and a second one for rounds. */
static size_t own_meniscus(const rn_surface_state *w) {
    const size_t slots = (size_t)w->t.layer_stride * (size_t)w->t.layers;
    if (!(w->def->meniscus_length > 0.0f)) return 0;
    if (w->def->device) return field_bytes(w) + slots * sizeof(rn_nearest);
    return w->def->kept ? 0 : sizeof(rn_meniscus) + rn_meniscus_bytes(&w->t);
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
    const size_t kept = def->meniscus_length > 0.0f ? sizeof(rn_meniscus) + rn_meniscus_bytes(&w.t) : 0;
    room->kept = def->device ? 0 : kept;
    carve(&count, 1, own_meniscus(&w));
    room->scratch = count.at + (extras + 1) * extra_bytes(def) + ALIGN;
    size_t jet_vertices, jet_triangles;
    rn_jets_room(def, &jet_vertices, &jet_triangles);
    room->vertices = columns + 2 * extras + jet_vertices;
    room->triangles = triangles + 2 * extras + jet_triangles;
    return RN_OK;
}

/* ---- Building --------------------------------------------------------------------------------------------------- */

/* The field of menisci, or NULL without menisci: in memory that the caller keeps between builds, or in scratch; for a
   device `menisci`, with its arrays in scratch. It is laid out unless a kept one is already, and told what the
   definition asks for. */
static rn_meniscus *make_meniscus(const rn_surface_state *w, carver *room, rn_meniscus *menisci) {
    if (!(w->def->meniscus_length > 0.0f)) return NULL;
    char *own = carve(room, 1, own_meniscus(w));
    rn_meniscus *m = menisci ? menisci : w->def->kept ? w->def->kept : (void *)own;
    if (menisci) {
        rn_meniscus_place(m, &w->t, own);
        m->other = (rn_nearest *)(void *)(own + field_bytes(w));
    } else if (!w->def->kept || !m->band) {
        rn_meniscus_place(m, &w->t, m + 1);
    }
    m->passing = menisci || !w->def->kept;
    rn_meniscus_ask(m, &(rn_meniscus_def){.length = w->def->meniscus_length,
                                          .contact_angle = w->def->contact_angle,
                                          .walls_only = w->per_foot > 0.0f,
                                          .capillary = w->def->meniscus_rise ? w->def->meniscus_length : 0.0f});
    return m;
}

/* Prepares the state of a build on this CPU, or on the device of the definition: its memory and constants. Returns
   RN_INVALID or RN_LIMIT, with a message, if it cannot be done. `menisci`: for a device, which has no use for
   def->kept.
 */
static rn_result prepare(rn_surface_state *w, void *scratch, size_t bytes, rn_meniscus *menisci) {
    const rn_surface_columns *columns = w->columns;
    const rn_surface_def *def = w->def;
    carver room = {0};
    const rn_result result = check(columns, def);
    if (result != RN_OK) return result;
    if (!w->mesh->positions || !w->mesh->indices)
        return rn_fail(RN_INVALID, "a mesh needs arrays for positions and indices; the others may be NULL");
    const size_t skip = (ALIGN - (uintptr_t)scratch % ALIGN) % ALIGN;
    lay_out(&room, w);
    carve(&room, 1, own_meniscus(w));
    if (bytes < room.at + skip)
        return rn_fail(RN_LIMIT, "a surface was given %zu bytes to work in; it needs %zu: ask rn_surface_bound", bytes,
                       room.at + ALIGN);
    room = (carver){.block = (char *)scratch + skip};
    lay_out(&room, w);
    w->smooth = !def->whole_cells && !def->raw_boundaries;
    w->per_foot = w->smooth && columns->contact_foot > 0.0f ? 1.0f / columns->contact_foot : 0.0f;
    w->meniscus = make_meniscus(w, &room, menisci);
    w->outlined = true;
    w->extras = (rn_extra_vertex *)(void *)(room.block + room.at);
    w->extra_capacity = (uint32_t)fmin((double)(bytes - skip - room.at) / (double)extra_bytes(def), 2e9);
    w->ranks = (uint32_t *)(void *)(w->extras + w->extra_capacity);
    if (def->device && w->extra_capacity > 0) w->extra_capacity--; /* the last rank is the sum of all */
    w->least = def->least_depth > 0.0f ? def->least_depth : def->least_depth < 0.0f ? 0.0f : 0.05f * columns->cell_size;
    w->half_per_cell = 0.5f / columns->cell_size;
    w->per_area = 1.0f / (columns->cell_size * columns->cell_size);
    w->per_full_depth = 1.0f / (def->full_depth > 0.0f ? def->full_depth : 2.0f * columns->cell_size);
    return RN_OK;
}

/* Returns `end` as a result, with a message if there was too little room. */
static rn_result result_of(const rn_surface_state *w, rn_surface_end end, const rn_surface_counts *n) {
    const rn_mesh *mesh = w->mesh;
    if (end == RN_SURFACE_NO_VERTICES)
        return rn_fail(RN_LIMIT,
                       "a surface has %llu vertices, %llu of them beyond columns; there is room for %lu and %lu",
                       (unsigned long long)n->vertices, (unsigned long long)n->extras,
                       (unsigned long)mesh->vertex_capacity, (unsigned long)w->extra_capacity);
    if (end == RN_SURFACE_NO_TRIANGLES)
        return rn_fail(RN_LIMIT, "a surface has %llu vertices and %llu triangles; there is room for %lu and %lu",
                       (unsigned long long)n->vertices, (unsigned long long)n->triangles,
                       (unsigned long)mesh->vertex_capacity, (unsigned long)mesh->triangle_capacity);
    return RN_OK;
}

/* Builds on this CPU. */
static rn_result build_here(const rn_surface_columns *columns, const rn_surface_def *def, void *scratch, size_t bytes,
                            rn_mesh *mesh) {
    rn_surface_state w = {.columns = columns, .def = def, .mesh = mesh};
    rn_surface_counts n;
    const rn_result result = prepare(&w, scratch, bytes, NULL);
    return result == RN_OK ? result_of(&w, rn_surface_passes(&w, &n), &n) : result;
}

/* ---- On a device ------------------------------------------------------------------------------------------------ */

/* Copies what a mesh has from memory of the host to its arrays, which may lie anywhere, and sets its counts. */
static rn_result copy_mesh(rn_device *device, const rn_mesh *from, rn_mesh *mesh) {
    const size_t vertices = from->vertex_count;
    const struct {
        void *to;
        const void *from;
        size_t words;
    } parts[] = {{mesh->positions, from->positions, 3 * vertices},
                 {mesh->normals, from->normals, 3 * vertices},
                 {mesh->opacity, from->opacity, vertices},
                 {mesh->velocities, from->velocities, 3 * vertices},
                 {mesh->menisci, from->menisci, 4 * vertices},
                 {mesh->ids, from->ids, vertices},
                 {mesh->indices, from->indices, 3 * (size_t)from->triangle_count}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i].to || !parts[i].words) continue;
        const rn_result result = rn_device_copy(device, parts[i].to, parts[i].from, 4 * parts[i].words);
        if (result != RN_OK) return result;
    }
    mesh->vertex_count = from->vertex_count;
    mesh->triangle_count = from->triangle_count;
    return RN_OK;
}

/* Builds on the CPU a surface that the device cannot build, in memory of its own, and copies the mesh to where it
   belongs. */
static rn_result build_for_device(const rn_surface_columns *columns, const rn_surface_def *def, rn_mesh *mesh) {
    rn_surface_def here = *def;
    rn_surface_room room;
    here.device = NULL;
    here.kept = NULL;
    rn_result result = rn_surface_bound(columns, &here, &room);
    if (result != RN_OK) return result;
    const size_t vertices = mesh->vertex_capacity < room.vertices ? mesh->vertex_capacity : room.vertices;
    const size_t triangles = mesh->triangle_capacity < room.triangles ? mesh->triangle_capacity : room.triangles;
    const size_t words = 18 * vertices + 3 * triangles + 1, bytes = (room.scratch + 63) / 64 * 64;
    char *block = rn_alloc(NULL, bytes + words * 4, 1);
    if (!block) return RN_MEMORY;
    float *at = (float *)(void *)(block + bytes);
    rn_mesh built = {.positions = at, .vertex_capacity = (uint32_t)vertices, .triangle_capacity = (uint32_t)triangles};
    at += 3 * vertices;
    if (mesh->normals) built.normals = at, at += 3 * vertices;
    if (mesh->opacity) built.opacity = at, at += vertices;
    if (mesh->velocities) built.velocities = at, at += 3 * vertices;
    if (mesh->menisci) built.menisci = at, at += 4 * vertices;
    if (mesh->ids) built.ids = (uint32_t *)(void *)at, at += vertices;
    built.indices = (uint32_t *)(void *)at;
    result = build_here(columns, &here, block, bytes, &built);
    if (result == RN_OK) result = copy_mesh(def->device, &built, mesh);
    rn_free(NULL, block);
    return result;
}

/* What the device cannot build of this surface, or NULL. */
static const char *missing_there(const rn_surface_columns *columns, const rn_surface_def *def) {
    if (columns->layers > RN_DEVICE_LAYERS) return "it has more than 8 layers";
    if (def->choppiness != 0.0f) return "its waves are choppy";
    if (def->jets && def->jets->pour_count > 0) return "it has jets of pours";
    return NULL;
}

/* Builds on the device of the definition or, if that cannot, wholly on the CPU. */
static rn_result build_there(const rn_surface_columns *columns, const rn_surface_def *def, void *scratch, size_t bytes,
                             rn_mesh *mesh) {
    rn_surface_state w = {.columns = columns, .def = def, .mesh = mesh};
    rn_surface_counts n = {0};
    rn_surface_end end = RN_SURFACE_DONE;
    rn_meniscus menisci = {0};
    rn_result result = prepare(&w, scratch, bytes, &menisci);
    if (result != RN_OK) return result;
    if (!def->device->calls->owns(def->device, scratch, bytes))
        return rn_fail(RN_INVALID,
                       "a surface on a GPU needs `scratch` from rn_device_alloc, at least as large as given");
    const char *missing = missing_there(columns, def);
    if (!missing && !def->device->calls->surface(def->device, &w, &end, &n)) missing = "the GPU has failed";
    if (!missing && end == RN_SURFACE_HAS_JETS) missing = "it has jets or drops";
    if (missing) {
        def->device->calls->tell(def->device, missing);
        return build_for_device(columns, def, mesh);
    }
    result = result_of(&w, end, &n);
    if (result != RN_OK) return result;
    mesh->vertex_count = (uint32_t)n.vertices;
    mesh->triangle_count = (uint32_t)n.triangles;
    return RN_OK;
}

rn_result rn_surface_build(const rn_surface_columns *columns, const rn_surface_def *def, void *scratch, size_t bytes,
                           rn_mesh *mesh) {
    mesh->vertex_count = mesh->triangle_count = 0;
    return (def && def->device ? build_there : build_here)(columns, def, scratch, bytes, mesh);
}

void *rn_device_alloc(rn_device *device, size_t bytes) {
    if (device) return device->calls->alloc(device, bytes);
    rn_fail(RN_INVALID, "rn_device_alloc needs a device; rn_world_device returns none for a world on the CPU");
    return NULL;
}

void rn_device_free(rn_device *device, void *memory) {
    if (device && memory) device->calls->free(device, memory);
}

rn_result rn_device_copy(rn_device *device, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return RN_OK;
    if (!device || !to || !from) return rn_fail(RN_INVALID, "rn_device_copy needs a device and both addresses");
    return device->calls->copy(device, to, from, bytes);
}
