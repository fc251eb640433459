/* The friction of a scene's ground: numbers, regions and rasters. */
#include "pipe_worlds.h"
#include "scene_texts.h"

#include <math.h>

static const char level[] = "{\"grid\": {\"cells\": [4, 2], \"cell\": 1, \"lid\": 5}, \"solid\": {\"type\": "
                            "\"plane\"}}";

static rn_scene *open_with(const char *set) {
    rn_scene *scene = NULL;
    if (open_text(level, &set, 1, &scene) != RN_OK) fail_msg("%s: %s", set, rn_last_error());
    return scene;
}

static void numbers(const char *const *set, int count, double kappa, double manning, double chezy) {
    rn_scene *scene = NULL;
    if (open_text(level, set, count, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    const rn_step_params *law = &solver_of(rn_scene_world(scene))->params;
    assert_true(fabs((double)law->kappa - kappa) < 1e-6);
    assert_true(fabs((double)law->manning - manning) < 1e-8 && fabs((double)law->chezy - chezy) < 1e-8);
    rn_scene_close(scene);
}

/* Where Manning's or Chezy's number is given, the other friction is none unless it is given too. */
static void numbers_reach_the_law(void **state) {
    (void)state;
    numbers(NULL, 0, -log(0.5), 0.0, 0.0);
    numbers((const char *const[]){"manning=0.03"}, 1, 0.0, 9.81 * 9e-4, 0.0);
    numbers((const char *const[]){"chezy=50"}, 1, 0.0, 0.0, 9.81 / 2500.0);
    numbers((const char *const[]){"manning=0.03", "chezy=50", "friction=0.1"}, 3, -log(0.1), 9.81 * 9e-4,
            9.81 / 2500.0);
    numbers((const char *const[]){"manning=0"}, 1, 0.0, 0.0, 0.0);
}

static void other_models_have_none(void **state) {
    (void)state;
    rn_scene *scene = NULL;
    const char *const set[] = {"model=paper", "manning=0.03"};
    assert_int_equal(open_text(level, set, 2, &scene), RN_INVALID);
    assert_non_null(strstr(sentence(), "\"manning\": the paper's model has neither Manning's"));
}

static void assert_manning(const rn_scene *scene, const double n[2][4]) {
    const rn_columns *c = &state_of(rn_scene_world((rn_scene *)scene))->columns;
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++) {
            const double found = (double)c->manning[rn_slot(&c->grid, 0, y, x)];
            if (!(fabs(found - 9.81 * n[y][x] * n[y][x]) < 1e-6))
                fail_msg("n is %g at %d, %d, not %g", sqrt(found / 9.81), x, y, n[y][x]);
        }
}

/* Two by one pixels over four by two cells: 51 and 102 of 255, of 0.1. */
static void pictures_are_stretched_over_the_domain(void **state) {
    (void)state;
    const uint8_t rgb[] = {51, 51, 51, 102, 102, 102};
    assert_int_equal(rn_png_write(in_folder("n.png"), rgb, 2, 1), RN_OK);
    rn_scene *scene = open_with("roughness=[{\"raster\": \"n.png\", \"values\": \"manning\", \"high\": 0.1}]");
    assert_manning(scene, (const double[2][4]){{0.02, 0.02, 0.04, 0.04}, {0.02, 0.02, 0.04, 0.04}});
    rn_scene_close(scene);
    scene = open_with("roughness=[{\"raster\": \"n.png\", \"values\": \"manning\", \"high\": 0.1, \"in\": {\"type\": "
                      "\"box\", \"size\": [2, 9, 1], \"at\": [1, 0, 0]}}]");
    assert_manning(scene, (const double[2][4]){{0.02, 0.02, 0, 0}, {0.02, 0.02, 0, 0}});
    rn_scene_close(scene);
    const char *const wrong = "roughness=[{\"raster\": \"n.png\", \"values\": \"chezy\", \"high\": 0.1}]";
    assert_int_equal(open_text(level, &wrong, 1, &scene), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "\"roughness.0.raster\": the map holds 0.02 at column 0, row 0"));
    assert_non_null(strstr(rn_last_error(), "chezy must be from 0.1 to 1e6"));
}

