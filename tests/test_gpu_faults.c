/* What the explicit solver on a GPU does without a GPU, without memory, and when the GPU fails: here by the GPU's own
   program, run on threads (src/cuda/machine_threads.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_worlds.h"

/* If the GPU fails in a frame, that frame is repeated on the CPU from its start: nothing is lost, and one warning says
   so. */
static void faults_are_made_good(void **state) {
    static const kind kinds[] = {BUMPS, ROOFED, OPEN}; /* of all programs */
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip(); /* a real one does not fail when asked to */
    for (int i = 0; i < 6; i++) {
        rn_world *cpu = world_of(kinds[i % 3], "cpu"), *gpu = world_of(kinds[i % 3], "cuda");
        if (i >= 3) add_sources(cpu, 0.1), add_sources(gpu, 0.1);
        said = (heard){.sought = "it fell off its bus; this frame is repeated on the CPU"};
        step(cpu, 4), step(gpu, 2);
        assert_int_equal(said.count, 0);
        setenv("RUNNEL_EMULATED_FAULT", "it fell off its bus", 1);
        step(gpu, 1);
        unsetenv("RUNNEL_EMULATED_FAULT");
        step(gpu, 1);
        assert_int_equal(said.found, 1);
        assert_int_equal(said.count, 1);
        assert_same(cpu, gpu);
        add_box(cpu), add_box(gpu); /* memory of the host joins that of the GPU */
        step(cpu, 2), step(gpu, 2);
        assert_same(cpu, gpu);
        rn_world_destroy(cpu), rn_world_destroy(gpu);
    }
}

/* "auto" takes the GPU for large worlds, or the CPU with a message where the solver does not do. */
static void the_backend_may_be_chosen(void **state) {
    rn_world_def def = rn_world_default();
    rn_terrain *terrain = ground_of(FLAT, 0.1), *large = NULL;
    rn_terrain_def large_def = rn_terrain_default();
    rn_world *world = NULL;
    heard messages = {.sought = "on the CPU"};
    (void)state;
    def.terrain = terrain;
    def.backend = "auto";
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    assert_string_equal(rn_world_describe(world).backend, "cpu");
    rn_world_destroy(world);
    rn_terrain_destroy(terrain);
    large_def.cells_x = large_def.cells_y = 512;
    large_def.cell_size = 0.1;
    large_def.lid = 1.0;
    large_def.solid = rn_sdf_plane((rn_vec3){0}, (rn_vec3){0, 0, 1});
    assert_int_equal(rn_terrain_create(&large_def, &large), RN_OK);
    def.terrain = large;
    def.hooks.user = &messages, def.hooks.log = hear;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    assert_string_equal(rn_world_describe(world).backend, "cuda");
    rn_world_destroy(world);
    def.solver = "implicit";
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    assert_string_equal(rn_world_describe(world).backend, "cuda");
    assert_int_equal(messages.found, 0);
    rn_world_destroy(world);
    def.solver = "packets";
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    assert_string_equal(rn_world_describe(world).backend, "cpu");
    assert_int_equal(messages.found, 1);
    rn_world_destroy(world);
    rn_terrain_destroy(large);
}

/* The message names the free memory. */
static void too_little_memory_is_said(void **state) {
    rn_world_def def = rn_world_default();
    rn_terrain *terrain = ground_of(FLAT, 0.1);
    rn_world *world = NULL;
    heard messages = {.sought = "0 MB of free memory"};
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip(); /* a real one has enough */
    setenv("RUNNEL_EMULATED_MEMORY", "1e2", 1);
    def.terrain = terrain;
    def.backend = "cuda";
    def.hooks.user = &messages, def.hooks.log = hear;
    if (rn_world_create(&def, &world) != RN_MEMORY) fail_msg("%s", rn_last_error());
    assert_int_equal(messages.found, 1);
    unsetenv("RUNNEL_EMULATED_MEMORY");
    rn_terrain_destroy(terrain);
}

/* Sets the memory of the emulated GPU (bytes). */
static void set_memory(double bytes) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", bytes);
    setenv("RUNNEL_EMULATED_MEMORY", text, 1);
}

/* Steps a world on a GPU whose memory (bytes) is at first the one, and then the other, beside one on the CPU. If the
   first is 0, there is no first step, and copies take no memory. Returns false if memory ran out. */
