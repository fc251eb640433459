/* Grids of numbers in a scene: a grey picture, or rows written out. After a failure rn_last_error() names the place. */
#ifndef RN_IO_MAP_H
#define RN_IO_MAP_H

#include "io/scene/document.h"

#include <runnel/io.h>

/* Returns the number of values in a list, or in a list of lists, but no deeper. Counted before anything is allocated,
   so that a short text cannot request much memory. */
size_t rn_rows_count(const json_t *list);
/* Copies the numbers of a list, or of lists in it, to `out`, from index *used on, and moves *used past them. `out` must
   have room for rn_rows_count of them. */
void rn_rows_copy(const json_t *list, float *out, size_t *used);

/* Loads a grey PNG, named relative to the scene file, into a map from south to north; black becomes `low`, white
   `high`. `map` must be 0; free it with rn_heightmap_free, also after a failure (the results of rn_heightmap_load). */
rn_result rn_map_load(const char *file, const rn_json_path *place, double low, double high, rn_heightmap *map);
/* Copies rows of equal length, given from north to south, into a map from south to north without a spacing. `map` must
   be 0; free it with rn_heightmap_free. RN_INVALID: rows are empty or of different lengths; RN_MEMORY. The numbers
   themselves are not checked. */
rn_result rn_map_rows(const json_t *rows, const rn_json_path *place, rn_heightmap *map);

#endif
