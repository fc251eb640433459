/* Meshes of a run, for other tools: surface-0001.ply …, and terrain-0000.ply whenever it has changed. */
#ifndef EXPORT_H
#define EXPORT_H

#include <runnel/runnel.h>

typedef struct exporter {
    const char *ending; /* "ply" or "obj"; NULL: nothing is exported */
    rn_skin *skin;
    int surfaces, terrains; /* files written */
} exporter;

/* Whether this is a kind of file that can be written; a sentence if not. */
bool export_knows(const char *ending);
/* False after a sentence. */
bool export_open(exporter *e, const char *ending, rn_scene *scene, int threads);
void export_close(exporter *e);
/* The surface after a frame, and before it the terrain if it has changed since the last one written. */
bool export_frame(exporter *e, const char *folder, int frame);
/* The number of surface-0012.ply or terrain-0012.obj, -1 if it is neither. */
int export_number(const char *name);

#endif
