/* Contact angles that differ between regions of the ground: a greasy patch, a line that wets.

   Interface: rn_world_set_wetting and rn_wetting_default (include/runnel/world.h); rn_world_angles_of (world/world.h)
   for world/settings.c. Hosts and scenes set regions between steps. The values are stored in the columns as 1 - cos
   of the angle, where solver/contact_sweeps.c reads them; columns get these arrays with the first region. Where
   contact has no effect (rn_world_contact_foot is 0) a region is checked and then ignored. Where only the advancing
   angle is given, the receding one is as much smaller as that of the liquid. 1 - cos is computed from the sine of
   half the angle, which stays accurate at small angles. */
#include "base/error.h"
#include "base/maths.h"
#include "world/limits.h"
#include "world/patch.h"

/* The part of a definition that says where it applies. */
static rn_patch wetting_patch(const rn_wetting_def *def) {
    return (rn_patch){def->region,        def->map,           def->map_x,        def->map_y,
                      def->map_spacing_x, def->map_spacing_y, def->map_origin_x, def->map_origin_y};
}

/* 1 - cos of an angle (degrees). */
static float one_minus_cos(double angle) {
    double sine, cosine; /* of half the angle */
    rn_sin_cos(0.5 * (angle * (3.14159265358979323846 / 180.0)), &sine, &cosine);
    return (float)(2.0 * sine * sine);
}

rn_ground_angles rn_world_angles_of(const rn_liquid *liquid) {
    return (rn_ground_angles){one_minus_cos(liquid->contact_angle),
                              one_minus_cos(rn_min(liquid->receding_angle, liquid->contact_angle))};
}

/* The receding angle (degrees) of ground with an advancing angle: the given one, but no more than that; or, if none
   is given, as much below it as that of the liquid. */
static double receding_angle_for(const rn_wetting_def *def, const rn_liquid *liquid, double advancing) {
    const double usual = rn_max(advancing - rn_max(liquid->contact_angle - liquid->receding_angle, 0.0), 0.0);
    return isnan(def->receding_angle) ? usual : rn_min(def->receding_angle, advancing);
}

/* The angles to set. */
typedef struct angle_setting {
    rn_world *world;
    const rn_wetting_def *def;
} angle_setting;

/* Sets the angles of a column; an rn_patch_column. */
static void wet_column(void *context, int32_t slot, double angle) {
    const angle_setting *w = context;
    rn_columns *c = w->world->columns;
    c->advancing[slot] = one_minus_cos(angle);
    c->receding[slot] = one_minus_cos(receding_angle_for(w->def, &w->world->liquid, angle));
}

/* Returns RN_INVALID, with a message, unless all numbers of the map, if there is one, are angles from 0 to 180 degrees,
   or NAN. */
static rn_result check_map(const rn_wetting_def *def) {
    for (int y = 0; def->map && y < def->map_y; y++)
        for (int x = 0; x < def->map_x; x++) {
            const double angle = (double)def->map[(size_t)y * (size_t)def->map_x + (size_t)x];
            if (!isnan(angle) && !rn_within(angle, RN_LIMIT_ANGLE))
                return rn_fail(RN_INVALID,
                               "the map holds %g at column %d, row %d from the south; contact_angle must be from 0 to "
                               "180 (degrees)",
                               angle, x, y);
        }
    return RN_OK;
}

/* Returns RN_INVALID, with a message, unless the angles of the definition or of its map are from 0 to 180 degrees, the
   receding angle, if given, is not the larger one, and the map has a valid size and spacing. */
static rn_result check_wetting(const rn_wetting_def *def) {
    const rn_patch patch = wetting_patch(def);
    if (!def->map && !rn_within(def->contact_angle, RN_LIMIT_ANGLE))
        return rn_fail(RN_INVALID, "contact_angle is %g; it must be from 0 to 180 (degrees)", def->contact_angle);
    if (!isnan(def->receding_angle) && !rn_within(def->receding_angle, RN_LIMIT_ANGLE))
        return rn_fail(RN_INVALID, "receding_angle is %g; it must be from 0 to 180 (degrees)", def->receding_angle);
    if (!def->map && def->receding_angle > def->contact_angle)
        return rn_fail(RN_INVALID, "receding_angle is %g; it must be at most contact_angle, which is %g (degrees)",
                       def->receding_angle, def->contact_angle);
    const rn_result result = rn_patch_check(&patch);
    return result == RN_OK ? check_map(def) : result;
}

rn_wetting_def rn_wetting_default(void) { return (rn_wetting_def){.contact_angle = 90.0, .receding_angle = NAN}; }

rn_result rn_world_set_wetting(rn_world *world, const rn_wetting_def *def) {
    const rn_patch patch = wetting_patch(def);
    rn_result result = check_wetting(def);
    if (result == RN_OK) result = rn_patch_meets(world, &patch);
    if (result != RN_OK || !(rn_world_contact_foot(world) > 0.0)) return result;
    const rn_ground_angles elsewhere = rn_world_angles_of(&world->liquid);
    result = rn_columns_set_angles(world->columns, &elsewhere);
    if (result != RN_OK) return result;
    angle_setting w = {.world = world, .def = def};
    rn_patch_each(world, &patch, def->contact_angle, wet_column, &w);
    rn_columns_roughen_rim(world->columns);
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_CHANGED_ANGLES});
    return RN_OK;
}
