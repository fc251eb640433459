/* How a test world computes the flow: a treatment of passages by the explicit solver, or another solver.
   choose_method() puts the choice into an rn_world_def. */
#ifndef METHOD_H
#define METHOD_H

#include <runnel/world.h>

typedef enum flow_method {
    FLOW_DEFAULT,
    FLOW_UNIFIED_LONG,
    FLOW_UNIFIED,
    FLOW_AXIS,
    FLOW_NONE,
    FLOW_IMPLICIT,
    FLOW_PACKETS,
} flow_method;

/* Sets def->passages and def->solver; a solver of NULL is the default, explicit one. */
static inline void choose_method(rn_world_def *def, flow_method method) {
    static const rn_passages passages[] = {
        [FLOW_UNIFIED_LONG] = RN_PASSAGES_UNIFIED_LONG,
        [FLOW_UNIFIED] = RN_PASSAGES_UNIFIED,
        [FLOW_AXIS] = RN_PASSAGES_AXIS,
        [FLOW_NONE] = RN_PASSAGES_NONE,
        [FLOW_IMPLICIT] = RN_PASSAGES_DEFAULT,
        [FLOW_PACKETS] = RN_PASSAGES_DEFAULT,
    };
    def->passages = passages[method];
    def->solver = method == FLOW_IMPLICIT ? "implicit" : method == FLOW_PACKETS ? "packets" : NULL;
}

#endif
