/* Makes the meshes that scenes come with, as files of the kind that scanners and modellers write.
   usage: make-meshes SCENES FOLDER     SCENES is where vertebra.json lies, FOLDER where the meshes go */
#include <runnel/runnel.h>
#include <stdio.h>

static rn_sdf *at(double x, double y, double z, rn_sdf *shape) { return rn_sdf_move(shape, (rn_vec3){x, y, z}); }

static int fail(void) {
    fprintf(stderr, "make-meshes: %s\n", rn_last_error());
    return 1;
}

/* The surface of a shape as a file; low and high are the corners of a box around it (m). Flat ground needs no normals
   in a file: readers make their own. */
static int write_shape(const char *folder, const char *name, const rn_sdf *shape, rn_vec3 low, rn_vec3 high,
                       double spacing) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.ply", folder, name);
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.shape = shape;
    def.low = low;
    def.high = high;
    def.spacing = spacing;
    rn_ground_mesh *mesh = NULL;
    if (!shape || rn_ground_mesh_create(&def, &mesh) != RN_OK) return fail();
    rn_mesh triangles = rn_ground_mesh_read(mesh);
    triangles.normals = NULL;
    const bool written = rn_mesh_write(path, &triangles) == RN_OK;
    if (written) printf("%s: %u vertices, %u triangles\n", path, triangles.vertex_count, triangles.triangle_count);
    rn_ground_mesh_destroy(mesh);
    return written ? 0 : fail();
}

/* The bone of vertebra.json without the bed that it lies in. */
static int make_vertebra(const char *scenes, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/vertebra.json", scenes);
    const char *const no_bed[] = {"solid.of.0={\"type\": \"sphere\", \"radius\": 0.001, \"at\": [0.05, 0.05, 0.022]}"};
    const rn_scene_def def = {.path = path, .set = no_bed, .set_count = 1, .threads = 1, .keep_solid = true};
    rn_scene *scene;
    if (rn_scene_open(&def, &scene) != RN_OK) return fail();
    const int status = write_shape(folder, "vertebra", rn_scene_solid(scene), (rn_vec3){0.004, 0.012, -0.004},
                                   (rn_vec3){0.096, 0.088, 0.1}, 0.00115);
    rn_scene_close(scene);
    return status;
}

/* Rock, 1.5 m wide: a ring on end with a groove along its crest, on two feet. */
static rn_sdf *arch(void) {
    rn_sdf *ring = rn_sdf_turn(rn_sdf_torus(0.5, 0.15), (rn_vec3){90, 0, 0});
    ring = at(0, 0, 0.12, rn_sdf_stretch(ring, (rn_vec3){1, 1.5, 1}));
    for (int side = -1; side <= 1; side += 2) {
        rn_sdf *foot = rn_sdf_taper((rn_vec3){0, 0, 0}, (rn_vec3){-0.06 * side, 0, 0.4}, 0.27, 0.1);
        ring = rn_sdf_union(ring, at(0.54 * side, 0.03 * side, -0.06, foot), 0.12);
    }
    rn_sdf *groove = rn_sdf_turn(rn_sdf_torus(0.72, 0.13), (rn_vec3){90, 0, 0});
    rn_sdf *rock = rn_sdf_subtract(ring, at(0, 0.02, 0.09, groove), 0.06);
    rock = rn_sdf_roughen(rock, 0.03, 0.32, 4, 11);
    return rn_sdf_intersect(rock, at(0, 0, 0.45, rn_sdf_box((rn_vec3){4, 4, 1}, 0)), 0);
}

static int make_arch(const char *folder) {
    rn_sdf *rock = arch();
    const int status =
        write_shape(folder, "arch", rock, (rn_vec3){-0.98, -0.5, -0.1}, (rn_vec3){0.98, 0.5, 0.92}, 0.02);
    rn_sdf_destroy(rock);
    return status;
}

/* The way that a spout takes, from inside the belly to its mouth, as thick as told at three places (m). */
static rn_sdf *spout(double low, double middle, double high, double end) {
    const rn_vec3 root = {0.034, 0, 0.03}, knee = {0.07, 0, 0.046}, mouth = {0.098, 0, 0.082};
    const rn_vec3 past = {0.098 + 0.6 * end, 0, 0.082 + 0.8 * end};
    rn_sdf *pipe = rn_sdf_union(rn_sdf_taper(root, knee, low, middle), rn_sdf_taper(knee, mouth, middle, high), 0.006);
    return end > 0 ? rn_sdf_union(pipe, rn_sdf_capsule(mouth, past, high), 0.002) : pipe;
}

/* China, 4 mm thick, 0.2 m from its handle to its spout, whose lip is lower than the rim. */
static rn_sdf *teapot(void) {
    rn_sdf *belly = at(0, 0, 0.045, rn_sdf_stretch(rn_sdf_sphere(0.05), (rn_vec3){1.14, 1.14, 0.92}));
    belly = rn_sdf_union(belly, at(0, 0, 0.006, rn_sdf_cone(0.034, 0.031, 0.012)), 0.004);
    rn_sdf *handle = rn_sdf_turn(rn_sdf_torus(0.026, 0.0055), (rn_vec3){90, 0, 0});
    handle = at(-0.063, 0, 0.052, rn_sdf_stretch(handle, (rn_vec3){1, 1.15, 1.05}));
    rn_sdf *pot = rn_sdf_union(belly, handle, 0.006);
    pot = rn_sdf_union(pot, spout(0.0185, 0.0135, 0.0098, 0.012), 0.008);
    pot = rn_sdf_union(pot, at(0, 0, 0.0845, rn_sdf_cylinder(0.0345, 0.007)), 0.003);
    rn_sdf *hollow = at(0, 0, 0.045, rn_sdf_stretch(rn_sdf_sphere(0.0455), (rn_vec3){1.155, 1.155, 0.91}));
    hollow = rn_sdf_union(hollow, at(0, 0, 0.095, rn_sdf_cylinder(0.0295, 0.04)), 0.003);
    hollow = rn_sdf_union(hollow, spout(0.0125, 0.0085, 0.0058, 0.05), 0.003);
    pot = rn_sdf_subtract(pot, hollow, 0.0012);
    rn_sdf *beyond = rn_sdf_plane((rn_vec3){0.1035, 0, 0.0765}, (rn_vec3){-0.62, 0, -0.78});
    beyond = rn_sdf_intersect(beyond, at(0.14, 0, 0.09, rn_sdf_box((rn_vec3){0.1, 0.2, 0.2}, 0)), 0);
    return rn_sdf_subtract(pot, beyond, 0.001);
}

static int make_teapot(const char *folder) {
    rn_sdf *china = teapot();
    const int status =
        write_shape(folder, "teapot", china, (rn_vec3){-0.11, -0.07, -0.006}, (rn_vec3){0.13, 0.07, 0.1}, 0.0019);
    rn_sdf_destroy(china);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: make-meshes SCENES FOLDER\n");
        return 2;
    }
    return make_vertebra(argv[1], argv[2]) || make_arch(argv[2]) || make_teapot(argv[2]);
}
