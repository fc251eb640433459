/* The surface of the liquid as triangles made from its columns, for a renderer or a file.

   Pure functions over buffers that the caller owns. Ask rn_surface_bound for their sizes, once and again whenever
   solid has changed; then call rn_surface_build for each frame, which allocates nothing. The same columns give the
   same mesh, to the bit, for any number of threads. docs/surface.md has the method. */
#ifndef RUNNEL_SURFACE_H
#define RUNNEL_SURFACE_H

#include <runnel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Meshes --------------------------------------------------------------------------------------- */

#define RN_CLOSED_ID 0xffffffffu

/* Triangles of a liquid or a solid. Arrays other than positions and indices may be NULL: not wanted, or not known. */
typedef struct rn_mesh {
    float *positions;  /* m, x y z of each vertex */
    float *normals;    /* unit length, x y z of each vertex */
    float *colours;    /* linear red green blue of each vertex, 0 to 1; rn_surface_build writes none */
    float *opacity;    /* 0 (clear) to 1, one per vertex */
    float *velocities; /* m/s, x y z of each vertex */
    float *menisci; /* four per vertex: x and y of the direction to the nearest boundary, psi (radians) and its share (0
                       to 1), see kernels/meniscus.h; the normals are then without the meniscus, for a shader to tilt */
    uint32_t *ids; /* one per vertex, see rn_surface_build; of ground, its coat (rn_paint); all RN_CLOSED_ID: the closed
                      surface of a 3D liquid */
    uint32_t *indices; /* three per triangle, counter-clockwise seen from outside; for liquid, from above */
    uint32_t vertex_count, triangle_count;
    uint32_t vertex_capacity, triangle_capacity; /* how many fit into the arrays */
} rn_mesh;

/* ---- Columns ---------------------------------------------------------------------------------------- */

/* One value per column: data[layer*layer_stride + y*row_stride + x], as in rn_view. NULL data: absent. */
typedef struct rn_surface_field {
    const float *data;
    ptrdiff_t row_stride, layer_stride;
} rn_surface_field;

/* The columns of a liquid from any origin; rn_surface_columns_of gives those of a world. Layer 0 is the lowest
   column of each cell, and the layers of a cell are filled without gaps. A slot without a column has a base of
   RN_NO_COLUMN or more, or below 0 (a hole that liquid falls into). Only cells 0 to cells_x - 1 and 0 to cells_y - 1
   are read, no rim. */
typedef struct rn_surface_columns {
    int cells_x, cells_y, layers;
    float cell_size;                 /* m */
    float origin_x, origin_y, datum; /* m, corner of the grid; zero height of base, ceil and effective */
    float quantum;                   /* m, of depth; 0: none */
    float lid;           /* m above the datum: a ceiling at this height is open sky; 0: every ceiling is solid */
    float gravity;       /* m/s^2, for falling sheets; 0: 9.81 */
    uint32_t open_sides; /* bit 1 << rn_side: liquid falls over that edge of the domain; 0: all edges are walls */
    float contact_foot;  /* m, rn_world_contact_foot: the edge is drawn at its contact angle, films beside it as films,
                            and menisci only at walls; 0: none of it */
    rn_surface_field base, ceil; /* m above the datum */
    rn_surface_field depth;      /* m */
    rn_surface_field flux_x,
        flux_y;                 /* m^3/s to the column at +x, +y of the same layer, for velocities; may be absent */
    rn_surface_field effective; /* m above the datum, drawn in place of base + depth if it lies in the column: for
                                   bodies that push the surface down (Kellomäki 2014, 3.6); may be absent */
} rn_surface_columns;

/* The open edges of a world, for rn_surface_columns.open_sides. */
RN_API uint32_t rn_world_open_sides(const rn_world *world);

/* The columns of a world as they are now, with its bodies in them, and without `effective`. Valid as long as its
   views. If a backend fails, the fields have no data. */
static inline rn_surface_columns rn_surface_columns_of(const rn_world *world) {
    const rn_world_info info = rn_world_describe(world);
    const rn_field fields[5] = {RN_FIELD_BASE, RN_FIELD_CEIL, RN_FIELD_DEPTH, RN_FIELD_FLUX_X, RN_FIELD_FLUX_Y};
    rn_surface_field found[5];
    rn_surface_columns c;
    for (int i = 0; i < 5; i++) {
        const rn_view view = rn_world_view(world, fields[i]);
        found[i].data = view.data;
        found[i].row_stride = view.row_stride;
        found[i].layer_stride = view.layer_stride;
    }
    c.cells_x = info.cells_x;
    c.cells_y = info.cells_y;
    c.layers = info.layers;
    c.cell_size = (float)info.cell_size;
    c.origin_x = (float)info.origin_x;
    c.origin_y = (float)info.origin_y;
    c.datum = (float)info.datum;
    c.quantum = (float)info.quantum;
    c.lid = (float)(info.lid - info.datum);
    c.gravity = (float)info.gravity;
    c.open_sides = rn_world_open_sides(world);
    c.contact_foot = (float)rn_world_contact_foot(world);
    c.base = found[0];
    c.ceil = found[1];
    c.depth = found[2];
    c.flux_x = found[3];
    c.flux_y = found[4];
    c.effective.data = NULL;
    c.effective.row_stride = c.effective.layer_stride = 0;
    return c;
}

