/* Text that the command prints: JSON, written by hand since it is small, and numbers that are easy to read. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>
#include <stdio.h>

/* The ending of a noun after a count: "" or "s". */
static inline const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* A string with quotes. What is not UTF-8 becomes U+FFFD, a byte at a time. */
void print_json_text(FILE *file, const char *text);
/* A number, null if it is not finite. */
void print_json_number(FILE *file, double number);

/* A unit in which volumes of this size (m^3) are easy to read. */
typedef struct volume_unit {
    const char *name;
    double per_m3;
} volume_unit;

volume_unit volume_unit_for(double volume);

#endif
