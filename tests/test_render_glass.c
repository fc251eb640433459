/* Pictures of liquid in clear glass, measured: it is seen in pipes and wells, as high as it stands, and nowhere else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pictures.h"
#include "scene_pictures.h"
#include "scratch.h"

#include "render/contents.h"

enum { WIDTH = 320, HEIGHT = 160 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

/* Two wells of 28 by 28 mm and a pipe of 40 mm between them, 5 mm high. The eastern well begins dry. */
static const char *const text =
    "{\"grid\": {\"cells\": [100, 40], \"cell\": 0.001}, \"solid\": {\"type\": \"subtract\", \"of\": ["
    "{\"type\": \"box\", \"size\": [0.1, 0.04, 0.05], \"at\": [0.05, 0.02, 0]},"
    "{\"type\": \"box\", \"size\": [0.028, 0.028, 0.06], \"at\": [0.018, 0.02, 0.03]},"
    "{\"type\": \"box\", \"size\": [0.028, 0.028, 0.06], \"at\": [0.082, 0.02, 0.03]},"
    "{\"type\": \"box\", \"size\": [0.06, 0.01, 0.005], \"at\": [0.05, 0.02, 0.0025]}]},"
    "\"liquid\": {\"name\": \"blood\"}, \"fills\": [{\"level\": 0.015, \"in\": {\"type\": \"box\", \"size\": "
    "[0.028, 0.028, 0.06], \"at\": [0.018, 0.02, 0.03]}}], \"frames\": 60, \"view\": {\"glass_above\": 0}}";

static int set_up(void **state) {
    (void)state;
    return make_folder("glass");
}

static int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

/* What `draw` draws before its picture with the same renderer; NULL: nothing. */
static const rn_look *before;

static void draw(bool es, const rn_look *look, int frames, picture pixels) {
    drawn d;
    rn_renderer *r = NULL;
    const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT, .samples = 1, .es = es};
    if (rn_renderer_create(&def, &r) != RN_OK) skip();
    FILE *file = fopen(in_folder("scene.json"), "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
    assert_true(drawn_open(&d, in_folder("scene.json"), NULL, 0, 0.01));
    const rn_scene_info info = rn_scene_describe(d.scene);
    assert_true(info.look.glass && info.look.glass_above == 0.0);
    for (int i = 0; i < frames; i++) assert_int_equal(rn_scene_step(d.scene), RN_OK);
    assert_true(drawn_give(&d, r, true));
    rn_vec3 low, high;
    drawn_box(&d, &low, &high);
    const rn_orbit side = {.elevation = 20, .angle = -1, .zoom = 1};
    const rn_camera camera = rn_camera_orbit(&side, low, high, (double)WIDTH / HEIGHT, 0);
    if (before) assert_int_equal(rn_renderer_draw(r, &camera, before, pixels), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, look, pixels), RN_OK);
    drawn_close(&d);
    rn_renderer_destroy(r);
}

static bool is_red(const uint8_t *p) { return p[0] > 50 && p[0] > 1.6 * p[1]; }

/* Red pixels in a part of the width of the picture (0 to 1). */
static int count_red(const picture pixels, double from, double to) {
    int count = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = (int)(from * WIDTH); x < (int)(to * WIDTH); x++) count += is_red(pixels + 3 * (y * WIDTH + x));
    return count;
}

static const rn_look clear = {.ground = {0.7, 0.7, 0.7}, .full_depth = 0.01, .glass = true};
static const rn_look opaque = {.ground = {0.7, 0.7, 0.7}, .full_depth = 0.01, .glass_above = 0.01};

/* Blood in the pipe and in the wells is seen through glass, and hidden by opaque solid. */
static void liquid_is_seen_in_glass(void **state) {
    (void)state;
    static picture through, hidden;
    for (int es = 0; es < 2; es++) {
        draw(es, &clear, 60, through);
        draw(es, &opaque, 60, hidden);
        const int pipe = count_red(through, 0.42, 0.58), west = count_red(through, 0, 0.35);
        print_message("%s: red pixels in the pipe %d, opaque %d; west of it %d, opaque %d\n", es ? "GLES" : "GL", pipe,
                      count_red(hidden, 0.42, 0.58), west, count_red(hidden, 0, 0.35));
        assert_in_range(pipe, 600, 1800); /* and its shadow */
        assert_int_equal(count_red(hidden, 0.42, 0.58), 0);
        assert_true(west > 2 * count_red(hidden, 0, 0.35));
    }
}

