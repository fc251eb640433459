/* An older way to draw liquid, for comparison (Borgeat et al. 2011, as described in section 4 of Dagenais et al. 2018):
   the mesh of the ground with its vertices lifted to the liquid. The result has the resolution of the ground and tears
   where levels of the ground end. displaced_build() makes the mesh, displaced_free() frees it. */
#include "base/error.h"
#include "figures/figures.h"

#include <math.h>
#include <stdlib.h>

/* The column under a vertex. */
typedef struct column {
    float base, level; /* m */
    bool found;
} column;

/* Returns `i`, or the nearest of 0 to `count` - 1. */
static int clamp(int i, int count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

/* Returns the value of a field in column (x, y) of a layer; the arguments are not checked. */
static float field_at(const rn_surface_field *field, int layer, int y, int x) {
    return field->data[layer * field->layer_stride + y * field->row_stride + x];
}

/* Returns, of the columns of the cell that contains the vertex `at` (m), the one whose open range is nearest to the
   vertex in height; of equally near columns the lowest. For a vertex outside the grid, uses the nearest cell. `found`
   is false if the cell has no column. */
static column nearest_column(const rn_surface_columns *c, const float *at) {
    const int x = clamp((int)floorf((at[0] - c->origin_x) / c->cell_size), c->cells_x);
    const int y = clamp((int)floorf((at[1] - c->origin_y) / c->cell_size), c->cells_y);
    const float z = at[2] - c->datum;
    column nearest = {0};
    float least = INFINITY;
    for (int layer = 0; layer < c->layers; layer++) {
        const float base = field_at(&c->base, layer, y, x), ceil = field_at(&c->ceil, layer, y, x);
        if (base < 0 || base >= RN_NO_COLUMN) continue;
        const float away = fmaxf(fmaxf(base - z, z - ceil), 0);
        if (away >= least) continue;
        least = away;
        nearest = (column){base + c->datum, base + field_at(&c->depth, layer, y, x) + c->datum, true};
    }
    return nearest;
}

/* Copies the vertices of the ground to `mesh`, lifted to the level of the liquid where that is higher, and sets their
   number and their opacity, 0 where dry. `full_depth`: depth (m) at which liquid is opaque. */
static void lift_vertices(const rn_mesh *ground, const rn_surface_columns *c, double full_depth, rn_mesh *mesh) {
    for (uint32_t v = 0; v < ground->vertex_count; v++) {
        const float *from = ground->positions + 3 * (size_t)v;
        float *to = mesh->positions + 3 * (size_t)v;
        const column under = nearest_column(c, from);
        const float depth = under.found ? under.level - under.base : 0;
        for (int k = 0; k < 3; k++) to[k] = from[k];
        if (depth > 0 && under.level > from[2]) to[2] = under.level;
        mesh->opacity[v] = (float)fmin(depth / full_depth, 1); /* 0: dry */
    }
    mesh->vertex_count = ground->vertex_count;
}

/* Adds the triangles of the ground whose three corners are wet to the lifted mesh, and computes smooth normals from
   them; vertices without triangles get one that points up. Before, the mesh must have its opacity, zeroed normals and
   no triangles. */
static void add_wet_triangles(const rn_mesh *ground, rn_mesh *mesh) {
    for (size_t t = 0; t < ground->triangle_count; t++) {
        const uint32_t *corner = ground->indices + 3 * t;
        const float *wet = mesh->opacity;
        if (!(wet[corner[0]] > 0 && wet[corner[1]] > 0 && wet[corner[2]] > 0)) continue;
        const float *a = mesh->positions + 3 * (size_t)corner[0], *b = mesh->positions + 3 * (size_t)corner[1],
                    *c = mesh->positions + 3 * (size_t)corner[2];
        const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        for (int k = 0; k < 3; k++) {
            mesh->indices[3 * (size_t)mesh->triangle_count + (size_t)k] = corner[k];
            for (int i = 0; i < 3; i++) mesh->normals[3 * (size_t)corner[k] + (size_t)i] += n[i];
        }
        mesh->triangle_count++;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *n = mesh->normals + 3 * (size_t)v;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length > 0)
            for (int i = 0; i < 3; i++) n[i] /= length;
        else n[2] = 1;
    }
}

void displaced_free(rn_mesh *mesh) {
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->opacity);
    free(mesh->indices);
    *mesh = (rn_mesh){0};
}

rn_result displaced_build(const rn_mesh *ground, const rn_surface_columns *columns, double full_depth, rn_mesh *mesh) {
    const size_t vertices = ground->vertex_count, triangles = ground->triangle_count;
    *mesh = (rn_mesh){.positions = calloc(3 * vertices + 1, sizeof *mesh->positions),
                      .normals = calloc(3 * vertices + 1, sizeof *mesh->normals),
                      .opacity = calloc(vertices + 1, sizeof *mesh->opacity),
                      .indices = calloc(3 * triangles + 1, sizeof *mesh->indices),
                      .vertex_capacity = ground->vertex_count,
                      .triangle_capacity = ground->triangle_count};
    if (!mesh->positions || !mesh->normals || !mesh->opacity || !mesh->indices) {
        displaced_free(mesh);
        return rn_fail(RN_MEMORY, "there is not enough memory to lift %zu vertices of the ground", vertices);
    }
    lift_vertices(ground, columns, full_depth, mesh);
    add_wet_triangles(ground, mesh);
    return RN_OK;
}
