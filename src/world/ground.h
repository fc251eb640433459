/* The ground that columns are made from, as open ranges of cells, and which cells are to be made anew. It knows of no
   shapes and no bodies. */
#ifndef RN_WORLD_GROUND_H
#define RN_WORLD_GROUND_H

#include "world/world.h"

/* Open ranges of a cell, bottom to top. */
typedef struct rn_gaps {
    rn_gap list[RN_MOST_LAYERS];
    int count;
    bool full; /* there would be more */
} rn_gaps;

/* Stale cells are drawn so many at a time, shared among threads. */
enum { RN_DRAWN_TOGETHER = 512 };

/* Adds a range above the others. */
void rn_gaps_add(rn_gaps *to, float base, float ceil);
void rn_gaps_begin(rn_gaps *cell, bool full);
/* Takes solid from low to high away from the open ranges. */
void rn_gaps_close(rn_gaps *cell, float low, float high);
/* Adds a range to the open ones, and joins it with those that it meets. */
void rn_gaps_open(rn_gaps *cell, float low, float high);
/* Ranges without room count as solid; a sink needs room above the datum. */
void rn_gaps_drop_narrow(const rn_state *s, rn_gaps *cell);
/* The failure for a cell that would have too many. */
rn_result rn_gaps_fail_full(const rn_world *world, int x, int y);

/* The ground of a cell, and setting it; rn_solids_keep_ground has kept it. */
void rn_ground_of(const rn_world *world, int x, int y, rn_gaps *cell);
rn_result rn_ground_set(rn_world *world, int x, int y, const rn_gaps *cell);
/* Room for so many ranges in every cell. */
rn_result rn_ground_grow(rn_world *world, int layers);
/* The columns of these cells are to be made anew. */
void rn_ground_make_stale(rn_world *world, rn_cells cells);

#endif
