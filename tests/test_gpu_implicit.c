/* The implicit solver on a GPU gives the bits of the CPU: here by the GPU's own program, run on threads
   (src/cuda/machine_threads.c), for several numbers of blocks and lanes. tools/gpu-check has the same on a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_worlds.h"

static const char *const shapes[] = {"2x2x1", "1x1x1", "2x1x3", "1x2x1", "3x1x2"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Kinds that the implicit solver has: all but those with contact angles. */
static const kind kinds[] = {FLAT, BUMPS, OPEN, ROUGH, FILM, ROOFED, PERIODIC, LAYERED, SPILLING, FILLING, NEARLY};
enum { SORTS = sizeof kinds / sizeof *kinds };

static void implicit(rn_world_def *def) { def->solver = "implicit"; }

/* Sideways gravity. */
static void tilted(rn_world_def *def) {
    implicit(def);
    def->gravity.x = 0.7, def->gravity.y = -0.4;
}

/* Linear solves that do not converge: substeps are taken explicitly. */
static void hopeless(rn_world_def *def) {
    implicit(def);
    def->solver_iterations = 1;
}

/* Long substeps: many columns fall dry or fill up in one. */
static void long_substeps(rn_world_def *def) {
    implicit(def);
    def->courant = 40.0;
}

/* Periodic along y only. */
static void half_periodic(rn_world_def *def) {
    implicit(def);
    def->edges[0] = def->edges[1] = RN_EDGE_WALL;
}

/* One world on the CPU and one on the GPU. */
typedef struct both {
    rn_world *cpu, *gpu;
} both;

static both begin(kind k, const char *shape, void (*change)(rn_world_def *def)) {
    setenv("RUNNEL_EMULATED", shape, 1);
    said = (heard){.sought = "on the CPU"};
    return (both){world_with(k, "cpu", change), world_with(k, "cuda", change)};
}

/* Steps both so often, and compares them after each step. */
static void step_both(both w, int frames) {
    for (int i = 0; i < frames; i++) {
        step(w.cpu, 1), step(w.gpu, 1);
        assert_same(w.cpu, w.gpu);
        assert_int_equal(rn_world_get_stats(w.cpu).substeps, rn_world_get_stats(w.gpu).substeps);
        assert_int_equal(rn_world_get_stats(w.cpu).iterations, rn_world_get_stats(w.gpu).iterations);
        assert_int_equal(rn_world_get_stats(w.cpu).fallbacks, rn_world_get_stats(w.gpu).fallbacks);
        assert_true(rn_world_get_stats(w.cpu).deepest == rn_world_get_stats(w.gpu).deepest);
        assert_true(rn_world_get_stats(w.cpu).limit == rn_world_get_stats(w.gpu).limit);
    }
}

/* Nothing was said of the CPU. */
static void end(both w) {
    assert_int_equal(said.found, 0);
    rn_world_destroy(w.cpu), rn_world_destroy(w.gpu);
}

static void bits_are_those_of_the_cpu(void **state) {
    (void)state;
    for (int i = 0; i < SORTS; i++) {
        const both w = begin(kinds[i], shapes[i % SHAPES], implicit);
        assert_string_equal(rn_world_describe(w.gpu).backend, "cuda");
        step_both(w, 3);
        assert_true(rn_world_get_stats(w.gpu).substeps > 0);
        if (kinds[i] == ROOFED) assert_true(rn_world_get_stats(w.gpu).flooded > 0);
        end(w);
    }
}

/* For large systems all blocks solve together, for others the lanes of one. */
static void all_blocks_solve(void **state) {
    static const char *const many[] = {"3x5x2", "4x2x1"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const both w = begin(LAYERED, many[i], implicit);
        step_both(w, 1);
        end(w);
    }
}

/* Sideways gravity, long substeps, and a single periodic axis. */
static void settings_count(void **state) {
    static const struct {
        kind kind;
        void (*change)(rn_world_def *def);
    } some[] = {{BUMPS, tilted},        {PERIODIC, tilted},      {ROOFED, tilted},         {LAYERED, tilted},
                {BUMPS, long_substeps}, {ROOFED, long_substeps}, {PERIODIC, half_periodic}};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const both w = begin(some[i].kind, shapes[i % SHAPES], some[i].change);
        step_both(w, 2);
        end(w);
    }
}

/* A passage fills up on the way, and its columns get heads. */
static void passages_fill(void **state) {
    const both w = begin(FILLING, "2x2x1", implicit);
    (void)state;
    step_both(w, 20);
    assert_true(rn_world_get_stats(w.cpu).flooded > 0);
    end(w);
}

/* Where a solve does not converge, the substep is taken explicitly. */
static void substeps_fall_back(void **state) {
    static const kind some[] = {BUMPS, ROOFED, PERIODIC, FILLING};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const both w = begin(some[i], shapes[i], hopeless);
        step_both(w, 6);
        assert_true(rn_world_get_stats(w.gpu).fallbacks > 0);
        assert_int_equal(said.count, 1);
        assert_non_null(strstr(said.last, "did not converge"));
        end(w);
    }
}

/* Sources and sections act after every substep. */
static void sources_act(void **state) {
    (void)state;
    for (int i = 0; i < 8; i += 1 + i / 4) {
        const both w = begin(kinds[i], shapes[i % SHAPES], implicit);
        add_sources(w.cpu, cell_of(kinds[i])), add_sources(w.gpu, cell_of(kinds[i]));
        step_both(w, 4);
        assert_true(rn_world_audit(w.cpu).poured == rn_world_audit(w.gpu).poured);
        assert_true(rn_world_audit(w.cpu).drained == rn_world_audit(w.gpu).drained);
        for (int k = 0; k < 2; k++)
            assert_true(rn_world_read_section(w.cpu, k).volume == rn_world_read_section(w.gpu, k).volume);
        end(w);
    }
}

