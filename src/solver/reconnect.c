/* Remakes the pipes between cells whose columns have changed and the cells around them.

   Interface and order of calls (solver/reconnect.h): rn_reconnect_begin before columns change; the caller changes
   them; rn_reconnect_finish. rn_reshape_apply of solver/reshape.c calls them, and moves displaced liquid in between.
   Whatever can fail does so in rn_reconnect_begin, which makes room for everything that rn_reconnect_finish writes.

   Algorithm: a seam is a pair of neighbouring cells of which one has changed, or between which a fall may begin or
   end because the cell behind the brink has changed. rn_reconnect_begin records the pipes of all seams with their
   fluxes, speeds and heights. rn_reconnect_finish joins the cells again and passes fluxes on: a new pipe takes from
   each recorded one in proportion to the height that both share. Nothing becomes faster through this: where less
   room is left, less flows. Threads work on slices, runs of seams that share no pipe; irregular pipes are collected
   slice by slice, so that their order does not depend on the number of threads. The list of all irregular pipes is
   then stored anew (rn_graph_store), and the tiles around the changes are marked. Pipes over edges are remade only
   if a change is near an edge. */
#include "solver/reconnect.h"

#include "base/memory.h"
#include "solver/pipes.h"
#include "solver/tiles.h"

#include <math.h>
#include <string.h>

/* Two neighbouring cells whose pipes are made again; the second lies further along an axis. */
struct rn_cell_pair {
    int32_t x, y;
    int32_t owner;          /* 2 * (y * nx + x) + axis */
    int32_t a, b;           /* slots of layer 0; b is -1 beyond an edge */
    float drop;             /* m, b counts this much lower */
    int32_t irregular, end; /* range of its former irregular pipes */
    int32_t records, pipes; /* number of its recorded pipes, and of its new irregular pipes */
};

/* Seams in a slice, on which one thread works. It writes only to entries of its own. */
enum { SLICE = 64 };
struct rn_slice {
    size_t columns;        /* in all its cells */
    size_t records, pipes; /* index of its first entries */
    rn_tally tally;
    float highest, deepest; /* m */
};

/* A former pipe between two ranges, both relative to the first column. */
struct rn_record {
    rn_column_range a, b;
    float flux, height;           /* m^3/s, m */
    float move;                   /* m, in the last substep; with momentum */
    float low, high, shut, speed; /* as in an irregular pipe */
};

typedef struct rn_cell_pair seam;
typedef struct rn_slice slice;
typedef struct rn_record record;

enum { MOST_PAIRS = 2 * RN_MOST_LAYERS }; /* two stacks of columns overlap in fewer places than they have columns */

typedef struct seam_task {
    rn_reconnection *all;
    rn_state *s;
} seam_task;

/* The number of slices, the last one perhaps shorter. */
static size_t slice_count(const rn_reconnection *all) { return (all->seam_count + SLICE - 1) / SLICE; }
/* One past the last seam of slice `i`, the last slice being shorter. */
static size_t slice_end(const rn_reconnection *all, size_t i) {
    return (i + 1) * SLICE < all->seam_count ? (i + 1) * SLICE : all->seam_count;
}

void rn_reconnect_free(rn_reconnection *all, const rn_hooks *hooks) {
    rn_free(hooks, all->seams);
    rn_free(hooks, all->slices);
    rn_free(hooks, all->records);
    rn_free(hooks, all->pipes);
    rn_free(hooks, all->irregular.pipes);
}

size_t rn_reconnect_bytes(const rn_reconnection *all) {
    return all->seam_capacity * sizeof *all->seams + all->slice_capacity * sizeof *all->slices +
           all->record_capacity * sizeof *all->records +
           (all->pipe_capacity + all->irregular.capacity) * sizeof *all->pipes;
}

/* ---- Which seams --------------------------------------------------------------------------------------------- */

/* The index of the cell at `at` along an axis of `cells` cells, at most one world beyond a periodic edge; -1: none
   there. */
