/* Pictures. */
#ifndef RUNNEL_RENDER_H
#define RUNNEL_RENDER_H

#include <runnel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A view straight down: shaded ground, liquid coloured by its depth and optics, a scale bar, the time. */
typedef struct rn_top_view_def {
    int width;         /* pixels, 0: 800; the height follows from the domain, see rn_top_view_height */
    rn_vec3 ground;    /* colour of dry ground, linear 0..1; all 0: warm grey */
    double full_depth; /* m, the depth at which the colour is deepest; 0: chosen from the liquid there is */
    bool plain;        /* no scale bar, no time */
    int threads;       /* 0: one per core; the picture is the same for any number */
} rn_top_view_def;

RN_API int rn_top_view_height(const rn_world *world, const rn_top_view_def *def);
/* pixels: width*height*3 bytes, sRGB, rows from the top (north) down. */
RN_API rn_result rn_top_view(const rn_world *world, const rn_top_view_def *def, uint8_t *pixels);

#ifdef __cplusplus
}
#endif

#endif
