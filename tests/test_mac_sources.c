/* The 3D liquid: sources, drains, open sides, moving solids and the ledger of particles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac/sources.h"
#include "mac_worlds.h"

#include <stdlib.h>
#include <string.h>

static const rn_vec3 down = {0.0, 0.0, -1.0};

static int add_source(rn_mac *mac, rn_vec3 position, double radius, double rate, rn_vec3 velocity) {
    int source = -1;
    const rn_mac_source_def def = {.position = position, .radius = radius, .rate = rate, .velocity = velocity};
    if (rn_mac_add_source(mac, &def, &source) != RN_OK) fail_msg("%s", rn_last_error());
    return source;
}

static double particle_volume(const rn_mac_def *def) { return def->cell_size * def->cell_size * def->cell_size / 8.0; }

static rn_mac *make_pool(const rn_mac_def *def, double depth) {
    rn_mac *mac = make_mac(def);
    fill(mac, at_rest, (rn_vec3){2.0, 2.0, depth}, NULL, NULL);
    return mac;
}

/* ---- Sources and drains ------------------------------------------------------------------------------------------ */

static void a_jet_pours_its_rate_to_the_particle(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    rn_mac *mac = make_mac(&def);
    const double radius = 0.1, rate = acos(-1.0) * radius * radius; /* a jet of 1 m/s, as dense as liquid */
    add_source(mac, (rn_vec3){0.5, 0.5, 0.9}, radius, rate, down);
    for (int frame = 1; frame <= 30; frame++) {
        advance(mac, 1.0 / 30.0);
        const rn_mac_ledger ledger = rn_mac_audit(mac);
        const double due = rate * frame / 30.0, apart = ledger.poured - due;
        if (!(apart <= 1e-9 && apart > -1.001 * particle_volume(&def)))
            fail_msg("poured %g m^3, not %g", ledger.poured, due);
        assert_int_equal(ledger.drift, 0);
        assert_true(ledger.present == ledger.poured);
    }
    rn_mac_destroy(mac);
}

/* Below the nozzle, where gravity has stretched the jet by little. */
static void a_jet_is_as_dense_and_fast_as_it_should_be(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    def.gravity = at_rest;
    rn_mac *mac = make_mac(&def);
    const double radius = 0.125;
    add_source(mac, (rn_vec3){0.5, 0.5, 0.85}, radius, acos(-1.0) * radius * radius, down);
    for (int frame = 0; frame < 15; frame++) advance(mac, 1.0 / 30.0);
    double inside = 0.0, fastest = 0.0, slowest = 1e9;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        const double x = p.position.x - 0.5, y = p.position.y - 0.5;
        assert_true(x * x + y * y < 1.2 * radius * radius);
        if (p.position.z < 0.5 || p.position.z > 0.75) continue;
        inside += particle_volume(&def);
        fastest = fmax(fastest, -p.velocity.z);
        slowest = fmin(slowest, -p.velocity.z);
    }
    const double dense = inside / (acos(-1.0) * radius * radius * 0.25);
    if (!(fabs(dense - 1.0) < 0.03)) fail_msg("density %g of rest", dense);
    if (!(fastest < 1.02 && slowest > 0.98)) fail_msg("speeds from %g to %g m/s", slowest, fastest);
    rn_mac_destroy(mac);
}

static void a_drain_takes_its_rate_and_the_nearest_first(void **unused) {
    (void)unused;
    rn_mac_def def = cube(20);
    rn_mac *mac = make_pool(&def, 0.5);
    const double rate = 0.02;
    const int drain = add_source(mac, (rn_vec3){0.5, 0.5, 0.0}, 0.2, -rate, at_rest);
    for (int frame = 1; frame <= 30; frame++) {
        advance(mac, 1.0 / 30.0);
        const rn_mac_ledger ledger = rn_mac_audit(mac);
        const double apart = ledger.drained - rate * frame / 30.0;
        if (!(apart <= 1e-9 && apart > -1.001 * particle_volume(&def))) fail_msg("drained %g m^3", ledger.drained);
        assert_int_equal(ledger.drift, 0);
    }
    double nearest = 1.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_vec3 p = rn_mac_particle_at(mac, n).position;
        nearest = fmin(nearest, sqrt((p.x - 0.5) * (p.x - 0.5) + (p.y - 0.5) * (p.y - 0.5) + p.z * p.z));
    }
    assert_true(nearest > 0.25 * def.cell_size);
    assert_int_equal(rn_mac_remove_source(mac, drain), RN_OK);
    const double before = rn_mac_volume(mac);
    advance(mac, 0.1);
    assert_true(rn_mac_volume(mac) == before);
    rn_mac_destroy(mac);
}

