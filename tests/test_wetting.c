/* Contact angles of regions and maps (rn_world_set_wetting): drops follow a line that wets, puddles stop at grease;
   states are saved with them, and what is refused. */
#include "tray_worlds.h"

#include "pipe_worlds.h"

#include <math.h>
#include <string.h>

enum { N = 48 };
static const double cell = 0.5e-3;

static rn_world_def def_of(rn_contact contact, double advancing, double receding) {
    rn_world_def def = rn_world_default();
    def.liquid = rn_liquid_water();
    def.liquid.contact_angle = advancing;
    def.liquid.receding_angle = receding;
    def.liquid.viscosity = 1e-5;
    def.contact = contact;
    return def;
}

/* Level ground with a round block of liquid, 2 mm deep. */
static rn_world *plate(const rn_world_def *def, double radius) {
    rn_world *world = world_on(level_ground(N, N, cell, 0.0, 0.05), def);
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            if (hypot(x + 0.5 - N / 2, y + 0.5 - N / 2) * cell < radius) d.data[y * d.row_stride + x] = 2e-3f;
    assert_int_equal(rn_world_commit(world), RN_OK);
    return world;
}

/* Gives ground in a box around (x, y), m, contact angles of its own. */
static void wet_box(rn_world *world, double x, double y, double wide, double high, double advancing, double receding) {
    rn_wetting_def def = rn_wetting_default();
    rn_sdf *box = rn_sdf_move(rn_sdf_box((rn_vec3){wide, high, 0.02}), (rn_vec3){x, y, 0.0});
    def.region = box;
    def.contact_angle = advancing;
    def.receding_angle = receding;
    assert_int_equal(rn_world_set_wetting(world, &def), RN_OK);
    rn_sdf_destroy(box);
}

/* The extent of liquid that is deeper than 0.2 mm, in cells along x and y. */
static void extent_of(const rn_world *world, int size[2]) {
    const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
    int low[2] = {N, N}, high[2] = {-1, -1};
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            if (!(d.data[y * d.row_stride + x] > 2e-4f)) continue;
            const int at[2] = {x, y};
            for (int k = 0; k < 2; k++) {
                if (at[k] < low[k]) low[k] = at[k];
                if (at[k] > high[k]) high[k] = at[k];
            }
        }
    for (int k = 0; k < 2; k++) size[k] = high[k] - low[k] + 1;
}

static void a_drop_stretches_along_a_wetting_line(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 70.0, 50.0);
    for (int axis = 0; axis < 2; axis++) {
        rn_world *world = plate(&def, 2e-3);
        const double middle = 0.5 * N * cell, wide = 2.5e-3;
        wet_box(world, middle, middle, axis ? wide : 1.0, axis ? 1.0 : wide, 15.0, 10.0);
        run(world, 120);
        int size[2];
        extent_of(world, size);
        assert_true(size[axis] >= 2 * size[1 - axis]);
        assert_true(rn_world_audit(world).drift == 0.0);
        rn_world_destroy(world);
    }
}

static void a_puddle_stops_at_grease(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 30.0, 20.0);
    const double middle = 0.5 * N * cell, edge = middle + 3.2e-3;
    double beyond[2];
    for (int greasy = 0; greasy < 2; greasy++) {
        rn_world *world = plate(&def, 3e-3);
        if (greasy) wet_box(world, edge + 0.5, middle, 1.0, 1.0, 100.0, 90.0);
        run(world, 120);
        const rn_view d = rn_world_view(world, RN_FIELD_DEPTH);
        beyond[greasy] = 0.0;
        for (int y = 0; y < N; y++)
            for (int x = (int)(edge / cell) + 1; x < N; x++) beyond[greasy] += (double)d.data[y * d.row_stride + x];
        rn_world_destroy(world);
    }
    print_message("beyond: %g and %g m\n", beyond[0], beyond[1]);
    assert_true(beyond[0] > 0.005);
    assert_true(beyond[1] < 0.05 * beyond[0]);
}

/* A map does the same as a region; where it is NAN angles stay as they are. */
static void maps_are_regions(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 70.0, 50.0);
    uint64_t hash[3];
    float map[N * N];
    for (int i = 0; i < N * N; i++) map[i] = i % N < N / 2 ? 20.0f : NAN;
    for (int k = 0; k < 3; k++) {
        rn_world *world = plate(&def, 3e-3);
        rn_wetting_def wetting = rn_wetting_default();
        wetting.map = map, wetting.map_x = wetting.map_y = N;
        wetting.receding_angle = 10.0;
        if (k == 0) wet_box(world, 0.0, 0.0, N * cell, 1.0, 20.0, 10.0);
        if (k == 1) assert_int_equal(rn_world_set_wetting(world, &wetting), RN_OK);
        run(world, 20);
        hash[k] = rn_world_hash(world);
        rn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
}

