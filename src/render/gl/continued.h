/* Liquid that stands at the edge of the domain, continued over the land outside. */
#ifndef RN_RENDER_GL_CONTINUED_H
#define RN_RENDER_GL_CONTINUED_H

#include "render/gl/renderer.h"

typedef struct rn_continuation {
    rn_liquid_vertex *vertices;
    uint32_t *indices; /* three per triangle */
    size_t vertex_count, index_count;
} rn_continuation;

/* Continues liquid that stands at the edge of the domain over the land, as far as the land is lower. `vertices` are
   those of the surface. The caller frees both arrays, also after a failure. Returns RN_MEMORY, with a message, if
   memory runs out. */
rn_result rn_land_continue(const rn_renderer *r, const rn_mesh *surface, const rn_liquid_vertex *vertices,
                           rn_continuation *liquid);

#endif
