/* The field whose zero is the drawn surface of the liquid. */
#ifndef RN_MAC_MESH_FIELD_H
#define RN_MAC_MESH_FIELD_H

#include "mac/particle_sweeps.h"

/* Distances (cells), negative in liquid, on a lattice of `fine` nodes per cell, with one more node around the box. */
typedef struct rn_mac_field {
    int fine;
    int nodes[3]; /* including the rim */
    float *value;
    float *raw;     /* before smoothing */
    uint8_t *share; /* of smoothing, 0 to 255: none for drops and spray */
    uint8_t *cells; /* the kind of each cell of the grid */
    size_t node_room, cell_room;
} rn_mac_field;

/* Finds the values for the present particles. Returns RN_MEMORY on failure. */
rn_result rn_mac_field_find(rn_mac_field *field, const rn_mac *mac, int fine, const rn_hooks *hooks);
/* Frees the arrays of a field; not the struct itself. */
void rn_mac_field_free(rn_mac_field *field, const rn_hooks *hooks);

/* The value at a point (cells), trilinear between nodes of the box. */
float rn_mac_field_at(const rn_mac_field *field, const float at[3]);

/* Whether a particle has so few others around it that it is a separate drop. */
bool rn_mac_is_drop(const rn_mac *mac, int32_t n);

/* The particles of the cells within RN_MAC_RADIUS of a point (cells), row by row. Returns the number of ranges. */
int rn_mac_ranges_near(const rn_mac *mac, const float at[3], rn_mac_range ranges[32]);

#endif