/* Angles that are those of the liquid change nothing, to the bit; nor does anything without dynamic contact. */
static void the_same_angles_change_nothing(void **unused) {
    (void)unused;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        const rn_world_def def = def_of(dynamic ? RN_CONTACT_DYNAMIC : RN_CONTACT_STATIC, 60.0, 40.0);
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            rn_world *world = plate(&def, 3e-3);
            if (k) wet_box(world, 0.0, 0.0, 1.0, 1.0, dynamic ? 60.0 : 10.0, NAN);
            run(world, 15);
            hash[k] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Ground without angles of its own follows another liquid; other ground does not. */
static void angles_follow_the_liquid(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 70.0, 50.0), other = def_of(RN_CONTACT_DYNAMIC, 60.0, 30.0);
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        rn_world *world = plate(k ? &def : &other, 3e-3);
        wet_box(world, 0.0, 0.0, N * cell, 1.0, 20.0, 10.0);
        if (k) assert_int_equal(rn_world_set_liquid(world, &other.liquid), RN_OK);
        run(world, 15);
        hash[k] = rn_world_hash(world);
        rn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void states_are_saved_with_angles(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 70.0, 50.0);
    rn_world *world = plate(&def, 3e-3), *without = plate(&def, 3e-3);
    rn_snapshot *snapshot = NULL;
    wet_box(world, 0.0, 0.0, N * cell, 1.0, 20.0, 10.0);
    run(world, 5);
    assert_int_equal(rn_world_save(world, &snapshot), RN_OK);
    run(world, 10);
    const uint64_t hash = rn_world_hash(world);
    wet_box(world, 0.0, 0.0, 1.0, 1.0, 100.0, 90.0);
    run(world, 5);
    assert_int_equal(rn_world_restore(world, snapshot), RN_OK);
    run(world, 10);
    assert_true(rn_world_hash(world) == hash);
    assert_int_not_equal(rn_world_restore(without, snapshot), RN_OK);
    rn_snapshot_destroy(snapshot);
    rn_world_destroy(world);
    rn_world_destroy(without);
}

/* A body that falls into a puddle adds layers to columns, which keep their angles. */
static void bodies_leave_angles_alone(void **unused) {
    (void)unused;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 70.0, 50.0);
        def.threads = k ? 3 : 1;
        rn_world *world = plate(&def, 5e-3);
        wet_box(world, 0.0, 0.0, N * cell, 1.0, 20.0, 10.0);
        rn_body_def ball = rn_body_default();
        ball.pose.at = (rn_vec3){0.5 * N * cell, 0.5 * N * cell, 0.012};
        const int number = make_body(world, ball, rn_shape_sphere(3e-3));
        for (int frame = 0; frame < 30; frame++) {
            rn_pose pose = ball.pose;
            pose.at.z = 0.012 - 4e-4 * frame;
            assert_int_equal(rn_bodies_move(world, number, &pose), RN_OK);
            run(world, 1);
        }
        const rn_columns *c = &state_of(world)->columns;
        assert_true(rn_world_audit(world).drift == 0.0);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                const float angle = c->advancing[rn_slot(&c->grid, 0, y, x)];
                assert_true(fabsf(angle - (x < N / 2 ? 0.0603074f : 0.6579799f)) < 1e-6f);
            }
        hash[k] = rn_world_hash(world);
        rn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void refuse(rn_world *world, const rn_wetting_def *def, const char *words) {
    assert_int_equal(rn_world_set_wetting(world, def), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), words));
}

static void bad_wetting_is_refused(void **unused) {
    (void)unused;
    const rn_world_def def = def_of(RN_CONTACT_DYNAMIC, 70.0, 50.0);
    rn_world *world = plate(&def, 3e-3);
    rn_wetting_def wetting = rn_wetting_default();
    wetting.contact_angle = 181.0;
    refuse(world, &wetting, "contact_angle is 181; it must be from 0 to 180 (degrees)");
    wetting.contact_angle = 60.0, wetting.receding_angle = 61.0;
    refuse(world, &wetting, "receding_angle is 61; it must be at most contact_angle, which is 60 (degrees)");
    wetting.receding_angle = -1.0;
    refuse(world, &wetting, "receding_angle is -1; it must be from 0 to 180 (degrees)");
    const float map[2] = {20.0f, 200.0f};
    wetting.receding_angle = NAN, wetting.map = map, wetting.map_x = 2, wetting.map_y = 1;
    refuse(world, &wetting, "the map holds 200 at column 1, row 0 from the south; contact_angle must be from 0 to 180");
    wetting.map = NULL;
    wetting.region = rn_sdf_move(rn_sdf_box((rn_vec3){1e-3, 1e-3, 1e-3}), (rn_vec3){0.0, 0.0, 0.03});
    refuse(world, &wetting, "the region touches no ground");
    rn_sdf_destroy((rn_sdf *)wetting.region);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_stretches_along_a_wetting_line),
        cmocka_unit_test(a_puddle_stops_at_grease),
        cmocka_unit_test(maps_are_regions),
        cmocka_unit_test(the_same_angles_change_nothing),
        cmocka_unit_test(angles_follow_the_liquid),
        cmocka_unit_test(states_are_saved_with_angles),
        cmocka_unit_test(bodies_leave_angles_alone),
        cmocka_unit_test(bad_wetting_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
