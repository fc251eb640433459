/* Worlds of many kinds on the CPU and on a GPU, for tests of the GPU's solver. */
#ifndef RN_TESTS_GPU_WORLDS_H
#define RN_TESTS_GPU_WORLDS_H

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
static inline bool is_tiny(kind k) { return k == FILM || k == CONTACT || k == BEADS; }
static inline bool is_stacked(kind k) { return k == LAYERED || k == SPILLING || k == BEADS; }
static inline bool is_even(kind k) { return k == FLAT || k == PERIODIC || k == LAYERED || k == FILLING || k == NEARLY; }
/* The number of cells along x: LAYERED has four tiles, two of them far from the hole. */
static inline int width_of(kind k) { return k == LAYERED ? 400 : NX; }
/* The width of a cell (m). */
static inline double cell_of(kind k) { return is_tiny(k) ? 0.002 : 0.1; }

/* What a world has said. */
typedef struct heard {
    const char *sought; /* part of messages to count */
    int count, found;   /* all messages but that a program is loaded, and those with `sought` */
    int loads;          /* how often a program was loaded */
    char last[256];
} heard;

static heard said = {.sought = ""}; /* by worlds of world_of on the GPU */

/* Counts a message of a world, and keeps it. user: a heard. */
static inline void hear(void *user, rn_log_level level, const char *text) {
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
static inline rn_sdf *block(double c, double x0, double x1, double y0, double y1, double z0, double z1) {
    return rn_sdf_move(rn_sdf_box((rn_vec3){(x1 - x0) * c, (y1 - y0) * c, (z1 - z0) * c}),
                       (rn_vec3){0.5 * (x0 + x1) * c, 0.5 * (y0 + y1) * c, 0.5 * (z0 + z1) * c});
}

/* A platform with a hole, above the ground, or above all of it. */
static inline rn_sdf *platform(double c, bool all) {
    return rn_sdf_subtract(all ? block(c, -5, 405, -5, NY + 5, 9, 11) : block(c, 8, 118, 5, 30, 9, 11),
                           block(c, 60, 66, 12, 20, 8, 12), 0.0);
}

/* Bumps on a slope; a roof that water fills to its ceiling. */
static inline rn_terrain *ground_of(kind k, double c) {
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
static inline void fill_shape(rn_world *world, rn_sdf *shape) {
    const rn_fill_def fill = {.kind = RN_FILL_SHAPE, .shape = shape};
    assert_int_equal(rn_world_fill(world, &fill), RN_OK);
    rn_sdf_destroy(shape);
}

/* Fills a world with the water of its kind. */
static inline void fill_world(rn_world *world, kind k, double c) {
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

/* A world of a kind, whose definition `change` may change first (NULL: as it is). */
static inline rn_world *world_with(kind k, const char *backend, void (*change)(rn_world_def *def)) {
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
    if (change) change(&def);
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    fill_world(world, k, c);
    rn_terrain_destroy(terrain);
    return world;
}

static inline rn_world *world_of(kind k, const char *backend) { return world_with(k, backend, NULL); }

static inline void step(rn_world *world, int frames) {
    for (int i = 0; i < frames; i++) assert_int_equal(rn_world_step(world, 0.05), RN_OK);
}

static inline void assert_same(rn_world *a, rn_world *b) {
    assert_true(rn_world_hash(a) == rn_world_hash(b));
    assert_true(rn_world_get_stats(a).time == rn_world_get_stats(b).time);
    assert_int_equal(rn_world_get_stats(a).steps, rn_world_get_stats(b).steps);
    assert_true(rn_world_audit(a).left == rn_world_audit(b).left);
}

/* Adds every kind of source and two sections to a world: a source on a path, one with a series, a level along a side, a
   head, drains, rain with a map and losses. */
static inline void add_sources(rn_world *world, double c) {
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

/* Adds a box to a world. */
static inline void add_box(rn_world *world) {
    const rn_solid_def def = {.shape = rn_sdf_box((rn_vec3){1, 1, 0.5}), .at = {4, 2, 0.3}, .turn = {.w = 1}};
    assert_true(rn_world_add_solid(world, &def) >= 0);
}

/* Makes worlds on a GPU use the emulation (a library's path), or the library that RUNNEL_ON_GPU names; also filters the
   tests as RUNNEL_TEST_FILTER and RUNNEL_TEST_SKIP say. */
static inline void use_emulation(const char *path) {
    const char *real = getenv("RUNNEL_ON_GPU"), *filter = getenv("RUNNEL_TEST_FILTER"),
               *skip = getenv("RUNNEL_TEST_SKIP");
    if (filter) cmocka_set_test_filter(filter);
    if (skip) cmocka_set_skip_filter(skip);
    setenv("RUNNEL_CUDA_LIBRARY", real ? real : path, 1);
}

#endif
