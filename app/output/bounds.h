/* Reports what limited the length of the substeps of a run (docs/model.md, "Step size"). Zero a bound_report, call
   bounds_note() after every frame, then print the report. */
#ifndef RUNNEL_APP_BOUNDS_H
#define RUNNEL_APP_BOUNDS_H

#include <runnel/runnel.h>
#include <stdio.h>

/* Sums over frames, for each bound. A frame counts for what would bound the next substep at its end. */
typedef struct bound_report {
    int frames[RN_BOUNDS];
    double depth[RN_BOUNDS]; /* m, of the column with the fastest signal */
    double speed[RN_BOUNDS]; /* m/s, of its liquid */
} bound_report;

/* Call after every frame with the world's stats. A frame for which the column with the fastest signal is not known (no
   liquid, or not in this model) does not count. */
void bounds_note(bound_report *report, const rn_world_stats *stats);

/* Prints one line on stdout: how many substeps a simulated second takes, and what bounds them, with the share of each.
   Prints nothing without substeps. `seconds`: simulated. */
void bounds_print(const bound_report *report, const rn_world_stats *stats, double seconds);
/* Prints one line on stdout: how much slower than real time the run was, what bounds its substeps most, and what would
   help. Prints nothing if it was as fast as real time, or without substeps. `factor`: simulated time per wall time (0:
   unknown, prints nothing); `cell`: m. */
void bounds_print_slow(const bound_report *report, const rn_world_stats *stats, double seconds, double factor,
                       double cell);
/* Prints "substeps_per_s" and "bounded_by" as members of a JSON object, each followed by a comma. Bounds for which no
   frame counted have no mean depth and speed. `seconds`: simulated; 0 prints 0 substeps_per_s. */
void bounds_print_json(FILE *file, const bound_report *report, const rn_world_stats *stats, double seconds);

#endif
