/* Bodies after a step: forces of the liquid on them, their reaction on the liquid, and which of them block from now
   on.

   Interface (world/settle.h): rn_bodies_settle at the end of a frame; rn_body_submerge, rn_body_scratches_fit and
   rn_body_scratches_free, which world/stir.c and world/bodies.c share.

   Order of calls: world/frame.c calls rn_bodies_settle once per rn_world_step, after the solver has advanced through
   the last part. It first spreads the effective surface under bodies (world/effective.c). For all bodies, one per
   thread at a time, it
   - gathers the liquid around a body as it would be without the body (world/effective.c);
   - finds buoyancy and drag (bodies/forces.c), as a mean over the step.
   Then, body after body, so that the order of sums is fixed,
   - push_back gives the liquid the opposite impulse, shared by the columns around the body;
   - choose_blocking decides: a floating body that runs aground blocks until it has been afloat for several steps.

   A body that blocks has already pushed the liquid with the walls of its cells, so only its drag without damping is
   given back; a floating one gives back all of its horizontal force. Forces below FAINT of the lift are dropped, so
   that lakes come to rest. Switching needs STEPS steps in a row, so that a body does not flicker. */
#include "world/settle.h"

#include "base/maths.h"
#include "base/memory.h"
#include "base/quat.h"
#include "bodies/shape.h"
#include "world/blocking.h"
#include "world/effective.h"
#include "world/pose.h"

#define NEAR    0.01 /* of a body's size: closer to the ground than this it touches it */
#define SLOW    0.1  /* of sqrt(g size): slower than this it may come to rest */
#define RESTING 0.95 /* of its weight: a body carries itself on the ground if the liquid carries less */
#define FAINT   1e-6 /* of its lift: smaller forces are not passed on */
#define STEPS   10   /* in a row, before a body switches between floating and blocking */

/* ---- Loads ----------------------------------------------------------------------------------------------------- */

/* Makes room for `count` coordinates in scratch->positions; the old ones are lost. Returns false, with a message, if
   memory runs out; then nothing has changed. */
static bool make_positions(rn_body_scratch *scratch, size_t count) {
    if (count <= scratch->position_capacity) return true;
    double *positions = rn_alloc(NULL, count, sizeof *positions);
    if (!positions) return false;
    rn_free(NULL, scratch->positions);
    scratch->positions = positions;
    scratch->position_capacity = count;
    return true;
}

/* Writes the vertices (m) of a body at its current pose to scratch->positions. Returns false, with a message, if memory
   runs out. */
static bool place_vertices(const rn_body *body, rn_body_scratch *scratch) {
    if (!make_positions(scratch, 3 * (size_t)body->shape->info.vertex_count)) return false;
    rn_raster_place(body->shape, body->now.at, body->now.turn, scratch->positions);
    return true;
}

/* The changes of solid share with height in the cells that a body covers at its current pose: those found for blocking,
   those of the last call if the pose is the same, or new ones in body->steps. They stay valid until the body moves. The
   scratch must hold its vertices and a gathered window. Returns NULL, with a message, if memory runs out. */
static const rn_share_changes *find_share_changes(const rn_world *world, rn_body *body,
                                                  const rn_body_scratch *scratch) {
    const rn_share_changes *known = rn_blocking_steps(world, body);
    if (known) return known; /* never mixed with those below: another order changes the last bits of sums */
    if (body->looked && rn_pose_same(&body->seen, &body->now)) return &body->steps;
    body->steps.count = 0;
    body->seen = body->now;
    body->looked = rn_raster_cells(&scratch->window.grid, body->shape, scratch->positions, NULL, &body->steps);
    return body->looked ? &body->steps : NULL;
}

rn_result rn_body_scratches_fit(rn_world *world) {
    rn_bodies *all = &world->bodies;
    if (all->scratches) return RN_OK;
    const int count = rn_pool_size(world->pool);
    all->scratches = rn_alloc(&world->hooks, (size_t)count, sizeof *all->scratches);
    if (!all->scratches) return RN_MEMORY;
    all->scratch_count = count;
    return RN_OK;
}

void rn_body_scratches_free(rn_world *world) {
    rn_bodies *all = &world->bodies;
    for (int i = 0; all->scratches && i < all->scratch_count; i++) {
        rn_free(NULL, all->scratches[i].positions);
        rn_free(NULL, all->scratches[i].window.cells);
        rn_free(NULL, all->scratches[i].pushed);
    }
    rn_free(&world->hooks, all->scratches);
}

/* Sets all wet cells of a window to their mean level; dry ones stay. */
static void set_mean_level(rn_liquid_window *window) {
    double sum = 0.0;
    int wet = 0;
    for (int i = 0; i < window->nx * window->ny; i++) {
        if (!window->cells[i].wet) continue;
        sum += window->cells[i].level;
        wet++;
    }
    for (int i = 0; i < window->nx * window->ny; i++)
        if (window->cells[i].wet) window->cells[i].level = sum / wet;
}

