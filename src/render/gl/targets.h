/* The framebuffers of a renderer. */
#ifndef RN_RENDER_TARGETS_H
#define RN_RENDER_TARGETS_H

#include "render/gl/gl.h"

#include <runnel/base.h>

enum { RN_SHADOW_SIDE = 1024, RN_FLOOR_MAP = 256, RN_LAMP_SIDE = 512 }; /* texels along a side */

typedef struct rn_targets {
    int width, height;                       /* texels */
    int scale;                               /* texels per pixel, along a side */
    GLuint scene, scene_colour, scene_depth; /* light, and distance (m) */
    GLuint seen, seen_texture;               /* a copy of the scene without liquid */
    GLuint bare, bare_texture;               /* a copy of the scene without liquid and bodies; 0: there have been no
                                                bodies */
    GLuint still, still_colour, still_depth; /* the scene without liquid and bodies, kept while the camera rests; 0: it
                                                has moved all the time */
    GLuint picture, picture_colour;          /* 8 bits, for reading back */
    GLuint shadow, shadow_texture;
    GLuint lamp, lamp_texture;   /* what the liquid does to the light of the lamp: lamplight.h */
    GLuint floor, floor_texture; /* light on the floor: of the lamp, of the sky */
} rn_targets;

/* Creates all targets except the bare copy and the kept picture, for a picture of this size (pixels) with `samples`
   samples per pixel along a side; hosted: without the one for reading back. `targets` begins as all 0. Returns
   RN_DRIVER or RN_LIMIT (too many texels), with a message, if GL fails; rn_targets_free frees what was made. Changes
   the framebuffer binding. */
rn_result rn_targets_make(const rn_gl *gl, int width, int height, int samples, bool hosted, rn_targets *targets);
/* Creates the copy without bodies, unless it exists; call it when there are bodies. The bound framebuffer stays bound.
   Returns RN_DRIVER, with a message, if GL has no memory for it. */
rn_result rn_targets_make_bare(const rn_gl *gl, rn_targets *targets);
/* Creates the framebuffer for the still, the picture of the scene without liquid and bodies that is kept while the
   camera rests, unless it exists. Changes the framebuffer binding. Returns false, without a message, if GL has no
   memory for it; later calls for the same targets then do not try again. */
bool rn_targets_make_still(const rn_gl *gl, rn_targets *targets);
/* Deletes all GL objects that exist; the members stay as they are. */
void rn_targets_free(const rn_gl *gl, rn_targets *targets);

#endif
