/* What is rasterised: steps of a cell's solid share with height, and the ranges that they make. */
#ifndef RN_BODIES_SHARES_H
#define RN_BODIES_SHARES_H

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The grid that bodies are seen on: cell (x, y) begins at origin + (x, y) * cell. */
typedef struct rn_raster_grid {
    double origin_x, origin_y, cell; /* m */
    int nx, ny;
} rn_raster_grid;

/* Above this height so much more of the cell's area, or of the face's width, is solid; less if negative. */
typedef struct rn_share_change {
    int32_t cell; /* y * nx + x; of a face the cell at its lower x or y */
    float height; /* m, absolute */
    float share;
} rn_share_change;

/* In the order of cells, and of heights within a cell. */
typedef struct rn_share_changes {
    rn_share_change *list;
    size_t count, capacity;
} rn_share_changes;

/* A range of a cell or face. */
typedef struct rn_solid_range {
    float low, high; /* m, absolute */
    float share;     /* solid, above 0 to 1 */
} rn_solid_range;

/* Orders them. The result depends only on what was added, and in which order. */
void rn_share_changes_sort(rn_share_changes *steps, rn_share_change *scratch);
/* The ranges of one cell from its ordered steps, bottom to top, without those below `least` share: at most `most`;
   how many. Shares past 1 are 1: overlapping bodies are one. Neighbours whose shares differ by less than `alike` are
   one, and keep their volume. */
int rn_share_changes_ranges(const rn_share_change *steps, size_t count, float least, float alike,
                            rn_solid_range *ranges, int most);

/* The lesser and the greater of two numbers in one instruction: x86 has it for a < b ? a : b, and ARM for fmin. Of two
   zeros of different sign it may be either. */
#if defined(__aarch64__)
#define RN_LESSER(a, b)  _Generic((a), float : fminf, default : fmin)(a, b)
#define RN_GREATER(a, b) _Generic((a), float : fmaxf, default : fmax)(a, b)
#else
#define RN_LESSER(a, b)  ((a) < (b) ? (a) : (b))
#define RN_GREATER(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
