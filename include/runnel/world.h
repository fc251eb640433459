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
    RN_EDGE_OPEN,     /* liquid falls over the edge and leaves */
    RN_EDGE_PERIODIC, /* the opposite edge continues here; both must be periodic */
} rn_edge;

typedef enum rn_model {
    RN_MODEL_PHYSICAL, /* runnel's own equations, docs/model.md */
    RN_MODEL_PAPER,    /* those of Dagenais et al. 2018 as printed, docs/paper.md */
} rn_model;

/* What surface tension and contact angles do: docs/contact.md. */
typedef enum rn_contact {
    RN_CONTACT_STATIC,  /* they shape menisci of the drawn surface only */
    RN_CONTACT_DYNAMIC, /* and move the liquid: drops stay, films break up, rivulets hold together */
} rn_contact;

/* How the explicit solver lets liquid flow through what is full to its ceiling: docs/passages.md. */
typedef enum rn_passages {
    RN_PASSAGES_DEFAULT,      /* unified-long; with the paper's model unified */
    RN_PASSAGES_UNIFIED_LONG, /* potential flow in the passages, ordinary pipes everywhere else */
    RN_PASSAGES_UNIFIED,      /* Dagenais et al. 2018, Eq. 8-9: from every portal to every other, however far */
    RN_PASSAGES_AXIS,         /* Dagenais et al. 2018, section 3.3: along x and y only, blocked at corners */
    RN_PASSAGES_NONE,         /* none: a full column stops the flow */
} rn_passages;

typedef enum rn_side { RN_SIDE_WEST, RN_SIDE_EAST, RN_SIDE_SOUTH, RN_SIDE_NORTH } rn_side; /* -x, +x, -y, +y */

/* How the packets solver traces its packets. */
typedef enum rn_trace {
    RN_TRACE_EULER,    /* by the velocity where they start */
    RN_TRACE_MIDPOINT, /* by that half way */
} rn_trace;

#define RN_PACKETS_COURANT 1.0 /* cells, that waves may run in a substep of the packets solver */

enum { RN_PACKETS_LEVELS = 3, RN_PACKETS_TILE = 16 }; /* most levels above the finest; cells along a side of a tile */

/* The packets solver: docs/packets.md. */
typedef struct rn_packets_def {
    int count;        /* N: a cell sends N x N packets, 2, 3 or 4; default 2 */
    double smoothing; /* s: packets are s times as wide, above 1 and at most 2; default 1.05 */
    double courant;   /* cells that waves run in a substep, above 0 and at most RN_PACKETS_COURANT; default 0.5 */
    rn_trace trace;   /* default RN_TRACE_EULER */
    int levels;       /* adaptive: how often cells may double their side where the surface is smooth, up to
                         RN_PACKETS_LEVELS; default 0: all cells are of one size */
    double tolerance; /* m, adaptive: cells are finer where surface or flow bend by more from cell to cell; default 0: a
                         thousandth of a cell's side */
    double fine[4];   /* m, adaptive: from (x, y) to (x, y) tiles are always fine; default all 0: nowhere */
} rn_packets_def;

typedef struct rn_world_def {
    const rn_terrain *terrain; /* read during creation only */
    rn_liquid liquid;
    rn_vec3 gravity;       /* m/s^2; z must be negative; x and y tilt the table; default (0, 0, -9.81) */
    rn_model model;        /* default physical */
    const char *solver;    /* "explicit", "implicit" or "packets", see rn_solver_describe, or "mac": a 3D liquid,
                              docs/mac.md; default NULL: "explicit" */
    const char *backend;   /* what the solver runs on; default NULL: "cpu" */
    rn_passages passages;  /* explicit solver; default RN_PASSAGES_DEFAULT */
    rn_contact contact;    /* dynamic: explicit solver, physical model, cells below 20 mm; default RN_CONTACT_STATIC */
    double courant;        /* implicit solver: the substep in multiples of the explicit one's limit; default 3 */
    int solver_iterations; /* most iterations of one linear solve, after which a substep is done explicitly; default 100
                            */
    rn_packets_def packets; /* packets solver */
    double give_back; /* s, in which bodies give back most (63 %) of the liquid that they have pushed away; default 0:
                         at once */
    double stir;      /* from 0 to 1: how much of what a floating body displaces is seen around it; default 0.5 */
    double friction;  /* omega in (0, 1]: share of its speed that deep water keeps per second; default 0.5 */
    double manning;   /* s/m^(1/3), Manning's n of the ground; default 0: none */
    double chezy;     /* m^(1/2)/s, Chezy's C of the ground; default 0: none. The three add up: friction 1 leaves the
                         other two alone */
    rn_edge edges[4]; /* by rn_side; default walls */
    double dig;       /* m, how far below the lowest ground it may ever be dug; default 0 */
    double drop_x, drop_y; /* m, periodic edges: how much lower the world continues past the +x, +y edge; default 0 */
    int max_substeps;      /* per rn_world_step; 0: as many as stability asks, up to a million. When reached, time runs
                              slower. */
    double memory;         /* bytes that a 3D liquid may take; default 0: 8e9 */
    int threads;           /* default 1; 0: one per core */
    rn_hooks hooks;
} rn_world_def;

