/* STL, OBJ, OFF and PLY, which runnel reads itself: what is read of valid files, however they are written, and what is
   said of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_checks.h"

#include <runnel/runnel.h>

/* What runnel writes, it reads. */
static void test_own_files(void **state) {
    (void)state;
    const rn_mesh brick = {.positions = (float *)brick_positions,
                           .indices = (uint32_t *)brick_indices,
                           .vertex_count = BRICK_VERTICES,
                           .triangle_count = BRICK_TRIANGLES};
    assert_int_equal(rn_mesh_write(in_folder("brick.ply"), &brick), RN_OK);
    check_brick("brick.ply", "PLY (binary)");
    assert_int_equal(rn_mesh_write(in_folder("brick.obj"), &brick), RN_OK);
    check_brick("brick.obj", "Wavefront OBJ");
}

static void test_stl(void **state) {
    (void)state;
    write_stl_text("text.stl", 0);
    check_brick("text.stl", "STL (text)");
    write_stl_binary("binary.STL", STL_BYTES);
    check_brick("binary.STL", "STL (binary)");
}

/* Squares and a pentagon become triangles; a point and a line are left out. */
static void test_polygons(void **state) {
    (void)state;
    write_text("polygons.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 2 0\nv 9 9 9\n"
                               "f 1 2 3 4\nf 1 2 3 5 4\nf -6 -5 -4\np 6\nl 1 6\n");
    rn_mesh_file mesh = read_mesh("polygons.obj");
    assert_int_equal(mesh.triangle_count, 2 + 3 + 1);
    for (size_t i = 0; i < 3 * (size_t)mesh.triangle_count; i++) assert_true(mesh.indices[i] < mesh.vertex_count);
    rn_mesh_file_free(&mesh);
}

/* Reads a text as a file and checks how many triangles it has; the file is a closed solid of this volume. */
static void check_text(const char *name, const char *text, uint32_t triangles, double volume) {
    write_text(name, text);
    rn_mesh_file mesh = read_mesh(name);
    if (mesh.triangle_count != triangles) fail_msg("%s: %u triangles, not %u", name, mesh.triangle_count, triangles);
    if (fabs(signed_volume(&mesh) - volume) > 1e-6) fail_msg("%s: a volume of %g", name, signed_volume(&mesh));
    rn_mesh_file_free(&mesh);
}

/* Valid files that are written in unusual ways. */
static void test_unusual(void **state) {
    (void)state;
    const double volume = 1.0 / 6;
    check_text("points.obj",
               "\xef\xbb\xbf# a tetrahedron\r\nmtllib a.mtl\r\nv .0 -.0 +0.\r\nv 1. 0 0 1\r\nv 0 1e0 0\r\n"
               "v 0 0 .1E+1 0.5 0.5 0.5\r\nvn 0 0 1\r\nusemtl b\r\nf 1/1 3 2//1\r\nf 1 2 \\\r\n 4\r\n"
               "f -4 -1 -2\r\nf 2/1/1 3/1/1 4/1/1 # last\r\n",
               4, volume);
    check_text("notes.off",
               "# made by hand\nOFF # text\n\n4 4 6 # counts\n0 0 0\n# between\n1 0 0 # x\n0 1 0 0 0 1\n"
               "3 0 2 1 255 0 0 # coloured\n\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
               4, volume);
    check_text("colours.off",
               "COFF\n4 4 0\n0 0 0 255 0 0\n1 0 0 255 0 0 255\n0 1 0 1\n0 0 1\n3 0 2 1\n3 0 1 3\n"
               "3 0 3 2\n3 1 2 3\n",
               4, volume);
    check_text("vertex-colours.off",
               "OFF\n4 4 0\n0 0 0 255 0 0\n1 0 0 255 0 0\n0 1 0 0 0 255\n0 0 1 0 0 9\n3 0 2 1\n"
               "3 0 1 3\n3 0 3 2\n3 1 2 3\n",
               4, volume);
    check_text("glued.off", "OFF4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", 4, volume);
    check_text("no-edges.off", "OFF\n4 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", 4, volume);
    check_text("forward.obj",
               "# from C:\\models\\\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", 4,
               volume);
    check_text(
        "one-line.stl",
        "solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet FACET NORMAL 0 "
        "0 "
        "1 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0 VERTEX 0 0 1 ENDLOOP ENDFACET facet normal 0 0 1 outer loop vertex 0 0 "
        "0 vertex 0 0 1 vertex 0 1 0 endloop endfacet facet normal 0 0 1 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 "
        "0 1 endloop endfacet endsolid a\n\x1a",
        4, volume);
    check_text("bare.off", "4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", 4, volume);
    check_text(
        "blank.stl",
        "\n  \nSOLID of a name\nfacet normal 0 0 -1 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop "
        "endfacet\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
        "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
        "facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n",
        4, volume);
    check_text("strips.ply",
               "ply\nformat ascii 1.0\ncomment none\nelement vertex 4\nproperty uchar red\nproperty double x\n"
               "property double y\nproperty double z\nelement tristrips 1\nproperty list int int vertex_indices\n"
               "end_header\n1 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n12 0 2 1 3 -1 0 3 2 -1 0 1 3\n",
               4, volume);
}

