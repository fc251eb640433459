/* The terminal or console that the command runs in. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/* Once, first of all: UTF-8 and the same bytes on every system, and nothing inherited that would do harm. */
void console_start(void);

/* Whether a person reads stderr. */
bool console_is_terminal(void);

/* Ctrl-C calls `handler`. Once: a second one ends the program at once. */
void console_catch_interrupt(void (*handler)(int), bool once);

/* From now on Ctrl-C writes this text to stdout, past any buffer, and ends the program. The text is not copied. */
void console_end_on_interrupt(const char *text);

#endif
