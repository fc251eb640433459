/* The state of a 3D liquid, shared by the files of this folder.

   Cells have a rim of one cell around the box, so that neighbours always exist. Cell (i, j, k) has its lower faces
   under its own index: velocity[0][c] is the speed along x through the face between c - 1 and c. Lengths are in cells,
   speeds in m/s. */
#ifndef RN_MAC_STATE_H
#define RN_MAC_STATE_H

#include "base/threads.h"
#include "mac/mac.h"

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

typedef struct rn_mac_grid {
    int n[3];        /* cells along x, y and z */
    int32_t step[3]; /* from a cell to the next along x, y and z */
    int32_t cells;   /* with the rim */
    int rows;        /* along x, including those of the rim */
} rn_mac_grid;

/* A grid of nx x ny x nz cells and its rim. */
static inline rn_mac_grid rn_mac_grid_of(int nx, int ny, int nz) {
    rn_mac_grid g = {.n = {nx, ny, nz}, .step = {1, nx + 2, (nx + 2) * (ny + 2)}};
    g.cells = g.step[2] * (nz + 2);
    g.rows = (ny + 2) * (nz + 2);
    return g;
}

/* The index of cell (i, j, k); each from -1, in the rim, to n. */
static inline int32_t rn_mac_cell(const rn_mac_grid *g, int i, int j, int k) {
    return (i + 1) + (j + 1) * g->step[1] + (k + 1) * g->step[2];
}

/* A row of cells along x. */
typedef struct rn_mac_row {
    int j, k;
    int32_t at;      /* its cell i = 0 */
    int first, last; /* active cells, from -1 to n[0]; none if last < first */
    bool inside;     /* in the box */
} rn_mac_row;

