/* Solids: open fractions of faces and cells from distances at corners. */
#ifndef RN_MAC_SOLIDS_H
#define RN_MAC_SOLIDS_H

#include "mac/state.h"

#define RN_MAC_ROOMLESS 0.7f /* a cell with less open volume may have no particles although it is liquid */

/* Sets the open fractions of a box without a solid: all faces inside it and in open sides are open, its walls are
   closed. */
void rn_mac_open_box(rn_mac *mac);
/* Finds the open fractions of faces (`open`) and cells (`room`, which must be allocated) from `nodes`. Walls of the box
   stay closed. Copies `room` to the cells beyond periodic ends. */
void rn_mac_cut_cells(rn_mac *mac);

/* The distance (cells) from a point (cells) to the solid, negative inside, trilinear between corners; `slope` becomes
   its slope along x, y and z. A point outside the box counts as the nearest point in the box. Needs `nodes`. */
float rn_mac_solid_distance(const rn_mac *mac, const float at[3], float slope[3]);

/* Whether all of cell (i, j, k), inside the solid or outside, is certainly farther from its surface than `distance`
   (cells). Looks at one corner only, so false does not mean that the cell is near. Needs `nodes`. */
bool rn_mac_is_far(const rn_mac *mac, int i, int j, int k, float distance);

/* Whether cell i of a row, from -1 to n[0], has six closed faces, or is outside the box but not beyond an open side.
   Cells beyond periodic ends count as closed. */
bool rn_mac_is_closed(const rn_mac *mac, const rn_mac_row *row, int i);

/* The open part, 0 to 1, of a square whose corners, in order, have these distances to a solid. */
float rn_mac_open_part(float a, float b, float c, float d);

/* In active rows, sets speeds through walls of the box to 0, and known; open sides stay as they are. Copies faces of
   all components, and whether they are known, across periodic ends. */
void rn_mac_close_walls(rn_mac *mac);

/* Changes known, active faces that are wholly in the solid. If a viscous liquid sticks to solids, gives them the
   velocity of the solid. Otherwise removes the part of their velocity, relative to the solid's, that points into or out
   of the solid. Needs `nodes`; overwrites the first half of scratch. */
void rn_mac_slide_along(rn_mac *mac);

#endif
