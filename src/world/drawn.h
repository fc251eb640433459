/* Columns as they would be without bodies, for drawing: bodies leave no dents in the surface (Kellomaki 2014, 3.6 and
   Fig. 6). */
#ifndef RN_WORLD_DRAWN_H
#define RN_WORLD_DRAWN_H

#include "solver/columns.h"
#include <runnel/surface.h>

typedef struct rn_drawn_column {
    float base, ceil, level; /* m above the datum; dry: the level is the base */
    float flux_x, flux_y;    /* m^3/s */
} rn_drawn_column;

/* What a cell is asked. */
typedef struct rn_drawn_cell {
    const rn_column_range *open; /* its open ranges without bodies, */
    int open_count;
    const rn_drawn_column *columns; /* and its columns with them, both bottom to top */
    int count;
    const float *effective; /* m above the datum, of each open range: the level without bodies; NAN: it is dry */
    float film;             /* m: air below a body that is thinner than this is none */
    float shallow;          /* m: liquid on top of a body is not drawn unless it is deeper, */
    float puddle;           /* m: or than this if none of the liquid around the body is as high as its top, */
    float highest;          /* m above the datum: which is as high as this */
    float wall;             /* m: how far above the liquid solid is drawn that keeps it out of a dry hold */
} rn_drawn_cell;

/* Joins the columns that bodies part, into at most open_count + count; returns their number. Those below a body with
   air between it and the liquid are drawn as they are, and so is liquid on top of a body that stands out of the liquid
   around it, unless it is shallow. */
int rn_drawn_join(const rn_drawn_cell *cell, rn_drawn_column *drawn);

typedef struct rn_drawn_row {
    int first, end; /* cells whose base or ceiling is another than before */
} rn_drawn_row;

/* The liquid around a body, as its cells are told of it; NAN: it is dry. */
typedef struct rn_drawn_around {
    float level, highest; /* m above the datum: its mean, and the highest there is */
} rn_drawn_around;

/* The arrays that are drawn from. */
typedef struct rn_drawn {
    rn_surface_columns columns; /* valid as long as the views of the world */
    float *values;              /* NULL: the columns are those of the world */
    uint8_t *near;              /* per cell: a body that blocks may be there */
    rn_drawn_around *around;    /* per cell near bodies */
    int32_t *under;             /* cells where bodies keep the surface down, */
    rn_drawn_around *news;      /* and what they come to have */
    rn_drawn_row *rows;
    int layers; /* that there is room for */
} rn_drawn;

/* *changed: the cells whose columns begin or end elsewhere than before; none if x1 <= x0. As long as no body blocks the
   columns are those of the world, and nothing is done. */
rn_result rn_drawn_update(rn_drawn *drawn, const rn_world *world, const rn_hooks *hooks, rn_surface_area *changed);
void rn_drawn_free(rn_drawn *drawn, const rn_hooks *hooks);

#endif
