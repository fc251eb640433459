#include "solver/seams.h"

#include "base/memory.h"
#include "solver/pipes.h"
#include "solver/tiles.h"

#include <math.h>
#include <string.h>

/* Two neighbouring cells whose pipes are made anew, the second one further along an axis. */
typedef struct seam {
    int32_t x, y;
    int32_t owner;          /* 2 * (y * nx + x) + axis */
    int32_t a, b;           /* slots of layer 0; b is -1 past an edge */
    float drop;             /* m, how much lower b counts */
    int32_t loose, end;     /* its loose pipes before */
    int32_t records, pipes; /* how many pipes it had that are handed down, and how many loose ones it has now */
} seam;

/* So many of them, which one thread works on. What it finds goes where no other's does. */
enum { SLICE = 64 };
typedef struct slice {
    size_t columns;        /* of all its cells */
    size_t records, pipes; /* first of its places */
    rn_tally tally;
    float highest, deepest; /* m */
} slice;

/* A pipe between two ranges, both as seen from the first column. */
typedef struct record {
    rn_range a, b;
    float flux, height;           /* m^3/s, m */
    float low, high, shut, speed; /* as of a loose pipe */
} record;

enum { MOST_PAIRS = 2 * RN_MOST_LAYERS }; /* two stacks of columns meet in fewer places than they have columns */

typedef struct sewing {
    rn_reshaping *r;
    rn_state *s;
} sewing;

static seam *seam_at(const rn_reshaping *r, size_t i) { return (seam *)r->seams + i; }
static slice *slice_at(const rn_reshaping *r, size_t i) { return (slice *)r->slices + i; }
static record *record_at(const rn_reshaping *r, size_t i) { return (record *)r->records + i; }
static rn_loose *pipe_at(const rn_reshaping *r, size_t i) { return (rn_loose *)r->pipes + i; }
static size_t slice_count(const rn_reshaping *r) { return (r->seam_count + SLICE - 1) / SLICE; }
static size_t slice_end(const rn_reshaping *r, size_t i) {
    return (i + 1) * SLICE < r->seam_count ? (i + 1) * SLICE : r->seam_count;
}

size_t rn_seams_bytes(const rn_reshaping *r) {
    return r->seam_capacity * sizeof(seam) + r->slice_capacity * sizeof(slice) + r->record_capacity * sizeof(record) +
           (r->pipe_capacity + r->loose.capacity) * sizeof(rn_loose);
}

/* ---- Which ones ---------------------------------------------------------------------------------------------- */

static int wrapped(int at, int cells, bool periodic) {
    if (at >= 0 && at < cells) return at;
    return periodic ? (at + cells) % cells : -1;
}

/* A pipe depends on its two cells, and whether it is a fall also on the one behind the brink: a change is felt by
   the pairs that begin up to two cells before it and one after. */
static void mark_seams(rn_reshaping *r, const rn_state *s) {
    const rn_grid *g = &s->grid;
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = rn_change_at(r, i);
        for (int away = -2; away <= 1; away++) {
            int x = wrapped(c->x + away, g->nx, s->periodic_x), y = wrapped(c->y + away, g->ny, s->periodic_y);
            if (x >= 0) r->again[(size_t)c->y * (size_t)g->nx + (size_t)x] |= 1;
            if (y >= 0) r->again[(size_t)y * (size_t)g->nx + (size_t)c->x] |= 2;
        }
    }
}

static bool add_seams(rn_reshaping *r, const rn_state *s, int x, int y, uint8_t axes) {
    for (int axis = 0; axis < 2; axis++) {
        if (!(axes & (1 << axis))) continue;
        if (!rn_grow(&s->hooks, &r->seams, &r->seam_capacity, r->seam_count, sizeof(seam))) return false;
        *seam_at(r, r->seam_count++) = (seam){.x = x, .y = y, .owner = 2 * (y * s->grid.nx + x) + axis};
    }
    return true;
}

/* The next cell from one on that is marked, or the end. Few are: eight at a time. */
static size_t next_marked(const uint8_t *marks, size_t from, size_t end) {
    uint64_t eight = 0;
    for (; from + sizeof eight <= end; from += sizeof eight) {
        memcpy(&eight, marks + from, sizeof eight);
        if (eight) break;
    }
    while (from < end && !marks[from]) from++;
    return from;
}

