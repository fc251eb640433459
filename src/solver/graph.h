/* From a terrain's columns to slots, pipes and falls. */
#ifndef RN_SOLVER_GRAPH_H
#define RN_SOLVER_GRAPH_H

#include "solver/state.h"

typedef struct rn_graph_def {
    const rn_terrain *terrain;
    rn_edge edges[4];
    double drop[2]; /* m along x and y, at periodic edges */
    double datum;   /* m */
    double quantum; /* m */
    bool advection;
    int workers;
    rn_hooks hooks;
} rn_graph_def;

/* Allocates every array of the state and fills in the shape. The state must be zeroed. */
rn_result rn_graph_build(const rn_graph_def *def, rn_state *state);
/* Joins the columns anew after bases or ceilings have changed; fluxes stay where their pipes do. */
rn_result rn_graph_join(rn_state *state);
/* Gives every column a friction of its own, at first this one. */
rn_result rn_graph_roughen(rn_state *state, float kappa);
void rn_graph_free(rn_state *state);
size_t rn_graph_bytes(const rn_state *state); /* memory held */

/* A column's loose pipes; NULL if it has none. */
const rn_special *rn_special_of(const rn_state *state, int32_t slot);

#endif
