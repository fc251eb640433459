/* Terrains in the formats of GDAL, through the process that reads them: whatever that does, the host gets heights or a
   sentence. Crashes in there are no findings; how many there were is in the log. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void fuzz(const uint8_t *bytes, size_t size) {
    rn_heightmap map;
    rn_heightmap_def def = rn_heightmap_default();
    def.path = fuzz_file(bytes, size);
    def.most = 1 << 16;
    if (size % 3 == 1) def.resample = 12;
    if (size % 3 == 2) memcpy(def.crop, (double[]){3, 3, 17, 12}, sizeof def.crop);
    if (rn_heightmap_read(&def, &map) != RN_OK) {
        fuzz_require(map.heights == NULL, "a refused terrain leaves nothing");
        fuzz_require(rn_last_error()[0] != 0, "a refusal has a sentence");
        if (strstr(rn_last_error(), "crashed") || strstr(rn_last_error(), "takes more than"))
            fprintf(stderr, "contained: %s\n", rn_last_error());
        return;
    }
    fuzz_require(map.width > 0 && map.height > 0 && (int64_t)map.width * map.height <= def.most,
                 "a size within limits");
    fuzz_require(map.spacing_x >= 0 && map.spacing_y >= 0, "distances between heights");
    for (int64_t i = 0; i < (int64_t)map.width * map.height; i++)
        fuzz_require(isfinite(map.heights[i]), "heights are finite");
    rn_heightmap_free(&map);
}
