/* Solid that comes, moves and goes, and the ground without it. */
#ifndef RN_WORLD_SOLID_H
#define RN_WORLD_SOLID_H

#include "solver/reshaping.h"
#include "terrain/sdf.h"
#include "world/cells.h"

/* A shape that adds to the ground or cuts into it, as long as it is there. */
typedef struct rn_solid {
    rn_sdf *shape; /* mounted; NULL: removed */
    bool carve, hidden;
    rn_vec3 at; /* m */
    rn_quat turn;
    rn_cells drawn; /* where it was when the columns were last made */
    bool moved;     /* since then */
    uint64_t bends; /* how often it has been bent */
} rn_solid;

/* The solid of a world. The ground is what there is without solids: open ranges cell by cell, bottom to top, `layers`
   places each, the unused ones without room. Nothing is kept before the first change. */
typedef struct rn_solids {
    rn_column_range *ground;
    int layers;
    rn_solid *list;
    size_t count, capacity;
    bool altered;   /* the ground is not that of the terrain any more */
    uint8_t *stale; /* per cell: its columns are to be made again */
    rn_cells stale_in;
    struct rn_draft *drafts; /* room to make them in */
    rn_reshaping reshaping;
} rn_solids;

#endif
