/* The mesh of a lattice, kept in blocks. Its public interface is rn_ground_mesh. */
#ifndef RN_TERRAIN_MESHER_H
#define RN_TERRAIN_MESHER_H

#include "base/threads.h"
#include "terrain/blocks.h"

#include <runnel/mesh.h>

typedef struct rn_mesher {
    rn_hooks hooks;
    rn_blocks blocks; /* the caller owns its lattice, which must not move */
    bool sharp;
    rn_pool *pool; /* NULL: only the calling thread */
    rn_block_scratch *scratch;
    int workers;
    size_t block_count;
    int32_t *work;          /* numbers of the blocks to make */
    size_t *first, *corner; /* for each block and one more: index of its first vertex and corner */
    rn_mesh mesh;
    int64_t made;
} rn_mesher;

/* Prepares a mesher with all blocks stale. `lattice` must outlive it. sharp: dual contouring instead of marching cubes.
   threads: 0 for one per core. On failure returns RN_LIMIT (the lattice has too many nodes) or RN_MEMORY, with a
   message. Call rn_mesher_free also after a failure. */
rn_result rn_mesher_open(rn_mesher *mesher, const rn_lattice *lattice, bool sharp, int threads, const rn_hooks *hooks);
/* Frees everything with the mesh, and empties the struct, which it does not free. */
void rn_mesher_free(rn_mesher *mesher);
/* Marks blocks as stale that depend on nodes from low to high (both included, may lie outside), whose values have
   changed. */
void rn_mesher_mark(rn_mesher *mesher, const int low[3], const int high[3]);
/* Makes the stale blocks, whose number it puts in mesher->made, and assembles mesher->mesh from all blocks. On failure
   returns RN_MEMORY or RN_LIMIT, with a message; then the mesh is empty, and blocks that failed stay stale. */
rn_result rn_mesher_make(rn_mesher *mesher);
/* The bytes of memory that the mesher holds, without the thread pool and the growing lists of scratch. */
size_t rn_mesher_bytes(const rn_mesher *mesher);

#endif
