/* Mesh files that need assimp, and files that others made. test_mesh_readers.c has those that runnel reads itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_checks.h"
#include "physics/shared_data.h"
#include "timed.h"

#include <math.h>
#include <runnel/runnel.h>
#include <sys/resource.h>

/* Nodes within nodes: twice as large, then moved; and a mirror image, whose triangles still look outwards. */
static void test_nodes(void **state) {
    (void)state;
    write_glb("nodes.glb", "[{\"children\": [1, 2], \"translation\": [10, 0, 0]}, {\"mesh\": 0, \"scale\": [2, 2, 2]}, "
                           "{\"children\": [3], \"scale\": [-1, 1, 1]}, {\"mesh\": 0, \"translation\": [0, 0, -4]}]");
    rn_mesh_file mesh = read_mesh("nodes.glb");
    assert_int_equal(mesh.parts, 2);
    assert_int_equal(mesh.triangle_count, 2 * BRICK_TRIANGLES);
    assert_true(mesh.unit == 1 && mesh.up == RN_UP_Y);
    assert_int_equal(strncmp(mesh.format, "glTF", 4), 0);
    rn_mesh_file half = mesh;
    half.triangle_count = BRICK_TRIANGLES;
    half.vertex_count = mesh.vertex_count / 2;
    assert_box(&half, (rn_vec3){10, 0, 0}, (rn_vec3){12, 4, 6});
    assert_true(fabs(signed_volume(&mesh) - 6 * 8 - 6) < 1e-3);
    rn_mesh_file_free(&mesh);
    write_glb("mirror.glb", "[{\"mesh\": 0, \"scale\": [-1, 2, 1], \"translation\": [0, 0, 5]}]");
    mesh = read_mesh("mirror.glb");
    assert_box(&mesh, (rn_vec3){-1, 0, 5}, (rn_vec3){0, 4, 8});
    rn_mesh_file_free(&mesh);
}

static void test_refused(void **state) {
    (void)state;
    check_refused("nowhere.obj", "cannot be read: No such file");
    check_refused(".", "is not a file");
    write_text("words.docx", "dear all");
    check_refused("words.docx", "is of an unknown kind; .obj, .stl");
    write_text("fine.gltf", "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"uri\": \"gone.bin\"}]}");
    check_refused("fine.gltf", "");
}

/* ---- Files that others made ---- */

typedef struct expected {
    const char *name;
    uint32_t triangles; /* 0: not read, with these words */
    const char *words;  /* of the report or of the refusal, once it is made solid; NULL: nothing is wrong */
} expected;

static const expected sound[] = {
    {"meshes/1002_tray_bottom.STL", 4520, NULL},
    {"meshes/Duck.glb", 4212, NULL},
    {"meshes/liver.stl", 19416, NULL},
    {"meshes/spot.obj", 5856, NULL},
    {"meshes/stanford-bunny.obj", 69451, "223 open edges around 5 holes"},
    {"meshes/teapot.obj", 6320, "160 open edges around 6 holes"},
    {"meshes/u_arch.obj", 24726, NULL},
    {"meshes/vertebra_cervical_C1_atlas.stl", 6172, NULL},
    {"meshes/vertebra_lumbar_L3.stl", 14750, NULL},
};

