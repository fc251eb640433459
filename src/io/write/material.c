/* Creates the materials of liquid, ground and bodies (writer.h), in the few numbers that other tools use. */
#include "io/write/writer.h"
#include "render/optics.h"

#include <math.h>

rn_material rn_material_liquid(const rn_liquid *liquid, double full_depth) {
    rn_material m = {.name = "liquid", .roughness = 0.08f, .clear = true};
    rn_optics optics;
    const double own = rn_liquid_full_depth(liquid), deep = full_depth > 0 ? full_depth : isfinite(own) ? own : 0.01;
    rn_optics_prepare(liquid, full_depth, deep, &optics);
    m.metal = optics.metal ? 1.0f : 0.0f;
    m.refraction = optics.metal ? 1.5f : (float)liquid->refraction;
    /* Over light ground: a liquid that scatters no light has no colour of its own and would be black. */
    const rn_layer *layer = &optics.layers[RN_OPTICS_STEPS - 1];
    const float ground = 0.8f;
    for (int i = 0; i < 3; i++) {
        const float seen = (layer->self[i] + layer->through[i] * ground) / (1.0f - layer->self[i] * ground);
        m.colour[i] = optics.metal ? optics.mirror : fminf(fmaxf(seen, 0.0f), 1.0f);
    }
    return m;
}

rn_material rn_material_ground(rn_vec3 colour, double gloss) {
    const rn_vec3 c = rn_ground_colour(colour);
    return (rn_material){.name = "ground",
                         .colour = {(float)c.x, (float)c.y, (float)c.z},
                         .roughness = (float)fmax(1 - gloss, 0.05),
                         .refraction = 1.5f};
}

rn_material rn_material_bodies(void) {
    return (rn_material){
        .name = "bodies", .colour = {1.0f, 1.0f, 1.0f}, .roughness = 0.5f, .refraction = 1.5f, .tinted = true};
}
