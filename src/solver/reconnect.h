/* The pipes between changed cells and those around them: records the former ones, and makes their successors. */
#ifndef RN_SOLVER_RECONNECT_H
#define RN_SOLVER_RECONNECT_H

#include "solver/graph.h"
#include "solver/reshaping.h"

/* Buffers, kept from batch to batch. */
typedef struct rn_reconnection {
    struct rn_cell_pair *seams;  /* pairs of cells to join again, in order */
    struct rn_slice *slices;     /* their division among threads */
    struct rn_record *records;   /* their former pipes */
    rn_irregular *pipes;         /* their new irregular pipes, slice by slice */
    rn_irregular_list irregular; /* all irregular pipes */
    size_t seam_count, seam_capacity, slice_capacity, record_capacity, pipe_capacity;
} rn_reconnection;

/* Before columns change: finds the pipes to be made again, records them, and makes room for all pipes there can be
   afterwards. The batch must have changes. On failure returns RN_MEMORY or RN_LIMIT, with a message; then no column and
   no pipe has changed. */
rn_result rn_reconnect_begin(rn_reconnection *seams, rn_reshaping *r, rn_state *s, rn_pool *pool);
/* After columns have changed: joins the cells again, passes the fluxes on, updates rows and tiles, and raises
   r->highest and r->deepest. Returns RN_OK: rn_reconnect_begin has made room. */
rn_result rn_reconnect_finish(rn_reconnection *seams, rn_reshaping *r, rn_state *s, rn_pool *pool);
/* Frees all buffers, not `seams` itself. */
void rn_reconnect_free(rn_reconnection *seams, const rn_hooks *hooks);
size_t rn_reconnect_bytes(const rn_reconnection *seams); /* memory held */

#endif