/* Turns the marks into a list, and takes them away. */
static rn_result list_seams(rn_reshaping *r, const rn_state *s) {
    const size_t nx = (size_t)s->grid.nx;
    const int first = rn_change_at(r, 0)->y - 2, last = rn_change_at(r, r->change_count - 1)->y + 1;
    int y = s->periodic_y || first < 0 ? 0 : first;
    const size_t end = nx * (size_t)(s->periodic_y || last >= s->grid.ny ? s->grid.ny : last + 1);
    bool fine = true;
    mark_seams(r, s);
    for (size_t i = next_marked(r->again, nx * (size_t)y, end); i < end; i = next_marked(r->again, i, end)) {
        while (i >= nx * (size_t)(y + 1)) y++;
        fine = fine && add_seams(r, s, (int)(i - nx * (size_t)y), y, r->again[i]);
        r->again[i++] = 0;
    }
    return fine ? RN_OK : RN_MEMORY;
}

/* ---- Pipes as they were -------------------------------------------------------------------------------------- */

static size_t columns_of(const rn_state *s, int32_t slot) {
    size_t count = 0;
    while (count < (size_t)s->grid.layers && s->base[slot] < RN_NO_COLUMN) count++, slot += s->grid.layer_stride;
    return count;
}

static size_t seam_columns(const rn_state *s, const seam *m) {
    return m->b < 0 ? 0 : columns_of(s, m->a) + columns_of(s, m->b);
}

/* The first loose pipe that an owner, or a later one, can have. */
static int32_t first_loose(const rn_state *s, int32_t owner) {
    int32_t low = 0, high = s->loose_inner;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (s->loose_owner[middle] < owner) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void find_ends(void *context, int begin, int end, int worker) {
    const rn_reshaping *r = ((sewing *)context)->r;
    const rn_state *s = ((sewing *)context)->s;
    (void)worker;
    for (int k = begin; k < end; k++) {
        slice *part = slice_at(r, (size_t)k);
        *part = (slice){0};
        int32_t p = first_loose(s, seam_at(r, (size_t)k * SLICE)->owner);
        for (size_t i = (size_t)k * SLICE; i < slice_end(r, (size_t)k); i++) {
            seam *m = seam_at(r, i);
            m->a = rn_slot(&s->grid, 0, m->y, m->x);
            m->b = rn_cell_beside(s, m->x, m->y, m->owner % 2 == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &m->drop);
            while (p < s->loose_inner && s->loose_owner[p] < m->owner) p++;
            m->loose = p;
            while (p < s->loose_inner && s->loose_owner[p] == m->owner) p++;
            m->end = p;
            part->columns += seam_columns(s, m);
        }
    }
}

static record record_of(const rn_state *s, const rn_loose *pipe) {
    const int32_t a = pipe->a, b = pipe->b;
    return (record){
        .a = {s->base[a], s->ceil[a]},
        .b = {s->base[b] - pipe->drop, s->ceil[b] - pipe->drop},
        .flux = pipe->flux,
        .height = rn_felt_height(s, a, b, pipe->drop),
        .low = pipe->low,
        .high = pipe->high,
        .shut = pipe->shut,
        .speed = pipe->speed,
    };
}

/* One without flux has nothing to hand down, but for how far it is shut. */
static bool is_recorded(const rn_state *s, float flux) { return flux != 0.0f || s->parted; }

/* How many pipes of a seam go into the list. */
static int32_t record_seam(const rn_state *s, const seam *m, record *list) {
    const uint8_t *pipes = m->owner % 2 == 0 ? s->pipe_x : s->pipe_y;
    const float *flux = m->owner % 2 == 0 ? s->flux_x : s->flux_y;
    const int32_t up = s->grid.layer_stride;
    int32_t count = 0;
    for (int32_t l = 0; m->b >= 0 && l < s->grid.layers; l++) {
        const int32_t a = m->a + l * up;
        if (!pipes[a] || !is_recorded(s, flux[a])) continue;
        list[count++] = record_of(s, &(rn_loose){.a = a, .b = m->b + l * up, .drop = m->drop, .flux = flux[a]});
    }
    for (int32_t p = m->loose; p < m->end; p++) {
        const rn_loose pipe = rn_loose_get(s, p);
        if (is_recorded(s, pipe.flux)) list[count++] = record_of(s, &pipe);
    }
    return count;
}

static void record_slices(void *context, int begin, int end, int worker) {
    const rn_reshaping *r = ((sewing *)context)->r;
    const rn_state *s = ((sewing *)context)->s;
    (void)worker;
    for (int k = begin; k < end; k++) {
        record *list = record_at(r, slice_at(r, (size_t)k)->records);
        for (size_t i = (size_t)k * SLICE; i < slice_end(r, (size_t)k); i++) {
            seam_at(r, i)->records = record_seam(s, seam_at(r, i), list);
            list += seam_at(r, i)->records;
        }
    }
}

static bool near_edge(const rn_state *s, const rn_change *c) {
    return c->x <= 1 || c->y <= 1 || c->x >= s->grid.nx - 2 || c->y >= s->grid.ny - 2;
}

/* A bound on the columns of all seams, and so on their pipes, when the cells have changed. */
static size_t most_columns(const rn_reshaping *r, size_t columns) {
    enum { MOST_SIDES = 4 };
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = rn_change_at(r, i);
        if (c->is_count > c->was_count) columns += MOST_SIDES * (size_t)(c->is_count - c->was_count);
    }
    return columns;
}

