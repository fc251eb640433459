/* Water that steps are timed and compared on: from calm to violent, one layer between walls. */
#ifndef WATERS_H
#define WATERS_H

#include <runnel/runnel.h>

typedef enum water_kind {
    WATER_ROUGH,    /* 10 mm with waves over rough ground, 1 mm cells; no falls */
    WATER_FILM,     /* 0.4 mm down an incline of 1 in 5: drag rules */
    WATER_DAM,      /* 2 m inside a circle, 1 m outside, on level ground */
    WATER_HALF_DRY, /* waves among islands */
    WATER_VIOLENT,  /* pillars of random height over cliffs that nearly nothing slows down */
    WATER_BRIMMING, /* the same under a lid that it reaches; without passages */
    WATER_HOLLOW,   /* a lake like the first in a hollow of a hundredth of the ground; all else is dry */
    WATER_STILL,    /* like the first, and exactly level */
} water_kind;

/* `def` becomes what the world was made of, but for its terrain. */
rn_result water_create(water_kind kind, int nx, int ny, int threads, rn_world **world, rn_world_def *def);

#endif
