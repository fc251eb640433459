/* Grids of heights in text files (text_grid.h). The heights of both formats run from north to south, and are separated
   by any white space. */
#include "io/read/text_grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/platform.h"
#include "io/file/lines.h"
#include "io/file/wkt.h"

#include <math.h>
#include <stdio.h>

static const int64_t largest_file = (int64_t)256 << 20; /* bytes; heights take up to four times as much */
enum { LONGEST_SIDE = 1 << 20 };

/* Numbers of the header. GRASS gives the four sides, ESRI the south-west corner or the middle of its pixel. */
typedef enum key {
    NCOLS,
    NROWS,
    X_CORNER,
    Y_CORNER,
    X_MIDDLE,
    Y_MIDDLE,
    CELL,
    CELL_X,
    CELL_Y,
    NODATA,
    NORTH,
    SOUTH,
    EAST,
    WEST,
    MULTIPLIER,
    KEYS
} key;
static const char *const names[KEYS][2] = {[NCOLS] = {"ncols", "cols:"},
                                           [NROWS] = {"nrows", "rows:"},
                                           [X_CORNER] = {"xllcorner", "xllcorner:"},
                                           [Y_CORNER] = {"yllcorner", "yllcorner:"},
                                           [X_MIDDLE] = {"xllcenter", "xllcentre"},
                                           [Y_MIDDLE] = {"yllcenter", "yllcentre"},
                                           [CELL] = {"cellsize", "cellsize:"},
                                           [CELL_X] = {"dx", "xdim"},
                                           [CELL_Y] = {"dy", "ydim"},
                                           [NODATA] = {"nodata_value", "null:"},
                                           [NORTH] = {"north:", "north"},
                                           [SOUTH] = {"south:", "south"},
                                           [EAST] = {"east:", "east"},
                                           [WEST] = {"west:", "west"},
                                           [MULTIPLIER] = {"multiplier:", "multiplier"}};

typedef struct grid {
    rn_file_bytes file;
    rn_lines in;
    double values[KEYS]; /* NAN: not given */
    double *heights;     /* rows from north to south; NAN: missing */
    rn_dem_source source;
} grid;

/* The key that a word is; KEYS: none. */
static key find_key(rn_token word) {
    int k = 0;
    while (k < KEYS && !rn_token_is(word, names[k][0]) && !rn_token_is(word, names[k][1])) k++;
    return (key)k;
}

bool rn_text_grid_is(const char *bytes, size_t count) {
    rn_lines in = rn_lines_of(&(rn_file_bytes){.bytes = bytes, .size = count});
    const rn_token word = rn_lines_word_across(&in, 0);
    double number;
    return find_key(word) != KEYS && rn_token_number(rn_lines_word(&in), &number);
}

/* Reads a word as a number, also with a decimal comma; "*" and "nan" are NAN. Returns false if it is not a number. */
static bool read_number(rn_token word, double *number) {
    char text[64];
    if (rn_token_number(word, number)) return true;
    *number = (double)NAN;
    if (word.length == 1 && word.text[0] == '*') return true;
    const char *comma = word.length > 0 && word.length < sizeof text ? memchr(word.text, ',', word.length) : NULL;
    if (!comma) return false;
    memcpy(text, word.text, word.length);
    text[comma - word.text] = '.';
    return rn_token_number((rn_token){text, word.length}, number);
}

/* Fails with "PATH:LINE: …": a word is not the number that was expected. */
static rn_result refuse(const grid *g, rn_token word, const char *what) {
    return rn_fail(RN_FORMAT, "%s:%d: \"%.*s\" is not %s", g->file.path, g->in.number, rn_token_shown(word), word.text,
                   what);
}

/* Whether a word begins the heights: it is a number or a mark for a missing one. */
static bool is_height(rn_token word) {
    double number;
    return word.length > 0 && read_number(word, &number);
}

/* Reads the header into g->values (NAN: not given); on success g->in is before the first height. Lines with other keys
   are skipped. Returns RN_FORMAT if a value is not a number, or a valid number of columns or rows is missing. */
