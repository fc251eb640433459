/* Creates the surface of a sampled solid by marching cubes, layer by layer (isosurface.h). */
#include "terrain/isosurface.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/cubes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

/* Smallest distance of vertices from the ends of their edge, as a share of it: where samples lie right on the surface,
   triangles are small, but have an area. */
static const double least_share = 1.0 / 1024;

/* A layer of nodes: the samples, with one more row of nodes on every side. */
typedef struct layer {
    float *values;
    uint32_t *along[3]; /* vertices of the edges that start at each node; along z to the next layer */
} layer;

typedef struct march {
    const rn_samples *samples;
    rn_triangles *surface;
    rn_cubes cubes;
    int nodes[2]; /* along x and y */
    layer lower, upper;
    bool mirrored; /* the transform reverses triangles */
    size_t most;
} march;

static bool is_solid(float value) { return value <= 0.0f; }

/* Writes the values of the layer of nodes at sample z (-1 to the number of samples), with its rim. The rim is open, and
   puts the surface midway between the outermost samples and the nodes beyond. */
static void fill_values(const march *m, int z, float *out) {
    const int *n = m->samples->cells;
    const bool beyond_z = z < 0 || z >= n[2];
    const size_t row = (size_t)n[0];
    const float *slice = m->samples->values + row * (size_t)n[1] * (size_t)(z < 0 ? 0 : z >= n[2] ? n[2] - 1 : z);
    for (int y = -1; y <= n[1]; y++) {
        const bool beyond_y = y < 0 || y >= n[1];
        const float *from = slice + row * (size_t)(y < 0 ? 0 : y >= n[1] ? n[1] - 1 : y);
        for (int x = -1; x <= n[0]; x++) {
            const float value = from[x < 0 ? 0 : x >= n[0] ? n[0] - 1 : x];
            const bool beyond = beyond_z || beyond_y || x < 0 || x >= n[0];
            *out++ = beyond ? fmaxf(fabsf(value), FLT_MIN) : value;
        }
    }
}

/* Appends a vertex without a position and returns where that goes; *index: its number. Returns NULL, with a message, if
   memory runs out. */
static float *new_vertex(rn_triangles *surface, uint32_t *index) {
    if (!rn_grow(NULL, &surface->positions, &surface->vertex_capacity, surface->vertex_count,
                 3 * sizeof *surface->positions))
        return NULL;
    *index = (uint32_t)surface->vertex_count;
    return surface->positions + 3 * surface->vertex_count++;
}

/* Appends a vertex at a position in sample indices, which it transforms; *index: its number. Returns false, with a
   message, if memory runs out. */
static bool add_vertex(march *m, const double at[3], uint32_t *index) {
    float *out = new_vertex(m->surface, index);
    for (int i = 0; i < 3 && out; i++) {
        const double *row = m->samples->transform[i];
        out[i] = (float)(row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3]);
    }
    return out != NULL;
}

/* Adds the vertex of the edge along `axis` from a node; the values at its ends are `from` and `to`. *index: its number,
   or `none` if the surface does not cross the edge. Returns false, with a message, if memory runs out. */
static bool cross_edge(march *m, const int node[3], int axis, float from, float to, uint32_t *index) {
    *index = none;
    if (is_solid(from) == is_solid(to)) return true;
    const double share = (double)from / ((double)from - (double)to);
    double at[3] = {node[0] - 1, node[1] - 1, node[2] - 1}; /* nodes begin one before the samples */
    at[axis] += rn_clamp(share, least_share, 1 - least_share);
    return add_vertex(m, at, index);
}

/* Adds the vertices on the edges of a layer along x and y, and stores their numbers there; z: its number. The last
   nodes of a row and the last row have no edges, and are open like the whole rim. Returns false, with a message, if
   memory runs out. */
static bool cross_layer(march *m, layer *l, int z) {
    const int nx = m->nodes[0], ny = m->nodes[1];
    size_t i = 0;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++, i++) {
            const int node[3] = {x, y, z};
            const float value = l->values[i];
            const float right = x + 1 < nx ? l->values[i + 1] : value;
            const float behind = y + 1 < ny ? l->values[i + (size_t)nx] : value;
            if (!cross_edge(m, node, 0, value, right, &l->along[0][i]) ||
                !cross_edge(m, node, 1, value, behind, &l->along[1][i]))
                return false;
        }
    return true;
}

/* Adds the vertices on the edges from the lower to the upper layer, and stores their numbers in the lower one, whose
   number is z. Returns false, with a message, if memory runs out. */
static bool cross_upwards(march *m, int z) {
    size_t i = 0;
    for (int y = 0; y < m->nodes[1]; y++)
        for (int x = 0; x < m->nodes[0]; x++, i++) {
            const int node[3] = {x, y, z};
            if (!cross_edge(m, node, 2, m->lower.values[i], m->upper.values[i], &m->lower.along[2][i])) return false;
        }
    return true;
}

/* Writes the numbers of the vertices on a cube's edges, in the order of cube->edges, and of a new one at the centre of
   a loop if needed. `node` is the index of the cube's first node in its layer. Returns false, with a message, if memory
   runs out. */
