/* Buffers of vertices and triangles. */
#ifndef RN_RENDER_BATCH_H
#define RN_RENDER_BATCH_H

#include "render/gl/gl.h"

#include <math.h>

#include <stddef.h>

/* Vertices and triangles in GL's memory. */
typedef struct rn_batch {
    GLuint array, vertices, extras, indices;
    GLsizei count; /* number of indices, or of vertices if there are no indices */
} rn_batch;

/* Creates the GL objects of a batch, without content; does not set the count. */
void rn_batch_make(const rn_gl *gl, rn_batch *batch);
/* Deletes the GL objects of a batch; all 0 is allowed. Its members stay as they are. */
void rn_batch_free(const rn_gl *gl, rn_batch *batch);
/* A position in the bound buffer as GL expects it: an offset (bytes) in the form of a pointer. */
const void *rn_batch_place(size_t bytes);
/* Declares where attribute `index` (RN_AT_...) of each vertex of the bound vertex array lies in the buffer bound last:
   `numbers` numbers, `offset` bytes into a vertex of `bytes` bytes (0: tightly packed). Types other than GL_FLOAT are
   scaled to 0..1. */
void rn_batch_attribute(const rn_gl *gl, GLuint index, GLint numbers, GLenum type, size_t bytes, size_t offset);
/* Binds a buffer to a target and fills it with `bytes` bytes; its old content is lost. If `data` is NULL, only sets the
   size of the buffer. */
void rn_batch_fill(const rn_gl *gl, GLenum target, GLuint buffer, size_t bytes, const void *data);

/* A byte for a value from 0 to 1; others are clamped. */
static inline uint8_t rn_byte_of(float x) { return (uint8_t)(255 * fminf(fmaxf(x, 0), 1) + 0.5f); }

#endif
