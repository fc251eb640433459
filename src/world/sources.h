/* Sources, drains, rain and losses. */
#ifndef RN_WORLD_SOURCES_H
#define RN_WORLD_SOURCES_H

#include "solver/archive.h"
#include "solver/reshaping.h"
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

typedef struct rn_sources {
    rn_source *list;
    size_t count, capacity;
    rn_area_row *rows; /* by layer and row, once there is rain or a loss; */
    int layers;        /* so many, and so many have shares */
} rn_sources;

struct rn_world;

/* Whether sources of this kind act on the whole world. */
bool rn_source_is_area(rn_source_kind kind);
/* Whether a source of this kind can have this rate, level or head. */
bool rn_source_can_have(rn_source_kind kind, double value);
/* Runs all sources for one substep. The most (m) that they have added to one column. */
float rn_sources_step(struct rn_world *world, double dt);
void rn_sources_free(struct rn_world *world);
/* When columns change: room for so many layers, then following the columns to where they are. */
rn_result rn_sources_make_room(struct rn_world *world, int layers);
void rn_sources_follow(struct rn_world *world, const rn_reshaping *reshaping);
size_t rn_sources_bytes(const struct rn_world *world); /* memory held */
/* How much higher (m) than `height` the sources can make the liquid of a column within so many seconds from now. */
double rn_sources_rise(const struct rn_world *world, double height, double within);
/* How long (s) until a moving source has left the place where it is. */
double rn_sources_stay(const struct rn_world *world);

/* The columns of a source's place: how many there are, the most that a moving disk can have, and their slots and
   weights put into arrays with room for them. */
int32_t rn_place_count(const struct rn_world *world, const rn_source_def *def);
int32_t rn_place_room(const struct rn_world *world, double radius);
void rn_place_fill(const struct rn_world *world, const rn_source_def *def, rn_source *source);

/* Rain and losses: shares of each column, and the pass over the world that gives or takes so many seconds' worth. */
rn_result rn_area_create(struct rn_world *world, const rn_source_def *def, rn_source *source);
void rn_area_step(struct rn_world *world, rn_source *source, double from, double to, float *added);

/* Takes away all but the first sources. */
void rn_sources_keep(struct rn_world *world, size_t count);

rn_result rn_sources_archive(struct rn_world *world, rn_archive *a);

#endif
