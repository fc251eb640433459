/* Pictures of falling liquid, measured: no slats, no holes, no specks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "surface_meshes.h"

#include <math.h>
#include <runnel/runnel.h>

enum { WIDTH = 200, HEIGHT = 200, NX = 12, NY = 24 };
typedef uint8_t picture[3 * WIDTH * HEIGHT];
static const float cell = 0.0005f;

static bool is_red(const uint8_t *p) { return p[0] > 40 && p[0] > 1.6 * p[1]; }

/* A floor, and a thick ledge over its western half, `high` cells up, with a film of blood on it that flows east at
   `speed` (m/s). */
static stack film_on_ledge(float high, float depth, float speed) {
    stack s = stack_make(NX, NY, 2, cell, 10.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const size_t low = stack_slot(&s, 0, y, x), top = stack_slot(&s, 1, y, x);
            const bool wet = x < 6 && y > 5 && y < NY - 6;
            s.base[low] = 0.0f;
            s.ceil[low] = x < 6 ? cell : 10.0f;
            if (x >= 6) continue;
            s.base[top] = high * cell + (wet ? 0.0f : 4.0f * cell);
            s.ceil[top] = 10.0f;
            s.depth[top] = wet ? depth : 0.0f;
            s.flux_x[top] = wet ? speed * depth * cell : 0.0f;
        }
    return s;
}

/* Draws the liquid of some columns, seen from the east, in front of a wall of this height (cells); false if nothing can
   be drawn here. */
static bool draw_before(float height, const stack *s, const rn_surface_jets *jets, const rn_liquid *liquid,
                        const rn_look *look, picture pixels) {
    rn_renderer_def def = rn_renderer_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = 2;
    rn_renderer *r = NULL;
    if (rn_renderer_create(&def, &r) != RN_OK) return false;
    const float size = s->columns.cell_size;
    const rn_surface_def surface = {.jets = jets, .full_depth = (float)rn_liquid_full_depth(liquid)};
    buffers b = buffers_make(&s->columns, &surface);
    assert_int_equal(rn_surface_build(&s->columns, &surface, b.scratch, b.bytes, &b.mesh), RN_OK);
    const float x = 5.5f * size, wide = NY * size, tall = 40.0f * size, top = height * size;
    float wall[12] = {x, 0, 0, x, wide, 0, x, wide, top, x, 0, top}, normals[12] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    const rn_mesh ground = {
        .positions = wall, .normals = normals, .indices = corners, .vertex_count = 4, .triangle_count = 2};
    assert_int_equal(rn_renderer_set_ground(r, &ground), RN_OK);
    assert_int_equal(rn_renderer_set_liquid(r, &b.mesh, liquid, &s->columns), RN_OK);
    const rn_orbit east = {.azimuth = 90, .elevation = 8};
    const rn_vec3 low = {0, 0, 0}, high = {NX * (double)size, (double)wide, (double)tall};
    const rn_camera camera = rn_camera_orbit(&east, low, high, 1, 0);
    assert_int_equal(rn_renderer_draw(r, &camera, look, pixels), RN_OK);
    buffers_free(&b);
    rn_renderer_destroy(r);
    return true;
}

/* The same in front of a wall that is 40 cells high. */
static bool draw_liquid(const stack *s, const rn_surface_jets *jets, const rn_liquid *liquid, const rn_look *look,
                        picture pixels) {
    return draw_before(40.0f, s, jets, liquid, look, pixels);
}

/* The same for blood in front of a white wall. */
static bool draw(const stack *s, const rn_surface_jets *jets, picture pixels) {
    const rn_liquid blood = rn_liquid_blood();
    const rn_look look = {
        .ground = {0.8, 0.8, 0.8}, .time = jets ? jets->time : 0.31, .no_shadows = true}; /* shadows are red too */
    return draw_liquid(s, jets, &blood, &look, pixels);
}

