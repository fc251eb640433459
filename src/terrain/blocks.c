/* Samples the values of a block of a lattice, and makes its vertices and triangles by marching cubes (blocks.h). dual.c
   has the other method. */
#include "terrain/blocks.h"

#include "base/memory.h"

#include <string.h>

/* ---- Values ---------------------------------------------------------------------------------------------------- */

/* Clips a range of nodes, both ends included, to the lattice. Returns false if nothing is left. */
static bool clip_to_lattice(const rn_lattice *lattice, int low[3], int high[3]) {
    for (int a = 0; a < 3; a++) {
        if (low[a] < 0) low[a] = 0;
        if (high[a] > lattice->nodes[a] - 1) high[a] = lattice->nodes[a] - 1;
        if (low[a] > high[a]) return false;
    }
    return true;
}

/* Sets the values, of nodes from `low` to `high` (numbers in the lattice), that are NAN so far; `origin` is the block's
   first node. */
static void sample_part(const rn_lattice *lattice, const int origin[3], const int low[3], const int high[3],
                        float *values) {
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                float *to = values + rn_block_index(x - origin[0], y - origin[1], z - origin[2]);
                if (isnan(*to)) *to = (float)lattice->type->value(lattice, (int[3]){x, y, z});
            }
}

/* Works in parts of four cells a side, plus the row of cells before. Only parts near the surface are evaluated; the
   others stay NAN. */
bool rn_block_sample(const rn_blocks *blocks, const int at[3], bool before, rn_block_scratch *scratch) {
    const rn_lattice *lattice = blocks->lattice;
    const int origin[3] = {RN_BLOCK * at[0], RN_BLOCK * at[1], RN_BLOCK * at[2]};
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = origin[a] - before;
        high[a] = origin[a] + RN_BLOCK;
    }
    if (!clip_to_lattice(lattice, low, high) || !lattice->type->may_cross(lattice, low, high)) return false;
    for (int i = 0; i < RN_BLOCK_NODES; i++) scratch->values[i] = NAN;
    for (int z = -(int)before; z < RN_BLOCK; z += z < 0 ? 1 : 4)
        for (int y = -(int)before; y < RN_BLOCK; y += y < 0 ? 1 : 4)
            for (int x = -(int)before; x < RN_BLOCK; x += x < 0 ? 1 : 4) {
                const int first[3] = {x, y, z};
                for (int a = 0; a < 3; a++) {
                    low[a] = origin[a] + first[a];
                    high[a] = low[a] + (first[a] < 0 ? 1 : 4);
                }
                if (clip_to_lattice(lattice, low, high) && lattice->type->may_cross(lattice, low, high))
                    sample_part(lattice, origin, low, high, scratch->values);
            }
    return true;
}

bool rn_block_corners(const rn_block_scratch *scratch, const int local[3], float values[8]) {
    for (int c = 0; c < 8; c++) {
        values[c] = scratch->values[rn_block_index(local[0] + (c & 1), local[1] + (c >> 1 & 1), local[2] + (c >> 2))];
        if (isnan(values[c])) return false;
    }
    return true;
}

/* ---- Vertices and corners -------------------------------------------------------------------------------------- */

void rn_lattice_edge(const rn_lattice *lattice, const int node[3], int axis, float from, float to, rn_vec3 *position,
                     rn_vec3 *normal) {
    const double along = lattice->type->crossing(lattice, node, axis, from, to);
    double at[3] = {node[0], node[1], node[2]};
    at[axis] += along;
    *position = lattice->type->place(lattice, at);
    *normal = lattice->type->normal(lattice, node, axis, along);
}

bool rn_block_add_vertex(rn_block *block, int key, rn_vec3 position, rn_vec3 normal) {
    if (!rn_grow(NULL, &block->vertices, &block->vertex_capacity, block->vertex_count, sizeof(rn_vertex))) return false;
    block->vertices[block->vertex_count++] = (rn_vertex){{(float)position.x, (float)position.y, (float)position.z},
                                                         {(float)normal.x, (float)normal.y, (float)normal.z},
                                                         (uint16_t)key};
    return true;
}

bool rn_block_add_corner(const rn_blocks *blocks, const int at[3], const rn_block_scratch *scratch, const int local[3],
                         int part, rn_block *block) {
    int home[3], inside[3];
    bool own = true;
    for (int a = 0; a < 3; a++) {
        const int step = local[a] < 0 ? -1 : local[a] >= RN_BLOCK;
        home[a] = at[a] + step;
        inside[a] = local[a] - RN_BLOCK * step;
        own = own && step == 0;
    }
    const int key = 4 * rn_block_local(inside) + part;
    uint32_t corner;
    if (own) {
        corner = scratch->places[key];
    } else {
        if (!rn_grow(NULL, &block->foreign, &block->foreign_capacity, block->foreign_count, sizeof(rn_foreign)))
            return false;
        corner = RN_CORNER_FOREIGN | (uint32_t)block->foreign_count;
        block->foreign[block->foreign_count++] = (rn_foreign){
            (uint32_t)((home[2] * blocks->counts[1] + home[1]) * blocks->counts[0] + home[0]), (uint16_t)key};
    }
    if (!rn_grow(NULL, &block->corners, &block->corner_capacity, block->corner_count, sizeof corner)) return false;
    block->corners[block->corner_count++] = corner;
    return true;
}

/* ---- Marching cubes -------------------------------------------------------------------------------------------- */

typedef struct march {
    const rn_blocks *blocks;
    const int *at;
    int origin[3];
    rn_block_scratch *scratch;
    rn_block *block;
} march;

