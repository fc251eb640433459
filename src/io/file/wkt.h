/* What the text of a coordinate system says: WKT, or a code such as EPSG:32613. */
#ifndef RN_IO_WKT_H
#define RN_IO_WKT_H

#include <stdbool.h>

/* No unit of a projected system is longer than a kilometre: with fewer units in a metre of the ground than this,
   coordinates are degrees. */
#define RN_GLOBE_SCALE 1e-3

/* The projected system within WKT, from PROJCS[ or PROJCRS[, or NULL if it has none. */
const char *rn_wkt_projected(const char *text);
/* Whether coordinates are longitudes and latitudes. Of codes, only those of common systems are known. */
bool rn_wkt_is_globe(const char *text);
/* Returns the size of the unit that the element of WKT at `element` has for its coordinates: metres or radians. Returns
   0 if it does not say, or the element is NULL. */
double rn_wkt_unit(const char *element);

#endif
