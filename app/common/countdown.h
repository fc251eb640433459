/* A line on the terminal that says what is being done and about how long it will take, for work that cannot say how far
   it has come. A thread keeps it up to date. Nothing is shown where stderr is no terminal. */
#ifndef COUNTDOWN_H
#define COUNTDOWN_H

void countdown_start(void);
/* `now` and `later`: seconds that this part and all after it are expected to take. */
void countdown_show(const char *text, double now, double later);
/* Takes the line away, so that something else can be printed. */
void countdown_hide(void);
void countdown_stop(void);

#endif
