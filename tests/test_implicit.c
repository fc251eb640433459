/* The implicit step from the inside: the linear solver alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

/* What the equations of level 0 give for a solution. */
static double image_at(const rn_level *l, const float *x, int32_t c) {
    const int32_t up = l->grid.stride;
    double sum = (double)l->own[c] * x[c];
    sum += (double)l->link_x[c] * (x[c] - x[c + 1]) + (double)l->link_x[c - 1] * (x[c] - x[c - 1]);
    sum += (double)l->link_y[c] * (x[c] - x[c + up]) + (double)l->link_y[c - up] * (x[c] - x[c - up]);
    for (int32_t n = 0; n < l->loose; n++) {
        const double a = l->loose_a[n] < 0 ? 0.0 : x[l->loose_a[n]], b = l->loose_b[n] < 0 ? 0.0 : x[l->loose_b[n]];
        if (l->loose_a[n] == c) sum += (double)l->loose_link[n] * (a - b);
        if (l->loose_b[n] == c) sum += (double)l->loose_link[n] * (b - a);
    }
    return sum;
}

/* Random links over random stacks, with and without columns of their own weight: few iterations, the same answer by
   plain arithmetic. */
static void the_solver_solves(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        rn_world *world = make_world_on(random_stacks(17 + (int)seed, 3, 1e-3, seed, STACKS_PLAIN),
                                        &(setup){.periodic_x = seed % 3 == 0, .periodic_y = seed % 4 == 0});
        const rn_state *s = &world->state;
        const rn_grid *g = &s->grid;
        rn_multigrid m = {0};
        uint32_t random = seed;
        assert_int_equal(rn_multigrid_fit(&m, s), RN_OK);
        rn_multigrid_clear(&m);
        rn_level *l = &m.levels[0];
        for (int layer = 0; layer < g->layers; layer++)
            for (int y = 0; y < g->ny; y++) {
                rn_multigrid_strip(&m, layer, y, 0, g->nx);
                for (int x = 0; x < g->nx; x++) {
                    const int32_t c = rn_slot(g, layer, y, x);
                    if (s->base[c] >= RN_NO_COLUMN) continue;
                    l->own[c] = random_unit(&random) < 0.3 ? 1.0f : 1e-4f;
                    l->b[c] = (float)(random_unit(&random) - 0.5);
                    if (s->pipe_x[c] && x + 1 < g->nx) l->link_x[c] = (float)(3.0 * random_unit(&random));
                    if (s->pipe_y[c] && y + 1 < g->ny) l->link_y[c] = (float)(3.0 * random_unit(&random));
                }
            }
        for (int32_t n = 0; n < s->loose; n++) l->loose_link[n] = (float)(3.0 * random_unit(&random));
        float *b = calloc((size_t)g->slots, sizeof *b);
        for (int32_t c = 0; c < g->slots; c++) b[c] = l->b[c];
        rn_pool *pool = rn_pool_create(NULL, 1);
        const rn_solve solve = rn_multigrid_solve(&m, pool, 1e-4f, 100);
        assert_true(solve.converged && solve.iterations < 40);
        for (int32_t c = g->first; c < g->slots - g->first; c++)
            if (l->own[c] > 0.0f) assert_true(fabs(image_at(l, m.solution, c) - b[c]) < 1e-3);
        rn_pool_destroy(pool);
        rn_multigrid_free(&m);
        free(b);
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(the_solver_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
