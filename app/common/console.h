/* The terminal that the command runs in: set-up, whether stderr is a terminal, and what Ctrl-C does. main() calls
   console_start() first; a command then chooses what Ctrl-C does. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/* Call once, before anything else: sets UTF-8 and unchanged line ends on Windows; elsewhere replaces closed standard
   streams by /dev/null and resets SIGCHLD. Exits with EXIT_BAD_INPUT if a stream cannot be opened. */
void console_start(void);

/* Returns true if stderr is a terminal. */
bool console_is_terminal(void);

/* Makes Ctrl-C (SIGINT) and SIGTERM call `handler`, which runs as a signal handler. `once`: a second one ends the
   program immediately; on Windows it always does. */
void console_catch_interrupt(void (*handler)(int), bool once);

/* From now on Ctrl-C, or SIGTERM, clears the progress line, writes this text to stdout, bypassing any buffer, and ends
   the program with EXIT_INTERRUPTED. The text is not copied. Replaces any other handler. */
void console_end_on_interrupt(const char *text);

#endif
