/* The loops over a tile's columns and ordinary pipes, where a substep spends its time. They know rows and lanes, and
   nothing of tiles that rest, loose pipes or passages. Private to the solver's own files. */
#ifndef RN_SOLVER_SWEEPS_H
#define RN_SOLVER_SWEEPS_H

#include "base/bodies.h"
#include "solver/rows.h"

/* A rectangle of columns: a tile, or a run of them along x. */
typedef struct rn_patch {
    int32_t first;                 /* slot of the column with the least x and y */
    int columns, rows;             /* along x and y */
    bool west, east, south, north; /* an edge of the grid is there */
    int block;                /* that it begins with; not 0, or fewer columns, where the others of a tile are dry */
    bool narrow;              /* so it is */
    uint32_t lines;           /* rows to be worked on, as bits */
    uint32_t still;           /* of these, rows whose depths are only looked at, */
    uint32_t safe;            /* that cannot run dry, */
    uint32_t gated;           /* and that have a ceiling nearby */
    const uint32_t *left_out; /* of each block of a tile, rows that are done on their own; NULL: none are */
} rn_patch;

static inline bool rn_has_line(const rn_patch *patch, int y) { return patch->lines >> y & 1u; }

/* What the pipes of a patch have to reckon with, as bits in which rows: what they do not have costs nothing. */
typedef struct rn_kind {
    uint32_t sloped; /* beds differ */
    uint32_t gaps;   /* some neighbours have no ordinary pipe, or a fall */
    uint32_t falls;  /* some pipes are falls */
    uint32_t gated;  /* some neighbours that could touch have no pipe; or there are ceilings, or pipes that are ducts */
    bool dry;        /* some columns may be dry */
    bool calm;       /* the water may be calm enough for a simpler loop: only a guess */
    float shallowest; /* m, or less, of all columns that the pipes join */
} rn_kind;

/* What a pass over a patch has found, some of it tile by tile. */
typedef struct rn_swept {
    rn_peak peak;
    float transfer;                            /* m, and no transfer is larger */
    int wild;                                  /* blocks of rows that were thought to be calm, and are not */
    bool flows[RN_RUN];                        /* some flux is not 0 */
    uint32_t under[RN_RUN];                    /* rows, as bits, where some column would give more than it has */
    uint32_t over[RN_RUN];                     /* or get more than it has room for */
    rn_where wet[RN_RUN];                      /* all depths above 0, or more */
    float deepest[RN_RUN], shallowest[RN_RUN]; /* m */
    uint32_t deep;                             /* rows that no column of which is dry, although some may have been, */
    float deep_least;                          /* m, and how shallow the shallowest of those is */
} rn_swept;

/* One body per instruction set; all give the same bits. */
typedef struct rn_sweeps {
    /* Fluxes and transfers of all pipes, as if no column could run dry or over. */
    void (*fluxes)(const substep *step, const rn_patch *patch, rn_kind kind, rn_swept *found);
    /* Depths after the transfers, and whether these are too large where a row is not safe, or is gated. */
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
    /* Slopes of the ground, into the arrays for them. */
    void (*slopes)(const substep *step, const rn_patch *patch, bool gaps);
    /* The highest cross-section of a patch that rests, and whether it would in substeps of any length. */
    bool (*is_level)(const substep *step, const rn_patch *patch, float *height);
} rn_sweeps;

RN_BODIES(const rn_sweeps, rn_sweeps);

#endif