/* The number of values in a dense array of the columns: layer by layer, row by row, x fastest, without rim. */
static inline size_t rn_surface_slots(const rn_surface_columns *columns) {
    return (size_t)columns->layers * (size_t)columns->cells_y * (size_t)columns->cells_x;
}

/* ---- Least heights (Dagenais 2018, 4.4) ---------------------------------------------------------------- */

/* Vertices of the terrain's mesh. The drawn surface of even a thin film must cover them. */
typedef struct rn_surface_ground {
    const float *positions; /* m, x y z of each vertex */
    const float *normals;   /* x y z of each vertex; NULL: all face up */
    size_t count;
} rn_surface_ground;

/* A rectangle of cells from (x0, y0) up to, but not including, row y1 and column x1. */
typedef struct rn_surface_area {
    int x0, y0, x1, y1;
} rn_surface_area;

/* Finds the smallest depth (m) to draw in each column, at least 0.05 cells, so that no terrain vertex sticks out of the
   triangles over wet columns, whichever way their diagonals run. Exceptions are vertices that face down, and those that
   would need a bump of more than a cell above all bases around. minimum: a dense array of rn_surface_slots values.
   area: the cells whose terrain has changed; `ground` must then hold all vertices in or beside them (others are
   skipped). If area is NULL, finds the depths of all cells. */
RN_API void rn_surface_minimum(const rn_surface_columns *columns, const rn_surface_ground *ground,
                               const rn_surface_area *area, float *minimum);

/* ---- Building ------------------------------------------------------------------------------------------- */

struct rn_pool;
struct rn_device;

/* Liquid that a source pours through the air. */
typedef struct rn_surface_pour {
    float at[3];  /* m, centre of its spout */
    float radius; /* m, of the spout; 0: 0.3 cells */
    float rate;   /* m^3/s */
} rn_surface_pour;

/* What draws thin streams as round jets that break up into drops: falls from ledges at most two cells wide, which are
   otherwise sheets or nothing, and pours. */
typedef struct rn_surface_jets {
    const rn_surface_pour *pours; /* from rn_world_pours */
    int pour_count;
    double time;     /* s, moves beads and drops */
    float tension;   /* m^3/s^2, surface tension divided by density; 0: jets do not break up */
    float viscosity; /* m^2/s */
} rn_surface_jets;

/* Zero means default. */
typedef struct rn_surface_def {
    const float *minimum; /* m, from rn_surface_minimum; NULL: least_depth everywhere */
    float least_depth;    /* m, least depth to draw of any liquid; default 0.05 cells; below 0: none */
    float full_depth;     /* m, depth at which the liquid is opaque; default 2 cells */
    float choppiness;     /* m: vertices move up the slope by this times the slope, as far as no triangle turns over;
                             default 0 */
    bool raw_boundaries;  /* dry vertices stay on their dry ground, and walls get no vertices (Fig. 9, left) */
    bool whole_cells;     /* the edge of the liquid moves by whole cells, as in the paper */
    bool no_sheets;       /* draws no falling sheets where liquid pours over an edge */
    bool no_edges;        /* the surface ends at the centres of the outermost cells instead of the edge of the domain */
    float meniscus_length; /* m, width over which a boundary bends the surface; default 0: none */
    float contact_angle;   /* degrees, between liquid and solid */
    bool meniscus_rise;    /* also raises the surface, as real geometry; the length is then the capillary length */
    void *kept; /* rn_surface_room.kept bytes that the builds of one liquid share, to recompute menisci only when its
                   outline changes; zero it at first and whenever solid has changed. NULL: recompute every time */
    struct rn_pool *threads;     /* from rn_world_threads, to share the work; NULL: only the calling thread */
    const rn_surface_jets *jets; /* for jets and drops; NULL: none. They are closed: parts of them face down */
    struct rn_device *device;    /* from rn_world_device: builds there, see below; NULL: on the CPU */
} rn_surface_def;

/* A definition with all defaults. */
RN_API rn_surface_def rn_surface_default(void);

/* The threads of a world, to be used while it is not stepping. Valid as long as the world. */
RN_API struct rn_pool *rn_world_threads(const rn_world *world);
/* Writes the first `room` of the pours that a world has now: disks that pour a rate, wherever their spouts are. Returns
   how many there are; 0 for a 3D liquid, which shows its jets itself. `pours` may be NULL if room is 0. */
