/* Meshes in scenes: where they go, what is said of them, and files given in place of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene/shape_mesh.h"
#include "mesh_files.h"

#include <math.h>
#include <runnel/runnel.h>

static int set_up(void **state) {
    (void)state;
    return make_folder("mesh-shapes");
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

/* ---- Where the brick goes: 1 by 2 by 3 from the origin ---- */

static const rn_mesh_file brick = {.positions = brick_positions,
                                   .indices = brick_indices,
                                   .vertex_count = BRICK_VERTICES,
                                   .triangle_count = BRICK_TRIANGLES};
static const rn_shape_pose as_it_is = {.scale = 1, .stretch = {1, 1, 1}};
static const rn_shape_context domain = {.origin = {10, 20}, .size = {6, 4}}; /* m */

static void check_place(const rn_mesh_file *mesh, const rn_mesh_values *values, const rn_shape_pose *pose, rn_vec3 low,
                        rn_vec3 high) {
    double rows[3][4];
    if (rn_mesh_place(mesh, values, pose, &domain, rows) != RN_OK) fail_msg("%s", rn_last_error());
    const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < BRICK_VERTICES; i++) {
            const float *v = brick_positions + 3 * i;
            const double *row = rows[axis],
                         value = row[0] * (double)v[0] + row[1] * (double)v[1] + row[2] * (double)v[2] + row[3];
            if (value < least) least = value;
            if (value > most) most = value;
        }
        const double slack = 1e-12 * (1 + fabs(highs[axis]));
        if (fabs(least - lows[axis]) > slack || fabs(most - highs[axis]) > slack)
            fail_msg("along axis %d from %g to %g, not from %g to %g", axis, least, most, lows[axis], highs[axis]);
    }
    const double determinant = rows[0][0] * (rows[1][1] * rows[2][2] - rows[1][2] * rows[2][1]) -
                               rows[0][1] * (rows[1][0] * rows[2][2] - rows[1][2] * rows[2][0]) +
                               rows[0][2] * (rows[1][0] * rows[2][1] - rows[1][1] * rows[2][0]);
    assert_true(determinant > 0); /* never a mirror image */
}

static int choice(const char *const *choices, const char *word) {
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], word) == 0) return i;
    fail_msg("there is no \"%s\"", word);
    return 0;
}

static void test_units(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"auto", 1},  {"m", 1},     {"cm", 0.01},   {"mm", 0.001},
                 {"um", 1e-6}, {"km", 1000}, {"in", 0.0254}, {"ft", 0.3048}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const rn_mesh_values values = {.unit = choice(rn_mesh_units, units[i].name)};
        const double m = units[i].metres;
        check_place(&brick, &values, &as_it_is, (rn_vec3){0, 0, 0}, (rn_vec3){m, 2 * m, 3 * m});
    }
    rn_mesh_file file = brick;
    file.unit = 0.5; /* as a format may say */
    check_place(&file, &(rn_mesh_values){0}, &as_it_is, (rn_vec3){0, 0, 0}, (rn_vec3){0.5, 1, 1.5});
    const rn_mesh_values metres = {.unit = choice(rn_mesh_units, "m")};
    check_place(&file, &metres, &as_it_is, (rn_vec3){0, 0, 0}, (rn_vec3){1, 2, 3});
}

static void test_ups(void **state) {
    (void)state;
    static const struct {
        const char *name;
        rn_vec3 low, high;
    } ups[] = {{"auto", {0, 0, 0}, {1, 2, 3}}, {"z", {0, 0, 0}, {1, 2, 3}},   {"-z", {0, -2, -3}, {1, 0, 0}},
               {"y", {0, -3, 0}, {1, 0, 2}},   {"-y", {0, 0, -2}, {1, 3, 0}}, {"x", {-3, 0, 0}, {0, 2, 1}},
               {"-x", {0, 0, -1}, {3, 2, 0}}};
    for (size_t i = 0; i < sizeof ups / sizeof *ups; i++) {
        const rn_mesh_values values = {.up = choice(rn_mesh_ups, ups[i].name)};
        check_place(&brick, &values, &as_it_is, ups[i].low, ups[i].high);
    }
    rn_mesh_file file = brick;
    file.up = RN_UP_Y;
    check_place(&file, &(rn_mesh_values){0}, &as_it_is, (rn_vec3){0, -3, 0}, (rn_vec3){1, 0, 2});
}

