/* What assimp finds in a mesh file, for tests/test_exports.py: for each mesh its name's length and name, the numbers of
   vertices, normals and triangles, and their values, as they are in memory.   usage: read_mesh FILE >values */
#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void put(uint32_t number) { fwrite(&number, sizeof number, 1, stdout); }

int main(int argc, char **argv) {
    const struct aiScene *scene = argc == 2 ? aiImportFile(argv[1], 0) : NULL;
    if (!scene) return fprintf(stderr, "%s\n", aiGetErrorString()), 1;
    put(scene->mNumMeshes);
    put(scene->mNumAnimations ? scene->mAnimations[0]->mNumChannels : 0);
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        struct aiString name = {0};
        aiGetMaterialString(scene->mMaterials[mesh->mMaterialIndex], "?mat.name", 0, 0, &name);
        put((uint32_t)strlen(name.data));
        fputs(name.data, stdout);
        put(mesh->mNumVertices);
        put(mesh->mNormals ? mesh->mNumVertices : 0);
        put(mesh->mNumFaces);
        fwrite(mesh->mVertices, sizeof *mesh->mVertices, mesh->mNumVertices, stdout);
        if (mesh->mNormals) fwrite(mesh->mNormals, sizeof *mesh->mNormals, mesh->mNumVertices, stdout);
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            if (mesh->mFaces[f].mNumIndices != 3) return fprintf(stderr, "face %u is no triangle\n", f), 1;
            fwrite(mesh->mFaces[f].mIndices, sizeof(unsigned), 3, stdout);
        }
    }
    aiReleaseImport(scene);
    return 0;
}
