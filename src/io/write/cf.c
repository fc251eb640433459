/* Coordinate systems in the words of the conventions for climate and forecast (CF-1.8, appendix F), from WKT 1. */
#include "io/file/number.h"
#include "io/file/wkt.h"
#include "io/write/writer.h"

#include <math.h>
#include <string.h>

/* A projection: its names in WKT and in CF, and the names in CF of its central meridian and its scale factor. NULL: it
   has none. parallels: how many it needs. */
typedef struct projection {
    const char *wkt, *name, *meridian, *latitude, *scale;
    int parallels;
} projection;

#define CENTRAL "longitude_of_central_meridian"
#define MIDDLE  "longitude_of_projection_origin"
#define ORIGIN  "latitude_of_projection_origin"
static const projection projections[] = {
    {"Transverse_Mercator", "transverse_mercator", CENTRAL, ORIGIN, "scale_factor_at_central_meridian", 0},
    {"Mercator_1SP", "mercator", MIDDLE, NULL, "scale_factor_at_projection_origin", 0},
    {"Mercator_2SP", "mercator", MIDDLE, NULL, NULL, 1},
    {"Lambert_Conformal_Conic_2SP", "lambert_conformal_conic", CENTRAL, ORIGIN, NULL, 2},
    {"Lambert_Conformal_Conic", "lambert_conformal_conic", CENTRAL, ORIGIN, NULL, 2},
    {"Albers_Conic_Equal_Area", "albers_conical_equal_area", CENTRAL, ORIGIN, NULL, 2},
    {"Albers", "albers_conical_equal_area", CENTRAL, ORIGIN, NULL, 2},
    {"Lambert_Azimuthal_Equal_Area", "lambert_azimuthal_equal_area", MIDDLE, ORIGIN, NULL, 0},
};

/* The text after `mark`, such as PARAMETER["false_easting", in the WKT, or NULL if it is not there. */
static const char *after(const char *wkt, const char *mark) {
    const char *found = strstr(wkt, mark);
    return found ? found + strlen(mark) : NULL;
}

/* Reads the number at the start of a text, up to a comma or bracket. Returns false if there is none. */
static bool read_number(const char *text, double *number) {
    return text && rn_number_parse(text, strcspn(text, ",]"), number);
}

/* Reads a parameter of the projection. Returns false if there is none. */
static bool read_parameter(const char *wkt, const char *name, double *number) {
    char mark[64];
    snprintf(mark, sizeof mark, "PARAMETER[\"%s\",", name);
    return read_number(after(wkt, mark), number);
}

/* Appends the number of a parameter, which WKT may also call `other`, as the value `name` of CF. Does nothing, and
   returns true, if `name` is NULL. Returns false if the parameter is missing. */
static bool add_parameter(const char *wkt, const char *parameter, const char *other, const char *name,
                          rn_cf_value *values, int *count) {
    rn_cf_value value = {.name = name, .count = 1};
    if (!name) return true; /* it has none */
    if (!read_parameter(wkt, parameter, &value.numbers[0]) && !read_parameter(wkt, other, &value.numbers[0]))
        return false;
    values[(*count)++] = value;
    return true;
}

/* Appends the first `parallels` (0 to 2) standard parallels of the projection in `wkt` as one value. Returns false,
   with nothing appended, if `wkt` lacks one of them. */
static bool add_parallels(const char *wkt, int parallels, rn_cf_value *values, int *count) {
    rn_cf_value value = {.name = "standard_parallel", .count = parallels};
    if (parallels == 0) return true;
    if (!read_parameter(wkt, "standard_parallel_1", &value.numbers[0])) return false;
    if (parallels == 2 && !read_parameter(wkt, "standard_parallel_2", &value.numbers[1])) return false;
    values[(*count)++] = value;
    return true;
}

/* Appends the two numbers of the ellipsoid, which follow its name in WKT; only the axis of a sphere, and nothing if the
   numbers are missing. */
static void add_ellipsoid(const char *wkt, rn_cf_value *values, int *count) {
    const char *name = after(wkt, "SPHEROID[\""), *first = name ? after(name, "\",") : NULL;
    const char *second = first ? after(first, ",") : NULL;
    rn_cf_value axis = {.name = "semi_major_axis", .count = 1}, flat = {.name = "inverse_flattening", .count = 1};
    if (!read_number(first, &axis.numbers[0]) || !read_number(second, &flat.numbers[0])) return;
    values[(*count)++] = axis;
    if (flat.numbers[0] > 0) values[(*count)++] = flat; /* 0: a sphere */
}

/* The projection of a system; NULL: not known. */
static const projection *find_projection(const char *wkt) {
    const char *name = after(wkt, "PROJECTION[\"");
    for (size_t i = 0; i < sizeof projections / sizeof *projections && name; i++) {
        const size_t length = strlen(projections[i].wkt);
        if (strncmp(name, projections[i].wkt, length) == 0 && name[length] == '"') return &projections[i];
    }
    return NULL;
}

/* Whether CF could describe the system: from Greenwich, in degrees, and without what other programs have to add. */
static bool is_plain(const char *wkt) {
    static const double degree = 0.017453292519943295;
    const char *name = after(wkt, "PRIMEM[\""), *globe = strstr(wkt, "GEOGCS[");
    const double angle = rn_wkt_unit(globe);
    double meridian = 0;
    if (name && !read_number(after(name, "\","), &meridian)) return false;
    return meridian == 0 && (angle == 0 || fabs(angle / degree - 1) < 1e-6) && !strstr(wkt, "EXTENSION[") &&
           !strstr(wkt, "Auxiliary_Sphere");
}

int rn_export_cf(const char *wkt, rn_cf_value values[RN_CF_VALUES]) {
    const bool globe = strncmp(wkt, "GEOGCS[", 7) == 0;
    const projection *p = globe ? NULL : find_projection(wkt);
    int count = 0;
    if ((!globe && !p) || !is_plain(wkt)) return 0;
    values[count++] = (rn_cf_value){.name = "grid_mapping_name", .text = globe ? "latitude_longitude" : p->name};
    add_ellipsoid(wkt, values, &count);
    if (globe) return count;
    const bool all = add_parallels(wkt, p->parallels, values, &count) &&
                     add_parameter(wkt, "central_meridian", "longitude_of_center", p->meridian, values, &count) &&
                     add_parameter(wkt, "latitude_of_origin", "latitude_of_center", p->latitude, values, &count) &&
                     add_parameter(wkt, "scale_factor", "scale_factor", p->scale, values, &count) &&
                     add_parameter(wkt, "false_easting", "false_easting", "false_easting", values, &count) &&
                     add_parameter(wkt, "false_northing", "false_northing", "false_northing", values, &count);
    return all ? count : 0;
}