RN_API int rn_world_pours(const rn_world *world, rn_surface_pour *pours, int room);

/* The most that a build can need, whatever the depths in these columns. */
typedef struct rn_surface_room {
    size_t scratch; /* bytes */
    size_t kept;    /* bytes of rn_surface_def.kept, 0 without menisci */
    size_t vertices, triangles;
} rn_surface_room;

/* Finds the sizes of the buffers from bases and ceilings alone; depths do not matter. Returns RN_INVALID if a value is
   invalid, or the columns of a cell overlap. Returns RN_LIMIT if there are too many for 32-bit ids, or more than 63
   layers. *room is all 0 then. */
RN_API rn_result rn_surface_bound(const rn_surface_columns *columns, const rn_surface_def *def, rn_surface_room *room);

/* Fills the arrays of the mesh that are not NULL, up to its capacities, and sets its counts. `scratch` is aligned to 8
   bytes and has `bytes` bytes; its content does not matter.

   Ids: the vertex of a column has (layer*cells_y + y)*cells_x + x. Other vertices (at walls under overhangs, at the
   domain's edge, in falling sheets) have larger ids, which encode their cell, the neighbour they belong to and their
   row in a sheet (rn_surface_sheet_row). The same vertex has the same id in every frame, so that a renderer can follow
   it. Jets and drops are the last vertices and triangles; their ids are counted anew in each frame, from
   rn_surface_first_jet on.

   On failure the mesh is empty. Returns RN_INVALID if a value is invalid or the mesh lacks positions or indices, or
   RN_LIMIT if the buffers are smaller than rn_surface_bound said. */
RN_API rn_result rn_surface_build(const rn_surface_columns *columns, const rn_surface_def *def, void *scratch,
                                  size_t bytes, rn_mesh *mesh);

enum { RN_SHEET_ROWS = 8 };

/* ---- On a GPU ------------------------------------------------------------------------------------------------------

   With rn_surface_def.device, rn_surface_build runs on the GPU that a world runs on, and gives the same mesh to the
   bit. Set the device before rn_surface_bound: more scratch is needed. What the GPU reads and writes must lie in memory
   that it sees:
   - the fields of the columns: those of the world (rn_surface_columns_of) do, others from rn_device_alloc;
   - `minimum` and `scratch`: from rn_device_alloc. `kept` is not used, and rn_surface_room.kept is 0;
   - the arrays of the mesh: from rn_device_alloc, or any address of the device, for instance a buffer of a graphics API
     (cudaGraphicsResourceGetMappedPointer). The rn_mesh itself, the definition and the columns are read by the host.

   A build starts at once and is done when the call returns. If the GPU fails, the CPU builds the surface and copies it
   to memory of rn_device_alloc; a mesh elsewhere is RN_DRIVER then.

   More than 8 layers, choppy waves, jets and drops are built on the CPU, wholly, then copied to the mesh; a log message
   says so. One thread at a time may build on a device, and not while its world steps. */
typedef struct rn_device rn_device;

/* The device that a world runs on; NULL if that is the CPU, also after a failure of the GPU, or, with a message, if it
   has too little memory. Valid as long as the world. */
RN_API rn_device *rn_world_device(const rn_world *world);
/* Memory that the device and the host see, not cleared; NULL, with a message, if there is too little. Free it before
   the world. */
RN_API void *rn_device_alloc(rn_device *device, size_t bytes);
/* NULL is allowed. */
RN_API void rn_device_free(rn_device *device, void *memory);
/* Copies between memory of the host, of both or of the device alone. Returns RN_INVALID for NULL, and RN_DRIVER if the
   driver fails. */
RN_API rn_result rn_device_copy(rn_device *device, void *to, const void *from, size_t bytes);

/* The first id that vertices of jets and drops have; all other ids but RN_CLOSED_ID are smaller. */
static inline size_t rn_surface_first_jet(const rn_surface_columns *columns) {
    const size_t cells = ((size_t)columns->cells_x + 2) * ((size_t)columns->cells_y + 2);
    return rn_surface_slots(columns) + (1 + RN_SHEET_ROWS) * 8 * cells * (size_t)columns->layers;
}

/* How far down a falling sheet the vertex with this id is: 0 at its lip, on the rest of the surface and for
   RN_CLOSED_ID; RN_SHEET_ROWS at the foot of the finest sheets, and in jets and drops. */
static inline int rn_surface_sheet_row(const rn_surface_columns *columns, uint32_t id) {
    const size_t slots = rn_surface_slots(columns);
    if (id < slots || id == RN_CLOSED_ID) return 0;
    return id >= rn_surface_first_jet(columns) ? (int)RN_SHEET_ROWS : (int)((id - slots) % (1 + RN_SHEET_ROWS));
}

#ifdef __cplusplus
}
#endif

#endif
