/* Sources, drains, rain and losses. */
#ifndef RN_WORLD_SOURCES_H
#define RN_WORLD_SOURCES_H

#include "solver/archive.h"
#include "world/world.h"

/* Whether sources of this kind act on the whole world. */
bool rn_source_is_area(rn_source_kind kind);
/* Whether sources of this kind may have this rate, level or head. */
bool rn_source_can_have(rn_source_kind kind, double value);
/* Runs all sources for one substep; returns the largest depth (m) that they added to a column. */
float rn_sources_step(rn_world *world, double dt);
bool rn_sources_any(const rn_world *world); /* whether there are any that have not been removed */
void rn_sources_free(rn_world *world);
/* After columns have changed: updates the slots of all sources. */
void rn_sources_follow(rn_world *world, const rn_reshaping *reshaping);
size_t rn_sources_bytes(const rn_world *world); /* memory held */
/* How far above `height` (m) the sources can raise the liquid of a column (m) within this many seconds from now. */
double rn_sources_rise(const rn_world *world, double height, double within);
/* How long (s) until a moving source has left its current place. */
double rn_sources_stay(const rn_world *world);

/* Removes all but the first `count` sources. */
void rn_sources_keep(rn_world *world, size_t count);

/* Saves, checks, restores or hashes all sources, by the pass of the archive. Invalid data sets a->broken; the result
   is always RN_OK. Reading removes sources that are not in the archive. */
rn_result rn_sources_archive(rn_world *world, rn_archive *a);

#endif
