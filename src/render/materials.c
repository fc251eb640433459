/* The table of materials (materials.h). */
#include "render/materials.h"

#include "render/optics.h"

/* Patterns are shares of a colour, so that any colour can be chosen for a material. Their meanings are beside the
   uniforms in shaders/material.glsl. */
static const rn_finish finishes[RN_MATERIALS] = {
    [RN_MATERIAL_PLAIN] = {.name = "plain", .pale = {1, 1, 1}, .dark = {1, 1, 1}, .polish = {0, 1, 0, 0}},
    [RN_MATERIAL_BONE] = {.name = "bone",
                          .colour = {0.72, 0.61, 0.44},
                          .pale = {1.12, 1.13, 1.15},
                          .dark = {0.78, 0.68, 0.55},
                          .grain = {1, 5.5f, 1.1f, 0.22f},
                          .polish = {0.045f, 0.28f, 0, 0.18f}},
    [RN_MATERIAL_CERAMIC] = {.name = "ceramic",
                             .colour = {0.62, 0.61, 0.585},
                             .pale = {1.03, 1.03, 1.03},
                             .dark = {0.95, 0.95, 0.95},
                             .grain = {1, 2, 0.8f, 0.015f},
                             .polish = {0.05f, 0.05f, 0, 0.06f}},
    [RN_MATERIAL_METAL] = {.name = "metal",
                           .colour = {0.56, 0.57, 0.58},
                           .pale = {1.1, 1.1, 1.1},
                           .dark = {0.88, 0.88, 0.9},
                           .grain = {24, 1.2f, 1, 0.07f},
                           .polish = {0.5f, 0.22f, 0.82f, 0}},
    [RN_MATERIAL_PLASTER] = {.name = "plaster",
                             .colour = {0.62, 0.59, 0.54},
                             .pale = {1.09, 1.09, 1.09},
                             .dark = {0.86, 0.85, 0.83},
                             .grain = {1, 3.1f, 1.1f, 0.16f},
                             .polish = {0.03f, 0.6f, 0, 0.05f}},
    [RN_MATERIAL_STONE] = {.name = "stone",
                           .colour = {0.36, 0.35, 0.34},
                           .pale = {1.16, 1.15, 1.13},
                           .dark = {0.8, 0.8, 0.82},
                           .figure = {7, 0.5f, 0.3f, 0},
                           .grain = {1, 0.9f, 0.8f, 0.015f},
                           .polish = {0.045f, 0.24f, 0, 0.05f}},
    [RN_MATERIAL_WOOD] = {.name = "wood",
                          .colour = {0.25, 0.135, 0.068},
                          .pale = {1.25, 1.25, 1.22},
                          .dark = {0.66, 0.57, 0.48},
                          .figure = {44, 0.11f, 0.5f, 0.3f},
                          .grain = {14, 1.5f, 0.9f, 0.04f},
                          .polish = {0.04f, 0.2f, 0, 0}},
};

const rn_finish *rn_finish_of(rn_solid_material material) {
    return &finishes[(unsigned)material < RN_MATERIALS ? material : RN_MATERIAL_PLAIN];
}

const char *rn_solid_material_name(int material) {
    return material >= 0 && material < RN_MATERIALS ? finishes[material].name : NULL;
}

rn_vec3 rn_material_colour(rn_solid_material material, rn_vec3 given) {
    const bool chosen = given.x + given.y + given.z > 0 || material == RN_MATERIAL_PLAIN;
    return rn_ground_colour(chosen ? given : rn_finish_of(material)->colour);
}
