/* Creates shapes of triangle meshes (shape_mesh.h). Failures leave the reason in rn_last_error(). */
#include "io/scene/shape_mesh.h"

#include "base/error.h"
#include "base/quat.h"
#include "io/scene/georeference.h"
#include "terrain/shell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const rn_mesh_units[] = {"auto", "m", "cm", "mm", "um", "km", "in", "ft", NULL};
static const double unit_metres[] = {0, 1, 1e-2, 1e-3, 1e-6, 1e3, 0.0254, 0.3048};

const char *const rn_mesh_ups[] = {"auto", "x", "-x", "y", "-y", "z", "-z", NULL};
const char *const rn_mesh_meanings[] = {"auto", "solid", "sheet", "ground", NULL};

static const double farthest = 1e12; /* m; rn_sdf_mesh drops what lies beyond */

/* Rotations that take each direction to z. */
static const signed char up_turns[][3][3] = {
    [RN_UP_X] = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}, [RN_UP_MINUS_X] = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},
    [RN_UP_Y] = {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, [RN_UP_MINUS_Y] = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
    [RN_UP_Z] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  [RN_UP_MINUS_Z] = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
};

double rn_mesh_unit(const rn_mesh_values *values) { return unit_metres[values->unit]; }

/* The metres in the unit of a mesh: as the values say, else the file; else 1. */
static double metres_of(const rn_mesh_file *mesh, const rn_mesh_values *values) {
    return values->unit ? rn_mesh_unit(values) : mesh->unit > 0 ? mesh->unit : 1;
}

/* Sets `rows`, which take vertices of the file to the scene (m), with a translation of 0: unit, up axis, scale, stretch
   and rotation. Where the values leave unit or up axis open, the file decides; else m and z. */
static void set_linear_part(const rn_mesh_file *mesh, const rn_mesh_values *values, const rn_shape_pose *pose,
                            double rows[3][4]) {
    const rn_up up = values->up ? (rn_up)values->up : mesh->up ? mesh->up : RN_UP_Z;
    const double unit = metres_of(mesh, values);
    double turn[3][3];
    rn_rows_from_degrees((rn_vec3){pose->turn[0], pose->turn[1], pose->turn[2]}, turn);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rows[i][j] = 0;
            for (int k = 0; k < 3; k++)
                rows[i][j] += turn[i][k] * (unit * pose->scale * pose->stretch[k]) * up_turns[up][k][j];
        }
        rows[i][3] = 0;
    }
}

/* Sets at[] to the corners of a triangle (m), transformed without translation. Returns false if rn_sdf_mesh would drop
   the triangle, because it is flat, refers to no vertex or lies too far away. */
static bool transform_triangle(const rn_mesh_file *mesh, size_t triangle, double rows[3][4], rn_vec3 at[3]) {
    for (int k = 0; k < 3; k++) {
        const uint32_t index = mesh->indices[3 * triangle + (size_t)k];
        if (index >= mesh->vertex_count) return false;
        const float *v = mesh->positions + 3 * (size_t)index;
        double p[3];
        for (int axis = 0; axis < 3; axis++)
            p[axis] = rows[axis][0] * (double)v[0] + rows[axis][1] * (double)v[1] + rows[axis][2] * (double)v[2];
        if (!(fabs(p[0]) < farthest && fabs(p[1]) < farthest && fabs(p[2]) < farthest)) return false;
        at[k] = (rn_vec3){p[0], p[1], p[2]};
    }
    return !rn_is_flat(at);
}

/* Returns the box (m) around the triangles that rn_sdf_mesh keeps, transformed without translation; low above high if
   there are none. Other triangles, and unused vertices, may lie anywhere. */
static rn_box box_around(const rn_mesh_file *mesh, double rows[3][4]) {
    rn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        rn_vec3 at[3];
        if (!transform_triangle(mesh, i, rows, at)) continue;
        for (int k = 0; k < 3; k++) {
            box.low = (rn_vec3){fmin(box.low.x, at[k].x), fmin(box.low.y, at[k].y), fmin(box.low.z, at[k].z)};
            box.high = (rn_vec3){fmax(box.high.x, at[k].x), fmax(box.high.y, at[k].y), fmax(box.high.z, at[k].z)};
        }
    }
    return box;
}

rn_result rn_mesh_place(const rn_mesh_file *mesh, const rn_mesh_values *values, const rn_shape_pose *pose,
                        const rn_shape_context *context, double rows[3][4]) {
    set_linear_part(mesh, values, pose, rows);
    for (int axis = 0; axis < 3; axis++) {
        rows[axis][3] = pose->at[axis];
        if (values->fit != 0 || values->centred) continue; /* the origin of the mesh makes no difference then */
        for (int k = 0; k < 3; k++) rows[axis][3] += rows[axis][k] * mesh->origin[k];
    }
    if (values->fit == 0 && !values->centred) return RN_OK;
    const rn_box box = box_around(mesh, rows);
    if (!(box.low.x <= box.high.x))
        return mesh->triangle_count == 1
                   ? rn_fail(RN_INVALID, "its only triangle has no area, so it cannot be fitted into the domain")
                   : rn_fail(RN_INVALID,
                             "none of its %lld triangles has an area, so it cannot be fitted into the domain",
                             (long long)mesh->triangle_count);
    const double length = box.high.x - box.low.x, width = box.high.y - box.low.y;
    double factor = 1;
    if (values->fit > 0) factor = values->fit * fmin(context->size[0] / length, context->size[1] / width);
    if (!(factor > 0 && isfinite(factor)))
        return rn_fail(RN_INVALID, "its plan, %g by %g m, cannot be fitted into the domain", length, width);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rows[i][j] *= factor;
    rows[0][3] += context->origin[0] + 0.5 * context->size[0] - factor * 0.5 * (box.low.x + box.high.x);
    rows[1][3] += context->origin[1] + 0.5 * context->size[1] - factor * 0.5 * (box.low.y + box.high.y);
    rows[2][3] -= factor * box.low.z;
    return RN_OK;
}

