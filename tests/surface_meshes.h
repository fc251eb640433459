/* Buffers for a surface with guard words around them, and what must hold of every mesh. */
#ifndef SURFACE_MESHES_H
#define SURFACE_MESHES_H

#include <math.h>
#include <runnel/surface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_WORDS 16
#define GUARD       0xa5c3a5c3u

typedef struct guarded {
    uint32_t *block;
    size_t words;
} guarded;

static inline void *guard(guarded *g, size_t bytes) {
    g->words = (bytes + 3) / 4;
    g->block = malloc((g->words + 2 * GUARD_WORDS) * 4);
    if (!g->block) abort();
    for (size_t i = 0; i < g->words + 2 * GUARD_WORDS; i++) g->block[i] = GUARD;
    return g->block + GUARD_WORDS;
}

static inline bool is_whole(const guarded *g) {
    for (size_t i = 0; i < GUARD_WORDS; i++)
        if (g->block[i] != GUARD || g->block[GUARD_WORDS + g->words + i] != GUARD) return false;
    return true;
}

enum { BUFFERS = 7 };
typedef struct buffers {
    guarded of[BUFFERS];
    void *scratch;
    size_t bytes;
    rn_mesh mesh;
} buffers;

static inline buffers buffers_make(const rn_surface_columns *columns, const rn_surface_def *def) {
    buffers b = {0};
    rn_surface_room room;
    if (rn_surface_bound(columns, def, &room) != RN_OK) abort();
    b.bytes = room.scratch;
    b.scratch = guard(&b.of[0], room.scratch);
    b.mesh.positions = guard(&b.of[1], room.vertices * 12);
    b.mesh.normals = guard(&b.of[2], room.vertices * 12);
    b.mesh.velocities = guard(&b.of[3], room.vertices * 12);
    b.mesh.opacity = guard(&b.of[4], room.vertices * 4);
    b.mesh.ids = guard(&b.of[5], room.vertices * 4);
    b.mesh.indices = guard(&b.of[6], room.triangles * 12);
    b.mesh.vertex_capacity = (uint32_t)room.vertices;
    b.mesh.triangle_capacity = (uint32_t)room.triangles;
    return b;
}

static inline bool buffers_whole(const buffers *b) {
    for (int i = 0; i < BUFFERS; i++)
        if (!is_whole(&b->of[i])) return false;
    return true;
}

static inline void buffers_free(buffers *b) {
    for (int i = 0; i < BUFFERS; i++) free(b->of[i].block);
}

/* Columns that a test makes itself. */
typedef struct stack {
    rn_surface_columns columns;
    float *base, *ceil, *depth, *flux_x, *flux_y;
} stack;

static inline stack stack_make(int nx, int ny, int layers, float cell, float lid) {
    const size_t slots = (size_t)nx * (size_t)ny * (size_t)layers;
    stack s = {.columns = {.cells_x = nx, .cells_y = ny, .layers = layers, .cell_size = cell, .lid = lid}};
    float **const arrays[] = {&s.base, &s.ceil, &s.depth, &s.flux_x, &s.flux_y};
    rn_surface_field *const fields[] = {&s.columns.base, &s.columns.ceil, &s.columns.depth, &s.columns.flux_x,
                                        &s.columns.flux_y};
    for (int i = 0; i < 5; i++) {
        *arrays[i] = calloc(slots, sizeof(float));
        if (!*arrays[i]) abort();
        *fields[i] = (rn_surface_field){*arrays[i], nx, (ptrdiff_t)nx * ny};
    }
    for (size_t i = 0; i < slots; i++) {
        s.base[i] = 2.0f * RN_NO_COLUMN;
        s.ceil[i] = 2.0f * RN_NO_COLUMN;
    }
    s.columns.quantum = 1e-8f;
    return s;
}

static inline void stack_free(stack *s) {
    float *const arrays[] = {s->base, s->ceil, s->depth, s->flux_x, s->flux_y};
    for (int i = 0; i < 5; i++) free(arrays[i]);
}

static inline size_t stack_slot(const stack *s, int layer, int y, int x) {
    return ((size_t)layer * (size_t)s->columns.cells_y + (size_t)y) * (size_t)s->columns.cells_x + (size_t)x;
}

/* The same bits every time. */
static inline uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}
static inline float next_unit(uint64_t *state) { return (float)next_random(state) / 2147483648.0f; }

/* ---- Random stacks, of cells of 1 mm ------------------------------------------------------------------------------
 */

/* Holes, roofs, ledges; dry, wet and flooded columns, all without any order. */
static inline stack random_stack_of(uint64_t r, int nx, int ny, int layers) {
    const float lid = 40e-3f;
    stack s = stack_make(nx, ny, layers, 1e-3f, lid);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            const int count = next_random(&r) % 16 == 0 ? 0 : 1 + (int)(next_random(&r) % (unsigned)layers);
            float z = 0.0f;
            for (int l = 0; l < count; l++) {
                const size_t k = stack_slot(&s, l, y, x);
                s.base[k] = z + next_unit(&r) * 6e-3f;
                s.ceil[k] = s.base[k] + next_unit(&r) * 8e-3f;
                if (l == count - 1 && next_random(&r) % 4 && s.base[k] < lid) s.ceil[k] = lid;
                const float room = s.ceil[k] - s.base[k];
                const unsigned pick = next_random(&r) % 5;
                if (pick == 1) s.depth[k] = room;
                else if (pick) s.depth[k] = fminf(room * next_unit(&r), 5e-3f * next_unit(&r));
                z = s.ceil[k];
            }
        }
    return s;
}

