/* The 3D liquid: motions with known results, and one set of bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/platform.h"
#include "mac/faces.h"
#include "mac/particles.h"
#include "mac/pressure.h"
#include "mac/solids.h"
#include "mac/surface.h"
#include "mac/transfer.h"

#include "mac_worlds.h"

#include <stdlib.h>
#include <string.h>

/* A dam break: two fifths of the length, all of the width, 5/12 of the height. */
static rn_mac *make_dam(const rn_mac_def *def) {
    rn_mac *mac = make_mac(def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){0.4, 1.0, 5.0 / 12.0}, NULL, NULL);
    return mac;
}

static void check_free_fall(rn_mac_transfer transfer, rn_mac_surface surface) {
    rn_mac_def def = cube(16);
    def.cells_z = 32;
    def.density_time = -1.0; /* moves particles by some thousandths of a cell */
    def.transfer = transfer;
    def.surface = surface;
    rn_mac *mac = make_mac(&def);
    fill_ball(mac, (mac_ball){.centre = {0.5, 0.5, 1.6}, .radius = 0.2});
    const double before = mean_of(mac).position.z;
    for (int frame = 0; frame < 12; frame++) advance(mac, 1.0 / 30.0);
    const mac_mean now = mean_of(mac);
    const double t = rn_mac_time(mac), fallen = before - now.position.z;
    if (!(fabs(fallen / (0.5 * 9.81 * t * t) - 1.0) < 2e-5))
        fail_msg("fell %g m in %g s with transfer %d and surface %d", fallen, t, transfer, surface);
    double apart = 0.0; /* from the speed of free fall half a substep before */
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
        const rn_mac_particle p = rn_mac_particle_at(mac, n);
        apart = fmax(apart, fabs(p.velocity.z - now.velocity.z) + fabs(p.velocity.x) + fabs(p.velocity.y));
    }
    if (!(apart < 1e-4)) fail_msg("speeds differ by %g m/s with transfer %d and surface %d", apart, transfer, surface);
    rn_mac_destroy(mac);
}

static void a_ball_falls_freely(void **unused) {
    (void)unused;
    const rn_mac_transfer transfers[] = {RN_MAC_APIC, RN_MAC_FLIP, RN_MAC_MARKERS};
    for (int i = 0; i < 3; i++) {
        check_free_fall(transfers[i], RN_MAC_GHOST_FLUID);
        check_free_fall(transfers[i], RN_MAC_GATES);
    }
}

/* In a dam break that has run for a while. */
static void projected_velocity_has_no_divergence(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    rn_mac *mac = make_dam(&def);
    double worst = 0.0;
    for (int frame = 0; frame < 10; frame++) worst = fmax(worst, advance(mac, 1.0 / 30.0).divergence);
    if (!(worst <= 1e-5)) fail_msg("divergence after projection is %g of that before", worst);
    rn_mac_find_rows(mac, 5);
    rn_mac_find_surface(mac);
    rn_mac_to_faces(mac);
    rn_mac_add_to_faces(mac, (const float[3]){0.0f, 0.0f, -0.1f});
    rn_mac_close_walls(mac);
    rn_mac_extrapolate(mac, 1);
    rn_mac_close_walls(mac);
    rn_mac_project(mac, 0.0); /* prepares which cells count */
    rn_mac_add_to_faces(mac, (const float[3]){0.0f, 0.0f, -0.1f});
    rn_mac_close_walls(mac);
    const float before = rn_mac_largest_divergence(mac);
    rn_mac_project(mac, 0.0);
    const float after = rn_mac_largest_divergence(mac);
    if (!(after <= 1.1e-5f * before)) /* the solver's own residual differs from it by rounding */
        fail_msg("%g m/s for each cell, %g before", (double)after, (double)before);
    rn_mac_destroy(mac);
}

