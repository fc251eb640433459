/* Volumes: looked at and read as a program does. The first byte stands for the end of the file's name, the second for
   what is wanted of it. With RUNNEL_FUZZ_WITHIN in the environment the file is read in this very process: a crash in a
   library, which costs a program one sentence, then ends the fuzzer, and is found. */
#include "fuzz.h"

#include "base/memory.h"
#include "io/read/volume_import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *ending;
    rn_result (*import)(const rn_volume_ask *ask, rn_reply *reply);
} kinds[] = {{"nii", rn_nifti_import}, {"nii.gz", rn_nifti_import}, {"hdr", rn_nifti_import},
             {"nrrd", rn_nrrd_import}, {"nhdr", rn_nrrd_import},    {"nvdb", rn_nanovdb_import}};

static rn_volume_def wish(unsigned choice, int32_t *label) {
    static const double values[] = {-1000, -1, 0, 0.5, 1, 3, 100, 300};
    rn_volume_def def = rn_volume_default();
    const double value = values[choice % 8];
    if (choice & 8) {
        *label = (int32_t)value;
        def.labels = label;
        def.label_count = 1;
    } else if (choice & 16) def.iso = value;
    def.below = choice & 32;
    if (choice & 64) def.least_part = 1e-9;
    if (choice & 128) def.spacing = 3e-3;
    return def;
}

static void check_info(const rn_volume_info *info) {
    char line[256];
    for (int i = 0; rn_volume_info_line(info, i, line, sizeof line); i++) {
        fuzz_require(i < 8, "notes end");
        fuzz_require(line[0] && !strchr(line, '\n'), "in lines that say something");
    }
    fuzz_require(info->least <= info->most && info->volumes >= 1, "what is told makes sense");
}

static void check_surface(const rn_mesh_file *mesh) {
    fuzz_require(mesh->triangle_count > 0, "a surface has triangles");
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        fuzz_require(mesh->indices[i] < mesh->vertex_count, "between vertices that are there");
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        fuzz_require(isfinite(mesh->positions[i]), "in places that are numbers");
}

void fuzz(const uint8_t *bytes, size_t size) {
    if (size < 2) return;
    const size_t kind = (bytes[0] >= '0' ? bytes[0] - '0' : bytes[0]) % (sizeof kinds / sizeof *kinds);
    int32_t label = 0;
    const rn_volume_def def = wish(bytes[1], &label);
    const char *path = fuzz_named_file(bytes + 2, size - 2, kinds[kind].ending);
    if (getenv("RUNNEL_FUZZ_WITHIN")) {
        rn_reply reply = {0};
        const rn_volume_ask ask = {.path = path, .def = &def};
        if (kinds[kind].import(&ask, &reply) != RN_OK)
            fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        rn_free(NULL, reply.bytes);
        unlink(path);
        return;
    }
    rn_mesh_file mesh;
    rn_volume_info info;
    rn_result result = rn_volume_read(path, &def, &mesh, &info);
    unlink(path);
    fuzz_require((result == RN_OK) == (mesh.memory != NULL), "a surface or an error");
    if (result == RN_OK) {
        check_info(&info);
        check_surface(&mesh);
    } else fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
    rn_mesh_file_free(&mesh);
}
