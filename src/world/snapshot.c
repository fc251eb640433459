/* Saves the state of a world as bytes, for snapshots and files, restores it, and hashes it.

   Interface (include/runnel/world.h): rn_world_save, rn_world_restore, rn_world_hash, and rn_snapshot_create, bytes
   and destroy.

   Each part of a world archives itself, by the pass of the archive (solver/archive.h: measure, write, check, read or
   hash); this file defines their order: head, solids and ground, bodies, grid, the solver's liquid, ledger, clock,
   the solver's timing, sources, gauges, 3D liquid. Saving first applies pending changes of solid (rn_solids_apply),
   so that the columns match the solids, then measures and writes. Restoring checks all bytes, makes room for sources,
   reads, and notifies the solver.

   Bytes may come from a damaged file, so everything is checked before anything is changed; in a snapshot that this
   program wrote itself (`trusted`) less is checked. Terrain, shapes and series are not saved: the host makes the same
   world first, and what is stored of it must match. States have the lowest version that can hold them, so older
   programs read most of them. The hash covers less than the archive, in an order of its own that may never change. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "world/apply.h"
#include "world/area.h"
#include "world/bodies.h"
#include "world/mac.h"
#include "world/solids.h"
#include "world/sources.h"
#include "world/world.h"

#include <string.h>

enum { MARK = 0x4c4e5257 };

struct rn_snapshot {
    rn_hooks hooks;
    size_t size, capacity;
    uint8_t *bytes;
    bool trusted; /* written by this program: only sizes are checked */
};

/* ---- The world's own values -------------------------------------------------------------------------------------- */

/* Archives the magic number and the version of the format: when writing, the lowest version that can hold this world.
   Sets a->version. Returns RN_INVALID, with a message, if the bytes read have another magic number or an unknown
   version. */
static rn_result archive_head(rn_archive *a, const rn_world *world) {
    const int solver = world->solver->describe(world->self).format;
    const bool lends =
        world->bodies.count > 0 || world->solids.reshaping.held_count > 0; /* solid may hold liquid back too */
    const int least = lends ? RN_ARCHIVE_BODIES : RN_ARCHIVE_HEADS;
    uint32_t head[2] = {MARK, (uint32_t)(solver > least ? solver : least)};
    RN_ARCHIVE_VALUE(a, head);
    a->version = head[1];
    if (!a->broken && head[0] != MARK) return rn_fail(RN_INVALID, "these bytes are not the state of a world");
    if (!a->broken && (head[1] < RN_ARCHIVE_OLDEST || head[1] > RN_ARCHIVE_NEWEST))
        return rn_fail(RN_INVALID, "the state has version %u of the format; this runnel reads versions %d to %d",
                       (unsigned)head[1], RN_ARCHIVE_OLDEST, RN_ARCHIVE_NEWEST);
    return RN_OK;
}

/* Archives numbers and size of cells, datum, lid and quantum; sets a->broken unless those read match this world. */
static void archive_grid(rn_archive *a, const rn_world *world) {
    rn_archive_same(a, world->ground.cells_x);
    rn_archive_same(a, world->ground.cells_y);
    rn_archive_same_double(a, world->ground.cell_size);
    rn_archive_same_double(a, world->datum);
    rn_archive_same_double(a, world->ground.lid);
    rn_archive_same_double(a, world->quantum);
}

/* Lets the solver archive one section of its state. On failure returns the solver's code, with a message; sets
   a->broken if the data is not valid. */
static rn_result archive_solver(rn_archive *a, rn_world *world, rn_archive_section section) {
    return world->solver->archive(world->self, a, section);
}

/* Adds the ledger, without refused liquid, to the hash. The body offset is hashed only if it is not 0, so that worlds
   without bodies keep the hashes of earlier versions. */
static void hash_ledger(rn_archive *a, const rn_ledger *book) {
    const int64_t booked[] = {book->poured, book->drained, book->left, book->displaced, book->body_offset};
    for (int i = 0; i < (book->body_offset != 0 ? 5 : 4); i++) a->hash = rn_hash_long(a->hash, (uint64_t)booked[i]);
}

