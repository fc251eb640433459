/* Flooded columns: those full to their ceilings, how they are connected, and where passages end.

   Flooded columns that are joined by pipes form a passage. Every pipe that ends at a flooded column is a duct while
   that lasts, and the columns with a free surface at the other end are portals. The lists are made again only if
   other columns are flooded than before. docs/passages.md.

   The lists depend on slots alone, not on the search. Passages are in order of their lowest slots, nodes of a
   passage in order of slots, and ducts in order of the lower of their nodes and of its sides. A node's parent is the
   neighbour with the fewest ducts between it and the lowest slot; of several, the one with the lowest slot. With
   RN_PASSAGES_AXIS passages are runs along x and y, and nodes follow each other as the run goes. */
#ifndef RN_SOLVER_FLOOD_H
#define RN_SOLVER_FLOOD_H

#include "solver/multigrid.h"

typedef struct rn_duct {
    int32_t a, b;           /* slots of its columns; b lies one cell further along the axis */
    int32_t node_a, node_b; /* their node numbers, -1 for portals */
    int32_t portal;         /* its portal; -1: flooded at both ends */
    int32_t passage;        /* that it is part of */
    int32_t pipe, copy; /* slot of the ordinary pipe, and of its copy across a periodic edge (-1: none); or number of
                           the irregular pipe */
    int32_t link;       /* number in the linear solver; -1: the next column of the same layer */
    int32_t tile;       /* tile of an ordinary duct */
    rn_tile_mask spot;  /* place within the tile */
    uint8_t way;        /* 0, 1: ordinary along x, y; 2: irregular */
    uint8_t axis;
    bool again;            /* an earlier duct of this passage has the same portal */
    bool absorbs_rounding; /* takes the remainder of rounding, so that a column's transfers balance */
    float drop;            /* m, b counts this much lower */
    float height;          /* m, of its cross-section; 0: closed */
    float level;           /* m, of the portal, as it acts on this duct */
    float loss;            /* 1/s, at the portal */
    float tilt_rise;       /* m, allowance for the portal's level on a tilted table */
    float gain;            /* m^2/s */
    float flux;            /* m^3/s from a to b */
    float last_flux;       /* m^3/s, before this substep */
    int64_t moved;         /* quanta from a to b in this substep */
} rn_duct;

/* A flooded column of a passage. */
typedef struct rn_node {
    int32_t slot;
    int32_t parent; /* the duct towards the first column of its passage; -1: this is the first */
    int32_t begin,
        end; /* its ducts in `ends`: from the west, to the east, from the south, to the north, then irregular ones */
    int32_t passage;
    int32_t rank, span; /* place in a preorder of the passage's tree, counted over all nodes; nodes of its subtree */
    int64_t fill;       /* quanta that it gains in this substep, until it is full */
} rn_node;

/* A column with a free surface at the end of ducts. */
typedef struct rn_portal {
    int32_t slot;
    bool sink;
    int32_t passage;  /* the last passage that was found to lead here */
    int64_t in, out;  /* quanta through all its ducts */
    float take, give; /* shares of those that it can take and give */
} rn_portal;

typedef struct rn_passage {
    int32_t nodes, node_end, ducts, duct_end, doors;
    float share; /* of its transfers that remains, if portals cannot give or take all */

    /* During a substep, while lanes work on all passages at once: */
    bool open;                 /* liquid can pass some portal */
    bool beside;               /* a column beside a portal has been released */
    int64_t lowest_key;        /* value_key of the column that is released if none beside a portal is */
    bool flows, rests;         /* something flows; it comes to rest */
    int64_t low_key, high_key; /* level_key of the lowest level of its portals, and that of the highest one, negated */
    int64_t fill;              /* quanta that its columns are to gain */
    int64_t in, out;           /* quanta through its portals */
    int64_t before;            /* as `in`, before limits */
    int64_t left;              /* inflow less outflow and fill */
    int64_t all;               /* sum of the sizes of its flows, in fixed point */
    uint64_t best_key; /* the portal whose flow is reduced next: quanta << 32 | INT32_MAX - its place in `doors` */
    uint64_t largest;  /* quanta through a duct */
    bool limited, short_of;
} rn_passage;

