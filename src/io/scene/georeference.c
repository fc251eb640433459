/* Where a scene lies on a map (georeference.h). */
#include "io/scene/georeference.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file/wkt.h"

#include <math.h>
#include <string.h>

bool rn_georeference_is_known(const rn_georeference *g) { return g->scale[0] > 0; }

/* Replaces context->crs by a copy of a text, which may be NULL. Returns RN_MEMORY if memory runs out; then nothing has
   changed. */
static rn_result keep_text(rn_shape_context *context, const char *text) {
    char *copy = NULL;
    if (text) {
        const size_t size = strlen(text) + 1;
        copy = rn_alloc(NULL, size, 1);
        if (!copy) return rn_fail(RN_MEMORY, "there is not enough memory");
        memcpy(copy, text, size);
    }
    rn_free(NULL, context->crs);
    context->crs = copy;
    return RN_OK;
}

rn_result rn_georeference_offer(rn_shape_context *context, const rn_georeference *g, double rise) {
    if (!context->is_ground || rn_georeference_is_known(&context->georeference) || !rn_georeference_is_known(g))
        return RN_OK;
    const rn_result result = keep_text(context, g->crs);
    if (result != RN_OK) return result;
    context->georeference = *g;
    context->rise = rise;
    context->georeference.crs = context->crs;
    return RN_OK;
}

void rn_georeference_pose(rn_shape_context *context, const rn_shape_pose *pose) {
    rn_georeference *g = &context->georeference;
    if (!rn_georeference_is_known(g)) return;
    if (pose->turn[0] != 0 || pose->turn[1] != 0 || pose->turn[2] != 0) {
        *g = (rn_georeference){0};
        return;
    }
    for (int axis = 0; axis < 2; axis++) {
        g->scale[axis] /= pose->scale * pose->stretch[axis];
        g->origin[axis] -= g->scale[axis] * pose->at[axis];
    }
    g->origin[2] -= pose->at[2];
    context->rise *= pose->scale * pose->stretch[2];
}

/* Whether a text is a code, such as EPSG:32613, or looks like WKT. */
static bool is_system(const char *crs) {
    const size_t digits = strncmp(crs, "EPSG:", 5) == 0 ? strspn(crs + 5, "0123456789") : 0;
    return (digits > 0 && digits <= 9 && crs[5 + digits] == 0) || strchr(crs, '[') != NULL;
}

/* Returns RN_INVALID if the key "georeference", together with what the ground's file gives (of_file), leaves the
   coordinate system, the origin, or the scale of a system in degrees unclear. */
static rn_result check(const rn_georeference_values *values, const json_t *given, const rn_json_path *place,
                       const rn_georeference *of_file) {
    const rn_json_path crs_at = {place->document, place, "crs", 0}, origin_at = {place->document, place, "origin", 0},
                       scale_at = {place->document, place, "scale", 0};
    if (values->crs && !is_system(values->crs))
        return rn_document_fail(&crs_at, RN_INVALID,
                                "is \"%.60s\"; it must be a code such as \"EPSG:32613\", or WKT, as gdalsrsinfo -o wkt "
                                "prints it",
                                values->crs);
    if (!json_object_get(given, "origin") && !rn_georeference_is_known(of_file))
        return rn_document_fail(&origin_at, RN_INVALID,
                                "is missing, and the ground has no coordinates of its own; give those of the point 0, "
                                "0, 0 of the scene, such as [476000, 4425000, 0]");
    const bool metres = !rn_georeference_is_known(of_file) || of_file->scale[0] > RN_GLOBE_SCALE;
    if (values->crs && rn_wkt_is_globe(values->crs) && metres && !json_object_get(given, "scale"))
        return rn_document_fail(&scale_at, RN_INVALID,
                                "is missing: this coordinate system is in degrees; give the degrees in a metre along x "
                                "and y, such as [1.17e-05, 9.01e-06] at a latitude of 40 degrees");
    return RN_OK;
}

/* Sets the height of the origin to 0, and logs a warning, if the georeference comes from a file whose heights were
   stretched (context->rise is not 1). */
static void drop_height(const rn_shape_context *context, rn_georeference *g) {
    if (!rn_georeference_is_known(g) || fabs(context->rise - 1) <= 1e-6) return;
    g->origin[2] = 0;
    rn_log(context->hooks, RN_LOG_WARNING,
           "heights in exports are those of the scene, not of the map: the ground is stretched upwards by %.4g",
           context->rise);
}

rn_result rn_georeference_read(const rn_georeference_values *values, const json_t *given, const rn_json_path *place,
                               rn_shape_context *context, rn_georeference *g) {
    *g = context->georeference;
    if (!json_object_get(given, "origin")) drop_height(context, g);
    if (!given) return RN_OK;
    rn_result result = check(values, given, place, g);
    if (result == RN_OK && values->crs) result = keep_text(context, values->crs);
    if (result != RN_OK) return result;
    const bool known = rn_georeference_is_known(g);
    g->crs = context->crs;
    if (json_object_get(given, "origin")) memcpy(g->origin, values->origin, sizeof g->origin);
    if (json_object_get(given, "scale") || !known) memcpy(g->scale, values->scale, sizeof g->scale);
    return RN_OK;
}