/* A bound on the pipes over edges: every column there has one, or two at a corner, or more in a narrow world. */
static size_t most_outside(const rn_reshaping *r, const rn_state *s) {
    size_t most = (size_t)(s->loose - s->loose_inner);
    for (size_t i = 0; i < r->change_count; i++)
        if (near_edge(s, rn_change_at(r, i))) most += 4 * (size_t)rn_change_at(r, i)->is_count;
    return most;
}

static rn_result reserve(rn_reshaping *r, rn_state *s) {
    size_t columns = 0;
    for (size_t k = 0; k < slice_count(r); k++) {
        slice_at(r, k)->records = columns;
        columns += slice_at(r, k)->columns;
    }
    const size_t most = most_columns(r, columns), all = (size_t)s->loose_inner + most + most_outside(r, s);
    bool fine = rn_renew(&s->hooks, &r->records, &r->record_capacity, columns, sizeof(record));
    fine = rn_renew(&s->hooks, &r->pipes, &r->pipe_capacity, most, sizeof(rn_loose)) && fine;
    fine = rn_renew(&s->hooks, &r->loose.pipes, &r->loose.capacity, all, sizeof(rn_loose)) && fine;
    return fine ? rn_graph_reserve(s, all) : RN_MEMORY;
}

rn_result rn_seams_open(rn_reshaping *r, rn_state *s, rn_pool *pool) {
    sewing job = {r, s};
    rn_result result = list_seams(r, s);
    if (result != RN_OK) return result;
    if (!rn_renew(&s->hooks, &r->slices, &r->slice_capacity, slice_count(r), sizeof(slice))) return RN_MEMORY;
    rn_parallel_for(pool, (int)slice_count(r), find_ends, &job);
    result = reserve(r, s);
    if (result == RN_OK) rn_parallel_for(pool, (int)slice_count(r), record_slices, &job);
    return result;
}

/* ---- Joining anew ---------------------------------------------------------------------------------------------- */

static rn_range common(rn_range a, rn_range b) { return (rn_range){fmaxf(a.base, b.base), fminf(a.ceil, b.ceil)}; }
static float height_of(rn_range range) { return range.ceil - range.base; }

/* The height (m) that a pipe has of one that was there before; 0: it is no heir of it. */
static float height_shared(const rn_state *s, const rn_pair *p, const record *from) {
    const rn_range a = {s->base[p->a], s->ceil[p->a]}, b = {s->base[p->b] - p->drop, s->ceil[p->b] - p->drop};
    if (height_of(common(a, from->a)) <= 0.0f || height_of(common(b, from->b)) <= 0.0f) return 0.0f;
    return fmaxf(height_of(common(common(a, b), common(from->a, from->b))), s->quantum);
}

/* What opens (m) where a pipe that was shut in a part is not any more. */
static float opened(const record *from, float part) {
    const rn_range range = common(from->a, from->b);
    const float room = fminf(from->height, height_of(range));
    return part * room * (1.0f - rn_part_open(range.base, room, from->low, from->high, from->shut));
}

/* Gives a pipe, loose or ordinary, its part of a former one's flux. None flows faster than it did: where less room is
   left, less flows. */
