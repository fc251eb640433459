/* A 3D reference liquid on a staggered grid (marker and cell), tracked by particles.

   The liquid lives in a box of cubic cells, closed on all sides unless x is periodic. Positions are in metres from the
   lower corner of the box, z up. Results are the same to the bit for any number of threads and any width of vectors. */
#ifndef RN_MAC_MAC_H
#define RN_MAC_MAC_H

#include <runnel/base.h>

typedef struct rn_mac rn_mac;

/* How particles and grid exchange velocities. */
typedef enum rn_mac_transfer {
    RN_MAC_APIC,    /* affine particle-in-cell (Jiang et al. 2015) */
    RN_MAC_FLIP,    /* fluid-implicit-particle (Zhu & Bridson 2005) */
    RN_MAC_MARKERS, /* none: the grid carries its velocity itself (Foster & Metaxas 1996), and particles mark liquid */
} rn_mac_transfer;

/* What holds at the surface. */
typedef enum rn_mac_surface {
    RN_MAC_GHOST_FLUID, /* pressure 0 at the surface, wherever it crosses a cell (Gibou et al. 2002) */
    RN_MAC_GATES,       /* pressure 0 in surface cells; their free faces as in Gates 2001 */
} rn_mac_surface;

/* Walls of the box, as bits. */
enum {
    RN_MAC_X_LOW = 1,
    RN_MAC_X_HIGH = 2,
    RN_MAC_Y_LOW = 4,
    RN_MAC_Y_HIGH = 8,
    RN_MAC_Z_LOW = 16,
    RN_MAC_Z_HIGH = 32,
    RN_MAC_ALL_WALLS = 63,
};

/* Fields that are 0 have the default that stands in brackets. */
typedef struct rn_mac_def {
    int cells_x, cells_y, cells_z;
    double cell_size; /* m */
    rn_vec3 gravity;  /* m/s^2 */
    double viscosity; /* m^2/s, kinematic; 0: none */
    unsigned no_slip; /* walls where a viscous liquid sticks, as bits; it slips along the others */
    bool periodic_x;  /* what leaves at one end of x comes in at the other; cells_x must be a multiple of 8 */
    rn_mac_transfer transfer;
    rn_mac_surface surface;
    double flip_share; /* of FLIP, the rest is particle-in-cell [0.97] */
    double courant;    /* cells, that the fastest particle may cross in a substep [3; markers 0.5, the most for them] */
    double gravity_courant; /* longest substep over the square root of cell size / gravity [0.2] */
    double tolerance;       /* largest divergence after the projection over the largest before [1e-5] */
    double density_time;    /* s, in which crowded or sparse liquid regains its density [0.1]; below 0: never */
    int threads;            /* 0: one per core */
    const rn_hooks *hooks;  /* may be NULL */
} rn_mac_def;

/* Earth's gravity, all walls slip, everything else 0. */
rn_mac_def rn_mac_default(void);

/* Bytes that a liquid of this definition needs for its grid, and for each particle. */
size_t rn_mac_grid_bytes(const rn_mac_def *def);
size_t rn_mac_particle_bytes(const rn_mac_def *def);

rn_result rn_mac_create(const rn_mac_def *def, rn_mac **mac);
void rn_mac_destroy(rn_mac *mac);

/* Distance (m) to the surface of a shape, negative inside. */
typedef double (*rn_mac_distance)(void *user, rn_vec3 at);

/* Solid everywhere where `distance` is negative. Replaces the solid before. Add solids before liquid: particles are not
   taken out of new solids. */
rn_result rn_mac_set_solid(rn_mac *mac, rn_mac_distance distance, void *user);

/* Fills the shape inside the box from `low` to `high`, where it is not solid, with liquid at this velocity (m/s): eight
   particles to a cell. distance NULL: the whole box. Cells that hold liquid already get more of it. */
rn_result rn_mac_add_liquid(rn_mac *mac, rn_vec3 low, rn_vec3 high, rn_mac_distance distance, void *user,
                            rn_vec3 velocity);

/* Adds omega x (position - centre) to the velocity of every particle: a rigid rotation (1/s). */
void rn_mac_spin(rn_mac *mac, rn_vec3 centre, rn_vec3 omega);

/* What the substeps of one call of rn_mac_step did. */
typedef struct rn_mac_report {
    int substeps;
    int most_iterations;           /* of the pressure solver, in the worst substep */
    int most_density_iterations;   /* of the density solver */
    int most_viscosity_iterations; /* of the viscosity solver */
    double divergence;             /* largest after the projection over the largest before, in the worst substep */
} rn_mac_report;

/* Advances by so many seconds. report may be NULL. */
rn_result rn_mac_step(rn_mac *mac, double seconds, rn_mac_report *report);

double rn_mac_time(const rn_mac *mac); /* s */
int64_t rn_mac_particle_count(const rn_mac *mac);

/* One particle: where (m), how fast (m/s), and the rows of its velocity gradient (1/s; 0 without APIC). Particles are
   sorted by cell, and their order changes with every step. */
typedef struct rn_mac_particle {
    rn_vec3 position, velocity, gradient[3];
} rn_mac_particle;
rn_mac_particle rn_mac_particle_at(const rn_mac *mac, int64_t index);

/* m^3, that the particles stand for: constant. */
double rn_mac_volume(const rn_mac *mac);
/* m^3, that lies within the surface: what of the volume the last substep saw. */
double rn_mac_filled_volume(const rn_mac *mac);
/* Particles deep in the liquid over those that fill it at rest: 1 as long as no volume is lost. */
double rn_mac_density(const rn_mac *mac);
/* m/s, of the fastest particle. */
double rn_mac_fastest(const rn_mac *mac);

/* A hash of the state: the same for any number of threads. */
uint64_t rn_mac_hash(const rn_mac *mac);

/* The whole state as bytes: rn_mac_saved_size of them. rn_mac_restore needs a liquid of the same definition. */
size_t rn_mac_saved_size(const rn_mac *mac);
void rn_mac_save(const rn_mac *mac, void *bytes);
rn_result rn_mac_restore(rn_mac *mac, const void *bytes, size_t size);

#endif
