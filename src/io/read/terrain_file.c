/* Files of heights of any kind, as maps without gaps. */
#include "base/error.h"
#include "base/memory.h"
#include "base/words.h"
#include "io/file/input.h"
#include "io/read/companion.h"
#include "io/read/dem.h"
#include "io/read/text_grid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kinds of files, by their first bytes. */
typedef enum kind { PICTURE, TEXT_GRID, OTHER } kind;

/* Sets *found to the kind of a file, by its first bytes. Returns RN_FILE if it cannot be read, or RN_FORMAT if it is
   empty or a web page. */
static rn_result find_kind(const char *path, kind *found) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char start[1024] = {0};
    FILE *file;
    const rn_result result = rn_input_open(path, &file);
    if (result != RN_OK) return result;
    const size_t count = fread(start, 1, sizeof start - 1, file);
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error) return rn_fail(RN_FILE, "%s: cannot be read: %s", path, strerror(error));
    if (count == 0) return rn_fail(RN_FORMAT, "%s: is empty", path);
    const rn_result page = rn_companion_check_start(path, start, count);
    if (page != RN_OK) return page;
    *found = memcmp(start, signature, sizeof signature) == 0 ? PICTURE
             : rn_text_grid_is(start, count)                 ? TEXT_GRID
                                                             : OTHER;
    return RN_OK;
}

/* Fails with RN_INVALID if a length of the definition is not finite, or if a length outside the crop, or `most`, is
   negative. */
static rn_result check_def(const rn_heightmap_def *def) {
    bool finite = isfinite(def->spacing) && isfinite(def->resample);
    for (int i = 0; i < 4; i++) finite = finite && isfinite(def->crop[i]);
    if (finite && def->spacing >= 0 && def->resample >= 0 && def->most >= 0) return RN_OK;
    return rn_fail(RN_INVALID,
                   "%s: spacing, resample, crop and most must be finite, and all but crop must be 0 or more",
                   def->path);
}

/* The `read` of a raster (raster.h) whose context is a heightmap: its rows from south to north. */
static rn_result picture_row(void *context, int row, int first, int count, double *values) {
    const rn_heightmap *picture = context;
    const float *heights = picture->heights + (size_t)row * (size_t)picture->width + first;
    for (int i = 0; i < count; i++) values[i] = (double)heights[i];
    return RN_OK;
}

/* Reads heights from a PNG picture, with the caller's spacing, into `dem`, which must be 0. Logs a warning if the
   picture is coloured. The caller frees dem->map, also after a failure. */
static rn_result read_picture(const rn_heightmap_def *def, rn_dem *dem) {
    rn_heightmap picture;
    bool coloured;
    rn_result result = rn_picture_load(def->path, def->low, def->high, def->grey_level, &picture, &coloured);
    if (result != RN_OK) return result;
    if (coloured)
        rn_log(&def->hooks, RN_LOG_WARNING,
               "%s: is a coloured picture; %s taken as height. Give a grey one, of 16 bits if it can be had", def->path,
               def->grey_level != 0 ? "its red was" : "its brightness was");
    rn_raster raster = {picture.width,       picture.height, def->spacing,        def->spacing,
                        .south_first = true, .nodata = NAN,  .read = picture_row, .context = &picture};
    *dem = (rn_dem){.file_width = picture.width, .file_height = picture.height, .bands = 1, .unit = 1, .rise = 1};
    result = rn_raster_sample(&raster, def, &dem->found, &dem->map);
    rn_heightmap_free(&picture);
    return result;
}

/* Logs what was assumed about units, order and bands, and whether pixels were averaged because there were too many;
   nothing if all is as usual. */
static void tell_how_it_was_read(const rn_heightmap_def *def, const rn_dem *dem) {
    const rn_hooks *hooks = &def->hooks;
    const rn_heightmap *map = &dem->map;
    if (dem->degrees)
        rn_log(hooks, dem->guessed ? RN_LOG_WARNING : RN_LOG_INFO,
               "%s: its pixels are measured in degrees%s; at latitude %.4g its heights are %.4g by %.4g m apart",
               def->path, dem->guessed ? ", as it seems" : "", dem->latitude, map->spacing_x, map->spacing_y);
    if (dem->mercator)
        rn_log(hooks, RN_LOG_INFO,
               "%s: its projection (%s) stretches lengths; at latitude %.4g its heights are %.4g by %.4g m apart, %.3g "
               "times closer than it says",
               def->path, map->reference, dem->latitude, map->spacing_x, map->spacing_y, map->units_x * dem->unit);
    if (dem->unit != 1) rn_log(hooks, RN_LOG_INFO, "%s: its lengths are in units of %.7g m", def->path, dem->unit);
    if (dem->rise != 1) rn_log(hooks, RN_LOG_INFO, "%s: its heights are in units of %.7g m", def->path, dem->rise);
    if (dem->south_first) rn_log(hooks, RN_LOG_INFO, "%s: its rows go from south to north", def->path);
    if (dem->east_first) rn_log(hooks, RN_LOG_INFO, "%s: its rows go from east to west", def->path);
    if (dem->bands > 1)
        rn_log(hooks, RN_LOG_WARNING, "%s: has %d bands; the first is used for heights", def->path, dem->bands);
    if (def->resample == 0 && dem->found.pixels > def->most)
        rn_log(hooks, RN_LOG_WARNING, "%s: is %d by %d pixels, which were averaged to %d by %d heights", def->path,
               dem->file_width, dem->file_height, map->width, map->height);
}

