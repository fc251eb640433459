/* The steps of small triangles are the same, in the same order, for one lane as for however many this machine has. */
#ifndef RN_WIDE_PLAIN
#define RN_WIDE_PLAIN
#endif
#define rn_lot_put rn_lot_put_plain
#include "../src/bodies/raster_small.c"
#undef rn_lot_put

#include "terrain_shapes.h"

bool rn_lot_put(const rn_emitter *e, int nx, rn_triangle_batch *lot, int number);

/* Fills the lot of that number with triangles that lie anywhere. */
static rn_triangle_batch fill_lot(const rn_raster_grid *grid, int number, int most) {
    rn_triangle_batch lots[RN_LOTS];
    for (int k = 0; k < RN_LOTS; k++) lots[k].count = 0;
    for (;;) {
        const double x = random_in(0, 8), y = random_in(0, 8), size = random_in(0.1, 1.5);
        double v[3][3];
        for (int c = 0; c < 3; c++) {
            v[c][0] = x + size * random_in(0, 1);
            v[c][1] = y + size * random_in(0, 1);
            v[c][2] = random_in(0, 1) * size;
        }
        const int k = rn_lot_add(grid, v, lots);
        if (k == number && lots[k].count == most) return lots[k];
        if (k >= 0 && k != number) lots[k].count = 0;
    }
}

static void test_any_width(void **state) {
    (void)state;
    const rn_raster_grid grid = {.cell = 1, .nx = 10, .ny = 10};
    for (int i = 0; i < 400; i++) {
        const int k = i % RN_LOTS, count = 1 + i % (RN_LOT - 1);
        rn_triangle_batch lot = fill_lot(&grid, k, count), same = lot;
        rn_share_changes one = {0}, many = {0};
        assert_true(rn_lot_put_plain(&(rn_emitter){NULL, &one}, grid.nx, &same, k));
        assert_true(rn_lot_put(&(rn_emitter){NULL, &many}, grid.nx, &lot, k));
        assert_true(many.count >= (size_t)count);
        assert_int_equal(one.count, many.count);
        assert_memory_equal(one.list, many.list, one.count * sizeof *one.list);
        assert_int_equal(lot.count, 0);
        rn_free(NULL, one.list);
        rn_free(NULL, many.list);
    }
}

/* All parts of a triangle together are as large as the triangle. */
static void test_areas(void **state) {
    (void)state;
    const rn_raster_grid grid = {.cell = 1, .nx = 10, .ny = 10};
    for (int i = 0; i < 400; i++) {
        const int k = i % RN_LOTS;
        rn_triangle_batch lot = fill_lot(&grid, k, RN_LOT);
        double left = 0;
        for (int t = 0; t < RN_LOT; t++) left += 0.5 * (double)lot.twice[t];
        rn_share_changes steps = {0};
        assert_true(rn_lot_put(&(rn_emitter){NULL, &steps}, grid.nx, &lot, k));
        for (size_t s = 0; s < steps.count; s++) left -= (double)steps.list[s].share;
        assert_true(fabs(left) < 1e-5);
        rn_free(NULL, steps.list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_width), cmocka_unit_test(test_areas)};
    return cmocka_run_group_tests(tests, start_random, NULL);
}
