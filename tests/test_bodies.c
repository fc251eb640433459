/* Bodies of a world: what liquid does to them and they to liquid, the ledger, the surface around them. */
#include "body_lakes.h"

#include <math.h>

static double weight_of_liquid(const rn_world *world) { return rn_world_liquid(world).density * 9.81; }

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

/* A body that neither moves nor stirs: it blocks, in a lake so large that it does not matter. */
static void archimedes_is_exact(void **state) {
    (void)state;
    rn_world *world = lake(12, 1.0, 4.0);
    rn_body_def def = body_at(6, 6, 2);
    def.pose.turn = (rn_quat){0.3, -0.5, 0.2, 0.7};
    def.mode = RN_BODY_FLOATS;
    const int body = add(world, def, box(0.6, 1.0, 1.4));
    /* As many quanta go as come: the level is that of the lake again once this has spread. */
    for (int i = 0; i < 3000; i++) step(world, STEP);
    const double level = rn_bodies_effective_level(world, 6, 6), weight = weight_of_liquid(world);
    const rn_body_load under = rn_bodies_load(world, body);
    assert_true(fabs(under.buoyancy.z / (weight * 0.84) - 1.0) < 1e-5);
    assert_true(fabs(under.share - 1.0) < 1e-5);
    assert_true(fabs(under.torque.x) + fabs(under.torque.y) < 1e-3 * weight);
    rn_pose pose = def.pose;
    pose.at.z = level;
    for (int i = 0; i < 3000; i++) {
        pose.at.z = rn_bodies_effective_level(world, 6, 6);
        assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
        step(world, STEP);
    }
    const rn_body_load half = rn_bodies_load(world, body); /* half of it, whichever way it is turned */
    assert_true(fabs(half.share - 0.5) < 1e-3);
    rn_world_destroy(world);
}

/* A tiny rigid body that only rises and sinks. */
typedef struct bob {
    rn_world *world;
    int body;
    rn_pose pose;
    double mass;
} bob;

static void bob_step(bob *b, double seconds) {
    const rn_body_load load = rn_bodies_load(b->world, b->body);
    b->pose.velocity.z += seconds * (load.force.z / b->mass - 9.81);
    b->pose.at.z += seconds * b->pose.velocity.z;
    assert_int_equal(rn_bodies_move(b->world, b->body, &b->pose), RN_OK);
    step(b->world, seconds);
}

static void draughts_follow_from_densities(void **state) {
    (void)state;
    const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.95};
    for (int i = 0; i < 6; i++) {
        rn_world *world = lake(24, 0.25, 2.0);
        rn_body_def def = body_at(3.1, 2.9, 2.5);
        def.density = shares[i] * rn_world_liquid(world).density;
        bob b = {world, add(world, def, box(1, 1, 1)), def.pose, def.density};
        for (int k = 0; k < 2000; k++) bob_step(&b, STEP);
        const double draught = rn_bodies_effective_level(world, 3.1, 2.9) - (b.pose.at.z - 0.5);
        if (!(fabs(draught / shares[i] - 1.0) < 0.01)) fail_msg("draught %g of %g", draught, shares[i]);
        assert_false(rn_bodies_load(world, b.body).blocks);
        rn_world_destroy(world);
    }
}

static void bobbing_dies_away(void **state) {
    (void)state;
    rn_world *world = lake(24, 0.25, 2.0);
    rn_body_def def = body_at(3, 3, 2.8);
    bob b = {world, add(world, def, box(1, 1, 1)), def.pose, def.density};
    double highest = 0.0, fastest = 0.0;
    for (int k = 0; k < 1500; k++) {
        bob_step(&b, STEP);
        if (k > 50) highest = fmax(highest, b.pose.at.z);
        if (k > 1200) fastest = fmax(fastest, fabs(b.pose.velocity.z));
    }
    assert_true(highest < 2.8);
    assert_true(fastest < 0.1);
    rn_world_destroy(world);
}

