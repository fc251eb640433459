/* The same scene over columns and as a 3D liquid, side by side. */
#ifndef COMPARE_H
#define COMPARE_H

#include "output/writer.h"

#include <runnel/runnel.h>

enum { SHALLOW, DEEP, BOTH };

/* What one of the two liquids looks like from above. */
typedef struct outline {
    double low[2], high[2]; /* m, the wet box along x and y */
    double area;            /* m^2, wet */
    double volume;          /* m^3 */
    double deepest;         /* m */
} outline;

/* A frame. */
typedef struct difference {
    double time; /* s */
    outline of[BOTH];
    double height; /* m, root mean square difference of depths where either is wet */
    double front;  /* m, the largest difference of the four sides of the wet boxes */
    double shared; /* area wet in both over area wet in either; 1: the same outline */
} difference;

/* Columns count as wet where they are at least `wet` (m) deep. Both worlds have the same grid. */
difference compare_worlds(rn_world *const worlds[BOTH], double wet);

/* Draws both scenes beside each other. */
typedef struct panels {
    rn_scene *scenes[BOTH];
    rn_skin *skins[BOTH];
    rn_renderer *renderers[BOTH];
    bool has_ground[BOTH];
    rn_scene_view view;
    int width, height; /* of one */
    double pace;       /* s of film that a frame takes */
    uint8_t *pixels;   /* of one */
} panels;

rn_result panels_open(panels *p, int threads);
void panels_close(panels *p);
/* Into a picture of twice the width. */
rn_result panels_draw(panels *p, int frame, uint8_t *picture);

/* What the page is about. */
typedef struct comparison {
    const char *name, *title, *file, *film; /* film: NULL if there is none */
    const char *solvers[BOTH];
    double seconds[BOTH]; /* that steps took */
    const difference *frames;
    int count;
} comparison;

/* index.html in this folder. False after a sentence. */
bool page_write(const char *folder, const comparison *c);

#endif
