/* The commands of scripts that look at measured values: expect, keep and print. docs/view.md lists the values. Their
   results are not used: after an error the script is over (script_stop). */
#ifndef VIEW_SCRIPT_VALUES_H
#define VIEW_SCRIPT_VALUES_H

#include "view/window/script_line.h"

/* keep NAME: stores a value, which "kept" stands for later. */
bool script_keep(script *s);
/* print NAME: prints the name and its value. */
bool script_print(script *s);
/* Stops the script with EXIT_FAILED_CHECK unless a condition holds: expect VALUE < VALUE, expect VALUE > VALUE, expect
   VALUE near VALUE TOLERANCE, expect notice WORD. */
bool script_expect(script *s);

#endif
