/* Checks joints for all engines. */
#include "adapters/joint.h"

#include "base/error.h"

#include <math.h>

/* Returns whether all components of a vector are finite. */
static bool is_finite(rn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

rn_result rn_joint_check(const rn_joint_def *def) {
    const rn_vec3 a = def->axis;
    if ((def->kind == RN_JOINT_HINGE || def->kind == RN_JOINT_SLIDER) &&
        !(is_finite(a) && (a.x != 0 || a.y != 0 || a.z != 0)))
        return rn_fail(RN_INVALID, "the axis of a joint is (%g, %g, %g); it must be finite and not zero", a.x, a.y,
                       a.z);
    if (!is_finite(def->at)) return rn_fail(RN_INVALID, "the position of a joint must be three finite numbers");
    if (def->limited && !(def->low <= 0 && def->high >= 0))
        return rn_fail(RN_INVALID, "a joint has the limits %g and %g; its present position, 0, must lie between them",
                       def->low, def->high);
    if (def->body == def->to) return rn_fail(RN_INVALID, "a joint cannot connect body %d to itself", def->body);
    return RN_OK;
}
