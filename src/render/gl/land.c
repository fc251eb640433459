/* Uploads the land around the ground (land.h). */
#include "render/gl/land.h"

#include "base/memory.h"
#include "render/gl/programs.h"
#include "render/mottle.h"

#include <math.h>
#include <string.h>

enum { SHADED_RINGS = 9 }; /* the innermost, which have the shadows of the ground's hollows */

rn_result rn_land_upload(const rn_gl *gl, const rn_mesh *ground, rn_vec3 low_corner, rn_vec3 high_corner,
                         const rn_occlusion *occlusion, rn_land *land, rn_batch *batch) {
    const float low[3] = {(float)low_corner.x, (float)low_corner.y, (float)low_corner.z};
    const float high[3] = {(float)high_corner.x, (float)high_corner.y, (float)high_corner.z};
    batch->count = 0;
    if (rn_land_make(ground, low, high, land) != RN_OK) return RN_MEMORY;
    const size_t count = land->index_count ? (size_t)RN_LAND_RINGS * RN_LAND_POINTS : 0;
    uint8_t(*shades)[4] = rn_alloc(NULL, count, sizeof *shades);
    if (!shades) return RN_MEMORY;
    const float mottle_scale = (float)(22 / fmax(rn_length(rn_difference(high_corner, low_corner)), 1e-6));
    for (size_t v = 0; v < count; v++) {
        const size_t shown = v < RN_LAND_POINTS ? v + RN_LAND_POINTS : v; /* the innermost ring lies in the ground */
        const float *p = land->positions + 3 * shown, *n = land->normals + 3 * shown;
        const bool near = v < (size_t)SHADED_RINGS * RN_LAND_POINTS;
        shades[v][0] = near ? rn_byte_of(rn_occlusion_open(occlusion, p, n)) : 255;
        shades[v][3] = near ? rn_byte_of(rn_mottle(p, mottle_scale)) : 128;
    }
    gl->BindVertexArray(batch->array);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, batch->extras, count * sizeof *shades, shades);
    rn_free(NULL, shades);
    rn_batch_attribute(gl, RN_AT_SHADE, 4, GL_UNSIGNED_BYTE, sizeof *shades, 0);
    const size_t bytes = 3 * sizeof(float) * count;
    rn_batch_fill(gl, GL_ARRAY_BUFFER, batch->vertices, 2 * bytes, NULL);
    gl->BufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, land->positions);
    gl->BufferSubData(GL_ARRAY_BUFFER, (GLintptr)bytes, (GLsizeiptr)bytes, land->normals);
    rn_batch_attribute(gl, RN_AT_POSITION, 3, GL_FLOAT, 0, 0);
    rn_batch_attribute(gl, RN_AT_NORMAL, 3, GL_FLOAT, 0, bytes);
    rn_batch_fill(gl, GL_ELEMENT_ARRAY_BUFFER, batch->indices, land->index_count * sizeof(uint32_t), land->indices);
    batch->count = (GLsizei)land->index_count;
    return RN_OK;
}