/* Logs how many pixels have no data, why, and how they are filled; nothing if there are none. `spikes`: heights dropped
   as spikes. */
static void tell_gaps(const rn_heightmap_def *def, const rn_raster_findings *found, int64_t spikes) {
    static const char *const ways[] = {"got heights from around", "got the lowest height", "got the highest height",
                                       "stay so"};
    const struct {
        int64_t count;
        const char *what;
    } kinds[] = {{found->declared, "declared"},
                 {found->not_finite, "not finite"},
                 {found->customary, "-9999 or the like"},
                 {found->absurd, "absurd"},
                 {spikes, "lone spikes"}};
    char text[256] = "";
    int64_t all = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].count == 0) continue;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%lld %s", all ? ", " : "", (long long)kinds[i].count,
                 kinds[i].what);
        all += kinds[i].count;
    }
    if (all > 0)
        rn_log(&def->hooks, RN_LOG_WARNING, "%s: %.3g %% of its pixels are without data (%s) and %s", def->path,
               100.0 * (double)all / (double)found->pixels, text, ways[def->missing]);
}

/* Resamples the map if def->resample (m) asks for heights closer together than in the map; otherwise changes nothing.
   Returns RN_LIMIT if there would be more than def->most. */
static rn_result make_finer(const rn_heightmap_def *def, rn_heightmap *map) {
    if (!(def->resample > 0) || !(def->resample < fmax(map->spacing_x, map->spacing_y) * (1 - 1e-9))) return RN_OK;
    double width = ceil(map->width * map->spacing_x / def->resample - 1e-6);
    double height = ceil(map->height * map->spacing_y / def->resample - 1e-6);
    if (!(width * height <= (double)def->most))
        return rn_fail(RN_LIMIT, "%s: at %g m it would have %.0f by %.0f heights; at most %.0f are allowed", def->path,
                       def->resample, width, height, (double)def->most);
    return rn_heightmap_resize(map, (int)width, (int)height, def->resample / map->spacing_x,
                               def->resample / map->spacing_y);
}

/* Sets dem->map.crs to a copy of dem->wkt, which is freed with the map. Returns RN_MEMORY if memory runs out. */
static rn_result copy_crs(rn_dem *dem) {
    const size_t size = strlen(dem->wkt) + 1;
    dem->map.crs = rn_alloc(NULL, size, 1);
    if (!dem->map.crs) return RN_MEMORY;
    memcpy(dem->map.crs, dem->wkt, size);
    return RN_OK;
}

/* Does the work of rn_heightmap_read, for a definition with all defaults filled in and its path checked. Logs what was
   assumed and filled in. Sets *map only on success. */
static rn_result read_map(const rn_heightmap_def *def, rn_heightmap *map) {
    kind found = OTHER;
    rn_dem dem = {0};
    int64_t spikes = 0;
    rn_result result = check_def(def);
    if (result == RN_OK && !rn_ends_with(def->path, ".bin") && !rn_ends_with(def->path, ".hgt.zip")) /* GDAL's */
        result = rn_companion_check(def->path);
    if (result == RN_OK) result = find_kind(def->path, &found);
    if (result == RN_OK)
        result = found == PICTURE     ? read_picture(def, &dem)
                 : found == TEXT_GRID ? rn_text_grid_read(def, &dem)
                                      : rn_dem_read(def, &dem);
    if (result == RN_OK) {
        tell_how_it_was_read(def, &dem);
        if (found != PICTURE) spikes = rn_heightmap_drop_spikes(&dem.map);
        tell_gaps(def, &dem.found, spikes);
        result = rn_heightmap_fill(&dem.map, def->missing);
        if (result == RN_FORMAT) rn_fail(result, "%s: all of its pixels are without data", def->path);
    }
    if (result == RN_OK) result = make_finer(def, &dem.map);
    if (result == RN_OK && dem.wkt[0]) result = copy_crs(&dem);
    if (result == RN_OK) *map = dem.map;
    else rn_heightmap_free(&dem.map);
    return result;
}

rn_result rn_heightmap_read(const rn_heightmap_def *def, rn_heightmap *map) {
    *map = (rn_heightmap){0};
    if (!RN_REQUIRE(&def->hooks, def->path && def->missing >= RN_MISSING_AROUND && def->missing <= RN_MISSING_NAN))
        return RN_INVALID;
    rn_heightmap_def all = *def;
    if (all.most == 0) all.most = rn_heightmap_default().most;
    return read_map(&all, map);
}
