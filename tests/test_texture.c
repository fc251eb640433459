/* Textures over the ground: "view.texture" of scenes, in pictures from above and in perspective, and files that are
   refused. Without GL only pictures from above are drawn. */
#include "scene_texts.h"

#include <runnel/skin.h>

enum { WIDTH = 96, HEIGHT = 64, SIDE = 32 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

/* Red in the north-west, green in the north-east, blue in the south-west, yellow in the south-east. */
static const uint8_t colours[4][3] = {{200, 20, 20}, {20, 160, 20}, {20, 20, 200}, {200, 190, 20}};

static const char scene_text[] = "{\"grid\": {\"cells\": [48, 32], \"cell\": 0.01, \"origin\": [3, -2]},\n"
                                 "\"solid\": {\"type\": \"plane\"},\n"
                                 "\"view\": {\"texture\": \"four.png\", \"plain\": true, \"width\": 96}}";

static void write_four(int side) {
    uint8_t *pixels = calloc((size_t)side * (size_t)side, 3);
    assert_non_null(pixels);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            memcpy(pixels + 3 * (y * side + x), colours[2 * (y >= side / 2) + (x >= side / 2)], 3);
    assert_int_equal(rn_png_write(in_folder("four.png"), pixels, side, side), RN_OK);
    free(pixels);
}

static rn_scene *open_four(void) {
    rn_scene *scene = NULL;
    write_four(SIDE);
    if (open_text(scene_text, NULL, 0, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    return scene;
}

/* Which of the four colours a pixel has most of: the one with the same channels above half of its largest; -1: none. */
static int colour_of(const uint8_t *p) {
    const int most = p[0] > p[1] ? (p[0] > p[2] ? p[0] : p[2]) : p[1] > p[2] ? p[1] : p[2];
    const int bright = (2 * p[0] > most ? 1 : 0) | (2 * p[1] > most ? 2 : 0) | (2 * p[2] > most ? 4 : 0);
    return bright == 1 ? 0 : bright == 2 ? 1 : bright == 4 ? 2 : bright == 3 ? 3 : -1;
}

/* Checks the middles of the quarters of a rectangle in a picture, which has the north on top; none: it must show none
   of the four colours. */
static void check_quarters(const uint8_t *pixels, int left, int right, int top, int bottom, bool none) {
    for (int i = 0; i < 4; i++) {
        const int x = left + (right - left) * (i % 2 ? 3 : 1) / 4, y = top + (bottom - top) * (i / 2 ? 3 : 1) / 4;
        const uint8_t *p = pixels + 3 * (y * WIDTH + x);
        if (colour_of(p) != (none ? -1 : i)) fail_msg("quarter %d is %d %d %d", i, p[0], p[1], p[2]);
    }
}

/* The map has the texture, north up, and without it the colour of the ground. */
static void map_shows_texture(void **state) {
    static picture with, without;
    (void)state;
    rn_scene *scene = open_four();
    rn_top_view_def def = rn_scene_describe(scene).view;
    assert_int_equal(rn_top_view_height(rn_scene_world(scene), &def), HEIGHT);
    assert_int_equal(rn_top_view(rn_scene_world(scene), &def, with), RN_OK);
    def.texture = NULL;
    assert_int_equal(rn_top_view(rn_scene_world(scene), &def, without), RN_OK);
    check_quarters(with, 0, WIDTH, 0, HEIGHT, false);
    check_quarters(without, 0, WIDTH, 0, HEIGHT, true);
    rn_scene_close(scene);
}

/* A transparent texture changes nothing, and of a half transparent one half is seen. */
static void transparent_texture_shows_ground(void **state) {
    static picture without, clear, half, opaque;
    static uint8_t pixels[4] = {255, 255, 255, 0};
    (void)state;
    rn_scene *scene = open_four();
    const rn_world *world = rn_scene_world(scene);
    const rn_texture texture = {pixels, 1, 1, {3, -2, 0}, {3.48, -1.68, 0}};
    rn_top_view_def def = {.width = WIDTH, .plain = true, .ground = {0.01, 0.01, 0.01}};
    assert_int_equal(rn_top_view(world, &def, without), RN_OK);
    def.texture = &texture;
    assert_int_equal(rn_top_view(world, &def, clear), RN_OK);
    assert_memory_equal(without, clear, sizeof clear);
    pixels[3] = 128;
    assert_int_equal(rn_top_view(world, &def, half), RN_OK);
    pixels[3] = 255;
    assert_int_equal(rn_top_view(world, &def, opaque), RN_OK);
    assert_true(half[0] > without[0] + 20 && half[0] < opaque[0] - 20);
    rn_scene_close(scene);
}

/* Gives the meshes of a scene, as they are at its start, to a renderer. */
static void give(rn_renderer *r, rn_scene *scene) {
    const rn_skin_def def = rn_scene_skin(scene);
    const rn_liquid liquid = rn_world_liquid(rn_scene_world(scene));
    rn_skin *skin = NULL;
    bool changed;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
    const rn_mesh ground = rn_skin_ground(skin), surface = rn_skin_surface(skin);
    assert_int_equal(rn_renderer_set_ground(r, &ground), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &surface, &liquid, NULL), RN_OK);
    rn_skin_destroy(skin);
}

static rn_camera camera_from_above(const rn_scene_info *info) {
    const rn_orbit above = {.elevation = 90, .angle = -1, .zoom = 1};
    return rn_camera_orbit(&above, info->low, info->high, (double)WIDTH / HEIGHT, 0);
}

static void draw(rn_renderer *r, const rn_camera *camera, const rn_look *look, picture pixels) {
    if (rn_renderer_draw(r, camera, look, pixels) != RN_OK) fail_msg("%s", rn_last_error());
}

/* GL and GLES, indoors and outdoors, show the texture as the map does. The kept picture of the ground has it too, and
   not for longer than the look. */
static void renderer_shows_texture(void **state) {
    static picture with, kept, without;
    (void)state;
    rn_scene *scene = open_four();
    const rn_scene_info info = rn_scene_describe(scene);
    const rn_camera camera = camera_from_above(&info);
    for (int i = 0; i < 4; i++) {
        const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT, .es = i % 2 > 0};
        rn_renderer *r = NULL;
        rn_look look = info.look;
        look.outdoors = i / 2 > 0;
        if (rn_renderer_create(&def, &r) != RN_OK) break;
        give(r, scene);
        draw(r, &camera, &look, with);
        check_quarters(with, 8, WIDTH - 8, 8, HEIGHT - 8, false);
        for (int again = 0; again < 2; again++) draw(r, &camera, &look, kept);
        assert_memory_equal(kept, with, sizeof with);
        look.texture = NULL;
        draw(r, &camera, &look, without);
        check_quarters(without, 8, WIDTH - 8, 8, HEIGHT - 8, true);
        rn_renderer_destroy(r);
    }
    rn_scene_close(scene);
}

/* Other pixels at the same address are taken with the next ground. */
static void ground_renews_texture(void **state) {
    static picture pixels;
    static uint8_t texels[4] = {255, 0, 0, 255};
    (void)state;
    rn_scene *scene = open_four();
    rn_scene_info info = rn_scene_describe(scene);
    const rn_camera camera = camera_from_above(&info);
    const rn_texture texture = {texels, 1, 1, info.low, info.high};
    const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT};
    rn_renderer *r = NULL;
    info.look.texture = &texture;
    if (rn_renderer_create(&def, &r) == RN_OK) {
        const uint8_t *middle = pixels + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
        give(r, scene);
        draw(r, &camera, &info.look, pixels);
        assert_int_equal(colour_of(middle), 0);
        texels[0] = 0, texels[2] = 255;
        give(r, scene);
        draw(r, &camera, &info.look, pixels);
        assert_int_equal(colour_of(middle), 2);
        rn_renderer_destroy(r);
    }
    rn_scene_close(scene);
}

