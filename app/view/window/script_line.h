/* A line of a script: its words, numbers among them, and the message that ends a script. */
#ifndef VIEW_SCRIPT_LINE_H
#define VIEW_SCRIPT_LINE_H

#include "view/window/state.h"

enum { SCRIPT_WORDS = 64 };

typedef struct script {
    viewer *v;
    const struct script_window *window;
    const char *path;
    int line, status;              /* the current line, from 1; the exit status */
    char *words[SCRIPT_WORDS + 1]; /* of the line; NULL after the last */
    int count;                     /* of words */
    double kept;                   /* the value that "keep" stored */
    char played[VIEWER_TEXT];      /* viewer_status at the end of the latest "play" */
    bool over;                     /* no more lines are run */
} script;

/* Prints a message with the file and the line, and ends the script with this exit status. Returns false. */
RN_PRINTF(3, 4) bool script_stop(script *s, int status, const char *format, ...);
/* Reads words[index] as a number. If it is not a number, stops the script and returns NAN. */
double script_number(script *s, int index);
/* Reads words[index] as a number from low to high. If it is not such a number, stops the script and returns `low`. */
double script_number_in(script *s, int index, double low, double high);
/* Splits a line into `words`, which point into it. # begins a comment. Returns false if there are too many; then the
   script is stopped with a message. */
bool script_split(script *s, char *line);

#endif
