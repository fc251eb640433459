/* GDAL, opened on first use: it and the hundred libraries that it needs cost nothing for programs that do not read
   its files. */
#ifndef RN_IO_GDAL_LIBRARY_H
#define RN_IO_GDAL_LIBRARY_H

#include "base/late_library.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#include <runnel/base.h>

/* The functions that are used. */
#define RN_GDAL_CALLS(X)                                                                                               \
    X(CPLSetConfigOption)                                                                                              \
    X(CPLSetErrorHandler)                                                                                              \
    X(CPLQuietErrorHandler)                                                                                            \
    X(CPLGetLastErrorMsg)                                                                                              \
    X(CPLErrorReset)                                                                                                   \
    X(GDALOpenEx)                                                                                                      \
    X(GDALGetRasterXSize)                                                                                              \
    X(GDALGetRasterYSize)                                                                                              \
    X(GDALGetRasterCount)                                                                                              \
    X(GDALGetRasterBand)                                                                                               \
    X(GDALGetRasterDataType)                                                                                           \
    X(GDALDataTypeIsComplex)                                                                                           \
    X(GDALGetGeoTransform)                                                                                             \
    X(GDALGetSpatialRef)                                                                                               \
    X(GDALGetRasterNoDataValue)                                                                                        \
    X(GDALGetRasterScale)                                                                                              \
    X(GDALGetRasterOffset)                                                                                             \
    X(GDALGetRasterUnitType)                                                                                           \
    X(GDALRasterIO)                                                                                                    \
    X(OSRIsGeographic)                                                                                                 \
    X(OSRGetLinearUnits)                                                                                               \
    X(OSRGetAuthorityName)                                                                                             \
    X(OSRGetAuthorityCode)                                                                                             \
    X(OSRGetName)                                                                                                      \
    X(OSRExportToWkt)                                                                                                  \
    X(VSIFree)

typedef struct rn_gdal {
    RN_GDAL_CALLS(RN_LATE_MEMBER)
} rn_gdal;

/* Opens the library, fills in its functions, silences it, and enables only local files in formats that hold heights: no
   networks, no files that name other files. It is never closed: this is for a process that ends soon. Returns
   RN_UNSUPPORTED if it is missing or too old. `path`: the file to be read, for messages. */
rn_result rn_gdal_open(rn_gdal *gdal, const char *path);

#endif
