/* The cases that `runnel validate` runs, and what they share. Each case_... function simulates a physical situation
   through the public API, as any program would, compares it with theory, and fills measured[]. The table in
   app/validate.c names each value, its unit and its bar; the comment above each definition explains the case. */
#ifndef RUNNEL_APP_PHYSICS_H
#define RUNNEL_APP_PHYSICS_H

#include "physics/method.h"

#include <runnel/runnel.h>

/* A case fills in its measured values, up to MOST_MEASURES. */
enum { MOST_MEASURES = 4 };
typedef void (*physics_case)(double measured[MOST_MEASURES]);

/* Marks all values as skipped (-INFINITY), for a case whose data files are missing. */
void skip_case(double measured[MOST_MEASURES]);
/* Returns true if skip_case() set this value. */
bool was_skipped(double measure);

void case_wave_speed(double measured[MOST_MEASURES]);
void case_slosh(double measured[MOST_MEASURES]);
void case_thacker(double measured[MOST_MEASURES]);
void case_overfall(double measured[MOST_MEASURES]);
void case_bore(double measured[MOST_MEASURES]);
void case_stoker(double measured[MOST_MEASURES]);
void case_stoker_shock(double measured[MOST_MEASURES]);
void case_ritter(double measured[MOST_MEASURES]);
void case_radial(double measured[MOST_MEASURES]);
void case_bump(double measured[MOST_MEASURES]);
void case_thacker_planar(double measured[MOST_MEASURES]);
void case_thacker_radial(double measured[MOST_MEASURES]);
void case_rotation(double measured[MOST_MEASURES]);
void case_drain_speed(double measured[MOST_MEASURES]);
void case_energy(double measured[MOST_MEASURES]);
void case_bp01(double measured[MOST_MEASURES]);
void case_monai(double measured[MOST_MEASURES]);
void case_manning(double measured[MOST_MEASURES]);
void case_macdonald(double measured[MOST_MEASURES]);
void case_macdonald_short(double measured[MOST_MEASURES]);
void case_chute(double measured[MOST_MEASURES]);

void case_nusselt(double measured[MOST_MEASURES]);
void case_friction(double measured[MOST_MEASURES]);
void case_huppert_planar(double measured[MOST_MEASURES]);
void case_huppert_radial(double measured[MOST_MEASURES]);
void case_film_front(double measured[MOST_MEASURES]);
void case_film_steep(double measured[MOST_MEASURES]);
void case_film_carried(double measured[MOST_MEASURES]);
void case_thin_film(double measured[MOST_MEASURES]);
void case_slide(double measured[MOST_MEASURES]);

void case_drop_height(double measured[MOST_MEASURES]);
void case_drop_water(double measured[MOST_MEASURES]);
void case_drop_puddles(double measured[MOST_MEASURES]);
void case_drop_sweep(double measured[MOST_MEASURES]);
void case_drop_retention(double measured[MOST_MEASURES]);
void case_rivulet(double measured[MOST_MEASURES]);
void case_drop_trail(double measured[MOST_MEASURES]);
void case_film_breakup(double measured[MOST_MEASURES]);
void case_contact_off(double measured[MOST_MEASURES]);

void case_lake(double measured[MOST_MEASURES]);
void case_settle(double measured[MOST_MEASURES]);
void case_volume(double measured[MOST_MEASURES]);
void case_symmetry(double measured[MOST_MEASURES]);

void case_utube(double measured[MOST_MEASURES]);
void case_utube_level(double measured[MOST_MEASURES]);
void case_bend(double measured[MOST_MEASURES]);
void case_cross(double measured[MOST_MEASURES]);
void case_chamber(double measured[MOST_MEASURES]);
void case_vault(double measured[MOST_MEASURES]);
void case_culvert(double measured[MOST_MEASURES]);
void case_passage_height(double measured[MOST_MEASURES]);
void case_passage_length(double measured[MOST_MEASURES]);
void case_culvert_jet(double measured[MOST_MEASURES]);
void case_passage_volume(double measured[MOST_MEASURES]);

void case_body_draught(double measured[MOST_MEASURES]);
void case_body_displacement(double measured[MOST_MEASURES]);
void case_body_heave(double measured[MOST_MEASURES]);
void case_body_roll(double measured[MOST_MEASURES]);
void case_body_drag(double measured[MOST_MEASURES]);
void case_body_lake(double measured[MOST_MEASURES]);
void case_body_volume(double measured[MOST_MEASURES]);
void case_dam_leak(double measured[MOST_MEASURES]);
void case_dam_weir(double measured[MOST_MEASURES]);
void case_alias_slow(double measured[MOST_MEASURES]);
void case_alias_fast(double measured[MOST_MEASURES]);
void case_alias_drift(double measured[MOST_MEASURES]);

