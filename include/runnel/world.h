/* A world: liquid on a terrain, stepped in time. */
#ifndef RUNNEL_WORLD_H
#define RUNNEL_WORLD_H

#include <runnel/liquid.h>
#include <runnel/terrain.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_world rn_world;

typedef enum rn_edge {
    RN_EDGE_WALL,     /* nothing passes */
    RN_EDGE_OPEN,     /* liquid falls over the edge and is gone */
    RN_EDGE_PERIODIC, /* continues at the opposite edge; both must be periodic */
} rn_edge;

typedef enum rn_model {
    RN_MODEL_PHYSICAL, /* runnel's own equations, docs/model.md */
    RN_MODEL_PAPER,    /* as printed in Dagenais et al. 2018, docs/paper.md */
} rn_model;

/* The effect of surface tension and contact angles: docs/contact.md. */
typedef enum rn_contact {
    RN_CONTACT_STATIC,  /* they only shape menisci of the drawn surface */
    RN_CONTACT_DYNAMIC, /* they also move the liquid: drops stay, films break up, rivulets hold together */
} rn_contact;

/* How the explicit solver lets liquid flow through columns that are full to their ceilings: docs/passages.md. */
typedef enum rn_passages {
    RN_PASSAGES_DEFAULT,      /* unified-long; unified with the paper's model */
    RN_PASSAGES_UNIFIED_LONG, /* potential flow within passages, ordinary pipes elsewhere */
    RN_PASSAGES_UNIFIED,      /* Dagenais et al. 2018, Eq. 8-9: from every portal to every other, at any distance */
    RN_PASSAGES_AXIS,         /* Dagenais et al. 2018, section 3.3: along x and y only, blocked at corners */
    RN_PASSAGES_NONE,         /* none: a full column stops the flow */
} rn_passages;

typedef enum rn_side { RN_SIDE_WEST, RN_SIDE_EAST, RN_SIDE_SOUTH, RN_SIDE_NORTH } rn_side; /* -x, +x, -y, +y */

/* How the packets solver traces its packets. */
typedef enum rn_trace {
    RN_TRACE_EULER,    /* by the velocity at the start */
    RN_TRACE_MIDPOINT, /* by the velocity half way */
} rn_trace;

#define RN_PACKETS_COURANT 1.0 /* most cells that waves may cross in a substep of the packets solver */

enum { RN_PACKETS_LEVELS = 3, RN_PACKETS_TILE = 16 }; /* most levels above the finest; cells along a side of a tile */

/* The packets solver: docs/packets.md. */
typedef struct rn_packets_def {
    int count;        /* N: a cell sends N x N packets; 2, 3 or 4; default 2 */
    double smoothing; /* s: packets are widened by this factor, above 1 and at most 2; default 1.05 */
    double courant;   /* cells that waves cross in a substep, above 0 and at most RN_PACKETS_COURANT; default 0.5 */
    rn_trace trace;   /* default RN_TRACE_EULER */
    int levels; /* adaptive: how often cells may double in size where the surface is smooth, up to RN_PACKETS_LEVELS;
                   default 0: all cells have one size */
    double tolerance; /* m, adaptive: cells are refined where surface or flow bend by more than this from cell to cell;
                         default 0: a thousandth of a cell */
    double fine[4];   /* m, adaptive: tiles within the rectangle x0 y0 x1 y1 are always fine; default all 0: none */
} rn_packets_def;