/* Appends a vertex to the block and stores its index under its key. Returns false, with a message, if memory runs
   out. */
static bool add_vertex(march *m, int key, rn_vec3 position, rn_vec3 normal) {
    m->scratch->places[key] = (uint16_t)m->block->vertex_count;
    return rn_block_add_vertex(m->block, key, position, normal);
}

/* Writes position (m) and normal of the crossing on an edge of the cell `local` with these values at its corners; the
   surface must cross that edge. */
static void find_cell_crossing(const march *m, const int local[3], const float values[8], int edge, rn_vec3 *position,
                               rn_vec3 *normal) {
    const int axis = rn_edge_axis(edge), corner = rn_edge_corner(edge);
    const int node[3] = {m->origin[0] + local[0] + (corner & 1), m->origin[1] + local[1] + (corner >> 1 & 1),
                         m->origin[2] + local[2] + (corner >> 2)};
    rn_lattice_edge(m->blocks->lattice, node, axis, values[corner], values[corner | 1 << axis], position, normal);
}

/* Adds the vertex at the centre of the loop of a cell that needs one (cube->centred is not 0): the mean of the loop's
   crossings. Returns false, with a message, if memory runs out. */
static bool add_centre(march *m, const int local[3], const float values[8], const rn_cube *cube) {
    const int loop = cube->centred - 1, begin = loop ? cube->ends[loop - 1] : 0, count = cube->ends[loop] - begin;
    rn_vec3 middle = {0, 0, 0}, mean = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        rn_vec3 position, normal;
        find_cell_crossing(m, local, values, cube->edges[begin + i], &position, &normal);
        middle = (rn_vec3){middle.x + position.x / count, middle.y + position.y / count, middle.z + position.z / count};
        mean = (rn_vec3){mean.x + normal.x, mean.y + normal.y, mean.z + normal.z};
    }
    const double length = rn_length3(mean.x, mean.y, mean.z);
    if (length > 0) mean = (rn_vec3){mean.x / length, mean.y / length, mean.z / length};
    else mean = (rn_vec3){0, 0, 1};
    return add_vertex(m, 4 * rn_block_local(local) + 3, middle, mean);
}

/* Adds the vertices where the surface crosses the edges from the node `local` towards +x, +y and +z, and the centre
   vertex of the cell that begins at this node, if that cell needs one. Edges and cells with an unknown value (NaN) get
   none. Returns false, with a message, if memory runs out. */
static bool march_vertices(march *m, const int local[3]) {
    const float *values = m->scratch->values;
    const float from = values[rn_block_index(local[0], local[1], local[2])];
    if (isnan(from)) return true;
    for (int axis = 0; axis < 3; axis++) {
        const float to = values[rn_block_index(local[0] + (axis == 0), local[1] + (axis == 1), local[2] + (axis == 2))];
        if (isnan(to) || (from <= 0.0f) == (to <= 0.0f)) continue;
        const int node[3] = {m->origin[0] + local[0], m->origin[1] + local[1], m->origin[2] + local[2]};
        rn_vec3 position, normal;
        rn_lattice_edge(m->blocks->lattice, node, axis, from, to, &position, &normal);
        if (!add_vertex(m, 4 * rn_block_local(local) + axis, position, normal)) return false;
    }
    float corners[8];
    if (!rn_block_corners(m->scratch, local, corners)) return true;
    const rn_cube *cube = rn_cubes_find(&m->blocks->cubes, corners);
    return !cube->centred || add_centre(m, local, corners, cube);
}

/* Adds the triangles of a cell, none if a value is not known; all vertices of the block must exist. Returns false, with
   a message, if memory runs out. */
static bool march_triangles(march *m, const int local[3]) {
    float values[8];
    if (!rn_block_corners(m->scratch, local, values)) return true;
    const rn_cube *cube = rn_cubes_find(&m->blocks->cubes, values);
    for (int t = 0; t < cube->triangles; t++)
        for (int k = 0; k < 3; k++) {
            int owner[3] = {local[0], local[1], local[2]}, part = 3;
            if (cube->corners[t][k] != RN_CUBE_CENTRE) {
                const int edge = cube->edges[cube->corners[t][k]], corner = rn_edge_corner(edge);
                for (int a = 0; a < 3; a++) owner[a] += corner >> a & 1;
                part = rn_edge_axis(edge);
            }
            if (!rn_block_add_corner(m->blocks, m->at, m->scratch, owner, part, m->block)) return false;
        }
    return true;
}

void rn_block_march(const rn_blocks *blocks, const int at[3], rn_block_scratch *scratch, rn_block *block) {
    block->vertex_count = block->corner_count = block->foreign_count = 0;
    block->failed = false;
    if (!rn_block_sample(blocks, at, false, scratch)) return;
    march m = {blocks, at, {RN_BLOCK * at[0], RN_BLOCK * at[1], RN_BLOCK * at[2]}, scratch, block};
    bool fine = true;
    int local[3];
    for (local[2] = 0; local[2] < RN_BLOCK; local[2]++)
        for (local[1] = 0; local[1] < RN_BLOCK; local[1]++)
            for (local[0] = 0; local[0] < RN_BLOCK; local[0]++) fine = fine && march_vertices(&m, local);
    for (local[2] = 0; local[2] < RN_BLOCK; local[2]++)
        for (local[1] = 0; local[1] < RN_BLOCK; local[1]++)
            for (local[0] = 0; local[0] < RN_BLOCK; local[0]++) fine = fine && march_triangles(&m, local);
    block->failed = !fine;
}
