/* The adaptive packets solver: square tiles of uniform cells, each tile with its own level (docs/packets.md).
   Private to the solver's own files.

   Every level has arrays over the whole world, and a cell of level l is 2^l columns wide. A tile is simulated at one
   level, and levels of neighbouring tiles differ by at most one. In the arrays of other levels the cells of the tile
   are ghosts, if tiles beside it read them, and otherwise undefined. Level 0 has the arrays of the uniform solver.

   Mass is whole everywhere: a cell of level l holds 4^l times its depth in quanta, less its debt, plus its rest. The
   debt is the sum of its columns' ground minus 4^l times its own ground, which is rounded down; the rest is the
   remainder below one quantum of its depth. A level lake is therefore level at every level, with rests of 0. */
#ifndef RN_SOLVER_PACKETS_TILING_H
#define RN_SOLVER_PACKETS_TILING_H

#include "solver/packets_self.h"

enum {
    RN_TILE = RN_PACKETS_TILE, /* columns along the side of a tile */
    RN_IDLE = RN_TILE_IDLE,    /* also of level 0 */
};

#define RN_NEAR 0.49 /* cells, most that packets of tiles travel */

/* The arrays of a level above 0, over its slots: X(type, name). */
#define RN_LEVEL_ARRAYS(X)                                                                                             \
    X(float, ground)                                                                                                   \
    X(float, h)                                                                                                        \
    X(float, u)                                                                                                        \
    X(float, v)                                                                                                        \
    X(float, h1)                                                                                                       \
    X(float, u1)                                                                                                       \
    X(float, v1)                                                                                                       \
    X(float, kappa)                                                                                                    \
    X(float, manning)                                                                                                  \
    X(float, chezy)                                                                                                    \
    X(float, extremes) /* m, how far columns of a cell rise above its ground; RN_NO_COLUMN: a hole or wall */          \
    X(int32_t, debt)   /* quanta of a column, see above */                                                             \
    X(int32_t, rest)   /* quanta of a column */                                                                        \
    X(uint8_t, seen)   /* all 0 except while ghosts are listed */                                                      \
    X(uint8_t, plain)  /* as in the uniform solver */

typedef struct rn_packet_range {
    int from, to; /* cells of a row; `to` is one past the last */
} rn_packet_range;

/* A cell beside tiles of the next finer level. */
typedef struct rn_packet_connection {
    int x, y;
    int32_t slot, child;       /* its slot, and that of its first quarter in the next finer level */
    uint32_t finer;            /* a bit for each of the cells around it that lies in a finer tile */
    uint32_t quarter_finer[4]; /* a bit for each of the fine cells around its quarters that does */
    float more[3];             /* transfers of this level that are undone: m, and momentum as in the sums */
} rn_packet_connection;

/* A ghost of a coarse cell in a finer tile, seen by a cell through a side; or a corner that no cell sees through a
   side. */
typedef struct rn_packet_ghost {
    int32_t home, slot;    /* where it is written, and where its ground is: these differ across periodic edges */
    int32_t cell;          /* the cell that sees it */
    int32_t fine[4];       /* slots of the fine cells whose mean counts: two, twice, or four */
    bool corner, is_again; /* a corner; another cell has seen it before */
} rn_packet_ghost;

typedef struct rn_packet_level {
#define RN_LEVEL_FIELD(type, name) type *name;
    RN_LEVEL_ARRAYS(RN_LEVEL_FIELD)
#undef RN_LEVEL_FIELD
    rn_columns columns; /* for a level above 0: only its grid and friction */
    rn_grid grid;
    rn_packet_params params;
    int64_t share;           /* columns per cell */
    int room;                /* most ranges of a row */
    rn_packet_range *inside; /* for each row from -1 to ny: simulated cells */
    rn_packet_range *sends;  /* cells that send */
    rn_packet_range *silent; /* ghosts in finer tiles, which do not send */
    int *inside_count, *sends_count, *silent_count;
    rn_packet_connection *connections; /* in order of rows */
    int *first_connection;             /* index of the first connection of row y; ny + 1 entries */
    rn_packet_ghost *ghosts;           /* those at sides first */
    int ghost_count;
} rn_packet_level;

typedef struct rn_packet_tiles {
    int levels;       /* number of levels above 0 */
    float tolerance;  /* m */
    double fine[4];   /* columns, rectangle x0 y0 x1 y1 in which tiles are always fine */
    int nx, ny;       /* tiles */
    uint8_t *level;   /* of each tile; or RN_IDLE */
    uint8_t *want;    /* the level that it will have */
    uint8_t *touched; /* its columns were changed from outside */
    uint8_t *most;    /* the highest level that its size and ground allow */
    float *bend;      /* m, of each tile: largest bend of its cells */
    uint8_t *shore;   /* 1: some column of it is dry or nearly so, 2: all are dry */
    rn_packet_level at[RN_PACKETS_LEVELS + 1];
    rn_packet_range *row; /* room for the ranges of a row */
    int64_t active;       /* cells that are simulated */
    bool dirty;           /* levels must be chosen again */
    bool stale;           /* columns of coarse tiles are out of date */
} rn_packet_tiles;

/* The number of the tile at (tx, ty), at most one tile beyond an edge; across periodic edges the one at the other end,
   beyond other edges -1. */
static inline int rn_tile_number(const rn_packets *solver, int tx, int ty) {
    const rn_packet_tiles *t = solver->tiles;
    const rn_columns *c = &solver->columns;
    if (tx < 0 || tx >= t->nx) {
        if (!c->periodic_x) return -1;
        tx = tx < 0 ? tx + t->nx : tx - t->nx;
    }
    if (ty < 0 || ty >= t->ny) {
        if (!c->periodic_y) return -1;
        ty = ty < 0 ? ty + t->ny : ty - t->ny;
    }
    return ty * t->nx + tx;
}

