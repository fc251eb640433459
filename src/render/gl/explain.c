/* Uploads the lines and squares of overlays that show links and flooded columns (explain.h). */
#include "render/gl/explain.h"

#include "base/memory.h"
#include "render/gl/programs.h"

#include <math.h>
#include <string.h>

typedef struct plain_vertex {
    float position[3], tint[4];
} plain_vertex;

/* Uploads `count` vertices as the content of a batch, without indices, and sets its count. */
static void upload_vertices(const rn_gl *gl, rn_batch *batch, const plain_vertex *vertices, size_t count) {
    gl->BindVertexArray(batch->array);
    rn_batch_fill(gl, GL_ARRAY_BUFFER, batch->vertices, count * sizeof *vertices, vertices);
    rn_batch_attribute(gl, RN_AT_POSITION, 3, GL_FLOAT, sizeof *vertices, offsetof(plain_vertex, position));
    rn_batch_attribute(gl, RN_AT_TINT, 4, GL_FLOAT, sizeof *vertices, offsetof(plain_vertex, tint));
    batch->count = (GLsizei)count;
}

/* Linear. An edge between two columns is a link; others end at walls, falls and the domain's edge. */
static const float link_colour[4] = {0.75f, 0.88f, 1.0f, 1.0f}, end_colour[4] = {1.0f, 0.34f, 0.05f, 1.0f};

rn_result rn_links_fill(const rn_gl *gl, rn_batch *links, const rn_mesh *surface, const rn_surface_columns *columns) {
    const size_t slots = columns ? rn_surface_slots(columns) : UINT32_MAX;
    plain_vertex *lines = rn_alloc(NULL, 6 * (size_t)surface->triangle_count, sizeof *lines), *next = lines;
    if (!lines) return RN_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) {
        const uint32_t ends[2] = {surface->indices[i], surface->indices[i % 3 == 2 ? i - 2 : i + 1]};
        const bool joined = !surface->ids || (surface->ids[ends[0]] < slots && surface->ids[ends[1]] < slots);
        for (int k = 0; k < 2; k++, next++) {
            memcpy(next->position, surface->positions + 3 * (size_t)ends[k], sizeof next->position);
            memcpy(next->tint, joined ? link_colour : end_colour, sizeof next->tint);
        }
    }
    upload_vertices(gl, links, lines, (size_t)(next - lines));
    rn_free(NULL, lines);
    return RN_OK;
}

/* The value of a field for the column of this layer and cell. */
static float value_at(const rn_surface_field *f, int layer, int y, int x) {
    return f->data[layer * f->layer_stride + y * f->row_stride + x];
}

/* Whether a wet column is full up to its ceiling, within 8 quanta. The lid does not count as a ceiling. Returns false
   for holes and slots without a column. */
static bool is_flooded(const rn_surface_columns *c, int layer, int y, int x) {
    const float base = value_at(&c->base, layer, y, x), ceil = value_at(&c->ceil, layer, y, x);
    const float depth = value_at(&c->depth, layer, y, x);
    if (base < 0 || base >= RN_NO_COLUMN || !(depth > 0) || (c->lid > 0 && ceil >= c->lid)) return false;
    return ceil - base - depth <= 8 * c->quantum;
}

/* Writes six vertices of two triangles at the ceiling of a column, a little smaller than its cell so that cells can be
   distinguished. */
static void put_square(const rn_surface_columns *c, int layer, int y, int x, plain_vertex *next) {
    static const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    const float margin = 0.06f, size = 1 - 2 * margin;
    for (int i = 0; i < 6; i++, next++) {
        next->position[0] = c->origin_x + c->cell_size * ((float)x + margin + size * corners[i][0]);
        next->position[1] = c->origin_y + c->cell_size * ((float)y + margin + size * corners[i][1]);
        next->position[2] = c->datum + value_at(&c->ceil, layer, y, x);
        memcpy(next->tint, (const float[4]){0.9f, 0.05f, 0.55f, 0.6f}, sizeof next->tint);
    }
}

rn_result rn_flooded_fill(const rn_gl *gl, rn_batch *flooded, const rn_surface_columns *columns) {
    plain_vertex *vertices = NULL;
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then write */
        size_t found = 0;
        for (int layer = 0; layer < columns->layers; layer++)
            for (int y = 0; y < columns->cells_y; y++)
                for (int x = 0; x < columns->cells_x; x++)
                    if (is_flooded(columns, layer, y, x)) {
                        if (pass) put_square(columns, layer, y, x, vertices + 6 * found);
                        found++;
                    }
        if (pass) break;
        count = found;
        vertices = rn_alloc(NULL, 6 * count, sizeof *vertices);
        if (!vertices) return RN_MEMORY;
    }
    upload_vertices(gl, flooded, vertices, 6 * count);
    rn_free(NULL, vertices);
    return RN_OK;
}
