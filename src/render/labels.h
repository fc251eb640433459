/* Draws the scale bar, the time, the colour scale and the tiles over a finished picture. */
#ifndef RN_RENDER_LABELS_H
#define RN_RENDER_LABELS_H

#include <runnel/world.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct rn_picture {
    uint8_t *pixels; /* RGB, rows from the top */
    int width, height;
} rn_picture;

/* Draws a bar of a round length (1, 2 or 5 times a power of ten), at most 22 % of the width, in the lower left corner.
   Draws nothing in a picture narrower than 160 or lower than 80 pixels. */
void rn_label_scale(const rn_picture *picture, double metres_per_pixel);
/* Draws the time in the lower right corner, from 1000 s on without decimals; nothing in a picture narrower than 160 or
   lower than 80 pixels. */
void rn_label_time(const rn_picture *picture, double seconds);
/* Draws a colour scale in the lower left corner, from 0 to `most` metres, or metres per second; nothing in a picture
   narrower than 160 or lower than 80 pixels. `colours`: `count`, at least 2, for equally spaced values; linear red,
   green, blue from 0 to 1; colours between them are interpolated. */
void rn_label_ramp(const rn_picture *picture, const float (*colours)[3], int count, double most, bool per_second);

/* Draws the tiles of an adaptive solver over a map of cells_x by cells_y columns that fills the picture, south at the
   bottom: the outline of every tile and, unless the tile is idle, paler lines around every two by two of its cells,
   which are 2^level columns wide. tiles->levels must exist. */
void rn_label_tiles(const rn_picture *picture, const rn_tiles *tiles, int cells_x, int cells_y);

#endif