/* The domain is 6 by 4 m, from (10, 20) on: its middle is (13, 22). */
static void test_fit(void **state) {
    (void)state;
    const rn_mesh_values centred = {.centred = true}, whole = {.fit = 1}, half = {.fit = 0.5, .unit = 3};
    check_place(&brick, &centred, &as_it_is, (rn_vec3){12.5, 21, 0}, (rn_vec3){13.5, 23, 3});
    check_place(&brick, &whole, &as_it_is, (rn_vec3){12, 20, 0}, (rn_vec3){14, 24, 6});
    check_place(&brick, &half, &as_it_is, (rn_vec3){12.5, 21, 0}, (rn_vec3){13.5, 23, 3});
    const rn_mesh_values hanging = {.fit = 1, .up = RN_UP_MINUS_Z}; /* from -3 to 0 in its own place */
    check_place(&brick, &hanging, &as_it_is, (rn_vec3){12, 20, 0}, (rn_vec3){14, 24, 6});
    rn_shape_pose moved = as_it_is;
    moved.at[0] = 1;
    moved.at[2] = -2;
    check_place(&brick, &whole, &moved, (rn_vec3){13, 20, -2}, (rn_vec3){15, 24, 4});
    rn_shape_pose turned = as_it_is;
    turned.turn[2] = 90; /* 2 by 1 now, so that the length decides: 6 m */
    check_place(&brick, &whole, &turned, (rn_vec3){10, 20.5, 0}, (rn_vec3){16, 23.5, 9});
    const float wall[] = {0, 0, 0, 0, 0, 1, 0, 0, 2}; /* seen from above it is a point */
    const uint32_t corners[] = {0, 1, 2};
    const rn_mesh_file flat = {.positions = wall, .indices = corners, .vertex_count = 3, .triangle_count = 1};
    double rows[3][4];
    assert_int_equal(rn_mesh_place(&flat, &whole, &as_it_is, &domain, rows), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "cannot be fitted into the domain"));
}

/* Vertices that no triangle has, that are not there or not finite do not count. */
static void test_fit_of_rubbish(void **state) {
    (void)state;
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 2, 3, 50, 50, 50, NAN, 0, 0, 0, INFINITY, 0};
    const uint32_t indices[] = {0, 1, 2, 0, 4, 99, 5, 1, UINT32_MAX};
    const rn_mesh_file file = {.positions = positions, .indices = indices, .vertex_count = 6, .triangle_count = 3};
    const rn_mesh_values whole = {.fit = 1};
    check_place(&file, &whole, &as_it_is, (rn_vec3){12, 20, 0}, (rn_vec3){14, 24, 6});
    const uint32_t flat[] = {0, 1, 2, 3, 3, 3}; /* nor do those of triangles without an area */
    const rn_mesh_file dot = {.positions = positions, .indices = flat, .vertex_count = 6, .triangle_count = 2};
    check_place(&dot, &whole, &as_it_is, (rn_vec3){12, 20, 0}, (rn_vec3){14, 24, 6});
    const rn_mesh_file nothing = {.positions = positions, .indices = flat + 3, .vertex_count = 6, .triangle_count = 1};
    double rows[3][4];
    assert_int_equal(rn_mesh_place(&nothing, &(rn_mesh_values){.centred = true}, &as_it_is, &domain, rows), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "its only triangle has no area"));
    const uint32_t points[] = {3, 3, 3, 0, 0, 0};
    const rn_mesh_file two = {.positions = positions, .indices = points, .vertex_count = 6, .triangle_count = 2};
    assert_int_equal(rn_mesh_place(&two, &(rn_mesh_values){.centred = true}, &as_it_is, &domain, rows), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "none of its 2 triangles has an area"));
}

