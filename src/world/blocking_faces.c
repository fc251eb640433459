/* rn_blocking_faces (world/blocking_faces.h): how far bodies shut the faces between cells, and how fast the solid in
   a face moves.

   world/blocking.c calls it at the end of rn_blocking_look, with the covered cells of this step and, if the solver
   has RN_CAN_SWEEP, with the solid that bodies swept over each face. Without the latter a face is as shut as the more
   covered of its two cells. The list of shut faces, sorted by their owner 2 * cell + axis, goes to the solver in
   rn_blocking_shut. Covered cells are few and sorted, so three positions in one list replace an array over the grid. */
#include "world/blocking_faces.h"

#include "base/memory.h"

#include <math.h>

/* Merges all ranges of a covered cell into one, from the bottom of the lowest to the top of the highest, with the mean
   share over that height, at most 1. Sets neither owner nor speed. */
static rn_face_blockage merge_ranges(const rn_cover *c, const rn_covered *cell) {
    const rn_solid_range *list = rn_stretches_of(c, cell);
    rn_face_blockage shut = {.low = list[0].low, .high = list[cell->count - 1].high};
    float taken = 0.0f;
    for (int i = 0; i < cell->count; i++) taken += list[i].share * (list[i].high - list[i].low);
    shut.share = shut.high > shut.low ? fminf(taken / (shut.high - shut.low), 1.0f) : 0.0f;
    return shut;
}

/* The speed (m/s) along an axis (0: x, 1: y) of the body in a cell; 0 if `cell` is NULL. */
static float speed_of(const rn_cover *c, const rn_covered *cell, int axis) {
    return cell ? c->speeds[cell - c->cells].along[axis] : 0.0f;
}

/* How far the face between two cells along an axis is shut, and how fast the solid in it moves: the mean of both cells,
   without those that have only a trace. here, there: entries of the two cells; NULL: not covered. swept: the solid
   swept over the face; NULL: not known, and the more covered of the two cells counts. Does not set the owner. */
static rn_face_blockage shut_face(const rn_cover *now, const rn_covered *here, const rn_covered *there, int axis,
                                  const rn_face_blockage *swept) {
    rn_face_blockage shut = swept ? *swept : here ? merge_ranges(now, here) : (rn_face_blockage){0};
    if (!swept && there) {
        const rn_face_blockage other = merge_ranges(now, there);
        if (other.share > shut.share) shut = other;
    }
    const bool moves = rn_cover_greatest(now, here) > RN_NEGLIGIBLE_SHARE,
               next_moves = rn_cover_greatest(now, there) > RN_NEGLIGIBLE_SHARE;
    const float speed = speed_of(now, here, axis), next = speed_of(now, there, axis);
    shut.speed = moves && next_moves ? 0.5f * (speed + next) : moves ? speed : next;
    return shut;
}

/* The solid swept over the face of `cell` towards the next one; all 0: none. Call it in ascending order of cells: *at,
   at first 0, moves along. */
static rn_face_blockage find_swept(const rn_cover *faces, size_t *at, int32_t cell) {
    while (*at < faces->count && rn_covered_at(faces, *at)->cell < cell) ++*at;
    const bool found = *at < faces->count && rn_covered_at(faces, *at)->cell == cell;
    return found ? merge_ranges(faces, rn_covered_at(faces, *at)) : (rn_face_blockage){0};
}

/* The cell that lies `back` cells before entry i of a cover: the cell itself (0), or its neighbour to the west (1) or
   south (nx); INT32_MAX past the last entry. */
static int32_t cell_before(const rn_cover *now, size_t i, int32_t back) {
    return i < now->count ? rn_covered_at(now, i)->cell - back : INT32_MAX;
}

/* Visits in order all cells that are covered, or whose next cell along x or y is. Three positions in the same list
   find the coverage of a cell and of the two that follow it. */
bool rn_blocking_faces(const rn_cover *now, const rn_cover faces[2], int32_t nx, int32_t ny, const rn_hooks *hooks,
                       rn_face_blockages *shuts) {
    shuts->count = 0;
    if (!rn_renew(hooks, &shuts->list, &shuts->capacity, 6 * now->count, sizeof *shuts->list)) return false;
    size_t here = 0, next[2] = {0, 0}, at[2] = {0, 0};
    for (;;) {
        while (next[0] < now->count && rn_covered_at(now, next[0])->cell % nx == 0)
            next[0]++; /* the first cell of a row */
        while (next[1] < now->count && rn_covered_at(now, next[1])->cell < nx) next[1]++;
        const int32_t first = cell_before(now, here, 0);
        const int32_t follow[2] = {cell_before(now, next[0], 1), cell_before(now, next[1], nx)};
        const int32_t nearer = follow[0] < follow[1] ? follow[0] : follow[1], cell = first < nearer ? first : nearer;
        if (cell == INT32_MAX) return true;
        const rn_covered *is = first == cell ? rn_covered_at(now, here++) : NULL;
        for (int axis = 0; axis < 2; axis++) {
            const rn_covered *then = follow[axis] == cell ? rn_covered_at(now, next[axis]++) : NULL;
            if (axis == 0 ? cell % nx + 1 == nx : cell / nx + 1 == ny) continue;
            const rn_face_blockage over = faces ? find_swept(&faces[axis], &at[axis], cell) : (rn_face_blockage){0};
            rn_face_blockage shut = shut_face(now, is, then, axis, faces ? &over : NULL);
            shut.owner = 2 * cell + axis;
            if (shut.share > RN_NEGLIGIBLE_SHARE) shuts->list[shuts->count++] = shut;
        }
    }
}
