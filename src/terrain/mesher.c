/* Makes stale blocks of a lattice, and assembles the mesh from all blocks (mesher.h). */
#include "terrain/mesher.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const int64_t most_blocks = INT64_C(1) << 22;

rn_result rn_mesher_open(rn_mesher *m, const rn_lattice *lattice, bool sharp, int threads, const rn_hooks *hooks) {
    *m = (rn_mesher){.hooks = *hooks, .sharp = sharp, .workers = 1};
    m->blocks.lattice = lattice;
    rn_cubes_make(&m->blocks.cubes);
    int64_t count = 1;
    for (int a = 0; a < 3; a++) {
        m->blocks.counts[a] = (lattice->nodes[a] - 1) / RN_BLOCK + 1;
        if (count <= most_blocks) count *= m->blocks.counts[a];
    }
    if (count > most_blocks)
        return rn_fail(
            RN_LIMIT,
            "a lattice of %d x %d x %d nodes is more than a mesh can be made of (2^22 blocks of %d^3); use a "
            "larger spacing or a smaller box",
            lattice->nodes[0], lattice->nodes[1], lattice->nodes[2], (int)RN_BLOCK);
    m->block_count = (size_t)count;
    if (threads != 1) {
        m->pool = rn_pool_create(hooks, threads);
        if (!m->pool) return rn_pool_refusal(hooks);
        m->workers = rn_pool_size(m->pool);
    }
    m->blocks.list = rn_alloc(hooks, m->block_count, sizeof *m->blocks.list);
    m->work = rn_alloc(hooks, m->block_count, sizeof *m->work);
    m->first = rn_alloc(hooks, m->block_count + 1, sizeof *m->first);
    m->corner = rn_alloc(hooks, m->block_count + 1, sizeof *m->corner);
    m->scratch = rn_alloc(hooks, (size_t)m->workers, sizeof *m->scratch);
    if (!m->blocks.list || !m->work || !m->first || !m->corner || !m->scratch) return RN_MEMORY;
    for (size_t i = 0; i < m->block_count; i++) m->blocks.list[i].stale = true;
    return RN_OK;
}

void rn_mesher_free(rn_mesher *m) {
    for (size_t i = 0; m->blocks.list && i < m->block_count; i++) {
        rn_free(NULL, m->blocks.list[i].vertices);
        rn_free(NULL, m->blocks.list[i].corners);
        rn_free(NULL, m->blocks.list[i].foreign);
    }
    for (int i = 0; m->scratch && i < m->workers; i++) {
        rn_free(NULL, m->scratch[i].points);
        rn_free(NULL, m->scratch[i].found);
    }
    rn_free(&m->hooks, m->blocks.list);
    rn_free(&m->hooks, m->work);
    rn_free(&m->hooks, m->first);
    rn_free(&m->hooks, m->corner);
    rn_free(&m->hooks, m->scratch);
    rn_free(&m->hooks, m->mesh.positions);
    rn_free(&m->hooks, m->mesh.normals);
    rn_free(&m->hooks, m->mesh.indices);
    rn_pool_destroy(m->pool);
    *m = (rn_mesher){0};
}

/* A value affects nodes up to two away: through the cells around it, and the gradients at their corners. */
void rn_mesher_mark(rn_mesher *m, const int low[3], const int high[3]) {
    int first[3], last[3];
    for (int a = 0; a < 3; a++) {
        const int most = m->blocks.lattice->nodes[a] - 1;
        int from = low[a] - 3, to = high[a] + 3;
        if (to < 0 || from > most || from > to) return;
        first[a] = (from < 0 ? 0 : from) / RN_BLOCK;
        last[a] = (to > most ? most : to) / RN_BLOCK;
    }
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int x = first[0]; x <= last[0]; x++)
                m->blocks
                    .list[((size_t)z * (size_t)m->blocks.counts[1] + (size_t)y) * (size_t)m->blocks.counts[0] +
                          (size_t)x]
                    .stale = true;
}

/* Runs `task`, which gets the mesher, on items 0 to `count` - 1: in the pool, or on this thread if there is none. */
static void run_task(rn_mesher *m, int count, rn_task task) {
    if (m->pool) rn_parallel_for(m->pool, count, task, m);
    else task(m, 0, count, 0);
}

/* A task over the list m->work of stale blocks: makes each again; one that fails for want of memory stays stale. */
static void make_blocks(void *context, int begin, int end, int worker) {
    rn_mesher *m = context;
    for (int i = begin; i < end; i++) {
        const int number = m->work[i], nx = m->blocks.counts[0], ny = m->blocks.counts[1];
        const int at[3] = {number % nx, number / nx % ny, number / nx / ny};
        rn_block *block = &m->blocks.list[number];
        (m->sharp ? rn_block_contour : rn_block_march)(&m->blocks, at, &m->scratch[worker], block);
        block->stale = block->failed;
    }
}

