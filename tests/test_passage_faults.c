/* Passages whatever happens: the same bits, memory that runs out, solves that fail, bad input, any world at all. */
#include "base/platform.h"
#include "passage_worlds.h"
#include "sanitized.h"

#include <stdlib.h>
#include <string.h>

/* ---- One set of bits -------------------------------------------------------------------------------------------- */

static void a_restored_world_goes_the_same_way(void **state) {
    (void)state;
    const plan p = bend_plan();
    for (int m = 0; m < EVERY; m++) {
        rn_world *world = plan_world(&p, &(setup){.passages = every[m], .viscosity = 1e-6});
        plan_fill(world, &p, (double[]){22e-3, 4e-3}); /* its tunnel is about to open at one end */
        rn_snapshot *snapshot = NULL;
        uint64_t hash[2];
        for (int i = 0; i < 30; i++) step_within_limit(world);
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 50; i++) rn_world_step(world, 2e-3);
            hash[k] = rn_world_hash(world);
            if (k == 0) assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
        }
        assert_true(hash[0] == hash[1]);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(world);
    }
}

/* One made in the same way goes on from the snapshot as well: no hidden state. */
static void another_world_goes_on_from_a_snapshot(void **state) {
    (void)state;
    const plan p = utube_plan(20);
    for (int m = 0; m < EVERY; m++) {
        rn_snapshot *snapshot = NULL;
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            rn_world *world = plan_world(&p, &(setup){.passages = every[m]});
            plan_fill(world, &p, (double[]){22e-3, 18e-3});
            for (int i = 0; i < 50 && k == 0; i++) rn_world_step(world, 2e-3);
            if (k == 0) assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
            else assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
            for (int i = 0; i < 50; i++) rn_world_step(world, 2e-3);
            hash[k] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        rn_snapshot_destroy(snapshot);
        assert_true(hash[0] == hash[1]);
    }
}

static uint64_t hash_with_threads(flow_method method, int threads) {
    rn_terrain *terrain = random_stacks(24, 3, 1e-3, 9, STACKS_PLAIN);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    choose_method(&def, method);
    def.threads = threads;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.008});
    rn_world_pour(world, (rn_vec3){0.01, 0.012, 0.04}, 3e-3, 4e-6);
    rn_world_drain(world, (rn_vec3){0.02, 0.018, 0.0}, 3e-3, 2e-6);
    for (int i = 0; i < 60; i++) rn_world_step(world, 1e-3);
    const uint64_t hash = rn_world_hash(world);
    rn_world_destroy(world);
    return hash;
}

static void any_threads_give_the_same(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++) {
        const uint64_t one = hash_with_threads(every[m], 1);
        assert_true(one == hash_with_threads(every[m], 2));
        assert_true(one == hash_with_threads(every[m], 3));
    }
}

/* ---- Bad input, and solves that fail ------------------------------------------------------------------------- */

static void refuses(rn_world_def def, const char *words) {
    rn_terrain *terrain = random_stacks(4, 1, 1e-3, 1, STACKS_PLAIN);
    def.terrain = terrain;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_null(world);
    assert_non_null(strstr(rn_last_error(), words));
    rn_terrain_destroy(terrain);
}

static void bad_passages_are_refused(void **state) {
    (void)state;
    rn_world_def def = rn_world_default();
    def.solver = "implicit";
#define WITH(change, words)                                                                                            \
    do {                                                                                                               \
        rn_world_def d = def;                                                                                          \
        d.change;                                                                                                      \
        refuses(d, words);                                                                                             \
    } while (0)
    WITH(model = RN_MODEL_PAPER, "paper");
    WITH(model = (d.solver = NULL, d.passages = RN_PASSAGES_UNIFIED_LONG, RN_MODEL_PAPER), "paper");
    WITH(passages = RN_PASSAGES_UNIFIED_LONG, "implicit solver has passages of its own");
    WITH(solver = "quick", "there is no solver \"quick\" for the backend \"cpu\"; there are \"explicit\" (cpu)");
    WITH(backend = "abacus", "there is no solver \"implicit\" for the backend \"abacus\"");
    WITH(courant = NAN, "courant");
    WITH(courant = 0.0, "courant is 0;");
    WITH(courant = -1.0, "courant is -1;");
    WITH(courant = 1e9, "courant is 1e+09;");
    WITH(solver_iterations = 0, "solver_iterations is 0;");
    WITH(solver_iterations = -5, "solver_iterations");
    WITH(passages = (d.solver = NULL, (rn_passages)99), "passages");
    WITH(passages = (d.solver = NULL, (rn_passages)-1), "passages");
#undef WITH
}

