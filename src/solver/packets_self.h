/* The data of a packets solver. Private to the solver's own files. */
#ifndef RN_SOLVER_PACKETS_SELF_H
#define RN_SOLVER_PACKETS_SELF_H

#include "solver/packet_sweeps.h"
#include "solver/solver.h"

/* The list of arrays over slots: X(type, name). */
#define RN_PACKET_ARRAYS(X)                                                                                            \
    X(float, ground)     /* m above the datum, continued beyond edges; RN_NO_COLUMN: a wall */                         \
    X(float, u)          /* m/s, along x */                                                                            \
    X(float, v)          /* m/s, along y */                                                                            \
    X(float, h1)         /* m, depths within a substep */                                                              \
    X(float, u1)         /* m/s, velocities within a substep */                                                        \
    X(float, v1)         /* m/s */                                                                                     \
    X(float, transfer_x) /* m, moved through the sides at +x in the last substep */                                    \
    X(float, transfer_y) /* m, and at +y */                                                                            \
    X(float, gained)     /* m that sources have added in this substep; 0 between substeps */                           \
    X(uint8_t, plain)    /* level ground all around */                                                                 \
    X(uint8_t, far)      /* packets of the cell travel beyond the next */                                              \
    X(int32_t, sinks)    /* slots through which liquid leaves the world: the first sink_count */

typedef struct rn_packets {
    rn_columns columns;
    rn_hooks hooks;
    rn_pool *pool;
    rn_packet_params params;
    double cell, gravity, courant; /* m, m/s^2, cells that waves cross in a substep */
    double tilt[2];                /* m/s^2, sideways gravity */
    double widening;               /* s, factor by which packets are widened */
    int count;                     /* packets along a side of a cell */
    float kappa, manning, chezy;   /* of all ground */
#define RN_PACKET_FIELD(type, name) type *name;
    RN_PACKET_ARRAYS(RN_PACKET_FIELD)
#undef RN_PACKET_FIELD
    rn_packet_peaks *extremes;     /* one per row */
    float *sums;                   /* per worker: RN_PACKET_ROWS rows of sums, and one of zeros */
    struct rn_packet_tiles *tiles; /* of the adaptive solver; NULL: all cells have one size */
    int32_t sink_count;
    uint64_t step;    /* substeps so far */
    float peak_depth; /* m */
    float peak_speed; /* m/s, an upper bound */
    float added;      /* m, largest depth that sources added to a column in the last substep */
    bool touched;     /* extremes are not known */
    bool shown;       /* the fluxes that hosts see are up to date */
    bool poured;      /* sources have added something */
} rn_packets;

/* Whether liquid can leave over some edge. */
static inline bool rn_packets_has_open_edge(const rn_packets *solver) {
    for (int side = 0; side < 4; side++)
        if (solver->columns.edges[side] == RN_EDGE_OPEN) return true;
    return false;
}

/* Wraps a cell's index *at along an axis of `cells` cells into the world; returns how many worlds away it was, negative
   below 0. */
static inline int rn_packets_wrap(int *at, int cells) {
    int away = 0;
    for (; *at < 0; away--) *at += cells;
    for (; *at >= cells; away++) *at -= cells;
    return away;
}

/* Copies the values of an array over `grid`, a level of this world, across periodic edges into its rim
   (solver/packets_edges.c). Other rims stay. */
void rn_packets_mirror(const rn_columns *columns, const rn_grid *grid, float *values);

/* ---- Substeps (solver/packets_substep.c) ------------------------------------------------------------------------- */

/* The number of floats in the sums of one row. */
size_t rn_packets_row_sums(const rn_packets *solver);
/* Sets the parameters of a substep of `dt` (s), and returns these and the arrays of all columns. `gauged`: transfers
   are counted. Needs peak_speed, which tells whether packets travel far. */
rn_packet_pass rn_packets_pass(rn_packets *solver, double dt, bool gauged);
/* Empties the sinks in h1; returns the quanta that have left over open edges and through holes. */
int64_t rn_packets_empty_sinks(rn_packets *solver);
/* Ends a substep of `dt` (s) in which `left` quanta left the world: counts it, runs sources, which sets solver->added,
   and slows columns to which they have added liquid at rest. */
void rn_packets_end_substep(rn_packets *solver, double dt, int64_t left, const rn_forcing *forcing);

/* ---- Far packets (solver/packets_far.c) -------------------------------------------------------------------------- */

/* Deposits the packets of cells marked as far, one after the other, in h1, u1 and v1 of the pass. */
void rn_packets_far(rn_packets *solver, const rn_packet_pass *pass);

/* ---- Views, flows and archives (solver/packets_archive.c) -------------------------------------------------------- */

/* Writes the fluxes (m^3/s) that hosts see, and with tiles depths and velocities of all columns. Does nothing if they
   are up to date. */
void rn_packets_show(rn_packets *solver);
/* Changes velocities towards the fluxes in the arrays that hosts see, by their difference from what the depths and
   velocities now carry. If a host has changed only depths, velocities change too, so that fluxes tend to stay. Call it
   only while `shown` is set. Overwrites u1 and v1. */
void rn_packets_take(rn_packets *solver);
/* rn_solver_class.archive (solver/solver.h): saves, checks, restores or hashes one section of the state; calls
   rn_packets_show first, unless it checks or restores. Invalid bytes set archive->broken and return RN_OK; other
   failures return a code with a message. */
rn_result rn_packets_archive(void *self, rn_archive *archive, rn_archive_section section);
/* rn_solver_class.column_flow: writes the velocity (m/s) along x and y of a column, or with tiles of its cell; 0 for
   films. */
void rn_packets_column_flow(const void *self, int32_t slot, double flow[2]);
/* rn_solver_class.face_flow: the quanta that moved through the side of a cell at +x (axis 0) or +y (1) in the last
   substep, and the height (m) of that side. */
rn_face_flow rn_packets_face_flow(const void *self, int32_t cell, int axis);

/* ---- Ground (solver/packets_ground.c) ---------------------------------------------------------------------------- */

/* After columns have changed: finds `ground`, also beyond edges, `plain` and the sinks; with tiles, which must all be
   fine, also the ground of all levels. */
void rn_packets_survey(rn_packets *solver);
/* Checks that the packets solver can run on these columns: returns RN_INVALID, with a message, if a column other than a
   sink has a ceiling below the lid (the top of the domain). Columns with several layers are not checked, because the
   world refuses them after the solver has been created (check_column_support of world/create.c), with a better
   message. */
rn_result rn_packets_accept(const rn_columns *columns);
/* rn_solver_class.reshape (solver/solver.h): applies a batch of changed columns, and moves the liquid in their way.
   Does nothing without changes or held liquid to give back. On failure returns RN_INVALID (a cell would get columns
   that this solver does not support) or RN_MEMORY, with a message; then nothing has changed. With tiles all become
   fine. */
rn_result rn_packets_reshape(void *self, rn_reshaping *batch);
/* Moves liquid above the lid, in rows whose extremes say so, to the nearest columns with room, without its momentum.
   What finds no room stays. */
void rn_packets_press_down(rn_packets *solver);

#endif
