/* Columns as they would be without bodies, for drawing: bodies leave no dents in the surface (Kellomaki 2014, 3.6 and
   Fig. 6). */
#ifndef RN_WORLD_DRAWN_H
#define RN_WORLD_DRAWN_H

#include "solver/columns.h"
#include <runnel/surface.h>

typedef struct rn_drawn_column {
    float base, ceil, level; /* m above the datum; dry if the level equals the base */
    float flux_x, flux_y;    /* m^3/s */
} rn_drawn_column;

/* The input for drawing a cell. */
typedef struct rn_drawn_cell {
    const rn_column_range *open; /* its open ranges without bodies, */
    int open_count;
    const rn_drawn_column *columns; /* its columns with bodies, both bottom to top */
    int count;
    const float *effective; /* m above the datum, of each open range: the level without bodies; NAN: dry */
    float film;             /* m: a thinner layer of air below a body counts as none */
    float shallow;          /* m: liquid on top of a body is drawn only if it is deeper than this, */
    float puddle;           /* m: or than this, if the top of the body is higher than all liquid around it */
    float highest;          /* m above the datum: highest level of the liquid around it */
    float wall;             /* m: how far above the liquid the solid is drawn that keeps it out of a dry hold */
} rn_drawn_cell;

/* Joins the columns of a cell that bodies separate, into at most open_count + count columns, bottom to top; returns
   their number. Not joined are columns below a body with air between the liquid and the body, and liquid on top of an
   emerging body; the latter is dropped if shallow. */
int rn_drawn_join(const rn_drawn_cell *cell, rn_drawn_column *drawn);

typedef struct rn_drawn_row {
    int first, end; /* cells whose base or ceiling has changed */
} rn_drawn_row;

/* The liquid around a body, as continued to its cells; NAN: dry. */
typedef struct rn_drawn_around {
    float level, highest; /* m above the datum: mean, and highest */
} rn_drawn_around;

/* The arrays from which the surface is drawn. */
typedef struct rn_drawn {
    rn_surface_columns columns; /* valid as long as the views of the world */
    float *values;              /* NULL: the columns are those of the world */
    uint8_t *near;              /* per cell: a blocking body may be there */
    rn_drawn_around *around;    /* per cell near bodies */
    int32_t *under;             /* cells where bodies hold the surface down, */
    rn_drawn_around *news;      /* and their new values */
    rn_drawn_row *rows;
    int layers; /* capacity */
} rn_drawn;

/* Updates drawn->columns, the columns to draw; `drawn` begins as all 0. *changed: the cells where columns begin or end
   elsewhere than in the last call; none if x1 <= x0. While no body blocks, the columns are those of the world, nothing
   is copied, and *changed does not tell where the ground has changed. When bodies begin or stop blocking, all cells
   count as changed. On failure there is a message: if a backend cannot copy its columns, neither `drawn` nor *changed
   is touched; with RN_MEMORY there are no columns. */
rn_result rn_drawn_update(rn_drawn *drawn, const rn_world *world, const rn_hooks *hooks, rn_surface_area *changed);
/* Frees the arrays and sets everything to 0, also drawn->columns; does not free `drawn` itself. */
void rn_drawn_free(rn_drawn *drawn, const rn_hooks *hooks);

#endif
