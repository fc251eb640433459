/* Friction and contact angles of the ground in a scene (roughness.h). Failures leave the reason and the place in
   rn_last_error(). */
#include "io/scene/roughness.h"

#include "io/scene/shapes.h"

#include <string.h>

/* s/m^(1/3), for natural ground (Chow 1959: 0.025 to 0.035 for short grass and clean earth). */
static const double natural_ground = 0.03;

/* m, size of a cell: with smaller ones, a map of heights is a model on a table, not a landscape. */
static const double landscape_cell = 0.5;

bool rn_scene_knows_manning(int model) { return model == RN_MODEL_PHYSICAL; }

/* Whether a shape, or one within it, is a heightmap or noise. Recursive: the JSON reader limits the depth. */
static bool has_terrain(const json_t *value) {
    const char *type = json_string_value(json_object_get(value, "type")), *key;
    json_t *inner;
    size_t index;
    if (type && (strcmp(type, "heightmap") == 0 || strcmp(type, "noise") == 0)) return true;
    json_array_foreach(value, index, inner) if (has_terrain(inner)) return true;
    json_object_foreach((json_t *)value, key, inner) if (has_terrain(inner)) return true;
    return false;
}

double rn_scene_manning(const json_t *solid, double cell) {
    return cell >= landscape_cell && has_terrain(solid) ? natural_ground : 0.0;
}

void rn_scene_friction(const json_t *root, const rn_scene_values *values, rn_world_def *def) {
    const bool kept = json_object_get(root, "friction"), manning = json_object_get(root, "manning"),
               chezy = json_object_get(root, "chezy");
    def->manning = values->manning;
    def->chezy = values->chezy;
    if (!kept && !manning && !chezy && rn_scene_knows_manning(values->model))
        def->manning = rn_scene_manning(values->solid, values->grid.cell);
    def->friction = !kept && (def->manning > 0 || manning || chezy) ? 1.0 : values->friction;
}

/* Reads the file of a raster into *map, which must be 0 and which the caller frees, also after a failure. NaN where the
   file has no value. */
static rn_result load_raster(const rn_raster_values *v, const rn_shape_context *shapes, const rn_json_path *place,
                             rn_heightmap *map) {
    char path[4096];
    rn_result result = rn_document_beside(place, v->file, path, sizeof path);
    if (result != RN_OK) return result;
    rn_heightmap_def def = rn_heightmap_default();
    def.path = path;
    def.low = v->low;
    def.high = v->high;
    def.spacing = v->spacing;
    for (int i = 0; i < 4; i++) def.crop[i] = v->crop[i];
    def.nodata = v->nodata;
    def.missing = RN_MISSING_NAN;
    if (shapes->hooks) def.hooks = *shapes->hooks;
    result = rn_heightmap_read(&def, map);
    return result == RN_OK ? RN_OK : rn_document_pass(place, result);
}

/* A region and a raster of the ground, as read from a scene. */
typedef struct ground_part {
    rn_sdf *region;   /* NULL: all ground */
    rn_heightmap map; /* no heights: no raster */
    double spacing[2], origin[2];
    rn_json_path place, raster_at; /* for messages */
} ground_part;

/* Reads the region `in` (NULL: none) and a raster (without a file: none) into *part, which end_part frees, also after a
   failure. A raster is placed like a heightmap: from "origin" at its own spacing; with "fit", or if the spacing is
   unknown (0), stretched over the domain. */
static rn_result read_part(const json_t *in, const rn_raster_values *raster, rn_shape_context *shapes,
                           const rn_json_path *place, ground_part *part) {
    const rn_json_path in_at = {place->document, place, "in", 0};
    *part = (ground_part){.place = *place, .raster_at = {place->document, place, "raster", 0}};
    rn_result result = in ? rn_shape_read(shapes, in, &in_at, &part->region) : RN_OK;
    if (result != RN_OK || !raster->file) return result;
    result = load_raster(raster, shapes, &part->raster_at, &part->map);
    if (result != RN_OK || raster->fit) return result;
    part->spacing[0] = part->map.spacing_x;
    part->spacing[1] = part->map.spacing_y > 0 ? part->map.spacing_y : part->map.spacing_x;
    part->origin[0] = raster->origin[0];
    part->origin[1] = raster->origin[1];
    return RN_OK;
}

/* Frees a part and returns `result`. `refused`: the world has refused the part; its place in the scene is then added to
   the error text. */
static rn_result end_part(ground_part *part, bool refused, rn_result result) {
    if (refused) rn_document_pass(part->map.heights && result == RN_INVALID ? &part->raster_at : &part->place, result);
    rn_heightmap_free(&part->map);
    rn_sdf_destroy(part->region);
    return result;
}

rn_result rn_scene_roughen(rn_world *world, rn_shape_context *shapes, const json_t *object, const rn_json_path *place) {
    rn_rough_values v = {.raster.nodata = NAN};
    rn_result result = rn_table_read(&rn_rough_table, object, place, &v);
    if (result != RN_OK) return result;
    rn_roughness_def def = rn_roughness_default();
    def.law = json_object_get(object, "manning") ? RN_FRICTION_MANNING
              : json_object_get(object, "chezy") ? RN_FRICTION_CHEZY
              : v.raster.file                    ? (rn_friction_law)v.values
                                                 : RN_FRICTION_LINEAR;
    def.value = def.law == RN_FRICTION_MANNING ? v.manning : def.law == RN_FRICTION_CHEZY ? v.chezy : v.friction;
    ground_part part;
    result = read_part(v.in, &v.raster, shapes, place, &part);
    if (result != RN_OK) return end_part(&part, false, result);
    def.region = part.region;
    def.map = part.map.heights;
    def.map_x = part.map.width, def.map_y = part.map.height;
    def.map_spacing_x = part.spacing[0], def.map_spacing_y = part.spacing[1];
    def.map_origin_x = part.origin[0], def.map_origin_y = part.origin[1];
    result = rn_world_set_roughness(world, &def);
    return end_part(&part, result != RN_OK, result);
}

rn_result rn_scene_wet(rn_world *world, rn_shape_context *shapes, const json_t *object, const rn_json_path *place) {
    rn_wetting_values v = {.raster.nodata = NAN, .receding_angle = NAN};
    rn_result result = rn_table_read(&rn_wetting_table, object, place, &v);
    if (result != RN_OK) return result;
    rn_wetting_def def = rn_wetting_default();
    if (!v.raster.file) def.contact_angle = v.contact_angle;
    def.receding_angle = v.receding_angle;
    ground_part part;
    result = read_part(v.in, &v.raster, shapes, place, &part);
    if (result != RN_OK) return end_part(&part, false, result);
    def.region = part.region;
    def.map = part.map.heights;
    def.map_x = part.map.width, def.map_y = part.map.height;
    def.map_spacing_x = part.spacing[0], def.map_spacing_y = part.spacing[1];
    def.map_origin_x = part.origin[0], def.map_origin_y = part.origin[1];
    result = rn_world_set_wetting(world, &def);
    return end_part(&part, result != RN_OK, result);
}
