/* A world on a thread of its own: commands in, frames out, and the bits of a world that is stepped by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/platform.h"

#include <math.h>
#include <runnel/live.h>
#include <stdatomic.h>
#include <string.h>

static rn_world *make_world(void) {
    rn_terrain_def ground = rn_terrain_default();
    ground.cells_x = ground.cells_y = 24;
    ground.cell_size = 0.002;
    ground.solid = rn_sdf_move(rn_sdf_bowl(0.02, 0.01), (rn_vec3){0.024, 0.024, 0});
    rn_terrain *terrain;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    rn_world *world;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_terrain_destroy(terrain);
    return world;
}

static rn_live *make_live(rn_world *world, bool paused, double speed) {
    rn_live_def def = rn_live_default(world);
    def.paused = paused;
    def.speed = speed;
    rn_live *live;
    if (rn_live_create(&def, &live) != RN_OK) fail_msg("%s", rn_last_error());
    return live;
}

/* Looks until a frame has this number or more; a lost simulation fails after a minute. */
static const rn_live_frame *wait_for(rn_live *live, uint64_t number) {
    const double give_up = rn_clock() + 60.0;
    for (;;) {
        const rn_live_frame *frame = rn_live_latest(live);
        if (frame->number >= number) return frame;
        if (rn_clock() > give_up) fail_msg("no frame %llu within a minute", (unsigned long long)number);
        rn_sleep(0.001);
    }
}

typedef struct pouring {
    rn_vec3 at;
    double radius, rate;
} pouring;

static rn_result pour(rn_world *world, void *data) {
    pouring p;
    memcpy(&p, data, sizeof p);
    return rn_world_pour(world, p.at, p.radius, p.rate) < 0 ? RN_INVALID : RN_OK;
}

static const pouring stream = {{0.024, 0.024, 0.02}, 0.004, 2e-6};

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void the_first_frame_is_there(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, true, 1.0);
    const rn_live_frame *frame = rn_live_latest(live);
    assert_int_equal(frame->number, 1);
    assert_true(frame->paused);
    assert_true(frame->ground.triangle_count > 0 && frame->surface.triangle_count == 0);
    assert_int_equal(frame->result, RN_OK);
    rn_live_destroy(live);
    rn_world_destroy(world);
}

/* Commands and steps one by one leave the bits of the same calls by hand. */
static void steps_have_the_bits_of_steps_by_hand(void **state) {
    (void)state;
    enum { STEPS = 40 };
    rn_world *world = make_world(), *other = make_world();
    rn_live *live = make_live(world, true, 1.0);
    assert_int_equal(rn_live_send(live, pour, &stream, sizeof stream), RN_OK);
    uint64_t number = wait_for(live, 2)->number; /* a command shows while paused */
    for (int i = 0; i < STEPS; i++) {
        rn_live_advance(live);
        number = wait_for(live, number + 1)->number;
    }
    assert_int_equal(number, 2 + STEPS);
    const rn_live_frame *last = rn_live_latest(live);
    assert_true(last->surface.triangle_count > 0 && last->audit.drift == 0.0 && last->audit.present > 0.0);
    assert_int_equal(last->stats.steps > 0, true);
    const rn_surface_columns *c = &last->columns;
    double depth = 0.0;
    for (size_t i = 0; i < rn_surface_slots(c); i++) depth += (double)c->depth.data[i];
    assert_true(fabs(depth * 0.002 * 0.002 - last->audit.present) < 1e-12);
    rn_live_destroy(live);
    assert_int_equal(pour(other, (void *)&stream), RN_OK);
    for (int i = 0; i < STEPS; i++) assert_int_equal(rn_world_step(other, 1.0 / 60.0), RN_OK);
    assert_true(rn_world_hash(world) == rn_world_hash(other));
    rn_world_destroy(world);
    rn_world_destroy(other);
}

