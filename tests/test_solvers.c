/* The seam: what every solver and backend has to do, and a dummy that shows how little it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dummy_solver.h"
#include "physics/physics.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 24 };

/* All that are listed, and then the dummy; NULL past the last. */
static const rn_solver_class *solver_at(int number) {
    if (rn_solver_at(number)) return rn_solver_at(number);
    return number == 0 || rn_solver_at(number - 1) ? &dummy_solver : NULL;
}

#define FOR_EVERY(solver)                                                                                              \
    for (int number_ = 0; number_ < 64; number_++)                                                                     \
        for (const rn_solver_class *solver = solver_at(number_); solver; solver = NULL)

/* A hollow, deepest in its middle, with a terrain that the caller destroys after the world is made. */
static rn_terrain *hollow(void) {
    rn_column columns[SIDE * SIDE];
    int32_t counts[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x = i % SIDE - 0.5 * SIDE, y = i / SIDE - 0.4 * SIDE;
        columns[i] = (rn_column){-INFINITY, 0.002 * (x * x + y * y), 2.0};
        counts[i] = 1;
    }
    return make_terrain(SIDE, SIDE, 0.1, 2.0, columns, counts);
}

static rn_world *pond_on(const rn_solver_class *solver, int threads, double level) {
    rn_world_def def = rn_world_default();
    rn_terrain *terrain = hollow();
    rn_world *world = NULL;
    def.terrain = terrain;
    def.threads = threads;
    assert_int_equal(rn_world_create_on(solver, &def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = level}), RN_OK);
    return world;
}

/* With liquid that comes and goes in every way. */
static rn_world *busy_on(const rn_solver_class *solver, int threads) {
    rn_world *world = pond_on(solver, threads, 0.1);
    assert_true(rn_world_pour(world, (rn_vec3){0.3, 0.4, 1.0}, 0.2, 0.02) >= 0);
    assert_true(rn_world_drain(world, (rn_vec3){1.2, 0.9, 1.0}, 0.1, 0.003) >= 0);
    assert_true(rn_world_add_source(world, &(rn_source_def){.kind = RN_SOURCE_RAIN, .rate = 0.01}) >= 0);
    assert_true(rn_world_add_source(world, &(rn_source_def){.kind = RN_SOURCE_INFILTRATION, .rate = 0.001}) >= 0);
    assert_true(rn_world_add_section(world, 1.2, 0.0, 1.2, SIDE * 0.1) >= 0);
    return world;
}

static int add_box(rn_world *world, rn_body_mode way) {
    rn_body_def def = rn_body_default();
    rn_shape *box = rn_shape_box((rn_vec3){0.4, 0.4, 0.4});
    def.shape = box;
    def.pose.at = (rn_vec3){1.2, 1.0, 0.2};
    def.mode = way;
    const int body = rn_bodies_add(world, &def);
    rn_shape_destroy(box);
    return body;
}

static void step(rn_world *world, int frames) {
    for (int i = 0; i < frames; i++) assert_int_equal(rn_world_step(world, 0.02), RN_OK);
}

static void every_name_is_known(void **state) {
    (void)state;
    int count = 0;
    for (; rn_solver_at(count); count++) {
        const rn_solver_class *solver = rn_solver_at(count), *found = NULL;
        const rn_solver_description told = rn_solver_describe(count);
        assert_int_equal(rn_solver_find(solver->name, solver->backend, &found), RN_OK);
        assert_ptr_equal(found, solver); /* no two have the same name and backend */
        assert_string_equal(told.name, solver->name);
        assert_string_equal(told.backend, solver->backend);
        assert_true(strlen(told.meaning) > 0);
    }
    const rn_solver_class *first = NULL;
    assert_int_equal(rn_solver_count(), count);
    assert_null(rn_solver_describe(count).name);
    assert_null(rn_solver_describe(-1).name);
    assert_int_equal(rn_solver_find(NULL, NULL, &first), RN_OK);
    assert_ptr_equal(first, rn_solver_at(0));
    assert_int_equal(rn_solver_find("dummy", NULL, &first), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "there are \"explicit\" (cpu)"));
}