static double kinetic(const rn_body_info *info, rn_vec3 v, rn_vec3 w) {
    const double spin[3] = {w.x, w.y, w.z};
    double energy = 0.5 * info->mass * (v.x * v.x + v.y * v.y + v.z * v.z);
    for (int k = 0; k < 9; k++) energy += 0.5 * spin[k / 3] * info->inertia[k / 3][k % 3] * spin[k % 3];
    return energy;
}

/* However long the step and however large the drag, the liquid stops a body and never throws it back. */
static void drag_only_stops(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double seconds = 0.001 * pow(10.0, i);
        rn_world *world = lake(16, 0.5, 4.0);
        rn_body_def def = body_at(4, 4, 2);
        def.drag = 15.0;
        def.damping = 5.0;
        def.pose.velocity = (rn_vec3){20, -3, 1};
        def.pose.spin = (rn_vec3){4, 30, -7};
        const int body = add(world, def, rn_shape_capsule(0.3, 2.0));
        step(world, seconds);
        const rn_body_info info = rn_bodies_describe(world, body);
        const rn_body_load load = rn_bodies_load(world, body);
        const double by = seconds / info.mass;
        const rn_vec3 v = {20 + by * load.drag.x, -3 + by * load.drag.y, 1 + by * load.drag.z};
        const rn_vec3 w = {4 + seconds * load.torque.x / info.inertia[0][0],
                           30 + seconds * load.torque.y / info.inertia[1][1],
                           -7 + seconds * load.torque.z / info.inertia[2][2]};
        assert_true(v.x < 20.0 && v.x > -1.0 && w.y < 30.0 && w.y > -1.0);
        assert_true(kinetic(&info, v, w) < kinetic(&info, def.pose.velocity, def.pose.spin));
        if (i == 3) assert_true(v.x < 2.0); /* the liquid in its columns takes up its momentum and goes along */
        rn_world_destroy(world);
    }
}

/* 1 m deep, at 1 m/s. Liquid that a body pushes aside keeps its speed. */
static rn_world *stream(void) {
    rn_world *world =
        make_world(&(setup){.nx = 32, .ny = 8, .cell = 0.5, .lid = 4.0, .friction = 1.0, .periodic_x = true});
    fill_to(world, 1.0);
    rn_view flux = rn_world_view(world, RN_FIELD_FLUX_X);
    for (int y = 0; y < 8; y++)
        for (int x = -1; x < 32; x++) flux.data[y * flux.row_stride + x] = 0.5f; /* m^3/s */
    assert_int_equal(rn_world_commit(world), RN_OK);
    return world;
}

static void streams_take_bodies_along(void **state) {
    (void)state;
    rn_world *world = stream();
    rn_body_def def = body_at(4, 2, 1);
    const int body = add(world, def, box(1, 1, 1));
    rn_pose pose = def.pose;
    for (int k = 0; k < 500; k++) {
        const rn_body_load load = rn_bodies_load(world, body);
        pose.velocity.x += STEP * load.force.x / 500.0;
        pose.at.x += STEP * pose.velocity.x;
        assert_int_equal(rn_bodies_move(world, body, &pose), RN_OK);
        step(world, STEP);
    }
    assert_true(fabs(rn_bodies_load(world, body).flow.x - 1.0) < 0.2);
    assert_true(pose.velocity.x > 0.6 && pose.velocity.x < 1.2);
    rn_world_destroy(world);
}

/* Also where there is no liquid any more, from one moment to the next. */
static void streams_go_on_under_bodies_that_come(void **state) {
    (void)state;
    rn_world *world = stream();
    rn_body_def def = body_at(4, 2, 1);
    def.mode = RN_BODY_BLOCKS;
    const int body = add(world, def, box(2, 2, 2));
    step(world, 1e-4);
    assert_true(fabs(rn_bodies_load(world, body).flow.x - 1.0) < 0.1);
    rn_world_destroy(world);
}

