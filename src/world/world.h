/* What a world is made of. */
#ifndef RN_WORLD_WORLD_H
#define RN_WORLD_WORLD_H

#include "solver/reshape.h"
#include "terrain/sdf.h"

/* A place where liquid comes or goes, over several columns. */
typedef struct rn_source {
    double rate;        /* m^3/s */
    double start, stop; /* s */
    bool drain;
    int32_t count, *slots;
    double *weights; /* shares of the rate, together 1 */
    double *pending; /* quanta owed to each column, at most 1: what is too little for now is not lost */
} rn_source;

/* A rectangle of cells, without its last row and column; empty if x1 <= x0. */
typedef struct rn_cells {
    int x0, y0, x1, y1;
} rn_cells;

/* Where every quantum went. Counts of one quantum of depth on one cell. */
typedef struct rn_ledger {
    int64_t poured, drained, left, displaced;
    double refused; /* a wish, and so without bounds */
} rn_ledger;

/* A shape that adds to the ground or cuts into it, as long as it is there. */
typedef struct rn_solid {
    rn_sdf *shape; /* mounted; NULL: removed */
    bool carve;
    rn_cells drawn; /* where it was when the columns were last made */
    bool moved;     /* since then */
} rn_solid;

/* The solid of a world. The ground is what there is without solids: open ranges cell by cell, bottom to top, `layers`
   places each, the unused ones without room. Nothing is kept before the first change. */
typedef struct rn_solids {
    rn_gap *ground;
    int layers;
    void *list; /* rn_solid */
    size_t count, capacity;
    uint8_t *stale; /* per cell: its columns are to be made anew */
    rn_cells stale_in;
    rn_reshaping reshaping;
} rn_solids;

struct rn_world {
    rn_hooks hooks;
    rn_terrain_info ground;
    rn_liquid liquid;
    rn_state state;
    rn_pool *pool;
    rn_law law;     /* dt and dither are those of the last substep */
    rn_peak peak;   /* of the last substep or measurement */
    float top;      /* m above the datum, the highest level that liquid from outside has had */
    float added;    /* m, the most that sources can have added to one column in the last substep */
    bool touched;   /* the peak is out of date */
    double datum;   /* m */
    double quantum; /* m */
    int max_substeps;
    bool slowed; /* the log has been told that time runs slower */
    rn_ledger ledger;
    rn_solids solids;
    rn_source *sources;
    size_t source_count, source_capacity;
    rn_world_stats stats;
};

/* Adds up to `count` quanta to a column and returns how many went in. */
static inline int64_t rn_world_add(rn_world *world, int32_t slot, double count) {
    rn_state *s = &world->state;
    double room = ((double)s->ceil[slot] - s->base[slot] - s->depth[slot]) / world->quantum;
    double fits = count < room ? count : room;
    s->depth[slot] += (float)(fits * world->quantum);
    return (int64_t)fits;
}

/* Runs the sources and drains for one substep, and books what sinks have taken. */
void rn_sources_step(rn_world *world, double dt);
void rn_sources_free(rn_world *world);
/* How fast the sources that run within so many seconds raise one column at most (m/s), and when the next starts (s). */
double rn_sources_rise(const rn_world *world, double within, double *next);

/* Carries out the changes of solid asked for so far. */
rn_result rn_solids_apply(rn_world *world);
void rn_solids_free(rn_world *world);

/* The slot of the highest column of a cell whose base is at or below z (m), the lowest one if there is
   none, -1 for a hole. */
int32_t rn_world_column_below(const rn_world *world, int x, int y, double z);

/* What of a shape lies over the middle of a cell, bottom to top, at most RN_MOST_SPANS stretches. */
enum { RN_MOST_SPANS = 64 };
int rn_world_spans(const rn_world *world, const rn_sdf *shape, int x, int y, rn_interval *spans);

#endif
