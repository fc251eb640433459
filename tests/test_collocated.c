/* The evaluation that section 6 of Lee & O'Sullivan 2007 asks for: ways to move shallow water and to push it, by the
   plain loops of app/physics/collocated.c, and the packets solver itself. Run by itself it prints the tables of
   docs/packets.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/collocated.h"
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PI 3.14159265358979323846

enum { CELLS = 48, FEW = 24 };

/* What a way comes to. */
typedef struct found {
    double turn;   /* share of its angular momentum that a whirl keeps for 75 s */
    double volume; /* %, by which its volume changes meanwhile */
    double wave;   /* speed of a small standing wave of 48 cells, over sqrt(gh) */
    double kept;   /* share of its height that the wave keeps over two periods */
    double zigzag; /* share of a checkerboard of 1 % of the depth that is left after 200 steps */
    double limit;  /* cells that waves may run in a step: the most at which noise does not grow */
} found;

/* ---- Basins ------------------------------------------------------------------------------------------------------ */

/* A square of water with cells of 1 m, which the loops of a lab move, or the packets solver. */
typedef struct basin {
    lab l;
    rn_world *world; /* NULL: the lab */
    int cells;
    double depth[CELLS * CELLS], u[CELLS * CELLS], v[CELLS * CELLS]; /* m, m/s in the middles of cells, once read */
} basin;

typedef double (*field)(double x, double y, int cells);

static double none(double x, double y, int cells) { return 0.0 * (x + y + cells); }

/* way: NULL for the solver, which runs waves `courant` cells in a step. Velocities are those of the middles of cells,
   or of the sides that the way has them at. */
static basin *basin_create(const lab_def *way, int cells, bool periodic, double courant, const double *depths, field u,
                           field v) {
    static basin b;
    memset(&b, 0, sizeof b);
    b.cells = cells;
    if (way) {
        lab_def def = *way;
        def.cells = cells, def.cell = 1.0, def.gravity = GRAVITY, def.periodic = periodic;
        if (def.smoothing == 0.0) def.smoothing = 1.05;
        const double at = def.staggered ? 0.0 : 0.5;
        b.l = lab_create(&def);
        for (int i = 0; i < cells * cells; i++) {
            b.l.h[i] = depths[i];
            b.l.u[i] = u(i % cells + at, i / cells + 0.5, cells);
            b.l.v[i] = v(i % cells + 0.5, i / cells + at, cells);
        }
        return &b;
    }
    b.world = make_world(&(setup){.nx = cells,
                                  .ny = cells,
                                  .cell = 1.0,
                                  .lid = 3.0,
                                  .periodic_x = periodic,
                                  .periodic_y = periodic,
                                  .passages = FLOW_PACKETS,
                                  .packets = {.count = 2, .smoothing = 1.05, .courant = courant}});
    set_depths(b.world, depths);
    rn_view fx = rn_world_view(b.world, RN_FIELD_FLUX_X), fy = rn_world_view(b.world, RN_FIELD_FLUX_Y);
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++) {
            if (x + 1 < cells) fx.data[y * fx.row_stride + x] = (float)u(x + 1.0, y + 0.5, cells);
            if (y + 1 < cells) fy.data[y * fy.row_stride + x] = (float)v(x + 0.5, y + 1.0, cells);
        }
    rn_world_commit(b.world);
    return &b;
}

static void basin_free(basin *b) {
    if (b->world) rn_world_destroy(b->world);
    else lab_free(&b->l);
}

static void basin_step(basin *b, double dt) {
    if (b->world) rn_world_step(b->world, dt);
    else lab_step(&b->l, dt);
}