/* The same of a random size. */
static inline stack random_stack(uint64_t seed, int layers) {
    uint64_t r = seed * 7919 + 1;
    const int nx = 5 + (int)(next_random(&r) % 12), ny = 5 + (int)(next_random(&r) % 12);
    return random_stack_of(r, nx, ny, layers);
}

/* Ground under the open sky, with holes in the liquid. */
static inline stack random_ground(uint64_t seed) {
    uint64_t r = seed;
    stack s = stack_make(17, 14, 1, 1e-3f, 40e-3f);
    for (size_t k = 0; k < rn_surface_slots(&s.columns); k++) {
        s.base[k] = 6e-3f * next_unit(&r);
        s.ceil[k] = 40e-3f;
        s.depth[k] = next_random(&r) % 3 ? 5e-3f * next_unit(&r) : 0.0f;
    }
    return s;
}

/* ---- What must hold -------------------------------------------------------------------------------------------- */

typedef struct mesh_edge {
    uint32_t low, high;
    int forth, back;
} mesh_edge;

static inline int order_edges(const void *a, const void *b) {
    const mesh_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    return p->high != q->high ? (p->high < q->high ? -1 : 1) : 0;
}

/* Edges once each, with how often triangles pass them in both directions. The caller frees them. */
static inline mesh_edge *mesh_edges(const rn_mesh *m, size_t *count) {
    const size_t all = 3 * (size_t)m->triangle_count;
    mesh_edge *e = malloc((all + 1) * sizeof *e);
    if (!e) abort();
    for (size_t i = 0; i < all; i++) {
        const uint32_t a = m->indices[i], b = m->indices[i % 3 == 2 ? i - 2 : i + 1];
        e[i] = a < b ? (mesh_edge){a, b, 1, 0} : (mesh_edge){b, a, 0, 1};
    }
    qsort(e, all, sizeof *e, order_edges);
    size_t kept = 0;
    for (size_t i = 0; i < all; i++) {
        if (kept && e[kept - 1].low == e[i].low && e[kept - 1].high == e[i].high) {
            e[kept - 1].forth += e[i].forth;
            e[kept - 1].back += e[i].back;
        } else e[kept++] = e[i];
    }
    *count = kept;
    return e;
}

static inline void triangle_normal(const rn_mesh *m, size_t t, double n[3]) {
    const float *a = &m->positions[3 * m->indices[3 * t]], *b = &m->positions[3 * m->indices[3 * t + 1]],
                *c = &m->positions[3 * m->indices[3 * t + 2]];
    const double u[3] = {(double)b[0] - a[0], (double)b[1] - a[1], (double)b[2] - a[2]};
    const double v[3] = {(double)c[0] - a[0], (double)c[1] - a[1], (double)c[2] - a[2]};
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

/* Whether a triangle with the normal n faces where the level parts of its corners' normals say: a sheet that gets
   narrower as it falls hangs over a little. Surfaces that are not steep have no such parts. */
static inline bool faces_outwards(const rn_mesh *m, const uint32_t corners[3], const double n[3]) {
    double along = 0.0, up = 0.0;
    for (int k = 0; k < 3 && m->normals; k++) {
        const float *of = &m->normals[3 * (size_t)corners[k]];
        along += (double)of[0] * n[0] + (double)of[1] * n[1];
        up += (double)of[2];
    }
    return up < 2.0 && along > 3.0 * -n[2];
}

/* NULL if all is well; else what is not. */
static inline const char *mesh_fault(const rn_mesh *m, float cell) {
    static char text[160];
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++)
        if (m->indices[i] >= m->vertex_count) return "an index past the vertices";
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++)
        if (!(m->positions[i] > -1e6f && m->positions[i] < 1e6f)) return "a position that is no number";
    for (size_t i = 0; m->normals && i < m->vertex_count; i++) {
        const float *n = &m->normals[3 * i], square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (!(square > 0.999f && square < 1.001f)) return "a normal of another length than 1";
        if (!(n[2] >= 0.0f)) return "a normal that faces down";
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        double n[3];
        const uint32_t *i = &m->indices[3 * t];
        if (i[0] == i[1] || i[1] == i[2] || i[0] == i[2]) return "a triangle with two corners";
        triangle_normal(m, t, n);
        const double area = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], least = 1e-5 * (double)cell * cell;
        if (!(area > least * least)) return "a triangle without area";
        if (!(n[2] > -1e-3 * (double)cell * cell) && !faces_outwards(m, i, n)) return "a triangle that faces down";
    }
    size_t count;
    mesh_edge *edges = mesh_edges(m, &count);
    const char *fault = NULL;
    for (size_t i = 0; i < count && !fault; i++)
        if (edges[i].forth > 1 || edges[i].back > 1) {
            snprintf(text, sizeof text, "edge %u-%u is passed %d times forth and %d back", edges[i].low, edges[i].high,
                     edges[i].forth, edges[i].back);
            fault = text;
        }
    free(edges);
    return fault;
}

#endif