/* A drain that finds nothing does not take more later. */
static void a_dry_drain_makes_up_for_nothing(void **unused) {
    (void)unused;
    rn_mac_def def = cube(16);
    rn_mac *mac = make_mac(&def);
    add_source(mac, (rn_vec3){0.5, 0.5, 0.1}, 0.2, -0.01, at_rest);
    advance(mac, 1.0);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    advance(mac, 0.1);
    assert_true(rn_mac_audit(mac).drained <= 0.001 + particle_volume(&def));
    rn_mac_destroy(mac);
}

static void a_source_waits_where_there_is_no_place(void **unused) {
    (void)unused;
    rn_mac_def def = cube(16);
    rn_mac *mac = make_mac(&def);
    mac_ball stone = {.centre = {0.5, 0.5, 0.5}, .radius = 0.3};
    assert_int_equal(rn_mac_set_solid(mac, ball_distance, &stone), RN_OK);
    const int source = add_source(mac, (rn_vec3){0.5, 0.5, 0.5}, 0.1, 0.01, at_rest);
    advance(mac, 0.5);
    assert_int_equal(rn_mac_particle_count(mac), 0);
    assert_true(fabs(rn_mac_audit(mac).owed - 0.005) < 1e-9);
    assert_int_equal(rn_mac_set_source_rate(mac, source, -1e30), RN_INVALID); /* changes nothing */
    assert_int_equal(rn_mac_set_source_rate(mac, source, 0.0), RN_OK);
    assert_true(fabs(rn_mac_audit(mac).owed - 0.005) < 1e-9);
    assert_int_equal(rn_mac_set_source_rate(mac, source, 0.01), RN_OK);
    assert_int_equal(rn_mac_move_source(mac, source, (rn_vec3){0.5, 0.5, 0.9}, at_rest), RN_OK);
    for (int frame = 0; frame < 15; frame++) advance(mac, 1.0 / 30.0);
    const rn_mac_ledger ledger = rn_mac_audit(mac);
    assert_true(fabs(ledger.poured + ledger.owed - 0.01) < 1e-9);
    assert_true(ledger.poured > 0.005);
    rn_mac_destroy(mac);
}

/* A full cell takes half as many again at most; a closed and full box takes no more than that. */
static void a_full_box_refuses_more(void **unused) {
    (void)unused;
    rn_mac_def def = cube(8);
    rn_mac *mac = make_pool(&def, 1.0);
    add_source(mac, (rn_vec3){0.5, 0.5, 0.5}, 0.2, 10.0, at_rest);
    for (int frame = 0; frame < 10; frame++) advance(mac, 1.0 / 30.0);
    assert_true(rn_mac_volume(mac) <= 1.5);
    assert_int_equal(rn_mac_audit(mac).drift, 0);
    rn_mac_destroy(mac);
}

/* ---- Open sides -------------------------------------------------------------------------------------------------- */

static void liquid_leaves_through_open_sides(void **unused) {
    (void)unused;
    const unsigned sides[] = {RN_MAC_X_LOW, RN_MAC_X_HIGH, RN_MAC_Y_LOW, RN_MAC_Y_HIGH, RN_MAC_Z_LOW};
    for (int i = 0; i < 5; i++) {
        rn_mac_def def = cube(16);
        def.open = sides[i];
        def.viscosity = i == 1 ? 1e-3 : 0.0;
        rn_mac *mac = make_pool(&def, 0.5);
        for (int frame = 0; frame < 60; frame++) advance(mac, 1.0 / 30.0);
        const rn_mac_ledger ledger = rn_mac_audit(mac);
        assert_int_equal(ledger.drift, 0);
        if (!(ledger.left > 0.4)) fail_msg("only %g m^3 left through side %u", ledger.left, sides[i]);
        rn_mac_destroy(mac);
    }
}

