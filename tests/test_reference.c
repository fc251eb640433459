/* The library's step by the paper's equations against the plain one of reference.h, to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "reference.h"

#include <string.h>

typedef struct scenario {
    int cells, layers;
    uint32_t seed;
    bool periodic;
    double tilt, viscosity, friction;
} scenario;

static bool same(rn_view view, const ref_column *at, float expected) {
    float ours = view.data[at->layer * view.layer_stride + at->y * view.row_stride + at->x];
    return memcmp(&ours, &expected, sizeof ours) == 0;
}

static float ref_flux(const reference *r, const ref_column *c, int axis) {
    int found = *ref_ordinary(r, c->layer, c->y, c->x, axis);
    return found < 0 ? 0.0f : r->pipes[found].flux;
}

/* Columns whose depth is another, or one of the fluxes to the next columns of their layer. */
static long differing(const reference *r, rn_world *world, int *first) {
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), x = rn_world_view(world, RN_FIELD_FLUX_X),
            y = rn_world_view(world, RN_FIELD_FLUX_Y);
    long count = 0;
    for (int i = 0; i < r->column_count; i++) {
        const ref_column *c = &r->columns[i];
        if (same(d, c, c->depth) && same(x, c, ref_flux(r, c, 0)) && same(y, c, ref_flux(r, c, 1))) continue;
        if (count++ == 0) *first = i;
    }
    return count;
}

static void compare(const scenario *s) {
    const double cell = 1e-3;
    rn_terrain *terrain = random_stacks(s->cells, s->layers, cell, s->seed, STACKS_PLAIN);
    rn_world_def def = rn_world_default();
    def.terrain = terrain;
    def.liquid.viscosity = s->viscosity;
    def.friction = s->friction;
    def.passages = RN_PASSAGES_NONE;
    def.model = RN_MODEL_PAPER;
    def.gravity.x = s->tilt;
    def.gravity.y = -0.5 * s->tilt;
    def.threads = 1 + (int)(s->seed % 3);
    if (s->periodic) {
        for (int side = 0; side < 4; side++) def.edges[side] = RN_EDGE_PERIODIC;
        def.drop_x = 2e-3;
        def.drop_y = -1e-3;
    }
    rn_world *world = NULL;
    assert_int_equal(rn_world_create(&def, &world), RN_OK);
    rn_view d = rn_world_view(world, RN_FIELD_DEPTH), b = rn_world_view(world, RN_FIELD_BASE),
            c = rn_world_view(world, RN_FIELD_CEIL);
    uint32_t random = s->seed;
    for (int l = 0; l < d.layers; l++)
        for (int y = 0; y < d.cells_y; y++)
            for (int x = 0; x < d.cells_x; x++) {
                ptrdiff_t i = l * d.layer_stride + y * d.row_stride + x;
                if (b.data[i] >= RN_NO_COLUMN) continue;
                double room = fmin(c.data[i] - b.data[i], 0.008), share = random_unit(&random);
                d.data[i] = (float)(share < 0.3 ? 0.0 : share > 0.85 ? room : room * random_unit(&random));
            }
    rn_world_commit(world);
    reference r = ref_create(terrain, world, &def);
    for (int step = 0; step < 400; step++) {
        const double limit = rn_world_get_stats(world).limit, dt = step == 0 ? 1e-5 : fmin(0.1 * cell, 0.9 * limit);
        rn_world_step(world, dt);
        assert_int_equal(rn_world_get_stats(world).substeps, 1);
        ref_step(&r, (float)dt);
        int first = 0;
        long count = differing(&r, world, &first);
        if (count == 0) continue;
        const ref_column *at = &r.columns[first];
        fail_msg("seed %u: step %d: %ld columns differ, the first at x %d y %d layer %d", s->seed, step, count, at->x,
                 at->y, at->layer);
    }
    ref_destroy(&r);
    rn_world_destroy(world);
    rn_terrain_destroy(terrain);
}

static void single_layer(void **state) {
    (void)state;
    compare(&(scenario){.cells = 37, .layers = 1, .seed = 1, .viscosity = 4e-6, .friction = 0.5});
    compare(&(scenario){.cells = 18, .layers = 1, .seed = 2, .viscosity = 0.0, .friction = 1.0});
    compare(&(scenario){.cells = 21, .layers = 1, .seed = 3, .viscosity = 1e-3, .friction = 0.9});
}

static void many_layers(void **state) {
    (void)state;
    for (uint32_t seed = 4; seed < 12; seed++)
        compare(&(scenario){.cells = 9 + (int)seed,
                            .layers = 2 + (int)seed % 4,
                            .seed = seed,
                            .viscosity = seed % 2 ? 4e-6 : 0.0,
                            .friction = 0.5});
}

static void periodic_edges(void **state) {
    (void)state;
    for (uint32_t seed = 20; seed < 24; seed++)
        compare(&(scenario){.cells = 8 + (int)seed % 7,
                            .layers = 1 + (int)seed % 3,
                            .seed = seed,
                            .periodic = true,
                            .viscosity = 4e-6,
                            .friction = 0.5});
}

static void tilted_gravity(void **state) {
    (void)state;
    for (uint32_t seed = 30; seed < 34; seed++)
        compare(&(scenario){.cells = 14,
                            .layers = 1 + (int)seed % 3,
                            .seed = seed,
                            .periodic = seed % 2,
                            .tilt = 3.0,
                            .viscosity = 4e-6,
                            .friction = 0.5});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_layer),
        cmocka_unit_test(many_layers),
        cmocka_unit_test(periodic_edges),
        cmocka_unit_test(tilted_gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
