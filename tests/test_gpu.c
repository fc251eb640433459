/* The explicit solver on a GPU gives the bits of the CPU: here by the GPU's own program, run on threads
   (src/cuda/machine_threads.c), for several numbers of blocks and lanes. tools/gpu-check has the same on a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu_worlds.h"

/* Every kind of world, step by step beside the CPU. */
static void same_bits(const char *shape) {
    setenv("RUNNEL_EMULATED", shape, 1);
    for (kind k = 0; k < KINDS; k++) {
        rn_world *cpu = world_of(k, "cpu"), *gpu = world_of(k, "cuda");
        for (int i = 0; i < 4; i++) {
            step(cpu, 2), step(gpu, 2);
            assert_same(cpu, gpu);
        }
        assert_true(rn_world_get_stats(gpu).steps > 4);
        rn_world_destroy(cpu), rn_world_destroy(gpu);
    }
}

/* Water over cliffs, and under a low lid: columns run dry and over, and transfers are limited. */
static void limits_are_those_of_the_cpu(void **state) {
    static const water_kind kinds[] = {WATER_VIOLENT, WATER_BRIMMING, WATER_HALF_DRY};
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (int i = 0; i < 3; i++) {
        rn_world *cpu = NULL, *gpu = NULL;
        rn_world_def def;
        assert_int_equal(water_create(kinds[i], NX, NY, 1, "cpu", &cpu, &def), RN_OK);
        assert_int_equal(water_create(kinds[i], NX, NY, 1, "cuda", &gpu, &def), RN_OK);
        for (int frame = 0; frame < 6; frame++) {
            assert_int_equal(rn_world_step(cpu, 0.01), RN_OK);
            assert_int_equal(rn_world_step(gpu, 0.01), RN_OK);
            assert_same(cpu, gpu);
        }
        assert_true(rn_world_get_stats(gpu).steps > 4);
        rn_world_destroy(cpu), rn_world_destroy(gpu);
    }
}

static void bits_are_those_of_the_cpu(void **state) {
    (void)state;
    same_bits("3x5x2");
    same_bits("1x2x1");
    same_bits("2x1x3");
}

/* Grids whose last tiles or pieces have no more than three columns or rows: what is read ahead ends beyond them. */
static void narrow_tiles_are_at_edges(void **state) {
    static const int sizes[][2] = {{67, 64}, {150, 35}, {131, 33}, {35, 19}};
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (int i = 0; i < 4; i++)
        for (water_kind k = 0; k <= WATER_STILL; k++) {
            rn_world *cpu = NULL, *gpu = NULL;
            rn_world_def def;
            assert_int_equal(water_create(k, sizes[i][0], sizes[i][1], 1, "cpu", &cpu, &def), RN_OK);
            assert_int_equal(water_create(k, sizes[i][0], sizes[i][1], 1, "cuda", &gpu, &def), RN_OK);
            for (int frame = 0; frame < 3; frame++) {
                assert_int_equal(rn_world_step(cpu, 0.01), RN_OK);
                assert_int_equal(rn_world_step(gpu, 0.01), RN_OK);
                assert_same(cpu, gpu);
            }
            rn_world_destroy(cpu), rn_world_destroy(gpu);
        }
}

/* A snapshot of one backend goes on, on the other. */
static void snapshots_go_between_backends(void **state) {
    rn_world *cpu = world_of(ROOFED, "cpu"), *gpu = world_of(ROOFED, "cuda");
    rn_snapshot *snapshot = NULL;
    (void)state;
    step(cpu, 3);
    assert_int_equal(rn_world_save(cpu, &snapshot), RN_OK);
    assert_int_equal(rn_world_restore(gpu, snapshot), RN_OK);
    step(cpu, 3), step(gpu, 3);
    assert_same(cpu, gpu);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(cpu), rn_world_destroy(gpu);
}

/* Whether ledgers, sections and the statistics that hosts see are equal, too. */
static void assert_same_books(rn_world *a, rn_world *b) {
    const rn_audit own = rn_world_audit(a), other = rn_world_audit(b);
    assert_true(own.poured == other.poured && own.drained == other.drained && own.refused == other.refused);
    assert_true(rn_world_get_stats(a).deepest == rn_world_get_stats(b).deepest);
    assert_true(rn_world_get_stats(a).limit == rn_world_get_stats(b).limit);
    for (int i = 0; i < 2; i++) {
        const rn_section mine = rn_world_read_section(a, i), theirs = rn_world_read_section(b, i);
        assert_true(mine.volume == theirs.volume && mine.discharge == theirs.discharge && mine.area == theirs.area);
    }
}