void case_mac_nusselt(double measured[MOST_MEASURES]);
void case_mac_huppert(double measured[MOST_MEASURES]);
void case_mac_slosh(double measured[MOST_MEASURES]);
void case_mac_fig18(double measured[MOST_MEASURES]);
void case_mac_rest(double measured[MOST_MEASURES]);
void case_mac_gates(double measured[MOST_MEASURES]);
void case_mac_free_fall(double measured[MOST_MEASURES]);
void case_mac_divergence(double measured[MOST_MEASURES]);
void case_mac_poiseuille(double measured[MOST_MEASURES]);
void case_mac_spin(double measured[MOST_MEASURES]);
void case_mac_front(double measured[MOST_MEASURES]);
void case_mac_splash(double measured[MOST_MEASURES]);

void case_film_start(double measured[MOST_MEASURES]);
void case_ridge_30(double measured[MOST_MEASURES]);
void case_ridge_60(double measured[MOST_MEASURES]);
void case_roll_decay(double measured[MOST_MEASURES]);
void case_roll_growth(double measured[MOST_MEASURES]);
void case_settle_basins(double measured[MOST_MEASURES]);
void case_settle_stacks(double measured[MOST_MEASURES]);
void case_climb(double measured[MOST_MEASURES]);
void case_shell(double measured[MOST_MEASURES]);
void case_turned_blood(double measured[MOST_MEASURES]);
void case_turned_honey(double measured[MOST_MEASURES]);
void case_body_drag_cells(double measured[MOST_MEASURES]);
void case_body_reaction(double measured[MOST_MEASURES]);
void case_body_swept(double measured[MOST_MEASURES]);

void case_packets_wave(double measured[MOST_MEASURES]);
void case_packets_volume(double measured[MOST_MEASURES]);
void case_packets_momentum(double measured[MOST_MEASURES]);
void case_packets_whirlpool(double measured[MOST_MEASURES]);
void case_packets_lake(double measured[MOST_MEASURES]);
void case_packets_checkerboard(double measured[MOST_MEASURES]);
void case_tiles_error(double measured[MOST_MEASURES]);
void case_tiles_reflection(double measured[MOST_MEASURES]);
void case_tiles_mass(double measured[MOST_MEASURES]);
void case_adaptive_1d(double measured[MOST_MEASURES]);

/* ---- What the cases share ------------------------------------------------------------------------------- */

#define GRAVITY 9.81

/* Describes a world with one column in each cell. */
typedef struct setup {
    int nx, ny;
    double cell;           /* m */
    const double *heights; /* m, x fastest; NULL: level ground at 0 */
    double lid;            /* m */
    double viscosity;      /* m^2/s */
    double friction;       /* omega; 0: no friction */
    double manning;        /* s/m^(1/3) */
    double chezy;          /* m^(1/2)/s */
    double give_back;      /* s, as in rn_world_def */
    bool periodic_x, periodic_y;
    double drop_x, drop_y; /* m, fall of the bed across periodic edges, as in rn_world_def */
    int max_substeps;
    rn_model model;
    flow_method passages;
    double courant;         /* 0: the default */
    rn_packets_def packets; /* for FLOW_PACKETS; count 0: the default */
    int threads;            /* 0: one */
    int solver_iterations;  /* 0: the default */
    rn_hooks hooks;
    bool open_west, open_east; /* open edges */
    bool open;                 /* all edges are open */
    const rn_liquid *liquid;   /* NULL: water with the viscosity above */
    rn_contact contact;
    double tilt_x, tilt_y; /* m/s^2, horizontal gravity; the magnitude of gravity is always GRAVITY */
} setup;

/* Creates a terrain of nx x ny cells of size `cell` (m) under `lid` (m) from columns, listed cell by cell, x fastest,
   from below, and the number of columns in each cell. Free it with rn_terrain_destroy(). Exits with status 1 after
   printing rn_last_error() on failure, as all functions here that make or change something: failures are bugs, not bad
   input. */
rn_terrain *make_terrain(int nx, int ny, double cell, double lid, const rn_column *columns, const int32_t *counts);
/* Creates a dry world with one column in each cell. Free it with rn_world_destroy(). Exits on failure. */
rn_world *make_world(const setup *s);
/* Creates a dry world on a terrain, which it destroys; size, cells, heights and lid of `s` are not used. Free it with
   rn_world_destroy(). Exits on failure. */
rn_world *make_world_on(rn_terrain *terrain, const setup *s);

/* Sets depths[y * nx + x] (m) in layer 0 and commits; the world rounds them to quanta. */
void set_depths(rn_world *world, const double *depths);
/* Returns the depth (m) in layer 0 of cell (x, y), which is not checked. */
double depth_at(rn_world *world, int x, int y);

/* Adds a source that holds the level (m) of every cell along a side from now on. Exits on failure. */
void hold_side(rn_world *world, rn_side side, double level);

typedef enum stack_kind { STACKS_PLAIN, STACKS_SYMMETRIC, STACKS_RAGGED } stack_kind;
/* Creates cells x cells random stacks of 1 to `most` columns, within a height of about 0.03 m and under a lid at 0.045
   m. `cell`: cell size (m); the same `seed` makes the same stacks. STACKS_SYMMETRIC: the eight mirror images of a cell
   are equal. STACKS_RAGGED: some cells are walls or holes, and some solids hang in the air. Free it with
   rn_terrain_destroy(). Exits on failure. */
