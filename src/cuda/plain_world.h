/* What is known of a plain world during a job: for its tiles, for all blocks, and for each block (cuda/plain_step.h).
 */
#ifndef RN_CUDA_PLAIN_WORLD_H
#define RN_CUDA_PLAIN_WORLD_H

#include "solver/face_sweeps.h"

/* Pieces of a tile, along x and in all. */
enum { RN_PLAIN_ACROSS = RN_TILE_X / RN_PIECE_X, RN_PLAIN_PARTS = RN_PLAIN_ACROSS * (RN_TILE_Y / RN_PIECE_Y) };

/* What is known of a tile between two substeps. */
typedef struct rn_plain_rest {
    float deepest, height; /* m; as in rn_tile */
    int rest;              /* as in rn_tile, like the next two */
    bool looked, level;
} rn_plain_rest;

/* A tile during a job. */
typedef struct rn_plain_tile {
    rn_plain_rest at[2]; /* before and after substeps, in turn */
    int x, y, layer;     /* its place, in tiles; and its columns: */
    int32_t first;       /* slot */
    int columns, rows;
    rn_face_kind kind; /* the cases of its faces and of those around it, far from the lid and from edges */
    float highest;     /* m, highest base of the tile and those around it */
    float headroom;    /* m, as in rn_tile */
    bool any;          /* it has columns */
    bool touched;      /* from outside, before the job */
    bool awake;        /* takes part in this substep */
    bool flows;        /* some face carries something in this substep */
    float moved;       /* m, greatest depth after the last transfers, without what sources added */
    int limited;       /* 1: some column would run dry, 2: over, 3: both */
} rn_plain_tile;

/* What all blocks share. */
typedef struct rn_plain {
    rn_plain_tile *tiles;
    uint8_t *pieces;       /* the cases of each piece of a tile in this substep; 0: it rests */
    rn_face_maxima *found; /* what each block has found, for substeps of odd and even number */
    int limited[3];        /* the union of rn_plain_tile.limited, for three substeps in turn */
    bool linked;           /* the world is linked; the next three are used only then: */
    bool watches;          /* columns may be full to their ceilings */
    int full;              /* 1: one is, which only the general program can handle; the job's results are void */
    int64_t left;          /* quanta that have left through sinks */
} rn_plain;

/* What the lanes of a block share. */
typedef struct rn_plain_block {
    uint32_t count;     /* substeps of this job so far */
    bool retimed;       /* tiles came to rest under other parameters */
    rn_face_maxima all; /* of the last substep, of all blocks */
    uint64_t signal;    /* its signal and that column's depth as one integer, while it is found */
    bool woken;         /* sources have acted: `moved` of tiles is known */
    float deepest;      /* m, of all tiles, at the end, without what sources added */
    int uneven;         /* levels of a tile differ */
    int full;           /* rn_plain.full in the last substep */
    float height;       /* m, greatest height of liquid at the faces of a tile */
} rn_plain_block;

/* Raises `to` to `from`, the signal as in raise_signal; transfers and flows stay. */
static inline void rn_raise_maxima(rn_face_maxima *to, const rn_face_maxima *from) {
    rn_extremes most = {.signal_speed = to->signal, .signal_depth = to->signal_depth, .signal_flow = to->signal_speed};
    raise_signal(&most, from->signal, from->signal_depth, from->signal_speed);
    to->signal = most.signal_speed, to->signal_depth = most.signal_depth, to->signal_speed = most.signal_flow;
    raise(&to->speed, from->speed);
    raise(&to->deepest, from->deepest);
}

/* A barrier of all lanes of all blocks (cuda/plain_program.c). */
void rn_all_meet(void);

#endif
