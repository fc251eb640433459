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

/* Sorts the faces of a shell, which must outlive `c`, into a grid. closed: the shell has no boundary. On failure
   returns RN_MEMORY, with a message; rn_crossings_free is then allowed, and frees what there is. */
rn_result rn_crossings_make(const rn_shell *shell, bool closed, rn_crossings *c);
/* Makes the grid fit the shell again after its points and its box have changed. Returns false, with a message, if
   memory runs out; then nothing has changed. */
bool rn_crossings_refill(rn_crossings *c);
/* Frees the grid and empties `c`, not the shell; does nothing if it is empty (all 0). */
void rn_crossings_free(rn_crossings *c);

/* The average number of faces that a line through a face must test. There must be faces. */
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

/* Begins a walk over the faces on the line through x, y (m); an empty walk outside the box of the shell. */
rn_line rn_line_at(const rn_crossings *c, double x, double y);
/* Finds the next crossing of the line, in no order of height. Returns false if there are no more. */
bool rn_line_next(const rn_crossings *c, rn_line *line, rn_crossing *found);

/* Writes the solid ranges of the line through x, y (m), bottom to top, and returns their number; -1 if there are more
   than `max`, or more than 64 crossings. The lowest begins at -INFINITY if the shell is open below. */
int rn_crossings_spans(const rn_crossings *c, double x, double y, rn_interval *out, int max);
/* Whether a point (m) is solid: its winding number is 1 or more. */
bool rn_crossings_solid(const rn_crossings *c, rn_vec3 at);
/* The vertical distance (m) from a point to the nearest change between solid and open, negative in solid; its size is 2
   RN_SDF_REACH if there is none. */
double rn_crossings_rise(const rn_crossings *c, rn_vec3 at);

#endif
