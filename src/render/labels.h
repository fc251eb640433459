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

/* A bar of a round length (1, 2 or 5 times a power of ten) in the lower left corner. */
void rn_label_scale(const rn_picture *picture, double metres_per_pixel);
/* The time in the lower right corner. */
void rn_label_time(const rn_picture *picture, double seconds);
/* The meaning of colours, in the lower left corner: from 0 to `most` metres, or metres per second. `colours`: of
   equal steps, linear, red green blue. */
void rn_label_ramp(const rn_picture *picture, const float (*colours)[3], int count, double most, bool per_second);

/* The tiles of an adaptive solver, on a map of cells_x by cells_y columns: lines around every two by two of their
   cells. */
void rn_label_tiles(const rn_picture *picture, const rn_tiles *tiles, int cells_x, int cells_y);

#endif
