/* Pictures of what liquid does to the light of the lamp, measured: caustics, coloured shadows, one shadow on milk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pictures.h"
#include "surface_meshes.h"

#include <runnel/runnel.h>
#include <string.h>

enum { WIDTH = 160, HEIGHT = 120, SIDE = 65 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];

/* A square mesh from 0 to 0.1 m along x and y. */
typedef struct sheet {
    float positions[SIDE * SIDE * 3], normals[SIDE * SIDE * 3], opacity[SIDE * SIDE];
    uint32_t indices[(SIDE - 1) * (SIDE - 1) * 6];
    rn_mesh mesh;
} sheet;

/* Makes a sheet at a height (m), with the normals of four waves along x of this steepness; opaque from 0 to 1. */
static void sheet_make(sheet *s, float height, float steep, float opaque) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const float x = (float)(i % SIDE) / (SIDE - 1), slope = steep * sinf(25.13f * x);
        const float n[3] = {-slope, 0, 1}, size = sqrtf(1 + slope * slope);
        s->positions[3 * i] = 0.1f * x;
        s->positions[3 * i + 1] = 0.1f * (float)(i / SIDE) / (SIDE - 1);
        s->positions[3 * i + 2] = height;
        for (int k = 0; k < 3; k++) s->normals[3 * i + k] = n[k] / size;
        s->opacity[i] = opaque;
    }
    uint32_t *next = s->indices;
    for (uint32_t i = 0; i < SIDE * (SIDE - 1); i++) {
        if (i % SIDE == SIDE - 1) continue;
        const uint32_t corners[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
        memcpy(next, corners, sizeof corners);
        next += 6;
    }
    s->mesh = (rn_mesh){.positions = s->positions,
                        .normals = s->normals,
                        .opacity = s->opacity,
                        .indices = s->indices,
                        .vertex_count = SIDE * SIDE,
                        .triangle_count = (SIDE - 1) * (SIDE - 1) * 2};
}

/* Writes a picture to be looked at into the folder that RUNNEL_SHOW names, if it is set. */
static void show(const char *name, const picture pixels) {
    char path[300];
    if (!getenv("RUNNEL_SHOW")) return;
    snprintf(path, sizeof path, "%s/%s.png", getenv("RUNNEL_SHOW"), name);
    assert_int_equal(rn_png_write(path, pixels, WIDTH, HEIGHT), RN_OK);
}

/* NULL if nothing can be drawn here. */
static rn_renderer *open_renderer(bool es) {
    const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT, .samples = 1, .es = es};
    rn_renderer *r = NULL;
    return rn_renderer_create(&def, &r) == RN_OK ? r : NULL;
}

static rn_camera from_above(void) {
    const rn_orbit above = {.elevation = 90, .angle = -1, .zoom = 1.3};
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.02};
    return rn_camera_orbit(&above, low, high, (double)WIDTH / HEIGHT, 0);
}

/* Mean and spread of the brightness of the middle of a picture. */
static void light_in_middle(const picture pixels, double *mean, double *spread) {
    double sum = 0, squares = 0;
    int count = 0;
    for (int y = HEIGHT / 4; y < HEIGHT * 3 / 4; y++)
        for (int x = WIDTH / 3; x < WIDTH * 2 / 3; x++, count++) {
            const double b = brightness(pixels + 3 * (y * WIDTH + x));
            sum += b;
            squares += b * b;
        }
    *mean = sum / count;
    *spread = sqrt(fmax(squares / count - *mean * *mean, 0));
}

/* The light on white ground below 10 mm of a liquid without colour that does not mirror. */
static void light_below(bool es, float steep, bool no_shadows, double *mean, double *spread) {
    static sheet plate, pool;
    static picture pixels;
    const rn_liquid clear = {.refraction = 1.33, .density = 1000};
    const rn_look look = {.ground = {0.4, 0.4, 0.4}, .full_depth = 0.01, .no_shadows = no_shadows};
    rn_renderer *r = open_renderer(es);
    if (!r) skip();
    const rn_camera camera = from_above();
    sheet_make(&plate, 0, 0, 0);
    plate.positions[2] = -0.005f; /* the rest is no underside then */
    sheet_make(&pool, 0.01f, steep, 1);
    for (int i = 0; i < SIDE * SIDE; i++) pool.opacity[i] = 0.01f / (float)fmin(rn_liquid_full_depth(&clear), 1);
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, &clear, NULL), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    light_in_middle(pixels, mean, spread);
    show("waves", pixels);
    rn_renderer_destroy(r);
}

