/* Moves and deforms meshes: changes the points, fills the grid of faces again, and refits the boxes of the tree. The
   triangles stay the same. */
#include "base/maths.h"
#include "base/memory.h"
#include "terrain/mesh_solid.h"

#include <string.h>

/* The box around points (m); empty, low above high, if there are none. */
static rn_box box_around(const rn_vec3 *points, size_t count) {
    rn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; i++) {
        const rn_vec3 p = points[i];
        box.low = (rn_vec3){rn_min(box.low.x, p.x), rn_min(box.low.y, p.y), rn_min(box.low.z, p.z)};
        box.high = (rn_vec3){rn_max(box.high.x, p.x), rn_max(box.high.y, p.y), rn_max(box.high.z, p.z)};
    }
    return box;
}

/* Allocates what a mesh needs the first time that it moves, and keeps its present points as those at rest. Returns
   false, with a message, if memory runs out. */
static bool prepare_to_move(rn_mesh_solid *mesh) {
    const rn_shell *shell = &mesh->shell;
    if (mesh->rest) return true;
    if (!mesh->spare) mesh->spare = rn_alloc(&shell->hooks, shell->point_count, sizeof *mesh->spare);
    mesh->rest = mesh->spare ? rn_alloc(&shell->hooks, shell->point_count, sizeof *mesh->rest) : NULL;
    if (mesh->rest) memcpy(mesh->rest, shell->points, shell->point_count * sizeof *mesh->rest);
    return mesh->rest != NULL;
}

/* Writes `count` points at rest, transformed by a pose, to `to`, which may be `rest`. */
static void pose_points(const rn_vec3 *rest, size_t count, const rn_placement *pose, rn_vec3 *to) {
    for (size_t i = 0; i < count; i++) to[i] = rn_pose_point(pose, rest[i]);
}

/* Updates triangles and boxes of the tree from the shell's points. */
static void refit_tree(rn_mesh_solid *mesh) {
    for (size_t i = 0; i < mesh->tree.count; i++) rn_mesh_corners(mesh, mesh->tree.sources[i], mesh->tree.triangles[i]);
    rn_tree_refit(&mesh->tree);
}

/* Makes the spare points those of the shell, whose old ones become the spare ones, and updates everything that depends
   on them. Returns false, with a message and nothing changed, if memory runs out. */
static bool adopt_spare(rn_mesh_solid *mesh) {
    rn_shell *shell = &mesh->shell;
    const rn_shell was = *shell;
    shell->points = mesh->spare;
    shell->box = box_around(shell->points, shell->point_count);
    shell->size = rn_max(rn_max(shell->box.high.x - shell->box.low.x, shell->box.high.y - shell->box.low.y),
                         shell->box.high.z - shell->box.low.z);
    if (mesh->crossings.shell && !rn_crossings_refill(&mesh->crossings)) {
        *shell = was;
        return false;
    }
    mesh->spare = was.points;
    rn_mesh_bound(mesh);
    refit_tree(mesh);
    return true;
}

bool rn_mesh_solid_place(rn_mesh_solid *mesh, const rn_placement *pose) {
    if (memcmp(pose, &mesh->pose, sizeof *pose) == 0) return true;
    if (!prepare_to_move(mesh)) return false;
    pose_points(mesh->rest, mesh->shell.point_count, pose, mesh->spare);
    if (!adopt_spare(mesh)) return false;
    mesh->pose = *pose;
    return true;
}

/* The position (m) at rest of a point of the shell, for these positions of the host's vertices. */
static rn_vec3 rest_position(const rn_mesh_solid *mesh, const float *positions, size_t point) {
    return rn_vertex_place(&mesh->transform, positions + 3 * (size_t)mesh->shell.vertices[point]);
}

/* Returns RN_INVALID, with a message, unless there is a finite position for each of the host's vertices, all points lie
   within RN_SDF_REACH, and the mesh can be deformed (it is not wrapped in a skin). */
static rn_result check_positions(const rn_mesh_solid *mesh, const float *positions, size_t vertex_count) {
    if (!positions || vertex_count != mesh->vertex_count)
        return rn_fail(RN_INVALID, "a mesh of %u vertices is given %zu positions; there must be one for each vertex",
                       (unsigned)mesh->vertex_count, positions ? vertex_count : 0);
    if (!mesh->shell.vertices)
        return rn_fail(RN_INVALID,
                       "a mesh whose triangles do not join is wrapped in a skin, and can be moved but not deformed");
    for (size_t i = 0; i < 3 * vertex_count; i++)
        if (!isfinite(positions[i]))
            return rn_fail(RN_INVALID, "vertex %zu of a mesh is given a coordinate that is not finite", i / 3);
    for (size_t i = 0; i < mesh->shell.point_count; i++) {
        const rn_vec3 p = rest_position(mesh, positions, i);
        if (!(fabs(p.x) <= RN_SDF_REACH && fabs(p.y) <= RN_SDF_REACH && fabs(p.z) <= RN_SDF_REACH))
            return rn_fail(RN_INVALID, "vertex %u of a mesh is put at (%g, %g, %g) m; it must lie within %g m",
                           (unsigned)mesh->shell.vertices[i], p.x, p.y, p.z, RN_SDF_REACH);
    }
    return RN_OK;
}

/* Remakes the tree with all triangles, if some were left out: triangles buried now may not be buried later. On failure
   returns the code and message of rn_mesh_plant, with nothing changed. */
static rn_result plant_all(rn_mesh_solid *mesh) { return mesh->sifted ? rn_mesh_plant(mesh, false, 1) : RN_OK; }

rn_result rn_mesh_solid_deform(rn_mesh_solid *mesh, const float *positions, size_t vertex_count) {
    rn_result result = check_positions(mesh, positions, vertex_count);
    if (result == RN_OK) result = plant_all(mesh);
    if (result != RN_OK) return result;
    if (!prepare_to_move(mesh)) return RN_MEMORY;
    const size_t count = mesh->shell.point_count;
    for (size_t i = 0; i < count; i++) mesh->spare[i] = rest_position(mesh, positions, i);
    /* the points at rest must stay until nothing can fail any more */
    pose_points(mesh->spare, count, &mesh->pose, mesh->spare);
    if (!adopt_spare(mesh)) return RN_MEMORY;
    for (size_t i = 0; i < count; i++) mesh->rest[i] = rest_position(mesh, positions, i);
    return RN_OK;
}

rn_result rn_sdf_mesh_deform(rn_sdf *shape, const float *positions, size_t vertex_count) {
    rn_mesh_solid *mesh = shape ? rn_mesh_solid_of(shape) : NULL;
    if (!mesh) return rn_fail(RN_INVALID, "only a mesh can be deformed; this is another shape");
    return rn_mesh_solid_deform(mesh, positions, vertex_count);
}
