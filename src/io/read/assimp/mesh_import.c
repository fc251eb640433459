/* Reads the triangles of a mesh file with assimp (mesh_import.h): a first round over the nodes counts, a second one
   copies. Failures leave the reason in rn_last_error(). */
#include "io/read/mesh_import.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "io/read/assimp/nodes.h"

#include <assimp/cimport.h>
#include <assimp/commonMetaData.h>
#include <stdio.h>
#include <string.h>

/* Totals of a round, and where the second round copies to. */
typedef struct gather {
    const char *path;
    const struct aiScene *scene;
    rn_import_nodes nodes;
    uint64_t vertices, triangles, parts;
    float *positions; /* NULL: count only */
    uint32_t *indices;
} gather;

/* Copies the vertices of a mesh, transformed by its node, to `out`: x y z each. */
static void copy_positions(const struct aiMesh *mesh, const rn_matrix *to_root, float *out) {
    for (unsigned i = 0; i < mesh->mNumVertices; i++, out += 3) {
        const struct aiVector3D *v = &mesh->mVertices[i];
        for (int axis = 0; axis < 3; axis++) {
            const double *row = to_root->m[axis];
            out[axis] = (float)(row[0] * (double)v->x + row[1] * (double)v->y + row[2] * (double)v->z + row[3]);
        }
    }
}

/* Copies the triangles of a mesh, without points and lines, to `out`; its vertices begin at `first` in the reply.
   Triangles of a mirrored part are reversed, so that they still face outward. An invalid index becomes UINT32_MAX, so
   that it refers to no vertex of another part. */
static void copy_indices(const struct aiMesh *mesh, bool mirrored, uint32_t first, uint32_t *out) {
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) continue;
        for (int corner = 0; corner < 3; corner++) {
            const unsigned index = face->mIndices[mirrored ? 2 - corner : corner];
            *out++ = index < mesh->mNumVertices ? first + index : UINT32_MAX;
        }
    }
}

/* Counts a mesh, and in the second round copies it. Skips a mesh without triangles. Returns RN_LIMIT if there are too
   many triangles or vertices. */
static rn_result add_mesh(gather *g, const struct aiMesh *mesh, const rn_matrix *to_root) {
    const uint64_t triangles = rn_import_triangles(mesh);
    if (triangles == 0 || !mesh->mVertices) return RN_OK;
    if (g->positions) {
        copy_positions(mesh, to_root, g->positions + 3 * g->vertices);
        copy_indices(mesh, rn_determinant(to_root->m) < 0, (uint32_t)g->vertices, g->indices + 3 * g->triangles);
    }
    g->vertices += mesh->mNumVertices;
    g->triangles += triangles;
    g->parts++;
    if (g->triangles <= RN_MOST_TRIANGLES && g->vertices <= 3 * (uint64_t)RN_MOST_TRIANGLES) return RN_OK;
    return rn_fail(RN_LIMIT, "%s: holds more than the %d triangles allowed", g->path, RN_MOST_TRIANGLES);
}

/* Visits all meshes of all nodes; a mesh of several nodes counts several times. Sets the totals, and with g->positions
   also copies. Returns RN_LIMIT as add_mesh does. */
static rn_result visit_meshes(gather *g) {
    rn_result result = RN_OK;
    g->vertices = g->triangles = g->parts = 0;
    for (size_t n = 0; n < g->nodes.count; n++) {
        const rn_import_node *at = &g->nodes.list[n];
        for (unsigned i = 0; i < at->node->mNumMeshes && result == RN_OK; i++)
            if (at->node->mMeshes[i] < g->scene->mNumMeshes)
                result = add_mesh(g, g->scene->mMeshes[at->node->mMeshes[i]], &at->to_root);
    }
    return result;
}

/* Sets format, unit and up axis of a file from assimp's metadata. glTF specifies metres and y up; assimp's Collada
   reader converts to the same. For other formats unit and up axis stay 0, unknown. */
static void set_format(const struct aiScene *scene, rn_mesh_header *head) {
    const struct aiMetadata *facts = scene->mMetaData;
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++) {
        if (strcmp(facts->mKeys[i].data, AI_METADATA_SOURCE_FORMAT) != 0) continue;
        if (facts->mValues[i].mType != AI_AISTRING) continue;
        const struct aiString *name = facts->mValues[i].mData;
        snprintf(head->format, sizeof head->format, "%.*s", (int)sizeof head->format - 1, name->data);
    }
    char *importer = strstr(head->format, " Importer");
    if (importer) *importer = 0;
    if (strncmp(head->format, "glTF", 4) != 0 && strcmp(head->format, "Collada") != 0) return;
    head->unit = 1;
    head->up = RN_UP_Y;
}

/* Counts everything, allocates the reply, and copies everything into it. On failure returns RN_LIMIT, RN_MEMORY, or
   RN_FORMAT if there are no triangles. The caller frees reply->bytes, also after a failure. */
static rn_result fill_reply(gather *g, rn_reply *reply) {
    rn_mesh_header head = {0};
    rn_result result = visit_meshes(g);
    if (result != RN_OK) return result;
    if (g->triangles == 0) return rn_fail(RN_FORMAT, "%s: holds no triangles", g->path);
    head.vertex_count = (uint32_t)g->vertices;
    head.triangle_count = (uint32_t)g->triangles;
    head.parts = (uint32_t)g->parts;
    set_format(g->scene, &head);
    const size_t corners = 3 * (size_t)g->vertices, ends = 3 * (size_t)g->triangles;
    reply->size = sizeof head + corners * sizeof *g->positions + ends * sizeof *g->indices;
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (!reply->bytes) return RN_MEMORY;
    memcpy(reply->bytes, &head, sizeof head);
    g->positions = (float *)((char *)reply->bytes + sizeof head);
    g->indices = (uint32_t *)(g->positions + corners);
    return visit_meshes(g);
}

/* Creates the reply from all meshes of a scene, which stays the caller's. `path` is for messages. Returns the result of
   fill_reply. */
static rn_result convert_scene(const char *path, const struct aiScene *scene, rn_reply *reply) {
    gather g = {.path = path, .scene = scene};
    rn_result result = rn_import_list(scene, &g.nodes);
    if (result == RN_OK) result = fill_reply(&g, reply);
    rn_import_free(&g.nodes);
    return result;
}

rn_result rn_mesh_import(const char *path, rn_reply *reply) {
    rn_import import;
    rn_result result = rn_import_open(path, &import);
    if (result != RN_OK) return result;
    result = convert_scene(path, import.scene, reply);
    import.release(import.scene);
    return result;
}
