/* Where a scene lies on a map (georeference.h). */
#include "io/scene/georeference.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

bool rn_georeference_is_known(const rn_georeference *g) { return g->scale[0] != 0; }

rn_result rn_georeference_offer(rn_shape_context *context, const rn_georeference *g) {
    if (!context->is_ground || rn_georeference_is_known(&context->georeference) || !rn_georeference_is_known(g))
        return RN_OK;
    rn_free(NULL, context->crs); /* of an earlier file that was rotated */
    context->crs = NULL;
    if (g->crs) {
        const size_t size = strlen(g->crs) + 1;
        context->crs = rn_alloc(NULL, size, 1);
        if (!context->crs) return rn_fail(RN_MEMORY, "there is not enough memory");
        memcpy(context->crs, g->crs, size);
    }
    context->georeference = *g;
    context->georeference.crs = context->crs;
    return RN_OK;
}

void rn_georeference_pose(rn_georeference *g, const rn_shape_pose *pose) {
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
}

/* Whether a text is a code, such as EPSG:32613, or looks like WKT. */
static bool is_system(const char *crs) {
    const size_t digits = strncmp(crs, "EPSG:", 5) == 0 ? strspn(crs + 5, "0123456789") : 0;
    return (digits > 0 && digits <= 9 && crs[5 + digits] == 0) || strchr(crs, '[') != NULL;
}

rn_result rn_georeference_read(const rn_georeference_values *values, const json_t *given, const rn_json_path *place,
                               const rn_georeference *of_file, rn_georeference *g) {
    *g = *of_file;
    if (!given) return RN_OK;
    const rn_json_path crs_at = {place->document, place, "crs", 0};
    if (values->crs && !is_system(values->crs))
        return rn_document_fail(&crs_at, RN_INVALID,
                                "is \"%.60s\"; it must be a code such as \"EPSG:32613\", or WKT, as gdalsrsinfo -o wkt "
                                "prints it",
                                values->crs);
    if (values->crs) g->crs = values->crs;
    if (json_object_get(given, "origin")) memcpy(g->origin, values->origin, sizeof g->origin);
    if (json_object_get(given, "scale") || !rn_georeference_is_known(g))
        memcpy(g->scale, values->scale, sizeof g->scale);
    return RN_OK;
}
