#include "io/map.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

rn_result rn_rows_copy(const json_t *list, const rn_place *place, float *out, size_t count, size_t *used) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        rn_place at = {place->document, place, NULL, i};
        if (json_is_array(value)) {
            rn_result result = rn_rows_copy(value, &at, out, count, used);
            if (result != RN_OK) return result;
            continue;
        }
        if (*used == count) return rn_document_fail(place, RN_INVALID, "holds more than %zu numbers", count);
        out[(*used)++] = (float)json_number_value(value);
    }
    return RN_OK;
}

rn_result rn_map_load(const char *file, const rn_place *place, double low, double high, rn_heightmap *map) {
    const char *scene = place->document->path, *slash = strrchr(scene, '/');
    int folder = slash && file[0] != '/' ? (int)(slash + 1 - scene) : 0;
    char path[4096];
    if (snprintf(path, sizeof path, "%.*s%s", folder, scene, file) >= (int)sizeof path)
        return rn_document_fail(place, RN_FILE, "is too long a name");
    rn_result result = rn_heightmap_load(path, low, high, map);
    return result == RN_OK ? RN_OK : rn_document_pass(place, result);
}

rn_result rn_map_rows(const json_t *rows, const rn_place *place, rn_heightmap *map) {
    const json_t *first = json_array_get(rows, 0);
    size_t height = json_array_size(rows), width = json_array_size(first), used = 0;
    if (width == 0) return rn_document_fail(place, RN_INVALID, "holds empty rows; a row needs 1 number or more");
    map->heights = rn_alloc(NULL, width * height, sizeof *map->heights);
    if (!map->heights) return rn_document_pass(place, RN_MEMORY);
    map->width = (int)width;
    map->height = (int)height;
    for (size_t i = 0; i < height; i++) {
        const json_t *row = json_array_get(rows, i);
        rn_place row_at = {place->document, place, NULL, i};
        if (json_array_size(row) != width)
            return rn_document_fail(&row_at, RN_INVALID, "holds %zu numbers; the first row holds %zu",
                                    json_array_size(row), width);
        used = width * (height - 1 - i);
        rn_result result = rn_rows_copy(row, &row_at, map->heights, width * (height - i), &used);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}
