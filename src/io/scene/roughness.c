/* Friction of the ground in a scene (roughness.h). */
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

/* Reads the file of roughness; NAN where it has no value. `place`: that of "raster". The caller frees the map. */
static rn_result load_raster(const rn_rough_values *v, const rn_shape_context *shapes, const rn_json_path *place,
                             rn_heightmap *map) {
    char path[4096];
    rn_result result = rn_document_beside(place, v->raster, path, sizeof path);
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

/* Sets the map of the definition, which keeps pointing to `map`. Placed like a heightmap: from "origin" at its own
   spacing; with "fit", or if the spacing is unknown (0), stretched over the domain. */
static void lay_out(const rn_rough_values *v, const rn_heightmap *map, rn_roughness_def *def) {
    def->map = map->heights;
    def->map_x = map->width;
    def->map_y = map->height;
    if (v->fit) return;
    def->map_spacing_x = map->spacing_x;
    def->map_spacing_y = map->spacing_y > 0 ? map->spacing_y : map->spacing_x;
    def->map_origin_x = v->origin[0];
    def->map_origin_y = v->origin[1];
}

rn_result rn_scene_roughen(rn_world *world, rn_shape_context *shapes, const json_t *object, const rn_json_path *place) {
    rn_rough_values v = {.nodata = NAN};
    rn_result result = rn_table_read(&rn_rough_table, object, place, &v);
    if (result != RN_OK) return result;
    rn_roughness_def def = rn_roughness_default();
    def.law = json_object_get(object, "manning") ? RN_FRICTION_MANNING
              : json_object_get(object, "chezy") ? RN_FRICTION_CHEZY
              : v.raster                         ? (rn_friction_law)v.values
                                                 : RN_FRICTION_LINEAR;
    def.value = def.law == RN_FRICTION_MANNING ? v.manning : def.law == RN_FRICTION_CHEZY ? v.chezy : v.friction;
    rn_sdf *region = NULL;
    rn_heightmap map = {0};
    rn_json_path in_at = {place->document, place, "in", 0}, raster_at = {place->document, place, "raster", 0};
    if (v.in) result = rn_shape_read(shapes, v.in, &in_at, &region);
    if (result == RN_OK && v.raster) result = load_raster(&v, shapes, &raster_at, &map);
    if (result == RN_OK) {
        if (v.raster) lay_out(&v, &map, &def);
        def.region = region;
        result = rn_world_set_roughness(world, &def);
        if (result != RN_OK) rn_document_pass(v.raster && result == RN_INVALID ? &raster_at : place, result);
    }
    rn_heightmap_free(&map);
    rn_sdf_destroy(region);
    return result;
}