static void basin_read(basin *b) {
    for (int i = 0; i < b->cells * b->cells; i++) {
        const int x = i % b->cells, y = i / b->cells;
        if (b->world) {
            const rn_sample s = rn_world_sample_layer(b->world, x + 0.5, y + 0.5, 0);
            b->depth[i] = s.depth, b->u[i] = s.velocity_x, b->v[i] = s.velocity_y;
        } else {
            double speed[2];
            lab_velocity(&b->l, x, y, speed);
            b->depth[i] = b->l.h[i], b->u[i] = speed[0], b->v[i] = speed[1];
        }
    }
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

static double whirl_x(double x, double y, int cells) { return -0.8 * sin(PI * x / cells) * cos(PI * y / cells); }
static double whirl_y(double x, double y, int cells) { return 0.8 * cos(PI * x / cells) * sin(PI * y / cells); }

/* Angular momentum and volume of what was read. */
static void sums_of(const basin *b, double *turn, double *volume) {
    *turn = *volume = 0.0;
    for (int i = 0; i < b->cells * b->cells; i++) {
        const double x = i % b->cells + 0.5 - 0.5 * b->cells, y = i / b->cells + 0.5 - 0.5 * b->cells;
        *turn += b->depth[i] * (x * b->v[i] - y * b->u[i]);
        *volume += b->depth[i];
    }
}

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; } /* s, of the processor */

static void whirl(const lab_def *way, found *f) {
    double depths[CELLS * CELLS], turn, volume, turn_after, volume_after;
    for (int i = 0; i < CELLS * CELLS; i++) depths[i] = 1.0;
    basin *b = basin_create(way, CELLS, false, 0.5, depths, whirl_x, whirl_y);
    basin_read(b);
    sums_of(b, &turn, &volume);
    for (int k = 0; k < 500; k++) basin_step(b, 0.15);
    basin_read(b);
    sums_of(b, &turn_after, &volume_after);
    f->turn = turn_after / turn;
    f->volume = 100.0 * (volume_after / volume - 1.0);
    basin_free(b);
}

static void wave(const lab_def *way, found *f) {
    enum { CROSSINGS = 5 };
    double depths[CELLS * CELLS], crossing[CROSSINGS] = {0}, before = 1.0, most = 0.0, last = 0.0, first = 1.0;
    for (int i = 0; i < CELLS * CELLS; i++) depths[i] = 1.0 + 1e-3 * cos(2.0 * PI * (i % CELLS + 0.5) / CELLS);
    basin *b = basin_create(way, CELLS, true, 0.5, depths, none, none);
    const double dt = 0.1;
    int count = 0;
    for (int step = 1; count < CROSSINGS && step < 2000; step++) {
        basin_step(b, dt);
        basin_read(b);
        double mode = 0.0;
        for (int x = 0; x < CELLS; x++) mode += (b->depth[x] - 1.0) * cos(2.0 * PI * (x + 0.5) / CELLS) * 2e3 / CELLS;
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
    basin_free(b);
}

/* m, rms of what alternates from cell to cell. */
static double zigzag_of(const basin *b) {
    double sum = 0.0;
    for (int y = 0; y < b->cells; y++)
        for (int x = 0; x < b->cells; x++) {
            const double *row = b->depth + y * b->cells;
            const double here = 0.25 * (row[(x + 1) % b->cells] - 2.0 * row[x] + row[(x + b->cells - 1) % b->cells]);
            sum += here * here;
        }
    return sqrt(sum / (b->cells * b->cells));
}

static void checkerboard(const lab_def *way, found *f) {
    double depths[CELLS * CELLS];
    for (int i = 0; i < CELLS * CELLS; i++) depths[i] = 1.0 + ((i % CELLS + i / CELLS) % 2 ? 0.01 : -0.01);
    basin *b = basin_create(way, CELLS, true, 0.5, depths, none, none);
    basin_read(b);
    const double before = zigzag_of(b);
    for (int i = 0; i < 200; i++) basin_step(b, 0.15);
    basin_read(b);
    f->zigzag = zigzag_of(b) / before;
    basin_free(b);
}

/* Whether noise of 1 % of the depth is no more after 400 steps in which waves run so many cells. */
static bool is_stable(const lab_def *way, double courant) {
    double depths[FEW * FEW], most = 0.0;
    uint32_t seed = 7;
    for (int i = 0; i < FEW * FEW; i++) depths[i] = 1.0 + 0.01 * (2.0 * random_unit(&seed) - 1.0);
    basin *b = basin_create(way, FEW, true, courant, depths, none, none);
    for (int k = 0; k < 400 && most < 0.2; k++) {
        basin_step(b, courant / sqrt(GRAVITY));
        basin_read(b);
        most = 0.0;
        for (int i = 0; i < FEW * FEW; i++) most = worse(most, fabs(b->depth[i] - 1.0));
    }
    basin_free(b);
    return most < 0.011;
}

/* The solver takes no more than 1. */
static void stability(const lab_def *way, found *f) {
    double low = 0.0, high = way ? 4.0 : 1.0;
    if (!way && is_stable(way, high)) low = high;
    while (high - low > 0.01) {
        const double middle = 0.5 * (low + high);
        if (is_stable(way, middle)) low = middle;
        else high = middle;
    }
    f->limit = low;
}

/* ---- Ways -------------------------------------------------------------------------------------------------------- */

enum {
    SOLVER,
    PACKETS,
    BACK,
    BACK_SIDES,
    PACKETS_DIVERGENCE,
    BACK_NO_DIVERGENCE,
    NO_BLUR,
    WIDE,
    TENT,
    FOURTH,
    FACES,
    RHIE_CHOW,
    WAYS
};

static const lab_def defs[WAYS] = {
    [PACKETS] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX},
    [BACK] = {.transport = LAB_SEMI_LAGRANGIAN, .blur = LAB_BLUR_BOX, .divergence = true},
    [BACK_SIDES] = {.transport = LAB_SEMI_LAGRANGIAN, .staggered = true, .divergence = true},
    [PACKETS_DIVERGENCE] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX, .divergence = true},
    [BACK_NO_DIVERGENCE] = {.transport = LAB_SEMI_LAGRANGIAN, .blur = LAB_BLUR_BOX},
    [NO_BLUR] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE},
    [WIDE] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_BOX, .smoothing = 1.3},
    [TENT] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_TENT},
    [FOURTH] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_FOURTH},
    [FACES] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE, .pressure = LAB_FACES},
    [RHIE_CHOW] = {.transport = LAB_PACKETS, .blur = LAB_BLUR_NONE, .pressure = LAB_RHIE_CHOW},
};

