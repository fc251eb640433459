/* The state of the pipe solver: columns, the graph of pipes between them, and the CPU's schedule.

   Ordinary pipes join columns of the same layer; the row loops of solver/sweeps.c handle them. All others are
   irregular: pipes between layers, into holes, and the way out over open edges. */
#ifndef RN_SOLVER_STATE_H
#define RN_SOLVER_STATE_H

#include "base/threads.h"
#include "solver/columns.h"

/* The list of the graph's arrays: allocation and growth follow it.

   X(type, name, extent, role). Extent SLOTS or IRREGULAR: one for each slot, or for each irregular pipe. The others
   exist only if needed, one for each slot: MOMENTUM if momentum is carried, JOINTS if it is and there are or were
   irregular pipes, IMPLICIT if pressure is solved for, HEADS if flooded columns have heads, CONTACT if contact angles
   act. Role STATE: changes with time, and is saved and hashed. SHUT: part of a pipe that bodies shut, saved if there
   are bodies. SHAPE: follows from the columns. SCRATCH: written by a substep; with momentum transfers are saved and
   hashed all the same. */
#define RN_GRAPH_ARRAYS(X)                                                                                             \
    X(float, head, HEADS, STATE)               /* m, of a flooded column; 0: not flooded; or an RN_HEAD_... */         \
    X(float, irregular_flux, IRREGULAR, STATE) /* m^3/s from irregular_a to irregular_b */                             \
    X(uint8_t, pipe_x, SLOTS, SHAPE)           /* an RN_PIPE_... if an ordinary pipe leads to +x */                    \
    X(uint8_t, pipe_y, SLOTS, SHAPE)           /* and to +y */                                                         \
    X(int32_t, irregular_a, IRREGULAR, SHAPE)  /* slot */                                                              \
    X(int32_t, irregular_b, IRREGULAR, SHAPE)  /* slot, one cell further along the axis */                             \
    X(float, irregular_drop, IRREGULAR, SHAPE) /* m, b counts this much lower: a periodic edge with a drop */          \
    X(int32_t, irregular_owner, IRREGULAR,                                                                             \
      SHAPE)                                     /* 2 * (y * nx + x of a's cell) + axis; -1: leads out over an edge */ \
    X(uint8_t, irregular_axis, IRREGULAR, SHAPE) /* 0: x, 1: y */                                                      \
    X(uint8_t, irregular_kind, IRREGULAR, SHAPE) /* an RN_PIPE_... */                                                  \
    X(int32_t, junction_of, SLOTS, SHAPE)        /* 1 + index in `junctions`; 0: no irregular pipe ends here */        \
    X(float, irregular_low, IRREGULAR, SHUT)     /* m: from this height */                                             \
    X(float, irregular_high, IRREGULAR, SHUT)    /* up to this one */                                                  \
    X(float, irregular_shut, IRREGULAR, SHUT)    /* this share of the pipe's width is solid; RN_NEW: not set yet */    \
    X(float, irregular_push, IRREGULAR, SHUT)    /* m/s, speed of that solid along the pipe */                         \
    X(float, transfer_x, SLOTS, SCRATCH)         /* m of depth moved to +x in this substep, whole quanta */            \
    X(float, transfer_y, SLOTS, SCRATCH)         /* and to +y */                                                       \
    X(float, irregular_transfer, IRREGULAR, SCRATCH) /* and from irregular_a to irregular_b */                         \
    X(float, share, SLOTS, SCRATCH)     /* factor on a column's inflow, then on its outflow; 1 between substeps */     \
    X(float, speed_x, MOMENTUM, STATE)  /* m/s through the face to +x */                                               \
    X(float, speed_y, MOMENTUM, STATE)  /* and to +y */                                                                \
    X(float, next_x, MOMENTUM, SCRATCH) /* m/s, speeds after forces and transport */                                   \
    X(float, next_y, MOMENTUM, SCRATCH)                                                                                \
    X(float, half_x, JOINTS, SCRATCH) /* m/s, speeds after half of the forces */                                       \
    X(float, half_y, JOINTS, SCRATCH)                                                                                  \
    X(float, wedge, MOMENTUM, SCRATCH)      /* e = 1 + S^2 of columns on sloped ground */                              \
    X(float, wedge_part, MOMENTUM, SCRATCH) /* S.Z there: kernels/face.h */                                            \
    X(float, gained, MOMENTUM, SCRATCH)     /* m that sources have just added; 0 between substeps */                   \
    X(float, gain_x, IMPLICIT, SCRATCH)     /* 1/s: speed per metre of level difference */                             \
    X(float, gain_y, IMPLICIT, SCRATCH)                                                                                \
    X(float, width_x, IMPLICIT, SCRATCH) /* m, depth that crosses */                                                   \
    X(float, width_y, IMPLICIT, SCRATCH)                                                                               \
    X(float, wet, CONTACT, STATE)                /* how wet the ground is, 0 to 1 */                                   \
    X(float, contact, CONTACT, SCRATCH)          /* m, head of surface tension, between advancing and receding */      \
    X(float, total, CONTACT, SCRATCH)            /* m, level and contact head together, while they are filtered, */    \
    X(float, total_next, CONTACT, SCRATCH)       /* and after the next pass of the filter */                           \
    X(float, share_x, CONTACT, SCRATCH)          /* how much of a head difference a pass evens out, */                 \
    X(float, share_y, CONTACT, SCRATCH)          /* over the faces to the next columns along x and y */                \
    X(float, hold, CONTACT, SCRATCH)             /* m, from there to the heads of advancing and receding lines */      \
    X(float, irregular_speed, IRREGULAR, STATE)  /* m/s from irregular_a to irregular_b; with momentum */              \
    X(float, irregular_next, IRREGULAR, SCRATCH) /* m/s, as next_x */                                                  \
    X(float, irregular_half, IRREGULAR, SCRATCH) /* m/s, as half_x */

