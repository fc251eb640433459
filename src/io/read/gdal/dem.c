/* Elevation models read by GDAL, in a separate process. */
#include "io/read/dem.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/apart.h"
#include "io/read/gdal/library.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_SIDE = 1 << 20 };

/* A file while it is read by GDAL. */
typedef struct reader {
    const rn_heightmap_def *def;
    rn_gdal gdal;
    GDALDatasetH file;
    GDALRasterBandH band;
    rn_dem_source source;
    double scale, offset; /* heights are scale*value + offset (m) */
} reader;

/* GDAL's own last message, from after the last mention of the path on, because runnel's message begins with the path.
   Valid until the next call of GDAL. */
static const char *reason(const reader *r) {
    const char *text = r->gdal.CPLGetLastErrorMsg();
    for (const char *path = text; (path = strstr(path, r->def->path)); text = path) path += strlen(r->def->path);
    return text + strspn(text, ":, ");
}

/* Opens the file and its first band, and sets its size and number of bands. Returns RN_FORMAT if GDAL cannot read it or
   it holds no real numbers, or RN_LIMIT if a side is too long. The file is never closed: the process ends soon. */
static rn_result open_file(reader *r) {
    const char *path = r->def->path;
    r->file = r->gdal.GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
    if (!r->file) {
        const char *why = reason(r);
        if (strstr(why, "not recognized")) why = "";
        return rn_fail(RN_FORMAT, "%s: is neither a PNG picture nor a terrain that GDAL can read%s%.200s%s", path,
                       *why ? " (" : "", why, *why ? ")" : "");
    }
    rn_dem *dem = &r->source.dem;
    dem->file_width = r->gdal.GDALGetRasterXSize(r->file);
    dem->file_height = r->gdal.GDALGetRasterYSize(r->file);
    dem->bands = r->gdal.GDALGetRasterCount(r->file);
    if (dem->bands < 1) return rn_fail(RN_FORMAT, "%s: holds no grid of heights", path);
    if (dem->file_width < 1 || dem->file_height < 1 || dem->file_width > LONGEST_SIDE ||
        dem->file_height > LONGEST_SIDE)
        return rn_fail(RN_LIMIT, "%s: is %d by %d pixels; a side may have from 1 to %d", path, dem->file_width,
                       dem->file_height, LONGEST_SIDE);
    r->band = r->gdal.GDALGetRasterBand(r->file, 1);
    if (!r->band || r->gdal.GDALDataTypeIsComplex(r->gdal.GDALGetRasterDataType(r->band)))
        return rn_fail(RN_FORMAT, "%s: holds complex numbers, not heights", path);
    return RN_OK;
}

/* Finds scale and offset, which turn stored values into m, and the no-data value (m; NAN: none): heights may be stored
   in feet, or as multiples of some step. An unknown unit counts as m. */
static void read_scale(reader *r) {
    int given = 0;
    const char *unit = r->gdal.GDALGetRasterUnitType(r->band);
    double scale = r->gdal.GDALGetRasterScale(r->band, &given), offset = r->gdal.GDALGetRasterOffset(r->band, &given);
    r->source.dem.rise = 1;
    if (strcmp(unit, "ft") == 0 || strcmp(unit, "foot") == 0 || strcmp(unit, "feet") == 0) r->source.dem.rise = 0.3048;
    if (strstr(unit, "US survey foot") || strcmp(unit, "ftUS") == 0) r->source.dem.rise = 1200.0 / 3937;
    r->scale = isfinite(scale) && scale != 0 ? scale * r->source.dem.rise : r->source.dem.rise;
    r->offset = isfinite(offset) ? offset * r->source.dem.rise : 0;
    double nodata = r->gdal.GDALGetRasterNoDataValue(r->band, &given);
    r->source.raster.nodata = given ? nodata * r->scale + r->offset : NAN;
}

/* Copies the coordinate system as WKT to dem->wkt. If that does not fit, copies dem->map.reference, which must be set,
   if it is a code such as EPSG:32613; otherwise dem->wkt stays empty. */
