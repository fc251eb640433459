/* The 3D liquid at the ends of its box: a periodic box has no ends, and a mirrored box gives the mirrored flow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mac/particles.h"
#include "mac/step.h"
#include "mac/surface.h"
#include "mac_worlds.h"

/* Rounds a position (cells) so that moving it by whole cells is exact. */
static float rounded(float at) { return floorf(at * 65536.0f) / 65536.0f; }

/* Gives particles velocities (m/s) that differ from place to place, and rounds their positions. */
static void stir(rn_mac *mac) {
    rn_mac_particles *p = &mac->particles;
    for (int32_t n = 0; n < p->count; n++) {
        for (int a = 0; a < 3; a++) p->value[RN_MAC_AT + a][n] = rounded(p->value[RN_MAC_AT + a][n]);
        const float x = p->value[RN_MAC_AT][n], y = p->value[RN_MAC_AT + 1][n], z = p->value[RN_MAC_AT + 2][n];
        p->value[RN_MAC_SPEED][n] = 0.3f + 0.2f * sinf(0.8f * y) * cosf(0.5f * z);
        p->value[RN_MAC_SPEED + 1][n] = 0.2f * sinf(0.7f * z + 0.39269908f * x);
        p->value[RN_MAC_SPEED + 2][n] = 0.1f * cosf(0.6f * y + 0.39269908f * x);
    }
    rn_mac_particles_sort(mac);
    mac->fresh = true;
}

/* Replaces the particles of a liquid by those of another. */
static void copy_particles(rn_mac *to, const rn_mac *from) {
    const int32_t count = from->particles.count;
    assert_int_equal(rn_mac_particles_reserve(to, count), RN_OK);
    for (int v = 0; v < from->particles.values; v++)
        for (int32_t n = 0; n < count; n++) to->particles.value[v][n] = from->particles.value[v][n];
    to->particles.count = count;
    to->tally = from->tally;
    to->fresh = true;
}

/* ---- Periodic ends ----------------------------------------------------------------------------------------------- */

enum { LONG = 16, HALF = 8 };

/* A post and a slab in a box of LONG cells of 1/16 m, `shift` cells further along x. */
typedef struct furniture {
    double shift; /* cells */
    bool slab;
} furniture;

static double furniture_distance(void *user, rn_vec3 at) {
    const furniture *f = user;
    const double x = fmod(16.0 * at.x - f->shift + LONG, LONG), y = 16.0 * at.y, z = 16.0 * at.z;
    if (f->slab) return (fabs(x - 6.3) - 1.3 + 0.05 * (y + z - 8.0)) / 16.0; /* ends at 7.6 or so */
    return (sqrt((x - 8.1) * (x - 8.1) + (y - 4.2) * (y - 4.2) + 0.3 * (z - 2.0) * (z - 2.0)) - 2.3) / 16.0;
}

/* Two boxes with the same liquid and the same solid, in the second one half the box further along x, so that the solid
   lies at the periodic ends. Liquid from `low` on along x, up to `high` along z (cells). */
static void make_shifted(rn_mac_def def, bool slab, double low, double high, rn_mac *two[2]) {
    def.cells_x = LONG, def.cells_y = 8, def.cells_z = 12;
    def.cell_size = 1.0 / 16.0;
    def.periodic_x = true;
    def.threads = 2;
    for (int n = 0; n < 2; n++) {
        furniture f = {.shift = n ? HALF : 0, .slab = slab};
        two[n] = make_mac(&def);
        assert_int_equal(rn_mac_set_solid(two[n], furniture_distance, &f), RN_OK);
    }
    fill(two[0], (rn_vec3){low / 16.0, 0.0, 0.0}, (rn_vec3){1.0, 0.5, high / 16.0}, NULL, NULL);
    stir(two[0]);
    copy_particles(two[1], two[0]);
    rn_mac_particles *p = &two[1]->particles;
    for (int32_t n = 0; n < p->count; n++)
        p->value[RN_MAC_AT][n] += p->value[RN_MAC_AT][n] < HALF ? (float)HALF : (float)-HALF;
    rn_mac_particles_sort(two[1]);
}

