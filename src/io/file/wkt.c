/* What the text of a coordinate system says (wkt.h). */
#include "io/file/wkt.h"

#include "io/file/number.h"

#include <math.h>
#include <string.h>

/* The end of the element of WKT that begins at `at`: its closing bracket, or the end of the text. */
static const char *end_of_element(const char *at) {
    bool quoted = false;
    for (int depth = 0; *at; at++) {
        if (*at == '"') quoted = !quoted;
        else if (!quoted && (*at == '[' || *at == '(')) depth++;
        else if (!quoted && (*at == ']' || *at == ')') && --depth <= 0) break;
    }
    return at;
}

const char *rn_wkt_projected(const char *text) {
    const char *old = strstr(text, "PROJCS[");
    return old ? old : strstr(text, "PROJCRS[");
}

bool rn_wkt_is_globe(const char *text) {
    static const char *const codes[] = {"EPSG:4326", "EPSG:4979", "EPSG:4258", "EPSG:4269", "EPSG:4267", "EPSG:4277",
                                        "EPSG:4283", "EPSG:4490", "EPSG:4612", "EPSG:4617", "EPSG:4674", "EPSG:4167",
                                        "EPSG:4171", "EPSG:4230", "EPSG:6318", "EPSG:6668", "EPSG:7844"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(text, codes[i]) == 0) return true;
    return !rn_wkt_projected(text) && (strstr(text, "GEOGCS[") || strstr(text, "GEOGCRS[") || strstr(text, "GEODCRS["));
}

double rn_wkt_unit(const char *element) {
    const char *last = element ? end_of_element(element) : NULL, *unit = NULL;
    for (const char *at = element; at && (at = strstr(at, "UNIT[\"")) && at < last; at++) unit = at;
    const char *comma = unit ? strchr(unit, ',') : NULL;
    double size;
    if (!comma || !rn_number_parse(comma + 1, strcspn(comma + 1, "],"), &size)) return 0;
    return size > 0 && isfinite(size) ? size : 0;
}
