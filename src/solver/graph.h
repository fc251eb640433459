/* Builds slots, pipes and falls from the columns of a terrain. */
#ifndef RN_SOLVER_GRAPH_H
#define RN_SOLVER_GRAPH_H

#include "solver/state.h"

typedef struct rn_graph_def {
    rn_columns_def columns;
    bool heads;
    bool momentum; /* faces have speeds */
    bool implicit; /* pressure is solved for */
    bool contact;  /* contact angles act */
    int workers;
} rn_graph_def;

/* Allocates every array of the state and fills in columns, pipes (the connections between columns) and the rim (the
   columns around the grid); every column starts dry. The state must be zeroed. On failure returns RN_INVALID, RN_LIMIT
   or RN_MEMORY, with a message; the caller must then still call rn_graph_free. */
rn_result rn_graph_build(const rn_graph_def *def, rn_state *s);
/* Frees all arrays of the state, columns included, not `state` itself. */
void rn_graph_free(rn_state *state);
size_t rn_graph_bytes(const rn_state *state); /* memory held */

/* Makes room for `layers` layers in total, the new ones empty; does nothing if there are as many. Slots keep their
   numbers, but the arrays move, columns get a new shape number, and all tiles are examined again. On failure returns
   RN_MEMORY, or RN_LIMIT above RN_MOST_LAYERS, with a message and nothing changed. */
rn_result rn_graph_grow(rn_state *state, int layers);

/* The irregular pipes of a column, or NULL if it has none. */
static inline const rn_junction *rn_junction_of(const rn_state *s, int32_t slot) {
    return s->graph.junction_of[slot] ? &s->graph.junctions[s->graph.junction_of[slot] - 1] : NULL;
}

/* ---- Steps of building, for columns that change while there is liquid (solver/reconnect.c) --------------- */

/* Two columns of neighbouring cells whose open ranges overlap: b lies one cell further along the axis. */
typedef struct rn_pair {
    int32_t a, b;
    int axis;
    float drop; /* m, b counts this much lower */
    bool same_layer;
} rn_pair;

/* Lists all pairs of a cell with the next one along an axis, which counts `drop` (m) lower, in order of layers: at most
   2 * RN_MOST_LAYERS. Cells are given by their slots of layer 0. Pairs of two sinks and false windows (solver/shells.h)
   are skipped. Returns the number of pairs. */
int rn_graph_pairs(const rn_state *s, int32_t cell, int32_t next, float drop, int axis, rn_pair *pairs);

typedef struct rn_irregular {
    int32_t a, b, owner;
    float drop, flux;
    uint8_t axis, kind;
    float low, high, shut, speed; /* as in the arrays of these names */
    float flow, move;             /* m/s and m: irregular_speed and irregular_transfer */
} rn_irregular;

typedef struct rn_irregular_list {
    rn_irregular *pipes;
    size_t count, capacity;
    bool failed; /* out of memory */
} rn_irregular_list;

/* Appends an irregular pipe to a list, whose memory the caller frees; if memory runs out, sets list->failed, with an
   error text. */
void rn_irregular_add(const rn_state *s, rn_irregular_list *list, rn_irregular pipe);
/* A copy of the values of irregular pipe i, which must exist; `move` is 0 without momentum. */
rn_irregular rn_irregular_get(const rn_state *s, int32_t i);

/* Counts of ordinary pipes, and of the falls among them. */
typedef struct rn_tally {
    int64_t ordinary, falls;
} rn_tally;

/* Removes a cell's ordinary pipes, in all layers, to the next one along an axis, and subtracts them from the tally.
   `cell`: its slot of layer 0. Irregular pipes stay. */
void rn_graph_unjoin(rn_state *s, int32_t cell, int axis, rn_tally *tally);
/* Joins a pair by a pipe. An ordinary pipe is stored in the state and added to the tally (returns false); an irregular
   one is only written to *irregular, without flux and speed (returns true). Irregular are pipes between layers, into
   sinks and beside partly solid columns, and with graph.irregular_falls all falls. `owner`: as in irregular_owner. */
bool rn_graph_join(rn_state *s, const rn_pair *pair, int32_t owner, rn_tally *tally, rn_irregular *irregular);
/* Connects the edges: sinks at open edges, whose pipes are added to the list, and copies of columns and pipes at
   periodic ones. Slots next to walls get no column. Copies friction and contact angles to the rim too. Sets
   list->failed if memory runs out. */
void rn_graph_join_rim(rn_state *s, rn_irregular_list *list);
/* Makes room for `count` irregular pipes and some more, so that storing them cannot fail; those that exist are kept,
   and with momentum the connections are rebuilt. Does nothing if there is room. On failure returns RN_MEMORY, or
   RN_LIMIT above about 2^29 pipes and connections, with a message and nothing changed. */
rn_result rn_graph_reserve(rn_state *s, size_t count);
/* Replaces all irregular pipes by those of the list, rebuilds junctions, sinks and connections, and gives columns a new
   shape number. The list must be in order: first the `inner` pipes within the grid, by cell, axis and layers, then
   those that lead out over open edges. Wakes all tiles if these are the first irregular pipes. On failure returns
   RN_MEMORY or RN_LIMIT, with a message and nothing changed. Cannot fail after rn_graph_reserve if the list has not
   failed. */
rn_result rn_graph_store(rn_state *s, const rn_irregular_list *list, size_t inner);

#endif
