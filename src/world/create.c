/* Creates, describes and destroys a world, and lists solvers.

   Interface: rn_world_default, rn_world_create, rn_world_destroy, rn_world_describe, rn_world_liquid,
   rn_world_contact_foot and the list of solvers (include/runnel/world.h); for other files (world/world.h)
   rn_world_create_on, for a solver outside the table, and rn_world_check_numbers and rn_world_friction_of, with which
   world/settings.c checks later changes.

   Order of creation: the definition is checked against world/limits.h and against what the solver can do; then come
   the pool of threads, the quantum, the edges, and the solver with its columns; last, what only the finished columns
   show, such as layers and holes. A 3D liquid (world/mac_step.c) is made on top of a world with the default solver,
   whose columns mirror it. The backend "auto" tries "cuda" first for large grids, and falls back to "cpu".

   The quantum (m) is a power of two of which the whole extent has at most 2^23, so that sums and differences of
   heights are exact in floats. A quantum of more than a hundredth of a cell is refused. rn_world_destroy also takes a
   world whose creation has failed half way: every part must be safe to free when it is still 0. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "world/bodies.h"
#include "world/forces.h"
#include "world/limits.h"
#include "world/mac.h"
#include "world/solids.h"
#include "world/sources.h"

#include <string.h>

rn_world_def rn_world_default(void) {
    return (rn_world_def){
        .liquid = rn_liquid_water(),
        .gravity = {0.0, 0.0, -9.81},
        .friction = 0.5,
        .courant = 3.0,
        .stir = 0.5,
        .packets = {.count = 2, .smoothing = 1.05, .courant = 0.5},
        .solver_iterations = 100,
        .threads = 1,
    };
}

/* Returns RN_INVALID, with a message that has `name` and `unit`, unless a number of the definition lies from low to
   high; also if it is NaN. */
static rn_result check_number(const char *name, const char *unit, double value, double low, double high) {
    if (rn_within(value, low, high)) return RN_OK;
    return rn_fail(RN_INVALID, "%s is %g; it must be from %g to %g%s", name, value, low, high, unit);
}

/* Returns RN_INVALID, with a message, unless the plain numbers of the definition are within world/limits.h; friction,
   contact, gravity, edges and those of the packets solver are checked elsewhere. */
static rn_result check_numbers(const rn_world_def *def) {
    const struct {
        const char *name, *unit;
        double value, low, high;
    } numbers[] = {
        {"viscosity", " (m²/s)", def->liquid.viscosity, RN_LIMIT_VISCOSITY},
        {"give_back", " (s)", def->give_back, RN_LIMIT_GIVE_BACK},
        {"stir", " (m/m)", def->stir, RN_LIMIT_STIR},
        {"courant", "", def->courant, RN_LIMIT_COURANT},
        {"solver_iterations", "", def->solver_iterations, RN_LIMIT_ITERATIONS},
        {"max_substeps", "", def->max_substeps, RN_LIMIT_SUBSTEPS},
        {"dig", " (m)", def->dig, RN_LIMIT_DIG},
        {"drop_x", " (m)", def->drop_x, RN_LIMIT_DROP},
        {"drop_y", " (m)", def->drop_y, RN_LIMIT_DROP},
    };
    rn_result result = RN_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && result == RN_OK; i++)
        result = check_number(numbers[i].name, numbers[i].unit, numbers[i].value, numbers[i].low, numbers[i].high);
    return result;
}

/* Returns RN_INVALID, with a message, unless all laws of friction are within their limits and suit the model. Manning's
   and Chezy's numbers of 0 mean none. */
static rn_result check_friction(const rn_world_def *def) {
    rn_result result = rn_friction_check(RN_FRICTION_LINEAR, def->friction);
    if (result == RN_OK && def->manning != 0.0) result = rn_friction_check(RN_FRICTION_MANNING, def->manning);
    if (result == RN_OK && def->chezy != 0.0) result = rn_friction_check(RN_FRICTION_CHEZY, def->chezy);
    if (result == RN_OK && def->model == RN_MODEL_PAPER && (def->manning > 0.0 || def->chezy > 0.0))
        return rn_fail(RN_INVALID,
                       "the paper's model has neither Manning's nor Chezy's friction; use RN_MODEL_PHYSICAL");
    return result;
}

/* Returns RN_INVALID, with a message, unless the contact model is valid; with dynamic contact, tension, angles, drying
   time and density of the liquid are checked, too. */
