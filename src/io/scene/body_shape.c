/* Reads the shapes of bodies (body_shape.h): tables of their keys, then functions that build them. Failures leave the
   reason and the place in the scene in rn_last_error(). */
#include "io/scene/body_shape.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/scene/shapes.h"
#include "terrain/sdf.h"

#include <string.h>

/* The cost of adding a part grows with the whole shape: these limits stop hostile files early. */
enum { DEEPEST_NEST = 8, MOST_PARTS = 256 };

static rn_vec3 vector(const double *v) { return (rn_vec3){v[0], v[1], v[2]}; }

/* ---- Types ---- */

#define LENGTH             RN_ABOVE_TO(0, 1e6)
#define AT(member)         offsetof(rn_form_values, member)
#define METRES(name, text) #name, RN_KEY_NUMBER, AT(name), LENGTH, .required = true, .unit = "m", .meaning = text
#define SCALE              "scale", RN_KEY_NUMBER, AT(scale), LENGTH, .otherwise = "1", .meaning = "factor on all sizes"

static const char *type_name(int index);

static const rn_key common_keys[] = {
    {"type", RN_KEY_TEXT, AT(type), .required = true, .names = type_name, .meaning = "kind of shape"},
    {"at", RN_KEY_NUMBER, AT(at), RN_ANY, .length = 3, .otherwise = "[0, 0, 0]", .unit = "m",
     .meaning = "position in the body, applied after the rotation"},
    {"turn", RN_KEY_NUMBER, AT(turn), RN_WITHIN(-3600, 3600), .length = 3, .otherwise = "[0, 0, 0]", .unit = "degrees",
     .meaning = "rotation in the body about the x, then the y, then the z axis"},
    {"colour", RN_KEY_NUMBER, AT(colour), RN_WITHIN(0, 1), .length = 3, .otherwise = "[0, 0, 0]",
     .meaning = "linear RGB of its parts that have no colour of their own; all 0: the colour of the body"},
};
static const rn_table common_table = {RN_TABLE("form", "Keys of every shape of a body", common_keys, NULL)};

static const rn_key box_keys[] = {
    {"size", RN_KEY_NUMBER, AT(size), LENGTH, .length = 3, .required = true, .unit = "m", .meaning = "full sizes"},
};
static const rn_key sphere_keys[] = {
    {METRES(radius, "radius")},
};
static const rn_key capsule_keys[] = {
    {METRES(radius, "radius")},
    {METRES(length, "distance between the centres of its ends, along z")},
};
static const rn_key cylinder_keys[] = {
    {METRES(radius, "radius")},
    {METRES(length, "full length, along z")},
};
static const rn_key hull_keys[] = {
    {"points", RN_KEY_ROWS, AT(points), RN_WITHIN(-1e6, 1e6), .length = 3, .least = 4, .required = true, .unit = "m",
     .meaning = "[x, y, z] of each point"},
    {SCALE},
};
static const rn_key mesh_keys[] = {
    {"file", RN_KEY_TEXT, AT(mesh.file), .required = true,
     .meaning = "OBJ, STL, PLY, glTF or another kind that assimp reads, relative to the scene file; it must be closed"},
    {"unit", RN_KEY_CHOICE, AT(mesh.unit), .otherwise = "auto", .choices = rn_mesh_units,
     .meaning = "unit of the numbers in the file; auto: as its format says, else m"},
    {"up", RN_KEY_CHOICE, AT(mesh.up), .otherwise = "auto", .choices = rn_mesh_ups,
     .meaning = "the direction in the file that becomes z; auto: as its format says, else z"},
    {SCALE},
};
static const rn_key parts_keys[] = {
    {"of", RN_KEY_FORMS, AT(of), .least = 1, .required = true,
     .meaning = "its parts, each with its own position; overlaps count twice"},
};

#define TYPE(title, text, rows, sample)                                                                                \
    { RN_TABLE(title, text, rows, &common_table), .example = "{\"type\": \"" title "\", " sample "}" }