/* The solvers there are, from 0 up to rn_solver_count: what moves the liquid of a world, and on what. The first is the
   default. */
typedef struct rn_solver_description {
    const char *name, *backend, *meaning; /* NULL: there is none of this number */
} rn_solver_description;

RN_API int rn_solver_count(void);
RN_API rn_solver_description rn_solver_describe(int number);

RN_API rn_world_def rn_world_default(void);
RN_API rn_result rn_world_create(const rn_world_def *def, rn_world **world);
RN_API void rn_world_destroy(rn_world *world);

/* Gives the ground in a region a friction of its own, like rn_world_def.friction; NULL: everywhere. A column has it if
   the region, traced up the middle of its cell, reaches its base; later calls win where regions overlap, and a pipe
   uses the mean rate of its two columns. The paper's model has none. The region is not consumed. */
RN_API rn_result rn_world_set_friction(rn_world *world, const rn_sdf *region, double friction);

/* How ground slows the flow. The rates (1/s) at which speed u and depth H lose momentum are -ln(omega), g n^2 u/H^(4/3)
   and g u/(C^2 H). docs/model.md has usual values. */
typedef enum rn_friction_law {
    RN_FRICTION_LINEAR,  /* omega in (0, 1], like rn_world_def.friction */
    RN_FRICTION_MANNING, /* n, s/m^(1/3), from 0 to 10 */
    RN_FRICTION_CHEZY,   /* C, m^(1/2)/s, from 0.1 to 1e6 */
} rn_friction_law;

/* Ground with a friction of its own. It has this law alone, whatever the rest of the world has. */
typedef struct rn_roughness_def {
    const rn_sdf *region; /* ground that it reaches; default NULL: all of it. Not consumed */
    rn_friction_law law;  /* what the numbers are; default RN_FRICTION_LINEAR */
    double value;         /* everywhere in the region; default 0.5 */
    const float *map;     /* in place of it: map_x*map_y numbers, row 0 the southernmost, of which each cell takes the
                             nearest to its middle. Where the map has NAN, or ends, friction stays as it is */
    int map_x, map_y;
    double map_spacing_x, map_spacing_y; /* m, between numbers; 0: the map is stretched over the domain */
    double map_origin_x, map_origin_y;   /* m, place of the south-west number, unless stretched */
} rn_roughness_def;

RN_API rn_roughness_def rn_roughness_default(void);
/* As rn_world_set_friction, with any law, and from maps. */
RN_API rn_result rn_world_set_roughness(rn_world *world, const rn_roughness_def *def);

/* ---- Settings that may change while a world runs ------------------------------------------------------

   Each takes effect with the next rn_world_step. A value that rn_world_create would refuse is refused, with nothing
   changed. Set before the first step, it leaves the bits of a world that was made with it. Snapshots do not hold
   settings: set them again after rn_world_restore. Model, solver, passages, contact and edges stay as they are: make a
   new world for others. */

/* m/s^2, as rn_world_def.gravity. Friction by Manning and Chezy follows. An rn_rigid has its own: rn_rigid_set_gravity.
 */
RN_API rn_result rn_world_set_gravity(rn_world *world, rn_vec3 gravity);
RN_API rn_vec3 rn_world_gravity(const rn_world *world);
/* Another liquid in place of all that is there. Its contact angle moves the liquid only where contact is dynamic, and
   cannot switch that on or off. A skin is drawn with the liquid that it was made for. */
