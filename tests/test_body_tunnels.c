/* Bodies where there is more than one layer: in a tunnel, on its roof, through both; and bodies over and in each other.
 */
#include "body_worlds.h"

#include <math.h>

enum { NX = 40, NY = 8, BRIDGE = 15, BRIDGE_END = 25 };
static const double tunnel = 2.0, roof = 6.0, lid = 12.0; /* m */

/* Two basins with a bridge between them: a tunnel below, a way over it on top. */
static rn_world *bridge_world(flow_method passages) {
    rn_column columns[2 * NX * NY];
    int32_t counts[NX * NY];
    int found = 0;
    for (int i = 0; i < NX * NY; i++) {
        const bool under = i % NX >= BRIDGE && i % NX < BRIDGE_END;
        counts[i] = under ? 2 : 1;
        columns[found++] = (rn_column){-INFINITY, 0.0, under ? tunnel : lid};
        if (under) columns[found++] = (rn_column){tunnel, roof, lid};
    }
    return make_world_on(make_terrain(NX, NY, 1.0, lid, columns, counts),
                         &(setup){.passages = passages, .friction = 0.3});
}

/* As long as the bridge and wider than the channel, from one height to another. It stands north of the channel. */
static int make_plug(rn_world *world, double low, double high) {
    rn_body_def def = body_at(0.5 * (BRIDGE + BRIDGE_END), 1.5 * NY + 1.0, 0.5 * (low + high));
    def.mode = RN_BODY_BLOCKS;
    return make_body(world, def, rn_shape_box((rn_vec3){BRIDGE_END - BRIDGE, NY + 2.0, high - low}));
}

/* Slides it on until it covers this share of the channel's width. */
static void slide_plug(rn_world *world, int plug, double share) {
    rn_pose pose = rn_bodies_describe(world, plug).pose;
    const double y = 1.5 * NY + 1.0 - NY * share;
    while (pose.at.y != y) {
        pose.at.y += fmax(fmin(y - pose.at.y, 0.05), -0.05);
        assert_int_equal(rn_bodies_move(world, plug, &pose), RN_OK);
        step(world, 0.05);
    }
}

static double mean_level(const rn_world *world, int x) {
    double sum = 0.0;
    for (int y = 0; y < NY; y++) sum += rn_world_sample_layer(world, x + 0.5, y + 0.5, 0).level;
    return sum / NY;
}

/* How much higher (m) the liquid stands before the bridge than behind it. */
static double head(const rn_world *world) { return mean_level(world, BRIDGE - 1) - mean_level(world, BRIDGE_END); }

/* m^3 in the tunnel. */
static double tunnel_volume(const rn_world *world) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE);
    double sum = 0.0;
    for (int y = 0; y < NY; y++)
        for (int x = BRIDGE; x < BRIDGE_END; x++)
            if (b.data[y * b.row_stride + x] < tunnel) sum += d.data[y * d.row_stride + x];
    return sum;
}

/* m^3/s that pass the bridge for every m of head, once they are steady. */
static double conductance(rn_world *world, int section) {
    for (int i = 0; i < 400; i++) step(world, 0.05);
    const double before = rn_world_read_section(world, section).volume;
    double mean = 0.0;
    for (int i = 0; i < 200; i++) {
        step(world, 0.05);
        mean += head(world) / 200.0;
    }
    assert_true(broken_columns(world) == 0.0 && mean > 0.01);
    return (rn_world_read_section(world, section).volume - before) / 10.0 / mean;
}

static int middle(rn_world *world) { return rn_world_add_section(world, 20.0, NY, 20.0, 0.0); }

static rn_world *stream(flow_method passages, double west, double east) {
    rn_world *world = bridge_world(passages);
    fill_west(world, NX / 2, west);
    fill_to(world, east);
    hold_side(world, RN_SIDE_WEST, west);
    hold_side(world, RN_SIDE_EAST, east);
    return world;
}

/* ---- Tunnels ------------------------------------------------------------------------------------------------------
 */

/* The narrower what is left of it, the less flows, and nothing when it is shut. */
static void tunnels_are_throttled(void **state) {
    (void)state;
    const double shares[] = {0.2, 0.5, 0.7, 1.0, 0.45, 0.0}; /* 0.2 and 0.7: a part of some cells */
    for (int m = 0; m < 2; m++) {
        rn_world *world = stream(both[m], 3.0, 2.5);
        const int plug = make_plug(world, -0.5, tunnel + 0.5), section = middle(world);
        const double open = conductance(world, section);
        assert_true(open > 1.0);
        for (int i = 0; i < 6; i++) {
            slide_plug(world, plug, shares[i]);
            const double q = conductance(world, section);
            const double left = (1.0 - shares[i]) * tunnel * (BRIDGE_END - BRIDGE) * NY;
            assert_true(fabs(tunnel_volume(world) - left) < 0.01);
            if (shares[i] == 1.0) assert_true(q == 0.0);
            else if (!(fabs(q / open - (1.0 - shares[i])) < 0.06)) fail_msg("%d: %g, %g of %g", m, shares[i], q, open);
        }
        rn_world_destroy(world);
    }
}

