/* rn_renderer_set_bodies: uploads the triangles of bodies, with the light that reaches each vertex. */
#include "base/error.h"
#include "base/memory.h"
#include "render/gl/renderer.h"

#include <string.h>

/* Floats, as GL expects, except for the shade, which is like that of the ground. */
typedef struct body_vertex {
    float position[3], normal[3], tint[3];
    uint8_t shade[4];
} body_vertex;

/* Writes all vertices of bodies, grey if they have no colours, with how much of the sky the ground leaves open there.
   `vertices` has room for bodies->vertex_count, all 0 before. */
static void put_vertices(const rn_renderer *r, const rn_mesh *bodies, body_vertex *vertices) {
    static const float grey[3] = {0.4f, 0.4f, 0.4f};
    for (size_t v = 0; v < bodies->vertex_count; v++) {
        body_vertex *to = &vertices[v];
        memcpy(to->position, bodies->positions + 3 * v, sizeof to->position);
        memcpy(to->normal, bodies->normals + 3 * v, sizeof to->normal);
        memcpy(to->tint, bodies->colours ? bodies->colours + 3 * v : grey, sizeof to->tint);
        to->shade[0] = rn_byte_of(rn_occlusion_open(&r->occlusion, to->position, to->normal));
        to->shade[3] = 128; /* neither lighter nor darker */
    }
}

rn_result rn_renderer_set_bodies(rn_renderer *renderer, const rn_mesh *bodies) {
    rn_renderer *r = renderer;
    const rn_gl *gl = &r->gl;
    const size_t bytes = sizeof(body_vertex);
    if (bodies->vertex_count && !bodies->normals) return rn_fail(RN_INVALID, "the bodies to be drawn have no normals");
    if (rn_renderer_use(r) != RN_OK) return RN_DRIVER;
    const uint64_t hash_was = r->bodies.count ? r->bodies_hash : 0;
    const rn_matrix lamp_was = r->lamp_was, map_lamp = r->map_lamp;
    if (r->bodies.count || bodies->triangle_count) r->lamp_was = r->map_lamp = (rn_matrix){0}; /* shadows may change */
    r->bodies.count = 0;
    if (bodies->triangle_count == 0) return RN_OK;
    if (rn_targets_make_bare(gl, &r->targets) != RN_OK) return RN_DRIVER;
    body_vertex *vertices = rn_alloc(NULL, bodies->vertex_count, sizeof *vertices);
    if (!vertices) return RN_MEMORY;
    put_vertices(r, bodies, vertices);
    r->bodies_hash = rn_renderer_hash(vertices, bodies->vertex_count * bytes) ^ bodies->triangle_count;
    if (r->bodies_hash == hash_was) r->lamp_was = lamp_was, r->map_lamp = map_lamp; /* they have not */
    gl->BindVertexArray(r->bodies.array);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, r->bodies.vertices, bodies->vertex_count * bytes, vertices);
    rn_batch_attribute(gl, RN_AT_POSITION, 3, GL_FLOAT, bytes, offsetof(body_vertex, position));
    rn_batch_attribute(gl, RN_AT_NORMAL, 3, GL_FLOAT, bytes, offsetof(body_vertex, normal));
    rn_batch_attribute(gl, RN_AT_TINT, 3, GL_FLOAT, bytes, offsetof(body_vertex, tint));
    rn_batch_attribute(gl, RN_AT_SHADE, 4, GL_UNSIGNED_BYTE, bytes, offsetof(body_vertex, shade));
    rn_batch_fill(gl, GL_ELEMENT_ARRAY_BUFFER, r->bodies.indices, 12 * (size_t)bodies->triangle_count, bodies->indices);
    r->bodies.count = (GLsizei)(3 * bodies->triangle_count);
    rn_free(NULL, vertices);
    return RN_OK;
}