/* Waves focus light into lines, a level surface does not, and both let about the same light through. */
static void waves_focus_light(void **state) {
    (void)state;
    for (int es = 0; es < 2; es++) {
        double level, level_spread, waved, waved_spread, plain, plain_spread;
        light_below(es, 0, false, &level, &level_spread);
        light_below(es, 0.15f, false, &waved, &waved_spread);
        light_below(es, 0.15f, true, &plain, &plain_spread); /* without shadows there are no caustics either */
        print_message("level %.3f ± %.3f, waves %.3f ± %.3f, without the pass %.3f ± %.3f\n", level, level_spread,
                      waved, waved_spread, plain, plain_spread);
        assert_true(level_spread < 0.03 * level); /* the ground is not of one colour */
        assert_true(waved_spread > 0.08 * waved && waved_spread > 3 * plain_spread && waved_spread > 3 * level_spread);
        assert_true(waved > 0.85 * level && waved < 1.25 * level);
    }
}

/* The brightness of the darkest pixel in the middle row of white ground with a film of clear liquid, 0.2 mm deep, whose
   normals tilt outwards at its rim, by that of the film farther inside. */
static double darkest_below_film(bool es) {
    static sheet plate, film;
    static picture pixels;
    const rn_liquid clear = {.refraction = 1.33, .density = 1000};
    const rn_look look = {.ground = {0.4, 0.4, 0.4}, .full_depth = 0.002};
    rn_renderer *r = open_renderer(es);
    if (!r) skip();
    const rn_orbit above = {.elevation = 90, .angle = -1, .zoom = 1};
    const rn_vec3 low = {0.025, 0.045, 0}, high = {0.035, 0.055, 0.001};
    const rn_camera camera = rn_camera_orbit(&above, low, high, (double)WIDTH / HEIGHT, 0);
    sheet_make(&plate, 0, 0, 0);
    plate.positions[2] = -0.005f;
    sheet_make(&film, 0.0002f, 0, 0.1f / (float)fmin(rn_liquid_full_depth(&clear), 1) * 0.002f);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int x = i % SIDE;
        film.positions[3 * i] = 0.03f + 0.4f * film.positions[3 * i];
        if (x >= 2 && x < SIDE - 2) continue;
        film.normals[3 * i] = x < SIDE / 2 ? -0.8f : 0.8f;
        film.normals[3 * i + 2] = 0.6f;
    }
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &film.mesh, &clear, NULL), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    show("film", pixels);
    rn_renderer_destroy(r);
    double least = 1;
    for (int x = WIDTH / 4; x < WIDTH * 3 / 4; x++)
        least = fmin(least, brightness(pixels + 3 * (HEIGHT / 2 * WIDTH + x)) /
                                brightness(pixels + 3 * (HEIGHT / 2 * WIDTH + WIDTH * 3 / 4)));
    return least;
}

/* A film is too thin to bend light away from its rim, which is no dark line. */
static void films_have_no_dark_rims(void **state) {
    (void)state;
    for (int es = 0; es < 2; es++) {
        const double least = darkest_below_film(es);
        print_message("the darkest place of a film is %.2f times as bright as its middle\n", least);
        assert_true(least > 0.93);
    }
}

/* Makes level ground, and a strip across its middle at a height (m) above it. */
static void make_plate_and_strip(sheet *plate, sheet *strip, float height) {
    sheet_make(plate, 0, 0, 0);
    plate->positions[2] = -0.005f; /* the rest is no underside then */
    sheet_make(strip, height, 0, 0);
    for (int i = 0; i < SIDE * SIDE; i++) strip->positions[3 * i] = 0.04f + 0.2f * strip->positions[3 * i];
}

/* The steepest step between neighbouring pixels of the shadow that a strip, `height` m above white ground, casts beside
   itself, as a share of the difference between the brightest and the darkest pixel there. */