/* Sources and sections act after every substep, on the GPU too: nothing is said of the CPU. */
static void sources_act(void **state) {
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (kind k = FLAT; k < KINDS; k++) {
        rn_world *cpu = world_of(k, "cpu"), *gpu = world_of(k, "cuda");
        add_sources(cpu, cell_of(k)), add_sources(gpu, cell_of(k));
        said = (heard){.sought = "on the CPU"};
        for (int i = 0; i < 5; i++) {
            step(cpu, 1), step(gpu, 1);
            assert_same(cpu, gpu);
            assert_same_books(cpu, gpu);
        }
        assert_int_equal(said.found, 0);
        rn_world_destroy(cpu), rn_world_destroy(gpu);
    }
}

/* Empties the columns around the hole of a platform for a while: liquid that comes back must not have an old speed. */
static void dry_hole(rn_world *world, double c) {
    const rn_source_def drain = {.kind = RN_SOURCE_DRAIN,
                                 .at = {63 * c, 16 * c, 0},
                                 .radius = 6 * c,
                                 .rate = INFINITY,
                                 .start = 0.15,
                                 .stop = 0.22};
    assert_true(rn_world_add_source(world, &drain) >= 0);
}

/* Layers, falls, holes, open edges, ceilings above the water and contact angles run in the short program, with and
   without sources. */
static void linked_worlds_take_the_short_program(void **state) {
    static const kind kinds[] = {LAYERED, SPILLING, BEADS, NEARLY};
    static const char *const shapes[] = {"3x5x2", "1x1x1", "4x2x3"};
    (void)state;
    if (getenv("RUNNEL_ON_GPU")) skip(); /* a real one does not tell */
    setenv("RUNNEL_EMULATED_SHORT", "1", 1);
    for (int i = 0; i < 8; i++) {
        const kind k = kinds[i % 4];
        setenv("RUNNEL_EMULATED", shapes[i % 3], 1);
        rn_world *cpu = world_of(k, "cpu"), *gpu = world_of(k, "cuda");
        if (i >= 4 && k < BEADS) {
            add_sources(cpu, cell_of(k)), add_sources(gpu, cell_of(k));
            dry_hole(cpu, cell_of(k)), dry_hole(gpu, cell_of(k));
        }
        said = (heard){.sought = "only short programs"};
        for (int frame = 0; frame < 4; frame++) {
            step(cpu, 2), step(gpu, 2);
            assert_same(cpu, gpu);
            assert_true(rn_world_get_stats(cpu).deepest == rn_world_get_stats(gpu).deepest);
            assert_true(rn_world_get_stats(cpu).limit == rn_world_get_stats(gpu).limit);
        }
        assert_int_equal(said.count, 0);
        assert_int_equal(rn_world_audit(gpu).left > 0.0, k == SPILLING || k == BEADS);
        rn_world_destroy(cpu), rn_world_destroy(gpu);
    }
    unsetenv("RUNNEL_EMULATED_SHORT");
}

/* The number of tiles of a world on the CPU that rest, and have liquid. */
static int resting(const rn_world *world) {
    uint8_t rests[64];
    int count = 0;
    const rn_resting found = rn_world_resting(world, rests, sizeof rests);
    assert_non_null(found.rests);
    for (int i = 0; i < found.tiles_x * found.tiles_y * found.layers; i++) count += rests[i];
    return count;
}

/* The lake below a platform rests where water from above has not arrived. */
static void layers_rest(void **state) {
    rn_world *cpu = world_of(LAYERED, "cpu"), *gpu = world_of(LAYERED, "cuda");
    int most = 0, least = 64;
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (int i = 0; i < 30; i++) {
        step(cpu, 1), step(gpu, 1);
        assert_same(cpu, gpu);
        most = resting(cpu) > most ? resting(cpu) : most;
        least = resting(cpu) < least ? resting(cpu) : least;
    }
    assert_true(most > least);
    rn_world_destroy(cpu), rn_world_destroy(gpu);
}

/* A frame in which a passage fills up is repeated by the general program: nothing is said, and bits are the same. Where
   that program may not run, this shows that it was needed, and not from the start. */