/* Nothing holds the liquid above an open floor: it falls freely. */
static void liquid_falls_through_an_open_floor(void **unused) {
    (void)unused;
    rn_mac_def def = cube(16);
    def.open = RN_MAC_Z_LOW;
    def.density_time = -1.0;
    rn_mac *mac = make_pool(&def, 0.5);
    for (int frame = 0; frame < 6; frame++) advance(mac, 1.0 / 30.0);
    const double fallen = 0.5 * 9.81 * 0.04, left = rn_mac_audit(mac).left;
    if (!(fabs(left / fallen - 1.0) < 0.05)) fail_msg("%g m^3 left, not %g", left, fallen);
    rn_mac_destroy(mac);
}

/* ---- Moving solids ----------------------------------------------------------------------------------------------- */

/* A wall that moves along x, from x = 0 at time 0. */
typedef struct piston {
    double at, speed;
} piston;

static double piston_distance(void *user, rn_vec3 at) { return at.x - ((piston *)user)->at; }
static rn_vec3 piston_velocity(void *user, rn_vec3 at) {
    (void)at;
    return (rn_vec3){((piston *)user)->speed, 0.0, 0.0};
}

static void move_piston(rn_mac *mac, piston *p, double seconds) {
    p->at += p->speed * seconds;
    if (rn_mac_move_solid(mac, piston_distance, piston_velocity, p) != RN_OK) fail_msg("%s", rn_last_error());
    advance(mac, seconds);
}

/* Behind a piston that moves slowly the level stays even, and rises as the room gets less. */
static void a_piston_lifts_the_level(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    def.cells_y = 4;
    rn_mac *mac = make_pool(&def, 0.4);
    piston p = {.at = 0.0, .speed = 0.1};
    const int64_t count = rn_mac_particle_count(mac);
    for (int frame = 0; frame < 120; frame++) move_piston(mac, &p, 1.0 / 30.0);
    assert_int_equal(rn_mac_particle_count(mac), count);
    double least = 1.0;
    for (int64_t n = 0; n < count; n++) least = fmin(least, rn_mac_particle_at(mac, n).position.x);
    if (!(least > p.at)) fail_msg("a particle is %g m inside the piston", p.at - least);
    const mac_mean now = mean_of(mac);
    const double height = 0.5 * 0.4 / (1.0 - p.at);
    if (!(fabs(now.position.z / height - 1.0) < 0.04)) fail_msg("mean height %g m, not %g", now.position.z, height);
    rn_mac_destroy(mac);
}

/* The liquid beside a piston moves at once as fast as the piston. */
static void liquid_follows_a_piston(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    def.cells_y = 4;
    def.gravity = at_rest;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.1, 0.0, 0.0}, (rn_vec3){0.3, 1.0, 1.0}, NULL, NULL); /* with air before it */
    piston p = {.at = 0.1, .speed = 0.5};
    for (int frame = 0; frame < 40; frame++) move_piston(mac, &p, 1.0 / 240.0); /* a twentieth of a cell each */
    const mac_mean now = mean_of(mac);
    if (!(fabs(now.velocity.x / p.speed - 1.0) < 0.02)) fail_msg("moves at %g m/s, not %g", now.velocity.x, p.speed);
    if (!(fabs(now.position.x - 0.2 - p.speed / 6.0) < 0.1 * def.cell_size)) fail_msg("is at %g m", now.position.x);
    rn_mac_destroy(mac);
}

/* A stone that sinks into a pool: no particle is lost or stays inside. */
static rn_vec3 sinking(void *user, rn_vec3 at) {
    (void)user, (void)at;
    return (rn_vec3){0.0, 0.0, -0.6};
}

