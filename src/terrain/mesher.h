/* A mesh of a lattice, kept in blocks. The public face is rn_ground_mesh. */
#ifndef RN_TERRAIN_MESHER_H
#define RN_TERRAIN_MESHER_H

#include "base/threads.h"
#include "terrain/blocks.h"

#include <runnel/mesh.h>

typedef struct rn_mesher {
    rn_hooks hooks;
    rn_blocks blocks; /* its lattice is the caller's, and must stay where it is */
    bool sharp;
    rn_pool *pool; /* NULL: the calling thread alone */
    rn_block_scratch *scratch;
    int workers;
    size_t block_count;
    int32_t *work;          /* numbers of the blocks to make */
    size_t *first, *corner; /* of each block and one more: where its vertices and its corners begin */
    rn_mesh mesh;
    int64_t made;
} rn_mesher;

/* Prepares; all blocks are stale. What has been made is freed by rn_mesher_free also after a failure. */
rn_result rn_mesher_open(rn_mesher *mesher, const rn_lattice *lattice, bool sharp, int threads, const rn_hooks *hooks);
void rn_mesher_free(rn_mesher *mesher);
/* Nodes from low to high have other values: marks the blocks that may look different. */
void rn_mesher_mark(rn_mesher *mesher, const int low[3], const int high[3]);
/* Makes the stale blocks, and puts the mesh together. */
rn_result rn_mesher_make(rn_mesher *mesher);
size_t rn_mesher_bytes(const rn_mesher *mesher);

#endif
