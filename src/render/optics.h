/* The colour of a layer of liquid over ground. */
#ifndef RN_RENDER_OPTICS_H
#define RN_RENDER_OPTICS_H

#include <math.h>
#include <runnel/base.h>
#include <runnel/liquid.h>

enum { RN_OPTICS_STEPS = 1024 };

/* The reflectance of a layer over ground of reflectance g is (self + through*g) / (1 - self*g): the first term is
   light from the liquid itself, the second the ground seen through it, the denominator light that bounces between
   the two. */
typedef struct rn_layer {
    float self[3], through[3];
    float inside; /* share of outgoing light that the surface reflects back */
} rn_layer;

typedef struct rn_optics {
    rn_layer layers[RN_OPTICS_STEPS]; /* by the square root of the depth */
    float scale;                      /* steps per root metre */
    float mirror;                     /* share of light reflected straight back by the surface */
    bool metal;
} rn_optics;

/* Fills *optics with layers for depths up to `deepest` (m); deeper ones look like the deepest. A liquid so clear that
   full_depth (m) of it would be barely visible is drawn stronger, with muted colours, and one so strong that less would
   hide the ground is drawn weaker, so that depth can be read from the picture. If full_depth is 0 or less, the liquid
   is drawn as it is. A liquid whose refraction is 0 or less is a metal. */
void rn_optics_prepare(const rn_liquid *liquid, double full_depth, double deepest, rn_optics *optics);

/* The layer for a depth (m), given by its square root, 0 or more; the deepest one beyond. */
static inline const rn_layer *rn_optics_layer(const rn_optics *optics, float root_depth) {
    int step = (int)(root_depth * optics->scale + 0.5f);
    return &optics->layers[step < RN_OPTICS_STEPS ? step : RN_OPTICS_STEPS - 1];
}

/* 0 below `low`, 1 above `high`, smooth in between. */
static inline float rn_smooth_step(float low, float high, float x) {
    const float t = fminf(fmaxf((x - low) / (high - low), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

/* The colour of the ground, linear 0..1; all 0: warm grey. */
static inline rn_vec3 rn_ground_colour(rn_vec3 given) {
    return given.x > 0 || given.y > 0 || given.z > 0 ? given : (rn_vec3){0.58, 0.54, 0.48};
}

#endif