static double steepest_step_of_shadow(bool es, int samples, float height) {
    static sheet plate, strip;
    static picture pixels;
    const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT, .samples = samples, .es = es};
    const rn_look look = {.ground = {0.6, 0.6, 0.6}};
    rn_renderer *r = NULL;
    if (rn_renderer_create(&def, &r) != RN_OK) skip();
    const rn_camera camera = from_above();
    make_plate_and_strip(&plate, &strip, height);
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_bodies(r, &strip.mesh), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    show("strip", pixels);
    rn_renderer_destroy(r);
    double least = 1e9, most = 0, step = 0;
    for (int x = WIDTH / 4; x < WIDTH * 3 / 4; x++) {
        if (abs(x - WIDTH / 2) < WIDTH / 10) continue; /* the strip itself */
        const double here = brightness(pixels + 3 * (HEIGHT / 2 * WIDTH + x));
        least = fmin(least, here), most = fmax(most, here);
        step = fmax(step, fabs(here - brightness(pixels + 3 * (HEIGHT / 2 * WIDTH + x - 1))));
    }
    assert_true(most - least > 0.2 * most); /* there is a shadow */
    return step / (most - least);
}

/* What lies a millimetre above the ground, a hundredth of the scene, still casts a shadow in fine pictures. */
static void low_things_have_shadows(void **state) {
    (void)state;
    static sheet plate, strip;
    static picture pixels;
    const rn_look look = {.ground = {0.6, 0.6, 0.6}};
    const rn_orbit above = {.elevation = 90, .angle = -1, .zoom = 1};
    const rn_vec3 low = {0.056, 0.046, 0}, high = {0.064, 0.054, 0.001}; /* around the edge of the strip */
    const rn_camera camera = rn_camera_orbit(&above, low, high, (double)WIDTH / HEIGHT, 0);
    for (int samples = 1; samples <= 2; samples++) {
        const rn_renderer_def def = {.width = WIDTH, .height = HEIGHT, .samples = samples};
        rn_renderer *r = NULL;
        if (rn_renderer_create(&def, &r) != RN_OK) skip();
        make_plate_and_strip(&plate, &strip, 0.001f);
        assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
        assert_int_equal(rn_renderer_set_bodies(r, &strip.mesh), RN_OK);
        assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
        show("low strip", pixels);
        rn_renderer_destroy(r);
        double least = 1e9, most = 0;
        for (int x = WIDTH / 2 + 2; x < WIDTH; x++) {
            const double here = brightness(pixels + 3 * (HEIGHT / 2 * WIDTH + x));
            least = fmin(least, here), most = fmax(most, here);
        }
        print_message("beside a low strip, %d samples: brightness %.3f to %.3f\n", samples, least, most);
        assert_true(least < 0.6 * most);
    }
}

/* In fine pictures, the shadow of something high is softer than that of something low. */
static void high_things_have_soft_shadows(void **state) {
    (void)state;
    for (int es = 0; es < 2; es++) {
        const double low = steepest_step_of_shadow(es, 2, 0.012f), high = steepest_step_of_shadow(es, 2, 0.04f);
        const double sharp = steepest_step_of_shadow(es, 1, 0.04f);
        print_message("steepest step: %.2f low, %.2f high, %.2f in a picture with one sample\n", low, high, sharp);
        assert_true(high < 0.7 * low && low < 0.6 * sharp);
    }
}

/* Draws a level pool of blood, 10 mm deep, over white ground, lit but without shadows. full_depth: m, of the picture.
 */
static void draw_pool(bool es, double full_depth, const rn_camera *camera, picture pixels) {
    static sheet plate, pool;
    const rn_liquid blood = rn_liquid_blood();
    const rn_look look = {.ground = {0.6, 0.6, 0.6}, .full_depth = full_depth, .no_shadows = true};
    rn_renderer *r = open_renderer(es);
    if (!r) skip();
    sheet_make(&plate, 0, 0, 0);
    sheet_make(&pool, 0.01f, 0, 1);
    for (int i = 0; i < SIDE * SIDE; i++) pool.opacity[i] = fminf(0.01f / (float)full_depth, 1);
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, &blood, NULL), RN_OK);
    assert_int_equal(rn_renderer_draw(r, camera, &look, pixels), RN_OK);
    rn_renderer_destroy(r);
}

