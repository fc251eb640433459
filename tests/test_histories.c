/* Random histories of random worlds: solid and bodies move, hosts write depths and fluxes, fill, look and save. What
   comes next must follow from the state alone: the same again after going back, in a second world that is given the
   state, and with three threads. No history may lose a quantum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <runnel/runnel.h>

#include <math.h>
#include <stdlib.h>

enum { MOST_LAYERS = 5, MOST_EVENTS = 24 };

/* ---- Chance ----------------------------------------------------------------------------------------------------- */

static uint32_t chance;

static double unit(void) {
    chance ^= chance << 13, chance ^= chance >> 17, chance ^= chance << 5;
    return (chance >> 8) * 0x1p-24;
}

static int below(int count) { return (int)(unit() * count); }

static void begin(uint32_t seed, uint32_t purpose) {
    chance = (seed * 2654435761u) ^ (purpose * 747796405u) ^ 2891336453u;
    if (chance == 0) chance = 1;
    for (int i = 0; i < 4; i++) unit();
}

/* ---- Worlds ----------------------------------------------------------------------------------------------------- */

typedef struct plan {
    uint32_t seed;
    int nx, ny, layers, solids, bodies;
    double cell, height; /* m */
    rn_world_def def;
} plan;

static rn_vec3 somewhere(const plan *p) {
    const double x = p->nx * p->cell * unit(), y = p->ny * p->cell * unit();
    return (rn_vec3){x, y, p->height * unit()};
}

static plan make_plan(uint32_t seed) {
    begin(seed, 1);
    plan p = {.seed = seed, .nx = 2 + below(unit() < 0.2 ? 70 : 14), .ny = 1 + below(unit() < 0.2 ? 40 : 14)};
    p.layers = unit() < 0.3 ? 1 : 1 + below(MOST_LAYERS);
    p.cell = pow(10.0, -3.0 + 4.0 * unit());
    p.height = p.cell * (unit() < 0.2 ? pow(10.0, -2.0 + 4.0 * unit()) : 0.5 + 6.0 * unit());
    p.solids = unit() < 0.4 ? 0 : below(4);
    p.bodies = unit() < 0.4 ? 0 : below(4);
    p.def = rn_world_default();
    p.def.solver = unit() < 0.4 ? "implicit" : "explicit";
    const bool implicit = p.def.solver[0] == 'i', paper = !implicit && unit() < 0.15;
    if (paper) p.def.model = RN_MODEL_PAPER;
    if (!implicit && unit() < 0.3) p.def.passages = paper ? RN_PASSAGES_AXIS : (rn_passages)below(5);
    p.def.friction = unit() < 0.2 ? 1.0 : 0.05 + 0.9 * unit();
    p.def.manning = !paper && unit() < 0.2 ? 0.03 : 0.0;
    p.def.liquid.viscosity = unit() < 0.5 ? 0.0 : 1e-6 * pow(10.0, 3.0 * unit());
    for (int axis = 0; axis < 2; axis++) {
        const int kind = below(3), other = below(2);
        p.def.edges[2 * axis] = (rn_edge)kind;
        p.def.edges[2 * axis + 1] = kind == RN_EDGE_PERIODIC ? RN_EDGE_PERIODIC : (rn_edge)other;
    }
    if (p.def.edges[0] == RN_EDGE_PERIODIC) p.def.drop_x = unit() < 0.5 ? 0.0 : p.cell * unit();
    p.def.gravity.x = unit() < 0.2 ? 3.0 * (unit() - 0.5) : 0.0;
    p.def.max_substeps = 40;
    return p;
}

static rn_terrain *make_stacks(const plan *p) {
    enum { ROOM = MOST_LAYERS };
    const double lid = 3.0 * p->height, rough = unit() < 0.3 ? 0.05 : 0.4;
    rn_column *columns = calloc((size_t)(p->nx * p->ny * ROOM), sizeof *columns);
    int32_t *counts = calloc((size_t)(p->nx * p->ny), sizeof *counts);
    assert_true(columns && counts);
    size_t count = 0;
    for (int i = 0; i < p->nx * p->ny; i++) {
        const int layers = unit() < 0.03 ? 0 : 1 + below(p->layers);
        double under = 0.0;
        for (int l = 0; l < layers; l++) {
            const double base = under + (l == 0 ? rough : 0.15) * p->height * unit() + 0.01 * p->height;
            const double open = p->height * (0.02 + 0.3 * unit()), ceil = l == layers - 1 ? lid : base + open;
            columns[count++] = (rn_column){.under = under, .base = base, .ceil = ceil};
            under = ceil;
        }
        counts[i] = layers;
    }
    rn_terrain_def def = rn_terrain_default();
    def.cells_x = p->nx, def.cells_y = p->ny;
    def.cell_size = p->cell;
    def.lid = lid;
    def.columns = columns;
    def.columns_per_cell = counts;
    rn_terrain *terrain = NULL;
    assert_int_equal(rn_terrain_create(&def, &terrain), RN_OK);
    free(columns);
    free(counts);
    return terrain;
}

