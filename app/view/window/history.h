/* The latest values of some measured numbers, for the plots of the panel: a ring of HISTORY_LENGTH values per line. The
   viewer adds one value to each line for every step, also if it draws fewer frames (history_add). */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include "view/samples.h"

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HISTORY_LENGTH = 1024, HISTORY_PROBES = SAMPLE_PROBES };

typedef enum history_line {
    HISTORY_VOLUME,   /* m^3 */
    HISTORY_SPEED,    /* x real time */
    HISTORY_SUBSTEPS, /* of a step */
    HISTORY_STEP,     /* ms, real time of a step */
    HISTORY_SURFACE,  /* ms, real time of its meshes */
    HISTORY_DRAWING,  /* ms, real time of drawing a frame of the window */
    HISTORY_LEVEL,    /* m, at the first probe; those of further probes follow */
    HISTORY_LINES = HISTORY_LEVEL + HISTORY_PROBES,
} history_line;

typedef struct history {
    double times[HISTORY_LENGTH]; /* s, simulated; rings: the oldest value is at `first` */
    float values[HISTORY_LINES][HISTORY_LENGTH];
    int first, count;
} history;

/* Removes all values. */
void history_clear(history *h);
/* Adds one value to each line, measured at this simulated time (s); the oldest one is dropped if the ring is full. */
void history_add(history *h, double time, const double values[HISTORY_LINES]);
/* Returns the time (s) of the value of this number, counted from the oldest. */
double history_time(const history *h, int number);
/* Returns the value of this number in a line, counted from the oldest. */
float history_value(const history *h, history_line line, int number);
/* Returns the latest value of a line, or 0 if there is none. */
float history_last(const history *h, history_line line);

#ifdef __cplusplus
}
#endif

#endif
