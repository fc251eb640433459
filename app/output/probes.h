/* probes.csv: what the probes of a scene measure, one row per frame. Both functions return false after printing an
   error. */
#ifndef PROBES_H
#define PROBES_H

#include "output/rows.h"

#include <runnel/runnel.h>

/* Writes the first row of the table: the titles of frame, time and of the columns of `count` probes, four for a point,
   three for a section. */
bool probes_header(rows *to, const rn_probe *list, int count);
/* Measures all probes in the current state of the world and writes a row for frame number `frame`. A point without a
   column leaves its fields empty. */
bool probes_row(rows *to, const rn_probe *list, int count, int frame, const rn_world *world);

#endif