static bool find_vertices(march *m, size_t node, const rn_cube *cube, uint32_t vertices[RN_CUBE_CENTRE + 1]) {
    for (int i = 0; i < (cube->loops ? cube->ends[cube->loops - 1] : 0); i++) {
        const int corner = rn_edge_corner(cube->edges[i]);
        const layer *l = corner >> 2 ? &m->upper : &m->lower;
        const size_t at = node + (size_t)(corner & 1) + (size_t)(corner >> 1 & 1) * (size_t)m->nodes[0];
        vertices[i] = l->along[rn_edge_axis(cube->edges[i])][at];
    }
    if (!cube->centred) return true;
    const int loop = cube->centred - 1, begin = loop ? cube->ends[loop - 1] : 0, count = cube->ends[loop] - begin;
    float *middle = new_vertex(m->surface, &vertices[RN_CUBE_CENTRE]);
    for (size_t axis = 0; axis < 3 && middle; axis++) {
        double sum = 0;
        for (int i = 0; i < count; i++) sum += (double)m->surface->positions[3 * (size_t)vertices[begin + i] + axis];
        middle[axis] = (float)(sum / count);
    }
    return middle != NULL;
}

/* Appends the triangles of a cube, reversed if the transform mirrors; `vertices` from find_vertices. Returns false,
   with a message, if memory runs out. */
static bool add_triangles(march *m, const rn_cube *cube, const uint32_t vertices[RN_CUBE_CENTRE + 1]) {
    rn_triangles *surface = m->surface;
    for (int t = 0; t < cube->triangles; t++) {
        if (!rn_grow(NULL, &surface->indices, &surface->triangle_capacity, surface->triangle_count,
                     3 * sizeof *surface->indices))
            return false;
        uint32_t *out = surface->indices + 3 * surface->triangle_count++;
        for (int k = 0; k < 3; k++) out[m->mirrored ? 2 - k : k] = vertices[cube->corners[t][k]];
    }
    return true;
}

/* Adds the triangles of all cubes between the two layers, whose vertices must exist. Returns false, with a message, if
   memory runs out. */
static bool march_cubes(march *m) {
    const size_t row = (size_t)m->nodes[0];
    for (int y = 0; y + 1 < m->nodes[1]; y++)
        for (int x = 0; x + 1 < m->nodes[0]; x++) {
            const size_t node = row * (size_t)y + (size_t)x;
            const float *a = m->lower.values + node, *b = m->upper.values + node;
            const float values[8] = {a[0], a[1], a[row], a[row + 1], b[0], b[1], b[row], b[row + 1]};
            int solid = 0;
            for (int c = 0; c < 8; c++) solid += is_solid(values[c]);
            if (solid == 0 || solid == 8) continue;
            const rn_cube *cube = rn_cubes_find(&m->cubes, values);
            uint32_t vertices[RN_CUBE_CENTRE + 1];
            if (!find_vertices(m, node, cube, vertices) || !add_triangles(m, cube, vertices)) return false;
        }
    return true;
}

/* Creates the whole surface, layer by layer from below. On failure returns RN_LIMIT (there are more than m->most
   triangles, checked after each layer) or RN_MEMORY, with a message. */
static rn_result march_layers(march *m) {
    for (int z = 0; z <= m->samples->cells[2] + 1; z++) {
        const layer swapped = m->lower;
        m->lower = m->upper;
        m->upper = swapped;
        fill_values(m, z - 1, m->upper.values);
        if (!cross_layer(m, &m->upper, z)) return RN_MEMORY;
        if (z > 0 && (!cross_upwards(m, z - 1) || !march_cubes(m))) return RN_MEMORY;
        if (m->surface->triangle_count > m->most)
            return rn_fail(RN_LIMIT, "its surface has more than %zu triangles", m->most);
    }
    return RN_OK;
}

rn_result rn_isosurface(const rn_samples *samples, size_t most, rn_triangles *surface) {
    march *m = rn_alloc(NULL, 1, sizeof *m);
    if (!m) return RN_MEMORY;
    m->samples = samples;
    m->surface = surface;
    m->most = most;
    m->mirrored = rn_determinant(samples->transform) < 0;
    for (int axis = 0; axis < 2; axis++) m->nodes[axis] = samples->cells[axis] + 2;
    const size_t nodes = (size_t)m->nodes[0] * (size_t)m->nodes[1], all = 2 * 4 * nodes;
    uint32_t *memory = rn_alloc(NULL, all, sizeof *memory);
    rn_result result = RN_MEMORY;
    if (memory) {
        layer *const layers[2] = {&m->lower, &m->upper};
        for (size_t l = 0; l < 2; l++) {
            layers[l]->values = (float *)(memory + (4 * l) * nodes);
            for (size_t axis = 0; axis < 3; axis++) layers[l]->along[axis] = memory + (4 * l + 1 + axis) * nodes;
        }
        rn_cubes_make(&m->cubes);
        result = march_layers(m);
    }
    rn_free(NULL, memory);
    rn_free(NULL, m);
    return result;
}
