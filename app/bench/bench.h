/* What `runnel bench` measures, and how rows measure it: runs of what is compared alternate, because machines are
   noisy, and medians and best values are taken of them. */
#ifndef BENCH_H
#define BENCH_H

#include "physics/method.h"

#include <runnel/runnel.h>

enum { MOST_VARIANTS = 8, MOST_ROUNDS = 100 };

/* Seconds that the runs of one variant took. */
typedef struct timing {
    double seconds[MOST_ROUNDS];
    int rounds;
} timing;

/* Runs one variant once and says how long it took (s). */
typedef double (*timed_run)(void *context, int variant);

/* All variants in turn, `rounds` times, and once before that does not count. Adds to the timings. */
void bench_interleave(int variants, int rounds, timed_run run, void *context, timing *timings);
double timing_median(const timing *t);
double timing_best(const timing *t);

/* What a row found. NAN: does not apply; and 0 from `speedup` on. */
typedef struct bench_result {
    double median, best; /* in the row's unit */
    double seconds;      /* s, median, of what is timed: a substep, a frame, a snapshot, a simulated second */
    double substeps;     /* passes over all columns meanwhile */
    double bytes;        /* that a pass must move for each column */
    int64_t columns;
    char note[1024];
    int threads;                  /* 0: as many as the row was given */
    rn_model model;               /* default physical */
    double bar;                   /* instead of the row's */
    double speedup;               /* times as fast as with one thread */
    double naive;                 /* times as fast as the plain loops of naive.c */
    double step, step_max;        /* ms, of a step as long as the paper's, on average and at most */
    double frame_max;             /* ms, of 16.6 ms simulated, at most; `seconds` is the average */
    double paper_step, paper_max; /* ms, what the paper's took */
} bench_result;

/* A substep must read depth, two speeds, two transfers and base, and write the first five. Ceilings only matter where
   there are roofs, and are read in addition. The paper's model has fluxes instead of speeds and transfers. */
#define SUBSTEP_BYTES        44.0
#define PAPER_SUBSTEP_BYTES  28.0
#define ROOFED_SUBSTEP_BYTES 48.0

/* Mcell/s of a substep; ms of something else; how many times as long as another. */
bench_result bench_speed(const rn_world *world, const timing *t);
bench_result bench_duration(const rn_world *world, const timing *t, double bytes);
bench_result bench_ratio(const rn_world *world, const timing *t, const timing *against, double substeps);
double timing_ratio(const timing *t, const timing *against); /* how many times as long, median of the rounds */

/* Ends the command on failure: a bug or no memory, never input. */
void bench_must(rn_result result);

/* A row with one result. */
typedef bench_result (*bench_row)(int threads);

/* A row whose results differ in threads and model. */
enum { MOST_CREWS = 2, MOST_RESULTS = 4 };
typedef struct bench_crews {
    int threads[MOST_CREWS], count; /* how many threads to try: one and all, or just what was asked for */
} bench_crews;
typedef int (*bench_comparison)(const bench_crews *crews, bench_result *results); /* returns how many */

int bench_pipes_200(const bench_crews *crews, bench_result *results);
int bench_pipes_1024(const bench_crews *crews, bench_result *results);
int bench_pipes_4096(const bench_crews *crews, bench_result *results);
int bench_pipes_16384(const bench_crews *crews, bench_result *results);
int bench_pipes_dry(const bench_crews *crews, bench_result *results);
int bench_pipes_still(const bench_crews *crews, bench_result *results);
int bench_film(const bench_crews *crews, bench_result *results);
int bench_dam(const bench_crews *crews, bench_result *results);
int bench_violent(const bench_crews *crews, bench_result *results);
int bench_naive_200(const bench_crews *crews, bench_result *results);
int bench_naive_1024(const bench_crews *crews, bench_result *results);

int bench_packets_25(const bench_crews *crews, bench_result *results);
int bench_packets_50(const bench_crews *crews, bench_result *results);
int bench_packets_100(const bench_crews *crews, bench_result *results);
int bench_packets_200(const bench_crews *crews, bench_result *results);
int bench_packets_250(const bench_crews *crews, bench_result *results);
int bench_packets_400(const bench_crews *crews, bench_result *results);
bench_result bench_packets_adaptive(int threads);

int bench_table1_viscosity(const bench_crews *crews, bench_result *results);
int bench_table1_three_layers(const bench_crews *crews, bench_result *results);
int bench_table1_passages(const bench_crews *crews, bench_result *results);
int bench_table1_surgery(const bench_crews *crews, bench_result *results);

int bench_surface_viscosity(const bench_crews *crews, bench_result *results);
int bench_surface_three_layers(const bench_crews *crews, bench_result *results);
int bench_surface_passages(const bench_crews *crews, bench_result *results);
int bench_surface_surgery(const bench_crews *crews, bench_result *results);

bench_result bench_edits(int threads);
bench_result bench_edits_wading(int threads);
bench_result bench_save(int threads);
bench_result bench_restore(int threads);

int bench_meshes(const bench_crews *crews, bench_result *results);

bench_result bench_mesh_15k(int threads);
bench_result bench_mesh_100k(int threads);
bench_result bench_mac_64(int threads);
bench_result bench_mac_128(int threads);
bench_result bench_moving_rigid(int threads);
bench_result bench_moving_soft(int threads);
bench_result bench_bodies_raster(int threads);
bench_result bench_bodies_256(int threads);
bench_result bench_bodies_512(int threads);

bench_result bench_passages_idle(int threads);
bench_result bench_passages_open(int threads);
bench_result bench_passages_step(int threads);
bench_result bench_passages_implicit(int threads);
bench_result bench_passages_deep(int threads);
bench_result bench_passages_break_even(int threads);
bench_result bench_passages_iterations(int threads);

/* Rolling ground of `cells` squared, under a film and puddles. */
rn_world *bench_rolling(int cells, double cell, double level, flow_method passages, int threads);

/* A world of `cells` squared made column by column. */
typedef struct bench_scene {
    int cells;
    double cell, lid, viscosity, friction;                             /* m, m, m^2/s */
    int (*stack)(int cells, int x, int y, rn_column *columns);         /* returns how many, up to MOST_STACK */
    double (*level)(int cells, int x, int y, const rn_column *column); /* m, of the liquid in a column */
} bench_scene;

enum { MOST_STACK = 5 };

rn_world *bench_world(const bench_scene *scene, flow_method passages, double courant, int threads);

#endif
