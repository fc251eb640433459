#include "io/body_shape.h"

#include "base/error.h"
#include "base/memory.h"
#include "terrain/sdf.h"

#include <string.h>

static rn_vec3 vector(const double *v) { return (rn_vec3){v[0], v[1], v[2]}; }

/* From the largest of the four, so that nothing is divided by what is nearly 0. */
rn_quat rn_turn_of_degrees(rn_vec3 degrees) {
    const rn_placement placement = rn_pose_turned(degrees);
    const double(*m)[3] = placement.turn;
    const double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0) {
        const double s = 2 * sqrt(1 + trace);
        return (rn_quat){(m[2][1] - m[1][2]) / s, (m[0][2] - m[2][0]) / s, (m[1][0] - m[0][1]) / s, 0.25 * s};
    }
    const int i = m[0][0] > m[1][1] ? (m[0][0] > m[2][2] ? 0 : 2) : (m[1][1] > m[2][2] ? 1 : 2);
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double s = 2 * sqrt(1 + m[i][i] - m[j][j] - m[k][k]);
    double q[3];
    q[i] = 0.25 * s;
    q[j] = (m[j][i] + m[i][j]) / s;
    q[k] = (m[k][i] + m[i][k]) / s;
    return (rn_quat){q[0], q[1], q[2], (m[k][j] - m[j][k]) / s};
}

/* Which keys a type must have; of these keys it can have no others. */
static const char *const sizes[] = {"size", "radius", "length", "points", "file"};
enum { SIZE = 1, RADIUS = 2, LENGTH = 4, POINTS = 8, FILE_NAME = 16 };
static const int needed[] = {[RN_FORM_BOX] = SIZE,
                             [RN_FORM_SPHERE] = RADIUS,
                             [RN_FORM_CAPSULE] = RADIUS | LENGTH,
                             [RN_FORM_CYLINDER] = RADIUS | LENGTH,
                             [RN_FORM_HULL] = POINTS,
                             [RN_FORM_MESH] = FILE_NAME};

static rn_result check_keys(const json_t *object, const rn_form_values *values, const rn_place *place) {
    const char *type = json_string_value(json_object_get(object, "type"));
    for (int i = 0; i < 5; i++) {
        const bool given = json_object_get(object, sizes[i]) != NULL, wanted = needed[values->type] >> i & 1;
        const rn_place at = {place->document, place, sizes[i], 0};
        if (wanted && !given)
            return rn_document_fail(place, RN_INVALID, "has no \"%s\", which a %s needs", sizes[i], type);
        if (given && !wanted) return rn_document_fail(&at, RN_INVALID, "does not belong to a %s; leave it out", type);
    }
    return RN_OK;
}

static rn_result read_hull(const rn_form_values *values, const rn_place *place, rn_shape **shape) {
    const size_t count = json_array_size(values->points);
    const rn_place list = {place->document, place, "points", 0};
    float *points = rn_alloc(NULL, 3 * count, sizeof *points);
    if (!points) return RN_MEMORY;
    rn_result result = RN_OK;
    for (size_t i = 0; i < count && result == RN_OK; i++) {
        const json_t *row = json_array_get(values->points, i);
        const rn_place at = {place->document, &list, NULL, i};
        if (json_array_size(row) != 3)
            result = rn_document_fail(&at, RN_INVALID, "is a list of %zu; a point is [x, y, z]", json_array_size(row));
        for (size_t k = 0; k < 3 && result == RN_OK; k++)
            points[3 * i + k] = (float)(values->scale * json_number_value(json_array_get(row, k)));
    }
    if (result == RN_OK && !(*shape = rn_shape_hull(points, count))) result = rn_document_pass(&list, RN_INVALID);
    rn_free(NULL, points);
    return result;
}