typedef struct rn_world_def {
    const rn_terrain *terrain; /* read during creation only */
    rn_liquid liquid;
    rn_vec3 gravity;        /* m/s^2; z must be negative; x and y tilt the table; default (0, 0, -9.81) */
    rn_model model;         /* default physical */
    const char *solver;     /* "explicit", "implicit" or "packets", see rn_solver_describe, or "mac": a 3D liquid,
                               docs/mac.md; default NULL: "explicit" */
    const char *backend;    /* what the solver runs on; default NULL: "cpu". Or "cuda", a GPU; or "auto": grids
                               of fewer than 512 x 512 cells run on the CPU, larger ones on a GPU if there is one that
                               the solver can use, otherwise on the CPU with one log message. Results are the same */
    rn_passages passages;   /* explicit solver; default RN_PASSAGES_DEFAULT */
    rn_contact contact;     /* dynamic needs the explicit solver, the physical model and cells below 20 mm, or the 3D
                               liquid, where it is surface tension alone; default RN_CONTACT_STATIC */
    double courant;         /* implicit solver: its substep as a multiple of the explicit limit; default 3 */
    int solver_iterations;  /* most iterations of a linear solve; beyond that the substep is taken explicitly; default
                               100 */
    rn_packets_def packets; /* packets solver */
    double give_back; /* s, time in which bodies give back 63 % of the liquid that they have pushed away; default 0: at
                         once */
    double stir;      /* 0 to 1: how much of the liquid that a floating body displaces shows around it; default 0.5 */
    double friction;  /* omega in (0, 1]: share of its speed that deep liquid keeps per second; default 0.5 */
    double manning;   /* s/m^(1/3), Manning's n of the ground; default 0: none */
    double chezy; /* m^(1/2)/s, Chezy's C of the ground; default 0: none. The three frictions add up; `friction` 1 means
                     none of the first kind */
    rn_edge edges[4];      /* by rn_side; default walls */
    double dig;            /* m, how far below the lowest ground it may be dug; default 0 */
    double drop_x, drop_y; /* m, periodic edges: drop of the ground from one copy of the world to the next along +x, +y;
                              default 0 */
    int max_substeps; /* per rn_world_step; 0: as many as stability needs, up to a million. Beyond the limit, simulated
                         time falls behind. */
    double memory;    /* bytes that a 3D liquid may use; default 0: 8e9 */
    int threads;      /* default 1; 0: one per core */
    rn_hooks hooks;
} rn_world_def;

/* A solver and its backend. Numbers run from 0 to rn_solver_count() - 1; the first is the default. */
typedef struct rn_solver_description {
    const char *name, *backend, *meaning; /* NULL: no solver of this number */
} rn_solver_description;

/* The number of solvers in this build. */
RN_API int rn_solver_count(void);
/* Name, backend and meaning of a solver, as static text; all NULL if there is none of this number. */
RN_API rn_solver_description rn_solver_describe(int number);

/* A definition with all defaults; only the terrain is missing. */
RN_API rn_world_def rn_world_default(void);
/* Creates a world without liquid on a terrain, which may be destroyed afterwards. Returns RN_INVALID if a value of the
   definition is invalid, or the solver does not support it. On failure *world is NULL. */
RN_API rn_result rn_world_create(const rn_world_def *def, rn_world **world);
/* NULL is allowed. */
RN_API void rn_world_destroy(rn_world *world);

/* Sets the linear friction of the ground within a region, as in rn_world_def.friction; NULL: everywhere. It applies to
   columns whose base the region reaches along the vertical line through the cell's centre. Later calls win where
   regions overlap; a pipe uses the mean rate of its two columns. The region is not consumed. Returns RN_INVALID, with
   nothing changed, if the value is invalid, the region covers no ground, or solver or model have only one friction. */
RN_API rn_result rn_world_set_friction(rn_world *world, const rn_sdf *region, double friction);

/* How the ground slows the flow. At speed u and depth H the momentum decays at these rates (1/s): -ln(omega), g n^2
   u/H^(4/3) and g u/(C^2 H). docs/model.md has common values. */
typedef enum rn_friction_law {
    RN_FRICTION_LINEAR,  /* omega in (0, 1], like rn_world_def.friction */
    RN_FRICTION_MANNING, /* n, s/m^(1/3), from 0 to 10 */
    RN_FRICTION_CHEZY,   /* C, m^(1/2)/s, from 0.1 to 1e6 */
} rn_friction_law;

/* Friction of a part of the ground. There, this law replaces those of the world. */
typedef struct rn_roughness_def {
    const rn_sdf *region; /* part of the ground; default NULL: all. Not consumed */
    rn_friction_law law;  /* meaning of the values; default RN_FRICTION_LINEAR */
    double value;         /* for the whole region; default 0.5 */
    const float *map;     /* in place of `value`: map_x*map_y values, row 0 the southernmost; each cell takes the one
                             nearest to its centre. Where the map is NAN, or ends, friction stays as it is */
    int map_x, map_y;
    double map_spacing_x, map_spacing_y; /* m between values; 0: the map is stretched over the domain */
    double map_origin_x, map_origin_y;   /* m, position of the south-west value, unless stretched */
} rn_roughness_def;

/* A definition with all defaults. */
RN_API rn_roughness_def rn_roughness_default(void);
/* Sets the friction of the ground within a region or under a map, by any law; it applies to the same columns as with
   rn_world_set_friction. Returns RN_INVALID, with nothing changed, if a value is invalid, region or map cover no
   ground, or solver or model have only one friction. */
