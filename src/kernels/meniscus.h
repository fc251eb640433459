/* How a meniscus tilts the normals of a flat surface (Dagenais 2018, 5.2-5.3). Both C and shaders include this file:
   it uses only what C and GLSL have in common. A shader defines RN_SHADER first.

   The direction (x, y) is the horizontal unit vector from the vertex to the nearest boundary, psi (radians) the
   slope angle of the surface towards it at the contact line: positive where it is drawn up (concave), negative where
   it is pushed down (convex). `share` falls from 1 at the contact line to 0 at the meniscus length. */
#ifndef RN_KERNELS_MENISCUS_H
#define RN_KERNELS_MENISCUS_H

#ifdef RN_SHADER
#define RN_MENISCUS
#define RN_MENISCUS_ROOT(x) sqrt(x)
struct rn_normal {
    float x, y, z;
};
#else
#include "base/inline.h"

#include <math.h>
#define RN_MENISCUS         RN_SCALAR
#define RN_MENISCUS_ROOT(x) sqrtf(x)
typedef struct rn_normal {
    float x, y, z;
} rn_normal;
#endif

#define RN_HALF_TURN 3.14159265f

/* A normal with these components. */
RN_MENISCUS rn_normal rn_normal_of(float x, float y, float z) {
    rn_normal n;
    n.x = x;
    n.y = y;
    n.z = z;
    return n;
}

/* The angle (radians) of (x, y) from the x axis, -pi to pi, within 1e-5; 0 for (0, 0). Arguments in the order of atan2,
   but with the same bits on every machine. */
RN_MENISCUS float rn_angle_of(float y, float x) {
    float ax = x < 0.0f ? -x : x, ay = y < 0.0f ? -y : y;
    float large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    float a = large > 0.0f ? small / large : 0.0f, s = a * a;
    float r = a * (0.99997726f +
                   s * (-0.33262347f + s * (0.19354346f + s * (-0.11643287f + s * (0.05265332f + s * -0.0117212f)))));
    if (ay > ax) r = 0.5f * RN_HALF_TURN - r;
    if (x < 0.0f) r = RN_HALF_TURN - r;
    return y < 0.0f ? -r : r;
}

/* The sine of an angle (radians): a series for a quarter of the angle, doubled twice, within 4e-6 from -pi to pi. */
RN_MENISCUS float rn_sine_of(float angle) {
    float q = 0.25f * angle, s = q * q;
    float sine = q * (1.0f - s * (1.0f / 6.0f - s * (1.0f / 120.0f - s * (1.0f / 5040.0f))));
    float cosine = 1.0f - s * (0.5f - s * (1.0f / 24.0f - s * (1.0f / 720.0f - s * (1.0f / 40320.0f))));
    float sine2 = 2.0f * sine * cosine, cosine2 = 1.0f - 2.0f * sine * sine;
    return 2.0f * sine2 * cosine2;
}
/* The cosine of an angle (radians), from the sine of its half: as exact as rn_sine_of, from -2 pi to 2 pi. */
RN_MENISCUS float rn_cosine_of(float angle) {
    float half_sine = rn_sine_of(0.5f * angle);
    return 1.0f - 2.0f * half_sine * half_sine;
}

/* The dot product: the cosine of the angle between two unit vectors. */
RN_MENISCUS float rn_facing(rn_normal a, rn_normal b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Rotates a unit normal about the horizontal axis across the direction (x, y), which must be a unit vector: a surface
   that rises towards the boundary by `angle` (radians) faces away from it (Fig. 12). The length stays. */
RN_MENISCUS rn_normal rn_meniscus_tilt(rn_normal n, float x, float y, float angle) {
    float s = rn_sine_of(angle), c = rn_cosine_of(angle);
    float along = n.x * x + n.y * y, across = n.y * x - n.x * y;
    float turned = along * c - n.z * s;
    return rn_normal_of(turned * x - across * y, turned * y + across * x, n.z * c + along * s);
}

/* Caps psi (radians, sign kept) so that the normal at the contact line is at most orthogonal to the view (5.3). `n` is
   the normal of the untilted surface, `view` the unit vector to the camera: 0 if that sees neither the tilted nor the
   untilted surface. The normals of all tilts lie on a circle, on which the normal of tilt t has the cosine fixed + a
   cos t + b sin t to the view: psi ends where this is 0. */
RN_MENISCUS float rn_meniscus_cap(rn_normal n, float x, float y, float psi, rn_normal view) {
    rn_normal contact = rn_meniscus_tilt(n, x, y, psi);
    if (rn_facing(contact, view) >= 0.0f) return psi;
    float along = n.x * x + n.y * y, across = n.y * x - n.x * y;
    float view_along = view.x * x + view.y * y, view_across = view.y * x - view.x * y;
    float fixed_part = across * view_across;
    float a = along * view_along + n.z * view.z, b = along * view.z - n.z * view_along;
    float reach = RN_MENISCUS_ROOT(a * a + b * b);
    if (!(fixed_part + a > 0.0f) || !(reach > 0.0f)) return 0.0f;
    /* The ends of the visible range lie at the same angle on both sides of the tilt (a, b) that faces the camera
       most. */
    float q = -fixed_part / reach, p = RN_MENISCUS_ROOT(q < 1.0f && q > -1.0f ? 1.0f - q * q : 0.0f);
    if (psi < 0.0f) p = -p;
    float capped = rn_angle_of((b * q + a * p) / reach, (a * q - b * p) / reach);
    float least = psi < 0.0f ? psi : 0.0f, most = psi < 0.0f ? 0.0f : psi;
    return capped < least ? least : capped > most ? most : capped;
}

/* The unit normal to draw: `n` tilted by its share (0 to 1) of the capped psi. If rounding, or a surface that itself
   faces away, leaves this normal turned from the camera, it is turned back until it is orthogonal to `view`. */
RN_MENISCUS rn_normal rn_meniscus_shade(rn_normal n, float x, float y, float psi, float share, rn_normal view) {
    rn_normal t = rn_meniscus_tilt(n, x, y, share * rn_meniscus_cap(n, x, y, psi, view));
    float facing = rn_facing(t, view);
    if (facing < 1e-6f) {
        float back = 1e-6f - facing;
        t = rn_normal_of(t.x + back * view.x, t.y + back * view.y, t.z + back * view.z);
        float size = RN_MENISCUS_ROOT(rn_facing(t, t));
        if (size > 0.0f) t = rn_normal_of(t.x / size, t.y / size, t.z / size);
        else t = view; /* no ?: of structs: WebGL forbids it */
    }
    return t;
}

#endif
