/* Pictures in perspective: on OpenGL and on OpenGL ES, with no display. Where there is no GL at all, one line says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "pictures.h"
#include "render/camera.h"
#include "render/occlusion.h"
#include "render/wetness.h"
#include "scene_pictures.h"
#include "surface/creases.h"

#include <runnel/bodies.h>
#include <runnel/skin.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 120, PIXELS = WIDTH * HEIGHT };

typedef uint8_t picture[PIXELS * 3];

static bool there_is_gl;

static rn_renderer *open_renderer(bool es) {
    const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT, .es = es};
    rn_renderer *r = NULL;
    if (rn_renderer_create(&def, &r) != RN_OK) fail_msg("%s", rn_last_error());
    return r;
}

static void draw(rn_renderer *r, const rn_camera *camera, const rn_look *look, uint8_t *pixels) {
    if (rn_renderer_draw(r, camera, look, pixels) != RN_OK) fail_msg("%s", rn_last_error());
}

static rn_camera camera_of(const drawn *d, const rn_orbit *orbit) {
    rn_vec3 low, high;
    drawn_box(d, &low, &high);
    return rn_camera_orbit(orbit, low, high, (double)WIDTH / HEIGHT, 0);
}

static const rn_orbit usual = {.azimuth = 25, .elevation = 38};

/* A scene after so many frames, with the renderer that has followed it. */
static rn_renderer *follow(drawn *d, const char *path, int frames, double full_depth, bool es) {
    rn_renderer *r = open_renderer(es);
    if (!drawn_open(d, path, NULL, 0, full_depth)) fail_msg("%s", rn_last_error());
    for (int i = 0; i < frames; i++) {
        if (i % 10 == 0 && !drawn_give(d, r, false)) fail_msg("%s", rn_last_error());
        if (rn_scene_step(d->scene) != RN_OK) fail_msg("%s", rn_last_error());
    }
    if (!drawn_give(d, r, false)) fail_msg("%s", rn_last_error());
    return r;
}

static void close_both(drawn *d, rn_renderer *r) {
    rn_renderer_destroy(r);
    drawn_close(d);
}

/* ---- Against pictures that were looked at --------------------------------------------------------------------------
 */

typedef struct reference {
    const char *name, *scene;
    int frames;
    rn_orbit orbit;
    rn_look look;
} reference;

static const reference references[] = {
    {"bowl", "scenes/bowl.json", 40, {.azimuth = 25, .elevation = 38}, {.gloss = 0}},
    {"spill", "scenes/spill.json", 60, {.azimuth = 25, .elevation = 40}, {.gloss = 0}},
    {"three-layers", "scenes/three-layers.json", 60, {.azimuth = 205, .elevation = 30}, {.outdoors = true}},
    {"aquarium", "scenes/aquarium.json", 30, {.azimuth = -30, .elevation = 35}, {.gloss = 0.5}},
};
enum { REFERENCES = sizeof references / sizeof references[0] };

/* What another machine's rounding may do, and less than the eye would mind: see the_measure_notices. */
static const double most_mean = 0.8, most_worst = 14;

/* RUNNEL_UPDATE_PICTURES=1 writes the picture instead; look at it before it is kept. */
static void check_picture(const char *name, const uint8_t *pixels, int width, int height) {
    char path[256];
    snprintf(path, sizeof path, "tests/pictures/%s.png", name);
    if (getenv("RUNNEL_UPDATE_PICTURES")) assert_int_equal(rn_png_write(path, pixels, width, height), RN_OK);
    uint8_t *was = picture_read(path, width, height);
    if (!was) fail_msg("%s cannot be read", path);
    const difference e = picture_difference(pixels, was, width, height);
    if (e.mean > most_mean || e.worst > most_worst)
        fail_msg("%s differs by %.2f, at worst by %.1f; %.1f and %.0f are allowed", path, e.mean, e.worst, most_mean,
                 most_worst);
    free(was);
}

static void pictures_are_as_they_were(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    for (int i = 0; i < REFERENCES; i++) {
        const reference *ref = &references[i];
        static picture pixels;
        drawn d;
        rn_renderer *r = follow(&d, ref->scene, ref->frames, ref->look.full_depth, false);
        const rn_camera camera = camera_of(&d, &ref->orbit);
        draw(r, &camera, &ref->look, pixels);
        check_picture(ref->name, pixels, WIDTH, HEIGHT);
        close_both(&d, r);
    }
}

