/* Making a world and taking it apart, and its books. */
#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "world/apply.h"
#include "world/bodies.h"
#include "world/deposit.h"
#include "world/solids.h"
#include "world/sources.h"

rn_world_def rn_world_default(void) {
    return (rn_world_def){
        .liquid = rn_liquid_water(),
        .gravity = {0.0, 0.0, -9.81},
        .friction = 0.5,
        .courant = 3.0,
        .stir = 0.5,
        .solver_iterations = 100,
        .threads = 1,
    };
}

static bool within(double value, double low, double high) { return value >= low && value <= high; }

static rn_result check(const rn_world_def *def) {
    if (!def->terrain) return rn_fail(RN_INVALID, "the world has no terrain; give it one from rn_terrain_create");
    if (!within(def->liquid.viscosity, 0.0, 1e6))
        return rn_fail(RN_INVALID, "viscosity is %g; it must be from 0 to 1e6 (m²/s)", def->liquid.viscosity);
    if (!(def->friction > 0.0 && def->friction <= 1.0))
        return rn_fail(RN_INVALID, "friction is %g; it must be above 0 and at most 1 (share of speed kept per second)",
                       def->friction);
    if (!within(def->gravity.z, -1e4, -1e-4))
        return rn_fail(RN_INVALID, "gravity.z is %g; it must be negative, like -9.81 (m/s²)", def->gravity.z);
    double steepest = 2.0 * -def->gravity.z;
    if (!within(def->gravity.x, -steepest, steepest) || !within(def->gravity.y, -steepest, steepest))
        return rn_fail(RN_INVALID, "gravity is (%g, %g, %g); sideways it may be at most twice what it is downwards",
                       def->gravity.x, def->gravity.y, def->gravity.z);
    for (int side = 0; side < 4; side += 2)
        if ((def->edges[side] == RN_EDGE_PERIODIC) != (def->edges[side + 1] == RN_EDGE_PERIODIC))
            return rn_fail(RN_INVALID, "only one of the two edges along %s is periodic; make both periodic or neither",
                           side == 0 ? "x" : "y");
    if (!within(def->drop_x, -1e6, 1e6) || !within(def->drop_y, -1e6, 1e6))
        return rn_fail(RN_INVALID, "the level drop is (%g, %g); it must be finite (m)", def->drop_x, def->drop_y);
    if (def->drop_x != 0.0 && def->edges[RN_SIDE_WEST] != RN_EDGE_PERIODIC)
        return rn_fail(RN_INVALID, "drop_x is %g but the edges along x are not periodic", def->drop_x);
    if (def->drop_y != 0.0 && def->edges[RN_SIDE_SOUTH] != RN_EDGE_PERIODIC)
        return rn_fail(RN_INVALID, "drop_y is %g but the edges along y are not periodic", def->drop_y);
    if (!within(def->dig, 0.0, 1e9)) return rn_fail(RN_INVALID, "dig is %g; it must be 0 or more (m)", def->dig);
    if (def->max_substeps < 0)
        return rn_fail(RN_INVALID, "max_substeps is %d; it must be 0 or more", def->max_substeps);
    if (def->model != RN_MODEL_PHYSICAL && def->model != RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "model is %d; it must be RN_MODEL_PHYSICAL or RN_MODEL_PAPER", (int)def->model);
    if (!within(def->give_back, 0.0, 3600.0))
        return rn_fail(RN_INVALID, "give_back is %g; it must be from 0 to 3600 (s)", def->give_back);
    if (!within(def->stir, 0.0, 1.0)) return rn_fail(RN_INVALID, "stir is %g; it must be from 0 to 1 (m/m)", def->stir);
    if (!within(def->courant, 0.1, 100.0))
        return rn_fail(RN_INVALID, "courant is %g; it must be from 0.1 to 100", def->courant);
    if (def->solver_iterations < 1)
        return rn_fail(RN_INVALID, "solver_iterations is %d; it must be 1 or more", def->solver_iterations);
    if (def->threads < 0) return rn_fail(RN_INVALID, "threads is %d; it must be 0 or more", def->threads);
    return RN_OK;
}

/* A power of two with the whole extent within 2^23 of it: sums and differences of heights are then exact. */
static double quantum_for(double extent) {
    double quantum = 0x1p-60;
    while (quantum * 0x1p23 < extent) quantum *= 2.0;
    return quantum;
}