static void volume_is_exact_and_time_passes(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *world = busy_on(solver, 1);
        step(world, 50);
        const rn_audit audit = rn_world_audit(world);
        const rn_world_stats stats = rn_world_get_stats(world);
        assert_true(audit.drift == 0.0);
        assert_true(audit.poured > 0.02 && audit.drained > 0.0);
        assert_true(broken_columns(world) == 0.0);
        assert_true(fabs(stats.time - 1.0) < 1e-9 && fabs(stats.asked - 1.0) < 1e-9);
        assert_true(stats.substeps >= 1 && stats.dt > 0.0 && stats.dt <= 0.02 && stats.limit > 0.0);
        assert_true(stats.deepest > 0.1);
        assert_string_equal(rn_world_describe(world).solver, solver->name);
        assert_true(rn_world_describe(world).bytes > 0);
        const rn_sample at = rn_world_sample(world, (rn_vec3){1.2, 1.0, 1.0});
        assert_true(at.found && isfinite(at.velocity_x) && isfinite(at.velocity_y));
        assert_true(isfinite(rn_world_read_section(world, 0).volume));
        rn_world_destroy(world);
    }
}

static void a_lake_stays_as_it_is(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *world = pond_on(solver, 1, 0.3);
        rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
        float before[SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE; i++) before[i] = view.data[i / SIDE * view.row_stride + i % SIDE];
        step(world, 20);
        view = rn_world_view(world, RN_FIELD_DEPTH);
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_true(view.data[i / SIDE * view.row_stride + i % SIDE] == before[i]);
        rn_world_destroy(world);
    }
}

static void threads_give_the_same_bits(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        uint64_t hashes[3];
        for (int threads = 1; threads <= 3; threads++) {
            rn_world *world = busy_on(solver, threads);
            step(world, 25);
            hashes[threads - 1] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    }
}

static void a_restored_world_goes_on_in_the_same_way(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *first = busy_on(solver, 1), *second = busy_on(solver, 1);
        rn_snapshot *snapshot = NULL;
        step(first, 10);
        assert_int_equal(rn_world_save(first, &snapshot), RN_OK);
        const uint64_t saved = rn_world_hash(first);
        step(first, 10);
        assert_int_equal(rn_world_restore(second, snapshot), RN_OK);
        assert_true(rn_world_hash(second) == saved);
        step(second, 10);
        assert_true(rn_world_hash(second) == rn_world_hash(first));
        assert_int_equal(rn_world_restore(first, snapshot), RN_OK); /* and back in the same world */
        assert_true(rn_world_hash(first) == saved);
        step(first, 10);
        assert_true(rn_world_hash(second) == rn_world_hash(first));
        rn_snapshot_destroy(snapshot);
        rn_world_destroy(first);
        rn_world_destroy(second);
    }
}

static void what_hosts_write_is_taken_over(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *world = pond_on(solver, 1, 0.1);
        const rn_view view = rn_world_view(world, RN_FIELD_DEPTH);
        view.data[5 * view.row_stride + 5] = 0.25f;
        view.data[6 * view.row_stride + 5] = NAN;
        assert_int_equal(rn_world_commit(world), RN_OK);
        assert_true(fabs(rn_world_volume(world) - rn_world_audit(world).poured + rn_world_audit(world).drained) <
                    1e-12);
        step(world, 5);
        assert_true(rn_world_audit(world).drift == 0.0);
        assert_true(broken_columns(world) == 0.0);
        rn_world_destroy(world);
    }
}

static void slow_worlds_say_so(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world_def def = rn_world_default();
        rn_terrain *terrain = hollow();
        rn_world *world = NULL;
        def.terrain = terrain;
        def.max_substeps = 1;
        assert_int_equal(rn_world_create_on(solver, &def, &world), RN_OK);
        rn_terrain_destroy(terrain);
        assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.5}), RN_OK);
        assert_int_equal(rn_world_step(world, 10.0), RN_OK);
        const rn_world_stats stats = rn_world_get_stats(world);
        assert_true(stats.substeps == 1 && stats.time < 10.0 && stats.asked == 10.0);
        rn_world_destroy(world);
    }
}

