/* Saves, checks, restores and hashes bodies, their effect on cells and the liquid that they hold back.

   Interface (world/bodies.h): rn_bodies_archive, in any pass of an archive (solver/archive.h). world/snapshot.c calls
   it after solids and ground and before the solver's liquid, whose columns depend on both.

   The order of the format: each body with its mass, which must match, its poses and its load; the effective surface
   and the quanta that floating bodies have added to each cell; the liquid that blocking bodies hold back; the state
   of world/blocking.c. Shapes are not saved: the host adds the same bodies first, in the same order. A body that had
   been removed when the state was saved is removed on reading. One that has been removed since makes the archive
   broken, because its shape is gone.

   While checking, a->body_offset sums up the quanta that bodies have added or hold back; world/snapshot.c compares it
   with the ledger. A hash covers only those added quanta (rn_bodies_hash), so that worlds without bodies keep their
   hashes. Version 2 of the format and older ones have no bodies. */
#include "base/error.h"
#include "base/memory.h"
#include "world/blocking.h"
#include "world/bodies.h"
#include "world/effective.h"
#include "world/pose.h"
#include "world/world.h"

#include <math.h>

/* Saves, checks or restores a pose; sets a->broken unless it is within the limits of stored poses. */
static void archive_pose(rn_archive *a, rn_pose *pose) {
    RN_ARCHIVE_VALUE(a, *pose); /* thirteen doubles */
    if (!rn_pose_kept(pose)) a->broken = true;
}

/* Saves, checks or restores the forces on a body, the flow around it, and its submerged volume and share; not `blocks`
   and `aground`, which follow from the body. */
static void archive_load(rn_archive *a, rn_body_load *load) {
    rn_vec3 *const parts[] = {&load->force, &load->torque, &load->buoyancy, &load->drag, &load->flow};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        double *const along[] = {&parts[i]->x, &parts[i]->y, &parts[i]->z};
        for (int k = 0; k < 3; k++) rn_archive_within(a, along[k], -1e300, 1e300); /* damping may be huge */
    }
    rn_archive_double(a, &load->submerged);
    rn_archive_double(a, &load->share);
}

/* Saves, checks or restores one body: its state, and its mass to check that the body is the same. On reading, a body
   that had been removed when the state was saved is removed; the others count as moved and placed. A body removed since
   makes the archive broken. */
static void archive_body(rn_archive *a, rn_world *world, size_t number) {
    rn_body *body = rn_body_at(&world->bodies, number), copy = *body;
    const bool blocks = world->mac ? body->load.blocks : body->blocks;
    int32_t flags = (body->shape != NULL) | blocks << 1 | body->aground << 2 | body->told_far << 3 |
                    body->told_fast << 4 | (world->mac && body->placed) << 5;
    int32_t way = (int32_t)copy.mode, switch_steps = copy.switch_steps;
    RN_ARCHIVE_VALUE(a, flags);
    RN_ARCHIVE_VALUE(a, way);
    RN_ARCHIVE_VALUE(a, switch_steps);
    if ((flags & 1) && !body->shape) a->broken = true; /* removed since, and its shape freed */
    if (way < RN_BODY_AUTO || way > RN_BODY_FLOATS || switch_steps < 0) a->broken = true;
    if (flags & 1) rn_archive_same_double(a, body->mass);
    archive_pose(a, &copy.to);
    archive_pose(a, &copy.now);
    archive_load(a, &copy.load);
    if (a->pass != RN_READ || a->broken) return;
    if (!(flags & 1)) {
        if (body->shape) rn_bodies_remove(world, (int)number);
        return;
    }
    copy.load.blocks = flags >> 1 & 1;
    copy.blocks = copy.load.blocks && !world->mac; /* columns know nothing of bodies in a 3D liquid */
    copy.aground = copy.load.aground = flags >> 2 & 1;
    copy.told_far = flags >> 3 & 1;
    copy.told_fast = flags >> 4 & 1;
    copy.mode = (rn_body_mode)way;
    copy.switch_steps = switch_steps;
    copy.from = copy.now;
    copy.moved = copy.placed = true;
    copy.restored = flags >> 5 & 1;
    *body = copy;
}

/* Adds the quanta of `count` cells, stored from byte `from` on, to a->body_offset, which is compared with the ledger
   later. */
static void sum_stirred(rn_archive *a, size_t from, size_t count) {
    for (size_t i = 0; i < count; i++) a->body_offset += rn_archive_int_at(a, from, i);
}

/* Saves, checks or restores levels and flow under blocking bodies, plane by plane, and the quanta that floating bodies
   have added to each cell. On reading, planes that the state does not have become dry, and all cells count as possibly
   stirred. Returns RN_MEMORY, with a message, if memory for the planes of the state runs out. */
