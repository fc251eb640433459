/* Vectors, and the axes and matrices of a camera and of a light. */
#ifndef RN_RENDER_CAMERA_H
#define RN_RENDER_CAMERA_H

#include <runnel/render.h>

typedef struct rn_matrix {
    float m[16]; /* column by column, as GL reads it */
} rn_matrix;

/* Unit vectors: to the right of the picture, up in it, and into it. */
typedef struct rn_frame {
    rn_vec3 right, up, forward;
} rn_frame;

rn_vec3 rn_sum(rn_vec3 a, rn_vec3 b);
rn_vec3 rn_difference(rn_vec3 a, rn_vec3 b);
rn_vec3 rn_times(rn_vec3 a, double s);
double rn_inner(rn_vec3 a, rn_vec3 b);
double rn_length(rn_vec3 a);
/* The unit vector along a; +z if a is 0. */
rn_vec3 rn_unit(rn_vec3 a);

/* The axes of a camera's picture. If `up` is 0 or along the view, z is up, or y for a view along z. A camera whose eye
   is at its target looks along +z. */
rn_frame rn_camera_frame(const rn_camera *camera);
/* The matrix from world coordinates (m) to clip space; clips what is nearer or farther than these distances (m, nearest
   above 0 in perspective). aspect: width / height. A parallel projection without a span has one of 1 m. */
rn_matrix rn_camera_matrix(const rn_camera *camera, double aspect, double nearest, double farthest);
/* The matrix from world coordinates (m) to the clip space of a shadow map: the projection of parallel light that comes
   from the direction `from` (any length) and covers a sphere with this centre and radius (m). */
rn_matrix rn_light_matrix(rn_vec3 from, rn_vec3 middle, double radius);

#endif
