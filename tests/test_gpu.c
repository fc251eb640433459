/* The explicit solver on a GPU gives the bits of the CPU: here by the GPU's own program, run on threads
   (src/cuda/machine_threads.c), for several numbers of blocks and lanes. tools/gpu-check has the same on a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/waters.h"

#include <math.h>
#include <runnel/runnel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 150, NY = 37 }; /* two tiles across, three along, none of them whole */

/* LAYERED: water on a platform with a hole, above all of the ground, falls into a level lake. SPILLING: a smaller
   platform over a slope, with open edges. BEADS: such a platform with contact angles. FILLING: a wave reaches a low
   roof, and fills the passage below it; NEARLY: there is less water, and it does not. */
typedef enum kind {
    FLAT,
    BUMPS,
    OPEN,
    ROUGH,
    FILM,
    ROOFED,
    PERIODIC,
    CONTACT,
    LAYERED,
    SPILLING,
    BEADS,
    FILLING,
    NEARLY,
    KINDS = LAYERED /* of the tests that take all: the others have tests of their own */
} kind;

/* Kinds of worlds by what they have. */
static bool is_tiny(kind k) { return k == FILM || k == CONTACT || k == BEADS; }
static bool is_stacked(kind k) { return k == LAYERED || k == SPILLING || k == BEADS; }
static bool is_even(kind k) { return k == FLAT || k == PERIODIC || k == LAYERED || k == FILLING || k == NEARLY; }
/* The number of cells along x: LAYERED has four tiles, two of them far from the hole. */
static int width_of(kind k) { return k == LAYERED ? 400 : NX; }
/* The width of a cell (m). */
static double cell_of(kind k) { return is_tiny(k) ? 0.002 : 0.1; }

/* What a world has said. */
typedef struct heard {
    const char *sought; /* part of messages to count */
    int count, found;   /* all messages but that a program is loaded, and those with `sought` */
    int loads;          /* how often a program was loaded */
    char last[256];
} heard;

static heard said = {.sought = ""}; /* by worlds of world_of on the GPU */

/* Counts a message of a world, and keeps it. user: a heard. */
static void hear(void *user, rn_log_level level, const char *text) {
    heard *to = user;
    if (level == RN_LOG_INFO && strstr(text, "loading a program for the GPU")) {
        to->loads++;
        return;
    }
    to->count++;
    to->found += strstr(text, to->sought) != NULL;
    strncpy(to->last, text, sizeof to->last - 1);
}

/* A box between two corners, given in cells. */
static rn_sdf *block(double c, double x0, double x1, double y0, double y1, double z0, double z1) {
    return rn_sdf_move(rn_sdf_box((rn_vec3){(x1 - x0) * c, (y1 - y0) * c, (z1 - z0) * c}),
                       (rn_vec3){0.5 * (x0 + x1) * c, 0.5 * (y0 + y1) * c, 0.5 * (z0 + z1) * c});
}

/* A platform with a hole, above the ground, or above all of it. */
static rn_sdf *platform(double c, bool all) {
    return rn_sdf_subtract(all ? block(c, -5, 405, -5, NY + 5, 9, 11) : block(c, 8, 118, 5, 30, 9, 11),
                           block(c, 60, 66, 12, 20, 8, 12), 0.0);
}

/* Bumps on a slope; a roof that water fills to its ceiling. */
static rn_terrain *ground_of(kind k, double c) {
    rn_terrain_def def = rn_terrain_default();
    rn_terrain *terrain = NULL;
    const double slope = is_even(k) ? 0.0 : k == FILM ? 0.3 : 0.02;
    rn_sdf *solid = rn_sdf_plane((rn_vec3){0, 0, 3 * c}, (rn_vec3){slope, 0.6 * slope, 1});
    for (int i = 0; i < 6 && k != FLAT && k < LAYERED; i++)
        solid = rn_sdf_union(
            solid,
            rn_sdf_move(rn_sdf_sphere((3 + i) * c),
                        (rn_vec3){(0.13 + 0.14 * i) * NX * c, (0.2 + 0.11 * (i * 3 % 6)) * NY * c, (1 + i % 3) * c}),
            0.0);
    if (k == ROOFED)
        solid = rn_sdf_union(solid,
                             rn_sdf_move(rn_sdf_box((rn_vec3){NX * c * 0.2, NY * c * 0.5, 2 * c}),
                                         (rn_vec3){NX * c * 0.5, NY * c * 0.5, 7 * c}),
                             0.0);
    if (is_stacked(k)) solid = rn_sdf_union(solid, platform(c, k == LAYERED), 0.0);
    if (k == FILLING || k == NEARLY) solid = rn_sdf_union(solid, block(c, 56, 80, 4, 33, 5, 8), 0.0);
    def.cells_x = width_of(k), def.cells_y = NY;
    def.cell_size = c;
    def.lid = (k == SPILLING ? 15 : 40) * c; /* low: columns are full to the lid */
    def.solid = solid;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    return terrain;
}