static void frames_are_repeated_where_passages_fill(void **state) {
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (int i = 0; i < 4; i++) {
        const bool only_short = i % 2;
        int first = -1;
        if (only_short && getenv("RUNNEL_ON_GPU")) continue;
        rn_world *cpu = world_of(FILLING, "cpu"), *gpu = world_of(FILLING, "cuda");
        if (i >= 2) add_sources(cpu, 0.1), add_sources(gpu, 0.1);
        said = (heard){.sought = "only short programs"};
        if (only_short) setenv("RUNNEL_EMULATED_SHORT", "1", 1);
        for (int frame = 0; frame < 20; frame++) {
            step(cpu, 1), step(gpu, 1);
            assert_same(cpu, gpu);
            if (first < 0 && said.found) first = frame;
        }
        unsetenv("RUNNEL_EMULATED_SHORT");
        assert_true(rn_world_get_stats(cpu).flooded > 0);
        assert_int_equal(said.count, only_short);
        assert_int_equal(first > 0, only_short);
        rn_world_destroy(cpu), rn_world_destroy(gpu);
    }
}

/* Worlds of all programs, and one of the CPU, that are stepped together. In FILLING a passage fills up on the way. */
static void many_worlds_step_together(void **state) {
    static const kind kinds[] = {BUMPS, FILLING, LAYERED, OPEN, PERIODIC, BUMPS, FILM};
    enum { MANY = sizeof kinds / sizeof kinds[0] };
    rn_world *cpu[MANY + 1], *gpu[MANY + 1];
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (int i = 0; i <= MANY; i++) {
        cpu[i] = world_of(kinds[i % MANY], "cpu");
        gpu[i] = world_of(kinds[i % MANY], i < MANY ? "cuda" : "cpu");
        if (i == 2 || i == 5) add_sources(cpu[i], cell_of(kinds[i])), add_sources(gpu[i], cell_of(kinds[i]));
    }
    for (int frame = 0; frame < 10; frame++) {
        for (int i = 0; i <= MANY; i++) step(cpu[i], 1);
        assert_int_equal(rn_worlds_step(gpu, MANY + 1, 0.05), RN_OK);
        for (int i = 0; i <= MANY; i++) assert_same(cpu[i], gpu[i]);
    }
    assert_true(rn_world_get_stats(cpu[1]).flooded > 0);
    if (!getenv("RUNNEL_ON_GPU")) setenv("RUNNEL_EMULATED_FAULT", "made up", 1); /* the CPU repeats the frame of all */
    for (int i = 0; i <= MANY; i++) step(cpu[i], 1);
    assert_int_equal(rn_worlds_step(gpu, MANY + 1, 0.05), RN_OK);
    for (int i = 0; i <= MANY; i++) {
        assert_same(cpu[i], gpu[i]);
        assert_int_equal(rn_world_get_stats(cpu[i]).substeps, rn_world_get_stats(gpu[i]).substeps);
    }
    unsetenv("RUNNEL_EMULATED_FAULT");
    assert_int_equal(rn_worlds_step(gpu, MANY, -1.0), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "rn_worlds_step was asked for -1 s"));
    assert_int_equal(rn_worlds_step(NULL, 0, 0.05), RN_OK);
    for (int i = 0; i <= MANY; i++) rn_world_destroy(cpu[i]), rn_world_destroy(gpu[i]);
}

/* Dry tiles, and those of a level lake, rest until a source pours into them. */
static void sources_wake_tiles(void **state) {
    static const water_kind kinds[] = {WATER_HOLLOW, WATER_STILL};
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    for (int k = 0; k < 2; k++) {
        rn_world *world[2] = {NULL, NULL};
        rn_world_def def;
        uint8_t rests[12]; /* the source is over the last tile */
        for (int i = 0; i < 2; i++) {
            const rn_source_def pour = {.at = {0.28, 0.05, 1.0}, .radius = 0.003, .rate = 1e-5, .start = 0.012};
            assert_int_equal(water_create(kinds[k], 300, 60, 1, i ? "cuda" : "cpu", &world[i], &def), RN_OK);
            assert_true(rn_world_add_source(world[i], &pour) >= 0);
            assert_int_equal(rn_world_step(world[i], 0.01), RN_OK);
        }
        assert_non_null(rn_world_resting(world[0], rests, sizeof rests).rests);
        assert_int_equal(rests[11], kinds[k] == WATER_STILL); /* dry tiles are not told */
        for (int i = 0; i < 2; i++) {
            const double before = rn_world_audit(world[i]).poured; /* with what filled the world */
            for (int frame = 0; frame < 3; frame++) assert_int_equal(rn_world_step(world[i], 0.01), RN_OK);
            assert_true(rn_world_audit(world[i]).poured > before);
        }
        assert_non_null(rn_world_resting(world[0], rests, sizeof rests).rests);
        assert_int_equal(rests[11], 0);
        assert_same(world[0], world[1]);
        rn_world_destroy(world[0]), rn_world_destroy(world[1]);
    }
}

