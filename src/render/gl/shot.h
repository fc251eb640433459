/* One picture while it is drawn: renderer, camera, look and lights. draw.c makes it, lamplight.c uses it, too. */
#ifndef RN_RENDER_SHOT_H
#define RN_RENDER_SHOT_H

#include "render/gl/renderer.h"

/* Texture units. */
enum {
    RN_UNIT_SHADOW,
    RN_UNIT_SEEN,
    RN_UNIT_TABLE,
    RN_UNIT_FLOOR,
    RN_UNIT_SOLID,
    RN_UNIT_BARE,
    RN_UNIT_RIPPLES,
    RN_UNIT_LAMP,
    RN_UNIT_LEVELS,
    RN_UNIT_DRAPE,
    RN_UNIT_CONTENTS,
    RN_UNIT_WALLS
};

typedef struct rn_lights {
    rn_vec3 right, away, key, key_light, sky_above, sky_beside, sky_below, paper, paper_lit;
    rn_matrix shadow; /* to clip space */
    bool land;        /* outdoors: land around the scene as far as the horizon, not a sea of the colour `paper` */
} rn_lights;

typedef struct rn_shot {
    rn_renderer *r;
    const rn_camera *camera;
    const rn_look *look;
    rn_frame axes;
    rn_matrix to_clip;
    rn_lights light;
    double radius; /* m, of the ground */
    rn_vec3 middle;
    double deepest; /* m, of the table of layers */
} rn_shot;

/* The variant of programs (programs.h) for the look and the liquid. */
unsigned rn_shot_variant(const rn_shot *f);
/* Uses a program (RN_PROGRAM_...) of this look, indoors or outdoors, with everything that programs share: camera,
   lights, shadows, ripples. Returns its GL name. */
GLuint rn_shot_use(const rn_shot *f, int which);
/* Draws the square from -1 to 1 with the program in use, which places it. */
void rn_shot_square(const rn_shot *f);
/* The same in each run of marked patches, for program p, which is in use and has a `rectangle`. */
void rn_shot_patches(const rn_shot *f, GLuint p, const rn_patches *patches);
/* How far (-1 to 1 across the picture) patches are widened: by two pixels or more. */
float rn_shot_margin(const rn_shot *f);
/* The refractive index of the liquid; 1.33 for a metal. */
double rn_shot_refraction(const rn_shot *f);

#endif
