/* What bounds the substeps of a run: docs/model.md, "Step size". */
#ifndef RUNNEL_APP_BOUNDS_H
#define RUNNEL_APP_BOUNDS_H

#include <runnel/runnel.h>
#include <stdio.h>

/* Sums over frames, by what would bound the next substep at their ends. Begins with zeros. */
typedef struct bound_report {
    int frames[RN_BOUNDS];
    double depth[RN_BOUNDS]; /* m, of the column with the fastest signal */
    double speed[RN_BOUNDS]; /* m/s, of its liquid */
} bound_report;

/* After every frame. */
void bounds_note(bound_report *report, const rn_world_stats *stats);

/* One line: how many substeps a simulated second takes, and what bounds them. `seconds` were simulated. */
void bounds_print(const bound_report *report, const rn_world_stats *stats, double seconds);
/* The same as two members of a JSON object, each with a comma after it. */
void bounds_print_json(FILE *file, const bound_report *report, const rn_world_stats *stats, double seconds);

#endif
