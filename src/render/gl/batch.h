/* Buffers of vertices and triangles. */
#ifndef RN_RENDER_BATCH_H
#define RN_RENDER_BATCH_H

#include "render/gl/gl.h"

#include <stddef.h>

/* Vertices and triangles in GL's memory. */
typedef struct rn_batch {
    GLuint array, vertices, extras, indices;
    GLsizei count; /* number of indices, or of vertices if there are no indices */
} rn_batch;

void rn_batch_make(const rn_gl *gl, rn_batch *batch);
void rn_batch_free(const rn_gl *gl, rn_batch *batch);
/* A position in the bound buffer as GL expects it: an offset (bytes) in the form of a pointer. */
const void *rn_batch_place(size_t bytes);
/* Declares where an attribute of each vertex lies in the buffer bound last: `numbers` numbers, `offset` bytes into a
   vertex of `bytes` bytes (0: tightly packed). */
void rn_batch_attribute(const rn_gl *gl, GLuint index, GLint numbers, GLenum type, size_t bytes, size_t offset);
/* Fills a buffer, whose old content is lost. */
void rn_batch_fill(const rn_gl *gl, GLenum target, GLuint buffer, size_t bytes, const void *data);

#endif
