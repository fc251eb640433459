/* The seam between a world and what moves its liquid.

   There is one rn_solver_class for every solver and backend, and solver/solvers.c lists them all. A world keeps the
   clock, sources, solids, bodies, the ledger and gauges, and reaches the liquid only in three ways:

     - it reads the columns (solver/columns.h), which are up to date whenever `advance` calls back or returns, but for
       those arrays that hosts view: `sync` brings these up to date;
     - it changes depths in world/deposit.c, friction in world/roughness.c, and lets columns be partly solid in
       world/blocking.c, and tells the solver by `changed`;
     - it calls the functions below.

   To add a solver: write its class, and list it in solver/solvers.c. tests/test_solvers.c runs over every entry. */
#ifndef RN_SOLVER_SOLVER_H
#define RN_SOLVER_SOLVER_H

#include "base/threads.h"
#include "solver/archive.h"
#include "solver/columns.h"
#include "solver/reshaping.h"

/* What a solver can do. A world refuses the rest with a sentence. */
enum {
    RN_CAN_LAYERS = 1 << 0,   /* several columns in a cell */
    RN_CAN_OPEN = 1 << 1,     /* open edges, and holes in the ground */
    RN_CAN_PERIODIC = 1 << 2, /* periodic edges */
    RN_CAN_RESHAPE = 1 << 3,  /* columns change while there is liquid in them: `reshape` */
    RN_CAN_PARTIAL = 1 << 4,  /* columns that are solid in a part of their area, and shut faces: `shut` */
    RN_CAN_SWEEP = 1 << 5,    /* faces are shut by what sweeps over them within a substep */
    RN_CAN_ANY_DT = 1 << 6,   /* small openings do not shorten the substep */
    RN_CAN_ROUGHEN = 1 << 7,  /* ground whose friction differs from region to region */
    RN_CAN_PUSH = 1 << 8,     /* liquid takes up what bodies do to it: `push`. Without, bodies feel it only */
};

/* What acts on the liquid from outside while a solver advances. The world is behind it. */
typedef struct rn_forcing {
    void *context;
    /* How much higher (m) than `height` sources can make the liquid of a column within `seconds` from now. */
    double (*rise)(const void *context, double height, double seconds);
    /* The longest substep (s) that sources which move allow. */
    double (*longest)(const void *context);
    /* A substep of dt seconds is done, and `left` quanta have left the world: moves the clock on, and lets sources
       act. The most (m) that sources have added to one column. */
    float (*substep)(void *context, double dt, int64_t left);
    double (*time)(const void *context); /* s, simulated so far */
    bool gauged;                         /* `face_flow` is going to be asked for after every substep */
    bool sourced;                        /* `substep` may read and change columns */
} rn_forcing;

/* What substeps have come to. The sums go on from one `advance` to the next. */
typedef struct rn_step_report {
    double least; /* s, the least substep; the caller begins with the time that it asks for */
    int substeps;
    bool slowed;                 /* `most` substeps were not enough */
    uint64_t fallbacks;          /* substeps whose solve did not converge */
    uint64_t bounded[RN_BOUNDS]; /* substeps by what kept them from being longer */
} rn_step_report;

/* What was changed from outside. */
typedef struct rn_disturbance {
    enum {
        RN_CHANGED_COLUMN,
        RN_CHANGED_ROW,
        RN_CHANGED_ALL,
        RN_CHANGED_FRICTION,
        RN_CHANGED_PARTIAL, /* from now on columns may be partly solid */
        RN_RESTORED,
    } what;
    int32_t slot;   /* of the column, or of one in that row */
    float top;      /* m above the datum, the highest level that liquid has there now */
    float deepest;  /* m */
    float added;    /* m, the most that was added to one column; 0 from sources, which return it from `substep` */
    float friction; /* 1/s, the highest */
    bool fluxes;    /* hosts may have written those too */
} rn_disturbance;

