/* Friction that differs between regions of the ground. A region, or a map, sets the share of speed that is kept,
   Manning's n or Chezy's C. The values are stored in the columns, where solver/drag.h reads them. */
#include "base/error.h"
#include "base/maths.h"
#include "world/limits.h"
#include "world/world.h"

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* The name and the limits of a law's value. */
typedef struct law_info {
    const char *name, *right;
    double low, high;
    bool above; /* `low` itself is not allowed */
} law_info;

static const law_info laws[] = {
    [RN_FRICTION_LINEAR] = {"friction", "above 0 and at most 1 (share of speed kept per second)", RN_LIMIT_FRICTION,
                            true},
    [RN_FRICTION_MANNING] = {"manning", "from 0 to 10 (s/m^(1/3))", RN_LIMIT_MANNING, false},
    [RN_FRICTION_CHEZY] = {"chezy", "from 0.1 to 1e6 (m^(1/2)/s)", RN_LIMIT_CHEZY, false},
};

/* Whether a value is within the limits of a valid law; false for NaN. */
static bool is_valid_value(rn_friction_law law, double value) {
    const law_info *info = &laws[law];
    return rn_within(value, info->low, info->high) && !(info->above && value == info->low);
}

rn_result rn_friction_check(rn_friction_law law, double value) {
    if (is_valid_value(law, value)) return RN_OK;
    return rn_fail(RN_INVALID, "%s is %g; it must be %s", laws[law].name, value, laws[law].right);
}

void rn_friction_set(rn_friction_law law, double value, double gravity, rn_ground_friction *friction) {
    switch (law) {
    case RN_FRICTION_LINEAR: friction->kappa = (float)rn_max(-rn_log_unit(value), 0.0); break;
    case RN_FRICTION_MANNING: friction->manning = (float)(gravity * value * value); break;
    case RN_FRICTION_CHEZY: friction->chezy = (float)(gravity / (value * value)); break;
    }
}

/* ---- Regions ---------------------------------------------------------------------------------------------------- */

/* The friction to set, and what is found on the way. */
typedef struct patch {
    const rn_roughness_def *def;
    bool meets; /* only checks whether any ground lies in the region */
    float most; /* 1/s, highest kappa so far */
} patch;

/* Whether one of the `count` ranges of a region over a cell contains a height (m), within `slack` (m). */
static bool contains_height(const rn_interval *spans, int count, double height, double slack) {
    for (int i = 0; i < count; i++)
        if (spans[i].low <= height + slack && spans[i].high >= height - slack) return true;
    return false;
}

/* The value of the map, which must exist, nearest to the centre of a cell; NAN: the map ends before, or has NAN. */
static double map_value(const rn_world *world, const rn_roughness_def *def, int x, int y) {
    const rn_grid *g = &world->columns->grid;
    const double cell = world->ground.cell_size;
    double column = (x + 0.5) / g->nx * def->map_x, row = (y + 0.5) / g->ny * def->map_y;
    if (def->map_spacing_x > 0.0) {
        column = (world->ground.origin_x + (x + 0.5) * cell - def->map_origin_x) / def->map_spacing_x + 0.5;
        row = (world->ground.origin_y + (y + 0.5) * cell - def->map_origin_y) / def->map_spacing_y + 0.5;
    }
    if (!(column >= 0.0 && row >= 0.0 && column < def->map_x && row < def->map_y)) return NAN;
    return (double)def->map[(size_t)row * (size_t)def->map_x + (size_t)column];
}

/* Sets the friction of a column; Manning's and Chezy's only if the columns have arrays for them. */
static void write_column(rn_columns *c, int32_t slot, const rn_ground_friction *friction) {
    c->kappa[slot] = friction->kappa;
    if (c->laws) c->manning[slot] = friction->manning;
    if (c->laws) c->chezy[slot] = friction->chezy;
}

/* Sets the friction of the columns of a cell whose bases lie in the region, and raises p->most; returns their number, 0
   where the map has no value. p->meets: only counts. */
static int roughen_cell(rn_world *world, patch *p, int x, int y) {
    const rn_roughness_def *def = p->def;
    const double value = def->map ? map_value(world, def, x, y) : def->value;
    if (isnan(value)) return 0;
    const rn_grid *g = &world->columns->grid;
    rn_ground_friction friction = {0};
    rn_friction_set(def->law, value, (double)world->gravity, &friction);
    rn_interval spans[RN_MOST_SPANS];
    const int count = def->region ? rn_world_spans(world, def->region, x, y, spans) : 0;
    const double slack = 0.02 * world->ground.cell_size; /* the precision of traced spans */
    int found = 0;
    for (int layer = 0; layer < g->layers; layer++) {
        const int32_t slot = rn_slot(g, layer, y, x);
        const float base = world->columns->base[slot];
        if (base >= RN_NO_COLUMN) break;
        if (base < 0.0f) continue; /* a sink */
        if (def->region && !contains_height(spans, count, base + world->datum, slack)) continue;
        if (!p->meets) write_column(world->columns, slot, &friction);
        if (friction.kappa > p->most) p->most = friction.kappa;
        found++;
    }
    return found;
}

