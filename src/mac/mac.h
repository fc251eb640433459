/* A 3D reference liquid on a staggered grid (marker and cell), tracked by particles.

   The liquid lives in a box of cubic cells. Its sides are walls unless they are open or x is periodic. Positions are in
   metres from the lower corner of the box, z up. Results are the same to the bit for any number of threads and any
   width of vectors. */
#ifndef RN_MAC_MAC_H
#define RN_MAC_MAC_H

#include <runnel/base.h>

typedef struct rn_mac rn_mac;

/* How particles and grid exchange velocities. */
typedef enum rn_mac_transfer {
    RN_MAC_APIC,    /* affine particle-in-cell (Jiang et al. 2015) */
    RN_MAC_FLIP,    /* fluid-implicit-particle (Zhu & Bridson 2005) */
    RN_MAC_MARKERS, /* none: the grid carries its own velocity (Foster & Metaxas 1996), and particles mark liquid */
} rn_mac_transfer;

/* The condition at the surface. */
typedef enum rn_mac_surface {
    RN_MAC_GHOST_FLUID, /* pressure 0 at the surface, wherever it crosses a cell (Gibou et al. 2002) */
    RN_MAC_GATES,       /* pressure 0 in surface cells; their free faces as in Gates 2001 */
} rn_mac_surface;

/* Sides of the box, as bits. */
enum {
    RN_MAC_X_LOW = 1,
    RN_MAC_X_HIGH = 2,
    RN_MAC_Y_LOW = 4,
    RN_MAC_Y_HIGH = 8,
    RN_MAC_Z_LOW = 16,
    RN_MAC_Z_HIGH = 32,
    RN_MAC_ALL_WALLS = 63,
    RN_MAC_SOLIDS = 64, /* not a side, but the solids in the box */
};

/* Fields that are 0 have the default given in brackets. */
typedef struct rn_mac_def {
    int cells_x, cells_y, cells_z;
    double cell_size;       /* m */
    rn_vec3 gravity;        /* m/s^2 */
    double viscosity;       /* m^2/s, kinematic; 0: none */
    double surface_tension; /* m^3/s^2: N/m over the density; 0: none. Needs ghost fluid */
    unsigned no_slip; /* walls, and solids, to which a viscous liquid sticks, as bits; it slips along the others */
    unsigned open;    /* sides without a wall, as bits: the pressure there is 0, and liquid that leaves is gone */
    bool periodic_x;  /* liquid that leaves at one end of x enters at the other; cells_x must be a multiple of 8 */
    rn_mac_transfer transfer;
    rn_mac_surface surface;
    double flip_share;      /* share of FLIP; the rest is particle-in-cell [0.97] */
    double courant;         /* cells that the fastest particle may cross in a substep [3; markers 0.5, their maximum] */
    double gravity_courant; /* longest substep divided by the square root of cell size / gravity [0.3; viscous 0.2] */
    double tolerance;       /* largest divergence after the projection, relative to the largest before [1e-5] */
    double density_time;    /* s, in which crowded or sparse liquid regains its density [0.1]; below 0: never */
    int threads;            /* 0: one per core */
    const rn_hooks *hooks;  /* may be NULL */
} rn_mac_def;

/* Earth's gravity, all walls slip, everything else 0. */
rn_mac_def rn_mac_default(void);

/* The bytes that the grid of a liquid needs, without those for particles and solids. SIZE_MAX: too many, or an invalid
   number of cells. */
size_t rn_mac_grid_bytes(const rn_mac_def *def);
/* The bytes that each particle needs. */
size_t rn_mac_particle_bytes(const rn_mac_def *def);

/* Creates a liquid without particles. Copies *def and its hooks. On failure returns RN_INVALID or RN_MEMORY, and *mac
   is NULL. */
rn_result rn_mac_create(const rn_mac_def *def, rn_mac **mac);
/* Frees a liquid and ends its threads; NULL is allowed. */
void rn_mac_destroy(rn_mac *mac);

/* Distance (m) to the surface of a shape, negative inside. Solids: several threads may call it at once, also the
   velocity. */
typedef double (*rn_mac_distance)(void *user, rn_vec3 at);

/* The velocity (m/s) of a solid at a point (m). */
typedef rn_vec3 (*rn_mac_velocity)(void *user, rn_vec3 at);

/* Makes everything solid, at rest, where `distance` is negative. Replaces the previous solid. Add solids before
   liquid: particles are not removed from new solids. Returns RN_INVALID if a distance is NaN, or RN_MEMORY; the
   previous solid then stays as it was. */
rn_result rn_mac_set_solid(rn_mac *mac, rn_mac_distance distance, void *user);

