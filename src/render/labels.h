/* The scale bar and the time, drawn over a finished picture. */
#ifndef RN_RENDER_LABELS_H
#define RN_RENDER_LABELS_H

#include <stdint.h>

typedef struct rn_picture {
    uint8_t *pixels; /* RGB, rows from the top */
    int width, height;
} rn_picture;

/* A bar of a round length (1, 2 or 5 times a power of ten) in the lower left corner. */
void rn_label_scale(const rn_picture *picture, double metres_per_pixel);
/* The time in the lower right corner. */
void rn_label_time(const rn_picture *picture, double seconds);

#endif