/* Gauges alone act too. */
static void sections_measure(void **state) {
    rn_world *cpu = world_of(BUMPS, "cpu"), *gpu = world_of(BUMPS, "cuda");
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(rn_world_add_section(i ? gpu : cpu, 0.3 * NX * 0.1, 0, 0.6 * NX * 0.1, NY * 0.1) >= 0);
        assert_true(rn_world_add_section(i ? gpu : cpu, 2, 1, 3, 1) >= 0);
    }
    step(cpu, 4), step(gpu, 4);
    assert_same(cpu, gpu);
    assert_same_books(cpu, gpu);
    assert_true(rn_world_read_section(gpu, 0).volume != 0.0);
    rn_world_destroy(cpu), rn_world_destroy(gpu);
}

/* Solid that comes later changes columns; the world frees the lists of that as it got them. */
static void solid_may_come(void **state) {
    rn_world *cpu = world_of(BUMPS, "cpu"), *gpu = world_of(BUMPS, "cuda");
    (void)state;
    step(cpu, 1), step(gpu, 1);
    add_box(cpu), add_box(gpu);
    step(cpu, 2), step(gpu, 2);
    assert_same(cpu, gpu);
    rn_world_destroy(cpu), rn_world_destroy(gpu);
}

/* A slab that moves through the water gives other columns a ceiling in each frame, more of them than before; those
   below it are full. The GPU has memory for that: nothing is said. */
static void ceilings_may_move(void **state) {
    rn_world *worlds[] = {world_of(FILLING, "cpu"), world_of(FILLING, "cuda")};
    int64_t flooded = 0;
    (void)state;
    setenv("RUNNEL_EMULATED", "3x5x2", 1);
    said = (heard){.sought = ""};
    for (int i = 0; i < 2; i++) {
        const rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){2, 2, 0.3}), .at = {3, 2, 3}, .turn = {.w = 1}};
        assert_int_equal(rn_world_add_solid(worlds[i], &def), 0);
    }
    for (int frame = 0; frame < 6; frame++) {
        for (int i = 0; i < 2; i++) {
            const rn_vec3 at = {3 + 0.23 * frame, 2 + 0.1 * frame, 0.8};
            assert_int_equal(rn_world_move_solid(worlds[i], 0, at, (rn_quat){.w = 1}), RN_OK);
            step(worlds[i], 1);
        }
        assert_same(worlds[0], worlds[1]);
        if (rn_world_get_stats(worlds[0]).flooded > flooded) flooded = rn_world_get_stats(worlds[0]).flooded;
    }
    assert_true(flooded > 100);
    assert_int_equal(said.count, 0);
    for (int i = 0; i < 2; i++) rn_world_destroy(worlds[i]);
}

int main(void) {
#if defined(EMULATED)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_cpu),
        cmocka_unit_test(limits_are_those_of_the_cpu),
        cmocka_unit_test(snapshots_go_between_backends),
        cmocka_unit_test(narrow_tiles_are_at_edges),
        cmocka_unit_test(sources_act),
        cmocka_unit_test(sources_wake_tiles),
        cmocka_unit_test(linked_worlds_take_the_short_program),
        cmocka_unit_test(layers_rest),
        cmocka_unit_test(frames_are_repeated_where_passages_fill),
        cmocka_unit_test(many_worlds_step_together),
        cmocka_unit_test(sections_measure),
        cmocka_unit_test(solid_may_come),
        cmocka_unit_test(ceilings_may_move),
    };
    use_emulation(EMULATED);
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)bits_are_those_of_the_cpu, (void)limits_are_those_of_the_cpu, (void)snapshots_go_between_backends,
        (void)narrow_tiles_are_at_edges, (void)sources_act, (void)sources_wake_tiles,
        (void)linked_worlds_take_the_short_program, (void)layers_rest, (void)frames_are_repeated_where_passages_fill,
        (void)many_worlds_step_together, (void)sections_measure, (void)solid_may_come, (void)ceilings_may_move;
    return 0; /* the program is not built here */
#endif
}
