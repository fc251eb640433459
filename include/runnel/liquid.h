/* What a liquid is made of: mechanics and optics. */
#ifndef RUNNEL_LIQUID_H
#define RUNNEL_LIQUID_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_liquid {
    char name[24];
    double viscosity;       /* m^2/s, kinematic, 0 or more */
    double density;         /* kg/m^3 */
    double surface_tension; /* N/m */
    double contact_angle;   /* degrees, on what it usually stands on; of an edge that advances */
    double refraction;      /* index of refraction; 0 for a metal */
    double absorption[3];   /* 1/m for red, green, blue */
    double scattering[3];   /* 1/m, reduced, for red, green, blue */
    double full_depth;      /* m, at which the ground can no longer be seen through it; 0: worked out from its optics */
    double receding_angle;  /* degrees, of an edge that recedes; at most contact_angle. For RN_CONTACT_DYNAMIC */
    double drying_time;     /* s, after which ground that the liquid has left counts as dry; 0: at once */
} rn_liquid;

/* How far (m) surface tension reaches under a gravity of so many m/s^2: the size of a meniscus. */
RN_API double rn_liquid_capillary_length(const rn_liquid *liquid, double gravity);
/* Its full_depth (m), or the depth through which light returns from the ground with a twentieth of its contrast.
   INFINITY: it is perfectly clear. */
RN_API double rn_liquid_full_depth(const rn_liquid *liquid);

/* The shipped liquids, in order; NULL past the last one. */
RN_API const rn_liquid *rn_liquid_at(int index);
/* By name ("blood"); false and an error text that lists the names if there is none. */
RN_API bool rn_liquid_find(const char *name, rn_liquid *liquid);

/* Grounds that liquids have contact angles on, in order; NULL past the last one. */
RN_API const char *rn_liquid_ground_at(int index);
/* Gives a shipped liquid the angles that it has on a ground ("glass"): docs/contact.md has the pairs. False and an
   error text, with nothing changed, if there is no such ground, or if the angles on it are not known. */
RN_API bool rn_liquid_on(const char *ground, rn_liquid *liquid);

RN_API rn_liquid rn_liquid_water(void);
RN_API rn_liquid rn_liquid_blood(void);

#ifdef __cplusplus
}
#endif

#endif