/* Fills a world with a shape of water, which is destroyed. */
static void fill_shape(rn_world *world, rn_sdf *shape) {
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = shape};
    assert_int_equal(rn_world_fill(world, &fill), RN_OK);
    rn_sdf_destroy(shape);
}

/* Fills a world with the water of its kind. */
static void fill_world(rn_world *world, kind k, double c) {
    const rn_fill_def film = {.kind = RN_FILL_DEPTH, .value = 2 * c}, lake = {.kind = RN_FILL_LEVEL, .value = 5 * c},
                      thin = {.kind = RN_FILL_DEPTH, .value = 5e-4 * c};
    if (k == FILM) {
        assert_int_equal(rn_world_fill(world, &film), RN_OK);
    } else if (is_stacked(k)) {
        if (k == LAYERED) assert_int_equal(rn_world_fill(world, &lake), RN_OK);
        if (k == SPILLING) assert_int_equal(rn_world_fill(world, &thin), RN_OK);
        for (int x = 57; k == SPILLING && x < NX; x += 3) /* bars of water: violent, so that columns run dry */
            fill_shape(world, block(c, x, x + 1, 6 + x % 2, 31, x < 118 ? 11 : 0, 12 + x % 7));
        fill_shape(world, block(c, 70, 112, 8, 27, 8, 14));
    } else if (k == FILLING || k == NEARLY) {
        fill_shape(world, block(c, 0, 50, -5, NY + 5, 0, k == FILLING ? 14 : 4.5));
    } else {
        fill_shape(world, rn_sdf_move(rn_sdf_box((rn_vec3){NX * c * 0.5, NY * c * 0.6, 20 * c}),
                                      (rn_vec3){NX * c * 0.3, NY * c * 0.4, 0}));
    }
}

static rn_world *world_of(kind k, const char *backend) {
    const double c = cell_of(k);
    rn_world_def def = rn_world_default();
    rn_terrain *terrain = ground_of(k, c);
    rn_world *world = NULL;
    def.terrain = terrain;
    def.backend = backend;
    if (strcmp(backend, "cuda") == 0) def.hooks.user = &said, def.hooks.log = hear;
    if (k == FILM) def.liquid = rn_liquid_blood();
    if (k == ROUGH) def.manning = 0.03;
    if (k == CONTACT || k == BEADS) def.contact = RN_CONTACT_DYNAMIC;
    if (k == SPILLING) def.liquid.viscosity = 1e-9; /* thin films are fast, and run dry */
    for (int side = 0; side < 4; side++)
        def.edges[side] = k == OPEN || k == SPILLING ? RN_EDGE_OPEN : k == PERIODIC ? RN_EDGE_PERIODIC : RN_EDGE_WALL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    fill_world(world, k, c);
    rn_terrain_destroy(terrain);
    return world;
}

static void step(rn_world *world, int frames) {
    for (int i = 0; i < frames; i++) assert_int_equal(rn_world_step(world, 0.05), RN_OK);
}

static void assert_same(rn_world *a, rn_world *b) {
    assert_true(rn_world_hash(a) == rn_world_hash(b));
    assert_true(rn_world_get_stats(a).time == rn_world_get_stats(b).time);
    assert_int_equal(rn_world_get_stats(a).steps, rn_world_get_stats(b).steps);
    assert_true(rn_world_audit(a).left == rn_world_audit(b).left);
}

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

/* Adds every kind of source and two sections to a world: a source on a path, one with a series, a level along a side, a
   head, drains, rain with a map and losses. */
