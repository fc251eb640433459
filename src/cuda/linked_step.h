/* What substeps of a plain world need besides its pieces (cuda/plain_step.h) if it is linked: if it has layers, open
   edges or holes, ceilings below the lid, or contact angles.

   Faces that the loops over pieces do not cover are connections, and the columns where they end are junctions
   (solver/connection_links.h). Every thread of the GPU takes connections, junctions or columns of its own, with the
   sweeps of the CPU, so nothing is listed. A world of which a passage fills up ends its job (rn_plain.full): the frame
   is then repeated by the general program, which has passages. */
#ifndef RN_CUDA_LINKED_STEP_H
#define RN_CUDA_LINKED_STEP_H

#include "cuda/plain_world.h"
#include "solver/connection_sweeps.h"

/* Whether a job is that of a linked world. Programs for others (RN_UNLINKED) have nothing of this. */
#if defined(RN_UNLINKED)
static inline bool rn_is_linked(const rn_plain *plain) { return (void)plain, false; }
#else
static inline bool rn_is_linked(const rn_plain *plain) { return plain->linked; }
#endif

/* All lanes of all blocks call these, with the same arguments. */

/* Before the first substep: readies the block's own state, and the list of connections, which has all of them. Sets
   plain->full if a column counts as full already. The lanes meet before they do anything else. */
void rn_links_begin(rn_plain *plain, const substep *step);
/* Sets speeds and transfers of connections without liquid to 0. Must be done before RN_LOOK. */
void rn_links_stop(const substep *step);
/* Finds contact heads and holds, if contact angles act. All blocks meet in it, but not at its end. */
void rn_links_contact(const substep *step);
/* Runs a pass over all junctions or connections that have liquid. *most: raised in RN_CROSSINGS, otherwise not used. */
void rn_links_pass(const substep *step, rn_connection_pass pass, rn_extremes *most);
/* Once all transfers are known, and before they are made: finds junctions that would give more than they have, or get
   more than they have room for, and marks them and their tiles. */
void rn_links_check(rn_plain *plain, const rn_plain_block *b, const substep *step);
/* Finds the shares of inflows (`in`) or outflows of such junctions, after those of pieces. */
void rn_links_shares(const substep *step, bool in);
/* Multiplies the inflows (`in`) or outflows of junctions through irregular pipes by their shares. */
void rn_links_limits(const substep *step, bool in);
/* Sets the shares of all junctions to 1. */
void rn_links_free_shares(const substep *step);
/* Once the transfers of pieces are made: makes those of irregular pipes, wakes the tiles of columns that change, and
   empties sinks, whose quanta are added to plain->left. */
void rn_links_fill(rn_plain *plain, const rn_plain_block *b, const substep *step);

/* Sets plain->full if a column of a patch is full to its ceiling, as rn_flood_find finds it. headroom: of its tile;
   deepest: its greatest depth (m). All lanes of one block call this and the next. */
void rn_links_watch(rn_plain *plain, const substep *step, const rn_patch *patch, float headroom, float deepest);
/* Sets plain->full if a column of a patch under a ceiling gets less than its inflow, as rn_flood_press finds it. Needs
   the shares of inflows. */
void rn_links_press(rn_plain *plain, const substep *step, const rn_patch *patch);

#endif
