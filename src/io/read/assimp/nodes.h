/* What readers of assimp's scenes share: opening one, and its nodes as a list. */
#ifndef RN_IO_ASSIMP_NODES_H
#define RN_IO_ASSIMP_NODES_H

#include <assimp/scene.h>
#include <runnel/base.h>

/* Rows that take x y z 1 to where a node puts it. */
typedef struct rn_matrix {
    double m[3][4];
} rn_matrix;

typedef struct rn_import_node {
    const struct aiNode *node;
    int32_t parent; /* in the list; -1: none */
    rn_matrix own, to_root;
} rn_import_node;

/* Parents before their children, and the first child with all below it before the second. */
typedef struct rn_import_nodes {
    rn_import_node *list;
    size_t count, capacity;
} rn_import_nodes;

/* The scene of a file, and how to let go of it. */
typedef struct rn_import {
    const struct aiScene *scene;
    void (*release)(const struct aiScene *scene);
} rn_import;

/* Opens the library, and the file with it. */
rn_result rn_import_open(const char *path, rn_import *import);

rn_result rn_import_list(const struct aiScene *scene, rn_import_nodes *nodes);
void rn_import_free(rn_import_nodes *nodes);

/* Faces of a mesh with three corners; the others are points and lines. */
uint64_t rn_import_triangles(const struct aiMesh *mesh);

#endif
