/* What is needed to keep the picture of ground and floor while the camera rests. draw.c keeps it, in targets.still, and
   draws only the triangles of the ground again whose wetness has changed. */
#ifndef RN_RENDER_STILL_H
#define RN_RENDER_STILL_H

#include <runnel/render.h>

/* All that the picture of ground and floor depends on, except the ground, its wetness and the shadows. Compared byte by
   byte: begin with all 0. */
typedef struct rn_still_key {
    rn_camera camera;
    rn_vec3 ground, backdrop;
    rn_coat coats[RN_MOST_COATS];
    const rn_texture *texture;
    double gloss, cell, sea;
    int material, floor, outdoors, no_shadows, no_wetness;
} rn_still_key;

typedef struct rn_still {
    rn_still_key key;    /* of the last frame */
    bool kept;           /* the picture of this key is in targets.still */
    uint32_t *triangles; /* of the ground, in the order in which they are drawn */
    uint32_t *changed;   /* those that rn_still_find_changes has found */
    uint8_t *wet;        /* by vertex: wetness in the picture */
    uint8_t *differs;    /* by vertex: it has changed since */
    size_t vertex_count;
} rn_still;

/* Copies the triangles of the ground, `count` indices. Returns RN_MEMORY, with a message, if memory runs out; then
   there are none. The picture is forgotten. */
rn_result rn_still_set_ground(rn_still *still, const uint32_t *triangles, size_t count, size_t vertex_count);
/* The next picture must be drawn anew. */
void rn_still_forget(rn_still *still);
/* Remembers the wetness in a picture that is kept now; shades: as in rn_renderer. */
void rn_still_keep(rn_still *still, uint8_t (*shades)[4]);
/* Finds the triangles among the first `count` indices whose wetness has changed since the picture was drawn, and
   remembers the new wetness. Returns the number of their indices, in still->changed. */
size_t rn_still_find_changes(rn_still *still, uint8_t (*shades)[4], size_t count);
/* Frees the arrays and sets everything to 0; not the framebuffer. */
void rn_still_free(rn_still *still);

#endif
