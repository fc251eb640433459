/* Memory for the lists of flooded columns. Private to solver/flood.c. */
#ifndef RN_SOLVER_FLOOD_MEMORY_H
#define RN_SOLVER_FLOOD_MEMORY_H

#include "solver/flood.h"

/* Makes room for `count` elements of `size` bytes and keeps the first `kept`. `array` is the address of a pointer to
   them. False: out of memory. */
bool rn_flood_reserve(const rn_hooks *hooks, void *array, size_t *capacity, size_t count, size_t kept, size_t size);
/* Allocates memory for passages; does nothing if there is room for all slots already. */
rn_result rn_flood_make_room(rn_flood *flood, rn_state *s);

#endif