static void add_solids(const plan *p, rn_world *world) {
    for (int i = 0; i < p->solids; i++) {
        const double r = p->cell * (0.7 + 2.0 * unit());
        rn_sdf *shape = unit() < 0.5 ? rn_sdf_sphere(r) : rn_sdf_box((rn_vec3){1.5 * r, r, r});
        rn_solid_def solid = {.shape = shape, .carve = unit() < 0.25, .at = somewhere(p), .hidden = unit() < 0.3};
        assert_int_equal(rn_world_add_solid(world, &solid), i);
    }
}

static void add_bodies(const plan *p, rn_world *world) {
    for (int i = 0; i < p->bodies; i++) {
        const double r = p->cell * (0.6 + 1.5 * unit());
        rn_shape *shape = unit() < 0.5 ? rn_shape_sphere(r) : rn_shape_box((rn_vec3){r, 1.3 * r, r});
        rn_body_def body = rn_body_default();
        body.shape = shape;
        body.density = 200.0 + 1500.0 * unit();
        body.mode = (rn_body_mode)below(3);
        body.pose.at = somewhere(p);
        body.pose.turn = (rn_quat){unit(), unit(), unit(), unit()};
        assert_int_equal(rn_bodies_add(world, &body), i);
        rn_shape_destroy(shape);
    }
}

static void add_sources(const plan *p, rn_world *world) {
    for (int i = below(4); i > 0; i--) {
        const rn_vec3 at = somewhere(p);
        const double radius = 2.0 * p->cell * unit(), speed = sqrt(9.81 * p->height);
        const double rate = p->cell * p->cell * speed * (0.01 + 2.0 * unit());
        (unit() < 0.6 ? rn_world_pour : rn_world_drain)(world, at, radius, rate); /* refused in holes */
    }
    rn_source_def rain = rn_source_default();
    rain.kind = (rn_source_kind)(RN_SOURCE_RAIN + below(3));
    rain.rate = 0.05 * p->height * unit();
    if (unit() < 0.3) assert_true(rn_world_add_source(world, &rain) >= 0);
}

static rn_world *make(const plan *p, int threads) {
    begin(p->seed, 2);
    rn_terrain *terrain = make_stacks(p);
    rn_world_def def = p->def;
    def.terrain = terrain;
    def.threads = threads;
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    add_solids(p, world);
    add_bodies(p, world);
    add_sources(p, world);
    const rn_fill_def fill = {.kind = unit() < 0.6 ? RN_FILL_LEVEL : RN_FILL_DEPTH, .value = 0.8 * p->height * unit()};
    assert_int_equal(rn_world_fill(world, &fill), RN_OK);
    return world;
}

/* ---- Events ----------------------------------------------------------------------------------------------------- */

/* Layers that a world has not got any more after going back, or not yet, are left out. */
static void write_field(const plan *p, rn_world *world, rn_field field, double most) {
    const rn_view view = rn_world_view(world, field);
    for (int i = 1 + below(30); i > 0; i--) {
        const int layer = below(MOST_LAYERS), y = below(p->ny), x = below(p->nx);
        const double value = field == RN_FIELD_DEPTH ? unit() * (unit() < 0.3 ? 0.0 : 1.0) : unit() - 0.5;
        const double times = unit() < 0.15 ? 8.0 : 1.0;
        if (layer < view.layers)
            view.data[layer * view.layer_stride + y * view.row_stride + x] = (float)(most * value * times);
    }
    assert_int_equal(rn_world_commit(world), RN_OK);
}

static void move_something(const plan *p, rn_world *world) {
    const bool body = unit() < 0.5;
    const rn_vec3 at = somewhere(p), turn = {90.0 * unit(), 0.0, 90.0 * unit()};
    const double by = unit(), way = unit();
    if (body && p->bodies > 0) {
        const int number = below(p->bodies);
        rn_pose pose = rn_bodies_describe(world, number).pose;
        const rn_vec3 near = {pose.at.x + p->cell * (by - 0.5), pose.at.y + p->cell * (way - 0.5), pose.at.z};
        pose.at = way < 0.7 ? near : at;
        pose.velocity = (rn_vec3){by - 0.5, way - 0.5, 0.0};
        assert_int_equal((way < 0.7 ? rn_bodies_move : rn_bodies_teleport)(world, number, &pose), RN_OK);
    } else if (!body && p->solids > 0) {
        const int number = below(p->solids);
        if (way < 0.6) assert_int_equal(rn_world_move_solid(world, number, at, rn_quat_from_degrees(turn)), RN_OK);
        else assert_int_equal(rn_world_show_solid(world, number, by < 0.5), RN_OK);
    }
}

