/* The internals of a world. */
#ifndef RN_WORLD_WORLD_H
#define RN_WORLD_WORLD_H

#include "base/maths.h"
#include "solver/solver.h"
#include "terrain/sdf.h"
#include "world/body.h"
#include "world/force.h"
#include "world/gauges.h"
#include "world/solid.h"
#include "world/source.h"

/* Where all liquid came from and went, counted in quanta of depth on one cell. */
typedef struct rn_ledger {
    int64_t poured, drained, left, displaced;
    int64_t body_offset; /* added by floating bodies; negative: they hold some back */
    int64_t refused;     /* at most RN_MOST_REFUSED */
} rn_ledger;

struct rn_world {
    rn_hooks hooks;
    rn_terrain_info ground;
    rn_liquid liquid;
    rn_model model;
    rn_world_def def; /* as it was made, with what world/settings.c has changed since; without its terrain */
    const rn_solver_class *solver; /* everything that moves the liquid goes through it */
    void *self;                    /* the solver's own data */
    rn_columns *columns;           /* owned by the solver: see solver/solver.h for who may change what */
    struct rn_world_mac *mac; /* a 3D liquid, which the columns then only mirror; NULL: the liquid is in the columns */
    rn_pool *pool;
    float gravity;               /* m/s^2, downwards */
    rn_ground_friction friction; /* where no region sets its own */
    float film;                  /* m, liquid no deeper than this counts as still */
    double datum;                /* m */
    double quantum;              /* m */
    int max_substeps;
    double give_back, stir; /* s; and m of liquid per m of submerged floating body */
    bool slowed;            /* the log has its warning that time falls behind */
    rn_ledger ledger;
    rn_solids solids;
    rn_bodies bodies;
    rn_sources sources;
    rn_forces forces;
    rn_gauges gauges;
    double frame_start; /* s, when the last rn_world_step began */
    rn_world_stats stats;
};

/* Creates a world on a solver of any class, in the table of solvers or not; def->solver and def->backend do not matter.
   On failure returns a code, with a message, and *world is NULL. */
rn_result rn_world_create_on(const rn_solver_class *solver, const rn_world_def *def, rn_world **world);

/* Returns RN_INVALID, with a message, unless a world may have these numbers, friction, contact and gravity, whatever
   its terrain, edges and solver, which are not checked. */
rn_result rn_world_check_numbers(const rn_world_def *def);
/* The contact angles, as 1 - cos, of ground without angles of its own; the receding one is no larger than the
   advancing. */
rn_ground_angles rn_world_angles_of(const rn_liquid *liquid);
/* The friction of ground without one of its own, from the checked numbers and the gravity of a definition. */
rn_ground_friction rn_world_friction_of(const rn_world_def *def);

/* Whether the world's solver has all of these abilities (RN_CAN_...). */
static inline bool rn_world_can(const rn_world *world, uint32_t what) { return (world->solver->can & what) == what; }
/* Returns RN_INVALID, with a message, if the world's solver lacks some of the abilities `what` (RN_CAN_...) that
   `thing` needs: "solids", "bodies that block". The message names a solver that has them. With a 3D liquid fails for
   everything but RN_CAN_RESHAPE alone, even for 0. */
rn_result rn_world_needs(const rn_world *world, uint32_t what, const char *thing);

/* Returns RN_INVALID, with a message, unless the value is within the limits of the law, which must be a valid one. */
rn_result rn_friction_check(rn_friction_law law, double value);
/* Sets the part of *friction that belongs to a law, from a checked value, at this gravity (m/s^2, above 0); the other
   laws stay as they are. */
void rn_friction_set(rn_friction_law law, double value, double gravity, rn_ground_friction *friction);

/* A height (m) in the form of columns: m above the datum, rounded to whole quanta, clamped to what floats represent
   exactly, 2^23 quanta on either side. */
static inline float rn_world_quantise(const rn_world *world, double height) {
    const double quanta = rn_clamp(rint((height - world->datum) / world->quantum), -0x1p23, 0x1p23);
    return (float)(quanta * world->quantum);
}

/* The quanta that must be in the columns according to the ledger; refused ones never were. */
static inline int64_t rn_ledger_sum(const rn_ledger *book) {
    return book->poured - book->drained - book->left - book->displaced + book->body_offset;
}

/* The index y * nx + x of a cell in arrays over cells; with x = 0 and y = ny their number. */
static inline size_t rn_cell_index(const rn_world *world, int x, int y) {
    return (size_t)y * (size_t)world->columns->grid.nx + (size_t)x;
}

/* The slot of the highest column of a cell whose base is at or below z (m), or of the lowest one if all are above; -1
   for a hole or solid. */
int32_t rn_world_column_below(const rn_world *world, int x, int y, double z);

/* Writes the mean speed (m/s) through the two sides of a column, along x and along y; 0 for films too thin to count. */
static inline void rn_world_column_flow(const rn_world *world, int32_t slot, double flow[2]) {
    world->solver->column_flow(world->self, slot, flow);
}

/* The largest number of ranges that rn_world_spans finds. */
enum { RN_MOST_SPANS = 64 };
/* The ranges (m) of a shape along the vertical line through the centre of a cell, bottom to top, from a cell below the
   datum up to the lid; returns their number. `spans` has room for RN_MOST_SPANS; more are left out. */
int rn_world_spans(const rn_world *world, const rn_sdf *shape, int x, int y, rn_interval *spans);

#endif
