/* Standard states of water on which steps are timed and compared, from calm to violent: one layer between walls.
   water_create() makes one. */
#ifndef WATERS_H
#define WATERS_H

#include <runnel/runnel.h>

typedef enum water_kind {
    WATER_ROUGH,    /* 10 mm with waves over rough ground, 1 mm cells; no falls */
    WATER_FILM,     /* 0.4 mm down an incline of 1 in 5: drag dominates */
    WATER_DAM,      /* 2 m inside a circle, 1 m outside, on level ground */
    WATER_HALF_DRY, /* waves among islands */
    WATER_VIOLENT,  /* columns of water of random height over cliffs, with hardly any drag */
    WATER_BRIMMING, /* as WATER_VIOLENT, under a lid that the water reaches; without passages */
    WATER_HOLLOW,   /* a lake as in WATER_ROUGH, in a hollow that is a hundredth of the ground; the rest is dry */
    WATER_STILL,    /* as WATER_ROUGH, but exactly level */
} water_kind;

/* Creates and fills a world of nx x ny cells; the caller destroys it. `def`: set to what the world was made from,
   without its terrain (NULL). On failure rn_last_error() says why, unless memory for columns is lacking (RN_MEMORY); if
   only filling failed, `world` is set and must be destroyed. */
rn_result water_create(water_kind kind, int nx, int ny, int threads, const char *backend, rn_world **world,
                       rn_world_def *def);

#endif