RN_API rn_result rn_world_set_liquid(rn_world *world, const rn_liquid *liquid);
/* rn_world_def.friction: of ground that has none of its own, or that has the same. */
RN_API rn_result rn_world_set_default_friction(rn_world *world, double friction);
/* rn_world_def.courant of the implicit solver, or rn_packets_def.courant of the packets solver. The others have none,
   and refuse it. */
RN_API rn_result rn_world_set_courant(rn_world *world, double courant);
/* rn_world_def.max_substeps. */
RN_API rn_result rn_world_set_max_substeps(rn_world *world, int most);

/* Advances time by `seconds` in as many equal substeps as stability asks. Allocates nothing once a world is warm: only
   where solid has changed, or more columns of passages are full than ever before. If that fails, the liquid is as it
   was before the substep that could not be done. */
RN_API rn_result rn_world_step(rn_world *world, double seconds);

typedef struct rn_world_info {
    int cells_x, cells_y, layers;
    double cell_size; /* m */
    double origin_x, origin_y;
    double datum;   /* m, the lowest base: heights in views are relative to it */
    double lid;     /* m */
    double quantum; /* m, all depths are multiples of it */
    double gravity; /* m/s^2, downwards */
    const char *solver, *backend;
    int64_t columns, pipes, falls;
    size_t bytes; /* memory held */
} rn_world_info;

RN_API rn_world_info rn_world_describe(const rn_world *world);
RN_API rn_liquid rn_world_liquid(const rn_world *world);

/* What keeps a substep from being longer: the call, or the largest part of the fastest signal (docs/model.md, "Step
   size"). */
typedef enum rn_bound {
    RN_BOUND_CALL,    /* the time that rn_world_step was asked for: it would be stable in one substep */
    RN_BOUND_WAVES,   /* waves on deep liquid */
    RN_BOUND_SPEED,   /* the speed of the liquid */
    RN_BOUND_DRAG,    /* waves of films that drag rules, up to three times as fast as the film */
    RN_BOUND_SOURCES, /* what sources pour in the meantime, or how fast they move */
    RN_BOUNDS,        /* how many there are */
} rn_bound;

typedef struct rn_world_stats {
    double time;     /* s simulated so far */
    double asked;    /* s asked for so far; larger than time if max_substeps was reached */
    uint64_t steps;  /* substeps so far */
    int substeps;    /* of the last rn_world_step */
    double dt;       /* s, the least substep of the last rn_world_step */
    double limit;    /* s, the largest stable substep now */
    double fastest;  /* m/s, in the last substep */
    double deepest;  /* m, the deepest column now */
    int64_t flooded; /* columns of passages, in the last substep */
    int passages;    /* and how many passages; of axis, runs along x and y */
    int iterations;  /* most that a linear solve of the last rn_world_step has taken */
    uint64_t
        fallbacks; /* substeps so far whose solve did not converge: done explicitly, as far as possible, nothing lost */
    double residual; /* m, what the first of those left of a column unexplained */
    uint64_t
        bounded[RN_BOUNDS]; /* substeps since the world was made or restored, by what kept them from being longer */
    rn_bound bound;         /* what bounds the largest stable substep now; never RN_BOUND_CALL while liquid moves */
    double bound_depth;     /* m, of the column with the fastest signal; 0: none, or not known in this model */
    double bound_speed;     /* m/s, of its liquid: the sum along x and y */
} rn_world_stats;

RN_API rn_world_stats rn_world_get_stats(const rn_world *world);

enum { RN_TILE_IDLE = 255 }; /* the level of a dry tile among dry ones, where nothing is done */

/* The tiles of the adaptive packets solver. */
typedef struct rn_tiles {
    int tiles_x, tiles_y;  /* of RN_PACKETS_TILE x RN_PACKETS_TILE columns; 0: all cells are of one size */
    int64_t active;        /* cells that are simulated */
    const uint8_t *levels; /* of each tile, row by row: its cells are 2^level columns wide, or RN_TILE_IDLE */
} rn_tiles;
/* Valid until the world changes. Before the first step all tiles are fine. */
RN_API rn_tiles rn_world_tiles(const rn_world *world);

/* ---- Liquid in and out -------------------------------------------------------------------------- */

/* Sources, drains, rain and losses are known by the number that adding one returns, from 0; -1 if refused, with an
   error text. docs/sources.md has the equations. */