static void read_wkt(const rn_gdal *gdal, OGRSpatialReferenceH reference, rn_dem *dem) {
    char *text = NULL;
    if (gdal->OSRExportToWkt(reference, &text) == OGRERR_NONE && text && strlen(text) < sizeof dem->wkt)
        memcpy(dem->wkt, text, strlen(text) + 1);
    else if (strncmp(dem->map.reference, "EPSG:", 5) == 0)
        snprintf(dem->wkt, sizeof dem->wkt, "%s", dem->map.reference);
    gdal->VSIFree(text);
}

/* Sets the name of the coordinate system ("EPSG:…" if it has a code), its WKT, whether it is in degrees, and the unit
   of its lengths (m; 1 if unknown or degrees). Without a coordinate system the name stays empty. */
static void read_reference(reader *r) {
    const rn_gdal *gdal = &r->gdal;
    rn_dem *dem = &r->source.dem;
    OGRSpatialReferenceH reference = gdal->GDALGetSpatialRef(r->file);
    dem->unit = 1;
    if (!reference) return;
    const char *authority = gdal->OSRGetAuthorityName(reference, NULL), *name = gdal->OSRGetName(reference);
    const char *code = gdal->OSRGetAuthorityCode(reference, NULL);
    if (authority && code) snprintf(dem->map.reference, sizeof dem->map.reference, "%s:%s", authority, code);
    else snprintf(dem->map.reference, sizeof dem->map.reference, "%s", name ? name : "");
    read_wkt(gdal, reference, dem);
    dem->degrees = gdal->OSRIsGeographic(reference);
    double unit = dem->degrees ? 1 : gdal->OSRGetLinearUnits(reference, NULL);
    if (isfinite(unit) && unit > 0) dem->unit = unit;
}

/* Finds position, order and spacing (m) of pixels. GDAL maps column and row to x = t0 + column*t1 + row*t2 and y = t3 +
   column*t4 + row*t5. Without such a transform all stays 0, unknown. Returns RN_FORMAT if it is rotated, not finite, or
   has no size. */
static rn_result read_transform(reader *r) {
    double t[6];
    if (r->gdal.GDALGetGeoTransform(r->file, t) != CE_None) return RN_OK;
    for (int i = 0; i < 6; i++)
        if (!isfinite(t[i])) return rn_fail(RN_FORMAT, "%s: its position on the map is not a number", r->def->path);
    if (t[1] == 0 && t[5] == 0 && t[2] == 0 && t[4] == 0)
        return rn_fail(RN_FORMAT, "%s: its pixels have no size", r->def->path);
    double turned = 1e-6 * fmax(fabs(t[1]), fabs(t[5]));
    if (fabs(t[2]) > turned || fabs(t[4]) > turned)
        return rn_fail(RN_FORMAT,
                       "%s: its rows are rotated by %.3g degrees from east, and runnel needs rows that run east; "
                       "gdalwarp makes an unrotated copy",
                       r->def->path, atan2(t[4], t[1]) * 180 / acos(-1));
    if (t[1] == 0 || t[5] == 0) return rn_fail(RN_FORMAT, "%s: its pixels have no size", r->def->path);
    return rn_dem_set_steps(&r->source, (double[2]){t[0], t[3]}, (double[2]){t[1], t[5]});
}

/* The `read` of a raster (raster.h) whose context is a reader: heights in m. */
static rn_result read_pixels(void *context, int row, int first, int count, double *values) {
    reader *r = context;
    r->gdal.CPLErrorReset();
    if (r->gdal.GDALRasterIO(r->band, GF_Read, first, row, count, 1, values, count, 1, GDT_Float64, 0, 0) != CE_None)
        return rn_fail(RN_FORMAT, "%s: is damaged or cut short: row %d of %d cannot be read (%.200s)", r->def->path,
                       row + 1, r->source.dem.file_height, reason(r));
    for (int i = 0; i < count; i++) values[i] = values[i] * r->scale + r->offset;
    return RN_OK;
}