/* With a camera at rest the ground is kept, and drawn again only where its wetness has changed. Every picture is the
   one that a renderer draws which looks elsewhere in between. */
static void kept_ground_is_as_if_drawn_anew(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    for (int outdoors = 0; outdoors < 2; outdoors++) {
        static picture kept, anew, dry;
        const rn_look look = {.outdoors = outdoors}, without = {.outdoors = outdoors, .no_wetness = true};
        const rn_orbit elsewhere = {.azimuth = 80, .elevation = 20};
        drawn d;
        rn_renderer *rests = follow(&d, "scenes/bowl.json", 1, 0, false), *moves = open_renderer(false);
        const rn_camera camera = camera_of(&d, &usual), other = camera_of(&d, &elsewhere);
        if (!drawn_give(&d, moves, true)) fail_msg("%s", rn_last_error());
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 8; k++) assert_int_equal(rn_scene_step(d.scene), RN_OK);
            if (!drawn_give(&d, rests, false) || !drawn_give(&d, moves, false)) fail_msg("%s", rn_last_error());
            draw(rests, &camera, &look, kept);
            draw(moves, &other, &look, anew);
            draw(moves, &camera, &look, anew);
            assert_memory_equal(kept, anew, sizeof kept);
        }
        draw(moves, &camera, &without, dry);
        assert_memory_not_equal(kept, dry, sizeof kept); /* some ground is wet */
        rn_renderer_destroy(moves);
        close_both(&d, rests);
    }
}

/* Ground dries in seconds, however many frames they have. */
static void ground_dries_in_a_minute(void **state) {
    (void)state;
    for (int frames = 1; frames <= 30; frames += 29) {
        float base[4] = {0, 0, 0, 0}, ceil[4] = {9, 9, 9, 9}, depth[4] = {1, 1, 1, 1};
        const float vertex[3] = {1, 1, 0};
        rn_surface_columns c = {.cells_x = 2, .cells_y = 2, .layers = 1, .cell_size = 1};
        c.base = (rn_surface_field){base, 2, 4};
        c.ceil = (rn_surface_field){ceil, 2, 4};
        c.depth = (rn_surface_field){depth, 2, 4};
        rn_wetness w = {0};
        assert_int_equal(rn_wetness_follow(&w, &c, vertex, 1, 0), RN_OK);
        assert_float_equal(rn_wetness_of(&w, 0), 1, 1e-6);
        memset(depth, 0, sizeof depth);
        for (int i = 0; i < frames; i++)
            assert_int_equal(rn_wetness_follow(&w, &c, vertex, 1, 30.0f / (float)frames), RN_OK);
        assert_float_equal(rn_wetness_of(&w, 0), 0.5, 1e-4);
        assert_int_equal(rn_wetness_follow(&w, &c, vertex, 1, 31), RN_OK);
        assert_float_equal(rn_wetness_of(&w, 0), 0, 1e-6);
        rn_wetness_free(&w);
    }
}

