/* The options of "runnel view", and the window that runs with them. app/view/command.c fills view_options and calls
   window_run. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "common/options.h"

typedef struct view_options {
    const char *what;    /* scene or file; NULL: the scene chooser */
    const char *script;  /* a file of commands in place of a user's input; NULL: none */
    const char *replay;  /* an input log to replay; NULL: none */
    const char *record;  /* where to write the input log at the end; NULL: nowhere */
    const char *size;    /* of the window, as given: "1280x720" */
    int width, height;   /* pixels; 0: as last time */
    int threads;         /* 0: one per core */
    const char *backend; /* NULL: that of the scene */
    bool headless, no_settings;
    option_texts set; /* changes of the scene */
} view_options;

/* Runs the window until it closes. Returns the exit status, after printing why if it is not EXIT_FINE. Defined twice:
   in app/view/window, and in app/view/no_window for builds without a window, where it prints what is missing. */
int window_run(const view_options *options);

#endif