static void add_sources(rn_world *world, double c) {
    const double x = NX * c, y = NY * c;
    const rn_series_point series[] = {{0.0, 0.0}, {0.1, 4 * c * c}, {0.3, 0.0}};
    const rn_waypoint path[] = {{0.0, {0.2 * x, 0.3 * y, 30 * c}}, {0.4, {0.7 * x, 0.6 * y, 30 * c}}};
    const float map[] = {1.0f, 0.2f, 0.5f, 0.0f};
    const rn_source_def defs[] = {
        {.kind = RN_SOURCE_RATE, .at = path[0].at, .radius = 3 * c, .rate = 3 * c * c, .path = path, .path_count = 2},
        {.kind = RN_SOURCE_RATE,
         .at = {0.8 * x, 0.5 * y, 30 * c},
         .radius = 5 * c,
         .series = series,
         .series_count = 3},
        {.kind = RN_SOURCE_LEVEL, .along_side = true, .side = RN_SIDE_WEST, .level = 8 * c, .stop = 0.25},
        {.kind = RN_SOURCE_HEAD, .at = {0.5 * x, 0.9 * y, 30 * c}, .radius = 2 * c, .level = 9 * c, .resistance = 1.0},
        {.kind = RN_SOURCE_DRAIN, .at = {0.3 * x, 0.4 * y, 0}, .radius = 2 * c, .rate = c * c},
        {.kind = RN_SOURCE_DRAIN, .at = {0.9 * x, 0.2 * y, 0}, .rate = INFINITY, .start = 0.1},
        {.kind = RN_SOURCE_RAIN, .rate = 0.02 * c, .map = map, .map_x = 2, .map_y = 2},
        {.kind = RN_SOURCE_RAIN, .rate = 1.5 * c, .start = 0.12, .stop = 0.14},
        {.kind = RN_SOURCE_EVAPORATION, .rate = 0.01 * c},
        {.kind = RN_SOURCE_INFILTRATION, .rate = 0.02 * c, .start = 0.2},
    };
    int added = 0;
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) added += rn_world_add_source(world, &defs[i]) >= 0;
    assert_true(added >= 7); /* a steep ground has no columns in places */
    assert_true(rn_world_add_section(world, 0.5 * x, 0, 0.5 * x, y) >= 0);
    assert_true(rn_world_add_section(world, 0.1 * x, 0.9 * y, 0.8 * x, 0.1 * y) >= 0);
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

/* Adds a box to a world. */
static void add_box(rn_world *world) {
    const rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){1, 1, 0.5}), .at = {4, 2, 0.3}, .turn = {.w = 1}};
    assert_true(rn_world_add_solid(world, &def) >= 0);
}

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
    static const char *const solvers[] = {"implicit", "packets", "mac"};
    rn_terrain *terrain = ground_of(FLAT, 0.1);
    (void)state;
    for (int i = 0; i < 3; i++) {
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
        cmocka_unit_test(faults_are_made_good),
        cmocka_unit_test(the_backend_may_be_chosen),
        cmocka_unit_test(too_little_memory_is_said),
        cmocka_unit_test(copies_give_way),
        cmocka_unit_test(solid_may_come),
        cmocka_unit_test(ceilings_may_move),
        cmocka_unit_test(other_solvers_run_on_the_cpu),
        cmocka_unit_test(loading_is_said),
        cmocka_unit_test(what_is_missing_is_said),
    };
    const char *real = getenv("RUNNEL_ON_GPU"), *filter = getenv("RUNNEL_TEST_FILTER"),
               *skip = getenv("RUNNEL_TEST_SKIP");
    if (filter) cmocka_set_test_filter(filter);
    if (skip) cmocka_set_skip_filter(skip);
    setenv("RUNNEL_CUDA_LIBRARY", real ? real : EMULATED, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)bits_are_those_of_the_cpu, (void)limits_are_those_of_the_cpu, (void)snapshots_go_between_backends,
        (void)sources_act, (void)sections_measure, (void)sources_wake_tiles, (void)faults_are_made_good,
        (void)narrow_tiles_are_at_edges, (void)linked_worlds_take_the_short_program, (void)layers_rest,
        (void)frames_are_repeated_where_passages_fill, (void)many_worlds_step_together;
    (void)the_backend_may_be_chosen, (void)too_little_memory_is_said, (void)loading_is_said,
        (void)what_is_missing_is_said, (void)other_solvers_run_on_the_cpu, (void)solid_may_come,
        (void)ceilings_may_move, (void)copies_give_way;
    return 0; /* the program is not built here */
#endif
}
