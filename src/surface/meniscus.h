/* Bends the surface where liquid meets solid (Dagenais 2018, section 5): distance and direction to the nearest
   boundary, and the tilt and rise of the surface there. docs/meshes.md has the method. */
#ifndef RN_SURFACE_MENISCUS_H
#define RN_SURFACE_MENISCUS_H

#include "surface/nearest.h"

/* The bytes that a meniscus over these links needs. */
size_t rn_meniscus_bytes(const rn_links *links);
/* Sets up a meniscus in `memory`, which has rn_meniscus_bytes bytes, aligned to 8 and with any content; everything is
   found anew in the next build. */
void rn_meniscus_place(rn_meniscus *meniscus, const rn_links *links, void *memory);

/* Finds distances and directions, unless the definition, the outline of the liquid and the ground along it are
   unchanged since the last call with the same memory (Dagenais 2018, section 8). Returns true if they were found. Then
   finds share and rise from the current position of the contact line within its cells: `reach` (cells, per slot) is how
   far the liquid extends past the centre of each wet column at the edge, or NULL if not known. The pool may be NULL;
   the result is the same. */
bool rn_meniscus_find(rn_meniscus *meniscus, const rn_links *links, const float *reach, const rn_meniscus_def *def,
                      rn_pool *pool);

/* The parts of rn_meniscus_find, for callers that combine it with other work: rn_meniscus_ask, the functions of
   surface/nearest.h, then these. Functions with a row y are called for all rows, on any threads, before the next one.
   `changed` is the result of rn_meniscus_has_changed. */
/* Sets the definition; call it once. */
void rn_meniscus_ask(rn_meniscus *meniscus, const rn_meniscus_def *def);
/* Finds the distance of the contact line from the centre of the boundary cell; call it before or after
   rn_meniscus_near. */
void rn_meniscus_touch(rn_meniscus *meniscus, const rn_links *links, const float *reach, int y, int worker);
/* Finds the distances of columns of the band from the nearest boundary, and psi there (`own`). Call it only if
   `changed`. */
void rn_meniscus_near(rn_meniscus *meniscus, const rn_links *links, int y, int worker);
/* Smooths these distances and psi, if `changed`, and in any case the offsets of the contact line. */
void rn_meniscus_even(rn_meniscus *meniscus, const rn_links *links, bool changed, int y, int worker);
/* Finds the directions to the boundary, if `changed`, and in any case share and rise. */
void rn_meniscus_shape(rn_meniscus *meniscus, const rn_links *links, bool changed, int y, int worker);

/* Tilts the normal of a column's vertex, and returns how far (m) it is lifted; outside the band returns 0 and leaves
   the normal unchanged. */
float rn_meniscus_bend(const rn_meniscus *meniscus, const rn_links *links, int layer, int y, int x, float normal[3]);

/* rn_meniscus_bend for the normals of up to 64 consecutive columns of the band; their lift is in `rise`. */
void rn_meniscus_bend_run(const rn_meniscus *meniscus, int32_t slot, int count, float *normals);

/* Writes what a shader needs to bend `count` columns from `slot` on by itself: see rn_mesh.menisci. Writes nothing for
   columns that do not bend, whose values must be 0 already. */
void rn_meniscus_tell(const rn_meniscus *meniscus, int32_t slot, int count, float *menisci);

/* The height (m) of a surface at `distance` (m; 0 if negative) from a wall that it meets at `psi` (radians, limited to
   +-1.5): the two-dimensional meniscus of Young and Laplace, negative if psi is; 0 without a capillary length (m). */
float rn_meniscus_rise(float psi, float distance, float capillary);

#endif
