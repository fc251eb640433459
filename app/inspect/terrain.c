/* Inspects a terrain file: its heights, its spacing, and its likely scale if it is a picture. Entry point:
   inspect_terrain(); inspect_is_terrain() decides by the file extension, else by the first bytes. */
#include "inspect/inspect.h"

#include "common/options.h"
#include "common/text.h"
#include "io/file/input.h"
#include "io/read/text_grid.h"

#include <math.h>
#include <string.h>

/* Along a side, of cells that are single pixels: more would be slow. */
enum { MOST_PIXELS = 1000 };

/* Returns true if the first bytes of a file are those of a PNG, a TIFF or a grid of heights as text. */
static bool begins_as_terrain(const char *path) {
    char start[1024] = "";
    FILE *file;
    if (rn_input_open(path, &file) != RN_OK) return false;
    const size_t count = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    return memcmp(start, "\x89PNG", 4) == 0 || memcmp(start, "II*\0", 4) == 0 || memcmp(start, "MM\0*", 4) == 0 ||
           rn_text_grid_is(start, count);
}

bool inspect_is_terrain(const char *path) {
    static const char *const endings[] = {"png",  "tif", "tiff", "asc", "hgt", "dem", "bil", "flt", "img", "grd",
                                          "sdat", "dt0", "dt1",  "dt2", "bt",  "hf2", "isg", "ter", "xyz"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (inspect_has_ending(path, endings[k])) return true;
    return begins_as_terrain(path);
}

/* The log callback of the reader: adds its text, whatever its level, to the warnings of inspection `user`, without the
   path that it begins with. */
static void take_warning(void *user, rn_log_level level, const char *text) {
    (void)level;
    inspection *i = user;
    const size_t path = strlen(i->options->path);
    const bool named = strncmp(text, i->options->path, path) == 0 && strncmp(text + path, ": ", 2) == 0;
    inspect_warn(i, "%s", named ? text + path + 2 : text);
}

/* Sets i->lowest and i->highest from the heights of i->map (m, or grey levels of a picture). */
static void measure_heights(inspection *i) {
    const rn_heightmap *map = &i->map;
    i->lowest = INFINITY;
    i->highest = -INFINITY;
    for (int64_t k = 0; k < (int64_t)map->width * map->height; k++) {
        const double height = (double)map->heights[k];
        if (height < i->lowest) i->lowest = height;
        if (height > i->highest) i->highest = height;
    }
}

/* Sets i->azimuth, as in "views": 0 in the south, 90 in the east. The ground falls, on the whole, against the mean
   gradient of its heights, which follows from those on its borders; on even ground the azimuth is 25. */
static void choose_azimuth(inspection *i) {
    const rn_heightmap *map = &i->map;
    const size_t width = (size_t)map->width, height = (size_t)map->height;
    double east = 0, north = 0; /* m, by which one side lies above the opposite one, in the mean */
    for (size_t y = 0; y < height; y++)
        east += ((double)map->heights[y * width + width - 1] - (double)map->heights[y * width]) / (double)height;
    for (size_t x = 0; x < width; x++)
        north += ((double)map->heights[(height - 1) * width + x] - (double)map->heights[x]) / (double)width;
    const double slope_x = east / (double)width, slope_y = north / (double)height;
    i->azimuth = slope_x == 0 && slope_y == 0 ? 25 : rint(atan2(-slope_x, slope_y) * 180 / acos(-1));
}

/* Guesses the spacing of a file that states none, 1 m, and adds a warning. For a PNG it also guesses the height of a
   grey level, i->grey, and scales i->lowest and i->highest to metres: values above 255 must be an elevation model in
   metres with pixels of 30 m; else heights span 15 % of the longer side. */
static void guess_scale(inspection *i) {
    if (!inspect_has_ending(i->options->path, "png")) { /* the reader uses "grey_level" for pictures only */
        i->spacing[0] = i->spacing[1] = 1;
        snprintf(i->spacing_why, sizeof i->spacing_why, "a guess: the file does not say");
        snprintf(i->heights_why, sizeof i->heights_why, "as the file says");
        inspect_warn(i, "it does not say how large its pixels are; 1 m was assumed: change \"spacing\" in the scene");
        return;
    }
    const bool metres = i->highest > 255;
    const double longer = fmax(i->map.width, i->map.height), across = i->highest - i->lowest;
    const double spacing = metres ? 30 : 1;
    i->spacing[0] = i->spacing[1] = spacing;
    i->grey = metres || across <= 0 ? 1 : 0.15 * longer / across;
    i->lowest *= i->grey;
    i->highest *= i->grey;
    snprintf(i->spacing_why, sizeof i->spacing_why, "a guess: the picture does not say");
    snprintf(i->heights_why, sizeof i->heights_why, "a guess: %.3g m for a grey level", i->grey);
    inspect_warn(i,
                 "a picture has no scale; pixels were assumed to be %.3g m and grey levels %.3g m: change \"spacing\" "
                 "and \"grey_level\" in the scene",
                 spacing, i->grey);
}

/* Makes a cell of every pixel, so that results lie on the same grid as the file; of 2 x 2, 3 x 3 … pixels if there
   would be more than MOST_PIXELS along a side. Oblong pixels have cells as wide as they are. Sets i->cell, i->pixels
   and i->cells, and warns if a cell is several pixels. Returns false after printing an error. */
static bool take_pixels_as_cells(inspection *i) {
    const double rows = i->size.y / i->spacing[0];
    const double pixels = fmax(1, ceil(fmax(i->map.width, rows) / MOST_PIXELS - 1e-9));
    i->cell = pixels * i->spacing[0];
    if (!inspect_check_cell(i)) return false;
    if (pixels > i->map.width) {
        complain("%s: is %.4g by %.4g m, and cells of %.4g m would be wider than that; give a smaller --cell",
                 i->options->path, i->size.x, i->size.y, i->cell);
        return false;
    }
    i->pixels = (int)pixels;
    i->cells[0] = (int)fmax(1, i->map.width / i->pixels);
    i->cells[1] = (int)fmax(1, rint(rows) / i->pixels);
    if (i->pixels > 1)
        inspect_warn(i, "it has %d x %d pixels; a cell is %d x %d of them, and --cell %.12g would be one", i->map.width,
                     i->map.height, i->pixels, i->pixels, i->spacing[0]);
    return true;
}

/* Sets heights, spacing, size and cells from i->map. Returns false after printing an error, also for less than 2 x 2
   heights. */
static bool measure_terrain(inspection *i) {
    rn_heightmap *map = &i->map;
    if (map->width < 2 || map->height < 2) {
        complain("%s: has %d x %d heights; a terrain needs 2 x 2 or more", i->options->path, map->width, map->height);
        return false;
    }
    measure_heights(i);
    choose_azimuth(i);
    if (map->spacing_x > 0 && map->spacing_y > 0) {
        i->spacing[0] = map->spacing_x;
        i->spacing[1] = map->spacing_y;
        snprintf(i->spacing_why, sizeof i->spacing_why, "as the file says");
        snprintf(i->heights_why, sizeof i->heights_why, "as the file says");
    } else guess_scale(i);
    i->size = (rn_vec3){map->width * i->spacing[0], map->height * i->spacing[1], i->highest - i->lowest};
    if (i->options->cells || i->options->cell > 0) return inspect_choose_cells(i, 0);
    return take_pixels_as_cells(i);
}

bool inspect_terrain(inspection *i) {
    rn_heightmap_def def = rn_heightmap_default();
    const bool picture = inspect_has_ending(i->options->path, "png");
    def.path = i->options->path;
    if (picture) def.grey_level = 1;
    def.hooks = (rn_hooks){.user = i, .log = take_warning};
    rn_heightmap map;
    if (rn_heightmap_read(&def, &map) != RN_OK) {
        complain("%s", rn_last_error());
        return false;
    }
    snprintf(i->format, sizeof i->format, "%s", picture ? "PNG picture" : "elevation model");
    i->map = map;
    const bool fine = measure_terrain(i);
    rn_heightmap_free(&map);
    i->map.heights = NULL;
    i->map.crs = NULL;
    return fine;
}

void inspect_print_heightmap(FILE *file, const inspection *i) {
    fputs("{\"type\": \"heightmap\", \"file\": ", file);
    print_json_text(file, i->path);
    if (i->grey > 0) fprintf(file, ", \"grey_level\": %.6g", i->grey);
    if (!(i->map.spacing_x > 0 && i->map.spacing_y > 0)) fprintf(file, ", \"spacing\": %.6g", i->spacing[0]);
    const double between = i->pixels > 1 ? i->cell : i->spacing[0]; /* m, between heights in the scene */
    if (i->pixels > 1) fprintf(file, ", \"resample\": %.12g", between);
    /* the first height is half a pixel from the corner of the map, which is that of the domain */
    fprintf(file, ", \"origin\": [%.12g, %.12g]}", 0.5 * between, 0.5 * between);
}
