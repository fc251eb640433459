/* Blocking bodies: finds the parts of cells and faces that their shapes cover.

   Interface (world/blocking.h): rn_blocking_look before columns are made again; rn_blocking_cell gives the solid
   ranges of a cell; rn_blocking_shut hands the blocked faces to the solver; rn_blocking_steps lends the raster of a
   body to world/settle.c. rn_blocking_make and rn_blocking_rasterise are for snapshots (world/blocking_bytes.c).

   Order of calls, all from world/apply.c: rn_blocking_look once bodies are at their new poses, rn_blocking_cell for
   every stale cell, and rn_blocking_shut when the solver has the new columns.

   rn_blocking_look
   - rasterises every body that moved (bodies/raster.h), bodies in parallel: changes of the solid share with height,
     for cells and, if the solver can use them, for faces swept over in the step (the mean of SUB_POSES poses);
   - sorts the changes of all bodies by cell, and turns them into ranges of solid with a share each;
   - compares the result with that of the last step, and marks cells that changed as stale.
   Only covered cells are stored, so the cost grows with the bodies and not with the grid. Two rules keep the liquid
   smooth where a body sweeps: a cell that is about to be sealed stays open for one more step, so that its liquid can
   leave, and a cell that a body has left keeps a negligible share for one step, which preserves its level. */
#include "world/blocking.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/quat.h"
#include "world/ground.h"
#include "world/pose.h"

#include <math.h>
#include <string.h>

#define SEALED (4095.0f / 4096.0f) /* a cell of which more is solid counts as solid */
#define SEALED_OVER                                                                                                    \
    (7.0f / 8.0f)                    /* SEALED of solid over open liquid, with explicit steps: avoids short substeps   \
                                      */
#define LEAST_SHARE (1.0f / 4096.0f) /* smaller shares are ignored */
#define ALIKE       (1.0f / 16.0f)   /* shares that differ by less count as equal */
#define CLEAR       0.05f            /* of a cell: no higher above the ground, a body stands on it (explicit steps) */
enum { SUB_POSES = 4 };

typedef struct rn_blocking_state blocking;

/* The entry of cell y * nx + x, by binary search, or NULL if no body covers it. */
static const rn_covered *find_covered(const rn_cover *c, int32_t cell) {
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (rn_covered_at(c, middle)->cell < cell) low = middle + 1;
        else high = middle;
    }
    return low < c->count && rn_covered_at(c, low)->cell == cell ? rn_covered_at(c, low) : NULL;
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

/* The changes of solid share that one body has in one cell. */
typedef struct rn_run {
    const rn_body_raster *of;
    const rn_share_change *steps;
    int32_t cell, count;
} run;

/* Makes room for `wanted` changes in *list; old ones are lost if it has to grow. Returns false, with a message, if
   memory runs out; then *list is NULL. */
static bool room_for_changes(const rn_hooks *hooks, rn_share_change **list, size_t *capacity, size_t wanted) {
    return rn_renew(hooks, list, capacity, wanted, sizeof **list);
}

/* Frees the arrays of a cover; their pointers stay as they are. */
static void free_cover(const rn_hooks *hooks, rn_cover *c) {
    rn_free(hooks, c->cells);
    rn_free(hooks, c->ranges);
    rn_free(hooks, c->speeds);
}

/* Frees the arrays of a raster, which come from libc; their pointers stay as they are. */
static void free_raster(rn_body_raster *g) {
    rn_free(NULL, g->positions);
    for (int k = 0; k < RN_KINDS_OF_STEPS; k++) rn_free(NULL, g->steps[k].list);
    rn_free(NULL, g->scratch);
}

void rn_blocking_free(rn_world *world) {
    blocking *b = world->bodies.blocking;
    const rn_hooks *hooks = &world->hooks;
    if (!b) return;
    for (size_t i = 0; i < b->count; i++) free_raster(&b->rasters[i]);
    rn_free(hooks, b->rasters);
    free_cover(hooks, &b->now);
    free_cover(hooks, &b->before);
    for (int axis = 0; axis < 2; axis++) free_cover(hooks, &b->faces[axis]);
    rn_free(hooks, b->runs);
    rn_free(hooks, b->other_runs);
    rn_free(hooks, b->steps.list);
    rn_free(hooks, b->scratch);
    rn_free(hooks, b->shuts.list);
    rn_free(hooks, b);
    world->bodies.blocking = NULL;
}