/* A lake under a bridge and a lake on top of it: a body under the bridge feels the lower one. */
static void bridges_keep_their_lakes(void **state) {
    (void)state;
    enum { CELLS = 8 };
    rn_column columns[CELLS * CELLS * 2];
    int32_t counts[CELLS * CELLS];
    for (int i = 0; i < CELLS * CELLS; i++) {
        counts[i] = 2;
        columns[2 * i] = (rn_column){-INFINITY, 0.0, 3.0};
        columns[2 * i + 1] = (rn_column){3.0, 3.5, 8.0};
    }
    const setup s = {.nx = CELLS, .ny = CELLS, .cell = 1.0, .lid = 8.0, .friction = 0.5};
    rn_world *world = make_world_on(make_terrain(CELLS, CELLS, 1.0, 8.0, columns, counts), &s);
    rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++)
            for (int l = 0; l < 2; l++) depth.data[l * depth.layer_stride + y * depth.row_stride + x] = l ? 2.0f : 1.0f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    rn_body_def def = body_at(4, 4, 1.5);
    def.mode = RN_BODY_FLOATS;
    const int below = add(world, def, box(1, 1, 2));
    def.pose.at.z = 6.0;
    const int above = add(world, def, box(1, 1, 2));
    for (int k = 0; k < 1000; k++) step(world, STEP);
    assert_true(fabs(rn_bodies_load(world, below).submerged - 0.5) < 0.02);
    assert_true(fabs(rn_bodies_load(world, above).submerged - 0.5) < 0.02);
    assert_true(fabs(rn_bodies_effective_level(world, 4, 4) - 5.5) < 0.02);
    rn_world_destroy(world);
}

/* ---- Bodies that float ------------------------------------------------------------------------------------------- */

static void floaters_lend_and_get_back(void **state) {
    (void)state;
    rn_world *world = lake(16, 0.5, 2.0);
    rn_body_def def = body_at(4.1, 3.9, 2.0);
    def.mode = RN_BODY_FLOATS;
    const int body = add(world, def, box(1.3, 0.9, 1.0));
    for (int i = 0; i < 50; i++) {
        def.pose.at.x += 0.02;
        assert_int_equal(rn_bodies_move(world, body, &def.pose), RN_OK);
        step(world, STEP);
        /* waves that it makes are under it, but it dips into their mean */
        const double body_offset = rn_world_audit(world).body_offset,
                     half = 0.5 * rn_bodies_load(world, body).submerged;
        if (i > 5 && !(fabs(body_offset - half) < 0.15 * half)) fail_msg("%d: %g of %g", i, body_offset, half);
    }
    for (int i = 0; i < 1000; i++) step(world, STEP);
    const double half = 0.5 * rn_bodies_load(world, body).submerged;
    assert_true(fabs(rn_world_audit(world).body_offset - half) < 0.01 * half);
    assert_int_equal(rn_bodies_remove(world, body), RN_OK);
    step(world, STEP);
    const rn_audit after = rn_world_audit(world);
    assert_true(after.body_offset == 0.0 && after.present == after.poured);
    rn_world_destroy(world);
}

/* What a body pushes away when it falls in comes back over time, all of it. */
static void displaced_liquid_comes_back(void **state) {
    (void)state;
    double soon[2];
    for (int slowly = 0; slowly < 2; slowly++) {
        rn_world *world = make_world(
            &(setup){.nx = 24, .ny = 24, .cell = 0.5, .lid = 8.0, .friction = 0.3, .give_back = slowly ? 0.2 : 0.0});
        fill_to(world, 1.0);
        rn_body_def def = body_at(6, 6, 3);
        def.mode = RN_BODY_BLOCKS;
        def.density = 2000;
        const int body = add(world, def, box(3, 3, 2));
        step(world, STEP);
        rn_pose pose = def.pose;
        pose.at.z = 1.0; /* on the ground */
        assert_int_equal(rn_bodies_teleport(world, body, &pose), RN_OK);
        for (int i = 0; i < 3; i++) step(world, STEP);
        soon[slowly] = rn_world_audit(world).body_offset;
        for (int i = 0; i < 1000; i++) step(world, STEP);
        const rn_audit after = rn_world_audit(world);
        assert_true(after.body_offset == 0.0 && after.displaced == 0.0 && after.present == after.poured);
        rn_world_destroy(world);
    }
    assert_true(soon[0] == 0.0 && soon[1] < -1.0);
}

