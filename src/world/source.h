/* Sources, drains, rain and losses: what a world keeps of them. */
#ifndef RN_WORLD_SOURCE_H
#define RN_WORLD_SOURCE_H

#include "world/series.h"

/* Liquid that comes or goes with time: at a place of some columns, or over the whole world (rain and losses). */
typedef struct rn_source {
    rn_source_kind kind;
    rn_series value;    /* m^3/s; m of a level or head; m/s of depth over the whole world */
    double resistance;  /* s/m^2 */
    double start, stop; /* s */

    bool removed;

    /* At a place. */
    int32_t count, room, *slots; /* columns, and how many there is memory for */
    double *weights;             /* shares of the rate, together 1 */
    double *pending;             /* quanta owed to each column: what is too little for now is not lost */
    double heaviest, lowest;     /* the largest weight; m above the datum, the lowest base, when last looked at */

    /* A disk, along a path or moved by the host; `slots` then has room for wherever it may be. */
    bool disk;
    rn_waypoint *path;
    int path_count;
    rn_vec3 at;     /* m, with a path or once it has been moved */
    double radius;  /* m */
    double carried; /* quanta, what was owed when it came to where there is no column */

    /* Over the whole world. */
    float *shares; /* of each slot; NULL: 1 */
    double owed;   /* quanta, below 1, the same for all columns */
    double given;  /* whole quanta so far, of a share of 1 */
} rn_source;

/* What a row has had of rain or losses in a substep: results do not depend on who worked it out. */
typedef struct rn_area_row {
    int32_t touched;    /* a slot of the row that is wet, or else any; -1: none has changed */
    int64_t quanta;     /* given or taken */
    int64_t refused;    /* quanta that it had no room for */
    float top, deepest; /* m */
} rn_area_row;

/* A source may ask for more than any number holds. What was refused counts no further than this; up to there the sum is
   the same in any order. */
#define RN_MOST_REFUSED (INT64_C(1) << 62)

/* Adds quanta to what was refused, at most up to RN_MOST_REFUSED. */
static inline void rn_refuse(int64_t *refused, double quanta) {
    const int64_t more = quanta < (double)RN_MOST_REFUSED ? (int64_t)quanta : RN_MOST_REFUSED;
    *refused = more < RN_MOST_REFUSED - *refused ? *refused + more : RN_MOST_REFUSED;
}

typedef struct rn_sources {
    rn_source *list;
    size_t count, capacity;
    rn_area_row *rows; /* by layer and row, once there is rain or a loss */
    int layers;        /* that `rows` and the shares of sources have room for */
} rn_sources;

#endif
