/* Reads the shape "heightmap" (shape_map.h). Failures leave the reason in rn_last_error(). */
#include "io/scene/shape_map.h"

#include "base/error.h"
#include "io/read/raster.h"
#include "io/scene/georeference.h"
#include "io/scene/map.h"

#include <math.h>
#include <string.h>

/* As for pictures: a gigabyte of heights. */
enum { LARGEST_MAP = 1 << 28 };

/* Reads the heights into *map, which must be 0: from rows in the scene, or from a file. `place`: that of the key with
   them, which a failure names. The caller frees the map, also after a failure. */
static rn_result load_heights(rn_shape_context *context, const rn_map_values *v, const rn_json_path *place,
                              rn_heightmap *map) {
    if (!v->file) return rn_map_rows(v->heights, place, map);
    char path[4096];
    rn_result result = rn_document_beside(place, v->file, path, sizeof path);
    if (result != RN_OK) return result;
    rn_heightmap_def def = rn_heightmap_default();
    def.path = path;
    def.low = v->low;
    def.high = v->high;
    def.grey_level = v->grey_level;
    def.spacing = v->spacing;
    for (int i = 0; i < 4; i++) def.crop[i] = v->crop[i];
    def.resample = v->resample;
    def.nodata = v->nodata;
    def.missing = (rn_missing)v->missing;
    if (context->hooks) def.hooks = *context->hooks;
    result = rn_heightmap_read(&def, map);
    return result == RN_OK ? RN_OK : rn_document_pass(place, result);
}

/* Resamples rows so that heights are as far apart along y as along x: `spacing` (m), over size_y (m), with 1 to 65536
   rows. Returns RN_LIMIT if there would be too many heights, or RN_MEMORY if memory runs out. The error text does not
   name a place. */
static rn_result make_square(rn_heightmap *map, double spacing, double size_y) {
    double wanted = rint(size_y / spacing);
    int height = wanted < 1 ? 1 : wanted > 65536 ? 65536 : (int)wanted;
    if (height == map->height) return RN_OK;
    if ((int64_t)map->width * height > LARGEST_MAP)
        return rn_fail(RN_LIMIT, "%d by %d heights are more than the %d allowed; give \"spacing\", or fewer in a row",
                       map->width, height, LARGEST_MAP);
    return rn_heightmap_resize(map, map->width, height, 1, (double)map->height / height);
}

/* Multiplies heights above the lowest by `rise`; moves the lowest to 0 if
   "datum" says so, and otherwise leaves it where it is. Returns how far it was moved down (m). */
static double scale_heights(const rn_map_values *v, double rise, rn_heightmap *map) {
    const size_t count = (size_t)map->width * (size_t)map->height;
    if (rise == 1 && v->datum == RN_DATUM_FILE) return 0;
    float low = INFINITY;
    for (size_t i = 0; i < count; i++) low = fminf(low, map->heights[i]);
    const double bottom = v->datum == RN_DATUM_LOWEST ? 0 : (double)low;
    for (size_t i = 0; i < count; i++)
        map->heights[i] = (float)(bottom + rise * ((double)map->heights[i] - (double)low));
    return (double)low - bottom;
}

/* The position of the south-west height, the distance between heights, how far they were moved down (m), and the factor
   by which they were multiplied. */
typedef struct layout {
    double x, y, spacing, lowered, rise;
} layout;

/* Sets size (m) to that of a map, whose heights are `own` m apart along x. */
static void measure(const rn_heightmap *map, double own, double size[2]) {
    size[0] = own * map->width;
    size[1] = (map->spacing_y > 0 ? map->spacing_y : own) * map->height;
}

/* Sets size (m) to that of the file which another one replaces. Returns false if it cannot be read, or does not say. */
static bool measure_replaced(const rn_shape_context *context, const rn_map_values *v, const rn_json_path *place,
                             double size[2]) {
    rn_shape_context quiet = *context;
    rn_map_values values = *v;
    rn_heightmap map = {0};
    quiet.hooks = NULL; /* warnings are of no interest */
    values.file = context->replaced;
    const bool known = context->replaced[0] && load_heights(&quiet, &values, place, &map) == RN_OK && map.spacing_x > 0;
    if (known) measure(&map, map.spacing_x, size);
    rn_heightmap_free(&map);
    return known;
}

/* Whether two maps have about the same size (m). */
static bool are_alike(const double a[2], const double b[2]) {
    static const double likeness = 1.25;
    return a[0] < likeness * b[0] && b[0] < likeness * a[0] && a[1] < likeness * b[1] && b[1] < likeness * a[1];
}