enum { BOX, SPHERE, CAPSULE, CYLINDER, HULL, MESH, PARTS, TYPES };

static const rn_table types[TYPES] = {
    [BOX] = TYPE("box", "a box", box_keys, "\"size\": [1.2, 0.8, 0.6]"),
    [SPHERE] = TYPE("sphere", "a ball", sphere_keys, "\"radius\": 0.3"),
    [CAPSULE] = TYPE("capsule", "a rod with round ends", capsule_keys,
                     "\"radius\": 0.1, \"length\": 0.8, \"turn\": [0, 90, 0]"),
    [CYLINDER] = TYPE("cylinder", "a cylinder", cylinder_keys, "\"radius\": 0.3, \"length\": 0.9"),
    [HULL] = TYPE("hull", "the convex hull of points", hull_keys,
                  "\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 0.8]]"),
    [MESH] =
        TYPE("mesh", "the triangles of a file", mesh_keys, "\"file\": \"part.stl\", \"unit\": \"mm\", \"up\": \"y\""),
    [PARTS] =
        TYPE("parts", "several shapes that are one body", parts_keys,
             "\"of\": [{\"type\": \"box\", \"size\": [2, 1, 0.5]}, {\"type\": \"sphere\", \"radius\": 0.3, \"at\": [0, "
             "0, 0.55]}]"),
};

/* Returns the table of a type, or NULL past the last. */
static const rn_table *table_at(int index) { return index >= 0 && index < TYPES ? &types[index] : NULL; }
static const char *type_name(int index) { return index >= 0 && index < TYPES ? types[index].name : NULL; }

const rn_family rn_form_family = {"form", "a closed shape of a body, by its type", "body-", "\"box\" or \"sphere\"",
                                  table_at};

/* ---- Building ---- */

/* Makes *shape the convex hull of "points", which are multiplied by "scale". Returns RN_INVALID if they lie in one
   plane or the like. */
static rn_result read_hull(const rn_form_values *values, const rn_json_path *place, rn_shape **shape) {
    const size_t count = json_array_size(values->points);
    const rn_json_path list = {place->document, place, "points", 0};
    float *points = rn_alloc(NULL, 3 * count, sizeof *points);
    if (!points) return RN_MEMORY;
    for (size_t i = 0; i < 3 * count; i++)
        points[i] =
            (float)(values->scale * json_number_value(json_array_get(json_array_get(values->points, i / 3), i % 3)));
    *shape = rn_shape_hull(points, count);
    rn_free(NULL, points);
    return *shape ? RN_OK : rn_document_pass(&list, RN_INVALID);
}

/* Creates *shape from the mesh of a file, converted to metres, with z up, and scaled; not yet rotated and moved by
   "turn" and "at". The mesh stays the caller's. The error text does not name the place yet. */