RN_API rn_result rn_world_set_roughness(rn_world *world, const rn_roughness_def *def);

/* Contact angles of a part of the ground, for liquid that they move (rn_world_def.contact). */
typedef struct rn_wetting_def {
    const rn_sdf *region;  /* part of the ground; default NULL: all. Not consumed */
    double contact_angle;  /* degrees, 0 to 180, of an edge that advances; default 90 */
    double receding_angle; /* degrees, of one that recedes, at most contact_angle; default NAN: as much less as that of
                              the liquid */
    const float *map;      /* in place of contact_angle, as in rn_roughness_def */
    int map_x, map_y;
    double map_spacing_x, map_spacing_y; /* m */
    double map_origin_x, map_origin_y;   /* m */
} rn_wetting_def;

/* A definition with all defaults. */
RN_API rn_wetting_def rn_wetting_default(void);
/* Sets the contact angles of the ground within a region or under a map. Later calls win where they overlap. It has no
   effect where contact does not move the liquid. The edge keeps the foot of the liquid's own angle (docs/contact.md):
   give the liquid the largest angle, and regions smaller ones, for the best shapes. Returns RN_INVALID, with nothing
   changed, if an angle is invalid, or region or map cover no ground. */
RN_API rn_result rn_world_set_wetting(rn_world *world, const rn_wetting_def *def);

/* ---- Settings that may change while a world runs ------------------------------------------------------

   Each takes effect with the next rn_world_step. A value that rn_world_create would refuse is refused with RN_INVALID,
   with nothing changed. Set before the first step, it leaves the bits of a world that was made with it, except that
   gravity rounds the friction of regions with Manning or Chezy numbers of their own. Snapshots do not hold settings:
   set them again after rn_world_restore. Model, solver, passages, contact and edges stay as they are: make a new world
   for others. */

/* Sets gravity (m/s^2), as rn_world_def.gravity. Friction by Manning and Chezy follows. An rn_rigid has its own:
   rn_rigid_set_gravity. */
RN_API rn_result rn_world_set_gravity(rn_world *world, rn_vec3 gravity);
RN_API rn_vec3 rn_world_gravity(const rn_world *world); /* m/s^2, as it was made or set */
/* Puts another liquid, with a density above 0, in place of all that is there. Its contact angle moves the liquid only
   where contact is dynamic, and cannot switch that on or off. A skin is drawn with the liquid that it was made for. */
RN_API rn_result rn_world_set_liquid(rn_world *world, const rn_liquid *liquid);
/* Sets rn_world_def.friction. It applies to ground without a friction of its own, and to ground whose own friction
   equals the old default. Returns RN_INVALID with a 3D liquid. */
RN_API rn_result rn_world_set_default_friction(rn_world *world, double friction);
/* Sets rn_world_def.courant of the implicit solver, or rn_packets_def.courant of the packets solver. Returns RN_INVALID
   with other solvers, which have none. */
RN_API rn_result rn_world_set_courant(rn_world *world, double courant);
/* Sets rn_world_def.max_substeps; 0: as many as needed. Returns RN_INVALID with a 3D liquid. */
RN_API rn_result rn_world_set_max_substeps(rn_world *world, int most);

/* Advances time by `seconds`, 0 to 1e9, in as many substeps as stability needs; applies pending changes of solid first.
   Once a world is warm, it allocates only where solid has changed, or when more columns of passages are full than ever
   before. If that fails, the liquid is as before the substep that failed. Returns RN_INVALID, with nothing changed, if
   `seconds` is out of range. */
RN_API rn_result rn_world_step(rn_world *world, double seconds);
/* Advances several worlds, none of them listed twice, by `seconds`, with the results of rn_world_step for each. Those
   on a GPU advance side by side, up to 64 at a time, so that many small ones keep it busy, unless a fast body makes a
   frame of several parts; others advance one after the other. If worlds fail, the rest advance all the same, and the
   first failure is returned. */
RN_API rn_result rn_worlds_step(rn_world *const *worlds, int count, double seconds);

typedef struct rn_world_info {
    int cells_x, cells_y, layers;
    double cell_size; /* m */
    double origin_x, origin_y;
    double datum;   /* m, the lowest initial base less rn_world_def.dig: heights in views are relative to it */
    double lid;     /* m */
    double quantum; /* m, all depths are multiples of it */
    double gravity; /* m/s^2, downwards */
    const char *solver, *backend;
    int64_t columns, pipes, falls;
    size_t bytes; /* memory held */
} rn_world_info;

