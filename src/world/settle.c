/* After a step: what the liquid does to bodies, and which of them block from now on. */
#include "base/maths.h"
#include "base/memory.h"
#include "bodies/shape.h"
#include "bodies/turn.h"
#include "world/world.h"

#define NEAR    0.01 /* of a body's size: closer to the ground it touches it */
#define SLOW    0.1  /* of sqrt(g size): slower it may come to rest */
#define RESTING 0.95 /* of its weight: a body that liquid carries less of leans on the ground */
#define STEPS   10   /* in a row, before a body changes its way */

/* ---- Loads ----------------------------------------------------------------------------------------------------- */

static bool make_positions(rn_world *world, size_t count) {
    rn_bodies *all = &world->bodies;
    if (count <= all->position_capacity) return true;
    double *positions = rn_alloc(&world->hooks, count, sizeof *positions);
    if (!positions) return false;
    rn_free(&world->hooks, all->positions);
    all->positions = positions;
    all->position_capacity = count;
    return true;
}

bool rn_bodies_dip(rn_world *world, const rn_body *body) {
    rn_bodies *all = &world->bodies;
    const size_t count = 3 * (size_t)rn_shape_describe(body->shape).vertex_count;
    if (!make_positions(world, count)) return false;
    rn_raster_place(body->shape, body->now.at, body->now.turn, all->positions);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 2; i < count; i += 3) {
        low = rn_min(low, all->positions[i]);
        high = rn_max(high, all->positions[i]);
    }
    if (!rn_effective_gather(world, rn_body_cells(world, body, &body->now, 1), low, high)) return false;
    all->steps.count = 0;
    if (!rn_raster_cells(&all->waters.grid, body->shape, all->positions, &world->hooks, &all->steps)) return false;
    rn_waters_sink(&all->waters, &all->steps);
    return true;
}

/* R I R^T: the inertia of the shape as it is turned now. */
static void turn_inertia(double rows[3][3], const double inertia[3][3], double by, double turned[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            turned[i][j] = 0.0;
            for (int k = 0; k < 9; k++) turned[i][j] += by * rows[i][k / 3] * inertia[k / 3][k % 3] * rows[j][k % 3];
        }
}

static rn_mover mover_of(const rn_body *body, const rn_shape_info *shape) {
    double rows[3][3];
    rn_turn_rows(body->now.turn, rows);
    const rn_vec3 at = body->now.at, c = rn_turn_point(rows, shape->centre);
    rn_mover mover = {
        .mass = body->mass,
        .centre = {at.x + c.x, at.y + c.y, at.z + c.z},
        .velocity = body->now.velocity,
        .spin = body->now.spin,
        .drag = body->drag,
    };
    turn_inertia(rows, shape->inertia, body->density, mover.inertia);
    return mover;
}

/* False without memory: then there is no load. */
static bool find_load(rn_world *world, rn_body *body, double seconds) {
    const rn_bodies *all = &world->bodies;
    const rn_shape_info shape = rn_shape_describe(body->shape);
    const double density = world->liquid.density, weight = density * (double)world->law.gravity;
    body->load = (rn_body_load){0};
    if (!rn_bodies_dip(world, body)) return false;
    rn_mover mover = mover_of(body, &shape);
    const rn_push lift = rn_force_buoyancy(&all->waters, &shape, all->positions, mover.centre, weight);
    rn_body_load *load = &body->load;
    load->submerged = rn_clamp(lift.force.z / weight, 0.0, shape.volume);
    load->share = load->submerged / shape.volume;
    mover.damping = body->damping * load->share;
    const rn_push drag = rn_force_drag(&all->waters, &mover, density, seconds, &load->flow);
    const rn_vec3 f = lift.force, d = drag.force, t = lift.torque, u = drag.torque;
    load->buoyancy = f;
    load->drag = d;
    load->force = (rn_vec3){f.x + d.x, f.y + d.y, f.z + d.z};
    load->torque = (rn_vec3){t.x + u.x, t.y + u.y, t.z + u.z};
    return true;
}

/* ---- Ways -------------------------------------------------------------------------------------------------------- */

/* How far (m) the body that was looked at last is from the ground below it. */
static double clearance(const rn_waters *waters) {
    double least = INFINITY;
    for (int i = 0; i < waters->nx * waters->ny; i++)
        least = rn_min(least, waters->cells[i].lowest - waters->cells[i].ground);
    return least;
}

/* A body that floats and runs aground blocks until it is afloat again. */
static void choose_way(const rn_world *world, rn_body *body) {
    const double size = 2.0 * rn_shape_describe(body->shape).radius, gravity = (double)world->law.gravity;
    const double clear = clearance(&world->bodies.waters), carried = body->load.buoyancy.z / (body->mass * gravity);
    const rn_vec3 v = body->now.velocity;
    if (body->way != RN_BODY_AUTO || rn_body_blocks(world, body)) {
        body->aground = clear < NEAR * size;
        return;
    }
    const bool slow = rn_length3(v.x, v.y, v.z) < SLOW * sqrt(gravity * size);
    const bool change =
        body->aground ? clear > 2.0 * NEAR * size || carried > 1.0 : clear < NEAR * size && slow && carried < RESTING;
    body->still = change ? body->still + 1 : 0;
    if (body->still < STEPS) return;
    body->still = 0;
    body->aground = body->blocks = !body->aground;
    body->moved = true;
}

void rn_bodies_settle(rn_world *world, double seconds) {
    rn_bodies *all = &world->bodies;
    if (all->count == 0) return;
    rn_effective_fit(world);
    rn_effective_step(world, seconds);
    for (size_t i = 0; i < all->count; i++) {
        rn_body *body = rn_body_at(all, i);
        if (!body->shape) continue;
        body->from = body->now;
        if (find_load(world, body, seconds)) choose_way(world, body);
        body->load.blocks = body->blocks;
        body->load.aground = body->aground;
    }
}
