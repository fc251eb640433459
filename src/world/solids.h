/* Solid that comes, moves and goes, and the ground without it. */
#ifndef RN_WORLD_SOLIDS_H
#define RN_WORLD_SOLIDS_H

#include "solver/archive.h"
#include "solver/reshaping.h"
#include "terrain/sdf.h"
#include "world/cells.h"

/* A shape that adds to the ground or cuts into it, as long as it is there. */
typedef struct rn_solid {
    rn_sdf *shape; /* mounted; NULL: removed */
    bool carve, hidden;
    rn_vec3 at, turn; /* m, degrees */
    rn_cells drawn;   /* where it was when the columns were last made */
    bool moved;       /* since then */
    uint64_t bends;   /* how often it has been bent */
} rn_solid;

/* The solid of a world. The ground is what there is without solids: open ranges cell by cell, bottom to top, `layers`
   places each, the unused ones without room. Nothing is kept before the first change. */
typedef struct rn_solids {
    rn_range *ground;
    int layers;
    rn_solid *list;
    size_t count, capacity;
    bool altered;   /* the ground is not that of the terrain any more */
    uint8_t *stale; /* per cell: its columns are to be made anew */
    rn_cells stale_in;
    struct rn_draft *drafts; /* room to make them in */
    rn_reshaping reshaping;
} rn_solids;

struct rn_world;

/* For a state to be read: room for the ground in so many layers (0: none is kept), and none but the first solids. */
rn_result rn_solids_keep(struct rn_world *world, int layers, size_t count);
/* Brings the number of columns up to date with the last batch of changes. */
void rn_solids_count(struct rn_world *world);
/* Keeps the ground as it is now to make columns from, and says that those of a cell have changed. */
rn_result rn_solids_keep_ground(struct rn_world *world);
void rn_solids_touch(struct rn_world *world, int x, int y);
/* Carries out the changes of solid asked for so far. */
rn_result rn_solids_apply(struct rn_world *world);
void rn_solids_free(struct rn_world *world);
size_t rn_solids_bytes(const struct rn_world *world);
/* The open ranges of a cell without bodies, bottom to top, into room for RN_MOST_LAYERS; how many. */
int rn_solids_gaps(const struct rn_world *world, int x, int y, rn_range *gaps);
rn_result rn_solids_archive(struct rn_world *world, rn_archive *a);

#endif
