/* The land around a scene outdoors: it continues the ground and the liquid at the edge of the domain. */
#include "render/camera.h"
#include "render/land.h"
#include "scene_texts.h"

#include <math.h>
#include <runnel/skin.h>

enum { CELLS = 40, POINTS = CELLS + 1 };

/* Uneven ground, 40 m wide, with a channel that leaves it in the east. */
static float ground_at(float x, float y) {
    const float channel = fabsf(y - 20) < 5 ? -2.0f * fmaxf(x / 40 - 0.3f, 0) : 0;
    return 3 + sinf(0.2f * x) + 0.1f * y + channel;
}

/* A mesh of that ground. */
static rn_mesh uneven_ground(float positions[3 * POINTS * POINTS], uint32_t indices[6 * CELLS * CELLS]) {
    uint32_t *next = indices;
    for (uint32_t v = 0; v < POINTS * POINTS; v++) {
        positions[3 * v] = (float)(v % POINTS);
        positions[3 * v + 1] = (float)(v / POINTS);
        positions[3 * v + 2] = ground_at(positions[3 * v], positions[3 * v + 1]);
        if (v % POINTS == CELLS || v / POINTS == CELLS) continue;
        const uint32_t two[6] = {v, v + 1, v + POINTS + 1, v, v + POINTS + 1, v + POINTS};
        memcpy(next, two, sizeof two);
        next += 6;
    }
    return (rn_mesh){.positions = positions,
                     .indices = indices,
                     .vertex_count = POINTS * POINTS,
                     .triangle_count = 2 * CELLS * CELLS};
}

/* Land begins at the heights of the ground, faces up everywhere, has no steps, and reaches the horizon. */
static void land_begins_at_the_ground(void **state) {
    static float positions[3 * POINTS * POINTS];
    static uint32_t indices[6 * CELLS * CELLS];
    const rn_mesh ground = uneven_ground(positions, indices);
    const float low[3] = {0, 0, 0}, high[3] = {40, 40, 9};
    rn_land land = {0};
    (void)state;
    assert_int_equal(rn_land_make(&ground, low, high, &land), RN_OK);
    float most = 0, steepest = 0;
    for (int i = 0; i < RN_LAND_POINTS; i++) {
        const float *edge = land.positions + 3 * (RN_LAND_EDGE * RN_LAND_POINTS + i);
        assert_true(fabsf(rn_land_along(&land, edge) - (float)i) < 0.01f);
        const bool bank = fabsf(fabsf(edge[1] - 20) - 5) < 1.5f && edge[0] > 12; /* as steep as a cell is wide */
        if (!bank) most = fmaxf(most, fabsf(edge[2] - ground_at(edge[0], edge[1])));
    }
    for (size_t t = 0; t < land.index_count; t += 3) {
        const float *a = land.positions + 3 * land.indices[t], *b = land.positions + 3 * land.indices[t + 1],
                    *c = land.positions + 3 * land.indices[t + 2];
        if (land.indices[t] >= RN_LAND_POINTS) /* the first ring lies below the ground */
            assert_true((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0);
    }
    for (int v = RN_LAND_EDGE * RN_LAND_POINTS; v < RN_LAND_RINGS * RN_LAND_POINTS; v++)
        steepest = fmaxf(steepest, acosf(fminf(land.normals[3 * v + 2], 1)));
    print_message("%.2f m beside the ground, slopes up to %.2f, %zu triangles\n", (double)most, (double)tanf(steepest),
                  land.index_count / 3);
    assert_true(most < 0.25f && land.index_count / 3 < 20000);
    assert_true(land.positions[3 * (RN_LAND_RINGS * RN_LAND_POINTS - 1)] < -400);
    rn_land_free(&land);
}

enum { WIDTH = 160, HEIGHT = 120 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

/* A shallow pond on green ground, which covers the whole domain. */
static const char pond[] = "{\"grid\": {\"cells\": [40, 40], \"cell\": 1, \"bottom\": -4, \"lid\": 6},\n"
                           "\"solid\": {\"type\": \"plane\", \"at\": [0, 0, -3]}, \"fills\": [{\"level\": -2.8}],\n"
                           "\"view\": {\"ground\": [0.14, 0.16, 0.06], \"full_depth\": 0.2, \"outdoors\": true}}";

/* Other sizes of its cells. */
static const char *const coarse[] = {"grid.cells=[16, 16]", "grid.cell=2.5"};
static const char *const long_cells[] = {"grid.cells=[200, 20]", "grid.cell=0.2"};

/* Makes a renderer that shows the pond, with these two changes (or NULL) and with bodies (or NULL), and sets camera and
   look. Returns NULL where there is no GL. */
static rn_renderer *show_pond(const char *const *set, const rn_mesh *bodies, rn_camera *camera, rn_look *look) {
    rn_scene *scene = NULL;
    rn_skin *skin = NULL;
    rn_renderer *r = NULL;
    bool changed;
    const rn_renderer_def renderer = {.width = WIDTH, .height = HEIGHT};
    if (rn_renderer_create(&renderer, &r) != RN_OK) return NULL;
    if (open_text(pond, set, set ? 2 : 0, &scene) != RN_OK) fail_msg("%s", rn_last_error());
    const rn_skin_def def = rn_scene_skin(scene);
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, &changed), RN_OK);
    const rn_scene_info info = rn_scene_describe(scene);
    const rn_mesh ground = rn_skin_ground(skin), surface = rn_skin_surface(skin);
    const rn_surface_columns columns = rn_skin_columns(skin);
    const rn_liquid liquid = rn_world_liquid(rn_scene_world(scene));
    const rn_orbit orbit = {.elevation = 40, .zoom = 0.5};
    *camera = rn_camera_orbit(&orbit, info.low, info.high, (double)WIDTH / HEIGHT, 0);
    *look = info.look;
    assert_int_equal(rn_renderer_set_ground(r, &ground), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &surface, &liquid, &columns), RN_OK);
    if (bodies) assert_int_equal(rn_renderer_set_bodies(r, bodies), RN_OK);
    rn_skin_destroy(skin);
    rn_scene_close(scene);
    return r;
}

