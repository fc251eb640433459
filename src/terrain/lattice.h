/* Solid as a mesher sees it: values on the nodes of a lattice, and where its edges pass the surface. */
#ifndef RN_TERRAIN_LATTICE_H
#define RN_TERRAIN_LATTICE_H

#include "terrain/sdf.h"

typedef struct rn_lattice rn_lattice;

typedef struct rn_lattice_class {
    /* At a node; solid where it is 0 or less. Its size only tells near from far. */
    double (*value)(const rn_lattice *self, const int node[3]);
    /* False only if all nodes from low to high, and all between them, are solid or all are open. */
    bool (*may_cross)(const rn_lattice *self, const int low[3], const int high[3]);
    /* From lattice coordinates, in which nodes are whole numbers, to metres; affine within a cell. */
    rn_vec3 (*place)(const rn_lattice *self, const double at[3]);
    /* Where on the edge from a node along an axis the surface is, as a share; the values at its ends are known. */
    double (*crossing)(const rn_lattice *self, const int node[3], int axis, float from, float to);
    /* The unit normal there, towards the open. */
    rn_vec3 (*normal)(const rn_lattice *self, const int node[3], int axis, double along);
} rn_lattice_class;

struct rn_lattice {
    const rn_lattice_class *type;
    int nodes[3];
    double low[3], high[3]; /* lattice coordinates that vertices inside cells are kept within */
    bool closed;            /* nothing is solid outside of the box */
    rn_box box;             /* m */
    double spacing;         /* m, about the length of an edge */
};

/* Crossings are kept this far from nodes, so that no triangle shrinks to a point. */
#define RN_LATTICE_LEAST 1e-3

/* Keeps a crossing, as a share of its edge, away from both ends. */
static inline double rn_lattice_keep(double along) {
    return along < RN_LATTICE_LEAST ? RN_LATTICE_LEAST : along > 1 - RN_LATTICE_LEAST ? 1 - RN_LATTICE_LEAST : along;
}

/* How far a point is outside of a box, negative inside: the greatest over its six faces, and the outward normal of that
   face. */
double rn_box_outside(const rn_box *box, rn_vec3 at, rn_vec3 *normal);

/* ---- A shape --------------------------------------------------------------------------------------------------- */

typedef struct rn_sdf_lattice {
    rn_lattice head;
    const rn_sdf *shape;
    double turn[3][3];
    rn_vec3 origin; /* m, of node (0, 0, 0) */
} rn_sdf_lattice;

/* Covers the box with nodes `spacing` apart, turned about its middle. `margin`: cells beyond the box. */
rn_sdf_lattice rn_sdf_lattice_make(const rn_sdf *shape, const rn_box *box, double spacing, rn_quat turn, bool closed,
                                   int margin);

/* ---- Columns --------------------------------------------------------------------------------------------------- */

enum { RN_MOST_OPEN = 64 };

/* The open ranges of a cell (m), bottom to top, at most RN_MOST_OPEN; -INFINITY where a hole goes on down and INFINITY
   where nothing but the lid is above. */
typedef int (*rn_open_ranges)(const void *source, int x, int y, rn_interval *open);

/* A node over the middle of every cell, and a row of them along the rim of the grid that repeats its cells. */
typedef struct rn_column_lattice {
    rn_lattice head;
    const void *source;
    rn_open_ranges open;
    int cells_x, cells_y;
    int margin; /* nodes beyond the rim: 1 if closed or sharp */
    double cell, origin_x, origin_y;
    double bottom; /* m, of node 0 */
} rn_column_lattice;

rn_column_lattice rn_column_lattice_make(const void *source, rn_open_ranges open, int cells_x, int cells_y, double cell,
                                         double origin_x, double origin_y, double bottom, double top, bool closed,
                                         int margin);

#endif
