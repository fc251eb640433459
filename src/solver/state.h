/* The state of a world, listed once: this list drives allocation, hashing and whatever reads or writes it all.

   Columns live in dense layers of padded rows, layer 0 the lowest column of each cell. Ordinary pipes join
   columns of the same layer: they are the row loops of solver/sweeps.c. All others are loose: pipes between
   layers, into holes, and the way out over open edges. A rim of one cell lies around every layer: guards at walls,
   sinks at open edges, copies at periodic ones. A slot without a column is a guard: no depth, a base too high
   for any pipe to open. */
#ifndef RN_SOLVER_STATE_H
#define RN_SOLVER_STATE_H

#include "base/threads.h"
#include "kernels/part.h"
#include "kernels/pipe.h"
#include <runnel/world.h>

/* X(type, name, extent, role): extent SLOTS or LOOSE says how many, ADVECTED slots if momentum is advected,
   HEADS slots if flooded columns have heads, ROUGH slots if some region has its own friction, PARTS slots if columns
   may be solid in a part of their area, SLOPES slots if slopes are kept from pass to pass, and none otherwise; role
   STATE is what time changes, SHAPE what the terrain gives, SCRATCH what a substep leaves behind. */
#define RN_STATE_ARRAYS(X)                                                                                             \
    X(float, depth, SLOTS, STATE)         /* m */                                                                      \
    X(float, flux_x, SLOTS, STATE)        /* m^3/s to the column at +x */                                              \
    X(float, flux_y, SLOTS, STATE)        /* m^3/s to the column at +y */                                              \
    X(float, head, HEADS, STATE)          /* m, of a flooded column; 0: not flooded; or an RN_HEAD_... */              \
    X(float, loose_flux, LOOSE, STATE)    /* m^3/s from loose_a to loose_b */                                          \
    X(float, base, SLOTS, SHAPE)          /* m above the datum */                                                      \
    X(float, ceil, SLOTS, SHAPE)          /* m above the datum */                                                      \
    X(uint8_t, pipe_x, SLOTS, SHAPE)      /* an RN_PIPE_... if an ordinary pipe leads to +x */                         \
    X(uint8_t, pipe_y, SLOTS, SHAPE)      /* and to +y */                                                              \
    X(int32_t, loose_a, LOOSE, SHAPE)     /* slot */                                                                   \
    X(int32_t, loose_b, LOOSE, SHAPE)     /* slot, one cell further along the axis */                                  \
    X(float, loose_drop, LOOSE, SHAPE)    /* m, how much lower b counts: a periodic edge with a level drop */          \
    X(int32_t, loose_owner, LOOSE, SHAPE) /* 2 * (y * nx + x of a's cell) + axis; -1: it leads out over an edge */     \
    X(uint8_t, loose_axis, LOOSE, SHAPE)  /* 0: x, 1: y */                                                             \
    X(uint8_t, loose_kind, LOOSE, SHAPE)  /* an RN_PIPE_... */                                                         \
    X(int32_t, special_of, SLOTS, SHAPE)  /* 1 + place in `specials`; 0: no loose pipe ends here */                    \
    X(float, kappa, ROUGH, SHAPE)         /* 1/s, friction of the ground; NULL: law.kappa everywhere */                \
    X(float, solid_low, PARTS, SHAPE)     /* m above the datum: from here */                                           \
    X(float, solid_high, PARTS, SHAPE)    /* to here a share of the column's area is solid, */                         \
    X(float, solid_taken, PARTS, SHAPE)   /* which takes so much of its depth (m, whole quanta); 0: it is all open */  \
    X(float, solid_felt, PARTS, SCRATCH)  /* m above its base, where liquid stood before solid moved; 0: as it does */ \
    X(float, loose_low, LOOSE, SHAPE)     /* m: from here */                                                           \
    X(float, loose_high, LOOSE, SHAPE)    /* to here */                                                                \
    X(float, loose_shut, LOOSE, SHAPE)    /* this share of the pipe's width is solid; RN_NEW: nobody has said yet */   \
    X(float, loose_speed, LOOSE, SHAPE)   /* m/s, of that solid along the pipe */                                      \
    X(float, slope, SLOPES, SCRATCH)      /* e = 1 + slope^2 */                                                        \
    X(float, slope_x, SLOPES, SCRATCH)    /* m per cell, fall of the bed towards +x */                                 \
    X(float, slope_y, SLOPES, SCRATCH)    /* and towards +y */                                                         \
    X(float, move_x, SLOTS, SCRATCH)      /* m of depth moved to +x in this substep, whole quanta */                   \
    X(float, move_y, SLOTS, SCRATCH)      /* and to +y */                                                              \
    X(float, loose_move, LOOSE, SCRATCH)  /* and from loose_a to loose_b */                                            \
    X(float, share, SLOTS, SCRATCH)       /* factor on a column's inflow, then on its outflow; 1 between substeps */   \
    X(float, speed_x, ADVECTED, SCRATCH)  /* H of the pipe to +x (m), then the speed through it (m/s) */               \
    X(float, speed_y, ADVECTED, SCRATCH)  /* and of the one to +y */

