/* The interface between a world and its solver.

   There is one rn_solver_class for every solver and backend, and solver/solvers.c lists them all. A world keeps the
   clock, sources, solids, bodies, the ledger and gauges, and reaches the liquid only in three ways:

     - it reads the columns (solver/columns.h), which are up to date whenever `advance` calls back or returns, except
   for the arrays that hosts see: `sync` updates these;
     - it changes depths in world/deposit.c, friction in world/roughness.c, contact angles in world/wetting.c, allows
       partly solid columns in world/blocking.c, and reports this to the solver through `changed`;
     - it calls the functions below.

   To add a solver: write its class, and list it in solver/solvers.c. tests/test_solvers.c runs over every entry. */
#ifndef RN_SOLVER_SOLVER_H
#define RN_SOLVER_SOLVER_H

#include "base/threads.h"
#include "solver/archive.h"
#include "solver/columns.h"
#include "solver/reshaping.h"

/* The abilities of a solver. A world refuses everything else with a message. */
enum {
    RN_CAN_LAYERS = 1 << 0,   /* several columns in a cell */
    RN_CAN_OPEN = 1 << 1,     /* open edges, and holes in the ground */
    RN_CAN_PERIODIC = 1 << 2, /* periodic edges */
    RN_CAN_RESHAPE = 1 << 3,  /* columns change while there is liquid in them: `reshape` */
    RN_CAN_PARTIAL = 1 << 4,  /* partly solid columns, and shut faces: `shut` */
    RN_CAN_SWEEP = 1 << 5,    /* faces are shut by solid that sweeps over them within a substep */
    RN_CAN_ANY_DT = 1 << 6,   /* small openings do not shorten the substep */
    RN_CAN_ROUGHEN = 1 << 7,  /* friction of the ground differs between regions */
    RN_CAN_PUSH = 1 << 8,     /* bodies push the liquid: `push`. Without it, only the liquid pushes bodies */
};

/* Callbacks into the world while a solver advances. */
typedef struct rn_forcing {
    void *context;
    /* How far above `height` (m) sources can raise the liquid of a column (m) within `seconds` from now. */
    double (*rise)(const void *context, double height, double seconds);
    /* The longest substep (s) that moving sources allow. */
    double (*longest)(const void *context);
    /* Call it after a substep of dt seconds in which `left` quanta left the world: advances the clock, and runs
       sources. Returns the largest depth (m) that sources added to a column. */
    float (*substep)(void *context, double dt, int64_t left);
    double (*time)(const void *context); /* s, simulated so far */
    bool gauged;                         /* `face_flow` will be called after every substep */
    bool sourced;                        /* `substep` may read and change columns */
    /* For solvers that take substeps on another device, where the four functions above run too, with a copy of the
       context: how many bytes a copy needs; makes one at `to`, aligned to 64 bytes, whose pointers are right once it
       has been moved to `place`; and takes over what has changed in a copy of that place that lies at `from`. NULL:
       there are no copies. */
    size_t (*copy_bytes)(const void *context);
    void (*copy)(const void *context, void *to, void *place);
    void (*take_back)(void *context, void *from, void *place);
} rn_forcing;

/* A summary of substeps. The sums continue from one `advance` to the next. */
typedef struct rn_step_report {
    double least; /* s, shortest substep; the caller initialises it with the time it asks for */
    int substeps;
    bool slowed;                 /* `most` substeps did not suffice */
    uint64_t fallbacks;          /* substeps whose solve did not converge */
    uint64_t bounded[RN_BOUNDS]; /* substeps by what limited their length */
} rn_step_report;

/* A change from outside. */
typedef struct rn_disturbance {
    enum {
        RN_CHANGED_COLUMNS,  /* depths of columns beside each other in a row */
        RN_CHANGED_ROW,      /* depths of a row */
        RN_CHANGED_ALL,      /* any depths, and fluxes if `fluxes` */
        RN_CHANGED_FRICTION, /* friction of the ground */
        RN_CHANGED_ANGLES,   /* contact angles */
        RN_CHANGED_PARTIAL,  /* from now on columns may be partly solid */
        RN_RESTORED,         /* a saved state was read */
    } what;
    int32_t slot;   /* of the first of these columns, or of one in the row */
    int32_t count;  /* of columns */
    float top;      /* m above the datum, highest level of liquid there now */
    float deepest;  /* m */
    float added;    /* m, largest depth added to a column; 0 from sources, which return it from `substep` */
    float friction; /* 1/s, highest */
    bool fluxes;    /* hosts may have written fluxes too */
} rn_disturbance;

/* The flow through the face between two cells. */
typedef struct rn_face_flow {
    int64_t moved; /* quanta, in the last substep */
    double height; /* m, current height of its open cross-section */
} rn_face_flow;

typedef struct rn_solver_def {
    const rn_world_def *world; /* checked by `check` */
    rn_columns_def columns;
    double cell_size; /* m */
    rn_pool *pool;
    int workers; /* that share its tasks, if they are more than the pool has */
    rn_hooks hooks;
} rn_solver_def;

typedef struct rn_solver_info {
    int64_t pipes, falls;
    size_t bytes; /* memory held, columns included */
    int format;   /* lowest version of the archive that can hold the state */
} rn_solver_info;