/* The side of the liquid ends at its surface, and a dry well is empty: no red before the liquid has arrived. */
static void dry_glass_is_empty(void **state) {
    (void)state;
    static picture pixels;
    draw(false, &clear, 0, pixels);
    const int east = count_red(pixels, 0.6, 1), west = count_red(pixels, 0, 0.4);
    print_message("red pixels: %d east, %d west\n", east, west);
    assert_int_equal(east, 0);
    assert_true(west > 2000);
}

/* The mean of each colour in the middle of the picture, 0 to 255. */
static void mean_in_middle(const picture pixels, double mean[3]) {
    for (int c = 0; c < 3; c++) mean[c] = 0;
    for (int y = HEIGHT * 2 / 5; y < HEIGHT * 3 / 5; y++)
        for (int x = WIDTH * 2 / 5; x < WIDTH * 3 / 5; x++)
            for (int c = 0; c < 3; c++) mean[c] += pixels[3 * (y * WIDTH + x) + c];
    for (int c = 0; c < 3; c++) mean[c] /= (HEIGHT * 3 / 5 - HEIGHT * 2 / 5) * (WIDTH * 3 / 5 - WIDTH * 2 / 5);
}

/* On dark ground, a block of glass is brighter than what is behind it, and a little green. */
static void glass_is_seen_on_dark_ground(void **state) {
    (void)state;
    static picture pixels;
    const rn_look dark = {
        .ground = {0.01, 0.01, 0.01}, .backdrop = {0.01, 0.01, 0.01}, .full_depth = 0.01, .glass = true};
    double mean[3];
    draw(false, &dark, 0, pixels);
    mean_in_middle(pixels, mean);
    print_message("in the middle of the block: %.1f %.1f %.1f\n", mean[0], mean[1], mean[2]);
    assert_true(mean[1] > 70 && mean[1] > mean[0] + 2);
}

/* False colours are those of the surface: with them, glass is opaque. */
static void overlays_have_no_glass(void **state) {
    (void)state;
    static picture with, without;
    rn_look a = clear, b = opaque;
    a.overlay = b.overlay = RN_OVERLAY_SPEED;
    draw(false, &a, 60, with);
    draw(false, &b, 60, without);
    assert_memory_equal(with, without, sizeof with);
}

/* GL and GLES agree. */
static void glass_is_the_same_in_gles(void **state) {
    (void)state;
    static picture gl, gles;
    draw(false, &clear, 60, gl);
    draw(true, &clear, 60, gles);
    const difference d = picture_difference(gl, gles, WIDTH, HEIGHT);
    print_message("mean difference %.3f, worst %.2f\n", d.mean, d.worst);
    assert_true(d.mean < 0.3 && d.worst < 8);
}

/* The value of the boxes at a place (m), as the shader interpolates it along z, from 0 to 1. */
static double value_at(const rn_boxes *c, int x, int y, double z) {
    const double at = (z - (double)c->low[2]) / (double)c->tall - 0.5, part = at - floor(at);
    const size_t below = (((size_t)floor(at)) * (size_t)c->ny + (size_t)y) * (size_t)c->nx + (size_t)x;
    return ((1 - part) * c->of[below] + part * c->of[below + (size_t)c->nx * (size_t)c->ny]) / 255;
}

/* The boxes are half full exactly at the surface, in the liquid's cell and in the solid beside it, and 0 where it is
 * dry. */
static void boxes_follow_the_surface(void **state) {
    (void)state;
    rn_boxes c = {0};
    const float low[3] = {0, 0, -0.004f};
    const int cells[2] = {4, 1};
    const double surfaces[] = {0.0031, 0.0052, 0.00888};
    for (int i = 0; i < 3; i++) { /* solid, liquid, solid, dry */
        const rn_span spans[4] = {{0, 0, 0}, {0.001f, (float)surfaces[i], 1}, {0, 0, 0}, {0.001f, 0.001f, 1}};
        assert_int_equal(rn_contents_make(spans, cells, 1, low, 0.02f, 0.001f, 256, &c), RN_OK);
        for (int x = 0; x < 2; x++) {
            assert_true(fabs(value_at(&c, x, 0, surfaces[i]) - 0.5) < 0.01);
            assert_true(value_at(&c, x, 0, surfaces[i] - 0.0005) > 0.7);
            assert_true(value_at(&c, x, 0, surfaces[i] + 0.0005) < 0.3);
        }
        assert_true(value_at(&c, 3, 0, surfaces[i] - 0.0005) == 0.0);
    }
    rn_boxes_free(&c);
}

