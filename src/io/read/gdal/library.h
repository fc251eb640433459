/* GDAL, opened when it is used: it and the hundred libraries that it needs cost a program that reads none of its files
   nothing. */
#ifndef RN_IO_GDAL_LIBRARY_H
#define RN_IO_GDAL_LIBRARY_H

#include "base/late_library.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#include <runnel/base.h>

/* The calls that are made. */
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
    X(OSRGetName)

typedef struct rn_gdal {
    RN_GDAL_CALLS(RN_LATE_MEMBER)
} rn_gdal;

/* Opens the library, silences it, and makes it know local files of the formats that hold heights; nothing else: no
   networks, no files that name other files. Never closed: this is for a process that ends soon. */
rn_result rn_gdal_open(rn_gdal *gdal, const char *path);

#endif
