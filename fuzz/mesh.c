/* Mesh files: read as a program reads them, made solid, and probed by a few rays. The first byte stands for the end of
   the file's name. With RUNNEL_FUZZ_WITHIN in the environment the file is read in this very process: a crash in assimp,
   which costs a program one sentence, then ends the fuzzer, and is found. */
#include "fuzz.h"

#include "io/read/mesh_import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const endings[] = {"obj", "stl", "ply", "glb", "gltf", "off", "dae"};

/* What would have been the end of a program, for those who read the fuzzer's log. */
static void count_contained(void) {
    static int count;
    if (strstr(rn_last_error(), "crashed on it") || strstr(rn_last_error(), "takes more than"))
        fprintf(stderr, "contained, %d by now: %s\n", ++count, rn_last_error());
}

/* Readers that hang are stopped sooner than by default, for the sake of those inputs that come after. */
static rn_result read_mesh(const char *path, rn_mesh_file *mesh) {
    if (!getenv("RUNNEL_FUZZ_WITHIN")) return rn_mesh_read_within(path, 1, mesh);
    rn_reply reply = {0};
    *mesh = (rn_mesh_file){0};
    rn_result result = rn_mesh_read_here(path, &reply);
    return result == RN_OK ? rn_mesh_take(path, &reply, mesh) : result;
}

static void check_report(const rn_mesh_report *report) {
    char line[512];
    for (int i = 0; rn_mesh_report_line(report, i, line, sizeof line); i++) {
        fuzz_require(i < 64, "reports end");
        fuzz_require(line[0] && !strchr(line, '\n'), "in lines that say something");
    }
    fuzz_require(report->used <= report->triangles, "no more triangles are used than there are");
}

static void probe(rn_sdf *solid, const rn_mesh_report *report) {
    const double side = fmax(report->high.x - report->low.x, report->high.y - report->low.y);
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = 9;
    def.cells_y = 7;
    def.cell_size = side > 0 && side < 1e6 ? side / 8 : 1;
    def.origin_x = report->low.x;
    def.origin_y = report->low.y;
    def.solid = solid;
    fuzz_require(!isnan(rn_sdf_distance(solid, report->low)), "distances are numbers");
    rn_terrain *terrain = NULL;
    if (rn_terrain_create(&def, &terrain) != RN_OK) fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
    rn_terrain_destroy(terrain);
}

void fuzz(const uint8_t *bytes, size_t size) {
    if (size == 0) return;
    const unsigned kind = bytes[0] >= '0' ? bytes[0] - '0' : bytes[0];
    const char *path = fuzz_named_file(bytes + 1, size - 1, endings[kind % (sizeof endings / sizeof *endings)]);
    rn_mesh_file mesh;
    rn_result result = read_mesh(path, &mesh);
    unlink(path);
    fuzz_require((result == RN_OK) == (mesh.memory != NULL), "a mesh or an error");
    if (result != RN_OK) {
        fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        count_contained();
        return;
    }
    rn_mesh_solid_def def = rn_mesh_solid_default();
    rn_mesh_report report = {0};
    def.positions = mesh.positions;
    def.indices = mesh.indices;
    def.vertex_count = mesh.vertex_count;
    def.triangle_count = mesh.triangle_count;
    def.meaning = (rn_mesh_meaning)(size % 4);
    def.thickness = 0.1;
    rn_sdf *solid = rn_sdf_mesh(&def, &report);
    rn_mesh_file_free(&mesh);
    check_report(&report);
    if (solid) probe(solid, &report);
    else fuzz_require(rn_last_error()[0] != 0, "a mesh that encloses nothing is told");
}
