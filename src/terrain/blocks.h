/* Blocks of a lattice: each has the vertices and triangles of its own nodes, and can be remade alone. */
#ifndef RN_TERRAIN_BLOCKS_H
#define RN_TERRAIN_BLOCKS_H

#include "terrain/cubes.h"
#include "terrain/lattice.h"

enum {
    RN_BLOCK = 16,       /* nodes along each side */
    RN_BLOCK_REACH = 18, /* nodes that its cells read: one before, one after */
    RN_BLOCK_NODES = RN_BLOCK_REACH * RN_BLOCK_REACH * RN_BLOCK_REACH,
    RN_BLOCK_KEYS = 4 * RN_BLOCK * RN_BLOCK * RN_BLOCK,
};

/* A vertex is identified by its key: 4 * its node or cell within the block, plus the axis of its edge, or 3 for the
   centre of a cell; for dual vertices plus the loop of its cell. Keys ascend along a block's list. */
typedef struct rn_vertex {
    float position[3], normal[3];
    uint16_t key;
} rn_vertex;

/* A corner that belongs to another block: that block's number, and the key there. */
typedef struct rn_foreign {
    uint32_t block;
    uint16_t key;
} rn_foreign;

#define RN_CORNER_FOREIGN 0x80000000u

typedef struct rn_block {
    rn_vertex *vertices;
    size_t vertex_count, vertex_capacity;
    uint32_t *corners; /* three per triangle: a vertex of this block, or a foreign one */
    size_t corner_count, corner_capacity;
    rn_foreign *foreign;
    size_t foreign_count, foreign_capacity;
    bool stale;  /* must be made */
    bool failed; /* out of memory */
} rn_block;

/* The memory of a thread to make a block. */
typedef struct rn_block_scratch {
    float values[RN_BLOCK_NODES]; /* NAN: too far from the surface to matter */
    uint16_t places[RN_BLOCK_KEYS];
    const rn_cube *cubes[RN_BLOCK_NODES];
    int32_t first[RN_BLOCK_NODES]; /* index of a cell's first dual point */
    struct rn_dual_point *points;  /* of dual.c, like the next */
    size_t point_count, point_capacity;
    int32_t crossings[3][RN_BLOCK_NODES]; /* for a node's edges: 1 + index in `found`; 0: not examined yet */
    struct rn_edge_crossing *found;
    size_t found_count, found_capacity;
} rn_block_scratch;

/* Data shared by all blocks. */
typedef struct rn_blocks {
    const rn_lattice *lattice;
    rn_cubes cubes;
    int counts[3]; /* blocks along each axis */
    rn_block *list;
} rn_blocks;

/* Fills scratch->values for block (x, y, z), NAN far from the surface. Returns false, without filling them, if no
   surface passes. `before`: also the nodes before the block, for dual contouring. */
bool rn_block_sample(const rn_blocks *blocks, const int at[3], bool before, rn_block_scratch *scratch);
/* Creates vertices and triangles of a block by marching cubes, in place of its old ones; none if no surface passes.
   Sets block->failed: true if memory runs out; does not change block->stale. */
void rn_block_march(const rn_blocks *blocks, const int at[3], rn_block_scratch *scratch, rn_block *block);
/* Creates vertices and triangles of a block by dual contouring, which keeps edges sharp, in place of its old ones; none
   if no surface passes. Sets block->failed: true if memory runs out; does not change block->stale. */
void rn_block_contour(const rn_blocks *blocks, const int at[3], rn_block_scratch *scratch, rn_block *block);

/* Appends a vertex (position in m) with a key above that of the last. Returns false, with a message, if memory runs
   out. */
bool rn_block_add_vertex(rn_block *block, int key, rn_vec3 position, rn_vec3 normal);
/* Appends a corner of a triangle: `local` counts from the first node or cell of block `at` and may lie one block
   outside of it; `part` is the rest of the key. The block's own vertices must have their places in scratch. Returns
   false, with a message, if memory runs out. */
bool rn_block_add_corner(const rn_blocks *blocks, const int at[3], const rn_block_scratch *scratch, const int local[3],
                         int part, rn_block *block);
/* Writes position (m) and unit normal where the surface crosses the edge from a node along `axis`; `from` and `to` are
   the values at its ends, of which just one is solid. */
void rn_lattice_edge(const rn_lattice *lattice, const int node[3], int axis, float from, float to, rn_vec3 *position,
                     rn_vec3 *normal);

/* The index in scratch->values of a node, counted from the block's first one, -1 to 16 along each axis. */
static inline int rn_block_index(int x, int y, int z) {
    return ((z + 1) * RN_BLOCK_REACH + y + 1) * RN_BLOCK_REACH + x + 1;
}
/* The number of a node or cell within its block, as in keys. */
static inline int rn_block_local(const int local[3]) { return (local[2] * RN_BLOCK + local[1]) * RN_BLOCK + local[0]; }
/* Writes the values at the corners of a cell, counted from the block's first, in the order of cubes.h. Returns false if
   one of them is not known (NAN); do not use `values` then. */
bool rn_block_corners(const rn_block_scratch *scratch, const int local[3], float values[8]);

#endif
