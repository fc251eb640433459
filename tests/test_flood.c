/* The lists of flooded columns follow from slots alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "physics/physics.h"
#include "pipe_worlds.h"

/* The other end of a duct of a node; -1: a portal. */
static int32_t neighbour(const rn_flood *flood, int32_t end) {
    const rn_duct *duct = &flood->ducts[end / 2];
    return end % 2 ? duct->node_a : duct->node_b;
}

/* Ducts from the first node of a passage to each, by going over all ducts until nothing changes. */
static void find_depths(const rn_flood *flood, int32_t *depth) {
    for (size_t i = 0; i < flood->node_count; i++) depth[i] = INT32_MAX / 2;
    for (size_t i = 0; i < flood->passage_count; i++) depth[flood->passages[i].nodes] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < flood->duct_count; i++) {
            const int32_t a = flood->ducts[i].node_a, b = flood->ducts[i].node_b;
            if (a < 0 || b < 0) continue;
            if (depth[a] > depth[b] + 1) depth[a] = depth[b] + 1, changed = true;
            if (depth[b] > depth[a] + 1) depth[b] = depth[a] + 1, changed = true;
        }
    }
}

static void check_node(const rn_flood *flood, const int32_t *depth, const rn_passage *passage, int32_t i) {
    const rn_node *node = &flood->nodes[i];
    int32_t best = -1, order = -1;
    for (int32_t k = node->begin; k < node->end; k++) {
        const rn_duct *duct = &flood->ducts[flood->ends[k] / 2];
        const bool is_b = flood->ends[k] % 2;
        assert_true((is_b ? duct->node_b : duct->node_a) == i);
        const int32_t side = duct->way < 2 ? 2 * duct->way + !is_b : 4 + duct->pipe,
                      other = neighbour(flood, flood->ends[k]);
        assert_true(side > order); /* west, east, south, north, irregular */
        order = side;
        if (other < 0) continue;
        assert_true(other >= passage->nodes && other < passage->node_end);
        const bool better = best < 0 || depth[other] < depth[best] || (depth[other] == depth[best] && other < best);
        if (better) best = other;
    }
    if (i == passage->nodes) {
        assert_int_equal(node->parent, -1);
        return;
    }
    const rn_duct *parent = &flood->ducts[node->parent];
    assert_true(parent->absorbs_rounding && (parent->node_a == i ? parent->node_b : parent->node_a) == best);
}

static void check_lists(const rn_flood *flood) {
    int32_t *depth = malloc((flood->node_count + 1) * sizeof *depth);
    find_depths(flood, depth);
    size_t trees = 0;
    for (size_t i = 0; i < flood->duct_count; i++) trees += flood->ducts[i].absorbs_rounding;
    assert_int_equal(trees, flood->node_count - flood->passage_count);
    for (size_t p = 0; p < flood->passage_count; p++) {
        const rn_passage *passage = &flood->passages[p];
        if (p > 0) assert_true(flood->nodes[passage[-1].nodes].slot < flood->nodes[passage->nodes].slot);
        for (int32_t i = passage->nodes; i < passage->node_end; i++) {
            if (i > passage->nodes) assert_true(flood->nodes[i - 1].slot < flood->nodes[i].slot);
            check_node(flood, depth, passage, i);
            if (i > passage->nodes) assert_true(depth[flood->order[i - 1]] <= depth[flood->order[i]]);
        }
    }
    free(depth);
}

static void lists_follow_from_slots(void **state) {
    (void)state;
    size_t most = 0, passages = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        rn_world *world = make_world_on(
            random_stacks(20, 4, 1e-3, seed, seed % 2 ? STACKS_PLAIN : STACKS_RAGGED),
            &(setup){.viscosity = 1e-6, .friction = 0.5, .periodic_x = seed % 3 == 0, .periodic_y = seed % 4 == 0});
        rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.012 + 0.001 * seed});
        for (int i = 0; i < 6; i++) {
            assert_int_equal(rn_world_step(world, 2e-3), RN_OK);
            const rn_flood *flood = &solver_of(world)->flood;
            check_lists(flood);
            most = flood->node_count > most ? flood->node_count : most;
            passages = flood->passage_count > passages ? flood->passage_count : passages;
        }
        rn_world_destroy(world);
    }
    assert_true(most > 50 && passages > 3);
}

/* The same liquid with any number of threads. */
static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        uint64_t hashes[3];
        for (int threads = 1; threads <= 3; threads++) {
            rn_world *world = make_world_on(random_stacks(24, 4, 1e-3, seed, STACKS_RAGGED),
                                            &(setup){.viscosity = 1e-6, .friction = 0.5, .threads = threads});
            rn_world_fill(world, &(rn_fill_def){.kind = RN_FILL_LEVEL, .value = 0.02});
            for (int i = 0; i < 10; i++) assert_int_equal(rn_world_step(world, 2e-3), RN_OK);
            hashes[threads - 1] = rn_world_hash(world);
            rn_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_follow_from_slots),
        cmocka_unit_test(bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
