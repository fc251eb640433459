/* Input from a file instead of a person: docs/view.md lists the commands. A script drives the same functions as the
   mouse and the keys do, and says when steps are taken, so that it always leads to the same state. */
#ifndef VIEW_SCRIPT_H
#define VIEW_SCRIPT_H

#include "view/window/viewer.h"

/* What a script asks of the window. */
typedef struct script_window {
    void *window;
    void (*frame)(void *window, bool draw); /* one frame of the interface; draw: with the picture */
    void (*move)(void *window, double x, double y);
    void (*press)(void *window, viewer_button button, bool down);
    void (*scroll)(void *window, double clicks);
    void (*drop)(void *window, const char *path);
    void (*resize)(void *window, int width, int height);
    bool (*picture)(void *window, const char *path); /* of all of the window */
} script_window;

/* Runs a script to its end. The exit status: 0, 1 if something was not as expected, 2 if it cannot be read or
   understood; a sentence names the file and the line. */
int script_run(viewer *v, const script_window *window, const char *path);

#endif