/* First stretched and scaled, then turned, then moved, as other shapes are. */
static void test_pose(void **state) {
    (void)state;
    const rn_shape_pose pose = {.scale = 2, .stretch = {1, 3, 0.5}, .turn = {0, 0, 90}, .at = {1, 2, 3}};
    const rn_mesh_values millimetres = {.unit = choice(rn_mesh_units, "mm"), .up = RN_UP_Z};
    check_place(&brick, &millimetres, &pose, (rn_vec3){1 - 0.012, 2, 3}, (rn_vec3){1, 2.002, 3.003});
    const rn_shape_pose about = {.scale = 1, .stretch = {1, 1, 1}, .turn = {30, -40, 75}, .at = {0.1, 0.2, 0.3}};
    double rows[3][4];
    assert_int_equal(rn_mesh_place(&brick, &(rn_mesh_values){0}, &about, &domain, rows), RN_OK);
    rn_sdf *box = rn_sdf_move(rn_sdf_box((rn_vec3){1, 2, 3}), (rn_vec3){0.5, 1, 1.5});
    box = rn_sdf_move(rn_sdf_turn(box, rn_quat_from_degrees((rn_vec3){30, -40, 75})), (rn_vec3){0.1, 0.2, 0.3});
    assert_non_null(box);
    for (size_t i = 0; i < BRICK_VERTICES; i++) {
        const float *v = brick_positions + 3 * i;
        double p[3];
        for (int axis = 0; axis < 3; axis++)
            p[axis] = rows[axis][0] * (double)v[0] + rows[axis][1] * (double)v[1] + rows[axis][2] * (double)v[2] +
                      rows[axis][3];
        assert_true(fabs(rn_sdf_distance(box, (rn_vec3){p[0], p[1], p[2]})) < 1e-12);
    }
    rn_sdf_destroy(box);
}

/* ---- In scenes ---- */

typedef struct notes {
    char text[4096];
    int count;
} notes;

static void keep(void *user, rn_log_level level, const char *text) {
    notes *l = user;
    assert_int_equal(level, RN_LOG_WARNING);
    snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "%s\n", text);
    l->count++;
}

static rn_result open_scene(const char *name, const char *geometry, notes *l, rn_scene **scene) {
    const rn_scene_def def = {
        .path = in_folder(name), .geometry = geometry, .threads = 1, .hooks = {.user = l, .log = l ? keep : NULL}};
    return rn_scene_open(&def, scene);
}

/* The height of the uppermost ground at a place (m). */
static double ground_at(rn_scene *scene, double x, double y) {
    const rn_sample point = rn_world_sample(rn_scene_world(scene), (rn_vec3){x, y, 100});
    assert_true(point.found);
    return point.base;
}

/* A brick of 1 by 2 by 3 cm on a plane, and a ball beside it. */
static const char scene_text[] =
    "{\"grid\": {\"cells\": [40, 40], \"cell\": 0.001}, \"frame_time\": 0.01, \"frames\": 4,\n"
    " \"solid\": {\"type\": \"union\", \"of\": [{\"type\": \"plane\"},\n"
    "  {\"type\": \"mesh\", \"file\": \"%s\", \"unit\": \"cm\", \"at\": [0.005, 0.005, 0]},\n"
    "  {\"type\": \"sphere\", \"radius\": 0.008, \"at\": [0.03, 0.03, 0]}]},\n"
    " \"sources\": [{\"at\": [0.01, 0.01, 0.1], \"radius\": 0.003, \"rate\": 1e-6}]}\n";

static void write_scene(const char *name, const char *file) {
    char text[1024];
    snprintf(text, sizeof text, scene_text, file);
    write_text(name, text);
}