static rn_result shape_from_mesh(rn_shape_context *context, const rn_form_values *values, rn_mesh_file *mesh,
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

/* Creates *shape from the mesh file named in "file"; the mesh must be closed. */
static rn_result read_mesh(rn_shape_context *context, const rn_form_values *values, const rn_json_path *place,
                           rn_shape **shape) {
    const rn_json_path at = {place->document, place, "file", 0};
    char path[4096];
    rn_mesh_file mesh = {0};
    rn_result result = rn_document_beside(&at, values->mesh.file, path, sizeof path);
    if (result != RN_OK) return result;
    result = rn_mesh_read(path, &mesh);
    if (result == RN_OK) result = shape_from_mesh(context, values, &mesh, shape);
    rn_mesh_file_free(&mesh);
    return result == RN_OK ? RN_OK : rn_document_pass(&at, result);
}

static rn_result read_form(rn_shape_context *context, const json_t *object, const rn_json_path *place, int depth,
                           rn_shape **shape);

/* Adds a part, where it is, to *whole, or makes it the whole if that is NULL. Takes over the part, also on failure. */
static rn_result join_part(rn_shape **whole, rn_shape *part, const rn_json_path *place) {
    if (!*whole) {
        *whole = part;
        return RN_OK;
    }
    const rn_result result = rn_shape_add(*whole, part, (rn_vec3){0, 0, 0}, (rn_quat){0, 0, 0, 1});
    rn_shape_destroy(part);
    return result == RN_OK ? RN_OK : rn_document_pass(place, result);
}

/* Joins all shapes of "of" in *shape, which must be NULL and which the caller destroys, also after a failure. depth:
   nesting level of the list's owner. Returns RN_LIMIT if there are too many. */
static rn_result read_parts(rn_shape_context *context, const rn_form_values *values, const rn_json_path *place,
                            int depth, rn_shape **shape) {
    const rn_json_path list = {place->document, place, "of", 0};
    if (json_array_size(values->of) > MOST_PARTS)
        return rn_document_fail(&list, RN_LIMIT, "is a list of %zu; at most %d parts are allowed",
                                json_array_size(values->of), MOST_PARTS);
    rn_result result = RN_OK;
    for (size_t i = 0; i < json_array_size(values->of) && result == RN_OK; i++) {
        const rn_json_path at = {place->document, &list, NULL, i};
        rn_shape *part = NULL;
        result = read_form(context, json_array_get(values->of, i), &at, depth + 1, &part);
        if (result == RN_OK) result = join_part(shape, part, &at);
    }
    return result;
}

/* Creates *shape of a type (index in `types`), before it is rotated, moved and painted. *shape must be NULL; the caller
   destroys it, also after a failure. */
static rn_result read_plain(rn_shape_context *context, int type, const rn_form_values *values,
                            const rn_json_path *place, int depth, rn_shape **shape) {
    switch (type) {
    case BOX: *shape = rn_shape_box(vector(values->size)); break;
    case SPHERE: *shape = rn_shape_sphere(values->radius); break;
    case CAPSULE: *shape = rn_shape_capsule(values->radius, values->length); break;
    case CYLINDER: *shape = rn_shape_cylinder(values->radius, values->length); break;
    case HULL: return read_hull(values, place, shape);
    case MESH: return read_mesh(context, values, place, shape);
    default: return read_parts(context, values, place, depth, shape);
    }
    return *shape ? RN_OK : rn_document_pass(place, RN_INVALID);
}

/* Reads a shape of a body, rotated, moved and painted, and counts it in context->shapes; depth: nesting level, 0
   outermost. On success the caller destroys *shape; after a failure *shape is not changed, or NULL. */
static rn_result read_form(rn_shape_context *context, const json_t *object, const rn_json_path *place, int depth,
                           rn_shape **shape) {
    rn_form_values values = {0};
    rn_shape *plain = NULL;
    rn_result result = rn_document_object(object, place);
    if (result == RN_OK && depth > DEEPEST_NEST)
        result = rn_document_fail(place, RN_LIMIT, "is nested more than %d shapes deep", DEEPEST_NEST);
    if (result == RN_OK) result = rn_shape_count(context, place);
    if (result != RN_OK) return result;
    const int type = rn_family_find(&rn_form_family, object, place);
    if (type < 0) return RN_INVALID;
    result = rn_table_read(&types[type], object, place, &values);
    if (result == RN_OK) result = read_plain(context, type, &values, place, depth, &plain);
    if (result == RN_OK) {
        *shape = rn_shape_transform(plain, vector(values.at), rn_quat_from_degrees(vector(values.turn)));
        if (!*shape) result = rn_document_pass(place, RN_INVALID);
        else rn_shape_paint(*shape, vector(values.colour));
    }
    rn_shape_destroy(plain);
    return result;
}

rn_result rn_body_shape_read(rn_shape_context *context, const json_t *object, const rn_json_path *place,
                             rn_shape **shape) {
    *shape = NULL;
    return read_form(context, object, place, 0, shape);
}