/* Replaces the solid by one that moves at this velocity: liquid beside it must follow. velocity NULL: the solid is at
   rest. Pushes particles inside the solid out to its surface; gauges count those that change their column. Call it
   before each step while a solid moves, and once more, with NULL, when it has come to rest. Fails as rn_mac_set_solid
   does, also if a speed is NaN or 1e6 m/s or more; particles and the previous solid then stay. */
rn_result rn_mac_move_solid(rn_mac *mac, rn_mac_distance distance, rn_mac_velocity velocity, void *user);

/* A rigid body: a part of the solid that the host moves, and that the pressure of the liquid pushes. Masses, forces and
   impulses are relative to the density of the liquid. */
typedef struct rn_mac_body {
    rn_vec3 low, high;    /* m, corners of a box around it */
    rn_vec3 centre;       /* m, of mass */
    double mass;          /* m^3, above 0; INFINITY: it is held, whatever the force, and inertia must be 0 */
    double inertia[3][3]; /* m^5, about the centre; all 0: it is not turned */
    /* As the host expected them when it moved the body (m^4/s^2 and m^5/s^2): force and torque of the pressure, and of
       viscosity. */
    rn_vec3 force, torque, drag, drag_torque;
    rn_vec3 velocity, spin; /* m/s and 1/s, what the difference from the expected forces has added since */
    rn_vec3 impulse, twist; /* m^4/s and m^5/s, of the pressure since then, */
    double pushed;          /* and the seconds in which it acted: half a substep behind the clock, as velocities are */
    rn_vec3 drag_impulse, drag_twist; /* the same of viscosity */
    double dragged;                   /* s */
} rn_mac_body;

/* The number of the body to which the solid at a point (m) belongs, or -1. */
typedef int (*rn_mac_owner)(void *user, rn_vec3 at);

/* Replaces all bodies. They must be part of the solid: call this after rn_mac_set_solid or rn_mac_move_solid. Steps add
   to the impulses, velocities and seconds given here. `owner` is called only during this call. If memory runs out,
   returns RN_MEMORY, and only the first few bodies are set. */
rn_result rn_mac_set_bodies(rn_mac *mac, const rn_mac_body *bodies, int count, rn_mac_owner owner, void *user);
/* A body, as set, with the velocities and impulses of the steps since. Its number, from 0, is not checked. */
rn_mac_body rn_mac_body_at(const rn_mac *mac, int body);

/* Fills the shape inside the box from `low` to `high`, where it is not solid, with liquid at this velocity (m/s):
   eight particles per cell. distance NULL: the whole box. Cells that already contain liquid get more of it. With
   markers, the next substep takes the velocity of all liquid from particles again. Returns RN_INVALID unless all
   numbers are finite and speeds below 1e6 m/s, RN_LIMIT or RN_MEMORY; nothing is added then. */
rn_result rn_mac_add_liquid(rn_mac *mac, rn_vec3 low, rn_vec3 high, rn_mac_distance distance, void *user,
                            rn_vec3 velocity);

/* A place where liquid enters or leaves. */
typedef struct rn_mac_source_def {
    rn_vec3 position; /* m, in the box */
    double radius;    /* m */
    double rate;      /* m^3/s; below 0: a drain, which takes the particles nearest to its position */
    rn_vec3 velocity; /* m/s. A jet leaves a disc perpendicular to this velocity; without one, liquid appears within a
                         ball */
} rn_mac_source_def;

/* Adds a source; *source is its number, from 0. A source adds no particle inside a solid or where particles are
   crowded: it owes them for later. A drain that finds too few does not make up for it. Numbers are not reused.
   Returns RN_INVALID if a value is invalid, or RN_MEMORY; *source then stays. */
rn_result rn_mac_add_source(rn_mac *mac, const rn_mac_source_def *def, int *source);
/* Sets the rate (m^3/s) of a source. If a source becomes a drain, or a drain a source, it owes nothing any more.
   Returns RN_INVALID, and changes nothing, if there is no such source or the rate is invalid. */
rn_result rn_mac_set_source_rate(rn_mac *mac, int source, double rate);
/* Moves a source to another position (m), with this velocity (m/s) from now on. Returns RN_INVALID, and changes
   nothing, if there is no such source or a value is invalid. */
rn_result rn_mac_move_source(rn_mac *mac, int source, rn_vec3 position, rn_vec3 velocity);
/* Removes a source; what it owes is not poured any more. Returns RN_INVALID if there is no such source. */
rn_result rn_mac_remove_source(rn_mac *mac, int source);

/* The upright face on the high side of column (i, j) of cells, along x (axis 0) or y (1); sign: 1 if flow towards that
   side counts as positive, -1 if as negative. */
typedef struct rn_mac_side {
    int i, j, axis, sign;
} rn_mac_side;

