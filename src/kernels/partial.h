/* The maths of a column that is solid in a part of its area: from one height to another a share of the cell is taken
   up, so liquid stands higher there than its depth tells. Depths are volumes over the whole cell throughout. */
#ifndef RN_KERNELS_PARTIAL_H
#define RN_KERNELS_PARTIAL_H

#include "base/wide.h"

/* Between `low` and `high` (m, as bases are) solid takes up `depth` (m) of a column's depth. */
typedef struct rn_partial_solid {
    float low, high, depth;
} rn_partial_solid;

/* How high liquid stands above the base (m). */
RN_SCALAR float rn_partial_height(const rn_partial_solid *p, float base, float depth) {
    const float below = p->low - base, over = depth - below, height = p->high - p->low, open = height - p->depth;
    if (over <= 0.0f) return depth;
    if (over <= open) return below + over * (height / open);
    return depth + p->depth;
}

/* How much depth a rise of its surface takes up: 1, or the open share. */
RN_SCALAR float rn_partial_slope(const rn_partial_solid *p, float base, float depth) {
    const float over = depth - (p->low - base), height = p->high - p->low, open = height - p->depth;
    return over > 0.0f && over < open ? open / height : 1.0f;
}

/* The depth that stands up to this height (m above the datum), at or above the base. */
RN_SCALAR float rn_partial_depth(const rn_partial_solid *p, float base, float level) {
    const float within = fminf(fmaxf(level - p->low, 0.0f), p->high - p->low);
    const float solid = within > 0.0f ? within * (p->depth / (p->high - p->low)) : 0.0f;
    return (level - base) - solid;
}

/* Of what stands above `floor` in an opening, how much is left when a share of its width is shut from low to high. */
RN_SCALAR float rn_partial_open(float floor, float room, float low, float high, float shut) {
    const float shut_height = fminf(high, floor + room) - fmaxf(low, floor);
    return shut > 0.0f && room > 0.0f && shut_height > 0.0f ? 1.0f - shut * (shut_height / room) : 1.0f;
}

#endif
