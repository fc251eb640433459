/* What the files of `runnel compare` share. The same scene runs twice, over columns (SHALLOW) and as a 3D liquid
   (DEEP): compare_worlds() measures a frame (measure.c), panels_draw() draws both side by side (panels.c), page_write()
   writes the result (page.c). command.c calls them in this order. */
#ifndef COMPARE_H
#define COMPARE_H

#include "output/writer.h"

#include <runnel/runnel.h>

enum { SHALLOW, DEEP, BOTH };

/* One of the two liquids, seen from above. */
typedef struct outline {
    double low[2], high[2]; /* m, bounds of the wet area along x and y */
    double area;            /* m^2, of the wet area */
    double volume;          /* m^3 */
    double deepest;         /* m, the greatest depth */
} outline;

/* How the two liquids differ in one frame. */
typedef struct difference {
    double time; /* s */
    outline of[BOTH];
    double height; /* m, root mean square difference of depths where either is wet */
    double front;  /* m, the largest difference between the four sides of the wet bounds */
    double shared; /* area wet in both, divided by area wet in either; 1: the same outline */
} difference;

/* Compares the current states. Columns of at least `wet` (m) depth, all layers together, count as wet. Both worlds must
   have the same grid, which is not checked. The time is that of the 3D liquid; if either liquid is nowhere wet, `front`
   is 0; if both are nowhere wet, `shared` is 1. Volume and greatest depth count all cells. */
difference compare_worlds(rn_world *const worlds[BOTH], double wet);

/* Draws both scenes side by side. The caller sets scenes, view, width, height and pace before panels_open(). */
typedef struct panels {
    rn_scene *scenes[BOTH];
    rn_skin *skins[BOTH];
    rn_renderer *renderers[BOTH];
    bool has_ground[BOTH];
    rn_scene_view view;
    int width, height; /* of one panel, in pixels */
    double pace;       /* s of film for each simulated frame */
    uint8_t *pixels;   /* RGB, of one panel */
} panels;

/* Creates the renderers and skins of both scenes, with the surfaces built by `threads` threads (0: one per core). On
   failure rn_last_error() says why, and panels_close() must be called all the same. */
rn_result panels_open(panels *p, int threads);
/* Frees everything but the scenes, and zeroes `p`. Also for panels that were never opened or only in part. */
void panels_close(panels *p);
/* Draws the current states into an RGB picture of twice the width, top row first, SHALLOW on the left. `frame`: its
   number times the pace is the time of the camera. On failure the picture is incomplete, and rn_last_error() says
   why. */
rn_result panels_draw(panels *p, int frame, uint8_t *picture);

/* The contents of the page. */
typedef struct comparison {
    const char *name, *title, *file, *film; /* film: NULL if there is none */
    const char *solvers[BOTH];
    double seconds[BOTH]; /* wall time of all steps */
    const difference *frames;
    int count;
} comparison;

/* Writes index.html into the folder, which exists. `c` has at least one frame. Returns false after printing an
   error. */
bool page_write(const char *folder, const comparison *c);

#endif