static int wrap_index(int at, int cells, bool periodic) {
    if (at >= 0 && at < cells) return at;
    return periodic ? (at + cells) % cells : -1;
}

/* Marks in r->again (1 along x, 2 along y) the seams to be joined again. A pipe depends on its two cells, and whether
   it is a fall also on the cell behind the brink: a change affects the pairs that begin up to two cells before it and
   one after. */
static void mark_seams(rn_reshaping *r, const rn_state *s) {
    const rn_grid *g = &s->columns.grid;
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = &r->changes[i];
        for (int away = -2; away <= 1; away++) {
            int x = wrap_index(c->x + away, g->nx, s->columns.periodic_x),
                y = wrap_index(c->y + away, g->ny, s->columns.periodic_y);
            if (x >= 0) r->again[(size_t)c->y * (size_t)g->nx + (size_t)x] |= 1;
            if (y >= 0) r->again[(size_t)y * (size_t)g->nx + (size_t)c->x] |= 2;
        }
    }
}

/* Appends the seams that begin at a cell to all->seams; `axes` as bits: 1 along x, 2 along y. Returns false, with an
   error text, if memory runs out. */
static bool add_seams(rn_reconnection *all, const rn_state *s, int x, int y, uint8_t axes) {
    for (int axis = 0; axis < 2; axis++) {
        if (!(axes & (1 << axis))) continue;
        if (!rn_grow(&s->columns.hooks, &all->seams, &all->seam_capacity, all->seam_count, sizeof(seam))) return false;
        all->seams[all->seam_count++] = (seam){.x = x, .y = y, .owner = 2 * (y * s->columns.grid.nx + x) + axis};
    }
    return true;
}

/* The first marked cell from `from` on, or `end`. Few cells are marked, so eight are tested at a time. */
static size_t next_marked(const uint8_t *marks, size_t from, size_t end) {
    uint64_t eight = 0;
    for (; from + sizeof eight <= end; from += sizeof eight) {
        memcpy(&eight, marks + from, sizeof eight);
        if (eight) break;
    }
    while (from < end && !marks[from]) from++;
    return from;
}

/* Lists the seams of changed cells, in order of cells. Returns RN_MEMORY, with a message, if memory runs out. r->again
   is cleared afterwards, also then. */
static rn_result list_seams(rn_reconnection *all, rn_reshaping *r, const rn_state *s) {
    const size_t nx = (size_t)s->columns.grid.nx;
    const int first = r->changes[0].y - 2, last = r->changes[r->change_count - 1].y + 1;
    int y = s->columns.periodic_y || first < 0 ? 0 : first;
    const size_t end =
        nx * (size_t)(s->columns.periodic_y || last >= s->columns.grid.ny ? s->columns.grid.ny : last + 1);
    bool fine = true;
    mark_seams(r, s);
    for (size_t i = next_marked(r->again, nx * (size_t)y, end); i < end; i = next_marked(r->again, i, end)) {
        while (i >= nx * (size_t)(y + 1)) y++;
        fine = fine && add_seams(all, s, (int)(i - nx * (size_t)y), y, r->again[i]);
        r->again[i++] = 0;
    }
    return fine ? RN_OK : RN_MEMORY;
}

/* ---- Former pipes -------------------------------------------------------------------------------------------- */

/* The number of columns of a cell, given by its slot of layer 0. */
static size_t count_columns(const rn_state *s, int32_t slot) {
    size_t count = 0;
    while (count < (size_t)s->columns.grid.layers && s->columns.base[slot] < RN_NO_COLUMN)
        count++, slot += s->columns.grid.layer_stride;
    return count;
}

/* The number of columns in both cells of a seam; 0 beyond an edge. */
static size_t seam_columns(const rn_state *s, const seam *m) {
    return m->b < 0 ? 0 : count_columns(s, m->a) + count_columns(s, m->b);
}