/* Blood mirrors the lamp at the back as a bright shape with an edge, not as a veil over the pool. */
static void a_pool_mirrors_a_lamp_with_an_edge(void **state) {
    (void)state;
    static picture pixels;
    const rn_orbit orbit = {.elevation = 38, .zoom = 1.6};
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.02};
    const rn_camera camera = rn_camera_orbit(&orbit, low, high, (double)WIDTH / HEIGHT, 0);
    for (int es = 0; es < 2; es++) {
        double most = 0, least = 1e9, step = 0;
        draw_pool(es, 0.01, &camera, pixels);
        show("pool", pixels);
        for (int y = HEIGHT / 3; y < HEIGHT * 2 / 3; y++)
            for (int x = WIDTH / 4; x < WIDTH * 3 / 4; x++) {
                const uint8_t *p = pixels + 3 * (y * WIDTH + x);
                most = fmax(most, brightness(p));
                least = fmin(least, brightness(p));
                step = fmax(step, fabs(brightness(p) - brightness(p - 9 * WIDTH))); /* three pixels above */
            }
        print_message("a pool of blood: brightness %.3f to %.3f, largest step %.3f\n", least, most, step);
        assert_true(most > 3 * least && step > 0.2 * (most - least));
    }
}

/* The farther one looks into blood, the darker its depth. */
static void depths_are_dark(void **state) {
    (void)state;
    static picture pixels;
    const rn_camera camera = from_above();
    double plain, deep, spread;
    draw_pool(false, 0.0003, &camera, pixels);
    light_in_middle(pixels, &plain, &spread);
    draw_pool(false, 0.01, &camera, pixels);
    light_in_middle(pixels, &deep, &spread);
    print_message("blood seen to a depth of 0.3 mm: %.3f, to 10 mm: %.3f\n", plain, deep);
    assert_true(deep < 0.75 * plain && deep > 0.1 * plain);
}

/* Shadows of a jet of blood on white ground are red: the pixels that are red only because of the pour, below it. */
static int red_pixels(bool no_shadows) {
    enum { NX = 24, NY = 24 };
    static sheet plate;
    static picture with, without;
    const float size = 0.1f / NX;
    rn_renderer *r = open_renderer(false);
    if (!r) skip();
    stack s = stack_make(NX, NY, 1, size, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f;
    const rn_surface_pour pour = {.at = {0.03f, 0.06f, 0.08f}, .radius = 0.002f, .rate = 6e-6f};
    const rn_surface_jets jets = {.time = 1, .tension = 5.5e-5f, .viscosity = 3.3e-6f, .pours = &pour, .pour_count = 1};
    const rn_liquid blood = rn_liquid_blood();
    const rn_surface_def surface = {.jets = &jets, .full_depth = (float)rn_liquid_full_depth(&blood)};
    buffers b = buffers_make(&s.columns, &surface);
    const rn_look look = {.ground = {0.5, 0.5, 0.5}, .no_shadows = no_shadows};
    const rn_orbit orbit = {.elevation = 60};
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.06};
    const rn_camera camera = rn_camera_orbit(&orbit, low, high, (double)WIDTH / HEIGHT, 0);
    sheet_make(&plate, 0, 0, 0);
    plate.positions[2] = -0.005f;
    assert_int_equal(rn_surface_build(&s.columns, &surface, b.scratch, b.bytes, &b.mesh), RN_OK);
    assert_true(b.mesh.triangle_count > 0);
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, without), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &b.mesh, &blood, &s.columns), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, with), RN_OK);
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const uint8_t *p = with + 3 * i, *q = without + 3 * i;
        count += p[0] > 1.3 * p[1] && q[0] < 1.2 * q[1];
    }
    show("jet", with);
    buffers_free(&b);
    stack_free(&s);
    rn_renderer_destroy(r);
    return count;
}

static void jets_cast_coloured_shadows(void **state) {
    (void)state;
    const int jet = red_pixels(true), both = red_pixels(false);
    print_message("%d red pixels without shadows, %d with them\n", jet, both);
    assert_true(jet > 20 && both > 1.5 * jet);
}

