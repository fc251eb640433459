/* Shared by all writers (writer.h): names of files, checks and boxes of meshes. */
#include "io/write/writer.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

rn_result rn_export_path(const rn_export_job *job, const char *name, int frame, const char *ending,
                         char path[RN_EXPORT_PATH]) {
    const int length = snprintf(path, RN_EXPORT_PATH, "%s/%s-%04d.%s", job->def.folder, name, frame, ending);
    if (length >= 0 && length < RN_EXPORT_PATH) return RN_OK;
    return rn_fail(RN_FILE, "%.60s...: the name is longer than %d bytes", job->def.folder, RN_EXPORT_PATH);
}

rn_result rn_mesh_check(const char *path, const rn_mesh *mesh) {
    if (mesh->vertex_count > 0 && !mesh->positions)
        return rn_fail(RN_INVALID, "%s: the mesh has %u vertices but no positions", path, (unsigned)mesh->vertex_count);
    if (mesh->triangle_count > 0 && !mesh->indices)
        return rn_fail(RN_INVALID, "%s: the mesh has %u triangles but no indices", path,
                       (unsigned)mesh->triangle_count);
    if (mesh->vertex_count > INT32_MAX) /* readers use signed indices */
        return rn_fail(RN_LIMIT, "%s: the mesh has %u vertices; a file can hold %d", path, (unsigned)mesh->vertex_count,
                       (int)INT32_MAX);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        if (mesh->indices[i] >= mesh->vertex_count)
            return rn_fail(RN_INVALID, "%s: triangle %zu has a corner %u; the mesh has %u vertices, counted from 0",
                           path, i / 3, (unsigned)mesh->indices[i], (unsigned)mesh->vertex_count);
    return RN_OK;
}

void rn_mesh_box(const rn_mesh *mesh, const rn_axes *axes, float low[3], float high[3]) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float at[3];
        rn_axes_turn(axes, axes->per_metre, mesh->positions + 3 * v, at);
        for (int i = 0; i < 3; i++) {
            low[i] = v == 0 ? at[i] : fminf(low[i], at[i]);
            high[i] = v == 0 ? at[i] : fmaxf(high[i], at[i]);
        }
    }
}
