/* "model": "paper" is the model of Dagenais et al. 2018 as printed, with what follows from that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/maths.h"
#include "kernels/pipe.h"
#include "physics/physics.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* Waves run at sqrt(g dx), whatever the depth. */
static void waves_ignore_the_depth(void **state) {
    (void)state;
    enum { N = 100 };
    const double cell = 0.01, c = sqrt(GRAVITY * cell), depths[] = {0.002, 0.05, 1.0};
    for (int k = 0; k < 3; k++) {
        const double H = depths[k], dt = 0.2 * cell / c;
        double depth[N], crossing[3], before = 1.0;
        for (int i = 0; i < N; i++) depth[i] = H * (1.0 + 1e-3 * cos(PI * (i + 0.5) / N));
        rn_world *world = make_world(&(setup){.nx = N, .ny = 1, .cell = cell, .lid = 2.0 * H, .model = RN_MODEL_PAPER});
        set_depths(world, depth);
        for (int step = 1, count = 0; count < 3; step++) {
            rn_world_step(world, dt);
            double mode = 0.0;
            for (int i = 0; i < N; i++) mode += (depth_at(world, i, 0) - H) * cos(PI * (i + 0.5) / N);
            if ((mode > 0.0) != (before > 0.0)) crossing[count++] = step * dt - dt * mode / (mode - before);
            before = mode;
        }
        assert_true(fabs((crossing[2] - crossing[0]) / (2.0 * N * cell / c) - 1.0) < 2e-3);
        rn_world_destroy(world);
    }
}

/* A film reaches gSH dx/3nu instead of Nusselt's gSH^2/3nu. */
static void films_depend_on_the_cell(void **state) {
    (void)state;
    enum { N = 40 };
    const double S = 0.1, H = 5e-4, nu = 4e-5, cells[] = {5e-4, 1e-3, 2e-3};
    for (int k = 0; k < 3; k++) {
        const double cell = cells[k];
        double heights[N], depth[N];
        for (int i = 0; i < N; i++) {
            heights[i] = S * cell * (N - 1 - i);
            depth[i] = H;
        }
        rn_world *world = make_world(&(setup){.nx = N,
                                              .ny = 1,
                                              .cell = cell,
                                              .heights = heights,
                                              .lid = S * cell * N + 0.01,
                                              .viscosity = nu,
                                              .periodic_x = true,
                                              .drop_x = S * cell * N,
                                              .model = RN_MODEL_PAPER});
        set_depths(world, depth);
        for (int i = 0; i < 200; i++) rn_world_step(world, 1e-4);
        double speed = rn_world_view(world, RN_FIELD_FLUX_X).data[5] / (cell * H);
        assert_true(fabs(speed / (GRAVITY * S * H * cell / (3.0 * nu)) - 1.0) < 0.01);
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

/* zeta = omega^dt: what is left after a second does not depend on the step. */
static void friction_does_not_depend_on_the_step(void **state) {
    (void)state;
    assert_true(fabs(rn_decay(-rn_log_unit(0.5) * 0.003) - pow(0.5, 0.003)) < 1e-15);
    assert_true(fabs(rn_decay(3.7) - exp(-3.7)) < 1e-15);
    for (int steps = 10; steps <= 1000; steps *= 10) {
        const double dt = 1.0 / steps;
        float f = 1.0f;
        rn_step_params params = {.cell = 0.01f,
                                 .dt = (float)dt,
                                 .gravity = 9.81f,
                                 .quantum = 1e-9f,
                                 .per_quantum = 1e9f,
                                 .friction_factor = (float)rn_decay(-rn_log_unit(0.5) * dt)};
        rn_ends level = {rn_splat(0.0f), rn_splat(0.1f), rn_splat(1.0f),
                         rn_splat(0.0f), rn_splat(0.1f), rn_splat(1.0f)};
        for (int i = 0; i < steps; i++) f = rn_pipe_paper(&params, &level, rn_splat(0.0f), rn_splat(f)).f[0];
        assert_true(fabs(f - 0.5) < 1e-3);
    }
}

/* Eq. 5's factor, as Fig. 3 plots it: H^2/(H^2 + 3 dt nu), between 0 and 1 for any viscosity. */
static void viscosity_is_equation_5(void **state) {
    (void)state;
    const double dt = 3e-3;
    for (double nu = 1e-7; nu < 10.0; nu *= 10.0)
        for (double H = 1e-4; H < 0.02; H *= 2.0) {
            rn_step_params params = {.cell = 0.01f,
                                     .dt = (float)dt,
                                     .gravity = 9.81f,
                                     .nu3 = (float)(3.0 * nu),
                                     .quantum = 1e-12f,
                                     .per_quantum = 1e12f,
                                     .friction_factor = 1.0f};
            rn_ends p = {rn_splat(0.0f), rn_splat((float)H), rn_splat(1.0f),
                         rn_splat(0.0f), rn_splat((float)H), rn_splat(1.0f)};
            double factor = rn_pipe_paper(&params, &p, rn_splat(0.0f), rn_splat(1e-3f)).f[0] / 1e-3;
            assert_true(fabs(factor - H * H / (H * H + 3.0 * dt * nu)) < 1e-5);
        }
}

/* Checkerboards grow beyond dt = sqrt(dx/2g) and not below it; Table 1's 9 ms at 1 mm takes two substeps. */
static void the_step_is_bounded_by_the_cell(void **state) {
    (void)state;
    rn_world *world =
        make_world(&(setup){.nx = 20, .ny = 20, .cell = 1e-3, .lid = 0.05, .model = RN_MODEL_PAPER, .friction = 0.5});
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.01});
    rn_world_step(world, 9e-3);
    assert_int_equal(rn_world_get_stats(world).substeps, 2);
    rn_world_destroy(world);
    /* Fig. 16: the same domain in more cells needs smaller steps: here as 1/sqrt(cells), the model's own law */
    double limit[3];
    for (int k = 0; k < 3; k++) {
        const int cells = 25 << k;
        world =
            make_world(&(setup){.nx = cells, .ny = cells, .cell = 0.1 / cells, .lid = 0.05, .model = RN_MODEL_PAPER});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_DEPTH, .value = 0.01});
        rn_world_step(world, 1e-4);
        limit[k] = rn_world_get_stats(world).limit;
        assert_true(limit[k] <= sqrt(0.1 / cells / (2.0 * GRAVITY)));
        rn_world_destroy(world);
    }
    assert_true(fabs(limit[0] / limit[1] - sqrt(2.0)) < 1e-6 && fabs(limit[1] / limit[2] - sqrt(2.0)) < 1e-6);
}

