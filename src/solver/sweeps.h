/* The loops over a tile's columns and ordinary pipes, which take most of a substep's time. They handle rows and
   lanes, but not tiles at rest, irregular pipes or passages. Private to the solver's own files. */
#ifndef RN_SOLVER_SWEEPS_H
#define RN_SOLVER_SWEEPS_H

#include "base/dispatch.h"
#include "base/lanes.h"
#include "solver/rows.h"

/* A rectangle of columns: a tile, or a run of them along x. */
typedef struct rn_patch {
    int32_t first;                 /* slot of the column with the lowest x and y */
    int columns, rows;             /* along x and y */
    bool west, east, south, north; /* it lies at an edge of the grid */
    int block;           /* its first block; not 0, or with fewer columns, if the other blocks of a tile are dry */
    bool narrow;         /* it covers only a part of the tile's blocks */
    uint32_t lines;      /* rows to process, as bits */
    uint32_t look_only;  /* of these, rows whose depths are only examined */
    uint32_t cannot_dry; /* rows that cannot run dry */
    uint32_t restricted; /* rows with a ceiling nearby */
} rn_patch;

/* Whether row y of a patch, counted from its first, is to be processed. */
static inline bool rn_has_line(const rn_patch *patch, int y) { return patch->lines >> y & 1u; }

/* The results of a pass over a patch, some of them tile by tile. */
typedef struct rn_swept {
    float speed;                               /* m/s, highest */
    bool flows;                                /* some flux is not 0 */
    uint32_t under[RN_RUN];                    /* bits of rows where some column would give more than it has */
    uint32_t over[RN_RUN];                     /* bits of rows where some column would get more than it has room for */
    rn_tile_mask wet[RN_RUN];                  /* where depths may be above 0 */
    float deepest[RN_RUN], shallowest[RN_RUN]; /* m */
} rn_swept;

/* The results of `move`. */
typedef struct rn_moved {
    bool under, over; /* some column has given more than it had, or got more than it has room for */
    float deepest;    /* m */
} rn_moved;

/* One body per instruction set; all give the same bits. */
typedef struct rn_sweeps {
    /* Finds fluxes and transfers of a tile's pipes by the paper's equations, as if no column could run dry or over. */
    void (*fluxes)(const substep *step, const rn_patch *patch, rn_swept *found);
    /* Makes the transfers, and finds wet places and extremes of each tile. Finds where transfers are too large, in rows
       that can run dry or are restricted. */
    void (*depths)(const substep *step, const rn_patch *patch, rn_swept *found);
    /* Makes the transfers of all rows, and finds whether some are too large, but not where; for GPUs. */
    void (*move)(const substep *step, const rn_patch *patch, rn_moved *found);
    /* Finds where transfers are too large, without making them. */
    void (*check)(const substep *step, const rn_patch *patch, rn_swept *found);
    /* Undoes the transfers of the patch: exactly, because sums of whole quanta are exact. */
    void (*undo)(const substep *step, const rn_patch *patch);
    /* Finds each column's share of its inflow (`in`) or outflow, by ordinary pipes alone. Returns true if some share is
       below 1. free_shares sets all to 1. */
    bool (*shares)(const substep *step, const rn_patch *patch, bool in);
    void (*free_shares)(const substep *step, const rn_patch *patch);
    /* Multiplies transfers and fluxes, inflows (`in`) or outflows, by the shares of their columns. With momentum,
       fluxes stay, and speeds of inflows are multiplied instead, unless columns have heads. */
    void (*limits)(const substep *step, const rn_patch *patch, bool in);
    /* Whether a patch at rest would rest for any length of substep; *height: its highest cross-section (m), 0 in the
       paper's model. */
    bool (*is_level)(const substep *step, const rn_patch *patch, float *height);
} rn_sweeps;

RN_ISA_TABLES(const rn_sweeps, rn_sweeps);

#endif