static void assert_noticed(const char *what, const uint8_t *a, const uint8_t *b) {
    const difference e = picture_difference(a, b, WIDTH, HEIGHT);
    if (e.mean <= most_mean && e.worst <= most_worst)
        fail_msg("%s is not noticed: %.2f, at worst %.1f", what, e.mean, e.worst);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static void add_body(rn_world *world, rn_shape *shape, rn_vec3 at, rn_quat turn, rn_vec3 colour) {
    rn_body_def def = rn_body_default();
    def.shape = shape;
    def.mode = RN_BODY_BLOCKS;
    def.pose.at = at;
    def.pose.turn = turn;
    def.colour = colour;
    if (rn_bodies_add(world, &def) < 0) fail_msg("%s", rn_last_error());
    rn_shape_destroy(shape);
}

/* A pond at rest with a red box, a yellow ball and a log that stick out of it. */
static rn_world *pond_with_bodies(void) {
    enum { SIDE = 48 };
    double heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x = i % SIDE - 0.5 * (SIDE - 1), y = i / SIDE - 0.5 * (SIDE - 1);
        heights[i] = 0.0025 * (x * x + y * y);
    }
    rn_world *world = make_world(&(setup){
        .nx = SIDE, .ny = SIDE, .cell = 0.1, .heights = heights, .lid = 5, .viscosity = 1e-6, .friction = 0.9});
    add_body(world, rn_shape_box((rn_vec3){1, 0.7, 0.8}), (rn_vec3){2.0, 2.2, 1.0}, (rn_quat){0, 0, 0.3, 1},
             (rn_vec3){0.5, 0.03, 0.03});
    add_body(world, rn_shape_sphere(0.35), (rn_vec3){3.2, 2.8, 1.05}, (rn_quat){0, 0, 0, 1}, (rn_vec3){0.7, 0.5, 0.04});
    add_body(world, rn_shape_capsule(0.16, 1.2), (rn_vec3){3.0, 1.6, 1.0}, (rn_quat){0.6, 0.4, 0, 0.7},
             (rn_vec3){0, 0, 0});
    assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 1}), RN_OK);
    assert_int_equal(rn_world_step(world, 1.0 / 60), RN_OK);
    return world;
}

static void give_world(rn_renderer *r, const rn_world *world, bool bodies) {
    rn_skin *skin;
    rn_skin_def def = rn_skin_default(world);
    def.menisci = true;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    const rn_mesh ground = rn_skin_ground(skin), surface = rn_skin_surface(skin), none = {0};
    const rn_mesh all = rn_skin_bodies(skin);
    const rn_surface_columns columns = rn_skin_columns(skin);
    const rn_liquid liquid = rn_world_liquid(world);
    assert_int_equal(rn_renderer_set_ground(r, &ground), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &surface, &liquid, &columns), RN_OK);
    assert_int_equal(rn_renderer_set_bodies(r, bodies ? &all : &none), RN_OK);
    rn_skin_destroy(skin);
}

static int count_red(const uint8_t *pixels) {
    int red = 0;
    for (int i = 0; i < PIXELS; i++) red += pixels[3 * i] > 60 && pixels[3 * i] > 2 * pixels[3 * i + 1];
    return red;
}

static void bodies_are_drawn(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static picture with, without, again;
    rn_world *world = pond_with_bodies();
    const rn_orbit orbit = {.azimuth = 20, .elevation = 25, .zoom = 1.6, .aimed = true, .target = {2.4, 2.3, 1}};
    const rn_camera camera =
        rn_camera_orbit(&orbit, (rn_vec3){0, 0, 0}, (rn_vec3){4.8, 4.8, 1.5}, (double)WIDTH / HEIGHT, 0);
    const rn_look look = {.outdoors = true};
    for (int es = 0; es < 2; es++) {
        rn_renderer *r = open_renderer(es);
        give_world(r, world, true);
        draw(r, &camera, &look, with);
        check_picture("bodies", with, WIDTH, HEIGHT);
        assert_true(count_red(with) > 100);
        give_world(r, world, false);
        draw(r, &camera, &look, without);
        assert_int_equal(count_red(without), 0);
        assert_noticed("bodies that are missing", with, without);
        give_world(r, world, true);
        draw(r, &camera, &look, again);
        assert_memory_equal(with, again, sizeof with);
        rn_mesh bare = {.vertex_count = 3};
        assert_int_equal(rn_renderer_set_bodies(r, &bare), RN_INVALID);
        rn_renderer_destroy(r);
    }
    rn_world_destroy(world);
}

static void maps_have_bodies(void **state) {
    (void)state;
    static uint8_t map[WIDTH * WIDTH * 3];
    rn_world *world = pond_with_bodies();
    const rn_top_view_def def = {.width = WIDTH, .plain = true};
    assert_int_equal(rn_top_view_height(world, &def), WIDTH);
    assert_int_equal(rn_top_view(world, &def, map), RN_OK);
    check_picture("bodies-map", map, WIDTH, WIDTH);
    rn_world_destroy(world);
}

