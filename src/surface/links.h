/* The table of joined columns (Dagenais 2018, 4.1) that all parts of src/surface use.

   A column stands for the range of heights from `low` (the ceiling of the column below it, -INFINITY for the lowest)
   to `high` (its ceiling): solid from low to its base, open above. The ranges of a cell's columns are contiguous, so
   exactly one column of each neighbouring cell contains a given level. A column therefore has at most one link in
   each of eight directions, and all of them fit into one word, a byte per direction.

   Slots here are numbered by the surface: layer by layer, with a rim of one cell around each, so that every
   neighbour of a column is a slot: slot = (layer*(ny + 2) + y + 1)*stride + x + 1. The arrays are up to date only
   for `active` slots: the columns of wet cells and of the cells around them; the rest is left from earlier builds. */
#ifndef RN_SURFACE_LINKS_H
#define RN_SURFACE_LINKS_H

#include "base/threads.h"

#include <runnel/surface.h>

/* Put before a loop over a run of columns: the arrays do not overlap, so the loop can be vectorised. */
#if defined(__GNUC__) && !defined(__clang__)
#define RN_EACH_ALONE _Pragma("GCC ivdep")
#else
#define RN_EACH_ALONE
#endif

/* Put before a loop over directions: unrolls it, so that all steps are constants. */
#if defined(__GNUC__)
#define RN_EACH_WAY _Pragma("GCC unroll 8")
#else
#define RN_EACH_WAY
#endif

/* Maximum and minimum of two numbers, in the form that compiles to one instruction. */
#ifdef __aarch64__
static inline float rn_larger(float a, float b) { return __builtin_fmaxf(a, b); }
static inline float rn_smaller(float a, float b) { return __builtin_fminf(a, b); }
#else
static inline float rn_larger(float a, float b) { return a > b ? a : b; }
static inline float rn_smaller(float a, float b) { return a < b ? a : b; }
#endif

/* Directions around a cell: east, north-east, north and so on; the opposite of d is (d + 4) & 7. */
enum { RN_AROUND = 8 };
static const int8_t rn_around_x[RN_AROUND] = {1, 1, 0, -1, -1, -1, 0, 1};
static const int8_t rn_around_y[RN_AROUND] = {0, 1, 1, 1, 0, -1, -1, -1};

/* A byte of a link word: the kind of link, and the layer in the cell in that direction. */
enum {
    RN_LINK_NONE = 0x00,   /* nothing: only for dry columns */
    RN_LINK_JOIN = 0x40,   /* joined: the level of each lies in the range of the other */
    RN_LINK_WALL = 0x80,   /* of wet columns: the surface meets solid, or the edge of the domain */
    RN_LINK_FALL = 0xc0,   /* of wet columns: liquid that goes there falls off an edge */
    RN_LINK_KIND = 0xc0,   /* mask */
    RN_LINK_LAYER = 0x3f,  /* mask: the layer of the column there; for a wall, of the column whose range contains the
                              level; for a fall, of the column that it falls into */
    RN_LINK_NOWHERE = 0x3f /* as a layer: no column there, but the edge of the domain or a hole */
};

/* The byte of a link word for one direction: kind and layer. */
static inline uint8_t rn_link_of(uint64_t links, int direction) { return (uint8_t)(links >> (8 * direction)); }

/* The directions in which a column is joined, as bit 6 of each byte. */
static inline uint64_t rn_joins_of(uint64_t links) { return links & ~(links >> 1) & UINT64_C(0x4040404040404040); }
/* Removes the first direction from a set of rn_joins_of and returns it. */
static inline int rn_take_join(uint64_t *joins) {
    const int direction = __builtin_ctzll(*joins) >> 3;
    *joins &= *joins - 1;
    return direction;
}

/* The kind of a column for the surface. */
enum {
    RN_SURFACE_ABSENT = 0,  /* no column */
    RN_SURFACE_DRY = 1,     /* a column without liquid */
    RN_SURFACE_FLOODED = 2, /* full to its ceiling: no free surface */
    RN_SURFACE_WET = 3,     /* has a free surface; odd, like dry: can be joined */
};