/* Size, units, solver and memory of a world. */
RN_API rn_world_info rn_world_describe(const rn_world *world);
/* The liquid of the world: the one that it was made with, or was given since. */
RN_API rn_liquid rn_world_liquid(const rn_world *world);
/* The depth (m) over which dynamic contact smears the edge of the liquid, for rn_surface_def.contact_foot; 0 where
   contact does not move the liquid. docs/contact.md. */
RN_API double rn_world_contact_foot(const rn_world *world);

/* What limits the length of a substep: the call, or the largest part of the fastest signal (docs/model.md, "Step
   size"). */
typedef enum rn_bound {
    RN_BOUND_CALL,    /* the time passed to rn_world_step: one substep would be stable */
    RN_BOUND_WAVES,   /* waves on deep liquid */
    RN_BOUND_SPEED,   /* the speed of the liquid */
    RN_BOUND_DRAG,    /* waves on films ruled by drag, up to three times as fast as the film */
    RN_BOUND_SOURCES, /* the inflow of sources, or how fast they move */
    RN_BOUNDS,        /* number of values */
} rn_bound;

typedef struct rn_world_stats {
    double time;        /* s simulated so far */
    double asked;       /* s asked for so far; more than `time` if max_substeps was reached */
    uint64_t steps;     /* substeps so far */
    int substeps;       /* of the last rn_world_step */
    double dt;          /* s, shortest substep of the last rn_world_step */
    double limit;       /* s, the largest stable substep now */
    double fastest;     /* m/s, fastest liquid in the last substep, without films too thin to count */
    double deepest;     /* m, the deepest column now */
    int64_t flooded;    /* columns in passages, in the last substep */
    int passages;       /* number of passages; with RN_PASSAGES_AXIS, runs along x and y */
    int iterations;     /* most iterations of a linear solve in the last rn_world_step */
    uint64_t fallbacks; /* substeps so far whose solve did not converge: taken explicitly, as far as possible, nothing
                           lost */
    double residual;    /* m, error that the first of those left in a column */
    uint64_t bounded[RN_BOUNDS]; /* substeps since the world was made or restored, by what limited them */
    rn_bound bound;              /* what limits the stable substep now; never RN_BOUND_CALL while liquid moves */
    double bound_depth;          /* m, of the column with the fastest signal; 0: none, or not known in this model */
    double bound_speed;          /* m/s, speed of its liquid: the sum along x and y */
} rn_world_stats;

/* Statistics of the run so far; those of the last rn_world_step are 0 before the first. */
RN_API rn_world_stats rn_world_get_stats(const rn_world *world);

enum { RN_TILE_IDLE = 255 }; /* level of a dry tile among dry tiles, which is skipped */

/* The tiles of the adaptive packets solver. */
typedef struct rn_tiles {
    int tiles_x, tiles_y;  /* of RN_PACKETS_TILE x RN_PACKETS_TILE columns; 0: all cells have one size */
    int64_t active;        /* simulated cells */
    const uint8_t *levels; /* of each tile, row by row: its cells are 2^level columns wide; or RN_TILE_IDLE */
} rn_tiles;
/* The tiles now; valid until the world changes. Before the first step all tiles are fine. Returns all 0 with other
   solvers, and if all cells have one size. */
RN_API rn_tiles rn_world_tiles(const rn_world *world);

/* The tiles of the explicit solver on the CPU, which skips those at rest: docs/step.md. */
typedef struct rn_resting {
    int tiles_x, tiles_y, layers; /* tiles along x and y, and layers of them; 0: the solver has no such tiles */
    int tile_x, tile_y;           /* columns of a tile along x and y; the domain cuts the last ones short */
    const uint8_t *rests; /* of each tile, layer by layer and row by row: 1 if it holds liquid and was skipped in the
                             last substep, else 0; NULL: none */
} rn_resting;
/* Writes the tiles as they are now to `rests`, which has room for `room` tiles. If there are more, `rests` of the
   result is NULL, and nothing is written. No tile rests before the first step. */
RN_API rn_resting rn_world_resting(const rn_world *world, uint8_t *rests, size_t room);

/* ---- Liquid in and out -------------------------------------------------------------------------- */