/* A wrong colour, liquid that is missing, a camera that has moved, light that is a little brighter. */
static void the_measure_notices(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static picture right, wrong;
    drawn d;
    rn_renderer *r = follow(&d, "scenes/bowl.json", 40, 0, false);
    const rn_camera camera = camera_of(&d, &usual);
    rn_look look = {0};
    draw(r, &camera, &look, right);
    look.ground = (rn_vec3){0.54, 0.54, 0.50};
    draw(r, &camera, &look, wrong);
    assert_noticed("another colour of the ground", right, wrong);
    look = (rn_look){.backdrop = {0.05, 0.05, 0.06}};
    draw(r, &camera, &look, wrong); /* the ground of the first picture is kept, its floor is not */
    assert_noticed("a dark backdrop", right, wrong);
    assert_true(wrong[0] < right[0] / 2); /* the corner */
    look = (rn_look){.exposure = 0.12};
    draw(r, &camera, &look, wrong);
    assert_noticed("more light", right, wrong);
    const rn_orbit moved = {.azimuth = 27, .elevation = 38};
    const rn_camera aside = camera_of(&d, &moved);
    draw(r, &aside, NULL, wrong);
    assert_noticed("a camera two degrees aside", right, wrong);
    rn_mesh nothing = d.mesh;
    const rn_liquid blood = rn_liquid_blood(), milk = *rn_liquid_at(2);
    assert_int_equal(rn_renderer_set_liquid(r, &d.mesh, &milk, NULL), RN_OK);
    draw(r, &camera, NULL, wrong);
    assert_noticed("another liquid", right, wrong);
    nothing.triangle_count = nothing.vertex_count = 0;
    nothing.normals = NULL; /* as of a 3D liquid before any was poured */
    assert_int_equal(rn_renderer_set_liquid(r, &nothing, &blood, NULL), RN_OK);
    draw(r, &camera, NULL, wrong);
    assert_noticed("liquid that is missing", right, wrong);
    close_both(&d, r);
}

static void gl_and_gles_draw_the_same(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static picture pixels[2];
    for (int es = 0; es < 2; es++) {
        drawn d;
        rn_renderer *r = follow(&d, "scenes/three-layers.json", 40, 0, es);
        assert_true((strstr(rn_renderer_device(r), "OpenGL ES") != NULL) == es);
        const rn_camera camera = camera_of(&d, &usual);
        draw(r, &camera, NULL, pixels[es]);
        close_both(&d, r);
    }
    const difference e = picture_difference(pixels[0], pixels[1], WIDTH, HEIGHT);
    if (e.mean > 0.1 || e.worst > 3) fail_msg("GL and GLES differ by %.2f, at worst by %.1f", e.mean, e.worst);
}

/* ---- What a picture must show --------------------------------------------------------------------------------------
 */

/* Straight down with parallel rays, where every pixel has its cell. */
static void liquid_is_where_columns_are_wet(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static picture wet, dry;
    drawn d;
    rn_renderer *r = follow(&d, "scenes/bowl.json", 40, 0, false);
    const rn_orbit above = {.elevation = 90, .angle = -1};
    const rn_camera camera = camera_of(&d, &above);
    const rn_look look = {.no_wetness = true};
    draw(r, &camera, &look, wet);
    rn_mesh nothing = d.mesh;
    nothing.triangle_count = nothing.vertex_count = 0;
    const rn_liquid blood = rn_liquid_blood();
    assert_int_equal(rn_renderer_set_liquid(r, &nothing, &blood, NULL), RN_OK);
    draw(r, &camera, &look, dry);

    const rn_world *world = rn_scene_world(d.scene);
    const rn_world_info info = rn_world_describe(world);
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    int wrong = 0, shown = 0;
    for (int i = 0; i < PIXELS; i++) {
        const double step = camera.span / HEIGHT;
        const double px = camera.target.x + (i % WIDTH + 0.5 - 0.5 * WIDTH) * step;
        const double py = camera.target.y - (i / WIDTH + 0.5 - 0.5 * HEIGHT) * step;
        const int x = (int)floor((px - info.origin_x) / info.cell_size);
        const int y = (int)floor((py - info.origin_y) / info.cell_size);
        if (x < 3 || y < 3 || x >= info.cells_x - 3 || y >= info.cells_y - 3) continue;
        int around = 0;
        for (int k = 0; k < 49; k++) around += depth.data[(y + k / 7 - 3) * depth.row_stride + x + k % 7 - 3] > 0;
        bool differs = false; /* in any colour: where blood mirrors a lamp, its green may be that of the ground */
        for (int k = 0; k < 3; k++) differs |= abs(wet[3 * i + k] - dry[3 * i + k]) > 12;
        shown += differs;
        wrong += (around == 49 && !differs) || (around == 0 && differs);
    }
    assert_int_equal(wrong, 0);
    assert_true(shown > PIXELS / 60);
    close_both(&d, r);
}