typedef struct rn_links {
    int nx, ny, layers;
    int32_t stride, layer_stride; /* slots from row to row, layer to layer */
    int32_t step[RN_AROUND];      /* slots to the same layer of the cell in a direction */
    float cell;                   /* m */
    uint32_t open_sides;          /* edges over which liquid falls, as in rn_surface_columns */

    /* Per slot. */
    uint64_t *links; /* byte d: the link in direction d */
    uint8_t *kind;   /* RN_SURFACE_... */
    float *level;    /* m above the datum, of the liquid; for a dry column its base */
    float *base;     /* m above the datum */
    float *low;      /* m, of its range */
    float *high;     /* m, of its range: its ceiling; INFINITY under the open sky */

    /* Sets of cells, one bit each: `words` 64-bit words per row, cell x is bit (x + 1) & 63 of word (x + 1) / 64;
       rows -1 to ny. By layer: set[(layer*(ny + 2) + y + 1)*words + ...]. */
    int words;
    uint64_t *wet;        /* by layer: RN_SURFACE_WET */
    uint64_t *interior;   /* by layer: wet, and joined with a wet column of the same layer in all eight directions */
    uint64_t *wet_layers; /* by row from -1: bits of layers with a wet column; for others only `wet` is valid */
    uint64_t *near;       /* by row only: cells with a wet column, and the cells around them: `active` */
} rn_links;

/* Loops over the layers of a set, from the lowest. */
#define RN_EACH_LAYER(l, set) for (int l = rn_layer_from(set, 0); l < 64; l = rn_layer_from(set, l + 1))
/* The first layer of a set at or above l; 64: none. */
static inline int rn_layer_from(uint64_t layers, int l) {
    const uint64_t rest = l < 64 ? layers >> l : 0;
    return rest ? l + __builtin_ctzll(rest) : 64;
}

/* The slot of a column; x and y may be one cell outside the domain. */
static inline int32_t rn_links_slot(const rn_links *t, int layer, int y, int x) {
    return layer * t->layer_stride + (y + 1) * t->stride + x + 1;
}

/* Slots from a column to the same layer of the cell in a direction. */
static inline int32_t rn_links_step(const rn_links *t, int direction) {
    return rn_around_y[direction] * t->stride + rn_around_x[direction];
}

/* The slot of the column that `slot` of `layer` is joined with in a direction; the link must be a join. */
static inline int32_t rn_links_at(const rn_links *t, int32_t slot, int layer, uint64_t links, int direction) {
    const int there = rn_link_of(links, direction) & RN_LINK_LAYER;
    return slot + t->step[direction] + (there - layer) * t->layer_stride;
}

/* The slot that a column at `slot` of `layer` is joined with in a direction, or -1 if there is none. */
static inline int32_t rn_links_joined(const rn_links *t, int32_t slot, int layer, int direction) {
    const uint8_t link = rn_link_of(t->links[slot], direction);
    if ((link & RN_LINK_KIND) != RN_LINK_JOIN) return -1;
    return slot + rn_links_step(t, direction) + ((link & RN_LINK_LAYER) - layer) * t->layer_stride;
}

/* The words of row y of a set; layer is 0 for sets by row. */
static inline const uint64_t *rn_links_row(const rn_links *t, const uint64_t *set, int layer, int y) {
    return set + ((size_t)layer * (size_t)(t->ny + 2) + (size_t)(y + 1)) * (size_t)t->words;
}

/* Whether cell x is in a row of a set. */
static inline bool rn_links_in(const uint64_t *row, int x) { return row[(x + 1) >> 6] >> ((x + 1) & 63) & 1; }

/* The number of consecutive set bits from bit 0 on. */
static inline int rn_run_of(uint64_t bits) { return ~bits ? __builtin_ctzll(~bits) : 64; }
/* A word with all bits from `bit` on set. */
static inline uint64_t rn_bits_from(int bit) { return bit < 64 ? ~UINT64_C(0) << bit : 0; }

/* A meniscus begins at wet columns with a link to a dry column (RN_SURFACE_DRY) or a wall (RN_LINK_WALL): the
   boundary is the centre of that neighbouring cell, or at the domain's edge the face of this one. */

#endif
