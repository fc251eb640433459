/* Without GDAL: elevation models are refused. */
#include "io/read/dem.h"

#include "base/error.h"

rn_result rn_dem_read(const rn_heightmap_def *def, rn_dem *dem) {
    *dem = (rn_dem){0};
    return rn_fail(RN_UNSUPPORTED,
                   "%s: is not a PNG picture, and this runnel was built without GDAL, which reads others", def->path);
}