/* Archives the ledger. When checked, its sums must match the liquid (unless trusted) and the body offset that were
   found in the state before; otherwise sets a->broken. Versions without bodies have no body offset: 0. */
static void archive_ledger(rn_archive *a, rn_ledger *book) {
    if (a->pass == RN_HASH) {
        hash_ledger(a, book);
        return;
    }
    rn_ledger now = *book;
    RN_ARCHIVE_VALUE(a, now.poured);
    RN_ARCHIVE_VALUE(a, now.drained);
    RN_ARCHIVE_VALUE(a, now.left);
    RN_ARCHIVE_VALUE(a, now.displaced);
    now.body_offset = rn_archive_is_reading(a) ? 0 : now.body_offset;
    if (a->version >= RN_ARCHIVE_BODIES) RN_ARCHIVE_VALUE(a, now.body_offset);
    double refused = (double)now.refused; /* exact up to 2^53 quanta */
    rn_archive_within(a, &refused, 0.0, 1e30);
    now.refused = 0;
    rn_refuse(&now.refused, refused);
    if (a->pass == RN_CHECK && !a->trusted &&
        (uint64_t)a->present != (uint64_t)now.poured - (uint64_t)now.drained - (uint64_t)now.left -
                                    (uint64_t)now.displaced + (uint64_t)now.body_offset)
        a->broken = true;
    if (a->pass == RN_CHECK && a->body_offset != now.body_offset) a->broken = true;
    if (a->pass == RN_READ) *book = now;
}

/* Archives the time, the statistics of steps, and the beginning of the last frame. */
static void archive_clock(rn_archive *a, rn_world *world) {
    rn_world_stats *stats = &world->stats;
    int32_t substeps = stats->substeps;
    rn_archive_double(a, &stats->time);
    rn_archive_double(a, &stats->asked);
    RN_ARCHIVE_DATA(a, stats->steps);
    if (a->version >= RN_ARCHIVE_HEADS) RN_ARCHIVE_DATA(a, stats->fallbacks);
    RN_ARCHIVE_DATA(a, substeps);
    if (a->pass == RN_READ) stats->substeps = substeps;
    rn_archive_double(a, &stats->dt);
    rn_archive_double(a, &stats->fastest);
    rn_archive_double(a, &stats->deepest);
    rn_archive_double(a, &world->frame_start);
}

/* ---- The order --------------------------------------------------------------------------------------------------- */

/* Archives all parts of a world in the order of the format, in any pass but RN_HASH. Sets a->broken, without a message,
   if the bytes do not fit this world, are cut off, or if more follow. Other failures return a code with a message. */
static rn_result archive_world(rn_archive *a, rn_world *world) {
    rn_result result = archive_head(a, world);
    if (result == RN_OK && !a->broken) result = rn_solids_archive(world, a);
    if (result == RN_OK && !a->broken) result = rn_bodies_archive(world, a);
    if (result != RN_OK || a->broken) return result;
    archive_grid(a, world);
    a->batch = &world->solids.reshaping;
    if (a->pass == RN_READ) a->batch->change_count = 0;
    if (!a->broken) result = archive_solver(a, world, RN_ARCHIVE_LIQUID);
    if (a->pass == RN_READ && result == RN_OK) rn_solids_count(world);
    if (result != RN_OK || a->broken) return result;
    archive_ledger(a, &world->ledger);
    archive_clock(a, world);
    a->slowed = world->slowed;
    result = archive_solver(a, world, RN_ARCHIVE_TIMING);
    if (a->pass == RN_READ) world->slowed = a->slowed;
    if (result == RN_OK && !a->broken) result = rn_sources_archive(world, a);
    if (result == RN_OK) rn_gauges_archive(world, a);
    if (result == RN_OK && world->mac && !a->broken) result = rn_world_mac_archive(world, a);
    if (rn_archive_is_reading(a) && a->at != a->size) a->broken = true;
    return result;
}

/* Uses another order than the archive: that of the first hashes. */
uint64_t rn_world_hash(const rn_world *world) {
    rn_archive a = {.pass = RN_HASH, .hash = RN_HASH_START};
    rn_world *same = (rn_world *)world; /* hashing changes nothing */
    archive_solver(&a, same, RN_ARCHIVE_LIQUID);
    rn_sources_archive(same, &a);
    rn_bodies_archive(same, &a);
    archive_ledger(&a, &same->ledger);
    if (world->mac) rn_world_mac_archive(same, &a);
    return rn_hash_double(a.hash, world->stats.time);
}

