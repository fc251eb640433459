/* Foam on the liquid: born where it churns, carried with the flow, gone after some seconds. It is only drawn. */
#ifndef RN_RENDER_FOAM_H
#define RN_RENDER_FOAM_H

#include <runnel/surface.h>

typedef struct rn_foam {
    float *share, *next, *velocity; /* by slot: foam from 0 to 1, scratch; m/s along x and y of the liquid */
    int cells_x, cells_y, layers;
} rn_foam;

/* How much air liquid of this speed (m/s) takes in, 0 to 1: none below 0.4 m/s, where surface tension keeps the surface
   whole. Plunging jets begin to make bubbles at 0.4 m/s and make most from 1.2 m/s on. */
float rn_foam_air(float speed);
/* Frees everything and sets it to 0. */
void rn_foam_free(rn_foam *foam);
/* Call it once per frame, `seconds` after the last call. Foam moves with the liquid and fades by half in 1.2 s; where
   the liquid churns (1/s, per vertex of the surface), there is at least as much foam as churning makes. Liquid less
   deep than a fifth of a cell has none. `foam` begins as all 0; a grid of another size begins without foam. The surface
   must have ids and velocities and be made of these columns. Writes the foam of each vertex, 0 to 1, over `churn`; a
   vertex that belongs to no column gets the most of the vertices with which it has triangles. Returns RN_MEMORY, with
   a message, if memory runs out; then there is no foam. */
rn_result rn_foam_follow(rn_foam *foam, const rn_mesh *surface, const rn_surface_columns *columns, float seconds,
                         float *churn);

#endif
