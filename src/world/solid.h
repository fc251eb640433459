/* The stored form of solids that hosts add, move and remove, and of the ground without them. */
#ifndef RN_WORLD_SOLID_H
#define RN_WORLD_SOLID_H

#include "solver/reshaping.h"
#include "terrain/sdf.h"
#include "world/cells.h"

/* A shape that adds to the ground or cuts into it while it exists. */
typedef struct rn_solid {
    rn_sdf *shape; /* with a placement; NULL: removed */
    bool carve, hidden;
    rn_vec3 at; /* m */
    rn_quat turn;
    rn_cells drawn; /* its cells when columns were last made */
    bool moved;     /* since then */
    uint64_t bends; /* number of deformations */
} rn_solid;

/* The solid of a world. The ground is without solids: open ranges of each cell, bottom to top, `layers` entries
   each, unused ones empty. It is stored from the first change on. */
typedef struct rn_solids {
    rn_column_range *ground;
    int layers;
    rn_solid *list;
    size_t count, capacity;
    bool altered;   /* the ground differs from that of the terrain */
    uint8_t *stale; /* per cell: its columns must be made again */
    rn_cells stale_in;
    struct rn_draft *drafts; /* memory to make them in */
    rn_reshaping reshaping;
} rn_solids;

#endif