/* Kinds of pipes; 0: no pipe. RN_PIPE_DUCT is set in addition while solver/passages.c handles the pipe. */
enum { RN_PIPE_PLAIN = 1, RN_PIPE_DUCT = 2, RN_PIPE_FALL = 4 };

#define RN_HEAD_GONE    -1.0f /* the column was flooded but came under suction: released for a substep */
#define RN_HEAD_PRESSED -2.0f /* the column fills faster than it empties: counts as flooded */

/* Some rows of a tile, and some blocks of RN_TILE_BLOCK columns, as bits: their intersection is meant. */
typedef struct rn_tile_mask {
    uint32_t lines, blocks;
} rn_tile_mask;

/* A column with irregular pipes, as one row of a sparse matrix. */
typedef struct rn_junction {
    int32_t slot;
    int32_t begin, end;                  /* index into `links` */
    bool sink;                           /* accepts any inflow */
    int32_t listed;                      /* 1: among the busy junctions */
    bool limited[2];                     /* it should give more than it has, or take more than it has room for */
    int32_t connections, connection_end; /* index into `links` of the connections */
    int32_t split_sides, split_end;      /* index into `split_sides` */
    int32_t tile;                        /* tile that it is in, or nearest to */
    rn_tile_mask spot;                   /* place within that tile */
} rn_junction;

/* Where the values of a face, or of all faces of a side, are stored: 4 * index + one of these arrays. */
typedef uint32_t rn_face_ref;
enum { RN_FACE_X, RN_FACE_Y, RN_FACE_IRREGULAR, RN_FACE_SPLIT };
#define RN_FACE_NONE RN_FACE_SPLIT /* the first split side is empty: all its values are 0 */

/* A face that the loops over rows do not cover: an irregular pipe, or an ordinary pipe at a junction. */
typedef struct rn_connection {
    int32_t l, r; /* slots; r lies one cell further along the axis */
    int32_t pipe; /* slot l of an ordinary pipe, or number of an irregular one */
    float drop;   /* m, r counts this much lower */
    uint8_t axis;
    bool irregular;
    /* Its neighbours, found when liquid first arrives (solver/connection_links.h): */
    bool linked;
    bool takes_l, takes_r;          /* l, r accept any inflow */
    uint8_t split;                  /* bits: sides across it with several faces */
    rn_face_ref own;                /* the face itself */
    rn_face_ref back, ahead;        /* the sides before l and after r */
    rn_face_ref before, beyond;     /* and those beyond these */
    int32_t behind_slot, past_slot; /* columns beyond `back` and `ahead`; -1: none, or several */
    int32_t sides_l, sides_r;       /* indices of l and r in `sides`; -1: not a junction */
    rn_face_ref across[4], like[4]; /* sides across it, two of l and two of r; and beyond each, the side that
                                       corresponds to the connection */
    /* Found in every substep: */
    float share_l, share_r; /* of the flow through that side of l, of r */
    float gain, width;      /* like gain_x and width_x */
} rn_connection;

