/* Triangle meshes that tests make, spoil and turn into solids. */
#ifndef TESTS_MESH_MAKERS_H
#define TESTS_MESH_MAKERS_H

#include "terrain_shapes.h"

typedef struct made_mesh {
    float *positions;
    uint32_t *indices;
    uint32_t vertices, triangles;
} made_mesh;

static inline made_mesh mesh_room(size_t vertices, size_t triangles) {
    made_mesh m = {calloc(3 * vertices + 1, sizeof(float)), calloc(3 * triangles + 1, sizeof(uint32_t)), 0, 0};
    assert_true(m.positions && m.indices);
    return m;
}

static inline void mesh_free(made_mesh *m) {
    free(m->positions);
    free(m->indices);
    *m = (made_mesh){0};
}

static inline uint32_t mesh_point(made_mesh *m, double x, double y, double z) {
    float *p = m->positions + 3 * (size_t)m->vertices;
    p[0] = (float)x;
    p[1] = (float)y;
    p[2] = (float)z;
    return m->vertices++;
}

static inline void mesh_triangle(made_mesh *m, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *t = m->indices + 3 * (size_t)m->triangles++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static inline void mesh_quad(made_mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    mesh_triangle(m, a, b, c);
    mesh_triangle(m, a, c, d);
}

/* A sphere of rings and two poles. */
static inline made_mesh sphere_mesh(double radius, int rings, int around) {
    made_mesh m = mesh_room((size_t)(rings * around + 2), (size_t)(2 * rings * around));
    for (int i = 1; i < rings; i++)
        for (int k = 0; k < around; k++) {
            const double polar = pi * i / rings, turn = 2 * pi * k / around;
            mesh_point(&m, radius * sin(polar) * cos(turn), radius * sin(polar) * sin(turn), radius * cos(polar));
        }
    const uint32_t top = mesh_point(&m, 0, 0, radius), bottom = mesh_point(&m, 0, 0, -radius), n = (uint32_t)around;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t next = (k + 1) % n, last = (uint32_t)(rings - 2) * n;
        mesh_triangle(&m, top, k, next);
        for (uint32_t i = 0; i + 2 < (uint32_t)rings; i++)
            mesh_quad(&m, i * n + k, (i + 1) * n + k, (i + 1) * n + next, i * n + next);
        mesh_triangle(&m, bottom, last + next, last + k);
    }
    return m;
}

static inline made_mesh torus_mesh(double ring, double tube, int along, int around) {
    made_mesh m = mesh_room((size_t)(along * around), (size_t)(2 * along * around));
    for (int i = 0; i < along; i++)
        for (int k = 0; k < around; k++) {
            const double u = 2 * pi * i / along, v = 2 * pi * k / around, r = ring + tube * cos(v);
            mesh_point(&m, r * cos(u), r * sin(u), tube * sin(v));
        }
    const uint32_t a = (uint32_t)along, n = (uint32_t)around;
    for (uint32_t i = 0; i < a; i++)
        for (uint32_t k = 0; k < n; k++)
            mesh_quad(&m, i * n + k, (i + 1) % a * n + k, (i + 1) % a * n + (k + 1) % n, i * n + (k + 1) % n);
    return m;
}

/* Adds a box around a middle; `skip` leaves faces away, bit 2 axis + side. */
static inline void mesh_add_box(made_mesh *m, rn_vec3 size, rn_vec3 middle, int skip) {
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const uint32_t first = m->vertices;
    for (int c = 0; c < 8; c++)
        mesh_point(m, middle.x + size.x * ((c & 1) - 0.5), middle.y + size.y * ((c >> 1 & 1) - 0.5),
                   middle.z + size.z * ((c >> 2) - 0.5));
    for (int f = 0; f < 6; f++)
        if (!(skip >> f & 1))
            mesh_quad(m, first + faces[f][0], first + faces[f][1], first + faces[f][2], first + faces[f][3]);
}

static inline made_mesh box_mesh(rn_vec3 size) {
    made_mesh m = mesh_room(8, 12);
    mesh_add_box(&m, size, (rn_vec3){0, 0, 0}, 0);
    return m;
}

/* Rolling ground of cells squared, `wide` across, around the origin. */
static inline made_mesh ground_mesh(int cells, double wide, double high) {
    const uint32_t n = (uint32_t)cells + 1;
    made_mesh m = mesh_room((size_t)n * n, 2 * (size_t)cells * (size_t)cells);
    for (uint32_t y = 0; y < n; y++)
        for (uint32_t x = 0; x < n; x++) {
            const double u = (double)x / cells, v = (double)y / cells;
            mesh_point(&m, wide * (u - 0.5), wide * (v - 0.5), high * sin(7 * u) * cos(5 * v));
        }
    for (uint32_t y = 0; y + 1 < n; y++)
        for (uint32_t x = 0; x + 1 < n; x++)
            mesh_quad(&m, y * n + x, y * n + x + 1, (y + 1) * n + x + 1, (y + 1) * n + x);
    return m;
}

