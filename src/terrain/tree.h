/* A hierarchy of boxes around triangles, to find the nearest triangle in few steps. */
#ifndef RN_TERRAIN_TREE_H
#define RN_TERRAIN_TREE_H

#include "terrain/sdf.h"

/* The largest number of nodes on the stack of a walk that goes down one child before the other. */
enum { RN_TREE_DEPTH = 62 };

typedef struct rn_tree_node {
    rn_box box;
    uint32_t first; /* for a leaf its first triangle; otherwise the first of two adjacent children */
    uint32_t count; /* number of triangles; 0: not a leaf */
} rn_tree_node;

typedef struct rn_tree {
    rn_hooks hooks;
    rn_vec3 (*triangles)[3]; /* m, leaf after leaf */
    uint32_t *sources;       /* for each triangle the caller's number */
    size_t count;
    rn_tree_node *nodes; /* the root first */
    size_t node_count;
} rn_tree;

/* Creates a tree. Takes over and reorders `count` triangles, at least one, and their numbers (any), also on failure:
   free the tree in any case. Both must come from the same hooks. Returns RN_MEMORY, with a message, if memory runs
   out. */
rn_result rn_tree_make(const rn_hooks *hooks, rn_vec3 (*triangles)[3], uint32_t *sources, size_t count, rn_tree *tree);
/* Fits the boxes to tree->triangles after these have moved; the tree's shape stays. */
void rn_tree_refit(rn_tree *tree);
/* Frees everything, with the triangles, and empties the tree but for its hooks. */
void rn_tree_free(rn_tree *tree);

/* The distance (m) from a point to the nearest triangle; without a sign. */
double rn_tree_distance(const rn_tree *tree, rn_vec3 at);

#endif
