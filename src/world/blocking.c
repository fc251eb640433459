/* From bodies to columns: what of every cell is solid because of bodies that block, and how far faces between cells are
   shut. Where a body covers nearly all of a cell's area, columns end; elsewhere they are solid in a part (Kellomaki
   2014, section 3.3, without its aliasing: docs/bodies.md). */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "bodies/raster.h"
#include "bodies/turn.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

#define SEALED      (4095.0f / 4096.0f) /* a share of a cell that counts as all of it, */
#define SEALED_OVER (7.0f / 8.0f) /* also over open water in explicit steps, which would have to be short otherwise */
#define FELT        (1.0f / 4096.0f) /* smaller shares are not there */
#define ALIKE       (1.0f / 16.0f)   /* shares that are not told apart */
#define CLEAR       0.05f            /* of a cell: no further above its ground a body stands on it, in explicit steps */
#define TRACE       0x1p-20f         /* a share that is hardly there */
enum { SUB_POSES = 4, MOST_STRETCHES = 24 };

/* A body as it was last looked at. */
typedef struct glance {
    rn_pose pose;
    bool blocked, swept, moving;
    double *positions;
    size_t vertices; /* that there is room for */
    rn_steps cells, faces[2];
    bool failed; /* out of memory */
} glance;

/* The stretches of one cell, or of one face. */
typedef struct covered {
    int32_t cell;
    int32_t first, count;
} covered;

typedef struct cover {
    void *cells; /* covered, in order */
    size_t count, capacity;
    void *stretches; /* rn_stretch, m above the datum */
    size_t stretch_count, stretch_capacity;
} cover;

struct rn_blocking_state {
    glance *glances;
    size_t count;
    cover now, before, faces[2];
    rn_steps steps;
    rn_step_up *scratch;
    size_t scratch_capacity;
    void *shuts; /* rn_shut */
    size_t shut_count, shut_capacity;
    float *speed_x, *speed_y; /* m/s, per cell: of the body there */
    uint8_t *marked;          /* per cell */
    bool moving;              /* some body was, when last looked at */
};

typedef struct rn_blocking_state blocking;

static const covered *covered_at(const cover *c, size_t i) { return (const covered *)c->cells + i; }
static const rn_stretch *stretches_of(const cover *c, const covered *cell) {
    return (const rn_stretch *)c->stretches + cell->first;
}

static const covered *find(const cover *c, int32_t cell) {
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (covered_at(c, middle)->cell < cell) low = middle + 1;
        else high = middle;
    }
    return low < c->count && covered_at(c, low)->cell == cell ? covered_at(c, low) : NULL;
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

static void free_cover(const rn_hooks *hooks, cover *c) {
    rn_free(hooks, c->cells);
    rn_free(hooks, c->stretches);
}

static void free_glance(glance *g) {
    rn_free(NULL, g->positions);
    rn_free(NULL, g->cells.list);
    for (int axis = 0; axis < 2; axis++) rn_free(NULL, g->faces[axis].list);
}

void rn_blocking_free(rn_world *world) {
    blocking *b = world->bodies.blocking;
    const rn_hooks *hooks = &world->hooks;
    if (!b) return;
    for (size_t i = 0; i < b->count; i++) free_glance(&b->glances[i]);
    rn_free(hooks, b->glances);
    free_cover(hooks, &b->now);
    free_cover(hooks, &b->before);
    for (int axis = 0; axis < 2; axis++) free_cover(hooks, &b->faces[axis]);
    rn_free(hooks, b->steps.list);
    rn_free(hooks, b->scratch);
    rn_free(hooks, b->shuts);
    rn_free(hooks, b->speed_x);
    rn_free(hooks, b->speed_y);
    rn_free(hooks, b->marked);
    rn_free(hooks, b);
    world->bodies.blocking = NULL;
}

static size_t cover_bytes(const cover *c) {
    return c->capacity * sizeof(covered) + c->stretch_capacity * sizeof(rn_stretch);
}

