/* NetCDF with the conventions for climate and forecast (CF-1.8): all frames of a run, one after the other.

   It uses the classic format with 64-bit offsets: its header has the number of frames and is updated after each one,
   so that a reader always finds complete frames, even if the file was never closed. The file gets its name as soon
   as it has a header. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file/whole_file.h"
#include "io/write/writer.h"

#ifdef RN_NETCDF_LIBRARY

#include "base/late_library.h"

#include <math.h>
#include <netcdf.h>

#define CALLS(X)                                                                                                       \
    X(nc_create)                                                                                                       \
    X(nc_def_dim)                                                                                                      \
    X(nc_def_var)                                                                                                      \
    X(nc_def_var_fill)                                                                                                 \
    X(nc_put_att_text)                                                                                                 \
    X(nc_put_att_double)                                                                                               \
    X(nc_enddef)                                                                                                       \
    X(nc_put_var_double)                                                                                               \
    X(nc_put_vara_float)                                                                                               \
    X(nc_put_vara_double)                                                                                              \
    X(nc_sync)                                                                                                         \
    X(nc_close)                                                                                                        \
    X(nc_strerror)

typedef struct nc_calls {
    CALLS(RN_LATE_MEMBER)
} nc_calls;

enum { TIME, LAYER, Y, X, DIMENSIONS };
enum { DEPTH, LEVEL, BASE, SPEED_X, SPEED_Y, FIELDS };

static const struct {
    const char *name, *unit, *long_name;
} fields[FIELDS] = {
    [DEPTH] = {"depth", "m", "depth of the liquid in its column"},
    [LEVEL] = {"level", "m", "height of the surface of the liquid, or of the ground where it is dry"},
    [BASE] = {"base", "m", "height of the ground under the column"},
    [SPEED_X] = {"u", "m s-1", "velocity towards x, mean over the depth"},
    [SPEED_Y] = {"v", "m s-1", "velocity towards y, mean over the depth"},
};

typedef struct netcdf {
    nc_calls calls;
    char path[RN_EXPORT_PATH];
    const char *crs; /* WKT, or a code; NULL: none */
    bool globe;      /* x and y are longitudes and latitudes */
    bool open;
    int file, axes[DIMENSIONS], fields[FIELDS];
    int layers;
    size_t frames; /* number in the file */
} netcdf;

/* Opens libnetcdf and finds its functions. Returns RN_FILE if it is missing or too old. `path` is for messages. */
static rn_result open_library(nc_calls *calls, const char *path) {
    void *library = rn_late_open(RN_NETCDF_LIBRARY, path);
    bool all = library != NULL;
    if (!all) return RN_FILE;
    CALLS(RN_LATE_FIND)
    return all ? RN_OK : rn_fail(RN_FILE, "%s: cannot be written: %s is too old", path, RN_NETCDF_LIBRARY);
}

/* The `open` of this writer: opens the library and makes the state; the file is made with the first frame. On failure
   returns RN_MEMORY, or RN_FILE if the library is missing or too old, or the path too long. */
static rn_result open_netcdf(const rn_export_job *job, void **state) {
    netcdf *n = rn_alloc(&job->def.hooks, 1, sizeof *n);
    if (!n) return RN_MEMORY;
    rn_result result = rn_export_path(job, "run", job->def.first_frame, "nc", n->path);
    if (result == RN_OK) result = open_library(&n->calls, n->path);
    if (result != RN_OK) {
        rn_free(&job->def.hooks, n);
        return result;
    }
    n->crs = job->crs;
    n->globe = rn_export_is_globe(&job->def.georeference);
    *state = n;
    return RN_OK;
}

/* Fails with RN_FILE and libnetcdf's message for a status. */
static rn_result fail(const netcdf *n, int status) {
    return rn_fail(RN_FILE, "%s: cannot be written: %s", n->path, n->calls.nc_strerror(status));
}

/* ---- The header ------------------------------------------------------------------------------------------------ */

/* Once a call has failed, later ones do nothing. */
typedef struct header {
    const netcdf *n;
    int status;
} header;

/* Adds a text attribute to a variable (NC_GLOBAL: to the file); does nothing after a failure. */
static void put_text(header *h, int variable, const char *key, const char *value) {
    if (h->status == NC_NOERR) h->status = h->n->calls.nc_put_att_text(h->n->file, variable, key, strlen(value), value);
}

/* Adds an attribute of numbers to a variable (NC_GLOBAL: to the file); does nothing after a failure. */
static void put_numbers(header *h, int variable, const char *key, int count, const double *numbers) {
    if (h->status == NC_NOERR)
        h->status = h->n->calls.nc_put_att_double(h->n->file, variable, key, NC_DOUBLE, (size_t)count, numbers);
}

/* Defines a variable of `count` dimensions and returns its number; -1 after a failure. */
static int define_variable(header *h, const char *name, nc_type type, int count, const int *dimensions) {
    int variable = -1;
    if (h->status == NC_NOERR) h->status = h->n->calls.nc_def_var(h->n->file, name, type, count, dimensions, &variable);
    return variable;
}