/* The surface that particles are seeded with is uneven by hundredths of a cell. */
static void a_level_pool_rests(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    const double before = mean_of(mac).position.z;
    double fastest = 0.0;
    for (int frame = 0; frame < 60; frame++) {
        advance(mac, 1.0 / 30.0);
        fastest = fmax(fastest, rn_mac_fastest(mac));
    }
    const double drift = mean_of(mac).position.z - before;
    if (!(fastest <= 0.02)) fail_msg("moves at %g m/s", fastest);
    if (!(fabs(drift) <= 1e-4)) fail_msg("rose by %g m", drift);
    assert_true(fabs(rn_mac_filled_volume(mac) / rn_mac_volume(mac) - 1.0) < 1e-3);
    rn_mac_destroy(mac);
}

/* Cells within the surface are a rough measure: at a splash, spray lies outside of it. Deep in the liquid particles
   must not come closer together. */
static void check_volume(rn_mac_transfer transfer) {
    const double most = 0.02;
    rn_mac_def def = cube(32);
    def.transfer = transfer;
    rn_mac *mac = make_dam(&def);
    double apart = 0.0, sum = 0.0;
    enum { FRAMES = 60 };
    for (int frame = 0; frame < FRAMES; frame++) {
        advance(mac, 1.0 / 30.0);
        apart = fmax(apart, fabs(rn_mac_density(mac) - 1.0));
        sum += rn_mac_filled_volume(mac) / rn_mac_volume(mac) / FRAMES;
    }
    if (!(apart < most)) fail_msg("density is off by %g with transfer %d", apart, transfer);
    if (!(fabs(sum - 1.0) < most)) fail_msg("volume within the surface: %g on average", sum);
    rn_mac_destroy(mac);
}

static void a_dam_break_keeps_its_volume(void **unused) {
    (void)unused;
    check_volume(RN_MAC_APIC);
    check_volume(RN_MAC_FLIP);
    check_volume(RN_MAC_MARKERS);
}

/* Liquid that sloshes for ten seconds loses no volume at its surface. */
static void sloshing_keeps_the_volume(void **unused) {
    (void)unused;
    rn_mac_def def = cube(32);
    def.cells_y = 8;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){0.5, 1.0, 0.6}, NULL, NULL);
    double sum = 0.0, last = 0.0;
    enum { FRAMES = 300, LAST = 60 };
    for (int frame = 0; frame < FRAMES; frame++) {
        advance(mac, 1.0 / 30.0);
        const double filled = rn_mac_filled_volume(mac) / rn_mac_volume(mac);
        sum += filled / FRAMES;
        if (frame >= FRAMES - LAST) last += filled / LAST;
    }
    if (!(fabs(sum - 1.0) < 0.01 && fabs(last - 1.0) < 0.01))
        fail_msg("volume within the surface: %g on average, %g in the last two seconds", sum, last);
    rn_mac_destroy(mac);
}

/* The first mode of a basin: the period of its centre of mass against linear theory. Nothing may make it grow. */
typedef struct swing {
    double length, depth, amplitude; /* m */
} swing;

static double below_swing(void *user, rn_vec3 at) {
    const swing *s = user;
    return at.z - (s->depth + s->amplitude * cos(acos(-1.0) * at.x / s->length));
}

static void liquid_swings_with_the_period_of_theory(void **unused) {
    (void)unused;
    swing s = {.length = 1.0, .depth = 0.5, .amplitude = 0.02};
    rn_mac_def def = cube(64);
    def.cells_y = 4;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.9}, below_swing, &s);
    double crossing[16], last = 0.0, first_peak = 0.0, peak = 0.0;
    int crossings = 0;
    for (int frame = 0; rn_mac_time(mac) < 4.0; frame++) {
        const double then = rn_mac_time(mac);
        advance(mac, 1.0 / 60.0);
        const double x = mean_of(mac).position.x - 0.5;
        if (frame && x * last < 0.0 && crossings < 16)
            crossing[crossings++] = then + (rn_mac_time(mac) - then) * last / (last - x);
        if (crossings == 0) first_peak = fmax(first_peak, fabs(x));
        else peak = fmax(peak, fabs(x));
        last = x;
    }
    const double k = acos(-1.0) / s.length, theory = 2.0 * acos(-1.0) / sqrt(9.81 * k * tanh(k * s.depth));
    const double period = 2.0 * (crossing[crossings - 1] - crossing[0]) / (crossings - 1);
    if (!(fabs(period / theory - 1.0) < 0.01)) fail_msg("period %.4f s, theory has %.4f s", period, theory);
    if (!(peak < 1.03 * first_peak)) fail_msg("the swing grew to %g of its amplitude", peak / first_peak);
    rn_mac_destroy(mac);
}

