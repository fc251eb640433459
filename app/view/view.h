/* What `runnel view` was asked for. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "common/options.h"

typedef struct view_options {
    const char *what;   /* scene or file; NULL: the scene chooser */
    const char *script; /* commands instead of a person */
    const char *replay; /* an input log */
    const char *record; /* where to write one */
    const char *size;   /* of the window */
    int width, height;  /* pixels; 0: as last time */
    int threads;
    bool headless, no_settings;
    option_texts set;
} view_options;

/* Runs the window. Returns the exit status. One of two: app/view/window, or app/view/no_window, which says what is
   missing. */
int window_run(const view_options *options);

#endif
