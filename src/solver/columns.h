/* The columns of a world, shared by all solvers that work on columns.

   Columns live in dense layers of padded rows, layer 0 the lowest column of each cell. A rim of one cell or more
   lies around every layer: guards at walls, sinks at open edges, copies at periodic ones. A slot without a column is
   a guard: depth 0, and a base too high for liquid to enter. */
#ifndef RN_SOLVER_COLUMNS_H
#define RN_SOLVER_COLUMNS_H

#include "kernels/partial.h"
#include "kernels/pipe.h"
#include <runnel/world.h>

#include <math.h>

/* The list of arrays: allocation, growth, saving, hashing and freeing all follow it.

   X(type, name, extent, role). Extent SLOTS: always present. ROUGH: only if some region has its own friction. LAWS:
   only if Manning's or Chezy's friction differs between regions. ANGLES: only if contact angles do. PARTS: only if
   columns may be solid in a part of their area. Role STATE: liquid, which changes with time. SHAPE: solid. SETTLING:
   saved like the others, but not hashed. Arrays are saved in this order, SLOTS before PARTS; kappa and the arrays after
   it follow the values of solvers. */
#define RN_COLUMN_ARRAYS(X)                                                                                            \
    X(float, base, SLOTS, SHAPE)              /* m above the datum */                                                  \
    X(float, ceil, SLOTS, SHAPE)              /* m above the datum */                                                  \
    X(float, depth, SLOTS, STATE)             /* m */                                                                  \
    X(float, flux_x, SLOTS, STATE)            /* m^3/s to the column at +x */                                          \
    X(float, flux_y, SLOTS, STATE)            /* m^3/s to the column at +y */                                          \
    X(float, solid_low, PARTS, SHAPE)         /* m above the datum: from this height */                                \
    X(float, solid_high, PARTS, SHAPE)        /* up to this one, a share of the column's area is solid, */             \
    X(float, solid_depth, PARTS, SHAPE)       /* which takes this much of its depth (m, whole quanta); 0: all open */  \
    X(float, pre_move_level, PARTS, SETTLING) /* m above its base: the level before solid moved; 0: same as now */     \
    X(float, kappa, ROUGH, SHAPE)             /* 1/s, friction of the ground; NULL: the same everywhere */             \
    X(float, manning, LAWS, SHAPE)            /* m^(1/3), g n^2 of the ground; NULL: the same everywhere */            \
    X(float, chezy, LAWS, SHAPE)              /* 1, g/C^2 of the ground; NULL: the same everywhere */                  \
    X(float, advancing, ANGLES, SHAPE)        /* 1 - cos of the advancing contact angle; NULL: the same everywhere */  \
    X(float, receding, ANGLES, SHAPE)         /* and of the receding one */

/* The largest number of columns in one cell. */
enum { RN_MOST_LAYERS = 64 };

#define RN_NEW -1.0f /* value of pre_move_level and of pipes: not known yet */

/* The layout of slots. */
typedef struct rn_grid {
    int nx, ny, layers;
    int32_t stride, layer_stride; /* slots from row to row and layer to layer */
    int32_t first;                /* slot of layer 0, x = 0, y = 0 */
    int rim;                      /* rows before the first and after the last, and slots at each end of a row */
    int32_t slots;
} rn_grid;

enum { RN_PAD = 8 }; /* slots before a row, a multiple of every vector width; also pad the row before it */
enum { RN_RIM = 4 }; /* the widest rim: as far as a momentum-carrying substep reads */

/* The number of slots of such a grid, including padding and rim; may exceed what a slot number can hold. */
static inline int64_t rn_slots_of(int nx, int ny, int layers, int rim) {
    const int64_t stride = ((int64_t)nx + 2 + 2 * RN_PAD - 1) / RN_PAD * RN_PAD;
    return stride * (ny + 2 * rim) * layers + RN_PAD;
}

/* The grid of these cells; it has 0 slots if there would be more than INT32_MAX. */
static inline rn_grid rn_grid_of(int nx, int ny, int layers, int rim) {
    const int64_t slots = rn_slots_of(nx, ny, layers, rim);
    rn_grid grid = {.nx = nx, .ny = ny, .layers = layers, .rim = rim};
    if (slots > INT32_MAX) return grid;
    grid.slots = (int32_t)slots;
    grid.layer_stride = (grid.slots - RN_PAD) / layers;
    grid.stride = grid.layer_stride / (ny + 2 * rim);
    grid.first = rim * grid.stride + RN_PAD;
    return grid;
}

