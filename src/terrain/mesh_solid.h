/* A mesh as a solid that can be placed again and deformed. This allocates memory the first time, later only if its
   grid of faces needs more room. */
#ifndef RN_TERRAIN_MESH_SOLID_H
#define RN_TERRAIN_MESH_SOLID_H

#include "terrain/crossings.h"
#include "terrain/tree.h"

typedef struct rn_mesh_solid {
    rn_sdf node;
    rn_shell shell;         /* as it is now */
    rn_crossings crossings; /* none for a sheet */
    rn_tree tree;
    rn_rim rim;   /* for ground: the edges that stay open */
    double half;  /* m, for a sheet: half its thickness */
    double floor; /* m, for ground: below this everything is as at this height; otherwise -infinity */
    rn_mesh_meaning meaning;
    bool sifted; /* the tree lacks triangles that bounded nothing when it was made */

    rn_rows transform;     /* of the host's vertices */
    uint32_t vertex_count; /* number of vertices that the host gave */
    rn_placement pose;     /* of the points, applied after the transform */
    rn_vec3 *rest;         /* m, points without the pose; NULL: it has never had one */
    rn_vec3 *spare;        /* memory to compute the next points */
} rn_mesh_solid;

/* The shape itself as a mesh, or NULL if it is not a mesh. A pose around a mesh is not looked into. The shape must not
   be NULL. */
rn_mesh_solid *rn_mesh_solid_of(rn_sdf *shape);
/* The shape itself as a mesh that must not change, or NULL if it is not a mesh. The shape must not be NULL. */
const rn_mesh_solid *rn_mesh_solid_in(const rn_sdf *shape);

/* Fills the report as far as it is known before holes are closed and scattered triangles wrapped, which takes most of
   the time of rn_sdf_mesh: faults, open edges, parts, area, and the meaning. On failure returns RN_INVALID (the
   definition is invalid, or nothing is left of the mesh), RN_LIMIT or RN_MEMORY, with a message. */
rn_result rn_mesh_examine(const rn_mesh_solid_def *def, rn_mesh_report *report);

/* Writes the corners (m) of triangle `source` of the tree: the faces of the shell, then two for each edge of the rim of
   ground. None of them makes the tree divide by zero: a triangle without area becomes its longest side. */
void rn_mesh_corners(const rn_mesh_solid *mesh, uint32_t source, rn_vec3 to[3]);
/* Creates the tree of all triangles, or with `sifted` of those that separate solid from open (for a sheet, of those
   with an area), in place of the old one, and sets mesh->sifted if some were left out; threads: 0 for one per core. On
   failure returns RN_INVALID (none is left) or RN_MEMORY, with a message; then the old tree stays. */
rn_result rn_mesh_plant(rn_mesh_solid *mesh, bool sifted, int threads);
/* Sets the bounds of the node, and for ground the floor and the slab, from the shell's box. */
void rn_mesh_bound(rn_mesh_solid *mesh);

/* Moves the points from their rest to a pose, and updates everything made from them; does nothing if it is the present
   pose. Returns false, with an error text and nothing changed, if memory runs out. */
bool rn_mesh_solid_place(rn_mesh_solid *mesh, const rn_placement *pose);
/* Sets the points at rest from x y z of the vertices that the host gave at creation, as many, before its transform; the
   pose stays. On failure returns RN_INVALID or RN_MEMORY, with a message; then no point has changed. */
rn_result rn_mesh_solid_deform(rn_mesh_solid *mesh, const float *positions, size_t vertex_count);

#endif