/* The edges that a row of pixels has right of a hovering square: places where brightness changes quickly. */
static int edges_right_of(const picture pixels, int y, int x) {
    int count = 0;
    bool was = true;
    for (; x < WIDTH * 3 / 4; x++) {
        const uint8_t *p = pixels + 3 * (y * WIDTH + x);
        const bool is = fabs(brightness(p + 3) - brightness(p - 3)) > 0.02;
        count += is && !was;
        was = is;
    }
    return count;
}

/* Draws the shadow of a square that hovers over ground, with a pool of a liquid, or NULL for dry ground. */
static void draw_shadow(const rn_liquid *liquid, picture pixels) {
    static sheet plate, pool;
    float square[12] = {0.02f, 0.02f, 0.035f, 0.05f, 0.02f, 0.035f, 0.05f, 0.08f, 0.035f, 0.02f, 0.08f, 0.035f};
    float up[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const rn_mesh lid = {
        .positions = square, .normals = up, .indices = corners, .vertex_count = 4, .triangle_count = 2};
    const rn_look look = {.ground = {0.6, 0.3, 0.2}, .full_depth = 0.01};
    rn_renderer *r = open_renderer(false);
    if (!r) skip();
    const rn_camera camera = from_above();
    sheet_make(&plate, 0, 0, 0);
    sheet_make(&pool, 0.01f, 0, 1);
    plate.positions[2] = -0.005f;
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_bodies(r, &lid), RN_OK);
    if (liquid) assert_int_equal(rn_renderer_set_liquid(r, &pool.mesh, liquid, NULL), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    rn_renderer_destroy(r);
}

/* On a liquid that scatters light a shadow has one edge; in a clear one it lies on the ground. */
static void milk_has_one_shadow(void **state) {
    (void)state;
    static picture pixels;
    const rn_liquid milky = {.refraction = 1.33, .scattering = {60, 60, 60}, .density = 1000};
    draw_shadow(&milky, pixels);
    show("milk", pixels);
    assert_int_equal(edges_right_of(pixels, HEIGHT / 2, WIDTH / 2 + 6), 1);
}

/* The largest part of a change of brightness, right of the hovering square, that lies between two pixels. */
static double steepest_part(const picture pixels) {
    double least = 1, most = 0, step = 0;
    for (int x = WIDTH / 2 + 6; x < WIDTH * 7 / 8; x++) {
        const uint8_t *p = pixels + 3 * (HEIGHT / 2 * WIDTH + x);
        least = fmin(least, brightness(p));
        most = fmax(most, brightness(p));
        step = fmax(step, fabs(brightness(p + 3) - brightness(p)));
    }
    return step / (most - least);
}

/* The edges of shadows on the ground are soft below clear liquid, and sharp on dry ground. */
static void shadows_below_liquid_are_soft(void **state) {
    (void)state;
    static picture dry, wet;
    const rn_liquid clear = {.refraction = 1.33, .density = 1000};
    draw_shadow(NULL, dry);
    draw_shadow(&clear, wet);
    show("shadow", wet);
    print_message("steepest part of a shadow's edge: dry %.2f, below liquid %.2f\n", steepest_part(dry),
                  steepest_part(wet));
    assert_true(steepest_part(wet) < 0.6 * steepest_part(dry));
}

/* Makes the upright side of a 3D liquid, 50 mm high, 20 mm from the southern edge. */
static void side_make(sheet *side, uint32_t ids[SIDE * SIDE]) {
    sheet_make(side, 0, 0, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const float up = 0.5f * side->positions[3 * i + 1], placed[6] = {side->positions[3 * i], 0.02f, up, 0, -1, 0};
        memcpy(side->positions + 3 * i, placed, 3 * sizeof *placed);
        memcpy(side->normals + 3 * i, placed + 3, 3 * sizeof *placed);
        ids[i] = RN_CLOSED_ID;
    }
    side->mesh.ids = ids;
}

/* Draws the side of a blue liquid over a plate, seen from the south. lid: a body; NULL: none. liquid_first: the liquid
   is set, and drawn, before there is a plate. Skips the test if nothing can be drawn. */
static void draw_side(const sheet *side, const rn_mesh *lid, bool liquid_first, const char *name, picture pixels) {
    static sheet plate;
    const rn_liquid blue = {.refraction = 1.33, .absorption = {60, 20, 4}, .density = 1000};
    const rn_look look = {.ground = {0.6, 0.6, 0.6}, .full_depth = 0.05, .no_shadows = true};
    const rn_orbit orbit = {.elevation = 12, .angle = -1, .zoom = 1.3};
    const rn_vec3 low = {0, 0, 0}, high = {0.1, 0.1, 0.05};
    rn_renderer *r = open_renderer(false);
    if (!r) skip();
    const rn_camera camera = rn_camera_orbit(&orbit, low, high, (double)WIDTH / HEIGHT, 0);
    sheet_make(&plate, 0, 0, 0);
    plate.positions[2] = -0.005f;
    if (liquid_first) {
        assert_int_equal(rn_renderer_set_liquid(r, &side->mesh, &blue, NULL), RN_OK);
        assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    }
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    if (lid) assert_int_equal(rn_renderer_set_bodies(r, lid), RN_OK);
    if (!liquid_first) assert_int_equal(rn_renderer_set_liquid(r, &side->mesh, &blue, NULL), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    show(name, pixels);
    rn_renderer_destroy(r);
}

/* A body of wood in a blue 3D liquid is seen through its upright side, which elsewhere is a lens and shows no ground.
   It is seen once: the thinner liquid before the body does not show on the side. */
static void a_body_is_seen_through_an_upright_side(void **state) {
    (void)state;
    static sheet side;
    static picture pixels;
    static uint32_t ids[SIDE * SIDE];
    float square[12] = {0.04f, 0.03f, 0.015f, 0.06f, 0.03f, 0.015f, 0.06f, 0.03f, 0.035f, 0.04f, 0.03f, 0.035f};
    float out[12] = {0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0};
    uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const rn_mesh lid = {
        .positions = square, .normals = out, .indices = corners, .vertex_count = 4, .triangle_count = 2};
    side_make(&side, ids);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (i % SIDE > SIDE * 3 / 4) side.opacity[i] = 0.2f;
    draw_side(&side, &lid, false, "side", pixels);
    const uint8_t *row = pixels + 3 * (HEIGHT * 5 / 8 * WIDTH);
    const double body = brightness(row + 3 * (WIDTH / 2)), beside = brightness(row + 3 * (WIDTH / 8));
    const double thin = brightness(row + 3 * (WIDTH * 7 / 8));
    print_message("wood in a blue liquid has the brightness %.3f, the liquid beside it %.3f and %.3f\n", body, beside,
                  thin);
    assert_true(body < 1.2 * beside && fabs(body - beside) > 0.001);
    assert_true(fabs(thin - beside) < 0.1 * beside);
}

/* Whether the side of a 3D liquid is brighter near its top, because light comes from above. */
static void assert_light_fades(const char *name, const picture pixels) {
    const double top = brightness(pixels + 3 * (HEIGHT * 3 / 8 * WIDTH + WIDTH / 2));
    const double foot = brightness(pixels + 3 * (HEIGHT * 5 / 8 * WIDTH + WIDTH / 2));
    print_message("%s: the brightness is %.3f near its top, %.3f below\n", name, top, foot);
    assert_true(top > 1.1 * foot);
}

/* Light fades on its way down, also if the liquid was set without columns, and drawn, before there was a ground. */
static void light_fades_on_the_way_down(void **state) {
    (void)state;
    static sheet side;
    static picture pixels;
    static uint32_t ids[SIDE * SIDE];
    side_make(&side, ids);
    draw_side(&side, NULL, false, "side alone", pixels);
    assert_light_fades("side alone", pixels);
    draw_side(&side, NULL, true, "side before ground", pixels);
    assert_light_fades("side before ground", pixels);
}

/* A thin sheet of a 3D liquid over dark ground is clear at rest, and white with air if it is fast. */
static void fast_sheets_are_white(void **state) {
    (void)state;
    static sheet plate, thin;
    static picture pixels;
    static uint32_t ids[SIDE * SIDE];
    static float velocities[3 * SIDE * SIDE];
    const rn_liquid clear = {.refraction = 1.33, .absorption = {60, 20, 4}, .density = 1000};
    const rn_look look = {.ground = {0.05, 0.05, 0.05}, .full_depth = 0.05, .no_shadows = true};
    double mean[2], spread;
    rn_renderer *r = open_renderer(false);
    if (!r) skip();
    const rn_camera camera = from_above();
    sheet_make(&plate, 0, 0, 0);
    plate.positions[2] = -0.005f;
    sheet_make(&thin, 0.02f, 0, 0.01f);
    for (int i = 0; i < SIDE * SIDE; i++) ids[i] = RN_CLOSED_ID;
    thin.mesh.ids = ids;
    thin.mesh.velocities = velocities;
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    for (int fast = 0; fast < 2; fast++) {
        for (int i = 0; i < SIDE * SIDE; i++) velocities[3 * i] = fast ? 3.0f : 0.0f;
        assert_int_equal(rn_renderer_set_liquid(r, &thin.mesh, &clear, NULL), RN_OK);
        assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
        show(fast ? "fast sheet" : "sheet at rest", pixels);
        light_in_middle(pixels, &mean[fast], &spread);
    }
    rn_renderer_destroy(r);
    print_message("a thin sheet has the brightness %.3f at rest, %.3f if it is fast\n", mean[0], mean[1]);
    assert_true(mean[1] > 1.2 * mean[0]);
}

/* Half of a 3D liquid, seen from above, is deep and blue, and a thin part hovers over all of it: it has no own colour,
   and the blue liquid shows through. */
static void liquid_shows_through_drops(void **state) {
    (void)state;
    static sheet plate, deep;
    static picture pixels;
    static uint32_t ids[SIDE * SIDE];
    const rn_liquid blue = {.refraction = 1.33, .absorption = {60, 20, 4}, .density = 1000};
    const rn_look look = {.ground = {0.6, 0.6, 0.6}, .full_depth = 0.05, .no_shadows = true};
    rn_renderer *r = open_renderer(false);
    if (!r) skip();
    const rn_camera camera = from_above();
    sheet_make(&plate, 0, 0, 0);
    plate.positions[2] = -0.005f;
    sheet_make(&deep, 0.02f, 0, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        ids[i] = RN_CLOSED_ID;
        const bool above = i / SIDE > SIDE / 2; /* over the western half of the deep part */
        if (above) deep.positions[3 * i + 1] = 0.1f - deep.positions[3 * i + 1], deep.positions[3 * i + 2] = 0.03f;
        if (above) deep.positions[3 * i] *= 0.5f, deep.opacity[i] = 1e-4f;
    }
    deep.mesh.ids = ids;
    for (size_t t = deep.mesh.triangle_count / 2; t < deep.mesh.triangle_count; t++) { /* mirrored: turned round */
        const uint32_t second = deep.indices[3 * t + 1];
        deep.indices[3 * t + 1] = deep.indices[3 * t + 2];
        deep.indices[3 * t + 2] = second;
    }
    assert_int_equal(rn_renderer_set_ground(r, &plate.mesh), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &deep.mesh, &blue, NULL), RN_OK);
    assert_int_equal(rn_renderer_draw(r, &camera, &look, pixels), RN_OK);
    show("drops", pixels);
    rn_renderer_destroy(r);
    const uint8_t *row = pixels + 3 * (HEIGHT * 5 / 8 * WIDTH);
    const double below = brightness(row + 3 * (WIDTH * 3 / 8)), beside = brightness(row + 3 * (WIDTH * 5 / 8));
    print_message("deep liquid has the brightness %.3f below thin liquid, %.3f beside it\n", below, beside);
    assert_true(fabs(below - beside) < 0.3 * beside);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jets_cast_coloured_shadows),
        cmocka_unit_test(milk_has_one_shadow),
        cmocka_unit_test(shadows_below_liquid_are_soft),
        cmocka_unit_test(a_pool_mirrors_a_lamp_with_an_edge),
        cmocka_unit_test(depths_are_dark),
        cmocka_unit_test(waves_focus_light),
        cmocka_unit_test(films_have_no_dark_rims),
        cmocka_unit_test(low_things_have_shadows),
        cmocka_unit_test(high_things_have_soft_shadows),
        cmocka_unit_test(liquid_shows_through_drops),
        cmocka_unit_test(a_body_is_seen_through_an_upright_side),
        cmocka_unit_test(light_fades_on_the_way_down),
        cmocka_unit_test(fast_sheets_are_white),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
