/* Small pieces of text that commands print: JSON strings and numbers, plural endings, and units in which volumes are
   easy to read. */
#ifndef TEXT_H
#define TEXT_H

#include <stdint.h>
#include <stdio.h>

/* Returns the ending of a noun after a count: "" or "s". */
static inline const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

/* Prints a JSON string with quotes and escapes. Each byte that is not part of valid UTF-8 becomes U+FFFD. `text` must
   not be NULL. */
void print_json_text(FILE *file, const char *text);
/* Prints a JSON number with 17 digits, which reads back exactly, or null if it is not finite. */
void print_json_number(FILE *file, double number);

/* A unit of volume. */
typedef struct volume_unit {
    const char *name;
    double per_m3; /* units in a cubic metre */
} volume_unit;

/* Returns the unit in which a volume (m³) is easy to read: m³ from 1 m³ on, l from 1 l on, else ml (also for 0 and
   negative volumes). */
volume_unit volume_unit_for(double volume);

#endif