static rn_result check_contact(const rn_world_def *def) {
    const rn_liquid *liquid = &def->liquid;
    if (def->contact != RN_CONTACT_STATIC && def->contact != RN_CONTACT_DYNAMIC)
        return rn_fail(RN_INVALID, "contact is %d; it must be RN_CONTACT_STATIC or RN_CONTACT_DYNAMIC",
                       (int)def->contact);
    if (def->contact == RN_CONTACT_STATIC) return RN_OK;
    const double most = 180.0;
    rn_result result = check_number("liquid.surface_tension", " (N/m)", liquid->surface_tension, 0.0, 1e3);
    if (result == RN_OK) result = check_number("liquid.contact_angle", " (degrees)", liquid->contact_angle, 0.0, most);
    if (result == RN_OK)
        result = check_number("liquid.receding_angle", " (degrees)", liquid->receding_angle, 0.0, most);
    if (result == RN_OK) result = check_number("liquid.drying_time", " (s)", liquid->drying_time, 0.0, 1e12);
    if (result == RN_OK && !(liquid->density > 0.0))
        return rn_fail(RN_INVALID, "liquid.density is %g; it must be above 0 (kg/m³)", liquid->density);
    if (result == RN_OK && liquid->receding_angle > liquid->contact_angle)
        return rn_fail(RN_INVALID,
                       "liquid.receding_angle is %g; it must be at most contact_angle, which is %g (degrees)",
                       liquid->receding_angle, liquid->contact_angle);
    return result;
}

/* Returns RN_INVALID, with a message, unless gravity (m/s^2) points down, within RN_LIMIT_DOWN, and is at most twice as
   strong along x, and along y, as downwards. */
static rn_result check_gravity(rn_vec3 gravity) {
    const double steepest = 2.0 * -gravity.z;
    if (!rn_within(gravity.z, RN_LIMIT_DOWN))
        return rn_fail(RN_INVALID, "gravity.z is %g; it must be negative, like -9.81 (m/s²)", gravity.z);
    if (rn_within(gravity.x, -steepest, steepest) && rn_within(gravity.y, -steepest, steepest)) return RN_OK;
    return rn_fail(RN_INVALID, "gravity is (%g, %g, %g); sideways it may be at most twice what it is downwards",
                   gravity.x, gravity.y, gravity.z);
}

/* Returns RN_INVALID, with a message, unless periodic edges come in pairs, and drops belong to periodic edges. Whether
   the solver supports the edges is checked by check_edge_support. */
static rn_result check_edges(const rn_world_def *def) {
    for (int side = 0; side < 4; side += 2)
        if ((def->edges[side] == RN_EDGE_PERIODIC) != (def->edges[side + 1] == RN_EDGE_PERIODIC))
            return rn_fail(RN_INVALID, "only one of the two edges along %s is periodic; make both periodic or neither",
                           side == 0 ? "x" : "y");
    if (def->drop_x != 0.0 && def->edges[RN_SIDE_WEST] != RN_EDGE_PERIODIC)
        return rn_fail(RN_INVALID, "drop_x is %g but the edges along x are not periodic", def->drop_x);
    if (def->drop_y != 0.0 && def->edges[RN_SIDE_SOUTH] != RN_EDGE_PERIODIC)
        return rn_fail(RN_INVALID, "drop_y is %g but the edges along y are not periodic", def->drop_y);
    return RN_OK;
}

rn_result rn_world_check_numbers(const rn_world_def *def) {
    rn_result result = check_numbers(def);
    if (result == RN_OK) result = check_friction(def);
    if (result == RN_OK) result = check_contact(def);
    return result == RN_OK ? check_gravity(def->gravity) : result;
}

rn_ground_friction rn_world_friction_of(const rn_world_def *def) {
    const double down = (double)(float)-def->gravity.z;
    rn_ground_friction friction = {0};
    rn_friction_set(RN_FRICTION_LINEAR, def->friction, down, &friction);
    rn_friction_set(RN_FRICTION_MANNING, def->manning, down, &friction);
    if (def->chezy > 0.0) rn_friction_set(RN_FRICTION_CHEZY, def->chezy, down, &friction);
    return friction;
}

/* Returns RN_INVALID, with a message, unless the whole definition is valid, apart from what depends on the solver or
   the size of the terrain. */
static rn_result check_definition(const rn_world_def *def) {
    if (!def->terrain) return rn_fail(RN_INVALID, "the world has no terrain; give it one from rn_terrain_create");
    rn_result result = rn_world_check_numbers(def);
    if (result == RN_OK) result = check_edges(def);
    if (result != RN_OK) return result;
    if (def->model != RN_MODEL_PHYSICAL && def->model != RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "model is %d; it must be RN_MODEL_PHYSICAL or RN_MODEL_PAPER", (int)def->model);
    if (def->threads < 0) return rn_fail(RN_INVALID, "threads is %d; it must be 0 or more", def->threads);
    return RN_OK;
}

/* The smallest power of two (m), from 2^-60 on, of which `extent` (m, finite) has at most 2^23: sums and differences of
   heights are then exact. */
