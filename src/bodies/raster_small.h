/* Small triangles: over at most two cells each way and two slices. Only sums are needed, no corners, and triangles
   that are cut by the same lines are processed together. */
#ifndef RN_BODIES_RASTER_SMALL_H
#define RN_BODIES_RASTER_SMALL_H

#include "bodies/emit.h"

/* The number of a lot: + 1 for two cells along x, + 2 for two along y, + 4 for two slices. */
enum { RN_LOTS = 8, RN_LOT = 32 };
enum { RN_WIDE = -1, RN_NOTHING = -2 }; /* not small; off the grid, or without area seen from above */

/* Triangles that are cut by the same lines. Floats are precise enough, because coordinates are relative to each
   triangle's first cell. */
typedef struct rn_triangle_batch {
    float at[3][3][RN_LOT]; /* x, y and z of corners, relative to it: cells, cells, m */
    float twice[RN_LOT];    /* twice their areas, positive if they face down */
    float rise[RN_LOT];     /* m */
    float base[RN_LOT];     /* m, zero of their heights */
    int32_t cell[RN_LOT];   /* the first cell */
    int count;
} rn_triangle_batch;

/* Puts a triangle, with corners as of rn_find_corner, into its lot, in which there must be room; returns the number of
   the lot, or, with no lot changed, RN_WIDE if the triangle is too large or partly off the grid, or RN_NOTHING if it
   has no effect. */
static inline int rn_lot_add(const rn_raster_grid *grid, double v[3][3], rn_triangle_batch lots[RN_LOTS]) {
    const double twice = (v[2][0] - v[0][0]) * (v[1][1] - v[0][1]) - (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]);
    const double left = rn_least3(v[0][0], v[1][0], v[2][0]), right = rn_most3(v[0][0], v[1][0], v[2][0]);
    const double front = rn_least3(v[0][1], v[1][1], v[2][1]), back = rn_most3(v[0][1], v[1][1], v[2][1]);
    const double low = rn_least3(v[0][2], v[1][2], v[2][2]), high = rn_most3(v[0][2], v[1][2], v[2][2]);
    const double nx = grid->nx, ny = grid->ny, slice = RN_SLICE * grid->cell, rise = high - low;
    if (!((twice != 0) & (right > 0) & (left < nx) & (back > 0) & (front < ny))) return RN_NOTHING;
    if (!((left >= 0) & (front >= 0) & (right <= nx) & (back <= ny))) return RN_WIDE;
    const int x = (int)left, y = (int)front;
    if ((right > x + 2) | (back > y + 2) | (rise > 2 * slice)) return RN_WIDE;
    const int kind = (right > x + 1) | (back > y + 1) << 1 | (rise > slice) << 2;
    rn_triangle_batch *lot = &lots[kind];
    const int i = lot->count++;
    const float base = (float)low;
    for (int c = 0; c < 3; c++) {
        lot->at[c][0][i] = (float)(v[c][0] - x);
        lot->at[c][1][i] = (float)(v[c][1] - y);
        lot->at[c][2][i] = (float)(v[c][2] - (double)base);
    }
    lot->twice[i] = (float)twice;
    lot->rise[i] = (float)rise;
    lot->base[i] = base;
    lot->cell[i] = y * grid->nx + x;
    return kind;
}

/* Adds the changes of solid share of the lot with this number to e->steps and empties it; nx: cells in a row of the
   grid. Returns false, with a message, if memory runs out; then the lot is unchanged. */
bool rn_lot_put(const rn_emitter *e, int nx, rn_triangle_batch *lot, int number);

#endif
