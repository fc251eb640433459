/* The data of a surface build: one struct in the caller's scratch, filled pass by pass. build.c has the order of the
   passes; every pass works row by row and writes only to its own row. */
#ifndef RN_SURFACE_SURFACE_H
#define RN_SURFACE_SURFACE_H

#include "surface/each.h"
#include "surface/links.h"

#include <math.h>

enum { RN_NO_MEMBER = 0xff };

/* A vertex that belongs to no column: at the centre of a cell whose column is not joined with wet columns around it,
   because of solid, a flooded passage or the domain's edge, or because they lie on a ledge above it. */
typedef struct rn_extra_vertex {
    int32_t cell;       /* (y + 1)*stride + x + 1 */
    uint8_t members[8]; /* by direction: the layer of the wet column that it is joined with there, or RN_NO_MEMBER */
    bool falls;         /* off a ledge: a lip, from which a sheet may hang */
    bool leaves;        /* falls over an open edge of the domain */
    bool held;          /* contact angles hold the liquid on the ledge: no sheet falls from it */
    uint32_t vertex;
    uint32_t to, leaving, coming; /* sheets: where the one from here leads, and how many leave here and arrive */
    float at[3];                  /* m, relative to the grid's corner and the datum */
    uint32_t corner;              /* sheets: 1 if it makes a triangle of the surface with the lips beside it */
    /* Lips of sheets (sheets.c): */
    struct rn_extra_vertex *ahead, *behind; /* the lips that sheets lead to and come from; NULL: none */
    float next[3];                          /* m, position after the next pass of smoothing */
    float out[2];                           /* level unit vector away from the ledge */
    float foot;                             /* m above the datum, where the sheet ends */
    const struct rn_extra_vertex *chain;    /* the first lip of its chain; of a ring: NULL */
    float along;                            /* m, its way along the chain from the first lip */
    uint32_t below;                         /* the vertex below the lip; others follow it down to the foot */
    bool first;                             /* the first of its chain; only that has the next three: */
    bool free[2];                           /* whether its sheet may draw in at the first and the last lip */
    float length;                           /* m, of the chain */
    float flow_along, start;                /* m^2/s, flow over a metre of the chain; m/s, at the brink */
    int strand; /* cells that the jet from this lip is wide where it starts; 0: there is none (jets.c) */
    float flow; /* m^3/s of that jet */
} rn_extra_vertex;

/* How far vertices inside the liquid move (choppy.c), m per slot; `most` is NULL if they do not. Up to date in rows
   of wet layers. */
typedef struct rn_chop {
    float *most;             /* upper bound of the shift */
    float *low[2], *high[2]; /* along x and y: bounds of the shift; in the end `low` is the shift */
} rn_chop;