/* Shut, both basins keep every drop; then their levels meet through what is full to its ceiling. */
static void flooded_tunnels_equalise(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        rn_world *world = bridge_world(both[m]);
        const int plug = make_plug(world, -0.5, tunnel + 0.5), section = middle(world);
        slide_plug(world, plug, 1.0);
        fill_west(world, NX / 2, 3.2);
        fill_to(world, 2.4);
        for (int i = 0; i < 200; i++) step(world, 0.05);
        assert_true(rn_world_read_section(world, section).volume == 0.0);
        assert_true(fabs(head(world) - 0.8) < 0.01);
        slide_plug(world, plug, 0.5);
        for (int i = 0; i < 2000; i++) step(world, 0.05);
        if (!(fabs(head(world)) < 0.01)) fail_msg("%d: %g m apart", m, head(world));
        slide_plug(world, plug, 0.0);
        const rn_audit audit = rn_world_audit(world);
        assert_true(audit.displaced == 0.0 && audit.body_offset == 0.0 && audit.present == audit.poured);
        rn_world_destroy(world);
    }
}

/* ---- Roofs --------------------------------------------------------------------------------------------------------
 */

/* What lies on the roof, above the water, changes nothing below it: not one quantum. */
static void roofs_carry_bodies(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        double passed[2];
        for (int k = 0; k < 2; k++) {
            rn_world *world = stream(both[m], 3.0, 2.5);
            const int section = middle(world);
            if (k) {
                const int slab = make_plug(world, roof, roof + 1.0);
                rn_pose pose = rn_bodies_describe(world, slab).pose;
                pose.at.y = 0.5 * NY;
                assert_int_equal(rn_bodies_teleport(world, slab, &pose), RN_OK);
                assert_int_equal(rn_world_commit(world), RN_OK);
            }
            conductance(world, section);
            passed[k] = rn_world_read_section(world, section).volume;
            rn_world_destroy(world);
        }
        assert_true(passed[0] == passed[1] && passed[0] > 10.0);
    }
}

/* Water in the tunnel and over the roof: a body in each way shuts that way, one through both shuts both. */
static void bodies_reach_through_layers(void **state) {
    (void)state;
    const double lows[] = {-0.5, roof - 0.5, -0.5}, highs[] = {tunnel + 0.5, lid + 0.5, lid + 0.5};
    for (int m = 0; m < 2; m++) {
        double q[3], all = 0.0;
        for (int k = 0; k < 3; k++) {
            rn_world *world = stream(both[m], 7.5, 7.0);
            const int plug = make_plug(world, lows[k], highs[k]), section = middle(world);
            if (k == 0) all = conductance(world, section);
            slide_plug(world, plug, 1.0);
            q[k] = conductance(world, section);
            slide_plug(world, plug, 0.0);
            const double after = conductance(world, section);
            if (!(fabs(after / all - 1.0) < 0.02)) fail_msg("%d, %d: %g of %g m3/s", m, k, after, all);
            rn_world_destroy(world);
        }
        assert_true(q[2] == 0.0 && q[0] > 0.1 * all && q[1] > 0.1 * all);
        if (!(fabs((q[0] + q[1]) / all - 1.0) < 0.02)) fail_msg("%d: %g and %g of %g m3/s", m, q[0], q[1], all);
    }
}

/* ---- Over and in each other ---------------------------------------------------------------------------------------
 */

/* How far two boxes that overlap raise a lake: as one that is both, but for cells that each covers a part of. */
static void overlapping_bodies_count_once(void **state) {
    (void)state;
    enum { CELLS = 24 };
    const double size = 0.25, area = CELLS * CELLS * size * size, both_volume = 2.1 * 1.1 * 0.8;
    for (int m = 0; m < 2; m++) {
        rn_world *world = make_world(
            &(setup){.nx = CELLS, .ny = CELLS, .cell = size, .lid = 8.0, .friction = 0.001, .passages = both[m]});
        fill_to(world, 1.5);
        for (int i = 0; i < 2; i++) {
            rn_body_def def = body_at(2.53 + 0.7 * i, 3.04, 0.4);
            def.mode = RN_BODY_BLOCKS;
            make_body(world, def, rn_shape_box((rn_vec3){1.4, 1.1, 0.8}));
        }
        for (int i = 0; i < 1500; i++) step(world, 2.0 * STEP);
        const double rise = rn_world_sample_layer(world, 0.1, 0.1, 0).level - 1.5;
        if (!(fabs(rise / (both_volume / area) - 1.0) < 0.05)) fail_msg("%d: %g of %g m", m, rise, both_volume / area);
        rn_world_destroy(world);
    }
}

