/* What world/blocking.c finds out about bodies that block, for the files that make faces and bytes of it. */
#ifndef RN_WORLD_BLOCKING_H
#define RN_WORLD_BLOCKING_H

#include "bodies/raster.h"
#include "world/world.h"

#define RN_TRACE 0x1p-20f /* a share that is hardly there */
enum { RN_MOST_STRETCHES = 24 };
enum { RN_OF_CELLS = 2, RN_KINDS_OF_STEPS }; /* 0 and 1: of the faces along that axis */

/* A body as it was last looked at; from libc, because threads share the work. */
typedef struct rn_glance {
    rn_pose pose;
    bool blocked, swept, moving;
    bool failed;    /* out of memory */
    rn_vec3 centre; /* m, of mass, if it is moving */
    double *positions;
    size_t vertices;                   /* that there is room for */
    rn_steps steps[RN_KINDS_OF_STEPS]; /* in order */
    rn_step_up *scratch;
    size_t scratch_capacity;
} rn_glance;

/* The stretches of one cell, or of one face. */
typedef struct rn_covered {
    int32_t cell;
    int32_t first, count;
} rn_covered;

typedef struct rn_speed {
    float along[2]; /* m/s */
} rn_speed;

typedef struct rn_cover {
    void *cells; /* rn_covered, in order */
    size_t count, capacity;
    void *stretches; /* rn_stretch, m above the datum */
    size_t stretch_count, stretch_capacity;
    void *speeds; /* rn_speed of the body there, cell by cell; NULL: of faces */
    size_t speed_capacity;
} rn_cover;

struct rn_blocking_state {
    rn_glance *glances;
    size_t count;
    rn_cover now, before, faces[2];
    void *runs, *other_runs; /* what each body has in each cell, and room to sort them */
    size_t run_count, run_capacity, other_capacity;
    rn_steps steps; /* of a cell with several bodies */
    rn_step_up *scratch;
    size_t scratch_capacity;
    void *shuts; /* rn_shut */
    size_t shut_count, shut_capacity;
    bool moving; /* some body was, when last looked at */
};

static inline const rn_covered *rn_covered_at(const rn_cover *c, size_t i) { return (const rn_covered *)c->cells + i; }
static inline const rn_stretch *rn_stretches_of(const rn_cover *c, const rn_covered *cell) {
    return (const rn_stretch *)c->stretches + cell->first;
}
/* 0 of no cell. */
float rn_cover_greatest(const rn_cover *c, const rn_covered *cell);

/* Room for all bodies, the first time for all the rest too. */
rn_result rn_blocking_make(rn_world *world);
/* Takes over where a body is now and what it covers; false without memory. */
bool rn_blocking_glance(const rn_world *world, const rn_body *body, rn_glance *g);
/* How far faces are shut by what covers cells and faces; false without memory (world/blocking_faces.c). */
bool rn_blocking_faces(const rn_world *world, bool swept);

#endif