/* A bowl of a ball's lower half, and liquid up to a level in it. */
static double bowl_distance(void *user, rn_vec3 at) { return -ball_distance(user, at); }

static void liquid_rests_in_a_bowl(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    rn_mac *mac = make_mac(&def);
    mac_ball bowl = {.centre = {0.5, 0.5, 0.7}, .radius = 0.45};
    assert_int_equal(rn_mac_set_solid(mac, bowl_distance, &bowl), RN_OK);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    const double height = 0.25, exact = acos(-1.0) * height * height * (bowl.radius - height / 3.0);
    const double seeded = rn_mac_volume(mac) / exact;
    if (!(fabs(seeded - 1.0) < 0.02)) fail_msg("seeded %g of the bowl's volume", seeded);
    const double before = mean_of(mac).position.z;
    for (int frame = 0; frame < 30; frame++) advance(mac, 1.0 / 30.0);
    double deepest = 0.0;
    for (int64_t n = 0; n < rn_mac_particle_count(mac); n++)
        deepest = fmax(deepest, ball_distance(&bowl, rn_mac_particle_at(mac, n).position));
    const double drift = mean_of(mac).position.z - before;
    if (!(deepest < 0.1 * def.cell_size)) fail_msg("a particle is %g m inside the solid", deepest);
    if (!(fabs(drift) < 0.1 * def.cell_size)) fail_msg("rose by %g m", drift);
    if (!(rn_mac_fastest(mac) < 0.08)) fail_msg("moves at %g m/s", rn_mac_fastest(mac));
    rn_mac_destroy(mac);
}

/* Down a slope without friction, as fast as gravity along it has it. */
static double slope_distance(void *user, rn_vec3 at) {
    (void)user;
    return (at.z - 0.8 + 0.5 * at.x) / sqrt(1.25);
}

static double above_slope(void *user, rn_vec3 at) { return slope_distance(user, at) - 0.12; }

static void liquid_slides_down_a_smooth_slope(void **unused) {
    (void)unused;
    rn_mac_def def = cube(32);
    def.cells_y = 8;
    rn_mac *mac = make_mac(&def);
    assert_int_equal(rn_mac_set_solid(mac, slope_distance, NULL), RN_OK);
    fill(mac, (rn_vec3){0.1, 0.0, 0.0}, (rn_vec3){0.3, 1.0, 1.0}, above_slope, NULL);
    for (int frame = 0; frame < 6; frame++) advance(mac, 1.0 / 30.0);
    const double t = rn_mac_time(mac), theory = 9.81 * 0.5 / 1.25 * t; /* along x */
    const double speed = mean_of(mac).velocity.x;
    if (!(fabs(speed / theory - 1.0) < 0.1)) fail_msg("slides at %g m/s along x, not %g", speed, theory);
    rn_mac_destroy(mac);
}

static uint64_t hash_of_dam(rn_mac_def def, int threads) {
    def.threads = threads;
    rn_mac *mac = make_dam(&def);
    for (int frame = 0; frame < 12; frame++) advance(mac, 1.0 / 30.0);
    const uint64_t hash = rn_mac_hash(mac);
    rn_mac_destroy(mac);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    rn_mac_def def = cube(20);
    const rn_mac_transfer others[] = {RN_MAC_FLIP, RN_MAC_MARKERS};
    for (int i = 0; i < 2; i++) {
        def.transfer = others[i];
        assert_true(hash_of_dam(def, 3) == hash_of_dam(def, 1));
    }
    def.transfer = RN_MAC_APIC;
    for (int surface = 0; surface < 2; surface++) {
        def.surface = surface ? RN_MAC_GATES : RN_MAC_GHOST_FLUID;
        const uint64_t one = hash_of_dam(def, 1);
        const int threads[] = {2, 3, 8};
        for (int i = 0; i < 3; i++) assert_true(hash_of_dam(def, threads[i]) == one);
    }
}