/* A slab that moves through water gives other columns a ceiling in each frame, and those below it are full. */
static void ceilings_may_move(void **state) {
    const both w = begin(FILLING, "2x2x1", implicit);
    rn_world *worlds[] = {w.cpu, w.gpu};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){2, 2, 0.3}), .at = {3, 2, 3}, .turn = {.w = 1}};
        assert_int_equal(rn_world_add_solid(worlds[i], &def), 0);
    }
    for (int frame = 0; frame < 6; frame++) {
        for (int i = 0; i < 2; i++) {
            const rn_vec3 at = {3 + 0.23 * frame, 2 + 0.1 * frame, 0.8};
            assert_int_equal(rn_world_move_solid(worlds[i], 0, at, (rn_quat){.w = 1}), RN_OK);
        }
        step_both(w, 1);
    }
    assert_true(rn_world_get_stats(w.cpu).flooded > 100);
    end(w);
}

/* Bodies cover shares of cells, and faces count what they sweep over. */
static void bodies_sweep(void **state) {
    static const kind some[] = {FLAT, PERIODIC, OPEN};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const both w = begin(some[i], shapes[i], implicit);
        rn_world *worlds[] = {w.cpu, w.gpu};
        rn_shape *ball = rn_shape_sphere(0.7);
        for (int k = 0; k < 2; k++) {
            rn_body_def def = rn_body_default();
            def.shape = ball;
            def.mode = RN_BODY_BLOCKS;
            def.pose = (rn_pose){.at = {3.03, 1.9, 0.9}, .turn = {.w = 1}, .velocity = {1, 0.3, 0}};
            assert_int_equal(rn_bodies_add(worlds[k], &def), 0);
        }
        rn_shape_destroy(ball);
        for (int frame = 0; frame < 6; frame++) {
            const rn_pose to = {.at = {3.03 + 0.05 * (frame + 1), 1.9 + 0.015 * (frame + 1), 0.9},
                                .turn = {.w = 1},
                                .velocity = {1, 0.3, 0}};
            for (int k = 0; k < 2; k++) assert_int_equal(rn_bodies_move(worlds[k], 0, &to), RN_OK);
            step_both(w, 1);
        }
        end(w);
    }
}

/* A snapshot of one backend goes on, on the other. */
static void snapshots_go_between_backends(void **state) {
    const both w = begin(ROOFED, "2x2x1", implicit);
    rn_snapshot *snapshot = NULL;
    (void)state;
    step(w.cpu, 3);
    assert_int_equal(rn_world_save(w.cpu, &snapshot), RN_OK);
    assert_int_equal(rn_world_restore(w.gpu, snapshot), RN_OK);
    step(w.cpu, 3), step(w.gpu, 3);
    assert_same(w.cpu, w.gpu);
    rn_snapshot_destroy(snapshot);
    end(w);
}

/* Worlds of this solver are stepped together. */
static void many_worlds_step_together(void **state) {
    static const kind some[] = {BUMPS, LAYERED, PERIODIC, ROOFED};
    rn_world *cpu[4], *gpu[4];
    (void)state;
    setenv("RUNNEL_EMULATED", "2x2x1", 1);
    for (int i = 0; i < 4; i++)
        cpu[i] = world_with(some[i], "cpu", implicit), gpu[i] = world_with(some[i], "cuda", implicit);
    for (int frame = 0; frame < 4; frame++) {
        for (int i = 0; i < 4; i++) step(cpu[i], 1);
        assert_int_equal(rn_worlds_step(gpu, 4, 0.05), RN_OK);
        for (int i = 0; i < 4; i++) assert_same(cpu[i], gpu[i]);
    }
    for (int i = 0; i < 4; i++) rn_world_destroy(cpu[i]), rn_world_destroy(gpu[i]);
}

/* If the GPU fails in a frame, that frame is repeated on the CPU from its start. This shows, too, that the frames
   before were the GPU's. */
static void faults_are_made_good(void **state) {
    static const kind some[] = {BUMPS, ROOFED};
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip(); /* a real one does not fail when asked to */
    for (int i = 0; i < 2; i++) {
        const both w = begin(some[i], "2x2x1", implicit);
        said = (heard){.sought = "it fell off its bus; this frame is repeated on the CPU"};
        step_both(w, 2);
        assert_int_equal(said.count, 0);
        setenv("RUNNEL_EMULATED_FAULT", "it fell off its bus", 1);
        step_both(w, 1);
        unsetenv("RUNNEL_EMULATED_FAULT");
        step_both(w, 2);
        assert_int_equal(said.found, 1);
        assert_int_equal(said.count, 1);
        rn_world_destroy(w.cpu), rn_world_destroy(w.gpu);
    }
}

int main(void) {
#if defined(EMULATED)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_cpu),
        cmocka_unit_test(all_blocks_solve),
        cmocka_unit_test(settings_count),
        cmocka_unit_test(passages_fill),
        cmocka_unit_test(substeps_fall_back),
        cmocka_unit_test(sources_act),
        cmocka_unit_test(ceilings_may_move),
        cmocka_unit_test(bodies_sweep),
        cmocka_unit_test(snapshots_go_between_backends),
        cmocka_unit_test(many_worlds_step_together),
        cmocka_unit_test(faults_are_made_good),
    };
    use_emulation(EMULATED);
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)bits_are_those_of_the_cpu, (void)all_blocks_solve, (void)settings_count, (void)passages_fill,
        (void)substeps_fall_back, (void)sources_act, (void)ceilings_may_move, (void)bodies_sweep,
        (void)snapshots_go_between_backends, (void)many_worlds_step_together, (void)faults_are_made_good;
    return 0; /* the program is not built here */
#endif
}