typedef struct heard {
    int warnings, residuals;
} heard;

static void listen(void *user, rn_log_level level, const char *text) {
    heard *h = user;
    if (level != RN_LOG_WARNING) return;
    h->warnings++;
    h->residuals += strstr(text, "residual") != NULL;
}

/* A sharp step in deep water, which one iteration cannot solve: told once, done explicitly, nothing lost. */
static void a_solve_that_fails_is_done_explicitly(void **state) {
    (void)state;
    enum { N = 48 };
    const double cell = 1e-3, depth = 40e-3, step = 8e-3;
    heard told = {0, 0};
    float *after[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        rn_column columns[N * N];
        int32_t counts[N * N];
        for (int i = 0; i < N * N; i++) {
            columns[i] = (rn_column){-INFINITY, 0.0, 0.08};
            counts[i] = 1;
        }
        rn_terrain *terrain = make_terrain(N, N, cell, 0.08, columns, counts);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        choose_method(&def, k ? FLOW_IMPLICIT : FLOW_NONE);
        def.solver_iterations = 1;
        if (k) def.hooks = (rn_hooks){.user = &told, .log = listen};
        rn_world *world = NULL;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++)
                d.data[y * d.row_stride + x] = (float)(depth + (x < N / 2 && y < N / 2 ? step : 0.0));
        assert_int_equal(rn_world_commit(world), RN_OK);
        for (int i = 0; i < 10; i++) {
            assert_int_equal(rn_world_step(world, 5e-3), RN_OK);
            assert_true(rn_world_audit(world).drift == 0.0);
        }
        if (k) assert_true(rn_world_get_stats(world).fallbacks > 0);
        after[k] = calloc(N * N, sizeof *after[k]);
        for (int i = 0; i < N * N; i++) after[k][i] = d.data[i / N * d.row_stride + i % N];
        rn_world_destroy(world);
    }
    double apart = 0.0;
    for (int i = 0; i < N * N; i++) apart += fabs((double)after[0][i] - after[1][i]) / (N * N);
    free(after[0]);
    free(after[1]);
    assert_true(apart < 0.05 * step);
    assert_int_equal(told.warnings, 1);
    assert_int_equal(told.residuals, 1);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

typedef struct counting {
    long asked, fail_from; /* -1: never */
} counting;

static void *count_alloc(void *user, size_t size) {
    counting *c = user;
    if (c->fail_from >= 0 && c->asked++ >= c->fail_from) return NULL;
    return rn_aligned_alloc(64, size);
}

static void count_free(void *user, void *memory) {
    (void)user;
    rn_aligned_free(memory);
}

static rn_world *counted_world(counting *c, flow_method method) {
    const plan p = bend_plan();
    rn_world *world = plan_world(&p, &(setup){.passages = method,
                                              .viscosity = 1e-6,
                                              .hooks = {.user = c, .alloc = count_alloc, .free = count_free}});
    plan_fill(world, &p, (double[]){22e-3, 4e-3});
    return world;
}

/* Memory that runs out while a tunnel fills up: the step says so, nothing is lost, and it goes on when there is more.
 */
static void failing_allocations_are_survived(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++)
        for (long n = 0, failed = 1; failed; n += getenv("RUNNEL_LONG") ? 1 : SANITIZED ? 16 : 4) {
            counting c = {.fail_from = -1};
            rn_world *world = counted_world(&c, every[m]);
            const double volume = rn_world_volume(world);
            c = (counting){.fail_from = n};
            failed = 0;
            for (int i = 0; i < 40; i++) failed += rn_world_step(world, 2e-3) != RN_OK;
            if (failed) assert_non_null(strstr(rn_last_error(), "memory"));
            assert_true(rn_world_audit(world).drift == 0.0 && rn_world_volume(world) == volume);
            c.fail_from = -1;
            assert_int_equal(rn_world_step(world, 0.1), RN_OK);
            assert_true(rn_world_audit(world).drift == 0.0);
            rn_world_destroy(world);
        }
}

