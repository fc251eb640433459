/* Friction that differs between regions of the ground. A region, or a map, sets the share of speed that is kept,
   Manning's n or Chezy's C.

   Interface: rn_world_set_roughness, rn_world_set_friction and rn_roughness_default (include/runnel/world.h);
   rn_friction_check and rn_friction_set (world/world.h), with which world/create.c handles the friction of the whole
   world.

   Order of calls: hosts and scenes set regions between steps, mostly before the first one; a later region replaces an
   earlier one where they overlap. Columns get arrays of their own friction only now (rn_columns_roughen), filled with
   the default, and the solver is told the highest linear friction.

   Columns store the numbers that solver/drag.h needs: kappa = -ln(share kept per second) in 1/s, g n^2 for Manning
   and g / C^2 for Chezy. When gravity changes, world/settings.c therefore scales the last two. A region has one law:
   it sets the others to 0. The paper's model has no regions. */
#include "base/error.h"
#include "base/maths.h"
#include "world/limits.h"
#include "world/patch.h"

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
typedef struct roughening {
    rn_columns *columns;
    rn_friction_law law;
    double gravity; /* m/s^2 */
    float most;     /* 1/s, highest kappa so far */
} roughening;

/* The part of a definition that says where it applies. */
static rn_patch roughness_patch(const rn_roughness_def *def) {
    return (rn_patch){def->region,        def->map,           def->map_x,        def->map_y,
                      def->map_spacing_x, def->map_spacing_y, def->map_origin_x, def->map_origin_y};
}

/* Sets the friction of a column by one law, and that of the other laws to 0; raises r->most. An rn_patch_column. */
static void roughen_column(void *context, int32_t slot, double value) {
    roughening *r = context;
    rn_columns *c = r->columns;
    rn_ground_friction friction = {0};
    rn_friction_set(r->law, value, r->gravity, &friction);
    c->kappa[slot] = friction.kappa;
    if (c->laws) c->manning[slot] = friction.manning;
    if (c->laws) c->chezy[slot] = friction.chezy;
    if (friction.kappa > r->most) r->most = friction.kappa;
}

/* Returns RN_INVALID, with a message, unless the size, spacing, origin and all values of the map are valid; NAN is.
   Both spacings 0: stretched. The law must be valid. */
static rn_result check_map(const rn_roughness_def *def) {
    const rn_patch patch = roughness_patch(def);
    const rn_result result = rn_patch_check(&patch);
    if (result != RN_OK) return result;
    for (int y = 0; y < def->map_y; y++)
        for (int x = 0; x < def->map_x; x++) {
            const double value = (double)def->map[(size_t)y * (size_t)def->map_x + (size_t)x];
            if (!isnan(value) && !is_valid_value(def->law, value))
                return rn_fail(RN_INVALID, "the map holds %g at column %d, row %d from the south; %s must be %s", value,
                               x, y, laws[def->law].name, laws[def->law].right);
        }
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless law and value or map are valid and the world's solver and model support
   regions of friction. Does not check whether the region meets ground. */
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
    const rn_patch patch = roughness_patch(def);
    rn_result result = check_roughness(world, def);
    if (result == RN_OK) result = rn_patch_meets(world, &patch);
    if (result != RN_OK) return result;
    const bool laws_differ =
        def->law != RN_FRICTION_LINEAR || world->friction.manning > 0.0f || world->friction.chezy > 0.0f;
    result = rn_columns_roughen(world->columns, &world->friction, laws_differ);
    if (result != RN_OK) return result;
    roughening r = {.columns = world->columns, .law = def->law, .gravity = (double)world->gravity};
    rn_patch_each(world, &patch, def->value, roughen_column, &r);
    rn_columns_roughen_rim(world->columns);
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_FRICTION, .friction = r.most});
    return RN_OK;
}

rn_result rn_world_set_friction(rn_world *world, const rn_sdf *region, double friction) {
    rn_roughness_def def = rn_roughness_default();
    def.region = region;
    def.value = friction;
    return rn_world_set_roughness(world, &def);
}
