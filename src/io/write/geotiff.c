/* GeoTIFF, written by GDAL at the end of a run: largest depths and arrival times; a band for each layer. */
#include "io/write/writer.h"

#ifdef RN_GDAL_LIBRARY

#include "base/error.h"
#include "base/late_library.h"
#include "base/memory.h"
#include "io/file/whole_file.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>
#include <math.h>

#define CALLS(X)                                                                                                       \
    X(CPLPushErrorHandler)                                                                                             \
    X(CPLPopErrorHandler)                                                                                              \
    X(CPLQuietErrorHandler)                                                                                            \
    X(CPLGetLastErrorMsg)                                                                                              \
    X(CPLErrorReset)                                                                                                   \
    X(CPLGetLastErrorType)                                                                                             \
    X(GDALGetDriverByName)                                                                                             \
    X(GDALCreate)                                                                                                      \
    X(GDALSetGeoTransform)                                                                                             \
    X(GDALSetProjection)                                                                                               \
    X(GDALGetRasterBand)                                                                                               \
    X(GDALSetRasterNoDataValue)                                                                                        \
    X(GDALSetDescription)                                                                                              \
    X(GDALSetRasterUnitType)                                                                                           \
    X(GDALRasterIO)                                                                                                    \
    X(GDALClose)

typedef struct gdal_calls {
    CALLS(RN_LATE_MEMBER)
    void (*GDALRegister_GTiff)(void);
} gdal_calls;

/* The `open` of this writer: opens GDAL and finds its functions, which are the state. Returns RN_FILE if it is missing
   or too old. */
static rn_result open_gdal(const rn_export_job *job, void **state) {
    gdal_calls *calls = rn_alloc(&job->def.hooks, 1, sizeof *calls);
    if (!calls) return RN_MEMORY;
    void *library = rn_late_open(RN_GDAL_LIBRARY, "tif");
    bool all = library != NULL;
    if (all) {
        CALLS(RN_LATE_FIND)
        RN_LATE_FIND(GDALRegister_GTiff)
        if (!all) rn_fail(RN_FILE, "tif: cannot be written: %s is too old", RN_GDAL_LIBRARY);
    }
    if (!all) {
        rn_free(&job->def.hooks, calls);
        return RN_FILE;
    }
    calls->GDALRegister_GTiff(); /* and no other driver */
    *state = calls;
    return RN_OK;
}

typedef struct sheet {
    const char *name, *unit, *about;
    const float *values;
} sheet;

/* Writes a band for each layer of a map. Rows of a picture begin in the north, those of the map in the south. Returns
   false if GDAL failed. */
static bool write_bands(const gdal_calls *gdal, GDALDatasetH file, const rn_export_maxima *m, const sheet *map) {
    const size_t row = (size_t)m->place.cells_x;
    bool fine = true;
    for (int layer = 0; layer < m->place.layers && fine; layer++) {
        GDALRasterBandH band = gdal->GDALGetRasterBand(file, layer + 1);
        char about[96];
        snprintf(about, sizeof about, "%s, layer %d", map->about, layer);
        gdal->GDALSetDescription(band, about);
        gdal->GDALSetRasterUnitType(band, map->unit);
        gdal->GDALSetRasterNoDataValue(band, NAN);
        for (int y = 0; y < m->place.cells_y && fine; y++) {
            const size_t south = (size_t)layer * (size_t)m->place.cells_y + (size_t)(m->place.cells_y - 1 - y);
            /* GDAL reads and writes through one function, which therefore has no const */
            float *line = (float *)(uintptr_t)(map->values + south * row);
            fine = gdal->GDALRasterIO(band, GF_Write, 0, y, m->place.cells_x, 1, line, m->place.cells_x, 1, GDT_Float32,
                                      0, 0) == CE_None;
        }
    }
    return fine;
}

/* Writes one map of all layers to NAME-#.tif, with the first frame's number, completely or not at all. Returns RN_FILE,
   with GDAL's message, on failure. */
static rn_result write_map(const gdal_calls *gdal, const rn_export_job *job, const sheet *map) {
    const rn_export_maxima *m = &job->maxima;
    char path[RN_EXPORT_PATH];
    rn_result result = rn_export_path(job, map->name, job->def.first_frame, "tif", path);
    rn_whole_file whole;
    if (result == RN_OK) result = rn_whole_file_name(&whole, path);
    if (result != RN_OK) return result;
    /* Bands are written one after the other: interleaved, every block of a large map would be compressed once per
       band. */
    char *options[] = {(char[]){"COMPRESS=DEFLATE"}, (char[]){"PREDICTOR=3"}, (char[]){"INTERLEAVE=BAND"},
                       (char[]){"BIGTIFF=IF_SAFER"}, NULL};
    gdal->CPLErrorReset();
    GDALDatasetH file = gdal->GDALCreate(gdal->GDALGetDriverByName("GTiff"), whole.temporary, m->place.cells_x,
                                         m->place.cells_y, m->place.layers, GDT_Float32, options);
    bool fine = file != NULL;
    if (fine) {
        const rn_export_place *p = &m->place;
        double corner[6] = {p->origin_x, p->step_x, 0, p->origin_y + p->cells_y * p->step_y, 0, -p->step_y};
        gdal->GDALSetGeoTransform(file, corner);
        if (job->crs) fine = gdal->GDALSetProjection(file, job->crs) == CE_None;
        fine = fine && write_bands(gdal, file, m, map);
        gdal->GDALClose(file); /* which writes the rest, and has no result */
        fine = fine && gdal->CPLGetLastErrorType() < CE_Failure;
    }
    if (fine) return rn_whole_file_keep(&whole);
    result = rn_fail(RN_FILE, "%s: cannot be written: %.200s", path, gdal->CPLGetLastErrorMsg());
    rn_whole_file_drop(&whole);
    return result;
}

/* The `close` of this writer: writes both maps of a run, none if no columns were recorded, and frees the state. */
static rn_result write_maps(const rn_export_job *job, void *state) {
    const sheet maps[] = {{"deepest", "m", "greatest depth (m)", job->maxima.deepest},
                          {"arrival", "s", "when liquid came (s)", job->maxima.arrival}};
    gdal_calls *gdal = state;
    rn_result result = RN_OK;
    gdal->CPLPushErrorHandler(gdal->CPLQuietErrorHandler); /* only for this thread: the host may have its own */
    for (int i = 0; i < 2 && job->maxima.place.layers > 0 && result == RN_OK; i++)
        result = write_map(gdal, job, &maps[i]);
    gdal->CPLPopErrorHandler();
    rn_free(&job->def.hooks, gdal);
    return result;
}

#endif

const rn_export_writer rn_writer_tif = {
    .kind =
        {
            .name = "tif",
            .about = "GeoTIFF at the end of the run: the greatest depth, and when liquid arrived",
            .files = "deepest-#.tif arrival-#.tif",
            .needs = RN_EXPORT_WATCH,
#ifndef RN_GDAL_LIBRARY
            .without = "GDAL (libgdal-dev)",
#endif
        },
#ifdef RN_GDAL_LIBRARY
    .open = open_gdal,
    .close = write_maps,
#endif
};
