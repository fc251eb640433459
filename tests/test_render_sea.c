/* The sea around a scene outdoors: it continues the liquid at the edge of the domain. */
#include "scene_texts.h"

#include <math.h>
#include <runnel/skin.h>

enum { WIDTH = 120, HEIGHT = 160 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

static const char basin[] = "{\"grid\": {\"cells\": [40, 40], \"cell\": 1, \"bottom\": -4, \"lid\": 6},\n"
                            "\"solid\": {\"type\": \"plane\", \"at\": [0, 0, -3]}, \"fills\": [{\"level\": 0}],\n"
                            "\"view\": {\"backdrop\": [0.03, 0.085, 0.12], \"outdoors\": true}}";

/* Draws the basin from low above its southern edge, twice at time 0 and then at `time` (s); with columns, the renderer
   knows how high the liquid stands. Returns false where there is no GL. */
static bool draw_basin(bool with_columns, double time, picture pixels) {
    rn_scene *scene = NULL;
    rn_skin *skin = NULL;
    rn_renderer *r = NULL;
    bool changed;
    const rn_renderer_def renderer = {.width = WIDTH, .height = HEIGHT};
    if (rn_renderer_create(&renderer, &r) != RN_OK) return false;
    if (open_text(basin, NULL, 0, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    const rn_skin_def def = rn_scene_skin(scene);
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
    const rn_scene_info info = rn_scene_describe(scene);
    const rn_mesh ground = rn_skin_ground(skin), surface = rn_skin_surface(skin);
    const rn_surface_columns columns = rn_skin_columns(skin);
    const rn_liquid liquid = rn_world_liquid(rn_scene_world(scene));
    const rn_orbit orbit = {.elevation = 12, .zoom = 1.2};
    const rn_camera camera = rn_camera_orbit(&orbit, info.low, info.high, (double)WIDTH / HEIGHT, 0);
    assert_int_equal(rn_renderer_set_ground(r, &ground), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &surface, &liquid, with_columns ? &columns : NULL), RN_OK);
    rn_look look = info.look;
    for (int i = 0; i < 3; i++) {
        look.time = i < 2 ? 0 : time;
        assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    }
    rn_skin_destroy(skin);
    rn_scene_close(scene);
    rn_renderer_destroy(r);
    return true;
}

/* The largest difference in mean sRGB (0 to 255) between rows of the picture four rows apart, below its upper third. */
static double largest_step(const picture pixels) {
    double rows[HEIGHT] = {0}, most = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++) rows[i / (3 * WIDTH)] += pixels[i] / (3.0 * WIDTH);
    for (int y = HEIGHT / 3; y + 4 < HEIGHT; y++) most = fmax(most, fabs(rows[y + 4] - rows[y]));
    return most;
}

/* Where the domain ends, nothing is seen of its edge; without columns, the renderer shows a box above a floor. */
static void sea_continues_liquid(void **state) {
    static picture with, without;
    (void)state;
    if (!draw_basin(true, 0, with) || !draw_basin(false, 0, without)) skip();
    print_message("largest step: %.1f with a sea, %.1f without\n", largest_step(with), largest_step(without));
    if (getenv("RUNNEL_SHOW")) {
        assert_int_equal(rn_png_write("/tmp/sea.png", with, WIDTH, HEIGHT), RN_OK);
        assert_int_equal(rn_png_write("/tmp/box.png", without, WIDTH, HEIGHT), RN_OK);
    }
    assert_true(largest_step(with) < 0.5 * largest_step(without));
}

/* The share of pixels that change between two pictures: of the sea, at both sides, and of the basin, in the middle. */
static void shares_that_change(const picture a, const picture b, double *sea, double *own) {
    int changed[2] = {0, 0}, all[2] = {0, 0};
    for (int y = HEIGHT / 3; y < HEIGHT * 2 / 3; y++)
        for (int x = 0; x < WIDTH; x++) {
            const size_t at = 3 * (size_t)(y * WIDTH + x);
            const int middle = abs(x - WIDTH / 2) < WIDTH / 8;
            if (!middle && abs(x - WIDTH / 2) < WIDTH * 7 / 16) continue;
            all[middle]++;
            changed[middle] += abs(a[at] - b[at]) + abs(a[at + 1] - b[at + 1]) + abs(a[at + 2] - b[at + 2]) > 2;
        }
    *sea = (double)changed[0] / all[0];
    *own = (double)changed[1] / all[1];
}

/* The sea moves with time as the liquid in the domain does, although the rest of the ground is kept. */
static void sea_moves(void **state) {
    static picture before, after, same;
    (void)state;
    if (!draw_basin(true, 0, before) || !draw_basin(true, 0, same) || !draw_basin(true, 0.7, after)) skip();
    double sea, own;
    shares_that_change(before, after, &sea, &own);
    print_message("%.2f of the sea and %.2f of the basin change in 0.7 s\n", sea, own);
    assert_memory_equal(before, same, sizeof before);
    assert_true(sea > 0.3 && own > 0.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sea_continues_liquid), cmocka_unit_test(sea_moves)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