/* The level of a tile; idle tiles have level 0. */
static inline int rn_tile_level(const rn_packet_tiles *t, int number) {
    return t->level[number] == RN_IDLE ? 0 : t->level[number];
}

/* The cells of a tile at a level: from (x0, y0) to before (x1, y1). */
typedef struct rn_tile_cells {
    int x0, y0, x1, y1;
} rn_tile_cells;

/* The cells of a tile at a level, cut off at the edges of the world. */
static inline rn_tile_cells rn_tile_extent(const rn_packets *solver, int number, int level) {
    const int tx = number % solver->tiles->nx, ty = number / solver->tiles->nx;
    const int nx = solver->columns.grid.nx, ny = solver->columns.grid.ny;
    const int x1 = (tx + 1) * RN_TILE < nx ? (tx + 1) * RN_TILE : nx,
              y1 = (ty + 1) * RN_TILE < ny ? (ty + 1) * RN_TILE : ny;
    return (rn_tile_cells){tx * RN_TILE >> level, ty * RN_TILE >> level, x1 >> level, y1 >> level};
}

/* ---- Creation and choice of levels (solver/packets_tiles.c) ------------------------------------------------------ */

/* Creates the levels of the definition; all tiles are fine at first, and the ground is left to rn_tiles_survey. Does
   nothing, and solver->tiles stays NULL, if the definition has no levels. Returns RN_MEMORY, with a message, if memory
   runs out; the caller calls rn_tiles_destroy. */
rn_result rn_tiles_create(rn_packets *solver, const rn_solver_def *def);
/* Frees the tiles and sets solver->tiles to NULL; does nothing if there are none. */
void rn_tiles_destroy(rn_packets *solver);
size_t rn_tiles_bytes(const rn_packets *solver); /* memory held */
/* After columns have changed: finds the ground of all levels and the highest level of each tile, averages friction, and
   makes the lists again. All tiles must be fine (rn_tiles_flatten). Levels are chosen again in the next substep. */
void rn_tiles_survey(rn_packets *solver);
/* After friction has changed: averages it over the cells of all levels. */
void rn_tiles_roughen(rn_packets *solver);
/* Changes the levels of all tiles by at most one: finer where their fields bend, coarser where they do not; dry tiles
   among dry ones become idle. `all_fine`: one level finer everywhere, down to 0, and none becomes idle. Needs filled
   ghost cells; makes the lists again. */
void rn_tiles_choose(rn_packets *solver, bool all_fine);
/* Creates the lists of rows, connections and ghosts, after levels have changed, and counts the active cells. */
void rn_tiles_list(rn_packets *solver);
/* Whether these levels of all tiles are valid: neighbours differ by at most one, and no tile is above its highest
   level. */
bool rn_tiles_fit(const rn_packets *solver, const uint8_t *level);

/* ---- From level to level (solver/packets_levels.c) --------------------------------------------------------------- */

/* Fills the depths and velocities of all ghost cells of all levels, and copies across periodic edges. */
void rn_tiles_fill(rn_packets *solver);
/* Fills the depths alone of all ghost cells of all levels, and copies across periodic edges: current ones (h), or with
   `midway` those in the middle of a substep (h1). Ghosts get their depths from interpolated surfaces, not from
   depths. */
void rn_tiles_fill_depths(rn_packets *solver, bool midway);
/* Writes a tile's liquid to the cells of the next finer level; the caller then changes the level. Needs filled ghost
   cells. */
void rn_tile_refine(rn_packets *solver, int number);
/* Writes a tile's liquid to the cells of the next coarser level; the caller then changes the level. */
void rn_tile_coarsen(rn_packets *solver, int number);
/* Corrects coarse cells at connections, in the middle of a substep, by the transfers of their finer neighbours. */
void rn_tiles_settle(rn_packets *solver);

/* ---- Columns (solver/packets_shown.c) ---------------------------------------------------------------------------- */

/* Updates the depths of all columns of coarse tiles, in whole quanta. Does nothing if they are up to date. */
void rn_tiles_show(rn_packets *solver);
/* Gives every column of a coarse tile the velocity of its cell. */
void rn_tiles_show_speeds(rn_packets *solver);
/* Marks the tile of a column, or all tiles of a row of columns, as changed from outside. */
void rn_tiles_touch(rn_packets *solver, const rn_disturbance *what);
/* Gives the coarse cells of all marked tiles the liquid of their columns, clears `gained` of these columns, and clears
   the marks. If an idle tile was marked, levels are chosen again in the next substep. */
void rn_tiles_absorb(rn_packets *solver);
/* Makes all tiles fine, with the columns as shown: depths and velocities. Levels are chosen again in the next
   substep. */
void rn_tiles_flatten(rn_packets *solver);
/* Finds where the liquid of a column is simulated: returns the level, and sets *at to the slot there. Columns beyond
   edges are of level 0. */
const rn_packet_level *rn_tiles_find(const rn_packets *solver, int32_t slot, int32_t *at);
/* Measures, writes, checks or reads the levels of tiles; sets a->broken if the state has another number of levels.
   After reading, coarse cells get the liquid and velocity of their columns; invalid levels make all tiles fine. */
void rn_tiles_archive(rn_packets *solver, rn_archive *a);

/* ---- A substep (solver/packets_tiled.c) -------------------------------------------------------------------------- */

/* Takes one substep of `dt` (s) on all levels, and runs sources. Columns of coarse tiles are out of date afterwards
   (rn_tiles_show), unless there are sources or gauges. */
void rn_tiles_substep(rn_packets *solver, double dt, const rn_forcing *forcing);

#endif