/* Of any machine, with and without vectors. A change of the step changes it too: look why, then write the new one. */
static void the_bits_are_those_of_every_machine(void **unused) {
    (void)unused;
    rn_mac_def def = cube(20);
    def.viscosity = 1e-3;
    rn_mac *mac = make_mac(&def);
    mac_ball pebble = {.centre = {0.7, 0.5, 0.1}, .radius = 0.15};
    assert_int_equal(rn_mac_set_solid(mac, ball_distance, &pebble), RN_OK);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){0.4, 1.0, 0.5}, NULL, NULL);
    for (int frame = 0; frame < 12; frame++) advance(mac, 1.0 / 30.0);
    const uint64_t hash = rn_mac_hash(mac), golden = 0xe33af1cc1098bc2d;
    if (hash != golden) fail_msg("the hash is %016llx", (unsigned long long)hash);
    rn_mac_destroy(mac);
}

static void check_restoring(rn_mac_transfer transfer) {
    rn_mac_def def = cube(16);
    def.transfer = transfer;
    rn_mac *mac = make_dam(&def), *other = make_mac(&def);
    for (int frame = 0; frame < 5; frame++) advance(mac, 1.0 / 30.0);
    const size_t size = rn_mac_saved_size(mac);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    rn_mac_save(mac, bytes);
    assert_int_equal(rn_mac_restore(other, bytes, size), RN_OK);
    assert_true(rn_mac_hash(other) == rn_mac_hash(mac));
    for (int frame = 0; frame < 5; frame++) {
        advance(mac, 1.0 / 30.0);
        advance(other, 1.0 / 30.0);
    }
    assert_true(rn_mac_hash(other) == rn_mac_hash(mac));

    assert_int_equal(rn_mac_restore(other, bytes, size - 4), RN_FORMAT);
    const float outside = 17.0f;
    memcpy(bytes + 88, &outside, sizeof outside); /* the place of a particle along x */
    assert_int_equal(rn_mac_restore(other, bytes, size), RN_FORMAT);
    bytes[0] ^= 1;
    assert_int_equal(rn_mac_restore(other, bytes, size), RN_FORMAT);
    assert_true(rn_mac_hash(other) == rn_mac_hash(mac));
    free(bytes);
    rn_mac_destroy(mac);
    rn_mac_destroy(other);
}

static void a_restored_liquid_goes_on_with_the_same_bits(void **unused) {
    (void)unused;
    check_restoring(RN_MAC_APIC);
    check_restoring(RN_MAC_MARKERS);
}

static void refused(rn_mac_def def, const char *why) {
    rn_mac *mac = NULL;
    assert_int_equal(rn_mac_create(&def, &mac), RN_INVALID);
    assert_null(mac);
    if (!strstr(rn_last_error(), why)) fail_msg("\"%s\" says nothing of \"%s\"", rn_last_error(), why);
}

static void bad_definitions_are_refused(void **unused) {
    (void)unused;
    rn_mac_def def = cube(8);
    def.cells_y = 0;
    refused(def, "\"cells\" has 0 along y");
    def = cube(12);
    def.periodic_x = true;
    refused(def, "multiple of 8");
    def = cube(8);
    def.cell_size = -1.0;
    refused(def, "\"cell_size\" is -1; it must be");
    def = cube(8);
    def.viscosity = NAN;
    refused(def, "\"viscosity\"");
    def = cube(8);
    def.courant = 100.0;
    refused(def, "\"courant\" is 100; it must be from 0.1 to 10 cells");
    def = cube(8);
    def.transfer = (rn_mac_transfer)3;
    refused(def, "\"transfer\" is 3; it must be from 0 (APIC) to 2 (markers)");
    def = cube(8);
    def.surface = (rn_mac_surface)7;
    refused(def, "\"surface\" is 7");
    def = cube(8);
    def.no_slip = 128;
    refused(def, "\"no_slip\" is 128");
    def = cube(8);
    def.open = 64;
    refused(def, "\"open\" is 64");
    def.open = def.no_slip = RN_MAC_Z_LOW;
    refused(def, "share the sides 16");
    def = cube(8);
    def.open = RN_MAC_X_LOW;
    def.periodic_x = true;
    refused(def, "x is periodic");
    def = cube(8);
    def.threads = -1;
    refused(def, "\"threads\" is -1; it must be from 0");
}

