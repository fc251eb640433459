/* The latest values of some measured numbers, for the plots of the panel: a ring of HISTORY_LENGTH values per line. The
   viewer adds one value to each line after every step (history_add). */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HISTORY_LENGTH = 240, HISTORY_PROBES = 4 };

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
    float values[HISTORY_LINES][HISTORY_LENGTH]; /* rings: the oldest value is at `first` */
    int first, count;
} history;

/* Removes all values. */
void history_clear(history *h);
/* Adds one value to each line; the oldest one is dropped if the ring is full. */
void history_add(history *h, const double values[HISTORY_LINES]);
/* Returns the latest value of a line, or 0 if there is none. */
float history_last(const history *h, history_line line);

#ifdef __cplusplus
}
#endif

#endif
