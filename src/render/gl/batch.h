/* Buffers of vertices and triangles. */
#ifndef RN_RENDER_BATCH_H
#define RN_RENDER_BATCH_H

#include "render/gl/gl.h"

#include <stddef.h>

/* Vertices and triangles that GL has. */
typedef struct rn_batch {
    GLuint array, vertices, extras, indices;
    GLsizei count; /* of indices, or of vertices where there are none */
} rn_batch;

void rn_batch_make(const rn_gl *gl, rn_batch *batch);
void rn_batch_free(const rn_gl *gl, rn_batch *batch);
/* A place in the buffer that is bound, as GL expects it: an offset (bytes) in the form of a pointer. */
const void *rn_batch_place(size_t bytes);
/* Says where an attribute of each vertex lies in the buffer bound last: `numbers` numbers, `offset` bytes into a vertex
   of `bytes` bytes (0: nothing else is between them). */
void rn_batch_attribute(const rn_gl *gl, GLuint index, GLint numbers, GLenum type, size_t bytes, size_t offset);
void rn_batch_fill(const rn_gl *gl, GLenum target, GLuint buffer, size_t bytes, const void *data);

#endif