/* A square plate, and liquid on it in a square grid. */
enum { SIDE = 33 };
typedef struct tray {
    float positions[SIDE * SIDE * 3], normals[SIDE * SIDE * 3], opacity[SIDE * SIDE], menisci[SIDE * SIDE * 4];
    uint32_t indices[(SIDE - 1) * (SIDE - 1) * 6];
    rn_mesh mesh;
} tray;

/* From 0 to 0.1 m along x and y, level at a height (m). */
static void tray_make(tray *t, float height) {
    memset(t, 0, sizeof *t);
    for (int i = 0; i < SIDE * SIDE; i++) {
        t->positions[3 * i] = 0.1f * (float)(i % SIDE) / (SIDE - 1);
        t->positions[3 * i + 1] = 0.1f * (float)(i / SIDE) / (SIDE - 1);
        t->positions[3 * i + 2] = height;
        t->normals[3 * i + 2] = 1;
    }
    uint32_t *next = t->indices;
    for (uint32_t i = 0; i < SIDE * (SIDE - 1); i++) {
        if (i % SIDE == SIDE - 1) continue;
        const uint32_t corners[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        memcpy(next, corners, sizeof corners);
        next += 6;
    }
    t->mesh = (rn_mesh){.positions = t->positions,
                        .normals = t->normals,
                        .opacity = t->opacity,
                        .menisci = t->menisci,
                        .indices = t->indices,
                        .vertex_count = SIDE * SIDE,
                        .triangle_count = (SIDE - 1) * (SIDE - 1) * 2};
}

static void colours_follow_depth(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static tray plate, pool;
    static picture pixels;
    static const char *const names[] = {"blood", "coffee", "honey", "oil"};
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.001};
    const rn_orbit above = {.elevation = 90, .angle = -1, .zoom = 1.05};
    const rn_camera camera = rn_camera_orbit(&above, low, high, (double)WIDTH / HEIGHT, 0);
    rn_renderer *r = open_renderer(false);
    tray_make(&plate, 0);
    tray_make(&pool, 0.001f);
    for (int i = 0; i < SIDE * SIDE; i++) pool.opacity[i] = (float)(i % SIDE) / (SIDE - 1);
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        rn_liquid liquid;
        assert_true(rn_liquid_find(names[k], &liquid));
        assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, &liquid, NULL), RN_OK);
        const rn_look look = {.ground = {0.7, 0.7, 0.7}, .no_shadows = true};
        draw(r, &camera, &look, pixels);
        const uint8_t *row = pixels + (size_t)3 * WIDTH * (HEIGHT / 2);
        double before = 2;
        for (int x = WIDTH / 2 - 50; x < WIDTH / 2 + 50; x += 4) {
            const double here = brightness(row + 3 * x);
            if (here > before + 0.004)
                fail_msg("%s gets lighter with depth at %d: %.3f, %.3f", names[k], x, before, here);
            before = here;
        }
        const double thin = brightness(row + 3 * (WIDTH / 2 - 50)), deep = brightness(row + 3 * (WIDTH / 2 + 49));
        assert_true(deep < 0.6 * thin);
    }
    const rn_liquid white = {.refraction = 1.33, .scattering = {2e3, 2e3, 2e3}}; /* absorbs nothing */
    assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, &white, NULL), RN_OK);
    draw(r, &camera, &(rn_look){.ground = {0.02, 0.02, 0.02}, .no_shadows = true}, pixels);
    const uint8_t *row = pixels + (size_t)3 * WIDTH * (HEIGHT / 2);
    const double thin = brightness(row + 3 * (WIDTH / 2 - 50)), deep = brightness(row + 3 * (WIDTH / 2 + 49));
    if (!(deep > thin + 0.1 && deep > 0.5))
        fail_msg("a liquid that only scatters: %.3f where it is thin, %.3f deep", thin, deep);
    rn_renderer_destroy(r);
}