static void bad_spins_are_refused(void **unused) {
    (void)unused;
    rn_mac_def def = cube(8);
    rn_mac *mac = make_dam(&def);
    const uint64_t before = rn_mac_hash(mac);
    assert_int_equal(rn_mac_spin(mac, at_rest, (rn_vec3){0.0, NAN, 0.0}), RN_INVALID);
    assert_int_equal(rn_mac_spin(mac, (rn_vec3){INFINITY, 0.0, 0.0}, (rn_vec3){0.0, 1.0, 0.0}), RN_INVALID);
    assert_true(rn_mac_hash(mac) == before);
    rn_mac_destroy(mac);
}

static void refusals_say_how_much_memory_is_needed(void **unused) {
    (void)unused;
    rn_mac_def def = cube(64);
    size_t most = 1 << 20;
    const rn_hooks hooks = limited(&most);
    def.hooks = &hooks;
    rn_mac *mac = NULL;
    assert_int_equal(rn_mac_create(&def, &mac), RN_MEMORY);
    assert_non_null(strstr(rn_last_error(), "64 x 64 x 64 cells needs 0.0"));
    assert_non_null(strstr(rn_last_error(), " GB of memory"));
    def = cube(16);
    def.hooks = &hooks;
    mac = make_mac(&def);
    most = 4096;
    assert_int_equal(rn_mac_add_liquid(mac, at_rest, (rn_vec3){1.0, 1.0, 1.0}, NULL, NULL, at_rest), RN_MEMORY);
    assert_non_null(strstr(rn_last_error(), "32768 particles needs 0.00236 GB"));
    rn_mac_destroy(mac);
    def.cells_x = def.cells_y = def.cells_z = 100000;
    assert_true(rn_mac_grid_bytes(&def) == SIZE_MAX);
    def.cells_x = def.cells_y = def.cells_z = 1024;
    assert_true(rn_mac_grid_bytes(&def) > 90e9);
}

/* Gates' conditions change the face at the end of liquid that air follows past a periodic end: both ends have it. */
static void gates_surface_is_one_at_periodic_ends(void **unused) {
    (void)unused;
    rn_mac_def def = cube(16);
    def.periodic_x = true;
    def.surface = RN_MAC_GATES;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.5, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    rn_mac_find_rows(mac, 5);
    rn_mac_find_surface(mac);
    rn_mac_to_faces(mac);
    rn_mac_add_to_faces(mac, (const float[3]){0.0f, 0.0f, -0.1f});
    rn_mac_close_walls(mac);
    rn_mac_extrapolate(mac, 1);
    rn_mac_close_walls(mac);
    rn_mac_project(mac, 0.0);
    rn_mac_free_faces(mac);
    float most = 0.0f;
    for (int k = 0; k < 8; k++) {
        const int32_t at = rn_mac_cell(&mac->grid, 0, 8, k);
        assert_true(mac->velocity[0][at] == mac->velocity[0][at + 16]);
        most = fmaxf(most, mac->velocity[0][at]);
    }
    assert_true(most > 0.0f); /* the liquid spreads */
    rn_mac_destroy(mac);
}

