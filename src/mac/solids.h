/* Solids: open fractions of faces and cells from distances at corners. */
#ifndef RN_MAC_SOLIDS_H
#define RN_MAC_SOLIDS_H

#include "mac/state.h"

#define RN_MAC_ROOMLESS 0.7f /* a cell with less open volume may have no particles although it is liquid */

/* Sets up the box without a solid: all faces inside it open, its walls closed. */
void rn_mac_open_box(rn_mac *mac);
/* Finds the open fractions of faces and cells from `nodes`. */
void rn_mac_cut_cells(rn_mac *mac);

/* The distance (cells) from a point (cells) to the solid, trilinear between corners; and its slope. Needs `nodes`. */
float rn_mac_solid_distance(const rn_mac *mac, const float at[3], float slope[3]);

/* Whether all of cell (i, j, k) is farther from the surface of the solid than `distance` (cells). Needs `nodes`. */
bool rn_mac_is_far(const rn_mac *mac, int i, int j, int k, float distance);

/* Whether a cell of a row is solid on all sides, or outside the box but not beyond an open side. */
bool rn_mac_is_closed(const rn_mac *mac, const rn_mac_row *row, int i);

/* The open part of a square whose corners, in order, have these distances to a solid. */
float rn_mac_open_part(float a, float b, float c, float d);

/* Sets speeds through walls of the box to 0, and known. Copies faces across periodic ends. */
void rn_mac_close_walls(rn_mac *mac);

/* Gives faces in solids the velocity of the solid where the liquid sticks. Otherwise removes the part of their
   velocity that points into or out of the solid, relative to the velocity of the solid. Needs `nodes`. */
void rn_mac_slide_along(rn_mac *mac);

#endif
