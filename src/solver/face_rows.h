/* The rows that a sweep over faces reads and keeps: how many of them, and where they are. Private to
   solver/face_sweeps.c. On a GPU a block copies the rows of a piece into its own memory before it works on them. */
#ifndef RN_SOLVER_FACE_ROWS_H
#define RN_SOLVER_FACE_ROWS_H

#include "kernels/face.h"
#include "solver/sweeps.h"

enum { HALO = 2 }; /* faces that transport reads on each side */

#if defined(RN_GPU)
enum {
    RING = RN_PIECE_Y + 2 * HALO, /* rows of forces that are kept: all of a piece */
    SLOPE_ROWS = RING + 1,
    BELOW_ROWS = RN_PIECE_Y + 1,
    BESIDE_ROWS = RN_PIECE_Y,
    FALL_ROWS = RN_PIECE_Y + 1,
    EDGE = 4,              /* entries of a row before the first column of the patch */
    ROOM = RN_PIECE_X + 8, /* entries of a row */
};
#else
enum {
    RING = 2 * HALO + 1, /* rows of forces that are kept */
    SLOPE_ROWS = 2,
    BELOW_ROWS = 2,
    BESIDE_ROWS = 1,
    FALL_ROWS = 2,
    EDGE = RN_PAD,                 /* entries of a row before the first column of the patch */
    ROOM = RN_TILE_X + 3 * RN_PAD, /* entries of a row */
};
#endif

/* The arrays that a sweep over a patch reads, each from the patch's first column on, and the step from a row to the
   next. Speeds are those that the sweep starts from, and those along y follow those along x, as transfers do. */
typedef struct face_rows {
    const float *base, *depth, *ceil, *speed[2], *move[2];
    const uint8_t *pipes[2];
    int32_t up;
} face_rows;

/* The arrays of the state. */
RN_INLINE face_rows rows_of_state(const rn_state *s, int32_t first, float *const speed_x, float *const speed_y) {
    const rn_graph *g = &s->graph;
    return (face_rows){s->columns.base + first,
                       s->columns.depth + first,
                       s->columns.ceil + first,
                       {speed_x + first, speed_y + first},
                       {g->transfer_x + first, g->transfer_y + first},
                       {g->pipe_x + first, g->pipe_y + first},
                       s->columns.grid.stride};
}

#if defined(RN_GPU)

enum { BORDER = HALO + 1, NEAR_X = RN_PIECE_X + 2 * EDGE, NEAR_Y = RN_PIECE_Y + 2 * EDGE };

/* A copy of these arrays for a piece and the columns around it, in memory of the block. */
typedef struct near_rows {
    float base[NEAR_Y][NEAR_X], depth[NEAR_Y][NEAR_X], ceil[NEAR_Y][NEAR_X], speed[2][NEAR_Y][NEAR_X];
    float move[2][NEAR_Y][NEAR_X];
    uint8_t pipes[2][NEAR_Y][NEAR_X];
} near_rows;

/* Copies the arrays that the cases of `kind` need, and returns the copies; the lanes must meet before they read them.
   `moves`: transfers too. */
RN_INLINE face_rows copy_rows(const rn_patch *patch, const face_rows *from, near_rows *to, const rn_face_kind kind,
                              const bool moves) {
    RN_FOR_ROWS (line, -BORDER, patch->rows + BORDER + 1) {
        const int32_t row = line * from->up;
        RN_FOR_LANES (n, -BORDER, patch->columns + BORDER + 1) {
            const int y = line + EDGE, x = n + EDGE;
            const int32_t i = row + n;
            to->base[y][x] = from->base[i], to->depth[y][x] = from->depth[i];
            to->speed[0][y][x] = from->speed[0][i], to->speed[1][y][x] = from->speed[1][i];
            if (moves) to->move[0][y][x] = from->move[0][i], to->move[1][y][x] = from->move[1][i];
            if (kind.restricted || kind.falls || kind.contact) {
                to->ceil[y][x] = from->ceil[i];
                to->pipes[0][y][x] = from->pipes[0][i], to->pipes[1][y][x] = from->pipes[1][i];
            }
        }
    }
    return (face_rows){&to->base[EDGE][EDGE],
                       &to->depth[EDGE][EDGE],
                       &to->ceil[EDGE][EDGE],
                       {&to->speed[0][EDGE][EDGE], &to->speed[1][EDGE][EDGE]},
                       {&to->move[0][EDGE][EDGE], &to->move[1][EDGE][EDGE]},
                       {&to->pipes[0][EDGE][EDGE], &to->pipes[1][EDGE][EDGE]},
                       NEAR_X};
}

#endif

#endif
