/* The properties of a liquid: mechanics and optics. */
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
    double contact_angle;   /* degrees, on common ground; of an advancing edge */
    double refraction;      /* index of refraction; 0 for a metal */
    double absorption[3];   /* 1/m for red, green, blue */
    double scattering[3];   /* 1/m, reduced, for red, green, blue */
    double full_depth;      /* m, depth at which the ground can no longer be seen; 0: computed from the optics */
    double receding_angle;  /* degrees, of a receding edge; at most contact_angle. For RN_CONTACT_DYNAMIC */
    double drying_time;     /* s, after which ground that the liquid has left counts as dry; 0: at once */
} rn_liquid;

/* The capillary length (m) under a gravity (m/s^2, of either sign): the size of a meniscus. INFINITY without gravity or
   density. */
RN_API double rn_liquid_capillary_length(const rn_liquid *liquid, double gravity);
/* full_depth (m) if it is set; otherwise the depth through which the ground is seen with a twentieth of its
   contrast. INFINITY for a perfectly clear liquid. */
RN_API double rn_liquid_full_depth(const rn_liquid *liquid);

/* Gives a liquid the absorption and scattering with which it has a colour (linear red, green, blue, 0 to 1) where it is
   deep, and hides the ground from a depth of full_depth (m, above 0) on, and sets its full_depth: paint, a sauce, lava.
   Each component is limited to 0.002 to 0.998. */
RN_API void rn_liquid_set_colour(rn_liquid *liquid, const double colour[3], double full_depth);

/* The built-in liquids, in order from 0, as static data, or NULL past the last one. */
RN_API const rn_liquid *rn_liquid_at(int index);
/* Copies the built-in liquid of this name ("blood") to *liquid. Returns false, with *liquid unchanged, if there is
   none; the error text then names the most similar liquid, or lists all. */
RN_API bool rn_liquid_find(const char *name, rn_liquid *liquid);

/* Names of grounds that liquids have contact angles on, in order from 0, as static text. Returns NULL past the last
   one. */
RN_API const char *rn_liquid_ground_at(int index);
/* Gives a shipped liquid the angles that it has on a ground ("glass"): docs/contact.md has the pairs. Returns false,
   with an error text and nothing changed, if there is no such ground, or if the angles on it are not known. */
RN_API bool rn_liquid_on(const char *ground, rn_liquid *liquid);

RN_API rn_liquid rn_liquid_water(void);
RN_API rn_liquid rn_liquid_blood(void);

#ifdef __cplusplus
}
#endif

#endif
