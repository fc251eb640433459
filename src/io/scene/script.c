/* Solids that a scene moves by scripts (script.h). Failures leave the reason in rn_last_error(). */
#include "io/scene/script.h"

#include "base/memory.h"
#include "io/scene/flows.h"
#include "terrain/sdf.h"
#include "world/series.h"

#include <string.h>

enum { MOST_STROKES = 16 }; /* most positions per frame at which a brush is applied */

rn_result rn_waypoints_read(const json_t *list, rn_waypoint **out, int *count) {
    if (!list) return RN_OK;
    *count = (int)json_array_size(list);
    *out = rn_alloc(NULL, (size_t)*count, sizeof **out);
    if (!*out) return RN_MEMORY;
    for (int i = 0; i < *count; i++) {
        const json_t *point = json_array_get(list, (size_t)i);
        double v[4];
        for (size_t k = 0; k < 4; k++) v[k] = json_number_value(json_array_get(point, k));
        (*out)[i] = (rn_waypoint){v[0], {v[1], v[2], v[3]}};
    }
    return RN_OK;
}

/* Reads the file that deforms the mesh ("cache", or the mesh file itself) into script->motion and allocates
   script->positions. Returns RN_INVALID if the shape is no mesh, the solid is a brush, or both "cache" and "animation"
   are given; otherwise the results of reading the file. The caller frees the script after a failure. */
static rn_result read_motion(const rn_solid_values *values, const rn_json_path *place, rn_script *script) {
    const bool cached = values->cache[0] != 0;
    const rn_json_path at = {place->document, place, cached ? "cache" : "animation", 0};
    const char *type = json_string_value(json_object_get(values->shape, "type"));
    const char *file = json_string_value(json_object_get(values->shape, "file"));
    char path[4096];
    if (!type || strcmp(type, "mesh") != 0 || !file)
        return rn_document_fail(&at, RN_INVALID, "needs a mesh; the \"shape\" is %s", type ? type : "another");
    if (cached && values->animation)
        return rn_document_fail(&at, RN_INVALID, "and \"animation\" cannot both bend a mesh; leave out one of them");
    if (values->lasting) return rn_document_fail(&at, RN_INVALID, "cannot bend a brush; leave out \"lasting\" or this");
    rn_result result = rn_document_beside(&at, cached ? values->cache : file, path, sizeof path);
    if (result != RN_OK) return result;
    result = rn_motion_read(path, values->fps, &script->motion);
    if (result != RN_OK) return rn_document_pass(&at, result);
    script->positions = rn_alloc(NULL, rn_motion_vertex_count(script->motion), 3 * sizeof *script->positions);
    return script->positions ? RN_OK : RN_MEMORY;
}

rn_result rn_script_read(rn_shape_context *shapes, const json_t *object, const rn_json_path *place, rn_script *script) {
    rn_solid_values values = {0};
    rn_json_path shape_at = {place->document, place, "shape", 0};
    rn_result result = rn_table_read(&rn_solid_table, object, place, &values);
    if (result == RN_OK) result = rn_flows_times(place, values.start, values.stop);
    *script = (rn_script){.solid = -1,
                          .carve = values.carve,
                          .lasting = values.lasting,
                          .start = values.start,
                          .stop = values.stop,
                          .speed = values.speed,
                          .loop = values.loop};
    if (result == RN_OK) result = rn_shape_read(shapes, values.shape, &shape_at, &script->shape);
    memcpy(script->origin, shapes->mesh_origin, sizeof script->origin);
    if (result == RN_OK && values.lasting) {
        script->shape = rn_sdf_mount(script->shape);
        if (!script->shape) result = rn_document_pass(&shape_at, RN_MEMORY);
    }
    if (result == RN_OK) result = rn_waypoints_read(values.path, &script->path, &script->path_count);
    if (result == RN_OK) result = rn_waypoints_read(values.turns, &script->turns, &script->turn_count);
    if (result == RN_OK && (values.animation || values.cache[0])) result = read_motion(&values, place, script);
    if (result != RN_OK) rn_script_free(script);
    return result;
}

void rn_script_free(rn_script *script) {
    rn_sdf_destroy(script->shape);
    rn_free(NULL, script->path);
    rn_free(NULL, script->turns);
    rn_free(NULL, script->positions);
    rn_motion_free(script->motion);
    *script = (rn_script){.solid = -1};
}