size_t rn_blocking_bytes(const rn_world *world) {
    const blocking *b = world->bodies.blocking;
    if (!b) return 0;
    size_t bytes = sizeof *b + b->count * sizeof *b->glances + cover_bytes(&b->now) + cover_bytes(&b->before) +
                   (b->steps.capacity + b->scratch_capacity) * sizeof(rn_step_up) + b->shut_capacity * sizeof(rn_shut) +
                   (size_t)world->ground.cells_x * (size_t)world->ground.cells_y * (2 * sizeof(float) + 1);
    for (int axis = 0; axis < 2; axis++) bytes += cover_bytes(&b->faces[axis]);
    for (size_t i = 0; i < b->count; i++) {
        const glance *g = &b->glances[i];
        bytes += 3 * g->vertices * sizeof(double) +
                 (g->cells.capacity + g->faces[0].capacity + g->faces[1].capacity) * sizeof(rn_step_up);
    }
    return bytes;
}

static rn_result make(rn_world *world) {
    if (world->bodies.blocking) return RN_OK;
    const size_t cells = (size_t)world->ground.cells_x * (size_t)world->ground.cells_y;
    blocking *b = world->bodies.blocking = rn_alloc(&world->hooks, 1, sizeof *b);
    if (!b) return RN_MEMORY;
    b->speed_x = rn_alloc(&world->hooks, cells, sizeof *b->speed_x);
    b->speed_y = rn_alloc(&world->hooks, cells, sizeof *b->speed_y);
    b->marked = rn_alloc(&world->hooks, cells, sizeof *b->marked);
    if (!b->speed_x || !b->speed_y || !b->marked) {
        rn_blocking_free(world);
        return RN_MEMORY;
    }
    rn_result result = rn_solids_keep_ground(world);
    if (result == RN_OK) result = rn_graph_part(&world->state);
    if (result != RN_OK) rn_blocking_free(world);
    return result;
}

static rn_result fit_glances(rn_world *world, blocking *b) {
    const size_t count = world->bodies.count;
    if (count <= b->count) return RN_OK;
    glance *more = rn_alloc(&world->hooks, count, sizeof *more);
    if (!more) return RN_MEMORY;
    if (b->count) memcpy(more, b->glances, b->count * sizeof *more);
    rn_free(&world->hooks, b->glances);
    b->glances = more;
    b->count = count;
    return RN_OK;
}

/* ---- Looking at bodies ------------------------------------------------------------------------------------------ */

static rn_raster_grid grid_of(const rn_world *world) {
    const rn_terrain_info *g = &world->ground;
    return (rn_raster_grid){g->origin_x, g->origin_y, g->cell_size, g->cells_x, g->cells_y};
}

/* The explicit step takes faces to be as shut as the cells beside them, and so never more open. */
static bool has_faces(const rn_world *world, const rn_body *body) {
    return world->flood.method == RN_PASSAGES_IMPLICIT && body->blocking != RN_BLOCKING_CELLS;
}

typedef struct looking {
    const rn_world *world;
    blocking *b;
    rn_raster_grid grid;
} looking;

static bool look_at_faces(const looking *job, const rn_body *body, glance *g, const rn_pose *from) {
    const bool sweeps = g->moving && g->blocked && !body->placed && body->blocking != RN_BLOCKING_SHARES;
    const int poses = sweeps ? SUB_POSES : 1;
    for (int k = 0; k < poses; k++) {
        const rn_pose pose = rn_pose_between(from, &body->now, poses > 1 ? (k + 0.5) / poses : 1.0);
        rn_raster_place(body->shape, pose.at, pose.turn, g->positions);
        for (int axis = 0; axis < 2; axis++)
            if (!rn_raster_faces(&job->grid, body->shape, g->positions, axis, 1.0 / poses, NULL, &g->faces[axis]))
                return false;
    }
    return true;
}

