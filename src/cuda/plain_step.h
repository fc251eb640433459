/* Substeps of a plain world, by all lanes of all blocks together.

   A world is plain if its liquid only flows between neighbours of one layer, with momentum: it has no irregular pipes,
   passages, periodic edges or contact angles (is_plain in cuda/entry.c). It is linked if it also has layers, open
   edges, ceilings or contact angles, but no passage is full (is_linked there; cuda/linked_step.h). A substep of a
   plain world is three passes with a barrier of all blocks after each (cuda/plain_piece.h has what a block does in a
   pass); linked worlds have more. Every block has a thread that runs the time loop (cuda/plain_program.c). Others take
   the longer way of cuda/device.c. */
#ifndef RN_CUDA_PLAIN_STEP_H
#define RN_CUDA_PLAIN_STEP_H

#include "cuda/plain_piece.h"
#include "cuda/plain_world.h"

/* All lanes of all blocks call these, with the same arguments. Begin: before the first substep of a job; finds the
   shapes of tiles that have changed. Find: speeds and transfers of a substep, also with `near`, the same substep;
   b->all is what it found, from which the next substep's length follows. Move: makes these transfers. Wake: wakes the
   tiles whose columns sources have changed since. Dilute: slows the faces beside columns that sources have filled;
   forget, after all have met: clears what was added. End: after the last substep; leaves the tiles as the CPU's
   substeps need them, and the greatest depth (m) in b->deepest. */
void rn_plain_begin(rn_plain *plain, rn_plain_block *b, const substep *step);
void rn_plain_find(rn_plain *plain, rn_plain_block *b, const substep *step, const rn_piece_step *near);
void rn_plain_move(rn_plain *plain, rn_plain_block *b, const substep *step);
void rn_plain_wake(rn_plain *plain, rn_plain_block *b, const substep *step);
void rn_plain_dilute(const substep *step);
void rn_plain_forget(const substep *step);
void rn_plain_end(rn_plain *plain, rn_plain_block *b, const substep *step);

#endif