typedef struct axis {
    const char *name, *unit, *long_name, *standard_name, *axis;
} axis;

/* Defines the variables of the coordinates, and stores their numbers in n->axes. Failures are in h->status. */
static void define_axes(header *h, netcdf *n, const int dimensions[DIMENSIONS]) {
    char unit[32];
    rn_export_unit(n->crs, unit, sizeof unit);
    const axis flat_y = {"y", unit, "middle of the cell", n->crs ? "projection_y_coordinate" : NULL, "Y"};
    const axis flat_x = {"x", unit, "middle of the cell", n->crs ? "projection_x_coordinate" : NULL, "X"};
    const axis globe_y = {"y", "degrees_north", "middle of the cell", "latitude", "Y"};
    const axis globe_x = {"x", "degrees_east", "middle of the cell", "longitude", "X"};
    const axis axes[DIMENSIONS] = {
        /* CF requires a date to count from; a simulation has none, so this one is arbitrary. */
        [TIME] = {"time", "seconds since 2000-01-01 00:00:00", "simulated time", "time", "T"},
        [LAYER] = {"layer", "1", "columns of a cell, counted from the lowest", NULL, "Z"},
        [Y] = n->globe ? globe_y : flat_y,
        [X] = n->globe ? globe_x : flat_x,
    };
    for (int i = 0; i < DIMENSIONS; i++) {
        n->axes[i] = define_variable(h, axes[i].name, NC_DOUBLE, 1, &dimensions[i]);
        put_text(h, n->axes[i], "units", axes[i].unit);
        put_text(h, n->axes[i], "long_name", axes[i].long_name);
        put_text(h, n->axes[i], "axis", axes[i].axis);
        if (axes[i].standard_name) put_text(h, n->axes[i], "standard_name", axes[i].standard_name);
    }
    put_text(h, n->axes[TIME], "calendar", "standard");
    put_text(h, n->axes[LAYER], "positive", "up");
}

/* Defines all fields, NAN where they have no value, and the coordinate system if there is one; stores the numbers of
   the fields in n->fields. The height of the map's origin is an add_offset of level and base. Failures are in
   h->status. */
static void define_fields(header *h, netcdf *n, const rn_export_job *job, const int dimensions[DIMENSIONS]) {
    const float none = NAN;
    for (int i = 0; i < FIELDS; i++) {
        n->fields[i] = define_variable(h, fields[i].name, NC_FLOAT, DIMENSIONS, dimensions);
        if (h->status == NC_NOERR) h->status = n->calls.nc_def_var_fill(n->file, n->fields[i], NC_FILL, &none);
        put_text(h, n->fields[i], "units", fields[i].unit);
        put_text(h, n->fields[i], "long_name", fields[i].long_name);
        if (n->crs) put_text(h, n->fields[i], "grid_mapping", "crs");
        const double height = job->def.georeference.origin[2];
        if (height != 0 && (i == LEVEL || i == BASE)) put_numbers(h, n->fields[i], "add_offset", 1, &height);
    }
    if (!n->crs) return;
    const int crs = define_variable(h, "crs", NC_INT, 0, NULL);
    rn_cf_value values[RN_CF_VALUES];
    const int count = rn_export_cf(n->crs, values);
    for (int i = 0; i < count; i++)
        if (values[i].count == 0) put_text(h, crs, values[i].name, values[i].text);
        else put_numbers(h, crs, values[i].name, values[i].count, values[i].numbers);
    const bool wkt = strchr(n->crs, '[') != NULL; /* else a code, which only GDAL could look up */
    put_text(h, crs, wkt ? "crs_wkt" : "long_name", n->crs);
    put_text(h, crs, "spatial_ref", n->crs); /* the same, for GDAL, which takes either */
}

/* Writes the coordinates except time (in the run's coordinate system; layers from 0). `numbers`: room for the longest.
   Returns a status of libnetcdf. */
static int write_axes(const netcdf *n, const rn_export_grid *g, double *numbers) {
    const struct {
        double first, step;
        int count;
    } axes[DIMENSIONS] = {[LAYER] = {0, 1, g->place.layers},
                          [Y] = {g->place.origin_y + 0.5 * g->place.step_y, g->place.step_y, g->place.cells_y},
                          [X] = {g->place.origin_x + 0.5 * g->place.step_x, g->place.step_x, g->place.cells_x}};
    int status = NC_NOERR;
    for (int i = LAYER; i <= X && status == NC_NOERR; i++) {
        for (int k = 0; k < axes[i].count; k++) numbers[k] = axes[i].first + k * axes[i].step;
        status = n->calls.nc_put_var_double(n->file, n->axes[i], numbers);
    }
    return status;
}

