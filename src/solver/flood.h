/* What is flooded: columns full to their ceilings, how they hang together, and where they end.

   Flooded columns that are joined by pipes form a passage. Every pipe that ends at one is a duct, as long as that
   lasts, and the columns with a free surface at the other end are portals. The lists are made again only where other
   columns are flooded than before. docs/passages.md.

   The lists follow from slots alone, not from how they were searched. Passages are in order of their least slots, nodes
   of a passage in order of slots, and ducts in order of the lesser node that they end at and of its sides. A node's
   parent is its neighbour with the fewest ducts between it and the least slot, of several the one with the least slot.
   With RN_PASSAGES_AXIS passages are runs along x and y, and nodes follow each other as the run goes. */
#ifndef RN_SOLVER_FLOOD_H
#define RN_SOLVER_FLOOD_H

#include "solver/multigrid.h"

typedef struct rn_duct {
    int32_t a, b;           /* slots of its columns; b lies one cell further along the axis */
    int32_t node_a, node_b; /* their places among the nodes, -1 for portals */
    int32_t portal;         /* which one leads out here; -1: flooded at both ends */
    int32_t pipe, copy; /* slot of the ordinary pipe that it is, and of its other copy over a periodic edge, -1 if it
                           has none; or number of the irregular one */
    int32_t link;       /* number in the solver; -1: the next column of the same layer */
    int32_t tile;       /* that an ordinary one belongs to, */
    rn_tile_mask spot;  /* and where there */
    uint8_t way;        /* 0, 1: ordinary along x, y; 2: irregular */
    uint8_t axis;
    bool again;            /* its portal has had another duct of this passage before */
    bool absorbs_rounding; /* takes what others leave, so that a column's transfers are even */
    float drop;            /* m, how much lower b counts */
    float height;          /* m, of its cross-section; 0: closed */
    float level;           /* m, of the portal as this duct feels it */
    float loss;            /* 1/s, at the portal */
    float tilt_rise;       /* m, how much higher the portal may stand on a tilted table */
    float gain;            /* m^2/s */
    float flux;            /* m^3/s from a to b */
    float last_flux;       /* and before this substep */
    int64_t moved;         /* quanta from a to b in this substep */
} rn_duct;

/* A flooded column of a passage. */
typedef struct rn_node {
    int32_t slot;
    int32_t parent; /* the duct towards the first column of its passage; -1: it is that */
    int32_t begin,
        end; /* its ducts in `ends`: from the west, to the east, from the south, to the north, then irregular ones */
    int64_t fill; /* quanta that it is to gain in this substep, until it is full */
} rn_node;

/* A column with a free surface at the end of ducts. */
typedef struct rn_portal {
    int32_t slot;
    bool sink;
    int32_t passage;  /* the last that was found to lead here */
    int64_t in, out;  /* quanta through all of its ducts */
    float take, give; /* shares of those that it can */
} rn_portal;

typedef struct rn_passage {
    int32_t nodes, node_end, ducts, duct_end;
    float share; /* of its transfers that is left, where portals cannot give or take all */
} rn_passage;

typedef struct rn_flood {
    rn_passages method; /* of explicit steps */
    bool implicit;      /* the implicit step solves for all columns instead */
    rn_node *nodes;     /* of one passage next to each other, and so are */
    rn_duct *ducts;
    rn_portal *portals;
    rn_passage *passages;
    size_t node_count, node_capacity, duct_count, duct_capacity, portal_count, portal_capacity, passage_count,
        passage_capacity;
    int32_t *flooded, *found; /* slots in order: those that the lists are for, and those there are now */
    size_t flooded_count, flooded_capacity, found_count, found_capacity;
    int32_t *place; /* by slot: 1 + node, -1 - portal, 0 neither */
    size_t place_capacity;
    int64_t *net_inflow; /* by node, quanta that have come in so far */
    size_t net_inflow_capacity;
    int32_t *order; /* nodes, of one passage next to each other: no parent comes after its children */
    size_t order_capacity;
    int32_t *ends; /* of ducts, by node: twice the duct, and 1 more where the node is its b */
    size_t end_count, end_capacity;
    int32_t *depth, *label; /* by place in `found`, while passages are searched: ducts from the first, and which one */
    size_t depth_capacity, label_capacity;
    int32_t *numbers; /* by irregular pipe: of its link in the solver */
    size_t number_capacity;
    uint32_t shape;    /* what the lists were made for */
    bool restored;     /* the state is another one: heads may be where the lists do not know */
    int most;          /* iterations */
    int iterations;    /* most since last asked */
    bool failed;       /* the solve of this substep did not converge, and ducts are closed */
    uint64_t failures; /* so far */
    float residual;    /* m, when it failed first */
    rn_multigrid grid;
} rn_flood;

void rn_flood_free(rn_flood *flood, const rn_hooks *hooks);
size_t rn_flood_bytes(const rn_flood *flood);

/* Finds what is flooded now, and makes the lists. */
rn_result rn_flood_find(rn_flood *flood, rn_state *s);
/* The same for columns that someone else has found to be full: those of one kind, by slot. */
rn_result rn_flood_list(rn_flood *flood, rn_state *s, const uint8_t *kinds, uint8_t full);
/* Some columns are full that have no head yet. */
bool rn_flood_is_new(const rn_state *s);
/* After inflows were limited: marks the columns that are as good as full. */
void rn_flood_press(rn_state *s, int32_t tiles);
/* After a state has been read from elsewhere. */
void rn_flood_restored(rn_flood *flood, rn_state *s);

#endif