static const expected dirty[] = {
    {"dirty_meshes/OBJ_box_UTF16BE.obj", 0, "is text in UTF-16"},
    {"dirty_meshes/OBJ_concave_polygon.obj", 64, "the mesh encloses no solid"},
    {"dirty_meshes/OBJ_point_cloud.obj", 0, "holds no triangles"},
    {"dirty_meshes/PLY_issue623.ply", 0, "holds points, but no triangles"},
    {"dirty_meshes/STL_sphereWithHole.stl", 285, "9 open edges around 3 holes"},
    {"dirty_meshes/invalid-relative-vertex-index.obj", 0, ":1: a face names vertex -4; 0 have been given so far"},
    {"dirty_meshes/invalid_empty.ply", 0, "is empty"},
    {"dirty_meshes/invalid_malformed.obj", 0, ":23: a face names vertex 12; there are 8"},
    {"dirty_meshes/issue-140-zero-face-idx.obj", 0, ":16: a face names vertex 0; they count from 1"},
    {"dirty_meshes/issue-161-inconsistent-f.obj", 12, NULL}, /* a cube, once its faces are cut */
    {"dirty_meshes/test-nan.obj", 36, "2 triangles have coordinates that are not finite"},
    {"dirty_meshes/trimesh_7_8ths_cube.stl", 24, NULL},
    {"dirty_meshes/trimesh_empty.stl", 0, "holds no triangles"},
    {"dirty_meshes/trimesh_joined_tetrahedra.obj", 8, "3 edges have three triangles or more"},
    {"dirty_meshes/trimesh_mirror.ply", 286, NULL},
    {"dirty_meshes/trimesh_negative_indices.obj", 12, NULL}, /* OBJ allows them */
    {"dirty_meshes/trimesh_soup.stl", 100, "do not join: wrapped"},
    {"dirty_meshes/trimesh_wallhole.obj", 66, "9 triangles have no area"},
};

/* All that is said of a mesh that becomes a solid, or the sentence of one that does not. */
static void make_solid(const rn_mesh_file *mesh, char *text, size_t size) {
    rn_mesh_solid_def def = rn_mesh_solid_default();
    rn_mesh_report report;
    def.positions = mesh->positions;
    def.indices = mesh->indices;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    rn_sdf *solid = rn_sdf_mesh(&def, &report);
    text[0] = 0;
    char line[512];
    for (int i = 0; solid && rn_mesh_report_line(&report, i, line, sizeof line); i++)
        snprintf(text + strlen(text), size - strlen(text), "%s\n", line);
    if (!solid) snprintf(text, size, "%s", rn_last_error());
    rn_sdf_destroy(solid);
}

static void check_solid(const expected *file, const rn_mesh_file *mesh) {
    char said[4096];
    if (mesh->triangle_count != file->triangles)
        fail_msg("%s: %u triangles, not %u", file->name, mesh->triangle_count, file->triangles);
    make_solid(mesh, said, sizeof said);
    if (file->words ? !strstr(said, file->words) : said[0] != 0)
        fail_msg("%s: \"%s\" is said, not \"%s\"", file->name, said, file->words ? file->words : "");
}

/* Of this process and those it has waited for (s): other work on the machine does not count. */
static double seconds_of(int who) {
    struct rusage used;
    getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double seconds(void) { return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN); }

static void check_shared(const expected *files, size_t count) {
    double longest = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = shared_file(files[i].name);
        if (!path) skip();
        const double start = seconds();
        rn_mesh_file mesh;
        rn_result result = rn_mesh_read(path, &mesh);
        if (files[i].triangles == 0) check_refusal(path, result, files[i].words);
        else if (result != RN_OK) fail_msg("%s", rn_last_error());
        else check_solid(&files[i], &mesh);
        longest = fmax(longest, seconds() - start);
        rn_mesh_file_free(&mesh);
    }
    struct rusage readers, own;
    getrusage(RUSAGE_CHILDREN, &readers);
    getrusage(RUSAGE_SELF, &own);
    print_message("at most %.3f s, %ld MiB to read and %ld MiB here\n", longest, readers.ru_maxrss >> 10,
                  own.ru_maxrss >> 10);
    ASSERT_QUICK(longest, 10);
    assert_true(readers.ru_maxrss < 1 << 20 && own.ru_maxrss < 1 << 20);
}

static void test_sound(void **state) {
    (void)state;
    check_shared(sound, sizeof sound / sizeof *sound);
}

static void test_dirty(void **state) {
    (void)state;
    check_shared(dirty, sizeof dirty / sizeof *dirty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes), cmocka_unit_test(test_refused), cmocka_unit_test(test_deep_nodes),
        cmocka_unit_test(test_sound), cmocka_unit_test(test_dirty),
    };
    rn_mesh_file mesh;
    if (rn_mesh_read("CMakeLists.txt", &mesh) == RN_UNSUPPORTED) {
        print_message("skipped: %s\n", rn_last_error());
        return 0;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
