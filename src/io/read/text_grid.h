/* Grids of heights in text files: ESRI ASCII (.asc) and GRASS ASCII. GDAL reads them, but takes words for 0, and needs
   long to see that a file is cut short; so they are checked first. */
#ifndef RN_IO_TEXT_GRID_H
#define RN_IO_TEXT_GRID_H

#include <runnel/base.h>

/* Checks a file if it is such a grid, which *is then tells. RN_FORMAT: the header is incomplete, a height is not a
   number, or there are fewer or more heights than the header promises. Files of other kinds pass. */
rn_result rn_text_grid_check(const char *path, bool *is);

#endif
