/* What a world is made of. */
#ifndef RN_WORLD_WORLD_H
#define RN_WORLD_WORLD_H

#include "base/maths.h"
#include "solver/implicit.h"
#include "solver/reshape.h"
#include "terrain/sdf.h"
#include "world/body.h"
#include "world/series.h"

/* Liquid that comes or goes with time: at a place of some columns, or over the whole world (rain and losses). */
typedef struct rn_source {
    rn_source_kind kind;
    rn_series value;    /* m^3/s; m of a level or head; m/s of depth over the whole world */
    double resistance;  /* s/m^2 */
    double start, stop; /* s */

    /* At a place. */
    int32_t count, *slots;
    double *weights;         /* shares of the rate, together 1 */
    double *pending;         /* quanta owed to each column, at most 1: what is too little for now is not lost */
    double heaviest, lowest; /* the largest weight; m above the datum, the lowest base, when last looked at */

    /* At a place that moves; `slots` then has room for wherever it may be. */
    rn_waypoint *path;
    int path_count;
    rn_vec3 at;
    double radius;
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
    double asked;       /* quanta, a wish, and so without bounds */
    float top, deepest; /* m */
} rn_area_row;

/* A face that a cross-section passes through. */
typedef struct rn_face {
    int32_t slot; /* of layer 0, the cell at its lower x or y */
    int8_t axis, sign;
} rn_face;

typedef struct rn_gauge {
    int32_t count;
    rn_face *faces;
    double along[2];        /* unit vector of the line, sizes only */
    double length;          /* m */
    int64_t passed, before; /* quanta; before: when the last rn_world_step began */
} rn_gauge;

/* Where every quantum went. Counts of one quantum of depth on one cell. */
typedef struct rn_ledger {
    int64_t poured, drained, left, displaced;
    int64_t lent;   /* added by bodies that float; negative: they hold some back */
    double refused; /* a wish, and so without bounds */
} rn_ledger;

/* A shape that adds to the ground or cuts into it, as long as it is there. */
typedef struct rn_solid {
    rn_sdf *shape; /* mounted; NULL: removed */
    bool carve, hidden;
    rn_vec3 at, turn; /* m, degrees */
    rn_cells drawn;   /* where it was when the columns were last made */
    bool moved;       /* since then */
    uint64_t bends;   /* how often it has been bent */
} rn_solid;

/* The solid of a world. The ground is what there is without solids: open ranges cell by cell, bottom to top, `layers`
   places each, the unused ones without room. Nothing is kept before the first change. */
typedef struct rn_solids {
    rn_range *ground;
    int layers;
    void *list; /* rn_solid */
    size_t count, capacity;
    bool altered;   /* the ground is not that of the terrain any more */
    uint8_t *stale; /* per cell: its columns are to be made anew */
    rn_cells stale_in;
    void *drafts; /* room to make them in */
    rn_reshaping reshaping;
} rn_solids;

struct rn_world {
    rn_hooks hooks;
    rn_terrain_info ground;
    rn_liquid liquid;
    rn_state state;
    rn_flood flood;
    rn_implicit implicit;
    rn_pool *pool;
    rn_law law;     /* dt and dither are those of the last substep */
    rn_peak peak;   /* of the last substep or measurement */
    float top;      /* m above the datum, the highest level that liquid from outside has had */
    float added;    /* m, the most that sources can have added to one column in the last substep */
    bool touched;   /* the peak is out of date */
    double datum;   /* m */
    double quantum; /* m */
    int max_substeps;
    double give_back, stir; /* s, and m of liquid for every metre of a floating body that is submerged */
    double courant;         /* implicit passages: the substep over the explicit one's limit */
    bool slowed;            /* the log has been told that time runs slower, */
    bool failed;            /* and that a solve has failed */
    rn_ledger ledger;
    rn_solids solids;
    rn_bodies bodies;
    rn_source *sources;
    size_t source_count, source_capacity;
    rn_area_row *area_rows; /* by layer and row, once there is rain or a loss */
    rn_gauge *gauges;
    size_t gauge_count, gauge_capacity;
    double frame_start; /* s, when the last rn_world_step began */
    rn_world_stats stats;
};

