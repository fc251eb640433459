/* Solid as input of a mesher: values at the nodes of a lattice, and where its edges cross the surface. */
#ifndef RN_TERRAIN_LATTICE_H
#define RN_TERRAIN_LATTICE_H

#include "terrain/sdf.h"

typedef struct rn_lattice rn_lattice;

typedef struct rn_lattice_class {
    /* The value at a node; solid where it is 0 or less. Its size only distinguishes near from far. */
    double (*value)(const rn_lattice *self, const int node[3]);
    /* Returns false only if everything from low to high is solid, or everything is open. */
    bool (*may_cross)(const rn_lattice *self, const int low[3], const int high[3]);
    /* From lattice coordinates, in which nodes are integers, to metres; affine within a cell. */
    rn_vec3 (*place)(const rn_lattice *self, const double at[3]);
    /* Where the surface crosses the edge from a node along an axis, as a share of the edge; `from` and `to` are the
       values at its ends. */
    double (*crossing)(const rn_lattice *self, const int node[3], int axis, float from, float to);
    /* The unit normal of the surface where it crosses the edge from a node along an axis, `along` of the edge from the
       node, pointing to the open side. */
    rn_vec3 (*normal)(const rn_lattice *self, const int node[3], int axis, double along);
} rn_lattice_class;

struct rn_lattice {
    const rn_lattice_class *type;
    int nodes[3];
    double low[3], high[3]; /* lattice coordinates to which vertices inside cells are clamped */
    bool closed;            /* nothing outside the box is solid */
    rn_box box;             /* m */
    double spacing;         /* m, approximate length of an edge */
};

/* Smallest distance of crossings from nodes, as a share of the edge, so that no triangle shrinks to a point. */
#define RN_LATTICE_LEAST 1e-3

/* Clamps a crossing, as a share of its edge, to at least RN_LATTICE_LEAST from both ends. */
static inline double rn_lattice_keep(double along) {
    return along < RN_LATTICE_LEAST ? RN_LATTICE_LEAST : along > 1 - RN_LATTICE_LEAST ? 1 - RN_LATTICE_LEAST : along;
}

/* How far (m) a point is outside of a box, negative inside: the largest over its six faces (less than the distance
   beyond edges), and the outward unit normal of that face. normal may be NULL. */
double rn_box_outside(const rn_box *box, rn_vec3 at, rn_vec3 *normal);

/* ---- A shape --------------------------------------------------------------------------------------------------- */

typedef struct rn_sdf_lattice {
    rn_lattice head;
    const rn_sdf *shape;
    double turn[3][3];
    rn_vec3 origin; /* m, position of node (0, 0, 0) */
} rn_sdf_lattice;

/* Creates a lattice that covers the box (m) with nodes `spacing` (m) apart, rotated about its centre by `turn`. closed:
   nothing outside the box is solid. margin: cells beyond the box. The shape must outlive the lattice. */
rn_sdf_lattice rn_sdf_lattice_make(const rn_sdf *shape, const rn_box *box, double spacing, rn_quat turn, bool closed,
                                   int margin);

/* ---- Columns --------------------------------------------------------------------------------------------------- */

enum { RN_MOST_OPEN = 64 };

/* Writes the open ranges of a cell (m), bottom to top, at most RN_MOST_OPEN; returns their number. -INFINITY where a
   hole continues downwards, INFINITY where only the lid is above. */
typedef int (*rn_open_ranges)(const void *source, int x, int y, rn_interval *open);

/* A node over the centre of every cell, and a row of nodes along the rim of the grid that repeats its cells. */
typedef struct rn_column_lattice {
    rn_lattice head;
    const void *source;
    rn_open_ranges open;
    int cells_x, cells_y;
    int margin; /* nodes beyond the rim: 1 if closed or sharp */
    double cell, origin_x, origin_y;
    double bottom; /* m, height of node 0 */
} rn_column_lattice;

/* Creates a lattice over cells_x by cells_y columns of `cell` m from the origin (m); bottom, top (m): range of heights.
   closed: nothing outside that box is solid. margin: nodes beyond it on every side. `source`, which `open` gets, must
   outlive the lattice. */
rn_column_lattice rn_column_lattice_make(const void *source, rn_open_ranges open, int cells_x, int cells_y, double cell,
                                         double origin_x, double origin_y, double bottom, double top, bool closed,
                                         int margin);

#endif