static bool look_at(const looking *job, const rn_body *body, glance *g) {
    const bool blocks = body->shape && body->blocks;
    const rn_pose from = g->pose;
    g->cells.count = g->faces[0].count = g->faces[1].count = 0;
    g->moving = body->moved && (blocks || g->blocked); /* who only floats by leaves no traces */
    g->swept = blocks && has_faces(job->world, body);
    bool fine = true;
    if (blocks) {
        const size_t vertices = rn_shape_describe(body->shape).vertex_count;
        if (vertices > g->vertices) {
            rn_free(NULL, g->positions);
            g->positions = rn_alloc(NULL, 3 * vertices, sizeof *g->positions);
            g->vertices = g->positions ? vertices : 0;
            if (!g->positions) return false;
        }
        fine = !g->swept || look_at_faces(job, body, g, g->blocked ? &from : &body->now);
        rn_raster_place(body->shape, body->now.at, body->now.turn, g->positions);
        fine = fine && (body->blocking == RN_BLOCKING_CELLS ? rn_raster_middles : rn_raster_cells)(
                           &job->grid, body->shape, g->positions, NULL, &g->cells);
    }
    g->blocked = blocks;
    g->pose = body->now;
    if (!body->shape) { /* it does not come back */
        free_glance(g);
        *g = (glance){.pose = g->pose, .moving = g->moving};
    }
    return fine;
}

static void look_at_bodies(void *context, int begin, int end, int worker) {
    const looking *job = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_body *body = rn_body_at(&job->world->bodies, (size_t)i);
        glance *g = &job->b->glances[i];
        if (body->moved || g->moving || g->failed) g->failed = !look_at(job, body, g);
    }
}

/* ---- Cells and faces --------------------------------------------------------------------------------------------- */

static bool reserve(const rn_hooks *hooks, rn_step_up **list, size_t *capacity, size_t count) {
    if (count <= *capacity) return true;
    rn_free(hooks, *list);
    *list = rn_alloc(hooks, count + count / 2, sizeof **list);
    *capacity = *list ? count + count / 2 : 0;
    return *list != NULL;
}

/* All steps of all bodies in order: of cells, or of the faces along an axis. */
static bool gather(const rn_world *world, blocking *b, int axis) {
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) count += (axis < 0 ? b->glances[i].cells : b->glances[i].faces[axis]).count;
    if (!reserve(&world->hooks, &b->steps.list, &b->steps.capacity, count) ||
        !reserve(&world->hooks, &b->scratch, &b->scratch_capacity, count))
        return false;
    b->steps.count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const rn_steps *from = axis < 0 ? &b->glances[i].cells : &b->glances[i].faces[axis];
        if (from->count == 0) continue;
        memcpy(b->steps.list + b->steps.count, from->list, from->count * sizeof *from->list);
        b->steps.count += from->count;
    }
    rn_steps_sort(&b->steps, b->scratch);
    return true;
}

static bool add_covered(const rn_hooks *hooks, cover *to, int32_t cell, const rn_stretch *list, int count) {
    const covered one = {cell, (int32_t)to->stretch_count, count};
    if (count == 0) return true;
    if (!rn_grow(hooks, &to->cells, &to->capacity, to->count, sizeof one)) return false;
    for (int i = 0; i < count; i++) {
        if (!rn_grow(hooks, &to->stretches, &to->stretch_capacity, to->stretch_count, sizeof *list)) return false;
        ((rn_stretch *)to->stretches)[to->stretch_count++] = list[i];
    }
    ((covered *)to->cells)[to->count++] = one; /* once all that it speaks of is there */
    return true;
}

/* What the ordered steps of a cell come to. */
static int stretch_steps(const rn_world *world, const rn_step_up *steps, size_t count, rn_stretch *found) {
    const int stretches = rn_steps_stretches(steps, count, FELT, ALIKE, found, MOST_STRETCHES);
    for (int i = 0; i < stretches; i++) {
        found[i].low = rn_world_quantise(world, found[i].low);
        found[i].high = rn_world_quantise(world, found[i].high);
    }
    return stretches;
}

static size_t end_of_cell(const rn_steps *steps, size_t begin) {
    size_t end = begin;
    while (end < steps->count && steps->list[end].cell == steps->list[begin].cell) end++;
    return end;
}