typedef struct rn_surface_state {
    rn_links t;
    const rn_surface_columns *columns;
    const rn_surface_def *def;
    rn_mesh *mesh;
    float least;                                   /* m, least depth of the definition */
    float half_per_cell, per_area, per_full_depth; /* 1/m, 1/m^2, 1/m */
    struct rn_meniscus *meniscus;                  /* NULL: no menisci */
    bool outlined;                                 /* the outline of the liquid differs from that of the last build */

    float *z;     /* per slot: m above the datum, drawn surface of a wet column */
    float *fill;  /* per slot: share of its cell that the liquid fills, 0 (dry) to 1 */
    float *reach; /* per slot, wet: how far the liquid extends past its centre, 0 to 1 cells */
    float *trend; /* per slot: m, how much deeper the liquid is behind it; dry: how far below the ground it ends */
    float *moved; /* per slot, dry: m along x and y, position of the liquid's edge relative to its centre; two each */
    rn_chop chop;
    uint32_t *index;       /* per slot: its vertex */
    uint64_t *used;        /* by layer: has a vertex */
    uint64_t *used_layers; /* by row from -1: bits of the layers with a vertex; for others `used` is undefined */
    uint64_t *pouring;     /* by row: cells with wet columns that have links to walls or falls */
    uint64_t *ends;        /* by row: cells that these links lead to */
    uint64_t *weak;        /* by row: cells with columns at the edge of the liquid, or shallow ones */
    uint64_t *traces;      /* by layer: wet columns that the liquid has not really reached, drawn as dry */
    uint64_t *traced;      /* by row: cells with traces */
    bool smooth;           /* the edge is drawn within cells */
    float per_foot;        /* 1/m: with contact angles in motion, one over the depth of the foot; otherwise 0 */
    uint8_t *row_stacked;  /* by row from -1: some column near the liquid is roofed, or not the only one of its cell */
    int32_t *first;        /* per cell with extra vertices: the first of them */
    rn_extra_vertex *extras;
    uint32_t extra_capacity;
    int parts;                              /* of a row, with counts of their own: 1; on a GPU one for each word */
    uint32_t *row_vertices, *row_triangles; /* by row from -1: counts, later sums over the rows before */
    uint32_t *row_extras;                   /* the same by part of a row, like the next */
    uint32_t *row_found;                    /* triangles found, of those estimated */
    uint16_t *quads; /* on a GPU, per cell: triangles of the quad of which it is the corner in the south-west */
    int round;       /* on a GPU: of rn_surface_note */
    uint32_t *ranks; /* on a GPU: a number for each extra vertex */
} rn_surface_state;

/* Like rn_links_row, but writable. */
static inline uint64_t *rn_surface_state_row(const rn_surface_state *w, uint64_t *set, int layer, int y) {
    return set + ((size_t)layer * (size_t)(w->t.ny + 2) + (size_t)(y + 1)) * (size_t)w->t.words;
}

static inline bool rn_is_wet(const rn_surface_state *w, int32_t slot) { return w->t.kind[slot] == RN_SURFACE_WET; }

/* Removes the lowest bit from a word and returns its number. */
static inline int rn_take_bit(uint64_t *word) {
    const int bit = __builtin_ctzll(*word);
    *word &= *word - 1;
    return bit;
}

/* The number of the part of row y that a task works on, from row -1 on. */
static inline size_t rn_part(const rn_surface_state *w, int y, int worker) {
    size_t part = (size_t)(y + 1) * (size_t)w->parts;
    (void)worker;
    RN_APART part += (size_t)worker;
    return part;
}

/* The first extra vertex of row y, or the number of all before it. */
static inline uint32_t rn_extras_before(const rn_surface_state *w, int y) {
    return w->row_extras[(size_t)(y + 1) * (size_t)w->parts];
}

/* The value of a field in the column of this layer and cell; not checked. */
static inline float rn_field_at(const rn_surface_field *f, int layer, int y, int x) {
    return f->data[layer * f->layer_stride + y * f->row_stride + x];
}

/* The smallest depth (m) that a wet column is drawn with. */
static inline float rn_least_depth(const rn_surface_state *w, int layer, int y, int x) {
    if (!w->def->minimum) return w->least;
    return w->def->minimum[((size_t)layer * (size_t)w->t.ny + (size_t)y) * (size_t)w->t.nx + (size_t)x];
}

/* What a build has found. */
typedef struct rn_surface_counts {
    uint64_t vertices, extras, triangles;
} rn_surface_counts;

/* How a build has ended: there was too little room for vertices or extra vertices, or for triangles; or there are jets,
   which the GPU cannot build. */
typedef enum rn_surface_end {
    RN_SURFACE_DONE,
    RN_SURFACE_NO_VERTICES,
    RN_SURFACE_NO_TRIANGLES,
    RN_SURFACE_HAS_JETS
} rn_surface_end;

/* passes.c: runs all passes of a build. Sets the counts of the mesh, on a GPU only *n. */
rn_surface_end rn_surface_passes(rn_surface_state *w, rn_surface_counts *n);
/* Runs a task over items 0 to rows - 1, usually rows, on the threads of the definition if it has any; on a GPU all
   lanes call it, and wait for each other at its end. The task's context is the state. */
