/* The pipes between changed cells and those around them: what they were, and what takes their place. */
#ifndef RN_SOLVER_RECONNECT_H
#define RN_SOLVER_RECONNECT_H

#include "solver/graph.h"
#include "solver/reshaping.h"

/* The buffers are kept from batch to batch. */
typedef struct rn_reconnection {
    struct rn_cell_pair *seams;  /* pairs of cells to join again, in order, */
    struct rn_slice *slices;     /* as the threads share them, */
    struct rn_record *records;   /* and their pipes as they were */
    rn_irregular *pipes;         /* their irregular pipes as they are now, slice by slice */
    rn_irregular_list irregular; /* all irregular pipes */
    size_t seam_count, seam_capacity, slice_capacity, record_capacity, pipe_capacity;
} rn_reconnection;

/* Before columns change: finds the pipes that are to be made again, keeps them as they are, and makes room for all that
   there can be afterwards. On failure nothing has changed. */
rn_result rn_reconnect_begin(rn_reconnection *seams, rn_reshaping *r, rn_state *s, rn_pool *pool);
/* Afterwards: joins the cells again, and hands the fluxes down. */
rn_result rn_reconnect_finish(rn_reconnection *seams, rn_reshaping *r, rn_state *s, rn_pool *pool);
void rn_reconnect_free(rn_reconnection *seams, const rn_hooks *hooks);
size_t rn_reconnect_bytes(const rn_reconnection *seams); /* memory held */

#endif