typedef enum rn_source_kind {
    RN_SOURCE_RATE,         /* pours `rate` */
    RN_SOURCE_LEVEL,        /* holds the surface at `level`: pours and takes away what that needs */
    RN_SOURCE_HEAD,         /* pours under pressure, (level - surface) / resistance, and never takes back */
    RN_SOURCE_DRAIN,        /* takes `rate` away; INFINITY: all there is */
    RN_SOURCE_RAIN,         /* falls on every column that is open to the sky */
    RN_SOURCE_EVAPORATION,  /* takes from every column that is open to the sky */
    RN_SOURCE_INFILTRATION, /* takes from every column */
} rn_source_kind;

/* A value that changes with time: linear between points, the first and the last held. */
typedef struct rn_series_point {
    double time;  /* s, later than that of the point before */
    double value; /* in the unit of what it stands for */
} rn_series_point;

typedef struct rn_waypoint {
    double time; /* s, later than that of the waypoint before */
    rn_vec3 at;  /* m */
} rn_waypoint;

#define RN_MOST_POINTS 1000000 /* of a series or a path */

/* Everything pointed to is read or copied during the call. */
typedef struct rn_source_def {
    rn_source_kind kind; /* default RN_SOURCE_RATE */

    /* How much. A series stands in for `rate`, or for `level` where the kind has one. */
    double rate;       /* m^3/s, 0 or more; rain, evaporation and infiltration: m/s of depth */
    double level;      /* m, what RN_SOURCE_LEVEL holds and what drives RN_SOURCE_HEAD */
    double resistance; /* s/m^2, RN_SOURCE_HEAD: m of head for each m^3/s */
    const rn_series_point *series;
    int series_count;

    /* Where: a disk, or one of the others. */
    rn_vec3 at;              /* m; liquid lands on the highest column whose base is at or below at.z */
    double radius;           /* m, of the disk; 0: the one cell at `at` */
    const rn_waypoint *path; /* instead of `at`: the disk moves along it, linear in between, ends held */
    int path_count;
    bool along_side; /* the highest column of every cell along `side` */
    rn_side side;
    const rn_sdf *shape; /* cells whose middle column line meets it; rain and losses: only columns that it touches */
    const float *map;    /* rain and losses: shares of the rate from 0 to 1, rows from the south, x fastest, stretched
                            over the domain */
    int map_x, map_y;    /* how many shares along x and y */

    rn_vec3 velocity; /* m/s, of a jet into a 3D liquid; default 0: straight down, as fast as rate and radius ask */

    double start, stop; /* s; stop 0: never */
} rn_source_def;

RN_API rn_source_def rn_source_default(void);
/* Sources, forces, solids, bodies and sections are known by the number that adding one returns, from 0; -1 if refused,
   with an error text. After rn_world_remove_... its rn_world_has_... is false, and other calls with it return
   RN_INVALID. Numbers are used again only after rn_world_restore, for what had been added since the snapshot. */
RN_API int rn_world_add_source(rn_world *world, const rn_source_def *def);
/* A disk that pours from now on, and one that takes away. */
RN_API int rn_world_pour(rn_world *world, rn_vec3 at, double radius, double rate);
RN_API int rn_world_drain(rn_world *world, rn_vec3 at, double radius, double rate);
/* From now on this instead of what it had, be it a number or a series. */
RN_API rn_result rn_world_set_rate(rn_world *world, int source, double rate);
RN_API rn_result rn_world_set_level(rn_world *world, int source, double level);
/* Moves the middle of a disk (m), with what it still owes; sources over a shape, a side or the whole world, and those
   with a path of their own, cannot be moved. */
RN_API rn_result rn_world_move_source(rn_world *world, int source, rn_vec3 at);
RN_API rn_result rn_world_remove_source(rn_world *world, int source);
RN_API bool rn_world_has_source(const rn_world *world, int source);

/* A force on the liquid, or wind over it. It acts on the topmost liquid of each cell, in the middle fully and less and
   less towards its radius, at the beginning of every rn_world_step. */
typedef struct rn_force_def {
    rn_vec3 at;       /* m, its middle; z does not matter */
    double radius;    /* m; default 0: everywhere alike */
    double push[2];   /* m/s^2, acceleration along x and y */
    double swirl;     /* m/s^2, acceleration around the middle, against the clock, half way to the radius 3/8 of this */
    double stress[2]; /* m^2/s^2, of wind: its stress over the liquid's density */
    double start, stop; /* s; stop 0: never */
} rn_force_def;