/* Row r of all rows along x, including those of the rim, with all its cells in the box active. */
static inline rn_mac_row rn_mac_row_of(const rn_mac_grid *g, int r) {
    rn_mac_row row = {.j = r % (g->n[1] + 2) - 1, .k = r / (g->n[1] + 2) - 1, .at = 1 + r * g->step[1]};
    row.inside = row.j >= 0 && row.j < g->n[1] && row.k >= 0 && row.k < g->n[2];
    row.first = 0;
    row.last = g->n[0] - 1;
    return row;
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

/* The values of a particle, each in its own array. */
enum {
    RN_MAC_AT = 0,     /* 3: position, cells */
    RN_MAC_SPEED = 3,  /* 3: m/s */
    RN_MAC_AFFINE = 6, /* 9: change of each speed along x, y, z (m/s per cell) */
    RN_MAC_VALUES = 15,
    RN_MAC_VALUES_PLAIN = 6,  /* without affine parts */
    RN_MAC_SLACK = 8,         /* values after the last particle that vectors may read */
    RN_MAC_REST = 8,          /* particles in a full cell at rest */
    RN_MAC_SORT_CHUNKS = 16,  /* of particles, which the sort counts separately */
    RN_MAC_CHUNK = 4096,      /* particles whose highest speed is found together */
    RN_MAC_SPEED_LEVELS = 16, /* of speeds, from half of the highest on, at which particles are counted */
};

/* The number of values of a particle; only APIC needs affine parts. */
static inline int rn_mac_values_of(const rn_mac_def *def) {
    return def->transfer == RN_MAC_APIC ? RN_MAC_VALUES : RN_MAC_VALUES_PLAIN;
}

typedef struct rn_mac_particles {
    float *value[RN_MAC_VALUES];
    float *spare;             /* the array that the next permutation writes to */
    uint32_t *by_row, *order; /* present positions of particles, sorted by row and by cell */
    int32_t *tally;           /* particles of each chunk in each row, then those that are gone */
    int values;               /* number of arrays */
    int32_t count, room;
} rn_mac_particles;

/* A particle with these coordinates along y and z is gone: the next sort drops it. */
#define RN_MAC_GONE_Y (-1.0f)
/* The z coordinate (cells) of a particle that is gone. */
static inline float rn_mac_gone_z(const rn_mac_grid *g) { return (float)g->n[2] + 1.0f; }

/* ---- Sources ----------------------------------------------------------------------------------------------------- */

typedef struct rn_mac_source {
    rn_mac_source_def def;
    double owed;     /* particles, 0 or more */
    uint64_t serial; /* number of the next position to try */
    bool removed;
} rn_mac_source;

typedef struct rn_mac_sources {
    rn_mac_source *all;
    size_t room;
    int count;
} rn_mac_sources;

/* Counts of particles since the beginning. */
typedef struct rn_mac_tally {
    int64_t poured, drained, left;
} rn_mac_tally;

/* ---- Gauges ------------------------------------------------------------------------------------------------------ */

typedef struct rn_mac_gauge {
    int8_t *signs[2]; /* of the high sides of columns along x and y; NULL: removed */
    int64_t passed;   /* particles */
} rn_mac_gauge;

typedef struct rn_mac_gauges {
    rn_mac_gauge *all;
    int count;
    size_t room;
} rn_mac_gauges;

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

/* A cell that a body cuts, and the divergence (m/s per cell) that each velocity (m/s) and spin (1/s) causes there. */
typedef struct rn_mac_body_cell {
    int32_t cell;
    float j[6];
} rn_mac_body_cell;

/* A face that belongs to a body in the viscosity solve (rn_mac_is_stuck). Its speed (m/s) is that of the body along the
   axis of the face, and by spin about the next two axes: arms (m) times spins (1/s). */
typedef struct rn_mac_body_face {
    int32_t face;
    int32_t axis;
    float arm[2];
} rn_mac_body_face;

/* Velocity (m/s) and spin (1/s), or impulse and angular impulse. */
typedef struct rn_mac_six {
    double of[6];
} rn_mac_six;

typedef struct rn_mac_body_cells {
    rn_mac_body body;
    double inverse[3][3]; /* 1/m^5, of its inertia */
    rn_mac_body_cell *cells;
    size_t count, room;
    rn_mac_body_face *faces; /* only in a viscous liquid */
    size_t face_count, face_room;
    rn_mac_six x, r, direction, image; /* of the viscosity solve */
    bool joined;                       /* its pools have been found, while pools are balanced */
} rn_mac_body_cells;

typedef struct rn_mac_bodies {
    rn_mac_body_cells *list;
    int count, made; /* bodies, and elements of the list that may own memory */
    size_t room;
} rn_mac_bodies;

/* ---- The pressure solver ----------------------------------------------------------------------------------------- */

/* Cells `begin` to `end` - 1 of a row, some of which are unknowns. */
typedef struct rn_mac_span {
    int32_t begin, end;
} rn_mac_span;

typedef struct rn_mac_level {
    rn_mac_grid grid;
    float *link[3];  /* coupling through the lower faces */
    float *diagonal; /* 0: not an unknown */
    float *inverse;  /* of the diagonal, or 0 */
    float *x, *b, *r;
    rn_mac_span *spans[2]; /* by colour: rows with even and with odd j + k */
    int span_count[2];
    int unknowns; /* cells in spans */
    bool plain;   /* all links between unknowns are 1; only level 0, without a solid */
} rn_mac_level;

enum {
    RN_MAC_LEVELS = 12,
    RN_MAC_GAP = 8,        /* cells; unknowns of a row that are less apart share a span */
    RN_MAC_LONGEST = 1024, /* most cells of a row */
};

/* ---- Everything together ----------------------------------------------------------------------------------------- */

typedef enum rn_mac_kind { RN_MAC_AIR, RN_MAC_LIQUID, RN_MAC_SOLID, RN_MAC_FREE } rn_mac_kind; /* free: p = 0, Gates */

/* Whether a face is known. Higher numbers are layers of extrapolation. */
enum { RN_MAC_UNKNOWN = 0, RN_MAC_KNOWN = 1, RN_MAC_SPRAY = 128 };

enum { RN_MAC_TABLE = 128 }; /* intervals of the table of distances */

typedef struct rn_mac_viscous rn_mac_viscous;

struct rn_mac {
    rn_mac_def def;
    rn_hooks hooks;
    rn_pool *pool;
    rn_mac_grid grid;
    float cell; /* m */
    rn_mac_particles particles;
    rn_mac_sources sources;
    rn_mac_tally tally;
    rn_mac_bodies bodies;
    rn_mac_gauges gauges;
    int32_t *start;       /* first particle of each cell; cells + 1 of them */
    uint8_t *kind;        /* rn_mac_kind of cells */
    uint8_t *known[3];    /* of faces */
    uint8_t *known_to[3]; /* written by the next layer of extrapolation */
    float *velocity[3];   /* m/s, of faces */
    bool fresh;           /* markers: the velocity of particles must still be passed to the grid */
    float *before[3];     /* m/s; FLIP: as found from particles; markers: at the end of the last substep */
    float *distance;      /* cells, from centres of cells to the surface; negative in liquid */
    float *curvature;     /* 1/cells, of the surface, above 0 around drops; NULL: no surface tension */
    float *filled;        /* filled parts of cells, smoothed; only with surface tension */
    float tension;        /* m/s: pressure of surface tension in this substep for a curvature of 1/cell */
    float *open[3];       /* open fractions of faces, from 0 to 1 */
    float *nodes;         /* cells, from corners of cells to the solid, negative inside; NULL: no solid */
    float *room;          /* open fractions of cells; NULL: no solid */
    float *room_seen;     /* open share that trilinear weights find around cells, relative to that expected from `room`;
                             NULL: no solid */
    bool has_parts;       /* the solid divides the box into parts that open faces do not connect */
    float *solid[3];      /* m/s, of the solid at faces; NULL: at rest */
    int32_t *first, *last; /* active cells of rows */
    bool *idle;  /* of rows: neither this row nor one beside or across it has active cells, and there are no bodies */
    bool *built; /* of rows: the finest level may have links and diagonals here */
    bool *has_surface;                   /* of rows: a liquid cell has a face to where p = 0 */
    int32_t *narrow_first, *narrow_last; /* of rows; scratch of rn_mac_find_rows */
    float *scratch;                      /* 6 floats per cell: sums of particles, then arrays of the pressure solver */
    float *pressure, *direction, *image;
    float *shift[3]; /* m/s, of faces: moves particles but is not part of their velocity; NULL: none. In scratch */
    float *fastest;  /* of each chunk of particles: squared speed */
    float *speeds;   /* of each chunk: number of particles at each level of speed */
    double *sums;    /* one per span or row */
    rn_mac_level level[RN_MAC_LEVELS];
    int levels;
    rn_mac_viscous *viscous;       /* NULL: no viscosity */
    float table[RN_MAC_TABLE + 1]; /* distance as a function of the distance to the centre of mass of particles */
    double time, last_dt;          /* s; last_dt: the last substep, 0 if it left no particles */
    rn_mac_report report;
};

/* The active part of row r, from rn_mac_find_rows. */
static inline rn_mac_row rn_mac_active_row(const rn_mac *mac, int r) {
    rn_mac_row row = rn_mac_row_of(&mac->grid, r);
    row.first = mac->first[r];
    row.last = mac->last[r];
    return row;
}

/* The active part of row r that lies in the box; empty if the row lies in the rim. */
static inline rn_mac_row rn_mac_active_inside(const rn_mac *mac, int r) {
    rn_mac_row row = rn_mac_active_row(mac, r);
    if (row.first < 0) row.first = 0;
    if (row.last > mac->grid.n[0] - 1) row.last = mac->grid.n[0] - 1;
    if (!row.inside) row.last = row.first - 1;
    return row;
}

/* Whether a side of the box is open: the low or the high one of an axis. */
static inline bool rn_mac_is_open(const rn_mac *mac, int axis, bool high) {
    return mac->def.open >> (2 * axis + high) & 1u;
}

/* The volume of one particle (m^3). */
static inline double rn_mac_particle_volume(const rn_mac *mac) {
    return mac->def.cell_size * mac->def.cell_size * mac->def.cell_size / RN_MAC_REST;
}

/* Calls task(mac, begin, end, worker) for all rows, including those of the rim. */
static inline void rn_mac_each_row(rn_mac *mac, rn_task task) { rn_parallel_for(mac->pool, mac->grid.rows, task, mac); }

#endif