static const char *const names[WAYS] = {
    [SOLVER] = "packets, the default of this solver",
    [PACKETS] = "packets of the listing, s = 1.05",
    [BACK] = "semi-Lagrangian, collocated, blurred as much",
    [BACK_SIDES] = "semi-Lagrangian, staggered",
    [PACKETS_DIVERGENCE] = "packets, divergence term on",
    [BACK_NO_DIVERGENCE] = "semi-Lagrangian, divergence term off",
    [NO_BLUR] = "packets, no blur (s = 1): central differences alone",
    [WIDE] = "packets widened, s = 1.3",
    [TENT] = "packets, tent filter over 3 x 3 cells",
    [FOURTH] = "packets, fourth differences",
    [FACES] = "no blur, velocities averaged to sides and back",
    [RHIE_CHOW] = "no blur, Rhie-Chow",
};

static const lab_def *way_of(int i) { return i == SOLVER ? NULL : &defs[i]; }

static found all[WAYS];

static int measure_all(void **state) {
    (void)state;
    printf("| way | turn | volume | wave | kept | zigzag | limit |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < WAYS; i++) {
        found *f = &all[i];
        whirl(way_of(i), f);
        wave(way_of(i), f);
        checkerboard(way_of(i), f);
        stability(way_of(i), f);
        printf("| %s | %.3f | %+.3f %% | %.3f | %.3f | %.2g | %.2f |\n", names[i], f->turn, f->volume, f->wave, f->kept,
               f->zigzag, f->limit);
    }
    return 0;
}