void rn_surface_pass(const rn_surface_state *w, int rows, rn_task task);
/* Replaces each count by the sum of those before it, and counts[count] by the sum of all, which is returned. */
uint64_t rn_surface_sum(const rn_surface_state *w, uint32_t *counts, int count);
#if defined(RN_GPU)
/* Any lane: notes that something was found in this round. */
void rn_surface_note(int round);
/* All lanes, after a barrier: whether something was found in the round of the state, whose number grows by 1. */
bool rn_surface_next_round(rn_surface_state *w);
/* All lanes: swaps the two fields of menisci. */
void rn_surface_swap(rn_surface_state *w);
/* A barrier of all lanes. */
void rn_surface_meet(void);
/* All lanes: if there are few items, the first block alone does what follows, which is faster than to wait for others,
   until rn_surface_end_alone. Returns whether this lane takes part. */
bool rn_surface_begin_alone(uint32_t items);
void rn_surface_end_alone(void);
/* The number of this lane among all, and of lanes. */
uint32_t rn_surface_own(void);
uint32_t rn_surface_all(void);
#endif

/* All functions below with the arguments (work, begin, end, worker) are tasks for rn_parallel_for: `work` points to the
   rn_surface_state. A task over rows works on rows begin to end - 1; a task over rows from -1 works on rows begin - 1
   to end - 2. On a CPU `worker` is not used; on a GPU it is the word of these rows that the task works on, and all
   lanes of a rank call the task together (surface/each.h). */

/* find_links.c, in this order: */
/* A task over rows: finds which columns are wet, as bits. */
void rn_links_scan(void *work, int begin, int end, int worker);
/* A task over rows: copies base, ceiling and level of the columns in or near liquid, finds their kinds and drawn
   heights `z`, and clears their links. */
void rn_links_gather(void *work, int begin, int end, int worker);
/* A task over rows: links each wet column in eight directions with a column, a wall or a fall. Sets `interior`, `used`
   and `pouring`. */
void rn_links_find(void *work, int begin, int end, int worker);
/* A task over rows: links dry columns with the wet ones that lead to them, and adds these dry columns to `used`. */
void rn_links_close(void *work, int begin, int end, int worker);

/* fronts.c, the edge of the liquid within its cells, in this order: */
/* A task over rows: sets `trend` of wet columns: how much deeper a neighbour could make them. Marks weak cells. */
void rn_fronts_expect(void *work, int begin, int end, int worker);
/* A task over rows: finds the share of their cells (`fill`) that columns in or beside weak cells fill. */
void rn_fronts_fill(void *work, int begin, int end, int worker);
/* A task over rows, for wet columns in or beside weak cells. Sets `reach`: how far (cells) the liquid's edge lies past
   the centre of the column; it stays 1 where no neighbour could make the column deeper. Marks columns with a reach of 0
   or less as traces: by layer in `traces`, by cell in `traced`. */
void rn_fronts_part(void *work, int begin, int end, int worker);
/* A task over rows: leaves traces and dry columns only the links with columns that stay wet; these keep all links.
   Updates `interior`, `used` and `pouring`. */
void rn_fronts_close(void *work, int begin, int end, int worker);
/* A task over rows, once rn_fronts_close has done all rows: makes traces dry, and sets `moved` of dry columns in use,
   so that their vertices lie at the edge of the liquid. */
void rn_fronts_settle(void *work, int begin, int end, int worker);
/* A task over rows: sets the drawn heights (z) of wet columns at the front, those in or beside weak cells that have a
   neighbour that is not wet, or whose reach is below their fill. */
void rn_fronts_raise(void *work, int begin, int end, int worker);
/* The position of the vertex of a dry column, relative to the centre of its cell and to the datum (m); at[3]: how far
   below the ground it is. Some wet column must be joined with it, and drawn heights must be final. Unless edges are
   smooth, only the height at[2] is not 0. */
void rn_fronts_place(const rn_surface_state *w, int32_t slot, int layer, float at[4]);

