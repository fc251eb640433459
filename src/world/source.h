/* The stored form of sources, drains, rain and losses. */
#ifndef RN_WORLD_SOURCE_H
#define RN_WORLD_SOURCE_H

#include "world/series.h"

/* A change of one column by rn_deposit_apart (world/deposit.h). */
typedef struct rn_deposited {
    double asked;      /* whole quanta, negative: to be removed */
    int64_t quanta;    /* added, or negative: removed */
    float base, depth; /* m, of the column, afterwards; base below 0: a hole */
    bool skipped;      /* nothing was to be done, and the solver need not know */
} rn_deposited;

/* What has become of the columns of a source in a substep. */
typedef struct rn_source_sums {
    int64_t poured, drained; /* quanta; drained: negative */
    float most;              /* m, largest depth that a column has gained */
    uint32_t refuses;        /* 1: some column has got less than it was asked to take */
} rn_source_sums;

/* A source or drain: at a place, or over the whole world (rain and losses). */
typedef struct rn_source {
    rn_source_kind kind;
    rn_series value;    /* m^3/s; m for a level or head; m/s of depth over the whole world */
    double resistance;  /* s/m^2 */
    double start, stop; /* s */

    bool removed;

    /* At a place. */
    int32_t count, room, *slots; /* covered columns, and capacity; `slots` is NULL once the source is removed */
    double *weights;             /* shares of the rate, sum 1 */
    double *pending;             /* quanta owed to each column: remainders below one quantum are not lost */
    rn_deposited *done;          /* what the last substep did to each column; neither saved nor hashed */
    rn_source_sums sums;         /* of all columns in the last substep */
    double heaviest, lowest;     /* largest weight; m above the datum, lowest base */

    /* A disk, on a path or moved by the host; `slots` then has room for any position. */
    bool disk;
    rn_waypoint *path;
    int path_count;
    rn_vec3 at;     /* m; used with a path or once it has been moved, otherwise 0 */
    rn_vec3 spout;  /* m, the place of its definition or where it was moved, for drawing; neither saved nor hashed */
    double radius;  /* m */
    double carried; /* quanta owed when it moved to a place without columns */

    /* Over the whole world. */
    float *shares; /* of each slot; NULL: 1 everywhere */
    double owed;   /* quanta, below 1, equal for all columns */
    double given;  /* whole quanta so far, at a share of 1 */
} rn_source;

/* Rain and losses treat a row in parts of so many columns, so that a GPU has enough to share among its threads. */
enum { RN_AREA_PART = 64 };

/* The number of parts of `nx` columns. */
static inline int rn_area_parts(int nx) { return (nx + RN_AREA_PART - 1) / RN_AREA_PART; }

/* The rain or loss on a part of a row in a substep. Results do not depend on which thread computed them. */
typedef struct rn_area_part {
    int32_t touched;    /* a slot of the part, wet if possible; -1: none has changed */
    int64_t quanta;     /* added or removed */
    int64_t refused;    /* quanta that did not fit */
    float top, deepest; /* m, highest surface and largest depth */
} rn_area_part;

/* A source may ask for more than an integer holds. The refused volume is capped at this; up to there the sum does
   not depend on the order. */
#define RN_MOST_REFUSED (INT64_C(1) << 62)

/* Adds quanta (0 or more, also INFINITY; rounded down) to the refused volume, which stays at most RN_MOST_REFUSED. */
static inline void rn_refuse(int64_t *refused, double quanta) {
    const int64_t more = quanta < (double)RN_MOST_REFUSED ? (int64_t)quanta : RN_MOST_REFUSED;
    *refused = more < RN_MOST_REFUSED - *refused ? *refused + more : RN_MOST_REFUSED;
}

typedef struct rn_sources {
    rn_source *list;
    size_t count, capacity;
    rn_area_part *parts; /* by layer, row and part, once there is rain or a loss */
    int64_t changed;     /* quanta, sum over all parts */
    uint32_t refuses;    /* 1: some part has not got all of its quanta */
    int layers;          /* capacity of `parts` and of the shares of sources */
} rn_sources;

#endif
