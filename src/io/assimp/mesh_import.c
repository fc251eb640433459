#include "io/mesh_import.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"

#include <assimp/cimport.h>
#include <assimp/commonMetaData.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <string.h>

/* Rows that take x y z 1 to where a node puts it. */
typedef struct matrix {
    double m[3][4];
} matrix;

typedef struct placed {
    const struct aiNode *node;
    matrix to_root;
} placed;

/* The nodes that are left to visit. A file may nest them deeper than a stack allows. */
typedef struct stack {
    placed *nodes;
    size_t count, capacity;
} stack;

/* What is added up or copied, in two rounds over the same nodes. */
typedef struct gather {
    const char *path;
    const struct aiScene *scene;
    uint64_t vertices, triangles, parts;
    float *positions; /* NULL: count only */
    uint32_t *indices;
} gather;

static matrix of_node(const struct aiMatrix4x4 *t) {
    return (matrix){{{t->a1, t->a2, t->a3, t->a4}, {t->b1, t->b2, t->b3, t->b4}, {t->c1, t->c2, t->c3, t->c4}}};
}

/* First `inner`, then `outer`. */
static matrix compose(const matrix *outer, const matrix *inner) {
    matrix both;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            const double *row = outer->m[i];
            both.m[i][j] = row[0] * inner->m[0][j] + row[1] * inner->m[1][j] + row[2] * inner->m[2][j];
            if (j == 3) both.m[i][j] += row[3];
        }
    return both;
}

static uint64_t count_triangles(const struct aiMesh *mesh) {
    uint64_t count = 0;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) count += mesh->mFaces[i].mNumIndices == 3;
    return count;
}

static void copy_positions(const struct aiMesh *mesh, const matrix *to_root, float *out) {
    for (unsigned i = 0; i < mesh->mNumVertices; i++, out += 3) {
        const struct aiVector3D *v = &mesh->mVertices[i];
        for (int axis = 0; axis < 3; axis++) {
            const double *row = to_root->m[axis];
            out[axis] = (float)(row[0] * (double)v->x + row[1] * (double)v->y + row[2] * (double)v->z + row[3]);
        }
    }
}

/* An index that is wrong must not name a vertex of another part. A mirrored part is wound the other way. */
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

static rn_result add_mesh(gather *g, const struct aiMesh *mesh, const matrix *to_root) {
    const uint64_t triangles = count_triangles(mesh);
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

static rn_result push(stack *left, const struct aiNode *node, const matrix *to_root) {
    if (!rn_grow(NULL, (void **)&left->nodes, &left->capacity, left->count, sizeof *left->nodes)) return RN_MEMORY;
    const matrix own = of_node(&node->mTransformation);
    left->nodes[left->count++] = (placed){node, to_root ? compose(to_root, &own) : own};
    return RN_OK;
}

static rn_result visit(gather *g) {
    stack left = {0};
    g->vertices = g->triangles = g->parts = 0;
    rn_result result = g->scene->mRootNode ? push(&left, g->scene->mRootNode, NULL) : RN_OK;
    while (result == RN_OK && left.count > 0) {
        const placed at = left.nodes[--left.count];
        for (unsigned i = 0; i < at.node->mNumMeshes && result == RN_OK; i++)
            if (at.node->mMeshes[i] < g->scene->mNumMeshes)
                result = add_mesh(g, g->scene->mMeshes[at.node->mMeshes[i]], &at.to_root);
        for (unsigned i = at.node->mNumChildren; i > 0 && result == RN_OK; i--) /* the first is visited first */
            result = push(&left, at.node->mChildren[i - 1], &at.to_root);
    }
    rn_free(NULL, left.nodes);
    return result;
}

/* glTF's specification says metres and y up; the reader of Collada turns and scales what it reads to the same. */
static void describe(const struct aiScene *scene, rn_mesh_header *head) {
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

static rn_result convert(const char *path, const struct aiScene *scene, rn_reply *reply) {
    gather g = {.path = path, .scene = scene};
    rn_mesh_header head = {0};
    rn_result result = visit(&g);
    if (result != RN_OK) return result;
    if (g.triangles == 0) return rn_fail(RN_FORMAT, "%s: holds no triangles", path);
    head.vertex_count = (uint32_t)g.vertices;
    head.triangle_count = (uint32_t)g.triangles;
    head.parts = (uint32_t)g.parts;
    describe(scene, &head);
    const size_t corners = 3 * (size_t)g.vertices, ends = 3 * (size_t)g.triangles;
    reply->size = sizeof head + corners * sizeof *g.positions + ends * sizeof *g.indices;
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (!reply->bytes) return RN_MEMORY;
    memcpy(reply->bytes, &head, sizeof head);
    g.positions = (float *)((char *)reply->bytes + sizeof head);
    g.indices = (uint32_t *)(g.positions + corners);
    return visit(&g);
}

/* Its own words, without the path that it sometimes names and the space that it ends in. */
static rn_result refuse(const char *path) {
    char words[256];
    snprintf(words, sizeof words, "%s", aiGetErrorString());
    if (strstr(words, "bad_alloc")) return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    if (strstr(words, "No suitable reader"))
        return rn_fail(RN_FORMAT, "%s: is of no kind that is known; .obj, .stl, .ply, .gltf and .glb are, among others",
                       path);
    for (size_t length = strlen(words); length > 0 && strchr(" .\r\n\t", words[length - 1]);) words[--length] = 0;
    return rn_fail(RN_FORMAT, "%s: cannot be read as a mesh: %s", path,
                   words[0] ? words : "the reader does not say why");
}

rn_result rn_mesh_import(const char *path, rn_reply *reply) {
    struct aiPropertyStore *wishes = aiCreatePropertyStore();
    if (!wishes) return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    aiSetImportPropertyInteger(wishes, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1); /* no stand-ins for bones */
    const struct aiScene *scene = aiImportFileExWithProperties(path, aiProcess_Triangulate, NULL, wishes);
    aiReleasePropertyStore(wishes);
    if (!scene) return refuse(path);
    rn_result result = convert(path, scene, reply);
    aiReleaseImport(scene);
    return result;
}
