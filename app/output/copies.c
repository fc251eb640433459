/* Copies meshes and columns of a world, so that other threads can use them while the world steps on (copies.h):
   mesh_copy_take() and columns_copy_take(), and functions that free the copies. */
#include "output/copies.h"

#include <stdlib.h>
#include <string.h>

/* All arrays are stored one after the other in the copy's own memory; each size is a multiple of four bytes. Returns
   false if there is not enough memory. */
bool mesh_copy_take(mesh_copy *copy, const rn_mesh *from) {
    const size_t vertices = from->vertex_count;
    const struct {
        const void *from;
        size_t bytes;
    } parts[] = {{from->positions, 12 * vertices},  {from->normals, 12 * vertices},
                 {from->colours, 12 * vertices},    {from->opacity, 4 * vertices},
                 {from->velocities, 12 * vertices}, {from->menisci, 16 * vertices},
                 {from->ids, 4 * vertices},         {from->indices, 12 * (size_t)from->triangle_count}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    size_t needed = 4;
    for (int i = 0; i < PARTS; i++) needed += parts[i].from ? parts[i].bytes : 0;
    if (needed > copy->room) {
        free(copy->memory);
        copy->room = needed + needed / 4;
        copy->memory = malloc(copy->room);
        if (!copy->memory) copy->room = 0;
        if (!copy->memory) return false;
    }
    void *copies[PARTS] = {NULL};
    char *at = copy->memory;
    for (int i = 0; i < PARTS; i++) {
        if (!parts[i].from) continue;
        copies[i] = memcpy(at, parts[i].from, parts[i].bytes);
        at += parts[i].bytes;
    }
    copy->mesh = (rn_mesh){.positions = copies[0],
                           .normals = copies[1],
                           .colours = copies[2],
                           .opacity = copies[3],
                           .velocities = copies[4],
                           .menisci = copies[5],
                           .ids = copies[6],
                           .indices = copies[7],
                           .vertex_count = from->vertex_count,
                           .triangle_count = from->triangle_count,
                           .vertex_capacity = from->vertex_count,
                           .triangle_capacity = from->triangle_count};
    return true;
}

void mesh_copy_free(mesh_copy *copy) {
    free(copy->memory);
    *copy = (mesh_copy){.room = 0};
}

bool columns_copy_take(columns_copy *copy, const rn_surface_columns *columns) {
    const size_t slots = rn_surface_slots(columns), row = (size_t)columns->cells_x;
    copy->columns = *columns;
    rn_surface_field *const fields[] = {&copy->columns.base,   &copy->columns.ceil,   &copy->columns.depth,
                                        &copy->columns.flux_x, &copy->columns.flux_y, &copy->columns.effective};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    if (slots * FIELDS > copy->room) {
        free(copy->values);
        copy->values = malloc(slots * FIELDS * sizeof *copy->values);
        copy->room = copy->values ? slots * FIELDS : 0;
        if (!copy->values) return false;
    }
    float *to = copy->values;
    for (int i = 0; i < FIELDS; i++) {
        const rn_surface_field from = *fields[i];
        if (!from.data) continue;
        *fields[i] = (rn_surface_field){to, (ptrdiff_t)row, (ptrdiff_t)row * columns->cells_y};
        for (int layer = 0; layer < columns->layers; layer++)
            for (int y = 0; y < columns->cells_y; y++, to += row)
                memcpy(to, from.data + layer * from.layer_stride + y * from.row_stride, row * sizeof *to);
    }
    return true;
}

void columns_copy_free(columns_copy *copy) {
    free(copy->values);
    *copy = (columns_copy){.room = 0};
}
