/* Marks on the picture of a frame: arrows along the flow, and the tiles of the solver that rest. Only where they are,
   in pixels; the window (panel.cpp) and the page (web/site/picture-worker.js) draw them. */
#ifndef VIEW_MARKS_H
#define VIEW_MARKS_H

#include "view/window/pick.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What marks are found from. Nothing is kept. */
typedef struct marks_source {
    const rn_camera *camera;
    const rn_surface_columns *columns;
    const rn_mesh *bodies;     /* arrows behind them are left out */
    const rn_resting *resting; /* of the same columns */
    rn_vec3 low, high;         /* m, corners of the scene */
    double fastest;            /* m/s, the highest speed of the liquid */
    double width, height;      /* of the picture, pixels */
    double apart;              /* pixels between arrows, at least, in the middle of the scene */
} marks_source;

typedef struct marks_arrow {
    float from[2], to[2]; /* pixels */
} marks_arrow;

/* A rectangle of columns at rest whose liquid has one level. */
typedef struct marks_patch {
    float corner[4][2]; /* pixels */
    uint32_t sides;     /* bit i: the line from corner i to the next is a side of the tile */
} marks_patch;

/* A rectangle of the picture that contains a body. */
typedef struct marks_box {
    float low[2], high[2]; /* pixels */
} marks_box;

/* The marks of the last search. All 0 at first. */
typedef struct marks_list {
    marks_arrow *arrows;
    marks_patch *patches;
    marks_box *boxes; /* by the number of the body, while arrows are searched */
    size_t arrow_count, patch_count, box_count;
    size_t arrow_room, patch_room, box_room;
} marks_list;

/* Finds arrows along the flow of the topmost liquid of every few cells; none where the liquid hardly moves or is
   hidden. If memory runs out, the rest is left out. */
void marks_find_arrows(marks_list *m, const marks_source *of);
/* Finds the liquid in the tiles that the solver skips because they rest. If memory runs out, the rest is left out. */
void marks_find_resting(marks_list *m, const marks_source *of);
/* Frees all memory; *m is all 0 then. */
void marks_free(marks_list *m);

#ifdef __cplusplus
}
#endif

#endif
