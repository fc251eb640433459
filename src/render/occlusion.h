/* How much of the sky solid hides at any point: a coarse grid of the solid, and blurred copies of it. Ambient light
   is dimmed by the solid in a few widening cones. */
#ifndef RN_RENDER_OCCLUSION_H
#define RN_RENDER_OCCLUSION_H

#include <runnel/surface.h>

enum { RN_OCCLUSION_LEVELS = 6 };

typedef struct rn_occlusion {
    int nx[RN_OCCLUSION_LEVELS], ny[RN_OCCLUSION_LEVELS], nz[RN_OCCLUSION_LEVELS];
    float *solid[RN_OCCLUSION_LEVELS]; /* share of each box that is solid, x fastest; each level half as fine */
    float low[3];                      /* m */
    float step;                        /* m, of level 0 */
} rn_occlusion;

/* Creates the grids from a mesh whose triangles face the open side; the space below triangles that face up is solid.
   Frees old grids first; `occlusion` may be all 0. Returns RN_OK, without any grids, if the mesh has no vertices.
   Returns RN_MEMORY, with a message and without any grids, if memory runs out. */
rn_result rn_occlusion_make(const rn_mesh *ground, rn_occlusion *occlusion);
/* Frees the grids and sets everything to 0. */
void rn_occlusion_free(rn_occlusion *occlusion);

/* How much of the half space that a surface at a position (m) with this unit normal faces is open, weighted like
   ambient light. 1: all of it, also without ground; 0: nothing. */
float rn_occlusion_open(const rn_occlusion *occlusion, const float position[3], const float normal[3]);
/* How open (0 to 1) the space is that a surface at a position (m) with this unit normal faces, along the normal alone:
   faster and less accurate than rn_occlusion_open. 1 also without ground. */
float rn_occlusion_ahead(const rn_occlusion *occlusion, const float position[3], const float normal[3]);

#endif