/* Columns that are reshaped and partly solid come back too: those of the state, whatever the world has by then. */
static void a_restored_world_has_its_ground_and_bodies(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        if (!(solver->can & RN_CAN_RESHAPE) || !(solver->can & RN_CAN_PARTIAL)) continue;
        rn_world *worlds[2];
        rn_snapshot *snapshot = NULL;
        for (int k = 0; k < 2; k++) {
            worlds[k] = busy_on(solver, 1 + k);
            rn_sdf *block = rn_sdf_box((rn_vec3){0.5, 0.5, 0.2});
            assert_int_equal(rn_world_add_solid(worlds[k], &(rn_solid_def){.shape = block, .at = {0.5, 1.5, 0.8}}), 0);
            assert_int_equal(add_box(worlds[k], RN_BODY_BLOCKS), 0);
        }
        step(worlds[0], 5);
        assert_int_equal(rn_world_move_solid(worlds[0], 0, (rn_vec3){0.9, 1.4, 0.7}, (rn_quat){0}), RN_OK);
        rn_pose pose = {.at = {1.4, 1.1, 0.25}, .turn = {.w = 1.0}, .velocity = {0.5, 0.0, 0.0}};
        assert_int_equal(rn_bodies_move(worlds[0], 0, &pose), RN_OK);
        step(worlds[0], 5);
        assert_int_equal(rn_world_save(worlds[0], &snapshot), RN_OK);
        assert_int_equal(rn_world_restore(worlds[1], snapshot), RN_OK);
        for (int i = 0; i < 4; i++) {
            assert_true(rn_world_hash(worlds[0]) == rn_world_hash(worlds[1]));
            assert_true(rn_world_audit(worlds[1]).drift == 0.0);
            step(worlds[0], 3);
            step(worlds[1], 3);
        }
        rn_snapshot_destroy(snapshot);
        for (int k = 0; k < 2; k++) rn_world_destroy(worlds[k]);
    }
}

/* m^4/s, of all liquid along an axis, by the speeds of its columns. */
static double momentum_of(const rn_world *world, int axis) {
    const rn_columns *c = world->columns;
    double sum = 0.0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const int32_t slot = rn_slot(&c->grid, 0, y, x);
            double flow[2];
            rn_world_column_flow(world, slot, flow);
            sum += flow[axis] * (double)c->depth[slot] * c->cell * c->cell;
        }
    return sum;
}

/* The liquid gets what it is given, and no more along the other axis. */
static void a_push_is_taken_up(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        if (!(solver->can & RN_CAN_PUSH)) continue;
        rn_world *world = pond_on(solver, 1, 0.6);
        const double impulse[2] = {1e-4, -2e-4};
        world->solver->push(world->self, rn_slot(&world->columns->grid, 0, 12, 11), impulse);
        assert_int_equal(world->solver->sync(world->self), RN_OK);
        for (int axis = 0; axis < 2; axis++)
            assert_true(fabs(momentum_of(world, axis) - impulse[axis]) < 0.05 * fabs(impulse[axis]));
        step(world, 5);
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

/* ---- What not every solver can ----------------------------------------------------------------------------- */

/* A result is as `can` says; and if it cannot, with a sentence that names the solver. */
static void is_as_said(const rn_solver_class *solver, uint32_t what, bool done) {
    assert_int_equal(done, (solver->can & what) == what);
    if (done) return;
    char words[64];
    snprintf(words, sizeof words, "the solver \"%s\" (%s) does not have", solver->name, solver->backend);
    assert_non_null(strstr(rn_last_error(), words));
}

static bool creates(const rn_solver_class *solver, const rn_world_def *def) {
    rn_world *world = NULL;
    const bool fine = rn_world_create_on(solver, def, &world) == RN_OK;
    if (fine) step(world, 2);
    rn_world_destroy(world);
    return fine;
}

static void edges_are_taken_or_refused(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_terrain *terrain = hollow();
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        assert_true(creates(solver, &def));
        def.edges[RN_SIDE_WEST] = RN_EDGE_OPEN;
        is_as_said(solver, RN_CAN_OPEN, creates(solver, &def));
        def.edges[RN_SIDE_WEST] = def.edges[RN_SIDE_EAST] = RN_EDGE_PERIODIC;
        is_as_said(solver, RN_CAN_PERIODIC, creates(solver, &def));
        rn_terrain_destroy(terrain);
    }
}

