/* Uploads the lines and squares of overlays; draw.c draws them. */
#ifndef RN_RENDER_EXPLAIN_H
#define RN_RENDER_EXPLAIN_H

#include "render/gl/batch.h"

#include <runnel/surface.h>

/* Uploads the edges of the liquid's triangles as lines, each triangle its own three. Those with both ends at columns
   have the colour of links, the others that of ends; all are links without ids. columns NULL: all ids are columns.
   Returns RN_MEMORY, with a message, if memory runs out; then the batch is unchanged. */
rn_result rn_links_fill(const rn_gl *gl, rn_batch *links, const rn_mesh *surface, const rn_surface_columns *columns);
/* Uploads squares for columns that are full to their ceilings, as triangles; may be none. Returns RN_MEMORY, with a
   message, if memory runs out; then the batch is unchanged. */
rn_result rn_flooded_fill(const rn_gl *gl, rn_batch *flooded, const rn_surface_columns *columns);

#endif