static double quantum_for(double extent) {
    double quantum = 0x1p-60;
    while (quantum * 0x1p23 < extent) quantum *= 2.0;
    return quantum;
}

/* Returns RN_INVALID, with a message, if the definition has open or periodic edges that the world's solver does not
   support. */
static rn_result check_edge_support(const rn_world *world, const rn_world_def *def) {
    rn_result result = RN_OK;
    for (int side = 0; side < 4 && result == RN_OK; side++) {
        if (def->edges[side] == RN_EDGE_OPEN) result = rn_world_needs(world, RN_CAN_OPEN, "open edges");
        if (def->edges[side] == RN_EDGE_PERIODIC) result = rn_world_needs(world, RN_CAN_PERIODIC, "periodic edges");
    }
    return result;
}

/* Returns RN_INVALID, with a message, if the world's columns, already made, have layers or holes that its solver does
   not support. */
static rn_result check_column_support(const rn_world *world) {
    const rn_columns *c = world->columns;
    if (c->grid.layers > 1 && rn_world_needs(world, RN_CAN_LAYERS, "ground with several columns in a cell") != RN_OK)
        return RN_INVALID;
    for (int y = 0; y < c->grid.ny && !rn_world_can(world, RN_CAN_OPEN); y++)
        for (int x = 0; x < c->grid.nx; x++)
            if (c->base[rn_slot(&c->grid, 0, y, x)] < 0.0f)
                return rn_world_needs(world, RN_CAN_OPEN, "holes in the ground");
    return RN_OK;
}

/* Creates pool, quantum, friction, solver and columns of a world from a checked definition. On failure returns a code,
   with a message, such as RN_INVALID if the lid is too high for the cells or the solver lacks something; the caller
   then destroys the world, with what it has. */
static rn_result build_world(rn_world *world, const rn_world_def *def) {
    world->pool = rn_pool_create(&def->hooks, def->threads);
    if (!world->pool) return rn_pool_refusal(&def->hooks);
    world->ground = rn_terrain_describe(def->terrain);
    world->datum = world->ground.lowest - def->dig;
    double drop = fabs(def->drop_x) + fabs(def->drop_y);
    world->quantum = quantum_for(world->ground.lid - world->datum + drop);
    const double q = world->quantum, cell = world->ground.cell_size;
    if (q > 0.01 * cell)
        return rn_fail(
            RN_INVALID,
            "the lid is %g m above the lowest ground, too high for cells of %g m: depths would come in steps of %g m; "
            "lower the lid or enlarge the cells",
            world->ground.lid - world->datum, cell, q);
    rn_result result = check_edge_support(world, def);
    if (result != RN_OK) return result;
    world->gravity = (float)-def->gravity.z;
    world->friction = rn_world_friction_of(def);
    world->film = rn_film(cell);
    rn_solver_def solver = {
        .world = def,
        .columns = {.terrain = def->terrain,
                    .drop = {rint(def->drop_x / q) * q, rint(def->drop_y / q) * q},
                    .datum = world->datum,
                    .quantum = q,
                    .hooks = def->hooks},
        .cell_size = cell,
        .pool = world->pool,
        .hooks = def->hooks,
    };
    for (int side = 0; side < 4; side++) solver.columns.edges[side] = def->edges[side];
    result = world->solver->create(&solver, &world->self, &world->columns);
    return result == RN_OK ? check_column_support(world) : result;
}

rn_result rn_world_create_on(const rn_solver_class *solver, const rn_world_def *def, rn_world **out) {
    *out = NULL;
    rn_result result = check_definition(def);
    if (result == RN_OK) result = solver->check(def);
    if (result != RN_OK) return result;
    rn_world *world = rn_alloc(&def->hooks, 1, sizeof *world);
    if (!world) return RN_MEMORY;
    world->hooks = def->hooks;
    world->liquid = def->liquid;
    world->model = def->model;
    world->def = *def;
    world->def.terrain = NULL;
    world->def.solver = solver->name;
    world->def.backend = solver->backend;
    world->solver = solver;
    world->max_substeps = def->max_substeps;
    world->give_back = def->give_back;
    world->stir = def->stir;
    result = build_world(world, def);
    if (result == RN_OK) *out = world;
    else rn_world_destroy(world);
    return result;
}

/* Creates a world with a 3D liquid; columns of the default solver show its state. On failure returns a code, with a
   message (RN_INVALID for a backend other than "cpu"), and *out is NULL. */
static rn_result create_mac(const rn_world_def *def, rn_world **out) {
    rn_world_def shown = *def;
    if (def->backend && strcmp(def->backend, "cpu") != 0)
        return rn_fail(RN_INVALID, "the solver \"%s\" has the backend \"cpu\" only, not \"%.60s\"", RN_MAC_NAME,
                       def->backend);
    shown.solver = NULL;
    shown.contact = RN_CONTACT_STATIC; /* it moves the 3D liquid, not the columns that show it */
    rn_result result = rn_world_create_on(rn_solver_at(0), &shown, out);
    if (result == RN_OK) (*out)->def.contact = def->contact;
    if (result == RN_OK) result = rn_world_mac_create(*out, def);
    if (result == RN_OK) return RN_OK;
    rn_world_destroy(*out);
    *out = NULL;
    return result;
}