static rn_result archive_liquid(rn_archive *a, rn_world *world) {
    rn_bodies *all = &world->bodies;
    const size_t cells = (size_t)world->columns->grid.nx * (size_t)world->columns->grid.ny;
    int32_t planes = all->planes;
    RN_ARCHIVE_VALUE(a, planes);
    if (planes < 1 || planes > RN_MOST_LAYERS) a->broken = true;
    if (a->broken) return RN_OK;
    const rn_result result = a->pass == RN_READ ? rn_effective_fit(world, planes) : RN_OK;
    if (result != RN_OK) return result;
    const size_t count = (size_t)planes * cells, levels = a->at, flow = levels + count * sizeof(float),
                 stirred = flow + 2 * count * sizeof(float);
    rn_archive_data(a, all->effective, count * sizeof *all->effective);
    rn_archive_data(a, all->flow, 2 * count * sizeof *all->flow);
    rn_archive_data(a, all->stirred, cells * sizeof *all->stirred);
    if (a->pass == RN_CHECK && !a->broken) {
        rn_archive_check_floats(a, levels, count, 1e9f, true);
        rn_archive_check_floats(a, flow, 2 * count, 1e9f, false);
        sum_stirred(a, stirred, cells);
    }
    if (a->pass != RN_READ) return RN_OK;
    all->stirred_in = (rn_cells){0, 0, world->columns->grid.nx, world->columns->grid.ny};
    all->restored = true;
    for (size_t i = count; i < (size_t)all->planes * cells; i++) { /* planes that the state does not have */
        all->effective[i] = NAN;
        all->flow[2 * i] = all->flow[2 * i + 1] = 0.0f;
    }
    return RN_OK;
}

/* Checks one piece of liquid that is held back, and subtracts its quanta from a->body_offset, which is compared with
   the ledger later; sets a->broken if cell, range, level or quanta are not valid. */
static void check_held(rn_archive *a, const rn_world *world, const rn_pending_displacement *held) {
    const bool inside =
        held->x >= 0 && held->y >= 0 && held->x < world->ground.cells_x && held->y < world->ground.cells_y;
    const bool sound =
        held->gap.base < held->gap.ceil && held->gap.ceil <= world->columns->lid && fabsf(held->level) < 1e9f;
    const int64_t most = (int64_t)1 << 52; /* quanta, more than any world holds: keeps sums from overflowing */
    if (!inside || !sound || held->gap.base < -2.0f * world->columns->cell || held->quanta <= 0 ||
        held->quanta > most || a->body_offset < -most)
        a->broken = true;
    else a->body_offset -= held->quanta;
}

/* Saves, checks or restores the state of blocking bodies: its size, then its bytes, packed by world/blocking_bytes.c.
   On failure returns the code and message of rn_blocking_unpack. */
static rn_result archive_blocking(rn_archive *a, rn_world *world) {
    uint64_t size = rn_blocking_pack(world, NULL);
    RN_ARCHIVE_VALUE(a, size);
    if (rn_archive_is_reading(a) && size > a->size - a->at) a->broken = true;
    if (a->broken) return RN_OK;
    rn_result result = RN_OK;
    if (a->pass == RN_WRITE) rn_blocking_pack(world, a->bytes + a->at);
    if (a->pass == RN_CHECK && !rn_blocking_check(world, a->bytes + a->at, (size_t)size)) a->broken = true;
    if (a->pass == RN_READ) result = rn_blocking_unpack(world, a->bytes + a->at, (size_t)size);
    a->at += (size_t)size;
    return result;
}

/* Saves, checks or restores the liquid that bodies have pushed away and not yet returned to the columns: the number of
   entries, then each. Broken if the archive is too short for that number. Returns RN_MEMORY, with a message, if memory
   runs out on reading; then the list is incomplete. */
static rn_result archive_held(rn_archive *a, rn_world *world) {
    rn_reshaping *r = &world->solids.reshaping;
    int64_t count = (int64_t)r->held_count;
    RN_ARCHIVE_VALUE(a, count);
    if (rn_archive_is_reading(a) &&
        (count < 0 || (uint64_t)count > (a->size - a->at) / sizeof(rn_pending_displacement)))
        a->broken = true;
    if (a->broken) return RN_OK;
    if (a->pass == RN_READ) r->held_count = 0;
    for (int64_t i = 0; i < count; i++) {
        rn_pending_displacement held = {0};
        if (a->pass == RN_WRITE) held = r->held[i];
        RN_ARCHIVE_VALUE(a, held);
        if (a->pass == RN_CHECK) check_held(a, world, &held);
        if (a->pass != RN_READ) continue;
        if (!rn_grow(&world->columns->hooks, &r->held, &r->held_capacity, r->held_count, sizeof held)) return RN_MEMORY;
        r->held[r->held_count++] = held;
    }
    return RN_OK;
}

rn_result rn_bodies_archive(rn_world *world, rn_archive *a) {
    if (a->pass == RN_HASH) {
        a->hash = rn_bodies_hash(world, a->hash);
        return RN_OK;
    }
    int64_t count = (int64_t)world->bodies.count;
    if (a->version >= RN_ARCHIVE_BODIES) RN_ARCHIVE_VALUE(a, count);
    else if (rn_archive_is_reading(a)) count = 0;
    if (a->broken) return RN_OK;
    if (a->version < RN_ARCHIVE_BODIES && a->pass == RN_READ) world->solids.reshaping.held_count = 0;
    if (count != (int64_t)world->bodies.count)
        return rn_fail(RN_INVALID, "the state has %lld bodies and this world %zu; add the same ones first",
                       (long long)count, world->bodies.count);
    if (a->version < RN_ARCHIVE_BODIES) return RN_OK;
    for (size_t i = 0; i < world->bodies.count && !a->broken; i++) archive_body(a, world, i);
    rn_result result = a->broken || count == 0 ? RN_OK : archive_liquid(a, world);
    if (result == RN_OK && !a->broken) result = archive_held(a, world);
    return result == RN_OK && !a->broken && count > 0 ? archive_blocking(a, world) : result;
}
