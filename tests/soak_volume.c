/* A million rough substeps on random stacks, with sources, drains and open edges: volume to the quantum throughout. */
#include "physics/physics.h"

#include <math.h>
#include <stdio.h>

int main(void) {
    enum { SEEDS = 20, STEPS = 50000 };
    const double cell = 1e-3;
    for (uint32_t seed = 101; seed < 101 + SEEDS; seed++) {
        const int cells = 10 + (int)(seed % 13);
        rn_terrain *terrain = random_stacks(cells, 1 + (int)(seed % 5), cell, seed, STACKS_RAGGED);
        rn_world_def def = rn_world_default();
        def.terrain = terrain;
        def.liquid.viscosity = seed % 3 ? 4e-6 : 0.0;
        def.max_substeps = 1;
        def.edges[seed % 4] = RN_EDGE_OPEN;
        rn_world *world = NULL;
        if (rn_world_create(&def, &world) != RN_OK) return fprintf(stderr, "%s\n", rn_last_error()), 1;
        rn_terrain_destroy(terrain);
        uint32_t random = seed;
        for (int i = 0; i < 8; i++) {
            rn_vec3 at = {cells * cell * random_unit(&random), cells * cell * random_unit(&random),
                          0.03 * random_unit(&random)};
            if (i % 3) rn_world_pour(world, at, 2.0 * cell, 1e-6 * random_unit(&random));
            else rn_world_drain(world, at, 2.0 * cell, 1e-6 * random_unit(&random));
        }
        for (int step = 0; step < STEPS; step++) {
            rn_world_step(world, 5e-3);
            if (rn_world_audit(world).drift != 0.0) return fprintf(stderr, "seed %u, step %d: drift\n", seed, step), 1;
        }
        printf("seed %u: %llu substeps, drift 0\n", seed, (unsigned long long)rn_world_get_stats(world).steps);
        rn_world_destroy(world);
    }
    return 0;
}
