/* A status line on the terminal: what is being done, and about how long the rest will take. It is meant for work that
   cannot report its own progress. Call countdown_start() first, countdown_show() for every part, countdown_stop() last.
   A thread keeps the line up to date. Nothing is shown if stderr is not a terminal. */
#ifndef COUNTDOWN_H
#define COUNTDOWN_H

/* Starts the thread; the line is hidden at first. If there is no terminal or no thread can be started, all other calls
   do nothing. */
void countdown_start(void);
/* Shows `text`, which is copied and cut off after 127 bytes. `now`, `later`: expected duration of this part, from now
   on, and of all parts after it (s). */
void countdown_show(const char *text, double now, double later);
/* Removes the line, so that something else can be printed. The next countdown_show() shows it again. */
void countdown_hide(void);
/* Removes the line and ends the thread. */
void countdown_stop(void);

#endif
