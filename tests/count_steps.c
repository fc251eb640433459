/* Steps some water, for tests/test_instructions.sh to count the instructions of: count_steps CASE prints how many
   columns and substeps there were. */
#include "physics/physics.h"
#include "physics/waters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 256, WARM = 8, COUNTED = 4 };

/* By name, so that callgrind can count what happens in here alone. */
void counted_steps(rn_world *world, double dt, int count);

__attribute__((noinline)) void counted_steps(rn_world *world, double dt, int count) {
    for (int i = 0; i < count; i++)
        if (rn_world_step(world, dt) != RN_OK) exit(1);
}

/* Three floors with waves, 100 x 100 each: nothing is full to its ceiling. */
static rn_world *make_floors(void) {
    enum { FLOORS = 3, SIDE = 100 };
    static rn_column columns[SIDE * SIDE * FLOORS];
    static int32_t counts[SIDE * SIDE];
    uint32_t random = 1;
    for (int i = 0; i < SIDE * SIDE; i++) {
        counts[i] = FLOORS;
        for (int l = 0; l < FLOORS; l++)
            columns[i * FLOORS + l] = (rn_column){l ? 0.01 * l - 0.002 : -1.0, 0.01 * l + 5e-4 * random_unit(&random),
                                                  0.01 * (l + 1) - (l < FLOORS - 1 ? 0.002 : 0.0)};
    }
    rn_world *world = make_world_on(make_terrain(SIDE, SIDE, 1e-3, 0.01 * FLOORS, columns, counts),
                                    &(setup){.viscosity = 4e-6, .friction = 0.5});
    const rn_view depth = rn_world_view(world, RN_FIELD_DEPTH);
    for (int l = 0; l < FLOORS; l++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                depth.data[l * depth.layer_stride + y * depth.row_stride + x] =
                    (float)(0.003 + 0.0005 * random_unit(&random));
    if (rn_world_commit(world) != RN_OK) exit(1);
    return world;
}

static rn_world *make_case(const char *name) {
    static const struct {
        const char *name;
        water_kind kind;
    } waters[] = {{"rough", WATER_ROUGH},
                  {"film", WATER_FILM},
                  {"violent", WATER_VIOLENT},
                  {"dry", WATER_HOLLOW},
                  {"still", WATER_STILL}};
    if (strcmp(name, "three-layers") == 0) return make_floors();
    for (size_t i = 0; i < sizeof waters / sizeof waters[0]; i++) {
        rn_world *world = NULL;
        rn_world_def def;
        if (strcmp(name, waters[i].name) != 0) continue;
        if (water_create(waters[i].kind, CELLS, CELLS, 1, NULL, &world, &def) != RN_OK) exit(1);
        return world;
    }
    fprintf(stderr, "count_steps: there is no case \"%s\"\n", name);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    rn_world *world = make_case(argv[1]);
    double dt = 1e-6;
    for (int i = 0; i < WARM; i++) {
        if (rn_world_step(world, dt) != RN_OK) return 1;
        dt = 0.8 * rn_world_get_stats(world).limit;
    }
    const uint64_t before = rn_world_get_stats(world).steps;
    counted_steps(world, dt, COUNTED);
    printf("%lld %llu\n", (long long)rn_world_describe(world).columns,
           (unsigned long long)(rn_world_get_stats(world).steps - before));
    rn_world_destroy(world);
    return 0;
}