/* What a pipe is; 0: there is none. RN_PIPE_DUCT is beside another while pipes find their fluxes: solver/passages.c has
   that pipe now. */
enum { RN_PIPE_PLAIN = 1, RN_PIPE_DUCT = 2, RN_PIPE_FALL = 4 };

#define RN_NEW -1.0f

#define RN_HEAD_GONE    -1.0f /* the column was flooded, but could have pulled: it is let go for a substep */
#define RN_HEAD_PRESSED -2.0f /* the column is filled faster than it empties: it counts as flooded */

/* Where a column's slot lies. */
typedef struct rn_grid {
    int nx, ny, layers;
    int32_t stride, layer_stride; /* slots from row to row and layer to layer */
    int32_t first;                /* slot of layer 0, x = 0, y = 0 */
    int32_t slots;
} rn_grid;

enum { RN_PAD = 8 }; /* slots before a row, a multiple of every vector width; its end reaches into those of the next */

static inline int64_t rn_slots_of(int nx, int ny, int layers) {
    const int64_t stride = ((int64_t)nx + 2 + 2 * RN_PAD - 1) / RN_PAD * RN_PAD;
    return stride * (ny + 2) * layers + RN_PAD;
}

/* 0 slots if there would be too many. */
static inline rn_grid rn_grid_of(int nx, int ny, int layers) {
    const int64_t slots = rn_slots_of(nx, ny, layers);
    rn_grid grid = {.nx = nx, .ny = ny, .layers = layers};
    if (slots > INT32_MAX) return grid;
    grid.slots = (int32_t)slots;
    grid.layer_stride = (grid.slots - RN_PAD) / layers;
    grid.stride = grid.layer_stride / (ny + 2);
    grid.first = grid.stride + RN_PAD;
    return grid;
}

static inline int32_t rn_slot(const rn_grid *grid, int layer, int y, int x) {
    return grid->first + layer * grid->layer_stride + y * grid->stride + x;
}

/* Where a slot lies; the rim has x and y of -1, nx and ny. */
typedef struct rn_spot {
    int layer, y, x;
} rn_spot;

static inline rn_spot rn_slot_place(const rn_grid *grid, int32_t slot) {
    const int32_t within = slot % grid->layer_stride;
    return (rn_spot){slot / grid->layer_stride, within / grid->stride - 1,
                     within % grid->stride - (grid->first - grid->stride)};
}

/* Some rows of a tile, and some blocks of RN_TILE_BLOCK columns, as bits: what is meant lies where they cross. */
typedef struct rn_where {
    uint32_t lines, blocks;
} rn_where;

/* A column with loose pipes, as one row of a sparse matrix. */
typedef struct rn_special {
    int32_t slot;
    int32_t begin, end;            /* in `links` */
    bool sink;                     /* takes all that comes */
    bool listed;                   /* among the busy ones */
    bool limited[2];               /* it has too much to give, to take */
    int32_t tile;                  /* that it is in, or nearest to, */
    rn_where spot;                 /* and where there */
    float slope, slope_x, slope_y; /* as in the arrays of these names */
} rn_special;

/* Row flags, one per layer and row, rim rows included. */
typedef struct rn_row {
    int32_t roofed; /* columns whose ceiling is lower than the lid; sinks do not count */
    bool gaps;  /* for advection: some neighbours of one layer that could touch have no ordinary pipe, or some ceilings
                   on this row or the next are lower than the lid */
    bool wet;   /* some depth of this row may be above 0, or was one substep ago */
    bool still; /* all fluxes and transfers that leave this row are 0 and stored as such; for the implicit step */
    bool limited; /* some share is below 1; for the implicit step */
    bool pressed; /* some column may be pressed */
} rn_row;

enum { RN_TILE_X = 64, RN_TILE_Y = 16, RN_TILE_BLOCK = 8 }; /* columns along x and y, and of a block along x */
enum { RN_TILE_BLOCKS = RN_TILE_X / RN_TILE_BLOCK };
enum { RN_RUN = 4 }; /* tiles, at most, that are worked on together: long rows suit caches */

