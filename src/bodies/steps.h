/* What is rasterised: steps of a cell's solid share with height, and the stretches that they make. */
#ifndef RN_BODIES_STEPS_H
#define RN_BODIES_STEPS_H

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
typedef struct rn_step_up {
    int32_t cell; /* y * nx + x; of a face the cell at its lower x or y */
    float height; /* m, absolute */
    float share;
} rn_step_up;

/* In the order of cells, and of heights within a cell. */
typedef struct rn_steps {
    rn_step_up *list;
    size_t count, capacity;
} rn_steps;

/* A stretch of a cell or face. */
typedef struct rn_stretch {
    float low, high; /* m, absolute */
    float share;     /* solid, above 0 to 1 */
} rn_stretch;

/* Orders them. The result depends only on what was added, and in which order. */
void rn_steps_sort(rn_steps *steps, rn_step_up *scratch);
/* The stretches of one cell from its ordered steps, bottom to top, without those below `least` share: at most `most`;
   how many. Shares past 1 are 1: overlapping bodies are one. Neighbours whose shares differ by less than `alike` are
   one, and keep their volume. */
int rn_steps_stretches(const rn_step_up *steps, size_t count, float least, float alike, rn_stretch *stretches,
                       int most);

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