/* What has gone through the face between two cells. */
typedef struct rn_face_flow {
    int64_t moved; /* quanta, in the last substep */
    double height; /* m, of its open cross-section now */
} rn_face_flow;

typedef struct rn_solver_def {
    const rn_world_def *world; /* has passed `check` */
    rn_columns_def columns;
    double cell_size; /* m */
    rn_pool *pool;
    rn_hooks hooks;
} rn_solver_def;

typedef struct rn_solver_info {
    int64_t pipes, falls;
    size_t bytes; /* memory held, columns included */
    int format;   /* the least version of the archive that has all of it */
} rn_solver_info;

typedef struct rn_solver_class {
    const char *name;    /* as in scenes: "explicit" */
    const char *backend; /* "cpu" */
    const char *meaning; /* a phrase for documents and lists */
    uint32_t can;        /* RN_CAN_... */

    /* Refuses what this solver does not have, before anything is made. */
    rn_result (*check)(const rn_world_def *def);
    /* Makes the solver and its columns. */
    rn_result (*create)(const rn_solver_def *def, void **self, rn_columns **columns);
    void (*destroy)(void *self);
    rn_solver_info (*describe)(const void *self);

    /* The largest stable substep now (s): a billion or more where nothing is wet and nothing is going to be. */
    double (*stable_dt)(void *self, const rn_forcing *forcing);
    /* Chooses substeps and does them until `seconds` have passed, or `most` substeps in all are done. */
    rn_result (*advance)(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report);
    /* Fills in what it knows of the last substeps, and what bounds the next one. */
    void (*progress)(const void *self, const rn_forcing *forcing, rn_world_stats *stats);

    /* From now on gravity, liquid and courant of this definition, which has passed `check`; the rest is as it was.
       Fails with a sentence, and nothing has changed, where the solver would need other memory. NULL: it cannot. */
    rn_result (*retune)(void *self, const rn_world_def *def);
    /* Depths, fluxes or the ground were changed from outside. */
    void (*changed)(void *self, const rn_disturbance *what);
    /* Carries out a batch of changes of columns. On failure nothing has changed. With RN_CAN_RESHAPE. */
    rn_result (*reshape)(void *self, rn_reshaping *batch);
    /* Shuts faces as far as the list says, which is in order of owners, and opens all others. Gaps below solid that are
       no higher than `chink` (m) are shut too. With RN_CAN_PARTIAL. */
    void (*shut)(void *self, const rn_face_blockage *list, size_t count, float chink);
    /* Gives the liquid of a column an impulse along x and y (N s over its density in kg/m^3: m^4/s). All faces of the
       column along an axis gain the same speed. Where it has none, nothing happens. With RN_CAN_PUSH. */
    void (*push)(void *self, int32_t slot, const double impulse[2]);
    /* Brings the arrays that hosts view up to date: base, ceil, depth, flux_x and flux_y. */
    rn_result (*sync)(void *self);
    /* Saves, checks, restores or hashes the liquid; or what the next substep follows from. */
    rn_result (*archive)(void *self, rn_archive *archive, rn_archive_section section);

    /* Along x and y, the mean of the speeds through the two sides of a column (m/s). */
    void (*column_flow)(const void *self, int32_t slot, double flow[2]);
    /* Through the face at the upper x (axis 0) or y (axis 1) of a cell, which is known by its slot of layer 0. */
    rn_face_flow (*face_flow)(const void *self, int32_t cell, int axis);
    /* The tiles of an adaptive solver; NULL: none is. */
    rn_tiles (*tiles)(const void *self);
} rn_solver_class;

/* All of them, the default first; NULL past the last. */
const rn_solver_class *rn_solver_at(int number);
/* The class of this name and backend, "explicit" and "cpu" for NULL; fails with a sentence that lists what there is. */
rn_result rn_solver_find(const char *name, const char *backend, const rn_solver_class **found);

#endif