static rn_result read_header(grid *g) {
    for (int k = 0; k < KEYS; k++) g->values[k] = (double)NAN;
    rn_lines before = g->in;
    while (rn_lines_next(&g->in)) {
        const rn_token word = rn_lines_word(&g->in);
        if (is_height(word)) break;
        const key k = find_key(word);
        if (k == KEYS && word.length > 0 && strchr("+-.0123456789", word.text[0])) return refuse(g, word, "a height");
        const rn_token value = rn_lines_word(&g->in);
        if (k != KEYS && !read_number(value, &g->values[k])) return refuse(g, value, "a number");
        before = g->in;
    }
    g->in = before;
    g->in.at = g->in.end;
    for (int k = NCOLS; k <= NROWS; k++) {
        const double count = g->values[k];
        if (!(count >= 1 && count <= LONGEST_SIDE && count == floor(count)))
            return rn_fail(RN_FORMAT, "%s: its header needs \"%s\", a whole number from 1 to %d", g->file.path,
                           names[k][0], LONGEST_SIDE);
    }
    return RN_OK;
}

/* Returns RN_FORMAT, with a message that the file has fewer or more heights (`count`) than the header promises. */
static rn_result refuse_count(const grid *g, size_t count, size_t promised) {
    if (count > promised)
        return rn_fail(RN_FORMAT, "%s: goes on after the %zu heights that its header promises (%.0f x %.0f)",
                       g->file.path, promised, g->values[NCOLS], g->values[NROWS]);
    return rn_fail(RN_FORMAT, "%s: is cut short: it has %zu of the %zu heights that its header promises (%.0f x %.0f)",
                   g->file.path, count, promised, g->values[NCOLS], g->values[NROWS]);
}

/* Reads the heights into g->heights, which the caller frees, also after a failure; all but the no-data value are
   multiplied by the header's multiplier, if there is one. Returns RN_FORMAT if a word is not a number, or there are
   fewer or more heights than the header promises; or RN_MEMORY if memory runs out. */
static rn_result read_heights(grid *g) {
    const double wanted = g->values[NCOLS] * g->values[NROWS];
    const double nodata = g->values[NODATA], factor = isnan(g->values[MULTIPLIER]) ? 1 : g->values[MULTIPLIER];
    if (wanted > (double)g->file.size / 2 + 1)
        return rn_fail(RN_FORMAT,
                       "%s: is cut short: it has %zu bytes, too few for the %.0f heights that its header "
                       "promises (%.0f x %.0f)",
                       g->file.path, g->file.size, wanted, g->values[NCOLS], g->values[NROWS]);
    const size_t promised = (size_t)wanted;
    g->heights = rn_alloc(NULL, promised, sizeof *g->heights);
    if (!g->heights) return RN_MEMORY;
    size_t count = 0;
    for (rn_token word; (word = rn_lines_word_across(&g->in, 0)).length > 0; count++) {
        double height;
        if (count == promised) return refuse_count(g, count + 1, promised);
        if (!read_number(word, &height)) return refuse(g, word, "a height");
        g->heights[count] = height == nodata ? height : height * factor;
    }
    return count == promised ? RN_OK : refuse_count(g, count, promised);
}

/* Reads the .prj or .PRJ beside a file into `text`, of `size` bytes. Returns false if there is none, or it is
   longer. */
static bool read_beside(const char *of, char *text, size_t size) {
    static const char *const endings[] = {"prj", "PRJ"};
    const char *dot = strrchr(rn_path_name(of), '.');
    const int length = dot ? (int)(dot - of) : (int)strlen(of);
    FILE *file = NULL;
    char path[4096];
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !file; i++) {
        if (snprintf(path, sizeof path, "%.*s.%s", length, of, endings[i]) >= (int)sizeof path) return false;
        rn_input_open(path, &file);
    }
    if (!file) return false;
    const size_t count = fread(text, 1, size, file);
    fclose(file);
    if (count == size) return false;
    text[count] = 0;
    return true;
}

/* Takes name, degrees and unit from WKT, and copies the text to dem->wkt; does nothing if the text has no name in
   quotes. Heights may have a unit of their own after the projected system. */
static void read_wkt(const char *text, rn_dem *dem) {
    const char *name = strchr(text, '"'), *end = name ? strchr(name + 1, '"') : NULL;
    if (!end) return;
    const double metres = rn_wkt_unit(rn_wkt_projected(text));
    dem->degrees = rn_wkt_is_globe(text);
    if (metres > 0) dem->unit = metres;
    snprintf(dem->wkt, sizeof dem->wkt, "%s", text);
    snprintf(dem->map.reference, sizeof dem->map.reference, "%.*s", (int)(end - name - 1), name + 1);
}