/* The sides of a junction: west, east, south, north. */
typedef struct rn_sides {
    int8_t count[4];        /* number of faces */
    bool linked;            /* the columns beyond are known */
    int32_t only[4];        /* the connection on that side, if there is just one; otherwise -1 */
    int32_t split[4];       /* index in `split_sides`, if there are several; otherwise 0 */
    rn_face_ref faces[4];   /* the face or split side */
    int32_t beyond[4];      /* the column beyond the only face; -1: none, or several */
    float bed[4], level[4]; /* m, steps of the bed and of the surface; of several, the smallest */
    int32_t plain[4];       /* -1: some face is not a fall; 0: none, or only falls */
    float parts[5];         /* the fields of rn_slope_parts of the junction, in order */
    float spread[2];        /* m/s, along x and y: divergence of the speed */
    float left[2];          /* m^2/s: the depth that leaves across */
} rn_sides;

/* A side with several faces, which counts as one: its transfer is the sum of theirs, its speed their mean by shares. */
typedef struct rn_split_side {
    int32_t begin, end; /* index into `split_links` */
    float through;      /* m, sum of the absolute values of their transfers */
} rn_split_side;

/* A tile, and the part of it where connections have columns. */
typedef struct rn_watched_tile {
    int32_t tile;
    rn_tile_mask where;
} rn_watched_tile;

/* Consecutive connections of the list, some of which are wet. */
typedef struct rn_connection_chunk {
    uint64_t wet;       /* bits of the wet ones */
    int32_t begin, end; /* index into `chunk_tiles`: the tiles that contain all columns of the chunk */
    bool asleep;        /* all of these are dry, and were when the chunk was last examined */
    bool watched;       /* always examined: it has sinks, or continues across periodic edges */
} rn_connection_chunk;

/* Connections processed together, and examined together. On a GPU a thread has one connection at a time; memory for the
   batches of the CPU suffices for these. */
#if defined(RN_GPU)
enum { RN_BATCH = 1, RN_CHUNK = 64 };
#else
enum { RN_BATCH = 32, RN_CHUNK = 64 };
#endif

/* Values that the passes over a batch of wet connections hand on to each other, named as in kernels/face.h. */
typedef struct rn_connection_batch {
    float zl[RN_BATCH], hl[RN_BATCH], zr[RN_BATCH], hr[RN_BATCH], gap[RN_BATCH];
    float u[RN_BATCH], behind[RN_BATCH], ahead[RN_BATCH];
    float half[RN_BATCH], along[RN_BATCH], pushed[RN_BATCH], kept[RN_BATCH], lo[RN_BATCH], hi[RN_BATCH];
    float contact[RN_BATCH], held[RN_BATCH];
} rn_connection_batch;

/* The arrays of connections, listed once: X(type, name, length), where `connections` are the most that there may be and
   `columns` the most with irregular pipes. No result depends on what they hold between substeps. */
#define RN_CONNECTION_ARRAYS(X)                                                                                        \
    X(rn_connection, faces, connections) /* irregular pipes first */                                                   \
    X(int32_t, ends, 2 * connections)    /* their l and r, for loops over all of them */                               \
    X(int32_t, links, 2 * connections) /* connections of each junction: 4 * connection + 2 * axis + (1 if it is r) */  \
    X(rn_sides, sides, columns)        /* of `junctions` */                                                            \
    X(rn_split_side, split_sides, columns + 1) /* the first is empty */                                                \
    X(int32_t, split_links, 2 * connections)   /* their connections, as in `links` */                                  \
    X(float, split_transfer, columns + 1)      /* m */                                                                 \
    X(float, split_speed, columns + 1)         /* m/s */                                                               \
    X(float, split_half, columns + 1)          /* m/s */                                                               \
    X(float, split_next, columns + 1)          /* m/s */                                                               \
    X(int32_t, wet,                                                                                                    \
      connections + RN_LANES_MOST) /* connections with liquid at an end; lanes past the last repeat it */              \
    X(rn_connection_chunk, chunks, connections / RN_CHUNK + 1)                                                         \
    X(rn_watched_tile, chunk_tiles, 3 * connections)                                                                   \
    X(rn_connection_batch, batches, connections / RN_BATCH + 1)

typedef struct rn_connections {
#define RN_CONNECTIONS_FIELD(type, name, length) type *name;
    RN_CONNECTION_ARRAYS(RN_CONNECTIONS_FIELD)
#undef RN_CONNECTIONS_FIELD
    int32_t count, wet_count, split_count; /* split_count includes the first, which is empty */
    int listings;                          /* number of listings since they were built */
} rn_connections;