static void inherit(rn_state *s, const rn_pair *p, rn_loose *loose, const record *from, float part) {
    const float height = rn_felt_height(s, p->a, p->b, p->drop);
    const float room = height < from->height ? height / from->height : 1.0f;
    float *flux = loose ? &loose->flux : &(p->axis == 0 ? s->flux_x : s->flux_y)[p->a];
    *flux += from->flux * fminf(part, room);
    if (!loose && from->shut > 0.0f) *flux += opened(from, part) * (s->cell * from->speed);
    if (!loose || loose->shut != RN_NEW) return;
    loose->low = from->low;
    loose->high = from->high;
    loose->shut = from->shut;
    loose->speed = from->speed;
}

/* Shares a former pipe's flux among those that have taken its place, by the height that each has of it. */
static void hand_down(rn_state *s, const record *from, const rn_pair *pairs, rn_loose *const *loose, int count) {
    float shared[MOST_PAIRS], total = 0.0f;
    for (int i = 0; i < count; i++) total += shared[i] = height_shared(s, &pairs[i], from);
    for (int i = 0; i < count; i++)
        if (shared[i] > 0.0f) inherit(s, &pairs[i], loose[i], from, shared[i] / total);
}

/* How many loose pipes, which go into the list, a seam has now. */
static int32_t join_seam(rn_state *s, const seam *m, const record *from, rn_loose *list, slice *part) {
    const int axis = m->owner % 2;
    rn_pair pairs[MOST_PAIRS];
    rn_loose *loose[MOST_PAIRS];
    float *flux = axis == 0 ? s->flux_x : s->flux_y;
    int32_t pipes = 0;
    if (m->b < 0) return 0;
    rn_graph_unjoin(s, m->a, axis, &part->tally);
    for (int32_t l = 0; l < s->grid.layers; l++) flux[m->a + l * s->grid.layer_stride] = 0.0f;
    const int count = rn_graph_pairs(s, m->a, m->b, m->drop, axis, pairs);
    for (int i = 0; i < count; i++) {
        const rn_pair *p = &pairs[i];
        loose[i] = rn_graph_join(s, p, m->owner, &part->tally, &list[pipes]) ? &list[pipes++] : NULL;
        part->highest = fmaxf(part->highest, rn_state_height(s, p->a, p->b, p->drop));
        part->deepest = fmaxf(part->deepest, fmaxf(s->depth[p->a], s->depth[p->b]));
    }
    for (int32_t i = 0; i < m->records; i++) hand_down(s, &from[i], pairs, loose, count);
    return pipes;
}

static void join_slices(void *context, int begin, int end, int worker) {
    const rn_reshaping *r = ((sewing *)context)->r;
    rn_state *s = ((sewing *)context)->s;
    (void)worker;
    for (int k = begin; k < end; k++) {
        slice *part = slice_at(r, (size_t)k);
        const record *from = record_at(r, part->records);
        rn_loose *list = pipe_at(r, part->pipes);
        for (size_t i = (size_t)k * SLICE; i < slice_end(r, (size_t)k); i++) {
            seam *m = seam_at(r, i);
            m->pipes = join_seam(s, m, from, list, part);
            from += m->records;
            list += m->pipes;
        }
    }
}

static void join_seams(rn_reshaping *r, rn_state *s, rn_pool *pool) {
    sewing job = {r, s};
    size_t columns = 0;
    for (size_t k = 0; k < slice_count(r); k++) {
        slice_at(r, k)->pipes = columns;
        for (size_t i = k * SLICE; i < slice_end(r, k); i++) columns += seam_columns(s, seam_at(r, i));
    }
    rn_parallel_for(pool, (int)slice_count(r), join_slices, &job);
    for (size_t k = 0; k < slice_count(r); k++) {
        const slice *part = slice_at(r, k);
        s->ordinary += part->tally.ordinary;
        s->falls[0] += part->tally.falls;
        r->highest = fmaxf(r->highest, part->highest);
        r->deepest = fmaxf(r->deepest, part->deepest);
    }
}

/* ---- The list of all loose pipes -----------------------------------------------------------------------------------
 */

/* There is room for all of them. */
static void keep_loose(rn_reshaping *r, const rn_state *s, int32_t begin, int32_t end) {
    for (int32_t p = begin; p < end; p++) *rn_loose_at(&r->loose, r->loose.count++) = rn_loose_get(s, p);
}

