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

/* Made from a mesh whose triangles face the open side; the space below triangles that face up is solid. */
rn_result rn_occlusion_make(const rn_mesh *ground, rn_occlusion *occlusion);
void rn_occlusion_free(rn_occlusion *occlusion);

/* 1: the whole half space that a surface faces is open; 0: none of it. */
float rn_occlusion_open(const rn_occlusion *occlusion, const float position[3], const float normal[3]);
/* The same along the normal alone: faster and less accurate. */
float rn_occlusion_ahead(const rn_occlusion *occlusion, const float position[3], const float normal[3]);

#endif
