/* The parts of a picture where something has changed, so that only these are drawn. */
#ifndef RN_RENDER_PATCHES_H
#define RN_RENDER_PATCHES_H

#include "render/camera.h"

#include <stdbool.h>

enum { RN_PATCHES_X = 32, RN_PATCHES_Y = 18 };

typedef struct rn_patches {
    bool marked[RN_PATCHES_Y][RN_PATCHES_X]; /* from the bottom up */
} rn_patches;

typedef struct rn_extent {
    float low[3], high[3]; /* m */
} rn_extent;

extern const rn_extent rn_extent_empty; /* contains nothing */

/* Widens a box to contain a point (m). */
void rn_extent_include(rn_extent *box, const float point[3]);

/* A rectangle of the picture (left, bottom, right, top, from -1 to 1) that contains nothing yet. */
extern const float rn_rect_none[4];
/* Widens a rectangle to contain point p (m), or the whole picture if the point is not in front of the camera. */
void rn_rect_include(const rn_matrix *to_clip, rn_vec3 p, float rect[4]);
/* The same with a box that is moved by this vector (m). */
void rn_rect_include_extent(const rn_matrix *to_clip, const rn_extent *box, rn_vec3 by, float rect[4]);
/* Marks the patches that a rectangle touches; margin: added on all sides, from -1 to 1. */
void rn_patches_mark(rn_patches *patches, const float rect[4], float margin);
/* Marks the patches that are marked in `from`. */
void rn_patches_add(rn_patches *patches, const rn_patches *from);
/* Finds the next run of marked patches of a row, from patch *at on (row by row), as a rectangle, and sets *at to the
   patch after it. Returns false if there is none. */
bool rn_patches_next(const rn_patches *patches, int *at, float rect[4]);

#endif