/* What the solver cannot do and the definition asks for. */
static rn_result check_needs(const rn_world *world, const rn_world_def *def) {
    rn_result result = RN_OK;
    for (int side = 0; side < 4 && result == RN_OK; side++) {
        if (def->edges[side] == RN_EDGE_OPEN) result = rn_world_needs(world, RN_CAN_OPEN, "open edges");
        if (def->edges[side] == RN_EDGE_PERIODIC) result = rn_world_needs(world, RN_CAN_PERIODIC, "periodic edges");
    }
    if (result == RN_OK && world->ground.layers > 1)
        result = rn_world_needs(world, RN_CAN_LAYERS, "ground with several columns in a cell");
    return result;
}

static rn_result build(rn_world *world, const rn_world_def *def) {
    world->pool = rn_pool_create(&def->hooks, def->threads);
    if (!world->pool) return RN_MEMORY;
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
    const rn_result result = check_needs(world, def);
    if (result != RN_OK) return result;
    world->gravity = (float)-def->gravity.z;
    world->kappa = (float)-rn_log_unit(def->friction);
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
    return world->solver->create(&solver, &world->self, &world->columns);
}

rn_result rn_world_create_on(const rn_solver_class *solver, const rn_world_def *def, rn_world **out) {
    *out = NULL;
    rn_result result = check(def);
    if (result == RN_OK) result = solver->check(def);
    if (result != RN_OK) return result;
    rn_world *world = rn_alloc(&def->hooks, 1, sizeof *world);
    if (!world) return RN_MEMORY;
    world->hooks = def->hooks;
    world->liquid = def->liquid;
    world->model = def->model;
    world->solver = solver;
    world->max_substeps = def->max_substeps;
    world->give_back = def->give_back;
    world->stir = def->stir;
    result = build(world, def);
    if (result == RN_OK) *out = world;
    else rn_world_destroy(world);
    return result;
}

rn_result rn_world_create(const rn_world_def *def, rn_world **out) {
    *out = NULL;
    const rn_solver_class *solver;
    const rn_result result = rn_solver_find(def->solver, def->backend, &solver);
    return result == RN_OK ? rn_world_create_on(solver, def, out) : result;
}

void rn_world_destroy(rn_world *world) {
    if (!world) return;
    rn_sources_free(world);
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
        .solver = world->solver->name,
        .backend = world->solver->backend,
        .columns = world->ground.columns,
        .pipes = solver.pipes,
        .falls = solver.falls,
        .bytes = solver.bytes + rn_sources_bytes(world) + rn_solids_bytes(world) + rn_bodies_bytes(world),
    };
}

rn_liquid rn_world_liquid(const rn_world *world) { return world->liquid; }

static int64_t present(const rn_world *world) {
    const rn_columns *s = world->columns;
    const float per_quantum = (float)(1.0 / world->quantum);
    int64_t sum = 0;
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int y = 0; y < s->grid.ny; y++) {
            const float *depth = s->depth + rn_slot(&s->grid, layer, y, 0);
            for (int x = 0; x < s->grid.nx; x++) sum += (int64_t)(depth[x] * per_quantum);
        }
    return sum;
}

rn_audit rn_world_audit(const rn_world *world) {
    const rn_ledger *book = &world->ledger;
    double unit = world->quantum * world->ground.cell_size * world->ground.cell_size;
    int64_t now = present(world);
    return (rn_audit){
        .poured = (double)book->poured * unit,
        .drained = (double)book->drained * unit,
        .left = (double)book->left * unit,
        .displaced = (double)book->displaced * unit,
        .lent = (double)book->lent * unit,
        .refused = book->refused * unit,
        .present = (double)now * unit,
        .drift = (double)(now - rn_ledger_sum(book)) * unit,
    };
}

double rn_world_volume(const rn_world *world) { return rn_world_audit(world).present; }

rn_result rn_world_commit(rn_world *world) {
    rn_deposit_mend(world);
    rn_ledger *book = &world->ledger;
    int64_t change = present(world) - rn_ledger_sum(book);
    if (change > 0) book->poured += change;
    else book->drained -= change;
    rn_deposit_unknown(world);
    return rn_solids_apply(world);
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
