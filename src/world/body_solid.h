/* The solid of a body, for the 3D liquid. */
#ifndef RN_WORLD_BODY_SOLID_H
#define RN_WORLD_BODY_SOLID_H

#include "bodies/shape.h"
#include "terrain/sdf.h"

/* Creates a distance field of a shape, in its own coordinates: the union of its parts. The caller owns it. Returns
   NULL, with an error text, if memory runs out or a mesh cannot be used. */
rn_sdf *rn_body_solid(const rn_shape *shape);

#endif