static void test_scene(void **state) {
    (void)state;
    write_stl_binary("brick.stl", STL_BYTES);
    write_scene("brick.json", "brick.stl");
    rn_scene *scene = NULL;
    notes l = {0};
    if (open_scene("brick.json", NULL, &l, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    assert_string_equal(l.text, ""); /* a sound mesh is not talked about */
    assert_true(fabs(ground_at(scene, 0.0105, 0.0105) - 0.03) < 1e-6);
    assert_true(fabs(ground_at(scene, 0.0105, 0.0305)) < 1e-6);
    assert_true(fabs(ground_at(scene, 0.0305, 0.0305) - 0.008) < 1e-4);
    for (int i = 0; i < 4; i++) assert_int_equal(rn_scene_step(scene), RN_OK);
    assert_true(rn_world_audit(rn_scene_world(scene)).drift == 0);
    rn_scene_close(scene);
}

/* Faults are told under the name of the file. */
static void test_faults_told(void **state) {
    (void)state;
    write_stl_text("holed.stl", 1);
    write_scene("holed.json", "holed.stl");
    rn_scene *scene = NULL;
    notes l = {0};
    if (open_scene("holed.json", NULL, &l, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(l.count > 0);
    assert_int_equal(strncmp(l.text, in_folder("holed.stl"), strlen(in_folder("holed.stl"))), 0);
    assert_non_null(strstr(l.text, "hole"));
    rn_scene_close(scene);
}

/* Six plates of 2 cm that almost make a box, wrapped as finely as the scene says. */
static void test_loose_plates(void **state) {
    (void)state;
    char text[4096] = "", *end = text;
    for (int plate = 0; plate < 6; plate++) {
        const int axis = plate / 2, out = plate % 2 ? 1 : -1;
        for (int corner = 0; corner < 4; corner++) {
            double at[3];
            at[axis] = out;
            at[(axis + 1) % 3] = corner == 0 || corner == 3 ? -0.95 : 0.95;
            at[(axis + 2) % 3] = out * (corner < 2 ? -0.95 : 0.95);
            end += sprintf(end, "v %g %g %g\n", at[0], at[1], at[2]);
        }
        end += sprintf(end, "f -4 -3 -2 -1\n");
    }
    write_text("plates.obj", text);
    write_text("plates.json",
               "{\"grid\": {\"cells\": [40, 40], \"cell\": 0.001},\n"
               " \"solid\": {\"type\": \"mesh\", \"file\": \"plates.obj\", \"unit\": \"cm\", \"at\": [0.02, 0.02, "
               "0.01], \"as\": \"solid\", \"spacing\": 0.0005}}\n");
    rn_scene *scene = NULL;
    notes l = {0};
    if (open_scene("plates.json", NULL, &l, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    assert_non_null(strstr(l.text, "wrapped in a skin with a spacing of 0.0005 m"));
    assert_true(fabs(ground_at(scene, 0.0205, 0.0205) - 0.02) < 1e-4);
    rn_scene_close(scene);
}

static void check_refused(const char *file, const char *words) {
    write_scene("refused.json", file);
    rn_scene *scene = NULL;
    rn_result result = open_scene("refused.json", NULL, NULL, &scene);
    assert_true(result != RN_OK && !scene);
    if (!strstr(rn_last_error(), words) || !strstr(rn_last_error(), "refused.json:3:"))
        fail_msg("\"%s\" does not say \"%s\" of line 3", rn_last_error(), words);
}

static void test_refused(void **state) {
    (void)state;
    write_text("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    write_text("nothing.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    check_refused("gone.stl", "gone.stl: cannot be read: No such file");
    check_refused("points.obj", "points.obj: holds no triangles");
    check_refused("nothing.obj", "nothing.obj: ");
}

/* Another file for the first shape that has one; a checkpoint finds it from any folder. */
static void test_geometry(void **state) {
    (void)state;
    write_stl_text("brick2.stl", 0);
    write_scene("other.json", "gone.stl");
    char here[1024];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    rn_scene *scene = NULL, *again = NULL;
    rn_result result = open_scene("other.json", "brick2.stl", NULL, &scene);
    assert_int_equal(chdir(here), 0);
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    assert_true(fabs(ground_at(scene, 0.0105, 0.0105) - 0.03) < 1e-6);
    assert_int_equal(rn_scene_step(scene), RN_OK);
    assert_int_equal(rn_scene_save(scene, in_folder("other.rnl")), RN_OK);
    if (rn_scene_open(&(rn_scene_def){.checkpoint = in_folder("other.rnl")}, &again) != RN_OK)
        fail_msg("%s", rn_last_error());
    assert_int_equal(rn_scene_step(scene), RN_OK);
    assert_int_equal(rn_scene_step(again), RN_OK);
    assert_true(rn_world_hash(rn_scene_world(scene)) == rn_world_hash(rn_scene_world(again)));
    rn_scene_close(scene);
    rn_scene_close(again);
    assert_int_equal(open_scene("other.json", "nowhere.stl", NULL, &scene), RN_FILE);
    assert_non_null(strstr(rn_last_error(), "nowhere.stl: cannot be read: No such file"));
    write_text("none.json", "{\"grid\": {\"cells\": [4, 4], \"cell\": 0.01}, \"solid\": {\"type\": \"plane\"}}");
    assert_int_equal(open_scene("none.json", "brick2.stl", NULL, &scene), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "none.json: has no mesh, volume or heightmap with a \"file\""));
}

int main(void) {
    const struct CMUnitTest places[] = {
        cmocka_unit_test(test_units),          cmocka_unit_test(test_ups),  cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_of_rubbish), cmocka_unit_test(test_pose),
    };
    const struct CMUnitTest scenes[] = {
        cmocka_unit_test(test_scene),   cmocka_unit_test(test_faults_told), cmocka_unit_test(test_loose_plates),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_geometry),
    };
    int failed = cmocka_run_group_tests(places, NULL, NULL);
    rn_mesh_file mesh;
    if (rn_mesh_read("CMakeLists.txt", &mesh) != RN_UNSUPPORTED)
        failed += cmocka_run_group_tests(scenes, set_up, tear_down);
    return failed;
}
