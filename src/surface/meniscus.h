/* Where liquid meets solid, its surface bends (Dagenais 2018, section 5): distance and direction to the nearest
   boundary, and how much the surface tilts and rises there. docs/meshes.md has the method. */
#ifndef RN_SURFACE_MENISCUS_H
#define RN_SURFACE_MENISCUS_H

#include "surface/nearest.h"

/* Bytes that a meniscus over these links needs. */
size_t rn_meniscus_bytes(const rn_links *links);
/* Gives a meniscus that memory, aligned to 8 bytes. */
void rn_meniscus_place(rn_meniscus *meniscus, const rn_links *links, void *memory);

/* Finds distances and directions, unless neither the outline of the liquid nor the ground along it has changed since
   the last time, in the same memory (section 8); true: they were found. Then share and rise, from where the contact
   line is within its cells now: `reach` is how far past the middle of each wet column at the edge the liquid goes
   (cells, per slot), and NULL if that is not known. Threads of the pool, which may be NULL, share what can be shared;
   the result is the same. */
bool rn_meniscus_find(rn_meniscus *meniscus, const rn_links *links, const float *reach, const rn_meniscus_def *def,
                      rn_pool *pool);

/* The same in parts, for callers that share other work, too: rn_meniscus_ask, those of surface/nearest.h, then the rest
   of these. Those with a row y are done for all rows, by any threads, before the next one begins. `changed` is what
   rn_meniscus_has_changed returned. */
void rn_meniscus_ask(rn_meniscus *meniscus, const rn_meniscus_def *def); /* sets the def; once */
/* How far the contact line is before its boundary; may run before rn_meniscus_near or after. */
void rn_meniscus_touch(rn_meniscus *meniscus, const rn_links *links, const float *reach, int y);
void rn_meniscus_near(rn_meniscus *meniscus, const rn_links *links, int y); /* distances; only if changed */
void rn_meniscus_even(rn_meniscus *meniscus, const rn_links *links, bool changed, int y);  /* smooths them */
void rn_meniscus_shape(rn_meniscus *meniscus, const rn_links *links, bool changed, int y); /* tilts, shares and rise */

/* What a column's vertex becomes: its normal tilted, and how much (m) higher it stands. */
float rn_meniscus_bend(const rn_meniscus *meniscus, const rn_links *links, int layer, int y, int x, float normal[3]);

/* The same for the normals of at most 64 columns of the band that follow each other; their lift is in `rise`. */
void rn_meniscus_bend_run(const rn_meniscus *meniscus, int32_t slot, int count, float *normals);

/* Or what a shader needs to bend them itself, of those that do: see rn_mesh.menisci. */
void rn_meniscus_tell(const rn_meniscus *meniscus, int32_t slot, int count, float *menisci);

/* How high (m) a surface that meets a wall at `psi` (radians) stands `distance` (m) from it: the two-dimensional
   meniscus of Young and Laplace, negative where psi is. */
float rn_meniscus_rise(float psi, float distance, float capillary);

#endif
