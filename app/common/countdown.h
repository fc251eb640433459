/* A status line on the terminal: what is being done, and about how long the rest will take. It is meant for work that
   cannot report its own progress. Call countdown_start() first, countdown_show() for every part, countdown_stop() last.
   A thread keeps the line up to date. Nothing is shown if stderr is not a terminal. */
#ifndef COUNTDOWN_H
#define COUNTDOWN_H

void countdown_start(void);
/* Shows `text`. `now`, `later`: expected duration of this part and of all parts after it (s). */
void countdown_show(const char *text, double now, double later);
/* Removes the line, so that something else can be printed. */
void countdown_hide(void);
void countdown_stop(void);

#endif
