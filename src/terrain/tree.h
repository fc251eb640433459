/* Boxes around triangles, boxes around those, up to one around all: the nearest triangle in few steps. */
#ifndef RN_TERRAIN_TREE_H
#define RN_TERRAIN_TREE_H

#include "terrain/sdf.h"

/* Nodes that can wait on a walk that goes down one child before the other. */
enum { RN_TREE_DEPTH = 62 };

typedef struct rn_tree_node {
    rn_box box;
    uint32_t first; /* of a leaf: its first triangle; else the first of two children, side by side */
    uint32_t count; /* of triangles; 0: not a leaf */
} rn_tree_node;

typedef struct rn_tree {
    rn_hooks hooks;
    rn_vec3 (*triangles)[3]; /* m, leaf after leaf */
    uint32_t *sources;       /* of each triangle: the caller's number for it */
    size_t count;
    rn_tree_node *nodes; /* the root first */
    size_t node_count;
} rn_tree;

/* Takes over and reorders `count` triangles, at least one, and their numbers, also when it fails. Both must come from
   the same hooks. */
rn_result rn_tree_make(const rn_hooks *hooks, rn_vec3 (*triangles)[3], uint32_t *sources, size_t count, rn_tree *tree);
/* Fits the boxes to triangles that have moved. */
void rn_tree_refit(rn_tree *tree);
void rn_tree_free(rn_tree *tree);

/* The distance to the nearest triangle (m). */
double rn_tree_distance(const rn_tree *tree, rn_vec3 at);

#endif
