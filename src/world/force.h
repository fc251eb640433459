/* The forces of a world. */
#ifndef RN_WORLD_FORCE_H
#define RN_WORLD_FORCE_H

#include <runnel/world.h>

#include <stddef.h>

typedef struct rn_forces {
    rn_force_def *list;
    size_t count, capacity;
} rn_forces;

#endif
