/* How a test world lets liquid flow, through passages and otherwise: a way of the explicit solver, or another one. */
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
