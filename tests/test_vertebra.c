/* The vertebra of scenes/vertebra.json has the anatomy of a lumbar one, and blood goes where it should. */
#include <runnel/io.h>
#include <runnel/world.h>

#include "base/maths.h"
#include "terrain_shapes.h"

/* Of the scene: the middle of the vertebra, between the body and the arch. Below, places are in mm from there: x to the
   right, y towards the head, z towards the back, which is up. */
static const rn_vec3 middle = {0.05, 0.05, 0.046};

static int open_scene(void **state) {
    rn_scene *scene = NULL;
    const rn_scene_def def = {.path = "scenes/vertebra.json", .keep_solid = true, .threads = 2};
    if (rn_scene_open(&def, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    *state = scene;
    return start_random(NULL);
}

static int close_scene(void **state) {
    rn_scene_close(*state);
    return 0;
}

/* mm to the bone, or to the bed below it; at least: the fields of rough shapes are a bound */
static double gap(const rn_sdf *solid, double x, double y, double z) {
    return 1e3 * distance_at(solid, middle.x + 1e-3 * x, middle.y + 1e-3 * y, middle.z + 1e-3 * z);
}

static double least_gap(const rn_sdf *solid, rn_vec3 from, rn_vec3 to) {
    enum { STEPS = 400 };
    double least = INFINITY;
    for (int i = 0; i <= STEPS; i++) {
        const double t = (double)i / STEPS;
        least = rn_min(least, gap(solid, from.x + t * (to.x - from.x), from.y + t * (to.y - from.y),
                                  from.z + t * (to.z - from.z)));
    }
    return least;
}

static bool is_bone(const rn_sdf *solid, double x, double y, double z) { return gap(solid, x, y, z) < 0; }

/* How far (mm) the bone reaches from inside of it. */
static double reach(const rn_sdf *solid, rn_vec3 from, rn_vec3 way) {
    double most = 0;
    for (double s = 0; s < 60; s += 0.1)
        if (is_bone(solid, from.x + s * way.x, from.y + s * way.y, from.z + s * way.z)) most = s;
    return most;
}

static void sizes_are_those_of_a_lumbar_vertebra(void **state) {
    const rn_sdf *solid = rn_scene_solid(*state);
    const rn_vec3 right = {1, 0, 0}, left = {-1, 0, 0}, head = {0, 1, 0}, foot = {0, -1, 0};
    const rn_vec3 body = {0, 13, -24}, waist = {0, 0, -24};
    const double width = reach(solid, body, right) + reach(solid, body, left);
    assert_in_range((int)width, 42, 50);
    assert_true(reach(solid, waist, right) + reach(solid, waist, left) < width - 2);
    assert_in_range((int)(reach(solid, (rn_vec3){0, 0, -8}, head) + reach(solid, (rn_vec3){0, 0, -8}, foot)), 26, 31);
    /* hollow endplates within raised rims */
    assert_true(reach(solid, waist, head) < reach(solid, (rn_vec3){0, 0, -8}, head) - 1);
    assert_true(reach(solid, waist, foot) < reach(solid, (rn_vec3){0, 0, -8}, foot) - 1);
    /* transverse processes from tip to tip; the spinous process above the canal */
    double tip = 0, top = 0;
    for (double y = 0; y < 15; y += 0.5)
        for (double z = 0; z < 20; z += 0.5) tip = rn_max(tip, reach(solid, (rn_vec3){20, y, z}, right) + 20);
    for (double y = -25; y < 0; y += 0.5) top = rn_max(top, reach(solid, (rn_vec3){0, y, 20}, (rn_vec3){0, 0, 1}) + 20);
    assert_in_range((int)(2 * tip), 70, 90);
    assert_in_range((int)top, 34, 44);
}

static void canal_and_foramina_are_open(void **state) {
    const rn_sdf *solid = rn_scene_solid(*state);
    assert_true(least_gap(solid, (rn_vec3){0, -49, 1}, (rn_vec3){0, 49, 1}) > 3.5);
    assert_true(least_gap(solid, (rn_vec3){8, -49, 0}, (rn_vec3){8, 49, 0}) > 1);
    assert_true(least_gap(solid, (rn_vec3){-8, -49, 0}, (rn_vec3){-8, 49, 0}) > 1);
    /* all around it: body, pedicles, laminae */
    assert_true(is_bone(solid, 0, 0, -10) && is_bone(solid, 0, -8, 13));
    assert_true(is_bone(solid, 15, 4, 0) && is_bone(solid, -15, 4, 0));
    assert_true(is_bone(solid, 8, -7, 11.5) && is_bone(solid, -8, -7, 11.5));
    /* Nerves leave below the pedicles: from side to side through both foramina. */
    assert_true(least_gap(solid, (rn_vec3){-49, -7, 0}, (rn_vec3){49, -7, 0}) > 1);
}

static void halves_are_alike(void **state) {
    const rn_sdf *solid = rn_scene_solid(*state);
    for (int i = 0; i < 5000; i++) {
        const double x = random_in(0, 45), y = random_in(-25, 25), z = random_in(-10, 40);
        assert_near(gap(solid, x, y, z), gap(solid, -x, y, z), 0.8);
    }
}

/* mm of air below the highest solid of a cell; 0: there is none */
static double air_below(const rn_view *base, const rn_view *ceil, double x, double y) {
    const ptrdiff_t cell = (ptrdiff_t)((50 + y) * 2) * base->row_stride + (ptrdiff_t)((50 + x) * 2);
    double most = 0;
    for (int layer = 0; layer + 1 < base->layers; layer++) {
        const ptrdiff_t at = layer * base->layer_stride + cell;
        if (base->data[at + base->layer_stride] < RN_NO_COLUMN) most = ceil->data[at] - base->data[at];
    }
    return 1e3 * most;
}

static void processes_hang_over(void **state) {
    const rn_world *world = rn_scene_world(*state);
    const rn_world_info info = rn_world_describe(world);
    assert_int_equal(info.cells_x, 200);
    assert_int_equal(info.cells_y, 200);
    assert_int_equal(info.layers, 5);
    assert_near(info.cell_size, 5e-4, 1e-9);
    const rn_view base = rn_world_view(world, RN_FIELD_BASE), ceil = rn_world_view(world, RN_FIELD_CEIL);
    assert_true(air_below(&base, &ceil, 32, 8) > 15);     /* transverse processes, */
    assert_true(air_below(&base, &ceil, -32, 8) > 15);    /* over the muscles beside the body */
    assert_true(air_below(&base, &ceil, 15, 16) > 8);     /* superior articular processes */
    assert_true(air_below(&base, &ceil, 15, -18) > 30);   /* and inferior ones */
    assert_true(air_below(&base, &ceil, 0, -21) > 40);    /* spinous process */
    assert_true(air_below(&base, &ceil, 6, -6) > 8);      /* lamina over the canal */
    assert_true(air_below(&base, &ceil, 40, -40) == 0.0); /* open sky */
}

static void blood_reaches_the_bed_and_none_is_lost(void **state) {
    rn_scene *scene = *state;
    rn_world *world = rn_scene_world(scene);
    for (int frame = 0; frame < 45; frame++) assert_int_equal(rn_scene_step(scene), RN_OK);
    const rn_audit audit = rn_world_audit(world);
    assert_true(audit.drift == 0.0 && audit.left == 0.0 && audit.refused == 0.0);
    assert_true(audit.present > 7e-7 && audit.present == audit.poured);
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    double volume[5] = {0};
    for (int layer = 0; layer < 5; layer++)
        for (int y = 0; y < 200; y++)
            for (int x = 0; x < 200; x++)
                volume[layer] += 2.5e-7 * depth.data[layer * depth.layer_stride + y * depth.row_stride + x];
    for (int layer = 0; layer < 3; layer++) assert_true(volume[layer] > 1e-8);
    assert_true(volume[0] > 0.1 * audit.present);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_a_lumbar_vertebra),
        cmocka_unit_test(canal_and_foramina_are_open),
        cmocka_unit_test(halves_are_alike),
        cmocka_unit_test(processes_hang_over),
        cmocka_unit_test(blood_reaches_the_bed_and_none_is_lost),
    };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