/* Call it after rn_vertices_close: whether the liquid ends on the ground at a dry column, instead of continuing into
   it. Returns false for wet columns, and unless edges are smooth. */
bool rn_fronts_ends(const rn_surface_state *w, int32_t slot);

/* contact_line.c: these replace rn_fronts_expect, fill, part and raise for liquid that contact angles hold together. */
/* A task over rows: marks cells with columns that are shallower than the foot, or at the edge, as weak. Sets `fill` of
   all wet columns to 0 and `reach` to 1. */
void rn_line_mark(void *work, int begin, int end, int worker);
/* A task over rows: finds which columns of weak cells are in the middle of a film (fill 1; all others 0). */
void rn_line_sort(void *work, int begin, int end, int worker);
/* A task over rows: makes columns outside the contact line that belong to no film traces, which are drawn as dry (sets
   `traces` and `traced`). Sets `reach` of all columns in weak cells. */
void rn_line_part(void *work, int begin, int end, int worker);
/* A task over rows: sets the drawn depths of columns in weak cells that are shallower than the foot. */
void rn_line_raise(void *work, int begin, int end, int worker);
/* How far (cells) the contact line is from a wet column towards a dry one, which is joined with it in direction d; 1 if
   the surface does not fall in that direction. Films end where they are too thin to be drawn. */
float rn_line_reach(const rn_surface_state *w, int32_t wet, int layer, int d, int32_t dry);
/* The height (m) at a dry column of the surface that goes on from a wet one in direction d with its angle. For a film
   it is the dry ground; where the ground drops by more than a cell, it is the wet column's ground: the brink holds the
   liquid. */
float rn_line_height(const rn_surface_state *w, int32_t wet, int layer, int d, int32_t dry);

/* extras.c */
/* A task over rows from -1: marks the cells where the surface ends (w->ends), counts the extra vertices of each row and
   adds them to its vertices. Call it after rn_vertices_count. */
void rn_extras_count(void *work, int begin, int end, int worker);
/* On a GPU, a task over rows from -1 that comes before that: marks these cells. */
void rn_extras_mark(void *work, int begin, int end, int worker);
/* Creates the extra vertices of row y; those of the row are numbered from `vertex` on. w->row_extras must have been
   summed. */
void rn_extras_make(const rn_surface_state *w, int y, int worker, uint32_t vertex);
/* The extra vertex that a wet column has in a direction, or NULL if there is none (no_edges). Its link there must be a
   wall or a fall. */
const rn_extra_vertex *rn_extra_vertex_find(const rn_surface_state *w, int32_t slot, int layer, int direction);
/* The depth (m) of the deepest column beside a lip: straight across from it or, if there is none, across a corner. */
float rn_extra_depth(const rn_surface_state *w, const rn_extra_vertex *e);

/* vertices.c, in this order: */
/* A task over rows from -1: counts the vertices of each row (row_vertices), without extra ones. */
void rn_vertices_count(void *work, int begin, int end, int worker);
/* A task over rows from -1: numbers the vertices of all columns and writes those of wet ones; clears mesh->menisci.
   row_vertices must have been summed. */
void rn_vertices_fill(void *work, int begin, int end, int worker);
/* A task over rows from -1: creates the extra vertices, and writes these and the vertices of dry columns, as means of
   the wet ones that they are joined with. */
void rn_vertices_close(void *work, int begin, int end, int worker);

/* choppy.c, after the heights of vertices are known and before rn_vertices_fill, in this order: */
/* A task over rows: begins the shifts of vertices, and limits their changes along x. */
void rn_chop_rows(void *work, int begin, int end, int worker);
/* A task over sets of 64 columns along x: limits the changes of shifts along y, and leaves the final ones in `low`. */
void rn_chop_columns(void *work, int begin, int end, int worker);
/* Moves the vertices of a run of columns inside the liquid, from vertex `first` on, whose positions are written, and
   sets their normals if the mesh has any. */
