/* Making a world and taking it apart, and what it holds: its books and its hash. */
#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "base/memory.h"
#include "solver/graph.h"
#include "world/bodies.h"

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
    if (def->advection && def->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "advection is on, but the paper's model has none; use RN_MODEL_PHYSICAL");
    if (def->passages < RN_PASSAGES_DEFAULT || def->passages > RN_PASSAGES_NONE)
        return rn_fail(RN_INVALID, "passages is %d; it must be one of rn_passages", (int)def->passages);
    const bool solved = def->passages == RN_PASSAGES_UNIFIED_LONG || def->passages == RN_PASSAGES_IMPLICIT;
    if (solved && def->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "the paper's model has no such passages; use unified, axis or none, or "
                                   "the physical model");
    if (def->advection && def->passages == RN_PASSAGES_IMPLICIT)
        return rn_fail(RN_INVALID, "advection is on, but implicit passages have none; use unified-long");
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

static rn_result build(rn_world *world, const rn_world_def *def) {
    world->pool = rn_pool_create(&def->hooks, def->threads);
    if (!world->pool) return RN_MEMORY;
    world->ground = rn_terrain_describe(def->terrain);
    world->datum = world->ground.lowest - def->dig;
    double drop = fabs(def->drop_x) + fabs(def->drop_y);
    world->quantum = quantum_for(world->ground.lid - world->datum + drop);
    const double q = world->quantum, cell = world->ground.cell_size, down = -def->gravity.z;
    if (q > 0.01 * cell)
        return rn_fail(
            RN_INVALID,
            "the lid is %g m above the lowest ground, too high for cells of %g m: depths would come in steps of %g m; "
            "lower the lid or enlarge the cells",
            world->ground.lid - world->datum, cell, q);
    world->law = (rn_law){
        .cell = (float)cell,
        .gravity = (float)down,
        .kappa = (float)-rn_log_unit(def->friction),
        .nu3 = (float)(3.0 * def->liquid.viscosity),
        .scaled = def->liquid.viscosity > 0.0 || (def->friction < 1.0 && !def->advection),
        .lag = def->advection ? 0.0f : 1.0f,
        .overfall = def->advection ? RN_OVERFALL_CARRIED : RN_OVERFALL,
        .paper = def->model == RN_MODEL_PAPER,
        .felt = (float)rn_max(1e-5, 1e-3 * cell),
        .quantum = (float)q,
        .per_quantum = (float)(1.0 / q),
        .tilt = {(float)(rint(def->gravity.x / down * cell / q) * q),
                 (float)(rint(def->gravity.y / down * cell / q) * q)},
    };
    rn_graph_def graph = {
        .terrain = def->terrain,
        .drop = {rint(def->drop_x / q) * q, rint(def->drop_y / q) * q},
        .datum = world->datum,
        .quantum = q,
        .advection = def->advection,
        .heads = world->flood.method == RN_PASSAGES_UNIFIED_LONG || world->flood.method == RN_PASSAGES_IMPLICIT,
        .slopes = world->flood.method == RN_PASSAGES_IMPLICIT,
        .workers = rn_pool_size(world->pool),
        .hooks = def->hooks,
    };
    for (int side = 0; side < 4; side++) graph.edges[side] = def->edges[side];
    return rn_graph_build(&graph, &world->state);
}

rn_result rn_world_create(const rn_world_def *def, rn_world **out) {
    *out = NULL;
    rn_result result = check(def);
    if (result != RN_OK) return result;
    rn_world *world = rn_alloc(&def->hooks, 1, sizeof *world);
    if (!world) return RN_MEMORY;
    world->hooks = def->hooks;
    world->liquid = def->liquid;
    world->max_substeps = def->max_substeps;
    world->touched = true;
    world->flood.method = def->passages;
    if (def->passages == RN_PASSAGES_DEFAULT)
        world->flood.method = def->model == RN_MODEL_PAPER ? RN_PASSAGES_UNIFIED : RN_PASSAGES_UNIFIED_LONG;
    world->flood.most = def->solver_iterations;
    world->courant = def->courant;
    world->give_back = def->give_back;
    world->stir = def->stir;
    result = build(world, def);
    if (result == RN_OK) *out = world;
    else rn_world_destroy(world);
    return result;
}

void rn_world_destroy(rn_world *world) {
    if (!world) return;
    rn_sources_free(world);
    rn_solids_free(world);
    rn_bodies_free(world);
    rn_gauges_free(world);
    rn_flood_free(&world->flood, &world->hooks);
    rn_implicit_free(&world->implicit, &world->hooks);
    rn_graph_free(&world->state);
    rn_pool_destroy(world->pool);
    rn_hooks hooks = world->hooks;
    rn_free(&hooks, world);
}