/* Logs as warnings the reader's own `warning` ("": none) and each fault of the mesh, with the name of the file. */
static void log_report(const rn_shape_context *context, const char *path, const char *warning,
                       const rn_mesh_report *report) {
    char line[512];
    if (warning[0]) rn_log(context->hooks, RN_LOG_WARNING, "%s: %s", path, warning);
    for (int i = 0; rn_mesh_report_line(report, i, line, sizeof line); i++)
        rn_log(context->hooks, RN_LOG_WARNING, "%s: %s", path, line);
}

/* Offers the scene a georeference without a coordinate system, for a mesh in the coordinates of a survey that was moved
   towards 0 but neither rotated nor stretched. rows: takes its positions to the scene. unit: that of the mesh (m). */
static rn_result offer_place(rn_shape_context *context, const rn_mesh_file *mesh, double rows[3][4], double unit) {
    const double size = rows[0][0];
    bool plain = size > 0 && (mesh->origin[0] != 0 || mesh->origin[1] != 0 || mesh->origin[2] != 0);
    rn_georeference g = {.scale = {1 / size, 1 / size}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) plain = plain && fabs(rows[i][j] - (i == j ? size : 0)) <= 1e-9 * fabs(size);
        g.origin[i] = mesh->origin[i] - rows[i][3] / size;
    }
    g.origin[2] *= size;
    return plain ? rn_georeference_offer(context, &g, size / unit) : RN_OK;
}

/* Returns the solid of a mesh in its final place, and logs its faults; the caller destroys it. The mesh stays the
   caller's. If the shape is the ground, offers its georeference and stores the report on the mesh in context->mesh. On
   failure returns NULL, with an error text that names the file `path`. */
static rn_sdf *build_solid(rn_shape_context *context, const rn_mesh_file *mesh, const rn_mesh_values *values,
                           const rn_shape_pose *pose, const char *path) {
    rn_mesh_solid_def def = rn_mesh_solid_default();
    rn_mesh_report report = {0};
    rn_sdf *shape = NULL;
    if (rn_mesh_place(mesh, values, pose, context, def.transform) == RN_OK &&
        offer_place(context, mesh, def.transform, metres_of(mesh, values)) == RN_OK) {
        def.positions = mesh->positions;
        def.indices = mesh->indices;
        def.vertex_count = mesh->vertex_count;
        def.triangle_count = mesh->triangle_count;
        def.meaning = (rn_mesh_meaning)values->as;
        def.thickness = values->thickness;
        def.join = values->join;
        def.spacing = values->spacing;
        def.threads = context->threads;
        if (context->hooks) def.hooks = *context->hooks;
        shape = rn_sdf_mesh(&def, &report);
    }
    if (shape) {
        if (context->is_ground) context->mesh = report;
        log_report(context, path, mesh->warning, &report);
        return shape;
    }
    char reason[512];
    snprintf(reason, sizeof reason, "%s", rn_last_error());
    rn_fail(RN_INVALID, "%s: %s", path, reason);
    return NULL;
}

rn_sdf *rn_shape_triangles(rn_shape_context *context, const rn_mesh_values *values, const rn_shape_pose *pose,
                           const rn_json_path *place, rn_triangle_reader read, const void *how) {
    const rn_json_path at = {place->document, place, "file", 0};
    char path[4096];
    rn_mesh_file mesh = {0};
    context->failure = rn_document_beside(&at, values->file, path, sizeof path);
    if (context->failure != RN_OK) return NULL;
    context->failure = read(how, path, &mesh);
    rn_sdf *shape = NULL;
    memcpy(context->mesh_origin, mesh.origin, sizeof mesh.origin);
    if (context->failure == RN_OK) {
        context->failure = RN_INVALID; /* the result if it fails from here on */
        shape = build_solid(context, &mesh, values, pose, path);
    }
    if (!shape) rn_document_pass(&at, context->failure);
    rn_mesh_file_free(&mesh);
    return shape;
}

/* Reads a mesh file, as an rn_triangle_reader; `how` is not used. Returns the result of rn_mesh_read. */
static rn_result read_mesh(const void *how, const char *path, rn_mesh_file *mesh) {
    (void)how;
    return rn_mesh_read(path, mesh);
}

rn_sdf *rn_shape_from_mesh(rn_shape_context *context, const rn_mesh_values *values, const rn_shape_pose *pose,
                           const rn_json_path *place) {
    return rn_shape_triangles(context, values, pose, place, read_mesh, NULL);
}