/* Adds a gauge, which counts the particles that pass these faces; *gauge is its number, from 0. Columns outside the box
   are ignored. The high side of the box counts only if it is a periodic end. Returns RN_INVALID if an axis or sign is
   invalid, or RN_MEMORY; *gauge then stays. */
rn_result rn_mac_add_gauge(rn_mac *mac, const rn_mac_side *sides, int count, int *gauge);
/* Stops counting. The number, which is not checked, is not used again. */
void rn_mac_remove_gauge(rn_mac *mac, int gauge);
/* The particles that have passed a gauge in the positive direction, less those in the other, since the last call, or
   since the gauge was added. Its number is not checked. */
int64_t rn_mac_take_gauge(rn_mac *mac, int gauge);

/* Adds omega x (position - centre) to the velocity of every particle: a rigid rotation (omega in 1/s, centre in m).
   Returns RN_INVALID, and changes nothing, unless the components of each sum up to less than 1e6 in size. */
rn_result rn_mac_spin(rn_mac *mac, rn_vec3 centre, rn_vec3 omega);

/* A summary of the substeps of one call of rn_mac_step. */
typedef struct rn_mac_report {
    int substeps;
    int most_iterations;           /* of the pressure solver, in the worst substep */
    int most_density_iterations;   /* of the density solver */
    int most_viscosity_iterations; /* of the viscosity solver */
    double divergence; /* largest after the projection relative to the largest before, in the worst substep */
} rn_mac_report;

/* Advances by this many seconds, 0 to 1e6; otherwise returns RN_INVALID. On RN_LIMIT (too many substeps or
   particles) or RN_MEMORY the time of the substeps so far has passed, and *report is not set. report may be NULL. */
rn_result rn_mac_step(rn_mac *mac, double seconds, rn_mac_report *report);

double rn_mac_time(const rn_mac *mac); /* s */
int64_t rn_mac_particle_count(const rn_mac *mac);

/* One particle: position (m), velocity (m/s), and the rows of its velocity gradient (1/s; 0 without APIC). Particles
   are sorted by cell, and their order changes with every step. */
typedef struct rn_mac_particle {
    rn_vec3 position, velocity, gradient[3];
} rn_mac_particle;
/* The particle of this index, from 0; not checked. */
rn_mac_particle rn_mac_particle_at(const rn_mac *mac, int64_t index);

/* Where all particles came from and went, in m^3: whole numbers of particles, so nothing is ever lost. */
typedef struct rn_mac_ledger {
    double poured;  /* by rn_mac_add_liquid and sources */
    double drained; /* by drains */
    double left;    /* through open sides */
    double present;
    double owed;    /* by sources, not placed yet */
    double blocked; /* the whole particles of that: those that found no place */
    int64_t drift;  /* particles: poured - drained - left - present; always 0 */
} rn_mac_ledger;
/* The ledger up to now. */
rn_mac_ledger rn_mac_audit(const rn_mac *mac);

/* The volume of all particles (m^3). */
double rn_mac_volume(const rn_mac *mac);
/* The volume of all liquid cells (m^3), without their solid parts, as found at the start of the last substep that
   had particles, or by rn_mac_restore; 0 before, and without particles. */
double rn_mac_filled_volume(const rn_mac *mac);
/* Particles deep in the liquid relative to those that fill it at rest: 1 as long as no volume is lost, without
   particles, or if no cell is deep. Which cells are deep was found at the start of the last substep that had particles,
   or by rn_mac_restore. */
double rn_mac_density(const rn_mac *mac);
/* The speed of the fastest particle (m/s). */
double rn_mac_fastest(const rn_mac *mac);

/* A hash of what rn_mac_save saves: the same for any number of threads. */
uint64_t rn_mac_hash(const rn_mac *mac);

/* The size (bytes) of the whole saved state, including sources. Solids, bodies and gauges are not saved. */
size_t rn_mac_saved_size(const rn_mac *mac);
/* Writes the state: rn_mac_saved_size bytes. */
void rn_mac_save(const rn_mac *mac, void *bytes);
/* Returns RN_FORMAT, with a message, unless these bytes are a whole and valid state of a liquid with the same number
   and size of cells and the same transfer. Changes nothing; other values of the definition, and solids, are not
   compared. */
rn_result rn_mac_check_saved(const rn_mac *mac, const void *bytes, size_t size);
/* Replaces the state by a saved one; needs a liquid of the same definition, with the same solid. Solid, bodies and
   gauges stay as they are. Fails as rn_mac_check_saved does, or with RN_LIMIT or RN_MEMORY; then nothing changes. */
rn_result rn_mac_restore(rn_mac *mac, const void *bytes, size_t size);

#endif