/* Takes name, degrees and unit from the older form of ESRI: lines such as "Projection GEOGRAPHIC" and "Units FEET",
   which are US survey feet. dem->wkt stays empty. */
static void read_old_prj(const char *text, rn_dem *dem) {
    rn_lines in = rn_lines_of(&(rn_file_bytes){.bytes = text, .size = strlen(text)});
    while (rn_lines_next(&in)) {
        const rn_token word = rn_lines_word(&in), value = rn_lines_word(&in);
        if (rn_token_is(word, "projection")) {
            dem->degrees = rn_token_is(value, "geographic");
            snprintf(dem->map.reference, sizeof dem->map.reference, "%.*s", (int)value.length, value.text);
        }
        if (rn_token_is(word, "units") && rn_token_is(value, "feet")) dem->unit = 1200.0 / 3937;
    }
}

/* Takes name, degrees and unit of the coordinate system from the .prj beside the file, if there is one. */
static void read_reference(grid *g) {
    char text[RN_DEM_WKT];
    if (!read_beside(g->file.path, text, sizeof text)) return;
    if (strchr(text, '[')) read_wkt(text, &g->source.dem);
    else read_old_prj(text, &g->source.dem);
}

/* Passes the position and size of pixels on to rn_dem_set_steps. A header without any size leaves both unknown, one
   without a position puts the south-west corner at 0, 0. Returns RN_FORMAT if a size is not above 0 or not finite, or
   the result of rn_dem_set_steps. */
static rn_result read_place(grid *g) {
    const double *v = g->values, width = v[NCOLS], height = v[NROWS];
    double step_x = isnan(v[CELL]) ? v[CELL_X] : v[CELL], step_y = isnan(v[CELL]) ? v[CELL_Y] : v[CELL];
    double west = isnan(v[X_CORNER]) ? v[X_MIDDLE] - 0.5 * step_x : v[X_CORNER];
    double south = isnan(v[Y_CORNER]) ? v[Y_MIDDLE] - 0.5 * step_y : v[Y_CORNER];
    if (!isnan(v[NORTH])) {
        step_x = (v[EAST] - v[WEST]) / width;
        step_y = (v[NORTH] - v[SOUTH]) / height;
        west = v[WEST];
        south = v[SOUTH];
    }
    if (isnan(step_x) && isnan(step_y)) return RN_OK; /* unknown, as in a picture */
    if (!(step_x > 0 && step_y > 0 && isfinite(2 * step_x * width) && isfinite(2 * step_y * height)))
        return rn_fail(RN_FORMAT, "%s: its pixels are %g by %g; \"cellsize\" must be more than 0", g->file.path, step_x,
                       step_y);
    if (!isfinite(west) || !isfinite(south)) west = south = 0;
    return rn_dem_set_steps(&g->source, (double[2]){west, south + height * step_y}, (double[2]){step_x, -step_y});
}

/* The `read` of a raster (raster.h) whose context is a grid. */
static rn_result read_pixels(void *context, int row, int first, int count, double *values) {
    const grid *g = context;
    memcpy(values, g->heights + (size_t)row * (size_t)g->source.raster.width + (size_t)first,
           (size_t)count * sizeof *values);
    return RN_OK;
}

/* Reads g->file, which must be loaded, into g->source.dem; g->source.def must be set. The caller frees the map and
   g->heights, also after a failure. */
static rn_result read_grid(grid *g) {
    g->in = rn_lines_of(&g->file);
    rn_result result = read_header(g);
    if (result == RN_OK) result = read_heights(g);
    if (result != RN_OK) return result;
    rn_dem *dem = &g->source.dem;
    *dem = (rn_dem){
        .file_width = (int)g->values[NCOLS], .file_height = (int)g->values[NROWS], .bands = 1, .unit = 1, .rise = 1};
    g->source.raster =
        (rn_raster){dem->file_width,     dem->file_height, .guess_nodata = true, .nodata = g->values[NODATA],
                    .read = read_pixels, .context = g};
    read_reference(g);
    result = read_place(g);
    return result == RN_OK ? rn_dem_sample(&g->source) : result;
}

rn_result rn_text_grid_read(const rn_heightmap_def *def, rn_dem *dem) {
    grid g = {.source.def = def};
    rn_result result = rn_input_load(def->path, largest_file, "a terrain in a text file", &g.file);
    if (result == RN_OK) result = read_grid(&g);
    *dem = g.source.dem;
    rn_free(NULL, g.heights);
    rn_input_free(&g.file);
    return result;
}