/* Adds up to `count` quanta to a column and returns how many went in. A hole that the column has become takes all. */
static inline int64_t rn_world_add(rn_world *world, int32_t slot, double count) {
    rn_state *s = &world->state;
    if (s->base[slot] < 0.0f) {
        world->ledger.left += (int64_t)count;
        return (int64_t)count;
    }
    double room = rn_room(s, slot) / world->quantum;
    double fits = count < room ? count : room;
    s->depth[slot] += (float)(fits * world->quantum);
    return (int64_t)fits;
}

/* A height (m) as columns have it: above the datum, in whole quanta, within what floats hold exactly. */
static inline float rn_world_quantise(const rn_world *world, double height) {
    const double quanta = rn_clamp(rint((height - world->datum) / world->quantum), -0x1p23, 0x1p23);
    return (float)(quanta * world->quantum);
}

/* Quanta that the ledger says are in the columns. */
static inline int64_t rn_ledger_sum(const rn_ledger *book) {
    return book->poured - book->drained - book->left - book->displaced + book->lent;
}

/* Whether a source of this kind can have this rate, level or head. */
bool rn_source_can_have(rn_source_kind kind, double value);
/* Runs all sources for one substep, and books what sinks have taken. */
void rn_sources_step(rn_world *world, double dt);
void rn_sources_free(rn_world *world);
/* When columns change: room for so many layers, then following the columns to where they are. */
rn_result rn_sources_make_room(rn_world *world, int layers);
void rn_sources_follow(rn_world *world, const rn_reshaping *reshaping);
uint64_t rn_sources_hash(const rn_world *world, uint64_t hash);
size_t rn_sources_bytes(const rn_world *world); /* memory held */
/* How much higher (m) than `height` the sources can make the liquid of a column within so many seconds from now. */
double rn_sources_rise(const rn_world *world, double height, double within);
/* How long (s) until a moving source has left the place where it is. */
double rn_sources_stay(const rn_world *world);

/* The columns of a source's place: how many there are, the most that a moving disk can have, and their slots and
   weights put into arrays with room for them. */
int32_t rn_place_count(const rn_world *world, const rn_source_def *def);
int32_t rn_place_room(const rn_world *world, double radius);
void rn_place_fill(const rn_world *world, const rn_source_def *def, rn_source *source);

/* Rain and losses: shares of each column, and the pass over the world that gives or takes so many seconds' worth. */
rn_result rn_area_create(rn_world *world, const rn_source_def *def, rn_source *source);
void rn_area_step(rn_world *world, rn_source *source, double from, double to);

/* Cross-sections: what has passed in the substep just done, and where a frame begins. */
void rn_gauges_begin(rn_world *world);
void rn_gauges_step(rn_world *world);
void rn_gauges_free(rn_world *world);

/* Takes away all but the first sources. */
void rn_sources_keep(rn_world *world, size_t count);

/* For a state to be read: room for the ground in so many layers (0: none is kept), and none but the first solids. */
rn_result rn_solids_keep(rn_world *world, int layers, size_t count);
/* Brings the number of columns up to date with the last batch of changes. */
void rn_solids_count(rn_world *world);
/* Keeps the ground as it is now to make columns from, and says that those of a cell have changed. */
rn_result rn_solids_keep_ground(rn_world *world);
void rn_solids_touch(rn_world *world, int x, int y);
/* Carries out the changes of solid asked for so far. */
rn_result rn_solids_apply(rn_world *world);
void rn_solids_free(rn_world *world);
size_t rn_solids_bytes(const rn_world *world);
/* The open ranges of a cell without bodies, bottom to top, into room for RN_MOST_LAYERS; how many. */
int rn_solids_gaps(const rn_world *world, int x, int y, rn_range *gaps);

static inline size_t rn_cell_index(const rn_world *world, int x, int y) {
    return (size_t)y * (size_t)world->state.grid.nx + (size_t)x;
}

/* The slot of the highest column of a cell whose base is at or below z (m), the lowest one if there is
   none, -1 for a hole. */
int32_t rn_world_column_below(const rn_world *world, int x, int y, double z);

/* Along x and y, the mean of the speeds through the two sides of a column (m/s); films too thin to be felt are still.
 */
void rn_world_column_flow(const rn_world *world, int32_t slot, double flow[2]);

/* What of a shape lies over the middle of a cell, bottom to top, at most RN_MOST_SPANS stretches. */
enum { RN_MOST_SPANS = 64 };
int rn_world_spans(const rn_world *world, const rn_sdf *shape, int x, int y, rn_interval *spans);

#endif