rn_world_info rn_world_describe(const rn_world *world) {
    const rn_state *s = &world->state;
    return (rn_world_info){
        .cells_x = s->grid.nx,
        .cells_y = s->grid.ny,
        .layers = s->grid.layers,
        .cell_size = world->ground.cell_size,
        .origin_x = world->ground.origin_x,
        .origin_y = world->ground.origin_y,
        .datum = world->datum,
        .lid = world->ground.lid,
        .quantum = world->quantum,
        .gravity = (double)world->law.gravity,
        .columns = world->ground.columns,
        .pipes = s->ordinary + s->loose,
        .falls = s->falls[0] + s->falls[1],
        .bytes = rn_graph_bytes(s) + rn_flood_bytes(&world->flood) + rn_implicit_bytes(&world->implicit) +
                 rn_sources_bytes(world) + rn_solids_bytes(world) + rn_bodies_bytes(world),
    };
}

rn_liquid rn_world_liquid(const rn_world *world) { return world->liquid; }

static int64_t present(const rn_world *world) {
    const rn_state *s = &world->state;
    int64_t sum = 0;
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int y = 0; y < s->grid.ny; y++) {
            const float *depth = s->depth + rn_slot(&s->grid, layer, y, 0);
            for (int x = 0; x < s->grid.nx; x++) sum += (int64_t)(depth[x] * world->law.per_quantum);
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

static float mend_flux(float flux, float most) {
    if (!isfinite(flux)) return 0.0f;
    return flux > most ? most : flux < -most ? -most : flux;
}

static void mend_liquid(rn_world *world) {
    rn_state *s = &world->state;
    /* No more than the whole height of the world could carry. */
    const double height = world->ground.lid - world->datum;
    const float most = (float)(3.0 * world->ground.cell_size * height * sqrt(world->law.gravity * height));
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int y = -1; y < s->grid.ny; y++)
            for (int x = -1; x < s->grid.nx; x++) {
                int32_t c = rn_slot(&s->grid, layer, y, x);
                s->flux_x[c] = mend_flux(s->flux_x[c], most);
                s->flux_y[c] = mend_flux(s->flux_y[c], most);
                if (x < 0 || y < 0) continue;
                double room = s->base[c] < RN_NO_COLUMN ? rn_capacity(s, c) : 0.0;
                double depth = isnan(s->depth[c]) ? 0.0 : rn_clamp(s->depth[c], 0.0, room);
                s->depth[c] = (float)(rint(depth / world->quantum) * world->quantum);
            }
}

rn_result rn_world_commit(rn_world *world) {
    mend_liquid(world);
    rn_ledger *book = &world->ledger;
    int64_t change = present(world) - rn_ledger_sum(book);
    if (change > 0) book->poured += change;
    else book->drained -= change;
    world->touched = true;
    return rn_solids_apply(world);
}

static bool has_columns(const rn_state *s, int32_t row) {
    for (int x = 0; x < s->grid.nx; x++)
        if (s->base[row + x] < RN_NO_COLUMN) return true;
    return false;
}

/* Rows go by the numbers that they had when hashes were first kept, however they are padded now. */
static uint64_t row_name(const rn_grid *g, int layer, int y) {
    enum { PAD = 16 };
    const int64_t stride = ((int64_t)g->nx + 2 * PAD + 1) / PAD * PAD + PAD;
    return (uint64_t)(PAD + stride * ((int64_t)layer * (g->ny + 2) + y + 1));
}

uint64_t rn_world_hash(const rn_world *world) {
    const rn_state *s = &world->state;
    uint64_t hash = rn_hash_long(RN_HASH_START, s->step);
    for (int layer = 0; layer < s->grid.layers; layer++)
        for (int y = 0; y < s->grid.ny; y++) {
            int32_t row = rn_slot(&s->grid, layer, y, 0);
            if (!has_columns(s, row)) continue;
            const uint64_t name = row_name(&s->grid, layer, y);
            hash = rn_hash_floats(rn_hash_long(hash, name), s->base + row, (size_t)s->grid.nx);
            hash = rn_hash_floats(hash, s->ceil + row, (size_t)s->grid.nx);
            hash = rn_hash_floats(hash, s->depth + row, (size_t)s->grid.nx);
            hash = rn_hash_floats(hash, s->flux_x + row, (size_t)s->grid.nx);
            hash = rn_hash_floats(hash, s->flux_y + row, (size_t)s->grid.nx);
            for (int x = 0; s->headed && x < s->grid.nx; x++)
                if (s->head[row + x] != 0.0f)
                    hash = rn_hash_floats(rn_hash_long(hash, name + (uint64_t)x), s->head + row + x, 1);
            for (int x = 0; s->parted && x < s->grid.nx; x++) {
                const rn_part part = rn_part_of(s, row + x);
                if (part.taken > 0.0f)
                    hash = rn_hash_floats(rn_hash_long(hash, name + (uint64_t)x),
                                          (const float[]){part.low, part.high, part.taken}, 3);
            }
        }
    hash = rn_hash_floats(hash, s->loose_flux, (size_t)s->loose);
    hash = rn_bodies_hash(world, rn_sources_hash(world, hash));
    const rn_ledger *book = &world->ledger;
    const int64_t booked[] = {book->poured, book->drained, book->left, book->displaced};
    for (int i = 0; i < 4; i++) hash = rn_hash_long(hash, (uint64_t)booked[i]);
    return rn_hash_double(hash, world->stats.time);
}