/* A rectangle of a layer's columns, which rests as a whole. */
typedef struct rn_tile {
    /* What is there, found anew when the shape has changed; from the row below the tile to the row above it: */
    rn_where stale;                                /* to be looked at again, */
    uint8_t traits[RN_TILE_Y + 2][RN_TILE_BLOCKS]; /* and what was seen, block by block: solver/tiles.c */
    /* As bits, which rows of the tile have to reckon with it: */
    uint32_t bumpy;   /* beds differ, or loose pipes end */
    uint32_t gaps;    /* some neighbours have no ordinary pipe, or a fall */
    uint32_t gated;   /* some that could touch have no pipe; or there are ceilings lower than the lid */
    uint32_t falls;   /* some pipes are falls */
    uint32_t special; /* loose pipes end */
    uint32_t bumps[RN_TILE_BLOCKS], rough[RN_TILE_BLOCKS]; /* block by block: the first, and any of the others */
    uint32_t some[RN_TILE_BLOCKS];                         /* there are columns */
    rn_where columns;                                      /* and so in all */
    bool patchy;                                           /* little of it is rough, but some is */
    float highest;                                         /* m, base in the tile */
    float headroom; /* m, the least there between a base and a ceiling lower than the lid */

    bool flows;           /* some pipe of it does */
    bool touched;         /* something else has changed a column */
    uint8_t rest;         /* substeps, up to 2, in which no pipe of the tile carried anything; 0: or it was touched */
    bool awake;           /* in this substep, */
    bool decided;         /* which has been decided */
    uint8_t not_calm_for; /* substeps */
    bool looked;          /* while it rests: these are known, */
    bool level;           /* that it would in substeps of any length, */
    float height;         /* m, and its highest cross-section */
    rn_where wet;         /* all depths above 0, and maybe more */
    rn_where active;      /* all pipes that may carry something in this substep; the fluxes of the others are 0 */
    float deepest;        /* m */
    float shallowest;     /* m, or less */
    uint32_t deep;        /* rows, as bits from the tile's first on, with nothing but ordinary pipes, */
    float deep_least;     /* m: all of whose columns are deeper in this substep, whatever `shallowest` is */
    float transfer;       /* m: none in this substep is larger */
    uint32_t limited[2];  /* rows, as bits, where some column has too much to give, to take */
    uint32_t redone[2];   /* and rows that are done again because of these */
    bool listed;          /* among the tiles whose transfers are limited */
} rn_tile;

/* What a substep found: the next step size follows from it. */
typedef struct rn_peak {
    float height;     /* m, highest cross-section */
    float wave;       /* m, highest wave the step must follow */
    float speed;      /* m/s */
    float fast_speed; /* m/s, where inertia was scaled, times sqrt(phi) */
    float deepest;    /* m */
    float pace;       /* m/s, of waves that liquid carries along; only with advection */
    float top;        /* m, highest level of any liquid; only measured */
} rn_peak;

typedef struct rn_state {
#define RN_STATE_FIELD(type, name, extent, role) type *name;
    RN_STATE_ARRAYS(RN_STATE_FIELD)
#undef RN_STATE_FIELD
    rn_grid grid;
    int32_t loose;          /* how many loose pipes, and for how many there is room */
    int32_t loose_capacity; /* the first `loose_inner` join columns of the grid, in order of cell, axis and layers; */
    int32_t loose_inner;    /* the others lead out over open edges */
    int32_t *sinks, sink_count; /* slots whose liquid leaves */
    rn_special *specials;
    int32_t special_count, *links; /* 2 * loose pipe + (1 if the column is its b) */
    int32_t bent_count;            /* the first so many have pipes to other layers that are no falls */
    int32_t *wet_pipes, wet_count; /* loose pipes with liquid at an end, */
    int32_t *busy, busy_count;     /* and specials with such pipes, or whose slope is asked for */
    rn_row *rows;
    rn_tile *tiles;     /* layer by layer, row by row */
    int32_t *tile_list; /* room for all of them */
    bool stale;         /* some tile is */
    bool limited[2];    /* some column gives more than it has, gets more than it has room for */
    bool restless;      /* no tile rests and nothing is left out: to show that it makes no difference */
    rn_law last_law;    /* of the substep before: tiles have come to rest under it */
    rn_peak *peaks;     /* one per worker */
    rn_edge edges[4];
    float drop[2], cell, lid; /* m, in whole quanta; the lid above the datum */
    float quantum;            /* m */
    bool periodic_x, periodic_y;
    bool advected, rough; /* momentum is; some region has its own friction */
    bool headed;          /* flooded columns have heads */
    bool parted;          /* some columns may be solid in a part of their area */
    bool loose_falls;     /* all falls are loose: the implicit step and advection know none among ordinary pipes */
    bool sloped;          /* slopes are kept: the implicit step needs them, and columns past periodic edges */
    uint32_t shape;       /* another number whenever columns or pipes have changed */
    int64_t ordinary, falls[2]; /* ordinary pipes; and the falls among them, and among loose ones */
    uint64_t step;              /* substeps so far: drives the dither */
    rn_hooks hooks;
} rn_state;

