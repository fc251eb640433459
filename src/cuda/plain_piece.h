/* The passes of a substep over one piece of a plain world (cuda/plain_step.h), by all threads of a block. They do what
   the sweeps of solver/face_sweeps.c do, with the same kernels and the same bits, but in
   the order that suits a GPU: a block copies a piece and its surroundings into its own memory once, and a thread has
   one column at a time. */
#ifndef RN_CUDA_PLAIN_PIECE_H
#define RN_CUDA_PLAIN_PIECE_H

#include "cuda/machine.h"
#include "solver/face_sweeps.h"

enum { RN_BLOCK_BYTES = 7 * 1024 };                    /* of a block's memory, before that of pieces */
enum { RN_PLAIN_SHARED = RN_BLOCK_BYTES + 67 * 1024 }; /* of a block's memory in a plain world: several fit */

enum { RN_LINKED_SHARED = RN_PLAIN_SHARED + 4 * 1024 }; /* in a linked one */

/* The substep of a block, in its own memory. */
typedef struct rn_piece_step {
    RN_SHARED const rn_state *s;
    RN_SHARED const rn_step_params *params;
} rn_piece_step;

/* Finds the next speeds of the faces of a piece (graph.next_x, next_y) from the speeds and the last transfers; and
   wedge and wedge_part of its columns. All threads of a block that work on columns call this and rn_piece_cross with
   the same arguments. `patch`: at most RN_PIECE_X by RN_PIECE_Y columns. When they return, other threads may still be
   at work. */
void rn_piece_kick(const rn_piece_step *step, const rn_patch *patch, rn_face_kind kind);
/* Finds transfers and the speeds to keep of the faces of a piece, from the next speeds. Needs the wedges of its
   columns. Sets *found to what this thread has found, except `transfer`, which is 0. */
void rn_piece_cross(const rn_piece_step *step, const rn_patch *patch, rn_face_kind kind, rn_face_maxima *found);

#endif