/* Sources, forces, solids, bodies and sections are known by the number that adding one returns, from 0; -1 on
   failure, with an error text. Once removed, rn_world_has_... is false and other calls with its number return
   RN_INVALID. Numbers are reused only after rn_world_restore, for objects added since the snapshot. docs/sources.md
   has the equations of sources. */

typedef enum rn_source_kind {
    RN_SOURCE_RATE,         /* pours `rate` */
    RN_SOURCE_LEVEL,        /* holds the surface at `level`: pours or removes liquid as needed */
    RN_SOURCE_HEAD,         /* pours under pressure, (level - surface) / resistance; never removes */
    RN_SOURCE_DRAIN,        /* removes `rate`; INFINITY: everything */
    RN_SOURCE_RAIN,         /* falls on every column that is open to the sky */
    RN_SOURCE_EVAPORATION,  /* removes from every column that is open to the sky */
    RN_SOURCE_INFILTRATION, /* removes from every column */
} rn_source_kind;

/* A point of a time series. Values between points are interpolated linearly; the first and the last value are held. */
typedef struct rn_series_point {
    double time;  /* s, later than that of the previous point */
    double value; /* in the unit of the value that the series replaces */
} rn_series_point;

typedef struct rn_waypoint {
    double time; /* s, later than that of the previous waypoint */
    rn_vec3 at;  /* m */
} rn_waypoint;

#define RN_MOST_POINTS 1000000 /* most points of a series or a path */

/* Everything pointed to is read or copied during the call. */
typedef struct rn_source_def {
    rn_source_kind kind; /* default RN_SOURCE_RATE */

    /* How much. A series replaces `rate`, or `level` for kinds that have one. */
    double rate;       /* m^3/s, 0 or more; rain, evaporation and infiltration: m/s of depth */
    double level;      /* m, held by RN_SOURCE_LEVEL, driving RN_SOURCE_HEAD */
    double resistance; /* s/m^2, RN_SOURCE_HEAD: m of head per m^3/s */
    const rn_series_point *series;
    int series_count;

    /* Where: a disk, or one of the alternatives. */
    rn_vec3 at;    /* m; liquid lands on the highest column whose base is at or below at.z */
    double radius; /* m, of the disk; 0: the one cell at `at` */
    const rn_waypoint
        *path; /* instead of `at`: the disk moves along it, linearly between waypoints, and waits at its ends */
    int path_count;
    bool along_side; /* pours into the highest column of every cell along `side` */
    rn_side side;
    const rn_sdf *shape; /* cells whose vertical line through the centre meets it; rain and losses: only columns that it
                            touches */
    const float *map; /* rain and losses: shares of the rate, 0 to 1, rows from the south, x fastest, stretched over the
                         domain */
    int map_x, map_y; /* number of shares along x and y */

    rn_vec3 velocity; /* m/s, of a jet into a 3D liquid; default 0: straight down, as fast as rate and radius require */

    double start, stop; /* s; stop 0: never */
} rn_source_def;

/* A definition with all defaults. */
RN_API rn_source_def rn_source_default(void);
/* Adds a source; returns its number, or -1, with an error text, if a value is invalid, it covers no column, or memory
   ran out. */
RN_API int rn_world_add_source(rn_world *world, const rn_source_def *def);
/* Adds a disk at `at` with a radius (m) that pours `rate` (m^3/s) from now on; returns its number, or -1 with an error
   text. */
RN_API int rn_world_pour(rn_world *world, rn_vec3 at, double radius, double rate);
/* Adds a disk at `at` with a radius (m) that drains `rate` (m^3/s) from now on; returns its number, or -1 with an error
   text. */
RN_API int rn_world_drain(rn_world *world, rn_vec3 at, double radius, double rate);
/* Replaces the rate (m^3/s, or m/s of depth) or the series of a source by a constant rate. Returns RN_INVALID, with
   nothing changed, if there is no such source, it has no rate, or the rate is negative or not finite (a drain's may be
   INFINITY). */
RN_API rn_result rn_world_set_rate(rn_world *world, int source, double rate);
/* Replaces the level or head (m) or the series of a source by a constant one. Returns RN_INVALID, with nothing changed,
   if there is no such source, it has no level, or the level is not finite. */
RN_API rn_result rn_world_set_level(rn_world *world, int source, double level);
/* Moves the centre of a disk (m); liquid that it still owes moves along. Returns RN_INVALID if there is no such source,
   it is not a disk or follows a path, or the place is outside the domain. */
