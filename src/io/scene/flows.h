/* Reads sources, drains, rain, losses and probes of a scene, and adds them to its world. After a failure
   rn_last_error() names the place: RN_INVALID for wrong values, RN_LIMIT, RN_MEMORY, or the result of reading a file
   that is named. */
#ifndef RN_IO_SCENE_FLOWS_H
#define RN_IO_SCENE_FLOWS_H

#include "io/scene/scene_values.h"
#include "io/scene/shapes.h"

typedef struct rn_flows {
    rn_world *world;
    rn_shape_context *shapes;
} rn_flows;

/* Returns RN_INVALID if the stop (s) is not after the start (s); a stop of 0 means never. `place`: that of the object
   with both. */
rn_result rn_flows_times(const rn_json_path *place, double start, double stop);

/* Reads one object of "sources" and adds it to the world. `place` is that of the object. A failure leaves the world as
   it was. */
rn_result rn_flows_source(const rn_flows *flows, const json_t *object, const rn_json_path *place);
/* Reads one object of "drains" and adds it to the world; a drain without a rate takes all liquid that comes. A failure
   leaves the world as it was. */
rn_result rn_flows_drain(const rn_flows *flows, const json_t *object, const rn_json_path *place);
/* Reads one object of "rain", over the domain, a shape or a map of factors, and adds it to the world. A failure leaves
   the world as it was. */
rn_result rn_flows_rain(const rn_flows *flows, const json_t *object, const rn_json_path *place);
/* Reads one object of "losses", evaporation or infiltration, and adds it to the world. A failure leaves the world as it
   was. */
rn_result rn_flows_loss(const rn_flows *flows, const json_t *object, const rn_json_path *place);
/* Reads one object of "probes" into *probe: a point, which must lie in the domain, or a section, which is added to the
   world. `earlier`: the `count` probes read so far, whose names are taken. */
rn_result rn_flows_probe(const rn_flows *flows, const json_t *object, const rn_json_path *place,
                         const rn_probe *earlier, int count, rn_probe *probe);

#endif