/* The growth of a checkerboard in one pipe's equation, both axes alike: amplification of (f, h) over a step. */
static void checkerboards_grow_beyond_it(void **state) {
    (void)state;
    const double cell = 1e-3, bound = sqrt(cell / (2.0 * GRAVITY));
    for (int beyond = 0; beyond < 2; beyond++) {
        const double dt = bound * (beyond ? 1.02 : 0.98);
        double f = 0.0, h = 1e-6, most = 0.0; /* a checkerboard: each of 4 pipes carries f away from a high column */
        for (int i = 0; i < 400; i++) {
            f += dt * GRAVITY * cell * 2.0 * h;
            h -= dt / (cell * cell) * 4.0 * f;
            most = fmax(most, fabs(h));
        }
        assert_true(beyond ? most > 1e-3 : most < 1e-4);
    }
}

static void volume_is_exact_on_random_stacks(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed < 6; seed++) {
        rn_world *world = make_world_on(random_stacks(16, 3, 1e-3, seed, STACKS_PLAIN),
                                        &(setup){.viscosity = 4e-6, .friction = 0.5, .model = RN_MODEL_PAPER});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.008});
        rn_world_pour(world, (rn_vec3){0.008, 0.008, 0.03}, 0.003, 1e-5);
        for (int i = 0; i < 200; i++) {
            rn_world_step(world, 0.01);
            assert_true(rn_world_audit(world).drift == 0.0);
        }
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_ignore_the_depth),
        cmocka_unit_test(films_depend_on_the_cell),
        cmocka_unit_test(friction_does_not_depend_on_the_step),
        cmocka_unit_test(viscosity_is_equation_5),
        cmocka_unit_test(the_step_is_bounded_by_the_cell),
        cmocka_unit_test(checkerboards_grow_beyond_it),
        cmocka_unit_test(volume_is_exact_on_random_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
