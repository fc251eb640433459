/* Buffers of vertices and triangles in GL (batch.h). */
#include "render/gl/batch.h"

#include <string.h>

void rn_batch_make(const rn_gl *gl, rn_batch *batch) {
    gl->GenVertexArrays(1, &batch->array);
    gl->GenBuffers(1, &batch->vertices);
    gl->GenBuffers(1, &batch->extras);
    gl->GenBuffers(1, &batch->indices);
}

void rn_batch_free(const rn_gl *gl, rn_batch *batch) {
    const GLuint buffers[] = {batch->vertices, batch->extras, batch->indices};
    gl->DeleteBuffers(sizeof buffers / sizeof buffers[0], buffers);
    gl->DeleteVertexArrays(1, &batch->array);
}

const void *rn_batch_place(size_t bytes) {
    const void *place;
    memcpy(&place, &bytes, sizeof place);
    return place;
}

void rn_batch_attribute(const rn_gl *gl, GLuint index, GLint numbers, GLenum type, size_t bytes, size_t offset) {
    gl->EnableVertexAttribArray(index);
    gl->VertexAttribPointer(index, numbers, type, type != GL_FLOAT, (GLsizei)bytes, rn_batch_place(offset));
}

void rn_batch_fill(const rn_gl *gl, GLenum target, GLuint buffer, size_t bytes, const void *data) {
    gl->BindBuffer(target, buffer);
    gl->BufferData(target, (GLsizeiptr)bytes, data, GL_DYNAMIC_DRAW);
}
