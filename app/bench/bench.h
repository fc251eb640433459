/* What `runnel bench` measures, and how its rows measure. Machines are noisy, so variants that are compared run in
   turn, and the median and the best of several runs are reported. command.c has the table of rows; each row is one of
   the bench_... functions below, and measure.c has the timing functions that they share. */
#ifndef BENCH_H
#define BENCH_H

#include "physics/method.h"

#include <runnel/runnel.h>

enum { MOST_VARIANTS = 8, MOST_ROUNDS = 100 };

/* Durations of the runs of one variant. */
typedef struct timing {
    double seconds[MOST_ROUNDS]; /* s */
    int rounds;
} timing;

/* Runs one variant once and returns how long it took (s), usually per substep or per frame. A failure ends the program
   (bench_must()). */
typedef double (*timed_run)(void *context, int variant);

/* Runs variants 0 to `variants` - 1 in turn, once as a warm-up that is not counted and then `rounds` times. Appends
   each duration to timings[variant], whose `rounds` must be 0, or count earlier runs, which are kept. The total must
   not exceed MOST_ROUNDS (not checked). */
void bench_interleave(int variants, int rounds, timed_run run, void *context, timing *timings);
/* Returns the median of all runs (s); there must be at least one. */
double timing_median(const timing *t);
/* Returns the shortest run (s); INFINITY without runs. */
double timing_best(const timing *t);

/* The result of a row. NAN means that a value does not apply; for values from `speedup` on, 0 means that. */
typedef struct bench_result {
    double median, best; /* in the row's unit */
    double seconds;      /* s, median of what is timed: a substep, a frame, a snapshot, a simulated second */
    double substeps;     /* passes over all columns in that time */
    double bytes;        /* bytes that a pass must move for each column */
    int64_t columns;
    char note[1024];
    int threads;                  /* 0: the number that the row was given */
    rn_model model;               /* default: physical */
    double bar;                   /* replaces the row's bar if not 0 */
    double speedup;               /* relative to one thread */
    double naive;                 /* speed relative to the plain loops of naive.c */
    double step, step_max;        /* ms, mean and longest wall time of a step as long as the paper's */
    double frame_max;             /* ms, longest wall time of a frame of 16.6 ms; `seconds` is the mean */
    double paper_step, paper_max; /* ms, mean and longest step as published in the paper */
} bench_result;

/* Bytes per column of a substep. It reads depth, two speeds, two transfers and base, and writes the first five. Under
   roofs it also reads ceilings. The paper's model has fluxes instead of speeds and transfers. */
#define SUBSTEP_BYTES        44.0
#define PAPER_SUBSTEP_BYTES  28.0
#define ROOFED_SUBSTEP_BYTES 48.0

/* Returns a result in Mcell/s: the columns of `world` divided by the durations of a substep in `t`. `bytes` is
   SUBSTEP_BYTES. */
bench_result bench_speed(const rn_world *world, const timing *t);
/* Returns a result in ms from the durations in `t`, counted as one substep each; `columns` are those of `world`.
   `bytes`: moved for each column; NAN: does not apply. The note stays empty. */
bench_result bench_duration(const rn_world *world, const timing *t, double bytes);
/* Returns a result "x": how many times as long `t` took as `against`. The median is that of the rounds' ratios, the
   best the ratio of both shortest runs; the other values are those of `t`. `substeps`: taken in each timed part of
   `t`. */
bench_result bench_ratio(const rn_world *world, const timing *t, const timing *against, double substeps);
/* Returns how many times as long `t` took as `against`: the median of the ratios of each round. Both have the same
   number of rounds, at least one. */
double timing_ratio(const timing *t, const timing *against);

/* Exits with EXIT_BAD_INPUT after printing the library's last error unless the result is RN_OK. Failures here are bugs
   or lack of memory, never bad input. */
void bench_must(rn_result result);

/* Measures a row with one result, with this number of threads. */
typedef bench_result (*bench_row)(int threads);

/* A row with several results, for different numbers of threads (crews) and models. */
enum { MOST_CREWS = 2, MOST_RESULTS = 4 };
typedef struct bench_crews {
    int threads[MOST_CREWS], count; /* numbers of threads to try: one and all, or only the one asked for */
    const char *backend;            /* of their worlds; NULL: the CPU */
} bench_crews;
/* Returns whether worlds of this backend, NULL for the CPU, run on a GPU. */
bool bench_on_gpu(const char *backend);
/* Writes up to MOST_RESULTS results, each with its number of threads, and returns their number. */
typedef int (*bench_comparison)(const bench_crews *crews, bench_result *results);

/* Each function up to bench_passages_iterations() measures the row of the same name, which the table in command.c
   describes. None returns after a failure: bench_must() exits. What a row lacks (a scene, memory, data) makes a result
   of NAN with a note. */
int bench_pipes_200(const bench_crews *crews, bench_result *results);
int bench_pipes_1024(const bench_crews *crews, bench_result *results);
int bench_pipes_crowd(const bench_crews *crews, bench_result *results);
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

bench_result bench_contact(int threads);

bench_result bench_edits(int threads);
bench_result bench_edits_wading(int threads);
bench_result bench_save(int threads);
bench_result bench_restore(int threads);

int bench_meshes(const bench_crews *crews, bench_result *results);

bench_result bench_mesh_15k(int threads);
bench_result bench_mesh_100k(int threads);
bench_result bench_mac_64(int threads);
bench_result bench_mac_128(int threads);
bench_result bench_mac_threads(int threads);
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

/* Creates a world of cells x cells on rolling ground (noise as high as 4 % of its width), filled to `level` (m).
   `cell`: cell size (m). Solids may dig 5 % of its width deep. Exits on failure; the caller destroys the world. */
rn_world *bench_rolling(int cells, double cell, double level, flow_method passages, int threads);
/* The same, with other settings: sets the terrain, which dangles afterwards, and the depth of digging in *def. */
rn_world *bench_on_rolling(int cells, double cell, double level, rn_world_def *def);

/* A world of cells x cells, described by functions that are called for every cell. */
typedef struct bench_scene {
    int cells;
    double cell, lid, viscosity, friction;                     /* m, m, m^2/s, none */
    int (*stack)(int cells, int x, int y, rn_column *columns); /* writes a cell's columns; returns their number */
    double (*level)(int cells, int x, int y, const rn_column *column); /* m, of the liquid in a column */
} bench_scene;

enum { MOST_STACK = 5 }; /* columns in a cell, at most */

/* Creates and fills the world of `scene`. `courant`: multiple of the explicit substep; 0: the default of the method.
   Exits on failure; the caller destroys the world. */
rn_world *bench_world(const bench_scene *scene, flow_method passages, double courant, int threads);

#endif