/* Every triangle with corners of its own, in a random order. */
static inline made_mesh mesh_soup(const made_mesh *of) {
    made_mesh m = mesh_room(3 * (size_t)of->triangles, of->triangles);
    uint32_t *order = calloc(of->triangles, sizeof *order);
    assert_non_null(order);
    for (uint32_t i = 0; i < of->triangles; i++) order[i] = i;
    for (uint32_t i = of->triangles; i > 1; i--) {
        const uint32_t k = (uint32_t)(random_unit() * i), kept = order[k];
        order[k] = order[i - 1];
        order[i - 1] = kept;
    }
    for (uint32_t i = 0; i < of->triangles; i++) {
        for (int k = 0; k < 3; k++) {
            const float *p = of->positions + 3 * (size_t)of->indices[3 * (size_t)order[i] + (size_t)k];
            mesh_point(&m, (double)p[0], (double)p[1], (double)p[2]);
        }
        mesh_triangle(&m, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    free(order);
    return m;
}

/* A copy with room for `more` times as many triangles. */
static inline made_mesh mesh_copy(const made_mesh *of, size_t more) {
    made_mesh m = mesh_room(of->vertices * more, of->triangles * more);
    memcpy(m.positions, of->positions, 3 * (size_t)of->vertices * sizeof(float));
    memcpy(m.indices, of->indices, 3 * (size_t)of->triangles * sizeof(uint32_t));
    m.vertices = of->vertices;
    m.triangles = of->triangles;
    return m;
}

static inline void mesh_flip(made_mesh *m, uint32_t triangle) {
    uint32_t *t = m->indices + 3 * (size_t)triangle, kept = t[1];
    t[1] = t[2];
    t[2] = kept;
}

static inline void mesh_append(made_mesh *to, const made_mesh *what, rn_vec3 by) {
    const uint32_t first = to->vertices;
    for (uint32_t v = 0; v < what->vertices; v++) {
        const float *p = what->positions + 3 * (size_t)v;
        mesh_point(to, (double)p[0] + by.x, (double)p[1] + by.y, (double)p[2] + by.z);
    }
    for (uint32_t t = 0; t < what->triangles; t++) {
        const uint32_t *i = what->indices + 3 * (size_t)t;
        mesh_triangle(to, first + i[0], first + i[1], first + i[2]);
    }
}

/* A mesh among the shared data; NULL if it is not there. */
static inline FILE *mesh_open(const char *name) {
    const char *folder = getenv("RUNNEL_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/meshes/%s", folder ? folder : "../shared/data", name);
    return fopen(path, "rb");
}

/* The vertices and triangles of an OBJ file that has nothing else. */
static inline bool mesh_read_obj(const char *name, size_t vertices, size_t triangles, made_mesh *m) {
    FILE *file = mesh_open(name);
    if (!file) return false;
    *m = mesh_room(vertices, triangles);
    char line[256];
    while (fgets(line, sizeof line, file)) {
        double p[3];
        unsigned i[3];
        if (sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3) {
            assert_true(m->vertices < vertices);
            mesh_point(m, p[0], p[1], p[2]);
        } else if (sscanf(line, "f %u %u %u", &i[0], &i[1], &i[2]) == 3) {
            assert_true(m->triangles < triangles);
            mesh_triangle(m, i[0] - 1, i[1] - 1, i[2] - 1);
        }
    }
    fclose(file);
    return true;
}

/* A binary STL file. */
static inline bool mesh_read_stl(const char *name, made_mesh *m) {
    FILE *file = mesh_open(name);
    if (!file) return false;
    unsigned char head[84], facet[50];
    uint32_t count;
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    memcpy(&count, head + 80, 4);
    *m = mesh_room(3 * (size_t)count, count);
    for (uint32_t t = 0; t < count; t++) {
        assert_int_equal(fread(facet, 1, sizeof facet, file), sizeof facet);
        memcpy(m->positions + 9 * (size_t)t, facet + 12, 36);
        m->vertices += 3;
        mesh_triangle(m, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    fclose(file);
    return true;
}

static inline rn_mesh_solid_def mesh_def(const made_mesh *m) {
    rn_mesh_solid_def def = rn_mesh_solid_default();
    def.positions = m->positions;
    def.indices = m->indices;
    def.vertex_count = m->vertices;
    def.triangle_count = m->triangles;
    return def;
}

#endif