/* The red stretches of a row of pixels; *wide: the longest. */
static int stretches(const uint8_t *row, int *wide) {
    int count = 0, run = 0;
    *wide = 0;
    for (int x = 0; x < WIDTH; x++) {
        run = is_red(row + 3 * x) ? run + 1 : 0;
        count += run == 1;
        *wide = run > *wide ? run : *wide;
    }
    return count;
}

/* The first and last rows of pixels with red ones. */
static void red_rows(const picture pixels, int *first, int *last) {
    int wide;
    for (*first = 0; *first < HEIGHT && !stretches(pixels + 3 * WIDTH * *first, &wide);) (*first)++;
    for (*last = HEIGHT - 1; *last > 0 && !stretches(pixels + 3 * WIDTH * *last, &wide);) (*last)--;
}

static int specks(const picture pixels) {
    int count = 0;
    for (int y = 1; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) {
            int around = 0, own = 0;
            for (int k = 0; k < 9; k++) {
                const uint8_t *p = pixels + 3 * ((y + k / 3 - 1) * WIDTH + x + k % 3 - 1);
                const int light = p[0] + p[1] + p[2];
                if (k == 4) own = light;
                else around = light > around ? light : around;
            }
            count += own > around + 60;
        }
    return count;
}

/* A slow film runs down the wall as one stream: no slats beside each other, no gaps in it, no specks on it. */
static void a_slow_film_is_one_stream(void **state) {
    (void)state;
    static picture pixels;
    stack s = film_on_ledge(30.0f, 0.4f * cell, 0.02f);
    const rn_surface_jets jets = {.time = 0.31, .tension = 5.5e-5f, .viscosity = 3.3e-6f};
    if (!draw(&s, &jets, pixels)) skip();
    int first, last, wide;
    red_rows(pixels, &first, &last);
    assert_true(last - first > HEIGHT / 3);
    for (int y = first + (last - first) / 4; y < last - (last - first) / 5; y++) { /* above the drop at its end */
        assert_int_equal(stretches(pixels + 3 * WIDTH * y, &wide), 1);
        assert_in_range(wide, 2, WIDTH / 8);
    }
    assert_in_range(specks(pixels), 0, 3);
    stack_free(&s);
}

/* A rivulet of coffee on a dark wall is as dark as coffee on it, and no lens that shows the lamps. */
static void a_rivulet_is_no_lens(void **state) {
    (void)state;
    static picture pixels;
    stack s = film_on_ledge(30.0f, 0.4f * cell, 0.02f);
    const rn_liquid coffee = {.refraction = 1.33, .absorption = {330, 760, 1600}, .density = 1000};
    const rn_surface_jets jets = {.time = 0.31, .tension = 5.5e-5f, .viscosity = 3.3e-6f};
    const rn_look look = {.ground = {0.1, 0.1, 0.1}, .time = 0.31, .no_shadows = true};
    if (!draw_liquid(&s, &jets, &coffee, &look, pixels)) skip();
    int brighter = 0;
    for (int y = HEIGHT * 2 / 5; y < HEIGHT * 3 / 5; y++) {
        const uint8_t *row = pixels + 3 * WIDTH * y, *wall = row + 3 * (WIDTH / 2 - 20);
        for (int x = WIDTH / 2 - 8; x < WIDTH / 2 + 8; x++) brighter += row[3 * x] > wall[0] + 12;
    }
    print_message("%d pixels of a rivulet are brighter than the wall\n", brighter);
    assert_true(brighter < HEIGHT / 3); /* its highlight */
    stack_free(&s);
}