/* Rasters of contact angles, in dynamic contact; elsewhere the angles are those of the liquid. */
static void rasters_hold_contact_angles(void **state) {
    (void)state;
    static const char small[] =
        "{\"grid\": {\"cells\": [4, 2], \"cell\": 0.001, \"lid\": 0.05}, \"solid\": {\"type\": "
        "\"plane\"}, \"contact\": \"dynamic\", \"liquid\": {\"name\": \"water\", \"contact_angle\": 60, "
        "\"receding_angle\": 40}}";
    const uint8_t rgb[] = {51, 51, 51, 102, 102, 102}; /* of 0 to 150 degrees: 30 and 60 */
    assert_int_equal(rn_png_write(in_folder("angles.png"), rgb, 2, 1), RN_OK);
    const char *const set =
        "wetting=[{\"contact_angle\": 90}, {\"raster\": \"angles.png\", \"high\": 150, \"in\": {\"type\": "
        "\"box\", \"size\": [0.002, 9, 1], \"at\": [0.002, 0, 0]}}]";
    rn_scene *scene = NULL;
    if (open_text(small, &set, 1, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    const rn_columns *c = &state_of(rn_scene_world(scene))->columns;
    const double angles[4][2] = {{90, 70}, {30, 10}, {60, 40}, {90, 70}};
    for (int x = 0; x < 4; x++) {
        const int32_t slot = rn_slot(&c->grid, 0, 1, x);
        assert_true(fabs((double)c->advancing[slot] - (1.0 - cos(angles[x][0] * 3.14159265358979 / 180.0))) < 1e-6);
        assert_true(fabs((double)c->receding[slot] - (1.0 - cos(angles[x][1] * 3.14159265358979 / 180.0))) < 1e-6);
    }
    rn_scene_close(scene);
    const char *const wrong = "wetting=[{\"raster\": \"angles.png\", \"high\": 500}]";
    assert_int_equal(open_text(small, &wrong, 1, &scene), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "\"wetting.0.raster\": the map holds 200 at column 1, row 0"));
}

/* A grid with a spacing of its own lies where "origin" says, as a heightmap does; what it does not know stays. */
static void grids_lie_where_they_say(void **state) {
    (void)state;
    static const char text[] = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9\n"
                               "0.05 -9\n0.03 0.07\n";
    write_file("n.asc", text, sizeof text - 1);
    rn_scene *scene = NULL;
    const char *const set = "roughness=[{\"raster\": \"n.asc\", \"values\": \"manning\", \"origin\": [1.5, 0.5]}]";
    if (open_text(level, &set, 1, &scene) == RN_UNSUPPORTED) skip(); /* without GDAL */
    assert_non_null(scene);
    assert_manning(scene, (const double[2][4]){{0, 0.03, 0.07, 0}, {0, 0.05, 0, 0}});
    const rn_columns *c = &state_of(rn_scene_world(scene))->columns;
    assert_true(c->kappa[rn_slot(&c->grid, 0, 0, 0)] > 0.69f && c->kappa[rn_slot(&c->grid, 0, 0, 1)] == 0.0f);
    rn_scene_close(scene);
}

/* Ground from an elevation model or from noise, in large cells, has the n of natural ground if nothing is said. Where
   the model knows no Manning's friction, it keeps the default rate. */
static void landscapes_have_a_number(void **state) {
    (void)state;
    static const char map[] = "solid={\"type\": \"union\", \"of\": [{\"type\": \"heightmap\", \"heights\": [[0, 1]]}]}";
    static const char noise[] = "solid={\"type\": \"noise\", \"amplitude\": 1, \"wavelength\": 10}";
    const double natural = 9.81 * 9e-4, rate = -log(0.5);
    numbers((const char *const[]){map}, 1, 0.0, natural, 0.0);
    numbers((const char *const[]){noise}, 1, 0.0, natural, 0.0);
    numbers((const char *const[]){map, "grid.cell=0.5"}, 2, 0.0, natural, 0.0);
    numbers((const char *const[]){map, "grid.cell=0.1"}, 2, rate, 0.0, 0.0);
    numbers((const char *const[]){noise, "friction=0.5"}, 2, rate, 0.0, 0.0);
    numbers((const char *const[]){map, "manning=0"}, 2, 0.0, 0.0, 0.0);
    numbers((const char *const[]){map, "manning=0.1"}, 2, 0.0, 9.81 * 0.01, 0.0);
    numbers((const char *const[]){map, "chezy=50"}, 2, 0.0, 0.0, 9.81 / 2500.0);
    rn_scene *scene = NULL;
    const bool known = open_text(level, (const char *const[]){"model=physical", "manning=0.03"}, 2, &scene) == RN_OK;
    rn_scene_close(scene);
    numbers((const char *const[]){map, "model=physical"}, 2, known ? 0.0 : rate, known ? natural : 0.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_reach_the_law),
        cmocka_unit_test(other_models_have_none),
        cmocka_unit_test(pictures_are_stretched_over_the_domain),
        cmocka_unit_test(rasters_hold_contact_angles),
        cmocka_unit_test(grids_lie_where_they_say),
        cmocka_unit_test(landscapes_have_a_number),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
