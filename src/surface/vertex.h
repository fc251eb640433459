/* A vertex of the surface, before it is written to the arrays of the mesh. */
#ifndef RN_SURFACE_VERTEX_H
#define RN_SURFACE_VERTEX_H

#include "surface/surface.h"

#include <string.h>

typedef struct rn_vertex {
    float at[3]; /* m, from the grid's corner and the datum */
    float normal[3];
    float velocity[3]; /* m/s */
    float opacity;
    float meniscus[4]; /* as in rn_mesh.menisci */
    uint32_t id;
} rn_vertex;

/* Writes a vertex to all arrays that the mesh has, with its position converted from the grid's corner and the datum to
   world coordinates. */
static inline void rn_vertex_put(const rn_surface_state *w, uint32_t index, const rn_vertex *v) {
    const rn_mesh *m = w->mesh;
    const rn_surface_columns *c = w->columns;
    float *at = m->positions + 3 * (size_t)index;
    at[0] = v->at[0] + c->origin_x;
    at[1] = v->at[1] + c->origin_y;
    at[2] = v->at[2] + c->datum;
    if (m->normals) memcpy(m->normals + 3 * (size_t)index, v->normal, sizeof v->normal);
    if (m->velocities) memcpy(m->velocities + 3 * (size_t)index, v->velocity, sizeof v->velocity);
    if (m->menisci) memcpy(m->menisci + 4 * (size_t)index, v->meniscus, sizeof v->meniscus);
    if (m->opacity) m->opacity[index] = v->opacity;
    if (m->ids) m->ids[index] = v->id;
}

/* Twice the area (m^2) of a triangle seen from above; below 0 if it is turned over. */
static inline float rn_area_above(const float *a, const float *b, const float *c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
}

/* The smallest area of a triangle (m^2): twice its area seen from above, as rn_area_above() returns it. Smaller
   triangles and those turned over are dropped. */
static inline float rn_least_area(const rn_surface_state *w) { return 1e-4f * w->t.cell * w->t.cell; }

#endif
