/* Meshes become the same columns and distances, to the bit, on every machine. */
#include "base/hash.h"
#include "mesh_makers.h"
#include "terrain/sdf.h"

/* A cube blown up to a ball, by nothing but sums, quotients and roots. */
static made_mesh blown_up_cube(int n) {
    made_mesh m = mesh_room((size_t)(6 * (n + 1) * (n + 1)), (size_t)(12 * n * n));
    for (int side = 0; side < 6; side++) {
        const uint32_t first = m.vertices, row = (uint32_t)n + 1;
        for (int i = 0; i <= n; i++)
            for (int k = 0; k <= n; k++) {
                const double u = 2.0 * i / n - 1, v = 2.0 * k / n - 1, w = side & 1 ? 1 : -1;
                const double at[3] = {side < 2 ? w : u, side < 2 ? u : side < 4 ? w : v, side < 4 ? v : w};
                const double length = rn_length3(at[0], at[1], at[2]);
                mesh_point(&m, at[0] / length, at[1] / length, at[2] / length);
            }
        for (uint32_t i = 0; i < (uint32_t)n; i++)
            for (uint32_t k = 0; k < (uint32_t)n; k++)
                mesh_quad(&m, first + i * row + k, first + (i + 1) * row + k, first + (i + 1) * row + k + 1,
                          first + i * row + k + 1);
    }
    return m;
}

static uint64_t hash_columns(const rn_terrain *terrain) {
    uint64_t hash = RN_HASH_START;
    const rn_terrain_info info = rn_terrain_describe(terrain);
    for (int i = 0; i < info.cells_x * info.cells_y; i++) {
        int count;
        const rn_column *c = rn_terrain_cell(terrain, i % info.cells_x, i / info.cells_x, &count);
        for (int k = 0; k < count; k++)
            hash = rn_hash_double(rn_hash_double(rn_hash_double(hash, c[k].under), c[k].base), c[k].ceil);
    }
    return hash;
}

static void bits_are_the_same_everywhere(void **state) {
    (void)state;
    made_mesh m = blown_up_cube(24);
    m.triangles -= 40; /* a hole to close, and faces wound by chance to turn */
    for (uint32_t t = 0; t < m.triangles; t += 3) mesh_flip(&m, t);
    rn_mesh_solid_def def = mesh_def(&m);
    const double rows[3][4] = {{0.6, -0.8, 0, 0.1}, {0.48, 0.36, -0.8, 0.2}, {0.64, 0.48, 0.6, 0.3}};
    memcpy(def.transform, rows, sizeof rows);
    rn_terrain_def ground = {.cells_x = 60, .cells_y = 60, .cell_size = 0.04, .origin_x = -1.1, .origin_y = -1};
    ground.solid = rn_sdf_mesh(&def, NULL);
    if (!ground.solid) fail_msg("%s", rn_last_error());
    uint64_t distances = RN_HASH_START;
    for (int i = 0; i < 1000; i++)
        distances = rn_hash_double(
            distances, rn_sdf_distance(ground.solid,
                                       (rn_vec3){0.24 * (i % 10) - 1, 0.25 * (i / 10 % 10) - 1, 0.26 * (i / 100) - 1}));
    rn_terrain *terrain;
    assert_int_equal(rn_terrain_create(&ground, &terrain), RN_OK);
    const uint64_t columns = hash_columns(terrain);
    if (columns != UINT64_C(0x5a73e32c0138f6ae) || distances != UINT64_C(0x239e217396724fb7))
        fail_msg("columns 0x%llx, distances 0x%llx", (unsigned long long)columns, (unsigned long long)distances);
    rn_terrain_destroy(terrain);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_the_same_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
