/* A mesh as a solid, which may be placed again and bent. That allocates memory the first time, later only if its grid
   of faces needs more room. */
#ifndef RN_TERRAIN_MESH_SOLID_H
#define RN_TERRAIN_MESH_SOLID_H

#include "terrain/crossings.h"
#include "terrain/tree.h"

typedef struct rn_mesh_solid {
    rn_sdf node;
    rn_shell shell;         /* as it lies now */
    rn_crossings crossings; /* of a sheet: none */
    rn_tree tree;
    rn_rim rim;   /* of ground: what stays open */
    double half;  /* m, of a sheet: half its thickness */
    double floor; /* m, of ground: below this all is as it is here; else -infinity */
    rn_mesh_meaning meaning;
    bool sifted; /* the tree lacks triangles that bounded nothing when it was made */

    rn_rows transform;     /* of the host's vertices */
    uint32_t vertex_count; /* that the host gave */
    rn_placement pose;     /* that the points have on top of that */
    rn_vec3 *rest;         /* m, points without the pose; NULL: it has never had one */
    rn_vec3 *spare;        /* where the next points are worked out */
} rn_mesh_solid;

/* The mesh, if that is what a shape is; else NULL. */
rn_mesh_solid *rn_mesh_solid_of(rn_sdf *shape);
const rn_mesh_solid *rn_mesh_solid_in(const rn_sdf *shape);

/* The corners of what the tree knows by a number: faces of the shell, then two for each edge of the rim. None of them
   makes the tree divide by zero: what has no area becomes its longest side. */
void rn_mesh_corners(const rn_mesh_solid *mesh, uint32_t source, rn_vec3 to[3]);
/* Makes the tree of all of them, or of those that part solid from open. */
rn_result rn_mesh_plant(rn_mesh_solid *mesh, bool sifted, int threads);
/* After the shell's box has changed. */
void rn_mesh_bound(rn_mesh_solid *mesh);

/* Puts the points where a pose takes them from rest, and all that is made of them. False, with an error text, if memory
   ran out: it stays where it was. */
bool rn_mesh_solid_place(rn_mesh_solid *mesh, const rn_placement *pose);
/* The same with other points: x y z of the vertices that the host gave when it was made. */
rn_result rn_mesh_solid_deform(rn_mesh_solid *mesh, const float *positions, size_t vertex_count);

#endif
