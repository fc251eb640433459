/* Scripts: input from a file in place of a user. docs/view.md lists the commands. A script calls the same functions as
   the mouse and the keys, and decides when steps are taken, so without "play" it always gives the same state. The
   window fills a script_window with its own functions and calls script_run. */
#ifndef VIEW_SCRIPT_H
#define VIEW_SCRIPT_H

#include "view/window/state.h"

/* The functions of the window that a script calls. Their first argument is `window`. */
typedef struct script_window {
    void *window;
    void (*frame)(void *window, bool draw);         /* one frame of the interface; draw: also draws it */
    void (*move)(void *window, double x, double y); /* the mouse, in units of the window */
    void (*press)(void *window, viewer_button button, bool down);
    void (*scroll)(void *window, double clicks);
    void (*drop)(void *window, const char *path); /* a file on the window */
    void (*resize)(void *window, int width, int height);
    bool (*picture)(void *window, const char *path); /* PNG of the whole window; false after an error */
} script_window;

/* Runs a script to its end, or until the user quits. Returns the exit status: 0; 1 if an expectation was not met, or a
   command was not possible or took too long; 2 if the script cannot be read or understood. A failure prints a message
   with the file and the line. */
int script_run(viewer *v, const script_window *window, const char *path);

#endif
