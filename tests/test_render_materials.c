/* Glass, materials of ground and floor, and coats of parts of the ground: drawn where a scene has them, the same with
   GL and GLES, and steady as the camera moves. */
#include "scene_texts.h"

#include <math.h>
#include <runnel/skin.h>

enum { WIDTH = 240, HEIGHT = 160 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

#define SCENE(view)                                                                                                    \
    "{\"grid\": {\"cells\": [60, 40], \"cell\": 0.001}, \"solid\": {\"type\": \"plane\"}, \"view\": {" view "}}"

/* Draws a scene from above with parallel rays, turned by `turn` degrees. */
static void draw(const char *text, bool es, double turn, picture pixels) {
    rn_scene *scene = NULL;
    rn_skin *skin = NULL;
    rn_renderer *r = NULL;
    const rn_renderer_def renderer = {.width = WIDTH, .height = HEIGHT, .es = es};
    if (rn_renderer_create(&renderer, &r) != RN_OK) skip();
    if (open_text(text, NULL, 0, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    const rn_skin_def def = rn_scene_skin(scene);
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    const rn_scene_info info = rn_scene_describe(scene);
    const rn_mesh ground = rn_skin_ground(skin);
    const rn_orbit orbit = {.azimuth = turn, .elevation = 40, .zoom = 0.8};
    const rn_camera camera = rn_camera_orbit(&orbit, info.low, info.high, (double)WIDTH / HEIGHT, 0);
    assert_int_equal(rn_renderer_set_ground(r, &ground), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &info.look, pixels), RN_OK);
    rn_skin_destroy(skin);
    rn_scene_close(scene);
    rn_renderer_destroy(r);
}

/* The mean difference of two pictures, in levels of 255. */
static double difference(const picture a, const picture b) {
    double sum = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) sum += abs(a[i] - b[i]) / (3.0 * WIDTH * HEIGHT);
    return sum;
}

static void materials_look_different(void **state) {
    static picture all[RN_MATERIALS], floor;
    char text[400];
    (void)state;
    for (int i = 0; i < RN_MATERIALS; i++) {
        snprintf(text, sizeof text, SCENE("\"material\": \"%s\", \"ground\": [0.5, 0.5, 0.5]"),
                 rn_solid_material_name(i));
        draw(text, false, 0, all[i]);
        for (int k = 0; k < i; k++)
            if (difference(all[i], all[k]) < 0.7)
                fail_msg("%s and %s differ by %.2f", rn_solid_material_name(i), rn_solid_material_name(k),
                         difference(all[i], all[k]));
    }
    draw(SCENE("\"floor\": \"wood\", \"ground\": [0.5, 0.5, 0.5]"), false, 0, floor);
    assert_true(difference(floor, all[0]) > 5);
    assert_null(rn_solid_material_name(RN_MATERIALS));
    assert_null(rn_solid_material_name(-1));
}

/* The mean difference (levels of 255) of pixels of the ground that are two apart. */
static double roughness_of(const picture pixels) {
    double sum = 0;
    int count = 0;
    for (int y = HEIGHT * 2 / 5; y < HEIGHT * 3 / 5; y++)
        for (int x = WIDTH * 2 / 5; x < WIDTH * 3 / 5; x++, count++) {
            const uint8_t *p = pixels + 3 * (y * WIDTH + x);
            sum += abs(p[0] - p[6]);
        }
    return sum / count;
}

/* Stone is honed: its pattern is broad and soft, and does not compete with the liquid on it. */
static void stone_has_a_soft_pattern(void **state) {
    static picture plain, stone;
    (void)state;
    draw(SCENE("\"ground\": [0.5, 0.5, 0.5]"), false, 0, plain);
    draw(SCENE("\"material\": \"stone\", \"ground\": [0.5, 0.5, 0.5]"), false, 0, stone);
    print_message("pixels beside each other differ by %.2f levels on plain ground, by %.2f on stone\n",
                  roughness_of(plain), roughness_of(stone));
    assert_true(roughness_of(stone) < 2.5);
}

/* The third of the ground in the west is red, the rest is wood. */
static const char coated[] =
    SCENE("\"material\": \"wood\", \"floor\": \"stone\", \"coats\": [{\"material\": \"metal\", \"colour\": [0.6, 0.02, "
          "0.02], "
          "\"in\": {\"type\": \"box\", \"size\": [0.02, 0.04, 0.02], \"at\": [0.01, 0.02, 0]}}]");

static void gl_and_gles_draw_the_same(void **state) {
    static picture one, other;
    int most = 0;
    (void)state;
    draw(coated, false, 10, one);
    draw(coated, true, 10, other);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) most = abs(one[i] - other[i]) > most ? abs(one[i] - other[i]) : most;
    if (difference(one, other) > 0.1) fail_msg("they differ by %.3f, at most by %d", difference(one, other), most);
}