enum { RN_MOST_WORLDS = 64 }; /* that a solver advances at once */

typedef struct rn_solver_class {
    const char *name;    /* as in scenes: "explicit" */
    const char *backend; /* "cpu" */
    const char *meaning; /* a phrase for documents and lists */
    uint32_t can;        /* RN_CAN_... */

    /* Returns RN_INVALID, with a message, if the definition needs something that this solver does not support. */
    rn_result (*check)(const rn_world_def *def);
    /* Creates the solver and its columns, which belong to it. On failure there is a message, and nothing is left to
       free. */
    rn_result (*create)(const rn_solver_def *def, void **self, rn_columns **columns);
    void (*destroy)(void *self); /* columns included; NULL is allowed */
    rn_solver_info (*describe)(const void *self);

    /* The largest stable substep now (s); a billion or more if nothing is wet and no source will pour. */
    double (*stable_dt)(void *self, const rn_forcing *forcing);
    /* Takes substeps until `seconds` have passed, or until report->substeps, which continues, reaches `most`; then
       report->slowed is set. On failure, with a message, the substeps so far count. */
    rn_result (*advance)(void *self, double seconds, int most, const rn_forcing *forcing, rn_step_report *report);
    /* The same for at most RN_MOST_WORLDS worlds at once, none of them twice, each with its own `most`, forcing and
       report. Sets the result of each; the message is that of the last failure, whose result is returned. NULL: the
       solver takes one world after the other. */
    rn_result (*advance_many)(int count, void *const *selves, double seconds, const int *most,
                              const rn_forcing *forcing, rn_step_report *reports, rn_result *results);
    /* Fills in the statistics of the last substeps, and what limits the next one; needs stats->limit, the largest
       stable substep (s). */
    void (*progress)(const void *self, const rn_forcing *forcing, rn_world_stats *stats);

    /* Takes over gravity, liquid and courant of this definition, which has passed `check`; the rest of it is as before.
       Returns RN_INVALID, with a message and nothing changed, where the solver would need other memory. NULL: the
       solver cannot do this. */
    rn_result (*retune)(void *self, const rn_world_def *def);
    /* Reports that depths, fluxes or the ground were changed from outside. */
    void (*changed)(void *self, const rn_disturbance *what);
    /* Applies a batch of changes of columns. On failure, with a message, nothing has changed, except that there may be
       more layers, which are empty. Solvers with RN_CAN_RESHAPE have it. */
    rn_result (*reshape)(void *self, rn_reshaping *batch);
    /* Shuts faces as far as the list says, which is in order of owners, and opens all others. Gaps below solid no
       higher than `chink` (m) are shut too. Solvers with RN_CAN_PARTIAL have it. */
    void (*shut)(void *self, const rn_face_blockage *list, size_t count, float chink);
    /* Gives the liquid of a column an impulse along x and y (N s divided by its density in kg/m^3: m^4/s). All faces of
       the column along an axis gain the same speed. Where no liquid can move no speed changes. Solvers with RN_CAN_PUSH
       have it. */
    void (*push)(void *self, int32_t slot, const double impulse[2]);
    /* Updates the arrays that hosts see: base, ceil, depth, flux_x and flux_y. On failure there is a message. */
    rn_result (*sync)(void *self);
    /* Measures, writes, checks, reads or hashes a section, as archive->pass says: the liquid, or what determines the
       next substep. Invalid bytes set archive->broken and return RN_OK; failures have a message. */
    rn_result (*archive)(void *self, rn_archive *archive, rn_archive_section section);

    /* Sets flow[0] along x and flow[1] along y to the mean speed (m/s) through the two sides of a column. */
    void (*column_flow)(const void *self, int32_t slot, double flow[2]);
    /* The flow through the face at the upper x (axis 0) or y (axis 1) of a cell, given by its slot of layer 0. */
    rn_face_flow (*face_flow)(const void *self, int32_t cell, int axis);
    /* What builds the surface of the liquid where the solver runs; NULL if memory runs out. NULL: the CPU does. */
    struct rn_device *(*device)(void *self);
    /* The tiles of an adaptive solver; NULL: not adaptive. */
    rn_tiles (*tiles)(const void *self);
    /* The tiles that are skipped at rest, as rn_world_resting says; NULL: none are. */
    rn_resting (*resting)(const void *self, uint8_t *rests, size_t room);
} rn_solver_class;

/* The solver of this number, from 0, the default first, or NULL past the last. */
const rn_solver_class *rn_solver_at(int number);
/* Finds the solver of this name and backend; NULL stands for "explicit" and "cpu". The backend "cuda" opens its library
   (solver/backend.h). Returns RN_INVALID, with a message that lists all solvers or says what is missing, if there is
   none. */
rn_result rn_solver_find(const char *name, const char *backend, const rn_solver_class **found);

/* Whether the solver of this name also has the backend "cuda". */
bool rn_solver_has_gpu(const char *name);

/* The depth (m) of the foot of the liquid's edge: where liquid is deeper, its ground counts as wet. 0 where dynamic
   contact has no effect: contact that is not dynamic, another model, large cells, no surface tension, or an angle of at
   most 0.1 degrees. */
double rn_contact_foot(const rn_world_def *world, double cell);

#endif