/* Played as fast as it goes, while the host keeps looking: every frame is whole, and numbers only rise. */
static void frames_are_whole_while_it_plays(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, false, 1000.0);
    assert_int_equal(rn_live_send(live, pour, &stream, sizeof stream), RN_OK);
    uint64_t last = 0;
    double time = 0.0;
    for (int looks = 0; looks < 2000000 && last < 200; looks++) {
        const rn_live_frame *frame = rn_live_latest(live);
        assert_true(frame->number >= last && frame->stats.time >= time);
        if (frame->number == last) continue;
        last = frame->number, time = frame->stats.time;
        const rn_mesh *m = &frame->surface;
        for (uint32_t i = 0; i < 3 * m->triangle_count; i++) assert_true(m->indices[i] < m->vertex_count);
        assert_true(frame->audit.drift == 0.0);
    }
    wait_for(live, 200);
    rn_live_destroy(live);
    rn_world_destroy(world);
}

/* Time runs no faster than asked for, but for the tenth of a second that it may catch up. */
static void time_does_not_run_ahead(void **state) {
    (void)state;
    rn_world *world = make_world();
    const double speed = 0.5, begin = rn_clock();
    rn_live *live = make_live(world, false, speed);
    for (uint64_t number = 2; number < 16; number++) {
        const rn_live_frame *frame = wait_for(live, number);
        assert_true(frame->stats.time <= speed * (rn_clock() - begin + 0.1) + 1.0 / 60.0);
        assert_true(frame->speed <= speed + 1e-9);
    }
    rn_live_destroy(live);
    rn_world_destroy(world);
}

static rn_result refuse(rn_world *world, void *data) {
    (void)data;
    return rn_world_set_rate(world, 7, 1.0);
}

static void failures_are_told_and_it_goes_on(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, true, 1.0);
    assert_int_equal(rn_live_send(live, refuse, NULL, 0), RN_OK);
    const rn_live_frame *frame = wait_for(live, 2);
    assert_int_equal(frame->result, RN_INVALID);
    assert_true(frame->error[0] != 0);
    rn_live_advance(live);
    wait_for(live, 3);
    char large[RN_LIVE_DATA + 1] = {0};
    assert_int_equal(rn_live_send(live, refuse, large, sizeof large), RN_INVALID);
    assert_int_equal(rn_live_send(live, NULL, NULL, 0), RN_INVALID);
    assert_int_equal(rn_live_set_speed(live, 0.0), RN_INVALID);
    assert_int_equal(rn_live_set_speed(live, 2.0), RN_OK);
    rn_live_destroy(live);
    rn_live_def def = rn_live_default(world);
    def.frame_time = -1.0;
    assert_int_equal(rn_live_create(&def, &live), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "frame_time is -1 s"));
    assert_null(live);
    rn_live_destroy(NULL);
    rn_world_destroy(world);
}

static rn_result idle(rn_world *world, void *data) {
    (void)world, (void)data;
    rn_sleep(0.01);
    return RN_OK;
}

/* A host that sends more than the simulation can do is told so, and nothing that was taken is lost. */
static void a_full_queue_is_told(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, true, 1.0);
    rn_result result = RN_OK;
    int taken = 0;
    while (result == RN_OK && taken < 1000) taken += (result = rn_live_send(live, idle, NULL, 0)) == RN_OK;
    assert_int_equal(result, RN_LIMIT);
    assert_true(taken >= 256);
    rn_live_destroy(live); /* while commands wait */
    rn_world_destroy(world);
}

static atomic_int looks; /* of the host */

/* Keeps the simulation busy until the host has looked a thousand times. */
static rn_result block(rn_world *world, void *data) {
    (void)world, (void)data;
    const double give_up = rn_clock() + 60.0;
    while (atomic_load(&looks) < 1000 && rn_clock() < give_up) rn_sleep(1e-4);
    return atomic_load(&looks) < 1000 ? RN_INVALID : RN_OK; /* the host waits for the simulation */
}

