/* A crate falls into a pool and floats: the liquid says what it does to the crate, and these few lines move it. */
#include <runnel/runnel.h>
#include <stdio.h>

static int fail(void) {
    fprintf(stderr, "%s\n", rn_last_error());
    return 1;
}

int main(void) {
    rn_terrain *pool = NULL;
    rn_world *world = NULL;
    rn_terrain_def terrain = rn_terrain_default();
    terrain.cells_x = terrain.cells_y = 60;
    terrain.cell_size = 0.1; /* m */
    terrain.solid = rn_sdf_plane((rn_vec3){0, 0, 0}, (rn_vec3){0, 0, 1});
    if (rn_terrain_create(&terrain, &pool) != RN_OK) return fail();
    rn_world_def def = rn_world_default();
    def.terrain = pool;
    const rn_fill_def fill = {.kind = RN_FILL_LEVEL, .value = 1.5}; /* m */
    if (rn_world_create(&def, &world) != RN_OK || rn_world_fill(world, &fill) != RN_OK) return fail();

    rn_shape *box = rn_shape_box((rn_vec3){1, 1, 0.5}); /* m */
    rn_body_def crate = rn_body_default();
    crate.shape = box;
    crate.density = 600; /* kg/m³ */
    crate.pose.at = (rn_vec3){3, 3, 2.5};
    const int body = rn_bodies_add(world, &crate);
    if (body < 0) return fail();

    rn_pose pose = crate.pose;
    const double mass = rn_bodies_describe(world, body).mass, frame_time = 1.0 / 60.0;
    for (int frame = 0; frame < 600; frame++) {
        const rn_body_load load = rn_bodies_load(world, body);        /* N, without weight */
        pose.velocity.z += frame_time * (load.force.z / mass - 9.81); /* an engine would also turn it */
        pose.at.z += frame_time * pose.velocity.z;
        if (rn_bodies_move(world, body, &pose) != RN_OK || rn_world_step(world, frame_time) != RN_OK) return fail();
    }
    printf("it floats with a draught of %.2f m, drift %.1e\n", rn_bodies_load(world, body).share * 0.5,
           rn_world_audit(world).drift);
    rn_shape_destroy(box);
    rn_world_destroy(world);
    rn_terrain_destroy(pool);
    return 0;
}