typedef struct rn_flood {
    rn_passages method; /* of explicit steps */
    bool implicit;      /* the implicit step solves for all columns instead */
    rn_node *nodes;     /* those of a passage are consecutive, and so are its ducts */
    rn_duct *ducts;
    rn_portal *portals;
    rn_passage *passages;
    size_t node_count, node_capacity, duct_count, duct_capacity, portal_count, portal_capacity, passage_count,
        passage_capacity;
    size_t reserved_columns, reserved_ducts; /* for which all lists have room */
    int32_t *flooded, *found;                /* slots in order: those of the lists, and those found now */
    size_t flooded_count, flooded_capacity, found_count, found_capacity;
    int32_t *place; /* by slot: 1 + node, -1 - portal, 0 neither */
    size_t place_capacity;
    int32_t *doors; /* the ducts with portals, in order */
    size_t door_count, door_capacity;
    int64_t *net_inflow; /* by rank of nodes, quanta that come in; at other times offers of heads, or ranks */
    size_t net_inflow_capacity;
    int64_t *sums; /* running sums over doors or nodes */
    size_t sum_capacity;
    int32_t *order; /* nodes, those of a passage consecutive, parents before children */
    size_t order_capacity;
    int32_t *ends; /* ends of ducts, by node: twice the duct, plus 1 if the node is its b */
    size_t end_count, end_capacity;
    int32_t *depth, *label; /* by index in `found`, during the search: distance in ducts from the first, and passage */
    size_t depth_capacity, label_capacity;
    int32_t *numbers; /* by irregular pipe: its link in the linear solver */
    size_t number_capacity;
    int32_t *parts, *blocks; /* rows of tiles, and blocks of their columns, that may have flooded columns */
    size_t part_capacity, block_capacity;
    int32_t offered;  /* columns that a head is offered to in this round */
    uint32_t listing; /* how often the lists have been made */
    uint32_t strips;  /* the listing that the strips of the linear solver are for */
    uint32_t shape;   /* of the columns that the lists were made for */
    uint32_t counted; /* shape of the columns for which the next two hold; 0: of none */
    size_t roofed_columns,
        roofed_pipes;  /* columns that could be flooded, and about as many pipes that could be ducts */
    bool restored;     /* the state was replaced: heads may not match the lists */
    int most;          /* most iterations of a solve */
    int iterations;    /* most since last read */
    bool differs;      /* other columns are flooded than those of the lists */
    bool newly;        /* some full column has no head yet (rn_flood_is_new) */
    bool missed;       /* memory ran out while columns were found */
    bool failed;       /* the solve of this substep did not converge, and ducts are closed */
    uint64_t failures; /* failed solves so far */
    float residual;    /* m, at the first failure */
    rn_multigrid grid;
} rn_flood;

#define RN_STILL_FULL 64.0f /* quanta of room up to which a flooded column stays flooded */

/* Whether a column is full to its ceiling, not to the lid: up to RN_FULL quanta of room, or RN_STILL_FULL with a
   head. */
static inline bool rn_flood_is_full(const rn_state *s, int32_t slot) {
    if (!rn_column_is_roofed(&s->columns, slot)) return false;
    const bool was = s->graph.headed && s->graph.head[slot] > 0.0f;
    return rn_column_room(&s->columns, slot) <= (was ? RN_STILL_FULL : RN_FULL) * s->columns.quantum;
}

/* Frees all lists and the linear solver, not `flood` itself. */
void rn_flood_free(rn_flood *flood, const rn_hooks *hooks);
/* Memory held (bytes), the linear solver included. */
size_t rn_flood_bytes(const rn_flood *flood);

/* Allocates memory for all that could be flooded, unless that would be more than 48 MiB. *enough: rn_flood_find will
   not ask for more, however much is flooded. Returns RN_MEMORY, with a message, if memory runs out; then a part may
   have been allocated. */
rn_result rn_flood_prepare(rn_flood *flood, rn_state *state, bool *enough);
/* Finds the flooded columns and writes their slots to `found`, in order; sets `differs`. Clears marks in heads as
   rn_flood_find does. Returns RN_MEMORY, with a message, if memory runs out; then `found` is empty. */
rn_result rn_flood_look(rn_flood *flood, rn_state *s);
/* Finds the flooded columns; clears RN_HEAD_PRESSED, and RN_HEAD_GONE of full columns. Makes the lists again if other
   columns are flooded than before or the shapes of columns have changed; heads of columns that are no longer full are
   cleared then. Returns RN_MEMORY, with a message, if memory runs out; then the lists are empty, or still those of
   before if there was no memory to find the columns. Does nothing with RN_PASSAGES_NONE. */
rn_result rn_flood_find(rn_flood *flood, rn_state *s);
/* Creates the lists for columns that the caller has found full: those with kinds[slot] == full that are wet and whose
   ceiling is not the lid. Does nothing if these are the same as before. Returns RN_MEMORY, with a message, if memory
   runs out; the lists are then as after a failure of rn_flood_find. */
rn_result rn_flood_list(rn_flood *flood, rn_state *s, const uint8_t *kinds, uint8_t full);
/* Whether some full columns under ceilings have no head yet (0). Needs heads. */
bool rn_flood_is_new(rn_flood *flood, rn_state *s);
/* After inflows were limited: gives RN_HEAD_PRESSED to columns under ceilings whose inflow was cut for lack of room and
   that are neither full nor have a head, so that they count as full, and marks their rows as pressed. Examines the
   first `tiles` tiles of tile_list. Does nothing without heads. */
void rn_flood_press(rn_state *s, int32_t tiles);
/* After a state has been restored: heads may not match the lists, which the next rn_flood_find makes again. */
void rn_flood_restored(rn_flood *flood, rn_state *s);

#endif
