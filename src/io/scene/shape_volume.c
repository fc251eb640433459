/* Creates shapes of volumes (shape_volume.h). Failures leave the reason in rn_last_error(). */
#include "io/scene/shape_volume.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/scene/map.h"

/* What read_volume needs besides the path. */
typedef struct request {
    const rn_shape_context *context;
    rn_volume_def def;
} request;

/* Reads the surface of a volume, as an rn_triangle_reader; `how` is a request. Logs remarks about the file as warnings.
   Returns the result of rn_volume_read. */
static rn_result read_volume(const void *how, const char *path, rn_mesh_file *mesh) {
    const request *w = how;
    rn_volume_info info;
    rn_result result = rn_volume_read(path, &w->def, mesh, &info);
    char line[256];
    for (int i = 0; result == RN_OK && rn_volume_info_line(&info, i, line, sizeof line); i++)
        rn_log(w->context->hooks, RN_LOG_WARNING, "%s: %s", path, line);
    return result;
}

/* Returns the integers of a list, *count of them; the caller frees them with rn_free(NULL, ...). On failure returns
   NULL, with an error text and the result in context->failure: RN_INVALID if a number is not whole, or RN_MEMORY.
   `place`: that of the list. */
static int32_t *read_labels(rn_shape_context *context, const json_t *list, const rn_json_path *place, int *count) {
    const size_t given = rn_rows_count(list);
    float *numbers = rn_alloc(NULL, given, sizeof *numbers);
    int32_t *labels = rn_alloc(NULL, given, sizeof *labels);
    size_t used = 0;
    context->failure = numbers && labels ? RN_OK : RN_MEMORY;
    if (context->failure == RN_OK) rn_rows_copy(list, numbers, &used);
    for (size_t i = 0; i < used && context->failure == RN_OK; i++) {
        labels[i] = (int32_t)numbers[i];
        if ((float)labels[i] != numbers[i])
            context->failure =
                rn_document_fail(place, RN_INVALID, "has %g; labels are whole numbers", (double)numbers[i]);
    }
    rn_free(NULL, numbers);
    *count = (int)given;
    if (context->failure == RN_OK) return labels;
    rn_free(NULL, labels);
    return NULL;
}

rn_sdf *rn_shape_volume(rn_shape_context *context, const rn_volume_values *volume, const rn_mesh_values *values,
                        const rn_shape_pose *pose, const rn_json_path *place) {
    request w = {context, rn_volume_default()};
    int32_t *labels = NULL;
    if (volume->labels) {
        const rn_json_path at = {place->document, place, "labels", 0};
        labels = read_labels(context, volume->labels, &at, &w.def.label_count);
        if (!labels) return NULL;
    }
    w.def.labels = labels;
    w.def.iso = volume->iso;
    w.def.below = volume->below;
    w.def.smoothing = volume->smoothing;
    w.def.spacing = volume->spacing;
    w.def.least_part = volume->least_part;
    w.def.unit = rn_mesh_unit(values);
    rn_mesh_values solid = *values;
    solid.as = RN_MESH_SOLID;
    rn_sdf *shape = rn_shape_triangles(context, &solid, pose, place, read_volume, &w);
    rn_free(NULL, labels);
    return shape;
}