static inline rn_row *rn_row_at(const rn_state *state, int layer, int y) {
    return &state->rows[layer * (state->grid.ny + 2) + y + 1];
}

static inline int rn_tiles_x(const rn_grid *grid) { return (grid->nx + RN_TILE_X - 1) / RN_TILE_X; }
static inline int rn_tiles_y(const rn_grid *grid) { return (grid->ny + RN_TILE_Y - 1) / RN_TILE_Y; }
static inline int32_t rn_tile_count(const rn_grid *grid) { return grid->layers * rn_tiles_y(grid) * rn_tiles_x(grid); }

static inline bool rn_is_parted(const rn_state *s, int32_t slot) { return s->parted && s->solid_taken[slot] > 0.0f; }

static inline rn_part rn_part_of(const rn_state *s, int32_t slot) {
    return (rn_part){s->solid_low[slot], s->solid_high[slot], s->solid_taken[slot]};
}

/* How high (m) a column's liquid stands above its base: its depth, or more where a part of it is solid. */
static inline float rn_state_stand(const rn_state *s, int32_t slot) {
    if (!rn_is_parted(s, slot)) return s->depth[slot];
    const rn_part part = rn_part_of(s, slot);
    return rn_part_stand(&part, s->base[slot], s->depth[slot]);
}

static inline float rn_state_level(const rn_state *s, int32_t slot) { return s->base[slot] + rn_state_stand(s, slot); }

/* The depth (m) that a column can have, and what it still has room for. */
static inline float rn_capacity(const rn_state *s, int32_t slot) {
    return s->ceil[slot] - s->base[slot] - (s->parted ? s->solid_taken[slot] : 0.0f);
}
static inline float rn_room(const rn_state *s, int32_t slot) { return rn_capacity(s, slot) - s->depth[slot]; }

/* The lid is no ceiling. */
static inline bool rn_is_roofed(const rn_state *s, int32_t slot) {
    return s->base[slot] >= 0.0f && s->base[slot] < RN_NO_COLUMN && s->ceil[slot] < s->lid;
}

/* Two columns, b counting `drop` lower. */
static inline rn_ends rn_state_ends(const rn_state *s, int32_t a, int32_t b, float drop) {
    return (rn_ends){rn_splat(s->base[a]),        rn_splat(rn_state_stand(s, a)), rn_splat(s->ceil[a]),
                     rn_splat(s->base[b] - drop), rn_splat(rn_state_stand(s, b)), rn_splat(s->ceil[b] - drop)};
}

/* How high it stood before solid last moved, which has since squeezed it or left it room. */
static inline float rn_state_felt(const rn_state *s, int32_t slot) {
    return rn_is_parted(s, slot) && s->solid_felt[slot] > 0.0f ? s->solid_felt[slot] : rn_state_stand(s, slot);
}

/* Height (m) of the cross-section between two columns. */
static inline float rn_state_height(const rn_state *s, int32_t a, int32_t b, float drop) {
    const rn_ends p = rn_state_ends(s, a, b, drop);
    return rn_pipe_height(&p)[0];
}

static inline float rn_felt_height(const rn_state *s, int32_t a, int32_t b, float drop) {
    rn_ends p = rn_state_ends(s, a, b, drop);
    p.di = rn_splat(rn_state_felt(s, a)), p.dj = rn_splat(rn_state_felt(s, b));
    return rn_pipe_height(&p)[0];
}

/* The share of a loose pipe's cross-section that is open. */
static inline float rn_loose_open(const rn_state *s, int32_t i) {
    if (!s->parted || !(s->loose_shut[i] > 0.0f)) return 1.0f;
    const rn_ends p = rn_state_ends(s, s->loose_a[i], s->loose_b[i], s->loose_drop[i]);
    return rn_part_open(fmaxf(p.bi[0], p.bj[0]), rn_pipe_room(&p)[0], s->loose_low[i], s->loose_high[i],
                        s->loose_shut[i]);
}

#endif