/* ---- Snapshots ------------------------------------------------------------------------------------------------ */

rn_result rn_world_save(rn_world *world, rn_snapshot **out) {
    rn_result result = rn_solids_apply(world);
    if (result != RN_OK) return result;
    rn_archive a = {.pass = RN_MEASURE};
    result = archive_world(&a, world);
    if (result != RN_OK) return result;
    if (a.broken) return rn_fail(RN_INVALID, "the world has values that a state cannot hold; they must be below 1e30");
    rn_snapshot *snapshot = *out;
    if (!snapshot) {
        snapshot = rn_alloc(&world->hooks, 1, sizeof *snapshot);
        if (!snapshot) return RN_MEMORY;
        snapshot->hooks = world->hooks;
        *out = snapshot;
    }
    if (snapshot->capacity < a.at) {
        rn_free(&snapshot->hooks, snapshot->bytes);
        snapshot->capacity = snapshot->size = 0;
        snapshot->bytes = rn_alloc(&snapshot->hooks, a.at, 1);
        if (!snapshot->bytes) return RN_MEMORY;
        snapshot->capacity = a.at;
    }
    a = (rn_archive){.pass = RN_WRITE, .bytes = snapshot->bytes, .size = a.at};
    snapshot->size = 0;
    result = archive_world(&a, world);
    if (result != RN_OK) return result;
    snapshot->size = a.at;
    snapshot->trusted = true;
    return RN_OK;
}

/* Returns RN_INVALID, with a message that the snapshot does not fit the world. */
static rn_result fail_misfit(const rn_snapshot *snapshot) {
    return rn_fail(RN_INVALID,
                   "the state (%zu bytes) does not fit this world: it is of another grid, other sources or solids, or "
                   "damaged",
                   snapshot->size);
}

rn_result rn_world_restore(rn_world *world, const rn_snapshot *snapshot) {
    if (!RN_REQUIRE(&world->hooks, snapshot && snapshot->bytes)) return RN_INVALID;
    rn_archive a = {.pass = RN_CHECK, .bytes = snapshot->bytes, .size = snapshot->size, .trusted = snapshot->trusted};
    rn_result result = archive_world(&a, world);
    if (result != RN_OK) return result;
    if (a.broken) return fail_misfit(snapshot);
    result = rn_sources_make_room(world, a.layers); /* the restored columns may need more room */
    if (result != RN_OK) return result;
    a = (rn_archive){.pass = RN_READ, .bytes = snapshot->bytes, .size = snapshot->size};
    result = archive_world(&a, world);
    if (result != RN_OK) return result;
    world->solver->changed(world->self, &(rn_disturbance){.what = RN_RESTORED});
    if (world->mac) rn_world_mac_measure(world);
    return RN_OK;
}

void rn_snapshot_destroy(rn_snapshot *snapshot) {
    if (!snapshot) return;
    rn_hooks hooks = snapshot->hooks;
    rn_free(&hooks, snapshot->bytes);
    rn_free(&hooks, snapshot);
}

const void *rn_snapshot_bytes(const rn_snapshot *snapshot, size_t *size) {
    *size = snapshot->size;
    return snapshot->bytes;
}

rn_result rn_snapshot_create(const rn_hooks *hooks, const void *bytes, size_t size, rn_snapshot **out) {
    *out = NULL;
    rn_snapshot *snapshot = rn_alloc(hooks, 1, sizeof *snapshot);
    if (!snapshot) return RN_MEMORY;
    if (hooks) snapshot->hooks = *hooks;
    snapshot->bytes = rn_alloc(hooks, size, 1);
    if (!snapshot->bytes) {
        rn_free(hooks, snapshot);
        return RN_MEMORY;
    }
    if (size) memcpy(snapshot->bytes, bytes, size);
    snapshot->size = snapshot->capacity = size;
    *out = snapshot;
    return RN_OK;
}