/* However long the simulation takes, the host's calls return: if one waited, neither would ever go on. */
static void the_host_never_waits(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, true, 1.0);
    assert_int_equal(rn_live_send(live, block, NULL, 0), RN_OK);
    for (int i = 0; i < 1000; i++) {
        rn_live_latest(live);
        if (i < 100) assert_int_equal(rn_live_send(live, pour, &stream, sizeof stream), RN_OK);
        rn_live_advance(live);
        assert_int_equal(rn_live_set_speed(live, 2.0), RN_OK);
        atomic_fetch_add(&looks, 1);
    }
    const double give_up = rn_clock() + 60.0;
    while (rn_live_latest(live)->commands < 101 && rn_clock() < give_up) rn_sleep(0.001);
    assert_int_equal(rn_live_latest(live)->commands, 101);
    assert_int_equal(rn_live_latest(live)->result, RN_OK);
    rn_live_destroy(live);
    rn_world_destroy(world);
}

static rn_result note_step(void *user, rn_world *world, double seconds) {
    int *order = user;
    if (order[0] == 0) order[1]++; /* a step before its command */
    order[0] = 0;
    return rn_world_step(world, seconds);
}

static rn_result note_command(rn_world *world, void *data) {
    (void)world;
    int *order = *(int **)data;
    order[0] = 1;
    return RN_OK;
}

static void measure_it(void *user, const rn_world *world, double values[RN_LIVE_VALUES]) {
    (void)user;
    values[3] = rn_world_volume(world) + 1.0;
}

/* A command that is sent before a step is asked for runs before that step, always. */
static void commands_come_before_the_step(void **state) {
    (void)state;
    rn_world *world = make_world();
    int order[2] = {0, 0}, *data = order;
    rn_live_def def = rn_live_default(world);
    def.paused = true;
    def.step = note_step;
    def.measure = measure_it;
    def.user = order;
    rn_live *live;
    assert_int_equal(rn_live_create(&def, &live), RN_OK);
    for (uint64_t i = 1; i <= 200; i++) {
        assert_int_equal(rn_live_send(live, note_command, &data, sizeof data), RN_OK);
        rn_live_advance(live);
        const double give_up = rn_clock() + 60.0;
        while (rn_live_latest(live)->steps < i && rn_clock() < give_up) rn_sleep(1e-5);
        assert_int_equal(rn_live_latest(live)->steps, i);
    }
    assert_true(rn_live_latest(live)->values[3] == 1.0);
    rn_live_destroy(live);
    assert_int_equal(order[1], 0);
    rn_world_destroy(world);
}

static rn_result wet(rn_world *world, void *data) {
    (void)data;
    rn_liquid liquid = rn_world_liquid(world);
    liquid.contact_angle = 10.0;
    return rn_world_set_liquid(world, &liquid);
}

/* The meshes follow a liquid that a command has changed, as if the skin had been made for it. */
static void meshes_follow_the_liquid(void **state) {
    (void)state;
    rn_world *world = make_world();
    assert_int_equal(pour(world, (void *)&stream), RN_OK);
    for (int i = 0; i < 60; i++) assert_int_equal(rn_world_step(world, 1.0 / 60.0), RN_OK);
    rn_live_def live_def = rn_live_default(world);
    live_def.paused = live_def.skin.menisci = true;
    rn_live *live;
    assert_int_equal(rn_live_create(&live_def, &live), RN_OK);
    assert_int_equal(rn_live_send(live, wet, NULL, 0), RN_OK);
    const rn_mesh *shown = &wait_for(live, 2)->surface;
    rn_skin_def def = rn_skin_default(world);
    def.menisci = true;
    rn_skin *skin;
    assert_int_equal(rn_skin_create(&def, &skin), RN_OK);
    assert_int_equal(rn_skin_update(skin, NULL), RN_OK);
    const rn_mesh expected = rn_skin_surface(skin);
    assert_int_equal(shown->vertex_count, expected.vertex_count);
    assert_memory_equal(shown->menisci, expected.menisci, 16 * (size_t)expected.vertex_count);
    assert_memory_equal(shown->positions, expected.positions, 12 * (size_t)expected.vertex_count);
    rn_skin_destroy(skin);
    rn_live_destroy(live);
    rn_world_destroy(world);
}