static void a_stone_displaces_liquid(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    rn_mac *mac = make_pool(&def, 0.5);
    mac_ball stone = {.centre = {0.5, 0.5, 0.75}, .radius = 0.2};
    const double before = mean_of(mac).position.z;
    for (int frame = 0; frame < 25; frame++) {
        stone.centre.z -= 0.6 / 30.0;
        assert_int_equal(rn_mac_move_solid(mac, ball_distance, sinking, &stone), RN_OK);
        advance(mac, 1.0 / 30.0);
    }
    double deepest = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++)
        deepest = fmax(deepest, -ball_distance(&stone, rn_mac_particle_at(mac, n).position));
    if (!(deepest < 0.1 * def.cell_size)) fail_msg("a particle is %g m inside the stone", deepest);
    assert_int_equal(rn_mac_audit(mac).drift, 0);
    assert_int_equal(rn_mac_move_solid(mac, ball_distance, NULL, &stone), RN_OK);
    for (int frame = 0; frame < 60; frame++) advance(mac, 1.0 / 30.0);
    /* The stone's volume lifts the level by as much, and the mean of what surrounds the stone with it. */
    const double volume = 4.0 / 3.0 * acos(-1.0) * 0.008, level = 0.5 + volume;
    const double height = (0.5 * level * level - volume * stone.centre.z) / 0.5, now = mean_of(mac).position.z;
    if (!(fabs(now - height) < 0.25 * (height - before)))
        fail_msg("mean height went from %g to %g m, not to %g", before, now, height);
    rn_mac_destroy(mac);
}

/* Couette: a floor that moves along x drags liquid below a lid at rest. */
static double floor_distance(void *user, rn_vec3 at) {
    (void)user;
    return at.z - 0.004;
}
static rn_vec3 floor_velocity(void *user, rn_vec3 at) {
    (void)user, (void)at;
    return (rn_vec3){0.01, 0.0, 0.0};
}

static void a_moving_floor_drags_viscous_liquid(void **unused) {
    (void)unused;
    rn_mac_def def = {.cells_x = 8, .cells_y = 4, .cells_z = 20, .cell_size = 1e-3, .viscosity = 1e-3, .threads = 2};
    def.periodic_x = true;
    def.no_slip = RN_MAC_Z_HIGH | RN_MAC_SOLIDS;
    rn_mac *mac = make_mac(&def);
    assert_int_equal(rn_mac_set_solid(mac, floor_distance, NULL), RN_OK);
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 1.0}, NULL, NULL);
    assert_int_equal(rn_mac_move_solid(mac, floor_distance, floor_velocity, NULL), RN_OK);
    for (int frame = 0; frame < 20; frame++) advance(mac, 0.05);
    /* The floor's velocity holds in the middle of the cells that it fills: half a cell below it. */
    const double speed = mean_of(mac).velocity.x;
    if (!(fabs(speed / 0.005 - 1.0) < 0.05)) fail_msg("mean speed %g m/s, not 0.005", speed);
    rn_mac_destroy(mac);
}

/* ---- One set of bits --------------------------------------------------------------------------------------------- */

static rn_mac *make_busy(rn_mac_transfer transfer, int threads) {
    rn_mac_def def = cube(16);
    def.threads = threads;
    def.transfer = transfer;
    def.open = RN_MAC_X_HIGH;
    rn_mac *mac = make_pool(&def, 0.25);
    add_source(mac, (rn_vec3){0.3, 0.5, 0.8}, 0.1, 0.02, (rn_vec3){0.3, 0.2, -0.8});
    add_source(mac, (rn_vec3){0.7, 0.5, 0.1}, 0.15, -0.01, at_rest);
    return mac;
}

