/* Sharp edges of meshes of solid: vertices are duplicated along creases, so that each side has its own normals.

   Interface (surface/creases.h): rn_creases_part makes a new mesh with more vertices, and rn_creases_free frees it.
   The renderer calls it whenever it gets a new ground (render/gl/renderer.c), world/body_mesh.c once for each shape
   of a body.

   Triangles around a vertex are grouped by direction: the first face of a group leads it, and a face joins the
   nearest group or begins its own if the angle is too large. If there is more than one group, each gets its own
   vertex, with the area-weighted mean of its faces as the normal. The angle is 60 degrees where the mesh's normal
   agrees with the mean of the faces, because the solid is then round, if coarse, and about 32 degrees elsewhere. A
   mesh with normals of 0 has every edge tested against the latter.

   Slivers join the nearest group at the end, because their direction is random. A vertex with more than MOST_CORNERS
   triangles is not split. Vertices are counted first, so that memory is taken once; the order of the original
   vertices and of all triangles stays. */
#include "surface/creases.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_CORNERS = 32 }; /* most triangles around a vertex; a vertex with more is not split */
/* Cosines of the angle between two faces from which on they are two sides. Where the mesh's normal agrees with the
   mean of the faces, the solid is round, if coarse, and only sharp edges count. */
static const float sharp_edge = 0.5f, any_edge = 0.85f, is_round = 0.975f;

/* Relative to the largest triangle at a vertex. */
static const float sliver = 0.003f;

typedef struct faces {
    float *normals;    /* unit length, of each triangle */
    float *sizes;      /* m^2, twice the area */
    uint32_t *starts;  /* for each vertex, index of its first corner */
    uint32_t *corners; /* indices into the list of indices, vertex by vertex */
} faces;

/* Unit normal of triangle t, and twice its area (m^2); a normal of 0 if it has no area. */
static void face_normal(const rn_mesh *m, size_t t, float n[3], float *size) {
    const float *p[3];
    float a[3], b[3];
    for (int i = 0; i < 3; i++) p[i] = m->positions + 3 * (size_t)m->indices[3 * t + (size_t)i];
    for (int i = 0; i < 3; i++) {
        a[i] = p[1][i] - p[0][i];
        b[i] = p[2][i] - p[0][i];
    }
    for (int i = 0; i < 3; i++) n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    *size = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) n[i] = *size > 0 ? n[i] / *size : 0;
}

/* Frees the arrays of `f`; not the struct itself. */
static void free_faces(faces *f, const rn_hooks *hooks) {
    rn_free(hooks, f->normals);
    rn_free(hooks, f->sizes);
    rn_free(hooks, f->starts);
    rn_free(hooks, f->corners);
}

/* Allocates `f`, and finds normals and sizes of all triangles, and the corners of each vertex. Returns false if memory
   runs out; call free_faces in both cases. */
static bool make_faces(const rn_mesh *m, const rn_hooks *hooks, faces *f) {
    const size_t corners = 3 * (size_t)m->triangle_count;
    f->normals = rn_alloc(hooks, m->triangle_count, 3 * sizeof(float));
    f->sizes = rn_alloc(hooks, m->triangle_count, sizeof(float));
    f->starts = rn_alloc(hooks, (size_t)m->vertex_count + 2, sizeof(uint32_t));
    f->corners = rn_alloc(hooks, corners, sizeof(uint32_t));
    if (!f->normals || !f->sizes || !f->starts || !f->corners) return false;
    for (size_t t = 0; t < m->triangle_count; t++) face_normal(m, t, f->normals + 3 * t, f->sizes + t);
    for (size_t i = 0; i < corners; i++) f->starts[m->indices[i] + 2]++;
    for (size_t v = 0; v < m->vertex_count; v++) f->starts[v + 1] += f->starts[v];
    for (size_t i = 0; i < corners; i++) f->corners[f->starts[m->indices[i] + 1]++] = (uint32_t)i;
    return true;
}

/* The dot product: of unit vectors, the cosine of the angle between them. */
static float facing(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The side whose first face is closest in direction to `normal`, if the cosine is above `least`, or -1 if there is
   none. */
static int nearest_side(const float *const *first, int found, const float *normal, float least) {
    int best = -1;
    for (int k = 0; k < found; k++)
        if (facing(normal, first[k]) > least) {
            least = facing(normal, first[k]);
            best = k;
        }
    return best;
}

/* Writes the side of each corner of a vertex, and returns the number of sides. `count`: at most MOST_CORNERS. `edge`:
   cosine below which faces are separated. Slivers join the nearest side, because their direction is random. */
static int find_sides(const faces *f, const uint32_t *corners, uint32_t count, float edge, uint8_t *sides) {
    int found = 0;
    const float *first[MOST_CORNERS];
    float largest = 0;
    for (uint32_t i = 0; i < count; i++) largest = fmaxf(largest, f->sizes[corners[i] / 3]);
    for (int slivers = 0; slivers < 2; slivers++)
        for (uint32_t i = 0; i < count; i++) {
            const float *n = f->normals + 3 * (size_t)(corners[i] / 3);
            if ((f->sizes[corners[i] / 3] < sliver * largest) != slivers) continue;
            int best = nearest_side(first, found, n, slivers ? -2 : edge);
            if (best < 0) {
                best = found;
                first[found++] = n;
            }
            sides[i] = (uint8_t)best;
        }
    return found;
}

/* The cosine below which faces at a vertex are separated: only sharp edges where its normal agrees with the mean of
   the faces. */
static float edge_at(const faces *f, const uint32_t *corners, uint32_t count, const float *normal) {
    float sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const size_t t = corners[i] / 3;
        for (size_t k = 0; k < 3; k++) sum[k] += f->sizes[t] * f->normals[3 * t + k];
    }
    return facing(sum, normal) > is_round * sqrtf(facing(sum, sum)) ? sharp_edge : any_edge;
}

