/* What libnetcdf and GDAL find in a file, for tests/test_exports.py.
     read_grid FILE.nc VARIABLE [ATTRIBUTE]   the values of a variable as doubles, or a text attribute
     read_grid FILE.tif BAND                  six numbers of the place, and the values, as doubles
     read_grid FILE.tif crs                   the coordinate system as WKT */
#include <gdal.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *why) { return fprintf(stderr, "%s\n", why), 1; }

static int read_netcdf(const char *path, const char *name, const char *attribute) {
    int file, variable = NC_GLOBAL, count = 0, dimensions[NC_MAX_VAR_DIMS];
    int status = nc_open(path, NC_NOWRITE, &file);
    if (status == NC_NOERR && *name) status = nc_inq_varid(file, name, &variable);
    if (status != NC_NOERR) return fail(nc_strerror(status));
    if (attribute) {
        size_t length = 0;
        status = nc_inq_attlen(file, variable, attribute, &length);
        char *text = calloc(length + 1, 1);
        if (status == NC_NOERR) status = text ? nc_get_att_text(file, variable, attribute, text) : NC_ENOMEM;
        if (status == NC_NOERR) fputs(text, stdout);
        free(text);
        nc_close(file);
        return status == NC_NOERR ? 0 : fail(nc_strerror(status));
    }
    size_t values = 1, length;
    nc_inq_var(file, variable, NULL, NULL, &count, dimensions, NULL);
    for (int i = 0; i < count; i++) {
        nc_inq_dimlen(file, dimensions[i], &length);
        values *= length;
    }
    double *numbers = calloc(values, sizeof *numbers);
    status = numbers ? nc_get_var_double(file, variable, numbers) : NC_ENOMEM;
    if (status == NC_NOERR) fwrite(numbers, sizeof *numbers, values, stdout);
    free(numbers);
    nc_close(file);
    return status == NC_NOERR ? 0 : fail(nc_strerror(status));
}

static int read_system(const char *path) {
    GDALAllRegister();
    GDALDatasetH file = GDALOpen(path, GA_ReadOnly);
    if (!file) return fail(CPLGetLastErrorMsg());
    fputs(GDALGetProjectionRef(file), stdout);
    GDALClose(file);
    return 0;
}

static int read_tif(const char *path, int band) {
    GDALAllRegister();
    GDALDatasetH file = GDALOpen(path, GA_ReadOnly);
    double place[6];
    if (!file || GDALGetGeoTransform(file, place) != CE_None) return fail(CPLGetLastErrorMsg());
    const int width = GDALGetRasterXSize(file), height = GDALGetRasterYSize(file);
    double *numbers = calloc((size_t)width * (size_t)height, sizeof *numbers);
    const int fine = numbers && GDALRasterIO(GDALGetRasterBand(file, band), GF_Read, 0, 0, width, height, numbers,
                                             width, height, GDT_Float64, 0, 0) == CE_None;
    fwrite(place, sizeof *place, 6, stdout);
    if (fine) fwrite(numbers, sizeof *numbers, (size_t)width * (size_t)height, stdout);
    free(numbers);
    GDALClose(file);
    return fine ? 0 : fail(CPLGetLastErrorMsg());
}

int main(int argc, char **argv) {
    if (argc < 3) return fail("read_grid FILE.nc VARIABLE [ATTRIBUTE] | FILE.tif BAND");
    const char *end = strrchr(argv[1], '.');
    if (end && strcmp(end, ".tif") == 0 && strcmp(argv[2], "crs") == 0) return read_system(argv[1]);
    if (end && strcmp(end, ".tif") == 0) return read_tif(argv[1], atoi(argv[2]));
    return read_netcdf(argv[1], argv[2], argc > 3 ? argv[3] : NULL);
}
