/* Shared by the readers of assimp's scenes: opens a file, and lists its nodes. Failures leave the reason in
   rn_last_error(). */
#ifndef RN_IO_ASSIMP_NODES_H
#define RN_IO_ASSIMP_NODES_H

#include <assimp/scene.h>
#include <runnel/base.h>

/* Rows that apply the transform of a node to x y z 1. */
typedef struct rn_matrix {
    double m[3][4];
} rn_matrix;

/* A node of a scene, with its transforms to its parent (`own`) and to the root. */
typedef struct rn_import_node {
    const struct aiNode *node;
    int32_t parent; /* index in the list; -1: none */
    rn_matrix own, to_root;
} rn_import_node;

/* Parents come before their children, and the first child with all its descendants before the second. */
typedef struct rn_import_nodes {
    rn_import_node *list;
    size_t count, capacity;
} rn_import_nodes;

/* The scene of a file, and how to release it. */
typedef struct rn_import {
    const struct aiScene *scene;
    void (*release)(const struct aiScene *scene);
} rn_import;

/* Opens the library, and reads the file with it; polygons become triangles. On success release the scene with
   import->release(import->scene). Returns RN_UNSUPPORTED if there is no usable assimp, RN_FORMAT if it cannot read the
   file, or RN_MEMORY if memory runs out. */
rn_result rn_import_open(const char *path, rn_import *import);

/* Lists the nodes of a scene in `nodes`, which must be empty (0); none if the scene has no root. Returns RN_MEMORY if
   memory runs out; the list must still be freed. */
rn_result rn_import_list(const struct aiScene *scene, rn_import_nodes *nodes);
/* Frees the list and empties it; not the nodes, which belong to the scene. */
void rn_import_free(rn_import_nodes *nodes);

/* Returns the number of faces of a mesh with three corners, the only ones that are read; the others are points and
   lines. */
uint64_t rn_import_triangles(const struct aiMesh *mesh);

#endif