/* Row flags, one per layer and row, rim rows included. */
typedef struct rn_row {
    int32_t roofed; /* columns whose ceiling is lower than the lid; sinks do not count */
    bool wet;       /* some depth of this row may be above 0, or was a substep ago */
    bool zero_flux; /* all fluxes and transfers out of this row are stored as 0; for the implicit step */
    bool limited;   /* some share is below 1; for the implicit step */
    bool pressed;   /* some column may be pressed */
    bool poured;    /* sources may have added liquid in this substep */
} rn_row;

enum { RN_TILE_X = 128, RN_TILE_Y = 16, RN_TILE_BLOCK = 8 }; /* columns along x and y, and of a block along x */
enum { RN_TILE_BLOCKS = RN_TILE_X / RN_TILE_BLOCK };
enum { RN_RUN = 4 }; /* most tiles that are processed together: long rows suit caches */

/* A rectangle of columns of a layer that rests as a whole. */
typedef struct rn_tile {
    /* The shape, found again when it has changed; from the row below the tile to the row above it: */
    rn_tile_mask stale;                            /* blocks to examine again */
    uint8_t traits[RN_TILE_Y + 2][RN_TILE_BLOCKS]; /* traits of blocks: solver/tiles.c */
    /* Bits of the rows of the tile that are affected by a trait: */
    uint32_t bumpy;       /* beds differ, or irregular pipes end */
    uint32_t gaps;        /* some neighbours have no ordinary pipe, or a fall */
    uint32_t restricted;  /* some adjacent open ranges have no pipe, or some ceilings are below the lid */
    uint32_t falls;       /* some pipes are falls */
    uint32_t junction;    /* irregular pipes end */
    rn_tile_mask columns; /* there are columns */
    float highest;        /* m, highest base in the tile */
    float headroom;       /* m, least height between a base and a ceiling below the lid */

    bool flows;       /* some pipe of it carries something */
    bool touched;     /* a column was changed from outside */
    uint8_t rest;     /* substeps, up to 2, in which no pipe of the tile carried anything; 0 also if it was touched */
    bool awake;       /* takes part in this substep */
    bool looked;      /* while it rests: the next two are known */
    bool level;       /* it would rest for any length of substep */
    float height;     /* m, highest cross-section */
    rn_tile_mask wet; /* where depths may be above 0 */
    rn_tile_mask active; /* pipes that may carry something in this substep; the fluxes of the others are 0 */
    float deepest;       /* m */
    float shallowest;    /* m, a lower bound */
    float transfer;      /* m, an upper bound of all transfers in this substep */
    uint32_t
        limited[2]; /* bits of rows where a column should give more than it has, or take more than it has room for */
    uint32_t redone[2]; /* bits of rows that are done again because of these */
    int32_t listed;     /* 1: among the tiles whose transfers are limited */
} rn_tile;

/* The extremes found in a substep, which determine the next step size. */
typedef struct rn_extremes {
    float height;       /* m, highest cross-section */
    float speed;        /* m/s */
    float deepest;      /* m */
    float signal_speed; /* m/s, of waves plus liquid */
    float flow_sum;     /* m/s, sum along x and y; for the implicit step */
    float top;          /* m, highest level of any liquid; only after measuring */
    float signal_depth; /* m, of the column with that signal_speed; with momentum */
    float signal_flow;  /* m/s, of its liquid, the sum along x and y; with momentum */
} rn_extremes;

/* Heights (m above the datum) where a cell is not joined to the next: solver/shells.h. */
typedef struct rn_closed_opening {
    int32_t seam; /* 2 * (y * nx + x) + axis */
    float low, high;
} rn_closed_opening;

/* The pipes. */
typedef struct rn_graph {
#define RN_GRAPH_FIELD(type, name, extent, role) type *name;
    RN_GRAPH_ARRAYS(RN_GRAPH_FIELD)
#undef RN_GRAPH_FIELD
    int32_t irregular_count;    /* number of irregular pipes */
    int32_t irregular_capacity; /* room in their arrays */
    int32_t irregular_inner;    /* the first of them join columns of the grid, by cell, axis and layers; the others lead
                                   out over open edges */
    int32_t *sinks, sink_count; /* slots whose liquid leaves the world */
    rn_junction *junctions;
    int32_t junction_count, *links; /* 2 * irregular pipe + (1 if the column is its b) */
    rn_closed_opening *windows;     /* openings that are shut, in order of seams */
    size_t window_count;
    bool momentum;              /* faces have speeds: solver/momentum.c */
    bool implicit;              /* pressure is solved for */
    bool headed;                /* flooded columns have heads */
    bool touching;              /* contact angles act: solver/contact.c */
    bool irregular_falls;       /* all falls are irregular: the implicit step has none among ordinary pipes */
    int64_t ordinary, falls[2]; /* ordinary pipes; falls among these, and among irregular pipes */
    uint64_t step;              /* substeps so far; seeds the dither */
} rn_graph;