/* The number of cells to look at on every side of a body: 1 around a floating one; around a blocking one its radius in
   cells, 1 to 4, because the undisturbed flow past it is known only some way off. */
static int cells_around(const rn_world *world, const rn_body *body) {
    enum { MOST = 4 };
    if (!body->blocks) return 1;
    return (int)rn_clamp(rint(body->shape->info.radius / world->ground.cell_size), 1.0, MOST);
}

bool rn_body_submerge(const rn_world *world, rn_body *body, bool even, rn_body_scratch *scratch) {
    if (!place_vertices(body, scratch)) return false;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < body->shape->info.vertex_count; i++) {
        low = rn_min(low, scratch->positions[3 * i + 2]);
        high = rn_max(high, scratch->positions[3 * i + 2]);
    }
    const rn_cells in = rn_body_cells(world, body, &body->now, cells_around(world, body));
    if (!rn_effective_gather(world, in, low, high, scratch)) return false;
    const rn_share_changes *steps = find_share_changes(world, body, scratch);
    if (!steps) return false;
    if (even) set_mean_level(&scratch->window);
    rn_waters_sink(&scratch->window, steps);
    return true;
}

/* Sets `turned` to R I R^T times `by`: the inertia of a shape, of density `by`, about the axes of the world. rows: the
   rotation matrix R. */
static void rotate_inertia(double rows[3][3], const double inertia[3][3], double by, double turned[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            turned[i][j] = 0.0;
            for (int k = 0; k < 9; k++) turned[i][j] += by * rows[i][k / 3] * inertia[k / 3][k % 3] * rows[j][k % 3];
        }
}

/* A body at its current pose as input for bodies/forces.c, with mass, inertia, velocities and drag; damping is 0, for
   the caller to set. */
static rn_mover make_mover(const rn_body *body, const rn_shape_info *shape) {
    double rows[3][3];
    rn_quat_rows(body->now.turn, rows);
    const rn_vec3 at = body->now.at, c = rn_rows_rotate(rows, shape->centre);
    rn_mover mover = {
        .mass = body->mass,
        .centre = {at.x + c.x, at.y + c.y, at.z + c.z},
        .velocity = body->now.velocity,
        .spin = body->now.spin,
        .drag = body->drag,
    };
    rotate_inertia(rows, shape->inertia, body->density, mover.inertia);
    return mover;
}

/* The smallest vertical distance (m), over the cells of a window, from the lowest point of the body in a cell to the
   ground there; below 0 where it reaches into the ground, INFINITY if it is in none of the cells. */
static double clearance_below(const rn_liquid_window *window) {
    double least = INFINITY;
    for (int i = 0; i < window->nx * window->ny; i++)
        least = rn_min(least, window->cells[i].lowest - window->cells[i].ground);
    return least;
}

/* Lists the columns that take the reaction of a body in body->cells, which the caller has emptied, with weights: the
   columns that it floats in, by its submerged depth there; for a blocking body the clear ones around it, by their
   depth. body->cell_sum is the sum of weights (m). If memory runs out, the rest is left out. */
static void list_pushed(rn_body *body, const rn_liquid_window *window) {
    const rn_cell_liquid *next = window->cells;
    body->cell_sum = 0.0;
    for (int y = 0; y < window->ny; y++)
        for (int x = 0; x < window->nx; x++, next++) {
            if (next->slot < 0 || !next->wet) continue;
            if (body->blocks ? !rn_effective_clear(window, x, y) : !(next->submerged > 0.0)) continue;
            if (!rn_grow(NULL, &body->cells, &body->cell_capacity, body->cell_count, sizeof(rn_body_cell))) return;
            const double weight = body->blocks ? next->level - next->ground : next->submerged;
            const rn_body_cell cell = {window->x0 + x, window->y0 + y, (float)weight, next->slot};
            body->cells[body->cell_count++] = cell;
            body->cell_sum += (double)cell.submerged;
        }
}

/* Whether a body is over some cell of the window that was made for it. A body that is wholly outside the domain is over
   none, and the window has the cells nearest to it. */
static bool is_over_window(const rn_liquid_window *window) {
    for (int i = 0; i < window->nx * window->ny; i++)
        if (window->cells[i].lowest < INFINITY) return true;
    return false;
}

/* Sets the load of a body as a mean over the step of `seconds`, its clearance, which share of its drag is not damping
   (body->dragged), and the columns that take its reaction. If memory runs out, or outside the domain, the load is 0,
   and the body counts as far from the ground. */