static bool cover_faces(const rn_world *world, const rn_steps *steps, cover *to) {
    to->count = to->stretch_count = 0;
    for (size_t begin = 0, end; begin < steps->count; begin = end) {
        rn_stretch found[MOST_STRETCHES];
        end = end_of_cell(steps, begin);
        const int count = stretch_steps(world, steps->list + begin, end - begin, found);
        if (!add_covered(&world->hooks, to, steps->list[begin].cell, found, count)) return false;
    }
    return true;
}

static float greatest_share(const cover *c, const covered *cell) {
    float most = 0.0f;
    for (int i = 0; cell && i < cell->count; i++) most = fmaxf(most, stretches_of(c, cell)[i].share);
    return most;
}

/* A body has left the cell. A trace of it is kept for one step, so that it is known how high liquid stood. */
static bool leave_trace(const rn_world *world, const cover *before, const covered *was, cover *to) {
    if (greatest_share(before, was) <= TRACE) return true;
    const rn_stretch *list = stretches_of(before, was), trace = {list[0].low, list[was->count - 1].high, TRACE};
    return add_covered(&world->hooks, to, was->cell, &trace, 1);
}

/* What all cells come to. One that bodies are about to seal stays open for one step more, so that liquid leaves it
   through its faces, for these are known to be open for a part of that step. */
static bool cover_cells(const rn_world *world, const rn_steps *steps, bool swept, const cover *before, cover *to) {
    size_t k = 0;
    to->count = to->stretch_count = 0;
    for (size_t begin = 0, end; begin < steps->count; begin = end) {
        const int32_t cell = steps->list[begin].cell;
        rn_stretch found[MOST_STRETCHES];
        end = end_of_cell(steps, begin);
        const int count = stretch_steps(world, steps->list + begin, end - begin, found);
        for (; k < before->count && covered_at(before, k)->cell < cell; k++)
            if (swept && !leave_trace(world, before, covered_at(before, k), to)) return false;
        const bool was = k < before->count && covered_at(before, k)->cell == cell;
        const bool seals = !swept || (was && greatest_share(before, covered_at(before, k)) >= SEALED);
        for (int i = 0; i < count && !seals; i++) found[i].share = fminf(found[i].share, SEALED);
        if (swept && was && count == 0 && !leave_trace(world, before, covered_at(before, k), to)) return false;
        if (was) k++;
        if (!add_covered(&world->hooks, to, cell, found, count)) return false;
    }
    for (; swept && k < before->count; k++)
        if (!leave_trace(world, before, covered_at(before, k), to)) return false;
    return true;
}

static bool same_cover(const cover *a, const covered *x, const cover *b, const covered *y) {
    if (x->count != y->count) return false;
    const rn_stretch *p = stretches_of(a, x), *q = stretches_of(b, y);
    for (int i = 0; i < x->count; i++)
        if (p[i].low != q[i].low || p[i].high != q[i].high || p[i].share != q[i].share) return false;
    return true;
}

static void touch(rn_world *world, int32_t cell) {
    const int nx = world->ground.cells_x;
    rn_solids_touch(world, cell % nx, cell / nx);
}

/* Cells that are covered otherwise than before. */
static void touch_changed(rn_world *world, const blocking *b) {
    size_t i = 0, k = 0;
    for (; world->bodies.squeezed && i < b->now.count; i++) touch(world, covered_at(&b->now, i)->cell);
    i = 0;
    while (i < b->now.count || k < b->before.count) {
        const covered *is = i < b->now.count ? covered_at(&b->now, i) : NULL;
        const covered *was = k < b->before.count ? covered_at(&b->before, k) : NULL;
        if (is && was && is->cell == was->cell) {
            if (!same_cover(&b->now, is, &b->before, was)) touch(world, is->cell);
            i++, k++;
        } else if (is && (!was || is->cell < was->cell)) {
            touch(world, is->cell);
            i++;
        } else {
            touch(world, was->cell);
            k++;
        }
    }
}

/* ---- How far faces are shut -----------------------------------------------------------------------------------------
 */