/* Concave polygons are cut along their inside: an L and an arrow of one square metre each. */
static void test_concave(void **state) {
    (void)state;
    write_text("concave.obj", "v 0 0 0\nv 1 0 0\nv 1 0.5 0\nv 0.5 0.5 0\nv 0.5 1.5 0\nv 0 1.5 0\nf 4 5 6 1 2 3\n"
                              "v 0 0 5\nv 1 2 5\nv 0 1 5\nv -1 2 5\nf 7 8 9 10\n");
    rn_mesh_file mesh = read_mesh("concave.obj");
    assert_int_equal(mesh.triangle_count, 4 + 2);
    double area = 0;
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        const float *p[3];
        for (size_t k = 0; k < 3; k++) p[k] = mesh.positions + 3 * (size_t)mesh.indices[3 * i + k];
        const double twice =
            (double)((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
        assert_true(twice > 0);
        area += 0.5 * twice;
    }
    assert_true(fabs(area - 2) < 1e-6);
    rn_mesh_file_free(&mesh);
}

/* Binary data that begin with the byte of a line's end. */
static void test_binary_ply(void **state) {
    (void)state;
    static const char head[] =
        "ply\nformat binary_little_endian 1.0\nelement mark 1\nproperty uchar a\nelement vertex 3\n"
        "property float x\nproperty float y\nproperty float z\nelement face 1\n"
        "property list uchar int vertex_index\nend_header\n";
    char bytes[sizeof head + 64];
    const float at[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t ends[3] = {0, 1, 2};
    size_t size = sizeof head - 1;
    memcpy(bytes, head, size);
    bytes[size++] = '\n'; /* the mark */
    memcpy(bytes + size, at, sizeof at);
    size += sizeof at;
    bytes[size++] = 3;
    memcpy(bytes + size, ends, sizeof ends);
    write_bytes("newline.ply", bytes, size + sizeof ends);
    rn_mesh_file mesh = read_mesh("newline.ply");
    assert_int_equal(mesh.triangle_count, 1);
    for (size_t i = 0; i < 9; i++) assert_true(mesh.positions[i] == at[i]);
    rn_mesh_file_free(&mesh);
    write_bytes("short.ply", bytes, size + 5);
    rn_result result = rn_mesh_read(in_folder("short.ply"), &mesh);
    assert_int_equal(result, RN_FORMAT);
    assert_non_null(strstr(rn_last_error(), "is cut short: it ends after 0 of 1 elements \"face\""));
}

/* A roof in the coordinates of a survey: a centimetre is not lost. */
static void test_survey(void **state) {
    (void)state;
    write_text("survey.obj",
               "v 691234.25 5334567.75 512.01\nv 691244.25 5334567.75 512.02\nv 691234.25 5334577.75 512.03\n"
               "f 1 2 3\n");
    rn_mesh_file mesh = read_mesh("survey.obj");
    assert_true(mesh.origin[0] == 691234 && mesh.origin[1] == 5334567 && mesh.origin[2] == 512);
    const double expected[9] = {0.25, 0.75, 0.01, 10.25, 0.75, 0.02, 0.25, 10.75, 0.03};
    for (size_t i = 0; i < 9; i++) assert_true(fabs((double)mesh.positions[i] - expected[i]) < 1e-6);
    rn_mesh_file_free(&mesh);
}

/* What is odd is said, and the mesh is read. */
static void test_warnings(void **state) {
    (void)state;
    write_text("endless.stl",
               "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
               "endfacet\n");
    rn_mesh_file mesh = read_mesh("endless.stl");
    assert_string_equal(mesh.warning, "ends without \"endsolid\": perhaps it was cut short");
    rn_mesh_file_free(&mesh);
}

static void test_refused(void **state) {
    (void)state;
    write_text("empty.obj", "");
    check_refused("empty.obj", "is empty");
    write_text("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\np 1 2 3\n");
    check_refused("points.obj", "holds no triangles");
    write_text("points.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                             "property float z\nend_header\n0 0 0\n");
    check_refused("points.ply", "holds points, but no triangles");
    write_text("endless.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement face 6\n");
    check_refused("endless.ply", "its header does not end");
    write_bytes("wide.obj", "\xff\xfev\0 \0001\0", 8);
    check_refused("wide.obj", "is text in UTF-16; save it as UTF-8");
    write_stl_binary("stl.obj", STL_BYTES);
    check_refused("stl.obj", "its contents are stl but its name says obj; rename it");
    write_stl_text("stl.ply", 0);
    check_refused("stl.ply", "its contents are stl but its name says ply; rename it");
    write_stl_binary("cut.stl", STL_BYTES - 70);
    check_refused("cut.stl", "is cut short: it holds 10 of the 12 triangles that its header promises");
    write_text("cut-text.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n");
    check_refused("cut-text.stl", ":5: is cut short: the file ends within a facet");
    write_text("cut.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    check_refused("cut.off", "is cut short: it has 1 of the 2 faces that it promises");
    write_text("beyond.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n");
    check_refused("beyond.off", ":6: a face names vertex \"3\"; there are 3, counted from 0");
    write_text("comma.obj", "v 0,5 0 0\n");
    check_refused("comma.obj", ":1: \"v\" needs three numbers; \"0,5\" is none");
    write_text("page.stl", "\n<!DOCTYPE HTML>\n<title>404 Not Found</title>\n");
    check_refused("page.stl", "is a web page, perhaps in place of a file");
    write_text("a.mtl", "newmtl a\nKd 1 0 0\n");
    check_refused("a.mtl", "is a list of materials; give the .obj that uses it");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unusual), cmocka_unit_test(test_concave),  cmocka_unit_test(test_binary_ply),
        cmocka_unit_test(test_survey),  cmocka_unit_test(test_warnings), cmocka_unit_test(test_own_files),
        cmocka_unit_test(test_stl),     cmocka_unit_test(test_polygons), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
