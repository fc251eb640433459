/* Coordinate systems in the words of the conventions for climate and forecast (CF-1.8, appendix F), from WKT 1. */
#include "io/file/number.h"
#include "io/write/writer.h"

#include <string.h>

/* A projection: its name in CF, and the names there of its central meridian and its scale factor; the latter NULL: it
   has none. */
typedef struct projection {
    const char *wkt, *name, *meridian, *scale;
} projection;

/* The first whose WKT name the text begins with counts. */
static const projection projections[] = {
    {"Transverse_Mercator", "transverse_mercator", "longitude_of_central_meridian", "scale_factor_at_central_meridian"},
    {"Mercator", "mercator", "longitude_of_projection_origin", "scale_factor_at_projection_origin"},
    {"Lambert_Conformal_Conic", "lambert_conformal_conic", "longitude_of_central_meridian", NULL},
    {"Albers", "albers_conical_equal_area", "longitude_of_central_meridian", NULL},
    {"Lambert_Azimuthal_Equal_Area", "lambert_azimuthal_equal_area", "longitude_of_projection_origin", NULL},
};

/* The text after `mark`, such as PARAMETER["false_easting", in the WKT; NULL: it is not there. */
static const char *after(const char *wkt, const char *mark) {
    const char *found = strstr(wkt, mark);
    return found ? found + strlen(mark) : NULL;
}

/* Reads the number at the start of a text, up to a comma or bracket. */
static bool read_number(const char *text, double *number) {
    return text && rn_number_parse(text, strcspn(text, ",]"), number);
}

/* Reads a parameter of the projection. */
static bool read_parameter(const char *wkt, const char *name, double *number) {
    char mark[64];
    snprintf(mark, sizeof mark, "PARAMETER[\"%s\",", name);
    return read_number(after(wkt, mark), number);
}

/* Appends a number if the projection has the parameter, and if CF has a name for it. */
static void add_parameter(const char *wkt, const char *parameter, const char *name, rn_cf_value *values, int *count) {
    rn_cf_value value = {.name = name, .count = 1};
    if (name && read_parameter(wkt, parameter, &value.numbers[0])) values[(*count)++] = value;
}

/* Appends one or two standard parallels, as far as there are any. */
static void add_parallels(const char *wkt, rn_cf_value *values, int *count) {
    rn_cf_value value = {.name = "standard_parallel"};
    if (!read_parameter(wkt, "standard_parallel_1", &value.numbers[0])) return;
    value.count = read_parameter(wkt, "standard_parallel_2", &value.numbers[1]) ? 2 : 1;
    values[(*count)++] = value;
}

/* Appends the two numbers of the ellipsoid, which follow its name. */
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
    for (size_t i = 0; i < sizeof projections / sizeof *projections && name; i++)
        if (strncmp(name, projections[i].wkt, strlen(projections[i].wkt)) == 0) return &projections[i];
    return NULL;
}

int rn_export_cf(const char *wkt, rn_cf_value values[RN_CF_VALUES]) {
    const bool globe = strncmp(wkt, "GEOGCS[", 7) == 0;
    const projection *p = globe ? NULL : find_projection(wkt);
    int count = 0;
    if (!globe && !p) return 0;
    values[count++] = (rn_cf_value){.name = "grid_mapping_name", .text = globe ? "latitude_longitude" : p->name};
    add_ellipsoid(wkt, values, &count);
    if (globe) return count;
    add_parallels(wkt, values, &count);
    add_parameter(wkt, "central_meridian", p->meridian, values, &count);
    add_parameter(wkt, "longitude_of_center", p->meridian, values, &count);
    add_parameter(wkt, "latitude_of_origin", "latitude_of_projection_origin", values, &count);
    add_parameter(wkt, "latitude_of_center", "latitude_of_projection_origin", values, &count);
    add_parameter(wkt, "scale_factor", p->scale, values, &count);
    add_parameter(wkt, "false_easting", "false_easting", values, &count);
    add_parameter(wkt, "false_northing", "false_northing", values, &count);
    return count;
}