static rn_vec3 centre_of(const rn_body *body) {
    double rows[3][3];
    rn_turn_rows(body->now.turn, rows);
    const rn_vec3 from = rn_turn_point(rows, rn_shape_describe(body->shape).centre), at = body->now.at;
    return (rn_vec3){at.x + from.x, at.y + from.y, at.z + from.z};
}

/* How fast bodies move, cell by cell. */
static void find_speeds(const rn_world *world, blocking *b) {
    const rn_terrain_info *ground = &world->ground;
    const size_t cells = (size_t)ground->cells_x * (size_t)ground->cells_y;
    memset(b->speed_x, 0, cells * sizeof *b->speed_x); /* cells that a body has left are beside its faces still */
    memset(b->speed_y, 0, cells * sizeof *b->speed_y);
    for (size_t i = 0; i < b->count; i++) {
        const glance *g = &b->glances[i];
        const rn_body *body = rn_body_at(&world->bodies, i);
        const rn_vec3 v = body->now.velocity, w = body->now.spin;
        if (!g->blocked) continue;
        const rn_vec3 middle = centre_of(body);
        int32_t last = -1;
        for (size_t k = 0; k < g->cells.count; k++) {
            const int32_t cell = g->cells.list[k].cell;
            if (cell == last) continue;
            last = cell;
            const double x = ground->origin_x + (cell % ground->cells_x + 0.5) * ground->cell_size - middle.x;
            const double y = ground->origin_y + (cell / ground->cells_x + 0.5) * ground->cell_size - middle.y;
            b->speed_x[cell] = g->moving ? (float)(v.x - w.z * y) : 0.0f;
            b->speed_y[cell] = g->moving ? (float)(v.y + w.z * x) : 0.0f;
        }
    }
}

/* One stretch for all of them: as much is shut, from the lowest to the highest. */
static rn_shut sum_up(const cover *c, const covered *cell) {
    const rn_stretch *list = stretches_of(c, cell);
    rn_shut shut = {.low = list[0].low, .high = list[cell->count - 1].high};
    float taken = 0.0f;
    for (int i = 0; i < cell->count; i++) taken += list[i].share * (list[i].high - list[i].low);
    shut.share = shut.high > shut.low ? fminf(taken / (shut.high - shut.low), 1.0f) : 0.0f;
    return shut;
}

static bool add_shut(const rn_world *world, blocking *b, rn_shut shut) {
    if (!(shut.share > TRACE)) return true;
    if (!rn_grow(&world->hooks, &b->shuts, &b->shut_capacity, b->shut_count, sizeof shut)) return false;
    ((rn_shut *)b->shuts)[b->shut_count++] = shut;
    return true;
}

/* The face of a cell towards the next along an axis: as shut as what is swept over it, and no less than the more shut
   of its two cells where bodies are not swept. */
static bool shut_face(const rn_world *world, blocking *b, int32_t cell, int axis, bool swept) {
    const int nx = world->ground.cells_x, ny = world->ground.cells_y, x = cell % nx, y = cell / nx;
    if (axis == 0 ? x + 1 >= nx : y + 1 >= ny) return true;
    const int32_t next = axis == 0 ? cell + 1 : cell + nx;
    const float *speed = axis == 0 ? b->speed_x : b->speed_y;
    const covered *here = find(&b->now, cell), *there = find(&b->now, next), *face = find(&b->faces[axis], cell);
    rn_shut shut = {0};
    if (swept && face) shut = sum_up(&b->faces[axis], face);
    if (!swept && here) shut = sum_up(&b->now, here);
    if (!swept && there) {
        const rn_shut other = sum_up(&b->now, there);
        if (other.share > shut.share) shut = other;
    }
    shut.owner = 2 * cell + axis;
    const bool moves = greatest_share(&b->now, here) > TRACE, next_moves = greatest_share(&b->now, there) > TRACE;
    shut.speed = moves && next_moves ? 0.5f * (speed[cell] + speed[next]) : moves ? speed[cell] : speed[next];
    return add_shut(world, b, shut);
}