/* What floats where the ground falls dry holds on to its loan only as long as it cannot be given back. */
static void loans_survive_droughts(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 0.5);
    rn_body_def def = body_at(4, 4, 0.5);
    def.mode = RN_BODY_FLOATS;
    const int body = add(world, def, box(2, 2, 1));
    step(world, STEP);
    rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) depth.data[y * depth.row_stride + x] = 0.0f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    assert_true(rn_world_audit(world).drift == 0.0);
    step(world, STEP);
    assert_int_equal(rn_bodies_remove(world, body), RN_OK);
    fill_to(world, 0.5);
    step(world, STEP);
    assert_true(rn_world_audit(world).body_offset == 0.0);
    rn_world_destroy(world);
}

static void ways_follow_from_densities(void **state) {
    (void)state;
    rn_world *world = lake(8, 1.0, 4.0);
    rn_body_def def = body_at(4, 4, 2);
    def.density = 400;
    const int wood = add(world, def, box(1, 1, 1));
    def.density = 2400;
    const int stone = add(world, def, box(1, 1, 1));
    step(world, STEP);
    assert_false(rn_bodies_load(world, wood).blocks);
    assert_true(rn_bodies_load(world, stone).blocks);
    assert_int_equal(rn_bodies_set_mode(world, wood, RN_BODY_BLOCKS), RN_OK);
    assert_int_equal(rn_bodies_set_mode(world, stone, RN_BODY_FLOATS), RN_OK);
    step(world, STEP);
    assert_true(rn_bodies_load(world, wood).blocks);
    assert_false(rn_bodies_load(world, stone).blocks);
    rn_world_destroy(world);
}

static void what_runs_aground_blocks_until_it_floats(void **state) {
    (void)state;
    rn_world *world = lake(16, 0.5, 0.2);
    rn_body_def def = body_at(4, 4, 0.5);
    const int body = add(world, def, box(1, 1, 1)); /* it would float at 0.5 m */
    for (int i = 0; i < 9; i++) step(world, STEP);
    assert_false(rn_bodies_load(world, body).blocks);
    step(world, STEP);
    assert_true(rn_bodies_load(world, body).blocks && rn_bodies_load(world, body).aground);
    fill_to(world, 0.8);
    for (int i = 0; i < 100; i++) step(world, STEP);
    assert_false(rn_bodies_load(world, body).blocks || rn_bodies_load(world, body).aground);
    rn_world_destroy(world);
}

static void who_is_to_choose_its_way_anew_blocks_where_it_is_aground(void **state) {
    (void)state;
    rn_world *world = lake(16, 0.5, 0.2);
    rn_body_def def = body_at(4, 4, 0.5);
    def.mode = RN_BODY_FLOATS;
    const int body = add(world, def, box(1, 1, 1));
    step(world, STEP);
    assert_true(rn_bodies_load(world, body).aground && !rn_bodies_load(world, body).blocks);
    assert_int_equal(rn_bodies_set_mode(world, body, RN_BODY_AUTO), RN_OK);
    for (int i = 0; i < 10; i++) step(world, STEP);
    assert_true(rn_bodies_load(world, body).blocks && rn_bodies_load(world, body).aground);
    rn_world_destroy(world);
}

/* ---- The effective surface --------------------------------------------------------------------------------------- */

/* A lake that comes to rest soon. */
static rn_world *thick_lake(int nx, int ny, double cell, const double *depths) {
    rn_world *world = make_world(&(setup){.nx = nx, .ny = ny, .cell = cell, .lid = 4.0, .friction = 0.001});
    set_depths(world, depths);
    return world;
}

