/* The drag of the ground: the kernel against powers in double precision, and what columns give it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/drag.h"

#include <math.h>

/* Every thousandth of a per cent from a tenth of a micrometre to ten kilometres, in all lanes. */
static void cube_roots_are_exact_to_rounding(void **state) {
    (void)state;
    double worst_root = 0.0, worst_power = 0.0;
    for (double at = 1e-7; at < 1e4; at *= 1.00001) {
        const float H = (float)at;
        const rn_wide root = rn_inverse_cube_root(rn_splat(H));
        const rn_wide rate = rn_drag_rate(rn_splat(0.0f), rn_splat(1.0f), rn_splat(0.0f), rn_splat(1.0f), rn_splat(H));
        for (int lane = 1; lane < RN_LANES; lane++) assert_true(root[lane] == root[0] && rate[lane] == rate[0]);
        worst_root = fmax(worst_root, fabs((double)root[0] / pow((double)H, -1.0 / 3.0) - 1.0));
        worst_power = fmax(worst_power, fabs((double)rate[0] / pow((double)H, -4.0 / 3.0) - 1.0));
    }
    if (!(worst_root <= 2e-7)) fail_msg("x^(-1/3) is off by %g", worst_root);
    if (!(worst_power <= 4e-7)) fail_msg("x^(-4/3) is off by %g", worst_power);
}

static void rates_add_up(void **state) {
    (void)state;
    const double g = 9.81, n = 0.035, C = 45.0, u = 1.7;
    for (double H = 1e-6; H < 100.0; H *= 1.7) {
        const double exact = 0.3 + u * (g * n * n / pow(H, 4.0 / 3.0) + g / (C * C * H));
        const rn_wide rate = rn_drag_rate(rn_splat(0.3f), rn_splat((float)(g * n * n)), rn_splat((float)(g / (C * C))),
                                          rn_splat((float)u), rn_splat((float)H));
        if (!(fabs((double)rate[0] / exact - 1.0) < 6e-7)) fail_msg("%g 1/s at %g m, not %g", rate[0], H, exact);
    }
}

/* Without Manning and Chezy it is kappa, whatever the depth and speed; a film of no depth has a finite rate. */
static void plain_friction_is_untouched(void **state) {
    (void)state;
    const rn_wide none = rn_splat(0.0f), kappa = rn_splat(0.693147f);
    for (float H = 0.0f; H < 10.0f; H += 0.37f)
        assert_true(rn_drag_rate(kappa, none, none, rn_splat(3.0f), rn_splat(H))[0] == kappa[0]);
    const float thin = rn_drag_rate(kappa, rn_splat(0.01f), none, rn_splat(1.0f), none)[0];
    assert_true(isfinite(thin) && thin > 1e6f);
}

/* Columns with numbers of their own give their means, others the law's. */
static void faces_have_the_mean_of_their_columns(void **state) {
    (void)state;
    enum { N = 2 * RN_LANES_MOST };
    float kappa[N], manning[N], chezy[N];
    for (int i = 0; i < N; i++) {
        kappa[i] = (float)i;
        manning[i] = 0.01f * (float)i;
        chezy[i] = 0.001f * (float)(N - i);
    }
    const rn_step_params params = {.kappa = 7.0f, .manning = 0.5f, .chezy = 0.25f};
    rn_columns columns = {0};
    rn_drag drag = rn_drag_between(&columns, &params, 0, 1);
    assert_true(drag.kappa[0] == 7.0f && drag.manning[0] == 0.5f && drag.chezy[0] == 0.25f);
    columns.kappa = kappa;
    drag = rn_drag_between(&columns, &params, 0, RN_LANES);
    assert_true(drag.kappa[0] == 0.5f * RN_LANES && drag.manning[0] == 0.5f);
    columns.manning = manning;
    columns.chezy = chezy;
    drag = rn_drag_between(&columns, &params, 0, 1);
    rn_drag gathered = rn_drag_even(&params);
    for (int lane = 0; lane < RN_LANES; lane++) {
        rn_drag_gather(&columns, lane, lane, lane + 1, &gathered);
        assert_true(drag.manning[lane] == 0.5f * (manning[lane] + manning[lane + 1]));
        assert_true(gathered.kappa[lane] == drag.kappa[lane] && gathered.manning[lane] == drag.manning[lane] &&
                    gathered.chezy[lane] == drag.chezy[lane]);
    }
    const rn_wide speed = rn_splat(2.0f), H = rn_splat(0.4f);
    assert_true(rn_drag_of(&drag, speed, H)[0] == rn_drag_rate(drag.kappa, drag.manning, drag.chezy, speed, H)[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_roots_are_exact_to_rounding),
        cmocka_unit_test(rates_add_up),
        cmocka_unit_test(plain_friction_is_untouched),
        cmocka_unit_test(faces_have_the_mean_of_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