RN_API rn_force_def rn_force_default(void);
/* Snapshots do not hold forces. */
RN_API int rn_world_add_force(rn_world *world, const rn_force_def *def);
/* From now on this instead, as a hand moves. */
RN_API rn_result rn_world_set_force(rn_world *world, int force, const rn_force_def *def);
RN_API rn_result rn_world_remove_force(rn_world *world, int force);
RN_API bool rn_world_has_force(const rn_world *world, int force);

typedef enum rn_fill_kind {
    RN_FILL_LEVEL, /* up to the height `value` (m) */
    RN_FILL_DEPTH, /* to the depth `value` (m) above the base of each cell's highest column */
    RN_FILL_SHAPE, /* what the shape holds of each column's open range, as depth */
} rn_fill_kind;

typedef struct rn_fill_def {
    rn_fill_kind kind;
    double value;
    const rn_sdf *shape; /* RN_FILL_SHAPE: the liquid; otherwise NULL or the region to fill. Not consumed. */
} rn_fill_def;

/* Adds liquid at once (never removes any); what does not fit is refused and booked. */
RN_API rn_result rn_world_fill(rn_world *world, const rn_fill_def *fill);

/* ---- Solid that comes, moves and goes ---------------------------------------------------------------

   Changes take effect together, with the next rn_world_step or rn_world_commit. Liquid stays where its place stays
   open, rides on ground that rises by no more than a cell and falls with ground that sinks; what solid comes into the
   way of is pushed to the nearest columns with room that it could flow to. Only liquid that is shut in without any
   room is taken away, and booked as displaced. */

/* Solids are known by the number that adding them returns, from 0; -1 if refused, with an error text. */

typedef struct rn_solid_def {
    rn_sdf *shape; /* consumed, also when refused */
    bool carve;    /* opens what it covers instead of filling it */
    rn_vec3 at;    /* m, where its origin goes */
    rn_quat turn;  /* about its own origin, before it is moved */
    bool hidden;   /* not there yet: rn_world_show_solid */
} rn_solid_def;

RN_API int rn_world_add_solid(rn_world *world, const rn_solid_def *def);
RN_API rn_result rn_world_move_solid(rn_world *world, int solid, rn_vec3 at, rn_quat turn);
/* Bends a solid whose shape is a mesh: x y z of the vertices that rn_sdf_mesh was given, with its transform, as many as
   there were; not kept. Refused, with nothing changed, if a coordinate is not finite. A snapshot does not hold them:
   bend the solid again after rn_world_restore. */
RN_API rn_result rn_world_deform_solid(rn_world *world, int solid, const float *positions, size_t vertex_count);
RN_API rn_result rn_world_show_solid(rn_world *world, int solid, bool shown);
/* Its number is not used again. */
RN_API rn_result rn_world_remove_solid(rn_world *world, int solid);
RN_API bool rn_world_has_solid(const rn_world *world, int solid);

/* Makes a shape part of the ground, or cuts it out of it, for good. Nothing is cut away below the lowest ground that
   there was, less rn_world_def.dig. The shape is read during the call only. If it fails, a part may have been done.
 */
RN_API rn_result rn_world_sculpt(rn_world *world, const rn_sdf *shape, bool carve);

/* The ground of a rectangle of cells as the host finds it: columns as for rn_terrain_def, cell by cell. */
typedef struct rn_ground_def {
    int x, y, cells_x, cells_y;
    const rn_column *columns;
    const int32_t *columns_per_cell;
} rn_ground_def;

RN_API rn_result rn_world_set_ground(rn_world *world, const rn_ground_def *def);

/* ---- Where every drop went ----------------------------------------------------------------------- */

/* All in m^3, exact multiples of one quantum on one cell. In a 3D liquid particles are counted, and `present` is the
   volume within the surface. */
typedef struct rn_audit {
    double poured;      /* by sources, rain, fills and the host's own writes */
    double drained;     /* by drains, levels held, losses and the host's own writes */
    double left;        /* through open edges and holes */
    double displaced;   /* trapped by solid that closed */
    double body_offset; /* added by bodies that float, and taken back when they go; below 0: they hold some back */
    double refused;     /* given by sources of a rate, rain or fills, but did not fit under a ceiling */
    double present;     /* in the columns now */
    double
        drift; /* present - (poured - drained - left - displaced + body_offset): always exactly 0, but in a 3D liquid */
} rn_audit;

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