static bool goes_on(kind k, double first, double then) {
    set_memory(1e12); /* what fills a world may need more than its steps */
    rn_world *cpu = world_of(k, "cpu"), *gpu = world_of(k, "cuda");
    said = (heard){.sought = "free memory"};
    set_memory(first);
    bool enough = first == 0.0 || rn_world_step(gpu, 0.05) == RN_OK;
    set_memory(then);
    if (enough) {
        step(cpu, first > 0.0);
        add_box(cpu), add_box(gpu);
        enough = rn_world_step(gpu, 0.05) == RN_OK;
    }
    if (enough) {
        step(cpu, 1);
        assert_same(cpu, gpu);
        setenv("RUNNEL_EMULATED_FAULT", "it fell off its bus", 1);
        assert_int_equal(rn_world_step(gpu, 0.05), RN_INVALID); /* there is no copy */
        unsetenv("RUNNEL_EMULATED_FAULT");
    }
    assert_int_equal(said.found > 0, !enough);
    rn_world_destroy(cpu), rn_world_destroy(gpu);
    unsetenv("RUNNEL_EMULATED_MEMORY");
    return enough;
}

/* Copies that make faults good take no memory that substeps need, whether there is too little for them from the start
   or later. */
static void copies_give_way(void **state) {
    static const kind kinds[] = {BUMPS, ROOFED}; /* of both programs */
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip(); /* a real one has enough */
    for (int i = 0; i < 2; i++) {
        double once = 1e6;
        while (!goes_on(kinds[i], 0.0, once)) once *= 1.1;
        double twice = once;
        while (!goes_on(kinds[i], twice, twice)) twice *= 1.02; /* lists grow between steps */
        print_message("bytes for one step %.3g, for two %.3g\n", once, twice);
        assert_true(twice < 1.3 * once); /* with copies it would be twice as much */
        assert_true(goes_on(kinds[i], 1e12, twice));
    }
}

/* Solvers that the GPU does not have run on the CPU, and a message says so. */
static void other_solvers_run_on_the_cpu(void **state) {
    static const char *const solvers[] = {"packets", "mac"};
    rn_terrain *terrain = ground_of(FLAT, 0.1);
    (void)state;
    for (int i = 0; i < 2; i++) {
        rn_world_def def = rn_world_default();
        rn_world *world = NULL;
        heard messages = {.sought = "on the CPU"};
        def.terrain = terrain;
        def.backend = "cuda", def.solver = solvers[i];
        def.hooks.user = &messages, def.hooks.log = hear;
        assert_int_equal(rn_world_create(&def, &world), RN_OK);
        assert_string_equal(rn_world_describe(world).backend, "cpu");
        assert_int_equal(messages.found, 1);
        assert_non_null(strstr(messages.last, solvers[i]));
        rn_world_destroy(world);
    }
    rn_terrain_destroy(terrain);
}

/* The driver may compile for a minute, and only then. */
static void loading_is_said(void **state) {
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip(); /* a real one loads each program once */
    rn_world *world = world_of(BUMPS, "cuda");
    said = (heard){.sought = ""};
    step(world, 1);
    assert_int_equal(said.loads, 0);
    setenv("RUNNEL_EMULATED_LOAD", "1", 1);
    step(world, 1);
    unsetenv("RUNNEL_EMULATED_LOAD");
    assert_int_equal(said.loads, 1);
    rn_world_destroy(world);
}

static void what_is_missing_is_said(void **state) {
    rn_world_def def = rn_world_default();
    rn_terrain *terrain = ground_of(FLAT, 0.1);
    rn_world *world = NULL;
    (void)state;
    def.terrain = terrain;
    def.backend = "cuda";
    setenv("RUNNEL_CUDA_LIBRARY", "/nowhere/librunnel-cuda.so", 1);
    assert_int_equal(rn_world_create(&def, &world), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "/nowhere/librunnel-cuda.so"));
    rn_terrain_destroy(terrain);
}

int main(void) {
#if defined(EMULATED)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_made_good),         cmocka_unit_test(the_backend_may_be_chosen),
        cmocka_unit_test(too_little_memory_is_said),    cmocka_unit_test(copies_give_way),
        cmocka_unit_test(other_solvers_run_on_the_cpu), cmocka_unit_test(loading_is_said),
        cmocka_unit_test(what_is_missing_is_said),
    };
    use_emulation(EMULATED);
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)faults_are_made_good, (void)the_backend_may_be_chosen, (void)too_little_memory_is_said, (void)copies_give_way,
        (void)other_solvers_run_on_the_cpu, (void)loading_is_said, (void)what_is_missing_is_said;
    return 0; /* the program is not built here */
#endif
}