/* Returns the position (m) of a solid at a time (s); 0 without a path. */
static rn_vec3 position_at(const rn_script *script, double time) {
    return script->path ? rn_path_at(script->path, script->path_count, time) : (rn_vec3){0, 0, 0};
}

/* Returns the rotation of a solid at a time (s); without "turns" a quaternion of zeros, which stands for no
   rotation. */
static rn_quat rotation_at(const rn_script *script, double time) {
    if (!script->turns) return (rn_quat){0};
    return rn_quat_from_degrees(rn_path_at(script->turns, script->turn_count, time));
}

/* However it is rotated, a shape extends at most as far from its origin as its farthest corner. */
double rn_script_depth(const rn_script *script) {
    if (!script->carve || !script->shape) return INFINITY;
    const rn_box box = rn_sdf_bounds(script->shape);
    double reach = -box.low.z, lowest = 0.0;
    if (script->turns)
        reach = rn_length3(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)),
                           fmax(fabs(box.low.z), fabs(box.high.z)));
    for (int i = 0; i < script->path_count; i++)
        lowest = i == 0 ? script->path[i].at.z : fmin(lowest, script->path[i].at.z);
    return isfinite(reach) ? lowest - reach : INFINITY;
}

/* Whether a solid is present at a time (s): from start until before stop; a stop of 0 means never. */
static bool is_present(const rn_script *script, double time) {
    return time >= script->start && (script->stop == 0.0 || time < script->stop);
}

/* Deforms the script's solid in the world as its animation is at a time (s); before its start as it is at first. Does
   nothing without an animation. Overwrites script->positions. */
static rn_result deform_solid(rn_script *script, rn_world *world, double time) {
    if (!script->motion) return RN_OK;
    rn_motion_sample(script->motion, script->speed * fmax(time - script->start, 0.0), script->loop, script->positions);
    for (size_t i = 0; i < 3 * (size_t)rn_motion_vertex_count(script->motion); i++)
        script->positions[i] = (float)((double)script->positions[i] - script->origin[i % 3]);
    return rn_world_deform_solid(world, script->solid, script->positions, rn_motion_vertex_count(script->motion));
}

rn_result rn_script_begin(rn_script *script, rn_world *world) {
    if (script->lasting) return RN_OK;
    rn_solid_def def = {.shape = script->shape,
                        .carve = script->carve,
                        .at = position_at(script, 0.0),
                        .turn = rotation_at(script, 0.0),
                        .hidden = !is_present(script, 0.0)};
    script->shape = NULL;
    script->solid = rn_world_add_solid(world, &def);
    return script->solid < 0 ? RN_INVALID : deform_solid(script, world, 0.0);
}

rn_result rn_script_resume(rn_script *script, rn_world *world, double time) {
    return script->lasting ? RN_OK : deform_solid(script, world, time);
}

/* Adds or carves the brush's shape in the world once, at its position at a time (s); does nothing if it is not present
   then. */
static rn_result apply_brush(const rn_script *script, rn_world *world, double time) {
    if (!is_present(script, time)) return RN_OK;
    if (!rn_sdf_place(script->shape, position_at(script, time), rotation_at(script, time))) return RN_INVALID;
    return rn_world_sculpt(world, script->shape, script->carve);
}

rn_result rn_script_step(rn_script *script, rn_world *world, double from, double to) {
    if (!script->lasting) {
        rn_result result = rn_world_show_solid(world, script->solid, is_present(script, to));
        if (result == RN_OK) result = deform_solid(script, world, to);
        if (result != RN_OK) return result;
        return rn_world_move_solid(world, script->solid, position_at(script, to), rotation_at(script, to));
    }
    const rn_vec3 way = rn_minus(position_at(script, to), position_at(script, from));
    const double cells = rn_length3(way.x, way.y, way.z) / rn_world_describe(world).cell_size;
    const int strokes = cells < 1.0 ? 1 : cells < MOST_STROKES ? (int)ceil(cells) : MOST_STROKES;
    rn_result result = RN_OK;
    for (int i = 1; i <= strokes && result == RN_OK; i++)
        result = apply_brush(script, world, i == strokes ? to : from + (to - from) * i / strokes);
    return result;
}
