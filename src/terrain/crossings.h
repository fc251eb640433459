/* Where vertical lines pass the faces of a shell.

   The faces are sorted into the cells of a grid over x and y. Which side of an edge a line passes is worked out from
   the edge's lesser point to its greater one, so that both faces at the edge see the same number, and a line that meets
   an edge or a corner is taken as if it were moved by (e, e^2) with e as small as one likes: every line passes through
   exactly one of the faces around such a place that cover it. The number of faces that look up above a point, less
   those that look down, is its winding number if the shell is closed. */
#ifndef RN_TERRAIN_CROSSINGS_H
#define RN_TERRAIN_CROSSINGS_H

#include "terrain/shell.h"

typedef struct rn_crossings {
    const rn_shell *shell;
    uint32_t *first, *faces; /* faces of cell i: from first[i] up to first[i + 1] */
    size_t cell_room, entry_room;
    int nx, ny;
    double per_x, per_y; /* cells per metre */
    bool closed;         /* as many faces look up as down on every line */
} rn_crossings;

rn_result rn_crossings_make(const rn_shell *shell, bool closed, rn_crossings *c);
/* After the points and the box of the shell have changed. False if memory ran out: as if they had not. */
bool rn_crossings_refill(rn_crossings *c);
void rn_crossings_free(rn_crossings *c);

/* How many faces a line through a face has to look at, on average. */
double rn_crossings_load(const rn_crossings *c);

/* A walk over the faces on one line. */
typedef struct rn_line {
    double x, y;
    const uint32_t *next, *end;
} rn_line;

typedef struct rn_crossing {
    double z; /* m */
    int sign; /* 1: the face looks up */
    uint32_t face;
} rn_crossing;

rn_line rn_line_at(const rn_crossings *c, double x, double y);
bool rn_line_next(const rn_crossings *c, rn_line *line, rn_crossing *found);

/* The solid stretches of a line, bottom to top; -1 if there are more than `max`, or too many crossings to sort. */
int rn_crossings_spans(const rn_crossings *c, double x, double y, rn_interval *out, int max);
/* True where the winding number is 1 or more. */
bool rn_crossings_solid(const rn_crossings *c, rn_vec3 at);
/* The way up or down to where that changes (m), negative in solid. */
double rn_crossings_rise(const rn_crossings *c, rn_vec3 at);

#endif
