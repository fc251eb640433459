/* Which key of a scene a world's refusal is about. */
#include "io/scene/blame.h"
#include "io/scene/roughness.h"
#include "solver/solver.h"
#include "world/mac.h"

#include <math.h>
#include <string.h>

/* Whether the solver refuses values of "packets" that the table accepts; `paper`: the scene has the model "paper". */
static bool packets_are_refused(const rn_packets_values *packets, bool paper) {
    return (packets->levels > 0 && paper) || packets->fine[2] < packets->fine[0] ||
           packets->fine[3] < packets->fine[1] || packets->count < 2 || packets->smoothing <= 1.0 ||
           packets->courant > RN_PACKETS_COURANT;
}

/* Whether the backend is what the world refuses: it is unknown, or cannot be loaded here. Worlds of other solvers than
   the explicit one run on the CPU instead. */
static bool backend_is_refused(const rn_world_def *def) {
    const rn_solver_class *found;
    if (strcmp(def->solver, "explicit") != 0) return false;
    if (strcmp(def->backend, "cpu") == 0 || strcmp(def->backend, "auto") == 0) return false;
    return rn_solver_find(def->solver, def->backend, &found) != RN_OK;
}

/* Whether the world refuses the direction of gravity: z is not below 0, or x or y is more than twice as strong as z. */
static bool gravity_is_refused(const double gravity[3]) {
    const double steepest = 2.0 * -gravity[2];
    return !(steepest > 0 && fabs(gravity[0]) <= steepest && fabs(gravity[1]) <= steepest);
}

/* Returns the key whose value does not go with the others. Tables have checked each value alone, so only combinations
   are left. If none of the known ones is there, returns "solver" for all solvers but the explicit one, otherwise
   NULL. */
static const char *blame_combination(const rn_scene_values *values) {
    const int *edges = values->edges;
    const bool old = values->passages == RN_OLD_IMPLICIT, paper = values->model == RN_MODEL_PAPER;
    const bool other = strcmp(values->solver, "explicit") != 0;
    if (gravity_is_refused(values->gravity)) return "gravity";
    if (strcmp(values->solver, RN_MAC_NAME) == 0) return edges[2] == RN_EDGE_PERIODIC ? "edges" : "solver";
    for (int axis = 0; axis < 2; axis++) {
        bool here = edges[2 * axis] == RN_EDGE_PERIODIC, there = edges[2 * axis + 1] == RN_EDGE_PERIODIC;
        if (here != there) return "edges";
        if (values->drop[axis] != 0 && !here) return "drop";
    }
    if (values->contact == RN_CONTACT_DYNAMIC &&
        values->liquid.liquid.receding_angle > values->liquid.liquid.contact_angle)
        return "liquid";
    if (values->contact == RN_CONTACT_DYNAMIC && (other || paper)) return "contact";
    if (old && paper) return "passages";
    if (!other && values->passages == RN_PASSAGES_UNIFIED_LONG && paper) return "passages";
    if (!rn_scene_knows_manning(values->model) && values->manning > 0) return "manning";
    if (!rn_scene_knows_manning(values->model) && values->chezy > 0) return "chezy";
    if (other && !paper && values->passages != RN_PASSAGES_DEFAULT && !old) return "passages";
    if (strcmp(values->solver, "packets") == 0 && packets_are_refused(&values->packets, paper)) return "packets";
    return other ? "solver" : NULL;
}

const char *rn_scene_blame(const rn_scene_values *values, const rn_world_def *def, bool backend_given) {
    if (backend_is_refused(def)) return backend_given ? NULL : "backend";
    return blame_combination(values);
}
