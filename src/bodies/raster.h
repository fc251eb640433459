/* Bodies as cells see them: how much of a cell's area, and of a face's width, is solid at which height.

   Every triangle of a closed surface that looks down begins solid above it, every one that looks up ends it: added up
   over a cell, by the area that each has there, they tell exactly what share of the cell is solid at any height, for
   any shape and any number of bodies. The same holds for the lines in which triangles cross a face between two cells.
 */
#ifndef RN_BODIES_RASTER_H
#define RN_BODIES_RASTER_H

#include "bodies/shares.h"

#include <runnel/bodies.h>

/* Vertices of a shape where a pose puts them: x y z, 3 * vertex_count of them (m). */
void rn_raster_place(const rn_shape *shape, rn_vec3 at, rn_quat turn, double *positions);

/* Adds the steps of a surface to those of the cells, without ordering them. */
bool rn_raster_cells(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, const rn_hooks *hooks,
                     rn_share_changes *steps);
/* The same for the faces towards +x (axis 0) or +y (axis 1), every step times `weight`: a sweep is several poses, each
   with its weight. */
bool rn_raster_faces(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, int axis,
                     double weight, const rn_hooks *hooks, rn_share_changes *steps);
/* By the middle of a cell alone, as in the paper: shares are all or nothing. */
bool rn_raster_middles(const rn_raster_grid *grid, const rn_shape *shape, const double *positions,
                       const rn_hooks *hooks, rn_share_changes *steps);
#endif
