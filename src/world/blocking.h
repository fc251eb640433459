/* From the poses of bodies to what is solid of cells and faces: world/apply.c makes columns of it. */
#ifndef RN_WORLD_BLOCKING_H
#define RN_WORLD_BLOCKING_H

#include "world/blocking_faces.h"
#include "world/world.h"

enum { RN_OF_CELLS = 2, RN_KINDS_OF_STEPS }; /* 0 and 1: of the faces along that axis */

/* A body as it was last looked at; from libc, because threads share the work. */
typedef struct rn_body_raster {
    rn_pose pose;
    bool blocked, swept, moving;
    bool failed;    /* out of memory */
    rn_vec3 centre; /* m, of mass, if it is moving */
    double *positions;
    size_t vertices;                           /* that there is room for */
    rn_share_changes steps[RN_KINDS_OF_STEPS]; /* in order */
    rn_share_change *scratch;
    size_t scratch_capacity;
} rn_body_raster;

struct rn_blocking_state {
    rn_body_raster *rasters;
    size_t count;
    rn_cover now, before, faces[2];
    struct rn_run *runs, *other_runs; /* what each body has in each cell, and room to sort them */
    size_t run_count, run_capacity, other_capacity;
    rn_share_changes steps; /* of a cell with several bodies */
    rn_share_change *scratch;
    size_t scratch_capacity;
    rn_face_blockages shuts;
    bool moving; /* some body was, when last looked at */
};

/* Finds the solid of all bodies that block, and makes the cells stale that have changed. */
rn_result rn_blocking_look(rn_world *world);
/* Tells the solver how far bodies shut the faces between cells, once columns are made. */
void rn_blocking_shut(rn_world *world);
/* The solid ranges (m above the datum) that bodies have in a cell, bottom to top; NULL: none. */
const rn_solid_range *rn_blocking_cell(const rn_world *world, int x, int y, int *count);
/* The share above which solid that begins `above` (m) over the ground of a cell counts as all of it. */
float rn_blocking_sealed(const rn_world *world, float above);
/* The height (m) up to which a gap between a body and the ground counts as none. */
float rn_blocking_chink(const rn_world *world);
/* The steps of a body's surface where it is now, if they are known because it blocks; otherwise NULL. */
const rn_share_changes *rn_blocking_steps(const rn_world *world, const rn_body *body);
void rn_blocking_free(rn_world *world);
size_t rn_blocking_bytes(const rn_world *world); /* memory held */

/* Makes room for all bodies, and the first time prepares the world for bodies that block. */
rn_result rn_blocking_make(rn_world *world);
/* Finds what a body covers where it is now, and notes its pose; false without memory. */
bool rn_blocking_rasterise(const rn_world *world, const rn_body *body, rn_body_raster *g);

/* ---- For snapshots (world/blocking_bytes.c) ---- */

/* Writes what is known of bodies that block to `to`, or only counts if it is NULL; returns the number of bytes. */
size_t rn_blocking_pack(const rn_world *world, void *to);
/* Whether bytes can have been written by rn_blocking_pack. */
bool rn_blocking_check(const rn_world *world, const void *bytes, size_t size);
/* Restores the state in these bytes, which were checked. Columns stay as they are. */
rn_result rn_blocking_unpack(rn_world *world, const void *bytes, size_t size);

#endif