/* Pixels that are much brighter than all eight around them: highlights smaller than a pixel, which flicker in films. */
static int bright_specks(const uint8_t *pixels) {
    int count = 0;
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            double around = 0;
            for (int k = 0; k < 9; k++)
                if (k != 4) around = fmax(around, brightness(pixels + 3 * ((y + k / 3 - 1) * WIDTH + x + k % 3 - 1)));
            count += brightness(pixels + 3 * (y * WIDTH + x)) > around + 0.1;
        }
    return count;
}

/* Ripples a few pixels long mirror the lamps in all directions; the lamps must blur, not break into specks. */
static void ripples_make_no_specks(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static tray plate, pool;
    static picture pixels;
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.001};
    rn_renderer *r = open_renderer(false);
    tray_make(&plate, 0);
    tray_make(&pool, 0.001f);
    for (int i = 0; i < SIDE * SIDE; i++) {
        float *const n = pool.normals + 3 * i;
        pool.opacity[i] = 1;
        n[0] = 0.5f * sinf(2.1f * (float)i), n[1] = 0.5f * sinf(1.3f * (float)(i / SIDE) + 0.7f * (float)i);
        n[2] = sqrtf(1 - n[0] * n[0] - n[1] * n[1]);
    }
    rn_liquid coffee;
    assert_true(rn_liquid_find("coffee", &coffee));
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, &coffee, NULL), RN_OK);
    for (int turn = 0; turn < 4; turn++) {
        const rn_orbit orbit = {.azimuth = 90.0 * turn + 20, .elevation = 35};
        const rn_camera camera = rn_camera_orbit(&orbit, low, high, (double)WIDTH / HEIGHT, 0);
        const rn_look look = {0};
        draw(r, &camera, &look, pixels);
        const int specks = bright_specks(pixels);
        if (specks > 3) fail_msg("%d specks at azimuth %g", specks, orbit.azimuth);
    }
    rn_renderer_destroy(r);
}

/* Dagenais 2018, 5.3: a steep meniscus at the near edge turns from the camera, and is black there without the cap. */
static void the_cap_leaves_no_black_edges(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static tray plate, pool;
    static picture pixels;
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.001};
    const rn_orbit grazing = {.elevation = 22};
    const rn_camera camera = rn_camera_orbit(&grazing, low, high, (double)WIDTH / HEIGHT, 0);
    rn_renderer *r = open_renderer(false);
    tray_make(&plate, 0);
    tray_make(&pool, 0.001f);
    for (int i = 0; i < SIDE * SIDE; i++) { /* drawn up at the near edge, so it looks away from there */
        pool.opacity[i] = 0.0001f;
        pool.menisci[4 * i + 1] = -1;
        pool.menisci[4 * i + 2] = 1.4f;
        pool.menisci[4 * i + 3] = fmaxf(0, 1 - 40 * pool.positions[3 * i + 1]);
    }
    const rn_liquid water = rn_liquid_water();
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, &water, NULL), RN_OK);
    for (int no_cap = 0; no_cap < 2; no_cap++) {
        const rn_look look = {.no_cap = no_cap};
        int black = 0;
        draw(r, &camera, &look, pixels);
        for (int i = 0; i < PIXELS; i++) black += brightness(pixels + 3 * (size_t)i) < 0.01;
        if (no_cap) assert_true(black > 100);
        else assert_int_equal(black, 0);
    }
    rn_renderer_destroy(r);
}

static void every_overlay_draws_something_else(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    enum { OVERLAYS = RN_OVERLAY_DISTANCE + 1 };
    static picture pixels[OVERLAYS];
    drawn d;
    rn_renderer *r = follow(&d, "scenes/passages.json", 150, 0, false);
    const rn_camera camera = camera_of(&d, &usual);
    for (int i = 0; i < OVERLAYS; i++) {
        const rn_look look = {.overlay = (rn_overlay)i};
        draw(r, &camera, &look, pixels[i]);
        for (int k = 0; k < i; k++) {
            const difference e = picture_difference(pixels[i], pixels[k], WIDTH, HEIGHT);
            if (e.mean < 0.2 || e.worst < 8) fail_msg("overlays %d and %d differ by %.2f, %.1f", i, k, e.mean, e.worst);
        }
    }
    close_both(&d, r);
}