/* A ball that drifts through a periodic end keeps its speed, with either surface. */
static void a_ball_drifts_through_a_periodic_end(void **unused) {
    (void)unused;
    for (int surface = 0; surface < 2; surface++) {
        rn_mac_def def = cube(16);
        def.periodic_x = true;
        def.gravity = at_rest;
        def.surface = (rn_mac_surface)surface;
        def.density_time = -1.0;
        rn_mac *mac = make_mac(&def);
        mac_ball b = {.centre = {0.75, 0.5, 0.5}, .radius = 0.2};
        assert_int_equal(
            rn_mac_add_liquid(mac, at_rest, (rn_vec3){1.0, 1.0, 1.0}, ball_distance, &b, (rn_vec3){0.8, 0.0, 0.0}),
            RN_OK);
        for (int frame = 0; frame < 20; frame++) advance(mac, 1.0 / 30.0);
        for (int64_t n = 0; n < rn_mac_particle_count(mac); n++) {
            const rn_vec3 v = rn_mac_particle_at(mac, n).velocity;
            if (!(fabs(v.x - 0.8) + fabs(v.y) + fabs(v.z) < 1e-3))
                fail_msg("(%g, %g, %g) m/s with surface %d", v.x, v.y, v.z, surface);
        }
        rn_mac_destroy(mac);
    }
}

/* At most 160 bytes a cell, 130 more with viscosity, and 100 a particle. */
static void memory_is_as_little_as_promised(void **unused) {
    (void)unused;
    rn_mac_def def = cube(128);
    const double cells = 128.0 * 128.0 * 128.0, plain = (double)rn_mac_grid_bytes(&def) / cells;
    def.viscosity = 0.1;
    const double viscous = (double)rn_mac_grid_bytes(&def) / cells - plain;
    if (!(plain <= 160.0 && viscous <= 130.0)) fail_msg("%g bytes a cell, and %g for viscosity", plain, viscous);
    assert_true(rn_mac_particle_bytes(&def) <= 100);
}

/* What a liquid has allocated. */
typedef struct account {
    double bytes, most; /* now, and at most */
    int calls;          /* of alloc */
} account;

static void *account_alloc(void *user, size_t size) {
    account *a = user;
    char *memory = rn_aligned_alloc(64, (size + 127) / 64 * 64);
    if (!memory) return NULL;
    memcpy(memory, &size, sizeof size);
    a->bytes += (double)size;
    a->most = fmax(a->most, a->bytes);
    a->calls++;
    return memory + 64;
}

static void account_free(void *user, void *memory) {
    size_t size;
    memcpy(&size, (char *)memory - 64, sizeof size);
    ((account *)user)->bytes -= (double)size;
    rn_aligned_free((char *)memory - 64);
}

/* A liquid with a solid takes what is promised, counted as it is allocated; and while a source fills the box, memory is
   allocated rarely. */