RN_API rn_result rn_world_move_source(rn_world *world, int source, rn_vec3 at);
/* Stops a source for good. Returns RN_INVALID if there is no such source. */
RN_API rn_result rn_world_remove_source(rn_world *world, int source);
/* Whether there is a source of this number that has not been removed. */
RN_API bool rn_world_has_source(const rn_world *world, int source);

/* A force on the liquid, or wind over it. It acts on the topmost liquid of each cell at the beginning of every
   rn_world_step: fully at its centre, and fading to nothing at its radius. */
typedef struct rn_force_def {
    rn_vec3 at;     /* m, its centre; z is ignored */
    double radius;  /* m; default 0: equal everywhere */
    double push[2]; /* m/s^2, acceleration along x and y */
    double
        swirl; /* m/s^2, acceleration around the centre, counter-clockwise; half way to the radius it is 3/8 of this */
    double stress[2];   /* m^2/s^2, wind stress divided by the density of the liquid */
    double start, stop; /* s; stop 0: never */
} rn_force_def;

/* A force of 0 that acts everywhere and always. */
RN_API rn_force_def rn_force_default(void);
/* Adds a force; returns its number, or -1 with an error text. Snapshots do not hold forces. */
RN_API int rn_world_add_force(rn_world *world, const rn_force_def *def);
/* Replaces a force, for example to follow the mouse. Returns RN_INVALID, with nothing changed, if there is no such
   force or a value is invalid. */
RN_API rn_result rn_world_set_force(rn_world *world, int force, const rn_force_def *def);
/* Removes a force. Returns RN_INVALID if there is no such force. */
RN_API rn_result rn_world_remove_force(rn_world *world, int force);
/* Whether there is a force of this number that has not been removed. */
RN_API bool rn_world_has_force(const rn_world *world, int force);

typedef enum rn_fill_kind {
    RN_FILL_LEVEL, /* up to the height `value` (m) */
    RN_FILL_DEPTH, /* to the depth `value` (m) above the base of each cell's highest column */
    RN_FILL_SHAPE, /* the part of each column's open range that lies within the shape, as depth */
} rn_fill_kind;

typedef struct rn_fill_def {
    rn_fill_kind kind;
    double value;
    const rn_sdf
        *shape; /* RN_FILL_SHAPE: the liquid; otherwise the region to fill, or NULL for everywhere. Not consumed. */
} rn_fill_def;

/* Adds liquid at once, never removes any. Liquid that does not fit is counted in rn_audit.refused. Returns RN_INVALID
   if a fill by shape has none, the value is not finite, or a depth is negative. */
RN_API rn_result rn_world_fill(rn_world *world, const rn_fill_def *fill);

/* ---- Moving solids and changes of the ground --------------------------------------------------------

   Changes take effect together, with the next rn_world_step or rn_world_commit. Liquid stays where its space stays
   open, rises with ground that rises by no more than a cell, and falls with ground that sinks. Liquid in the way of
   solid is pushed to the nearest columns with room that it could flow to. Only liquid that is trapped without any
   room is removed, and counted in rn_audit.displaced. */

typedef struct rn_solid_def {
    rn_sdf *shape; /* consumed, also on failure */
    bool carve;    /* removes solid where it is, instead of adding it */
    rn_vec3 at;    /* m, position of its origin */
    rn_quat turn;  /* rotation about its own origin, before the move */
    bool hidden;   /* starts hidden, see rn_world_show_solid */
} rn_solid_def;

/* Adds a solid; returns its number, or -1, with an error text, if it has no shape, its position or rotation is not
   finite, the solver does not support ground that changes, or memory ran out. */
RN_API int rn_world_add_solid(rn_world *world, const rn_solid_def *def);
/* Moves a solid to a new position (m) and rotation, from its original shape. Returns RN_INVALID, and leaves the solid
   where it is, if there is no such solid or a number is not finite. */
RN_API rn_result rn_world_move_solid(rn_world *world, int solid, rn_vec3 at, rn_quat turn);
/* Deforms a solid whose shape is a mesh: `positions` has as many vertices as rn_sdf_mesh was given, and its transform
   applies; not kept. Returns RN_INVALID, with nothing changed, if there is no such solid, it is not a mesh, or a
   coordinate is not finite. Snapshots do not hold the vertices: deform the solid again after rn_world_restore. */
