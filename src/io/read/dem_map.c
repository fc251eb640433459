/* From the pixels of an elevation model to a map (dem.h): degrees to metres, the part that is asked for, and its place.
 */
#include "io/read/dem.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The metres in a degree of latitude (*north) and of longitude (*east) at a latitude (degrees), on the ellipsoid of WGS
   84. */
static void degree_in_metres(double latitude, double *north, double *east) {
    double angle = latitude * acos(-1) / 180;
    *north = 111132.92 - 559.82 * cos(2 * angle) + 1.175 * cos(4 * angle);
    *east = 111412.84 * cos(angle) - 93.5 * cos(3 * angle) + 0.118 * cos(5 * angle);
}

/* Takes the steps between pixels as degrees: marks the file as such, records the latitude of its middle, and sets the
   spacing (m) to that on the ellipsoid there (nowhere nearer to a pole than 0.1 degrees). */
static void use_degrees(rn_dem_source *r) {
    double north, east, middle = r->corner[1] + r->step[1] * r->dem.file_height / 2;
    r->dem.degrees = true;
    r->dem.latitude = middle;
    degree_in_metres(fmin(fmax(middle, -89.9), 89.9), &north, &east);
    r->raster.spacing_x = fabs(r->step[0]) * east;
    r->raster.spacing_y = fabs(r->step[1]) * north;
}

/* Whether a coordinate system is Mercator's projection of the whole Earth, as on the web: true to scale at the equator
   only. */
static bool is_mercator(const char *reference) {
    static const char *const names[] = {"EPSG:3857",       "EPSG:3395",       "EPSG:3785",     "EPSG:900913",
                                        "ESRI:102100",     "ESRI:102113",     "Web_Mercator",  "World_Mercator",
                                        "Pseudo-Mercator", "Pseudo_Mercator", "World Mercator"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(reference, names[i])) return true;
    return false;
}

/* Shrinks the spacing to true metres at the latitude of the middle of the file, stores that latitude (degrees), and
   marks the file as Mercator's projection. Returns RN_FORMAT if the middle is within about 2 degrees of a pole. */
static rn_result use_mercator(rn_dem_source *r) {
    static const double radius = 6378137; /* m */
    const double north = (r->corner[1] + r->step[1] * r->dem.file_height / 2) * r->dem.unit / radius;
    if (!(fabs(north) <= 4)) /* 88 degrees; maps end at pi */
        return rn_fail(RN_FORMAT, "%s: its middle is %.4g m from the equator; on a Mercator map this is at most %.4g m",
                       r->def->path, north * radius, 4 * radius);
    const double shrink = 1 / cosh(north); /* the cosine of the latitude */
    r->dem.mercator = true;
    r->dem.latitude = atan(sinh(north)) * 180 / acos(-1);
    r->raster.spacing_x *= shrink;
    r->raster.spacing_y *= shrink;
    return RN_OK;
}

rn_result rn_dem_set_steps(rn_dem_source *r, const double corner[2], const double step[2]) {
    for (int axis = 0; axis < 2; axis++) {
        r->corner[axis] = corner[axis];
        r->step[axis] = step[axis];
    }
    r->raster.east_first = step[0] < 0;
    r->raster.south_first = step[1] > 0;
    r->raster.spacing_x = fabs(step[0]) * r->dem.unit;
    r->raster.spacing_y = fabs(step[1]) * r->dem.unit;
    if (r->dem.degrees) use_degrees(r);
    else if (is_mercator(r->dem.map.reference)) return use_mercator(r);
    return RN_OK;
}

/* Whether lengths are degrees although the file does not say so: it has no coordinate system, pixels are tiny, corners
   are valid positions on a globe, and the ground would be steeper than any cliff if these were metres. Needs the lowest
   and highest height. */
static bool looks_like_degrees(const rn_dem_source *r) {
    const rn_dem *dem = &r->dem;
    double size_x = fabs(r->step[0]) * dem->file_width, size_y = fabs(r->step[1]) * dem->file_height;
    double end_x = r->corner[0] + r->step[0] * dem->file_width, end_y = r->corner[1] + r->step[1] * dem->file_height;
    bool globe = fabs(r->corner[0]) <= 360 && fabs(end_x) <= 360 && fabs(r->corner[1]) <= 90.1 && fabs(end_y) <= 90.1;
    return !dem->map.reference[0] && r->step[0] != 0 && globe && fmax(fabs(r->step[0]), fabs(r->step[1])) < 0.1 &&
           dem->found.high - dem->found.low > 5 * fmax(size_x, size_y);
}

/* Reads the map into r->dem. Crops and resampling are in metres, so it is first guessed from the heights of the whole
   file whether lengths are degrees, if pixels are smaller than 0.1, not known to be degrees, and the caller gives no
   spacing. */
static rn_result sample_map(rn_dem_source *r) {
    rn_heightmap_def whole = rn_heightmap_default();
    if (r->def->spacing == 0 && !r->dem.degrees && r->step[0] != 0 && fabs(r->step[0]) < 0.1) {
        whole.path = r->def->path;
        whole.nodata = r->def->nodata;
        rn_result result = rn_raster_sample(&r->raster, &whole, &r->dem.found, &r->dem.map);
        rn_free(NULL, r->dem.map.heights);
        r->dem.map.heights = NULL;
        r->dem.map.missing = 0;
        if (result != RN_OK) return result;
        r->dem.guessed = looks_like_degrees(r);
        if (r->dem.guessed) use_degrees(r);
    }
    return rn_raster_sample(&r->raster, r->def, &r->dem.found, &r->dem.map);
}

/* Turns the south-west corner of the kept part (map->west and map->south), which is in m from that of the file, into
   the file's coordinates, and sets how many of their units are a metre; all 0 if the file has none. */
static void place_map(rn_dem_source *r) {
    rn_heightmap *map = &r->dem.map;
    if (r->step[0] == 0) {
        map->west = map->south = 0;
        return;
    }
    double end_x = r->corner[0] + r->step[0] * r->dem.file_width,
           end_y = r->corner[1] + r->step[1] * r->dem.file_height;
    map->units_x = fabs(r->step[0]) / r->raster.spacing_x;
    map->units_y = fabs(r->step[1]) / r->raster.spacing_y;
    map->west = fmin(r->corner[0], end_x) + map->west * map->units_x;
    map->south = fmin(r->corner[1], end_y) + map->south * map->units_y;
}

rn_result rn_dem_sample(rn_dem_source *r) {
    if (r->def->spacing > 0) {
        r->raster.spacing_x = r->raster.spacing_y = r->def->spacing;
        r->dem.degrees = r->dem.mercator = false;
    }
    const rn_result result = sample_map(r);
    if (result != RN_OK) return result;
    r->dem.south_first = r->raster.south_first;
    r->dem.east_first = r->raster.east_first;
    place_map(r);
    return RN_OK;
}