/* A fast, deep one is a sheet without holes, as wide as its ledge at first. */
static void a_fast_one_is_a_sheet_without_holes(void **state) {
    (void)state;
    static picture pixels;
    stack s = film_on_ledge(30.0f, 2.0f * cell, 0.6f);
    const rn_surface_jets jets = {.time = 0.31, .tension = 5.5e-5f, .viscosity = 3.3e-6f};
    if (!draw(&s, &jets, pixels)) skip();
    int first, last, wide;
    red_rows(pixels, &first, &last);
    for (int y = first + 2; y < first + (last - first) / 4; y++) {
        assert_int_equal(stretches(pixels + 3 * WIDTH * y, &wide), 1);
        assert_true(wide > WIDTH / 6);
    }
    assert_in_range(specks(pixels), 0, 3);
    stack_free(&s);
}

/* The foot of a sheet is no hard line: the red fades over several rows of pixels. */
static void a_sheet_fades_at_its_foot(void **state) {
    (void)state;
    static picture pixels;
    stack s = film_on_ledge(30.0f, 2.0f * cell, 0.6f);
    const rn_surface_jets jets = {.time = 0.31, .tension = 5.5e-5f, .viscosity = 3.3e-6f};
    if (!draw(&s, &jets, pixels)) skip();
    double red[HEIGHT] = {0}, most = 0, step = 0;
    for (int y = HEIGHT / 2; y < HEIGHT; y++)
        for (int x = WIDTH / 2 - 10; x < WIDTH / 2 + 10; x++) {
            const uint8_t *p = pixels + 3 * (y * WIDTH + x);
            red[y] += (p[0] - p[1]) / 20.0;
        }
    for (int y = HEIGHT / 2; y + 1 < HEIGHT; y++) {
        most = fmax(most, red[y]);
        step = fmax(step, red[y] - red[y + 1]);
    }
    print_message("the red of a sheet, %.0f, falls by at most %.0f from row to row\n", most, step);
    assert_true(most > 40.0 && step < 0.25 * most);
    stack_free(&s);
}

/* A film on a steep, rounded and rough wall is smooth: no slats, which are stripes darker than both sides of them. */
static void a_film_on_a_steep_wall_has_no_slats(void **state) {
    (void)state;
    static picture pixels;
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            const float aside = (float)y + 0.5f - 0.5f * NY;
            const size_t slot = stack_slot(&s, 0, y, x);
            s.base[slot] =
                fmaxf(5.0f * (float)(NX - 1 - x) - 0.3f * aside * aside + 2.0f * (float)(y & 1), 0.0f) * cell;
            s.ceil[slot] = 10.0f;
            s.depth[slot] = x > 5 && x < NX - 1 && fabsf(aside) < 5.0f ? 0.5f * cell : 0.0f;
        }
    if (!draw(&s, NULL, pixels)) skip();
    int first, last, slats = 0, rows = 0;
    red_rows(pixels, &first, &last);
    for (int y = first + (last - first) / 3; y < last - (last - first) / 3; y++, rows++)
        for (int x = 2; x < WIDTH - 2; x++) {
            const uint8_t *p = pixels + 3 * (y * WIDTH + x);
            const bool inside = is_red(p - 6) && is_red(p) && is_red(p + 6);
            slats += inside && p[0] + 6 < p[-6] && p[0] + 6 < p[6];
        }
    print_message("%d dark stripes in %d rows\n", slats, rows);
    assert_true(rows > HEIGHT / 20);
    assert_true(slats < rows / 4);
    stack_free(&s);
}

/* The mean light (0 to 255) in the middle of a pour of water from 30 cells up on a pond, 3 cells in radius, in front of
   a black wall outdoors. Below 0: nothing can be drawn here. */
