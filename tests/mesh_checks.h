/* Checks of what is read of mesh files. Include cmocka.h before. */
#ifndef MESH_CHECKS_H
#define MESH_CHECKS_H

#include "mesh_files.h"

#include <math.h>

static inline int set_up(void **state) {
    (void)state;
    return make_folder("mesh-files");
}

static inline int tear_down(void **state) {
    (void)state;
    return take_folder_away();
}

static inline rn_mesh_file read_mesh(const char *name) {
    rn_mesh_file mesh;
    if (rn_mesh_read(in_folder(name), &mesh) != RN_OK) fail_msg("%s", rn_last_error());
    return mesh;
}

/* Checks the box around all vertices, and that the volume is that of the box. */
static inline void assert_box(const rn_mesh_file *mesh, rn_vec3 low, rn_vec3 high) {
    const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < mesh->vertex_count; i++) {
            const double value = (double)mesh->positions[3 * i + (size_t)axis];
            if (value < least) least = value;
            if (value > most) most = value;
        }
        if (fabs(least - lows[axis]) > 1e-5 || fabs(most - highs[axis]) > 1e-5)
            fail_msg("along axis %d from %g to %g, not from %g to %g", axis, least, most, lows[axis], highs[axis]);
    }
    const double volume = (high.x - low.x) * (high.y - low.y) * (high.z - low.z);
    if (fabs(signed_volume(mesh) - volume) > 1e-4 * volume)
        fail_msg("a volume of %g, not %g", signed_volume(mesh), volume);
}

static inline void check_brick(const char *name, const char *format) {
    rn_mesh_file mesh = read_mesh(name);
    assert_int_equal(mesh.triangle_count, BRICK_TRIANGLES);
    assert_int_equal(mesh.parts, 1);
    assert_true(mesh.unit == 0 && mesh.up == RN_UP_UNKNOWN);
    assert_string_equal(mesh.format, format);
    assert_box(&mesh, (rn_vec3){0, 0, 0}, (rn_vec3){1, 2, 3});
    rn_mesh_file_free(&mesh);
}

/* One line that begins with the path. */
static inline void check_refusal(const char *path, rn_result result, const char *part) {
    const char *said = rn_last_error();
    if (result == RN_OK) fail_msg("%s was read", path);
    if (strncmp(said, path, strlen(path)) != 0 || !strstr(said, part))
        fail_msg("\"%s\" does not say \"%s: … %s\"", said, path, part);
}

/* Deeper than a stack: read, or refused by a sentence. */
static inline void test_deep_nodes(void **state) {
    (void)state;
    enum { DEEP = 20000 };
    char *nodes = malloc(64 * DEEP), *end = nodes;
    assert_non_null(nodes);
    for (int i = 1; i < DEEP; i++) end += sprintf(end, "%c{\"children\": [%d]}", i > 1 ? ',' : '[', i);
    sprintf(end, ",{\"mesh\": 0}]");
    write_glb("deep.glb", nodes);
    free(nodes);
    rn_mesh_file mesh;
    rn_result result = rn_mesh_read(in_folder("deep.glb"), &mesh);
    print_message("%d nodes deep: %s\n", DEEP, result == RN_OK ? "read" : rn_last_error());
    if (result == RN_OK) assert_int_equal(mesh.triangle_count, BRICK_TRIANGLES);
    else check_refusal(in_folder("deep.glb"), result, "the reader of meshes crashed on it");
    rn_mesh_file_free(&mesh);
}

static inline void check_refused(const char *name, const char *part) {
    rn_mesh_file mesh;
    rn_result result = rn_mesh_read(in_folder(name), &mesh);
    check_refusal(in_folder(name), result, part);
    assert_null(mesh.memory);
}

#endif