/* Creates a world with the solver and backend of `def`; otherwise like rn_world_create. */
static rn_result create_as_defined(const rn_world_def *def, rn_world **out) {
    if (def->solver && strcmp(def->solver, RN_MAC_NAME) == 0) return create_mac(def, out);
    const rn_solver_class *solver;
    const rn_result result = rn_solver_find(def->solver, def->backend, &solver);
    return result == RN_OK ? rn_world_create_on(solver, def, out) : result;
}

/* Whether only the CPU has the solver of `def`, which asks for a GPU. */
static bool is_for_cpu_only(const rn_world_def *def) {
    return def->backend && strcmp(def->backend, "cuda") == 0 && def->solver && !rn_solver_has_gpu(def->solver);
}

/* Whether the CPU is faster with the grid of `def` than a GPU, which takes at least 20 us for a substep and a second to
   start. */
static bool is_small(const rn_world_def *def) {
    enum { FEWEST_CELLS = 512 * 512 };
    if (!def->terrain) return false; /* refused later */
    const rn_terrain_info info = rn_terrain_describe(def->terrain);
    return (int64_t)info.cells_x * info.cells_y < FEWEST_CELLS;
}

rn_result rn_world_create(const rn_world_def *def, rn_world **out) {
    rn_world_def chosen = *def;
    *out = NULL;
    if (is_for_cpu_only(def)) {
        chosen.backend = "cpu";
        const rn_result result = create_as_defined(&chosen, out);
        if (result == RN_OK)
            rn_log(&def->hooks, RN_LOG_WARNING,
                   "this world runs on the CPU: only the solvers \"%s\" and \"%s\" have the backend \"cuda\", not "
                   "\"%.60s\"",
                   rn_solver_at(0)->name, rn_solver_at(1)->name, def->solver);
        return result;
    }
    if (!def->backend || strcmp(def->backend, "auto") != 0) return create_as_defined(def, out);
    chosen.backend = "cpu";
    if (is_small(def)) return create_as_defined(&chosen, out);
    chosen.backend = "cuda";
    if (create_as_defined(&chosen, out) == RN_OK) return RN_OK;
    rn_log(&def->hooks, RN_LOG_INFO, "this world runs on the CPU: %s", rn_last_error());
    chosen.backend = "cpu";
    return create_as_defined(&chosen, out);
}

void rn_world_destroy(rn_world *world) {
    if (!world) return;
    rn_world_mac_free(world);
    rn_sources_free(world);
    rn_forces_free(world);
    rn_solids_free(world);
    rn_bodies_free(world);
    rn_gauges_free(world);
    if (world->self) world->solver->destroy(world->self);
    rn_pool_destroy(world->pool);
    rn_hooks hooks = world->hooks;
    rn_free(&hooks, world);
}

rn_world_info rn_world_describe(const rn_world *world) {
    const rn_grid *g = &world->columns->grid;
    const rn_solver_info solver = world->solver->describe(world->self);
    return (rn_world_info){
        .cells_x = g->nx,
        .cells_y = g->ny,
        .layers = g->layers,
        .cell_size = world->ground.cell_size,
        .origin_x = world->ground.origin_x,
        .origin_y = world->ground.origin_y,
        .datum = world->datum,
        .lid = world->ground.lid,
        .quantum = world->quantum,
        .gravity = (double)world->gravity,
        .solver = world->mac ? RN_MAC_NAME : world->solver->name,
        .backend = world->solver->backend,
        .columns = world->ground.columns,
        .pipes = solver.pipes,
        .falls = solver.falls,
        .bytes = solver.bytes + rn_sources_bytes(world) + rn_solids_bytes(world) + rn_bodies_bytes(world) +
                 rn_world_mac_bytes(world),
    };
}

rn_liquid rn_world_liquid(const rn_world *world) { return world->liquid; }
double rn_world_contact_foot(const rn_world *world) {
    return world->mac ? 0.0 : rn_contact_foot(&world->def, world->ground.cell_size);
}

/* ---- Solvers --------------------------------------------------------------------------------------------------- */

int rn_solver_count(void) {
    int count = 0;
    while (rn_solver_at(count)) count++;
    return count;
}

rn_solver_description rn_solver_describe(int number) {
    const rn_solver_class *found = rn_solver_at(number);
    return found ? (rn_solver_description){found->name, found->backend, found->meaning} : (rn_solver_description){0};
}
