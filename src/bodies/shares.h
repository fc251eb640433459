/* Results of the rasteriser: changes of a cell's solid share with height, also called steps, and the ranges that they
   form. */
#ifndef RN_BODIES_SHARES_H
#define RN_BODIES_SHARES_H

#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* The grid on which bodies are rasterised: cell (x, y) begins at origin + (x, y) * cell. */
typedef struct rn_raster_grid {
    double origin_x, origin_y, cell; /* m */
    int nx, ny;
} rn_raster_grid;

/* Above this height, `share` more of the cell's area, or of the face's width, is solid; less if negative. */
typedef struct rn_share_change {
    int32_t cell; /* y * nx + x; for a face, the cell at its lower x or y */
    float height; /* m, absolute */
    float share;
} rn_share_change;

/* A list of changes; rn_share_changes_sort sorts it by cell, and by height within a cell. */
typedef struct rn_share_changes {
    rn_share_change *list;
    size_t count, capacity;
} rn_share_changes;

/* A range of a cell or face. */
typedef struct rn_solid_range {
    float low, high; /* m, absolute */
    float share;     /* solid share, above 0 and at most 1 */
} rn_solid_range;

/* Sorts the changes by cell, then by height; may be none. `scratch` has room for as many. The sort is stable: the
   result depends only on the changes and the order in which they were added. */
void rn_share_changes_sort(rn_share_changes *steps, rn_share_change *scratch);
/* Writes the ranges of one cell, found from its sorted changes, bottom to top, at most `most`, without those below the
   share `least`; returns their number. Shares above 1 become 1: overlapping bodies are one. Shares below 0 are made up
   for by the solid above. Neighbours whose shares differ by less than `alike` are merged, and keep their volume; so are
   others if there would be more than `most`. */
int rn_share_changes_ranges(const rn_share_change *steps, size_t count, float least, float alike,
                            rn_solid_range *ranges, int most);

/* Minimum and maximum of two numbers in one instruction: x86 has it for a < b ? a : b, ARM for fmin. Of two zeros of
   different sign either may result. */
#if defined(__aarch64__)
#define RN_LESSER(a, b)  _Generic((a), float : fminf, default : fmin)(a, b)
#define RN_GREATER(a, b) _Generic((a), float : fmaxf, default : fmax)(a, b)
#else
#define RN_LESSER(a, b)  ((a) < (b) ? (a) : (b))
#define RN_GREATER(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