/* ---- What needs no GL ----------------------------------------------------------------------------------------------
 */

/* From all around, near and far, with and without perspective: no corner is cut off, and some corner is near an edge.
 */
static void cameras_see_the_whole_box(void **state) {
    (void)state;
    const rn_vec3 low = {-0.03, 0.2, -0.01}, high = {0.07, 0.24, 0.05};
    for (int i = 0; i < 360; i++) {
        const double aspect = i % 2 ? 16.0 / 9 : 0.7;
        const rn_orbit orbit = {
            .azimuth = 7 * i, .elevation = 1 + i % 90, .angle = i % 3 ? 10 + i % 50 : -1, .turn = 3};
        const rn_camera camera = rn_camera_orbit(&orbit, low, high, aspect, 2);
        const rn_matrix m = rn_camera_matrix(&camera, aspect, 0.001, 10);
        double farthest = 0;
        for (int corner = 0; corner < 8; corner++) {
            const double p[4] = {corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z,
                                 1};
            double clip[4] = {0, 0, 0, 0};
            for (int k = 0; k < 16; k++) clip[k % 4] += (double)m.m[k] * p[k / 4];
            for (int k = 0; k < 2; k++)
                if (fabs(clip[k] / clip[3]) > farthest) farthest = fabs(clip[k] / clip[3]);
        }
        if (farthest > 1 || farthest < 0.8)
            fail_msg("a box reaches to %.3f of the picture, seen from %d", farthest, 7 * i);
    }
    const rn_orbit east = {.azimuth = 90, .elevation = 10};
    const rn_camera camera = rn_camera_orbit(&east, low, high, 1, 0);
    assert_true(camera.eye.x > high.x && camera.up.x == 0 && rn_camera_frame(&camera).right.y > 0.99);
}

/* A cube of eight vertices has three normals at each of them. */
static void edges_are_parted(void **state) {
    (void)state;
    float positions[24], normals[24];
    uint32_t indices[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < 24; i++) {
        positions[i] = (float)(i / 3 >> i % 3 & 1);
        normals[i] = i % 3 == 2 ? 1.0f : 0.0f;
    }
    const rn_mesh cube = {
        .positions = positions, .normals = normals, .indices = indices, .vertex_count = 8, .triangle_count = 12};
    rn_mesh parted;
    assert_int_equal(rn_creases_part(&cube, NULL, &parted), RN_OK);
    assert_int_equal(parted.vertex_count, 24);
    for (size_t t = 0; t < 12; t++)
        for (size_t i = 1; i < 3; i++)
            assert_memory_equal(parted.normals + 3 * (size_t)parted.indices[3 * t],
                                parted.normals + 3 * (size_t)parted.indices[3 * t + i], 3 * sizeof(float));
    rn_creases_free(&parted, NULL);
}

/* Open ground sees the sky; the bottom of a pit as deep as it is wide sees little of it. */
static void pits_are_dark(void **state) {
    (void)state;
    static tray ground;
    rn_occlusion o = {0};
    const float up[3] = {0, 0, 1};
    tray_make(&ground, 0.05f);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const float *p = ground.positions + 3 * i;
        if (fabsf(p[0] - 0.05f) < 0.016f && fabsf(p[1] - 0.05f) < 0.016f) ground.positions[3 * i + 2] = 0.018f;
    }
    assert_int_equal(rn_occlusion_make(&ground.mesh, &o), RN_OK);
    const float open[3] = {0.02f, 0.02f, 0.05f}, pit[3] = {0.05f, 0.05f, 0.018f}, above[3] = {0.05f, 0.05f, 0.2f};
    assert_true(rn_occlusion_open(&o, open, up) > 0.85f);
    assert_true(rn_occlusion_open(&o, pit, up) < 0.5f);
    assert_true(rn_occlusion_open(&o, above, up) > 0.99f);
    rn_occlusion_free(&o);
}

/* ---- When something is not as it should be -------------------------------------------------------------------------
 */