static void layers_are_taken_or_refused(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_terrain *terrain = random_stacks(8, 3, 0.001, 7, STACKS_PLAIN);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        is_as_said(solver, RN_CAN_LAYERS, creates(solver, &def));
        rn_terrain_destroy(terrain);
        const rn_column floor = {-INFINITY, 0.0, 0.01};
        terrain = make_terrain(2, 1, 0.001, 0.01, &floor, (const int32_t[]){1, 0}); /* the other cell is a hole */
        def.terrain = terrain;
        is_as_said(solver, RN_CAN_OPEN, creates(solver, &def));
        rn_terrain_destroy(terrain);
    }
}

static void ground_changes_or_is_refused(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *world = pond_on(solver, 1, 0.3);
        rn_sdf *block = rn_sdf_move(rn_sdf_box((rn_vec3){0.5, 0.5, 0.4}), (rn_vec3){1.2, 1.0, 0.1});
        is_as_said(solver, RN_CAN_RESHAPE, rn_world_sculpt(world, block, false) == RN_OK);
        is_as_said(solver, RN_CAN_RESHAPE, rn_world_add_solid(world, &(rn_solid_def){.shape = block}) >= 0);
        step(world, 5);
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

static void regions_are_rough_or_refused(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *world = pond_on(solver, 1, 0.3);
        is_as_said(solver, RN_CAN_ROUGHEN, rn_world_set_friction(world, NULL, 0.2) == RN_OK);
        step(world, 2);
        rn_world_destroy(world);
    }
}

static void bodies_block_or_are_refused(void **state) {
    (void)state;
    FOR_EVERY(solver) {
        rn_world *world = pond_on(solver, 1, 0.3);
        is_as_said(solver, RN_CAN_PARTIAL, add_box(world, RN_BODY_BLOCKS) >= 0);
        assert_true(add_box(world, RN_BODY_AUTO) >= 0); /* floats where it cannot block */
        step(world, 5);
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

/* Of two worlds that differ in one entry of the ledger alone, the hashes differ. */
static void the_hash_covers_the_ledger(void **state) {
    (void)state;
    rn_world *world = pond_on(rn_solver_at(0), 1, 0.3);
    assert_true(add_box(world, RN_BODY_FLOATS) >= 0);
    step(world, 2);
    rn_ledger *book = &world->ledger;
    int64_t *const entries[] = {&book->poured, &book->drained, &book->left, &book->displaced, &book->body_offset};
    const uint64_t before = rn_world_hash(world);
    assert_true(book->body_offset != 0);
    for (int i = 0; i < 5; i++) {
        const int64_t was = *entries[i];
        ++*entries[i];
        assert_true(rn_world_hash(world) != before);
        *entries[i] = i == 4 ? 0 : was;
        assert_true((rn_world_hash(world) == before) == (i < 4));
        *entries[i] = was;
    }
    assert_true(rn_world_hash(world) == before);
    rn_world_destroy(world);
}

static void options_are_refused_by_their_solver(void **state) {
    (void)state;
    rn_terrain *terrain = hollow();
    rn_world_def def = rn_world_default();
    rn_world *world = NULL;
    def.terrain = terrain;
    def.passages = RN_PASSAGES_AXIS;
    assert_int_equal(rn_world_create_on(&dummy_solver, &def, &world), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "dummy"));
    def.solver = "implicit";
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "implicit solver"));
    assert_null(world);
    rn_terrain_destroy(terrain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_known),
        cmocka_unit_test(volume_is_exact_and_time_passes),
        cmocka_unit_test(a_lake_stays_as_it_is),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(a_restored_world_goes_on_in_the_same_way),
        cmocka_unit_test(a_push_is_taken_up),
        cmocka_unit_test(a_restored_world_has_its_ground_and_bodies),
        cmocka_unit_test(what_hosts_write_is_taken_over),
        cmocka_unit_test(slow_worlds_say_so),
        cmocka_unit_test(edges_are_taken_or_refused),
        cmocka_unit_test(layers_are_taken_or_refused),
        cmocka_unit_test(ground_changes_or_is_refused),
        cmocka_unit_test(regions_are_rough_or_refused),
        cmocka_unit_test(bodies_block_or_are_refused),
        cmocka_unit_test(the_hash_covers_the_ledger),
        cmocka_unit_test(options_are_refused_by_their_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
