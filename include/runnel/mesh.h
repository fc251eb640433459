/* Triangles of solid ground: for a renderer, a file, or the least heights of a surface. */
#ifndef RUNNEL_MESH_H
#define RUNNEL_MESH_H

#include <runnel/surface.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The surface of a solid on a regular lattice. It is made in blocks, so that only those are made anew where the solid
   has changed; a mesh that has been updated is the same, to the bit, as one made from the start, for any number of
   threads. Triangles are seen counter-clockwise from the open side, vertices are shared, and no two triangles part at a
   common edge. docs/meshes.md has the method. */
typedef struct rn_ground_mesh rn_ground_mesh;

/* Zero means default. Give one of `terrain`, `world` and `shape`, which must outlive the mesh. */
typedef struct rn_ground_mesh_def {
    const rn_terrain *terrain; /* its solid, or where the host gave columns what they say */
    const rn_world *world;     /* what its columns say, with solids that have come and gone */
    const rn_sdf *shape; /* a shape alone; not consumed. With a world: the solid that its terrain was made of; it and
                            the world's own solids are then meshed themselves, which is finer than their columns,
                            until the ground is sculpted or set */

    rn_vec3 low, high; /* m, corners of the box to mesh; of a shape required, otherwise default the domain; of columns
                          the domain always */
    double spacing;    /* m, of the lattice; default the size of a cell; that of columns is a cell always */
    rn_quat turn;      /* of the lattice; of columns none */
    bool sharp;        /* dual contouring: keeps edges; otherwise marching cubes, whose vertices lie on the solid */
    bool closed;       /* the box has walls and a floor: a block that can be looked at from all sides */
    int threads;       /* default 1; 0: one per core, see rn_ground_mesh_default */
    rn_hooks hooks;
} rn_ground_mesh_def;

RN_API rn_ground_mesh_def rn_ground_mesh_default(void);

RN_API rn_result rn_ground_mesh_create(const rn_ground_mesh_def *def, rn_ground_mesh **mesh);
RN_API void rn_ground_mesh_destroy(rn_ground_mesh *mesh);

/* Makes anew what lies in or beside the part of the solid that has changed: the box from low to high (m). Of columns,
   and of a world with its shape, NULL and NULL finds out by itself. May be tried again if it fails. *changed may be
   NULL; true: there is a mesh to look at again. */
RN_API rn_result rn_ground_mesh_update(rn_ground_mesh *mesh, const rn_vec3 *low, const rn_vec3 *high, bool *changed);

/* Positions, normals and indices. Valid until the next update. */
RN_API rn_mesh rn_ground_mesh_read(const rn_ground_mesh *mesh);

/* Memory held (bytes), and how many of the blocks the last creation or update has made. */
RN_API size_t rn_ground_mesh_bytes(const rn_ground_mesh *mesh);
RN_API int64_t rn_ground_mesh_made(const rn_ground_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