void rn_chop_run(const rn_surface_state *w, int32_t slot, int count, uint32_t first);
/* The normal of any wet column beside vertices that have moved. */
void rn_chop_normal(const rn_surface_state *w, int32_t slot, int layer, float normal[3]);

/* minimum.c: the columns around a vertex of the terrain, as indices into the dense array, and the smallest depth (m)
   that each must be drawn with to cover it. Returns false if the vertex is skipped: its normal (may be NULL) points
   down, a cell around it has no column, or it would need a column more than a cell deep. */
bool rn_minimum_of(const rn_surface_columns *columns, const float *vertex, const float *normal, size_t slots[4],
                   float high[4]);

/* bend.c: menisci. Call order: rn_vertices_fill, rn_bend_wet, rn_vertices_close, rn_bend_edges. */
/* A task over rows: tilts the vertices of wet columns in reach of a meniscus, or writes mesh->menisci instead if there
   is such an array. Lifts (or lowers) them if the definition has a rise. */
void rn_bend_wet(void *work, int begin, int end, int worker);
/* A task over rows from -1: lifts (or lowers) all other vertices but the lips of falls by the mean over the wet columns
   joined with them. Call it only if the definition has a rise. */
void rn_bend_edges(void *work, int begin, int end, int worker);

/* triangles.c: tasks over rows of quads from -1, which are between rows y and y + 1. */
/* Estimates how many triangles a row needs (row_triangles). */
void rn_triangles_expect(void *work, int begin, int end, int worker);
/* Writes the triangles of a row as far as the estimates, summed, leave room, counts them (row_found) and records
   sheets. Writes none if the estimates exceed the mesh's capacity. */
void rn_triangles_find(void *work, int begin, int end, int worker);
/* Closes the gaps that the estimates have left. Returns false, with nothing moved, if a row needs more than estimated
   or the estimates exceed the mesh's capacity: then sum row_found and call rn_triangles_fill. */
bool rn_triangles_close_up(const rn_surface_state *w);
/* Writes the triangles of a row at the place given by row_found, summed, as far as the mesh has room. */
void rn_triangles_fill(void *work, int begin, int end, int worker);

/* sheets.c: falling sheets. rn_triangles_find has recorded them; call these once all triangles are written and
   row_found is summed. */
/* Finds the chains of lips and smooths them, which moves vertices of the mesh. Sets *lips and *strips to the numbers of
   lips and of the strips between them; both are 0 with no_sheets. */
void rn_sheets_find(const rn_surface_state *w, uint32_t *lips, uint32_t *strips);
/* Whether liquid falls from some extra vertex, and sheets or jets are wanted. */
bool rn_sheets_any(const rn_surface_state *w);
/* Writes sheets of `rows` vertices below each lip. `vertex`, `triangle`: the first ones of the mesh to write. */
void rn_sheets_fill(const rn_surface_state *w, int rows, uint32_t vertex, uint32_t triangle);

/* Where liquid is, seen from above, `time` s after it has left a lip of a sheet: at[0..1] as in rn_extra_vertex,
   out[0..1] as there; at[2]: the height (m above the datum) where it ends. Returns by how much it has gathered:
   thickness over that of a sheet as wide as its chain. */
float rn_sheets_gather(const rn_surface_state *w, const rn_extra_vertex *e, float time, float at[3], float out[2]);

/* How far (m) a sheet falls from a lip before it breaks up into drops: its strands by then hold nearly all of it. Thin
   sides do not break up before the rest, which sweeps them up. */
float rn_sheets_whole(const rn_surface_state *w, const rn_extra_vertex *e);

/* jets.c: jets and drops. */
/* The numbers of vertices and triangles that the jets of pours need at most. */
void rn_jets_room(const rn_surface_def *def, size_t *vertices, size_t *triangles);
/* Adds jets and drops to the mesh behind all else, as long as there is room for them: those of pours, then those of
   lips that rn_sheets_find has marked. Does nothing without w->def->jets. */
void rn_jets_fill(const rn_surface_state *w);

#endif
