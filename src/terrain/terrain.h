/* The columns of a terrain in memory. */
#ifndef RN_TERRAIN_TERRAIN_H
#define RN_TERRAIN_TERRAIN_H

#include "terrain/sdf.h"

#include <runnel/terrain.h>

struct rn_terrain {
    rn_hooks hooks;
    rn_terrain_info info;
    double bottom;      /* m, where rays began; for given columns the lowest finite height */
    int32_t *first;     /* cells + 1 entries: the columns of cell i are first[i] .. first[i + 1] - 1 */
    rn_column *columns; /* cell by cell, x fastest, bottom to top */
    rn_sdf *solid;      /* NULL if the columns were given */
};

/* Fails with RN_INVALID, with a message, unless column i of a cell's list has finite heights with under < base < ceil,
   its `under` is not below the `ceil` of column i - 1, and its `ceil` is not above the lid (m). `under` of column 0 may
   be -INFINITY; base and ceil of a wall, column 0, may both be the lid. x, y: the cell, for messages. */
rn_result rn_column_check(const rn_column *list, int i, int x, int y, double lid);

/* Writes the open ranges of a terrain's cell and returns their number: an rn_open_ranges (lattice.h). A cell without
   columns is open everywhere. */
int rn_terrain_open_ranges(const void *terrain, int x, int y, rn_interval *open);

#endif
