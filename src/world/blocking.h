/* Turns the poses of bodies into solid parts of cells and faces, from which world/apply.c makes columns. */
#ifndef RN_WORLD_BLOCKING_H
#define RN_WORLD_BLOCKING_H

#include "world/blocking_faces.h"
#include "world/world.h"

enum {
    RN_OF_CELLS = 2,
    RN_KINDS_OF_STEPS
}; /* kinds of changes of the solid share: in cells; 0 and 1: in the faces
      along that axis */

/* The last rasterisation of a body; memory from libc, because threads share the work. `steps` are changes of the solid
   share with height. */
typedef struct rn_body_raster {
    rn_pose pose;
    bool blocked, swept, moving;
    bool failed;    /* out of memory */
    rn_vec3 centre; /* m, centre of mass if it is moving */
    double *positions;
    size_t vertices;                           /* capacity of positions */
    rn_share_changes steps[RN_KINDS_OF_STEPS]; /* sorted */
    rn_share_change *scratch;
    size_t scratch_capacity;
} rn_body_raster;

struct rn_blocking_state {
    rn_body_raster *rasters;
    size_t count;
    rn_cover now, before, faces[2];
    struct rn_run *runs, *other_runs; /* the changes of each body in each cell, and room to sort them */
    size_t run_count, run_capacity, other_capacity;
    rn_share_changes steps; /* of a cell with several bodies */
    rn_share_change *scratch;
    size_t scratch_capacity;
    rn_face_blockages shuts;
    bool moving; /* some body was moving when last rasterised */
};

/* Finds the solid of all blocking bodies, and marks cells that changed as stale. Clears bodies.advanced and, on
   success, `moved` and `placed` of all bodies. Does nothing if no blocking body has changed, and no trace or squeezed
   column waits for time to advance. Returns RN_MEMORY, with a message, if memory runs out; then bodies are rasterised
   again the next time. Returns RN_INVALID, with a message, if the solver does not support blocking bodies. */
rn_result rn_blocking_look(rn_world *world);
/* Passes to the solver how far bodies shut the faces between cells; call it once columns are made. Does nothing if no
   body has blocked yet. */
void rn_blocking_shut(rn_world *world);
/* The solid ranges (m above the datum) of bodies in a cell, bottom to top; *count is their number. NULL, with *count 0,
   if there are none. Valid until the next rn_blocking_look. */
const rn_solid_range *rn_blocking_cell(const rn_world *world, int x, int y, int *count);
/* The share above which solid that begins `above` (m) over the ground of a cell counts as covering all of it: smaller
   over open liquid if the solver takes explicit steps. */
float rn_blocking_sealed(const rn_world *world, float above);
/* The height (m) of a gap between a body and the ground that still counts as closed; 0 with RN_CAN_ANY_DT. */
float rn_blocking_chink(const rn_world *world);
/* The changes of solid share with height in the cells that a body of this world covers, sorted by cell, and by height
   within a cell. Valid until the next rn_blocking_look. Returns NULL if the body does not block, was not rasterised at
   its current pose, or is set to RN_BLOCKING_CELLS. */
const rn_share_changes *rn_blocking_steps(const rn_world *world, const rn_body *body);
/* Frees all that world/blocking.c has allocated, as if no body had ever blocked; columns stay as they are. */
void rn_blocking_free(rn_world *world);
size_t rn_blocking_bytes(const rn_world *world); /* memory held; 0 if no body has blocked yet */

/* Makes room for all bodies; on the first call, prepares the world and its columns for blocking bodies, and leaves no
   state if that fails. On failure returns RN_INVALID (the solver does not support them) or RN_MEMORY, with a
   message. */
rn_result rn_blocking_make(rn_world *world);
/* Replaces the changes of solid share in `g` by those of a body at its current pose, none if the body does not block,
   and sets g->pose, blocked, moving and swept. Frees the arrays of a body that was removed. Returns false, with a
   message, if memory runs out; the changes are then incomplete, and the caller sets g->failed. */
bool rn_blocking_rasterise(const rn_world *world, const rn_body *body, rn_body_raster *g);

/* ---- For snapshots (world/blocking_bytes.c) ---- */

/* Writes the state of blocking bodies to `to`, which has room, or only counts if it is NULL; returns the number of
   bytes, at least that of an empty header. */
size_t rn_blocking_pack(const rn_world *world, void *to);
/* Whether these bytes can come from rn_blocking_pack of a world with this grid and no more bodies than this one.
   Changes nothing and leaves no message. */
bool rn_blocking_check(const rn_world *world, const void *bytes, size_t size);
/* Restores the state from bytes that passed rn_blocking_check, rasterises all bodies at the poses stored there, and
   clears their marks `moved` and `placed`. If no body had blocked then, only frees the present state. Columns stay as
   they are. Returns RN_MEMORY, with a message, if memory runs out; then the state is incomplete. Returns RN_INVALID if
   the solver does not support blocking bodies (with a message), or the bytes have the wrong size (without). */
rn_result rn_blocking_unpack(rn_world *world, const void *bytes, size_t size);

#endif
