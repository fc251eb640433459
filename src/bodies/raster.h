/* Bodies as cells see them: how much of a cell's area, and of a face's width, is solid at which height.

   Every triangle of a closed surface that looks down begins solid above it, every one that looks up ends it: added up
   over a cell, by the area that each has there, they tell exactly what share of the cell is solid at any height, for
   any shape and any number of bodies. The same holds for the lines in which triangles cross a face between two cells.
 */
#ifndef RN_BODIES_RASTER_H
#define RN_BODIES_RASTER_H

#include "base/memory.h"
#include <runnel/bodies.h>

/* The grid that bodies are seen on: cell (x, y) begins at origin + (x, y) * cell. */
typedef struct rn_raster_grid {
    double origin_x, origin_y, cell; /* m */
    int nx, ny;
} rn_raster_grid;

/* Above this height so much more of the cell's area, or of the face's width, is solid; less if negative. */
typedef struct rn_step_up {
    int32_t cell; /* y * nx + x; of a face the cell at its lower x or y */
    float height; /* m, absolute */
    float share;
} rn_step_up;

/* In the order of cells, and of heights within a cell. */
typedef struct rn_steps {
    rn_step_up *list;
    size_t count, capacity;
} rn_steps;

/* A stretch of a cell or face. */
typedef struct rn_stretch {
    float low, high; /* m, absolute */
    float share;     /* solid, above 0 to 1 */
} rn_stretch;

/* Vertices of a shape where a pose puts them: x y z, 3 * vertex_count of them (m). */
void rn_raster_place(const rn_shape *shape, rn_vec3 at, rn_quat turn, double *positions);

/* Adds the steps of a surface to those of the cells, without ordering them. */
bool rn_raster_cells(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, const rn_hooks *hooks,
                     rn_steps *steps);
/* The same for the faces towards +x (axis 0) or +y (axis 1), every step times `weight`: a sweep is several poses, each
   with its weight. */
bool rn_raster_faces(const rn_raster_grid *grid, const rn_shape *shape, const double *positions, int axis,
                     double weight, const rn_hooks *hooks, rn_steps *steps);
/* By the middle of a cell alone, as in the paper: shares are all or nothing. */
bool rn_raster_middles(const rn_raster_grid *grid, const rn_shape *shape, const double *positions,
                       const rn_hooks *hooks, rn_steps *steps);
/* Orders them. The result depends only on what was added, and in which order. */
void rn_steps_sort(rn_steps *steps, rn_step_up *scratch);
/* The stretches of one cell from its ordered steps, bottom to top, without those below `least` share: at most `most`;
   how many. Shares past 1 are 1: overlapping bodies are one. Neighbours whose shares differ by less than `alike` are
   one, and keep their volume. */
int rn_steps_stretches(const rn_step_up *steps, size_t count, float least, float alike, rn_stretch *stretches,
                       int most);

#endif
