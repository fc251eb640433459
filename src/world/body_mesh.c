/* The triangles of all bodies at their current poses, for renderers and exports.

   Interface (world/body_mesh.h): rn_body_mesh_update and rn_body_mesh_free. The caller owns the rn_body_mesh, which
   begins as all 0, and reads its `mesh` after an update.

   Order of calls: world/skin.c updates it once per frame and render/topview.c once per picture. Both need only the
   world, whatever has run before; the poses are those that the host has set last.

   rn_body_mesh_update makes the look of a body once: its mesh in shape coordinates, with vertices split along sharp
   edges (surface/creases.h) and normals averaged over the triangles around a vertex. In every frame it only rotates
   and moves the vertices of all looks into one mesh, so a frame allocates nothing unless bodies are added. A look is
   compared with its shape by its vertices, because a number may stand for another shape once a state has been
   restored. A part has its own colour, or else that of the body; each vertex has the number of its body as its id. */
#include "world/body_mesh.h"

#include "base/memory.h"
#include "base/quat.h"
#include "surface/creases.h"

#include <string.h>

/* The look of body i, below look_count: its mesh in shape coordinates. */
static rn_mesh *body_look(const rn_body_mesh *bodies, size_t i) { return bodies->looks + i; }

/* ---- The look of a body ----------------------------------------------------------------------------------------- */

/* Sets each normal to the area-weighted mean over the triangles around the vertex, of unit length, so that round shapes
   look round; 0 where the triangles have no area. */
static void find_normals(rn_mesh *m) {
    const float *p = m->positions;
    memset(m->normals, 0, 3 * sizeof *m->normals * m->vertex_count);
    for (size_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *i = m->indices + 3 * t;
        float a[3], b[3];
        for (size_t k = 0; k < 3; k++) {
            a[k] = p[3 * (size_t)i[1] + k] - p[3 * (size_t)i[0] + k];
            b[k] = p[3 * (size_t)i[2] + k] - p[3 * (size_t)i[0] + k];
        }
        for (int corner = 0; corner < 3; corner++)
            for (size_t k = 0; k < 3; k++)
                m->normals[3 * (size_t)i[corner] + k] +=
                    a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
    for (size_t v = 0; v < m->vertex_count; v++) {
        float *n = m->normals + 3 * v;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3 && length > 0; k++) n[k] /= length;
    }
}

/* Whether a look was made from this shape: it begins with the shape's vertices, and has as many triangles. Returns
   false if there is no look yet. Shapes do not change, but a restored world may have others. */
static bool is_look_of(const rn_mesh *look, const rn_shape_info *shape) {
    return look->positions && look->triangle_count == shape->triangle_count &&
           look->vertex_count >= shape->vertex_count &&
           memcmp(look->positions, shape->positions, 3 * sizeof(float) * shape->vertex_count) == 0;
}

/* Creates the look of a shape, with vertices split at hard edges, in place of an old one of another shape; does nothing
   if the look was made from this shape. Returns RN_MEMORY, with a message, if memory runs out; then there is no
   look. */
static rn_result make_look(rn_mesh *look, const rn_shape_info *shape, const rn_hooks *hooks) {
    if (is_look_of(look, shape)) return RN_OK;
    rn_creases_free(look, hooks);
    float *positions = rn_alloc(hooks, shape->vertex_count, 3 * sizeof *positions);
    float *normals = rn_alloc(hooks, shape->vertex_count, 3 * sizeof *normals);
    uint32_t *indices = rn_alloc(hooks, shape->triangle_count, 3 * sizeof *indices);
    rn_result result = positions && normals && indices ? RN_OK : RN_MEMORY;
    if (result == RN_OK) {
        memcpy(positions, shape->positions, 3 * sizeof *positions * shape->vertex_count);
        memcpy(indices, shape->indices, 3 * sizeof *indices * shape->triangle_count);
        const rn_mesh whole = {.positions = positions,
                               .normals = normals,
                               .indices = indices,
                               .vertex_count = shape->vertex_count,
                               .triangle_count = shape->triangle_count};
        result = rn_creases_part(&whole, hooks, look); /* without normals, all edges are tested */
        if (result == RN_OK) find_normals(look);
    }
    rn_free(hooks, positions);
    rn_free(hooks, normals);
    rn_free(hooks, indices);
    return result;
}

/* ---- All bodies in place ---------------------------------------------------------------------------------------- */

/* Frees the arrays of the mesh of all bodies and sets everything to 0. */
static void free_mesh(rn_mesh *m, const rn_hooks *hooks) {
    rn_free(hooks, m->positions);
    rn_free(hooks, m->normals);
    rn_free(hooks, m->colours);
    rn_free(hooks, m->ids);
    rn_free(hooks, m->indices);
    *m = (rn_mesh){0};
}

void rn_body_mesh_free(rn_body_mesh *bodies, const rn_hooks *hooks) {
    for (size_t i = 0; i < bodies->look_count; i++) rn_creases_free(body_look(bodies, i), hooks);
    rn_free(hooks, bodies->looks);
    free_mesh(&bodies->mesh, hooks);
    *bodies = (rn_body_mesh){0};
}

/* Creates missing looks of bodies, and adds the numbers of vertices and triangles of all bodies that have not been
   removed to *vertices and *triangles. A removed body keeps its look. Returns RN_MEMORY, with a message, if memory runs
   out. */