static void memory_is_counted(void **unused) {
    (void)unused;
    account a = {0};
    const rn_hooks hooks = {.user = &a, .alloc = account_alloc, .free = account_free};
    rn_mac_def def = cube(40);
    def.hooks = &hooks;
    rn_mac *mac = make_mac(&def);
    mac_ball b = {.centre = {0.5, 0.5, 0.1}, .radius = 0.2};
    assert_int_equal(rn_mac_set_solid(mac, ball_distance, &b), RN_OK);
    const double cells = 40.0 * 40.0 * 40.0, grid = a.bytes;
    fill(mac, at_rest, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    const double count = (double)rn_mac_particle_count(mac), each = (a.bytes - grid) / count;
    print_message("%.0f bytes a cell with a solid, %.1f a particle\n", grid / cells, each);
    if (!(grid / cells <= 160.0 && each <= 100.0)) fail_msg("%g bytes a cell, %g a particle", grid / cells, each);
    int source;
    const rn_mac_source_def pour = {.position = {0.5, 0.5, 0.8}, .radius = 0.1, .rate = 0.02, .velocity = {0, 0, -1}};
    assert_int_equal(rn_mac_add_source(mac, &pour, &source), RN_OK);
    for (int i = 0; i < 4; i++) advance(mac, 0.02);
    const int before = a.calls;
    for (int i = 0; i < 8; i++) advance(mac, 0.02);
    const double most = (a.most - grid) / (double)rn_mac_particle_count(mac);
    if (most > 100.0) fail_msg("%g bytes a particle", most);
    if (a.calls - before > 20) fail_msg("%d allocations in 8 steps", a.calls - before); /* 20 arrays, once */
    assert_true((double)rn_mac_particle_count(mac) > count);
    rn_mac_destroy(mac);
    assert_true(a.bytes == 0.0);
}

/* The substeps of one step of a pool that moves along x at this speed (m/s), in cells of 1/16 m. */
static int substeps_of(double gravity_courant, double viscosity, double speed, double seconds) {
    rn_mac_def def = cube(16);
    def.viscosity = viscosity;
    def.gravity_courant = gravity_courant;
    def.periodic_x = true;
    rn_mac *mac = make_mac(&def);
    const rn_vec3 low = {0.0, 0.0, 0.0}, high = {1.0, 1.0, 0.25}, velocity = {speed, 0.0, 0.0};
    assert_int_equal(rn_mac_add_liquid(mac, low, high, NULL, NULL, velocity), RN_OK);
    const int substeps = advance(mac, seconds).substeps;
    rn_mac_destroy(mac);
    return substeps;
}

static void substeps_are_as_long_as_they_may_be(void **unused) {
    (void)unused;
    const double cell = 1.0 / 16.0, fall = sqrt(cell / 9.81), crossing = 3.0 * cell / (20.0 + sqrt(9.81 * cell * 3.0));
    assert_int_equal(substeps_of(0.0, 0.0, 0.0, 4.0 * 0.3 * fall * 0.99), 4); /* 0.3 is the default */
    assert_int_equal(substeps_of(0.0, 0.0, 0.0, 4.0 * 0.3 * fall * 1.01), 5);
    assert_int_equal(substeps_of(0.0, 1e-3, 0.0, 4.0 * 0.2 * fall * 0.99), 4); /* 0.2 if viscous */
    assert_int_equal(substeps_of(0.0, 1e-3, 0.0, 4.0 * 0.2 * fall * 1.01), 5);
    assert_int_equal(substeps_of(0.1, 0.0, 0.0, 4.0 * 0.1 * fall * 0.99), 4);
    assert_int_equal(substeps_of(0.1, 0.0, 0.0, 4.0 * 0.1 * fall * 1.01), 5);
    assert_int_equal(substeps_of(0.0, 0.0, 20.0, 4.0 * crossing * 0.9), 4); /* three cells in each */
    assert_int_equal(substeps_of(0.0, 0.0, 20.0, 4.0 * crossing * 1.1), 5);
}

/* The substeps of `seconds` in a pool of 16,384 particles, of which the first `fast` move at this speed (m/s). */
static int substeps_with_spray(rn_mac_transfer transfer, int fast, float speed, double seconds) {
    rn_mac_def def = cube(16);
    def.transfer = transfer;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.5}, NULL, NULL);
    assert_int_equal(rn_mac_particle_count(mac), 16384);
    for (int n = 0; n < fast; n++) mac->particles.value[RN_MAC_SPEED][n] = speed;
    const int substeps = advance(mac, seconds).substeps;
    rn_mac_destroy(mac);
    return substeps;
}

/* A thousandth of the particles may cross up to twice as many cells in a substep as the others. */
static void few_fast_particles_halve_no_substep(void **unused) {
    (void)unused;
    const double cell = 1.0 / 16.0, crossing = 3.0 * cell / (20.0 + sqrt(9.81 * cell * 3.0));
    assert_int_equal(substeps_with_spray(RN_MAC_APIC, 16, 40.0f, 0.99 * crossing), 1);
    assert_int_equal(substeps_with_spray(RN_MAC_FLIP, 16, 40.0f, 0.99 * crossing), 1);
    assert_true(substeps_with_spray(RN_MAC_APIC, 17, 40.0f, 0.99 * crossing) > 1);
    assert_true(substeps_with_spray(RN_MAC_APIC, 16, 42.0f, 0.99 * crossing) > 1);
    assert_true(substeps_with_spray(RN_MAC_MARKERS, 16, 40.0f, 0.99 * crossing / 6.0) > 1);
}

