/* Meshes of solid, and what is true of a mesh: area, volume, Euler number, edges that are not as they should be. */
#ifndef MESH_FACTS_H
#define MESH_FACTS_H

#include "terrain_shapes.h"

#include <runnel/mesh.h>

typedef struct point {
    double x, y, z;
} point;

static inline point vertex(const rn_mesh *mesh, uint32_t i) {
    const float *p = mesh->positions + 3 * (size_t)i;
    return (point){p[0], p[1], p[2]};
}

static inline point minus(point a, point b) { return (point){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline point cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double dot(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double length(point a) { return sqrt(dot(a, a)); }

typedef struct mesh_edge {
    uint32_t low, high;
    int forward; /* 1: from low to high */
} mesh_edge;

static inline int by_ends(const void *left, const void *right) {
    const mesh_edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->forward - b->forward;
}

typedef struct facts {
    double area, volume;
    int64_t euler;
    int64_t open, crowded, twisted; /* edges of one triangle, of more than two, of two that turn against each other */
    int64_t degenerate, backwards;  /* triangles without area; whose side is not the one that their normals tell */
    int64_t lonely;                 /* vertices of no triangle */
} facts;

static inline facts look_at(const rn_mesh *mesh) {
    facts found = {0};
    const size_t count = 3 * (size_t)mesh->triangle_count;
    mesh_edge *edges = malloc((count + 1) * sizeof *edges);
    uint8_t *used = calloc((size_t)mesh->vertex_count + 1, 1);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->indices + 3 * t;
        for (int k = 0; k < 3; k++) {
            assert_true(corner[k] < mesh->vertex_count);
            used[corner[k]] = 1;
            const uint32_t a = corner[k], b = corner[(k + 1) % 3];
            edges[3 * t + (size_t)k] = a < b ? (mesh_edge){a, b, 1} : (mesh_edge){b, a, 0};
        }
        const point a = vertex(mesh, corner[0]), b = vertex(mesh, corner[1]), c = vertex(mesh, corner[2]);
        const point n = cross(minus(b, a), minus(c, a));
        found.area += 0.5 * length(n);
        found.volume += dot(a, cross(b, c)) / 6;
        found.degenerate +=
            corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0] || !(length(n) > 0);
        double facing = 0;
        for (int k = 0; k < 3; k++) {
            const float *m = mesh->normals + 3 * (size_t)corner[k];
            assert_near(m[0] * m[0] + m[1] * m[1] + m[2] * m[2], 1, 1e-5);
            facing += n.x * m[0] + n.y * m[1] + n.z * m[2];
        }
        found.backwards += facing < 0;
    }
    qsort(edges, count, sizeof *edges, by_ends);
    int64_t distinct = 0;
    for (size_t i = 0; i < count;) {
        size_t j = i;
        while (j < count && edges[j].low == edges[i].low && edges[j].high == edges[i].high) j++;
        distinct++;
        found.open += j - i == 1;
        found.crowded += j - i > 2;
        found.twisted += j - i == 2 && edges[i].forward == edges[i + 1].forward;
        i = j;
    }
    int64_t vertices = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++) vertices += used[i];
    found.lonely = mesh->vertex_count - vertices;
    found.euler = vertices - distinct + mesh->triangle_count;
    free(edges);
    free(used);
    return found;
}

static inline void assert_closed(const facts *f) {
    assert_int_equal(f->open, 0);
    assert_int_equal(f->crowded, 0);
    assert_int_equal(f->twisted, 0);
    assert_int_equal(f->degenerate, 0);
    assert_int_equal(f->lonely, 0);
}

static inline rn_ground_mesh *make(const rn_ground_mesh_def *def) {
    rn_ground_mesh *mesh = NULL;
    if (rn_ground_mesh_create(def, &mesh) != RN_OK) fail_msg("%s", rn_last_error());
    return mesh;
}

static inline rn_ground_mesh_def around(const rn_sdf *shape, double reach, double spacing, bool sharp) {
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.shape = shape;
    def.low = (rn_vec3){-reach, -reach, -reach};
    def.high = (rn_vec3){reach, reach, reach};
    def.spacing = spacing;
    def.sharp = sharp;
    return def;
}

static inline rn_vec3 random_turn(void) {
    return (rn_vec3){random_in(-180, 180), random_in(-180, 180), random_in(-180, 180)};
}

#endif
