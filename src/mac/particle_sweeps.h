/* The loops over particles, which take half of a substep's time. One body per instruction set; all give the same
   bits. */
#ifndef RN_MAC_PARTICLE_SWEEPS_H
#define RN_MAC_PARTICLE_SWEEPS_H

#include "base/dispatch.h"
#include "mac/state.h"

enum { RN_MAC_GROUP = RN_MAC_SLACK }; /* particles that tasks process together: whole vectors of any body */

/* Particles from `begin` to `end` - 1, moved by `shift` cells along x. */
typedef struct rn_mac_range {
    int32_t begin, end;
    float shift;
} rn_mac_range;

typedef struct rn_mac_particle_sweeps {
    /* Sets sums[0] to the sum of weights of the particles in `ranges` around a point (cells), and sums[1] to sums[3] to
       those of their weighted offsets (cells) along x, y and z. Weights are 0 beyond RN_MAC_RADIUS. */
    void (*weigh)(const rn_mac_particles *p, const float at[3], const rn_mac_range *ranges, int count, float sums[4]);
    /* Adds momentum (weight times m/s) and weight of particles `begin` to `end` - 1 to the faces around them: sums[a]
       has pairs of both for component a. Affine parts count if particles have them. */
    void (*scatter)(const rn_mac *mac, float *const sums[3], int32_t begin, int32_t end);
    /* Adds the trilinear weights of particles `begin` to `end` - 1 to the centres of the cells around them. */
    void (*weigh_cells)(const rn_mac *mac, float *density, int32_t begin, int32_t end);
    /* Gives groups `begin` to `end` - 1 of particles, RN_MAC_GROUP each, the velocity of the faces around them (with
       APIC also its slope; with FLIP plus flip_share of what they had beyond `before`), and moves them with the faces
       and with `shift`, if there is one; `step` is seconds divided by the cell size (m). Marks particles that leave
       through an open side as gone, and keeps the others in the box and out of the solid. */
    void (*carry)(const rn_mac *mac, float step, int begin, int end);
    /* Moves such groups out of the solid, to RN_MAC_CLEARANCE from it. Needs `nodes`. */
    void (*push_out)(const rn_mac *mac, int begin, int end);
    /* to[i] = from[order[i]] for i from `begin` to `end` - 1. */
    void (*permute)(float *to, const float *from, const uint32_t *order, int begin, int end);
} rn_mac_particle_sweeps;

RN_ISA_TABLES(const rn_mac_particle_sweeps, rn_mac_particle_sweeps);

#define RN_MAC_RADIUS    1.5f  /* cells */
#define RN_MAC_MARGIN    1e-3f /* cells, distance of particles from the walls of the box */
#define RN_MAC_CLEARANCE 0.05f /* cells, distance of particles from solids */

#endif