RN_API rn_result rn_world_deform_solid(rn_world *world, int solid, const float *positions, size_t vertex_count);
/* Shows or hides a solid; a hidden one has no effect. Returns RN_INVALID if there is no such solid. */
RN_API rn_result rn_world_show_solid(rn_world *world, int solid, bool shown);
/* Removes a solid. Its number is not used again. Returns RN_INVALID if there is no such solid. */
RN_API rn_result rn_world_remove_solid(rn_world *world, int solid);
/* Whether there is a solid of this number that has not been removed; hidden ones count. */
RN_API bool rn_world_has_solid(const rn_world *world, int solid);

/* Adds a shape to the ground, or with `carve` cuts it out, permanently. Nothing is cut deeper than rn_world_def.dig
   below the lowest initial ground. The shape is only read during the call. Returns RN_INVALID if `shape` is NULL, or if
   the solver or a 3D liquid does not support this. Returns RN_LIMIT if there are too many columns in a cell. Then, or
   if memory runs out, a part of the change may have been made. */
RN_API rn_result rn_world_sculpt(rn_world *world, const rn_sdf *shape, bool carve);

/* New ground for a rectangle of cells, given by the host: columns as in rn_terrain_def, cell by cell. */
typedef struct rn_ground_def {
    int x, y, cells_x, cells_y;
    const rn_column *columns;
    const int32_t *columns_per_cell;
} rn_ground_def;

/* Replaces the ground in a rectangle of cells; solids stay in it. Returns RN_INVALID, with nothing changed, if the
   rectangle or a column is invalid, a base is deeper than rn_world_def.dig allows, a cell has more than 63 columns, or
   the solver or a 3D liquid does not support this. If memory runs out, a part of the change may have been made. */
RN_API rn_result rn_world_set_ground(rn_world *world, const rn_ground_def *def);

/* ---- Volume audit -------------------------------------------------------------------------------- */

/* The balance of a world's liquid, in m^3: exact multiples of one quantum on one cell. For a 3D liquid, particles are
   counted, and `present` is the volume within the surface. */
typedef struct rn_audit {
    double poured;      /* by sources, rain, fills and writes of the host */
    double drained;     /* by drains, held levels, losses and writes of the host */
    double left;        /* through open edges and holes */
    double displaced;   /* trapped by closing solid, and removed */
    double body_offset; /* added by floating bodies, and removed when they leave; below 0: bodies hold some back */
    double refused; /* supplied by sources of a rate, rain or fills, but did not fit under a ceiling; in a 3D liquid,
                       what sources have found no place for yet */
    double present; /* in the columns now */
    double drift;   /* present - (poured - drained - left - displaced + body_offset): always exactly 0, except in a 3D
                       liquid */
} rn_audit;

/* Where all liquid came from and went since the world was made, up to now; it walks over all columns. */
RN_API rn_audit rn_world_audit(const rn_world *world);
RN_API double rn_world_volume(const rn_world *world); /* m^3 present */

/* ---- Reading and writing -------------------------------------------------------------------------- */

typedef enum rn_field {
    RN_FIELD_DEPTH,  /* m */
    RN_FIELD_FLUX_X, /* m^3/s from column (x, y) to (x+1, y) of the same layer */
    RN_FIELD_FLUX_Y, /* m^3/s from column (x, y) to (x, y+1) of the same layer */
    RN_FIELD_BASE,   /* m above the datum; a slot without a column holds RN_NO_COLUMN or more */
    RN_FIELD_CEIL,   /* m above the datum */
} rn_field;

#define RN_NO_COLUMN 1e9f

/* data[layer*layer_stride + y*row_stride + x]. Layer 0 is the lowest column of each cell. x and y from -1 to
   cells_x, cells_y are readable: the rim holds the values beyond the edges. The view shows the liquid at the time of
   the call; get it again after a step, because a backend may keep the liquid elsewhere. Valid until the world's
   solid changes or a state is restored. Bases and ceilings, and views of a const world, are read-only. */
typedef struct rn_view {
    float *data;
    ptrdiff_t row_stride, layer_stride;
    int cells_x, cells_y, layers;
} rn_view;

/* A view of one value of all columns. NULL data: the field does not exist, or a backend failed. */
RN_API rn_view rn_world_view(const rn_world *world, rn_field field);
/* Call this after writing depths or fluxes through a view: rounds depths to quanta, limits them to their columns,
   counts the difference as poured or drained, and finds the stable substep again. Also applies pending changes of
   solid; only this can fail, with RN_MEMORY or RN_LIMIT, and the changes then stay pending. */
RN_API rn_result rn_world_commit(rn_world *world);