static void bodies_that_block_float_as_deep(void **state) {
    (void)state;
    const double shares[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        rn_world *world = lake(24, 0.25, 2.0);
        rn_body_def def = body_at(3.1, 2.9, 2.2);
        def.mode = RN_BODY_BLOCKS;
        def.density = shares[i] * rn_world_liquid(world).density;
        bob b = {world, add(world, def, box(1, 1, 1)), def.pose, def.density};
        for (int k = 0; k < 2500; k++) bob_step(&b, STEP);
        const double draught = rn_bodies_effective_level(world, 3.1, 2.9) - (b.pose.at.z - 0.5);
        if (!(fabs(draught / shares[i] - 1.0) < 0.01)) fail_msg("draught %g of %g", draught, shares[i]);
        rn_world_destroy(world);
    }
}

/* Where a body stands half out of a lake, the surface goes on level through it. */
static void no_dents_under_bodies(void **state) {
    (void)state;
    double depths[16 * 16];
    for (int i = 0; i < 256; i++) depths[i] = 1.0;
    rn_world *world = thick_lake(16, 16, 0.25, depths);
    rn_body_def def = body_at(2.0, 2.0, 1.2);
    def.mode = RN_BODY_BLOCKS;
    const int body = add(world, def, box(1.5, 1.0, 2.0));
    for (int k = 0; k < 3000; k++) step(world, STEP);
    const double level = rn_bodies_effective_level(world, 0.3, 0.3);
    assert_true(level > 1.01);
    for (double x = 0.2; x < 3.9; x += 0.1)
        for (double y = 0.2; y < 3.9; y += 0.1)
            assert_true(fabs(rn_bodies_effective_level(world, x, y) - level) < 1e-3);
    const rn_body_load load = rn_bodies_load(world, body);
    assert_true(fabs(load.submerged - 1.5 * (level - 0.2)) < 2e-3);
    assert_true(load.blocks && !load.aground);
    rn_world_destroy(world);
}

/* Deep on one side, dry on the other: the surface falls from one level to the other, and the dam is pushed by all of
   the pressure there is. */
static void dams_hold_and_are_pushed(void **state) {
    (void)state;
    enum { NX = 24, NY = 8 };
    double depths[NX * NY];
    for (int i = 0; i < NX * NY; i++) depths[i] = i % NX < 10 ? 1.0 : 0.0;
    rn_world *world = make_world(&(setup){.nx = NX, .ny = NY, .cell = 0.25, .lid = 4.0, .friction = 0.001});
    rn_body_def def = body_at(3.0, 1.0, 1.0);
    def.mode = RN_BODY_BLOCKS;
    const int body = add(world, def, box(1.0, 2.0, 2.0));
    set_depths(world, depths);
    for (int k = 0; k < 1000; k++) step(world, STEP);
    assert_true(fabs(rn_bodies_effective_level(world, 1.0, 1.0) - 1.0) < 1e-3);
    double before = 1.0;
    for (int x = 10; x < 14; x++) {
        const double level = rn_bodies_effective_level(world, 0.25 * x + 0.125, 1.0);
        assert_true(level < before - 0.1 && level > 0.1);
        before = level;
    }
    assert_true(isnan(rn_bodies_effective_level(world, 5.0, 1.0)));
    const rn_body_load load = rn_bodies_load(world, body);
    const double push = 0.5 * weight_of_liquid(world) * 2.0;
    assert_true(fabs(load.buoyancy.x / push - 1.0) < 0.02);
    assert_true(load.aground);
    rn_world_destroy(world);
}

