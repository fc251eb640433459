/* Makes the meshes that scenes come with, as files of the kind that scanners and modellers write.
   usage: make-meshes SCENES FOLDER     SCENES is where vertebra.json lies, FOLDER where the meshes go */
#include <math.h>
#include <runnel/runnel.h>
#include <stdio.h>

static rn_sdf *at(double x, double y, double z, rn_sdf *shape) { return rn_sdf_move(shape, (rn_vec3){x, y, z}); }

static int fail(void) {
    fprintf(stderr, "make-meshes: %s\n", rn_last_error());
    return 1;
}

/* A shape to be written, and how; low and high are the corners of a box around it. */
typedef struct part {
    const char *name;
    const rn_sdf *shape;
    rn_vec3 low, high; /* m */
    double spacing;    /* m, of the lattice that its triangles come from */
    bool sharp;        /* edges are kept */
    bool scanned;      /* laid out as scanners deliver bones */
} part;

/* In mm, the head of the patient at +z, the back at +y. */
static void lay_out_as_scanned(rn_mesh *mesh) {
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        float *p = mesh->positions + 3 * (size_t)i;
        const float x = p[0], y = p[1], z = p[2];
        p[0] = -1000 * x;
        p[1] = 1000 * z;
        p[2] = 1000 * y;
    }
}

/* Without normals, which readers make themselves. */
static int write_part(const char *folder, const part *p) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.ply", folder, p->name);
    rn_ground_mesh_def def = rn_ground_mesh_default();
    def.shape = p->shape;
    def.low = p->low;
    def.high = p->high;
    def.spacing = p->spacing;
    def.sharp = p->sharp;
    rn_ground_mesh *mesh = NULL;
    if (!p->shape || rn_ground_mesh_create(&def, &mesh) != RN_OK) return fail();
    rn_mesh triangles = rn_ground_mesh_read(mesh);
    triangles.normals = NULL;
    if (p->scanned) lay_out_as_scanned(&triangles);
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
    const part bone = {.name = "vertebra",
                       .shape = rn_scene_solid(scene),
                       .low = {0.004, 0.012, -0.004},
                       .high = {0.096, 0.088, 0.1},
                       .spacing = 0.00098,
                       .scanned = true};
    const int status = write_part(folder, &bone);
    rn_scene_close(scene);
    return status;
}

/* Rock, 1.5 m wide: a ring on end, broken along planes, with a groove along its crest that is notched in front. */
static rn_sdf *arch(void) {
    rn_sdf *ring = rn_sdf_turn(rn_sdf_torus(0.5, 0.17), rn_quat_from_degrees((rn_vec3){90, 0, 0}));
    ring = at(0, 0, 0.1, rn_sdf_stretch(ring, (rn_vec3){1.06, 1.35, 0.98}));
    for (int side = -1; side <= 1; side += 2) {
        rn_sdf *foot = rn_sdf_taper((rn_vec3){0, 0, 0}, (rn_vec3){-0.04 * side, 0.02, 0.42}, 0.25, 0.13);
        ring = rn_sdf_union(ring, at(0.56 * side, 0.05 * side, -0.08, foot), 0.05);
    }
    static const rn_vec3 faces[][2] = {
        {{0.0, -0.17, 0.5}, {0.1, -1, 0.25}},   {{0.35, -0.15, 0.4}, {0.5, -1, 0.5}},
        {{-0.4, -0.16, 0.4}, {-0.6, -1, 0.3}},  {{0.1, 0.18, 0.5}, {-0.15, 1, 0.2}},
        {{-0.5, 0.14, 0.3}, {-0.7, 1, 0.6}},    {{0.5, 0.15, 0.35}, {0.8, 1, 0.4}},
        {{0.05, 0, 0.715}, {0.12, 0.05, 1}},    {{-0.42, 0, 0.6}, {-0.75, 0.1, 1}},
        {{0.46, 0, 0.56}, {0.9, -0.1, 1}},      {{0.72, 0, 0.2}, {1, 0.2, 0.3}},
        {{-0.72, 0, 0.25}, {-1, -0.1, 0.35}},   {{0.6, -0.2, 0.1}, {0.3, -1, 0.35}},
        {{-0.6, -0.21, 0.1}, {-0.2, -1, 0.25}},
    };
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++)
        ring = rn_sdf_intersect(ring, rn_sdf_plane(faces[i][0], faces[i][1]), 0.02);
    rn_sdf *groove = rn_sdf_turn(rn_sdf_torus(0.73, 0.13), rn_quat_from_degrees((rn_vec3){90, 0, 0}));
    groove = rn_sdf_union(at(0, 0.02, 0.08, groove),
                          rn_sdf_capsule_between((rn_vec3){-0.04, -0.5, 0.58}, (rn_vec3){0, 0, 0.69}, 0.07), 0.03);
    rn_sdf *rock = rn_sdf_subtract(ring, groove, 0.04);
    rock = rn_sdf_roughen(rn_sdf_roughen(rock, 0.035, 0.4, 2, 5), 0.014, 0.1, 3, 11);
    return rn_sdf_intersect(rock, at(0, 0, 0.45, rn_sdf_box((rn_vec3){4, 4, 1})), 0);
}

static int make_arch(const char *folder) {
    rn_sdf *rock = arch();
    const part stone = {
        .name = "arch", .shape = rock, .low = {-0.98, -0.5, -0.1}, .high = {0.98, 0.5, 0.92}, .spacing = 0.016};
    const int status = write_part(folder, &stone);
    rn_sdf_destroy(rock);
    return status;
}

/* The way that a spout takes, from inside the belly to past its mouth; at its knees, and from there on, `wall` thinner
   (m). */
