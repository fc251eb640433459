/* Blood poured into a bowl: the shortest whole program. */
#include <runnel/runnel.h>
#include <stdio.h>

static int fail(void) {
    fprintf(stderr, "%s\n", rn_last_error());
    return 1;
}

int main(void) {
    rn_terrain *bowl = NULL;
    rn_world *world = NULL;

    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = terrain.cells_y = 200;
    terrain.cell_size = 0.0005;                                                       /* m */
    terrain.solid = rn_sdf_move(rn_sdf_bowl(0.04, 0.02), (rn_vec3){0.05, 0.05, 0.0}); /* radius, depth; where (m) */
    if (rn_terrain_create(&terrain, &bowl) != RN_OK) return fail();

    rn_world_def def = rn_world_default();
    def.terrain = bowl;
    def.liquid = rn_liquid_blood(); /* viscosity, contact angle, colour */
    if (rn_world_create(&def, &world) != RN_OK) return fail();

    if (rn_world_pour(world, (rn_vec3){0.05, 0.05, 0.03}, 0.003, 2e-6) < 0) return fail(); /* where, radius, m³/s */
    for (int frame = 0; frame < 300; frame++)
        if (rn_world_step(world, 1.0 / 60.0) != RN_OK) return fail();

    printf("%.3f ml, drift %.1e\n", rn_world_volume(world) * 1e6, rn_world_audit(world).drift);
    rn_world_destroy(world);
    rn_terrain_destroy(bowl);
    return 0;
}
