/* Grids of heights in text files: ESRI ASCII (.asc) and GRASS ASCII. GDAL's reader takes words for 0, refuses some
   valid files, and needs long to see that one is cut short. */
#ifndef RN_IO_TEXT_GRID_H
#define RN_IO_TEXT_GRID_H

#include "io/read/dem.h"

/* Whether a file that begins with these bytes is such a grid. */
bool rn_text_grid_is(const char *bytes, size_t count);

/* Like rn_dem_read, for such a grid, and in this process. Returns RN_FORMAT if the header is incomplete, a height is
   not a number, or there are fewer or more heights than the header promises. The coordinate system is that of the .prj
   beside the file, if there is one. */
rn_result rn_text_grid_read(const rn_heightmap_def *def, rn_dem *dem);

#endif
