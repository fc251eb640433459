/* Grids of numbers in a scene: a grey picture, or rows written out. After a failure rn_last_error() names the place. */
#ifndef RN_IO_MAP_H
#define RN_IO_MAP_H

#include "io/scene/document.h"

#include <runnel/io.h>

/* Returns the number of values in a list, or in a list of lists; deeper lists count as one value. It is found before
   anything is allocated, so that a short text cannot request much memory. */
size_t rn_rows_count(const json_t *list);
/* Copies the numbers of a list, or of lists in it, to `out`, from index *used on, and moves *used past them. `out` must
   have room for rn_rows_count of them, and lists must not be nested deeper. */
void rn_rows_copy(const json_t *list, float *out, size_t *used);

/* Loads a grey PNG, named relative to the scene file, into a map whose rows run from south to north; black becomes
   `low`, white `high`. `place` is where the scene names the file. `map` must be zeroed, and stays so after a failure;
   free it with rn_heightmap_free. Fails as rn_heightmap_load does, or with RN_FILE if the path is too long. */
rn_result rn_map_load(const char *file, const rn_json_path *place, double low, double high, rn_heightmap *map);
/* Copies rows of equal length, given from north to south, into a map from south to north without a spacing. `map` must
   be 0; free it with rn_heightmap_free. Returns RN_INVALID if rows are empty or of different lengths, or RN_MEMORY if
   memory runs out. The numbers themselves are not checked. */
rn_result rn_map_rows(const json_t *rows, const rn_json_path *place, rn_heightmap *map);

#endif
