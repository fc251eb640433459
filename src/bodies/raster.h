/* Rasterises bodies: the share of a cell's area, and of a face's width, that is solid at each height.

   Every triangle of a closed surface that faces down begins solid above it, and every one that faces up ends it.
   Summed over a cell, weighted by their area there, they give the exact solid share at any height, for any shape and
   any number of bodies. The same holds for the lines in which triangles cross a face between two cells. */
#ifndef RN_BODIES_RASTER_H
#define RN_BODIES_RASTER_H

#include "bodies/shares.h"

#include <runnel/bodies.h>

/* Writes the vertices of a shape, rotated by `turn` and then moved to `at` (m): x y z, 3 * vertex_count values (m). */
void rn_raster_place(const rn_shape *shape, rn_vec3 at, rn_quat turn, double *positions);

/* Adds the changes of solid share that a surface, with its vertices at `positions` (m), makes in cells to `steps`,
   unsorted; parts beyond the grid are left out. hooks NULL: memory from libc. Returns false, with a message, if memory
   runs out; then some changes may have been added. */
bool rn_raster_cells(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, const rn_hooks *hooks,
                     rn_share_changes *steps);
/* Adds the changes of solid share that a surface makes in the faces of cells towards +x (axis 0) or +y (axis 1) to
   `steps`, unsorted, each multiplied by `weight`: a sweep is a weighted sum over several poses. Other arguments and
   failure as for rn_raster_cells. */
bool rn_raster_faces(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, int axis,
                     double weight, const rn_hooks *hooks, rn_share_changes *steps);
/* Adds the changes of solid share along the vertical line through the centre of each cell, as in the paper: a cell is
   solid or open, and each change is 1 or -1. Arguments and failure as for rn_raster_cells. */
bool rn_raster_middles(const rn_raster_grid *grid, const rn_shape *shape, const double *positions,
                       const rn_hooks *hooks, rn_share_changes *steps);
#endif