/* Whether a region or map covers the base of any column, with a value there; changes nothing. */
static bool meets_ground(rn_world *world, const rn_roughness_def *def) {
    patch p = {.def = def, .meets = true};
    for (int y = 0; y < world->columns->grid.ny; y++)
        for (int x = 0; x < world->columns->grid.nx; x++)
            if (roughen_cell(world, &p, x, y) > 0) return true;
    return false;
}

/* RN_INVALID, with a message, unless the size, spacing, origin and all values of the map are valid; NAN is. Both
   spacings 0: stretched. The law must be valid. */
static rn_result check_map(const rn_roughness_def *def) {
    if (def->map_x < 1 || def->map_y < 1)
        return rn_fail(RN_INVALID, "the map has %d by %d values; it needs 1 or more", def->map_x, def->map_y);
    const bool stretched = def->map_spacing_x == 0.0 && def->map_spacing_y == 0.0;
    const bool spaced = rn_within(def->map_spacing_x, 1e-9, 1e9) && rn_within(def->map_spacing_y, 1e-9, 1e9);
    if ((!stretched && !spaced) || !isfinite(def->map_origin_x) || !isfinite(def->map_origin_y))
        return rn_fail(RN_INVALID, "the values of the map are %g by %g m apart, from %g, %g; these must be sizes (m)",
                       def->map_spacing_x, def->map_spacing_y, def->map_origin_x, def->map_origin_y);
    for (int y = 0; y < def->map_y; y++)
        for (int x = 0; x < def->map_x; x++) {
            const double value = (double)def->map[(size_t)y * (size_t)def->map_x + (size_t)x];
            if (!isnan(value) && !is_valid_value(def->law, value))
                return rn_fail(RN_INVALID, "the map holds %g at column %d, row %d from the south; %s must be %s", value,
                               x, y, laws[def->law].name, laws[def->law].right);
        }
    return RN_OK;
}

/* RN_INVALID, with a message, unless law and value or map are valid and the world's solver and model support regions of
   friction. Does not check whether the region meets ground. */
static rn_result check_roughness(const rn_world *world, const rn_roughness_def *def) {
    if (def->law < RN_FRICTION_LINEAR || def->law > RN_FRICTION_CHEZY)
        return rn_fail(RN_INVALID, "law is %d; it must be one of rn_friction_law", (int)def->law);
    rn_result result = def->map ? check_map(def) : rn_friction_check(def->law, def->value);
    if (result == RN_OK) result = rn_world_needs(world, RN_CAN_ROUGHEN, "regions with their own friction");
    if (result != RN_OK) return result;
    if (world->model == RN_MODEL_PAPER)
        return rn_fail(RN_INVALID, "the paper's model has one friction for all; use the physical one for roughness");
    return RN_OK;
}

rn_roughness_def rn_roughness_default(void) { return (rn_roughness_def){.law = RN_FRICTION_LINEAR, .value = 0.5}; }

rn_result rn_world_set_roughness(rn_world *world, const rn_roughness_def *def) {
    rn_result result = check_roughness(world, def);
    if (result != RN_OK) return result;
    if (!meets_ground(world, def))
        return rn_fail(RN_INVALID, def->map ? "the map covers no ground of its region; place it over the terrain"
                                            : "the region touches no ground; extend it into the terrain");
    const bool laws_differ =
        def->law != RN_FRICTION_LINEAR || world->friction.manning > 0.0f || world->friction.chezy > 0.0f;
    result = rn_columns_roughen(world->columns, &world->friction, laws_differ);
    if (result != RN_OK) return result;
    const rn_grid *g = &world->columns->grid;
    patch p = {.def = def};
    for (int y = 0; y < g->ny; y++)
        for (int x = 0; x < g->nx; x++) roughen_cell(world, &p, x, y);
    rn_columns_roughen_rim(world->columns);
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_FRICTION, .friction = p.most});
    return RN_OK;
}

rn_result rn_world_set_friction(rn_world *world, const rn_sdf *region, double friction) {
    rn_roughness_def def = rn_roughness_default();
    def.region = region;
    def.value = friction;
    return rn_world_set_roughness(world, &def);
}
