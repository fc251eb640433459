/* probes.csv: what the probes of a scene measure, one row per frame. Both functions return false after printing an
   error. */
#ifndef PROBES_H
#define PROBES_H

#include "output/rows.h"

#include <runnel/runnel.h>

bool probes_header(rows *to, const rn_probe *list, int count);
bool probes_row(rows *to, const rn_probe *list, int count, int frame, const rn_world *world);

#endif