static double light_of_pour(float size) {
    static picture pixels;
    stack s = stack_make(NX, NY, 1, size, 1000.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 1000.0f, s.depth[i] = size;
    const float radius = 3.0f * size, speed = sqrtf(9.81f * size);
    const rn_surface_pour pour = {
        .at = {9.0f * size, 12.0f * size, 30.0f * size}, .radius = radius, .rate = 3.14159f * radius * radius * speed};
    const rn_surface_jets jets = {.time = 0.31, .viscosity = 1e-6f, .pours = &pour, .pour_count = 1};
    const rn_liquid water = rn_liquid_water();
    const rn_look look = {.ground = {0.01, 0.01, 0.01}, .time = 0.31, .outdoors = true};
    const bool drawn = draw_liquid(&s, &jets, &water, &look, pixels);
    double sum = 0.0;
    for (int y = HEIGHT / 2; y < HEIGHT / 2 + 20; y++)
        for (int x = WIDTH / 2 - 3; x < WIDTH / 2 + 3; x++) sum += pixels[3 * (y * WIDTH + x) + 1] / 120.0;
    stack_free(&s);
    return drawn ? sum : -1.0;
}

/* A pour as wide as a house is white with air; one as thin as a pencil is clear. */
static void wide_pours_are_white(void **state) {
    (void)state;
    const double wide = light_of_pour(1.0f), thin = light_of_pour(0.001f);
    if (wide < 0.0) skip();
    print_message("light of a wide pour %.0f, of a thin one %.0f\n", wide, thin);
    assert_true(wide > 140.0 && wide > 1.5 * thin);
}

/* The largest step in the light (0 to 765) along the middle of a jet of a liquid from 30 cells up, in front of a white
   wall that ends halfway up and a dark backdrop. Below 0: nothing can be drawn here. */
static int largest_step(const rn_liquid *liquid) {
    static picture pixels;
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f, s.depth[i] = cell;
    const rn_surface_pour pour = {
        .at = {9.0f * cell, 12.0f * cell, 35.0f * cell}, .radius = 1.5f * cell, .rate = 1.5e-6f};
    const rn_surface_jets jets = {
        .time = 0.31, .tension = 5.5e-5f, .viscosity = 1e-3f, .pours = &pour, .pour_count = 1};
    const rn_look look = {.ground = {0.8, 0.8, 0.8}, .backdrop = {0.01, 0.01, 0.01}, .time = 0.31, .no_shadows = true};
    const bool drawn = draw_before(15.0f, &s, &jets, liquid, &look, pixels);
    int largest = 0;
    for (int y = HEIGHT / 3; y < HEIGHT * 2 / 3; y++) {
        int sums[2] = {0, 0}, k = 0;
        for (int row = y; row <= y + 4; row += 4, k++)
            for (int i = 0; i < 3; i++) sums[k] += pixels[3 * (row * WIDTH + WIDTH / 2) + i];
        largest = abs(sums[1] - sums[0]) > largest ? abs(sums[1] - sums[0]) : largest;
    }
    stack_free(&s);
    return drawn ? largest : -1;
}

/* A jet of blood in front of a black wall has a highlight along its length. */
static void jets_have_a_highlight(void **state) {
    (void)state;
    static picture pixels;
    const rn_liquid blood = rn_liquid_blood();
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f, s.depth[i] = cell;
    const rn_surface_pour pour = {
        .at = {9.0f * cell, 12.0f * cell, 35.0f * cell}, .radius = 2.0f * cell, .rate = 1.5e-6f};
    const rn_surface_jets jets = {.time = 0.31, .viscosity = 1e-3f, .pours = &pour, .pour_count = 1};
    const rn_look look = {.ground = {0.01, 0.01, 0.01}, .backdrop = {0.01, 0.01, 0.01}, .no_shadows = true};
    if (!draw_liquid(&s, &jets, &blood, &look, pixels)) skip();
    int rows = 0, shiny = 0;
    for (int y = HEIGHT / 3; y < HEIGHT * 2 / 3; y++, rows++) {
        int most = 0;
        for (int x = WIDTH / 3; x < WIDTH * 2 / 3; x++) {
            const int green = pixels[3 * (y * WIDTH + x) + 1];
            most = green > most ? green : most;
        }
        shiny += most > 90;
    }
    print_message("%d of %d rows of a jet of blood have a highlight\n", shiny, rows);
    assert_true(shiny > rows * 3 / 4);
    stack_free(&s);
}

/* The top of a pour of blood in the air, in front of a white wall, fades in over many rows: no edge across it. */
static void a_pour_comes_out_of_nothing(void **state) {
    (void)state;
    static picture pixels;
    stack s = stack_make(NX, NY, 1, cell, 10.0f);
    for (size_t i = 0; i < NX * NY; i++) s.base[i] = 0.0f, s.ceil[i] = 10.0f, s.depth[i] = cell;
    const rn_surface_pour pour = {
        .at = {9.0f * cell, 12.0f * cell, 30.0f * cell}, .radius = 2.0f * cell, .rate = 1.5e-6f};
    const rn_surface_jets jets = {.time = 0.31, .viscosity = 1e-3f, .pours = &pour, .pour_count = 1};
    if (!draw(&s, &jets, pixels)) skip();
    double largest = 0, before = 0, most = 0;
    for (int y = 0; y < HEIGHT / 2; y++) {
        double row = 0; /* how much the middle of the jet differs from the wall beside it */
        for (int x = WIDTH / 2 - 3; x < WIDTH / 2 + 3; x++)
            row += abs(pixels[3 * (y * WIDTH + x) + 1] - pixels[3 * (y * WIDTH + WIDTH / 4) + 1]) / 6.0;
        if (y > 0) largest = fmax(largest, fabs(row - before));
        most = fmax(most, row);
        before = row;
    }
    print_message("largest step from row to row at the top of a pour %.0f of %.0f\n", largest, most);
    assert_true(most > 100 && largest < 0.15 * most);
    stack_free(&s);
}

/* The mean light (0 to 255) of the falling part of a sheet of water outdoors in front of a black wall; everything is
   `scale` times as large, and falls with the same gravity. Below 0: nothing can be drawn here. */
static double light_of_sheet(float scale) {
    static picture pixels;
    const rn_liquid water = rn_liquid_water();
    const rn_look look = {.ground = {0.01, 0.01, 0.01}, .time = 0.31, .outdoors = true};
    stack s = film_on_ledge(30.0f, 2.0f * cell, 0.2f * sqrtf(scale));
    s.columns.cell_size *= scale;
    for (size_t i = 0; i < 2 * NX * NY; i++) {
        s.base[i] *= scale;
        s.ceil[i] *= scale;
        s.depth[i] *= scale;
        s.flux_x[i] *= scale * scale;
    }
    const bool drawn = draw_liquid(&s, NULL, &water, &look, pixels);
    double sum = 0;
    for (int y = HEIGHT / 2; y < HEIGHT / 2 + 20; y++)
        for (int x = WIDTH / 2 - 10; x < WIDTH / 2 + 10; x++) sum += pixels[3 * (y * WIDTH + x) + 1] / 400.0;
    stack_free(&s);
    return drawn ? sum : -1;
}

/* A fall of 15 mm takes in no air and is clear; one of 2.4 m is white. */
static void small_falls_are_clear(void **state) {
    (void)state;
    const double small = light_of_sheet(1), large = light_of_sheet(160);
    if (small < 0) skip();
    print_message("light of a small fall %.0f, of a large one %.0f\n", small, large);
    assert_true(large > 1.3 * small);
}

/* The largest step in the mean light (0 to 765) of ten pixels beside each other down a fast, deep sheet of honey, in
   front of a white wall that ends halfway up. Below 0: nothing can be drawn here. */
static double largest_step_of_sheet(void) {
    static picture pixels;
    rn_liquid honey;
    assert_true(rn_liquid_find("honey", &honey));
    stack s = film_on_ledge(30.0f, 2.0f * cell, 0.6f);
    const rn_surface_jets jets = {.time = 0.31, .tension = 5.5e-5f, .viscosity = 1e-3f};
    const rn_look look = {.ground = {0.8, 0.8, 0.8}, .backdrop = {0.01, 0.01, 0.01}, .time = 0.31, .no_shadows = true};
    const bool drawn = draw_before(12.0f, &s, &jets, &honey, &look, pixels);
    double largest = 0;
    for (int y = HEIGHT * 2 / 5; y < HEIGHT * 2 / 3; y++) {
        double sums[2] = {0, 0};
        for (int i = 0; i < 60; i++)
            sums[i / 30] += pixels[3 * ((y + i / 30 * 3) * WIDTH + WIDTH / 2 - 5) + i % 30] / 10.0;
        largest = fmax(largest, fabs(sums[1] - sums[0]));
    }
    stack_free(&s);
    return drawn ? largest : -1;
}

/* A coloured sheet looks the same in front of a bright wall and of a dark backdrop. */
static void a_sheet_has_one_colour(void **state) {
    (void)state;
    const double step = largest_step_of_sheet();
    if (step < 0) skip();
    print_message("largest step down a sheet of honey %.0f\n", step);
    assert_true(step < 40.0);
}

/* A coloured jet has one colour in front of a bright wall and of a dark backdrop; one of water shows what is behind. */
static void a_jet_has_one_colour(void **state) {
    (void)state;
    const rn_liquid water = rn_liquid_water(), blood = rn_liquid_blood();
    rn_liquid honey;
    assert_true(rn_liquid_find("honey", &honey));
    const int clear = largest_step(&water), red = largest_step(&blood), golden = largest_step(&honey);
    if (clear < 0) skip();
    print_message("largest step along a jet of water %d, of blood %d, of honey %d\n", clear, red, golden);
    assert_true(clear > 150 && red < 25 && golden < 25);
}

/* A fast sheet falls into a pool, seen from the side of the pool: rings of waves run through the pool. */
static void rings_run_through_the_pool(void **state) {
    (void)state;
    static picture early, late;
    const rn_liquid blood = rn_liquid_blood();
    rn_look look = {.ground = {0.8, 0.8, 0.8}, .time = 0.31, .no_shadows = true};
    stack s = film_on_ledge(30.0f, 2.0f * cell, 0.4f);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) { /* the pool goes on below the ledge */
            const size_t low = stack_slot(&s, 0, y, x);
            s.depth[low] = 6.0f * cell;
            if (x < 6) s.ceil[low] = 10.0f * cell;
        }
    s.columns.gravity = 100.0f; /* m/s^2, so that it falls fast from a low ledge */
    if (!draw_liquid(&s, NULL, &blood, &look, early)) skip();
    look.time += 0.006; /* half a period */
    assert_true(draw_liquid(&s, NULL, &blood, &look, late));
    int first, last, different = 0;
    red_rows(early, &first, &last);
    for (int y = last - HEIGHT / 40; y <= last; y++) /* the pool, in front of the sheet, which moves too */
        for (int x = 0; x < WIDTH; x++) {
            const size_t at = 3 * (size_t)(y * WIDTH + x);
            different += abs(early[at] - late[at]) > 2;
        }
    print_message("%d pixels of the pool change, in %d rows\n", different, HEIGHT / 40 + 1);
    assert_true(different > WIDTH / 4);
    stack_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_film_is_one_stream),
        cmocka_unit_test(a_rivulet_is_no_lens),
        cmocka_unit_test(a_fast_one_is_a_sheet_without_holes),
        cmocka_unit_test(a_film_on_a_steep_wall_has_no_slats),
        cmocka_unit_test(wide_pours_are_white),
        cmocka_unit_test(rings_run_through_the_pool),
        cmocka_unit_test(a_jet_has_one_colour),
        cmocka_unit_test(jets_have_a_highlight),
        cmocka_unit_test(a_pour_comes_out_of_nothing),
        cmocka_unit_test(small_falls_are_clear),
        cmocka_unit_test(a_sheet_fades_at_its_foot),
        cmocka_unit_test(a_sheet_has_one_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