/* Returns RN_INVALID if a file that takes the place of the scene's own has neither the size of that file nor that of
   the domain, within 25 %: the rest of the scene would not fit it. own: the distance between the heights of `map`
   (m). */
static rn_result check_size(const rn_shape_context *context, const rn_map_values *v, const rn_json_path *place,
                            const rn_heightmap *map, double own) {
    double size[2], wanted[2];
    measure(map, own, size);
    if (are_alike(size, context->size)) return RN_OK;
    const bool known = measure_replaced(context, v, place, wanted);
    if (known && are_alike(size, wanted)) return RN_OK;
    if (!known) memcpy(wanted, context->size, sizeof wanted);
    return rn_fail(RN_INVALID,
                   "%s: is %.4g by %.4g m, but the %s of this scene is %.4g by %.4g m, and its sources, fills and "
                   "cameras are made for that; \"runnel inspect %s\" makes a scene of the right size. To stretch it "
                   "over the domain all the same, give the shape \"fit\": true and the \"spacing\" that its heights "
                   "should have there, such as %.3g",
                   context->geometry, size[0], size[1], known ? "terrain" : "domain", wanted[0], wanted[1],
                   context->geometry, context->size[0] / map->width);
}

/* Offers the scene a georeference, if the map has coordinates. The map covers a rectangle of `width` by `height`, in
   units of its coordinate system. Returns the result of rn_georeference_offer. */
static rn_result offer_place(rn_shape_context *context, const rn_heightmap *map, const layout *at, double width,
                             double height) {
    if (!(map->units_x > 0 && map->units_y > 0)) return RN_OK;
    const double scale_x = width / (at->spacing * map->width), scale_y = height / (at->spacing * map->height);
    const rn_georeference georeference = {.crs = map->crs,
                                          .origin = {map->west - scale_x * (at->x - 0.5 * at->spacing),
                                                     map->south - scale_y * (at->y - 0.5 * at->spacing), at->lowered},
                                          .scale = {scale_x, scale_y}};
    return rn_georeference_offer(context, &georeference, at->rise);
}

/* Finds the layout of the map: at its own spacing from "origin", or, with "fit" or without a spacing, stretched over
   the domain. Scales the heights of the map and makes its spacing the same along both axes. Returns RN_INVALID if
   check_size refuses a file that replaces another, otherwise the result of make_square. */
static rn_result lay_out(const rn_shape_context *context, const rn_map_values *v, const rn_json_path *place,
                         rn_heightmap *map, layout *to) {
    const double own = v->spacing > 0 && map->spacing_x == 0 ? v->spacing : map->spacing_x;
    const bool replaced = context->geometry && v->file && strcmp(v->file, context->geometry) == 0;
    const bool stretched = v->fit && v->spacing > 0; /* on purpose */
    if (own > 0 && replaced && !stretched) {
        const rn_result fits = check_size(context, v, place, map, own);
        if (fits != RN_OK) return fits;
    }
    if (own > 0 && !v->fit) {
        const double size_y = (map->spacing_y > 0 ? map->spacing_y : own) * map->height;
        *to = (layout){v->origin[0], v->origin[1], own, scale_heights(v, v->exaggerate, map), v->exaggerate};
        return make_square(map, own, size_y);
    }
    const double spacing = context->size[0] / map->width, rise = v->exaggerate * (own > 0 ? spacing / own : 1);
    *to = (layout){context->origin[0] + 0.5 * spacing, context->origin[1] + 0.5 * spacing, spacing,
                   scale_heights(v, rise, map), rise};
    return make_square(map, spacing, context->size[1]);
}

rn_sdf *rn_shape_map(rn_shape_context *context, const rn_map_values *values, const rn_json_path *place) {
    rn_heightmap map = {0};
    rn_json_path at = {place->document, place, values->file ? "file" : "heights", 0};
    layout to;
    rn_sdf *shape = NULL;
    rn_result result = load_heights(context, values, &at, &map);
    if (result == RN_OK) {
        const double width = map.units_x * map.spacing_x * map.width, height = map.units_y * map.spacing_y * map.height;
        result = lay_out(context, values, &at, &map, &to);
        if (result == RN_OK) result = offer_place(context, &map, &to, width, height);
        if (result != RN_OK) rn_document_pass(place, result);
    }
    if (result == RN_OK) {
        shape = rn_sdf_heightmap(map.heights, map.width, map.height, to.spacing, to.x, to.y);
        if (!shape) rn_document_pass(place, RN_INVALID);
    } else {
        context->failure = result;
    }
    rn_heightmap_free(&map);
    return shape;
}
