/* Decimal numbers in text files, the same in every locale. */
#ifndef RN_IO_NUMBER_H
#define RN_IO_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a decimal number that takes up all of the `length` bytes at `text`, rounded to the nearest double: "-.5",
   "2e-3", also "nan", "inf", "1.#INF", and "1.#IND", which gives NaN. Returns false, with *number unchanged, if it is
   something else, or longer than 255 bytes. */
bool rn_number_parse(const char *text, size_t length, double *number);

#endif
