/* Sources, drains, rain and losses. */
#ifndef RN_WORLD_SOURCES_H
#define RN_WORLD_SOURCES_H

#include "solver/archive.h"
#include "world/world.h"

/* Whether sources of this kind act on the whole world: rain, evaporation and infiltration. The kind must be valid. */
bool rn_source_is_area(rn_source_kind kind);
/* Whether sources of this kind, which must be valid, may have this rate (m^3/s, or m/s over the whole world), level or
   head (m). Only drains may have INFINITY; NaN never. */
bool rn_source_can_have(rn_source_kind kind, double value);
/* Runs all sources for one substep of `dt` (s), which begins at the time of the world's clock, each for the part in
   which it is active; those on paths move first, to their places at its end. Updates the ledger. Returns an upper bound
   of the depth (m) that they together added to a column. */
float rn_sources_step(rn_world *world, double dt);
bool rn_sources_any(const rn_world *world); /* whether any has not been removed */
void rn_sources_free(rn_world *world);      /* only for rn_world_destroy: pointers are not cleared */
/* After columns have changed: updates the slots of all sources, and their shares of columns. */
void rn_sources_follow(rn_world *world, const rn_reshaping *reshaping);
size_t rn_sources_bytes(const rn_world *world); /* memory held */
/* How far (m) above `height` (m above its base) all sources together can raise the liquid of a column within this many
   seconds from now: an upper bound. */
double rn_sources_rise(const rn_world *world, double height, double within);
/* How long (s) until an active source on a path has moved by its radius, at least a cell, or by a 64th of the way
   between two waypoints, whichever takes longer; the shortest of all sources, INFINITY if none moves. */
double rn_sources_stay(const rn_world *world);

/* Frees all but the first `count` sources; their numbers may be used again. */
void rn_sources_keep(rn_world *world, size_t count);

/* Saves, checks, restores or hashes all sources, by the pass of the archive. Invalid data sets a->broken; the result
   is always RN_OK. Reading removes sources that are not in the archive. */
rn_result rn_sources_archive(rn_world *world, rn_archive *a);

#endif