/* Marks the faces of all cells that are covered, towards every side. */
static void mark_faces(const rn_world *world, blocking *b) {
    const int32_t nx = world->ground.cells_x, cells = nx * world->ground.cells_y;
    memset(b->marked, 0, (size_t)cells);
    for (size_t i = 0; i < b->now.count; i++) {
        const int32_t cell = covered_at(&b->now, i)->cell;
        b->marked[cell] = 1;
        if (cell % nx > 0) b->marked[cell - 1] = 1;
        if (cell >= nx) b->marked[cell - nx] = 1;
    }
}

static bool shut_faces(const rn_world *world, blocking *b, bool swept) {
    const size_t cells = (size_t)world->ground.cells_x * (size_t)world->ground.cells_y;
    b->shut_count = 0;
    mark_faces(world, b);
    for (const uint8_t *at = b->marked; (at = memchr(at, 1, cells - (size_t)(at - b->marked))); at++)
        for (int axis = 0; axis < 2; axis++)
            if (!shut_face(world, b, (int32_t)(at - b->marked), axis, swept)) return false;
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------------------------------
 */

static bool is_idle(const rn_world *world) {
    const blocking *b = world->bodies.blocking;
    bool idle = !b || !(b->moving || world->bodies.squeezed) || !world->bodies.advanced;
    for (size_t i = 0; idle && i < world->bodies.count; i++) {
        const rn_body *body = rn_body_at(&world->bodies, i);
        idle = !body->moved || (!body->blocks && (!b || i >= b->count || !b->glances[i].blocked));
    }
    return idle;
}

rn_result rn_blocking_look(rn_world *world) {
    if (is_idle(world)) return RN_OK;
    rn_result result = make(world);
    blocking *b = world->bodies.blocking;
    if (result == RN_OK) result = fit_glances(world, b);
    if (result != RN_OK) return result;
    looking job = {world, b, grid_of(world)};
    rn_parallel_for(world->pool, (int)world->bodies.count, look_at_bodies, &job);
    const cover before = b->before;
    b->before = b->now;
    b->now = before;
    bool swept = false;
    for (size_t i = 0; i < b->count; i++) swept |= b->glances[i].swept;
    bool fine = gather(world, b, -1) && cover_cells(world, &b->steps, swept, &b->before, &b->now);
    for (int axis = 0; axis < 2; axis++)
        fine = fine && gather(world, b, axis) && cover_faces(world, &b->steps, &b->faces[axis]);
    b->moving = world->bodies.advanced = false;
    for (size_t i = 0; i < b->count; i++) {
        const glance *g = &b->glances[i];
        fine = fine && !g->failed;
        b->moving |=
            g->moving || g->failed; /* then there are traces to take away the next time, or it is tried again */
    }
    find_speeds(world, b);
    fine = fine && shut_faces(world, b, swept);
    touch_changed(world, b);
    for (size_t i = 0; fine && i < b->count; i++) { /* otherwise they are to be looked at again */
        rn_body *body = rn_body_at(&world->bodies, i);
        body->moved = body->placed = false;
    }
    return fine ? RN_OK : rn_fail(RN_MEMORY, "out of memory for the cells that bodies cover");
}

void rn_blocking_shut(rn_world *world) {
    const blocking *b = world->bodies.blocking;
    if (b) rn_reshape_shut(&world->state, world->pool, b->shuts, b->shut_count, rn_blocking_chink(world));
}

const rn_stretch *rn_blocking_cell(const rn_world *world, int x, int y, int *count) {
    const blocking *b = world->bodies.blocking;
    const covered *cell = b ? find(&b->now, y * world->ground.cells_x + x) : NULL;
    *count = cell ? cell->count : 0;
    return cell ? stretches_of(&b->now, cell) : NULL;
}

const rn_steps *rn_blocking_steps(const rn_world *world, const rn_body *body) {
    const blocking *b = world->bodies.blocking;
    const size_t i = (size_t)(body - rn_body_at(&world->bodies, 0));
    if (!b || i >= b->count || body->blocking == RN_BLOCKING_CELLS) return NULL;
    const glance *g = &b->glances[i];
    return g->blocked && !g->failed && rn_pose_same(&g->pose, &body->now) ? &g->cells : NULL;
}

float rn_blocking_chink(const rn_world *world) {
    return world->flood.method == RN_PASSAGES_IMPLICIT ? 0.0f : CLEAR * world->state.cell;
}

float rn_blocking_sealed(const rn_world *world, float above) {
    const bool implicit = world->flood.method == RN_PASSAGES_IMPLICIT;
    return implicit || above <= rn_blocking_chink(world) ? SEALED : SEALED_OVER;
}

/* ---- As bytes ------------------------------------------------------------------------------------------------------
 */

/* Bodies, covered cells, their stretches, and shut faces, one after the other; all 0: nothing has blocked yet. */
typedef struct packed {
    int32_t bodies, cells, stretches, shuts;
    int32_t squeezed, unused;
} packed;

typedef struct packed_body {
    rn_pose pose;
    int32_t flags; /* 1 blocked, 2 moving, 4 swept */
    int32_t unused;
} packed_body;

static size_t packed_size(const packed *p) {
    return sizeof *p + (size_t)p->bodies * sizeof(packed_body) + (size_t)p->cells * sizeof(covered) +
           (size_t)p->stretches * sizeof(rn_stretch) + (size_t)p->shuts * sizeof(rn_shut);
}

static char *put(char *to, const void *from, size_t size) {
    if (size > 0) memcpy(to, from, size);
    return to + size;
}

size_t rn_blocking_pack(const rn_world *world, void *to) {
    const blocking *b = world->bodies.blocking;
    const packed head = b ? (packed){(int32_t)b->count,      (int32_t)b->now.count,  (int32_t)b->now.stretch_count,
                                     (int32_t)b->shut_count, world->bodies.squeezed, 0}
                          : (packed){0};
    if (!to || !b) return to ? (put(to, &head, sizeof head), packed_size(&head)) : packed_size(&head);
    char *at = put(to, &head, sizeof head);
    for (size_t i = 0; i < b->count; i++) {
        const glance *g = &b->glances[i];
        const packed_body body = {g->pose, g->blocked | g->moving << 1 | g->swept << 2, 0};
        at = put(at, &body, sizeof body);
    }
    at = put(at, b->now.cells, b->now.count * sizeof(covered));
    at = put(at, b->now.stretches, b->now.stretch_count * sizeof(rn_stretch));
    put(at, b->shuts, b->shut_count * sizeof(rn_shut));
    return packed_size(&head);
}

static bool is_stretch(float low, float high, float share) {
    return fabsf(low) <= 1e9f && fabsf(high) <= 1e9f && share >= 0.0f && share <= 1.0f;
}

/* What lies behind the head, piece by piece. */
typedef struct unpacked {
    packed head;
    const char *bodies, *cells, *stretches, *shuts;
} unpacked;

static bool unpack(const void *bytes, size_t size, unpacked *u) {
    if (size < sizeof u->head) return false;
    memcpy(&u->head, bytes, sizeof u->head);
    const packed *p = &u->head;
    if (p->bodies < 0 || p->cells < 0 || p->stretches < 0 || p->shuts < 0 || packed_size(p) != size) return false;
    u->bodies = (const char *)bytes + sizeof *p;
    u->cells = u->bodies + (size_t)p->bodies * sizeof(packed_body);
    u->stretches = u->cells + (size_t)p->cells * sizeof(covered);
    u->shuts = u->stretches + (size_t)p->stretches * sizeof(rn_stretch);
    return true;
}

static bool check_cells(const unpacked *u, int32_t cells) {
    int32_t last = -1, next = 0;
    for (int32_t i = 0; i < u->head.cells; i++) {
        covered c;
        memcpy(&c, u->cells + (size_t)i * sizeof c, sizeof c);
        if (c.cell <= last || c.cell >= cells || c.first != next || c.count < 1 || c.count > MOST_STRETCHES)
            return false;
        last = c.cell;
        next += c.count;
    }
    return next == u->head.stretches;
}

static bool check_shuts(const unpacked *u, int32_t cells) {
    int32_t last = -1;
    for (int32_t i = 0; i < u->head.shuts; i++) {
        rn_shut s;
        memcpy(&s, u->shuts + (size_t)i * sizeof s, sizeof s);
        if (!is_stretch(s.low, s.high, s.share) || !(fabsf(s.speed) <= 1e9f) || s.owner <= last || s.owner / 2 >= cells)
            return false;
        last = s.owner;
    }
    return true;
}

bool rn_blocking_check(const rn_world *world, const void *bytes, size_t size) {
    unpacked u;
    const int32_t cells = world->ground.cells_x * world->ground.cells_y;
    if (!unpack(bytes, size, &u) || (size_t)u.head.bodies > world->bodies.count) return false;
    for (int32_t i = 0; i < u.head.bodies; i++) {
        packed_body body;
        memcpy(&body, u.bodies + (size_t)i * sizeof body, sizeof body);
        if (!rn_pose_kept(&body.pose) || body.flags < 0 || body.flags > 7) return false;
        if ((body.flags & 1) && !rn_body_at(&world->bodies, (size_t)i)->shape) return false;
    }
    for (int32_t i = 0; i < u.head.stretches; i++) {
        rn_stretch s;
        memcpy(&s, u.stretches + (size_t)i * sizeof s, sizeof s);
        if (!is_stretch(s.low, s.high, s.share)) return false;
    }
    return check_cells(&u, cells) && check_shuts(&u, cells);
}

/* Room for so many, with what the bytes have. */
static bool refill(const rn_hooks *hooks, void **list, size_t *capacity, size_t *count, const char *from,
                   int32_t wanted, size_t each) {
    rn_free(hooks, *list);
    *list = rn_alloc(hooks, (size_t)wanted + 1, each);
    *capacity = *list ? (size_t)wanted + 1 : 0;
    *count = *list ? (size_t)wanted : 0;
    if (*list && wanted > 0) memcpy(*list, from, (size_t)wanted * each);
    return *list != NULL;
}

/* A body as it was seen, whatever it has done since. */
static bool see_again(const looking *job, const unpacked *u, size_t i) {
    packed_body was = {0};
    glance *g = &job->b->glances[i];
    rn_body *body = rn_body_at(&job->world->bodies, i), then = *body;
    if (i < (size_t)u->head.bodies) memcpy(&was, u->bodies + i * sizeof was, sizeof was);
    then.now = g->pose = was.pose;
    then.blocks = was.flags & 1;
    then.moved = g->blocked = false;
    const bool fine = look_at(job, &then, g);
    g->moving = was.flags & 2;
    body->moved = body->placed = false;
    return fine;
}

rn_result rn_blocking_unpack(rn_world *world, const void *bytes, size_t size) {
    unpacked u;
    if (!unpack(bytes, size, &u)) return RN_INVALID;
    if (u.head.bodies == 0) {
        rn_blocking_free(world);
        return RN_OK;
    }
    rn_result result = make(world);
    blocking *b = world->bodies.blocking;
    if (result == RN_OK) result = fit_glances(world, b);
    if (result != RN_OK) return result;
    const looking job = {world, b, grid_of(world)};
    const rn_hooks *hooks = &world->hooks;
    cover *now = &b->now;
    bool fine = true;
    b->moving = world->bodies.advanced = false; /* traces stay until time goes on */
    world->bodies.squeezed = u.head.squeezed != 0;
    for (size_t i = 0; i < b->count; i++) {
        fine = see_again(&job, &u, i) && fine;
        b->moving |= b->glances[i].moving;
    }
    fine = refill(hooks, &now->cells, &now->capacity, &now->count, u.cells, u.head.cells, sizeof(covered)) && fine;
    fine = refill(hooks, &now->stretches, &now->stretch_capacity, &now->stretch_count, u.stretches, u.head.stretches,
                  sizeof(rn_stretch)) &&
           fine;
    fine = refill(hooks, &b->shuts, &b->shut_capacity, &b->shut_count, u.shuts, u.head.shuts, sizeof(rn_shut)) && fine;
    return fine ? RN_OK : rn_fail(RN_MEMORY, "out of memory for the cells that bodies cover");
}