/* What lies on top of a body, above the lake, does not lift it. */
static void puddles_do_not_lift_bodies(void **state) {
    (void)state;
    rn_world *world = lake(16, 0.25, 1.0);
    rn_body_def def = body_at(2.0, 2.0, 1.0);
    def.mode = RN_BODY_BLOCKS;
    const int body = add(world, def, box(1.5, 1.5, 1.0));
    for (int k = 0; k < 1000; k++) step(world, STEP);
    const double level = rn_bodies_effective_level(world, 2.0, 2.0), share = rn_bodies_load(world, body).share;
    rn_view depth = rn_world_view(world, RN_FIELD_DEPTH), base = rn_world_view(world, RN_FIELD_BASE);
    const ptrdiff_t middle = depth.layer_stride + 8 * depth.row_stride + 8;
    assert_true(depth.layers > 1 && fabsf(base.data[middle] - 1.5f) < 1e-3f);
    depth.data[middle] = 0.2f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    step(world, 0.001);
    assert_true(fabs(rn_bodies_effective_level(world, 2.0, 2.0) - level) < 0.01);
    assert_true(fabs(rn_bodies_load(world, body).share - share) < 0.01);
    rn_world_destroy(world);
}

/* A body that stands on dry ground, or hangs above it, has no surface; one on a beach has that of the lake. */
static void shores_do_not_lift_the_surface(void **state) {
    (void)state;
    double heights[16 * 8], depths[16 * 8];
    for (int i = 0; i < 128; i++) {
        heights[i] = 0.15 * (i % 16);
        depths[i] = fmax(1.0 - heights[i], 0.0);
    }
    rn_world *world =
        make_world(&(setup){.nx = 16, .ny = 8, .cell = 0.25, .heights = heights, .lid = 4.0, .friction = 0.001});
    set_depths(world, depths);
    rn_body_def def = body_at(1.7, 1.0, 1.5);
    def.mode = RN_BODY_BLOCKS;
    add(world, def, box(1.1, 0.9, 2.0));
    for (int k = 0; k < 2000; k++) step(world, STEP);
    const double level = rn_bodies_effective_level(world, 0.2, 1.0);
    assert_true(fabs(rn_bodies_effective_level(world, 1.4, 1.0) - level) < 2e-3);
    assert_true(isnan(rn_bodies_effective_level(world, 3.5, 1.0)));
    rn_world_destroy(world);
}

/* There is no liquid outside the domain: a body there is not lifted, and one that comes back is. */
static void nothing_floats_outside(void **state) {
    (void)state;
    rn_world *world = lake(16, 0.25, 1.0);
    const int body = add(world, body_at(30.0, 2.0, 0.5), box(0.5, 0.5, 0.5));
    step(world, STEP);
    rn_body_load load = rn_bodies_load(world, body);
    assert_true(load.force.z == 0.0 && load.submerged == 0.0);
    const rn_pose back = {.at = {2.0, 2.0, 0.5}, .turn = {0, 0, 0, 1}};
    assert_int_equal(rn_bodies_move(world, body, &back), RN_OK);
    step(world, STEP);
    assert_true(rn_bodies_load(world, body).force.z > 0.0);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archimedes_is_exact),
        cmocka_unit_test(draughts_follow_from_densities),
        cmocka_unit_test(bobbing_dies_away),
        cmocka_unit_test(drag_only_stops),
        cmocka_unit_test(streams_take_bodies_along),
        cmocka_unit_test(streams_go_on_under_bodies_that_come),
        cmocka_unit_test(bridges_keep_their_lakes),
        cmocka_unit_test(floaters_lend_and_get_back),
        cmocka_unit_test(displaced_liquid_comes_back),
        cmocka_unit_test(loans_survive_droughts),
        cmocka_unit_test(ways_follow_from_densities),
        cmocka_unit_test(what_runs_aground_blocks_until_it_floats),
        cmocka_unit_test(who_is_to_choose_its_way_anew_blocks_where_it_is_aground),
        cmocka_unit_test(bodies_that_block_float_as_deep),
        cmocka_unit_test(no_dents_under_bodies),
        cmocka_unit_test(dams_hold_and_are_pushed),
        cmocka_unit_test(puddles_do_not_lift_bodies),
        cmocka_unit_test(shores_do_not_lift_the_surface),
        cmocka_unit_test(nothing_floats_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