/* The memory (bytes) that a cover holds, used or not. */
static size_t cover_bytes(const rn_cover *c) {
    return c->capacity * sizeof(rn_covered) + c->range_capacity * sizeof(rn_solid_range) +
           c->speed_capacity * sizeof(rn_speed);
}

size_t rn_blocking_bytes(const rn_world *world) {
    const blocking *b = world->bodies.blocking;
    if (!b) return 0;
    size_t bytes = sizeof *b + b->count * sizeof *b->rasters + cover_bytes(&b->now) + cover_bytes(&b->before) +
                   (b->run_capacity + b->other_capacity) * sizeof(run) +
                   (b->steps.capacity + b->scratch_capacity) * sizeof(rn_share_change) +
                   b->shuts.capacity * sizeof(rn_face_blockage);
    for (int axis = 0; axis < 2; axis++) bytes += cover_bytes(&b->faces[axis]);
    for (size_t i = 0; i < b->count; i++) {
        const rn_body_raster *g = &b->rasters[i];
        size_t steps = g->scratch_capacity;
        for (int k = 0; k < RN_KINDS_OF_STEPS; k++) steps += g->steps[k].capacity;
        bytes += 3 * g->vertices * sizeof(double) + steps * sizeof(rn_share_change);
    }
    return bytes;
}

/* Makes room for as many rasters as there are bodies; new ones are empty, old ones are kept. Returns RN_MEMORY, with a
   message, if memory runs out; then nothing has changed. */
static rn_result fit_rasters(rn_world *world, blocking *b) {
    const size_t count = world->bodies.count;
    if (count <= b->count) return RN_OK;
    rn_body_raster *more = rn_alloc(&world->hooks, count, sizeof *more);
    if (!more) return RN_MEMORY;
    if (b->count) memcpy(more, b->rasters, b->count * sizeof *more);
    rn_free(&world->hooks, b->rasters);
    b->rasters = more;
    b->count = count;
    return RN_OK;
}

rn_result rn_blocking_make(rn_world *world) {
    if (world->bodies.blocking) return fit_rasters(world, world->bodies.blocking);
    blocking *b = world->bodies.blocking = rn_alloc(&world->hooks, 1, sizeof *b);
    if (!b) return RN_MEMORY;
    rn_result result = rn_world_needs(world, RN_CAN_PARTIAL, "bodies that block");
    if (result == RN_OK) result = rn_solids_keep_ground(world);
    if (result == RN_OK) result = rn_columns_allow_partial(world->columns);
    if (result == RN_OK) world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_PARTIAL});
    if (result == RN_OK) result = fit_rasters(world, b);
    if (result != RN_OK) rn_blocking_free(world);
    return result;
}

/* ---- Rasterising bodies ----------------------------------------------------------------------------------------- */

/* The grid on which bodies are rasterised: that of the world's cells. */
static rn_raster_grid raster_grid(const rn_world *world) {
    const rn_terrain_info *g = &world->ground;
    return (rn_raster_grid){g->origin_x, g->origin_y, g->cell_size, g->cells_x, g->cells_y};
}

/* Whether the faces that a body covers are found, too: only for solvers with RN_CAN_SWEEP, and not with
   RN_BLOCKING_CELLS. Otherwise a face is as shut as the cells beside it. */
static bool has_faces(const rn_world *world, const rn_body *body) {
    return rn_world_can(world, RN_CAN_SWEEP) && body->blocking != RN_BLOCKING_CELLS;
}

/* Adds the changes of solid share in the faces that a body covers to g->steps[0] and [1]: averaged over SUB_POSES poses
   from `from` to now if it sweeps (it moves, has blocked before, was not teleported, and is not set to
   RN_BLOCKING_SHARES), otherwise at its current pose. Overwrites g->positions. Returns false, with a message, if memory
   runs out. */
