/* Where liquid meets solid, its surface bends (Dagenais 2018, section 5): distance and direction to the nearest
   boundary, and how much the surface tilts and rises there. docs/meshes.md has the method. */
#ifndef RN_SURFACE_MENISCUS_H
#define RN_SURFACE_MENISCUS_H

#include "surface/links.h"

typedef struct rn_meniscus_def {
    float length;        /* m, beyond the contact line nothing is tilted farther away than this; at most 200 cells */
    float contact_angle; /* degrees, between liquid and solid */
    float capillary;     /* m, the capillary length for `rise`; 0: no rise */
} rn_meniscus_def;

/* Where the middle of the nearest boundary cell is: cells along x and y, and its distance squared. */
typedef struct rn_nearest {
    int16_t x, y;
    int32_t square;
} rn_nearest;

/* Per slot of the links; up to date for the columns of `band` only: wet ones that a boundary may be near. */
typedef struct rn_meniscus {
    int words;
    uint64_t *band;         /* by layer, a bit for each cell as in rn_links */
    float *distance;        /* m to the middle of the nearest boundary cell; INFINITY: too far to matter */
    rn_nearest *nearest;    /* and where that is */
    float *psi;             /* radians that the surface rises towards it at the contact line */
    float *share;           /* of psi here: 1 at the contact line, 0 at the meniscus length */
    float *direction;       /* horizontal unit vector to the boundary, x and y per slot */
    float *rise;            /* m that the surface is lifted; written if def.capillary > 0 */
    float *raw;             /* of the first ring: psi there; below: what is kept to find the rest */
    float *smooth;          /* m, the distance with that of the neighbours */
    float *sure;            /* 0 to 1: less where two boundaries are equally near */
    float *offset;          /* m, of the first ring: how far the contact line is before the boundary cell's middle */
    float *even;            /* and with that of the neighbours */
    float *own;             /* radians, psi of the nearest boundary alone */
    uint16_t *ways;         /* of columns that are not inside: directions in which the surface ends, as bits; from bit 8
                               on those in which it goes on to a wet column */
    int32_t *seed;          /* the column of the first ring that the nearest boundary was found from */
    uint64_t *grown, *rows; /* scratch of the band */
    bool passing;           /* nobody keeps it: no need to ask whether it has changed */
    uint64_t seen;          /* what the field was made of: outline and ground; 0: not made yet */
    rn_meniscus_def def;    /* and how */
} rn_meniscus;

/* How much memory a meniscus over these links needs, and giving it that memory, aligned to 8 bytes. */
size_t rn_meniscus_bytes(const rn_links *links);
void rn_meniscus_place(rn_meniscus *meniscus, const rn_links *links, void *memory);

/* Finds distances and directions, unless neither the outline of the liquid nor the ground along it has changed since
   the last time, in the same memory (section 8); true: they were found. Then share and rise, from where the contact
   line is within its cells now: `reach` is how far past the middle of each wet column at the edge the liquid goes
   (cells, per slot), and NULL if that is not known. Threads of the pool, which may be NULL, share what can be shared;
   the result is the same. */
bool rn_meniscus_find(rn_meniscus *meniscus, const rn_links *links, const float *reach, const rn_meniscus_def *def,
                      rn_pool *pool);

/* The same in two parts, for who has other work for the threads: first what one thread does alone, then the rest. */
bool rn_meniscus_trace(rn_meniscus *meniscus, const rn_links *links, const rn_meniscus_def *def);
void rn_meniscus_shape(rn_meniscus *meniscus, const rn_links *links, const float *reach, bool traced, rn_pool *pool);

static inline bool rn_meniscus_has(const rn_meniscus *m, const rn_links *t, int layer, int y, int x) {
    return rn_links_in(rn_links_row(t, m->band, layer, y), x);
}

/* What a column's vertex becomes: its normal tilted, and how much (m) higher it stands. */
float rn_meniscus_bend(const rn_meniscus *meniscus, const rn_links *links, int layer, int y, int x, float normal[3]);

/* The same for the normals of at most 64 columns of the band that follow each other; their lift is in `rise`. */
void rn_meniscus_bend_run(const rn_meniscus *meniscus, int32_t slot, int count, float *normals);

/* How high (m) a surface that meets a wall at `psi` (radians) stands at so many metres from it: the two-dimensional
   meniscus of Young and Laplace, negative where psi is. */
float rn_meniscus_rise(float psi, float distance, float capillary);

#endif
