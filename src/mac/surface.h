/* Finds the surface of the liquid, and which cells are liquid. */
#ifndef RN_MAC_SURFACE_H
#define RN_MAC_SURFACE_H

#include "mac/state.h"

/* Fills the table from the mean offset of particles to a distance, -1 to 1 (cells). Needed once. */
void rn_mac_make_table(rn_mac *mac);

/* Finds `distance`, -1 to 1 (cells), and `kind` of all cells from the particles and the solid. Inactive cells that are
   not solid are air. Needs sorted particles and active rows; overwrites `known`. */
void rn_mac_find_surface(rn_mac *mac);

/* Whether a cell of this kind is filled. */
static inline bool rn_mac_is_wet(uint8_t kind) { return kind == RN_MAC_LIQUID || kind == RN_MAC_FREE; }

/* Whether particles were all around a cell when the surface was last found. Never true with Gates' conditions, whose
   distances are all -0.5 or more. */
static inline bool rn_mac_is_deep(const rn_mac *mac, int32_t c) {
    return mac->kind[c] == RN_MAC_LIQUID && mac->distance[c] <= -1.0f;
}

#endif