/* The index in the whole mesh of a vertex that belongs to another block, which must have it. */
static uint32_t find_foreign(const rn_mesher *m, rn_foreign corner) {
    const rn_block *block = &m->blocks.list[corner.block];
    const rn_vertex *vertices = block->vertices;
    size_t low = 0, high = block->vertex_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (vertices[middle].key < corner.key) low = middle + 1;
        else high = middle;
    }
    return (uint32_t)(m->first[corner.block] + low);
}

/* A task over all blocks: copies vertices and triangles to their places in the whole mesh, which has room. */
static void copy_blocks(void *context, int begin, int end, int worker) {
    rn_mesher *m = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const rn_block *block = &m->blocks.list[i];
        const rn_vertex *from = block->vertices;
        float *position = m->mesh.positions + 3 * m->first[i], *normal = m->mesh.normals + 3 * m->first[i];
        for (size_t v = 0; v < block->vertex_count; v++, position += 3, normal += 3) {
            memcpy(position, from[v].position, sizeof from[v].position);
            memcpy(normal, from[v].normal, sizeof from[v].normal);
        }
        const uint32_t *corners = block->corners;
        uint32_t *to = m->mesh.indices + m->corner[i];
        for (size_t c = 0; c < block->corner_count; c++)
            to[c] = corners[c] & RN_CORNER_FOREIGN ? find_foreign(m, block->foreign[corners[c] & ~RN_CORNER_FOREIGN])
                                                   : (uint32_t)(m->first[i] + corners[c]);
    }
}

/* Makes room for a mesh of this size, with an eighth to spare for the next. Where it grows the old content is lost.
   Returns false, with a message, if memory runs out. */
static bool make_room(rn_mesher *m, size_t vertices, size_t triangles) {
    rn_mesh *mesh = &m->mesh;
    if (vertices > mesh->vertex_capacity || !mesh->positions) {
        const size_t room = vertices + vertices / 8 + 1;
        rn_free(&m->hooks, mesh->positions);
        rn_free(&m->hooks, mesh->normals);
        mesh->vertex_capacity = 0;
        mesh->positions = rn_alloc(&m->hooks, 3 * room, sizeof(float));
        mesh->normals = rn_alloc(&m->hooks, 3 * room, sizeof(float));
        if (!mesh->positions || !mesh->normals) return false;
        mesh->vertex_capacity = (uint32_t)room;
    }
    if (triangles > mesh->triangle_capacity || !mesh->indices) {
        const size_t room = triangles + triangles / 8 + 1;
        rn_free(&m->hooks, mesh->indices);
        mesh->triangle_capacity = 0;
        mesh->indices = rn_alloc(&m->hooks, 3 * room, sizeof(uint32_t));
        if (!mesh->indices) return false;
        mesh->triangle_capacity = (uint32_t)room;
    }
    return true;
}

rn_result rn_mesher_make(rn_mesher *m) {
    int count = 0;
    for (size_t i = 0; i < m->block_count; i++)
        if (m->blocks.list[i].stale) m->work[count++] = (int32_t)i;
    m->made = count;
    if (count > 0) run_task(m, count, make_blocks);
    bool failed = false;
    for (size_t i = 0; i < m->block_count; i++) {
        const rn_block *block = &m->blocks.list[i];
        failed |= block->failed;
        m->first[i + 1] = m->first[i] + block->vertex_count;
        m->corner[i + 1] = m->corner[i] + block->corner_count;
    }
    m->mesh.vertex_count = m->mesh.triangle_count = 0;
    if (failed) return rn_fail(RN_MEMORY, "out of memory for the mesh of the ground");
    const size_t vertices = m->first[m->block_count], triangles = m->corner[m->block_count] / 3;
    if (vertices > UINT32_MAX / 2 || triangles > UINT32_MAX / 2)
        return rn_fail(RN_LIMIT,
                       "the mesh would have %zu vertices and %zu triangles, more than 2^31; use a larger "
                       "spacing",
                       vertices, triangles);
    if (!make_room(m, vertices, triangles)) return RN_MEMORY;
    run_task(m, (int)m->block_count, copy_blocks);
    m->mesh.vertex_count = (uint32_t)vertices;
    m->mesh.triangle_count = (uint32_t)triangles;
    return RN_OK;
}

size_t rn_mesher_bytes(const rn_mesher *m) {
    size_t bytes = m->block_count * (sizeof *m->blocks.list + sizeof *m->work + sizeof *m->first + sizeof *m->corner);
    bytes += (size_t)m->workers * sizeof *m->scratch;
    for (size_t i = 0; i < m->block_count; i++) {
        const rn_block *block = &m->blocks.list[i];
        bytes += block->vertex_capacity * sizeof(rn_vertex) + block->corner_capacity * sizeof(uint32_t) +
                 block->foreign_capacity * sizeof(rn_foreign);
    }
    return bytes + m->mesh.vertex_capacity * 6 * sizeof(float) + m->mesh.triangle_capacity * 3 * sizeof(uint32_t);
}
