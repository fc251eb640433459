/* probes.csv: what a scene's probes measure, one row a frame. */
#ifndef PROBES_H
#define PROBES_H

#include <runnel/runnel.h>
#include <stdio.h>

typedef struct probes {
    const rn_probe *list; /* not owned */
    int count;
    FILE *file;
    char *buffer; /* room for the longest row, so that readers see whole ones only */
} probes;

/* With the header. False if it could not be made; errno says why. */
bool probes_open(probes *probes, const char *path, const rn_probe *list, int count);
bool probes_row(probes *probes, int frame, const rn_world *world);
void probes_close(probes *probes);

#endif