static bool rasterise_faces(const rn_raster_grid *grid, const rn_body *body, rn_body_raster *g, const rn_pose *from) {
    const bool sweeps = g->moving && g->blocked && !body->placed && body->blocking != RN_BLOCKING_SHARES;
    const int poses = sweeps ? SUB_POSES : 1;
    for (int k = 0; k < poses; k++) {
        const rn_pose pose = rn_pose_between(from, &body->now, poses > 1 ? (k + 0.5) / poses : 1.0);
        rn_raster_place(body->shape, pose.at, pose.turn, g->positions);
        for (int axis = 0; axis < 2; axis++)
            if (!rn_raster_faces(grid, body->shape, g->positions, axis, 1.0 / poses, NULL, &g->steps[axis]))
                return false;
    }
    return true;
}

/* The centre of mass (m) of a body, which must have a shape, at its current pose. */
static rn_vec3 centre_of(const rn_body *body) {
    double rows[3][3];
    rn_quat_rows(body->now.turn, rows);
    const rn_vec3 from = rn_rows_rotate(rows, rn_shape_describe(body->shape).centre), at = body->now.at;
    return (rn_vec3){at.x + from.x, at.y + from.y, at.z + from.z};
}

/* Sorts the changes of each kind (cells, faces along x, along y) of a body by cell, and by height within a cell.
   Returns false, with a message, if memory runs out. */
static bool sort_changes(rn_body_raster *g) {
    for (int k = 0; k < RN_KINDS_OF_STEPS; k++) {
        if (!room_for_changes(NULL, &g->scratch, &g->scratch_capacity, g->steps[k].count)) return false;
        rn_share_changes_sort(&g->steps[k], g->scratch);
    }
    return true;
}

/* Adds the sorted changes of solid share in the cells that a blocking body covers now to g->steps, and, if g->swept,
   those in the faces that it swept over since it was at `from`. Sets g->centre. The caller has emptied g->steps.
   Returns false, with a message, if memory runs out. */
static bool rasterise_covered(const rn_world *world, const rn_body *body, rn_body_raster *g, const rn_pose *from) {
    const rn_raster_grid grid = raster_grid(world);
    const size_t vertices = rn_shape_describe(body->shape).vertex_count;
    if (vertices > g->vertices) {
        rn_free(NULL, g->positions);
        g->positions = rn_alloc(NULL, 3 * vertices, sizeof *g->positions);
        g->vertices = g->positions ? vertices : 0;
        if (!g->positions) return false;
    }
    g->centre = centre_of(body);
    if (g->swept && !rasterise_faces(&grid, body, g, from)) return false;
    rn_raster_place(body->shape, body->now.at, body->now.turn, g->positions);
    return (body->blocking == RN_BLOCKING_CELLS ? rn_raster_middles : rn_raster_cells)(&grid, body->shape, g->positions,
                                                                                       NULL, &g->steps[RN_OF_CELLS]) &&
           sort_changes(g);
}

bool rn_blocking_rasterise(const rn_world *world, const rn_body *body, rn_body_raster *g) {
    const bool blocks = body->shape && body->blocks;
    const rn_pose from = g->pose;
    for (int k = 0; k < RN_KINDS_OF_STEPS; k++) g->steps[k].count = 0;
    g->moving = body->moved && (blocks || g->blocked); /* a body that only floated by leaves no trace */
    g->swept = blocks && has_faces(world, body);
    const bool fine = !blocks || rasterise_covered(world, body, g, g->blocked ? &from : &body->now);
    g->blocked = blocks;
    g->pose = body->now;
    if (!body->shape) { /* a removed body does not come back */
        free_raster(g);
        *g = (rn_body_raster){.pose = g->pose, .moving = g->moving};
    }
    return fine;
}

/* A task over bodies: rasterises those that moved, had moved the last time, or failed then; sets `failed` of those for
   which memory runs out. */
