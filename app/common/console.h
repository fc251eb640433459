/* The terminal that the command runs in: set-up, whether stderr is a terminal, and what Ctrl-C does. main() calls
   console_start() first; a command then chooses what Ctrl-C does. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/* Call once, before anything else: sets UTF-8 and unchanged line ends on Windows; elsewhere replaces closed standard
   streams and resets SIGCHLD. */
void console_start(void);

/* Returns true if stderr is a terminal. */
bool console_is_terminal(void);

/* Makes Ctrl-C call `handler`. `once`: a second Ctrl-C ends the program immediately. */
void console_catch_interrupt(void (*handler)(int), bool once);

/* From now on Ctrl-C writes this text to stdout, bypassing any buffer, and ends the program. The text is not copied. */
void console_end_on_interrupt(const char *text);

#endif