static rn_sdf *spout(double wall, double past) {
    static const struct {
        rn_vec3 at;
        double radius; /* m */
    } knees[] = {{{0.034, 0, 0.03}, 0.0185},
                 {{0.062, 0, 0.0375}, 0.0155},
                 {{0.078, 0, 0.052}, 0.0125},
                 {{0.088, 0, 0.067}, 0.0108},
                 {{0.1, 0, 0.081}, 0.0097}};
    enum { KNEES = sizeof knees / sizeof knees[0] };
    rn_sdf *pipe = NULL;
    for (int i = 1; i < KNEES; i++) {
        rn_sdf *bit = rn_sdf_taper(knees[i - 1].at, knees[i].at, knees[i - 1].radius - wall, knees[i].radius - wall);
        pipe = pipe ? rn_sdf_union(pipe, bit, 0.001) : bit;
    }
    const rn_vec3 mouth = knees[KNEES - 1].at, end = {mouth.x + 0.7 * past, 0, mouth.z + 0.714 * past};
    return rn_sdf_union(pipe, rn_sdf_capsule_between(mouth, end, knees[KNEES - 1].radius - wall), 0.002);
}

/* China, 4 mm thick, 0.2 m from its handle to its spout, whose lip is lower than the rim. */
static rn_sdf *teapot(void) {
    rn_sdf *belly = at(0, 0, 0.049, rn_sdf_stretch(rn_sdf_sphere(0.05), (rn_vec3){1.14, 1.14, 0.9}));
    belly = rn_sdf_union(belly, at(0, 0, 0.006, rn_sdf_cone(0.034, 0.031, 0.012)), 0.004);
    rn_sdf *handle = rn_sdf_turn(rn_sdf_torus(0.026, 0.0055), rn_quat_from_degrees((rn_vec3){90, 0, 0}));
    handle = at(-0.064, 0, 0.053, rn_sdf_stretch(handle, (rn_vec3){1, 1.2, 1.05}));
    rn_sdf *pot = rn_sdf_union(belly, handle, 0.006);
    pot = rn_sdf_union(pot, spout(0, 0.012), 0.006);
    pot = rn_sdf_union(pot, at(0, 0, 0.0885, rn_sdf_cylinder(0.0345, 0.007)), 0.003);
    rn_sdf *hollow = at(0, 0, 0.049, rn_sdf_stretch(rn_sdf_sphere(0.0455), (rn_vec3){1.155, 1.155, 0.89}));
    hollow = rn_sdf_union(hollow, at(0, 0, 0.1, rn_sdf_cylinder(0.0295, 0.04)), 0.003);
    hollow = rn_sdf_union(hollow, spout(0.004, 0.05), 0.003);
    pot = rn_sdf_subtract(pot, hollow, 0.0012);
    rn_sdf *beyond = rn_sdf_plane((rn_vec3){0.1055, 0, 0.0765}, (rn_vec3){-0.64, 0, -0.77});
    beyond = rn_sdf_intersect(beyond, at(0.14, 0, 0.09, rn_sdf_box((rn_vec3){0.1, 0.2, 0.2})), 0);
    return rn_sdf_subtract(pot, beyond, 0.001);
}

static int make_teapot(const char *folder) {
    rn_sdf *china = teapot();
    const part pot = {.name = "teapot",
                      .shape = china,
                      .low = {-0.11, -0.07, -0.006},
                      .high = {0.13, 0.07, 0.1},
                      .spacing = 0.00256,
                      .sharp = true};
    const int status = write_part(folder, &pot);
    rn_sdf_destroy(china);
    return status;
}

/* A number from -1 to 1 that looks random: the next of a row. */
static double next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

/* A fir, 1 m tall without its trunk: whorls of branches, each a ragged cone that is hollow below. */
static int make_fir(const char *folder) {
    enum { WHORLS = 7, TIPS = 11, EACH = TIPS + 2 };
    float positions[3 * WHORLS * EACH];
    uint32_t indices[6 * WHORLS * TIPS], random = 7, *next = indices;
    for (uint32_t whorl = 0; whorl < WHORLS; whorl++) {
        const double low = 0.1 + 0.114 * whorl, wide = 0.265 - 0.033 * whorl, top = fmin(low + 0.26, 1);
        float *p = positions + 3 * EACH * whorl;
        for (uint32_t i = 0; i < EACH; i++, p += 3) {
            const double turn = 6.283185307179586 * (i + 0.2 * next_random(&random)) / TIPS;
            const double far = i < TIPS ? wide * (1 + 0.17 * next_random(&random)) : 0;
            p[0] = (float)(far * cos(turn));
            p[1] = (float)(far * sin(turn));
            p[2] = (float)(i < TIPS ? low + 0.12 * wide * next_random(&random) : i == TIPS ? top : low + 0.065);
        }
        for (uint32_t i = 0; i < TIPS; i++, next += 6) {
            const uint32_t first = EACH * whorl, a = first + i, b = first + (i + 1) % TIPS;
            const uint32_t two[6] = {a, b, first + TIPS, b, a, first + TIPS + 1};
            for (int k = 0; k < 6; k++) next[k] = two[k];
        }
    }
    const rn_mesh fir = {
        .positions = positions, .indices = indices, .vertex_count = WHORLS * EACH, .triangle_count = 2 * WHORLS * TIPS};
    char path[4096];
    snprintf(path, sizeof path, "%s/fir.ply", folder);
    return rn_mesh_write(path, &fir) == RN_OK ? 0 : fail();
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: make-meshes SCENES FOLDER\n");
        return 2;
    }
    return make_vertebra(argv[1], argv[2]) || make_arch(argv[2]) || make_teapot(argv[2]) || make_fir(argv[2]);
}