static rn_result count(rn_world *world, void *data) {
    (void)world;
    int *counter;
    memcpy(&counter, data, sizeof counter);
    rn_sleep(0.001);
    ++*counter;
    return RN_OK;
}

/* Commands that were sent are run, even if the host ends the simulation at once. */
static void commands_are_run_before_the_end(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, false, 1000.0);
    int counter = 0, *to = &counter;
    for (int i = 0; i < 100; i++) assert_int_equal(rn_live_send(live, count, &to, sizeof to), RN_OK);
    rn_live_destroy(live);
    assert_int_equal(counter, 100);
    rn_world_destroy(world);
}

/* A host that raises the limit after each frame sees every step, however slow it is. */
static void the_limit_shows_every_step(void **state) {
    (void)state;
    rn_world *world = make_world();
    rn_live *live = make_live(world, true, 1000.0);
    rn_live_set_limit(live, 2);
    rn_live_pause(live, false);
    for (uint64_t seen = 0; seen < 20; seen += 2) {
        const double give_up = rn_clock() + 60.0;
        while (rn_live_latest(live)->steps < seen + 2 && rn_clock() < give_up) rn_sleep(0.001);
        rn_sleep(0.01); /* time for many steps */
        assert_int_equal(rn_live_latest(live)->steps, seen + 2);
        rn_live_set_limit(live, seen + 4);
    }
    rn_live_destroy(live);
    rn_world_destroy(world);
}

static uint8_t resting_of(rn_live *live, uint64_t number, int tile) {
    const rn_resting r = wait_for(live, number)->resting;
    assert_int_equal(r.tiles_x, 1);
    assert_int_equal(r.tiles_y, 2); /* 24 rows in tiles of 16 */
    assert_int_equal(r.tile_y, 16);
    assert_non_null(r.rests);
    return r.rests[tile];
}

/* Frames have the tiles that the solver skips: those of a pool that is level, until something pours into it. */
static void tiles_at_rest_are_told(void **state) {
    (void)state;
    rn_world *world = make_world();
    uint8_t rests[2] = {7, 7};
    assert_int_equal(rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02}), RN_OK);
    assert_null(rn_world_resting(world, rests, 1).rests); /* no room for two */
    assert_int_equal(rests[0], 7);
    rn_live *live = make_live(world, true, 1.0);
    assert_int_equal(resting_of(live, 1, 0), 0); /* no step yet */
    rn_live_advance(live);
    wait_for(live, 2);
    rn_live_advance(live);
    assert_int_equal(resting_of(live, 3, 0), 1);
    assert_int_equal(resting_of(live, 3, 1), 1);
    assert_int_equal(rn_live_send(live, pour, &stream, sizeof stream), RN_OK);
    rn_live_advance(live);
    const double give_up = rn_clock() + 60.0;
    while (rn_live_latest(live)->steps < 3 && rn_clock() < give_up) rn_sleep(0.001);
    assert_int_equal(rn_live_latest(live)->resting.rests[0], 0);
    rn_live_destroy(live);
    assert_int_equal(rn_world_resting(world, rests, 2).tiles_y, 2);
    rn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_frame_is_there),
        cmocka_unit_test(steps_have_the_bits_of_steps_by_hand),
        cmocka_unit_test(frames_are_whole_while_it_plays),
        cmocka_unit_test(time_does_not_run_ahead),
        cmocka_unit_test(failures_are_told_and_it_goes_on),
        cmocka_unit_test(a_full_queue_is_told),
        cmocka_unit_test(the_host_never_waits),
        cmocka_unit_test(commands_come_before_the_step),
        cmocka_unit_test(meshes_follow_the_liquid),
        cmocka_unit_test(commands_are_run_before_the_end),
        cmocka_unit_test(the_limit_shows_every_step),
        cmocka_unit_test(tiles_at_rest_are_told),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
