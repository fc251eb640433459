/* What a point of the picture shows. */
#ifndef VIEW_PICK_H
#define VIEW_PICK_H

#include <runnel/runnel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pick_ray {
    rn_vec3 from, along; /* m; a unit vector */
} pick_ray;

/* Through a pixel of a picture, counted from its upper left corner. */
pick_ray pick_ray_at(const rn_camera *camera, double x, double y, double width, double height);
/* The first ground or liquid that a ray meets (m). */
bool pick_surface(const rn_surface_columns *columns, const pick_ray *ray, rn_vec3 *hit);
/* The first body, and how far along the ray (m); -1: none. */
int pick_body(const rn_mesh *bodies, const pick_ray *ray, double *distance);
/* Where a place is in the picture (pixels); false: behind the camera. */
bool pick_pixel(const rn_camera *camera, rn_vec3 at, double width, double height, double pixel[2]);

#ifdef __cplusplus
}
#endif

#endif
