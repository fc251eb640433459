/* The texture over the ground, for the view from above. */
#ifndef RN_RENDER_DRAPE_H
#define RN_RENDER_DRAPE_H

#include <runnel/render.h>

typedef struct rn_drape {
    const rn_texture *texture; /* NULL: none */
    float linear[256];         /* light of an sRGB byte */
} rn_drape;

/* A texture that is ready for rn_drape_over; NULL is allowed. */
rn_drape rn_drape_of(const rn_texture *texture);
/* Mixes the mean of the texture over a rectangle (m), at least a pixel of it, into a linear colour, by its opacity.
   Does nothing without a texture. */
void rn_drape_over(const rn_drape *drape, const double low[2], const double high[2], float colour[3]);

#endif
