/* Ground that liquid has left stays dark for a while. */
#ifndef RN_RENDER_WETNESS_H
#define RN_RENDER_WETNESS_H

#include <runnel/surface.h>

/* The columns around a vertex of the ground: their slots (UINT32_MAX: none) and weights, with the sum 1 over all
   four. */
typedef struct rn_wet_vertex {
    uint32_t slots[4];
    float shares[4];
} rn_wet_vertex;

typedef struct rn_wetness {
    float *wet; /* 0 to 1, for each slot of the columns */
    rn_wet_vertex *vertices;
    size_t slot_count, vertex_count;
    int cells_x, cells_y, layers;
} rn_wetness;

/* Frees everything and sets it to 0. */
void rn_wetness_free(rn_wetness *wetness);
/* Call it when the ground has changed: the columns around its vertices are found again with the next
   rn_wetness_follow. */
void rn_wetness_forget_ground(rn_wetness *wetness);
/* Call it once per frame, `seconds` after the last call: ground under liquid becomes wet at once (fully from a depth of
   a tenth of a cell or of columns->contact_foot on, whichever is more, and in proportion below that), the rest dries
   within a minute. `wetness` begins as all 0; a grid of another size first makes all ground dry. positions: x y z (m)
   of the ground's vertices, read only if vertex_count has changed or after rn_wetness_forget_ground. Returns RN_MEMORY,
   with a message, if memory runs out; then all ground counts as dry until the next call. */
rn_result rn_wetness_follow(rn_wetness *wetness, const rn_surface_columns *columns, const float *positions,
                            size_t vertex_count, float seconds);
/* The wetness of a vertex of the ground, 0 to 1; 0 if it is not known or has no columns near. */
float rn_wetness_of(const rn_wetness *wetness, size_t vertex);

#endif
