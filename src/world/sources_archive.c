/* Saves, checks, restores and hashes sources. Interface (world/sources.h): rn_sources_archive, in any pass of an
   archive (solver/archive.h).

   world/snapshot.c calls it after the solver's liquid and timing; the columns are then those of the state, and slots
   refer to them. Saved are values that a host may have changed, columns with weights, and the quanta owed. Series and
   paths are not saved, only their number of points, which must match: the host adds the same sources first. Removed
   sources at the end of the list are left out, so that a world that never had them takes the state. The hash covers
   what sources owe. */
#include "base/hash.h"
#include "world/footprint.h"
#include "world/sources.h"
#include "world/world.h"

/* Saves, checks or restores the rate or level of a source. A series itself is not saved, only its number of points,
   which must match; reading a state with a constant frees the series. */
static void archive_value(rn_archive *a, rn_world *world, const rn_source *source, rn_series *value) {
    int32_t knots = value->count;
    double constant = value->constant; /* a drain that takes everything has an infinite rate */
    RN_ARCHIVE_VALUE(a, constant);
    RN_ARCHIVE_VALUE(a, knots);
    if (knots == 0 && !rn_source_can_have(source->kind, constant)) a->broken = true;
    if (knots != 0 && knots != value->count) a->broken = true;
    if (a->pass != RN_READ || a->broken || knots != 0) return;
    rn_series_free(&world->hooks, value); /* the host may have set a rate in place of a series */
    *value = (rn_series){.constant = constant, .highest = constant};
}

/* Saves, checks or restores one source but its shares. Kind and number of waypoints must match; value, columns, and the
   quanta that it owes are saved. A count of -1 means that it was removed. Sets a->broken if a value is not valid. */
static void archive_source(rn_archive *a, rn_world *world, rn_source *source) {
    const rn_grid *g = &world->columns->grid;
    rn_archive_same(a, source->kind);
    rn_archive_same(a, source->path_count);
    archive_value(a, world, source, &source->value);
    int32_t count = source->removed ? -1 : source->count; /* -1: removed */
    RN_ARCHIVE_VALUE(a, count);
    if (count < -1 || count > source->room) a->broken = true;
    if (a->pass == RN_READ && !a->broken && count < 0) source->removed = true;
    const bool gone = !source->slots; /* removed since: its columns are read, but not kept */
    if (a->pass == RN_READ && !a->broken && count >= 0 && !gone) source->count = count;
    for (int32_t i = 0; i < count && !a->broken; i++) {
        int32_t slot = 0;
        double weight = 0.0, pending = 0.0;
        rn_archive_slot(a, g, gone ? &slot : &source->slots[i]);
        rn_archive_within(a, gone ? &weight : &source->weights[i], 0.0, 1.0);
        rn_archive_within(a, gone ? &pending : &source->pending[i], 0.0, 1e9);
    }
    double lowest = isfinite(source->lowest) ? source->lowest : 1e30;
    rn_archive_within(a, &source->heaviest, 0.0, 1.0);
    rn_archive_double(a, &lowest);
    if (a->pass == RN_READ) source->lowest = lowest >= 1e30 ? INFINITY : lowest;
    rn_archive_point(a, &source->at);
    rn_archive_within(a, &source->carried, 0.0, 1e18);
    rn_archive_within(a, &source->owed, 0.0, 1.0);
    rn_archive_within(a, &source->given, 0.0, 1e18);
    rn_archive_same(a, source->shares != NULL);
}

/* The number of sources up to the last that has not been removed. A state needs no others, so a world that never had
   them takes it. */
static size_t kept_count(const rn_sources *all) {
    size_t count = all->count;
    while (count > 0 && all->list[count - 1].removed) count--;
    return count;
}

/* Adds what all sources owe to the hash, without removed ones. */
static void hash_sources(const rn_sources *all, rn_archive *a) {
    for (size_t i = 0; i < all->count; i++) {
        const rn_source *source = &all->list[i];
        if (source->removed) continue;
        for (int32_t k = 0; k < source->count; k++) a->hash = rn_hash_double(a->hash, source->pending[k]);
        if (source->path || source->carried != 0.0) a->hash = rn_hash_double(a->hash, source->carried);
        if (rn_source_is_area(source->kind))
            a->hash = rn_hash_double(rn_hash_double(a->hash, source->owed), source->given);
    }
}

rn_result rn_sources_archive(rn_world *world, rn_archive *a) {
    rn_sources *all = &world->sources;
    if (a->pass == RN_HASH) {
        hash_sources(all, a);
        return RN_OK;
    }
    int64_t count = (int64_t)kept_count(all);
    RN_ARCHIVE_VALUE(a, count);
    if (count < 0 || count > (int64_t)all->count) a->broken = true;
    for (int64_t i = 0; i < count && !a->broken; i++) {
        archive_source(a, world, &all->list[i]);
        if (all->list[i].shares) rn_archive_bounded_rows(a, &world->columns->grid, all->list[i].shares, 0.0f, 1.0f);
    }
    if (a->pass == RN_READ) rn_sources_keep(world, (size_t)count);
    return RN_OK;
}