/* Gives `to` the state of another liquid. Its scratch memory then holds no numbers. */
static void copy_state(rn_mac *to, const rn_mac *from) {
    const size_t size = rn_mac_saved_size(from);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    rn_mac_save(from, bytes);
    assert_int_equal(rn_mac_restore(to, bytes, size), RN_OK);
    free(bytes);
    memset(to->scratch, 0xff, 6 * (size_t)to->grid.cells * sizeof *to->scratch);
}

/* A new liquid in the state of another one. */
static rn_mac *fresh_copy(const rn_mac *mac, const rn_mac_def *def) {
    rn_mac *copy = make_mac(def);
    copy_state(copy, mac);
    return copy;
}

/* A ball falls into a pool and splashes: rows of cells become active and idle again. What earlier substeps left in them
   must not matter. */
static void nothing_remains_of_earlier_substeps(void **unused) {
    (void)unused;
    rn_mac_def def = cube(16);
    def.cells_z = 40;
    rn_mac *mac = make_mac(&def);
    fill(mac, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.3}, NULL, NULL);
    fill_ball(mac, (mac_ball){.centre = {0.5, 0.5, 1.9}, .radius = 0.25});
    bool was_idle = false, was_built = false;
    for (int frame = 0; frame < 24; frame++) {
        rn_mac *copy = fresh_copy(mac, &def);
        advance(mac, 1.0 / 30.0);
        advance(copy, 1.0 / 30.0);
        if (rn_mac_hash(mac) != rn_mac_hash(copy)) fail_msg("other bits than in a new liquid after frame %d", frame);
        rn_mac_destroy(copy);
        const int row = 9 + 33 * (def.cells_y + 2); /* through the ball, where it was at first */
        was_built = was_built || mac->built[row];
        was_idle = was_idle || (was_built && mac->idle[row]);
    }
    assert_true(was_built && was_idle);
    rn_mac_destroy(mac);
}

/* A full box gets the state of a shallow pool: rows of liquid become idle at once. Pools of both parities, because a
   coarse row joins two fine ones. */
static void nothing_remains_of_another_state(void **unused) {
    (void)unused;
    rn_mac_def def = cube(24);
    for (int depth = 4; depth <= 5; depth++) {
        rn_mac *pool = make_mac(&def), *full = make_mac(&def);
        fill(pool, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){0.5, 1.0, depth / 24.0}, NULL, NULL);
        fill(full, (rn_vec3){0.0, 0.0, 0.0}, (rn_vec3){1.0, 1.0, 0.9}, NULL, NULL);
        advance(full, 0.01);
        copy_state(full, pool);
        advance(pool, 0.01);
        advance(full, 0.01);
        if (rn_mac_hash(pool) != rn_mac_hash(full)) fail_msg("other bits with a depth of %d cells", depth);
        rn_mac_destroy(pool);
        rn_mac_destroy(full);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_falls_freely),
        cmocka_unit_test(projected_velocity_has_no_divergence),
        cmocka_unit_test(a_level_pool_rests),
        cmocka_unit_test(a_dam_break_keeps_its_volume),
        cmocka_unit_test(sloshing_keeps_the_volume),
        cmocka_unit_test(liquid_swings_with_the_period_of_theory),
        cmocka_unit_test(liquid_rests_in_a_bowl),
        cmocka_unit_test(liquid_slides_down_a_smooth_slope),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(the_bits_are_those_of_every_machine),
        cmocka_unit_test(a_restored_liquid_goes_on_with_the_same_bits),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(bad_spins_are_refused),
        cmocka_unit_test(refusals_say_how_much_memory_is_needed),
        cmocka_unit_test(gates_surface_is_one_at_periodic_ends),
        cmocka_unit_test(a_ball_drifts_through_a_periodic_end),
        cmocka_unit_test(memory_is_as_little_as_promised),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(substeps_are_as_long_as_they_may_be),
        cmocka_unit_test(few_fast_particles_halve_no_substep),
        cmocka_unit_test(nothing_remains_of_earlier_substeps),
        cmocka_unit_test(nothing_remains_of_another_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