static void transports_compare(void **state) {
    (void)state;
    const found *packets = &all[PACKETS], *back = &all[BACK], *sides = &all[BACK_SIDES];
    assert_true(fabs(packets->volume) < 1e-9 && fabs(back->volume) > 1e-3 && fabs(sides->volume) > 1e-3);
    assert_true(fabs(packets->wave - sqrt(2.0 / 1.05)) < 0.02 * packets->wave); /* the listing's own */
    assert_true(fabs(back->wave - 1.0) < 0.01 && fabs(sides->wave - 1.0) < 0.01);
}

/* Volume to the quantum, the right speed, and more rotation than any other way that makes no extrema of its own. */
static void the_solver_is_the_best_of_them(void **state) {
    (void)state;
    const found *f = &all[SOLVER];
    assert_true(f->volume == 0.0 && fabs(f->wave - 1.0) < 0.01 && f->zigzag < 0.01 && f->limit == 1.0);
    assert_true(f->turn <= 1.0 && f->kept <= 1.001 && f->kept > 0.99);
    for (int i = PACKETS; i < WAYS; i++) assert_true(i == FOURTH || f->turn > all[i].turn);
}

static void the_divergence_term_is_in_packets_already(void **state) {
    (void)state;
    const found *with = &all[PACKETS_DIVERGENCE], *without = &all[PACKETS];
    assert_true(fabs(with->wave * with->wave - without->wave * without->wave - 1.0) < 0.1); /* counted once more */
    assert_true(fabs(without->volume) < 1e-9 && fabs(with->volume) > 1e-3 && with->limit < without->limit);
    assert_true(!(fabs(all[BACK_NO_DIVERGENCE].wave - 1.0) < 0.5)); /* no waves at all */
}

static void blurs_compare(void **state) {
    (void)state;
    const found *box = &all[PACKETS];
    assert_true(all[NO_BLUR].zigzag > 0.99); /* a checkerboard that the pressure does not see */
    assert_true(all[NO_BLUR].limit < 0.05);  /* and noise that grows, whatever the step */
    assert_true(box->zigzag < 0.01 && all[WIDE].zigzag < 0.01 && all[TENT].zigzag < 0.1 && all[FOURTH].zigzag < 0.01);
    assert_true(all[WIDE].turn < box->turn && all[FOURTH].turn > box->turn);
}

static void pressures_compare(void **state) {
    (void)state;
    assert_true(all[FACES].turn < 0.8 * all[PACKETS].turn); /* the paper: more smoothing than semi-Lagrangian */
    assert_true(all[FACES].turn < all[BACK].turn && all[FACES].zigzag > 0.99);
    assert_true(all[RHIE_CHOW].zigzag < 0.01 && all[RHIE_CHOW].turn > all[PACKETS].turn);
}

/* For people alone: time for each cell and step, over that of the listing's packets. Rounds alternate. */
static void times_compare(void **state) {
    enum { ROUNDS = 9, STEPS = 20 };
    static basin basins[WAYS];
    double best[WAYS], depths[CELLS * CELLS];
    (void)state;
    for (int i = 0; i < CELLS * CELLS; i++) depths[i] = 1.0;
    for (int i = 0; i < WAYS; i++) {
        basins[i] = *basin_create(way_of(i), CELLS, false, 0.5, depths, whirl_x, whirl_y);
        best[i] = INFINITY;
    }
    for (int k = 0; k < ROUNDS * WAYS; k++) {
        const double before = now();
        for (int j = 0; j < STEPS; j++) basin_step(&basins[k % WAYS], 0.15);
        best[k % WAYS] = fmin(best[k % WAYS], now() - before);
    }
    printf("| way | time |\n|---|---|\n");
    for (int i = 0; i < WAYS; i++) {
        printf("| %s | %.2f |\n", names[i], best[i] / best[PACKETS]);
        assert_true(best[i] > 0.0);
        basin_free(&basins[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transports_compare),
        cmocka_unit_test(the_solver_is_the_best_of_them),
        cmocka_unit_test(the_divergence_term_is_in_packets_already),
        cmocka_unit_test(blurs_compare),
        cmocka_unit_test(pressures_compare),
        cmocka_unit_test(times_compare),
    };
    return cmocka_run_group_tests(tests, measure_all, NULL);
}