static void sculpt(const plan *p, rn_world *world) {
    rn_sdf *ball = rn_sdf_move(rn_sdf_sphere(p->cell * (0.5 + 1.5 * unit())), somewhere(p));
    assert_int_equal(rn_world_sculpt(world, ball, unit() < 0.5), RN_OK);
    rn_sdf_destroy(ball);
}

/* Looking must leave no trace. */
static void look(rn_world *world) {
    rn_snapshot *snapshot = NULL;
    rn_world_hash(world);
    rn_world_view(world, RN_FIELD_FLUX_X);
    if (unit() < 0.3) assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    rn_snapshot_destroy(snapshot);
}

static void happen(const plan *p, rn_world *world) {
    const double speed = sqrt(9.81 * p->height), turn = p->cell / speed, a = unit();
    const rn_fill_def fill = {.kind = a < 0.5 ? RN_FILL_LEVEL : RN_FILL_DEPTH, .value = 0.6 * p->height * a};
    switch (below(14)) {
    case 0: write_field(p, world, RN_FIELD_DEPTH, p->height); break;
    case 1: write_field(p, world, RN_FIELD_FLUX_X, p->cell * p->height * speed); break;
    case 2: write_field(p, world, RN_FIELD_FLUX_Y, p->cell * p->height * speed); break;
    case 3:
    case 4:
    case 5: move_something(p, world); break;
    case 6: assert_int_equal(rn_world_fill(world, &fill), RN_OK); break;
    case 7: sculpt(p, world); break;
    case 8: look(world); break;
    case 9: assert_int_equal(rn_world_commit(world), RN_OK); break;
    default: assert_int_equal(rn_world_step(world, turn * (a < 0.5 ? 0.2 : a < 0.9 ? 3.0 : 15.0) * unit()), RN_OK);
    }
    if (rn_world_audit(world).drift != 0.0) fail_msg("seed %u: %g m3 are lost", p->seed, rn_world_audit(world).drift);
}

/* ---- Histories -------------------------------------------------------------------------------------------------- */

/* What follows once more, from the same state on. */
static void compare(const plan *p, rn_world *world, uint32_t from, int events, const uint64_t *hashes,
                    const char *how) {
    chance = from;
    for (int i = 0; i <= events; i++) {
        if (rn_world_hash(world) != hashes[i]) fail_msg("seed %u: %s event %d comes to another state", p->seed, how, i);
        if (i < events) happen(p, world);
    }
}

static void run_history(uint32_t seed) {
    const plan p = make_plan(seed);
    rn_world *world = make(&p, 1), *other = make(&p, 1), *threaded = make(&p, 3);
    rn_snapshot *snapshot = NULL;
    begin(seed, 3);
    const int before = below(10), events = 4 + below(MOST_EVENTS - 4);
    const uint32_t first = chance;
    for (int i = 0; i < before; i++) happen(&p, world);
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    const uint32_t from = chance;
    uint64_t hashes[MOST_EVENTS + 1];
    for (int i = 0; i <= events; i++) {
        hashes[i] = rn_world_hash(world);
        if (i < events) happen(&p, world);
    }
    chance = first;
    for (int i = 0; i < before; i++) happen(&p, threaded);
    rn_snapshot *unused = NULL;
    assert_int_equal(rn_world_save(threaded, &unused), RN_OK); /* carries out what was asked for */
    compare(&p, threaded, from, events, hashes, "with three threads");
    assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    compare(&p, world, from, events, hashes, "after going back");
    if (rn_world_restore(other, snapshot) == RN_OK) compare(&p, other, from, events, hashes, "in another world");
    rn_snapshot_destroy(unused);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(threaded);
    rn_world_destroy(other);
    rn_world_destroy(world);
}

static void what_comes_next_follows_from_the_state_alone(void **state) {
    (void)state;
    const char *asked = getenv("RUNNEL_HISTORIES"); /* more than the usual ones */
    const uint32_t count = asked ? (uint32_t)atoi(asked) : getenv("RUNNEL_LONG") ? 150 : 50;
    for (uint32_t seed = 1; seed <= count; seed++) run_history(seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_comes_next_follows_from_the_state_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