static void find_load(const rn_world *world, rn_body *body, double seconds, rn_body_scratch *scratch) {
    const rn_shape_info shape = rn_shape_describe(body->shape);
    const double density = world->liquid.density, weight = density * (double)world->gravity;
    rn_body_load *load = &body->load;
    *load = (rn_body_load){0};
    body->clear = INFINITY;
    body->cell_count = 0;
    if (!rn_body_submerge(world, body, false, scratch) || !is_over_window(&scratch->window)) return;
    rn_effective_flow(world, body->blocks, &scratch->window);
    rn_mover mover = make_mover(body, &shape);
    const double outside = body->blocks ? 0.5 * world->ground.cell_size : 0.0;
    const rn_push lift = rn_force_buoyancy(&scratch->window, &shape, scratch->positions, mover.centre, outside, weight);
    load->submerged = rn_clamp(lift.force.z / weight, 0.0, shape.volume);
    load->share = load->submerged / shape.volume;
    mover.damping = body->damping * load->share;
    const rn_push drag = rn_force_drag(&scratch->window, &shape, scratch->positions, &mover, density, seconds,
                                       &load->flow, &body->dragged);
    const rn_vec3 f = lift.force, d = drag.force, t = lift.torque, u = drag.torque;
    load->buoyancy = f;
    load->drag = d;
    load->force = (rn_vec3){f.x + d.x, f.y + d.y, f.z + d.z};
    load->torque = (rn_vec3){t.x + u.x, t.y + u.y, t.z + u.z};
    body->clear = clearance_below(&scratch->window);
    list_pushed(body, &scratch->window);
}

typedef struct loading {
    rn_world *world;
    double seconds;
} loading;

/* A task over bodies: finds the loads of those that have not been removed. */
static void load_bodies(void *context, int begin, int end, int worker) {
    const loading *job = context;
    rn_bodies *all = &job->world->bodies;
    for (int i = begin; i < end; i++) {
        rn_body *body = rn_body_at(all, (size_t)i);
        if (body->shape) find_load(job->world, body, job->seconds, &all->scratches[worker]);
    }
}

/* ---- Reaction ---------------------------------------------------------------------------------------------------- */

/* Gives the liquid in body->cells the opposite of the horizontal force on a body, for `seconds`. For a blocking body
   only the drag without damping counts: the walls of its cells already gave the liquid the pressure. For a floating one
   it is all of the force. Forces negligible beside the lift are dropped, so that lakes come to rest. */
static void push_back(const rn_world *world, const rn_body *body, double seconds) {
    const rn_vec3 drag = body->load.drag,
                  by = body->blocks ? (rn_vec3){body->dragged * drag.x, body->dragged * drag.y, 0.0} : body->load.force;
    const double least = FAINT * world->liquid.density * (double)world->gravity * body->load.submerged;
    if (!(rn_length3(by.x, by.y, 0.0) > least)) return;
    for (size_t i = 0; i < body->cell_count; i++) {
        const double share = -seconds / world->liquid.density * ((double)body->cells[i].submerged / body->cell_sum);
        world->solver->push(world->self, body->cells[i].slot, (double[2]){share * by.x, share * by.y});
    }
}

/* ---- Floating or blocking ---------------------------------------------------------------------------------------- */

/* Decides whether a body is aground, and whether it blocks from now on: with RN_BODY_AUTO, a body lighter than the
   liquid that runs aground blocks until it is afloat again. Running aground (near the ground, slow and hardly carried)
   and coming afloat each count only after STEPS steps in a row, and mark the body as moved. All other bodies, and all
   bodies where the solver lacks RN_CAN_PARTIAL, keep their blocking as it is and are aground as soon as they are near
   the ground. */
static void choose_blocking(const rn_world *world, rn_body *body) {
    const double size = 2.0 * body->shape->info.radius, gravity = (double)world->gravity;
    const double clear = body->clear, carried = body->load.buoyancy.z / (body->mass * gravity);
    const rn_vec3 v = body->now.velocity;
    if (body->mode != RN_BODY_AUTO || rn_body_blocks(world, body) || !rn_world_can(world, RN_CAN_PARTIAL)) {
        body->aground = clear < NEAR * size;
        return;
    }
    const bool slow = rn_length3(v.x, v.y, v.z) < SLOW * sqrt(gravity * size);
    const bool change =
        body->aground ? clear > 2.0 * NEAR * size || carried > 1.0 : clear < NEAR * size && slow && carried < RESTING;
    body->switch_steps = change ? body->switch_steps + 1 : 0;
    if (body->switch_steps < STEPS) return;
    body->switch_steps = 0;
    body->aground = body->blocks = !body->aground;
    body->moved = true;
}

void rn_bodies_settle(rn_world *world, double seconds) {
    rn_bodies *all = &world->bodies;
    if (all->count == 0) return;
    rn_effective_fit(world, 1);
    if (rn_body_scratches_fit(world) == RN_OK) {
        rn_effective_step(world, seconds);
        rn_parallel_for(world->pool, (int)all->count, load_bodies, &(loading){world, seconds});
    }
    for (size_t i = 0; i < all->count; i++) {
        rn_body *body = rn_body_at(all, i);
        if (!body->shape) continue;
        if (rn_world_can(world, RN_CAN_PUSH)) push_back(world, body, seconds);
        body->from = body->now;
        choose_blocking(world, body);
        body->load.blocks = body->blocks;
        body->load.aground = body->aground;
    }
}
