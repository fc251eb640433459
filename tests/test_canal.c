/* The adaptive 1D solver of app/physics/canal.c: what it keeps, how fast its waves run, and what jumps of resolution do
   to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/adaptive.h"
#include "physics/physics.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { CELLS = 96 };

/* Sizes of one kind of canal: even cells, one jump of 2:1, jumps to and fro, and no order at all. */
static canal make(int kind, canal_gradient by) {
    double sizes[CELLS];
    uint32_t seed = 5;
    for (int i = 0; i < CELLS; i++) {
        const double order[4] = {1.0, i < 48 ? 1.0 : 2.0, i / 12 % 2 ? 2.0 : 1.0, 0.5 + random_unit(&seed)};
        sizes[i] = order[kind];
    }
    return canal_create(
        &(canal_def){.cells = CELLS, .sizes = sizes, .gravity = GRAVITY, .smoothing = 1.05, .packets = 2, .by = by});
}

static void stir(canal *c) {
    uint32_t seed = 9;
    for (int i = 0; i < CELLS; i++) {
        c->h[i] = 1.0 + 0.3 * random_unit(&seed);
        c->u[i] = random_unit(&seed) - 0.5;
    }
}

/* Parabolas and other gradients of a level are 0, and the exchange of equal depths is none. */
static void level_water_rests(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int by = 0; by < 3; by++) {
            canal c = make(kind, (canal_gradient)by);
            for (int i = 0; i < CELLS; i++) c.h[i] = 0.7;
            for (int k = 0; k < 1000; k++) canal_step(&c, 0.05);
            for (int i = 0; i < CELLS; i++) assert_true(c.h[i] == 0.7 && c.u[i] == 0.0);
            canal_free(&c);
        }
}

static void volume_stays(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        canal c = make(kind, CANAL_PARABOLA);
        stir(&c);
        const double before = canal_volume(&c);
        for (int k = 0; k < 4000; k++) canal_step(&c, 0.05);
        assert_true(fabs(canal_volume(&c) / before - 1.0) < 1e-13);
        canal_free(&c);
    }
}

/* Packets carry momentum from cell to cell and lose none. Without gravity nothing else acts. */
static void packets_keep_momentum(void **state) {
    (void)state;
    canal c = make(3, CANAL_PARABOLA);
    c.def.gravity = 0.0;
    stir(&c);
    const double before = canal_momentum(&c);
    for (int k = 0; k < 100; k++) canal_step(&c, 0.05);
    assert_true(fabs(canal_momentum(&c) - before) < 1e-12);
    canal_free(&c);
}

/* A canal and its mirror image. */
static void left_and_right_are_alike(void **state) {
    (void)state;
    canal c = make(1, CANAL_PARABOLA), other = make(1, CANAL_PARABOLA);
    double sizes[CELLS];
    for (int i = 0; i < CELLS; i++) sizes[i] = c.size[CELLS - 1 - i];
    canal_def def = c.def;
    def.sizes = sizes;
    canal_free(&other);
    other = canal_create(&def);
    stir(&c);
    for (int i = 0; i < CELLS; i++) {
        other.h[i] = c.h[CELLS - 1 - i];
        other.u[i] = -c.u[CELLS - 1 - i];
    }
    for (int k = 0; k < 200; k++) {
        canal_step(&c, 0.05);
        canal_step(&other, 0.05);
    }
    for (int i = 0; i < CELLS; i++) {
        assert_true(fabs(other.h[i] - c.h[CELLS - 1 - i]) < 1e-9);
        assert_true(fabs(other.u[i] + c.u[CELLS - 1 - i]) < 1e-9);
    }
    canal_free(&c);
    canal_free(&other);
}

/* The paper's two cases, a cell beside a larger one and beside a smaller one: a parabola has the exact gradient of any
   parabola, those of Losasso et al. not even of a line. A step from rest gives -g dt times the gradient. */
static void parabolas_are_exact_for_parabolas(void **state) {
    (void)state;
    for (canal_gradient by = CANAL_PARABOLA; by <= CANAL_LOSASSO; by++) {
        canal c = make(1, by);
        double worst = 0.0;
        c.def.smoothing = 1.0;
        for (int i = 0; i < CELLS; i++) c.h[i] = 1.0 + 1e-3 * c.middle[i] + 1e-5 * c.middle[i] * c.middle[i];
        canal_step(&c, 0.01);
        for (int i = 44; i < 52; i++)
            worst = fmax(worst, fabs(c.u[i] / (-0.01 * GRAVITY * (1e-3 + 2e-5 * c.middle[i])) - 1.0));
        assert_true(by == CANAL_PARABOLA ? worst < 1e-12 : worst > 0.1);
        canal_free(&c);
    }
}

/* Long waves run at sqrt(gh) in both kinds of cells. */
static void waves_have_their_speed(void **state) {
    (void)state;
    canal c = train_create(CANAL_PARABOLA, 128.0);
    double before = 0.0, weight = 0.0, after = 0.0;
    for (int i = 0; i < c.def.cells; i++) {
        const double square = c.size[i] * (c.h[i] - 1.0) * (c.h[i] - 1.0);
        before += square * c.middle[i], weight += square;
    }
    before /= weight;
    train_run(&c, 700.0);
    weight = 0.0;
    for (int i = 0; i < c.def.cells; i++) {
        const double square = c.size[i] * (c.h[i] - 1.0) * (c.h[i] - 1.0);
        after += square * c.middle[i], weight += square;
    }
    assert_true(fabs((after / weight - before) / 700.0 - 1.0) < 0.01);
    canal_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_water_rests),
        cmocka_unit_test(volume_stays),
        cmocka_unit_test(packets_keep_momentum),
        cmocka_unit_test(left_and_right_are_alike),
        cmocka_unit_test(parabolas_are_exact_for_parabolas),
        cmocka_unit_test(waves_have_their_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