static void rasterise_bodies(void *context, int begin, int end, int worker) {
    const rn_world *world = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_body *body = rn_body_at(&world->bodies, (size_t)i);
        rn_body_raster *g = &world->bodies.blocking->rasters[i];
        if (body->moved || g->moving || g->failed) g->failed = !rn_blocking_rasterise(world, body, g);
    }
}

/* ---- Cells and faces --------------------------------------------------------------------------------------------- */

/* Run i of b->runs, below b->run_count. */
static const run *run_at(const blocking *b, size_t i) { return b->runs + i; }

/* Sorts b->runs by cell with a stable radix sort, byte by byte: runs of a cell stay in order of bodies. Swaps b->runs
   and b->other_runs, which must have the same room. */
static void sort_runs(blocking *b) {
    enum { BYTE = 256 };
    for (int shift = 0; shift < 32; shift += 8) {
        size_t many[BYTE] = {0}, begin = 0;
        for (size_t i = 0; i < b->run_count; i++) many[run_at(b, i)->cell >> shift & 255]++;
        if (b->run_count == 0 || many[run_at(b, 0)->cell >> shift & 255] == b->run_count) continue;
        for (int k = 0; k < BYTE; k++) {
            const size_t here = many[k];
            many[k] = begin;
            begin += here;
        }
        run *to = b->other_runs;
        for (size_t i = 0; i < b->run_count; i++) to[many[run_at(b, i)->cell >> shift & 255]++] = *run_at(b, i);
        const size_t capacity = b->other_capacity;
        b->other_runs = b->runs;
        b->other_capacity = b->run_capacity;
        b->runs = to;
        b->run_capacity = capacity;
    }
}

/* The number of changes from `begin` on, at least 1, that are in the cell of the first. */
static int32_t length_of_run(const rn_share_changes *steps, size_t begin) {
    size_t end = begin;
    while (end < steps->count && steps->list[end].cell == steps->list[begin].cell) end++;
    return (int32_t)(end - begin);
}

/* Collects the runs of all bodies for one kind of changes (0, 1: faces along that axis; RN_OF_CELLS) in b->runs, sorted
   by cell, and makes room to merge and sort their changes. Returns the number of changes, or -1, with a message, if
   memory runs out. */
static int64_t gather_runs(const rn_world *world, blocking *b, int kind) {
    const rn_hooks *hooks = &world->hooks;
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) count += b->rasters[i].steps[kind].count;
    b->run_count = 0;
    if (!rn_renew(hooks, &b->runs, &b->run_capacity, count, sizeof(run)) ||
        !rn_renew(hooks, &b->other_runs, &b->other_capacity, count, sizeof(run)) ||
        !room_for_changes(hooks, &b->steps.list, &b->steps.capacity, count) ||
        !room_for_changes(hooks, &b->scratch, &b->scratch_capacity, count))
        return -1;
    for (size_t i = 0; i < b->count; i++) {
        const rn_share_changes *from = &b->rasters[i].steps[kind];
        for (size_t k = 0; k < from->count;) {
            const run one = {&b->rasters[i], from->list + k, from->list[k].cell, length_of_run(from, k)};
            b->runs[b->run_count++] = one;
            k += (size_t)one.count;
        }
    }
    sort_runs(b);
    return (int64_t)count;
}

/* Writes the ranges of solid that all runs of one cell form together, bottom to top, in whole quanta above the datum;
   returns their number, at most RN_MOST_RANGES, 0 if all shares are below LEAST_SHARE. begin: the first run of the
   cell; *end is set to one past its last. */
static int merge_runs(const rn_world *world, blocking *b, size_t begin, size_t *end, rn_solid_range *found) {
    const run *first = run_at(b, begin);
    const rn_share_change *steps = first->steps;
    size_t count = (size_t)first->count;
    for (*end = begin + 1; *end < b->run_count && run_at(b, *end)->cell == first->cell; ++*end) {
        const run *more = run_at(b, *end);
        if (*end == begin + 1) memcpy(b->steps.list, steps, count * sizeof *steps);
        memcpy(b->steps.list + count, more->steps, (size_t)more->count * sizeof *steps);
        steps = b->steps.list;
        count += (size_t)more->count;
    }
    if (*end > begin + 1) {
        b->steps.count = count;
        rn_share_changes_sort(&b->steps, b->scratch);
    }
    const int ranges = rn_share_changes_ranges(steps, count, LEAST_SHARE, ALIKE, found, RN_MOST_RANGES);
    for (int i = 0; i < ranges; i++) {
        found[i].low = rn_world_quantise(world, found[i].low);
        found[i].high = rn_world_quantise(world, found[i].high);
    }
    return ranges;
}