/* The slot of a column; x and y may lie in the rim. The arguments are not checked. */
static inline int32_t rn_slot(const rn_grid *grid, int layer, int y, int x) {
    return grid->first + layer * grid->layer_stride + y * grid->stride + x;
}

/* The position of a slot; in the rim x and y are below 0, or nx, ny and above. */
typedef struct rn_spot {
    int layer, y, x;
} rn_spot;

/* The layer, row and x of a slot; in the rim x and y are outside 0..nx - 1, 0..ny - 1. The reverse of rn_slot. */
static inline rn_spot rn_slot_place(const rn_grid *grid, int32_t slot) {
    const int32_t within = slot % grid->layer_stride;
    return (rn_spot){slot / grid->layer_stride, within / grid->stride - grid->first / grid->stride,
                     within % grid->stride - grid->first % grid->stride};
}

typedef struct rn_columns {
#define RN_COLUMNS_FIELD(type, name, extent, role) type *name;
    RN_COLUMN_ARRAYS(RN_COLUMNS_FIELD)
#undef RN_COLUMNS_FIELD
    float *gained; /* m that sources have added to columns in this substep, for solvers that want it; otherwise NULL */
    rn_grid grid;
    rn_edge edges[4];
    float drop[2], cell, lid; /* m, in whole quanta; the lid above the datum */
    float quantum;            /* m */
    float width;              /* m, exact side of a cell, not in whole quanta */
    bool periodic_x, periodic_y;
    bool rough;     /* some region has its own friction */
    bool laws;      /* Manning's or Chezy's friction differs between regions */
    bool angles;    /* some region has its own contact angles */
    bool partial;   /* some columns may be solid in a part of their area */
    uint32_t shape; /* a new number whenever columns change */
    rn_hooks hooks;
} rn_columns;

/* Whether solid takes a part of a column's area. */
static inline bool rn_column_is_partial(const rn_columns *c, int32_t slot) {
    return c->partial && c->solid_depth[slot] > 0.0f;
}

/* The partial solid of a column; needs c->partial. */
static inline rn_partial_solid rn_column_partial(const rn_columns *c, int32_t slot) {
    return (rn_partial_solid){c->solid_low[slot], c->solid_high[slot], c->solid_depth[slot]};
}

/* The height (m) of a column's liquid above its base: its depth, or more where a part of its area is solid. */
static inline float rn_column_height(const rn_columns *c, int32_t slot) {
    if (!rn_column_is_partial(c, slot)) return c->depth[slot];
    const rn_partial_solid part = rn_column_partial(c, slot);
    return rn_partial_height(&part, c->base[slot], c->depth[slot]);
}

/* The level of a column's liquid (m above the datum); of a dry one, its base. */
static inline float rn_column_level(const rn_columns *c, int32_t slot) {
    return c->base[slot] + rn_column_height(c, slot);
}

/* The depth (m) that a column can hold, less the depth that a partial solid takes. */
static inline float rn_column_capacity(const rn_columns *c, int32_t slot) {
    return c->ceil[slot] - c->base[slot] - (c->partial ? c->solid_depth[slot] : 0.0f);
}
/* The depth (m) that a column still has room for; negative if it is overfull. */
static inline float rn_column_room(const rn_columns *c, int32_t slot) {
    return rn_column_capacity(c, slot) - c->depth[slot];
}

/* The depth (m) up to which liquid counts as still, on cells of this size (m). */
static inline float rn_film(double cell) { return (float)fmax(1e-5, 1e-3 * cell); }

/* Whether a column has a ceiling; the lid does not count. Returns false for sinks and slots without a column. */
static inline bool rn_column_is_roofed(const rn_columns *c, int32_t slot) {
    return c->base[slot] >= 0.0f && c->base[slot] < RN_NO_COLUMN && c->ceil[slot] < c->lid;
}

/* The height of a column's liquid (m above its base) before solid last moved and squeezed it or gave it room;
   otherwise its current height. Pipes are driven by this level. */
static inline float rn_column_acting_level(const rn_columns *c, int32_t slot) {
    return rn_column_is_partial(c, slot) && c->pre_move_level[slot] > 0.0f ? c->pre_move_level[slot]
                                                                           : rn_column_height(c, slot);
}

/* The open range of a column, m above the datum. Only sinks have a base below the datum. */
typedef struct rn_column_shape {
    float base, ceil;
    rn_partial_solid part; /* solid in it; depth 0: none */
} rn_column_shape;

/* An open range of ground, which has no partial solids. */
typedef struct rn_column_range {
    float base, ceil;
} rn_column_range;

