/* The loops over a tile's columns and ordinary pipes, where a substep spends its time. They know rows and lanes, and
   nothing of tiles that rest, irregular pipes or passages. Private to the solver's own files. */
#ifndef RN_SOLVER_SWEEPS_H
#define RN_SOLVER_SWEEPS_H

#include "base/dispatch.h"
#include "base/lanes.h"
#include "solver/rows.h"

/* A rectangle of columns: a tile, or a run of them along x. */
typedef struct rn_patch {
    int32_t first;                 /* slot of the column with the least x and y */
    int columns, rows;             /* along x and y */
    bool west, east, south, north; /* an edge of the grid is there */
    int block;           /* that it begins with; not 0, or fewer columns, where the others of a tile are dry */
    bool narrow;         /* so it is */
    uint32_t lines;      /* rows to be worked on, as bits */
    uint32_t look_only;  /* of these, rows whose depths are only looked at, */
    uint32_t cannot_dry; /* that cannot run dry, */
    uint32_t restricted; /* and that have a ceiling nearby */
} rn_patch;

static inline bool rn_has_line(const rn_patch *patch, int y) { return patch->lines >> y & 1u; }

/* What a pass over a patch has found, some of it tile by tile. */
typedef struct rn_swept {
    float speed;                               /* m/s, the fastest */
    bool flows;                                /* some flux is not 0 */
    uint32_t under[RN_RUN];                    /* rows, as bits, where some column would give more than it has */
    uint32_t over[RN_RUN];                     /* or get more than it has room for */
    rn_tile_mask wet[RN_RUN];                  /* all depths above 0, or more */
    float deepest[RN_RUN], shallowest[RN_RUN]; /* m */
} rn_swept;

/* One body per instruction set; all give the same bits. */
typedef struct rn_sweeps {
    /* Fluxes and transfers of a tile's pipes by the paper's equations, as if no column could run dry or over. */
    void (*fluxes)(const substep *step, const rn_patch *patch, rn_swept *found);
    /* Depths after the transfers, and whether these are too large where a row is not safe, or is restricted. */
    void (*depths)(const substep *step, const rn_patch *patch, rn_swept *found);
    /* Only whether they are. */
    void (*check)(const substep *step, const rn_patch *patch, rn_swept *found);
    /* Depths before the transfers: to the bit, for sums of whole quanta are exact. */
    void (*undo)(const substep *step, const rn_patch *patch);
    /* Each column's share of its inflow or outflow; true if some is below 1. And all of them 1 again. */
    bool (*shares)(const substep *step, const rn_patch *patch, bool in);
    void (*free_shares)(const substep *step, const rn_patch *patch);
    /* Transfers and fluxes times these shares. */
    void (*limits)(const substep *step, const rn_patch *patch, bool in);
    /* The highest cross-section of a patch that rests, and whether it would in substeps of any length. */
    bool (*is_level)(const substep *step, const rn_patch *patch, float *height);
} rn_sweeps;

RN_ISA_TABLES(const rn_sweeps, rn_sweeps);

#endif