static rn_result make_looks(rn_body_mesh *bodies, const rn_world *world, const rn_hooks *hooks, size_t *vertices,
                            size_t *triangles) {
    const int count = rn_bodies_count(world);
    for (int i = 0; i < count; i++) {
        if ((size_t)i == bodies->look_count) {
            if (!rn_grow(hooks, &bodies->looks, &bodies->look_capacity, bodies->look_count, sizeof *bodies->looks))
                return RN_MEMORY;
            *body_look(bodies, bodies->look_count++) = (rn_mesh){0};
        }
        const rn_body_info body = rn_bodies_describe(world, i);
        if (!body.there) continue;
        const rn_shape_info shape = rn_shape_describe(body.drawn);
        if (make_look(body_look(bodies, (size_t)i), &shape, hooks) != RN_OK) return RN_MEMORY;
        *vertices += body_look(bodies, (size_t)i)->vertex_count;
        *triangles += body_look(bodies, (size_t)i)->triangle_count;
    }
    return RN_OK;
}

/* Makes room for a mesh of this size, neither number 0; where the arrays must grow, their content and the counts are
   lost. Returns RN_MEMORY, with the mesh empty, if memory runs out or 32 bits are too few to index the mesh; the latter
   has no message. */
static rn_result make_room(rn_mesh *m, size_t vertices, size_t triangles, const rn_hooks *hooks) {
    if (m->positions && vertices <= m->vertex_capacity && triangles <= m->triangle_capacity) return RN_OK;
    free_mesh(m, hooks);
    m->positions = rn_alloc(hooks, vertices, 3 * sizeof *m->positions);
    m->normals = rn_alloc(hooks, vertices, 3 * sizeof *m->normals);
    m->colours = rn_alloc(hooks, vertices, 3 * sizeof *m->colours);
    m->ids = rn_alloc(hooks, vertices, sizeof *m->ids);
    m->indices = rn_alloc(hooks, triangles, 3 * sizeof *m->indices);
    if (m->positions && m->normals && m->colours && m->ids && m->indices && vertices < UINT32_MAX &&
        triangles < UINT32_MAX / 3) {
        m->vertex_capacity = (uint32_t)vertices;
        m->triangle_capacity = (uint32_t)triangles;
        return RN_OK;
    }
    free_mesh(m, hooks);
    return RN_MEMORY;
}

/* Writes a vector as three floats. */
static void put_vector(float *to, rn_vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static rn_vec3 get_vector(const float *from) { return (rn_vec3){(double)from[0], (double)from[1], (double)from[2]}; }

/* Gives the vertices of a part its colour, if that is not all 0; parts share no vertices. The body has been added
   already, but is not in m->vertex_count yet. */
static void paint_part(rn_mesh *m, const rn_mesh *look, const rn_shape_part *part) {
    const rn_vec3 c = part->colour;
    if (c.x == 0 && c.y == 0 && c.z == 0) return;
    for (size_t i = 3 * (size_t)part->first; i < 3 * ((size_t)part->first + part->count); i++)
        put_vector(m->colours + 3 * ((size_t)m->vertex_count + look->indices[i]), c);
}

/* Adds a body to the mesh, which has room, at the last pose set, with its number as the id of its vertices. */
static void put_body(rn_mesh *m, const rn_mesh *look, const rn_body_info *body, int number) {
    const rn_vec3 at = body->pose.at;
    double rows[3][3];
    rn_quat_rows(body->pose.turn, rows);
    for (size_t v = 0; v < look->vertex_count; v++) {
        const size_t to = m->vertex_count + v;
        const rn_vec3 p = rn_rows_rotate(rows, get_vector(look->positions + 3 * v));
        put_vector(m->positions + 3 * to, (rn_vec3){at.x + p.x, at.y + p.y, at.z + p.z});
        put_vector(m->normals + 3 * to, rn_rows_rotate(rows, get_vector(look->normals + 3 * v)));
        put_vector(m->colours + 3 * to, body->colour);
        m->ids[to] = (uint32_t)number;
    }
    const rn_shape_info shape = rn_shape_describe(body->drawn);
    for (int i = 0; i < shape.part_count; i++) paint_part(m, look, &shape.parts[i]);
    for (size_t i = 0; i < 3 * (size_t)look->triangle_count; i++)
        m->indices[3 * (size_t)m->triangle_count + i] = m->vertex_count + look->indices[i];
    m->vertex_count += look->vertex_count;
    m->triangle_count += look->triangle_count;
}

rn_result rn_body_mesh_update(rn_body_mesh *bodies, const rn_world *world, const rn_hooks *hooks) {
    size_t vertices = 0, triangles = 0;
    rn_mesh *m = &bodies->mesh;
    m->vertex_count = m->triangle_count = 0;
    rn_result result = make_looks(bodies, world, hooks, &vertices, &triangles);
    if (result != RN_OK || vertices == 0) return result;
    result = make_room(m, vertices, triangles, hooks);
    for (int i = 0; i < rn_bodies_count(world) && result == RN_OK; i++) {
        const rn_body_info body = rn_bodies_describe(world, i);
        if (body.there) put_body(m, body_look(bodies, (size_t)i), &body, i);
    }
    return result;
}