/* Draws the pond as show_pond does, and sets the camera. Returns false where there is no GL. */
static bool draw_pond(const char *const *set, const rn_mesh *bodies, rn_camera *camera, picture pixels) {
    rn_look look;
    rn_renderer *r = show_pond(set, bodies, camera, &look);
    if (r) assert_int_equal(rn_renderer_draw(r, camera, &look, pixels), RN_OK);
    rn_renderer_destroy(r);
    return r != NULL;
}

/* With a camera at rest, ripples on the continued liquid go on: pictures are those of a renderer that looks elsewhere
   in between. */
static void continued_liquid_moves(void **state) {
    static picture kept, anew, first;
    rn_camera camera;
    rn_look look;
    (void)state;
    rn_renderer *rests = show_pond(NULL, NULL, &camera, &look), *moves = show_pond(NULL, NULL, &camera, &look);
    if (!rests || !moves) skip();
    rn_camera other = camera;
    other.eye.x += 5;
    for (int i = 0; i < 5; i++) {
        look.time = 0.4 * i;
        assert_int_equal(rn_renderer_draw(rests, &camera, &look, kept), RN_OK);
        assert_int_equal(rn_renderer_draw(moves, &other, &look, anew), RN_OK);
        assert_int_equal(rn_renderer_draw(moves, &camera, &look, anew), RN_OK);
        assert_memory_equal(kept, anew, sizeof kept);
        if (i == 0) memcpy(first, kept, sizeof first);
    }
    assert_memory_not_equal(kept, first, sizeof kept);
    rn_renderer_destroy(rests);
    rn_renderer_destroy(moves);
}

/* How much more blue than red the pixel is at which a point (m) is drawn. */
static int blue_at(const rn_camera *camera, rn_vec3 point, const picture pixels) {
    const rn_matrix m = rn_camera_matrix(camera, (double)WIDTH / HEIGHT, 0.1, 1000);
    const double p[4] = {point.x, point.y, point.z, 1};
    double clip[4] = {0};
    for (int i = 0; i < 16; i++) clip[i % 4] += (double)m.m[i] * p[i / 4];
    const int x = (int)(WIDTH * (0.5 + 0.5 * clip[0] / clip[3])), y = (int)(HEIGHT * (0.5 - 0.5 * clip[1] / clip[3]));
    assert_true(x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT);
    return pixels[3 * (y * WIDTH + x) + 2] - pixels[3 * (y * WIDTH + x)];
}

/* Liquid does not end where the domain ends, but farther away, at a bank, whatever the size of cells. */
static void land_continues_liquid(void **state) {
    static picture pixels;
    static const char *const *const sets[] = {NULL, coarse, long_cells};
    static const double sizes[][2] = {{40, 40}, {40, 40}, {40, 4}}; /* m */
    (void)state;
    for (int k = 0; k < 3; k++) {
        rn_camera camera;
        if (!draw_pond(sets[k], NULL, &camera, pixels)) skip();
        const double x = sizes[k][0], y = sizes[k][1], off = 0.03 * y;
        const rn_vec3 outside[] = {
            {-off, y / 2, -2.8}, {x + off, y / 2, -2.8}, {x / 2, -off, -2.8}, {x / 2, y + off, -2.8}};
        const rn_vec3 far_away = {1.55 * x, 0.75 * y, -2};
        const int own = blue_at(&camera, (rn_vec3){x / 2, y / 2, -2.8}, pixels),
                  land = blue_at(&camera, far_away, pixels);
        print_message("blue: %d in the domain, %d on land", own, land);
        for (int i = 0; i < 4; i++) print_message(", %d", blue_at(&camera, outside[i], pixels));
        print_message(" beside the domain\n");
        assert_true(own > land + 15);
        for (int i = 0; i < 4; i++) assert_true(blue_at(&camera, outside[i], pixels) > land + 10);
    }
}

