/* Meshes without vertices that no triangle uses (compact.h). */
#include "io/write/compact.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const uint32_t unused = UINT32_MAX;

/* Numbers the vertices that triangles use in their order, the others `unused`, and returns how many are used; all of
   them if a triangle names a vertex that is not there. */
static uint32_t number_vertices(const rn_mesh *mesh, uint32_t *numbers) {
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    uint32_t used = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) numbers[v] = unused;
    for (size_t i = 0; i < corners; i++) {
        if (mesh->indices[i] >= mesh->vertex_count) return mesh->vertex_count;
        numbers[mesh->indices[i]] = 0;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (numbers[v] != unused) numbers[v] = used++;
    return used;
}

/* Moves the values of used vertices to their new places; `size`: bytes of a vertex. Does nothing for NULL. */
static void move_values(void *values, size_t size, const uint32_t *numbers, uint32_t count) {
    char *bytes = values;
    for (size_t v = 0; v < count && bytes; v++)
        if (numbers[v] != unused && numbers[v] != v) memcpy(bytes + numbers[v] * size, bytes + v * size, size);
}

/* Drops the unused vertices of a mesh, in place, and renumbers its triangles; `numbers` and `used` come from
   number_vertices. */
static void drop_unused(rn_mesh *mesh, const uint32_t *numbers, uint32_t used) {
    const struct {
        void *values;
        size_t size;
    } arrays[] = {{mesh->positions, 3 * sizeof(float)},  {mesh->normals, 3 * sizeof(float)},
                  {mesh->colours, 3 * sizeof(float)},    {mesh->opacity, sizeof(float)},
                  {mesh->velocities, 3 * sizeof(float)}, {mesh->menisci, 4 * sizeof(float)},
                  {mesh->ids, sizeof(uint32_t)}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        move_values(arrays[i].values, arrays[i].size, numbers, mesh->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) mesh->indices[i] = numbers[mesh->indices[i]];
    mesh->vertex_count = used;
}

rn_result rn_mesh_compact(const rn_mesh *mesh, const rn_hooks *hooks, rn_mesh_copy *copy, const rn_mesh **compact) {
    *compact = mesh;
    if (mesh->vertex_count == 0 || !mesh->positions || (mesh->triangle_count > 0 && !mesh->indices)) return RN_OK;
    uint32_t *numbers = rn_alloc(hooks, mesh->vertex_count, sizeof *numbers);
    if (!numbers) return RN_MEMORY;
    const uint32_t used = number_vertices(mesh, numbers);
    rn_result result = RN_OK;
    if (used < mesh->vertex_count) {
        result = rn_mesh_copy_take(copy, hooks, mesh) ? RN_OK : rn_fail(RN_MEMORY, "there is not enough memory");
        if (result == RN_OK) {
            drop_unused(&copy->mesh, numbers, used);
            *compact = &copy->mesh;
        }
    }
    rn_free(hooks, numbers);
    return result;
}