/* A renderer says what is too large for it. */
static void renderer_refuses_huge_texture(void **state) {
    static picture pixels;
    static const uint8_t texel[4];
    (void)state;
    const rn_texture huge = {texel, 1 << 24, 1, {0, 0, 0}, {1, 1, 0}};
    const rn_look look = {.texture = &huge};
    const rn_camera camera = {.eye = {0, 0, 1}};
    const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT};
    rn_renderer *r = NULL;
    if (rn_renderer_create(&def, &r) != RN_OK) return;
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_LIMIT);
    assert_non_null(strstr(rn_last_error(), "16777216 by 1 pixels is too large"));
    rn_renderer_destroy(r);
}

static void refuse(rn_result expected_result, const char *expected) {
    rn_scene *scene = NULL;
    assert_int_equal(open_text(scene_text, NULL, 0, &scene), expected_result);
    assert_null(scene);
    if (!strstr(sentence(), "scene.json:3:") || !strstr(sentence(), "\"view.texture\"") ||
        !strstr(sentence(), expected))
        fail_msg("expected \"%s\" in \"%s\"", expected, sentence());
}

/* What cannot be used is named, with the key and the file. */
static void bad_files_are_refused(void **state) {
    static uint8_t row[3 * 8193], bytes[4000];
    (void)state;
    remove(in_folder("four.png"));
    refuse(RN_FILE, "four.png: cannot be read");
    write_file("four.png", "", 0);
    refuse(RN_FORMAT, "four.png: the picture is cut short");
    write_file("four.png", "GIF89a, and more than a signature", 33);
    refuse(RN_FORMAT, "four.png: is not a PNG picture");
    write_four(300);
    FILE *file = fopen(in_folder("four.png"), "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    write_file("four.png", bytes, length / 2);
    refuse(RN_FORMAT, "four.png: the picture is cut short");
    assert_int_equal(rn_png_write(in_folder("four.png"), row, 8193, 1), RN_OK);
    refuse(RN_LIMIT, "four.png: a side is longer than 8192 pixels");
}

/* The texture is no setting that changes while a scene runs. */
static void texture_stays(void **state) {
    (void)state;
    rn_scene *scene = open_four();
    assert_int_equal(rn_scene_set(scene, "view.texture=other.png"), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "cannot change while a scene runs"));
    rn_scene_close(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_shows_texture),
        cmocka_unit_test(transparent_texture_shows_ground),
        cmocka_unit_test(renderer_shows_texture),
        cmocka_unit_test(ground_renews_texture),
        cmocka_unit_test(renderer_refuses_huge_texture),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(texture_stays),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