/* The cell of the second box that corresponds to cell (i, j, k) of the first. */
static int32_t shifted(const rn_mac *mac, int i, int j, int k) {
    return rn_mac_cell(&mac->grid, (i + HALF) % LONG, j, k);
}

/* The largest difference of the speeds of corresponding faces, relative to the highest speed. */
static double difference_of_shifted(rn_mac *const two[2]) {
    const int *n = two[0]->grid.n;
    double most = 0.0, apart = 0.0;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    const double one = (double)two[0]->velocity[a][rn_mac_cell(&two[0]->grid, i, j, k)];
                    const double other = (double)two[1]->velocity[a][shifted(two[1], i, j, k)];
                    if (fabs(one) > most) most = fabs(one); /* gcc 12 for ARM fails on fmax in this loop. */
                    if (fabs(one - other) > apart) apart = fabs(one - other);
                }
    assert_true(most > 0.1);
    return apart / most;
}

static void solids_at_periodic_ends_hold_viscous_liquid(void **unused) {
    (void)unused;
    for (int n = 0; n < 4; n++) {
        rn_mac_def def = rn_mac_default();
        rn_mac *two[2];
        def.viscosity = 0.02;
        def.no_slip = (n & 1 ? 0 : RN_MAC_SOLIDS) | RN_MAC_Z_LOW;
        make_shifted(def, n >= 2, 0.0, 6.4, two);
        for (int i = 0; i < 2; i++) assert_int_equal(rn_mac_substep(two[i], 0.01), RN_OK);
        const double apart = difference_of_shifted(two);
        print_message("%s, %s: speeds differ by %.2g\n", n >= 2 ? "slab" : "post", n & 1 ? "slips" : "sticks", apart);
        if (!(apart < 1e-4)) fail_msg("speeds differ by %g of the highest", apart);
        for (int i = 0; i < 2; i++) rn_mac_destroy(two[i]);
    }
}

/* Compares kinds and distances of all cells. Returns the number of cells that differ; *filled counts cut cells of the
   first box beside its middle that are liquid only because their neighbours are. */
static int compare_kinds(rn_mac *const two[2], int *filled) {
    int wrong = 0;
    for (int k = 0; k < two[0]->grid.n[2]; k++)
        for (int j = 0; j < two[0]->grid.n[1]; j++)
            for (int i = 0; i < LONG; i++) {
                const int32_t here = rn_mac_cell(&two[0]->grid, i, j, k), there = shifted(two[1], i, j, k);
                *filled += i == HALF - 1 && two[0]->kind[here] == RN_MAC_LIQUID && two[0]->distance[here] == -0.5f;
                wrong += two[0]->kind[here] != two[1]->kind[there] ||
                         fabsf(two[0]->distance[here] - two[1]->distance[there]) > 1e-4f;
            }
    return wrong;
}

static void cut_cells_at_periodic_ends_are_liquid(void **unused) {
    (void)unused;
    int filled = 0, wrong = 0;
    for (int level = 0; level < 12; level++) {
        rn_mac *two[2];
        make_shifted(rn_mac_default(), true, 8.05, 5.4 + level / 40.0, two);
        for (int n = 0; n < 2; n++) {
            rn_mac_find_rows(two[n], 5);
            rn_mac_find_surface(two[n]);
        }
        wrong += compare_kinds(two, &filled);
        for (int n = 0; n < 2; n++) rn_mac_destroy(two[n]);
    }
    print_message("%d cut cells belong to the liquid; %d cells differ\n", filled, wrong);
    assert_true(filled > 0);
    assert_int_equal(wrong, 0);
}

/* ---- Open sides -------------------------------------------------------------------------------------------------- */

enum { WIDE = 8 };

