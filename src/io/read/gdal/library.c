/* Opens GDAL with a few safe formats (library.h). */
#include "io/read/gdal/library.h"

/* Each is a single file, or one with a header of the same name beside it. A library may have been built without
   some. */
static const char *const formats[] = {"GTiff", "AAIGrid", "GRASSASCIIGrid", "SRTMHGT",  "DTED", "USGSDEM", "EHdr",
                                      "ENVI",  "GSAG",    "GSBG",           "GS7BG",    "BT",   "HFA",     "ISG",
                                      "HF2",   "SAGA",    "Leveller",       "Terragen", "ZMap", "NWT_GRD", "ROIPAC",
                                      "XYZ"};

static const char *const settings[][2] = {
    {"GDAL_CACHEMAX", "64"},                  /* MB */
    {"GDAL_NUM_THREADS", "1"},                /* a forked process starts none */
    {"GDAL_PAM_ENABLED", "NO"},               /* NAME.aux.xml may name any other file */
    {"GDAL_DISABLE_READDIR_ON_OPEN", "TRUE"}, /* folders may be large */
    {"CPL_DEBUG", "OFF"},
};

/* Fills in all functions of GDAL that are used. Returns false if some are missing, as in an old version. */
static bool find_calls(void *library, rn_gdal *calls) {
    bool all = true;
    RN_GDAL_CALLS(RN_LATE_FIND)
    return all;
}

/* Registers the drivers of all `formats` that the library has; the others are skipped. */
static void know_formats(void *library) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char name[64] = "GDALRegister_";
        void (*make_known)(void);
        strncat(name, formats[i], sizeof name - strlen(name) - 1);
        if (rn_late_find(library, name, &make_known, sizeof make_known)) make_known();
    }
}

rn_result rn_gdal_open(rn_gdal *gdal, const char *path) {
    void *library = dlopen(RN_GDAL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return rn_fail(RN_UNSUPPORTED,
                       "%s: is not a PNG picture, and GDAL, which reads others, cannot be used here: %s", path,
                       dlerror());
    if (!find_calls(library, gdal))
        return rn_fail(RN_UNSUPPORTED, "%s: is not a PNG picture, and %s, which reads others, is too old", path,
                       RN_GDAL_LIBRARY);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        gdal->CPLSetConfigOption(settings[i][0], settings[i][1]);
    gdal->CPLSetErrorHandler(gdal->CPLQuietErrorHandler);
    know_formats(library);
    return RN_OK;
}
