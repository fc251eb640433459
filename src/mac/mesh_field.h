/* The field whose zero is the drawn surface of the liquid. */
#ifndef RN_MAC_MESH_FIELD_H
#define RN_MAC_MESH_FIELD_H

#include "mac/particle_sweeps.h"

/* Distances (cells), negative in liquid, on a lattice of `fine` nodes per cell, with one more node around the box. */
typedef struct rn_mac_field {
    int fine;
    int nodes[3]; /* including the rim */
    float *value;
    float *raw;       /* before a pass of smoothing */
    uint8_t *share;   /* of smoothing, 0 to 255: less for sheets and threads */
    uint8_t *cells;   /* the kind of each cell of the grid */
    uint8_t *is_drop; /* of each particle: whether it is a separate drop, which the field leaves out */
    float *x;         /* of each particle, in cells; far away for drops */
    size_t node_room, cell_room, drop_room, x_room;
} rn_mac_field;

/* Finds the values for the present particles, which must be sorted, on a lattice of `fine` nodes per cell, 1 or more.
   The field must be zeroed before the first call, and `hooks` always the same. Returns RN_MEMORY on failure; the field
   then has no values. */
rn_result rn_mac_field_find(rn_mac_field *field, const rn_mac *mac, int fine, const rn_hooks *hooks);
/* Frees the arrays of a field and zeroes the struct, but does not free the struct itself. */
void rn_mac_field_free(rn_mac_field *field, const rn_hooks *hooks);

/* The value (cells) at a point (cells), trilinear between nodes of the box; outside the box, that of the nearest point
   in it. */
float rn_mac_field_at(const rn_mac_field *field, const float at[3]);

/* The particles of all cells that a ball of RN_MAC_RADIUS around a point (cells) may touch, row by row; some of
   them lie outside the ball. Beyond a periodic end, ranges are shifted. Returns the number of ranges; none is empty. */
int rn_mac_ranges_near(const rn_mac *mac, const float at[3], rn_mac_range ranges[32]);

#endif
