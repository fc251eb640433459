/* The comparisons that papers show, as pictures and charts that anyone can make again. */
#ifndef FIGURES_H
#define FIGURES_H

#include <runnel/runnel.h>
#include <stdio.h>

enum { MOST_PANELS = 4, MOST_CHANGES = 8 };

/* One picture of a row. What is not set is as in the scene and in `runnel run`. */
typedef struct figure_panel {
    const char *label;             /* what it shows, in a few words */
    int frame;                     /* that it is drawn after */
    const char *set[MOST_CHANGES]; /* changes of its own to the scene, after the figure's; a panel without any goes on
                                      where the one before it stopped */
    rn_orbit orbit;                /* zoom 0: the figure's */
    bool raw_boundaries;           /* of rn_surface_def */
    bool no_least_heights;         /* of rn_skin_def */
    bool no_meniscus;              /* none at all */
    bool no_cap;                   /* of rn_look */
    bool displaced;                /* Borgeat et al.: the ground's own mesh, lifted */
    rn_overlay overlay;
} figure_panel;

/* A chart of what was measured, as SVG. */
typedef rn_result (*figure_chart)(FILE *file, bool quick);

typedef struct figure {
    const char *name;   /* of --only and of its file */
    const char *number; /* in Dagenais et al. 2018, or in the paper that it names */
    const char *title, *look;
    double seconds;                /* that it took on a small machine, for the ETA */
    figure_chart chart;            /* instead of all below */
    const char *scene;             /* that the panels are made of */
    const char *set[MOST_CHANGES]; /* changes to it */
    double aspect;                 /* of a panel: its width through its height */
    rn_orbit orbit;
    double spacing; /* m, of the ground's mesh; 0: a cell */
    int panel_count;
    figure_panel panels[MOST_PANELS];
} figure;

extern const figure figures[];
extern const int figure_count;

/* The parts of a panel that a row shares, while it is being drawn. */
typedef struct figure_row {
    const figure *of;
    int width;             /* pixels, of the whole row */
    int threads;           /* 0: one per core */
    bool quick;            /* a sixth of the frames */
    bool (*stopped)(void); /* whether to give up */
} figure_row;

/* Writes the panels of a figure, side by side, as a PNG. RN_INTERRUPTED leaves nothing behind. */
rn_result figure_draw(const figure_row *row, const char *path);

/* Liquid as Borgeat et al. 2011 draw it: the triangles of the ground, every vertex lifted to the surface of the liquid
   in the nearest column. Free it with displaced_free. */
rn_result displaced_build(const rn_mesh *ground, const rn_surface_columns *columns, double full_depth, rn_mesh *mesh);
void displaced_free(rn_mesh *mesh);

rn_result chart_coefficient(FILE *file, bool quick);
rn_result chart_stable_step(FILE *file, bool quick);
rn_result chart_frame_time(FILE *file, bool quick);
rn_result chart_adaptive(FILE *file, bool quick);
rn_result chart_reflections(FILE *file, bool quick);
rn_result chart_checkerboard(FILE *file, bool quick);
rn_result chart_updates(FILE *file, bool quick);
rn_result chart_choppy(FILE *file, bool quick);

#endif