/* Three crates on top of each other hold back what is below the top of the third, and nothing above it. */
static void stacks_block_to_their_tops(void **state) {
    (void)state;
    const double high = 1.3, top = 3.0 * high;
    for (int m = 0; m < 2; m++) {
        rn_world *world =
            make_world(&(setup){.nx = NX, .ny = NY, .cell = 1.0, .lid = lid, .friction = 0.3, .passages = both[m]});
        for (int i = 0; i < 3; i++) {
            rn_body_def def = body_at(20.3 + 0.1 * i, 0.5 * NY, high * (i + 0.5));
            def.mode = RN_BODY_BLOCKS;
            make_body(world, def, rn_shape_box((rn_vec3){2.6, NY + 1.0, high}));
        }
        assert_int_equal(rn_world_commit(world), RN_OK);
        const int behind = rn_world_add_section(world, 24.0, NY, 24.0, 0.0);
        fill_west(world, 20.0, top - 0.1);
        for (int i = 0; i < 400; i++) step(world, 0.05);
        assert_true(rn_world_read_section(world, behind).volume == 0.0);
        fill_west(world, 20.0, top + 0.3);
        for (int i = 0; i < 2000; i++) step(world, 0.05);
        const double level = rn_world_sample_layer(world, 5.5, 4.5, 0).level;
        assert_true(rn_world_read_section(world, behind).volume > 10.0);
        if (!(level > top - 0.02 && level < top + 0.1)) fail_msg("%d: %g, the top is at %g m", m, level, top);
        rn_world_destroy(world);
    }
}

/* ---- Threads -------------------------------------------------------------------------------------------------------
 */

enum { WIDE = 96, DEEP = 48, CROWD = 24 };

/* Bridges over a lake, with ponds on them; under, on and beside them bodies that block, and some that float. */
static rn_world *crowded_bridges(flow_method passages, int threads, adrift *bodies) {
    static rn_column columns[2 * WIDE * DEEP];
    static int32_t counts[WIDE * DEEP];
    int found = 0;
    for (int i = 0; i < WIDE * DEEP; i++) {
        const bool under = i % WIDE % 16 >= 6 && i / WIDE % 24 >= 4;
        counts[i] = under ? 2 : 1;
        columns[found++] = (rn_column){-INFINITY, 0.0, under ? 1.2 : lid};
        if (under) columns[found++] = (rn_column){1.2, 1.6, lid};
    }
    rn_world *world = make_world_on(make_terrain(WIDE, DEEP, 0.5, lid, columns, counts),
                                    &(setup){.passages = passages, .friction = 0.5, .threads = threads});
    fill_west(world, 0.25 * WIDE, 2.1);
    fill_to(world, 1.9);
    uint32_t random = 5;
    for (int i = 0; i < CROWD; i++) {
        rn_body_def def =
            body_at(2.0 + 44.0 * random_unit(&random), 2.0 + 20.0 * random_unit(&random), i % 3 ? 2.2 : 0.7);
        def.mode = i % 3 == 1 ? RN_BODY_FLOATS : RN_BODY_BLOCKS;
        def.pose.turn = turn_about((rn_vec3){random_unit(&random), 1.0, random_unit(&random)}, 0.3 * i);
        bodies[i] = set_adrift(world, make_body(world, def, rn_shape_box((rn_vec3){1.5, 1.0, 0.7})));
    }
    return world;
}

static void bridges_and_bodies_go_alike_with_any_threads(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads++) {
            adrift bodies[CROWD];
            rn_world *world = crowded_bridges(both[m], threads, bodies);
            const uint64_t before = rn_world_hash(world);
            for (int i = 0; i < 50; i++) drift_on(world, bodies, CROWD, STEP);
            assert_true(rn_world_audit(world).drift == 0.0 && rn_world_describe(world).layers > 2);
            const uint64_t hash = rn_world_hash(world);
            if (threads == 1) first = hash;
            assert_true(hash == first && hash != before);
            rn_world_destroy(world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunnels_are_throttled),
        cmocka_unit_test(flooded_tunnels_equalise),
        cmocka_unit_test(roofs_carry_bodies),
        cmocka_unit_test(bodies_reach_through_layers),
        cmocka_unit_test(overlapping_bodies_count_once),
        cmocka_unit_test(stacks_block_to_their_tops),
        cmocka_unit_test(bridges_and_bodies_go_alike_with_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
