/* The physics that `runnel validate` checks against theory. Every case sees the library as any program does. */
#ifndef RUNNEL_APP_PHYSICS_H
#define RUNNEL_APP_PHYSICS_H

#include "physics/method.h"

#include <runnel/runnel.h>

/* A case fills in what it measured; the table in validate.c names each value and its bar. */
enum { MOST_MEASURES = 4 };
typedef void (*physics_case)(double measured[MOST_MEASURES]);

/* For a case that cannot be measured here, because it needs files that are not there. */
void skip_case(double measured[MOST_MEASURES]);
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

/* A world of single columns on given heights. Freed with rn_world_destroy. Exits on failure: a bug, not input. */
typedef struct setup {
    int nx, ny;
    double cell;           /* m */
    const double *heights; /* m, x fastest; NULL: level ground at 0 */
    double lid;            /* m */
    double viscosity;      /* m^2/s */
    double friction;       /* omega; 0: none lost */
    double manning;        /* s/m^(1/3) */
    double chezy;          /* m^(1/2)/s */
    double give_back;      /* s */
    bool periodic_x, periodic_y;
    double drop_x, drop_y; /* m */
    int max_substeps;
    rn_model model;
    flow_method passages;
    double courant;         /* 0: as by default */
    rn_packets_def packets; /* of FLOW_PACKETS; count 0: as by default */
    int threads;            /* 0: one */
    int solver_iterations;  /* 0: as by default */
    rn_hooks hooks;
    bool open_west, open_east; /* edges */
    bool open;                 /* all of them */
    const rn_liquid *liquid;   /* NULL: water of this viscosity; else its own */
    rn_contact contact;
    double tilt_x, tilt_y; /* m/s^2, sideways gravity; the whole of it is always GRAVITY */
} setup;

rn_terrain *make_terrain(int nx, int ny, double cell, double lid, const rn_column *columns, const int32_t *counts);
rn_world *make_world(const setup *s);
rn_world *make_world_on(rn_terrain *terrain, const setup *s); /* consumes the terrain */

/* depth[y*nx + x] of layer 0 (m), rounded to quanta by the world. */
void set_depths(rn_world *world, const double *depths);
double depth_at(rn_world *world, int x, int y);

/* Holds the level (m) of every cell along a side from now on. */
void hold_side(rn_world *world, rn_side side, double level);

/* Random stacks of columns: 1 to most layers in each of cells*cells, within about 0.03 m. Symmetric: the eight
   mirror images of a cell are the same. Ragged: some cells are walls, some holes, some solids hang in the air. */
typedef enum stack_kind { STACKS_PLAIN, STACKS_SYMMETRIC, STACKS_RAGGED } stack_kind;
rn_terrain *random_stacks(int cells, int most, double cell, uint32_t seed, stack_kind kind);
double random_unit(uint32_t *state); /* [0, 1) */

/* Columns that broke base <= level <= ceil or hold a part of a quantum. */
double broken_columns(const rn_world *world);

/* Calls work(context, i) for i from 0 to count - 1 on all cores, in no order: each has a world and a result of its own.
   Exits on failure. */
void side_by_side(int count, void (*work)(void *context, int i), void *context);

double worse(double a, double b);               /* the larger; NaN wins */
double percent(double measured, double theory); /* off */

/* ---- Bodies -------------------------------------------------------------------------------------------------------
 */

/* Adds a body with the liquid around it as it is. Consumes the shape; exits on failure. */
int make_body(rn_world *world, rn_body_def def, rn_shape *shape);

/* A body that moves as its weight and the liquid say, in steps of semi-implicit Euler. Its shape must have its centre
   of mass at its origin and its principal axes along its own, as boxes and all that is round have. */
typedef struct adrift {
    int body;
    double mass;       /* kg */
    double inertia[3]; /* kg m^2, about its own axes */
    rn_pose pose;
} adrift;

adrift set_adrift(const rn_world *world, int body);
void drift_on(rn_world *world, adrift *bodies, int count, double seconds); /* and steps the world */
rn_vec3 turned_by(rn_quat turn, rn_vec3 v);
rn_quat turn_about(rn_vec3 axis, double angle); /* rad */

/* The highest wave (m) that a pillar of 4.3 cells' radius throws which moves through a current of 1 m/s at a given
   speed (m/s). */
double alias_waves(flow_method passages, rn_blocking blocking, double speed);

/* ---- Basins joined by tunnels ----------------------------------------------------------------------------- */

/* Drawn from above, a letter for each cell: 'A' to 'H' are basins open to the lid, '.' is tunnel, ':' chamber, '#'
   solid nearly up to the lid, and dry. The floor is level at 0. */
enum { MOST_PLAN = 4096, MOST_BASINS = 8 };
typedef struct plan {
    int nx, ny;
    double tunnel, chamber; /* m, heights of their ceilings */
    char letters[MOST_PLAN];
} plan;

plan plan_solid(int nx, int ny); /* all of it */
void plan_draw(plan *p, int x, int y, int wide, int high, char letter);
rn_world *plan_world(const plan *p, const setup *s); /* in cells of 1 mm under a lid at 30 mm, if s has none */
/* Levels of the basins (m), A first; whatever has a ceiling is full. */
void plan_fill(rn_world *world, const plan *p, const double *levels);
double plan_level(const rn_world *world, const plan *p, char basin); /* m, the mean */

/* A U-tube: two basins of 14 cells that a tunnel of 5 mm height joins. */
enum { UTUBE_BASIN = 14 };
#define UTUBE_CELL   1e-3 /* m */
#define UTUBE_TUNNEL 5e-3
#define UTUBE_LEVEL  20e-3
plan utube_plan(int length);               /* of the tunnel, in cells */
double utube_wave(int length);             /* theta: its slowest swing has levels of cos(theta (i + 1/2)) in cell i */
double utube_frequency(int length);        /* omega of that swing (1/s) */
plan bend_plan(void);                      /* basins A and B, and a tunnel with one corner */
double step_within_limit(rn_world *world); /* one substep, nearly as long as stability lets it be; how long (s) */
/* When the levels of two basins first meet (s from now), one substep at a time; NaN: not before `until`. */
double first_crossing(rn_world *world, const plan *p, char a, char b, double until);

#endif