/* Red pixels in the columns from x0 to x1 of a picture. */
static int count_red(const picture pixels, int x0, int x1) {
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const uint8_t *p = pixels + (size_t)3 * (size_t)i;
        count += i % WIDTH >= x0 && i % WIDTH < x1 && p[0] > 60 && p[0] > 2.5 * p[1];
    }
    return count;
}

static void coats_are_where_they_belong(void **state) {
    static picture pixels;
    (void)state;
    draw(coated, false, 0, pixels);
    const int west = count_red(pixels, 0, WIDTH / 2), east = count_red(pixels, WIDTH / 2, WIDTH);
    if (west < 1000 || east > 0) fail_msg("%d pixels are red in the west, %d in the east", west, east);
}

/* A pattern finer than a pixel fades: a camera that turns by a tenth of a degree changes a patterned ground little more
   than a plain one. */
static void patterns_do_not_flicker(void **state) {
    static const char *const texts[] = {SCENE("\"ground\": [0.5, 0.5, 0.5]"),
                                        SCENE("\"material\": \"wood\", \"floor\": \"wood\""),
                                        SCENE("\"material\": \"stone\", \"floor\": \"stone\"")};
    double changes[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        static picture one, other;
        draw(texts[i], false, 20, one);
        draw(texts[i], false, 20.1, other);
        changes[i] = difference(one, other);
    }
    print_message("a tenth of a degree changes plain ground by %.2f, wood by %.2f, stone by %.2f levels\n", changes[0],
                  changes[1], changes[2]);
    assert_true(changes[1] < changes[0] + 1.5 && changes[2] < changes[0] + 1.5);
}

#define ON_DARK(more)                                                                                                  \
    "{\"grid\": {\"cells\": [60, 40], \"cell\": 0.001, \"lid\": 0.06}, \"solid\": {\"type\": \"union\", \"of\": "      \
    "[{\"type\": "                                                                                                     \
    "\"plane\"}" more "]}, \"view\": {\"ground\": [0.02, 0.02, 0.02], \"backdrop\": [0.02, 0.02, 0.02], "              \
    "\"glass_above\": 0.0005}}"

/* A ball of glass on a dark plane, and a tiny one with the same top: its middle is hardly seen, its rim is bright. */
static void glass_is_clear_with_bright_rims(void **state) {
    static picture with, without;
    int low[2] = {WIDTH, HEIGHT}, high[2] = {0, 0};
    double sums[2] = {0, 0}, counts[2] = {0, 0};
    (void)state;
    draw(ON_DARK(", {\"type\": \"sphere\", \"radius\": 0.012, \"at\": [0.03, 0.02, 0.014]}"), false, 0, with);
    draw(ON_DARK(", {\"type\": \"sphere\", \"radius\": 0.001, \"at\": [0.03, 0.02, 0.025]}"), false, 0, without);
    for (int i = 0; i < WIDTH * HEIGHT; i++) { /* the box around the ball */
        const int at[2] = {i % WIDTH, i / WIDTH};
        for (int k = 0; k < 2 && with[3 * i] > without[3 * i] + 10; k++) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const double x = (2.0 * (i % WIDTH) - low[0] - high[0]) / (high[0] - low[0]);
        const double y = (2.0 * (i / WIDTH) - low[1] - high[1]) / (high[1] - low[1]), far = hypot(x, y);
        const int ring = far < 0.6 ? 0 : far > 0.9 && far < 1.02 ? 1 : -1;
        if (ring < 0) continue;
        sums[ring] += with[3 * i] - without[3 * i];
        counts[ring]++;
    }
    print_message("glass adds %.1f levels in its middle, %.1f at its rim\n", sums[0] / counts[0], sums[1] / counts[1]);
    assert_true(fabs(sums[0] / counts[0]) < 22);
    assert_true(sums[1] / counts[1] > sums[0] / counts[0] + 8);
}

static void mistakes_are_named(void **state) {
    rn_scene *scene = NULL;
    (void)state;
    assert_int_equal(open_text(SCENE("\"material\": \"wod\""), NULL, 0, &scene), RN_INVALID);
    for (int i = 0; i < RN_MATERIALS; i++)
        if (!strstr(rn_last_error(), rn_solid_material_name(i))) fail_msg("not listed: %s", rn_last_error());
    assert_non_null(strstr(rn_last_error(), "material"));
    assert_int_equal(open_text(SCENE("\"coats\": [{}, {}, {}, {\"material\": \"wood\"}]"), NULL, 0, &scene), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "at most 3"));
    assert_int_equal(open_text(SCENE("\"coats\": [{\"in\": {\"type\": \"bax\"}}]"), NULL, 0, &scene), RN_INVALID);
    if (!strstr(rn_last_error(), "coats")) fail_msg("%s", rn_last_error());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stone_has_a_soft_pattern),  cmocka_unit_test(materials_look_different),
        cmocka_unit_test(gl_and_gles_draw_the_same), cmocka_unit_test(coats_are_where_they_belong),
        cmocka_unit_test(patterns_do_not_flicker),   cmocka_unit_test(glass_is_clear_with_bright_rims),
        cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
