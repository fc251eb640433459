/* Saves, checks and restores solids and the stored ground.

   Interface (world/solids.h): rn_solids_archive, in any pass of an archive (solver/archive.h). world/snapshot.c calls
   it before all other parts, because bodies and columns depend on the ground. It adds nothing to a hash.

   Saved are the layers of the stored ground, with all its ranges, and for each solid its flags, its pose and the
   cells that it is drawn in; shapes are not. The host adds the same solids first. The world may have more than the
   state: those are removed on reading. A solid that has been removed since the state was saved makes the archive
   broken, because its shape is gone. Ranges of the ground must be in order, in whole quanta and within the world; in
   a state of this program they are trusted. Old states hold three angles in degrees instead of a quaternion. */
#include "base/quat.h"
#include "world/solids.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Flags of a saved solid. States from before solids had quaternions have three angles (degrees) instead. */
enum { THERE = 1, HIDDEN = 2, QUATERNION = 4 };

/* Saves, checks or reads a rotation. `quaternion` is false in old states, which have three angles (degrees); these are
   converted. */
static void archive_turn(rn_archive *a, bool quaternion, rn_quat *turn) {
    rn_vec3 vector = {turn->x, turn->y, turn->z};
    rn_archive_point(a, &vector);
    if (!quaternion) {
        *turn = rn_quat_from_degrees(vector);
        return;
    }
    rn_archive_double(a, &turn->w);
    *turn = (rn_quat){vector.x, vector.y, vector.z, turn->w};
}

/* Saves, checks or restores one solid: its flags, pose and cells, not its shape. On reading, a solid that had been
   removed when the state was saved is removed. Values out of bounds, or a solid removed since, make the archive
   broken. */
static void archive_solid(rn_archive *a, const rn_world *world, rn_solid *solid) {
    int32_t flags = (solid->shape ? THERE : 0) | (solid->hidden ? HIDDEN : 0) | QUATERNION;
    rn_cells *drawn = &solid->drawn, cells = *drawn;
    rn_vec3 at = solid->at;
    rn_quat turn = solid->turn;
    RN_ARCHIVE_VALUE(a, flags);
    rn_archive_point(a, &at);
    archive_turn(a, flags & QUATERNION, &turn);
    int32_t corners[] = {cells.x0, cells.y0, cells.x1, cells.y1};
    RN_ARCHIVE_VALUE(a, corners);
    if (corners[0] < 0 || corners[1] < 0 || corners[2] > world->columns->grid.nx ||
        corners[3] > world->columns->grid.ny)
        a->broken = true;
    if (!isfinite(rn_quat_square(turn)) || !(rn_quat_square(turn) > 0.0) || flags & ~(THERE | HIDDEN | QUATERNION))
        a->broken = true;
    if ((flags & THERE) && !solid->shape) a->broken = true; /* removed since, and its shape freed */
    if (a->pass != RN_READ || a->broken) return;
    if (!(flags & THERE)) {
        rn_sdf_destroy(solid->shape);
        *solid = (rn_solid){0};
        return;
    }
    if (!rn_sdf_place(solid->shape, at, turn)) {
        a->broken = true;
        return;
    }
    solid->hidden = flags & HIDDEN;
    solid->at = at;
    solid->turn = turn;
    solid->drawn = (rn_cells){corners[0], corners[1], corners[2], corners[3]};
    solid->moved = false;
}

/* Makes the archive broken unless the ranges of each cell are in order, between the datum and the lid and in whole
   quanta, unused ones (0, 0) last; the lowest may be a sink. gaps: offset of their bytes, `layers` ranges for each of
   `cells` cells. */
static void check_ground(rn_archive *a, const rn_world *world, size_t gaps, size_t cells, size_t layers) {
    const double sink = -2.0 * (double)world->columns->cell;
    for (size_t c = 0; c < cells && !a->broken; c++) {
        double lowest = 0.0;
        bool more = true;
        for (size_t l = 0; l < layers; l++) {
            rn_column_range gap;
            memcpy(&gap, a->bytes + gaps + (c * layers + l) * sizeof gap, sizeof gap);
            if (gap.base == 0.0f && gap.ceil == 0.0f) {
                more = false;
                continue;
            }
            const bool low = l == 0 && gap.base == sink;
            if (!more || !(gap.base >= (low ? sink : lowest) && gap.ceil > gap.base && gap.ceil <= world->columns->lid))
                a->broken = true;
            if (!rn_is_whole(gap.base, world->quantum) || !rn_is_whole(gap.ceil, world->quantum)) a->broken = true;
            lowest = gap.ceil;
        }
    }
}

rn_result rn_solids_archive(rn_world *world, rn_archive *a) {
    if (a->pass == RN_HASH) return RN_OK;
    rn_solids *all = &world->solids;
    int32_t layers = all->ground ? all->layers : 0;
    int64_t count = (int64_t)all->count;
    RN_ARCHIVE_VALUE(a, layers);
    RN_ARCHIVE_VALUE(a, count);
    if (layers < 0 || layers > RN_MOST_LAYERS || count < 0 || count > (int64_t)all->count) a->broken = true;
    if (a->broken) return RN_OK;
    rn_result result = a->pass == RN_READ ? rn_solids_keep(world, layers, (size_t)count) : RN_OK;
    if (result != RN_OK) return result;
    const size_t cells = (size_t)world->columns->grid.nx * (size_t)world->columns->grid.ny, gaps = a->at;
    const size_t bytes = cells * (size_t)layers * sizeof *all->ground;
    if (a->pass == RN_READ && layers > 0 && memcmp(all->ground, a->bytes + a->at, bytes) != 0) all->altered = true;
    if (layers > 0) rn_archive_data(a, all->ground, bytes);
    if (a->pass == RN_CHECK && !a->broken && !a->trusted) check_ground(a, world, gaps, cells, (size_t)layers);
    for (int64_t i = 0; i < count && !a->broken; i++) archive_solid(a, world, &all->list[i]);
    return RN_OK;
}
