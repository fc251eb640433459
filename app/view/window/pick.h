/* What is at a point of the picture: rays from the camera, and where they meet ground, liquid or a body. pick_pixel
   goes the other way, from a point of the scene to its pixel. */
#ifndef VIEW_PICK_H
#define VIEW_PICK_H

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pick_ray {
    rn_vec3 from, along; /* m, its origin; a unit vector */
} pick_ray;

/* Returns the ray through the point (x, y) of a picture, in pixels from its upper left corner. The picture's size is in
   the same unit. */
pick_ray pick_ray_at(const rn_camera *camera, double x, double y, double width, double height);
/* Sets *hit to the first point (m) in the domain where a ray is in ground or liquid, to about a quarter of a cell, so
   that thinner things can be missed. Returns false, with *hit unchanged, if there is none. */
bool pick_surface(const rn_surface_columns *columns, const pick_ray *ray, rn_vec3 *hit);
/* Returns the number of the first body that a ray meets, and sets *distance to how far along the ray (m). Returns -1,
   with a distance of INFINITY, if there is none. */
int pick_body(const rn_mesh *bodies, const pick_ray *ray, double *distance);
/* Sets pixel[] to where a point (m) appears in the picture, x and y from the upper left corner in the unit of `width`.
   Returns false if it is behind the camera. */
bool pick_pixel(const rn_camera *camera, rn_vec3 at, double width, double height, double pixel[2]);

#ifdef __cplusplus
}
#endif

#endif
