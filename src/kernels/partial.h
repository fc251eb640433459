/* The maths of a column that is solid in a part of its area: from one height to another, solid takes a share of the
   cell, so that liquid stands higher than its depth suggests. Depths always are volumes divided by the area of the
   whole cell. */
#ifndef RN_KERNELS_PARTIAL_H
#define RN_KERNELS_PARTIAL_H

#include "base/wide.h"

/* Between `low` and `high` (m, like bases) solid takes `depth` (m) of a column's depth. */
typedef struct rn_partial_solid {
    float low, high, depth;
} rn_partial_solid;

/* The height (m) of the surface of liquid of this depth (m) above the base. */
RN_SCALAR float rn_partial_height(const rn_partial_solid *p, float base, float depth) {
    const float below = p->low - base, over = depth - below, height = p->high - p->low, open = height - p->depth;
    if (over <= 0.0f) return depth;
    if (over <= open) return below + over * (height / open);
    return depth + p->depth;
}

/* The change of depth per change of the surface's height: 1, or the open share. `base` and `depth` in m. */
RN_SCALAR float rn_partial_slope(const rn_partial_solid *p, float base, float depth) {
    const float over = depth - (p->low - base), height = p->high - p->low, open = height - p->depth;
    return over > 0.0f && over < open ? open / height : 1.0f;
}

/* The depth (m) that fills the column up to this level (m, like the base), which is at or above the base: the height
   less what the solid takes below the level. */
RN_SCALAR float rn_partial_depth(const rn_partial_solid *p, float base, float level) {
    const float within = fminf(fmaxf(level - p->low, 0.0f), p->high - p->low);
    const float solid = within > 0.0f ? within * (p->depth / (p->high - p->low)) : 0.0f;
    return (level - base) - solid;
}

/* The open share of an opening that reaches from `floor` up by `room` (m), if the share `shut` of its width is closed
   from low to high. The result is 1 if nothing is shut or there is no room. */
RN_SCALAR float rn_partial_open(float floor, float room, float low, float high, float shut) {
    const float shut_height = fminf(high, floor + room) - fmaxf(low, floor);
    return shut > 0.0f && room > 0.0f && shut_height > 0.0f ? 1.0f - shut * (shut_height / room) : 1.0f;
}

#endif