static void list_inner(rn_reshaping *r, const rn_state *s) {
    int32_t kept = 0;
    for (size_t k = 0; k < slice_count(r); k++) {
        const rn_loose *list = pipe_at(r, slice_at(r, k)->pipes);
        for (size_t i = k * SLICE; i < slice_end(r, k); i++) {
            const seam *m = seam_at(r, i);
            keep_loose(r, s, kept, m->loose);
            kept = m->end;
            for (int32_t n = 0; n < m->pipes; n++) *rn_loose_at(&r->loose, r->loose.count++) = *list++;
        }
    }
    keep_loose(r, s, kept, s->loose_inner);
}

/* What flowed over an edge from the columns that have become this one. */
static float flux_out(const rn_reshaping *r, const rn_state *s, int32_t inner, int32_t outer) {
    const rn_spot at = rn_slot_place(&s->grid, inner);
    const rn_change *change = rn_change_of(r, at.x, at.y);
    float flux = 0.0f;
    for (int l = 0; l < s->grid.layers; l++) {
        const rn_special *sink = rn_special_of(s, outer + (l - at.layer) * s->grid.layer_stride);
        bool before = change ? l < change->was_count && rn_change_heir(r, change, l) == at.layer : l == at.layer;
        if (before && sink) flux += s->loose_flux[s->links[sink->begin] / 2];
    }
    return flux;
}

/* What lies past the edges; a sink there has just one pipe. */
static void list_outer(rn_reshaping *r, rn_state *s) {
    const size_t inner = r->loose.count;
    bool touched = false;
    for (size_t i = 0; i < r->change_count && !touched; i++) touched = near_edge(s, rn_change_at(r, i));
    if (!touched) {
        keep_loose(r, s, s->loose_inner, s->loose);
        return;
    }
    rn_graph_join_rim(s, &r->loose);
    for (size_t i = inner; i < r->loose.count; i++) {
        rn_loose *pipe = rn_loose_at(&r->loose, i);
        const rn_spot at = rn_slot_place(&s->grid, pipe->a);
        const bool first = at.x >= 0 && at.y >= 0; /* the inner column is the first of the two */
        pipe->flux = first ? flux_out(r, s, pipe->a, pipe->b) : flux_out(r, s, pipe->b, pipe->a);
    }
}

/* ---- Rows and tiles ------------------------------------------------------------------------------------------ */

static void refresh_row(rn_state *s, int layer, int y) {
    const bool periodic = s->periodic_x || s->periodic_y; /* cells have other neighbours */
    if (s->advected) rn_graph_flag_row(s, layer, y);
    rn_row_at(s, layer, y)->still = false;
    if (!periodic) return;
    rn_tiles_reshape_row(s, layer, y);
    if (y >= 0 && y < s->grid.ny) rn_pipes_row_changed(s, layer, y);
}

static void refresh(const rn_reshaping *r, rn_state *s) {
    int fresh = -2; /* last row that is */
    for (size_t i = 0; i < r->seam_count; i++) {
        const int at = seam_at(r, i)->y;
        for (int y = fresh + 1 > at - 1 ? fresh + 1 : at - 1; y <= at + 1; fresh = y++)
            for (int l = 0; l < s->grid.layers; l++) refresh_row(s, l, y);
    }
    for (size_t i = 0, next; i < r->change_count; i = next) {
        const rn_change *first = rn_change_at(r, i), *last = first;
        for (next = i + 1; next < r->change_count; last = rn_change_at(r, next++))
            if (rn_change_at(r, next)->y != first->y || rn_change_at(r, next)->x > last->x + 1) break;
        rn_tiles_reshape(s, first->x, last->x, first->y);
    }
    for (int l = 0; s->periodic_y && l < s->grid.layers; l++) {
        refresh_row(s, l, -1);
        refresh_row(s, l, s->grid.ny);
    }
}

rn_result rn_seams_close(rn_reshaping *r, rn_state *s, rn_pool *pool) {
    join_seams(r, s, pool);
    list_inner(r, s);
    const size_t inner = r->loose.count;
    list_outer(r, s);
    const rn_result result = rn_graph_store(s, &r->loose, inner); /* there is room: it cannot fail */
    refresh(r, s);
    return result;
}
