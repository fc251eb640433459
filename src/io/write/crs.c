/* Coordinate systems of exports. */
#include "base/memory.h"
#include "io/file/wkt.h"
#include "io/write/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets *copy to a copy of a text, in memory of these hooks. */
static rn_result copy_text(const char *text, const rn_hooks *hooks, char **copy) {
    *copy = rn_alloc(hooks, strlen(text) + 1, 1);
    if (!*copy) return RN_MEMORY;
    memcpy(*copy, text, strlen(text) + 1);
    return RN_OK;
}

#ifdef RN_GDAL_LIBRARY

#include "base/error.h"
#include "base/late_library.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <ogr_srs_api.h>

#define CALLS(X)                                                                                                       \
    X(CPLPushErrorHandler)                                                                                             \
    X(CPLPopErrorHandler)                                                                                              \
    X(CPLQuietErrorHandler)                                                                                            \
    X(OSRNewSpatialReference)                                                                                          \
    X(OSRDestroySpatialReference)                                                                                      \
    X(OSRImportFromEPSG)                                                                                               \
    X(OSRImportFromWkt)                                                                                                \
    X(OSRExportToWkt)                                                                                                  \
    X(VSIFree)

typedef struct crs_calls {
    CALLS(RN_LATE_MEMBER)
} crs_calls;

/* The text of a system as GDAL writes it, to be freed by VSIFree, or NULL if GDAL does not know the system. */
static char *text_of(const crs_calls *gdal, const char *crs) {
    char *text = NULL, *rest = (char *)(uintptr_t)crs; /* GDAL moves this pointer, and writes nothing */
    gdal->CPLPushErrorHandler(gdal->CPLQuietErrorHandler);
    OGRSpatialReferenceH system = gdal->OSRNewSpatialReference(NULL);
    const bool code = strncmp(crs, "EPSG:", 5) == 0;
    const OGRErr read = code ? gdal->OSRImportFromEPSG(system, atoi(crs + 5)) : gdal->OSRImportFromWkt(system, &rest);
    if (read == OGRERR_NONE) gdal->OSRExportToWkt(system, &text);
    gdal->OSRDestroySpatialReference(system);
    gdal->CPLPopErrorHandler();
    return text;
}

rn_result rn_export_wkt(const char *crs, const rn_hooks *hooks, char **wkt) {
    *wkt = NULL;
    if (!crs) return RN_OK;
    crs_calls functions, *calls = &functions;
    void *library = rn_late_open(RN_GDAL_LIBRARY, "crs");
    bool all = library != NULL;
    if (all) {
        CALLS(RN_LATE_FIND)
    }
    if (!all) return copy_text(crs, hooks, wkt);
    char *text = text_of(calls, crs);
    if (!text)
        rn_log(hooks, RN_LOG_WARNING, "exports have no coordinate system: GDAL does not know \"%.60s%s\"", crs,
               strlen(crs) > 60 ? "..." : "");
    const rn_result result = text ? copy_text(text, hooks, wkt) : RN_OK;
    calls->VSIFree(text);
    return result;
}

#else

rn_result rn_export_wkt(const char *crs, const rn_hooks *hooks, char **wkt) {
    *wkt = NULL;
    return crs ? copy_text(crs, hooks, wkt) : RN_OK;
}

#endif

void rn_print_origin(FILE *stream, const char *word, const rn_mesh_style *style) {
    const rn_georeference *g = &style->georeference;
    if (!(g->scale[0] > 0)) return;
    const double unit = 1 / (double)style->axes.per_metre; /* m */
    const bool y_up = style->axes.y_up;
    char numbers[6][RN_FLOAT_TEXT];
    for (int i = 0; i < 3; i++) rn_exact_text(g->origin[i], numbers[i]);
    for (int i = 0; i < 2; i++) rn_exact_text(g->scale[i] * unit, numbers[3 + i]);
    rn_exact_text(unit, numbers[5]);
    fprintf(stream, "%s on the map: east = %s + %s * x, north = %s %c %s * %c, height = %s + %s * %c m\n", word,
            numbers[0], numbers[3], numbers[1], y_up ? '-' : '+', numbers[4], y_up ? 'z' : 'y', numbers[2], numbers[5],
            y_up ? 'y' : 'z');
}

void rn_export_unit(const char *crs, char *unit, size_t size) {
    static const struct {
        double metres;
        const char *name;
    } known[] = {{1, "m"}, {1000, "km"}, {0.3048, "foot"}, {1200.0 / 3937, "US_survey_foot"}};
    const double metres = crs ? rn_wkt_unit(rn_wkt_projected(crs)) : 0;
    snprintf(unit, size, "m");
    if (metres > 0) snprintf(unit, size, "%.15g m", metres);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (fabs(metres / known[i].metres - 1) < 1e-8) snprintf(unit, size, "%s", known[i].name);
}

bool rn_export_is_globe(const rn_georeference *georeference) {
    if (!(georeference->scale[0] > 0)) return false;
    return georeference->crs ? rn_wkt_is_globe(georeference->crs) : georeference->scale[0] < RN_GLOBE_SCALE;
}
