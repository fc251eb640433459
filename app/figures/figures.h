/* What the files of `runnel figures` share: the figures of papers as pictures and charts that anyone can reproduce.
   table.c has all figures. A figure is either panels, drawn by figure_draw() (draw.c), or a chart, drawn by one of the
   chart_ functions (charts.c, choppy.c, packets.c). */
#ifndef FIGURES_H
#define FIGURES_H

#include <runnel/runnel.h>
#include <stdio.h>

enum { MOST_PANELS = 4, MOST_CHANGES = 8 };

/* One picture of a row. Fields that are not set have the values of the scene and of `runnel run`. */
typedef struct figure_panel {
    const char *label;             /* what it shows, in a few words */
    int frame;                     /* after which it is drawn */
    const char *set[MOST_CHANGES]; /* further changes to the scene, after those of the figure; a panel without any
                                      continues where the previous panel stopped */
    rn_orbit orbit;                /* zoom 0: the figure's */
    bool raw_boundaries;           /* of rn_surface_def */
    bool no_least_heights;         /* of rn_skin_def */
    bool no_meniscus;              /* none at all */
    bool no_cap;                   /* of rn_look */
    bool displaced;                /* drawn as by Borgeat et al., with displaced_build() */
    rn_overlay overlay;
} figure_panel;

/* Draws a chart as SVG. `quick`: with fewer measurements. On failure rn_last_error() says why, and the file may be
   incomplete. */
typedef rn_result (*figure_chart)(FILE *file, bool quick);

typedef struct figure {
    const char *name;              /* for --only, and of its file */
    const char *number;            /* in Dagenais et al. 2018, unless it names another paper */
    const char *title, *look;      /* look: the text below the figure */
    double seconds;                /* duration on a small machine, for the ETA */
    figure_chart chart;            /* NULL: the figure has panels, as set below */
    const char *scene;             /* name of the scene of all panels */
    const char *set[MOST_CHANGES]; /* changes to the scene */
    double aspect;                 /* width of a panel divided by its height */
    rn_orbit orbit;
    double spacing; /* m, of the ground's mesh; 0: a cell */
    int panel_count;
    figure_panel panels[MOST_PANELS];
} figure;

extern const figure figures[];
extern const int figure_count;

/* How figure_draw() draws a row of panels. */
typedef struct figure_row {
    const figure *of;
    int width;             /* pixels, of the whole row */
    int threads;           /* 0: one per core */
    bool quick;            /* run only a sixth of the frames */
    bool (*stopped)(void); /* returns true if drawing should be given up */
} figure_row;

/* Writes the panels of a figure, which must have some, side by side, as a PNG. Leaves no file if it returns
   RN_INTERRUPTED or another failure before writing; rn_last_error() says why. */
rn_result figure_draw(const figure_row *row, const char *path);

/* Builds the liquid as Borgeat et al. 2011 draw it: the triangles of the ground, with every vertex lifted to the
   surface of the liquid in the nearest column where that is higher; triangles with a dry corner are left out.
   `full_depth` (m): where liquid is opaque. Free the mesh with displaced_free(). Returns RN_MEMORY, with a message, if
   memory runs out; then the mesh is empty. */
rn_result displaced_build(const rn_mesh *ground, const rn_surface_columns *columns, double full_depth, rn_mesh *mesh);
/* Frees the arrays of the mesh and zeroes it. An empty mesh is fine. */
void displaced_free(rn_mesh *mesh);

/* The charts, of type figure_chart: each runs what it shows and writes one SVG; the caller closes the file. On failure
   rn_last_error() says why. */
rn_result chart_coefficient(FILE *file, bool quick);
rn_result chart_stable_step(FILE *file, bool quick);
rn_result chart_frame_time(FILE *file, bool quick);
rn_result chart_adaptive(FILE *file, bool quick);
rn_result chart_reflections(FILE *file, bool quick);
rn_result chart_checkerboard(FILE *file, bool quick);
rn_result chart_updates(FILE *file, bool quick);
rn_result chart_choppy(FILE *file, bool quick);

#endif
