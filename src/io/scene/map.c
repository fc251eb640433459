/* Reads grids of numbers in a scene (map.h). */
#include "io/scene/map.h"

#include "base/memory.h"

size_t rn_rows_count(const json_t *list) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        count += json_is_array(value) ? json_array_size(value) : 1;
    }
    return count;
}

void rn_rows_copy(const json_t *list, float *out, size_t *used) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        if (json_is_array(value)) rn_rows_copy(value, out, used);
        else out[(*used)++] = (float)json_number_value(value);
    }
}

rn_result rn_map_load(const char *file, const rn_json_path *place, double low, double high, rn_heightmap *map) {
    char path[4096];
    rn_result result = rn_document_beside(place, file, path, sizeof path);
    if (result != RN_OK) return result;
    result = rn_heightmap_load(path, low, high, map);
    return result == RN_OK ? RN_OK : rn_document_pass(place, result);
}

rn_result rn_map_rows(const json_t *rows, const rn_json_path *place, rn_heightmap *map) {
    const json_t *first = json_array_get(rows, 0);
    size_t height = json_array_size(rows), width = json_array_size(first);
    if (width == 0) return rn_document_fail(place, RN_INVALID, "holds empty rows; a row needs 1 number or more");
    for (size_t i = 0; i < height; i++) {
        rn_json_path row_at = {place->document, place, NULL, i};
        size_t length = json_array_size(json_array_get(rows, i));
        if (length != width)
            return rn_document_fail(&row_at, RN_INVALID, "holds %zu numbers; the first row holds %zu", length, width);
    }
    map->heights = rn_alloc(NULL, width * height, sizeof *map->heights);
    if (!map->heights) return rn_document_pass(place, RN_MEMORY);
    map->width = (int)width;
    map->height = (int)height;
    for (size_t i = 0; i < height; i++) {
        size_t used = width * (height - 1 - i);
        rn_rows_copy(json_array_get(rows, i), map->heights, &used);
    }
    return RN_OK;
}