/* A cube of WIDE cells, open at the low side of an axis, half full; and its mirror image, open at the high side. */
static void make_mirrored(rn_mac_def def, int axis, rn_mac *two[2]) {
    def.cells_x = def.cells_y = def.cells_z = WIDE;
    def.cell_size = 1.0 / 16.0;
    def.threads = 2;
    for (int n = 0; n < 2; n++) {
        def.open = 1u << (2 * axis + n);
        def.gravity = axis == 2 ? (rn_vec3){0.0, 0.0, n ? 9.81 : -9.81} : (rn_vec3){0.0, 0.0, -9.81};
        two[n] = make_mac(&def);
    }
    fill(two[0], at_rest, (rn_vec3){0.5, 0.5, 0.25}, NULL, NULL);
    stir(two[0]);
    rn_mac_particles *p = &two[0]->particles;
    for (int32_t n = 0; n < p->count; n++) p->value[RN_MAC_SPEED + axis][n] -= 0.6f; /* out of the box */
    copy_particles(two[1], two[0]);
    p = &two[1]->particles;
    for (int32_t n = 0; n < p->count; n++) {
        p->value[RN_MAC_AT + axis][n] = WIDE - p->value[RN_MAC_AT + axis][n];
        p->value[RN_MAC_SPEED + axis][n] *= -1.0f;
    }
    rn_mac_particles_sort(two[1]);
}

/* The largest difference between the speeds of faces, sides of the box included, and those of their mirror images,
   relative to the highest speed. Only faces beside liquid cells. */
static double difference_of_mirrored(rn_mac *const two[2], int axis) {
    double most = 0.0, apart = 0.0;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < WIDE + (a == 2); k++)
            for (int j = 0; j < WIDE + (a == 1); j++)
                for (int i = 0; i < WIDE + (a == 0); i++) {
                    int at[3] = {i, j, k};
                    const int32_t here = rn_mac_cell(&two[0]->grid, i, j, k);
                    at[axis] = (a == axis ? WIDE : WIDE - 1) - at[axis];
                    const int32_t there = rn_mac_cell(&two[1]->grid, at[0], at[1], at[2]);
                    if (two[0]->kind[here] != RN_MAC_LIQUID &&
                        two[0]->kind[here - two[0]->grid.step[a]] != RN_MAC_LIQUID)
                        continue;
                    const double one = (double)two[0]->velocity[a][here];
                    const double other = (a == axis ? -1.0 : 1.0) * (double)two[1]->velocity[a][there];
                    if (fabs(one) > most) most = fabs(one);
                    if (fabs(one - other) > apart) apart = fabs(one - other);
                }
    assert_true(most > 0.1);
    return apart / most;
}

static void liquid_leaves_alike_on_both_sides(void **unused) {
    (void)unused;
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < 3; n++) {
            static const char *const name[3] = {"plain", "viscous", "markers"};
            rn_mac_def def = rn_mac_default();
            rn_mac *two[2];
            if (n == 1) def.viscosity = 0.02, def.no_slip = axis == 2 ? 0 : RN_MAC_Z_LOW;
            if (n == 2) def.transfer = RN_MAC_MARKERS;
            def.density_time = -1.0;
            make_mirrored(def, axis, two);
            for (int i = 0; i < 4; i++) assert_int_equal(rn_mac_substep(two[i / 2], 0.005), RN_OK);
            const double apart = difference_of_mirrored(two, axis);
            print_message("%s, along %c: speeds differ by %.2g\n", name[n], "xyz"[axis], apart);
            if (!(apart < 1e-3)) fail_msg("speeds differ by %g of the highest", apart);
            for (int i = 0; i < 2; i++) rn_mac_destroy(two[i]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_at_periodic_ends_hold_viscous_liquid),
        cmocka_unit_test(cut_cells_at_periodic_ends_are_liquid),
        cmocka_unit_test(liquid_leaves_alike_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
