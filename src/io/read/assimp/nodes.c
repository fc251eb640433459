/* Opens files with assimp, and lists the nodes of their scenes (nodes.h). */
#include "io/read/assimp/nodes.h"

#include "base/error.h"
#include "base/late_library.h"
#include "base/memory.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <stdio.h>
#include <string.h>

/* A node still to visit, on a stack of these: a file may nest nodes deeper than the call stack allows. */
typedef struct waiting {
    const struct aiNode *node;
    int32_t parent;
} waiting;

typedef struct stack {
    waiting *nodes;
    size_t count, capacity;
} stack;

/* Converts a transform of assimp to rows; its fourth row is taken as 0 0 0 1. */
static rn_matrix matrix_of(const struct aiMatrix4x4 *t) {
    return (rn_matrix){{{t->a1, t->a2, t->a3, t->a4}, {t->b1, t->b2, t->b3, t->b4}, {t->c1, t->c2, t->c3, t->c4}}};
}

/* Returns the transform that applies first `inner`, then `outer`. */
static rn_matrix compose(const rn_matrix *outer, const rn_matrix *inner) {
    rn_matrix both;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            const double *row = outer->m[i];
            both.m[i][j] = row[0] * inner->m[0][j] + row[1] * inner->m[1][j] + row[2] * inner->m[2][j];
            if (j == 3) both.m[i][j] += row[3];
        }
    return both;
}

/* Adds a node, with its parent's index in the list, to those still to visit. Returns false, with an error text, if
   memory runs out. */
static bool push_node(stack *left, const struct aiNode *node, int32_t parent) {
    if (!rn_grow(NULL, &left->nodes, &left->capacity, left->count, sizeof *left->nodes)) return false;
    left->nodes[left->count++] = (waiting){node, parent};
    return true;
}

/* Appends a node to the list, with its own transform and that to the root; its parent must be in the list already.
   Returns false, with an error text, if memory runs out. */
static bool add_to_list(rn_import_nodes *nodes, const waiting *next) {
    if (!rn_grow(NULL, &nodes->list, &nodes->capacity, nodes->count, sizeof *nodes->list)) return false;
    rn_import_node *added = &nodes->list[nodes->count++];
    added->node = next->node;
    added->parent = next->parent;
    added->own = matrix_of(&next->node->mTransformation);
    added->to_root = next->parent < 0 ? added->own : compose(&nodes->list[next->parent].to_root, &added->own);
    return true;
}

rn_result rn_import_list(const struct aiScene *scene, rn_import_nodes *nodes) {
    stack left = {0};
    bool fits = !scene->mRootNode || push_node(&left, scene->mRootNode, -1);
    while (fits && left.count > 0) {
        const waiting next = left.nodes[--left.count];
        fits = add_to_list(nodes, &next);
        for (unsigned i = next.node->mNumChildren; i > 0 && fits; i--) /* the first child is visited first */
            fits = push_node(&left, next.node->mChildren[i - 1], (int32_t)nodes->count - 1);
    }
    rn_free(NULL, left.nodes);
    return fits ? RN_OK : RN_MEMORY;
}

void rn_import_free(rn_import_nodes *nodes) {
    rn_free(NULL, nodes->list);
    *nodes = (rn_import_nodes){0};
}

uint64_t rn_import_triangles(const struct aiMesh *mesh) {
    uint64_t count = 0;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) count += mesh->mFaces[i].mNumIndices == 3;
    return count;
}

#define CALLS(X)                                                                                                       \
    X(aiCreatePropertyStore)                                                                                           \
    X(aiSetImportPropertyInteger)                                                                                      \
    X(aiImportFileExWithProperties)                                                                                    \
    X(aiReleasePropertyStore)                                                                                          \
    X(aiReleaseImport)                                                                                                 \
    X(aiGetErrorString)

typedef struct assimp {
    CALLS(RN_LATE_MEMBER)
} assimp;

/* Opens the library assimp and finds its functions. Returns RN_UNSUPPORTED, with a message, if it is not installed or
   too old. The library is never closed. `path` is that of the mesh, for messages. */
static rn_result open_library(const char *path, assimp *calls) {
    void *library = dlopen(RN_ASSIMP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
    if (all) {
        CALLS(RN_LATE_FIND)
    }
    if (all) return RN_OK;
    return rn_fail(RN_UNSUPPORTED, "%s: cannot be read without %s: %s", path, RN_ASSIMP_LIBRARY,
                   library ? "the installed one is too old" : dlerror());
}

/* Sets rn_last_error() to assimp's own message, without the space and the dots at its end, and returns RN_MEMORY if
   memory ran out, else RN_FORMAT. */
static rn_result fail_with_message(const assimp *a, const char *path) {
    char words[256];
    snprintf(words, sizeof words, "%s", a->aiGetErrorString());
    if (strstr(words, "bad_alloc")) return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    if (strstr(words, "No suitable reader"))
        return rn_fail(
            RN_FORMAT,
            "%s: is of an unknown kind; .obj, .stl, .ply, .gltf and .glb are meshes that can be read, among others, "
            ".tif, .asc, .hgt and .png terrains, .nii and .nrrd volumes",
            path);
    for (size_t length = strlen(words); length > 0 && strchr(" .\r\n\t", words[length - 1]);) words[--length] = 0;
    return rn_fail(RN_FORMAT, "%s: cannot be read as a mesh: %s", path,
                   words[0] ? words : "the reader does not say why");
}

rn_result rn_import_open(const char *path, rn_import *import) {
    assimp a = {0};
    rn_result result = open_library(path, &a);
    if (result != RN_OK) return result;
    struct aiPropertyStore *wishes = a.aiCreatePropertyStore();
    if (!wishes) return rn_fail(RN_MEMORY, "%s: there is not enough memory to read it", path);
    a.aiSetImportPropertyInteger(wishes, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1); /* no substitute meshes for bones */
    *import = (rn_import){a.aiImportFileExWithProperties(path, aiProcess_Triangulate, NULL, wishes), a.aiReleaseImport};
    a.aiReleasePropertyStore(wishes);
    return import->scene ? RN_OK : fail_with_message(&a, path);
}
