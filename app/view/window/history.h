/* Numbers over time, for plots. */
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
    HISTORY_SUBSTEPS, /* in a step */
    HISTORY_STEP,     /* ms, that a step took */
    HISTORY_SURFACE,  /* ms, that its meshes took */
    HISTORY_LEVEL,    /* m, at the first probe, and so on */
    HISTORY_LINES = HISTORY_LEVEL + HISTORY_PROBES,
} history_line;

typedef struct history {
    float values[HISTORY_LINES][HISTORY_LENGTH]; /* the oldest first, from `first` on around */
    int first, count;
} history;

void history_clear(history *h);
void history_add(history *h, const double values[HISTORY_LINES]);
/* The latest value; 0: there is none. */
float history_last(const history *h, history_line line);

#ifdef __cplusplus
}
#endif

#endif
