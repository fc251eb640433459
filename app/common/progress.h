/* Shows on stderr how far a run has come: a bar on a terminal, otherwise a line now and then. Call progress_start()
   once, progress_show() after every frame, and progress_clear() before printing anything else. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
    const char *name;
    int first, frames; /* frames done before the start; total at the end */
    bool terminal;
    bool quiet;         /* shows nothing; set it after progress_start() */
    double start, last; /* s, clock at the start and when last shown */
    int tenths;         /* tenths of the frames done when last shown */
} progress;

/* Returns the time of a monotonic clock (s). */
double clock_now(void);

/* Writes a duration for people, below 90 s in seconds, below 90 min in minutes: "40 s", "3 min", "1.5 h". Cut off if
   `size` is too small. */
void write_duration(double seconds, char *text, size_t size);

/* Starts the clock; shows nothing yet. `name`: the name of the scene, not copied; `first`: frames done before;
   `frames`: total at the end, more than 0. */
progress progress_start(const char *name, int first, int frames);
/* Call after every frame; shows something only if it is due, and always for the last frame, but nothing if `quiet` is
   set. `frame`: frames done so far, more than `first`; `simulated`: simulated time (s). */
void progress_show(progress *progress, int frame, double simulated);
/* Clears the bar, so that something else can be printed. Does nothing without a terminal or if `quiet` is set. */
void progress_clear(const progress *progress);

#endif