/* Whether two ranges have the same ends and the same partial solid. */
static inline bool rn_column_shape_equal(const rn_column_shape *a, const rn_column_shape *b) {
    return a->base == b->base && a->ceil == b->ceil && a->part.depth == b->part.depth &&
           (a->part.depth == 0.0f || (a->part.low == b->part.low && a->part.high == b->part.high));
}

/* A range narrower than this (m) counts as solid. */
static inline float rn_least_opening(const rn_columns *c) { return 2.0f * RN_FULL * c->quantum; }

/* Slot of layer 0 of the cell beside (x, y), also across periodic edges; -1 if there is none. Heights there count *drop
   (m) lower here: 0 except across a periodic edge with a drop. */
int32_t rn_cell_beside(const rn_columns *c, int x, int y, rn_side side, float *drop);
/* The slot beside that of a column, in the same layer; it may have no column. -1 beyond an edge that is not periodic.
   Across a periodic edge it is the column at the other end and not its copy in the rim, whose depth is that of the last
   substep. *drop: as in rn_cell_beside. */
int32_t rn_column_beside(const rn_columns *c, int32_t slot, rn_side side, float *drop);

/* ---- Creation (solver/columns.c) ------------------------------------------------------------------------------- */

typedef struct rn_columns_def {
    const rn_terrain *terrain;
    rn_edge edges[4];
    double drop[2];    /* m along x and y, at periodic edges */
    double datum;      /* m */
    double quantum;    /* m */
    double slot_bytes; /* memory per slot that the solver will need */
    int rim;           /* cells around every layer, at most RN_RIM; 0: 1 */
    rn_hooks hooks;
} rn_columns_def;

/* Allocates the arrays of columns, which must be zeroed, and fills bases and ceilings from the terrain: all are dry,
   and the rim has no columns yet. Takes edges, drop, quantum and hooks over from the definition, and cell and lid from
   the terrain. On failure returns RN_INVALID (no column has room for liquid), RN_LIMIT (too many layers, or more memory
   than the machine has) or RN_MEMORY, with a message; the caller then calls rn_columns_free. */
rn_result rn_columns_build(const rn_columns_def *def, rn_columns *columns);
/* Frees all arrays of RN_COLUMN_ARRAYS; not `gained`, nor `columns` itself. Its pointers are left as they are. */
void rn_columns_free(rn_columns *columns);
/* The bytes of all arrays of RN_COLUMN_ARRAYS that these columns have; not of `gained`, nor of `columns` itself. */
size_t rn_columns_bytes(const rn_columns *columns);
/* Makes *to a copy with more layers, `layers` in all, and the next number as its shape; the new layers are empty, with
   the friction and contact angles of layer 0. Slots keep their numbers. Both have arrays of their own, which the caller
   frees; only the pointer `gained` is the same. On failure returns RN_LIMIT or RN_MEMORY, with a message; then *to
   holds nothing that must be freed. */
rn_result rn_columns_grow(const rn_columns *from, int layers, rn_columns *to);
/* Adds the arrays of partial solids, all 0: columns may then be solid in a part of their area. Does nothing if they
   exist. Returns RN_MEMORY, with a message, if memory runs out; then nothing has changed. */
rn_result rn_columns_allow_partial(rn_columns *columns);
/* The friction of the ground under a column. Its drag is kappa + |u| (manning / H^(4/3) + chezy / H),
   kernels/drag.h. */
typedef struct rn_ground_friction {
    float kappa;   /* 1/s */
    float manning; /* m^(1/3), g n^2 */
    float chezy;   /* 1, g/C^2 */
} rn_ground_friction;

/* Gives every column its own friction, initially `first`; with `laws` also its own manning and chezy. Arrays that exist
   already keep their values. Returns RN_MEMORY, with a message, if memory runs out; then kappa may have been added,
   manning and chezy not. */
rn_result rn_columns_roughen(rn_columns *columns, const rn_ground_friction *first, bool laws);
/* 1 - cos of the contact angles of the ground under a column. */
typedef struct rn_ground_angles {
    float advancing, receding;
} rn_ground_angles;

/* Gives every column its own contact angles, initially `first`; does nothing if columns have their own already. Returns
   RN_MEMORY, with a message, if memory runs out; then nothing has changed. */
rn_result rn_columns_set_angles(rn_columns *columns, const rn_ground_angles *first);
/* Copies friction and contact angles to the rim: from the nearest cell, or from the opposite edge if periodic. */
void rn_columns_roughen_rim(rn_columns *columns);
/* Writes the current open ranges of a cell's columns, bottom to top, up to RN_MOST_LAYERS, without partial solids;
   returns their number. */
int rn_columns_ranges(const rn_columns *columns, int x, int y, rn_column_range *ranges);

#endif
