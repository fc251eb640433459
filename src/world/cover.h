/* Cells, or faces, that bodies cover: ranges of solid, cell by cell. */
#ifndef RN_WORLD_COVER_H
#define RN_WORLD_COVER_H

#include "bodies/shares.h"

#include <math.h>

#define RN_NEGLIGIBLE_SHARE 0x1p-20f /* a share so small that it has no effect */
enum { RN_MOST_RANGES = 24 };

/* The ranges of one cell, or of one face. */
typedef struct rn_covered {
    int32_t cell;
    int32_t first, count;
} rn_covered;

typedef struct rn_speed {
    float along[2]; /* m/s, along x and y */
} rn_speed;

typedef struct rn_cover {
    rn_covered *cells; /* sorted */
    size_t count, capacity;
    rn_solid_range *ranges; /* m above the datum */
    size_t range_count, range_capacity;
    rn_speed *speeds; /* of the body in each cell; NULL in covers of faces */
    size_t speed_capacity;
} rn_cover;

/* Entry i of a cover, below its count: not that of cell i. */
static inline const rn_covered *rn_covered_at(const rn_cover *c, size_t i) { return c->cells + i; }
/* The ranges of a cell, cell->count of them, bottom to top; `cell` is an entry of the same cover. */
static inline const rn_solid_range *rn_stretches_of(const rn_cover *c, const rn_covered *cell) {
    return c->ranges + cell->first;
}

/* The largest share among the ranges of a cell, an entry of the cover; 0 if `cell` is NULL. */
static inline float rn_cover_greatest(const rn_cover *c, const rn_covered *cell) {
    float most = 0.0f;
    for (int i = 0; cell && i < cell->count; i++) most = fmaxf(most, rn_stretches_of(c, cell)[i].share);
    return most;
}

#endif