/* Which parts of the grid take part in a substep, and what threads have found. No result depends on it. */
typedef struct rn_schedule {
    int32_t *wet_pipes, wet_count; /* irregular pipes with liquid at an end */
    int32_t *busy, busy_count;     /* junctions with such pipes or connections */
    rn_row *rows;
    int32_t *row_list;          /* room for all rows */
    rn_tile *tiles;             /* layer by layer, row by row */
    int32_t *tile_list;         /* room for all tiles */
    int32_t tile_count;         /* of those that lanes list together */
    bool stale;                 /* some tile is stale */
    bool limited[2];            /* some column gives more than it has, or gets more than it has room for */
    bool skip_nothing;          /* no tile rests and nothing is skipped: for tests that this makes no difference */
    rn_step_params last_params; /* of the last substep, under which tiles came to rest */
    rn_extremes *extremes;      /* one per worker */
} rn_schedule;

typedef struct rn_state {
    rn_columns columns;
    rn_graph graph;
    rn_connections connections; /* with momentum */
    rn_schedule schedule;
} rn_state;

/* Row `y` of a layer, from -1 to ny. */
static inline rn_row *rn_row_at(const rn_state *state, int layer, int y) {
    return &state->schedule.rows[layer * (state->columns.grid.ny + 2) + y + 1];
}

static inline int rn_tiles_x(const rn_grid *grid) { return (grid->nx + RN_TILE_X - 1) / RN_TILE_X; }
static inline int rn_tiles_y(const rn_grid *grid) { return (grid->ny + RN_TILE_Y - 1) / RN_TILE_Y; }
static inline int32_t rn_tile_count(const rn_grid *grid) { return grid->layers * rn_tiles_y(grid) * rn_tiles_x(grid); }

/* The ends of a pipe between two columns, b counting `drop` (m) lower; the same in all lanes. */
static inline rn_ends rn_state_ends(const rn_state *s, int32_t a, int32_t b, float drop) {
    return (rn_ends){rn_splat(s->columns.base[a]),
                     rn_splat(rn_column_height(&s->columns, a)),
                     rn_splat(s->columns.ceil[a]),
                     rn_splat(s->columns.base[b] - drop),
                     rn_splat(rn_column_height(&s->columns, b)),
                     rn_splat(s->columns.ceil[b] - drop)};
}

/* Height (m) of the cross-section between columns a and b, which counts `drop` (m) lower; 0 if no liquid can pass. */
static inline float rn_state_height(const rn_state *s, int32_t a, int32_t b, float drop) {
    const rn_ends p = rn_state_ends(s, a, b, drop);
    return rn_pipe_height(&p)[0];
}

/* Height (m) of the cross-section between columns a and b, which counts `drop` (m) lower, with the levels that act on
   pipes: those from before solid last moved. */
static inline float rn_acting_height(const rn_state *s, int32_t a, int32_t b, float drop) {
    rn_ends p = rn_state_ends(s, a, b, drop);
    p.di = rn_splat(rn_column_acting_level(&s->columns, a)), p.dj = rn_splat(rn_column_acting_level(&s->columns, b));
    return rn_pipe_height(&p)[0];
}

/* The open share (0 to 1) of an irregular pipe's cross-section at the current levels; 1 if nothing of it is shut. */
static inline float rn_irregular_open(const rn_state *s, int32_t i) {
    if (!s->columns.partial || !(s->graph.irregular_shut[i] > 0.0f)) return 1.0f;
    const rn_ends p = rn_state_ends(s, s->graph.irregular_a[i], s->graph.irregular_b[i], s->graph.irregular_drop[i]);
    return rn_partial_open(fmaxf(p.bi[0], p.bj[0]), rn_pipe_room(&p)[0], s->graph.irregular_low[i],
                           s->graph.irregular_high[i], s->graph.irregular_shut[i]);
}

#endif
