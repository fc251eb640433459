/* How far a run has come: a bar on a terminal, now and then a line elsewhere. All on stderr. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
    const char *name;
    int first, frames; /* frames done before, and all there will be */
    bool terminal;
    double start, last; /* s, of the clock */
    int tenths;         /* shown so far */
} progress;

/* A clock that only goes forward (s). */
double clock_now(void);

/* "40 s", "3 min", "1.5 h" */
void write_duration(double seconds, char *text, size_t size);

progress progress_start(const char *name, int first, int frames);
void progress_show(progress *progress, int frame, double simulated);
/* Clears the bar, so that something else can be printed. */
void progress_clear(const progress *progress);

#endif