/* The brightest red of a ball of this colour above the pond, as a share of the mean of the ball's pixels. */
static double highlight_of(const float colour[3]) {
    enum { RINGS = 24, AROUND = 48, COUNT = (RINGS + 1) * AROUND };
    static float positions[3 * COUNT], normals[3 * COUNT], colours[3 * COUNT];
    static uint32_t indices[6 * RINGS * AROUND];
    static picture with, without;
    rn_camera camera;
    uint32_t *next = indices;
    for (uint32_t v = 0; v < COUNT; v++) {
        const float polar = 3.14159265f * (float)(v / AROUND) / RINGS, turn = 6.2831853f * (float)(v % AROUND) / AROUND;
        const float n[3] = {sinf(polar) * cosf(turn), sinf(polar) * sinf(turn), cosf(polar)};
        for (int k = 0; k < 3; k++) {
            normals[3 * v + (uint32_t)k] = n[k];
            positions[3 * v + (uint32_t)k] = 10 * n[k] + (k < 2 ? 20.0f : 12.0f);
            colours[3 * v + (uint32_t)k] = colour[k];
        }
        if (v / AROUND == RINGS) continue;
        const uint32_t a = v, b = v - v % AROUND + (v + 1) % AROUND;
        const uint32_t two[6] = {a, a + AROUND, b + AROUND, a, b + AROUND, b};
        memcpy(next, two, sizeof two);
        next += 6;
    }
    const rn_mesh ball = {.positions = positions,
                          .normals = normals,
                          .colours = colours,
                          .indices = indices,
                          .vertex_count = COUNT,
                          .triangle_count = 2 * RINGS * AROUND};
    if (!draw_pond(NULL, &ball, &camera, with) || !draw_pond(NULL, NULL, &camera, without)) return -1;
    double sum = 0, count = 0, most = 0;
    for (int i = 0; i < 3 * WIDTH * (HEIGHT / 2); i += 3) {
        if (abs(with[i] - without[i]) < 12) continue;
        sum += with[i];
        count++;
        most = fmax(most, with[i]);
    }
    assert_true(count > 30);
    return most * count / sum;
}

/* Leaves do not shine: the sun makes no highlight on green parts of bodies. */
static void leaves_are_matt(void **state) {
    (void)state;
    const double green = highlight_of((const float[3]){0.06f, 0.1f, 0.03f});
    const double grey = highlight_of((const float[3]){0.06f, 0.06f, 0.06f});
    if (green < 0 || grey < 0) skip();
    print_message("brightest pixel over the mean: %.2f on leaves, %.2f on a grey ball\n", green, grey);
    assert_true(green < 0.8 * grey);
}

/* The mean difference of neighbouring pixels in the lower half of a picture, in levels of 255: its detail. */
static double detail_of(const picture pixels) {
    double sum = 0;
    for (int y = HEIGHT / 2; y < HEIGHT; y++)
        for (int x = 1; x < WIDTH; x++) {
            const int at = 3 * (y * WIDTH + x) + 1;
            sum += abs(pixels[at] - pixels[at - 3]);
        }
    return sum / (HEIGHT / 2 * (WIDTH - 1.0));
}

/* Dry ground has fine detail close to the eye: its lumps are lit by the sun. */
static void ground_has_lumps(void **state) {
    static const char *const dry[] = {"fills.0.level=-4", "view.full_depth=0.2"};
    static picture pixels;
    rn_camera camera;
    rn_look look;
    (void)state;
    rn_renderer *r = show_pond(dry, NULL, &camera, &look);
    if (!r) skip();
    camera.eye = (rn_vec3){20, 8, -1};
    camera.target = (rn_vec3){20, 20, -4};
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    rn_renderer_destroy(r);
    const double detail = detail_of(pixels);
    print_message("neighbouring pixels of dry ground differ by %.1f levels\n", detail);
    assert_true(detail > 2.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(land_begins_at_the_ground),
                                       cmocka_unit_test(land_continues_liquid),
                                       cmocka_unit_test(continued_liquid_moves), cmocka_unit_test(leaves_are_matt),
                                       cmocka_unit_test(ground_has_lumps)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
