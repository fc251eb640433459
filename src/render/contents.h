/* Where the liquid stands, in boxes: for pictures in which solid is clear glass, so that liquid is seen from the side,
   where its mesh has no triangles. */
#ifndef RN_RENDER_CONTENTS_H
#define RN_RENDER_CONTENTS_H

#include <runnel/surface.h>

/* The open space of a column, from its floor to its ceiling, and the surface of the liquid in it (m). No column: floor
   and ceiling are equal. Dry: the surface is the floor. */
typedef struct rn_span {
    float floor, surface, ceiling;
} rn_span;

/* Boxes of bytes: where liquid stands, or where solid is. At most 2^25 of them. */
typedef struct rn_boxes {
    int nx, ny, nz;
    float low[3]; /* m */
    float wide;   /* m, side of a box along x and y */
    float tall;   /* m, along z */
    uint8_t *of; /* of each box, x fastest: 255 and 0 far below and above a surface, 127.5 at it, RN_CONTENTS_RAMP boxes
                    between them; 0 where there is no liquid */
} rn_boxes;

enum { RN_CONTENTS_RAMP = 4 };

/* Writes a span for each slot of the columns, layer by layer, row by row. */
void rn_spans_read(const rn_surface_columns *columns, rn_span *spans);

/* Makes the boxes from the spans of `cells[0]` times `cells[1]` cells and `layers` layers, between the heights low[2]
   and `high` (m). low: corner of the grid; cell: m. Solid beside a column counts as liquid as high as in that column:
   what looks beside a wall for liquid finds its level even between cells. A box is as wide as a cell; as 2, 3 ...
   cells, and has the liquid of one of them, where there would be too many boxes, or more than `most` along a side.
   Frees old boxes first; `contents` may be all 0. Returns RN_MEMORY, with a message and without boxes, if memory runs
   out. */
rn_result rn_contents_make(const rn_span *spans, const int cells[2], int layers, const float low[3], float high,
                           float cell, int most, rn_boxes *contents);
/* Makes boxes with a side of `side` m, or a longer one as above, whose bytes are the share of each that is solid (255:
   all), from the box low to high (m) and the `count` indices of the triangles of a ground, which face the open side.
   Frees old boxes first; `walls` may be all 0. Returns RN_MEMORY, with a message and without boxes, if memory runs out.
 */
rn_result rn_walls_make(const float *positions, const uint32_t *triangles, size_t count, const float low[3],
                        const float high[3], float side, int most, rn_boxes *walls);
/* Frees the boxes and sets everything to 0. */
void rn_boxes_free(rn_boxes *contents);

#endif