/* Defines everything in the file, for columns like these, and ends the definitions. Returns a status of libnetcdf. */
static int write_header(netcdf *n, const rn_export_job *job, const rn_export_grid *g) {
    header h = {.n = n};
    int dimensions[DIMENSIONS];
    const struct {
        const char *name;
        size_t length;
    } all[DIMENSIONS] = {{"time", NC_UNLIMITED},
                         {"layer", (size_t)g->place.layers},
                         {"y", (size_t)g->place.cells_y},
                         {"x", (size_t)g->place.cells_x}};
    for (int i = 0; i < DIMENSIONS && h.status == NC_NOERR; i++)
        h.status = n->calls.nc_def_dim(n->file, all[i].name, all[i].length, &dimensions[i]);
    define_axes(&h, n, dimensions);
    define_fields(&h, n, job, dimensions);
    char source[64];
    snprintf(source, sizeof source, "runnel %s", rn_version());
    put_text(&h, NC_GLOBAL, "Conventions", "CF-1.8");
    put_text(&h, NC_GLOBAL, "title", job->def.title ? job->def.title : "");
    put_text(&h, NC_GLOBAL, "source", source);
    return h.status == NC_NOERR ? n->calls.nc_enddef(n->file) : h.status;
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

/* Closes the file; does nothing if none is open. */
static rn_result close_file(netcdf *n) {
    const int status = n->open ? n->calls.nc_close(n->file) : NC_NOERR;
    n->open = false;
    return status == NC_NOERR ? RN_OK : fail(n, status);
}

/* Begins a file for columns like these at n->path, and gives it its name as soon as it has a header. After a failure no
   file is open. */
static rn_result begin_file(const rn_export_job *job, netcdf *n, const rn_export_grid *g) {
    rn_whole_file file;
    rn_result result = rn_whole_file_name(&file, n->path);
    if (result != RN_OK) return result;
    const size_t longest = (size_t)(g->place.layers + g->place.cells_y + g->place.cells_x);
    double *numbers = rn_alloc(&job->def.hooks, longest, sizeof *numbers);
    if (!numbers) return RN_MEMORY;
    int status = n->calls.nc_create(file.temporary, NC_CLOBBER | NC_64BIT_OFFSET, &n->file);
    n->open = status == NC_NOERR;
    if (status == NC_NOERR) status = write_header(n, job, g);
    if (status == NC_NOERR) status = write_axes(n, g, numbers);
    if (status == NC_NOERR) status = n->calls.nc_sync(n->file);
    rn_free(&job->def.hooks, numbers);
    n->layers = g->place.layers;
    n->frames = 0;
    if (status == NC_NOERR) result = rn_whole_file_keep(&file);
    else {
        result = fail(n, status);
        rn_whole_file_drop(&file);
    }
    if (result == RN_OK || !n->open) return result;
    n->calls.nc_close(n->file); /* data added to a file without a name would be lost */
    n->open = false;
    return result;
}

/* The `add` of this writer: appends a frame. If the number of layers has changed, begins another file, named after this
   frame. The time is written last: a frame without a time is not complete, and the next one overwrites it. */
static rn_result add_frame(const rn_export_job *job, void *state, const rn_export_moment *moment) {
    netcdf *n = state;
    const rn_export_grid *g = moment->grid;
    rn_result result = RN_OK;
    if (n->open && g->place.layers != n->layers) { /* a file cannot change its layers: begins another */
        result = close_file(n);
        if (result == RN_OK) result = rn_export_path(job, "run", moment->frame.number, "nc", n->path);
    }
    if (result == RN_OK && !n->open) result = begin_file(job, n, g);
    if (result != RN_OK) return result;
    const float *const values[FIELDS] = {g->depth, g->level, g->base, g->velocity, g->velocity + g->slots};
    const size_t start[DIMENSIONS] = {n->frames};
    const size_t count[DIMENSIONS] = {1, (size_t)g->place.layers, (size_t)g->place.cells_y, (size_t)g->place.cells_x};
    int status = NC_NOERR;
    for (int i = 0; i < FIELDS && status == NC_NOERR; i++)
        status = n->calls.nc_put_vara_float(n->file, n->fields[i], start, count, values[i]);
    if (status == NC_NOERR)
        status = n->calls.nc_put_vara_double(n->file, n->axes[TIME], start, count, &moment->frame.time);
    if (status == NC_NOERR) status = n->calls.nc_sync(n->file);
    if (status != NC_NOERR) return fail(n, status); /* the next frame overwrites this one */
    n->frames++;
    return RN_OK;
}

/* The `close` of this writer: closes the file and frees the state. */
static rn_result close_netcdf(const rn_export_job *job, void *state) {
    netcdf *n = state;
    const rn_result result = close_file(n);
    rn_free(&job->def.hooks, n);
    return result;
}

#endif

const rn_export_writer rn_writer_nc = {
    .kind =
        {
            .name = "nc",
            .about = "NetCDF (CF-1.8), one file with all frames: depth, level, base, velocity of each layer",
            .files = "run-#.nc",
            .needs = RN_EXPORT_COLUMNS,
#ifndef RN_NETCDF_LIBRARY
            .without = "libnetcdf (libnetcdf-dev)",
#endif
        },
#ifdef RN_NETCDF_LIBRARY
    .open = open_netcdf,
    .add = add_frame,
    .close = close_netcdf,
#endif
};
