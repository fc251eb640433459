/* The evaluation that section 6 of Lee & O'Sullivan 2007 asks for, with the plain loops of app/physics/collocated.c:
   ways to move shallow water and to push it, side by side. Run by itself it prints the table of docs/packets.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/collocated.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

enum { CELLS = 48 };

/* What a way comes to. */
typedef struct found {
    double turn;   /* share of its angular momentum that a whirl keeps for 75 s */
    double volume; /* %, by which its volume changes meanwhile */
    double wave;   /* speed of a small standing wave of 48 cells, over sqrt(gh) */
    double kept;   /* share of its height that the wave keeps over two periods */
    double zigzag; /* share of a checkerboard of 1 % of the depth that is left after 200 steps */
} found;

static void whirl(const lab_def *def, found *f) {
    lab l = lab_create(def);
    const double at = def->staggered ? 0.0 : 0.5;
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++) {
            l.h[y * CELLS + x] = 1.0;
            l.u[y * CELLS + x] = -0.8 * sin(PI * (x + at) / CELLS) * cos(PI * (y + 0.5) / CELLS);
            l.v[y * CELLS + x] = 0.8 * cos(PI * (x + 0.5) / CELLS) * sin(PI * (y + at) / CELLS);
        }
    const double turn = lab_turn(&l), volume = lab_volume(&l);
    for (int i = 0; i < 500; i++) lab_step(&l, 0.15);
    f->turn = lab_turn(&l) / turn;
    f->volume = 100.0 * (lab_volume(&l) / volume - 1.0);
    lab_free(&l);
}

static void wave(lab_def def, found *f) {
    enum { CROSSINGS = 5 };
    def.periodic = true;
    lab l = lab_create(&def);
    for (int i = 0; i < CELLS * CELLS; i++) l.h[i] = 1.0 + 1e-3 * cos(2.0 * PI * (i % CELLS + 0.5) / CELLS);
    double crossing[CROSSINGS] = {0}, before = 1.0, most = 0.0, last = 0.0, first = 1.0;
    const double dt = 0.1;
    int count = 0;
    for (int step = 1; count < CROSSINGS && step < 2000; step++) {
        lab_step(&l, dt);
        double mode = 0.0;
        for (int x = 0; x < CELLS; x++) mode += (l.h[x] - 1.0) * cos(2.0 * PI * (x + 0.5) / CELLS) * 2e3 / CELLS;
        most = fmax(most, fabs(mode));
        if ((mode > 0.0) != (before > 0.0)) {
            if (count == 0) first = most;
            last = most, most = 0.0;
            crossing[count++] = dt * (step - mode / (mode - before));
        }
        before = mode;
    }
    f->wave = count == CROSSINGS ? CELLS / (0.5 * (crossing[CROSSINGS - 1] - crossing[0])) / sqrt(GRAVITY) : NAN;
    f->kept = last / first;
    lab_free(&l);
}

static void checkerboard(lab_def def, found *f) {
    def.periodic = true;
    lab l = lab_create(&def);
    for (int i = 0; i < CELLS * CELLS; i++) l.h[i] = 1.0 + ((i % CELLS + i / CELLS) % 2 ? 0.01 : -0.01);
    const double before = lab_zigzag(&l);
    for (int i = 0; i < 200; i++) lab_step(&l, 0.15);
    f->zigzag = lab_zigzag(&l) / before;
    lab_free(&l);
}

static found try_way(const char *name, const lab_def *of) {
    lab_def def = *of;
    found f = {0};
    def.cells = CELLS, def.cell = 1.0, def.gravity = GRAVITY;
    if (def.smoothing == 0.0) def.smoothing = 1.05;
    whirl(&def, &f);
    wave(def, &f);
    checkerboard(def, &f);
    printf("| %-52s | %6.3f | %+8.3f %% | %6.3f | %6.3f | %8.2g |\n", name, f.turn, f.volume, f.wave, f.kept, f.zigzag);
    return f;
}

static void heading(void) {
    printf("| %-52s | %6s | %10s | %6s | %6s | %8s |\n", "way", "turn", "volume", "wave", "kept", "zigzag");
}

static void transports_compare(void **state) {
    (void)state;
    heading();
    const found packets = try_way("packets, s = 1.05", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX});
    const found back = try_way("semi-Lagrangian, collocated, blurred as much",
                               &(lab_def){.transport = LAB_SEMI_LAGRANGIAN, .blur = LAB_BLUR_BOX, .divergence = true});
    const found sides = try_way("semi-Lagrangian, staggered",
                                &(lab_def){.transport = LAB_SEMI_LAGRANGIAN, .staggered = true, .divergence = true});
    assert_true(fabs(packets.volume) < 1e-9 && fabs(back.volume) > 1e-3 && fabs(sides.volume) > 1e-3);
    assert_true(fabs(packets.wave - sqrt(2.0 / 1.05)) < 0.02 * packets.wave); /* the listing's own */
    assert_true(fabs(back.wave - 1.0) < 0.01 && fabs(sides.wave - 1.0) < 0.01);
}

static void the_divergence_term_is_in_packets_already(void **state) {
    (void)state;
    heading();
    const found with = try_way("packets, divergence term on",
                               &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX, .divergence = true});
    const found without =
        try_way("packets, divergence term off", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX});
    const found back = try_way("semi-Lagrangian, divergence term off",
                               &(lab_def){.transport = LAB_SEMI_LAGRANGIAN, .blur = LAB_BLUR_BOX});
    assert_true(fabs(with.wave * with.wave - without.wave * without.wave - 1.0) < 0.1); /* counted once more */
    assert_true(fabs(without.volume) < 1e-9);
    assert_true(!(fabs(back.wave - 1.0) < 0.5)); /* no waves at all */
}

static void blurs_compare(void **state) {
    (void)state;
    heading();
    const found none = try_way("packets, no blur (s = 1)", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE});
    const found box = try_way("packets widened, s = 1.05", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX});
    const found wide = try_way("packets widened, s = 1.3",
                               &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX, .smoothing = 1.3});
    const found tent =
        try_way("packets, tent filter over 3 x 3 cells", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_TENT});
    const found fourth =
        try_way("packets, fourth differences", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_FOURTH});
    assert_true(none.zigzag > 0.99); /* a checkerboard that the pressure does not see */
    assert_true(box.zigzag < 0.01 && wide.zigzag < 0.01 && tent.zigzag < 0.1 && fourth.zigzag < 0.01);
    assert_true(wide.turn < box.turn && fourth.turn > box.turn);
}

static void pressures_compare(void **state) {
    (void)state;
    heading();
    const found central =
        try_way("central differences alone", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE});
    const found faces = try_way("velocities averaged to sides and back",
                                &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE, .pressure = LAB_FACES});
    const found chow =
        try_way("Rhie-Chow", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE, .pressure = LAB_RHIE_CHOW});
    const found box =
        try_way("central differences, s = 1.05", &(lab_def){.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX});
    assert_true(central.zigzag > 0.99);
    assert_true(faces.turn < 0.8 * box.turn); /* the paper: even more smoothing than semi-Lagrangian transport */
    assert_true(chow.zigzag < 0.01 && chow.turn > box.turn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transports_compare),
        cmocka_unit_test(the_divergence_term_is_in_packets_already),
        cmocka_unit_test(blurs_compare),
        cmocka_unit_test(pressures_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