/* data[layer*layer_stride + y*row_stride + x]. Layer 0 is the lowest column of each cell.
   x and y from -1 to cells_x, cells_y are readable: the rim holds what lies past the edges.
   It shows the liquid as of the call: ask again after a step, for a backend may keep the liquid elsewhere.
   Valid until the world's solid is changed or a state is restored; of a const world, and of bases and ceilings, for
   reading only. */
typedef struct rn_view {
    float *data;
    ptrdiff_t row_stride, layer_stride;
    int cells_x, cells_y, layers;
} rn_view;

RN_API rn_view rn_world_view(const rn_world *world, rn_field field);
/* After writing depths or fluxes through a view: rounds depths to quanta, keeps them within their columns, books the
   difference, and looks at the stability limit anew. Also carries out the changes of solid asked for so far. */
RN_API rn_result rn_world_commit(rn_world *world);

typedef struct rn_sample {
    bool found; /* false: outside the domain, no such layer, or below the lowest base */
    int layer;
    double base, ceil;             /* m */
    double level;                  /* m, height of the surface (base if dry) */
    double depth;                  /* m */
    double velocity_x, velocity_y; /* m/s, mean over the depth */
    rn_vec3 normal;                /* of the surface, unit length, upwards */
} rn_sample;

/* At a place: the column whose open range holds at.z, or else the nearest one below it. Smooth between cells. */
RN_API rn_sample rn_world_sample(const rn_world *world, rn_vec3 at);
RN_API rn_sample rn_world_sample_layer(const rn_world *world, double x, double y, int layer);

/* ---- Cross-sections -------------------------------------------------------------------------------- */

/* Gauges what passes a line: the staircase of cell faces nearest to it, between the cell corners nearest to its ends.
   Lines that share an end meet, and those around a closed region count exactly what its volume changes by. Looking
   changes nothing, and the hash stays as it would be without; but the adaptive packets solver keeps all tiles fine. A
   snapshot does not know that a section has been removed. */
RN_API int rn_world_add_section(rn_world *world, double from_x, double from_y, double to_x, double to_y);

typedef struct rn_section {
    double volume;    /* m^3 that has passed since the section was made, towards the left of from -> to; whole quanta */
    double discharge; /* m^3/s to the left, the mean over the last rn_world_step */
    double area;      /* m^2, wetted, of the upright plane through the line */
    double length;    /* m */
} rn_section;

/* All 0 if there is no such section. */
RN_API rn_section rn_world_read_section(const rn_world *world, int section);
RN_API rn_result rn_world_remove_section(rn_world *world, int section);
RN_API bool rn_world_has_section(const rn_world *world, int section);

/* A number that is the same if and only if (but for chance) the state of the liquid and its columns is the same, to the
   bit. Bodies count by what they do to these, not by where they are. */
RN_API uint64_t rn_world_hash(const rn_world *world);

/* ---- Going back ----------------------------------------------------------------------------------- */

/* All that time changes in a world, as it is now; the same world, or one made in the same way, continues from it bit
   for bit. Under a millisecond for 200 x 200 x 5, so that a game can go back a few frames. */
typedef struct rn_snapshot rn_snapshot;

/* *snapshot is NULL, or an earlier one whose memory is used again. Changes of solid asked for so far are carried out
   first, as by rn_world_commit. */
RN_API rn_result rn_world_save(rn_world *world, rn_snapshot **snapshot);
/* The world must have the grid, sources, solids, bodies and sections that the snapshot knows; sources and solids added
   since are taken away, but of bodies there must be as many, removed ones counted. A solid or body that has been
   removed since cannot come back (hide or place it elsewhere instead), nor can a source, nor the series of a source
   that has been given a plain rate or level. On failure nothing has changed, unless memory ran out. */
RN_API rn_result rn_world_restore(rn_world *world, const rn_snapshot *snapshot);
RN_API void rn_snapshot_destroy(rn_snapshot *snapshot);

/* For sending and storing: the same bytes on every machine, readable by every later version. Valid until the next save.
   What comes from elsewhere is checked when it is restored. */
RN_API const void *rn_snapshot_bytes(const rn_snapshot *snapshot, size_t *size);
RN_API rn_result rn_snapshot_create(const rn_hooks *hooks, const void *bytes, size_t size, rn_snapshot **snapshot);

#ifdef __cplusplus
}
#endif

#endif
