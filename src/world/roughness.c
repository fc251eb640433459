/* Friction that differs from region to region. */
#include "base/error.h"
#include "base/maths.h"
#include "world/world.h"

/* Whether the region, which holds these stretches over a cell, reaches this height (m). */
static bool reaches(const rn_interval *spans, int count, double height, double slack) {
    for (int i = 0; i < count; i++)
        if (spans[i].low <= height + slack && spans[i].high >= height - slack) return true;
    return false;
}

/* How many columns of a cell the region reaches; they get this friction, unless it is negative. */
static int roughen_cell(rn_world *world, const rn_sdf *region, int x, int y, float kappa) {
    const rn_grid *g = &world->columns->grid;
    rn_interval spans[RN_MOST_SPANS];
    const int count = region ? rn_world_spans(world, region, x, y, spans) : 0;
    const double slack = 0.02 * world->ground.cell_size; /* as fine as spans are traced */
    int found = 0;
    for (int layer = 0; layer < g->layers; layer++) {
        const int32_t slot = rn_slot(g, layer, y, x);
        const float base = world->columns->base[slot];
        if (base >= RN_NO_COLUMN) break;
        if (base < 0.0f) continue; /* a sink */
        if (region && !reaches(spans, count, base + world->datum, slack)) continue;
        if (kappa >= 0.0f) world->columns->kappa[slot] = kappa;
        found++;
    }
    return found;
}

static bool meets_ground(rn_world *world, const rn_sdf *region) {
    for (int y = 0; y < world->columns->grid.ny; y++)
        for (int x = 0; x < world->columns->grid.nx; x++)
            if (roughen_cell(world, region, x, y, -1.0f) > 0) return true;
    return false;
}

rn_result rn_world_roughen(rn_world *world, const rn_sdf *region, double friction) {
    if (rn_friction_check(friction) != RN_OK) return RN_INVALID;
    if (rn_world_needs(world, RN_CAN_ROUGHEN, "regions of their own friction") != RN_OK) return RN_INVALID;
    if (world->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "the paper's model has one friction for all; use the physical one for roughness");
    if (!meets_ground(world, region))
        return rn_fail(RN_INVALID, "the region meets no ground; let it reach into the terrain");
    rn_result result = rn_columns_roughen(world->columns, world->kappa);
    if (result != RN_OK) return result;
    const rn_grid *g = &world->columns->grid;
    const float kappa = (float)rn_max(-rn_log_unit(friction), 0.0);
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) roughen_cell(world, region, x, y, kappa);
    rn_columns_roughen_rim(world->columns);
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_FRICTION, .friction = kappa});
    return RN_OK;
}
