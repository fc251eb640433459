/* Pictures of thin liquid on rough and thin ground, measured: no cracks where the ground shows through, no confetti. */
#include "scene_texts.h"

#include "scene_pictures.h"

#include <math.h>

enum { WIDTH = 320, HEIGHT = 320 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

static bool is_red(const uint8_t *p) { return p[0] > 40 && p[0] > 1.6 * p[1]; }

static bool is_grey(const uint8_t *p) { return p[0] < 1.2 * p[1]; }

/* Grey pixels, of the ground, with at least four red ones on each side of them within two pixels: dots in the liquid.
 */
static int count_dots(const picture pixels) {
    int count = 0;
    for (int y = 2; y < HEIGHT - 2; y++)
        for (int x = 2; x < WIDTH - 2; x++) {
            int west = 0, east = 0, south = 0, north = 0;
            if (!is_grey(pixels + 3 * (y * WIDTH + x))) continue;
            for (int k = 0; k < 25; k++) {
                const int dx = k % 5 - 2, dy = k / 5 - 2;
                if (is_grey(pixels + 3 * ((y + dy) * WIDTH + x + dx))) continue;
                west += dx<0, east += dx> 0, south += dy<0, north += dy> 0;
            }
            count += west >= 4 && east >= 4 && south >= 4 && north >= 4;
        }
    return count;
}

/* Marks the red pixels that are joined with (x, y), and returns their number. */
static int mark_patch(const picture pixels, bool *seen, int x, int y) {
    static int stack[WIDTH * HEIGHT];
    int held = 0, count = 0;
    stack[held++] = y * WIDTH + x;
    seen[y * WIDTH + x] = true;
    while (held > 0) {
        const int at = stack[--held];
        count++;
        for (int k = 0; k < 9; k++) {
            const int px = at % WIDTH + k % 3 - 1, py = at / WIDTH + k / 3 - 1, to = py * WIDTH + px;
            if (px < 0 || py < 0 || px >= WIDTH || py >= HEIGHT || seen[to] || !is_red(pixels + 3 * to)) continue;
            seen[to] = true;
            stack[held++] = to;
        }
    }
    return count;
}

/* Red patches of fewer than `most` pixels. */
static int count_patches(const picture pixels, int most) {
    static bool seen[WIDTH * HEIGHT];
    memset(seen, 0, sizeof seen);
    int count = 0;
    for (int at = 0; at < WIDTH * HEIGHT; at++)
        if (!seen[at] && is_red(pixels + 3 * at)) count += mark_patch(pixels, seen, at % WIDTH, at / WIDTH) < most;
    return count;
}

/* Draws a scene after so many frames; bare: without least heights. Returns false if nothing can be drawn here. */
static bool draw(const char *text, int frames, bool bare, picture pixels) {
    rn_renderer_def def = rn_renderer_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = 2;
    rn_renderer *r = NULL;
    if (rn_renderer_create(&def, &r) != RN_OK) return false;
    drawn d;
    write_file("film.json", text, strlen(text));
    if (!drawn_open(&d, in_folder("film.json"), NULL, 0, 0)) fail_msg("%s", rn_last_error());
    for (int i = 0; i < frames; i++) assert_int_equal(rn_scene_step(d.scene), RN_OK);
    assert_true(drawn_give(&d, r, true));
    if (bare) {
        d.surface.minimum = NULL;
        assert_true(drawn_give(&d, r, false));
    }
    rn_vec3 low, high;
    drawn_box(&d, &low, &high);
    const rn_orbit orbit = {.azimuth = 25, .elevation = 50};
    const rn_camera camera = rn_camera_orbit(&orbit, low, high, 1, 0);
    const rn_look look = {.ground = {0.7, 0.7, 0.7}, .no_wetness = true};
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    drawn_close(&d);
    rn_renderer_destroy(r);
    return true;
}

/* A film over thin rods and rough ground covers them without dots; drawn without least heights, it does not. */
static void films_have_no_cracks(void **state) {
    (void)state;
    static picture pixels;
    const char *const text =
        "{\"grid\": {\"cells\": [64, 64], \"cell\": 0.0005}, \"solid\": {\"type\": \"roughen\", \"amplitude\": 0.0005,"
        "\"wavelength\": 0.0025, \"octaves\": 3, \"seed\": 4, \"of\": [{\"type\": \"union\", \"blend\": 0.0005, "
        "\"of\": ["
        "{\"type\": \"plane\"},"
        "{\"type\": \"capsule\", \"from\": [0.004, 0.006, 0], \"to\": [0.028, 0.022, 0], \"radius\": 0.0005},"
        "{\"type\": \"capsule\", \"from\": [0.006, 0.026, 0], \"to\": [0.026, 0.007, 0], \"radius\": 0.0006}]}]},"
        "\"liquid\": {\"name\": \"blood\", \"viscosity\": 0.001}, \"fills\": [{\"depth\": 0.00003}], \"frames\": 4}";
    if (!draw(text, 1, true, pixels)) skip();
    const int bare = count_dots(pixels);
    draw(text, 1, false, pixels);
    const int dots = count_dots(pixels);
    print_message("%d dots of ground, %d without least heights\n", dots, bare);
    assert_true(dots <= 20 && bare > 100);
}

/* A liquid without viscosity that is thrown down a rough slope stays in a few pieces. */
static void inviscid_liquid_is_no_confetti(void **state) {
    (void)state;
    static picture pixels;
    const char *const text =
        "{\"grid\": {\"cells\": [96, 96], \"cell\": 0.001}, \"solid\": {\"type\": \"noise\", \"amplitude\": 0.002,"
        "\"wavelength\": 0.02, \"octaves\": 3, \"seed\": 3, \"turn\": [0, 8, 0], \"at\": [0.048, 0.048, 0]},"
        "\"liquid\": {\"name\": \"blood\", \"viscosity\": 0}, \"friction\": 0.9, \"fills\": [{\"depth\": 0.002, \"in\":"
        "{\"type\": \"sphere\", \"radius\": 0.012, \"at\": [0.025, 0.048, 0.003]}}], \"frames\": 60}";
    int small = 0;
    for (int frames = 10; frames <= 20; frames += 5) {
        if (!draw(text, frames, false, pixels)) skip();
        small += count_patches(pixels, 40);
    }
    print_message("%d small patches in three pictures\n", small);
    assert_true(small <= 30);
    for (int at = 0; at < WIDTH * HEIGHT; at++) /* cut into squares of four pixels */
        if (at % WIDTH % 5 == 0 || at / WIDTH % 5 == 0) memset(pixels + 3 * at, 255, 3);
    assert_true(count_patches(pixels, 40) > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(films_have_no_cracks),
        cmocka_unit_test(inviscid_liquid_is_no_confetti),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