static void run_busy(rn_mac *mac, int from, int to) {
    for (int frame = from; frame < to; frame++) {
        piston p = {.at = 0.02 * frame, .speed = 0.6};
        assert_int_equal(rn_mac_move_solid(mac, piston_distance, piston_velocity, &p), RN_OK);
        advance(mac, 1.0 / 30.0);
        assert_int_equal(rn_mac_audit(mac).drift, 0);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    for (int transfer = 0; transfer < 3; transfer++) {
        uint64_t hash[3];
        for (int threads = 1; threads <= 3; threads++) {
            rn_mac *mac = make_busy((rn_mac_transfer)transfer, threads);
            run_busy(mac, 0, 10);
            hash[threads - 1] = rn_mac_hash(mac);
            rn_mac_destroy(mac);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

static void a_restored_liquid_goes_on_with_the_same_bits(void **unused) {
    (void)unused;
    for (int transfer = 0; transfer < 3; transfer++) {
        rn_mac *mac = make_busy((rn_mac_transfer)transfer, 2), *other = make_busy((rn_mac_transfer)transfer, 2);
        assert_int_equal(rn_mac_remove_source(other, 0), RN_OK);
        run_busy(mac, 0, 5);
        const size_t size = rn_mac_saved_size(mac);
        unsigned char *bytes = malloc(size);
        assert_non_null(bytes);
        rn_mac_save(mac, bytes);
        assert_int_equal(rn_mac_restore(other, bytes, size), RN_OK);
        assert_true(rn_mac_hash(other) == rn_mac_hash(mac));
        run_busy(mac, 5, 10);
        run_busy(other, 5, 10);
        assert_true(rn_mac_hash(other) == rn_mac_hash(mac));
        free(bytes);
        rn_mac_destroy(mac);
        rn_mac_destroy(other);
    }
}

/* The saved state has more particles and more sources than there is memory for: sources go on as before. */
static void a_state_without_memory_changes_nothing(void **unused) {
    (void)unused;
    rn_mac_def def = cube(12);
    rn_mac *big = make_pool(&def, 0.9);
    for (int n = 0; n < 200; n++) add_source(big, (rn_vec3){0.5, 0.5, 0.9}, 0.1, 0.001, down);
    const size_t size = rn_mac_saved_size(big);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    rn_mac_save(big, bytes);
    size_t most = 1 << 20;
    const rn_hooks hooks = limited(&most);
    def.hooks = &hooks;
    rn_mac *some[2];
    for (int n = 0; n < 2; n++) {
        most = 1 << 20;
        some[n] = make_pool(&def, 0.2);
        add_source(some[n], (rn_vec3){0.5, 0.5, 0.9}, 0.2, 0.1, down);
        most = n ? 40000 : 64; /* the second has memory for the sources, but not for the particles */
        assert_int_equal(rn_mac_restore(some[n], bytes, size), RN_MEMORY);
    }
    most = 1 << 20;
    def.hooks = NULL;
    rn_mac *plain = make_pool(&def, 0.2);
    add_source(plain, (rn_vec3){0.5, 0.5, 0.9}, 0.2, 0.1, down);
    advance(plain, 0.1);
    assert_true(rn_mac_audit(plain).poured > 1.01 * 0.2);
    for (int n = 0; n < 2; n++) {
        advance(some[n], 0.1);
        assert_true(rn_mac_hash(some[n]) == rn_mac_hash(plain));
        rn_mac_destroy(some[n]);
    }
    rn_mac_destroy(plain);
    rn_mac_destroy(big);
    free(bytes);
}

/* A damaged state: a source that is marked as removed still has a rate. */
static void a_source_saved_as_removed_does_not_pour(void **unused) {
    (void)unused;
    rn_mac_def def = cube(12);
    rn_mac *mac = make_mac(&def);
    add_source(mac, (rn_vec3){0.5, 0.5, 0.5}, 0.2, 0.1, (rn_vec3){0.0, 0.0, -50.0});
    const uint64_t removed = 1;
    unsigned char bytes[1000];
    const size_t size = rn_mac_saved_size(mac);
    assert_true(size <= sizeof bytes);
    rn_mac_save(mac, bytes);
    memcpy(bytes + size - sizeof removed, &removed, sizeof removed); /* the last value of the only source */
    assert_int_equal(rn_mac_restore(mac, bytes, size), RN_OK);
    assert_int_equal(rn_mac_set_source_rate(mac, 0, 0.1), RN_INVALID);
    assert_true(rn_mac_fastest_jet(mac) == 0.0);
    advance(mac, 0.1);
    assert_int_equal(rn_mac_particle_count(mac), 0);
    assert_true(rn_mac_audit(mac).owed == 0.0);
    rn_mac_destroy(mac);
}

/* An empty box has nothing to do once its sources are gone: a step of days is as quick as a short one. */
static void a_box_without_sources_and_liquid_is_idle(void **unused) {
    (void)unused;
    rn_mac_def def = cube(12);
    rn_mac *mac = make_mac(&def);
    const int source = add_source(mac, (rn_vec3){0.5, 0.5, 0.5}, 0.2, 0.0, down);
    assert_true(advance(mac, 1.0).substeps > 1);
    assert_int_equal(rn_mac_remove_source(mac, source), RN_OK);
    assert_int_equal(advance(mac, 1e6).substeps, 0);
    assert_true(fabs(rn_mac_time(mac) - 1000001.0) < 1e-6);
    add_source(mac, (rn_vec3){0.5, 0.5, 0.5}, 0.2, 0.1, down);
    assert_true(advance(mac, 0.1).substeps > 1);
    assert_true(rn_mac_particle_count(mac) > 0);
    rn_mac_destroy(mac);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void refused(rn_mac *mac, rn_mac_source_def def, const char *why) {
    int source = -1;
    assert_int_equal(rn_mac_add_source(mac, &def, &source), RN_INVALID);
    assert_int_equal(source, -1);
    if (!strstr(rn_last_error(), why)) fail_msg("\"%s\" says nothing of \"%s\"", rn_last_error(), why);
}

static void bad_sources_are_refused(void **unused) {
    (void)unused;
    rn_mac_def def = cube(8);
    rn_mac *mac = make_mac(&def);
    const rn_mac_source_def good = {.position = {0.5, 0.5, 0.5}, .radius = 0.1, .rate = 0.01};
    rn_mac_source_def bad = good;
    bad.position.y = 1.5;
    refused(mac, bad, "\"position.y\" of a source is 1.5; it must be from 0 to 1 m");
    bad = good;
    bad.radius = 0.0;
    refused(mac, bad, "\"radius\"");
    bad = good;
    bad.rate = NAN;
    refused(mac, bad, "\"rate\" of a source is nan; it must be");
    bad = good;
    bad.velocity.z = INFINITY;
    refused(mac, bad, "\"velocity.z\"");
    const int source = add_source(mac, good.position, good.radius, good.rate, good.velocity);
    assert_int_equal(rn_mac_set_source_rate(mac, source, INFINITY), RN_INVALID);
    assert_int_equal(rn_mac_set_source_rate(mac, source, -1.0), RN_OK);
    assert_int_equal(rn_mac_move_source(mac, source, (rn_vec3){-1.0, 0.0, 0.0}, at_rest), RN_INVALID);
    assert_int_equal(rn_mac_set_source_rate(mac, 1, 1.0), RN_INVALID);
    assert_non_null(strstr(rn_last_error(), "there is no source 1"));
    assert_int_equal(rn_mac_remove_source(mac, source), RN_OK);
    assert_int_equal(rn_mac_remove_source(mac, source), RN_INVALID);
    rn_mac_destroy(mac);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jet_pours_its_rate_to_the_particle),
        cmocka_unit_test(a_jet_is_as_dense_and_fast_as_it_should_be),
        cmocka_unit_test(a_drain_takes_its_rate_and_the_nearest_first),
        cmocka_unit_test(a_dry_drain_makes_up_for_nothing),
        cmocka_unit_test(a_source_waits_where_there_is_no_place),
        cmocka_unit_test(a_full_box_refuses_more),
        cmocka_unit_test(liquid_leaves_through_open_sides),
        cmocka_unit_test(liquid_falls_through_an_open_floor),
        cmocka_unit_test(a_piston_lifts_the_level),
        cmocka_unit_test(liquid_follows_a_piston),
        cmocka_unit_test(a_stone_displaces_liquid),
        cmocka_unit_test(a_moving_floor_drags_viscous_liquid),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_restored_liquid_goes_on_with_the_same_bits),
        cmocka_unit_test(a_state_without_memory_changes_nothing),
        cmocka_unit_test(a_source_saved_as_removed_does_not_pour),
        cmocka_unit_test(a_box_without_sources_and_liquid_is_idle),
        cmocka_unit_test(bad_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