/* Empties a cover and makes room for this many cells and ranges, but not for speeds. Returns false, with a message, if
   memory runs out. */
static bool empty_cover(const rn_hooks *hooks, rn_cover *c, size_t cells, size_t ranges) {
    c->count = c->range_count = 0;
    return rn_renew(hooks, &c->cells, &c->capacity, cells, sizeof(rn_covered)) &&
           rn_renew(hooks, &c->ranges, &c->range_capacity, ranges, sizeof(rn_solid_range));
}

/* Adds a cell with its `count` ranges to a cover, which has room for them; does nothing if there are none. Call it in
   ascending order of cells. */
static void add_covered(rn_cover *to, int32_t cell, const rn_solid_range *list, int count) {
    if (count == 0) return;
    to->cells[to->count++] = (rn_covered){cell, (int32_t)to->range_count, count};
    for (int i = 0; i < count; i++) to->ranges[to->range_count++] = list[i];
}

/* Fills b->faces[axis] with the parts of faces along an axis that bodies cover. Returns false, with a message, if
   memory runs out. */
static bool cover_faces(const rn_world *world, blocking *b, int axis) {
    rn_cover *to = &b->faces[axis];
    const int64_t steps = gather_runs(world, b, axis);
    if (steps < 0 || !empty_cover(&world->hooks, to, b->run_count, (size_t)steps)) return false;
    for (size_t begin = 0, end; begin < b->run_count; begin = end) {
        rn_solid_range found[RN_MOST_RANGES];
        const int count = merge_runs(world, b, begin, &end, found);
        add_covered(to, run_at(b, begin)->cell, found, count);
    }
    return true;
}

/* The velocity (m/s) of a body along x and y at the centre of a cell, from its velocity and its spin about z; 0 if it
   was not moving when last rasterised, whatever its velocity. */
static rn_speed speed_in(const rn_world *world, const rn_body_raster *g, int32_t cell) {
    const rn_terrain_info *ground = &world->ground;
    const rn_vec3 v = g->pose.velocity, w = g->pose.spin;
    if (!g->moving) return (rn_speed){{0.0f, 0.0f}};
    const double x = ground->origin_x + (cell % ground->cells_x + 0.5) * ground->cell_size - g->centre.x;
    const double y = ground->origin_y + (cell / ground->cells_x + 0.5) * ground->cell_size - g->centre.y;
    return (rn_speed){{(float)(v.x - w.z * y), (float)(v.y + w.z * x)}};
}

/* Adds a cell with its `count` ranges, and the horizontal speed (m/s) of the body in it, to a cover, which has room for
   them. Does nothing if there are no ranges. Call it in ascending order of cells. */
static void add_moving(rn_cover *to, int32_t cell, const rn_solid_range *list, int count, rn_speed speed) {
    if (count > 0) to->speeds[to->count] = speed;
    add_covered(to, cell, list, count);
}

/* Adds a trace for a cell that a body has left: for one step, a negligible share over the heights that the body
   covered. It preserves the level of the liquid that stood there. `was`: its entry in the cover of the last step; if
   that itself was a trace, none is added. */
static void leave_trace(const rn_cover *before, const rn_covered *was, rn_speed speed, rn_cover *to) {
    if (rn_cover_greatest(before, was) <= RN_NEGLIGIBLE_SHARE) return;
    const rn_solid_range *list = rn_stretches_of(before, was),
                         trace = {list[0].low, list[was->count - 1].high, RN_NEGLIGIBLE_SHARE};
    add_moving(to, was->cell, &trace, 1, speed);
}

