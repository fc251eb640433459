/* Triangle meshes of solid ground: for a renderer, a file, or the minimum heights of a surface. */
#ifndef RUNNEL_MESH_H
#define RUNNEL_MESH_H

#include <runnel/surface.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What solid is made of: the pattern of its colour, and how it reflects. */
typedef enum rn_solid_material {
    RN_MATERIAL_PLAIN, /* one colour, and the gloss of the look */
    RN_MATERIAL_BONE,
    RN_MATERIAL_CERAMIC, /* glazed */
    RN_MATERIAL_METAL,   /* brushed */
    RN_MATERIAL_PLASTER,
    RN_MATERIAL_STONE,
    RN_MATERIAL_WOOD, /* staves along x, varnished */
    RN_MATERIALS      /* their number */
} rn_solid_material;

/* Material and colour of a part of the ground (rn_paint, rn_look). */
typedef struct rn_coat {
    rn_solid_material material;
    rn_vec3 colour; /* linear red, green, blue, 0 to 1; all 0: that of the material */
} rn_coat;

/* The most coats of a ground. */
enum { RN_MOST_COATS = 3 };

/* The surface of a solid, sampled on a regular lattice. The mesh is made in blocks, so that an update remakes only
   blocks where the solid has changed. An updated mesh is identical, to the bit, to one made from scratch, for any
   number of threads. Triangles are counter-clockwise seen from the open side, vertices are shared, and there are no
   cracks between triangles. docs/meshes.md has the method. */
typedef struct rn_ground_mesh rn_ground_mesh;

/* Zero means default. Give one of `terrain`, `world` and `shape`, which must outlive the mesh. */
typedef struct rn_ground_mesh_def {
    const rn_terrain *terrain; /* its solid, or its columns if the host gave those */
    const rn_world *world;     /* its columns, including solids that were added, moved or removed */
    const rn_sdf *shape; /* a shape alone; not consumed. With a world: the solid that its terrain was made of; the mesh
                            is then made of this shape and the world's solids, which is finer than columns, until the
                            ground is sculpted or set */

    rn_vec3 low, high; /* m, corners of the box to mesh; required for a shape alone, otherwise default the domain;
                          ignored for columns, which are meshed whole */
    double spacing;    /* m, of the lattice; default the size of a cell; always a cell for columns */
    rn_quat turn;      /* rotation of the lattice; ignored for columns */
    bool
        sharp; /* dual contouring, which keeps sharp edges; otherwise marching cubes, whose vertices lie on the solid */
    bool closed; /* adds walls and a floor at the box: a block that can be seen from all sides */
    int threads; /* default 1; 0: one per core, see rn_ground_mesh_default */
    rn_hooks hooks;
} rn_ground_mesh_def;

/* A definition with all defaults. */
RN_API rn_ground_mesh_def rn_ground_mesh_default(void);

/* Creates the mesh. On failure returns RN_INVALID, RN_MEMORY, or RN_LIMIT if the lattice is too large; then *mesh is
   NULL. */
RN_API rn_result rn_ground_mesh_create(const rn_ground_mesh_def *def, rn_ground_mesh **mesh);
/* NULL is allowed. */
RN_API void rn_ground_mesh_destroy(rn_ground_mesh *mesh);

/* Remakes the parts of the mesh where the solid has changed. Meshes of columns find all changes themselves and ignore
   the box. Those of a world with its shape find solids that moved, and are made again once its ground is sculpted or
   set. low, high (m): a box in which the shape itself has changed; both NULL: none. Returns RN_INVALID if only one is
   given, high is below low, or none is given and the mesh is of a shape without a world. Can be retried after a
   failure. Sets *changed (may be NULL) to whether any part was remade. */
RN_API rn_result rn_ground_mesh_update(rn_ground_mesh *mesh, const rn_vec3 *low, const rn_vec3 *high, bool *changed);

/* Positions, normals and indices, owned by the mesh. Valid until the next update. */
RN_API rn_mesh rn_ground_mesh_read(const rn_ground_mesh *mesh);

/* Memory held by the mesh (bytes). */
RN_API size_t rn_ground_mesh_bytes(const rn_ground_mesh *mesh);
/* The number of blocks that the last creation or update made. */
RN_API int64_t rn_ground_mesh_made(const rn_ground_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