static void odd_wishes_are_refused(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    const rn_renderer_def wide = {.width = 100000}, coarse = {.samples = -1}, huge = {.width = 16384, .samples = 8};
    rn_renderer *r = NULL;
    assert_int_equal(rn_renderer_create(&wide, &r), RN_INVALID);
    assert_int_equal(rn_renderer_create(&coarse, &r), RN_INVALID);
    assert_int_equal(rn_renderer_create(&huge, &r), RN_LIMIT);
    assert_null(r);
    const rn_mesh bare = {0};
    r = open_renderer(false);
    assert_int_equal(rn_renderer_set_ground(r, &bare), RN_INVALID);
    rn_renderer_destroy(r);
}

/* Two at once, each with its own GL, in turns; and nothing to draw at all. */
static void renderers_do_not_mind_each_other(void **state) {
    (void)state;
    if (!there_is_gl) skip();
    static picture alone, first, second;
    static tray plate;
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.001};
    const rn_camera camera = rn_camera_orbit(&usual, low, high, (double)WIDTH / HEIGHT, 0);
    rn_renderer *a = open_renderer(false), *b = open_renderer(true);
    tray_make(&plate, 0);
    draw(a, &camera, NULL, alone);
    assert_int_equal(rn_renderer_set_ground(a, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_ground(b, &plate.mesh), RN_OK);
    draw(a, &camera, NULL, first);
    draw(b, &camera, NULL, second);
    assert_true(picture_difference(first, second, WIDTH, HEIGHT).worst < 2);
    assert_true(picture_difference(first, alone, WIDTH, HEIGHT).worst > 2);
    rn_renderer_destroy(b);
    draw(a, &camera, NULL, second);
    assert_memory_equal(first, second, sizeof first);
    rn_renderer_destroy(a);
}

static const char *own_path;

/* In a process of its own, whose EGL finds no driver. */
static void a_missing_gl_is_one_sentence(void **state) {
    (void)state;
    char command[4300], sentence[512] = "", more[16] = "";
    snprintf(command, sizeof command, "__EGL_VENDOR_LIBRARY_DIRS=/nonexistent '%s' without", own_path);
    FILE *child = popen(command, "r");
    assert_non_null(child);
    assert_non_null(fgets(sentence, sizeof sentence, child));
    assert_null(fgets(more, sizeof more, child));
    assert_int_equal(pclose(child), 0);
    assert_non_null(strstr(sentence, "OpenGL"));
    assert_non_null(strstr(sentence, "rn_top_view"));
}

static int without_gl(void) {
    const rn_renderer_def def = rn_renderer_default();
    rn_renderer *r = NULL;
    const rn_result result = rn_renderer_create(&def, &r);
    printf("%s\n", result == RN_OK ? "there is one after all" : rn_last_error());
    rn_renderer_destroy(r);
    return result != RN_DEVICE;
}

int main(int argc, char **argv) {
    own_path = argv[0];
    if (argc > 1 && strcmp(argv[1], "without") == 0) return without_gl();
    const rn_renderer_def def = {.width = 16, .height = 16};
    rn_renderer *r = NULL;
    there_is_gl = rn_renderer_create(&def, &r) == RN_OK;
    rn_renderer_destroy(r);
    if (!there_is_gl) printf("test_render: %s\n", rn_last_error());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gl_and_gles_draw_the_same),
        cmocka_unit_test(pictures_are_as_they_were),
        cmocka_unit_test(kept_ground_is_as_if_drawn_anew),
        cmocka_unit_test(ground_dries_in_a_minute),
        cmocka_unit_test(bodies_are_drawn),
        cmocka_unit_test(maps_have_bodies),
        cmocka_unit_test(the_measure_notices),
        cmocka_unit_test(liquid_is_where_columns_are_wet),
        cmocka_unit_test(colours_follow_depth),
        cmocka_unit_test(ripples_make_no_specks),
        cmocka_unit_test(the_cap_leaves_no_black_edges),
        cmocka_unit_test(every_overlay_draws_something_else),
        cmocka_unit_test(cameras_see_the_whole_box),
        cmocka_unit_test(edges_are_parted),
        cmocka_unit_test(pits_are_dark),
        cmocka_unit_test(odd_wishes_are_refused),
        cmocka_unit_test(renderers_do_not_mind_each_other),
        cmocka_unit_test(a_missing_gl_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
