/* Where vertical lines cross the faces of a shell.

   The faces are sorted into the cells of a grid over x and y. The side of an edge on which a line passes is computed
   from the edge's lower point to its higher one, so that both faces at the edge get the same result. A line that
   meets an edge or a corner counts as moved by (e, e^2) with an infinitesimal e, so that it crosses exactly one of
   the faces that cover such a place. The number of faces above a point that face up, minus those that face down, is
   its winding number if the shell is closed. */
#ifndef RN_TERRAIN_CROSSINGS_H
#define RN_TERRAIN_CROSSINGS_H

#include "terrain/shell.h"

typedef struct rn_crossings {
    const rn_shell *shell;
    uint32_t *first, *faces; /* faces of cell i: from first[i] up to first[i + 1] */
    size_t cell_room, entry_room;
    int nx, ny;
    double per_x, per_y; /* cells per metre */
    bool closed;         /* on every line as many faces face up as down */
} rn_crossings;

/* Sorts the faces of a shell into a grid. closed: the shell has no boundary. */
rn_result rn_crossings_make(const rn_shell *shell, bool closed, rn_crossings *c);
/* Updates the grid after the points and the box of the shell have changed. False without memory: nothing has
   changed. */
bool rn_crossings_refill(rn_crossings *c);
void rn_crossings_free(rn_crossings *c);

/* The average number of faces that a line through a face must test. */
double rn_crossings_load(const rn_crossings *c);

/* A walk over the faces on one line. */
typedef struct rn_line {
    double x, y;
    const uint32_t *next, *end;
} rn_line;

typedef struct rn_crossing {
    double z; /* m */
    int sign; /* 1: the face faces up; -1: down */
    uint32_t face;
} rn_crossing;

/* Begins a walk over the faces on the line through x, y (m). */
rn_line rn_line_at(const rn_crossings *c, double x, double y);
/* The next crossing of the line; false: there are no more. */
bool rn_line_next(const rn_crossings *c, rn_line *line, rn_crossing *found);

/* The solid ranges of a line, bottom to top; -1 if there are more than `max`, or too many crossings to sort. */
int rn_crossings_spans(const rn_crossings *c, double x, double y, rn_interval *out, int max);
/* Whether the winding number at a point is 1 or more. */
bool rn_crossings_solid(const rn_crossings *c, rn_vec3 at);
/* The vertical distance (m) to the nearest change between solid and open, negative in solid. */
double rn_crossings_rise(const rn_crossings *c, rn_vec3 at);

#endif