static void a_warm_step_allocates_nothing(void **state) {
    (void)state;
    for (int m = 0; m < EVERY; m++) {
        counting c = {.fail_from = -1};
        rn_world *world = counted_world(&c, every[m]);
        run(world, 3.0);
        c = (counting){.fail_from = 0};
        run(world, 1.0);
        assert_int_equal(c.asked, 0);
        rn_world_destroy(world);
    }
}

/* Wide enough for threads to share the rows of the solver's grids. */
static void any_threads_solve_the_same(void **state) {
    (void)state;
    enum { N = 192 };
    rn_column *columns = calloc(N * N, sizeof *columns);
    int32_t *counts = calloc(N * N, sizeof *counts);
    for (int i = 0; i < N * N; i++) {
        const int x = i % N, y = i / N;
        const bool roofed = x > 16 && x < 176 && y > 16 && y < 176 && (x / 40 + y / 40) % 3;
        columns[i] = (rn_column){-INFINITY, 1e-3 * sin(0.1 * x), roofed ? 5e-3 : 40e-3};
        counts[i] = 1;
    }
    for (int m = 0; m < BEST; m++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads += getenv("RUNNEL_LONG") ? 1 : 2) {
            rn_world *world = make_world_on(make_terrain(N, N, 1e-3, 40e-3, columns, counts),
                                            &(setup){.passages = every[m], .threads = threads});
            rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.012});
            rn_world_pour(world, (rn_vec3){0.015, 0.05, 0.0}, 5e-3, 1e-4);
            int most = 0;
            for (int i = 0; i < 5; i++) {
                assert_int_equal(rn_world_step(world, 5e-3), RN_OK);
                most = rn_world_get_stats(world).iterations > most ? rn_world_get_stats(world).iterations : most;
            }
            assert_true(most > 0);
            if (threads == 1) first = rn_world_hash(world);
            assert_true(rn_world_hash(world) == first);
            rn_world_destroy(world);
        }
    }
    free(columns);
    free(counts);
}

/* ---- Anything at all ----------------------------------------------------------------------------------------- */

/* A world of any size, edges, tilt and method that a number stands for. */
static rn_world *any_world(uint32_t seed, flow_method method) {
    uint32_t random = seed * 7919u + 1u;
    double drawn[24]; /* in order: that of arguments is anybody's */
    for (int i = 0; i < 24; i++) drawn[i] = random_unit(&random);
    const int cells = 3 + (int)(10.0 * drawn[0]);
    rn_terrain *terrain =
        random_stacks(cells, 1 + (int)(4.0 * drawn[1]), 1e-3, seed + 3, drawn[2] < 0.5 ? STACKS_RAGGED : STACKS_PLAIN);
    const bool paper = (method == FLOW_AXIS || method == FLOW_UNIFIED) && drawn[3] < 0.5;
    setup s = {.passages = method,
               .viscosity = drawn[4] < 0.3 ? 0.0 : 4e-6,
               .friction = 0.1 + 0.9 * drawn[5],
               .courant = 0.5 + 9.0 * drawn[6],
               .model = paper ? RN_MODEL_PAPER : RN_MODEL_PHYSICAL,
               .threads = 1 + (int)(2.0 * drawn[7]),
               .periodic_x = drawn[8] < 0.4,
               .periodic_y = drawn[9] < 0.4,
               .max_substeps = 100};
    s.open_west = !s.periodic_x && drawn[10] < 0.4;
    s.open_east = !s.periodic_x && drawn[11] < 0.4;
    if (s.periodic_x && drawn[12] < 0.5) s.drop_x = 5e-3 * (drawn[13] - 0.5);
    if (s.periodic_y && drawn[14] < 0.5) s.drop_y = 5e-3 * (drawn[15] - 0.5);
    s.solver_iterations = drawn[16] < 0.2 ? 1 : 0;
    rn_world *world = make_world_on(terrain, &s);
    const double length = cells * 1e-3;
    rn_world_pour(world, (rn_vec3){length * drawn[17], length * drawn[18], 0.02}, 2e-3, 2e-6);
    rn_solid_def ball = {.shape = rn_sdf_sphere(2e-3), .at = {0.5 * length, 0.5 * length, 0.01}};
    rn_world_add_solid(world, &ball);
    rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02 * drawn[19]});
    return world;
}