/* The walls of a box of 2 mm from 1 to 3 mm fill the boxes that it fills, and halves of those that it halves. */
static void walls_are_shares_of_solid(void **state) {
    (void)state;
    rn_boxes c = {0};
    static const float p[8][3] = {{1, 1, 1},    {3, 1, 1},    {3, 3, 1},    {1, 3, 1},
                                  {1, 1, 2.5f}, {3, 1, 2.5f}, {3, 3, 2.5f}, {1, 3, 2.5f}};
    static const uint32_t triangles[12] = {4, 5, 6, 4, 6, 7, 0, 2, 1, 0, 3, 2}; /* top and underside */
    const float low[3] = {0, 0.5f, 0}, high[3] = {4, 4.5f, 4};
    assert_int_equal(rn_walls_make(p[0], triangles, 12, low, high, 1, 256, &c), RN_OK);
    assert_true(c.nx == 4 && c.ny == 4 && c.nz == 4);
#define SHARE(x, y, z) (c.of[((z)*4 + (y)) * 4 + (x)])
    assert_int_equal(SHARE(1, 1, 1), 255);
    assert_int_equal(SHARE(1, 1, 2), 128); /* its upper half is above */
    assert_int_equal(SHARE(1, 0, 1), 128); /* and half of this is before it */
    assert_int_equal(SHARE(0, 1, 1), 0);
    assert_int_equal(SHARE(1, 1, 0), 0);
    assert_int_equal(SHARE(1, 1, 3), 0);
#undef SHARE
    rn_boxes_free(&c);
}

/* Boxes that would be too many for a texture, or in all, are as wide as several cells, and cover the same place. */
static void boxes_are_not_too_many(void **state) {
    (void)state;
    enum { WIDE = 700, LONG = 601, TALL = 160 };
    rn_boxes c = {0};
    const float low[3] = {0, 0, 0}, high[3] = {WIDE, LONG, TALL};
    const int cells[2] = {WIDE, LONG};
    static rn_span spans[WIDE * LONG];
    static const float p[6][3] = {{0, 0, 80}, {1e4f, 0, 80}, {0, 1e4f, 80}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    static const uint32_t triangle[3] = {0, 1, 2};
    for (int i = 0; i < WIDE * LONG; i++) spans[i] = (rn_span){0, i % WIDE < WIDE / 2 ? 80 : 40, TALL};
    const int most[3] = {2048, 600, 256}; /* 2: of all; 2; 3 cells */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rn_contents_make(spans, cells, 1, low, TALL, 1, most[i], &c), RN_OK);
        assert_in_range(c.nx, 1, most[i]);
        assert_in_range(c.ny, 1, most[i]);
        assert_true((double)c.nx * c.ny * c.nz <= 1 << 25);
        assert_true(c.nx * (double)c.wide >= WIDE && c.ny * (double)c.wide >= LONG);
        assert_true(fabs(value_at(&c, c.nx / 4, c.ny - 1, 80) - 0.5) < 0.01);
        assert_true(fabs(value_at(&c, c.nx - 1, c.ny / 2, 40) - 0.5) < 0.01);
        assert_int_equal(rn_walls_make(p[0], triangle, 3, low, high, 0.5f, most[i], &c), RN_OK);
        assert_in_range(c.nx, 1, most[i]);
        assert_true((double)c.nx * c.ny * c.nz <= 1 << 25);
        assert_true(c.nx * (double)c.wide >= WIDE && c.ny * (double)c.wide >= LONG);
    }
    rn_boxes_free(&c);
}

/* One renderer draws opaque solid and glass in turns as if it had drawn nothing before. */
static void shadows_follow_the_glass(void **state) {
    (void)state;
    static picture alone[2], after[2];
    const rn_look *looks[2] = {&clear, &opaque};
    for (int i = 0; i < 2; i++) {
        draw(false, looks[i], 0, alone[i]);
        before = looks[1 - i];
        draw(false, looks[i], 0, after[i]);
        before = NULL;
        assert_memory_equal(alone[i], after[i], sizeof alone[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_follow_the_surface),     cmocka_unit_test(walls_are_shares_of_solid),
        cmocka_unit_test(liquid_is_seen_in_glass),      cmocka_unit_test(dry_glass_is_empty),
        cmocka_unit_test(glass_is_the_same_in_gles),    cmocka_unit_test(overlays_have_no_glass),
        cmocka_unit_test(boxes_are_not_too_many),       cmocka_unit_test(shadows_follow_the_glass),
        cmocka_unit_test(glass_is_seen_on_dark_ground),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
