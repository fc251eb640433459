/* Copies of meshes and columns, for threads that draw or write them while the world steps on.

   Interface: surface/copies.h. A copy begins as all 0; rn_mesh_copy_take and rn_columns_copy_take fill it as often as
   wanted, and the free functions end it. live/, exports and pictures take copies after rn_skin_update, before the
   next step changes the originals.

   Each copy has one block of memory that grows when needed and is used again for the next copy. Arrays and fields
   follow each other in it; those that the original does not have are left out. If memory runs out, the copy is empty.
 */
#include "surface/copies.h"

#include "base/memory.h"

#include <string.h>

/* All arrays of a mesh have elements of four bytes; their copies follow each other in one block of memory. */
bool rn_mesh_copy_take(rn_mesh_copy *copy, const rn_hooks *hooks, const rn_mesh *from) {
    const size_t vertices = from->vertex_count;
    const struct {
        const void *from;
        size_t words;
    } parts[] = {{from->positions, 3 * vertices},
                 {from->normals, 3 * vertices},
                 {from->colours, 3 * vertices},
                 {from->opacity, vertices},
                 {from->velocities, 3 * vertices},
                 {from->menisci, 4 * vertices},
                 {from->ids, vertices},
                 {from->indices, 3 * (size_t)from->triangle_count}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    size_t needed = 1;
    for (int i = 0; i < PARTS; i++) needed += parts[i].from ? parts[i].words : 0;
    copy->mesh = (rn_mesh){0};
    if (!rn_renew(hooks, &copy->memory, &copy->room, needed, 4)) return false;
    void *copies[PARTS] = {NULL};
    char *at = copy->memory;
    for (int i = 0; i < PARTS; i++) {
        if (!parts[i].from) continue;
        copies[i] = memcpy(at, parts[i].from, 4 * parts[i].words);
        at += 4 * parts[i].words;
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

void rn_mesh_copy_free(rn_mesh_copy *copy, const rn_hooks *hooks) {
    rn_free(hooks, copy->memory);
    *copy = (rn_mesh_copy){.room = 0};
}

bool rn_columns_copy_take(rn_columns_copy *copy, const rn_hooks *hooks, const rn_surface_columns *columns) {
    const size_t slots = rn_surface_slots(columns), row = (size_t)columns->cells_x;
    rn_surface_columns *c = &copy->columns;
    rn_surface_field *const fields[] = {&c->base, &c->ceil, &c->depth, &c->flux_x, &c->flux_y, &c->effective};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    *c = (rn_surface_columns){0};
    if (!rn_renew(hooks, &copy->values, &copy->room, slots * FIELDS, sizeof *copy->values)) return false;
    *c = *columns;
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

void rn_columns_copy_free(rn_columns_copy *copy, const rn_hooks *hooks) {
    rn_free(hooks, copy->values);
    *copy = (rn_columns_copy){.room = 0};
}
