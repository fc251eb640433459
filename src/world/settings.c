/* Settings that may change while a world runs: gravity, the liquid, friction, and the length and number of substeps.

   Interface: rn_world_set_gravity, set_liquid, set_default_friction, set_courant and set_max_substeps, and
   rn_world_gravity (include/runnel/world.h). Hosts call them between steps; scenes do when a viewer changes a value
   (io/scene/scene_live.c).

   Each call changes a copy of the definition, checks it as rn_world_create does, passes it to the solver (`retune`),
   and only then keeps it (adopt_definition). A world whose settings are changed before its first step has the same
   bits as one that was created with them (tests/test_settings.c).

   Columns that have their own friction or contact angles need care. Manning's and Chezy's numbers contain gravity and
   are scaled with it. Columns outside regions have a copy of the default, and follow it; a region that was set to the
   same value cannot be told apart and follows, too. With a 3D liquid the columns are only a mirror, and
   rn_world_mac_retune passes the change to the liquid itself. */
#include "base/error.h"
#include "world/limits.h"
#include "world/mac.h"
#include "world/world.h"

#include <string.h>

/* Multiplies `manning` (g n^2) and `chezy` (g/C^2) of all columns by the ratio of the new gravity to the old. Does
   nothing if columns have none of their own. */
static void scale_friction_numbers(rn_columns *c, float ratio) {
    if (!c->laws || ratio == 1.0f) return;
    for (int32_t i = 0; i < c->grid.slots; i++) {
        c->manning[i] *= ratio;
        c->chezy[i] *= ratio;
    }
}

/* Gives columns that have the world's default linear friction, `before` (1/s), the new one, `now`; also columns whose
   region has the old default. Does nothing if columns have none of their own. */
static void follow_friction(rn_columns *c, float before, float now) {
    if (!c->kappa || before == now) return;
    for (int32_t i = 0; i < c->grid.slots; i++)
        if (c->kappa[i] == before) c->kappa[i] = now;
}

/* Gives columns that have the contact angles of the old liquid those of the new one; also columns whose region has the
   old angles. Does nothing if columns have no angles of their own. */
static void follow_angles(rn_columns *c, const rn_liquid *old, const rn_liquid *new) {
    const rn_ground_angles before = rn_world_angles_of(old), now = rn_world_angles_of(new);
    for (int32_t i = 0; c->angles && i < c->grid.slots; i++)
        if (c->advancing[i] == before.advancing && c->receding[i] == before.receding)
            c->advancing[i] = now.advancing, c->receding[i] = now.receding;
}

/* Checks a changed definition, passes it to the solver and lets the world continue with it: gravity, liquid, friction
   and courant; not max_substeps. On failure returns RN_INVALID, RN_UNSUPPORTED (by the solver) or RN_MEMORY (of a 3D
   liquid), with a message; then the world keeps its old settings. */
static rn_result adopt_definition(rn_world *world, const rn_world_def *def) {
    rn_result result = rn_world_check_numbers(def);
    if (result == RN_OK) result = world->solver->check(def);
    if (result == RN_OK && !world->solver->retune)
        result = rn_fail(RN_UNSUPPORTED, "the solver \"%s\" cannot change its settings; make a new world",
                         world->solver->name);
    if (result == RN_OK && world->mac) result = rn_world_mac_retune(world, def);
    rn_world_def columns = *def; /* those that show a 3D liquid have no contact of their own, and refuse nothing */
    if (world->mac) columns.contact = RN_CONTACT_STATIC;
    if (result == RN_OK) result = world->solver->retune(world->self, &columns);
    if (result != RN_OK) return result;
    const float gravity = (float)-def->gravity.z;
    scale_friction_numbers(world->columns, gravity / world->gravity);
    const rn_ground_friction friction = rn_world_friction_of(def);
    follow_friction(world->columns, world->friction.kappa, friction.kappa);
    follow_angles(world->columns, &world->liquid, &def->liquid);
    if (world->columns->angles) world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_ANGLES});
    world->def = *def;
    world->liquid = def->liquid;
    world->gravity = gravity;
    world->friction = friction;
    return RN_OK;
}

rn_result rn_world_set_gravity(rn_world *world, rn_vec3 gravity) {
    rn_world_def def = world->def;
    def.gravity = gravity;
    return adopt_definition(world, &def);
}

rn_vec3 rn_world_gravity(const rn_world *world) { return world->def.gravity; }

rn_result rn_world_set_liquid(rn_world *world, const rn_liquid *liquid) {
    rn_world_def def = world->def;
    def.liquid = *liquid;
    if (!(liquid->density > 0.0))
        return rn_fail(RN_INVALID, "liquid.density is %g; it must be above 0 (kg/m³)", liquid->density);
    return adopt_definition(world, &def);
}

rn_result rn_world_set_default_friction(rn_world *world, double friction) {
    rn_world_def def = world->def;
    if (world->mac) return rn_fail(RN_INVALID, "the 3D liquid has no friction but that of its viscosity");
    def.friction = friction;
    return adopt_definition(world, &def);
}

rn_result rn_world_set_courant(rn_world *world, double courant) {
    rn_world_def def = world->def;
    const bool packets = strcmp(world->solver->name, "packets") == 0;
    if (world->mac || (!packets && strcmp(world->solver->name, "implicit") != 0))
        return rn_fail(RN_INVALID, "the solver \"%s\" has no courant: its substeps are as long as stability allows",
                       world->mac ? RN_MAC_NAME : world->solver->name);
    *(packets ? &def.packets.courant : &def.courant) = courant;
    return adopt_definition(world, &def);
}

rn_result rn_world_set_max_substeps(rn_world *world, int most) {
    rn_world_def def = world->def;
    if (world->mac) return rn_fail(RN_INVALID, "the 3D liquid has no max_substeps");
    def.max_substeps = most;
    const rn_result result = rn_world_check_numbers(&def);
    if (result != RN_OK) return result;
    world->def.max_substeps = world->max_substeps = most;
    return RN_OK;
}