/* Opens GDAL and the file, and reads the map into r->source.dem, whose heights the caller frees, also after a failure.
   r->def must be set, all else 0. */
static rn_result read_all(reader *r) {
    rn_result result = rn_gdal_open(&r->gdal, r->def->path);
    if (result == RN_OK) result = open_file(r);
    if (result != RN_OK) return result;
    rn_dem *dem = &r->source.dem;
    r->source.def = r->def;
    r->source.raster =
        (rn_raster){dem->file_width, dem->file_height, .guess_nodata = true, .read = read_pixels, .context = r};
    read_scale(r);
    read_reference(r);
    result = read_transform(r);
    return result == RN_OK ? rn_dem_sample(&r->source) : result;
}

/* The work of the reader's process (its context is an rn_heightmap_def): its reply is an rn_dem, followed by its
   heights. */
static rn_result read_in_child(void *context, rn_reply *reply) {
    reader r = {.def = context};
    rn_result result = read_all(&r);
    if (result != RN_OK) {
        rn_free(NULL, r.source.dem.map.heights);
        return result;
    }
    size_t heights = (size_t)r.source.dem.map.width * (size_t)r.source.dem.map.height * sizeof(float);
    reply->size = sizeof r.source.dem + heights;
    reply->bytes = rn_alloc(NULL, reply->size, 1);
    if (reply->bytes) memcpy((char *)reply->bytes + sizeof r.source.dem, r.source.dem.map.heights, heights);
    rn_free(NULL, r.source.dem.map.heights);
    r.source.dem.map.heights = NULL;
    if (!reply->bytes) return RN_MEMORY;
    memcpy(reply->bytes, &r.source.dem, sizeof r.source.dem);
    return RN_OK;
}

/* Whether an rn_dem is valid that begins a reply of `size` bytes, at least sizeof *dem: a reader misled by a damaged
   file may write anything. Does not check the heights. */
static bool is_sound(const rn_dem *dem, size_t size) {
    const rn_heightmap *map = &dem->map;
    if (map->width < 1 || map->height < 1 || map->width > LONGEST_SIDE || map->height > LONGEST_SIDE) return false;
    if ((uint64_t)map->width * (uint64_t)map->height != (size - sizeof *dem) / sizeof(float)) return false;
    const double numbers[] = {map->spacing_x, map->spacing_y, map->west, map->south, map->units_x,
                              map->units_y,   dem->latitude,  dem->unit, dem->rise};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i])) return false;
    return map->spacing_x >= 0 && map->spacing_y >= 0 && memchr(map->reference, 0, sizeof map->reference) &&
           memchr(dem->wkt, 0, sizeof dem->wkt);
}

rn_result rn_dem_read(const rn_heightmap_def *def, rn_dem *dem) {
    *dem = (rn_dem){0};
    rn_reply reply;
    rn_result result = rn_apart(read_in_child, (void *)(uintptr_t)def,
                                &(rn_apart_limits){.path = def->path, .kind = "terrains"}, &reply);
    if (result != RN_OK) return result;
    if (reply.size >= sizeof *dem) memcpy(dem, reply.bytes, sizeof *dem);
    dem->map.heights = NULL;
    dem->map.crs = NULL;
    if (reply.size < sizeof *dem || !is_sound(dem, reply.size))
        result = rn_fail(RN_FORMAT, "%s: was not understood; the file is probably damaged", def->path);
    size_t count = result == RN_OK ? (size_t)dem->map.width * (size_t)dem->map.height : 0;
    if (result == RN_OK) {
        dem->map.heights = rn_alloc(NULL, count, sizeof *dem->map.heights);
        if (!dem->map.heights) result = RN_MEMORY;
    }
    if (dem->map.heights) memcpy(dem->map.heights, (char *)reply.bytes + sizeof *dem, count * sizeof(float));
    for (size_t i = 0; i < count && dem->map.heights; i++)
        if (!isfinite(dem->map.heights[i])) dem->map.heights[i] = NAN;
    rn_free(NULL, reply.bytes);
    return result;
}