static rn_result place_mesh(const rn_shape_context *context, const rn_form_values *values, rn_mesh_file *mesh,
                            rn_shape **shape) {
    const rn_shape_pose pose = {.scale = values->scale, .stretch = {1, 1, 1}};
    double rows[3][4];
    rn_result result = rn_mesh_place(mesh, &values->mesh, &pose, context, rows);
    if (result != RN_OK) return result;
    float *positions = rn_alloc(context->hooks, 3 * (size_t)mesh->vertex_count, sizeof *positions);
    if (!positions) return RN_MEMORY;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->positions + 3 * v;
        for (size_t k = 0; k < 3; k++)
            positions[3 * v + k] =
                (float)(rows[k][0] * (double)p[0] + rows[k][1] * (double)p[1] + rows[k][2] * (double)p[2] + rows[k][3]);
    }
    *shape = rn_shape_mesh(positions, mesh->vertex_count, mesh->indices, mesh->triangle_count, context->hooks);
    rn_free(context->hooks, positions);
    return *shape ? RN_OK : RN_INVALID;
}

static rn_result read_mesh(const rn_shape_context *context, const rn_form_values *values, const rn_place *place,
                           rn_shape **shape) {
    const rn_place at = {place->document, place, "file", 0};
    char path[4096];
    rn_mesh_file mesh = {0};
    rn_result result = rn_document_beside(&at, values->mesh.file, path, sizeof path);
    if (result != RN_OK) return result;
    result = rn_mesh_read(path, &mesh);
    if (result == RN_OK) result = place_mesh(context, values, &mesh, shape);
    rn_mesh_file_free(&mesh);
    return result == RN_OK ? RN_OK : rn_document_pass(&at, result);
}

/* As it is by its type, before it is turned and moved. */
static rn_result read_plain(const rn_shape_context *context, const json_t *object, const rn_form_values *values,
                            const rn_place *place, rn_shape **shape) {
    rn_result result = check_keys(object, values, place);
    if (result != RN_OK) return result;
    switch ((rn_body_form)values->type) {
    case RN_FORM_BOX: *shape = rn_shape_box(vector(values->size)); break;
    case RN_FORM_SPHERE: *shape = rn_shape_sphere(values->radius); break;
    case RN_FORM_CAPSULE: *shape = rn_shape_capsule(values->radius, values->length); break;
    case RN_FORM_CYLINDER: *shape = rn_shape_cylinder(values->radius, values->length); break;
    case RN_FORM_HULL: return read_hull(values, place, shape);
    case RN_FORM_MESH: return read_mesh(context, values, place, shape);
    }
    return *shape ? RN_OK : rn_document_pass(place, RN_INVALID);
}

/* Makes *whole of a shape, or adds it to what is there, turned and moved as it says; the shape is freed. */
static rn_result add(rn_shape **whole, rn_shape *part, const rn_form_values *values, const rn_place *place) {
    const rn_quat turn = rn_turn_of_degrees(vector(values->turn));
    rn_result result = RN_OK;
    if (*whole) result = rn_shape_add(*whole, part, vector(values->at), turn);
    else if (!(*whole = rn_shape_put(part, vector(values->at), turn))) result = RN_INVALID;
    rn_shape_destroy(part);
    return result == RN_OK ? RN_OK : rn_document_pass(place, result);
}

static rn_result read_parts(const rn_shape_context *context, const rn_form_values *values, const rn_place *place,
                            rn_shape **shape) {
    const rn_place list = {place->document, place, "parts", 0};
    rn_result result = RN_OK;
    for (size_t i = 0; i < json_array_size(values->parts) && result == RN_OK; i++) {
        const json_t *object = json_array_get(values->parts, i);
        const rn_place at = {place->document, &list, NULL, i};
        rn_form_values part = {0};
        rn_shape *plain = NULL;
        result = rn_document_object(object, &at);
        if (result == RN_OK) result = rn_table_read(&rn_part_table, object, &at, &part);
        if (result == RN_OK) result = read_plain(context, object, &part, &at, &plain);
        if (result == RN_OK) result = add(shape, plain, &part, &at);
    }
    return result;
}

rn_result rn_body_shape_read(const rn_shape_context *context, const json_t *object, const rn_form_values *values,
                             const rn_place *place, rn_shape **shape) {
    rn_shape *own = NULL, *whole = NULL;
    rn_result result;
    *shape = NULL;
    if (values->parts) result = read_parts(context, values, place, &own);
    else result = read_plain(context, object, values, place, &own);
    if (result == RN_OK) {
        result = add(&whole, own, values, place);
        own = NULL;
    }
    rn_shape_destroy(own);
    if (result == RN_OK) *shape = whole;
    else rn_shape_destroy(whole);
    return result;
}
