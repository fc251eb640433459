/* Materials of solid: numbers for shaders/material.glsl. */
#ifndef RN_RENDER_MATERIALS_H
#define RN_RENDER_MATERIALS_H

#include <runnel/render.h>

/* The uniforms of material.glsl, and the colour of the solid if none was chosen. */
typedef struct rn_finish {
    const char *name;
    rn_vec3 colour, pale, dark;
    float figure[4], grain[4], polish[4];
} rn_finish;

/* The numbers of a material; those of an unknown one are plain. */
const rn_finish *rn_finish_of(rn_solid_material material);
/* The colour of ground of this material: the given one (linear), unless that is all 0. */
rn_vec3 rn_material_colour(rn_solid_material material, rn_vec3 given);

#endif