rn_terrain *random_stacks(int cells, int most, double cell, uint32_t seed, stack_kind kind);
/* Returns a random number in [0, 1) and advances the state, which may begin with any value. Equal states give equal
   numbers. */
double random_unit(uint32_t *state);

/* Returns the number of columns in all layers that violate base <= level <= ceiling, or whose depth is not a whole
   number of quanta. */
double broken_columns(const rn_world *world);

/* Calls work(context, i) for i from 0 to count - 1 in parallel, one thread per core, in any order, and returns when all
   are done. Each call must use its own world and result. */
void side_by_side(int count, void (*work)(void *context, int i), void *context);

double worse(double a, double b);               /* returns the larger, or NaN if one is NaN */
double percent(double measured, double theory); /* returns the relative error in %, without sign; theory: not 0 */

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* Adds a body and returns its number. Takes ownership of the shape, which replaces def.shape; exits on failure, also if
   the shape is NULL. */
int make_body(rn_world *world, rn_body_def def, rn_shape *shape);

/* A body moved by its weight and the liquid, with semi-implicit Euler steps. Its centre of mass must be at the origin
   of its shape, and its principal axes must be the axes of the shape, as for boxes and round shapes. */
typedef struct adrift {
    int body;
    double mass;       /* kg */
    double inertia[3]; /* kg m^2, about its own axes */
    rn_pose pose;
} adrift;

/* Returns the mass, inertia and pose of a body, for drift_on(). The body must satisfy the conditions of adrift. */
adrift set_adrift(const rn_world *world, int body);
/* Moves `count` bodies for one step of this length (s) by their loads and weight, then steps the world by the same
   time. Updates their poses. */
void drift_on(rn_world *world, adrift *bodies, int count, double seconds);
rn_vec3 turned_by(rn_quat turn, rn_vec3 v);     /* returns v rotated by `turn`, of length 1 */
rn_quat turn_about(rn_vec3 axis, double angle); /* returns the rotation by an angle (rad); axis: of any length, not 0 */

/* Returns the height (m) of the highest wave made by a pillar of 4.3 m radius, in cells of 1 m. It moves through still
   water at `speed` (m/s) or, if `speed` is 1, with a current of 1 m/s. `blocking`: how the grid represents the body.
   The first 30 s (with a current, 10 s) do not count. Returns NaN if volume was lost. */
double alias_waves(flow_method passages, rn_blocking blocking, double speed);

/* ---- Basins joined by tunnels ----------------------------------------------------------------------------- */

/* A map of a world, with a letter for each cell: 'A' to 'H' are basins open to the lid, '.' is a tunnel, ':' a chamber,
   '#' is dry solid nearly up to the lid. The floor is level at 0. */
enum { MOST_PLAN = 4096, MOST_BASINS = 8 };
typedef struct plan {
    int nx, ny;
    double tunnel, chamber; /* m, heights of the ceilings */
    char letters[MOST_PLAN];
} plan;

/* Returns a plan of nx x ny cells, at most MOST_PLAN, with '#' everywhere and ceilings as high as UTUBE_TUNNEL and 1.6
   times that. */
plan plan_solid(int nx, int ny);
/* Sets the rectangle of wide x high cells from (x, y) on to a letter; it must lie within the plan. */
void plan_draw(plan *p, int x, int y, int wide, int high, char letter);
/* Creates a dry world of the plan with the other settings of `s`; cells of 1 mm and a lid at 30 mm, if `s` has 0. The
   caller destroys it. */
rn_world *plan_world(const plan *p, const setup *s);
/* Fills the basins to the given levels (m above the floor), A first, and everything under a ceiling completely, and
   commits. */
void plan_fill(rn_world *world, const plan *p, const double *levels);
double plan_level(const rn_world *world, const plan *p, char basin); /* returns its mean level above the floor (m) */

/* A U-tube: two basins of 14 cells, joined by a tunnel 5 mm high. */
enum { UTUBE_BASIN = 14 };
#define UTUBE_CELL   1e-3 /* m */
#define UTUBE_TUNNEL 5e-3
#define UTUBE_LEVEL  20e-3
plan utube_plan(int length);        /* a row of cells; length of the tunnel, in cells */
double utube_wave(int length);      /* theta: its slowest mode has the levels cos(theta (i + 1/2)) in cell i */
double utube_frequency(int length); /* omega of that mode (1/s) */
plan bend_plan(void);               /* basins A and B, joined by a tunnel with one corner */
/* Takes a substep of 0.9 times the stable limit, but at most 1/60 s. Returns its length (s). */
double step_within_limit(rn_world *world);
/* Returns when the levels of two basins first meet (s from now), taking one substep at a time, interpolated within the
   last. Returns NaN if they do not meet before `until` (s). */
double first_crossing(rn_world *world, const plan *p, char a, char b, double until);

#endif