/* Copies vertex v of one mesh to vertex w of another. */
static void copy_vertex(const rn_mesh *from, size_t v, rn_mesh *to, size_t w) {
    memcpy(to->positions + 3 * w, from->positions + 3 * v, 3 * sizeof(float));
    memcpy(to->normals + 3 * w, from->normals + 3 * v, 3 * sizeof(float));
    if (to->colours) memcpy(to->colours + 3 * w, from->colours + 3 * v, 3 * sizeof(float));
    if (to->ids) to->ids[w] = from->ids[v];
}

/* Gives each side of a crease at vertex v its own vertex and normal; the first side keeps v, the others are appended to
   `to`. Does nothing at a vertex with one side or more than MOST_CORNERS corners. */
static void part_vertex(const faces *f, const rn_mesh *m, uint32_t v, rn_mesh *to) {
    const uint32_t *corners = f->corners + f->starts[v], count = f->starts[v + 1] - f->starts[v];
    uint8_t sides[MOST_CORNERS];
    if (count > MOST_CORNERS) return;
    const int found = find_sides(f, corners, count, edge_at(f, corners, count, m->normals + 3 * (size_t)v), sides);
    for (int side = 0; side < found && found > 1; side++) {
        const uint32_t w = side ? to->vertex_count++ : v;
        float sum[3] = {0, 0, 0};
        copy_vertex(m, v, to, w);
        for (uint32_t i = 0; i < count; i++) {
            if (sides[i] != side) continue;
            const size_t t = corners[i] / 3;
            to->indices[corners[i]] = w;
            for (int k = 0; k < 3; k++) sum[k] += f->sizes[t] * f->normals[3 * t + (size_t)k];
        }
        const float length = sqrtf(facing(sum, sum));
        for (size_t k = 0; k < 3 && length > 0; k++) to->normals[3 * (size_t)w + k] = sum[k] / length;
    }
}

void rn_creases_free(rn_mesh *parted, const rn_hooks *hooks) {
    rn_free(hooks, parted->positions);
    rn_free(hooks, parted->normals);
    rn_free(hooks, parted->colours);
    rn_free(hooks, parted->ids);
    rn_free(hooks, parted->indices);
    *parted = (rn_mesh){0};
}

/* The number of vertices once all creases are split. */
static size_t most_vertices(const faces *f, const rn_mesh *m) {
    uint8_t sides[MOST_CORNERS];
    size_t count = m->vertex_count;
    for (size_t v = 0; v < m->vertex_count; v++) {
        const uint32_t *corners = f->corners + f->starts[v], number = f->starts[v + 1] - f->starts[v];
        const float edge = edge_at(f, corners, number, m->normals + 3 * v);
        if (number <= MOST_CORNERS && number > 1) count += (size_t)find_sides(f, corners, number, edge, sides) - 1;
    }
    return count;
}

rn_result rn_creases_part(const rn_mesh *mesh, const rn_hooks *hooks, rn_mesh *parted) {
    faces f = {0};
    *parted = (rn_mesh){.vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    bool good = make_faces(mesh, hooks, &f);
    if (good) {
        const size_t room = most_vertices(&f, mesh);
        parted->positions = rn_alloc(hooks, room, 3 * sizeof(float));
        parted->normals = rn_alloc(hooks, room, 3 * sizeof(float));
        if (mesh->colours) parted->colours = rn_alloc(hooks, room, 3 * sizeof(float));
        if (mesh->ids) parted->ids = rn_alloc(hooks, room, sizeof *parted->ids);
        parted->indices = rn_alloc(hooks, mesh->triangle_count, 3 * sizeof(uint32_t));
        good = parted->positions && parted->normals && parted->indices && !parted->colours == !mesh->colours &&
               !parted->ids == !mesh->ids && room < UINT32_MAX;
    }
    if (good) {
        memcpy(parted->indices, mesh->indices, 3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            copy_vertex(mesh, v, parted, v);
            part_vertex(&f, mesh, v, parted);
        }
    } else {
        rn_creases_free(parted, hooks);
    }
    free_faces(&f, hooks);
    return good ? RN_OK : RN_MEMORY;
}
