/* Lines and squares that explain a picture. */
#ifndef RN_RENDER_EXPLAIN_H
#define RN_RENDER_EXPLAIN_H

#include "render/gl/batch.h"

#include <runnel/surface.h>

/* What explains: the edges of the liquid's triangles, and columns that are full to their ceilings. */
rn_result rn_links_fill(const rn_gl *gl, rn_batch *links, const rn_mesh *surface, const rn_surface_columns *columns);
rn_result rn_flooded_fill(const rn_gl *gl, rn_batch *flooded, const rn_surface_columns *columns);

#endif
