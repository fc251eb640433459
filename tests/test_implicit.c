/* The implicit step from the inside: the linear solver alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "pipe_worlds.h"

#include <math.h>
#include <stdlib.h>

/* What the equations of level 0 give for a solution. */
static double image_at(const rn_level *l, const float *x, int32_t c) {
    const int32_t up = l->grid.stride;
    double sum = (double)l->own[c] * x[c];
    sum += (double)l->link_x[c] * (x[c] - x[c + 1]) + (double)l->link_x[c - 1] * (x[c] - x[c - 1]);
    sum += (double)l->link_y[c] * (x[c] - x[c + up]) + (double)l->link_y[c - up] * (x[c] - x[c - up]);
    for (int32_t n = 0; n < l->irregular_count; n++) {
        const double a = l->irregular_a[n] < 0 ? 0.0 : x[l->irregular_a[n]],
                     b = l->irregular_b[n] < 0 ? 0.0 : x[l->irregular_b[n]];
        if (l->irregular_a[n] == c) sum += (double)l->irregular_link[n] * (a - b);
        if (l->irregular_b[n] == c) sum += (double)l->irregular_link[n] * (b - a);
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
        const rn_state *s = state_of(world);
        const rn_grid *g = &s->columns.grid;
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
                    if (s->columns.base[c] >= RN_NO_COLUMN) continue;
                    l->own[c] = random_unit(&random) < 0.3 ? 1.0f : 1e-4f;
                    l->b[c] = (float)(random_unit(&random) - 0.5);
                    if (s->graph.pipe_x[c] && x + 1 < g->nx) l->link_x[c] = (float)(3.0 * random_unit(&random));
                    if (s->graph.pipe_y[c] && y + 1 < g->ny) l->link_y[c] = (float)(3.0 * random_unit(&random));
                }
            }
        for (int32_t n = 0; n < s->graph.irregular_count; n++)
            l->irregular_link[n] = (float)(3.0 * random_unit(&random));
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

/* Unknowns here and there, and links between some of them. */
static void scatter(rn_multigrid *m, const rn_state *s, uint32_t seed, const int32_t *numbers, bool strips) {
    const rn_grid *g = &s->columns.grid;
    rn_level *l = &m->levels[0];
    for (int layer = 0; layer < g->layers; layer++)
        for (int y = 0; y < g->ny; y++) {
            if (!strips) rn_multigrid_strip(m, layer, y, 0, g->nx);
            for (int x = 0; x < g->nx; x++) {
                const int32_t c = rn_slot(g, layer, y, x);
                const bool some = x % 50 < 3 && y % 7 > 1, next = (x + 1) % 50 < 3;
                if (!some || s->columns.base[c] >= RN_NO_COLUMN) continue;
                if (strips) rn_multigrid_strip(m, layer, y, x, x + 1);
                l->own[c] = random_unit(&seed) < 0.3 ? 1.0f : 1e-2f;
                l->b[c] = (float)(random_unit(&seed) - 0.5);
                if (s->graph.pipe_x[c] && next) l->link_x[c] = (float)random_unit(&seed);
            }
        }
    for (int32_t i = 0; i < s->graph.irregular_count; i++) {
        const int32_t a = s->graph.irregular_a[i], b = s->graph.irregular_b[i];
        const float link = (float)random_unit(&seed);
        if (l->own[a] > 0.0f && l->own[b] > 0.0f) l->irregular_link[numbers ? numbers[i] : i] = link;
    }
}

/* What lies between unknowns, and irregular pipes that link none, can be left out: no bit is another one. */
static void what_is_known_can_be_left_out(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        rn_world *world = make_world_on(random_stacks(130, 3, 1e-3, seed, STACKS_PLAIN), &(setup){0});
        const rn_state *s = state_of(world);
        int32_t *numbers = calloc((size_t)s->graph.irregular_count, sizeof *numbers), links = 0;
        rn_pool *pool = rn_pool_create(NULL, 2);
        rn_multigrid whole = {0}, parts = {0};
        assert_int_equal(rn_multigrid_fit(&whole, s), RN_OK);
        scatter(&whole, s, seed, NULL, false);
        for (int32_t i = 0; i < s->graph.irregular_count; i++)
            links += numbers[i] = whole.levels[0].irregular_link[i] > 0.0f;
        assert_int_equal(rn_multigrid_fit_some(&parts, s, numbers), RN_OK);
        scatter(&parts, s, seed, numbers, true);
        assert_true(links > 0 && parts.levels[0].irregular_count == links && links < s->graph.irregular_count);
        assert_true(parts.levels[0].slots < whole.levels[0].slots / 2);
        const rn_solve a = rn_multigrid_solve(&whole, pool, 1e-6f, 100),
                       b = rn_multigrid_solve(&parts, pool, 1e-6f, 100);
        assert_true(a.converged && a.iterations == b.iterations && a.residual == b.residual);
        assert_memory_equal(whole.solution, parts.solution, (size_t)s->columns.grid.slots * sizeof(float));
        assert_int_equal(rn_multigrid_fit(&parts, s), RN_OK); /* it can have all of them later */
        assert_int_equal(parts.levels[0].irregular_count, s->graph.irregular_count);
        rn_multigrid_free(&whole);
        rn_multigrid_free(&parts);
        rn_pool_destroy(pool);
        free(numbers);
        rn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solver_solves),
        cmocka_unit_test(what_is_known_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
