/* Passages: columns that are full to their ceilings, and all pipes that end at one of them: ducts.

   Ordinary pipes stop at a full column. Here flooded columns that hang together form a passage, the columns with a free
   surface beside it are its gates, and what comes in at some gates in a substep goes out at others, to the quantum:
   flooded columns stay as full as they are. The flux of a duct is kept where that of its pipe is, so that
   nothing is forgotten when a column floods or drains. docs/passages.md. */
#ifndef RN_SOLVER_PASSAGES_H
#define RN_SOLVER_PASSAGES_H

#include "solver/multigrid.h"

typedef struct rn_duct {
    int32_t a, b;           /* slots of its columns; b lies one cell further along the axis */
    int32_t node_a, node_b; /* their places among the nodes, -1 for gates */
    int32_t gate;           /* which one leads out here; -1: flooded at both ends */
    int32_t pipe;           /* slot of the ordinary pipe that it is, or number of the loose one */
    int32_t link;           /* number in the solver; -1: the next column of the same layer */
    uint8_t way;            /* 0, 1: ordinary along x, y; 2: loose */
    uint8_t axis;
    bool jet;      /* faster than liquid under a free surface would leave: full up to where it leaves */
    bool tree;     /* takes what others leave, so that a column's transfers are even */
    float drop;    /* m, how much lower b counts */
    float height;  /* m, of its cross-section; 0: closed */
    float gain;    /* m^2/s */
    float flux;    /* m^3/s from a to b */
    float was;     /* and before this substep */
    int64_t moved; /* quanta from a to b in this substep */
} rn_duct;

/* A flooded column of a passage. */
typedef struct rn_node {
    int32_t slot;
    int32_t parent; /* the duct it was found through; -1: it was the first */
    int64_t fill;   /* quanta that it is to gain in this substep, until it is full */
} rn_node;

/* A column with a free surface at the end of ducts. */
typedef struct rn_gate {
    int32_t slot;
    bool sink;
    int64_t in, out;  /* quanta through all of its ducts */
    float take, give; /* shares of those that it can */
} rn_gate;

typedef struct rn_passage {
    int32_t nodes, node_end, ducts, duct_end;
    float share; /* of its transfers that is left, where gates cannot give or take all */
} rn_passage;

typedef struct rn_flood {
    rn_passages method;
    void *nodes, *ducts, *gates, *passages; /* rn_node and so on; of one passage next to each other */
    size_t node_count, node_capacity, duct_count, duct_capacity, gate_count, gate_capacity, passage_count,
        passage_capacity;
    void *flooded, *found; /* int32_t, slots in order: those that the lists are for, and those there are now */
    size_t flooded_count, flooded_capacity, found_count, found_capacity;
    int32_t *place; /* by slot: 1 + node, -1 - gate, 0 neither */
    size_t place_capacity;
    int64_t *even; /* by node, quanta that have come in so far */
    size_t even_capacity;
    uint32_t shape;
    int most;          /* iterations */
    int iterations;    /* most since last asked */
    bool failed;       /* the solve of this substep did not converge, and ducts are closed */
    uint64_t failures; /* so far */
    float residual;    /* m, when it failed first */
    rn_multigrid grid;
} rn_flood;

void rn_flood_free(rn_flood *flood, const rn_hooks *hooks);
size_t rn_flood_bytes(const rn_flood *flood);

enum { RN_HELD = 2 }; /* beside the 1 of a pipe's flag, while ordinary pipes find their fluxes: it is a duct now */

/* The passages of a substep, in order: what is flooded now; before and after ordinary pipes find their fluxes; once
   those are limited; and once depths have changed. */
rn_result rn_flood_find(rn_flood *flood, rn_state *s);
void rn_flood_hold(rn_flood *flood, rn_state *s);
void rn_flood_drive(rn_flood *flood, rn_state *s, const rn_law *law, rn_pool *pool);
/* After a state has been read from elsewhere. */
rn_result rn_flood_restored(rn_flood *flood, rn_state *s);

/* The implicit step's share of the same: a first guess at the heads of columns that have filled up; the columns that
   its solve has left full, their fluxes and transfers as pipes have them now, and less of those where a gate cannot
   give or take them. */
rn_result rn_flood_greet(rn_flood *flood, rn_state *s);
rn_result rn_flood_list(rn_flood *flood, rn_state *s, const uint8_t *kinds, uint8_t full);
void rn_flood_take(rn_flood *flood, rn_state *s, const rn_law *law);
void rn_flood_release(const rn_flood *flood, rn_state *s);
void rn_flood_repair(rn_flood *flood, rn_state *s, const rn_law *law, const float *give, const float *take);
void rn_flood_stop(rn_flood *flood, rn_state *s);
void rn_flood_press(rn_state *s);
void rn_flood_move(rn_flood *flood, rn_state *s, const rn_law *law, rn_peak *peak);
void rn_flood_end(const rn_flood *flood, rn_state *s);

#endif