/* Adds the ranges of all covered cells to b->now, from b->runs; where several bodies meet, the speed is that of the
   last. swept: a cell that bodies are about to seal stays open for one more step, so that liquid can leave through its
   faces, which are open for part of that step; cells that bodies have left get a trace. */
static void cover_cells(const rn_world *world, blocking *b, bool swept) {
    const rn_cover *before = &b->before;
    rn_cover *to = &b->now;
    size_t k = 0;
    for (size_t begin = 0, end; begin < b->run_count; begin = end) {
        const int32_t cell = run_at(b, begin)->cell;
        rn_solid_range found[RN_MOST_RANGES];
        const int count = merge_runs(world, b, begin, &end, found);
        const rn_speed speed = speed_in(world, run_at(b, end - 1)->of, cell);
        for (; k < before->count && rn_covered_at(before, k)->cell < cell; k++)
            if (swept) leave_trace(before, rn_covered_at(before, k), (rn_speed){{0.0f, 0.0f}}, to);
        const bool was = k < before->count && rn_covered_at(before, k)->cell == cell;
        const bool seals = !swept || (was && rn_cover_greatest(before, rn_covered_at(before, k)) >= SEALED);
        for (int i = 0; i < count && !seals; i++) found[i].share = fminf(found[i].share, SEALED);
        if (swept && was && count == 0) leave_trace(before, rn_covered_at(before, k), speed, to);
        if (was) k++;
        add_moving(to, cell, found, count, speed);
    }
    for (; swept && k < before->count; k++) leave_trace(before, rn_covered_at(before, k), (rn_speed){{0.0f, 0.0f}}, to);
}

/* Makes the current coverage of cells, b->now, the previous one, b->before, and finds a new b->now. Returns false, with
   a message, if memory runs out; then b->now may be empty. swept: as for cover_cells. */
static bool renew_cells(const rn_world *world, blocking *b, bool swept) {
    const rn_cover before = b->before;
    const int64_t steps = gather_runs(world, b, RN_OF_CELLS);
    b->before = b->now;
    b->now = before;
    const size_t cells = b->run_count + b->before.count;
    if (steps < 0 || !empty_cover(&world->hooks, &b->now, cells, (size_t)steps + b->before.count) ||
        !rn_renew(&world->hooks, &b->now.speeds, &b->now.speed_capacity, cells, sizeof(rn_speed)))
        return false;
    cover_cells(world, b, swept);
    return true;
}

/* Sets b->shuts, how far faces between cells are shut: by the solid that bodies swept over them if `swept`, otherwise
   as much as the more covered cell beside them. Returns false, with a message, if memory runs out. */
static bool shut_faces(const rn_world *world, blocking *b, bool swept) {
    return rn_blocking_faces(&b->now, swept ? b->faces : NULL, world->ground.cells_x, world->ground.cells_y,
                             &world->hooks, &b->shuts);
}

/* Whether entry x of cover a and entry y of cover b have the same ranges; speeds do not matter. */
static bool same_cover(const rn_cover *a, const rn_covered *x, const rn_cover *b, const rn_covered *y) {
    if (x->count != y->count) return false;
    const rn_solid_range *p = rn_stretches_of(a, x), *q = rn_stretches_of(b, y);
    for (int i = 0; i < x->count; i++)
        if (p[i].low != q[i].low || p[i].high != q[i].high || p[i].share != q[i].share) return false;
    return true;
}

/* Marks cell y * nx + x as stale. */
static void mark_stale(rn_world *world, int32_t cell) {
    const int nx = world->ground.cells_x;
    rn_solids_touch(world, cell % nx, cell / nx);
}

/* Marks all cells as stale whose ranges in b->now and b->before differ; if columns are squeezed, all cells in b->now.
   Clears the mark `squeezed` of the batch. */