static bool is_sound(rn_world *world) {
    rn_view f[2] = {rn_world_view(world, RN_FIELD_FLUX_X), rn_world_view(world, RN_FIELD_FLUX_Y)};
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < f[k].layers; l++)
            for (int y = 0; y < f[k].cells_y; y++)
                for (int x = 0; x < f[k].cells_x; x++)
                    if (!isfinite(f[k].data[l * f[k].layer_stride + y * f[k].row_stride + x])) return false;
    return rn_world_audit(world).drift == 0.0 && broken_columns(world) == 0.0;
}

static void stir(rn_world *world, int from, int to) {
    for (int i = from; i < to; i++) {
        if (i % 4 == 0)
            rn_world_move_solid(world, 0, (rn_vec3){1e-3 * (i % 7), 4e-3, 5e-3 + 1e-3 * (i % 5)}, (rn_quat){0});
        assert_int_equal(rn_world_step(world, i % 3 ? 4e-3 : 1e-4), RN_OK);
    }
}

/* Whatever the world: volume is exact, columns stay within their bounds, no flux is lost to infinity, and another world
   of the same kind goes on from its state bit for bit. */
static void any_world_is_sound(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= (getenv("RUNNEL_LONG") ? 120 : SANITIZED ? 10 : 30); seed++) {
        rn_world *world = any_world(seed, every[seed % EVERY]), *other = any_world(seed, every[seed % EVERY]);
        for (int i = 0; i < 24; i += 4) {
            stir(world, i, i + 4);
            if (!is_sound(world)) fail_msg("seed %u, frame %d", seed, i);
        }
        rn_snapshot *snapshot = NULL;
        assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
        assert_int_equal(rn_world_restore(other, snapshot), RN_OK);
        stir(world, 24, 30);
        stir(other, 24, 30);
        if (rn_world_hash(world) != rn_world_hash(other)) fail_msg("seed %u goes another way when restored", seed);
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(world);
        rn_world_destroy(other);
    }
}

/* A fallback, too, drives what is full: two basins come level although every solve of the implicit step fails, and no
   more substeps are taken than allowed. */
static void fallbacks_go_on(void **state) {
    (void)state;
    const plan p = bend_plan();
    rn_world *world = plan_world(
        &p, &(setup){.passages = FLOW_IMPLICIT, .viscosity = 1e-5, .solver_iterations = 2, .max_substeps = 3});
    plan_fill(world, &p, (double[]){22e-3, 18e-3});
    const uint64_t before = rn_world_get_stats(world).steps;
    assert_int_equal(rn_world_step(world, 1.0), RN_OK);
    assert_true(rn_world_get_stats(world).steps - before <= 3);
    double apart = 4e-3;
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(rn_world_step(world, 1e-3), RN_OK);
        apart = fmax(apart, fabs(plan_level(world, &p, 'A') - plan_level(world, &p, 'B')));
    }
    assert_true(rn_world_get_stats(world).fallbacks > 0 && apart < 4.1e-3);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_world_goes_the_same_way),
        cmocka_unit_test(another_world_goes_on_from_a_snapshot),
        cmocka_unit_test(any_threads_give_the_same),
        cmocka_unit_test(any_world_is_sound),
        cmocka_unit_test(fallbacks_go_on),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(any_threads_solve_the_same),
        cmocka_unit_test(bad_passages_are_refused),
        cmocka_unit_test(a_solve_that_fails_is_done_explicitly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