/* The number of the first irregular pipe within the grid of this owner or of a later one; irregular_inner if there is
   none. */
static int32_t first_irregular(const rn_state *s, int32_t owner) {
    int32_t low = 0, high = s->graph.irregular_inner;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (s->graph.irregular_owner[middle] < owner) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A task over slices: finds slots and former irregular pipes of each seam, and the number of columns of each slice. */
static void find_ends(void *context, int begin, int end, int worker) {
    rn_reconnection *all = ((seam_task *)context)->all;
    const rn_state *s = ((seam_task *)context)->s;
    (void)worker;
    for (int k = begin; k < end; k++) {
        slice *part = &all->slices[(size_t)k];
        *part = (slice){0};
        int32_t p = first_irregular(s, all->seams[(size_t)k * SLICE].owner);
        for (size_t i = (size_t)k * SLICE; i < slice_end(all, (size_t)k); i++) {
            seam *m = &all->seams[i];
            m->a = rn_slot(&s->columns.grid, 0, m->y, m->x);
            m->b = rn_cell_beside(&s->columns, m->x, m->y, m->owner % 2 == 0 ? RN_SIDE_EAST : RN_SIDE_NORTH, &m->drop);
            while (p < s->graph.irregular_inner && s->graph.irregular_owner[p] < m->owner) p++;
            m->irregular = p;
            while (p < s->graph.irregular_inner && s->graph.irregular_owner[p] == m->owner) p++;
            m->end = p;
            part->columns += seam_columns(s, m);
        }
    }
}

/* A record of the pipe as it is now, its flux (m^3/s) being known. */
static record make_record(const rn_state *s, const rn_irregular *pipe) {
    const int32_t a = pipe->a, b = pipe->b;
    return (record){
        .a = {s->columns.base[a], s->columns.ceil[a]},
        .b = {s->columns.base[b] - pipe->drop, s->columns.ceil[b] - pipe->drop},
        .flux = pipe->flux,
        .move = pipe->move,
        .height = rn_acting_height(s, a, b, pipe->drop),
        .low = pipe->low,
        .high = pipe->high,
        .shut = pipe->shut,
        .speed = pipe->speed,
    };
}

/* Whether a pipe has anything to pass on: a flux, a transfer, or perhaps a shut part. */
static bool is_recorded(const rn_state *s, const rn_irregular *pipe) {
    return pipe->flux != 0.0f || pipe->move != 0.0f || s->columns.partial;
}

/* The open share (0 to 1) of a pipe's cross-section of this height (m); 1 if nothing of it is shut. */
static float open_share(const rn_state *s, const rn_irregular *pipe, float height) {
    if (!(pipe->shut > 0.0f)) return 1.0f;
    const float floor = fmaxf(s->columns.base[pipe->a], s->columns.base[pipe->b] - pipe->drop);
    return rn_partial_open(floor, height, pipe->low, pipe->high, pipe->shut);
}

/* The flux (m^3/s) of a pipe that has a speed, through the open part of its cross-section. */
static float pipe_flux(const rn_state *s, const rn_irregular *pipe) {
    const float height = rn_acting_height(s, pipe->a, pipe->b, pipe->drop);
    return pipe->flow * (s->columns.cell * height * open_share(s, pipe, height));
}

/* The speed (m/s) of a pipe that has a flux; 0 if it is closed. */
static float pipe_speed(const rn_state *s, const rn_irregular *pipe) {
    const float height = rn_acting_height(s, pipe->a, pipe->b, pipe->drop),
                section = s->columns.cell * height * open_share(s, pipe, height);
    return height >= RN_CLOSED && section > 0.0f ? pipe->flux / section : 0.0f;
}

/* Writes records of the pipes of a seam that have anything to pass on to `list`, and returns their number. There is
   room for as many as its cells have columns. */
static int32_t record_seam(const rn_state *s, const seam *m, record *list) {
    const uint8_t *pipes = m->owner % 2 == 0 ? s->graph.pipe_x : s->graph.pipe_y;
    const float *flux = m->owner % 2 == 0 ? s->columns.flux_x : s->columns.flux_y;
    const float *speed = m->owner % 2 == 0 ? s->graph.speed_x : s->graph.speed_y;
    const float *move = m->owner % 2 == 0 ? s->graph.transfer_x : s->graph.transfer_y;
    const int32_t up = s->columns.grid.layer_stride;
    int32_t count = 0;
    for (int32_t l = 0; m->b >= 0 && l < s->columns.grid.layers; l++) {
        const int32_t a = m->a + l * up;
        if (!pipes[a]) continue;
        rn_irregular pipe = {.a = a, .b = m->b + l * up, .drop = m->drop};
        if (s->graph.momentum) pipe.flow = speed[a], pipe.move = move[a], pipe.flux = pipe_flux(s, &pipe);
        else pipe.flux = flux[a];
        if (is_recorded(s, &pipe)) list[count++] = make_record(s, &pipe);
    }
    for (int32_t p = m->irregular; p < m->end; p++) {
        rn_irregular pipe = rn_irregular_get(s, p);
        if (s->graph.momentum) pipe.flux = pipe_flux(s, &pipe);
        if (is_recorded(s, &pipe)) list[count++] = make_record(s, &pipe);
    }
    return count;
}

/* A task over slices: records the pipes of their seams, and the number of pipes of each seam. */
static void record_slices(void *context, int begin, int end, int worker) {
    rn_reconnection *all = ((seam_task *)context)->all;
    const rn_state *s = ((seam_task *)context)->s;
    (void)worker;
    for (int k = begin; k < end; k++) {
        record *list = &all->records[all->slices[(size_t)k].records];
        for (size_t i = (size_t)k * SLICE; i < slice_end(all, (size_t)k); i++) {
            all->seams[i].records = record_seam(s, &all->seams[i], list);
            list += all->seams[i].records;
        }
    }
}

/* Whether the values beyond the edges depend on the cell of this change: for periodic edges as far as the rim has
   copies, and one cell further for their faces. */
static bool near_edge(const rn_state *s, const rn_change *c) {
    const rn_grid *g = &s->columns.grid;
    const int x = s->columns.periodic_x ? g->rim + 1 : 1, y = s->columns.periodic_y ? g->rim + 1 : 1;
    return c->x <= x || c->y <= y || c->x >= g->nx - 1 - x || c->y >= g->ny - 1 - y;
}

/* An upper bound on the columns of all seams, now `columns`, and thus on their pipes, after the change. */
static size_t most_columns(const rn_reshaping *r, size_t columns) {
    enum { MOST_SIDES = 4 };
    for (size_t i = 0; i < r->change_count; i++) {
        const rn_change *c = &r->changes[i];
        if (c->is_count > c->was_count) columns += MOST_SIDES * (size_t)(c->is_count - c->was_count);
    }
    return columns;
}

/* An upper bound on the pipes across edges: every column there has one, or two at a corner, or more in a narrow
   world. */
static size_t most_outside(const rn_reshaping *r, const rn_state *s) {
    size_t most = (size_t)(s->graph.irregular_count - s->graph.irregular_inner);
    for (size_t i = 0; i < r->change_count; i++)
        if (near_edge(s, &r->changes[i])) most += 4 * (size_t)r->changes[i].is_count;
    return most;
}

/* Makes room for all records and pipes, so that joining cannot fail; sets the first record of each slice. On failure
   returns RN_MEMORY or RN_LIMIT, with a message. */
static rn_result reserve_all(rn_reconnection *all, const rn_reshaping *r, rn_state *s) {
    size_t columns = 0;
    for (size_t k = 0; k < slice_count(all); k++) {
        all->slices[k].records = columns;
        columns += all->slices[k].columns;
    }
    const size_t most = most_columns(r, columns), total = (size_t)s->graph.irregular_inner + most + most_outside(r, s);
    bool fine = rn_renew(&s->columns.hooks, &all->records, &all->record_capacity, columns, sizeof(record));
    fine = rn_renew(&s->columns.hooks, &all->pipes, &all->pipe_capacity, most, sizeof(rn_irregular)) && fine;
    fine = rn_renew(&s->columns.hooks, &all->irregular.pipes, &all->irregular.capacity, total, sizeof(rn_irregular)) &&
           fine;
    return fine ? rn_graph_reserve(s, total) : RN_MEMORY;
}

rn_result rn_reconnect_begin(rn_reconnection *all, rn_reshaping *r, rn_state *s, rn_pool *pool) {
    seam_task job = {all, s};
    all->seam_count = all->irregular.count = 0;
    all->irregular.failed = false;
    rn_result result = list_seams(all, r, s);
    if (result != RN_OK) return result;
    if (!rn_renew(&s->columns.hooks, &all->slices, &all->slice_capacity, slice_count(all), sizeof(slice)))
        return RN_MEMORY;
    rn_parallel_for(pool, (int)slice_count(all), find_ends, &job);
    result = reserve_all(all, r, s);
    if (result == RN_OK) rn_parallel_for(pool, (int)slice_count(all), record_slices, &job);
    return result;
}

/* ---- Joining --------------------------------------------------------------------------------------------------- */

/* The overlap of two ranges; its ceiling is below its base if they do not overlap. */
static rn_column_range common_range(rn_column_range a, rn_column_range b) {
    return (rn_column_range){fmaxf(a.base, b.base), fminf(a.ceil, b.ceil)};
}
/* The height (m) of a range; negative if it is empty. */
static float range_height(rn_column_range range) { return range.ceil - range.base; }

/* The height (m) that a new pipe shares with a former one, at least a quantum if both columns of the new pipe meet
   those of the former one; otherwise 0, and the new pipe inherits nothing. */
static float height_shared(const rn_state *s, const rn_pair *p, const record *from) {
    const rn_column_range a = {s->columns.base[p->a], s->columns.ceil[p->a]},
                          b = {s->columns.base[p->b] - p->drop, s->columns.ceil[p->b] - p->drop};
    if (range_height(common_range(a, from->a)) <= 0.0f || range_height(common_range(b, from->b)) <= 0.0f) return 0.0f;
    return fmaxf(range_height(common_range(common_range(a, b), common_range(from->a, from->b))), s->columns.quantum);
}

/* The height (m) that opens where a formerly shut part of a pipe is no longer shut; `part`: share of the former pipe
   that the new one inherits. */
static float opened_height(const record *from, float part) {
    const rn_column_range range = common_range(from->a, from->b);
    const float room = fminf(from->height, range_height(range));
    return part * room * (1.0f - rn_partial_open(range.base, room, from->low, from->high, from->shut));
}

/* Adds to a pipe, irregular or ordinary (NULL), its part (0 to 1) of a former one's flux and transfer. Nothing becomes
   faster: where less room is left, less flows. A new irregular pipe also gets the shut part; in an ordinary one that
   part opens and moves with the solid's speed. */
static void inherit_flux(rn_state *s, const rn_pair *p, rn_irregular *irregular, const record *from, float part) {
    const float height = rn_acting_height(s, p->a, p->b, p->drop);
    const float room = height < from->height ? height / from->height : 1.0f;
    float *flux = irregular ? &irregular->flux : &(p->axis == 0 ? s->columns.flux_x : s->columns.flux_y)[p->a];
    *flux += from->flux * fminf(part, room);
    if (s->graph.momentum) {
        if (irregular) irregular->move += part * from->move;
        else (p->axis == 0 ? s->graph.transfer_x : s->graph.transfer_y)[p->a] += part * from->move;
    }
    if (!irregular && from->shut > 0.0f) *flux += opened_height(from, part) * (s->columns.cell * from->speed);
    if (!irregular || irregular->shut != RN_NEW) return;
    irregular->low = from->low;
    irregular->high = from->high;
    irregular->shut = from->shut;
    irregular->speed = from->speed;
}

/* Divides a former pipe's flux among the `count` pipes of its seam, by the height that each shares with the former
   pipe; the flux is lost if none does. irregular[i] is NULL for ordinary pipes. */
static void divide_flux(rn_state *s, const record *from, const rn_pair *pairs, rn_irregular *const *irregular,
                        int count) {
    float shared[MOST_PAIRS], total = 0.0f;
    for (int i = 0; i < count; i++) total += shared[i] = height_shared(s, &pairs[i], from);
    for (int i = 0; i < count; i++)
        if (shared[i] > 0.0f) inherit_flux(s, &pairs[i], irregular[i], from, shared[i] / total);
}

/* Sets speeds and transfer of the ordinary face of slot `a` along an axis to 0; with momentum. */
static void clear_face(rn_state *s, int32_t a, int axis) {
    (axis == 0 ? s->graph.speed_x : s->graph.speed_y)[a] = (axis == 0 ? s->graph.next_x : s->graph.next_y)[a] =
        (axis == 0 ? s->graph.transfer_x : s->graph.transfer_y)[a] = 0.0f;
    if (s->graph.half_x) (axis == 0 ? s->graph.half_x : s->graph.half_y)[a] = 0.0f;
}

/* Joins the cells of a seam again and passes its records `from` on. Writes its irregular pipes to `list`, and returns
   their number. Adds to the slice's tally and heights. Does nothing beyond an edge. */
static int32_t join_seam(rn_state *s, const seam *m, const record *from, rn_irregular *list, slice *part) {
    const int axis = m->owner % 2;
    rn_pair pairs[MOST_PAIRS];
    rn_irregular *irregular[MOST_PAIRS];
    float *flux = axis == 0 ? s->columns.flux_x : s->columns.flux_y;
    int32_t pipes = 0;
    if (m->b < 0) return 0;
    rn_graph_unjoin(s, m->a, axis, &part->tally);
    for (int32_t l = 0; l < s->columns.grid.layers; l++) {
        const int32_t a = m->a + l * s->columns.grid.layer_stride;
        flux[a] = 0.0f;
        if (s->graph.momentum) clear_face(s, a, axis);
    }
    const int count = rn_graph_pairs(s, m->a, m->b, m->drop, axis, pairs);
    for (int i = 0; i < count; i++) {
        const rn_pair *p = &pairs[i];
        irregular[i] = rn_graph_join(s, p, m->owner, &part->tally, &list[pipes]) ? &list[pipes++] : NULL;
        part->highest = fmaxf(part->highest, rn_state_height(s, p->a, p->b, p->drop));
        part->deepest = fmaxf(part->deepest, fmaxf(s->columns.depth[p->a], s->columns.depth[p->b]));
    }
    for (int32_t i = 0; i < m->records; i++) divide_flux(s, &from[i], pairs, irregular, count);
    for (int i = 0; s->graph.momentum && i < count; i++) {
        rn_irregular pipe = {.a = pairs[i].a, .b = pairs[i].b, .drop = pairs[i].drop, .flux = flux[pairs[i].a]};
        if (irregular[i]) irregular[i]->flow = pipe_speed(s, irregular[i]);
        else (axis == 0 ? s->graph.speed_x : s->graph.speed_y)[pairs[i].a] = pipe_speed(s, &pipe);
    }
    return pipes;
}

/* A task over slices of the list of seams; its context is a seam_task. Joins their seams again, with the former fluxes.
   Each slice writes its irregular pipes to all->pipes from part->pipes on, and their number to each seam's `pipes`. */
static void join_slices(void *context, int begin, int end, int worker) {
    rn_reconnection *all = ((seam_task *)context)->all;
    rn_state *s = ((seam_task *)context)->s;
    (void)worker;
    for (int k = begin; k < end; k++) {
        slice *part = &all->slices[(size_t)k];
        const record *from = &all->records[part->records];
        rn_irregular *list = &all->pipes[part->pipes];
        for (size_t i = (size_t)k * SLICE; i < slice_end(all, (size_t)k); i++) {
            seam *m = &all->seams[i];
            m->pipes = join_seam(s, m, from, list, part);
            from += m->records;
            list += m->pipes;
        }
    }
}

/* Joins all seams again, and merges the results of all slices: counts of pipes, and r->highest and r->deepest (m). */
static void join_seams(rn_reconnection *all, rn_reshaping *r, rn_state *s, rn_pool *pool) {
    seam_task job = {all, s};
    size_t columns = 0;
    for (size_t k = 0; k < slice_count(all); k++) {
        all->slices[k].pipes = columns;
        for (size_t i = k * SLICE; i < slice_end(all, k); i++) columns += seam_columns(s, &all->seams[i]);
    }
    rn_parallel_for(pool, (int)slice_count(all), join_slices, &job);
    for (size_t k = 0; k < slice_count(all); k++) {
        const slice *part = &all->slices[k];
        s->graph.ordinary += part->tally.ordinary;
        s->graph.falls[0] += part->tally.falls;
        r->highest = fmaxf(r->highest, part->highest);
        r->deepest = fmaxf(r->deepest, part->deepest);
    }
}

/* ---- The list of all irregular pipes ----------------------------------------------------------------------------- */

/* Appends irregular pipes `begin` to `end` - 1 of the graph, unchanged, to all->irregular. There is room for them. */
static void keep_irregular(rn_reconnection *all, const rn_state *s, int32_t begin, int32_t end) {
    for (int32_t p = begin; p < end; p++) all->irregular.pipes[all->irregular.count++] = rn_irregular_get(s, p);
}

/* Lists the irregular pipes within the grid in all->irregular, in order: those that stay, and the new ones of seams.
   There is room. */
static void list_inner(rn_reconnection *all, const rn_state *s) {
    int32_t kept = 0;
    for (size_t k = 0; k < slice_count(all); k++) {
        const rn_irregular *list = &all->pipes[all->slices[k].pipes];
        for (size_t i = k * SLICE; i < slice_end(all, k); i++) {
            const seam *m = &all->seams[i];
            keep_irregular(all, s, kept, m->irregular);
            kept = m->end;
            for (int32_t n = 0; n < m->pipes; n++) all->irregular.pipes[all->irregular.count++] = *list++;
        }
    }
    keep_irregular(all, s, kept, s->graph.irregular_inner);
}

/* The sum of the flux (m^3/s), or with momentum the speed (m/s), over an edge of the former columns that have become
   column `inner`, into its sink `outer`. */
static float former_outflow(const rn_reshaping *r, const rn_state *s, int32_t inner, int32_t outer) {
    const rn_spot at = rn_slot_place(&s->columns.grid, inner);
    const rn_change *change = rn_change_of(r, at.x, at.y);
    float flux = 0.0f;
    for (int l = 0; l < s->columns.grid.layers; l++) {
        const rn_junction *sink = rn_junction_of(s, outer + (l - at.layer) * s->columns.grid.layer_stride);
        bool before = change ? l < change->was_count && rn_change_successor(r, change, l) == at.layer : l == at.layer;
        if (before && sink)
            flux += (s->graph.momentum ? s->graph.irregular_speed
                                       : s->graph.irregular_flux)[s->graph.links[sink->begin] / 2];
    }
    return flux;
}

/* Appends the pipes that lead out over edges to all->irregular, with their former flow; a sink has a single pipe. Joins
   the rim again only if a change is near an edge. */
static void list_outer(rn_reconnection *all, const rn_reshaping *r, rn_state *s) {
    const size_t inner = all->irregular.count;
    bool touched = false;
    for (size_t i = 0; i < r->change_count && !touched; i++) touched = near_edge(s, &r->changes[i]);
    if (!touched) {
        keep_irregular(all, s, s->graph.irregular_inner, s->graph.irregular_count);
        return;
    }
    rn_graph_join_rim(s, &all->irregular);
    for (size_t i = inner; i < all->irregular.count; i++) {
        rn_irregular *pipe = &all->irregular.pipes[i];
        const rn_spot at = rn_slot_place(&s->columns.grid, pipe->a);
        const bool first = at.x >= 0 && at.y >= 0; /* the inner column is the first of the two */
        const float out = first ? former_outflow(r, s, pipe->a, pipe->b) : former_outflow(r, s, pipe->b, pipe->a);
        *(s->graph.momentum ? &pipe->flow : &pipe->flux) = out;
    }
}

/* ---- Rows and tiles ------------------------------------------------------------------------------------------ */

/* Whether a row has liquid, by its depths where tiles are wet: its own flag is from the last substep. */
static bool is_wet(const rn_state *s, int layer, int y) {
    const int32_t first = rn_slot(&s->columns.grid, layer, y, 0), end = first + s->columns.grid.nx;
    const rn_tile *tile = rn_tile_of(s, first);
    unsigned wet = 0;
    for (int32_t from = first; from < end; from += RN_TILE_X, tile++) {
        const int32_t to = end < from + RN_TILE_X ? end : from + RN_TILE_X;
        if (!(tile->deepest > 0.0f)) continue;
        for (int32_t c = from; c < to; c++) wet |= s->columns.depth[c] > 0.0f;
    }
    return wet;
}

/* Updates the flags of row y of a layer, from -1 to ny. With periodic edges its tiles are examined again too. */
static void refresh_row(rn_state *s, int layer, int y) {
    const bool periodic = s->columns.periodic_x || s->columns.periodic_y; /* cells have other neighbours */
    rn_row *row = rn_row_at(s, layer, y);
    row->zero_flux = false;
    if (periodic) rn_tiles_reshape_row(s, layer, y);
    if (y < 0 || y >= s->columns.grid.ny) return;
    if (periodic) rn_pipes_row_changed(s, layer, y);
    else if (!row->wet) row->wet = is_wet(s, layer, y); /* irregular pipes may have brought liquid since */
}

/* Updates rows and tiles around the cells that have changed: which rows are wet, and which tiles are examined again. */
static void refresh_around(const rn_reconnection *all, const rn_reshaping *r, rn_state *s) {
    int fresh = -2; /* last row that was updated */
    for (size_t i = 0; i < all->seam_count; i++) {
        const int at = all->seams[i].y;
        for (int y = fresh + 1 > at - 1 ? fresh + 1 : at - 1; y <= at + 1; fresh = y++)
            for (int l = 0; l < s->columns.grid.layers; l++) refresh_row(s, l, y);
    }
    for (size_t i = 0, next; i < r->change_count; i = next) {
        const rn_change *first = &r->changes[i], *last = first;
        for (next = i + 1; next < r->change_count; last = &r->changes[next++])
            if (r->changes[next].y != first->y || r->changes[next].x > last->x + 1) break;
        rn_tiles_reshape(s, first->x, last->x, first->y);
    }
    for (int l = 0; s->columns.periodic_y && l < s->columns.grid.layers; l++) {
        refresh_row(s, l, -1);
        refresh_row(s, l, s->columns.grid.ny);
    }
}

rn_result rn_reconnect_finish(rn_reconnection *all, rn_reshaping *r, rn_state *s, rn_pool *pool) {
    join_seams(all, r, s, pool);
    list_inner(all, s);
    const size_t inner = all->irregular.count;
    list_outer(all, r, s);
    const rn_result result = rn_graph_store(s, &all->irregular, inner); /* there is room, so it cannot fail */
    refresh_around(all, r, s);
    return result;
}
