/* Rain and losses, and room for them. */
#ifndef RN_WORLD_AREA_H
#define RN_WORLD_AREA_H

#include "world/deposit.h"

/* Enlarges the shares of rain and losses, and their buffer of rows, to `layers` layers; call it before columns change.
   Does nothing without such sources, if there is room already, or if the grid would have too many slots, which the
   solver refuses. Returns RN_MEMORY, with a message, if memory runs out; then sources stay usable. */
rn_result rn_sources_make_room(rn_world *world, int layers);

/* Sets an area source's share of each column from the map and shape of its definition, and makes the buffer of rows if
   it is the first such source. Without map and shape, source->shares stays NULL: 1 everywhere. On failure returns
   RN_INVALID (its region covers no column) or RN_MEMORY, with a message; the caller then frees the shares. */
rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source);
/* Adds or removes the depth due from time `from` to `to` (s), 0 if that is negative, in whole quanta; the remainder
   stays owed. Only `takes` and `under_roofs` of `kind` count. Updates the ledger: losses that a column cannot supply
   are not counted, rain that does not fit is refused. *added grows by the depth (m) at a share of 1; losses leave it as
   it is. */
void rn_area_step(rn_world *world, rn_source *source, const rn_area_flux *kind, double from, double to, float *added);

#endif
