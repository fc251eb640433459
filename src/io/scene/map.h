/* Grids of numbers in a scene: a grey picture, or rows written out. */
#ifndef RN_IO_MAP_H
#define RN_IO_MAP_H

#include "io/scene/document.h"

#include <runnel/io.h>

/* The number of values in a list, or in a list of lists, but no deeper. Counted before anything is allocated, so that a
   short text cannot request much memory. */
size_t rn_rows_count(const json_t *list);
/* Copies those values to `out`, from index *used on, and moves *used past them. `out` must have room. */
void rn_rows_copy(const json_t *list, float *out, size_t *used);

/* Loads a PNG, named relative to the scene file, from south to north; black is `low`, white is `high`. Free with
   rn_heightmap_free, also after a failure. */
rn_result rn_map_load(const char *file, const rn_json_path *place, double low, double high, rn_heightmap *map);
/* Reads rows of equal length, given from north to south, into a map from south to north without a spacing. Free with
   rn_heightmap_free. RN_INVALID: rows are empty or of different lengths; the numbers themselves are not checked. */
rn_result rn_map_rows(const json_t *rows, const rn_json_path *place, rn_heightmap *map);

#endif