typedef struct rn_sample {
    bool found; /* false: outside the domain, no such layer, or below the lowest base */
    int layer;
    double base, ceil;             /* m */
    double level;                  /* m, height of the surface; the base if dry */
    double depth;                  /* m */
    double velocity_x, velocity_y; /* m/s, mean over the depth */
    rn_vec3 normal;                /* of the surface, unit length, pointing up */
} rn_sample;

/* Samples the column whose open range contains at.z (m), or else the nearest one below. Interpolated between the cells
   around, as far as the same liquid continues there. */
RN_API rn_sample rn_world_sample(const rn_world *world, rn_vec3 at);
/* Samples the column of a given layer, from 0, of the cell at x, y (m). Interpolated between the cells around, as far
   as the same liquid continues there. */
RN_API rn_sample rn_world_sample_layer(const rn_world *world, double x, double y, int layer);

/* ---- Cross-sections -------------------------------------------------------------------------------- */

/* Adds a cross-section that counts the liquid passing a line (m): the staircase of cell faces nearest to the line,
   between the cell corners nearest to its ends. Lines that share an end meet, and lines around a closed region count
   exactly the change of its volume. A section does not change the liquid or its hash, except that the adaptive
   packets solver keeps all tiles fine. Snapshots do not record that a section was removed. Returns its number, or -1
   with an error text. */
RN_API int rn_world_add_section(rn_world *world, double from_x, double from_y, double to_x, double to_y);

typedef struct rn_section {
    double volume;    /* m^3 that has passed since the section was made, counted towards the left of from -> to; whole
                         quanta */
    double discharge; /* m^3/s to the left, mean over the last rn_world_step */
    double area;      /* m^2, wetted part of the vertical plane through the line */
    double length;    /* m */
} rn_section;

/* What a section has counted up to now; all 0 if there is none of this number. */
RN_API rn_section rn_world_read_section(const rn_world *world, int section);
/* Removes a section. Returns RN_INVALID if there is no such section. */
RN_API rn_result rn_world_remove_section(rn_world *world, int section);
/* Whether there is a section of this number that has not been removed. */
RN_API bool rn_world_has_section(const rn_world *world, int section);

/* A hash of the time, the liquid and its columns, what sources still owe, and the audit: equal states have equal
   hashes; different states differ in all likelihood. Bodies matter only through their effect on liquid and columns;
   solids and sections do not count by themselves. */
RN_API uint64_t rn_world_hash(const rn_world *world);

/* ---- Snapshots ------------------------------------------------------------------------------------ */

/* The state of a world: everything that changes with time. The same world, or one created in the same way, continues
   from it bit for bit. Takes under a millisecond for 200 x 200 x 5 columns, so that a game can rewind a few frames. */
typedef struct rn_snapshot rn_snapshot;

/* Saves the state. *snapshot is NULL, or an earlier snapshot whose memory is reused; destroy it in the end, also after
   a failure, which may leave it without a state. Pending changes of solid are applied first, as by rn_world_commit.
   Returns RN_INVALID if the world has values of 1e30 or more. */
RN_API rn_result rn_world_save(rn_world *world, rn_snapshot **snapshot);
/* Restores a state. The world must have the grid of the snapshot, all of its sources, solids and sections, and as many
   bodies, counting removed ones. Sources and solids added since are removed. Objects removed since cannot be restored:
   hide a solid, or move a body away, instead of removing it. The series of a source that has since been given a plain
   rate or level cannot be restored either. Returns RN_INVALID, with nothing changed, if the snapshot does not fit the
   world, or is damaged. Returns RN_MEMORY if memory runs out; then a part may have been restored. */
RN_API rn_result rn_world_restore(rn_world *world, const rn_snapshot *snapshot);
/* NULL is allowed. */
RN_API void rn_snapshot_destroy(rn_snapshot *snapshot);

/* The bytes of a snapshot, to send or store: the same on every machine, and readable by every later version. Valid
   until the snapshot is saved to again or destroyed. */
RN_API const void *rn_snapshot_bytes(const rn_snapshot *snapshot, size_t *size);
/* Creates a snapshot from bytes, which are copied. They are checked when it is restored. hooks may be NULL. On
   failure *snapshot is NULL. */
RN_API rn_result rn_snapshot_create(const rn_hooks *hooks, const void *bytes, size_t size, rn_snapshot **snapshot);

#ifdef __cplusplus
}
#endif

#endif