static void mark_changed_cells(rn_world *world, const blocking *b) {
    size_t i = 0, k = 0;
    for (; world->bodies.squeezed && i < b->now.count; i++) mark_stale(world, rn_covered_at(&b->now, i)->cell);
    world->solids.reshaping.squeezed = false; /* set again by cells that are still squeezed */
    i = 0;
    while (i < b->now.count || k < b->before.count) {
        const rn_covered *is = i < b->now.count ? rn_covered_at(&b->now, i) : NULL;
        const rn_covered *was = k < b->before.count ? rn_covered_at(&b->before, k) : NULL;
        if (is && was && is->cell == was->cell) {
            if (!same_cover(&b->now, is, &b->before, was)) mark_stale(world, is->cell);
            i++, k++;
        } else if (is && (!was || is->cell < was->cell)) {
            mark_stale(world, is->cell);
            i++;
        } else {
            mark_stale(world, was->cell);
            k++;
        }
    }
}

/* ---- Everything together ----------------------------------------------------------------------------------------- */

/* Whether nothing can have changed since bodies were last rasterised: no blocking body has moved, appeared or left, and
   no traces or squeezed columns wait for time to advance. */
static bool is_idle(const rn_world *world) {
    const blocking *b = world->bodies.blocking;
    bool idle = !b || !(b->moving || world->bodies.squeezed) || !world->bodies.advanced;
    for (size_t i = 0; idle && i < world->bodies.count; i++) {
        const rn_body *body = rn_body_at(&world->bodies, i);
        idle = !body->moved || (!body->blocks && (!b || i >= b->count || !b->rasters[i].blocked));
    }
    return idle;
}

rn_result rn_blocking_look(rn_world *world) {
    if (is_idle(world)) return RN_OK;
    const rn_result result = rn_blocking_make(world);
    if (result != RN_OK) return result;
    blocking *b = world->bodies.blocking;
    rn_parallel_for(world->pool, (int)world->bodies.count, rasterise_bodies, world);
    bool fine = true, swept = false;
    b->moving = world->bodies.advanced = false;
    for (size_t i = 0; i < b->count; i++) {
        const rn_body_raster *g = &b->rasters[i];
        fine = fine && !g->failed;
        swept |= g->swept;
        b->moving |= g->moving || g->failed; /* next time, traces must be removed or the body tried again */
    }
    fine = renew_cells(world, b, swept) && fine;
    for (int axis = 0; axis < 2; axis++) fine = fine && cover_faces(world, b, axis);
    fine = fine && shut_faces(world, b, swept);
    mark_changed_cells(world, b);
    for (size_t i = 0; fine && i < b->count; i++) { /* otherwise they are rasterised again */
        rn_body *body = rn_body_at(&world->bodies, i);
        body->moved = body->placed = false;
    }
    return fine ? RN_OK : rn_fail(RN_MEMORY, "out of memory for the cells that bodies cover");
}

void rn_blocking_shut(rn_world *world) {
    const blocking *b = world->bodies.blocking;
    if (b) world->solver->shut(world->self, b->shuts.list, b->shuts.count, rn_blocking_chink(world));
}

const rn_solid_range *rn_blocking_cell(const rn_world *world, int x, int y, int *count) {
    const blocking *b = world->bodies.blocking;
    const rn_covered *cell = b ? find_covered(&b->now, y * world->ground.cells_x + x) : NULL;
    *count = cell ? cell->count : 0;
    return cell ? rn_stretches_of(&b->now, cell) : NULL;
}

const rn_share_changes *rn_blocking_steps(const rn_world *world, const rn_body *body) {
    const blocking *b = world->bodies.blocking;
    const size_t i = (size_t)(body - rn_body_at(&world->bodies, 0));
    if (!b || i >= b->count || body->blocking == RN_BLOCKING_CELLS) return NULL;
    const rn_body_raster *g = &b->rasters[i];
    return g->blocked && !g->failed && rn_pose_same(&g->pose, &body->now) ? &g->steps[RN_OF_CELLS] : NULL;
}

float rn_blocking_chink(const rn_world *world) {
    return rn_world_can(world, RN_CAN_ANY_DT) ? 0.0f : CLEAR * world->columns->cell;
}

float rn_blocking_sealed(const rn_world *world, float above) {
    return rn_world_can(world, RN_CAN_ANY_DT) || above <= rn_blocking_chink(world) ? SEALED : SEALED_OVER;
}
