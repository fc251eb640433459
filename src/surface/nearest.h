/* The field of a meniscus, and its first half: the nearest boundary of every wet column. The second half is in
   surface/meniscus.h. */
#ifndef RN_SURFACE_NEAREST_H
#define RN_SURFACE_NEAREST_H

#include "surface/each.h"
#include "surface/links.h"

#include <math.h>

typedef struct rn_meniscus_def {
    float length;        /* m: distance beyond the contact line at which the tilt ends; at most 200 cells */
    float contact_angle; /* degrees, between liquid and solid */
    float capillary;     /* m, the capillary length for `rise`; 0: no rise */
    bool walls_only;     /* the surface bends only at upright solid */
} rn_meniscus_def;

/* The centre of the nearest boundary cell: cells along x and y from the column, and the squared distance; and the
   column of the first ring that it was found from. */
typedef struct rn_nearest {
    int16_t x, y;
    int32_t square, seed;
} rn_nearest;

/* A nearer boundary found in a round, until all columns have looked. */
typedef struct rn_offer {
    int32_t slot;
    rn_nearest nearest;
} rn_offer;

/* Per slot of the links; up to date only for the columns of `band`: wet columns near a boundary. */
typedef struct rn_meniscus {
    int words;
    uint64_t *band;      /* by layer, a bit for each cell as in rn_links */
    float *distance;     /* m to the centre of the nearest boundary cell; INFINITY: too far to matter */
    rn_nearest *nearest; /* where that is */
    float *psi;          /* radians, slope of the surface towards it at the contact line */
    float *share;        /* of psi here: 1 at the contact line, 0 at the meniscus length */
    float *direction;    /* horizontal unit vector to the boundary, x and y per slot */
    float *rise;         /* m that the surface is lifted; only if def.capillary > 0 */
    float *raw;          /* of the first ring: psi there; the arrays from here on are intermediate results */
    float *smooth;       /* m, smoothed distance */
    float *sure;         /* 0 to 1: certainty of the direction, less where two boundaries are equally near */
    float *offset;       /* m, of the first ring: distance of the contact line from the centre of the boundary cell */
    float *even;         /* smoothed offset */
    float *own;          /* radians, psi of the nearest boundary alone */
    uint16_t *ways; /* of columns that are not inside: bits of the directions in which the surface ends; from bit 8 on,
                       of those in which it continues to a wet column */
    uint64_t *beside;    /* by layer: the outline, and the cells beside it in its row */
    uint64_t *first;     /* by layer: the first ring */
    uint64_t *open;      /* by layer: columns of the band that may still find a nearer boundary */
    uint64_t *outlines;  /* by row: hash of the outline */
    uint64_t *crossing;  /* by layer: wet columns at no boundary that are not surrounded by others of their layer */
    uint64_t *rings;     /* two for each row, rim included: layers in which columns find boundaries */
    rn_offer *offers;    /* two rows of offers, in the memory of `direction` */
    rn_nearest *other;   /* on a GPU: as `nearest`, for rounds of even and odd number in turn */
    uint8_t *mixed;      /* by row: liquid changes its layer there */
    bool passing;        /* not kept between builds: no need to compare */
    bool anew;           /* made for another definition, or never */
    uint64_t seen;       /* hash of the outline and ground that the field was made for */
    rn_meniscus_def def; /* the definition that it was made for */
} rn_meniscus;

/* Whether a column is in the band, where the field is up to date. */
static inline bool rn_meniscus_has(const rn_meniscus *m, const rn_links *t, int layer, int y, int x) {
    return rn_links_in(rn_links_row(t, m->band, layer, y), x);
}

/* Call these after rn_meniscus_ask, in this order. Functions with a row y are called for all rows, on any threads,
   before the next one (worker: as for tasks in surface/surface.h); the others are called once. If
   rn_meniscus_has_changed returns false, skip the two after it. */
/* Marks the columns at the edge of the liquid and hashes them. */
void rn_meniscus_outline(rn_meniscus *meniscus, const rn_links *links, int y, int worker);
/* Whether the edge of the liquid or the definition has changed since the last call; always true if `passing`. */
bool rn_meniscus_has_changed(rn_meniscus *meniscus, const rn_links *links);
/* Finds the columns of the band, and the nearest boundary of those of its first ring. */
void rn_meniscus_begin(rn_meniscus *meniscus, const rn_links *links, int y, int worker);
/* Finds the nearest boundary of all other columns of the band. Overwrites direction, first, beside and open. */
void rn_meniscus_sweep(rn_meniscus *meniscus, const rn_links *links);
/* On a GPU, in place of the sweep: round n, from 2, for a word of a row, from `nearest` to `other`. Columns look that
   are beside one that found something in the last round; others are the same in both. Returns whether some column has
   found a nearer boundary; if none of any word has, it was the last round. */
bool rn_meniscus_round(const rn_meniscus *meniscus, const rn_links *links, int y, int worker, int n);

enum { RN_FAR = INT32_MAX / 4 }; /* a square: too far to matter */

/* The distance (m) up to which menisci matter: the lift fades over three capillary lengths. */
static inline float rn_meniscus_reach(const rn_meniscus_def *def) { return fmaxf(def->length, 3.0f * def->capillary); }

/* Removes the lowest bit from word w of a row's set; returns the x of its cell. */
static inline int rn_take_cell(uint64_t *word, int w) {
    const int x = 64 * w + __builtin_ctzll(*word) - 1;
    *word &= *word - 1;
    return x;
}

/* Bits 0 to 7: the directions in which the surface ends at a column. */
static inline unsigned rn_ends_of(const rn_meniscus *m, int32_t slot) { return m->ways[slot] & 0xffu; }
/* Bits 0 to 7: the directions in which the surface continues to a wet column. */
static inline unsigned rn_goes_on(const rn_meniscus *m, int32_t slot) { return m->ways[slot] >> 8; }

/* Removes the lowest direction from a set and returns it. */
static inline int rn_take_way(unsigned *ways) {
    const int d = __builtin_ctz(*ways);
    *ways &= *ways - 1;
    return d;
}

/* The slot of the column that this one is joined with in a direction; the link must be a join. */
static inline int32_t rn_column_at(const rn_links *t, int32_t slot, int layer, int direction) {
    return slot + rn_links_step(t, direction) +
           ((rn_link_of(t->links[slot], direction) & RN_LINK_LAYER) - layer) * t->layer_stride;
}

/* Whether the solid at a boundary is upright: walls (dry is -1), and ground that rises like a cliff, not like an
   even slope that was already steep before (compare falls in docs/model.md). */
static inline bool rn_is_upright(const rn_links *t, int32_t slot, int layer, int direction, int32_t dry) {
    if (dry < 0) return true;
    const float way = direction & 1 ? 1.41421356f * t->cell : t->cell, up = t->base[dry] - t->base[slot];
    const int32_t behind = rn_links_joined(t, slot, layer, (direction + 4) & 7);
    const float before = behind >= 0 ? t->base[slot] - t->base[behind] : 0.0f;
    return up > way + 2.0f * (before > 0.0f ? before : 0.0f);
}

#endif
